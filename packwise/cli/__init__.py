"""The command line: one file per command; each parses, calls and prints."""

from __future__ import annotations


def main() -> None:
    """The entry point of the ``packwise`` command."""
    from packwise.cli.app import app
    from packwise.cli.terminal.streams import run_quietly

    run_quietly(lambda: app(prog_name="packwise"))
