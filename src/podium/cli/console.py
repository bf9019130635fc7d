"""What commands print: tables and JSON to stdout, notes to stderr."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from podium.documents import plain

if TYPE_CHECKING:
    from rich.console import Console

_UNLIMITED = 10_000
"""The width of output that is not for a terminal, so that nothing in it is cut."""


def output() -> "Console":
    """Stdout, in colour if it is a terminal."""
    from rich.console import Console

    unlimited = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return Console(highlight=False, markup=False, width=_UNLIMITED if unlimited else None)


def note(text: str) -> None:
    """One line that is not part of the result."""
    sys.stdout.flush()
    print(text, file=sys.stderr, flush=True)


def print_json(document: Any) -> None:
    """The document, on stdout."""
    print(json.dumps(plain(document), indent=2, ensure_ascii=False, allow_nan=False))


@dataclass(frozen=True, slots=True)
class Column:
    """How a column of a table looks."""

    header: str
    right: bool = False
    style: str | Callable[[str], str] = ""
    """A style of Rich, or what gives one for the text of a cell."""
    whole: bool = False
    """Whether it is never cut; a terminal that is too narrow goes on in the next line."""


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Print a table row by row, as quickly for a hundred thousand rows as for ten.

    If the terminal is too narrow, the widest column of words is cut, of those that may be.
    """
    console = output()
    widths = _widths(columns, rows, console.width)
    header = [column.header for column in columns]
    if not console.is_terminal:
        for row in (header, *rows):
            print("  ".join(_padded(row, columns, widths)).rstrip())
        return
    from rich.text import Text

    console.print("  ".join(_padded(header, columns, widths)), style="bold", soft_wrap=True)
    for row in rows:
        cells = zip(columns, row, _padded(row, columns, widths), strict=True)
        styled = [Text(padded, _style(column, cell)) for column, cell, padded in cells]
        console.print(Text("  ").join(styled), soft_wrap=True)


def _style(column: Column, cell: str) -> str:
    return column.style if isinstance(column.style, str) else column.style(cell)


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[str]], available: int) -> list[int]:
    from rich.cells import cell_len

    widths = [
        max(cell_len(cell) for cell in (column.header, *cells))
        for column, *cells in zip(columns, *rows, strict=True)
    ]
    excess = sum(widths) + 2 * (len(widths) - 1) - available
    words = [
        (width, i) for i, width in enumerate(widths) if not (columns[i].right or columns[i].whole)
    ]
    if excess > 0 and words:
        widest, flexible = max(words)
        widths[flexible] = min(widest, max(8, widest - excess))
    return widths


def _padded(row: Sequence[str], columns: Sequence[Column], widths: Sequence[int]) -> Iterator[str]:
    from rich.cells import cell_len, set_cell_size

    for cell, column, width in zip(row, columns, widths, strict=True):
        missing = width - cell_len(cell)
        if missing < 0:
            yield f"{set_cell_size(cell, width - 1)}…"
        elif column.right:
            yield " " * missing + cell
        else:
            yield cell + " " * missing
