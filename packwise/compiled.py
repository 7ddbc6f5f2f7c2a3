"""The decorators of compiled functions, a compiler that does no work twice, and a cache that notices changes.

numba keeps compiled code on disk and drops it when the file of the function changes. It does not look at
the files of the functions that were compiled into it, so after an edit of ``profile.py`` the loops would go
on running the old profile, or crash on a tuple that has changed its shape; nor at the constants that it
freezes. Here the stamp of every cached function covers all sources of the engine and of the model, and those
beside the function's own.

A function that only compiled code calls is made part of its callers. numba would optimise it, give it a
Python and a C entrance and turn it into machine code by itself, and then do all of it again for the caller.
``inlined`` leaves that to the caller alone: list scheduling took 34 s to compile, and so it takes 18 s.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from numba import njit
from numba.core import event
from numba.core.ccallback import CFunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.sigutils import normalize_signature

_PACKAGE = Path(__file__).parent
#: What any compiled function may have been made of.
_FOUNDATIONS = (_PACKAGE / "engine", _PACKAGE / "model")
#: A division by zero is a number, which is refused where it matters; nothing is raised.
_ARITHMETIC: dict[str, Any] = {"error_model": "numpy"}

#: numba's own signatures leave out what it does not document.
_njit: Any = njit
_Library: Any = JITCodeLibrary
_Compiler: Any = Compiler
_CFunc: Any = CFunc
_normalised: Any = normalize_signature


def compiled(function: Callable[..., Any]) -> Any:
    """A compiled function that Python calls: kept on disk between processes."""
    dispatcher = _njit(**_ARITHMETIC)(function)
    _keep_on_disk(dispatcher, function)
    return dispatcher


class _CFunction(_CFunc):  # type: ignore[misc]
    """numba's C function, which tells when it is compiled as other functions do."""

    def _compile_uncached(self) -> Any:
        told = {"dispatcher": SimpleNamespace(py_func=self._pyfunc)}
        with event.trigger_event("numba:compile", data=told):
            return super()._compile_uncached()


class CallableFromC:
    """A compiled function with a C address. Compiled when first needed; ours are kept on disk."""

    def __init__(self, function: Callable[..., Any], signature: Any) -> None:
        self._function = function
        self._signature = signature

    @cached_property
    def _function_of_numba(self) -> Any:
        made = _CFunction(
            self._function,
            _normalised(self._signature),
            locals={},
            options=_ARITHMETIC,
        )
        # numba's cache goes by file and name: a user's file may be loaded under several names, carried
        # from another machine, or have changed by one constant.
        if Path(self._function.__code__.co_filename).is_relative_to(_PACKAGE):
            _keep_on_disk(made, self._function)
        return made

    @property
    def _cache(self) -> Any:
        return self._function_of_numba._cache

    @cached_property
    def address(self) -> int:
        made = self._function_of_numba
        made.compile()
        address: int = made.address
        return address


def _refuse(*_: object) -> None:
    raise TypeError("this function is for compiled code only: call it from a compiled function.")


#: What Python reaches when it calls such a function.
_REFUSAL = ctypes.PYFUNCTYPE(ctypes.py_object, *(ctypes.c_void_p,) * 3)(_refuse)
_REFUSAL_ADDRESS = ctypes.cast(_REFUSAL, ctypes.c_void_p).value or 0


def is_on_disk(function: Any) -> bool:
    """Whether a compiled function needs no compiling, for some types of arguments at least."""
    index = getattr(getattr(function, "_cache", None), "_cache_file", None)
    return index is not None and bool(index._load_index())


class _Owner:
    """The code generator of a part, but for what needs machine code."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def set_env(self, name: str, environment: Any) -> None:
        """A part has no environment: only objects of Python would need one."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)


class _Part(_Library):  # type: ignore[misc]
    """Code that is optimised and turned into machine code only as a part of its callers."""

    @property
    def codegen(self) -> Any:
        return _Owner(self._codegen)

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return _REFUSAL_ADDRESS


class _PartCompiler(_Compiler):  # type: ignore[misc]
    """numba's compiler, up to machine code."""

    def define_pipelines(self) -> Any:
        name = self.state.func_id.func_qualname
        self.state.library = _Part(self.state.targetctx.codegen(), name)
        return super().define_pipelines()


def inlined(function: Callable[..., Any]) -> Any:
    """A compiled function for compiled code only, made part of whoever calls it."""
    return _njit(
        forceinline=True,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        pipeline_class=_PartCompiler,
        **_ARITHMETIC,
    )(function)


def apart(function: Callable[..., Any]) -> Any:
    """A compiled function for compiled code only that stays a function: it is large, or called often."""
    return _njit(
        forceinline=False,  # else it would be as its caller is
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        pipeline_class=_PartCompiler,
        **_ARITHMETIC,
    )(function)


def _keep_on_disk(made: Any, function: Callable[..., Any]) -> None:
    """Keep what is compiled, if there is a place: an account without a home compiles anew in each process."""
    try:
        made.enable_caching()
    except RuntimeError:  # what numba says when it can write nowhere
        return
    _stamp_with_all_sources(made, function)


def _stamp_with_all_sources(dispatcher: Any, function: Callable[..., Any]) -> None:
    """Make the cache of a function depend on what it may be made of, and on the files beside its own.

    numba has no public way to say so.
    """
    index = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if index is not None and hasattr(index, "_source_stamp"):
        beside = Path(function.__code__.co_filename).parent
        stamps = (source_digest(folder) for folder in (*_FOUNDATIONS, beside))
        index._source_stamp = (index._source_stamp, source_digest(Path(__file__)), *stamps)


@cache
def source_digest(place: Path) -> str:
    """A digest of a source file, or of all source files in a folder and the folders in it."""
    digest = hashlib.sha256()
    for source in [place] if place.is_file() else sorted(place.rglob("*.py")):
        digest.update(str(source.relative_to(place)).encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()
