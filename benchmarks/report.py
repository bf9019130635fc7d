"""What a benchmark returns, and where it finds its data."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SHARED = Path(__file__).parents[1].parent / "shared" / "data"


@dataclass(frozen=True)
class Figure:
    """One measured number, its peer's, and the goal for their ratio or for the number itself."""

    what: str
    value: float
    unit: str
    peer: str = ""
    peer_value: float | None = None
    goal: str = ""

    @property
    def ratio(self) -> float | None:
        """The peer's value in terms of ours: above 1, podium needs less."""
        return None if self.peer_value is None else self.peer_value / self.value


def data_file(name: str) -> Path:
    """A file of real results beside the repository."""
    path = SHARED / name
    if not path.is_file():
        sys.exit(f"this benchmark needs {name} in a folder shared/data beside the repository.")
    return path


def best_of(runs: int, function: Callable[[], Any]) -> float:
    """The shortest wall time of several runs, in seconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def in_turn(
    runs: int, *functions: Callable[..., Any], given: Callable[[], Any] | None = None
) -> list[float]:
    """The shortest wall time of each of several functions, called in turn.

    So a machine that is slower for a while is slower for all of them. What is `given` to them is
    made before the clock starts.
    """
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(runs):
        for function, mine in zip(functions, times, strict=True):
            arguments = () if given is None else (given(),)
            start = time.perf_counter()
            function(*arguments)
            mine.append(time.perf_counter() - start)
    return [min(mine) for mine in times]


def cpu_seconds(function: Callable[[], Any]) -> float:
    """CPU time of one run, of all threads."""
    start = time.process_time()
    function()
    return time.process_time() - start


def in_fresh_process(code: str, *arguments: object, **environment: str) -> dict[str, Any]:
    """What a Python program prints as JSON on its last line, run in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer
