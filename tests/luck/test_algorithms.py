"""The algorithms beside plain double sums, and beside each other."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from podium import PodiumError
from podium.luck import (
    Belief,
    BradleyTerry,
    CoinToss,
    Custom,
    CustomDrift,
    Heaviside,
    Laplace,
    LaplaceDrift,
    Logistic,
    NoDrift,
    NormalDrift,
    after_drift,
    after_match,
    after_matches,
    heaviside_sums,
    laplace_cdf_sums,
    laplace_density_sums,
)
from podium.luck.drifts import ByDistance
from tests.luck.strategies import (
    beliefs,
    beliefs_on,
    drifts,
    grids,
    laplace_like,
    luck_functions,
    mixtures,
    pairs_on_a_grid,
    scores,
    wins_and_losses,
)

IMPOSSIBLE = (
    "the result is impossible: the luck function gives it the chance 0 for all strengths that "
    "the players may have."
)


def plain_posterior(own, opponent, luck, score):
    """Eq. (1) and (7) term by term, or None if the result is impossible."""
    likelihoods = [
        math.fsum(
            q * float(luck(x, y)) ** score * float(luck(y, x)) ** (1.0 - score)
            for y, q in zip(opponent.points, opponent.probabilities, strict=True)
        )
        for x in own.points
    ]
    weights = [p * part for p, part in zip(own.probabilities, likelihoods, strict=True)]
    total = math.fsum(weights)
    return [weight / total for weight in weights] if total > 1e-290 else None


def plain_drift(belief, drift):
    """Eq. (8) term by term."""
    moved = [
        math.fsum(
            p * float(drift(x, y)) for x, p in zip(belief.points, belief.probabilities, strict=True)
        )
        for y in belief.points
    ]
    total = math.fsum(moved)
    return [part / total for part in moved]


def assert_close(found, expected):
    assert found.probabilities == pytest.approx(np.array(expected), rel=0.0, abs=1e-12)
    assert found.probabilities.min() >= 0.0
    assert found.probabilities.sum() == pytest.approx(1.0, abs=1e-14)


def matched_or_refused(*arguments, **options):
    """After a match, or None where Fourier transforms must say that rounding hides the result."""
    try:
        return after_match(*arguments, **options)
    except PodiumError as error:
        assert str(error) == (  # noqa: PT017
            "the algorithm 'fft' cannot see what is this unlikely, rounding hides it; "
            "'naive' and 'auto' can."
        )
        return None


@given(beliefs(8), beliefs(8), luck_functions, scores)
def test_every_pair_counts(one, other, luck, score):
    expected = (
        plain_posterior(one, other, luck, score),
        plain_posterior(other, one, luck, 1 - score),
    )
    assume(expected[0] is not None)
    for algorithm in ("naive", "auto"):
        found = after_match(one, other, luck, score, algorithm=algorithm)
        assert_close(found[0], expected[0])
        assert_close(found[1], expected[1])
        assert (found[0].points == one.points).all()
        assert (found[1].points == other.points).all()


@settings(max_examples=300)
@given(pairs_on_a_grid, luck_functions, scores)
def test_fourier_transforms_agree_with_all_pairs_or_say_so(pair, luck, score):
    try:
        naive = after_match(*pair, luck, score, algorithm="naive")
    except PodiumError as error:
        assert str(error) == IMPOSSIBLE  # noqa: PT017
        assume(False)
    for algorithm in ("fft", "auto"):
        found = matched_or_refused(*pair, luck, score, algorithm=algorithm)
        if algorithm == "auto" or found is not None:
            assert_close(found[0], naive[0].probabilities)
            assert_close(found[1], naive[1].probabilities)


@given(beliefs(), beliefs(), laplace_like, wins_and_losses)
def test_sweeps_agree_with_all_pairs_to_the_last_places(one, other, luck, score):
    try:
        naive = after_match(one, other, luck, score, algorithm="naive")
    except PodiumError:
        with pytest.raises(PodiumError, match="the result is impossible"):
            after_match(one, other, luck, score, algorithm="laplace")
        return
    found = after_match(one, other, luck, score, algorithm="laplace")
    for player in (0, 1):
        assert found[player].probabilities == pytest.approx(
            naive[player].probabilities, rel=1e-10, abs=1e-290
        )
        assert_close(found[player], naive[player].probabilities)
    assert after_match(one, other, luck, score) == found


def test_fourier_transforms_are_used_on_large_grids_and_trusted_only_where_they_may_be():
    strong, weak = Belief.normal(5.0, 0.05), Belief.normal(-5.0, 0.05)
    usual, upset = (strong, weak, Logistic()), (weak, strong, Logistic())
    assert after_match(*usual) == after_match(*usual, algorithm="fft")
    assert after_match(*upset) == after_match(*upset, algorithm="naive")
    assert matched_or_refused(*upset, algorithm="fft") is None
    lucky = weak, strong, CoinToss(Logistic(), 0.9)
    assert after_match(*lucky) == after_match(*lucky, algorithm="fft")


@given(pairs_on_a_grid, luck_functions, scores)
def test_swapping_the_players_swaps_the_beliefs(pair, luck, score):
    one, other = pair
    try:
        a, b = after_match(one, other, luck, score, algorithm="naive")
    except PodiumError:
        assume(False)
    swapped_b, swapped_a = after_match(other, one, luck, 1.0 - score, algorithm="naive")
    assert_close(swapped_a, a.probabilities)
    assert_close(swapped_b, b.probabilities)


@given(beliefs(), beliefs(), luck_functions)
def test_a_win_never_lowers_the_winner_nor_raises_the_loser(one, other, luck):
    assume(one.win_probability(other, luck) > 0.0)
    winner, loser = after_match(one, other, luck)
    assert winner.mean >= one.mean - 1e-12
    assert loser.mean <= other.mean + 1e-12


@given(beliefs(), beliefs())
def test_a_fair_coin_teaches_nothing(one, other):
    a, b = after_match(one, other, CoinToss(Heaviside(), 0.0))
    assert_close(a, one.probabilities)
    assert_close(b, other.probabilities)


matches = st.lists(st.tuples(beliefs(8), scores), max_size=5)


@given(beliefs(8), matches, luck_functions, st.randoms(use_true_random=False))
def test_matches_at_once_are_matches_one_by_one_in_any_order(own, results, luck, random):
    try:
        at_once = after_matches(own, results, CoinToss(luck, 0.9))
        one_by_one = own
        for opponent, score in random.sample(results, len(results)):
            one_by_one = after_match(one_by_one, opponent, CoinToss(luck, 0.9), score)[0]
    except PodiumError:
        assume(False)
    assert_close(at_once, one_by_one.probabilities)


def test_a_match_may_have_a_luck_function_of_its_own():
    own, rival = Belief.normal(0.0, 1.0), Belief.certain(0.5)
    mixed = after_matches(own, [(rival, 1), (rival, 0, Heaviside())], Logistic())
    first = after_match(own, rival, Logistic())[0]
    assert_close(mixed, after_match(first, rival, Heaviside(), 0.0)[0].probabilities)


def test_no_matches_change_nothing():
    assert after_matches(Belief.normal(0.0, 0.7), [], Logistic()).mean == pytest.approx(0.0)


def test_thousands_of_matches_neither_overflow_nor_underflow():
    own, rival = Belief.normal(0.0, 0.7), Belief.certain(0.0)
    after = after_matches(own, [(rival, 1), (rival, 0)] * 5_000, Logistic())
    assert after.mean == pytest.approx(0.0, abs=1e-9)
    assert after.sd == pytest.approx(1.0 / math.sqrt(10_000 / 4 + 1 / 0.49), rel=1e-3)


def test_matches_that_fourier_transforms_cannot_see_together_are_summed_directly():
    # Each result alone is likely; together they leave only strengths where one of them is not.
    points = Belief.grid(7.0, 281)
    own = Belief(points, np.where(np.abs(np.abs(points) - 6.0) < 0.01, 1.0, 0.0), normalise=True)
    low, high = Belief.certain(-6.0), Belief.normal(6.5, 0.01, points)
    results = [(high, 1.0), (low, 0.0, Heaviside())]
    steep = Logistic(0.15)
    by_pairs = after_matches(own, results, Custom(steep))
    assert_close(after_matches(own, results, steep), by_pairs.probabilities)


@settings(max_examples=300)
@given(st.one_of(beliefs(), grids.flatmap(beliefs_on)), drifts)
@example(Belief([0.0, 1000.0], [0.5, 0.5]), NormalDrift(1.0))
@example(Belief([0.0, 1e-242, 5e-211], [0.5, 0.25, 0.25]), NoDrift())
def test_drifts_are_double_sums_by_every_algorithm_that_applies(belief, drift):
    naive = after_drift(belief, drift, algorithm="naive")
    if len(belief.points) < 30:
        assert_close(naive, plain_drift(belief, drift))
    gaps = np.diff(belief.points)
    even = len(gaps) == 0 or np.ptp(gaps) <= 1e-12 * gaps.max()
    algorithms = ["auto"]
    algorithms += ["fft"] if even else []
    algorithms += [] if isinstance(drift, NormalDrift) else ["laplace"]
    for algorithm in algorithms:
        found = after_drift(belief, drift, algorithm=algorithm)
        assert_close(found, naive.probabilities)
        assert (found.points == belief.points).all()


@given(beliefs(), mixtures(LaplaceDrift))
def test_laplace_drifts_agree_to_the_last_places(belief, drift):
    naive = after_drift(belief, drift, algorithm="naive").probabilities
    swept = after_drift(belief, drift, algorithm="laplace").probabilities
    assert swept == pytest.approx(naive, rel=1e-11, abs=1e-290)


def test_a_drift_widens_a_belief_by_its_own_variance():
    belief = Belief.normal(0.5, 0.7)
    assert after_drift(belief, NormalDrift(0.3)).sd == pytest.approx(math.hypot(0.7, 0.3), rel=1e-9)
    assert after_drift(belief, NormalDrift(0.3)).mean == pytest.approx(0.5, rel=1e-9)


def test_without_a_drift_nothing_changes():
    belief = Belief([0.0, 1.0, 5.0], [0.2, 0.3, 0.5])
    for algorithm in ("auto", "naive", "laplace"):
        assert after_drift(belief, NoDrift(), algorithm=algorithm) == belief


def test_a_drift_of_your_own_leads_from_its_first_strength_to_its_second():
    upwards = CustomDrift(lambda x, y: np.where((y >= x) & (y <= x + 1.0), 1.0, 0.0))
    belief = Belief([0.0, 1.0, 2.0], [1.0, 0.0, 0.0])
    assert after_drift(belief, upwards).probabilities.tolist() == [0.5, 0.5, 0.0]


@dataclasses.dataclass(frozen=True)
class Jump(ByDistance):
    """Far away for sure, and hardly ever here."""

    here: float

    def of_distance(self, distance):
        return np.where(np.abs(distance) > 0.6, 1.0, self.here)


def test_a_drift_that_fourier_transforms_cannot_see_is_summed_directly():
    # From the middle of the points, all jumps lead beyond their ends.
    middle = Belief(np.linspace(0.0, 1.0, 101), [*[0.0] * 50, 1.0, *[0.0] * 50])
    assert after_drift(middle, Jump(1e-20)).probabilities == pytest.approx(
        1 / 101, rel=1e-12, abs=0.0
    )
    with pytest.raises(PodiumError, match="the algorithm 'fft' cannot see what is this unlikely"):
        after_drift(middle, Jump(1e-20), algorithm="fft")
    with pytest.raises(PodiumError) as refused:
        after_drift(middle, Jump(0.0))
    assert str(refused.value) == (
        "by the drift Jump(here=0.0) no strength of the belief leads to any of them."
    )


def test_points_are_even_up_to_rounding_only():
    for points in (np.arange(-7.0, 7.001, 0.014), np.linspace(3.0, 3.3, 1000), [4.0]):
        belief = Belief(points, np.ones(len(points)), normalise=True)
        after_match(belief, belief, Logistic(), algorithm="fft")
    uneven = Belief([0.0, 1.0 + 1e-9, 2.0], [0.25, 0.5, 0.25])
    with pytest.raises(PodiumError, match="needs beliefs on the same evenly spaced points"):
        after_match(uneven, uneven, Logistic(), algorithm="fft")


GRID, UNEVEN = Belief.normal(0.0, 1.0), Belief([0.0, 1.0, 5.0], [0.2, 0.3, 0.5])
LOW, HIGH = Belief.certain(0.0), Belief.certain(1.0)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: after_match(LOW, HIGH, Heaviside()), IMPOSSIBLE),
        (lambda: after_match(LOW, HIGH, Heaviside(), algorithm="naive"), IMPOSSIBLE),
        (lambda: after_match(HIGH, LOW, Heaviside(), 0.5), IMPOSSIBLE),
        (lambda: after_matches(LOW, [(LOW, 1), (HIGH, 1)], Heaviside()), IMPOSSIBLE),
        (
            lambda: after_match(GRID, UNEVEN, Logistic(), algorithm="fft"),
            "the algorithm 'fft' needs beliefs on the same evenly spaced points; "
            "'naive' takes any.",
        ),
        (
            lambda: after_match(UNEVEN, UNEVEN, Logistic(), algorithm="fft"),
            "the algorithm 'fft' needs beliefs on the same evenly spaced points; "
            "'naive' takes any.",
        ),
        (
            lambda: after_match(GRID, GRID, BradleyTerry(), algorithm="fft"),
            "the algorithm 'fft' needs a luck function of the difference of strengths alone, "
            "not BradleyTerry(); 'naive' takes any.",
        ),
        (
            lambda: after_match(GRID, GRID, CoinToss(Logistic(), 0.5), algorithm="laplace"),
            "the algorithm 'laplace' needs Laplace or Heaviside as the luck function, or a "
            "CoinToss of one, not CoinToss(game=Logistic(scale=1.0), beta=0.5).",
        ),
        (
            lambda: after_match(GRID, GRID, Laplace(), 0.5, algorithm="laplace"),
            "the algorithm 'laplace' takes wins and losses, scores of 1 and 0, not 0.5.",
        ),
        (
            lambda: after_match(GRID, GRID, Logistic(), algorithm="magic"),
            "there is no algorithm 'magic'; there are auto, naive, fft, laplace.",
        ),
        (
            lambda: after_match(GRID, GRID, Logistic(), 1.5),
            "a score must be a number from 0 to 1, not 1.5.",
        ),
        (
            lambda: after_match(GRID, GRID, Logistic(), "won"),
            "a score must be a number from 0 to 1, not 'won'.",
        ),
        (
            lambda: after_match("ann", GRID, Logistic()),
            "a Belief is needed, such as Belief.normal(0.0, 0.7), not 'ann'.",
        ),
        (
            lambda: after_match(GRID, "bob", Logistic()),
            "a Belief is needed, such as Belief.normal(0.0, 0.7), not 'bob'.",
        ),
        (
            lambda: after_match(GRID, GRID, 0.8),
            "a luck function is needed, such as Logistic() or Custom(function), not 0.8.",
        ),
        (
            lambda: after_matches(LOW, [LOW], Logistic()),
            "a result is (opponent, score) or (opponent, score, luck), not "
            "<Belief: 0.000 ± 0.000 on 1 point>.",
        ),
        (
            lambda: after_matches(LOW, [(LOW, 2.0)], Logistic()),
            "a score must be a number from 0 to 1, not 2.0.",
        ),
        (
            lambda: after_drift(GRID, 0.03),
            "a drift is needed, such as NormalDrift(0.03), not 0.03.",
        ),
        (
            lambda: after_drift(UNEVEN, NormalDrift(1.0), algorithm="fft"),
            "the algorithm 'fft' needs a belief on evenly spaced points; 'naive' takes any.",
        ),
        (
            lambda: after_drift(GRID, CustomDrift(np.equal), algorithm="fft"),
            "the algorithm 'fft' needs a drift by the distance alone, not "
            "CustomDrift(name='custom'); 'naive' takes any.",
        ),
        (
            lambda: after_drift(GRID, NormalDrift(1.0), algorithm="laplace"),
            "the algorithm 'laplace' needs LaplaceDrift or NoDrift as the drift, not "
            "NormalDrift(weights=(1.0,), sds=(1.0,)).",
        ),
        (
            lambda: after_drift(GRID, NormalDrift(1.0), algorithm="magic"),
            "there is no algorithm 'magic'; there are auto, naive, fft, laplace.",
        ),
        (lambda: heaviside_sums(0.5), "probabilities must be a list of finite numbers."),
        (
            lambda: laplace_cdf_sums([1.0], [0.5, 0.5], 1.0, [0.0]),
            "as many points as probabilities are needed, not 1 and 2.",
        ),
        (
            lambda: laplace_density_sums([1.0], [1.0], -1.0, [0.0]),
            "scale must be a number above 0, not -1.0.",
        ),
        (
            lambda: laplace_density_sums([1.0], [1.0], 1.0, [math.nan]),
            "at must be a list of finite numbers.",
        ),
    ],
)
def test_what_is_wrong_is_said(make, complaint):
    with pytest.raises(PodiumError) as refused:
        make()
    assert str(refused.value) == complaint


@given(beliefs(), st.lists(st.floats(-9.0, 9.0), max_size=9), st.randoms(use_true_random=False))
def test_sums_take_strengths_in_any_order(belief, at, random):
    order = random.sample(range(len(belief.points)), len(belief.points))
    shuffled = belief.points[order], belief.probabilities[order]
    luck, drift = Laplace(0.5), LaplaceDrift(0.5)
    for sums, term in ((laplace_cdf_sums, luck), (laplace_density_sums, drift)):
        expected = [
            math.fsum(p * float(term(y, x)) for x, p in zip(*shuffled, strict=True)) for y in at
        ]
        assert sums(*shuffled, 0.5, at) == pytest.approx(np.array(expected), rel=1e-12, abs=1e-300)


def test_steps_are_summed_in_the_order_given():
    assert heaviside_sums([0.5, 0.25, 0.25]).tolist() == [0.25, 0.625, 0.875]
