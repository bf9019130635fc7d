"""Kernels that other kernels call are compiled once, as parts of those.

Numba compiles every function as if it were called from Python: to machine code of its own, with a
wrapper, and then puts its intermediate code into that of its callers, where it is optimised again,
once for every level of calls. Here, a function that a kernel calls is lowered only; what is called
from Python is optimised as a whole, once. A `Kernel` has both faces, and each is compiled if used.

This replaces private parts of Numba. Where another version has others, kernels are as Numba has
them: the same, and slower to compile.
"""

from functools import cached_property, partial
from importlib import import_module
from typing import Any

from numba import njit
from numba.core import event

from podium.numerics.compiler.steps import PartCompiler

_njit: Any = njit


def part(function: Any, options: dict[str, Any]) -> Any:
    """What kernels know a function by that they call."""
    dispatcher = _njit(pipeline_class=PartCompiler, no_cpython_wrapper=True, **options)(function)
    dispatcher.compile = partial(_compiled, dispatcher)
    dispatcher.add_overload = lambda compiled: dispatcher.overloads.__setitem__(
        tuple(compiled.signature.args), compiled
    )
    return dispatcher


def _compiled(dispatcher: Any, given: tuple[Any, ...]) -> Any:
    """As Numba compiles, but that nobody takes the time of every step of every part."""
    if given not in dispatcher.overloads:
        details = {"dispatcher": dispatcher, "args": given, "return_type": None}
        with event.trigger_event("numba:compile", data=details):
            dispatcher.add_overload(dispatcher._compiler.compile(given, None))
    return dispatcher.overloads[given].entry_point


class Kernel:
    """A compiled function: to Python a dispatcher, to other kernels a part."""

    def __init__(self, dispatcher: Any, options: dict[str, Any]) -> None:
        self.dispatcher = dispatcher
        self._options = options
        self.__doc__, self.__name__ = dispatcher.__doc__, dispatcher.__name__
        self.__module__, self.__wrapped__ = dispatcher.__module__, dispatcher.py_func

    @cached_property
    def _part(self) -> Any:
        return part(self.__wrapped__, self._options)

    @property
    def _numba_type_(self) -> Any:
        """What it is to other kernels."""
        return self._part._numba_type_

    def __call__(self, *arguments: Any) -> Any:
        """Run it."""
        return self.dispatcher(*arguments)

    def __getattr__(self, name: str) -> Any:
        if name == "dispatcher":  # of one that is not made yet
            raise AttributeError(name)
        return getattr(self.dispatcher, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _named, (self.__module__, self.__name__)


def _named(module: str, name: str) -> Any:
    """A kernel in another process."""
    return getattr(import_module(module), name)
