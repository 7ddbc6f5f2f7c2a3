"""How long scenarios will take: from what the store has seen, or else a rough guess."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

from packwise import registry
from packwise.experiments.scenario import Choice, Scenario, TraceFile
from packwise.policies import ConservativePolicy, ListPolicy

if TYPE_CHECKING:
    import polars as pl

#: Seconds per job to measure a schedule, to write it, and to hand the work out.
_OVERHEAD: Final = 4e-6
#: Seconds per job of the engine where nothing is known: depth 0 or 1, a full plan, CBF, Python.
_SHALLOW, _FULL, _PROMISES, _PYTHON = 0.5e-6, 5e-6, 20e-6, 150e-6
#: Bytes of a job in a log.
_PACKED, _PLAIN = 12, 80


class Forecast:
    """Seconds of work per scenario; times on another machine differ."""

    def __init__(self, results: pl.DataFrame) -> None:
        """``results`` as the store gives them."""
        self._jobs: dict[str, int] = {}
        self._guesses: dict[str, float] = {}
        seen: dict[tuple[str, str], list[float]] = {}
        columns = ("workload", "policy", "estimate", "jobs", "seconds")
        for workload, policy, estimate, jobs, seconds in results.select(columns).iter_rows():
            self._jobs[workload] = jobs
            seen.setdefault((policy, estimate), []).append(seconds / max(jobs, 1))
        self._rates = {names: median(rates) for names, rates in seen.items()}

    def seconds(self, scenario: Scenario) -> float:
        """Work of one core."""
        labels = scenario.labels
        rate = self._rates.get((labels.policy, labels.estimate))
        if rate is None:
            rate = self._guesses.get(scenario.policy.content)
        if rate is None:
            rate = self._guesses[scenario.policy.content] = _guess(scenario.policy)
        return self.jobs(scenario) * (rate + _OVERHEAD)

    def measuring(self, scenario: Scenario) -> float:
        """The same, where only metrics are missing."""
        return self.jobs(scenario) * _OVERHEAD

    def jobs(self, scenario: Scenario) -> int:
        """About how many jobs a scenario has."""
        known = self._jobs.get(scenario.workload.label)
        if known is not None:
            return known
        source, window = scenario.workload.source, scenario.workload.window
        if window.count is not None:
            return window.count
        if not isinstance(source, TraceFile):
            return source.jobs
        path = Path(source.path)
        return path.stat().st_size // (_PACKED if path.suffix == ".gz" else _PLAIN)


def _guess(choice: Choice) -> float:
    policy = registry.policy(choice.name, choice.source)
    told = getattr(policy, "seconds_per_job", None)
    if isinstance(told, int | float):
        return float(told)
    if isinstance(policy, ListPolicy):
        return _SHALLOW if policy.option != "backfill" or policy.depth is not None else _FULL
    return _PROMISES if isinstance(policy, ConservativePolicy) else _PYTHON
