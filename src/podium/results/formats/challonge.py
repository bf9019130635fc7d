"""Tournaments of Challonge, as its API answers (versions 1 and 2.1).

Matches, participants and the tournament may be one answer or several files beside each other. A
match that is complete is a match with its identifier, at the time when it was completed; the winner
decides, and of several sets those won are the score. Matches that are open or pending, and those
that were forfeited, are left out, and that is said. Participants without matches are standings by
their final ranks.

https://api.challonge.com/v1/documents and https://challonge.apidog.io
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from podium.errors import InputError, NoResultsError
from podium.results.formats import fields
from podium.results.formats.fields import Match, Part, Result
from podium.results.understanding.report import Table

_KINDS = ("tournament", "participant", "match")
_SET = re.compile(r"(-?\d{1,9})\s*-\s*(-?\d{1,9})")
_MATCH_TIMES = ("completed_at", "started_at", "underway_at", "updated_at")
_TOURNAMENT_TIMES = ("started_at", "completed_at", "start_at", "starts_at", "created_at")
_CALLED = {
    "contest": "match.id",
    "time": "completed_at",
    "player_a": "participant.name",
    "player_b": "participant.name",
    "outcome": "winner_id",
    "score_a": "scores_csv",
    "score_b": "scores_csv",
    "name": "tournament.name",
}


class _Record(NamedTuple):
    where: str
    number: int
    values: dict[str, Any]


def recognises(document: Any) -> bool:
    """Whether it holds a tournament, participants or matches."""
    first = document[0] if isinstance(document, list) and document else document
    if not isinstance(first, dict):
        return False
    if _flat_kind(first) is not None:
        return True
    if len(first) == 1 and isinstance(first.get(key := next(iter(first))), dict) and key in _KINDS:
        return "id" in first[key]
    data = first.get("data")
    entry = data[0] if isinstance(data, list) and data else data
    return (
        isinstance(entry, dict)
        and str(entry.get("type")).lower() in _KINDS
        and isinstance(entry.get("attributes"), dict)
    )


def grouped(parts: list[Part]) -> list[list[Part]]:
    """The files of every tournament, as far as they name it."""
    homes = [_tournaments(part) for part in parts]
    if len(set().union(*homes)) < 2 or any(len(each) != 1 for each in homes):
        return [parts]
    groups: dict[str, list[Part]] = {}
    for part, home in zip(parts, homes, strict=True):
        groups.setdefault(next(iter(home)), []).append(part)
    return list(groups.values())


def _tournaments(part: Part) -> set[str]:
    """By their identifiers, those that a file is about."""
    records = list(_records(part.label, part.document, 0))
    own = {str(values.get("id")) for kind, values in records if kind == "tournament"}
    return own or {
        str(values["tournament_id"])
        for _, values in records
        if values.get("tournament_id") is not None
    }


def parse(parts: list[Part]) -> Table:
    """The matches of a tournament, or its final ranks if there are none."""
    label = parts[0].label
    records: dict[str, list[_Record]] = {kind: [] for kind in _KINDS}
    for part in parts:
        for kind, values in _records(part.label, part.document, 0):
            number = len(records[kind]) + 1
            records[kind].append(_Record(f"{part.label}, {kind} {number}", number, values))
    about = records["tournament"][0].values if records["tournament"] else {}
    if len({str(each.values.get("id")) for each in records["tournament"]}) > 1:
        raise InputError(f"{label}: holds several tournaments; keep each in a folder of its own.")
    when = fields.time_or_none(label, about, *_TOURNAMENT_TIMES)
    if records["match"]:
        return _matches(label, records["match"], _names(records["participant"]), about, when)
    return _standings(label, records["participant"], about, when)


def _records(where: str, node: Any, depth: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Tournaments, participants and matches, wherever the two versions have them."""
    if depth > 6:
        return
    if isinstance(node, list):
        for each in node:
            yield from _records(where, each, depth + 1)
    if not isinstance(node, dict):
        return
    kind, attributes = str(node.get("type")).lower(), node.get("attributes")
    if kind in _KINDS and isinstance(attributes, dict):
        times = attributes.get("timestamps")
        yield (
            kind,
            {
                **(times if isinstance(times, dict) else {}),
                **attributes,
                "id": node.get("id"),
                "relationships": node.get("relationships"),
            },
        )
        return
    flat = _flat_kind(node)
    if flat is not None:
        yield flat, node
        return
    for key in _KINDS:
        if isinstance(node.get(key), dict):
            yield key, node[key]
            yield from _records(where, node[key].get("participants"), depth + 1)
            yield from _records(where, node[key].get("matches"), depth + 1)
    for key in ("data", "included"):
        yield from _records(where, node.get(key), depth + 1)


def _flat_kind(node: dict[str, Any]) -> str | None:
    """What it is if its values stand without a name around them, as some programs save them."""
    if {"player1_id", "player2_id", "winner_id", "state"} <= node.keys():
        return "match"
    return "participant" if {"tournament_id", "final_rank", "name"} <= node.keys() else None


