"""The policies and estimates of a study: names resolved, parameters swept, sources kept."""

from __future__ import annotations

import importlib.util
import itertools
import math
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from packwise import registry
from packwise.experiments.scenario import Choice
from packwise.experiments.study_file.grid import Entry
from packwise.experiments.study_file.imports import imports_digest
from packwise.experiments.study_file.table import Item, Table, short, shown
from packwise.model.decision import Policy
from packwise.model.errors import InputError, PackwiseError
from packwise.predict import Exact
from packwise.registry import PARAMETERS

_MOST_OF_A_SWEEP = 10_000
_CALL = re.compile(r"([^()]*)\((.*)\)", re.DOTALL)
_VALUE = re.compile(r"[\w./-]+")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


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


def read_estimates(study: Table) -> list[Entry]:
    """``estimates = [...]``, or what the users requested."""
    if "estimates" not in study:
        return [Entry(estimate_choice("requested"), 1)]
    entries = []
    for item in study.names("estimates", '["exact", "requested"]'):
        try:
            entries.append(Entry(estimate_choice(item.value), item.line))
        except PackwiseError as error:
            study.problems.add(item.line, error)
    return entries


def estimate_choice(text: str) -> Choice:
    """An estimate by name; its factor is kept to the last digit."""
    found = registry.estimate(text)
    if not isinstance(found, Exact):
        return Choice(found.name, found.name)
    factor = found.factor
    name = found.name
    if factor != 1 and float(name.removeprefix("exact*")) != factor:
        name = f"exact*{factor!r}"
    return Choice(name, name, parameters={"factor": factor})


def policy_choice(text: str, folder: Path, label: str = "") -> Choice:
    """A policy by name: checked, in its canonical spelling, with the source of a user's module."""
    text = text.strip()
    if is_users(text):
        name = _absolute(text, folder)
        found, source = _users(name)
        imports = "" if source is None else imports_digest(source, name.rpartition(":")[0])
        return Choice(label or _label(found, text), name, source, imports=imports)
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
    name, label = table.text("name", None), table.text("label", "")
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
    sweep = [_values(table, key) for key in given]
    if not all(sweep):
        return []
    size = math.prod(len(values) for values in sweep)
    if size > _MOST_OF_A_SWEEP:
        table.wrong(
            f"the sweep of policy '{short(name)}' has {size:,} combinations; "
            f"{_MOST_OF_A_SWEEP:,} is the most. Shorten its lists."
        )
        return []
    entries = []
    try:
        for point in itertools.product(*sweep):
            parameters = dict(zip(given, point, strict=True))
            text = _with_parameters(name, parameters)
            choice = policy_choice(text, folder, _filled(label, parameters))
            entries.append(Entry(choice, table.line()))
    except PackwiseError as error:
        table.wrong(error, *(("label",) if str(error).startswith("label") else ("name",)))
        return []
    if label and len({entry.choice.label for entry in entries}) < len(entries):
        braces = " ".join(f"{{{key}}}" for key in given)
        table.wrong(
            f"label '{short(label)}' does not tell the {size} policies of the sweep apart. Use "
            f'placeholders, as in label = "{short(label)} {braces}".',
            "label",
        )
        return []
    return entries


def _values(table: Table, key: str) -> list[str | int]:
    """The values that a parameter takes; none if one of them is wrong."""
    found: list[str | int] = []
    for item in table.one_or_more(key):
        try:
            found.append(_checked(key, item))
        except PackwiseError as error:
            table.problems.add(item.line, error)
            found.append("")
    return found if "" not in found else []


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


def _with_parameters(name: str, parameters: Mapping[str, Any]) -> str:
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


def _filled(label: str, parameters: Mapping[str, Any]) -> str:
    """A label with {order}, {depth}, ... replaced."""

    def value(found: re.Match[str]) -> str:
        if found[1] not in parameters:
            known = ", ".join(f"{{{key}}}" for key in parameters) or "none: it sets no parameters"
            raise InputError(
                f"label '{short(label)}' has the placeholder {found[0]}. This policy has {known}."
            )
        return str(parameters[found[1]])

    return _PLACEHOLDER.sub(value, label)


def _absolute(text: str, folder: Path) -> str:
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
            f"policy '{short(text)}': there is no file '{short(str(path), 300)}'. Check the path "
            "before the colon."
        )
    return f"{path}:{attribute}"


def _label(policy: Policy, text: str) -> str:
    """A policy's own name, if it can stand in a table."""
    name: object = policy.name
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise InputError(
            f"policy '{short(text)}': its name should be text of one line, found {short(repr(name))}. "
            "Change it, or give the policy a label."
        )
    return name.strip()


def _users(name: str) -> tuple[Policy, str | None]:
    """The policy behind a user's name, and the text of its module."""
    try:
        found = registry.policy(name)
        module = name.rpartition(":")[0]
        file = module
        if not module.endswith(".py"):
            file = str(getattr(sys.modules.get(module), "__file__", None))
            if not file.endswith(".py"):
                return found, None
        return found, importlib.util.decode_source(Path(file).read_bytes())
    except PackwiseError:
        raise
    except (Exception, SystemExit) as error:
        raise InputError(
            f"policy '{short(name)}' could not be loaded ({type(error).__name__}: {error})."
        ) from error
