"""Who comes in: programs by their tokens, browsers by their sessions, and how far each may go.

A program sends its token with every request to the API. A browser signs in with one, and then has a
cookie: signed with the site's secret, which keeps what nobody signed away from the database, sent
to this league's pages alone, and out of reach of scripts. The API takes no cookies, so that no page
of another site can use it in somebody's name; forms on pages carry a text that only their reader
knows.
"""

import asyncio
import hashlib
import hmac
import ipaddress
import os
import re
import secrets
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from fastapi import Request
from fastapi.responses import Response
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException

from podium.errors import AccessError, InputError, NotFoundError, PodiumError, StorageError
from podium.files import reason
from podium.league import League, access, hiding
from podium.league.access import Token
from podium.results.times import from_microseconds
from podium.web import security
from podium.web.caching import (
    ASKER,
    ROOT,
    App,
    Asker,
    Headers,
    Message,
    Receive,
    Scope,
    Send,
    State,
    key_of,
    path_within,
    root_of,
)
from podium.web.catalogue import Catalogue, Hosted
from podium.web.problems import SignInError, TooLargeError, TooManyError, respond

R = TypeVar("R")
VARIABLE = "PODIUM_SECRET"
"""The variable in which the secret of a site may stand."""
COOKIE = "podium-session"
FORM = "csrf"
"""The field of a form that says who has read the page."""
_SHORTEST, _LONGEST = 32, 4096
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_CHARSET = re.compile(r"charset\s*=\s*\"?([^\s\";]*)", re.IGNORECASE)
_MOST_FIELDS = 20_000
_MOST_FILES = 100
_MUCH = re.compile("too many|exceeded", re.IGNORECASE)
_LOOKS = 1.0
"""Seconds after which it is asked again whether somebody may be told what takes longer."""
_PREFIX = 64
"""Bits of an address of IPv6 that one visitor has."""


def secret_key(file: Path | None = None) -> bytes:
    """The secret of a site: in the environment, or in a file that only its owner reads.

    A file that is not there is made.
    """
    said = os.environ.get(VARIABLE)
    if said is not None:
        return _long_enough(said, f"the variable {VARIABLE}")
    path = _usual_file() if file is None else file
    try:
        if not path.exists():
            _make_secret(path)
        with path.open(encoding="ascii") as opened:
            _refuse_what_others_read(opened.fileno(), path)
            return _long_enough(opened.read(_LONGEST).strip(), str(path))
    except (OSError, UnicodeDecodeError) as error:
        why = reason(error) if isinstance(error, OSError) else "it is no plain text"
        raise StorageError(f"{path}: cannot be the secret of the site ({why}).") from None


def _usual_file() -> Path:
    """Where the secret of a user's sites is."""
    try:
        home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    except RuntimeError:
        raise InputError(
            f"this user has no home, in which the secret of the site could be; --secret-file FILE "
            f"names another place, and the variable {VARIABLE} can be the secret itself."
        ) from None
    return Path(home) / "podium" / "secret"


