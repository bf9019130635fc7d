"""Answers of start.gg's GraphQL API: sets of an event, or its standings.

    {"data": {"event": {"name": "Singles", "sets": {"nodes": [{"id": 1, "winnerId": 7, "slots": …

A set that was played is a match with its identifier, at the time when it was completed: who won is
told by `winnerId`, else by the placement or the score of the slots. Sets that are not decided and
those with a disqualification are left out, and that is said. Where there are no sets, standings by
placement are a contest. A player alone is called by the gamer tag, if it is there, because names of
entrants have sponsors in front. Pages are files beside each other.

https://developer.start.gg/docs/intro
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from podium.errors import InputError, NoResultsError
from podium.results.formats import fields
from podium.results.formats.fields import Match, Result, field
from podium.results.understanding.report import Table

_CALLED = {
    "contest": "set.id",
    "time": "completedAt",
    "player_a": "slots[0].entrant",
    "player_b": "slots[1].entrant",
    "outcome": "winnerId",
    "score_a": "slots[0].score",
    "score_b": "slots[1].score",
    "name": "event.name",
}


class _Found(NamedTuple):
    event: dict[str, Any]
    """The nearest object around it that has a name."""
    nodes: list[Any]


def recognises(document: Any) -> bool:
    """Whether sets or standings are in its data; several pages may be a list."""
    pages = document if isinstance(document, list) else [document]
    return bool(pages) and all(map(_is_answer, pages))


def _is_answer(page: Any) -> bool:
    if not isinstance(page, dict) or not isinstance(page.get("data"), dict):
        return False
    return any(any(_found(page["data"], kind, {}, 0)) for kind in ("sets", "standings"))


def parse(label: str, _stem: str, document: Any, _rerank: bool) -> Table:
    """The matches of an answer, or the standings if it has no sets."""
    pages = document if isinstance(document, list) else [document]
    data = [page["data"] for page in pages]
    sets = [each for page in data for each in _found(page, "sets", {}, 0)]
    if sets:
        return _matches(label, sets)
    found = [each for page in data for each in _found(page, "standings", {}, 0)]
    return _standings(label, found)


def _found(node: Any, kind: str, event: dict[str, Any], depth: int) -> Iterator[_Found]:
    """Lists of nodes of a kind, in whatever the query asked for."""
    if depth > 8:
        return
    if isinstance(node, list):
        for each in node:
            yield from _found(each, kind, event, depth + 1)
    if isinstance(node, dict):
        inner = node.get(kind)
        around = node if "name" in node else event
        if isinstance(inner, dict) and isinstance(inner.get("nodes"), list):
            yield _Found(around, inner["nodes"])
        for key in ("event", "events", "tournament", "phase", "phases", "phaseGroup", "player"):
            yield from _found(node.get(key), kind, around, depth + 1)
        yield from _found(node.get("nodes"), kind, around, depth + 1)


def _title(where: str, event: dict[str, Any]) -> str | None:
    tournament = event.get("tournament")
    names = [
        fields.text_or_none(where, each, "name")
        for each in (tournament if isinstance(tournament, dict) else {}, event)
    ]
    return ": ".join(name for name in names if name) or None


def _matches(label: str, found: list[_Found]) -> Table:
    matches: dict[str, Match] = {}
    number = waiting = disqualified = 0
    for event, nodes in found:
        title = _title(label, event)
        started = fields.time_or_none(label, event, "startAt")
        for node in nodes:
            number += 1
            where = f"{label}, set {number}"
            slots = field(where, node, "slots", list)
            if len(slots) != 2:
                raise InputError(f"{where}: has {len(slots)} slots, but a match has two.")
            scores = [_score(where, slot) for slot in slots]
            outcome = _outcome(where, node, slots, scores)
            if outcome is None:
                waiting += 1
            elif node.get("displayScore") == "DQ" or any(s is not None and s < 0 for s in scores):
                disqualified += 1
            else:
                time = fields.time_or_none(where, node, "completedAt", "startedAt", "updatedAt")
                key = fields.identifier(where, node, "id")
                matches[key] = Match(
                    key,
                    started if time is None else time,
                    _name(where, slots[0]),
                    _name(where, slots[1]),
                    outcome,
                    scores[0],
                    scores[1],
                    title,
                    number,
                )
    if not matches:
        raise NoResultsError(f"{label}: no set is decided.")
    said = [
        *fields.left_out(waiting, "set", " not yet decided"),
        *fields.left_out(disqualified, "set", " with a disqualification"),
    ]
    return fields.matches_of(
        list(matches.values()), lambda _, n: f"{label}, set {n}", "sets of start.gg", said, _CALLED
    )


def _score(where: str, slot: Any) -> float | None:
    standing = fields.object_or_empty(where, slot, "standing")
    stats = fields.object_or_empty(where, standing, "stats")
    return fields.number_or_none(where, fields.object_or_empty(where, stats, "score"), "value")


def _outcome(
    where: str, node: dict[str, Any], slots: list[Any], scores: list[float | None]
) -> float | None:
    """1 if the first slot won, 0 if the second did, None if that is open."""
    entrants = [fields.object_or_empty(where, slot, "entrant") for slot in slots]
    if not all(entrants):
        return None
    if node.get("winnerId") is not None:
        winner = fields.identifier(where, node, "winnerId")
        ids = [str(entrant.get("id")) for entrant in entrants]
        if winner not in ids:
            raise InputError(f"{where}: winnerId {winner[:100]} is neither of the entrants.")
        return 1.0 if winner == ids[0] else 0.0
    if "winnerId" in node or node.get("state") not in (None, 3):
        return None
    standings = [fields.object_or_empty(where, slot, "standing") for slot in slots]
    places = [standing.get("placement") for standing in standings]
    if sorted(places, key=str) == [1, 2]:
        return 1.0 if places[0] == 1 else 0.0
    first, second = scores
    if first is None or second is None or first == second:
        return None
    return 1.0 if first > second else 0.0


def _name(where: str, holder: Any) -> str:
    """The gamer tag of one player, or what the entrant is called."""
    entrant = fields.object_or_empty(where, holder, "entrant")
    members = entrant.get("participants")
    if isinstance(members, list) and len(members) == 1 and isinstance(members[0], dict):
        tag = fields.text_or_none(where, members[0], "gamerTag")
        if tag:
            return tag
    name: str = field(where, entrant, "name", str)
    return name


def _standings(label: str, found: list[_Found]) -> Table:
    results, number = [], 0
    for event, nodes in found:
        known = event.get("slug") if event.get("slug") is not None else event.get("id")
        contest = None if known is None else fields.identifier(label, {"id": known}, "id")
        started = fields.time_or_none(label, event, "startAt")
        for node in nodes:
            number += 1
            where = f"{label}, standing {number}"
            rank = fields.whole_number(where, node, "placement", 1)
            results.append(
                Result(contest, started, _name(where, node), rank, _title(label, event), number)
            )
    if not results:
        raise NoResultsError(f"{label}: there are no standings.")
    return fields.table_of(
        results,
        lambda _, n: f"{label}, standing {n}",
        "standings of start.gg",
        ["Placements are read, because there are no sets."],
        {"contest": "event.slug", "time": "startAt", "player": "entrant", "rank": "placement"},
    )
