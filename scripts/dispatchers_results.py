"""What ``benchmarks.dispatchers`` has measured, as the page of the dispatchers reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.dispatchers import key_of
from packwise.experiments.study import Study
from packwise.experiments.tables.results import StudyResults
from packwise.model.errors import InputError

Values = NDArray[np.float64]
Results = Mapping[str, Any]
METRICS = ("slowdown", "wait", "max_wait")


def read_results(path: Path) -> Results:
    if not path.exists():
        raise InputError(f"{path}: no such file. Run benchmarks.dispatchers first.")
    return dict(json.loads(line) for line in path.read_text().splitlines())


def study_results(study: Study, results: Results) -> StudyResults:
    """The same as a store's results would be."""
    import polars as pl

    rows = [
        {"key": one.key, **{name: results[key_of(one)][name] for name in METRICS}}
        for one in study.scenarios
        if key_of(one) in results
    ]
    return StudyResults.of(study, pl.DataFrame(rows))


class Rounds(NamedTuple):
    """Saved rounds that all have been solved by some methods: by method a row for each."""

    solved: Mapping[str, list[Mapping[str, Any]]]

    def __len__(self) -> int:
        return len(next(iter(self.solved.values())))

    def of(self, method: str, name: str) -> Values:
        return np.array([one[name] for one in self.solved[method]], float)

    def ratio(self, name: str, method: str = "pcp21", against: str = "pcp19") -> Values:
        """Of one method against another, round by round; 1 where both have none."""
        one, other = self.of(method, name), self.of(against, name)
        return np.where(
            other > 0, one / np.where(other > 0, other, 1), np.where(one > 0, np.inf, 1)
        )

    def quality(self, method: str) -> Values:
        """The total slowdown of a method's plan against the best list plan; 1 where it has none."""
        plans = self.solved[method]
        return np.array([(one["slowdown"] or one["list"]) / one["list"] for one in plans])


def rounds_of(results: Results, title: str) -> Rounds:
    """Those under a title for which everything is there."""
    found: dict[str, dict[str, Any]] = {}
    for key, value in results.items():
        if key.startswith(f"{title} | ") and not key.endswith("done"):
            number, method = key.removeprefix(f"{title} | ").split(" | ")
            found.setdefault(number, {})[method] = value
    methods = list(dict.fromkeys(method for one in found.values() for method in one))
    whole = [one for one in found.values() if len(one) == len(methods)]
    if not whole:
        raise InputError(f"no {title} are there. Run benchmarks.dispatchers first.")
    return Rounds({method: [one[method] for one in whole] for method in methods})
