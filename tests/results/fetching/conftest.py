"""Sites on this machine, a clock that nobody waits for, and clients that use both."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from podium.results.fetching.client import Client
from tests.local_site import Clock, CodeforcesSite, CtftimeSite, Site

Connect = Callable[..., Client]


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def site(clock: Clock) -> Iterator[CodeforcesSite]:
    with CodeforcesSite(clock) as site:
        yield site


@pytest.fixture
def ctftime_site(clock: Clock) -> Iterator[CtftimeSite]:
    with CtftimeSite(clock) as site:
        yield site


@pytest.fixture
def connect(clock: Clock) -> Connect:
    """A client of a site, whose pauses do not vary and take no time."""

    def client(site: Site, **options: Any) -> Client:
        return Client(
            site.url, **{"sleep": clock.sleep, "clock": clock, "chance": lambda: 0.0, **options}
        )

    return client
