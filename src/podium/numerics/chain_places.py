"""One competitor at many places of a chain; see `podium.numerics.propagation`.

The others are propagated once, without the competitor. Put between two of them, the competitor
changes all factors, near and far: a chain is stiff where results are surprising. But what the part
of the chain beyond some competitor tells of it are two numbers, mean and variance, and
they follow from two numbers, mean and variance of that competitor as the near part has them. So a
window around the place is propagated, and the parts beyond its ends answer.

How a part answers is known to first order, and of the pull at the end of the window to second
order. First derivatives are found for all competitors in one pass from either end, from those of
the factors, which are differences. They give the precision of the answer. The pull of a part on a
competitor at x is the derivative of a function of x of which the precision is the second one, so it
changes from x to y by the mean of the precisions there times ``y - x``. That leaves an error of
third order. It is estimated, by answers that are equal to first order: to natural parameters, and
to the reciprocal of how far both parts want the competitor to be apart. Of a factor that tells
nothing, derivatives tell nothing either; so it is known how far an end may move before there is
another. Where the estimate is too large, or an end moves too far, the window is widened there, if
need be to the whole chain. That errors are as estimated is a finding, not a theorem.
"""

import math

import numpy as np

from podium.numerics.compiled import fused_kernel
from podium.numerics.propagation import (
    FIELDS,
    GAP,
    KEPT,
    MARGIN,
    S2,
    SHIFT,
    SIZE,
    TIED,
    TOLERANCE,
    A,
    B,
    F,
    G,
    M,
    P,
    Q,
    S,
    T,
    conclude,
    new_chain,
    pass_along,
    propagate,
    renew,
    renew_ties,
    ties_of,
    workspace,
)

_REACH = 16
"""Competitors to either side of a place that are in its first window."""
_DOUBTED = 2
"""Where an end of a window has its estimate, after its mean and its variance."""
_DOUBT = 1e-6
"""The largest estimate of an error that is let pass, in standard deviations of a performance."""
_ANSWERS, _ROOM = 5, 4
_LOOSE, _NEAR, _AWAY, _FAR = 3.0, 0.3, 6.5, 1.0
"""A factor tells little where this many deviations are between a difference and its bound; it may
move by so many, or until so many are left."""
_STIFF = 10.0
"""Where draws have a wide margin, in deviations of a performance, estimates were found to fall
short of errors by so many times its square, or its fourth power."""
_TOLERANCE = 1e-8
_ROUGHLY = 1e-2
"""In these, too: when a window counts as settled, and when its ends begin to answer."""
_MOST_ROUNDS = 60
_STEP = 1e-4
_SMALLEST_STEP = 1e-6
"""Of differences, in standard deviations of what is between two neighbours."""


@fused_kernel
def propagate_others(chain, sides):
    """Propagate a chain and return how its parts answer: derivatives, in columns of competitors.

    Rows 0 to 3 are a matrix, how F and P change with G and Q; row 4 is how far G may move before
    a factor that tells nothing begins to. The other rows are how -G and Q change with -F and P,
    which is the same of the chain upside down.
    """
    places, densities = workspace(sides)
    propagate(chain, sides, places, densities, 0.1 * _TOLERANCE)
    slopes = _slopes(chain, sides - 1, places, densities)
    answers = np.zeros((2 * _ANSWERS, sides))
    answers[_ROOM, 0] = answers[_ANSWERS + _ROOM, sides - 1] = np.inf
    along, back = np.empty(7), np.empty(7)
    for k in range(sides - 1):
        f, p, g, q = chain[F, k], chain[P, k], chain[G, k], chain[Q, k]
        _differentiate(chain, k, slopes, 1.0, f, p, chain[S2, k + 1], along)
        _differentiate(chain, k, slopes, -1.0, g, q, chain[S2, k], back)
        _answer_onwards(answers[:_ANSWERS], k, k + 1, along, back, _room(chain, k))
    for k in range(sides - 2, -1, -1):
        f, p, g, q = chain[F, k], chain[P, k], chain[G, k], chain[Q, k]
        _differentiate(chain, k, slopes, 1.0, -g, q, chain[S2, k], along)
        _differentiate(chain, k, slopes, -1.0, -f, p, chain[S2, k + 1], back)
        _answer_onwards(answers[_ANSWERS:], k + 1, k, along, back, _room(chain, k))
    return answers


