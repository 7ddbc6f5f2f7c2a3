"""The baseline of a study file: labels of the study, found by label, name or alias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from packwise.experiments.study import Baseline
from packwise.experiments.study_file.axis_labels import (
    estimate_label,
    not_there,
    policy_label,
    spelled,
)
from packwise.experiments.study_file.grid import Grid, Machine
from packwise.experiments.study_file.table import Table, shown

_WHAT = "the baseline"


def read_baseline(
    study: Table, grid: Grid, folder: Path, elsewhere: Mapping[str, str], complete: bool
) -> Baseline:
    """What to compare with; looked up in the axes only where these are ``complete``."""
    first = grid.policies[0].choice.label if grid.policies else ""
    value = study.values.get("baseline", first)
    if isinstance(value, str):
        if complete and "baseline" in study:
            label = policy_label(study, "baseline", value, grid.policies, folder, _WHAT)
            return Baseline(policy=label)
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
        policy = policy_label(table, "policy", policy, grid.policies, folder, _WHAT)
    if estimate is not None:
        estimate = estimate_label(table, "estimate", estimate, grid.estimates, folder, _WHAT)
    if machine is not None:
        machine = _machine_label(table, machine, grid.machines)
    return Baseline(policy, estimate, machine)


def _machine_label(table: Table, wanted: str, machines: Sequence[Machine]) -> str:
    labels = [machine.spec.label for machine in machines]
    if (found := spelled(wanted, labels)) is not None:
        return found
    if labels == [""]:
        table.wrong("baseline names a machine, but the study has no [[machine]] tables.", "machine")
    else:
        table.wrong(not_there("machine", wanted, labels, _WHAT), "machine")
    return ""
