"""Looking back: kernels beside plain code, what estimates mean, whether sigmas are right."""

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium.errors import InputError, NotFoundError
from podium.hindsight import smoothing
from podium.hindsight.looking import searched
from podium.hindsight.smoothing import Chains, Parameters
from podium.numerics import histories as kernels
from podium.numerics import measures
from podium.numerics.histories import MANY
from podium.results.columns import Columns
from tests.hindsight import plain_histories as plain

DAY = 86_400_000_000


def season(seed, sizes, players, *, sides=False, weights=True):
    """Contests of random players, with ties."""
    draws = np.random.default_rng(seed)
    player, rank = [], []
    for size in sizes:
        player += draws.permutation(players)[:size].tolist()
        places = np.sort(draws.integers(0, max(2, int(0.8 * size)), size))
        rank += (1 + np.searchsorted(places, places)).tolist()
    count = len(sizes)
    side = None
    if sides:
        side = np.zeros(len(player), np.int8)
        home = draws.integers(-1, 2, count)
        side[0::2], side[1::2] = home, -home
    return Columns(
        np.concatenate([[0], np.cumsum(sizes)]),
        np.array(player, np.int32),
        np.array(rank, np.int32),
        np.sort(draws.integers(0, 900, count)) * DAY,
        draws.choice([0.5, 1.0, 2.0], count) if weights else np.ones(count),
        np.full(count, np.inf),
        side=side,
    )


def compare(columns, parameters, halves, tolerance):
    chains = Chains.of(columns, int(columns.player.max()) + 1)
    found = smoothing.smoothed(columns, chains, parameters, most=halves)
    mean, sigma, advantage = plain.smoothed(columns, parameters, found.halves)
    np.testing.assert_allclose(found.estimates[0], mean, atol=tolerance)
    np.testing.assert_allclose(found.estimates[1], sigma, atol=tolerance)
    assert found.advantage == pytest.approx(advantage, abs=tolerance)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**31))
def test_matches_with_sides_and_draws_are_smoothed_as_plain_code_does(seed):
    compare(season(seed, [2] * 40, 8, sides=True), Parameters(), 5, 1e-6)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**31))
def test_contests_of_a_few_are_smoothed_as_plain_code_does(seed):
    """Sixteen nodes are not four thousand: the difference is far below any uncertainty."""
    sizes = np.random.default_rng(seed).integers(1, 12, 12).tolist()
    compare(season(seed, sizes, 14), Parameters(), 3, 0.05)


def test_contests_of_some_are_smoothed_as_plain_code_does():
    """Sums over opponents are tabulated from 24 on."""
    compare(season(4, [24, 3, 50, 23], 60), Parameters(), 3, 0.05)


def test_tables_are_the_sums_over_opponents():
    draws = np.random.default_rng(8)
    for count, spread in ((24, 10.0), (199, 400.0), (50, 2000.0)):
        m, w = draws.normal(1500.0, spread, count), 1.0 / draws.uniform(100.0, 230.0, count)
        table = kernels.room_for(count)[2]
        left, step, cells = kernels._tabulated(m, w, count, table)
        assert cells > 0
        for x in np.linspace(m.min() - 9_000.0, m.max() + 9_000.0, 999):
            z = (x - m) * w
            F = 0.5 * (1.0 + np.tanh(0.5 * z))
            expected = np.logaddexp(0.0, z).sum(), (w * F).sum(), (w * w * F * (1.0 - F)).sum()
            found = kernels._looked_up(table, left, step, cells, x)
            for each, other, off in zip(found, expected, (1e-6, 1e-8, 1e-9), strict=True):
                assert abs(each - other) < off * count
    m[0] = 1e7
    assert kernels._tabulated(m, w, count, table)[2] == 0


