"""What keeps a site safe to show: headers on every answer, and limits on every request."""

import asyncio
import os
import re
from urllib.parse import parse_qsl

from fastapi import FastAPI
from starlette.requests import Request

from podium.web.caching import (
    LONGEST_HEADERS,
    App,
    Headers,
    Message,
    Receive,
    Scope,
    Send,
    path_within,
)
from podium.web.problems import (
    BODY,
    BUSY,
    LONG_ADDRESS,
    LONG_HEADERS,
    READ_ONLY,
    RETRY,
    TOO_LARGE,
    Kind,
    TooLargeError,
    TooSlowError,
    answer,
)

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
"""What a page may do: nothing that does not come from the site itself, and nothing inline."""
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors *"
"""What a picture for other sites may do: have colours."""
LONGEST_ADDRESS = 64 * 1024
"""Bytes of path and query: room for a field of names, or for two with 1,000 letters of any kind."""
MOST_PARAMETERS = 1000
LARGEST = 32 * 2**20
"""Bytes of what may be sent in one request, where anything may."""
LARGEST_OF_STRANGERS = 16 * 1024
"""Bytes of what somebody may send who has not signed in: a token, and where to go on to."""
SLOWEST = 30.0
"""Seconds within which the next piece of what is sent has to come."""
WRITING = frozenset(("POST", "PUT", "DELETE"))
"""How something is sent."""
TABLES = 4
"""Whole tables that are on their way at once, which may take as long as who reads them."""
QUEUE = 64
"""Requests that may wait until some of those that take long are done."""
PATIENCE = 10.0
"""Seconds that they may wait."""

_PICTURE = re.compile(r"/[^/]+/(?:badge|curve)(?:/.*)?\.svg$", re.DOTALL)
_LONG = re.compile(
    r"/(?:why|explanation|what-if|look-back|compare|chances|predict|prediction|match)(?:/|$)"
    r"|^/[^/]+/leaderboard\.[^/]+$"
)
_STREAM = re.compile(
    r"/api/v1/leagues/[^/]+/(?:export/|export\.zip$|backup\.db$)"
    r"|/[^/]+/organise/(?:export\.zip|backup\.db)$"
)
_SIGNING = re.compile(r"/[^/]+/sign-(?:in|out)$")


def _headers(policy: str, others: str) -> Headers:
    return [
        (b"content-security-policy", policy.encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"same-origin"),
        (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"cross-origin-resource-policy", others.encode()),
    ]


_OF_PAGES = _headers(POLICY, "same-origin")
_OF_PICTURES = _headers(PICTURE_POLICY, "cross-origin")
_OF_THE_API = [*_headers(POLICY, "cross-origin"), (b"access-control-allow-origin", b"*")]
"""Scripts of other sites may read what everybody may; cookies are nothing to the API."""


