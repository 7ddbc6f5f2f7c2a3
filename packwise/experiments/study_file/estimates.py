"""The estimates of a study: names resolved, parameters swept, sources of users' predictors kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from packwise import registry
from packwise.experiments.scenario import Choice
from packwise.experiments.study_file.grid import Entry
from packwise.experiments.study_file.policies import is_users, with_parameters
from packwise.experiments.study_file.sweep import swept
from packwise.experiments.study_file.table import Item, Table, shown
from packwise.experiments.study_file.users import users_choice
from packwise.model.errors import InputError
from packwise.predict import Exact, Predictor
from packwise.predict.learning import LearningPredictor

_VALUE = re.compile(r"[\w.%-]+")


def read_estimates(study: Table, folder: Path, elsewhere: Mapping[str, str]) -> list[Entry]:
    """``estimates = [...]``, then the ``[[estimate]]`` tables, or what the users requested."""
    if "estimates" not in study and "estimate" not in study:
        return [Entry(estimate_choice("requested", folder), 1)]
    entries = []
    for item in study.names("estimates", '["exact", "requested"]') if "estimates" in study else []:
        try:
            entries.append(Entry(estimate_choice(item.value, folder), item.line))
        except InputError as error:
            study.problems.add(item.line, error)
    for table in study.tables("estimate"):
        entries += _of_table(table, folder, elsewhere)
    return entries


def estimate_choice(text: str, folder: Path, label: str = "") -> Choice:
    """An estimate by name; its factor is kept to the last digit."""
    if is_users(text):
        return users_choice("estimate", registry.estimate, text.strip(), folder, label)
    found = registry.estimate(text)
    if not isinstance(found, Exact):
        return Choice(label or found.name, found.name)
    factor = found.factor
    name = found.name
    if factor != 1 and float(name.removeprefix("exact*")) != factor:
        name = f"exact*{factor!r}"
    return Choice(label or name, name, parameters={"factor": factor})


def _of_table(table: Table, folder: Path, elsewhere: Mapping[str, str]) -> list[Entry]:
    """The estimates of one [[estimate]]: as many as its lists have combinations."""
    name = table.text("name", None)
    if name is None:
        table.refuse_unknown(("name", "label"), elsewhere)
        if "name" not in table:
            table.wrong(
                'an [[estimate]] needs a name, as in name = "last2"; see `packwise policies`.'
            )
        return []
    try:
        known = () if is_users(name) else _parameters(registry.estimate(name))
    except InputError as error:
        table.wrong(error, "name")
        return []
    table.refuse_unknown(("name", "label", *known), elsewhere)
    given = [key for key in known if key in table]

    def make(parameters: Mapping[str, Any], label: str) -> Choice:
        choice = estimate_choice(with_parameters(name, parameters, "estimate"), folder, label)
        numbers = {k: v for k, v in parameters.items() if not isinstance(v, str)}
        return replace(choice, parameters={**choice.parameters, **numbers})

    return swept(table, "estimate", name, given, _checked, make)


def _parameters(found: Predictor) -> tuple[str, ...]:
    return found.parameters() if isinstance(found, LearningPredictor) else ()


def _checked(key: str, item: Item) -> str | int | float:
    value = item.value
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError(f"{key} should be a word or a number, or a list; found {shown(value)}.")
    if not _VALUE.fullmatch(str(value).strip()):
        raise InputError(f"{key} should be one word or number, found {shown(value)}.")
    return value.strip() if isinstance(value, str) else value
