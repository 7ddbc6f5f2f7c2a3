"""The metrics, by hand, and by the rules of Prometheus."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest

import packwise
from tests.adapters.web.statuses import HOSTILE, NOW, large, make_status, waiting, write


def at(folder, age=0.0):
    """A clock at which the status of a folder is so old."""
    return lambda: os.stat(folder / "status.json").st_mtime + age


def families(site):
    from prometheus_client.parser import text_string_to_metric_families

    return text_string_to_metric_families(site.ask("/metrics").text)


def found(site):
    """The samples by name and labels."""
    return {
        (sample.name, *(f"{k}={v}" for k, v in sorted(sample.labels.items()))): sample.value
        for family in families(site)
        for sample in family.samples
    }


def test_by_hand(tmp_path, served):
    write(tmp_path, make_status())
    values = found(served(tmp_path, clock=at(tmp_path, 4.5)))
    build = (f"python={platform.python_version()}", f"version={packwise.__version__}")
    assert values == pytest.approx(
        {
            ("packwise_build_info", *build): 1,
            ("packwise_plan_info", "cluster=elm", "mode=steer", "policy=packwise"): 1,
            ("packwise_healthy",): 1,
            ("packwise_status_age_seconds",): 4.5,
            ("packwise_waiting_jobs",): 4,
            ("packwise_running_jobs",): 2,
            ("packwise_other_jobs",): 1,
            ("packwise_cores",): 32,
            ("packwise_free_cores",): 4,
            ("packwise_nodes",): 4,
            ("packwise_nodes_usable",): 3,
            ("packwise_round_seconds", "part=read"): 0.25,
            ("packwise_round_seconds", "part=plan"): 0.5,
            ("packwise_round_seconds", "part=send"): 0.125,
            ("packwise_rounds_total",): 7,
            ("packwise_rounds_skipped_total",): 2,
            ("packwise_interval_seconds",): 10,
            ("packwise_lines_sent",): 3,
            # Submitted an hour ago, planned now, in one hour and in two.
            ("packwise_planned_wait_seconds",): 7200,
            ("packwise_partition_planned_wait_seconds", "partition=batch"): 7200,
            # An hour earlier, and half an hour later.
            ("packwise_slurm_forecast_lead_seconds",): 900,
            ("packwise_slurm_forecast_jobs",): 2,
            ("packwise_slurmctld_threads",): 4,
            ("packwise_slurmctld_agents",): 1,
            ("packwise_slurmctld_cycle_seconds", "scheduler=main"): 0.02,
            ("packwise_slurmctld_cycle_seconds", "scheduler=backfill"): 1.5,
        },
        abs=1e-3,  # the time of a file
    )


def test_a_forecast_in_the_past_means_now(tmp_path, served):
    write(tmp_path, make_status(waiting=[waiting("1", NOW + 60, slurm=NOW - 500)]))
    assert found(served(tmp_path))["packwise_slurm_forecast_lead_seconds",] == -60


def test_where_slurm_has_no_forecast_there_is_no_lead(tmp_path, served):
    write(tmp_path, make_status(waiting=[waiting("1", NOW + 60)]))
    values = found(served(tmp_path))
    assert ("packwise_slurm_forecast_lead_seconds",) not in values
    assert values["packwise_slurm_forecast_jobs",] == 0
    assert values["packwise_planned_wait_seconds",] == 3660


@pytest.mark.parametrize(
    ("age", "health", "healthy"),
    [(0, {}, 1), (33, {}, 1), (34, {}, 0), (0, {"slow": "asking Slurm takes long"}, 0)],
)
def test_healthy(tmp_path, served, age, health, healthy):
    # Stale after 30 s, and ten times what reading and sending took: 33.75 s.
    write(tmp_path, make_status(health=health))
    assert found(served(tmp_path, clock=at(tmp_path, age)))["packwise_healthy",] == healthy


def test_the_age_of_a_plan_while_rounds_fail(tmp_path, served):
    write(tmp_path, make_status(failing=90.0, health={"slurm": "nobody answers"}))
    told = found(served(tmp_path, clock=at(tmp_path, 60)))
    assert told["packwise_healthy",] == 0
    assert told["packwise_status_age_seconds",] == pytest.approx(150, abs=1e-3)


def test_long_intervals_are_waited_for(tmp_path, served):
    write(tmp_path, make_status(interval=60.0))
    site = served(tmp_path, clock=at(tmp_path, 183))
    assert found(site)["packwise_healthy",] == 1


def test_without_a_status_there_is_little_to_say(tmp_path, served):
    values = found(served(tmp_path))
    assert {name for name, *_ in values} == {"packwise_build_info", "packwise_healthy"}
    assert values["packwise_healthy",] == 0


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"waiting": [7, {"planned": "x"}], "nodes": None, "seconds": [], "controller": 3},
        {"cores": "many", "cycle": None, "written": None, "interval": "x", "health": 0},
    ],
)
def test_a_status_that_lacks_something(tmp_path, served, told):
    write(tmp_path, {"version": 1} | told)
    assert found(served(tmp_path))["packwise_healthy",] == 1


def test_labels_of_partitions_do_no_harm_and_are_not_endless(tmp_path, served):
    jobs = [waiting(str(k), NOW, partition=name) for k, name in enumerate(HOSTILE)]
    jobs += [waiting(str(100 + k), NOW, partition=f"p{k}") for k in range(500)]
    write(tmp_path, make_status(waiting=jobs, cluster=HOSTILE[3]))
    values = found(served(tmp_path))
    assert sum(name == "packwise_partition_planned_wait_seconds" for name, *_ in values) == 100


def test_no_job_and_no_user_is_told(tmp_path, served):
    write(tmp_path, large())
    text = served(tmp_path).ask("/metrics").text
    assert "user1" not in text
    assert "name-" not in text
    assert len(text.splitlines()) < 150


def test_the_manual_names_them_all(tmp_path, served):
    write(tmp_path, make_status())
    manual = Path("docs/howto/watch-the-queue-in-a-browser.md").read_text()
    for name, *_ in found(served(tmp_path)):
        assert f"`{name}" in manual


def test_names_and_words_as_they_should_be(tmp_path, served):
    write(tmp_path, make_status())
    site = served(tmp_path)
    for family in families(site):
        assert family.name.startswith("packwise_")
        assert family.documentation.endswith(".")
        assert family.type in ("gauge", "counter")
    assert site.ask("/metrics").headers["content-type"].startswith("text/plain; version=")


def test_the_newer_format_for_who_asks_for_it(tmp_path, served):
    found = served(tmp_path).ask("/metrics", Accept="application/openmetrics-text; version=1.0.0")
    assert found.headers["content-type"].startswith("application/openmetrics-text")
    assert found.text.endswith("# EOF\n")
