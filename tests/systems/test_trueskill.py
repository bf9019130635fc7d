"""TrueSkill: against plain code, an independent package, exact integrals and its own claims."""

import math
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
import trueskill
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

import podium
from podium import Beliefs
from podium.results.columns import Columns
from podium.systems import TrueSkill
from tests.comparing import assert_same_beliefs
from tests.systems import plain_trueskill as plain

DAY = 86_400
BETA = 25 / 6


def record_teams(beliefs, standings, *, time=0.0, weight=1.0):
    """Rate one contest of teams: ``[(rank, [(name, share), …]), …]``, times in days.

    Rows are ordered by rank and then by name, as everywhere.
    """
    rows = sorted(
        (rank, name, number, share)
        for number, (rank, members) in enumerate(standings)
        for name, share in members
    )
    ranks, names, teams, shares = zip(*rows, strict=True)
    contest = Columns(
        offsets=np.array((0, len(rows))),
        player=beliefs.enrol(names),
        rank=np.array(ranks, np.int32),
        time=np.array((round(time * DAY * 1e6),)),
        weight=np.array((float(weight),)),
        perf_ceiling=np.array((np.inf,)),
        team=np.array(teams, np.int32),
        share=None if set(shares) == {1.0} else np.array(shares),
    )
    beliefs.system.update(beliefs, contest)


def believed(beliefs, name):
    record = beliefs.table[beliefs.index[name]]
    return float(record["mu"]), float(record["sigma"])


def ladder_of(system, mu, sigma):
    """A ladder of players a, b, c, … with these beliefs."""
    ladder = podium.Ladder(system)
    ladder.beliefs.enrol([chr(ord("a") + k) for k in range(len(mu))])
    ladder.beliefs.table["mu"][: len(mu)] = mu
    ladder.beliefs.table["sigma"][: len(mu)] = sigma
    return ladder


# The model.


def test_one_win_between_newcomers_is_the_published_example():
    ladder = podium.Ladder("trueskill")
    ladder.record(["ann", "bob"])
    ann, bob = ladder["ann"], ladder["bob"]
    assert (ann.mu, ann.sigma) == pytest.approx((29.395831692991514, 7.17147580700922), rel=1e-13)
    assert (bob.mu, bob.sigma) == pytest.approx((20.604168307008486, 7.17147580700922), rel=1e-13)
    assert ann.rating == ann.mu - 3.0 * ann.sigma


def test_the_published_example_follows_from_the_formulas_of_the_paper():
    variance = (25 / 3) ** 2 + (25 / 300) ** 2
    c = math.sqrt(2 * variance + 2 * BETA**2)
    margin = float(ndtri(0.55)) * math.sqrt(2) * BETA / c
    v = math.exp(-0.5 * margin**2) / math.sqrt(2 * math.pi) / float(ndtr(-margin))
    w = v * (v - margin)
    ladder = podium.Ladder("trueskill")
    ladder.record(["ann", "bob"])
    assert ladder["ann"].mu == pytest.approx(25 + variance / c * v, rel=1e-14)
    assert ladder["ann"].sigma == pytest.approx(math.sqrt(variance * (1 - variance / c**2 * w)))


def test_one_draw_between_newcomers_is_that_of_the_package():
    ladder = podium.Ladder("trueskill")
    ladder.record([("ann", "bob")])
    assert ladder["ann"].mu == ladder["bob"].mu == 25.0
    assert ladder["ann"].sigma == ladder["bob"].sigma == pytest.approx(6.457515683245051, rel=1e-12)


@st.composite
def seasons(draw, contests=5, players=7):
    """Contests of teams: ([(rank, [(name, share), …]), …], day, weight)."""
    season, day = [], 0
    for _ in range(draw(st.integers(1, contests))):
        rest = draw(st.permutations([f"p{n}" for n in range(players)]))
        rest = list(rest[: draw(st.integers(1, players))])
        standings, rank = [], 1
        while rest:
            size = draw(st.sampled_from([1, 1, 1, 2, 3]))
            team, rest = rest[:size], rest[size:]
            shares = [draw(st.sampled_from([1.0, 1.0, 1.0, 0.5, 0.1])) for _ in team]
            rank += draw(st.sampled_from([0, 1, 1, 3]))
            standings.append((rank, sorted(zip(team, shares, strict=True))))
        standings.sort(key=lambda entry: (entry[0], entry[1][0]))
        day += draw(st.integers(0, 60))
        season.append((standings, day, draw(st.sampled_from([1.0, 1.0, 0.5, 2.0]))))
    return season


@given(
    seasons(),
    st.sampled_from([0.0, 0.02, 0.1, 0.5]),
    st.sampled_from([0.0, 25 / 300, 2.0]),
    st.sampled_from([0.0, 0.1]),
)
@settings(max_examples=80, deadline=None)
def test_seasons_of_teams_agree_with_the_paper_written_out_plainly(season, rate, tau, drift):
    options = {"draw_rate": rate, "tau": tau, "drift_per_day": drift}
    model = plain.TrueSkill(**options)
    beliefs = Beliefs(TrueSkill(**options))
    for standings, day, weight in season:
        model.record([team for _, team in standings], [r for r, _ in standings], day, weight)
        record_teams(beliefs, standings, time=day, weight=weight)
    for name, player in model.players.items():
        assert believed(beliefs, name) == pytest.approx((player.mu, player.sigma), abs=1e-7)
        assert beliefs.table["contests"][beliefs.index[name]] == player.contests


def as_teams(standings):
    """What a ladder takes, as contests of teams of one."""
    flat, rank = [], 1
    for entry in standings:
        group = sorted(entry) if isinstance(entry, tuple) else [entry]
        flat += [(rank, [(name, 1.0)]) for name in group]
        rank += len(group)
    return flat


