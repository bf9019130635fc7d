"""Elo: against a plain loop, FIDE's table and rules and evalica; sides, margins, football."""

import math

import evalica
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import podium
from podium.numerics.elo import FIDE_DEVIATION
from podium.results.columns import Columns
from podium.systems import Elo
from tests.comparing import assert_same_beliefs
from tests.systems.pairwise_seasons import (
    DAY,
    NAMES,
    columns_of,
    flattened,
    folded,
    play,
    renamed,
    season_columns,
    seasons,
    settled,
)

FIDE_RULES = Elo(k=20, k_new=40, k_top=10, curve="fide", cap=400)

FIDE_TABLE = """
0-3 .50 | 4-10 .51 | 11-17 .52 | 18-25 .53 | 26-32 .54 | 33-39 .55 | 40-46 .56 | 47-53 .57
54-61 .58 | 62-68 .59 | 69-76 .60 | 77-83 .61 | 84-91 .62 | 92-98 .63 | 99-106 .64 | 107-113 .65
114-121 .66 | 122-129 .67 | 130-137 .68 | 138-145 .69 | 146-153 .70 | 154-162 .71 | 163-170 .72
171-179 .73 | 180-188 .74 | 189-197 .75 | 198-206 .76 | 207-215 .77 | 216-225 .78 | 226-235 .79
236-245 .80 | 246-256 .81 | 257-267 .82 | 268-278 .83 | 279-290 .84 | 291-302 .85 | 303-315 .86
316-328 .87 | 329-344 .88 | 345-357 .89 | 358-374 .90 | 375-391 .91 | 392-411 .92 | 412-432 .93
433-456 .94 | 457-484 .95 | 485-517 .96 | 518-559 .97 | 560-619 .98 | 620-735 .99 | 736-2000 1.0
"""
"""FIDE Handbook B.02, table 8.1.2: differences of ratings, and the higher player's probability."""


def expectation(system, difference, side=0):
    beliefs = settled(system, {"a": {"mu": 1500.0 + difference}, "b": {"mu": 1500.0}}).beliefs
    return system.win_probability(beliefs, 0, 1, side=side)


def test_expected_scores_are_those_of_fides_table():
    system = Elo(curve="fide")
    entries = [entry.split() for line in FIDE_TABLE.split("\n") for entry in line.split("|")]
    checked = 0
    for entry in entries:
        if not entry:
            continue
        low, high = map(int, entry[0].split("-"))
        for difference in range(low, min(high, 800) + 1):
            assert expectation(system, difference) == float(entry[1]), difference
            wanted = pytest.approx(1.0 - float(entry[1]), abs=1e-15)
            assert expectation(system, -difference) == wanted
            checked += 1
    assert checked == 801


def test_fides_table_is_a_normal_distribution_of_deviation_2000_by_7_but_for_five_steps():
    """Not of 200 √2, as is often said: that misses most of its steps, by up to seven points."""
    tops = [int(part.split("-")[1].split()[0]) for part in FIDE_TABLE.replace("\n", "|").split("|")
            if part.strip()][:-1]  # fmt: skip
    steps = norm.ppf(0.505 + 0.01 * np.arange(50))
    exact = np.floor(steps * FIDE_DEVIATION)
    assert np.abs(exact - tops).max() == 2.0
    assert (exact == tops).sum() == 45
    assert (np.floor(steps * 200.0 * math.sqrt(2.0)) == tops).sum() < 10


def test_differences_beyond_the_cap_count_as_the_cap():
    assert expectation(FIDE_RULES, 1000) == expectation(FIDE_RULES, 400) == 0.92
    assert expectation(FIDE_RULES, -1000) == pytest.approx(0.08, abs=1e-15)
    assert expectation(Elo(cap=400), 401) == expectation(Elo(), 400) == pytest.approx(10 / 11)
    assert expectation(Elo(), 401) > expectation(Elo(), 400)


@given(st.floats(-3000, 3000), st.sampled_from([200.0, 400.0, 480.0]))
def test_curves_are_the_published_functions(difference, scale):
    logistic = expectation(Elo(scale=scale), difference)
    assert logistic == pytest.approx(1.0 / (1.0 + 10.0 ** (-difference / scale)), abs=1e-14)
    normal = expectation(Elo(scale=scale, curve="normal"), difference)
    assert normal == pytest.approx(norm.cdf(difference / (scale / math.sqrt(2.0))), abs=1e-14)


