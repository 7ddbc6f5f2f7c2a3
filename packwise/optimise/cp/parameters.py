"""What ``cp-awf(limit=1s, jobs=30)`` may set, out of text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from packwise.model.errors import InputError
from packwise.optimise.deadlines import deadline_mode

PARAMETERS = {
    "limit": "wall time per round, such as 500ms, 20s or 2m (20s); the schedule is not reproducible",
    "extension": "more wall time if no plan was found, 0s for none (twice the limit)",
    "deterministic": "a limit per round in CP-SAT's own measure of work instead, such as 0.1 (often "
    "seconds): the schedule is reproducible",
    "workers": "threads of the solver (one per CPU, at least 8; 1 with a deterministic limit)",
    "seed": "of the solver's random choices (0)",
    "deadlines": "hard: the objective is that of the regular jobs, and no deadline is broken that a list plan "
    "or the last plan keeps; soft: the delay of a late job counts ten times, not with P2SF; or ignore (hard)",
    "jobs": "how many jobs from the head of the queue the solver plans; the rest is backfilled (all)",
}
HINT = {
    "hint": "what the solver begins with, and never ends with less: lists (the best list plan), search (also "
    "the plan of the order search), or off (lists; search for P2SF)"
}
HINTS = ("lists", "search", "off")

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"(\d+\.?\d*|\.\d+)(ms|s|m|h)")
_LARGEST_SECONDS = 1e6


def read_parameters(policy: str, given: Mapping[str, str]) -> dict[str, Any]:
    """The fields of a policy that the parameters stand for."""
    idle = sorted({"limit", "extension"} & set(given)) if "deterministic" in given else []
    if idle:
        raise InputError(
            f"policy '{policy}': {' and '.join(idle)} would have no effect beside 'deterministic', which "
            "replaces wall time. Leave one of them out."
        )
    fields: dict[str, Any] = {}
    for key, text in given.items():
        if key in ("limit", "extension"):
            fields[key] = duration(policy, key, text, zero=key == "extension")
        elif key == "deterministic":
            fields[key] = positive(policy, key, text)
        elif key == "hint":
            fields[key] = one_of(policy, key, text, HINTS)
        elif key == "deadlines":
            fields[key] = deadline_mode(policy, text)
        else:
            fields[key] = whole(policy, key, text, least=0 if key == "seed" else 1)
    return fields


def duration(policy: str, key: str, text: str, *, zero: bool) -> float:
    found = _DURATION.fullmatch(text.lower())
    seconds = float(found.group(1)) * _UNITS[found.group(2)] if found else -1.0
    if not (0 < seconds <= _LARGEST_SECONDS or (zero and seconds == 0)):
        raise InputError(
            f"policy '{policy}': {key} should be a duration {'of 0s or more' if zero else 'above 0'} with "
            f"a unit, such as 500ms, 1s or 2m, found '{text}'. Write {key}=20s."
        )
    return seconds


def positive(policy: str, key: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number <= _LARGEST_SECONDS:
        raise InputError(
            f"policy '{policy}': {key} should be a number above 0 without a unit, found '{text}'. "
            f"Write {key}=0.1."
        )
    return number


def whole(policy: str, key: str, text: str, *, least: int) -> int:
    number = int(text) if re.fullmatch(r"\d{1,9}", text) else -1
    if number < least:
        raise InputError(
            f"policy '{policy}': {key} should be a whole number of {least} or more, found '{text}'. "
            f"Write {key}={max(1, least)}, or leave it out."
        )
    return number


def one_of(policy: str, key: str, text: str, words: Sequence[str]) -> str:
    if text.lower() not in words:
        raise InputError(
            f"policy '{policy}': {key} should be {', '.join(words[:-1])} or {words[-1]}, found '{text}'. "
            f"Write {key}={words[0]}."
        )
    return text.lower()
