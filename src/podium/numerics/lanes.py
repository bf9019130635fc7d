"""Eight numbers at a time, in the vector registers of the machine.

A compiler may take terms of a sum together only if it may choose their order, and what it chooses
can differ from one compilation to the next. Kernels that are to be quick and the same to the bit
say themselves which eight go together: a `Lanes` is a value in a kernel, with arithmetic, and
`total` adds its parts in one order on every machine.

Outside kernels the functions here do not exist.
"""

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, models, register_model

from podium.numerics.compiler.known import intrinsic, know

WIDTH = 8

_DOUBLE = ir.DoubleType()
_VECTOR = ir.VectorType(_DOUBLE, WIDTH)
_LOG2E = 1.4426950408889634
_LOG2_HIGH = 0.693147180369123816490
_LOG2_LOW = 1.90821492927058770002e-10
"""log 2 in two parts; products of the first with whole numbers are exact."""
_ROUNDING = 1.5 * 2.0**52
"""Added to a number, rounds it to a whole one, which then stands in the lowest bits."""
_LINE = 64
_TO_WRITE, _TO_STAY, _DATA = 1, 3, 1
"""What memory is told of an element: bytes that come together, and what they are for."""
_ONE = 20.0
"""Where tanh is 1."""
_FACTORIALS = [1.0, 1.0]
for _k in range(2, 14):
    _FACTORIALS.append(_FACTORIALS[-1] * _k)


class Lanes(types.Type):
    """The type of eight numbers."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


LANES = Lanes()


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _VECTOR)


def _constant(value: float) -> Any:
    return ir.Constant(_VECTOR, [value] * WIDTH)


def _splat(builder: Any, value: Any, of: Any = _VECTOR) -> Any:
    if value.type == of:
        return value
    one = builder.insert_element(ir.Constant(of, ir.Undefined), value, ir.IntType(32)(0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), None))


def _fused(builder: Any, a: Any, b: Any, c: Any) -> Any:
    name = f"llvm.fmuladd.v{WIDTH}f64" if a.type == _VECTOR else "llvm.fmuladd.f64"
    of = ir.FunctionType(a.type, (a.type, a.type, a.type))
    return builder.call(cgutils.get_or_insert_function(builder.module, of, name), (a, b, c))


def _arithmetic(operation: Any, instruction: str) -> None:
    """Let an operator take eight numbers, or eight and one."""
    pairs = [(LANES, LANES), (LANES, types.float64), (types.float64, LANES)]

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return getattr(builder, instruction)(*(_splat(builder, each) for each in arguments))

    for pair in pairs:
        know(operation, pair, LANES, pair, everywhere=True)
        lower_builtin(operation, *pair)(generate)


_arithmetic(operator.add, "fadd")
_arithmetic(operator.sub, "fsub")
_arithmetic(operator.mul, "fmul")
_arithmetic(operator.truediv, "fdiv")


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    fields = context.make_array(array_type)(context, builder, array)
    place = builder.gep(fields.data, [index], source_etype=_DOUBLE)
    return builder.bitcast(place, _VECTOR.as_pointer())


@intrinsic
def load(typingctx: Any, array: Any, index: Any) -> Any:
    """Eight numbers of a contiguous row of an array, from `index` on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _address(context, builder, signature.args[0], *arguments)
        return builder.load(place, align=8)

    return LANES(array, types.intp), generate


@intrinsic
def load_until(typingctx: Any, array: Any, index: Any, end: Any, rest: Any) -> Any:
    """Those of the next eight numbers that stand before `end`, and `rest` in place of others."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, index, end, rest = arguments
        place = _address(context, builder, signature.args[0], array, index)
        mask = _before(builder, index, end)
        of = ir.FunctionType(_VECTOR, (place.type, ir.IntType(32), mask.type, _VECTOR))
        name = f"llvm.masked.load.v{WIDTH}f64.p0"
        function = cgutils.get_or_insert_function(builder.module, of, name)
        return builder.call(function, (place, ir.IntType(32)(8), mask, _splat(builder, rest)))

    return LANES(array, types.intp, types.intp, types.float64), generate


def _before(builder: Any, index: Any, end: Any) -> Any:
    """Which of the eight numbers from `index` on stand before `end`."""
    integers = ir.VectorType(ir.IntType(64), WIDTH)
    left = _splat(builder, builder.sub(end, index), integers)
    return builder.icmp_signed("<", ir.Constant(integers, [*range(WIDTH)]), left)


@intrinsic
def store(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    """Put eight numbers into a contiguous row of an array, from `index` on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _address(context, builder, signature.args[0], *arguments[:2])
        builder.store(arguments[2], place, align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, LANES), generate


