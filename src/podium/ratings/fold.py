"""The fold: contests in, ratings and their history out."""

import itertools
import json
import numbers
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium import forks, systems
from podium.errors import ConflictError, InputError, NotFoundError, PodiumError, StorageError
from podium.files import as_path, files_in, replacing
from podium.numerics.columns import (
    appearance_numbers,
    by_appearance,
    count_appearances,
    renumbered,
)
from podium.numerics.teams import first_divided
from podium.progress import Progress, Report, after, reporting, unseen
from podium.ratings import before
from podium.ratings.adjustments import EVER, Adjustment, Adjustments, in_memory
from podium.ratings.asking import InMemory
from podium.ratings.beliefs import Beliefs, refuse_other_system
from podium.ratings.calibration import Calibration
from podium.ratings.stored import StoredTable, WrittenAlong
from podium.results.columns import Columns, taken
from podium.results.contests import Contests
from podium.results.tables import as_names
from podium.results.times import as_column, from_microseconds
from podium.systems.base import EVENTS, System
from podium.wording import counted, listed
from podium.workers import cores

_Frame = TypeVar("_Frame", pl.DataFrame, pl.LazyFrame)
_ROWS_PER_STEP = 100_000
TABLE_FILES = [f"{table}.{kind}" for table in ("ratings", "history") for kind in ("parquet", "csv")]
"""What a folder of ratings may hold of an earlier run, beside what is always written anew."""
_FORMULA = "^'*[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20]"
"""How a text begins that a spreadsheet may compute, or that was made harmless before."""
HISTORY_TYPES: dict[str, Any] = {
    "contest": pl.String,
    "time": pl.Datetime("us"),
    "player": pl.String,
    "rank": pl.Int32,
    **dict.fromkeys((*EVENTS, "rating"), pl.Float64),
}
"""The columns of a history."""
_CSV_TYPES: dict[str, Any] = {
    **HISTORY_TYPES,
    "contests": pl.Int32,
    "last_time": pl.Datetime("us"),
}
"""What cannot be told from the texts of a table in CSV: a player may be called 007."""


def rate(
    contests: Contests | Iterable[Contests],
    system: str | System | None = None,
    *,
    beliefs: Beliefs | str | os.PathLike[str] | None = None,
    adjustments: Iterable[Adjustment] | None = None,
    history: bool = True,
    calibrated: bool = False,
    progress: Progress | None = None,
    threads: int | None = None,
    **parameters: Any,
) -> "Rated":
    """Rate contests, in order.

    Args:
        contests: What `podium.read` or one of the constructors of `podium.Contests` returned, or
            several of them in order of time, one after the other, as `podium.scan` yields them;
            then the history lies in a temporary folder until it is asked for or saved.
        system: A name, with `parameters` of that system as keyword arguments, or a system;
            "elo-mmr" if nothing is said.
        beliefs: Go on from an earlier run: its `Rated.beliefs`, or a file of them. They are not
            changed. The result is that of one run over everything, to the bit; if another
            arithmetic made them (see `podium.ratings.arithmetic`), it is not, with a warning.
        adjustments: What else changes ratings, at its time: `podium.Season` with a reset, and
            `podium.Starts`. All have effect in the end, those after the last contest too. Who goes
            on from there gives only later ones.
        history: Keep what happened in every participation.
        calibrated: Learn beside the ratings how sure predictions should be, so that they can be
            asked for with ``calibrated=True``; see `podium.ratings.calibration`. Who goes on from
            such ratings goes on learning. Ratings are the same with and without.
        progress: True for a bar in a terminal or a notebook, or a function, called now and then
            with the rows done and the rows in all.
        threads: How many threads share the work on large contests; by default, one for each core.
            The result does not depend on it.
        **parameters: Parameters of the system.

    Example:
        >>> import podium
        >>> contests = podium.simulate(players=50, rounds=20, seed=1)
        >>> rated = podium.rate(contests, "elo-mmr", rho=1.0)
        >>> rated.leaderboard(1)["contests"].item()
        20
    """
    if not isinstance(history, bool):
        raise InputError(
            f"history must be True or False, not {history!r}; a system's parameter of that name is "
            f"given with the system, as in podium.system('elo-mmr', history={history!r})."
        )
    if not isinstance(contests, Contests) and isinstance(contests, Iterable):
        fold = Fold(
            system,
            beliefs,
            parameters,
            adjustments=adjustments,
            history=history,
            calibrated=calibrated,
            threads=threads,
        )
        fold.add_all(contests, progress)
        return fold.rated()
    state, columns, adjusted = _ready(
        contests, system, beliefs, parameters, adjustments, calibrated=calibrated
    )
    state.adopt()
    with reporting(progress, "Rating") as report:
        events = _folded(state, contests, columns, history, thread_count(threads), report, adjusted)
    adjusted.conclude(state)
    return Rated(state, contests, columns.player, events)


