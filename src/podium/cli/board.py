"""The leaderboard, for people and for programs."""

from typing import TYPE_CHECKING

from podium.cli.console import Column, print_table
from podium.wording import NOTHING

if TYPE_CHECKING:
    import polars as pl

    from podium.systems.base import System

_COLUMNS = (
    Column("place", right=True, style="dim"),
    Column("player", style="bold"),
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


def print_board(board: "pl.DataFrame", system: "System") -> None:
    """Print a frame of `podium.Rated.leaderboard` or of a league, rounded."""
    digits = system.decimals
    titles = "title" in board.columns and board["title"].count() > 0
    shown = board.select(
        "place",
        "player",
        *(["title"] if titles else []),
        "rating",
        "mu",
        "sigma",
        "contests",
        board["last_time"].dt.date(),
    )
    rows = [
        (
            str(place),
            *(NOTHING if each is None else each for each in name),
            f"{rating:.{digits}f}",
            f"{mu:.{digits}f}",
            NOTHING if sigma is None else f"± {sigma:.{digits}f}",
            str(contests),
            NOTHING if last_time is None else str(last_time),
        )
        for place, *name, rating, mu, sigma, contests, last_time in shown.iter_rows()
    ]
    columns = _COLUMNS if titles else (*_COLUMNS[:_TITLE], *_COLUMNS[_TITLE + 1 :])
    print_table(columns, rows)
