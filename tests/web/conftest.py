"""What tests of the web league share.

    league_file     a league of a season, for all tests; nobody changes it
    club_file       a copy of it, which a test may change
    app, client     the site of `league_file`, and a client that asks it without a network
    site            the same site on a port of this machine, for a browser: its address
    serving         serves any other application so: ``with serving(app) as address:``
    hostile_file    a league whose players have the names of `HOSTILE`
    tab             opens tabs of a real browser: ``tab(viewport=PHONE).open(address)``; when the
                    test ends, nothing may have gone wrong in any of them
    desk_file, roles, desk_app, sign, olga
                    a small league to be organised, a token for each role, a site that may write,
                    and who is signed in there: ``sign("own").open("tokens")``

The league is called `club` in addresses, as in ``client.get("/club/")`` or ``f"{site}/club/"``.
"""

import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

import podium

pytest.importorskip("fastapi", reason="needs podium[web]")
pytest.importorskip("httpx", reason="needs httpx")

import uvicorn
from fastapi import FastAPI
from starlette.testclient import TestClient

from tests.web.browsing import Tab, started
from tests.web.filling import SECRET, Sign, Visitor, tokens_of
from tests.web.small import small_league

TITLES = [(1200, "pupil"), (1500, "specialist"), (1700, "expert"), (1900, "master")]
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'; DROP TABLE players; --",
    "{{ 7 * 7 }}${7*7}",
    "javascript:alert(1)",
    "\u202egnp.exe",
    "a/b\\c",
    "..",
    "%2e%2e%2f",
    "?at=2026-01-01&q=x#y",
    "]]>&amp;<!--",
    "名前 Ünï 🏆",
    "x" * 1000,
)
"""Names that pages, links, feeds and pictures have to carry unharmed."""

Serving = Callable[[Any], AbstractContextManager[str]]


@pytest.fixture(scope="session")
def league_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league of 60 players and 12 rounds, with ties, titles and one correction."""
    path = tmp_path_factory.mktemp("web") / "club.db"
    season = podium.simulate(players=60, rounds=12, participation=0.6, ties=0.2, seed=3)
    with podium.League.create(path, "elo-mmr", rules=podium.Rules(titles=TITLES)) as league:
        league.record(season, who="ann", why="the season")
        first = str(league.contests()["contest"][0])
        league.amend(first, name="The opening", who="bob", why="it has a name")
    return path


@pytest.fixture
def club_file(league_file: Path, tmp_path: Path) -> Path:
    """The same league, to change at will."""
    return Path(shutil.copy(league_file, tmp_path / "club.db"))


@pytest.fixture(scope="session")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league whose names, and the names of whose contests, are hostile."""
    path = tmp_path_factory.mktemp("hostile") / "club.db"
    with podium.League.create(path, "elo-mmr", rules=podium.Rules(titles=TITLES)) as league:
        for number, contest in enumerate(HOSTILE[:4], start=1):
            league.record([*HOSTILE], id=contest, time=f"2026-01-{number:02}", who=HOSTILE[0])
            league.amend(contest, name=HOSTILE[number], why=HOSTILE[1])
    return path


@pytest.fixture(scope="session")
def app(league_file: Path) -> FastAPI:
    """The site of the league."""
    from podium.web import create_app

    return create_app(league_file)


@pytest.fixture(scope="session")
def client(app: FastAPI) -> Iterator[TestClient]:
    """A client of it, which follows no redirects by itself."""
    with TestClient(app, follow_redirects=False) as client:
        yield client


@pytest.fixture(scope="session")
def serving() -> Serving:
    """Serves an application on a free port of this machine, in a thread."""
    return served


@pytest.fixture(scope="session")
def site(app: FastAPI) -> Iterator[str]:
    """The address of the site on this machine, without a slash at its end."""
    with served(app) as address:
        yield address


@contextmanager
def served(app: Any) -> Iterator[str]:
    """An application on a free port of this machine; its address."""
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="warning", lifespan="on")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        if isinstance(app, FastAPI) and hasattr(app.state, "streams"):
            app.state.streams.end()  # in a thread, no signal does
        thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser; without one, the test is skipped."""
    with started() as browser:
        yield browser


@pytest.fixture
def tab(browser: Any) -> Iterator[Callable[..., Tab]]:
    """Tabs of it."""
    tabs = []

    def new(**options: Any) -> Tab:
        tabs.append(Tab(browser, **options))
        return tabs[-1]

    yield new
    for each in tabs:
        each.close()
        assert each.wrong == []


@pytest.fixture
def desk_file(tmp_path: Path) -> Path:
    """A small league with attributes, a starting rating, a disqualified and a hidden player."""
    found = small_league(tmp_path / "club.db")
    with podium.League(found) as league:
        league.define_attributes("country", "birth_year:number")
        league.define_attributes("phone", public=False)
        league.describe("ann", {"country": "NO", "phone": "12345"})
        league.describe("bob", {"country": "SE"})
        league.start({"fay": 1650})
        league.disqualify("round-2", "eva")
        league.hide("dan")
    return found


@pytest.fixture
def roles(desk_file: Path) -> dict[str, str]:
    """A token of it for each role."""
    return tokens_of(desk_file)


@pytest.fixture
def desk_app(desk_file: Path) -> Iterator[FastAPI]:
    """A site of it that may write."""
    from podium.web import create_app

    app = create_app(desk_file, writable=True, secret=SECRET)
    yield app
    app.state.catalogue.close()


@pytest.fixture
def sign(desk_app: FastAPI, roles: dict[str, str]) -> Sign:
    """Signs somebody of a role in."""
    return lambda role: Visitor(desk_app).signed_in(roles[role])


@pytest.fixture
def olga(sign: Sign) -> Visitor:
    """Somebody who organises it."""
    return sign("organise")