@pytest.mark.parametrize("rate", [0.0, 0.1])
@pytest.mark.parametrize("standings", [["a", "b"], [("a", "b")], ["a", ("b", "c"), "d"]])
def test_players_on_their_own_are_teams_of_one(standings, rate):
    ladder, beliefs = podium.Ladder("trueskill", draw_rate=rate), Beliefs(TrueSkill(draw_rate=rate))
    for _ in range(3):
        ladder.record(standings)
        record_teams(beliefs, as_teams(standings))
    for name in ladder:
        assert believed(beliefs, name) == (ladder[name].mu, ladder[name].sigma)


def test_the_closed_form_for_two_is_what_propagation_gives():
    """A share of all but nothing takes the match off the fast path."""
    for rate in (0.0, 0.1):
        for ranks in ((1, 2), (1, 1)):
            fast, slow = Beliefs(TrueSkill(draw_rate=rate)), Beliefs(TrueSkill(draw_rate=rate))
            share = 1.0 - 2.0**-53
            for _ in range(5):
                record_teams(fast, [(ranks[0], [("a", 1.0)]), (ranks[1], [("b", 1.0)])])
                record_teams(slow, [(ranks[0], [("a", share)]), (ranks[1], [("b", share)])])
            for name in "ab":
                assert believed(slow, name) == pytest.approx(believed(fast, name), rel=1e-13)


# Against the package `trueskill`.


@pytest.fixture
def converged(monkeypatch):
    """The package, in full precision.

    Two of its shortcuts are taken away: it stops after ten sweeps even if `min_delta` asks for
    more, and its own normal cdf is good to 1e-7 only. (It measures precisions by the root of
    their change, so asking for less than about 1e-8 means never to stop.)
    """
    limit = {(10,): (40,)}
    monkeypatch.setattr(trueskill, "range", lambda *a: range(*limit.get(a, a)), raising=True)

    def pdf(x):
        return math.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)

    def make(**options):
        return trueskill.TrueSkill(backend=(ndtr, pdf, ndtri), **options)

    return make


def compared(env, system, standings, priors, tolerance):
    """One contest by both; how many numbers agreed."""
    beliefs = Beliefs(system)
    names = list(priors)
    beliefs.enrol(names)
    for name, (mu, sigma) in priors.items():
        record = beliefs.table[beliefs.index[name]]
        record["mu"], record["sigma"] = mu, sigma
    record_teams(beliefs, standings)
    groups = [tuple(trueskill.Rating(*priors[name]) for name, _ in team) for _, team in standings]
    weights = [tuple(share for _, share in team) for _, team in standings]
    ranks = [rank for rank, _ in standings]
    theirs = env.rate(groups, ranks=ranks, weights=weights, min_delta=2e-8)
    for (_, team), after in zip(standings, theirs, strict=True):
        for (name, _), rating in zip(team, after, strict=True):
            assert believed(beliefs, name) == pytest.approx(tuple(rating), abs=tolerance)


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.4])
def test_matches_of_two_agree_with_the_package(converged, rate):
    env, system = converged(draw_probability=rate), TrueSkill(draw_rate=rate)
    random = np.random.default_rng(1)
    for _ in range(700):
        priors = {name: (random.normal(25, 10), random.uniform(0.5, 10)) for name in ("ann", "bob")}
        ranks = random.choice([1, 2], 2)
        standings = sorted(
            (int(rank), [(name, 1.0)]) for rank, name in zip(ranks, priors, strict=True)
        )
        compared(env, system, standings, priors, 1e-8)


def random_contest(random, teams, ties, partial):
    names = iter(f"p{n:02}" for n in range(99))
    standings, rank = [], 1
    for _ in range(teams):
        size = int(random.integers(1, 5)) if partial is not None else 1
        shares = random.choice([1.0, 0.7, 0.25], size) if partial else np.ones(size)
        standings.append((rank, [(next(names), float(share)) for share in shares]))
        rank += random.random() >= ties
    members = [name for _, team in standings for name, _ in team]
    return standings, {name: (random.normal(25, 7), random.uniform(1, 9)) for name in members}


@pytest.mark.parametrize("partial", [None, False, True], ids=["free for all", "teams", "partial"])
@pytest.mark.parametrize("ties", [0.0, 0.3, 1.0])
def test_contests_of_several_agree_with_the_package(converged, partial, ties):
    """Names stand in the order of the rows, because the package ties neighbours in that order."""
    env, system = converged(), TrueSkill()
    random = np.random.default_rng(2)
    for _ in range(120):
        standings, priors = random_contest(random, int(random.integers(2, 8)), ties, partial)
        compared(env, system, standings, priors, 1e-7)


