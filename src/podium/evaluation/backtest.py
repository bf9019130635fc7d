"""Predict, then update: what a system believed of everybody just before each contest.

Example:
    >>> import podium
    >>> contests = podium.simulate(players=50, rounds=20, seed=1)
    >>> before = backtest(contests, "elo-mmr")
    >>> before.rating[:2].tolist()  # nobody has played before the first contest
    [1500.0, 1500.0]
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.numerics import measures as kernel
from podium.numerics.columns import appearance_numbers
from podium.progress import Progress, Report, reporting, unseen
from podium.ratings.before import Competitors, folded, places_of
from podium.ratings.beliefs import Beliefs
from podium.ratings.calibration import Before, Calibration
from podium.ratings.fold import (
    ready_to_fold,
    ready_to_go_on,
    steps,
    take_note,
    thread_count,
)
from podium.results.columns import Columns
from podium.results.contests import Contests
from podium.systems.base import EVENTS, Field, System

Floats = NDArray[np.float64]

_PAIRS_AT_ONCE = 1_000_000


class Pairs(NamedTuple):
    """Pairs of competitors, how they ended and what was expected of that."""

    contest: NDArray[np.int64]
    score: Floats
    """Of the first: 1 if ahead of the second, ½ if tied, 0 if behind."""
    expected: Floats


@dataclass(frozen=True)
class Backtest:
    """What a system believed of the competitors of every contest before it, as columns.

    Competitors are the players, or teams where the system rates teams.
    """

    system: System
    beliefs: Beliefs
    """After all contests."""
    columns: Columns
    """One row for each competitor; of a team, the player is its first. Players are numbers of
    `Contests.players`, by name, which results cannot change; those of beliefs are by first rows."""
    rating: Floats
    """What they were expected to perform at."""
    earlier: NDArray[np.int32]
    """How many contests they had before; of a team, its least experienced member."""
    cpu_seconds: float
    """The time that rating took, of all threads together."""
    number: NDArray[np.int64]
    """Of every contest, from the first that was rated on."""
    _names: pl.Series
    """Of the players, by number."""
    _field: Field
    _expected: Floats | None
    """Of every contest of two, for systems whose beliefs are more than mu and sigma."""
    temperature: Floats | None = None
    """What was known of it before every contest, if it was `learned`."""

    def among(self, rows: NDArray[np.int64], offsets: NDArray[np.int64]) -> "Backtest":
        """The same for some of the competitors: contest c has ``rows[offsets[c]..offsets[c+1]]``.

        A contest of two that has lost one of them has none.
        """
        c = self.columns
        columns = c._replace(
            offsets=offsets,
            player=c.player[rows],
            rank=c.rank[rows],
            side=None if c.side is None else c.side[rows],
        )
        return replace(
            self,
            columns=columns,
            rating=self.rating[rows],
            earlier=self.earlier[rows],
            _field=self._field.among(rows),
        )

    def experienced(self, contests: int, skip: int = 0) -> "Backtest":
        """The same for those with so many contests before, without the first `skip` contests."""
        rows = np.flatnonzero(self.earlier >= contests)
        offsets = np.searchsorted(rows, self.columns.offsets)
        start = int(offsets[skip])
        return self.among(rows[start:], np.maximum(offsets - start, 0))

    def in_parts(self, contests: int) -> "Iterator[Backtest]":
        """The same of so many contests at a time."""
        c = self.columns
        for first in range(0, len(c.offsets) - 1, contests):
            offsets = c.offsets[first : first + contests + 1]
            these, rows = slice(first, first + contests), slice(offsets[0], offsets[-1])
            yield replace(
                self,
                columns=c.take(these, rows, offsets - offsets[0]),
                rating=self.rating[rows],
                earlier=self.earlier[rows],
                number=self.number[these],
                temperature=None if self.temperature is None else self.temperature[these],
                _field=self._field.among(rows),
                _expected=None if self._expected is None else self._expected[these],
            )

    def learned(self, calibration: Calibration | None = None) -> "tuple[Backtest, Calibration]":
        """The same with the temperature that was known before every contest, and what is known now.

        It is learned from these competitors, after what is known from the contests before. If it
        was learned from others already, what is learned is by what to multiply theirs.
        """
        known = calibration or Calibration()
        key = places_of(self._names.to_list())[self.columns.player]
        after, temperature = known.after(self._before, key, self.temperature)
        return replace(self, temperature=temperature), after

    @property
    def _before(self) -> Before:
        return Before(self.system, self.columns, self._field, self._expected)

    def highest_rated(self, k: int) -> "Backtest":
        """The same for the k highest rated of every contest of more than k."""
        c = self.columns
        most = min(k, len(c.player))
        return self.among(*kernel.highest_rated(c.offsets, c.player, self.rating, most))

    def pairs(self, *, calibrated: bool = False) -> Iterator[Pairs]:
        """Pairs of competitors, about a million at a time.

        All pairs of contests of up to 64; in larger ones n log2(n), chosen by who they are. If they
        are to be calibrated, the temperature that was `learned` says what is expected, and in
        contests of more than 1,024 a quarter of these pairs is looked at, another one each time.
        """
        temperature = self.temperature if calibrated else None
        assert calibrated == (temperature is not None), "no temperature was learned"
        offsets, before = self.columns.offsets, self._before
        counts = kernel.pair_counts(offsets)
        ends = np.cumsum(counts)
        first = 0
        while first < len(counts):
            done = ends[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(ends, done + _PAIRS_AT_ONCE, "right")))
            total = int(ends[last - 1] - done)
            a, b = kernel.pairs(offsets, self.columns.player, first, last, total)
            contest = np.repeat(np.arange(first, last), counts[first:last])
            if temperature is None:
                found = before.expected_scores(contest, a, b, None)
            else:
                few = kernel.some_pairs(offsets, self.number, contest)
                contest, a, b = contest[few], a[few], b[few]
                found = before.expected_scores(contest, a, b, temperature[contest])
            yield Pairs(contest, before.scores(contest, a, b), *found)
            first = last


def backtest(
    contests: Contests,
    system: str | System | None = None,
    *,
    progress: Progress | None = None,
    threads: int | None = None,
    **parameters: Any,
) -> Backtest:
    """Rate contests, in order, and keep what was believed before each; arguments as for `rate`."""
    state, columns = ready_to_fold(contests, system, None, parameters)
    workers = thread_count(threads)
    _load_kernels(contests, state.system, workers)
    with reporting(progress, "Rating") as report:
        return _backtested(state, contests, columns, workers, report)


class Replay:
    """A backtest of contests that come in pieces, in order of time.

    Example:
        >>> import podium
        >>> contests = podium.simulate(players=9, rounds=6, seed=1)
        >>> replay = Replay(podium.system("elo-mmr"))
        >>> pieces = [replay.add(contests[first : first + 2]).rating for first in (0, 2, 4)]
        >>> np.array_equal(np.concatenate(pieces), backtest(contests).rating)
        True
    """

    def __init__(self, system: System, *, threads: int | None = None) -> None:
        self._system = system
        self._threads = thread_count(threads)
        self._state: Beliefs | None = None
        self._largest = -1

    def add(self, contests: Contests, report: Report = unseen) -> Backtest:
        """What was believed before each of these; whoever calls has asked for teams."""
        if self._state is None:
            self._state, columns = ready_to_fold(contests, self._system, None, {}, teams=False)
        else:
            columns = ready_to_go_on(contests, self._state)
        largest = int(contests.sizes.max(initial=0))
        if largest > self._largest:
            self._largest = largest
            _load_kernels(contests, self._system, self._threads)
        return _backtested(self._state, contests, columns, self._threads, report)


def _backtested(
    state: Beliefs, contests: Contests, columns: Columns, workers: int, report: Report
) -> Backtest:
    """Let contests change beliefs that know all players."""
    events = np.empty((len(EVENTS), contests.rows))
    mu, sigma = np.empty((2, contests.rows))
    matches: list[Floats] = []
    start = time.process_time()
    for first, last in steps(columns.offsets):
        rows = slice(columns.offsets[first], columns.offsets[last])
        piece = columns.between(first, last)
        mu[rows], sigma[rows], known = folded(state, piece, events[:, rows], threads=workers)
        matches += [] if known is None else [known]
        report(int(columns.offsets[last]), contests.rows)
    spent = time.process_time() - start
    number = state.rounds + np.arange(len(contests))
    take_note(state, contests)
    earlier = appearance_numbers(columns.player, state.column("contests")) - np.int32(1)
    of = Competitors.of(state.system, columns)
    columns = of.columns(columns._replace(player=contests.columns.player))
    field = of.field(mu, sigma)
    expected = np.concatenate(matches) if matches else None
    rating = state.system.performances(field).location if len(field.mu) else field.mu
    rest = spent, number, contests.players, field, expected
    return Backtest(state.system, state, columns, rating, of.least(earlier), *rest)


def _load_kernels(contests: Contests, system: System, threads: int) -> None:
    """Rate the first contest and the largest, so that compilation is not measured."""
    for number in {0, int(np.argmax(contests.sizes))} if len(contests) else ():
        one = contests[number : number + 1]
        if not system.takes_teams:
            one = one.without_teams()  # which may share a rank in it, unlike in most
        state, columns = ready_to_fold(one, system, None, {})
        system.update_many(
            state, columns, np.empty((len(EVENTS), len(columns.player))), threads=threads
        )
