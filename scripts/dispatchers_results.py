"""What ``benchmarks.dispatchers`` has measured, as the page of the dispatchers reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.dispatchers import key_of
from benchmarks.dispatchers_store import Store
from packwise.experiments.scenario import Scenario
from packwise.experiments.study import Study
from packwise.experiments.tables.results import StudyResults
from packwise.model.errors import InputError

Values = NDArray[np.float64]
Results = Mapping[str, Any]
METRICS = ("slowdown", "wait", "max_wait")
#: Plans whose total slowdowns differ by less are equally good: numbers of a store have seven digits.
SAME = 1e-6


def read_results(path: Path, studies: Sequence[Study]) -> Results:
    """What is in a store, replays by the labels of the studies."""
    if not path.exists():
        raise InputError(f"{path}: no such file. Run benchmarks.dispatchers first.")
    known = Store(path).known
    labelled = {
        label_of(scenario): known[key_of(scenario)]
        for study in studies
        for scenario in study.scenarios
        if key_of(scenario) in known
    }
    return {**known, **labelled}


def label_of(scenario: Scenario) -> str:
    labels = scenario.labels
    return f"{labels.workload} | {labels.policy} | {labels.estimate} | {labels.replica}"


def study_results(study: Study, results: Results) -> StudyResults:
    """The same as a store's results would be."""
    import polars as pl

    rows = [
        {"key": one.key, **{name: results[label_of(one)][name] for name in METRICS}}
        for one in study.scenarios
        if label_of(one) in results
    ]
    columns = {"key": pl.String, **dict.fromkeys(METRICS, pl.Float64)}
    return StudyResults.of(study, pl.DataFrame(rows, schema=columns))


class Rounds(NamedTuple):
    """Saved rounds that all have been solved by some methods: by method a row for each."""

    solved: Mapping[str, list[Mapping[str, Any]]]

    def __len__(self) -> int:
        return len(next(iter(self.solved.values())))

    def of(self, method: str, name: str) -> Values:
        return np.array([one.get(name) for one in self.solved[method]], float)

    def ratio(self, name: str, method: str = "pcp21", against: str = "pcp19") -> Values:
        """Of one method against another, round by round; not a number where both have none."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.of(method, name) / self.of(against, name)

    def quality(self, method: str) -> Values:
        """The total slowdown of a method's plan against the best list plan; not a number where it has none."""
        return self.of(method, "slowdown") / self.of("lists", "slowdown")


def rounds_of(results: Results, title: str) -> Rounds | None:
    """Those under a title for which everything is there, if there are any."""
    found: dict[str, dict[str, Any]] = {}
    for key, value in results.items():
        if key.startswith(f"{title} | ") and not key.endswith("done"):
            number, method = key.removeprefix(f"{title} | ").split(" | ")
            found.setdefault(number, {})[method] = value
    methods = list(dict.fromkeys(method for one in found.values() for method in one))
    whole = [one for one in found.values() if len(one) == len(methods)]
    if not whole:
        return None
    return Rounds({method: [one[method] for one in whole] for method in methods})
