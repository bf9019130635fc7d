"""How kernels are compiled, and kept for the next run.

Numba keeps compiled kernels on disk and compiles one anew when the file that it stands in has
changed. Two things are missing there. A kernel holds the code of those that it calls, from other
files too: here, all kernels are kept under one stamp, a digest of all their files. And
processes that compile at the same time may give each other's code the same file: here, a
file is named after the signature that it was compiled for, and is complete before it is listed.
Where another version of Numba has other private parts than those that this needs, its own cache
does. Where nothing can be written, every process compiles for itself, and says so once.
"""

import functools
import hashlib
import inspect
import os
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import caching

from podium.numerics.parts import USABLE, Kernel, part

_SOURCES = sorted(Path(__file__).parent.glob("*.py"))
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
    return issubclass(files, _NumbasFiles) and all(
        callable(method := getattr(files, name, None))
        and [*inspect.signature(method).parameters][1:] == parameters
        for name, parameters in _PARTS.items()
    )


class _KernelFiles(_NumbasFiles):  # type: ignore[misc]
    """The files of one kernel: an index of signatures, and the code for each."""

    def __init__(self, cache: Any) -> None:
        super().__init__(cache.cache_path, f"{cache._impl.filename_base}.{STAMP}", STAMP)

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
    dispatcher = njit(cache=keeps(), **options)(function)
    with suppress(AttributeError):
        if _as_expected(dispatcher._cache._cache_file.__class__):
            dispatcher._cache._cache_file = _KernelFiles(dispatcher._cache)
    return Kernel(dispatcher, part(function, options)) if USABLE else dispatcher


def fused_kernel(function: Any) -> Any:
    """The same, with a product and a sum in one rounding: for long sums of products."""
    return kernel(function, fastmath={"contract"})


def is_kept(dispatcher: Any) -> bool:
    """Whether an earlier run on this machine has compiled this kernel."""
    try:
        return bool(dispatcher._cache._cache_file._load_index())
    except AttributeError:  # of another version of Numba, where nobody knows
        return keeps()
