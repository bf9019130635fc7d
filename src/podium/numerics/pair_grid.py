"""Everybody against everybody under the logistic model, without a look at every pair.

For a competitor at x of variance v, with ``c^2 = v + var_q + noise`` and p the chance to beat q,
the sums over all q of

    p / c    and    p (1 - p) / c^2, or the same over c^3

are two functions of x and v, the same for the whole contest. In x they are analytic in a strip
of half-width ``pi * min(c)``, in ``u = log(v + min(var) + noise)`` in one of half-width pi. They
are tabulated at Chebyshev points: `NODES` on every panel of x, at as many levels of u as
the spread of the variances needs. What has been scored, the sum of s / c, depends on v and
the rank alone, and is added up along the standings at the same levels.

Competitors are sorted by rank, best first. Tie group g is ``starts[g] .. starts[g + 1]``.
"""

import math

import numpy as np
from numpy.typing import NDArray

from podium.numerics.chebyshev import NODES, POINTS
from podium.numerics.compiled import kernel
from podium.numerics.logistic import PANEL_IN_SCALES, extremes, falling
from podium.numerics.threads import for_each

Floats = NDArray[np.float64]
Grid = tuple[float, float, int, float, Floats]

BLOCK_ROWS = 1024
"""Rows whose terms are added up together. Blocks are added in order, whoever computed them."""

SMALL = 64
"""Fewer competitors are not worth the thought."""

_MOST_PANELS = 1_000_000
_DIGITS = 22.0
"""The error of the levels is about exp(-22), 3e-10, of the largest term."""
_FAR = 290.0
_RESTART = 16
"""As in the logistic engine: products that start at exp(-290) or exp(290) and run over fewer
than 16 panels neither overflow nor come near a value that matters."""

_SIGNS = np.where(np.arange(NODES) % 2 == 0, 1.0, -1.0)
_SIGNS[[0, -1]] *= 0.5


_SAME = 1e-11
"""Logarithms of variances that differ by less count as one."""


@kernel
def lay(theta, var, noise):
    """The grid: left end and width of panels, their number, the least variance, the levels.

    Rows of levels: u, exp(u), and the weights of the barycentric formula.
    """
    lowest, highest, least, most = extremes(theta, var)
    c = math.sqrt(2.0 * least + noise)
    panels = min(math.ceil((highest - lowest) / (PANEL_IN_SCALES * c)), _MOST_PANELS)
    panels = max(int(panels), 1)
    width = (highest - lowest) / panels if highest > lowest else c
    near, far = math.log(2.0 * least + noise), math.log(least + most + noise)
    half = 0.5 * (far - near)
    count = 1
    if half > _SAME:  # otherwise the levels would coincide in rounding
        reach = 0.8 * math.pi / half
        count += math.ceil(_DIGITS / math.log(reach + math.sqrt(1.0 + reach * reach)))
    levels = np.empty((3, int(count)))
    for m in range(levels.shape[1]):
        u = near if count == 1 else near + half - half * math.cos(math.pi * m / (count - 1))
        levels[0, m] = u
        levels[1, m] = math.exp(u)
        levels[2, m] = 1.0 if m % 2 == 0 else -1.0
    levels[2, 0] *= 0.5
    levels[2, levels.shape[1] - 1] *= 0.5
    return lowest, width, panels, least, levels


@kernel
def pays(grid, count):
    """Whether the grid is less work than the pairs of so many competitors."""
    points = grid[2] * NODES * grid[4].shape[1]
    return 3 * points < 2 * count


@kernel
def tabulate(theta, var, cubic, grid, first, last, table):
    """Add the terms of `first` to `last` to ``table[panel, level]``: two rows of nodes.

    At the node t of a panel with centre x, ``p = E / (E + f)`` with ``E = exp((x - theta) / c)``
    and ``f = exp(-t * width / 2c)``: E moves from panel to panel by one product.
    """
    left, width, panels, least, levels = grid
    f = np.empty(NODES)
    for q in range(first, last):
        for m in range(levels.shape[1]):
            r = 1.0 / math.sqrt(levels[1, m] + (var[q] - least))
            falling(0.5 * width * r, f)
            step = f[0] * f[0]
            square = r * r * (r if cubic else 1.0)
            E = 1.0
            for k in range(panels):
                if k % _RESTART == 0:
                    z = (left + (k + 0.5) * width - theta[q]) * r
                    E = math.exp(min(max(z, -_FAR), _FAR))
                else:
                    E *= step
                chances, slopes = table[k, m, 0], table[k, m, 1]
                for n in range(NODES):
                    d = 1.0 / (E + f[n])
                    p = E * d
                    chances[n] += r * p
                    slopes[n] += square * (p * (f[n] * d))


