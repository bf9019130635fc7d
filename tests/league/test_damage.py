"""Whatever has happened to the file of a league: every command says so in a sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import podium
from podium import Contests, League, StorageError
from tests.league import damaging
from tests.league.tables import execute

CASES = int(os.environ.get("PODIUM_CASES", "4"))
"""How many leagues are damaged; PODIUM_FIRST_CASE says with which number to begin."""
FIRST = int(os.environ.get("PODIUM_FIRST_CASE", "0"))
AT_ONCE = 500


@pytest.fixture(scope="module")
def template(tmp_path_factory) -> Path:
    """A league that has a bit of everything."""
    path = tmp_path_factory.mktemp("damage") / "template.db"
    names = [f"p{number}" for number in range(1, 8)]
    rows = [
        {"contest": id, "time": 86_400 * day, "player": name, "score": (7 * place + day) % 5}
        for day, id in enumerate(["zero", "one", "two", "three", "four", "five"])
        for place, name in enumerate(names[day % 3 :])
    ]
    with League.create(path) as league:
        league.record(Contests.from_records(rows))
        league.amend("two", weight=0.5)
        league.revise("elo-mmr", rho=2.0, name="second")
        league.rollback("first")
        league.record(["alone", "p7"], id="last", time="1970-02-01")
        league.rename("p7", "seven")
        league.record(podium.simulate(players=9, rounds=4, seed=1))
    return path


@pytest.mark.slow
def test_every_command_takes_a_damaged_league_with_a_sentence(template, tmp_path):
    roots = os.pathsep.join([str(Path(damaging.__file__).parents[2]), *sys.path])
    for first in range(FIRST, FIRST + CASES, AT_ONCE):
        count = min(AT_ONCE, FIRST + CASES - first)
        done = subprocess.run(
            [sys.executable, damaging.__file__, template, tmp_path, str(first), str(count)],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": roots},
        )
        assert done.returncode == 0, done.stderr[-2000:]
        assert done.stdout == ""


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE standings SET rank = 2147483647 WHERE position = 1",
        "UPDATE standings SET player_id = 2000000000 WHERE position = 1",
        "UPDATE standings SET player_id = 1",
        "UPDATE standings SET rank = -rank",
        "UPDATE contests SET players = 3",
        "UPDATE contests SET weight = 0",
        "UPDATE contests SET time = 9223372036854775807",
        "UPDATE contests SET contest = x'00' WHERE id = 1",
        "UPDATE league SET rules = '{'",
        "UPDATE league SET revision_id = 77",
        "UPDATE revisions SET parameters = '[]'",
        "UPDATE revisions SET arithmetic = 'one'",
        "UPDATE alembic_version SET version_num = 'four'",
        "DELETE FROM alembic_version",
        "DROP TABLE players",
        "DELETE FROM players",
    ],
)
def test_damage_is_a_storage_error_that_names_the_league(template, path, statement):
    path.write_bytes(template.read_bytes())
    execute(str(path), statement)
    with pytest.raises(StorageError, match=rf"^{path}: ") as refused, League(path) as league:
        league.remove("one")
    assert "\n" not in str(refused.value)


def test_an_error_that_is_none_of_the_league_is_left_as_it_is(template, path):
    path.write_bytes(template.read_bytes())

    def failing(*_: int) -> None:
        raise ZeroDivisionError

    with League(path) as league:
        with pytest.raises(ZeroDivisionError):
            league.remove("one", progress=failing)
        assert league.verify().sound
