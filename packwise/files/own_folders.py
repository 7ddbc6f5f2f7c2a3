"""The folders of an account: for what can be had again, and for what a service has to remember."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from packwise.model.errors import InputError


def cache_folder() -> Path:
    """Where what can be had again is kept."""
    import platformdirs

    return _ours(platformdirs.user_cache_dir, "XDG_CACHE_HOME")


def state_folder() -> Path:
    """Where what has to last is kept."""
    import platformdirs

    return _ours(platformdirs.user_state_dir, "XDG_STATE_HOME")


def _ours(folder_of: Callable[[str], str], variable: str) -> Path:
    """Accounts that a container makes up have no home: '~' would be a folder of that name here, or an error."""
    try:
        folder = Path(folder_of("packwise"))
    except RuntimeError:
        folder = Path("~")
    if not folder.is_absolute():
        raise InputError(
            "this account has no home, and so no place for what Packwise keeps. Set HOME, or "
            f"{variable}, to the whole path of a folder that you may write into."
        )
    return folder
