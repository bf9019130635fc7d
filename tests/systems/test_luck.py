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
from podium.luck import functions
from podium.luck.functions import POINTS_PER_STRENGTH
from podium.results.columns import Columns
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
        draw(st.sampled_from([1.0, 1.0, 0.0, 0.5, 0.7, 0.55])),
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
    later = ladder.belief("ann", at=days * DAY)
    now = ladder.belief("ann")
    assert later.sd**2 == pytest.approx(now.sd**2 + 0.001 * days, rel=1e-6)
    table = ladder.leaderboard(None, at=days * DAY)
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
        ({"side_luck": luck.Custom(lambda x, y: 2.0 + 0.0 * (x - y))}, "not a chance from 0 to 1"),
        ({"drift": luck.CustomDrift(lambda x, y: -1.0 + 0.0 * (x - y))}, "at least 0"),
        ({"drift": luck.CustomDrift(lambda x, y: 0.0 * (x - y))}, "to nowhere"),
        ({"drift": luck.CustomDrift(lambda *_: 1.0)}, "take arrays of strengths"),
        ({"luck": luck.Custom(lambda x, y: 0.5 + 0.0 * (x - y)), "points": 9001}, "at most 5,001"),
        ({"drift": luck.CustomDrift(lambda x, y: 1.0 + 0.0 * (x - y)), "points": 9001}, "5,001"),
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


@pytest.mark.parametrize("period_days", [0.0, 7.0])
@pytest.mark.parametrize("algorithm", ["chebyshev", "fft", "naive"])
@settings(max_examples=15)
@given(season=seasons())
def test_a_backtest_expects_what_a_ladder_expects_before_every_match(
    algorithm, period_days, season
):
    """With scores, draws, sides, weights, absence and periods."""
    system = Luck(
        algorithm=algorithm,
        points=241,
        scale=2.3,
        side_advantage=0.33,
        drift_per_day=0.004,
        period_days=period_days,
    )
    ladder, expected = Ladder(system), []
    ladder.beliefs.enrol(NAMES)
    for first, second, theta, side, day, weight in (played := in_order(season)):
        called = {1: "home", 0: None, -1: "away"}[side]
        expected.append(ladder.win_probability(first, second, at=day * DAY, side=called))
        home = {1: first, 0: None, -1: second}[side]
        ladder.record([first, second], score=theta, home=home, time=day * DAY, weight=weight)
    beliefs = Beliefs(system)
    beliefs.enrol(NAMES)
    columns = as_columns(played)
    found = system.backtest(beliefs, columns, np.empty((5, len(columns.player))))
    assert found == pytest.approx(expected, abs=1e-12, rel=0.0)
    assert np.array_equal(beliefs.pool, ladder.beliefs.pool)
    assert np.array_equal(beliefs.table, ladder.beliefs.table)


def as_columns(season):
    """Matches with the winner first, between players in the order of their names."""
    first, second, theta, side, day, weight = zip(*season, strict=True)
    players = [NAMES.index(name) for pair in zip(first, second, strict=True) for name in pair]
    scores = np.array(theta)
    return Columns(
        offsets=np.arange(0, len(players) + 1, 2),
        player=np.array(players, np.int32),
        rank=np.array([rank for t in theta for rank in (1, 1 if t == 0.5 else 2)], np.int32),
        time=np.array([round(d * DAY * 1e6) for d in day]),
        weight=np.array(weight),
        perf_ceiling=np.full(len(season), np.inf),
        side=np.array([each for s in side for each in (s, -s)], np.int8),
        score=np.where((scores > 0.5) & (scores < 1.0), scores, np.nan),
    )


def test_nothing_of_an_earlier_belief_is_left_in_memory():
    """Where a belief was and is no more there is nothing, in either half of what is kept."""
    system = Luck(points=401, period_days=1.0, drift="none", prior_sd=0.5, beta=1.0)
    ladder = Ladder(system)
    for day in range(60):
        ladder.record(["ann", "bob"], time=day * DAY, weight=3.0)
    pool = ladder.beliefs.pool[: 4 * 401].reshape(2, 2, 401)
    table = ladder.beliefs.table
    for number in range(2):
        for half, (lo, hi) in enumerate((("lo", "hi"), ("start_lo", "start_hi"))):
            used = np.flatnonzero(pool[number, half])
            assert used[0] >= table[lo][number]
            assert used[-1] < table[hi][number]
            assert pool[number, half].sum() == pytest.approx(1.0, abs=1e-14)
    assert table["hi"][0] - table["lo"][0] < 300


@pytest.mark.parametrize("day", [-1, -8, -3650, 3])
def test_periods_before_1970_are_as_long_as_others(day):
    """A period of ten days begins at every tenth, also before 1970."""

    def played(*days):
        ladder = Ladder(Luck(points=241, period_days=10.0))
        for each in days:
            ladder.record(["ann", "bob"], time=each * DAY)
        return ladder["ann"].mu

    start = day // 10 * 10
    within, across = played(start, start + 9.9), played(start + 9.9, start + 10.0)
    assert within == played(0, 9.9)
    assert across == played(9.9, 10.0)
    assert within != across


@pytest.mark.parametrize("prior_mean", [0.0, 6.5])
def test_a_newcomer_is_what_the_grid_has_of_the_prior(prior_mean):
    """Cut off at the end of the grid, and not the mean and deviation that were asked for."""
    system = Luck(prior_mean=prior_mean, prior_sd=1.5, points=301, drift="none")
    ladder = Ladder(system)
    ladder.record(["ann"])
    belief = ladder.belief("ann")
    newcomer = system.newcomer()
    for mu, sigma in (
        (ladder["ann"].mu, ladder["ann"].sigma),
        (1500.0 + POINTS_PER_STRENGTH * belief.mean, POINTS_PER_STRENGTH * belief.sd),
    ):
        assert newcomer["mu"] == pytest.approx(mu, abs=1e-9)
        assert newcomer["sigma"] == pytest.approx(sigma, abs=1e-9)
    assert (belief.mean < 6.0) if prior_mean else (abs(belief.mean) < 1e-12)


def test_who_plays_alone_is_as_old_as_that_day():
    """Time passes once: it is not counted again at the next match."""
    once, twice = (Ladder(Luck(drift_per_day=0.01, drift="none")) for _ in range(2))
    for ladder in (once, twice):
        ladder.record(["ann", "bob"], time=0)
    twice.record(["ann"], time=50 * DAY)
    assert twice.belief("ann", at=50 * DAY).sd == pytest.approx(twice.belief("ann").sd)
    for ladder in (once, twice):
        ladder.record(["ann"], time=100 * DAY)
    assert twice.belief("ann").sd == pytest.approx(once.belief("ann").sd, abs=1e-9)
    assert twice["ann"].sigma == pytest.approx(POINTS_PER_STRENGTH * twice.belief("ann").sd)


def test_ratings_as_of_a_date_are_those_of_the_same_players():
    ladder = Ladder(Luck(points=241, drift_per_day=0.001))
    ladder.record(["ann", "bob"], time=0)
    ladder.record(["cat", "ann"], time=5 * DAY)
    mu, sigma = ladder.system.aged(ladder.beliefs, np.array([2, 0]), 60 * DAY * 10**6)
    for place, name in enumerate(("cat", "ann")):
        belief = ladder.belief(name, at=60 * DAY)
        assert mu[place] == pytest.approx(1500.0 + POINTS_PER_STRENGTH * belief.mean)
        assert sigma[place] == pytest.approx(POINTS_PER_STRENGTH * belief.sd)


def test_who_is_stronger_is_less_certain_after_a_while():
    ladder = Ladder(Luck(points=241, drift_per_day=0.01))
    for _ in range(10):
        ladder.record(["ann", "bob"], time=0)
    now, late = (ladder.stronger_probability("ann", "bob", at=time) for time in (0, 300 * DAY))
    assert 0.5 < late < now - 0.05
    later = ladder.belief("ann", at=300 * DAY), ladder.belief("bob", at=300 * DAY)
    assert late == later[0].stronger_than(later[1])


def test_the_coin_decides_for_the_side_too():
    ladder = Ladder(Luck(beta=0.0, side_luck=luck.Logistic(0.5), points=241))
    ladder.record(["ann", "bob"], home="ann")
    assert ladder.win_probability("ann", "bob", side="home") == pytest.approx(0.5)
    assert ladder["ann"].mu == pytest.approx(1500.0)


def test_the_cap_is_in_terms_of_the_scale():
    """Four hundred points of Elo at every scale: ten to one."""
    for scale in (0.5, 2.0):
        ladder = Ladder(Luck(beta=1.0, luck="capped-logistic", scale=scale, points=301))
        ladder.record(["ann", "bob"])
        for number, point in enumerate((300, 0)):
            ladder.beliefs.pool[301 * number : 301 * (number + 1)] = np.arange(301) == point
            ladder.beliefs.table["lo"][number] = point
            ladder.beliefs.table["hi"][number] = point + 1
        assert ladder.win_probability("ann", "bob") == pytest.approx(10.0 / 11.0)


def test_caution_takes_deviations_off_the_rating():
    ladder = Ladder(Luck(caution=2.0, points=241))
    ladder.record(["ann", "bob"])
    ann = ladder["ann"]
    assert ann.rating == ann.mu - 2.0 * ann.sigma


AT_THE_TOP = luck.Custom(lambda x, y: 0.5 + 0.4 * np.tanh(np.sin(x / 5.0) - np.sin(y / 5.0)), "top")
"""A game in which strength matters less at the top: not of differences, but smooth."""
FOR_WHITE = luck.Custom(lambda x, y: 0.55 + 0.4 * np.tanh(np.sin(x / 6.0) - y / 9.0), "white")
"""One that is not symmetric either."""


@settings(max_examples=30)
@given(
    season=seasons(),
    parameters=st.sampled_from(
        [
            {"luck": "logistic", "scale": 2.3, "side_advantage": 0.33},
            {"luck": "logistic", "scale": 3.0, "beta": 1.0, "side_advantage": -1.2},
            {"luck": "normal", "scale": 3.0, "side_advantage": 0.33, "drift": "laplace"},
            {"luck": "normal", "scale": 3.0, "beta": 1.0},
            {"luck": AT_THE_TOP, "side_luck": FOR_WHITE, "drift": "none"},
            {"luck": AT_THE_TOP, "side_advantage": 0.4},
        ]
    ),
    period_days=st.sampled_from([0.0, 7.0]),
)
def test_interpolation_agrees_with_all_pairs_in_every_probability(season, parameters, period_days):
    """On panels of which the last is incomplete; scores, draws, sides, weights and absence."""
    quick, naive = (
        recorded(
            Luck(
                algorithm=algorithm,
                points=301,
                prior_sd=1.5,
                drift_per_day=0.004,
                period_days=period_days,
                **parameters,
            ),
            season,
        )
        for algorithm in ("chebyshev", "naive")
    )
    assert 1 < quick.system._game.panels.count < 8
    assert probabilities(quick) == pytest.approx(probabilities(naive), abs=1e-12, rel=0.0)
    first, second = list(quick)[:2]
    for side in (None, "home", "away"):
        assert quick.win_probability(first, second, side=side) == pytest.approx(
            naive.win_probability(first, second, side=side), abs=1e-12
        )


