"""Drive, on a Slurm in memory: who starts where, and that everything is given back."""

from __future__ import annotations

import pytest

from packwise.adapters.slurm import state_file
from packwise.adapters.slurm.commands import SlurmError
from packwise.adapters.slurm.ledger import Ledger
from packwise.adapters.slurm.modes.drive import PATIENCE, REST, Drive, give_nodes_back
from packwise.adapters.slurm.ours import load_ours
from packwise.adapters.slurm.reader import SlurmReader
from packwise.model.decision import Decision
from packwise.model.errors import InputError
from tests.adapters.fake_slurm import FakeJob
from tests.adapters.rig import Newest, let_in, updates
from tests.adapters.samples import node, snapshot


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
