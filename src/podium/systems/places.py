"""One player of a contest at any place: performances that share what is known of the others.

Under the logistic models, only the weight of those behind changes with the place: the sum over all
players is tabulated once, as for the contest itself. Under other models, the sums change with the
place, along the standings.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.numerics import chebyshev, factors, logconcave, one_player, pair_sums, roots
from podium.numerics.logistic import Floats
from podium.systems.base import IfPerformed

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns
    from podium.systems.performance import PerformanceModel

ByPlace = Callable[[NDArray[np.int64]], Floats]
"""From how many others are ahead to performances."""


def every(rows: int) -> NDArray[np.int32]:
    """The ranks of a contest without ties."""
    return np.arange(1, rows + 1, dtype=np.int32)


def copies(state: "Beliefs", player: int, rows: int) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Records of one player, as many as there are places, and their ids.

    For systems with no other beliefs than records: what is known of all opponents makes
    the difference between them.
    """
    return np.repeat(state.table[player : player + 1], rows), np.arange(rows, dtype=np.int32)


def events(rows: int) -> Floats:
    """Room for what happens in so many rows, laid out as where a contest is one of many."""
    return np.empty((5, rows + 1))[:, :rows]


def by_logistic(mu: Floats, s: Floats, row: int, mode: int) -> ByPlace:
    """Performances of a row as `podium.numerics.roots` has them, ties counted in this way."""

    def performances(ahead: NDArray[np.int64]) -> Floats:
        found = np.empty(len(ahead))
        roots.at_places(mu, s, row, mode, ahead, found)
        return found

    return performances


def by_logconcave(
    mu: Floats,
    delta: Floats,
    row: int,
    split_ties: bool,
    model: "PerformanceModel | None" = None,
) -> ByPlace:
    """The same under the Gaussian model, or one of one's own; see `podium.numerics.one_player`."""
    others, own = (np.delete(mu, row), np.delete(delta, row)), (float(mu[row]), float(delta[row]))
    balances, strip = one_player.balances, logconcave.GAUSSIAN_STRIP
    if model is not None:
        balances, strip = model.balances, model.strip

    def performances(ahead: NDArray[np.int64]) -> Floats:
        places, where = np.unique(ahead, return_inverse=True)
        return one_player.performances(balances, strip, others, own, split_ties, places)[where]

    return performances


class Ready(NamedTuple):
    """A contest before its performances are known, as the first step of its kernel left it."""

    conclude: Callable[..., None]
    settings: NDArray[Any]
    state: "Beliefs"
    columns: "Columns"
    row: int
    prior: Floats
    seen: Floats


def concluded(contest: Ready, performance: Floats) -> Floats:
    """What each of these performances does to the belief about the row's player: their events."""
    return concluded_each(contest, np.full(len(performance), contest.row), performance)


def concluded_each(contest: Ready, rows: NDArray[np.int64], performance: Floats) -> Floats:
    """What each of these performances does to the belief about the player of a row of its own."""
    rows = np.append(rows, rows[:1])  # a contest of one would say nothing
    copies = len(rows)
    players = np.arange(copies, dtype=np.int32)
    clones = contest.state.part(contest.columns.player[rows])
    while not factors.reserve(clones.table, clones.pool, clones.arena, players):
        clones.grow_pool()
    happened = events(copies)
    happened[:] = contest.seen[:, rows]
    contest.conclude(
        clones.table,
        clones.pool,
        contest.settings,
        players,
        contest.columns.perf_ceiling[0],
        0,
        copies,
        np.ascontiguousarray(contest.prior[:, rows]),
        np.append(performance, performance[:1]),
        happened,
    )
    return happened[:, :-1]


_BEYOND = 40.0
"""Scales beyond all ratings, where every logistic cdf is 0 or 1 to the last bit."""


def if_performed(contest: Ready, mode: int) -> IfPerformed:
    """From performances to places and events under the logistic models, ties counted in this way.

    At a performance p, ``W - G(p) - T(p)`` of `podium.numerics.roots` is not negative as long as
    those ahead are few enough, and W is a sum along the standings.
    """
    mu, s = contest.prior[0], contest.prior[1]
    weight, n = 1.0 / s, len(s)
    low, high = float((mu - _BEYOND * s).min()), float((mu + _BEYOND * s).max())
    summed = _summed(mu, s, low, high)
    behind = np.append(np.cumsum(weight[::-1])[::-1], 0.0)
    """The weights of the rows from each on."""

    def most_ahead(rows: NDArray[np.int64], performance: Floats) -> NDArray[np.int64]:
        own = weight[rows]
        needed = summed(performance) - (0.5 * own if mode == roots.SPLIT else own)
        if mode != roots.SPLIT:
            z = np.clip((performance - mu[rows]) * own, -700.0, 700.0)
            needed += own / (1.0 + np.exp(-z))
        # Those behind weigh enough: before oneself in the order, one's own weight is not theirs.
        above = np.searchsorted(-behind, -(needed + own), side="right") - 1
        below = np.searchsorted(-behind, -needed, side="right") - 1
        found = np.where(above < rows, above, np.maximum(below - 1, rows))
        return np.asarray(np.minimum(found, n - 1), np.int64)

    return IfPerformed(
        lambda rows, performance: concluded_each(contest, rows, performance), most_ahead, low, high
    )


def _summed(mu: Floats, s: Floats, low: float, high: float) -> Callable[[Floats], Floats]:
    """``sum F_j / s_j`` at any places between low and high, in linear time."""
    left, width, panels = pair_sums.panels_over(low, high, s)
    if len(mu) <= pair_sums.DIRECT or not panels:
        return lambda x: np.array([pair_sums.direct(mu, s, each)[0] for each in x.tolist()])
    below, table = pair_sums.tabulated(mu, s, left, width, panels)
    coefficients = chebyshev.powers(table)

    def values(x: Floats) -> Floats:
        panel = np.clip(((x - left) / width).astype(np.int64), 0, panels - 1)
        t = np.clip((x - left) / (0.5 * width) - (2 * panel + 1), -1.0, 1.0)
        value = coefficients[panel, -1]
        for power in range(coefficients.shape[1] - 2, -1, -1):
            value = value * t + coefficients[panel, power]
        total: Floats = below[panel, 0] + (below[panel, 1] + value)
        return total

    return values
