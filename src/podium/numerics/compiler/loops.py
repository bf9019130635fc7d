"""``for k in range(…)`` in kernels, as a loop of a machine.

Numba's counts rounds down, after it has divided to find how many there are, and raises an error if
the step is zero. Here, a comparison does, and no step leads nowhere. Functions of other packages
have Numba's.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import RefType, iternext_impl
from numba.core.typing.templates import AbstractTemplate, Signature, infer_global, signature
from numba.extending import lower_builtin, models, register_model

from podium.numerics.compiler.known import FIRST, in_kernel

_types: Any = types


class _Rounds(_types.SimpleIterableType):  # type: ignore[misc]
    """Whole numbers from a start to a stop; the step is part of the type if it is known."""

    def __init__(self, step: int | None) -> None:
        self.step = step
        super().__init__(f"Rounds({step})", _Round(step))


class _Round(_types.SimpleIteratorType):  # type: ignore[misc]
    """The one at hand."""

    def __init__(self, step: int | None) -> None:
        self.step = step
        super().__init__(f"Round({step})", types.int64)


@register_model(_Rounds)
class _RoundsModel(models.StructModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        members = [(name, types.int64) for name in ("start", "stop", "step")]
        super().__init__(dmm, fe_type, members)


@register_model(_Round)
class _RoundModel(models.StructModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        members: list[tuple[str, Any]] = [("next", types.EphemeralPointer(types.int64))]
        members += [(name, types.int64) for name in ("stop", "step")]
        super().__init__(dmm, fe_type, members)


def _rounds() -> None:
    """What makes them."""


@infer_global(range)
class _Range(AbstractTemplate):
    metadata = FIRST
    prefer_literal = True

    def generic(self, args: Any, kws: Any) -> Signature | None:
        if kws or not in_kernel(self.context):
            return None
        if not 1 <= len(args) <= 3 or not all(isinstance(each, types.Integer) for each in args):
            return None
        step = 1 if len(args) < 3 else getattr(args[2], "literal_value", None)
        return signature(_Rounds(step), *args)

    def get_impl_key(self, _: Any) -> Any:
        return _rounds


@lower_builtin(_rounds, types.VarArg(types.Any))
def _made(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    numbers = [
        context.cast(builder, value, kind, types.int64)
        for kind, value in zip(signature.args, arguments, strict=True)
    ]
    if len(numbers) == 1:
        numbers.insert(0, context.get_constant(types.int64, 0))
    if len(numbers) == 2:
        numbers.append(context.get_constant(types.int64, 1))
    return cgutils.make_anonymous_struct(
        builder, numbers, context.get_value_type(signature.return_type)
    )


@lower_builtin("getiter", _Rounds)
def _begun(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    round_ = context.make_helper(builder, signature.return_type)
    place = cgutils.alloca_once(builder, cgutils.intp_t)
    builder.store(builder.extract_value(arguments[0], 0), place)
    round_.next = place
    round_.stop, round_.step = (builder.extract_value(arguments[0], each) for each in (1, 2))
    return round_._getvalue()


@lower_builtin("iternext", _Round)
@iternext_impl(RefType.UNTRACKED)
def _gone_on(context: Any, builder: Any, signature: Any, arguments: Any, result: Any) -> None:
    of = signature.args[0]
    round_ = context.make_helper(builder, of, arguments[0])
    value, zero = builder.load(round_.next), ir.Constant(cgutils.intp_t, 0)
    step = round_.step if of.step is None else zero.type(of.step)
    before, after = (builder.icmp_signed(each, value, round_.stop) for each in ("<", ">"))
    if of.step is None:
        rises, falls = (builder.icmp_signed(each, step, zero) for each in (">", "<"))
        goes_on = builder.or_(builder.and_(rises, before), builder.and_(falls, after))
    else:
        goes_on = before if of.step > 0 else after
    result.set_valid(goes_on)
    result.yield_(value)
    with builder.if_then(goes_on):
        builder.store(builder.add(value, step, flags=["nsw"]), round_.next)
