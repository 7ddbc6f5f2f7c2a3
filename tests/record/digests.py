"""Short digests of arrays and of values as JSON has them."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np

_SHOWN = 8
#: What machines compute alike.
_DIGITS = 9


def digest(*parts: Any) -> str:
    """Of all parts, one after the other; '-' if there is nothing."""
    there = [part for part in parts if part is not None]
    if not there:
        return "-"
    text = "\n".join(_text(part) for part in there)
    return sha256(text.encode()).hexdigest()[:_SHOWN]


def _text(part: Any) -> str:
    """A part as text, with floats as exact as all machines have them, and mappings in the order of keys."""
    if isinstance(part, np.ndarray):
        part = part.tolist()
    if isinstance(part, dict):
        return "{" + ",".join(f"{key}:{_text(part[key])}" for key in sorted(part)) + "}"
    if isinstance(part, list | tuple):
        return "[" + ",".join(map(_text, part)) + "]"
    if isinstance(part, float):
        return f"{part:.{_DIGITS}g}"
    return repr(part)
