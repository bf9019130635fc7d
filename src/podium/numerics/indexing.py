"""Elements and parts of arrays, in few instructions.

Numba handles every kind of index by one piece of code, which makes dozens of instructions of each,
to be written, read and optimised away. Here are the kinds that kernels are full of: whole numbers,
and ranges of an array of one dimension. They mean what they do there, also if negative.
"""

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.extending import lower_builtin

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


def _line(
    context: Any, builder: Any, of: Any, kind: Any, array: Any, data: Any, length: Any
) -> Any:
    """An array of one dimension in another, whose last axis it runs along."""
    fields = {
        "meminfo": _field(context, builder, kind, array, "meminfo"),
        "parent": _field(context, builder, kind, array, "parent"),
        "nitems": length,
        "itemsize": _field(context, builder, kind, array, "itemsize"),
        "data": data,
    }
    stride = _field(context, builder, kind, array, "strides", kind.ndim - 1)
    model, line = context.data_model_manager[of], ir.Constant(context.get_value_type(of), None)
    for name, value in fields.items():
        line = builder.insert_value(line, value, model.get_field_position(name))
    for name, value in (("shape", length), ("strides", stride)):
        line = builder.insert_value(line, value, [model.get_field_position(name), 0])
    return impl_ret_borrowed(context, builder, of, line)


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
    if not isinstance(of, types.Array) or (kind.ndim == 2 and of.ndim == 1):
        indices = _indices(context, builder, kind, array, given, index)
    if indices is None:
        several = isinstance(given, types.BaseTuple)
        usual = arrayobj.getitem_array_tuple if several else arrayobj.getitem_arraynd_intp
        return usual(context, builder, signature, arguments)
    place = _place(context, builder, kind, array, indices)
    if isinstance(of, types.Array):
        length = _field(context, builder, kind, array, "shape", 1)
        return _line(context, builder, of, kind, array, place, length)
    value = arrayobj.load_item(context, builder, kind, place)
    return impl_ret_borrowed(context, builder, of, value)


def _get_range(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    from numba.np import arrayobj

    (kind, given), (array, index) = signature.args, arguments
    if kind.ndim != 1 or given.has_step:
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
    if not isinstance(of, types.Array):
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


for _kind in (types.Integer, types.BaseTuple):
    lower_builtin(operator.getitem, types.Array, _kind)(_get)
    lower_builtin(operator.setitem, types.Array, _kind, types.Any)(_set)
lower_builtin(operator.getitem, types.Array, types.SliceType)(_get_range)
for _ends in ((types.intp, types.intp), (types.none, types.intp), (types.intp, types.none)):
    lower_builtin(slice, *_ends)(_range)
