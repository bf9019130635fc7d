"""An address has one answer as long as its league is in one state, and never an older one."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse
from fastapi.staticfiles import StaticFiles
from starlette.testclient import TestClient

import podium
from podium.web import caching
from podium.web.caching import Cache
from podium.web.rendering import STATIC, environment

PAGE = "<p>a page that is worth compressing</p>" * 50


class Pretending:
    """A league that is in whatever state it is told to be in."""

    where = "club.db"

    def __init__(self) -> None:
        self.state = "one"
        self.answers = 0

    def pulse(self) -> str:
        if self.state == "damaged":
            raise podium.StorageError("club.db: is damaged.")
        return self.state


class Hosting:
    def __init__(self, league: Pretending, is_in_a_file: bool = True) -> None:
        self.league = league
        self.is_in_a_file = is_in_a_file


@pytest.fixture
def league() -> Pretending:
    return Pretending()


def site(league: Pretending, *, is_in_a_file: bool = True, **options: Any) -> FastAPI:
    """A small site that counts how often it is asked."""
    app = FastAPI()

    def answer(text: str, **headers: str) -> Response:
        league.answers += 1
        return Response(text, headers=headers, media_type="text/html")

    @app.get("/{key}/")
    def page(key: str, request: Request) -> Response:
        return answer(f"{key} {request.url} {league.state} {PAGE}", **kept())

    def kept() -> dict[str, str]:
        return {"podium-state": league.state}

    @app.get("/{key}/small")
    def small(key: str) -> Response:
        return answer(key, **kept())

    @app.get("/{key}/today")
    def today(key: str) -> Response:
        return answer(PAGE + key)

    @app.get("/{key}/negotiated")
    def negotiated(key: str) -> Response:
        return answer(PAGE + key, Vary="Cookie", **kept())

    @app.get("/{key}/missing")
    def missing(key: str) -> Response:
        response = answer(PAGE + key, **kept())
        response.status_code = 404
        return response

    @app.get("/{key}/large")
    def large(key: str) -> Response:
        return answer(key + "x" * caching.MOST_BYTES_OF_ONE, **kept())

    @app.get("/{key}/stream")
    def stream(key: str) -> Response:
        league.answers += 1
        lines = (f"{key},{number}\n" for number in range(20_000))
        return StreamingResponse(lines, media_type="text/csv")

    @app.get("/api/v1/leagues/{key}/leaderboard")
    def api(key: str) -> Response:
        league.answers += 1
        return Response(f'["{key}"]', media_type="application/json", headers=kept())

    app.mount("/static", StaticFiles(directory=STATIC))
    app.add_middleware(Cache, catalogue={"club": Hosting(league, is_in_a_file)}, **options)
    return app


@pytest.fixture
def client(league) -> TestClient:
    return TestClient(site(league), headers={"accept-encoding": "identity"})


@pytest.mark.parametrize(
    "address", ["/club/", "/club/?q=ann", "/club/small", "/api/v1/leagues/club/leaderboard"]
)
def test_an_address_is_computed_once_as_long_as_nothing_changes(client, league, address):
    first, second = client.get(address), client.get(address)
    assert first.status_code == second.status_code == 200
    assert first.content == second.content
    assert first.headers == second.headers
    assert league.answers == 1


def test_a_change_is_seen_at_once(client, league):
    before = client.get("/club/")
    league.state = "two"
    after = client.get("/club/")
    assert " one " in before.text
    assert " two " in after.text
    assert before.headers["etag"] != after.headers["etag"]


def test_other_addresses_have_other_answers(client, league):
    texts = {client.get(f"/club/{query}").text for query in ("", "?q=a", "?q=b", "?q=a&q=b")}
    assert len(texts) == league.answers == 4


def test_what_another_host_is_told_is_not_told_here(client):
    first = client.get("/club/", headers={"host": "evil.example"})
    second = client.get("/club/")
    assert "evil.example" in first.text
    assert "evil.example" not in second.text


@pytest.mark.parametrize(
    "address",
    ["/club/today", "/club/negotiated", "/club/missing", "/club/large", "/club/stream", "/else/"],
)
def test_what_says_no_state_or_depends_on_more_or_is_large_is_not_kept(client, league, address):
    first, second = client.get(address), client.get(address)
    assert first.content == second.content
    assert league.answers == 2
    assert "podium-state" not in first.headers


def test_what_is_short_has_a_tag_even_if_it_is_not_kept(client, league):
    first = client.get("/club/today")
    again = client.get("/club/today", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert league.answers == 2  # to know, it has to be asked for
    for address in ("/club/negotiated", "/club/missing", "/club/stream"):
        assert "etag" not in client.get(address).headers


@pytest.mark.parametrize("accepted", ["identity", "gzip"])
def test_what_is_large_has_a_tag_of_its_address_and_state(client, league, accepted):
    encoding = {"accept-encoding": accepted}
    first = client.get("/club/large", headers=encoding)
    known = {**encoding, "if-none-match": first.headers["etag"]}
    again = client.get("/club/large", headers=known)
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert again.headers["vary"] == "accept-encoding"
    assert league.answers == 1  # nobody had to make it again
    assert client.get("/club/large?q=x", headers=known).status_code == 200
    league.state = "two"
    changed = client.get("/club/large", headers=known)
    assert changed.status_code == 200
    assert changed.headers["etag"] != first.headers["etag"]


def test_the_state_of_a_league_stays_inside(client):
    for _ in range(2):
        assert "podium-state" not in client.get("/club/").headers


def test_an_answer_that_the_browser_has_is_not_sent_again(client, league):
    first = client.get("/club/")
    for known in (first.headers["etag"], f'"other", W/{first.headers["etag"]}'):
        second = client.get("/club/", headers={"if-none-match": known})
        assert second.status_code == 304
        assert second.content == b""
        assert second.headers["etag"] == first.headers["etag"]
        assert "content-length" not in second.headers
    league.state = "two"
    assert client.get("/club/", headers={"if-none-match": first.headers["etag"]}).text


def test_a_change_that_leaves_a_page_as_it_was_sends_nothing_again(client, league):
    tag = client.get("/club/small").headers["etag"]
    league.state = "two"
    again = client.get("/club/small", headers={"if-none-match": tag})
    assert again.status_code == 304
    assert league.answers == 2


def test_every_answer_is_asked_for_anew_by_those_who_keep_it(client):
    headers = client.get("/club/").headers
    assert headers["cache-control"] == "no-cache"
    assert headers["vary"] == "accept-encoding"


@pytest.mark.parametrize("address", ["/club/", "/club/today", "/club/stream", "/club/large"])
def test_who_takes_gzip_gets_the_same_in_fewer_bytes(client, address):
    plain = client.get(address)
    for _ in range(2):
        zipped = client.get(address, headers={"accept-encoding": "br, gzip"})
        assert zipped.headers["content-encoding"] == "gzip"
        assert zipped.headers["vary"] == "accept-encoding"
        assert zipped.content == plain.content
    assert "content-encoding" not in plain.headers


def test_bytes_that_differ_have_tags_that_differ(client):
    plain = client.get("/club/")
    zipped = client.get("/club/", headers={"accept-encoding": "gzip"})
    assert zipped.headers["etag"] != plain.headers["etag"]
    assert int(zipped.headers["content-length"]) < int(plain.headers["content-length"])
    known = {"accept-encoding": "gzip", "if-none-match": zipped.headers["etag"]}
    assert client.get("/club/", headers=known).status_code == 304


def test_what_is_small_is_not_compressed(client):
    found = client.get("/club/small", headers={"accept-encoding": "gzip"})
    assert "content-encoding" not in found.headers


@pytest.mark.parametrize("address", ["/club/", "/club/today", "/club/stream", "/club/large"])
def test_a_head_is_the_same_without_the_body(client, address):
    whole = client.get(address)
    for _ in range(2):
        head = client.head(address)
        assert head.status_code == 200
        assert head.content == b""
        assert head.headers == whole.headers


def test_what_is_not_asked_for_goes_first_when_there_is_no_room(league):
    room_for_three = int(3.5 * (len(PAGE) + caching._OVERHEAD))
    client = TestClient(site(league, most_bytes=room_for_three))
    for query in ("a", "b", "a", "c", "d", "a"):
        client.get(f"/club/?q={query}")
    assert league.answers == 4
    client.get("/club/?q=b")
    assert league.answers == 5


def test_long_addresses_need_room_as_well(league):
    client = TestClient(site(league, most_bytes=100_000))
    for _ in range(2):
        for letter in "abc":
            client.get(f"/club/small?q={letter * 40_000}")
    assert league.answers == 6


def test_a_league_that_does_not_answer_is_passed_on(client, league):
    league.state = "damaged"
    assert client.get("/club/").status_code == 200
    assert client.get("/club/").status_code == 200
    assert league.answers == 2


def test_a_prefix_before_the_path_makes_no_difference(league):
    client = TestClient(site(league), root_path="/ratings")
    for path in ("/ratings/club/", "/ratings/club/"):
        assert client.get(path).status_code == 200
    assert league.answers == 1


def test_a_league_on_a_server_is_kept_as_well(league):
    client = TestClient(site(league, is_in_a_file=False))
    client.get("/club/")
    client.get("/club/")
    league.state = "two"
    assert " two " in client.get("/club/").text
    assert league.answers == 2


def test_a_file_with_its_version_may_be_kept_for_ever(client):
    version: Callable[[str], str] = environment().globals["version"]  # type: ignore[assignment]
    right = client.get(f"/static/style.css?v={version('style.css')}")
    assert right.headers["cache-control"] == "public, max-age=31536000, immutable"
    for query in ("", "?v=0123456789ab"):
        assert client.get(f"/static/style.css{query}").headers["cache-control"] == "no-cache"
    assert client.get("/static/missing.css").status_code == 404


def test_other_ways_to_write_the_address_of_a_file_are_not_remembered(client):
    from podium.web.rendering import _version

    client.get("/static/style.css")
    before = _version.cache_info().currsize
    for number in range(5):
        odd = "%2e/" * number + "style.css"
        client.get(f"/static/{odd}?v={_version('style.css')}")
    assert _version.cache_info().currsize == before


def request(address: str) -> dict[str, Any]:
    """A request as a server gives it to an application."""
    headers = [(b"host", b"localhost")]
    path, _, query = address.partition("?")
    return {
        "type": "http",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "query_string": query.encode(),
        "headers": headers,
    }


async def asked(app: Any, address: str) -> bytes:
    """What an application answers."""
    parts = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        parts.append(message.get("body", b""))

    await app(request(address), receive, send)
    return b"".join(parts)


def test_those_who_ask_the_same_at_once_are_answered_by_one(league):
    asking, going_on = 0, asyncio.Event()

    async def slow(scope: Any, _receive: Any, send: Any) -> None:
        nonlocal asking
        asking += 1
        await going_on.wait()
        headers = [(b"podium-state", b"one"), (b"content-type", b"text/html")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": scope["path"].encode()})

    async def all_at_once() -> list[bytes]:
        cache = Cache(slow, {"club": Hosting(league)})  # type: ignore[dict-item]
        asked_for = [asyncio.ensure_future(asked(cache, f"/club/{n % 2}")) for n in range(10)]
        while asking < 2:
            await asyncio.sleep(0)
        going_on.set()
        return await asyncio.gather(*asked_for)

    assert set(asyncio.run(all_at_once())) == {b"/club/0", b"/club/1"}
    assert asking == 2


def test_when_the_first_fails_the_others_ask_themselves(league):
    asking = 0

    async def failing(_scope: Any, _receive: Any, send: Any) -> None:
        nonlocal asking
        asking += 1
        await asyncio.sleep(0)
        if asking == 1:
            raise RuntimeError("the first")
        headers = [(b"podium-state", b"one")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"well"})

    async def all_at_once() -> list[Any]:
        cache = Cache(failing, {"club": Hosting(league)})  # type: ignore[dict-item]
        asked_for = [asked(cache, "/club/") for _ in range(5)]
        return await asyncio.gather(*asked_for, return_exceptions=True)

    failed, *others = asyncio.run(all_at_once())
    assert isinstance(failed, RuntimeError)
    assert others == [b"well"] * 4


def test_a_server_is_asked_by_one_at_a_time_and_after_whoever_asks():
    running = threading.Semaphore(1)
    times = 0

    class OnAServer(Pretending):
        def pulse(self) -> str:
            nonlocal times
            assert running.acquire(blocking=False)
            times += 1
            running.release()
            return str(times)

    async def ask() -> list[bytes]:
        state = caching.State(Hosting(OnAServer(), is_in_a_file=False))  # type: ignore[arg-type]
        first = await asyncio.gather(*(state.now() for _ in range(50)))
        return [*first, await state.now()]

    *first, last = asyncio.run(ask())
    assert set(first) == {b"1"}
    assert last == b"2"


def test_nobody_is_shown_what_was_before_a_change_that_is_over(club_file):
    """Readers of the real thing, while somebody records: what they see never goes back."""
    from podium.web.catalogue import Catalogue

    app = FastAPI()
    catalogue = Catalogue.of(club_file)

    @app.get("/{key}/")
    def page(key: str) -> Response:
        with catalogue[key].league.snapshot() as view:
            return Response(str(len(view)), headers={"podium-state": view.state})

    app.add_middleware(Cache, catalogue=catalogue)
    least = 12

    def read(_: int) -> None:
        known = least
        assert int(client.get("/club/").text) >= known

    with (
        podium.League(club_file) as league,
        TestClient(app) as client,
        ThreadPoolExecutor(4) as threads,
    ):
        for day in range(1, 11):
            reading = [threads.submit(read, each) for each in range(8)]
            league.record(["player-0001", "player-0002"], time=f"2026-07-{day:02}")
            least = len(league)
            assert int(client.get("/club/").text) == least
            for each in reading:
                each.result()
    catalogue.close()
