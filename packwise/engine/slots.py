"""Arrays without an owner: a place in memory and a size, all that compiled code needs of an array.

numba counts references to every array that crosses a call, gives each index below zero a meaning, and carries
shapes and strides along; with some sixty arrays and several calls a round that costs more than the work.
``Slots`` are borrowed: whoever calls keeps the real arrays alive. Against numba's arrays without an owner,
list scheduling compiles in 12 s instead of 18, and runs a quarter faster. With bounds checking on
(NUMBA_BOUNDSCHECK=1) every index is checked, and one below zero is an error.

A *group* is a named tuple of arrays, such as the columns of the jobs. Its table holds three numbers for each
array: its address, its size (entries, or rows), and the columns of a row where it has rows (else 0). So
compiled functions are given one number, the address of a table, whatever they work with.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_untracked
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import (
    intrinsic,
    lower_builtin,
    make_attribute_wrapper,
    models,
    register_model,
)

from packwise.engine.memory import WORDS, kinds_of

#: What the fields of a group may be annotated with: the kind of number, and the number of dimensions.
FIELDS = {
    "Ints": (types.int64, 1),
    "Floats": (types.float64, 1),
    "IntRows": (types.int64, 2),
    "FloatRows": (types.float64, 2),
}


class Slots(types.Type):
    """The type of a borrowed array of one or two dimensions."""

    def __init__(self, dtype: Any, ndim: int) -> None:
        self.dtype = dtype
        self.ndim = ndim
        super().__init__(name=f"Slots({dtype}, {ndim})")


@register_model(Slots)
class _SlotsModel(models.StructModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        data = types.CPointer(kind.dtype)
        members = [("data", data), ("size", types.int64), ("columns", types.int64)]
        super().__init__(manager, kind, members)


make_attribute_wrapper(Slots, "size", "size")


def _index_type(slots: Any, index: Any) -> Any:
    if slots.ndim == 2 and isinstance(index, types.BaseTuple):
        return types.UniTuple(types.int64, 2)
    return types.int64 if isinstance(index, types.Integer) else None


@infer_global(operator.getitem)
class _Get(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        slots, index = args
        if not isinstance(slots, Slots):
            return None
        if slots.ndim == 1 and isinstance(index, types.SliceType):
            return signature(slots, slots, types.slice2_type)
        wanted = _index_type(slots, index)
        if wanted is None:
            return None
        row = slots.ndim == 2 and wanted is types.int64
        return signature(Slots(slots.dtype, 1) if row else slots.dtype, slots, wanted)


@infer_global(operator.setitem)
class _Set(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        slots, index, _ = args
        if isinstance(slots, Slots):
            wanted = _index_type(slots, index)
            if wanted is not None:
                return signature(types.none, slots, wanted, slots.dtype)
        return None


def _parts(context: Any, builder: Any, kind: Any, value: Any = None) -> Any:
    return cgutils.create_struct_proxy(kind)(context, builder, value=value)


def _place(context: Any, builder: Any, kind: Any, value: Any, index: Any) -> Any:
    """The address of an entry, checked if checking is on."""
    slots = _parts(context, builder, kind, value)
    row, column = cgutils.unpack_tuple(builder, index, 2) if kind.ndim == 2 else (index, None)
    if context.enable_boundscheck:
        cgutils.do_boundscheck(context, builder, row, slots.size, 0)
        if column is not None:
            cgutils.do_boundscheck(context, builder, column, slots.columns, 1)
    if column is not None:
        row = builder.add(builder.mul(row, slots.columns), column)
    return builder.gep(slots.data, [row])


@lower_builtin(operator.getitem, Slots, types.Integer)
@lower_builtin(operator.getitem, Slots, types.UniTuple)
def _get(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = sig.args[0]
    if isinstance(sig.return_type, Slots):
        return _row(context, builder, kind, *args)
    return builder.load(_place(context, builder, kind, *args))


def _row(context: Any, builder: Any, kind: Any, value: Any, row: Any) -> Any:
    whole = _parts(context, builder, kind, value)
    if context.enable_boundscheck:
        cgutils.do_boundscheck(context, builder, row, whole.size, 0)
    begin = builder.mul(row, whole.columns)
    return _slots(context, builder, kind.dtype, builder.gep(whole.data, [begin]), whole.columns)


def _slots(context: Any, builder: Any, dtype: Any, data: Any, size: Any) -> Any:
    made = _parts(context, builder, Slots(dtype, 1))
    made.data = data
    made.size = size
    made.columns = size.type(0)
    return made._getvalue()


@lower_builtin(operator.getitem, Slots, types.SliceType)
def _part_of(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """``x[a:b]``: with neither below zero, a not above b; b is cut at the size, as if it were left out."""
    whole = _parts(context, builder, sig.args[0], args[0])
    asked = context.make_helper(builder, sig.args[1], value=args[1])
    beyond = builder.icmp_signed(">", asked.stop, whole.size)
    stop = builder.select(beyond, whole.size, asked.stop)
    if context.enable_boundscheck:
        cgutils.do_boundscheck(context, builder, asked.start, builder.add(stop, stop.type(1)), 0)
    return _slots(
        context,
        builder,
        sig.args[0].dtype,
        builder.gep(whole.data, [asked.start]),
        builder.sub(stop, asked.start),
    )


@lower_builtin(operator.setitem, Slots, types.Integer, types.Any)
@lower_builtin(operator.setitem, Slots, types.UniTuple, types.Any)
def _set(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    value, index, number = args
    builder.store(number, _place(context, builder, sig.args[0], value, index))
    return context.get_dummy_value()


def _borrowed(kind: Any) -> Any:
    """What an array, or a named tuple of them, is when borrowed."""
    if isinstance(kind, types.Array):
        return Slots(kind.dtype, kind.ndim)
    if isinstance(kind, types.BaseNamedTuple):
        parts = [_borrowed(part) for part in list(kind)]  # type: ignore[call-overload]
        return types.BaseTuple.from_types(parts, kind.instance_class)  # type: ignore[attr-defined]
    return kind


def _lend(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    lent = _borrowed(kind)
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        made = _parts(context, builder, lent)
        made.data = array.data
        shape = cgutils.unpack_tuple(builder, array.shape)
        made.size = shape[0]
        made.columns = shape[-1]
        return made._getvalue()
    if isinstance(kind, types.BaseNamedTuple):
        parts: list[Any] = list(kind)  # type: ignore[call-overload]
        items = cgutils.unpack_tuple(builder, value, len(parts))
        lents = [_lend(context, builder, k, v) for k, v in zip(parts, items, strict=True)]
        return context.make_tuple(builder, lent, lents)
    return value


def _borrow(typing_context: Any, value: Any) -> Any:
    lent = _borrowed(value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return impl_ret_untracked(
            context, builder, lent, _lend(context, builder, value, arguments[0])
        )

    return lent(value), generate


#: ``borrow(x)`` in compiled code: an array, or a named tuple of arrays, without owners.
borrow: Any = intrinsic(_borrow)


def _word(context: Any, builder: Any, address: Any, place: int) -> Any:
    """A number of a table."""
    whole = ir.IntType(64)
    table = builder.inttoptr(address, whole.as_pointer())
    return builder.load(builder.gep(table, [whole(place)]))


def _field(context: Any, builder: Any, kind: Any, table: Any, place: int) -> Any:
    made = _parts(context, builder, kind)
    data = context.get_value_type(kind.dtype).as_pointer()
    made.data = builder.inttoptr(_word(context, builder, table, WORDS * place), data)
    made.size = _word(context, builder, table, WORDS * place + 1)
    made.columns = _word(context, builder, table, WORDS * place + 2)
    return made._getvalue()


def _group(typing_context: Any, state: Any, place: Any, fields: Any) -> Any:
    names = fields.instance_class
    kinds = [Slots(*FIELDS[kind]) for kind in kinds_of(names)]
    made = types.BaseTuple.from_types(kinds, names)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = ir.IntType(64)
        tables = builder.inttoptr(arguments[0], whole.as_pointer())
        table = builder.load(builder.gep(tables, [arguments[1]]))
        slots = [_field(context, builder, kind, table, k) for k, kind in enumerate(kinds)]
        return context.make_tuple(builder, made, slots)

    return made(types.int64, types.int64, fields), generate


#: ``group(state, place, Jobs)`` in compiled code: the group whose table's address is at a place of the state.
group: Any = intrinsic(_group)


def _numbers(kind: Any) -> Any:

    def typed(typing_context: Any, table: Any, place: Any) -> Any:
        slots = Slots(kind, 1)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            whole = ir.IntType(64)
            offset = builder.mul(arguments[1], whole(8 * WORDS))
            return _field(context, builder, slots, builder.add(arguments[0], offset), 0)

        return slots(types.int64, types.int64), generate

    return intrinsic(typed)


#: ``whole_numbers(table, place)`` in compiled code: the array of whole numbers at a place of a table.
whole_numbers: Any = _numbers(types.int64)
#: The same for doubles.
real_numbers: Any = _numbers(types.float64)


def _caller(answer: Any) -> Any:

    def typed(typing_context: Any, address: Any, arguments: Any) -> Any:
        given = types.UniTuple(types.int64, len(arguments))

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            kind = ir.FunctionType(
                context.get_value_type(answer), [ir.IntType(64)] * len(arguments)
            )
            function = builder.inttoptr(values[0], kind.as_pointer())
            return builder.call(function, cgutils.unpack_tuple(builder, values[1]))

        return answer(types.int64, given), generate

    return intrinsic(typed)


#: ``call_whole(address, (a, b))`` in compiled code: a C function of whole numbers that answers with one.
call_whole: Any = _caller(types.int64)
#: The same for a function that answers with a double.
call_real: Any = _caller(types.float64)
