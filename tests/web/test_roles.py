"""Every role against every address: pages, the API and streams, of a public and a private league.

The roles are read off the routes, so that a route that is added is asked by itself. One that needs
no role has to be named in `OPEN`: somebody has decided that everybody may ask it.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from sqlalchemy import update
from starlette.routing import Mount

import podium
from podium.league import schema
from podium.league.access import ROLES
from podium.web import create_app
from podium.web.doors import COOKIE, Needs

OPEN = {
    "/",
    "/healthz",
    "/metrics",
    "/static",
    "/api/v1/",
    "/api/v1/openapi.json",
    "/api/v1/leagues",
    "/api/v1/leagues/{key}",
    "/api/v1/leagues/{key}/chances",
    "/api/v1/leagues/{key}/changes",
    "/api/v1/leagues/{key}/contest",
    "/api/v1/leagues/{key}/contests",
    "/api/v1/leagues/{key}/events",
    "/api/v1/leagues/{key}/explanation",
    "/api/v1/leagues/{key}/export/{table}.{form}",
    "/api/v1/leagues/{key}/history",
    "/api/v1/leagues/{key}/leaderboard",
    "/api/v1/leagues/{key}/live",
    "/api/v1/leagues/{key}/live/stream",
    "/api/v1/leagues/{key}/look-back",
    "/api/v1/leagues/{key}/player",
    "/api/v1/leagues/{key}/players",
    "/api/v1/leagues/{key}/prediction",
    "/api/v1/leagues/{key}/revisions",
    "/api/v1/leagues/{key}/rules",
    "/api/v1/leagues/{key}/seasons",
    "/api/v1/leagues/{key}/standings",
    "/api/v1/leagues/{key}/system",
    "/api/v1/leagues/{key}/what-if",
    "/{key}",
    "/{key}/",
    "/{key}/about",
    "/{key}/badge.svg",
    "/{key}/badge/{name}.svg",
    "/{key}/changes",
    "/{key}/compare",
    "/{key}/contest",
    "/{key}/contest/{id}",
    "/{key}/contests",
    "/{key}/curve.svg",
    "/{key}/curve/{name}.svg",
    "/{key}/feed.atom",
    "/{key}/leaderboard.{form}",
    "/{key}/live",
    "/{key}/live-rows",
    "/{key}/live-stream",
    "/{key}/live/{id}",
    "/{key}/look-back",
    "/{key}/look-back/{name}",
    "/{key}/names.json",
    "/{key}/player",
    "/{key}/player/{name}",
    "/{key}/predict",
    "/{key}/sign-in",
    "/{key}/titles.css",
    "/{key}/why",
    "/{key}/why/{contest}/{player}",
}
"""What needs no role: everybody may ask it of a league that is public."""
ALWAYS_OPEN = {"/{key}", "/{key}/sign-in"}
"""What may be asked of a private league, too: the one leads to another page, the other is where a
token is given."""
SECRETS = ("The secret club", "Nobody is to know", "ann-of-the-club", "round-of-the-club")
"""What strangers are not told of a private league: its title, what it is about, its names."""
PARTS = {
    "key": "club",
    "name": "ann-of-the-club",
    "player": "ann-of-the-club",
    "contest": "round-of-the-club",
    "id": "round-of-the-club",
    "table": "leaderboard",
    "form": "csv",
}
"""What stands in the place of a parameter of a path; 1 for any other."""
VISITORS = ("nobody", *ROLES, "expired", "revoked", "foreign", "forged")


@dataclass(frozen=True)
class Address:
    """A route, and who may ask it."""

    method: str
    path: str
    role: str | None

    @property
    def is_api(self) -> bool:
        return self.path.startswith("/api/")

    @property
    def filled(self) -> str:
        path = self.path
        while "{" in path:
            before, _, rest = path.partition("{")
            name, _, after = rest.partition("}")
            path = before + PARTS.get(name.partition(":")[0], "1") + after
        return path


def addresses(app: FastAPI) -> list[Address]:
    """All of a site, those that end something last."""
    found = list(_below(app.routes, "", []))
    return sorted(found, key=lambda each: (each.path.endswith("/sign-out"), each.path, each.method))


def _below(routes: Any, prefix: str, roles: list[str]) -> Iterator[Address]:
    for each in routes:
        inner = getattr(each, "original_router", None)
        if inner is not None:  # a router in a router
            context = each.include_context
            more = [one.dependency.role for one in context.dependencies if _is_role(one.dependency)]
            yield from _below(inner.routes, prefix + context.prefix, [*roles, *more])
        elif isinstance(each, APIRoute):
            needed = [*roles, *_roles(each.dependant)]
            role = max(needed, key=ROLES.index, default=None)
            for method in sorted(each.methods):
                yield Address(method, prefix + each.path, role)
        elif isinstance(each, Mount) and isinstance(each.app, FastAPI):
            yield from _below(each.app.routes, prefix + each.path, roles)
        else:
            path = prefix + getattr(each, "path", "?")
            yield Address("GET", path, max(roles, key=ROLES.index, default=None))


def _roles(dependant: Any) -> Iterator[str]:
    for each in dependant.dependencies:
        if _is_role(each.call):
            yield each.call.role
        yield from _roles(each)


def _is_role(call: Any) -> bool:
    return isinstance(call, Needs)


@dataclass
class Visitor:
    """Somebody who asks: with a token on the API, with a cookie on pages."""

    token: str | None = None
    cookie: str = ""
    csrf: str = ""
    role: str | None = None
    """What they may do, if anything."""

    def may(self, role: str) -> bool:
        return self.role is not None and ROLES.index(self.role) >= ROLES.index(role)


@dataclass
class Answer:
    """What came of a request."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def is_sign_in(self) -> bool:
        return self.status == 303 and "/sign-in" in self.headers.get("location", "")


