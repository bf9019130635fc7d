"""What a request may ask and how it is answered: parameters with limits, documents, states."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Depends, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.routing import APIRoute
from starlette.responses import JSONResponse
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from podium.errors import InputError
from podium.league import View, hiding
from podium.texts import LONGEST
from podium.web.caching import STATE
from podium.web.doors import Needs
from podium.web.schemas import KEPT
from podium.wording import listed, suggestion

MOST_ROWS = 1000
"""On one page."""
_LONGEST_DATE = 40


Key = Annotated[
    str,
    Path(
        description="What the league is called in addresses; /leagues lists all of them.",
        max_length=LONGEST,
        openapi_examples={"a club": {"value": "club"}},
    ),
]
Name = Annotated[
    str,
    Query(
        description="The name of the player, or an alias.",
        min_length=1,
        max_length=LONGEST,
        openapi_examples={"a player": {"value": "ann"}},
    ),
    KEPT,
]
Identifier = Annotated[
    str,
    Query(
        description="The identifier of the contest.",
        min_length=1,
        max_length=LONGEST,
        openapi_examples={"a contest": {"value": "round-2"}},
    ),
    KEPT,
]
Sought = Annotated[
    str | None,
    Query(
        description="Only names with this text in them, in capitals or not; places stay those "
        "among all.",
        max_length=LONGEST,
        openapi_examples={"a part of a name": {"value": "an"}},
    ),
    KEPT,
]
At = Annotated[
    str | None,
    Query(
        description="As of a date, to its end, or of a time of ISO 8601 or in unix seconds: what "
        "was known then from today's results; later than the last contest, with the uncertainty "
        "that absence brings.",
        max_length=_LONGEST_DATE,
        openapi_examples={"a date": {"value": "2026-05-08"}},
    ),
]
Count = Annotated[
    int,
    Query(description="How many to a page.", ge=1, le=MOST_ROWS),
]
After = Annotated[
    str | None,
    Query(
        description="Where the page before ended, as the header Link of that page says; it holds "
        "for the state of the league that the first page came from.",
        max_length=500,
    ),
]


class Reading(APIRoute):
    """A route of the API: HEAD is answered as GET is, and what it does not know is refused."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether it is asked."""
        return super().matches(_as_get(scope))

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        await super().handle(_as_get(scope), receive, send)


def _as_get(scope: Scope) -> Scope:
    return {**scope, "method": "GET"} if scope.get("method") == "HEAD" else scope


def refuse_unknown(request: Request) -> None:
    """Raise for a parameter that there is not, or that is given twice and can be given once.

    A client that is newer than the server learns so that it is not understood.
    """
    route = request.scope.get("route")
    if not isinstance(route, APIRoute):
        return
    if getattr(route.endpoint, "says_what_it_takes", False):
        return
    asked = [route.dependant, *route.dependant.dependencies]
    known = {each.alias: each for part in asked for each in part.query_params}
    refuse_names(request.query_params, list(known), "parameter")
    for name in request.query_params:
        several = "list" in str(known[name].field_info.annotation)
        if not several and len(request.query_params.getlist(name)) > 1:
            raise InputError(f"{name} is given twice, and can be given once.")


def refuse_names(given: Iterable[str], known: Sequence[str], what: str) -> None:
    """Raise for a name that there is not."""
    for name in given:
        if name not in known:
            there = f"it takes {listed(known, len(known))}" if known else "it takes none"
            raise InputError(f"there is no {what} {name!r}{suggestion(name, known)} here; {there}.")


Hidden = Annotated[
    bool,
    Query(
        description="Whether hidden players are shown, too, and what else only organisers see; a "
        "token that lets one organise is needed for it."
    ),
]


async def _hosted(request: Request, key: Key, hidden: Hidden = False) -> Any:
    found = request.app.state.catalogue.named(key)
    if not hidden:
        return found
    await run_in_threadpool(Needs("organise"), request)
    return replace(found, with_hidden=True)


Hosted = Annotated[Any, Depends(_hosted)]
"""The league that the address names."""


OWN = {"Cache-Control": "private, no-store"}
"""Of answers that are not for everybody."""


@contextmanager
def asking(hosted: Any) -> Iterator[View]:
    """One state of a league, from which the whole of an answer comes."""
    with hosted.snapshot() as view:
        yield view


class Document(JSONResponse):
    """An answer in JSON: UTF-8, without spaces, and without anything that JSON cannot say."""

    def render(self, content: Any) -> bytes:
        """The bytes of a document."""
        return json.dumps(
            content, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        ).encode()


def answer(view: View, document: Any, headers: Mapping[str, str] | None = None) -> Document:
    """A document of a view, with the state that it comes from.

    Nobody keeps what only organisers see.
    """
    about = OWN if hiding.sees_hidden(view._connection) else {STATE: view.state}
    return Document(document, headers={**about, **(headers or {})})
