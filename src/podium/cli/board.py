"""The leaderboard, for people and for programs."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from podium.cli.console import Column
from podium.cli.tables import Table, dates, fixed, words
from podium.wording import NOTHING, step

if TYPE_CHECKING:
    import polars as pl

    from podium.systems.base import System

_CHANGES = {"+": "green", "-": "red"}
CHANGE = Column("change", right=True, style=lambda cell: _CHANGES.get(cell[:1], ""))
"""A column for what `step` gives last."""


def board_table(
    board: "pl.DataFrame", system: "System", title: str = "", caption: str = ""
) -> Table:
    """A frame of `podium.Rated.leaderboard` or of a league, as a table."""
    digits = system.decimals
    shown: list[tuple[Column, Iterable[str]]] = [
        (Column("place", right=True, style="dim"), board["place"].cast(str)),
        (Column("player", style="bold", names=True), words(board["player"])),
    ]
    if "title" in board.columns and board["title"].count() > 0:
        shown.append((Column("title"), words(board["title"])))
    shown += [
        (Column("rating", right=True, style="bold cyan"), fixed(board["rating"], digits)),
        (Column("mu", right=True), fixed(board["mu"], digits)),
        (Column("± sigma", right=True, style="dim"), fixed(board["sigma"], digits, "± ")),
    ]
    if "forecast" in board.columns:
        shown += [
            (Column("forecast", right=True), fixed(board["forecast"], digits)),
            (Column("± spread", right=True, style="dim"), fixed(board["spread"], digits, "± ")),
        ]
    shown += [
        (Column("contests", right=True), board["contests"].cast(str)),
        (Column("last contest", right=True, style="dim"), dates(board["last_time"])),
    ]
    columns, cells = zip(*shown, strict=True)
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
