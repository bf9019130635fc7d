"""While kernels are compiled, nothing is done twice, and nothing that nobody needs.

Most of the time that a kernel takes to compile goes into Numba's own Python code, and much of that
into what kernels do not have, or into asking again what has been answered. For as long as one is
compiled, some functions of Numba's are others, which do the same for kernels. Where another version
of Numba has no such function, nothing is replaced.
"""

import functools
import gc
import importlib.util
import logging
import sys
from collections.abc import Callable
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any

from numba.core import event

COMPILES = "numba:compile"
"""What Numba calls the event that a kernel is compiled."""
_TALKATIVE = ("byteflow", "interpreter", "ssa")
"""Modules that log every instruction and every variable."""


def home(event: Any) -> str:
    """The module of what is compiled."""
    return str(event.data["dispatcher"].py_func.__module__)


class Undisturbed(event.Listener):
    """Makes it so from the outermost kernel on; Numba compiles in one thread at a time."""

    def __init__(self) -> None:
        self._depth = 0
        self._meanwhile = ExitStack()

    def on_start(self, event: Any) -> None:
        """A kernel of podium's, or of what it needs."""
        if self._depth == 0:
            if not home(event).startswith("podium."):
                return
            self._meanwhile.enter_context(_without_garbage())
            for owner, name, make in _replacements(event.data["dispatcher"].targetctx):
                self._meanwhile.enter_context(_replaced(owner, name, make))
        self._depth += 1

    def on_end(self, event: Any) -> None:  # noqa: ARG002  (as Numba calls it)
        """As it was."""
        if self._depth == 1:
            self._meanwhile.close()
        self._depth = max(self._depth - 1, 0)


@contextmanager
def _without_garbage() -> Any:
    """Compilers make little of it, and have much in hand that would be looked through for it."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def _replaced(owner: Any, name: str, make: Callable[[Any], Any]) -> Any:
    """Let an attribute be what is made of it."""
    before = getattr(owner, name, None)
    if before is None:
        yield
        return
    own = vars(owner).get(name)
    setattr(owner, name, make(before))
    try:
        yield
    finally:
        if own is None:
            delattr(owner, name)
        else:
            setattr(owner, name, own)


def _replacements(context: Any) -> list[tuple[Any, str, Callable[[Any], Any]]]:
    """Whose function of which name is made into what."""
    modules = sys.modules
    replacements: list[tuple[Any, str, Callable[[Any], Any]]] = [
        (context, "refresh", functools.partial(_refreshed, context)),
        (modules.get("numba.core.base"), "_has_loc", functools.cache),
        (modules.get("numba.core.utils"), "order_by_target_specificity", _ordered_once),
        (modules.get("numba.core.interpreter"), "peep_hole_delete_with_exit", lambda _: _as_it_is),
        (_part("numba.core.errors", "WarningsFixer"), "catch_warnings", lambda _: _not_caught),
        (_part("numba.core.ir", "Inst"), "_rec_list_vars", _listed),
    ]
    for name in _TALKATIVE:
        logger = logging.getLogger(f"numba.core.{name}")
        if not logger.isEnabledFor(logging.DEBUG):
            replacements.append((logger, "debug", lambda _: _nothing))
    if "numba.np.arraymath" not in modules and importlib.util.find_spec("scipy") is not None:
        # Numba imports SciPy to see whether it could multiply matrices, and again if it does.
        linear = importlib.import_module("numba.np.linalg")
        replacements.append((linear, "ensure_blas", lambda _: _nothing))
    return replacements


def _part(module: str, name: str) -> Any:
    return getattr(sys.modules.get(module), name, None)


def _nothing(*_: Any) -> None:
    pass


def _as_it_is(function: Any) -> Any:
    return function


def _not_caught(*_: Any, **__: Any) -> Any:
    """Warnings are given as they come; Numba collects them, for every operation anew."""
    return nullcontext()


def _refreshed(context: Any, refresh: Callable[[], None]) -> Callable[[], None]:
    """Look for new rules only if there are any; Numba does for every array that is made."""
    seen = None

    def state() -> Any:
        return sum(len(each.functions) for each in context._registries), len(sys.modules)

    def refreshed() -> None:
        nonlocal seen
        if seen is None or seen != state():
            refresh()
            seen = state()

    return refreshed


def _ordered_once(order: Callable[..., Any]) -> Callable[..., Any]:
    """Rules are put into order once, not wherever one of them is asked for."""
    known: dict[Any, Any] = {}

    def ordered(target: Any, templates: Any, fnkey: Any = "") -> Any:
        key = target, *templates
        if key not in known:
            known[key] = order(target, templates, fnkey)
        return known[key]

    return ordered


def _listed(listed: Callable[..., Any]) -> Callable[..., Any]:
    """The variables in a part of a function; what a thing is, is asked once for each type."""
    from numba.core import ir

    variables, leaves, others = 0, 1, 2
    kinds: dict[type, int] = {}

    def kind_of(of: type) -> int:
        if issubclass(of, ir.Var):
            return variables
        return others if issubclass(of, ir.Inst | list | tuple | dict) else leaves

    def found(self: Any, value: Any) -> list[Any]:
        of = value.__class__
        if of is not dict and of is not list and of is not tuple:
            return listed(self, value)
        result = []
        for each in value.values() if of is dict else value:
            kind = kinds.get(each.__class__)
            if kind is None:
                kind = kinds[each.__class__] = kind_of(each.__class__)
            if kind == variables:
                result.append(each)
            elif kind == others:
                result.extend(each.list_vars() if isinstance(each, ir.Inst) else found(self, each))
        return result

    return found