@pytest.mark.parametrize("robust", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_large_contests_are_smoothed_as_plain_code_does(robust):
    compare(season(4, [230, 12, 210], 260), Parameters(robust=robust), 3, 0.02)


def losses(columns, mean, sigma, beta, advantage, hidden=None):
    out = np.empty(len(columns.time))
    kernels.losses(
        columns.offsets, columns.player, columns.rank, *smoothing.sides_and_scores(columns),
        np.zeros(len(columns.player), bool) if hidden is None else hidden,
        mean, sigma, beta, advantage, out,
    )  # fmt: skip
    return out


def test_losses_are_those_of_all_pairs():
    draws = np.random.default_rng(5)
    for sizes, sides in (([2] * 30, True), ([1, 2, 3, 9, 17, 40, 64], False)):
        columns = season(1, sizes, 70, sides=sides)
        if sides:
            columns = columns._replace(score=draws.choice([0.0, 0.3, 0.5, 1.0], len(sizes)))
        rows = len(columns.player)
        mean, sigma = draws.normal(1500.0, 400.0, rows), draws.uniform(10.0, 300.0, rows)
        expected = plain.loss(columns, mean, sigma, 190.0, 70.0)
        np.testing.assert_allclose(losses(columns, mean, sigma, 190.0, 70.0), expected, rtol=1e-12)


def test_losses_of_large_contests_are_those_of_the_pairs_of_all_measures():
    columns = season(2, [5000], 5000)
    draws = np.random.default_rng(6)
    mean, sigma = draws.normal(1500.0, 300.0, 5000), draws.uniform(10.0, 90.0, 5000)
    (count,) = measures.pair_counts(columns.offsets)
    a, b = measures.pairs(columns.offsets, columns.player, 0, 1, count)
    d = (mean[a] - mean[b]) / np.sqrt(sigma[a] ** 2 + sigma[b] ** 2 + 2.0 * 190.0**2) / plain.SCALE
    y = 0.5 + 0.5 * np.sign(columns.rank[b] - columns.rank[a])
    (found,) = losses(columns, mean, sigma, 190.0, 0.0)
    assert found == pytest.approx((np.logaddexp(0.0, d) - y * d).mean(), rel=1e-12)


def test_losses_do_not_see_what_is_hidden():
    columns = season(2, [5, 300], 300)
    hidden = np.random.default_rng(6).random(305) < 0.2
    mean, sigma = np.where(hidden, np.nan, np.arange(305.0)), np.full(305, 50.0)
    assert np.isfinite(losses(columns, mean, sigma, 190.0, 0.0, hidden)).all()


def population(size, players, contests, days, seed, parameters=Parameters()):  # noqa: B008
    """Contests of players with known skills, which drift as is believed; and the skills."""
    draws, p = np.random.default_rng(seed), parameters
    skill = draws.normal(p.mu_new, p.sig_new, players)
    number, last = np.zeros(players, int), np.zeros(players)
    player, true = [], []
    for c in range(contests):
        who = draws.permutation(players)[:size]
        pace = p.drift + p.early_drift / (1.0 + number[who] / 20.0)
        gained = p.q**2 + pace * np.minimum(c * days - last[who], p.longest)
        skill[who] += np.where(number[who] > 0, np.sqrt(gained), 0.0) * draws.normal(size=size)
        number[who] += 1
        last[who] = c * days
        order = np.argsort(-(skill[who] + draws.logistic(0.0, p.beta * plain.SCALE, size)))
        player.append(who[order])
        true.append(skill[who][order])
    columns = Columns(
        size * np.arange(contests + 1),
        np.concatenate(player).astype(np.int32),
        np.tile(np.arange(1, size + 1, dtype=np.int32), contests),
        (np.arange(contests) * days * DAY).astype(np.int64),
        np.ones(contests),
        np.full(contests, np.inf),
    )
    return columns, np.concatenate(true)


@pytest.mark.parametrize(
    ("size", "players", "contests", "days"),
    [(2, 400, 16_000, 1), (5, 400, 6_000, 1), (20, 600, 1_800, 7), (200, 2_000, 180, 7),
     (1000, 4_000, 50, 7)],
)  # fmt: skip
def test_intervals_hold_true_skills_as_often_as_they_say(size, players, contests, days):
    """Against the level of the others: where all of them are together, results do not say."""
    columns, true = population(size, players, contests, days, seed=0)
    chains = Chains.of(columns, players)
    mean, sigma = smoothing.smoothed(columns, chains, Parameters()).estimates
    part = chains.contest.astype(int) * 20 // contests
    level = np.bincount(part, mean - true) / np.bincount(part)
    inside = np.abs(mean - true - level[part]) < 1.96 * sigma
    assert 0.94 < inside.mean() < 0.96


def test_hidden_results_are_predicted_better_than_by_the_past_alone():
    columns, _ = population(20, 100, 300, 7, seed=1)
    hidden = np.random.default_rng(2).random(len(columns.player)) < 0.05
    chains = Chains.of(columns, 100)
    work = smoothing._Work(columns, chains, Parameters(), hidden)
    work.sweep(0, 1.0)
    past = work.state[:, 1] / work.state[:, 0]
    both = smoothing.smoothed(columns, chains, Parameters(), hidden=hidden).cavities[0]

    def called_right(mean):
        right = []
        for row in np.flatnonzero(hidden):
            c = chains.contest[row]
            those = np.arange(columns.offsets[c], columns.offsets[c + 1])
            those = those[those != row]
            ahead = (mean[row] > mean[those]) == (columns.rank[row] < columns.rank[those])
            right.append(ahead.mean())
        return np.mean(right)

    assert called_right(both) > called_right(past) + 0.01


def test_a_hidden_result_changes_nothing():
    columns, _ = population(30, 60, 30, 7, seed=3)
    hidden = np.zeros(len(columns.player), bool)
    hidden[columns.offsets[10] + 4] = True
    rank = columns.rank.copy()
    rows = slice(columns.offsets[10], columns.offsets[11])
    order = [k for k in range(30) if k != 4]
    moved = np.array([*order[:20], 4, *order[20:]]) + columns.offsets[10]
    other = columns._replace(player=columns.player.copy())
    other.player[rows] = columns.player[moved]
    elsewhere = np.zeros(len(hidden), bool)
    elsewhere[columns.offsets[10] + 20] = True
    assert (rank[rows] == np.arange(1, 31)).all()
    one = smoothing.smoothed(columns, Chains.of(columns, 60), Parameters(), hidden=hidden)
    two = smoothing.smoothed(other, Chains.of(other, 60), Parameters(), hidden=elsewhere)
    np.testing.assert_allclose(one.estimates[0][moved], two.estimates[0][rows], rtol=1e-12)


def test_rows_in_any_order_give_the_same_bits():
    frame = podium.simulate(players=50, rounds=30, participation=0.6, ties=0.2, seed=5).frame()
    one = podium.look_back(podium.Contests.from_frame(frame))
    mixed = frame.sample(fraction=1.0, shuffle=True, seed=6)
    two = podium.look_back(podium.Contests.from_frame(mixed))
    assert one.table.equals(two.table)
    assert (one.moved, one.log_loss) == (two.moved, two.log_loss)


@pytest.fixture(scope="module")
def found():
    contests = podium.simulate(players=40, rounds=60, participation=0.5, seed=7)
    return podium.look_back(contests)


def test_it_stops_by_the_rule_and_says_so(found):
    assert found.settled
    assert found.moved < 0.01 * found.table["sigma"].mean()
    assert "settled after" in found.summary
    one = smoothing.smoothed(found.contests.columns, found.chains, found.parameters, most=1)
    assert not one.settled


def test_a_curve_goes_through_the_estimates_and_is_less_sure_between_them(found):
    rows = found.player("player-0007")
    curve = found.curve("player-0007", rows["time"].to_list())
    assert curve["estimate"].to_list() == pytest.approx(rows["estimate"].to_list())
    assert curve["sigma"].to_list() == pytest.approx(rows["sigma"].to_list())
    gaps = rows["time"].diff().dt.total_seconds().to_numpy()
    k = int(np.nanargmax(gaps))
    first, last = rows["time"][k - 1], rows["time"][k]
    between = found.curve("player-0007", [first + (last - first) * s for s in (0.0, 0.5, 1.0)])
    assert between["sigma"][1] > min(between["sigma"][0], between["sigma"][2])
    low, high = sorted(between["estimate"].to_list()[::2])
    assert low - 1e-9 <= between["estimate"][1] <= high + 1e-9
    later = found.curve("player-0007", [rows["time"][-1], "2100-01-01", "1980-01-01"])
    assert later["sigma"][1] > later["sigma"][0]
    assert later["estimate"][1] == pytest.approx(later["estimate"][0])
    assert later["estimate"][2] is None


def test_the_curve_is_exact_between_contests():
    """A contest that says nothing, put between two others, changes nothing and shows the curve."""
    rows = [("a", 0, 1), ("b", 0, 2), ("b", 100, 1), ("a", 100, 2)]
    columns = ["player", "day", "rank"]
    frame = pl.DataFrame(rows, columns, orient="row").with_columns(
        contest=pl.col("day").cast(pl.String), time=pl.col("day") * 86_400
    )
    look = podium.look_back(podium.Contests.from_frame(frame), q=1e-6, early_drift=0.0)
    alone = pl.DataFrame(
        {"player": ["a"], "day": [40], "rank": [1], "contest": ["alone"], "time": [40 * 86_400]},
        frame.schema,
    )
    more = podium.Contests.from_frame(pl.concat([frame, alone]))
    there = podium.look_back(more, q=1e-6, early_drift=0.0).player("a").row(1, named=True)
    here = look.curve("a", [40 * 86_400]).row(0, named=True)
    assert here["estimate"] == pytest.approx(there["estimate"], abs=0.05)
    assert here["sigma"] == pytest.approx(there["sigma"], abs=0.05)


def test_had_they_met_is_symmetric_and_says_what_is_due(found):
    one = found.met("player-0003", "player-0009", "2026-09-01")
    two = found.met("player-0009", "player-0003", "2026-09-01")
    assert one.win == pytest.approx(1.0 - two.win)
    assert one.stronger == pytest.approx(1.0 - two.stronger)
    assert (one.win > 0.5) == (one.estimate > one.other_estimate)
    assert one.caveat is None
    apart = found.met("player-0003", "player-0009", "2026-09-01", "2056-09-01")
    assert "30 years apart" in apart.caveat
    with pytest.raises(InputError, match="was first seen on"):
        found.met("player-0003", "player-0009", "1990-01-01")
    with pytest.raises(NotFoundError, match="no player 'nobody'"):
        found.met("player-0003", "nobody", "2026-09-01")


def test_the_best_ever_are_at_their_best(found):
    best = found.best(None, min_contests=1)
    highest = found.table.group_by("player").agg(pl.col("estimate").max())
    joined = best.join(highest, on="player", suffix="_max")
    assert best.height == 40
    assert (joined["estimate"] == joined["estimate_max"]).all()
    assert best["estimate"].is_sorted(descending=True)
    assert ((best["low"] < best["estimate"]) & (best["estimate"] < best["high"])).all()


@pytest.mark.slow
def test_tuning_finds_the_pace_at_which_skills_drift():
    slow = Parameters(q=5.0, drift=0.01, early_drift=0.01)
    columns, _ = population(20, 50, 120, 7, seed=9, parameters=slow)
    names = [f"p{k:02d}" for k in range(50)]
    contest = np.repeat(np.arange(120), 20)
    frame = pl.DataFrame(
        {
            "contest": contest,
            "time": columns.time[contest] // 1_000_000,
            "player": [names[k] for k in columns.player],
            "rank": columns.rank,
        }
    )
    contests = podium.Contests.from_frame(frame)
    usual, tuned = podium.look_back(contests), podium.look_back(contests, tune=True)
    assert tuned.tuned
    assert tuned.log_loss < usual.log_loss
    assert tuned.parameters.q < usual.parameters.q


def test_a_search_finds_the_least():
    def loss(p):
        return (
            math.log(p.beta / 300.0) ** 2
            + math.log(p.q / 10.0) ** 2
            + math.log(p.drift / 1.0) ** 2
            + math.log(p.early_drift / 40.0) ** 2
        )

    best = searched(loss, Parameters())
    assert loss(best) < 0.2
    assert replace(best, beta=0.0, q=0.0, drift=0.0, early_drift=0.0) == replace(
        Parameters(), beta=0.0, q=0.0, drift=0.0, early_drift=0.0
    )


def test_trueskill_through_time_agrees():
    """Its performances are normal where ours are logistic, and its level is not corrected."""
    ttt = pytest.importorskip("trueskillthroughtime")
    parameters = Parameters(beta=190.0, q=30.0, drift=1e-9, early_drift=0.0)
    columns, true = population(2, 20, 400, 1, seed=4, parameters=parameters)
    pairs = columns.player.reshape(-1, 2)
    history = ttt.History(
        [[[str(a)], [str(b)]] for a, b in pairs],
        mu=1500.0, sigma=350.0, beta=190.0, gamma=30.0,
    )  # fmt: skip
    history.convergence(epsilon=0.01, iterations=30, verbose=False)
    theirs = {name: [skill.mu for _, skill in curve] for name, curve in
              history.learning_curves().items()}  # fmt: skip
    ours = smoothing.smoothed(columns, Chains.of(columns, 20), parameters).estimates[0]
    place, both = dict.fromkeys(map(str, range(20)), 0), []
    for row, who in enumerate(columns.player):
        both.append((ours[row], theirs[str(who)][place[str(who)]]))
        place[str(who)] += 1
    one, other = np.array(both).T
    assert np.corrcoef(one, other)[0, 1] > 0.998
    assert abs(np.std(one - other)) < 40.0
    assert np.std(one - true) < 1.03 * np.std(other - true)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"weights": "cubic"}, "weights must be one of"),
        ({"q": 0.0}, "q must be"),
        ({"beta": -1.0}, "beta must be"),
        ({"drift": math.nan}, "drift must be"),
        ({"q": 1e200}, "q must be a number from 1e-06 to 1,000,000"),
    ],
)
def test_what_is_wrong_is_said(options, sentence):
    with pytest.raises(InputError, match=sentence):
        podium.look_back(podium.simulate(players=4, rounds=2, seed=1), **options)


