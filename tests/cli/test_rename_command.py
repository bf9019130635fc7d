from tests.weeks import standings


def test_the_old_name_goes_on_to_mean_the_same_player(command, league, tmp_path):
    before = command("leaderboard", league).stdout
    assert command("rename", league, "ann", "amy").code == 0
    assert command("leaderboard", league).stdout == before.replace("ann", "amy")
    path = tmp_path / "week-5.csv"
    path.write_text(standings("week-5", "2026-02-02", ["ann", "bob"]))
    assert command("record", league, path).code == 0
    assert "week-5" in command("player", league, "amy").stdout
    assert "ann " not in command("leaderboard", league).stdout


def test_an_old_name_can_be_forgotten(command, league, tmp_path):
    assert command("rename", league, "ann", "amy", "--forget-old").code == 0
    path = tmp_path / "week-5.csv"
    path.write_text(standings("week-5", "2026-02-02", ["ann", "bob"]))
    assert command("record", league, path).code == 0
    assert "week-5" not in command("player", league, "amy").stdout
    assert "ann " in command("leaderboard", league).stdout


def test_a_player_is_found_under_an_old_name(command, league):
    command("rename", league, "ann", "amy")
    assert command("player", league, "ann").stdout == command("player", league, "amy").stdout


def test_a_name_must_be_free(command, league):
    assert "'bob'" in command("rename", league, "ann", "bob").complaint
    assert "(did you mean 'ann'?)" in command("rename", league, "anne", "amy").complaint
