"""The claims of a study file: what a paper says in words, one ``[[claim]]`` each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from packwise.experiments.claim import DEADLINE_JOBS, Between, Check, Claim, Falls, Flat, Largest
from packwise.experiments.study_file.axis_labels import estimate_label, policy_label
from packwise.experiments.study_file.claimed_workloads import claimed_workloads, named_workloads
from packwise.experiments.study_file.grid import Copies, Grid
from packwise.experiments.study_file.table import Table, short
from packwise.experiments.study_file.users import metric_of_study
from packwise.metrics.catalogue import METRICS
from packwise.model.errors import InputError, UnknownName

_CHECKS = ("flat", "falls", "at_least", "at_most", "largest")
_KEYS = (
    "says", "source", "metric", "part_of", "policy", "against", "estimate", *_CHECKS, "only", "except",
    "unfiltered", "together", "explained",
)  # fmt: skip
_ONE_CHECK = (
    "a [[claim]] needs one check: flat = 0.1 (within 10 % of the mean along a sweep), falls = 0.9 (along a "
    "sweep, with R² of a line), at_least and at_most (bounds of each value), or largest = a workload"
)
_OTHER_WORDS = {
    "name": "What is claimed is says = ...",
    "label": "What is claimed is says = ...",
    "workload": "A claim for some workloads has only = [...] or except = [...].",
    "workloads": "A claim for some workloads has only = [...] or except = [...].",
}
#: How many values a check along a sweep needs to say something.
_LEAST_POINTS = {"flat": 2, "falls": 3}


def read_claims(
    study: Table,
    grid: Grid,
    metrics: Sequence[str],
    folder: Path,
    elsewhere: Mapping[str, str],
    complete: bool,
) -> tuple[Claim, ...]:
    """Every ``[[claim]]``, in order; names are looked up only where the axes are ``complete``."""
    found = []
    for table in study.tables("claim"):
        table.refuse_unknown(_KEYS, {**elsewhere, **_OTHER_WORDS})
        claim = _claim(table, grid, metrics, folder, complete)
        if claim is not None:
            found.append(claim)
    return tuple(found)


def _claim(
    table: Table, grid: Grid, metrics: Sequence[str], folder: Path, complete: bool
) -> Claim | None:
    says, source = _needed(table, "says", "EASY waits less"), table.text("source", "")
    measured = _metric(table, "metric", metrics, folder)
    part_of = _metric(table, "part_of", metrics, folder)
    policy = _needed(table, "policy", "easy")
    against = table.text("against", None)
    estimate = table.text("estimate", None)
    unfiltered = table.flag("unfiltered")
    together = table.flag("together")
    explained = table.text("explained", "")
    if measured is not None and measured == part_of:
        table.wrong("part_of should be another metric than metric.", "part_of")
    if not complete:
        _check(table, ())
        return None
    check = _check(table, grid.workloads)
    workloads = claimed_workloads(table, grid.workloads)
    if policy is not None:
        policy = policy_label(table, "policy", policy, grid.policies, folder, "policy")
    if against is not None:
        against = policy_label(table, "against", against, grid.policies, folder, "against")
        if against and against == policy:
            table.wrong(f"against should be another policy than '{short(against)}'.", "against")
    if estimate is not None:
        estimate = estimate_label(table, "estimate", estimate, grid.estimates, folder, "estimate")
    if check is None or measured is None or not (says and policy):
        return None
    _need_a_sweep(table, workloads, grid.workloads)
    if together and (against is not None or not isinstance(check, Between)):
        table.wrong(
            "together is for claims with at_least or at_most, and without against.", "together"
        )
    if isinstance(check, Largest) and not set(check.workloads) < set(workloads):
        table.wrong(
            "largest should be some of the workloads that the claim is about, but not all of them.",
            "largest",
        )
    return Claim(
        says=says,
        metric=measured,
        policy=policy,
        check=check,
        workloads=workloads,
        against=against,
        estimate=estimate,
        part_of=part_of,
        source=source,
        unfiltered=unfiltered,
        together=together,
        explained=explained,
        line=table.line(),
    )


def _needed(table: Table, key: str, example: str) -> str | None:
    if key not in table:
        table.wrong(f'a [[claim]] needs {key}, as in {key} = "{example}".')
    return table.text(key, None)


def _metric(table: Table, key: str, measured: Sequence[str], folder: Path) -> str | None:
    """A metric that every result of the study has; for part_of also a number of jobs."""
    name = _needed(table, key, "wait") if key == "metric" else table.text(key, None)
    if name is None:
        return None
    if key == "part_of" and name.lower() == DEADLINE_JOBS:
        return DEADLINE_JOBS
    try:
        found = metric_of_study(name, folder)
    except UnknownName:
        known = [*METRICS, *([DEADLINE_JOBS] if key == "part_of" else [])]
        table.wrong(UnknownName("metric", short(name), known), key)
        return None
    except InputError as error:
        table.wrong(error, key)
        return None
    except (OverflowError, ValueError):
        table.wrong(f"metric '{short(name)}': the number is too large.", key)
        return None
    if (found.costly or found.name not in METRICS) and found.name not in measured:
        table.wrong(
            f"{key} should be measured by the study, but {found.name} is measured only when asked for. "
            "Add it to metrics.",
            key,
        )
    return found.name


def _check(table: Table, workloads: Sequence[Copies]) -> Check | None:
    """What the values should be like; exactly one kind."""
    flat = table.number("flat", None, "from 0 to 1", _is_share, "For 10 % write 0.1.")
    falls = table.number("falls", None, "from 0 to 1, the least R² of a line", _is_share)
    least, most = (
        table.number(key, None, "that is finite", lambda v: True) for key in ("at_least", "at_most")
    )
    kinds = {"at_least": "bounds", "at_most": "bounds"}
    given = {kinds.get(key, key): key for key in _CHECKS if key in table}
    if len(given) != 1:
        named = ", ".join(key for key in _CHECKS if key in table) or "none"
        table.wrong(f"{_ONE_CHECK}; found {named}.", *list(given.values())[1:2])
        return None
    if least is not None and most is not None and least > most:
        table.wrong(
            f"at_least should not be above at_most, found {least:g} and {most:g}.", "at_least"
        )
        return None
    if flat is not None:
        return Flat(flat)
    if falls is not None:
        return Falls(falls)
    if least is not None or most is not None:
        return Between(least, most)
    if "largest" not in table or not workloads:
        return None
    labels = named_workloads(table, "largest", workloads)
    names = ", ".join(str(item.value) for item in table.patterns("largest"))
    return Largest(names, tuple(labels)) if labels else None


def _is_share(value: float) -> bool:
    return 0 <= value <= 1


def _need_a_sweep(table: Table, chosen: Sequence[str], workloads: Sequence[Copies]) -> None:
    """flat and falls compare the workloads of a series with each other."""
    key = next((key for key in _LEAST_POINTS if key in table), None)
    if key is None:
        return
    picked = [copies for copies in workloads if copies.label in chosen]
    series = Counter(copies.swept.series if copies.swept else "" for copies in picked)
    short_ones = [name for name, count in series.items() if not name or count < _LEAST_POINTS[key]]
    if short_ones:
        which = f" '{short(short_ones[0])}' has fewer." if short_ones[0] else ""
        table.wrong(
            f"{key} needs workloads that are swept, with {_LEAST_POINTS[key]} values or more, as by "
            f"deadline_share = [0.2, 0.4, 0.6] or scale_load = [1.0, 1.1, 1.2].{which} Name those that are, "
            "with only.",
            key,
        )
