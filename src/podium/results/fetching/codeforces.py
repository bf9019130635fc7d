"""Results of Codeforces, by its public API.

https://codeforces.com/apiHelp
"""

import datetime
import os
from typing import Any, NamedTuple

from podium.errors import BusyError, InputError, NoResultsError
from podium.progress import Progress
from podium.results.fetching.client import Answer, Client, RefusedError, UnansweredError
from podium.results.fetching.keeping import Fetched, Keeper, fetch_each
from podium.results.times import Time, to_microseconds

BASE_URL = "https://codeforces.com/api"

_DAY = 86_400
_SETTLED = 7 * _DAY
"""Seconds after the end of a contest from which no rating changes mean that there will be none."""


class _Contest(NamedTuple):
    identifier: str
    start: int
    """Unix seconds."""
    since_end: int
    """Seconds, by the clock of Codeforces."""


def fetch(
    folder: str | os.PathLike[str],
    *,
    since: Time | None = None,
    until: Time | None = None,
    standings: bool = False,
    client: Client | None = None,
    progress: Progress | None = None,
) -> Fetched:
    """Download finished contests, one file each, and say what became of them.

    Contests that are in the folder already are not asked for again. Rating changes say exactly
    who was rated, and carry the time of the update; standings also have contests that were not
    rated, and carry the time of the start.

    Args:
        folder: Where the answers go; `podium.read` reads it.
        since: Only contests that start then or later.
        until: Only contests that start then or earlier; a date without a time is all of that day.
        standings: Ask for `contest.standings` instead of `contest.ratingChanges`.
        client: Who asks; by default one for https://codeforces.com/api.
        progress: True for a bar, or a function that is told the contests done, and all.

    Raises:
        PodiumError: Says which contest got no answer; the same call goes on from there.
    """
    earliest, latest = _range(since, until)
    method = "contest.standings" if standings else "contest.ratingChanges"
    client = client or Client(BASE_URL)
    keeper = Keeper(folder, f"{method} of Codeforces", "codeforces")
    contests = {
        contest.identifier: contest
        for contest in _finished(client)
        if earliest <= contest.start * 1_000_000 <= latest
    }

    def fetch_one(identifier: str) -> bool | None:
        if keeper.has(identifier):
            return None
        if keeper.is_noted("unrated", identifier):
            return False
        answer = client.ask(method, {"contestId": identifier}, trouble=_trouble)
        return _kept(answer, contests[identifier], keeper)

    return fetch_each(list(contests), keeper, fetch_one, what="contest", progress=progress)


def _range(since: Time | None, until: Time | None) -> tuple[float, float]:
    """Microseconds since 1970, both of which belong to the range."""
    earliest = float("-inf") if since is None else to_microseconds(since)
    latest = float("inf") if until is None else to_microseconds(until)
    if until is not None and _is_date(until):
        latest += _DAY * 1_000_000 - 1
    if earliest > latest:
        raise InputError(f"since {since} is later than until {until}.")
    return earliest, latest


def _is_date(time: Time) -> bool:
    if isinstance(time, str):
        return len(time) == len("2026-05-01") and time.count("-") == 2
    return isinstance(time, datetime.date) and not isinstance(time, datetime.datetime)


def _finished(client: Client) -> list[_Contest]:
    """All finished contests, the earliest first."""
    try:
        answer = client.ask("contest.list", {"gym": "false"}, trouble=_trouble)
        listed = _result(answer)
    except RefusedError as error:
        raise RefusedError(f"the list of contests: {error}.") from None
    except UnansweredError as error:
        raise BusyError(f"the list of contests: {error}; try again later.") from None
    contests = [
        _Contest(
            str(each["id"]),
            each["startTimeSeconds"],
            _whole(each, "relativeTimeSeconds") - _whole(each, "durationSeconds"),
        )
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, dict) and each.get("phase") == "FINISHED" and _is_placed(each)
    ]
    if not contests:
        raise InputError(f"the list of contests: {client.site} names none that is finished.")
    return sorted(contests, key=lambda contest: (contest.start, int(contest.identifier)))


def _is_placed(contest: dict[str, Any]) -> bool:
    """Whether it has a number and a start, which a few without a date do not."""
    return type(contest.get("id")) is int and type(contest.get("startTimeSeconds")) is int


def _whole(contest: dict[str, Any], key: str) -> int:
    value = contest.get(key)
    return value if isinstance(value, int) else 0


def _kept(answer: Answer, contest: _Contest, keeper: Keeper) -> bool:
    """Whether it holds results; what has none and will have none is noted."""
    try:
        _result(answer)
    except RefusedError:
        if "rating changes are unavailable" not in _comment(answer).lower():
            raise
        keeper.note("unrated", contest.identifier)
        return False
    try:
        keeper.save(contest.identifier, answer.body, contest=contest.identifier)
    except NoResultsError:
        if contest.since_end > _SETTLED:
            keeper.note("unrated", contest.identifier)
        return False
    return True


def _result(answer: Answer) -> Any:
    if answer.document["status"] != "OK":
        raise RefusedError(f"Codeforces answered {answer.document['status']} ({_comment(answer)})")
    return answer.document.get("result")


def _comment(answer: Answer) -> str:
    return " ".join(str(answer.document.get("comment", "without a comment")).split())


def _trouble(answer: Answer) -> str | None:
    """What speaks for asking again."""
    if not isinstance(answer.document, dict) or "status" not in answer.document:
        return f"HTTP {answer.status} with JSON that is not an answer of the Codeforces API"
    passing = ("limit exceeded", "temporarily")
    if answer.document["status"] != "OK" and any(
        words in _comment(answer).lower() for words in passing
    ):
        return f"FAILED ({_comment(answer)})"
    return None
