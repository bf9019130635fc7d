"""What systems have in common that first find performances and then condition beliefs on them."""

import dataclasses
from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.numerics import crew, factors, roots
from podium.numerics.threads import LARGE, in_chunks
from podium.systems import declared, memories, places
from podium.systems.base import (
    ANY,
    NOBODY_ASKS,
    POSITIVE,
    Floats,
    IfPerformed,
    IfPlaced,
    Numbers,
)
from podium.systems.compiled import Compiled, Rows
from podium.systems.explained import Forces, Limits, Mean, Result, Terms, balanced, logistic_terms
from podium.systems.past import Past

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns

_WORTH_SHARING = 256
"""Rows of a contest from which on threads share its steps."""

UNLIMITED = 2**62
"""The number of performances to keep, if all."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class TwoPhases(Compiled):
    """A fold over contests in kernels, with threads for contests that are large.

    Here with performances by the rule of Elo-R.
    """

    places_in_pool: ClassVar[tuple[str, ...]] = memories.PLACES

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

    def copy_memories(
        self, source: "Beliefs", players: NDArray[np.int64], target: "Beliefs"
    ) -> None:
        """Block by block."""
        memories.copy_factors(source, target)

    def memory_sizes(self, table: NDArray[Any]) -> NDArray[np.int64]:
        """Three numbers for each factor."""
        return 3 * table["count"].astype(np.int64)

    @property
    def _row_ranges(self) -> dict[int, tuple[float, float]]:
        """As `ranges`, for the three rows of a block."""
        return {0: memories.POSITIVE, 1: ANY}

    def flaw(self, beliefs: "Beliefs") -> str | None:
        """The blocks too."""
        return super().flaw(beliefs) or memories.flaw_in_factors(beliefs, self._row_ranges)

    @property
    def falls_with_rank(self) -> bool:
        """A worse rank shows a lower performance, and ratings follow those of the day."""
        return True

    @property
    def looks_at(self) -> tuple[str, ...]:
        """Performances follow from means and deviations."""
        return declared.moments(self)

    def retrace(self, beliefs: "Beliefs", player: int, past: Past) -> bool:
        """Phase two of every contest, on the performance that it found then."""
        rows = {alone: np.full(1 if alone else 2, player, np.int32) for alone in (True, False)}
        kernel, settings = self.kernel, self._settings
        for k, contested in enumerate(past.contested.tolist()):
            while self._remembers and not factors.reserve(*self._state(beliefs), rows[True]):
                beliefs.grow_pool()
            table, pool, players = beliefs.table, beliefs.pool, rows[not contested]
            n, (time, weight, ceiling, happened) = len(players), past.at(k)
            prior, performance, seen = np.empty((3, n)), np.full(n, happened[0]), places.events(n)
            kernel.prepare(table, pool, *settings, players, time, weight, 0, 1, prior, seen)
            self._conclude(
                table, pool, settings[0], players, ceiling, 0, 1, prior, performance, seen
            )
            if (seen[1:, 0] != happened[1:]).any():  # another arithmetic was at work
                return False
        return True

    def _prepared(self, beliefs: "Beliefs", columns: "Columns", row: int) -> places.Ready:
        """One contest up to phase one, on a copy of the beliefs."""
        n = len(columns.player)
        state, prior, seen = beliefs.copy(), np.empty((3, n)), places.events(n)
        arguments = (columns.player, columns.time[0], columns.weight[0], 0, n, prior, seen)
        self.kernel.prepare(state.table, state.pool, *self._settings, *arguments)
        return places.Ready(self._conclude, self._settings[0], state, columns, row, prior, seen)

    def if_placed(self, beliefs: "Beliefs", columns: "Columns", row: int) -> IfPlaced | None:
        """Phase one for one player at every place, and phase two for as many copies of them."""
        ready = self._prepared(beliefs, columns, row)
        performances = self._by_place(ready.prior, row)
        if performances is None:
            return None
        return lambda ahead: places.concluded(ready, performances(ahead))

    def _by_place(self, prior: Floats, row: int) -> places.ByPlace | None:
        """Phase one for one player."""
        return places.by_logistic(prior[0], prior[1], row, self._ties)

    @property
    def _ties(self) -> int:
        """What they are to the logistic engine."""
        return roots.HALVES

    def if_performed(self, beliefs: "Beliefs", columns: "Columns") -> IfPerformed | None:
        """Phase two for performances of all, and the sum that phase one is about."""
        if not self._is_logistic:
            return None
        return places.if_performed(self._prepared(beliefs, columns, 0), self._ties)

    def pulls(self, result: Result, performance: float) -> Floats | None:
        """Algorithm 1 of Elo-R: of oneself, both a won and a lost one count."""
        mu, scale, _ = self._prepared(result.before, result.columns, result.row).prior
        return balanced(result, performance, mu, scale, self._terms, split=True, own_whole=True)

    def _terms(self, z: Floats) -> Terms:
        """Of a performance."""
        return logistic_terms(z)

    @abstractmethod
    def _forces(self, result: Result) -> Forces | None:
        """What holds the new rating where it is; None if it goes a part of the way."""

    def mean(self, result: Result) -> Mean | None:
        """Past performances too, where they are remembered."""
        forces = self._forces(result)
        if forces is None:
            return None
        return forces.mean(result.mu[1])._replace(keeps_past=self._remembers)

    def limits(self, result: Result) -> Limits | None:
        """Where all forces balance, at the most that the performance can exert."""
        forces = self._forces(result)
        return None if forces is None else forces.limits(result.ceiling)

    def _state(self, beliefs: "Beliefs") -> tuple[NDArray[Any], ...]:
        return beliefs.table, beliefs.pool, beliefs.arena

    @property
    def _is_logistic(self) -> bool:
        """Whether contests of any size are folded in one kernel, by `podium.numerics.roots`."""
        return True

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
        """With threads that share the steps of each contest."""
        end = len(columns.offsets) - 1 if last is None else last
        if not self._is_logistic or first == end:
            super().update_many(beliefs, columns, events, first=first, last=end, threads=threads)
            return
        largest = int(np.diff(columns.offsets[first : end + 1]).max())
        room, members = roots.room_for(largest), threads if largest >= _WORTH_SHARING else 1
        seen = NOBODY_ASKS if events is None else events
        while first < end:
            arguments = (*self._state(beliefs), *self._settings, *self._shown(columns))
            arguments = (*arguments, first, end, seen, room)
            first = crew.run(self.entry, arguments, members)
            if first < end:
                beliefs.grow_pool(int(columns.offsets[first + 1] - columns.offsets[first]))

    def _shown(self, columns: "Columns") -> tuple[Any, ...]:
        """The columns that kernels take."""
        c = columns
        return c.offsets, c.player, c.rank, c.time, c.weight, c.perf_ceiling

    def fold_large(
        self, beliefs: "Beliefs", columns: "Columns", contest: int, seen: Floats, threads: int
    ) -> None:
        """The same step by step."""
        self._step_by_step(beliefs, columns, contest, seen, threads)

    def update_one(
        self, beliefs: "Beliefs", contest: "Columns", row: int, *, threads: int = 1
    ) -> Floats:
        """Without phase two of the others."""
        n = len(contest.player)
        if n <= LARGE or contest.team is not None or contest.share is not None:
            return super().update_one(beliefs, contest, row, threads=threads)
        seen = places.events(n)
        self._step_by_step(beliefs, contest, 0, seen, threads, row)
        return seen[:, row]

    def _step_by_step(
        self,
        beliefs: "Beliefs",
        columns: "Columns",
        contest: int,
        seen: Floats,
        threads: int,
        only: int | None = None,
    ) -> None:
        """Fold a contest, with phase two for all rows or only for one."""
        players, ranks, time, weight, ceiling = Rows.of(columns, contest)
        n = len(players)
        concluded = players if only is None else players[only : only + 1]
        while self._remembers and not factors.reserve(*self._state(beliefs), concluded):
            beliefs.grow_pool()
        table, pool, kernel, settings = beliefs.table, beliefs.pool, self.kernel, self._settings
        prior, performance = np.empty((3, n)), np.empty(n)

        def prepare(first: int, last: int) -> None:
            kernel.prepare(table, pool, *settings, players, time, weight, first, last, prior, seen)

        def conclude(first: int, last: int) -> None:
            rows = (players, ceiling, first, last, prior, performance, seen)
            self._conclude(table, pool, settings[0], *rows)

        in_chunks(prepare, n, threads)
        if n > 1:
            self._performances(prior, ranks, performance, threads)
        if only is None:
            in_chunks(conclude, n, threads)
        else:
            conclude(only, only + 1)

    def _performances(
        self, prior: Floats, ranks: NDArray[np.int32], out: Floats, threads: int
    ) -> None:
        """Phase one."""
        roots.found(prior[0], prior[1], ranks, roots.HALVES, out)

    def _conclude(self, *arguments: Any) -> None:
        """Phase two for some rows, with what its kernel takes."""
        self.kernel.conclude(*arguments)


class Settling(TwoPhases):
    """Those whose uncertainty settles at `sig_limit`.

    No dataclass, so that systems declare these parameters in an order of their own.
    """

    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {
        "p0": ANY,
        **dict.fromkeys(("sigma", "w0", "scale"), POSITIVE),
    }

    on_start: ClassVar[str] = (
        "The player is a newcomer of that mu and sigma: all past performances are forgotten."
    )

    sig_limit: float
    mu_new: float
    sigma_new: float
    caution: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sigma_new > 1e4 * self.sig_limit:
            raise InputError(
                f"{self.name}: sigma_new must be at most 10,000 times sig_limit, "
                f"not {self.sigma_new:g} with a sig_limit of {self.sig_limit:g}."
            )

    def newcomer(self) -> dict[str, float]:
        """A Gaussian belief at `mu_new`."""
        return {
            "mu": self.mu_new,
            "sigma": self.sigma_new,
            "p0": self.mu_new,
            "w0": 1.0 / self.sigma_new**2,
            "scale": 1.0,
        }

    def newcomers_at(self, mu: Floats, sigma: Floats) -> dict[str, Any]:
        """Gaussian beliefs."""
        known = super().newcomers_at(mu, sigma)
        own = known["sigma"]
        w0 = np.where(own == self.sigma_new, known["w0"], 1.0 / (own * own))
        return {**known, "p0": mu, "w0": w0}

    def rating(self, mu: Numbers, sigma: Numbers, contests: Any) -> Numbers:
        """Lower than `mu` for players who have not yet played enough."""
        return mu - self.caution * (sigma - self.sig_limit)
