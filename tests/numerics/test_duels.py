"""Matches rated side by side: as one by one to the bit, and as the formulas of the paper say."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.numerics import duels
from podium.numerics.columns import MICROSECONDS_PER_DAY
from podium.numerics.trueskill import SETTINGS
from podium.numerics.truncated import exceeding, within

TABLE = [("mu", "f8"), ("sigma", "f8"), ("last_time", "i8"), ("contests", "i4")]
RULES = np.array([(17.0, 0.01, 0.5, 0.2)], SETTINGS)


def matches(seed, players, count):
    """Beliefs about players, and matches among them: columns as kernels take them."""
    rng = np.random.default_rng(seed)
    table = np.zeros(players, TABLE)
    table["mu"] = rng.normal(25.0, 20.0, players)
    table["sigma"] = rng.uniform(0.5, 9.0, players)
    first = rng.integers(0, players, count)
    second = (first + rng.integers(1, players, count)) % players
    player = np.stack((first, second), axis=1).astype(np.int32).ravel()
    rank = np.tile(np.array([1, 2], np.int32), count)
    rank[1::2] -= rng.random(count) < 0.3
    time = np.cumsum(rng.integers(0, 3 * MICROSECONDS_PER_DAY, count))
    return table, player, rank, time, rng.choice([1.0, 1.0, 0.3, 4.0], count)


def fold(table, columns, first, last, events):
    duels.fold_matches(table, RULES, 2 * first, *columns, first, last, events, duels.workspace())


@given(st.integers(0, 999), st.sampled_from([2, 3, 40, 5000]), st.integers(1, 100))
@settings(max_examples=100, deadline=None)
def test_matches_are_rated_as_one_by_one_to_the_bit(seed, players, count):
    table, *columns = matches(seed, players, count)
    alone, seen, seen_alone = table.copy(), *np.full((2, 5, 2 * count), np.nan)
    fold(table, columns, 0, count, seen)
    for match in range(count):
        fold(alone, columns, match, match + 1, seen_alone)
    assert table.tobytes() == alone.tobytes()
    assert seen.tobytes() == seen_alone.tobytes()


@given(st.integers(0, 999))
@settings(max_examples=100, deadline=None)
def test_a_match_moves_both_players_by_the_closed_form(seed):
    table, player, rank, time, weight = matches(seed, 2, 1)
    (a, b), events = table[player].copy(), np.empty((5, 2))
    fold(table, (player, rank, time, weight), 0, 1, events)
    s = RULES[0]
    variances = [each["sigma"] ** 2 + weight[0] * s["tau2"] for each in (a, b)]
    c2 = sum(variances) + 2.0 * s["beta2"]
    c = math.sqrt(c2)
    moments = within if rank[0] == rank[1] else exceeding
    v, w, _, _ = moments((a["mu"] - b["mu"]) / c, s["margin"] * math.sqrt(2.0) / c)
    for k, (each, variance, side) in enumerate(zip((a, b), variances, (1, -1), strict=True)):
        after, lost = table[player[k]], variance / c2 * w
        evidence = 1.0 + (weight[0] - 1.0) * lost
        mu = each["mu"] + side * weight[0] * variance / c * v / evidence
        sigma = math.sqrt(variance * (1.0 - lost) / evidence)
        shown = each["mu"] + side * (variance + s["beta2"]) / c * v
        assert events[:, k] == pytest.approx([shown, each["mu"], each["sigma"], mu, sigma])
        assert (after["mu"], after["sigma"]) == tuple(events[3:, k])
        assert (after["last_time"], after["contests"]) == (time[0], 1)


def test_absence_adds_uncertainty():
    table, player, rank, time, weight = matches(1, 2, 2)
    columns = (player, rank, time, weight)
    for gap in (0, 100):
        time[1] = time[0] + gap * MICROSECONDS_PER_DAY
        state = table.copy()
        fold(state, columns, 0, 1, np.empty((5, 0)))
        sure = state["sigma"].copy()
        fold(state, columns, 1, 2, np.empty((5, 0)))
        assert (state["sigma"] > sure).all() == (gap > 0)
