"""One contest, folded again on beliefs of only those who take part."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError, NotFoundError, PodiumError
from podium.numerics.teams import competitors
from podium.ratings.asking import unknown_player
from podium.ratings.beliefs import Beliefs
from podium.ratings.fold import ready_to_fold, thread_count
from podium.ratings.predictions import Shown
from podium.results.columns import Columns
from podium.results.contests import Contest, Contests
from podium.systems.base import EVENTS, Floats, System
from podium.wording import suggestion


@dataclass(frozen=True, eq=False)
class Replay:
    """A contest with what is believed of its players before and after it, for one of them."""

    contests: Contests
    """The contest alone."""
    columns: Columns
    """The same in terms of the ids of the beliefs."""
    row: int
    """The player's row."""
    before: Beliefs
    """Of those who take part, newcomers included."""
    after: Beliefs
    events: Floats
    rating: Shown
    """Which rating is shown."""

    @property
    def system(self) -> System:
        """The rating system."""
        return self.before.system

    @property
    def contest(self) -> Contest:
        """A view of it."""
        return self.contests[0]

    @property
    def player(self) -> int:
        """The player's id."""
        return int(self.columns.player[self.row])

    @property
    def time(self) -> int:
        """When it took place, in microseconds."""
        return int(self.columns.time[0])

    @property
    def weight(self) -> float:
        """How much it counts."""
        return float(self.columns.weight[0])

    @cached_property
    def competitor(self) -> NDArray[np.int32]:
        """For every row, the number of who competes: a player, or a team if the system rates teams.

        In the order of the standings.
        """
        team = self.columns.team
        if team is None or not self.system.takes_teams:
            return np.arange(len(self.columns.player), dtype=np.int32)
        numbers: NDArray[np.int32] = competitors(self.columns.offsets, team)
        return numbers

    @cached_property
    def heads(self) -> NDArray[np.int64]:
        """For every competitor, the first row."""
        return np.unique(self.competitor, return_index=True)[1]

    @property
    def own(self) -> int:
        """The number of the player, or of the player's team, among the competitors."""
        return int(self.competitor[self.row])

    @property
    def ranks(self) -> NDArray[np.int32]:
        """The ranks of the competitors."""
        return self.columns.rank[self.heads]

    @cached_property
    def standings(self) -> Floats:
        """For every competitor, 1 if the player was better, ½ if they tied, and 0 if not."""
        ranks = self.ranks
        scores: Floats = 0.5 * (1.0 + np.sign(ranks - ranks[self.own]))
        return scores

    @property
    def is_contested(self) -> bool:
        """Whether anybody competed with the player."""
        return len(self.heads) > 1

    def folded(self, columns: Columns) -> tuple[Beliefs, Floats]:
        """The beliefs after the contest as these columns have it, and what happened in its rows."""
        return _folded(self.before, columns)


def replayed(
    beliefs: Beliefs, contest: Contests, player: str, shown: Shown | None = None
) -> Replay:
    """Fold the contest; the beliefs are not changed."""
    if not isinstance(beliefs, Beliefs):
        raise InputError(
            f"the beliefs of just before the contest are needed, not {type(beliefs).__name__}."
        )
    if not isinstance(contest, Contests) or len(contest) != 1:
        raise InputError(
            "one contest is needed to explain a result in it, as in contests[41:42], which are "
            "Contests of one."
        )
    alone = contest.with_own_players()
    names = alone.players.to_list()
    if not isinstance(player, str) or player not in names:
        raise _absent(player, beliefs, alone)
    before, columns = ready_to_fold(alone, None, _among(beliefs, names), {})
    row = int(np.flatnonzero(columns.player == before.index[player])[0])
    after, events = _folded(before, columns)
    rating = shown or before.system.rating
    return Replay(alone, columns, row, before, after, events, rating)


def _folded(before: Beliefs, columns: Columns) -> tuple[Beliefs, Floats]:
    after, events = before.copy(), np.empty((len(EVENTS), len(columns.player)))
    after.system.update_many(after, columns, events, threads=thread_count(None))
    return after, events


def _absent(player: str, beliefs: Beliefs, contest: Contests) -> PodiumError:
    """The error for somebody who is not in the standings."""
    names = contest.players.to_list()
    known = isinstance(player, str) and player in beliefs.index
    near = [name for name in names if abs(len(name) - len(str(player))) <= 2]
    hint = suggestion(player, near)
    if not known and not hint:
        return unknown_player(player, beliefs)
    return NotFoundError(f"{player!r} did not take part in contest {contest[0].id!r}{hint}.")


def _among(beliefs: Beliefs, names: list[str]) -> Beliefs:
    """The beliefs of those of these names who are known, so that copies of them are quick."""
    known = [beliefs.index[name] for name in names if name in beliefs.index]
    return beliefs.part(np.array(known, np.int64))
