"""Amounts of memory in megabytes: as numbers, or as people and Slurm write them."""

from __future__ import annotations

import re
from fractions import Fraction

_UNITS = {
    "": Fraction(1),
    "K": Fraction(1, 1024),
    "M": Fraction(1),
    "G": Fraction(1024),
    "T": Fraction(1024**2),
    "P": Fraction(1024**3),
}
_AMOUNT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGTP]?)(?:I?B)?\s*", re.IGNORECASE)


def megabytes(text: str) -> int | None:
    """Whole megabytes out of 16 GB, 1.5T or 64000; None if it is no amount, or a part of a megabyte is left."""
    found = _AMOUNT.fullmatch(text)
    if found is None:
        return None
    amount = Fraction(found[1]) * _UNITS[found[2].upper()]
    return int(amount) if amount.denominator == 1 else None
