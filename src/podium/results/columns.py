"""The numbers that make up contests, as the rating systems take them."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

PER_ROW = ("player", "rank", "team", "side", "share")


class Columns(NamedTuple):
    """Contests as arrays. Contest c has the rows ``offsets[c] .. offsets[c + 1]``, best first."""

    offsets: NDArray[np.int64]
    player: NDArray[np.int32]
    """Per row: the id of the player."""
    rank: NDArray[np.int32]
    """Per row: 1 is best, ties share the smallest rank of their group."""
    time: NDArray[np.int64]
    """Per contest: microseconds since 1970, UTC."""
    weight: NDArray[np.float64]
    """Per contest."""
    perf_ceiling: NDArray[np.float64]
    """Per contest: the highest performance that it can show, or infinity."""
    team: NDArray[np.int32] | None = None
    """Per row: the id of the team, or -1."""
    side: NDArray[np.int8] | None = None
    """Per row: 1 has the advantage of the side (home, white, first), -1 the opposite, 0 neither."""
    share: NDArray[np.float64] | None = None
    """Per row: the part of the contest that the player took part in, above 0 and at most 1."""
    margin: NDArray[np.float64] | None = None
    """Per contest: by how much it was won, in whatever the game counts; 0 or more, or NaN."""
    score: NDArray[np.float64] | None = None
    """Per contest of two: the score of its first row, from ½ to 1; NaN where the ranks say it all.

    None if they do everywhere.
    """

    def between(self, first: int, last: int) -> "Columns":
        """The contests `first` to `last`; nothing but their offsets is copied."""
        offsets = self.offsets[first : last + 1]
        return self.take(slice(first, last), slice(offsets[0], offsets[-1]), offsets - offsets[0])

    def take(
        self,
        contests: slice | NDArray[np.int64],
        rows: slice | NDArray[np.int64],
        offsets: NDArray[np.int64],
    ) -> "Columns":
        """Some contests, whose rows are those given and then stand at these offsets."""
        taken = {
            name: values[rows if name in PER_ROW else contests]
            for name, values in self._asdict().items()
            if name != "offsets" and values is not None
        }
        return Columns(offsets=offsets, **taken)


def scores_if_any(score: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The column of scores, or None if the ranks say it all in every contest."""
    return None if np.isnan(score).all() else score


def taken(frame: "pl.DataFrame", rows: "slice | NDArray[np.integer[Any]]") -> "pl.DataFrame":
    """Some rows of a table, in this order, without the threads of Polars; see `podium.forks`."""
    return frame[rows] if isinstance(rows, slice) else type(frame)([c.gather(rows) for c in frame])
