import json

import podium

SAID = {"contest": "spring", "time": "2026-03-01"}


def feed(*rows):
    return json.dumps({"tasks": [], "standings": rows})


def test_places_go_before_scores(tmp_path):
    path = tmp_path / "a.json"
    rows = [{"pos": 1, "team": "owls", "score": 1}, {"pos": 2, "team": "foxes", "score": 9}]
    path.write_text(feed(*rows))
    assert podium.read(path, **SAID)[0].players == ["owls", "foxes"]


def test_what_is_wrong_is_said_with_its_standing(refusal):
    both = {"pos": 1, "team": "owls"}, {"team": "foxes", "score": 3}
    assert refusal("a.json", feed(*both), **SAID) == "a.json, standing 2: pos is missing."
    assert refusal("a.json", feed({"team": "owls"}), **SAID) == (
        "a.json, standing 1: has neither pos nor score."
    )
    assert refusal("a.json", feed({"pos": 1, "team": 7}), **SAID) == (
        "a.json, standing 1: team should be a text, but is 7."
    )
    assert refusal("a.json", feed(), **SAID) == "a.json: there are no standings."


def test_the_standings_may_stand_alone(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('[{"pos": 1, "team": "owls"}, {"pos": 2, "team": "foxes"}]')
    assert podium.read(path, **SAID)[0].players == ["owls", "foxes"]
