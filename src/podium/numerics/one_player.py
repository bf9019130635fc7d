"""The performance of one player at many places of a contest, under any log-concave model.

See `podium.numerics.logconcave` for the model. With so many of the others ahead, the performance is
the zero of ``sum of loss over those ahead + own draw + sum of victory over those behind``, which
falls with p and with their number. So one pass over the others, best first, has the value at some p
for all places at once, and performances of neighbouring places share the panels they lie in.

The functions named `loss`, `draw` and `victory` here are the Gaussian ones, too.
"""

from collections.abc import Mapping
from types import FunctionType
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from podium.numerics.compiled import kernel
from podium.numerics.logconcave import PANEL_IN_STRIPS, draw, loss, victory
from podium.numerics.vector_panels import NODES, POINTS, decreasing_root

Floats = NDArray[np.float64]


@kernel
def balances(mu, delta, own, split_ties, ahead, points, out):
    """``out[k, n]``: the sum at ``points[n]`` with the first ``ahead[k]`` others ahead, ascending.

    `own` is location and scale of the player.
    """
    places, count = ahead.shape[0], points.shape[0]
    inverse = 1.0 / own[1]
    total = np.empty(count)
    for n in range(count):
        z = (points[n] - own[0]) * inverse
        total[n] = (0.5 * (loss(z) + victory(z)) if split_ties else draw(z)) * inverse
    last = mu.shape[0]
    for k in range(places - 1, -1, -1):
        for q in range(ahead[k], last):
            inverse = 1.0 / delta[q]
            for n in range(count):
                total[n] += victory((points[n] - mu[q]) * inverse) * inverse
        last = ahead[k]
        out[k] = total
    total[:] = 0.0
    first = 0
    for k in range(places):
        for q in range(first, ahead[k]):
            inverse = 1.0 / delta[q]
            for n in range(count):
                total[n] += loss((points[n] - mu[q]) * inverse) * inverse
        first = ahead[k]
        out[k] += total


def specialise(engine: Mapping[str, Any]) -> Any:
    """`balances` for the three functions of an engine of `podium.numerics.logconcave`."""
    functions = {name: engine[name] for name in ("loss", "draw", "victory")}
    namespace = {**globals(), **functions, "__name__": engine["loss"].__module__}
    bound = FunctionType(balances.py_func.__code__, namespace, "balances")
    return njit(nogil=True, error_model="numpy")(bound)


def performances(
    balances: Any,
    strip: float,
    others: tuple[Floats, Floats],
    own: tuple[float, float],
    split_ties: bool,
    ahead: NDArray[np.int64],
) -> Floats:
    """The performance with each of these numbers of others ahead, which ascend.

    Panels are laid from one's own location on. Only where there are performances between two
    edges, others between them are looked at: a gap of any size costs a logarithm.
    """
    width = PANEL_IN_STRIPS * strip * min(float(others[1].min()), own[1])
    found, room = np.empty(len(ahead)), np.empty((3, NODES))

    def above(edge: int) -> int:
        """How many places, from the best on, have their performance above an edge."""
        return int(np.count_nonzero(values(own[0] + width * np.array((float(edge),)), ahead) > 0.0))

    def values(points: Floats, ahead: NDArray[np.int64]) -> Floats:
        out = np.empty((len(ahead), len(points)))
        balances(*others, own, split_ties, ahead, points, out)
        return out

    low, high = -1, 1
    while (above_low := above(low)) < len(ahead):
        low *= 2
    while (above_high := above(high)) > 0:
        high *= 2
    pending = [(low, high, above_low, above_high)]
    while pending:
        low, high, above_low, above_high = pending.pop()
        if above_low <= above_high:
            continue
        if high - low > 1:
            middle = (low + high) // 2
            count = min(max(above(middle), above_high), above_low)
            pending += [(low, middle, above_low, count), (middle, high, count, above_high)]
            continue
        centre, here = own[0] + (low + 0.5) * width, slice(above_high, above_low)
        rows = values(centre + 0.5 * width * POINTS, ahead[here])
        found[here] = [centre + 0.5 * width * decreasing_root(row, 0.0, room) for row in rows]
    return found
