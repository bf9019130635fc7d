"""What commands print: tables and JSON to stdout, notes to stderr.

All that they print goes through here, where texts of strangers become harmless.
"""

import functools
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from podium.documents import plain
from podium.texts import sentence, visible, visible_json

if TYPE_CHECKING:
    from rich.console import Console

_UNLIMITED = 10_000
"""The width of output that is not for a terminal, so that nothing in it is cut."""


def output() -> "Console":
    """Stdout, in colour if it is a terminal."""
    unlimited = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    width = _UNLIMITED if unlimited else None
    return _harmless_console()(highlight=False, markup=False, emoji=False, width=width)


@functools.cache
def _harmless_console() -> "type[Console]":
    from rich.console import Console
    from rich.text import Text

    class Harmless(Console):
        """One whose texts are lines: only at their ends there may be empty ones."""

        def print(self, *objects: Any, **options: Any) -> None:
            lines = [_line(each) if isinstance(each, str) else each for each in objects]
            for place, each in enumerate(lines):
                if isinstance(each, Text) and _line(each.plain) != each.plain:
                    lines[place] = Text(_line(each.plain))
            super().print(*lines, **options)

    return Harmless


def _line(text: str) -> str:
    """The text made visible, but for an empty line before and after it."""
    before, after = text[:1] == "\n", text[1:][-1:] == "\n"
    return f"{before * chr(10)}{visible(text[before : len(text) - after])}{after * chr(10)}"


def note(text: str) -> None:
    """One line that is not part of the result."""
    sys.stdout.flush()
    print(_line(text), file=sys.stderr, flush=True)


def complain(text: str) -> None:
    """The sentence about what went wrong."""
    print("podium:", sentence(text), file=sys.stderr)


def print_json(document: Any) -> None:
    """The document, on stdout."""
    text = json.dumps(plain(document), indent=2, ensure_ascii=False, allow_nan=False)
    print(visible_json(text))


def print_text(text: str) -> None:
    """Lines of which each is harmless already, on stdout."""
    sys.stdout.write(text)


@dataclass(frozen=True, slots=True)
class Column:
    """How a column of a table looks."""

    header: str
    right: bool = False
    style: str | Callable[[str], str] = ""
    """A style of Rich, or what gives one for the text of a cell."""
    whole: bool = False
    """Whether it is never cut; a terminal that is too narrow goes on in the next line."""
    names: bool = False
    """Whether it says what a row is about."""


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Print a table row by row, as quickly for a hundred thousand rows as for ten.

    If the terminal is too narrow, the widest column of words is cut, of those that may be.
    """
    console = output()
    rows = [[visible(cell) for cell in row] for row in rows]
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
