"""compare(), read() and what tables and notebooks get of runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import packwise
from packwise import notebook
from packwise.metrics.usual import USUAL
from packwise.model.errors import InputError
from packwise.model.workload import NO_DEADLINE, Workload
from packwise.registry import estimate, policy
from packwise.workloads.lublin import generate
from tests.workloads.records import site

JOBS = generate(200, procs=64, seed=3, load=0.9)


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "sacct.txt"
    path.write_text(site.sacct(site.jobs(60)))
    return path


def test_names_and_objects_are_the_same() -> None:
    by_name = packwise.simulate(JOBS, 64, "easy", "last2")
    by_object = packwise.simulate(JOBS, 64, policy("easy"), estimate("last2"))
    assert (by_name.schedule.start == by_object.schedule.start).all()
    with pytest.raises(InputError, match="easi"):
        packwise.simulate(JOBS, 64, "easi")


def test_runs_side_by_side() -> None:
    found = packwise.compare(JOBS, 64, "easy,list-saf", baseline="list-saf")
    assert found.labels == ["easy", "list-saf"]
    assert found.comparison.baseline == 1
    assert [one.name for one in found.comparison.metrics] == list(USUAL)
    run = found["easy"]
    values = packwise.summarize(run.workload, run.cluster, run.schedule, ["wait"])
    table = found.to_polars()
    assert table["wait"][0] == values["wait"]
    assert table["wait_change_percent"][1] == 0
    assert "easy" in repr(found)
    assert "list-saf" in found.words()
    assert found["list-saf"].policy == "list-saf"


def test_the_help_shows_what_is_usual() -> None:
    from packwise.cli.compare import DEFAULT_METRICS

    assert ",".join(USUAL) == DEFAULT_METRICS


def test_a_file_is_enough(dump: Path) -> None:
    found = packwise.compare(dump, policies=["recorded", "easy"], metrics="wait")
    jobs = site.jobs(60)
    mean = sum(job.start - job.eligible for job in jobs) / len(jobs)
    assert found.to_polars()["wait"][0] == pytest.approx(mean)
    with pytest.raises(InputError, match="needs a machine"):
        packwise.compare(JOBS)
    with pytest.raises(InputError, match="expected policies"):
        packwise.compare(JOBS, 64, [])


def test_all_runs_have_the_same_jobs() -> None:
    told = JOBS.replace(extra={"wait": np.where(JOBS.id % 2 == 0, 5, -1)})
    found = packwise.compare(told, 64, "recorded,easy", metrics="wait")
    assert {len(run.workload) for run in found.runs} == {100}
    assert found.remarks == (
        "left out: 100 of 200 jobs, of which the log does not tell when they started",
    )


def test_parts_of_a_file(dump: Path) -> None:
    every = packwise.read(dump)
    some = packwise.read(dump, 400, since="2h", only="user=alice")
    assert some.cluster.procs == 400
    first = every.workload.submit[0]
    users = [every.workload.name_of("user", k) for k in every.workload.user]
    kept = [
        i for i, (at, user) in enumerate(zip(every.workload.submit, users, strict=True))
        if at - first >= 7200 and user == "alice"
    ]  # fmt: skip
    assert some.workload.id.tolist() == every.workload.id[kept].tolist()
    assert repr(some).startswith("<Trace sacct.txt: <Workload 'sacct': ")


def test_tables_of_jobs(dump: Path) -> None:
    trace = packwise.read(dump)
    run = packwise.simulate(trace.workload, trace.cluster, "recorded")
    table = run.to_polars()
    assert table["user_name"].to_list() == [
        trace.workload.name_of("user", k) for k in trace.workload.user
    ]
    assert table["wait"].to_list() == trace.workload.extra["wait"].tolist()
    assert (table["end"] - table["start"]).to_list() == trace.workload.runtime.tolist()
    jobs = Workload.of([(0, 1, 1, 1), (0, 1, 2, 2)]).replace(deadline=np.array([9, NO_DEADLINE]))
    assert jobs.to_polars()["deadline"].to_list() == [9, None]
    never = packwise.Schedule([0, -1], [1, -1])
    assert never.to_polars()["start"].to_list() == [0, None]
    assert repr(never) == "<Schedule: 1 of 2 jobs ran>"


def test_pandas_is_asked_for_politely(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="to_pandas\\(\\) needs pandas"):
        JOBS.to_pandas()


def test_notebooks_show_words_tables_and_pictures(dump: Path) -> None:
    """Those of comparisons and runs: `examples/side_by_side.ipynb`, which is run with the documentation."""
    trace = packwise.read(dump)
    trace = trace._replace(workload=trace.workload.replace(name="<script>x</script>"))
    text = trace._repr_html_()
    assert text.count("<svg") == 1
    assert 'width="' not in text[text.index("<svg") : text.index(">", text.index("<svg"))]
    assert "<script>" not in text.split("<svg")[0]
    assert "<table>" in trace.workload._repr_html_()
    assert notebook.html(3) == "<pre>3</pre>"
