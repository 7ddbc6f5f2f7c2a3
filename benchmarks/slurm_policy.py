"""How far the policy ``slurm`` is from runs of a real Slurm.

    python -m benchmarks.slurm_policy [--traces DIR]

The runs are those of ``benchmarks/real_slurm`` (made by ``python -m benchmarks.real_slurm.record``) and, with
--traces, the one of the Slurm simulator's authors. Each is replayed with its own settings and, beside that,
under ``easy``. Writes docs/benchmarks-slurm.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

import packwise
from benchmarks.real_slurm import micro
from benchmarks.real_slurm.cases import CASES
from packwise.clusters.finding import find_cluster
from packwise.model.cluster import Cluster
from packwise.model.recorded import recorded_starts
from packwise.model.slurm_settings import SlurmSettings
from packwise.model.workload import Floats, Ints, Workload

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks-slurm.md"
RUNS = Path(__file__).parent / "real_slurm" / "runs"
PLACEMENT = "first-fit"
#: When the real passes' clocks beat is not recorded: seconds that they may be ahead of the log.
PHASES = range(0, 60, 6)


class Recorded(NamedTuple):
    """A run of a real Slurm."""

    name: str
    meaning: str
    workload: Workload
    cluster: Cluster

    @property
    def starts(self) -> Ints:
        return recorded_starts(self.workload)


def recorded_run(name: str, meaning: str = "") -> Recorded:
    """One of the runs that were made with ``benchmarks.real_slurm.record``."""
    cluster = find_cluster(str(RUNS / f"{name}.conf"))
    workload = packwise.read(RUNS / f"{name}.sacct.gz", cluster=cluster).workload
    if not cluster.whole_nodes().all():
        workload = _with_tasks_anywhere(workload)
    return Recorded(name, meaning, workload, cluster)


def _with_tasks_anywhere(workload: Workload) -> Workload:
    """Jobs that asked for tasks (-n), which can be anywhere: accounting only tells where they were."""
    assert workload.units is not None
    amounts = {name: column * workload.units for name, column in workload.per_unit.items()}
    per_unit = {name: -(-column // workload.demand) for name, column in amounts.items()}
    return workload.replace(units=workload.demand, per_unit=per_unit)


def micro_run(traces: Path) -> Recorded:
    """The run of the Slurm simulator's authors."""
    with TemporaryDirectory() as folder:
        conf = Path(folder) / "slurm.conf"
        conf.write_text(micro.CONF)
        cluster = find_cluster(str(conf))
    workload = packwise.read(traces / micro.DUMP, cluster=cluster).workload
    meaning = "cores and memory, features and GPUs of 10 nodes; classic fair share, size, age"
    return Recorded("micro", meaning, micro.with_requests(workload, traces), cluster)


def inverted(one: Ints, other: Ints) -> float:
    """The share of pairs of jobs that start in the opposite order."""
    first = np.sign(one[:, None] - one[None, :])
    second = np.sign(other[:, None] - other[None, :])
    pairs = len(one) * (len(one) - 1)
    return float((first * second < 0).sum() / pairs)


def waits(run: Recorded, policy: str) -> tuple[Ints, Floats]:
    """Starts and waits under a policy."""
    found = packwise.simulate(run.workload, run.cluster, policy, placement=PLACEMENT)
    return found.schedule.start, (found.schedule.start - run.workload.submit).astype(float)


def drift(run: Recorded) -> Ints:
    """By how much jobs really started later than when they start in the same order, each as soon as it fits:
    delays of one start are those of all after it on a full machine.
    """
    pool = Cluster.pool(run.cluster.procs)
    found = packwise.simulate(run.workload, pool, "recorded-order")
    late: Ints = run.starts - found.schedule.start
    return late


def delays(run: Recorded) -> Ints:
    """How long each start was put off though the job before it in the order had started, and there were
    processors enough: given what really ran, and not what should have.
    """
    w, starts = run.workload, run.starts
    ends = starts + w.runtime
    order = np.lexsort((np.arange(len(w)), starts))
    found = np.zeros(len(w), np.int64)
    before = 0
    for job in order.tolist():
        start = int(starts[job])
        others = np.arange(len(w)) != job
        ready = max(before, int(w.submit[job]))
        moments = np.unique(np.concatenate([[ready, start], starts, ends]))
        for moment in moments[(moments >= ready) & (moments < start)].tolist():
            here = others & (starts <= moment) & (ends > moment)
            if w.demand[here].sum() + w.demand[job] > run.cluster.procs:
                ready = int(moments[moments > moment][0])
        found[job] = start - ready
        before = start
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--traces", type=Path, help="where slurm-micro.* are")
    given = parser.parse_args()
    runs = [
        recorded_run(case.name, case.meaning)
        for case in CASES
        if (RUNS / f"{case.name}.sacct.gz").exists()
    ]
    if given.traces is not None:
        runs.append(micro_run(given.traces))
    rows, order = [], []
    for run in runs:
        real = (run.starts - run.workload.submit).astype(float)
        found = [waits(run, f"slurm(phase={phase})") for phase in PHASES]
        changes = [100 * (replayed.mean() / real.mean() - 1) for _, replayed in found]
        apart = np.median([np.median(np.abs(start - run.starts)) for start, _ in found])
        wrong = 100 * np.mean([inverted(start, run.starts) for start, _ in found])
        easy_start, easy = waits(run, "easy")
        rows.append(
            f"| {run.name} | {len(real):,} | {real.mean():,.0f} s | "
            f"{np.mean([replayed.mean() for _, replayed in found]):,.0f} s | **{np.mean(changes):+.1f} %** | "
            f"{min(changes):+.1f} to {max(changes):+.1f} % | {apart:,.0f} s | {wrong:.1f} % | "
            f"{100 * (easy.mean() / real.mean() - 1):+.0f} % | {100 * inverted(easy_start, run.starts):.1f} % |"
        )
        late = delays(run)
        interval = SlurmSettings(run.cluster.scheduler).number("bf_interval")
        adrift = drift(run)
        order.append(
            f"| {run.name} | {np.median(late):.0f} s | {np.percentile(late, 95):.0f} s | {late.max():,} s | "
            f"{interval} s | {100 * (late <= interval + 3).mean():.1f} % | {np.median(adrift):.0f} s |"
        )
        print(rows[-1], order[-1], sep="\n")
    PAGE.write_text(_page(runs, rows, order))


def _page(runs: list[Recorded], rows: list[str], order: list[str]) -> str:
    text = (Path(__file__).parent / "real_slurm" / "page.md").read_text()
    cases = "\n".join(f"| {run.name} | {run.meaning} |" for run in runs)
    return (
        text.replace("{cases}", cases)
        .replace("{rows}", "\n".join(rows))
        .replace("{order}", "\n".join(order))
    )


if __name__ == "__main__":
    main()
