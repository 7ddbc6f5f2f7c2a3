"""How many random cases a test tries. One setting for all of them: ``pytest --draws few|all|tenfold``.

A test says how many it wants in CI, ``draws(300)``; what it tries depends on who asks.
"""

from __future__ import annotations

FEW = 8
ASKED = ("few", "all", "tenfold")

_asked = ASKED[0]


def ask(asked: str) -> None:
    """Once, before the modules of the tests are imported."""
    global _asked
    _asked = asked


def draws(full: int, few: int = FEW) -> int:
    """How many of ``full`` cases are tried."""
    return {"few": min(full, few), "all": full, "tenfold": 10 * full}[_asked]