def _make_secret(path: Path) -> None:
    """Write a new secret to a file, unless somebody else has just done so.

    It is written aside and then given its name, so that nobody ever reads a part of it.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    descriptor = os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as opened:
            opened.write(f"{secrets.token_urlsafe(48)}\n")
            opened.flush()
            os.fsync(opened.fileno())
        with suppress(FileExistsError):
            os.link(aside, path)
    finally:
        aside.unlink()


def _refuse_what_others_read(descriptor: int, path: Path) -> None:
    if os.name != "posix":
        return
    status = os.fstat(descriptor)
    if stat.S_IMODE(status.st_mode) & 0o077:
        raise InputError(
            f"{path}: others can read the secret of the site; chmod 600 {path} keeps it."
        )
    if status.st_uid not in (os.geteuid(), 0):
        raise InputError(
            f"{path}: the secret of the site belongs to another user, who could change it."
        )


def _long_enough(secret: str, where: str) -> bytes:
    if len(secret) < _SHORTEST:
        raise InputError(
            f"{where}: the secret of a site has at least {_SHORTEST} characters, not {len(secret)}."
        )
    return secret.encode("utf-8", "surrogateescape")


@dataclass(frozen=True)
class Visitor:
    """Somebody who may do something here."""

    token: Token
    session: str | None = None
    """What stands for the session of a browser."""
    csrf: str = ""
    """What the forms of this visitor carry."""

    @property
    def name(self) -> str:
        """In whose name changes are made."""
        return self.token.name


class Doors:
    """What a site that may write knows of those who come in.

    Args:
        secret: What signs cookies and forms.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def _signature(self, *what: str) -> str:
        said = "\0".join(what).encode("utf-8", "replace")
        return hmac.new(self._secret, said, hashlib.sha256).hexdigest()

    def visitor(self, request: Request, hosted: Hosted) -> Visitor:
        """Who asks; a `SignInError` if nobody has said so, or with what is good for nothing."""
        try:
            if path_within(request.scope).startswith("/api/"):
                return self._by_token(request, hosted)
            return self._by_session(request, hosted)
        except SignInError:
            raise
        except AccessError as error:
            raise SignInError(str(error)) from None

    def _by_token(self, request: Request, hosted: Hosted) -> Visitor:
        return Visitor(hosted.league.identified(token_in(request)))

    def _by_session(self, request: Request, hosted: Hosted) -> Visitor:
        session = self._session(request, hosted)
        if session is None:
            raise SignInError("nobody is signed in.")
        token = hosted.league.signed_in(session)
        return Visitor(token, session, self._signature("form", hosted.key, session))

    def _session(self, request: Request, hosted: Hosted) -> str | None:
        """What stands for a session in a cookie that this site has signed for this league."""
        session, _, signature = request.cookies.get(COOKIE, "").partition(".")
        wanted = self._signature("session", hosted.key, session)
        is_signed = hmac.compare_digest(signature.encode("utf-8", "replace"), wanted.encode())
        return session if session and is_signed else None

    def sign_in(self, request: Request, hosted: Hosted, text: str, answer: Response) -> None:
        """Let an answer begin the session of a browser, for whoever has a token.

        It is a new one, and what the browser had before is good for nothing.
        """
        token, earlier = hosted.league.identified(text), self._session(request, hosted)
        with writing(hosted).noting() as connection:
            if earlier is not None:
                access.sign_out(connection, earlier)
            session, until = access.sign_in(connection, token)
        signed = f"{session}.{self._signature('session', hosted.key, session)}"
        answer.set_cookie(
            COOKIE,
            signed,
            expires=from_microseconds(until).replace(tzinfo=UTC),
            **_attributes(request, hosted),
        )

    def sign_out(
        self, request: Request, hosted: Hosted, visitor: Visitor, answer: Response
    ) -> None:
        """End the session of a browser, here and there."""
        if visitor.session is not None:
            with writing(hosted).noting() as connection:
                access.sign_out(connection, visitor.session)
        answer.delete_cookie(COOKIE, **_attributes(request, hosted))
        answer.headers["Clear-Site-Data"] = '"cache"'


def _attributes(request: Request, hosted: Hosted) -> dict[str, Any]:
    """To whom a browser sends the cookie: to pages of this league, from pages of this site."""
    public = request.app.state.address or ""
    return {
        "path": f"{root_of(request.scope)}/{hosted.key}/",
        "secure": request.url.scheme == "https" or public.startswith("https://"),
        "httponly": True,
        "samesite": "lax",
    }


def token_in(request: Request) -> str:
    """The text of the token that a program sends; raise if it sends none."""
    scheme, _, text = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not text.strip():
        raise SignInError(
            "a token is needed, in the header 'Authorization: Bearer podium_…'; podium token "
            "LEAGUE create makes one."
        )
    return text.strip()


def hosted_by(request: Request) -> Hosted:
    """The league that the address names."""
    catalogue: Catalogue = request.app.state.catalogue
    return catalogue.named(request.path_params["key"])


