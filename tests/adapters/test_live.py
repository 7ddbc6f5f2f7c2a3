"""The live scheduler in all modes, on a Slurm in memory."""

from __future__ import annotations

import pytest

from packwise import registry
from packwise.adapters.slurm import state_file
from packwise.adapters.slurm.commands import SlurmError
from packwise.adapters.slurm.ledger import Ledger
from packwise.adapters.slurm.modes.drive import PATIENCE, REST, Drive, give_nodes_back
from packwise.adapters.slurm.modes.steer import Steer
from packwise.adapters.slurm.ours import load_ours
from packwise.adapters.slurm.reader import SlurmReader
from packwise.adapters.slurm.status import read_status
from packwise.model.decision import Decision
from packwise.model.errors import BadDecision, InputError, OutputError, OverAllocation, PolicyFailed
from tests.adapters.fake_slurm import FakeJob, FakeSlurm
from tests.adapters.rig import Newest, Rig, Until
from tests.adapters.samples import node, snapshot


@pytest.fixture
def fake():
    """Two nodes of four cores, on each of which one job has room, and five jobs."""
    found = FakeSlurm()
    found.submit(*(FakeJob(str(k), base=1000 - k) for k in range(1, 6)))
    return found


@pytest.fixture
def rig(fake, tmp_path, monkeypatch):
    return lambda *given, **told: Rig(fake, tmp_path, monkeypatch, *given, **told)


def updates(fake):
    """What was sent that changes something."""
    return [one for one in fake.asked if one.argv[0] == "scontrol" and "show" not in one.argv]


# Advise


@pytest.mark.parametrize("form", ["text", "json"])
def test_advise_sends_nothing(fake, rig, form, tmp_path):
    found = rig("advise", form=form)
    found.run(30)
    assert not updates(fake)
    assert fake.started == ["1", "2"]
    told = read_status(tmp_path)
    assert [job["id"] for job in told["waiting"]] == ["5", "4", "3"]
    assert [job["id"] for job in told["running"]] == ["1", "2"]
    assert (told["mode"], told["policy"], told["free"], told["cores"]) == ("advise", "newest", 0, 8)
    assert found.said("end")


def let_in(found):
    """A round that makes the reservation, and one that lets jobs into it."""
    found.live.cycle()
    found.live.cycle()


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


# Drive


def test_drive_starts_whom_the_plan_starts_where_it_says(fake, rig):
    found = rig("drive")
    held = {}

    def look():
        for job in fake.running():
            held.setdefault(job.id, job.required)
            assert job.held == [job.required]

    found.run(400, look)
    assert [set(fake.started[:2]), set(fake.started[2:4])] == [{"4", "5"}, {"2", "3"}]
    assert fake.started[4:] == ["1"]
    assert held == {"5": "n1", "4": "n2", "3": "n1", "2": "n2", "1": "n1"}
    assert (
        not fake.reservations or min(end for _, end in fake.reservations.values()) <= fake.now + 2
    )


def test_nobody_starts_who_is_not_let_in(fake, rig):
    class Nobody(Newest):
        def decide(self, view):
            return Decision()

    found = rig("drive", Nobody())
    found.go(100)
    assert not fake.started
    assert {job.reason for job in fake.waiting()} == {"ReqNodeNotAvail, Reserved for maintenance"}
    fake.advance(61)  # nobody renews: the lease lapses, and Slurm goes on by itself
    assert not fake.reservations
    assert fake.started == ["1", "2"]
    fake.advance(300)
    assert fake.started == ["1", "2", "3", "4", "5"]


def test_when_the_planner_stops_everything_starts(fake, rig):
    found = rig("drive")
    found.go(20)
    assert sorted(fake.started) == ["4", "5"]
    fake.advance(400)
    assert sorted(fake.started) == ["1", "2", "3", "4", "5"]


def test_it_is_given_back_at_the_end(fake, rig):
    fake.refuses.add("5")
    found = rig("drive")
    found.run(10)
    fake.advance(2)
    assert not fake.reservations
    assert not any(job.reservation or job.required for job in fake.waiting())
    assert not found.live.ledger.admitted


