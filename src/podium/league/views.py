"""Views of a league: any number of questions, answered from one state of it."""

import datetime
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import cached_property, partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import Connection

from podium.documents import as_document
from podium.errors import InputError, NotFoundError, StorageError
from podium.league import (
    adjusting,
    hiding,
    hindsight,
    logs,
    meetings,
    notices,
    peaks,
    people,
    players,
    queries,
    revisions,
    standings,
    trends,
    webhooks,
)
from podium.league import live as running
from podium.league.access import Token, access_of, all_tokens, identified, signed_in, waiting
from podium.league.attributes import Attribute
from podium.league.changes import Beforehand, beforehand, contest_named, moves_between, shown_now
from podium.league.database import Database, state
from podium.league.edits import rules_of
from podium.league.hindsight import StoredLookBack
from podium.league.live import Live, Prepared, Running, Signs, Source
from podium.league.queries import Result
from podium.league.revisions import Revision
from podium.league.rules import Rules
from podium.league.seasons import before_contest, season_named
from podium.league.verifying import Verification, diagnosing, verify
from podium.league.webhooks import Webhook
from podium.markup import table
from podium.progress import Progress, part_of, reporting
from podium.ratings.adjustments import EVER
from podium.ratings.asking import Asking
from podium.ratings.beliefs import Beliefs
from podium.ratings.careers import Career, by_season
from podium.ratings.fold import refuse_what_is_not_contests
from podium.ratings.leaderboards import Filters, Leaderboard, check_counts
from podium.ratings.player import Player
from podium.ratings.ties import place_ranges
from podium.results.columns import taken
from podium.results.contests import Contests
from podium.results.times import Time, from_microseconds, to_microseconds
from podium.systems.base import System
from podium.texts import normalised, visible
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
def view_of(database: Database, *, with_hidden: bool = False) -> Iterator["View"]:
    """A view of the league in a database as it is now, with hidden players or without."""
    with database.reading() as connection:

        def hidden() -> frozenset[int]:
            return database.hidden.found(state(connection), lambda: hiding.load(connection))

        hiding.restrict(connection, hiding.Seen(hidden, also_hidden=with_hidden))
        view = View(database, connection)
        try:
            yield view
        finally:
            view._closed = True