def test_estimates_are_numbers_where_results_are_absurd():
    """One order a hundred times, and a beta that makes the second of it impossible."""
    order = np.tile(np.arange(60), 100)
    rows = {"contest": np.repeat(np.arange(100), 60), "player": order, "rank": order + 1}
    contests = podium.Contests.from_frame(
        pl.DataFrame(rows).with_columns(pl.col("player").cast(pl.String), time=pl.col("contest"))
    )
    found = podium.look_back(contests, beta=1.0, q=1.0, drift=0.0, early_drift=0.0)
    assert np.isfinite(found.table.select("estimate", "sigma", "without").to_numpy()).all()
    assert found.best(1)["player"].item() == "0"


def test_who_met_nobody_is_as_before_and_that_is_said():
    alone = [{"contest": k, "time": k, "player": name, "rank": 1} for k, name in enumerate("ab")]
    found = podium.look_back(podium.Contests.from_records(alone))
    assert found.summary.endswith("nobody met anybody")
    assert found.document()["log_loss"] is None
    assert found.table["estimate"].to_list() == [1500.0, 1500.0]
    with pytest.raises(InputError, match="n must be a whole number of at least 1"):
        found.best(0)


@pytest.mark.parametrize(("size", "off"), [(2, 0.05), (6, 0.05), (210, 0.15)])
def test_a_weight_of_three_is_as_if_it_had_happened_three_times(size, off):
    draws = np.random.default_rng(size)
    once, thrice = [], []
    for c in range(30 if size < MANY else 3):
        who = draws.permutation(size + 4)[:size].tolist()
        rows = [
            {"player": f"p{k}", "rank": rank, "time": 86_400 * c} for rank, k in enumerate(who, 1)
        ]
        once += [{**row, "contest": str(c), "weight": 3.0} for row in rows]
        thrice += [{**row, "contest": f"{c} {copy}"} for row in rows for copy in range(3)]
    one, other = (
        podium.look_back(podium.Contests.from_records(each), q=1e-3, drift=300.0, early_drift=0.0)
        for each in (once, thrice)
    )
    assert one.settled
    last = pl.col("estimate", "sigma").last()
    by_player = (each.table.group_by("player").agg(last).sort("player") for each in (one, other))
    found, expected = (each.drop("player").to_numpy() for each in by_player)
    assert np.abs(found - expected).max() < off * expected[:, 1].min()


