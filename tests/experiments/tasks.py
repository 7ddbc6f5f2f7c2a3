"""Tasks for the executors, and policies that do things to the process they run in."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from packwise.experiments.provenance import code_digest
from packwise.experiments.scenario import (
    Choice,
    Generated,
    MachineSpec,
    Scenario,
    TraceFile,
    WorkloadSpec,
)
from packwise.experiments.work import Done, Failed, Task
from packwise.workloads.window import Window

ROOT = Path(__file__).resolve().parents[2]
#: A policy file that ends its process.
DIE = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
REQUESTED = Choice("requested", "requested")
#: A policy file; what comes before this line is done when a worker reads the file.
_MINE = "\nfrom packwise.policies import ListPolicy\nmine = ListPolicy(name='mine')\n"


def task(
    policy: str = "easy", seed: int = 1, *, source: str | None = None, trace: Path | None = None
) -> Task:
    """A small task. ``source`` is what a policy file does before it defines its policy."""
    if trace is None:
        jobs = WorkloadSpec("small", Generated(200, 16, seed, 1.2), Window())
    else:
        digest = sha256(trace.read_bytes()).hexdigest()
        jobs = WorkloadSpec("trace", TraceFile(str(trace), digest), Window())
    choice = Choice(policy, policy)
    if source is not None:
        choice = Choice("mine", "my.py:mine", source + _MINE)
    return Task(Scenario(jobs, MachineSpec(), choice, REQUESTED, seed), code=code_digest())


def log(path: Path, jobs: int = 50) -> Path:
    """A log in SWF, with a line that no other log has."""
    lines = [
        f"{i} {7 * i} 0 {20 + i % 13} {1 + i % 4} -1 -1 {1 + i % 4} 60 -1 1 1 1 1 1 -1 -1 -1"
        for i in range(1, jobs + 1)
    ]
    path.write_text("\n".join([f"; Note: {path}", "; MaxProcs: 8", *lines]) + "\n")
    return path


def held_up(folder: Path) -> str:
    """Policy source that says which process it is in, and goes on once there is a file 'go'."""
    return (
        "import os, pathlib, time\n"
        f"folder = pathlib.Path({str(folder)!r})\n"
        "(folder / f'{os.getpid()}.pid').touch()\n"
        "while not (folder / 'go').exists():\n"
        "    time.sleep(0.02)\n"
    )


def plain(result: Done | Failed) -> tuple[Any, ...]:
    """A result without what differs from run to run."""
    record = {k: v for k, v in result.record.items() if k not in ("seconds", "written")}
    record.pop("traceback", None)
    return (type(result).__name__, result.key, record, getattr(result, "schedule", None))


def pids(folder: Path) -> list[int]:
    return [int(path.stem) for path in folder.glob("*.pid")]


#: Seconds before something is taken to hang, however busy the machine is.
PATIENCE = 600.0


def wait_until(condition: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    give_up = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < give_up, f"waited {seconds} s until {what}"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def kill_one(folder: Path) -> threading.Thread:
    """Kill the first worker that is held up, then let the others go on."""

    def kill() -> None:
        wait_until(lambda: pids(folder), "a worker is held up")
        os.kill(pids(folder)[0], signal.SIGKILL)
        (folder / "go").touch()

    killer = threading.Thread(target=kill)
    killer.start()
    return killer


def start_study(executor: str, folder: Path) -> subprocess.Popen[str]:
    """A process, in a group of its own, with two workers of an executor that are held up."""
    script = folder / "study.py"
    script.write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "from pathlib import Path\n"
        "from packwise.experiments.executors.dask_executor import DaskExecutor\n"
        "from packwise.experiments.executors.processes import ProcessExecutor\n"
        "from tests.experiments.tasks import held_up, task\n"
        "if __name__ == '__main__':\n"
        f"    source = held_up(Path({str(folder)!r}))\n"
        "    tasks = (task(seed=seed, source=source) for seed in range(9))\n"
        "    try:\n"
        f"        with {executor} as executor:\n"
        "            print(list(executor.run(tasks)))\n"
        "    except KeyboardInterrupt:\n"
        "        print('interrupted')\n"
    )
    study = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        wait_until(lambda: len(pids(folder)) == 2 or study.poll() is not None, "two workers run")
    except BaseException:
        study.kill()
        raise
    assert study.poll() is None, study.communicate()
    return study
