"""Who comes in, and who does not: cookies, tokens, forms, limits, and the site's secret."""

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from sqlalchemy import func, select, update
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

import podium
from podium.errors import AccessError, InputError, StorageError
from podium.league import access, schema
from podium.web import create_app, doors, security, signing
from podium.web.caching import ASKER, Asker
from podium.web.catalogue import Catalogue
from podium.web.doors import COOKIE, Doors, Private, Visitor, secret_key
from podium.web.gates import Gate, Watch
from podium.web.organising.trying import _Entry
from podium.web.problems import SignInError
from podium.web.server import Listening

SECRET = b"0123456789abcdef" * 3


@pytest.fixture
def club(club_file: Path) -> Iterator[FastAPI]:
    """A site that may write."""
    app = create_app(club_file, writable=True, secret=SECRET)
    yield app
    app.state.catalogue.close()


@pytest.fixture
def league(club: FastAPI) -> podium.League:
    """Its league, to be changed."""
    found: podium.League = club.state.catalogue["club"].writer
    return found


@pytest.fixture
def browser(club: FastAPI) -> TestClient:
    return TestClient(club, follow_redirects=False)


def sign_in(browser: TestClient, token: str, **more: Any) -> httpx.Response:
    return browser.post("/club/sign-in", data={"token": token}, **more)


def is_signed_in(browser: TestClient) -> bool:
    """Whether a private league is shown."""
    answer = browser.get("/club/about")
    assert answer.status_code in (200, 303)
    return answer.status_code == 200


def csrf(browser: TestClient, app: FastAPI) -> str:
    """What the forms of who is signed in carry."""
    session = browser.cookies[COOKIE].partition(".")[0]
    found: str = app.state.doors._signature("form", "club", session)
    return found


def sessions(league: podium.League) -> int:
    with league.noting() as connection:
        return int(connection.execute(select(func.count()).select_from(schema.sessions)).scalar())


