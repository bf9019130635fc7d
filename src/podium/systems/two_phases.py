"""What systems have in common that first find performances and then condition beliefs on them."""

import dataclasses
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.numerics import factors, half_ties
from podium.numerics.threads import for_each
from podium.systems.base import EVENTS, NOBODY_ASKS, System

if TYPE_CHECKING:
    from podium.beliefs import Beliefs
    from podium.columns import Columns

_CHUNK = 1024
"""Rows that one thread prepares or concludes at a time."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class TwoPhases(System):
    """A fold over contests in kernels, with threads for contests that are large."""

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

    def update_many(
        self,
        beliefs: "Beliefs",
        columns: "Columns",
        events: NDArray[np.float64] | None = None,
        *,
        first: int = 0,
        last: int | None = None,
        threads: int = 1,
    ) -> None:
        """Contests one after the other; what happens in each depends on it alone."""
        end = len(columns.offsets) - 1 if last is None else last
        done = first
        while True:
            done = self.kernel.fold_contests(
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
                done,
                end,
                NOBODY_ASKS if events is None else events,
            )
            if done == end:
                return
            if columns.offsets[done + 1] - columns.offsets[done] > self.kernel.LARGE:
                self._fold_step_by_step(beliefs, columns, done, events, threads)
                done += 1
            else:
                beliefs.grow_pool()

    def _fold_step_by_step(
        self,
        beliefs: "Beliefs",
        columns: "Columns",
        contest: int,
        events: NDArray[np.float64] | None,
        threads: int,
    ) -> None:
        """One contest step by step, with threads sharing the rows of every step."""
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
        seen = np.empty((len(EVENTS), n + 1))[:, :n] if events is None else events[:, rows]
        prior = np.empty((3, n))
        performance = np.empty(n)

        def prepare(first: int) -> None:
            last = min(first + _CHUNK, n)
            self.kernel.prepare(
                table, pool, settings, players, time, weight, first, last, prior, seen
            )

        def conclude(first: int) -> None:
            last = min(first + _CHUNK, n)
            self.kernel.conclude(
                table, pool, settings, players, ceiling, first, last, prior, performance, seen
            )

        for_each(prepare, range(0, n, _CHUNK), threads)
        half_ties.performances_in_threads(prior[0], prior[1], ranks, performance, threads)
        for_each(conclude, range(0, n, _CHUNK), threads)