def test_fides_k_is_40_for_30_games_then_20_and_10_for_ever_once_2400_was_reached():
    ladder = settled(
        FIDE_RULES, {"new": {"mu": 2380.0}, "old": {"mu": 2380.0, "contests": 30, "last_time": 0}}
    )
    gains = []
    for number in range(33):
        ladder.beliefs.table["mu"][0] = 2300.0
        ladder.record([("new", f"weak {number}")])
        gains.append((2300.0 - ladder["new"].mu) / 0.42)
    assert gains[:30] == pytest.approx([40.0] * 30)
    assert gains[30:] == pytest.approx([20.0] * 3)
    for number in range(2):
        before = ladder["old"].mu
        ladder.record(["old", f"strong {number}"])
        assert ladder["old"].mu - before == pytest.approx(20.0 * 0.08)
    assert ladder["old"].mu < 2400.0
    ladder.beliefs.table["mu"][1] = 2399.0
    ladder.record(["old", "strong 3"])
    assert ladder["old"].mu > 2400.0
    for number in range(5):
        before = ladder["old"].mu
        ladder.record([(f"weaker {number}", "old")])
        assert before - ladder["old"].mu == pytest.approx(10.0 * 0.42)
    assert ladder["old"].mu < 2400.0


def test_a_newcomer_who_reaches_2400_keeps_the_k_of_newcomers_for_30_games():
    ladder = settled(FIDE_RULES, {"ann": {"mu": 2395.0}, "bob": {"mu": 2395.0}})
    ladder.record(["ann", "bob"])
    assert ladder["ann"].mu == 2415.0
    before = ladder["ann"].mu
    ladder.record([("ann", "cat")])
    assert before - ladder["ann"].mu == pytest.approx(40.0 * 0.42)


@given(seasons(), st.sampled_from([{}, {"k_new": 40.0, "contests_new": 2, "k_top": 9.0}]))
@settings(max_examples=100, deadline=None)
def test_ratings_are_the_same_to_the_bit_whether_or_not_a_history_is_kept(season, ks):
    """Matches that nobody asks about are folded in a loop of their own."""
    columns, system = season_columns(season), Elo(top=1515.0, **ks)
    assert folded(system, columns) == folded(system, columns, asked=True)


class Plain:
    """Elo by its formula, pair by pair."""

    def __init__(self, system):
        self.system = system
        self.mu: dict[str, float] = {}
        self.contests: dict[str, int] = {}
        self.reached: set[str] = set()

    def expected(self, difference):
        s = self.system
        if s.cap is not None:
            difference = max(-s.cap, min(s.cap, difference))
        if s.curve == "normal":
            return float(norm.cdf(difference / (s.scale / math.sqrt(2.0))))
        return 1.0 / (1.0 + 10.0 ** (-difference / s.scale))

    def k(self, name):
        s = self.system
        if s.k_new is not None and self.contests[name] < s.contests_new:
            return s.k_new
        return s.k_top if s.k_top is not None and name in self.reached else s.k

    def record(self, names, ranks, weight):
        s, n = self.system, len(names)
        for name in names:
            self.mu.setdefault(name, s.mu_new)
            self.contests.setdefault(name, 0)
        change = dict.fromkeys(names, 0.0)
        for i, rank in zip(names, ranks, strict=True):
            for j, other in zip(names, ranks, strict=True):
                if i != j:
                    score = 1.0 if rank < other else 0.5 if rank == other else 0.0
                    change[i] += score - self.expected(self.mu[i] - self.mu[j])
        for name in names:
            share = 1 if s.contest == "sum" else max(n - 1, 1)
            self.mu[name] += weight * self.k(name) / share * change[name]
            self.contests[name] += 1
            if self.mu[name] >= s.top:
                self.reached.add(name)