class TestSessions:
    @pytest.fixture(autouse=True)
    def _private(self, league):
        league.set_access("private")

    def test_a_token_begins_a_session_in_a_cookie_that_is_for_this_league_alone(
        self, browser, league
    ):
        answer = sign_in(browser, league.create_token("ann", "read"))
        assert answer.status_code == 303
        assert answer.headers["location"] == "/club/organise"
        assert answer.headers["cache-control"] == "no-store"
        cookie = answer.headers["set-cookie"]
        for said in ("HttpOnly", "SameSite=lax", "Path=/club/;", "expires="):
            assert said in cookie
        assert "Secure" not in cookie
        assert is_signed_in(browser)

    @pytest.mark.parametrize(
        ("base", "address"),
        [("https://testserver", None), ("http://testserver", "https://example.org")],
    )
    def test_where_there_is_https_the_cookie_goes_nowhere_else(self, club_file, base, address):
        app = create_app(club_file, writable=True, secret=SECRET, address=address)
        token = app.state.catalogue["club"].writer.create_token("ann", "read")
        answer = sign_in(TestClient(app, base_url=base, follow_redirects=False), token)
        assert "Secure" in answer.headers["set-cookie"]
        app.state.catalogue.close()

    def test_a_session_that_somebody_else_has_begun_is_not_taken_over(self, browser, club, league):
        attacker = TestClient(club, follow_redirects=False)
        sign_in(attacker, league.create_token("eve", "read"))
        planted = attacker.cookies[COOKIE]
        browser.cookies.set(COOKIE, planted, domain="testserver.local", path="/club/")
        sign_in(browser, league.create_token("ann", "own"))
        assert browser.cookies[COOKIE] != planted
        assert is_signed_in(browser)
        assert not is_signed_in(attacker)
        assert sessions(league) == 1

    def test_a_cookie_is_good_for_nothing_once_its_owner_has_signed_out(
        self, browser, club, league
    ):
        sign_in(browser, league.create_token("ann", "read"))
        kept = browser.cookies[COOKIE]
        answer = browser.post("/club/sign-out", data={"csrf": csrf(browser, club)})
        assert answer.status_code == 303
        assert answer.headers["clear-site-data"] == '"cache"'
        assert COOKIE not in browser.cookies
        replayed = TestClient(club, follow_redirects=False, cookies={COOKIE: kept})
        assert not is_signed_in(replayed)

    def test_a_token_that_was_revoked_ends_its_sessions_and_no_others(self, browser, club, league):
        other = TestClient(club, follow_redirects=False)
        sign_in(browser, league.create_token("ann", "own"))
        sign_in(other, league.create_token("bob", "own"))
        number = int(league.tokens().row(by_predicate=pl_is("ann"), named=True)["id"])
        league.revoke_token(number)
        assert not is_signed_in(browser)
        assert is_signed_in(other)

    @pytest.mark.parametrize("table", [schema.tokens, schema.sessions])
    def test_a_token_or_a_session_that_has_expired_lets_nobody_in(self, browser, league, table):
        token = league.create_token("ann", "own")
        sign_in(browser, token)
        with league.noting() as connection:
            connection.execute(update(table).values(expires=1))
        assert not is_signed_in(browser)
        if table is schema.tokens:
            assert sign_in(browser, token).status_code == 403

    def test_a_session_ends_twelve_hours_after_it_began_or_with_its_token(
        self, league, monkeypatch
    ):
        hour, start = 3600 * 10**6, access.now()
        text = league.create_token("ann", "own")
        short = league.create_token("bob", "own", expires=(start + hour) / 1e6)
        with league.noting() as connection:
            session, until = access.sign_in(connection, league.identified(text))
            _, sooner = access.sign_in(connection, league.identified(short))
        assert 0 <= until - start - 12 * hour < hour
        assert sooner == start + hour
        monkeypatch.setattr(access, "now", lambda: until - 1)
        assert league.signed_in(session).name == "ann"
        monkeypatch.setattr(access, "now", lambda: until)
        with pytest.raises(AccessError, match="nobody is signed in"):
            league.signed_in(session)

    def test_sessions_that_have_expired_are_removed(self, browser, league):
        token = league.create_token("ann", "own")
        for _ in range(3):
            browser.cookies.clear()
            sign_in(browser, token)
        assert sessions(league) == 3
        with league.noting() as connection:
            connection.execute(update(schema.sessions).values(expires=1))
        sign_in(browser, token)
        assert sessions(league) == 1

    def test_a_cookie_of_one_league_opens_no_other(self, tmp_path):
        for key in ("chess", "go"):
            with podium.League.create(tmp_path / f"{key}.db") as other:
                other.record(["ann", "bob"], id="round-1", time="2026-01-01")
                other.set_access("private")
        leagues = {key: tmp_path / f"{key}.db" for key in ("chess", "go")}
        app = create_app(leagues, writable=True, secret=SECRET)
        token = app.state.catalogue["chess"].writer.create_token("ann", "own")
        browser = TestClient(app, follow_redirects=False)
        browser.post("/chess/sign-in", data={"token": token})
        thief = TestClient(app, follow_redirects=False)
        headers = {"cookie": f"{COOKIE}={browser.cookies[COOKIE]}"}
        assert thief.get("/chess/about", headers=headers).status_code == 200
        assert thief.get("/go/about", headers=headers).status_code == 303
        app.state.catalogue.close()

    def test_a_cookie_that_another_secret_has_signed_opens_nothing(self, club_file, league):
        other = create_app(club_file, writable=True, secret=b"another secret of a site" * 2)
        theirs = TestClient(other, follow_redirects=False)
        sign_in(theirs, league.create_token("ann", "own"))
        assert is_signed_in(theirs)
        ours = create_app(club_file, writable=True, secret=SECRET)
        cookies = {COOKIE: theirs.cookies[COOKIE]}
        assert not is_signed_in(TestClient(ours, follow_redirects=False, cookies=cookies))
        for app in (ours, other):
            app.state.catalogue.close()

    @pytest.mark.parametrize(
        "cookie",
        [
            b"",
            b".",
            b"..",
            b"a.b",
            b"\xff\xfe.\xff",
            b"x" * 20_000,
            b"a." + b"0" * 64,
            b'"a.b"',
            b"a=b; podium-session=c",
        ],
    )
    def test_a_cookie_that_nobody_has_signed_is_nobodys(self, browser, cookie):
        answer = browser.get("/club/about", headers={b"cookie": COOKIE.encode() + b"=" + cookie})
        assert answer.status_code == 303
        assert answer.headers["location"] == "/club/sign-in?next=%2Fclub%2Fabout"

    def test_the_api_takes_no_cookie_and_pages_take_no_token(self, browser, league):
        token = league.create_token("ann", "own")
        sign_in(browser, token)
        cookie = {"cookie": f"{COOKIE}={browser.cookies[COOKIE]}"}
        assert browser.get("/api/v1/leagues/club", headers=cookie).status_code == 401
        browser.cookies.clear()
        bearer = {"authorization": f"Bearer {token}"}
        assert browser.get("/club/about", headers=bearer).status_code == 303
        assert browser.get("/api/v1/leagues/club", headers=bearer).status_code == 200


