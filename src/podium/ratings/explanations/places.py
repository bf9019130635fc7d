"""What one place better or worse would have given.

Who is tied leaves the tie, to be just ahead of it or just behind it. Who is next to a tie joins it.
Otherwise the player and the neighbour change places. A team moves as one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.ratings.explanations.replay import Replay
from podium.results.columns import Columns


@dataclass(frozen=True, slots=True)
class Place:
    """A result that might have been."""

    rank: int
    tied_with: int
    """How many others would have shared the rank."""
    performance: float | None
    mu: float
    rating: float


def other_place(replay: Replay, step: int) -> Place | None:
    """One place better (`step` -1) or worse (1); None if there is no such place."""
    keys = _keys(replay, step)
    if keys is None:
        return None
    columns, row, ranks = _rearranged(replay, keys)
    record, happened = replay.folded(columns, row)
    performance = float(happened[0])
    mu, sigma = float(record["mu"]), float(record["sigma"])
    rank = int(ranks[replay.own])
    return Place(
        rank=rank,
        tied_with=int(np.count_nonzero(ranks == rank)) - 1,
        performance=None if np.isnan(performance) else performance,
        mu=mu,
        rating=float(replay.rating(mu, sigma, int(record["contests"]))),
    )


def _keys(replay: Replay, step: int) -> NDArray[np.float64] | None:
    """Numbers by which the competitors stand in the other order; the same ones are tied."""
    ranks = replay.ranks
    keys, own = ranks.astype(np.float64), replay.own
    if np.count_nonzero(ranks == ranks[own]) > 1:
        keys[own] += 0.5 * step
        return keys
    beyond = ranks[np.sign(ranks - ranks[own]) == step]
    if not len(beyond):
        return None
    neighbour = beyond.max() if step < 0 else beyond.min()
    passes = np.count_nonzero(ranks == neighbour) == 1
    keys[own] = neighbour + (0.5 * step if passes else 0.0)
    return keys


def _rearranged(
    replay: Replay, keys: NDArray[np.float64]
) -> tuple[Columns, int, NDArray[np.int64]]:
    """The contest in that order, the player's row in it, and the ranks of the competitors.

    Rows are sorted by rank and then by name, as ever. Of two, the other one wins by no known
    score or margin.
    """
    columns, names = replay.columns, replay.before.names
    ranks = np.searchsorted(np.sort(keys), keys) + 1
    by_row = keys[replay.competitor]
    place = np.arange(len(by_row))  # all others who tie are by name already
    tied = np.flatnonzero(by_row == keys[replay.own])
    by_name = sorted(tied.tolist(), key=lambda row: names[columns.player[row]])
    place[by_name] = tied
    order = np.lexsort((place, by_row))
    per_row = {
        name: column[order]
        for name in ("player", "team", "side", "share")
        if (column := getattr(columns, name)) is not None
    }
    changed = columns._replace(
        **per_row, rank=ranks[replay.competitor][order].astype(np.int32), score=None, margin=None
    )
    return changed, int(np.flatnonzero(order == replay.row)[0]), ranks
