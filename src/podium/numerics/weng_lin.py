"""The five models of Weng and Lin on arrays.

A contest is folded in three steps. `gather` lets time pass and adds up the members of every
competitor: ``theta``, the sum of their mu, and ``var``, the sum of their sigma squared. `rate`
finds, for every competitor, the slope of the log-likelihood of the standings in theta (`pull`)
and its damped curvature (`info`). `conclude` updates the members on them:

    mu    += sigma^2 * pull
    sigma *= sqrt(max(1 - sigma^2 * info, kappa))

The paper's Omega_i and Delta_i are sigma_i^2 times pull and info. Its pairs of models differ in
the matches that standings stand for: of everybody against everybody ("full"), or against the
next above and below ("part"). Plackett-Luce takes the standings as they are.

Competitors are sorted by rank, best first. Tie group g is ``starts[g] .. starts[g + 1]``.
`fold_contests` does all steps for most contests. Those of more than `LARGE` rows in which
everybody meets everybody are taken step by step by the caller, who may use threads.
Which way is taken depends on the contest alone.
"""

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.numerics import interface, pair_grid
from podium.numerics.columns import MICROSECONDS_PER_DAY
from podium.numerics.compiled import fused_kernel, kernel
from podium.numerics.exponential import exp
from podium.numerics.sums import total
from podium.numerics.threads import LARGE, for_each
from podium.numerics.truncated import within
from podium.numerics.truncated_loops import NARROW, SLOPE, beyond, within_narrow

fused_inlined = partial(kernel, inline="always", fastmath={"contract"})

_FEW = 8
"""From so many on, matches of one competitor are worth a loop in vector registers."""
_PIECE = 512
"""Rows whose matches are added up together. Pieces are added in order, whoever computed them."""

MODELS = (
    "bradley-terry-full",
    "bradley-terry-part",
    "thurstone-mosteller-full",
    "thurstone-mosteller-part",
    "plackett-luce",
)
BRADLEY_TERRY_FULL = 0
BRADLEY_TERRY_PART = 1
THURSTONE_MOSTELLER_FULL = 2
THURSTONE_MOSTELLER_PART = 3
PLACKETT_LUCE = 4

GAMMAS = ("sigma/c", "1/k", "1")
SIGMA_OVER_C = 0
ONE_OVER_K = 1

SETTINGS = interface.settings("beta kappa draw_margin tau drift_per_day", "model gamma mean")

_FARTHEST = 1e15
"""No rating goes beyond. Summed over hundreds of matches, the steps of Thurstone-Mosteller
overshoot more with every contest, without end."""


@kernel
def _is_full(settings):
    model = settings[0].model
    return model in (BRADLEY_TERRY_FULL, THURSTONE_MOSTELLER_FULL)


@partial(kernel, inline="always")
def gather(
    table, settings, player, rank, competitor, share, base, start, end, time,
    theta, var, starts, events,
):  # fmt: skip
    """Let time pass for the rows `start` to `end`; fill `theta`, `var` and `starts`.

    Returned are the numbers of competitors and of groups. `competitor` and `share` begin with row
    `base`. The one is empty if all are on their own, the other if all take part all the
    time. A member's skill counts by their share, as if their seat were empty for the rest.
    """
    s = settings[0]
    count = np.int64(end - start)
    if competitor.shape[0] > 0:
        count = np.int64(0)
        for row in range(start - base, end - base):
            count = max(count, np.int64(competitor[row] + 1))
    tau2 = s.tau * s.tau if count > 1 else 0.0
    seen, groups = np.int64(0), np.int64(0)
    for row in range(start, end):
        record = table[player[row]]
        if events.shape[1] > 0:
            events[1, row] = record.mu
            events[2, row] = record.sigma
        days = (time - record.last_time) / MICROSECONDS_PER_DAY if record.contests > 0 else 0.0
        growth = tau2 + s.drift_per_day * days
        if growth > 0.0:
            record.sigma = math.sqrt(record.sigma * record.sigma + growth)
        record.last_time = time
        record.contests += 1
        k = competitor[row - base] if competitor.shape[0] > 0 else row - start
        part = share[row - base] if share.shape[0] > 0 else 1.0
        if k == seen:
            theta[k], var[k] = 0.0, 0.0
            if row == start or rank[row] != rank[row - 1]:
                starts[groups] = k
                groups += 1
            seen += 1
        theta[k] += part * record.mu
        var[k] += part * record.sigma * (part * record.sigma)
    starts[groups] = count
    return count, groups


