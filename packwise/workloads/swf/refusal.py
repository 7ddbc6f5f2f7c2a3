"""Why a line is not SWF, in words.

The compiled scanner says only *which* line breaks a rule; this module reads that one line again,
slowly, and says what was expected and what was found.
"""

from __future__ import annotations

import math
import re

from packwise.model.errors import FormatError
from packwise.model.workload import LARGEST
from packwise.workloads.swf.fields import FIELDS, FLOAT_FIELDS

_NUMBER = re.compile(rb"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_LONGEST_QUOTE = 40


def looks_binary(line: bytes) -> bool:
    """Control characters, or bytes that are not UTF-8 text."""
    if _BINARY.search(line):
        return True
    try:
        line.decode()
    except UnicodeDecodeError:
        return True
    return False


def binary_content(path: str, line: int | None = None) -> FormatError:
    """The refusal of a file that is not text."""
    return FormatError(
        path,
        line=line,
        expected="an SWF text file, plain or compressed with gzip",
        found="binary content",
        remedy="Unpack the file first if it was compressed in another way (zip, bzip2, xz, zstd).",
    )


def explain(path: str, number: int, line: bytes) -> FormatError:
    """The refusal of one job line."""
    if looks_binary(line):
        return binary_content(path, number)
    tokens = line.split()
    if len(tokens) != len(FIELDS):
        return FormatError(
            path,
            line=number,
            expected=f"{len(FIELDS)} fields",
            found=f"{len(tokens)} field{'' if len(tokens) == 1 else 's'}",
            remedy=(
                "This does not look like SWF, whose fields are separated by blanks: convert it first."
                if b"|" in line or b"," in line
                else "Write -1 for unknown values, or start the line with ';' if it is a comment."
            ),
        )
    for position, ((name, meaning), token) in enumerate(
        zip(FIELDS.items(), tokens, strict=True), 1
    ):
        kind = "a number" if name in FLOAT_FIELDS else "a whole number"
        found, remedy = "", ""
        if not _NUMBER.fullmatch(token):
            found = f"'{_quote(token)}'"
            remedy = "Write -1 if the value is unknown."
        elif abs(value := float(token)) >= LARGEST or _nearest(abs(value)) >= LARGEST:
            kind += " below 2^40 (about 1.1e12) in absolute value"
            found = _quote(token)
            remedy = "The value cannot be a time in seconds or a count; correct or remove the line."
        elif name == "submit" and value <= -1.5:
            kind = "a time of 0 or more, in seconds after the start of the log (or -1, unknown),"
            found = _quote(token)
            remedy = "Shift all submit times, with UnixStartTime to match, or remove the line."
        if found:
            expected = f"{kind} in field {position} ({meaning})"
            return FormatError(path, line=number, expected=expected, found=found, remedy=remedy)
    raise AssertionError(f"line {number} of {path} was refused for no reason: {line!r}")


def _nearest(value: float) -> float:
    """To the nearest whole number; for the size check only, where halves do not matter."""
    return math.floor(value + 0.5) if math.isfinite(value) else value


def _quote(token: bytes) -> str:
    text = token.decode()
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}..."
