"""How kernels are compiled, and kept for the next run.

Numba keeps compiled kernels on disk and compiles one anew when the file that it stands in has
changed. Three things are missing there. A kernel holds the code of those that it calls, from other
files too: here, all kernels are kept under one stamp, a digest of all their files. Processes
that compile at the same time may give each other's code the same file: here, a
file is named after the signature that it was compiled for, and is complete before it is listed.
And what is on disk is loaded only after all that a compiler needs has been imported, which takes
longer than the loading: here, it is loaded as it is.
Where another version of Numba has other private parts than those that this needs, its own cache
does. Where nothing can be written, every process compiles for itself, and says so once.
"""

import functools
import hashlib
import inspect
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import caching, event
from numba.core.compiler import Compiler
from numba.core.runtime.nrt import rtsys

from podium.numerics.compiler import indexing, known, loops  # noqa: F401  (rules for the compiler)
from podium.numerics.compiler.parts import Kernel
from podium.numerics.compiler.steps import USABLE, KernelCompiler
from podium.numerics.compiler.undisturbed import COMPILES, Undisturbed, home

_SOURCES = sorted(Path(__file__).parent.rglob("*.py"))
STAMP = hashlib.sha256(b"\0".join(path.read_bytes() for path in _SOURCES)).hexdigest()[:16]
_NumbasFiles: Any = getattr(caching, "IndexDataCacheFile", object)
_PARTS = {
    "__init__": ["cache_path", "filename_base", "source_stamp"],
    "save": ["key", "data"],
    "load": ["key"],
    "_load_index": [],
    "_save_index": ["overloads"],
    "_save_data": ["name", "data"],
}
"""Methods of Numba's that are called or replaced here, and what they take."""
_PARTS_OF_A_CACHE = {
    "load_overload": ["sig", "target_context"],
    "_load_overload": ["sig", "target_context"],
    "_guard_against_spurious_io_errors": [],
}
"""The same of the object that loads a kernel."""


class NotKeptWarning(UserWarning):
    """Compiled kernels are for this process only."""


@functools.cache
def keeps() -> bool:
    """Whether kernels can be kept for the next process; a warning says once if not."""
    try:
        if _somewhere_to_write():
            njit(cache=True)(_nothing)
            return True
    except RuntimeError:  # Numba has tried all places that it knows
        pass
    _warn("no folder for them can be written to")
    return False


def _nothing() -> None:
    pass


def _somewhere_to_write() -> bool:
    """False where Numba would make a folder called ~, for want of anybody's home."""
    if os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME"):
        return True
    beside = Path(__file__).parent
    return os.access(beside, os.W_OK) or os.path.expanduser("~") != "~"  # noqa: PTH111


@functools.cache
def _warn(cause: str) -> None:
    warnings.warn(
        f"compiled kernels cannot be kept, since {cause}: every process compiles them anew, which "
        f"takes some seconds; NUMBA_CACHE_DIR names a folder to keep them in.",
        NotKeptWarning,
        stacklevel=2,
    )


@functools.cache
def _as_expected(files: type) -> bool:
    return issubclass(files, _NumbasFiles) and _has(files, _PARTS)


@functools.cache
def _loads_as_expected(cache: type) -> bool:
    return _has(cache, _PARTS_OF_A_CACHE) and callable(getattr(rtsys, "initialize", None))


def _has(kind: type, parts: dict[str, list[str]]) -> bool:
    """Whether a class has methods that take these arguments."""
    return all(
        callable(method := getattr(kind, name, None))
        and [*inspect.signature(method).parameters][1:] == parameters
        for name, parameters in parts.items()
    )


def _loaded(cache: Any, signature: Any, target: Any) -> Any:
    """A kernel from disk, or None; without the registries of types and functions.

    Code that is compiled already needs the run-time system only. Compiling one loads the rest.
    """
    rtsys.initialize(target)
    with cache._guard_against_spurious_io_errors():
        return cache._load_overload(signature, target)


