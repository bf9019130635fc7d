"""The scoreboard of the ICPC Contest API, which DOMjudge and other systems offer.

    {"time": …, "state": {…}, "rows": [{"rank": 1, "team_id": "7", "score": {"num_solved": 8}}, …]}

With `teams` beside it (in the folder or the archive), players are called by the names of their
teams, and with `contest` or `contests` the contest has its identifier, name and start; otherwise
teams go by their numbers, and the time is when the contest started, as the scoreboard says. Ties
are as the ranks have them. Teams without a rank, and those that are hidden, do not count.

https://ccs-specs.icpc.io/2023-06/contest_api
"""

from collections import Counter
from typing import Any, NamedTuple

from podium.errors import InputError, NoResultsError
from podium.results.formats import fields
from podium.results.formats.fields import Result
from podium.results.understanding.report import Table

_CALLED = {
    "contest": "contest.id",
    "time": "contest.start_time",
    "player": "team.name",
    "name": "contest.name",
    "score": "num_solved",
}


class Part(NamedTuple):
    """A file of a contest."""

    label: str
    stem: str
    kind: str
    document: Any


def kind_of(stem: str, document: Any) -> str | None:
    """What a file of the API holds, or None if it is none."""
    if isinstance(document, dict):
        rows = document.get("rows")
        if isinstance(rows, list) and all(
            isinstance(row, dict) and ("team_id" in row or "team" in row) and "score" in row
            for row in rows
        ):
            return "scoreboard"
        return "contest" if {"id", "name", "duration"} <= document.keys() else None
    name = stem.lower()
    is_list = isinstance(document, list) and all(
        isinstance(each, dict) and {"id", "name"} <= each.keys() for each in document
    )
    return name if is_list and name in ("teams", "organizations", "groups", "contests") else None


def parse(scoreboard: Part, beside: list[Part]) -> Table:
    """The standings of a scoreboard, with what the files beside it tell."""
    label, document = scoreboard.label, scoreboard.document
    teams = _by_id(beside, "teams")
    contest = _contest(beside)
    state = fields.object_or_empty(label, document, "state")
    when = fields.time_or_none(label, contest, "start_time")
    if when is None:
        when = fields.time_or_none(label, state, "started")
    if when is None:
        when = fields.time_or_none(label, document, "time")
    name = fields.text_or_none(label, contest, "formal_name") or fields.text_or_none(
        label, contest, "name"
    )
    known = fields.identifier(label, contest, "id") if contest else None
    results, unranked, hidden = [], 0, 0
    for number, row in enumerate(document["rows"], start=1):
        where = f"{label}, row {number}"
        key = fields.identifier(where, row, "team_id" if "team_id" in row else "team")
        team = teams.get(key, {})
        if team.get("hidden") is True:
            hidden += 1
        elif row.get("rank") is None:
            unranked += 1
        else:
            score = fields.object_or_empty(where, row, "score")
            points = "num_solved" if score.get("num_solved") is not None else "score"
            results.append(
                Result(
                    known,
                    when,
                    _name(where, team) or key,
                    fields.whole_number(where, row, "rank", 1),
                    name,
                    number,
                    score=fields.number_or_none(where, score, points),
                )
            )
    if not results:
        raise NoResultsError(f"{label}: no team has a rank.")
    said = [
        *fields.left_out(unranked, "team", " without a rank"),
        *fields.left_out(hidden, "hidden team"),
    ]
    if not teams:
        said.append("Teams go by their numbers, because the file of teams is not beside it.")
    if state and state.get("ended") is None:
        said.append("The contest had not ended when the scoreboard was saved.")
    elif state.get("frozen") is not None and state.get("thawed") is None:
        said.append("The scoreboard is frozen: it lacks what happened last.")
    return fields.table_of(
        _told_apart(results, document["rows"], teams, _by_id(beside, "organizations")),
        lambda _, number: f"{label}, row {number}",
        "a scoreboard of the ICPC Contest API",
        said,
        _CALLED,
    )


def _by_id(beside: list[Part], kind: str) -> dict[str, dict[str, Any]]:
    return {
        fields.identifier(f"{part.label}, entry {number}", each, "id"): each
        for part in beside
        if part.kind == kind
        for number, each in enumerate(part.document, start=1)
    }


def _contest(beside: list[Part]) -> dict[str, Any]:
    found = [part.document for part in beside if part.kind == "contest"]
    found += [each for part in beside if part.kind == "contests" for each in part.document]
    if len(found) > 1:
        raise InputError(
            f"{beside[0].label}: stands beside {len(found)} contests; keep the files of each in a "
            f"folder of its own."
        )
    return found[0] if found else {}


def _name(where: str, team: dict[str, Any]) -> str | None:
    return fields.text_or_none(where, team, "display_name") or fields.text_or_none(
        where, team, "name"
    )


def _told_apart(
    results: list[Result],
    rows: list[Any],
    teams: dict[str, dict[str, Any]],
    organizations: dict[str, dict[str, Any]],
) -> list[Result]:
    """Teams of one name with their organisation, or else their number, behind it."""
    names = Counter(result.player for result in results)
    told = []
    for result in results:
        if names[result.player] > 1:
            row = rows[result.number - 1]
            key = str(row.get("team_id", row.get("team")))
            home = organizations.get(str(teams.get(key, {}).get("organization_id")), {})
            result = result._replace(player=f"{result.player} ({home.get('name') or key})")
        told.append(result)
    return told