@given(
    season=seasons(),
    k=st.sampled_from([(32.0, None, None), (20.0, 40.0, None), (20.0, 40.0, 10.0)]),
    curve=st.sampled_from(["logistic", "normal"]),
    cap=st.sampled_from([None, 15.0]),
    contest=st.sampled_from(["mean", "sum"]),
)
@settings(max_examples=150, deadline=None)
def test_random_seasons_agree_with_a_plain_loop(season, k, curve, cap, contest):
    system = Elo(
        k=k[0], k_new=k[1], k_top=k[2], contests_new=3, top=1515.0, curve=curve, cap=cap,
        contest=contest,
    )  # fmt: skip
    ladder = play(season, system)
    model = Plain(system)
    for standings, _, weight in season:
        model.record(*flattened(standings), weight)
    for name, mu in model.mu.items():
        assert ladder[name].mu == pytest.approx(mu, abs=1e-9)
        assert ladder[name].contests == model.contests[name]
        assert math.isnan(ladder[name].sigma)


@given(
    st.lists(
        st.tuples(st.integers(0, 7), st.integers(1, 7), st.sampled_from([0, 1, 2])),
        min_size=1,
        max_size=60,
    ),
    st.sampled_from([4.0, 32.0]),
)
@settings(max_examples=60, deadline=None)
def test_matches_agree_with_evalica(matches, k):
    """A winner of 0 is a draw; with the same start, K and scale the formula is the same."""
    xs = [f"p{a}" for a, _, _ in matches]
    ys = [f"p{(a + step) % 8}" for a, step, _ in matches]
    winners = [evalica.Winner(code) for _, _, code in matches]
    theirs = evalica.elo(xs, ys, winners, initial=1500.0, k=k).scores
    ladder = podium.Ladder("elo", k=k)
    for x, y, winner in zip(xs, ys, winners, strict=True):
        ladder.record(
            [(x, y)] if winner == evalica.Winner.Draw else
            [x, y] if winner == evalica.Winner.X else [y, x]
        )  # fmt: skip
    for name in ladder:
        assert ladder[name].mu == pytest.approx(theirs[name], abs=1e-8)


def test_a_weight_multiplies_k_and_keeps_the_sum_unlike_evalicas():
    """There it multiplies the score but not the expected one, so that points come from nowhere."""
    ladder = podium.Ladder("elo", k=30)
    ladder.record(["ann", "bob"], weight=2.0)
    assert (ladder["ann"].mu, ladder["bob"].mu) == (1530.0, 1470.0)
    theirs = evalica.elo(
        ["ann"], ["bob"], [evalica.Winner.X], initial=1500.0, k=30.0, weights=[2.0]
    ).scores
    assert (theirs["ann"], theirs["bob"]) == (1545.0, 1485.0)


def elo_after(system, columns, mu=(1500.0, 1500.0)):
    beliefs = podium.Beliefs(system)
    beliefs.enrol([f"p{number}" for number in range(len(mu))])
    beliefs.table["mu"][: len(mu)] = mu
    system.update(beliefs, columns)
    return beliefs.column("mu")


@pytest.mark.parametrize("mu", [(1500.0, 1500.0), (1550.0, 1480.0)])
@pytest.mark.parametrize("side", [(1, -1), (-1, 1), (0, 0)])
def test_the_side_is_worth_its_advantage(mu, side):
    system = Elo(side_advantage=100.0)
    found = elo_after(system, columns_of([(0, 1, False)], side=[side]), mu)
    difference = mu[0] - mu[1] + 100.0 * side[0]
    gain = 32.0 * (1.0 - 1.0 / (1.0 + 10.0 ** (-difference / 400.0)))
    assert found == pytest.approx([mu[0] + gain, mu[1] - gain], abs=1e-10)


def test_predictions_know_the_side():
    system = Elo(side_advantage=100.0)
    assert expectation(system, 0, side=1) == expectation(Elo(), 100)
    assert expectation(system, 0, side=-1) == expectation(Elo(), -100)
    assert expectation(system, 50, side=1) + expectation(system, -50, side=-1) == 1.0


