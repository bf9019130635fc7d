"""How kernels are compiled, and kept for the next run.

Numba keeps compiled kernels on disk and compiles one anew when the file that it stands in has
changed. Two things are missing there. A kernel holds the code of those that it calls, from other
files too: here, all kernels are kept under one stamp, a digest of all their files. And
processes that compile at the same time may give each other's code the same file: here, a
file is named after the signature that it was compiled for, and is complete before it is listed.
Where another version of Numba has other private parts than those that this needs, its own cache
does.
"""

import functools
import hashlib
import inspect
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import caching

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
        self._save_data(name, data)
        self._save_index({**self._load_index(), key: name})


def kernel(function: Any, **options: Any) -> Any:
    """Compile `function` when it is first called; without the interpreter lock, and kept.

    Divisions follow NumPy: Python's check for zero would keep loops out of vector registers.
    """
    dispatcher = njit(cache=True, nogil=True, error_model="numpy", **options)(function)
    with suppress(AttributeError):
        if _as_expected(dispatcher._cache._cache_file.__class__):
            dispatcher._cache._cache_file = _KernelFiles(dispatcher._cache)
    return dispatcher


def fused_kernel(function: Any) -> Any:
    """The same, with a product and a sum in one rounding: for long sums of products."""
    return kernel(function, fastmath={"contract"})


def is_kept(dispatcher: Any) -> bool:
    """Whether an earlier run on this machine has compiled this kernel."""
    try:
        return bool(dispatcher._cache._cache_file._load_index())
    except AttributeError:  # of another version of Numba: nobody knows
        return True
