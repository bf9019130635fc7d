"""What a rating system expects of players who may meet, for many pairs at once."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.ratings.asking import Asking
from podium.ratings.beliefs import Beliefs
from podium.ratings.ladder import Ladder
from podium.results.times import Time
from podium.systems.base import Field

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Consulted = tuple[Beliefs, Sequence[int], int | None]
"""Beliefs about players and maybe others, the ids of these in them, and as of when to ask."""


@runtime_checkable
class Consultant(Protocol):
    """Whoever else knows ratings, as a feed of results may: one method is enough."""

    def consult(self, names: list[str], at: Time | None, calibrated: bool) -> Consulted:
        """What is believed of these players, newcomers among them.

        What it returns must not change afterwards. If it is to be calibrated, its temperature is
        the one that was learned; `at` is when they meet, by default now.
        """
        ...


Known = Asking | Beliefs | Consultant
"""Who can be asked: a ladder, ratings, a league, a view of it, beliefs, or a consultant."""


def as_known(known: Known) -> Asking | Consultant:
    """Whom to ask; an error if it is nobody who knows ratings."""
    if isinstance(known, Beliefs):
        return Ladder.from_beliefs(known, copy=False)
    if isinstance(known, Asking | Consultant):
        return known
    raise InputError(f"a Ladder, Rated, League or Beliefs is needed, not {type(known).__name__}.")


@contextmanager
def _consulted(
    known: Asking | Consultant, names: list[str], at: Time | None, calibrated: bool
) -> Iterator[Consulted]:
    """What somebody knows, which nobody changes meanwhile."""
    if isinstance(known, Asking):
        with known._lock:
            yield known._consult(names, at, calibrated)
    else:
        yield known.consult(names, at, calibrated)


class Forecasts(NamedTuple):
    """What is believed of the players of a queue, one entry for each."""

    beliefs: Beliefs
    ids: Integers
    time: int | None
    field: Field
    """Of each by itself, at the temperature of the beliefs."""
    contests: Integers

    @classmethod
    def of(
        cls, known: Asking | Consultant, names: list[str], at: Time | None, calibrated: bool
    ) -> "Forecasts":
        """What is known of these players; of those who are not, what is believed of newcomers."""
        with _consulted(known, names, at, calibrated) as (beliefs, numbers, time):
            ids = np.array(numbers, np.int64)
            if len(np.unique(ids)) < len(ids):
                twice = int(np.flatnonzero(np.bincount(ids) > 1)[0])
                raise InputError(f"player {beliefs.names[twice]!r} is in two tickets.")
            told = beliefs.system.besides(beliefs, ids, time)
            mu, sigma = told.values() if told else beliefs.system.forecast(beliefs, ids, time)
            ones = np.ones(len(ids), np.int64)
            field = Field(mu, sigma * sigma, ones).tempered(beliefs.temperature)
            contests = beliefs.table["contests"][ids].astype(np.int64)
            if not _by_columns(beliefs):
                # They are asked about pairs later, when somebody may have changed the whole.
                part = beliefs.part(ids)
                part.temperature = beliefs.temperature
                beliefs, ids = part, np.arange(len(ids))
        return cls(beliefs, ids, time, field, contests)

    def scores(self, first: Integers, second: Integers) -> Floats:
        """What players are expected to score against others, a draw counting half."""
        system = self.beliefs.system
        if _by_columns(self.beliefs):
            pair = self.field.among(first), self.field.among(second)
            return system.expected_scores(*pair, np.zeros(len(first)))
        return system.pair_scores(self.beliefs, self.ids[first], self.ids[second], self.time)

    def qualities(self, first: Integers, second: Integers, scores: Floats) -> Floats:
        """How open such matches are, as the system says it."""
        pair = self.field.among(first), self.field.among(second)
        return self.beliefs.system.pair_qualities(*pair, scores)

    def of_teams(self, teams: Sequence[Integers]) -> tuple[Floats, float]:
        """Everybody's chance to come first, draws split, and the quality of the match."""
        system = self.beliefs.system
        if len(teams) > 2 or not _by_columns(self.beliefs):
            ids = [self.ids[team].tolist() for team in teams]
            chances = self._first(*ids)
            return chances, float(system.quality(self.beliefs, ids, time=self.time))
        first, second = (self._together(team) for team in teams)
        score = system.expected_scores(first, second, np.zeros(1))
        quality = float(system.pair_qualities(first, second, score)[0])
        return np.array([score[0], 1.0 - score[0]]), quality

    def _together(self, team: Integers) -> Field:
        mu, variance = self.field.mu[team].sum(), self.field.variance[team].sum()
        return Field(np.array((mu,)), np.array((variance,)), np.array((len(team),)))

    def _first(self, *teams: list[int]) -> Floats:
        found = self.beliefs.system.rank_probabilities(
            self.beliefs, list(teams), top=1, time=self.time
        )
        return found.first


def _by_columns(beliefs: Beliefs) -> bool:
    """Whether mu and sigma of each say all, whoever else is there."""
    return beliefs.system.is_by_moments and not beliefs.system.forecasts
