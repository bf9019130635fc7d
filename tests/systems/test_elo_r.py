"""Elo-R as a system: against plain code, the paper's numbers and what it claims of them."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium.numerics import elo_r as kernel
from podium.numerics import factors
from podium.ratings.beliefs import Beliefs
from podium.systems import EloR
from tests.comparing import assert_same_beliefs
from tests.systems import plain_elo_r as plain
from tests.systems.test_elo_mmr import careers, final_rating, plainly, play, seasons

DAY = 86_400
NOISES = ["freeze-in", "simple"]


@given(
    seasons(),
    st.sampled_from(NOISES),
    st.sampled_from([0.0, 300.0]),
    st.sampled_from([None, None, 1, 3]),
)
@settings(max_examples=100, deadline=None)
def test_elo_r_agrees_with_the_paper_written_out_plainly(season, noise, drift, history):
    options = {"noise": noise, "drift_per_day": drift, "history": history}
    ladder = play(season, EloR(**options))
    model = plainly(season, plain.EloR(**options))
    for name, player in model.players.items():
        assert ladder[name].mu == pytest.approx(player.r, abs=1e-6)
        assert ladder[name].sigma == pytest.approx(player.sigma, rel=1e-9)
        assert ladder[name].contests == player.contests


class Career:
    """The belief about a player whose performances are given."""

    def __init__(self, *, reach=None, **parameters):
        self.system = EloR(**parameters)
        self.beliefs = Beliefs(self.system)
        self.ids = self.beliefs.enrol(["ann", "bob"])
        self.settings = self.system._settings[0].copy()
        if reach is not None:
            self.settings["reach"] = reach
        self.prior = np.empty((3, 2))
        self.events = np.empty((5, 2))

    @property
    def record(self):
        return self.beliefs.table[0]

    def add_noise(self, weight=1.0):
        b = self.beliefs
        kernel.prepare(
            b.table, b.pool, self.settings, self.ids, 0, weight, 0, 2, self.prior, self.events
        )

    def perform(self, p, weight=1.0):
        b = self.beliefs
        while not factors.reserve(b.table, b.pool, b.arena, self.ids):
            b.grow_pool()
        self.add_noise(weight)
        kernel.conclude(
            b.table, b.pool, self.settings, self.ids, np.inf, 0, 2, self.prior, np.full(2, p),
            self.events,
        )  # fmt: skip
        return self.record["mu"]

    def belief(self):
        """The same as a plain player."""
        r = self.record
        start = r["block"] + r["first"]
        inverse = self.beliefs.pool[start : start + r["count"]] * r["scale"]
        mu = self.beliefs.pool[start + r["room"] : start + r["room"] + r["count"]]
        taus = [float(r["w0"]) ** -0.5, *(1.0 / inverse).tolist()]
        return plain.Player(float(r["mu"]), float(r["sigma"]), [float(r["p0"]), *mu], taus)


def career_of(performances, **parameters):
    career = Career(**parameters)
    ratings = [career.perform(p) for p in performances]
    return career, ratings


def settled(level, noise, contests=300):
    return career_of([level] * contests, noise=noise)[0]


# Section 6.1: a player who performed at 1000 for long, and then performs at 3000.


def test_the_gains_of_section_6_1():
    career = settled(1000.0, "simple")
    assert career.record["mu"] == pytest.approx(1000.0, abs=1e-9)
    assert career.record["sigma"] == pytest.approx(100.0, rel=1e-12)
    ratings = [1000.0, *(career.perform(3000.0) for _ in range(7))]
    gains = np.diff(ratings).tolist()
    assert gains == pytest.approx([47.9, 63.5, 86.7, 124.5, 194.6, 357.4, 566.0], abs=0.05)
    assert ratings[6] == pytest.approx(1874.57, abs=0.01)
    assert career.record["sigma"] == pytest.approx(100.0, rel=1e-12)


def test_the_first_gain_of_section_6_1_is_the_most_there_can_be():
    far = [settled(1000.0, noise).perform(1e6) - 1000.0 for noise in NOISES]
    near = [settled(1000.0, noise).perform(3000.0) - 1000.0 for noise in NOISES]
    assert far == pytest.approx([47.9, 47.9], abs=0.05)
    assert far == pytest.approx(near, abs=1e-4)


def test_the_gains_of_section_6_1_without_outlier_reduction():
    """Near the rating a factor acts like a Gaussian one: 16 % of the gap each time."""
    millionth = 1e-6 * 2000.0
    for noise in NOISES:
        career = settled(1000.0, noise)
        ratings = [1000.0, *(career.perform(1000.0 + millionth) for _ in range(3))]
        assert np.diff(ratings) * 1e6 == pytest.approx([320.0, 268.8, 225.8], abs=0.05)


def test_after_the_flip_of_section_6_1_the_past_is_the_outlier():
    career = settled(1000.0, "simple")
    ratings = [career.perform(3000.0) for _ in range(12)]
    memoryless = [3000.0 - 2000.0 * 0.84 ** (k + 1) for k in range(12)]
    assert ratings[0] < memoryless[0]
    assert ratings[-1] > memoryless[-1]


def test_frozen_in_the_past_of_section_6_1_gives_way_a_little_later():
    """No published numbers: those of the plain code, at the accuracy that it states them."""
    career = settled(1000.0, "freeze-in")
    ratings = [1000.0, *(career.perform(3000.0) for _ in range(8))]
    expected = [47.9, 57.6, 70.8, 90.1, 120.8, 175.6, 288.3, 446.5]
    assert np.diff(ratings) == pytest.approx(expected, abs=0.05)


def test_the_public_rating_starts_208_and_120_below():
    for noise in NOISES:
        ladder = podium.Ladder("elo-r", noise=noise)
        for penalty in (207.9, 120.3):
            ladder.record(["ann", "bob"])
            assert ladder["ann"].mu - ladder["ann"].rating == pytest.approx(penalty, abs=0.05)


def test_eta_is_43_6436():
    career = Career()
    career.add_noise()
    assert career.record["sigma"] ** 2 - 350.0**2 == pytest.approx(43.6436**2, abs=0.005)


# Section 5: two ways to add noise.

histories = st.lists(
    st.tuples(st.floats(-1000.0, 5000.0), st.sampled_from([1.0, 1.0, 1.0, 0.1, 8.0])),
    min_size=1,
    max_size=25,
)


def career_after(history, **parameters):
    career = Career(**parameters)
    for p, weight in history:
        career.perform(p, weight)
    return career


@given(histories, st.sampled_from(NOISES))
@settings(max_examples=80, deadline=None)
def test_the_rating_is_the_mode_and_a_weighted_mean(history, noise):
    belief = career_after(history, noise=noise).belief()
    assert belief.mode() == pytest.approx(belief.r, abs=1e-8)
    assert np.average(belief.mu, weights=belief.weights()) == pytest.approx(belief.r, abs=1e-6)
    assert belief.certainty() == pytest.approx(belief.sigma**-2, rel=1e-9)


@given(histories, st.sampled_from([1e-4, 1.0, 50.0, 1e4]))
@settings(max_examples=100, deadline=None)
def test_freezing_in_leaves_the_mode_and_adds_the_noise(history, weight):
    career = career_after(history)
    before = career.belief()
    career.add_noise(weight)
    after = career.belief()
    eta2, _ = plain.EloR().contest(weight)
    assert after.mode() == pytest.approx(before.r, abs=1e-8)
    assert after.sigma**2 == pytest.approx(before.sigma**2 + eta2, rel=1e-12)
    assert after.certainty() == pytest.approx(after.sigma**-2, rel=1e-9)


@given(histories)
@settings(max_examples=60, deadline=None)
def test_freezing_in_reduces_all_weights_equally(history):
    career = career_after(history)
    before = career.belief()
    career.add_noise()
    ratios = np.array(career.belief().weights()) / np.array(before.weights())
    assert ratios == pytest.approx(ratios[0], rel=1e-9)


@given(histories)
@settings(max_examples=25, deadline=None)
def test_freezing_in_agrees_with_a_search_within_a_search(history):
    career = career_after(history)
    expected = career.belief()
    expected.freeze_in(plain.EloR().contest(1.0)[0])
    career.add_noise()
    assert career.belief().tau == pytest.approx(expected.tau, rel=1e-8)


def test_the_simple_procedure_moves_the_mode_towards_old_outliers():
    for noise in NOISES:
        career = settled(1500.0, noise)
        career.perform(3000.0)
        before = career.belief()
        for _ in range(5):
            career.add_noise()
        assert career.record["mu"] == before.r
        if noise == "simple":
            assert career.belief().mode() > before.mode() + 10.0
        else:
            assert career.belief().mode() == pytest.approx(before.mode(), abs=1e-8)


# Section 6: what the paper claims, and where it does not hold.


@pytest.mark.parametrize("noise", NOISES)
@given(career=careers(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_better_place_in_the_last_contest_never_lowers_the_rating(noise, career, data):
    places = [place for _, _, place in career]
    if places[-1] == 0:
        return
    better = places[-1] - data.draw(st.sampled_from([0.5, 1]))
    system = EloR(noise=noise)
    base = final_rating(system, career, places)
    improved = final_rating(system, career, [*places[:-1], better])
    assert improved.mu > base.mu - 1e-9
    assert improved.sigma == base.sigma


@given(career=careers(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_with_simple_noise_improving_a_past_place_never_lowers_the_rating(career, data):
    places = [place for _, _, place in career]
    number = data.draw(st.integers(0, len(places) - 1))
    if places[number] == 0:
        return
    better = places[number] - data.draw(st.sampled_from([0.5, 1]))
    system = EloR(noise="simple")
    base = final_rating(system, career, places)
    improved = final_rating(system, career, [*places[:number], better, *places[number + 1 :]])
    assert improved.mu > base.mu - 1e-9


def test_frozen_in_a_better_past_performance_can_lower_the_rating():
    """Against the paper's first claim of section 6: the outlier's weight is lost for good.

    Six contests after a performance of 4000 or of 1800, the latter has kept more of its weight,
    and holds the rating up when everything else falls.
    """

    def rating(p, noise):
        history = [1500.0] * 10 + [p] + [1500.0] * 6 + [-3000.0] * 8
        return career_of(history, noise=noise)[1][-1]

    assert rating(4000.0, "freeze-in") < rating(1800.0, "freeze-in") - 200.0
    assert rating(4000.0, "simple") > rating(1800.0, "simple")


def test_of_two_performances_the_better_one_had_better_be_the_later_one_unless_both_are_outliers():
    """The paper's second claim of section 6, and a counterexample to it."""

    def rating(*last):
        return career_of([1500.0] * 20 + list(last), noise="simple")[1][-1]

    assert rating(1350.0, 1650.0) > rating(1650.0, 1350.0) + 1.0
    assert rating(500.0, 900.0) < rating(900.0, 500.0) - 0.5


