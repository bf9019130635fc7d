"""Leagues as earlier versions of podium made them are brought up to date, and nothing is lost.

`made_before.make` says how they were made; what those versions said of them is kept beside them.
"""

import contextlib
import json
import math
import sqlite3
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from podium import League, PodiumError
from podium.league import revisions, schema
from podium.ratings import arithmetic
from tests.league.tables import execute

FOLDER = Path(__file__).parent / "made_before"
KEPT = sorted(path.stem for path in FOLDER.glob("*.sql"))
VERSIONS = ["0001", *sorted({name.split("-")[0] for name in KEPT})]
_STEP_2 = (
    "DROP INDEX ratings_by_rating",
    "ALTER TABLE ratings DROP COLUMN shown",
    "ALTER TABLE league DROP COLUMN rules",
    "UPDATE alembic_version SET version_num = '0001'",
)
"""No version made leagues of 0001; the second step only added this."""


def rebuilt(path: Path, name: str) -> dict[str, Any]:
    """A league as it was made, and what was said of it then."""
    said: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript((FOLDER / f"{name}.sql").read_text(encoding="utf-8"))
    return said


def shortest(text: str | None) -> str | None:
    """The spelling that names have today."""
    return None if text is None else unicodedata.normalize("NFC", text)


def rows_of(league: League) -> dict[str, tuple[Any, ...]]:
    board = league.leaderboard(None).select("player", "title", "rating", "mu", "sigma", "contests")
    return {name: tuple(row) for name, *row in board.iter_rows()}


def assert_close(found: dict[Any, Any], wanted: dict[Any, Any], *, to: float) -> None:
    """Two leaderboards are the same, and numbers differ by no more than that."""
    assert found.keys() == wanted.keys()
    for name, (title, *numbers, contests) in found.items():
        was_title, *were, had = wanted[name]
        assert (title, contests) == (was_title, had)
        assert numbers == pytest.approx(were, rel=0.0, abs=to), name


def assert_as_said(league: League, said: dict[str, Any], *, to: float) -> None:
    """The leaderboard, the contests, the names and the log are those of the version before."""
    columns = ("title", "rating", "mu", "sigma", "contests")
    board = {
        shortest(row["player"]): tuple(row[name] for name in columns) for row in said["leaderboard"]
    }
    assert_close(rows_of(league), board, to=to)
    assert league.contests()["contest"].to_list() == said["contests"]
    aliases = {shortest(alias): shortest(name) for alias, name in said["aliases"]}
    assert dict(league.aliases().iter_rows()) == aliases
    log = league.log().filter(league.log()["action"] != "migrate")
    columns = ["number", "action", "contest", "who", "why"]
    assert log.select(columns).to_dicts() == [
        {name: row[name] for name in columns} for row in said["log"]
    ]
    assert {*log["who"]} == {"ann"}


def test_there_is_one_of_every_version():
    assert [f"{number:04}" for number in range(1, int(schema.VERSION))] == VERSIONS


@pytest.mark.parametrize("name", KEPT)
def test_it_is_brought_up_to_date_with_all_that_it_had(path, name):
    said = rebuilt(path, name)
    with pytest.raises(PodiumError, match=r"earlier version of podium.*podium migrate"):
        League(path)
    done = League.migrate(path)
    assert done.applied
    assert f"from version {said['version']} to {schema.VERSION}" in done.what
    moved = {row["player"]: row["after"] - row["before"] for row in done.moves.to_dicts()}
    is_other = said["system"] == "podium" and said["arithmetic"] < 4
    assert bool(moved) == is_other
    with League(path) as league:
        found = league.verify(export=True)
        assert found.differences == []
        assert found.notes == ["an export builds the same league"] or not _here(league)
        if not is_other:
            exact = said["arithmetic"] == arithmetic.ARITHMETIC and _here(league)
            assert_as_said(league, said, to=0.0 if exact else 1e-6)
            return
        board = {shortest(row["player"]): row["rating"] for row in said["leaderboard"]}
        for player, (_, rating, *_) in rows_of(league).items():
            assert math.isclose(rating - board[player], moved.get(player, 0.0), abs_tol=2e-6)


def _here(league: League) -> bool:
    """Whether a machine of this kind has rated it."""
    with league._database.reading() as connection:
        return revisions.in_force(connection).machine == arithmetic.this_machine()


def test_one_without_rules_shows_what_it_did(path):
    said = rebuilt(path, "0002-elo-mmr")
    execute(str(path), *_STEP_2)
    assert f"from version 0001 to {schema.VERSION}" in League.migrate(path).what
    with League(path) as league:
        assert league.verify().differences == []
        for row in said["leaderboard"]:
            row["title"] = None
        assert_as_said(league, said, to=1e-6)


@pytest.mark.parametrize("name", [each for each in KEPT if "elo" in each or "podium" in each])
def test_it_can_be_changed_and_changes_be_taken_back(path, name):
    said = rebuilt(path, name)
    League.migrate(path)
    with League(path) as league:
        before, last = rows_of(league), league.log(1)["number"].item()
        exact = _here(league)
        for change in (
            lambda: league.disqualify("round 1", "cat"),
            lambda: league.rename("bea", "beate"),
            lambda: league.season("second half", "2024-03-01", pull=0.5),
            lambda: league.start({"ann": league["ann"].mu, "new": league["cat"].mu}),
            lambda: league.rollback("another"),
            lambda: league.record(["ann", "new"], id="later", time="2024-06-01", guests=["ann"]),
        ):
            assert change().applied
        assert league.verify(export=True).differences == []
        with pytest.raises(PodiumError, match="brought the league up to date"):
            league.undo(last)
        for _ in range(6):
            league.undo()
        assert_close(rows_of(league), before, to=0.0 if exact else 1e-6)
        assert league.verify().differences == []
        assert_entries_before(league, said)


def assert_entries_before(league: League, said: dict[str, Any]) -> None:
    """Each of an earlier version is taken back, or says in a sentence why it is not."""
    keeps_all, keeps_some = (said["version"] >= version for version in ("0005", "0004"))
    answers = {}
    for row in said["log"]:
        try:
            league.undo(row["number"], dry_run=True)
            answers[row["number"]] = "done"
        except PodiumError as error:
            answers[row["number"]] = str(error)
    assert "made the league, which is not taken back" in answers.pop(1)
    for number, answer in answers.items():
        forgotten = "was made by an earlier version of podium, whose log does not say" in answer
        in_the_way = "is in the way, because" in answer or "taken back already" in answer
        assert answer == "done" or forgotten or in_the_way, (number, answer)
        assert not (keeps_all and forgotten), answer
    assert keeps_some == ("done" in answers.values())
    assert keeps_all != any("does not say" in answer for answer in answers.values())
