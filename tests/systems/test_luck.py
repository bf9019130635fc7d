"""Luck: against plain code, the paper's limits and special cases, wrong input, storage, periods."""

import contextlib
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium import Beliefs, Contests, Ladder, PodiumError, luck
from podium.luck.functions import POINTS_PER_STRENGTH
from podium.systems import Luck
from tests.comparing import assert_same_beliefs
from tests.systems.plain_luck import Luck as PlainLuck

DAY = 86_400
NAMES = ["ann", "bob", "cat", "dan"]
ALGORITHMS = ("auto", "naive", "fft", "laplace", "chebyshev")


@st.composite
def matches(draw):
    """First, second, score of the first, side of the first, day, weight."""
    first, second = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True))
    return (
        first,
        second,
        draw(st.sampled_from([1.0, 1.0, 0.0, 0.5, 0.7])),
        draw(st.sampled_from([0, 1, -1])),
        draw(st.sampled_from([0.0, 0.0, 1.0, 30.0])),
        draw(st.sampled_from([1.0, 1.0, 0.5, 3.0])),
    )


@st.composite
def seasons(draw):
    """Matches in the order of their days."""
    played = draw(st.lists(matches(), min_size=1, max_size=10))
    day, season = 0.0, []
    for first, second, theta, side, passed, weight in played:
        day += passed
        season.append((first, second, theta, side, day, weight))
    return season


def recorded(system, season):
    ladder = Ladder(system)
    for first, second, theta, side, day, weight in season:
        home = {1: first, 0: None, -1: second}[side]
        ladder.record([first, second], score=theta, home=home, time=day * DAY, weight=weight)
    return ladder


def in_order(season):
    """With the winner first, as results are recorded; a side goes with its player."""
    turned = []
    for first, second, theta, side, day, weight in season:
        if theta < 0.5 or (theta == 0.5 and first > second):
            first, second, theta, side = second, first, 1.0 - theta, -side
        turned.append((first, second, theta, side, day, weight))
    return turned


def probabilities(ladder):
    return np.stack([ladder.belief(name).probabilities for name in ladder])


def built(**parameters):
    """The system, or None if the algorithm does not apply to the luck function."""
    with contextlib.suppress(PodiumError):
        return Luck(**parameters)
    return None


@settings(max_examples=100)
@given(
    season=seasons(),
    luck_name=st.sampled_from(["logistic", "normal", "laplace", "heaviside", "draw-margin"]),
    parameters=st.fixed_dictionaries(
        {
            "beta": st.sampled_from([0.8, 0.99, 0.3]),
            "scale": st.sampled_from([1.0, 2.3]),
            "side_advantage": st.sampled_from([0.0, 0.33]),
            "drift": st.sampled_from(["normal", "laplace", "none"]),
            "drift_sd": st.sampled_from([0.1, 0.6]),
            "drift_per_day": st.sampled_from([0.0, 0.004, 0.0002]),
            "period_days": st.sampled_from([0.0, 7.0]),
            "prior_mean": st.sampled_from([0.0, 0.7]),
            "points": st.sampled_from([61, 80]),
            "reach": st.just(4.0),
        }
    ),
)
def test_every_algorithm_agrees_with_plain_code_in_every_probability(season, luck_name, parameters):
    parameters = {"luck": luck_name, **parameters}
    plain = PlainLuck(**parameters).play(in_order(season))
    for algorithm in ALGORITHMS:
        system = built(algorithm=algorithm, **parameters)
        if system is None:
            assert algorithm in ("laplace", "chebyshev")
            continue
        ladder = recorded(system, season)
        for name in ladder:
            found = ladder.belief(name).probabilities
            assert found == pytest.approx(plain.now[name], abs=1e-12, rel=0.0), algorithm
            assert (found >= 0.0).all()
            assert found.sum() == pytest.approx(1.0, abs=1e-14)
            mu, sigma = plain.rating(name)
            assert ladder[name].mu == pytest.approx(mu, abs=1e-9, rel=0.0)
            assert ladder[name].sigma == pytest.approx(sigma, abs=1e-8, rel=0.0)
        first, second = list(ladder)[:2]
        for side, called in ((0, None), (1, "home"), (-1, "away")):
            expected = plain.expected(first, second, side)
            given_ = ladder.win_probability(first, second, side=called)
            assert given_ == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("algorithm", ["auto", "fft"])
