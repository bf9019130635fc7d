"""What went wrong, told to whoever asked: a problem of RFC 9457 to programs, a page to people.

The kinds of `PodiumError` decide. The text of an error about storage stays in the server's log,
since it may name files of the server.
"""

import json
import logging
import math
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from jinja2 import TemplateError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from podium.documents import as_document
from podium.errors import (
    AccessError,
    BusyError,
    ConflictError,
    DifferenceError,
    InputError,
    NotFoundError,
    PodiumError,
    RemovalError,
    StorageError,
)
from podium.texts import sentence
from podium.web.addresses import Addresses
from podium.web.caching import key_of, path_within, root_of
from podium.web.rendering import render

MEDIA_TYPE = "application/problem+json"
TYPES = "/api/v1/#problem-"
"""What the type of a problem begins with, behind the prefix of the site: where the page about the
API tells of it."""
RETRY = 5
"""Seconds after which to ask again."""
LONGEST_NEXT = 2000
"""Characters of an address that who signs in is led on to."""
_ECHOED = 80
"""Characters of what was asked that an answer repeats."""
_LOG = logging.getLogger("podium.web")


@dataclass(frozen=True)
class Kind:
    """A kind of problem, the same for all who have it."""

    name: str
    status: int
    title: str
    error: type[PodiumError]
    """What a client raises, as `podium.cli.remote` does."""

    def type(self, root: str = "") -> str:
        """Its address on a site with a prefix."""
        return f"{root}{TYPES}{self.name}" if self.name else "about:blank"


NOT_FOUND = Kind("not-found", 404, "There is no such thing", NotFoundError)
NO_ADDRESS = Kind("no-address", 404, "There is no such address", NotFoundError)
NOBODY = Kind("sign-in", 401, "A token is needed", AccessError)
NOT_ALLOWED = Kind("not-allowed", 403, "The token does not go so far", AccessError)
TOO_MUCH = Kind("too-much", 429, "Too much at once", BusyError)
TOO_LARGE = Kind("too-large", 413, "What was sent is too large", InputError)
TOO_SLOW = Kind("too-slow", 408, "What was sent did not come", BusyError)
READ_ONLY = Kind("read-only", 405, "This can only be read", InputError)
SENT_ONLY = Kind("sent-only", 405, "This can only be sent", InputError)
BODY = Kind("body", 413, "A request has no body here", InputError)
LONG_ADDRESS = Kind("long-address", 414, "The address is too long", InputError)
LONG_HEADERS = Kind("long-headers", 431, "The headers are too long", InputError)
WRONG = Kind("wrong-input", 422, "What was asked is wrong", InputError)
CHANGED = Kind("conflict", 409, "It is otherwise by now", ConflictError)
REMOVAL = Kind("removal", 409, "It removes much", RemovalError)
DIFFERENCE = Kind("difference", 409, "They differ, and nobody chose", DifferenceError)
BUSY = Kind("busy", 503, "The league is busy", BusyError)
STORAGE = Kind("storage", 503, "The league cannot be read", StorageError)
UNEXPECTED = Kind("unexpected", 500, "Something went wrong here", StorageError)
KINDS = (
    *(
        NOT_FOUND,
        NO_ADDRESS,
        READ_ONLY,
        SENT_ONLY,
        WRONG,
        CHANGED,
        REMOVAL,
        DIFFERENCE,
        BODY,
        LONG_ADDRESS,
        LONG_HEADERS,
    ),
    *(NOBODY, NOT_ALLOWED, TOO_MUCH, TOO_LARGE, TOO_SLOW, BUSY, STORAGE, UNEXPECTED),
)
"""All that the API answers with; its page and its description list them."""
_OF_ERRORS = (NOT_FOUND, REMOVAL, DIFFERENCE, CHANGED, NOT_ALLOWED, BUSY, STORAGE, WRONG)
_SAID = {
    BUSY.name: "somebody is changing the league or asks much of it; the same may work in a moment.",
    STORAGE.name: "the league cannot be read at the moment; whoever runs the site finds why in its "
    "log, under {id}.",
    UNEXPECTED.name: "a mistake of this site, not of yours; whoever runs it finds it in the log, "
    "under {id}.",
}
_MEANT = {
    "missing": "is missing",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "must be a smaller number",
    "float_parsing": "must be a number",
    "bool_parsing": "must be true or false",
    "less_than_equal": "must be at most {le:,}",
    "greater_than_equal": "must be at least {ge:,}",
    "string_too_long": "may have at most {max_length:,} characters",
    "string_too_short": "must have at least {min_length:,} characters",
    "too_long": "may be given at most {max_length:,} times",
    "too_short": "must be given at least {min_length:,} times",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "string_type": "must be a text",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
}
_IN_BODIES = {
    "too_long": "may have at most {max_length:,} values",
    "too_short": "must have at least {min_length:,} values",
}
"""What is said otherwise of lists than of parameters that are repeated."""


