"""All that leans on the inside of numba: names that it does not document, and that a later one may move.

Four things are gained by it; ``docs/inside-numba.md`` says what each is worth, and what happens where a numba
has moved them: ``plain_numba`` does the same with what is documented, and compiles several times as long.

* **Parts.** A function that only compiled code calls is made part of its callers. numba would give it a Python
  and a C entrance and turn it into machine code by itself, and then do all of it again for the caller.
* **A short way.** Of numba's thirty passes kernels need ten, and of its typing one answer for each operator.
* **No literals.** numba compiles ``f(0)`` for the literal 0, and again for whole numbers.
* **Kept by content.** Compiled code is kept under a digest of all that it was made of (see ``makings``).
"""

from __future__ import annotations

import ctypes
import operator
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import llvmlite
import numba
from numba import types
from numba.core import compiler, config, sigutils, typed_passes, untyped_passes
from numba.core.ccallback import CFunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.runtime import nrt
from numba.core.serialize import dumps
from numba.core.typing.context import Context
from numba.core.typing.templates import AttributeTemplate as AttributeTemplate

from packwise.compiled.kept import Kept
from packwise.compiled.told import telling

#: numba's own signatures leave out what it does not document.
_config: Any = config
_normalised: Any = sigutils.normalize_signature
_unliteral: Any = types.unliteral
_Result: Any = compiler.CompileResult
_dumps: Any = dumps
_runtime: Any = nrt.rtsys
_Library: Any = JITCodeLibrary
_CompilerBase: Any = compiler.CompilerBase
_CFunc: Any = CFunc
_Dispatcher: Any = CPUDispatcher
_Context: Any = Context

#: A division by zero is a number, which is refused where it matters; nothing is raised.
_OPTIONS: dict[str, Any] = {"nopython": True, "boundscheck": None, "error_model": "numpy"}


def _all_passes() -> tuple[Any, ...]:
    """What turns a kernel into machine code: numba's default passes without those for objects of Python,
    closures, generators, threads, branches on literals, and arrays as expressions.
    """
    untyped: Any = untyped_passes
    typed: Any = typed_passes
    return (
        untyped.TranslateByteCode(),
        untyped.FixupArgs(),
        untyped.IRProcessing(),
        untyped.GenericRewrites(),
        untyped.ReconstructSSA(),
        typed.NopythonTypeInference(),
        typed.PreLowerStripPhis(),
        typed.IRLegalization(),
        typed.NativeLowering(),
        typed.NoPythonBackend(),
    )


_PASSES = _all_passes()


class _ShortWay:
    """The passes one after the other, without what numba checks and times between them."""

    pipeline_name = "short"

    def __init__(self) -> None:
        self.exec_times: dict[str, Any] = {}

    def run(self, state: Any) -> None:
        for one in _PASSES:
            one.run_initialization(state)
            one.run_pass(state)
            one.run_finalizer(state)


#: What has one type for each set of plain types, literals or not.
_PLAIN_FUNCTIONS = {
    getattr(operator, name)
    for name in (
        *(
            "add",
            "sub",
            "mul",
            "floordiv",
            "truediv",
            "mod",
            "and_",
            "or_",
            "xor",
            "lshift",
            "rshift",
        ),
        *("iadd", "isub", "imul", "ifloordiv", "itruediv", "imod", "iand", "ior", "ixor"),
        *("lt", "le", "eq", "ne", "ge", "gt", "neg", "not_", "invert", "getitem", "setitem"),
    )
} | {min, max, abs, int, float, bool}


def _is_plain(kind: Any) -> bool:
    """Whether operators on a type give types by the types of their arguments alone; a type of ours says so."""
    return isinstance(kind, (types.Integer, types.Float, types.Boolean)) or hasattr(
        kind, "is_plain"
    )


class _RememberingContext(_Context):  # type: ignore[misc]
    """numba's typing, which remembers what an operator gives: it would try a hundred templates each time."""

    _known: dict[Any, Any] = {}  # noqa: RUF012 - shared: types are the same in a whole process

    def __init__(self, context: Any) -> None:
        self.__dict__ = context.__dict__

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        function = getattr(func, "typing_key", func)
        if kws or not _is_one_of(function, _PLAIN_FUNCTIONS):
            return super().resolve_function_type(func, args, kws)
        plain = tuple(map(_unliteral, args))
        if not all(map(_is_plain, plain)):
            return super().resolve_function_type(func, args, kws)
        key = func, plain
        if key not in self._known:
            self._known[key] = super().resolve_function_type(func, plain, kws)
        return self._known[key]

    def resolve_setitem(self, target: Any, index: Any, value: Any) -> Any:
        if _is_plain(target):
            return self.resolve_function_type(operator.setitem, (target, index, value), {})
        return super().resolve_setitem(target, index, value)


def _is_one_of(function: Any, functions: set[Any]) -> bool:
    try:
        return function in functions
    except TypeError:  # not hashable: none of them
        return False


@contextmanager
def _settled(*contexts: Any) -> Iterator[None]:
    """Contexts that do not look for new functions: inside a compilation there are none since it began."""
    for context in contexts:
        context.refresh = _nothing
    try:
        yield
    finally:
        for context in contexts:
            del context.refresh


