"""A copy of a league is one state in one file, whatever others do to the league meanwhile."""

import os
import resource
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

import podium
from podium import BusyError, ConflictError, InputError, League, Rules, StorageError
from podium.league import backups, sqlite
from tests.league.tables import all_tables, execute

SEASON = podium.simulate(players=30, rounds=9, seed=2)


@pytest.fixture
def league(where: str) -> Iterator[League]:
    with League.create(where) as made:
        made.record(SEASON[:6])
        made.amend(SEASON.ids[2], weight=0.5, name="Final")
        made.rename("player-0001", "Åsa \U0001f600")
        made.revise("glicko")
        made.rollback()
        made.set_rules(Rules(display="mean", titles=((1500, "Expert"),)))
        yield made


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    folder = tmp_path / "copies"
    folder.mkdir()
    return folder / "copy.db"


def test_a_copy_is_the_league_in_one_file(league, where, copy):
    made = league.backup(copy)
    assert list(copy.parent.iterdir()) == [copy]
    assert (made.path, made.contests, made.state) == (copy, 6, league.state)
    assert made.bytes == copy.stat().st_size
    assert made.document()["league"] == league.where
    assert copy.read_bytes()[18:20] == b"\1\1"  # a rollback journal, which nothing stands beside
    assert all_tables(str(copy)) == all_tables(where)
    with League.reading(copy) as other:
        assert other.verify().sound
        assert other.state == league.state
        assert other.log().equals(league.log())
        assert other.leaderboard(None).equals(league.leaderboard(None))
    assert list(copy.parent.iterdir()) == [copy]


def test_a_copy_is_a_league_to_go_on_with(league, copy):
    league.backup(copy)
    for each in (league, League(copy)):
        each.record(SEASON[6:])
        each.disqualify(SEASON.ids[1], "player-0002")
    with League(copy) as other:
        assert other.verify().sound
        assert other.leaderboard(None).equals(league.leaderboard(None))


def test_a_copy_is_one_state_though_the_league_is_changed_meanwhile(
    league, where, copy, monkeypatch
):
    monkeypatch.setattr(backups, "_PAGES_AT_ONCE", 5)
    monkeypatch.setattr(backups, "_ROWS_AT_ONCE", 20)
    state, seen = league.state, []
    with League(where, wait=0) as writer:

        def change(done: int, total: int) -> None:
            if len(seen) < 3:
                writer.record(SEASON[6 + len(seen) : 7 + len(seen)])
            seen.append((done, total))

        assert league.backup(copy, progress=change).state == state
    assert len(league) == 9
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] > 3
    with League(copy) as other:
        assert (other.state, len(other)) == (state, 6)
        assert other.verify().sound


def test_what_somebody_has_not_finished_is_not_copied(league, copy):
    with league._database.writing() as connection:
        connection.exec_driver_sql("UPDATE ratings SET shown = 0")
        league.backup(copy)
    with League(copy) as other:
        assert other.verify().sound


def test_a_copy_appears_when_it_is_complete(league, copy):
    def interrupt(*_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        league.backup(copy, progress=interrupt)
    assert list(copy.parent.iterdir()) == []
    league.backup(copy)
    content = copy.read_bytes()
    league.record(SEASON[6:])
    with pytest.raises(KeyboardInterrupt):
        league.backup(copy, replace=True, progress=interrupt)
    assert list(copy.parent.iterdir()) == [copy]
    assert copy.read_bytes() == content


def test_a_disk_without_room_is_a_sentence(league, copy):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, limits[1]))
    try:
        with pytest.raises(StorageError, match="disk") as refused:
            league.backup(copy)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert str(refused.value).startswith(f"{copy}: ")
    assert list(copy.parent.iterdir()) == []


def test_a_league_that_is_there_is_replaced_if_that_is_said(league, copy):
    league.backup(copy)
    with pytest.raises(ConflictError, match="is there already; give another name, or say replace"):
        league.backup(copy)
    league.record(SEASON[6:])
    with League.reading(copy) as reader:
        before = reader.pulse()
        league.backup(copy, replace=True)
        assert reader.pulse() == reader.state == league.state != before
        assert len(reader) == 9
    execute(str(copy), "UPDATE alembic_version SET version_num = '0001'")
    assert league.backup(copy, replace=True).contests == 9
    copy.write_bytes(b"")
    assert league.backup(copy).contests == 9


def test_what_stood_beside_a_league_goes_with_it(league, copy):
    """Changes of what was there would be taken for changes of the copy."""
    with League.create(copy, "elo") as old:
        old.record(SEASON[:2])
        reader = League.reading(copy)
        with reader.snapshot() as view:
            old.record(SEASON[2:3])
            assert sqlite.beside(copy)[0].stat().st_size > 0
            with pytest.raises(BusyError, match="somebody is using it; nothing was replaced"):
                league.backup(copy, replace=True)
            assert len(view) == 2
        league.backup(copy, replace=True)
        assert reader.state == old.state == league.state
        assert reader.verify().sound
        reader.close()
    assert list(copy.parent.iterdir()) == [copy]


def test_what_is_no_league_is_never_replaced(league, copy):
    copy.write_text("contest,time,player,rank\n")
    other = copy.with_name("wines.db")
    sqlite3.connect(other).close()
    execute(str(other), "CREATE TABLE wines (name TEXT)")
    for file in (copy, other):
        before = file.read_bytes()
        with pytest.raises(ConflictError, match="is there already and no league"):
            league.backup(file, replace=True)
        assert file.read_bytes() == before


def test_where_no_copy_can_be(league, where, tmp_path):
    for target, said in (
        (tmp_path, "is a folder; a copy is a file"),
        (tmp_path / "nowhere" / "copy.db", "there is no folder"),
        (Path(os.devnull), "is no file"),
        (7, "path of a file"),
        *([(where, "is the league itself")] if "://" not in where else []),
    ):
        with pytest.raises(InputError, match=said):
            league.backup(target, replace=True)
    assert league.verify().sound


def test_a_copy_of_a_private_league_is_private(path, copy):
    with League.create(path, private=True) as league:
        league.record(SEASON[:2])
        league.backup(copy)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
