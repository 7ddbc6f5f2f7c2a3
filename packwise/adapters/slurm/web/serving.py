"""A server in a thread of its own: signals stay with whoever started it."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from threading import Event, Thread
from typing import NamedTuple

from packwise.adapters.slurm.web.connections import (
    AT_ONE_GO,
    Limits,
    limited_protocol,
    limits_here,
)
from packwise.adapters.slurm.web.folder import StateFolder
from packwise.adapters.slurm.web.libraries import check_libraries
from packwise.adapters.slurm.web.log import logged_sparingly
from packwise.model.errors import InputError, PackwiseError


class Door(NamedTuple):
    """An address that is ours: its socket, and whether only this machine can reach it."""

    socket: socket.socket
    host: str
    port: int
    local: bool

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        host = self.host
        if host in ("0.0.0.0", "::"):
            host = socket.gethostname()
        return f"http://{_bracketed(host)}:{self.port}/"


def open_door(host: str, port: int) -> Door:
    """Take an address, or say why it cannot be had. Port 0: any that is free."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise InputError(
            f"--host {host}: there is no such address ({error}). Use 127.0.0.1, or one of this machine."
        ) from error
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(AT_ONE_GO)
    except OSError as error:
        made.close()
        raise InputError(_refused(host, port, error)) from error
    bound = made.getsockname()
    return Door(made, host, bound[1], ip_address(bound[0].partition("%")[0]).is_loopback)


def _refused(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is taken on {host}. Choose another one, such as --port {port % 65535 + 1}."
    if error.errno == errno.EACCES:
        return f"port {port} is not for this account. Choose one above 1023, such as --port 9301."
    if error.errno == errno.EADDRNOTAVAIL:
        return (
            f"--host {host}: this machine has no such address. Use 127.0.0.1, or one that it has."
        )
    return f"{host}, port {port}: cannot be had ({error.strerror or error})."


@contextmanager
def serving(
    door: Door, folder: StateFolder, token: str | None, limits: Limits | None = None
) -> Iterator[Event]:
    """A server that runs meanwhile. The event is set if it ends by itself."""
    check_libraries()
    import uvicorn

    from packwise.adapters.slurm.web.app import application

    ended = Event()
    app = application(
        folder,
        token,
        local=door.local,
        host=_bracketed(door.host),
        port=door.port,
        closes=lambda: server.should_exit,
    )
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="error",
            access_log=False,  # somebody may have put a token into an address
            log_config=None,
            lifespan="off",
            ws="none",
            http=limited_protocol(limits or limits_here()),
            backlog=AT_ONE_GO,
            loop="asyncio",
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=3,
        )
    )

    def run() -> None:
        try:
            with logged_sparingly():
                server.run(sockets=[door.socket])
        finally:
            ended.set()

    thread = Thread(target=run, name="packwise-serve", daemon=True)
    thread.start()
    try:
        while not server.started and not ended.wait(0.01):
            pass
        if ended.is_set():
            raise PackwiseError("the web server could not be started.")
        yield ended
    finally:
        server.should_exit = True
        thread.join(10)
        door.socket.close()


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
