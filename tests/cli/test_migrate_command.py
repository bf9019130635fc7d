def test_a_league_of_this_version_is_left_as_it_is(command, league):
    before = command("leaderboard", league).stdout
    done = command("migrate", league)
    assert done.code == 0
    assert done.stdout.count("\n") == 1
    assert command("leaderboard", league).stdout == before


def test_only_a_league_can_be_migrated(command, season, tmp_path):
    assert "is not a league" in command("migrate", season).complaint
    assert "there is no such league" in command("migrate", tmp_path / "x.db").complaint
