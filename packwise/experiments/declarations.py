"""What policies and estimates say of their own results, by attributes that they may have.

``packages``: installed packages whose version can change what they do, such as a solver. The versions are
part of the key of a result. ``reproducible = False``: the clock, or something else outside of the scenario,
has a say, so that another run may give another schedule. The record of a result says so.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from packwise import registry
from packwise.model.errors import InputError, PackwiseError

#: What every replay depends on: the loops are compiled, floating point and all.
ENGINE = ("numba",)
#: What workloads depend on of which something is drawn at random.
DRAWING = ("numpy",)


def packages_of(thing: Any) -> tuple[str, ...]:
    """The packages that a policy or an estimate names."""
    given = getattr(thing, "packages", ())
    named = isinstance(given, list | tuple) and all(isinstance(one, str) and one for one in given)
    if not named:
        raise InputError(
            f"'{thing.name}': packages should be names of installed packages, such as ('ortools',), found "
            f"{given!r}."
        )
    return tuple(given)


def is_reproducible(thing: Any) -> bool:
    """Whether a policy or an estimate does the same each time, as far as it says."""
    given = getattr(thing, "reproducible", True)
    if not isinstance(given, bool):
        raise InputError(
            f"'{thing.name}': reproducible should be True or False, found {given!r}. It is False for results "
            "that depend on the clock."
        )
    return given


@cache
def packages_by_name(kind: str, name: str) -> tuple[str, ...]:
    """The packages of a policy or an estimate that comes with Packwise; none for an unknown name."""
    find = {"policy": registry.policy, "estimate": registry.estimate}[kind]
    try:
        return packages_of(find(name))
    except PackwiseError:  # told when it is to run
        return ()


@cache
def installed(package: str) -> str:
    """The version of a package; "" if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
