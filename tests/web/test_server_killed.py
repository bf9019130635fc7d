"""A server that is killed while it writes: what it acknowledged is there, told, and nothing twice.

Clients record contests with identifiers of their own, and make corrections with keys; what was not
acknowledged they ask for again, as long as it takes. A webhook is told of everything in the end.

``PODIUM_CASES=100 pytest tests/web/test_server_killed.py -k many`` kills a hundred times.
"""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import urllib3

import podium
from tests.league.conftest import Server, postgresql
from tests.web.test_webhooks import Receiver

__all__ = ["postgresql"]

MANY = int(os.environ.get("PODIUM_CASES", "10"))
"""How often a server is killed in the long tests."""
CLIENTS = 3
NAMES = ("ann", "bob", "cat", "dan", "eve")


class Killed:
    """A real server in processes of its own, which is killed and started again.

    Args:
        where: The league.
        folder: Where there is room for a file that names it.
        workers: How many processes answer.
    """

    def __init__(self, where: str, folder: Path, workers: int) -> None:
        self._file, self._workers = folder / "site.toml", workers
        self._file.write_text(f"[leagues.club]\nwhere = {json.dumps(where)}\n", "utf-8")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/api/v1/leagues/club"

    def start(self) -> None:
        """Start it; clients find out when it listens."""
        command = ["serve", str(self._file), "--writable", "--port", str(self.port)]
        command += ["--workers", str(self._workers), "--allow-private-addresses"]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "podium", *command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "PODIUM_SECRET": "a secret that only this test knows, long"},
        )

    def kill(self) -> None:
        """End it at once, with all of its processes."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


class Client(threading.Thread):
    """Somebody who writes, and repeats what was not acknowledged until it is."""

    def __init__(
        self, number: int, killed: Killed, token: str, counted: Callable[[], None]
    ) -> None:
        super().__init__(daemon=True)
        self._number, self._killed, self._counted = number, killed, counted
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._pool = urllib3.PoolManager(retries=False, timeout=urllib3.Timeout(60.0))
        self.ending = threading.Event()
        self.acknowledged: list[tuple[str, dict[str, Any]]] = []
        self.repeated = 0
        self.wrong: list[str] = []

    def run(self) -> None:
        """Record, correct, and record again."""
        rng = random.Random(self._number)
        turn = 0
        while not self.ending.is_set():
            contest = f"{self._number}-{turn}"
            names = rng.sample(NAMES, 3)
            day = f"2026-01-{turn % 28 + 1:02}"
            rows = [
                {"contest": contest, "time": day, "player": name, "rank": rank + 1}
                for rank, name in enumerate(names)
            ]
            self._done("record", {"results": rows, "why": contest})
            key = f"{contest} again"
            self._done("disqualify", {"contest": contest, "player": names[0], "why": key}, key)
            turn += 1

    def _done(self, operation: str, body: dict[str, Any], key: str | None = None) -> None:
        """Ask for a change until it is acknowledged."""
        headers = self._headers if key is None else {**self._headers, "Idempotency-Key": key}
        first = True
        while True:
            self.repeated += not first
            first = False
            try:
                answer = self._pool.request(
                    "POST",
                    f"{self._killed.address}/{operation}",
                    body=json.dumps(body).encode(),
                    headers=headers,
                )
            except urllib3.exceptions.HTTPError:
                if self.ending.wait(0.02):
                    return
                continue
            if answer.status in (429, 503):
                if self.ending.wait(0.02):
                    return
                continue
            if answer.status != 200:
                self.wrong.append(f"{operation} {body}: {answer.data.decode()}")
                return
            self.acknowledged.append((operation, answer.json()))
            self._counted()
            return


def kill_and_look(where: str, folder: Path, kills: int, workers: int) -> int:
    """Kill a server so often; how many changes were acknowledged, all of which must be there."""
    with Receiver() as receiver:
        with podium.League.create(where, "elo-mmr") as league:
            token = league.create_token("client", "organise")
            _, secret = league.add_webhook(receiver.address)
        killed = Killed(where, folder, workers)
        clients = _written(killed, token, kills)
        acknowledged = [one for each in clients for one in each.acknowledged]
        entries = _looked_at(where, acknowledged)
        killed.start()
        try:
            told = _told(receiver, entries)
        finally:
            killed.kill()
        assert all(message["league"]["key"] == "club" for message in receiver.messages(secret))
    print(
        f"{kills} kills, {len(acknowledged)} changes acknowledged, "
        f"{sum(each.repeated for each in clients)} asked for again, none lost, none twice; "
        f"{len(entries)} changes told by {told} messages"
    )
    return len(acknowledged)


def _written(killed: Killed, token: str, kills: int) -> list[Client]:
    """Clients who have written to a server that was killed so often, and is killed at last."""
    made = threading.Semaphore(0)
    clients = [Client(number, killed, token, made.release) for number in range(CLIENTS)]
    killed.start()
    for each in clients:
        each.start()
    rng = random.Random(kills)
    for _ in range(kills):
        for _ in range(rng.randint(1, 4)):
            assert made.acquire(timeout=300), "nothing is acknowledged any more"
        killed.kill()  # while the others write
        killed.start()
    for _ in range(CLIENTS):
        assert made.acquire(timeout=300), "nothing is acknowledged any more"
    for each in clients:
        each.ending.set()
    for each in clients:
        each.join(120)
    killed.kill()
    assert [wrong for each in clients for wrong in each.wrong] == []
    return clients


def _looked_at(where: str, acknowledged: list[tuple[str, dict[str, Any]]]) -> set[int]:
    """The entries of all changes: each was made once, and none that was acknowledged is lost."""
    with podium.League(where) as league:
        log = league.log()
        records, corrections = (
            dict(log.filter(action=action).select("why", "number").rows())
            for action in ("record", "disqualify")
        )
        for action, found in (("record", records), ("disqualify", corrections)):
            assert len(found) == log.filter(action=action).height, f"a {action} was made twice"
        for operation, change in acknowledged:
            if operation == "record":
                [contest] = change["recorded"] or change["known"]
                assert contest in records
            else:
                assert change["entry"] in corrections.values()
        assert league.verify().differences == []
    return {*records.values(), *corrections.values()}


def _told(receiver: Receiver, entries: set[int]) -> int:
    """Wait until a webhook is told of all these changes; how many messages have come."""
    told: set[int] = set()

    def enough() -> bool:
        told.update(json.loads(body)["entry"] for _, body in receiver.received)
        return entries <= told

    receiver.wait_until(enough)
    return len(receiver.received)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_server_that_is_killed_has_done_what_it_acknowledged_once(tmp_path, workers):
    assert kill_and_look(str(tmp_path / "club.db"), tmp_path, 2, workers) > 0


def test_a_server_of_postgresql_that_is_killed_has_done_what_it_acknowledged_once(
    postgresql: Server,
    tmp_path: Path,
):
    assert kill_and_look(postgresql.new_database(), tmp_path, 2, 2) > 0


@pytest.mark.slow
def test_a_server_killed_many_times_has_done_what_it_acknowledged_once(tmp_path):
    assert kill_and_look(str(tmp_path / "club.db"), tmp_path, MANY, 1) >= MANY


@pytest.mark.slow
def test_a_server_of_postgresql_killed_many_times_has_done_what_it_acknowledged_once(
    postgresql: Server,
    tmp_path: Path,
):
    assert kill_and_look(postgresql.new_database(), tmp_path, MANY, 1) >= MANY
