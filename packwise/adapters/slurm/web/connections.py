"""Connections: how many there are at once, and for how long one of them may keep us waiting.

Whoever opens connections and says nothing on them is in nobody's way: where there is no more room, the one that
has been silent for longest makes place for who comes. Who asks in a moment, as browsers do, is served.
"""

from __future__ import annotations

import resource
from asyncio import TimerHandle, Transport
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol

#: At once.
MOST = 256
#: Connections that are taken at one go, before it is known whether there is room.
AT_ONE_GO = 64
#: Files that are open besides: our own, and connections that have just come or are just going.
_SPARE = 64 + 2 * AT_ONE_GO
_FEWEST = 8
_BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 28\r\n"
    b"retry-after: 5\r\nconnection: close\r\n\r\nToo many are connected now.\n"
)


class Limits(NamedTuple):
    """``most`` connections; ``patience``: seconds for a whole request; ``reading``: seconds between two looks
    whether who gets an answer has read ``slowest`` bytes of it since.
    """

    most: int = MOST
    patience: float = 10.0
    reading: float = 30.0
    slowest: int = 30 * 1024


def limits_here() -> Limits:
    """As many connections as this process may have files open; it is allowed more, if that is possible."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST + _SPARE
    if 0 <= soft < wanted:
        soft = wanted if hard < 0 else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return Limits(most=MOST if soft < 0 else max(min(MOST, soft - _SPARE), _FEWEST))


class Connection(Protocol):
    """What a room knows of a connection."""

    transport: Transport


class Room:
    """The connections of a server, and those of them that wait for the other side, oldest first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._there: set[Connection] = set()
        self._silent: dict[Connection, None] = {}

    def enter(self, one: Connection) -> bool:
        """Take a connection in, in place of a silent one if need be. Returns whether there was room."""
        if len(self._there) >= self._most:
            oldest = next(iter(self._silent), None)
            if oldest is None:
                return False
            self.leave(oldest)
            oldest.transport.abort()
        self._there.add(one)
        return True

    def leave(self, one: Connection) -> None:
        self._there.discard(one)
        self._silent.pop(one, None)

    def silent(self, one: Connection, is_so: bool) -> None:
        """Whether we wait for a connection. One that already is silent stays as old as it is."""
        if not is_so:
            self._silent.pop(one, None)
        elif one in self._there:
            self._silent.setdefault(one)


def limited_protocol(limits: Limits) -> type[H11Protocol]:
    """The protocol of a server that keeps to the limits."""
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    room = Room(limits.most)

    class Limited(H11Protocol):
        """Ends when a request, or the reading of an answer, takes too long."""

        _late: TimerHandle | None = None
        _unread: TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            if room.enter(self):
                self._look()
            else:
                transport.write(_BUSY)
                transport.close()

        def connection_lost(self, exc: Exception | None) -> None:
            room.leave(self)
            self._in_time()
            self._read()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            if not self.transport.is_closing():
                super().data_received(data)
                self._look()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._look()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._watch()

        def resume_writing(self) -> None:
            self._read()
            super().resume_writing()

        def _look(self) -> None:
            """Whether the other side owes us a request, or the rest of one."""
            owes = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
            room.silent(self, owes)
            if not owes:
                self._in_time()
            elif self._late is None:
                self._late = self.loop.call_later(limits.patience, self.transport.abort)

        def _in_time(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

        def _watch(self) -> None:
            left = self.transport.get_write_buffer_size()

            def look() -> None:
                if left - self.transport.get_write_buffer_size() < limits.slowest:
                    self.transport.abort()
                else:
                    self._watch()

            self._read()
            self._unread = self.loop.call_later(limits.reading, look)

        def _read(self) -> None:
            if self._unread is not None:
                self._unread.cancel()
                self._unread = None

    return Limited
