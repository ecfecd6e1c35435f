"""The report: all that is worth knowing of a solve as one HTML file that needs nothing else."""
