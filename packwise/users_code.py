"""Code of users: an object in a file (``my.py:mine``) or in an installed module (``package.module:mine``)."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable
from hashlib import sha256
from importlib.abc import InspectLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from packwise.files.inputs import note_input
from packwise.model.errors import InputError, UnknownName
from packwise.users_modules import run_text

#: An object in a file; the path may have parentheses.
_FILE = re.compile(r".+\.py:\w+", re.DOTALL)
_WITH_PARAMETERS = re.compile(r".+\.py:\w+\s*\(.*\)", re.DOTALL)


def is_users(name: str, kind: str) -> bool:
    """Whether a name means code of the user; one that nearly does is refused."""
    if _FILE.fullmatch(name) or (":" in name and "(" not in name):
        return True
    if name.strip().endswith(".py"):
        raise InputError(
            f"{kind} '{name}': say which {kind} of the file, as in {name.strip()}:mine."
        )
    return False


def refuse_parameters(name: str, kind: str) -> None:
    """An InputError for my.py:mine(depth=3)."""
    if _WITH_PARAMETERS.fullmatch(name.strip()):
        raise InputError(
            f"{kind} '{name}': one of your own takes no parameters here. Make an object per variant in "
            "the file, and name each."
        )


def takes_one(function: Callable[..., Any]) -> bool:
    """Whether a function can be called with one argument, as far as it tells."""
    try:
        inspect.signature(function).bind(None)
    except ValueError:  # it does not tell
        return True
    except TypeError:
        return False
    return True


def users_file(name: str) -> Path | None:
    """The file that a name such as my.py:mine speaks of; None for other names."""
    return Path(name.rpartition(":")[0]) if _FILE.fullmatch(name) else None


def users_object(
    name: str, source: str | None, kind: str, fits: Callable[[Any], bool]
) -> tuple[Any, str]:
    """The object that a name means, and its own name. A class is called without arguments.

    ``source`` stands for the content of the file in ``my.py:mine``; an installed module is imported,
    since it may import its neighbours, and must have that content. ``kind`` is for messages, ``fits``
    tells which objects of the module to suggest.
    """
    path, _, attribute = name.rpartition(":")
    carried = source is not None and path.endswith(".py")
    module = _module_of(path, source or "", kind) if carried else _module(path, kind)
    if source is not None and not carried:
        _same_source(module, source)
    if not hasattr(module, attribute):
        known = [n for n, v in vars(module).items() if not n.startswith("_") and fits(v)]
        raise UnknownName(f"{kind} in {path}", attribute, known)
    found = getattr(module, attribute)
    if inspect.isclass(found):
        try:
            found = found()
        except Exception as error:
            raise InputError(
                f"{kind} '{name}': the class could not be made without arguments "
                f"({type(error).__name__}: {error}). Name an instance instead."
            ) from error
    return found, attribute


def users_source(name: str, kind: str) -> str | None:
    """The text of the module in a name such as my.py:mine; None for an installed one that has none."""
    path = name.rpartition(":")[0]
    if path.endswith(".py"):
        content = _content(path, kind)
    else:
        file = getattr(_module(path, kind), "__file__", None)
        if file is None or not file.endswith(".py"):
            return None
        content = _content(file, kind)
    try:
        return importlib.util.decode_source(content)
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{kind} file '{path}' could not be loaded: {error}") from error


def _same_source(module: Any, source: str) -> None:
    """Whoever loaded a module is asked for its text: it may have come with the study."""
    loader = getattr(module, "__loader__", None)
    found = loader.get_source(module.__name__) if isinstance(loader, InspectLoader) else None
    if found != source:
        file = getattr(module, "__file__", None)
        raise InputError(
            f"module '{module.__name__}' here ({file}) is not the one that the study was started "
            "with. Install the same version on all machines, or start the study again."
        )


def _module(path: str, kind: str) -> Any:
    if not path.endswith(".py"):
        try:
            return importlib.import_module(path)
        except Exception as error:
            raise InputError(
                f"module '{path}' could not be imported ({type(error).__name__}: {error}). "
                "Give a file (my.py:name) or an installed module (package.module:name)."
            ) from error
    return _module_of(path, _content(path, kind), kind)


def _content(path: str, kind: str) -> bytes:
    file = Path(path)
    if not file.is_file():
        raise InputError(f"{kind} file '{path}' does not exist. Check the path before the colon.")
    note_input(file)
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(
            f"{kind} file '{path}' cannot be read ({error.strerror or error}). Check its permissions."
        ) from error


def _module_of(path: str, source: str | bytes, kind: str) -> ModuleType:
    """A module from its source; ``path`` is what tracebacks call it.

    It is listed under a name of its own: dataclasses and pickles look their module up.
    """
    content = source.encode() if isinstance(source, str) else source
    module = ModuleType(f"{Path(path).stem}_{sha256(content).hexdigest()[:12]}")
    module.__file__ = path
    sys.modules[module.__name__] = module
    try:
        run_text(source, path, module)
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        raise InputError(
            f"{kind} file '{path}' could not be loaded: {type(error).__name__}: {error}"
        ) from error
    return module
