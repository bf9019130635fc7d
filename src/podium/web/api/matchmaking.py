"""Matches of those who wait: tickets and rules come in, matches go out, and nothing is kept."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field, JsonValue
from starlette.responses import Response

from podium.errors import InputError
from podium.matchmaking import Matchmaker, Rules
from podium.matchmaking.tickets import Ticket, from_list, seconds
from podium.web import gates, schemas
from podium.web.api.asking import Document, Key, asking, refuse_names
from podium.web.api.describing import sent_as
from podium.web.api.writing import Writing, checked, parsed, quickly
from podium.web.doors import Needs, Visitor, limited

router = APIRouter(prefix="/leagues/{key}", tags=["matchmaking"], route_class=Writing)

MOST_TICKETS = 20_000
"""In one round."""
MOST_EXACT = 500
"""Tickets up to which rules may want the exact matching: all pairs of thousands fill a memory."""
MOST_LOOKED_FOR = 200_000
"""Tickets times the regions that they name times the points of the schedule of latencies: so many
times a team is looked for, at most."""


class Waiting(BaseModel):
    """Those who wait, and the rules by which they are to meet."""

    model_config = ConfigDict(extra="forbid")

    tickets: list[dict[str, JsonValue]] = Field(
        description="who waits: players (names), and maybe id, since (seconds or a time), roles "
        "(lists by name), latency (milliseconds by region), avoid, recent (names) and extra",
        max_length=MOST_TICKETS,
    )
    rules: dict[str, JsonValue] = Field(
        {}, description="what matches must be like, with the names that a file of rules has"
    )
    now: float | Annotated[str, Field(max_length=40)] | None = Field(
        None, description="the moment; null for when the last ticket came"
    )
    calibrated: bool = Field(
        False, description="whether chances are at the temperature that results have taught"
    )


async def match(
    request: Request, key: Key, visitor: Annotated[Visitor, Depends(Needs("read"))]
) -> Response:
    """Who should meet whom of those who wait, and why others wait on; nothing is kept.

    The same tickets, rules and moment give the same matches as long as the league is in the same
    state. Who is not known, or hidden, is a newcomer.
    """
    refuse_names(request.query_params, [], "parameter")
    hosted = request.app.state.catalogue.named(key)
    body = await request.body()
    said = await quickly(body, _said, body)
    return await run_in_threadpool(_matched, hosted, visitor, said)


def _said(body: bytes) -> Waiting:
    given = parsed(body)
    refuse_names(given, list(Waiting.model_fields), "field")
    return checked(Waiting, given)


def _matched(hosted: Any, visitor: Visitor, said: Waiting) -> Document:
    limited(hosted, gates.subject(visitor.token), every=gates.EVERY, burst=gates.BURST)
    rules = Rules.from_said(said.rules)
    if rules.exact_up_to > MOST_EXACT:
        raise InputError(f"the rules: exact_up_to may be {MOST_EXACT} at most on a site.")
    tickets = from_list(said.tickets, "tickets")
    _refuse_zero(tickets)
    _refuse_too_many_regions(rules, tickets)
    now = said.now
    if now is None:
        now = max((seconds(each.since) for each in tickets), default=0.0)
    with asking(hosted) as view:
        found = Matchmaker(rules, view, calibrated=said.calibrated).match(tickets, now)
        return Document({**found.document(), "state": view.state})


def _refuse_zero(tickets: list[Ticket]) -> None:
    """Raise for a name that no database can be asked for."""
    for ticket in tickets:
        if any("\0" in name for name in ticket.players):
            raise InputError("a name of a ticket holds the character 0, which no name has.")


def _refuse_too_many_regions(rules: Rules, tickets: list[Ticket]) -> None:
    """Raise if teams would have to be looked for in too many places."""
    if rules.is_of_pairs or rules.latency is None:
        return
    regions = len({region for ticket in tickets for region in ticket.latency})
    points = len(rules.latency.points)
    if len(tickets) * regions * points > MOST_LOOKED_FOR:
        raise InputError(
            f"{len(tickets):,} tickets with {regions} regions and {points} points of latency are "
            f"too many for a site: teams are looked for {MOST_LOOKED_FOR:,} times at most, so that "
            f"fewer points or regions would do."
        )


match.says_what_it_takes = True  # type: ignore[attr-defined]
router.add_api_route(
    "/match",
    match,
    methods=["POST"],
    name="match",
    response_model=schemas.Round,
    response_class=Document,
    openapi_extra=sent_as(Waiting),
)
