"""The record of a result, read with care: it may be cut off, damaged, or made by a stranger.

Nothing in it is run. Whatever has passed ``checked_record`` has the fields of a record, of the right types and
sizes, so that nobody else needs to doubt them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from packwise.experiments.work import FORMAT
from packwise.model.sizing import Sizing
from packwise.model.workload import LARGEST

#: No record comes near these: it has a few dozen metrics, and the texts of a policy and its modules.
_MOST_BYTES = 64 * 2**20
_MOST_METRICS = 2000

_COUNTS = ("jobs", "rejected", "too_wide", "procs", "rounds")
_AXES = ("workload", "machine", "policy", "estimate")


def read_json(path: Path) -> Any:
    """The content of a file of a store. A ValueError tells what is wrong with it; an OSError may come, too."""
    size = path.stat().st_size
    if size > _MOST_BYTES:
        raise ValueError(f"expected at most {_MOST_BYTES:,} bytes, found {size:,}")
    return parsed(path.read_bytes())


def parsed(content: bytes) -> Any:
    """JSON as it is written here: no NaN, no infinity, not nested for ever."""
    try:
        return json.loads(content, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"is not JSON ({error})") from error


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"found {constant}")


def sealed(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record with a checksum of itself, so that a number that was changed does not pass."""
    content = {name: value for name, value in record.items() if name != "check"}
    text = json.dumps(content, sort_keys=True)
    return {**content, "check": sha256(text.encode()).hexdigest()}


def checked_record(key: str, record: Any) -> dict[str, Any]:
    """A record that has what a record needs; a ValueError tells what is wrong with it."""
    if not isinstance(record, dict):
        raise ValueError(f"expected a record, found {type(record).__name__}")
    if type(record.get("format")) is not int or record["format"] != FORMAT:
        raise ValueError(f"expected format {FORMAT}, found {_short(record.get('format'))}")
    if record.get("key") != key:
        raise ValueError("is the record of another scenario")
    _check_fields(record)
    _check_scenario(record["scenario"])
    _check_metrics(record["metrics"])
    if sealed(record)["check"] != record.get("check"):
        raise ValueError("does not have the content that was written")
    return record


def _check_fields(record: dict[str, Any]) -> None:
    kinds: dict[str, type] = {
        "scenario": dict,
        "metrics": dict,
        "schedule": dict,
        "compiled": bool,
        "written": str,
        **dict.fromkeys(_COUNTS, int),
    }
    for name, kind in kinds.items():
        _expect(record, name, kind)
    for name in _COUNTS:
        _check_count(name, record[name])
    _expect(record["schedule"], "bytes", int, "schedule.")
    _check_count("schedule.bytes", record["schedule"]["bytes"])
    _expect(record["schedule"], "sha256", str, "schedule.")
    if not _is_number(record.get("seconds")):
        raise ValueError(f"expected seconds to be a number, found {_short(record.get('seconds'))}")
    if record.get("reproducible") not in (None, True, False):
        raise ValueError("expected reproducible to be true or false")
    _check_texts("remarks", record.get("remarks", []))
    Sizing.from_facts(record.get("sizing", {}))
    origin = record.get("origin", {})
    if not isinstance(origin, dict) or not all(isinstance(one, str) for one in origin.values()):
        raise ValueError("expected origin to be texts by name")
    counts = record.get("counts", [])
    if not isinstance(counts, list) or not all(map(_is_counted, counts)):
        raise ValueError("expected counts to be pairs of a text and a whole number")
    names = record.get("names", {})
    if not isinstance(names, dict):
        raise ValueError(f"expected names to be dict, found {_short(names)}")
    for name, words in names.items():
        _check_texts(f"names.{_short(name)}", words)


def _is_counted(pair: Any) -> bool:
    return (
        isinstance(pair, list) and len(pair) == 2 and (type(pair[0]), type(pair[1])) == (str, int)
    )


def _check_texts(name: str, words: Any) -> None:
    if not isinstance(words, list) or not all(isinstance(one, str) for one in words):
        raise ValueError(f"expected {name} to be a list of texts")


def _check_scenario(spec: dict[str, Any]) -> None:
    for axis in _AXES:
        _expect(spec, axis, dict, "scenario.")
        _expect(spec[axis], "label", str, f"scenario.{axis}.")
    _expect(spec, "replica", int, "scenario.")
    _check_count("scenario.replica", spec["replica"])


def _check_metrics(metrics: dict[str, Any]) -> None:
    from packwise.experiments.index import FACTS

    if len(metrics) > _MOST_METRICS:
        raise ValueError(f"expected at most {_MOST_METRICS:,} metrics, found {len(metrics):,}")
    for name, value in metrics.items():
        if name in FACTS:
            raise ValueError(f"expected metrics, found one that is called {name}")
        if value is not None and not _is_number(value):
            raise ValueError(f"expected {_short(name)} to be a number, found {_short(value)}")


def _expect(where: dict[str, Any], name: str, kind: type, prefix: str = "") -> None:
    value = where.get(name)
    if type(value) is not kind:
        raise ValueError(f"expected {prefix}{name} to be {kind.__name__}, found {_short(value)}")


def _check_count(name: str, value: int) -> None:
    if not 0 <= value <= LARGEST:
        raise ValueError(f"expected {name} to be between 0 and {LARGEST}, found {_short(value)}")


def _is_number(value: Any) -> bool:
    """A number that a column of floats can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return isfinite(float(value))
    except OverflowError:
        return False


def _short(value: Any) -> str:
    """For messages: what a stranger has written may be long, or cannot be shown."""
    if isinstance(value, dict | list):
        return type(value).__name__
    if isinstance(value, int) and value.bit_length() > 100:
        return "a number of many digits"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
