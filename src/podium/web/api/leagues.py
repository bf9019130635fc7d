"""The leagues, and what there is to know of one as a whole: rules, system, past."""

from typing import Any

from fastapi import APIRouter, Request

from podium.documents import as_document
from podium.league import documents
from podium.web import feeds, schemas
from podium.web.api.asking import (
    After,
    At,
    Count,
    Document,
    Hosted,
    Reading,
    answer,
    asking,
)
from podium.web.api.paging import following, position
from podium.web.dates import moment

router = APIRouter(prefix="/leagues", tags=["leagues"], route_class=Reading)


def _listed(hosted: Any) -> dict[str, str | None]:
    return {"key": hosted.key, "title": hosted.title, "about": hosted.about or None}


@router.get("", response_model=list[schemas.ListedLeague], response_class=Document)
def leagues(request: Request) -> Document:
    """All leagues of this site that everybody may see."""
    return Document([_listed(each) for each in request.app.state.catalogue.listed()])


@router.get("/{key}", response_model=schemas.League, response_class=Document)
def league(hosted: Hosted) -> Document:
    """What there is to know of a league as a whole."""
    with asking(hosted) as view:
        return answer(view, {**_listed(hosted), **view.about()})


@router.get("/{key}/rules", response_model=schemas.Rules, response_class=Document)
def rules(hosted: Hosted) -> Document:
    """How ratings are shown: which number, to whom, and the titles that it earns."""
    with asking(hosted) as view:
        return answer(view, view.rules.document())


@router.get("/{key}/system", response_model=schemas.System, response_class=Document)
def system(hosted: Hosted) -> Document:
    """The system that rates, and each of its parameters in plain words, with its value here."""
    with asking(hosted) as view:
        rates = view.system
        found = type(rates).document(about=True)
        values = as_document(rates.stored_parameters())
        for each in found["parameters"]:
            each["value"] = values.get(each["name"])
        return answer(view, found)


@router.get("/{key}/seasons", response_model=list[schemas.Season], response_class=Document)
def seasons(hosted: Hosted) -> Document:
    """The seasons of the league, the earliest first, and the resets that they begin with."""
    with asking(hosted) as view:
        return answer(view, documents(view.seasons()))


@router.get("/{key}/revisions", response_model=list[schemas.Revision], response_class=Document)
def revisions(hosted: Hosted) -> Document:
    """By which systems the league is and was rated, the oldest first."""
    with asking(hosted) as view:
        return answer(view, documents(view.revisions()))


@router.get("/{key}/changes", response_model=list[schemas.Change], response_class=Document)
def changes(
    request: Request,
    hosted: Hosted,
    n: Count = 100,
    after: After = None,
    at: At = None,
) -> Document:
    """What was changed, when and why, and who moved by it, the latest first."""
    with asking(hosted) as view:
        skip = position(view.state, after)
        found = feeds.public_log(view, skip + n + 1, at=moment(at))
        rows = found[skip : skip + n]
        return answer(view, rows, following(request, view, skip, len(rows), len(found)))
