import json
import sqlite3

from podium.ratings import arithmetic


def test_a_sound_league_is_said_to_be(command, league):
    found = command("verify", league)
    assert found.code == 0
    assert found.stdout == f"{league}: 4 contests, 19 changes of ratings, all as stored.\n"
    document = json.loads(command("verify", league, "--json").stdout)
    assert document == {"sound": True, "contests": 4, "events": 19, "differences": [], "notes": []}


def test_an_export_is_compared_if_that_is_asked_for(command, league, monkeypatch):
    found = command("verify", league, "--export")
    assert found.code == 0
    assert found.stdout == (
        f"{league}: 4 contests, 19 changes of ratings, an export builds the same league.\n"
    )
    monkeypatch.setattr("podium.league.exporting._add_aliases", lambda *_: None)
    with sqlite3.connect(league) as connection:
        connection.execute("INSERT INTO aliases VALUES ('annie', 1)")
    connection.close()
    found = command("verify", league, "--export", "--json")
    assert found.code == 1
    document = json.loads(found.stdout)
    assert document["differences"] == [
        "aliases: name 'annie' is not in what an export builds",
    ]


def test_what_differs_is_named_and_the_exit_code_is_1(command, league):
    with sqlite3.connect(league) as connection:
        connection.execute("UPDATE ratings SET rating = rating + 1 WHERE player_id = 1")
    connection.close()
    found = command("verify", league)
    assert found.code == 1
    first, *differences = found.stdout.splitlines()
    assert "difference" in first
    assert differences
    shown = command("verify", league, "--json")
    assert shown.code == 1
    document = json.loads(shown.stdout)
    assert document["sound"] is False
    assert document["differences"] == differences


def test_what_another_kind_of_machine_rounded_is_as_stored_to_1e_9(command, league):
    with sqlite3.connect(league) as connection:
        connection.execute("UPDATE ratings SET rating = rating + 1e-10")
    connection.close()
    assert command("verify", league).code == 1
    with sqlite3.connect(league) as connection:
        connection.execute("UPDATE revisions SET machine = '{}'")
    connection.close()
    found = command("verify", league)
    assert found.code == 0
    assert found.stdout == (
        f"{league}: 4 contests, 19 changes of ratings, as stored to 1e-9, rated on another kind of "
        f"machine.\n"
    )


def test_what_another_arithmetic_rated_is_said_to_need_a_migration(command, league, monkeypatch):
    now = arithmetic.ARITHMETIC
    monkeypatch.setattr(arithmetic, "ARITHMETIC", now + 1)
    found = command("verify", league)
    assert found.code == 0
    assert found.stdout == (
        f"{league}: 4 contests, 0 changes of ratings, revision 'first' was rated by arithmetic "
        f"{now}; podium migrate brings it to {now + 1}.\n"
    )
