"""What a history tells of one player: enough, for many systems, to believe the same again."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Past(NamedTuple):
    """The rated contests of one player, in order: what they were, and what happened in them."""

    time: NDArray[np.int64]
    weight: NDArray[np.float64]
    perf_ceiling: NDArray[np.float64]
    """Infinity where there is none."""
    events: NDArray[np.float64]
    """A column for each, as in `podium.systems.base.EVENTS`."""

    def __len__(self) -> int:
        return len(self.time)

    def at(self, contest: int) -> tuple[np.int64, np.float64, np.float64, NDArray[np.float64]]:
        """All about one of them."""
        about = self.time[contest], self.weight[contest], self.perf_ceiling[contest]
        return *about, self.events[:, contest]

    @property
    def contested(self) -> NDArray[np.bool_]:
        """Which had opponents, in systems that find a performance wherever there are some."""
        contested: NDArray[np.bool_] = ~np.isnan(self.events[0])
        return contested
