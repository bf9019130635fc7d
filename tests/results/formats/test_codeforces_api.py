"""Answers of the Codeforces API."""

import json
from pathlib import Path
from typing import Any

import pytest

from podium.results.reading import read


def party(*handles: str, type: str = "CONTESTANT", **more: Any) -> dict[str, Any]:
    members = [{"handle": handle} for handle in handles]
    return {"contestId": 566, "members": members, "participantType": type, "ghost": False, **more}


def standings(*rows: tuple[dict[str, Any], int]) -> dict[str, Any]:
    contest = {"id": 566, "name": "VK Cup", "startTimeSeconds": 1438273200, "phase": "FINISHED"}
    listed = [{"party": party, "rank": rank, "points": 100.0} for party, rank in rows]
    return {"status": "OK", "result": {"contest": contest, "problems": [], "rows": listed}}


def change(handle: str, rank: int, **more: Any) -> dict[str, Any]:
    return {
        "contestId": 566,
        "contestName": "VK Cup",
        "handle": handle,
        "rank": rank,
        "ratingUpdateTimeSeconds": 1438284000,
        "oldRating": 1500,
        "newRating": 1600,
        **more,
    }


def save(path: str, document: Any) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps(document))


def test_standings_hold_a_contest():
    save("a.json", standings((party("tourist"), 1), (party("Petr"), 2), (party("rng_58"), 2)))
    contests = read("a.json")
    assert contests[0].id == "566"
    assert contests[0].standings == [(1, "tourist"), (2, "Petr"), (2, "rng_58")]
    assert str(contests[0].time) == "2015-07-30 16:20:00"
    assert contests.frame().columns == ["contest", "time", "player", "rank", "name"]


@pytest.mark.parametrize("type", ["PRACTICE", "VIRTUAL", "OUT_OF_COMPETITION", "MANAGER"])
def test_only_official_contestants_count_and_the_ranks_close_up(type):
    rows = [(party("guest", type=type), 1), (party("ann"), 2), (party("bob"), 5), (party("cat"), 5)]
    save("a.json", standings(*rows))
    assert read("a.json")[0].standings == [(1, "ann"), (2, "bob"), (2, "cat")]


def test_members_of_a_team_share_its_rank():
    rows = [
        (party("ann", "bob", teamName="Owls", teamId=1), 1),
        (party("cat", "dan"), 2),
        (party("eve"), 3),
    ]
    save("a.json", standings(*rows))
    contests = read("a.json")
    assert contests.frame().select("player", "rank", "team").rows() == [
        ("ann", 1, "Owls"),
        ("bob", 1, "Owls"),
        ("cat", 3, "cat, dan"),
        ("dan", 3, "cat, dan"),
        ("eve", 5, None),
    ]


def test_teams_of_one_name_are_told_apart():
    rows = [
        (party("ann", "bob", teamName="Owls"), 1),
        (party("cat", "dan", teamName="Owls"), 1),
    ]
    save("a.json", standings(*rows))
    assert read("a.json").frame()["team"].unique().sort().to_list() == ["ann, bob", "cat, dan"]


def test_rating_changes_hold_a_contest():
    save("a.json", {"status": "OK", "result": [change("bob", 4), change("ann", 1)]})
    contests = read("a.json")
    assert contests[0].id == "566"
    assert contests[0].standings == [(1, "ann"), (2, "bob")]
    assert str(contests[0].time) == "2015-07-30 19:20:00"
    assert contests.frame()["name"].unique().to_list() == ["VK Cup"]


def test_a_folder_may_mix_answers_and_contest_files():
    save("season/one.json", standings((party("ann", "bob"), 1), (party("cat"), 2)))
    save("season/two.json", {"status": "OK", "result": [change("ann", 1, contestId=7)]})
    save("season/cf_1.json", {"time_seconds": 5, "standings": [["ann", 0, 0]], "weight": 2.0})
    contests = read("season")
    assert [contest.id for contest in contests] == ["cf_1", "566", "7"]
    assert [contest.weight for contest in contests] == [2.0, 1.0, 1.0]
    assert contests.frame()["team"].to_list() == [None, "ann, bob", "ann, bob", None, None]


