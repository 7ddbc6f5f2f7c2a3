"""Worker processes: same results as in this process, and it outlives what happens to workers."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from packwise.experiments.executors.processes import ProcessExecutor
from packwise.experiments.executors.worker import ONE_THREAD
from packwise.experiments.work import Done, Failed, perform
from packwise.model.errors import InputError
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


@pytest.fixture(autouse=True)
def no_process_is_left():
    before = [os.environ.get(name) for name in ONE_THREAD]
    yield
    assert multiprocessing.active_children() == []
    assert [os.environ.get(name) for name in ONE_THREAD] == before


@pytest.mark.slow
def test_same_results_as_in_this_process(tmp_path):
    tasks = [task(policy) for policy in ("list-reg", "cbf", "eassy")]
    tasks += [task(source=""), task(trace=log(tmp_path / "log.swf"))]
    waiting, found = iter(tasks), {}
    with ProcessExecutor(2) as workers:
        for result in workers.run(waiting):
            found[result.key] = plain(result)
            assert waiting.__length_hint__() >= len(tasks) - len(found) - 3  # pulled when needed
    assert found == {one.scenario.key: plain(perform(one)) for one in tasks}
    assert [kind for kind, *_ in found.values()].count("Failed") == 1


@pytest.mark.slow
def test_workers_find_everything_compiled(tmp_path):
    """A policy file listens to numba in the one worker; it hears nothing of the tasks that follow."""
    heard = tmp_path / "heard"
    listen = (
        "from numba.core import event\n"
        "class Listener(event.Listener):\n"
        "    def on_start(self, happening):\n"
        "        name = happening.data['dispatcher'].py_func.__module__\n"
        "        if name.startswith('packwise.'):\n"
        f"            open({str(heard)!r}, 'a').write(name + '\\n')\n"
        "    def on_end(self, happening): pass\n"
        "event.register('numba:compile', Listener())\n"
    )
    function = (
        "from packwise.policies import ListPolicy\n"
        "class mine:\n"
        "    name = 'mine'\n"
        "    def decide(self, view): return ListPolicy().decide(view)\n"
    )
    stepped = task(seed=2)
    choice = replace(stepped.scenario.policy, name="my.py:mine", source=function)
    tasks = [task(source=listen), task("list-saf"), task("cbf")]
    tasks += [replace(stepped, scenario=replace(stepped.scenario, policy=choice))]
    tasks += [replace(task(trace=log(tmp_path / "log.swf")), metrics=("FST_misses",))]
    with ProcessExecutor(1) as workers:
        results = list(workers.run(iter(tasks)))
    assert [result.record.get("message") for result in results] == [None] * 5
    assert not heard.exists(), heard.read_text()


@pytest.mark.kills
@pytest.mark.smoke
def test_a_killed_worker_is_replaced(tmp_path):
    tasks = [task(seed=seed, source=held_up(tmp_path)) for seed in range(5)]
    killer = kill_one(tmp_path)
    with ProcessExecutor(2) as workers:
        results = list(workers.run(iter(tasks)))
    killer.join()
    assert {type(result) for result in results} == {Done}
    assert {result.key for result in results} == {one.scenario.key for one in tasks}


@pytest.mark.kills
def test_a_policy_that_kills_its_process_fails_alone():
    bad = task(source=DIE)
    quits = task(seed=2, source="import os\nos._exit(0)")
    leaves = task(seed=3, source="raise KeyboardInterrupt")
    odd = task(seed=9)
    choice = replace(odd.scenario.policy, parameters={"depth": lambda: 1})
    odd = replace(odd, scenario=replace(odd.scenario, policy=choice))  # cannot be pickled
    tasks = [task(), bad, quits, odd, leaves, *(task(seed=seed) for seed in range(4, 8))]
    with ProcessExecutor(2) as workers:
        results = list(workers.run(iter(tasks)))
    failures = {result.key: result.record for result in results if isinstance(result, Failed)}
    assert len(results) == len(tasks)
    assert set(failures) == {one.scenario.key for one in (bad, quits, leaves, odd)}
    assert failures[bad.scenario.key]["error"] == "WorkerDied"
    assert "SIGKILL" in failures[bad.scenario.key]["message"]
    assert "exit status 0" in failures[quits.scenario.key]["message"]
    assert failures[leaves.scenario.key]["error"] == "KeyboardInterrupt"


@pytest.mark.kills
def test_a_closed_run_ends_its_workers(tmp_path):
    tasks = [task(), *(task(seed=seed, source=held_up(tmp_path)) for seed in range(2, 5))]
    with ProcessExecutor(2) as workers:
        results = workers.run(iter(tasks))
        assert isinstance(next(results), Done)
        results.close()
        wait_until(lambda: not any(map(alive, pids(tmp_path))), "the workers are gone")
        with pytest.raises(ZeroDivisionError):
            _divide_by_zero_at_the_first(workers.run(iter(tasks)))
    assert not any(map(alive, pids(tmp_path)))


def _divide_by_zero_at_the_first(results):
    for _ in results:
        raise ZeroDivisionError


@pytest.mark.kills
def test_a_killed_parent_takes_its_workers_along(tmp_path):
    study = start_study("ProcessExecutor(2)", tmp_path)
    study.kill()
    study.communicate()
    wait_until(lambda: not any(map(alive, pids(tmp_path))), "the workers are gone")


@pytest.mark.kills
def test_ctrl_c_ends_everything_without_a_word(tmp_path):
    study = start_study("ProcessExecutor(2)", tmp_path)
    os.killpg(study.pid, signal.SIGINT)
    out, err = study.communicate(timeout=PATIENCE)
    assert (out, err, study.returncode) == ("interrupted\n", "", 0)
    assert not any(map(alive, pids(tmp_path)))


@pytest.mark.slow
def test_a_script_without_a_guard_is_told(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from packwise.experiments.executors.processes import ProcessExecutor\n"
        "from tests.experiments.tasks import task\n"
        "with ProcessExecutor(1) as workers:\n"
        "    print(list(workers.run(iter([task()]))))\n"
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 1
    assert "if __name__ == '__main__':" in done.stderr.splitlines()[-1]


def test_workers_are_counted():
    assert ProcessExecutor(3).workers == 3
    assert 1 <= ProcessExecutor().workers <= (os.cpu_count() or 1)
    with pytest.raises(InputError, match="expected 1 or more, found 0"):
        ProcessExecutor(0)
