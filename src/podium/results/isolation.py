"""Reading in a process of its own, with a limit on its memory, for files of strangers.

What a damaged or hostile file does to a parser (an abort, a panic, all memory) ends that process
and becomes a sentence in this one. What comes back is a plain table, which is checked again.
"""

import importlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from podium import errors
from podium.errors import InputError, PodiumError

if TYPE_CHECKING:
    import polars as pl

    from podium.results.options import Options
    from podium.results.understanding import Understanding

MEMORY = 4 * 2**30
"""Bytes of address space, unless another number is given here or in PODIUM_MEMORY."""
_LEAST = 2 * 2**30
"""Python, Polars and Numba reserve most of that before they have read anything."""
_PATIENCE = 600.0
"""Seconds after which a child hangs, as threads do that got no memory; more for large files."""
_QUESTION, _ANSWER = "question.json", "answer.json"
_TABLE, _FIRST = "contests.arrow", "first.arrow"


@dataclass(frozen=True)
class Limits:
    """How far a child may go."""

    memory: bool | int = True
    """Bytes of memory; True for as many as is usual."""
    patience: float | None = None
    """Seconds after which it hangs, as many as is usual if none are said; a megabyte of the file
    adds one."""
    most: int | None = None
    """Bytes that the table may have that it makes; by default, any number."""


Isolated = bool | int | Limits
"""How files are read in a process of their own, if they are: limits, or bytes of memory."""


def _limits(isolated: Isolated) -> Limits:
    return isolated if isinstance(isolated, Limits) else Limits(isolated)


def asked(
    function: str,
    path: Path,
    isolated: Isolated,
    options: "Options",
    *,
    patience: float | None = None,
    most: int | None = None,
) -> "tuple[pl.DataFrame, Understanding]":
    """What a function of `podium.results` makes of a file, in a child process.

    Args:
        function: Its module and name, such as ``reading.read_understood``.
        path: The file.
        isolated: The bytes of memory that the child may have; True for as many as is usual.
        options: How it is to be read.
        patience: Seconds after which the child hangs; a megabyte of the file adds one.
        most: Bytes that the table may have; by default, any number.

    Raises:
        PodiumError: What the child raised, or that it died.
    """
    from podium.results.understanding import Understanding

    limits = isolated
    if not isinstance(limits, Limits):
        limits = Limits(limits, patience, most)
    with _answered(function, path, limits, options) as (answer, folder):
        if "kind" in answer:
            raise _error(answer)
        table = _table(folder, path, limits)
        assert table is not None
        return table, Understanding.of(answer)


def _table(folder: Path, path: Path, limits: Limits) -> "pl.DataFrame | None":
    """The table that a child has made, unless it is too large."""
    size = (folder / _TABLE).stat().st_size if (folder / _TABLE).exists() else 0
    if limits.most is not None and size > limits.most:
        raise InputError(
            f"{path}: is a table of {size:,} bytes when it is unpacked; at most {limits.most:,} "
            f"are taken."
        )
    return _read(folder / _TABLE)


class Tried(NamedTuple):
    """What a child says of a file, whether it could read it or not."""

    report: "Understanding"
    table: "pl.DataFrame | None"
    """Its contests, if it could be read."""
    error: PodiumError | None
    """Why it is refused."""
    first: "pl.DataFrame | None"
    """Its first rows as they stand there."""
    beginning: tuple[int, str]
    """How many rows stand there again, and what the file or sheet is called."""


def attempted(path: Path, isolated: Isolated, options: "Options") -> Tried:
    """What `podium.results.reading.attempted` makes of a file, in a child process.

    Raises:
        PodiumError: That the child died.
    """
    from podium.results.understanding import Understanding

    limits = _limits(isolated)
    with _answered("reading.attempted", path, limits, options) as (answer, folder):
        refused = answer["refused"]
        return Tried(
            Understanding.of(answer["report"]),
            _table(folder, path, limits),
            None if refused is None else _error(refused),
            _read(folder / _FIRST),
            (answer["repeated_rows"], answer["stem"]),
        )


@contextmanager
def _answered(
    function: str, path: Path, limits: Limits, options: "Options"
) -> Iterator[tuple[dict[str, Any], Path]]:
    """What a child answers, and the folder with its tables."""
    memory = _memory(limits.memory)
    question = {
        "function": function,
        "path": str(path),
        "memory": memory,
        "options": options.document(),
    }
    with tempfile.TemporaryDirectory(prefix="podium-") as name:
        folder = Path(name)
        (folder / _QUESTION).write_text(json.dumps(question), encoding="utf-8")
        patience = _PATIENCE if limits.patience is None else limits.patience
        end = _run(name, patience + path.stat().st_size / 1e6)
        try:
            answer = json.loads((folder / _ANSWER).read_bytes())
        except (FileNotFoundError, ValueError):
            raise InputError(
                f"{path}: is damaged, or needs more than {memory / 2**30:,.1f} GiB of memory, "
                f"which isolated=BYTES or PODIUM_MEMORY=BYTES raises (the process that read it "
                f"{end})."
            ) from None
        yield answer, folder


def _error(said: dict[str, Any]) -> PodiumError:
    found: PodiumError = getattr(errors, said["kind"])(said["text"])
    return found


def _read(path: Path) -> "pl.DataFrame | None":
    import polars as pl

    return pl.read_ipc(path.read_bytes()) if path.exists() else None


def _child(argument: str) -> list[str]:
    """How a child is started."""
    # -P: the working folder, which may be the strangers', must not supply modules
    return [sys.executable, "-P", "-m", "podium.results.isolation", argument]


