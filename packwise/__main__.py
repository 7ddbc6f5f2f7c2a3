"""``python -m packwise`` is ``packwise``."""

from packwise.cli import main

if __name__ == "__main__":
    main()
