"""A small league, week by week."""

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