def pl_is(name: str) -> Any:
    import polars as pl

    return pl.col("name") == name


class TestTokens:
    @pytest.mark.parametrize(
        "said",
        [
            b"",
            b"Bearer",
            b"Bearer ",
            b"Bearer podium",
            b"Bearer podium_",
            b"Bearer podium_1",
            b"Bearer podium_1_",
            b"Bearer podium_-1_x",
            b"Bearer podium_99999999999999999999_x",
            b"Bearer podium_1_" + b"x" * 30_000,
            b"Bearer podium_\xb2_x",
            b"Bearer p\xc3\xb6dium_1_\xff\xfe",
            b"Bearer \x80",
            b"Basic cG9kaXVtOnBvZGl1bQ==",
            b"podium_1_x",
        ],
    )
    @pytest.mark.parametrize("to", ["public", "private"])
    def test_whatever_is_no_token_lets_nobody_in(self, browser, league, to, said):
        league.create_token("ann", "own")
        league.set_access(to)
        answer = browser.get("/api/v1/leagues/club/tokens", headers={b"authorization": said})
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert answer.headers["content-type"] == "application/problem+json"

    def test_headers_without_end_are_refused_before_anybody_is_looked_for(self, browser):
        said = {"authorization": "Bearer podium_1_" + "x" * 60_000}
        answer = browser.get("/api/v1/leagues/club/tokens", headers=said)
        assert answer.status_code == 431

    @pytest.mark.parametrize("text", ["podium_1_\ud800", "é", "podium_1_" + "é" * 300, "\0", ""])
    def test_whatever_is_typed_for_a_token_is_answered(self, browser, text):
        data = {"token": text.encode("utf-8", "surrogatepass")}
        answer = browser.post("/club/sign-in", data=data)
        assert answer.status_code == 403
        assert "no token of the league" in answer.text

    @pytest.mark.parametrize("guard", [Gate, Watch])
    def test_an_owner_who_was_revoked_meanwhile_changes_nothing_any_more(self, league, guard):
        owner = league.identified(league.create_token("ann", "own"))
        league.revoke_token(owner.id)
        guarded = league.guarded(guard(owner, "own"))
        for change in (
            lambda: guarded.create_token("eve", "own"),
            lambda: guarded.revoke_token(owner.id),
            lambda: guarded.set_access("private"),
        ):
            with pytest.raises(SignInError, match="was revoked"):
                change()
        assert league.access == "public"
        assert league.tokens()["name"].to_list() == ["ann"]

    def test_a_change_from_a_page_waits_and_is_not_made_if_its_maker_was_shut_out(self, league):
        organiser = league.identified(league.create_token("ann", "organise"))
        contest = league.contests()["contest"][0]
        league.revoke_token(organiser.id)
        with pytest.raises(SignInError, match="was revoked"):
            league.guarded(_Entry(Visitor(organiser), "organise", None)).remove(contest)
        assert league.contests()["contest"][0] == contest

    def test_the_text_of_a_token_is_nowhere_in_the_league(self, league, club_file):
        text = league.create_token("ann", "own")
        league.close()
        assert text.split("_", 2)[2].encode() not in club_file.read_bytes()