@fused_kernel
def _slopes(chain, links, places, densities):
    """Derivatives of A, T and B of every factor by mean and by variance of its difference."""
    columns = chain.shape[1]
    ties = ties_of(chain, links, places)
    moved, step, slopes = chain.copy(), np.empty(columns), np.zeros((6, columns))
    for by in range(2):
        for sign in (1.0, -1.0):
            for k in range(columns):
                variance = chain[P, k] + chain[Q, k]
                deviation = math.sqrt(variance)
                t = abs(chain[GAP, k] + chain[F, k] - chain[G, k]) / deviation
                if by == 0:
                    step[k] = (_STEP + _SMALLEST_STEP * t) * deviation
                    moved[F, k] = chain[F, k] + sign * step[k]
                else:
                    e = chain[MARGIN, k] / deviation
                    step[k] = (_STEP / (1.0 + t + e) + _SMALLEST_STEP) * variance
                    moved[F, k], moved[P, k] = chain[F, k], chain[P, k] + sign * step[k]
            renew(moved)
            if ties > 0:
                renew_ties(moved, ties, places, densities)
            for k in range(links):
                half = 0.5 * sign / step[k]
                slopes[3 * by, k] += half * moved[A, k]
                slopes[3 * by + 1, k] += half * moved[T, k]
                slopes[3 * by + 2, k] += half * moved[B, k]
    return slopes


@fused_kernel
def _differentiate(chain, k, slopes, sign, mean, variance, s2, out):
    """How mean and variance of the next competitor change, after a step of `pass_along`.

    Rows 0 to 2: mean by mean, mean by variance and variance by variance of this one, the factor
    being as it is. Rows 3 to 6: both by way of the factor, by mean and variance of its difference.
    """
    a, b, mean, total = chain[A, k], chain[B, k], mean + sign * chain[GAP, k], variance + s2
    inverse = 1.0 / (b + a * total)
    f = s2 * (a * mean - sign * chain[T, k]) * inverse
    p = s2 * (b + a * variance) * inverse
    out[0] = s2 * a * inverse
    out[1] = -f * a * inverse
    out[2] = (s2 - p) * a * inverse
    for by in range(2):
        da, dt, db = slopes[3 * by, k], sign * slopes[3 * by + 1, k], slopes[3 * by + 2, k]
        out[3 + by] = ((s2 * mean - f * total) * da - s2 * dt - f * db) * inverse
        out[5 + by] = ((s2 * variance - p * total) * da + (s2 - p) * db) * inverse


@fused_kernel
def _room(chain, k):
    """How far a difference may move before its factor is quite another one.

    From where it tells nothing, until it tells anything; otherwise, by a part of how far it is
    from where it wants to be. A tie without margin is a linear equation.
    """
    deviation = math.sqrt(chain[P, k] + chain[Q, k])
    t, e = (chain[GAP, k] + chain[F, k] - chain[G, k]) / deviation, chain[MARGIN, k] / deviation
    is_tie = chain[TIED, k] != 0.0
    room = e - abs(t) if is_tie else t - e
    if room > _LOOSE:
        return deviation * max(room - _AWAY, _NEAR)
    far = 1.0 + max(-room, 0.0)
    if is_tie:
        far = max(far, 1.0 / e)
    return deviation * _FAR * far


@fused_kernel
def _answer_onwards(answers, here, there, along, back, room):
    """From how the part that ends with one competitor answers to how it does with the next.

    What comes back to the one `here` depends on what comes to the next one, on the factor, and so
    on the answer of this one: a linear equation.
    """
    a, b, c, d = answers[0, here], answers[1, here], answers[2, here], answers[3, here]
    i, j = 1.0 - (back[3] * a + back[4] * c), -(back[3] * b + back[4] * d)
    k, l = -(back[5] * a + back[6] * c), 1.0 - (back[5] * b + back[6] * d)  # noqa: E741
    inverse = 1.0 / (i * l - j * k)
    m, n, o, p = back[0] - back[3], back[1] + back[4], -back[5], back[2] + back[6]
    m, n, o, p = l * m - j * o, l * n - j * p, i * o - k * m, i * p - k * n
    a, b, c, d = a * m + b * o, a * n + b * p, c * m + d * o, c * n + d * p
    a, b, c, d = a * inverse, b * inverse, c * inverse, d * inverse  # by what comes to the next one
    answers[0, there] = along[0] * a + along[1] * c + along[3] * (a - 1.0) + along[4] * c
    answers[1, there] = along[0] * b + along[1] * d + along[3] * b + along[4] * (d + 1.0)
    answers[2, there] = along[2] * c + along[5] * (a - 1.0) + along[6] * c
    answers[3, there] = along[2] * d + along[5] * b + along[6] * (d + 1.0)
    answers[_ROOM, there] = min(room, answers[_ROOM, here] / max(abs(m * inverse), 1e-300))


