"""Results of CTFtime, by its public API, year by year.

https://ctftime.org/api/
"""

import datetime
import os

from podium.errors import InputError, NoResultsError
from podium.progress import Progress
from podium.results.fetching.client import Answer, Client, RefusedError
from podium.results.fetching.keeping import Fetched, Keeper, fetch_each

BASE_URL = "https://ctftime.org/api/v1"
FIRST_YEAR = 2011
"""The first of which CTFtime has results."""


def fetch(
    folder: str | os.PathLike[str],
    *,
    since: int = FIRST_YEAR,
    until: int | None = None,
    client: Client | None = None,
    progress: Progress | None = None,
) -> Fetched:
    """Download the results of all events, one file for each year, and say what became of them.

    A year is asked for again until it was downloaded after January of the next, because results
    come in late.

    Args:
        folder: Where the answers go; `podium.read` reads it.
        since: The first year.
        until: The last year; the current one if it is not given.
        client: Who asks; by default one for https://ctftime.org/api/v1.
        progress: True for a bar, or a function that is told the years done, and all.

    Raises:
        PodiumError: Says which year got no answer; the same call goes on from there.
    """
    today = _today()
    years = _years(since, today.year if until is None else until, today.year)
    client = client or Client(BASE_URL)
    keeper = Keeper(folder, "results of CTFtime", "ctftime")

    def fetch_one(year: str) -> bool | None:
        if keeper.has(year) and keeper.is_noted("final", year):
            return None
        answer = client.ask(f"results/{year}/", trouble=_trouble)
        if not _kept(answer, year, keeper):
            return False
        if today >= datetime.date(int(year) + 1, 2, 1):
            keeper.note("final", year)
        return True

    return fetch_each(years, keeper, fetch_one, what="year", progress=progress)


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


def _years(since: int, until: int, current: int) -> list[str]:
    for year in (since, until):
        if not FIRST_YEAR <= year <= current:
            raise InputError(
                f"{year} is not a year with results of CTFtime, from {FIRST_YEAR} to {current}."
            )
    if since > until:
        raise InputError(f"since {since} is later than until {until}.")
    return [str(year) for year in range(since, until + 1)]


def _kept(answer: Answer, year: str, keeper: Keeper) -> bool:
    """Whether it holds results."""
    if answer.status != 200:
        raise RefusedError(f"CTFtime answered HTTP {answer.status}")
    if answer.document == {}:
        return False
    try:
        keeper.save(year, answer.body)
    except NoResultsError:
        return False
    return True


def _trouble(answer: Answer) -> str | None:
    """What speaks for asking again."""
    if answer.status == 200 and not isinstance(answer.document, dict):
        return "HTTP 200 with JSON that is not results of CTFtime"
    return None