class TestForms:
    @pytest.fixture(autouse=True)
    def _signed_in(self, browser, league):
        sign_in(browser, league.create_token("ann", "own"))
        league.set_access("private")

    def test_a_form_of_this_session_and_site_is_taken(self, browser, club):
        headers = {"origin": "http://testserver", "sec-fetch-site": "same-origin"}
        data = {"csrf": csrf(browser, club)}
        assert browser.post("/club/sign-out", data=data, headers=headers).status_code == 303
        assert not is_signed_in(browser)

    def test_a_form_without_its_text_is_refused(self, browser, club, league):
        other = TestClient(club, follow_redirects=False)
        sign_in(other, league.create_token("bob", "own"))
        right = csrf(browser, club)
        for said in ({}, {"csrf": ""}, {"csrf": "None"}, {"csrf": right[:-1]}, {"csrf": "ü"}):
            assert browser.post("/club/sign-out", data=said).status_code in (403, 422)
        assert browser.post("/club/sign-out", data={"csrf": csrf(other, club)}).status_code == 403
        files = {"csrf": ("csrf", right.encode())}
        assert browser.post("/club/sign-out", files=files).status_code == 403
        in_address = f"/club/sign-out?csrf={right}"
        assert browser.post(in_address, data={"x": "y"}).status_code == 403
        assert is_signed_in(browser)

    @pytest.mark.parametrize(
        "headers",
        [
            {"origin": "https://evil.example"},
            {"origin": "null"},
            {"origin": ""},
            {"origin": "http://testserver.evil.example"},
            {"origin": "http://testserver@evil.example"},
            {"origin": "http://testserver:8080"},
            {"sec-fetch-site": "cross-site"},
            {"sec-fetch-site": "same-site"},
            {"sec-fetch-site": "CROSS-SITE"},
        ],
    )
    def test_a_page_of_another_site_can_send_nothing(self, browser, club, league, headers):
        data = {"csrf": csrf(browser, club)}
        assert browser.post("/club/sign-out", data=data, headers=headers).status_code == 403
        assert is_signed_in(browser)
        theirs = sign_in(browser, league.create_token("eve", "own"), headers=headers)
        assert theirs.status_code == 403
        assert "set-cookie" not in theirs.headers

    def test_the_address_that_the_public_knows_is_this_site(self, club_file, league):
        app = create_app(club_file, writable=True, secret=SECRET, address="https://example.org")
        token = league.create_token("bob", "own")
        for origin, status in (("https://example.org", 303), ("http://example.org", 403)):
            browser = TestClient(app, follow_redirects=False)
            assert sign_in(browser, token, headers={"origin": origin}).status_code == status
        app.state.catalogue.close()

    @pytest.mark.parametrize(
        "kind",
        [
            "text/plain",
            "application/json",
            "",
            "application/x-www-form-urlencoded; charset=utf-7",
            "multipart/form-data; boundary=x; charset=unicode_escape",
        ],
    )
    def test_what_no_form_of_this_site_sends_is_not_read_as_one(self, browser, club, kind):
        body = f"csrf={csrf(browser, club)}"
        answer = browser.post("/club/sign-out", content=body, headers={"content-type": kind})
        assert answer.status_code == 422
        assert is_signed_in(browser)

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"--x",
            b"--x\r\n\r\n",
            b"--y\r\nContent-Disposition: form-data; name=csrf\r\n\r\nx\r\n--y--\r\n",
            b"--x\r\nContent-Disposition: form-data\r\n\r\nx\r\n--x--\r\n",
            b"--x\r\n" + b"a" * 9000 + b": b\r\n\r\nx\r\n--x--\r\n",
            b"\xff" * 1000,
        ],
    )
    def test_a_form_that_is_broken_is_refused_in_a_sentence(self, browser, body):
        headers = {"content-type": "multipart/form-data; boundary=x"}
        answer = browser.post("/club/sign-out", content=body, headers=headers)
        assert answer.status_code in (403, 413, 422)

    def test_a_form_without_a_boundary_is_refused_in_a_sentence(self, browser):
        headers = {"content-type": "multipart/form-data"}
        answer = browser.post("/club/sign-out", content=b"x", headers=headers)
        assert answer.status_code == 422
        assert "missing boundary in multipart." in answer.text


class TestWhereToGoOn:
    @pytest.mark.parametrize(
        "wanted",
        [
            "https://evil.example/",
            "//evil.example/club/",
            "/\\evil.example",
            "\\\\evil.example",
            "/club/\\..\\..\\evil",
            "/club/../chess/",
            "/club/%2e%2e/chess/",
            "/club/%252e%252e/chess/",
            "/club/./x",
            "/clubs/",
            "/club/\r\nSet-Cookie: a=b",
            "/club/%0d%0aSet-Cookie: a=b",
            "javascript:alert(1)",
            " /club/",
            "",
        ],
    )
    def test_nobody_is_led_out_of_the_league(self, browser, league, wanted):
        data = {"token": league.create_token("ann", "read"), "next": wanted}
        answer = browser.post("/club/sign-in", data=data)
        assert answer.headers["location"] == "/club/organise"
        assert "a" not in browser.cookies

    @pytest.mark.parametrize(
        "wanted",
        [
            "/club/",
            "/club/player/100%25?at=2026-01-01&x=%2F",
            "/club/player/AC%20DC",
            "/club/player?name=a%2F..%2Fb",
        ],
    )
    def test_who_signs_in_goes_on_to_where_they_wanted(self, browser, league, wanted):
        league.set_access("private")
        led = browser.get(wanted)
        page = browser.get(led.headers["location"])
        said = httpx.URL(f"http://x{led.headers['location']}").params["next"]
        assert f'value="{said.replace("&", "&amp;")}"' in page.text
        data = {"token": league.create_token("ann", "read"), "next": said}
        assert browser.post("/club/sign-in", data=data).headers["location"] == wanted

    def test_what_is_too_long_to_be_remembered_is_not(self, browser, league):
        league.set_access("private")
        answer = browser.get(f"/club/player/{'x' * 3000}")
        assert answer.headers["location"] == "/club/sign-in"