@pytest.mark.parametrize("noise", NOISES)
def test_one_contest_moves_an_experienced_player_by_48_points_at_most(noise):
    ladder = podium.Ladder("elo-r", noise=noise)
    for number in range(100):
        ladder.record(["champion", f"victim {number}"])
    champion = ladder["champion"].mu
    ladder.record(["newcomer", "champion"])
    assert 1500.0 < ladder["newcomer"].mu < champion
    assert champion - 60.0 < ladder["champion"].mu < champion


# What it shares with other systems.


@given(seasons(), st.sampled_from(NOISES))
@settings(max_examples=40, deadline=None)
def test_shifting_the_newcomers_rating_shifts_all_ratings(season, noise):
    season = [(standings, day, weight, None) for standings, day, weight, _ in season]
    here = play(season, EloR(noise=noise))
    there = play(season, EloR(noise=noise, mu_new=2277.0))
    for name in here:
        assert there[name].mu == pytest.approx(here[name].mu + 777.0, abs=1e-6)


@given(seasons(), st.sampled_from(NOISES), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_renaming_players_renames_ratings_and_nothing_else(season, noise, order):
    others = [f"q{n}" for n in range(6)]
    order.shuffle(others)
    new = {f"p{n}": other for n, other in enumerate(others)}
    renamed = [
        ([new[e] if isinstance(e, str) else tuple(new[n] for n in e) for e in standings], *rest)
        for standings, *rest in season
    ]
    before, after = play(season, EloR(noise=noise)), play(renamed, EloR(noise=noise))
    for name in before:
        assert after[new[name]].mu == pytest.approx(before[name].mu, abs=1e-9)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("weight", [0.3, 1.0, 20.0])
def test_uncertainty_settles_at_its_limit_whatever_the_weight(noise, weight):
    ladder = podium.Ladder("elo-r", sig_limit=60.0, noise=noise)
    for _ in range(600):
        ladder.record(["ann", "bob"], weight=weight)
    assert ladder["ann"].sigma == pytest.approx(60.0, rel=1e-9)
    assert ladder["ann"].rating == pytest.approx(ladder["ann"].mu, abs=1e-6)


def test_a_heavier_contest_changes_more():
    gains = []
    for weight in (1e-4, 0.5, 1.0, 2.0, 1e4):
        ladder = podium.Ladder("elo-r")
        for _ in range(20):
            ladder.record(["ann", "bob"])
        before = ladder["bob"].mu
        ladder.record(["bob", "ann"], weight=weight)
        gains.append(ladder["bob"].mu - before)
    assert gains == sorted(gains)
    assert gains[0] < 0.2 < 100.0 < gains[-1]


@pytest.mark.parametrize("noise", NOISES)
def test_a_contest_of_one_player_lets_time_pass_and_nothing_else(noise):
    ladder = podium.Ladder("elo-r", noise=noise, drift_per_day=4.0)
    ladder.record(["ann", "bob"], time=0)
    before = ladder["ann"]
    ladder.record(["ann"], time=10 * DAY)
    after = ladder["ann"]
    assert after.mu == before.mu
    assert after.sigma == pytest.approx(math.sqrt(before.sigma**2 + 40.0), rel=1e-12)
    assert after.contests == 2


def test_without_drift_a_contest_of_one_player_changes_nothing_and_shows_no_performance():
    contests = podium.Contests.from_records(
        [{"contest": "solo", "time": "2026-01-01", "player": "ann", "rank": 1}]
    )
    rated = podium.rate(contests, "elo-r")
    assert rated.history["performance"].to_list() == [None]
    assert rated.ratings["mu"].item() == 1500.0
    assert rated.ratings["sigma"].item() == 350.0


def test_uncertainty_grows_with_absence_only_if_there_is_drift():
    for drift in (0.0, 9.0):
        ladder = podium.Ladder("elo-r", drift_per_day=drift)
        ladder.record(["ann", "bob"], time=0)
        beliefs, later = ladder.beliefs, 100 * DAY * 1_000_000
        mu, sigma = beliefs.system.aged(beliefs, np.array([0]), later)
        assert mu[0] == ladder["ann"].mu
        assert sigma[0] ** 2 == pytest.approx(ladder["ann"].sigma ** 2 + 100.0 * drift, rel=1e-12)


def test_a_ceiling_caps_performances():
    ladder = podium.Ladder("elo-r")
    ladder.record(["ann", "bob", "cat"], perf_ceiling=1500.0)
    assert ladder["ann"].mu == pytest.approx(1500.0, abs=1e-9)
    assert ladder["cat"].mu < 1500.0


@pytest.mark.parametrize("noise", NOISES)
def test_old_performances_join_the_gaussian_factor_and_nobody_can_tell(noise):
    rng = np.random.default_rng(3)
    performances = np.where(rng.random(400) < 0.1, 3500.0, rng.normal(1800.0, 300.0, 400))
    merging, whole = Career(noise=noise), Career(noise=noise, reach=1e15)
    for p in performances:
        assert merging.perform(p) == pytest.approx(whole.perform(p), abs=1e-8)
    assert merging.record["count"] < 120 < whole.record["count"]
    assert merging.record["sigma"] == pytest.approx(whole.record["sigma"], rel=1e-10)


@pytest.mark.parametrize("noise", NOISES)
def test_a_long_career_never_underflows(noise):
    career = Career(noise=noise)
    for number in range(3000):
        career.perform(1500.0 + 300.0 * math.sin(number))
    assert 1200.0 < career.record["mu"] < 1800.0
    assert career.record["room"] <= 256
    belief = career.belief()
    assert belief.mode() == pytest.approx(belief.r, abs=1e-8)


def test_a_short_history_changes_little():
    contests = podium.simulate(players=60, rounds=40, seed=3)
    exact = podium.rate(contests, EloR()).ratings.sort("player")
    for history, low, high in ((4, 0.1, 30.0), (20, 1e-6, 1.0), (40, 0.0, 1e-8)):
        short = podium.rate(contests, EloR(history=history)).ratings.sort("player")
        assert low <= (exact["mu"] - short["mu"]).abs().max() <= high


@pytest.mark.parametrize("noise", NOISES)
def test_batches_and_threads_change_nothing_to_the_bit(noise):
    few = podium.simulate(players=80, rounds=12, seed=4)
    many = podium.simulate(players=6000, rounds=2, participation=0.9, seed=5)
    for contests in (few, many):
        assert contests.sizes.max() > 4096 or contests is few
        whole = podium.rate(contests, EloR(noise=noise), threads=1)
        half = len(contests) // 2
        for threads in (1, 2, 3):
            first = podium.rate(contests[:half], EloR(noise=noise), threads=threads)
            second = podium.rate(contests[half:], beliefs=first.beliefs, threads=threads)
            assert_same_beliefs(whole.beliefs, second.beliefs)


@pytest.mark.parametrize("noise", NOISES)
def test_20_000_players_are_rated_in_order_or_alike(noise):
    names = [f"p{n:05}" for n in range(20_000)]
    ladder = podium.Ladder("elo-r", noise=noise)
    ladder.record(names)
    mu = ladder.beliefs.column("mu")
    assert np.isfinite(mu).all()
    assert (np.diff(mu) < 0).all()
    ladder.record([tuple(names)])
    assert np.isfinite(ladder.beliefs.column("mu")).all()
    alike = podium.Ladder("elo-r", noise=noise)
    alike.record([tuple(names)])
    assert alike.beliefs.column("mu") == pytest.approx(1500.0, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISES)
def test_performances_of_real_contests_are_exact(codeforces_sample, noise):
    """Against a direct sum over all opponents, in contests of every size."""
    season = codeforces_sample
    history = podium.rate(season, "elo-r", noise=noise).history
    eta2, gamma2 = plain.EloR().contest(1.0)
    for number in (0, 10, 83, 175, 250, 265, int(np.argmax(season.sizes))):
        contest = history.filter(pl.col("contest") == season[number].id)
        mu, ranks = contest["mu_before"].to_numpy(), contest["rank"].to_numpy()
        bar = np.sqrt(contest["sigma_before"].to_numpy() ** 2 + eta2 + gamma2)
        found = contest["performance"].to_numpy()
        for row in {0, 1, len(mu) // 3, len(mu) - 2, len(mu) - 1}:
            for offset, sign in ((-1e-6, 1.0), (1e-6, -1.0)):
                terms = (
                    np.sign(ranks - ranks[row]) - np.tanh((found[row] + offset - mu) / bar)
                ) / bar
                terms[row] *= 2.0
                assert sign * math.fsum(terms) > 0.0


def test_win_probabilities_are_symmetric_and_grow_with_the_gap():
    ladder = podium.Ladder("elo-r")
    for _ in range(5):
        ladder.record(["ann", "bob", "cat"])
    assert ladder.win_probability("ann", "cat") + ladder.win_probability("cat", "ann") == 1.0
    assert ladder.win_probability("ann", "cat") > ladder.win_probability("ann", "bob") > 0.5


def test_win_probabilities_use_the_scale_of_performances():
    ladder = podium.Ladder("elo-r")
    ladder.record(["ann", "bob"])
    ann, bob = ladder["ann"], ladder["bob"]
    eta2, gamma2 = plain.EloR().contest(1.0)
    bar = math.sqrt(ann.sigma**2 + bob.sigma**2 + 2.0 * (eta2 + gamma2))
    expected = 0.5 * (1.0 + math.tanh((ann.mu - bob.mu) / bar))
    assert ladder.win_probability("ann", "bob") == pytest.approx(expected, abs=1e-12)


def test_the_chances_of_a_whole_field_add_up():
    ladder = podium.Ladder("elo-r")
    for _ in range(3):
        ladder.record(["ann", ("bob", "cat"), "dan"])
    beliefs = ladder.beliefs
    chances = beliefs.system.rank_probabilities(beliefs, range(4), top=2)
    assert chances.first.sum() == pytest.approx(1.0, abs=1e-12)
    assert chances.top.sum() == pytest.approx(2.0, abs=1e-9)
    assert chances.expected_rank.sum() == pytest.approx(10.0, abs=1e-9)


@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [
        ({"noise": "frozen"}, "noise must be freeze-in or simple, not 'frozen'"),
        ({"noise": "Simple"}, "(did you mean 'simple'?)"),
        ({"sig_limit": 0.0}, "sig_limit must be a number of at least 0.001"),
        (
            {"sig_performance": 100.0},
            "sig_performance must be from 1.01 to 100 times sig_limit, "
            "not 100 with a sig_limit of 100.",
        ),
        ({"sig_limit": 1.0}, "sig_performance must be from 1.01 to 100 times sig_limit"),
        (
            {"sig_limit": 0.01, "sig_performance": 0.1},
            "sigma_new must be at most 10,000 times sig_limit",
        ),
        ({"history": 0}, "history must be a whole number of at least 1"),
        ({"drift_per_day": -1.0}, "drift_per_day must be a number of at least 0"),
    ],
    ids=str,
)
def test_a_value_that_cannot_be_is_refused_with_what_could(parameters, wanted):
    with pytest.raises(podium.PodiumError) as refused:
        EloR(**parameters)
    assert wanted in str(refused.value)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("ratio", [1.01, 100.0])
@pytest.mark.parametrize(("sig_limit", "sigma_new"), [(1e-3, 10.0), (1.0, 1e4), (1e6, 1e6)])
def test_the_limits_of_all_parameters_can_be_rated_with(noise, ratio, sig_limit, sigma_new):
    system = EloR(
        noise=noise,
        sig_limit=sig_limit,
        sig_performance=ratio * sig_limit,
        sigma_new=sigma_new,
        drift_per_day=1e6,
    )
    ladder = podium.Ladder(system)
    for day, weight in enumerate((1.0, 1e-4, 1e4, 1.0, 1.0)):
        ladder.record(["ann", ("bob", "cat"), "dan"], weight=weight, time=day * 1000 * DAY)
        ladder.record(["dan", "cat"], weight=weight)
    assert np.isfinite([[ladder[name].mu, ladder[name].sigma] for name in ladder]).all()


def test_saved_beliefs_go_on_to_the_bit(tmp_path):
    contests = podium.simulate(players=30, rounds=12, seed=6)
    whole = podium.rate(contests, "elo-r")
    podium.rate(contests[:6], "elo-r").beliefs.save(tmp_path / "beliefs.npz")
    rest = podium.rate(contests[6:], beliefs=tmp_path / "beliefs.npz")
    assert_same_beliefs(whole.beliefs, rest.beliefs)
