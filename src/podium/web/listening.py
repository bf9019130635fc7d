"""Who listens to a contest that is not over: they are told that something is new, and what."""

from collections.abc import AsyncIterator
from contextlib import aclosing

from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response

from podium.documents import iso
from podium.errors import NotFoundError
from podium.league import Signs
from podium.results.times import from_microseconds
from podium.web.catalogue import Hosted
from podium.web.streams import FIRST, STILL_HERE, Streams, answer, event


async def listening(streams: Streams, hosted: Hosted, contest: str) -> Response:
    """The events of a contest: `version` at once and with every change, then `recorded` or `ended`.

    Nothing is asked of the database for a listener, but whether there is such a contest.
    """
    seen = await run_in_threadpool(hosted.league.signs)
    if contest not in seen.live:
        raise NotFoundError(f"contest {contest!r} is not live.")
    return answer(_events(streams.ticks(hosted), contest))


async def _events(ticks: AsyncIterator[Signs | None], contest: str) -> AsyncIterator[bytes]:
    yield FIRST
    told = ""
    async with aclosing(ticks):  # type: ignore[type-var]
        async for signs in ticks:
            if signs is None:
                yield STILL_HERE
                continue
            sign = signs.live.get(contest)
            if sign is None or sign.recorded:
                kind = "ended" if sign is None else "recorded"
                yield event(None, kind, {"contest": contest})
                return
            mark = mark_of(sign.mark, signs.state)
            if mark != told:
                told = mark
                updated = iso(from_microseconds(sign.updated))
                data = {"version": sign.version, "updated": updated, "mark": mark}
                yield event(sign.version, "version", data)


def mark_of(mark: str, state: str) -> str:
    """What stands for a version of standings in a state of the league, which both predict from.

    Example:
        >>> mark_of("64a1-3", "7-a3")
        '64a1-3.7-a3'
    """
    return f"{mark}.{state}"