def test_sides_count_in_contests_of_more_than_two():
    """Half the advantage on either side, so that it is whole between the two."""
    system = Elo(side_advantage=80.0)
    columns = columns_of([(0, 1, False)], side=[(1, -1)])._replace(
        offsets=np.array([0, 3]),
        player=np.array([0, 1, 2], np.int32),
        rank=np.array([1, 2, 3], np.int32),
        side=np.array([1, -1, 0], np.int8),
    )
    found = elo_after(system, columns, (1500.0, 1500.0, 1500.0))

    def expected(difference):
        return 1.0 / (1.0 + 10.0 ** (-difference / 400.0))

    wanted = 1500.0 + 16.0 * np.array(
        [
            2.0 - expected(80.0) - expected(40.0),
            1.0 - expected(-80.0) - expected(-40.0),
            0.0 - expected(-40.0) - expected(40.0),
        ]
    )
    assert found == pytest.approx(wanted, abs=1e-10)


@pytest.mark.parametrize(
    ("margin", "factor"),
    [(0, 1.0), (1, 1.0), (2, 1.5), (3, 1.75), (4, 1.875), (10, 21 / 8), (1.5, 1.25), (2.5, 1.625)],
)
def test_world_football_elos_goal_index(margin, factor):
    found = elo_after(Elo(margin="football"), columns_of([(0, 1, False)], margin=[margin]))
    assert found[0] - 1500.0 == pytest.approx(16.0 * factor, abs=1e-10)
    assert margin < 3 or factor == (11 + margin) / 8


@pytest.mark.parametrize("margin", [1.0, 7.0, 40.0])
@pytest.mark.parametrize("difference", [-300.0, 0.0, 500.0])
def test_the_logarithm_of_the_margin_shrinks_for_favourites(margin, difference):
    mu = (1500.0 + difference, 1500.0)
    found = elo_after(Elo(margin="log", k=20), columns_of([(0, 1, False)], margin=[margin]), mu)
    factor = math.log(margin + 1.0) * 2.2 / (2.2 + 0.001 * difference)
    surprise = 1.0 - 1.0 / (1.0 + 10.0 ** (-difference / 400.0))
    assert found[0] - mu[0] == pytest.approx(20.0 * factor * surprise, abs=1e-10)


def test_the_logarithm_of_the_margin_stays_sane_for_outsiders_and_draws():
    """FiveThirtyEight's formula has a pole where an outsider rated 2,200 lower wins."""
    for difference in (-2200.0, -10_000.0):
        mu = (1500.0 + difference, 1500.0)
        found = elo_after(Elo(margin="log"), columns_of([(0, 1, False)], margin=[3.0]), mu)
        assert found[0] - mu[0] == pytest.approx(32.0 * 2.0 * math.log(4.0), rel=1e-4)
    drawn = columns_of([(0, 1, True)], margin=[0.0])
    mu = (1700.0, 1500.0)
    plain = elo_after(Elo(), drawn, mu)
    assert elo_after(Elo(margin="log"), drawn, mu)[0] - 1700.0 == pytest.approx(
        math.log(2.0) * (plain[0] - 1700.0), abs=1e-10
    )


@pytest.mark.parametrize("kind", ["football", "log"])
def test_a_margin_that_is_not_known_counts_once(kind):
    unknown = elo_after(Elo(margin=kind), columns_of([(0, 1, False)], margin=[math.nan]))
    missing = elo_after(Elo(margin=kind), columns_of([(0, 1, False)]))
    assert unknown.tolist() == missing.tolist() == [1516.0, 1484.0]
    assert elo_after(Elo(), columns_of([(0, 1, False)], margin=[9.0])).tolist() == [1516.0, 1484.0]


def one_contest(ranks) -> Columns:
    return Columns(
        offsets=np.array([0, len(ranks)]),
        player=np.arange(len(ranks), dtype=np.int32),
        rank=np.asarray(ranks, np.int32),
        time=np.array([0]),
        weight=np.array([1.0]),
        perf_ceiling=np.array([np.inf]),
    )


