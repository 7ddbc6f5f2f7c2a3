"""Who is better off and who is worse off than under the baseline, in words and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from packwise.metrics.comparison import Comparison
    from packwise.metrics.effects import Effect, Effects
    from packwise.model.run import Run


def effect_words(comparison: Comparison, runs: list[Run]) -> list[str]:
    """A paragraph for each run but the baseline."""
    base = comparison.entries[comparison.baseline].label
    found = _found(comparison, runs)
    return [effects.words(label, base) for label, effects in found.items()]


def effects_json(comparison: Comparison, runs: list[Run]) -> dict[str, Any]:
    """The same as objects, by the label of the run."""

    def row(one: Effect) -> dict[str, Any]:
        return {**one._asdict(), "change_percent": one.change}

    return {
        label: {
            "users": [row(one) for one in effects.users],
            "users_worse": len(effects.users_worse),
            "users_better": len(effects.users_better),
            "sizes": [row(one) for one in effects.sizes],
        }
        for label, effects in _found(comparison, runs).items()
    }


def _found(comparison: Comparison, runs: list[Run]) -> dict[str, Effects]:
    from packwise.metrics.effects import effects

    if comparison.withheld:
        return {}
    base = runs[comparison.baseline]
    return {
        entry.label: effects(run.workload, run.schedule, base.schedule)
        for entry, run in zip(comparison.entries, runs, strict=True)
        if run is not base and len(run.workload) == len(base.workload)
    }