def test_large_weights_go_nowhere_else():
    """Ten times the results of many matches are no reason to go to and fro for ever."""
    columns, true = population(2, 60, 3_000, 1, seed=3)
    heavy = columns._replace(weight=np.full(3_000, 30.0))
    found = smoothing.smoothed(heavy, Chains.of(heavy, 60), Parameters())
    assert found.moved < 2.0
    assert np.abs(found.estimates[0] - true).max() < 1_500.0


def test_where_no_numbers_are_left_that_is_said(monkeypatch):
    def lost(*arguments, **options):
        return replace(smoothing.smoothed(*arguments, **options), moved=math.nan)

    monkeypatch.setattr("podium.hindsight.looking.smoothed", lost)
    with pytest.raises(InputError, match="no numbers are left"):
        podium.look_back(podium.simulate(players=4, rounds=2, seed=1))


def test_that_ceilings_are_not_looked_at_is_said():
    rows = [
        {"contest": 1, "time": 0, "player": name, "rank": rank}
        for rank, name in enumerate("abc", 1)
    ]
    held = [{**row, "perf_ceiling": 1800.0} for row in rows]
    free, held = (podium.look_back(podium.Contests.from_records(each)) for each in (rows, held))
    assert held.table.equals(free.table)
    assert "ceilings of performances are not looked at" in held.summary
    assert "ceilings" not in free.summary


def test_what_it_does_not_know_is_refused():
    rows = [
        {"contest": 1, "time": 0, "player": name, "rank": rank, "team": team, "ladder": "x"}
        for name, rank, team in (("a", 1, "red"), ("b", 1, "red"), ("c", 2, "blue"))
    ]
    with pytest.raises(InputError, match="there are teams"):
        podium.look_back(podium.Contests.from_records(rows))
    with pytest.raises(InputError, match="takes Contests"):
        podium.look_back("results.csv")
    with pytest.raises(InputError, match="no contests"):
        podium.look_back(podium.simulate(players=4, rounds=2, seed=1)[:0])


def test_all_of_codeforces_is_seen_better_than_online(codeforces):
    some = codeforces[:160]
    hidden = np.random.default_rng(1).random(some.rows) < 0.03
    chains = Chains.of(some.columns, len(some.players))
    c = some.columns
    mean = smoothing.smoothed(c, chains, Parameters(), hidden=hidden).cavities[0]
    right = np.nanmean(measures.pairs_called_right(c.offsets, c.rank, mean)[hidden])
    assert right > 0.755