def install(app: FastAPI) -> None:
    """Answer errors of an application; called before anything else is put around it."""
    app.add_exception_handler(PodiumError, respond)
    app.add_exception_handler(RequestValidationError, _of_validation)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_middleware(Unexpected)


def respond(request: Request, error: Exception) -> Response:
    """The answer that tells of an error."""
    if isinstance(error, SignInError):
        return _signing_in(request, error)
    if isinstance(error, TooLargeError | TooSlowError):
        kind = TOO_LARGE if isinstance(error, TooLargeError) else TOO_SLOW
        return answer(request, kind, str(error), headers={"Connection": "close"})
    if isinstance(error, TooManyError):
        headers = {"Retry-After": str(math.ceil(error.seconds))}
        return answer(request, TOO_MUCH, str(error), headers=headers)
    kind = next((each for each in _OF_ERRORS if isinstance(error, each.error)), WRONG)
    if kind.name not in _SAID:
        more = {"fields": error.fields} if isinstance(error, DifferenceError) else None
        return answer(request, kind, _without_places(request, str(error)), more=more)
    number = uuid.uuid4()
    _LOG.warning("%s: %s (%s)", number, error, _asked(request))
    headers = {"Retry-After": str(RETRY)}
    return answer(request, kind, _SAID[kind.name].format(id=number), number, headers)


class SignInError(AccessError):
    """Nobody has signed in, or with what is good for nothing."""


class TooManyError(BusyError):
    """Somebody has done much in a short time."""

    def __init__(self, text: str, seconds: float) -> None:
        super().__init__(text)
        self.seconds = seconds
        """After which it may be done again."""


class TooLargeError(InputError):
    """What was sent is larger than what is taken."""


class TooSlowError(BusyError):
    """What was to be sent did not come."""


def _signing_in(request: Request, error: SignInError) -> Response:
    """A program is told that it needs a token; who reads is led to where one is given."""
    key = key_of(request.scope)
    if _is_api(request) or not key or request.method not in ("GET", "HEAD"):
        headers = {"WWW-Authenticate": 'Bearer realm="podium"'}
        return answer(request, NOBODY, str(error), headers=headers)
    here = quote(request.scope["path"]) + (f"?{request.url.query}" if request.url.query else "")
    links = Addresses(root_of(request.scope), key)
    headers = {"Cache-Control": "no-store"}
    wanted = here if len(here) <= LONGEST_NEXT else None
    return RedirectResponse(links.sign_in(next=wanted), status_code=303, headers=headers)


def _without_places(request: Request, text: str) -> str:
    """The sentence with the name of a league in place of where the server keeps it."""
    catalogue: Mapping[str, Any] = getattr(request.app.state, "catalogue", None) or {}
    for key, hosted in catalogue.items():
        text = text.replace(hosted.league.where, key)
    return text


def _of_validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return answer(request, WRONG, wrongs(error.errors()))


def wrongs(errors: Sequence[Mapping[str, Any]]) -> str:
    """What is wrong with parameters or fields, in a sentence."""
    return f"{'; '.join(_wrongs(errors)[:3])}."


def document(request: Request, error: PodiumError) -> dict[str, Any]:
    """What is told of an error, as a problem."""
    found: dict[str, Any] = json.loads(bytes(respond(request, error).body))
    return found


def several(
    request: Request, worst: Mapping[str, Any], count: int, more: Mapping[str, Any]
) -> Response:
    """The answer to what came to nothing in part, with the status of the worst problem."""
    of_all = len(next(iter(more.values())))
    kind = next(each for each in KINDS if worst["type"].endswith(each.type()))
    detail = f"{count:,} of {of_all:,} came to nothing; one of them: {worst['detail']}"
    headers = {"Retry-After": str(RETRY)} if kind.name in _SAID else None
    return answer(request, kind, detail, headers=headers, more=more)


def _wrongs(errors: Sequence[Mapping[str, Any]]) -> list[str]:
    """What is wrong, once for each place, even if it could have been right in several ways.

    Example:
        >>> text, table = ({"loc": ("body", "keep", kind), "type": f"{kind}_type", "input": 5,
        ...                 "msg": "…"} for kind in ("string", "dict"))
        >>> _wrongs([text, table])
        ['keep must be a text or an object, not 5']
    """
    places: dict[tuple[Any, Any], list[Mapping[str, Any]]] = {}
    ours = "is_instance_of"  # what nobody can send
    said = {each["loc"][:2] for each in errors if each["type"] != ours}
    for each in errors:
        if each["type"] == ours and each["loc"][:2] in said:
            continue
        row = next((part for part in each["loc"][2:] if isinstance(part, int)), None)
        places.setdefault((each["loc"][:2], row), []).append(each)
    found = []
    for meant in places.values():
        several = [each for each in meant if _right(each).startswith("must be ")]
        found.append(wrong(meant[0], several if len(several) == len(meant) else meant[:1]))
    return found


