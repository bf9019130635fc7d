"""Podium's own model: the kernel beside plain NumPy, and what it promises to players."""

import dataclasses
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium.evaluation.backtest import backtest
from podium.numerics import podium as kernel
from podium.numerics.teams import competitors
from podium.ratings.beliefs import Beliefs
from podium.results.columns import Columns
from podium.systems import Podium
from podium.systems.base import EVENTS
from tests.systems.plain_podium import Plain

DAY = 86_400_000_000


def folded(system, columns, players):
    """Beliefs after all contests, events, and what was expected before each."""
    beliefs = Beliefs(system)
    beliefs.enrol([f"p{each:05}" for each in range(players)])
    events = np.empty((len(EVENTS), len(columns.player)))
    expected = system.beliefs_before(beliefs, columns, events)
    return beliefs, events, expected


def plainly_folded(system, columns):
    plain, performances = Plain(system), []
    for c in range(len(columns.time)):
        rows = slice(*columns.offsets[c : c + 2])
        team = None
        if columns.team is not None:
            team = competitors(np.array((0, rows.stop - rows.start)), columns.team[rows])
        found = plain.fold(
            columns.player[rows].tolist(),
            columns.rank[rows],
            int(columns.time[c]),
            float(columns.weight[c]),
            float(columns.perf_ceiling[c]),
            None if columns.side is None else columns.side[rows],
            team,
        )
        size = rows.stop - rows.start
        performances.append(np.full(size, np.nan) if found is None else found)
    return plain, np.concatenate(performances)


def refuse_difference(system, columns, players, within=1e-7):
    """Raise unless the kernel and plain NumPy agree, in points and in what is learned."""
    beliefs, events, _ = folded(system, columns, players)
    plain, performances = plainly_folded(system, columns)
    np.testing.assert_allclose(events[0], performances, rtol=within, atol=1000.0 * within)
    for number, each in plain.players.items():
        record = beliefs.table[number]
        ours = record["mu"], record["sigma"], record["activity"], record["surprise"]
        theirs = each.x, math.sqrt(each.V), each.activity, each.surprise
        np.testing.assert_allclose(ours, theirs, rtol=within, atol=1000.0 * within)
        assert (record["contests"], record["first_time"]) == (each.n, each.first)
    s = beliefs.shared
    matrix = np.zeros((64, 64))
    matrix[np.tril_indices(64)] = s[kernel.SCALE] * s[kernel.PRODUCTS :]
    matrix += np.tril(matrix, -1).T
    for ours, theirs in (
        (s[[kernel.CONTESTS, kernel.TAU, kernel.PACE, kernel.PENDING]],
         (plain.contests, plain.tau, plain.pace, plain.pending)),
        (s[kernel.SCALE] * s[[kernel.CURVATURE, kernel.PACES, kernel.LEVEL, kernel.LEVELS]],
         (plain.curvature, plain.paces, plain.level, plain.levels)),
        (s[kernel.THETA : kernel.RATIOS], plain.theta),
        (s[kernel.RATIOS : kernel.SQUARES], plain.ratios.ravel()),
        (s[kernel.SCALE] * s[kernel.SQUARES : kernel.COUNTS], plain.squares.ravel()),
        (s[kernel.SCALE] * s[kernel.COUNTS : kernel.RESPONSES], plain.counts.ravel()),
        (s[kernel.SCALE] * s[kernel.RESPONSES : kernel.PRODUCTS], plain.B),
        (matrix, plain.A),
    ):  # fmt: skip
        scale = max(1.0, float(np.abs(theirs).max()))
        np.testing.assert_allclose(ours, theirs, rtol=10.0 * within, atol=10.0 * within * scale)


