"""A bar for work that takes more than a second."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_PATIENCE = 1.0
"""Seconds without a bar."""


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A function that takes the part done and the whole, and shows them on a terminal's stderr.

    The bar appears after a second and leaves no trace.
    """
    if not sys.stderr.isatty():
        yield _show_nothing
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(what, total=None)
    patience = threading.Timer(_PATIENCE, bar.start)
    patience.daemon = True
    patience.start()
    try:
        yield lambda done, total: bar.update(task, completed=done, total=total)
    finally:
        patience.cancel()
        patience.join()
        bar.stop()


def _show_nothing(*_: int) -> None:
    pass
