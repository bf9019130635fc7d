"""Answers of start.gg's GraphQL API: sets of an event, or its standings.

    {"data": {"event": {"name": "Singles", "sets": {"nodes": [{"id": 1, "winnerId": 7, "slots": …

A set that was played is a match with its identifier, at the time when it was completed: who won is
told by `winnerId`, else by the placement or the score of the slots. Sets that are not decided and
those with a disqualification are left out, and that is said. Where there are no sets, standings by
placement are a contest. A player alone is called by the gamer tag, if it is there, because names of
entrants have sponsors in front. Pages are files beside each other.

https://developer.start.gg/docs/intro
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from podium.errors import InputError, NoResultsError
from podium.results.formats import fields
from podium.results.formats.fields import Match, Part, Result, field
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


_HOLDERS = (
    "event",
    "events",
    "tournament",
    "league",
    "phase",
    "phases",
    "phaseGroup",
    "phaseGroups",
    "player",
)
"""In what of an answer sets and standings may be."""


class _Found(NamedTuple):
    event: dict[str, Any]
    """The nearest object around it that has a name."""
    nodes: list[Any]
    label: str
    """What messages call the file that it is in."""


def recognises(document: Any) -> bool:
    """Whether sets or standings are in its data; several pages may be a list."""
    pages = document if isinstance(document, list) else [document]
    return bool(pages) and all(map(_is_answer, pages))


def _is_answer(page: Any) -> bool:
    if not isinstance(page, dict) or not isinstance(page.get("data"), dict):
        return False
    kinds = ("sets", "standings")
    return any(True for kind in kinds for _ in _found(page["data"], kind, {}, 0))


def grouped(parts: list[Part]) -> list[list[Part]]:
    """Answers with sets, which are matches, and those with standings alone."""
    having = [part for part in parts if any(_in(part, "sets"))]
    others = [part for part in parts if part not in having]
    return [each for each in (having, others) if each]


def parse(parts: list[Part]) -> Table:
    """The matches of all answers, or the standings if they have no sets."""
    sets = [each for part in parts for each in _in(part, "sets")]
    if sets:
        return _matches(sets)
    return _standings([each for part in parts for each in _in(part, "standings")])


def _in(part: Part, kind: str) -> Iterator[_Found]:
    """Lists of nodes of a kind in all pages of a file, in whatever the query asked for."""
    pages = part.document if isinstance(part.document, list) else [part.document]
    for page in pages:
        for event, nodes in _found(page["data"], kind, {}, 0):
            yield _Found(event, nodes, part.label)


def _found(
    node: Any, kind: str, event: dict[str, Any], depth: int
) -> Iterator[tuple[dict[str, Any], list[Any]]]:
    if depth > 10:
        return
    if isinstance(node, list):
        for each in node:
            yield from _found(each, kind, event, depth + 1)
    if isinstance(node, dict):
        inner = node.get(kind)
        around = {"startAt": _start(event), **_said(node)} if "name" in node else event
        if isinstance(inner, dict) and isinstance(inner.get("nodes"), list):
            yield around, inner["nodes"]
        for key in _HOLDERS:
            yield from _found(node.get(key), kind, around, depth + 1)
        yield from _found(node.get("nodes"), kind, around, depth + 1)


def _said(node: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in node.items() if value is not None}


def _start(event: dict[str, Any]) -> Any:
    """When it starts, or else the tournament that it names."""
    tournament = event.get("tournament")
    if event.get("startAt") is None and isinstance(tournament, dict):
        return tournament.get("startAt")
    return event.get("startAt")


def _title(where: str, event: dict[str, Any]) -> str | None:
    tournament = event.get("tournament")
    names = [
        fields.text_or_none(where, each, "name")
        for each in (tournament if isinstance(tournament, dict) else {}, event)
    ]
    return ": ".join(name for name in names if name) or None


def _matches(found: list[_Found]) -> Table:
    matches: dict[str, Match] = {}
    places: list[str] = []
    waiting = disqualified = 0
    for (event, nodes, label), numbers in zip(found, _numbers(found), strict=True):
        title = _title(label, event)
        started = fields.time_or_none(label, {"startAt": _start(event)}, "startAt")
        for number, node in zip(numbers, nodes, strict=True):
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
                places.append(where)
                matches[key] = Match(
                    key,
                    started if time is None else time,
                    _name(where, slots[0]),
                    _name(where, slots[1]),
                    outcome,
                    scores[0],
                    scores[1],
                    title,
                    len(places) - 1,
                )
    if not matches:
        raise NoResultsError(f"{found[0].label}: no set is decided.")
    said = [
        *fields.left_out(waiting, "set", " not yet decided"),
        *fields.left_out(disqualified, "set", " with a disqualification"),
    ]
    return fields.matches_of(
        list(matches.values()), lambda _, n: places[n], "sets of start.gg", said, _CALLED
    )


def _numbers(found: list[_Found]) -> Iterator[range]:
    """Of all nodes, their numbers in their file."""
    counts: Counter[str] = Counter()
    for _, nodes, label in found:
        yield range(counts[label] + 1, counts[label] + 1 + len(nodes))
        counts[label] += len(nodes)


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
    alone = fields.object_or_empty(where, holder, "player")
    if not entrant and alone:
        tag: str = field(where, alone, "gamerTag", str)
        return tag
    members = entrant.get("participants")
    if isinstance(members, list) and len(members) == 1 and isinstance(members[0], dict):
        own = fields.text_or_none(where, members[0], "gamerTag")
        if own:
            return own
    name: str = field(where, entrant, "name", str)
    return name


def _standings(found: list[_Found]) -> Table:
    results, places = [], list[str]()
    for (event, nodes, label), numbers in zip(found, _numbers(found), strict=True):
        known = event.get("slug") if event.get("slug") is not None else event.get("id")
        contest = None if known is None else fields.identifier(label, {"id": known}, "id")
        started = fields.time_or_none(label, {"startAt": _start(event)}, "startAt")
        for number, node in zip(numbers, nodes, strict=True):
            where = f"{label}, standing {number}"
            rank = fields.whole_number(where, node, "placement", 1)
            places.append(where)
            results.append(
                Result(
                    contest,
                    started,
                    _name(where, node),
                    rank,
                    _title(label, event),
                    len(places) - 1,
                )
            )
    if not results:
        raise NoResultsError(f"{found[0].label}: there are no standings.")
    return fields.table_of(
        results,
        lambda _, n: places[n],
        "standings of start.gg",
        ["Placements are read, because there are no sets."],
        {"contest": "event.slug", "time": "startAt", "player": "entrant", "rank": "placement"},
    )
