"""Downloads, against a server on this machine: good answers, bad answers, no answer."""

from __future__ import annotations

import gzip
import hashlib
import re
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from packwise.model.errors import InputError, OutputError, UnknownName
from packwise.workloads import archive
from packwise.workloads.archive import fetch, find
from packwise.workloads.catalogue import CATALOGUE

BODY = gzip.compress(b"1 0 5 60 4 -1 -1 4 100 -1 1 7 8 9 2 3 -1 -1\n" * 50, mtime=0)
FREE = "lanl-o2k"  # a log without a known checksum
KNOWN = "kth-sp2"  # a log with one


class Handler(BaseHTTPRequestHandler):
    body: ClassVar[bytes] = BODY
    status: ClassVar[int] = 200
    length: ClassVar[int | None] = None
    encoding: ClassVar[str] = ""
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(self.status)
        if self.length != -1:
            self.send_header("Content-Length", str(self.length or len(self.body)))
        if self.encoding:
            self.send_header("Content-Encoding", self.encoding)
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(Handler, "asked", [])
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{httpd.server_port}/workload/"
    httpd.shutdown()
    thread.join()
    httpd.server_close()


def refuse(server: str, cache: Path, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        fetch(name, base_url=server, cache=cache)
    assert server + CATALOGUE[name].file in str(caught.value)
    assert list(cache.iterdir()) == []


def test_download_and_reuse(server: str, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    path = fetch(
        FREE, base_url=server, cache=tmp_path / "new", progress=lambda *state: seen.append(state)
    )
    assert path == tmp_path / "new" / "LANL-O2K-1999-2.swf.gz"
    assert path.read_bytes() == BODY
    assert seen[-1] == (len(BODY), len(BODY))
    digest = hashlib.sha256(BODY).hexdigest()
    record = path.with_name(path.name + ".sha256")
    assert record.read_text() == f"{digest}  {path.name}\n"
    assert fetch(FREE, base_url=server, cache=tmp_path / "new") == path
    assert Handler.asked == ["/workload/l_lanl_o2k/LANL-O2K-1999-2.swf.gz"]


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip"])
def test_a_server_that_calls_gzip_an_encoding(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    """As web servers do with files that end in .gz: what is kept is the file, not what is in it."""
    monkeypatch.setattr(Handler, "encoding", encoding)
    assert fetch(FREE, base_url=server, cache=tmp_path).read_bytes() == BODY


def test_damaged_cache_is_downloaded_again(server: str, tmp_path: Path) -> None:
    path = fetch(FREE, base_url=server, cache=tmp_path)
    path.write_bytes(BODY[:-3])
    assert fetch(FREE, base_url=server, cache=tmp_path).read_bytes() == BODY
    assert len(Handler.asked) == 2


def test_file_put_there_by_hand(tmp_path: Path) -> None:
    path = tmp_path / CATALOGUE[FREE].file_name
    path.write_bytes(BODY)
    assert fetch(FREE, base_url="http://127.0.0.1:9/", cache=tmp_path) == path
    assert path.with_name(path.name + ".sha256").exists()


def test_known_checksum(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = CATALOGUE[KNOWN]._replace(sha256=hashlib.sha256(BODY).hexdigest())
    monkeypatch.setitem(CATALOGUE, KNOWN, good)
    assert fetch("KTH-SP2", base_url=server, cache=tmp_path).read_bytes() == BODY


def test_wrong_checksum(server: str, tmp_path: Path) -> None:
    refuse(server, tmp_path, KNOWN, f"expected sha256 {CATALOGUE[KNOWN].sha256}, found [0-9a-f]+")


def test_not_found(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Handler, "status", 404)
    target = re.escape(str(tmp_path / CATALOGUE[FREE].file_name))
    refuse(server, tmp_path, FREE, f"answered 404 Not Found.*put the file at {target}")


@pytest.mark.parametrize("name", [FREE, KNOWN])
def test_error_page(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(Handler, "body", b"<html>We are moving</html>")
    refuse(server, tmp_path, name, "expected a gzip file")


@pytest.mark.parametrize("name", [FREE, KNOWN])
def test_truncated_body(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(Handler, "length", len(BODY) + 10)
    refuse(server, tmp_path, name, "could not be downloaded|ended too early")


def test_truncated_gzip_of_unknown_length(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Handler, "length", -1)
    monkeypatch.setattr(Handler, "body", BODY[:-5])
    refuse(server, tmp_path, FREE, "ended too early")


def test_corrupt_gzip(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Handler, "body", BODY[:10] + b"\xff" * 60)
    refuse(server, tmp_path, FREE, "gzip file is corrupt")


def test_empty_body(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Handler, "body", b"")
    refuse(server, tmp_path, FREE, "ended too early")


def test_offline(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    target = re.escape(str(tmp_path / CATALOGUE[FREE].file_name))
    message = f"could not be downloaded .*network connection.*put the file at {target}"
    refuse(f"http://127.0.0.1:{port}/", tmp_path, FREE, message)


def test_silent_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "_TIMEOUT_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        refuse(f"http://127.0.0.1:{silent.getsockname()[1]}/", tmp_path, FREE, "timed out")


def test_other_addresses_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="http:// or https://"):
        fetch(FREE, base_url="file:///etc", cache=tmp_path)


def test_cache_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="the folder could not be made"):
        fetch(FREE, cache=tmp_path / "file" / "cache")


def test_default_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name: str(tmp_path / name))
    folder = tmp_path / "packwise" / "archive"
    folder.mkdir(parents=True)
    (folder / CATALOGUE[FREE].file_name).write_bytes(BODY)
    assert fetch(FREE).parent == folder


@pytest.mark.parametrize(
    "name", ["kth-sp2", "KTH-SP2", "KTH-SP2-1996-2.1-cln", "kth-sp2-1996-2.1-cln.swf.gz"]
)
def test_names(name: str) -> None:
    assert find(name) is CATALOGUE["kth-sp2"]


def test_unknown_name_suggests() -> None:
    with pytest.raises(UnknownName, match="kth-sp2"):
        find("kth-sp3")


def test_catalogue() -> None:
    assert len(CATALOGUE) >= 20
    assert len({log.file for log in CATALOGUE.values()}) == len(CATALOGUE)
    for name, log in CATALOGUE.items():
        assert name == name.lower()
        assert re.fullmatch(r"l_\w+/[\w.-]+\.swf\.gz", log.file)
        assert log.procs > 0
        assert log.sha256 is None or re.fullmatch("[0-9a-f]{64}", log.sha256)


@pytest.mark.shared
def test_catalogue_against_real_files(shared: Path) -> None:
    checked = 0
    for log in CATALOGUE.values():
        path = shared / "traces" / log.file_name
        if path.exists():
            assert hashlib.sha256(path.read_bytes()).hexdigest() == log.sha256
            checked += 1
    assert checked >= 10
