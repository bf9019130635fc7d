"""Matches as they end: what is posted, and how it is described; `podium.web.posting` answers."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from podium.texts import LONGEST
from podium.web import schemas
from podium.web.api.asking import Document, Key
from podium.web.api.describing import sent_as
from podium.web.api.writing import Writing
from podium.web.doors import Needs, Visitor
from podium.web.schemas import KEPT

ROLE = "record"
MOST_MATCHES = 1000
"""In one request."""
_MOST_PLAYERS = 10_000

Name = Annotated[str, Field(min_length=1, max_length=LONGEST), KEPT]
Team = Annotated[list[Name], Field(min_length=1, max_length=_MOST_PLAYERS)]


class Tie(BaseModel):
    """Those who came equally far."""

    model_config = ConfigDict(extra="forbid")

    tie: Annotated[list[Name | Team], Field(min_length=1, max_length=_MOST_PLAYERS)]


class Match(BaseModel):
    """A match, or a contest of any size."""

    model_config = ConfigDict(extra="forbid")

    standings: list[Name | Team | Tie] = Field(
        description='the players, best first; a list is a team, and {"tie": [...]} are players or '
        "teams who came equally far",
        min_length=1,
        max_length=_MOST_PLAYERS,
    )
    id: Name | None = Field(
        None,
        description="by what the match is known: sent again, it is answered as the first time; "
        "without one, a match that is sent twice is two",
    )
    time: Annotated[str, Field(min_length=1, max_length=40)] | None = Field(
        None, description="when it took place; null for now, by the clock of the server"
    )
    late: Literal["now", "defer"] = Field(
        "now",
        description="what becomes of a match that took place before others that are rated: it is "
        "rated where it belongs at once, or in a quiet moment, and the answer says so",
    )
    future: bool = Field(
        False, description="whether a time of more than two years from now is meant"
    )
    weight: float = Field(1.0, description="how much it counts")
    perf_ceiling: float | None = Field(None, description="the highest performance that it can show")
    shares: dict[Name, float] | None = Field(
        None, description="which part of the match some took part in, by name"
    )
    margin: float | None = Field(None, description="by how much it was won")
    home: Name | None = Field(None, description="who of two is at home, or moves first")
    score: float | None = Field(
        None, description="of two, the score of the first, from 0 to 1, in place of who won"
    )

    def said(self) -> dict[str, Any]:
        """The same as a feed takes it."""
        found = {name: getattr(self, name) for name in self.model_fields_set}
        found["standings"] = [
            tuple(each.tie) if isinstance(each, Tie) else each for each in self.standings
        ]
        return found


class Posted(Match):
    """One match, or many."""

    standings: list[Name | Team | Tie] | None = Field(  # type: ignore[assignment]
        None, description=f"of one match: {Match.model_fields['standings'].description}"
    )
    matches: list[Match] | None = Field(
        None,
        description=f"many matches, at most {MOST_MATCHES:,}, each with the other fields, in place "
        "of one",
        max_length=MOST_MATCHES,
    )


router = APIRouter(prefix="/leagues/{key}", tags=["matches"], route_class=Writing)


async def matches(key: Key, visitor: Annotated[Visitor, Depends(Needs(ROLE))]) -> None:
    """Rate matches as they end, and keep them; the new ratings, once they are committed.

    One match is an object, and many are `matches` of one; the answer has the same form. Matches of
    different requests that come together share a transaction. Of many, each is kept or refused by
    itself: if any is refused, the answer is a problem, with what came of each in `matches`.
    """


router.add_api_route(
    "/matches",
    matches,
    methods=["POST"],
    response_model=schemas.Recorded | schemas.RecordedMatches,
    response_class=Document,
    openapi_extra=sent_as(Posted),
)