@pytest.mark.parametrize("name", ["logistic", "normal", "capped-logistic"])
def test_results_that_are_all_but_impossible_are_as_exact(name, algorithm):
    """Where the evidence is tiny, a rounding error of a quick sum would be all there is."""
    parameters = {"luck": name, "beta": 1.0, "prior_sd": 0.4, "points": 201, "reach": 8.0}
    season = [("ann", "bob", 1.0, 0, 0.0, 1.0)] * 12 + [("cat", "ann", 1.0, 0, 0.0, 1.0)]
    upset = [("bob", "ann", 1.0, 0, 0.0, 20.0), ("bob", "cat", 0.5, 0, 0.0, 1.0)]
    parameters["drift_sd"] = 1.0
    plain = PlainLuck(**parameters).play(season + upset)
    ladder = recorded(Luck(algorithm=algorithm, **parameters), season + upset)
    for player in ladder:
        assert ladder.belief(player).probabilities == pytest.approx(
            plain.now[player], abs=1e-12, rel=0.0
        )


def test_far_apart_a_win_of_the_weaker_is_as_exact():
    system = Luck(beta=1.0, luck="normal", scale=0.5, algorithm="chebyshev")
    naive = Luck(beta=1.0, luck="normal", scale=0.5, algorithm="naive")
    beliefs = []
    for each in (system, naive):
        ladder = Ladder(each)
        ladder.record(["ann", "bob"])
        for number, centre in enumerate((-4.0, 4.0)):
            points = np.linspace(-7.0, 7.0, 1001)
            density = np.exp(-0.5 * ((points - centre) / 0.1) ** 2)
            density /= density.sum()
            ladder.beliefs.pool[number * 1001 : (number + 1) * 1001] = density
            ladder.beliefs.table["lo"][number] = 0
            ladder.beliefs.table["hi"][number] = 1001
        assert ladder.win_probability("ann", "bob") < 1e-20
        ladder.record(["ann", "bob"])
        beliefs.append(probabilities(ladder))
    assert beliefs[0] == pytest.approx(beliefs[1], abs=1e-12, rel=0.0)


def test_the_papers_parameters_are_the_defaults():
    system = Luck()
    grid = system.belief(Ladder(system).beliefs, 0)
    assert (len(grid.points), grid.points[0], grid.points[-1]) == (1001, -7.0, 7.0)
    assert grid.probabilities == pytest.approx(
        np.exp(-0.5 * (grid.points / 0.7) ** 2) / np.exp(-0.5 * (grid.points / 0.7) ** 2).sum(),
        abs=1e-15,
    )
    assert (system.beta, system.drift_sd) == (0.8, 0.03)
    ladder = Ladder(system)
    ladder.record(["ann", "bob"])
    rho = grid.probabilities
    x = grid.points
    chance = 0.1 + 0.8 / (1.0 + np.exp(x[None, :] - x[:, None]))
    after = rho * (chance @ rho)
    after = np.exp(-0.5 * ((x[:, None] - x[None, :]) / 0.03) ** 2) @ after
    after /= after.sum()
    assert ladder.belief("ann").probabilities == pytest.approx(after, abs=1e-15)
    assert ladder["ann"].mu == pytest.approx(1500.0 + 400.0 / math.log(10.0) * (after @ x))


@pytest.mark.parametrize(("beta", "limit"), [(1.0, 0.3**2), (0.8, 0.0)])
def test_what_a_win_against_a_far_stronger_player_is_worth(beta, limit):
    """Figure 3.1: without luck the gain tends to the variance, with luck to nothing."""
    system = Luck(beta=beta, drift="none", prior_mean=-18.0, prior_sd=0.3, reach=20.0, points=4001)
    ladder = Ladder(system)
    ladder.record(["ann", "bob"])
    strong = np.zeros(4001)
    strong[3600] = 1.0
    ladder.beliefs.pool[4001:8002] = strong
    ladder.beliefs.table["lo"][1], ladder.beliefs.table["hi"][1] = 3600, 3601
    before = ladder["ann"].mu
    ladder.record(["ann", "bob"])
    # By then ann has beaten a peer, which leaves her variance a little smaller.
    gain = (ladder["ann"].mu - before) / POINTS_PER_STRENGTH
    assert gain == pytest.approx(limit, abs=0.004 if limit else 1e-7)


@settings(max_examples=25)
@given(season=seasons(), name=st.sampled_from(["logistic", "normal", "laplace", "heaviside"]))
def test_a_win_never_lowers_the_winner_nor_raises_the_loser(season, name):
    ladder = recorded(Luck(luck=name, points=241, drift="none"), season)
    for winner, loser in (NAMES[:2], NAMES[1::-1]):
        ladder.record([winner, loser])
        before = ladder[winner].mu, ladder[loser].mu
        ladder.record([winner, loser])
        assert ladder[winner].mu >= before[0] - 1e-9
        assert ladder[loser].mu <= before[1] + 1e-9


@settings(max_examples=25)
@given(seasons(), st.permutations(range(2)))
def test_the_order_of_matches_of_different_players_does_not_matter(season, order):
    ladder, other = (recorded(Luck(points=241), season) for _ in range(2))
    both = [["ann", "bob"], ["cat", "dan"]]
    for pair in both:
        ladder.record(pair)
    for number in order:
        other.record(both[number])
    for name in NAMES:
        assert ladder[name].mu == other[name].mu


def test_glicko_is_the_gaussian_special_case():
    """Without luck and drift, to the accuracy of Glicko's own approximation."""
    sigma = 60.0
    ours = Ladder(
        Luck(beta=1.0, drift="none", prior_sd=sigma / POINTS_PER_STRENGTH, reach=4.0, points=2001)
    )
    theirs = Ladder("glicko", sigma_new=sigma, drift=0.0)
    rng = np.random.default_rng(2)
    for _ in range(60):
        first, second = rng.permutation(NAMES)[:2].tolist()
        standings = [(first, second)] if rng.random() < 0.2 else [first, second]
        ours.record(standings)
        theirs.record(standings)
    for name in NAMES:
        assert ours[name].mu == pytest.approx(theirs[name].mu, abs=1.0)
        assert ours[name].sigma == pytest.approx(theirs[name].sigma, abs=0.5)
        assert abs(ours[name].mu - 1500.0) > 3.0


def test_all_matches_of_a_period_are_seen_from_its_start():
    """Several matches at once: their order does not matter."""
    day = [["ann", "bob"], ["bob", "cat"], ["cat", "ann"], ["ann", "cat"], ["dan", "ann"]]

    def played(order, period):
        ladder = Ladder(Luck(points=401, period_days=period))
        for number in order:
            ladder.record(day[number], time=DAY)
        ladder.record(["ann", "dan"], time=9 * DAY)
        return [ladder[name].mu for name in NAMES]

    forwards, backwards = range(5), range(4, -1, -1)
    assert played(forwards, 7.0) == pytest.approx(played(backwards, 7.0), abs=1e-9)
    assert played(forwards, 0.0) != pytest.approx(played(backwards, 0.0), abs=0.1)


def test_a_period_multiplies_the_likelihoods_of_the_beliefs_before():
    system = Luck(points=241, period_days=1.0)
    ladder = Ladder(system)
    for loser in ("bob", "cat"):
        ladder.record(["ann", loser])
    prior = luck.Belief.normal(0.0, 0.7, system.belief(ladder.beliefs, 0).points)
    game = luck.CoinToss(luck.Logistic(), 0.8)
    at_once = luck.after_matches(prior, [(prior, 1.0), (prior, 1.0)], game)
    assert ladder.belief("ann").probabilities == pytest.approx(at_once.probabilities, abs=1e-12)


def test_a_side_has_its_own_luck_function():
    white = luck.Custom(lambda x, y: 0.02 + 0.97 / (1.0 + np.exp(y - x)), "white")
    ladder = Ladder(Luck(beta=1.0, side_luck=white, points=241))
    ladder.record([("ann", "bob")], home="ann")
    assert ladder["ann"].mu < ladder["bob"].mu
    chance = ladder.win_probability("ann", "bob", side="white")
    assert chance == pytest.approx(1.0 - ladder.win_probability("bob", "ann", side="black"))
    fair = ladder.win_probability("ann", "bob")
    assert fair == pytest.approx(1.0 - ladder.win_probability("bob", "ann"))
    assert chance > fair
    a, b = ladder.belief("ann"), ladder.belief("bob")
    exact = a.probabilities @ white(a.points[:, None], b.points[None, :]) @ b.probabilities
    assert chance == pytest.approx(exact, abs=1e-13)


def test_any_luck_function_and_any_drift():
    """A game in which strength matters less at the top, and a drift that only goes up."""
    odd = luck.Custom(lambda x, y: 0.5 + 0.4 * np.tanh(np.arctan(x) - np.arctan(y)), "odd")
    growth = luck.CustomDrift(lambda x, y: np.exp(-20.0 * (y - x)) * (y >= x), "growth")
    ladders = [
        Ladder(Luck(luck=odd, beta=1.0, drift=growth, points=241, algorithm=algorithm))
        for algorithm in ("auto", "naive")
    ]
    for ladder in ladders:
        ladder.record(["ann", "bob"])
        ladder.record([("cat", "bob")])
    one, other = (probabilities(ladder) for ladder in ladders)
    assert one == pytest.approx(other, abs=1e-12, rel=0.0)
    prior = luck.Belief.normal(0.0, 0.7, ladders[0].belief("ann").points)
    after, _ = luck.after_match(prior, prior, odd)
    after = luck.after_drift(after, growth)
    assert one[0] == pytest.approx(after.probabilities, abs=1e-12)


def test_mixtures_of_normal_and_of_laplace_drifts():
    for drift in (
        luck.NormalDrift((0.05, 0.5), (0.9, 0.1)),
        luck.LaplaceDrift((0.05, 0.5), (0.9, 0.1)),
    ):
        ladder = Ladder(Luck(drift=drift, points=301))
        ladder.record(["ann", "bob"])
        prior = luck.Belief.normal(0.0, 0.7, ladder.belief("ann").points)
        after, _ = luck.after_match(prior, prior, luck.CoinToss(luck.Logistic(), 0.8))
        after = luck.after_drift(after, drift, algorithm="naive")
        assert ladder.belief("ann").probabilities == pytest.approx(after.probabilities, abs=1e-12)


@pytest.mark.parametrize("drift_sd", [0.4, 3.0])
def test_a_wide_drift_is_as_exact(drift_sd):
    """By interpolation, where that is less work than adding up."""
    systems = [Luck(drift_sd=drift_sd, algorithm=algorithm) for algorithm in ("auto", "naive")]
    assert len(systems[0]._model.drift_nodes) > 0
    ladders = [Ladder(system) for system in systems]
    for ladder in ladders:
        for _ in range(5):
            ladder.record(["ann", "bob"])
            ladder.record([("cat", "bob")])
    one, other = (probabilities(ladder) for ladder in ladders)
    assert one == pytest.approx(other, abs=1e-12, rel=0.0)
    assert (one >= 0.0).all()


def test_an_impossible_result_teaches_nothing():
    ladder = Ladder(Luck(beta=1.0, luck="heaviside", drift="none", points=3, reach=1.0))
    ladder.record(["ann", "bob"])
    for number, point in ((0, 2), (1, 0)):
        ladder.beliefs.pool[3 * number : 3 * number + 3] = np.arange(3) == point
        ladder.beliefs.table["lo"][number], ladder.beliefs.table["hi"][number] = point, point + 1
    before = probabilities(ladder)
    ladder.record(["bob", "ann"])
    assert np.array_equal(probabilities(ladder), before)
    assert ladder["bob"].contests == 2


@pytest.mark.parametrize("period_days", [0.0, 1.0])
def test_single_precision_is_half_the_memory_and_hardly_an_error(period_days):
    """The error that the documentation states, with room: a hundred-thousandth of a point."""
    season = podium.simulate_matches(players=20, matches=3000, seed=4)
    compact, exact = (
        podium.rate(season, "luck", storage=storage, period_days=period_days).beliefs
        for storage in ("single", "double")
    )
    assert compact.column("mu") == pytest.approx(exact.column("mu"), abs=1e-5, rel=0.0)
    assert compact.column("sigma") == pytest.approx(exact.column("sigma"), abs=1e-5, rel=0.0)
    assert compact.pool.nbytes * 2 == exact.pool.nbytes
    if period_days == 0.0:
        per_player = compact.pool.nbytes / len(compact) + compact.table.dtype.itemsize
        assert per_player <= 4096


