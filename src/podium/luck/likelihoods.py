"""How likely a result is for each strength of a player, against a belief about the opponent.

``l(x) = sum_k rho(y_k) chance(x, y_k)**score chance(y_k, x)**(1 - score)`` at all x, which is the
sum in (1) and (7) of the paper, by each of its three algorithms. Strengths x and y ascend, and
`rho` are the probabilities of the y.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.luck.functions import CoinToss, Heaviside, Laplace, LuckFunction, checked_chances
from podium.numerics import belief_sums

Floats = NDArray[np.float64]

CLOSE_ENOUGH = 1e-12
"""Rounding may take so much from a probability, not more."""
FFT_FROM = 64
"""With fewer points than this, a direct sum is as fast as a Fourier transform."""
_BLOCK = 1 << 20
"""So many pairs are looked at at a time."""
_EPSILON = float(np.finfo(np.float64).eps)


class Sums(NamedTuple):
    """Sums over a belief, one for every strength."""

    values: Floats
    error: float = 0.0
    """How far a value may be off, beside rounding in its last places."""


Algorithm = Callable[[Floats, Floats, Floats, LuckFunction, float], Sums]


def naive(x: Floats, y: Floats, rho: Floats, luck: LuckFunction, score: float) -> Sums:
    """Section 4.1: all pairs, for any luck function and any strengths."""
    values = np.empty(len(x))
    for rows in blocks(len(x), len(y)):
        wins, losses = checked_chances(luck, x[rows], y)
        values[rows] = (scored(wins, losses, score) * rho).sum(axis=1)
    return Sums(values)


def fft(x: Floats, y: Floats, rho: Floats, luck: LuckFunction, score: float) -> Sums:
    """Section 4.2: Fourier transforms, for likelihoods of the difference of strengths."""
    step = common_step(x, y)
    if luck.curve is None:
        raise InputError(
            f"the algorithm 'fft' needs a luck function of the difference of strengths alone, "
            f"not {luck!r}; 'naive' takes any."
        )
    if step is None:
        raise InputError(
            "the algorithm 'fft' needs beliefs on the same evenly spaced points; 'naive' takes any."
        )
    wins, losses = checked_chances(luck, all_differences(len(x), step), np.zeros(1))
    return StepAndRest(scored(wins, losses, score)[:, 0])(np.array(rho))


def laplace(x: Floats, y: Floats, rho: Floats, luck: LuckFunction, score: float) -> Sums:
    """Section 4.3: two sweeps for every part of a mixture, for any strengths."""
    mixture = mixture_of(luck)
    if mixture is None:
        raise InputError(
            f"the algorithm 'laplace' needs Laplace or Heaviside as the luck function, "
            f"or a CoinToss of one, not {luck!r}."
        )
    if score == 0.0:
        mirrored = laplace(-x[::-1], -y[::-1], rho[::-1], luck, score=1.0)
        return Sums(mirrored.values[::-1])
    if score != 1.0:
        raise InputError(
            f"the algorithm 'laplace' takes wins and losses, scores of 1 and 0, not {score:g}."
        )
    x, y, rho = (np.array(values, order="C") for values in (x, y, rho))
    values = np.full(len(x), mixture.constant * rho.sum())
    sums = np.empty(len(x))
    for weight, scale in mixture.parts:
        if scale > 0.0:
            belief_sums.laplace_cdf_sums(y, rho, scale, x, sums)
        else:
            belief_sums.heaviside_sums_at(y, rho, x, sums)
        values += weight * sums
    return Sums(values)


def auto(x: Floats, y: Floats, rho: Floats, luck: LuckFunction, score: float) -> Sums:
    """The fastest of the three that applies."""
    if score in (0.0, 1.0) and mixture_of(luck) is not None:
        return laplace(x, y, rho, luck, score)
    if luck.curve is not None and len(x) >= FFT_FROM and common_step(x, y) is not None:
        return fft(x, y, rho, luck, score)
    return naive(x, y, rho, luck, score)


ALGORITHMS: dict[str, Algorithm] = {"auto": auto, "naive": naive, "fft": fft, "laplace": laplace}


def scored(wins: Floats, losses: Floats, score: float) -> Floats:
    """Eq. (1): a score between 0 and 1 is a share of a win and a share of a loss."""
    if score in (0.0, 1.0):
        return wins if score else losses
    shared: Floats = wins**score * losses ** (1.0 - score)
    return shared


class Mixture(NamedTuple):
    """``constant + sum of weight * F(x - y | scale)``; a scale of 0 is a step."""

    constant: float
    parts: tuple[tuple[float, float], ...]


def mixture_of(luck: LuckFunction) -> Mixture | None:
    """A luck function as the Laplace algorithm needs it, if it has that form."""
    if isinstance(luck, Heaviside):
        return Mixture(0.0, ((1.0, 0.0),))
    if isinstance(luck, Laplace):
        return Mixture(0.0, tuple(zip(luck.weights, luck.scales, strict=True)))
    if isinstance(luck, CoinToss) and (game := mixture_of(luck.game)) is not None:
        parts = tuple((luck.beta * weight, scale) for weight, scale in game.parts)
        return Mixture(0.5 * (1.0 - luck.beta) + luck.beta * game.constant, parts)
    return None


def blocks(rows: int, columns: int) -> list[slice]:
    """Slices of the rows of a table, so that no block of it is large."""
    height = max(_BLOCK // columns, 1)
    return [slice(first, first + height) for first in range(0, rows, height)]


def common_step(x: Floats, y: Floats) -> float | None:
    """The step of both, if they are the same evenly spaced points."""
    if not np.array_equal(x, y):
        return None
    step = float(x[-1] - x[0]) / max(len(x) - 1, 1)
    off = np.abs(x[0] + step * np.arange(len(x)) - x).max()
    return step if off <= 8.0 * _EPSILON * np.abs(x).max() else None


def all_differences(count: int, step: float) -> Floats:
    """The differences of evenly spaced points, in ascending order."""
    return np.multiply(step, np.arange(1 - count, count), dtype=np.float64)


class Convolution:
    """Sums of ``kernel[k - j] density[j]`` over j, for all k, by Fourier transforms.

    The kernel stands for all differences of points, in ascending order.
    """

    def __init__(self, kernel: Floats) -> None:
        n = (len(kernel) + 1) // 2
        self._size = 1 << (2 * n - 1).bit_length()
        around = np.zeros(self._size)
        around[:n], around[self._size - n + 1 :] = kernel[n - 1 :], kernel[: n - 1]
        self._transform = np.fft.rfft(around)
        self._square = float((kernel * kernel).sum())

    def __call__(self, density: Floats) -> Sums:
        """The sums, and how far rounding may have put them off."""
        values = np.fft.irfft(self._transform * np.fft.rfft(density, self._size), self._size)
        length = math.sqrt(self._square * float((density * density).sum()))
        return Sums(values[: len(density)], 2.0 * _EPSILON * self._size.bit_length() * length)


class StepAndRest:
    """Sums of a likelihood that depends on the difference of strengths alone.

    A step, summed by Algorithm 4.3, and a rest that decays, by convolution. The step leads
    from the likelihood at the largest difference of points one way to that the other way. For wins
    these are almost the (1 - beta)/2 and (1 + beta)/2 of the paper.
    """

    def __init__(self, likelihood: Floats) -> None:
        """`likelihood` is that of all differences of points, in ascending order."""
        half = len(likelihood) // 2
        step = np.concatenate((np.zeros(half), [0.5], np.ones(half)))
        self._low, self._rise = float(likelihood[0]), float(likelihood[-1] - likelihood[0])
        self._rest = Convolution(likelihood - self._low - self._rise * step)

    def __call__(self, density: Floats) -> Sums:
        """The sums at all points."""
        below = np.empty(len(density))
        belief_sums.heaviside_sums(density, below)
        rest = self._rest(density)
        values = self._low * density.sum() + self._rise * below + rest.values
        error = rest.error + 4.0 * _EPSILON * (self._low + abs(self._rise))
        return Sums(np.maximum(values, 0.0), error)
