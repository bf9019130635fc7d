"""The Codeforces system: against plain code, the published procedure and the papers' numbers."""

import math

import elo_mmr_py
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium.systems import Codeforces
from tests.comparing import assert_same_beliefs
from tests.numerics.contests import ranks_from
from tests.systems import plain_codeforces as plain
from tests.systems.test_elo_mmr import careers, final_rating, play, seasons

SITE = Codeforces()
PAPERS = Codeforces(variant="papers")
BARE = Codeforces(corrections=False)
both = pytest.mark.parametrize("system", [SITE, PAPERS], ids=lambda s: s.variant)


def plainly(season, model):
    for standings, _, weight, ceiling in season:
        names, ranks = [], []
        for entry in standings:
            group = [entry] if isinstance(entry, str) else list(entry)
            ranks += [len(names) + 1] * len(group)
            names += group
        model.record(names, ranks, weight, math.inf if ceiling is None else ceiling)
    return model


def after_one_contest(ratings, ranks, system):
    """The new ratings of players with these ratings who took these ranks, rows sorted by rank."""
    ladder = podium.Ladder(system)
    names = [f"p{n:05}" for n in range(len(ratings))]
    ladder.beliefs.enrol(names)
    ladder.beliefs.table["mu"][: len(names)] = ratings
    groups = {}
    for name, rank in zip(names, ranks, strict=True):
        groups.setdefault(int(rank), []).append(name)
    ladder.record([tuple(groups[rank]) for rank in sorted(groups)])
    return ladder.beliefs.column("mu")


@st.composite
def fields(draw: st.DrawFn, largest: int = 40):
    """Ratings and ranks of a contest, rows sorted by rank."""
    rows = draw(st.integers(2, largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    spread = draw(st.sampled_from([0.0, 1.0, 200.0, 600.0]))
    distinct = draw(st.sampled_from([1, 2, rows, 10 * rows]))
    scores = np.sort(rng.integers(0, distinct, rows).astype(np.float64))[::-1]
    return 1500.0 + spread * rng.standard_normal(rows), ranks_from(scores)


@given(
    seasons(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.5, 0.2, 1.0]),
    st.sampled_from([400.0, 1000.0]),
)
@settings(max_examples=60, deadline=None)
def test_seasons_agree_with_the_system_written_out_plainly(
    season, papers, corrections, share, scale
):
    ladder = play(
        season,
        Codeforces(
            variant="papers" if papers else "site",
            corrections=corrections,
            share=share,
            scale=scale,
        ),
    )
    model = plainly(season, plain.Codeforces(papers, corrections, share, scale))
    for name, rating in model.ratings.items():
        assert ladder[name].mu == pytest.approx(rating, abs=1e-6)
        assert ladder[name].contests == model.contests[name]
        assert math.isnan(ladder[name].sigma)


@both
@given(contest=fields())
@settings(max_examples=80, deadline=None)
def test_deserved_ratings_agree_with_a_direct_search(system, contest):
    ratings, ranks = contest
    whole_way = Codeforces(variant=system.variant, corrections=False, share=1.0)
    papers = system.variant == "papers"
    exact = plain.deserved(ratings.tolist(), ranks.tolist(), papers=papers)
    assert after_one_contest(ratings, ranks, whole_way) == pytest.approx(exact, abs=2e-7, rel=0)


@given(st.integers(2, 60), st.integers(0, 2**32), st.sampled_from([0, 5, 400, 1500]))
@settings(max_examples=40, deadline=None)
def test_in_whole_numbers_changes_are_the_published_ones_exactly(rows, seed, spread):
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1500 - spread, 1501 + spread, rows)
    ranks = ranks_from(np.sort(rng.integers(0, rng.choice([1, 3, 1000]), rows) * 1.0)[::-1])
    after = after_one_contest(ratings.astype(float), ranks, Codeforces(whole_numbers=True))
    changes = plain.whole_changes(ratings.tolist(), ranks.tolist())
    assert (after - ratings).tolist() == changes


def test_whole_ratings_stay_whole_over_a_season():
    contests = podium.simulate(players=60, rounds=20, ties=0.3, seed=5)
    mu = podium.rate(contests, "codeforces", whole_numbers=True).ratings["mu"].to_numpy()
    assert (mu == np.round(mu)).all()
    exact = podium.rate(contests, "codeforces").ratings["mu"].to_numpy()
    assert 0.0 < abs(mu.mean() - exact.mean()) < 20.0


