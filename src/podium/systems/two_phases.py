"""What systems have in common that first find performances and then condition beliefs on them."""

import dataclasses
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.numerics import factors, half_ties
from podium.numerics.threads import CHUNK, LARGE, for_each
from podium.systems import memories, places
from podium.systems.base import Floats, IfPlaced, System

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns


@dataclasses.dataclass(frozen=True, kw_only=True)
class TwoPhases(System):
    """A fold over contests in kernels, with threads for contests that are large."""

    places_in_pool: ClassVar[tuple[str, ...]] = memories.PLACES

    @property
    @abstractmethod
    def _settings(self) -> NDArray[Any]:
        """The parameters as the kernels take them."""

    @property
    def _remembers(self) -> bool:
        """Whether past performances are kept in the pool."""
        return True

    def new_arena(self) -> NDArray[np.int64]:
        """The bookkeeping of an empty pool of performances."""
        return factors.new_arena()

    def carry_over(self, player: int, source: "Beliefs", target: "Beliefs") -> None:
        """With a copy of the block of the pool."""
        factors.carry_over(player, source, target)

    def memories(
        self, beliefs: "Beliefs", players: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """The factors."""
        return memories.of_factors(beliefs, players)

    def remember(self, beliefs: "Beliefs", sizes: NDArray[np.int64], memory: NDArray[Any]) -> None:
        """With a block for each player."""
        memories.remember_factors(beliefs, memory)

    @property
    def falls_with_rank(self) -> bool:
        """A worse rank shows a lower performance, and ratings follow those of the day."""
        return True

    def if_placed(self, beliefs: "Beliefs", columns: "Columns", row: int) -> IfPlaced | None:
        """Phase one for one player at every place, and phase two for as many copies of them."""
        settings = self._settings
        arguments = (columns.player, columns.time[0], columns.weight[0])
        n = len(columns.player)
        state, prior, seen = beliefs.copy(), np.empty((3, n)), places.events(n)
        self.kernel.prepare(state.table, state.pool, settings, *arguments, 0, n, prior, seen)
        performances = places.by_half_ties(prior[0], prior[1], row)
        if performances is None:
            return None
        ready = places.Ready(self.kernel, settings, state, columns, row, prior, seen)
        return lambda ahead: places.concluded(ready, performances(ahead))

    def _fold(
        self, beliefs: "Beliefs", columns: "Columns", first: int, last: int, events: Floats
    ) -> int:
        """Contests one after the other, with room for what is remembered of them."""
        while True:
            first = self.kernel.fold_contests(
                beliefs.table,
                beliefs.pool,
                beliefs.arena,
                self._settings,
                columns.offsets,
                columns.player,
                columns.rank,
                columns.time,
                columns.weight,
                columns.perf_ceiling,
                first,
                last,
                events,
            )
            if first == last or columns.offsets[first + 1] - columns.offsets[first] > LARGE:
                return first
            beliefs.grow_pool()

    def _fold_large(
        self, beliefs: "Beliefs", columns: "Columns", contest: int, seen: Floats, threads: int
    ) -> None:
        """The same step by step."""
        rows = slice(columns.offsets[contest], columns.offsets[contest + 1])
        players, ranks = columns.player[rows], columns.rank[rows]
        time, weight = columns.time[contest], columns.weight[contest]
        ceiling = columns.perf_ceiling[contest]
        n = len(players)
        while self._remembers and not factors.reserve(
            beliefs.table, beliefs.pool, beliefs.arena, players
        ):
            beliefs.grow_pool()
        table, pool, settings = beliefs.table, beliefs.pool, self._settings
        prior = np.empty((3, n))
        performance = np.empty(n)

        def prepare(first: int) -> None:
            last = min(first + CHUNK, n)
            self.kernel.prepare(
                table, pool, settings, players, time, weight, first, last, prior, seen
            )

        def conclude(first: int) -> None:
            last = min(first + CHUNK, n)
            self.kernel.conclude(
                table, pool, settings, players, ceiling, first, last, prior, performance, seen
            )

        for_each(prepare, range(0, n, CHUNK), threads)
        half_ties.performances_in_threads(prior[0], prior[1], ranks, performance, threads)
        for_each(conclude, range(0, n, CHUNK), threads)
