"""The live scheduler in all modes, on a Slurm in memory."""

from __future__ import annotations

import json

import pytest

from packwise import registry
from packwise.adapters.slurm import state_file
from packwise.adapters.slurm.ledger import Ledger
from packwise.adapters.slurm.modes.steer import Steer
from packwise.adapters.slurm.ours import load_ours
from packwise.adapters.slurm.status import NAME
from packwise.model.decision import Decision
from packwise.model.errors import BadDecision, InputError, OutputError, OverAllocation, PolicyFailed
from tests.adapters.rig import Newest, Until, updates


def status_in(folder):
    """What was written last."""
    return json.loads((folder / NAME).read_bytes())


# Advise


@pytest.mark.parametrize("form", ["text", "json"])
def test_advise_sends_nothing(fake, rig, form, tmp_path):
    found = rig("advise", form=form)
    found.run(30)
    assert not updates(fake)
    assert fake.started == ["1", "2"]
    told = status_in(tmp_path)
    assert [job["id"] for job in told["waiting"]] == ["5", "4", "3"]
    assert [job["id"] for job in told["running"]] == ["1", "2"]
    assert (told["mode"], told["policy"], told["free"], told["cores"]) == ("advise", "newest", 0, 8)
    assert found.said("end")


def test_both_forms_tell_the_same(fake, rig):
    fake.jobs["2"].excluded = "n2"
    fake.advance(1)
    text, json = rig("advise").reader.snapshot(), rig("advise", form="json").reader.snapshot()
    left = ("features", "qos", "tasks", "name")

    def plain(one):
        return [{k: v for k, v in job._asdict().items() if k not in left} for job in one.jobs]

    assert plain(text) == plain(json)


@pytest.mark.parametrize("policy", ["easy", "packwise"])
def test_policies_of_ours(fake, rig, policy):
    found = rig("advise", registry.policy(policy)).live.cycle()
    starts = found.planned.ruling.start.tolist()
    assert [found.planned.job(k).id for k in starts] == ["1", "2"]
    assert set(found.planned.ruling.allocation) == set(starts)
    assert len(found.planned.order()) == 5


# Steer


def test_steer_brings_the_order_of_the_plan(fake, rig):
    found = rig("steer")
    found.go(300)
    assert fake.started == ["5", "4", "3", "2", "1"]
    assert not fake.reservations


def test_steer_sends_only_what_changes_and_gives_it_back(fake, rig):
    fake.nodes = {"n1": 1, "n2": 1}  # nobody has room
    found = rig("steer")
    found.run(30)
    sent = updates(fake)
    assert len(sent) == 2
    assert sent[0].stdin.count("update") == 4  # one of five may stay
    assert [job.site for job in fake.jobs.values()] == [0] * 5
    assert [job.priority for job in fake.jobs.values()] == [999, 998, 997, 996, 995]


def test_steer_stays_within_its_band(fake, rig):
    fake.jobs["1"].base = 90_000
    found = rig("steer", band=7)
    found.live.cycle()
    assert all(abs(job.site) <= 7 for job in fake.jobs.values())
    assert any("the band of 7" in text for text in found.said())


def test_steer_does_not_send_everything_at_once(fake, rig):
    found = rig("steer")
    found.live.mode = Steer(found.reader, most=3)
    for _ in range(3):
        found.live.cycle()
    order = sorted(fake.waiting(), key=lambda job: -job.priority)
    assert [job.id for job in order] == ["5", "4", "3", "2", "1"]
    assert max(one.stdin.count("update") for one in updates(fake)) == 3


@pytest.mark.parametrize("band", [0, -1, 2**31])
def test_a_band_that_is_none(band):
    with pytest.raises(InputError, match="--band"):
        Steer(None, band)


# What goes wrong


class Bad(Newest):
    """Fails in some way, from some round on."""

    def __init__(self, what, good=1):
        self.what, self.good, self.rounds = what, good, 0

    def decide(self, view):
        self.rounds += 1
        if self.rounds <= self.good:
            return super().decide(view)
        return self.what(view)


def raises(view):
    raise ZeroDivisionError("by zero")


@pytest.mark.parametrize(
    ("what", "error"),
    [
        (raises, PolicyFailed),
        (lambda view: Decision(view.queue.tolist() * 2), BadDecision),
        (lambda view: Decision([9999]), BadDecision),
        (lambda view: 42, BadDecision),
        (lambda view: Decision(planned=3), PolicyFailed),
        (lambda view: Decision(view.queue), OverAllocation),
        (lambda view: Decision(allocation={1: "x"}), BadDecision),
    ],
)
def test_a_policy_that_fails_ends_it_after_three_times(fake, rig, what, error):
    found = rig("steer", Bad(what))
    with pytest.raises(error):
        found.run(500)
    assert found.live.policy.rounds == 4
    assert not any(job.site for job in fake.waiting())
    assert found.said("end")
    assert found.said("trouble")


