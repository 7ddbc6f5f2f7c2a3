"""Connections that say nothing, or read nothing: the page is there for others all the same."""

from __future__ import annotations

import logging
import os
import resource
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager, suppress

import pytest

from packwise.adapters.slurm.web import connections
from packwise.adapters.slurm.web.connections import Limits, Room, limits_here
from packwise.adapters.slurm.web.folder import StateFolder
from packwise.adapters.slurm.web.log import SparingLog, logged_sparingly
from packwise.adapters.slurm.web.serving import open_door, serving
from tests.adapters.unread import unread
from tests.adapters.web.statuses import make_status, write

#: Nothing here takes that long: it ends a test that would hang.
LONG = 60.0
ASKS = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


@contextmanager
def server(folder, **limits):
    door = open_door("127.0.0.1", 0)
    with serving(door, StateFolder(folder), None, Limits(**limits)):
        yield door.port


def connected(stack, port, said=b""):
    line = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=LONG))
    line.sendall(said)
    return line


def answer(line):
    """All until the other side ends; nothing if it was cut off."""
    found = b""
    with suppress(ConnectionResetError):
        while part := line.recv(65536):
            found += part
    return found


def alive(stack, port):
    line = connected(stack, port, ASKS + b"Connection: close\r\n\r\n")
    return answer(line).startswith(b"HTTP/1.1 200")


# --- the room ------------------------------------------------------------------------------------


class Line:
    """A connection that only can be cut off."""

    def __init__(self):
        self.transport = self
        self.is_cut = False

    def abort(self):
        self.is_cut = True


def test_the_oldest_silent_one_makes_place():
    room, lines = Room(3), [Line() for _ in range(6)]
    for one in lines[:3]:
        assert room.enter(one)
        room.silent(one, True)
    room.silent(lines[0], False)  # it has asked, and waits for its answer
    room.silent(lines[1], True)  # still: that makes it no younger
    assert room.enter(lines[3])
    assert [one.is_cut for one in lines[:4]] == [False, True, False, False]
    assert room.enter(lines[4])
    assert lines[2].is_cut
    assert not room.enter(lines[5])  # nobody is silent
    room.leave(lines[0])
    room.silent(lines[0], True)  # one that has left is nobody to make place
    assert room.enter(lines[5])
    assert not lines[0].is_cut


@pytest.mark.parametrize(
    ("soft", "hard", "most", "raised"),
    [
        (1024, 4096, 256, None),
        (256, 4096, 256, 448),
        (100, 300, 108, 300),
        (50, 50, 8, 50),
        (100, -1, 256, 448),
        (-1, -1, 256, None),
    ],
)
def test_as_many_as_files_may_be_open(monkeypatch, soft, hard, most, raised):
    told = []
    monkeypatch.setattr(connections.resource, "getrlimit", lambda what: (soft, hard))
    monkeypatch.setattr(
        connections.resource, "setrlimit", lambda what, limits: told.append((what, limits))
    )
    assert limits_here().most == most
    assert told == ([] if raised is None else [(resource.RLIMIT_NOFILE, (raised, hard))])


# --- on the loopback -----------------------------------------------------------------------------


def test_half_a_request_from_many_keeps_nobody_out(tmp_path):
    with server(tmp_path, most=20, patience=LONG * 10) as port, ExitStack() as stack:
        halves = [connected(stack, port, ASKS) for _ in range(300)]
        for _ in range(3):
            assert alive(stack, port)
        cut = [line for line in halves[:250] if answer(line) == b""]
        assert len(cut) == 250  # and not answered


def test_who_has_asked_is_not_cut_off_for_who_comes(tmp_path):
    with server(tmp_path, most=4, patience=LONG * 10) as port, ExitStack() as stack:
        listening = [connected(stack, port) for _ in range(4)]
        for line in listening:
            line.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert line.recv(12) == b"HTTP/1.1 200"
        assert answer(connected(stack, port)).startswith(b"HTTP/1.1 503")
        for line in listening:
            assert line.recv(1)
        listening[0].close()
        while not alive(stack, port):  # once its end is seen
            pass


@pytest.mark.parametrize(
    "said",
    [
        b"",
        ASKS,
        ASKS + b"Content-Length: 9\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\ntoken=",
        ASKS + b"\r\n" + ASKS,
    ],
)
def test_a_request_that_does_not_end_is_ended(tmp_path, said):
    with server(tmp_path, patience=0.2) as port, ExitStack() as stack:
        answer(connected(stack, port, said))  # comes back


