"""One player of a contest at any place: performances that share what is known of the others.

Under the logistic models, only the weight of those behind changes with the place: the sum over all
players is tabulated once, as for the contest itself. Under other models, the sums change with the
place, along the standings.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.numerics import factors, logconcave, one_player, roots
from podium.numerics.logistic import Floats

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
    row, copies = contest.row, len(performance) + 1  # a contest of one would say nothing
    players = np.arange(copies, dtype=np.int32)
    clones = contest.state.part(np.full(copies, contest.columns.player[row]))
    while not factors.reserve(clones.table, clones.pool, clones.arena, players):
        clones.grow_pool()
    happened = events(copies)
    happened[:] = contest.seen[:, row : row + 1]
    contest.conclude(
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
