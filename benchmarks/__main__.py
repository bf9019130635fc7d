"""Run all benchmarks, or those named: python -m benchmarks [codeforces growth ladder …]."""

import os
import platform
import sys
from importlib import import_module

from rich.console import Console
from rich.table import Table

from benchmarks.report import Figure

NAMES = (
    "starting",
    "reading",
    "ladder",
    "matches",
    "growth",
    "memory",
    "file_to_file",
    "codeforces",
    "threads",
    "limit",
    "comparators",
    "luck",
    "accuracy",
    "evaluation",
    "hindsight",
    "league",
    "explaining",
    "questions",
    "live",
    "live_predictions",
    "matchmaking",
    "matchmaking_days",
    "web",
    "writing",
    "live_http",
)
ON_REQUEST = ("before", "live_memory")
"""What needs something that is not here by itself, or takes many minutes."""


def main() -> None:
    chosen = sys.argv[1:] or list(NAMES)
    for name in chosen:
        if name not in (*NAMES, *ON_REQUEST):
            there = ", ".join((*NAMES, *ON_REQUEST))
            sys.exit(f"there is no benchmark {name!r}; there are {there}.")
    console = Console(width=max(Console().width, 120))
    cores = len(os.sched_getaffinity(0))
    console.print(f"python -m benchmarks {' '.join(chosen)}")
    console.print(f"{cores} cores, {platform.machine()}, Python {platform.python_version()}")
    for name in chosen:
        module = import_module(f"benchmarks.{name}")
        with console.status(f"{name} …"):
            figures = module.run()
        console.print(_table(str(module.__doc__).partition("\n")[0], figures))


def _table(title: str, figures: list[Figure]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("what")
    table.add_column("podium", justify="right")
    table.add_column("peer", justify="right")
    table.add_column("peer is")
    table.add_column("peer / podium", justify="right")
    table.add_column("goal")
    for figure in figures:
        theirs = "" if figure.peer_value is None else f"{figure.peer_value:,.2f} {figure.unit}"
        ratio = "" if figure.ratio is None else f"{figure.ratio:,.2f}"
        ours = f"{figure.value:,.2f} {figure.unit}"
        table.add_row(figure.what, ours, theirs, figure.peer, ratio, figure.goal)
    return table


if __name__ == "__main__":
    main()
