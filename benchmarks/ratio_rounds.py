"""P2SF in single rounds: the order search against CP-SAT, and both against bounds.

``python -m benchmarks.ratio_rounds --traces FOLDER`` solves hard rounds of two logs (some can start, not all,
10 to 100 wait; exact run times) for P2SF as it is, a ratio, with two limits in CP-SAT's own measure of work.
What is in the store, beside this file, is not done again. The table is put into docs/optimising-dispatch.md.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.dispatchers_store import Store
from benchmarks.optimise_sample import hard_rounds, view_of
from packwise.files.output import atomic_output
from packwise.model.workload import Ints
from packwise.optimise.bounds import bound_of_metric
from packwise.optimise.cp import solve_round
from packwise.optimise.cp.solve import NEAR
from packwise.optimise.metrics_of_plan import metric_of_plan
from packwise.optimise.objectives import objective
from packwise.optimise.policy import SearchPolicy
from packwise.optimise.round import Round
from scripts.page import filled, table

STORE = Path(__file__).with_name("ratio_rounds.jsonl")
LOGS = ("KTH-SP2", "SDSC-SP2")
#: CP-SAT's measure of work, and in how many of the rounds of each log it has so much.
LIMITS = {0.1: 40, 1.0: 16}
BUDGETS = (100, 10000)
#: Rounds are told apart by how many wait.
SIZES = ((10, 19), (20, 39), (40, 100))


def searched(round: Round, budget: int) -> tuple[Ints, float]:
    """The plan of the order search, which minimises the ratio's numerator, and what it took."""
    search = SearchPolicy(objective=objective("P2SF", local="metric"), budget=budget, window=100)
    view = view_of(round)
    begin = time.process_time()
    decision = search.decide(view)
    seconds = time.process_time() - begin
    start = [decision.planned.get(job, round.now) for job in range(len(round))]
    return np.array(start, np.int64), seconds


def measured(round: Round, limit: float) -> dict[str, Any]:
    """The ratio of each way to plan a round, and the best bound."""
    value = partial(metric_of_plan, "P2SF", round)
    found: dict[str, Any] = {"jobs": len(round), "fluid": bound_of_metric("P2SF", round)}
    found["lists"] = min(value(round.insert(order)) for order in round.list_orders().values())
    start = round.insert(round.order_by())
    for budget in BUDGETS:
        start, seconds = searched(round, budget)
        found[f"search {budget}"] = value(start)
        found[f"search {budget} seconds"] = seconds
    begin = time.process_time()
    solution = solve_round(round, "P2SF", hints=[start], deterministic=limit)
    found["cp seconds"] = time.process_time() - begin
    found["cp"], found["bound"] = solution.objective, solution.bound
    return found


def gather(traces: Path, store: Store, folder: Path) -> None:
    for log in LOGS:
        rounds = hard_rounds(traces, log, folder)
        searched(rounds[0], 1)  # loads what is compiled
        for limit, count in LIMITS.items():
            for number, round in enumerate(rounds[:count]):
                store.add(f"{log} | {limit:g} | {number}", partial(measured, round, limit))


def ratio_table(store: Store) -> str:
    """A line for each log, limit and size of the queue."""
    body = []
    for log in LOGS:
        for limit in LIMITS:
            all_rounds = [
                v for k, v in store.known.items() if k.startswith(f"{log} | {limit:g} | ")
            ]
            for least, most in SIZES:
                some = [one for one in all_rounds if least <= one["jobs"] <= most]
                if some:
                    body.append([log, f"{least} to {most}", f"{limit:g}", *_cells(some)])
    head = ("log", "jobs", "limit", "rounds", "proven", "within 1 % of the bound", "gap, median")
    head = (*head, "most", "search 10,000 above CP-SAT", "search 100", "best list")
    return table((*head, "CP-SAT, s of processor", "search 100, ms"), body)


def _cells(some: list[dict[str, Any]]) -> list[str]:
    def column(name: str) -> Any:
        return np.array([one[name] for one in some])

    cp = column("cp")
    gap = 1 - column("bound") / cp
    above = [
        100 * float(np.mean(column(name) / cp - 1))
        for name in ("search 10000", "search 100", "lists")
    ]
    return [
        str(len(some)),
        str(int((gap <= NEAR).sum())),
        str(int((gap <= 0.01).sum())),
        f"{100 * float(np.median(gap)):.2f} %",
        f"{100 * float(gap.max()):.1f} %",
        *(f"{value:.2f} %" for value in above),
        f"{float(np.mean(column('cp seconds'))):.1f}",
        f"{1000 * float(np.mean(column('search 100 seconds'))):.1f}",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=Path, required=True, help="folder with the logs")
    parser.add_argument("--store", type=Path, default=STORE, help="results so far (%(default)s)")
    options = parser.parse_args()
    store = Store(options.store)
    with tempfile.TemporaryDirectory() as folder:
        gather(options.traces, store, Path(folder))
    page = Path(__file__).resolve().parents[1] / "docs" / "optimising-dispatch.md"
    text = filled(page.read_text(encoding="utf-8"), {"ratio rounds": ratio_table(store)})
    with atomic_output(page) as file:
        file.write(text.encode())
    print(f"Wrote {page}.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