@partial(kernel, inline="always")
def conclude(
    table, settings, player, competitor, share, base, start, end, weight, pull, info, events
):
    """Update the beliefs of the rows `start` to `end`."""
    kappa = settings[0].kappa
    for row in range(start, end):
        record = table[player[row]]
        k = competitor[row - base] if competitor.shape[0] > 0 else row - start
        part = share[row - base] if share.shape[0] > 0 else 1.0
        reach = part * record.sigma * record.sigma
        mu = record.mu + reach * (weight * pull[k])
        record.mu = min(max(mu, -_FARTHEST), _FARTHEST)
        record.sigma *= math.sqrt(max(1.0 - part * reach * (weight * info[k]), kappa))
        if events.shape[1] > 0:
            events[0, row] = np.nan
            events[3, row] = record.mu
            events[4, row] = record.sigma


@fused_inlined
def _logistic_match(gap, v, score, weight, cubic):
    """What a match against someone worse by `gap` tells; `v` is the variance of the difference."""
    r = 1.0 / math.sqrt(v)
    e = exp(-abs(gap) * r)
    upset = e / (1.0 + e)
    expected = 0.5 - upset if gap >= 0.0 else upset - 0.5
    w = weight * r * r * (r if cubic else 1.0) * (upset - upset * upset)
    return weight * r * (score - 0.5 - expected), w


@fused_inlined
def _normal_win(gap, v, weight, cubic):
    """The same of a win under the normal model, the margin being taken from the gap."""
    r = 1.0 / math.sqrt(v)
    g, w = beyond(-gap * r)
    return g * (weight * r), w * (weight * r * r * (r if cubic else 1.0))


@fused_inlined
def _normal_draw(gap, v, margin, weight, cubic):
    """The same of a draw, for a narrow margin."""
    r = 1.0 / math.sqrt(v)
    g, w = within_narrow(-gap * r, margin * r)
    return g * (weight * r), w * (weight * r * r * (r if cubic else 1.0))


@fused_kernel
def _logistic_matches(theta, var, i, first, last, score, weight, noise, cubic, room, pull, info):
    """Add the matches of i against `first` to `last`, all with the same score; Algorithm 1.

    The loop runs in vector registers, for which indices must start at 0. What i gets from each
    stands in `room`, two rows, and is added up afterwards, in an order that no compiler chooses.
    """
    mu, v = theta[i], var[i] + noise
    theta, var = theta[first:last], var[first:last]
    pulls, infos = pull[first:last], info[first:last]
    pulled, informed = room[0, : last - first], room[1, : last - first]
    for q in range(theta.shape[0]):
        g, w = _logistic_match(mu - theta[q], v + var[q], score, weight, cubic)
        pulls[q] -= g
        infos[q] += w
        pulled[q] = g
        informed[q] = w
    pull[i] += total(pulled)
    info[i] += total(informed)


@fused_kernel
def _normal_wins(theta, var, i, first, last, margin, weight, noise, cubic, room, pull, info):
    """The same under the normal model, all won by i; Algorithm 3."""
    mu, v = theta[i] - margin, var[i] + noise
    theta, var = theta[first:last], var[first:last]
    pulls, infos = pull[first:last], info[first:last]
    pulled, informed = room[0, : last - first], room[1, : last - first]
    for q in range(theta.shape[0]):
        g, w = _normal_win(mu - theta[q], v + var[q], weight, cubic)
        pulls[q] -= g
        infos[q] += w
        pulled[q] = g
        informed[q] = w
    pull[i] += total(pulled)
    info[i] += total(informed)