@pytest.mark.parametrize(
    ("algorithm", "parameters"),
    [
        ("chebyshev", {"beta": 1.0}),
        ("fft", {"beta": 1.0}),
        ("laplace", {"beta": 1.0, "luck": "laplace", "drift": "laplace"}),
        ("chebyshev", {"drift_per_day": 0.001}),
    ],
)
@pytest.mark.parametrize("period_days", [0.0, 20.0])
def test_nothing_that_one_match_leaves_in_memory_reaches_the_next(
    algorithm, parameters, period_days
):
    """Newcomers and those who are known well, the strong and the weak, in one run or one by one."""
    system = Luck(
        algorithm=algorithm, points=601, prior_sd=0.5, period_days=period_days, **parameters
    )
    pairs = [["ann", "bob"]] * 12 + [["cat", "dan"], ["bob", "cat"], ["ann", "dan"]] * 8
    pairs += [[f"new {number}", name] for number, name in enumerate(NAMES * 3)]
    order = np.random.default_rng(6).permutation(len(pairs)).tolist()
    ladder = Ladder(system)
    rows = []
    for day, number in enumerate(order):
        ladder.record(pairs[number], time=day * DAY)
        rows += [(f"{day:03}", day * DAY, name, rank) for rank, name in enumerate(pairs[number], 1)]
    table = pl.DataFrame(rows, schema=["contest", "time", "player", "rank"], orient="row")
    at_once = podium.rate(Contests.from_frame(table), system).beliefs
    assert at_once.names == list(ladder)
    used = at_once.arena[0]
    assert np.array_equal(at_once.pool[:used], ladder.beliefs.pool[:used])
    spans = at_once.column("hi") - at_once.column("lo")
    assert spans.max() > spans.min()


@pytest.mark.parametrize(("apart", "chance"), [(600, 1e-30), (205, 1e-6), (170, 1e-4)])
@pytest.mark.parametrize("algorithm", ["chebyshev", "fft"])
def test_an_upset_that_nobody_thought_possible_is_as_exact(algorithm, apart, chance):
    """The likelihoods are far below the rounding errors of sums of larger numbers."""
    parameters = {"beta": 1.0, "scale": 0.5, "luck": "normal", "drift": "none"}
    ladders = [Ladder(Luck(algorithm=each, **parameters)) for each in (algorithm, "naive")]
    for ladder in ladders:
        ladder.record(["ann", "bob"])
        certain = np.exp(-0.5 * (np.linspace(-9.0, 9.0, 181) / 1.5) ** 2)
        for number, lo in ((0, 100), (1, 100 + apart)):
            ladder.beliefs.pool[1001 * number : 1001 * (number + 1)] = 0.0
            ladder.beliefs.pool[1001 * number + lo :][:181] = certain / certain.sum()
            ladder.beliefs.table["lo"][number] = lo
            ladder.beliefs.table["hi"][number] = lo + 181
        assert 0.0 < ladder.win_probability("ann", "bob") < chance
        ladder.record(["ann", "bob"])
        ladder.record([("ann", "bob")])
    one, other = (probabilities(ladder) for ladder in ladders)
    assert one == pytest.approx(other, abs=1e-12, rel=0.0)


@pytest.mark.parametrize("name", ["capped-logistic", "draw-margin"])
def test_a_luck_function_with_an_edge_is_not_interpolated(name):
    assert Luck(luck=name)._way == "fft"
    assert Luck(luck=name, points=4001)._way == "fft"


def test_a_game_whose_draws_are_not_smooth_is_not_interpolated():
    """The chance of a win is a straight line; that of a draw has vertical ends."""
    line = luck.Custom(lambda x, y: 0.5 + (x - y) / 28.0, "line")
    assert Luck(luck=line, beta=0.8)._way == "chebyshev"
    assert Luck(luck=line, beta=1.0, reach=6.9999)._way == "naive"


@pytest.mark.parametrize("period_days", [0.0, 1.0])
def test_a_copy_of_beliefs_goes_its_own_way(period_days):
    ladder = Ladder(Luck(points=241, period_days=period_days))
    ladder.record(["ann", "bob"])
    before = probabilities(ladder)
    copied = Ladder.from_beliefs(ladder.beliefs)
    copied.record(["bob", "ann"], time=5 * DAY)
    assert np.array_equal(probabilities(ladder), before)
    ladder.record(["bob", "ann"], time=5 * DAY)
    assert np.array_equal(probabilities(ladder), probabilities(copied))


