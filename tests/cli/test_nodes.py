"""The command line on clusters of nodes: as a newcomer would use it, and with what he would get wrong."""

from __future__ import annotations

import pytest

from packwise.experiments.store import Store


@pytest.fixture
def written(nodes):
    return nodes(6, 2, 300, 1.2)


@pytest.fixture
def site(written):
    return written[0]


@pytest.fixture
def jobs(written):
    return written[1]


def test_generate_replay_and_check(packwise, jobs, site, tmp_path):
    plan = tmp_path / "plan.csv"
    done = packwise("replay", jobs, "--cluster", site, "--policy", "easy", "--output", plan)
    assert done.status == 0, done.stderr
    assert "8 nodes (32 cores, 64 GB memory, 4 gpus)" in done.stdout
    assert "placement: scarce-last" in done.stdout
    checked = packwise("check", plan, "--cluster", site)
    assert checked.status == 0
    assert "feasible" in checked.stdout
    answer = packwise("check", plan, "--cluster", site, "--json").json
    assert answer["nodes_known"] is True
    assert answer["resources"] == {"cores": 32, "memory": 65536, "gpus": 4}


def test_a_changed_plan_is_not_feasible(packwise, jobs, site, tmp_path):
    plan = tmp_path / "plan.csv"
    packwise("replay", jobs, "--cluster", site, "--output", plan)
    lines = plan.read_text().splitlines()
    place = lines[0].split(",").index("nodes")
    rows = [line.split(",") for line in lines[1:]]
    for row in rows:
        units = sum(int(part.split(":")[1]) * _size(part) for part in row[place].split())
        row[place] = f"0:{units}"
    plan.write_text("\n".join([lines[0], *(",".join(row) for row in rows)]) + "\n")
    done = packwise("check", plan, "--cluster", site)
    assert done.status == 1
    assert "are used on node cpu-1" in done.stdout


def _size(part):
    low, _, high = part.split(":")[0].partition("-")
    return int(high or low) - int(low) + 1


def test_placements_differ(packwise, log, site):
    values = {
        rule: packwise(
            "replay", log, "--unit-cores", "3", "--cluster", site, "--placement", rule, "--json"
        ).json["metrics"]["AF"]
        for rule in ("first-fit", "balanced", "consolidate")
    }
    assert len(set(values.values())) > 1


def test_compare(packwise, jobs, site):
    done = packwise(
        "compare", jobs, "--cluster", site, "--policies", "easy,list-saf,cbf,packwise(budget=5)"
    )
    assert done.status == 0, done.stderr
    assert "8 nodes" in done.stdout
    assert "list-saf" in done.stdout


def test_a_log_of_processors_on_nodes(packwise, log, site):
    on_pool = packwise("replay", log, "--json").json["metrics"]["wait"]
    answer = packwise("replay", log, "--cluster", site, "--json").json
    assert answer["metrics"]["wait"] == on_pool, "any cores will do, as on a pool of 32"
    assert (answer["cluster"], answer["nodes"]) == ("site", 8)
    whole = packwise("replay", log, "--cluster", site, "--unit-cores", "node", "--json").json
    assert whole["metrics"]["wait"] != on_pool
    words = packwise("replay", log, "--cluster", site).stdout
    assert "the nodes do not matter" in words


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cluster", "euroar"], "Did you mean eurora"),
        (["--cluster", "eurora", "--procs", "8"], "both name a machine"),
        (["--cluster", "eurora", "--placement", "fist-fit"], "Did you mean first-fit"),
        (["--cluster", "eurora", "--unit-cores", "half"], "cores of a unit should be"),
        (["--cluster", "missing.toml"], "missing.toml"),
        (["--placement", "first-fit"], "--placement is for nodes"),
    ],
)
def test_what_is_wrong_is_said(packwise, jobs, log, options, message):
    done = packwise("replay", log, *options)
    assert done.status == 2
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_jobs_without_a_place_are_counted_and_named(packwise, jobs, site, tmp_path):
    small = tmp_path / "small.toml"
    small.write_text(site.read_text().replace("gpus = 2", "gpus = 1"))
    done = packwise("replay", jobs, "--cluster", small)
    assert done.status == 0
    words = " ".join(done.stdout.split())
    assert "rejected, as no node or too few have room" in words
    assert "asks for 2 gpus a unit; the largest node of 'site' has 1" in words
    done = packwise("replay", jobs, "--cluster", "kit-fh2", "--policy", "dbf")
    assert done.status == 2
    assert "policy 'dbf' cannot plan on nodes yet" in done.stderr


