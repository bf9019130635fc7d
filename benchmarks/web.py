"""The web league of all Codeforces contests: answers a second beside an empty FastAPI endpoint.

One worker of uvicorn each, on loopback, asked by `wrk` (Debian's package of that name) over 16
connections, in turn; caches are warm, and the best of three runs counts. Then 64 clients read while
one process records contests of 10,000: how long the slowest of their answers took, beside the
slowest recording; every answer is compared with those of a league in which nobody reads. Without
`wrk`, only this second part is measured.
"""

import asyncio
import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

import polars as pl

import podium
from benchmarks.report import Figure, data_file

SECONDS = 4
RUNS = 3
CLIENTS = 64
RECORDED = 8
_EMPTY = """
import fastapi, socket, sys, uvicorn
app = fastapi.FastAPI()
@app.get("/")
def empty():
    return {}
listening = socket.create_server(("127.0.0.1", int(sys.argv[1])))
uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run([listening])
"""
_RECORD = """
import json, sys, time, podium
league, times = podium.League(sys.argv[1]), []
for path in sys.argv[2:]:
    contest = podium.read(path)
    start = time.perf_counter()
    league.record(contest)
    times.append(time.perf_counter() - start)
print(json.dumps(times))
"""


def run() -> list[Figure]:
    contests = podium.read(data_file("codeforces.parquet"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        where = folder / "cf.db"
        with podium.League.create(where, "elo-mmr") as league:
            league.record(contests)
            best = str(league.leaderboard(1)["player"].item())
            last = str(league.history_of(best)["contest"][-1])
        return [*_throughput(where, best, last), *_while_recording(folder, where, contests)]


def _throughput(where: Path, best: str, last: str) -> list[Figure]:
    if shutil.which("wrk") is None:
        needed = "answers a second are left out, as they need wrk; on Debian: apt install wrk."
        print(needed, file=sys.stderr)
        return []
    player, contest = quote(best), quote(last)
    asked = {
        "leaderboard page": ("/cf/", "≥ 0.4"),
        "leaderboard JSON": ("/api/v1/leagues/cf/leaderboard", "≥ 0.4"),
        "player page": (f"/cf/player/{player}", "≥ 0.15"),
        "contest page": (f"/cf/contest/{contest}", "≥ 0.1"),
    }
    figures = []
    with _served(where) as site, _program(_EMPTY) as empty:
        for what, (path, goal) in asked.items():
            first = time.perf_counter()
            urlopen(site + path).read()
            first = time.perf_counter() - first
            ours, theirs = 0.0, 0.0
            for _ in range(RUNS):
                ours = max(ours, _answers_a_second(site + path))
                theirs = max(theirs, _answers_a_second(f"{empty}/"))
            # The figure's ratio is the peer's value in terms of ours, so these are seconds.
            figures += [
                Figure(
                    f"{what}, for 1,000 answers",
                    1000.0 / ours,
                    "s",
                    "an empty endpoint",
                    1000.0 / theirs,
                    goal,
                ),
                Figure(f"{what}, the first time", 1000.0 * first, "ms"),
            ]
    return figures


def _answers_a_second(address: str) -> float:
    done = subprocess.run(
        ["wrk", "-t1", "-c16", f"-d{SECONDS}s", address], capture_output=True, text=True, check=True
    )
    if "Non-2xx" in done.stdout:
        sys.exit(f"{address}: {done.stdout}")
    found = re.search(r"Requests/sec:\s*([\d.]+)", done.stdout)
    assert found is not None, done.stdout
    return float(found[1])


def _while_recording(folder: Path, where: Path, contests: podium.Contests) -> list[Figure]:
    """64 clients read one league while another process records into it."""
    files = _new_contests(folder, contests)
    quiet, busy = folder / "quiet" / "cf.db", folder / "busy" / "cf.db"
    for each in (quiet, busy):
        each.parent.mkdir()
        shutil.copy(where, each)
    path = "/api/v1/leagues/cf/leaderboard?n=100"
    right = set()
    with _served(quiet) as site, podium.League(quiet) as league:
        right.add(urlopen(site + path).read())
        for file in files:
            league.record(podium.read(file))
            right.add(urlopen(site + path).read())
    with _served(busy) as site:
        port = int(site.rpartition(":")[2])
        writer = subprocess.Popen(
            [sys.executable, "-c", _RECORD, busy, *files], stdout=subprocess.PIPE, text=True
        )
        answers, slowest, wrong = asyncio.run(_readers(port, path, writer, right))
        assert writer.stdout is not None
        recorded = json.loads(writer.stdout.read())
    if wrong:
        sys.exit(f"{wrong} answers were of no state of the league.")
    what = f"slowest of {answers:,} answers to {CLIENTS} clients while one records"
    return [
        Figure(what, 1000.0 * slowest, "ms", "slowest recording", 1000.0 * max(recorded), "> 1")
    ]


async def _readers(
    port: int, path: str, writer: "subprocess.Popen[str]", right: set[bytes]
) -> tuple[int, float, int]:
    slowest, answers, wrong = 0.0, 0, 0

    async def client() -> None:
        nonlocal slowest, answers, wrong
        reader, sender = await asyncio.open_connection("127.0.0.1", port)
        while writer.poll() is None:
            start = time.perf_counter()
            sender.write(f"GET {path} HTTP/1.1\r\nHost: podium\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            size = re.search(rb"content-length: (\d+)", head, re.I)
            body = await reader.readexactly(int(size[1]) if size else 0)
            slowest = max(slowest, time.perf_counter() - start)
            answers += 1
            wrong += not head.startswith(b"HTTP/1.1 200") or body not in right
        sender.close()

    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return answers, slowest, wrong


def _new_contests(folder: Path, contests: podium.Contests) -> list[Path]:
    last = max(number for number, size in enumerate(contests.sizes) if size >= 10_000)
    standings = contests[last : last + 1].frame().head(10_000)
    files = []
    for number in range(RECORDED):
        new = standings.with_columns(
            contest=pl.lit(f"new {number}"), time=pl.lit(f"2021-01-{number + 1:02}")
        )
        files.append(folder / f"new-{number}.csv")
        new.write_csv(files[-1])
    return files


@contextmanager
def _program(code: str) -> Iterator[str]:
    """The address of a program that listens on the port it is given."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with _running([sys.executable, "-c", code, str(port)], f"http://127.0.0.1:{port}") as address:
        yield address


@contextmanager
def _served(where: Path) -> Iterator[str]:
    """The address of ``podium serve`` of a league."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "podium", "serve", str(where), "--port", str(port)]
    with _running(command, f"http://127.0.0.1:{port}") as address:
        yield address


@contextmanager
def _running(command: list[str], address: str) -> Iterator[str]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                urlopen(address).read()
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait()
