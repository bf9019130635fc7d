"""Elo-MMR and Elo-MMX as systems: against plain code, the reference numbers and the theorems."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium.systems import EloMMR, EloMMX, PerformanceModel
from tests.numerics import plain
from tests.numerics.test_performances import (
    gumbel_draw,
    gumbel_loss,
    gumbel_victory,
    sech_draw,
    sech_loss,
    sech_victory,
)

DAY = 86_400


@st.composite
def seasons(draw: st.DrawFn, contests: int = 8, players: int = 6):
    """Standings of a few contests among a few players: (names by rank, day, weight, ceiling)."""
    season = []
    day = 0
    for _ in range(draw(st.integers(1, contests))):
        field = draw(st.permutations([f"p{n}" for n in range(players)]))
        field = field[: draw(st.integers(1, players))]
        standings, rest = [], list(field)
        while rest:
            size = draw(st.sampled_from([1, 1, 1, 2, 3]))
            group, rest = rest[:size], rest[size:]
            standings.append(group[0] if len(group) == 1 else tuple(group))
        day += draw(st.integers(0, 60))
        weight = draw(st.sampled_from([1.0, 1.0, 1.0, 0.5, 2.0]))
        ceiling = draw(st.sampled_from([None, None, None, 1600.0]))
        season.append((standings, day, weight, ceiling))
    return season


def play(season, system):
    ladder = podium.Ladder(system)
    for standings, day, weight, ceiling in season:
        ladder.record(standings, time=day * DAY, weight=weight, perf_ceiling=ceiling)
    return ladder


def plainly(season, model):
    for standings, day, weight, ceiling in season:
        names, ranks = [], []
        for entry in standings:
            group = [entry] if isinstance(entry, str) else list(entry)
            ranks += [len(names) + 1] * len(group)
            names += group
        model.record(names, ranks, day, weight, math.inf if ceiling is None else ceiling)
    return model


@given(
    seasons(),
    st.sampled_from([0.0, 0.5, 1.0, 3.0, math.inf]),
    st.booleans(),
    st.sampled_from([0.0, 5.0]),
    st.sampled_from([(), (0.4, 0.7)]),
)
@settings(max_examples=80, deadline=None)
def test_elo_mmr_agrees_with_the_paper_written_out_plainly(season, rho, split, drift, delay):
    options = {"rho": rho, "split_ties": split, "drift_per_day": drift, "noob_delay": delay}
    ladder = play(season, EloMMR(**options))
    model = plainly(season, plain.EloMMR(**options))
    for name, player in model.players.items():
        assert ladder[name].mu == pytest.approx(player.mu, abs=1e-6)
        assert ladder[name].sigma == pytest.approx(player.sigma, rel=1e-12)
        assert ladder[name].contests == player.contests


@given(seasons(), st.booleans(), st.sampled_from([0.0, 5.0]), st.sampled_from([(), (0.4, 0.7)]))
@settings(max_examples=60, deadline=None)
def test_elo_mmx_agrees_with_the_paper_written_out_plainly(season, split, drift, delay):
    options = {"split_ties": split, "drift_per_day": drift, "noob_delay": delay}
    ladder = play(season, EloMMX(**options))
    model = plainly(season, plain.EloMMR(gaussian=True, **options))
    for name, player in model.players.items():
        assert ladder[name].mu == pytest.approx(player.mu, abs=1e-6)
        assert ladder[name].sigma == pytest.approx(player.sigma, rel=1e-12)


@pytest.mark.parametrize("name", ["elo-mmr", "elo-mmx"])
def test_the_first_30_codeforces_contests_agree_with_the_reference(shared, codeforces, name):
    reference = pl.read_parquet(shared / "reference" / "first_30_codeforces_contests.parquet")
    reference = reference.filter(pl.col("system") == name).with_columns(
        pl.col("contest").cast(pl.String)
    )
    history = podium.rate(codeforces[:30], name).history
    both = reference.join(history, on=["contest", "player"], suffix="_ours", validate="1:1")
    assert both.height == reference.height == history.height == 10_791
    for column in ("performance", "mu_before", "sigma_before", "mu", "sigma"):
        worst = (both[column] - both[f"{column}_ours"]).abs().max()
        assert worst < 1e-6, column


@pytest.mark.slow
def test_performances_of_real_contests_are_exact(codeforces_sample):
    """Against a direct sum over all opponents, in contests of every size."""
    season = codeforces_sample
    history = podium.rate(season, "elo-mmr").history
    system = EloMMR()
    beta2 = (1.0 + 1.0 / system.weight_limit) * system.sig_limit**2
    gamma2 = system.weight_limit * system.sig_limit**2
    for number in (0, 10, 83, 175, 250, 265, int(np.argmax(season.sizes))):
        contest = history.filter(pl.col("contest") == season[number].id)
        mu, ranks = contest["mu_before"].to_numpy(), contest["rank"].to_numpy()
        delta = np.sqrt(contest["sigma_before"].to_numpy() ** 2 + gamma2 + beta2)
        found = contest["performance"].to_numpy()
        for row in {0, 1, len(mu) // 3, len(mu) - 2, len(mu) - 1}:
            model, own = plain.LOGISTIC, ranks[row]
            below = plain.balance(model, mu, delta, ranks, own, False, found[row] - 1e-6)
            above = plain.balance(model, mu, delta, ranks, own, False, found[row] + 1e-6)
            assert below > 0.0 > above


@st.composite
def careers(draw: st.DrawFn):
    """Contests of one player, each against strangers whose ratings nothing else touches."""
    rounds = []
    for number in range(draw(st.integers(1, 6))):
        size = draw(st.integers(1, 5))
        strangers = [f"s{number}-{k}" for k in range(size)]
        warm_up = [draw(st.permutations(strangers)) for _ in range(draw(st.integers(0, 3)))]
        final = draw(st.permutations(strangers))
        rounds.append((warm_up, list(final), draw(st.integers(0, size))))
    return rounds


def final_rating(system, career, places):
    """The rating of the player who took these places among the strangers of each round."""
    ladder = podium.Ladder(system)
    for (warm_up, strangers, _), place in zip(career, places, strict=True):
        for standings in warm_up:
            ladder.record(standings)
        if isinstance(place, int):
            ladder.record([*strangers[:place], "player", *strangers[place:]])
        else:
            k = int(place)
            ladder.record([*strangers[:k], ("player", strangers[k]), *strangers[k + 1 :]])
    return ladder["player"]


SYSTEMS = [EloMMR(rho=0.0), EloMMR(), EloMMR(rho=3.0), EloMMR(rho=math.inf), EloMMX()]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: f"{s.name}-{getattr(s, 'rho', '')}")
@given(career=careers(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_theorem_5_5_improving_a_past_rank_never_lowers_the_rating(system, career, data):
    places = [place for _, _, place in career]
    base = final_rating(system, career, places)
    number = data.draw(st.integers(0, len(places) - 1))
    if places[number] == 0:
        return
    better = places[number] - data.draw(st.sampled_from([0.5, 1]))
    improved = final_rating(system, career, [*places[:number], better, *places[number + 1 :]])
    assert improved.mu > base.mu - 1e-9
    assert improved.sigma == base.sigma
    assert improved.rating >= base.rating - 1e-9


@pytest.mark.parametrize("system", [EloMMR(rho=math.inf), EloMMX()], ids=lambda s: s.name)
@given(
    gap=st.floats(0.0, 800.0),
    others=st.lists(st.floats(800.0, 2400.0), min_size=0, max_size=4),
    order=st.randoms(use_true_random=False),
)
@settings(max_examples=60, deadline=None)
def test_theorem_5_6_memoryless_systems_are_monotonic(system, gap, others, order):
    ladder = podium.Ladder(system)
    ladder.record(["i", "j", *(f"o{k}" for k in range(len(others)))])
    names = ladder.beliefs.names
    for name, mu in zip(names, [1500.0 + gap, 1500.0, *others], strict=True):
        record = ladder.beliefs.table[ladder.beliefs.index[name]]
        record["mu"] = record["p0"] = mu
        record["w0"], record["count"], record["first"] = record["sigma"] ** -2, 0, 0
        record["shared_b"], record["scale"] = 0.0, 1.0
    standings = list(names)
    order.shuffle(standings)
    i, j = ladder["i"], ladder["j"]
    ladder.record(standings)
    assert ladder["i"].sigma == ladder["j"].sigma
    if standings.index("i") < standings.index("j"):
        assert ladder["i"].mu > ladder["j"].mu
    else:
        assert ladder["j"].mu - j.mu > ladder["i"].mu - i.mu


@given(seasons())
@settings(max_examples=40, deadline=None)
def test_rho_zero_and_infinity_are_limits(season):
    for limit, near in ((0.0, 1e-9), (math.inf, 1e9)):
        exact, close = play(season, EloMMR(rho=limit)), play(season, EloMMR(rho=near))
        for name in exact:
            assert close[name].mu == pytest.approx(exact[name].mu, abs=1e-4)
            assert close[name].sigma == pytest.approx(exact[name].sigma, rel=1e-12)


@given(seasons(), st.sampled_from([EloMMR(), EloMMR(rho=0.2, split_ties=True), EloMMX()]))
@settings(max_examples=40, deadline=None)
def test_shifting_the_newcomers_rating_shifts_all_ratings(season, system):
    season = [(standings, day, weight, None) for standings, day, weight, _ in season]
    shifted = type(system)(**{**system.parameters, "mu_new": system.mu_new + 777.0})
    here, there = play(season, system), play(season, shifted)
    for name in here:
        assert there[name].mu == pytest.approx(here[name].mu + 777.0, abs=1e-6)


@given(seasons(), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_renaming_players_renames_ratings_and_nothing_else(season, order):
    names = [f"p{n}" for n in range(6)]
    others = [f"q{n}" for n in range(6)]
    order.shuffle(others)
    new = dict(zip(names, others, strict=True))
    renamed = [
        ([new[e] if isinstance(e, str) else tuple(new[n] for n in e) for e in standings], *rest)
        for standings, *rest in season
    ]
    before, after = play(season, EloMMR()), play(renamed, EloMMR())
    for name in before:
        assert after[new[name]].mu == pytest.approx(before[name].mu, abs=1e-9)


@given(seasons(), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_the_order_of_names_within_a_tie_does_not_matter_to_the_bit(season, order):
    def shuffled(entry):
        if isinstance(entry, str):
            return entry
        group = list(entry)
        order.shuffle(group)
        return tuple(group)

    again = [([shuffled(entry) for entry in standings], *rest) for standings, *rest in season]
    before, after = play(season, EloMMR()), play(again, EloMMR())
    assert all(before[name] == after[name] for name in before)


def test_uncertainty_settles_at_its_limit():
    ladder = podium.Ladder("elo-mmr", sig_limit=60.0)
    for _ in range(200):
        ladder.record(["ann", "bob"])
    assert ladder["ann"].sigma == pytest.approx(60.0, rel=1e-9)
    assert ladder["ann"].rating == pytest.approx(ladder["ann"].mu, abs=1e-6)


def test_the_rating_shown_is_cautious_about_newcomers():
    ladder = podium.Ladder("elo-mmr", caution=3.0)
    ladder.record(["ann", "bob"])
    ann = ladder["ann"]
    assert ann.rating == ann.mu - 3.0 * (ann.sigma - 80.0)


@pytest.mark.parametrize("system", [EloMMR(drift_per_day=4.0), EloMMX(drift_per_day=4.0)])
def test_a_contest_of_one_player_lets_time_pass_and_nothing_else(system):
    ladder = podium.Ladder(system)
    ladder.record(["ann", "bob"], time=0)
    before = ladder["ann"]
    ladder.record(["ann"], time=10 * DAY)
    after = ladder["ann"]
    assert after.mu == before.mu
    assert after.sigma == pytest.approx(math.sqrt(before.sigma**2 + 40.0), rel=1e-12)
    assert after.contests == 2


def test_a_contest_of_one_player_shows_no_performance():
    contests = podium.Contests.from_records(
        [{"contest": "solo", "time": "2026-01-01", "player": "ann", "rank": 1}]
    )
    rated = podium.rate(contests)
    assert rated.history["performance"].to_list() == [None]
    assert rated.ratings["mu"].item() == 1500.0


@pytest.mark.parametrize("system", ["elo-mmr", "elo-mmx"])
def test_newcomers_who_all_tie_stay_equal_and_become_more_certain(system):
    ladder = podium.Ladder(system)
    ladder.record([("ann", "bob", "cat")])
    assert {ladder[name].mu for name in ladder} == {ladder["ann"].mu}
    assert ladder["ann"].mu == pytest.approx(1500.0, abs=1e-9)
    assert ladder["ann"].sigma < 350.0


@pytest.mark.parametrize("system", ["elo-mmr", "elo-mmx"])
def test_20_000_individually_ranked_players_are_rated_in_order(system):
    names = [f"p{n:05}" for n in range(20_000)]
    ladder = podium.Ladder(system)
    ladder.record(names)
    mu = ladder.beliefs.column("mu")
    assert np.isfinite(mu).all()
    assert (np.diff(mu) < 0).all()


def test_a_newcomer_who_beats_the_champion_gains_within_the_bound():
    ladder = podium.Ladder("elo-mmr")
    for number in range(100):
        ladder.record(["champion", f"victim {number}"])
    champion = ladder["champion"].mu
    ladder.record(["newcomer", "champion"])
    assert 1500.0 < ladder["newcomer"].mu < champion
    assert ladder["champion"].mu < champion
    assert ladder["champion"].mu > champion - 80.0


def test_a_ceiling_caps_performances():
    ladder = podium.Ladder("elo-mmr")
    ladder.record(["ann", "bob", "cat"], perf_ceiling=1500.0)
    assert ladder["ann"].mu == pytest.approx(1500.0, abs=1e-9)
    assert ladder["cat"].mu < 1500.0


def test_a_heavier_contest_changes_more():
    gains = []
    for weight in (0.5, 1.0, 2.0):
        ladder = podium.Ladder("elo-mmr")
        ladder.record(["ann", "bob"], weight=weight)
        gains.append(ladder["ann"].mu - 1500.0)
    assert gains == sorted(gains)


@pytest.mark.parametrize("system", [EloMMR, EloMMX])
@given(season=seasons())
@settings(max_examples=20, deadline=None)
def test_subsampling_with_enough_opponents_errs_only_by_its_buckets(system, season):
    exact, sampled = play(season, system()), play(season, system(opponents=6))
    for name in exact:
        assert sampled[name].mu == pytest.approx(exact[name].mu, abs=4.0)


@pytest.mark.parametrize("system", [EloMMR, EloMMX])
def test_subsampling_newcomers_is_exact_because_all_stand_in_one_bucket(system):
    standings = ["ann", ("bob", "cat"), "dan", ("eve", "fay", "gus")]
    for split in (False, True):
        exact = podium.Ladder(system(split_ties=split))
        sampled = podium.Ladder(system(split_ties=split, opponents=2))
        exact.record(standings)
        sampled.record(standings)
        for name in exact:
            assert sampled[name].mu == pytest.approx(exact[name].mu, abs=1e-6)


def test_subsampling_is_an_approximation():
    contests = podium.simulate(players=300, rounds=5, seed=2)
    exact = podium.rate(contests).ratings.sort("player")
    sampled = podium.rate(contests, opponents=30).ratings.sort("player")
    difference = (exact["mu"] - sampled["mu"]).abs()
    assert 0.01 < difference.max() < 200.0
    assert np.corrcoef(exact["mu"], sampled["mu"])[0, 1] > 0.98


def test_a_short_history_changes_little():
    contests = podium.simulate(players=60, rounds=40, seed=3)
    exact = podium.rate(contests).ratings.sort("player")
    short = podium.rate(contests, EloMMR(history=8)).ratings.sort("player")
    assert 1e-6 < (exact["mu"] - short["mu"]).abs().max() < 5.0
    longer = podium.rate(contests, EloMMR(history=30)).ratings.sort("player")
    assert 0.0 < (exact["mu"] - longer["mu"]).abs().max() < 0.01


@pytest.fixture(scope="module")
def sech():
    return PerformanceModel("sech", sech_loss, sech_draw, sech_victory, strip=1.0)


def test_a_model_of_ones_own_rates_like_its_nearest_relative(sech):
    contests = podium.simulate(players=40, rounds=15, seed=4)
    own = podium.rate(contests, EloMMR(performance=sech)).ratings.sort("player")
    logistic = podium.rate(contests, EloMMR()).ratings.sort("player")
    assert np.isfinite(own["mu"].to_numpy()).all()
    assert (own["mu"] - logistic["mu"]).abs().max() < 60.0
    assert own["sigma"].to_numpy() == pytest.approx(logistic["sigma"].to_numpy(), rel=1e-12)


def test_a_model_of_ones_own_is_robust_and_monotonic(sech):
    system = EloMMR(performance=sech)
    ratings = []
    for place in (2, 1, 0):
        ladder = podium.Ladder(system)
        for _ in range(5):
            ladder.record(["ann", "bob", "cat"])
        ladder.record([*["ann", "bob"][:place], "cat", *["ann", "bob"][place:]])
        ratings.append(ladder["cat"].mu)
    assert ratings == sorted(ratings)
    assert ladder.win_probability("ann", "cat") + ladder.win_probability("cat", "ann") == 1.0


def test_the_logistic_given_as_ones_own_model_gives_the_same_ratings():
    def loss(z):
        return -math.pi / math.sqrt(3.0) / (1.0 + math.exp(-math.pi / math.sqrt(3.0) * z))

    def draw(z):
        return -math.pi / math.sqrt(3.0) * math.tanh(math.pi / math.sqrt(12.0) * z)

    def victory(z):
        return math.pi / math.sqrt(3.0) / (1.0 + math.exp(math.pi / math.sqrt(3.0) * z))

    own = PerformanceModel("own logistic", loss, draw, victory, strip=1.7)
    contests = podium.simulate(players=30, rounds=10, seed=5)
    ours = podium.rate(contests, EloMMR()).history
    theirs = podium.rate(contests, EloMMR(performance=own)).history
    for column in ("performance", "mu"):
        assert theirs[column].to_numpy() == pytest.approx(ours[column].to_numpy(), abs=1e-6)


def test_subsampling_is_not_for_models_of_ones_own(sech):
    with pytest.raises(podium.PodiumError, match="opponents works with the logistic and gaussian"):
        EloMMR(performance=sech, opponents=10)


def test_ratings_by_a_model_of_ones_own_are_read_back_with_it(sech, tmp_path):
    system = EloMMR(performance=sech, rho=math.inf)
    rated = podium.rate(podium.simulate(players=5, rounds=3), system)
    rated.save(tmp_path / "ratings")
    assert podium.Rated.load(tmp_path / "ratings", system).ratings.equals(rated.ratings)
    with pytest.raises(podium.PodiumError, match="performance must be logistic or gaussian"):
        podium.Rated.load(tmp_path / "ratings")


def test_a_gumbel_model_is_accepted():
    model = PerformanceModel("gumbel", gumbel_loss, gumbel_draw, gumbel_victory, strip=1.0)
    ladder = podium.Ladder(EloMMR(performance=model))
    ladder.record(["ann", ("bob", "cat"), "dan"])
    assert ladder["ann"].mu > ladder["bob"].mu == ladder["cat"].mu > ladder["dan"].mu


def test_models_that_are_not_log_concave_are_refused():
    def cauchy_draw(z):
        return -2.0 * z / (1.0 + z * z)

    def cauchy_victory(z):
        return 1.0 / (math.pi * (1.0 + z * z)) / (0.5 + math.atan(z) / math.pi)

    def cauchy_loss(z):
        return -1.0 / (math.pi * (1.0 + z * z)) / (0.5 - math.atan(z) / math.pi)

    with pytest.raises(podium.PodiumError, match="performance model 'cauchy'"):
        PerformanceModel("cauchy", cauchy_loss, cauchy_draw, cauchy_victory)


def test_models_less_smooth_than_they_claim_are_refused():
    with pytest.raises(podium.PodiumError, match="give a smaller strip"):
        PerformanceModel("sech", sech_loss, sech_draw, sech_victory, strip=4.0)


@pytest.mark.parametrize("system", ["elo-mmr", "elo-mmx"])
def test_win_probabilities_are_symmetric_and_grow_with_the_gap(system):
    ladder = podium.Ladder(system)
    for _ in range(5):
        ladder.record(["ann", "bob", "cat"])
    assert ladder.win_probability("ann", "cat") + ladder.win_probability("cat", "ann") == 1.0
    assert ladder.win_probability("ann", "cat") > ladder.win_probability("ann", "bob") > 0.5


def test_a_gaussian_elo_mmr_is_elo_mmx():
    contests = podium.simulate(players=30, rounds=10, seed=6)
    gaussian = podium.rate(contests, EloMMR(performance="gaussian")).ratings
    assert gaussian.equals(podium.rate(contests, EloMMX()).ratings)


def test_a_flat_model_is_refused():
    with pytest.raises(podium.PodiumError, match="loss does not fall, so f is not log-concave"):
        PerformanceModel("flat", lambda z: -1.0 + 0 * z, lambda z: 0 * z, lambda z: 1.0 + 0 * z)


def test_a_newcomer_cannot_be_uncertain_beyond_reason():
    with pytest.raises(
        podium.PodiumError, match="sigma_new must be at most 10,000 times sig_limit"
    ):
        EloMMR(sig_limit=0.01)


@pytest.mark.parametrize("system", [EloMMR, EloMMX])
@pytest.mark.parametrize("weight_limit", [1e-4, 100.0])
@pytest.mark.parametrize(("sig_limit", "sigma_new"), [(1e-3, 10.0), (1.0, 1e4), (1e6, 1e6)])
def test_the_limits_of_all_parameters_can_be_rated_with(system, weight_limit, sig_limit, sigma_new):
    extreme = system(weight_limit=weight_limit, sig_limit=sig_limit, sigma_new=sigma_new)
    ladder = podium.Ladder(extreme)
    for weight in (1.0, 1e-4, 1e4, 1.0):
        ladder.record(["ann", ("bob", "cat"), "dan"], weight=weight)
        ladder.record(["dan", "cat"], weight=weight)
    assert np.isfinite([[ladder[name].mu, ladder[name].sigma] for name in ladder]).all()