@fused_kernel
def _normal_draws(theta, var, i, first, last, margin, weight, noise, cubic, room, pull, info):
    """The same, all drawn, for a narrow margin."""
    mu, v = theta[i], var[i] + noise
    theta, var = theta[first:last], var[first:last]
    pulls, infos = pull[first:last], info[first:last]
    pulled, informed = room[0, : last - first], room[1, : last - first]
    for q in range(theta.shape[0]):
        g, w = _normal_draw(mu - theta[q], v + var[q], margin, weight, cubic)
        pulls[q] -= g
        infos[q] += w
        pulled[q] = g
        informed[q] = w
    pull[i] += total(pulled)
    info[i] += total(informed)


@kernel
def _is_narrow(theta, var, i, first, last, margin, noise):
    """Whether the margin is narrow in all matches of i against `first` to `last`."""
    r = 1.0 / math.sqrt(var[i] + noise)
    widest = 0.0
    for q in range(first, last):
        widest = max(widest, abs(theta[q] - theta[i]))
    return margin * r <= NARROW and widest * r * (margin * r) <= SLOPE


@kernel
def _match(model, gap, r, margin, score):
    """One match against someone better by `gap`: slope and curvature in units of c = 1 / r.

    Those of the other side are the same, the slope with the opposite sign.
    """
    if model not in (THURSTONE_MOSTELLER_FULL, THURSTONE_MOSTELLER_PART):
        odds = math.exp(-abs(gap) * r)
        upset = odds / (1.0 + odds)
        expected = upset if gap >= 0.0 else 1.0 - upset
        return score - expected, upset - upset * upset
    if score < 1.0:
        v, w, _, _ = within(-gap * r, margin * r)
        return v, w
    return beyond((gap + margin) * r)


@kernel
def _one_by_one(settings, theta, var, i, first, last, score, weight, pull, info):
    """The same for either model, and any margin."""
    s = settings[0]
    for q in range(first, last):
        r = 1.0 / math.sqrt(var[i] + var[q] + 2.0 * s.beta * s.beta)
        g, w = _match(s.model, theta[q] - theta[i], r, s.draw_margin, score)
        g *= weight * r
        w *= weight * r * r * (r if s.gamma == SIGMA_OVER_C else 1.0)
        pull[q] -= g
        info[q] += w
        pull[i] += g
        info[i] += w


@kernel
def _matches(settings, theta, var, i, first, last, score, weight, room, pull, info):
    """Add the matches of i against `first` to `last`, all with the same score, 1 or 1/2."""
    s = settings[0]
    noise, cubic, margin = 2.0 * s.beta * s.beta, s.gamma == SIGMA_OVER_C, s.draw_margin
    if last - first < _FEW:
        _one_by_one(settings, theta, var, i, first, last, score, weight, pull, info)
    elif s.model <= BRADLEY_TERRY_PART:
        _logistic_matches(theta, var, i, first, last, score, weight, noise, cubic, room, pull, info)
    elif score == 1.0:
        _normal_wins(theta, var, i, first, last, margin, weight, noise, cubic, room, pull, info)
    elif _is_narrow(theta, var, i, first, last, margin, noise):
        _normal_draws(theta, var, i, first, last, margin, weight, noise, cubic, room, pull, info)
    else:
        _one_by_one(settings, theta, var, i, first, last, score, weight, pull, info)


@kernel
def meet_all(settings, theta, var, starts, count, first, last, pull, info):
    """The matches of `first` to `last` against everybody tied with them or behind them."""
    room = np.empty((2, count))
    g = 0
    for i in range(first, last):
        while starts[g + 1] <= i:
            g += 1
        end = starts[g + 1]
        _matches(settings, theta, var, i, i + 1, end, 0.5, 1.0, room, pull, info)
        _matches(settings, theta, var, i, end, count, 1.0, 1.0, room, pull, info)


@kernel
def meet_neighbours(settings, theta, var, starts, groups, pull, info):
    """The matches of everybody against the next above and below.

    Ties can be put in any order. The matches are averaged over all of them: two of a tie of m
    are next to each other in 2/m of the orders, and two of neighbouring ties in 1 / (m m').
    """
    room = np.empty((2, starts[groups]))
    for g in range(groups):
        top, end = starts[g], starts[g + 1]
        tied = float(end - top)
        for i in range(top, end):
            _matches(settings, theta, var, i, i + 1, end, 0.5, 2.0 / tied, room, pull, info)
            if g + 1 < groups:
                below = starts[g + 2]
                weight = 1.0 / (tied * (below - end))
                _matches(settings, theta, var, i, end, below, 1.0, weight, room, pull, info)


