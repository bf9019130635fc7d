"""The temperature by plain loops, as `podium.ratings.calibration` describes it."""

import math


def log_odds(p):
    p = min(max(p, 1e-15), 1.0 - 1e-15)
    return math.log(p / (1.0 - p))


def met(names, number):
    """Who of a contest is compared with whom: everybody with one, by their names."""
    n = len(names)
    if n < 3:
        return [(0, 1)] if n == 2 else []
    ring = sorted(range(n), key=names.__getitem__)
    stride = 1 + number % ((n - 1) // 2)
    return [(ring[i], ring[(i + stride) % n]) for i in range(n)]


def temperatures(contests, base=None):
    """The temperature before each contest, and at last after all of them.

    If others have taught one before, by what to multiply that is learned, and the product returned.

    A contest has the names of its competitors, a function that says what the first of two has
    scored, and one that says what was expected of that at a temperature.
    """
    theta, information, seen = 0.0, 50.0, 0
    waiting, slope_sum, curvature_sum, sure = 0, 0.0, 0.0, 0
    found = [1.0 if base is None else base[0]]
    for number, (names, score, expected) in enumerate(contests):
        own = 1.0 if base is None else base[number]
        for a, b in met(names, number):
            high, low = (log_odds(expected(a, b, own * math.exp(theta + d))) for d in (0.05, -0.05))
            odds, slope = (high + low) / 2, (high - low) / 0.1
            if abs(odds) > 34.0:
                slope, sure = odds, sure + 1
            p = 1 / (1 + math.exp(-odds))
            slope_sum += (score(a, b) - p) * slope
            curvature_sum += p * (1 - p) * slope**2
            waiting += 1
        if waiting >= max(64, seen // 32):
            information = 15 / 16 * information + curvature_sum
            farthest = 1 + 3 * sure / waiting
            theta += min(max(slope_sum / information, -farthest), farthest)
            theta = min(max(theta, math.log(1e-4)), math.log(1e4))
            seen += waiting
            waiting, slope_sum, curvature_sum, sure = 0, 0.0, 0.0, 0
        found.append(math.exp(theta) * (1.0 if base is None else base[number + 1]))
    return found