def test_a_job_that_is_cancelled_between_reading_and_writing(fake, rig):
    def gone():
        fake.jobs.pop("5", None)

    fake.before_update = gone
    found = rig("drive")
    found.run(120)
    assert not found.said("trouble")
    assert sorted(fake.started) == ["1", "2", "3", "4"]


def test_a_node_goes_down(fake, rig):
    fake.submit(FakeJob("6", runtime=1000), FakeJob("7", runtime=1000))
    found = rig("drive")

    def trouble():
        if fake.started and not fake.down:
            fake.down.add("n1")
            for job in fake.running():
                if "n1" in job.held:
                    fake.cancel(job.id)

    found.run(100, trouble)
    assert fake.down
    assert all(job.held == ["n2"] for job in fake.running())
    assert not found.said("trouble")


def test_a_user_who_names_our_reservation_is_taken_out(fake, rig):
    found = rig("drive")
    found.live.cycle()
    fake.submit(FakeJob("9", user="eve", required="n1"))
    fake.jobs["9"].reservation = "packwise"
    fake.jobs["9"].nodes, fake.jobs["9"].cpus = 2, 8  # has no room yet
    found.live.cycle()
    assert fake.jobs["9"].reservation == ""
    assert fake.jobs["9"].required == "n1"  # what users ask for stays
    assert any("job 9 of eve" in text for text in found.said())


def test_a_user_whose_job_starts_in_our_reservation_is_told_of(fake, rig):
    found = rig("drive")
    found.live.cycle()
    fake.advance(1)
    fake.submit(FakeJob("9", user="eve", reservation="packwise"))
    fake.schedule()
    assert fake.jobs["9"].state == "RUNNING"
    found.live.cycle()
    found.live.cycle()
    told = [text for text in found.said() if "job 9 of eve names our reservation" in text]
    assert len(told) == 1
    fake.advance(100)
    found.go(60)
    assert not any("job 5" in text and "names our" in text for text in found.said())


def test_who_does_not_start_is_turned_out_and_passed_over(fake, rig):
    """Job 5 is let in, and something that we do not see keeps it: others get its node after a while."""
    found = rig("drive")

    def stuck():
        if "5" in fake.jobs and fake.jobs["5"].reservation:
            fake.jobs["5"].reason = "JobHeldUser"

    fake.jobs["5"].reason = "Priority"
    let_in(found)
    stuck()
    found.go(PATIENCE + 15, stuck)
    assert "5" not in fake.started
    assert sorted(fake.started) == ["3", "4"]
    job = fake.jobs["5"]
    assert (job.reservation, job.required) == ("", "")
    assert any("5 was let in" in text and "passed over" in text for text in found.said())
    assert found.live.ledger.resting["5"] > fake.now
    assert "5" not in found.live.ledger.admitted


def test_who_rested_is_let_in_again(fake, rig):
    found = rig("drive")
    found.live.ledger.resting["5"] = fake.now + REST
    found.go(60)
    assert "5" not in fake.started
    rig2 = rig("drive", ledger=found.live.ledger)
    rig2.go(2 * REST)
    assert "5" in fake.started


def test_who_is_refused_does_not_block_others(fake, rig):
    """Slurm does not let 5 in, whatever is tried: after a while its node is for others."""
    fake.refuses.add("5")
    found = rig("drive")
    found.go(60)
    assert sorted(fake.started) == ["3", "4"]
    assert any("could not be let in" in text for text in found.said())


def test_who_could_not_be_told_is_not_taken_for_refused(fake, rig):
    """The controller is deaf for longer than anybody is waited for: they are let in as if it were new."""
    found = rig("drive", lease=300)
    found.live.cycle()
    fake.deaf = True
    with pytest.raises(SlurmError):
        found.live.cycle()
    fake.advance(PATIENCE + 10)
    fake.deaf = False
    found.live.cycle()
    assert {job.id for job in fake.waiting() if job.reservation} == {"4", "5"}
    assert not found.live.ledger.resting
    found.go(20)
    assert sorted(fake.started) == ["4", "5"]


