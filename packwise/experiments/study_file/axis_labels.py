"""Labels of a study by what people call them: the label itself, a name or an alias."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from packwise.experiments.scenario import Choice
from packwise.experiments.study_file.estimates import estimate_choice
from packwise.experiments.study_file.grid import Entry
from packwise.experiments.study_file.policies import policy_choice
from packwise.experiments.study_file.table import Table, short
from packwise.model.errors import PackwiseError, UnknownName


def policy_label(
    table: Table, key: str, wanted: str, entries: Sequence[Entry], folder: Path, what: str
) -> str:
    """The label of a policy of the study; ``what`` names who asks, in messages."""
    return _label(
        table, key, wanted, entries, lambda name: policy_choice(name, folder), "policy", what
    )


def estimate_label(
    table: Table, key: str, wanted: str, entries: Sequence[Entry], folder: Path, what: str
) -> str:
    """The same of an estimate."""
    return _label(
        table, key, wanted, entries, lambda name: estimate_choice(name, folder), "estimate", what
    )


def _label(
    table: Table,
    key: str,
    wanted: str,
    entries: Sequence[Entry],
    resolve: Callable[[str], Choice],
    axis: str,
    what: str,
) -> str:
    """The label of a policy or an estimate of the study, given by label, name or another name."""
    labels = [entry.choice.label for entry in entries]
    if (found := spelled(wanted, labels)) is not None:
        return found
    try:
        name = resolve(wanted).name
    except PackwiseError:
        name = ""
    for entry in entries:
        if entry.choice.name == name:
            return entry.choice.label
    table.wrong(not_there(axis, wanted, labels, what), key)
    return ""


def spelled(wanted: str, labels: Sequence[str]) -> str | None:
    """A label as the study spells it, whatever the case."""
    if wanted in labels:
        return wanted
    return next((label for label in labels if label.lower() == wanted.lower()), None)


def not_there(axis: str, wanted: str, labels: Sequence[str], what: str) -> str:
    error = UnknownName(axis, short(wanted), labels)
    return f"{what} should be in the study: {error}"
