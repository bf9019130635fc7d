"""Contests that are not over: posted, fetched, read and listened to."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from podium.errors import InputError, NotFoundError
from podium.league.live import LATEST, SOONEST
from podium.texts import LONGEST
from podium.web import gates, schemas, uploads
from podium.web.api.asking import (
    After,
    Count,
    Document,
    Hosted,
    Identifier,
    Reading,
    Sought,
    asking,
    refuse_names,
)
from podium.web.api.changing import count_file, parameters_in
from podium.web.api.describing import sent_as
from podium.web.api.paging import next_page, position
from podium.web.api.writing import Writing, checked, parsed
from podium.web.doors import Needs, Visitor, limited, writing
from podium.web.listening import listening, mark_of
from podium.web.schemas import KEPT
from podium.web.streams import MEDIA_TYPE
from podium.web.uploads import HowToRead

MOST_ROWS = 100_000

reading = APIRouter(prefix="/leagues/{key}", tags=["live contests"], route_class=Reading)
posting = APIRouter(prefix="/leagues/{key}", tags=["live contests"], route_class=Writing)


class Standings(BaseModel):
    """Standings as JSON."""

    model_config = ConfigDict(extra="forbid")

    rows: list[dict[str, str | int | float | bool | None]] = Field(
        description="a row for each participant, with player and rank or score, or the best first; "
        "whatever tables may have",
        min_length=1,
        max_length=MOST_ROWS,
        examples=[[{"player": "bob", "score": 400}, {"player": "ann", "score": 250}]],
    )
    title: str | None = Field(None, description="what the contest is called", max_length=LONGEST)
    time: str | None = Field(None, description="when it takes place; by default now", max_length=40)
    lowest_score_wins: bool = Field(False, description="whether the lowest score is the best")


class Source(HowToRead):
    """From where standings are fetched."""

    address: str = Field(description="where they are", max_length=2000, examples=["https://a.b/c"])
    every: int = Field(
        30, description="seconds from one time to the next", ge=SOONEST, le=LATEST, examples=[30]
    )


@reading.get(
    "/live",
    response_model=schemas.Live | list[schemas.ListedLive],
    response_class=Document,
    name="live",
)
def live(
    request: Request,
    hosted: Hosted,
    id: Annotated[
        str | None,
        Query(
            description="The identifier of the contest; without it, all that are live are listed.",
            min_length=1,
            max_length=LONGEST,
            openapi_examples={"a contest": {"value": "summer"}},
        ),
        KEPT,
    ] = None,
    n: Count = 100,
    after: After = None,
    q: Sought = None,
    player: Annotated[
        str | None,
        Query(
            description="A participant for whom the answer has what each rank would give.",
            max_length=LONGEST,
            openapi_examples={"a player": {"value": "ann"}},
        ),
        KEPT,
    ] = None,
) -> Document:
    """A contest that is not over, and what would become of everybody if it ended now; or all."""
    with asking(hosted) as view:
        if id is None:
            return _fresh([each.about() for each in view.live_contests()])
        found = view.live(id)
        state = mark_of(found.mark, found.state)
        skip = position(state, after)
        curve = view.live_curve(id, player) if player else None
        document = found.document(n, skip, q or None, curve)
    shown = len(document["standings"])
    headers = next_page(request, state, skip, shown, document["matching"])
    return _fresh(document, dict(headers))


def _fresh(document: Any, headers: dict[str, str] | None = None) -> Document:
    """An answer that holds until standings are posted again, of which no state tells."""
    return Document(document, headers={"Cache-Control": "no-cache", **(headers or {})})


@reading.get(
    "/live/stream",
    name="live_stream",
    response_class=Response,
    responses={200: {"content": {MEDIA_TYPE: {}}, "description": "Events, as they happen."}},
)
async def live_stream(request: Request, hosted: Hosted, id: Identifier) -> Response:
    """Server-sent events of a contest: `version` when it changes, `recorded` or `ended` at last."""
    return await listening(request.app.state.streams, hosted, id)


async def post_live(
    request: Request,
    hosted: Hosted,
    visitor: Annotated[Visitor, Depends(Needs("record"))],
) -> Response:
    """Post the standings of a contest that is not over, as JSON or as a file of any format."""
    body = await request.body()
    answer = await run_in_threadpool(_posted, request, hosted, visitor, body)
    request.app.state.streams.stir(hosted)
    return answer


def _posted(request: Request, hosted: Any, visitor: Visitor, body: bytes) -> Document:
    league = writing(hosted)
    limited(hosted, gates.subject(visitor.token), every=gates.EVERY, burst=gates.BURST)
    file = _file_name(request)
    said = parameters_in(request, _POSTED_BY_JSON if file is None else _POSTED_AS_A_FILE)
    contest = _identifier(said)
    if file is None:
        given = parsed(body)
        refuse_names(given, list(Standings.model_fields), "field")
        sent = checked(Standings, given)
        title, time = sent.title, sent.time or str(league.live_time(contest))
        how = HowToRead(time=time, lowest_score_wins=sent.lowest_score_wins, future=True)
        standings = uploads.standings_of_rows(sent.rows, how.options())
    else:
        count_file(hosted, visitor)
        title = said.pop("title", None)
        how = checked(HowToRead, {"time": str(league.live_time(contest)), **said, "future": True})
        standings = uploads.standings(file, body, how.options())
    found = league.post_live(contest, standings, name=title, who=visitor.name)
    return Document({**found.document(), "state": league.state})


def _file_name(request: Request) -> str | None:
    """What the file is called that the body of a request is; None if it is JSON of ours."""
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    name = request.query_params.get("name")
    if kind in ("application/json", "") and name is None:
        return None
    if name is None and kind not in uploads.NAMES:
        raise InputError(f"podium does not know files of the type {kind}; ?name=now.csv tells.")
    return uploads.NAMES[kind] if name is None else name


def _identifier(said: dict[str, Any]) -> str:
    contest = str(said.pop("id", ""))
    if not contest.strip():
        raise InputError("id is missing, the identifier of the contest, as in ?id=summer.")
    return contest


class _Which(BaseModel):
    """What stands in the address beside how a file is read."""

    id: str = Field(description="the identifier of the contest", min_length=1, max_length=LONGEST)
    title: str | None = Field(
        None, description="of a file: what the contest is called", max_length=LONGEST
    )


_POSTED_BY_JSON = {"id": _Which.model_fields["id"]}
_POSTED_AS_A_FILE = {**_Which.model_fields, **HowToRead.model_fields}
post_live.says_what_it_takes = True  # type: ignore[attr-defined]
posting.add_api_route(
    "/live",
    post_live,
    methods=["PUT"],
    name="post_live",
    response_model=schemas.PostedLive,
    response_class=Document,
    openapi_extra=sent_as(Standings, _POSTED_AS_A_FILE),
)


@posting.delete("/live", response_model=schemas.EndedLive, response_class=Document)
def end_live(
    request: Request,
    hosted: Hosted,
    visitor: Annotated[Visitor, Depends(Needs("record"))],
    id: Identifier,
) -> Document:
    """Let a contest be live no more, without recording it."""
    limited(hosted, gates.subject(visitor.token), every=gates.EVERY, burst=gates.BURST)
    league = writing(hosted)
    league.end_live(id, who=visitor.name)
    request.app.state.streams.stir(hosted)
    return Document({"contest": id, "ended": True, "state": league.state})


async def poll_live(
    request: Request,
    hosted: Hosted,
    visitor: Annotated[Visitor, Depends(Needs("organise"))],
    id: Identifier,
) -> Response:
    """Let the site fetch the standings of a contest from an address, again and again."""
    given = parsed(await request.body())
    refuse_names(given, list(Source.model_fields), "field")
    source = checked(Source, given)
    answer = await run_in_threadpool(_polled, request, hosted, visitor, id, source)
    request.app.state.streams.stir(hosted)
    return answer


def _polled(
    request: Request, hosted: Any, visitor: Visitor, contest: str, source: "Source"
) -> Document:
    limited(hosted, gates.subject(visitor.token), every=gates.EVERY, burst=gates.BURST)
    league = writing(hosted)
    request.app.state.outside.check(source.address)
    said = source.model_dump(exclude={"address", "every"})
    league.poll_live(contest, source.address, every=source.every, who=visitor.name, **said)
    request.app.state.chores.wake(hosted)
    return Document(
        {"contest": contest, "address": source.address, "every": source.every, "problem": None}
    )


posting.add_api_route(
    "/live/source",
    poll_live,
    methods=["PUT"],
    name="poll_live",
    response_model=schemas.LiveSource,
    response_class=Document,
    openapi_extra=sent_as(Source),
)


@posting.get(
    "/live/source",
    response_model=schemas.LiveSource,
    response_class=Document,
    dependencies=[Depends(Needs("organise"))],
)
def live_source(hosted: Hosted, id: Identifier) -> Document:
    """From where the standings of a contest are fetched, and what went wrong the last time."""
    with asking(hosted) as view:
        found = view.live(id)
    if found.source is None:
        raise NotFoundError(f"the standings of contest {id!r} are not fetched, but posted.")
    return Document(
        {
            "contest": found.contest,
            "address": found.source,
            "every": found.every,
            "problem": found.problem,
        }
    )


@posting.delete("/live/source", response_model=schemas.EndedLive, response_class=Document)
def stop_polling(
    hosted: Hosted,
    visitor: Annotated[Visitor, Depends(Needs("organise"))],
    id: Identifier,
) -> Document:
    """Fetch the standings of a contest no longer; it stays live."""
    limited(hosted, gates.subject(visitor.token), every=gates.EVERY, burst=gates.BURST)
    league = writing(hosted)
    league.poll_live(id, None, who=visitor.name)
    return Document({"contest": id, "ended": False, "state": league.state})
