"""The store: written whole, read with care, never confused by what it finds."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace

import numpy as np
import pytest

from packwise import registry
from packwise.experiments import index as index_module
from packwise.experiments import work
from packwise.experiments.execution import make_plan, run_plan
from packwise.experiments.record import sealed
from packwise.experiments.scenario import load
from packwise.experiments.store import Store
from packwise.experiments.work import Done, Task, perform
from packwise.metrics import summarize
from packwise.model.errors import InputError, OutputError
from packwise.simulation import simulate


def ignore(scenario, result):
    pass


@pytest.fixture
def done(make_study, store):
    """One result, written."""
    scenario = make_study().scenarios[0]
    result = perform(Task(scenario))
    assert isinstance(result, Done)
    store.write(result)
    return result


def test_what_is_stored_is_what_the_library_computes(make_study, store, in_process):
    study = make_study("list-reg", "easy", "cbf")
    run_plan(make_plan(study, store), store, in_process, ignore)
    for scenario in study.scenarios:
        workload, cluster = load(scenario.workload, scenario.machine)[:2]
        run = simulate(workload, cluster, registry.policy(scenario.policy.name))
        _, _, schedule = store.replayed(scenario.key)
        assert np.array_equal(schedule.start, run.schedule.start)
        expected = summarize(run.workload, run.cluster, run.schedule)
        assert store.record(scenario.key)["metrics"] == expected
    frame = store.frame()
    assert sorted(frame["policy"].to_list()) == ["cbf", "easy", "list-reg"]
    assert frame["BSLD"].null_count() == 0


def test_a_second_start_has_nothing_to_do(make_study, store, in_process):
    study = make_study()
    run_plan(make_plan(study, store), store, in_process, ignore)
    again = make_plan(study, store)
    assert (again.ready, again.planned) == (2, ())


def test_scenarios_of_the_same_content_are_done_once(make_study, store, in_process):
    study = make_study()
    first = study.scenarios[0]
    twin = replace(first, workload=replace(first.workload, label="the same jobs"))
    assert twin.key == first.key
    both = study.replace(scenarios=(first, twin))
    run_plan(make_plan(both, store), store, in_process, ignore)
    assert len(in_process.tasks) == 1
    assert make_plan(both, store).ready == 2


def test_a_metric_that_is_missing_is_measured_without_a_replay(make_study, store, in_process):
    study = make_study()
    run_plan(make_plan(study, store), store, in_process, ignore)
    more = study.replace(metrics=("BSLD", "P1.5SF", "FST_misses"))
    plan = make_plan(more, store)
    assert [one.missing_metrics for one in plan.planned] == [("P1.5SF", "FST_misses")] * 2
    in_process.tasks.clear()
    run_plan(plan, store, in_process, ignore)
    assert all(task.schedule is not None for task in in_process.tasks)
    key = study.scenarios[0].key
    workload, cluster, schedule = store.replayed(key)
    expected = summarize(workload, cluster, schedule, ["P1.5SF", "FST_misses"])
    found = store.record(key)["metrics"]
    assert {name: found[name] for name in expected} == expected
    assert make_plan(more, store).planned == ()


def test_a_result_that_came_in_the_meantime_is_not_made_again(make_study, store, in_process):
    study = make_study()
    plan = make_plan(study, store)
    other = perform(Task(study.scenarios[0]))
    store.write(other)
    run_plan(plan, store, in_process, ignore)
    assert [task.scenario.key for task in in_process.tasks] == [study.scenarios[1].key]


@pytest.mark.parametrize(
    ("suffix", "content"),
    [
        (".json", b""),
        (".json", b"{"),
        (".json", b"[1, 2]"),
        (".json", b'{"format": 1, "key": "another"}'),
        (".json", b"\xff\xfe\x00"),
        (".parquet", b""),
        (".parquet", b"shorter than it should be"),
        (".parquet", None),
    ],
)
def test_damage_is_reported_and_made_good(make_study, store, in_process, done, suffix, content):
    path = store.path(done.key, suffix)
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    study = make_study("list-reg")
    plan = make_plan(study, store)
    assert len(plan.planned) == 1
    assert len(plan.troubles) == 1
    assert plan.troubles[0].path == store.path(done.key, ".json")
    run_plan(plan, store, in_process, ignore)
    again = make_plan(study, store)
    assert (again.planned, again.ready, again.troubles) == ((), 1, ())
    assert store.schedule(done.key) == done.schedule


def test_a_schedule_of_the_right_size_but_the_wrong_content(make_study, store, done):
    """Its size is right, so only a reader notices; then it is set aside and made anew."""
    path = store.path(done.key, ".parquet")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    assert make_plan(make_study("list-reg"), store).ready == 1
    with pytest.raises(InputError, match=r"set aside. Run the study again"):
        store.replayed(done.key)
    assert len(make_plan(make_study("list-reg"), store).planned) == 1


def test_foreign_files_are_named_and_left_alone(store, done):
    notes = store.path(done.key, ".json").parent / "notes.txt"
    notes.write_text("mine")
    _, troubles = store.survey()
    assert [(t.path, t.reason) for t in troubles] == [(notes, "does not belong to the store")]
    assert notes.read_text() == "mine"


def test_a_lost_or_damaged_index_is_made_again(store, done):
    before = store.frame()
    index = store.folder / "index.parquet"
    for content in (b"", b"PAR1 not really", None):
        if content is None:
            index.unlink()
        else:
            index.write_bytes(content)
        assert store.frame().equals(before)


def forged(store, **changes):
    """The index with other numbers, as somebody with Polars would write it."""
    import polars as pl

    index = store.folder / "index.parquet"
    frame = pl.read_parquet(index)
    new = [pl.lit(value, frame.schema[name]).alias(name) for name, value in changes.items()]
    frame.with_columns(new).write_parquet(index)


def test_an_index_that_was_cut_off_or_edited_is_made_again(store, done):
    before = store.frame()
    index = store.folder / "index.parquet"
    whole = index.read_bytes()
    for damage in (whole[:-1], whole[: len(whole) // 2], whole.replace(b"small", b"smell")):
        index.write_bytes(damage)
        assert store.frame().equals(before)
        assert index.read_bytes() == whole
    forged(store, BSLD=1.0)
    assert store.frame().equals(before)
    forged(store, policy="another")
    assert store.frame().equals(before)
    (store.folder / "index.sha256").write_text("")
    forged(store, jobs=1)
    assert store.frame().equals(before)


def test_the_index_of_another_store_is_not_believed(store, done, tmp_path):
    """Not even one that came with a copy of all files and times, and a checksum that fits."""
    before = store.frame()
    copy = Store(tmp_path / "copy")
    shutil.copytree(store.folder, copy.folder, copy_function=shutil.copy2)
    forged(copy, BSLD=1.0)
    content = (copy.folder / "index.parquet").read_bytes()
    (copy.folder / "index.sha256").write_bytes(index_module._seal(store.folder, content))
    assert copy.frame().equals(before)
    for name in ("index.parquet", "index.sha256"):
        shutil.copy2(copy.folder / name, store.folder / name)
    assert store.frame().equals(before)


def test_a_record_that_was_replaced_behind_the_index(store, done):
    """By one of the same size, with the same times."""
    store.frame()
    path = store.path(done.key, ".json")
    facts, content = path.stat(), path.read_bytes()
    value = str(done.record["metrics"]["BSLD"]).encode()
    path.write_bytes(content.replace(value, value[:-1] + (b"1" if value[-1:] != b"1" else b"2")))
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert path.stat().st_size == facts.st_size
    frame, (trouble,) = store.survey()
    assert (len(frame), trouble.path) == (0, path)
    assert "does not have the content that was written" in trouble.reason


def test_the_index_follows_changes(store, done):
    store.frame()
    changed = {**done.record, "metrics": {"BSLD": 7.0}}
    store.write(done._replace(record=changed))
    assert store.frame()["BSLD"].to_list() == [7.0]
    os.unlink(store.path(done.key, ".json"))
    assert len(store.frame()) == 0


def test_a_newer_store_is_refused_and_left_alone(store):
    described = store.folder / "store.json"
    described.write_text('{"format": 99, "made_by": "9.0"}')
    with pytest.raises(InputError, match=r"written by a newer Packwise \(9.0, format 99\)"):
        Store.open(store.folder, create=True)
    assert "99" in described.read_text()


def test_other_folders_are_no_stores(tmp_path):
    (tmp_path / "thesis.tex").write_text("!")
    with pytest.raises(InputError, match="is not a store of Packwise"):
        Store.open(tmp_path, create=True)
    with pytest.raises(InputError, match="Run the study first"):
        Store.open(tmp_path / "nothing")
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(InputError, match="found a file"):
        Store.open(file, create=True)


def test_a_full_disk_keeps_what_is_done(make_study, store, in_process, monkeypatch):
    study = make_study("list-reg", "easy", "cbf")
    written = Store.write

    def second_fails(self, result):
        if len(in_process.tasks) == 2:
            raise OutputError("no space left on device.")
        written(self, result)

    monkeypatch.setattr(Store, "write", second_fails)
    with pytest.raises(OutputError, match=r"no space left.*start the study again to go on"):
        run_plan(make_plan(study, store), store, in_process, ignore)
    monkeypatch.undo()
    assert make_plan(study, store).ready == 1


def test_a_failure_is_kept_with_its_traceback_until_it_succeeds(make_study, store, in_process):
    study = make_study()
    bad = replace(
        study.scenarios[0],
        policy=replace(
            study.scenarios[0].policy,
            name="broken.py:broken",
            source="def broken(view):\n    raise RuntimeError('out of luck')\n",
        ),
    )
    heard = []
    both = study.replace(scenarios=(bad, study.scenarios[1]))
    run_plan(make_plan(both, store), store, in_process, lambda s, r: heard.append((s, r)))
    assert len(heard) == 2
    failure = store.failure(bad.key)
    assert failure["error"] == "PolicyFailed"
    assert "out of luck" in failure["traceback"]
    assert make_plan(both, store).ready == 1
    good = perform(Task(study.scenarios[0]))
    store.write(good._replace(key=bad.key))
    assert store.failure(bad.key) is None


def test_another_version_of_the_code_must_not_answer(make_study):
    result = perform(Task(make_study().scenarios[0], code="0.0.1+other"))
    assert "Install the same version on all machines" in result.record["message"]


def test_the_key_is_the_content(make_study, tmp_path, monkeypatch):
    scenario = make_study().scenarios[0]
    source = scenario.workload.source
    same = [
        replace(scenario, workload=replace(scenario.workload, label="other")),
        replace(scenario, policy=replace(scenario.policy, label="other")),
        type(scenario).from_specification(json.loads(json.dumps(scenario.specification()))),
    ]
    assert {one.key for one in same} == {scenario.key}
    other = [
        replace(scenario, workload=replace(scenario.workload, source=replace(source, seed=9))),
        replace(scenario, machine=replace(scenario.machine, factor=1.1)),
        replace(scenario, policy=replace(scenario.policy, name="easy")),
        replace(scenario, estimate=replace(scenario.estimate, name="exact")),
        replace(scenario, policy=replace(scenario.policy, source="pass")),
    ]
    assert len({one.key for one in [scenario, *other]}) == 6
    from packwise.experiments import scenario as module

    monkeypatch.setattr(module, "code_digest", lambda: "another version")
    assert replace(scenario).key != scenario.key


def test_mutilated_records_never_get_into_the_table(store, done):
    """Take each part of a record away, or put something else there: refused, or as good as before."""
    path = store.path(done.key, ".json")
    for name in done.record:
        for value in (None, "x", [], {"sha256": 1}):
            path.write_text(json.dumps({**done.record, name: value}))
            frame, troubles = store.survey()
            assert len(frame) + len(troubles) == 1
        less = {key: value for key, value in done.record.items() if key != name}
        path.write_text(json.dumps(less))
        frame, troubles = store.survey()
        assert len(frame) + len(troubles) == 1


def test_leftovers_of_a_killed_run_are_cleared(store, done):
    folder = store.path(done.key, ".json").parent
    fresh, old = (folder / f".{done.key}.json.{end}" for end in ("x1y2", "k3l4"))
    mine = [store.folder / ".gitignore", folder / ".notes", store.folder / ".env"]
    for path in (fresh, old, *mine):
        path.write_text("")
        os.utime(path, (0, 0))
    os.utime(fresh)
    store.clear_leftovers()
    assert (fresh.exists(), old.exists()) == (True, False)
    assert all(path.exists() for path in mine)


def test_a_trace_that_changes_is_not_replayed_under_the_old_key(tmp_path):
    from packwise.experiments.scenario import (
        Choice,
        MachineSpec,
        Scenario,
        TraceFile,
        WorkloadSpec,
        file_digest,
    )
    from packwise.workloads.lublin import generate
    from packwise.workloads.swf import write_swf
    from packwise.workloads.window import Window

    path = tmp_path / "log.swf"
    write_swf(path, generate(20, 8, 1), procs=8)
    spec = WorkloadSpec("log", TraceFile(str(path), file_digest(path)), Window())
    scenario = Scenario(spec, MachineSpec(), Choice("easy", "easy"), Choice("exact", "exact"))
    assert isinstance(perform(Task(scenario)), Done)
    work._load.cache_clear()
    write_swf(path, generate(20, 8, 2), procs=8)
    failure = perform(Task(scenario))
    assert "the file changed after the study began" in failure.record["message"]


def test_measuring_again_keeps_what_is_known(make_study, store, in_process):
    study = make_study("list-reg")
    key = study.scenarios[0].key
    for names in (("P1.5SF",), ("lp_norm(3)",)):
        run_plan(make_plan(study.replace(metrics=names), store), store, in_process, ignore)
    assert {"BSLD", "P1.5SF", "lp_norm(3)"} <= set(store.record(key)["metrics"])


def test_two_runs_that_measure_different_things(make_study, store, in_process, done):
    """Both read the record before either writes it: none of the metrics is lost."""
    study = make_study("list-reg")
    plans = [make_plan(study.replace(metrics=(name,)), store) for name in ("P1.5SF", "lp_norm(3)")]
    record, schedule = store.record(done.key), store.schedule(done.key)
    for plan in plans:
        (one,) = plan.planned
        task = Task(one.scenario, one.missing_metrics, schedule=schedule, record=record)
        store.write(perform(task))
    assert {"P1.5SF", "lp_norm(3)"} <= set(store.record(done.key)["metrics"])


def test_a_result_of_another_run_that_lacks_our_metric(make_study, store, in_process):
    study = make_study("list-reg", metrics=("P1.5SF",))
    plan = make_plan(study, store)
    store.write(perform(Task(study.scenarios[0])))
    run_plan(plan, store, in_process, ignore)
    assert make_plan(study, store).ready == 1


def test_a_record_that_only_the_index_refuses_is_made_again(make_study, store, in_process, done):
    path = store.path(done.key, ".json")
    less = {name: value for name, value in done.record.items() if name != "written"}
    path.write_text(json.dumps(less))
    study = make_study("list-reg")
    run_plan(make_plan(study, store), store, in_process, ignore)
    assert make_plan(study, store).ready == 1


def test_the_index_notices_a_schedule_that_is_gone(make_study, store, done):
    assert make_plan(make_study("list-reg"), store).ready == 1
    store.path(done.key, ".parquet").unlink()
    assert make_plan(make_study("list-reg"), store).ready == 0


def test_the_index_notices_a_record_of_the_same_size(store, done):
    store.frame()
    path = store.path(done.key, ".json")
    changed = sealed({**done.record, "jobs": done.record["jobs"] + 1})
    path.write_text(json.dumps(changed))
    os.utime(path, ns=(10**18, 10**18))
    assert store.frame()["jobs"].to_list() == [changed["jobs"]]


def test_a_number_that_was_changed_by_hand(make_study, store, in_process, done):
    """Somebody improves a metric in the record: it is noticed, and measured again."""
    path = store.path(done.key, ".json")
    record = json.loads(path.read_bytes())
    record["metrics"]["BSLD"] = 1.5
    path.write_text(json.dumps(record))
    study = make_study("list-reg")
    plan = make_plan(study, store)
    assert "does not have the content that was written" in plan.troubles[0].reason
    run_plan(plan, store, in_process, ignore)
    assert store.record(done.key)["metrics"] == done.record["metrics"]


def test_trouble_with_reading_is_no_damage(make_study, store, done, monkeypatch):
    """Too many open files, say: the result stays."""

    def no_more(self):
        raise OSError(24, "Too many open files")

    content = store.path(done.key, ".json").read_bytes()
    reading = type(store.folder).read_bytes
    monkeypatch.setattr(
        type(store.folder),
        "read_bytes",
        lambda self: no_more(self) if self.suffix == ".parquet" else reading(self),
    )
    with pytest.raises(InputError, match="Too many open files"):
        store.schedule(done.key)
    monkeypatch.undo()
    assert store.path(done.key, ".json").read_bytes() == content


def test_labels_that_are_no_utf8(make_study, store):
    """A folder with a strange name gives labels with strange letters; they are kept."""
    scenario = make_study().scenarios[0]
    odd = replace(scenario, workload=replace(scenario.workload, label="log \udcff \N{SNOWMAN}"))
    store.write(perform(Task(odd)))
    assert store.record(odd.key)["scenario"]["workload"]["label"] == "log \udcff \N{SNOWMAN}"
    assert store.frame()["workload"].to_list() == ["log ? \N{SNOWMAN}"]


def test_a_store_that_cannot_be_read(store, done):
    folder = store.folder / "results"
    folder.rename(store.folder / "elsewhere")
    folder.write_text("")
    with pytest.raises(InputError, match="the store cannot be read"):
        store.survey()


def test_broken_links_do_not_belong_to_the_store(store, done):
    link = store.path(done.key, ".json").parent / f"{done.key[:2]}{'0' * 62}.json"
    link.symlink_to("/nowhere/at/all")
    assert [str(t.path) for t in store.survey()[1]] == [str(link)]


def test_a_store_in_a_folder_with_brackets(make_study, tmp_path):
    odd = Store.open(tmp_path / "a[1]*", create=True)
    result = perform(Task(make_study().scenarios[0]))
    odd.write(result)
    assert odd.jobs([result.key]).collect()["key"].unique().to_list() == [result.key]


def test_jobs_of_results_with_different_columns(make_study, store):
    """Conservative backfilling promises starts, EASY does not."""
    done = [perform(Task(scenario)) for scenario in make_study("cbf", "easy").scenarios]
    for result in done:
        store.write(result)
    jobs = store.jobs([result.key for result in done]).collect()
    assert len(jobs) == 120
    told = {key: part["promised_start"].null_count() for (key,), part in jobs.group_by("key")}
    assert told == {done[0].key: 0, done[1].key: 60}
    assert store.jobs([]).collect().is_empty()


def test_a_metric_that_has_no_finite_value_was_measured(make_study, store, done):
    """It is null in tables, but there is nothing to do again."""
    record = {**done.record, "metrics": {**done.record["metrics"], "lp_norm(3)": None}}
    store.write(done._replace(record=record))
    assert make_plan(make_study("list-reg", metrics=("lp_norm(3)",)), store).ready == 1
