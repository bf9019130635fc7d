"""Answers of the Codeforces API, saved as they came.

`contest.standings`: the official contestants count; those in practice, virtual or out of
competition do not. All members of a team have its rank. The time is that of the start.
`contest.ratingChanges`: everyone counts. The time is that of the first change, because in some
old contests one change came hours after the others. In a few of them a handle stands twice; the
better rank counts.
Ranks are derived anew from their order, since those who are left out leave gaps.

https://codeforces.com/apiHelp/methods
"""

from collections import Counter
from typing import Any, NamedTuple

from podium.errors import InputError, NoResultsError
from podium.results.formats import fields
from podium.results.formats.fields import Result, field
from podium.results.understanding.report import Table


class _Party(NamedTuple):
    handles: list[str]
    team_name: str | None
    rank: int
    number: int

    def team(self, team_names: Counter[str | None]) -> str | None:
        """What tells this team from others; one player alone is none."""
        if len(self.handles) < 2:
            return None
        unique = self.team_name and team_names[self.team_name] == 1
        return self.team_name if unique else ", ".join(self.handles)


def recognises(document: Any) -> bool:
    """Whether it is an answer, good or failed."""
    if not isinstance(document, dict) or "status" not in document:
        return False
    return "result" in document or "comment" in document


def parse(label: str, _stem: str, document: dict[str, Any], _rerank: bool) -> Table:
    """The results of an answer."""
    if document["status"] != "OK":
        comment = document.get("comment", "without a comment")
        raise InputError(f"{label}: Codeforces answered {document['status']} ({comment}).")
    result = document.get("result")
    if isinstance(result, dict) and {"contest", "rows"} <= result.keys():
        results, what = _standings(label, result), "row"
    elif isinstance(result, list):
        results, what = _rating_changes(label, result), "rating change"
    else:
        raise InputError(
            f"{label}: its result is neither that of contest.standings (with 'contest' and 'rows') "
            f"nor that of contest.ratingChanges (a list)."
        )
    return fields.table_of(
        results, lambda _, number: f"{label}, {what} {number}", "an answer of the Codeforces API"
    )


def _standings(label: str, result: dict[str, Any]) -> list[Result]:
    contest = field(label, result, "contest", dict)
    identifier = str(field(label, contest, "id", int))
    start = fields.unix_time(label, contest, "startTimeSeconds")
    name = fields.text_or_none(label, contest, "name")
    parties = _official_parties(label, field(label, result, "rows", list))
    if not parties:
        raise NoResultsError(f"{label}: no row is of an official contestant (type CONTESTANT).")
    team_names = Counter(party.team_name for party in parties)
    return [
        Result(identifier, start, handle, party.rank, name, party.number, party.team(team_names))
        for party in parties
        for handle in party.handles
    ]


def _official_parties(label: str, rows: list[Any]) -> list[_Party]:
    parties = []
    for number, row in enumerate(rows, start=1):
        where = f"{label}, row {number}"
        party = field(where, row, "party", dict)
        if party.get("participantType") != "CONTESTANT":
            continue
        members = field(where, party, "members", list)
        team_name = fields.text_or_none(where, party, "teamName")
        handles = [field(where, member, "handle", str) for member in members]
        parties.append(
            _Party(handles, team_name, fields.whole_number(where, row, "rank", 1), number)
        )
    return parties


def _rating_changes(label: str, changes: list[Any]) -> list[Result]:
    results = []
    for number, change in enumerate(changes, start=1):
        where = f"{label}, rating change {number}"
        results.append(
            Result(
                contest=str(field(where, change, "contestId", int)),
                time=fields.unix_time(where, change, "ratingUpdateTimeSeconds"),
                player=field(where, change, "handle", str),
                rank=fields.whole_number(where, change, "rank", 1),
                name=fields.text_or_none(where, change, "contestName"),
                number=number,
            )
        )
    if not results:
        raise NoResultsError(f"{label}: there are no rating changes; the contest may be unrated.")
    return fields.best_of_each(results)
