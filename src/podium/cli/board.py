"""The leaderboard, for people and for programs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from podium.cli.console import Column
from podium.cli.tables import Table, dates, fixed, words
from podium.texts import visible
from podium.wording import NOTHING, step

if TYPE_CHECKING:
    import polars as pl

    from podium.systems.base import System

_CHANGES = {"+": "green", "-": "red"}
_STYLES = {
    "grey": "bright_black",
    "olive": "yellow4",
    "teal": "dark_cyan",
    "violet": "medium_purple",
    "pink": "magenta",
    "orange": "dark_orange",
}
"""What terminals call colours of titles, where it is something else."""
CHANGE = Column("change", right=True, style=lambda cell: _CHANGES.get(cell[:1], ""))
"""A column for what `step` gives last."""


def board_table(
    board: "pl.DataFrame",
    system: "System",
    title: str = "",
    caption: str = "",
    colours: Mapping[str, str] | None = None,
    attributes: Sequence[str] = (),
) -> Table:
    """A frame of `podium.Rated.leaderboard` or of a league, with attributes, as a table.

    If titles have colours, they are shown in these.
    """
    digits = system.decimals
    shown: list[tuple[Column, Iterable[str]]] = [
        (Column("place", right=True, style="dim"), board["place"].cast(str)),
    ]
    names = words(board["player"])
    if "display" in board.columns and board["display"].count() > 0:
        shown.append((Column("player", style="bold"), board["display"].fill_null(names)))
        shown.append((Column("name", names=True), names))
    else:
        shown.append((Column("player", style="bold", names=True), names))
    if "title" in board.columns and board["title"].count() > 0:
        shown.append((Column("title", style=title_style(colours or {})), words(board["title"])))
    shown += [
        (Column("rating", right=True, style="bold cyan"), _marked(board, digits)),
        (Column("mu", right=True), fixed(board["mu"], digits)),
        (Column("± sigma", right=True, style="dim"), fixed(board["sigma"], digits, "± ")),
    ]
    if "forecast" in board.columns:
        shown += [
            (Column("forecast", right=True), fixed(board["forecast"], digits)),
            (Column("± spread", right=True, style="dim"), fixed(board["spread"], digits, "± ")),
        ]
    if "best_rating" in board.columns and board["best_rating"].count() > 0:
        shown += _today(board, digits)
        shown.append((Column("best", right=True), fixed(board["best_rating"], digits)))
    shown += [
        (Column("contests", right=True), board["contests"].cast(str)),
        (Column("last contest", right=True, style="dim"), dates(board["last_time"])),
    ]
    for name in attributes:
        values = board[name].to_list()
        is_number = board[name].dtype.is_numeric()
        shown.append((Column(name, right=is_number), [value_text(each) for each in values]))
    columns, cells = zip(*shown, strict=True)
    return Table(title, columns, cells, board, caption=caption)


def title_style(colours: Mapping[str, str]) -> Callable[[str], str]:
    """The style of Rich for a title that has a colour."""
    styles = {visible(name): _STYLES.get(each, each) for name, each in colours.items()}
    return lambda cell: styles.get(cell, "")


def _marked(board: "pl.DataFrame", digits: int) -> list[str]:
    """Ratings, and a question mark behind those that are provisional."""
    ratings = fixed(board["rating"], digits)
    if "provisional" not in board.columns or not board["provisional"].any():
        return ratings
    marks = zip(ratings, board["provisional"], strict=True)
    return [f"{rating}{'?' if marked else ' '}" for rating, marked in marks]


def _today(board: "pl.DataFrame", digits: int) -> list[tuple[Column, Iterable[str]]]:
    """What absence has made of ratings and uncertainties, if that shows."""
    found: list[tuple[Column, Iterable[str]]] = []
    for name, header, sign in (("rating", "rating now", ""), ("sigma", "± now", "± ")):
        now = fixed(board[f"{name}_now"], digits, sign)
        if board[f"{name}_now"].count() and now != fixed(board[name], digits, sign):
            found.append((Column(header, right=True, style="dim"), now))
    return found


def value_text(value: str | float | None) -> str:
    """The value of an attribute, as people write it.

    Example:
        >>> value_text("NO"), value_text(2005.0), value_text(1.5), value_text(None)
        ('NO', '2005', '1.5', '–')
    """
    from podium.ratings.leaderboards import as_number

    return NOTHING if value is None else str(as_number(value))


def rating_steps(shown: "pl.DataFrame", digits: int) -> tuple[list[str], list[str]]:
    """For each row, the rating before and after, and its change; neither of who was not rated."""
    steps = [
        (NOTHING, "unrated") if after is None else _step(before, after, digits)
        for before, after in zip(shown["rating_before"], shown["rating"], strict=True)
    ]
    if "provisional" in shown.columns and shown["provisional"].any():
        steps = [
            (f"{step}{'?' if marked else ' '}", change)
            for (step, change), marked in zip(steps, shown["provisional"], strict=True)
        ]
    return [each[0] for each in steps], [each[1] for each in steps]


def _step(before: float | None, after: float, digits: int) -> tuple[str, str]:
    first, last, change = step(before, after, digits)
    return f"{first} → {last}", change
