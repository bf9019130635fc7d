"""Elements and parts of arrays, in few instructions.

Numba handles every kind of index by one piece of code, which makes dozens of instructions of each,
to be written, read and optimised away. Here are the kinds that kernels are full of: whole numbers,
ranges of an array of one dimension, and arrays laid out in another way. They mean what they do
there, also if negative. Functions that are no kernels have Numba's, which can look whether an index
is within an array.
"""

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.extending import lower_builtin

from podium.numerics.compiler.known import intrinsic, is_kernels

_FARTHEST = (1 << 63) - 1


def _field(context: Any, builder: Any, kind: Any, value: Any, name: str, axis: Any = None) -> Any:
    """One of the numbers that an array or a range consists of."""
    place = context.data_model_manager[kind].get_field_position(name)
    return builder.extract_value(value, place if axis is None else [place, axis])


def _counted(context: Any, builder: Any, kind: Any, index: Any, length: Any) -> Any:
    """An index from the start; negative ones are from the end."""
    index = context.cast(builder, index, kind, types.intp)
    if not kind.signed or (isinstance(index, ir.Constant) and index.constant >= 0):
        return index
    is_negative = builder.icmp_signed("<", index, index.type(0))
    return builder.select(is_negative, builder.add(index, length), index)


def _place(context: Any, builder: Any, kind: Any, array: Any, indices: list[Any]) -> Any:
    """Where an element is, or the first of a row."""
    data = _field(context, builder, kind, array, "data")
    if kind.layout == "C":
        at = indices[0]
        for axis in range(1, kind.ndim):
            at = builder.mul(at, _field(context, builder, kind, array, "shape", axis))
            if axis < len(indices):
                at = builder.add(at, indices[axis])
        return builder.gep(data, [at])
    offset = None
    for axis, index in enumerate(indices):
        stride = _field(context, builder, kind, array, "strides", axis)
        step = builder.mul(stride, index)
        offset = step if offset is None else builder.add(offset, step)
    return cgutils.pointer_add(builder, data, offset)


def _seen(
    context: Any,
    builder: Any,
    of: Any,
    kind: Any,
    array: Any,
    data: Any,
    lengths: Any,
    strides: Any,
) -> Any:
    """The same memory as another array, or a part of it."""
    count = lengths[0]
    for length in lengths[1:]:
        count = builder.mul(count, length)
    fields = {
        "meminfo": _field(context, builder, kind, array, "meminfo"),
        "parent": _field(context, builder, kind, array, "parent"),
        "nitems": count,
        "itemsize": _field(context, builder, kind, array, "itemsize"),
        "data": data,
    }
    model, seen = context.data_model_manager[of], ir.Constant(context.get_value_type(of), None)
    for name, value in fields.items():
        seen = builder.insert_value(seen, value, model.get_field_position(name))
    for name, values in (("shape", lengths), ("strides", strides)):
        for axis, value in enumerate(values):
            seen = builder.insert_value(seen, value, [model.get_field_position(name), axis])
    return impl_ret_borrowed(context, builder, of, seen)


def _line(
    context: Any, builder: Any, of: Any, kind: Any, array: Any, data: Any, length: Any
) -> Any:
    """An array of one dimension in another, whose last axis it runs along."""
    stride = _field(context, builder, kind, array, "strides", kind.ndim - 1)
    return _seen(context, builder, of, kind, array, data, [length], [stride])


def _indices(context: Any, builder: Any, kind: Any, array: Any, given: Any, index: Any) -> Any:
    """Those from the start, or None if not all of them are whole numbers."""
    kinds, found = [given], [index]
    if isinstance(given, types.UniTuple | types.Tuple):
        kinds, found = list(given.types), cgutils.unpack_tuple(builder, index, len(given))
    if len(found) > kind.ndim or not all(isinstance(each, types.Integer) for each in kinds):
        return None
    return [
        _counted(context, builder, of, value, _field(context, builder, kind, array, "shape", axis))
        for axis, (of, value) in enumerate(zip(kinds, found, strict=True))
    ]


