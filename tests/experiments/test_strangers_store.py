"""A store that a stranger has made: nothing in it runs, and what is wrong with it is told."""

from __future__ import annotations

import json
import os
import shutil
from hashlib import sha256
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packwise.experiments.execution import make_plan, run_plan
from packwise.experiments.record import checked_record, parsed, sealed
from packwise.experiments.store import Store
from packwise.experiments.study_file import read_study
from packwise.experiments.tables.results import StudyResults
from packwise.model.errors import InputError
from packwise.reports.study.material import study_material
from tests.draws import draws
from tests.experiments.conftest import InProcess

STUDY = """
policies = ["easy", "list-saf"]
metrics = ["BSLD"]
[[workload]]
generate = { jobs = 40, procs = 16, load = 1.2 }
"""


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A folder with a study and its results."""
    folder = tmp_path_factory.mktemp("sound")
    (folder / "study.toml").write_text(STUDY)
    found = read_study(folder / "study.toml")
    store = Store.open(found.store, create=True)
    run_plan(make_plan(found, store), store, InProcess(), lambda *_: None)
    return folder


@pytest.fixture
def study(sound, tmp_path):
    """A study with its results, one of which a stranger will have changed."""
    shutil.copytree(sound, tmp_path / "study")
    return read_study(tmp_path / "study" / "study.toml")


@pytest.fixture
def forge(study):
    """Write a record, with a checksum that fits, and look at the store in every way there is."""
    store, key = Store(study.store), study.scenarios[1].key
    path = store.path(key, ".json")
    good = json.loads(path.read_bytes())

    def write(change, schedule=None, thoroughly=True):
        record = json.loads(json.dumps(good))
        change(record)
        if schedule is not None:
            store.path(key, ".parquet").write_bytes(schedule)
            facts = {"bytes": len(schedule), "sha256": sha256(schedule).hexdigest()}
            record["schedule"] = facts
        path.write_text(json.dumps(sealed(record)))
        return look(study, store, thoroughly)

    return write


def look(study, store, thoroughly=True):
    """What is wrong, in words; "" if all is well."""
    frame, troubles = store.survey()
    assert len(frame) + len(troubles) == 2
    said = [trouble.reason for trouble in troubles]
    if troubles and not thoroughly:  # to the others it is as if the record were not there
        return " ".join(said)
    StudyResults.of(study, frame)
    make_plan(study, store)
    for see in (
        lambda: study_material(study, store, ""),
        lambda: [store.replayed(one.key) for one in study.scenarios],
    ):
        try:
            see()
        except InputError as error:
            said.append(str(error))
    return " ".join(said)


def put(*path, value):
    """A change of a record: something else at one of its places."""

    def change(record):
        for name in path[:-1]:
            record = record[name]
        record[path[-1]] = value

    return change


HUGE = 10**400
PLACES = [
    *(
        ("jobs",),
        ("rejected",),
        ("too_wide",),
        ("procs",),
        ("rounds",),
        ("seconds",),
        ("compiled",),
    ),
    *(
        ("reproducible",),
        ("remarks",),
        ("names",),
        ("names", "user"),
        ("counts",),
        ("origin",),
        ("written",),
        ("metrics",),
        ("metrics", "BSLD"),
        ("schedule",),
    ),
    *(("schedule", "bytes"), ("schedule", "sha256"), ("scenario",), ("scenario", "policy")),
    *(("scenario", "replica"), ("scenario", "workload", "label"), ("key",), ("format",)),
]


@pytest.mark.parametrize("place", PLACES, ids=".".join)
def test_wrong_types_and_sizes(forge, place):
    for value in (None, "../../x", -1, 1.5, True, HUGE, [], {}, {"a": HUGE}):
        said = forge(put(*place, value=value), thoroughly=value is None)
        assert "Traceback" not in said
        right = {
            "seconds": (-1, 1.5),
            "metrics.BSLD": (None, -1, 1.5),
            "reproducible": (None, True),
            "remarks": ([],),
            "names": ({},),
            "counts": ([],),
            "origin": ({},),
            "written": ("x", "../../x"),
            "compiled": (True,),
            "scenario.workload.label": ("x", "../../x"),
            "metrics": ({},),
        }.get(".".join(place), ())
        assert bool(said) != (value in right and type(value) in map(type, right)), (place, value)


def test_metrics_that_are_called_like_facts(forge):
    for name in ("key", "policy", "stamp", "seconds", "reproducible"):
        assert f"one that is called {name}" in forge(put("metrics", name, value=1.0))


def test_more_metrics_than_there_can_be(forge):
    many = {f"metric {i}": 1.0 for i in range(2001)}
    assert "at most 2,000 metrics, found 2,001" in forge(put("metrics", value=many))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[" * 200_000, "nested too deeply"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested too deeply"),
        (b'{"format": ' + b"9" * 10_000 + b"}", "is not JSON"),
        (b'{"format": NaN}', "is not JSON"),
        (b'{"format": 1e999}', "expected format 1, found inf"),
        (b"\xff\xfe", "is not JSON"),
        (b'{"format": "' + b"x" * 10_000 + b'"}', "..."),
    ],
)
def test_hostile_json(study, content, said):
    """In a record, in a failure and in the description of the store."""
    store, key = Store(study.store), study.scenarios[1].key
    store.path(key, ".json").write_bytes(content)
    frame, (trouble,) = store.survey()
    assert (len(frame), said in trouble.reason) == (1, True)
    assert len(str(trouble)) < 1000
    (study.store / "failures").mkdir()
    (study.store / "failures" / f"{key}.json").write_bytes(content)
    failure = store.failure(key)
    assert failure is None or isinstance(failure, dict)
    (study.store / "store.json").write_bytes(content)
    with pytest.raises(InputError):
        Store.open(study.store)


def test_a_record_that_is_too_large_is_not_read(study):
    store, key = Store(study.store), study.scenarios[1].key
    with store.path(key, ".json").open("r+b") as file:
        file.truncate(10**10)  # takes no room
    (trouble,) = store.survey()[1]
    assert "expected at most 67,108,864 bytes, found 10,000,000,000" in trouble.reason


def test_code_in_a_record_is_not_run(forge, study, tmp_path):
    """The specification of a scenario may name files and hold the text of a policy: nobody runs it."""
    trap = tmp_path / "ran"
    code = f"open({str(trap)!r}, 'w')\nmine = None\n"
    (tmp_path / "trap.py").write_text(code)
    for name in ("policy", "estimate"):
        evil = {
            "label": "evil",
            "name": f"{tmp_path / 'trap.py'}:mine",
            "source": code,
            "imports": [{"name": "trap", "path": str(tmp_path / "trap.py"), "source": code}],
            "packages": ["__import__('os').system('touch ran')"],
            "parameters": {},
        }
        assert forge(put("scenario", name, value=evil)) == ""
    assert not trap.exists()


def test_files_with_names_that_lead_elsewhere(study, tmp_path):
    """Only files that are called like a key are results; where a link leads is not written to."""
    outside = tmp_path / "outside.json"
    outside.write_text("mine")
    store, key = Store(study.store), study.scenarios[1].key
    path = store.path(key, ".json")
    (path.parent / "x..%2f..%2fy.json").write_text("{}")
    path.unlink()
    path.symlink_to(outside)
    reasons = [trouble.reason for trouble in store.survey()[1]]
    assert any("does not belong to the store" in reason for reason in reasons)
    assert any("is not JSON" in reason for reason in reasons)
    os.unlink(study.store / "index.parquet")
    (study.store / "index.parquet").symlink_to(outside)
    store.survey()
    assert outside.read_text() == "mine"


def broken_schedules(good):
    import polars as pl

    def written(frame):
        content = BytesIO()
        frame.write_parquet(content)
        return content.getvalue()

    frame = pl.read_parquet(BytesIO(good))
    yield b""
    yield good[: len(good) // 2]
    yield b"PAR1" + bytes(1000) + b"PAR1"
    yield written(frame.head(0))
    yield written(frame.drop("start"))
    yield written(frame.with_columns(start=pl.lit("__import__('os')")))
    yield written(frame.with_columns(start=pl.lit(None, pl.Int64)))
    yield written(frame.with_columns(start=pl.lit(2**62)))
    yield written(frame.with_columns(end=pl.lit(-(2**63))))
    yield written(frame.with_columns(demand=pl.lit(-5)))
    yield written(frame.with_columns(job_id=pl.lit(1)))
    yield written(frame.with_columns(runtime=pl.lit(float("nan"))))
    yield written(frame.with_columns(submit=pl.lit([1, 2])))


def test_schedules_that_are_none(forge, study):
    good = Store(study.store).schedule(study.scenarios[1].key)
    for number, content in enumerate(broken_schedules(good)):
        assert forge(lambda record: None, content), number


@pytest.mark.draws
def test_schedules_with_bytes_changed_here_and_there(forge, study):
    """Refused, or as good as before; Polars gives up in its own way on some of them."""
    import random

    good = Store(study.store).schedule(study.scenarios[1].key)
    place = random.Random(1)
    for _ in range(draws(60)):
        content = bytearray(good)
        content[place.randrange(len(good))] ^= place.randrange(1, 256)
        forge(lambda record: None, bytes(content))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda part: st.lists(part) | st.dictionaries(st.text(), part),
    )
)
def test_any_json_is_a_record_or_refused(value):
    with pytest.raises(ValueError):
        checked_record("0" * 64, parsed(json.dumps(value).encode()))
