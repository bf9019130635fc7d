"""What stands around a site: limits, headers, counts, sockets and processes."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import httpx
import pytest
from fastapi import FastAPI, Response
from starlette.testclient import TestClient

import podium
from podium.web import create_app, metrics, problems, security
from podium.web.caching import Cache
from podium.web.catalogue import Catalogue
from podium.web.server import VARIABLE, Listening, Settings, checked_prefix
from podium.web.server import app as app_of_the_environment

ON_POSIX = pytest.mark.skipif(os.name == "nt", reason="needs signals and sockets of POSIX")


@pytest.fixture
def small(league_file: Path) -> Iterator[FastAPI]:
    """A site with one page, and with all that stands around a site."""
    app = FastAPI()
    with Catalogue.of(league_file) as catalogue:
        app.state.catalogue = catalogue
        problems.install(app)
        metrics.install(app)

        @app.get("/{key}/")
        @app.get("/{key}/badge/{name}.svg")
        @app.get("/{key}/why/{contest}/{player}")
        def page(key: str) -> Response:
            with catalogue[key].league.snapshot() as view:
                return Response(f"{len(view)} contests", headers={"podium-state": view.state})

        @app.get("/{key}/broken")
        def broken(key: str) -> Response:
            raise RuntimeError(f"the secret of {key}")

        security.install(app)
        app.add_middleware(Cache, catalogue=catalogue)
        app.add_middleware(metrics.Metered)
        yield app


@pytest.fixture
def small_client(small: FastAPI) -> Iterator[TestClient]:
    with TestClient(small) as client:
        yield client


class TestHeaders:
    @pytest.mark.parametrize(
        "address", ["/club/", "/club/broken", "/nowhere/at/all", "/healthz", "/metrics"]
    )
    def test_every_answer_says_that_nothing_comes_from_elsewhere(self, small_client, address):
        for _ in range(2):
            headers = small_client.get(address).headers
            policy = headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "same-origin"
            assert headers["cross-origin-resource-policy"] == "same-origin"
            assert "camera=()" in headers["permissions-policy"]

    def test_badges_may_stand_on_other_sites(self, small_client):
        headers = small_client.get("/club/badge/ann.svg").headers
        assert headers["cross-origin-resource-policy"] == "cross-origin"
        assert "script-src" not in headers["content-security-policy"]

    def test_scripts_of_other_sites_may_read_the_api_alone(self, client):
        headers = client.get("/api/v1/leagues").headers
        assert headers["access-control-allow-origin"] == "*"
        assert headers["cross-origin-resource-policy"] == "cross-origin"
        assert "access-control-allow-origin" not in client.get("/club/").headers

    def test_what_is_not_about_one_league_alone_or_says_where_it_is_has_a_tag(self, league_file):
        with TestClient(create_app({"a": league_file, "b": league_file})) as client:
            for address in ("/", "/a/feed.atom", "/api/v1/", "/api/v1/leagues"):
                tag = client.get(address).headers["etag"]
                again = client.get(address, headers={"if-none-match": tag})
                assert (again.status_code, again.content) == (304, b"")

    def test_what_is_not_sent_again_has_them_too(self, small_client):
        first = small_client.get("/club/")
        same = small_client.get("/club/", headers={"if-none-match": first.headers["etag"]})
        assert same.status_code == 304
        assert same.headers["content-security-policy"] == security.POLICY


class TestLimits:
    def test_an_address_has_a_length(self, small_client):
        assert small_client.get(f"/club/?q={'x' * 60_000}").status_code == 200
        refusal = security.refused(_scope("/club/", b"q=" + b"x" * 70_000), False)
        assert refusal is not None
        kind, text = refusal
        assert kind.status == 414
        assert text == "the address has 70,008 bytes; it may have 65,536."

    def test_an_address_has_so_many_parameters(self, small_client):
        refused = small_client.get("/club/?" + "a=1&" * 1000)
        assert refused.status_code == 414
        assert "1,001 parameters" in refused.text

    def test_headers_have_a_length(self, small_client):
        refused = small_client.get("/club/", headers={"x-long": "x" * 40_000, "host": "other"})
        assert refused.status_code == 431

    @pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
    def test_nothing_but_reading_is_allowed(self, small_client, method):
        refused = small_client.request(method, "/club/", content=b"x" * 100_000)
        assert refused.status_code == 405
        assert refused.headers["allow"] == "GET, HEAD"
        assert refused.headers["connection"] == "close"

    def test_a_request_has_no_body(self, small_client):
        refused = small_client.request("GET", "/club/?q=body", content=b"x")
        assert refused.status_code == 413

    @pytest.mark.parametrize(
        ("asked", "kind"),
        [
            ({"url": "/api/v1/leagues?" + "a=1&" * 1000}, problems.LONG_ADDRESS),
            ({"url": "/api/v1/", "headers": {"x-long": "x" * 40_000}}, problems.LONG_HEADERS),
            ({"url": "/api/v1/", "content": b"x"}, problems.BODY),
            ({"url": "/api/v1/", "method": "PUT"}, problems.READ_ONLY),
        ],
    )
    def test_programs_get_a_problem_that_has_a_name(self, small_client, asked, kind):
        refused = small_client.request(**{"method": "GET", **asked})
        assert refused.headers["content-type"] == "application/problem+json"
        found = refused.json()
        assert found["type"] == f"/api/v1/#problem-{kind.name}"
        assert (found["status"], found["title"]) == (kind.status, kind.title)
        assert kind in problems.KINDS

    def test_what_is_unexpected_is_told_to_the_log_only(self, small_client, caplog):
        answer = small_client.get("/club/broken")
        assert answer.status_code == 500
        assert "secret" not in answer.text
        assert "Traceback" not in answer.text
        number = re.search(r"[0-9a-f-]{36}", answer.text)
        assert number is not None
        assert number[0] in caplog.text
        assert "the secret of club" in caplog.text


class TestALane:
    def test_lets_so_many_in_and_the_next_when_one_leaves(self):
        async def walk() -> None:
            lane = security.Lane(2, queue=1, patience=60.0)
            assert await lane.enter()
            assert await lane.enter()
            third = asyncio.ensure_future(lane.enter())
            await asyncio.sleep(0)
            assert not await lane.enter()  # the queue is full
            assert not third.done()
            lane.leave()
            assert await third

        asyncio.run(walk())

    def test_does_not_let_anybody_wait_for_long(self):
        async def walk() -> None:
            lane = security.Lane(1, patience=0.0)
            assert await lane.enter()
            assert not await lane.enter()
            lane.leave()
            assert await lane.enter()

        asyncio.run(walk())

    def test_is_left_even_by_those_who_fail(self):
        async def fail(*_: Any) -> None:
            raise RuntimeError

        async def walk() -> None:
            shielded = security.Shielded(fail, at_once=1)
            for _ in range(3):
                with pytest.raises(RuntimeError):
                    await shielded(_scope("/club/why/1/ann"), _nothing, _nothing)

        asyncio.run(walk())

    def test_who_finds_no_room_is_told_to_come_again(self):
        async def walk() -> list[Any]:
            sent: list[Any] = []
            busy, going_on = asyncio.Event(), asyncio.Event()

            async def slow(*_: Any) -> None:
                busy.set()
                await going_on.wait()

            async def send(message: Any) -> None:
                sent.append(message)

            shielded = security.Shielded(slow, at_once=1)
            shielded._work = security.Lane(1, queue=0)
            shielded._work._queue = 1
            first = asyncio.ensure_future(shielded(_scope("/club/why/1/ann"), _nothing, _nothing))
            await busy.wait()
            second = asyncio.ensure_future(shielded(_scope("/club/", b"at=2026"), _nothing, send))
            await asyncio.sleep(0)
            await shielded(_scope("/api/v1/leagues/club/explanation"), _nothing, send)
            quick = asyncio.ensure_future(shielded(_scope("/club/"), _nothing, _nothing))
            going_on.set()
            await asyncio.gather(first, second, quick)
            return sent

        start, body = asyncio.run(walk())
        headers = dict(start["headers"])
        assert start["status"] == 503
        assert int(headers[b"retry-after"]) > 0
        assert json.loads(body["body"])["type"] == "/api/v1/#problem-busy"

    @pytest.mark.parametrize(
        ("path", "query"),
        [
            ("/club/leaderboard.csv", b""),
            ("/club/leaderboard.parquet", b"q=ann"),
            ("/club/why/1/ann", b""),
            ("/api/v1/leagues/club/what-if", b""),
            ("/club/", b"at=2026-01-01"),
            ("/club/", b"season=2025"),
            ("/api/v1/leagues/club/export/history.csv", b""),
        ],
    )
    def test_has_room_for_few_of_what_takes_long(self, path, query):
        async def walk() -> int:
            inside, going_on = 0, asyncio.Event()

            async def slow(*_: Any) -> None:
                nonlocal inside
                inside += 1
                await going_on.wait()

            shielded = security.Shielded(slow, at_once=2)
            asking = [
                asyncio.ensure_future(shielded(_scope(path, query), _nothing, _nothing))
                for _ in range(20)
            ]
            for _ in range(5):
                await asyncio.sleep(0)
            at_once = inside
            going_on.set()
            await asyncio.gather(*asking)
            assert inside == len(asking)
            return at_once

        assert asyncio.run(walk()) == (security.TABLES if "export" in path else 2)


def _scope(path: str, query: bytes = b"") -> dict[str, Any]:
    return {
        "type": "http",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "query_string": query,
        "headers": [],
        "server": ("localhost", 80),
    }


async def _nothing(*_: Any) -> Any:
    return {"type": "http.request"}


class TestWatching:
    def test_a_server_whose_leagues_answer_is_well(self, small_client):
        answer = small_client.get("/healthz")
        assert answer.status_code == 200
        assert answer.json() == {"status": "ok"}

    def test_that_a_league_is_lost_is_said_and_which_one_in_the_log(self, club_file, caplog):
        app = FastAPI()
        app.state.catalogue = Catalogue.of(club_file)
        metrics.install(app)
        club_file.unlink()
        answer = TestClient(app).get("/healthz")
        assert answer.status_code == 503
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["detail"] == "1 league cannot be read; the log says which, and why."
        assert "club" not in answer.text
        assert str(club_file) in caplog.text
        app.state.catalogue.close()

    def test_requests_are_counted_by_route_and_status(self, small_client):
        def count(line: str) -> float:
            text = small_client.get("/metrics").text
            found = re.search(rf"^{re.escape(line)} (\S+)$", text, re.MULTILINE)
            return 0.0 if found is None else float(found[1])

        lines = [
            'podium_requests_total{route="/{key}/",status="200"}',
            'podium_request_seconds_count{route="/{key}/"}',
            'podium_cache_total{result="hit"}',
            'podium_cache_total{result="miss"}',
            'podium_requests_total{route="none",status="404"}',
        ]
        before = [count(line) for line in lines]
        for address in ("/club/?q=1", "/club/?q=1", "/club/?q=1", "/nowhere/at/all/of/it"):
            small_client.get(address)
        after = [count(line) for line in lines]
        assert [b - a for a, b in zip(before, after, strict=True)] == [3, 3, 2, 1, 1]

    def test_strangers_do_not_make_up_labels(self, small_client):
        small_client.get("/<script>/made/up/by/somebody")
        assert "made" not in small_client.get("/metrics").text

    def test_the_site_counts_as_well(self, client):
        client.get("/club/no/such/address")
        client.get("/club/contests")
        text = client.get("/metrics").text
        assert 'route="/{key}/contests",status="200"' in text
        assert client.get("/healthz").json() == {"status": "ok"}


class TestSettings:
    def test_come_out_of_the_environment_as_they_went_in(self, league_file, monkeypatch):
        settings = {"leagues": [str(league_file)], "title": "Ours", "prefix": "/ratings"}
        monkeypatch.setenv(VARIABLE, json.dumps(settings))
        app = app_of_the_environment()
        assert app.title == "Ours"
        with TestClient(app) as client:
            assert client.get("/ratings/healthz").status_code == 200
            assert client.get("/healthz").status_code == 200

    def test_have_a_path_before_all_others(self):
        assert checked_prefix("") == checked_prefix("/") == ""
        for wrong in ("/a b", "/ü", "/a?b", "/..", "/a//b", "http://x"):
            with pytest.raises(podium.InputError, match="/ratings would be one"):
                checked_prefix(wrong)

    @pytest.mark.parametrize("wrong", ["example.org", "ftp://a", "https://a/b", "https://"])
    def test_say_where_the_public_finds_it(self, wrong):
        assert Settings((), address="https://a.b/").address == "https://a.b"
        with pytest.raises(podium.InputError, match="is not where a site can be found"):
            Settings((), address=wrong)

    def test_trust_addresses_and_networks(self):
        Listening(trusted=("127.0.0.1", "10.0.0.0/8", "::1"))
        with pytest.raises(podium.InputError, match="'proxy' is no address of a proxy"):
            Listening(trusted=("proxy",))


class TestASocket:
    def test_takes_any_port_that_is_free(self):
        listening = Listening(port=0)
        with listening.bound() as bound:
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/a/", listening.where(bound, "/a"))

    def test_is_not_taken_from_another(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            with (
                pytest.raises(podium.InputError, match="another server listens there; --port 0"),
                Listening(port=port).bound(),
            ):
                pass

    @pytest.mark.parametrize("host", ["192.0.2.1", "nowhere.invalid"])
    def test_is_on_this_machine(self, host):
        with (
            pytest.raises(podium.InputError, match="is no address of this machine"),
            Listening(host, port=0).bound(),
        ):
            pass

    @ON_POSIX
    def test_can_be_in_the_file_system(self, tmp_path):
        path = tmp_path / "s"
        with Listening(unix=path).bound() as bound:
            assert Listening(unix=path).where(bound) == f"unix:{path}"
            with (
                pytest.raises(podium.InputError, match="another server listens there"),
                Listening(unix=path).bound(),
            ):
                pass
        assert not path.exists()

    @ON_POSIX
    def test_of_a_server_that_was_killed_is_replaced(self, tmp_path):
        path = tmp_path / "s"
        with socket.socket(socket.AF_UNIX) as killed:
            killed.bind(str(path))
        with Listening(unix=path).bound():
            pass

    @ON_POSIX
    def test_does_not_replace_a_file(self, tmp_path):
        (tmp_path / "s").write_text("mine")
        with (
            pytest.raises(podium.InputError, match="is there already, and is no socket"),
            Listening(unix=tmp_path / "s").bound(),
        ):
            pass
        assert (tmp_path / "s").read_text() == "mine"


@contextmanager
def running(*arguments: object, **environment: str) -> Iterator[tuple[Any, str]]:
    """``podium serve`` in a process, and where it listens."""
    process = subprocess.Popen(
        [sys.executable, "-m", "podium", "serve", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r" at (\S+)/ ", line)
        assert found is not None, line + (process.stderr.read() if process.stderr else "")
        yield process, found[1]
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@ON_POSIX
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_a_server_answers_until_it_is_asked_to_end(league_file, end):
    with running(league_file, "--port", 0) as (process, address):
        with urlopen(f"{address}/healthz") as answer:
            assert json.load(answer) == {"status": "ok"}
        process.send_signal(end)
        stdout, stderr = process.communicate(timeout=60)
        assert process.returncode == 0
        assert (stdout, stderr.splitlines()[-1]) == ("", "Stopped.")


@pytest.mark.slow
@ON_POSIX
def test_several_processes_answer_and_count_together(league_file):
    with running(league_file, "--port", 0, "--workers", 2) as (process, address):
        with httpx.Client() as one, httpx.Client() as other:
            for number in range(20):
                for client in (one, other):
                    assert client.get(f"{address}/healthz?{number}", timeout=60).status_code == 200
        text = httpx.get(f"{address}/metrics").text
        found = re.search(r'route="/healthz",status="200"\} (\S+)', text)
        assert found is not None
        assert float(found[1]) == 40.0
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=60)
        assert process.returncode == 0
        assert stderr.splitlines()[-1] == "Stopped."


@ON_POSIX
def test_answers_that_are_on_their_way_are_finished(league_file, tmp_path):
    """The server is asked to end while it computes, and says all the same what it has found."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal\n"
        "from podium.web import metrics\n"
        "well = metrics.ailing\n"
        "def ending(catalogue):\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    return well(catalogue)\n"
        "metrics.ailing = ending\n"
    )
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    with running(league_file, "--port", 0, PYTHONPATH=path) as (process, address):
        with urlopen(f"{address}/healthz") as answer:
            assert json.load(answer) == {"status": "ok"}
        process.communicate(timeout=60)
        assert process.returncode == 0


