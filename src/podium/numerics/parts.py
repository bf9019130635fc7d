"""Kernels that other kernels call are compiled once, as parts of those.

Numba compiles every function as if it were called from Python: to machine code of its own, with a
wrapper, and then puts its intermediate code into that of its callers, where it is optimised again,
once for every level of calls. Here, a function that a kernel calls is lowered only; what is called
from Python is optimised as a whole, once. A `Kernel` has both faces, and each is compiled if used.

This replaces private parts of Numba. Where another version has others, kernels are as Numba has
them: the same, and slower to compile.
"""

import inspect
from collections.abc import Iterator
from functools import cached_property, partial
from importlib import import_module
from typing import Any

from llvmlite.binding import Linkage
from numba import njit, types
from numba.core import codegen, event, ir, typed_passes
from numba.core.base import BaseContext
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.ir_utils import build_definitions

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

_njit: Any = njit


_UNNEEDED = {
    "IRProcessing",
    "WithLifting",
    "InlineClosureLikes",
    "RewriteSemanticConstants",
    "RewriteDynamicRaises",
    "MakeFunctionToJitFunction",
    "InlineInlinables",
    "FindLiterallyCalls",
    "LiteralUnroll",
    "LiteralPropagationSubPipelinePass",
    "InlineOverloads",
    "NoPythonSupportedFeatureValidation",
    "AnnotateTypes",
    "DumpParforDiagnostics",
}
"""Steps of a compiler for what no kernel has: closures, contexts, literals, raised exceptions."""


if USABLE:

    class _PartLibrary(codegen.JITCodeLibrary):
        """Code that is linked into that of callers, and neither optimised nor made to run."""

        contracts = False
        """Whether products and sums may be rounded once: which are depends on what is done here."""

        def _optimize_functions(self, ll_module: Any) -> None:
            if self.contracts:
                super()._optimize_functions(ll_module)
            ll_module.data_layout = self._codegen._data_layout

        def finalize(self) -> None:
            """Let others take it in, as often as they like."""
            self._raise_if_finalized()
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage == Linkage.external:
                    function.linkage = "linkonce_odr"
            for library in self._linking_libraries:
                self._reload_init.update(library._reload_init)
            self._finalized = True

        def _get_module_for_linking(self) -> Any:
            """With all that it calls, for callers that are no kernels."""
            if self._shared_module is None:
                self._shared_module = self._final_module.clone()
                _link(self._shared_module, self)
            return self._shared_module

    class _WholeLibrary(codegen.JITCodeLibrary):
        """Code of a kernel with all its parts, each taken in once."""

        def _optimize_functions(self, ll_module: Any) -> None:
            ll_module.data_layout = self._codegen._data_layout

        def finalize(self) -> None:
            """Optimise all of it at once, and make it run."""
            for library in self._linking_libraries:
                self._reload_init.update(library._reload_init)
            _link(self._final_module, self)
            self._linking_libraries = []
            super().finalize()

    def _link(module: Any, library: Any) -> None:
        """Take in what a library calls, and what that calls."""
        found: dict[Any, None] = {}
        ahead = list(library._linking_libraries)
        while ahead:
            each = ahead.pop()
            if each not in found:
                found[each] = None
                if isinstance(each, _PartLibrary):
                    ahead.extend(each._linking_libraries)
        for each in found:
            is_part = isinstance(each, _PartLibrary)
            other = each._final_module if is_part else each._get_module_for_linking()
            module.link_in(other, preserve=True)

    @register_pass(mutates_CFG=True, analysis_only=False)
    class _PartLowering(typed_passes.NativeLowering):
        _name = "podium_part_lowering"

        def run_pass(self, state: Any) -> bool:
            """Lower the function, and let callers know where it is."""
            state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.flags.no_compile = True
            state.library.contracts = bool(state.flags.fastmath)
            super().run_pass(state)
            lowered, name = state["cr"], _Name()
            state["cr"] = lowered._replace(cfunc=name)
            state.library.finalize()
            state.targetctx.insert_user_function(name, lowered.fndesc, [state.library])
            return True

    @register_pass(mutates_CFG=True, analysis_only=False)
    class _Rewrites(typed_passes.NopythonRewrites):
        _name = "podium_rewrites"

        def run_pass(self, state: Any) -> bool:
            """Only where whole arrays are computed with."""
            return any(
                isinstance(state.typemap[target], types.Array)
                for target in _computed(state.func_ir)
            ) and bool(super().run_pass(state))

    @register_pass(mutates_CFG=True, analysis_only=False)
    class _StripPhis(typed_passes.PreLowerStripPhis):
        _name = "podium_strip_phis"

        def run_pass(self, state: Any) -> bool:
            """Without a look at where variables live, which nobody asks for but generators."""
            if state.func_ir.is_generator:
                return bool(super().run_pass(state))
            state.func_ir = self._strip_phi_nodes(state.func_ir)
            state.func_ir._definitions = build_definitions(state.func_ir.blocks)
            return True

    @register_pass(mutates_CFG=False, analysis_only=True)
    class _Legalization(typed_passes.IRLegalization):
        _name = "podium_legalization"

        def run_pass(self, state: Any) -> bool:
            """Let variables end only where somebody counts who refers to what they hold."""
            if state.flags.no_cpython_wrapper and _needs_no_counts(state):
                state.targetctx = state.targetctx.subtarget(enable_nrt=False)
                return False
            super().run_pass(state)
            for block in state.func_ir.blocks.values():
                block.body = [
                    each
                    for each in block.body
                    if not isinstance(each, ir.Del) or _is_counted(state, state.typemap[each.value])
                ]
            return True

    _OURS = {
        typed_passes.NopythonRewrites: _Rewrites,
        typed_passes.PreLowerStripPhis: _StripPhis,
        typed_passes.IRLegalization: _Legalization,
    }

    @register_pass(mutates_CFG=True, analysis_only=False)
    class _WholeLowering(typed_passes.NativeLowering):
        _name = "podium_whole_lowering"

        def run_pass(self, state: Any) -> bool:
            """Lower the function, and compile it with all that it calls."""
            state.library = _WholeLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            return bool(super().run_pass(state))


