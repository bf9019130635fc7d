"""What only organisers see: the whole log, all players with all that is known of them."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request

from podium.league import View, documents
from podium.ratings.leaderboards import rows_of
from podium.texts import LONGEST
from podium.web import answers
from podium.web.api.asking import OWN, After, Count, Document, Hosted, Reading, asking
from podium.web.api.paging import following, position
from podium.web.api.ratings import Where
from podium.web.doors import Needs
from podium.web.schemas import KEPT

router = APIRouter(
    prefix="/leagues/{key}",
    tags=["organisers"],
    route_class=Reading,
    dependencies=[Depends(Needs("organise"))],
)
Concerning = Annotated[
    str | None,
    Query(description="Only what concerns it.", min_length=1, max_length=LONGEST),
    KEPT,
]


def _own(document: Any, headers: Any = None) -> Document:
    return Document(document, headers={**OWN, **(headers or {})})


@router.get("/log", response_model=list[answers.Entry], response_class=Document)
def log(
    request: Request,
    hosted: Hosted,
    n: Count = 100,
    after: After = None,
    contest: Concerning = None,
    player: Concerning = None,
) -> Document:
    """Who changed what, when and why, the latest first, and what was there before, in full."""
    with asking(hosted) as view:
        skip = position(view.state, after)
        found = view.log(skip + n + 1, contest=contest, player=player)
        rows = found.slice(skip, n)
        more = following(request, view, skip, rows.height, found.height)
        return _own(documents(rows), more)


@router.get("/people", response_model=list[answers.Person], response_class=Document)
def people(
    hosted: Hosted,
    where: Where = None,
    q: Concerning = None,
    with_hidden: Annotated[bool, Query(description="Also those who are hidden.")] = False,
) -> Document:
    """All players by name, with all that is known of them, also what is not public."""
    with asking(hosted) as view:
        found = view.people(where=where or (), matching=q, with_hidden=with_hidden)
        return _own(rows_of(found, [each.name for each in _attributes(view)]))


@router.get("/attributes", response_model=list[answers.Attribute], response_class=Document)
def attributes(hosted: Hosted) -> Document:
    """What players may be known by besides names."""
    with asking(hosted) as view:
        return _own([each.document() for each in _attributes(view)])


@router.get("/starts", response_model=list[answers.Start], response_class=Document)
def starts(hosted: Hosted) -> Document:
    """The ratings that players were given."""
    with asking(hosted) as view:
        return _own(documents(view.starts()))


def _attributes(view: View) -> list[Any]:
    return view.attributes
