"""Contests: the list, one of them, its standings page by page."""

from typing import Annotated

from fastapi import APIRouter, Query, Request

from podium.league import documents
from podium.web import schemas
from podium.web.api.asking import (
    After,
    At,
    Count,
    Document,
    Hosted,
    Identifier,
    Reading,
    Sought,
    answer,
    asking,
)
from podium.web.api.paging import following, position
from podium.web.dates import moment

router = APIRouter(prefix="/leagues/{key}", tags=["contests"], route_class=Reading)


@router.get("/contests", response_model=list[schemas.Contest], response_class=Document)
def contests(
    request: Request,
    hosted: Hosted,
    n: Count = 100,
    after: After = None,
    at: At = None,
    q: Sought = None,
) -> Document:
    """The contests, the latest first."""
    with asking(hosted) as view:
        skip = position(view.state, after)
        page, count = view.contest_page(n, skip, at=moment(at), matching=q or None)
        return answer(view, documents(page), following(request, view, skip, page.height, count))


@router.get("/contest", response_model=schemas.Result, response_class=Document)
def contest(
    hosted: Hosted,
    id: Identifier,
    top: Annotated[
        int | None,
        Query(description="Only the first so many of the standings.", ge=0, le=1_000_000),
    ] = None,
) -> Document:
    """One contest: who came where, how well that was, and how the ratings moved."""
    with asking(hosted) as view:
        return answer(view, view.result(id).document(top))


@router.get("/standings", response_model=list[schemas.Standing], response_class=Document)
def standings(
    request: Request,
    hosted: Hosted,
    contest: Identifier,
    n: Count = 100,
    after: After = None,
) -> Document:
    """The standings of one contest, page by page."""
    with asking(hosted) as view:
        skip = position(view.state, after)
        found = view.result(contest).standings
        rows = documents(found.slice(skip, n))
        return answer(view, rows, following(request, view, skip, len(rows), found.height))
