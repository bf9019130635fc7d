import json

from tests.weeks import WEEKS, of_any_source, standings

import podium


def test_the_others_are_rated_as_if_the_player_had_not_been_there(command, league, weeks, tmp_path):
    assert command("disqualify", league, "week-3", "ann", "--who", "bob").code == 0
    without = tmp_path / "week-3.csv"
    names = [name for name in WEEKS["week-3"] if name != "ann"]
    without.write_text(standings("week-3", "2026-01-19", names))
    files = {**weeks, "week-3": without}
    podium.Contests.concat([podium.read(file) for file in files.values()]).write(
        tmp_path / "right.csv"
    )
    board = command("leaderboard", tmp_path / "right.csv").stdout
    assert of_any_source(command("leaderboard", league).stdout) == of_any_source(board)


def test_whoever_loses_the_only_contest_has_no_rating_after_it(command, league, tmp_path):
    path = tmp_path / "week-5.csv"
    path.write_text(standings("week-5", "2026-02-02", ["gil", "ann"]))
    command("record", league, path)
    document = json.loads(command("disqualify", league, "week-5", "gil", "--json").stdout)
    move = next(each for each in document["moves"] if each["player"] == "gil")
    assert move["after"] is None
    assert move["before"] is not None
    assert "gil" not in command("leaderboard", league).stdout


def test_unknown_contests_and_players_get_a_suggestion(command, league):
    complaint = command("disqualify", league, "week-33", "ann").complaint
    assert "'week-33' (did you mean 'week-3'?)" in complaint
    assert "(did you mean 'ann'?)" in command("disqualify", league, "week-3", "anne").complaint
    assert "'eve'" in command("disqualify", league, "week-2", "eve").complaint
