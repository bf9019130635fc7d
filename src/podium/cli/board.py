"""The leaderboard, for people and for programs."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from podium.cli.console import Column
from podium.cli.tables import Table, dates, fixed, words
from podium.wording import NOTHING, step

if TYPE_CHECKING:
    import polars as pl

    from podium.systems.base import System

_COLUMNS = (
    Column("place", right=True, style="dim"),
    Column("player", style="bold", names=True),
    Column("title"),
    Column("rating", right=True, style="bold cyan"),
    Column("mu", right=True),
    Column("± sigma", right=True, style="dim"),
    Column("contests", right=True),
    Column("last contest", right=True, style="dim"),
)
_TITLE = 2
"""Where the title stands, if anybody has one."""
_CHANGES = {"+": "green", "-": "red"}
CHANGE = Column("change", right=True, style=lambda cell: _CHANGES.get(cell[:1], ""))
"""A column for what `step` gives last."""


def board_table(
    board: "pl.DataFrame", system: "System", title: str = "", caption: str = ""
) -> Table:
    """A frame of `podium.Rated.leaderboard` or of a league, as a table."""
    digits = system.decimals
    titles = "title" in board.columns and board["title"].count() > 0
    cells: list[Iterable[str]] = [
        board["place"].cast(str),
        words(board["player"]),
        *([words(board["title"])] if titles else []),
        fixed(board["rating"], digits),
        fixed(board["mu"], digits),
        fixed(board["sigma"], digits, "± "),
        board["contests"].cast(str),
        dates(board["last_time"]),
    ]
    columns = _COLUMNS if titles else (*_COLUMNS[:_TITLE], *_COLUMNS[_TITLE + 1 :])
    return Table(title, columns, cells, board, caption=caption)


def rating_steps(shown: "pl.DataFrame", digits: int) -> tuple[list[str], list[str]]:
    """For each row, the rating before and after, and its change; neither of who was not rated."""
    steps = [
        (NOTHING, "unrated") if after is None else _step(before, after, digits)
        for before, after in zip(shown["rating_before"], shown["rating"], strict=True)
    ]
    return [each[0] for each in steps], [each[1] for each in steps]


def _step(before: float | None, after: float, digits: int) -> tuple[str, str]:
    first, last, change = step(before, after, digits)
    return f"{first} → {last}", change