def test_no_core_is_promised_twice(fake, rig):
    """Nodes show more used than the running jobs tell: who was let in and still waits comes on top of that."""
    fake.jobs.clear()
    fake.nodes = {"n1": 8}
    fake.submit(FakeJob("1", cpus=2, runtime=10_000))
    fake.advance(1)
    fake.schedule = lambda: None  # Slurm takes its time to start who was let in
    fake.free = lambda: {"n1": 4}  # and somebody whom nobody sees has two cores
    fake.submit(*(FakeJob(str(k), cpus=2) for k in (2, 3, 4)))
    found = rig("drive")
    found.go(25)
    assert [job.id for job in fake.waiting() if job.reservation] == ["3", "4"]


def test_a_partition_that_comes_to_share_nodes_ends_it(fake, rig, monkeypatch):
    found = rig("drive")
    found.mode.partitions = frozenset({"batch"})
    found.live.cycle()
    shown = fake._shown
    both = "PartitionName=batch Nodes=n1,n2\nPartitionName=long Nodes=n2\n"
    monkeypatch.setattr(fake, "_shown", lambda what: both if what == "partition" else shown(what))
    found.reader._read_at = float("-inf")
    with pytest.raises(InputError, match="partition 'long' shares"):
        found.run(100)
    fake.advance(2)
    assert not fake.reservations


def test_a_clock_that_was_wrong_for_a_moment(fake, rig):
    """A day ahead, and put right: who was let in and does not start is still taken out in time."""
    found = rig("drive")
    found.live.cycle()
    fake.now += 86_400
    found.live.cycle()
    fake.now -= 86_400 - 5
    fake.reservations.clear()
    fake.schedule = lambda: None
    found.go(PATIENCE + 20)
    assert found.live.ledger.last_now <= fake.now
    assert found.live.ledger.resting
    assert all(until <= fake.now + REST for until in found.live.ledger.resting.values())


def test_turning_out_is_tried_again(fake, rig):
    """The controller is deaf just then: the job still loses the nodes that we named."""
    found = rig("drive")
    let_in(found)
    fake.jobs["5"].reason = "JobHeldUser"
    fake.advance(PATIENCE + 1)
    found.beats.beat()
    found.beats.renew()
    fake.deaf = True
    with pytest.raises(Exception, match="contact"):
        found.live.cycle()
    assert fake.jobs["5"].required
    fake.deaf = False
    found.live.cycle()
    assert fake.jobs["5"].required == ""


def test_no_job_stays_pinned_after_a_crash(fake, rig, tmp_path):
    """We are killed right after jobs were let in; the lease lapses; a new one of us frees them."""
    found = rig("drive")
    fake.jobs["5"].cpus, fake.jobs["5"].nodes = 8, 2  # both nodes; and one of them goes down
    let_in(found)
    assert fake.jobs["5"].required == "n1,n2"
    fake.down.add("n2")
    fake.advance(61)
    assert (fake.jobs["5"].reservation, fake.jobs["5"].required) == ("", "n1,n2")
    ledger = Ledger()
    ledger.ours = load_ours(tmp_path)
    again = rig("drive", ledger=ledger)
    again.live.cycle()
    assert fake.jobs["5"].required == ""
    assert any("5 has to have nodes that were named for it before" in text for text in again.said())


def test_reset_frees_whom_a_crash_has_left_pinned(fake, rig, tmp_path):
    found = rig("drive")
    fake.jobs["5"].cpus, fake.jobs["5"].nodes = 8, 2
    found.live.cycle()
    fake.down.add("n2")
    fake.advance(61)
    ledger = Ledger()
    state_file.load(tmp_path, "", ledger)
    commands = give_nodes_back(found.reader.snapshot(), "packwise", ledger)
    found.writer.send(commands)
    assert fake.jobs["5"].required == ""


