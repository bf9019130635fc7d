from tests.weeks import of_any_source

import podium


def test_the_league_is_as_if_the_contest_had_never_been(command, league, weeks, tmp_path):
    removed = command("remove", league, "week-2")
    assert removed.code == 0
    assert "6 players moved, " in removed.stderr
    kept = [podium.read(file) for contest, file in weeks.items() if contest != "week-2"]
    podium.Contests.concat(kept).write(tmp_path / "kept.csv")
    board = command("leaderboard", tmp_path / "kept.csv").stdout
    assert of_any_source(command("leaderboard", league).stdout) == of_any_source(board)
    assert "week-2" not in command("contests", league).stdout


def test_an_unknown_contest_gets_a_suggestion(command, league):
    complaint = command("remove", league, "week-22").complaint
    assert "'week-22' (did you mean 'week-2'?)" in complaint
