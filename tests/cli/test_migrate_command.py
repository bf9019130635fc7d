import json
import sqlite3

from podium.ratings import arithmetic


def test_a_league_of_this_version_is_left_as_it_is(command, league):
    before = command("leaderboard", league).stdout
    done = command("migrate", league)
    assert done.code == 0
    assert done.stdout.count("\n") == 1
    assert command("leaderboard", league).stdout == before


def test_only_a_league_can_be_migrated(command, season, tmp_path):
    assert "is not a league" in command("migrate", season).complaint
    assert "there is no such league" in command("migrate", tmp_path / "x.db").complaint


def test_who_moves_by_another_arithmetic_is_listed(command, league, monkeypatch):
    with sqlite3.connect(league) as connection:
        connection.execute("UPDATE ratings SET shown = shown + 0.25 WHERE player_id = 1")
        connection.execute("UPDATE ratings SET shown = shown - 3e-6 WHERE player_id = 2")
        connection.execute("UPDATE ratings SET shown = shown + 3e-7 WHERE player_id = 3")
        named = "SELECT name, shown FROM players JOIN ratings ON player_id = id WHERE id < 3"
        rows = connection.execute(f"{named} ORDER BY id").fetchall()
    connection.close()
    later = arithmetic.ARITHMETIC + 1
    monkeypatch.setattr(arithmetic, "ARITHMETIC", later)
    refused = command("record", league, "nothing.csv")
    assert refused.code != 0
    done = command("migrate", league)
    assert done.code == 0
    (one, before), (two, _) = rows
    said, empty, header, first, second = done.stdout.splitlines()
    assert (said, empty) == (f"Rated the league anew, by arithmetic {later}.", "")
    assert header.split() == ["player", "before", "after", "change"]
    assert first.split() == [*one.split(), f"{before:.6f}", f"{before - 0.25:.6f}", "-0.250000"]
    assert second.split()[-1] == "+0.000003"
    assert second.startswith(two)
    assert command("verify", league).stdout.endswith("all as stored.\n")
    monkeypatch.setattr(arithmetic, "ARITHMETIC", later + 1)
    document = json.loads(command("migrate", league, "--json").stdout)
    assert document["what"] == f"rated the league anew, by arithmetic {later + 1}"
    assert document["applied"] is True
    assert document["replayed"] == 4
    assert document["moves"] == []
