"""A contest of ten players recorded over HTTP, beside `League.record` in process.

One worker of uvicorn on loopback, as ``podium serve --writable`` runs it, and a client that keeps
its connection; contests are recorded in turn, here and there, in leagues that are copies of each
other. What counts is the time of the processor that the server, or this process,
spends on a contest, and beside it the time by the clock. The best of some blocks counts.
"""

import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import podium
from benchmarks.report import Figure

PLAYERS = 10
BLOCKS = 4
CONTESTS = 40
_TICK = os.sysconf("SC_CLK_TCK")


def run() -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        here, there = Path(name, "here.db"), Path(name, "there.db")
        with podium.League.create(here, "elo-mmr") as league:
            league.record(podium.simulate(players=1000, rounds=40, seed=1))
            last = league.contests()["time"][-1]
            token = league.create_token("bench", "record")
        shutil.copy(here, there)
        with podium.League(here) as league, _served(there) as (server, port):
            client = http.client.HTTPConnection("127.0.0.1", port)
            blocks = [
                _block(league, client, token, server, last + timedelta(days=block + 1))
                for block in range(BLOCKS)
            ]
            client.close()
    own_cpu, own_wall, far_cpu, far_wall = (min(each) for each in zip(*blocks[1:], strict=True))
    what, peer = f"a contest of {PLAYERS} players over HTTP", "League.record in process"
    return [
        Figure(f"{what}, processor", far_cpu, "ms", peer, own_cpu, "≥ 0.67"),
        Figure(f"{what}, clock", far_wall, "ms", peer, own_wall),
    ]


def _block(
    league: podium.League,
    client: http.client.HTTPConnection,
    token: str,
    server: int,
    day: datetime,
) -> tuple[float, float, float, float]:
    """Milliseconds for a contest, here and there: of the processor, and by the clock."""
    own_cpu = own_wall = far_wall = 0.0
    before = _spent(server)
    for number in range(CONTESTS):
        rows = _rows(day, number)
        start, cpu = time.perf_counter(), time.process_time()
        _record(league, rows)
        own_cpu += time.process_time() - cpu
        middle = time.perf_counter()
        _post(client, token, rows)
        own_wall += middle - start
        far_wall += time.perf_counter() - middle
    each = 1000.0 / CONTESTS
    far_cpu = _spent(server) - before
    return own_cpu * each, own_wall * each, far_cpu * each, far_wall * each


def _rows(day: datetime, number: int) -> list[dict[str, object]]:
    return [
        {
            "contest": f"{day:%Y-%m-%d} {number}",
            "time": f"{day:%Y-%m-%d}",
            "player": f"player-{(number * 7 + place) % 1000 + 1:04}",
            "rank": place + 1,
        }
        for place in range(PLAYERS)
    ]


def _spent(process: int) -> float:
    """Seconds of the processor that a process has had."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


def _record(league: podium.League, rows: list[dict[str, object]]) -> None:
    assert league.record(podium.Contests.from_records(rows)).applied


def _post(client: http.client.HTTPConnection, token: str, rows: list[dict[str, object]]) -> None:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    body = json.dumps({"results": rows})
    client.request("POST", "/api/v1/leagues/there/record", body, headers)
    answer = client.getresponse()
    found = json.loads(answer.read())
    assert answer.status == 200, found
    assert found["applied"], found


@contextmanager
def _served(where: Path) -> Iterator[tuple[int, int]]:
    """A server of a league that may be changed: its process and its port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "podium", "serve", str(where), "--port", str(port)]
    environment = {**os.environ, "PODIUM_SECRET": "a secret that only this benchmark knows, long"}
    server = subprocess.Popen([*command, "--writable"], stdout=subprocess.DEVNULL, env=environment)
    try:
        while server.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), 1.0).close()
                break
            except OSError:
                time.sleep(0.05)
        yield server.pid, port
    finally:
        server.terminate()
        server.wait()
