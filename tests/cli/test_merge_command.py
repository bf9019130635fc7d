import json

from tests.weeks import standings


def test_two_players_become_one(command, league, tmp_path):
    path = tmp_path / "week-5.csv"
    path.write_text(standings("week-5", "2026-02-02", ["ann_2", "bob"]))
    command("record", league, path)
    document = json.loads(command("merge", league, "ann_2", "ann", "--json").stdout)
    moves = {move["player"]: move["after"] for move in document["moves"]}
    assert moves["ann_2"] is None
    assert "ann_2" not in command("leaderboard", league).stdout
    assert "week-5" in command("player", league, "ann").stdout
    assert "week-1" in command("player", league, "ann_2").stdout


def test_players_who_met_are_not_one(command, league):
    assert "week-1" in command("merge", league, "ann", "bob").complaint
    assert "(did you mean 'ann'?)" in command("merge", league, "bob", "anne").complaint
