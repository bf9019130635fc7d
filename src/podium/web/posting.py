"""Who posts matches as they end is answered here, by the thousands in a second.

So nothing is done for a match but what has to be. It does not go through the routes of the
application, no thread is taken for it and no transaction begun, and the league is asked who posts
once for all who come together. `podium.web.api.matches` says what is posted.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pydantic_core
from fastapi.concurrency import run_in_threadpool
from pydantic import ValidationError
from starlette.requests import Request

from podium.errors import BusyError, InputError, PodiumError
from podium.league.access import Token
from podium.league.feeding.answers import Recorded
from podium.web import feeding, problems, security
from podium.web.api.asking import refuse_names
from podium.web.api.matches import MOST_MATCHES, ROLE, Match
from podium.web.api.writing import parsed, quickly
from podium.web.caching import App, Receive, Scope, Send, path_within
from podium.web.catalogue import Catalogue, Hosted
from podium.web.doors import Regulars
from podium.web.feeding import Feeding, Outcome
from podium.web.problems import TooLargeError

_ADDRESS = re.compile(r"/api/v1/leagues/([^/]+)/matches")
_ROUTE = "/api/v1/leagues/{key}/matches"
_FIELDS = list(Match.model_fields)
_HEADERS = [*security.CONFIDED, (b"content-type", b"application/json")]


class Posting:
    """Middleware that answers who posts matches, and passes everything else on.

    Args:
        app: Who answers the rest.
        catalogue: The leagues by what they are called in addresses.
        feeding: Where matches go.
    """

    def __init__(self, app: App, catalogue: Catalogue, feeding: Feeding) -> None:
        self._app = app
        self._catalogue = catalogue
        self._feeding = feeding
        self._regulars = {
            key: Regulars(hosted, partial(feeding.only_fed, hosted))
            for key, hosted in catalogue.items()
        }
        self._own = problems.Unexpected(self._answer)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass on."""
        if scope["type"] == "http" and scope["method"] == "POST":
            found = _ADDRESS.fullmatch(path_within(scope))
            if found is not None:
                scope["podium.route"], scope["path_params"] = _ROUTE, {"key": found[1]}
                await self._own(scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; what is wrong is said as everywhere."""
        receive = security.measured(receive)
        request = Request(scope, receive)
        refusal = security.refused(scope, writable=True)
        shielded = security.shielding(path_within(scope), send)
        if refusal is not None:
            await security.refuse(scope, receive, shielded, *refusal)
            return
        try:
            told = await self._told(request)
        except PodiumError as error:
            await problems.respond(request, error)(scope, receive, shielded)
            return
        if isinstance(told, bytes):
            length = (b"content-length", b"%d" % len(told))
            headers = [*_HEADERS, length]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": told})
        else:
            await told(scope, receive, shielded)

    async def _told(self, request: Request) -> Any:
        """The document of what came of matches, or a problem."""
        if request.scope["query_string"]:
            refuse_names(request.query_params, [], "parameter")
        hosted = self._catalogue.named(request.scope["path_params"]["key"])
        regulars = self._regulars[hosted.key]
        token = await regulars.token(request, ROLE)
        body = await request.body()
        given = await quickly(body, parsed, body)
        many = _many(given)
        read = await quickly(body, _read, [given] if many is None else many)
        outcomes = await self._outcomes(request, hosted, token, read)
        return _document(request, outcomes, await regulars.hidden(token), alone=many is None)

    async def _outcomes(
        self,
        request: Request,
        hosted: Hosted,
        token: Token,
        read: list[dict[str, Any] | InputError],
    ) -> list[Outcome]:
        """What came of matches; of some it is known already that they are none."""
        right = [each for each in read if not isinstance(each, InputError)]
        if not right:
            return [each for each in read if isinstance(each, InputError)]
        found = await self._feeding.record(hosted, token, right)
        if found is None:
            lane = request.app.state.lanes[hosted.key]
            if not await lane.enter():
                raise BusyError("others are changing the league.")
            try:
                found = await run_in_threadpool(feeding.one_by_one, hosted, token, right)
            finally:
                lane.leave()
        if len(right) == len(read):
            return found
        outcomes = iter(found)
        return [each if isinstance(each, InputError) else next(outcomes) for each in read]


def _many(given: dict[str, Any]) -> list[Any] | None:
    """The matches, if there are many."""
    if "matches" not in given:
        return None
    refuse_names(given, ["matches"], "field beside matches")
    many = given["matches"]
    if not isinstance(many, list) or not many:
        raise InputError("matches must be a list of matches.")
    if len(many) > MOST_MATCHES:
        raise TooLargeError(
            f"{len(many):,} matches were sent; at most {MOST_MATCHES:,} are taken at once."
        )
    return many


def _read(given: Sequence[Any]) -> list[dict[str, Any] | InputError]:
    return [_match(each) for each in given]


def _match(given: Any) -> dict[str, Any] | InputError:
    """A match, or what is wrong with it."""
    try:
        if not isinstance(given, Mapping):
            raise InputError('a match is an object, such as {"standings": ["ann", "bob"]}.')
        refuse_names(given, _FIELDS, "field")
        return Match.model_validate(given).said()
    except InputError as error:
        return error
    except ValidationError as error:
        wrong = [{**each, "loc": ("body", *each["loc"])} for each in error.errors()]
        return InputError(problems.wrongs(wrong))


def _document(
    request: Request, outcomes: Sequence[Outcome], hidden: frozenset[str], *, alone: bool
) -> Any:
    """What is answered: what came of each match, or of the only one; or a problem."""
    wrong = [each for each in outcomes if isinstance(each, PodiumError)]
    if alone and wrong:
        raise wrong[0]
    told = [
        problems.document(request, each)
        if isinstance(each, PodiumError)
        else _ratings(each, hidden)
        for each in outcomes
    ]
    if not wrong:
        return pydantic_core.to_json(told[0] if alone else {"matches": told})
    worst = max((each for each in told if "status" in each), key=lambda each: int(each["status"]))
    return problems.several(request, worst, len(wrong), {"matches": told})


def _ratings(recorded: Recorded, hidden: frozenset[str]) -> dict[str, Any]:
    """What came of a match, as far as whoever asks may see it."""
    document = recorded.document()
    if hidden:
        rows = document["ratings"]
        document["ratings"] = [each for each in rows if each["player"] not in hidden]
    return document
