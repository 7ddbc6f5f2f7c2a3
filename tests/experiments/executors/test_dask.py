"""Studies on a Dask cluster: on this machine, at an address, and by way of a batch system.

Tests talk to loopback only; the batch system is three shell scripts.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from packwise.experiments.executors import dask_executor
from packwise.experiments.executors.dask_executor import DaskExecutor
from packwise.experiments.work import Done, Failed, perform
from packwise.model.errors import InputError, PackwiseError, UnknownName
from tests.experiments.tasks import (
    DIE,
    PATIENCE,
    ROOT,
    alive,
    held_up,
    kill_one,
    log,
    pids,
    plain,
    start_study,
    task,
    wait_until,
)

pytest.importorskip("dask_jobqueue")


@pytest.fixture
def scheduler(tmp_path):
    """A scheduler of somebody else, in a process of its own; and what starts a worker for it."""
    file = tmp_path / "scheduler.json"
    common = {"stderr": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    loopback = ["--host", "127.0.0.1", "--no-dashboard"]
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", *loopback]
    command += ["--port", "0", "--scheduler-file", str(file)]
    started = [subprocess.Popen(command, **common, env=environment)]
    wait_until(lambda: file.exists() and '"address"' in file.read_text(), "the scheduler runs")

    def worker():
        command = [sys.executable, "-m", "distributed.cli.dask_worker", *loopback]
        command += ["--scheduler-file", str(file), "--no-nanny", "--nthreads", "1"]
        started.append(subprocess.Popen(command, **common, env=environment))

    yield file, started[0], worker
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.dask
@pytest.mark.smoke
def test_same_results_on_this_machine(tmp_path):
    tasks = [task(policy) for policy in ("list-reg", "cbf", "eassy")]
    tasks += [task(source=""), task(trace=log(tmp_path / "log.swf"))]
    with DaskExecutor("local", {}, 2, timeout=PATIENCE) as cluster:
        found = {result.key: plain(result) for result in cluster.run(iter(tasks))}
        assert cluster.workers == 2
    assert found == {one.scenario.key: plain(perform(one)) for one in tasks}


@pytest.mark.dask
@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs Linux")
def test_a_local_cluster_can_be_reached_from_this_machine_only():
    """Scheduler, workers, nannies, and whatever else any of their processes opens."""
    with DaskExecutor("local", {}, 2, timeout=PATIENCE) as cluster:
        assert [type(one) for one in cluster.run(iter([task()]))] == [Done]
        found = listening(family(os.getpid()))
    assert len(found) >= 5
    assert {address for address, _ in found} == {"127.0.0.1"}


def family(pid):
    """A process and all that come from it."""
    children = [
        int(child)
        for file in Path(f"/proc/{pid}/task").glob("*/children")
        for child in file.read_text().split()
    ]
    return [pid, *(one for child in children for one in family(child))]


def listening(processes):
    """(address, port) of the sockets at which any of these processes listens, or takes datagrams."""
    ours = set()
    for entry in (one for pid in processes for one in Path(f"/proc/{pid}/fd").iterdir()):
        with contextlib.suppress(OSError):  # descriptors come and go
            link = os.readlink(entry)
            if link.startswith("socket:["):
                ours.add(link[8:-1])
    found = []
    for protocol in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/net/{protocol}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[9] in ours and (protocol.startswith("udp") or fields[3] == "0A"):
                address, port = fields[1].split(":")
                packed = b"".join(
                    bytes.fromhex(address[i : i + 8])[::-1] for i in range(0, len(address), 8)
                )
                found.append((str(ipaddress.ip_address(packed)), int(port, 16)))
    return found


@pytest.mark.dask
def test_a_killed_worker_is_replaced(tmp_path):
    tasks = [task(seed=seed, source=held_up(tmp_path)) for seed in range(5)]
    killer = kill_one(tmp_path)
    with DaskExecutor("local", {}, 2, timeout=PATIENCE) as cluster:
        results = list(cluster.run(iter(tasks)))
    killer.join()
    assert {type(result) for result in results} == {Done}
    assert {result.key for result in results} == {one.scenario.key for one in tasks}


@pytest.mark.dask
def test_a_policy_that_kills_its_process_fails_alone():
    bad = task(source=DIE)
    tasks = [task(), bad, *(task(seed=seed) for seed in range(2, 6))]
    with DaskExecutor("local", {}, 2, timeout=PATIENCE) as cluster:
        results = list(cluster.run(iter(tasks)))
    failures = [result for result in results if isinstance(result, Failed)]
    assert len(results) == len(tasks)
    assert [failure.key for failure in failures] == [bad.scenario.key]
    assert failures[0].record["error"] == "WorkerDied"


@pytest.mark.dask
def test_ctrl_c_ends_everything_without_a_word(tmp_path):
    study = start_study("DaskExecutor('local', {}, 2)", tmp_path)
    os.killpg(study.pid, signal.SIGINT)
    out, err = study.communicate(timeout=PATIENCE)
    assert (out, err, study.returncode) == ("interrupted\n", "", 0)
    assert not any(map(alive, pids(tmp_path)))


@pytest.mark.dask
def test_a_scheduler_of_somebody_else(scheduler, tmp_path, monkeypatch):
    """By file and by address; workers come late, do not see the trace, and stay when we leave."""
    monkeypatch.setitem(dask_executor._PATIENCE, "address", 0.0)
    file, process, worker = scheduler
    trace = log(tmp_path / "log.swf")
    tasks = [task(trace=trace), task("cbf", trace=trace)]
    expected = [plain(perform(one)) for one in tasks]
    notices = []

    def notice(line):
        notices.append(line)
        worker()

    def vanishing():
        yield tasks[0]
        trace.unlink()
        yield tasks[1]

    with DaskExecutor(str(file), notice=notice, timeout=PATIENCE) as cluster:
        results = sorted(cluster.run(vanishing()), key=lambda one: one.key)
    assert [plain(one) for one in results] == sorted(expected, key=lambda one: one[1])
    address = json.loads(file.read_text())["address"]
    assert notices == [f"no Dask worker at {address} yet: waiting for workers"]
    with DaskExecutor(address, {}, 1, timeout=PATIENCE) as cluster:
        assert [type(one) for one in cluster.run(iter([task()]))] == [Done]
        (gone,) = cluster.run(iter([tasks[0]]))
        assert "no such file" in gone.record["message"]
    assert process.poll() is None


@pytest.mark.dask
def test_a_lost_scheduler(scheduler, tmp_path):
    file, process, worker = scheduler
    worker()
    with DaskExecutor(str(file), timeout=PATIENCE) as cluster:
        results = cluster.run(iter([task(), task(source=held_up(tmp_path))]))
        assert isinstance(next(results), Done)
        process.kill()
        with pytest.raises(
            PackwiseError, match=r"connection to the Dask scheduler at tcp://127.* was lost"
        ):
            list(results)


@pytest.mark.dask
def test_workers_without_our_code(scheduler, tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text("def answer(task, content=None): ...\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import only_here

    monkeypatch.setattr(dask_executor, "answer", only_here.answer)
    file, _, worker = scheduler
    worker()
    with (
        DaskExecutor(str(file), timeout=PATIENCE) as cluster,
        pytest.raises(InputError, match=r"could not be started there .*same Packwise"),
    ):
        list(cluster.run(iter([task(), task(seed=2)])))


@pytest.mark.parametrize(
    ("where", "error", "said"),
    [
        ("slrum", UnknownName, "Did you mean slurm"),
        ("everywhere", UnknownName, "Known: local, slurm, pbs. Or give the address"),
        ("tcp://host", InputError, "such as tcp://host:8786, found 'tcp://host'"),
        ("tcp://host:port", InputError, "expected the address"),
        ("http://host:80", InputError, "expected the address"),
        ("tcp://:8786", InputError, "expected the address"),
        ("nowhere.json", InputError, "cannot be read"),
        (str(ROOT / "pyproject.toml"), InputError, "JSON with an address"),
    ],
)
def test_bad_words(where, error, said):
    with pytest.raises(error, match=said):
        DaskExecutor(where)


def test_bad_numbers():
    with pytest.raises(InputError, match="found 0"):
        DaskExecutor("local", {}, 0)
    with pytest.raises(InputError, match="from 1, found 'two'"):
        DaskExecutor("slurm", {"jobs": "two"})
    assert DaskExecutor("slurm", {"jobs": 3, "cores": 4}).workers == 12
    five = DaskExecutor("TCP://Host:1/", {}, 5)
    assert (str(five.place), five.workers) == ("tcp://Host:1", 5)


def test_nobody_at_the_address():
    with (
        pytest.raises(
            InputError, match=r"tcp://127.0.0.1:9: no Dask scheduler answered within 1 s"
        ),
        DaskExecutor("127.0.0.1:9", timeout=1.0),
    ):
        pass


def test_a_missing_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask_jobqueue", None)
    with pytest.raises(InputError, match=r"pip install 'packwise\[dask\]'"), DaskExecutor("slurm"):
        pass


SLURM = {
    "sbatch": """
        cp "$1" "$BATCH/job.sh"
        setsid bash "$BATCH/job.sh" > "$BATCH/job.log" 2>&1 < /dev/null &
        echo $! > "$BATCH/job.pid"
        echo "Submitted batch job 4711"
    """,
    "scancel": 'echo "$@" >> "$BATCH/cancelled"; kill -- -$(cat "$BATCH/job.pid")',
    "squeue": "true",
}


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """Commands of Slurm that run the job here, in the background."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def command(name, text):
        (folder / name).write_text(f"#!/bin/bash\n{text}\n")
        (folder / name).chmod(stat.S_IRWXU)

    for name, text in SLURM.items():
        command(name, text)
    monkeypatch.setenv("BATCH", str(tmp_path))
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return command


