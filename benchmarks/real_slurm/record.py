"""Run the cases on a real Slurm, all at the same time, and keep what its accounting says of them.

    python -m benchmarks.real_slurm.record            # half an hour; needs root and the packages: see machine

Writes ``runs/CASE.sacct.gz`` and ``runs/CASE.conf``.
"""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from benchmarks.real_slurm.cases import ACCOUNTS, CASES, Case
from benchmarks.real_slurm.machine import accounting, cluster, told

RUNS = Path(__file__).parent / "runs"
COLUMNS = (
    "JobID,User,Account,Partition,QOS,Submit,Eligible,Start,End,State,Timelimit,NNodes,NCPUS,ReqCPUS,ReqNodes,"
    "ReqMem,ReqTRES,AllocTRES,NodeList,Priority,Flags"
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--work", type=Path, default=Path("/tmp/packwise-slurm"))
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--case", action="append", choices=[case.name for case in CASES])
    given = parser.parse_args()
    chosen = [case for case in CASES if given.case is None or case.name in given.case]
    RUNS.mkdir(exist_ok=True)
    with ExitStack() as stack:
        socket = stack.enter_context(accounting(given.work))
        running = []
        for case in chosen:
            number = CASES.index(case)
            conf = stack.enter_context(
                cluster(given.work, socket, case.name, case.site, case.hosts, 16820 + number)
            )
            for account in sorted(set(ACCOUNTS.values())):
                told("sacctmgr", "-i", "add", "account", account, f"cluster={case.name}", conf=conf)
            for user, account in ACCOUNTS.items():
                add = ("sacctmgr", "-i", "add", "user", user, f"account={account}")
                told(*add, f"cluster={case.name}", conf=conf)
            rng = np.random.default_rng((given.seed, number))
            thread = threading.Thread(target=_run, args=(case, conf, rng), daemon=True)
            running.append(thread)
        time.sleep(5)
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()


def _run(case: Case, conf: Path, rng: np.random.Generator) -> None:
    """Submit the jobs, wait until all have ended, and save what is known of them."""
    environment = {**os.environ, "SLURM_CONF": str(conf)}
    begin = time.monotonic()
    jobs = case.jobs(rng)
    for job in jobs:
        time.sleep(max(begin + job.submit - time.monotonic(), 0))
        subprocess.run(
            [
                *(
                    "sbatch",
                    f"--uid={job.user}",
                    f"--account={ACCOUNTS[job.user]}",
                    "-t",
                    str(job.minutes),
                ),
                *("-D", "/", "-o", "/dev/null", *job.options, f"--wrap=exec sleep {job.runtime}"),
            ],
            env=environment,
            check=True,
            capture_output=True,
        )
    print(f"{case.name}: {len(jobs)} jobs submitted", flush=True)
    while waiting := told("squeue", "-h", "-o", "%T", conf=conf).split():
        time.sleep(10)
        print(f"{case.name}: {len(waiting)} left", file=sys.stderr, flush=True)
    time.sleep(8)
    dump = told(
        "sacct", "-M", case.name, "-a", "-X", "-P", "-S", "now-1day", "-o", COLUMNS, conf=conf
    )
    with gzip.GzipFile(RUNS / f"{case.name}.sacct.gz", "wb", mtime=0) as file:
        file.write(dump.encode())
    (RUNS / f"{case.name}.conf").write_text(f"ClusterName={case.name}\n{case.site}")
    print(f"{case.name}: saved", flush=True)


if __name__ == "__main__":
    main()