@fused_kernel
def at_places(chain, sides, answers, own, margin, ahead, found):
    """Where one more competitor ends with so many of the others ahead: shift and part kept.

    `chain` is that of the others, propagated; `own` has M, S2 and SIZE of the competitor.
    """
    places, densities = workspace(sides + 1)
    unit, ends = math.sqrt(own[1]), np.empty((2, 3))
    for n in range(ahead.shape[0]):
        before, behind = np.int64(_REACH), np.int64(_REACH)
        window, members, first = np.empty((FIELDS, 0)), np.int64(0), np.int64(0)
        while True:
            earlier, seen, start = window, members, first
            first, last = max(ahead[n] - before, np.int64(0)), min(ahead[n] + behind, sides)
            me, members = ahead[n] - first, last - first + 1
            window = new_chain(members)
            _cut_out(chain, first, me, members, own, margin, window)
            _recall(earlier, seen, window, start - first)
            settled = _settle(
                chain, sides, answers, margin, unit, window, first, members, ends, places, densities
            )
            is_whole = first == 0 and last == sides
            if is_whole and not settled:
                propagate(window, members, places, densities, TOLERANCE)
            if is_whole or (settled and ends[0, _DOUBTED] <= _DOUBT >= ends[1, _DOUBTED]):
                break
            if not (settled and ends[0, _DOUBTED] <= _DOUBT):
                before *= 2
            if not (settled and ends[1, _DOUBTED] <= _DOUBT):
                behind *= 2
        conclude(window, members - 1)
        found[0, n], found[1, n] = window[SHIFT, me], window[KEPT, me]


@fused_kernel
def _cut_out(chain, first, me, members, own, margin, window):
    """The members of a window, and what the others know of each other without the one at `me`."""
    for i in range(members):
        k = first + i - (1 if i > me else 0)
        if i == me:
            window[M, i], window[S2, i], window[SIZE, i] = own[0], own[1], own[2]
            window[S, i] = math.sqrt(own[1])
        else:
            for field in (M, S2, S, SIZE, GAP, MARGIN, TIED):
                window[field, i] = chain[field, k]
        is_known = i != me and k > 0
        window[F, i] = chain[F, k] if i != me else 0.0
        window[P, i] = chain[P, k] if i != me else own[1]
        if i > 0:
            window[G, i - 1] = chain[G, k - 1] if is_known else 0.0
            window[Q, i - 1] = chain[Q, k - 1] if is_known else window[S2, i]
    for i in range(max(me - 1, 0), min(me + 1, members - 1)):
        window[GAP, i] = window[M, i] - window[M, i + 1]
        window[MARGIN, i] = margin * math.sqrt(window[SIZE, i] + window[SIZE, i + 1])
        window[TIED, i] = 0.0
    for i in range(members - 1, window.shape[1]):
        window[GAP, i] = window[MARGIN, i] = window[TIED, i] = 0.0
        window[G, i], window[Q, i] = 0.0, 1.0
        if i >= members:
            window[F, i], window[P, i] = 0.0, 1.0


@fused_kernel
def _recall(earlier, members, window, shift):
    """What was found in a window that was not wide enough, but for its ends."""
    for i in range(1, members - 1):
        window[F, i + shift], window[P, i + shift] = earlier[F, i], earlier[P, i]
        window[G, i + shift - 1], window[Q, i + shift - 1] = earlier[G, i - 1], earlier[Q, i - 1]


