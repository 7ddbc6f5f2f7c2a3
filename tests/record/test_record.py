"""A slice of the record is what is kept; and changes are told."""

from __future__ import annotations

import pytest

from packwise import registry
from tests.record import files, times
from tests.record.commands import has_json
from tests.record.digests import digest
from tests.record.facts import questions
from tests.record.live import Steered
from tests.record.replays import Replay

SLICE = (
    Replay("pool", "easy", ("requested", "last2")),
    Replay("deadlines", "dbf", ("exact",)),
    Replay("nodes", "cbf", ("last2",)),
    Replay("gpus", "slurm", ("requested",)),
    Replay("outages", "list-saf", ("last2",)),
    Replay("cap", "packwise", ("requested",)),
    Steered("easy", 1000, "text", 1),
)


@pytest.fixture(scope="module")
def kept():
    return files.read(files.KEPT)


@pytest.mark.parametrize("question", SLICE, ids=str)
def test_results_are_those_that_are_kept(kept, question):
    for line in question.lines():
        asked, _, came = line.rpartition(files.ARROW)
        assert kept.get(asked) == came, (
            f"{asked}: expected {kept.get(asked)}, found {came}. `python -m tests.record compare` shows all "
            "that has changed; if it is meant, `python -m tests.record write`."
        )


def test_every_policy_is_in_the_record(kept):
    told = {word for asked in kept for word in asked.split() if word.startswith("policy=")}
    assert {f"policy={name}" for name in registry.POLICIES} <= told


def test_the_kept_record_is_sorted():
    lines = files.KEPT.read_text(encoding="utf-8").splitlines()
    assert lines == sorted(set(lines))


def test_questions_are_asked_once():
    asked = [str(one) for one in questions()]
    assert len(asked) == len(set(asked))


def test_what_is_different_is_told(tmp_path):
    before, now = tmp_path / "before.txt", tmp_path / "now.txt"
    files.write(["b -> starts=1 rounds=2", "a -> refused: no", "c -> starts=1"], before)
    files.write(["b -> starts=1 rounds=3", "a -> starts=7", "d -> starts=1"], now)
    found = files.differences(files.read(before), files.read(now))
    assert found.words() == [
        "changed: a",
        "    refused: no",
        "    starts=7",
        "changed: b",
        "    rounds=2 became 3",
        "missing: c",
        "new: d",
        "2 changed, 1 missing, 1 new",
    ]
    assert found
    assert not files.differences(files.read(now), files.read(now))


def test_a_file_that_is_no_record(tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("something else\n")
    with pytest.raises(SystemExit, match=r"other.txt, line 1: expected"):
        files.read(other)
    with pytest.raises(SystemExit, match="found none"):
        files.read(tmp_path / "nothing.txt")


def test_digests_see_values_and_not_their_last_digits():
    assert digest({"a": 1, "b": [0.1 + 0.2]}) == digest({"b": [0.3], "a": 1})
    assert digest({"a": 1}) != digest({"a": 2})
    assert digest([1, 2], [3]) != digest([1], [2, 3])
    assert digest(None) == "-"


def test_commands_with_json_are_found():
    assert has_json(["replay", "log.swf"])
    assert has_json(["study", "table", "study.toml"])
    assert not has_json(["workload", "generate", "log.swf"])


def test_times_are_compared_in_calibrations():
    before = {"time easy": "ms=20.0 in=2.0"}
    now = {"time easy": "ms=15.0 in=3.0", "time new": "ms=1.0 in=1.0"}
    assert [line.split() for line in times.ratios(before, now)] == [["easy", "1.500"]]
