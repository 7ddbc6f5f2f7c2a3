"""The libraries of the extra ``live``: asked for by name, so that their absence has a name too."""

from __future__ import annotations

from importlib.util import find_spec

from packwise.model.errors import InputError


def check_libraries() -> None:
    """An error that says how to get them, if one is missing."""
    missing = [
        name for name in ("starlette", "uvicorn", "prometheus_client") if find_spec(name) is None
    ]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise InputError(
            f"the web page needs {' and '.join(missing)}, which {verb} not installed. "
            "Run: pip install 'packwise[live]'."
        )
