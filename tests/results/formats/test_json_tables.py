import json
from pathlib import Path

import pytest

import podium

ROWS = [{"player": "ann", "rank": 1}, {"player": "bob", "rank": 2}]


@pytest.mark.parametrize("key", ["results", "standings", "rows", "data"])
def test_what_stands_around_the_rows_names_the_contest(key):
    Path("a.json").write_text(json.dumps({"name": "spring", "date": "2026-03-01", key: ROWS}))
    contest = podium.read("a.json")[0]
    assert (contest.id, str(contest.time.date())) == ("spring", "2026-03-01")
    assert contest.standings == [(1, "ann"), (2, "bob")]


def test_rows_that_name_their_contest_are_believed():
    rows = [{**row, "contest": "own", "time": "2026-03-02"} for row in ROWS]
    Path("a.json").write_text(json.dumps({"contest": "x", "time": "2026-03-01", "results": rows}))
    assert podium.read("a.json").ids.to_list() == ["own"]


def test_columns_may_have_other_names():
    rows = [{"who": "ann", "rank": 1}, {"who": "bob", "rank": 2}]
    Path("a.json").write_text(json.dumps(rows))
    contests = podium.read("a.json", columns={"player": "who"}, contest="c", time="2026-03-01")
    assert contests[0].players == ["ann", "bob"]


def test_what_is_wrong_is_said_with_its_row(refusal):
    rows = [*ROWS, {"player": "cat", "rank": 0}]
    assert refusal("a.json", json.dumps(rows), contest="c", time="2026-03-01") == (
        "a.json, row 3: rank 0 is not a whole number from 1 on."
    )
