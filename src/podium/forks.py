"""What a fork does to threads: a child has none of its parent's, and whatever waits for them hangs.

Polars has threads of its own, from its first larger work on. In a child of a process that had them
most of what it does never ends, so that podium says so instead. Locks that others hold would never
be released: a fork waits for those that are made here, and finds what they guard whole.
"""

import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from weakref import WeakSet

from podium.errors import StorageError

_locks: "WeakSet[threading.RLock]" = WeakSet()
_registering = threading.Lock()
_held: "list[threading.RLock]" = []
_lost = False


def lock() -> "threading.RLock":
    """A lock that no fork finds taken by another thread."""
    made = threading.RLock()
    with _registering:
        _locks.add(made)
    return made


def refuse_lost_threads(what: str = "tables") -> None:
    """Raise in a child of a fork that has lost the threads of Polars, which it would wait for."""
    if _lost:
        raise StorageError(
            f"{what} cannot be worked with in this process: it was forked from one that had used "
            f"Polars, whose threads no fork copies; start it by spawn or forkserver, as in "
            f"multiprocessing.get_context('spawn'), or read, rate and open after the fork."
        )


def _take_all() -> None:
    """Take all locks, while none is held wait for the one that somebody has."""
    awaited: list[threading.RLock] = []
    while True:
        _held[:] = awaited
        with _registering:
            others = [each for each in _locks if each not in awaited]
        for each in others:
            if not each.acquire(blocking=False):
                _let_go()
                each.acquire()
                awaited = [each]
                break
            _held.append(each)
        else:
            return


def _let_go() -> None:
    for each in _held:
        each.release()
    _held.clear()


def _has_threads() -> bool:
    """Whether Polars has its threads already; where nobody can tell, whether it may have."""
    if "polars" not in sys.modules:
        return False
    try:
        tasks = list(Path("/proc/self/task").iterdir())
    except OSError:
        return True
    for task in tasks:
        with suppress(OSError):  # of one that has just ended
            name = (task / "comm").read_text()
            if name.startswith(("polars-", "async-executor", "tokio-rt")) and "ooc" not in name:
                return True
    return False


def _before() -> None:
    global _threaded
    _take_all()
    _threaded = _has_threads()


def _in_child() -> None:
    global _lost
    _lost = _lost or _threaded
    _let_go()


_threaded = False
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_let_go, after_in_child=_in_child)