def test_a_policy_that_fails_now_and_then_goes_on(fake, rig):
    found = rig("advise", Newest())
    policy = found.live.policy
    good, rounds = policy.decide, []

    def decide(view):
        rounds.append(view)
        return good(view) if len(rounds) % 3 == 0 else raises(view)

    policy.decide = decide
    found.run(100)
    assert len(rounds) > 9
    assert "policy: all is well again" in found.said()


def test_plans_that_are_odd_are_told_as_far_as_they_make_sense(fake, rig):
    odd = {"x": 1, 1: None, 2: float("inf"), 3: float("nan"), 4: 10**30, 77: 5}
    found = rig("advise", Bad(lambda view: Decision(planned=odd), good=0))
    assert found.live.cycle().planned.order() == [4, 0, 1, 2, 3]


def test_a_controller_that_is_silent_for_a_while(fake, rig):
    found = rig("steer")
    found.live.cycle()

    def sleep():
        fake.silent = 20 <= fake.now - begin < 140

    begin = fake.now
    stop = found.run(300, sleep)
    assert stop.waits[:4] == [5.0] * 4
    longer = [wait for wait in stop.waits if wait > 5]
    assert longer[:4] == [10.0, 20.0, 40.0, 60.0][: len(longer)]
    assert len(longer) >= 3
    assert "slurm: all is well again" in found.said()
    assert "slurm" not in found.live.health
    assert sorted(fake.started) == ["1", "2", "3", "4", "5"]


def test_what_is_shown_while_rounds_fail(fake, rig, tmp_path):
    """The old plan, how old it is, and why; and all of it is forgotten when Slurm answers again."""
    found = rig("advise")
    seen = []

    def sleep():
        fake.silent = 20 <= fake.now - begin < 140

    begin = fake.now
    stop = Until(found, 200, sleep)
    found.live.run(stop, after=lambda cycle: seen.append((cycle is None, status_in(tmp_path))))
    failed = [told for fails, told in seen if fails]
    assert len(failed) >= 3
    assert [told["failing"] for told in failed] == sorted({told["failing"] for told in failed})
    assert failed[-1]["failing"] > 60
    assert all("slurm" in told["health"] for told in failed)
    assert failed[0]["waiting"] == failed[-1]["waiting"] != []
    assert failed[0]["written"] == failed[-1]["written"]
    assert failed[-1]["recent"][-1]["kind"] == "trouble"
    assert "failing" not in seen[-1][1]
    assert seen[-1][1]["health"] == {}


def test_a_rare_look_is_not_made_more_often_by_silence(fake, rig):
    fake.silent = True
    found = rig("advise", interval=600)
    stop = found.run(5000)
    assert min(stop.waits) >= 600


def test_a_controller_that_is_silent_at_the_end(fake, rig, tmp_path):
    found = rig("steer")
    found.live.cycle()
    fake.silent = True
    found.live.give_back()
    assert len(found.said("trouble")) == 2
    assert load_ours(tmp_path).factors  # for reset


def test_a_controller_without_nodes_for_a_moment(fake, rig, monkeypatch):
    found = rig("advise")
    nodes = dict(fake.nodes)

    def starts():
        fake.nodes = {} if fake.now - begin < 100 else nodes

    begin = fake.now
    found.run(300, starts)
    assert "slurm: all is well again" in found.said()


def test_slow_answers_stretch_the_interval_and_are_told(fake, rig, tmp_path):
    fake.takes = 1
    found = rig("advise")
    stop = found.run(200)
    assert stop.waits[-1] == pytest.approx(9 * min(found.live._asked))
    # A single slow answer could be chance.
    assert stop.waits[0] < 5
    assert found.live.skipped == len(stop.waits) - 1
    assert "to spare it" in found.live.health["slow"]
    assert any("to spare it" in text for text in found.said("trouble"))
    fake.takes = 0
    found.live.cycles = 0
    stop = found.run(20)
    assert set(stop.waits) == {5.0}
    assert "slow" not in found.live.health


