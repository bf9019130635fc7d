"""Reading in a process of its own, with a limit on its memory, for files of strangers.

What a damaged or hostile file does to a parser (an abort, a panic, all memory) ends that process
and becomes a sentence in this one. What comes back is a plain table, which is checked again.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
_QUESTION, _ANSWER, _TABLE = "question.json", "answer.json", "contests.arrow"


def asked(
    function: str, path: Path, isolated: bool | int, options: "Options"
) -> "tuple[pl.DataFrame, Understanding]":
    """What a function of `podium.results.reading` makes of a file, in a child process.

    Raises:
        PodiumError: What the child raised, or that it died.
    """
    memory = _memory(isolated)
    question = {
        "function": function,
        "path": str(path),
        "memory": memory,
        "options": options.document(),
    }
    with tempfile.TemporaryDirectory(prefix="podium-") as name:
        folder = Path(name)
        (folder / _QUESTION).write_text(json.dumps(question), encoding="utf-8")
        end = _run(name, _PATIENCE + path.stat().st_size / 1e6)
        try:
            answer = json.loads((folder / _ANSWER).read_bytes())
        except (FileNotFoundError, ValueError):
            raise InputError(
                f"{path}: is damaged, or needs more than {memory / 2**30:,.1f} GiB of memory, "
                f"which isolated=BYTES or PODIUM_MEMORY=BYTES raises (the process that read it "
                f"{end})."
            ) from None
        if "kind" in answer:
            raise getattr(errors, answer["kind"])(answer["text"])
        import polars as pl

        from podium.results.understanding import Understanding

        return pl.read_ipc((folder / _TABLE).read_bytes()), Understanding.of(answer)


def _run(folder: str, patience: float) -> str:
    """Run the child; how it ended."""
    try:
        # -P: the working folder, which may be the strangers', must not supply modules
        child = subprocess.run(
            [sys.executable, "-P", "-m", "podium.results.isolation", folder],
            env=_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=patience,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"hung for {patience:,.0f} seconds"
    if child.returncode >= 0:
        return f"ended with code {child.returncode}"
    try:
        return f"was ended by {signal.Signals(-child.returncode).name}"
    except ValueError:
        return f"was ended by signal {-child.returncode}"


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
    from podium.results import reading
    from podium.results.options import Options

    function, options = getattr(reading, question["function"]), Options.of(question["options"])
    try:
        contests, report = function(question["path"], options)
        contests.frame(given=True).write_ipc(folder / _TABLE)
        said = report.document()
    except PodiumError as error:
        said = {"kind": type(error).__name__, "text": str(error)}
    (folder / _ANSWER).write_text(json.dumps(said), encoding="utf-8")


if __name__ == "__main__":
    _answer(Path(sys.argv[1]))
