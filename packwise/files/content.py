"""The bytes of an input file, decompressed, at once or in blocks, or an error that says what to do."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO

from packwise.files.expansion import check_expansion
from packwise.files.inputs import note_input
from packwise.model.errors import FormatError, InputError

_BLOCK = 1 << 24
_GZIP_MAGIC = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def file_content(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file, decompressed if it is a gzip file (known by its first bytes)."""
    content = file_bytes(path)
    if content.startswith(_GZIP_MAGIC):
        content = b"".join(_unpacked(path, BytesIO(content), len(content), _BLOCK))
    return content.removeprefix(_BYTE_ORDER_MARK)


def file_blocks(path: str | os.PathLike[str], size: int = _BLOCK) -> Iterator[bytes]:
    """The same bytes, in blocks of about that size, so that a long file needs not be in memory."""
    with _readable(path), open(path, "rb") as stream:
        packed = stream.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
        stream.seek(0)
        if packed:
            blocks = _unpacked(path, stream, os.fstat(stream.fileno()).st_size, size)
        else:
            blocks = iter(lambda: stream.read(size), b"")
        for number, block in enumerate(blocks):
            yield block if number else block.removeprefix(_BYTE_ORDER_MARK)


def file_head(path: str | os.PathLike[str], size: int) -> bytes:
    """The first bytes of a file, decompressed."""
    return next(file_blocks(path, size), b"")


def _unpacked(
    path: str | os.PathLike[str], packed: IO[bytes], length: int, block: int
) -> Iterator[bytes]:
    """The content of a gzip file of that length, refused once it is too much."""
    size = 0
    try:
        with gzip.GzipFile(fileobj=packed) as stream:
            while part := stream.read(block):
                size += len(part)
                check_expansion(path, length, size)
                yield part
    except EOFError as error:
        raise _damaged(path, "a gzip file that ends too early (truncated)") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise _damaged(path, f"a corrupt gzip file ({error})") from error


def file_bytes(path: str | os.PathLike[str]) -> bytes:
    with _readable(path):
        return Path(path).read_bytes()


@contextmanager
def _readable(path: str | os.PathLike[str]) -> Iterator[None]:
    """Keep the file from being written; say what is wrong with one that cannot be read, and what to do."""
    note_input(path)
    try:
        yield
    except FileNotFoundError as error:
        reason = f"no such file. Check the name; the folder searched was {Path.cwd()}."
        raise InputError(f"{path}: {reason}") from error
    except IsADirectoryError as error:
        raise InputError(f"{path}: is a folder. Name the file inside it.") from error
    except PermissionError as error:
        remedy = "Ask its owner for read access, or run chmod u+r on it if it is yours."
        raise InputError(f"{path}: no permission to read the file. {remedy}") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{path!r}: could not be read ({error}). Check the path.") from error


def _damaged(path: str | os.PathLike[str], found: str) -> FormatError:
    return FormatError(
        str(path),
        expected="a complete gzip file",
        found=found,
        remedy="Download or copy it again and compare the checksum.",
    )
