"""When do jobs start on a real Slurm: our forecast beside its own (``squeue --start``), and both beside what
came.

    python -m benchmarks.real_slurm.forecasts                 # half an hour; needs root and the packages of
    small

Jobs of eight habits (a user, a program, its nodes and limit) come in bursts. The first part of them is history;
then, every few seconds, everybody who waits is asked for. Appends to ``forecasts.jsonl``.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from benchmarks.real_slurm.small import QUICK, SmallSlurm
from packwise.adapters.slurm.foresight import Foresight, read_past
from packwise.adapters.slurm.reader import SlurmReader
from packwise.adapters.slurm.seen import NAME, SeenJobs

RUNS = Path(__file__).parent / "forecasts.jsonl"
NODES = 16
USERS = ("daemon", "games", "man", "mail")


class Habit(NamedTuple):
    """What a user does over and over: a program, its nodes, its median run time and its limit."""

    user: str
    name: str
    nodes: int
    seconds: float
    minutes: int


class Asked(NamedTuple):
    """A forecast: when, of whom, for how long from then on by Slurm (-1: it had none) and by us."""

    at: int
    id: str
    first: bool
    slurm: int
    p10: int
    p50: int
    p90: int


def habits(rng: np.random.Generator) -> list[Habit]:
    """Eight of them; limits are from half as much again to eight times what is needed, as users ask."""
    found = []
    for k in range(8):
        seconds = float(rng.choice([8, 12, 20, 30, 45]))
        minutes = max(1, int(np.ceil(seconds * rng.choice([1.5, 3, 5, 8]) / 60)))
        found.append(
            Habit(
                USERS[k % 4], f"program{k}", int(rng.choice([1, 2, 3, 4, 6, 8])), seconds, minutes
            )
        )
    return found


def run(seed: int, count: int, warm: int, every: float) -> dict[str, object]:
    """Submit, ask, wait for the end, and measure."""
    rng = np.random.default_rng((22, seed))
    usual = habits(rng)
    which = rng.integers(0, len(usual), count)
    seconds = [
        int(np.clip(rng.lognormal(np.log(usual[k].seconds), 0.5), 1, 60 * usual[k].minutes - 3))
        for k in which
    ]
    length = sum(s * usual[k].nodes for s, k in zip(seconds, which, strict=True)) / NODES
    bursts = rng.uniform(0, 0.9 * length, max(count // 15, 1))
    at = np.sort(
        np.where(
            rng.random(count) < 0.7, rng.choice(bursts, count), rng.uniform(0, 0.9 * length, count)
        )
    )
    asked: list[Asked] = []
    with TemporaryDirectory(prefix="packwise-forecasts-") as work:
        os.chmod(work, 0o755)
        folder = Path(work) / "live"
        folder.mkdir()
        slurm = SmallSlurm(
            Path(work) / "slurm", NODES, 4, QUICK + "MaxJobCount=20000\nMinJobAge=100000\n"
        )
        os.environ["SLURM_CONF"] = str(slurm.conf)
        try:
            ids = _go(slurm, usual, which, seconds, at, warm, every, folder, asked)
            slurm.wait("the end", slurm.ended, 3600)
            jobs = slurm.jobs()
            starts = {id: jobs[id].start for id in ids}
        finally:
            slurm.end()
    return {"seed": seed, "jobs": count, **judge(asked, starts)}


def _go(
    slurm: SmallSlurm,
    usual: Sequence[Habit],
    which: Sequence[int],
    seconds: Sequence[int],
    at: np.ndarray,
    warm: int,
    every: float,
    folder: Path,
    asked: list[Asked],
) -> list[str]:
    reader, seen = SlurmReader(), SeenJobs(folder)
    sight: Foresight | None = None
    known: set[str] = set()
    ids: list[str] = []
    begin = time.monotonic()
    last = float("-inf")
    while len(ids) < len(at) or not slurm.ended():
        while len(ids) < len(at) and begin + at[len(ids)] <= time.monotonic():
            habit = usual[which[len(ids)]]
            options = (
                f"--uid={habit.user}",
                "-J",
                habit.name,
                "-N",
                str(habit.nodes),
                "--exclusive",
            )
            ids.append(slurm.submit(*options, seconds=seconds[len(ids)], minutes=habit.minutes))
        snapshot = reader.snapshot()
        seen.look(snapshot)
        if time.monotonic() - last >= every and len(ids) >= warm:
            last = time.monotonic()
            past = read_past(folder / NAME, snapshot.cluster)
            sight = (
                Foresight(past, "easy", 60, calibration=sight.calibration)
                if sight
                else Foresight(past, "easy", 60)
            )
            sight.settle(snapshot)
            waiting = {job.id: job for job in snapshot.jobs if job.for_room}
            if waiting:
                found = sight.look(snapshot)
                sight.remember(found, snapshot.now)
                for id, (p10, p50, p90) in found.every().items():
                    theirs = waiting[id].start
                    asked.append(
                        Asked(
                            snapshot.now, id, id not in known, theirs - snapshot.now if theirs > 0 else -1,
                            p10 - snapshot.now, p50 - snapshot.now, p90 - snapshot.now,
                        )
                    )  # fmt: skip
                known |= set(waiting)
        time.sleep(0.5)
    return ids


def judge(asked: Sequence[Asked], starts: dict[str, int]) -> dict[str, object]:
    """Errors and coverage, of all forecasts and of the first of each job, where Slurm has one, too."""
    found: dict[str, object] = {}
    for what, chosen in (("all", asked), ("first", [one for one in asked if one.first])):
        both = [one for one in chosen if one.slurm >= 0]
        came = np.array([starts[one.id] - one.at for one in both], float)
        ours, theirs = (
            np.array([getattr(one, name) for one in both], float) for name in ("p50", "slurm")
        )
        p10, p90 = (
            np.array([getattr(one, name) for one in both], float) for name in ("p10", "p90")
        )
        found[what] = {
            "forecasts": len(both),
            "without one of Slurm": len(chosen) - len(both),
            "mean wait": float(came.mean()),
            "error of ours": float(np.abs(ours - came).mean()),
            "error of Slurm": float(np.abs(np.maximum(theirs, 0) - came).mean()),
            "by P10": float((came <= p10).mean()),
            "by P50": float((came <= ours).mean()),
            "by P90": float((came <= p90).mean()),
            "started by Slurm's": float((came <= theirs).mean()),
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument(
        "--warm", type=int, default=100, help="jobs that are submitted before anybody is asked for"
    )
    parser.add_argument("--every", type=float, default=10.0)
    given = parser.parse_args()
    for seed in map(int, given.seeds.split(",")):
        found = run(seed, given.count, given.warm, given.every)
        print(json.dumps(found, indent=1), flush=True)
        with RUNS.open("a") as file:
            file.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