@pytest.mark.parametrize("contest", ["mean", "sum"])
@pytest.mark.parametrize("rows", [120, 1500, 4200])
@pytest.mark.parametrize(
    "system", [Elo(), Elo(cap=300.0), Elo(curve="normal")], ids=lambda s: f"{s.curve}-{s.cap}"
)
def test_large_contests_agree_with_sums_over_all_pairs(system, rows, contest):
    rng = np.random.default_rng(rows)
    system = Elo(**{**system.parameters, "contest": contest})
    mu = rng.normal(1500.0, 400.0, rows)
    mu[:2] = [-4000.0, 9000.0]
    ranks = np.sort(rng.integers(1, rows // 2, rows))
    found = elo_after(system, one_contest(ranks), mu)
    some = np.unique([0, 1, rows - 1, *rng.integers(0, rows, 60)])
    difference = mu[some, None] - mu[None, :]
    if system.cap is not None:
        difference = np.clip(difference, -system.cap, system.cap)
    if system.curve == "normal":
        expected = norm.cdf(difference / math.sqrt(80_000.0))
    else:
        expected = 0.5 * (1.0 + np.tanh(difference * math.log(10.0) / 800.0))
    score = (0.5 + 0.5 * np.sign(ranks[None, :] - ranks[some, None])).sum(axis=1)
    change = score - expected.sum(axis=1)
    share = rows - 1 if contest == "mean" else 1
    assert found[some] == pytest.approx(mu[some] + 32.0 * change / share, abs=1e-6)


@pytest.mark.parametrize("system", [Elo(), Elo(cap=200.0, contest="sum")], ids=repr)
def test_threads_do_not_matter_to_the_bit(system):
    rows = 5000
    ranks = np.sort(np.random.default_rng(5).integers(1, rows, rows))
    outcomes = []
    for threads in (1, 2, 5):
        beliefs = podium.Beliefs(system)
        beliefs.enrol([f"p{number}" for number in range(rows)])
        events = np.empty((5, rows))
        for _ in range(2):
            system.update_many(beliefs, one_contest(ranks), events, threads=threads)
        outcomes.append(beliefs.table[:rows].tobytes() + events.tobytes())
    assert outcomes[0] == outcomes[1] == outcomes[2]


@pytest.mark.parametrize("contest", ["mean", "sum"])
def test_20_000_players_are_rated_in_order_or_all_alike(contest):
    rows = 20_000
    system = Elo(contest=contest)
    ranked = elo_after(system, one_contest(np.arange(1, rows + 1)), np.full(rows, 1500.0))
    assert (np.diff(ranked) < 0.0).all()
    assert ranked.mean() == pytest.approx(1500.0, abs=1e-6)
    tied = elo_after(system, one_contest(np.ones(rows)), np.full(rows, 1500.0))
    assert tied == pytest.approx(1500.0, abs=1e-6)


@pytest.mark.parametrize("system", [Elo(), Elo(contest="sum", margin="log"), FIDE_RULES], ids=repr)
@pytest.mark.parametrize("gap", [10_000.0, 1_000_000.0])
def test_upsets_over_any_gap_leave_everything_finite(system, gap):
    names = [f"p{number:03}" for number in range(300)]
    ladder = settled(system, {name: {"mu": -gap * (n % 2)} for n, name in enumerate(names)})
    for _ in range(3):
        ladder.record(["p001", "p000"], weight=1e4)
        ladder.record([*names[1::2], *names[0::2]], weight=1e4)
    assert np.isfinite(ladder.beliefs.column("mu")).all()


@given(seasons(), st.sampled_from([-777.0, 5000.0]))
@settings(max_examples=30, deadline=None)
def test_shifting_the_newcomers_rating_shifts_all_ratings(season, by):
    here, there = play(season, Elo()), play(season, Elo(mu_new=1500.0 + by))
    for name in here:
        assert there[name].mu == pytest.approx(here[name].mu + by, abs=1e-8)


@given(seasons(), st.permutations(NAMES))
@settings(max_examples=30, deadline=None)
def test_renaming_players_renames_ratings_and_nothing_else(season, others):
    new = dict(zip(NAMES, others, strict=True))
    before, after = play(season, Elo()), play(renamed(season, new), Elo())
    for name in before:
        assert after[new[name]].mu == pytest.approx(before[name].mu, abs=1e-9)


@given(seasons())
@settings(max_examples=30, deadline=None)
def test_points_only_change_hands(season):
    ladder = play(season, Elo())
    assert sum(ladder[name].mu for name in ladder) == pytest.approx(1500.0 * len(ladder), abs=1e-7)


@given(seasons(), st.integers(0, 10))
@settings(max_examples=30, deadline=None)
def test_batches_and_the_ladder_give_the_same_to_the_bit(season, cut):
    rows = [
        {"contest": f"{n:03}", "time": day * DAY, "player": name, "rank": rank, "weight": weight}
        for n, (standings, day, weight) in enumerate(season)
        for name, rank in zip(*flattened(standings), strict=True)
    ]
    frame = pl.DataFrame(rows).with_columns(pl.from_epoch(pl.col("time"), "s"))
    contests = podium.Contests.from_frame(frame)
    system = Elo(k_new=40, contests_new=2, k_top=10, top=1520)
    whole = podium.rate(contests, system).beliefs
    cut = cut % (len(contests) + 1)
    begun = podium.rate(contests[:cut], system).beliefs
    parts = podium.rate(contests[cut:], system, beliefs=begun).beliefs
    assert_same_beliefs(whole, parts)
    assert whole.column("reached_top").tobytes() == parts.column("reached_top").tobytes()
    ladder = play(season, system).beliefs
    for name in ladder.names:
        mine, theirs = whole.table[whole.index[name]], ladder.table[ladder.index[name]]
        assert mine["mu"] == theirs["mu"]


@given(
    strangers=st.lists(st.floats(800.0, 2200.0), min_size=1, max_size=8),
    data=st.data(),
)
@settings(max_examples=60, deadline=None)
def test_improving_a_past_result_never_lowers_the_rating(strangers, data):
    """As long as K is not lower for the higher rated, and below 695."""
    scores = [data.draw(st.sampled_from([0.0, 0.5, 1.0])) for _ in strangers]
    which = data.draw(st.integers(0, len(scores) - 1))
    better = [*scores[:which], 1.0, *scores[which + 1 :]]
    system = Elo(k_new=64.0, contests_new=3)

    def final(results):
        players = {f"s{n}": {"mu": mu} for n, mu in enumerate(strangers)}
        ladder = settled(system, players)
        for number, score in enumerate(results):
            other = f"s{number}"
            ladder.record(
                [("p", other)] if score == 0.5 else ["p", other] if score else [other, "p"]
            )
        return ladder["p"].mu

    assert final(better) >= final(scores)
    assert scores[which] == 1.0 or final(better) > final(scores)


def test_a_k_that_falls_for_ever_can_reward_a_loss_on_purpose():
    """A draw lifts the player over 2400, where the great win that follows counts only half."""
    finals = []
    for first in ([("ann", "x")], ["x", "ann"]):
        players = {"ann": 2399.0, "x": 2600.0, "y": 2600.0}
        ladder = settled(Elo(k=20, k_top=10), {name: {"mu": mu} for name, mu in players.items()})
        ladder.record(first)
        ladder.record(["ann", "y"], weight=10.0)
        finals.append(ladder["ann"].mu)
    assert finals[1] > finals[0] + 50.0


def test_a_contest_of_one_player_says_nothing_of_skill():
    ladder = podium.Ladder("elo")
    ladder.record(["ann", "bob"], time=0)
    ladder.record(["ann"], time=3600)
    assert (ladder["ann"].mu, ladder["ann"].contests) == (1516.0, 2)
    assert ladder["ann"].last_time > ladder["bob"].last_time


def test_history_knows_neither_performance_nor_uncertainty():
    rows = [
        {"contest": contest, "time": "2026-01-01", "player": name, "rank": rank}
        for contest, entries in {
            "1": [("ann", 1), ("bob", 2)],
            "2": [("ann", 1), ("bob", 1), ("cat", 3)],
            "3": [("ann", 1)],
        }.items()
        for name, rank in entries
    ]
    rated = podium.rate(podium.Contests.from_records(rows), "elo")
    history = rated.history
    for column in ("performance", "sigma", "sigma_before"):
        assert history[column].null_count() == history.height
    for name in ("ann", "bob", "cat"):
        own = history.filter(pl.col("player") == name)
        assert own["mu_before"].to_list() == [1500.0, *own["mu"].to_list()[:-1]]
        assert (
            own["mu"].to_list()[-1] == rated.ratings.filter(pl.col("player") == name)["mu"].item()
        )


@pytest.mark.parametrize(
    "system", [Elo(), Elo(curve="normal"), FIDE_RULES, Elo(cap=100.0)], ids=repr
)
@given(st.lists(st.floats(-8e3, 8e3), min_size=2, max_size=6))
@settings(max_examples=30, deadline=None)
def test_predictions_are_symmetric_and_sum_to_one(system, ratings):
    beliefs = settled(system, {f"p{n}": {"mu": mu} for n, mu in enumerate(ratings)}).beliefs
    there, back = (system.win_probability(beliefs, *pair) for pair in ((0, 1), (1, 0)))
    assert there + system.draw_probability(beliefs, 0, 1) + back == pytest.approx(1.0, abs=1e-12)
    chances = system.rank_probabilities(beliefs, list(range(len(ratings))), top=1)
    assert chances.first.sum() == pytest.approx(1.0, abs=1e-12)


def test_among_many_equal_gaps_the_logistic_follows_luces_rule():
    system = Elo()
    ratings = [1900.0, 1500.0, 1500.0, 1100.0]
    beliefs = settled(system, {f"p{n}": {"mu": mu} for n, mu in enumerate(ratings)}).beliefs
    strength = 10.0 ** (np.array(ratings) / 400.0)
    first = system.rank_probabilities(beliefs, [0, 1, 2, 3]).first
    assert first == pytest.approx(strength / strength.sum(), abs=1e-9)


def test_football_with_home_advantage_has_plausible_leaders_and_predicts_better(football):
    def log_loss(system):
        history = podium.rate(football, system).history
        columns = football.columns
        before = history["mu_before"].to_numpy().reshape(-1, 2)
        side = columns.side.reshape(-1, 2)[:, 0]
        drawn = columns.rank.reshape(-1, 2)[:, 1] == 1
        difference = before[:, 0] - before[:, 1] + system.side_advantage * side
        expected = 1.0 / (1.0 + 10.0 ** (-difference / 400.0))
        score = np.where(drawn, 0.5, 1.0)
        loss = -score * np.log(expected) - (1.0 - score) * np.log(1.0 - expected)
        return loss[len(loss) // 10 :].mean()

    assert log_loss(Elo(side_advantage=100.0)) < log_loss(Elo()) - 0.01
    leaders = podium.rate(football, Elo(side_advantage=100.0)).leaderboard(12)["player"].to_list()
    known = {"Argentina", "Spain", "France", "Brazil", "England", "Portugal", "Netherlands"}
    assert len(known & set(leaders)) >= 5


@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [
        ({"k": -1.0}, "k must be a number of at least 0, not -1.0"),
        ({"k_new": "x"}, "k_new must be a number, not 'x'"),
        ({"cap": 0.0}, "cap must be a number above 0, not 0.0"),
        ({"scale": 0.0}, "scale must be a number of at least 0.001, not 0.0"),
        (
            {"curve": "logistik"},
            "curve must be logistic or normal or fide, not 'logistik' (did you mean 'logistic'?)",
        ),
        (
            {"curve": "fide", "scale": 480.0},
            "FIDE's table has a scale of 400, so it cannot be 480",
        ),
        ({"margin": "goals"}, "margin must be none or football or log, not 'goals'"),
        ({"contests_new": 1.5}, "contests_new must be a whole number, not 1.5"),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused(parameters, wanted):
    with pytest.raises(podium.PodiumError) as refused:
        Elo(**parameters)
    assert str(refused.value) == f"elo: {wanted}."


@pytest.mark.parametrize("k", [0.0, 1e4])
@pytest.mark.parametrize("scale", [1e-3, 1e6])
@pytest.mark.parametrize("curve", ["logistic", "normal"])
@pytest.mark.parametrize("contest", ["mean", "sum"])
def test_the_limits_of_all_parameters_can_be_rated_with(k, scale, curve, contest):
    ladder = podium.Ladder("elo", k=k, scale=scale, curve=curve, contest=contest, mu_new=1e6)
    for weight in (1.0, 1e-4, 1e4, 1.0):
        ladder.record(["ann", ("bob", "cat"), "dan"], weight=weight)
        ladder.record(["dan", "cat"], weight=weight)
    assert np.isfinite(ladder.beliefs.column("mu")).all()
    assert 0.0 <= ladder.win_probability("ann", "dan") <= 1.0
