"""Waiting for a page without knowing how fast it is, and without having it evaluate strings, as Playwright
does when it waits.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

#: Milliseconds before a page is taken to hang, however busy the machine is.
PATIENCE = 600_000


def until(page: Any, expression: str) -> None:
    """Come back when a JavaScript expression is true."""
    eventually(page, lambda: page.evaluate(f"Boolean({expression})"), True)


def eventually(page: Any, found: Callable[[], object], expected: object) -> None:
    """A page shows what it should, sooner or later."""
    give_up = time.monotonic() + PATIENCE / 1000
    while (now := found()) != expected and time.monotonic() < give_up:
        page.wait_for_timeout(20)
    assert now == expected