class Adjusted(NamedTuple):
    """The adjustments of a run, by ids of its beliefs."""

    adjustments: Adjustments
    known: int
    """Whoever has a lower id has a rating from before the run, contests or not."""

    def bring(self, state: Beliefs, players: NDArray[np.int64], until: int = EVER) -> None:
        """Let what is due be done to players before they play, or at last to all."""
        self.adjustments.bring(state, players, players, until, players < self.known)

    def conclude(self, state: Beliefs) -> None:
        """Let everybody have what is due after the last contest."""
        if self.adjustments:
            self.bring(state, np.arange(len(state)))
            state.pass_on(self.adjustments.last)


def _ready(
    contests: Contests,
    system: str | System | None,
    beliefs: Beliefs | str | os.PathLike[str] | None,
    parameters: dict[str, Any],
    adjustments: Iterable[Adjustment] | None,
    **how: Any,
) -> tuple[Beliefs, Columns, Adjusted]:
    """What `ready_to_fold` gives, and adjustments; those who only start are enrolled, too."""
    earlier = _loaded(beliefs, system)
    known = 0 if earlier is None else len(earlier)
    state, columns = ready_to_fold(contests, system, earlier, parameters, **how)
    found, new = in_memory(adjustments, state)
    if found and earlier is not None and earlier.rounds and earlier.time is None:
        raise InputError(
            "the earlier contests have no times, so that adjustments have no turn among them; "
            "Ladder.adjust makes them at once."
        )
    if new:
        state.enrol(new)
    return state, columns, Adjusted(found, known)


def _folded(
    state: Beliefs,
    contests: Contests,
    columns: Columns,
    history: bool,
    threads: int,
    report: Report,
    adjusted: Adjusted,
) -> NDArray[np.float64] | None:
    """Let contests change beliefs that know all players; what happened, if it is wanted."""
    events = np.empty((len(EVENTS), contests.rows)) if history else None
    state.expect(contests.rows)
    key = None if state.calibration is None else before.keys_of(contests)
    for first, last, there in pieces(columns, adjusted.adjustments):
        if there is not None:
            adjusted.bring(state, there, int(columns.time[first]))
        if key is None:
            state.system.update_many(
                state, columns, events, first=first, last=last, threads=threads
            )
        else:
            rows = slice(columns.offsets[first], columns.offsets[last])
            seen = None if events is None else events[:, rows]
            before.fold(state, columns.between(first, last), key[rows], seen, threads=threads)
        report(int(columns.offsets[last]), contests.rows)
    take_note(state, contests)
    return events


