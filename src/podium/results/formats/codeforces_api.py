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

import polars as pl

from podium.errors import InputError, NoResultsError
from podium.results.formats.fields import field, text_or_none, unix_time
from podium.results.formats.selection import Table


class _Result(NamedTuple):
    contest: str
    time: int
    player: str
    rank: int
    team: str | None
    name: str | None
    number: int
    """Where it stands in the answer, from 1 on."""


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


_SCHEMA = {
    "contest": pl.String,
    "time": pl.Int64,
    "player": pl.String,
    "rank": pl.Int64,
    "team": pl.String,
    "name": pl.String,
    "number": pl.Int64,
}


def recognises(document: dict[str, Any]) -> bool:
    """Whether it is an answer, good or failed."""
    return "status" in document and ("result" in document or "comment" in document)


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
    return _table(label, results, what)


def _standings(label: str, result: dict[str, Any]) -> list[_Result]:
    contest = field(label, result, "contest", dict)
    identifier = str(field(label, contest, "id", int))
    start = unix_time(label, contest, "startTimeSeconds")
    name = text_or_none(label, contest, "name")
    parties = _official_parties(label, field(label, result, "rows", list))
    if not parties:
        raise NoResultsError(f"{label}: no row is of an official contestant (type CONTESTANT).")
    team_names = Counter(party.team_name for party in parties)
    return [
        _Result(identifier, start, handle, party.rank, party.team(team_names), name, party.number)
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
        team_name = text_or_none(where, party, "teamName")
        handles = [field(where, member, "handle", str) for member in members]
        parties.append(_Party(handles, team_name, _rank(where, row), number))
    return parties


def _rating_changes(label: str, changes: list[Any]) -> list[_Result]:
    best: dict[tuple[str, str], _Result] = {}
    for number, change in enumerate(changes, start=1):
        where = f"{label}, rating change {number}"
        result = _Result(
            contest=str(field(where, change, "contestId", int)),
            time=unix_time(where, change, "ratingUpdateTimeSeconds"),
            player=field(where, change, "handle", str),
            rank=_rank(where, change),
            team=None,
            name=text_or_none(where, change, "contestName"),
            number=number,
        )
        who = result.contest, result.player
        if who not in best or result.rank < best[who].rank:
            best[who] = result
    if not best:
        raise NoResultsError(f"{label}: there are no rating changes; the contest may be unrated.")
    return list(best.values())


def _rank(where: str, record: Any) -> int:
    rank: int = field(where, record, "rank", int)
    if not 1 <= rank < 2**31:
        raise InputError(f"{where}: rank {rank} is not a whole number from 1 on.")
    return rank


def _table(label: str, results: list[_Result], what: str) -> Table:
    frame = pl.DataFrame(results, _SCHEMA, orient="row").with_columns(
        pl.col("time").min().over("contest").cast(pl.Datetime("us")),
        pl.col("rank").rank("min").over("contest").cast(pl.Int64),
    )
    numbers = frame["number"]
    return Table(frame.drop("number"), lambda row: f"{label}, {what} {numbers[row]}")
