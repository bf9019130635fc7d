"""Who listens is told of changes: one watcher for all, who ends when the server does."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Response

import podium
from podium.league import Signs
from podium.web import metrics, problems, security
from podium.web.caching import Cache
from podium.web.catalogue import Catalogue, Hosted
from podium.web.streams import FIRST, STILL_HERE, Streams, answer, event


@pytest.fixture
def hosted(club_file: Path) -> Iterator[Hosted]:
    with Catalogue.of(club_file) as catalogue:
        yield catalogue["club"]


def record(where: str | Path, contest: str) -> None:
    with podium.League(where) as league:
        league.record(["ann", "bob"], id=contest, time="2026-10-01")


class TestTicks:
    def test_come_at_once_and_after_every_change(self, hosted):
        async def listen() -> list[str]:
            streams, seen = Streams(every=0.01), []
            async with aclosing(streams.ticks(hosted)) as ticks:
                async for signs in ticks:
                    assert signs is not None
                    seen.append(signs.state)
                    if len(seen) == 3:
                        return seen
                    await asyncio.to_thread(record, hosted.league.where, f"late-{len(seen)}")
            raise AssertionError("it has ended")

        seen = asyncio.run(listen())
        assert len(set(seen)) == 3
        assert seen[-1] == hosted.league.state

    def test_say_when_nothing_has_happened(self, hosted):
        async def listen() -> list[Signs | None]:
            async with aclosing(Streams(pause=0.0).ticks(hosted)) as ticks:
                return [await anext(ticks) for _ in range(50)]

        seen = asyncio.run(listen())
        assert None in seen
        assert {each.state for each in seen if each} <= {hosted.league.state}

    def test_come_as_soon_as_this_process_has_changed_the_league(self, hosted):
        async def listen() -> str:
            streams = Streams(every=3600.0)
            async with aclosing(streams.ticks(hosted)) as ticks:
                await anext(ticks)
                record(hosted.league.where, "late")
                threading.Thread(target=streams.stir, args=(hosted,)).start()
                signs = await anext(ticks)
                assert signs is not None
                return signs.state

        assert asyncio.run(listen()) == hosted.league.state

    def test_of_many_listeners_are_seen_by_one_watcher(self, hosted, monkeypatch):
        looks = []
        seeing = podium.League.signs

        def counted(league: podium.League) -> Signs:
            looks.append(threading.get_ident())
            return seeing(league)

        monkeypatch.setattr(podium.League, "signs", counted)

        async def listen(streams: Streams, ready: asyncio.Semaphore) -> str:
            async with aclosing(streams.ticks(hosted)) as ticks:
                await anext(ticks)
                ready.release()
                signs = await anext(ticks)
                assert signs is not None
                return signs.state

        async def all_of_them() -> list[str]:
            streams, ready = Streams(every=3600.0), asyncio.Semaphore(0)
            listening = [asyncio.create_task(listen(streams, ready)) for _ in range(200)]
            for _ in listening:
                await ready.acquire()
            assert streams.listeners == 200
            await asyncio.to_thread(record, hosted.league.where, "late")
            streams.stir(hosted)
            found = await asyncio.gather(*listening)
            assert streams.listeners == 0
            return found

        assert set(asyncio.run(all_of_them())) == {hosted.league.state}
        assert len(looks) == 2

    def test_go_on_when_the_league_does_not_answer_for_a_while(self, hosted, monkeypatch, caplog):
        seeing = podium.League.signs
        failures = [podium.BusyError("somebody is changing it."), podium.BusyError("still.")]

        def failing(league: podium.League) -> Signs:
            if failures:
                raise failures.pop()
            return seeing(league)

        monkeypatch.setattr(podium.League, "signs", failing)

        async def listen() -> Signs | None:
            async with aclosing(Streams(every=0.0).ticks(hosted)) as ticks:
                return await anext(ticks)

        signs = asyncio.run(listen())
        assert signs is not None
        assert signs.state == hosted.league.state
        assert "club cannot be watched: still." in caplog.text

    def test_are_for_so_many_and_no_more(self, hosted):
        async def listen() -> None:
            streams = Streams(most=2)
            async with (
                aclosing(streams.ticks(hosted)) as one,
                aclosing(streams.ticks(hosted)) as two,
            ):
                await anext(one)
                third = streams.ticks(hosted)
                await anext(two)
                with pytest.raises(podium.BusyError, match="2 listen already"):
                    streams.ticks(hosted)
                with pytest.raises(podium.BusyError, match="2 listen already"):
                    await anext(third)
            async with aclosing(streams.ticks(hosted)) as again:
                assert await anext(again) is not None

        asyncio.run(listen())

    def test_end_when_they_are_ended_from_another_thread(self, hosted):
        async def listen() -> int:
            streams = Streams(every=3600.0)
            async with aclosing(streams.ticks(hosted)) as ticks:
                await anext(ticks)
                threading.Thread(target=streams.end).start()
                return len([each async for each in ticks])

        assert asyncio.run(listen()) == 0

    def test_end_with_the_application_and_leave_nobody_watching(self, hosted):
        async def listen() -> None:
            streams = Streams()
            ticks = streams.ticks(hosted)
            async with streams.running():
                await anext(ticks)
            assert [each async for each in ticks] == []
            assert asyncio.all_tasks() == {asyncio.current_task()}

        asyncio.run(listen())

    def test_to_end_what_nobody_listens_to_is_no_mistake(self, hosted):
        streams = Streams()
        streams.end()
        streams.stir(hosted)


class TestAnEvent:
    def test_has_one_line_of_data_whatever_stands_in_it(self):
        data = {"player": "a\n\ndata: b\r", "name": "名前"}
        text = event(3, "version", data).decode()
        assert text.splitlines()[:2] == ["id: 3", "event: version"]
        assert text.count("\n") == 4
        assert "\r" not in text

    def test_can_be_without_a_number(self):
        assert event(None, "ended", {}) == b"event: ended\ndata: {}\n\n"


@contextmanager
def site(where: Path, **how: Any) -> Iterator[FastAPI]:
    """A site whose only page is a stream, with all that stands around a site."""
    app = FastAPI()
    streams = Streams(**how)
    with Catalogue.of(where) as catalogue:
        app.state.catalogue, app.state.streams = catalogue, streams
        problems.install(app)

        @app.get("/{key}/stream")
        async def stream(key: str) -> Response:
            ticks = streams.ticks(catalogue[key])

            async def events() -> AsyncIterator[bytes]:
                yield FIRST
                async with aclosing(ticks):
                    async for signs in ticks:
                        yield STILL_HERE if signs is None else event(None, "state", signs.state)

            return answer(events())

        security.install(app)
        app.add_middleware(Cache, catalogue=catalogue)
        app.add_middleware(metrics.Metered)
        yield app


class TestAStream:
    def test_arrives_piece_by_piece_as_it_is_and_is_not_kept(self, club_file, serving):
        headers = {"accept-encoding": "gzip", "accept": "text/event-stream"}
        with (
            site(club_file, every=0.01) as app,
            serving(app) as address,
            httpx.stream("GET", f"{address}/club/stream", headers=headers) as found,
        ):
            lines = found.iter_lines()
            assert found.headers["content-type"].startswith("text/event-stream")
            assert "content-encoding" not in found.headers
            assert found.headers["cache-control"] == "no-store"
            assert "etag" not in found.headers
            assert next(lines) == "retry: 3000"
            before = next(each for each in lines if each.startswith("data"))
            record(club_file, "late")
            assert next(each for each in lines if each.startswith("data")) != before

    def test_beyond_the_room_is_told_to_come_later(self, club_file, serving):
        with (
            site(club_file, most=1) as app,
            serving(app) as address,
            httpx.stream("GET", f"{address}/club/stream") as first,
        ):
            lines = first.iter_lines()
            assert any(each.startswith("data") for each in lines)
            refused = httpx.get(f"{address}/club/stream")
            assert refused.status_code == 503
            assert int(refused.headers["retry-after"]) > 0

    def test_of_somebody_who_has_left_makes_room(self, club_file, serving):
        with site(club_file, most=1, every=0.01, pause=0.01) as app, serving(app) as address:
            for _ in range(3):
                while True:
                    with httpx.stream("GET", f"{address}/club/stream") as found:
                        if found.status_code == 200:
                            assert next(found.iter_lines())
                            break

    def test_is_only_begun_for_who_asks_for_its_head(self, club_file, serving):
        with site(club_file) as app, serving(app) as address:
            found = httpx.head(f"{address}/club/stream")
            assert found.status_code == 200
            assert found.headers["content-type"].startswith("text/event-stream")


SERVER = """
import sys
from pathlib import Path
import uvicorn
from tests.web.test_streams import site
with site(Path(sys.argv[1])) as app:
    app.router.lifespan_context = lambda app: app.state.streams.running()
    uvicorn.run(app, uds=sys.argv[2], log_level="warning")
"""


@pytest.mark.skipif(os.name == "nt", reason="needs signals and sockets of POSIX")
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_asked_to_end_ends_its_listeners(club_file, tmp_path, end):
    where = tmp_path / "s"
    process = subprocess.Popen([sys.executable, "-c", SERVER, club_file, where])
    transport = httpx.HTTPTransport(uds=str(where))
    try:
        with httpx.Client(transport=transport, base_url="http://site", timeout=60) as client:
            while process.poll() is None:
                try:
                    with client.stream("GET", "/club/stream") as found:
                        lines = found.iter_lines()
                        assert next(lines) == "retry: 3000"
                        process.send_signal(end)
                        for _ in lines:
                            pass
                        break
                except httpx.ConnectError:
                    continue  # it does not listen yet
        assert process.wait(60) in (0, -end)
    finally:
        process.kill()
        process.wait()
