"""The bytes of an input file, decompressed, or an error that says what to do."""

from __future__ import annotations

import gzip
import os
import zlib
from io import BytesIO
from pathlib import Path

from packwise.files.expansion import check_expansion
from packwise.model.errors import FormatError, InputError

_BLOCK = 1 << 24
_GZIP_MAGIC = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def file_content(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file, decompressed if it is a gzip file (known by its first bytes)."""
    content = file_bytes(path)
    if content.startswith(_GZIP_MAGIC):
        try:
            content = _unpacked(path, content)
        except EOFError as error:
            raise _damaged(path, "a gzip file that ends too early (truncated)") from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise _damaged(path, f"a corrupt gzip file ({error})") from error
    return content.removeprefix(_BYTE_ORDER_MARK)


def _unpacked(path: str | os.PathLike[str], packed: bytes) -> bytes:
    """The content of a gzip file, refused once it is too much."""
    parts: list[bytes] = []
    size = 0
    with gzip.GzipFile(fileobj=BytesIO(packed)) as stream:
        while part := stream.read(_BLOCK):
            size += len(part)
            check_expansion(path, len(packed), size)
            parts.append(part)
    return b"".join(parts)


def file_bytes(path: str | os.PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
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
