"""The application: pages, API and files of one or several leagues."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from podium.web import api, metrics, pages, problems, security
from podium.web.caching import MOST_BYTES, Cache
from podium.web.catalogue import Catalogue, Leagues
from podium.web.rendering import STATIC

TITLE = "Podium"


def create_app(
    leagues: Leagues | Catalogue,
    *,
    title: str | None = None,
    prefix: str = "",
    address: str | None = None,
    cache: int = MOST_BYTES,
) -> FastAPI:
    """An ASGI application that shows leagues, and cannot change them.

    Args:
        leagues: A league, or several: paths, URLs of PostgreSQL, a folder, a TOML file that names
            them, or a mapping from keys in addresses to any of these.
        title: What the page of all leagues is called; by default what a TOML file says.
        prefix: The path under which a proxy shows the application, as ``/ratings``.
        address: Where the public finds it, as ``https://ratings.example.org``; feeds name it.
        cache: How many bytes of answers to keep.

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
    catalogue = leagues if isinstance(leagues, Catalogue) else Catalogue.of(leagues)
    title = title or catalogue.title or TITLE

    @asynccontextmanager
    async def living(_: FastAPI) -> AsyncIterator[None]:
        yield
        catalogue.close()

    app = FastAPI(
        title=title,
        lifespan=living,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # it would lead to whatever host was asked for
    )
    app.state.catalogue = catalogue
    app.state.title = title
    app.state.address = address
    problems.install(app)
    metrics.install(app)
    app.include_router(api.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.include_router(pages.router)
    security.install(app)
    app.add_middleware(Cache, catalogue=catalogue, most_bytes=cache)
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
