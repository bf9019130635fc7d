"""Volatility farming on contests: bad results on purpose, so that later good ones count more.

The experiment of the Elo-MMR paper (section 5.1, Figure 2), for any player, results and system:
some contests as they were, then some in which the player comes last whenever rated above a
threshold, then some as they were again. The altered results can be given to another system.

Example:
    >>> import podium
    >>> from podium.evaluation import attacks
    >>> season = podium.simulate(players=60, rounds=60, seed=2)
    >>> attack = attacks.farming(
    ...     season, "topcoder", "player-0020", honest_first=20, farming=20, honest_last=20
    ... )
    >>> attack.table.columns
    ['number', 'contest', 'time', 'control', 'attacked', 'thrown']
    >>> attack.transferred("elo-mmr")["thrown"].equals(attack.table["thrown"])
    True
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.arguments import check_number, check_whole
from podium.documents import as_document
from podium.errors import InputError, NotFoundError
from podium.progress import Progress, Report, part_of, reporting
from podium.ratings.beliefs import Beliefs
from podium.ratings.fold import ready_to_fold
from podium.results.columns import Columns, scores_if_any
from podium.results.contests import Contests
from podium.results.times import as_column
from podium.systems.base import System
from podium.texts import normalised
from podium.wording import counted, suggestion

_ALTERED = ("player", "rank", "side", "share", "margin", "score")
"""The columns that change when somebody falls to the last place."""


@dataclass(frozen=True, eq=False)
class Farming:
    """An attack on a rating system, beside honest play."""

    player: str
    system: System
    threshold: float
    """Contests are thrown when the rating before them is above."""
    honest_first: int
    farming: int
    honest_last: int
    contests: Contests
    """The altered results, up to the player's last contest of the experiment."""
    control: Contests
    """The same contests as they were."""
    table: pl.DataFrame
    """One row for each contest of the player: number, contest, time, control and attacked (the
    ratings after it), thrown."""

    @property
    def gain(self) -> float:
        """The rating at the end, less that of honest play."""
        return float(self.outcomes()[0]["gain"])

    @property
    def climb(self) -> float:
        """What the attacked rating gained in the last, honest contests."""
        return float(self.outcomes()[0]["climb"])

    @property
    def thrown(self) -> int:
        """In how many contests the player came last on purpose."""
        return int(self.table["thrown"].sum())

    def transferred(
        self, system: str | System, *, progress: Progress | None = None, **parameters: Any
    ) -> pl.DataFrame:
        """The same table with the ratings by another system, of the same altered results."""
        runs = []
        with reporting(progress, "Rating") as report:
            for number, contests in enumerate((self.control, self.contests)):
                beliefs, columns = ready_to_fold(contests, system, None, parameters)
                part = part_of(report, number, 2)
                runs.append(_Run(beliefs, columns, self.player, part).ratings())
        control, attacked = (pl.Series(ratings) for ratings in runs)
        return self.table.with_columns(control=control, attacked=attacked)

    def outcomes(self, others: Sequence[tuple[System, pl.DataFrame]] = ()) -> list[dict[str, Any]]:
        """What the attack comes to in its system, and in others with what `transferred` gives."""
        return [
            {
                "system": system.name,
                "parameters": system.stored_parameters(),
                "control": float(table["control"][-1]),
                "attacked": float(table["attacked"][-1]),
                "gain": float(table["attacked"][-1] - table["control"][-1]),
                "climb": float(table["attacked"][-1] - table["attacked"][-1 - self.honest_last]),
            }
            for system, table in ((self.system, self.table), *others)
        ]

    def document(self, others: Sequence[tuple[System, pl.DataFrame]] = ()) -> dict[str, Any]:
        """As JSON says it, with what `transferred` gives of other systems."""
        tables = [self.table, *(table for _, table in others)]
        return as_document(
            {
                "player": self.player,
                "threshold": self.threshold,
                "honest_first": self.honest_first,
                "farming": self.farming,
                "honest_last": self.honest_last,
                "thrown": self.thrown,
                "systems": [
                    {**outcome, "history": table.to_dicts()}
                    for outcome, table in zip(self.outcomes(others), tables, strict=True)
                ],
            }
        )


