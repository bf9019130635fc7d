import json
from pathlib import Path

import podium

SAID = {"contest": "abc999", "time": "2026-03-01"}


def board(*rows):
    data = [
        {"Rank": rank, "UserScreenName": name, "TotalResult": {"Count": count, "Score": 100}}
        for rank, name, count in rows
    ]
    return json.dumps({"Fixed": True, "StandingsData": data})


def test_those_who_submitted_nothing_leave_no_gap():
    Path("a.json").write_text(board((1, "ann", 2), (2, "bob", 0), (3, "cat", 1)))
    assert podium.read("a.json", **SAID)[0].standings == [(1, "ann"), (2, "cat")]


def test_what_is_wrong_is_said_with_its_row(refusal):
    assert refusal("a.json", board((1, "ann", 2), (0, "bob", 1)), **SAID) == (
        "a.json, row 2: Rank 0 is not a whole number from 1 on."
    )
    assert refusal("a.json", '{"StandingsData": 3}', **SAID) == (
        "a.json: StandingsData should be a list, but is 3."
    )
    assert refusal("a.json", board((1, "ann", 0)), **SAID) == (
        "a.json: nobody has submitted anything."
    )


def test_those_who_are_not_rated_count_and_that_is_said():
    document = json.loads(board((1, "ann", 2), (2, "bob", 1)))
    document["StandingsData"][0]["IsRated"] = False
    Path("a.json").write_text(json.dumps(document))
    found = podium.check("a.json", **SAID).files[0]
    assert found.contests[0].players == ["ann", "bob"]
    said = "1 participant whom AtCoder does not rate counts, too."
    assert said in found.understanding.assumptions
    rows = [{"Place": 1, "UserScreenName": "ann", "IsRated": False}]
    Path("b.json").write_text(json.dumps(rows))
    assert said in podium.check("b.json", **SAID).files[0].understanding.assumptions
