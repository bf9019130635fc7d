"""A small league, week by week."""

import re
from collections.abc import Sequence

WEEKS = {
    "week-1": ("ann", "bob", "cat", "dan", "eve"),
    "week-2": ("bob", "ann", "dan", "cat"),
    "week-3": ("cat", "ann", "bob", "eve", "dan"),
    "week-4": ("ann", "cat", "bob", "dan", "fay"),
}
"""Who finished where in a small league, best first."""


def standings(contest: str, time: str, players: Sequence[str]) -> str:
    """A contest as a CSV file."""
    rows = [f"{contest},{time},{name},{rank}" for rank, name in enumerate(players, start=1)]
    return "\n".join(("contest,time,player,rank", *rows, ""))


_OF_A_LEAGUE = ("rating now", "± now", "best")


def of_any_source(board: str) -> list[list[str]]:
    """The cells of a leaderboard that was printed, but for what a league adds.

    Example:
        >>> of_any_source("place  player  best  contests\\n    1  ann     1500         2\\n")
        [['place', 'player', 'contests'], ['1', 'ann', '2']]
    """
    rows = [re.split(r" {2,}", line.strip()) for line in board.splitlines()]
    kept = [place for place, head in enumerate(rows[0]) if head not in _OF_A_LEAGUE]
    return [[row[place] for place in kept] for row in rows]
