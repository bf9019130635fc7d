"""Kernels that other kernels call are compiled once, as parts of those.

Numba compiles every function as if it were called from Python: to machine code of its own, with a
wrapper, and then puts its intermediate code into that of its callers, where it is optimised again,
once for every level of calls. Here, a function that a kernel calls is lowered only; what is called
from Python is optimised as a whole, once. A `Kernel` has both faces, and each is compiled if used.

This replaces private parts of Numba. Where another version has others, kernels are as Numba has
them: the same, and slower to compile.
"""

import inspect
import operator
from functools import cached_property
from importlib import import_module
from typing import Any

from numba import njit
from numba.core import codegen, typed_passes
from numba.core.base import BaseContext
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typing.arraydecl import GetItemBuffer, SetItemBuffer
from numba.core.typing.templates import infer_global

_PARTS: dict[Any, list[str]] = {
    getattr(codegen, "JITCodeLibrary", None): ["_raise_if_finalized", "_get_module_for_linking"],
    getattr(typed_passes, "NativeLowering", None): ["run_pass"],
    BaseContext: ["insert_user_function"],
    DefaultPassBuilder: ["define_nopython_pipeline"],
}
"""What is called or replaced here."""
USABLE = all(
    inspect.isclass(kind) and all(callable(getattr(kind, name, None)) for name in names)
    for kind, names in _PARTS.items()
)
"""Whether this Numba has it."""

_FIRST: Any = {"target": "cpu"}
_njit: Any = njit


@infer_global(operator.getitem)
class _Get(GetItemBuffer):
    """Elements of arrays, known before anything else with brackets is tried."""

    metadata = _FIRST


@infer_global(operator.setitem)
class _Set(SetItemBuffer):
    """The same."""

    metadata = _FIRST


if USABLE:

    class _PartLibrary(codegen.JITCodeLibrary):
        """Code that is linked into that of callers, and neither optimised nor made to run."""

        def finalize(self) -> None:
            """Put all that this calls beside it."""
            self._raise_if_finalized()
            for library in dict.fromkeys(self._linking_libraries):
                self._reload_init.update(library._reload_init)
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
            self._finalized = True

    @register_pass(mutates_CFG=True, analysis_only=False)
    class _PartLowering(typed_passes.NativeLowering):
        _name = "podium_part_lowering"

        def run_pass(self, state: Any) -> bool:
            """Lower the function, and let callers know where it is."""
            state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.flags.no_compile = True
            super().run_pass(state)
            lowered, name = state["cr"], _Name()
            state["cr"] = lowered._replace(cfunc=name)
            state.library.finalize()
            state.targetctx.insert_user_function(name, lowered.fndesc, [state.library])
            return True


class _Name:
    """What Numba finds a compiled function by, in place of the function itself."""


class _PartCompiler(CompilerBase):
    def define_pipelines(self) -> list[Any]:
        """The usual one, but for its end."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [
            (_PartLowering if step is typed_passes.NativeLowering else step, text)
            for step, text in manager.passes
        ]
        manager.finalize()
        return [manager]


def part(function: Any, options: dict[str, Any]) -> Any:
    """What kernels know a function by that they call."""
    dispatcher = _njit(pipeline_class=_PartCompiler, no_cpython_wrapper=True, **options)(function)
    dispatcher.add_overload = lambda compiled: dispatcher.overloads.__setitem__(
        tuple(compiled.signature.args), compiled
    )
    return dispatcher


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
