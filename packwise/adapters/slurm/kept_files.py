"""Files of the state folder: opened by their names in it, never through a link.

Root works in the folder of a service's account, too: to give back what the service has left. That account, or
whoever else can write there, may have put a link, a pipe or a stranger's file under a name that is ours. So no
file is reached by a path: the folder is held open, and names are looked up in it. As root, links on the way to
the folder count only if root has made them, only files of the folder's owner are written to, and what is made
belongs to that owner, who has to be able to open it afterwards.
"""

from __future__ import annotations

import errno
import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import IO, Any

from packwise.files.output import whole_or_nothing
from packwise.model.errors import OutputError

#: A pipe in place of a file does not make us wait, and a terminal does not become ours.
_SAFELY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_WRITES = os.O_WRONLY | os.O_RDWR
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_ROOT = 0
#: More than that no file of ours has, but for those that are read line by line.
MOST = 256 * 1024**2


class Refused(OSError):
    """What is there is not what we would have made: why, and what to do about it."""

    def __init__(self, path: str | Path, why: str) -> None:
        super().__init__(errno.EPERM, why, str(path))


@contextmanager
def held(folder: Path, *, writes: bool = False, make: bool = False) -> Iterator[int]:
    """A handle of a folder. ``writes``: not of one in which everybody can replace our files."""
    if os.geteuid() == _ROOT:
        place = _walk(folder, make)
    else:
        if make and not folder.is_dir():
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o750, exist_ok=True)
        place = os.open(folder, _FOLDER)
    try:
        mode = os.fstat(place).st_mode
        if writes and mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            raise Refused(folder, f"everybody can replace what is in it. Run: chmod o-w {folder}")
        yield place
    finally:
        os.close(place)


def _walk(folder: Path, make: bool) -> int:
    """As root, open a folder step by step. What has to be made belongs to who owns the folder above."""
    place = os.open("/", _FOLDER)
    so_far = Path("/")
    for part in (Path.cwd() / folder).parts[1:]:
        so_far /= part
        try:
            below = _step(place, part, so_far, make)
        finally:
            os.close(place)
        place = below
    return place


def _step(place: int, part: str, path: Path, make: bool) -> int:
    try:
        return os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=place)
    except FileNotFoundError:
        if not make:
            raise
    except OSError:
        facts = os.stat(part, dir_fd=place, follow_symlinks=False)
        if not stat.S_ISLNK(facts.st_mode):
            raise
        if facts.st_uid != _ROOT:
            raise Refused(
                path,
                f"it is a symbolic link of {account(facts.st_uid)}, which root does not follow. Name what it "
                f"leads to, if that is the folder: {os.path.realpath(path)}",
            ) from None
        return os.open(part, _FOLDER, dir_fd=place)
    os.mkdir(part, 0o750, dir_fd=place)
    below = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=place)
    # Whoever owns the folder above could have put another one there just now.
    if os.fstat(below).st_uid == _ROOT and not os.listdir(below):
        _give(below, place)
    return below


def _give(handle: int, place: int) -> None:
    """What root has made belongs to the owner of the folder that it is in."""
    owner = os.fstat(place)
    os.fchown(handle, owner.st_uid, owner.st_gid)


def open_kept(folder: Path, name: str, flags: int, mode: int = 0o666, *, make: bool = False) -> int:
    """Open a file of the folder; Refused if it is none of ours. ``make``: the folder, too."""
    writes = bool(flags & _WRITES)
    with held(folder, writes=writes, make=make) as place:
        try:
            handle = _found(folder / name, place, flags)
        except FileNotFoundError:
            if not flags & os.O_CREAT:
                raise
            try:
                return _made(place, name, flags, mode)
            except FileExistsError:  # somebody else was faster
                handle = _found(folder / name, place, flags)
        try:
            facts, owner = os.fstat(handle), os.fstat(place)
            why = objection(facts, owner, os.geteuid(), writes=writes)
            if why:
                raise Refused(folder / name, why)
            if writes and os.geteuid() == _ROOT and facts.st_uid != owner.st_uid:
                _give(handle, place)
        except BaseException:
            os.close(handle)
            raise
        return handle