def test_whole_numbers_bound_the_search_as_the_site_does():
    bounded = Codeforces(whole_numbers=True, corrections=False, share=1.0)
    assert after_one_contest([9000.0, 8990.0], [1, 2], bounded).tolist() == [7999.0, 7999.0]
    assert after_one_contest([-500.0, -500.0], [1, 2], bounded).tolist() == [1.0, 1.0]


def test_the_first_30_codeforces_contests_agree_with_the_papers_program(shared, codeforces):
    reference = pl.read_parquet(shared / "reference" / "first_30_codeforces_contests.parquet")
    reference = reference.filter(pl.col("system") == "codeforces").with_columns(
        pl.col("contest").cast(pl.String)
    )
    history = podium.rate(codeforces[:30], PAPERS).history
    both = reference.join(history, on=["contest", "player"], suffix="_ours", validate="1:1")
    assert both.height == reference.height == history.height == 10_791
    for column in ("performance", "mu_before", "mu"):
        assert (both[column] - both[f"{column}_ours"]).abs().max() < 1e-6, column
    # that program carries the newcomers' uncertainty along and never uses it; here there is none
    assert (both["sigma"] == 350.0).all()
    assert both["sigma_ours"].is_null().all()


def rated_by_peer(season, system, mu_new=1500.0, sigma_new=350.0):
    contests = []
    for number, (standings, _, weight, _) in enumerate(season):
        rows, place = [], 0
        for entry in standings:
            group = [entry] if isinstance(entry, str) else list(entry)
            rows += [(name, place, place + len(group) - 1) for name in group]
            place += len(group)
        contests.append(elo_mmr_py.Contest(rows, time_seconds=number, weight=weight))
    return elo_mmr_py.rate_latest(contests, system, mu_new, sigma_new)


@given(seasons())
@settings(max_examples=40, deadline=None)
def test_the_papers_variant_agrees_with_the_peer_in_contests_of_weight_one(season):
    season = [(standings, day, 1.0, None) for standings, day, _, _ in season if len(standings) > 1]
    theirs, ours = rated_by_peer(season, "cfsys"), play(season, PAPERS)
    for name, player in theirs.items():
        assert ours[name].mu == pytest.approx(player.mu, abs=1e-6)


def test_in_weighted_contests_the_peer_also_makes_performances_scatter_less():
    season = [(["ann", ("bob", "cat"), "dan"], 0, 2.0, None), (["dan", "ann"], 1, 0.5, None)]
    theirs = rated_by_peer(season, "cfsys")
    model = plainly(season, plain.Codeforces(papers=True, corrections=False, widened=True))
    ours = play(season, PAPERS)
    for name, player in theirs.items():
        assert model.ratings[name] == pytest.approx(player.mu, abs=1e-6)
    assert abs(ours["ann"].mu - theirs["ann"].mu) > 1.0


