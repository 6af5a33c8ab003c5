"""`python -m traindx` is the command `diagnose`."""

from traindx.cli import main

if __name__ == "__main__":
    main()