def _found(path: Path, place: int, flags: int) -> int:
    """A file that is there, opened as it is."""
    try:
        return os.open(path.name, flags & ~os.O_CREAT | _SAFELY, dir_fd=place)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _odd(path, place, error) from None


def _made(place: int, name: str, flags: int, mode: int) -> int:
    handle = os.open(name, flags | os.O_CREAT | os.O_EXCL | _SAFELY, mode, dir_fd=place)
    if os.geteuid() == _ROOT:
        _give(handle, place)
    return handle


def _odd(path: Path, place: int, error: OSError) -> OSError:
    """What is in place of a file that cannot be opened, in words."""
    facts = os.stat(path.name, dir_fd=place, follow_symlinks=False)
    if not stat.S_ISREG(facts.st_mode):
        return Refused(path, _no_file(facts))
    if error.errno != errno.EACCES:
        return error
    owner, here = account(facts.st_uid), account(os.geteuid())
    return Refused(path, f"it belongs to {owner}. Run this as {owner}, or chown it to {here}")


def _no_file(facts: os.stat_result) -> str:
    what = (
        "a symbolic link, which is not followed"
        if stat.S_ISLNK(facts.st_mode)
        else "a folder"
        if stat.S_ISDIR(facts.st_mode)
        else "no ordinary file"
    )
    return f"it is {what}. Look who has put it there, and remove it"


def objection(
    facts: os.stat_result, folder: os.stat_result, account_here: int, *, writes: bool
) -> str:
    """What speaks against a file that was opened in a folder; nothing if it may be used.

    Root takes files of the folder's owner; its own may be read, and written to while they are empty (then they
    are handed over): another one may have been moved there, for us to change it or to give it away. A file with
    a second name may be any file of the disk.
    """
    if not stat.S_ISREG(facts.st_mode):
        return _no_file(facts)
    if account_here != _ROOT:
        return ""
    remedy = f"Look what it is; then remove it, or chown it to {account(folder.st_uid)}"
    is_roots = facts.st_uid == _ROOT and not (writes and facts.st_size)
    if facts.st_uid != folder.st_uid and not is_roots:
        return f"it belongs to {account(facts.st_uid)}, its folder to {account(folder.st_uid)}. {remedy}"
    if writes and facts.st_nlink != 1:
        return f"it has another name elsewhere (a hard link). {remedy}"
    return ""


def account(number: int) -> str:
    """The name of an account, or its number."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"account {number}"


def read_kept(folder: Path, name: str, most: int = MOST) -> bytes:
    """The content of a file of the folder. OSError if it is not there, or not ours, or too long to be ours."""
    with os.fdopen(open_kept(folder, name, os.O_RDONLY), "rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise Refused(folder / name, f"it is longer than {most // 1024**2} MiB: it is not ours")
    return content


@contextmanager
def write_kept(folder: Path, name: str, mode: int | None = None) -> Iterator[IO[Any]]:
    """A file of the folder, whole or not at all, as with ``atomic_output``. Whatever had the name is gone then,
    unless it is a folder.
    """
    temporary = f".{name}.{token_hex(6)}"
    try:
        with held(folder, writes=True) as place:
            handle = _made(place, temporary, os.O_WRONLY, 0o600)
            with whole_or_nothing(handle, temporary, folder / name, mode, place) as stream:
                yield stream
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written to: {error.strerror}.") from error


def facts_of(folder: Path, name: str) -> os.stat_result | None:
    """Of what has a name in the folder, a link itself; None if nothing has."""
    with held(folder) as place, suppress(FileNotFoundError):
        return os.stat(name, dir_fd=place, follow_symlinks=False)
    return None


def rename_kept(folder: Path, old: str, new: str) -> None:
    """Another name for a file; whatever has had that one is gone then."""
    with held(folder, writes=True) as place:
        os.replace(old, new, src_dir_fd=place, dst_dir_fd=place)