def _names(participants: list[_Record]) -> dict[str, str]:
    """What participants are called, by their identifiers, also those in groups."""
    names = {}
    for where, _, values in participants:
        name = _name(where, values)
        names[fields.identifier(where, values, "id")] = name
        groups = values.get("group_player_ids")
        for key in groups if isinstance(groups, list) else ():
            names[str(key)] = name
    return names


def _name(where: str, values: dict[str, Any]) -> str:
    for key in ("display_name", "name", "username", "challonge_username"):
        name = fields.text_or_none(where, values, key)
        if name:
            return name
    raise InputError(f"{where}: name is missing.")


def _matches(
    label: str,
    records: list[_Record],
    names: dict[str, str],
    about: dict[str, Any],
    when: int | None,
) -> Table:
    title = fields.text_or_none(label, about, "name")
    matches, waiting, forfeited, alone = [], 0, 0, 0
    for where, number, values in records:
        if values.get("state") != "complete":
            waiting += 1
            continue
        if values.get("forfeited") is True:
            forfeited += 1
            continue
        if values.get("player1_id") is not None and values.get("player2_id") is None:
            alone += 1
            continue
        players = _players(where, values)
        sets = _sets(where, values)
        scores = sets[0] if len(sets) == 1 else None
        if len(sets) > 1:
            scores = (float(sum(a > b for a, b in sets)), float(sum(a < b for a, b in sets)))
        time = fields.time_or_none(where, values, *_MATCH_TIMES)
        matches.append(
            Match(
                fields.identifier(where, values, "id"),
                when if time is None else time,
                names.get(players[0], players[0]),
                names.get(players[1], players[1]),
                _outcome(where, values, players),
                scores and scores[0],
                scores and scores[1],
                title,
                number,
            )
        )
    if not matches:
        raise NoResultsError(f"{label}: no match is complete.")
    said = [
        *fields.left_out(waiting, "match", " not yet played"),
        *fields.left_out(forfeited, "match", " won by forfeit"),
        *fields.left_out(alone, "match", " of one player"),
    ]
    if not names:
        said.append("Players go by their numbers, because the participants are not beside it.")
    else:
        said.append("Matches are read, not the final ranks.")
    numbers = {match.contest: match.number for match in matches}
    return fields.matches_of(
        matches,
        lambda contest, _: f"{label}, match {numbers[contest]}",
        "matches of a Challonge tournament",
        said,
        _CALLED if names else {**_CALLED, "player_a": "player1_id", "player_b": "player2_id"},
    )


def _players(where: str, values: dict[str, Any]) -> list[str]:
    """The two by their identifiers, wherever the version of the API has them."""
    if values.get("player1_id") is not None:
        return [fields.identifier(where, values, f"player{n}_id") for n in (1, 2)]
    related = values.get("relationships")
    if isinstance(related, dict) and isinstance(related.get("player1"), dict):
        both = [fields.object_or_empty(where, related, f"player{n}") for n in (1, 2)]
        return [
            fields.identifier(where, fields.object_or_empty(where, each, "data"), "id")
            for each in both
        ]
    points = values.get("points_by_participant")
    if isinstance(points, list) and len(points) == 2:
        return [fields.identifier(where, each, "participant_id") for each in points]
    raise InputError(f"{where}: does not say who played.")


def _sets(where: str, values: dict[str, Any]) -> list[tuple[float, float]]:
    text = fields.text_or_none(where, values, "scores_csv") or fields.text_or_none(
        where, values, "scores"
    )
    return [(float(a), float(b)) for a, b in _SET.findall(text or "")]


def _outcome(where: str, values: dict[str, Any], players: list[str]) -> float:
    if values.get("winner_id") is None:
        return 0.5
    winner = fields.identifier(where, values, "winner_id")
    if winner not in players:
        raise InputError(f"{where}: winner_id {winner[:100]} is neither of the players.")
    return 1.0 if winner == players[0] else 0.0


def _standings(
    label: str, records: list[_Record], about: dict[str, Any], when: int | None
) -> Table:
    known = fields.identifier(label, about, "id") if about.get("id") is not None else None
    title = fields.text_or_none(label, about, "name")
    results = [
        Result(
            known,
            when,
            _name(where, values),
            fields.whole_number(where, values, "final_rank", 1),
            title,
            number,
        )
        for where, number, values in records
        if values.get("final_rank") is not None
    ]
    if not results:
        raise NoResultsError(f"{label}: holds neither matches nor final ranks.")
    said = ["Final ranks are read, because there are no matches."]
    said += fields.left_out(len(records) - len(results), "participant", " without a final rank")
    return fields.table_of(
        results,
        lambda _, number: f"{label}, participant {number}",
        "final ranks of a Challonge tournament",
        said,
        {
            "contest": "tournament.id",
            "time": "started_at",
            "player": "participant.name",
            "rank": "final_rank",
            "name": "tournament.name",
        },
    )
