"""The baseline of a study file: labels of the study, found by label, name or alias."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from packwise.experiments.scenario import Choice
from packwise.experiments.study import Baseline
from packwise.experiments.study_file.estimates import estimate_choice
from packwise.experiments.study_file.grid import Entry, Grid, Machine
from packwise.experiments.study_file.policies import policy_choice
from packwise.experiments.study_file.table import Table, short, shown
from packwise.model.errors import PackwiseError, UnknownName


def read_baseline(
    study: Table, grid: Grid, folder: Path, elsewhere: Mapping[str, str], complete: bool
) -> Baseline:
    """What to compare with; looked up in the axes only where these are ``complete``."""
    first = grid.policies[0].choice.label if grid.policies else ""
    value = study.values.get("baseline", first)
    if isinstance(value, str):
        if complete and "baseline" in study:
            return Baseline(policy=_policy_label(study, "baseline", value, grid.policies, folder))
        return Baseline(policy=first)
    if not isinstance(value, dict):
        study.wrong(
            'baseline should be a policy of the study, or a table such as { estimate = "requested" };'
            f" found {shown(value)}.",
            "baseline",
        )
        return Baseline()
    table = Table(value, ("baseline",), study.problems)
    table.refuse_unknown(("policy", "estimate", "machine"), elsewhere)
    if not value:
        table.wrong("baseline should set policy, estimate or machine, found an empty table.")
    policy, estimate, machine = (table.text(key, None) for key in ("policy", "estimate", "machine"))
    if not complete:
        return Baseline()
    if policy is not None:
        policy = _policy_label(table, "policy", policy, grid.policies, folder)
    if estimate is not None:
        estimate = _label(
            table, "estimate", estimate, grid.estimates, lambda name: estimate_choice(name, folder)
        )
    if machine is not None:
        machine = _machine_label(table, machine, grid.machines)
    return Baseline(policy, estimate, machine)


def _policy_label(
    table: Table, key: str, wanted: str, entries: Sequence[Entry], folder: Path
) -> str:
    return _label(table, key, wanted, entries, lambda name: policy_choice(name, folder), "policy")


def _label(
    table: Table,
    key: str,
    wanted: str,
    entries: Sequence[Entry],
    resolve: Callable[[str], Choice],
    axis: str = "estimate",
) -> str:
    """The label of a policy or an estimate of the study, given by label, name or another name."""
    labels = [entry.choice.label for entry in entries]
    if (found := _spelled(wanted, labels)) is not None:
        return found
    try:
        name = resolve(wanted).name
    except PackwiseError:
        name = ""
    for entry in entries:
        if entry.choice.name == name:
            return entry.choice.label
    table.wrong(_not_there(axis, wanted, labels), key)
    return ""


def _machine_label(table: Table, wanted: str, machines: Sequence[Machine]) -> str:
    labels = [machine.spec.label for machine in machines]
    if (found := _spelled(wanted, labels)) is not None:
        return found
    if labels == [""]:
        table.wrong("baseline names a machine, but the study has no [[machine]] tables.", "machine")
    else:
        table.wrong(_not_there("machine", wanted, labels), "machine")
    return ""


def _spelled(wanted: str, labels: Sequence[str]) -> str | None:
    """A label as the study spells it, whatever the case."""
    if wanted in labels:
        return wanted
    return next((label for label in labels if label.lower() == wanted.lower()), None)


def _not_there(axis: str, wanted: str, labels: Sequence[str]) -> str:
    error = UnknownName(axis, short(wanted), labels)
    return f"the baseline should be in the study: {error}"
