"""Results of CTFtime, as its API gives them: all events of a year in one answer.

    {"2230": {"title": "Spring CTF", "time": 1710000000.0,
              "scores": [{"team_id": 4, "points": "2571.0000", "place": 1}, …]}, …}

An event is a contest, and its key the identifier. A player is a team, called by its number, which
is all that CTFtime says here: team 4 is at https://ctftime.org/team/4. Places decide, not points;
ranks are derived anew from their order. Who stands twice in an event counts at the better place,
who has place 0 organised it and does not count, and events without scores are passed over.

https://ctftime.org/api/
"""

from typing import Any

import polars as pl

from podium.errors import InputError, NoResultsError
from podium.results.formats.fields import field, text_or_none, unix_time
from podium.results.formats.selection import Table

_SCHEMA = {
    "contest": pl.String,
    "time": pl.Int64,
    "player": pl.String,
    "rank": pl.Int64,
    "name": pl.String,
    "number": pl.Int64,
}


def recognises(document: dict[str, Any]) -> bool:
    """Whether it holds events by their numbers."""
    numbered = all(key.isascii() and key.isdecimal() for key in document)
    return numbered and bool(document) and all(map(_is_event, document.values()))


def _is_event(value: Any) -> bool:
    return isinstance(value, dict) and {"title", "scores"} <= value.keys()


def parse(label: str, _stem: str, document: dict[str, Any], _rerank: bool) -> Table:
    """The results of all events of an answer."""
    results: list[tuple[Any, ...]] = []
    for identifier, event in document.items():
        results += _event(f"{label}, event {identifier}", identifier, event)
    if not results:
        raise NoResultsError(f"{label}: no event has scores.")
    frame = pl.DataFrame(results, _SCHEMA, orient="row").with_columns(
        pl.col("time").cast(pl.Datetime("us")),
        pl.col("rank").rank("min").over("contest").cast(pl.Int64),
    )
    contests, numbers = frame["contest"], frame["number"]
    return Table(
        frame.drop("number"),
        lambda row: f"{label}, event {contests[row]}, score {numbers[row]}",
    )


def _event(where: str, identifier: str, event: dict[str, Any]) -> list[tuple[Any, ...]]:
    scores = field(where, event, "scores", list)
    if not scores:
        return []
    moment = unix_time(where, event, "time")
    name = (text_or_none(where, event, "title") or "").strip() or None
    best: dict[str, tuple[int, int]] = {}
    for number, score in enumerate(scores, start=1):
        team, place = _placed(f"{where}, score {number}", score)
        if place > 0 and (team not in best or place < best[team][0]):
            best[team] = place, number
    return [
        (identifier, moment, team, place, name, number) for team, (place, number) in best.items()
    ]


def _placed(where: str, score: Any) -> tuple[str, int]:
    team = str(field(where, score, "team_id", int))
    place: int = field(where, score, "place", int)
    if not 0 <= place < 2**31:
        raise InputError(f"{where}: place {place} is not a whole number from 0 on.")
    return team, place