def test_compact_beliefs_are_saved_and_loaded_exactly(tmp_path):
    season = podium.simulate_matches(players=10, matches=60, seed=4)
    first = podium.rate(season[:30], "luck", storage="single").beliefs
    first.save(tmp_path / "beliefs.npz")
    on = podium.rate(season[30:], beliefs=tmp_path / "beliefs.npz")
    assert on.beliefs.pool.dtype == np.float32
    assert_same_beliefs(on.beliefs, podium.rate(season, "luck", storage="single").beliefs)


def test_objects_are_saved_as_they_are_written(tmp_path):
    system = Luck(
        luck=luck.Laplace((1.0, 2.0), (0.5, 0.5)), drift=luck.NormalDrift((0.03, 0.5), (0.9, 0.1))
    )
    ladder = Ladder(system)
    ladder.record(["ann", "bob"])
    ladder.save(tmp_path / "beliefs.npz")
    for given_system in (None, system):
        again = Ladder.load(tmp_path / "beliefs.npz", given_system)
        assert again.system == system
        assert again["ann"] == ladder["ann"]
    with pytest.raises(PodiumError, match="the earlier beliefs are of luck with luck="):
        Ladder.load(tmp_path / "beliefs.npz", Luck())


def test_functions_of_ones_own_are_told_apart_by_what_they_say(tmp_path):
    def mild(x, y):
        return 0.5 + 0.4 * np.tanh(x - y)

    def wild(x, y):
        return 0.5 + 0.5 * np.tanh(x - y)

    path = tmp_path / "beliefs.npz"
    ladder = Ladder(Luck(luck=luck.Custom(mild)))
    ladder.record(["ann", "bob"])
    ladder.save(path)
    assert Ladder.load(path, Luck(luck=luck.Custom(mild)))["ann"] == ladder["ann"]
    with pytest.raises(PodiumError, match="the earlier beliefs are of luck with luck="):
        Ladder.load(path, Luck(luck=luck.Custom(wild)))
    with pytest.raises(PodiumError, match="cannot be built from what was stored, give it: luck"):
        Ladder.load(path)


def test_an_object_can_be_written_out_as_text():
    kind = podium.systems.by_name("luck")
    system = kind.parse({"luck": "Laplace(scales=(0.5, 2.0), weights=(0.7, 0.3))", "drift": "none"})
    assert system.luck == luck.Laplace((0.5, 2.0), (0.7, 0.3))
    for wrong in (
        "Laplace(scales=(0.5,), weights=(0.7, 0.3))",
        "Laplace(2)",
        "open('x')",
        "Nope()",
    ):
        with pytest.raises(PodiumError):
            kind.parse({"luck": wrong})


def test_luck_functions_of_differences_are_checked_too():
    class Crooked(luck.OfDifference):
        def of_difference(self, difference):
            return 1.0 / (1.0 + np.exp(-np.asarray(difference) - 0.3))

    with pytest.raises(PodiumError, match="is not symmetric"):
        Luck(luck=Crooked())
    Luck(beta=1.0, side_luck=Crooked())


@pytest.mark.parametrize(
    "drift", [luck.NormalDrift(0.003), luck.LaplaceDrift((0.002, 1.0), (0.5, 0.5))]
)
def test_drifts_that_would_be_lost_in_the_grid_are_refused(drift):
    with pytest.raises(PodiumError, match=r"too coarse for a drift of sd 0\.00"):
        Luck(drift=drift)


def test_beliefs_spread_with_absence():
    system = Luck(drift_per_day=0.001, drift="none")
    ladder = Ladder(system)
    ladder.record(["ann", "bob"], time=0)
    days = 100
    later = ladder.belief("ann", time=days * DAY)
    now = ladder.belief("ann")
    assert later.sd**2 == pytest.approx(now.sd**2 + 0.001 * days, rel=1e-6)
    table = ladder.ratings_at(days * DAY)
    sigma = table.filter(pl.col("player") == "ann")["sigma"].item()
    assert sigma == pytest.approx(POINTS_PER_STRENGTH * later.sd, abs=1e-9)
    ladder.record(["ann"], time=days * DAY)
    assert ladder.belief("ann").sd == pytest.approx(later.sd, abs=1e-12)


