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
from numba.extending import (
    infer_getattr,
    intrinsic,
    lower_builtin,
    lower_getattr_generic,
    models,
    register_model,
    type_callable,
)

from packwise.compiled import AttributeTemplate
from packwise.engine.memory import WORDS, kinds_of

_WORD = ir.IntType(64)

#: What the fields of a group may be annotated with: the kind of number, and the number of dimensions.
FIELDS = {
    "Ints": (types.int64, 1),
    "Floats": (types.float64, 1),
    "IntRows": (types.int64, 2),
    "FloatRows": (types.float64, 2),
}


class Slots(types.Type):
    """The type of a borrowed array of one or two dimensions."""

    #: Operators on it give types by the types of their arguments alone.
    is_plain = True

    def __init__(self, dtype: Any, ndim: int) -> None:
        self.dtype = dtype
        self.ndim = ndim
        super().__init__(name=f"Slots({dtype}, {ndim})")


@register_model(Slots)
class _SlotsModel(models.StructModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        data = types.CPointer(kind.dtype)
        members = [("data", data), ("size", types.int64), ("columns", types.int64)]
        super().__init__(manager, kind, members[: kind.ndim + 1])


@infer_getattr
class _SizeOfSlots(AttributeTemplate):  # type: ignore[misc]
    key = Slots

    def generic_resolve(self, kind: Any, name: str) -> Any:
        return types.int64 if name == "size" else None


@lower_getattr_generic(Slots)
def _size_of(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    return builder.extract_value(value, 1)


def _index_type(slots: Any, index: Any) -> Any:
    if slots.ndim == 2 and isinstance(index, types.BaseTuple):
        return types.UniTuple(types.int64, 2)
    return types.int64 if isinstance(index, types.Integer) else None


@type_callable(operator.getitem)
def _type_of_get(context: Any) -> Any:

    def typed(slots: Any, index: Any) -> Any:
        if not isinstance(slots, Slots):
            return None
        if slots.ndim == 1 and isinstance(index, types.SliceType):
            return slots(slots, types.slice2_type)
        wanted = _index_type(slots, index)
        if wanted is None:
            return None
        row = slots.ndim == 2 and wanted is types.int64
        return (Slots(slots.dtype, 1) if row else slots.dtype)(slots, wanted)

    return typed


@type_callable(operator.setitem)
def _type_of_set(context: Any) -> Any:

    def typed(slots: Any, index: Any, number: Any) -> Any:
        wanted = _index_type(slots, index) if isinstance(slots, Slots) else None
        return None if wanted is None else types.none(slots, wanted, slots.dtype)

    return typed


def _made(context: Any, builder: Any, kind: Any, *parts: Any) -> Any:
    """A borrowed array of its data, its size and, if it has rows, its columns."""
    made = ir.Constant(context.get_value_type(kind), ir.Undefined)
    for place, part in enumerate(parts):
        made = builder.insert_value(made, part, place)
    return made


def _checked(context: Any, builder: Any, index: Any, size: Any, axis: int) -> None:
    """An error if checking is on and an index is not below a size, or below zero."""
    if context.enable_boundscheck:
        # An index below zero is a very large one without its sign.
        with builder.if_then(builder.icmp_unsigned(">=", index, size), likely=False):
            said = f"an index of axis {axis} is out of bounds"
            context.call_conv.return_user_exc(builder, IndexError, (said,))


def _place(context: Any, builder: Any, kind: Any, value: Any, index: Any) -> Any:
    """The address of an entry."""
    data, size = (builder.extract_value(value, k) for k in range(2))
    if kind.ndim == 1:
        _checked(context, builder, index, size, 0)
        return builder.gep(data, [index])
    row, column = (builder.extract_value(index, k) for k in range(2))
    columns = builder.extract_value(value, 2)
    _checked(context, builder, row, size, 0)
    _checked(context, builder, column, columns, 1)
    return builder.gep(data, [builder.add(builder.mul(row, columns), column)])


@lower_builtin(operator.getitem, Slots, types.Integer)
@lower_builtin(operator.getitem, Slots, types.UniTuple)
def _get(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = sig.args[0]
    if isinstance(sig.return_type, Slots):
        return _row(context, builder, sig.return_type, *args)
    return builder.load(_place(context, builder, kind, *args))


def _row(context: Any, builder: Any, kind: Any, value: Any, row: Any) -> Any:
    data, size, columns = (builder.extract_value(value, k) for k in range(3))
    _checked(context, builder, row, size, 0)
    begin = builder.gep(data, [builder.mul(row, columns)])
    return _made(context, builder, kind, begin, columns)


@lower_builtin(operator.getitem, Slots, types.SliceType)
def _part_of(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """``x[a:b]``: with neither below zero, a not above b; b is cut at the size, as if it were left out."""
    data, size = (builder.extract_value(args[0], k) for k in range(2))
    asked = context.make_helper(builder, sig.args[1], value=args[1])
    beyond = builder.icmp_signed(">", asked.stop, size)
    stop = builder.select(beyond, size, asked.stop)
    _checked(context, builder, asked.start, builder.add(stop, stop.type(1)), 0)
    begin = builder.gep(data, [asked.start])
    return _made(context, builder, sig.return_type, begin, builder.sub(stop, asked.start))


@lower_builtin(operator.setitem, Slots, types.Integer, types.Any)
@lower_builtin(operator.setitem, Slots, types.UniTuple, types.Any)
def _set(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    value, index, number = args
    builder.store(number, _place(context, builder, sig.args[0], value, index))
    return context.get_dummy_value()


def _items(builder: Any, value: Any, count: int) -> list[Any]:
    """The items of a tuple."""
    return [builder.extract_value(value, place) for place in range(count)]


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
        shape = _items(builder, array.shape, kind.ndim)
        return _made(context, builder, lent, array.data, *shape)
    if isinstance(kind, types.BaseNamedTuple):
        parts: list[Any] = list(kind)  # type: ignore[call-overload]
        items = _items(builder, value, len(parts))
        lents = [_lend(context, builder, k, v) for k, v in zip(parts, items, strict=True)]
        return context.make_tuple(builder, lent, lents)
    return value


def _borrow(typing_context: Any, value: Any) -> Any:
    lent = _borrowed(value)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _lend(context, builder, value, arguments[0])

    return lent(value), generate


#: ``borrow(x)`` in compiled code: an array, or a named tuple of arrays, without owners.
borrow: Any = intrinsic(_borrow)


class GroupOfSlots(types.Type):
    """The type of a group: the address of its table, one word, however many arrays there are.

    As a tuple of arrays a group of thirty took ninety words, in each variable and each call.
    """

    def __init__(self, fields: Any) -> None:
        self.names = fields._fields
        self.kinds = tuple(Slots(*FIELDS[kind]) for kind in kinds_of(fields))
        super().__init__(name=f"Group({fields.__module__}.{fields.__qualname__})")


@register_model(GroupOfSlots)
class _GroupModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _WORD.as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    key = GroupOfSlots

    def generic_resolve(self, kind: Any, name: str) -> Any:
        return kind.kinds[kind.names.index(name)] if name in kind.names else None


@lower_getattr_generic(GroupOfSlots)
def _field_of(context: Any, builder: Any, kind: Any, table: Any, name: str) -> Any:
    place = kind.names.index(name)
    return _field(context, builder, kind.kinds[place], table, place)


def _unchanging(builder: Any, load: Any, **known: int) -> Any:
    """A load from a table: no compiled code writes there, so the optimiser may load once and keep it."""
    module = builder.module
    load.set_metadata("invariant.load", module.add_metadata([]))
    for what, number in known.items():
        load.set_metadata(what, module.add_metadata([_WORD(number)] if number else []))
    return load


def _field(context: Any, builder: Any, kind: Any, table: Any, place: int) -> Any:
    """The array in a row of a table."""

    def word(column: int) -> Any:
        row = builder.gep(table, [_WORD(WORDS * place + column)])
        return _unchanging(builder, builder.load(row))

    data = context.get_value_type(kind.dtype).as_pointer()
    return _made(
        context, builder, kind, builder.inttoptr(word(0), data), *map(word, range(1, kind.ndim + 1))
    )


def _group(typing_context: Any, state: Any, place: Any, fields: Any) -> Any:
    made = GroupOfSlots(fields.instance_class)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        tables = builder.inttoptr(arguments[0], _WORD.as_pointer().as_pointer())
        table = builder.load(builder.gep(tables, [arguments[1]]))
        return _unchanging(builder, table, nonnull=0, dereferenceable=8 * WORDS * len(made.kinds))

    return made(types.int64, types.int64, fields), generate


#: ``group(state, place, Jobs)`` in compiled code: the group whose table's address is at a place of the state.
group: Any = intrinsic(_group)


def _numbers(kind: Any) -> Any:

    def typed(typing_context: Any, table: Any, place: Any) -> Any:
        slots = Slots(kind, 1)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            offset = builder.mul(arguments[1], _WORD(8 * WORDS))
            row = builder.inttoptr(builder.add(arguments[0], offset), _WORD.as_pointer())
            return _field(context, builder, slots, row, 0)

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
            kind = ir.FunctionType(context.get_value_type(answer), [_WORD] * len(arguments))
            function = builder.inttoptr(values[0], kind.as_pointer())
            return builder.call(function, _items(builder, values[1], len(arguments)))

        return answer(types.int64, given), generate

    return intrinsic(typed)


#: ``call_whole(address, (a, b))`` in compiled code: a C function of whole numbers that answers with one.
call_whole: Any = _caller(types.int64)
#: The same for a function that answers with a double.
call_real: Any = _caller(types.float64)
