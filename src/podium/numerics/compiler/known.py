"""What kernels are made of, known to the compiler before it tries anything else.

To Numba, an operator is a list of rules for arrays, texts, dates and more, which it goes through
wherever one stands, and numbers come late in it. `min`, `int` or `np.empty` are functions that are
compiled for every kind of arguments. Here, all of them are looked up. They mean what they do there.
Functions that are no kernels have Numba's.
"""

import itertools
import math
import operator
from typing import Any, ClassVar

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.typing.arraydecl import GetItemBuffer, SetItemBuffer
from numba.core.typing.templates import AbstractTemplate, Signature, infer_global, signature
from numba.extending import lower_builtin

_WHOLE = (types.int32, types.int64)
_NUMBERS = (*_WHOLE, types.float64)
_ARITHMETIC: list[Any] = [operator.add, operator.sub, operator.mul]
_COMPARISONS: list[Any] = [
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne
]  # fmt: skip
_IN_PLACE: dict[Any, Any] = {
    operator.add: operator.iadd,
    operator.sub: operator.isub,
    operator.mul: operator.imul,
    operator.truediv: operator.itruediv,
}


FIRST: Any = {"target": "cpu"}
"""Of rules, those for this kind of machine come before those for any."""


@infer_global(operator.getitem)
class _Get(GetItemBuffer):
    """Elements of arrays."""

    metadata = FIRST


@infer_global(operator.setitem)
class _Set(SetItemBuffer):
    """The same."""

    metadata = FIRST


def in_kernel(context: Any) -> bool:
    """Whether types are inferred of a kernel: its identity says so, see `…compiler.steps`."""
    frames = context.callstack._stack
    return bool(frames) and getattr(frames[-1].func_id, "is_kernel", False)


def is_kernels(context: Any) -> bool:
    """Whether code is made of a kernel: it says so itself, see `podium.numerics.compiler.steps`."""
    return getattr(context, "makes_kernels", False)


class _LookedUp(AbstractTemplate):
    """A function of few types."""

    metadata = FIRST
    known: dict[tuple[Any, ...], Signature]
    everywhere: set[tuple[Any, ...]]

    def generic(self, args: Any, kws: Any) -> Signature | None:
        """What it makes of such arguments, if it is one of those."""
        found = None if kws else self.known.get(args)
        return found if args in self.everywhere or in_kernel(self.context) else None


def intrinsic(definition: Any) -> Any:
    """A function of kernels of which `definition` says what it makes of types, and how.

    As Numba's own decorator of that name, which asks anew wherever the function is called.
    """

    def function() -> None:
        """In kernels only."""

    class Defined(AbstractTemplate):
        key = function
        metadata = FIRST
        known: ClassVar[dict[Any, Any]] = {}

        def generic(self, args: Any, _: Any) -> Signature | None:
            if args not in self.known:
                found, generate = definition(self.context, *args)
                self.known[args] = found
                lower_builtin(function, *found.args)(generate)
            return self.known[args]

    function.__name__, function.__doc__ = definition.__name__, definition.__doc__
    function.__module__ = definition.__module__
    infer_global(function, types.Function(Defined))
    return function


_RULES: dict[Any, Any] = {}


def know(
    function: Any,
    given: tuple[Any, ...],
    result: Any,
    taken: tuple[Any, ...],
    *,
    everywhere: bool = False,
) -> None:
    """Let arguments of these types be taken as others, and have a result.

    In kernels; `everywhere` if Numba knows nothing of such types.
    """
    if function not in _RULES:
        own = {"key": function, "known": {}, "everywhere": set()}
        _RULES[function] = infer_global(function)(type("LookedUp", (_LookedUp,), own))
    _RULES[function].known[given] = signature(result, *taken)
    if everywhere:
        _RULES[function].everywhere.add(given)


def _common(pair: tuple[Any, ...]) -> Any:
    """What two numbers are in arithmetic."""
    return types.float64 if types.float64 in pair else types.int64


for _pair in itertools.product(_NUMBERS, repeat=2):
    _of = _common(_pair)
    for _operator in _ARITHMETIC:
        know(_operator, _pair, _of, (_of, _of))
        know(_IN_PLACE[_operator], _pair, _of, (_of, _of))
    if _of is types.float64:
        know(operator.truediv, _pair, _of, (_of, _of))
        know(operator.itruediv, _pair, _of, (_of, _of))
    if _pair[0] == _pair[1] or _of is types.int64:
        for _operator in _COMPARISONS:
            know(_operator, _pair, types.boolean, (_of, _of))
    if _pair != (types.int32, types.int32):
        know(min, _pair, _of, (_of, _of))
        know(max, _pair, _of, (_of, _of))
know(int, (types.float64,), types.int64, (types.float64,))
for _of in (types.int64, types.float64):
    know(operator.neg, (_of,), _of, (_of,))


