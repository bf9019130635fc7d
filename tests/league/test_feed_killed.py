"""Whoever feeds a league is killed: what was answered is there, once, and somebody else goes on.

``PODIUM_CASES=200 pytest tests/league/test_feed_killed.py`` kills 200 times each.
"""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from podium import League
from tests.league import feeding

CASES = int(os.environ.get("PODIUM_CASES", "4"))
SCRIPT = Path(feeding.__file__)

pytestmark = pytest.mark.slow


class Killing:
    """The process whose children feed leagues and are killed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def turn(self, where: str, processes: int, called: str, after: int) -> dict[str, object]:
        print(where, processes, called, after, sep="\t", file=self._process.stdin, flush=True)
        assert self._process.stdout is not None
        found: dict[str, object] = json.loads(self._process.stdout.readline())
        return found


@pytest.fixture(scope="module")
def killing() -> Iterator[Killing]:
    roots = [str(SCRIPT.parents[2]), *sys.path]
    with subprocess.Popen(
        [sys.executable, str(SCRIPT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(roots)},
    ) as process:
        yield Killing(process)
        assert process.stdin is not None
        process.stdin.close()


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_what_was_answered_is_there_once(where, kind, killing, processes):
    if kind == "sqlite" and processes > 1:
        pytest.skip("a league in a file is fed by one process")
    rng, answered = random.Random(processes), set[str]()
    League.create(where, feeding.SYSTEM).close()
    for case in range(CASES):
        found = killing.turn(where, processes, f"{processes}-{case}", rng.randrange(1, 60))
        new = found["answered"]
        assert isinstance(new, list)
        assert len(new) == len(set(new))
        answered |= set(new)
        with League(where) as league:
            there = league.contests()["contest"].to_list()
            assert len(there) == len(set(there))
            assert answered <= set(there)
            assert league.verify().sound
    with League(where) as league, league.feed() as feed:  # what is left in the inbox is rated
        feed.settle()
        feed.record(["p1", "p2"], id="the last")
    with League(where) as league:
        there = set(league.contests()["contest"])
        assert answered <= there
        assert league.verify().sound
        if kind == "postgresql":
            with league._database.reading() as connection:
                left = connection.exec_driver_sql("SELECT count(*) FROM inbox").scalar()
            assert left == 0