def _get(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    from numba.np import arrayobj  # late: only compiling needs it

    (kind, given), (array, index), of = signature.args, arguments, signature.return_type
    indices = None
    if is_kernels(context) and (not isinstance(of, types.Array) or of.ndim < kind.ndim):
        indices = _indices(context, builder, kind, array, given, index)
    if indices is None:
        several = isinstance(given, types.BaseTuple)
        usual = arrayobj.getitem_array_tuple if several else arrayobj.getitem_arraynd_intp
        return usual(context, builder, signature, arguments)
    place, rest = _place(context, builder, kind, array, indices), range(len(indices), kind.ndim)
    if isinstance(of, types.Array):
        lengths, strides = (
            [_field(context, builder, kind, array, name, axis) for axis in rest]
            for name in ("shape", "strides")
        )
        return _seen(context, builder, of, kind, array, place, lengths, strides)
    value = arrayobj.load_item(context, builder, kind, place)
    return impl_ret_borrowed(context, builder, of, value)


def _get_range(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    from numba.np import arrayobj

    (kind, given), (array, index) = signature.args, arguments
    if not is_kernels(context) or kind.ndim != 1 or given.has_step:
        return arrayobj.getitem_arraynd_intp(context, builder, signature, arguments)
    length = _field(context, builder, kind, array, "shape", 0)
    zero, bounds = length.type(0), []
    for name in ("start", "stop"):
        bound = _field(context, builder, given, index, name)
        bound = _counted(context, builder, types.intp, bound, length)
        within = builder.select(builder.icmp_signed("<", bound, zero), zero, bound)
        beyond = builder.icmp_signed(">=", bound, length)
        bounds.append(builder.select(beyond, length, within))
    size = builder.sub(bounds[1], bounds[0])
    size = builder.select(builder.icmp_signed("<=", size, zero), zero, size)
    place = _place(context, builder, kind, array, bounds[:1])
    return _line(context, builder, signature.return_type, kind, array, place, size)


def _set(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    from numba.np import arrayobj

    (kind, given, of), (array, index, value) = signature.args, arguments
    indices = None
    if is_kernels(context) and not isinstance(of, types.Array):
        indices = _indices(context, builder, kind, array, given, index)
    if indices is None or len(indices) < kind.ndim:
        return arrayobj.setitem_array(context, builder, signature, arguments)
    value = context.cast(builder, value, of, kind.dtype)
    place = _place(context, builder, kind, array, indices)
    arrayobj.store_item(context, builder, kind, value, place)
    return context.get_dummy_value()


def _range(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """From a start to an end, either of which may be missing."""
    of = signature.return_type
    values = [
        context.get_constant(types.intp, default) if kind == types.none else value
        for kind, value, default in zip(signature.args, arguments, (0, _FARTHEST), strict=True)
    ]
    values.append(context.get_constant(types.intp, 1))
    found = ir.Constant(context.get_value_type(of), None)
    for name, value in zip(("start", "stop", "step"), values, strict=True):
        place = context.data_model_manager[of].get_field_position(name)
        found = builder.insert_value(found, value, place)
    return found


def _reshaped(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """An array that lies in one piece, with other lengths; if there is one, -1 is the right one."""
    from numba.np import arrayobj

    (kind, *kinds), of = signature.args, signature.return_type
    array = arguments[0]
    if not is_kernels(context) or kind.layout != "C":
        return arrayobj.array_reshape_vararg(context, builder, signature, arguments)
    count = _field(context, builder, kind, array, "nitems")
    lengths = [
        context.cast(builder, value, given, types.intp)
        for given, value in zip(kinds, arguments[1:], strict=True)
    ]
    if len(lengths) == 1:
        is_any = builder.icmp_signed("==", lengths[0], count.type(-1))
        lengths = [builder.select(is_any, count, lengths[0])]
    strides, product = [_field(context, builder, kind, array, "itemsize")], lengths[-1]
    for length in reversed(lengths[:-1]):
        strides.insert(0, builder.mul(strides[-1], product))
        product = builder.mul(product, length)
    wrong = builder.icmp_signed("!=", product, count)
    for length in lengths:
        wrong = builder.or_(wrong, builder.icmp_signed("<", length, count.type(0)))
    with builder.if_then(wrong, likely=False):
        context.call_conv.return_user_exc(
            builder, ValueError, ("An array cannot have these lengths.",)
        )
    data = _field(context, builder, kind, array, "data")
    return _seen(context, builder, of, kind, array, data, lengths, strides)


def _taken_as(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """The bits of an array as numbers of another type."""
    from numba.np import arrayobj

    (kind, _), of, array = signature.args, signature.return_type, arguments[0]
    given, wanted = (context.get_data_type(each.dtype) for each in (kind, of))
    same = context.get_abi_sizeof(given) == context.get_abi_sizeof(wanted)
    if not (is_kernels(context) and same and kind.ndim == 1):
        return arrayobj.array_view(context, builder, signature, arguments)
    data = _field(context, builder, kind, array, "data")
    data = builder.bitcast(data, wanted.as_pointer())
    length = _field(context, builder, kind, array, "shape", 0)
    return _line(context, builder, of, kind, array, data, length)


@intrinsic
def block(typingctx: Any, array: Any, start: Any, rows: Any, columns: Any) -> Any:  # noqa: ARG001
    """Rows of numbers in an array of one dimension, from a place on, if it has so many."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (kind, *_), of, (array, start, *lengths) = signature.args, signature.return_type, arguments
        place = _place(context, builder, kind, array, [start])
        item = _field(context, builder, kind, array, "itemsize")
        strides = [builder.mul(item, lengths[1]), item]
        return _seen(context, builder, of, kind, array, place, lengths, strides)

    return array.copy(ndim=2)(array, types.intp, types.intp, types.intp), generate


lower_builtin("array.reshape", types.Array, types.Integer)(_reshaped)
lower_builtin("array.reshape", types.Array, types.Integer, types.Integer)(_reshaped)
lower_builtin("array.view", types.Array, types.NumberClass)(_taken_as)
for _kind in (types.Integer, types.BaseTuple):
    lower_builtin(operator.getitem, types.Array, _kind)(_get)
    lower_builtin(operator.setitem, types.Array, _kind, types.Any)(_set)
lower_builtin(operator.getitem, types.Array, types.SliceType)(_get_range)
for _ends in ((types.intp, types.intp), (types.none, types.intp), (types.intp, types.none)):
    lower_builtin(slice, *_ends)(_range)
