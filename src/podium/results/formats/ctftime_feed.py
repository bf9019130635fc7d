"""The scoreboard that organisers of a CTF hand to CTFtime.

    {"tasks": ["web 100"], "standings": [{"pos": 1, "team": "owls", "score": 4700}, …]}

A team is a player. Without `pos` the order is that of `score`, the highest first. The feed names
neither the event nor its time.

https://ctftime.org/json-scoreboard-feed
"""

from typing import Any

from podium.errors import InputError, NoResultsError
from podium.results.formats import fields
from podium.results.formats.fields import Result, field
from podium.results.understanding.report import Table

_KEYS = {"pos", "team", "score", "taskStats", "lastAccept"}
_CALLED = {
    "player": "team",
    "rank": "pos",
}


def recognises(document: Any) -> bool:
    """Whether it has standings of teams."""
    if isinstance(document, list):
        known = all(isinstance(row, dict) and row.keys() <= _KEYS for row in document)
        return known and bool(document) and all("team" in row for row in document)
    standings = document.get("standings") if isinstance(document, dict) else None
    if not isinstance(standings, list) or "time_seconds" in document:
        return False
    return all(isinstance(row, dict) and "team" in row for row in standings)


def parse(label: str, _stem: str, document: Any, _rerank: bool) -> Table:
    """The standings of a feed, which may be the list alone."""
    rows = document if isinstance(document, list) else document["standings"]
    if not rows:
        raise NoResultsError(f"{label}: there are no standings.")
    placed = [row.get("pos") is not None for row in rows]
    if any(placed) and not all(placed):
        raise InputError(f"{label}, standing {placed.index(False) + 1}: pos is missing.")
    results = []
    for number, row in enumerate(rows, start=1):
        where = f"{label}, standing {number}"
        score = fields.number_or_none(where, row, "score")
        if not placed[0] and score is None:
            raise InputError(f"{where}: has neither pos nor score.")
        rank = fields.whole_number(where, row, "pos", 1) if placed[0] else 1
        team = field(where, row, "team", str)
        results.append(Result(None, None, team, rank, None, number, score=score))
    if not placed[0]:
        order = {
            score: place
            for place, score in enumerate(sorted({-(r.score or 0.0) for r in results}), 1)
        }
        results = [each._replace(rank=order[-(each.score or 0.0)]) for each in results]
    return fields.table_of(
        results,
        lambda _, number: f"{label}, standing {number}",
        "a scoreboard feed of CTFtime",
        (),
        _CALLED,
    )