@kernel
def choose(settings, theta, var, starts, count, groups, pull, info, log_sums):
    """Plackett-Luce: the best of all is chosen, then the best of the others; Algorithm 4.

    With S_h the sum of exp(theta / c) from group h on, the chance to be chosen for group h is
    p = exp(theta / c) / S_h. Along the groups run the sums of S_g / S_h and of its
    square over all h up to g, in which no term exceeds one.
    """
    s = settings[0]
    c2 = 0.0
    for k in range(count):
        c2 += var[k] + s.beta * s.beta
    if s.mean:
        c2 *= 2.0 / count
    c = math.sqrt(c2)
    most, total = -np.inf, 0.0
    for g in range(groups - 1, -1, -1):
        for k in range(starts[g], starts[g + 1]):
            x = theta[k] / c
            if x > most:
                total *= math.exp(most - x)
                most = x
            total += math.exp(x - most)
        log_sums[g] = most + math.log(total)
    once, twice = 0.0, 0.0
    for g in range(groups):
        ratio = math.exp(log_sums[g] - log_sums[g - 1]) if g > 0 else 0.0
        once = 1.0 + once * ratio
        twice = 1.0 + twice * ratio * ratio
        place = 1.0 / (starts[g + 1] - starts[g])
        for k in range(starts[g], starts[g + 1]):
            p = math.exp(theta[k] / c - log_sums[g])
            pull[k] = (place - p * once) / c
            info[k] = max(p * once - p * p * twice, 0.0) / c2
            if s.gamma == SIGMA_OVER_C:
                info[k] /= c


@kernel
def _one_match(settings, groups, group, tied, count):
    """What makes the terms of a competitor those of one match.

    In Plackett-Luce, the curvature p (1 - p) adds up to k - (1 + 1/2 + ... + 1/k) over all
    competitors if they are equal, for a match of two to 1/4 each; the factor keeps it there.
    """
    model = settings[0].model
    if model == PLACKETT_LUCE:
        harmonic = 0.0
        for k in range(1, count + 1):
            harmonic += 1.0 / k
        return 0.25 / (1.0 - harmonic / count)
    if _is_full(settings):
        return 1.0 / (count - 1)
    matches = 2.0
    if group == 0:
        matches -= 1.0 / tied
    if group == groups - 1:
        matches -= 1.0 / tied
    return 1.0 / matches


@kernel
def finish(settings, var, starts, count, groups, pull, info):
    """The factors that all terms of a competitor share: gamma, and what a contest counts."""
    s = settings[0]
    factor = 1.0
    for g in range(groups):
        tied = starts[g + 1] - starts[g]
        if s.mean and (s.model != PLACKETT_LUCE or g == 0):
            factor = _one_match(settings, groups, g, tied, count)
        for k in range(starts[g], starts[g + 1]):
            pull[k] *= factor
            info[k] *= factor
            if s.gamma == SIGMA_OVER_C:
                info[k] *= math.sqrt(var[k])
            elif s.gamma == ONE_OVER_K:
                info[k] /= count


@partial(kernel, inline="always")
def rate_two(settings, theta, var, score, pull, info):
    """`rate` for two competitors, whose one match is the same in all models of a family."""
    s = settings[0]
    r = 1.0 / math.sqrt(var[0] + var[1] + 2.0 * s.beta * s.beta)
    g, w = _match(s.model, theta[1] - theta[0], r, s.draw_margin, score)
    w *= r * r * (0.5 if s.gamma == ONE_OVER_K else 1.0)
    pull[0], pull[1] = g * r, -g * r
    for k in range(2):
        info[k] = w * (math.sqrt(var[k]) * r if s.gamma == SIGMA_OVER_C else 1.0)


