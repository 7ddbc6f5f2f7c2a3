"""Policies, estimates and metrics of the user's own in a study: loaded, checked, their sources kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from packwise.experiments.declarations import packages_of
from packwise.experiments.scenario import Choice
from packwise.experiments.study_file.table import short
from packwise.metrics.catalogue import chosen_metric
from packwise.metrics.definition import Metric
from packwise.model.errors import InputError, PackwiseError
from packwise.users_code import is_users, users_source
from packwise.users_modules import own_modules

#: What finds an object by its name: registry.policy or registry.estimate.
Find = Callable[[str], Any]


def users_choice(kind: str, find: Find, text: str, folder: Path, label: str = "") -> Choice:
    """my.py:mine, relative to ``folder``, with the source of its module; ``kind`` is for messages."""
    name = _absolute(kind, text, folder)
    found, source = _loaded(kind, find, name)
    imports = () if source is None else own_modules(source, name.rpartition(":")[0])
    label = label or _label(kind, found, text)
    return Choice(label, name, source, imports=imports, packages=packages_of(found))


def metric_of_study(text: str, folder: Path) -> Metric:
    """A metric by name; the file in mine.py:fairness is relative to ``folder``."""
    text = text.strip()
    return chosen_metric(_absolute("metric", text, folder) if is_users(text, "metric") else text)


def _absolute(kind: str, text: str, folder: Path) -> str:
    """my.py:mine with the full path of the file; names of installed modules stay."""
    module, _, attribute = text.rpartition(":")
    if not module.endswith(".py"):
        return f"{module}:{attribute}"
    try:
        path = (folder / module).resolve()
        there = path.is_file()
    except (OSError, ValueError):
        path, there = folder / module, False
    if not there:
        raise InputError(
            f"{kind} '{short(text)}': there is no file '{short(str(path), 300)}'. Check the path "
            "before the colon."
        )
    return f"{path}:{attribute}"


def _label(kind: str, found: Any, text: str) -> str:
    """An object's own name, if it can stand in a table."""
    name: object = found.name
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise InputError(
            f"{kind} '{short(text)}': its name should be text of one line, found {short(repr(name))}. "
            f"Change it, or give the {kind} a label."
        )
    return name.strip()


def _loaded(kind: str, find: Find, name: str) -> tuple[Any, str | None]:
    """The object behind a user's name, and the text of its module."""
    try:
        return find(name), users_source(name, kind)
    except PackwiseError:
        raise
    except (Exception, SystemExit) as error:
        raise InputError(
            f"{kind} '{short(name)}' could not be loaded ({type(error).__name__}: {error})."
        ) from error
