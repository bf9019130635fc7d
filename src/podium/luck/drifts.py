"""Drifts: how far a strength may have moved between two matches.

After each match a belief is convolved with a drift, kept on its points and made to sum to 1.

Example:
    >>> from podium.luck import NormalDrift
    >>> NormalDrift(0.03)
    NormalDrift(weights=(1.0,), sds=(0.03,))

Reference: Alex Cowan, *Paired comparisons for games of chance*, 2023, Model 2.16.
"""

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.errors import InputError
from podium.luck.functions import table_of, take_mixture

Floats = NDArray[np.float64]


class Drift(ABC):
    """How likely a strength x is to become y, up to a factor."""

    @abstractmethod
    def __call__(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """The density of moving from x to y, at least 0."""


class ByDistance(Drift):
    """A drift that is the same everywhere, and to both sides."""

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """The density of moving from x to y."""
        return self.of_distance(np.subtract(x, y, dtype=np.float64))

    @abstractmethod
    def of_distance(self, distance: ArrayLike) -> Floats:
        """The density of moving so far."""


@dataclasses.dataclass(frozen=True, init=False)
class NormalDrift(ByDistance):
    """Steps of a normal distribution, or of a mixture of several: often small, sometimes large."""

    weights: tuple[float, ...]
    sds: tuple[float, ...]

    def __init__(self, sds: float | tuple[float, ...], weights: tuple[float, ...] = (1.0,)) -> None:
        take_mixture(self, weights, "sds", sds)

    def of_distance(self, distance: ArrayLike) -> Floats:
        """The weighted sum of the densities."""
        d = np.asarray(distance, np.float64)
        total = np.zeros(d.shape)
        for weight, sd in zip(self.weights, self.sds, strict=True):
            total += weight / (sd * math.sqrt(2.0 * math.pi)) * np.exp(-0.5 * (d / sd) ** 2)
        return total


@dataclasses.dataclass(frozen=True, init=False)
class LaplaceDrift(ByDistance):
    """Steps of a Laplace distribution, or of a mixture of several; computed in linear time."""

    weights: tuple[float, ...]
    scales: tuple[float, ...]

    def __init__(
        self, scales: float | tuple[float, ...], weights: tuple[float, ...] = (1.0,)
    ) -> None:
        take_mixture(self, weights, "scales", scales)

    def of_distance(self, distance: ArrayLike) -> Floats:
        """The weighted sum of the densities."""
        d = np.abs(np.asarray(distance, np.float64))
        total = np.zeros(d.shape)
        for weight, scale in zip(self.weights, self.scales, strict=True):
            total += weight / (2.0 * scale) * np.exp(-d / scale)
        return total


@dataclasses.dataclass(frozen=True)
class NoDrift(ByDistance):
    """Strengths never change."""

    def of_distance(self, distance: ArrayLike) -> Floats:
        """1 for those who stay."""
        return np.where(np.asarray(distance, np.float64) == 0.0, 1.0, 0.0)


@dataclasses.dataclass(frozen=True)
class CustomDrift(Drift):
    """Any function of two arrays of strengths that is at least 0."""

    function: Callable[[Any, Any], Any] = dataclasses.field(repr=False)
    name: str = "custom"

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(
                f"CustomDrift: a function of two strengths is needed, not {self.function!r}."
            )

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """What the function says."""
        return table_of(self, self.function, x, y)


def checked_densities(drift: Drift, x: Floats, y: Floats) -> Floats:
    """The densities of moving from each x (in rows) to each y (in columns), if they are such."""
    densities = drift(x[:, None], y[None, :])
    wrong = ~((densities >= 0.0) & np.isfinite(densities))
    if wrong.any():
        i, j = np.unravel_index(np.argmax(wrong), wrong.shape)
        raise InputError(
            f"the drift {drift!r} gives {densities[i, j]:g} for a move from {x[i]:g} to {y[j]:g}, "
            f"which is not a finite density of at least 0."
        )
    return densities
