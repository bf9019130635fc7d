"""Why a rating is what it is, what it might have been, and what may come."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from podium.documents import as_document
from podium.ratings.chances import Chances
from podium.texts import LONGEST
from podium.web import schemas
from podium.web.api.asking import (
    At,
    Document,
    Hosted,
    Identifier,
    Name,
    Reading,
    answer,
    asking,
)
from podium.web.content import FIELD
from podium.web.dates import moment
from podium.web.schemas import KEPT

router = APIRouter(prefix="/leagues/{key}", tags=["reasons"], route_class=Reading)

_EXAMPLES = {"two": {"value": ["ann", "bob"]}, "with a newcomer": {"value": ["ann", "nobody yet"]}}


@router.get("/explanation", response_model=schemas.Explanation, response_class=Document)
def explanation(hosted: Hosted, contest: Identifier, player: Name) -> Document:
    """Why a contest did to a player's rating what it did, in words and numbers."""
    with asking(hosted) as view:
        return answer(view, view.explain(contest, player).document())


@router.get("/what-if", response_model=schemas.Curve, response_class=Document)
def what_if(hosted: Hosted, contest: Identifier, player: Name) -> Document:
    """The rating for each final rank that a recorded contest could have had for a player."""
    with asking(hosted) as view:
        return answer(view, view.what_if(contest, player).document())


Calibrated = Annotated[
    bool,
    Query(
        description="Whether chances are to be as sure as the results of the league say that they "
        "should be: differences between ratings are multiplied by a temperature that is learned."
    ),
]


@router.get("/prediction", response_model=schemas.Chances, response_class=Document)
def prediction(
    hosted: Hosted,
    player: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=LONGEST), KEPT]],
        Query(
            description="Who takes part, once for each; a name that is not known is a newcomer.",
            min_length=2,
            max_length=FIELD,
            openapi_examples=_EXAMPLES,
        ),
    ],
    top: Annotated[
        int, Query(description="Among how many to be is a chance of its own.", ge=1, le=FIELD)
    ] = 3,
    at: At = None,
    home: Annotated[
        str | None,
        Query(description="Who of two has the side, where systems know one.", max_length=LONGEST),
        KEPT,
    ] = None,
    calibrated: Calibrated = False,
) -> Document:
    """How a contest of these players may end: everybody's chances."""
    with asking(hosted) as view:
        found = Chances.of(view, player, top=top, at=moment(at), home=home, calibrated=calibrated)
        return answer(view, found.document())


@router.get("/chances", response_model=schemas.Match, response_class=Document)
def chances(
    hosted: Hosted,
    player: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=LONGEST), KEPT]],
        Query(
            description="The two, in this order; a name that is not known is a newcomer.",
            min_length=2,
            max_length=2,
            openapi_examples=_EXAMPLES,
        ),
    ],
    at: At = None,
    calibrated: Calibrated = False,
) -> Document:
    """What comes of a match of two: who wins, a draw, and who is the stronger one."""
    with asking(hosted) as view:
        found = Chances.of(view, player, top=1, at=moment(at), calibrated=calibrated)
        document = {
            "system": found.system.name,
            "temperature": found.temperature,
            "players": list(player),
            "win_probability": found.win,
            "draw_probability": found.draw,
            "stronger_probability": found.stronger,
            "quality": found.quality,
        }
        return answer(view, as_document(document))