def test_many_short_absences_count_as_one_long_one():
    """Also where each of them is shorter than the grid can show."""
    sds = []
    for days in (1, 5, 100):
        ladder = Ladder(Luck(drift_per_day=1e-5, drift="none"))
        ladder.record(["ann", "bob"], time=0)
        start = ladder.belief("ann").sd
        for day in range(days, 101, days):
            ladder.record(["ann"], time=day * DAY)
        sds.append(ladder.belief("ann").sd)
    assert sds[0] == pytest.approx(math.sqrt(start**2 + 0.001), rel=1e-6)
    assert sds[1:] == pytest.approx(sds[:1] * 2, rel=1e-5)


def test_the_stronger_is_not_as_sure_to_win():
    ladder = Ladder("luck")
    for _ in range(30):
        ladder.record(["ann", "bob"])
    stronger = ladder.stronger_probability("ann", "bob")
    assert stronger > 0.99
    assert 0.6 < ladder.win_probability("ann", "bob") < 0.85
    assert ladder.belief("ann").stronger_than(ladder.belief("bob")) == stronger
    assert ladder.stronger_probability("bob", "ann") == pytest.approx(1.0 - stronger)


def test_only_luck_has_whole_beliefs_but_all_with_uncertainty_know_who_is_stronger():
    ladder = Ladder("glicko")
    ladder.record(["ann", "bob"])
    with pytest.raises(PodiumError, match="glicko keeps no whole beliefs about players; luck does"):
        ladder.belief("ann")
    z = (ladder["ann"].mu - ladder["bob"].mu) / math.hypot(ladder["ann"].sigma, ladder["bob"].sigma)
    expected = 0.5 * math.erfc(-z / math.sqrt(2.0))
    assert ladder.stronger_probability("ann", "bob") == pytest.approx(expected)
    elo = Ladder("elo")
    elo.record(["ann", "bob"])
    with pytest.raises(PodiumError, match="elo knows no uncertainty"):
        elo.stronger_probability("ann", "bob")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"beta": 1.1}, "beta must be a number of at most 1"),
        ({"beta": math.nan}, "beta must be a number that is finite"),
        ({"luck": "logstic"}, r"luck must be logistic or .*\(did you mean 'logistic'\?\)"),
        ({"luck": luck.CoinToss(luck.Normal(), 0.5)}, r"say luck=Normal\(sd=1.0\), beta=0.5"),
        ({"luck": 3}, "luck must be logistic or .* or a LuckFunction, not 3"),
        ({"drift": "brownian"}, "drift must be normal or laplace or none or a Drift"),
        ({"side_luck": 0.5}, "side_luck must be a LuckFunction, not 0.5"),
        ({"side_luck": luck.Logistic(), "side_advantage": 0.1}, "side_advantage must be 0"),
        ({"prior_mean": 8.0}, "prior_mean must lie within the reach of 7, not at 8"),
        ({"points": 2}, "points must be a whole number of at least 3"),
        ({"points": 1001.5}, "points must be a whole number"),
        (
            {"points": 101},
            "101 points from -7 to 7 are too coarse for a drift of sd 0.03; at least 235",
        ),
        ({"prior_sd": 0.001, "drift": "none"}, "too coarse for a prior_sd of 0.001; .* 7,001 are"),
        ({"period_days": 1e-9}, "period_days must be 0 or at least"),
        ({"algorithm": "fast"}, "algorithm must be auto or chebyshev"),
        ({"storage": "half"}, "storage must be double or single"),
        ({"algorithm": "laplace"}, "algorithm=laplace needs .* not 'logistic'; auto finds"),
        ({"algorithm": "chebyshev", "luck": "heaviside"}, "algorithm=chebyshev needs"),
        (
            {"algorithm": "fft", "luck": luck.Custom(lambda x, y: 0.5 + 0.0 * (x - y))},
            "algorithm=fft needs a luck function of the difference",
        ),
        ({"luck": luck.Custom(lambda x, y: 0.6 + 0.0 * (x - y))}, "is not symmetric"),
        ({"luck": luck.Custom(lambda x, y: 2.0 + 0.0 * (x - y))}, "not a chance from 0 to 1"),
        ({"luck": luck.Custom(lambda *_: 0.5)}, "take arrays of strengths"),
        ({"drift": luck.CustomDrift(lambda x, y: -1.0 + 0.0 * (x - y))}, "at least 0"),
        ({"drift": luck.CustomDrift(lambda x, y: 0.0 * (x - y))}, "to nowhere"),
        ({"drift": luck.CustomDrift(lambda *_: 1.0)}, "take arrays of strengths"),
        ({"betta": 0.5}, r"luck has no parameter 'betta' \(did you mean 'beta'\?\)"),
    ],
)
def test_wrong_parameters_are_refused_in_a_sentence(parameters, message):
    with pytest.raises(PodiumError, match=message) as caught:
        podium.system("luck", **parameters)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_contests_of_three_are_refused():
    ladder = Ladder("luck")
    with pytest.raises(PodiumError, match="luck rates contests of at most 2"):
        ladder.record(["ann", "bob", "cat"])
    with pytest.raises(PodiumError, match=r"luck .* at most 2.* elo-mmr"):
        podium.rate(podium.simulate(players=5, rounds=2), "luck")
    for pair in (["ann", "bob"], ["cat", "bob"]):
        ladder.record(pair)
    with pytest.raises(PodiumError, match="luck predicts contests of at most 2 players, not of 3"):
        ladder.rank_probabilities(["ann", "bob", "cat"])