def test_bytes_now_and_then_win_no_time(tmp_path):
    with server(tmp_path, patience=0.5) as port, ExitStack() as stack:
        line = connected(stack, port, ASKS + b"X: ")
        line.settimeout(0.05)
        for _ in range(int(LONG / 0.05)):
            try:
                line.sendall(b"x")
                if line.recv(1) == b"":
                    return
            except TimeoutError:
                continue
            except OSError:
                return
        pytest.fail("it was never ended")


def test_who_does_not_read_is_cut_off(tmp_path):
    told = make_status() | {"notes": ["x" * 2**25]}
    write(tmp_path, told)
    with server(tmp_path, most=2, reading=0.3) as port, ExitStack() as stack:
        for _ in range(2):
            connected(stack, port, b"GET /status.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
        while not alive(stack, port):
            pass


# --- what is said on stderr ----------------------------------------------------------------------


@pytest.fixture
def pipe():
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    ends = [reader, writer]
    yield ends
    for end in ends:
        os.close(end)


def record(text):
    return logging.makeLogRecord({"msg": text, "levelname": "ERROR"})


def test_no_line_twice_a_second(pipe):
    now = [0.0]
    log = SparingLog(pipe[1], lambda: now[0])
    for at, text in ((0, "a"), (0, "b"), (0.5, "a"), (0.9, "a"), (1.5, "a"), (1.6, "b"), (2, "a")):
        now[0] = at
        log.handle(record(text))
    said = os.read(pipe[0], 10**4).decode().splitlines()
    assert said == ["a", "b", "a (2 times more before)", "b"]


def test_what_is_known_of_lines_is_bounded(pipe):
    log = SparingLog(pipe[1], lambda: 0.0)
    for k in range(1000):
        log.handle(record(f"line {k}"))
    assert len(log._known) <= 100


def test_nobody_reads_the_log(pipe):
    log = SparingLog(pipe[1], iter(range(10**6)).__next__)
    for _ in range(100):  # more than a pipe takes
        log.handle(record("x" * 10**5))
    size = len(os.read(pipe[0], 10**7))
    assert 4096 <= size < 10**6
    os.close(pipe[0])
    pipe[0] = os.dup(pipe[1])
    log.handle(record("the reader has left"))


def test_the_libraries_write_there_and_afterwards_as_before():
    seen = logging.Handler()
    texts = []
    seen.emit = lambda one: texts.append(one.getMessage())
    before = logging.getLogger("asyncio").handlers, logging.getLogger("asyncio").propagate
    with logged_sparingly(seen):
        logging.getLogger("asyncio").error("told")
        logging.getLogger("uvicorn.error").error("told too")
    assert texts == ["told", "told too"]
    assert (logging.getLogger("asyncio").handlers, logging.getLogger("asyncio").propagate) == before


@pytest.mark.kills
@pytest.mark.parametrize("kind", ["full", "closed"])
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGHUP])
def test_it_serves_and_ends_though_nobody_reads_its_messages(tmp_path, kind, sign):
    token = "x" * 20  # of which something is said on stderr
    door = open_door("127.0.0.1", 0)
    port = door.port
    door.socket.close()
    command = [sys.executable, "-m", "packwise", "slurm", "serve", "--port", str(port)]
    with (
        unread(kind) as mute,
        subprocess.Popen(
            [*command, "--state", str(tmp_path)],
            stdout=subprocess.PIPE,
            stderr=mute,
            text=True,
            env={**os.environ, "PACKWISE_TOKEN": token},
        ) as process,
        ExitStack() as stack,
    ):
        assert "shows the plan" in process.stdout.readline()
        for _ in range(3):
            assert alive(stack, port)
            connected(stack, port, b"nonsense\r\n\r\n")
        process.send_signal(sign)
        assert process.wait(LONG) == 0


@pytest.mark.kills
@pytest.mark.parametrize("kind", ["full", "closed"])
def test_it_ends_though_nobody_reads_where_it_is(tmp_path, kind):
    command = [sys.executable, "-m", "packwise", "slurm", "serve", "--port", "0"]
    with (
        unread(kind) as mute,
        subprocess.Popen([*command, "--state", str(tmp_path)], stdout=mute, stderr=mute) as process,
    ):
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(5)
        process.terminate()
        assert process.wait(LONG) in (0, -signal.SIGTERM)  # the latter before it has begun