def test_a_contest_of_200_agrees_with_the_package(converged):
    random = np.random.default_rng(3)
    standings, priors = [], {}
    for n in range(200):
        standings.append((n // 3, [(f"p{n:03}", 1.0)]))
        priors[f"p{n:03}"] = (random.normal(25, 7), random.uniform(1, 9))
    compared(converged(), TrueSkill(), standings, priors, 1e-7)


def test_the_package_as_it_is_stops_early():
    """The intended difference: ten sweeps and 1e-4 are not the fixed point."""
    priors = [(25.0 + 3.0 * math.sin(5.0 * n), 1.0 + n % 7) for n in range(40)]
    theirs = trueskill.TrueSkill().rate([(trueskill.Rating(*prior),) for prior in priors])
    ladder = podium.Ladder("trueskill")
    names = [f"p{n:02}" for n in range(40)]
    ladder.beliefs.enrol(names)
    ladder.beliefs.table["mu"][:40], ladder.beliefs.table["sigma"][:40] = zip(*priors, strict=True)
    ladder.record(names)
    ours = np.array([ladder[name].mu for name in names])
    worst = np.abs(ours - [group[0].mu for group in theirs]).max()
    assert 1e-7 < worst < 0.05


def test_the_package_gives_up_on_an_upset_that_podium_rates():
    with pytest.raises(FloatingPointError):
        trueskill.rate_1vs1(trueskill.Rating(-300, 1), trueskill.Rating(300, 1))
    ladder = ladder_of(TrueSkill(), [-300.0, 300.0], 1.0)
    ladder.record(["a", "b"])
    c2 = 2 * (1 + (25 / 300) ** 2) + 2 * BETA**2
    gap = 600.0 + float(ndtri(0.55)) * math.sqrt(2) * BETA
    variance = 1 + (25 / 300) ** 2
    assert ladder["a"].mu == pytest.approx(-300 + variance * gap / c2, abs=2e-3)
    assert ladder["a"].mu + ladder["b"].mu == pytest.approx(0.0, abs=1e-9)


def test_real_contests_agree_with_the_package(converged, codeforces):
    """The first contest of Codeforces, of newcomers, and the second one after it."""
    contests = codeforces[:2]
    history = podium.rate(contests, "trueskill").history
    env = converged()
    known = {}
    for number in range(2):
        contest = history.filter(pl.col("contest") == contests[number].id)
        names = contest["player"].to_list()
        groups = [(known.get(name, env.create_rating()),) for name in names]
        after = env.rate(groups, ranks=contest["rank"].to_list(), min_delta=2e-8)
        known.update((name, rating) for name, (rating,) in zip(names, after, strict=True))
        theirs = np.array([[*rating] for (rating,) in after]).T
        assert contest["mu"].to_numpy() == pytest.approx(theirs[0], abs=1e-6)
        assert contest["sigma"].to_numpy() == pytest.approx(theirs[1], abs=1e-6)


# Against exact posteriors.


def exact_performances(mu, s, margin, ties):
    """Exact means and deviations of two or three performances, by integrals over the middle one.

    Given it, the others are truncated normal variables of their own.
    """
    middle = 1 if len(mu) == 3 else 0
    x = np.linspace(mu[middle] - 14 * s[middle], mu[middle] + 14 * s[middle], 40_001)
    weight = np.exp(-0.5 * ((x - mu[middle]) / s[middle]) ** 2)
    first, second = {}, {}
    for other in (k for k in range(len(mu)) if k != middle):
        tied = ties[min(other, middle)]
        low, high = (x - margin, x + margin) if tied else (x + margin, np.inf + x)
        if other > middle and not tied:
            low, high = -np.inf + x, x - margin
        a, b = (low - mu[other]) / s[other], (high - mu[other]) / s[other]
        inside = np.where(a + b > 0, ndtr(-a) - ndtr(-b), ndtr(b) - ndtr(a))
        inside = np.maximum(inside, 1e-300)
        with np.errstate(invalid="ignore"):
            fa, fb = (np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi) for z in (a, b))
            slope = np.nan_to_num(a * fa, nan=0.0) - np.nan_to_num(b * fb, nan=0.0)
        shift = (fa - fb) / inside
        first[other] = mu[other] + s[other] * shift
        second[other] = s[other] ** 2 * (1 + slope / inside) + 2 * mu[other] * first[other]
        second[other] -= mu[other] ** 2
        weight = weight * inside
    first[middle], second[middle] = x, x * x
    means = [float(np.average(first[k], weights=weight)) for k in range(len(mu))]
    squares = [float(np.average(second[k], weights=weight)) for k in range(len(mu))]
    return means, [math.sqrt(q - m * m) for m, q in zip(means, squares, strict=True)]


def performances_of(system, mu, sigma, ties):
    ladder = ladder_of(system, mu, sigma)
    events = np.empty((5, len(mu)))
    ranks = np.cumsum([1, *(not tied for tied in ties)])
    contest = Columns(
        offsets=np.array((0, len(mu))),
        player=np.arange(len(mu), dtype=np.int32),
        rank=ranks.astype(np.int32),
        time=np.zeros(1, np.int64),
        weight=np.ones(1),
        perf_ceiling=np.full(1, np.inf),
    )
    system.update_many(ladder.beliefs, contest, events)
    return events


@given(
    st.lists(st.tuples(st.floats(10.0, 40.0), st.floats(1.0, 9.0)), min_size=2, max_size=2),
    st.booleans(),
    st.sampled_from([0.05, 0.1, 0.5]),
)
@settings(max_examples=60, deadline=None)
def test_two_players_get_the_exact_moments(priors, tied, rate):
    mu, sigma = np.array(priors).T
    system = TrueSkill(tau=0.0, draw_rate=rate)
    events = performances_of(system, mu, sigma, [tied])
    s = np.sqrt(sigma**2 + BETA**2)
    margin = float(ndtri((1 + rate) / 2)) * math.sqrt(2) * BETA
    means, deviations = exact_performances(mu, s, margin, [tied])
    assert events[0] == pytest.approx(means, abs=1e-6)
    skill = sigma**2 / s**2
    assert events[3] == pytest.approx(mu + skill * (means - mu), abs=1e-6)
    exact = np.sqrt(sigma**2 * (1 - skill) + (skill * np.array(deviations)) ** 2)
    assert events[4] == pytest.approx(exact, abs=1e-6)


@given(
    st.lists(st.tuples(st.floats(15.0, 35.0), st.floats(2.0, 9.0)), min_size=3, max_size=3),
    st.tuples(st.booleans(), st.booleans()),
)
@settings(max_examples=60, deadline=None)
def test_three_players_get_nearly_the_exact_moments(priors, ties):
    """Expectation propagation is an approximation from three on: a good one."""
    mu, sigma = np.array(priors).T
    system = TrueSkill(tau=0.0)
    events = performances_of(system, mu, sigma, ties)
    s = np.sqrt(sigma**2 + BETA**2)
    margin = float(ndtri(0.55)) * math.sqrt(2) * BETA
    means, deviations = exact_performances(mu, s, margin, ties)
    assert np.abs(events[0] - means).max() < 0.06 * s.max()
    skill = sigma**2 / s**2
    exact = np.sqrt(sigma**2 * (1 - skill) + (skill * np.array(deviations)) ** 2)
    assert events[4] == pytest.approx(exact, rel=0.05)


# What holds of every contest, and what does not.


def names_of(n):
    return [f"p{k:05}" for k in range(n)]


def test_the_new_rating_lies_between_the_old_one_and_the_performance():
    contests = podium.simulate(players=40, rounds=10, ties=0.3, seed=1)
    history = podium.rate(contests, "trueskill", mu_new=1500, sigma_new=350, beta=200).history
    moved = history["mu"] - history["mu_before"]
    wanted = history["performance"] - history["mu_before"]
    assert ((moved * wanted) >= 0).all()
    assert (moved.abs() <= wanted.abs()).all()
    assert wanted.abs().min() > 0


@given(seasons())
@settings(max_examples=40, deadline=None)
def test_shifting_the_newcomers_rating_shifts_all_ratings(season):
    """With full shares: those who play half a game bring half their rating."""
    here, there = Beliefs(TrueSkill()), Beliefs(TrueSkill(mu_new=25.0 + 777.0))
    for standings, day, weight in season:
        teams = [team for _, team in standings]
        if len({len(team) for team in teams}) > 1:
            continue
        full = [(rank, [(name, 1.0) for name, _ in team]) for rank, team in standings]
        record_teams(here, full, time=day, weight=weight)
        record_teams(there, full, time=day, weight=weight)
    for name in here.names:
        (mu, sigma), (shifted, same) = believed(here, name), believed(there, name)
        assert shifted == pytest.approx(mu + 777.0, abs=1e-9)
        assert same == pytest.approx(sigma, rel=1e-12)


@st.composite
def standings_with_ties(draw, players=7):
    rest = list(draw(st.permutations([f"p{n}" for n in range(players)])))
    standings = []
    while rest:
        size = draw(st.sampled_from([1, 1, 2, 3]))
        group, rest = rest[:size], rest[size:]
        standings.append(tuple(group))
    return standings


@given(st.lists(standings_with_ties(), min_size=1, max_size=4), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_the_order_of_names_within_a_tie_does_not_matter_to_the_bit(season, order):
    here, there = podium.Ladder("trueskill"), podium.Ladder("trueskill")
    for standings in season:
        here.record(standings)
        there.record([tuple(order.sample(group, len(group))) for group in standings])
    assert all(here[name] == there[name] for name in here)


@given(st.lists(standings_with_ties(), min_size=1, max_size=4), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_without_a_margin_renaming_players_renames_ratings_and_nothing_else(season, order):
    names = [f"p{n}" for n in range(7)]
    new = dict(zip(names, order.sample([f"q{n}" for n in range(7)], 7), strict=True))
    here, there = podium.Ladder(TrueSkill(draw_rate=0.0)), podium.Ladder(TrueSkill(draw_rate=0.0))
    for standings in season:
        here.record(standings)
        there.record([tuple(new[name] for name in group) for group in standings])
    for name in here:
        assert there[new[name]].mu == pytest.approx(here[name].mu, abs=1e-8)
        assert there[new[name]].sigma == pytest.approx(here[name].sigma, abs=1e-8)


def test_with_a_margin_it_matters_who_stands_beside_whom_in_a_tie_of_three():
    """The published model compares neighbours only, so the one in the middle is better known."""
    ladder = podium.Ladder("trueskill")
    ladder.record([("a", "b", "c")])
    assert ladder["b"].sigma < ladder["a"].sigma == pytest.approx(ladder["c"].sigma, abs=1e-8)
    exact = podium.Ladder("trueskill", draw_rate=0.0)
    exact.record([("a", "b", "c")])
    assert exact["b"].sigma == pytest.approx(exact["a"].sigma, rel=1e-12)


@given(
    st.lists(st.tuples(st.floats(-20.0, 70.0), st.floats(0.5, 9.0)), min_size=2, max_size=7),
    st.data(),
    st.sampled_from([0.0, 0.1, 0.5]),
)
@settings(max_examples=200, deadline=None)
def test_overtaking_somebody_never_lowers_the_rating(priors, data, rate):
    mu, sigma = np.array(priors).T
    standings = data.draw(st.permutations([chr(ord("a") + k) for k in range(len(mu))]))
    place = data.draw(st.integers(1, len(mu) - 1))
    better = list(standings)
    better[place - 1], better[place] = better[place], better[place - 1]
    ratings = []
    for order in (standings, better):
        ladder = ladder_of(TrueSkill(draw_rate=rate), mu, sigma)
        ladder.record(order)
        ratings.append(ladder[standings[place]].mu)
    assert ratings[1] > ratings[0] - 1e-8


@given(
    st.lists(st.tuples(st.floats(-20.0, 70.0), st.floats(0.5, 9.0)), min_size=2, max_size=6),
    st.data(),
)
@settings(max_examples=100, deadline=None)
def test_without_a_margin_a_tie_lies_between_defeat_and_victory(priors, data):
    mu, sigma = np.array(priors).T
    standings = data.draw(st.permutations([chr(ord("a") + k) for k in range(len(mu))]))
    place = data.draw(st.integers(1, len(mu) - 1))
    loser, winner = standings[place], standings[place - 1]
    ratings = []
    for middle in ([winner, loser], [(winner, loser)], [loser, winner]):
        ladder = ladder_of(TrueSkill(draw_rate=0.0), mu, sigma)
        ladder.record([*standings[: place - 1], *middle, *standings[place + 1 :]])
        ratings.append(ladder[loser].mu)
    assert ratings == sorted(ratings)


def test_with_a_wide_margin_a_tie_can_be_worth_less_than_defeat():
    """Behind b, it is a who is compared with the champion c; beside b, it is b."""
    ratings = []
    for standings in (["b", "a", "c"], [("a", "b"), "c"], ["a", "b", "c"]):
        ladder = ladder_of(TrueSkill(draw_rate=0.5), [5.0, 10.0, 45.0], [8.0, 8.0, 1.0])
        ladder.record(standings)
        ratings.append(ladder["a"].mu)
    assert ratings[1] < ratings[0] - 0.3 < ratings[2]


@given(seasons())
@settings(max_examples=60, deadline=None)
def test_without_tau_everybody_becomes_more_certain(season):
    beliefs = Beliefs(TrueSkill(tau=0.0))
    beliefs.enrol([f"p{n}" for n in range(7)])
    for standings, day, weight in season:
        before = beliefs.column("sigma")
        record_teams(beliefs, standings, time=day, weight=weight)
        after = beliefs.column("sigma")
        assert (after <= before).all()
        if len(standings) > 1:
            took_part = [beliefs.index[name] for _, team in standings for name, _ in team]
            assert (after[took_part] < before[took_part]).all()


def test_a_surprise_moves_a_rating_without_limit():
    """What robust systems are for; see Elo-MMR."""
    gains = []
    for gap in (50.0, 100.0, 200.0):
        ladder = ladder_of(TrueSkill(), [25.0, 25.0 + gap], 5.0)
        ladder.record(["a", "b"])
        gains.append(ladder["a"].mu - 25.0)
    assert gains[1] / gains[0] == pytest.approx(2.0, rel=0.05)
    assert gains[2] / gains[1] == pytest.approx(2.0, rel=0.05)


# Size, gaps, limits.


@pytest.mark.parametrize("rate", [0.0, 1e-6, 0.1])
def test_20_000_individually_ranked_players_are_rated_in_order(rate):
    ladder = podium.Ladder(TrueSkill(draw_rate=rate, tau=0.0))
    ladder.record(names_of(20_000))
    mu, sigma = ladder.beliefs.column("mu"), ladder.beliefs.column("sigma")
    assert np.isfinite(mu).all()
    assert (np.diff(mu) < 0).all()
    assert mu.mean() == pytest.approx(25.0, abs=1e-6)
    assert mu == pytest.approx(50.0 - mu[::-1], abs=1e-6)
    assert (sigma > 0).all()
    assert (sigma < 25 / 3).all()


@pytest.mark.parametrize("rate", [0.0, 1e-6, 0.1])
def test_20_000_tied_newcomers_stay_where_they_are_and_become_more_certain(rate):
    ladder = podium.Ladder(TrueSkill(draw_rate=rate))
    ladder.record([tuple(names_of(20_000))])
    mu, sigma = ladder.beliefs.column("mu"), ladder.beliefs.column("sigma")
    assert mu == pytest.approx(np.full(20_000, 25.0), abs=1e-9)
    assert (sigma > 0).all()
    assert (sigma < 25 / 3).all()


@pytest.mark.parametrize("rate", [0.0, 1e-6, 0.1, 0.9])
@pytest.mark.parametrize("tied", [False, True])
def test_gaps_of_10_000_points_are_rated(rate, tied):
    random = np.random.default_rng(5)
    before = random.choice([-5000.0, 0.0, 5000.0], 3000)
    uncertain = random.choice([0.01, 1.0, 9.0, 400.0], 3000)
    system = TrueSkill(draw_rate=rate, tau=0.0)
    events = performances_of(system, before, uncertain, [tied] * 2999)
    assert np.isfinite(events).all()
    assert (events[4] > 0).all()
    assert (events[4] <= uncertain).all()
    assert (events[4][uncertain == 400.0] < 30.0).all()
    margin = float(ndtri((1 + rate) / 2)) * math.sqrt(2) * BETA
    steps = -np.diff(events[0])
    if tied:
        assert np.abs(steps).max() <= margin + 1e-6
    else:
        assert steps.min() >= margin - 1e-6


def test_equal_performances_of_a_tie_are_the_mean_of_what_was_expected():
    """Without margin, a tie of all is one Gaussian: all can be written down."""
    mu, sigma = np.array([10.0, 25.0, 31.0, 70.0]), np.array([8.0, 1.0, 4.0, 2.0])
    events = performances_of(TrueSkill(tau=0.0, draw_rate=0.0), mu, sigma, [True] * 3)
    precision = 1.0 / (sigma**2 + BETA**2)
    assert events[0] == pytest.approx(np.full(4, mu @ precision / precision.sum()), rel=1e-12)
    skill = sigma**2 * precision
    kept = 1 - skill + skill * precision / precision.sum()
    assert events[4] == pytest.approx(sigma * np.sqrt(kept), rel=1e-12)


def test_ties_without_margin_are_the_limit_of_small_margins():
    standings = ["a", ("b", "c", "d"), ("e", "f")]
    limit = ladder_of(TrueSkill(draw_rate=0.0), [20.0, 25.0, 31.0, 10.0, 40.0, 28.0], 5.0)
    near = ladder_of(TrueSkill(draw_rate=1e-7), [20.0, 25.0, 31.0, 10.0, 40.0, 28.0], 5.0)
    for ladder in (limit, near):
        ladder.record(standings)
    for name in limit:
        assert near[name].mu == pytest.approx(limit[name].mu, abs=1e-5)
        assert near[name].sigma == pytest.approx(limit[name].sigma, abs=1e-5)


def test_ties_that_would_go_round_in_circles_settle():
    """Hundreds of ties between players hundreds of deviations apart: full steps never end."""
    random = np.random.default_rng(4)
    mu, sigma = random.normal(0.0, 2000.0, 300), 10 ** random.uniform(-2, 1, 300)
    system = TrueSkill(beta=1.0, tau=0.0, draw_rate=0.999)
    here = performances_of(system, mu, sigma, [True] * 299)
    there = performances_of(system, mu[::-1], sigma[::-1], [True] * 299)
    assert here[0] == pytest.approx(there[0, ::-1], abs=1e-5)
    assert here[3:] == pytest.approx(there[3:, ::-1], abs=1e-5)
    assert (here[4] < sigma).all()


def test_a_newcomer_who_beats_the_champion_rises_and_the_champion_hardly_falls():
    ladder = podium.Ladder("trueskill")
    for number in range(200):
        ladder.record(["champion", f"victim {number}"])
    champion = ladder["champion"].mu
    ladder.record(["newcomer", "champion"])
    assert 25.0 < ladder["newcomer"].mu < champion
    assert champion - 5.0 < ladder["champion"].mu < champion


@pytest.mark.parametrize("beta", [1e-3, 1e6])
@pytest.mark.parametrize("tau", [0.0, 1e6])
@pytest.mark.parametrize("rate", [0.0, 0.999])
@pytest.mark.parametrize("sigma_new", [1e-3, 1e6])
def test_the_limits_of_all_parameters_can_be_rated_with(beta, tau, rate, sigma_new):
    system = TrueSkill(
        beta=beta, tau=tau, draw_rate=rate, sigma_new=sigma_new, mu_new=1e6, drift_per_day=1e6
    )
    ladder = podium.Ladder(system)
    for day, weight in enumerate((1.0, 1e-4, 1e4, 1.0)):
        ladder.record(["ann", ("bob", "cat"), "dan"], weight=weight, time=day * 1000 * DAY)
        ladder.record(["dan", "cat"], weight=weight)
        ladder.record([("ann", "bob")], weight=weight)
    believed = np.array([[ladder[name].mu, ladder[name].sigma] for name in ladder])
    assert np.isfinite(believed).all()
    assert (believed[:, 1] > 0).all()
    record_teams(
        ladder.beliefs,
        [(1, [("ann", 1.0), ("bob", 1e-9)]), (1, [("cat", 0.3)]), (2, [("dan", 1.0)])],
        time=4000,
    )
    assert np.isfinite(ladder.beliefs.column("mu")).all()
    assert 0.0 <= system.quality(ladder.beliefs, [0, 1, [2, 3]]) <= 1.0
    assert 0.0 <= system.win_probability(ladder.beliefs, 0, 1) <= 1.0


# The fold.


def test_batches_threads_and_history_change_nothing_to_the_bit():
    contests = podium.simulate(players=300, rounds=40, participation=0.3, ties=0.4, seed=7)
    whole = podium.rate(contests, "trueskill", threads=1)
    assert_same_beliefs(whole.beliefs, podium.rate(contests, "trueskill", threads=3).beliefs)
    assert_same_beliefs(whole.beliefs, podium.rate(contests, "trueskill", history=False).beliefs)
    half = podium.rate(contests[:17], "trueskill")
    rest = podium.rate(contests[17:], beliefs=half.beliefs)
    assert_same_beliefs(whole.beliefs, rest.beliefs)
    assert pl.concat([half.history, rest.history]).equals(whole.history)


def team_season(contests=60):
    """Contests of random teams of random players, as columns."""
    random = np.random.default_rng(8)
    offsets, player, rank, team, share = [0], [], [], [], []
    for _ in range(contests):
        field = random.permutation(40)[: random.integers(1, 15)]
        sides = np.sort(random.integers(0, 5, len(field)))
        places = np.sort(random.integers(1, 5, 5))
        player.extend(field)
        team.extend(sides)
        rank.extend(places[sides])
        share.extend(random.choice([0.5, 1.0], len(field)))
        offsets.append(len(player))
    return Columns(
        offsets=np.array(offsets),
        player=np.array(player, np.int32),
        rank=np.array(rank, np.int32),
        time=np.arange(contests) * 86_400_000_000,
        weight=np.ones(contests),
        perf_ceiling=np.full(contests, np.inf),
        team=np.array(team, np.int32),
        share=np.array(share),
    )


def test_contests_of_teams_can_be_folded_in_any_steps():
    columns, system = team_season(), TrueSkill(drift_per_day=0.01)
    tables, histories = [], []
    for steps in ([0, 60], [0, 1, 2, 33, 60], list(range(61))):
        beliefs = Beliefs(system)
        beliefs.enrol(names_of(40))
        events = np.empty((5, len(columns.player)))
        for first, last in pairwise(steps):
            system.update_many(beliefs, columns, events, first=first, last=last)
        tables.append(beliefs.table[:40].tobytes())
        histories.append(events.tobytes())
    assert len(set(tables)) == len(set(histories)) == 1


def test_the_numbers_of_teams_do_not_matter():
    columns, system = team_season(), TrueSkill()
    tables = []
    for team in (columns.team, 4 - columns.team, columns.team + 1000):
        beliefs = Beliefs(system)
        beliefs.enrol(names_of(40))
        system.update_many(beliefs, columns._replace(team=team.astype(np.int32)))
        tables.append(beliefs.table[:40].tobytes())
    assert len(set(tables)) == 1


def test_no_contests_change_nothing():
    beliefs = Beliefs(TrueSkill())
    beliefs.enrol(["ann"])
    before = beliefs.table.copy()
    beliefs.system.update_many(beliefs, team_season(), first=3, last=3)
    assert (beliefs.table == before).all()


def test_a_contest_without_opponents_lets_time_pass_and_nothing_else():
    ladder = podium.Ladder("trueskill", drift_per_day=0.5)
    ladder.record(["ann", "bob"], time=0)
    ann, bob = ladder["ann"], ladder["bob"]
    ladder.record(["ann"], time=10 * DAY)
    record_teams(ladder.beliefs, [(1, [("ann", 1.0), ("bob", 1.0)])], time=20)
    assert ladder["ann"].mu == ann.mu
    assert ladder["ann"].sigma == pytest.approx(math.sqrt(ann.sigma**2 + 10.0), rel=1e-14)
    assert ladder["bob"].sigma == pytest.approx(math.sqrt(bob.sigma**2 + 10.0), rel=1e-14)
    assert ladder["ann"].contests == 3


def test_a_contest_of_one_player_shows_no_performance():
    contests = podium.Contests.from_records(
        [{"contest": "solo", "time": "2026-01-01", "player": "ann", "rank": 1}]
    )
    rated = podium.rate(contests, "trueskill")
    assert rated.history["performance"].to_list() == [None]
    assert rated.ratings["mu"].item() == 25.0
    assert rated.ratings["sigma"].item() == 25 / 3


def test_absence_adds_what_the_next_contest_will_find():
    system = TrueSkill(drift_per_day=0.3, tau=0.0)
    ladder = podium.Ladder(system)
    ladder.record(["ann", "bob"], time=0)
    mu, sigma = system.aged(ladder.beliefs, np.array([0, 1]), 30 * DAY * 1_000_000)
    _, unchanged = system.aged(ladder.beliefs, np.array([0, 1]), -5)
    assert unchanged.tolist() == [ladder["ann"].sigma, ladder["bob"].sigma]
    ladder.record(["ann"], time=30 * DAY)
    assert (mu[0], sigma[0]) == pytest.approx((ladder["ann"].mu, ladder["ann"].sigma), rel=1e-14)


def test_a_weight_is_the_power_of_the_evidence():
    def told(weight, standings, tau):
        ladder = ladder_of(TrueSkill(tau=tau), [20.0, 30.0, 25.0], 6.0)
        ladder.record(standings, weight=weight)
        variance = 36.0 + weight * tau**2
        return [
            (
                ladder[n].sigma ** -2 - 1 / variance,
                ladder[n].mu * ladder[n].sigma ** -2 - m / variance,
            )
            for n, m in zip("abc", (20.0, 30.0, 25.0), strict=True)
            if n in "".join(standings)
        ]

    for standings in (["a", "b"], ["a", "b", "c"]):
        once = np.array(told(1.0, standings, 0.0))
        for weight in (1e-4, 0.5, 3.0, 1e4):
            assert np.array(told(weight, standings, 0.0)) == pytest.approx(weight * once, rel=1e-6)


def test_a_weight_multiplies_the_variance_that_a_contest_adds():
    """Nothing else happens if the result tells nothing."""
    ladder = ladder_of(TrueSkill(tau=2.0), [5000.0, 0.0], 1.0)
    ladder.record(["a", "b"], weight=3.0)
    assert ladder["a"].sigma == pytest.approx(math.sqrt(1.0 + 12.0), rel=1e-12)


def test_members_of_a_team_have_performances_of_their_own():
    """The new rating lies where skill and noise share the surprise, whatever the share."""
    columns, system = team_season(), TrueSkill(tau=0.0)
    beliefs = Beliefs(system)
    beliefs.enrol(names_of(40))
    events = np.empty((5, len(columns.player)))
    system.update_many(beliefs, columns, events)
    performance, mu_before, sigma_before, mu, _ = events
    skill = sigma_before**2 / (sigma_before**2 + BETA**2)
    shown = ~np.isnan(performance)
    expected = mu_before + skill * (performance - mu_before)
    assert mu[shown] == pytest.approx(expected[shown], abs=1e-9)
    assert (mu[~shown] == mu_before[~shown]).all()
    assert 0 < (~shown).sum() < 60


def test_members_of_a_team_share_the_gain_by_their_uncertainty_and_their_share():
    beliefs = Beliefs(TrueSkill(tau=0.0))
    beliefs.enrol(["ann", "bob", "cat", "dan"])
    beliefs.table["sigma"][:3] = [8.0, 4.0, 8.0]
    record_teams(beliefs, [(1, [("ann", 1.0), ("bob", 1.0), ("cat", 0.25)]), (2, [("dan", 1.0)])])
    gains = beliefs.table["mu"][:3] - 25.0
    assert gains[0] / gains[1] == pytest.approx(4.0, rel=1e-12)
    assert gains[0] / gains[2] == pytest.approx(4.0, rel=1e-12)


# Predictions.


def test_chances_are_symmetric_and_sum_to_one():
    random = np.random.default_rng(9)
    system = TrueSkill(draw_rate=0.25)
    ladder = ladder_of(system, random.normal(25, 9, 8), random.uniform(0.5, 9, 8))
    beliefs = ladder.beliefs
    for a, b in [(0, 1), (2, 2), ([0, 1], [2, 3]), ([4], [5, 6, 7]), (0, [5, 6])]:
        win, loss = (system.win_probability(beliefs, *pair) for pair in ((a, b), (b, a)))
        draw = system.draw_probability(beliefs, a, b)
        assert win + draw + loss == pytest.approx(1.0, abs=1e-15)
        assert draw == system.draw_probability(beliefs, b, a) > 0.0
        places = system.rank_probabilities(beliefs, [a, b])
        assert places.first == pytest.approx([win + draw / 2, loss + draw / 2], abs=1e-15)


@pytest.mark.parametrize("sizes", [(1, 1), (2, 2), (1, 4)])
def test_known_equals_draw_at_the_draw_rate(sizes):
    system = TrueSkill(draw_rate=0.3, tau=0.0)
    players = sum(sizes)
    ladder = ladder_of(system, [0.0] * players, 1e-9)
    a, b = list(range(sizes[0])), list(range(sizes[0], players))
    assert system.draw_probability(ladder.beliefs, a, b) == pytest.approx(0.3, rel=1e-12)


def test_chances_are_what_the_model_draws():
    """A contest is a draw of skills and noise, with tau as it will be added."""
    system = TrueSkill(tau=6.0, draw_rate=0.2)
    mu, sigma = np.array([37.0, 15.0, 12.0]), np.array([3.0, 6.0, 1.0])
    ladder = ladder_of(system, mu, sigma)
    spread = np.sqrt(sigma**2 + BETA**2 + 36.0)
    margin = float(ndtri(0.6)) * BETA * math.sqrt(3)
    samples = np.random.default_rng(10).normal(mu, spread, (400_000, 3))
    d = samples[:, 0] - samples[:, 1] - samples[:, 2]
    win = system.win_probability(ladder.beliefs, 0, [1, 2])
    draw = system.draw_probability(ladder.beliefs, 0, [1, 2])
    assert win == pytest.approx(np.mean(d > margin), abs=3e-3)
    assert draw == pytest.approx(np.mean(np.abs(d) <= margin), abs=3e-3)


def test_without_a_margin_nobody_draws():
    ladder = ladder_of(TrueSkill(draw_rate=0.0), [25.0, 30.0], 5.0)
    assert ladder.system.draw_probability(ladder.beliefs, 0, 1) == 0.0
    assert ladder.win_probability("a", "b") + ladder.win_probability("b", "a") == 1.0


def test_quality_agrees_with_the_package():
    random = np.random.default_rng(11)
    system, env = TrueSkill(), trueskill.TrueSkill()
    for _ in range(300):
        sizes = random.integers(1, 4, random.integers(2, 6))
        mu, sigma = random.normal(25, 5, sizes.sum()), random.uniform(0.5, 9, sizes.sum())
        ladder = ladder_of(system, mu, sigma)
        numbers = np.split(np.arange(sizes.sum()), np.cumsum(sizes)[:-1])
        groups = [tuple(trueskill.Rating(mu[k], sigma[k]) for k in team) for team in numbers]
        ours = system.quality(ladder.beliefs, [[int(k) for k in team] for team in numbers])
        assert ours == pytest.approx(env.quality(groups), abs=1e-9, rel=1e-9)


def test_quality_of_two_is_the_closed_form_and_does_not_depend_on_the_order():
    ladder = ladder_of(TrueSkill(), [25.0, 31.0, 22.0], [3.0, 5.0, 1.0])
    beliefs, system = ladder.beliefs, ladder.system
    c2 = 2 * BETA**2 + 9.0 + 25.0
    closed = math.sqrt(2 * BETA**2 / c2) * math.exp(-(6.0**2) / (2 * c2))
    assert system.quality(beliefs, [0, 1]) == pytest.approx(closed, rel=1e-14)
    assert system.quality(beliefs, [0, 1, 2]) == pytest.approx(
        system.quality(beliefs, [2, 0, 1]), rel=1e-14
    )
    assert system.quality(beliefs, [0]) == 1.0


def test_quality_of_thousands_is_a_number():
    ladder = podium.Ladder("trueskill")
    ladder.record(names_of(3000))
    assert ladder.system.quality(ladder.beliefs, list(range(3000))) == 0.0
    known = podium.Ladder("trueskill", sigma_new=1e-3, tau=0.0)
    known.beliefs.enrol(names_of(3000))
    quality = known.system.quality(known.beliefs, list(range(3000)))
    assert quality == pytest.approx(1.0, abs=1e-3)


# Parameters and real results.


@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [
        ({"beta": 0.0}, "beta must be a number of at least 0.001, not 0.0"),
        ({"tau": -1.0}, "tau must be a number of at least 0, not -1.0"),
        ({"draw_rate": 1.0}, "draw_rate must be a number of at most 0.999, not 1.0"),
        ({"draw_rate": -0.1}, "draw_rate must be a number of at least 0, not -0.1"),
        ({"sigma_new": math.inf}, "sigma_new must be a number that is finite, not inf"),
        ({"mu_new": "25"}, "mu_new must be a number, not '25'"),
        ({"drift_per_day": -1}, "drift_per_day must be a number of at least 0, not -1"),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused(parameters, wanted):
    with pytest.raises(podium.PodiumError) as refused:
        TrueSkill(**parameters)
    assert str(refused.value) == f"trueskill: {wanted}."


def test_the_packages_name_for_the_draw_rate_is_understood_as_a_mistake():
    with pytest.raises(podium.PodiumError, match="did you mean 'draw_rate'"):
        podium.system("trueskill", draw_probability=0.1)


def test_football_predicts_draws_about_as_often_as_they_happen(football):
    rated = podium.rate(football, "trueskill", draw_rate=0.25)
    system, beliefs = rated.system, rated.beliefs
    strong = [beliefs.index[name] for name in ("Spain", "France", "England", "Brazil", "Argentina")]
    weak = beliefs.index["San Marino"]
    draws = [system.draw_probability(beliefs, a, b) for a in strong for b in strong if a != b]
    assert 0.15 < np.mean(draws) < 0.30
    assert all(system.win_probability(beliefs, a, weak) > 0.9 for a in strong)
    assert set(rated.leaderboard(30)["player"]) >= {"Spain", "France", "England", "Brazil"}


def test_champions_of_formula_one_are_found(shared):
    """Drivers are rated on their own: two of a team have places of their own."""
    races = pl.read_parquet(shared / "data" / "f1.parquet").drop("team")
    rated = podium.rate(podium.Contests.from_frame(races, rerank=True), "trueskill", draw_rate=0.0)
    assert np.isfinite(rated.history["mu"].to_numpy()).all()
    assert "max-verstappen" in set(rated.leaderboard(10)["player"])