def test_who_is_let_in_is_written_down_first(fake, rig, tmp_path):
    """If we are killed while we send, it is known who may have been given nodes."""

    def killed():
        raise SystemExit

    found = rig("drive")
    found.live.cycle()
    fake.before_update = killed
    with pytest.raises(SystemExit):
        found.live.cycle()
    ledger = Ledger()
    state_file.load(tmp_path, "newest", ledger)
    assert set(ledger.admitted) == {"4", "5"}
    assert set(load_ours(tmp_path).nodes) == {"4", "5"}


def test_a_job_that_is_requeued_has_not_to_have_its_nodes_any_longer(fake, rig):
    """A start leaves the nodes that we named with a job: if one fails, it must not wait for that one."""
    found = rig("drive")
    let_in(found)
    fake.advance(1)
    job = fake.jobs["5"]
    assert job.state == "RUNNING"
    found.live.cycle()
    job.state, job.held, job.start, job.reservation = "PENDING", [], 0, ""
    found.live.cycle()
    assert job.required == ""


def test_nodes_that_others_have_reserved_are_left_to_them(fake, rig):
    fake.reservations["maint"] = (["n2"], fake.now + 500)
    found = rig("drive")
    found.live.cycle()
    assert fake.reservations["packwise"][0] == ["n1"]
    assert any("1 nodes are reserved by others" in text for text in found.said())


def test_nodes_that_are_added(fake, rig):
    found = rig("drive")
    found.live.cycle()
    fake.nodes["n3"] = 4
    found.live.reader._read_at = float("-inf")  # what the site looks like is read anew now and then
    found.go(30)
    assert set(fake.reservations["packwise"][0]) == {"n1", "n2", "n3"}
    assert any("the nodes have changed" in text for text in found.said())


def test_a_plan_that_hangs_lets_the_lease_lapse(fake, rig):
    found = rig("drive")
    let_in(found)
    found.live.beat(5.0)
    found.pass_time(200)  # the heartbeat goes on, but no round ends
    assert not fake.reservations
    assert len(fake.started) >= 4


def test_where_looks_are_far_apart_slurm_has_the_nodes_meanwhile(fake, rig):
    """Answers take long, so that pauses are longer than the lease: nodes are not kept for nobody."""
    fake.takes = 2
    found = rig("drive", lease=30)
    there = []
    stop = found.run(400, lambda: there.append("packwise" in fake.reservations))
    assert min(stop.waits[1:]) > 2 * 30
    assert not all(there)
    assert fake.started


def test_nothing_is_renewed_while_it_is_given_back(fake, rig):
    found = rig("drive")
    calls = []
    theirs = found.live.hush
    found.live.hush = lambda: (calls.append(len(updates(fake))), theirs())[1]
    found.run(20)
    (before,) = calls
    assert updates(fake)[before:][-1].argv[-1] == "EndTime=now+1"


def test_the_nodes_are_given_back_even_if_the_queue_cannot_be_read(fake, rig, monkeypatch):
    found = rig("drive")
    let_in(found)
    monkeypatch.setattr(fake, "_squeue", lambda words: "not json")
    found.live.reader._form = "json"
    found.live.give_back()
    fake.advance(2)
    assert not fake.reservations
    assert found.live.ledger.ours.nodes  # for reset: they may still have nodes that we named


@pytest.mark.parametrize(
    ("ours", "skew"),
    [
        ((1000, 1000), 0),
        ((1000, 1030), 0),
        ((900, 900), 100),
        ((1100, 1101), -100),
        ((990, 1010), 0),
    ],
)
def test_clocks_that_differ(fake, tmp_path, ours, skew):
    """By how much the controller's is ahead for certain, however long it takes to answer."""
    fake.now = 1000
    moments = iter(ours)
    assert SlurmReader(fake.ask, clock=lambda: next(moments)).snapshot().skew == skew