def test_a_later_meeting_is_predicted_from_beliefs_of_then():
    ladder = Ladder(Luck(points=301, drift_per_day=0.01))
    for _ in range(10):
        ladder.record(["ann", "bob"], time=0)
    a, b = (ladder.belief(name, at=200 * DAY) for name in ("ann", "bob"))
    exact = a.win_probability(b, luck.CoinToss(luck.Logistic(), 0.8))
    late = ladder.win_probability("ann", "bob", at=200 * DAY)
    assert late == pytest.approx(exact, abs=1e-12)
    assert late < ladder.win_probability("ann", "bob") - 0.001


def test_the_heaviest_match_says_as_much_as_many():
    """Powers of chances that are too small for a number, but whose ratios are not."""
    ladder = Ladder(Luck(points=301))
    ladder.record(["ann", "bob"], weight=1e4)
    assert ladder["ann"].mu > 2000.0 > 1000.0 > ladder["bob"].mu


def test_beliefs_in_single_precision_sum_to_one_when_they_are_looked_at():
    ladder = Ladder(Luck(storage="single", points=301))
    for pair in [["ann", "bob"], ["cat", "ann"]] * 10:
        ladder.record(pair)
    assert probabilities(ladder).sum(axis=1) == pytest.approx(np.ones(3), abs=1e-14)


@pytest.mark.parametrize("weight", [3.0, 5.0])
def test_matches_of_some_weight_are_as_exact(weight):
    """Heavier ones would raise again what was dropped as negligible."""
    quick, naive = (Ladder(Luck(beta=0.95, algorithm=each)) for each in ("auto", "naive"))
    for ladder in (quick, naive):
        for pair in (["ann", "bob"], ["bob", "ann"], ["bob", "ann"]):
            ladder.record(pair, weight=weight)
    assert probabilities(quick) == pytest.approx(probabilities(naive), abs=1e-12, rel=0.0)


@pytest.mark.parametrize("algorithm", ["chebyshev", "fft"])
def test_light_matches_are_as_exact(algorithm):
    parameters = {"luck": "normal", "scale": 0.3, "beta": 1.0, "prior_sd": 2.0}
    ladders = [Ladder(Luck(algorithm=each, **parameters)) for each in (algorithm, "naive")]
    for ladder in ladders:
        for pair in [["bob", "cat"], ["cat", "bob"]] * 30:
            ladder.record(pair)
        ladder.record(["ann", "bob"], weight=0.01)
    # What opponents have below 1e-18 is dropped, and such a power would make something of it.
    one, other = (probabilities(ladder) for ladder in ladders)
    assert one == pytest.approx(other, abs=1e-8, rel=0.0)


@pytest.mark.parametrize(("advantage", "points"), [(0.28, 1001), (-0.3, 1401)])
def test_an_advantage_of_whole_steps_is_as_exact(advantage, points):
    parameters = {"luck": "heaviside", "side_advantage": advantage, "points": points}
    with pytest.raises(PodiumError, match="auto finds another"):
        Luck(algorithm="laplace", **parameters)
    ladders = [Ladder(Luck(algorithm=each, **parameters)) for each in ("auto", "naive")]
    for ladder in ladders:
        ladder.record(["ann", "bob"], home="ann")
        ladder.record(["cat", "ann"], home="ann")
    one, other = (probabilities(ladder) for ladder in ladders)
    assert one == pytest.approx(other, abs=1e-12, rel=0.0)


@pytest.mark.parametrize(
    ("name", "points"),
    [("capped-logistic", 12_001), ("capped-logistic", 20_001), ("draw-margin", 100_001)],
)
def test_on_many_points_no_edge_is_overlooked(name, points):
    assert Luck(luck=name, points=points)._way == "fft"


def test_no_bump_of_a_luck_function_is_overlooked():
    def strength(x):
        inside = np.clip((np.asarray(x) - 0.863) / 0.285, -1.0, 1.0)
        with np.errstate(divide="ignore"):
            return 0.1 * x + 0.5 * np.exp(1.0 - 1.0 / (1.0 - inside * inside))

    bump = luck.Custom(lambda x, y: 1.0 / (1.0 + np.exp(strength(y) - strength(x))), "bump")
    ladders = [Ladder(Luck(luck=bump, algorithm=each)) for each in ("auto", "naive")]
    for ladder in ladders:
        ladder.record(["ann", "bob"])
        ladder.record(["cat", "ann"])
    one, other = (probabilities(ladder) for ladder in ladders)
    assert one == pytest.approx(other, abs=1e-12, rel=0.0)


