"""The leaderboard, for people and for programs."""

from typing import TYPE_CHECKING, Any

from podium.cli.console import Column, print_table

if TYPE_CHECKING:
    import polars as pl

    from podium.systems.base import System

_COLUMNS = (
    Column("place", right=True, style="dim"),
    Column("player", style="bold"),
    Column("rating", right=True, style="bold cyan"),
    Column("mu", right=True),
    Column("± sigma", right=True, style="dim"),
    Column("contests", right=True),
    Column("last contest", right=True, style="dim"),
)


def decimals(system: "System") -> int:
    """How many digits behind the point its ratings need: none for 1500, two for 25."""
    return 0 if abs(system.newcomer()["mu"]) >= 200.0 else 2


def print_board(board: "pl.DataFrame", system: "System") -> None:
    """Print a frame of `podium.Rated.leaderboard`, rounded."""
    digits = decimals(system)
    shown = board.select(
        "place", "player", "rating", "mu", "sigma", "contests", board["last_time"].dt.date()
    )
    rows = [
        (
            str(place),
            player,
            f"{rating:.{digits}f}",
            f"{mu:.{digits}f}",
            "–" if sigma is None else f"± {sigma:.{digits}f}",
            str(contests),
            str(last_time),
        )
        for place, player, rating, mu, sigma, contests, last_time in shown.iter_rows()
    ]
    print_table(_COLUMNS, rows)


def board_document(board: "pl.DataFrame") -> list[dict[str, Any]]:
    """The same frame for JSON, not rounded."""
    return board.to_dicts()
