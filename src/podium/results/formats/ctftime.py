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

from podium.errors import NoResultsError
from podium.results.formats import fields
from podium.results.formats.fields import Result, field
from podium.results.understanding.report import Table

_CALLED = {
    "contest": "the number of the event",
    "player": "team_id",
    "rank": "place",
    "name": "title",
}


def recognises(document: Any) -> bool:
    """Whether it holds events by their numbers."""
    if not isinstance(document, dict):
        return False
    numbered = all(key.isascii() and key.isdecimal() for key in document)
    return numbered and bool(document) and all(map(_is_event, document.values()))


def _is_event(value: Any) -> bool:
    return isinstance(value, dict) and {"title", "scores"} <= value.keys()


def parse(label: str, _stem: str, document: dict[str, Any], _rerank: bool) -> Table:
    """The results of all events of an answer."""
    results: list[Result] = []
    for identifier, event in document.items():
        results += _event(f"{label}, event {identifier}", identifier, event)
    if not results:
        raise NoResultsError(f"{label}: no event has scores.")
    return fields.table_of(
        results,
        lambda event, number: f"{label}, event {event}, score {number}",
        "results of CTFtime",
        (),
        _CALLED,
    )


def _event(where: str, identifier: str, event: dict[str, Any]) -> list[Result]:
    scores = field(where, event, "scores", list)
    if not scores:
        return []
    moment = fields.unix_time(where, event, "time")
    name = (fields.text_or_none(where, event, "title") or "").strip() or None
    results = []
    for number, score in enumerate(scores, start=1):
        team = str(field(f"{where}, score {number}", score, "team_id", int))
        place = fields.whole_number(f"{where}, score {number}", score, "place", 0)
        results.append(Result(identifier, moment, team, place, name, number))
    return fields.best_of_each(result for result in results if result.rank > 0)
