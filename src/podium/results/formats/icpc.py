"""The scoreboard of the ICPC Contest API, which DOMjudge and other systems offer.

    {"time": …, "state": {…}, "rows": [{"rank": 1, "team_id": "7", "score": {"num_solved": 8}}, …]}

With `teams` beside it (in the folder or the archive), players are called by the names of their
teams, and with `contest` or `contests` the contest has its identifier, name and start; otherwise
teams go by their numbers, and the time is when the contest started, as the scoreboard says. Ties
are as the ranks have them. Teams without a rank, and those that are hidden or in a hidden group, do
not count. The other files of the API say nothing of the standings. Older systems give the rows
alone.

https://ccs-specs.icpc.io/2023-06/contest_api
"""

from collections import Counter
from typing import Any, NamedTuple

from podium.errors import InputError, NoResultsError
from podium.results.formats import fields
from podium.results.formats.fields import Result
from podium.results.understanding.report import Table

ENDPOINTS = (
    "access",
    "accounts",
    "awards",
    "balloons",
    "clarifications",
    "commentary",
    "contest",
    "contests",
    "groups",
    "judgement-types",
    "judgements",
    "judgings",
    "languages",
    "organizations",
    "persons",
    "problems",
    "runs",
    "scoreboard",
    "state",
    "status",
    "submissions",
    "team-members",
    "teams",
)
"""What the files of the API are called."""
_LISTS = ("teams", "organizations", "groups", "contests")
_TIMES = {
    "contest.start_time": "start_time",
    "state.started": "started",
    "time": "time",
}


class Part(NamedTuple):
    """A file of a contest."""

    label: str
    stem: str
    kind: str
    document: Any


def kind_of(stem: str, document: Any) -> str | None:
    """What a file of the API holds, or None if it is none."""
    if _is_board(document):
        return "scoreboard"
    if isinstance(document, dict):
        return "contest" if {"id", "name", "duration"} <= document.keys() else None
    name = stem.lower()
    is_list = isinstance(document, list) and all(
        isinstance(each, dict) and {"id", "name"} <= each.keys() for each in document
    )
    return name if is_list and name in _LISTS else None


def is_endpoint(stem: str) -> bool:
    """Whether a file is called as one of the API, which need not be needed here."""
    return stem.lower() in ENDPOINTS


def _is_board(document: Any) -> bool:
    rows = document.get("rows") if isinstance(document, dict) else document
    if not isinstance(rows, list) or (rows is document and not rows):
        return False
    return all(
        isinstance(row, dict)
        and ("team_id" in row or "team" in row)
        and "score" in row
        and (rows is not document or {"rank", "problems"} <= row.keys())
        for row in rows
    )


def parse(scoreboard: Part, beside: list[Part]) -> Table:
    """The standings of a scoreboard, with what the files beside it tell."""
    label, document = scoreboard.label, scoreboard.document
    if isinstance(document, list):
        document = {"rows": document}
    teams, groups = _by_id(beside, "teams"), _by_id(beside, "groups")
    contest = _contest(beside)
    state = fields.object_or_empty(label, document, "state")
    when, when_called = _start(label, contest, state, document)
    name = fields.text_or_none(label, contest, "formal_name") or fields.text_or_none(
        label, contest, "name"
    )
    known = fields.identifier(label, contest, "id") if contest else None
    results, keys, unranked, hidden = [], list[str](), 0, 0
    for number, row in enumerate(document["rows"], start=1):
        where = f"{label}, row {number}"
        key = fields.identifier(where, row, "team_id" if "team_id" in row else "team")
        team = teams.get(key, {})
        if is_hidden(team, groups):
            hidden += 1
        elif row.get("rank") is None:
            unranked += 1
        else:
            keys.append(key)
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
        told_apart(results, keys, teams, _by_id(beside, "organizations")),
        lambda _, number: f"{label}, row {number}",
        "a scoreboard of the ICPC Contest API",
        said,
        {
            "contest": "contest.id",
            "time": when_called,
            "player": "team.name" if teams else "team_id",
            "name": "contest.name",
            "score": "num_solved",
        },
    )


def _start(
    label: str, contest: dict[str, Any], state: dict[str, Any], document: dict[str, Any]
) -> tuple[int | None, str]:
    """When it started, as far as that is known, and what says so."""
    for holder, (called, key) in zip((contest, state, document), _TIMES.items(), strict=True):
        when = fields.time_or_none(label, holder, key)
        if when is not None:
            return when, called
    return None, "time"


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


def is_hidden(team: dict[str, Any], groups: dict[str, Any]) -> bool:
    """Whether a team, or a group that it is in, is hidden."""
    own = team.get("group_ids")
    in_hidden = any(
        groups.get(str(key), {}).get("hidden") is True
        for key in (own if isinstance(own, list) else ())
    )
    return team.get("hidden") is True or in_hidden


def told_apart(
    results: list[Result],
    keys: list[str],
    teams: dict[str, dict[str, Any]],
    organizations: dict[str, dict[str, Any]],
) -> list[Result]:
    """Teams of one name with their organisation, or else their number, behind it.

    `keys` are the numbers of the teams.
    """
    names = Counter(result.player for result in results)
    told = []
    for result, key in zip(results, keys, strict=True):
        if names[result.player] > 1:
            home = organizations.get(str(teams.get(key, {}).get("organization_id")), {})
            result = result._replace(player=f"{result.player} ({home.get('name') or key})")
        told.append(result)
    again = Counter(result.player for result in told)
    return [
        result._replace(player=f"{result.player} #{key}") if again[result.player] > 1 else result
        for result, key in zip(told, keys, strict=True)
    ]
