"""A verification that builds the league again from an export, and says what is not the same."""

import contextlib
import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from podium import Contests, InputError, League
from podium.league import Rules, rebuilding, schema
from podium.league.database import Database
from tests.league.games import PLAYERS
from tests.league.tables import execute


def of_all_kinds(where: str) -> League:
    """A league that has something in every table."""
    league = League.create(where, "elo-mmr", rules=Rules(titles=((1450.0, "expert"),)))
    rows = [
        {"contest": f"c{number}", "time": f"2026-01-{number:02}", "player": name, "rank": place}
        for number in range(1, 7)
        for place, name in enumerate(PLAYERS[number % 3 : 6 + number % 2], 1)
    ]
    contests = Contests.from_records(rows)
    league.record(contests[:3], ceiling=1600.0)
    league.record(contests[3:], guests=[rows[-1]["player"]])
    league.season("spring", "2026-01-03", pull=0.5, sigma=200.0)
    league.season("summer", "2026-01-09")
    league.start({"zoe": (1800.0, 80.0), PLAYERS[2]: 1500.0})
    league.set_guest(PLAYERS[3])
    league.rename(PLAYERS[1], "anna", why="her name")
    league.revise("glicko2", name="other")
    league.rollback("first")
    league.amend("c2", weight=2.0, name="Open")
    return league


def test_an_export_builds_the_same_league(where):
    with of_all_kinds(where) as league:
        state = league.state
        found = league.verify(export=True)
        assert (found.differences, found.notes) == ([], ["an export builds the same league"])
        assert found.verdict == "an export builds the same league"
        assert league.state == state


def test_numbers_of_players_and_contests_may_be_others(path):
    with of_all_kinds(str(path)) as league:
        league.remove("c1")
        league.merge("zoe", PLAYERS[0])
        league.record(["new", "newer"], id="c0", time="2026-01-01")
        assert league.verify(export=True).differences == []


@pytest.fixture(scope="module")
def exported(tmp_path_factory) -> tuple[Path, Path]:
    """A league, and an export of it."""
    folder = tmp_path_factory.mktemp("exported")
    with of_all_kinds(str(folder / "league.db")) as league:
        league.export(folder / "export")
    return folder / "league.db", folder / "export"


def verified(
    exported: tuple[Path, Path], folder: Path, damage: Callable[[Path], None]
) -> list[str]:
    """What differs if an export is damaged so."""
    league, export = exported
    shutil.copytree(export, folder)
    damage(folder)
    with League(league) as opened:
        return opened.verify(export=folder).differences


def table(folder: Path, which: str, /, **columns: Any) -> None:
    """Change columns of a table of an export."""
    file = folder / f"{which}.parquet"
    pl.read_parquet(file).with_columns(**columns).write_parquet(file)


def about(folder: Path, **parts: Callable[[Any], Any]) -> None:
    """Change parts of what an export says of the league."""
    file = folder / "league.json"
    said = json.loads(file.read_text())
    file.write_text(json.dumps({**said, **{name: new(said[name]) for name, new in parts.items()}}))


def damage_what_makes_no_rating(folder: Path) -> None:
    first = pl.int_range(pl.len()) == 0
    table(folder, "results", name=pl.lit("Cup"))
    table(folder, "log", why=pl.when(first).then(pl.lit("so")).otherwise(pl.col("why")))
    table(folder, "ratings", rating=pl.col("rating") + first)
    table(folder, "aliases", alias=pl.col("alias") + "x")
    about(
        folder,
        guests=lambda _: [],
        created=lambda moment: moment + 1,
        rules=lambda rules: {**rules, "hidden_until": 3},
        seasons=lambda seasons: [seasons[0], {**seasons[1], "name": "autumn"}],
        players_without_contests=lambda names: [*names, "nobody"],
    )


def test_everything_that_makes_no_rating_is_named(exported, tmp_path):
    found = verified(exported, tmp_path / "export", damage_what_makes_no_rating)
    there = "in what an export builds"
    for wanted in (
        f"contests: contest 'c1' has another name {there}: 'Cup', not nothing",
        f"contests: contest 'c2' has another name {there}: 'Cup', not 'Open'",
        f"log: id 1 has another why {there}: 'so', not nothing",
        f"aliases: name '{PLAYERS[1]}' is not {there}",
        f"aliases: name '{PLAYERS[1]}x' is only {there}",
        f"players: name '{PLAYERS[3]}' has another guest {there}: False, not True",
        f"players: name 'nobody' is only {there}",
        f"seasons: name 'summer' is not {there}",
        f"seasons: name 'autumn' is only {there}",
    ):
        assert wanted in found
    kinds = {re.match(r"(.*?): .*?(has another \w+|is \w+)", each).groups() for each in found}
    assert {(what, said) for what, said in kinds if "another" in said} == {
        ("contests", "has another name"),
        ("log", "has another why"),
        ("players", "has another guest"),
        ("league", "has another created"),
        ("league", "has another last_player"),
        ("league", "has another rules"),
        ("ratings of the export", "has another rating"),
    }


