"""Signing in with a token, and out again."""

import re
from typing import Annotated
from urllib.parse import unquote

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from podium.errors import AccessError
from podium.web.addresses import Addresses
from podium.web.caching import root_of
from podium.web.catalogue import Hosted
from podium.web.doors import (
    Doors,
    Needs,
    Visitor,
    checked_form,
    hosted_by,
    limited,
    visitor_address,
    writing,
)
from podium.web.problems import LONGEST_NEXT
from podium.web.rendering import render

EVERY, BURST = 30.0, 10
"""Who tries to sign in does so at most every so many seconds in the long run, so often in a row."""
_LONGEST = 200
_ODD = re.compile(r"[\\\x00-\x1f\x7f]|(?:^|/)\.\.?(?:/|$)|%2e", re.IGNORECASE)
"""What browsers and proxies may take for something else in a path."""

router = APIRouter(include_in_schema=False)


@router.get("/{key}/sign-in")
def sign_in_page(request: Request) -> Response:
    """Where a token is asked for."""
    hosted = hosted_by(request)
    writing(hosted)
    return _page(request, hosted)


@router.post("/{key}/sign-in")
async def sign_in(request: Request) -> Response:
    """Begin a session, if the token is one of the league."""
    hosted = hosted_by(request)
    writing(hosted)
    form = await checked_form(request)
    text, wanted = str(form.get("token", ""))[:_LONGEST], str(form.get("next", ""))
    return await run_in_threadpool(_signed_in, request, hosted, text, wanted)


def _signed_in(request: Request, hosted: Hosted, text: str, wanted: str) -> Response:
    limited(hosted, f"sign-in {visitor_address(request)}", every=EVERY, burst=BURST)
    doors: Doors = request.app.state.doors
    answer = _leading(_inside(request, hosted, wanted))
    try:
        doors.sign_in(request, hosted, text, answer)
    except AccessError as error:
        return _page(request, hosted, str(error), wanted)
    return answer


@router.post("/{key}/sign-out")
async def sign_out(
    request: Request, visitor: Annotated[Visitor, Depends(Needs("read"))]
) -> Response:
    """End the session."""
    hosted = hosted_by(request)
    await checked_form(request, visitor)
    links = Addresses(root_of(request.scope), hosted.key)
    answer = _leading(links.leaderboard())
    doors: Doors = request.app.state.doors
    await run_in_threadpool(doors.sign_out, request, hosted, visitor, answer)
    return answer


def _leading(address: str) -> Response:
    """An answer that leads on, and is for nobody else."""
    return RedirectResponse(address, 303, {"Cache-Control": "no-store"})


def _inside(request: Request, hosted: Hosted, wanted: str) -> str:
    """Where to go on to: a page of the same league, whatever a link to this one says."""
    links = Addresses(root_of(request.scope), hosted.key)
    path = unquote(wanted.partition("?")[0])
    is_own = path.startswith(links.leaderboard()) and not _ODD.search(path)
    return wanted if is_own else links.organise()


def _page(request: Request, hosted: Hosted, problem: str = "", wanted: str = "") -> Response:
    links = Addresses(root_of(request.scope), hosted.key)
    body = render(
        "sign_in.html",
        links,
        problem=problem,
        wanted=(wanted or request.query_params.get("next", ""))[:LONGEST_NEXT],
        # Strangers are not told what a private league is called.
        title=hosted.title if hosted.is_listed else "",
    )
    return HTMLResponse(body, 403 if problem else 200, {"Cache-Control": "no-store"})