class Saving:
    """A folder of ratings whose history is written while contests are rated.

    A block in which `rate` and then `finish` are called: when it ends, the folder holds what
    `Rated.save` writes; if it fails, the folder is as it was.

    Example:
        >>> import podium, tempfile
        >>> contests = podium.simulate(players=9, rounds=6, seed=1)
        >>> folder = Path(tempfile.mkdtemp(), "ratings")
        >>> with Saving(folder) as saving:
        ...     rated = saving.rate(contests, "elo-mmr")
        ...     written = saving.finish()
        >>> Rated.load(folder).history.equals(podium.rate(contests).history)
        True
    """

    def __init__(self, folder: str | os.PathLike[str], *, format: str = "parquet") -> None:
        _check_format(format)
        self._folder, self._format = folder, format
        self._open, self._writing = ExitStack(), ExitStack()
        self._rated: Rated | None = None

    def __enter__(self) -> Self:
        return self

    def rate(
        self,
        contests: Contests,
        system: str | System | None = None,
        *,
        beliefs: Beliefs | None = None,
        calibrated: bool = False,
        progress: Progress | None = None,
        threads: int | None = None,
        **parameters: Any,
    ) -> "Rated":
        """As `podium.rate`; the history is in the folder, once the block has ended."""
        state, columns = ready_to_fold(contests, system, beliefs, parameters, calibrated=calibrated)
        state.adopt()
        state.expect(contests.rows)
        count = thread_count(threads)
        self._temporary = self._open.enter_context(_replacing_tables(self._folder))
        self._open.enter_context(self._writing)
        file = self._writing.enter_context(self._history(contests, state))
        key = None if state.calibration is None else before.keys_of(contests)
        with reporting(progress, "Rating") as report:
            for first, last in steps(columns.offsets):
                piece = columns.between(first, last)
                own = None if key is None else key[columns.offsets[first] : columns.offsets[last]]
                events = np.empty((len(EVENTS), len(piece.player)))
                before.fold(state, piece, own, events, threads=count)
                file.add(_Happened(first, last, piece.player, events))
                report(int(columns.offsets[last]), contests.rows)
        take_note(state, contests)
        self._rated = Rated(state, contests, columns.player, None)
        self._rated._folder = as_path(self._folder)
        return self._rated

    def _history(self, contests: Contests, state: Beliefs) -> "WrittenAlong[_Happened]":
        """The file of the history, which takes what happened in some contests after the other."""
        seen, system = state.column("contests"), state.system

        def made(part: _Happened) -> pl.DataFrame:
            numbers = count_appearances(part.players, seen)
            piece = contests[part.first : part.last]
            return _history_table(piece, part.events, system, numbers).cast(
                pl.Schema(HISTORY_TYPES)
            )

        path = self._temporary / f"history.{self._format}"
        return WrittenAlong(path, HISTORY_TYPES, made, for_spreadsheets)

    def finish(self) -> list[str]:
        """Write the rest; the names of the files that the folder holds when the block ends."""
        assert self._rated is not None
        self._rated._write({"ratings": self._rated.ratings}, self._temporary, self._format)
        self._writing.close()
        return files_in(self._temporary)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.__exit__(kind, error, trace)


class _Happened(NamedTuple):
    """What happened in the rows of the contests `first` to `last`."""

    first: int
    last: int
    players: NDArray[np.int32]
    """By the ids of the beliefs."""
    events: NDArray[np.float64]


