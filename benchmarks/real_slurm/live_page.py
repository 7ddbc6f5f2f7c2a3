"""docs/benchmarks-live.md from what burst, forecasts and load have measured.

python -m benchmarks.real_slurm.live_page
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs/benchmarks-live.md"
METRICS = ("AF", "AWF", "BSLD", "P2SF", "wait")
TUNED = "Slurm, tuned parameters"


def lines_of(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / name).read_text().splitlines()]


def burst_runs(times: int) -> list[dict[str, Any]]:
    """The runs whose jobs are so many times as long."""
    return [run for run in lines_of("bursts.jsonl") if run["times"] == times]


def bursts(times: int) -> str:
    runs = burst_runs(times)
    ways = list(runs[0]["found"])
    ways.sort(key=lambda way: (not way.startswith("Slurm"), way != TUNED, way))
    rows = ["| | " + " | ".join(METRICS) + " |", "|---|" + "---:|" * len(METRICS)]
    for way in ways:
        cells = []
        for metric in METRICS:
            values = np.array([run["found"][way][metric] for run in runs])
            base = np.array([run["found"][TUNED][metric] for run in runs])
            change = 100 * (values / base - 1)
            spread = f" ({change.min():+.0f} to {change.max():+.0f} %)" if way != TUNED else ""
            cells.append(f"{values.mean():.1f}{spread}")
        rows.append(f"| {way} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def replays() -> str:
    names = ("AF", "AWF", "BSLD", "P2SF")
    rows = [
        "| jobs | planned with | " + " | ".join(names) + " |",
        "|---|---|" + "---:|" * len(names),
    ]
    for one in json.loads((HERE / "burst_replays.json").read_text()):
        cells = [
            f"{change:+.0f} ± {error:.0f}"
            for change, error in zip(one["change"], one["error"], strict=True)
        ]
        length = "a quarter as long" if one["times"] == 1 else "as above"
        planned = "limits" if one["estimate"] == "requested" else "exact run times"
        rows.append(f"| {length} | {planned} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def together(key: str) -> dict[str, float]:
    """The forecasts of all runs."""
    runs = [run[key] for run in lines_of("forecasts.jsonl")]
    count = [run["forecasts"] for run in runs]
    means = {
        name: float(np.average([run[name] for run in runs], weights=count))
        for name in runs[0]
        if name not in ("forecasts", "without one of Slurm")
    }
    return {"forecasts": sum(count), **means}


def forecasts() -> str:
    rows = [
        "| | forecasts | mean wait (s) | mean error of ours (s) | of Slurm's (s) | started by P10 | by P50 | "
        "by P90 | by Slurm's |",
        "|---|" + "---:|" * 8,
    ]
    told = [
        (f"run {run['seed']}, the first of each job", run["first"])
        for run in lines_of("forecasts.jsonl")
    ]
    told.append(("all runs, the first of each job", together("first")))
    told.append(("all runs, every 10 s", together("all")))
    for words, one in told:
        shares = " | ".join(
            f"{100 * one[name]:.0f} %"
            for name in ("by P10", "by P50", "by P90", "started by Slurm's")
        )
        rows.append(
            f"| {words} | {one['forecasts']:,} | {one['mean wait']:.0f} | {one['error of ours']:.0f} | "
            f"{one['error of Slurm']:.0f} | {shares} |"
        )
    return "\n".join(rows)


def load() -> str:
    rows = [
        "| waiting | mode | round | read | plan | send | lines sent | slurmctld |", "|---:|---|" + "---:|" * 6,
    ]  # fmt: skip
    for one in json.loads((HERE / "load.json").read_text()):
        for key, words in (("first", "first"), ("later", "later")):
            told = one[key]
            seconds = " | ".join(
                f"{told[name]:.2f} s" for name in ("whole", "read", "plan", "send")
            )
            rows.append(
                f"| {one['count']:,} | {one['mode']}, {words} | {seconds} | {told['lines']:,} | "
                f"{told['controller']:.2f} s |"
            )
    return "\n".join(rows)


def main() -> None:
    text = (HERE / "live_page.md").read_text()
    for name, made in (
        ("bursts", lambda: bursts(4)),
        ("short bursts", lambda: bursts(1)),
        ("replays", replays),
        ("forecasts", forecasts),
        ("load", load),
    ):
        text = text.replace("{{" + name + "}}", made())
    for name, times in (("runs", 4), ("short runs", 1)):
        text = text.replace("{{" + name + "}}", str(len(burst_runs(times))))
    text = text.replace("{{jobs}}", str(burst_runs(4)[0]["jobs"]))
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
