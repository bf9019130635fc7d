"""Results of CTFtime."""

import json
from pathlib import Path
from typing import Any

import pytest

from podium.results.reading import read


def score(team: Any, place: Any) -> dict[str, Any]:
    return {"team_id": team, "points": "2571.0000", "place": place}


def event(*scores: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"title": "Spring CTF", "time": 1710000000.0, "scores": list(scores), **more}


def save(path: str, document: Any) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps(document))


def test_a_file_holds_many_events():
    first = event(score(4, 1), score(77, 2), score(9, 2), score(5, 4), title=" Größe ")
    save("2024.json", {"2230": first, "2231": event(score(9, 1), time=1710000001)})
    contests = read("2024.json")
    assert [contest.id for contest in contests] == ["2230", "2231"]
    assert contests[0].standings == [(1, "4"), (2, "77"), (2, "9"), (4, "5")]
    assert contests[0].name == "Größe"
    assert str(contests[0].time) == "2024-03-09 16:00:00"
    assert str(contests[1].time) == "2024-03-09 16:00:01"


def test_places_count_by_their_order_whatever_the_order_of_scores():
    save("a.json", {"1": event(score(3, 10), score(1, 2), score(2, 7))})
    assert read("a.json")[0].standings == [(1, "1"), (2, "2"), (3, "3")]


def test_a_team_that_stands_twice_counts_at_the_better_place():
    save("a.json", {"1": event(score(1, 3), score(2, 2), score(1, 1), score(1, 4))})
    assert read("a.json")[0].standings == [(1, "1"), (2, "2")]


def test_organisers_and_events_without_scores_are_passed_over():
    save("a.json", {"1": event(score(9, 0), score(2, 1)), "2": event(time=None)})
    contests = read("a.json")
    assert [contest.standings for contest in contests] == [[(1, "2")]]


def test_a_part_of_a_second_is_rounded():
    save("a.json", {"1": event(score(1, 1), time=1710000000.6)})
    assert str(read("a.json")[0].time) == "2024-03-09 16:00:01"


def test_a_year_without_scores(refusal):
    save("a.json", {"1": event(), "2": event(score(1, 0))})
    assert refusal("a.json") == "a.json: no event has scores."


def test_an_event_in_two_files_is_not_counted_twice(refusal):
    save("events/2023.json", {"1": event(score(1, 1))})
    save("events/2024.json", {"2": event(score(1, 1)), "1": event(score(1, 1))})
    assert refusal("events") == (
        "events/2024.json: contest '1' is already in events/2023.json; "
        "each contest stands in one file."
    )


@pytest.mark.parametrize(
    "document",
    [{}, {"a": event()}, {"1": event(), "²": event()}, {"1": 7}, {"1": {"title": "a"}}],
)
def test_other_keys_are_something_else(refusal, document):
    save("a.json", document)
    assert refusal("a.json", format="ctftime").startswith(
        "a.json: is not results of CTFtime (with 'title' and 'scores' by the events' numbers)"
    )


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (score(1, -1), ", score 2: place -1 is not a whole number from 0 on."),
        (score(1, 2**31), ", score 2: place 2147483648 is not a whole number from 0 on."),
        (score(1, 1.5), ", score 2: place should be a whole number, but is 1.5."),
        (score(1, None), ", score 2: place should be a whole number, but is missing."),
        (score("x", 1), ", score 2: team_id should be a whole number, but is 'x'."),
        (score(True, 1), ", score 2: team_id should be a whole number, but is True."),
        (7, ", score 2: team_id should be a whole number, but is missing."),
    ],
)
def test_a_score_that_is_none(refusal, wrong, sentence):
    save("a.json", {"12": event(score(4, 1), wrong)})
    assert refusal("a.json") == f"a.json, event 12{sentence}"


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"scores": {}}, "scores should be a list, but is an object."),
        ({"title": 7}, "title should be a text, but is 7."),
        ({"time": None}, "time should be a whole number, but is missing."),
        ({"time": "noon"}, "time should be a whole number, but is 'noon'."),
        ({"time": 1e15}, "time 1000000000000000.0 is not in unix seconds."),
        ({"time": float("nan")}, "time nan is not in unix seconds."),
        ({"time": float("inf")}, "time inf is not in unix seconds."),
    ],
)
def test_an_event_that_is_none(refusal, more, sentence):
    save("a.json", {"12": {**event(score(4, 1)), **more}})
    assert refusal("a.json") == f"a.json, event 12: {sentence}"