@st.composite
def histories(draw, sizes=(1, 9)):
    """Contests among twelve players: ties, weights, ceilings, sides, teams, long absences."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    with_teams, with_sides = draw(st.booleans()), draw(st.booleans())
    contests = draw(st.integers(1, 40))
    player, rank, team, side, offsets = [], [], [], [], [0]
    for c in range(contests):
        size = int(rng.integers(sizes[0], sizes[1] + 1))
        ids = rng.permutation(12)[:size]
        place = np.sort(rng.integers(0, max(1, size), size)) if c % 3 else np.arange(size)
        place = np.searchsorted(place, place) + 1
        if with_teams and size > 3:
            place[:3] = 1
            place[3:] = np.maximum(place[3:], 4)
        player += ids.tolist()
        rank += place.tolist()
        team += [7, 7, 7, *[-1] * (size - 3)] if with_teams and size > 3 else [-1] * size
        side += rng.permutation([1, -1])[:size].tolist() if size <= 2 else [0] * size
        offsets.append(offsets[-1] + size)
    high = rng.random(contests) < 0.2
    return Columns(
        np.array(offsets),
        np.array(player, np.int32),
        np.array(rank, np.int32),
        np.cumsum(rng.exponential(30.0, contests) * DAY).astype(np.int64),
        rng.choice([0.3, 1.0, 2.0], contests),
        np.where(high, rng.normal(1600.0, 100.0, contests), np.inf),
        team=np.array(team, np.int32) if with_teams else None,
        side=np.array(side, np.int8) if with_sides else None,
    )


SYSTEMS = st.sampled_from(
    (
        Podium(),
        Podium(split_ties=True, forgetting=0.05),
        Podium(team="sum", robustness=1.5, noise=40.0),
        Podium(beta=20.0, mu_new=0.0, sigma_new=35.0, noise=2.0, drift_new=0.4),
    )
)


@given(histories(), SYSTEMS)
@settings(max_examples=60, deadline=None)
def test_the_kernel_is_plain_numpy(columns, system):
    refuse_difference(system, columns, 12)


@pytest.mark.parametrize("size", [25, 130, 700])
def test_tables_of_large_contests_are_plain_numpy(size):
    season = podium.simulate(players=size, rounds=12, ties=0.4, participation=0.8, seed=3)
    refuse_difference(Podium(), season.columns, size)


def test_large_contests_of_few_places_are_plain_numpy():
    rng = np.random.default_rng(5)
    rank = np.sort(rng.integers(0, 3, 400))
    columns = Columns(
        np.array((0, 400, 800)),
        np.concatenate([rng.permutation(400) for _ in range(2)]).astype(np.int32),
        np.tile(np.searchsorted(rank, rank) + 1, 2).astype(np.int32),
        np.array((0, DAY)),
        np.ones(2),
        np.full(2, np.inf),
    )
    refuse_difference(Podium(), columns, 400)


def test_races_of_decades_are_plain_numpy(shared):
    races = pl.read_parquet(shared / "data" / "f1.parquet").drop("team")
    contests = podium.Contests.from_frame(races, rerank=True)[:250]
    refuse_difference(Podium(), contests.columns, len(contests.players))


def test_matches_with_sides_are_plain_numpy(shared):
    matches = podium.read(shared / "data" / "football.parquet")[:1500]
    refuse_difference(Podium(), matches.columns, len(matches.players))


def before_the_last(system, columns, rng):
    """Beliefs before the last contest, ratings scattered anew, and that contest alone."""
    last = len(columns.time) - 1
    beliefs = Beliefs(system)
    beliefs.enrol([f"p{each}" for each in range(12)])
    if last:
        system.update_many(beliefs, columns, last=last)
    beliefs.table["mu"][:12] += rng.normal(0.0, rng.choice([1.0, 500.0, 2000.0]), 12)
    return beliefs, columns.between(last, last + 1)


def at_every_place(system, beliefs, contest, rng):
    """The records of one competitor's rows at every place among the others, ties included.

    From the best place to the last. The others keep their order and their ties.
    """
    number = np.arange(len(contest.player))
    if contest.team is not None:
        number = competitors(contest.offsets, contest.team)
    who = rng.integers(0, number.max() + 1)
    own = np.flatnonzero(number == who)
    others = np.flatnonzero(number != who)
    keys = contest.rank[others].astype(float)
    found = []
    for key in np.unique(np.concatenate((keys, keys - 0.5, keys + 0.5))):
        by_row = np.empty(len(number))
        by_row[others], by_row[own] = keys, key
        order = np.argsort(by_row, kind="stable")
        sorted_keys = by_row[order]
        moved = {
            name: column[order]
            for name in ("player", "team", "side", "share")
            if (column := getattr(contest, name)) is not None
        }
        ranks = np.searchsorted(sorted_keys, sorted_keys).astype(np.int32) + 1
        state = beliefs.copy()
        system.update_many(state, contest._replace(**moved, rank=ranks))
        found.append(state.table[contest.player[own]])
    return np.array(found)


@given(histories(sizes=(2, 9)), SYSTEMS, st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_a_better_place_never_gives_less(columns, system, seed):
    """Among two, three or more, with ties, teams, sides, weights and ceilings.

    Others keep their order; what is learned is what was known before the contest.
    """
    rng = np.random.default_rng(seed)
    beliefs, contest = before_the_last(system, columns, rng)
    found = at_every_place(system, beliefs, contest, rng)
    unit = system.beta / 200.0
    assert np.diff(found["mu"], axis=0).max() <= 1e-9 * unit
    assert np.ptp(found["sigma"], axis=0).max() <= 1e-9 * unit, "which no result changes"


@given(histories(sizes=(2, 9)), SYSTEMS, st.integers(0, 2**32), st.floats(0.0, 3000.0))
@settings(max_examples=150, deadline=None)
def test_what_was_earned_before_is_not_lost_by_the_same_result(columns, system, seed, more):
    """A higher rating before a contest is no lower one after it, and as uncertain.

    Without ceilings: with one, who was below it may be above it.
    """
    rng, unit = np.random.default_rng(seed), system.beta / 200.0
    columns = columns._replace(perf_ceiling=np.full(len(columns.time), np.inf))
    beliefs, contest = before_the_last(system, columns, rng)
    player = contest.player[rng.integers(0, len(contest.player))]
    higher = beliefs.copy()
    higher.table["mu"][player] += more * unit
    for state in (beliefs, higher):
        system.update_many(state, contest)
    before, after = (state.table[player] for state in (beliefs, higher))
    assert after["mu"] >= before["mu"] - 1e-9 * unit
    assert after["sigma"] == pytest.approx(before["sigma"], rel=1e-12)


@given(st.integers(2, 6), st.booleans(), st.floats(0.1, 3.0), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_a_ceiling_takes_nobody_below_it(size, wins, weight, seed):
    rng, system = np.random.default_rng(seed), Podium()
    beliefs = Beliefs(system)
    beliefs.enrol([f"p{each}" for each in range(size)])
    beliefs.table["mu"][:size] = rng.normal(1500.0, 800.0, size)
    ceiling, row = float(rng.normal(1500.0, 300.0)), 0 if wins else size - 1
    before = float(beliefs.table["mu"][row])
    columns = Columns(
        np.array((0, size)),
        np.arange(size, dtype=np.int32),
        np.arange(1, size + 1, dtype=np.int32),
        np.zeros(1, np.int64),
        np.array([weight]),
        np.array([ceiling]),
    )
    events = np.empty((len(EVENTS), size))
    system.update_many(beliefs, columns, events)
    if events[0, row] == ceiling:
        assert beliefs.table["mu"][row] >= min(before, ceiling) - 1e-9


def test_an_absence_of_years_is_one_of_four_hundred_days_to_a_rating():
    season = podium.simulate(players=20, rounds=20, seed=3)
    beliefs = podium.rate(season, "podium").beliefs
    last = int(beliefs.table["last_time"][:20].max())
    everybody = slice(0, 20)
    (mu, _), (one, year), (other, years) = (
        beliefs.system.aged(beliefs, everybody, None if days is None else last + days * DAY)
        for days in (None, 400 + 400, 4000)
    )
    assert np.array_equal(mu, one)
    assert np.array_equal(mu, other)
    assert np.array_equal(year, years)


def test_newcomers_are_expected_alike_and_rated_by_their_places():
    season = podium.simulate(players=30, rounds=30, participation=0.6, newcomers=0.5, seed=5)
    beliefs = podium.rate(season, "podium").beliefs
    new = [f"new {each}" for each in range(4)]
    beliefs.enrol(new)
    ids = np.arange(len(beliefs))
    mean, spread = beliefs.system.forecast(beliefs, ids)
    assert np.unique(mean[-4:]).size == np.unique(spread[-4:]).size == 1
    assert mean[-1] != 1500.0
    order = [*new[:2], *beliefs.names[:10], *new[2:]]
    frame = pl.DataFrame({"contest": "next", "player": order, "rank": np.arange(1, 15)})
    frame = frame.with_columns(time=season.frame()["time"].max())
    rated = podium.rate(podium.Contests.from_frame(frame), beliefs=beliefs).beliefs
    mu = [float(rated.table["mu"][rated.index[name]]) for name in new]
    assert mu == sorted(mu, reverse=True)
    assert mu[1] > 1500.0 > mu[2]


@given(histories(sizes=(2, 9)), SYSTEMS, st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_no_step_is_longer_than_its_bound(columns, system, seed):
    """By V before the contest, S and, of two, by how far the forecast is from the rating."""
    rng = np.random.default_rng(seed)
    beliefs, contest = before_the_last(system, columns, rng)
    team = contest.team if contest.team is not None else np.full(len(contest.player), -1, np.int32)
    number = competitors(contest.offsets, team)
    if number.max() == 0:
        return
    w, tau = float(contest.weight[0]), float(beliefs.shared[kernel.TAU])
    table, side = beliefs.table[contest.player], contest.side
    m, spread = system.forecast(beliefs, contest.player, int(contest.time[0]), side)
    _, sigma = system.aged(beliefs, contest.player, int(contest.time[0]))
    V = sigma**2 + np.where(table["contests"] > 0, beliefs.shared[kernel.PACE] * system.noise**2, 0)
    c = 1.0 / np.bincount(number)[number] if system.team == "mean" else np.ones(len(number))
    S, Vs = (np.bincount(number, each)[number] for each in (c * (spread * tau) ** 2, c * c * V))
    noise = np.bincount(number, c)[number] * system.beta**2
    most = np.maximum(system.robustness * np.sqrt(S) / (w * Vs + noise), math.pi / np.sqrt(3.0 * S))
    if number.max() == 1:
        s2 = 3.0 / math.pi**2 * sum(S[number == each][0] for each in (0, 1))
        sided = 0.0 if side is None else beliefs.shared[kernel.THETA + kernel.SIDE] * 0.5 * side
        offset = np.abs(np.bincount(number, c * (m - sided - table["mu"]))[number])
        ceiling = float(contest.perf_ceiling[0])
        capped = np.abs(ceiling - np.bincount(number, c * m)[number]) / S
        alpha = np.maximum(1.0 / math.sqrt(s2), capped if ceiling < math.inf else 0.0)
        most = (alpha + offset / (4.0 * s2)) / (1.0 - math.pi**2 / 12.0)
    before = table["mu"].copy()
    system.update_many(beliefs, contest)
    step = np.abs(beliefs.table["mu"][contest.player] - before)
    assert (step <= c * w * V * most * (1.0 + 1e-9)).all()


def test_the_first_of_twenty_thousand_newcomers_gains_most():
    n = 20_000
    frame = {"contest": "c", "time": 0, "player": [f"p{k:05}" for k in range(n)]}
    contests = podium.Contests.from_frame(pl.DataFrame({**frame, "rank": np.arange(1, n + 1)}))
    mu = podium.rate(contests, "podium").beliefs.column("mu")
    assert np.diff(mu).max() < 0.0


@given(st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_who_wins_a_match_never_loses_by_it(seed):
    rng = np.random.default_rng(seed)
    ladder = podium.Ladder("podium")
    players = [f"p{each}" for each in range(6)]
    for day in range(60):
        a, b = rng.permutation(players)[:2].tolist()
        home = a if day % 2 else None
        before = {each: ladder[each].mu if each in ladder else 1500.0 for each in (a, b)}
        ladder.record([a, b], time=day * 86_400 * 3, home=home)
        assert ladder[a].mu >= before[a]
        assert ladder[b].mu <= before[b]
        ladder.beliefs.table["mu"][: len(ladder)] += rng.normal(0.0, 300.0, len(ladder))


def test_resting_moves_no_rating_but_the_forecast():
    season = podium.simulate(
        players=60, rounds=80, participation=0.3, newcomers=0.5, calendar="random", seed=4
    )
    rated = podium.rate(season, "podium")
    now, later = rated.ratings, rated.leaderboard(None, at="2032-01-01")
    both = now.join(later, on="player", suffix="_later")
    assert both["rating"].equals(both["rating_later"])
    assert both["mu"].equals(both["mu_later"])
    assert (both["sigma_later"] > both["sigma"]).all()
    assert (both["spread_later"] > both["spread"]).all()
    assert not both["forecast"].equals(both["forecast_later"])


def test_who_takes_no_part_keeps_all_that_is_believed():
    season = podium.simulate(players=40, rounds=30, participation=0.4, seed=9)
    first = podium.rate(season[:29], "podium").beliefs
    after = podium.rate(season[29:], beliefs=first).beliefs
    absent = [each for each in first.names if each not in season[29].players]
    assert absent
    for name in absent:
        assert first.table[first.index[name]] == after.table[after.index[name]]


def test_predictions_are_made_of_forecasts():
    season = podium.simulate(players=30, rounds=40, participation=0.5, newcomers=0.4, seed=2)
    ladder = podium.Ladder.from_beliefs(podium.rate(season, "podium").beliefs)
    a, b = ladder.beliefs.names[:2]
    ids = np.array([0, 1])
    mean, spread = ladder.system.forecast(ladder.beliefs, ids)
    z = math.pi / math.sqrt(3.0) * (mean[0] - mean[1]) / math.hypot(*spread)
    assert ladder.win_probability(a, b) == pytest.approx(1.0 / (1.0 + math.exp(-z)), rel=1e-12)
    later = ladder.win_probability(a, b, at="2030-01-01")
    assert later != ladder.win_probability(a, b)
    before = backtest(season, "podium")
    history = podium.rate(season, "podium").history
    assert np.corrcoef(before.rating, history["mu_before"])[0, 1] < 0.999


def test_the_side_is_learned():
    matches = podium.simulate_matches(players=40, matches=4000, side_advantage=0.8, seed=5)
    beliefs = podium.rate(matches, "podium").beliefs
    assert beliefs.shared[kernel.THETA + kernel.SIDE] > 60.0
    ladder = podium.Ladder.from_beliefs(beliefs)
    a, b = beliefs.names[:2]
    home, neutral, away = (
        ladder.win_probability(a, b, side=each) for each in ("home", None, "away")
    )
    assert home > neutral + 0.05
    assert neutral > away + 0.05
    swapped = ladder.win_probability(b, a, side="away")
    assert home == pytest.approx(1.0 - swapped, abs=1e-12)


def test_newcomers_are_expected_where_newcomers_performed():
    rng = np.random.default_rng(3)
    rows, seen = [], 0
    for day in range(80):
        veterans = [f"v{each:02}" for each in range(20)]
        newcomers = [f"n{seen + each:04}" for each in range(5)]
        seen += 5
        skill = np.concatenate([np.linspace(1400.0, 1900.0, 20), np.full(5, 900.0)])
        order = np.argsort(-(skill + rng.normal(0.0, 150.0, 25)))
        names = np.array(veterans + newcomers)[order]
        rows += [(f"c{day:02}", day * 86_400, name, k + 1) for k, name in enumerate(names)]
    frame = pl.DataFrame(rows, ["contest", "time", "player", "rank"], orient="row")
    ladder = podium.Ladder.from_beliefs(
        podium.rate(podium.Contests.from_frame(frame), "podium").beliefs
    )
    beliefs = ladder.beliefs
    beliefs.enrol(["somebody new"])
    mean, _ = ladder.system.forecast(beliefs, np.arange(len(beliefs)))
    assert mean[-1] < 1300.0
    assert ladder["v00"].mu > mean[-1]


def test_an_absence_is_explained_in_words():
    season = podium.simulate(players=60, rounds=40, seed=6)
    late = season.frame().with_columns(
        time=pl.when(pl.col("contest") == "round-40")
        .then(pl.col("time") + pl.duration(days=200))
        .otherwise("time")
    )
    contests = podium.Contests.from_frame(late)
    found = podium.explain_result(contests, "round-40", "player-0007", "podium")
    assert "Forecast: " in found.text()
    assert "after 207 days away they perform" in " ".join(found.text().split())
    assert "players with 36 to 80 contests perform" in " ".join(found.text().split())
    first = podium.explain_result(contests, "round-01", "player-0007", "podium")
    assert "newcomers perform" in " ".join(first.text().split())


def test_damaged_numbers_that_all_share_are_refused(tmp_path):
    rated = podium.rate(podium.simulate(players=20, rounds=6, seed=1), "podium")
    for place, value in ((kernel.TAU, 0.0), (kernel.RATIOS, -1.0), (kernel.COUNTS, -5.0)):
        beliefs = rated.beliefs.copy()
        beliefs.shared[place] = value
        beliefs.save(tmp_path / "beliefs.npz")
        with pytest.raises(podium.PodiumError, match="out of its range"):
            Beliefs.load(tmp_path / "beliefs.npz")


def test_ratings_scale_with_beta():
    season = podium.simulate(players=40, rounds=20, seed=8)
    tenth = dataclasses.replace(
        Podium(), beta=20.0, noise=2.0, drift_per_day=0.0124, drift_new=0.43, sigma_new=35.0,
        mu_new=150.0,
    )  # fmt: skip
    one, other = (podium.rate(season, each).beliefs.column("mu") for each in (Podium(), tenth))
    np.testing.assert_allclose(one, 10.0 * other, rtol=1e-9)
