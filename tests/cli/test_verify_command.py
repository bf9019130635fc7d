import json
import sqlite3


def test_a_sound_league_is_said_to_be(command, league):
    found = command("verify", league)
    assert found.code == 0
    assert found.stdout == f"{league}: 4 contests, 19 changes of ratings, all as stored.\n"
    document = json.loads(command("verify", league, "--json").stdout)
    assert document == {"sound": True, "contests": 4, "events": 19, "differences": []}


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