@intrinsic
def store_until(typingctx: Any, array: Any, index: Any, end: Any, value: Any) -> Any:
    """Put those of eight numbers that stand before `end` into a contiguous row of an array."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, index, end, value = arguments
        place = _address(context, builder, signature.args[0], array, index)
        mask = _before(builder, index, end)
        whole = ir.IntType(32)
        of = ir.FunctionType(ir.VoidType(), (_VECTOR, place.type, whole, mask.type))
        name = f"llvm.masked.store.v{WIDTH}f64.p0"
        function = cgutils.get_or_insert_function(builder.module, of, name)
        builder.call(function, (value, place, whole(8), mask))
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp, LANES), generate


@intrinsic
def splat(typingctx: Any, value: Any) -> Any:
    """Eight times the same number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _splat(builder, arguments[0])

    return LANES(types.float64), generate


@intrinsic
def counted(typingctx: Any, start: Any) -> Any:
    """Eight whole numbers in a row."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        start = builder.sitofp(arguments[0], _DOUBLE)
        steps = ir.Constant(_VECTOR, [float(each) for each in range(WIDTH)])
        return builder.fadd(_splat(builder, start), steps)

    return LANES(types.intp), generate


@intrinsic
def fused(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    """``a * b + c``, rounded once where the machine can; also of single numbers."""
    given = tuple(LANES if each == LANES else types.float64 for each in (a, b, c))
    result = LANES if LANES in given else types.float64

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if result == LANES:
            arguments = [_splat(builder, each) for each in arguments]
        return _fused(builder, *arguments)

    return result(*given), generate


@intrinsic
def total(typingctx: Any, value: Any) -> Any:
    """The sum of eight numbers: halves upon halves."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (rest,) = arguments
        for half in (4, 2, 1):
            low, high = (
                ir.Constant(ir.VectorType(ir.IntType(32), half), [*range(start, start + half)])
                for start in (0, half)
            )
            parts = (builder.shuffle_vector(rest, rest, each) for each in (low, high))
            rest = builder.fadd(*parts)
        return builder.extract_element(rest, ir.IntType(32)(0))

    return types.float64(LANES), generate


@intrinsic
def between(typingctx: Any, value: Any, low: Any, high: Any) -> Any:
    """Every number, but none below `low` or above `high`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        found, *bounds = (_splat(builder, each) for each in arguments)
        for bound, comparison in zip(bounds, ("<", ">"), strict=True):
            beyond = builder.fcmp_ordered(comparison, found, bound)
            found = builder.select(beyond, bound, found)
        return found

    return LANES(LANES, types.float64, types.float64), generate


@intrinsic
def where_less(typingctx: Any, a: Any, b: Any, then: Any, otherwise: Any) -> Any:
    """Numbers of `then` where a is less than b, and of `otherwise` elsewhere."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        a, b, then, otherwise = (_splat(builder, each) for each in arguments)
        return builder.select(builder.fcmp_ordered("<", a, b), then, otherwise)

    given = (LANES if each == LANES else types.float64 for each in (a, b, then, otherwise))
    return LANES(*given), generate


