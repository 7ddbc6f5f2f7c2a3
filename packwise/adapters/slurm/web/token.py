"""The token: what one has to know to see the page."""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from packwise.model.errors import InputError

VARIABLE = "PACKWISE_TOKEN"
SHORTEST = 16
_MAKE = "Make one: (umask 077; openssl rand -hex 24 > FILE)."


def find_token(path: Path | None, environment: Mapping[str, str] = os.environ) -> str | None:
    """The token of a file, or of the environment; None if neither is told."""
    if path is not None:
        return _checked(_read(path), str(path))
    told = environment.get(VARIABLE)
    return None if told is None else _checked(told, VARIABLE)


def _read(path: Path) -> str:
    """The text of a file that only its owner can read (or the group of root, as service managers do it)."""
    try:
        with path.open("rb") as file:
            facts = os.fstat(file.fileno())
            raw = file.read(4096)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from error
    crowd = stat.S_IRWXO if facts.st_gid == 0 else stat.S_IRWXO | stat.S_IRWXG
    if facts.st_mode & crowd:
        raise InputError(
            f"{path}: others can read it (mode {stat.S_IMODE(facts.st_mode):o}), so it is no secret. Run: "
            f"chmod 600 {path}, and put a new token into it."
        )
    return raw.decode("utf-8", "replace")


def _checked(text: str, source: str) -> str:
    token = text.strip()
    if len(token) < SHORTEST:
        raise InputError(
            f"{source}: a token has {SHORTEST} characters at least, found {len(token)}. {_MAKE}"
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(f"{source}: a token is letters, digits and signs in one word. {_MAKE}")
    return token


def same(given: str, expected: str) -> bool:
    """Whether two texts are equal, in a time that does not tell how much of them is."""
    return hmac.compare_digest(
        given.encode("utf-8", "surrogatepass"), expected.encode("utf-8", "surrogatepass")
    )


def cookie_of(token: str) -> str:
    """What a browser keeps instead of the token: it opens the page as long as the token is the same."""
    return hmac.new(token.encode(), b"packwise slurm serve", hashlib.sha256).hexdigest()
