"""The Topcoder system: against plain code, the papers' numbers, and the way to farm it."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

import podium
from podium.systems import Topcoder
from tests.comparing import assert_same_beliefs
from tests.numerics.contests import ranks_from
from tests.systems import plain_topcoder as plain
from tests.systems.test_codeforces import massive, rated_by_peer
from tests.systems.test_elo_mmr import play, seasons

__all__ = ["massive"]


def plainly(season, model):
    for standings, _, weight, ceiling in season:
        names, ranks = [], []
        for entry in standings:
            group = [entry] if isinstance(entry, str) else list(entry)
            ranks += [len(names) + 1] * len(group)
            names += group
        model.record(names, ranks, weight, math.inf if ceiling is None else ceiling)
    return model


def ladder_of(mu, sigma, contests=0):
    """A ladder of players with these ratings and volatilities, named by place."""
    ladder = podium.Ladder("topcoder")
    names = [f"p{n:05}" for n in range(len(mu))]
    ladder.beliefs.enrol(names)
    table = ladder.beliefs.table[: len(names)]
    table["mu"], table["sigma"], table["contests"] = mu, sigma, contests
    return ladder, names


def standings(names, ranks):
    groups = {}
    for name, rank in zip(names, ranks, strict=True):
        groups.setdefault(int(rank), []).append(name)
    return [tuple(groups[rank]) for rank in sorted(groups)]


@given(
    seasons(),
    st.sampled_from([(1200.0, 515.0), (1500.0, 350.0), (2490.0, 3000.0)]),
    st.sampled_from(["site", "papers"]),
)
@settings(max_examples=80, deadline=None)
def test_seasons_agree_with_the_system_written_out_plainly(season, start, variant):
    ladder = play(season, Topcoder(variant=variant, mu_new=start[0], sigma_new=start[1]))
    model = plainly(season, plain.Topcoder(*start, *[variant == "papers"] * 2))
    for name, player in model.players.items():
        assert ladder[name].mu == pytest.approx(player.mu, abs=1e-8)
        assert ladder[name].sigma == pytest.approx(player.sigma, rel=1e-11)
        assert ladder[name].contests == player.contests


@given(
    st.integers(2, 400),
    st.integers(0, 2**32),
    st.sampled_from([0.0, 300.0, 2000.0]),
    st.sampled_from([(100.0, 515.0), (515.0, 515.0), (1.0, 1000.0)]),
)
@settings(max_examples=40, deadline=None)
def test_contests_of_all_sizes_agree_with_a_direct_sum(rows, seed, spread, volatility):
    rng = np.random.default_rng(seed)
    mu = 1500.0 + spread * rng.standard_normal(rows)
    sigma = np.exp(rng.uniform(*np.log(volatility), rows))
    ranks = ranks_from(np.sort(rng.integers(0, rng.choice([1, 5, 10**6]), rows) * 1.0)[::-1])
    ladder, names = ladder_of(mu, sigma, contests=3)
    ladder.record(standings(names, ranks))
    model = plain.Topcoder()
    model.players = {n: plain.Player(m, s, 3) for n, m, s in zip(names, mu, sigma, strict=True)}
    model.record(names, ranks)
    exact = [[model.players[name].mu, model.players[name].sigma] for name in names]
    found = np.stack([ladder.beliefs.column("mu"), ladder.beliefs.column("sigma")], axis=1)
    assert found == pytest.approx(np.array(exact), abs=1e-8, rel=0)


def test_the_first_contest_of_two_newcomers_by_hand():
    """E/N is one half, actual ranks are 1/4 and 3/4; weight 1.5; no cap is reached."""
    ladder = podium.Ladder("topcoder")
    ladder.record(["ann", "bob"])
    change = 1.5 / 2.5 * 515.0 * 0.6744897501960817
    assert ladder["ann"].mu == pytest.approx(1200.0 + change, abs=1e-9)
    assert ladder["bob"].mu == pytest.approx(1200.0 - change, abs=1e-9)
    volatility = math.sqrt(change**2 / 1.5 + 515.0**2 / 2.5)
    assert ladder["ann"].sigma == pytest.approx(volatility, rel=1e-14)
    assert ladder["ann"].rating == ladder["ann"].mu


@pytest.mark.parametrize(
    ("mu", "factor"), [(1999.9, 1.0), (2000.0, 0.9), (2500.0, 0.9), (2500.1, 0.8)]
)
def test_the_weight_falls_in_the_upper_bands(mu, factor):
    """After ten contests, against equals: the change is w / (1 + w) of one quantile."""
    ladder, names = ladder_of([mu, mu], [300.0, 300.0], contests=10)
    ladder.record(names)
    w = factor * (1.0 / (1.0 - (0.42 / 11 + 0.18)) - 1.0)
    change = w / (1.0 + w) * 300.0 * -ndtri(0.25)
    assert ladder[names[0]].mu == pytest.approx(mu + change, abs=1e-9)


@pytest.mark.parametrize("contests", [0, 1, 7, 1000])
def test_no_change_exceeds_the_cap(contests):
    ladder, names = ladder_of([5000.0, 1000.0, 1000.0, 1000.0], [100.0] * 4, contests)
    ladder.record(names[1:] + names[:1])
    cap = 150.0 + 1500.0 / (contests + 2)
    assert ladder[names[0]].mu == pytest.approx(5000.0 - cap, abs=1e-9)


def test_the_first_30_codeforces_contests_agree_with_the_papers_program(shared, codeforces):
    """It starts at 1500 / 350; its other variations play no part, because nobody meets a cap."""
    reference = pl.read_parquet(shared / "reference" / "first_30_codeforces_contests.parquet")
    reference = reference.filter(pl.col("system") == "topcoder").with_columns(
        pl.col("contest").cast(pl.String)
    )
    history = podium.rate(codeforces[:30], Topcoder(mu_new=1500.0, sigma_new=350.0)).history
    both = reference.join(history, on=["contest", "player"], suffix="_ours", validate="1:1")
    assert both.height == reference.height == history.height == 10_791
    for column in ("performance", "mu_before", "sigma_before", "mu", "sigma"):
        assert (both[column] - both[f"{column}_ours"]).abs().max() < 1e-6, column
    model = plain.Topcoder(1500.0, 350.0)
    varied = plain.Topcoder(1500.0, 350.0, uncapped_volatility=True, band_from_2500=True)
    for contest in codeforces[:30]:
        for each in (model, varied):
            each.record(contest.players, contest.rank.tolist())
    assert model.players == varied.players


PEER = {"variant": "papers", "mu_new": 1500.0, "sigma_new": 350.0}


@given(seasons(), st.sampled_from([(1500.0, 350.0), (2490.0, 3000.0)]))
@settings(max_examples=40, deadline=None)
def test_the_papers_variant_agrees_with_the_peer_in_contests_of_weight_one(season, start):
    season = [(standings, day, 1.0, None) for standings, day, _, _ in season if len(standings) > 1]
    theirs = rated_by_peer(season, "tcsys", *start)
    ours = play(season, Topcoder(variant="papers", mu_new=start[0], sigma_new=start[1]))
    for name, player in theirs.items():
        assert ours[name].mu == pytest.approx(player.mu, rel=1e-7)
        assert ours[name].sigma == pytest.approx(player.sig, rel=1e-7)


@given(seasons())
@settings(max_examples=40, deadline=None)
def test_in_weighted_contests_the_peer_also_widens_gaps(season):
    season = [(*contest[:3], None) for contest in season if len(contest[0]) > 1]
    model = plainly(season, plain.Topcoder(1500.0, 350.0, True, True, weighted_chances=True))
    for name, player in rated_by_peer(season, "tcsys").items():
        assert model.players[name].mu == pytest.approx(player.mu, abs=1e-5)
        assert model.players[name].sigma == pytest.approx(player.sig, abs=1e-5)


def test_the_published_volatility_uses_the_change_after_the_cap():
    names = [f"p{n:02}" for n in range(20)]
    site = podium.Ladder("topcoder", mu_new=1500.0, sigma_new=3000.0)
    papers = podium.Ladder("topcoder", variant="papers", mu_new=1500.0, sigma_new=3000.0)
    for ladder in (site, papers):
        ladder.record(names)
    assert site["p00"].mu == papers["p00"].mu == 2400.0
    assert site["p00"].sigma == pytest.approx(
        math.sqrt(900.0**2 / 1.5 + 3000.0**2 / 2.5), rel=1e-12
    )
    assert papers["p00"].sigma > site["p00"].sigma + 500.0


def test_a_rating_of_exactly_2500_is_in_the_upper_band_in_the_papers_only():
    gains = []
    for variant in ("site", "papers"):
        ladder = podium.Ladder("topcoder", variant=variant, mu_new=2500.0)
        ladder.record(["ann", "bob"])
        gains.append(ladder["ann"].mu - 2500.0)
    assert gains[0] / gains[1] == pytest.approx((1.35 / 2.35) / (1.2 / 2.2), rel=1e-12)


def test_the_reference_counts_this_contest_which_gives_the_published_weights_and_caps():
    for before in range(50):
        t = before + 1
        share = 0.18 + 0.42 / t
        published = 1.0 / (1.0 - (0.42 / (before + 1) + 0.18)) - 1.0
        assert share / (1.0 - share) == pytest.approx(published, rel=1e-14)
        assert 150.0 + 1500.0 / (t + 1) == 150.0 + 1500.0 / (before + 2)


@pytest.mark.slow
def test_performances_of_real_contests_are_exact(codeforces_sample):
    """Against a direct sum over all opponents, in contests of every size."""
    season = codeforces_sample
    history = podium.rate(season, "topcoder").history
    for number in (0, 10, 83, 175, 250, 265, int(np.argmax(season.sizes))):
        contest = history.filter(pl.col("contest") == season[number].id)
        mu, sigma = contest["mu_before"].to_numpy(), contest["sigma_before"].to_numpy()
        ranks, found = contest["rank"].to_numpy(), contest["performance"].to_numpy()
        n = len(mu)
        factor = math.sqrt((sigma**2).mean() + mu.var(ddof=1))
        some = {
            0,
            1,
            n // 3,
            n - 1,
            *(int(f(x)) for f in (np.argmax, np.argmin) for x in (mu, sigma)),
        }
        for row in some:
            expected = ndtr((mu - mu[row]) / np.hypot(sigma, sigma[row])).sum()
            actual = (ranks < ranks[row]).sum() + 0.5 * (ranks == ranks[row]).sum()
            exact = mu[row] + factor * (ndtri(expected / n) - ndtri(actual / n))
            assert found[row] == pytest.approx(exact, abs=1e-7)


def season_among_strangers(system, places, field=49):
    """The player who took these places in contests against so many newcomers each."""
    ladder = podium.Ladder(system)
    for number, place in enumerate(places):
        strangers = [f"s{number}-{k}" for k in range(field)]
        ladder.record([*strangers[: place - 1], "player", *strangers[place - 1 :]])
    return ladder["player"]


def test_volatility_can_be_farmed_by_one_deliberate_last_place():
    """Twelve contests in a field of 50 that never changes: second every time, or last once."""
    always, once = [2] * 12, [2, 2, 50, *[2] * 9]
    for variant in ("site", "papers"):
        system = Topcoder(variant=variant)
        honest, farmer = (
            season_among_strangers(system, always),
            season_among_strangers(system, once),
        )
        assert farmer.sigma > 1.5 * honest.sigma
        assert farmer.mu > honest.mu + 90.0
    honest, farmer = (season_among_strangers("elo-mmr", places) for places in (always, once))
    assert farmer.mu < honest.mu


@pytest.mark.slow
def test_the_farming_attack_of_figure_2_pays_a_champion(codeforces):
    """Five years of Codeforces; in the middle, last place whenever the rating is above 2975.

    As the paper says; tests/evaluation/attacks/test_farming.py has the other variant.
    """
    ends = []
    for attack in (False, True):
        ladder = podium.Ladder(Topcoder(**PEER))
        for number, contest in enumerate(codeforces[:462]):
            names, ranks = contest.players, contest.rank.tolist()
            throws = attack and 128 <= number <= 345 and "tourist" in names
            if throws and ladder["tourist"].mu > 2975.0:
                own = names.index("tourist")
                names = [*names[:own], *names[own + 1 :], "tourist"]
                ranks = [*ranks[:own], *ranks[own + 1 :], len(names) + 1]
            ladder.record(standings(names, ranks))
        ends.append(ladder["tourist"].mu)
    assert round(ends[1] - ends[0]) == 523


@given(
    st.integers(2, 30),
    st.integers(0, 2**32),
    st.integers(0, 60),
    st.integers(0, 60),
    st.sampled_from([0, 2, 20]),
)
@settings(max_examples=60, deadline=None)
def test_in_one_contest_a_better_place_never_lowers_the_rating(rows, seed, one, other, contests):
    """Places are counted in halves: an odd one is a tie with the others there."""
    rng = np.random.default_rng(seed)
    mu, sigma = rng.normal(1500.0, 400.0, rows + 1), rng.uniform(50.0, 600.0, rows + 1)

    def rating_at(place):
        keys = np.append(2.0 * np.arange(1, rows + 1), place)
        order = np.argsort(keys, kind="stable")
        ladder, names = ladder_of(mu[order], sigma[order], contests)
        ladder.record(standings(names, ranks_from(-keys[order])))
        return ladder.beliefs.column("mu")[np.argmax(order)]

    better, worse = sorted((one + 1, other + 1))
    assert rating_at(better) >= rating_at(worse) - 1e-9


@given(seasons())
@settings(max_examples=40, deadline=None)
def test_shifting_the_newcomers_rating_shifts_all_ratings_below_the_upper_bands(season):
    season = [(standings, day, weight, None) for standings, day, weight, _ in season]
    here = play(season, Topcoder(mu_new=-9000.0))
    there = play(season, Topcoder(mu_new=-8223.0))
    for name in here:
        assert there[name].mu == pytest.approx(here[name].mu + 777.0, abs=1e-8)
        assert there[name].sigma == pytest.approx(here[name].sigma, rel=1e-11)


@given(seasons(), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_renaming_players_renames_ratings_and_nothing_else(season, order):
    others = [f"q{n}" for n in range(6)]
    order.shuffle(others)
    new = dict(zip([f"p{n}" for n in range(6)], others, strict=True))
    renamed = [
        ([new[e] if isinstance(e, str) else tuple(new[n] for n in e) for e in standings], *rest)
        for standings, *rest in season
    ]
    before, after = play(season, Topcoder()), play(renamed, Topcoder())
    for name in before:
        assert after[new[name]].mu == pytest.approx(before[name].mu, abs=1e-9)


def test_20_000_individually_ranked_players_are_rated_in_order():
    ladder = podium.Ladder("topcoder")
    ladder.record([f"p{n:05}" for n in range(20_000)])
    mu, sigma = ladder.beliefs.column("mu"), ladder.beliefs.column("sigma")
    assert (np.isfinite(mu) & np.isfinite(sigma)).all()
    free = np.abs(mu - 1200.0) < 899.9
    assert (np.diff(mu)[free[1:]] < 0).all()


def test_20_000_players_who_all_tie_stay_equal_and_become_less_volatile():
    ladder = podium.Ladder("topcoder")
    ladder.record([tuple(f"p{n:05}" for n in range(20_000))])
    assert ladder.beliefs.column("mu") == pytest.approx(1200.0, abs=1e-9)
    assert (ladder.beliefs.column("sigma") < 400.0).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("rows", [2, 3, 30, 300, 20_000])
@pytest.mark.parametrize("narrow", [1e-6, 100.0])
def test_gaps_of_10_000_points_do_no_harm(rows, narrow):
    rng = np.random.default_rng(rows)
    mu = 1500.0 + 10_000.0 * rng.integers(-1, 2, rows) + rng.normal(0.0, 200.0, rows)
    sigma = rng.choice([narrow, 100.0, 515.0], rows)
    ladder, names = ladder_of(mu, sigma)
    ladder.record(names)
    assert (np.abs(ladder.beliefs.column("mu") - mu) <= 900.0 + 1e-9).all()
    assert np.isfinite(ladder.beliefs.column("sigma")).all()


@pytest.mark.parametrize("rows", [1000, 20_000])
def test_a_champion_10_000_points_ahead_of_thousands_gets_what_is_due(rows):
    """E is one half, as small as it can be, and must not be lost among the others' thousands."""
    mu, sigma = np.full(rows, 1500.0), np.full(rows, 300.0)
    mu[rows // 2] = 11_500.0
    ladder, names = ladder_of(mu, sigma, contests=1000)
    ladder.record([names[rows // 2], tuple(names[: rows // 2] + names[rows // 2 + 1 :])])
    assert ladder[names[rows // 2]].mu == pytest.approx(11_500.0, abs=1e-6)


def test_players_who_always_draw_never_lose_all_volatility():
    ladder = podium.Ladder("topcoder")
    for _ in range(3000):
        ladder.record([("ann", "bob")])
    assert ladder["ann"].sigma == 1e-6
    ladder.record(["ann", "bob"])
    assert 1200.0 < ladder["ann"].mu < 1200.1


def test_threads_and_batches_change_no_bit(massive):
    at_once = podium.rate(massive, "topcoder", threads=1)
    for threads in (2, 3):
        shared = podium.rate(massive, "topcoder", threads=threads)
        assert_same_beliefs(shared.beliefs, at_once.beliefs)
        assert shared.history.equals(at_once.history)
    beliefs = podium.rate(massive[:3], "topcoder", threads=2, history=False).beliefs
    resumed = podium.rate(massive[3:], beliefs=beliefs, threads=1, history=False)
    assert_same_beliefs(resumed.beliefs, at_once.beliefs)


def test_a_contest_of_one_player_counts_and_changes_nothing():
    ladder = podium.Ladder("topcoder")
    ladder.record(["ann", "bob"], time="2026-01-01")
    before = ladder["ann"]
    ladder.record(["ann"], time="2026-02-01")
    after = ladder["ann"]
    assert (after.mu, after.sigma, after.contests) == (before.mu, before.sigma, 2)
    assert after.last_time > before.last_time
    contests = podium.Contests.from_records(
        [{"contest": "solo", "time": "2026-01-01", "player": "ann", "rank": 1}]
    )
    assert podium.rate(contests, "topcoder").history["performance"].to_list() == [None]


def test_a_heavier_contest_changes_more_and_a_weightless_one_almost_nothing():
    gains = {}
    for weight in (1e-4, 0.5, 1.0, 2.0, 1e4):
        ladder = podium.Ladder("topcoder")
        ladder.record(["ann", "bob"], weight=weight)
        gains[weight] = ladder["ann"].mu - 1200.0
    for weight, gain in gains.items():
        w = 1.5 * weight
        assert gain == pytest.approx(w / (1.0 + w) * gains[1.0] / 0.6, rel=1e-9)


def test_a_ceiling_caps_performances():
    ladder = podium.Ladder("topcoder")
    ladder.record(["ann", "bob", "cat"], perf_ceiling=1200.0)
    assert ladder["ann"].mu == 1200.0
    assert ladder["cat"].mu < 1200.0


def test_predictions_are_symmetric_and_sum_to_one():
    ladder, names = ladder_of([1900.0, 1500.0, 1400.0], [300.0, 200.0, 100.0])
    p = ladder.win_probability(names[0], names[1])
    assert p == pytest.approx(ndtr(400.0 / math.hypot(300.0, 200.0)), abs=1e-12)
    assert p + ladder.win_probability(names[1], names[0]) == pytest.approx(1.0, abs=1e-12)
    ends = ladder.system.rank_probabilities(ladder.beliefs, [0, 1, 2], top=2)
    assert ends.first.sum() == pytest.approx(1.0, abs=1e-9)
    assert ends.expected_rank.sum() == pytest.approx(6.0, abs=1e-8)
    assert ends.first[0] > ends.first[1] > ends.first[2]


@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [
        ({"sigma_new": 0.0}, "sigma_new must be a number of at least 0.001, not 0.0"),
        ({"mu_new": 2e6}, "mu_new must be a number of at most 1e\\+06, not 2000000.0"),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused_in_a_sentence(parameters, wanted):
    with pytest.raises(podium.PodiumError, match=wanted):
        Topcoder(**parameters)


@pytest.mark.parametrize("mu_new", [-1e6, 1e6])
@pytest.mark.parametrize("sigma_new", [1e-3, 1e6])
def test_the_limits_of_all_parameters_can_be_rated_with(mu_new, sigma_new):
    ladder = podium.Ladder(Topcoder(mu_new=mu_new, sigma_new=sigma_new))
    for weight in (1.0, 1e-4, 1e4, 1.0):
        ladder.record(["ann", ("bob", "cat"), "dan"], weight=weight)
        ladder.record(["dan", "cat"], weight=weight)
        ladder.record([f"p{n}" for n in range(60)], weight=weight)
    assert np.isfinite([[ladder[name].mu, ladder[name].sigma] for name in ladder]).all()