class Steep(luck.Laplace):
    """More than certain."""

    def of_difference(self, difference):
        return 0.5 + np.asarray(difference)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"luck": functions.Shifted(luck.Logistic(), 1.0)}, "is not symmetric"),
        ({"luck": Steep()}, "not a chance from 0 to 1"),
    ],
)
def test_functions_of_the_difference_are_checked_too(parameters, message):
    with pytest.raises(PodiumError, match=message):
        Luck(**parameters)


def test_a_luck_function_must_know_what_an_advantage_leads_to():
    def known(x, y):
        inside = np.maximum(np.abs(x), np.abs(y)) <= 7.0 + 1e-9
        return np.where(inside, 0.5 + 0.4 * np.tanh((x - y) / 9.0), np.nan)

    with pytest.raises(PodiumError, match="not a chance from 0 to 1"):
        Luck(luck=luck.Custom(known), side_advantage=0.5, points=241)


def test_a_luck_function_is_asked_only_for_strengths_of_the_grid():
    def known(x, y):
        if max(np.abs(x).max(), np.abs(y).max()) > 7.0 + 1e-9:
            raise ValueError("no such strength")
        return 0.5 + 0.4 * np.tanh(np.sin(x / 5.0) - np.sin(y / 5.0))

    ladder = Ladder(Luck(luck=luck.Custom(known), points=1000))
    ladder.record(["ann", "bob"])
    assert ladder["ann"].mu > ladder["bob"].mu


def test_chances_from_single_precision_are_chances():
    ladder = Ladder(Luck(storage="single", beta=1.0, luck="heaviside", drift_sd=0.01))
    for _ in range(10):
        for pair in (["ann", "bob"], ["cat", "bob"], ["ann", "cat"]):
            ladder.record(pair, weight=3.0)
            win = ladder.win_probability(*pair)
            assert 0.0 <= win <= 1.0
            assert win + ladder.win_probability(*pair[::-1]) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("days", [1, 10])
def test_variance_grows_with_time_however_often_one_plays(days):
    ladder = Ladder(Luck(drift_per_day=1e-5, drift="none", prior_sd=0.3))
    for day in range(0, 401, days):
        ladder.record(["ann"], time=day * DAY)
    assert ladder.belief("ann").sd ** 2 == pytest.approx(0.3**2 + 400 * 1e-5, rel=1e-9)


def test_variance_grows_with_time_however_often_one_plays_in_a_period():
    often, twice = (
        Ladder(Luck(drift_per_day=0.01, period_days=30.0, drift="none", beta=0.0)) for _ in range(2)
    )
    for day in range(0, 40, 3):
        often.record(["ann", "bob"], time=day * DAY)
    for day in (0, 39):
        twice.record(["ann", "bob"], time=day * DAY)
    last = 39 * DAY
    ends = (each.belief("ann", at=last).sd for each in (often, twice))
    assert next(ends) == pytest.approx(next(ends), rel=1e-6)


def test_a_file_with_too_little_for_its_points_is_refused(tmp_path):
    ladder = Ladder(Luck(points=241))
    ladder.record(["ann", "bob"])
    ladder.save(tmp_path / "beliefs.npz")
    with np.load(tmp_path / "beliefs.npz") as file:
        arrays = dict(file)
    arrays["pool"] = arrays["pool"][:101]
    np.savez(tmp_path / "short.npz", **arrays)
    with pytest.raises(PodiumError, match="a damaged one"):
        Ladder.load(tmp_path / "short.npz")


@pytest.mark.parametrize("name", ["luck", "side_luck", "drift", "algorithm"])
def test_arrays_are_refused_in_a_sentence(name):
    with pytest.raises(PodiumError, match=f"{name} must be"):
        Luck(**{name: np.array([1.0, 2.0])})