def test_a_dry_run(fake, rig, tmp_path):
    found = rig("steer", dry_run=True)
    seen = []
    found.live.run(
        type("Once", (), {"is_set": lambda self: False, "wait": lambda self, s: False})(),
        cycles=3,
        after=seen.append,
    )
    assert not updates(fake)
    assert all(cycle.sent for cycle in seen)
    assert all(sent.answer is None for cycle in seen for sent in cycle.sent)
    assert not found.live.ledger.ours.factors
    assert not (tmp_path / state_file.NAME).exists()


@pytest.mark.parametrize("interval", [0, -1, float("nan"), float("inf"), 1e9])
def test_an_interval_that_is_none(rig, interval):
    with pytest.raises(InputError, match="--interval"):
        rig("advise", interval=interval)


def test_so_many_rounds(fake, rig):
    found = rig("advise")
    stop = found.run(10_000, cycles=3)
    assert found.live.cycles == 3
    assert len(stop.waits) == 2


def test_the_memory_of_a_policy_goes_on(fake, rig, tmp_path):
    class Counts(Newest):
        name = "counts"

        def decide(self, view):
            return Decision(memory=(view.memory or 0) + 1)

    rig("advise", Counts()).run(20)
    ledger = Ledger()
    state_file.load(tmp_path, "counts", ledger)
    assert ledger.memory == 4
    again = rig("advise", Counts(), ledger=ledger)
    again.live.cycle()
    assert ledger.memory == 5


def test_a_disk_that_is_full_does_not_stop_the_queue(fake, rig, monkeypatch, tmp_path):
    found = rig("steer")
    found.live.cycle()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(state_file, "save", full)
    found.live.cycle()
    assert "No space left" in found.live.health["disk"]
    monkeypatch.undo()
    found.live.cycle()
    assert "disk" not in found.live.health


def test_ends_are_true_after_a_disk_was_full(fake, rig, monkeypatch, tmp_path):
    found = rig("advise")
    fake.advance(1)
    begin = fake.now
    found.live.cycle()

    def full(*_):
        raise OutputError("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("packwise.adapters.slurm.live.save_ours", full)
        patch.setattr("packwise.adapters.slurm.seen.SeenJobs._append", full)
        for _ in range(30):
            fake.advance(10)
            found.live.cycle()
        assert "disk" in found.live.health
    fake.advance(10)
    found.live.cycle()
    ends = {
        line.split("|")[0]: int(line.split("|")[9]) - begin
        for line in (tmp_path / "jobs.psv").read_text().splitlines()[1:]
    }
    assert ends.keys() >= {"1", "2", "3"}
    assert 100 <= ends["1"] <= 110  # looked at every ten seconds
    assert 200 <= ends["3"] <= 220


def test_what_could_not_be_given_back_is_told(fake, rig):
    found = rig("steer")
    found.live.cycle()
    fake.deaf = True
    found.live.give_back()
    assert len(found.live.left) == 1
    assert found.live.ledger.ours.factors


def test_advising_does_not_forget_what_a_killed_steer_has_set(fake, rig, tmp_path):
    """Whoever looks at the queue after a kill -9, in the same folder, takes nothing from reset."""
    fake.schedule = lambda: None
    rig("steer").live.cycle()
    set_by_us = {job.raw: job.site for job in fake.waiting() if job.site}
    assert set_by_us
    ledger = Ledger()
    ledger.ours = load_ours(tmp_path)
    rig("advise", ledger=ledger).run(10)
    assert not updates(fake)[1:]
    assert set_by_us.items() <= load_ours(tmp_path).factors.items()


def test_a_factor_of_a_job_that_runs_stays_known(fake, rig, tmp_path):
    """It has it again when it is requeued."""
    found = rig("steer")
    found.live.cycle()
    fake.advance(1)
    jobs = [one for one in fake.running() if one.site]
    assert jobs
    found.live.give_back()
    assert load_ours(tmp_path).factors == {job.raw: job.site for job in jobs}
    for job in jobs:
        job.state, job.held, job.start = "PENDING", [], 0
    ledger = Ledger()
    ledger.ours = load_ours(tmp_path)
    rig("steer", ledger=ledger).live.give_back()
    assert [job.site for job in jobs] == [0] * len(jobs)


def test_what_is_shown_can_be_read(fake, rig, tmp_path):
    fake.jobs["1"].name = "x\n\x1b[2J\udcff"[:6]
    fake.jobs["2"].reason = "Dependency"
    found = rig("steer")
    found.live.cycle()
    told = status_in(tmp_path)
    assert told["waiting"][0]["planned_nodes"] == [0]
    assert [job["id"] for job in told["left_out"]] == ["2"]
    assert told["waiting"][-1]["name"] == "x\n\x1b[2J"
    assert told["sent"] > 0