class TestLimits:
    def test_who_tries_to_sign_in_too_often_has_to_wait(self, browser, league):
        good = league.create_token("ann", "read")
        for _ in range(signing.BURST):
            assert sign_in(browser, "podium_1_wrong").status_code == 403
        for token in ("podium_1_wrong", good):
            answer = sign_in(browser, token)
            assert answer.status_code == 429
            assert 1 <= int(answer.headers["retry-after"]) <= signing.EVERY

    def test_several_processes_count_together(self, club_file, browser):
        other = create_app(club_file, writable=True, secret=SECRET)
        browsers = [browser, TestClient(other, follow_redirects=False)]
        found = [
            sign_in(browsers[number % 2], "podium_1_wrong").status_code
            for number in range(signing.BURST + 2)
        ]
        assert found == [403] * signing.BURST + [429] * 2
        other.state.catalogue.close()

    @pytest.mark.parametrize(
        ("trusted", "before", "status"),
        [((), "", 429), (("127.0.0.1",), ", 192.0.2.7", 429), (("127.0.0.1",), "", 403)],
    )
    def test_only_proxies_that_are_trusted_are_believed_who_asks(
        self, club, trusted, before, status
    ):
        """A stranger may say anything; a proxy adds whom it has seen, behind what they said."""
        with _listening(club, Listening(port=0, trusted=trusted)) as address:
            answers = [
                httpx.post(
                    f"{address}/club/sign-in",
                    data={"token": "podium_1_wrong"},
                    headers={"x-forwarded-for": f"198.51.100.{number}{before}"},
                ).status_code
                for number in range(signing.BURST + 1)
            ]
        assert answers[:-1] == [403] * signing.BURST
        assert answers[-1] == status

    def test_what_is_too_large_is_refused_by_its_header(self, browser):
        headers = {"content-length": str(security.LARGEST + 1)}
        answer = browser.post("/api/v1/leagues/club/record", content=b"{}", headers=headers)
        assert answer.status_code == 413
        assert answer.headers["connection"] == "close"

    def test_what_is_too_large_is_refused_whatever_its_header_says(
        self, browser, league, monkeypatch
    ):
        monkeypatch.setattr(security, "LARGEST", 100_000)
        read = 0

        def pieces() -> Iterator[bytes]:
            nonlocal read
            for _ in range(1000):
                read += 1
                yield b" " * 10_000

        headers = {"authorization": f"Bearer {league.create_token('ann', 'own')}"}
        answer = browser.post("/api/v1/leagues/club/record", content=pieces(), headers=headers)
        assert answer.status_code == 413
        assert "at most 100,000 are taken" in answer.json()["detail"]
        assert answer.headers["connection"] == "close"

    @pytest.mark.parametrize("chunked", [False, True])
    def test_strangers_can_send_little(self, browser, chunked):
        body = b"token=" + b"x" * security.LARGEST_OF_STRANGERS
        headers = {"content-type": "application/x-www-form-urlencoded"}
        content = iter([body]) if chunked else body
        answer = browser.post("/club/sign-in", content=content, headers=headers)
        assert answer.status_code == 413

    def test_nobody_reads_what_a_stranger_sends_to_the_api(self, club):
        # It would be waited for, were it read.
        path = "/api/v1/leagues/club/record"
        assert asyncio.run(_never_sending(club, path, [])) == 401

    def test_what_does_not_come_is_not_waited_for(self, club, monkeypatch):
        monkeypatch.setattr(security, "SLOWEST", 0.01)
        headers = [(b"content-type", b"application/x-www-form-urlencoded")]
        status = asyncio.run(_never_sending(club, "/club/sign-in", headers))
        assert status == 408

    @pytest.mark.parametrize("parts", [200, 30_000])
    def test_a_form_has_so_many_parts(self, browser, league, parts, monkeypatch):
        monkeypatch.setattr(doors, "_MOST_FIELDS", 100)
        sign_in(browser, league.create_token("ann", "own"))
        monkeypatch.setattr(security, "LARGEST_OF_STRANGERS", security.LARGEST)
        fields = {f"f{number}": "" for number in range(parts)}
        plain = browser.post("/club/sign-out", data=fields)
        assert plain.status_code == 413
        one = b'--x\r\nContent-Disposition: form-data; name="f"\r\n\r\n1\r\n'
        headers = {"content-type": "multipart/form-data; boundary=x"}
        several = browser.post(
            "/club/sign-out", content=one * parts + b"--x--\r\n", headers=headers
        )
        assert several.status_code == 413
        file = one.replace(b'"f"', b'"f"; filename="f"')
        files = browser.post("/club/sign-out", content=file * parts + b"--x--\r\n", headers=headers)
        assert files.status_code == 413