def writing(hosted: Hosted) -> League:
    """The league, to be changed."""
    if hosted.writer is None:
        raise NotFoundError(
            "this site only shows leagues; podium serve --writable is one that changes them."
        )
    return hosted.writer


@dataclass(frozen=True)
class Needs:
    """Who may ask: whoever has a token that lets them do this.

    Example:
        >>> Needs("organise").role
        'organise'
    """

    role: str

    def __call__(self, request: Request) -> Visitor:
        """Who asks; raise if it is nobody who may."""
        hosted = hosted_by(request)
        writing(hosted)
        asker: Asker | None = request.scope.get(ASKER)
        if asker is not None:
            asker.is_known = True
        doors: Doors = request.app.state.doors
        visitor = doors.visitor(request, hosted)
        visitor.token.require(self.role)
        return visitor


class _Known(NamedTuple):
    """What is known of a league until somebody changes it."""

    tokens: dict[str, Token]
    hidden: list[frozenset[str]]
    """The names of hidden players, once they were asked for."""


class Regulars:
    """Who comes again and again: as long as a league is in one state, it is asked once for each.

    Args:
        hosted: The league.
        only_fed: Whether it came from one state to another by matches alone, which change nothing
            of who may do what, nor of who is hidden.
    """

    def __init__(self, hosted: Hosted, only_fed: Callable[[str, str], bool]) -> None:
        self._hosted = hosted
        self._only_fed = only_fed
        self._state = State(hosted)
        self._seen = b""
        """The state that all of this is true of."""
        self._known = _Known({}, [])

    async def token(self, request: Request, role: str) -> Token:
        """Whose token it is that is sent; raise if it does not let them do what a role does."""
        writing(self._hosted)
        text, state = token_in(request), await self._state.now()
        if state != self._seen:
            if not self._only_fed(self._seen.decode(), state.decode()):
                self._known = _Known({}, [])
            self._seen = state
        tokens = self._known.tokens  # whoever asks for long may not tell those who came later
        found = tokens.get(text)
        if found is None or found.has_expired:
            found = tokens[text] = await self._asked(self._identified, text)
        found.require(role)
        return found

    async def hidden(self, token: Token) -> frozenset[str]:
        """The names of players whom somebody who was let in may not see."""
        if token.allows("organise"):
            return frozenset()
        known = self._known.hidden
        if not known:
            known.append(await self._asked(self._all_hidden))
        return known[0]

    async def _asked(self, ask: Callable[..., R], *what: Any) -> R:
        """What the league answers; of a file at once, and of a server in a thread."""
        if self._hosted.is_in_a_file:
            return ask(*what)
        return await asyncio.to_thread(ask, *what)

    def _identified(self, text: str) -> Token:
        try:
            return self._hosted.league.identified(text)
        except AccessError as error:
            raise SignInError(str(error)) from None

    def _all_hidden(self) -> frozenset[str]:
        with self._hosted.league.snapshot(with_hidden=True) as view:
            return hiding.hidden_names(view._connection)


async def checked_form(request: Request, visitor: Visitor | None = None) -> FormData:
    """The fields of a form that whoever asks has sent from a page of this site."""
    refuse_other_sites(request)
    form = await _form(request)
    said = form.get(FORM)
    text = said.encode("utf-8", "replace") if isinstance(said, str) else b""
    if visitor is not None and not hmac.compare_digest(text, visitor.csrf.encode()):
        raise AccessError(
            "the form is of another session than the one that you are signed in by; go back, load "
            "the page anew, and send it again."
        )
    return form


