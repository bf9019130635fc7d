"""Performances of a whole contest under any log-concave model, exact and in linear time.

A model is three decreasing functions of ``z = (p - mu) / delta``, for a density of variance one:
`loss` = -f/(1-F), `draw` = f'/f and `victory` = f/F. A tie group's performance is the zero of

    Q(p) = sum of loss over those ahead + draw over the group + victory over those behind

with each term divided by its delta. Performances fall with rank (Theorem 5.2), so the groups
whose roots lie in one panel are neighbours. On that panel, everybody ahead of them contributes
`loss` and everybody behind them `victory`, once for all; only the groups inside need running
sums. The cost is the number of rows times the number of nodes of panels that hold a root.

The functions named `loss`, `draw` and `victory` here are the Gaussian ones; `specialise` makes
the same engine for others.

Rows are sorted by rank, best first. Group g is the rows ``starts[g] .. starts[g + 1]``.
"""

import itertools
import math
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from podium.numerics.compiled import kernel
from podium.numerics.factors import SCALE, fold
from podium.numerics.logistic import Floats, tie_groups
from podium.numerics.normal import hazard, inlined
from podium.numerics.threads import for_each
from podium.numerics.vector_panels import NODES, POINTS, decreasing_root

GAUSSIAN_STRIP = 2.0
"""Phi has its complex zeros nearest to the real line at -1.916 +- 2.816 i; with room to spare."""

_MOST_STEPS = 500
PANEL_IN_STRIPS = 1.66
"""The terms of a Chebyshev series then fall below 1e-10 within `NODES`, as they do in the logistic
engine, whose panels are 4 / pi strips wide and have fewer nodes."""


@inlined
def loss(z):
    """Gaussian -f / (1 - F)."""
    return -hazard(z)


@inlined
def draw(z):
    """Gaussian f' / f."""
    return -z


@inlined
def victory(z):
    """Gaussian f / F."""
    return hazard(-z)


@inlined
def _drawn(z, split_ties):
    return 0.5 * (loss(z) + victory(z)) if split_ties else draw(z)


@kernel
def roots_above(mu, delta, starts, split_ties, x):
    """How many groups, from the best on, have their performance above `x`.

    The terms of all rows first, in a loop that vector registers can take, then their sums.
    """
    rows, groups = mu.shape[0], starts.shape[0] - 1
    lost, drawn, won = np.empty(rows), np.empty(rows), np.empty(rows)
    for row in range(rows):
        inverse = 1.0 / delta[row]
        z = (x - mu[row]) * inverse
        lost[row] = loss(z) * inverse
        drawn[row] = _drawn(z, split_ties) * inverse
        won[row] = victory(z) * inverse
    behind = 0.0
    for row in range(rows - 1, -1, -1):
        behind += won[row]
        won[row] = behind
    ahead = 0.0
    for g in range(groups):
        end = starts[g + 1]
        balance = ahead + (won[end] if end < rows else 0.0)
        for row in range(starts[g], end):
            balance += drawn[row]
            ahead += lost[row]
        if balance <= 0.0:
            return g
    return groups


@kernel
def locate(mu, delta, starts, split_ties, strip):
    """The panels that hold roots: rows of (left end, first group, last group + 1), and the width.

    Edges are bisected only where roots lie between them, so that a gap of any size costs
    a logarithm.
    """
    groups = starts.shape[0] - 1
    low, high = mu.min(), mu.max()
    reach = 4.0 * delta.max()
    for _ in range(_MOST_STEPS):
        above_low = roots_above(mu, delta, starts, split_ties, low - reach)
        above_high = roots_above(mu, delta, starts, split_ties, high + reach)
        if above_low == groups and above_high == 0:
            break
        reach *= 1.5
    width = PANEL_IN_STRIPS * strip * delta.min()
    panels = int(math.ceil((high - low + 2.0 * reach) / width))
    left = 0.5 * (low + high - panels * width)
    found = []
    pending = [(0, panels, groups, 0)]
    while len(pending) > 0:
        k0, k1, above0, above1 = pending.pop()
        if above0 <= above1:
            continue
        if k1 - k0 == 1:
            found.append((left + k0 * width, above1, above0))
            continue
        middle = (k0 + k1) // 2
        above = roots_above(mu, delta, starts, split_ties, left + middle * width)
        above = min(max(above, above1), above0)
        pending.append((k0, middle, above0, above))
        pending.append((middle, k1, above, above1))
    return found, width


@kernel
def solve_panel(mu, delta, starts, split_ties, left, width, first, last, out):
    """Performances of the groups `first` to `last`, whose roots lie in the panel at `left`."""
    half = 0.5 * width
    nodes = left + half + half * POINTS
    ahead, behind = np.zeros(NODES), np.zeros(NODES)
    for row in range(starts[first]):
        inverse = 1.0 / delta[row]
        for n in range(NODES):
            ahead[n] += loss((nodes[n] - mu[row]) * inverse) * inverse
    for row in range(starts[last], mu.shape[0]):
        inverse = 1.0 / delta[row]
        for n in range(NODES):
            behind[n] += victory((nodes[n] - mu[row]) * inverse) * inverse
    lost, balance = _inside(mu, delta, starts, split_ties, nodes, first, last, behind)
    values, room = np.empty(NODES), np.empty((3, NODES))
    t = 0.5
    for g in range(last - first):
        for n in range(NODES):
            values[n] = ahead[n] + balance[g, n]
            ahead[n] += lost[g, n]
        t = decreasing_root(values, t, room)
        for row in range(starts[first + g], starts[first + g + 1]):
            out[row] = left + half + half * t


