"""Progress of what takes long: a function that is told of it, or a bar."""

import importlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from podium.errors import InputError
from podium.extras import is_installed
from podium.texts import visible

Report = Callable[[int, int], None]
"""Called now and then with the part done and the whole."""
Progress = Report | bool
"""What functions take as `progress`: such a function, or True for a bar."""

_PATIENCE = 1.0
"""Seconds without a bar."""
_PAUSE = 0.2
"""Seconds between two states of a bar that does not move by itself."""


def unseen(done: int, total: int) -> None:
    """Progress that nobody watches."""


def part_of(report: Report, number: int, count: int) -> Report:
    """Progress in one of several parts, as progress of the whole."""
    return lambda done, total: report(number * total + done, count * total)


def after(report: Report, start: int, whole: int) -> Report:
    """Progress of what follows on what is done already, as progress of the whole."""
    return lambda done, _: report(start + done, whole)


def reporting(progress: Progress | None, what: str) -> AbstractContextManager[Report]:
    """What is to be called with the part done and the whole, while the block lasts.

    Example:
        >>> with reporting(lambda done, total: print(f"{done} of {total}"), "Rating") as report:
        ...     report(1, 2)
        1 of 2
    """
    if progress is None or isinstance(progress, bool):
        return progress_bar(what) if progress else nullcontext(unseen)
    if not callable(progress):
        raise InputError(
            f"progress must be True for a bar, or a function of the part done and the whole, "
            f"not {progress!r}."
        )
    return nullcontext(progress)


def progress_bar(what: str) -> AbstractContextManager[Report]:
    """A bar in a notebook, or on the stderr of a terminal; nothing elsewhere.

    It appears after a second and leaves no trace.
    """
    what = visible(what)
    if _is_notebook():
        return _in_notebook(what)
    if not sys.stderr.isatty():
        return nullcontext(unseen)
    return _by_rich(what) if is_installed("rich") else _in_words(what)


def _is_notebook() -> bool:
    """Whether a kernel runs this, for a page that somebody looks at."""
    interactive = sys.modules.get("IPython")
    shell = None if interactive is None else interactive.get_ipython()
    return getattr(shell, "kernel", None) is not None


@contextmanager
def _by_rich(what: str) -> Iterator[Report]:
    from rich import progress as parts
    from rich.console import Console

    bar = parts.Progress(
        parts.TextColumn("{task.description}", markup=False),
        parts.BarColumn(),
        parts.TaskProgressColumn(),
        parts.TimeElapsedColumn(),
        parts.TextColumn("left"),
        parts.TimeRemainingColumn(),
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


@contextmanager
def _in_notebook(what: str) -> Iterator[Report]:
    from podium.markup import element

    shown = importlib.import_module("IPython.display")
    place = None

    def draw(done: int, total: int) -> None:
        nonlocal place
        bar = element("progress", value=str(done), max=str(total))
        page = shown.HTML(element("div", f"{what} ", bar, f" {done / max(total, 1):.0%}"))
        if place is None:
            place = shown.display(page, display_id=True)
        else:
            place.update(page)

    try:
        yield _paced(draw)
    finally:
        if place is not None:
            place.update(shown.HTML(""))


@contextmanager
def _in_words(what: str) -> Iterator[Report]:
    width = 0

    def draw(done: int, total: int) -> None:
        nonlocal width
        text = f"{what} {done / max(total, 1):.0%}"
        width = max(width, len(text))
        print(f"\r{text}", end="", file=sys.stderr, flush=True)

    try:
        yield _paced(draw)
    finally:
        if width:
            print(f"\r{'':{width}}\r", end="", file=sys.stderr, flush=True)


def _paced(draw: Report) -> Report:
    """Draw when a second has passed, and then now and then."""
    due = time.monotonic() + _PATIENCE

    def report(done: int, total: int) -> None:
        nonlocal due
        if time.monotonic() >= due:
            draw(done, total)
            due = time.monotonic() + _PAUSE

    return report
