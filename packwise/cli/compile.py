"""packwise compile: compile everything now, so that the first replay starts at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

#: Two jobs that meet in a queue: enough to go through every compiled function once.
_LOG = "; MaxProcs: 2\n" + "\n".join(
    f"{job} {submit} 0 {runtime} 2 -1 -1 2 {runtime} -1 1 1 1 1 1 -1 -1 -1"
    for job, submit, runtime in ((1, 0, 9), (2, 1, 5))
)


def compile() -> None:
    """Compile the engine now, so that the first replay starts at once.

    The compiled code is kept beside the package; a second call has nothing left to do.

    Example:
      $ packwise compile
    """
    from packwise.cli.compile_notice import announce_compilation
    from packwise.cli.terminal import stdout

    announce_compilation()
    console = stdout()
    begin = time.perf_counter()
    with TemporaryDirectory() as folder:
        for label, part in _parts(Path(folder)):
            since = time.perf_counter()
            part()
            console.print(f"{label:<36}{time.perf_counter() - since:6.1f} s", markup=False)
    console.print(f"Ready after {time.perf_counter() - begin:.1f} s", style="bold")


def _parts(folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Every compiled entry point, as something that calls it."""
    from packwise.metrics.catalogue import summarize
    from packwise.policies import ConservativePolicy, ListPolicy
    from packwise.simulation import simulate
    from packwise.workloads.cleaning import load_workload

    log = folder / "two.swf"
    log.write_text(_LOG + "\n")
    yield "Reader of workload logs", lambda: load_workload(log)
    workload, cluster, _, _ = load_workload(log)
    yield "List scheduling", lambda: simulate(workload, cluster, ListPolicy())
    promises = ConservativePolicy()
    yield "Conservative backfilling", lambda: simulate(workload, cluster, promises)
    for policy in (ListPolicy(), promises):
        label = f"Round by round: {policy.name}"
        yield label, lambda policy=policy: simulate(workload, cluster, policy, stepped=True)  # type: ignore[misc]
    run = simulate(workload, cluster, ListPolicy())
    yield (
        "Fair start times",
        lambda: summarize(workload, cluster, run.schedule, ["FST_misses"]),
    )
