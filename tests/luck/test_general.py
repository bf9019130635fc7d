"""The general model, and beliefs on numbers as a case of it."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from podium import PodiumError
from podium.luck import (
    CustomDrift,
    Knowledge,
    Logistic,
    Performance,
    after_drift,
    after_match,
    after_matches,
)
from tests.luck.strategies import beliefs, luck_functions, scores


def odds(x, y):
    return Fraction(x, x + y)


def stronger(x, y):
    return 0.5 if x == y else float(x > y)


def white(x, y):
    return odds(x, y) + Fraction(1, 50) * odds(y, x)


def black(x, y):
    return 1 - white(y, x)


@st.composite
def distributions(draw, kind, outcomes):
    given_outcomes = draw(st.lists(outcomes, min_size=1, max_size=4))
    weights = [draw(st.integers(1, 9)) for _ in given_outcomes]
    total = sum(weights)
    return kind(
        (outcome, Fraction(weight, total))
        for outcome, weight in zip(given_outcomes, weights, strict=True)
    )


performances = distributions(Performance, st.integers(1, 20))
knowledges = distributions(Knowledge, performances)


@given(performances, performances)
def test_average_scores_of_both_sum_to_1_exactly(one, other):
    expected = sum(p * q * odds(x, y) for x, p in one.pairs for y, q in other.pairs)
    assert one.average_score(other, odds) == expected
    assert one.average_score(other, odds) + other.average_score(one, odds) == 1


@given(knowledges, knowledges)
def test_expected_scores_of_both_sum_to_1_exactly(one, other):
    expected = sum(
        p * q * mu.average_score(nu, odds) for mu, p in one.pairs for nu, q in other.pairs
    )
    assert one.expected_score(other, odds) == expected
    assert one.expected_score(other, odds) + other.expected_score(one, odds) == 1


@given(knowledges, knowledges)
def test_the_next_expectation_is_fair_before_the_match(one, other):
    chance = one.expected_score(other, odds)
    won, lost = one.after_match(other, odds), one.after_match(other, odds, score=0)
    for performance, share in one.pairs:
        mean = chance * won.probability(performance) + (1 - chance) * lost.probability(performance)
        assert mean == share


@given(knowledges, st.lists(st.tuples(knowledges, st.sampled_from([0, 1])), max_size=3))
def test_matches_at_once_are_matches_one_by_one_exactly(own, results):
    one_by_one = own
    for opponent, score in reversed(results):
        one_by_one = one_by_one.after_match(opponent, odds, score)
    assert own.after_matches(results, odds) == one_by_one


def test_a_draw_is_half_a_win_and_half_a_loss():
    own = Knowledge.of_strengths({1: 0.5, 3: 0.5})
    found = own.after_match(Knowledge.of_strengths({1: 1.0}), odds, score=0.5).strengths()
    weights = [0.5, math.sqrt(0.75 * 0.25)]
    assert found == pytest.approx({1: weights[0] / sum(weights), 3: weights[1] / sum(weights)})


def test_a_score_between_compares_performances_not_strengths():
    moody, rival = Performance({1: 0.5, 9: 0.5}), Performance.certain(4)
    own = Knowledge({moody: 0.5, Performance.certain(4): 0.5})
    found = own.after_match(Knowledge.certain(rival), stronger, score=0.25)
    assert found.probability(moody) == pytest.approx(0.5, rel=1e-15, abs=0.0)


@given(performances, performances)
def test_sides_have_luck_functions_of_their_own(one, other):
    score = one.average_score(other, white, black)
    assert score + other.average_score(one, black, white) == 1
    assert score > one.average_score(other, odds)
    with pytest.raises(PodiumError, match="give `theirs` too if the two sides of the game differ"):
        one.average_score(other, white)


def test_a_win_with_the_worse_side_says_more():
    own, rival = Knowledge.of_strengths({1: 0.5, 3: 0.5}), Knowledge.of_strengths({2: 1})
    with_white = own.after_match(rival, white, theirs=black).strengths()
    with_black = own.after_match(rival, black, theirs=white).strengths()
    assert with_black[3] > with_white[3] > 0.5
    both = own.after_matches([(rival, 1, white, black), (rival, 1, black, white)], odds)
    one_by_one = own.after_match(rival, white, theirs=black).after_match(rival, black, 1, white)
    assert both.strengths() == pytest.approx(one_by_one.strengths(), rel=1e-14, abs=0.0)
    plain = own.after_matches([(rival, 1, odds)], None)
    assert plain == own.after_match(rival, odds)


def test_a_drift_adds_up_what_becomes_the_same():
    def one_more(performance):
        ((strength, _),) = performance.pairs
        half = Fraction(1, 2)
        return Knowledge.of_strengths({strength: half, strength + 1: half})

    own = Knowledge.of_strengths({1: Fraction(1, 3), 2: Fraction(2, 3)})
    assert own.after_drift(one_more).strengths() == {
        1: Fraction(1, 6),
        2: Fraction(1, 2),
        3: Fraction(1, 3),
    }


def as_knowledge(belief):
    return Knowledge.of_strengths(
        zip(belief.points.tolist(), belief.probabilities.tolist(), strict=True)
    )


def assert_same(belief, knowledge):
    expected = knowledge.strengths()
    assert belief.points.tolist() == list(expected)
    assert belief.probabilities == pytest.approx(list(expected.values()), rel=0.0, abs=1e-12)


@given(beliefs(6), beliefs(6), luck_functions, scores)
def test_beliefs_are_knowledge_of_steady_players(one, other, luck, score):
    ann, bob = as_knowledge(one), as_knowledge(other)
    expected = ann.expected_score(bob, luck)
    assert one.win_probability(other, luck) == pytest.approx(float(expected), abs=1e-12)
    try:
        after = after_match(one, other, luck, score)
    except PodiumError:
        with pytest.raises(PodiumError, match="the result is impossible"):
            ann.after_match(bob, luck, score)
        return
    assert_same(after[0], ann.after_match(bob, luck, score))
    assert_same(after[1], bob.after_match(ann, luck, 1.0 - score))


@given(beliefs(6), st.lists(st.tuples(beliefs(4), scores), max_size=3), st.floats(0.1, 3.0))
def test_several_matches_of_beliefs_are_those_of_knowledge(own, results, scale):
    luck = Logistic(scale)
    known = [(as_knowledge(opponent), score) for opponent, score in results]
    assert_same(after_matches(own, results, luck), as_knowledge(own).after_matches(known, luck))


@given(beliefs(6), st.integers(0, 999))
def test_drifts_of_beliefs_are_kernels_of_knowledge(belief, seed):
    assume(len(belief.points) > 1)
    moves = np.random.default_rng(seed).dirichlet(np.ones(len(belief.points)), len(belief.points))
    number = {strength: index for index, strength in enumerate(belief.points.tolist())}

    def kernel(performance):
        row = moves[number[performance.pairs[0][0]]].tolist()
        return Knowledge.of_strengths(zip(number, row, strict=True))

    drift = CustomDrift(np.vectorize(lambda x, y: moves[number[x], number[y]]))
    assert_same(after_drift(belief, drift), as_knowledge(belief).after_drift(kernel))


def test_strengths_may_be_anything():
    beats = {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")}

    def game(x, y):
        return 0.5 if x == y else float((x, y) in beats)

    rock, any_of_them = Performance.certain("rock"), Performance(dict.fromkeys(
        ["rock", "paper", "scissors"], Fraction(1, 3)
    ))  # fmt: skip
    assert any_of_them.average_score(rock, game) == pytest.approx(0.5)
    lists = Knowledge.of_strengths([([1, 2], 0.5), ([3, 4], 0.5)])
    after = lists.after_match(Knowledge.of_strengths([([2, 3], 1)]), stronger)
    assert [(mu.pairs[0][0], share) for mu, share in after.pairs] == [([1, 2], 0.0), ([3, 4], 1.0)]


def test_equal_outcomes_count_as_one_and_order_does_not_count():
    one = Performance([(1, 0.25), (2, 0.5), (1, 0.25)])
    assert one.pairs == ((1, 0.5), (2, 0.5))
    assert one == Performance({2: 0.5, 1: 0.5})
    assert hash(one) == hash(Performance({2: Fraction(1, 2), 1: 0.5}))
    assert one != Performance({2: 0.75, 1: 0.25})
    assert one != Performance.certain(2)
    assert Performance.certain(2) != Knowledge.of_strengths({2: 1})
    assert (one.probability(2), one.probability(7)) == (0.5, 0)


def test_weights_are_scaled_if_asked_and_stay_exact():
    scaled = Performance({"a": Fraction(2), "b": Fraction(4)}, normalise=True)
    assert scaled.pairs == (("a", Fraction(1, 3)), ("b", Fraction(2, 3)))
    assert Knowledge.of_strengths({1: 1, 2: 3}, normalise=True).strengths() == {1: 0.25, 2: 0.75}


def test_repr_shows_what_was_given():
    assert repr(Performance({1: 0.5, "b": Fraction(1, 2)})) == "Performance({1: 0.5, 'b': 1/2})"
    assert repr(Knowledge.of_strengths({3: 1})) == "Knowledge({Performance({3: 1}): 1})"


ONE = Knowledge.of_strengths({1: 1})


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (
            lambda: Performance({1: 0.5}),
            "Performance: probabilities must sum to 1, not 0.5; normalise=True scales them.",
        ),
        (
            lambda: Performance({}, normalise=True),
            "Performance: probabilities must sum to 1, not 0; normalise=True scales them.",
        ),
        (
            lambda: Performance({1: 1.5, "b": -0.5}),
            "Performance: probabilities must be at least 0, not -0.5 for 'b'.",
        ),
        (
            lambda: Performance([1, 2]),
            "Performance: a dict from outcomes to probabilities is needed, or pairs of them, "
            "not [1, 2].",
        ),
        (
            lambda: Performance({1: "all"}),
            "Performance: a dict from outcomes to probabilities is needed, or pairs of them, "
            "not {1: 'all'}.",
        ),
        (lambda: Knowledge({3: 1.0}), "a Performance is needed, not 3."),
        (
            lambda: Performance.certain(1).average_score(2, odds),
            "a Performance is needed, not 2.",
        ),
        (lambda: ONE.expected_score(2, odds), "a Knowledge is needed, not 2."),
        (lambda: ONE.after_match(2, odds), "a Knowledge is needed, not 2."),
        (lambda: ONE.after_match(ONE, odds, 2), "a score must be a number from 0 to 1, not 2."),
        (
            lambda: ONE.after_match(ONE, odds, "won"),
            "a score must be a number from 0 to 1, not 'won'.",
        ),
        (
            lambda: ONE.after_matches([ONE], odds),
            "a result is (opponent, score), (opponent, score, luck) or "
            "(opponent, score, luck, theirs), not Knowledge({Performance({1: 1}): 1}).",
        ),
        (lambda: ONE.after_drift(lambda performance: performance), "a Knowledge is needed, "
         "not Performance({1: 1})."),
        (
            lambda: ONE.after_match(Knowledge.of_strengths({2: 1}), lambda x, y: x - y),
            "the luck function gives -1 for the strengths 1 and 2, "
            "which is not a chance from 0 to 1.",
        ),
        (
            lambda: ONE.after_match(Knowledge.of_strengths({2: 1}), lambda *_: 0.25),
            "the luck function is not symmetric: 1 beats 2 with 0.25, and 2 beats 1 with 0.25, "
            "which must sum to 1; give `theirs` too if the two sides of the game differ.",
        ),
        (
            lambda: ONE.after_match(ONE, white, theirs=white),
            "the luck function is not symmetric: 1 beats 1 with 51/100, and 1 beats 1 with "
            "51/100, which must sum to 1.",
        ),
        (
            lambda: ONE.after_match(Knowledge.of_strengths({2: 1}), stronger),
            "the result is impossible: the luck function gives it the chance 0 for all "
            "performances that the players may have.",
        ),
        (
            lambda: Knowledge.certain(Performance({1: 0.5, 2: 0.5})).strengths(),
            "only knowledge of players who always show the same strength has strengths.",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(make, complaint):
    with pytest.raises(PodiumError) as refused:
        make()
    assert str(refused.value) == complaint