def wrong(error: Mapping[str, Any], ways: Sequence[Mapping[str, Any]] = ()) -> str:
    """What is wrong with one parameter or field, and what would be right.

    Example:
        >>> wrong({"loc": ("query", "n"), "type": "less_than_equal", "ctx": {"le": 1000},
        ...         "input": "5000", "msg": "…"})
        "n must be at most 1,000, not '5000'"
    """
    where = error["loc"]
    name = str(where[1]) if len(where) > 1 else str(where[0])
    row = next((part for part in where[2:] if isinstance(part, int)), None)
    name = name if row is None else f"{name}, value {row + 1},"
    first, *others = dict.fromkeys(_right(each) for each in ways or (error,))
    right = " or ".join([first, *(each.removeprefix("must be ") for each in others)])
    given = error.get("input")
    short = isinstance(given, str | int | float) and len(str(given)) <= _ECHOED
    said = error["type"] not in ("missing", "value_error")
    return f"{name} {right}{f', not {given!r}' if short and said else ''}"


def _right(error: Mapping[str, Any]) -> str:
    """What would be right."""
    context, kind = error.get("ctx") or {}, error["type"]
    if kind == "value_error":
        return str(context.get("error", error["msg"]))
    meant = _IN_BODIES.get(kind) if error["loc"][0] == "body" else None
    meant = meant or _MEANT.get(kind)
    return str(error["msg"]).lower() if meant is None else meant.format(**context)


def _of_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == NO_ADDRESS.status:
        where = quote(request.url.path)[:_ECHOED]
        root = root_of(request.scope)
        api, home = f"{root}/api/v1/ tells what there is", f"the leagues are at {root}/"
        there = api if _is_api(request) else home
        return answer(request, NO_ADDRESS, f"there is nothing at {where}; {there}.")
    if error.status_code == READ_ONLY.status and "POST" in headers.get("Allow", ""):
        text = f"this is not asked for but sent, by {headers['Allow']}."
        return answer(request, SENT_ONLY, text, headers=headers)
    if error.status_code == READ_ONLY.status:
        headers["Allow"] = "GET, HEAD"
        text = "here is only reading, so GET and HEAD are answered and nothing else."
        return answer(request, READ_ONLY, text, headers=headers)
    if error.status_code == HTTPStatus.BAD_REQUEST:  # the framework's word for bodies
        return answer(request, WRONG, "the body cannot be read: it is neither JSON nor a form.")
    phrase = HTTPStatus(error.status_code).phrase
    kind = Kind("", error.status_code, phrase, InputError)
    return answer(request, kind, f"{error.detail}.", headers=headers)


def _is_api(request: Request) -> bool:
    path = path_within(request.scope)
    return path == "/api" or path.startswith("/api/")


def _asked(request: Request) -> str:
    return sentence(f"{request.method} {request.url.path}")


def answer(
    request: Request,
    kind: Kind,
    detail: str,
    number: uuid.UUID | None = None,
    headers: Mapping[str, str] | None = None,
    more: Mapping[str, Any] | None = None,
) -> Response:
    """The answer to a request that came to nothing: a problem, with `more` fields, or a page."""
    headers = {**(headers or {}), "Cache-Control": "no-store"}
    detail = sentence(detail)
    if not _is_api(request):
        return _page(request, kind, detail, headers)
    place = f"urn:uuid:{number}" if number else quote(request.url.path)[:1000]
    document = {
        "type": kind.type(root_of(request.scope)),
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
        "instance": place,
        **as_document(more or {}),
    }
    body = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
    return Response(body, kind.status, headers, MEDIA_TYPE)


def _page(request: Request, kind: Kind, detail: str, headers: dict[str, str]) -> Response:
    links = Addresses(root_of(request.scope))
    context = {"status": kind.status, "title": kind.title, "detail": detail}
    try:
        return HTMLResponse(render("error.html", links, **context), kind.status, headers)
    except (TemplateError, OSError):
        _LOG.exception("the page of errors cannot be shown")
        return PlainTextResponse(f"{kind.title}: {detail}\n", kind.status, headers)


class Unexpected:
    """Answers for what nobody foresaw, without showing how it came about; the log has that."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, and answer if that goes wrong."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception:
            request, number = Request(scope), uuid.uuid4()
            _LOG.exception("%s: %s", number, _asked(request))
            if started:  # what is on its way can only break off
                raise
            text = _SAID[UNEXPECTED.name].format(id=number)
            await answer(request, UNEXPECTED, text, number)(scope, receive, send)