@kernel
def scored(var, starts, grid):
    """For every tie group, at the levels: the sum of s / c, a tie with oneself included."""
    least, levels = grid[3], grid[4]
    groups = starts.shape[0] - 1
    sums = np.empty((groups, levels.shape[1]))
    behind = np.zeros(levels.shape[1])
    for g in range(groups - 1, -1, -1):
        for m in range(levels.shape[1]):
            tied = 0.0
            for q in range(starts[g], starts[g + 1]):
                tied += 1.0 / math.sqrt(levels[1, m] + (var[q] - least))
            sums[g, m] = behind[m] + 0.5 * tied
            behind[m] += tied
    return sums


@kernel
def read_off(theta, var, starts, noise, cubic, grid, table, sums, first, last, pull, info):
    """Pull and info of `first` to `last` by interpolation in u and in x, without oneself."""
    left, width, panels, least, levels = grid
    across = np.empty(levels.shape[1])
    chances, slopes = np.empty(NODES), np.empty(NODES)
    g = 0
    for i in range(first, last):
        while starts[g + 1] <= i:
            g += 1
        _level_weights(levels, math.log(var[i] + least + noise), across)
        k = min(max(int((theta[i] - left) / width), 0), panels - 1)
        chances[:] = 0.0
        slopes[:] = 0.0
        own = 0.0
        for m in range(levels.shape[1]):
            own += across[m] * sums[g, m]
            for n in range(NODES):
                chances[n] += across[m] * table[k, m, 0, n]
                slopes[n] += across[m] * table[k, m, 1, n]
        t = (theta[i] - left) / (0.5 * width) - (2 * k + 1)
        expected, slope, total = 0.0, 0.0, 0.0
        for n in range(NODES):
            gap = t - POINTS[n]
            weight = _SIGNS[n] / (gap if gap != 0.0 else 1e-15)
            expected += weight * chances[n]
            slope += weight * slopes[n]
            total += weight
        r = 1.0 / math.sqrt(2.0 * var[i] + noise)
        pull[i] = own - expected / total
        info[i] = max(slope / total - 0.25 * r * r * (r if cubic else 1.0), 0.0)


@kernel
def _level_weights(levels, u, across):
    """The weights of the levels for a value at `u`; the second barycentric formula."""
    total = 0.0
    for m in range(levels.shape[1]):
        gap = u - levels[0, m]
        across[m] = levels[2, m] / (gap if gap != 0.0 else 1e-15)
        total += across[m]
    for m in range(levels.shape[1]):
        across[m] /= total


@kernel
def meet_all(theta, var, starts, noise, cubic, grid, pull, info):
    """Pull and info of everybody, in one thread. See the module's docstring."""
    count = theta.shape[0]
    table = np.zeros((grid[2], grid[4].shape[1], 2, NODES))
    tabulate(theta, var, cubic, grid, np.int64(0), count, table)
    sums = scored(var, starts, grid)
    read_off(theta, var, starts, noise, cubic, grid, table, sums, np.int64(0), count, pull, info)


def meet_all_in_threads(
    theta: Floats,
    var: Floats,
    starts: NDArray[np.int64],
    noise: float,
    cubic: bool,
    grid: Grid,
    threads: int,
) -> tuple[Floats, Floats]:
    """`meet_all` with the rows shared among threads."""
    count = len(theta)
    blocks = range(0, count, BLOCK_ROWS)
    tables = np.zeros((len(blocks), grid[2], grid[4].shape[1], 2, NODES))
    pull, info = np.empty(count), np.empty(count)

    def tabulate_block(first: int) -> None:
        last = min(first + BLOCK_ROWS, count)
        tabulate(theta, var, cubic, grid, first, last, tables[first // BLOCK_ROWS])

    for_each(tabulate_block, blocks, threads)
    table = tables[0]
    for part in tables[1:]:
        table += part
    sums = scored(var, starts, grid)

    def read_block(first: int) -> None:
        last = min(first + BLOCK_ROWS, count)
        read_off(theta, var, starts, noise, cubic, grid, table, sums, first, last, pull, info)

    for_each(read_block, blocks, threads)
    return pull, info
