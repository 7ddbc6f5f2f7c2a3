"""The compiled scanner against its naive twin, and against garbage."""

from __future__ import annotations

import gzip
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from packwise.model.errors import FormatError, PackwiseError
from packwise.workloads.swf import SwfLog, read_swf
from packwise.workloads.swf.fields import NAMES
from tests.draws import draws
from tests.workloads.naive_swf import naive_swf

SETTINGS = settings(
    max_examples=draws(150),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

whole = st.integers(-1, 2**40 - 1).map(str)
decimal = st.decimals(0, 10**12, allow_nan=False, places=3).map(str)
floating = st.floats(-1, 1e12).map(repr)
odd = st.sampled_from(
    ["0", "+7", "1e3", "1.5e-3", ".5", "5.", "-0.5", "2.5", "007", "1E+2", "0.1234567890123456"]
)
long = st.sampled_from(["123456789.12345678901234567", "0." + "0" * 30, "0" * 30 + "1.5"])
number = st.one_of(st.just("-1"), whole, decimal, floating, odd, long)
large = [str(2**40), "1099511627775.5", "9" * 30, "1e99", str(-(2**63))]
poison = st.sampled_from(["x", "nan", "1e", "-", ".", "1.2.3", "-2", "-1.5", "-1.49", *large])
blank = st.sampled_from([" ", "  ", "\t", " \t "])


@st.composite
def job_lines(draw: st.DrawFn) -> str:
    count = draw(st.sampled_from([18] * 20 + [17, 19]))
    safe = draw(st.booleans())
    tokens = [draw(st.integers(0, 10**6).map(str) if safe else number) for _ in range(count)]
    if draw(st.integers(0, 30)) == 0:
        tokens[draw(st.integers(0, count - 1))] = draw(
            st.sampled_from(["x", "nan", "1e", "-", "."])
        )
    return draw(blank) + "".join(token + draw(blank) for token in tokens)


line = st.one_of(job_lines(), job_lines(), st.sampled_from(["", "   ", "; MaxProcs: 7", "  ;x"]))
logs = st.tuples(st.lists(line, min_size=1, max_size=8), st.sampled_from(["\n", "\r\n"])).map(
    lambda pair: pair[1].join(pair[0]).encode()
)


edit = st.tuples(st.integers(0, 10**6), st.integers(0, 255))  # place, new byte


def outcome(path: Path, content: bytes) -> SwfLog | PackwiseError:
    path.write_bytes(content)
    try:
        return read_swf(path)
    except PackwiseError as error:
        return error


@SETTINGS
@given(logs)
def test_same_as_naive_twin(tmp_path: Path, content: bytes) -> None:
    got = outcome(tmp_path / "log.swf", content)
    expected = naive_swf(content)
    if expected.bad:
        assert isinstance(got, FormatError)
        assert got.line == expected.bad
        return
    ids = [row[0] for row in expected.rows]
    ran_unsubmitted = any(row[1] < 0 < row[3] for row in expected.rows)
    if not ids or len(set(ids)) < len(ids) or ran_unsubmitted:
        assert isinstance(got, FormatError)
        return
    assert isinstance(got, SwfLog), got
    assert got.line.tolist() == expected.lines
    assert [text.encode() for text in got.header] == [c.rstrip(b"\r") for c in expected.comments]
    assert got.fractional == expected.fractional
    for i, name in enumerate(NAMES):
        assert got.columns[name].tolist() == [row[i] for row in expected.rows], name


@SETTINGS
@given(st.binary(max_size=300))
def test_random_bytes(tmp_path: Path, content: bytes) -> None:
    outcome(tmp_path / "log.swf", content)
    outcome(tmp_path / "log.swf", b"\x1f\x8b" + content)


@SETTINGS
@given(logs, st.lists(edit, max_size=4), st.booleans())
def test_mutated_files(
    tmp_path: Path, content: bytes, edits: list[tuple[int, int]], packed: bool
) -> None:
    mutated = bytearray(gzip.compress(content) if packed else content)
    for place, byte in edits:
        if mutated:
            mutated[place % len(mutated)] = byte
    outcome(tmp_path / "log.swf", bytes(mutated))


@SETTINGS
@given(logs, st.integers(0, 400))
def test_truncated_files(tmp_path: Path, content: bytes, length: int) -> None:
    outcome(tmp_path / "log.swf", content[:length])
    outcome(tmp_path / "log.swf", gzip.compress(content)[:length])
