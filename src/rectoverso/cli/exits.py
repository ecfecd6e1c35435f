"""What the program's exit codes mean, besides 0 for done and 2 for a wrong use of the command line."""

BAD_INPUT = 3
TOO_LARGE = 4
INTERRUPTED = 130
