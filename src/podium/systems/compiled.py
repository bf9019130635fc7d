"""What systems with compiled kernels have in common: how contests get into them.

The kernel that folds contests (`entry`) takes what it folds into (`_state`), the parameters
(`_settings`), the columns that every system knows, those that this one does besides (`_besides`),
which contests, and room for events. It returns the number of the first contest that it leaves to
`fold_large`.
"""

import dataclasses
import itertools
from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.numerics.teams import competitors, with_teams_or_shares
from podium.systems.base import Floats, System

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns


class Rows(NamedTuple):
    """Those of one contest, as kernels take them."""

    players: NDArray[np.int32]
    ranks: NDArray[np.int32]
    time: np.int64
    weight: np.float64
    ceiling: np.float64

    @classmethod
    def of(cls, columns: "Columns", contest: int) -> "Rows":
        """Those of one of many contests."""
        rows = slice(columns.offsets[contest], columns.offsets[contest + 1])
        per_contest = (columns.time, columns.weight, columns.perf_ceiling)
        return cls(
            columns.player[rows], columns.rank[rows], *(each[contest] for each in per_contest)
        )


_ON_THEIR_OWN = np.empty(0, np.int32)
_ALL_THE_TIME = np.empty(0)


def teams_and_shares(columns: "Columns", first: int, last: int) -> tuple[NDArray[np.int32], Floats]:
    """Who competes in these contests, and for how much of them; empty if all on their own."""
    offsets = columns.offsets[first : last + 1]
    rows = slice(offsets[0], offsets[-1])
    teams, shares = _ON_THEIR_OWN, _ALL_THE_TIME
    if columns.team is not None:
        teams = competitors(offsets - offsets[0], columns.team[rows])
    if columns.share is not None:
        shares = columns.share[rows]
    return teams, shares


def team_contests(
    columns: "Columns", first: int, last: int
) -> Iterator[tuple[int, int, NDArray[np.int32] | None]]:
    """Ranges of contests, in order, and who competes in them.

    None where every player competes alone and takes part in all of it; otherwise the number of
    the competitor, within its contest, that each row of the columns belongs to.
    """
    if columns.team is None and columns.share is None:
        yield first, last, None
        return
    offsets = columns.offsets[first : last + 1]
    alone = np.full(len(columns.player), -1, np.int32)
    numbers = competitors(offsets, alone if columns.team is None else columns.team)
    special = with_teams_or_shares(offsets, numbers, columns.share)
    bounds = np.flatnonzero(np.diff(special, prepend=~special[:1], append=~special[-1:])) + first
    for start, stop in itertools.pairwise(bounds.tolist()):
        yield start, stop, numbers if special[start - first] else None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Compiled(System):
    """A system whose contests are folded by its `kernel`."""

    @property
    @abstractmethod
    def _settings(self) -> tuple[Any, ...]:
        """The parameters as the kernels take them."""

    def _record(self, **values: Any) -> NDArray[Any]:
        """The kernel's record of settings; what is not given is the parameter of that name."""
        settings = np.zeros(1, self.kernel.SETTINGS)
        for name in self.kernel.SETTINGS.names:
            settings[name] = values[name] if name in values else getattr(self, name)
        return settings

    def _state(self, beliefs: "Beliefs") -> tuple[NDArray[Any], ...]:
        """What changes with a contest."""
        return (beliefs.table,)

    def _besides(self, columns: "Columns", first: int, last: int) -> tuple[Any, ...]:
        """The columns that not every kernel takes."""
        return (columns.perf_ceiling,)

    def fold(
        self, beliefs: "Beliefs", columns: "Columns", first: int, last: int, events: Floats
    ) -> int:
        """In one kernel."""
        try:
            done: int = self.entry(
                *self._state(beliefs),
                *self._settings,
                columns.offsets,
                columns.player,
                columns.rank,
                columns.time,
                columns.weight,
                *self._besides(columns, first, last),
                first,
                last,
                events,
            )
        except (MemoryError, ValueError) as error:  # from tables as long as ratings are far apart
            raise InputError(f"{self.name} cannot compare ratings so far apart.") from error
        return done