@functools.cache
def _stamp_of(source: Path) -> str:
    """What kernels of a file are kept under; one that lies elsewhere counts too."""
    if source in _SOURCES or not source.is_file():
        return STAMP
    return hashlib.sha256(STAMP.encode() + source.read_bytes()).hexdigest()[:16]


class _KernelFiles(_NumbasFiles):  # type: ignore[misc]
    """The files of one kernel: an index of signatures, and the code for each."""

    def __init__(self, cache: Any, stamp: str = STAMP) -> None:
        super().__init__(cache.cache_path, f"{cache._impl.filename_base}.{stamp}", stamp)

    def save(self, key: Any, data: Any) -> None:
        """Write the code, then the index."""
        signature = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        name = self._index_name.replace(".nbi", f".{signature}.nbc")
        try:
            self._save_data(name, data)
            self._save_index({**self._load_index(), key: name})
        except OSError as error:  # it is compiled, and works without
            _warn(f"writing fails ({error.strerror})")

    def load(self, key: Any) -> Any:
        """The code, or None where there is none or it is damaged: it is then compiled anew."""
        try:
            return super().load(key)
        except Exception:
            return None

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except Exception:  # a damaged index may raise anything
            return {}


def kernel(function: Any, **options: Any) -> Any:
    """Compile `function` when it is first called; without the interpreter lock, and kept.

    Divisions follow NumPy: Python's check for zero would keep loops out of vector registers.
    """
    options = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, **options}
    steps = KernelCompiler if USABLE else Compiler
    dispatcher = njit(cache=keeps(), pipeline_class=steps, **options)(function)
    with suppress(AttributeError):
        if _as_expected(dispatcher._cache._cache_file.__class__):
            stamp = _stamp_of(Path(function.__code__.co_filename))
            dispatcher._cache._cache_file = _KernelFiles(dispatcher._cache, stamp)
            if _loads_as_expected(dispatcher._cache.__class__):
                dispatcher._cache.load_overload = functools.partial(_loaded, dispatcher._cache)
    return Kernel(dispatcher, options) if USABLE else dispatcher


def fused_kernel(function: Any) -> Any:
    """The same, with a product and a sum in one rounding: for long sums of products."""
    return kernel(function, fastmath={"contract"})


def note_of(what: str) -> Path | None:
    """Where it can be noted that all of something is compiled, of these sources, for this machine.

    None where nothing is kept, or nobody knows where.
    """
    if not keeps():
        return None
    try:
        any_kernel = kernel(_nothing)
        machine = any_kernel.targetctx.codegen().magic_tuple()
        folder = Path(any_kernel._cache.cache_path)
    except AttributeError:  # of another version of Numba
        return None
    digest = hashlib.sha256(repr((what, machine, STAMP)).encode()).hexdigest()[:16]
    return folder / f"podium.{digest}.compiled"


@contextmanager
def counting() -> Iterator[list[str]]:
    """The names of the kernels that are compiled in the block, as far as it has come.

    Those of other packages too; what comes from disk is not compiled.
    """
    compiled = _Compiled()
    with event.install_listener(COMPILES, compiled):
        yield compiled.names


class _Compiled(event.Listener):
    """Takes down what is compiled; functions of Numba's own are parts of others."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def on_start(self, event: Any) -> None:
        """Nothing is there yet."""

    def on_end(self, event: Any) -> None:
        """One more."""
        if not home(event).startswith("numba."):
            self.names.append(f"{home(event)}.{event.data['dispatcher'].py_func.__qualname__}")


event.register(COMPILES, Undisturbed())


def is_kept(dispatcher: Any) -> bool:
    """Whether an earlier run on this machine has compiled this kernel."""
    try:
        return bool(dispatcher._cache._cache_file._load_index())
    except AttributeError:  # of another version of Numba, where nobody knows
        return keeps()