def _nothing() -> None:
    pass


class _Compiler(_CompilerBase):  # type: ignore[misc]
    """numba's compiler on the short way."""

    _depth = 0

    def __init__(self, typing: Any, target: Any, *others: Any) -> None:
        if _Compiler._depth:
            with _settled(typing, target):
                super().__init__(_RememberingContext(typing), target, *others)
            self.state.targetctx.__dict__.pop("refresh", None)  # a copy of the one that was settled
        else:
            super().__init__(_RememberingContext(typing), target, *others)

    def compile_extra(self, function: Any) -> Any:
        _Compiler._depth += 1
        try:
            return super().compile_extra(function)
        finally:
            _Compiler._depth -= 1

    def define_pipelines(self) -> Any:
        return [_ShortWay()]


class _Owner:
    """The code generator of a part, but for what needs machine code."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def set_env(self, name: str, environment: Any) -> None:
        """A part has no environment: only objects of Python would need one."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)


class _PartLibrary(_Library):  # type: ignore[misc]
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


def _refuse(*_: object) -> None:
    raise TypeError("this function is for compiled code only: call it from a compiled function.")


#: What Python reaches when it calls a part.
_REFUSAL = ctypes.PYFUNCTYPE(ctypes.py_object, *(ctypes.c_void_p,) * 3)(_refuse)
_REFUSAL_ADDRESS = ctypes.cast(_REFUSAL, ctypes.c_void_p).value or 0


class _PartCompiler(_Compiler):
    """The same, up to machine code."""

    def define_pipelines(self) -> Any:
        name = self.state.func_id.func_qualname
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), name)
        return super().define_pipelines()


class _Part(_Dispatcher):  # type: ignore[misc]
    """A function for compiled code only, compiled once for numbers, literal or not."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        kinds = {name: _unliteral(kind) for name, kind in kws.items()}
        return super().get_call_template(tuple(map(_unliteral, args)), kinds)

    def compile(self, sig: Any) -> Any:
        # numba's own asks a cache and starts two timers; those of all callers would hear of each other.
        args, return_type = _normalised(sig)
        if tuple(args) not in self.overloads:
            with global_compiler_lock, self._compiling_counter, telling(self.py_func):
                self.add_overload(self._compiler.compile(args, return_type))
        return self.overloads[tuple(args)].entry_point


def part(function: Callable[..., Any], inline: bool) -> Any:
    """A compiled function that only compiled code calls."""
    options = {
        **_OPTIONS,
        "forceinline": inline,
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
    }
    return _Part(function, targetoptions=options, pipeline_class=_PartCompiler)


@cache
def _maker() -> str:
    """What machine code depends on besides what it was made of."""
    versions = sys.version_info[:2], numba.__version__, llvmlite.__version__
    options = _config.BOUNDSCHECK, _config.OPT, _config.LOOP_VECTORIZE, _config.SLP_VECTORIZE
    return f"{versions} {options} {cpu_target.target_context.codegen().magic_tuple()}"


class _Cache:
    """numba's cache of a function, by content."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.kept = Kept(function, _maker)

    def load_overload(self, sig: Any, target: Any) -> Any:
        kept = self.kept.read(f"{sig}")
        # What the code may call of numba's own; its many thousand definitions are only for compiling.
        _runtime.initialize(target)
        return kept and _Result._rebuild(target, *kept)

    def save_overload(self, sig: Any, made: Any) -> None:
        self.kept.write(f"{sig}", _dumps(made._reduce()))


def is_on_disk(function: Any) -> bool:
    """Whether a compiled function needs no compiling, for some types of arguments at least."""
    kept = getattr(getattr(function, "function_of_numba", function)._cache, "kept", None)
    return kept is not None and kept.is_there


def entrance(function: Callable[..., Any], keep: bool) -> Any:
    """A compiled function that Python calls."""
    made = _Dispatcher(function, targetoptions=dict(_OPTIONS), pipeline_class=_Compiler)
    if keep:
        made._cache = _Cache(function)
    return made


class _CFunction(_CFunc):  # type: ignore[misc]
    """numba's C function, which tells when it is compiled as other functions do."""

    def _compile_uncached(self) -> Any:
        with telling(self._pyfunc):
            return super()._compile_uncached()


def c_function(function: Callable[..., Any], signature: Any, keep: bool) -> Any:
    """A compiled function with an ``address``, once ``compile`` was called."""
    normal = _normalised(signature)
    made = _CFunction(function, normal, {}, dict(_OPTIONS), pipeline_class=_Compiler)
    if keep:
        made._cache = _Cache(function)
    return made


def try_out() -> None:
    """Raise what does not fit this numba, by compiling something small."""
    half = part(_half, inline=True)

    def quarter(number: Any) -> Any:
        return half(half(number))

    from_c = c_function(quarter, types.int64(types.int64), keep=False)
    from_c.compile()
    whole = ctypes.c_int64
    found = entrance(quarter, keep=True)(9), ctypes.CFUNCTYPE(whole, whole)(from_c.address)(9)
    if found != (2, 2):
        raise ValueError(f"a quarter of 9 was {found}")


def _half(number: Any) -> Any:
    return number // 2
