"""What was believed just before contests, which are folded at the same time."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.numerics.teams import competitors
from podium.ratings.beliefs import Beliefs
from podium.ratings.calibration import Before
from podium.results.columns import Columns
from podium.results.contests import Contests
from podium.systems.base import EVENTS, Field, Floats, System


class Competitors(NamedTuple):
    """Which rows of contests belong to one competitor: those of a team, or one each."""

    order: NDArray[np.int64] | None
    """Rows by competitor; None if nobody is in a team."""
    starts: NDArray[np.int64]
    """Where in this order each competitor begins."""

    @classmethod
    def of(cls, system: System, columns: Columns) -> "Competitors":
        """Those of contests, as the system takes them."""
        rows = len(columns.player)
        if columns.team is None or not system.takes_teams or not rows:
            return cls(None, np.arange(rows))
        contest = np.repeat(np.arange(len(columns.time)), np.diff(columns.offsets))
        number = competitors(columns.offsets, columns.team)
        order = np.lexsort((number, contest))
        is_first = np.ones(rows, np.bool_)
        is_first[1:] = (np.diff(contest[order]) != 0) | (np.diff(number[order]) != 0)
        return cls(order, np.flatnonzero(is_first))

    @property
    def rows(self) -> NDArray[np.int64]:
        """The first row of each."""
        return self.starts if self.order is None else self.order[self.starts]

    def field(self, mu: Floats, sigma: Floats) -> Field:
        """What is believed of them, from that of their members."""
        variance = sigma * sigma
        if self.order is None:
            return Field(mu, variance, np.ones(len(mu), np.int64))
        return Field(
            np.add.reduceat(mu[self.order], self.starts),
            np.add.reduceat(variance[self.order], self.starts),
            np.diff(self.starts, append=len(self.order)),
        )

    def least(self, values: NDArray[np.int32]) -> NDArray[np.int32]:
        """The least of their members' values."""
        if self.order is None:
            return values
        return np.minimum.reduceat(values[self.order], self.starts)

    def columns(self, columns: Columns) -> Columns:
        """One row for each of them; of a team, the player is its first."""
        if self.order is None:
            return columns._replace(team=None, share=None)
        rows = self.rows
        contest = np.repeat(np.arange(len(columns.time)), np.diff(columns.offsets))
        return columns._replace(
            offsets=np.searchsorted(contest[rows], np.arange(len(columns.time) + 1)),
            player=columns.player[rows],
            rank=columns.rank[rows],
            team=None,
            side=None if columns.side is None else columns.side[rows],
            share=None,
        )


def folded(
    state: Beliefs, columns: Columns, events: Floats, *, threads: int
) -> tuple[Floats, Floats, Floats | None]:
    """Let contests change beliefs: mu and sigma of their rows as of just before each.

    And what was expected of every match, where a system knows that from more than mu and sigma.
    """
    system = state.system
    if type(system).backtest is System.backtest:
        return *system.beliefs_before(state, columns, events, threads=threads), None
    expected = system.backtest(state, columns, events, threads=threads)
    return events[1], events[2], expected


def fold(
    state: Beliefs,
    columns: Columns,
    key: NDArray[np.integer] | None,
    events: Floats | None = None,
    *,
    threads: int = 1,
) -> None:
    """Let contests change beliefs, and teach them a temperature if they are to learn it.

    Args:
        state: What is believed, of all who take part.
        columns: The contests, in terms of it.
        key: A number for every row, in the order of names, as `keys_of` has it; None if none is
            learned.
        events: What happened, as for `System.update_many`.
        threads: How many threads share the work.
    """
    if state.calibration is None or key is None:
        state.system.update_many(state, columns, events, threads=threads)
        return
    if events is None:
        events = np.empty((len(EVENTS), len(columns.player)))
    mu, sigma, expected = folded(state, columns, events, threads=threads)
    of = Competitors.of(state.system, columns)
    before = Before(state.system, of.columns(columns), of.field(mu, sigma), expected)
    state.calibration, _ = state.calibration.after(before, key[of.rows])


def keys_of(contests: Contests) -> NDArray[np.int64]:
    """For every row, the place of the player's name among all names, whatever the results are."""
    return places_of(contests.players.to_list())[contests.columns.player]


def places_of(names: list[str]) -> NDArray[np.int64]:
    """The place of each name among these, by name.

    Example:
        >>> places_of(["cat", "ann", "bob"]).tolist()
        [2, 0, 1]
    """
    place = np.empty(len(names), np.int64)
    place[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return place