JOB = {"cores": 2, "memory": "2GB", "queue": "debug", "walltime": "01:00:00", "interface": "lo"}


@pytest.mark.dask
def test_slurm(slurm, tmp_path):
    tasks = [task(trace=log(tmp_path / "log.swf")), *(task(seed=seed) for seed in range(3))]
    with DaskExecutor("slurm", {**JOB, "jobs": 1}, timeout=PATIENCE) as cluster:
        assert cluster.workers == 2
        results = list(cluster.run(iter(tasks)))
    assert {type(result) for result in results} == {Done}
    assert len(results) == len(tasks)
    script = (tmp_path / "job.sh").read_text()
    for line in ("#SBATCH -p debug", "#SBATCH --cpus-per-task=2", "#SBATCH -t 01:00:00"):
        assert line in script
    assert "--nthreads 1" in script
    assert "--nworkers 2" in script
    assert "--no-dashboard" in script
    assert (tmp_path / "cancelled").read_text().split() == ["4711"]
    job = int((tmp_path / "job.pid").read_text())
    wait_until(lambda: not alive(job), "the job has ended")


def test_slurm_refuses(slurm):
    slurm("sbatch", 'echo "sbatch: error: invalid partition specified: debug" >&2; exit 1')
    with (
        pytest.raises(InputError, match=r"invalid partition specified: debug\)\. \[dask\]"),
        DaskExecutor("slurm", JOB),
    ):
        pass


