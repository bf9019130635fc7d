"""The feed of a league: matches come in from any number of threads or tasks, ratings go out.

One process at a time rates a league. On PostgreSQL others put their matches into its inbox, and
one of them goes on if it dies; see `workers`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
import polars as pl

from podium import forks
from podium.arguments import check_number, check_whole
from podium.errors import InputError, NotFoundError, PodiumError, StorageError
from podium.league import adjusting, logs
from podium.league.database import Database
from podium.league.feeding import board as boards
from podium.league.feeding import inbox, memory
from podium.league.feeding.answers import Recorded
from podium.league.feeding.board import Board
from podium.league.feeding.line import Line, Place
from podium.league.feeding.matches import ANY, match_of
from podium.league.feeding.memory import Kept
from podium.league.feeding.recording import Recorder, Standing, Waiting
from podium.league.feeding.workers import Worker, worker_of
from podium.ratings.asking import Asking, as_names, with_newcomers
from podium.ratings.beliefs import Beliefs
from podium.ratings.ladder import Standings
from podium.ratings.player import Player
from podium.results.times import Time, from_microseconds, to_microseconds
from podium.systems.base import System

Late = Literal["now", "defer"]
TOGETHER = 1024
"""Matches that share a transaction, at most."""
MEMORY = 256 * 2**20
"""Bytes of players who are known without asking the database."""
WAITING = 10_000
"""Matches that may wait to be rated."""
QUIET = 1.0
"""Seconds without a match after which late ones are rated."""
_BOARD: dict[str, Any] = {
    "place": pl.UInt32,
    "player": pl.String,
    "rating": pl.Float64,
    "mu": pl.Float64,
    "sigma": pl.Float64,
    "contests": pl.Int64,
    "last_time": pl.Datetime("us"),
}


class Feed(Asking):
    """Matches as they end, rated and kept: `podium.League.feed` opens one.

    Any number of threads may record, and any number of tasks by `arecord`. A call returns when its
    match is rated and committed; those that arrive together share a transaction and an entry of the
    log. Whatever `podium.Ladder` can be asked is answered from memory, as of the last commit.

    Example:
        >>> import podium, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> league = podium.League.create(f"{folder.name}/league.db", "glicko2")
        >>> with league.feed() as feed:
        ...     ratings = feed.record(["ann", "bob"], id="match-91")
        ...     chance = feed.win_probability("ann", "bob")
        ...     again = feed.record(["ann", "bob"], id="match-91")
        >>> ratings["ann"].rating > ratings["bob"].rating, chance > 0.5, again.known
        (True, True, True)
        >>> league.verify().sound
        True
        >>> league.close(); folder.cleanup()
    """

    def __init__(
        self,
        database: Database,
        *,
        late: Late = "now",
        who: str | None = None,
        why: str | None = None,
        memory: int = MEMORY,
        waiting: int = WAITING,
        quiet: float = QUIET,
    ) -> None:
        if late not in ("now", "defer"):
            raise InputError(f'late must be "now" or "defer", not {late!r}.')
        self._defers = late == "defer"
        self._database = database
        check_whole(1, memory=memory, waiting=waiting)
        check_number(0.01, 86_400.0, quiet=quiet)
        database.refuse_to_write()
        self._recorder = Recorder(database, memory, who, why)
        self._line: Line[Waiting] = Line(self._work, _failed, together=TOGETHER, most=waiting)
        self._board: Board | None = None
        self._boarding = forks.lock()
        self._is_open = True
        self._worker: Worker = worker_of(database, self._recorder, self._line, quiet)
        try:
            self._worker.begin()
            self._standing: Standing = self._line.run(self._worker.standing)
        except BaseException:
            self._worker.end()
            self._recorder.rest()
            raise

    @property
    def rates(self) -> bool:
        """Whether it is this process that rates the matches of all."""
        return self._worker.rates

    def only_fed(self, before: str, after: str) -> bool:
        """Whether the league came from one state to the other by matches of this feed alone.

        States are those of `podium.league.views.View.state`; of old ones it is not known.
        """
        states = self._recorder.fed
        return before in states and after in states

    @property
    def waiting(self) -> int:
        """How many matches of this process are waiting to be rated."""
        return len(self._line)

    @property
    def statistics(self) -> dict[str, int]:
        """Matches and commits so far, and the players in memory, with their bytes."""
        recorder = self._recorder
        return {
            "matches": recorder.matches,
            "commits": recorder.groups,
            "players": len(recorder.memory),
            "bytes": recorder.memory.size,
        }

    def record(
        self,
        standings: Standings,
        *,
        id: str | None = None,
        time: Time | None = None,
        late: Late | None = None,
        future: bool = False,
        weight: float = 1.0,
        perf_ceiling: float | None = None,
        shares: Mapping[str, float] | None = None,
        margin: float | None = None,
        home: str | None = None,
        score: float | None = None,
        who: str | None = None,
    ) -> Recorded:
        """Rate a match and keep it; the new ratings, once they are committed.

        Args:
            standings: The players, best first; a tuple is a tie, and a list is a team, as for
                `podium.Ladder.record`.
            id: By what the match is known. The same again is answered as the first time; with
                another result it is a `ConflictError`. By default the moment, and then a match that
                is sent twice is two.
            time: When it took place; by default now, by the clock, and later than all before.
            late: What to do with a match that took place before others that are rated: ``"now"``
                rates it where it belongs, ``"defer"`` lets it wait for a quiet moment, and the
                answer says so. By default, as the feed was opened.
            future: Believe a time that is more than two years ahead of the clock.
            weight: And what else `podium.Ladder.record` takes.
            perf_ceiling: The same.
            shares: The same.
            margin: The same.
            home: The same.
            score: The same.
            who: Who tells of it, for the log; by default who feeds the league.
        """
        about = {
            "weight": weight,
            "perf_ceiling": perf_ceiling,
            "shares": shares,
            "margin": margin,
            "home": home,
            "score": score,
        }
        place = Place(
            self._waiting_for(standings, late, id=id, time=time, future=future, who=who, **about)
        )
        self._line.submit([place])
        return _outcome(place)

    async def arecord(self, standings: Standings, **about: Any) -> Recorded:
        """The same as `record` for tasks of asyncio, any number of which may wait.

        A task that is cancelled meanwhile does not know whether its match is kept; the same
        identifier again tells.
        """
        place = Place(self._waiting_for(standings, **{"late": None, **about}), waits=False)
        await self._line.asubmit([place])
        return _outcome(place)

    def record_many(self, matches: Sequence[Mapping[str, Any]]) -> list[Recorded | PodiumError]:
        """Rate several matches together; what came of each, which may be an error.

        Args:
            matches: What `record` takes of each, by name: ``{"standings": ["ann", "bob"]}``.
        """
        places, outcomes = self._several(matches, waits=True)
        self._line.submit(places)
        return [_either(each) for each in outcomes]

    async def arecord_many(
        self, matches: Sequence[Mapping[str, Any]]
    ) -> list[Recorded | PodiumError]:
        """The same as `record_many` for tasks of asyncio."""
        places, outcomes = self._several(matches, waits=False)
        await self._line.asubmit(places)
        return [_either(each) for each in outcomes]

    def _several(
        self, matches: Sequence[Mapping[str, Any]], *, waits: bool
    ) -> tuple[list[Place[Waiting]], list["Place[Waiting] | PodiumError"]]:
        if isinstance(matches, str | Mapping) or not isinstance(matches, Sequence):
            raise InputError(f"a list of matches is needed, not {matches!r}.")
        outcomes: list[Place[Waiting] | PodiumError] = []
        for each in matches:
            try:
                if not isinstance(each, Mapping) or "standings" not in each:
                    raise InputError(f"a match needs its standings, best first, not {each!r}.")
                outcomes.append(Place(self._waiting_for(**each), waits=waits))
            except TypeError:
                outcomes.append(InputError(f"{each!r} says what no match has."))
            except PodiumError as error:
                outcomes.append(error)
        return [each for each in outcomes if isinstance(each, Place)], outcomes

    def _waiting_for(
        self,
        standings: Standings,
        late: Late | None = None,
        *,
        id: str | None = None,
        time: Time | None = None,
        future: bool = False,
        who: str | None = None,
        **about: Any,
    ) -> Waiting:
        if late not in (None, "now", "defer"):
            raise InputError(f'late must be "now" or "defer", not {late!r}.')
        logs.check_reason(who, None)
        about |= {"id": id, "time": time, "future": future}
        system: System = self._standing.revision.system
        try:
            match = match_of(standings, system, **about)
        except InputError:  # the league may be rated by another system by now
            system = ANY
        if system is ANY:
            match = match_of(standings, ANY, **about)
        defers = self._defers if late is None else late == "defer"
        return Waiting(match, defers, system=system, who=who)

    def _work(self, places: list[Place[Waiting]]) -> None:
        """Rate what waits, or hand it to whoever does."""
        self._worker.work(places)
        if self._recorder.latest is not None:
            self._standing = self._recorder.latest

    def settle(self) -> int:
        """Rate late matches that wait in the inbox now; how many of them were rated."""
        return int(self._line.run(self._worker.settle))

    def inbox(self) -> pl.DataFrame:
        """Matches that are not part of the league yet: id, time, late and problem.

        Those with a problem could not be rated, and it says why.
        """
        with self._database.reading() as connection, self._database.explained():
            return inbox.table(connection)

    def close(self) -> None:
        """Rate all that waits, and let go of the league."""
        if not self._is_open:
            return
        self._line.refuse_children()  # what the parent holds is left alone
        self._is_open = False
        self._line.uninterrupted(self._close)

    def _close(self) -> None:
        try:
            self._line.run(self._worker.settle, last=True)
            self._worker.finish()
        finally:
            self._line.close()
            self._worker.end()
            self._recorder.rest()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ratings(self, names: Sequence[str]) -> dict[str, Player]:
        """What is believed of players now, by name; who is not known is a newcomer.

        Example:
            >>> import podium, tempfile
            >>> folder = tempfile.TemporaryDirectory()
            >>> league = podium.League.create(f"{folder.name}/league.db", "elo")
            >>> with league.feed() as feed:
            ...     answer = feed.record(["ann", "bob"])
            ...     ratings = feed.ratings(["bob", "a newcomer"])
            >>> {name: player.rating for name, player in ratings.items()}
            {'bob': 1484.0, 'a newcomer': 1500.0}
            >>> league.close(); folder.cleanup()
        """
        if isinstance(names, str) or not isinstance(names, Sequence):
            raise InputError(f"a list of names is needed, not {names!r}.")
        called = as_names(list(names))
        standing, found = self._found(called)
        system, rules = standing.revision.system, standing.rules
        one = {each.number: each for each in found.values()}
        there = [one[number] for number in sorted(one)]
        strangers = [name for name in called if name not in found]
        there += [Kept(-1, "")] if strangers else []
        if not there:
            return {}
        known = memory.known_of(there, system, standing.shared)
        table = known.packed.table
        if standing.adjustments:
            table = adjusting.brought(known, system, standing.adjustments).packed.table
        shown = rules.shown_of(system, table).tolist()
        rows = zip(
            *(table[each].tolist() for each in ("mu", "sigma", "contests", "last_time")),
            strict=True,
        )
        players = {
            kept.number: (
                rating,
                mu,
                sigma,
                contests,
                from_microseconds(time) if contests else None,
            )
            for kept, rating, (mu, sigma, contests, time) in zip(there, shown, rows, strict=True)
        }
        return {
            given: Player(
                found[name].name if name in found else name,
                *players[found[name].number if name in found else -1],
            )
            for given, name in zip(names, called, strict=True)
        }

    def leaderboard(self, n: int = 10, *, skip: int = 0, around: str | None = None) -> pl.DataFrame:
        """The best players, or somebody with n who are just above and n who are just below.

        Columns: place, player, rating, mu, sigma, contests and last_time. It is what
        `podium.League.leaderboard` shows, after the last commit, in milliseconds for a million.

        Args:
            n: How many.
            skip: How many to leave out before them.
            around: Whose neighbours to show, in place of the best.
        """
        check_whole(0, n=n, skip=skip)
        number = None if around is None else self._number_of(around)
        board = self._current_board()
        with self._database.reading() as connection, self._database.explained():
            named = boards.names_by(connection)
            if number is None:
                placed = board.best(n, skip, named)
            else:
                placed = board.around(number, n, named)
            names = named(np.array([each for _, each in placed], np.int64))
        return self._table([(place, names[each]) for place, each in placed])

    def _table(self, placed: list[tuple[int, str]]) -> pl.DataFrame:
        """Players with their places, as leaderboards show them."""
        players = self.ratings([name for _, name in placed])
        rows = [
            (place, each.name, each.rating, each.mu, each.sigma, each.contests, each.last_time)
            for (place, _), each in zip(placed, players.values(), strict=True)
        ]
        return pl.DataFrame(rows, _BOARD, orient="row", nan_to_null=True)

    def place(self, name: str) -> int | None:
        """The place on the leaderboard; None for who is not on it. Equal ratings share one."""
        number = self._number_of(name)
        return self._current_board().place(number)

    def _current_board(self) -> Board:
        """Everybody's ratings as of the last commit."""
        self._found([])
        with self._boarding:
            if self._board is None or self._recorder.changed != set() or not self.rates:
                self._line.run(self._follow)
            assert self._board is not None
            return self._board

    def _follow(self) -> None:
        """Let the board show what has been committed since."""
        recorder = self._recorder
        with self._worker.reading() as (connection, standing):
            known = connection, standing.revision, standing.rules
            if self._board is None or recorder.changed is None:
                self._board = Board.load(*known)
            else:
                self._board = self._board.after(*known, recorder.changed)
            recorder.changed = set()

    def _number_of(self, name: str) -> int:
        (called,) = as_names([name])
        _, found = self._found([called])
        if called not in found:
            raise NotFoundError(f"there is no player {name!r} in the league.")
        return found[called].number

    def _found(self, names: list[str]) -> tuple[Standing, dict[str, Kept]]:
        """Those of these players whom the league has, as of the last commit."""
        return self._worker.found([name for name in names if "\0" not in name])  # nobody has one

    def _consult(
        self, names: list[str], at: Time | None, calibrated: bool = False
    ) -> tuple[Beliefs, list[int], int | None]:
        if calibrated:
            raise InputError(
                "a feed learns no temperature; podium.League predicts with calibrated=True."
            )
        standing, found = self._found(list(as_names(names)))
        moment = None if at is None else to_microseconds(at)
        if moment is not None and moment < standing.time:
            raise InputError(
                f"a feed knows what is believed now, not at {from_microseconds(moment)}; "
                f"podium.League can be asked."
            )
        one = {each.number: each for each in found.values()}
        there = [one[number] for number in sorted(one)]
        system = standing.revision.system
        known = memory.known_of(there, system, standing.shared)
        if standing.adjustments:
            known = adjusting.brought(known, system, standing.adjustments)
        beliefs = known.beliefs(system, [each.name for each in there])
        beliefs.time = None if standing.last is None else standing.last[0]
        return *with_newcomers(
            beliefs, [found[name].name if name in found else name for name in names]
        ), moment


def _outcome(place: Place[Waiting]) -> Recorded:
    """What came of a match; an error if it cannot be rated."""
    thing = place.thing
    assert thing is not None
    if thing.answer is None:
        raise thing.problem or StorageError("nothing is known of the match.")
    return thing.answer


def _either(outcome: "Place[Waiting] | PodiumError") -> Recorded | PodiumError:
    if isinstance(outcome, PodiumError):
        return outcome
    try:
        return _outcome(outcome)
    except PodiumError as error:
        return error


def _failed(waiting: Waiting, error: BaseException) -> None:
    """Say of a match why it was not rated."""
    if isinstance(error, Exception):
        waiting.problem = error
    else:
        waiting.problem = StorageError(
            "whoever rated the match was interrupted; whether it is kept, the same id again tells."
        )
