"""AtCoder: standings of a contest, and its results.

`/contests/NAME/standings/json` has StandingsData with Rank, UserScreenName and TotalResult;
those who submitted nothing do not count. `/contests/NAME/results/json` is a list with Place and
UserScreenName, and with the contest and its end if it says them. Ranks are derived anew from their
order.

https://atcoder.jp/contests/NAME/standings/json
"""

from typing import Any

from podium.errors import InputError, NoResultsError
from podium.results.formats import fields
from podium.results.formats.fields import Result, field
from podium.results.understanding.report import Table
from podium.wording import counted

_DOMAIN = ".contest.atcoder.jp"


def recognises(document: Any) -> bool:
    """Whether it is either of the two."""
    if isinstance(document, dict):
        return "StandingsData" in document
    return (
        isinstance(document, list)
        and bool(document)
        and all(
            isinstance(row, dict)
            and "Place" in row
            and ("UserScreenName" in row or "NewRating" in row)
            for row in document
        )
    )


def parse(label: str, _stem: str, document: Any, _rerank: bool) -> Table:
    """The standings or results of a contest."""
    if isinstance(document, list):
        return _results(label, document)
    rows, results, silent = field(label, document, "StandingsData", list), [], 0
    for number, row in enumerate(rows, start=1):
        where = f"{label}, row {number}"
        total = fields.object_or_empty(where, row, "TotalResult")
        if total.get("Count") == 0:
            silent += 1
            continue
        score = fields.number_or_none(where, total, "Score")
        results.append(
            Result(
                None,
                None,
                field(where, row, "UserScreenName", str),
                fields.whole_number(where, row, "Rank", 1),
                None,
                number,
                score=None if score is None else score / 100,
            )
        )
    if not results:
        raise NoResultsError(f"{label}: nobody has submitted anything.")
    said = fields.left_out(silent, "participant", " without a submission")
    said += _unrated(sum(rows[each.number - 1].get("IsRated") is False for each in results))
    return fields.table_of(
        results,
        lambda _, number: f"{label}, row {number}",
        "standings of AtCoder",
        said,
        {"player": "UserScreenName", "rank": "Rank", "score": "TotalResult.Score"},
    )


def _unrated(count: int) -> list[str]:
    """What is said of those whom the site does not rate."""
    count_too = "counts" if count == 1 else "count"
    who = counted(count, "participant")
    return [f"{who} whom AtCoder does not rate {count_too}, too."] if count else []


def _results(label: str, rows: list[Any]) -> Table:
    results, unrated = [], 0
    for number, row in enumerate(rows, start=1):
        where = f"{label}, result {number}"
        if "UserScreenName" not in row:
            raise InputError(
                f"{where}: names no user, as in the history of one; save the results of a contest."
            )
        unrated += row.get("IsRated") is False
        contest = fields.text_or_none(where, row, "ContestScreenName")
        results.append(
            Result(
                contest and contest.removesuffix(_DOMAIN),
                fields.time_or_none(where, row, "EndTime"),
                field(where, row, "UserScreenName", str),
                fields.whole_number(where, row, "Place", 1),
                fields.text_or_none(where, row, "ContestName"),
                number,
            )
        )
    return fields.table_of(
        results,
        lambda _, number: f"{label}, result {number}",
        "results of AtCoder",
        _unrated(unrated),
        {
            "contest": "ContestScreenName",
            "time": "EndTime",
            "player": "UserScreenName",
            "rank": "Place",
            "name": "ContestName",
        },
    )
