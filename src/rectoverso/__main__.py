"""``python -m rectoverso`` is the command ``rectoverso``."""

from rectoverso.cli import main

main()
