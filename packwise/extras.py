"""Libraries that not everybody needs: where one is missing, or a library of the system under it, a message says
which and where to get it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from packwise.model.errors import InputError

#: How the loaders of Linux and of macOS name the library that they do not find.
_UNDER_IT = re.compile(
    r"(?P<linux>\S+\.so[.\d]*): cannot open shared object|Library not loaded: (?:\S*/)?(?P<mac>\S+)"
)
#: The packages that have them.
_PACKAGES = {
    "libgomp.so.1": "apt-get install libgomp1 (Debian, Ubuntu), or dnf install libgomp (Red Hat)",
    "libomp.dylib": "brew install libomp",
}


@contextmanager
def extra(need: str, library: str, name: str) -> Iterator[None]:
    """Around the imports of a library. ``need``: as in 'reports need'; ``name``: that of our extra."""
    try:
        yield
    except (
        ImportError,
        OSError,
    ) as error:  # OSError: ctypes, where a library of the system is missing
        raise InputError(f"{need} {library}, {_trouble(error, name)}") from error


def _trouble(error: ImportError | OSError, name: str) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"which is not installed ({error}). Run: pip install 'packwise[{name}]'."
    if found := _UNDER_IT.search(str(error)):
        missing = found["linux"] or found["mac"]
        package = _PACKAGES.get(missing, "with the package of your system that has it")
        return f"which is there, but {missing}, a library of the system, is not. Install it: {package}."
    return (
        f"which is there, but could not be loaded ({error}). "
        f"Run: pip install --force-reinstall 'packwise[{name}]'."
    )