def farming(
    contests: Contests,
    system: str | System,
    player: str,
    *,
    threshold: float | None = None,
    honest_first: int = 45,
    farming: int = 45,
    honest_last: int = 15,
    progress: Progress | None = None,
    **parameters: Any,
) -> Farming:
    """What a player would gain by coming last on purpose for a while.

    Ratings are those that the system shows. Everybody else is rated by the same results, too.

    Args:
        contests: What `podium.read` or one of the constructors of `podium.Contests` returned,
            without teams.
        system: The attacked system: a name, with `parameters` of that system as keyword
            arguments, or a system.
        player: Who attacks.
        threshold: In the contests in the middle, the player comes alone last whenever rated
            above this. By default, the median of the ratings after the first honest contests:
            where the player has been before, and comes back to.
        honest_first: So many contests of the player stay as they were.
        farming: In so many, some are thrown.
        honest_last: So many stay as they were again.
        progress: True for a bar, or a function that is told the rows done and the rows in all.
        **parameters: Parameters of the system.
    """
    if threshold is not None:
        check_number(-np.inf, threshold=threshold)
    check_whole(1, honest_first=honest_first, farming=farming)
    check_whole(0, honest_last=honest_last)
    player = normalised(player) if isinstance(player, str) else player
    control = _experiment(contests, player, honest_first + farming + honest_last)
    beliefs, columns = ready_to_fold(control, system, None, parameters)
    with reporting(progress, f"Attacking {beliefs.system.name}") as report:
        honest = _Run(beliefs, columns, player, part_of(report, 0, 2)).ratings()
        if threshold is None:
            threshold = float(np.median(honest[:honest_first]))

        altered = Contests(control.parts._replace(columns=_own_copy(control.columns)))
        beliefs, columns = ready_to_fold(altered, system, None, parameters)
        run = _Run(beliefs, columns, player, part_of(report, 1, 2))
        thrown = np.zeros(len(honest), np.bool_)

        def throw_if_above(number: int, rating: float) -> None:
            if honest_first <= number < honest_first + farming and rating > threshold:
                thrown[number] = True
                contest = int(run.theirs[number])
                place = _come_last(altered.columns, contest, int(run.rows[number]))
                _to_end(columns.player[place])

        attacked = run.ratings(throw_if_above)
    score = altered.columns.score
    if score is not None:
        altered.columns = altered.columns._replace(score=scores_if_any(score))
    return Farming(
        player=player,
        system=beliefs.system,
        threshold=float(threshold),
        honest_first=honest_first,
        farming=farming,
        honest_last=honest_last,
        contests=altered,
        control=control,
        table=pl.DataFrame(
            {
                "number": np.arange(1, len(honest) + 1),
                "contest": control.ids.gather(run.theirs),
                "time": as_column(columns.time[run.theirs]),
                "control": honest,
                "attacked": attacked,
                "thrown": thrown,
            }
        ),
    )


def _experiment(contests: Contests, player: str, wanted: int) -> Contests:
    """The contests up to the last that matters; an error if the player has too few."""
    if not isinstance(contests, Contests):
        raise InputError(
            f"contests are needed, not {type(contests).__name__}; podium.read(path) or "
            f"podium.Contests.from_frame(frame) make them."
        )
    columns = contests.columns
    if columns.team is not None and (columns.team >= 0).any():
        raise InputError(
            "a player of a team cannot come last alone; Contests.without_teams() or "
            "--ignore-teams takes players one by one."
        )
    number = contests.players.index_of(player) if isinstance(player, str) else None
    if number is None:
        lengths = contests.players.str.len_chars()
        near = contests.players.filter((lengths - len(str(player))).abs() <= 2).to_list()
        raise NotFoundError(f"there is no player {player!r}{suggestion(player, near)}.")
    rows = np.flatnonzero(columns.player == number)
    if len(rows) < wanted:
        raise InputError(
            f"{player!r} takes part in {counted(len(rows), 'contest')}, but the experiment needs "
            f"{wanted}; make honest_first, farming or honest_last smaller."
        )
    last = int(np.searchsorted(columns.offsets, rows[wanted - 1], side="right"))
    return contests[:last]


class _Run:
    """A fold over contests that stops at those of one player."""

    def __init__(self, beliefs: Beliefs, columns: Columns, player: str, report: Report) -> None:
        self.beliefs = beliefs
        self.columns = columns
        self.player = beliefs.index[player]
        self.rows = np.flatnonzero(columns.player == self.player)
        self.theirs = np.searchsorted(columns.offsets, self.rows, side="right") - 1
        self._report = report

    def ratings(self, before: Callable[[int, float], None] | None = None) -> NDArray[np.float64]:
        """The ratings after each of the player's contests.

        `before` is called before each with its number, counted from 0, and the rating; it
        may alter the columns of that contest.
        """
        found = np.empty(len(self.theirs))
        done = 0
        for number, contest in enumerate(self.theirs.tolist()):
            if before is not None:
                done = self._fold(done, contest)
                before(number, shown_rating(self.beliefs, self.player))
            done = self._fold(done, contest + 1)
            found[number] = shown_rating(self.beliefs, self.player)
        return found

    def _fold(self, first: int, last: int) -> int:
        self.beliefs.system.update_many(self.beliefs, self.columns, first=first, last=last)
        self._report(int(self.columns.offsets[last]), len(self.columns.player))
        return last


def shown_rating(beliefs: Beliefs, player: int) -> float:
    """The rating of a player, as tables show it."""
    row = beliefs.table[player]
    return float(beliefs.system.rating(float(row["mu"]), float(row["sigma"]), row["contests"]))


def _own_copy(columns: Columns) -> Columns:
    """Columns that can be altered."""
    copies = {name: getattr(columns, name) for name in _ALTERED}
    return columns._replace(
        **{name: column.copy() for name, column in copies.items() if column is not None}
    )


def _come_last(columns: Columns, contest: int, row: int) -> slice:
    """Let the player of a row come last alone; the rows that have changed.

    All who were behind move up. Of two, the other one wins, by no known score or margin.
    """
    end = int(columns.offsets[contest + 1])
    rank, place = columns.rank, slice(row, end)
    size = end - int(columns.offsets[contest])
    own = int(rank[row])
    if own == size:
        return slice(row, row)
    for column in (columns.player, rank, columns.side, columns.share):
        if column is not None:
            _to_end(column[place])
    rank[place][rank[place] > own] -= 1
    rank[end - 1] = size
    for of_contest in (columns.margin, columns.score):
        if of_contest is not None:
            of_contest[contest] = np.nan
    return place


def _to_end(part: NDArray[Any]) -> None:
    """Move the first to the end."""
    part[:] = np.roll(part, -1)
