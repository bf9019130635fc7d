"""CTFd: its scoreboard as the API gives it, and an export of the whole event.

    {"success": true, "data": [{"pos": 1, "account_id": 4, "name": "owls", "score": 1200}, …]}

`/api/v1/scoreboard` and `/api/v1/scoreboard/top/N`: an account, a team or a user, is a player.
They name neither the event nor its time. An export (a .zip with ``db/*.json``) says both, by its
configuration; standings are computed as CTFd does: by points of solves and awards, then by the time
and the number of the last of them. Hidden and banned accounts do not count.

https://docs.ctfd.io/docs/api/getting-started and https://docs.ctfd.io/docs/exports/ctfd-exports
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from podium.errors import InputError, NoResultsError
from podium.results.formats import fields
from podium.results.formats.fields import Result, field
from podium.results.understanding.report import Table

_NEEDED = {"users", "challenges", "submissions"}
_CALLED = {
    "player": "name",
    "rank": "pos",
}


class _Total(NamedTuple):
    points: float
    last: int
    """The time of the last solve or award that counts …"""
    number: int
    """… and the greatest number of one."""


def recognises(document: Any) -> bool:
    """Whether it is an answer of the API with a scoreboard."""
    if not isinstance(document, dict) or "success" not in document:
        return False
    data = document.get("data")
    if isinstance(data, list):
        return all(isinstance(row, dict) and {"pos", "name"} <= row.keys() for row in data)
    return isinstance(data, dict) and all(
        key.isdecimal() and isinstance(row, dict) and "name" in row for key, row in data.items()
    )


def parse(label: str, _stem: str, document: dict[str, Any], _rerank: bool) -> Table:
    """The standings of a scoreboard."""
    data = document["data"]
    rows = list(data.items()) if isinstance(data, dict) else list(enumerate(data, start=1))
    results = []
    for number, (key, row) in enumerate(rows, start=1):
        where = f"{label}, row {number}"
        place = row if isinstance(data, list) else {"pos": int(key[:12])}
        rank = fields.whole_number(where, place, "pos", 1)
        player = field(where, row, "name", str)
        score = fields.number_or_none(where, row, "score")
        results.append(Result(None, None, player, rank, None, number, score=score))
    if not results:
        raise NoResultsError(f"{label}: the scoreboard has no rows.")
    return fields.table_of(
        results, lambda _, number: f"{label}, row {number}", "a scoreboard of CTFd", (), _CALLED
    )


def is_export(tables: Mapping[str, Any]) -> bool:
    """Whether files of these names hold what standings need."""
    return tables.keys() >= _NEEDED


def is_table(document: Any) -> bool:
    """Whether it could be a table of an export."""
    keys = document.keys() if isinstance(document, dict) else set()
    return keys == {"count", "results", "meta"} and isinstance(document["results"], list)


def parse_export(label: str, stem: str, tables: Mapping[str, dict[str, Any]]) -> Table:
    """The final standings of an export."""
    rows = {name: table["results"] for name, table in tables.items()}
    config = {
        row["key"]: row.get("value")
        for row in rows.get("config", ())
        if isinstance(row, dict) and isinstance(row.get("key"), str)
    }
    teams = config.get("user_mode") == "teams"
    totals = _totals(label, rows, "team_id" if teams else "user_id")
    kind = "teams" if teams else "users"
    accounts = _accounts(label, kind, rows.get(kind, []))
    ranked = sorted(
        (account for account in accounts if account in totals),
        key=lambda account: (-totals[account].points, *totals[account][1:]),
    )
    if not ranked:
        raise NoResultsError(f"{label}: nobody has solved anything.")
    name = config.get("ctf_name")
    contest = name.strip() if isinstance(name, str) and name.strip() else stem
    said = []
    try:
        start = fields.unix_time(label, {"start": int(str(config.get("start"))[:20])}, "start")
    except (ValueError, InputError):
        start = min(totals[account].last for account in ranked)
        said.append("The export names no start, so the time is that of the first last solve.")
    results = [
        Result(contest, start, accounts[account], rank, None, rank, score=totals[account].points)
        for rank, account in enumerate(ranked, start=1)
    ]
    hidden = len(rows.get(kind, [])) - len(accounts)
    said += fields.left_out(hidden, f"hidden or banned {kind[:-1]}")
    return fields.table_of(
        results, lambda _, number: f"{label}, place {number}", "an export of CTFd", said
    )


def _accounts(label: str, kind: str, rows: list[Any]) -> dict[int, str]:
    """Names by number, without those who are hidden or banned."""
    shown = {}
    for number, row in enumerate(rows, start=1):
        where = f"{label}, {kind} {number}"
        key = field(where, row, "id", int)
        if not (row.get("hidden") or row.get("banned")):
            shown[key] = field(where, row, "name", str)
    return shown


def _totals(label: str, rows: dict[str, list[Any]], account: str) -> dict[int, _Total]:
    """What every account has, and when it got there."""
    values = {}
    for number, row in enumerate(rows["challenges"], start=1):
        where = f"{label}, challenges {number}"
        values[field(where, row, "id", int)] = fields.number_or_none(where, row, "value") or 0.0
    totals: dict[int, _Total] = {}
    for name in ("submissions", "awards"):
        for number, row in enumerate(rows.get(name, []), start=1):
            where = f"{label}, {name} {number}"
            if name == "submissions":
                if fields.value_of(where, row, "type") != "correct":
                    continue
                points = values.get(field(where, row, "challenge_id", int), 0.0)
            else:
                points = fields.number_or_none(where, row, "value") or 0.0
            if not points or row.get(account) is None:
                continue
            who = field(where, row, account, int)
            when = fields.time_or_none(where, row, "date") or 0
            before = totals.get(who, _Total(0.0, when, 0))
            totals[who] = _Total(
                before.points + points,
                max(before.last, when),
                max(before.number, field(where, row, "id", int)),
            )
    return totals