@pytest.mark.slow
@both
def test_performances_of_real_contests_are_exact(codeforces_sample, system):
    """Against a direct sum over all opponents, in contests of every size."""
    season = codeforces_sample
    history = podium.rate(season, system).history
    papers = system.variant == "papers"
    for number in (0, 10, 83, 175, 250, 265, int(np.argmax(season.sizes))):
        contest = history.filter(pl.col("contest") == season[number].id)
        mu, ranks = contest["mu_before"].to_numpy(), contest["rank"].to_numpy()
        found = contest["performance"].to_numpy()
        strongest, weakest = int(np.argmax(mu)), int(np.argmin(mu))
        for row in {0, 1, len(mu) // 3, len(mu) - 2, len(mu) - 1, strongest, weakest}:
            better, tied = (ranks < ranks[row]).sum(), (ranks == ranks[row]).sum()
            place = better + 0.5 * (tied + 1) if papers else better + tied
            others = np.delete(mu, row)
            mean = math.sqrt(place * (1.0 + plain_ahead(others, mu[row])))
            field, least = (mu, 0.5) if papers else (others, 1.0)
            assert least + plain_ahead(field, found[row] - 2e-7) > mean
            assert least + plain_ahead(field, found[row] + 2e-7) < mean


def plain_ahead(field, x):
    return float(np.sum(1.0 / (1.0 + 10.0 ** ((x - field) / 400.0))))


def test_seeds_are_those_of_the_publication():
    """A gap of 200 points is three to one, one of 400 is ten to one."""
    ladder = podium.Ladder("codeforces")
    ladder.beliefs.enrol(["ann", "bob", "cat"])
    ladder.beliefs.table["mu"][:3] = [1900.0, 1700.0, 1500.0]
    assert ladder.win_probability("ann", "bob") == pytest.approx(0.7597, abs=1e-4)
    assert ladder.win_probability("ann", "cat") == pytest.approx(10.0 / 11.0, rel=1e-12)


def test_two_equal_players_move_by_the_formula():
    """Seeds are 1.5, so the winner deserves sqrt(1.5), the loser sqrt(3)."""
    ladder = podium.Ladder(BARE)
    ladder.record(["ann", "bob"])
    for name, place in (("ann", 1.0), ("bob", 2.0)):
        q = math.sqrt(place * 1.5) - 1.0
        expected = 1500.0 + 0.5 * 400.0 * math.log10((1.0 - q) / q)
        assert ladder[name].mu == pytest.approx(expected, abs=1e-9)
    corrected = podium.Ladder("codeforces")
    corrected.record(["ann", "bob"])
    assert corrected["ann"].mu + corrected["bob"].mu == pytest.approx(2998.0, abs=1e-9)


@pytest.mark.parametrize("gap", [3e3, 1e4, 1e5, 1e6])
def test_a_favourite_gains_from_a_win_that_was_certain(gap):
    """Half of a tiny chance to lose is another 400 log10(2) points away, however tiny."""
    ratings = [1500.0 + gap, 1500.0]
    step = 0.5 * 400.0 * math.log10(2.0)
    after = after_one_contest(ratings, [1, 2], BARE)
    assert after - ratings == pytest.approx([step, -step], rel=1e-6)
    upset = after_one_contest(ratings[::-1], [1, 2], BARE)
    assert upset == pytest.approx([1500.0 + gap / 2, 1500.0 + gap / 2], abs=200.0)


def test_the_last_place_of_a_tie_counts_on_the_site_and_the_middle_in_the_papers():
    """All tied, all equal: seeds are the middle, so only the site takes points away."""
    papers = podium.Ladder(PAPERS)
    papers.record([("ann", "bob", "cat", "dan")])
    assert papers["ann"].mu == pytest.approx(1500.0, abs=1e-9)
    site = podium.Ladder(BARE)
    site.record([("ann", "bob", "cat", "dan")])
    assert site["ann"].mu < 1480.0
    assert len({site[name].mu for name in site}) == 1


@given(seasons())
@settings(max_examples=40, deadline=None)
def test_with_corrections_every_contest_takes_a_point_from_everybody_or_more(season):
    ladder = podium.Ladder(SITE)
    for standings, _, _, ceiling in season:
        before = sum(ladder[name].mu for name in ladder)
        known = len(ladder)
        ladder.record(standings, perf_ceiling=ceiling)
        after = sum(ladder[name].mu for name in ladder) - 1500.0 * (len(ladder) - known)
        rows = sum(1 if isinstance(entry, str) else len(entry) for entry in standings)
        # up to 16 players are all among the best, and the second correction has nothing to do
        assert after - before == pytest.approx(-rows if rows > 1 else 0.0, abs=1e-8)


def test_the_second_correction_takes_at_most_ten_more():
    rng = np.random.default_rng(3)
    steps = []
    for noise in (0.1, 1000.0):
        ratings = np.sort(rng.normal(1500.0, 500.0, 100))[::-1]
        ranks = ranks_from(np.sort(ratings + rng.normal(0.0, noise, 100))[::-1])
        after = after_one_contest(ratings, ranks, SITE)
        bare = after_one_contest(ratings, ranks, BARE)
        first = -(bare - ratings).mean() - 1.0
        second = (after - bare - first).mean()
        assert (after - bare) == pytest.approx(first + second, abs=1e-9)
        best = np.argsort(-ratings)[:40]
        assert second == pytest.approx(
            np.clip(-(bare + first - ratings)[best].mean(), -10.0, 0.0), abs=1e-9
        )
        steps.append(second)
    assert min(steps) < -1.0


@pytest.mark.parametrize("system", [SITE, BARE, PAPERS], ids=["site", "bare", "papers"])
@given(fields(largest=24), st.floats(500.0, 2500.0), st.integers(0, 48), st.integers(0, 48))
@settings(max_examples=60, deadline=None)
def test_in_one_contest_a_better_place_never_lowers_the_rating(system, contest, own, one, other):
    """Places are counted in halves: an odd one is a tie with the others there."""
    others, ranks = contest

    def rating_at(place):
        keys = np.append(2.0 * ranks, place)
        order = np.argsort(keys, kind="stable")
        after = after_one_contest(np.append(others, own)[order], ranks_from(-keys[order]), system)
        return after[np.argmax(order)]

    better, worse = sorted((one + 1, other + 1))
    assert rating_at(better) >= rating_at(worse) - 1e-7


@pytest.mark.parametrize("system", [BARE, PAPERS], ids=["site", "papers"])
@given(career=careers(), data=st.data())
@settings(max_examples=50, deadline=None)
def test_without_corrections_improving_a_past_rank_never_lowers_the_rating(system, career, data):
    places = [place for _, _, place in career]
    number = data.draw(st.integers(0, len(places) - 1))
    if places[number] == 0:
        return
    better = places[number] - data.draw(st.sampled_from([0.5, 1]))
    base = final_rating(system, career, places)
    improved = final_rating(system, career, [*places[:number], better, *places[number + 1 :]])
    assert improved.mu > base.mu - 1e-9


def test_with_corrections_a_point_more_before_a_contest_can_mean_fewer_after_it():
    """Who rises among the best, over whom the second correction averages, pays for doing well."""
    others = np.linspace(2400.0, 1600.0, 16)
    results = []
    for own in (1599.99, 1600.01):
        ratings = np.concatenate([[own], others])
        results.append(after_one_contest(ratings, np.arange(1, 18), SITE)[0])
    assert results[1] < results[0] - 3.0


@pytest.mark.parametrize("system", [BARE, PAPERS], ids=["site", "papers"])
@given(contest=fields(largest=20))
@settings(max_examples=50, deadline=None)
def test_who_was_ahead_and_finishes_ahead_stays_ahead(system, contest):
    """The first invariant of the publication."""
    ratings, ranks = contest
    after = after_one_contest(ratings, ranks, system)
    for i in range(len(ratings)):
        for j in range(i + 1, len(ratings)):
            if ratings[i] >= ratings[j]:
                assert after[i] >= after[j] - 1e-9


@pytest.mark.parametrize(
    ("system", "ratings"),
    [(BARE, [3500.0, 500.0, 500.0, 3500.0, 4000.0]), (PAPERS, [500.0, 0.0, 0.0, 3500.0, 4000.0])],
    ids=["site", "papers"],
)
def test_who_was_behind_and_finishes_ahead_may_lose_more_if_gaps_are_thousands_of_points(
    system, ratings
):
    """The second invariant of the publication says otherwise; it holds among ordinary ratings."""
    ratings = np.array(ratings)
    changes = after_one_contest(ratings, np.arange(1, 6), system) - ratings
    assert changes[3] < changes[4] - 500.0
    ordinary = 0.2 * ratings
    changes = after_one_contest(ordinary, np.arange(1, 6), system) - ordinary
    assert changes[3] > changes[4]


@given(seasons(), st.sampled_from([SITE, PAPERS]))
@settings(max_examples=40, deadline=None)
def test_shifting_the_newcomers_rating_shifts_all_ratings(season, system):
    season = [(standings, day, weight, None) for standings, day, weight, _ in season]
    shifted = Codeforces(**{**system.parameters, "mu_new": system.mu_new + 777.0})
    here, there = play(season, system), play(season, shifted)
    for name in here:
        assert there[name].mu == pytest.approx(here[name].mu + 777.0, abs=1e-6)


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
    before, after = play(season, SITE), play(renamed, SITE)
    for name in before:
        assert after[new[name]].mu == pytest.approx(before[name].mu, abs=1e-9)


@both
def test_20_000_individually_ranked_players_are_rated_in_order(system):
    ladder = podium.Ladder(system)
    ladder.record([f"p{n:05}" for n in range(20_000)])
    mu = ladder.beliefs.column("mu")
    assert np.isfinite(mu).all()
    assert (np.diff(mu) < 0).all()


@both
def test_20_000_players_who_all_tie_stay_equal(system):
    ladder = podium.Ladder(system)
    ladder.record([tuple(f"p{n:05}" for n in range(20_000))])
    mu = ladder.beliefs.column("mu")
    assert np.isfinite(mu).all()
    assert np.ptp(mu) == 0.0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("system", [BARE, PAPERS], ids=["site", "papers"])
@pytest.mark.parametrize("rows", [3, 10, 300, 5000])
def test_gaps_of_10_000_points_do_no_harm(system, rows):
    rng = np.random.default_rng(rows)
    ratings = 1500.0 + 10_000.0 * rng.integers(-1, 2, rows) + rng.normal(0.0, 200.0, rows)
    ratings[rows // 2] = 200_000.0
    after = after_one_contest(ratings, np.arange(1, rows + 1), system)
    reach = 200.0 * math.log10(10.0 * rows)
    assert ratings.min() - reach < after.min() <= after.max() < 200_000.0 + reach


def test_a_newcomer_who_beats_the_champion_gains_half_of_the_gap():
    ladder = podium.Ladder("codeforces")
    for number in range(100):
        ladder.record(["champion", f"victim {number}"])
    champion = ladder["champion"].mu
    assert champion > 5000.0
    ladder.record(["newcomer", "champion"])
    assert ladder["newcomer"].mu == pytest.approx(0.5 * (1500.0 + champion), abs=150.0)


@pytest.fixture(scope="module")
def massive():
    """Contests on both sides of the size from which threads share the work."""
    frames = [
        podium.simulate(players=players, rounds=2, ties=0.1, seed=players, start=start)
        .frame()
        .with_columns(pl.col("contest") + f" of {players}")
        for players, start in ((6000, "2026-01-01"), (900, "2026-06-01"), (5000, "2027-01-01"))
    ]
    return podium.Contests.from_frame(pl.concat(frames))


@both
def test_threads_and_batches_change_no_bit(massive, system):
    at_once = podium.rate(massive, system, threads=1)
    for threads in (2, 3):
        shared = podium.rate(massive, system, threads=threads)
        assert_same_beliefs(shared.beliefs, at_once.beliefs)
        assert shared.history.equals(at_once.history)
    beliefs = podium.rate(massive[:3], system, threads=2, history=False).beliefs
    resumed = podium.rate(massive[3:], beliefs=beliefs, threads=1, history=False)
    assert_same_beliefs(resumed.beliefs, at_once.beliefs)


def test_a_large_contest_is_rated_like_a_small_one(massive):
    """The two ways to fold a contest differ by rounding only."""
    contest = massive[0]
    after = podium.rate(massive[:1], BARE).history.sort("rank", "player")
    ratings = np.full(len(contest), 1500.0)
    row = 4321
    place = int((contest.rank <= contest.rank[row]).sum())
    exact = math.sqrt(place * (len(ratings) + 1) / 2.0)
    found = after["performance"][row]
    assert 1.0 + (len(ratings) - 1) * plain.win(1500.0, found) == pytest.approx(exact, rel=1e-9)


def test_a_contest_of_one_player_counts_and_changes_nothing():
    ladder = podium.Ladder("codeforces")
    ladder.record(["ann", "bob"], time="2026-01-01")
    before = ladder["ann"]
    ladder.record(["ann"], time="2026-02-01")
    after = ladder["ann"]
    assert (after.mu, after.contests) == (before.mu, 2)
    assert after.last_time > before.last_time
    contests = podium.Contests.from_records(
        [{"contest": "solo", "time": "2026-01-01", "player": "ann", "rank": 1}]
    )
    assert podium.rate(contests, "codeforces").history["performance"].to_list() == [None]


def test_new_accounts_are_shown_lower_for_six_contests_since_2020():
    """Published: 0 at first, then 500 + d1, then 850 + d1 + d2, and so on."""
    offsets = (1400, 900, 550, 300, 150, 50)
    ladder = podium.Ladder("codeforces", mu_new=1400, display_offsets=offsets)
    promised = [500, 850, 1100, 1250, 1350, 1400, 1400]
    for promotion in promised:
        ladder.record(["ann", "bob"])
        change = ladder["ann"].mu - 1400.0
        assert ladder["ann"].rating == pytest.approx(promotion + change, abs=1e-9)
    assert ladder.system.rating(1400.0, math.nan, 0) == 0.0
    shown = ladder.system.rating(np.array([1400.0, 1500.0]), np.full(2, math.nan), np.array([1, 9]))
    assert shown.tolist() == [500.0, 1500.0]


def test_a_heavier_contest_moves_further_along_the_same_way():
    moves = {}
    for weight in (1e-4, 0.5, 1.0, 2.0, 1e4):
        ladder = podium.Ladder(BARE)
        ladder.record(["ann", "bob", "cat"], weight=weight)
        moves[weight] = ladder["ann"].mu - 1500.0
    way = 2.0 * moves[1.0]
    for weight, move in moves.items():
        assert move == pytest.approx(way * weight / (1.0 + weight), rel=1e-9)


def test_two_contests_of_a_performance_are_not_one_of_twice_the_weight_but_nearly():
    """A weight counts like a repetition in an average, not like a second contest."""
    ladder = podium.Ladder(Codeforces(corrections=False, share=1e-3))
    ladder.record(["ann", "bob"], weight=2.0)
    twice = podium.Ladder(Codeforces(corrections=False, share=1e-3))
    twice.record(["ann", "bob"])
    twice.record(["ann", "bob"])
    assert ladder["ann"].mu - 1500.0 == pytest.approx(twice["ann"].mu - 1500.0, rel=1e-2)


def test_a_ceiling_caps_performances():
    ladder = podium.Ladder(BARE)
    ladder.record(["ann", "bob", "cat"], perf_ceiling=1500.0)
    assert ladder["ann"].mu == 1500.0
    assert ladder["cat"].mu < 1500.0


@both
def test_predictions_are_symmetric_and_sum_to_one(system):
    ladder = podium.Ladder(system)
    for _ in range(5):
        ladder.record(["ann", "bob", "cat"])
    for a, b in (("ann", "bob"), ("ann", "cat"), ("bob", "cat")):
        p, q = ladder.win_probability(a, b), ladder.win_probability(b, a)
        assert p + q == pytest.approx(1.0, abs=1e-12)
        assert p == pytest.approx(plain.win(ladder[a].mu, ladder[b].mu), abs=1e-12)
    ends = system.rank_probabilities(ladder.beliefs, [0, 1, 2], top=2)
    strength = np.array([10.0 ** (ladder[name].mu / 400.0) for name in ladder])
    assert ends.first == pytest.approx(strength / strength.sum(), abs=1e-8)
    assert ends.expected_rank.sum() == pytest.approx(6.0, abs=1e-8)


@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [
        ({"variant": "paper"}, "variant must be site or papers, not 'paper'"),
        ({"corrections": "yes"}, "corrections must be true or false, not 'yes'"),
        ({"share": 0.0}, "share must be a number of at least 0.0001, not 0.0"),
        ({"share": 1.5}, "share must be a number of at most 1, not 1.5"),
        ({"scale": 0}, "scale must be a number of at least 0.01, not 0"),
        ({"display_offsets": 1400}, "display_offsets must be a list of numbers, not 1400"),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused_in_a_sentence(parameters, wanted):
    with pytest.raises(podium.PodiumError, match=wanted):
        Codeforces(**parameters)


def test_corrections_come_with_the_site_unless_said_otherwise():
    one, other = podium.Ladder("codeforces"), podium.Ladder("codeforces", corrections=True)
    for ladder in (one, other):
        ladder.record(["ann", "bob", "cat"])
    assert one["ann"].mu == other["ann"].mu
    assert Codeforces.parse({"corrections": "none", "variant": "papers"}) == PAPERS


@pytest.mark.parametrize("variant", ["site", "papers"])
@pytest.mark.parametrize("scale", [1e-2, 1e6])
@pytest.mark.parametrize("share", [1e-4, 1.0])
@pytest.mark.parametrize("mu_new", [-1e6, 1e6])
def test_the_limits_of_all_parameters_can_be_rated_with(variant, scale, share, mu_new):
    ladder = podium.Ladder(Codeforces(variant=variant, scale=scale, share=share, mu_new=mu_new))
    for weight in (1.0, 1e-4, 1e4, 1.0):
        ladder.record(["ann", ("bob", "cat"), "dan"], weight=weight)
        ladder.record(["dan", "cat"], weight=weight)
        ladder.record([f"p{n}" for n in range(20)], weight=weight)
    assert np.isfinite([ladder[name].mu for name in ladder]).all()