@dataclass
class Site:
    """A site with a league that may be private, another beside it, and those who come."""

    app: FastAPI
    visitors: dict[str, Visitor]

    async def ask(self, address: Address, visitor: Visitor) -> Answer:
        """The answer; of a stream, how it begins."""
        headers = [(b"host", b"testserver")]
        body = b""
        if address.is_api:
            if visitor.token is not None:
                headers.append((b"authorization", f"Bearer {visitor.token}".encode()))
            if address.method not in ("GET", "HEAD"):
                body = b"{}"
                headers.append((b"content-type", b"application/json"))
        else:
            headers.append((b"cookie", f"{COOKIE}={visitor.cookie}".encode()))
            if address.method not in ("GET", "HEAD"):
                body = f"csrf={visitor.csrf}".encode()
                headers.append((b"content-type", b"application/x-www-form-urlencoded"))
        if body:
            headers.append((b"content-length", b"%d" % len(body)))
        return await asked(self.app, address.method, address.filled, headers, body)


async def asked(app: Any, method: str, path: str, headers: Any, body: bytes) -> Answer:
    """Ask an application, until its answer is there or is one that has no end."""
    answer, begun, gone = Answer(), asyncio.Event(), asyncio.Event()
    sent = False

    async def receive() -> Any:
        nonlocal sent
        if not sent:
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = {
                name.decode().lower(): value.decode() for name, value in message["headers"]
            }
            begun.set()
        elif message["type"] == "http.response.body":
            answer.body += message.get("body", b"")

    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "scheme": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "client": ("192.0.2.7", 4711),
        "server": ("testserver", 80),
    }
    task = asyncio.ensure_future(app(scope, receive, send))
    waiting = asyncio.ensure_future(begun.wait())
    await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
    if "text/event-stream" in answer.headers.get("content-type", ""):
        gone.set()
        task.cancel()
        await asyncio.wait((task,))
    else:
        await task
    waiting.cancel()
    return answer


SECRET = b"0123456789abcdef" * 3


