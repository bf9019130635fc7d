"""Whatever is in the place of what a league believes, every question and change has a sentence.

``PODIUM_CASES=100000 pytest tests/league/test_damaged_beliefs.py`` tries a twentieth as many
leagues, each in about ten ways.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import warnings
from collections import Counter
from contextlib import closing
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from podium import League, StorageError, systems
from podium.errors import PodiumError
from tests.tides import Tides

CASES = int(os.environ.get("PODIUM_CASES", "1200")) // 20
SYSTEMS = ["elo-mmr", "elo-r", "elo-r-draft", "glicko", "luck", "elo", "trueskill", "tides"]
PARAMETERS = {"luck": {"points": 251, "period_days": 7.0}, "elo-r-draft": {"memory": 3}}
PLACES = [
    ("beliefs", "record"),
    ("beliefs", "memory"),
    ("checkpoint_parts", "beliefs"),
    ("checkpoint_parts", "beliefs"),
    ("checkpoints", "shared"),
    ("revisions", "shared"),
]
NUMBERS = [
    *(np.float64(each).tobytes() for each in (np.nan, np.inf, -1.0, 0.0, 1e308, 5e-324, 1e15)),
    *(np.int64(each).tobytes() for each in (-1, 0, 3, 10**9, 2**62, -(2**63))),
]


@cache
def league_of(name: str, folder: Path) -> Path:
    """A league of some contests."""
    if Tides.name not in systems.names():
        systems.register(Tides)
    path, rng = folder / f"{name}.db", np.random.default_rng(3)
    with League.create(path, name, **PARAMETERS.get(name, {})) as league:
        size = 2 if league.system.most_players == 2 else 4
        for day in range(1, 13):
            players = rng.permutation(list("abcdefg"))[:size].tolist()
            league.record(players, id=f"c{day}", time=day * 86_400)
    return path


def damaged(rng: np.random.Generator, blob: bytes | None) -> object:
    """Something else in the place of some bytes."""
    kind = rng.integers(8)
    if kind == 0:
        return [b"", None, "text", 7, 1.5, b"\0" * 16, b"\xff" * 64][rng.integers(7)]
    data = bytearray(blob or b"\0" * 24)
    if kind == 1:
        return bytes(data[: rng.integers(len(data) + 1)])
    if kind == 2:
        return bytes(data) + rng.bytes(int(rng.integers(1, 40)))
    for _ in range(rng.integers(1, 4)):
        place = int(rng.integers(len(data) + 1))
        if kind == 3 and len(data):
            data[min(place, len(data) - 1)] ^= int(rng.integers(1, 256))
        else:  # where numbers of eight or four bytes begin
            place -= place % int(rng.choice([4, 8]))
            data[place : place + 8] = NUMBERS[rng.integers(len(NUMBERS))][: len(data) - place]
    return bytes(data)


def damage(path: Path, rng: np.random.Generator) -> None:
    table, column = PLACES[rng.integers(len(PLACES))]
    with closing(sqlite3.connect(path)) as connection, connection:
        rows = connection.execute(f"SELECT rowid, {column} FROM {table}").fetchall()
        for number, blob in [rows[each] for each in rng.integers(0, len(rows), rng.integers(1, 4))]:
            statement = f"UPDATE {table} SET {column} = ? WHERE rowid = ?"
            try:
                connection.execute(statement, (damaged(rng, blob), number))
            except sqlite3.IntegrityError:  # where nothing must not be
                connection.execute(statement, (b"", number))


def questions(league: League, folder: Path) -> dict:
    pair = ["a", "b"]
    return {
        "leaderboard": lambda: league.leaderboard(),
        "leaderboard at": lambda: league.leaderboard(at="2026-01-01"),
        "player": lambda: league.player("a"),
        "predict": lambda: league.win_probability(*pair),
        "quality": lambda: league.quality(pair, at="2026-01-01"),
        "beliefs": lambda: league.beliefs(),
        "explain": lambda: league.explain("c7", league.contest("c7")["player"][0]),
        "verify": lambda: league.verify(),
        "export": lambda: league.export(folder / "exported"),
        "remove": lambda: league.remove("c6", dry_run=True),
        "record past": lambda: league.record(pair, id="new", time=5 * 86_400, dry_run=True),
        "record": lambda: league.record(pair, id="next", time="2026-01-01"),
        "revise": lambda: league.revise("elo", dry_run=True),
    }


def tried(number: int, folder: Path) -> Counter:
    rng = np.random.default_rng(number)
    path = folder / "damaged.db"
    shutil.copy(league_of(SYSTEMS[rng.integers(len(SYSTEMS))], folder), path)
    damage(path, rng)
    outcomes: Counter = Counter()
    with League(path) as league:
        for name, ask in questions(league, folder).items():
            try:
                ask()
            except StorageError:
                outcomes["StorageError"] += 1
            except PodiumError as error:
                outcomes[f"{name}: {type(error).__name__} {error}"[:150]] += 1
            except Exception as error:
                error.add_note(name)
                raise
            else:
                outcomes["answered"] += 1
    return outcomes


def main() -> None:
    first, count, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    warnings.simplefilter("ignore")
    outcomes, wrong = Counter(), []
    for number in range(first, first + count):
        (folder / "last").write_text(str(number))
        try:
            outcomes.update(tried(number, folder))
        except Exception as error:
            said = f"{type(error).__name__}: {error} {getattr(error, '__notes__', '')}"
            wrong.append((number, said[:200]))
    print(json.dumps({"outcomes": outcomes, "wrong": wrong}))


def test_a_damaged_league_answers_in_sentences(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.league.test_damaged_beliefs", "0", str(CASES), str(tmp_path)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr + (tmp_path / "last").read_text()
    said = json.loads(done.stdout)
    print(said["outcomes"])
    assert not said["wrong"]
    assert said["outcomes"]["StorageError"] > CASES / 2
    assert said["outcomes"]["answered"] > CASES


@pytest.mark.parametrize("value", [b"", b"\0" * 7, "text"])
def test_a_memory_of_another_size_is_said_to_be_damaged(tmp_path, value):
    path = league_of("elo-mmr", tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE beliefs SET memory = ?", (value,))
    with League(path) as league, pytest.raises(StorageError) as refused:
        league.win_probability("a", "b")
    said = "the database is damaged: " if isinstance(value, str) else "this league are damaged: "
    assert str(refused.value).startswith(f"{path}: ")
    assert said in str(refused.value)


@pytest.mark.parametrize("change", [lambda data: data[:-8], lambda data: data + b"\0" * 8])
def test_a_checkpoint_of_another_length_is_said_to_be_damaged(tmp_path, change):
    path = league_of("elo-mmr", tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        for number, data in connection.execute(
            "SELECT rowid, beliefs FROM checkpoint_parts"
        ).fetchall():
            connection.execute(
                "UPDATE checkpoint_parts SET beliefs = ? WHERE rowid = ?", (change(data), number)
            )
    with League(path) as league, pytest.raises(StorageError, match="beliefs of this league are"):
        league.remove("c11")


def test_a_rating_that_is_not_a_number_is_said_to_be_damaged(tmp_path):
    path = league_of("elo", tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        for number, data in connection.execute("SELECT rowid, record FROM beliefs").fetchall():
            record = np.float64(np.nan).tobytes() + data[8:]
            connection.execute("UPDATE beliefs SET record = ? WHERE rowid = ?", (record, number))
    with League(path) as league:
        for ask in (lambda: league.win_probability("a", "b"), lambda: league.record(["a", "b"])):
            with pytest.raises(StorageError, match="the column mu holds what it cannot"):
                ask()


if __name__ == "__main__":
    main()
