"""How kernels call their parts: as machines call functions.

To Numba, every function may fail. It takes every number of every array as an argument of its own,
and returns whether it failed; whoever calls it looks, and hands on what went wrong. Most parts of
kernels cannot fail. These are plain: they take arrays as they are and return what they return.
Whether a function is plain shows when it is lowered: one that has to say that it failed, or calls
one that may, is lowered again as usual.
"""

from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core.callconv import CPUCallConv
from numba.core.cpu import CPUContext
from numba.core.imputils import impl_ret_borrowed, user_function


class NotPlainError(BaseException):
    """A function may fail. Nothing on the way to whom this concerns may take it for an error."""


class _PlainCalls(CPUCallConv):
    """Arguments and results as they are."""

    def get_function_type(self, restype: Any, argtypes: Any) -> Any:
        models = self.context.data_model_manager
        given = [self.context.get_value_type(each) for each in argtypes]
        return ir.FunctionType(models[restype].get_return_type(), given)

    def decorate_function(self, *_: Any, **__: Any) -> None:
        """Nothing is known of numbers and arrays."""

    def get_arguments(self, func: Any) -> Any:
        return func.args

    def decode_arguments(self, _: Any, __: Any, func: Any) -> Any:
        return list(func.args)

    def return_value(self, builder: Any, retval: Any) -> None:
        builder.ret(retval)

    def _fail(self, *_: Any, **__: Any) -> Any:
        raise NotPlainError

    call_function = check_try_status = _return_errcode_raw = _fail
    set_static_user_exc = set_dynamic_user_exc = raise_error = _fail


class PlainContext(CPUContext):
    """Where plain functions are lowered."""

    @property
    def call_conv(self) -> Any:
        """Theirs."""
        return _PlainCalls(self)

    def compile_subroutine(self, *_: Any, **__: Any) -> Any:
        """What is compiled on the way, by others, is not plain."""
        raise NotPlainError

    @classmethod
    def of(cls, context: Any) -> Any:
        """The same, but that functions are plain."""
        plain = context.subtarget()
        plain.__class__ = cls
        return plain


def caller_of(function: Any, library: Any, *, plain: bool, borrows: bool) -> Any:
    """What lets others call a function; if it `borrows`, arrays that it returns are not new."""
    usual = user_function(function, [library])

    def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if plain:
            kind = _PlainCalls(context).get_function_type(function.restype, function.argtypes)
            callee = cgutils.get_or_insert_function(builder.module, kind, function.mangled_name)
            if function.inline:
                callee.attributes.add("alwaysinline")
            value = builder.call(callee, arguments)
            value = context.get_returned_value(builder, function.restype, value)
        elif isinstance(context, PlainContext):
            raise NotPlainError
        else:
            value = usual(context, builder, signature, arguments)
        if borrows:
            value = impl_ret_borrowed(context, builder, function.restype, value)
        return value

    call.signature, call.libs = function.argtypes, (library,)  # type: ignore[attr-defined]
    return call
