"""Threads that share the steps of one kernel, handed over in less than a microsecond.

One thread leads: it runs a kernel over contests, and announces every step whose work is cut into
pieces. The others serve: they run the same kernel in another role, which takes pieces until it is
dismissed. Whoever is free takes the next piece, the leader too, so that the leader never waits
for a thread that has not come; it waits only for pieces that others are at work on. How a step is
cut depends on the contest alone, hence what is computed does not depend on how many there are.

The word on which all agree holds the number of the step, of its pieces, and of the next piece that
nobody has taken. One atomic addition takes a piece.
"""

import os
import platform
from collections.abc import Callable
from concurrent.futures import wait
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numpy.typing import NDArray

from podium.numerics.compiled import kernel
from podium.numerics.compiler.known import intrinsic
from podium.numerics.threads import pool

_WORD, _STEP, _DONE, _DISMISSED, _MEMBERS = 0, 8, 16, 24, 25
_SIZE = 32
"""Numbers that several threads write stand apart by a cache line."""
_FIELD = 24
_MOST = (1 << _FIELD) - 1
_SPINS = 4000
"""How often a thread looks for news before it lets others have the processor."""
_PAUSES = {"x86_64": "llvm.x86.sse2.pause", "AMD64": "llvm.x86.sse2.pause"}

LEADS = 0
SERVES = 1
"""The roles in which a kernel is run."""


def new(members: int) -> NDArray[np.int64]:
    """What a crew agrees on, of so many threads with the leader."""
    crew = np.zeros(_SIZE, np.int64)
    crew[_MEMBERS] = members
    return crew


ALONE = new(1)
"""The crew of a leader without others."""


def run(function: Callable[..., Any], arguments: tuple[Any, ...], threads: int) -> Any:
    """What a kernel returns to its leader; it takes the arguments, a crew and a role."""
    if threads <= 1:
        return function(*arguments, ALONE, LEADS)
    crew = new(threads)
    others = [
        pool(threads - 1).submit(function, *arguments, crew, SERVES) for _ in range(threads - 1)
    ]
    try:
        return function(*arguments, crew, LEADS)
    finally:
        crew[_DISMISSED] = 1
        wait([each for each in others if not each.cancel()])


def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    fields = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(fields.data, [arguments[1]])


@intrinsic
def _add(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    """Add to an element at once; what it was."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        return builder.atomic_rmw("add", place, arguments[2], "seq_cst")

    return types.int64(array, types.intp, types.int64), generate


@intrinsic
def _look(typingctx: Any, array: Any, index: Any) -> Any:
    """An element, and with it all that was written before it was."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        return builder.load_atomic(place, "acquire", 8)

    return types.int64(array, types.intp), generate


@intrinsic
def _tell(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    """Set an element, after all that was written before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], place, "release", 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.int64), generate


@intrinsic
def _rest(typingctx: Any, others_first: Any) -> Any:
    """Wait for a moment; let others have the processor if they are to be first."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def call(name: str, result: Any) -> None:
            of = ir.FunctionType(result, ())
            builder.call(cgutils.get_or_insert_function(builder.module, of, name), ())

        if platform.machine() in _PAUSES:
            call(_PAUSES[platform.machine()], ir.VoidType())
        if os.name == "posix":
            with builder.if_then(arguments[0]):
                call("sched_yield", ir.IntType(32))
        return context.get_dummy_value()

    return types.void(types.boolean), generate


@kernel
def shares(crew, step, pieces):
    """Yield pieces of a step to the leader; when there is no more, all are done."""
    if pieces > 1 and crew[_MEMBERS] > 1:
        phase = (_look(crew, _WORD) >> (2 * _FIELD)) + 1
        crew[_STEP] = step
        crew[_DONE] = 0
        _tell(crew, _WORD, (phase << (2 * _FIELD)) | (pieces << _FIELD))
        while True:
            piece = _add(crew, _WORD, 1) & _MOST
            if piece >= pieces:
                break
            yield piece
            _add(crew, _DONE, 1)
        spins = 0
        while _look(crew, _DONE) < pieces:
            spins += 1
            _rest(spins > _SPINS)
    else:
        for piece in range(pieces):
            yield piece


@kernel
def served(crew):
    """Yield steps and pieces of them to one who serves, until all are dismissed."""
    while _look(crew, _DISMISSED) == 0:
        word = _add(crew, _WORD, 1)
        piece = word & _MOST
        if piece < (word >> _FIELD) & _MOST:
            yield crew[_STEP], piece
            _add(crew, _DONE, 1)
            continue
        spins = 0
        while (_look(crew, _WORD) ^ word) >> (2 * _FIELD) == 0 and _look(crew, _DISMISSED) == 0:
            spins += 1
            _rest(spins > _SPINS)