@fused_kernel
def _settle(chain, sides, answers, margin, unit, window, first, members, ends, places, densities):
    """Propagate a window between ends that answer, and say how much those are to be doubted.

    False if it goes on for too long. It stops early when the answers are in doubt. Those behind the
    window are seen upside down.
    """
    links, last = members - 1, first + members - 2
    is_left, is_right = first > 0, last < sides - 1
    gap_before, gap_behind = window[GAP, 0], window[GAP, links - 1]
    s2_before, s2_behind = window[S2, 0], window[S2, links]
    ends[:, _DOUBTED] = 0.0
    if is_left:
        ends[0, 0], ends[0, 1] = chain[F, first], chain[P, first]
    if is_right:
        ends[1, 0], ends[1, 1] = -chain[G, last - 1], chain[Q, last - 1]
    ties = ties_of(window, links, places)
    is_rough = is_left or is_right
    for _ in range(_MOST_ROUNDS):
        if is_left:
            window[GAP, 0], window[F, 0] = gap_before + ends[0, 0], 0.0
            window[S2, 0] = window[P, 0] = ends[0, 1]
        if is_right:
            window[GAP, links - 1], window[G, links - 1] = gap_behind + ends[1, 0], 0.0
            window[S2, links] = window[Q, links - 1] = ends[1, 1]
        renew(window)
        if ties > 0:
            renew_ties(window, ties, places, densities)
        moved = pass_along(window, links, _ROUGHLY if is_rough else _TOLERANCE)
        if is_rough and moved:
            continue
        if is_left:
            a, t, b, q = window[A, 0], window[T, 0], window[B, 0], window[Q, 0]
            part = s2_before / (b + a * (q + s2_before))
            mean, variance = part * (a * (window[G, 0] - gap_before) + t), part * (b + a * q)
            known = chain[F, first], chain[P, first], chain[G, first - 1], chain[Q, first - 1]
            _answer(
                known, s2_before, margin, answers[:_ANSWERS, first], mean, variance, unit, ends[0]
            )
        if is_right:
            k = links - 1
            a, t, b, p = window[A, k], window[T, k], window[B, k], window[P, k]
            part = s2_behind / (b + a * (p + s2_behind))
            mean, variance = part * (a * (window[F, k] + gap_behind) - t), part * (b + a * p)
            known = -chain[G, last - 1], chain[Q, last - 1], -chain[F, last], chain[P, last]
            _answer(
                known, s2_behind, margin, answers[_ANSWERS:, last], -mean, variance, unit, ends[1]
            )
        if is_rough:
            is_rough = False
            if not (ends[0, _DOUBTED] <= _DOUBT >= ends[1, _DOUBTED]):
                return True
        elif not moved:
            return True
    return False


@fused_kernel
def _answer(known, s2, margin, slopes, mean, variance, unit, end):
    """What the part beyond an end says when the window says `mean` and `variance` of its last.

    `known` is what it says without the competitor, to which mean and variance.
    """
    own_mean, own_variance, old_mean, old_variance = known
    spread = 1.0 / (1.0 / own_variance + 1.0 / old_variance - 1.0 / s2)
    place = (own_mean / own_variance + old_mean / old_variance) * spread
    spread = 1.0 / (1.0 / end[1] + 1.0 / variance - 1.0 / s2)
    moved = (end[0] / end[1] + mean / variance) * spread - place
    m, v = mean - old_mean, variance - old_variance
    pull, precision = _pull(own_mean - place, own_variance, slopes, m, v, moved)
    less, apart = old_variance / variance, own_mean - old_mean
    is_near = max(1.0, less) * abs(m) < slopes[_ROOM]  # what is surer moves others farther
    if not (is_near and 0.5 < precision * own_variance < 2.0):
        end[_DOUBTED] = np.inf
        return
    end[0], end[1] = place + pull / precision, 1.0 / precision
    nearer = 1.0 - m * apart / (apart * apart + own_variance + old_variance)
    doubt = 0.0
    for other_m, other_v in ((m * less, v * less), (m / nearer, v)):
        other, other_precision = _pull(
            own_mean - place, own_variance, slopes, other_m, other_v, moved
        )
        more = precision - other_precision
        doubt += abs(pull - other - more * moved) * spread + abs(more) * spread * math.sqrt(spread)
    stiff = 2.0 * margin * margin / s2
    end[_DOUBTED] = doubt / unit * max(1.0, _STIFF * stiff * max(1.0, stiff))


@fused_kernel
def _pull(mean, variance, slopes, m, v, moved):
    """The pull on where the competitor was, and the precision, if m and v have changed so."""
    change = -(slopes[2] * m + slopes[3] * v) / (variance * variance)
    first = (slopes[0] * m + slopes[1] * v) / variance
    return mean * (1.0 / variance + change) + first + 0.5 * change * moved, 1.0 / variance + change
