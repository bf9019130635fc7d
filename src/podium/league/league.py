"""The league: what is done to it, and what can be asked of it."""

import contextlib
import dataclasses
import json
import numbers
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl
from sqlalchemy import func, insert, select

from podium import systems
from podium.errors import ConflictError, InputError, NotFoundError, StorageError
from podium.league import changes, players, queries, revisions, schema, standings
from podium.league.changes import Change, contest_named, moves_between, shown_now
from podium.league.database import Database
from podium.league.edits import Changing, check_reason, now, rules_of, write_log
from podium.league.rules import Rules, check_rules
from podium.ratings.beliefs import Beliefs
from podium.ratings.fold import Progress
from podium.results.contests import Contests
from podium.results.times import Time, from_microseconds, to_microseconds
from podium.systems.base import System
from podium.wording import counted

if TYPE_CHECKING:
    from podium.league.verifying import Verification
    from podium.ratings.explanations import Explanation
    from podium.ratings.predictions import Curve, Prediction

FIRST_REVISION = "first"
_WAIT = 30.0


class _OnlyTriedError(Exception):
    """Ends a transaction of which nothing is to remain."""


class League:
    """A ladder in a database, which can be corrected afterwards.

    Every change is one transaction, and whatever is changed, all ratings are those of a league in
    which it had been so from the start, to the bit. Changes take `who`, the login name if nothing
    is said, and `why`, for the log; with ``dry_run=True`` they only say what they would do.

    Args:
        where: The path of a SQLite file, or the URL of a database of PostgreSQL.
        wait: How many seconds to wait for others who are changing the league.

    Example:
        >>> import podium, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> league = podium.League.create(f"{folder.name}/league.db", "elo-mmr")
        >>> change = league.record(podium.simulate(players=20, rounds=5, seed=1))
        >>> change.what
        'recorded 5 contests'
        >>> league.leaderboard(3)["place"].to_list()
        [1, 2, 3]
        >>> league.verify().sound
        True
        >>> league.close(); folder.cleanup()
    """

    def __init__(self, where: str | os.PathLike[str], *, wait: float = _WAIT) -> None:
        self._database = Database(where, wait=wait)
        with self._database.reading():
            pass

    @classmethod
    def create(
        cls,
        where: str | os.PathLike[str],
        system: str | System = "elo-mmr",
        *,
        rules: Rules | None = None,
        who: str | None = None,
        wait: float = _WAIT,
        **parameters: Any,
    ) -> Self:
        """Make a new league, where there is none yet."""
        chosen = systems.as_system(system, parameters)
        kept_parameters = revisions.stored(chosen)
        rules = Rules() if rules is None else rules
        check_rules(rules)
        rules.check(chosen)
        check_reason(who, None)
        database = Database(where, wait=wait, new=True)
        with database.making() as (connection, version):
            check_reason(who, None)
            if version is not None:
                raise ConflictError(
                    f"{database.shown}: there is a league already; podium record adds contests."
                )
            database.upgrade(connection)
            moment = now()
            connection.execute(
                insert(schema.revisions).values(
                    id=1,
                    name=FIRST_REVISION,
                    system=chosen.name,
                    parameters=kept_parameters,
                    created=moment,
                )
            )
            connection.execute(
                insert(schema.league).values(
                    id=1, revision_id=1, created=moment, rules=rules.text()
                )
            )
            details = {"system": chosen.name, "parameters": json.loads(kept_parameters)}
            write_log(connection, "init", who, None, details=details)
        return cls._opened(database)

    @classmethod
    def _opened(cls, database: Database) -> Self:
        league = cls.__new__(cls)
        league._database = database
        return league

    @classmethod
    def migrate(cls, where: str | os.PathLike[str], *, wait: float = _WAIT) -> Change:
        """Bring a league that an earlier version of podium made up to date."""
        database = Database(where, wait=wait)
        with contextlib.closing(database), database.making() as (connection, version):
            if version is None:
                raise NotFoundError(f"{database.shown}: holds no league; podium init makes one.")
            if version > schema.VERSION:
                raise StorageError(f"{database.shown}: was made by a later version of podium.")
            if version == schema.VERSION:
                return Change("the league is up to date already", applied=False)
            database.upgrade(connection)
            details = {"from": version, "to": schema.VERSION}
            write_log(connection, "migrate", None, None, details=details)
        return Change(f"brought the league from version {version} to {schema.VERSION}", True)

    @property
    def where(self) -> str:
        """Its path or its URL, without a password."""
        return self._database.shown

    @property
    def system(self) -> System:
        """What rates it."""
        with self._database.reading() as connection:
            return revisions.in_force(connection).system

    @property
    def rules(self) -> Rules:
        """How ratings are shown."""
        with self._database.reading() as connection:
            return rules_of(connection)

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        with self._database.reading() as connection:
            return int(
                connection.execute(select(func.count()).select_from(schema.contests)).scalar_one()
            )

    def __repr__(self) -> str:
        return f"<League {self.where}: {self.system.name}, {counted(len(self), 'contest')}>"

    # Changes

    def record(
        self,
        results: Contests,
        *,
        rated: bool = True,
        floor: float | None = None,
        ceiling: float | None = None,
        leave_known: bool = False,
        who: str | None = None,
        why: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Change:
        """Add contests, of any time. Those that are there with the same results change nothing.

        Args:
            results: What `podium.read` or a constructor of `podium.Contests` returned.
            rated: Whether the contests count; those that do not can be rated later, by `amend`.
            floor: Only players whose rating, just before, is not below are rated.
            ceiling: Only players whose rating, just before, is below are rated. Who is
                eligible is settled now, and stays so whatever changes later.
            leave_known: Leave contests that are there as they are, even if these results are
                other ones; otherwise that is an error.
            who: Who changes the league.
            why: The reason.
            dry_run: Change nothing; say what would change.
            progress: Called now and then with the rows rated and the rows to rate.
        """
        limited = floor is not None or ceiling is not None
        return self._changed(
            lambda change: changes.record(
                change,
                results,
                rated=rated,
                floor=floor,
                ceiling=ceiling,
                leave_known=leave_known,
            ),
            who,
            why,
            dry_run,
            progress,
            rehearse=limited,
        )

    def amend(
        self,
        contest: str,
        results: Contests | None = None,
        *,
        rated: bool | None = None,
        time: Time | None = None,
        weight: float | None = None,
        name: str | None = None,
        who: str | None = None,
        why: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Change:
        """Put a contest right: its results, whether it is rated, its time, weight or name.

        Args:
            contest: Its identifier.
            results: The results that it should have had, all of them; there may be others too.
            rated: Whether it counts; by default, as before.
            time: When it took place.
            weight: How much it counts.
            name: What it is called; an empty text for no name.
            who: Who changes the league.
            why: The reason.
            dry_run: Change nothing; say what would change.
            progress: Called now and then with the rows rated and the rows to rate.
        """
        moment = None if time is None else to_microseconds(time)
        return self._changed(
            lambda change: changes.amend(
                change, contest, results, rated=rated, moment=moment, weight=weight, name=name
            ),
            who,
            why,
            dry_run,
            progress,
        )

    def disqualify(
        self,
        contest: str,
        player: str,
        *,
        who: str | None = None,
        why: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Change:
        """Take a player out of a contest; those below move up."""
        return self._changed(
            lambda change: changes.disqualify(change, contest, player), who, why, dry_run, progress
        )

    def remove(
        self,
        contest: str,
        *,
        who: str | None = None,
        why: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Change:
        """Take a contest out of the league."""
        return self._changed(
            lambda change: changes.remove(change, contest), who, why, dry_run, progress
        )

    def rename(
        self,
        player: str,
        new_name: str,
        *,
        keep_old: bool = True,
        who: str | None = None,
        why: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Change:
        """Give a player another name.

        Results may go on to use the old one, unless ``keep_old=False`` sets it free for somebody
        else. Those who tie stand by name, so that ratings can change in their last digits.
        """
        return self._changed(
            lambda change: changes.rename(change, player, new_name, keep_old=keep_old),
            who,
            why,
            dry_run,
            progress,
        )

    def merge(
        self,
        player: str,
        into: str,
        *,
        who: str | None = None,
        why: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Change:
        """Make one player of two who are the same person; results may go on to use both names."""
        return self._changed(
            lambda change: changes.merge(change, player, into), who, why, dry_run, progress
        )

    def revise(
        self,
        system: str | System | None = None,
        *,
        name: str | None = None,
        who: str | None = None,
        why: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
        **parameters: Any,
    ) -> Change:
        """Rate the league by another system or other parameters, as a new revision.

        The revision in force until then is kept: `compare` shows what differs, and `rollback`
        goes back to it. Without a system, the present one gets other parameters.
        """
        return self._changed(
            lambda change: changes.revise(change, system, name, parameters),
            who,
            why,
            dry_run,
            progress,
        )

    def rollback(
        self,
        revision: str | None = None,
        *,
        who: str | None = None,
        why: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Change:
        """Put another revision in force: that of this name, or the one in force before.

        What has changed in the league since is rated by it too.
        """
        return self._changed(
            lambda change: changes.rollback(change, revision), who, why, dry_run, progress
        )

    def set_rules(
        self,
        rules: Rules,
        *,
        who: str | None = None,
        why: str | None = None,
        dry_run: bool = False,
    ) -> Change:
        """Show ratings by other rules; nothing is rated again."""
        return self._changed(
            lambda change: changes.set_rules(change, rules), who, why, dry_run, None
        )

    def _changed(
        self,
        plan: Callable[[Changing], Change],
        who: str | None,
        why: str | None,
        dry_run: bool,
        progress: Progress | None,
        *,
        rehearse: bool = False,
    ) -> Change:
        """Carry out a plan in one transaction; only try it in a dry run.

        To `rehearse` is to write, as if it was meant, what later parts of a plan read.
        """
        writes = rehearse or not dry_run
        done: Change | None = None
        try:
            with self._database.writing() if writes else self._database.reading() as connection:
                changing = Changing(connection, writes, who, why, progress)
                done = plan(changing)
                if dry_run and writes:
                    raise _OnlyTriedError
        except _OnlyTriedError:
            pass
        assert done is not None
        return dataclasses.replace(done, applied=False) if dry_run else done

    # Questions

    def leaderboard(
        self,
        n: int | None = 10,
        *,
        skip: int = 0,
        active_since: Time | None = None,
        at: Time | None = None,
        min_contests: int | None = None,
    ) -> pl.DataFrame:
        """The best players: place, player, title, rating, mu, sigma, contests and last_time.

        Args:
            n: How many; None for all.
            skip: How many to leave out before them.
            active_since: Only those whose last contest is not earlier.
            at: As of a date: what was known then, or, later than the last contest, with the
                uncertainty that absence brings.
            min_contests: Only those with at least so many contests; at least what the rules say.
        """
        _check_counts(n=n, skip=skip, min_contests=min_contests)
        since = None if active_since is None else to_microseconds(active_since)
        moment = None if at is None else to_microseconds(at)
        with self._database.reading() as connection:
            revision, rules = revisions.in_force(connection), rules_of(connection)
            fewest = max(rules.hidden_until, min_contests or 0)
            if moment is None:
                board = queries.best(connection, revision.id, n, skip, since, fewest)
            else:
                beliefs = queries.beliefs_at(connection, revision, moment)
                board = queries.board(beliefs, rules, moment, since, fewest)
                board = board.slice(skip, n)
            return queries.with_titles(board, rules)

    def count(
        self,
        *,
        active_since: Time | None = None,
        min_contests: int | None = None,
        hidden: bool = False,
    ) -> int:
        """How many players the leaderboard has, with or without those whom the rules hide."""
        _check_counts(min_contests=min_contests)
        since = None if active_since is None else to_microseconds(active_since)
        with self._database.reading() as connection:
            revision = revisions.in_force(connection)
            fewest = max(0 if hidden else rules_of(connection).hidden_until, min_contests or 0)
            return queries.how_many(connection, revision.id, since, fewest)

    def player(self, name: str) -> pl.DataFrame:
        """The rated contests of a player, in order, with what they did to the rating.

        Columns: contest, time, name, rank, participants, performance, mu_before, sigma_before, mu,
        sigma, rating_before, rating and change.
        """
        with self._database.reading() as connection:
            number = players.number_of(connection, name)
            revision, rules = revisions.in_force(connection), rules_of(connection)
            return queries.story(connection, revision, rules, number)

    def now(self, name: str) -> dict[str, Any]:
        """What a player has now: player, place, title, rating, mu, sigma, contests, last_time.

        The place is among all who are on the leaderboard; None for those who are not.
        """
        with self._database.reading() as connection:
            number = players.number_of(connection, name)
            revision, rules = revisions.in_force(connection), rules_of(connection)
            return queries.present(connection, revision, rules, number)

    def contest(self, contest: str) -> pl.DataFrame:
        """The standings of a contest, with what it did to everybody's rating.

        Columns: rank, player, team, eligible, performance, rating_before, rating and change;
        those who were not rated in it have nulls.
        """
        with self._database.reading() as connection:
            found = contest_named(connection, contest)
            revision, rules = revisions.in_force(connection), rules_of(connection)
            return queries.result(connection, revision, rules, found)

    def contests(self, contest: str | None = None) -> pl.DataFrame:
        """All contests in order, or one of them.

        Columns: contest, time, name, players, weight, rated, rating_floor and rating_ceiling.
        """
        with self._database.reading() as connection:
            return queries.contests(connection, contest)

    def results(self, contest: str | None = None) -> Contests:
        """All results that are kept, or those of one contest, as `podium.rate` takes them."""
        with self._database.reading() as connection:
            found = (
                standings.load(connection)
                if contest is None
                else contest_named(connection, contest)
            )
            names = players.names_of(connection, np.unique(found.columns.player).astype(np.int64))
            return found.as_contests(names)

    def log(
        self, n: int | None = None, *, contest: str | None = None, player: str | None = None
    ) -> pl.DataFrame:
        """Who changed what, when and why, the latest first.

        Args:
            n: The last so many; None for all.
            contest: Only what concerns the contest of this identifier, which may be one that was
                removed.
            player: Only what concerns this player, under whatever name.
        """
        _check_counts(n=n)
        with self._database.reading() as connection:
            found = queries.log(connection, contest, player)
            if not found.height and contest is not None:
                contest_named(connection, contest)
            if not found.height and player is not None:
                players.number_of(connection, player)
            return found if n is None else found.head(n)

    def aliases(self) -> pl.DataFrame:
        """Other names that results may call players: alias and player."""
        with self._database.reading() as connection:
            return queries.aliases(connection)

    def revisions(self) -> pl.DataFrame:
        """All revisions: name, system, parameters, created, active and current.

        One that is not `current` has not followed changes since it was in force.
        """
        with self._database.reading() as connection:
            active = revisions.in_force(connection).id
            rows = [
                {
                    "name": each.name,
                    "system": each.system.name,
                    "parameters": json.dumps(each.system.stored_parameters()),
                    "created": from_microseconds(each.created),
                    "active": each.id == active,
                    "current": each.stale_time is None,
                }
                for each in revisions.load(connection)
            ]
            return pl.DataFrame(rows)

    def compare(self, one: str, other: str) -> pl.DataFrame:
        """Whose rating differs between two revisions: player, before, after and change."""
        with self._database.reading() as connection:
            first, second = (revisions.named(connection, name) for name in (one, other))
            shown = [shown_now(connection, each.id) for each in (first, second)]
            return moves_between(connection, *shown)

    def beliefs(self) -> Beliefs:
        """What is believed of everybody now, for `podium.Ladder.from_beliefs`."""
        with self._database.reading() as connection:
            return queries.beliefs_now(connection, revisions.in_force(connection))

    def beliefs_of(self, names: Sequence[str]) -> Beliefs:
        """What is believed now of these players, as far as the league knows them."""
        if isinstance(names, str) or not isinstance(names, Sequence):
            raise InputError(f"the names of players are needed, not {names!r}.")
        with self._database.reading() as connection:
            return queries.beliefs_of(connection, revisions.in_force(connection), names)

    def before(self, contest: str) -> tuple[Beliefs, Contests]:
        """What was believed of its players just before a contest, and what is rated of it."""
        with self._database.reading() as connection:
            found = contest_named(connection, contest)
            revision = revisions.in_force(connection)
            return queries.just_before(connection, revision, found)

    def predict(self, standings: Contests) -> "Prediction":
        """What would become of everybody in a running or imagined contest; nothing is changed."""
        from podium.ratings.predictions import predict

        with self._database.reading() as connection:
            beliefs, named = queries.for_standings(connection, standings)
            rules = rules_of(connection)
        return predict(beliefs, named, shown=partial(rules.shown, beliefs.system))

    def curve(
        self, standings: Contests, player: str, goals: Sequence[float] | None = None
    ) -> "Curve":
        """The new rating of a player for every rank that a contest may end with.

        By default, the goal is the next title, or else the next round number.
        """
        from podium.ratings.predictions import curve

        with self._database.reading() as connection:
            number = players.find(connection, player)
            name = player if number is None else players.name_of(connection, number)
            beliefs, named = queries.for_standings(connection, standings, name)
            rules = rules_of(connection)
            if goals is None and number is not None:
                now = queries.present(connection, revisions.in_force(connection), rules, number)
                goals = [] if now["rating"] is None else [rules.next_goal(now["rating"])]
        shown = partial(rules.shown, beliefs.system)
        return curve(beliefs, named, name, goals=goals or (), shown=shown)

    def explain(self, contest: str, player: str) -> "Explanation":
        """Why a contest did to a player's rating what it did."""
        from podium.ratings.explanations import explain

        with self._database.reading() as connection:
            found = contest_named(connection, contest)
            number = players.number_of(connection, player)
            rows = found.columns.player == number
            if not rows.any():
                raise NotFoundError(f"{player!r} did not take part in contest {contest!r}.")
            if not found.rated[0]:
                raise InputError(f"contest {contest!r} is not rated, so there is no change.")
            if not found.eligible[rows].all():
                raise InputError(f"{player!r} was not eligible to be rated in contest {contest!r}.")
            name = players.name_of(connection, number)
            revision = revisions.in_force(connection)
            beliefs, contests = queries.just_before(connection, revision, found)
            rules = rules_of(connection)
            story = queries.story(connection, revision, rules, number)
        before = story.head(story["contest"].to_list().index(contest))
        earlier = before.filter(pl.col("performance").is_not_null())["contest"].to_list()
        everybody = int(found.columns.rank[rows][0]), len(rows)
        return explain(
            beliefs,
            contests,
            name,
            earlier=earlier,
            shown=partial(rules.shown, beliefs.system),
            overall=None if found.eligible.all() else everybody,
        )

    def verify(self, *, progress: Progress | None = None) -> "Verification":
        """Replay everything, and compare all that is kept with what comes out, bit by bit."""
        from podium.league.verifying import verify

        with self._database.reading() as connection:
            return verify(connection, progress=progress)

    def export(self, folder: str | os.PathLike[str], *, format: str = "parquet") -> None:
        """Write everything to a folder, enough to build the same league again."""
        from podium.league.exporting import export

        with self._database.reading() as connection:
            export(connection, folder, format)

    @classmethod
    def restore(
        cls,
        folder: str | os.PathLike[str],
        where: str | os.PathLike[str],
        *,
        wait: float = _WAIT,
        progress: Progress | None = None,
    ) -> Self:
        """Build a league from what `export` wrote."""
        from podium.league.exporting import restore

        database = Database(where, wait=wait, new=True)
        restore(database, folder, progress=progress)
        return cls._opened(database)


def _check_counts(**counts: object) -> None:
    """Raise if one that is given is no whole number."""
    for what, value in counts.items():
        whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        if value is not None and (not whole or value < 0):  # type: ignore[operator]
            raise InputError(f"{what} must be a whole number of at least 0, not {value!r}.")
