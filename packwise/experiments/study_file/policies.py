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
from packwise.model.errors import InputError, PackwiseError
from packwise.registry import PARAMETERS

_CALL = re.compile(r"([^()]*)\((.*)\)", re.DOTALL)
_VALUE = re.compile(r"[\w./-]+")


def read_policies(study: Table, folder: Path, elsewhere: Mapping[str, str]) -> list[Entry]:
    """``policies = [...]``, then the ``[[policy]]`` tables; files are relative to ``folder``."""
    entries = []
    for item in study.names("policies", '["easy", "list-saf"]'):
        try:
            entries.append(Entry(policy_choice(item.value, folder), item.line))
        except PackwiseError as error:
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
    call = _CALL.fullmatch(text)
    if call is None:
        return Choice(label or found.name, found.name)
    values = dict(part.lower().split("=", 1) for part in call[2].split(",") if part.strip())
    parameters = {key.strip(): _number_or_text(value.strip()) for key, value in values.items()}
    base = registry.policy(call[1]).name
    name = _spelled(base, parameters)
    return Choice(label or name, name, parameters=_in_order(parameters))


def is_users(text: str) -> bool:
    """Whether a name means an object in a user's module: my.py:mine or package.module:mine."""
    return ":" in text and not _CALL.fullmatch(text)


def _of_table(table: Table, folder: Path, elsewhere: Mapping[str, str]) -> list[Entry]:
    """The policies of one [[policy]]: as many as its lists have combinations."""
    table.refuse_unknown(("name", "label", *PARAMETERS), elsewhere)
    name = table.text("name", None)
    if name is None:
        if "name" not in table:
            table.wrong('a [[policy]] needs a name, as in name = "list"; see `packwise policies`.')
        return []
    given = [key for key in PARAMETERS if key in table]
    if given and is_users(name):
        table.wrong(
            f"policy '{short(name)}' comes from a module of your own and takes no parameters, found "
            f"{', '.join(given)}. Make one object per variant there, and name each.",
            given[0],
        )
        return []

    def make(parameters: Mapping[str, Any], label: str) -> Choice:
        return policy_choice(with_parameters(name, parameters), folder, label)

    return swept(table, "policy", name, given, _checked, make)


def _checked(key: str, item: Item) -> str | int:
    value = item.value
    if isinstance(value, bool) or not isinstance(value, str | int):
        expected = "a name" if key in ("order", "option", "backfill") else "a whole number"
        raise InputError(f"{key} should be {expected}, or a list to sweep; found {shown(value)}.")
    text = str(value).strip().lower() if isinstance(value, str) else shown(value)
    if not _VALUE.fullmatch(text):
        raise InputError(f"{key} should be one word or number, found {shown(value)}.")
    registry.policy(f"list({key}={text}{',depth=1' if key == 'backfill' else ''})")
    return value if isinstance(value, int) else _number_or_text(text)


def with_parameters(name: str, parameters: Mapping[str, Any]) -> str:
    """A name with parameters added to those that it has."""
    if not parameters:
        return name
    call = _CALL.fullmatch(name.strip())
    base, inside = (call[1], [call[2]] if call[2].strip() else []) if call else (name.strip(), [])
    return f"{base}({','.join([*inside, *(f'{k}={v}' for k, v in parameters.items())])})"


def _spelled(base: str, parameters: Mapping[str, Any]) -> str:
    """One spelling for each policy, whatever the order in which its parameters were given."""
    inside = ",".join(f"{key}={value}" for key, value in _in_order(parameters).items())
    return f"{base}({inside})" if inside else base


def _in_order(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {key: parameters[key] for key in PARAMETERS if key in parameters}


def _number_or_text(value: str) -> str | int:
    """A parameter's value in one spelling."""
    if value in ("none", "inf"):
        return "unlimited"
    return int(value) if re.fullmatch(r"\d{1,15}", value) else value