@ON_POSIX
def test_a_proxy_is_believed_only_if_it_is_trusted(league_file):
    forwarded = {"x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.7"}
    for trusted, seen in (((), "127.0.0.1"), (("--trusted", "127.0.0.1"), "192.0.2.7")):
        with running(league_file, "--port", 0, "--log", *trusted) as (process, address):
            assert httpx.get(f"{address}/healthz", headers=forwarded).status_code == 200
            process.send_signal(signal.SIGTERM)
            _, stderr = process.communicate(timeout=60)
            assert re.search(rf' {re.escape(seen)}:\d+ "GET /healthz HTTP/1.1" 200', stderr)


@ON_POSIX
def test_a_socket_in_the_file_system_is_answered_at(league_file, tmp_path):
    path = tmp_path / "s"
    process = subprocess.Popen(
        [sys.executable, "-m", "podium", "serve", str(league_file), "--unix", str(path)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert f"unix:{path}" in process.stdout.readline()
        with httpx.Client(transport=httpx.HTTPTransport(uds=str(path))) as client:
            assert client.get("http://site/healthz", timeout=60).json() == {"status": "ok"}
        process.terminate()
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.communicate()
    assert not path.exists()


def test_an_application_is_shared_by_threads(small):
    found = []
    with TestClient(small) as client:
        threads = [
            threading.Thread(target=lambda: found.append(client.get("/club/").text))
            for _ in range(8)
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert found == ["12 contests"] * 8


class TestTheDocumentation:
    ROOT = Path(__file__).parents[2]
    TEXT = (ROOT / "docs" / "web.md").read_text(encoding="utf-8")

    def test_has_a_snippet_that_runs(self):
        (snippet,) = re.findall(r"```python\n(.*?)```", self.TEXT, flags=re.DOTALL)
        names: dict[str, Any] = {}
        exec(compile(snippet, "docs/web.md", "exec"), names)
        assert list(names["app"].state.catalogue) == ["club"]
        names["app"].state.catalogue.close()

    def test_has_a_list_of_leagues_that_is_one(self, tmp_path):
        (text,) = re.findall(r"```toml\n(.*?)```", self.TEXT, flags=re.DOTALL)
        (tmp_path / "site.toml").write_text(text.replace("postgresql://host/chess", "chess.db"))
        for name in ("club.db", "chess.db"):
            podium.League.create(tmp_path / name).close()
        with Catalogue.of(tmp_path / "site.toml") as catalogue:
            assert list(catalogue) == ["club", "chess"]

    def test_leads_to_every_file_that_deploys_it(self):
        for path in (self.ROOT / "deploy").iterdir():
            assert f"](../deploy/{path.name})" in self.TEXT

    def test_and_its_files_use_options_that_there_are(self):
        from typer.main import get_command

        from podium.cli.app import app

        known = {
            word
            for each in get_command(app).commands["serve"].params  # type: ignore[attr-defined]
            for word in each.opts
        }
        for path in (self.ROOT / "deploy").iterdir():
            for line in path.read_text(encoding="utf-8").splitlines():
                if "podium serve" in line:
                    assert set(re.findall(r"--[a-z-]+", line.split("podium serve")[1])) <= known
