"""What more search buys: each metric against the budget of a round, over whole logs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.optimise_speed import ESTIMATES
from benchmarks.optimise_store import Measurements
from packwise import Cluster, Workload, load_workload, simulate, summarize
from packwise.cli.terminal.progress import job_bar
from packwise.optimise.metrics_of_plan import METRICS
from packwise.registry import estimate, policy

#: Seeds by budget: 0 has no random numbers, and large budgets take long.
SEEDS = {0: 1, 10: 5, 100: 5, 1000: 2, 10000: 1}
QUICK_SEEDS = {0: 1, 10: 2, 100: 2}
BUDGETS = {"KTH-SP2": (0, 10, 100, 1000, 10000), "SDSC-SP2": (0, 10, 100, 1000)}

#: Goponenko et al., DEBS 2024: their best, be it CP Optimizer with 20 s a round or a list.
PUBLISHED = {
    ("KTH-SP2", "AF"): (76, 74),
    ("KTH-SP2", "AWF"): (90, 91),
    ("KTH-SP2", "BSLD"): (29, 38),
    ("KTH-SP2", "P2SF"): (90, 94),
    ("SDSC-SP2", "AF"): (70, 88),
    ("SDSC-SP2", "AWF"): (78, 73),
    ("SDSC-SP2", "BSLD"): (23, 45),
    ("SDSC-SP2", "P2SF"): (97, 99),
}


class Line(NamedTuple):
    """Per cent of List-REG by budget, one value per seed, and the published best."""

    log: str
    metric: str
    estimate: str
    published: float
    values: dict[int, list[float]]


def measure_budgets(traces: Path, logs: list[str], store: Measurements, *, quick: bool) -> None:
    seeds = QUICK_SEEDS if quick else SEEDS
    for log in BUDGETS:
        if log not in logs:
            continue
        loaded = load_workload(traces / f"{log}.swf.gz")
        workload, cluster = loaded.workload, loaded.cluster
        base = {belief: _metrics(workload, cluster, "list-reg", belief)[0] for belief in ESTIMATES}
        cells = [
            (metric, belief, budget, seed)
            for budget in BUDGETS[log]
            for metric in METRICS
            for belief in ESTIMATES
            for seed in range(seeds.get(budget, 0))
        ]
        for metric, belief, budget, seed in cells:
            name = _policy(metric, budget, seed)
            cell = store.get(
                _key(log, metric, belief, budget, seed),
                partial(_cell, workload, cluster, name, belief, base[belief]),
            )
            print(
                f"{log:10} {belief:9} {name:45} {cell[metric]:6.2f} % of list-reg, "
                f"{cell['seconds']:.1f} s",
                flush=True,
            )


def _key(log: str, metric: str, belief: str, budget: int, seed: int) -> str:
    return f"{log} {metric} {belief} budget={budget} seed={seed}"


def _policy(metric: str, budget: int, seed: int) -> str:
    if not budget:
        return f"packwise(objective={metric},search=off)"
    return f"packwise(objective={metric},budget={budget},seed={seed})"


def _cell(
    workload: Workload, cluster: Cluster, name: str, belief: str, base: dict[str, float]
) -> dict[str, Any]:
    found, seconds = _metrics(workload, cluster, name, belief)
    return {**{m: 100 * found[m] / base[m] for m in METRICS}, "seconds": seconds}


def _metrics(
    workload: Workload, cluster: Cluster, name: str, belief: str
) -> tuple[dict[str, float], float]:
    with job_bar(f"{workload.name}, {belief}, {name}", len(workload)) as bar:
        run = simulate(workload, cluster, policy(name), estimate(belief), progress=bar)
    return summarize(run.workload, run.cluster, run.schedule, METRICS), run.seconds


def lines_of(store: Measurements) -> list[Line]:
    """What the store holds, a line for each log, metric and estimate."""
    lines = []
    for (log, metric), published in PUBLISHED.items():
        for belief, best in zip(ESTIMATES, published, strict=True):
            values: dict[int, list[float]] = {}
            for budget, seeds in SEEDS.items():
                keys = (_key(log, metric, belief, budget, seed) for seed in range(seeds))
                cells = [store.found[key] for key in keys if key in store.found]
                if cells:
                    values[budget] = [cell[metric] for cell in cells]
            if values:
                lines.append(Line(log, metric, belief, best, values))
    return lines


def budget_table(store: Measurements) -> list[str]:
    budgets = list(SEEDS)
    rows = [
        "| log | metric | estimate | published best | no search | "
        + " | ".join(f"{budget:,}" for budget in budgets[1:])
        + " |",
        "|---" * (4 + len(budgets)) + "|",
    ]
    lines = lines_of(store)
    for line in lines:
        shown = [_shown(line.values.get(budget, []), line.published) for budget in budgets]
        rows.append(
            f"| {line.log} | {line.metric} | {line.estimate} | {line.published:g} | "
            + " | ".join(shown)
            + " |"
        )
    seeds = {b: max(len(line.values.get(b, [])) for line in lines) for b in budgets[1:]}
    told = ", ".join(
        f"{count} at {budget:,} evaluations" for budget, count in seeds.items() if count
    )
    return [*rows, "", f"Seeds: {told}."]


def _shown(values: list[float], published: float) -> str:
    """The mean over seeds and the extremes; bold if the mean is at most the published best."""
    if not values:
        return ""
    mean = sum(values) / len(values)
    text = f"{mean:.1f}"
    if round(mean, 1) <= published:
        text = f"**{text}**"
    return text if len(values) == 1 else f"{text} ({min(values):.1f} to {max(values):.1f})"
