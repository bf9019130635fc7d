"""What a server can be watched by: counts and seconds for Prometheus, and whether it is well."""

import logging
import os
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from functools import cache
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    generate_latest,
    multiprocess,
)

from podium.errors import PodiumError
from podium.web.catalogue import Hosted
from podium.wording import counted

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Any, Send], Awaitable[None]]

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""The variable with the folder in which several processes count together."""
NO_ROUTE = "none"
"""What requests for addresses are counted as that the site does not have."""
UNCHANGED = "unchanged"
"""What those are counted as that were answered by a tag alone, without looking at the address."""
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

_registry = CollectorRegistry()
ProcessCollector(registry=_registry)
_requests = Counter(
    "podium_requests", "Requests by route and status.", ("route", "status"), registry=_registry
)
_seconds = Histogram(
    "podium_request_seconds",
    "Seconds until an answer was sent in full.",
    ("route",),
    buckets=_SECONDS,
    registry=_registry,
)
_kept = Counter(
    "podium_cache",
    "Requests about a league by whether their answer was kept.",
    ("result",),
    registry=_registry,
)
_hit, _miss = _kept.labels("hit"), _kept.labels("miss")

_log = logging.getLogger("podium.web")


def count_kept(was_kept: bool) -> None:
    """Count a request whose answer was kept, or was not."""
    (_hit if was_kept else _miss).inc()


def route_of(scope: Scope) -> str:
    """The pattern of the address that a request was routed by.

    It is one of few, whatever strangers ask for.
    """
    route = scope.get("podium.route") or getattr(scope.get("route"), "path", None)
    if route is None and scope.get("endpoint") is not None and "app_root_path" in scope:
        return "/static"
    return str(route or NO_ROUTE)


@cache
def _counts(route: str, status: int) -> tuple[Counter, Histogram]:
    return _requests.labels(route, str(status)), _seconds.labels(route)


class Metered:
    """Middleware that counts requests and how long they take; it stands around all others."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        """Pass on, and count."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = time.perf_counter()
        status = 500

        async def watched(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            requests, seconds = _counts(route_of(scope), status)
            requests.inc()
            seconds.observe(time.perf_counter() - start)


def exposition() -> bytes:
    """All counts as Prometheus reads them; those of all processes, if they count together."""
    if SHARED not in os.environ:
        return generate_latest(_registry)
    together = CollectorRegistry()
    multiprocess.MultiProcessCollector(together)  # type: ignore[no-untyped-call]
    return generate_latest(together)


def ailing(catalogue: Mapping[str, Hosted]) -> list[str]:
    """The leagues that do not answer, by what they are called in addresses; the log says why."""
    found = []
    for key, hosted in catalogue.items():
        try:
            hosted.league.pulse()
        except PodiumError as error:
            _log.error("%s does not answer: %s", key, error)
            found.append(key)
    return found


def install(app: FastAPI) -> None:
    """Give an application, whose state has the catalogue, the routes ``/healthz``, ``/metrics``."""
    app.add_api_route("/healthz", _health, include_in_schema=False)
    app.add_api_route("/metrics", _metrics, include_in_schema=False)


def _health(request: Request) -> Response:
    keys = ailing(request.app.state.catalogue)
    if not keys:
        return JSONResponse({"status": "ok"})
    problem = {
        "type": "about:blank",
        "title": "Service Unavailable",
        "status": 503,
        "detail": f"{counted(len(keys), 'league')} cannot be read; the log says which, and why.",
    }
    return JSONResponse(problem, 503, media_type="application/problem+json")


def _metrics() -> Response:
    return Response(exposition(), headers={"content-type": CONTENT_TYPE_LATEST})
