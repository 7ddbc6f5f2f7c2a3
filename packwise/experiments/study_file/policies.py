"""The policies of a study: names resolved, parameters swept, sources kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from packwise import registry
from packwise.experiments.scenario import Choice
from packwise.experiments.study_file.grid import Entry
from packwise.experiments.study_file.sweep import swept
from packwise.experiments.study_file.table import Item, Table, short, shown
from packwise.experiments.study_file.users import users_choice
from packwise.model.decision import Policy
from packwise.model.errors import InputError, PackwiseError
from packwise.model.specification import specification
from packwise.registry import PARAMETERS, Parametrised

_EXAMPLE = "list(depth=4)"
_VALUE = re.compile(r"[\w./*+^-]+")


def read_policies(study: Table, folder: Path, elsewhere: Mapping[str, str]) -> list[Entry]:
    """``policies = [...]``, then the ``[[policy]]`` tables; files are relative to ``folder``."""
    entries = []
    for item in study.names("policies", '["easy", "list-saf"]'):
        try:
            entries.append(Entry(policy_choice(item.value, folder), item.line))
        except InputError as error:
            study.problems.add(item.line, error)
    for table in study.tables("policy"):
        entries += _of_table(table, folder, elsewhere)
    return entries


def policy_choice(text: str, folder: Path, label: str = "") -> Choice:
    """A policy by name: checked, in its canonical spelling, with the source of a user's module."""
    text = text.strip()
    if is_users(text):
        return users_choice("policy", registry.policy, text, folder, label)
    found = registry.policy(text)
    written = specification("policy", text, _EXAMPLE)
    if written.inside is None:
        return Choice(label or found.name, found.name)
    base = registry.policy(written.name)
    values = written.parameters(_parameters(base))
    parameters = {
        key: _in_one_spelling(base, values[key]) for key in _parameters(base) if key in values
    }
    inside = ",".join(f"{key}={value}" for key, value in parameters.items())
    name = f"{base.name}({inside})" if inside else base.name
    return Choice(label or name, name, parameters=parameters)


def is_users(text: str) -> bool:
    """Whether a name means an object in a user's module: my.py:mine or package.module:mine."""
    return ":" in text and not text.endswith(")")


def _of_table(table: Table, folder: Path, elsewhere: Mapping[str, str]) -> list[Entry]:
    """The policies of one [[policy]]: as many as its lists have combinations."""
    name = table.text("name", None)
    base = _base(name)
    known = _parameters(base)
    table.refuse_unknown(("name", "label", *known), elsewhere)
    if name is None:
        if "name" not in table:
            table.wrong('a [[policy]] needs a name, as in name = "list"; see `packwise policies`.')
        return []
    given = [key for key in known if key in table]
    if given and is_users(name):
        table.wrong(
            f"policy '{short(name)}' comes from a module of your own and takes no parameters, found "
            f"{', '.join(given)}. Make one object per variant there, and name each.",
            given[0],
        )
        return []

    def make(parameters: Mapping[str, Any], label: str) -> Choice:
        return policy_choice(with_parameters(name, parameters), folder, label)

    def checked(key: str, item: Item) -> str | int:
        return _checked(base, key, item)

    return swept(table, "policy", name, given, checked, make)


def _base(name: str | None) -> Policy | None:
    """The policy that a name without its parameters means; None if it is none of ours."""
    try:
        return None if name is None or is_users(name) else registry.policy(name.partition("(")[0])
    except PackwiseError:
        return None


def _parameters(base: Policy | None) -> tuple[str, ...]:
    """What a policy may set, in the order in which its name shows them."""
    return tuple(base.parameters) if isinstance(base, Parametrised) else PARAMETERS


def _checked(base: Policy | None, key: str, item: Item) -> str | int:
    value = item.value
    words = isinstance(base, Parametrised)
    right = str | int | float if words else str | int
    if isinstance(value, bool) or not isinstance(value, right):
        expected = (
            "a word or a number"
            if words
            else "a name"
            if key in ("order", "option", "backfill")
            else "a whole number"
        )
        raise InputError(f"{key} should be {expected}, or a list to sweep; found {shown(value)}.")
    text = value.strip() if isinstance(value, str) else shown(value)
    if not _VALUE.fullmatch(text):
        raise InputError(f"{key} should be one word or number, found {shown(value)}.")
    name = base.name if base is not None and words else "list"
    registry.policy(f"{name}({key}={text}{',depth=1' if key == 'backfill' else ''})")
    return value if isinstance(value, int) else _in_one_spelling(base, text)


def with_parameters(name: str, parameters: Mapping[str, Any], kind: str = "policy") -> str:
    """A name with parameters added to those that it has."""
    if not parameters:
        return name
    written = specification(kind, name, _EXAMPLE)
    told = [written.inside] if written.inside and written.inside.strip() else []
    return f"{written.name}({','.join([*told, *(f'{k}={v}' for k, v in parameters.items())])})"


def _in_one_spelling(base: Policy | None, text: str) -> str | int:
    """A parameter's value; those of the list family in lower case."""
    value = text.strip() if isinstance(base, Parametrised) else text.strip().lower()
    if value in ("none", "inf"):
        return "unlimited"
    return int(value) if re.fullmatch(r"\d{1,15}", value) else value
