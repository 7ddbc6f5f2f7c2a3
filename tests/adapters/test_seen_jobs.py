"""Jobs that were seen to end are a log like any other; what a time of advising tells of the others."""

from __future__ import annotations

import pytest

from packwise.adapters.slurm.seen import NAME, SeenJobs, seen_log
from packwise.adapters.slurm.shadow import shadow
from packwise.adapters.slurm.site_conf import keep_site, site_conf
from packwise.clusters.slurm_conf import read_slurm_conf
from packwise.model.errors import InputError
from packwise.model.recorded import recorded_starts
from packwise.workloads.reading import read
from tests.adapters.samples import NOW, job, node, runs, snapshot


def test_who_ends_is_written_down_and_can_be_read_again(tmp_path):
    seen = SeenJobs(tmp_path)
    odd = "a|b\nc\x1b[31m"
    first = runs("7", "n1", start=NOW - 50, name=odd)
    second = runs("8_3", "n[2-3]", start=NOW - 40, nodes=2, cpus=8, limit=7200)
    assert seen.look(snapshot([first, second, job("9")])) == 0
    assert seen.look(snapshot([second], now=NOW + 30)) == 1
    assert seen.look(snapshot([], now=NOW + 60)) == 1
    assert seen.look(snapshot([], now=NOW + 90)) == 0
    log = read(seen_log(tmp_path)).workload
    assert log.demand.tolist() == [4, 8]
    assert log.requested_time.tolist() == [3600, 7200]
    assert log.runtime.tolist() == [80, 100]
    assert (recorded_starts(log) + log.start_time).tolist() == [NOW - 50, NOW - 40]
    assert log.names["user"] == ("ann",)


def test_a_job_that_runs_anew_has_ended_before(tmp_path):
    seen = SeenJobs(tmp_path)
    seen.look(snapshot([runs("7", "n1", start=NOW - 50)]))
    assert seen.look(snapshot([runs("7", "n2", start=NOW + 20)], now=NOW + 25)) == 1
    # Who waits has nothing to tell, and who is seen for the first time has not ended.
    assert seen.look(snapshot([job("7")], now=NOW + 60)) == 1


def test_a_job_whose_nodes_boot_has_not_run_before(tmp_path):
    seen = SeenJobs(tmp_path)
    seen.look(snapshot([runs("7", "n1", state="CONFIGURING", start=NOW - 50)]))
    assert seen.look(snapshot([runs("7", "n1", start=NOW + 20)], now=NOW + 25)) == 0
    assert seen.look(snapshot([], now=NOW + 60)) == 1


def test_no_log_is_said_so(tmp_path):
    with pytest.raises(InputError, match="no job was seen to end yet"):
        seen_log(tmp_path)
    assert not (tmp_path / NAME).exists()


def test_the_site_that_was_seen_is_a_slurm_conf(tmp_path):
    nodes = [node("n1"), node("n2"), node("big1", cpus=16, gpus=2, features=("a", "b"), weight=5)]
    partitions = [
        {
            "partitionname": "batch",
            "nodes": "n1,n2,big1",
            "maxtime": "1-00:00:00",
            "prioritytier": "1",
        },
        {"partitionname": "gpu", "nodes": "big1,unseen", "oversubscribe": "EXCLUSIVE"},
        {"partitionname": "empty", "nodes": "(null)"},
    ]
    settings = {
        "clustername": "toy", "selecttypeparameters": "CR_CORE", "prioritytype": "priority/multifactor",
        "schedulerparameters": "bf_interval=10,bf_continue", "slurmuser": "root(0)",
    }  # fmt: skip
    keep_site(tmp_path, site_conf(settings, nodes, partitions))
    found = read_slurm_conf(tmp_path / "site.conf")
    assert found.name == "toy"
    assert found.procs == 24
    assert [one.name for one in found.partitions] == ["batch", "gpu"]
    assert found.partitions[0].longest == 86400
    assert found.groups[-1].features == ("a", "b")
    assert found.groups[-1].capacity["gpus"] == 2
    assert found.scheduler["bf_interval"] == "10"
    assert "slurmuser" not in (tmp_path / "site.conf").read_text()


def decide(time, *start, order=()):
    return {"time": time, "kind": "decide", "start": list(start), "order": [*start, *order]}


def test_the_shadow_of_a_plan_beside_what_slurm_did():
    begin = {"time": 0.0, "kind": "begin", "text": "advise with packwise, every 10 s"}
    entries = [
        begin,
        decide(0.0, "1", "2"),
        decide(10.0, "2", order=["3"]),
        decide(20.0, "2"),
        decide(30.0),
    ]
    found = shadow(entries, {"1": 5, "2": 25, "3": 15, "4": 99, "5": 7})
    # 1 by the next round, 2 wanted since 0, 3 never wanted, 4 after the last round, 5 never seen to wait.
    assert found.rounds == 4
    assert found.earlier == (25.0,)
    assert (found.as_planned, found.unplanned) == (1, 1)
    assert (
        "1 jobs as the plan did, 1 later, and 1 that the plan would have let wait"
        in found.words()[0]
    )


def test_rounds_of_other_modes_do_not_count():
    begin = {"time": 0.0, "kind": "begin", "text": "steer with packwise, every 10 s"}
    assert shadow([begin, decide(1.0, "1")], {"1": 2}).rounds == 0
    assert "no rounds of advising" in shadow([], {}).words()[0]
