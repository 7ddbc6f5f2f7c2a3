"""What a round costs with many jobs waiting: reading, planning, sending, and the controller's own time.

    python -m benchmarks.real_slurm.load --waiting 1000,10000

64 nodes on one machine; all are taken, and jobs wait. Each mode goes round five times; of the first, in which
every site factor changes, and of the quickest of the others the times are kept. Writes ``load.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.real_slurm.small import QUICK, SmallSlurm
from packwise import registry
from packwise.adapters.slurm.journal import Journal
from packwise.adapters.slurm.live import Live
from packwise.adapters.slurm.modes import Advise, Mode, Steer
from packwise.adapters.slurm.reader import SlurmReader
from packwise.adapters.slurm.writer import SlurmWriter

RESULTS = Path(__file__).parent / "load.json"
NODES = 64


def controller_seconds(pid: int) -> float:
    """Processor time that slurmctld has used."""
    cells = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(cells[11]) + int(cells[12])) / os.sysconf("SC_CLK_TCK")


def fill(slurm: SmallSlurm, count: int, rng: np.random.Generator) -> None:
    """So many jobs that wait, each a job of its own."""
    for _ in range(count):
        slurm.submit(
            "-N", str(rng.integers(1, 17)), "--exclusive", minutes=int(rng.integers(1, 600))
        )


def measure(
    slurm: SmallSlurm, name: str, make: Callable[[SlurmReader], Mode], folder: Path
) -> dict[str, Any]:
    """Five times round."""
    reader = SlurmReader()
    mode = make(reader)
    live = Live(reader, SlurmWriter(), registry.policy("packwise"), mode, Journal(folder), folder)
    rounds = []
    for _ in range(5):
        idle_begin = controller_seconds(slurm.controller.pid)
        time.sleep(2)
        idle = (controller_seconds(slurm.controller.pid) - idle_begin) / 2
        before, begin = controller_seconds(slurm.controller.pid), time.perf_counter()
        cycle = live.cycle()
        whole = time.perf_counter() - begin
        used = controller_seconds(slurm.controller.pid) - before
        rounds.append(
            {
                "whole": whole, "read": cycle.read, "plan": cycle.plan, "send": cycle.send,
                "lines": sum(len(sent.command.stdin.splitlines()) for sent in cycle.sent),
                "controller": used, "controller idle a second": idle,
                "waiting": len(cycle.planned.shown.view.queue), "pause": live._pause(whole),
            }
        )  # fmt: skip
        print(name, {key: round(value, 3) for key, value in rounds[-1].items()}, flush=True)
    live.give_back()
    return {
        "mode": name,
        "first": rounds[0],
        "later": min(rounds[1:], key=lambda one: one["whole"]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--waiting", default="1000,10000")
    given = parser.parse_args()
    site = QUICK + "MaxJobCount=50000\n"
    found = []
    with TemporaryDirectory(prefix="packwise-load-") as work:
        os.chmod(work, 0o755)
        slurm = SmallSlurm(Path(work) / "slurm", NODES, 4, site)
        os.environ["SLURM_CONF"] = str(slurm.conf)
        try:
            slurm.submit("-N", str(NODES), "--exclusive", seconds=100000, minutes=10000)
            slurm.wait("its start", lambda: not slurm.all_idle())
            rng = np.random.default_rng(21)
            there = 0
            warm = Path(work) / "warm"
            measure(slurm, "warm-up", lambda reader: Advise(), warm)
            for count in map(int, given.waiting.split(",")):
                fill(slurm, count - there, rng)
                there = count
                time.sleep(5)
                modes: dict[str, Callable[[SlurmReader], Mode]] = {
                    "advise": lambda reader: Advise(),
                    "steer": lambda reader: Steer(reader, band=100_000),
                }
                for name, make in modes.items():
                    folder = Path(work) / f"{name}-{count}"
                    found.append({"count": count, **measure(slurm, name, make, folder)})
        finally:
            slurm.end()
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