async def _never_sending(app: FastAPI, path: str, headers: Any) -> int:
    """The status that is answered to somebody whose body does not come."""
    status = 0

    async def receive() -> Any:
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        nonlocal status
        status = message.get("status", status)

    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "headers": [(b"host", b"testserver"), *headers],
        "client": None,
        "server": ("testserver", 80),
    }
    await app(scope, receive, send)
    return status


@contextmanager
def _listening(app: FastAPI, listening: Listening) -> Iterator[str]:
    """An application as `podium serve` runs it; its address."""
    with listening.bound() as bound:
        server = uvicorn.Server(listening.config(app))
        thread = threading.Thread(target=server.run, args=([bound],), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


class TestPrivateLeagues:
    @pytest.fixture
    def both(self, club_file, tmp_path) -> Iterator[TestClient]:
        """A site with a public league and one that can be private."""
        with podium.League.create(tmp_path / "chess.db") as chess:
            chess.record(["ann", "bob"], id="round-1", time="2026-01-01")
        leagues = {"club": club_file, "chess": tmp_path / "chess.db"}
        app = create_app(leagues, writable=True, secret=SECRET)
        yield TestClient(app, follow_redirects=False)
        app.state.catalogue.close()

    def test_a_league_that_becomes_private_is_in_no_list_and_in_no_sentence(self, both):
        asked = ["/", "/api/v1/leagues", "/clib/", "/api/v1/leagues/clib", "/nowhere/sign-in"]
        shown = {each: "club" in both.get(each).text.lower() for each in asked}
        assert all(shown.values()), shown
        league = both.app.state.catalogue["club"].writer
        league.set_access("private")
        for each in asked:
            answer = both.get(each)
            assert "club" not in answer.text.lower().replace("clib", ""), each
            assert "chess" in answer.text.lower(), each
        league.set_access("public")
        assert "club" in both.get("/").text.lower()

    def test_the_only_league_is_not_named_if_it_is_private(self, browser, league):
        assert browser.get("/").headers["location"] == "/club/"
        league.set_access("private")
        answer = browser.get("/")
        assert answer.status_code == 200
        assert "club" not in answer.text.lower()

    def test_answers_that_were_kept_are_not_shown_to_strangers_any_more(self, browser, league):
        addresses = ("/club/", "/club/feed.atom", "/club/titles.css", "/api/v1/leagues/club")
        tags = {}
        for each in addresses:
            assert browser.get(each).status_code == 200
            answer = browser.get(each)
            assert answer.headers["cache-control"] == "no-cache"
            tags[each] = answer.headers.get("etag", '"x"')
        league.set_access("private")
        for each in addresses:
            for method in ("GET", "HEAD"):
                answer = browser.request(method, each, headers={"if-none-match": tags[each]})
                assert answer.status_code == (401 if each.startswith("/api") else 303)
                assert "etag" not in answer.headers
                assert answer.headers["cache-control"] == "no-store"
        league.set_access("public")
        assert all(browser.get(each).status_code == 200 for each in addresses)

    def test_what_members_are_shown_is_kept_by_their_own_browser_alone(self, browser, league):
        league.set_access("private")
        token = league.create_token("ann", "read")
        sign_in(browser, token)
        for each in ("/club/", "/club/about", "/club/badge/player-0001.svg"):
            for _ in range(2):
                headers = browser.get(each).headers
                assert headers["cache-control"] == "private, no-cache"
                assert "cookie" in headers["vary"]
                assert headers["cross-origin-resource-policy"] == "same-origin"
        bearer = {"authorization": f"Bearer {token}"}
        for _ in range(2):
            headers = browser.get("/api/v1/leagues/club", headers=bearer).headers
            assert headers["cache-control"] == "private, no-cache"
            assert "authorization" in headers["vary"]
            assert "access-control-allow-origin" not in headers

    def test_members_search_as_they_type(self, browser, league):
        league.set_access("private")
        sign_in(browser, league.create_token("ann", "read"))
        page = browser.get("/club/")
        address = re.search(r'data-suggest="([^"]+)"', page.text)[1]
        found = browser.get(f"{address}?q=player-000&n=3").json()
        assert len(found) == 3
        assert all(each.startswith("player-000") for each in found)

    def test_a_server_that_is_ill_does_not_say_which_league_is(self, both, club_file):
        both.app.state.catalogue["club"].writer.set_access("private")
        club_file.unlink()
        answer = both.get("/healthz")
        assert answer.status_code == 503
        assert answer.json()["detail"] == "1 league cannot be read; the log says which, and why."
        assert "chess" in both.get("/").text.lower()
        assert both.get("/club/").status_code == 503

    def test_strangers_are_not_told_what_a_league_has_not(self, browser, league):
        league.set_access("private")
        for address in ("/club/no/such/page", "/club/player/nobody", "/club/%0A", "/%63lub/about"):
            assert browser.get(address).status_code == 303
        assert browser.get("/api/v1/leagues/club/nothing").status_code == 401
        assert browser.post("/club/about").status_code == 401

    def test_a_site_that_is_a_part_of_another_keeps_its_leagues_private(self, club, league):
        outside = TestClient(Starlette(routes=[Mount("/sub", club)]), follow_redirects=False)
        assert outside.get("/sub/club/about").status_code == 200
        league.set_access("private")
        led = outside.get("/sub/club/about")
        assert led.headers["location"] == "/sub/club/sign-in?next=%2Fsub%2Fclub%2Fabout"
        assert outside.get("/sub/api/v1/leagues/club").status_code == 401
        token = league.create_token("ann", "read")
        answer = outside.post("/sub/club/sign-in", data={"token": token})
        assert "Path=/sub/club/;" in answer.headers["set-cookie"]
        assert outside.get("/sub/club/about").status_code == 200
        cookie = {"cookie": f"{COOKIE}={outside.cookies[COOKIE]}"}
        assert outside.get("/sub/api/v1/leagues/club", headers=cookie).status_code == 401

    def test_what_is_counted_names_no_league(self, browser, league):
        league.set_access("private")
        browser.get("/club/")
        browser.get("/club/player/secret")
        text = browser.get("/metrics").text
        assert "club" not in text
        assert "secret" not in text

    def test_no_league_that_is_private_is_published(self, league, club_file):
        league.set_access("private")
        with pytest.raises(AccessError, match="is private, for those who have a token"):
            Catalogue.of([club_file])

    @pytest.mark.parametrize("ending", ["revoked", "private"])
    def test_a_stream_ends_when_it_is_not_to_be_told_any_more(
        self, club, league, ending, monkeypatch
    ):
        monkeypatch.setattr(doors, "_LOOKS", 0.0)
        token = league.create_token("ann", "read")
        number = league.identified(token).id
        headers = []
        if ending == "revoked":
            league.set_access("private")
            headers = [(b"authorization", f"Bearer {token}".encode())]
        ended = asyncio.run(_streamed(club, headers, lambda: _end(league, ending, number)))
        assert ended == {"told": 3, "disconnected": True, "finished": True}


def _end(league: podium.League, ending: str, number: int) -> None:
    if ending == "revoked":
        league.revoke_token(number)
    else:
        league.set_access("private")


async def _streamed(app: FastAPI, headers: Any, end: Any) -> dict[str, Any]:
    """What becomes of a stream that goes on for ever, and of which something ends the right."""
    found = {"told": 0, "disconnected": False, "finished": False}

    async def endless(_: Any, receive: Any, send: Any) -> None:
        kind = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": kind})
        listening = asyncio.ensure_future(receive())
        told = {"type": "http.response.body", "body": b"data: x\n\n", "more_body": True}
        for _ in range(3):
            await send(dict(told))
        await asyncio.to_thread(end)
        for _ in range(3):
            await send(dict(told))
        found["disconnected"] = (await listening)["type"] == "http.disconnect"

    async def receive() -> Any:
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        found["told"] += bool(message.get("body"))
        found["finished"] |= message.get("more_body") is False

    private = Private(endless, app.state.catalogue, app.state.doors)
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/api/v1/leagues/club/events",
        "headers": headers,
        "query_string": b"",
        "app": app,
    }
    await private(scope, receive, send)
    return found


