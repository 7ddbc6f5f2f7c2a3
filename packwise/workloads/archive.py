"""Logs of the Parallel Workloads Archive, downloaded once into the user's cache.

D. G. Feitelson, D. Tsafrir, D. Krakov, "Experience with using the Parallel Workloads Archive",
J. Parallel Distrib. Comput. 74(10), 2014. Please acknowledge the people named in each log's header.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Final

from packwise.files.expansion import check_expansion
from packwise.files.output import atomic_output, make_folder
from packwise.files.own_folders import cache_folder
from packwise.model.errors import InputError, UnknownName
from packwise.workloads.catalogue import CATALOGUE, ArchivedLog

ARCHIVE: Final = "https://www.cs.huji.ac.il/labs/parallel/workload/"

#: Called with the bytes received so far and the total, where the server tells it.
Progress = Callable[[int, int | None], None]

#: Ten times the largest log.
MOST_RECEIVED: Final = 2**30

_TIMEOUT_SECONDS = 30.0
_BLOCK = 1 << 18
_GZIP_MAGIC = b"\x1f\x8b"


def find(name: str) -> ArchivedLog:
    """The catalogue's entry for a short name (kth-sp2) or a file name; case does not matter."""
    wanted = name.lower()
    for short, log in CATALOGUE.items():
        file_name = log.file_name.lower()
        if wanted in (
            short,
            file_name,
            file_name.removesuffix(".gz"),
            file_name[: -len(".swf.gz")],
        ):
            return log
    raise UnknownName("archived log", name, CATALOGUE)


def cached(name: str, *, cache: str | os.PathLike[str] | None = None) -> Path | None:
    """Where an earlier ``fetch`` (or the user) put a log, or None."""
    log = find(name)
    path = _cache_path(cache) / log.file_name
    return path if path.is_file() else None


def fetch(
    name: str,
    *,
    base_url: str = ARCHIVE,
    cache: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Path:
    """The path of a log in the cache, downloaded first if it is not there or not intact.

    The checksum is compared with the catalogue's, or else with the one recorded beside the file at
    the first download. Raises InputError when there is no connection or the answer is not the log.
    """
    log = find(name)
    target = _cache_folder(cache) / log.file_name
    record = target.with_name(f"{target.name}.sha256")
    expected = log.sha256 or _recorded(record)
    if target.is_file() and _is_intact(target, expected):
        if expected is None:
            _write(record, f"{_sha256(target)}  {target.name}\n".encode())
        return target
    url = base_url.rstrip("/") + "/" + log.file
    digest = _download(url, target, log.sha256, progress)
    _write(record, f"{digest}  {target.name}\n".encode())
    return target


def _cache_path(cache: str | os.PathLike[str] | None) -> Path:
    return cache_folder() / "archive" if cache is None else Path(cache)


def _cache_folder(cache: str | os.PathLike[str] | None) -> Path:
    folder = _cache_path(cache)
    make_folder(folder)
    return folder


def _download(url: str, target: Path, expected: str | None, progress: Progress | None) -> str:
    """Fetch ``url`` into ``target``; returns its sha256. Nothing is left behind on failure."""
    checksum = hashlib.sha256()
    unpacked = zlib.decompressobj(wbits=31)
    size = 0
    by_hand = f"To do it by hand, put the file at {target}"
    with atomic_output(target) as stream:
        for block in _blocks(url, by_hand, progress):
            if stream.tell() == 0 and not block.startswith(_GZIP_MAGIC):
                raise InputError(
                    f"{url}: expected a gzip file, found something else (an error page, perhaps). "
                    f"Try again later. {by_hand}."
                )
            checksum.update(block)
            stream.write(block)
            if expected is None:
                unpacked, more = _unpack(unpacked, block, url)
                size += more
                check_expansion(url, stream.tell(), size)
        if expected is None and not unpacked.eof:
            raise InputError(f"{url}: the download ended too early. Try again. {by_hand}.")
        if expected is not None and checksum.hexdigest() != expected:
            raise InputError(
                f"{url}: expected sha256 {expected}, found {checksum.hexdigest()}. The file was "
                "damaged on the way, or the archive has replaced it; nothing was kept. Try again, "
                "or download it yourself and give its path instead of the name."
            )
    return checksum.hexdigest()


def _unpack(unpacked: zlib._Decompress, block: bytes, url: str) -> tuple[zlib._Decompress, int]:
    """Decompress to check, count and forget; each gzip member gets an object of its own."""
    size = 0
    try:
        while block:
            if unpacked.eof:
                unpacked = zlib.decompressobj(wbits=31)
            size += len(unpacked.decompress(block))
            block = unpacked.unused_data.lstrip(b"\0")
    except zlib.error as error:
        raise InputError(f"{url}: the gzip file is corrupt ({error}). Try again later.") from error
    return unpacked, size


def _blocks(url: str, by_hand: str, progress: Progress | None) -> Iterator[bytes]:
    """The body of ``url``; network errors become InputErrors, lest they pass for a full disk."""
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    if not url.lower().startswith(("http://", "https://")):
        raise InputError(f"{url}: expected an address that begins with http:// or https://.")
    received = 0
    try:
        request = Request(url, headers={"User-Agent": "packwise"})
        with urlopen(request, timeout=_TIMEOUT_SECONDS) as answer:
            length = answer.headers.get("Content-Length", "")
            total = int(length) if length.isdigit() else None
            while block := answer.read(_BLOCK):
                received += len(block)
                if received > MOST_RECEIVED:
                    raise InputError(
                        f"{url}: expected a log, found more than {MOST_RECEIVED // 2**20:,} MiB, which no log "
                        f"of the archive is. {by_hand}."
                    )
                yield block
                if progress is not None:
                    progress(received, total)
    except HTTPError as error:
        error.close()
        raise InputError(
            f"{url}: the server answered {error.code} {error.reason}. {by_hand}."
        ) from error
    except (HTTPException, OSError) as error:
        reason = getattr(error, "reason", None) or error
        raise InputError(
            f"{url}: could not be downloaded ({reason}). Check the network connection. {by_hand}."
        ) from error
    if received == 0 or (total is not None and received < total):
        raise InputError(
            f"{url}: the download ended too early, after {received} of {total or 'some'} bytes. "
            f"Try again. {by_hand}."
        )


def _is_intact(path: Path, expected: str | None) -> bool:
    if expected is not None:
        return _sha256(path) == expected
    try:
        size = 0
        with gzip.open(path) as packed:
            while part := packed.read(_BLOCK):
                size += len(part)
                check_expansion(path, path.stat().st_size, size)
    except (OSError, EOFError, zlib.error, InputError):
        return False
    return True


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _recorded(record: Path) -> str | None:
    with suppress(OSError, UnicodeDecodeError):
        words = record.read_text(encoding="ascii").split()
        return words[0] if words else None
    return None


def _write(path: Path, content: bytes) -> None:
    with atomic_output(path) as stream:
        stream.write(content)
