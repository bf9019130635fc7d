"""The stream of events: what webhooks are told, for programs that would rather listen."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import Response

from podium.errors import AccessError, ConflictError
from podium.league import Signs, notices
from podium.web import sending
from podium.web.api.asking import Hosted, Reading
from podium.web.streams import FIRST, MEDIA_TYPE, STILL_HERE, answer, event

router = APIRouter(prefix="/leagues/{key}", tags=["webhooks"], route_class=Reading)

MISSED = "missed"
"""What is told of notices that were kept no more when it was their turn: their numbers."""
_TOGETHER = 100
"""Notices that are read at once."""
_Events = list[tuple[int, bytes]]


@router.get(
    "/events",
    response_class=Response,
    responses={200: {"content": {MEDIA_TYPE: {}}, "description": "Events, as they happen."}},
)
async def events(
    request: Request,
    hosted: Hosted,
    last: Annotated[
        int | None,
        Header(
            alias="Last-Event-ID",
            description="The number of the last notice that you have; without one, only what "
            "happens from now on is told.",
            ge=0,
            lt=2**31,
        ),
    ] = None,
    after: Annotated[
        int | None,
        Query(description="The same, for who cannot send headers.", ge=0, lt=2**31),
    ] = None,
) -> Response:
    """What webhooks are told, as server-sent events; it goes on until you stop listening.

    The last 1,000 notices are kept. Who reads so slowly that some are kept no more is told so by an
    event `missed`, with the numbers of the first and the last of them, and hears what came after.
    """
    position = after if last is None else last
    position = await asyncio.to_thread(_begin, hosted, position)
    ticks = request.app.state.streams.ticks(hosted)
    return answer(_told(request, hosted, ticks, position))


def _begin(hosted: Any, position: int | None) -> int:
    """After which notice to begin: the last one, if nothing is said.

    Raise if what comes after it is not kept any more, or it never was there.
    """
    with hosted.snapshot() as view:
        first, last = notices.range_of(view._connection)
    if position is None:
        return last
    if position > last:
        raise ConflictError(f"there is no notice {position} yet; the last is {last}.")
    if position < first - 1:
        raise ConflictError(
            f"what came after notice {position} is not kept any more, which begins with {first}; "
            f"ask for the league anew, and listen without Last-Event-ID."
        )
    return position


async def _told(
    request: Request, hosted: Any, ticks: AsyncIterator[Signs | None], position: int
) -> AsyncIterator[bytes]:
    yield FIRST
    async with aclosing(ticks) as seen:  # type: ignore[type-var]
        async for signs in seen:
            if signs is None:
                yield STILL_HERE
                continue
            if not await asyncio.to_thread(_may_listen, request, hosted):
                return
            while position < signs.notice:
                found = await asyncio.to_thread(_read, request, hosted, signs, position)
                if not found:
                    break
                if found[0][0] > position + 1:  # they were faster than whoever listens
                    missed = {"first": position + 1, "last": found[0][0] - 1}
                    yield event(missed["last"], MISSED, missed)
                for number, said in found:
                    position = number
                    if said:
                        yield said


def _may_listen(request: Request, hosted: Any) -> bool:
    """Whether who listens may go on: the league may have become private, or the token useless."""
    doors = request.app.state.doors
    if not hosted.is_private or doors is None:
        return not hosted.is_private
    try:
        doors.visitor(request, hosted)
    except AccessError:
        return False
    return True


def _read(request: Request, hosted: Any, signs: Signs, position: int) -> _Events:
    """The events after a notice; all who wait for the same are given what one has read."""

    def read() -> _Events:
        with hosted.snapshot() as view:
            found = notices.after(view._connection, position, _TOGETHER)
        return [(number, _event(hosted, number, told)) for number, told in found]

    key = (hosted.key, signs.state, signs.notice, position)
    kept: _Events = request.app.state.told.found(key, read)
    return kept


def _event(hosted: Any, number: int, told: dict[str, Any] | None) -> bytes:
    if told is None:
        return b""
    return event(number, told["type"], sending.addressed(hosted, told))
