import json
from pathlib import Path

import podium


def row(rank, team, **changes):
    return {"rank": rank, "team_id": team, "score": {"num_solved": 3, "total_time": 99}, **changes}


def board(*rows, **changes):
    state = {"started": "2026-03-01T10:00:00+01:00", "ended": "2026-03-01T15:00:00+01:00"}
    return json.dumps({"time": "2026-03-01T16:00:00Z", "state": state, "rows": rows, **changes})


def test_names_of_teams_are_taken_from_the_file_beside_it():
    Path("scoreboard.json").write_text(board(row(1, "7"), row(2, 8)))
    Path("teams.json").write_text('[{"id": "7", "name": "owls"}, {"id": 8, "name": "foxes"}]')
    contests = podium.read("scoreboard.json", contest="regional")
    assert contests[0].standings == [(1, "owls"), (2, "foxes")]


def test_without_it_teams_go_by_their_numbers():
    Path("a.json").write_text(board(row(1, "7"), row(2, "8")))
    assert podium.read("a.json", contest="regional")[0].players == ["7", "8"]


def test_teams_without_a_rank_and_hidden_ones_leave_no_gap():
    Path("c").mkdir()
    Path("c/scoreboard.json").write_text(
        board(row(1, "1"), row(2, "2"), row(None, "3"), row(3, "4"))
    )
    Path("c/teams.json").write_text(
        json.dumps([{"id": str(n), "name": f"team {n}", "hidden": n == 2} for n in range(1, 5)])
    )
    Path("c/contest.json").write_text(
        '{"id": "r", "name": "Regional", "duration": "5:00:00", "start_time": null}'
    )
    contest = podium.read("c")[0]
    assert (contest.id, contest.name) == ("r", "Regional")
    assert contest.standings == [(1, "team 1"), (2, "team 4")]


def test_points_of_scoring_contests_are_kept():
    Path("a.json").write_text(board(row(1, "7", score={"score": 71.5})))
    assert podium.read("a.json", contest="x").frame(given=True)["score"].to_list() == [71.5]


def test_files_of_two_contests_in_a_folder_are_refused(refusal):
    Path("c").mkdir()
    Path("c/scoreboard.json").write_text(board(row(1, "7")))
    Path("c/contests.json").write_text('[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]')
    assert refusal("c").endswith(
        "stands beside 2 contests; keep the files of each in a folder of its own."
    )


def test_what_is_wrong_is_said_with_its_row(refusal):
    assert refusal("a.json", board(row(1, "7"), row("x", "8")), contest="c") == (
        "a.json, row 2: rank should be a whole number, but is 'x'."
    )
    assert refusal("a.json", board(row(1, "7"), state=3), contest="c") == (
        "a.json: state should be an object, but is 3."
    )
