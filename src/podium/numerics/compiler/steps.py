"""The steps of compiling a kernel, and of lowering its parts.

They are Numba's, without those for what no kernel has: closures, contexts, exceptions and the like.
A part is lowered only; what is called from Python takes in all its parts, each once, and is
optimised as a whole.
"""

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
from llvmlite.binding import Linkage
from numba import types
from numba.core import codegen, ir, typed_passes
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.base import BaseContext
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.ir_utils import build_definitions

from podium.numerics.compiler.calls import NotPlainError, PlainContext, caller_of
from podium.numerics.compiler.indexing import block as view_of_rows
from podium.numerics.compiler.known import is_small

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
        plain = False
        """Whether the function is, as `podium.numerics.compiler.calls` has it."""
        borrows = False
        """Whether arrays that the function returns belong to its callers."""

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
            _let_reload(self)
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
            _let_reload(self)
            _link(self._final_module, self)
            self._linking_libraries = []
            super().finalize()

    def _let_reload(library: Any) -> None:
        """Do what its parts need when they come from disk; older Numbas have no such thing."""
        if hasattr(library, "_reload_init"):
            for each in library._linking_libraries:
                library._reload_init.update(each._reload_init)

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
            usual, plain = state.targetctx, _may_be_plain(state)
            state.flags.no_compile = True
            if plain:
                try:
                    state.targetctx = PlainContext.of(usual)
                    self._lower(state)
                except NotPlainError:
                    plain = False
            if not plain:
                state.targetctx = usual
                self._lower(state)
            lowered, name = state["cr"], _Name()
            state["cr"] = lowered._replace(cfunc=name)
            state.library.plain = plain
            state.library.finalize()
            caller = caller_of(
                lowered.fndesc, state.library, plain=plain, borrows=state.library.borrows
            )
            usual._defns[name].append(caller, caller.signature)
            return True

        def _lower(self, state: Any) -> None:
            state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.contracts = bool(state.flags.fastmath)
            state.library.borrows = not state.targetctx.enable_nrt
            super().run_pass(state)

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
            if state.flags.no_cpython_wrapper and _may_keep_small_arrays(state):
                state.targetctx = state.targetctx.subtarget()
                state.targetctx.keeps_small_arrays = True
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
    """Whether all arrays of a function are its callers', who count who refers to them."""
    if state.func_ir.is_generator:
        return False
    for block in state.func_ir.blocks.values():
        for statement in block.body:
            if isinstance(statement, ir.SetItem):
                if _is_counted(state, state.typemap[statement.value.name]):
                    return False
            elif isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Expr):
                made = state.typemap[statement.target.name]
                if _is_counted(state, made) and not _is_borrowed(state, statement.value):
                    return False
    return True


def _is_counted(state: Any, kind: Any) -> bool:
    return bool(state.targetctx.data_model_manager[kind].contains_nrt_meminfo())


def _is_borrowed(state: Any, expression: Any) -> bool:
    """Whether what an expression gives belongs to something that was there before."""
    if expression.op == "getitem":
        return not _is_counted(state, state.typemap[expression.index.name])
    if expression.op == "call":
        function = state.typemap[expression.func.name]
        if isinstance(function, types.Dispatcher):
            return bool(getattr(_called(state, expression), "borrows", False))
        if _is_small(state, expression):
            return getattr(state.targetctx, "keeps_small_arrays", False)
        return isinstance(function, types.NamedTupleClass) or getattr(
            function, "typing_key", None
        ) in ("array.reshape", "array.view", view_of_rows)
    return expression.op in ("static_getitem", "getattr", "cast", "build_tuple", "exhaust_iter")


def _called(state: Any, expression: Any) -> Any:
    """The library of what is called, if it is a kernel or the like."""
    function = state.typemap[expression.func.name]
    overloads = getattr(getattr(function, "dispatcher", None), "overloads", {})
    return getattr(overloads.get(state.calltypes[expression].args), "library", None)


def _may_be_plain(state: Any) -> bool:
    """Whether nothing is known yet that speaks against it."""
    return not state.func_ir.is_generator and all(
        getattr(_called(state, each.value), "plain", True)
        for block in state.func_ir.blocks.values()
        for each in block.find_insts(ir.Assign)
        if getattr(each.value, "op", None) == "call"
    )


def _is_small(state: Any, expression: Any) -> bool:
    """Whether an expression makes a small array."""
    if getattr(expression, "op", None) != "call":
        return False
    function = getattr(state.typemap[expression.func.name], "typing_key", None)
    return function in (np.empty, np.zeros) and is_small(state.calltypes[expression].args[0])


def _may_keep_small_arrays(state: Any) -> bool:
    """Whether a function makes some, each once in a call, and returns none."""
    if state.func_ir.is_generator or _is_counted(state, state.return_type):
        return False
    blocks = state.func_ir.blocks
    making = {
        label
        for label, block in blocks.items()
        if any(_is_small(state, each.value) for each in block.find_insts(ir.Assign))
    }
    if not making:
        return False
    loops = compute_cfg_from_blocks(blocks).loops().values()
    return not any(making & loop.body for loop in loops)


class _Name:
    """What Numba finds a compiled function by, in place of the function itself."""


class KernelCompiler(CompilerBase):
    """The usual one without the steps for what no kernel has."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        # A copy of what makes other code: rules for kernels do not hold for that.
        self.state.targetctx = self.state.targetctx.subtarget()
        self.state.targetctx.makes_kernels = True

    def define_pipelines(self) -> list[Any]:
        """One."""
        self.state.func_id.is_kernel = True
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


class PartCompiler(KernelCompiler):
    """The same for a part."""

    @property
    def lowering(self) -> Any:
        """The last step."""
        return _PartLowering


def _computed(function: Any) -> Iterator[str]:
    """Names of what operators give."""
    for block in function.blocks.values():
        for statement in block.find_insts(ir.Assign):
            if getattr(statement.value, "op", None) in ("binop", "inplace_binop", "unary"):
                yield statement.target.name