async def _form(request: Request) -> FormData:
    """The fields of a form, as browsers send them and no otherwise."""
    kind, _, more = request.headers.get("content-type", "").partition(";")
    charset = _CHARSET.search(more)
    if kind.strip().lower() not in _FORMS or (charset and charset[1].lower() != "utf-8"):
        raise InputError(f"a form is sent as {' or '.join(_FORMS)}, in UTF-8.")
    if kind.strip().lower() == _FORMS[0]:
        fields = (await request.body()).count(b"&") + 1
        if fields > _MOST_FIELDS:
            raise TooLargeError(f"the form has {fields:,} fields; it may have {_MOST_FIELDS:,}.")
    try:
        return await request.form(
            max_files=_MOST_FILES, max_fields=_MOST_FIELDS, max_part_size=security.LARGEST
        )
    except (MultiPartException, HTTPException) as error:
        told = error.message if isinstance(error, MultiPartException) else error.detail
        problem = TooLargeError if _MUCH.search(told) else InputError
        raise problem(f"the form cannot be read: {told.rstrip('.').lower()}.") from None


def refuse_other_sites(request: Request) -> None:
    """Raise if a page of another site has sent a request.

    Browsers say from where it comes; programs, which have no cookies of others, need not.
    """
    headers = request.headers
    host, public = headers.get("host", ""), request.app.state.address
    own = {f"{scheme}://{host}".lower() for scheme in ("http", "https")} | {public}
    origin = headers.get("origin")
    if headers.get("sec-fetch-site") not in (None, "same-origin", "none") or (
        origin is not None and origin.lower() not in own
    ):
        raise AccessError("this was sent by a page of another site, and is not done.")


def limited(hosted: Hosted, subject: str, *, every: float, burst: int) -> None:
    """Count what somebody does; raise if it was too much in a short time.

    It may be done once `every` so many seconds in the long run, and `burst` times in a row.
    """
    league = writing(hosted)
    # Whoever has to wait is told so without a turn among those who write.
    refuse_too_many(hosted.league.waiting(subject, every, burst))
    with league.noting() as connection:
        seconds = access.spend(connection, subject, every, burst)
    refuse_too_many(seconds)


def refuse_too_many(seconds: float) -> None:
    """Raise if somebody has to wait so long."""
    if seconds > 0.0:
        raise TooManyError(
            f"that was much in a short time; the same works in {max(1, round(seconds)):,} s.",
            seconds,
        )


def visitor_address(request: Request) -> str:
    """Where a visitor comes from, as far as one of them has it alone.

    Of IPv6 that is a whole network.
    """
    return _neighbourhood(request.client.host if request.client else "")


def _neighbourhood(host: str) -> str:
    """An address, or the network that one visitor has.

    Example:
        >>> _neighbourhood("192.0.2.7"), _neighbourhood("::ffff:192.0.2.7")
        ('192.0.2.7', '192.0.2.7')
        >>> _neighbourhood("2001:db8:1:2:3::7"), _neighbourhood("")
        ('2001:db8:1:2::/64', 'somewhere')
    """
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return "somewhere"
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, _PREFIX), strict=False))


class Private:
    """Middleware that shows private leagues to those alone who have a token.

    It stands around what keeps answers: those of a private league are the same for all who may see
    it, and nobody else keeps them. What depends on who asks is kept by nobody at all.

    Args:
        app: Who answers those who may ask.
        catalogue: The leagues by what they are called in addresses.
        doors: Who knows who may; None on a site that only reads, where nobody signs in.
    """

    def __init__(self, app: App, catalogue: Mapping[str, Hosted], doors: Doors | None) -> None:
        self._app = app
        self._catalogue = catalogue
        self._doors = doors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, unless it is nobody's business."""
        scope[ROOT] = scope.get("root_path", "")  # before anything is routed
        hosted = self._catalogue.get(key_of(scope)) if scope["type"] == "http" else None
        if hosted is None:
            await self._app(scope, receive, send)
            return
        scope[ASKER] = Asker()
        asked = _Asked(scope, send, hosted, self._doors)
        try:
            await asked.come_in()
        except PodiumError as error:
            shielded = security.shielding(path_within(scope), send)
            await respond(Request(scope), error)(scope, receive, shielded)
            return
        await self._app(scope, asked.receiving(receive), asked.send)


