"""What a system has learned from everybody's results, as it says it of itself: curves and numbers.

A system whose players share what it learns answers `System.lessons` with these types; how it is
shown, as tables, pictures and documents, is the same for all of them.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Line(NamedTuple):
    """One line of a curve."""

    name: str
    """Of whom it is; empty if the curve has no other."""
    x: Floats
    value: Floats
    error: Floats
    """Standard errors; NaN where none is known."""
    points: bool = False
    """Whether they were measured one by one, and nothing is between them."""


class Curve(NamedTuple):
    """How something that was learned depends on something else."""

    name: str
    title: str
    across: str
    """What x is."""
    along: str
    """What the values are."""
    lines: Sequence[Line]
    decimals: int
    """How many digits behind the point its values need."""
    logarithmic: bool = True
    """Whether x is better seen on a logarithmic axis."""


class Number(NamedTuple):
    """One number that was learned."""

    name: str
    meaning: str
    value: float
    error: float
    """Its standard error; NaN if none is known."""
    decimals: int


class Lessons(NamedTuple):
    """All that was learned."""

    numbers: Sequence[Number]
    curves: Sequence[Curve]