class View(Asking):
    """One state of a league, whatever others do to it meanwhile; `League.snapshot` gives it.

    A `League` answers the same questions, each from a state of its own. A view is one transaction,
    for one thread. Nobody who changes the league waits for it.
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
    def state(self) -> str:
        """A short text: the same as long as nothing in the league changes, another after that."""
        return state(self._connection)

    @question
    def signs(self) -> Signs:
        """What is to be seen of the league by who watches it, to tell others when it changes."""
        return running.signs(self._connection)

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

    @property
    @question
    def access(self) -> str:
        """Who may see the league on the web: ``"public"`` or ``"private"``."""
        return access_of(self._connection)

    @question
    def tokens(self) -> pl.DataFrame:
        """Who may do what by way of the web, the latest first: not the tokens themselves."""
        return all_tokens(self._connection)

    @question
    def identified(self, token: str) -> Token:
        """Whose token it is; an `AccessError` if it is nobody's, was revoked or has expired."""
        return identified(self._connection, token)

    @question
    def signed_in(self, session: str) -> Token:
        """Who is signed in by a session; an `AccessError` if nobody is."""
        return signed_in(self._connection, session)

    @question
    def webhooks(self) -> pl.DataFrame:
        """Which programs are told of changes: not their secrets.

        Columns: id, address, kinds, active, created, creator, waiting (notices on their way),
        failed (those that were given up) and delivered (when the last one arrived).
        """
        return webhooks.all_webhooks(self._connection)

    @question
    def webhook(self, id: int) -> Webhook:
        """The webhook of that number, with its secret."""
        return webhooks.of_number(self._connection, id)

    @question
    def deliveries(
        self, webhook: int | None = None, *, n: int = 100, failed: bool = False
    ) -> pl.DataFrame:
        """What webhooks were told, or are still to be told, the latest first.

        Columns: webhook, notice (its number), kind, entry (of the log), time, attempts, due (null
        if there is to be no more), delivered, status and problem of the last attempt.

        Args:
            webhook: The number of one of them; by default, of all.
            n: The last so many.
            failed: Only those that were given up.
        """
        check_counts(n=n)
        return webhooks.all_deliveries(self._connection, webhook, n, failed=failed)

    @question
    def notices(self, after: int = 0, *, n: int = 100) -> list[dict[str, Any]]:
        """What programs are told of changes, those after a number, the earliest first.

        The latest ones are kept; see docs/documents.md.

        Example:
            >>> import podium, tempfile
            >>> folder = tempfile.TemporaryDirectory()
            >>> league = podium.League.create(f"{folder.name}/league.db")
            >>> change = league.record(["ann", "bob"], time="2026-05-01")
            >>> [(each["number"], each["type"]) for each in league.notices()]
            [(1, 'contest.rated'), (2, 'rating.changed')]
            >>> league.close(); folder.cleanup()
        """
        check_counts(n=n)
        found = notices.after(self._connection, after, n)
        return [told for _, told in found if told is not None]

    @question
    def waiting(self, subject: str, every: float, burst: int) -> float:
        """The seconds that somebody has to wait, who has done much; see `podium.league.access`."""
        return waiting(self._connection, subject, every, burst)

    @property
    @question
    def attributes(self) -> list[Attribute]:
        """What players may have besides names, in order; also what only the organiser sees."""
        return list(people.defined(self._connection).values())

    @question
    def __len__(self) -> int:
        return queries.how_many_contests(self._connection, None)

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

    @question
    def about(self, *, at: Time | None = None) -> dict[str, Any]:
        """What the league is, or with how many contests it was, for people and programs.

        See docs/documents.md.
        """
        moment = None if at is None else to_microseconds(at)
        times = queries.first_and_last(self._connection, moment)
        return as_document(
            {
                "system": self.system.name,
                "parameters": self.system.stored_parameters(),
                "rules": self.rules.document(),
                "contests": queries.how_many_contests(self._connection, moment),
                "players": self._count_at(moment),
                **dict(zip(("created", "first_time", "last_time"), times, strict=True)),
                "state": self.state,
            }
        )

    def leaderboard(
        self,
        n: int | None = 10,
        *,
        skip: int = 0,
        at: Time | None = None,
        active_since: Time | None = None,
        min_contests: int | None = None,
        with_hidden: bool = False,
        title: str | None = None,
        matching: str | None = None,
        where: Sequence[str] = (),
        season: str | None = None,
    ) -> pl.DataFrame:
        """The best players: place, player, title, rating, mu, sigma, contests and last_time.

        Then id, display (null for who is shown by name) and the public attributes.

        A system that forecasts adds forecast and spread after sigma: what to expect of each in a
        contest among the usual players, at the time of the last one.

        Args:
            n: How many; None for all.
            skip: How many to leave out before them.
            at: As of a date: what was known then, or, later than the last contest, with the
                uncertainty that absence brings.
            active_since: Only those whose last contest is not earlier.
            min_contests: Only those with at least so many contests; at least what the rules say.
            with_hidden: Also those whom the rules hide; hidden players only in a view that was
                opened with them.
            title: Only those who have this title.
            matching: Only those with this text in their name, in what they are shown as, or in an
                alias, in capitals or not. Places are among all who pass the conditions, whatever
                their names.
            where: Only those whose attributes meet conditions, such as ``["country=NO"]`` or
                ``["birth_year>=2005"]``.
            season: The standings of a season: those who played a rated contest in it, as of its
                end, just before the next one begins; of the last season, as of now.
        """
        asked = active_since, min_contests, with_hidden, title, matching, where, season
        return self._table(Filters(n, skip, at, *asked))

    @question
    def dated(self, filters: Filters) -> Filters:
        """The same conditions, with the dates of the season that they name, if they name one."""
        if filters.season is None:
            return filters
        seasons = adjusting.seasons(self._connection)
        place = seasons.index(season_named(seasons, normalised(filters.season)))
        ends = [from_microseconds(each.moment - 1) for each in seasons[place + 1 : place + 2]]
        return replace(
            filters,
            season=None,
            at=ends[0] if ends else None,
            active_since=seasons[place].start,
        )

    @question
    def _table(self, filters: Filters) -> pl.DataFrame:
        filters = self.dated(filters)
        connection, revision, rules = self._connection, self._revision, self._rules
        if filters.moment is None:
            board = queries.best(connection, revision, rules, filters)
        else:
            past = self._everybody_at(filters.moment)
            everybody = queries.board(connection, past, rules, filters)
            board = filters.page(queries.sought(connection, everybody, filters))
        return self._completed(board, filters.moment)

    def _completed(self, board: pl.DataFrame, moment: int | None = None) -> pl.DataFrame:
        """A leaderboard with titles, and with what everybody may know of its players."""
        known = self._connection, self._revision, self._rules
        board = peaks.with_titles(*known, board, moment)
        return queries.with_details(self._connection, board, self._public)

    @cached_property
    def _public(self) -> dict[str, Attribute]:
        return people.public(self._connection)

    def _everybody_at(self, moment: int) -> pl.DataFrame:
        """What was believed of everybody at a moment; many may ask for the same one."""
        known = self._connection, self._revision, self._rules
        return self._database.pasts.found(
            (self.state, moment),
            lambda: peaks.with_kept_titles(*known, queries.everybody_at(*known, moment), moment),
        )

    def count(
        self,
        *,
        active_since: Time | None = None,
        min_contests: int | None = None,
        with_hidden: bool = False,
        title: str | None = None,
        matching: str | None = None,
        where: Sequence[str] = (),
        season: str | None = None,
    ) -> int:
        """How many players the leaderboard has, with or without those whom the rules hide."""
        asked = active_since, min_contests, with_hidden, title, matching, where, season
        return self._count(Filters(None, 0, None, *asked))

    @question
    def _count(self, filters: Filters) -> int:
        filters = self.dated(filters)
        if filters.moment is not None:
            return self._table(replace(filters, n=None, skip=0)).height
        return queries.how_many(self._connection, self._revision, self._rules, filters)

    def _count_at(self, moment: int | None) -> int:
        """How many players the leaderboard has, or had at a moment."""
        if moment is None:
            return self.count()
        past = self._everybody_at(moment)
        return queries.board(self._connection, past, self._rules, BEST).height

    @question
    def board(self, filters: Filters = BEST) -> Leaderboard:
        """The best players, and among how many they have their places."""
        filters = self.dated(filters)
        hidden, aged, rules = 0, True, self._rules
        known = self._connection, self._revision, rules
        everybody = replace(filters, n=None, skip=0, matching=None)
        if filters.moment is None:
            eligible = matching = self._count(everybody)
            if filters.sought is None:
                table = self._table(filters)
            else:
                table, matching = queries.search(*known, filters)
                table = self._completed(table)
            hides = rules.hidden_until > (filters.min_contests or 0) or rules.hide_provisional
            if not filters.with_hidden and hides:
                hidden = queries.how_many_in_all(*known, everybody) - eligible
        else:
            passing = self._table(everybody)
            found = queries.sought(self._connection, passing, filters)
            table, eligible, matching = filters.page(found), passing.height, found.height
            last = queries.seen(self._connection)[1]
            is_past = last is None or last >= filters.moment
            aged = is_past or not passing.equals(self._table(replace(everybody, at=None)))
        players = eligible if filters.is_plain else self._count_at(filters.moment)
        contests = queries.how_many_contests(self._connection, filters.moment)
        return Leaderboard(
            peaks.with_peaks(*known, table, filters.moment),
            self.system,
            contests,
            players,
            eligible,
            matching,
            aged,
            hidden,
            rules.hidden_until,
            rules.hide_provisional,
            dict(rules.colours),
            attributes=tuple(self._public),
        )

    @question
    def player(self, name: str, *, at: Time | None = None) -> Player:
        """A player, given by name or alias, as of now or of a date.

        The place is among all who are on the leaderboard then; None for those who are not. Who has
        no rated contest is what the system believes of a newcomer.
        """
        number = players.number_of(self._connection, name)
        known = self._connection, self._revision, self._rules, number
        moment = None if at is None else to_microseconds(at)
        if moment is None:
            found = queries.player(*known)
        else:
            found = queries.player_at(*known, self._everybody_at(moment), moment)
        return peaks.judged(*known, found, moment)

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
        with hiding.everybody(self._connection):
            return beforehand(self._connection, results)

    @question
    def history_of(self, name: str) -> pl.DataFrame:
        """The rated contests of a player, in order, with what they did to the rating.

        Columns: contest, time, name, rank, participants, performance, mu_before, sigma_before, mu,
        sigma, rating_before, rating, change and provisional.
        """
        number = players.number_of(self._connection, name)
        return queries.history(self._connection, self._revision, self._rules, number)

    @question
    def trends(
        self, names: Sequence[str], *, at: Time | None = None, points: int = 32
    ) -> pl.DataFrame:
        """How the ratings of players have moved of late, as of now or of a date.

        Columns: player, contest (the last one), change (by it), month (over the 30 days before the
        date or, without one, before the league's last rated contest; null for those who had no
        contest before them) and curve (the ratings after each of the last contests). Ratings are
        those after contests: absence is not in them.

        Args:
            names: The players, by name or alias.
            at: Only what contests up to then did.
            points: How many ratings a curve has at most.
        """
        check_counts(points=points)
        numbers = self._numbers_of(names)
        moment = None if at is None else to_microseconds(at)
        known = self._connection, self._revision, self._rules, numbers, moment
        return self._named(numbers, trends.trends(*known, points))

    def _numbers_of(self, names: Sequence[str]) -> NDArray[np.int64]:
        """The numbers of players, given by name or alias; an unknown one is an error."""
        _check_names(names)
        known = players.known(self._connection, names)
        for name in names:
            if name not in known:
                players.number_of(self._connection, name)
        return np.array([known[name] for name in names], np.int64)

    def _named(self, numbers: NDArray[np.int64], table: pl.DataFrame) -> pl.DataFrame:
        """A table of these players with their names in front."""
        names = players.names_of(self._connection, numbers)
        called = [names[each] for each in numbers.tolist()]
        return table.insert_column(0, pl.Series("player", called, dtype=pl.String))

    @question
    def place_ranges(
        self,
        names: Sequence[str],
        *,
        at: Time | None = None,
        level: float = 0.95,
        among: Filters = BEST,
    ) -> pl.DataFrame:
        """The places that ratings leave open to players, on a leaderboard with these conditions.

        The best is one more than there are players who are stronger with at least the probability
        `level`; all who are weaker with that probability come after the worst. Two who could be in
        each other's range cannot be told apart. Strengths are normal with mu and sigma, whatever
        the rules show of them. Columns: player, best and worst; null for those who are not on the
        leaderboard, and where a system knows no uncertainty.
        """
        numbers = self._numbers_of(names)
        if among.season is not None:
            among = self.dated(among)
            at = among.at
        past = None if at is None else self._everybody_at(to_microseconds(at))
        known = self._connection, self._revision, self._rules, among, numbers, past
        (mu, sigma), own = queries.strengths(*known)
        found = place_ranges(mu, sigma, own[0], own[1], level)
        missing = pl.Series(np.isnan(own).any(axis=0))
        places = zip(("best", "worst"), found, strict=True)
        ranges = pl.DataFrame({name: pl.Series(each).set(missing, None) for name, each in places})
        return self._named(numbers, ranges)

    @question
    def rivals(
        self, name: str, *, n: int | None = 10, largest: int = 50, at: Time | None = None
    ) -> pl.DataFrame:
        """Whom a player met most, and how that went; those met equally often by name.

        Contests count whether they were rated or not, and members of one team do not meet. Columns:
        player, meetings, wins, draws and losses, as the player sees them.

        Args:
            name: The player, by name or alias.
            n: How many opponents; None for all.
            largest: Only contests of at most so many players, in which to meet means something.
            at: Only contests up to then.
        """
        check_counts(n=n, largest=largest)
        moment = None if at is None else to_microseconds(at)
        number = players.number_of(self._connection, name)
        return meetings.rivals(self._connection, number, n, largest, moment)

    @question
    def meetings(
        self, names: Sequence[str], *, n: int | None = 50, at: Time | None = None
    ) -> pl.DataFrame:
        """The contests in which at least two of these players took part, the latest first.

        Columns: contest, time, name, players and ranks: a list of the rank of each, null for those
        who did not take part.

        Args:
            names: The players, by name or alias.
            n: How many contests; None for all.
            at: Only contests up to then.
        """
        check_counts(n=n)
        moment = None if at is None else to_microseconds(at)
        return meetings.meetings(self._connection, self._numbers_of(names), n, moment)

    @question
    def career(self, name: str, *, at: Time | None = None) -> Career:
        """A player with all rated contests, as of now or of a date.

        Who was given a rating and has not played has none; who has neither is not found.
        """
        player, history, until = self.player(name, at=at), self.history_of(name), ""
        if at is not None:
            moment = from_microseconds(to_microseconds(at))
            by_then = np.flatnonzero((history["time"] <= moment).to_numpy())
            history, until = taken(history, by_then), f" by {moment:%Y-%m-%d}"
        moment_or_none = None if at is None else to_microseconds(at)
        if not history.height and not self._is_given(name, moment_or_none):
            raise NotFoundError(f"{player.name!r} has no rated contest in the league{until}.")
        count, colours = self._count_at(moment_or_none), dict(self._rules.colours)
        seasons = queries.seasons(self._connection)
        career = Career(player, self.system, count, history, titled=True, colours=colours)
        career = replace(career, seasons=by_season(history, seasons), begun=seasons)
        if not history.height:
            return career
        known = self._connection, self._revision, self._rules
        return peaks.with_absence(*known, career, moment_or_none)

    def _is_given(self, name: str, moment: int | None) -> bool:
        """Whether a player was given a rating by a moment, or ever."""
        number = np.array([players.number_of(self._connection, name)])
        given = adjusting.load(self._connection, number)
        return bool(given.started(number, EVER if moment is None else moment).all())

    @question
    def contest(self, contest: str) -> pl.DataFrame:
        """The standings of a contest, with what it did to everybody's rating.

        Columns: rank, player, team, what was given beyond them (score, status, given_team),
        eligible, expected_rank, performance, rating_before, rating, change, provisional_before and
        provisional; those who were not rated in it have nulls.
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
    def contest_page(
        self,
        n: int | None,
        skip: int = 0,
        *,
        at: Time | None = None,
        matching: str | None = None,
    ) -> tuple[pl.DataFrame, int]:
        """Some of the contests, the latest first, as `contests` gives them, and how many there are.

        Args:
            n: How many; None for all.
            skip: How many later ones to leave out.
            at: Only those up to then.
            matching: Only those with this text in their identifier or name, in capitals or not.
        """
        sought = Filters(n, skip, at, matching=matching)
        known = self._connection, sought.n, sought.skip, sought.moment
        return queries.latest_contests(*known, sought.sought or "")

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
    def stored_look_back(self) -> StoredLookBack | None:
        """Which look back the league keeps, as of when, and what it does not know; None for none.

        `League.store_look_back` makes it, and `looked_back_at` says what it says of a player.
        """
        return hindsight.stored(self._connection)

    @question
    def looked_back_at(self, name: str) -> pl.DataFrame:
        """One player as the stored look back sees them, as of when that was made.

        Columns: contest, time, name, participants, rank, and estimate, sigma, without,
        without_sigma, believed and believed_sigma as in `podium.LookBack.table`. Who came later has
        no rows. Without a stored look back it is a `NotFoundError`.
        """
        return hindsight.story(self._connection, name)

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
        with hiding.everybody(self._connection):
            found = queries.log(self._connection, contest, player, n)
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
    def seasons(self) -> pl.DataFrame:
        """All seasons, the earliest first: name, start, end, pull, toward and sigma.

        A season ends where the next begins; the last one has no end. Without a pull it begins
        without a reset.
        """
        return queries.seasons(self._connection)

    @question
    def starts(self) -> pl.DataFrame:
        """The starting ratings of players: player, time, rating and sigma.

        Without a time, from before all contests; without a sigma, with that of a newcomer.
        """
        return queries.starts(self._connection)

    @question
    def aliases(self) -> pl.DataFrame:
        """Other names that results may call players: alias and player."""
        return queries.aliases(self._connection)

    @question
    def displays(self, names: Sequence[str]) -> dict[str, str]:
        """What players, given by name, are shown as, if that is not the name."""
        _check_names(names)
        return people.displays(self._connection, names)

    @question
    def values_of(self, attribute: str, most: int = 100) -> list[str] | None:
        """The values that players have of a public attribute; None if there are more than that."""
        people.named(self._public, attribute)
        return people.distinct_values(self._connection, attribute, most)

    @question
    def people(
        self, *, where: Sequence[str] = (), matching: str | None = None, with_hidden: bool = False
    ) -> pl.DataFrame:
        """All players with what is known of them, by name: the organiser's own list.

        Columns: id, player, display, hidden, and all attributes, those too that are not public.

        Args:
            where: Only those who meet conditions such as ``country=NO`` or ``birth_year>=2005``.
            matching: Only those with this text in a name, in capitals or not.
            with_hidden: Also those who are hidden.
        """
        sought = Filters(None, matching=matching, where=where)
        hidden = (
            frozenset() if with_hidden else hiding.off_board(self._connection, with_hidden=False)
        )
        with hiding.everybody(self._connection):
            return queries.people_table(self._connection, sought, hidden)

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
        _check_names(names)
        return queries.beliefs_of(self._connection, self._revision, names)

    @question
    def _consult(
        self, names: list[str], at: Time | None, calibrated: bool = False
    ) -> tuple[Beliefs, list[int], int | None]:
        moment = None if at is None else to_microseconds(at)
        beliefs, ids = queries.beliefs_about(self._connection, self._revision, names, moment)
        return self._calibrated(beliefs, moment) if calibrated else beliefs, ids, moment

    def _calibrated(self, beliefs: Beliefs, moment: int | None) -> Beliefs:
        """Beliefs that are asked at the temperature that the league's contests teach.

        It is kept nowhere: all contests, or those until a moment, are folded once more, and as long
        as nothing changes it is remembered.
        """
        known = self._connection, self._revision, moment
        learned = self._database.calibrations.found(
            (self.state, moment), lambda: queries.calibration(*known)
        )
        return beliefs.with_calibration(learned).calibrated()

    @question
    def before(self, contest: str) -> tuple[Beliefs, Contests]:
        """What was believed of its players just before a contest, and what is rated of it."""
        found = contest_named(self._connection, contest)
        return queries.just_before(self._connection, self._revision, found)

    def predict(self, standings: Contests, *, calibrated: bool = False) -> "Prediction":
        """What would become of everybody in a running or imagined contest; nothing is changed.

        If it is to be calibrated, ranks are expected at the temperature that results have taught.
        """
        from podium.ratings.predictions import predict

        with self.snapshot() as view:
            beliefs, named, rules = view._for_standings(standings)
            if calibrated:
                beliefs = view._calibrated(beliefs, None)
        shown = partial(rules.shown, beliefs.system)
        return predict(beliefs, named, calibrated=calibrated, shown=shown)

    @question
    def _for_standings(self, standings: Contests, *others: str) -> tuple[Beliefs, Contests, Rules]:
        """While a contest runs, its standings are asked about again and again."""
        refuse_what_is_not_contests(standings)
        named = standings.with_own_players()
        names = named.players.to_list()

        def find() -> tuple[Beliefs, list[str]]:
            beliefs, named = queries.for_standings(self._connection, standings, *others)
            return beliefs, named.players.to_list()

        asked = self.state, tuple(names), others, hiding.sees_hidden(self._connection)
        beliefs, called = self._database.fields.found(asked, find)
        if called != names:  # some are called by an alias
            beliefs, named = queries.for_standings(self._connection, standings, *others)
        return beliefs, named, self._rules

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

    @question
    def has_contest(self, contest: str) -> bool:
        """Whether there is a contest of this identifier."""
        return queries.has_contest(self._connection, contest)

    @question
    def live_contests(self) -> list[Live]:
        """Contests that are not over, whose standings are posted: the latest first."""
        return [self.live(each) for each in running.all_live(self._connection)]

    @question
    def has_live(self) -> bool:
        """Whether there is any."""
        return bool(running.all_live(self._connection))

    @question
    def live(self, contest: str) -> Live:
        """A contest that is not over, and what would become of everybody if it ended now.

        It is predicted once for each version of its standings and each state of the league.
        """
        known = self._connection, self._revision, self._rules
        return running.load(
            *known, self._running, self._database.live.found, running.checked_id(contest)
        )

    def live_curve(self, contest: str, player: str) -> "Curve":
        """What each rank in a contest that is live would do to the rating of a player in it."""
        return self._live_curve(contest, player)()

    @question
    def _live_curve(self, contest: str, player: str) -> "Callable[[], Curve]":
        number = players.find(self._connection, player)
        name = normalised(player) if number is None else players.name_of(self._connection, number)
        live = self.live(contest)
        row = live.row(name)
        if row is None:
            raise NotFoundError(f"{player!r} does not take part in contest {live.contest!r}.")
        if row["rating_before"] is None:
            raise InputError(f"{player!r} takes part in {live.contest!r} without being rated.")
        goal = row["goal"] or self._rules.next_goal(row["rating_before"])
        return running.curve_of(self._connection, self._rules, self._running, live, name, goal)

    def _running(self, standings: Contests) -> tuple[Running, Contests]:
        """What is known of the players of standings, which are often posted again; by name."""
        named = players.under_their_names(self._connection, standings)
        asked = running.Asked(self.state, named.players)
        known = self._connection, self._revision, self._rules
        return self._database.running.found(asked, lambda: running.running(*known, named)), named

    @question
    def _prepare_live(
        self, contest: str, standings: Any, name: str | None, time: Time | None
    ) -> Prepared:
        with hiding.everybody(self._connection):
            return running.prepared(
                self._connection,
                self._revision.system,
                self._rules,
                self._running,
                *(contest, standings, name, time),
            )

    @question
    def live_time(self, contest: str) -> datetime.datetime:
        """When a contest takes place whose standings do not say so: now, or when it began."""
        return running.default_time(self._connection, running.checked_id(contest))

    @question
    def live_sources(self) -> tuple[list[Source], float]:
        """Which standings are to be fetched now, and the seconds until the next are."""
        return running.due(self._connection)

    def explain(self, contest: str, player: str) -> "Explanation":
        """Why a contest did to a player's rating what it did."""
        return self._explanation(contest, player)()

    @question
    def _explanation(self, contest: str, player: str) -> "Callable[[], Explanation]":
        from podium.ratings.explanations import explain

        connection, revision, rules = self._connection, self._revision, self._rules
        found, number, rows = self._rated_in(contest, player)
        story = queries.history(connection, revision, rules, number)
        row = story["contest"].to_list().index(found.contest[0])
        before, digits = story.head(row), revision.system.decimals
        everybody = int(found.columns.rank[rows][0]), len(rows)
        beliefs, contests = queries.just_before(connection, revision, found, number)
        return partial(
            explain,
            beliefs,
            contests,
            players.name_of(connection, number),
            earlier=before["contest"].filter(before["performance"].is_not_null()).to_list(),
            shown=partial(rules.shown, beliefs.system),
            overall=None if found.eligible.all() else everybody,
            adjusted=before_contest(connection, number, story, row, digits),
        )

    def _rated_in(
        self, contest: str, player: str
    ) -> tuple[standings.StoredContests, int, NDArray[np.bool_]]:
        """A contest, the number of a player who was rated in it, and which row is theirs."""
        found = contest_named(self._connection, contest)
        contest = found.contest[0]
        number = players.number_of(self._connection, player)
        rows = found.columns.player == number
        if not rows.any():
            raise NotFoundError(f"{player!r} did not take part in contest {contest!r}.")
        if not found.rated[0]:
            raise InputError(f"contest {contest!r} is not rated, so there is no change.")
        if not found.eligible[rows].all():
            raise InputError(f"{player!r} was not eligible to be rated in contest {contest!r}.")
        return found, number, rows

    def what_if(self, contest: str, player: str) -> "Curve":
        """The rating that each rank in a recorded contest would have given to a player.

        The others keep their order, and nothing before the contest is changed. The goal is the
        next title, if there is one.
        """
        return self._what_if(contest, player)()

    @question
    def _what_if(self, contest: str, player: str) -> "Callable[[], Curve]":
        from podium.ratings.predictions import curve

        found, number, _ = self._rated_in(contest, player)
        beliefs, contests = queries.just_before(self._connection, self._revision, found, number)
        name, rules = players.name_of(self._connection, number), self._rules
        row = beliefs.index[name]
        rating = float(rules.shown_of(beliefs.system, beliefs.table[row : row + 1])[0])
        title = rules.next_title(rating)
        return partial(
            curve,
            beliefs,
            contests,
            name,
            goals=[] if title is None else [title[0]],
            shown=partial(rules.shown, beliefs.system),
        )

    @question
    def verify(
        self,
        *,
        export: bool | str | os.PathLike[str] = False,
        progress: Progress | None = None,
    ) -> Verification:
        """Replay everything, and compare all that is kept with what comes out, bit by bit.

        Args:
            export: Also export the league, build another one from that in a temporary file, and
                compare all that both have; or do so with a folder that `export` wrote before.
            progress: True for a bar, or a function that is told the part done and the whole.

        Example:
            >>> import podium, tempfile
            >>> folder = tempfile.TemporaryDirectory()
            >>> league = podium.League.create(f"{folder.name}/league.db")
            >>> change = league.record(["ann", "bob"], time="2026-05-01")
            >>> league.verify(export=True).notes
            ['an export builds the same league']
            >>> league.close(); folder.cleanup()
        """
        with reporting(progress, "Verifying") as report, hiding.everybody(self._connection):
            if export is False:
                return verify(self._connection, report)
            from podium.league.rebuilding import with_export

            found = verify(self._connection, part_of(report, 0, 2))
            folder = None if export is True else export
            return with_export(self._connection, found, folder, part_of(report, 1, 2))

    @question
    def export(self, folder: str | os.PathLike[str], *, format: str = "parquet") -> list[str]:
        """Write everything to a folder, enough to build the same league again.

        Returns the names of the files that were written.
        """
        from podium.league.exporting import export

        with hiding.everybody(self._connection):
            return export(self._connection, folder, format)


def _check_names(names: object) -> None:
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InputError(f"the names of players are needed, not {names!r}.")
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"the name of a player is needed, not {name!r}.")