def test_football_is_rated_as_by_the_naive_algorithm(football):
    first = football[:600]
    quick, naive = (
        podium.rate(first, "luck", side_advantage=0.4, algorithm=algorithm)
        for algorithm in ("auto", "naive")
    )
    names = quick.beliefs.names
    assert len(names) > 20
    difference = quick.beliefs.pool - naive.beliefs.pool
    assert np.abs(difference).max() < 1e-12
    assert quick.beliefs.column("mu") == pytest.approx(
        naive.beliefs.column("mu"), abs=1e-9, rel=0.0
    )


def test_a_replay_is_cut_anywhere_to_the_bit(football):
    season = football[:400]
    whole = podium.rate(season, "luck", drift_per_day=1e-5)
    first = podium.rate(season[:123], "luck", drift_per_day=1e-5)
    both = podium.rate(season[123:], beliefs=first.beliefs)
    assert_same_beliefs(both.beliefs, whole.beliefs)
    assert np.array_equal(both.beliefs.pool[: both.beliefs.arena[0]], whole.beliefs.pool)


def test_panels_follow_the_smoothness_of_the_luck_function():
    sizes = [
        Luck(scale=scale)._model.settings["panel"][0].item() for scale in (3.0, 1.0, 0.5, 0.25)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 4
    assert Luck(scale=0.01)._way == "fft"
    assert Luck(luck="laplace")._way == "laplace"
    assert (
        Luck(luck=luck.Custom(lambda x, y: np.where(x > y, 1.0, np.where(x < y, 0.0, 0.5))))._way
        == "naive"
    )


def test_a_grid_that_no_panel_divides_evenly():
    ladders = [Ladder(Luck(points=997, algorithm=algorithm)) for algorithm in ("auto", "naive")]
    for ladder in ladders:
        for _ in range(5):
            ladder.record(["ann", "bob"])
            ladder.record([("cat", "bob")])
    one, other = (probabilities(ladder) for ladder in ladders)
    assert one == pytest.approx(other, abs=1e-12, rel=0.0)


def test_beliefs_grow_with_the_players_of_a_ladder():
    ladder = Ladder(Luck(points=241))
    for number in range(200):
        ladder.record([f"p{number}", f"p{number + 1}"])
    assert len(ladder) == 201
    mass = probabilities(ladder).sum(axis=1)
    assert mass == pytest.approx(np.ones(201), abs=1e-12)
    copied = Ladder.from_beliefs(ladder.beliefs)
    copied.record(["p0", "p5"])
    assert copied["p0"].mu != ladder["p0"].mu
    assert isinstance(Beliefs(Luck()).pool, np.ndarray)


def test_a_match_list_with_scores_is_rated():
    table = pl.DataFrame(
        {
            "time": ["2026-05-01", "2026-05-02"],
            "player_a": ["ann", "bob"],
            "player_b": ["bob", "cat"],
            "outcome": [0.7, 0.25],
        }
    )
    rated = podium.rate(Contests.from_matches(table), "luck")
    ladder = Ladder("luck")
    ladder.record(["ann", "bob"], score=0.7, time="2026-05-01")
    ladder.record(["bob", "cat"], score=0.25, time="2026-05-02")
    for name in ("ann", "bob", "cat"):
        assert Ladder.from_beliefs(rated.beliefs)[name] == ladder[name]
