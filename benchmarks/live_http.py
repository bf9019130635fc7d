"""Matches posted to a site as they end, one to a request, beside an empty FastAPI endpoint.

One worker of uvicorn each, on loopback and with the same settings: ``podium serve --writable`` of a
league of 1,000 players (glicko2, SQLite), which rates and commits every match before it answers,
and an application that only reads a body of the same shape. The same clients, each with a
connection of its own that is kept, post to both in turn. What counts is requests a second by the
clock, and beside it the time of the processor that the servers spend on a request.
"""

import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import podium
from benchmarks.report import Figure

CLIENTS = 64
REQUESTS = 4000
BLOCKS = 5
PLAYERS = 1000
_TICK = os.sysconf("SC_CLK_TCK")
_EMPTY = """
import fastapi, pydantic, socket, sys, uvicorn
from podium.web.server import Listening
app = fastapi.FastAPI()
class Match(pydantic.BaseModel):
    standings: list[str]
    id: str | None = None
@app.post("/matches")
async def empty(match: Match):
    return {}
listening = socket.create_server(("127.0.0.1", int(sys.argv[1])))
uvicorn.Server(Listening().config(app)).run([listening])
"""


def run() -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        where = Path(name, "club.db")
        with podium.League.create(where, "glicko2") as league:
            league.record(podium.simulate(players=PLAYERS, rounds=20, participation=0.5, seed=1))
            names = league.leaderboard(None)["player"].to_list()
            token = league.create_token("bench", "record")
        serve = [sys.executable, "-m", "podium", "serve", str(where), "--writable", "--port"]
        with _running(serve) as ours, _running([sys.executable, "-c", _EMPTY]) as empty:
            clients = _Clients(names, token)
            path = "/api/v1/leagues/club/matches"
            blocks = [
                (clients.post(*ours, path), clients.post(*empty, "/matches")) for _ in range(BLOCKS)
            ]
        with podium.League(where) as league:
            kept = len(league.contests()) - 20
            if kept != BLOCKS * REQUESTS or not league.verify().sound:
                sys.exit(f"{kept:,} matches are kept of {BLOCKS * REQUESTS:,}.")
    wall, cpu, their_wall, their_cpu = (
        min(block[which][what] for block in blocks) for which in (0, 1) for what in (0, 1)
    )
    what, peer = f"1,000 matches by {CLIENTS} clients", "an empty endpoint"
    return [
        Figure(f"{what}, clock", wall, "s", peer, their_wall, "≥ 0.35"),
        Figure(f"{what}, processor", cpu, "s", peer, their_cpu),
    ]


class _Clients:
    """Those who post."""

    def __init__(self, names: list[str], token: str) -> None:
        self._names, self._token = names, token
        self._rng = random.Random(1)
        self._count = 0

    def post(self, server: int, port: int, path: str) -> tuple[float, float]:
        """Seconds by the clock, and of a server's processor, for 1,000 of a block of matches."""
        bodies = [self._body() for _ in range(REQUESTS)]
        before, start = _spent(server), time.perf_counter()
        asyncio.run(self._post(port, path, bodies))
        wall = time.perf_counter() - start
        return wall * 1000 / REQUESTS, (_spent(server) - before) * 1000 / REQUESTS

    def _body(self) -> bytes:
        self._count += 1
        players = self._rng.sample(self._names, 2)
        return json.dumps({"standings": players, "id": f"match {self._count}"}).encode()

    async def _post(self, port: int, path: str, bodies: list[bytes]) -> None:
        left = iter(bodies)
        await asyncio.gather(*(self._client(port, path, left) for _ in range(CLIENTS)))

    async def _client(self, port: int, path: str, left: Iterator[bytes]) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = (
            f"POST {path} HTTP/1.1\r\nHost: podium\r\nAuthorization: Bearer {self._token}\r\n"
            "Content-Type: application/json\r\nContent-Length: "
        ).encode()
        for body in left:
            writer.write(b"%b%d\r\n\r\n%b" % (head, len(body), body))
            answer = (await reader.readuntil(b"\r\n\r\n")).lower()
            size = int(answer.partition(b"content-length: ")[2].partition(b"\r\n")[0])
            said = await reader.readexactly(size)
            if not answer.startswith(b"http/1.1 200"):
                sys.exit(f"{path}: {said.decode()}")
        writer.close()


def _spent(process: int) -> float:
    """Seconds of the processor that a process has spent."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


@contextmanager
def _running(command: list[str]) -> Iterator[tuple[int, int]]:
    """A server that is given a port as its last argument; its process and the port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen([*command, str(port)], stdout=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                urlopen(f"http://127.0.0.1:{port}/").close()
                break
            except HTTPError:
                break
            except OSError:
                time.sleep(0.1)
        yield process.pid, port
    finally:
        process.terminate()
        process.wait()
