"""Files: which can be read, and how they are written, complete or not at all."""

import os
import re
import shutil
import signal
import stat
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from podium.errors import InputError, PodiumError, StorageError

_STANDARD_INPUT = ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")


@contextmanager
def replacing(
    path: str | os.PathLike[str], *, folder: bool = False, stale: Iterable[str] = ()
) -> Iterator[Path]:
    """A temporary path beside `path`, which takes its place when the block ends well.

    If the block fails or is interrupted, the temporary is removed and `path` is as it was, and so
    are folders that it was to be in.
    An existing folder is not replaced as a whole, because it may be somebody's working folder:
    its files are, those of folders in it too, one by one and without interruption; those named
    `stale` go unless they are written anew, and all others stay. What a link points to is
    replaced, not the link, and a device or pipe is written to as it is.
    """
    shown = as_path(path)
    if shown.exists() and not shown.is_file() and not shown.is_dir() and not folder:
        with _explained(shown):
            yield shown
        return
    with _explained(shown):
        target = shown.resolve()
        if folder and target.exists() and not target.is_dir():
            raise InputError(f"{shown}: cannot be a folder, because a file has that name.")
        made = [each for each in target.parents if not each.exists()]
        target.parent.mkdir(parents=True, exist_ok=True)
        holder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    temporary = holder / target.name
    try:
        with _explained(shown):
            if folder:
                temporary.mkdir()
            yield temporary
            with uninterrupted():
                if folder and target.exists():
                    for name in stale:
                        (target / name).unlink(missing_ok=True)
                _take_place(temporary, target)
    except PodiumError as error:
        if str(temporary) not in str(error):
            raise
        # of a part, which nobody should look for in the temporary
        raise type(error)(str(error).replace(str(temporary), str(shown))) from None
    finally:
        shutil.rmtree(holder, ignore_errors=True)
        with suppress(OSError):  # of a folder that something is in, as when all went well
            for each in made:
                each.rmdir()


def _take_place(new: Path, old: Path) -> None:
    """Move a file or folder to where another may be; of a folder, file by file."""
    if not (new.is_dir() and old.is_dir()):
        os.replace(new, old)
        return
    for part in sorted(new.iterdir()):
        _take_place(part, old / part.name)


def files_in(folder: Path) -> list[str]:
    """The names of what a folder holds, to say what was written to it."""
    return sorted(each.name for each in folder.iterdir())


def as_path(path: object) -> Path:
    """The path that is meant, or an error if it cannot be one."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"the path of a file or folder is needed, not {type(path).__name__}.")
    return Path(path)


def refuse_special(path: Path) -> None:
    """Raise if something to read is neither a file nor a folder: a pipe, a device, a socket.

    What comes in through standard input is the caller's own, and read.
    """
    if path.is_file() or path.is_dir() or str(path) in _STANDARD_INPUT:
        return
    mode = path.stat().st_mode
    kinds = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    raise InputError(
        f"{path}: is {kinds.get(stat.S_IFMT(mode), 'a device')}, not a file; keep what it says in "
        f"a file, or send it to standard input and read - instead."
    )


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait until the block has ended; it never reaches processes that start in it."""
    with _postponed(), _blocked():
        yield


@contextmanager
def _postponed() -> Iterator[None]:
    """Take note of Ctrl-C, and raise it again after the block.

    To block the signal is not enough: the system gives it to another thread then, of Polars for
    instance, and Python interrupts the main thread all the same.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def _blocked() -> Iterator[None]:
    """Block Ctrl-C in this thread, and in the processes that it starts."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Say of what the system refuses which path could not be written, and why."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path}: cannot be written ({reason(error)}).") from None


def reason(error: OSError) -> str:
    """Why the system refused, in its own words, even if a library has wrapped them in others."""
    number = re.search(r"os error (\d+)", str(error))
    wrapped = os.strerror(int(number[1])) if number else str(error)
    return (error.strerror or wrapped or type(error).__name__).lower()
