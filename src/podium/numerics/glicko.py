"""Glicko and Glicko-2 on arrays: rating periods, and all pairs of a contest in linear time.

In rating points, with ``q = ln 10 / 400`` and ``g_j = 1 / sqrt(1 + 3 q² RD_j² / π²)``, the
expected score of i against j is ``E = F((mu_i - mu_j) / s_j)``, F being the logistic cdf and
``s_j = 1 / (q g_j)``. A game tells i the information ``q² g_j² E (1 - E) = E (1 - E) / s_j²``, the
1/d² of Glickman's paper, and pulls by the gradient ``q g_j (score - E) = (score - E) / s_j``.
Both add up over the games of a rating period, and at its end

    1/RD'² = 1/RD² + information,    mu' = mu + RD'² gradient.

Sums over all pairs of a contest are those of `podium.numerics.pair_sums`.

A record holds what was believed at the start of the player's current period and what has come
together since. ``mu`` and ``sigma`` are those of the end of the period, if it ended now; so a
player who turns up in a later period starts from them, and nobody else needs to be looked at.

`tau` is None for Glicko, and only its code is then compiled.
"""

import math

import numpy as np

from podium.numerics import interface, logistic, pair_sums
from podium.numerics.columns import MICROSECONDS_PER_DAY
from podium.numerics.compiled import kernel
from podium.numerics.exponential import exp
from podium.numerics.glicko2 import new_volatility
from podium.numerics.lanes import fetch
from podium.numerics.threads import LARGE

FIELDS = [
    ("mu_start", "f8"),
    ("sigma_start", "f8"),
    ("information", "f8"),
    ("gradient", "f8"),
    ("period", "i8"),
]
"""What a record holds beside the base fields."""
VOLATILITY_FIELDS = [("volatility", "f8"), ("volatility_start", "f8")]
"""What Glicko-2's record holds before these. (Numba would take a record that merely has more fields
at its end for one of Glicko's.)"""

SETTINGS = interface.settings(
    "drift drift_per_day sigma_min sigma_max volatility_max", "period form"
)
"""`period` in microseconds, 0 if every contest is one; `drift` is a variance."""

MEAN = 0
SUM = 1
ONE_MATCH = 2
"""What a contest of more than two counts: as one game, the mean of all; as all games that it
consists of; as one match in the manner of the authors of Elo-MMR."""

SCALE = 400.0 / math.log(10.0)
"""1/q: the rating points to one unit of Glicko-2's own scale."""

_SPREAD = 3.0 / math.pi**2


@kernel
def opponent_scale(sigma):
    """The s of an opponent of this uncertainty."""
    return math.sqrt(SCALE * SCALE + _SPREAD * sigma * sigma)


@kernel
def enter(record, s, tau, time, alone):
    """Bring a player to the start of the rating period of a contest at `time`."""
    if s.period > 0:
        period = time // s.period
        passed = period - record.period if record.contests > 0 else 0
        if record.contests > 0 and passed == 0:
            return
        record.period = period
        if tau is None:
            growth = passed * s.drift
        else:
            growth = max(passed - 1, 0) * (SCALE * record.volatility) ** 2
    else:
        growth = 0.0
        if s.drift_per_day > 0.0 and record.contests > 0:
            growth = (time - record.last_time) / MICROSECONDS_PER_DAY * s.drift_per_day
        if tau is None and not alone:
            growth += s.drift
    sigma = record.sigma
    if growth > 0.0:
        sigma = math.sqrt(sigma * sigma + growth)
    record.mu_start = record.mu
    record.sigma_start = min(sigma, s.sigma_max)
    record.information = 0.0
    record.gradient = 0.0
    if tau is not None:
        record.volatility_start = record.volatility


@kernel
def settle(record, s, tau):
    """The end of the period, if it ended now."""
    information, gradient = record.information, record.gradient
    prior = record.sigma_start * record.sigma_start
    if tau is not None:
        record.volatility = new_volatility(
            prior * (1.0 / (SCALE * SCALE)),
            information * (SCALE * SCALE),
            gradient * SCALE,
            record.volatility_start,
            tau,
            s.volatility_max,
        )
        prior += (SCALE * record.volatility) ** 2
    variance = prior / (1.0 + prior * information)
    record.mu = record.mu_start + variance * gradient
    record.sigma = min(max(math.sqrt(variance), s.sigma_min), s.sigma_max)


@kernel
def alone(record, s, tau, time):
    """A contest without opponents: time passes."""
    enter(record, s, tau, time, True)
    if s.period > 0:
        settle(record, s, tau)
    else:
        record.sigma = record.sigma_start
    record.last_time = time
    record.contests += 1


