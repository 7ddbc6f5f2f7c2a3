"""The routes: all of them read, none changes anything."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from packwise.adapters.slurm.web.access import ALIVE, Access, App
from packwise.adapters.slurm.web.events import Events
from packwise.adapters.slurm.web.folder import StateFolder

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

_KINDS: Final = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}
_JSON = "application/json"
#: So many entries of the journal are shown if not told, and at most.
LAST = 50
_MOST_ENTRIES = 1000


def application(
    folder: StateFolder,
    token: str | None = None,
    *,
    local: bool = True,
    host: str = "localhost",
    port: int = 0,
    closes: Callable[[], bool] = lambda: False,
) -> App:
    """The page of a state folder, for an ASGI server. ``closes``: whether the server is about to end."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    from packwise.adapters.slurm.web.metrics import registry_of

    registry = registry_of(folder)
    assets = _assets()
    page = _own("page.html").read_bytes()
    events = Events(folder, closes)

    def shown(request: Request) -> Response:
        return _response(page, "text/html; charset=utf-8")

    def status(request: Request) -> Response:
        return _status(folder, request)

    def journal(request: Request) -> Response:
        return _journal(folder, request)

    def metrics(request: Request) -> Response:
        from prometheus_client.exposition import choose_encoder

        encode, kind = choose_encoder(request.headers.get("accept", ""))
        return _response(encode(registry), kind)

    def alive(request: Request) -> Response:
        return _response(b"ok\n", "text/plain; charset=utf-8")

    def asset(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in assets:
            return _response(b"There is no such page.\n", "text/plain; charset=utf-8", 404)
        return _response(assets[name], _KINDS[name.rpartition(".")[2]])

    async def listened(request: Request) -> Response:
        return _events(events, request)

    async def missing(request: Request, error: Exception) -> Response:
        return _response(b"There is no such page.\n", "text/plain; charset=utf-8", 404)

    app = Starlette(
        routes=[
            Route("/", shown),
            Route("/status.json", status),
            Route("/journal.json", journal),
            Route("/metrics", metrics),
            Route("/events", listened),
            Route(ALIVE, alive),
            Route("/assets/{name}", asset),
        ],
        exception_handlers={404: missing},
    )
    return Access(app, token, local=local, host=host, port=port)


def _status(folder: StateFolder, request: Request) -> Response:
    """The document as it was written; headers tell how old it is, and from when on it is stale."""
    found = folder.status()
    headers = {"vary": "accept-encoding"}
    if found.told is not None:
        headers["packwise-age"] = f"{found.age(folder.clock()):.1f}"
        headers["packwise-stale-after"] = f"{found.stale_after:.1f}"
    packed = "gzip" in request.headers.get("accept-encoding", "")
    if packed:
        headers["content-encoding"] = "gzip"
    code = 200 if found.told is not None else 404
    return _response(found.packed if packed else found.body, _JSON, code, **headers)


def _journal(folder: StateFolder, request: Request) -> Response:
    asked = request.query_params.get("last", str(LAST))
    if not (
        asked.isascii() and asked.isdigit() and len(asked) < 9 and 1 <= int(asked) <= _MOST_ENTRIES
    ):
        told = {"problem": f"last: expected a number from 1 to {_MOST_ENTRIES}"}
        return _response(json.dumps(told).encode(), _JSON, 400)
    return _response(json.dumps(folder.journal(int(asked))).encode(), _JSON)


def _events(events: Events, request: Request) -> Response:
    from starlette.responses import StreamingResponse

    kind = "text/event-stream"
    if request.method == "HEAD":
        return _response(b"", kind)
    if events.full:
        return _response(b"Too many listen already.\n", "text/plain; charset=utf-8", 503)
    return StreamingResponse(events.stream(), media_type=kind, headers={"x-accel-buffering": "no"})


def _response(body: bytes, kind: str, code: int = 200, **headers: str) -> Response:
    from starlette.responses import Response

    return Response(body, code, {"content-type": kind, **headers})


def _own(name: str) -> Any:
    return resources.files("packwise.adapters.slurm.web") / name


def _assets() -> dict[str, bytes]:
    """The files that the page needs, read once: no name leads to any other."""
    return {
        file.name: file.read_bytes()
        for file in _own("assets").iterdir()
        if file.name.rpartition(".")[2] in _KINDS
    }
