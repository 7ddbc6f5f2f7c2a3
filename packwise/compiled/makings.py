"""What a compiled function is made of: a digest that changes when the code would.

numba keeps compiled code until the file of its function changes. It does not look at what was compiled into it:
functions of other files, constants, the fields of a group. Here all of that is followed from the function, by
what its bytecode names; so a kernel is compiled again when one of its own functions or constants has changed,
and not for a comment, a message, or another kernel.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

_PACKAGE = Path(__file__).parents[1]
#: How compiled code is made, and how it reaches arrays; part of every digest.
_MACHINERY = (
    "compiled/__init__.py",
    "compiled/inside_numba.py",
    "engine/slots.py",
    "engine/memory.py",
)
#: What a name of a module of these stands for is fixed by the version of the library.
_LIBRARIES = ("numba", "numpy", "math", "operator", "builtins", "llvmlite")
_PLAIN = (int, float, bool, str, bytes, type(None), np.generic)


def digest_of(function: Callable[..., Any]) -> str:
    """A digest of all that the compiled code of a function is made of."""
    return _Makings().digest(function)


class _Makings:
    """A walk from a function to all that it names, each once."""

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}
        self._sum = hashlib.sha256()

    def digest(self, function: Callable[..., Any]) -> str:
        self._add(*(source_digest(_PACKAGE / name) for name in _MACHINERY))
        self._add_value(function)
        return self._sum.hexdigest()

    def _add(self, *words: object) -> None:
        for word in words:
            self._sum.update(f"{word}\0".encode())

    def _add_value(self, value: Any) -> None:
        self._add(*_options(value))
        value = _python_function(value)
        if isinstance(value, _PLAIN):
            self._add(type(value).__name__, repr(value))
        elif isinstance(value, (tuple, frozenset)):
            items = sorted(value, key=repr) if isinstance(value, frozenset) else value
            self._add(type(value).__name__, len(items))
            for item in items:
                self._add_value(item)
        elif isinstance(value, np.ndarray):
            self._add(
                "array", value.dtype, value.shape, hashlib.sha256(value.tobytes()).hexdigest()
            )
        elif _is_of_a_library(value):
            self._add(getattr(value, "__module__", ""), getattr(value, "__name__", repr(value)))
        elif id(value) in self._seen:
            self._add("again", self._seen[id(value)])
        else:
            self._seen[id(value)] = len(self._seen)
            self._add_named(value)

    def _add_named(self, value: Any) -> None:
        """A function, a class or a module of ours, met for the first time."""
        if isinstance(value, FunctionType):
            own, named = _read(value)
            self._add(own)
            for found in named:
                self._add_value(found)
        elif inspect.isclass(value) and hasattr(value, "_fields"):
            self._add("fields", value.__module__, value.__qualname__, value._fields)
            self._add(sorted((k, str(kind)) for k, kind in value.__annotations__.items()))
        elif (file := _file_of(value)) is not None:
            # An intrinsic, or something new: whatever its file says counts.
            self._add("file", file.name, source_digest(file))
        else:
            self._add(source_digest(_PACKAGE))


@cache
def _read(function: FunctionType) -> tuple[str, tuple[Any, ...]]:
    """What a function does by itself, wherever it stands in its file and whatever its comments say; and the
    values of what it names.
    """
    code = function.__code__
    documented = function.__doc__ is not None and code.co_consts[:1] == (function.__doc__,)
    constants = code.co_consts[1:] if documented else code.co_consts
    own = function.__module__, function.__qualname__, function.__defaults__, _words(code, constants)
    return repr(own), tuple(_values_named_in(function))


def _words(code: CodeType, constants: tuple[Any, ...]) -> tuple[Any, ...]:
    """What code is, without the lines that it stands on."""
    names = (
        code.co_name,
        code.co_argcount,
        code.co_flags,
        code.co_varnames,
        code.co_names,
        code.co_freevars,
    )
    return *names, code.co_code.hex(), *map(_constant, constants)


def _constant(value: Any) -> Any:
    """A constant of code as something that is written alike in each process."""
    if isinstance(value, CodeType):
        return _words(value, value.co_consts)
    return sorted(value, key=repr) if isinstance(value, frozenset) else value


def _python_function(value: Any) -> Any:
    """What a compiled function was written as; another value as it is."""
    for name in ("py_func", "python_function"):
        value = getattr(value, name, value) if not isinstance(value, ModuleType) else value
    return value


def _options(value: Any) -> list[str]:
    """How a compiled function is made: whether as part of its callers or apart from them."""
    options = {} if isinstance(value, ModuleType) else getattr(value, "targetoptions", {})
    return sorted(f"{name} {option}" for name, option in options.items())


def _values_named_in(function: FunctionType) -> Iterator[Any]:
    """What the global names and the closure of a function stand for, each after its name."""
    names, cells = function.__globals__, function.__closure__ or ()
    named = {name: names[name] for name in _names(function.__code__) if name in names}
    enclosed = zip(function.__code__.co_freevars, cells, strict=True)
    named |= {name: cell.cell_contents for name, cell in enclosed}
    for name in sorted(named):
        yield name
        yield from _of(named[name], function.__code__)


def _names(code: CodeType) -> Iterator[str]:
    """The names in a function, and in what is defined inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _of(value: Any, code: CodeType) -> Iterator[Any]:
    """The value, or what the code may take of it if it is a module of ours."""
    if isinstance(value, ModuleType) and not _is_of_a_library(value):
        yield from (getattr(value, name) for name in _names(code) if hasattr(value, name))
    else:
        yield value


def _is_of_a_library(value: Any) -> bool:
    if isinstance(value, BuiltinFunctionType):
        return True
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
    if inspect.isclass(value) or not module:
        module = getattr(value, "__module__", None) or type(value).__module__
    return f"{module}".split(".")[0] in _LIBRARIES


def _file_of(value: Any) -> Path | None:
    defined = getattr(value, "_defn", value)  # of numba's intrinsic, the function that makes it
    module = sys.modules.get(getattr(defined, "__module__", None) or "")
    file = getattr(module, "__file__", None)
    return None if file is None else Path(file)


@cache
def source_digest(place: Path) -> str:
    """A digest of a source file, or of all source files in a folder and the folders in it."""
    digest = hashlib.sha256()
    for source in [place] if place.is_file() else sorted(place.rglob("*.py")):
        digest.update(str(source.relative_to(place)).encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()