def _run(folder: str, patience: float) -> str:
    """Run the child; how it ended."""
    if _reader is not None:
        return _reader.run(folder, patience)
    try:
        child = subprocess.run(
            _child(folder),
            env=_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=patience,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _hung(patience)
    return _ended(child.returncode)


def _hung(patience: float) -> str:
    return f"hung for {patience:,.0f} seconds"


def _ended(code: int) -> str:
    """How a process ended that has this code, or was ended by minus that signal."""
    if code >= 0:
        return f"ended with code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


class Reader:
    """A process that has loaded all that reading needs, and reads each file in a fork of itself.

    To load it takes many times as long as to read a usual file. The process itself never opens a
    file, so that none can harm the reading of the next; it is started when it is first needed, and
    again when it is gone. Threads that read at once wait for each other.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, folder: str, patience: float) -> str:
        """Let a fork answer the question in a folder; how it ended."""
        with self._lock:
            process = self._started()
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write(f"{folder}\n".encode())
                process.stdin.flush()
                with selectors.DefaultSelector() as waiting:
                    waiting.register(process.stdout, selectors.EVENT_READ)
                    if not waiting.select(patience):
                        self._end()
                        return _hung(patience)
                return _ended(int(process.stdout.readline()))
            except (OSError, ValueError):
                self._end()
                return "ended while it was asked"

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._process is None or self._process.poll() is not None:
            self._end()
            self._process = subprocess.Popen(
                _child(_WAITING),
                env=_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # and the fork that hangs
        for each in (process.stdin, process.stdout):
            with suppress(OSError):
                if each is not None:
                    each.close()
        process.wait()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()


_WAITING = "--waiting"
_reader: Reader | None = None


@contextmanager
def kept_warm() -> Iterator[None]:
    """Let files that are read isolated in this block be read by a process that is kept for it.

    Where processes cannot be forked, nothing is kept.
    """
    global _reader
    if not hasattr(os, "fork") or _reader is not None:
        yield
        return
    _reader = Reader()
    try:
        yield
    finally:
        reader, _reader = _reader, None
        reader.close()


def _wait() -> None:
    """What such a process does: for every folder, fork, and say how the fork ended."""
    for each in ("options", "reading", "starting", "understanding"):  # what its forks need
        importlib.import_module(f"podium.results.{each}")

    for line in sys.stdin.buffer:
        child = os.fork()
        if child == 0:
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(nothing, stream)
            try:
                _answer(Path(os.fsdecode(line.rstrip(b"\n"))))
                os._exit(0)
            finally:
                os._exit(1)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.stdout.buffer.write(f"{code}\n".encode())
        sys.stdout.buffer.flush()


def _memory(isolated: bool | int) -> int:
    given: Any = os.environ.get("PODIUM_MEMORY", MEMORY) if isolated is True else isolated
    try:
        memory = int(given)
    except ValueError:
        memory = 0
    if memory < _LEAST:
        raise InputError(
            f"isolated or PODIUM_MEMORY is a number of bytes of at least {_LEAST:,} (2 GiB), not "
            f"{given!r}."
        )
    return memory


def _environment() -> dict[str, str]:
    """That of this process, with its paths, and with few threads, each of which takes memory."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "POLARS_MAX_THREADS": "4",
        "OPENBLAS_NUM_THREADS": "1",
    }


def limit_memory(memory: int) -> None:
    """Let the system refuse more memory, and keep no core of a process that dies of it."""
    try:
        import resource
    except ImportError:  # Windows has none
        return
    for what, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        try:
            resource.setrlimit(what, (most, most))
        except (ValueError, OSError):  # macOS has it, but not always
            continue


def _answer(folder: Path) -> None:
    """What the child does: read, and leave a table or a sentence."""
    question = json.loads((folder / _QUESTION).read_bytes())
    limit_memory(question["memory"])
    from podium.results.options import Options

    room, _, name = question["function"].partition(".")
    function = getattr(importlib.import_module(f"podium.results.{room}"), name)
    path, options = Path(question["path"]), Options.of(question["options"])
    try:
        said = _tried(function, path, options, folder) if name == "attempted" else None
        if said is None:
            found, report = function(path, options)
            _table_of(found).write_ipc(folder / _TABLE)
            said = report.document()
    except PodiumError as error:
        said = _said(error)
    (folder / _ANSWER).write_text(json.dumps(said), encoding="utf-8")


def _table_of(found: Any) -> "pl.DataFrame":
    """Contests, or a table, as a table."""
    table: pl.DataFrame = found.frame(given=True) if hasattr(found, "ids") else found
    return table


def _said(error: PodiumError) -> dict[str, Any]:
    return {"kind": type(error).__name__, "text": str(error)}


def _tried(function: Any, path: Path, options: "Options", folder: Path) -> dict[str, Any]:
    from podium.results.sources import Source

    attempt = function(Source(path, {}), options)
    if attempt.contests is not None:
        _table_of(attempt.contests).write_ipc(folder / _TABLE)
    if attempt.raw is not None:
        attempt.raw.first.write_ipc(folder / _FIRST)
    return {
        "report": attempt.report.document(),
        "refused": None if attempt.error is None else _said(attempt.error),
        "repeated_rows": 0 if attempt.raw is None else attempt.raw.repeated_rows,
        "stem": "" if attempt.raw is None else attempt.raw.stem,
    }


if __name__ == "__main__":
    if sys.argv[1] == _WAITING:
        _wait()
    else:
        _answer(Path(sys.argv[1]))