def test_standings_and_rating_changes_of_one_contest_are_not_counted_twice(refusal):
    save("season/a.json", standings((party("ann"), 1)))
    save("season/b.json", {"status": "OK", "result": [change("ann", 1)]})
    assert refusal("season") == (
        "season/b.json: contest '566' is already in season/a.json; each contest stands in one file."
    )


def test_a_failed_answer_is_quoted(refusal):
    answer = {"status": "FAILED", "comment": "contestId: Contest with id 1 not found"}
    save("a.json", answer)
    assert refusal("a.json") == (
        "a.json: Codeforces answered FAILED (contestId: Contest with id 1 not found)."
    )


def test_an_answer_without_official_contestants(refusal):
    save("a.json", standings((party("ann", type="PRACTICE"), 0)))
    assert refusal("a.json") == ("a.json: no row is of an official contestant (type CONTESTANT).")
    save("a.json", {"status": "OK", "result": []})
    assert refusal("a.json") == ("a.json: there are no rating changes; the contest may be unrated.")


def test_an_answer_to_another_question(refusal):
    save("a.json", {"status": "OK", "result": {"handle": "ann"}})
    assert refusal("a.json") == (
        "a.json: its result is neither that of contest.standings (with 'contest' and 'rows') nor "
        "that of contest.ratingChanges (a list)."
    )
    save("a.json", {"status": "OK", "result": [{"handle": "ann"}]})
    assert refusal("a.json") == (
        "a.json, rating change 1: contestId should be a whole number, but is missing."
    )


def test_a_contest_that_has_not_begun(refusal):
    answer = standings((party("ann"), 1))
    del answer["result"]["contest"]["startTimeSeconds"]
    save("a.json", answer)
    assert refusal("a.json") == (
        "a.json: startTimeSeconds should be a whole number, but is missing."
    )


@pytest.mark.parametrize(
    ("rank", "sentence"),
    [
        (0, "rank 0 is not a whole number from 1 on."),
        (1.5, "rank should be a whole number, but is 1.5."),
        ("1", "rank should be a whole number, but is '1'."),
        (None, "rank should be a whole number, but is missing."),
        ([1], "rank should be a whole number, but is a list."),
    ],
)
def test_a_rank_that_is_none(refusal, rank, sentence):
    save("a.json", standings((party("guest", type="PRACTICE"), 0), (party("ann"), rank)))
    assert refusal("a.json") == f"a.json, row 2: {sentence}"
    save("a.json", {"status": "OK", "result": [change("ann", rank)]})
    assert refusal("a.json") == f"a.json, rating change 1: {sentence}"


def test_a_name_that_is_none(refusal):
    save("a.json", standings((party("ann", "bob", teamName=["Owls"]), 1)))
    assert refusal("a.json") == "a.json, row 1: teamName should be a text, but is a list."
    save("a.json", {"status": "OK", "result": [change("ann", 1, contestName=7)]})
    assert refusal("a.json") == "a.json, rating change 1: contestName should be a text, but is 7."


def test_a_player_twice_is_found_in_the_row_of_the_answer(refusal):
    rows = [(party("guest", type="VIRTUAL"), 1), (party("ann", "bob"), 1), (party("ann"), 2)]
    save("a.json", standings(*rows))
    assert refusal("a.json") == (
        "a.json, row 3: player 'ann' stands twice in contest '566'; each player has one result."
    )


def test_a_late_change_does_not_move_its_contest():
    late = change("bob", 2, ratingUpdateTimeSeconds=1438284000 + 4 * 3600)
    for changes in ([change("ann", 1), late], [late, change("ann", 1)]):
        save("a.json", {"status": "OK", "result": changes})
        assert str(read("a.json")[0].time) == "2015-07-30 19:20:00"


def test_a_time_in_other_units(refusal):
    save("a.json", {"status": "OK", "result": [change("ann", 1, ratingUpdateTimeSeconds=10**15)]})
    assert refusal("a.json") == (
        "a.json, rating change 1: ratingUpdateTimeSeconds 1000000000000000 is not in unix seconds."
    )


def test_a_handle_that_changed_twice_counts_at_the_better_rank():
    changes = [change("bob", 5), change("ann", 2), change("bob", 1), change("bob", 3)]
    save("a.json", {"status": "OK", "result": changes})
    assert read("a.json")[0].standings == [(1, "bob"), (2, "ann")]
