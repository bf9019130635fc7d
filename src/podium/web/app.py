"""The application: pages, API and files of one or several leagues."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from podium.hindsight.looking import LookBack
from podium.league.remembering import Remembered
from podium.results import isolation
from podium.web import api, metrics, organising, pages, problems, security, signing
from podium.web.caching import MOST_BYTES, Cache
from podium.web.catalogue import Catalogue, Leagues
from podium.web.chores import Chores
from podium.web.doors import Doors, Private, secret_key
from podium.web.feeding import Feeding
from podium.web.organising.uploads import Readings
from podium.web.outside import Outside
from podium.web.polling import POLLER
from podium.web.posting import Posting
from podium.web.rendering import STATIC
from podium.web.sending import SENDER
from podium.web.streams import Streams

TITLE = "Podium"
JOBS = (SENDER, POLLER)
"""What a site that may write does by itself."""
_TOLD = 64
"""Pieces of streams that are kept, for all who wait for the same."""
PATIENCE = 30.0
"""Seconds that somebody who changes a league waits for others of the same process."""


def create_app(
    leagues: Leagues | Catalogue,
    *,
    title: str | None = None,
    prefix: str = "",
    address: str | None = None,
    cache: int = MOST_BYTES,
    writable: bool = False,
    secret: bytes | None = None,
    allow_private: bool = False,
) -> FastAPI:
    """An ASGI application that shows leagues, and cannot change them unless it is told so.

    Args:
        leagues: A league, or several: paths, URLs of PostgreSQL, a folder, a TOML file that names
            them, or a mapping from keys in addresses to any of these.
        title: What the page of all leagues is called; by default what a TOML file says.
        prefix: The path under which a proxy shows the application, as ``/ratings``.
        address: Where the public finds it, as ``https://ratings.example.org``; feeds name it.
        cache: How many bytes of answers to keep.
        writable: Whether those who have a token for it may change leagues by way of the site.
        secret: What signs cookies then; by default, that of `podium.web.doors.secret_key`.
        allow_private: Whether the site itself may ask servers of private networks, and of its own
            machine, at addresses that its users give: webhooks, and where standings are fetched.

    Example:
        >>> import podium, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> with podium.League.create(f"{folder.name}/club.db") as league:
        ...     change = league.record(podium.simulate(players=20, rounds=5, seed=1))
        >>> app = create_app(f"{folder.name}/club.db")
        >>> list(app.state.catalogue)
        ['club']
        >>> app.state.catalogue.close(); folder.cleanup()
    """
    catalogue = Catalogue.of(leagues, writable=writable)
    writable = any(each.writer is not None for each in catalogue.values())
    title = title or catalogue.title or TITLE
    streams = Streams()

    @asynccontextmanager
    async def living(_: FastAPI) -> AsyncIterator[None]:
        with isolation.kept_warm():
            chores.start()
            async with streams.running():
                yield
            await app.state.feeding.close()
            await asyncio.to_thread(chores.stop)
        catalogue.close()

    app = FastAPI(
        title=title,
        lifespan=living,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # it would lead to whatever host was asked for
    )
    app.state.looked_back = Remembered[LookBack](4)
    app.state.catalogue = catalogue
    app.state.streams = streams
    app.state.title = title
    app.state.address = address
    app.state.told = Remembered(_TOLD)
    app.state.outside = Outside(allow_private)
    app.state.chores = chores = Chores(catalogue.values(), app.state, JOBS)
    app.state.lanes = {key: security.Lane(1, patience=PATIENCE) for key in catalogue}
    app.state.readings = Readings()
    app.state.feeding = Feeding()
    problems.install(app)
    metrics.install(app)
    app.include_router(api.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.include_router(signing.router)
    app.include_router(organising.router)
    app.include_router(pages.router)
    security.install(app, writable=writable)
    app.add_middleware(Cache, catalogue=catalogue, most_bytes=cache)
    app.state.doors = None
    if writable:
        app.state.doors = Doors(secret_key() if secret is None else secret)
    app.add_middleware(Private, catalogue=catalogue, doors=app.state.doors)
    if writable:
        app.add_middleware(Posting, catalogue=catalogue, feeding=app.state.feeding)
    app.add_middleware(metrics.Metered)
    if prefix:
        app.add_middleware(Prefixed, prefix=prefix.rstrip("/"))
    return app


class Prefixed:
    """Middleware that says under which path a proxy shows the application, stripped or not."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self._app, self._prefix = app, prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is asked, with the prefix."""
        if scope["type"] == "http":
            scope["root_path"] = self._prefix
            if not f"{scope['path']}/".startswith(f"{self._prefix}/"):  # the proxy took it away
                scope["path"] = self._prefix + scope["path"]
                scope["raw_path"] = self._prefix.encode() + (scope.get("raw_path") or b"")
        await self._app(scope, receive, send)
