"""What systems and kernels hand to each other: settings, and what happened in each row.

Kernels here take numbers, not records, which differ from system to system: Numba would take a
longer record for a shorter one that it has compiled for, with a warning.
"""

import numpy as np

from podium.numerics.compiled import kernel

MATCHES_AHEAD = 32
"""Rows ahead of the one in work whose records are fetched: sixteen matches take longer than the
memory does."""


def settings(numbers: str, whole: str) -> "np.dtype[np.void]":
    """The type of a record of parameters: these names, the latter ones of whole numbers."""
    fields = [(name, "f8") for name in numbers.split()] + [(name, "i8") for name in whole.split()]
    return np.dtype(fields, align=True)


@kernel
def events_of(events, start, end):
    """Those of the rows `start` to `end`; none if nobody wants to know."""
    return events[:, start:end]


@kernel
def note_before(mu, sigma, row, events):
    """What was believed before, if anybody wants to know."""
    if row < events.shape[1]:
        events[1, row] = mu
        events[2, row] = sigma


@kernel
def note_after(performance, mu, sigma, row, events):
    """What the contest showed, or NaN, and what is believed now."""
    if row < events.shape[1]:
        events[0, row] = performance
        events[3, row] = mu
        events[4, row] = sigma
