"""Players and their ratings: leaderboard, search, one player, a history."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field

from podium.documents import as_document
from podium.league import Filters, documents
from podium.ratings.leaderboards import rows_of
from podium.texts import LONGEST
from podium.web import schemas
from podium.web.api.asking import (
    After,
    At,
    Count,
    Document,
    Hosted,
    Name,
    Reading,
    Sought,
    answer,
    asking,
)
from podium.web.api.paging import following, position
from podium.web.dates import moment
from podium.web.schemas import KEPT

router = APIRouter(prefix="/leagues/{key}", tags=["players"], route_class=Reading)

_FOUND = 10
"""Players that a search gives."""

Since = Annotated[
    str | None,
    Query(
        description="Only players whose last contest is not earlier than this date.", max_length=40
    ),
]
Fewest = Annotated[
    int | None,
    Query(
        description="Only players with at least so many contests; at least what the rules say.",
        ge=0,
        le=1_000_000_000,
    ),
]
Title = Annotated[
    str | None,
    Query(description="Only players who have this title.", max_length=LONGEST),
    KEPT,
]
Where = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=LONGEST), KEPT]] | None,
    Query(
        description="Only players whose attributes are so: country=NO, country!=NO or, of numbers "
        "and dates, birth_year>=2005.",
        max_length=20,
    ),
]
InSeason = Annotated[
    str | None,
    Query(
        description="The standings of the season of this name: those who were rated in it, as of "
        "its end or, in the last one, of now. Neither `at` nor `active_since` goes with it.",
        max_length=LONGEST,
    ),
    KEPT,
]


@router.get("/leaderboard", response_model=schemas.Leaderboard, response_class=Document)
def leaderboard(
    request: Request,
    hosted: Hosted,
    n: Count = 100,
    after: After = None,
    at: At = None,
    active_since: Since = None,
    min_contests: Fewest = None,
    title: Title = None,
    where: Where = None,
    q: Sought = None,
    season: InSeason = None,
) -> Document:
    """The best players, with their places among those who pass the conditions."""
    with asking(hosted) as view:
        skip = position(view.state, after)
        filters = Filters(
            n,
            skip,
            moment(at),
            active_since,
            min_contests,
            title=title,
            matching=q or None,
            where=where or (),
            season=season or None,
            with_hidden=hosted.with_hidden,
        )
        board = view.board(filters)
        more = following(request, view, skip, board.table.height, board.matching)
        return answer(view, board.document(), more)


@router.get("/players", response_model=list[schemas.Placed], response_class=Document)
def players(
    hosted: Hosted,
    q: Sought = None,
    n: Annotated[int, Query(description="How many at most.", ge=1, le=100)] = _FOUND,
    at: At = None,
) -> Document:
    """Players whose names have a text in them, the best first: for a search as one types."""
    with asking(hosted) as view:
        found = view.leaderboard(n, matching=q or None, at=moment(at))
        public = [each.name for each in view.attributes if each.public]
        return answer(view, [as_document(row) for row in rows_of(found, public)])


@router.get("/player", response_model=schemas.Player, response_class=Document)
def player(
    hosted: Hosted,
    name: Name,
    at: At = None,
    last: Annotated[
        int | None, Query(description="Only the last so many contests.", ge=1, le=100_000)
    ] = None,
) -> Document:
    """One player: place, rating, and every contest."""
    with asking(hosted) as view:
        return answer(view, view.career(name, at=moment(at)).document(last))


@router.get("/history", response_model=list[schemas.Event], response_class=Document)
def history(
    request: Request,
    hosted: Hosted,
    name: Name,
    n: Count = 100,
    after: After = None,
    at: At = None,
) -> Document:
    """The rated contests of one player, in order, with what each did to the rating."""
    with asking(hosted) as view:
        skip = position(view.state, after)
        found = view.history_of(name)
        until = moment(at)
        if until is not None:
            found = found.filter(found["time"] <= until)
        rows = documents(found.slice(skip, n))
        return answer(view, rows, following(request, view, skip, len(rows), found.height))


@router.get("/look-back", response_model=schemas.LookBack, response_class=Document)
def look_back(hosted: Hosted, name: Name) -> Document:
    """One player in hindsight, by all results: what the league keeps of that.

    It is as of `made`, and apart from the ratings that count. `podium look-back LEAGUE --store`
    makes it; before that, there is nothing to be found.
    """
    with asking(hosted) as view:
        history = documents(view.looked_back_at(name))
        stored = view.stored_look_back()
        assert stored is not None
        document = {"player": view.player(name).name, **stored.document(), "history": history}
    # To store is no change of the league, so that no state tells of it.
    return Document(document, headers={"Cache-Control": "no-cache"})
