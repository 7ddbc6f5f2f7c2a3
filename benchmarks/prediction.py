"""What predictors cost: replays with each of them against the same replay with requested limits."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from benchmarks.cases import PREDICTIONS, Prediction
from packwise import load_workload, simulate
from packwise.registry import estimate, policy


class Predicted(NamedTuple):
    """Engine seconds with a predictor and with requested limits, the best of three each."""

    case: Prediction
    seconds: float
    requested: float

    @property
    def ratio(self) -> float:
        return self.seconds / self.requested

    @property
    def reached(self) -> bool:
        if self.case.seconds is not None:
            return self.seconds <= self.case.seconds
        return self.case.ratio is None or self.ratio <= self.case.ratio


def predictions(traces: Path) -> list[Predicted]:
    """Every case, with predictor and limits in turn, so that both see the same machine."""
    found = []
    for case in PREDICTIONS:
        loaded = load_workload(traces / f"{case.trace}.swf.gz")
        seconds: dict[str, list[float]] = {case.estimate: [], "requested": []}
        for _ in range(3):
            for name, measured in seconds.items():
                run = simulate(loaded.workload, loaded.cluster, policy("list-reg"), estimate(name))
                measured.append(run.seconds)
        best = [min(measured) for measured in seconds.values()]
        found.append(Predicted(case, *best))
        print(
            f"{case.trace:20} {case.estimate:12} {best[0]:8.3f} s  {found[-1].ratio:5.2f} x requested  "
            f"{'ok' if found[-1].reached else 'MISSED'}",
            flush=True,
        )
    return found


def prediction_table(found: list[Predicted]) -> list[str]:
    lines = [
        "",
        "## Predictors",
        "",
        "JustBF (`list-reg`) with a predictor, which learns and estimates all waiting jobs again whenever a "
        "job ends, against the same replay with requested limits, in the same run.",
        "",
        "| trace | estimate | must reach | measured | times requested |",
        "|---|---|---|---|---|",
    ]
    for each in found:
        measured = f"{each.seconds:.3f} s"
        shown = measured if each.reached else f"**{measured}**"
        lines.append(
            f"| {each.case.trace} | {each.case.estimate} | {each.case.target} | {shown} "
            f"| {each.ratio:.2f} |"
        )
    return lines