@pytest.mark.parametrize(("skew", "lease"), [(0, 60), (40, 100), (-20, 40), (-500, 1)])
def test_a_lease_is_told_in_the_time_of_the_controller(fake, rig, skew, lease):
    """scontrol counts from our clock, so what the controller's is ahead is added."""
    found = rig("drive")
    theirs = found.reader.snapshot()
    found.reader.snapshot = lambda: theirs._replace(skew=skew)
    found.live.cycle()
    assert f"EndTime=now+{lease}" in updates(fake)[0].argv
    assert found.mode.heartbeat().argv[-1] == f"EndTime=now+{lease}"


@pytest.mark.parametrize("name", ["a b", "", "x\ny"])
def test_a_reservation_that_cannot_be_is_refused_at_once(name):
    with pytest.raises(InputError):
        Drive(reservation=name)


@pytest.mark.parametrize("lease", [0, 9, -5])
def test_a_lease_that_is_none(lease):
    with pytest.raises(InputError, match="--lease"):
        Drive(lease=lease)


def test_partitions_that_share_nodes_are_driven_together():
    nodes = [node("n1"), node("n2"), node("n3")]
    told = {"batch": "n1,n2", "long": "n2", "gpu": "n3"}
    found = snapshot((), nodes, partitions=told)
    with pytest.raises(InputError, match="batch,long"):
        Drive(frozenset({"batch"})).check(found)
    Drive(frozenset({"batch", "long"})).check(found)
    Drive(frozenset({"gpu"})).check(found)
    Drive().check(found)
    with pytest.raises(InputError, match="no partition 'x'"):
        Drive(frozenset({"x"})).check(found)
    assert Drive(frozenset({"gpu"})).nodes(found) == ["n3"]


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
    found = rig("drive", Bad(what))
    with pytest.raises(error):
        found.run(500)
    assert found.live.policy.rounds == 4
    fake.advance(2)
    assert not fake.reservations
    assert not any(job.reservation or job.required for job in fake.waiting())
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
    found = rig("drive")
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
    found.live.run(stop, after=lambda cycle: seen.append((cycle is None, read_status(tmp_path))))
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


def test_a_controller_that_is_silent_at_the_end(fake, rig):
    found = rig("drive")
    let_in(found)
    fake.silent = True
    found.live.give_back()
    assert len(found.said("trouble")) == 2
    assert found.live.ledger.admitted
    fake.silent = False
    fake.advance(60)
    assert not fake.reservations


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


@pytest.mark.parametrize("mode", ["steer", "drive"])
def test_a_dry_run(fake, rig, mode, tmp_path):
    found = rig(mode, dry_run=True)
    seen = []
    found.live.run(
        type("Once", (), {"is_set": lambda self: False, "wait": lambda self, s: False})(),
        cycles=3,
        after=seen.append,
    )
    assert not updates(fake)
    assert all(cycle.sent for cycle in seen)
    assert all(sent.answer is None for cycle in seen for sent in cycle.sent)
    assert not found.live.ledger.admitted
    assert not found.live.ledger.resting
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
    found = rig("drive")
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
    found = rig("drive")
    let_in(found)
    fake.deaf = True
    found.live.give_back()
    assert len(found.live.left) == 1
    assert found.live.ledger.admitted


def test_what_is_shown_can_be_read(fake, rig, tmp_path):
    fake.jobs["1"].name = "x\n\x1b[2J\udcff"[:6]
    fake.jobs["2"].reason = "Dependency"
    found = rig("drive")
    found.live.cycle()
    told = read_status(tmp_path)
    assert told["waiting"][0]["planned_nodes"] == [0]
    assert [job["id"] for job in told["left_out"]] == ["2"]
    assert told["waiting"][-1]["name"] == "x\n\x1b[2J"
    assert told["sent"] > 0


def test_no_status(tmp_path):
    with pytest.raises(InputError, match="there is no status"):
        read_status(tmp_path)
    for text in ("", "[]", "nonsense"):
        (tmp_path / "status.json").write_text(text)
        with pytest.raises(InputError):
            read_status(tmp_path)
