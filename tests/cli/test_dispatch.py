"""Dispatchers and dispatch time on the command line."""

from __future__ import annotations

import pytest

from packwise.experiments.store import Store


@pytest.fixture
def written(nodes):
    return nodes(3, 1, 12, 1.5)


@pytest.fixture
def site(written):
    return written[0]


@pytest.fixture
def jobs(written):
    return written[1]


def test_dispatch_time_is_charged_and_said(packwise, log):
    fcfs = "replay", log, "--policy", "fcfs"
    usual = packwise(*fcfs, "--json").json
    charged = packwise(*fcfs, "--charge-dispatch-time", "30s", "--json").json
    assert charged["charged_seconds"] == 30
    assert charged["metrics"]["wait"] >= usual["metrics"]["wait"] + 29
    assert "charged_seconds" not in usual
    told = packwise("replay", log, "--charge-dispatch-time", "1s+500ms/job").stdout
    assert "dispatch time charged: 1s+0.5s/job; " in told
    measured = packwise("replay", log, "--charge-dispatch-time", "measured").stdout
    assert "dispatch time charged: measured (not reproducible)" in measured


def test_dispatch_time_in_a_comparison(packwise, log):
    done = packwise("compare", log, "-p", "easy,list-saf", "--charge-dispatch-time", "2s")
    assert done.status == 0, done.stderr
    for name in ("easy", "list-saf"):
        assert (
            f"{name}: dispatch time charged: 2s; 2.00 s a round on average, 2 s at most"
            in done.stdout
        )


@pytest.mark.parametrize("text", ["2", "soon", "", "-3s"])
def test_what_is_no_dispatch_time(packwise, log, text):
    done = packwise("replay", log, "--charge-dispatch-time", text)
    assert done.status == 2
    assert "expected 'measured', seconds per round such as 2s" in " ".join(done.stderr.split())


def test_dispatch_time_in_a_study(packwise, log, tmp_path):
    study = tmp_path / "study.toml"
    study.write_text(
        f"""
name = "charged"
policies = ["fcfs"]
metrics = ["wait"]
[[workload]]
file = "{log}"
[[machine]]
factor = 1
[[machine]]
factor = 1
charge_dispatch_time = "5 s"
[[machine]]
factor = 1
charge_dispatch_time = "measured"
"""
    )
    store = tmp_path / "store"
    done = packwise("study", "run", study, "--store", store, "--workers", 1)
    assert done.status == 0, done.stderr
    kept = Store.open(store)
    records = [kept.record(key) for key in kept.frame()["key"]]
    by_charge = {one["scenario"]["machine"]["charge_dispatch_time"]: one for one in records}
    assert set(by_charge) == {None, "5s", "measured"}
    assert by_charge["5s"]["metrics"]["wait"] > by_charge[None]["metrics"]["wait"] + 4
    assert by_charge["5s"]["scenario"]["machine"]["label"] == "x1, dispatch time 5s"
    assert [by_charge[charge]["reproducible"] for charge in (None, "5s", "measured")] == [
        True,
        True,
        False,
    ]
    study.write_text(study.read_text().replace('"5 s"', '"5 parsecs"'))
    wrong = packwise("study", "run", study, "--store", store)
    assert wrong.status == 2
    assert "line 11: dispatch time '5 parsecs': expected" in wrong.stderr
    assert "problems" not in wrong.stderr


def test_a_dispatcher_from_end_to_end(packwise, jobs, site, tmp_path):
    pytest.importorskip("ortools")
    plan = tmp_path / "plan.csv"
    name = "pcp21(branches=50)"
    done = packwise("replay", jobs, "--cluster", site, "--policy", name, "--output", plan)
    assert done.status == 0, done.stderr
    assert "rounds had something to decide" in done.stdout
    assert "ms of the solver in each" in done.stdout
    assert packwise("check", plan, "--cluster", site).status == 0
    notes = packwise("replay", jobs, "--cluster", site, "--policy", name, "--json").json["notes"]
    assert notes["jobs"] <= notes["variables"]
    assert notes["fallback"] == 0
    explained = packwise("explain", jobs, "--cluster", site, "--policy", name)
    assert explained.status == 0, explained.stderr


def test_what_a_dispatcher_refuses(packwise, jobs, site):
    done = packwise("replay", jobs, "--cluster", site, "--policy", "pcp21(branches=none)")
    assert done.status == 2
    assert "branches should be a whole number of 1 or more, found 'none'" in " ".join(
        done.stderr.split()
    )
