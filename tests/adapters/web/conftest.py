"""A server of a state folder, in this process, and a browser that looks at it."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from packwise.adapters.slurm.web.folder import StateFolder
from packwise.adapters.slurm.web.serving import open_door, serving
from tests.reports.browsing import PATIENCE


class Reply(NamedTuple):
    code: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Served(NamedTuple):
    address: str
    port: int

    def ask(self, path: str, method: str = "GET", body: str | None = None, **headers: str) -> Reply:
        """One question; headers with _ for -."""
        line = http.client.HTTPConnection("127.0.0.1", self.port)
        try:
            told = {name.replace("_", "-"): value for name, value in headers.items()}
            line.request(method, path, body, headers=told)
            answer = line.getresponse()
            body = answer.read()
            named = {name.lower(): value for name, value in answer.getheaders()}
            return Reply(answer.status, named, body)
        finally:
            line.close()


def _starter(stack: ExitStack) -> Callable[..., Served]:
    def start(folder: Path, token: str | None = None, **options: Any) -> Served:
        door = open_door("127.0.0.1", 0)
        stack.enter_context(serving(door, StateFolder(folder, **options), token))
        return Served(door.address, door.port)

    return start


@pytest.fixture
def served() -> Iterator[Callable[..., Served]]:
    """served(folder, token=None, clock=...): a server that runs until the test ends."""
    with ExitStack() as stack:
        yield _starter(stack)


@pytest.fixture(scope="module")
def served_long() -> Iterator[Callable[..., Served]]:
    """The same until the module ends: for tests that change nothing."""
    with ExitStack() as stack:
        yield _starter(stack)


@pytest.fixture
def looked_at(browser: Any, served: Callable[..., Served]) -> Iterator[Callable[..., Any]]:
    """looked_at(folder, path="", **context): the page in a browser, once it has drawn what there is. What went
    wrong is kept in ``faults``.
    """
    with ExitStack() as stack:

        def open_page(
            folder: Path, path: str = "", clock: Any = None, address: str = "", **options: Any
        ) -> Any:
            address = address or served(folder, **({"clock": clock} if clock else {})).address
            size = {"viewport": {"width": 1200, "height": 900}}
            context = browser.new_context(**(size | options))
            stack.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(PATIENCE)
            page.faults = []
            page.on("console", lambda message: page.faults.append(message.text))
            page.on("pageerror", lambda error: page.faults.append(str(error)))
            page.on("dialog", lambda dialog: (page.faults.append("dialog"), dialog.dismiss()))
            page.on(
                "request",
                lambda request: request.url.startswith(address) or page.faults.append(request.url),
            )
            page.goto(address + path)
            page.wait_for_selector("html[data-ready]")
            return page

        yield open_page
