"""The command line: one file per command; each parses, calls and prints."""

from __future__ import annotations


def main() -> None:
    """The entry point of the ``packwise`` command."""
    import sys
    from io import TextIOWrapper

    from packwise.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal without Σ shows '?', it does not fail
            stream.reconfigure(errors="replace")
    app(prog_name="packwise")
