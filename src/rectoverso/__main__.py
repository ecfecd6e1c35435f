"""``python -m rectoverso`` is the command ``rectoverso``."""

from rectoverso.cli import main

if __name__ == "__main__":
    main()