def damage_what_makes_ratings(folder: Path) -> None:
    (folder / "history.parquet").unlink()
    (folder / "ratings.parquet").unlink()
    first = pl.int_range(pl.len()) == 0
    table(folder, "results", eligible=pl.col("eligible") ^ first, weight=pl.lit(0.5))
    table(folder, "starts", rating=pl.col("rating") + 1.0)
    about(folder, seasons=lambda seasons: [{**seasons[0], "pull": 0.25}, seasons[1]])
    about(folder, revisions=lambda made: [made[0], {**made[1], "name": "else"}])


def test_everything_that_makes_ratings_is_named(exported, tmp_path):
    found = verified(exported, tmp_path / "export", damage_what_makes_ratings)
    said = {(each.split(":")[0], *re.findall("has another [a-z_]+", each)) for each in found}
    assert {
        ("an export of the league has no table of ratings",),
        ("contests", "has another weight"),
        ("standings", "has another eligible"),
        ("starts", "has another mu"),
        ("seasons", "has another pull"),
        ("revisions",),
        ("ratings", "has another mu"),
        ("beliefs", "has another record"),
        ("events", "has another mu"),
    } <= said


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda at: table(at, "history", mu=pl.col("mu") + 1.0), "the export/history.parquet: "),
        (lambda at: table(at, "results", player=pl.lit("ann")), "results.parquet, row 2"),
        (lambda at: (at / "log.parquet").unlink(), "there is no log.parquet or log.csv"),
        (lambda at: (at / "aliases.parquet").write_bytes(b"no"), "aliases.parquet: cannot be read"),
        (lambda at: about(at, rules=lambda _: 5), "league.json: is damaged"),
        (lambda at: about(at, in_force=lambda _: "x"), "league.json: is damaged"),
    ],
    ids=["history", "results", "log", "aliases", "rules", "in force"],
)
def test_an_export_that_builds_no_league_says_why(exported, tmp_path, damage, says):
    (found,) = verified(exported, tmp_path / "export", damage)
    assert found.startswith("an export of the league builds none: ")
    assert says in found
    assert str(tmp_path) not in found


def test_every_column_of_every_table_is_compared(path, tmp_path):
    """So are those of tables to come, unless they are said to be left out."""
    of_all_kinds(str(path)).close()
    other = str(shutil.copy(path, tmp_path / "other.db"))
    new = {
        bool: "NOT {0}",
        bytes: "x'78'",
        float: "coalesce({0}, 0) + 1",
        int: "coalesce({0}, 0) + 1",
        str: "coalesce({0}, '') || 'x'",
    }
    wanted = set()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for each in schema.metadata.sorted_tables:
            keys = {column.name for column in each.primary_key.columns}
            keys |= {*rebuilding._KEYS.get(each.name, ()), "action"}
            left_out = {*rebuilding._LEFT_OUT.get(each.name, ()), *rebuilding._NAMED}
            there = connection.execute(f"SELECT count(*) FROM {each.name}").fetchone()[0]
            if each.name in rebuilding._TABLES_LEFT_OUT or not there or each.name == "log":
                continue
            for column in each.c:
                if column.name not in keys | left_out:
                    value = new[column.type.python_type].format(column.name)
                    if column.name == "rules":
                        value = """'{"hidden_until": 7}'"""
                    execute(other, f"UPDATE {each.name} SET {column.name} = {value}")
                    wanted.add((each.name, column.name))
    databases = [Database(where, wait=5.0) for where in (str(path), other)]
    with contextlib.ExitStack() as stack:
        for database in databases:
            stack.callback(database.close)
        both = [stack.enter_context(database.reading()) for database in databases]
        found = list(rebuilding._in_tables(*both, lambda *_: None))
    said = {re.match(r"(\w+): .* has another (\w+) ", each).groups() for each in found}
    assert said == wanted
    assert {("players", "guest"), ("seasons", "pull"), ("beliefs", "memory")} <= said


def test_a_league_that_is_not_sound_is_not_exported(path):
    of_all_kinds(str(path)).close()
    execute(str(path), "UPDATE ratings SET mu = mu + 1")
    with League(path) as league:
        found = league.verify(export=True)
        assert found.differences
        assert found.notes == ["an export is not looked at before the league is sound"]


def test_a_folder_that_is_no_export_is_said(path, tmp_path):
    with of_all_kinds(str(path)) as league:
        (found,) = league.verify(export=tmp_path / "nothing").differences
        assert "holds no exported league" in found
        with pytest.raises(InputError):
            league.verify(export=5)


def test_an_export_in_csv_is_compared_too(path, tmp_path):
    with of_all_kinds(str(path)) as league:
        league.export(tmp_path / "csv", format="csv")
        assert league.verify(export=tmp_path / "csv").differences == []
        league.amend("c2", weight=1.0)
        found = league.verify(export=tmp_path / "csv").differences
        assert any("weight" in each for each in found)
