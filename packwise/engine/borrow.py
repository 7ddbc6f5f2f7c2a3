"""Arrays without an owner, so that passing them between compiled functions costs nothing.

numba counts references to every array that crosses a call, one atomic operation each, and there are some
thirty arrays and several calls a round. A borrowed array has no owner to count for. The caller must keep the
real one alive, which the callers of the loops do. EASY on KTH-SP2 with requested limits took 85 ms with owned
arrays, 48 ms with borrowed ones, and 7 ms once the functions were inlined as well (``compiled.inlined``).
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def _borrow(typing_context: Any, value: Any) -> Any:

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _without_owner(context, builder, value, arguments[0])

    return value(value), generate


#: ``borrow(x)`` in compiled code: the same array, or named tuple of arrays, without owners.
borrow: Any = intrinsic(_borrow)


def _without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        parts: list[Any] = list(iter(kind))  # type: ignore[call-overload]
        items = cgutils.unpack_tuple(builder, value, len(parts))
        return context.make_tuple(
            builder,
            kind,
            [_without_owner(context, builder, t, v) for t, v in zip(parts, items, strict=True)],
        )
    return value