class Fold:
    """Contests that come in pieces, in order of time: what `rate` makes of all of them.

    Example:
        >>> import podium
        >>> contests = podium.simulate(players=9, rounds=6, seed=1)
        >>> fold = Fold("elo-mmr", history=False)
        >>> for first in (0, 2, 4):
        ...     fold.add(contests[first : first + 2])
        >>> fold.rated().ratings.equals(podium.rate(contests).ratings)
        True
    """

    def __init__(
        self,
        system: str | System | None = None,
        beliefs: Beliefs | str | os.PathLike[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
        *,
        adjustments: Iterable[Adjustment] | None = None,
        history: bool = True,
        calibrated: bool = False,
        threads: int | None = None,
    ) -> None:
        self._start = system, beliefs, dict(parameters or {}), adjustments
        self._adjusted = Adjusted(Adjustments.none(), 0)
        self._calibrated = calibrated
        self._state: Beliefs | None = None
        self._history = StoredTable() if history else None
        self._threads = thread_count(threads)
        self._teams = TeamsInPieces()
        self.rows = self.contests = 0
        """How many there were."""

    def add_all(self, pieces: Iterable[Contests], progress: Progress | None = None) -> None:
        """Let pieces follow; all that is kept of one is what it did."""
        with reporting(progress, "Rating") as report:
            for piece in pieces:
                if not isinstance(piece, Contests):
                    refuse_what_is_not_contests(pieces)
                whole = max(getattr(pieces, "rows", 0), self.rows + piece.rows)
                self.add(piece, after(report, self.rows, whole))

    def add(self, contests: Contests, report: Report = unseen) -> None:
        """Let contests follow, all of them later than those before."""
        if self._state is None:
            self._state, columns, self._adjusted = _ready(
                contests, *self._start, teams=False, calibrated=self._calibrated
            )
            self._state.adopt()
        else:
            columns = ready_to_go_on(contests, self._state)
        self._teams.add(contests, self._state.system)
        keeps = self._history is not None
        events = _folded(
            self._state, contests, columns, keeps, self._threads, report, self._adjusted
        )
        if self._history is not None:
            piece = Rated(self._state, contests, columns.player, events)
            self._history.add(piece.history)
        self.rows += contests.rows
        self.contests += len(contests)

    def rated(self) -> "Rated":
        """The ratings after all of them."""
        if self._state is None:
            raise InputError("there are no results: there is no piece of contests.")
        self._teams.refuse(self._state.system)
        self._adjusted.conclude(self._state)
        rated = Rated.__new__(Rated)
        rated.beliefs, rated._contests, rated._events = self._state, None, None
        rated._stored, rated._folder = self._history, None
        return rated


class TeamsInPieces:
    """Whether teams compete, as `refuse_teams` asks of all contests at once."""

    def __init__(self) -> None:
        self._divided = self._together = 0

    def add(self, contests: Contests, system: System) -> None:
        """Let contests follow; raise if members of a team have two ranks and it is rated."""
        columns = contests.columns
        if columns.team is None or not contests.rows:
            return
        if system.takes_teams:
            refuse_teams(contests, system)
        else:
            _, divided, together = first_divided(columns.offsets, columns.rank, columns.team)
            self._divided += int(divided)
            self._together += int(together)

    def refuse(self, system: System) -> None:
        """Raise if teams compete and the system takes none, which shows after all contests."""
        if self._together > self._divided:
            raise teams_for_players(system)


def take_note(state: Beliefs, contests: Contests) -> None:
    """Let beliefs know which contests they have seen, once these are folded."""
    state.rounds += len(contests)
    if len(contests):
        times = contests.columns.time
        end = int(times[-1])
        seen = contests[int(np.searchsorted(times, end)) :].ids.to_list()
        state.latest = [*state.latest, *seen] if end == state.time else seen
        state.time = end


def ready_to_fold(
    contests: Contests,
    system: str | System | None,
    beliefs: Beliefs | str | os.PathLike[str] | None,
    parameters: dict[str, Any],
    *,
    teams: bool = True,
    calibrated: bool = False,
) -> tuple[Beliefs, Columns]:
    """Beliefs that know all players, and columns in terms of their ids; arguments as for `rate`.

    Without `teams`, whoever calls asks whether these can be rated.
    """
    refuse_what_is_not_contests(contests)
    refuse_ladders(contests)
    state = _starting_point(contests, system, _loaded(beliefs, system), parameters)
    if calibrated:
        begin_calibration(state)
    _refuse_unfit(contests, state, teams)
    return state, _enrolled(contests, state)


def _loaded(
    beliefs: Beliefs | str | os.PathLike[str] | None, system: str | System | None
) -> Beliefs | None:
    """Earlier beliefs, read if they are in a file."""
    if isinstance(beliefs, str | os.PathLike):
        return Beliefs.load(beliefs, system if isinstance(system, System) else None)
    if beliefs is not None and not isinstance(beliefs, Beliefs):
        raise InputError(
            f"beliefs are needed to go on from, as Rated.beliefs or a file of them, "
            f"not {type(beliefs).__name__}."
        )
    return beliefs


def begin_calibration(state: Beliefs) -> None:
    """Let beliefs learn a temperature from their first contest on."""
    if state.calibration is None and state.rounds:
        raise InputError(
            "the earlier ratings have learned no temperature, so it cannot be learned from here "
            "on; rate all contests with calibrated=True or --calibrated."
        )
    state.calibration = state.calibration or Calibration()


def ready_to_predict(contests: Contests, beliefs: Beliefs) -> tuple[Beliefs, Columns]:
    """The same for one contest, from what is believed of its players alone.

    Contests have no other players than those who take part. That the beliefs may be of very
    many costs nothing.
    """
    refuse_ladders(contests)
    names = contests.players.to_list()
    ids, known = np.arange(len(names), dtype=np.int32), np.ones(len(names), np.bool_)
    if beliefs.names == names:
        state = beliefs.copy()
    else:
        found = np.fromiter(
            map(beliefs.index.get, names, itertools.repeat(-1)), np.int64, len(names)
        )
        known = found >= 0
        state = beliefs.part(found[known])
        ids[known] = np.arange(len(state))
    _follow(contests, state)
    _refuse_unfit(contests, state)
    if not known.all():
        order, _ = by_appearance(contests.columns.player, len(names))
        new = order[~known[order]]
        ids[new] = state.welcome([names[each] for each in new.tolist()])
    return state, contests.columns._replace(player=ids[contests.columns.player])


def _refuse_unfit(contests: Contests, state: Beliefs, teams: bool = True) -> None:
    """Raise if the system of beliefs does not take these contests."""
    if teams and contests.columns.team is not None and contests.rows:
        refuse_teams(contests, state.system)
    refuse_unsuitable(contests, state.system)


def ready_to_go_on(contests: Contests, beliefs: Beliefs) -> Columns:
    """The same columns of a further piece, for beliefs that have seen those before."""
    refuse_what_is_not_contests(contests)
    refuse_ladders(contests)
    _refuse_earlier(contests, beliefs)
    refuse_unsuitable(contests, beliefs.system)
    return _enrolled(contests, beliefs)


def refuse_unsuitable(contests: Contests, system: System) -> None:
    """Raise if contests have what the system does not take, teams apart."""
    _refuse_crowds(contests, system)
    _refuse_scores(contests, system)


def refuse_what_is_not_contests(given: object) -> None:
    """Raise, saying what makes contests."""
    if not isinstance(given, Contests):
        raise InputError(
            f"contests are needed, not {type(given).__name__}; podium.read(path) or "
            f"podium.Contests.from_frame(frame) make them."
        )


def _starting_point(
    contests: Contests,
    system: str | System | None,
    beliefs: Beliefs | None,
    parameters: dict[str, Any],
) -> Beliefs:
    """Fresh beliefs, or a copy of earlier ones that these contests can follow."""
    wanted: System | None = None
    if system is not None or beliefs is None or parameters:
        wanted = systems.as_system(system or "elo-mmr", parameters)
    if beliefs is None:
        return Beliefs(wanted or systems.build("elo-mmr"))
    if wanted is not None:
        earlier = beliefs.system
        refuse_other_system(earlier.name, earlier.parameters, wanted.name, wanted.parameters)
    beliefs = beliefs.copy()  # other threads may go on with the earlier ones
    _follow(contests, beliefs)
    return beliefs


def _follow(contests: Contests, beliefs: Beliefs) -> None:
    """Let contests follow what beliefs have seen, or raise if they cannot."""
    _refuse_earlier(contests, beliefs)
    if len(contests):
        beliefs.begin(int(contests.columns.time[0]))


def _refuse_earlier(contests: Contests, beliefs: Beliefs) -> None:
    """Raise if contests do not follow those that the beliefs have seen."""
    if len(contests) and beliefs.time is not None and contests.columns.time[0] < beliefs.time:
        raise InputError(
            f"contest {contests[0].id!r} at {contests[0].time} is earlier than "
            f"{from_microseconds(beliefs.time)}, the last one that the beliefs have seen; "
            f"going on needs later contests."
        )
    _refuse_repeated(contests, beliefs)


def refuse_ladders(contests: Contests) -> None:
    """Raise if the contests are of several ladders, each of which has ratings of its own."""
    names = contests.ladders or []
    if len(names) > 1:
        raise InputError(
            f"these contests are of {len(names)} ladders, {listed(names)}, but this is for one; "
            f"podium.rate_ladders or podium rate rates each by itself, Contests.by_ladder() or "
            f"--ladder takes one, and Contests.without_ladders() or --ignore-ladders makes one of "
            f"all."
        )


def refuse_teams(contests: Contests, system: System) -> None:
    """Raise if teams compete and the system takes none, or if members of a team have two ranks.

    Teams compete if most of those with several members share a rank: drivers of a Formula 1 team
    tie now and then, and a league may have a wrong rank.
    """
    columns = contests.columns
    row, divided, together = first_divided(columns.offsets, columns.rank, columns.team)
    if system.takes_teams and row >= 0:
        contest = contests[int(np.searchsorted(columns.offsets, row, side="right")) - 1]
        name, team = contests.players[int(columns.player[row])], _team_of(contests, int(row))
        raise InputError(
            f"contest {contest.id!r}: {name!r} of team {team!r} has rank {columns.rank[row]}, "
            f"unlike others of the team, but for {system.name} a team takes one place; "
            f"Contests.without_teams() or --ignore-teams rates players one by one."
        )
    if not system.takes_teams and together > divided:
        raise teams_for_players(system)


def teams_for_players(system: System) -> PodiumError:
    """The error for contests of teams, which the system does not take."""
    return InputError(
        f"these are contests of teams, whose members share a rank, but {system.name} rates "
        f"players; {', '.join(systems.with_teams())} rate teams, and Contests.without_teams() "
        f"or --ignore-teams rates players one by one."
    )


def _refuse_crowds(contests: Contests, system: System) -> None:
    """Raise if more take part in a contest than the system can rate."""
    if system.most_players is None:
        return
    crowds = np.flatnonzero(contests.sizes > system.most_players)
    if len(crowds):
        contest = contests[int(crowds[0])]
        raise too_many_players(f"contest {contest.id!r}", len(contest), system)


def _refuse_scores(contests: Contests, system: System) -> None:
    """Raise if a match has a score that is more than a win or a draw and the system takes none."""
    score = contests.columns.score
    if score is None or system.takes_scores:
        return
    scored = np.flatnonzero((score > 0.5) & (score < 1.0))
    if len(scored):
        match = int(scored[0])
        given = f"match {contests[match].id!r} has the score {float(score[match])}"
        raise no_scores(given, system)


def _team_of(contests: Contests, row: int) -> str:
    teams, team = contests.teams, contests.columns.team
    assert teams is not None
    assert team is not None
    return str(teams[int(team[row])])


def _refuse_repeated(contests: Contests, beliefs: Beliefs) -> None:
    """Raise if a contest at the time where the beliefs end is one that they have seen."""
    count = int(np.searchsorted(contests.columns.time, beliefs.time or 0, side="right"))
    for name in contests[:count].ids.to_list():
        if name in beliefs.latest:
            raise ConflictError(f"contest {name!r} has been rated already, in the earlier run.")


def _enrolled(contests: Contests, beliefs: Beliefs) -> Columns:
    """The contests' columns in terms of the beliefs' ids, newcomers in order of appearance."""
    columns = contests.columns
    order, player = by_appearance(columns.player, len(contests.players))
    are_new = len(beliefs) == 0
    ids = beliefs.enrol(contests.players[order].to_list())
    return columns._replace(player=player if are_new else renumbered(player, ids))


def steps(offsets: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Ranges of contests with about `_ROWS_PER_STEP` rows each."""
    first, contests = 0, len(offsets) - 1
    while first < contests:
        goal = offsets[first] + _ROWS_PER_STEP
        last = max(first + 1, int(np.searchsorted(offsets, goal, side="right")) - 1)
        yield first, min(last, contests)
        first = last


def pieces(
    columns: Columns, adjustments: Adjustments, first: int = 0, last: int | None = None
) -> Iterator[tuple[int, int, NDArray[np.int64] | None]]:
    """Ranges of contests of about as many rows, cut where an adjustment takes its turn.

    Also who takes part from there to the next cut, and has to be brought up to the first of them;
    None where nobody has to be.
    """
    end = len(columns.time) if last is None else last
    cuts = [first + each for each in adjustments.cuts(columns.time[first:end])]
    for start, stop in itertools.pairwise([first, *cuts, end]):
        there = None
        if adjustments:
            rows = columns.player[columns.offsets[start] : columns.offsets[stop]]
            there = np.unique(rows).astype(np.int64)
        for one, other in steps(columns.offsets[start : stop + 1]):
            yield start + one, start + other, there
            there = None


def thread_count(threads: int | None) -> int:
    """How many threads are meant: so many, or one for each core."""
    if threads is None:
        return cores()
    whole = isinstance(threads, numbers.Integral) and not isinstance(threads, bool)
    if not whole or threads < 1:
        raise InputError(f"threads must be a whole number of at least 1, not {threads!r}.")
    return int(threads)


class Rated(InMemory):
    """Ratings with their history, as `rate` returns them or `Rated.load` finds them in a folder.

    Threads may share them.
    """

    def __init__(
        self,
        beliefs: Beliefs,
        contests: Contests,
        players: NDArray[np.int32],
        events: NDArray[np.float64] | None,
    ) -> None:
        self.beliefs = beliefs
        self._contests: Contests | None = contests
        self._players = players
        self._events = events
        self._stored: StoredTable | None = None
        self._folder: Path | None = None

    @cached_property
    def ratings(self) -> pl.DataFrame:
        """All players, best first: player, rating, mu, sigma, contests, last_time.

        A system that forecasts adds forecast and spread after sigma.
        """
        return super().ratings

    @cached_property
    def history(self) -> pl.DataFrame:
        """Every participation, in order.

        Columns: contest, time, player, rank, performance, mu_before, sigma_before, mu, sigma and
        rating. `performance` is null where a contest shows none, as one without opponents.
        """
        if self._stored is not None:
            return self._stored.frame()
        written = None if self._folder is None else _read_table(self._folder, "history")
        if written is not None:
            return written
        if self._events is None or self._contests is None:
            raise InputError("there is no history, because the contests were rated without it.")
        contests_so_far = appearance_numbers(self._players, self.beliefs.column("contests"))
        return _history_table(self._contests, self._events, self.system, contests_so_far)

    def put_before(self, earlier: pl.DataFrame) -> None:
        """Let the history begin with that of the run from which this one went on."""
        if self._stored is not None:
            self._stored.put_before(earlier)
        else:
            self.history = pl.concat([earlier, self.history], how="vertical_relaxed")

    def history_of(self, name: str) -> pl.DataFrame:
        """The history of one player."""
        theirs = self.history["player"] == self.beliefs.names[self._id(name)]
        return taken(self.history, np.flatnonzero(theirs.to_numpy()))

    def save(self, folder: str | os.PathLike[str], *, format: str = "parquet") -> list[str]:
        """Write ratings, history and beliefs to a folder, in place of those that it holds.

        Files: ``ratings`` and ``history`` as Parquet or CSV, ``beliefs.npz`` to go on from, and
        ``about.json`` with the system, its parameters and what made the bits. In CSV, names that
        a spreadsheet would take for formulas have an apostrophe in front. Returns the names of
        the files that were written.
        """
        _check_format(format)
        tables = {"ratings": self.ratings}
        stored = None if "history" in self.__dict__ else self._stored
        if stored is None and (self._keeps_history or "history" in self.__dict__):
            tables["history"] = self.history
        with _replacing_tables(folder) as temporary:
            if stored is not None:
                stored.write(temporary / f"history.{format}", for_spreadsheets)
            self._write(tables, temporary, format)
            return files_in(temporary)

    @property
    def _keeps_history(self) -> bool:
        return self._events is not None or self._folder is not None

    def _write(self, tables: Mapping[str, pl.DataFrame], folder: Path, format: str) -> None:
        """Write tables, beliefs and what is to be known about them."""
        about = {
            "system": self.system.name,
            "parameters": _for_json(self.system.stored_parameters()),
            "contests": self.beliefs.rounds,
            "players": len(self.beliefs),
            "arithmetic": self.beliefs.arithmetic,
            "machine": self.beliefs.machine.document(),
        }
        for name, table in tables.items():
            if format == "csv":
                table = for_spreadsheets(table)
            write_table(table, folder / f"{name}.{format}")
        self.beliefs.save(folder / "beliefs.npz")
        (folder / "about.json").write_text(json.dumps(about, indent=2) + "\n")

    @classmethod
    def load(cls, folder: str | os.PathLike[str], system: System | None = None) -> Self:
        """What `save` wrote; `system` is needed only for a performance model of your own."""
        path = as_path(folder)
        if not (path / "beliefs.npz").is_file():
            raise NotFoundError(
                f"{path}: not a folder of ratings, because there is no beliefs.npz; "
                f"`podium rate FILE --out FOLDER` writes one."
            )
        rated = cls.__new__(cls)
        rated.beliefs = Beliefs.load(path / "beliefs.npz", system)
        rated._contests = None
        rated._events = None
        rated._stored = rated._folder = None
        for name in ("ratings", "history"):
            table = _read_table(path, name)
            if table is not None:
                rated.__dict__[name] = table
        return rated


def _check_format(format: str) -> None:
    if format not in ("parquet", "csv"):
        raise InputError(f"tables are written as parquet or csv, not {format!r}.")


def _replacing_tables(folder: str | os.PathLike[str]) -> AbstractContextManager[Path]:
    return replacing(folder, folder=True, stale=TABLE_FILES)


def _history_table(
    contests: Contests,
    events: NDArray[np.float64],
    system: System,
    contests_so_far: NDArray[np.int32],
) -> pl.DataFrame:
    """Every participation, in order, with what happened in it."""
    columns = contests.columns
    number = np.repeat(np.arange(len(contests), dtype=np.int32), contests.sizes)
    happened = dict(zip(EVENTS, events, strict=True))
    return pl.DataFrame(
        {
            "contest": contests.ids.gather(number),
            "time": as_column(columns.time[number]),
            "player": contests.players.gather(columns.player),
            "rank": columns.rank,
            **happened,
            "rating": system.rating(happened["mu"], happened["sigma"], contests_so_far),
        },
        nan_to_null=True,
    )


def too_many_players(contest: str, players: int, system: System) -> PodiumError:
    """The error for a contest of more players than the system can rate."""
    return InputError(
        f"{contest} is of {counted(players, 'player')}, but {system.name} rates contests of at "
        f"most {system.most_players}; {', '.join(systems.of_any_size())} rate any number."
    )


def no_scores(given: str, system: System) -> PodiumError:
    """The error for a score that is given to a system of wins, draws and losses."""
    others = ", ".join(systems.with_scores())
    hint = f"; scores are for {others}" if others else ""
    return InputError(f"{given}, but {system.name} takes wins, draws and losses{hint}.")


def _for_json(parameters: dict[str, Any]) -> dict[str, Any]:
    """Infinity as a text, which is no number in JSON."""
    return {key: str(value) if value == np.inf else value for key, value in parameters.items()}


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a table as CSV or, whatever else the name says, as Parquet."""
    forks.refuse_lost_threads()
    try:
        if path.suffix.lower() == ".csv":
            frame.write_csv(path)
        else:
            frame.write_parquet(path, compression_level=1)  # as small, in two thirds of the time
    except pl.exceptions.ComputeError as error:  # what a full disk is for Parquet
        raise OSError(str(error)) from None


def for_spreadsheets(frame: _Frame) -> _Frame:
    """The table with an apostrophe before texts that a spreadsheet would take for formulas.

    Example:
        >>> table = pl.DataFrame({"player": ["=1+1", "ann", "'=x"], "change": [-1.0, 0.5, 2.0]})
        >>> for_spreadsheets(table)["player"].to_list()
        ["'=1+1", 'ann', "''=x"]
    """
    return frame.with_columns(pl.col(pl.String).str.replace(_FORMULA, "'${0}"))


def _read_table(folder: Path, name: str) -> pl.DataFrame | None:
    forks.refuse_lost_threads()
    for path in (folder / f"{name}.parquet", folder / f"{name}.csv"):
        if path.is_file():
            try:
                if path.suffix == ".parquet":
                    frame = pl.read_parquet(path, glob=False)
                else:
                    frame = pl.read_csv(path, glob=False, schema_overrides=_CSV_TYPES)
                    exact = pl.col(pl.String).str.replace(f"^'({_FORMULA[1:]})", "$1")
                    frame = frame.with_columns(exact)
            except (pl.exceptions.PolarsError, OSError) as error:
                raise StorageError(f"{path}: cannot be read ({error}).") from None
            named = [each for each in ("player", "contest") if each in frame.columns]
            return frame.with_columns(as_names(frame[each]) for each in named)
    return None
