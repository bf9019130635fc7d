"""Many read while one writes: every answer is of one state of the league, and there is no error."""

import subprocess
import sys
import threading
from pathlib import Path

import httpx

import podium
from podium.web import create_app
from tests.web.conftest import served

READERS = 16
_RECORD = """
import sys, podium
with podium.League(sys.argv[1]) as league:
    for number in range(int(sys.argv[2])):
        names = [f"player-{(number + each) % 60:04}" for each in range(30)]
        league.record(names, id=f"new-{number:02}", time=f"2027-01-{number + 1:02}")
"""
ROUNDS = 12
ASKED = ("/api/v1/leagues/club/leaderboard?n=60", "/club/", "/club/player/player-0007")


def bodies(file: Path) -> dict[str, set[bytes]]:
    """The right answers in every state that the league goes through, as nobody else reads it."""
    right: dict[str, set[bytes]] = {path: set() for path in ASKED}
    with served(create_app(file)) as site, httpx.Client(base_url=site) as client:
        for number in range(ROUNDS + 1):
            for path in ASKED:
                right[path].add(client.get(path).read())
            if number < ROUNDS:
                with podium.League(file) as league:
                    names = [f"player-{(number + each) % 60:04}" for each in range(30)]
                    league.record(names, id=f"new-{number:02}", time=f"2027-01-{number + 1:02}")
    return right


def test_readers_see_whole_states_while_another_process_records(
    league_file: Path, tmp_path: Path
) -> None:
    quiet, busy = tmp_path / "quiet" / "club.db", tmp_path / "busy" / "club.db"
    for each in (quiet, busy):
        each.parent.mkdir()
        with podium.League(league_file) as league:
            league.backup(each)
    right = bodies(quiet)
    wrong: list[str] = []
    seen: dict[str, set[bytes]] = {path: set() for path in ASKED}
    with served(create_app(busy)) as site:
        writer = subprocess.Popen([sys.executable, "-c", _RECORD, str(busy), str(ROUNDS)])

        def read() -> None:
            with httpx.Client(base_url=site, timeout=60) as client:
                while True:
                    last = writer.poll() is not None
                    for path in ASKED:
                        answer = client.get(path)
                        seen[path].add(answer.content)
                        if answer.status_code != 200 or answer.content not in right[path]:
                            wrong.append(f"{path}: {answer.status_code}")
                    if last:
                        return

        threads = [threading.Thread(target=read) for _ in range(READERS)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert writer.returncode == 0
    assert wrong == []
    assert all(len(each) > 1 for each in seen.values())
