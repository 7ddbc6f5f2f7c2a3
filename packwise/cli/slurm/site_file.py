"""packwise.toml: what a site always says to the commands of its Slurm, in a file.

Keys are those of the options, with underscores; ``[slurm]`` is for all commands that have such an option, and
``[slurm.steer]`` for one. What is said on the command line counts.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

if TYPE_CHECKING:
    from packwise.files.toml_document import TomlDocument

#: Where it is looked for.
PLACES = ("packwise.toml", "/etc/packwise/packwise.toml")
VARIABLE = "PACKWISE_CONFIG"
#: What `reset` has to know as well.
_FOR_ALL = ("state", "reservation")
_EXAMPLE = """[slurm]
policy = "packwise"
interval = 10

[slurm.steer]
band = 1000"""


def site_file(given: Path | None) -> Path | None:
    """The file that was named, by option or by environment; else the first that is there."""
    from packwise.model.errors import InputError

    named = given or (Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None)
    if named is not None:
        if not named.is_file():
            raise InputError(f"{named}: there is no such file. It looks like this:\n{_EXAMPLE}")
        return named
    return next((path for place in PLACES if (path := Path(place)).is_file()), None)


def options_of(command: Callable[..., None]) -> dict[str, type]:
    """The options of a command by name, and what they are: bool, int, float, or else text."""
    found: dict[str, type] = {}
    for name, hint in get_type_hints(command).items():
        if name != "return":
            kinds = {hint, *get_args(hint)}
            found[name] = next((kind for kind in (bool, int, float) if kind in kinds), str)
    return found


def defaults(
    path: Path, commands: dict[str, dict[str, type]], *, of_drive: bool = False
) -> dict[str, dict[str, Any]]:
    """What the file says to each command. ``commands``: their options by name, with their kinds; ``of_drive``:
    what an earlier version's drive was told may still be there.
    """
    from packwise.cli.slurm.leftovers import OF_DRIVE, REMEDY
    from packwise.files.toml_document import read_toml

    document = read_toml(path, "packwise.toml", _EXAMPLE)
    document.check_keys((), document.values, ("slurm",))
    table = document.values.get("slurm", {})
    if not isinstance(table, dict):
        document.refuse(("slurm",), "a table [slurm]", repr(table))
    for key in OF_DRIVE:
        if key in table and not of_drive:
            document.refuse(
                ("slurm", key),
                "nothing of the mode drive, which is gone",
                f"'{key}'",
                f"{REMEDY}. Take this out of the file",
            )
    table = {key: value for key, value in table.items() if key not in OF_DRIVE}
    everything = sorted({name for options in commands.values() for name in options})
    document.check_keys(("slurm",), table, [*everything, *commands])
    found: dict[str, dict[str, Any]] = {name: {} for name in commands}
    for key, value in table.items():
        if key in commands:
            if not isinstance(value, dict):
                document.refuse(("slurm", key), f"a table [slurm.{key}]", repr(value))
            document.check_keys(("slurm", key), value, sorted(commands[key]))
            continue
        for name, options in commands.items():
            if key in options:
                _check(document, ("slurm", key), value, options[key])
                found[name][key] = value
    for name in commands:
        for key, value in table.get(name, {}).items():
            if key in _FOR_ALL:
                document.refuse(
                    ("slurm", name, key),
                    f"{key} in [slurm], where `reset` finds it, too",
                    repr(value),
                )
            _check(document, ("slurm", name, key), value, commands[name][key])
            found[name][key] = value
    return found


def _check(document: TomlDocument, place: tuple[str, ...], value: Any, kind: type) -> None:
    """Refuse a value that is not of the option's kind."""
    if kind is bool:
        if not isinstance(value, bool):
            document.refuse(place, f"{place[-1]} to be true or false", repr(value))
    elif kind is int:
        document.whole(place, value, 0)
    elif kind is float:
        document.number(place, value, 0)
    else:
        document.text(place, value)
