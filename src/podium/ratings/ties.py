"""Which places cannot be told apart: how far ratings decide who is better."""

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.systems.base import Floats


def place_ranges(
    mu: Floats, sigma: Floats, own_mu: Floats, own_sigma: Floats, level: float = 0.95
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The best and the worst place that some players may have by strength.

    The strength of a player is normal, with mean mu and deviation sigma, independent of others.
    One is surely stronger than another if the probability of it is at least `level`. The best
    place is one more than there are surely stronger players; all surely weaker ones come after the
    worst. Two of whom neither is surely stronger cannot be told apart.

    Places are by strength. A leaderboard that shows something else, such as mu less some sigmas,
    can put somebody of whom little is known outside of their range.

    Args:
        mu: What is believed of everybody on the leaderboard.
        sigma: Its uncertainty.
        own_mu: Of the players to tell of, who are among them.
        own_sigma: Their uncertainty.
        level: The probability that is sure enough, above ½ and below 1.

    Example:
        >>> mu, sigma = np.array([1900.0, 1500.0, 1490.0]), np.array([50.0, 50.0, 50.0])
        >>> best, worst = place_ranges(mu, sigma, mu, sigma)
        >>> list(zip(best.tolist(), worst.tolist()))
        [(1, 1), (2, 3), (2, 3)]
    """
    if isinstance(level, bool) or not isinstance(level, float | int) or not 0.5 < level < 1.0:
        raise InputError(f"level must be a probability above 0.5 and below 1, not {level!r}.")
    least, variance = NormalDist().inv_cdf(level), sigma * sigma
    best, worst = np.empty((2, len(own_mu)), np.int64)
    for place in range(len(own_mu)):
        lead = mu - own_mu[place]
        needed = least * np.sqrt(variance + own_sigma[place] ** 2)
        best[place] = 1 + np.count_nonzero((lead >= needed) & (lead > 0.0))
        worst[place] = len(mu) - np.count_nonzero((lead <= -needed) & (lead < 0.0))
    return best, worst
