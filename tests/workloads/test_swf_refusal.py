"""Every refused input, and what the message says about it."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from packwise.model.errors import FormatError, InputError
from packwise.workloads.swf import read_swf

GOOD = "1 0 5 60 4 -1 -1 4 100 -1 1 7 8 9 2 3 -1 -1"
PACKED = gzip.compress(GOOD.encode(), mtime=0)


def job(field: int, text: str) -> str:
    """The good line with one field (1, 2, ...) replaced."""
    tokens = GOOD.split()
    tokens[field - 1] = text
    return " ".join(tokens)


BAD_LINES = [
    ("1 2 3", ["expected 18 fields", "found 3 fields"]),
    (GOOD + " 5", ["expected 18 fields", "found 19 fields"]),
    ("hello", ["expected 18 fields", "found 1 field."]),
    ("1,0,5,60,4,-1,-1,4,100,-1,1,7,8,9,2,3,-1,-1", ["18 fields", "found 1 field."]),
    (job(4, "abc"), ["a whole number in field 4 (run time)", "found 'abc'"]),
    (job(9, "1:00:00"), ["field 9 (requested time)", "found '1:00:00'"]),
    (job(6, "NaN"), ["a number in field 6 (average CPU time used)", "found 'NaN'"]),
    (job(6, "inf"), ["field 6", "found 'inf'"]),
    (job(4, "-Infinity"), ["field 4", "found '-Infinity'"]),
    (job(4, "0x10"), ["field 4", "'0x10'"]),
    (job(4, "1_000"), ["field 4", "'1_000'"]),
    (job(4, "--5"), ["field 4", "'--5'"]),
    (job(4, "1e"), ["field 4", "'1e'"]),
    (job(4, "."), ["field 4", "'.'"]),
    (job(4, "-"), ["field 4", "'-'"]),
    (job(4, "1.2.3"), ["field 4", "'1.2.3'"]),
    (job(4, "x" * 500), ["field 4", "'" + "x" * 40 + "...'"]),
    (job(4, "naïve"), ["field 4", "'naïve'"]),
    (job(2, "-5"), ["0 or more", "field 2 (submit time)", "found -5", "UnixStartTime"]),
    (job(2, "-1e3"), ["field 2 (submit time)", "found -1e3"]),
    (job(4, str(2**63)), ["below 2^40", "field 4 (run time)", f"found {2**63}"]),
    (job(4, str(2**40)), ["below 2^40", "field 4", str(2**40)]),
    (job(3, str(-(2**40))), ["below 2^40", "field 3 (wait time)"]),
    (job(4, "1099511627775.5"), ["below 2^40", "field 4"]),
    (job(4, "1e999"), ["below 2^40", "found 1e999"]),
    (job(7, "1e13"), ["a number below 2^40", "field 7 (memory used)"]),
    (job(5, "9" * 400), ["below 2^40", "field 5 (processors used)"]),
    ("\x01\x02 PK", ["binary content"]),
]


@pytest.mark.parametrize(("line", "says"), BAD_LINES)
def test_bad_line(tmp_path: Path, line: str, says: list[str]) -> None:
    path = tmp_path / "bad.swf"
    path.write_text(f"; header\n{job(1, '77')}\n{line}\n{job(1, '78')}\n", encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        read_swf(path)
    assert caught.value.line == 3
    assert caught.value.path == str(path)
    assert caught.value.remedy
    for text in (f"{path}, line 3", *says):
        assert text in str(caught.value)


def test_the_first_bad_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.swf"
    path.write_text("\n".join([GOOD, job(4, "1e99"), "1 2 3"]))  # both kinds of check
    with pytest.raises(FormatError) as caught:
        read_swf(path)
    assert caught.value.line == 2


def test_largest_number_that_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "large.swf"
    path.write_text(job(4, str(2**40 - 1)))
    assert read_swf(path).columns["runtime"][0] == 2**40 - 1


def test_duplicate_ids_name_both_lines(tmp_path: Path) -> None:
    path = tmp_path / "twice.swf"
    path.write_text("; header\n" + "\n".join([job(1, "9"), job(1, "5"), job(1, "9"), job(1, "5")]))
    with pytest.raises(FormatError) as caught:
        read_swf(path)
    assert caught.value.line == 4
    assert "job 9, which is on line 2 already" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "an empty file"),
        (b"\n \n\t\r\n", "an empty file"),
        (gzip.compress(b"", mtime=0), "an empty file"),
        (b"; MaxProcs: 5\n; Note: x\n", "a header of 2 lines and no jobs"),
        (PACKED[:-4], "ends too early (truncated)"),
        (PACKED[:20], "ends too early (truncated)"),
        (PACKED[:-8] + b"\0" * 8, "a corrupt gzip file"),
        (PACKED[:10] + b"\xff" * 40, "a corrupt gzip file"),
        (b"\x1f\x8b\x99" + b"x" * 40, "a corrupt gzip file"),
        (b"BZh91AY&SY\x00\x01\x02", "binary content"),
        (b"PK\x03\x04\x14\x00\x08", "binary content"),
        (b"\xff\xfe1\x00 \x000\x00", "binary content"),  # UTF-16
        (b"; header\n\x9f\x80\xff 1 2 3", "binary content"),
        (gzip.compress(PACKED, mtime=0), "binary content"),
    ],
    ids=range(14),
)
def test_bad_file(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "bad.swf.gz"
    path.write_bytes(content)
    with pytest.raises(FormatError, match="expected") as caught:
        read_swf(path)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)
    assert caught.value.remedy


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.swf: no such file\. Check the name"):
        read_swf(tmp_path / "nowhere.swf")


def test_a_job_that_ran_has_a_submit_time(tmp_path: Path) -> None:
    path = tmp_path / "log.swf"
    path.write_text("; MaxProcs: 4\n1 -1 0 10 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1\n")
    with pytest.raises(
        FormatError, match=r"line 2: expected a submit time of 0 or more .*, found -1"
    ):
        read_swf(path)


def test_directory(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is a folder\. Name the file inside it"):
        read_swf(tmp_path)


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "secret.swf"
    path.write_text(GOOD)
    if os.geteuid() == 0:  # root may read everything

        def refuse(self: Path) -> bytes:
            raise PermissionError(13, "Permission denied", str(self))

        monkeypatch.setattr(Path, "read_bytes", refuse)
    else:
        path.chmod(0)
    with pytest.raises(InputError, match=r"no permission to read the file.*chmod"):
        read_swf(path)


def test_impossible_path() -> None:
    with pytest.raises(InputError, match="could not be read"):
        read_swf("a\0b")


def test_file_used_as_folder(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    with pytest.raises(InputError, match="could not be read"):
        read_swf(tmp_path / "x" / "y.swf")