def _choose(function: Any, comparison: str, of: Any) -> None:
    """Let `min` or `max` be the second number where it compares so with the first."""

    @lower_builtin(function, of, of)
    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        first, second = arguments
        compare = builder.fcmp_ordered if of is types.float64 else builder.icmp_signed
        return builder.select(compare(comparison, second, first), second, first)


for _of in (types.int64, types.float64):
    _choose(min, "<", _of)
    _choose(max, ">", _of)


@lower_builtin(int, types.float64)
def _truncated(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
    return context.cast(builder, arguments[0], types.float64, types.int64)


@intrinsic
def bits_of(_: Any, number: Any) -> Any:
    """The whole number with the bits of another number, or the other way round."""
    result = types.int64 if number == types.float64 else types.float64

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(signature.return_type))

    return result(number), generate


class _New(AbstractTemplate):
    """Makes an array of numbers."""

    metadata = FIRST
    prefer_literal = True

    def generic(self, args: Any, kws: Any) -> Signature | None:
        """With a type of numbers, or floating ones."""
        if kws or not 1 <= len(args) <= 2 or not in_kernel(self.context):
            return None
        lengths, of = _lengths(args[0]), types.float64
        if not all(types.unliteral(each) in _WHOLE for each in lengths):
            return None
        if len(args) == 2:
            if not isinstance(args[1], types.DTypeSpec):
                return None
            of = args[1].dtype
        return signature(types.Array(of, len(lengths), "C"), *args)


def _lengths(shape: Any) -> tuple[Any, ...]:
    return tuple(shape) if isinstance(shape, types.UniTuple | types.Tuple) else (shape,)


_SMALL = 1024
"""Numbers that an array may have that stands where a function has its other variables."""


def is_small(shape: Any) -> bool:
    """Whether the type of a shape says that an array of it is small."""
    lengths = _lengths(shape)
    return (
        all(isinstance(each, types.IntegerLiteral) for each in lengths)
        and math.prod(each.literal_value for each in lengths) <= _SMALL
    )


def _allocated(context: Any, builder: Any, signature: Any, arguments: Any) -> tuple[Any, Any]:
    """A new array, and how many bytes it has.

    It need not be asked for if it is small, and `keeps_small_arrays` is true of the function: none
    is made in a loop or returned.
    """
    from numba.np.arrayobj import make_array, populate_array  # late: only compiling needs it

    given, of = signature.args[0], signature.return_type
    values = arguments[:1]
    if isinstance(given, types.BaseTuple):
        values = cgutils.unpack_tuple(builder, arguments[0])
    shape = [
        context.cast(builder, value, kind, types.intp)
        for kind, value in zip(_lengths(given), values, strict=True)
    ]
    kind = context.get_data_type(of.dtype)
    item = context.get_constant(types.intp, context.get_abi_sizeof(kind))
    array, memory = make_array(of)(context, builder), None
    strides: list[Any]
    if getattr(context, "keeps_small_arrays", False) and is_small(given):
        count = math.prod(each.literal_value for each in _lengths(given))
        size, strides = item, []
        for each in reversed(_lengths(given)):
            strides.insert(0, size)
            size = size.type(size.constant * each.literal_value)
        data = cgutils.alloca_once(builder, kind, size=count)
    else:
        size, strides, fits = item, [item], context.get_constant(types.boolean, 1)
        for length in reversed(shape):
            product = builder.smul_with_overflow(size, length)
            size = builder.extract_value(product, 0)
            fits = builder.and_(fits, builder.not_(builder.extract_value(product, 1)))
            strides.insert(0, size)
        strides = strides[1:]
        with builder.if_then(builder.not_(fits), likely=False):
            context.call_conv.return_user_exc(builder, ValueError, ("An array is too large.",))
        align = context.get_constant(types.uint32, context.get_preferred_array_alignment(of.dtype))
        memory = context.nrt.meminfo_alloc_aligned(builder, size, align)
        data = context.nrt.meminfo_data(builder, memory)
    word = context.get_value_type(types.intp)
    populate_array(
        array,
        data=builder.bitcast(data, kind.as_pointer()),
        shape=cgutils.pack_array(builder, shape, ty=word),
        strides=cgutils.pack_array(builder, strides, ty=word),
        itemsize=item,
        meminfo=memory,
    )
    return array, size


def _empty(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array, _ = _allocated(context, builder, signature, arguments)
    return array._getvalue()


def _zeros(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array, size = _allocated(context, builder, signature, arguments)
    cgutils.memset(builder, array.data, size, 0)
    return array._getvalue()


for _function, _generate in ((np.empty, _empty), (np.zeros, _zeros)):
    infer_global(_function)(type("New", (_New,), {"key": _function}))
    for _given in ((types.Any,), (types.Any, types.Any)):
        lower_builtin(_function, *_given)(_generate)
