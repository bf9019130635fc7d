"""Glicko-2's volatility: step 5 of Glickman's description, for any result.

The new volatility is the zero of

    f(x) = e^x (Δ² - φ² - v - e^x) / 2(φ² + v + e^x)² - (x - a) / τ²

with ``a = ln σ²``. Here v and Δ stand as the information ``I = 1 / v`` and the gradient
``D = Δ / v``, so that nothing is divided by an information of nearly zero, and x is counted
from a: with ``y = x - a``, ``u = e^x = σ² e^y`` and ``w = 1 + I (φ² + u)``,

    F(y) = τ² f = τ² u (D² / w² - I / w) / 2 - y.

Where F(0) <= 0 the zero is the only one and lies within τ²/2 below: the fraction in f is at
least -1/2. Where F(0) > 0 all zeros lie above, and after results beyond all expectation there
may be three of them. The first is meant, the one that the old volatility reaches continuously;
when results become still worse it vanishes, and the volatility leaps to thousands of rating
points, hence a limit. F is convex up to its first point of inflection, so Newton's method from the
left does not pass a zero there; and to the right of that point there is at most one, which a step
may pass and then has bracketed.
"""

import math

from podium.numerics.compiled import kernel
from podium.numerics.exponential import C2, C3, C4, C5

_LAST_STEP = 1e-9
"""Newton's error is squared by the step that follows."""
_NEAR = 0.01
"""So near to 0 the error of a step that knows the second derivative is far below its correction."""
_MOST_STEPS = 200


@kernel
def new_volatility(phi2, information, gradient, sigma, tau, most):
    """The volatility after a period in which `information` and `gradient` came together.

    It is at most `most`. All quantities on Glicko-2's own scale.
    """
    value, slope, bend = _balance(phi2, information, gradient, sigma * sigma, tau, 0.0)
    per_slope = 1.0 / slope
    y = -value * per_slope
    correction = -0.5 * bend * per_slope * (y * y)
    if abs(y) < _NEAR and abs(correction) < _LAST_STEP:  # the rule, after an ordinary result
        return min(sigma * _exp_near_0(0.5 * (y + correction)), most)
    return min(sigma * math.exp(0.5 * _zero(phi2, information, gradient, sigma, tau, most)), most)


@kernel
def _exp_near_0(x):
    """The exponential within half of `_NEAR`, where its sixth power of x is nothing beside 1."""
    q = x * x
    return (1.0 + x) + q * ((C2 + C3 * x) + q * (C4 + C5 * x))


@kernel
def _balance(phi2, information, gradient, u, tau, y):
    """F and its first and second derivatives."""
    per_w = 1.0 / (1.0 + information * (phi2 + u))
    a = gradient * per_w
    a *= a
    b = information * per_w
    z = u * b
    half = 0.5 * tau * tau * u
    value = half * (a - b) - y
    slope = half * (a * (1.0 - 2.0 * z) - b * (1.0 - z)) - 1.0
    bend = half * (a * (1.0 - 6.0 * z + 6.0 * z * z) - b * (1.0 - z) * (1.0 - 2.0 * z))
    return value, slope, bend


@kernel
def _balance_at(phi2, information, gradient, sigma, tau, y):
    """F and its first derivative."""
    u = sigma * sigma * math.exp(y)
    value, slope, _ = _balance(phi2, information, gradient, u, tau, y)
    return value, slope


@kernel
def _zero(phi2, information, gradient, sigma, tau, most):
    """The zero that is meant, wherever it is."""
    if _balance_at(phi2, information, gradient, sigma, tau, 0.0)[0] > 0.0:
        return _first_zero(phi2, information, gradient, sigma, tau, 2.0 * math.log(most / sigma))
    return _only_zero(phi2, information, gradient, sigma, tau, -0.5 * tau * tau, 0.0)


@kernel
def _first_zero(phi2, information, gradient, sigma, tau, limit):
    """The first zero above 0, where F is positive, or `limit` if that comes before."""
    low, y = 0.0, 0.0
    for _ in range(_MOST_STEPS):
        value, slope = _balance_at(phi2, information, gradient, sigma, tau, y)
        if value <= 0.0:
            return _only_zero(phi2, information, gradient, sigma, tau, low, y)
        if y >= limit:
            return limit
        low = y
        if slope >= 0.0:
            break
        step = -value / slope
        y = min(low + step, limit)
        if step < _LAST_STEP:
            return y
    if _balance_at(phi2, information, gradient, sigma, tau, limit)[0] >= 0.0:
        return limit
    return _only_zero(phi2, information, gradient, sigma, tau, low, limit)


@kernel
def _only_zero(phi2, information, gradient, sigma, tau, low, high):
    """The zero between `low`, where F is positive, and `high`, where it is not.

    A step of Newton's that leaves the bracket, or is not half as long as the one before, is
    replaced by a bisection; otherwise steps could go to and fro for ever.
    """
    y = high
    longest = high - low
    for _ in range(_MOST_STEPS):
        value, slope = _balance_at(phi2, information, gradient, sigma, tau, y)
        if value > 0.0:
            low = y
        else:
            high = y
        step = -value / slope
        if slope < 0.0 and low <= y + step <= high and abs(step) <= longest:
            y += step
            if abs(step) < _LAST_STEP:
                break
            longest = 0.5 * abs(step)
        else:
            y = 0.5 * (low + high)
            if high - low < _LAST_STEP:
                break
            longest = 0.25 * (high - low)
    return y
