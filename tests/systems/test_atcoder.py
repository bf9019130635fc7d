import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium import Contests, Ladder, systems, testing
from podium.numerics import atcoder as kernel
from podium.results.columns import Columns
from tests.strategies import contests
from tests.systems import plain_atcoder as plain


def performances(averages, ranks, ceiling=math.inf):
    """What players with these averages show who are no newcomers."""
    beliefs = podium.Beliefs(systems.AtCoder())
    n = len(averages)
    ids = beliefs.enrol([str(number) for number in range(n)])
    beliefs.table["average"][:n] = averages
    beliefs.table["total"][:n] = beliefs.table["squares"][:n] = 1.0
    about = np.zeros(1, np.int64), np.ones(1), np.array([ceiling])
    seen = np.empty((5, n))
    contest = Columns(np.array([0, n]), ids, np.array(ranks, np.int32), *about)
    beliefs.system.update_many(beliefs, contest, seen)
    return seen[0]


def test_the_published_performances():
    found = performances([2000.0, 1000.0, 1000.0, 0.0, -1000.0], [1, 2, 3, 3, 5], 2000.0)
    assert [round(x) for x in found] == [2000, 1230, 415, 415, -1010]


def test_one_contest_gives_the_performance_less_1200():
    rated = podium.rate(podium.simulate(players=30, rounds=1, seed=4), "atcoder")
    for row in rated.history.filter(pl.col("performance") >= 1600.0).iter_rows(named=True):
        assert row["rating"] == pytest.approx(row["performance"] - 1200.0, rel=1e-12)
    assert rated.history["rating"].min() > 0.0


def test_a_steady_performance_is_approached_from_below():
    beliefs = podium.Beliefs(systems.AtCoder())
    (player,) = beliefs.enrol(["ann"])
    seen, shown = np.empty((5, 2)), []
    ids = np.array([player, player], np.int32)
    for _ in range(100):
        kernel.conclude(
            beliefs.table,
            *beliefs.system._settings,
            ids,
            0,
            1.0,
            2000.0,
            np.full(2, 1e6),
            0,
            1,
            seen,
        )
        shown.append(beliefs.system.rating(seen[3, 0], seen[4, 0], 1))
    assert shown[0] == pytest.approx(800.0)
    assert shown == sorted(shown)
    assert shown[-1] == pytest.approx(2000.0, abs=1e-2)
    assert beliefs.table["total"][0] == pytest.approx(9.0 - 9.0 * 0.9**100, rel=1e-12)


@settings(max_examples=40)
@given(contests(max_contests=8))
def test_ratings_are_those_of_the_formulas(whole):
    players, shown = plain.rated(whole)
    rated = podium.rate(whole, "atcoder")
    for found, wanted in zip(rated.history["performance"].to_list(), shown, strict=True):
        assert found == (None if wanted is None else pytest.approx(wanted, rel=1e-9, abs=1e-6))
    ladder, spread = Ladder.from_beliefs(rated.beliefs), systems.AtCoder().newcomer()["sigma"]
    for name, player in players.items():
        if player.past:
            assert ladder[name].mu == pytest.approx(player.mean(), rel=1e-9, abs=1e-6)
            assert ladder[name].sigma == pytest.approx(spread * player.f(), rel=1e-9)
            assert ladder[name].rating == pytest.approx(player.rating(), rel=1e-8, abs=1e-6)
            average = rated.beliefs.table["average"][rated.beliefs.index[name]]
            assert average == pytest.approx(player.average(1200.0), rel=1e-9, abs=1e-6)


@settings(max_examples=25)
@given(
    st.lists(st.floats(-2000.0, 4000.0), min_size=300, max_size=600),
    st.integers(1, 40),
    st.randoms(),
)
def test_a_table_gives_what_all_terms_give(averages, tie, random):
    places = np.arange(len(averages)) // tie * tie + 1
    found = performances(averages, places)
    z = np.array(averages) * math.log(6.0) / 400.0
    for row in random.sample(range(len(averages)), 5):
        rank = places[row] + 0.5 * (np.count_nonzero(places == places[row]) - 1)
        ahead = plain.expected_ahead(found[row], averages)
        assert ahead == pytest.approx(rank - 0.5, abs=1e-8 * len(z))


@pytest.mark.parametrize("gap", [0.0, 3000.0, 30_000.0, 300_000.0])
def test_two_who_tie_meet_in_the_middle(gap):
    assert performances([1000.0, 1000.0 + gap], [1, 1]) == pytest.approx(1000.0 + 0.5 * gap)


@pytest.mark.parametrize(("others", "gap"), [(400, 12_000.0), (2, 30_000.0)])
def test_a_tie_across_a_gap_is_placed_between_both_sides(others, gap):
    x = performances([1000.0 + gap, *[1000.0] * others], [1, 1, *range(3, others + 2)])
    points = 400.0 / math.log(6.0)
    middle = 0.5 * (2000.0 + gap + points * math.log(others))
    assert x[:2] == pytest.approx(middle, abs=1e-3)


@given(
    st.lists(st.floats(0.0, 3000.0), min_size=2, max_size=8),
    st.floats(0.0, 500.0),
    st.integers(0, 7),
)
def test_a_better_past_never_lowers_a_later_performance(averages, more, chosen):
    ranks, row = list(range(1, len(averages) + 1)), chosen % len(averages)
    raised = [a + more * (number == row) for number, a in enumerate(averages)]
    before, after = performances(averages, ranks), performances(raised, ranks)
    assert (after >= before - 1e-6).all()


def test_the_table_does_not_grow_with_the_players():
    panels = [kernel.grid(np.linspace(-10.0, 10.0, n))[2] for n in (5_000, 20_000)]
    assert 0 < panels[1] <= panels[0] + 2


def test_a_change_is_explained_by_the_performance():
    season = podium.simulate(players=20, rounds=12, seed=6)
    found = podium.explain_result(season, "round-12", "player-0003", "atcoder")
    assert "the average at which the place would have been expected" in found.text()
    assert found.performance is not None


def test_predictions_follow_the_formula_for_expected_places():
    ladder = Ladder("atcoder")
    for _ in range(5):
        ladder.record(["ann", "bob"])
    gap = ladder["ann"].mu - ladder["bob"].mu
    assert ladder.win_probability("ann", "bob") == pytest.approx(
        1.0 / (1.0 + 6.0 ** (-gap / 400.0))
    )


def test_threads_and_large_contests_agree_with_small_ones():
    system = systems.AtCoder()
    assert testing.failure("threads", system) is None
    ranks = list(range(1, 4098))
    averages = np.random.default_rng(1).normal(1200.0, 500.0, 4097)
    found = performances(averages, ranks)
    for row in (0, 1, 2048, 4095, 4096):
        ahead = plain.expected_ahead(found[row], averages)
        assert ahead == pytest.approx(row + 0.5, abs=1e-6)


def test_contests_without_opponents_show_nothing():
    rows = [{"contest": 1, "time": 0, "player": "ann", "rank": 1}]
    rated = podium.rate(Contests.from_records(rows), "atcoder")
    assert rated.history["performance"].null_count() == 1
    assert rated.beliefs.table["total"][0] == 0.0
