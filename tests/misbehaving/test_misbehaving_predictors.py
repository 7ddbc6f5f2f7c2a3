"""Predictors that break their contract end the replay with a named error, or are cut to size as documented."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
import time
from subprocess import PIPE

import numpy as np
import pytest

from packwise import Cluster, ConservativePolicy, ListPolicy, Workload, simulate
from packwise.model.errors import InputError, PredictorFailed
from packwise.registry import estimate

#: (submit, demand, run time, limit) on two processors: job 3 outlives any estimate below 8.
JOBS = Workload.of([(0, 1, 4, 10), (0, 1, 2, 6), (1, 2, 8, 9), (3, 1, 1, 5)])
LONG = Workload.of([(0, 1, 40, 100)])
POOL = Cluster.pool(2)


class Says:
    """Answers what it is told to, and nothing when it learns."""

    name = "says"

    def __init__(self, answer):
        self.answer = answer

    def predict(self, job):
        return self.answer(job) if callable(self.answer) else self.answer


def everywhere(predictor, policy=None):
    """First estimates, compiled and stepped, which must be equal."""
    runs = [
        simulate(JOBS, POOL, policy or ListPolicy(), predictor, stepped=stepped)
        for stepped in (False, True)
    ]
    np.testing.assert_array_equal(runs[0].schedule.start, runs[1].schedule.start)
    np.testing.assert_array_equal(runs[0].first_estimate, runs[1].first_estimate)
    return runs[0].first_estimate.tolist()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (0, [1, 1, 1, 1]),
        (-7, [1, 1, 1, 1]),
        (0.4, [1, 1, 1, 1]),
        (2.5, [3, 3, 3, 3]),
        (7, [7, 6, 7, 5]),
        (10**30, [10, 6, 9, 5]),
        (np.int64(3), [3, 3, 3, 3]),
        ("4", [4, 4, 4, 4]),
    ],
)
@pytest.mark.parametrize("policy", [ListPolicy(), ConservativePolicy()], ids=["list", "cbf"])
def test_answers_are_rounded_and_cut(answer, expected, policy):
    """As documented: between 1 s and the limit, halves up."""
    assert everywhere(Says(answer), policy) == expected


@pytest.mark.parametrize("stepped", [False, True])
@pytest.mark.parametrize("answer", [math.nan, math.inf, -math.inf])
def test_not_a_number_is_refused(answer, stepped):
    wrong = Says(lambda job: answer if job.id == 3 else 5)
    with pytest.raises(PredictorFailed, match=r"'says' \(job 3, at its submission, at time 1\)"):
        simulate(JOBS, POOL, ListPolicy(), wrong, stepped=stepped)


@pytest.mark.parametrize("answer", [None, "soon", [1, 2], 1j])
def test_not_even_nearly_a_number(answer):
    with pytest.raises(
        PredictorFailed, match=r"'says': expected a number of seconds, found .* \(job 1, at"
    ):
        simulate(JOBS, POOL, ListPolicy(), Says(answer))


@pytest.mark.parametrize("stepped", [False, True])
@pytest.mark.parametrize("policy", [ListPolicy(), ConservativePolicy()], ids=["list", "cbf"])
def test_an_exception_names_the_job_and_the_line(policy, stepped):
    def broken(job):
        return {}[job.user]

    with pytest.raises(
        PredictorFailed, match=r"raised KeyError .job 1, at its submission.*line \d+"
    ):
        simulate(JOBS, POOL, policy, Says(broken), stepped=stepped)


def test_an_exception_while_learning():
    class Forgetful(Says):
        def learn(self, job, runtime):
            raise RuntimeError("what was that?")

    with pytest.raises(PredictorFailed, match=r"RuntimeError .job 2, at its end.*what was that\?"):
        simulate(JOBS, POOL, ListPolicy(), Forgetful(3))


def test_interrupted():
    def pressed(job):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate(JOBS, POOL, ListPolicy(), Says(pressed))


def test_exit_is_an_error_of_the_predictor():
    def leaves(job):
        raise SystemExit(3)

    with pytest.raises(PredictorFailed, match="raised SystemExit"):
        simulate(JOBS, POOL, ListPolicy(), Says(leaves))


@pytest.mark.parametrize("stepped", [False, True])
def test_a_corrector_that_creeps_or_fails(stepped):
    """An answer that has passed already is raised: the replay ends in any case."""

    class Creeps(Says):
        def correct(self, job, elapsed):
            return elapsed - 5

    run = simulate(JOBS, POOL, ListPolicy(), Creeps(1), stepped=stepped)
    # Job 1 runs 4 s: corrected at 1, 2 and 3. Job 3 runs 8 s: at 1 to 7.
    assert run.corrections.tolist() == [3, 1, 7, 0]

    class Undecided(Says):
        def correct(self, job, elapsed):
            return math.nan

    undecided = Undecided(lambda job: 1 if job.id == 2 else 9)
    with pytest.raises(PredictorFailed, match=r"job 2, when it outlived its estimate"):
        simulate(JOBS, POOL, ListPolicy(), undecided, stepped=stepped)


def test_a_replay_leaves_the_predictor_as_it_was():
    class Counts(Says):
        learned = 0

        def predict(self, job):
            return 1 + self.learned

        def learn(self, job, runtime):
            self.learned += 1

    predictor = Counts(0)
    first = everywhere(predictor)
    assert first == everywhere(predictor)
    assert predictor.learned == 0


def test_neither_predicts_nor_estimates():
    class Nothing:
        name = "nothing"

    with pytest.raises(InputError, match=r"should have predict\(job\) and learn"):
        simulate(JOBS, POOL, ListPolicy(), Nothing())


def test_estimates_that_raise():
    class Raises:
        name = "raises"

        def estimates(self, workload):
            raise ZeroDivisionError("no jobs like these")

    with pytest.raises(PredictorFailed, match=r"'raises' raised ZeroDivisionError: no jobs"):
        simulate(JOBS, POOL, ListPolicy(), Raises())


def test_completions_out_of_order_teach_in_the_order_of_the_ends():
    """Job 2 is submitted with job 1, and ends before it."""
    seen = []

    class Watches(Says):
        def learn(self, job, runtime):
            seen.append((job.id, runtime))

    simulate(JOBS, POOL, ListPolicy(), Watches(5))
    assert seen == [(2, 2), (1, 4), (3, 8), (4, 1)]


class WithoutName:
    def predict(self, job):
        return 1


@pytest.mark.parametrize("name", [5, "", " ", "two\nlines", None])
def test_a_name_that_is_none(name):
    predictor = Says(1)
    predictor.name = name
    with pytest.raises(InputError, match="should have a name, text of one line, found"):
        simulate(JOBS, POOL, ListPolicy(), predictor)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("lst2", "unknown estimate 'lst2'. Did you mean last2"),
        (Says, r"found the class Says. Write Says\(\)"),
        (WithoutName(), "found None in a WithoutName"),
    ],
)
def test_not_an_object(given, message):
    with pytest.raises(InputError, match=message):
        simulate(JOBS, POOL, ListPolicy(), given)


def test_correctors_of_ones_own():
    unknown, own = Says(1), Says(1)
    unknown.corrector, own.corrector = "stps", "own"
    with pytest.raises(InputError, match=r"'says': unknown corrector 'stps'. Did you mean steps"):
        simulate(JOBS, POOL, ListPolicy(), unknown)
    with pytest.raises(InputError, match=r"no method correct\(job, elapsed\)"):
        simulate(JOBS, POOL, ListPolicy(), own)


def test_a_corrector_for_estimates_given_beforehand():
    class Half:
        name = "half"

        def __init__(self, corrector):
            self.corrector = corrector

        def estimates(self, workload):
            return np.maximum(workload.runtime // 4, 1)

    to_limit, doubled = (
        simulate(JOBS, POOL, ListPolicy(), Half(name)).corrections.tolist()
        for name in ("limit", "doubling")
    )
    assert (to_limit, doubled) == ([1, 1, 1, 0], [2, 1, 2, 0])
    with pytest.raises(InputError, match="should be limit, steps or doubling, found 'conditional'"):
        simulate(JOBS, POOL, ListPolicy(), Half("conditional"))


def test_what_cannot_be_copied():
    predictor = Says(1)
    predictor.stream = (number for number in range(3))
    with pytest.raises(PredictorFailed, match=r"cannot be copied .*each replay works with a copy"):
        simulate(JOBS, POOL, ListPolicy(), predictor)


def test_a_wrong_signature_is_not_blamed_on_us():
    class Wrong(Says):
        def predict(self):
            return 1

    with pytest.raises(PredictorFailed) as raised:
        simulate(JOBS, POOL, ListPolicy(), Wrong(1))
    assert "learner.py" not in str(raised.value)


def test_a_whole_number_beyond_all_limits_is_cut():
    assert everywhere(Says(10**400)) == [10, 6, 9, 5]
    assert everywhere(Says(-(10**400))) == [1, 1, 1, 1]


def test_memory_in_the_class_is_refused():
    """It would survive the replay: the next one would know what this one learned."""

    class Remembers(Says):
        last = {}  # noqa: RUF012

    with pytest.raises(
        InputError, match=r"the dict 'last' belongs to the class Remembers.*__init__"
    ):
        simulate(JOBS, POOL, ListPolicy(), Remembers(1))


def test_an_exception_at_the_start_names_its_moment():
    class Late(Says):
        def started(self, job, now):
            if job.id == 3:
                raise RuntimeError("not now")

    for stepped in (False, True):
        with pytest.raises(PredictorFailed, match="job 3, at its start, at time 4"):
            simulate(JOBS, POOL, ListPolicy(), Late(5), stepped=stepped)


INTERRUPTED = """
import signal, sys
from packwise import Cluster, ListPolicy, simulate
from packwise.workloads.lublin import generate

