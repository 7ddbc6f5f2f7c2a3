"""What outlasts a restart: the ledger with its numbers, and the policy's memory.

A policy's memory is any Python value, so it is pickled. That is safe only while nobody else can write the file:
it is not read if others can.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from packwise.adapters.slurm.kept_files import Refused, open_kept, write_kept
from packwise.adapters.slurm.ledger import Ledger
from packwise.model.errors import InputError, OutputError

NAME, LOCK = "ledger.pickle", "lock"
#: Changes whenever the ledger's shape does.
_SHAPE = 3


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Nobody else may work with this folder meanwhile."""
    try:
        handle = open_kept(folder, LOCK, os.O_RDWR | os.O_CREAT, 0o600, make=True)
    except OSError as error:
        what = f"{error.filename or folder}: cannot be used: {error.strerror}."
        raise OutputError(f"{what} Name another folder if there is one: --state DIR.") from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                f"another Packwise works with {folder} already. Stop it first, or name another folder: "
                "--state DIR."
            ) from None
        yield
    finally:
        os.close(handle)


def is_taken(folder: Path) -> bool:
    """Whether somebody works with this folder now."""
    try:
        handle = open_kept(folder, LOCK, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def save(folder: Path, ledger: Ledger, policy: str) -> None:
    """Write the ledger, whole or not at all. OutputError if that cannot be."""
    try:
        content = pickle.dumps({"shape": _SHAPE, "policy": policy, "ledger": ledger.kept()})
    except Exception:  # a memory that cannot be pickled is the policy's choice
        content = pickle.dumps(
            {"shape": _SHAPE, "policy": policy, "ledger": ledger.kept(memory=False)}
        )
    with write_kept(folder, NAME, 0o600) as file:
        file.write(content)


def load(folder: Path, policy: str, ledger: Ledger) -> str:
    """Fill a ledger with what was saved. Returns what there is to say about it, in words."""
    path = folder / NAME
    try:
        with os.fdopen(open_kept(folder, NAME, os.O_RDONLY), "rb") as file:
            # The same file is looked at and read, whatever others put there.
            status = os.fstat(file.fileno())
            if status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                return f"{path} could have been written by others: it is not read, the ledger begins anew"
            found: dict[str, Any] = pickle.loads(file.read())
        if found["shape"] != _SHAPE:
            return "the ledger was written by another version: it begins anew"
        ledger.take(found["ledger"], memory=found["policy"] == policy)
    except FileNotFoundError:
        return "nothing is remembered: the ledger begins anew"
    except Refused as error:
        return f"{path} is not read, the ledger begins anew: {error.strerror}"
    except Exception as error:  # whatever a broken pickle raises
        return f"{path} cannot be read ({type(error).__name__}): the ledger begins anew"
    if found["policy"] != policy:
        return (
            f"the ledger is known; the memory was that of policy '{found['policy']}', and is left"
        )
    return "the ledger and the policy's memory are known from before"