def test_pbs_refuses(slurm, tmp_path):
    slurm("qdel", "true")
    slurm("qsub", 'cp "$1" "$BATCH/job.sh"; echo "qsub: Unknown queue" >&2; exit 1')
    with pytest.raises(InputError, match="qsub: Unknown queue"), DaskExecutor("pbs", JOB):
        pass
    script = (tmp_path / "job.sh").read_text()
    assert "#PBS -q debug" in script
    assert "#PBS -l select=1:ncpus=2" in script


def test_slurm_is_told_too_little(slurm):
    with pytest.raises(InputError, match=r"cores and memory.*cores = 8"), DaskExecutor("slurm", {}):
        pass
    with (
        pytest.raises(InputError, match=r"unexpected keyword argument 'colour'"),
        DaskExecutor("slurm", {**JOB, "colour": "red"}),
    ):
        pass


def test_tls_without_what_it_needs(slurm, monkeypatch):
    """security = true makes certificates of its own, which needs another package."""
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with (
        pytest.raises(InputError, match=r"could not be submitted \(.*cryptography"),
        DaskExecutor("slurm", {**JOB, "security": True}),
    ):
        pass


def test_no_batch_system_here(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    for kind, command in (("slurm", "sbatch"), ("pbs", "qsub")):
        with (
            pytest.raises(InputError, match=f"needs the command '{command}'"),
            DaskExecutor(kind, JOB),
        ):
            pass
