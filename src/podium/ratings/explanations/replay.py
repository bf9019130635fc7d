"""One contest, folded again on beliefs of only those who take part."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError, NotFoundError, PodiumError
from podium.ratings.asking import unknown_player
from podium.ratings.beliefs import Beliefs
from podium.ratings.fold import ready_to_fold, thread_count
from podium.ratings.predictions import Shown
from podium.results.columns import Columns
from podium.results.contests import Contest, Contests
from podium.systems.base import EVENTS, Floats, System
from podium.systems.explained import Result
from podium.texts import spelled
from podium.wording import suggestion


@dataclass(frozen=True, eq=False)
class Replay(Result):
    """A result, with names and with what is shown."""

    contests: Contests
    """The contest, by names."""
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

    def folded(self, columns: Columns, row: int) -> tuple[NDArray[Any], Floats]:
        """The player's record after the contest as columns have it, in a row, and what happened."""
        after = self.before.copy()
        happened = self.system.update_one(after, columns, row, threads=thread_count(None))
        return after.table[self.player], happened


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
    player = spelled(player, names)
    if not isinstance(player, str) or player not in names:
        raise _absent(player, beliefs, alone)
    before, columns = ready_to_fold(alone, None, _among(beliefs, names), {})
    row = int(np.flatnonzero(columns.player == before.index[player])[0])
    after, events = _folded(before, columns)
    rating = shown or before.system.rating
    return Replay(columns, row, before, after, events, alone, rating)


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
    index = beliefs.index
    known = [index[name] for name in names if name in index]
    return beliefs if len(known) == len(beliefs) else beliefs.part(np.array(known, np.int64))