class _Asked:
    """A request about a league, and its answer on the way out."""

    def __init__(self, scope: Scope, send: Send, hosted: Hosted, doors: Doors | None) -> None:
        self._scope = scope
        self._send = send
        self._hosted = hosted
        self._doors = doors
        self._asker: Asker = scope[ASKER]
        self._is_private = False
        self._again = 0.0
        """When to look again whether who asks may still be told."""
        self._left = asyncio.Event()
        """Set when they may not any more."""
        self._is_stream = False

    async def come_in(self) -> None:
        """Raise if whoever asks may not."""
        if self._hosted.is_in_a_file:
            self._is_private = self._hosted.is_private
        else:
            self._is_private = await asyncio.to_thread(lambda: self._hosted.is_private)
        # One is where people sign in, the other leads to a page for which browsers have a cookie.
        open_to_all = (f"/{self._hosted.key}/sign-in", f"/{self._hosted.key}")
        if self._is_private and path_within(self._scope) not in open_to_all:
            await asyncio.to_thread(self._identify)

    def _identify(self) -> None:
        if self._doors is None:
            raise AccessError("the league is private, and this site lets nobody sign in.")
        self._doors.visitor(Request(self._scope), self._hosted)

    async def send(self, message: Message) -> None:
        """One more part of the answer; of one that takes long, as long as it may be told."""
        if self._left.is_set():
            return
        if message["type"] == "http.response.start":
            self._again = asyncio.get_running_loop().time() + _LOOKS
            if self._is_private or self._asker.is_known:
                message["headers"] = self._confided(message["headers"])
            kinds = [value for name, value in message["headers"] if name == b"content-type"]
            self._is_stream = any(each.startswith(b"text/event-stream") for each in kinds)
        elif message.get("more_body", False) and not await self._may_go_on():
            self._left.set()
            if not self._is_stream:  # half a file does not look like a whole one: it breaks off
                return
            message = {"type": "http.response.body", "body": b"", "more_body": False}
        await self._send(message)

    async def _may_go_on(self) -> bool:
        if (now := asyncio.get_running_loop().time()) < self._again:
            return True
        self._again = now + _LOOKS
        if self._hosted.is_in_a_file and not self._asker.is_known and self._hosted.is_listed:
            return True
        return await asyncio.to_thread(self._is_allowed)

    def _is_allowed(self) -> bool:
        try:
            if self._hosted.is_private or self._asker.is_known:
                self._identify()
        except AccessError:
            return False
        except PodiumError:  # it cannot be told now, and was allowed a moment ago
            return True
        return True

    def receiving(self, receive: Receive) -> Receive:
        """Who may not be told any more has hung up, as far as whoever answers can see."""
        if self._scope["method"] not in ("GET", "HEAD"):
            return receive

        async def until_left() -> Message:
            request = asyncio.ensure_future(receive())
            left = asyncio.ensure_future(self._left.wait())
            try:
                await asyncio.wait((request, left), return_when=asyncio.FIRST_COMPLETED)
                return request.result() if request.done() else {"type": "http.disconnect"}
            finally:
                request.cancel()
                left.cancel()

        return until_left

    def _confided(self, headers: Headers) -> Headers:
        """Headers of an answer that is for those alone who may have it."""
        said = {name.lower(): value for name, value in headers}
        how = said.get(b"cache-control", b"")
        kept = b"no-store" if self._asker.is_known or b"no-store" in how else b"private, no-cache"
        by = b"authorization" if path_within(self._scope).startswith("/api/") else b"cookie"
        vary = b", ".join(filter(None, (said.get(b"vary", b""), by)))
        others = [each for each in headers if each[0].lower() not in _REPLACED]
        return [
            *others,
            (b"cache-control", kept),
            (b"vary", vary),
            (b"cross-origin-resource-policy", b"same-origin"),
        ]


_REPLACED = frozenset(
    (
        b"access-control-allow-origin",
        b"cache-control",
        b"cross-origin-resource-policy",
        b"vary",
    )
)