def _needs_no_counts(state: Any) -> bool:
    """Whether a function neither makes arrays nor gets any from those that it calls.

    Then all it has are its callers', who count who refers to them.
    """
    if state.func_ir.is_generator or _is_counted(state, state.return_type):
        return False
    for block in state.func_ir.blocks.values():
        for statement in block.body:
            if isinstance(statement, ir.SetItem):
                if _is_counted(state, state.typemap[statement.value.name]):
                    return False
            elif isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Expr):
                made = state.typemap[statement.target.name]
                if _is_counted(state, made) and not _is_part(state, statement.value):
                    return False
    return True


def _is_counted(state: Any, kind: Any) -> bool:
    return bool(state.targetctx.data_model_manager[kind].contains_nrt_meminfo())


def _is_part(state: Any, expression: Any) -> bool:
    """Whether what an expression gives belongs to something that was there before."""
    if expression.op == "getitem":
        return not _is_counted(state, state.typemap[expression.index.name])
    return expression.op in ("static_getitem", "getattr", "cast", "build_tuple", "exhaust_iter")


class _Name:
    """What Numba finds a compiled function by, in place of the function itself."""


class KernelCompiler(CompilerBase):
    """The usual one without the steps for what no kernel has."""

    def define_pipelines(self) -> list[Any]:
        """One."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [
            (self._in_place_of(step), text)
            for step, text in manager.passes
            if step.__name__ not in _UNNEEDED
        ]
        manager._ENFORCING = False
        manager.finalize()
        return [manager]

    def _in_place_of(self, step: Any) -> Any:
        return self.lowering if step is typed_passes.NativeLowering else _OURS.get(step, step)

    @property
    def lowering(self) -> Any:
        """The last step."""
        return _WholeLowering


class _PartCompiler(KernelCompiler):
    @property
    def lowering(self) -> Any:
        return _PartLowering


def _computed(function: Any) -> Iterator[str]:
    """Names of what operators give."""
    for block in function.blocks.values():
        for statement in block.find_insts(ir.Assign):
            if getattr(statement.value, "op", None) in ("binop", "inplace_binop", "unary"):
                yield statement.target.name


def part(function: Any, options: dict[str, Any]) -> Any:
    """What kernels know a function by that they call."""
    dispatcher = _njit(pipeline_class=_PartCompiler, no_cpython_wrapper=True, **options)(function)
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
