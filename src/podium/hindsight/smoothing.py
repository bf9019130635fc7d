"""Smoothing: sweeps through all contests until estimates move no more."""

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.numerics import cholesky
from podium.numerics import histories as kernels
from podium.progress import Report, after, unseen
from podium.results.columns import Columns

Floats = NDArray[np.float64]

MICROSECONDS_PER_DAY = 86_400_000_000
_PARTS = 1_000
"""The most parts of time that are moved as a whole."""
_ENOUGH = 0.01
"""Of the mean uncertainty: estimates that move by less have arrived."""
_FEWEST, _MOST = 4, 60
"""Half sweeps."""
_STEP = 1.5
"""Messages go so many times the way to what contests say, from the third half sweep on: they come
nearer with every one, and from the same side. Where they come no nearer, they go the way once."""
_AT_ONCE = 200_000
"""Rows between two reports of progress."""


@dataclass(frozen=True)
class Parameters:
    """What is believed of all skills before a look at any result."""

    beta: float = 190.0
    q: float = 30.0
    drift: float = 1.24
    early_drift: float = 120.0
    mu_new: float = 1500.0
    sig_new: float = 350.0
    robust: bool = True
    longest: float = 400.0
    """Days after which a skill drifts no farther."""


@dataclass(frozen=True, eq=False)
class Chains:
    """Whose participation comes after whose, which no parameter changes."""

    contest: NDArray[np.int32]
    """Of every row."""
    before: NDArray[np.int32]
    after: NDArray[np.int32]
    number: NDArray[np.int32]
    """How many contests the player had before."""

    @classmethod
    def of(cls, columns: Columns, players: int) -> "Chains":
        """Those of contests in order of time."""
        contest = np.repeat(np.arange(len(columns.time), dtype=np.int32), np.diff(columns.offsets))
        return cls(contest, *kernels.link(columns.player, players))

    def noise(self, columns: Columns, parameters: Parameters) -> Floats:
        """The variance that each skill gains until each participation."""
        days = columns.time[self.contest] / MICROSECONDS_PER_DAY
        out = np.empty(len(days))
        p = parameters
        kernels.grow(days, self.before, self.number, p.q, p.drift, p.early_drift, p.longest, out)
        return out


