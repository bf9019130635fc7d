"""Contests that run, on a site: who may post them, what is answered, and who is told."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import TypeAdapter
from starlette.testclient import TestClient

import podium
from podium.league import live as leagues
from podium.web import content, create_app, polling, schemas
from podium.web.outside import Outside
from tests.web.conftest import HOSTILE, TITLES, Serving

SECRET = b"a secret that only tests know, of enough letters"
LIVE = "/api/v1/leagues/club/live"
ORDER = [f"player-{number:04}" for number in range(1, 41)]


class Site:
    """A site that may write, and tokens of all roles."""

    def __init__(self, client: TestClient, path: Path) -> None:
        self.client, self.path = client, path
        with podium.League(path) as league:
            roles = ("read", "record", "organise", "own")
            self.tokens = {role: league.create_token(role, role) for role in roles}

    def ask(self, method: str, path: str = "", role: str | None = None, **more: Any) -> Any:
        headers = {} if role is None else {"Authorization": f"Bearer {self.tokens[role]}"}
        headers |= more.pop("headers", {})
        return self.client.request(method, f"{LIVE}{path}", headers=headers, **more)

    def post(self, order: list[str], contest: str = "now", **more: Any) -> Any:
        rows = [{"player": name, "rank": rank} for rank, name in enumerate(order, start=1)]
        answer = self.ask("PUT", f"?id={contest}", "record", json={"rows": rows, **more})
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture
def site(club_file: Path) -> Iterator[Site]:
    app = create_app(club_file, writable=True, secret=SECRET)
    with TestClient(app, follow_redirects=False) as client:
        yield Site(client, club_file)


class TestPosting:
    @pytest.mark.parametrize(
        ("method", "path", "least"),
        [
            ("PUT", "?id=now", "record"),
            ("DELETE", "?id=now", "record"),
            ("PUT", "/source?id=now", "organise"),
            ("GET", "/source?id=now", "organise"),
            ("DELETE", "/source?id=now", "organise"),
        ],
    )
    def test_is_for_those_who_may(self, site, method, path, least):
        roles = ["read", "record", "organise", "own"]
        assert site.ask(method, path).status_code == 401
        body = {"json": {}} if method == "PUT" else {}
        for role in roles[: roles.index(least)]:
            assert site.ask(method, path, role, **body).status_code == 403
        for role in roles[roles.index(least) :]:
            assert site.ask(method, path, role, **body).status_code in (404, 422)

    def test_of_rows_answers_what_came_of_it(self, site):
        first = site.post(ORDER, title="Now")
        TypeAdapter(schemas.PostedLive).validate_python(first, extra="forbid")
        assert (first["version"], first["changed"], first["name"]) == (1, True, "Now")
        assert site.post(ORDER)["changed"] is False
        assert site.post(ORDER[::-1])["version"] == 2
        with podium.League(site.path) as league:
            assert league.live("now").who == "record"

    @pytest.mark.parametrize(
        ("name", "text", "options"),
        [
            ("now.csv", "player,score\nann,7\nbob,9\n", ""),
            ("now.csv", "Spieler;Punkte\nann;7,5\nbob;9,0\n", "&delimiter=;"),
            ("now.txt", "bob\nann\n", ""),
            ("now.json", '[{"player": "ann", "rank": 2}, {"player": "bob", "rank": 1}]', ""),
            ("now.csv", "who,place\nann,2\nbob,1\n", "&columns=player=who&columns=rank=place"),
        ],
    )
    def test_of_a_file_reads_whatever_podium_reads(self, site, name, text, options):
        answer = site.ask("PUT", f"?id=now&name={name}{options}", "record", content=text)
        assert answer.status_code == 200, answer.text
        document = site.ask("GET", "?id=now").json()
        assert [row["player"] for row in document["standings"]] == ["bob", "ann"]

    def test_of_a_file_that_is_none_says_what_is_wrong_with_it(self, site):
        for content_, sentence in (
            (b"PAR1 nonsense PAR1", "now.parquet"),
            (b"", "the file is empty"),
        ):
            answer = site.ask("PUT", "?id=now&name=now.parquet", "record", content=content_)
            assert answer.status_code == 422
            assert sentence in answer.json()["detail"]
            assert "/tmp" not in answer.text

    @pytest.mark.parametrize(
        ("path", "body", "sentence"),
        [
            ("", {"rows": [{"player": "ann"}]}, "id is missing"),
            ("?id=now", {}, "rows is missing"),
            ("?id=now", {"rows": []}, "rows"),
            ("?id=now", {"rows": [{"player": "ann", "rank": 0}]}, "rank"),
            ("?id=now", {"rows": [{"rank": 1}]}, "player"),
            ("?id=now", {"rows": [{"player": "ann", "rank": 1}], "x": 1}, "no field 'x'"),
            ("?id=now&x=1", {"rows": [{"player": "ann", "rank": 1}]}, "no parameter 'x'"),
            ("?id=now", {"rows": [{"player": "ann", "rank": [1]}, {"player": 3}]}, "rows"),
        ],
    )
    def test_of_what_is_wrong_is_a_sentence(self, site, path, body, sentence):
        answer = site.ask("PUT", path, "record", json=body)
        assert answer.status_code == 422, answer.text
        assert sentence in answer.json()["detail"]

    def test_of_what_is_recorded_is_a_conflict(self, site):
        with podium.League(site.path) as league:
            recorded = league.contests()["contest"][0]
        rows = [{"player": "ann", "rank": 1}]
        answer = site.ask("PUT", f"?id={recorded}", "record", json={"rows": rows})
        assert answer.status_code == 409

    def test_is_not_possible_where_a_site_only_reads(self, club_file):
        with TestClient(create_app(club_file)) as client:
            assert client.put(f"{LIVE}?id=now", json={"rows": []}).status_code == 405


class TestReading:
    def test_lists_all_and_shows_one_as_described(self, site):
        assert site.ask("GET").json() == []
        site.post(ORDER)
        site.post(ORDER[::-1], "then")
        (then, now) = site.ask("GET").json()
        TypeAdapter(schemas.ListedLive).validate_python(now, extra="forbid")
        assert (then["contest"], now["contest"]) == ("then", "now")
        document = site.ask("GET", "?id=now&player=player-0005").json()
        TypeAdapter(schemas.Live).validate_python(document, extra="forbid")
        assert document["participants"] == 40
        assert document["curve"]["player"] == "player-0005"
        assert document["curve"]["goals"][0]["rank"] == document["standings"][4]["needed"]

    def test_comes_in_pages_of_one_version(self, site):
        site.post(ORDER)
        first = site.ask("GET", "?id=now&n=30")
        link = first.headers["link"].partition(";")[0].strip("<>")
        second = site.ask("GET", link)
        found = [row["player"] for page in (first, second) for row in page.json()["standings"]]
        assert found == ORDER
        assert "link" not in second.headers
        site.post(ORDER[::-1])
        assert site.ask("GET", link).status_code == 409

    def test_searches_and_misses(self, site):
        site.post(ORDER)
        document = site.ask("GET", "?id=now&q=0007").json()
        assert [row["rank"] for row in document["standings"]] == [7]
        assert site.ask("GET", "?id=then").status_code == 404
        assert site.ask("GET", "?id=now&player=nobody").status_code == 404

    def test_is_never_what_was_before(self, site):
        site.post(ORDER)
        tags = site.ask("GET", "?id=now").headers.get("etag")
        site.post(ORDER[::-1])
        again = site.ask("GET", "?id=now", headers={"If-None-Match": tags or '"x"'})
        assert again.status_code == 200
        assert again.json()["version"] == 2


class TestPages:
    def test_say_that_it_is_a_prediction_and_when_it_was_updated(self, site):
        assert "live-mark" not in site.client.get("/club/live").text
        site.post(ORDER, title="Now")
        page = site.client.get("/club/live/now").text
        assert "A prediction, if it ended now" in page
        assert "Last updated <time datetime=" in page
        assert page.count("<tr") == 41
        listed = site.client.get("/club/live").text
        assert '<a href="/club/live/now"><bdi>Now</bdi></a>' in listed

    def test_are_linked_to_only_while_there_is_a_contest(self, site):
        link = 'href="/club/live"'
        assert link not in site.client.get("/club/").text
        site.post(ORDER)
        assert link in site.client.get("/club/").text
        site.ask("DELETE", "?id=now", "record")
        assert link not in site.client.get("/club/").text

    def test_follow_somebody_without_a_script(self, site):
        site.post([*ORDER, "a newcomer"])
        for name, said in (
            ("player-0003", "rank 3"),
            ("a newcomer", "rank 41"),
            ("nobody", "does not take part"),
        ):
            page = site.client.get(f"/club/live/now?player={name}").text
            assert said in page
        page = site.client.get("/club/live/now?player=player-0003&curve=1").text
        assert "<figure" in page

    def test_become_the_page_of_the_contest(self, site):
        site.post(ORDER)
        with podium.League(site.path) as league:
            league.record(ORDER, id="now", time="2026-10-01")
        answer = site.client.get("/club/live/now")
        assert (answer.status_code, answer.headers["location"]) == (303, "/club/contest/now")
        assert site.client.get("/club/live/never").status_code == 404

    def test_have_no_past(self, site):
        site.post(ORDER)
        answer = site.client.get("/club/live/now?at=2026-01-01&q=x")
        assert (answer.status_code, answer.headers["location"]) == (303, "/club/live/now?q=x")

    @pytest.mark.parametrize("contest", [each for each in HOSTILE if "%" not in each])
    def test_carry_any_name(self, site, contest):
        rows = [{"player": name, "rank": rank} for rank, name in enumerate(HOSTILE, start=1)]
        answer = site.client.put(
            LIVE,
            params={"id": contest},
            json={"rows": rows, "title": contest},
            headers={"Authorization": f"Bearer {site.tokens['record']}"},
        )
        assert answer.status_code == 200, answer.text
        from podium.web.addresses import Addresses

        for player in (None, HOSTILE[0], HOSTILE[3]):
            address = Addresses("", "club").live(contest.strip(), player=player)
            page = site.client.get(address)
            assert page.status_code == 200, address
            assert "<script>alert" not in page.text
            assert "<img" not in page.text
        assert site.client.get("/club/live").status_code == 200

    def test_of_a_contest_without_standings_wait_for_them(self, site):
        with podium.League(site.path) as league:
            league.poll_live("now", "https://example.org/now.csv")
        assert "There are no standings yet" in site.client.get("/club/live/now").text
        assert site.ask("GET", "?id=now").json()["version"] == 0

    def test_of_10_000_are_100_rows_each(self, tmp_path):
        path = tmp_path / "club.db"
        with podium.League.create(path, rules=podium.Rules(titles=TITLES)) as league:
            league.record(["ann", "bob"], time="2026-01-01")
            league.post_live("now", [f"p{number}" for number in range(10_000)])
        with TestClient(create_app(path)) as client:
            page = client.get("/club/live/now?page=100&player=p3").text
            assert page.count("<tr") == 101
            assert "9,901–10,000 of 10,000" in page
            assert 'data-player="p3"' in page
            assert client.get("/club/live/now?q=p777").text.count("<tr") == 12

    def test_hide_who_is_hidden(self, site):
        site.post(ORDER)
        with podium.League(site.path) as league:
            league.hide(ORDER[4])
        mark = site.client.get("/club/live/now").text.partition('data-mark="')[2].split('"')[0]
        for address in (
            "/club/live/now",
            f"/club/live/now?q={ORDER[4]}",
            f"/club/live-rows?id=now&mark={mark}",
        ):
            page = site.client.get(address).text.replace(f'value="{ORDER[4]}"', "")
            assert ORDER[4] not in page
        assert ORDER[4] not in site.ask("GET", "?id=now").text
        assert site.ask("GET", f"?id=now&player={ORDER[4]}").status_code == 404


class TestRows:
    def test_are_made_once_for_all_who_ask_for_the_same(self, site, monkeypatch):
        site.post(ORDER)
        made = []
        live = content.live

        def counted(*given: Any, **more: Any) -> Any:
            made.append(1)
            return live(*given, **more)

        monkeypatch.setattr(content, "live", counted)
        mark = _mark(site)
        first = [site.client.get(f"/club/live-rows?id=now&mark={mark}").text for _ in range(5)]
        assert len(set(first)) == 1
        assert len(made) == 1
        site.post(ORDER[::-1])
        old = site.client.get(f"/club/live-rows?id=now&mark={mark}")
        assert old.text == first[0]  # who asks for a version that was is told what was
        new = [site.client.get(f"/club/live-rows?id=now&mark={_mark(site)}").text for _ in range(5)]
        assert len(made) == 2
        assert new[0].index(ORDER[-1]) < new[0].index(ORDER[-9])

    def test_of_a_version_that_is_no_more_are_kept_by_nobody(self, site):
        site.post(ORDER)
        for mark in ("x", "", _mark(site).replace("-1.", "-9.")):
            answer = site.client.get(f"/club/live-rows?id=now&mark={mark}")
            assert answer.headers["cache-control"] == "no-store"
            assert ORDER[0] in answer.text

    def test_are_only_what_changes(self, site):
        site.post(ORDER)
        text = site.client.get(f"/club/live-rows?id=now&mark={_mark(site)}&page=1").text
        assert "<html" not in text
        for part in ("about", "followed", "summary", "standings"):
            assert f'data-part="{part}"' in text


def _mark(site: Site) -> str:
    with podium.League.reading(site.path) as league:
        signs = league.signs()
    return f"{signs.live['now'].mark}.{signs.state}"


def events_of(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    kind = ""
    for line in lines:
        if line.startswith("event: "):
            kind = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield kind, json.loads(line.removeprefix("data: "))


@contextmanager
def listening(address: str, path: str = "/club/live-stream?id=now") -> Iterator[Any]:
    with httpx.stream("GET", f"{address}{path}", timeout=60) as found:
        assert found.status_code == 200
        yield events_of(found.iter_lines())


class TestListeners:
    def test_hear_of_every_version_and_of_the_recording(self, club_file, serving: Serving):
        with podium.League(club_file) as league:
            league.post_live("now", ORDER)
            with serving(create_app(club_file)) as address, listening(address) as events:
                kind, first = next(events)
                assert (kind, first["version"]) == ("version", 1)
                league.post_live("now", ORDER[::-1])
                kind, second = next(events)
                assert (kind, second["version"]) == ("version", 2)
                assert second["updated"] > first["updated"]
                league.record(ORDER, id="other", time="2026-10-01")
                kind, third = next(events)
                assert (kind, third["version"]) == ("version", 2)
                assert third["mark"] != second["mark"]
                league.record(ORDER, id="now", time="2026-10-02")
                assert next(events) == ("recorded", {"contest": "now"})
                assert list(events) == []

    def test_hear_of_the_end_by_the_api_too(self, club_file, serving: Serving):
        with podium.League(club_file) as league:
            league.post_live("now", ORDER)
            app = create_app(club_file)
            with (
                serving(app) as address,
                listening(address, f"{LIVE}/stream?id=now") as events,
            ):
                next(events)
                league.end_live("now")
                assert next(events) == ("ended", {"contest": "now"})
                assert httpx.get(f"{address}{LIVE}/stream?id=now").status_code == 404

    def test_of_whom_there_are_200_cost_one_prediction_for_each_version(
        self, club_file, serving: Serving, monkeypatch
    ):
        predicted, looked = [], []
        predict, signs = leagues.outcomes, podium.League.signs

        def predicting(*given: Any, **more: Any) -> Any:
            predicted.append(1)
            return predict(*given, **more)

        def looking(league: podium.League) -> Any:
            looked.append(1)
            return signs(league)

        monkeypatch.setattr(leagues, "outcomes", predicting)
        app = create_app(club_file, writable=True, secret=SECRET)
        with podium.League(club_file) as league:
            league.post_live("now", ORDER)
            token = league.create_token("ann", "record")
        heard: list[list[Any]] = [[] for _ in range(200)]
        ready, failed = threading.Semaphore(0), []

        def listen(own: list[Any], address: str, client: httpx.Client) -> None:
            try:
                asked = f"{address}/club/live-stream?id=now"
                with client.stream("GET", asked, timeout=60) as found:
                    for event in events_of(found.iter_lines()):
                        own.append(event)
                        if event[0] != "version":
                            return
                        mark = event[1]["mark"]
                        rows = httpx.get(f"{address}/club/live-rows?id=now&mark={mark}", timeout=60)
                        assert rows.status_code == 200
                        ready.release()
            except BaseException as error:
                failed.append(error)
                ready.release()

        limits = httpx.Limits(max_connections=None)
        with serving(app) as address, httpx.Client(limits=limits, timeout=60) as client:
            threads = [
                threading.Thread(target=listen, args=(own, address, client)) for own in heard
            ]
            for each in threads:
                each.start()
            for _ in threads:
                ready.acquire()
            assert not failed
            predicted.clear()
            monkeypatch.setattr(podium.League, "signs", looking)
            rows = [{"player": name, "rank": rank + 1} for rank, name in enumerate(ORDER[::-1])]
            answer = client.put(
                f"{address}{LIVE}?id=now",
                json={"rows": rows},
                headers={"Authorization": f"Bearer {token}"},
            )
            assert answer.status_code == 200, answer.text
            for _ in threads:
                ready.acquire()
            assert not failed
            assert len(predicted) == 1
            assert len(looked) < 100
            with podium.League(club_file) as league:
                league.end_live("now")
            for each in threads:
                each.join()
        assert not failed
        for own in heard:
            assert [kind for kind, _ in own] == ["version", "version", "ended"]

    def test_of_a_private_league_have_to_sign_in(self, club_file):
        with podium.League(club_file) as league:
            league.post_live("now", ORDER)
            league.set_access("private")
        app = create_app(club_file, writable=True, secret=SECRET)
        with TestClient(app, follow_redirects=False) as client:
            assert client.get(f"{LIVE}/stream?id=now").status_code == 401
            assert client.get("/club/live-stream?id=now").status_code in (303, 401)
            assert client.get("/club/live-rows?id=now").status_code in (303, 401)


class _There(Outside):
    """Servers that answer what a test says."""

    def __init__(self, answers: dict[str, bytes | podium.PodiumError]) -> None:
        super().__init__(allow_private=False)
        self.answers = answers

    def check(self, address: object) -> None:
        assert address in self.answers

    def get(self, address: str, most_bytes: int) -> bytes:
        found = self.answers[address]
        if isinstance(found, podium.PodiumError):
            raise found
        assert len(found) <= most_bytes
        return found


class TestFetching:
    ADDRESS = "https://example.org/now.csv"

    def test_posts_what_is_there_and_notes_what_is_not(self, site):
        state = site.client.app.state
        state.chores.stop()  # what it does by itself is done here
        answers: dict[str, Any] = {self.ADDRESS: b"player;rank\nann;1\nbob;2\n"}
        state.outside = _There(answers)
        body = {"address": self.ADDRESS, "every": 5, "delimiter": ";"}
        asked = site.ask("PUT", "/source?id=now", "organise", json=body)
        assert asked.status_code == 200, asked.text
        TypeAdapter(schemas.LiveSource).validate_python(asked.json(), extra="forbid")
        hosted = state.catalogue["club"]
        assert 0 < polling.fetch_due(hosted, state) <= 5
        assert site.ask("GET", "?id=now").json()["participants"] == 2
        for answer, problem in (
            (podium.BusyError("example.org does not answer."), "does not answer"),
            (b"nothing", "now.csv"),
        ):
            answers[self.ADDRESS] = answer
            with podium.League(site.path) as league, league.noting() as connection:
                connection.execute(leagues.schema.live.update().values(due=0))
            polling.fetch_due(hosted, state)
            found = site.ask("GET", "/source?id=now", "organise").json()
            assert problem in found["problem"]
        assert "nothing" not in site.ask("GET", "?id=now").text
        assert site.ask("GET", "?id=now").json()["version"] == 1
        assert site.ask("DELETE", "/source?id=now", "organise").status_code == 200
        assert site.ask("GET", "/source?id=now", "organise").status_code == 404

    def test_is_done_by_a_site_again_and_again(self, club_file, serving: Serving):
        standings = [b"ann\nbob\n"]

        class Answering(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = standings[-1]
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{server.server_port}/now.txt"
            with podium.League(club_file) as league:
                league.poll_live("now", address, every=5)
            app = create_app(club_file, writable=True, secret=SECRET, allow_private=True)
            with serving(app) as site, listening(site) as events:
                while next(events)[1]["version"] < 1:
                    pass
                standings.append(b"bob\nann\n")  # only now: a first answer may have been lost
                while next(events)[1]["version"] < 2:
                    pass
                found = httpx.get(f"{site}{LIVE}?id=now").json()
                assert [row["player"] for row in found["standings"]] == ["bob", "ann"]
            server.shutdown()

    @pytest.mark.parametrize(
        "address",
        [
            "http://127.0.0.1:1/",
            "http://10.0.0.1/",
            "http://169.254.169.254/",
            "file:///etc/passwd",
        ],
    )
    def test_reaches_nobody_inside(self, site, address):
        answer = site.ask("PUT", "/source?id=now", "organise", json={"address": address})
        assert answer.status_code == 422, answer.text
        assert site.ask("GET").json() == []