@kernel
def _inside(mu, delta, starts, split_ties, nodes, first, last, behind):
    """For the groups `first` to `last`, their `loss`, and their `draw` with `victory` behind them.

    `behind` has `victory` of the rows behind all of them. A row's terms are taken together, as
    they have much in common.
    """
    lost = np.zeros((last - first, NODES))
    balance = np.empty((last - first, NODES))
    for g in range(last - first - 1, -1, -1):
        own_lost, own_balance = lost[g], balance[g]
        for n in range(NODES):
            own_balance[n] = behind[n]
        for row in range(starts[first + g], starts[first + g + 1]):
            inverse = 1.0 / delta[row]
            for n in range(NODES):
                z = (nodes[n] - mu[row]) * inverse
                own_lost[n] += loss(z) * inverse
                own_balance[n] += _drawn(z, split_ties) * inverse
                behind[n] += victory(z) * inverse
    return lost, balance


@kernel
def performances(mu, delta, ranks, split_ties, strip, out):
    """The performance of every row, in one thread. See the module's docstring."""
    starts = tie_groups(ranks)
    panels, width = locate(mu, delta, starts, split_ties, strip)
    for left, first, last in panels:
        solve_panel(mu, delta, starts, split_ties, left, width, first, last, out)


def performances_in_threads(
    engine: Mapping[str, Any],
    strip: float,
    mu: Floats,
    delta: Floats,
    ranks: NDArray[np.int32],
    split_ties: bool,
    out: Floats,
    threads: int,
) -> None:
    """`performances` of this or a specialised engine, with the panels shared among threads."""
    starts = tie_groups(ranks)
    panels, width = engine["locate"](mu, delta, starts, split_ties, strip)

    def solve(panel: tuple[float, int, int]) -> None:
        engine["solve_panel"](
            mu, delta, starts, split_ties, panel[0], width, panel[1], panel[2], out
        )

    for_each(solve, panels, threads)


@kernel
def _belief_slope(record, pool, x):
    """L'(x), as in `podium.numerics.factors`, for factors with this model's density."""
    start = record.block + record.first
    total = 0.0
    for k in range(start, start + record.count):
        b = record.shared_b if record.shared_b > 0.0 else pool[k + 2 * record.room]
        beta = b / SCALE
        total += pool[k] * beta * draw((pool[k + record.room] - x) / beta)
    return record.w0 * (x - record.p0) + record.scale * total


@kernel
def belief_mode(record, pool, start, stride):
    """The zero of L', by bisection after steps from `start` that double until it is passed."""
    near = 1e-9 * min(record.sigma, 1.0)
    low, high = -np.inf, np.inf
    x = start
    for _ in range(_MOST_STEPS):
        if _belief_slope(record, pool, x) > 0.0:
            high = x
        else:
            low = x
        if low == -np.inf:
            x -= stride
            stride *= 2.0
        elif high == np.inf:
            x += stride
            stride *= 2.0
        else:
            x = 0.5 * (low + high)
            if not (low < x < high) or high - low < near:
                break
    return x


@kernel
def condition(table, pool, players, history, first, last, stride, out):
    """Set mu of the rows `first` to `last` to the mode of their beliefs."""
    for row in range(first, last):
        record = table[players[row]]
        fold(record, pool, history)
        record.mu = belief_mode(record, pool, record.mu, stride[row])
        out[row] = record.mu


_SPECIALISED = itertools.count(1)
_ENGINE = (
    "_drawn",
    "roots_above",
    "locate",
    "_inside",
    "solve_panel",
    "performances",
    "_belief_slope",
    "belief_mode",
    "condition",
)


def specialise(
    loss: Callable[[float], float],
    draw: Callable[[float], float],
    victory: Callable[[float], float],
) -> dict[str, Any]:
    """The functions of this module, compiled for another model's three functions.

    Numba keeps no compiled code for functions passed as arguments, so the model is
    bound by name instead; such an engine is compiled once per process.
    """
    # Numba names machine code after module and function, and links it by these names. Under the
    # name of this module, a specialised function could take the place of a Gaussian one that
    # comes compiled from disk.
    namespace = {**globals(), "__name__": f"{__name__}.specialised{next(_SPECIALISED)}"}
    for name, function in (("loss", loss), ("draw", draw), ("victory", victory)):
        namespace[name] = function if hasattr(function, "py_func") else njit(function)
    for name in _ENGINE:
        source = namespace[name].py_func
        rebound = FunctionType(source.__code__, namespace, name, source.__defaults__)
        namespace[name] = njit(nogil=True, error_model="numpy")(rebound)
    return {name: namespace[name] for name in (*_ENGINE, "loss", "draw", "victory")}