@kernel
def rate(settings, theta, var, starts, count, groups, pull, info, spare):
    """Pull and info of all competitors, in one thread."""
    s = settings[0]
    for k in range(count):
        pull[k], info[k] = 0.0, 0.0
    if count == 1:
        return
    if s.model == PLACKETT_LUCE:
        choose(settings, theta, var, starts, count, groups, pull, info, spare)
    elif not _is_full(settings):
        meet_neighbours(settings, theta, var, starts, groups, pull, info)
    elif (
        s.model == THURSTONE_MOSTELLER_FULL
        or count < pair_grid.SMALL
        or not _meet_on_grid(settings, theta, var, starts, count, groups, pull, info)
    ):
        meet_all(settings, theta, var, starts, count, np.int64(0), count, pull, info)
    finish(settings, var, starts, count, groups, pull, info)


@kernel
def _meet_on_grid(settings, theta, var, starts, count, groups, pull, info):
    """Whether `pair_grid` has done it."""
    s = settings[0]
    noise, cubic = 2.0 * s.beta * s.beta, s.gamma == SIGMA_OVER_C
    theta, var, starts = theta[:count], var[:count], starts[: groups + 1]
    grid = pair_grid.lay(theta, var, noise)
    if not pair_grid.pays(grid, count):
        return False
    pair_grid.meet_all(theta, var, starts, noise, cubic, grid, pull, info)
    return True


def rate_in_threads(
    settings: NDArray[Any],
    theta: NDArray[np.float64],
    var: NDArray[np.float64],
    starts: NDArray[np.int64],
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """`rate` for a model in which everybody meets everybody, with the matches shared by threads."""
    s = settings[0]
    count, groups = len(theta), len(starts) - 1
    if count == 1:
        return np.zeros(1), np.zeros(1)
    noise = 2.0 * float(s["beta"]) ** 2
    grid = pair_grid.lay(theta, var, noise)
    if s["model"] == BRADLEY_TERRY_FULL and pair_grid.pays(grid, count):
        cubic = bool(s["gamma"] == SIGMA_OVER_C)
        pull, info = pair_grid.meet_all_in_threads(theta, var, starts, noise, cubic, grid, threads)
    else:
        pull, info = _meet_all_in_threads(settings, theta, var, starts, threads)
    finish(settings, var, starts, count, groups, pull, info)
    return pull, info


def _meet_all_in_threads(
    settings: NDArray[Any],
    theta: NDArray[np.float64],
    var: NDArray[np.float64],
    starts: NDArray[np.int64],
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    count = len(theta)
    pieces = range(0, count, _PIECE)
    sums = np.zeros((len(pieces), 2, count))

    def meet(first: int) -> None:
        part = sums[first // _PIECE]
        last = min(first + _PIECE, count)
        meet_all(settings, theta, var, starts, count, first, last, part[0], part[1])

    for_each(meet, pieces, threads)
    total = sums[0]
    for part in sums[1:]:
        total += part
    return total[0], total[1]


@kernel
def fold_contests(
    table, settings, offsets, player, rank, time, weight, competitor, share, first, last, events
):
    """Fold the contests `first` to `last`; the number of the one that the caller must look after.

    That is one of more than `LARGE` rows in which everybody meets everybody, or the end.
    `competitor` and `share` begin with the rows of contest `first`, or are empty. `events` has a
    column per row, or is empty if nobody wants to know.
    """
    most = np.int64(0)
    for contest in range(first, last):
        most = max(most, offsets[contest + 1] - offsets[contest])
    theta, var, pull, info = np.empty(most), np.empty(most), np.empty(most), np.empty(most)
    spare, starts = np.empty(most), np.empty(most + 1, np.int64)
    base = offsets[first]
    for contest in range(first, last):
        start, end = offsets[contest], offsets[contest + 1]
        if end - start > LARGE and _is_full(settings):
            return contest
        count, groups = gather(
            table, settings, player, rank, competitor, share, base, start, end, time[contest],
            theta, var, starts, events,
        )  # fmt: skip
        if count == 2:
            rate_two(settings, theta, var, 0.5 if groups == 1 else 1.0, pull, info)
        else:
            rate(settings, theta, var, starts, count, groups, pull, info, spare)
        conclude(
            table, settings, player, competitor, share, base, start, end, weight[contest],
            pull, info, events,
        )  # fmt: skip
    return last
