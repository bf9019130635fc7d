"""Answers that are kept: as long as a league is in one state, an address has one answer.

Whoever answers from one view says in the header ``podium-state`` which state it was of. Such an
answer is kept until the league is in another state, which is asked for before each answer: of a
league in a file nobody is ever shown what was true before. A server of PostgreSQL is asked four
times a second at most, and what was true a quarter of a second ago may be shown. Browsers and
proxies keep answers as well, and ask by their ETag whether they are still right.
"""

import asyncio
import gzip
import hashlib
import re
import zlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any

from podium import __version__
from podium.errors import PodiumError
from podium.web import metrics
from podium.web.catalogue import Hosted
from podium.web.rendering import STATIC, environment

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

STATE = "podium-state"
"""The header in which an answer says of which state of a league it is."""
MOST_BYTES = 64 * 2**20
"""Of answers that are kept, unless a site says otherwise."""
LONGEST_HEADERS = 32 * 1024
"""Bytes of headers that a request may have."""
MOST_BYTES_OF_ONE = 4 * 2**20
_STATE = STATE.encode()
_OVERHEAD = 2048
"""Bytes that an answer takes beside its body and its address, roughly."""
_LEVEL = 6
_SMALLEST = 256
"""Bytes below which compressing gains nothing."""
_AT_ONCE = 64 * 1024
"""Bytes that are compressed without a thread of their own."""
_COMPRESSIBLE = re.compile(
    rb"text/(?!event-stream)|image/svg\+xml|application/(?:[\w.+-]*(?:json|xml|javascript|x-ndjson))"
)
_ALWAYS_ASK = (b"cache-control", b"no-cache")
_FOR_EVER = (b"cache-control", b"public, max-age=31536000, immutable")
_VARY = (b"vary", b"accept-encoding")
ROOT = "podium.root"
"""Where a scope has what stands before all paths of the site."""
ASKER = "podium.asker"
"""Where a scope has what is known of who asks, an `Asker`."""
_OF_A_LEAGUE = re.compile(r"/(?:api/v1/leagues/)?([a-z0-9-]+)(?:/|$)")
_FILES = frozenset(
    f"/static/{path.relative_to(STATIC).as_posix()}" for path in STATIC.rglob("*") if path.is_file()
)
"""Styles and scripts, by their addresses; strangers write them in other ways, too."""

Key = tuple[str, str, bytes, str, bytes]


@dataclass(slots=True)
class Asker:
    """Who asks, as far as it has mattered while the answer was made."""

    is_known: bool = False
    """Whether it depends on who asks, so that it is for nobody else."""


class Kept:
    """An answer, as it is sent: plain, compressed, or only that nothing has changed."""

    __slots__ = ("body", "etag", "headers", "route", "same", "size", "state", "zipped", "zipped_as")

    def __init__(self, key: Key, state: bytes, headers: Headers, body: bytes, route: str) -> None:
        self.state = state
        self.body = body
        self.route = route
        self.etag = hashlib.blake2b(body, digest_size=12).hexdigest().encode()
        shrinks = len(body) >= _SMALLEST and _COMPRESSIBLE.match(_header(headers, b"content-type"))
        zipped = gzip.compress(body, _LEVEL, mtime=0) if shrinks else body
        self.zipped = zipped if len(zipped) < len(body) else None
        other = [each for each in headers if each[0] not in _OURS]
        common = [*other, _ALWAYS_ASK, _VARY]
        tag, zipped_tag = ((b"etag", b'"%b%b"' % (self.etag, end)) for end in (b"", b"-gzip"))
        self.headers = [*common, tag, (b"content-length", b"%d" % len(body))]
        self.zipped_as = [
            *common,
            zipped_tag,
            (b"content-encoding", b"gzip"),
            (b"content-length", b"%d" % len(self.zipped or b"")),
        ]
        self.same = [each for each in common if each[0] not in _OF_A_BODY]
        self.size = len(body) + len(self.zipped or b"") + sum(map(len, key)) + _OVERHEAD

    async def send(self, asked: "Asked", send: Send) -> None:
        """Answer a request with it."""
        zips = asked.zips and self.zipped is not None
        if asked.knows(self.etag):
            tag = b'"%b%b"' % (self.etag, b"-gzip" if zips else b"")
            await _send_nothing(send, [*self.same, (b"etag", tag)])
            return
        headers, body = (self.zipped_as, self.zipped) if zips else (self.headers, self.body)
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if asked.is_head else body})


_OURS = frozenset((_STATE, b"cache-control", b"etag", b"vary", b"content-length"))
"""Headers of an answer that are written anew."""
_OF_ITS_OWN = (b"set-cookie", b"content-encoding", b"cache-control", b"etag")
"""Headers of an answer that says itself how to send it."""
_OF_A_BODY = frozenset((b"content-type", b"content-disposition", b"content-language"))