@pytest.fixture(params=["public", "private"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """A site, and one of each who may come; on it, the league `club` is public or private."""
    for key in ("club", "chess"):
        with podium.League.create(tmp_path / f"{key}.db") as league:
            names = [f"{name}-of-the-{key}" for name in ("ann", "bob", "cat")]
            league.record(names, id=f"round-of-the-{key}", time="2026-05-01", who="ann")
    (tmp_path / "site.toml").write_text(
        '[leagues.club]\nwhere = "club.db"\ntitle = "The secret club"\n'
        'about = "Nobody is to know."\n[leagues.chess]\nwhere = "chess.db"\n'
    )
    app = create_app(tmp_path / "site.toml", writable=True, secret=SECRET)
    club, chess = (app.state.catalogue[key].writer for key in ("club", "chess"))
    visitors = {role: _signed_in(app, "club", role, role) for role in ROLES}
    for name in ("expired", "revoked"):
        visitors[name] = _signed_in(app, "club", "own", None)
    number = int(visitors["expired"].token.split("_")[1])
    with club.noting() as connection:
        connection.execute(
            update(schema.tokens).where(schema.tokens.c.id == number).values(expires=1)
        )
    club.revoke_token(int(visitors["revoked"].token.split("_")[1]))
    visitors["foreign"] = _signed_in(app, "chess", "own", None)
    other = create_app(tmp_path / "club.db", writable=True, secret=b"another secret" * 3)
    visitors["forged"] = _signed_in(other, "club", "own", None)
    visitors["forged"].token = f"{visitors['own'].token[:-1]}!"
    other.state.catalogue.close()
    visitors["nobody"] = Visitor()
    club.set_access(request.param)
    assert chess.access == "public"
    yield Site(app, visitors)
    app.state.catalogue.close()


def _signed_in(app: FastAPI, key: str, role: str, may: str | None) -> Visitor:
    """Somebody with a new token, and with the cookie of a session."""
    token = app.state.catalogue[key].writer.create_token(f"{role} of {key}", role)
    headers = [
        (b"host", b"testserver"),
        (b"content-type", b"application/x-www-form-urlencoded"),
    ]
    answer = asyncio.run(asked(app, "POST", f"/{key}/sign-in", headers, f"token={token}".encode()))
    cookie = answer.headers["set-cookie"].partition(";")[0].partition("=")[2]
    csrf = app.state.doors._signature("form", key, cookie.partition(".")[0])
    return Visitor(token, cookie, csrf, may)


async def _all(site: Site, who: str) -> list[tuple[Address, Answer]]:
    """What somebody is answered to everything."""
    async with site.app.router.lifespan_context(site.app):
        return [(each, await site.ask(each, site.visitors[who])) for each in addresses(site.app)]


def test_there_are_pages_questions_changes_and_files_among_the_addresses(site):
    found = addresses(site.app)
    paths = {each.path for each in found}
    assert {"/{key}/", "/api/v1/leagues/{key}/record", "/static"} <= paths
    roles = {each.path: each.role for each in found}
    assert roles["/api/v1/leagues/{key}/record"] == "record"
    needed = {(each.method, each.path): each.role for each in found}
    assert needed["POST", "/api/v1/leagues/{key}/tokens"] == "own"
    assert needed["POST", "/{key}/sign-out"] == "read"


def test_whatever_needs_no_role_was_decided_to_need_none(site):
    without = {each.path for each in addresses(site.app) if each.role is None}
    assert without == OPEN
    sent = [each for each in addresses(site.app) if each.method not in ("GET", "HEAD")]
    assert {each.path for each in sent if each.role is None} == {"/{key}/sign-in"}


@pytest.mark.parametrize("who", VISITORS)
def test_who_may_is_answered_and_nobody_else(site, who):
    visitor = site.visitors[who]
    private = site.app.state.catalogue["club"].is_private
    wrong = []
    for address, answer in asyncio.run(_all(site, who)):
        wanted = _wanted(address, visitor, private)
        if not _is(answer, wanted, address):
            wrong.append((address.method, address.path, wanted, answer.status))
        if private and visitor.role is None and "{key}" in address.path:
            told = [each for each in SECRETS if each.encode() in answer.body]
            wrong += [(address.path, "tells", each) for each in told]
    assert not wrong


def _wanted(address: Address, visitor: Visitor, private: bool) -> str:
    """What a request has to come to: `let in`, `unknown` or `too little`."""
    if address.role is None:
        closed = private and "{key}" in address.path and address.path not in ALWAYS_OPEN
        return "unknown" if closed and visitor.role is None else "let in"
    if visitor.role is None:
        return "unknown"
    return "let in" if visitor.may(address.role) else "too little"


def _is(answer: Answer, wanted: str, address: Address) -> bool:
    refused = answer.status in (401, 403) or answer.is_sign_in
    if wanted == "let in":
        # Signing in without a token is refused, and yet everybody may try.
        tried = address.path == "/{key}/sign-in" and address.method == "POST"
        return answer.status < 500 and (tried or not refused)
    if wanted == "too little":
        return answer.status == 403
    is_page = not address.is_api and address.method in ("GET", "HEAD")
    return answer.is_sign_in if is_page else answer.status == 401


def test_what_depends_on_who_asks_is_kept_by_nobody(site):
    for address, answer in asyncio.run(_all(site, "own")):
        if address.role is not None:
            assert answer.headers["cache-control"] == "no-store", address


def test_a_site_that_only_reads_has_nothing_that_needs_a_role(tmp_path):
    with podium.League.create(tmp_path / "club.db") as league:
        league.record(["ann-of-the-club", "bob"], id="round-of-the-club", time="2026-05-01")
        token = league.create_token("ann", "own")
    app = create_app(tmp_path / "club.db")
    reading = Site(app, {"own": Visitor(token)})
    for address, answer in asyncio.run(_all(reading, "own")):
        if address.method not in ("GET", "HEAD"):
            assert answer.status == 405, address
        elif address.role is not None or address.path == "/{key}/sign-in":
            assert answer.status == 404, address
        else:
            assert answer.status < 500, address
    app.state.catalogue.close()


def test_a_league_that_becomes_private_on_a_site_that_only_reads_is_shown_to_nobody(tmp_path):
    with podium.League.create(tmp_path / "club.db") as league:
        league.record(["ann-of-the-club", "bob"], id="round-of-the-club", time="2026-05-01")
        token = league.create_token("ann", "own")
    app = create_app(tmp_path / "club.db")
    with podium.League(tmp_path / "club.db") as league:
        league.set_access("private")
    for address, answer in asyncio.run(_all(Site(app, {"own": Visitor(token)}), "own")):
        if "{key}" in address.path and address.path not in ALWAYS_OPEN:
            assert answer.status in (403, 405), address
        assert b"ann-of-the-club" not in answer.body, address
    app.state.catalogue.close()