def test_a_study_of_placements(packwise, jobs, site, tmp_path):
    study = tmp_path / "study.toml"
    study.write_text(
        'policies = ["easy", "cbf"]\n[[workload]]\nfile = "jobs.csv"\n'
        '[[machine]]\ncluster = "site.toml"\nplacement = "first-fit"\n'
        '[[machine]]\ncluster = "site.toml"\nplacement = "balanced"\nlabel = "spread"\n'
    )
    store = tmp_path / "store"
    done = packwise("study", "run", study, "--store", store, "--workers", 1)
    assert done.status == 0, done.stderr
    table = packwise("study", "table", study, "--store", store)
    assert "site, first-fit" in table.stdout
    assert "spread" in table.stdout
    study.write_text(study.read_text().replace("balanced", "balance"))
    wrong = packwise("study", "run", study, "--store", store)
    assert wrong.status == 2
    assert "unknown placement 'balance'" in wrong.stderr
    study.write_text(
        study.read_text().replace('cluster = "site.toml"\nplacement = "balance"', "procs = 4")
    )
    study.write_text(study.read_text() + 'placement = "balanced"\n')
    assert "for a machine of nodes" in packwise("study", "run", study, "--store", store).stderr


def test_a_store_keeps_partitions(packwise, site, tmp_path):
    """Metrics that replay EASY find the jobs of a stored run where they may run."""
    site.write_text(
        site.read_text() + '[[partition]]\nname = "gpu"\nnumber = 2\ngroups = ["gpu"]\n'
    )
    head = "job_id,submit,wait,start,end,runtime,requested_time,demand,units,unit_cores,partition,log_procs"
    rows = [f"{k},{k},-1,-1,-1,50,50,4,1,4,2,32" for k in range(1, 21)]
    (tmp_path / "jobs.csv").write_text("\n".join([head, *rows]) + "\n")
    study = tmp_path / "study.toml"
    study.write_text(
        'policies = ["easy"]\nmetrics = ["wait", "worst_size"]\n[[workload]]\nfile = "jobs.csv"\n'
        '[[machine]]\ncluster = "site.toml"\n'
    )
    store = tmp_path / "store"
    assert packwise("study", "run", study, "--store", store, "--workers", 1).status == 0
    kept = Store.open(store)
    (key,) = kept.frame()["key"].to_list()
    workload, cluster, _ = kept.replayed(key)
    assert workload.extra["partition"].tolist() == [2] * 20
    assert cluster.partitions[0].number == 2


OUTAGE = """
[[outage]]
nodes = ["cpu-[1-3]", "gpu-1"]
from = "9h"
until = "11h"
"""


@pytest.fixture
def failing(tmp_path, site):
    path = tmp_path / "failing.toml"
    path.write_text(site.read_text() + OUTAGE)
    return path


def test_an_outage_is_told_and_checked(packwise, jobs, site, failing, tmp_path):
    plan = tmp_path / "plan.csv"
    done = packwise("replay", jobs, "--cluster", failing, "--output", plan)
    assert done.status == 0, done.stderr
    assert "1 outage of nodes before the last job ended:" in done.stdout
    assert "were killed and begun again" in done.stdout
    assert packwise("check", plan, "--cluster", failing).status == 0
    packwise("replay", jobs, "--cluster", site, "--output", plan)
    checked = packwise("check", plan, "--cluster", failing)
    assert checked.status == 1
    assert "which is out then" in " ".join(checked.stdout.split())
    answer = packwise("replay", jobs, "--cluster", failing, "--json").json
    assert answer["interrupted"] > 0
    compared = packwise("compare", jobs, "--cluster", failing, "--policies", "easy,cbf")
    assert "easy: 1 outage of nodes" in compared.stdout
    assert "cbf: 1 outage of nodes" in compared.stdout


def test_explain_on_nodes(packwise, jobs, failing):
    some = "explain", jobs, "--cluster", failing, "--count", 150
    done = packwise(*some, "--policy", "easy", "--all")
    assert done.status == 0, done.stderr
    words = " ".join(done.stdout.split())
    assert "8 nodes (32 cores, 64 GB memory, 4 gpus)" in words
    assert "Free on the nodes:" in words
    assert "short on gpu-" in words or "short on cpu-" in words
    answer = packwise(*some, "--json").json
    waiting = [one for one in answer["queue"] if one["status"] == "no room"]
    assert waiting
    assert {"units", "room", "nodes", "short", "taken", "out"} == set(waiting[0]["lack"])
    out = packwise(*some, "--at", "10h")
    assert "Out: cpu-[1-3], gpu-1, the first back in" in " ".join(out.stdout.split())
    refused = packwise(*some, "--cp", "1")
    assert refused.status == 2
    assert "pool of processors without a power cap only" in refused.stderr


def test_a_report_of_nodes(packwise, jobs, failing, tmp_path):
    page = tmp_path / "report.html"
    options = ("--output", page, "--store", tmp_path / "store", "--policies", "easy,list-saf")
    done = packwise("report", jobs, "--cluster", failing, *options)
    assert done.status == 0, done.stderr
    text = page.read_text()
    assert 'id="node-map"' in text
    assert "failing" in text or "site, scarce-last" in text
    wrong = packwise("report", jobs, "--cluster", "euroar", *options)
    assert wrong.status == 2
    assert "Did you mean eurora" in wrong.stderr
    study = tmp_path / "study.toml"
    study.write_text('policies = ["easy"]\n[[workload]]\nfile = "jobs.csv"\n')
    refused = packwise("report", study, "--cluster", failing)
    assert refused.status == 2
    assert "says these things itself" in " ".join(refused.stderr.split())
