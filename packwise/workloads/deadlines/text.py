"""Deadline rules from text, such as ``slack(share=20%,queue=3+5)``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from packwise.model.errors import InputError, UnknownName, shortened
from packwise.model.specification import specification
from packwise.model.workload import LARGEST
from packwise.readable import parse_duration
from packwise.workloads.deadlines.column import Column
from packwise.workloads.deadlines.rules import DAYS, Clock, DeadlineRule, Slack

#: What each rule means, by name.
RULES = {
    "slack": "submission plus max(least, factor x limit); least=24h, factor=10",
    "morning": "the next morning by which the job can end; hour=8",
    "week": "the next end of week by which the job can end; day=mon, hour=8",
    "column": "the deadlines of the trace's own column, or of file=deadlines.csv (job_id,deadline)",
}

_WHICH = ("share", "seed", "queue", "user")
_PARAMETERS = {
    "slack": (*_WHICH, "least", "factor"),
    "morning": (*_WHICH, "hour"),
    "week": (*_WHICH, "day", "hour"),
    "column": ("file", "sha256"),
}
_FULL_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHARE = re.compile(r"(\d{0,3}(?:\.\d{0,20})?)\s*(%?)", re.ASCII)
_LIST = re.compile(r"-?\d{1,18}(\s*\+\s*-?\d{1,18})*", re.ASCII)


def parse_rules(texts: str | Iterable[str]) -> tuple[DeadlineRule, ...]:
    """The rules that texts name; a single text is one rule."""
    return tuple(parse_rule(text) for text in ([texts] if isinstance(texts, str) else texts))


def parse_rule(text: str) -> DeadlineRule:
    """The rule that a text names: the one place where a text becomes a rule."""
    written = specification("deadline rule", text, "slack(share=20%)")
    name = written.name.lower()
    if name not in RULES:
        raise UnknownName(
            "deadline rule", written.name, RULES, remedy="Quote it: 'slack(share=20%)'."
        )
    given = written.parameters(_PARAMETERS[name], owner=name, last="file")
    values = {key: _reader(key)(text, key, value) for key, value in given.items()}
    if name == "column":
        if "sha256" in values and "file" not in values:
            raise written.refusal("sha256 is that of a file. Add file=deadlines.csv.")
        return Column(values.get("file"), values.get("sha256"))
    fields = {"queue": "queues", "user": "users"}
    values = {fields.get(key, key): value for key, value in values.items()}
    if name == "slack":
        return Slack(**values)
    return Clock(**({"day": 0} if name == "week" else {}) | values)


def _reader(key: str) -> Callable[[str, str, str], Any]:
    return {
        "share": _share,
        "seed": _whole(None),
        "hour": _whole(23),
        "queue": _numbers,
        "user": _numbers,
        "least": _least,
        "factor": _factor,
        "day": _day,
        "file": lambda text, key, value: value,
        "sha256": _digest,
    }[key]


def _wrong(text: str, key: str, expected: str, value: str, remedy: str = "") -> InputError:
    found = f"deadline rule '{shortened(text)}': {key} should be {expected}, found '{shortened(value)}'."
    return InputError(f"{found} {remedy}".rstrip())


def _share(text: str, key: str, value: str) -> Fraction:
    expected = "between 0 and 1 or between 0% and 100%"
    found = _SHARE.fullmatch(value)
    digits = found.group(1) if found else ""
    if not found or digits in ("", "."):
        raise _wrong(text, key, expected, value, "Write share=20% or share=0.2.")
    share = Fraction(f"0{digits}0" if "." in digits else digits)
    share = share / 100 if found.group(2) else share
    if share > 1:
        percent = f"For {value} per cent write share={value}%." if not found.group(2) else ""
        raise _wrong(text, key, expected, value, percent if share <= 100 else "")
    return share


def _whole(most: int | None) -> Callable[[str, str, str], int]:
    limits = "of 0 or more" if most is None else f"from 0 to {most}"

    def read(text: str, key: str, value: str) -> int:
        if re.fullmatch(r"\d{1,18}", value, re.ASCII) and (most is None or int(value) <= most):
            return int(value)
        raise _wrong(text, key, f"a whole number {limits}", value)

    return read


def _numbers(text: str, key: str, value: str) -> tuple[int, ...]:
    if not _LIST.fullmatch(value):
        raise _wrong(text, key, "numbers joined by +, such as 3 or 3+5", value)
    return tuple(sorted({int(part) for part in value.split("+")}))


def _least(text: str, key: str, value: str) -> int:
    found = parse_duration(value, f"deadline rule '{text}': {key}")
    if found < 1:
        raise _wrong(text, key, "a duration above 0, such as 24h", value)
    return found


def _factor(text: str, key: str, value: str) -> float:
    try:
        found = float(value) if "_" not in value else math.nan
    except ValueError:
        found = math.nan
    if not 0 < found <= LARGEST:
        raise _wrong(text, key, "a number above 0 and up to 2^40, such as 10", value)
    return found


def _day(text: str, key: str, value: str) -> int:
    for short, full in zip(DAYS, _FULL_DAYS, strict=True):
        if value.lower() in (short, full):
            return DAYS.index(short)
    raise UnknownName("day", value, DAYS)


def _digest(text: str, key: str, value: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{64}", value):
        raise _wrong(text, key, "64 hexadecimal digits, as a study writes them", value)
    return value