async def _send_nothing(send: Send, headers: Headers) -> None:
    """Answer that what the browser has is still right."""
    await send({"type": "http.response.start", "status": 304, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request says that matters here."""

    key: Key
    is_head: bool
    zips: bool
    """Whether the answer may be compressed."""
    known: bytes
    """The tags of answers that the browser has."""

    @classmethod
    def of(cls, scope: Scope) -> "Asked":
        """Look at its address and headers."""
        host = known = accepted = b""
        for name, value in scope["headers"]:
            if name == b"host":
                host = value
            elif name == b"accept-encoding":
                accepted = value
            elif name == b"if-none-match":
                known = known + b"," + value if known else value
        # Feeds say in full where they are, so the host is a part of the question.
        address = scope.get("scheme", ""), root_of(scope), host
        key = (*address, scope["path"], scope["query_string"])
        return cls(key, scope["method"] == "HEAD", _takes_gzip(accepted), known)

    def knows(self, tag: bytes) -> bool:
        """Whether the browser has the answer with this tag."""
        return bool(self.known) and tag in _tags(self.known)

    def tag_at(self, state: bytes) -> bytes:
        """What stands for an answer that is too large to keep: the address has one in a state."""
        said = repr((__version__, state, self.key)).encode()
        return hashlib.blake2b(said, digest_size=12).hexdigest().encode()


class Cache:
    """Middleware that keeps answers; it stands around all others but those who count.

    Args:
        app: Who answers what is not kept.
        catalogue: The leagues by what they are called in addresses.
        most_bytes: How much may be kept, of which what was asked for longest ago goes first.
    """

    def __init__(
        self,
        app: App,
        catalogue: Mapping[str, Hosted],
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._app = app
        self._states = {key: State(hosted) for key, hosted in catalogue.items()}
        self._most_bytes = most_bytes
        self._kept: OrderedDict[Key, Kept] = OrderedDict()
        self._bytes = 0
        self._coming: dict[tuple[Key, bytes], asyncio.Future[Kept | None]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer from what is kept, or pass on."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        asked = Asked.of(scope)
        state = await self._state(scope) if _is_usual(scope) else None
        if state is None:
            await self._pass_on(scope, receive, send, asked, None)
            return
        if asked.known and asked.knows(tag := asked.tag_at(state)):
            scope["podium.route"] = metrics.UNCHANGED
            await _send_nothing(send, [_ALWAYS_ASK, _VARY, (b"etag", b'W/"%b"' % tag)])
            return
        kept = self._found(asked.key, state)
        if kept is None and (coming := self._coming.get((asked.key, state))) is not None:
            kept = await asyncio.shield(coming)
        metrics.count_kept(kept is not None)
        if kept is None:
            await self._pass_on(scope, receive, send, asked, state)
            return
        scope["podium.route"] = kept.route
        await kept.send(asked, send)

    async def _state(self, scope: Scope) -> bytes | None:
        """The state of the league that the address is about, if it is about one that answers."""
        state = self._states.get(key_of(scope))
        if state is None:
            return None
        try:
            return await state.now()
        except PodiumError:  # whoever answers says it better
            return None

    def _found(self, key: Key, state: bytes) -> Kept | None:
        kept = self._kept.get(key)
        if kept is None or kept.state != state:
            return None
        self._kept.move_to_end(key)
        return kept

    def _keep(self, key: Key, kept: Kept) -> None:
        before = self._kept.pop(key, None)
        self._bytes += kept.size - (0 if before is None else before.size)
        self._kept[key] = kept
        while self._bytes > self._most_bytes:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= oldest.size

    async def _pass_on(
        self, scope: Scope, receive: Receive, send: Send, asked: Asked, state: bytes | None
    ) -> None:
        """Let the application answer; those who ask the same meanwhile wait for its answer."""
        mark = (asked.key, state) if state is not None else None
        coming: asyncio.Future[Kept | None] = asyncio.get_running_loop().create_future()
        if mark is not None and mark not in self._coming:
            self._coming[mark] = coming
        # Routes are declared for GET; of their answers to HEAD only the start is sent. The server
        # looks at what it gave, so that it is left as it is.
        inner = {**scope, "method": "GET"}
        answering = _Answering(self, inner, send, asked, coming)
        try:
            await self._app(inner, answering.receiving(receive), answering.send)
        finally:
            scope["podium.route"] = inner.get("podium.route") or metrics.route_of(inner)
            if not coming.done():
                coming.set_result(None)
            if mark is not None and self._coming.get(mark) is coming:
                del self._coming[mark]


def _is_usual(scope: Scope) -> bool:
    """Whether a request has no body and short headers; of others it is said what is wrong."""
    size = 0
    for name, value in scope["headers"]:
        size += len(name) + len(value)
        if name == b"transfer-encoding" or (name == b"content-length" and value != b"0"):
            return False
    return size <= LONGEST_HEADERS


class _Answering:
    """The answer of the application to one request, on its way out."""

    def __init__(
        self,
        cache: Cache,
        scope: Scope,
        send: Send,
        asked: Asked,
        coming: "asyncio.Future[Kept | None]",
    ) -> None:
        self._cache = cache
        self._scope = scope
        self._path = path_within(scope)
        self._send = send
        self._asked = asked
        self._coming = coming
        self._start: Message | None = None
        """The start of an answer that is held back, since it gets a tag if it is small enough."""
        self._is_kept = False
        """Whether the answer that is held back will be kept."""
        self._parts: list[bytes] = []
        self._size = 0
        self._zipping: zlib._Compress | None = None
        self._heard_enough = asyncio.Event()

    def receiving(self, receive: Receive) -> Receive:
        """Who only wants to know the start of an answer hangs up when it is there."""
        if not self._asked.is_head:
            return receive

        async def until_heard() -> Message:
            request = asyncio.ensure_future(receive())
            enough = asyncio.ensure_future(self._heard_enough.wait())
            await asyncio.wait((request, enough), return_when=asyncio.FIRST_COMPLETED)
            enough.cancel()
            if request.done():
                return request.result()
            request.cancel()
            return {"type": "http.disconnect"}

        return until_heard

    async def send(self, message: Message) -> None:
        """One more part of it."""
        if message["type"] == "http.response.start":
            await self._begin(message)
        elif message["type"] != "http.response.body":
            await self._send(message)
        elif self._start is not None:
            await self._hold(message)
        else:
            await self._go_on(message)

    async def _begin(self, message: Message) -> None:
        headers: Headers = [(bytes(name).lower(), value) for name, value in message["headers"]]
        message["headers"] = headers
        asker: Asker | None = self._scope.get(ASKER)
        is_same = message["status"] == 200 and _depends_on_its_address(headers)
        is_same = is_same and not (asker is not None and asker.is_known)
        self._is_kept = is_same and bool(_header(headers, _STATE))
        if not self._is_kept:
            self._tell(None)
        if self._is_kept or (is_same and _is_short(headers)):
            self._start = message
        else:
            await self._start_anyway(message, headers)

    async def _hold(self, message: Message) -> None:
        self._parts.append(bytes(message.get("body", b"")))
        self._size += len(self._parts[-1])
        start = self._start
        assert start is not None
        if self._size > MOST_BYTES_OF_ONE:
            self._start = None
            self._tell(None)
            await self._start_anyway(start, start["headers"])
            message["body"] = b"".join(self._parts)
            self._parts.clear()
            await self._go_on(message)
        elif not message.get("more_body", False):
            answer = await self._made(start["headers"], b"".join(self._parts))
            if self._is_kept:
                self._cache._keep(self._asked.key, answer)
                self._tell(answer)
            await answer.send(self._asked, self._send)

    def _tell(self, kept: Kept | None) -> None:
        """Let those who wait for the same answer have it, or go and ask themselves."""
        if not self._coming.done():
            self._coming.set_result(kept)

    async def _made(self, headers: Headers, body: bytes) -> Kept:
        key, state = self._asked.key, _header(headers, _STATE)
        route = metrics.route_of(self._scope)
        if len(body) <= _AT_ONCE:
            return Kept(key, state, headers, body, route)
        return await asyncio.to_thread(Kept, key, state, headers, body, route)

    async def _start_anyway(self, message: Message, headers: Headers) -> None:
        """Begin an answer that nobody keeps, compressed on its way if that makes sense."""
        state = _header(headers, _STATE)
        headers = [each for each in headers if each[0] != _STATE]
        if self._is_kept:  # or would be, were it smaller
            headers.append((b"etag", b'W/"%b"' % self._asked.tag_at(state)))
        if not _header(headers, b"cache-control"):
            headers.append(_how_long(self._path, self._asked, message["status"]))
        length = _header(headers, b"content-length")
        if (
            _COMPRESSIBLE.match(_header(headers, b"content-type"))
            and message["status"] not in (204, 206, 304)
            and not _header(headers, b"content-encoding")
            and not (length and int(length) < _SMALLEST)
        ):
            headers = [each for each in headers if each[0] != b"vary"] + [_VARY]
            if self._asked.zips:
                lost = (b"content-length", b"accept-ranges", b"etag")
                etag = _header(headers, b"etag")
                headers = [each for each in headers if each[0] not in lost]
                headers.append((b"content-encoding", b"gzip"))
                if etag:  # the bytes are others, and yet it says the same
                    headers.append((b"etag", etag if etag.startswith(b"W/") else b"W/" + etag))
                self._zipping = zlib.compressobj(_LEVEL, wbits=31)
        message["headers"] = headers
        await self._send(message)

    async def _go_on(self, message: Message) -> None:
        if self._asked.is_head:
            if not self._heard_enough.is_set():
                self._heard_enough.set()
                await self._send({"type": "http.response.body", "body": b""})
            return
        if self._zipping is not None:
            is_last = not message.get("more_body", False)
            body = message.get("body", b"")
            if len(body) <= _AT_ONCE:
                zipped = self._zipping.compress(body)
            else:
                zipped = await asyncio.to_thread(self._zipping.compress, body)
            message["body"] = zipped + self._zipping.flush() if is_last else zipped
            if not message["body"] and not is_last:
                return
        await self._send(message)


class State:
    """The state that a league is in, for the loop of events."""

    def __init__(self, hosted: Hosted) -> None:
        self._league = hosted.league
        self._is_quick = hosted.is_in_a_file
        self._asking: asyncio.Future[bytes] | None = None
        self._next: asyncio.Future[bytes] | None = None

    async def now(self) -> bytes:
        """What it is at a moment after this call, or what the league raises.

        A server takes a while to say so and is asked in a thread: by one at a time, for all who
        came before.
        """
        if self._is_quick:
            return self._league.pulse().encode()
        if self._next is None:
            self._next = asyncio.ensure_future(self._ask(self._asking))
        return await asyncio.shield(self._next)

    async def _ask(self, before: "asyncio.Future[bytes] | None") -> bytes:
        if before is not None and not before.done():
            await asyncio.wait((before,))
        self._asking, self._next = self._next, None
        return (await asyncio.to_thread(self._league.pulse)).encode()


def key_of(scope: Scope) -> str:
    """What the league that an address is about is called there; empty if it is about none."""
    found = _OF_A_LEAGUE.match(path_within(scope))
    return "" if found is None else found[1]


def root_of(scope: Scope) -> str:
    """What stands before all paths of the site.

    It was noted when the request came in (`ROOT`): below a mount in the site, or of the site in
    another, Starlette says something else.
    """
    said = scope.get(ROOT)
    if said is None:
        said = scope.get("app_root_path", scope.get("root_path", ""))
    return str(said).rstrip("/")


def path_within(scope: Scope) -> str:
    """The path of a request within the site, whether or not a proxy has taken the prefix off."""
    path, root = str(scope["path"]), root_of(scope)
    if root and path.startswith(root) and path[len(root) : len(root) + 1] in ("", "/"):
        return path[len(root) :]
    return path


def _how_long(path: str, asked: Asked, status: int) -> tuple[bytes, bytes]:
    """What browsers are told about an answer that is not kept here.

    An address that names the version of a file always means the same file.
    """
    if status in (200, 206, 304) and path in _FILES:
        version_of: Any = environment().globals["version"]
        version = version_of(path.removeprefix("/static/"))
        if asked.key[-1] == f"v={version}".encode():
            return _FOR_EVER
    return _ALWAYS_ASK


def _header(headers: Headers, wanted: bytes) -> bytes:
    return next((value for name, value in headers if name == wanted), b"")


def _depends_on_its_address(headers: Headers) -> bool:
    """Whether an answer is the same for all who ask, and leaves to us how to send it."""
    if any(_header(headers, each) for each in _OF_ITS_OWN):
        return False
    return _header(headers, b"vary").lower() in (b"", b"accept-encoding")


def _is_short(headers: Headers) -> bool:
    """Whether an answer is there as a whole, and not large."""
    return 0 < int(_header(headers, b"content-length") or 0) <= MOST_BYTES_OF_ONE


def _takes_gzip(accepted: bytes) -> bool:
    """Whether a browser that accepts these encodings takes gzip.

    Example:
        >>> _takes_gzip(b"gzip, deflate, br"), _takes_gzip(b"gzip;q=0, br"), _takes_gzip(b"")
        (True, False, False)
    """
    if b"gzip" not in accepted:
        return False
    refused = re.search(rb"gzip\s*;\s*q=0(?:\.0*)?\s*(?:,|$)", accepted)
    return refused is None


def _tags(known: bytes) -> set[bytes]:
    """What a browser has, by the tags that it was given.

    Example:
        >>> sorted(_tags(b'"ab", W/"cd-gzip"'))
        [b'ab', b'cd']
    """
    return {tag.removesuffix(b"-gzip") for tag in re.findall(rb'"([^"]*)"', known)}
