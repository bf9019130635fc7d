import json
from pathlib import Path

import pytest

import podium


def match(number, winner, scores="2-0", **changes):
    values = {
        "id": number,
        "state": "complete",
        "player1_id": 1,
        "player2_id": 2,
        "winner_id": winner,
        "scores_csv": scores,
        "completed_at": f"2026-03-0{number}T10:00:00Z",
        **changes,
    }
    return {"match": values}


PLAYERS = [{"participant": {"id": n, "name": name}} for n, name in ((1, "ann"), (2, "bob"))]


def test_participants_beside_the_matches_give_names():
    Path("matches.json").write_text(json.dumps([match(1, 1), match(2, 2)]))
    Path("participants.json").write_text(json.dumps(PLAYERS))
    for path in ("matches.json", "."):
        assert [each.standings for each in podium.read(path)] == [
            [(1, "ann"), (2, "bob")],
            [(1, "bob"), (2, "ann")],
        ]


@pytest.mark.parametrize(
    ("scores", "winner", "given"),
    [
        ("3-1", 1, ["3", "1"]),
        ("11-9,8-11,11-2", 1, ["2", "1"]),
        ("1-1", None, ["1", "1"]),
        ("0--1", 1, ["0", "-1"]),
    ],
)
def test_sets_that_were_won_are_the_score(scores, winner, given):
    Path("a.json").write_text(json.dumps([match(1, winner, scores)]))
    assert podium.read("a.json").frame(given=True)["score"].to_list() == given


def test_what_was_not_played_is_left_out(refusal):
    Path("a.json").write_text(
        json.dumps([match(1, 1), match(2, None, state="open"), match(3, 1, forfeited=True)])
    )
    assert podium.read("a.json").ids.to_list() == ["1"]
    assert refusal("b.json", json.dumps([match(1, None, state="pending")])) == (
        "b.json: no match is complete."
    )


def test_what_is_wrong_is_said_with_its_match(refusal):
    assert refusal("a.json", json.dumps([match(1, 1), match(2, 7)])) == (
        "a.json, match 2: winner_id 7 is neither of the players."
    )
    assert refusal("a.json", json.dumps([match(1, 1, player1_id=None)])) == (
        "a.json, match 1: does not say who played."
    )
    assert refusal("a.json", json.dumps([match(1, 1, completed_at="soon")])) == (
        "a.json, match 1: completed_at 'soon' is not a time."
    )


def test_matches_and_participants_may_stand_without_a_name_around_them():
    Path("matches.json").write_text(json.dumps([match(1, 1)["match"]]))
    people = [{**each["participant"], "tournament_id": 7, "final_rank": 1} for each in PLAYERS]
    Path("participants.json").write_text(json.dumps(people))
    assert podium.read("matches.json")[0].standings == [(1, "ann"), (2, "bob")]


def tournament(number, *matches):
    records = {"participants": PLAYERS, "matches": matches}
    return {"tournament": {"id": number, "name": f"cup {number}", **records}}


def test_several_tournaments_may_be_in_a_folder(refusal):
    Path("c").mkdir()
    Path("c/a.json").write_text(json.dumps(tournament(1, match(1, 1), match(2, 1))))
    Path("c/b.json").write_text(json.dumps(tournament(2, match(3, 2))))
    contests = podium.read("c")
    assert [(each.id, each.name) for each in contests] == [
        ("1", "cup 1"),
        ("2", "cup 1"),
        ("3", "cup 2"),
    ]
    Path("c/matches.json").write_text(json.dumps([match(4, 2)]))
    assert refusal("c").endswith("holds several tournaments; keep each in a folder of its own.")


def test_files_of_tournaments_are_told_apart_by_their_numbers():
    Path("c").mkdir()
    for number in (1, 2):
        Path(f"c/{number}-t.json").write_text(json.dumps({"tournament": {"id": number}}))
        players = [
            {"participant": {**each["participant"], "tournament_id": number}} for each in PLAYERS
        ]
        Path(f"c/{number}-p.json").write_text(json.dumps(players))
        matches = [match(number, number, tournament_id=number)]
        Path(f"c/{number}-m.json").write_text(json.dumps(matches))
    assert [each.players for each in podium.read("c")] == [["ann", "bob"], ["bob", "ann"]]


def test_a_match_of_one_player_is_left_out():
    Path("a.json").write_text(json.dumps([match(1, 1), match(2, 1, player2_id=None)]))
    found = podium.check("a.json").files[0]
    assert found.contests.ids.to_list() == ["1"]
    assert "1 match of one player is left out." in found.understanding.assumptions


def test_scores_that_some_matches_lack_are_not_used_and_that_is_said():
    Path("a.json").write_text(json.dumps([match(1, 1), match(2, 1, scores="")]))
    found = podium.check("a.json").files[0]
    assert "score" not in found.contests.frame(given=True).columns
    said = "Scores and margins are not used, because 1 of 2 matches has none."
    assert said in found.understanding.assumptions