CONFIDED: Headers = [
    *(each for each in _OF_PAGES if each[0] != b"cross-origin-resource-policy"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
    (b"vary", b"authorization"),
]
"""What is said on an answer of the API to somebody who has a token."""


def install(app: FastAPI, *, writable: bool = False) -> None:
    """Put it around an application; what keeps answers stands around it in turn."""
    app.add_middleware(Shielded, writable=writable)


def shielding(path: str, send: Send) -> Send:
    """What sends an answer about a path with the headers that say what it may do."""
    ours = _OF_PICTURES if _PICTURE.match(path) else _OF_PAGES
    ours = _OF_THE_API if path.startswith("/api/") else ours

    async def shielded(message: Message) -> None:
        if message["type"] == "http.response.start":
            theirs = {bytes(name).lower() for name, _ in message["headers"]}
            more = [each for each in ours if each[0] not in theirs]
            message["headers"] = [*message["headers"], *more]
        await send(message)

    return shielded


class Shielded:
    """Middleware that refuses what nobody needs to ask, and says on every answer what it may do.

    Args:
        app: Who answers.
        at_once: How many answers that take long are computed at once; others wait, and if too many
            do, they are told to come again.
        writable: Whether something may be sent here, too.
    """

    def __init__(self, app: App, at_once: int | None = None, *, writable: bool = False) -> None:
        self._app = app
        self._writable = writable
        self._work = Lane(at_once or min(8, max(2, os.cpu_count() or 1)))
        self._streams = Lane(TABLES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is in order, when it is its turn."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = path_within(scope)
        shielded = shielding(path, send)
        refusal = refused(scope, self._writable)
        if self._writable and scope["method"] in WRITING:
            receive = measured(receive, _most(path))
        if refusal is not None:
            await refuse(scope, receive, shielded, *refusal)
        elif _STREAM.match(path):
            await self._in(self._streams, scope, receive, shielded)
        elif _LONG.search(path) or _looks_back(scope):
            await self._in(self._work, scope, receive, shielded)
        else:
            await self._app(scope, receive, shielded)

    async def _in(self, lane: "Lane", scope: Scope, receive: Receive, send: Send) -> None:
        """Answer when it is its turn."""
        if not await lane.enter():
            text = "too many ask at once for what takes long; the same may work in a moment."
            await refuse(scope, receive, send, BUSY, text)
            return
        inside = True

        def leave() -> None:
            nonlocal inside
            if inside:
                inside = False
                lane.leave()

        async def leaving(message: Message) -> None:
            if lane is self._work:  # it is done, and whoever reads slowly is in nobody's way
                leave()
            await send(message)

        try:
            await self._app(scope, receive, leaving)
        finally:
            leave()


def _looks_back(scope: Scope) -> bool:
    """Whether something is asked for as of a date, or of the end of a season."""
    query = bytes(scope["query_string"])
    asked = dict(parse_qsl(query.decode("latin-1"))) if b"=" in query else {}
    return "at" in asked or "season" in asked


class Lane:
    """Room for so many at once, and for a queue before it that is not endless."""

    def __init__(self, most: int, queue: int = QUEUE, patience: float = PATIENCE) -> None:
        self._places = asyncio.Semaphore(most)
        self._queue = queue
        self._patience = patience
        self._waiting = 0

    async def enter(self) -> bool:
        """Whether there was room in time; whoever comes in has to leave."""
        if self._waiting >= self._queue:
            return False
        self._waiting += 1
        try:
            async with asyncio.timeout(self._patience):
                await self._places.acquire()
        except TimeoutError:
            return False
        finally:
            self._waiting -= 1
        return True

    def leave(self) -> None:
        """Make room for the next."""
        self._places.release()


def refused(scope: Scope, writable: bool) -> tuple[Kind, str] | None:
    """The kind of problem and the sentence with which a request is refused, if it is."""
    query: bytes = scope["query_string"]
    length = len(scope.get("raw_path") or scope["path"].encode("utf-8", "replace")) + len(query)
    if length > LONGEST_ADDRESS:
        return LONG_ADDRESS, f"the address has {length:,} bytes; it may have {LONGEST_ADDRESS:,}."
    parameters = query.count(b"&") + 1
    if parameters > MOST_PARAMETERS:
        return LONG_ADDRESS, (
            f"the address has {parameters:,} parameters; it may have {MOST_PARAMETERS:,}."
        )
    size, body, has_body = 0, 0, False
    for name, value in scope["headers"]:
        size += len(name) + len(value)
        if name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0 ")):
            has_body = True
        if name == b"content-length" and value.isdigit():
            body = max(body, int(value[:20]))
    if size > LONGEST_HEADERS:
        return LONG_HEADERS, f"the headers have {size:,} bytes; they may have {LONGEST_HEADERS:,}."
    if writable and scope["method"] in WRITING:
        most = _most(path_within(scope))
        return (TOO_LARGE, _too_large(body, most)) if body > most else None
    if scope["method"] not in ("GET", "HEAD"):
        return READ_ONLY, "here is only reading, so GET and HEAD are answered and nothing else."
    if has_body:
        return BODY, "a request has no body here: all that can be asked stands in the address."
    return None


def _most(path: str) -> int:
    """Bytes of what may be sent to an address."""
    return LARGEST_OF_STRANGERS if _SIGNING.match(path) else LARGEST


def _too_large(size: int, most: int) -> str:
    return f"{size:,} bytes were sent; at most {most:,} are taken."


def measured(receive: Receive, most: int = LARGEST) -> Receive:
    """What receives a body until it is too large, whatever its header said, or too slow."""
    size, whole = 0, False

    async def piece() -> Message:
        nonlocal size, whole
        if whole:  # whoever listens on waits for the end of the connection, which may take long
            return await receive()
        try:
            async with asyncio.timeout(SLOWEST):
                message = await receive()
        except TimeoutError:
            raise TooSlowError(f"nothing came for {SLOWEST:.0f} s; send it again.") from None
        whole = not message.get("more_body", False)
        size += len(message.get("body", b""))
        if size > most:
            raise TooLargeError(_too_large(size, most))
        return message

    return piece


async def refuse(scope: Scope, receive: Receive, send: Send, kind: Kind, text: str) -> None:
    """Answer that something is not done."""
    headers = {
        READ_ONLY: {"Allow": "GET, HEAD", "Connection": "close"},
        BODY: {"Connection": "close"},
        TOO_LARGE: {"Connection": "close"},
        BUSY: {"Retry-After": str(RETRY)},
    }.get(kind, {})
    await answer(Request(scope), kind, text, headers=headers)(scope, receive, send)
