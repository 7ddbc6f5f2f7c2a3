"""Views of a live Slurm, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from packwise.adapters.slurm import ledger as module
from packwise.adapters.slurm.ledger import Ledger
from packwise.adapters.slurm.machine import machine
from packwise.adapters.slurm.snapshot import NOT_TOLD
from packwise.model.errors import InputError
from packwise.model.outlook import outlook
from packwise.workloads.records.values import OF_PARTITION, YEAR
from tests.adapters.samples import NOW, job, node, reservation, runs, snapshot


def free(shown):
    """Free cores by host."""
    return dict(zip(shown.hosts, shown.view.nodes.free[:, 0].tolist(), strict=True))


def held(shown):
    """The units of each running job by host."""
    view = shown.view
    return {
        shown.job[k].id: {shown.hosts[n]: c for n, c in view.nodes.held.of(place).items()}
        for place, k in enumerate(view.running.tolist())
    }


def needs(shown, id):
    """Units, and what each needs."""
    (k,) = (k for k, one in shown.job.items() if one.id == id)
    nodes = shown.view.nodes
    per_unit = dict(zip(nodes.resources, nodes.per_unit[k].tolist(), strict=True))
    return int(nodes.units[k]), {name: amount for name, amount in per_unit.items() if amount}


def may_use(shown, id):
    (k,) = (k for k, one in shown.job.items() if one.id == id)
    nodes = shown.view.nodes
    return [shown.hosts[n] for n in np.flatnonzero(nodes.open[nodes.where[k]])]


def ids(shown, numbers):
    return [shown.job[k].id for k in numbers.tolist()]


def test_a_view():
    jobs = [
        runs("1", "n[1-2]", nodes=2, cpus=8, limit=1000),
        job("2", cpus=4, submit=NOW - 50, eligible=NOW - 40),
        job("3", nodes=2, cpus=6, limit=NOT_TOLD),
    ]
    nodes = [node("n1", 4), node("n2", 4), node("n3"), node("n4")]
    shown = Ledger().show(snapshot(jobs, nodes))
    view = shown.view
    assert (view.now, view.procs, view.free) == (NOW, 16, 8)
    assert ids(shown, view.queue) == ["3", "2"]  # as they came
    assert ids(shown, view.running) == ["1"]
    assert view.expected_end.tolist() == [NOW - 600 + 1000]
    assert free(shown) == {"n1": 0, "n2": 0, "n3": 4, "n4": 4}
    assert held(shown) == {"1": {"n1": 1, "n2": 1}}
    assert needs(shown, "1") == (2, {"cores": 4})
    assert needs(shown, "2") == (1, {"cores": 4})
    assert needs(shown, "3") == (2, {"cores": 3})
    assert view.demand[view.queue].tolist() == [6, 4]
    assert view.limit[view.queue].tolist() == [YEAR, 3600]
    assert view.submit[view.queue].tolist() == [NOW - 100, NOW - 40]
    assert not shown.left_out
    outlook(view)


def test_nothing_can_be_written_to_a_view():
    view = Ledger().show(snapshot([job("1"), runs("2", "n1")])).view
    for column in (view.submit, view.demand, view.estimate, view.nodes.free, view.nodes.capacity):
        with pytest.raises(ValueError):
            column[:] = 0


def test_numbers_stay():
    ledger = Ledger()
    first = ledger.show(snapshot([job("5"), job("6"), job("7")]))
    numbers = {one.id: k for k, one in first.job.items()}
    jobs = [job("8"), runs("7", "n1"), job("6")]
    second = ledger.show(snapshot(jobs, now=NOW + 10))
    now = {one.id: k for k, one in second.job.items()}
    assert now["6"] == numbers["6"]
    assert now["7"] == numbers["7"]
    assert now["8"] not in numbers.values()
    assert ledger.kept()["number"].get("5") is None
    third = ledger.show(snapshot([job("5")], now=NOW + 20))
    assert min(third.job) > max(now.values())


def test_a_job_that_is_requeued_is_another():
    ledger = Ledger()
    (before,) = ledger.show(snapshot([job("5")])).job
    (running,) = ledger.show(snapshot([runs("5", "n1")], now=NOW + 1)).job
    (again,) = ledger.show(snapshot([job("5")], now=NOW + 2)).job
    (still,) = ledger.show(snapshot([job("5")], now=NOW + 3)).job
    assert before == running
    assert again != before
    assert still == again


@pytest.mark.parametrize(
    "told",
    [
        {"reason": "Dependency"},
        {"reason": "JobHeldUser"},
        {"reservation": "theirs"},
        {"id": "5+0"},
        {"reason": "ReservationDeleted"},
    ],
)
def test_who_waits_for_something_else_is_left_out(told):
    one = job(told.pop("id", "5"), **told)
    shown = Ledger().show(snapshot([one, job("6")]))
    assert ids(shown, shown.view.queue) == ["6"]
    assert shown.left_out == (one,)


def test_parts_of_heterogeneous_jobs_hold_their_nodes():
    shown = Ledger().show(snapshot([runs("5+0", "n1")], [node("n1", 4), node("n2")]))
    assert held(shown) == {"5+0": {"n1": 1}}


def test_only_some_partitions():
    listed = {"batch": "n1,n2", "gpu": "n3,n4"}
    jobs = [job("1"), job("2", partitions=("gpu",)), job("3", partitions=("gpu", "batch"))]
    jobs.append(runs("4", "n3", partitions=("gpu",)))
    shown = Ledger().show(snapshot(jobs, partitions=listed), frozenset({"batch"}))
    assert ids(shown, shown.view.queue) == ["1", "3"]
    assert ids(shown, shown.view.running) == ["4"]
    assert may_use(shown, "1") == ["n1", "n2"]
    assert may_use(shown, "3") == ["n1", "n2", "n3", "n4"]


def test_nodes_of_others_until_their_end():
    told = [reservation("theirs", "n[1-2]"), reservation("later", "n3", active=False)]
    shown = Ledger().show(snapshot([job("1", nodes=4, cpus=16)], reservations=told))
    assert free(shown) == {"n1": 0, "n2": 0, "n3": 4, "n4": 4}
    assert shown.view.nodes.out.tolist() == [NOW + 500, NOW + 500, 0, 0]
    assert shown.view.free == 16  # what no job has
    assert outlook(shown.view).queue.size == 1  # it can run, later


def test_a_reservation_whose_end_is_over_or_not_told_still_keeps_its_nodes():
    told = [reservation("theirs", "n1", end=NOW - 5), reservation("odd", "n2", end=0)]
    shown = Ledger().show(snapshot([job("1")], reservations=told))
    assert free(shown) == {"n1": 0, "n2": 0, "n3": 4, "n4": 4}
    assert (shown.view.nodes.out[:2] > NOW).all()


def test_nodes_that_are_down():
    nodes = [node("n1", usable=False), node("n2", 2, usable=False), node("n3")]
    jobs = [runs("1", "n2", cpus=2), job("2", nodes=3, cpus=12)]
    shown = Ledger().show(snapshot(jobs, nodes))
    assert free(shown) == {"n1": 0, "n2": 0, "n3": 4}
    assert held(shown) == {"1": {}}  # gives nothing back: the node is drained
    assert shown.view.free == 4
    assert outlook(shown.view).never.tolist() == shown.view.queue.tolist()


def test_a_clock_that_was_wrong_for_a_day():
    """What a policy remembers has times of a clock that is gone."""
    ledger = Ledger()
    ledger.show(snapshot([job("1")], now=NOW + 86_400))
    ledger.memory = "promises"
    view = ledger.show(snapshot([job("1")])).view
    assert (view.now, view.memory) == (NOW, None)


def test_the_clock_steps_back():
    ledger = Ledger()
    ledger.show(snapshot([job("1")]))
    view = ledger.show(snapshot([job("1"), job("2", submit=NOW + 9)], now=NOW - 50)).view
    assert view.now == NOW
    assert (view.submit <= NOW).all()
    assert ledger.show(snapshot([job("1")], now=NOW + 1)).view.now == NOW + 1


def test_suspended_and_completing_jobs():
    jobs = [
        runs("1", "n1", state="SUSPENDED"),
        runs("2", "n2", state="COMPLETING"),
        runs("3", "n3", state="CONFIGURING", start=NOT_TOLD),
        runs("4", "", state="RUNNING"),
    ]
    nodes = [node("n1"), node("n2", 4), node("n3", 4)]
    shown = Ledger().show(snapshot(jobs, nodes))
    assert ids(shown, shown.view.running) == ["2", "3"]
    assert shown.view.expected_end.tolist() == [NOW + 1, NOW + 3600]
    assert free(shown) == {"n1": 4, "n2": 0, "n3": 0}


def test_a_job_that_outlives_its_limit():
    ledger = Ledger()
    jobs = [
        runs("1", "n1", start=NOW - 50),
        runs("2", "n2", start=NOW - 100, state="COMPLETING"),
        runs("3", "n3", start=1),
    ]
    view = ledger.show(snapshot(jobs)).view
    ends = dict(zip(ids(ledger.show(snapshot(jobs)), view.running), view.expected_end, strict=True))
    assert ends == {"1": NOW - 50 + 3600, "2": NOW + 1, "3": NOW + 1}


def test_limits():
    told = {"batch": "n1,n2"}
    jobs = [job("1", limit=OF_PARTITION), job("2", limit=NOT_TOLD), job("3", limit=60)]
    view = Ledger().show(snapshot(jobs, partitions=told)).view
    assert view.limit.tolist() == [YEAR, YEAR, 60]


def test_a_limit_that_is_changed():
    ledger = Ledger()
    ledger.show(snapshot([job("1", limit=60)]))
    view = ledger.show(snapshot([job("1", limit=7200)])).view
    assert (view.limit.tolist(), view.estimate.tolist()) == ([7200], [7200])
    view = ledger.show(snapshot([job("1", limit=30)])).view
    assert view.estimate.tolist() == [30]


def test_where_jobs_may_run():
    nodes = [
        node("n1", features=("fast",)),
        node("n2", features=("fast", "big")),
        node("n3", features=("big",)),
        node("n4"),
    ]
    jobs = [
        job("1", features="fast"),
        job("2", features="fast&big"),
        job("3", excluded="n[1-3]"),
        job("4", required="n3"),
        job("5", required="n3", nodes=2, cpus=4),
        job("6", partitions=("nowhere",)),
        job("7", required="unknown"),
        job("8", excluded="n[broken"),
    ]
    shown = Ledger().show(snapshot(jobs, nodes))
    assert [may_use(shown, str(k)) for k in range(1, 9)] == [
        ["n1", "n2"],
        ["n2"],
        ["n4"],
        ["n3"],
        ["n1", "n2", "n3", "n4"],  # n3 and another one
        [],
        ["n1", "n2", "n3", "n4"],
        ["n1", "n2", "n3", "n4"],
    ]
    assert outlook(shown.view).never.size == 1


def test_nodes_of_less_weight_come_first():
    nodes = [node("a", weight=9), node("b", weight=1), node("c", weight=5)]
    assert Ledger().show(snapshot((), nodes)).hosts == ("b", "c", "a")


def test_a_job_that_has_its_nodes_to_itself():
    nodes = [node("n1", cpus=8), node("n2", cpus=4)]
    shown = Ledger().show(snapshot([job("1", alone=True, cpus=1)], nodes))
    assert needs(shown, "1") == (1, {"cores": 4})  # as many as the smallest has


def test_nodes_that_are_given_as_a_whole():
    told = {"selecttype": "select/linear"}
    shown = Ledger().show(snapshot([job("1", cpus=1, nodes=2)], settings=told))
    assert needs(shown, "1") == (2, {"cores": 4})
    assert shown.view.nodes.whole.tolist() == [1] * 4


def test_memory_and_gpus_count_where_they_count():
    nodes = [node("n1", gpus=2, used_gpus=1, used_memory=1000), node("n2")]
    jobs = [job("1", nodes=2, cpus=4, memory=5001, gpus=2)]
    shown = Ledger().show(snapshot(jobs, nodes))
    assert needs(shown, "1") == (2, {"cores": 2, "gpus": 1})
    counted = {"selecttypeparameters": "CR_CORE_MEMORY"}
    shown = Ledger().show(snapshot(jobs, nodes, settings=counted))
    assert needs(shown, "1") == (2, {"cores": 2, "memory": 2501, "gpus": 1})
    assert shown.view.nodes.resources == ("cores", "memory", "gpus")
    assert shown.view.nodes.free.tolist() == [[4, 7000, 1], [4, 8000, 0]]


def test_gpus_are_not_multiplied_by_tasks():
    shown = Ledger().show(snapshot([job("1", nodes=2, cpus=5, gpus=2)], [node("n1", gpus=4)]))
    assert needs(shown, "1") == (2, {"cores": 3, "gpus": 1})


def test_tasks_that_do_not_divide_evenly():
    jobs = [
        job("1", nodes=2, cpus=6, cpus_per_task=2),
        job("2", nodes=2, cpus=7, cpus_per_task=2),
        job("3", nodes=4, cpus=6, cpus_per_task=2),
        job("4", nodes=1, cpus=6, cpus_per_task=2),  # more than a node has
    ]
    shown = Ledger().show(snapshot(jobs))
    assert needs(shown, "1") == (2, {"cores": 4})  # two tasks on one of the nodes
    assert needs(shown, "2") == (2, {"cores": 4})
    assert needs(shown, "3") == (4, {"cores": 2})
    assert needs(shown, "4") == (3, {"cores": 2})
    assert outlook(shown.view).never.size == 0


def test_a_job_on_its_nodes_unevenly():
    nodes = [node("n1", 4), node("n2", 2), node("n3")]
    shown = Ledger().show(snapshot([runs("1", "n[1-2]", nodes=2, cpus=6)], nodes))
    assert held(shown) == {"1": {"n1": 4, "n2": 2}}
    assert free(shown) == {"n1": 0, "n2": 2, "n3": 4}


def test_a_job_whose_share_of_a_node_is_known_by_that_of_another():
    """n1 is its own; the rest of it is on n2, which it shares."""
    nodes = [node("n1", 3), node("n2", 4)]
    jobs = [runs("1", "n[1-2]", nodes=2, cpus=5), runs("2", "n2", cpus=2)]
    shown = Ledger().show(snapshot(jobs, nodes))
    assert held(shown) == {"1": {"n1": 3, "n2": 2}, "2": {"n2": 1}}
    assert free(shown) == {"n1": 1, "n2": 0}


def test_more_is_held_than_there_is():
    nodes = [node("n1", 4)]
    shown = Ledger().show(snapshot([runs("1", "n1"), runs("2", "n1"), runs("3", "n9")], nodes))
    assert held(shown) == {"1": {"n1": 1}, "2": {}, "3": {}}
    assert free(shown) == {"n1": 0}
    outlook(shown.view)


def test_cores_that_nobody_explains_are_not_free():
    shown = Ledger().show(snapshot([runs("1", "n1", cpus=1)], [node("n1", 3)]))
    assert free(shown) == {"n1": 1}


def test_nobody_is_there():
    view = Ledger().show(snapshot()).view
    assert (view.queue.size, view.running.size, view.free) == (0, 0, 16)
    outlook(view)


def test_a_slurm_without_nodes():
    with pytest.raises(InputError, match="no nodes"):
        machine({}, [], [], [])


def test_nodes_without_cores_are_no_nodes():
    """A node that has never registered may show none."""
    shown = Ledger().show(snapshot([job("1")], [node("n1"), node("n2", cpus=0, usable=False)]))
    assert shown.hosts == ("n1",)


def test_partitions_that_name_what_is_not_there():
    told = {"batch": "n1,gone", "empty": "(null)", "odd": "n[1"}
    found = snapshot([job("1")], [node("n1"), node("n2")], partitions=told)
    assert [one.name for one in found.cluster.partitions] == ["batch"]
    assert len(found.remarks) == 2


def test_settings_that_cannot_be_understood_are_a_remark():
    remarks = []
    told = {"clustername": "toy", "schedulerparameters": "bf_interval=often"}
    machine(told, [node("n1")], [{"partitionname": "batch", "nodes": "n1"}], remarks)
    assert len(remarks) == 1


def test_after_very_many_jobs_the_numbers_begin_anew(monkeypatch):
    monkeypatch.setattr(module, "MOST_NUMBERS", 10)
    ledger = Ledger()
    ledger.memory = "learnt"
    for k in range(13):
        shown = ledger.show(snapshot([job(str(k + 1))], now=NOW + k))
        assert next(iter(shown.job.values())).id == str(k + 1)
    assert ledger.memory is None
    assert max(shown.job) < 5


def test_tables_grow():
    jobs = [job(str(k), submit=NOW - 1000 + k, eligible=NOW - 1000 + k) for k in range(1, 200)]
    view = Ledger().show(snapshot(jobs)).view
    assert view.submit.tolist() == [NOW - 1000 + k for k in range(1, 200)]
