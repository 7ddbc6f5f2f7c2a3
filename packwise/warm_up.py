"""Every compiled part of Packwise, called once: compiled now, or read from numba's cache on disk.

Whoever starts several processes calls this first, so that they find the cache filled instead of all
compiling the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

#: Two jobs that meet in a queue: enough to go through every compiled function once.
_LOG = "; MaxProcs: 2\n" + "\n".join(
    f"{job} {submit} 0 {runtime} 2 -1 -1 2 {runtime} -1 1 1 1 1 1 -1 -1 -1"
    for job, submit, runtime in ((1, 0, 9), (2, 1, 5))
)


@cache
def warm_up() -> None:
    """Compile the engine now. With a filled cache it takes half a second, and nothing a second time."""
    with TemporaryDirectory() as folder:
        for _, part in parts(Path(folder)):
            part()


def parts(folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Every compiled entry point of the engine, as something that calls it. ``folder`` is for a small log."""
    from packwise.metrics.catalogue import summarize
    from packwise.policies import ConservativePolicy, DeadlinePolicy, ListPolicy
    from packwise.simulation import simulate
    from packwise.workloads.cleaning import load_workload

    log = folder / "two.swf"
    log.write_text(_LOG + "\n")
    yield "Reader of workload logs", lambda: load_workload(log)
    workload, cluster, _, _ = load_workload(log)
    yield "List scheduling", lambda: simulate(workload, cluster, ListPolicy())
    promises, deadlines = ConservativePolicy(), DeadlinePolicy()
    yield "Conservative backfilling", lambda: simulate(workload, cluster, promises)
    yield "Deadline-based backfilling", lambda: simulate(workload, cluster, deadlines)
    for policy in (ListPolicy(), promises, deadlines):
        label = f"Round by round: {policy.name}"
        yield label, lambda policy=policy: simulate(workload, cluster, policy, stepped=True)  # type: ignore[misc]
    run = simulate(workload, cluster, ListPolicy())
    yield (
        "Fair start times",
        lambda: summarize(workload, cluster, run.schedule, ["FST_misses"]),
    )


def optimisers(folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """The compiled parts of the optimising policies, likewise, compiled when first used."""
    from packwise.optimise.bounds import bound_of_metric
    from packwise.optimise.offline import Budget, Log, solve
    from packwise.optimise.policy import SearchPolicy
    from packwise.optimise.round import Round
    from packwise.simulation import simulate
    from packwise.workloads.cleaning import load_workload

    log = folder / "two.swf"
    log.write_text(_LOG + "\n")
    workload, cluster, _, _ = load_workload(log)
    policy = SearchPolicy()
    yield "Order search", lambda: simulate(workload, cluster, policy)
    yield "Order search, round by round", lambda: simulate(workload, cluster, policy, stepped=True)
    nothing = np.zeros(1, np.int64)
    one = np.ones(1, np.int64)
    round = Round(0, 2, nothing, nothing, one, one, nothing, 2 * one)
    yield "Bounds", lambda: bound_of_metric("AF", round)
    small = Log(workload.submit, workload.demand, workload.runtime, cluster.procs, "AF")
    yield "Off-line search", lambda: solve(small, Budget(evaluations=10))


def predictors(folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """The compiled halves of the predictors, likewise. Each is compiled when it is first used."""
    from packwise.predict.catalogue import COMPILED, predictor
    from packwise.predict.correctors import Corrector
    from packwise.predict.kernels.trees import forest
    from packwise.predict.predictor import expectation
    from packwise.workloads.cleaning import load_workload

    log = folder / "two.swf"
    log.write_text(_LOG + "\n")
    workload = load_workload(log).workload
    for name in COMPILED:
        yield f"Estimates: {name}", lambda name=name: expectation(predictor(name), workload)  # type: ignore[misc]
    yield "Corrections", lambda: Corrector("conditional").kernel(workload)
    leaf = {"tree_structure": {"leaf_value": 0.0}}
    yield "Trees of gbm", lambda: forest([leaf]).value(np.zeros(1))
