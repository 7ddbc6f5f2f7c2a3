"""How far a compressed file may expand: far enough for any log, and not until the memory is full."""

from __future__ import annotations

import os
import re

from packwise.model.errors import InputError

#: Sets the most that a file may expand to, whatever the ratio: PACKWISE_MAX_EXPANDED=20GB.
VARIABLE = "PACKWISE_MAX_EXPANDED"

#: A table of a hundred million jobs.
MOST = 16 * 2**30
#: Below this size a file may expand as much as it likes. Logs of the archive expand nine times at most.
HARMLESS = 2**28
MOST_TIMES = 50

_SIZE = re.compile(r"\s*(\d+(?:\.\d*)?(?:e\d+)?)\s*([kmgt]?)b?\s*", re.IGNORECASE | re.ASCII)
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def most_expanded(packed: int) -> int:
    """The most bytes that a file of ``packed`` bytes may expand to."""
    told = os.environ.get(VARIABLE)
    if told is not None:
        return _size(told)
    return min(max(HARMLESS, MOST_TIMES * packed), MOST, _half_of_memory())


def check_expansion(path: str | os.PathLike[str], packed: int, expanded: int) -> None:
    """Refuse a file of ``packed`` bytes that becomes ``expanded`` bytes or more."""
    most = most_expanded(packed)
    if expanded <= most:
        return
    raise InputError(
        f"{path}: expected a file that expands to {_words(most)} at most, found one of {_words(packed)} that "
        f"becomes {_words(expanded)} or more. Logs expand about ten times: it is damaged, or made to fill the "
        f"memory. If you trust it, set the environment variable {VARIABLE}, as in {VARIABLE}=20GB."
    )


def _size(text: str) -> int:
    found = _SIZE.fullmatch(text)
    if found is None:
        raise InputError(
            f"{VARIABLE}: expected a number of bytes, such as 20GB or 20000000000, found '{text[:40]}'."
        )
    return int(float(found[1]) * _UNITS[found[2].lower()])


def _half_of_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, OSError, ValueError):
        return MOST


def _words(size: int) -> str:
    for unit in ("TB", "GB", "MB", "kB"):
        width = _UNITS[unit[0].lower()]
        if size >= width:
            return f"{size / width:.3g} {unit}"
    return f"{size} bytes"
