import logging
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.evaluation.proposals import propose
from podium.systems import Between, OneOf

SPACE = {
    "x": Between(0.1, 10.0, log=True),
    "n": Between(1, 8, whole=True),
    "rule": OneOf(("map", "proportional", None)),
}


def some(count, seed=(0, 1), scored=(), running=(), highest=False):
    return propose(SPACE, scored, running, count=count, seed=seed, highest=highest)


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.integers(1, 5))
@settings(max_examples=20)
def test_proposals_lie_in_the_space(seed, first, count):
    proposed = some(count, (seed, first))
    assert len(proposed) == count
    for values in proposed:
        assert list(values) == list(SPACE)
        assert 0.1 <= values["x"] <= 10.0
        assert values["x"] == float(f"{values['x']:.4g}")
        assert values["n"] in range(1, 9)
        assert type(values["n"]) is int
        assert values["rule"] in ("map", "proportional", None)


def test_the_same_question_has_the_same_answer_and_another_seed_another():
    scored = [(values, values["x"]) for values in some(30)]
    running = some(5, (0, 31))
    asked = [some(10, (0, 41), scored, running) for _ in range(2)]
    assert asked[0] == asked[1]
    assert asked[0] != some(10, (1, 41), scored, running)
    assert asked[0] != some(10, (0, 42), scored, running)


def test_what_is_being_tried_is_left_to_itself():
    scored = [(values, values["x"]) for values in some(30)]
    running = some(5, (0, 31))
    assert some(10, (0, 41), scored, running) != some(10, (0, 41), scored)


def test_fewer_proposals_are_the_first_of_more():
    scored = [(values, values["x"]) for values in some(30)]
    assert some(10, (0, 31), scored)[:3] == some(3, (0, 31), scored)


@pytest.mark.parametrize("highest", [False, True])
def test_what_was_good_is_looked_at_closer(highest):
    sign = -1.0 if highest else 1.0
    scored = [
        (values, sign * abs(math.log(values["x"] / 3.0))) for values in some(60, highest=highest)
    ]
    proposed = some(20, (0, 61), scored, highest=highest)
    assert sum(1.5 <= values["x"] <= 6.0 for values in proposed) >= 14


def test_failures_infinite_scores_and_values_from_outside_are_no_obstacle():
    scored = [(values, values["x"]) for values in some(20)]
    scored += [
        (some(1, (9, 9))[0], None),
        (some(1, (9, 10))[0], math.inf),
        ({"x": 100.0, "n": 1, "rule": "map"}, 0.0),
        ({"x": None, "n": 1, "rule": "map"}, 0.0),
    ]
    assert len(some(5, (0, 25), scored)) == 5


def test_nobody_hears_of_optuna(capfd):
    some(3)
    assert capfd.readouterr() == ("", "")
    assert logging.getLogger("optuna").level != logging.ERROR
