"""Records that will be needed soon: asked for early, they are in the cache in time."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

AHEAD = 32
"""Rows ahead of the one in work: sixteen matches take longer than the memory does."""
_LINE = 64
_TO_WRITE, _TO_STAY, _DATA = 1, 3, 1


def _prefetch(_context: Any, table: Any, _row: Any) -> Any:
    """Have the record of a table in a row come into the cache, which changes no result."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        shape = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        hint = builder.module.declare_intrinsic("llvm.prefetch", [byte], shape)
        record = builder.bitcast(builder.gep(array.data, [arguments[1]]), byte)
        for start in range(0, table.dtype.size, _LINE):
            address = builder.gep(record, [number(start)])
            builder.call(hint, [address, number(_TO_WRITE), number(_TO_STAY), number(_DATA)])
        return context.get_dummy_value()

    return types.void(table, types.int64), generate


prefetch: Any = intrinsic(_prefetch)