class TestAskers:
    def test_whatever_asks_who_it_is_makes_the_answer_theirs(self, club, league):
        token = league.create_token("ann", "own")
        scope = {
            "type": "http",
            "method": "GET",
            "path": "/api/v1/leagues/club/tokens",
            "path_params": {"key": "club"},
            "headers": [(b"authorization", f"Bearer {token}".encode())],
            "app": club,
            ASKER: Asker(),
        }
        visitor = doors.Needs("own")(doors.Request(scope))
        assert visitor.name == "ann"
        assert scope[ASKER].is_known


class TestSecrets:
    @pytest.fixture(autouse=True)
    def _without_variable(self, monkeypatch):
        monkeypatch.delenv(doors.VARIABLE, raising=False)

    def test_a_secret_is_made_once_for_its_owner_alone(self, tmp_path):
        path = tmp_path / "new" / "folder" / "secret"
        first = secret_key(path)
        assert len(first) >= 32
        assert secret_key(path) == first
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700
        assert [each.name for each in path.parent.iterdir()] == ["secret"]

    def test_those_who_make_it_at_once_have_the_same(self, tmp_path):
        path, found = tmp_path / "secret", []
        barrier = threading.Barrier(8)

        def make() -> None:
            barrier.wait()
            found.append(secret_key(path))

        threads = [threading.Thread(target=make) for _ in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert len(found) == 8
        assert len(set(found)) == 1

    def test_a_file_that_others_can_read_is_refused(self, tmp_path):
        path = tmp_path / "secret"
        path.write_text("x" * 40)
        for mode in (0o644, 0o640, 0o604, 0o620):
            path.chmod(mode)
            with pytest.raises(InputError, match="others can read the secret of the site; chmod"):
                secret_key(path)
        path.chmod(0o400)
        assert secret_key(path) == b"x" * 40

    @pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 40])
    def test_a_file_that_is_no_secret_is_refused(self, tmp_path, content):
        path = tmp_path / "secret"
        path.write_bytes(content)
        path.chmod(0o600)
        with pytest.raises((InputError, StorageError), match="secret of"):
            secret_key(path)
        assert path.read_bytes() == content

    def test_a_place_where_no_file_can_be_is_refused(self, tmp_path):
        (tmp_path / "file").touch()
        for path in (tmp_path, tmp_path / "file" / "secret"):
            with pytest.raises(StorageError, match="cannot be the secret of the site"):
                secret_key(path)

    def test_the_variable_goes_before_and_is_long_enough(self, tmp_path, monkeypatch):
        monkeypatch.setenv(doors.VARIABLE, "s" * 32)
        assert secret_key(tmp_path / "secret") == b"s" * 32
        assert not (tmp_path / "secret").exists()
        monkeypatch.setenv(doors.VARIABLE, "secret")
        with pytest.raises(InputError, match="PODIUM_SECRET: the secret of a site has at least 32"):
            secret_key()

    def test_a_user_without_a_home_is_told_what_to_say(self, monkeypatch):
        monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)

        def nowhere() -> Path:
            raise RuntimeError("Could not determine home directory.")

        monkeypatch.setattr(Path, "home", nowhere)
        with pytest.raises(InputError, match="--secret-file FILE names another place"):
            secret_key()

    def test_it_is_among_the_settings_of_the_user_by_default(self, tmp_path, monkeypatch):
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
        assert secret_key() == (tmp_path / "podium" / "secret").read_bytes().strip()

    def test_a_signature_is_of_its_parts_and_not_of_their_text(self):
        keeper = Doors(SECRET)
        assert keeper._signature("a", "bc") != keeper._signature("ab", "c")
        assert keeper._signature("a") != Doors(SECRET[1:])._signature("a")
