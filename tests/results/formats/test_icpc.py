import json
from pathlib import Path

import pytest

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


def test_the_other_files_of_a_contest_are_passed_over():
    Path("c").mkdir()
    Path("c/scoreboard.json").write_text(board(row(1, "7"), row(2, "8")))
    Path("c/teams.json").write_text('[{"id": "7", "name": "owls"}, {"id": "8", "name": "foxes"}]')
    Path("c/state.json").write_text('{"started": null}')
    Path("c/awards.json").write_text('[{"id": "winner", "team_ids": ["7"]}]')
    for name in ("clarifications", "judgement-types", "persons", "runs", "submissions"):
        Path(f"c/{name}.json").write_text("[]")
    for path in ("c", "c/*.json", ["c/scoreboard.json", "c/teams.json", "c/awards.json"]):
        assert podium.read(path, contest="regional")[0].players == ["owls", "foxes"]
    Path("c/others.json").write_text('{"more": 1}')
    with pytest.raises(podium.InputError, match=r"c/others\.json: is neither"):
        podium.read("c", contest="regional")


def test_files_may_be_called_as_their_addresses():
    Path("c").mkdir()
    Path("c/scoreboard").write_text(board(row(1, "7"), row(2, "8")))
    Path("c/teams").write_text('[{"id": "7", "name": "owls"}, {"id": "8", "name": "foxes"}]')
    for path in ("c", "c/scoreboard"):
        assert podium.read(path, contest="regional")[0].players == ["owls", "foxes"]


def test_a_file_of_teams_beside_another_table_is_not_passed_over(refusal):
    Path("results.csv").write_text("contest,time,player,rank\nc,2026-01-01,ann,1\n")
    Path("teams.json").write_text('[{"id": "7", "name": "owls"}]')
    assert refusal(["results.csv", "teams.json"]).startswith("teams.json: there is no column")


def test_teams_of_a_hidden_group_do_not_count():
    Path("c").mkdir()
    Path("c/scoreboard.json").write_text(board(row(1, "7"), row(2, "8"), row(3, "9")))
    groups = [{"id": 1, "name": "in"}, {"id": 2, "name": "guests", "hidden": True}]
    Path("c/groups.json").write_text(json.dumps(groups))
    teams = [{"id": n, "name": f"team {n}", "group_ids": ["12"[n == "8"]]} for n in "789"]
    Path("c/teams.json").write_text(json.dumps(teams))
    found = podium.check("c", contest="regional").files[0]
    assert found.contests[0].standings == [(1, "team 7"), (2, "team 9")]
    assert "1 hidden team is left out." in found.understanding.assumptions


def test_rows_alone_are_a_scoreboard_too():
    Path("a.json").write_text(json.dumps([row(1, 7, problems=[]), row(2, 8, problems=[])]))
    found = podium.check("a.json", contest="old", time="2014-03-01").files[0]
    assert found.contests[0].players == ["7", "8"]
    assert found.understanding.format == "a scoreboard of the ICPC Contest API"


def test_what_the_file_calls_columns_is_what_was_read():
    Path("a.json").write_text(board(row(1, "7")))
    columns = podium.check("a.json", contest="x").files[0].understanding.columns
    called = {each.ours: each.theirs for each in columns}
    assert (called["player"], called["time"]) == ("team_id", "state.started")