@dataclass(frozen=True, eq=False)
class Smoothed:
    """What all contests say together."""

    state: Floats
    """A row for each participation: the messages from the past, the future and the contest."""
    noise: Floats
    advantage: float
    """What the side is worth in matches, in points."""
    halves: int
    """How many half sweeps were made."""
    moved: float
    """By how much estimates moved last, the root of the mean square, in points."""
    settled: bool
    """Whether that is little enough."""
    filtered: Floats | None
    """Mean and standard deviation after each participation as they were believed then."""

    @property
    def estimates(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation of every participation."""
        return _believed(self.state, own=True)

    @property
    def cavities(self) -> tuple[Floats, Floats]:
        """The same without the participation's own result."""
        return _believed(self.state, own=False)


def _believed(state: Floats, *, own: bool) -> tuple[Floats, Floats]:
    """Mean and standard deviation of rows by past and future, and by their own contests."""
    mean, sigma = np.empty(len(state)), np.empty(len(state))
    kernels.believed(state, 1.0, float(own), mean, sigma)
    return mean, sigma


def sides_and_scores(columns: Columns) -> tuple[Floats, Floats]:
    """The side of every row, and the score of every contest, where there is one."""
    side, score = columns.side, columns.score
    return (
        np.zeros(len(columns.player)) if side is None else side.astype(np.float64),
        np.full(len(columns.time), np.nan) if score is None else score,
    )


def smoothed(
    columns: Columns,
    chains: Chains,
    parameters: Parameters,
    *,
    hidden: NDArray[np.bool_] | None = None,
    filtered: bool = False,
    most: int = _MOST,
    report: Report = unseen,
) -> Smoothed:
    """Sweep through contests until estimates move by less than 1 % of their uncertainty.

    Args:
        columns: The contests, in order of time.
        chains: Whose participations follow each other.
        parameters: What is believed of all skills.
        hidden: Rows whose results are not looked at.
        filtered: Whether to keep what was believed after each participation.
        most: How many half sweeps, at most.
        report: Is told the rows done and those of as many half sweeps as usually suffice.
    """
    work = _Work(columns, chains, parameters, hidden)
    rows = max(len(columns.player), 1)
    seen: Floats | None = None
    moved, spread, half, settled, step = np.inf, 1.0, 0, False, 1.0
    while half < most and not settled:
        whole = max(_FEWEST, half + 1) * rows
        work.sweep(half, step, after(report, half * rows, whole))
        if half == 0 and filtered:
            seen = work.filtered()
        work.correct()
        half += 1
        before = moved
        moved, spread = work.move()
        if half == 2:
            step = _STEP
        elif moved > before:
            step = 1.0
        settled = half >= _FEWEST and moved < _ENOUGH * spread
    return Smoothed(work.state, work.noise, work.advantage, half, moved, settled, seen)


class _Work:
    """The messages as they are by now."""

    def __init__(
        self,
        columns: Columns,
        chains: Chains,
        parameters: Parameters,
        hidden: NDArray[np.bool_] | None,
    ) -> None:
        count = len(columns.time)
        rows = len(columns.player)
        self._columns, self._chains, self._p = columns, chains, parameters
        self.noise = chains.noise(columns, parameters)
        self.state = np.zeros((rows, kernels.STATE))
        self.advantage = 0.0
        self._x = np.full(rows, parameters.mu_new)
        self._hidden = np.zeros(rows, np.bool_) if hidden is None else hidden
        self._side, self._score = sides_and_scores(columns)
        self._room = kernels.room_for(int(np.diff(columns.offsets).max(initial=0)))
        parts = max(1, min(count, _PARTS))
        self._part = (np.arange(count, dtype=np.int64) * parts) // max(count, 1)
        self._parts = parts
        A = np.zeros((parts, parts))
        variance = parameters.sig_new**2
        kernels.stiffness(chains.before, self.noise, chains.contest, self._part, variance, A)
        self._stiffness = cholesky.factor(A)
        self._places = np.empty(rows)

    def sweep(self, half: int, step: float, report: Report = unseen) -> None:
        """Work out all contests once."""
        forward, centred = half % 2 == 0, half > 0
        c, chains, p = self._columns, self._chains, self._p
        sums = np.zeros(2)
        bounds = np.unique(
            np.searchsorted(
                c.offsets, np.append(np.arange(0, c.offsets[-1], _AT_ONCE), c.offsets[-1])
            )
        )
        pieces = list(itertools.pairwise(bounds))
        done = 0
        for first, last in pieces if forward else pieces[::-1]:
            kernels.sweep(
                forward, c.offsets, c.rank, self._score, self._side, c.weight, self._hidden,
                chains.before, chains.after, self.noise, self.state, p.mu_new, p.sig_new**2,
                p.beta, self.advantage, p.robust, centred, step, first, last,
                *self._room, sums,
            )  # fmt: skip
            done += int(c.offsets[last] - c.offsets[first])
            report(done, int(c.offsets[-1]))
        if sums[1] > 0.0:
            self.advantage += float(sums[0] / sums[1])
        self._carry(not forward)

    def _carry(self, *directions: bool) -> None:
        chains, p = self._chains, self._p
        for forward in directions:
            kernels.carry(
                forward, chains.before, chains.after, self.noise, self.state, p.mu_new, p.sig_new**2
            )

    def filtered(self) -> Floats:
        """What is believed after each participation, without the future."""
        out = np.empty((2, len(self.state)))
        kernels.believed(self.state, 0.0, 1.0, *out)
        return out

    def correct(self) -> None:
        """Move whole times to where all chains together want them."""
        chains, p = self._chains, self._p
        r = np.zeros(self._parts)
        kernels.strain(
            chains.before, self.noise, chains.contest, self._part, self.state, p.mu_new,
            p.sig_new**2, self._places, r,
        )  # fmt: skip
        h = cholesky.solve(self._stiffness, r)
        kernels.shift(chains.contest, self._part, h, self.state)
        self._carry(True, False)

    def move(self) -> tuple[float, float]:
        """By how much estimates have moved since the last time, and the mean uncertainty."""
        moved, spread = kernels.move(self.state, self._x)
        rows = max(len(self._x), 1)
        return float(np.sqrt(moved / rows)), float(spread / rows)