class Idle:
    name = "idle"
    def predict(self, job):
        return job.limit

jobs = generate(20000, 64, 1)
simulate(jobs.select(jobs.id < 50), Cluster.pool(64), ListPolicy(), Idle())
try:
    print("ready", flush=True)
    while True:
        simulate(jobs, Cluster.pool(64), ListPolicy(), Idle())
except KeyboardInterrupt:
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    print("interrupted")
"""


@pytest.mark.kills
def test_ctrl_c_from_outside():
    """The signal mostly arrives while compiled code runs, at the door of the callback."""
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", INTERRUPTED], stdout=PIPE, stderr=PIPE, text=True
        )
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
        assert (out, err) == ("interrupted\n", "")


KERNEL = """
from dataclasses import dataclass
from packwise.engine.expectation import Kernel
from packwise.predict.kernels.kernel import kernel
from packwise.predict.learning import LearningPredictor

@kernel
def fixed(event, job, time, state):
    return {answer}

@dataclass(frozen=True)
class Fixed(LearningPredictor):
    base_name = "fixed"

    def kernel(self, workload):
        return Kernel(fixed.address)
"""


def test_a_compiled_kernel_of_ones_own_is_never_an_old_one(tmp_path):
    """The file changes by one constant, is carried as text, and is not there at all."""
    file = tmp_path / "my.py"
    for answer in (7.0, 9.0):
        file.write_text(KERNEL.format(answer=answer))
        run = simulate(LONG, POOL, ListPolicy(), estimate(f"{file}:Fixed"))
        assert run.first_estimate.tolist() == [answer]
        carried = estimate(f"{file}:Fixed", KERNEL.format(answer=answer + 1))
        assert simulate(LONG, POOL, ListPolicy(), carried).first_estimate.tolist() == [answer + 1]
    file.unlink()
    carried = estimate(f"{file}:Fixed", KERNEL.format(answer=3.0))
    assert simulate(LONG, POOL, ListPolicy(), carried).first_estimate.tolist() == [3]


def test_a_kernel_that_divides_by_zero(tmp_path):
    file = tmp_path / "my.py"
    file.write_text(KERNEL.format(answer="1.0 / (job * 0)"))
    with pytest.raises(PredictorFailed, match="NaN or infinity"):
        simulate(LONG, POOL, ListPolicy(), estimate(f"{file}:Fixed"))
