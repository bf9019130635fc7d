"""Views of a league: any number of questions, answered from one state of it."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import cached_property, partial, wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

import numpy as np
import polars as pl
from sqlalchemy import Connection, func, select

from podium.errors import InputError, NotFoundError, StorageError
from podium.league import logs, players, queries, revisions, schema, standings
from podium.league.changes import Beforehand, beforehand, contest_named, moves_between, shown_now
from podium.league.database import Database
from podium.league.edits import rules_of
from podium.league.queries import Result
from podium.league.revisions import Revision
from podium.league.rules import Rules
from podium.league.verifying import Verification, diagnosing, verify
from podium.markup import table
from podium.progress import Progress, reporting
from podium.ratings.asking import Asking
from podium.ratings.beliefs import Beliefs
from podium.ratings.careers import Career
from podium.ratings.leaderboards import Filters, Leaderboard, check_counts
from podium.ratings.player import Player
from podium.results.contests import Contests
from podium.results.times import Time, from_microseconds, to_microseconds
from podium.systems.base import System
from podium.texts import visible
from podium.wording import counted

if TYPE_CHECKING:
    from podium.ratings.explanations import Explanation
    from podium.ratings.predictions import Curve, Prediction

P = ParamSpec("P")
R = TypeVar("R")
BEST = Filters()


def question(ask: Callable[Concatenate["View", P], R]) -> Callable[Concatenate["View", P], R]:
    """Answer from one state: that of a view, or of a view that a league opens for it."""

    @wraps(ask)
    def answer(self: "View", /, *args: P.args, **kwargs: P.kwargs) -> R:
        with diagnosing(self._database), self.snapshot() as view, view._database.explained():
            return ask(view, *args, **kwargs)

    return answer


@contextmanager
def view_of(database: Database) -> Iterator["View"]:
    """A view of the league in a database as it is now."""
    with database.reading() as connection:
        view = View(database, connection)
        try:
            yield view
        finally:
            view._closed = True


class View(Asking):
    """One state of a league, whatever others do to it meanwhile; `League.snapshot` gives it.

    A `League` answers the same questions, each from a state of its own. A view is one transaction,
    for one thread. In SQLite those who change the league wait until it is closed: ask, leave the
    block, and then work with the answers.
    """

    _database: Database
    _closed = False

    def __init__(self, database: Database, connection: Connection) -> None:
        self._database = database
        self._connection = connection
        self._process = os.getpid()

    def snapshot(self) -> "AbstractContextManager[View]":
        """Itself, so that whoever asks a league can be given a view."""
        if self._closed:
            raise InputError(
                f"this view of {self.where} is closed; its questions are asked in the block of "
                f"'with league.snapshot() as view:'."
            )
        if self._process != os.getpid():
            raise StorageError(
                f"this view of {self.where} is of another process, from which this one was forked; "
                f"ask the league for one of its own."
            )
        return nullcontext(self)

    @cached_property
    def _revision(self) -> Revision:
        return revisions.in_force(self._connection)

    @cached_property
    def _rules(self) -> Rules:
        return rules_of(self._connection)

    @property
    def where(self) -> str:
        """The path or the URL of the league, without a password."""
        return self._database.shown

    @property
    @question
    def system(self) -> System:
        """What rates it."""
        return self._revision.system

    @property
    @question
    def rules(self) -> Rules:
        """How ratings are shown."""
        return self._rules

    @question
    def __len__(self) -> int:
        count = select(func.count()).select_from(schema.contests)
        return int(self._connection.execute(count).scalar_one())

    def __repr__(self) -> str:
        if self._closed:
            return f"<{type(self).__name__} of {visible(self.where)}, closed>"
        return f"<{type(self).__name__} {visible(self.where)}: {self._summary()}>"

    def _repr_html_(self) -> str:
        with self.snapshot() as view:
            return table(view, view.leaderboard(), digits=view.system.decimals)

    @question
    def _summary(self) -> str:
        return f"{self.system.name}, {counted(len(self), 'contest')}"

    def leaderboard(
        self,
        n: int | None = 10,
        *,
        skip: int = 0,
        at: Time | None = None,
        active_since: Time | None = None,
        min_contests: int | None = None,
        with_hidden: bool = False,
    ) -> pl.DataFrame:
        """The best players: place, player, title, rating, mu, sigma, contests and last_time.

        Args:
            n: How many; None for all.
            skip: How many to leave out before them.
            at: As of a date: what was known then, or, later than the last contest, with the
                uncertainty that absence brings.
            active_since: Only those whose last contest is not earlier.
            min_contests: Only those with at least so many contests; at least what the rules say.
            with_hidden: Also those whom the rules hide.
        """
        return self._table(Filters(n, skip, at, active_since, min_contests, with_hidden))

    @question
    def _table(self, filters: Filters) -> pl.DataFrame:
        connection, revision, rules = self._connection, self._revision, self._rules
        if filters.moment is None:
            board = queries.best(connection, revision.id, rules, filters)
        else:
            beliefs = queries.beliefs_at(connection, revision, filters.moment)
            board = filters.page(queries.board(beliefs, rules, filters))
        return queries.with_titles(board, rules)

    def count(
        self,
        *,
        active_since: Time | None = None,
        min_contests: int | None = None,
        with_hidden: bool = False,
    ) -> int:
        """How many players the leaderboard has, with or without those whom the rules hide."""
        return self._count(
            Filters(active_since=active_since, min_contests=min_contests, with_hidden=with_hidden)
        )

    @question
    def _count(self, filters: Filters) -> int:
        return queries.how_many(self._connection, self._revision.id, self._rules, filters)

    @question
    def board(self, filters: Filters = BEST) -> Leaderboard:
        """The best players, and among how many they have their places."""
        hidden, aged = 0, True
        if filters.moment is None:
            table, eligible = self._table(filters), self._count(filters)
            hidden = self._count(replace(filters, with_hidden=True)) - eligible
        else:
            everybody = replace(filters, n=None, skip=0)
            passing = self._table(everybody)
            table, eligible = filters.page(passing), passing.height
            last = queries.seen(self._connection)[1]
            is_past = last is None or last >= filters.moment
            aged = is_past or not passing.equals(self._table(replace(everybody, at=None)))
        until = self._rules.hidden_until
        return Leaderboard(
            table, self.system, len(self), self.count(), eligible, aged, hidden, until
        )

    @question
    def player(self, name: str, *, at: Time | None = None) -> Player:
        """A player, given by name or alias, as of now or of a date.

        The place is among all who are on the leaderboard then; None for those who are not. Who has
        no rated contest is what the system believes of a newcomer.
        """
        number = players.number_of(self._connection, name)
        known = self._connection, self._revision, self._rules, number
        return (
            queries.player(*known) if at is None else queries.player_at(*known, to_microseconds(at))
        )

    __getitem__ = player

    @question
    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and players.find(self._connection, name) is not None

    @question
    def near_names(self, names: Sequence[str]) -> pl.DataFrame:
        """Which of these names are not known here but almost: `name`, and `like` whom.

        Almost the same are names up to case, spaces, signs, accents or one letter. Columns: name
        and like.
        """
        return players.near(self._connection, names)

    @question
    def beforehand(self, results: Contests) -> Beforehand:
        """What the league knows of results that are not recorded: players and contests."""
        return beforehand(self._connection, results)

    @question
    def history_of(self, name: str) -> pl.DataFrame:
        """The rated contests of a player, in order, with what they did to the rating.

        Columns: contest, time, name, rank, participants, performance, mu_before, sigma_before, mu,
        sigma, rating_before, rating and change.
        """
        number = players.number_of(self._connection, name)
        return queries.history(self._connection, self._revision, self._rules, number)

    @question
    def career(self, name: str, *, at: Time | None = None) -> Career:
        """A player with all rated contests, as of now or of a date."""
        player, history, until = self.player(name, at=at), self.history_of(name), ""
        if at is not None:
            moment = from_microseconds(to_microseconds(at))
            history, until = history.filter(pl.col("time") <= moment), f" by {moment:%Y-%m-%d}"
        if not history.height:
            raise NotFoundError(f"{player.name!r} has no rated contest in the league{until}.")
        count = self.count() if at is None else self.leaderboard(None, at=at).height
        return Career(player, self.system, count, history, titled=True)

    @question
    def contest(self, contest: str) -> pl.DataFrame:
        """The standings of a contest, with what it did to everybody's rating.

        Columns: rank, player, team, what was given beyond them (score, status, given_team),
        eligible, performance, rating_before, rating and change; those who were not rated in it
        have nulls.
        """
        found = contest_named(self._connection, contest)
        return queries.result(self._connection, self._revision, self._rules, found)

    @question
    def result(self, contest: str) -> Result:
        """All about one contest: what `contests` and `contest` say of it."""
        standings = self.contest(contest)
        about = self.contests(contest).row(0, named=True)
        return Result(**about, system=self.system, standings=standings)

    @question
    def contests(self, contest: str | None = None) -> pl.DataFrame:
        """All contests in order, or one of them.

        Columns: contest, time, name, players, weight, rated, rating_floor and rating_ceiling.
        """
        return queries.contests(self._connection, contest)

    @question
    def results(self, contest: str | None = None) -> Contests:
        """All results that are kept, or those of one contest, as `podium.rate` takes them."""
        connection = self._connection
        found = (
            standings.load(connection, given=True)
            if contest is None
            else contest_named(connection, contest)
        )
        names = players.names_of(connection, np.unique(found.columns.player).astype(np.int64))
        return found.as_contests(names)

    @question
    def log(
        self, n: int | None = None, *, contest: str | None = None, player: str | None = None
    ) -> pl.DataFrame:
        """Who changed what, when and why, the latest first.

        Columns: number, time, who, action, contest, player, why, details, and what was before and
        after in full; the last three are JSON.

        Args:
            n: The last so many; None for all.
            contest: Only what concerns the contest of this identifier, which may be one that was
                removed.
            player: Only what concerns this player, under whatever name.
        """
        check_counts(n=n)
        found = queries.log(self._connection, contest, player)
        if not found.height and contest is not None:
            contest_named(self._connection, contest)
        if not found.height and player is not None:
            players.number_of(self._connection, player)
        return found if n is None else found.head(n)

    @question
    def as_it_was(self, number: int) -> Contests:
        """The results that the change of that number in the log removed or replaced.

        `record` or `amend` takes them to have them back.
        """
        if isinstance(number, bool) or not isinstance(number, int):
            raise InputError(f"the number of a change in the log is needed, not {number!r}.")
        state = queries.state_before(self._connection, number)
        if state is None or "contests" not in state:
            raise InputError(f"change {number} of the log replaced no results of a contest.")
        return logs.results_of(state)

    @question
    def aliases(self) -> pl.DataFrame:
        """Other names that results may call players: alias and player."""
        return queries.aliases(self._connection)

    @question
    def revisions(self) -> pl.DataFrame:
        """All revisions: name, system, parameters, created, active and current.

        One that is not `current` has not followed changes since it was in force.
        """
        rows = [
            {
                "name": each.name,
                "system": each.system.name,
                "parameters": json.dumps(each.system.stored_parameters()),
                "created": from_microseconds(each.created),
                "active": each.id == self._revision.id,
                "current": each.stale_time is None,
            }
            for each in revisions.load(self._connection)
        ]
        return pl.DataFrame(rows)

    @question
    def compare(self, one: str, other: str) -> pl.DataFrame:
        """Whose rating differs between two revisions: player, before, after and change."""
        first, second = (revisions.named(self._connection, name) for name in (one, other))
        shown = [shown_now(self._connection, each.id) for each in (first, second)]
        return moves_between(self._connection, *shown)

    @question
    def beliefs(self, *, at: Time | None = None) -> Beliefs:
        """What is believed of everybody now, for `podium.Ladder.from_beliefs`, or was at a date."""
        if at is not None:
            return queries.beliefs_at(self._connection, self._revision, to_microseconds(at))
        return queries.beliefs_now(self._connection, self._revision)

    @question
    def beliefs_of(self, names: Sequence[str]) -> Beliefs:
        """What is believed now of these players, as far as the league knows them."""
        if isinstance(names, str) or not isinstance(names, Sequence):
            raise InputError(f"the names of players are needed, not {names!r}.")
        return queries.beliefs_of(self._connection, self._revision, names)

    @question
    def _consult(self, names: list[str], at: Time | None) -> tuple[Beliefs, list[int], int | None]:
        moment = None if at is None else to_microseconds(at)
        return *queries.beliefs_about(self._connection, self._revision, names, moment), moment

    @question
    def before(self, contest: str) -> tuple[Beliefs, Contests]:
        """What was believed of its players just before a contest, and what is rated of it."""
        found = contest_named(self._connection, contest)
        return queries.just_before(self._connection, self._revision, found)

    def predict(self, standings: Contests) -> "Prediction":
        """What would become of everybody in a running or imagined contest; nothing is changed."""
        from podium.ratings.predictions import predict

        beliefs, named, rules = self._for_standings(standings)
        return predict(beliefs, named, shown=partial(rules.shown, beliefs.system))

    @question
    def _for_standings(self, standings: Contests, *others: str) -> tuple[Beliefs, Contests, Rules]:
        return *queries.for_standings(self._connection, standings, *others), self._rules

    def curve(
        self, standings: Contests, player: str, goals: Sequence[float] | None = None
    ) -> "Curve":
        """The new rating of a player for every rank that a contest may end with.

        By default, the goal is the next title, or else the next round number.
        """
        from podium.ratings.predictions import curve

        with self.snapshot() as view:
            name, found = player, None
            if player in view:
                found = view.player(player)
                name = found.name
            beliefs, named, rules = view._for_standings(standings, name)
        if goals is None and found is not None and found.contests:
            goals = [rules.next_goal(found.rating)]
        shown = partial(rules.shown, beliefs.system)
        return curve(beliefs, named, name, goals=goals or (), shown=shown)

    def explain(self, contest: str, player: str) -> "Explanation":
        """Why a contest did to a player's rating what it did."""
        return self._explanation(contest, player)()

    @question
    def _explanation(self, contest: str, player: str) -> "Callable[[], Explanation]":
        from podium.ratings.explanations import explain

        connection, revision, rules = self._connection, self._revision, self._rules
        found = contest_named(connection, contest)
        contest = found.contest[0]
        number = players.number_of(connection, player)
        rows = found.columns.player == number
        if not rows.any():
            raise NotFoundError(f"{player!r} did not take part in contest {contest!r}.")
        if not found.rated[0]:
            raise InputError(f"contest {contest!r} is not rated, so there is no change.")
        if not found.eligible[rows].all():
            raise InputError(f"{player!r} was not eligible to be rated in contest {contest!r}.")
        story = queries.history(connection, revision, rules, number)
        before = story.head(story["contest"].to_list().index(contest))
        everybody = int(found.columns.rank[rows][0]), len(rows)
        beliefs, contests = queries.just_before(connection, revision, found)
        return partial(
            explain,
            beliefs,
            contests,
            players.name_of(connection, number),
            earlier=before["contest"].filter(before["performance"].is_not_null()).to_list(),
            shown=partial(rules.shown, beliefs.system),
            overall=None if found.eligible.all() else everybody,
        )

    @question
    def verify(self, *, progress: Progress | None = None) -> Verification:
        """Replay everything, and compare all that is kept with what comes out, bit by bit."""
        with reporting(progress, "Verifying") as report:
            return verify(self._connection, report)

    @question
    def export(self, folder: str | os.PathLike[str], *, format: str = "parquet") -> list[str]:
        """Write everything to a folder, enough to build the same league again.

        Returns the names of the files that were written.
        """
        from podium.league.exporting import export

        return export(self._connection, folder, format)