@kernel
def game(mu, opponent, scale, score):
    """Gradient and information of one game against an opponent of this rating and scale."""
    r = 1.0 / scale
    z = (mu - opponent) * r
    odds = exp(-abs(z))
    small = odds / (1.0 + odds)
    large = 1.0 - small
    expected = small if z < 0.0 else large
    missed = large if z < 0.0 else small  # 1 - expected, where nothing is lost by the favourite
    return (missed if score == 1.0 else score - expected) * r, small * large * (r * r)


@kernel
def share(form, rows, weight):
    """What a contest counts: a factor on the sum of its games, and an information of its own."""
    if form == SUM:
        return weight, -1.0
    if form == MEAN:
        return weight / (rows - 1), -1.0
    return weight / rows, 0.25 * weight / (SCALE * SCALE)


@kernel
def learn(record, s, tau, time, part, gradient, information, fixed):
    """Add what a contest has told to the record's period."""
    record.gradient += part * gradient
    record.information += part * information if fixed < 0.0 else fixed
    settle(record, s, tau)
    record.last_time = time
    record.contests += 1


@kernel
def match(winner, other, drawn, s, tau, time, weight):
    """A contest of two records."""
    enter(winner, s, tau, time, False)
    enter(other, s, tau, time, False)
    part, fixed = share(s.form, 2, weight)
    score = 0.5 if drawn else 1.0
    mu, mu_other = winner.mu_start, other.mu_start
    pull, told = game(mu, mu_other, opponent_scale(other.sigma_start), score)
    pull_other, told_other = game(mu_other, mu, opponent_scale(winner.sigma_start), 1.0 - score)
    learn(winner, s, tau, time, part, pull, told, fixed)
    learn(other, s, tau, time, part, pull_other, told_other, fixed)


@kernel
def prepare(table, settings, tau, players, time, first, last, prior, events):
    """Bring the rows `first` to `last` to their period and fill ``prior``: mu, s."""
    for row in range(first, last):
        record = table[players[row]]
        interface.note_before(record.mu, record.sigma, row, events)
        enter(record, settings[0], tau, time, False)
        prior[0, row] = record.mu_start
        prior[1, row] = opponent_scale(record.sigma_start)


@kernel
def to_gradients(s, ranks, value):
    """From the sums of expected scores to those of scores minus expected ones.

    Both have oneself at one half, which falls out.
    """
    starts = logistic.tie_groups(ranks)
    scored = logistic.weights_behind(s, starts, True)
    for g in range(starts.shape[0] - 1):
        for row in range(starts[g], starts[g + 1]):
            value[row] = (scored[g, 0] - value[row]) + scored[g, 1]


@kernel
def conclude(
    table, settings, tau, players, time, weight, first, last, prior, gradient, slope, events
):
    """Update the rows `first` to `last`."""
    part, fixed = share(settings[0].form, players.shape[0], weight)
    for row in range(first, last):
        record = table[players[row]]
        own = 0.5 / prior[1, row]
        information = max(slope[row] - own * own, 0.0)
        learn(record, settings[0], tau, time, part, gradient[row], information, fixed)
        interface.note_after(np.nan, record.mu, record.sigma, row, events)


@kernel
def _small(table, settings, tau, players, ranks, time, weight, events):
    """A contest of more than two, in one thread."""
    rows = players.shape[0]
    prior = np.empty((2, rows))
    value = np.empty(rows)
    slope = np.empty(rows)
    zero = np.int64(0)
    prepare(table, settings, tau, players, time, zero, rows, prior, events)
    pair_sums.at_own_ratings(prior[0], prior[1], value, slope)
    to_gradients(prior[1], ranks, value)
    conclude(table, settings, tau, players, time, weight, zero, rows, prior, value, slope, events)


@kernel
def fold_contests(table, settings, tau, offsets, player, rank, time, weight, first, last, events):
    """Fold the contests `first` to `last`; the number of the first one larger than `LARGE`.

    `events` has a column per row, or is empty if nobody wants to know.
    """
    s = settings[0]
    asked, last_row = events.shape[1] > 0, offsets[last] - 1
    for c in range(first, last):
        start, end = offsets[c], offsets[c + 1]
        rows = end - start
        fetch(table, player[min(start + interface.MATCHES_AHEAD, last_row)])
        fetch(table, player[min(start + interface.MATCHES_AHEAD + 1, last_row)])
        if rows > LARGE:
            return c
        if rows > 2:
            seen, ranks = interface.events_of(events, start, end), rank[start:end]
            _small(table, settings, tau, player[start:end], ranks, time[c], weight[c], seen)
            continue
        if asked:
            for row in range(start, end):
                record = table[player[row]]
                interface.note_before(record.mu, record.sigma, row, events)
        if rows == 2:
            drawn = rank[start] == rank[start + 1]
            one, other = table[player[start]], table[player[start + 1]]
            match(one, other, drawn, s, tau, time[c], weight[c])
        else:
            alone(table[player[start]], s, tau, time[c])
        if asked:
            for row in range(start, end):
                record = table[player[row]]
                interface.note_after(np.nan, record.mu, record.sigma, row, events)
    return last