@intrinsic
def lane(typingctx: Any, value: Any, number: Any) -> Any:
    """One of eight numbers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.extract_element(*arguments)

    return types.float64(LANES, types.intp), generate


def _power_of_two(builder: Any, x: Any) -> tuple[Any, Any]:
    """``2^n`` for the whole n with ``x = n log 2 + r``, and the small r."""
    shifted = _fused(builder, x, _constant(_LOG2E), _constant(_ROUNDING))
    n = builder.fsub(shifted, _constant(_ROUNDING))
    r = _fused(builder, n, _constant(-_LOG2_HIGH), x)
    r = _fused(builder, n, _constant(-_LOG2_LOW), r)
    integers = ir.VectorType(ir.IntType(64), WIDTH)
    bits = builder.add(builder.bitcast(shifted, integers), ir.Constant(integers, [1023] * WIDTH))
    bits = builder.shl(bits, ir.Constant(integers, [52] * WIDTH))
    return builder.bitcast(bits, _VECTOR), r


def _taylor(builder: Any, r: Any, first: int) -> Any:
    """``sum r^k / (k + first)!`` up to the 13th power in all, odd and even terms apart."""
    square = builder.fmul(r, r)
    inverse = [1.0 / each for each in _FACTORIALS[first:]]
    rest = len(inverse) % 2
    even, odd = (_constant(each) for each in inverse[-2 - rest : len(inverse) - rest])
    if rest:
        even = _fused(builder, square, _constant(inverse[-1]), even)
    for k in range(len(inverse) - rest - 4, -1, -2):
        even = _fused(builder, even, square, _constant(inverse[k]))
        odd = _fused(builder, odd, square, _constant(inverse[k + 1]))
    return _fused(builder, odd, r, even)


@intrinsic
def exp(typingctx: Any, value: Any) -> Any:
    """Of numbers between -700 and 700, to a unit or two in the last place.

    A multiple of log 2 is taken from the exponent, what is left goes into a Taylor polynomial.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        power, r = _power_of_two(builder, *arguments)
        return builder.fmul(_taylor(builder, r, 0), power)

    return LANES(LANES), generate


@intrinsic
def tanh(typingctx: Any, value: Any) -> Any:
    """To a few units in the last place, of the smallest numbers too.

    With ``m = exp(-2|z|) - 1``, in which nothing cancels, ``tanh |z| = -m / (2 + m)``.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (z,) = arguments
        sign = builder.fcmp_ordered("<", z, _constant(0.0))
        y = builder.select(sign, z, builder.fneg(z))
        far = builder.fcmp_ordered("<", y, _constant(-_ONE))
        y = builder.fmul(builder.select(far, _constant(-_ONE), y), _constant(2.0))
        power, r = _power_of_two(builder, y)
        m = _fused(builder, builder.fmul(r, r), _taylor(builder, r, 2), r)
        m = _fused(builder, power, m, builder.fsub(power, _constant(1.0)))
        t = builder.fdiv(m, builder.fadd(m, _constant(2.0)))
        return builder.select(sign, t, builder.fneg(t))

    return LANES(LANES), generate


@intrinsic
def sqrt(typingctx: Any, value: Any) -> Any:
    """Of numbers that are not negative."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        of = ir.FunctionType(_VECTOR, (_VECTOR,))
        name = f"llvm.sqrt.v{WIDTH}f64"
        return builder.call(cgutils.get_or_insert_function(builder.module, of, name), arguments)

    return LANES(LANES), generate


@intrinsic
def fetch(typingctx: Any, array: Any, index: Any) -> Any:
    """Let the memory bring closer an element of an array that will be wanted soon."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        fields = context.make_array(signature.args[0])(context, builder, arguments[0])
        start = builder.mul(arguments[1], fields.itemsize)
        whole = ir.IntType(32)
        of = ir.FunctionType(ir.VoidType(), (cgutils.voidptr_t, whole, whole, whole))
        hint = cgutils.get_or_insert_function(builder.module, of, "llvm.prefetch.p0")
        for offset in range(0, context.get_abi_sizeof(context.get_data_type(array.dtype)), _LINE):
            place = builder.add(start, start.type(offset))
            place = cgutils.pointer_add(builder, fields.data, place, cgutils.voidptr_t)
            builder.call(hint, (place, whole(_TO_WRITE), whole(_TO_STAY), whole(_DATA)))
        return context.get_dummy_value()

    return types.void(array, types.intp), generate
