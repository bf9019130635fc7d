"""One player of a contest at any place: performances that share what is known of the others.

Under the logistic models, only the weight of those behind changes with the place: the sum over all
players is tabulated once, as for the contest itself. Under the Gaussian model, the sums change with
the place, but only those on the panel that holds the player's own performance are needed.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.numerics import factors, logconcave, roots
from podium.numerics.logistic import Floats

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns

ByPlace = Callable[[NDArray[np.int64]], Floats]
"""From how many others are ahead to performances."""

_INSIDE = 0.5 - 1e-9
"""A root farther from the centre of a panel is one beyond its end."""


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


def by_logconcave(mu: Floats, delta: Floats, row: int, split_ties: bool) -> ByPlace:
    """The same under the Gaussian model; see `podium.numerics.logconcave`."""
    others, other_deltas = np.delete(mu, row), np.delete(delta, row)
    width = logconcave.PANEL_IN_STRIPS * logconcave.GAUSSIAN_STRIP * float(delta.min())
    out = np.empty(len(mu))

    def performances(ahead: NDArray[np.int64]) -> Floats:
        found = np.empty(len(ahead))
        performance = float(mu[row])
        for k in np.argsort(ahead).tolist():
            place = int(ahead[k])
            field = np.insert(others, place, mu[row]), np.insert(other_deltas, place, delta[row])
            starts = np.unique(np.array((0, place, place + 1, len(mu))))
            own = int(place > 0)
            left = performance - 0.75 * width  # a better place had a higher one, but not by much
            logconcave.solve_panel(*field, starts, split_ties, left, width, own, own + 1, out)
            if abs(out[place] - left - 0.5 * width) >= _INSIDE * width:
                left = _panel(field, starts, split_ties, own, left, width)
                logconcave.solve_panel(*field, starts, split_ties, left, width, own, own + 1, out)
            found[k] = performance = float(out[place])
        return found

    return performances


def _panel(
    field: tuple[Floats, Floats],
    starts: NDArray[np.int64],
    split_ties: bool,
    group: int,
    left: float,
    width: float,
) -> float:
    """The left end of a panel that holds the performance of the group, looked for from `left`."""

    def is_above(x: float) -> bool:
        return bool(logconcave.roots_above(*field, starts, split_ties, x) > group)

    reach, rises = width, is_above(left)
    while is_above(left + reach if rises else left - reach) == rises:
        reach *= 2.0
    low, high = (left, left + reach) if rises else (left - reach, left)
    while high - low > width:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if is_above(middle) else (low, middle)
    return low


class Ready(NamedTuple):
    """A contest before its performances are known, as the first step of its kernel left it."""

    kernel: Any
    settings: NDArray[Any]
    state: "Beliefs"
    columns: "Columns"
    row: int
    prior: Floats
    seen: Floats


def concluded(contest: Ready, performance: Floats) -> Floats:
    """What each of these performances does to the belief about the row's player: their events."""
    row, copies = contest.row, len(performance) + 1  # a contest of one would say nothing
    players = np.arange(copies, dtype=np.int32)
    clones = contest.state.part(np.full(copies, contest.columns.player[row]))
    while not factors.reserve(clones.table, clones.pool, clones.arena, players):
        clones.grow_pool()
    happened = events(copies)
    happened[:] = contest.seen[:, row : row + 1]
    contest.kernel.conclude(
        clones.table,
        clones.pool,
        contest.settings,
        players,
        contest.columns.perf_ceiling[0],
        0,
        copies,
        np.repeat(contest.prior[:, row : row + 1], copies, axis=1),
        np.append(performance, performance[:1]),
        happened,
    )
    return happened[:, :-1]
