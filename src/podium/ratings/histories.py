"""What was believed of one player after every match: for systems with whole beliefs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.luck.functions import rating_of
from podium.progress import Progress, reporting
from podium.ratings.asking import unknown_player
from podium.ratings.fold import ready_to_fold
from podium.results.contests import Contests
from podium.results.times import as_column
from podium.systems.base import System
from podium.texts import spelled


@dataclass(frozen=True)
class BeliefHistory:
    """The beliefs about a player, one for every contest that the player took part in."""

    player: str
    system: System
    contests: pl.Series
    """The identifiers of these contests, in order."""
    times: pl.Series
    points: NDArray[np.float64]
    """The strengths that are thought possible."""
    probabilities: NDArray[np.float64]
    """Their probabilities after every contest, a row for each."""

    @property
    def ratings(self) -> NDArray[np.float64]:
        """The strengths as ratings."""
        return rating_of(self.points)

    def frame(self) -> pl.DataFrame:
        """As a long table: contest, time, strength, rating and probability."""
        rows, points = self.probabilities.shape
        contest = np.repeat(np.arange(rows), points)
        return pl.DataFrame(
            {
                "contest": self.contests.gather(contest),
                "time": self.times.gather(contest),
                "strength": np.tile(self.points, rows),
                "rating": np.tile(self.ratings, rows),
                "probability": self.probabilities.ravel(),
            }
        )


def belief_history(
    contests: Contests,
    player: str,
    system: str | System = "luck",
    *,
    progress: Progress | None = None,
    **parameters: Any,
) -> BeliefHistory:
    """Rate contests, and keep what is believed of one player after each of theirs.

    Args:
        contests: What `podium.read` or one of the constructors of `podium.Contests` returned.
        player: The player's name.
        system: One that keeps whole beliefs, by name with `parameters`, or as an object.
        progress: True for a bar, or a function that is told the rows done and the rows in all.
        **parameters: Parameters of the system.

    Example:
        >>> import podium
        >>> matches = podium.simulate_matches(players=10, matches=100, seed=1)
        >>> story = podium.belief_history(matches, "player-0003")
        >>> story.frame().columns
        ['contest', 'time', 'strength', 'rating', 'probability']
        >>> len(story.contests) == story.probabilities.shape[0]
        True
    """
    beliefs, columns = ready_to_fold(contests, system, None, parameters)
    player = spelled(player, beliefs.index)
    if not isinstance(player, str) or player not in beliefs.index:
        raise unknown_player(player, beliefs)
    number = beliefs.index[player]
    rows = np.flatnonzero(columns.player == number)
    theirs = np.searchsorted(columns.offsets, rows, side="right") - 1
    rated, seen = 0, []
    points = beliefs.system.belief(beliefs, number).points
    with reporting(progress, "Rating") as report:
        for contest in theirs.tolist():
            beliefs.system.update_many(beliefs, columns, first=rated, last=contest + 1)
            rated = contest + 1
            seen.append(beliefs.system.belief(beliefs, number).probabilities)
            report(int(columns.offsets[rated]), contests.rows)
    return BeliefHistory(
        player=player,
        system=beliefs.system,
        contests=contests.ids.gather(theirs),
        times=as_column(columns.time[theirs]),
        points=points,
        probabilities=np.stack(seen),
    )
