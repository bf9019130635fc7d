"""Where a league is kept, and what is said of it."""

import traceback

import numpy as np
import pytest

import podium
from podium import League, PodiumError
from podium.league import database, schema
from podium.league.database import Database, fetch, insert, within

SECRET = "swordfish"


def test_passwords_are_never_told(postgresql):
    address = postgresql.url("nowhere").replace("podium@", f"podium:{SECRET}@")
    with pytest.raises(PodiumError) as refused:
        League(address)
    assert SECRET not in str(refused.value)
    assert "***" in str(refused.value)
    real = postgresql.new_database().replace("podium@", f"podium:{SECRET}@")
    with League.create(real) as league:
        assert SECRET not in repr(league) + league.where + str(league.log()["details"].to_list())
        assert SECRET not in repr(league._database)


def test_nobody_there_is_a_sentence():
    with pytest.raises(PodiumError) as refused:
        League(f"postgresql://ann:{SECRET}@127.0.0.1:1/league")
    assert str(refused.value) == (
        "postgresql://ann:***@127.0.0.1:1/league: there is no connection to the database; "
        "nothing was changed."
    )


@pytest.mark.parametrize(
    "address",
    [
        "postgresql+psycopg://ann:{}@127.0.0.1:1/x",
        "POSTGRESQL://ann:{}@127.0.0.1:1/x",
        "postgres://ann:%40{}@127.0.0.1:1/x",
        "postgresql://ann:a/b:{}@127.0.0.1:1/x",
        "postgresql://ann:a@b{}@127.0.0.1:1/x",
        "postgresql://127.0.0.1:1/x?user=ann&password={}",
        "postgresql://127.0.0.1:1/x?p%61ssword={}",
        "postgresql://127.0.0.1:1/x?sslpassword={}",
        "postgresql://ann:{}@127.0.0.1:1/x?nonsense=1",
        "postgresql://ann:{}@127.0.0.1:port/x",
        "postgresql://ann:{}",
        "postgresql:/ann:{}@host/x",
        "mysql://ann:{}@host/x",
    ],
)
def test_no_error_tells_a_password_however_it_is_written(address, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", f"another {SECRET}")
    for open_league in (League, League.create, League.migrate, podium.read, podium.Rated.load):
        with pytest.raises(PodiumError) as refused:
            open_league(address.format(SECRET))
        assert SECRET not in "".join(traceback.format_exception(refused.value))


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("mysql://ann@host/league", "kept in SQLite or PostgreSQL, not in 'mysql'"),
        ("https://example.org/club", "is the address of a site; this is done where the league is"),
        ("sqlite://", "needs a file"),
        ("sqlite:///:memory:", "needs a file"),
        ("postgresql://[::1/league", "cannot be read"),
        (7, "path or URL of a league is needed, not int"),
        (None, "path or URL of a league is needed"),
    ],
)
def test_what_is_no_place_is_refused(where, says):
    for attempt in (League, League.create, League.migrate):
        with pytest.raises(PodiumError, match=says):
            attempt(where)


@pytest.mark.parametrize(
    "name", ["a b.db", "per%20cent.db", "what?.db", "#1.db", "ève.db", "a'b.db"]
)
def test_files_may_have_any_name(tmp_path, name):
    with League.create(tmp_path / name) as league:
        league.record(podium.simulate(players=3, rounds=2, seed=1))
    assert [each.name for each in tmp_path.iterdir()] == [name]
    with League(str(tmp_path / name)) as league:
        assert league.verify().sound
        assert league.where == str(tmp_path / name)


def test_files_can_be_given_as_urls(path):
    League.create(f"sqlite:///{path}").close()
    with League(path) as league:
        assert len(league) == 0


def test_nothing_is_left_beside_the_file(path):
    with League.create(path) as league:
        league.record(podium.simulate(players=3, rounds=2, seed=1))
        league.leaderboard()
    assert list(path.parent.iterdir()) == [path]


def test_a_change_is_on_the_disk_before_it_is_acknowledged(path):
    with League.create(path) as league, league._database.writing() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


@pytest.mark.parametrize("count", [0, 1, 40_000])
def test_any_number_of_values_can_be_asked_for(where, count):
    League.create(where).close()
    database = Database(where, wait=1.0)
    with database.writing() as connection:
        p = schema.players
        insert(connection, p, {"id": [1, 2, 3], "name": ["ann", "bob", "x39999"]})
        names = [f"x{number}" for number in range(count)]
        found = fetch(connection, p.select().where(within(connection, p.c.name, names)))[1]
        assert found == (["x39999"] if count == 40_000 else [])
    database.close()


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (np.full(3, np.nan), "NULL"),
        ([None, None], "NULL"),
        (np.full(2, -0.0), "0.0"),
        (np.full(2, 0.1), "0.1"),
        (np.array([True, True]), "1"),
        (np.array([7, 7], np.int32), "7"),
        (np.array([7, 8]), None),
        (np.array([np.nan, 1.0]), None),
        (np.array([1.0, np.nan]), None),
        (np.full(2, np.inf), None),
        ([None, "ann"], None),
        (np.array([None, None], object), None),
        (np.empty(0), None),
        ([], None),
        ("ann", None),
    ],
)
def test_a_column_stands_in_the_statement_only_if_it_holds_one_number_or_nothing(column, text):
    assert database._literal(column) == text
