"""Waiting for a page that lets no strings be evaluated, as Playwright's own waiting does."""

from __future__ import annotations

import time
from typing import Any


def until(page: Any, expression: str, seconds: float = 30.0) -> None:
    """Come back when a JavaScript expression is true."""
    limit = time.monotonic() + seconds
    while not page.evaluate(f"Boolean({expression})"):
        assert time.monotonic() < limit, f"still not true after {seconds} s: {expression}"
        page.wait_for_timeout(20)
