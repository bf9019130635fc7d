"""The league: what is done to it, and what can be asked of it."""

import dataclasses
import json
import os
import time as clock
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, func, insert, select, update

from podium import systems
from podium.beliefs import Beliefs
from podium.contests import Contests
from podium.errors import PodiumError
from podium.league import applying, kept, people, reading, revisions, schema, stretches
from podium.league.applying import BEGINNING, Edit
from podium.league.changes import NO_MOVES, Change, moves_table
from podium.league.database import Database, Meter, fetch, user_name
from podium.league.folding import Folded
from podium.league.kept import Kept
from podium.league.revisions import Revision
from podium.league.rules import Rules
from podium.rating import Progress, ready_to_fold, refuse_what_is_not_contests
from podium.systems.base import System
from podium.times import Time, from_microseconds, to_microseconds
from podium.wording import counted, listed, suggestion

if TYPE_CHECKING:
    from podium.explanations import Explanation
    from podium.league.verifying import Verification
    from podium.predictions import Curve, Prediction

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
        rules = rules or Rules()
        rules.check(chosen)
        database = Database(where, wait=wait, new=True)
        with database.making() as (connection, version):
            if version is not None:
                raise PodiumError(
                    f"{database.shown}: there is a league already; podium record adds contests."
                )
            database.upgrade(connection)
            moment = _now()
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
            _write_log(connection, "init", who, None, details=details)
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
        with database.making() as (connection, version):
            if version is None:
                raise PodiumError(f"{database.shown}: holds no league; podium init makes one.")
            if version > schema.VERSION:
                raise PodiumError(f"{database.shown}: was made by a later version of podium.")
            if version == schema.VERSION:
                return Change("the league is up to date already", applied=False)
            database.upgrade(connection)
            details = {"from": version, "to": schema.VERSION}
            _write_log(connection, "migrate", None, None, details=details)
        database.close()
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
            return _rules(connection)

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
            who: Who changes the league.
            why: The reason.
            dry_run: Change nothing; say what would change.
            progress: Called now and then with the rows rated and the rows to rate.
        """
        results = _one_ladder(results)
        _check_limit("floor", floor)
        _check_limit("ceiling", ceiling)
        if floor is not None and ceiling is not None and floor >= ceiling:
            raise PodiumError(f"the floor must be below the ceiling, not {floor:g} to {ceiling:g}.")
        limited = rated and (floor is not None or ceiling is not None)

        def plan(connection: Connection, change: "_Changing") -> Change:
            ready_to_fold(results, change.revision.system, None, {})
            entrants = people.entrants(connection, results)
            added = Kept.of(
                entrants.contests,
                entrants.number,
                np.arange(len(results)) + 1 + _last(connection, schema.contests.c.id),
                rated=rated,
                floor=floor,
                ceiling=ceiling,
            )
            new, known = _unknown(connection, added, rated)
            new = dataclasses.replace(
                new,
                number=np.arange(len(new)) + 1 + _last(connection, schema.contests.c.id),
            )
            what = f"recorded {counted(len(new), 'contest')}"
            if known:
                what += f"; {counted(len(known), 'contest')} of them known already"
                what = (
                    what
                    if len(new)
                    else "nothing new: "
                    + (
                        f"contest {known[0]!r} is known already"
                        if len(known) == 1
                        else f"all {len(known):,} contests are known already"
                    )
                )
            if not len(new):
                return Change(what, False, known=known)
            if limited:
                moved = self._one_by_one(change, new, entrants.newcomers)
            else:
                moved = change.make(Edit(put=new, newcomers=entrants.newcomers))
            details: dict[str, Any] = {
                "contests": len(new),
                "rows": len(new.columns.player),
                "rated": rated,
            }
            if limited:
                details |= {"floor": floor, "ceiling": ceiling}
            if len(new) <= 20:
                details["identifiers"] = new.contest
            single = new.contest[0] if len(new) == 1 else None
            change.note("record", contest=single, details=details)
            return Change(what, True, new.contest, known, change.replayed, moved)

        return self._changed(plan, who, why, dry_run, progress, rehearse=limited)

    def _one_by_one(
        self, change: "_Changing", new: Kept, newcomers: dict[int, str]
    ) -> pl.DataFrame:
        """Record contests whose players are eligible or not by what the ones before did."""
        parts = []
        for number in range(len(new)):
            contest = new.take([number])
            players = contest.columns.player.astype(np.int64)
            eligible = change.eligible(contest, players)
            contest = dataclasses.replace(contest, eligible=eligible)
            there = {each: newcomers.pop(each) for each in players.tolist() if each in newcomers}
            parts.append(change.make(Edit(put=contest, newcomers=there)))
        return _one_after_the_other(parts)

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
            name: What it is called.
            who: Who changes the league.
            why: The reason.
            dry_run: Change nothing; say what would change.
            progress: Called now and then with the rows rated and the rows to rate.
        """
        wanted = None if results is None else _only(_one_ladder(results), contest)
        moment = None if time is None else to_microseconds(time)
        if weight is not None:
            _check_weight(weight)

        def plan(connection: Connection, change: "_Changing") -> Change:
            old = _contest(connection, contest)
            new, newcomers = old, dict[int, str]()
            if wanted is not None:
                ready_to_fold(wanted, change.revision.system, None, {})
                entrants = people.entrants(connection, wanted)
                newcomers = entrants.newcomers
                new = Kept.of(
                    entrants.contests, entrants.number, old.number, rated=bool(old.rated[0])
                )
                new = dataclasses.replace(
                    new, floor=old.floor, ceiling=old.ceiling, eligible=change.settled(old, new)
                )
                if new.name == [None]:
                    new = dataclasses.replace(new, name=old.name)
            columns = new.columns
            if moment is not None:
                columns = columns._replace(time=np.array([moment]))
            if weight is not None:
                columns = columns._replace(weight=np.array([float(weight)]))
            new = dataclasses.replace(
                new,
                columns=columns,
                rated=new.rated if rated is None else np.array([rated]),
                name=new.name if name is None else [name],
            )
            if bool(new.same_as(old)[0]) and bool(new.rated[0]) == bool(old.rated[0]):
                return Change(f"contest {contest!r} is so already", False, known=[contest])
            moved = change.make(Edit(dropped=old, put=new, newcomers=newcomers))
            change.note("amend", contest=contest, details=_difference(old, new))
            return Change(f"amended contest {contest!r}", True, [], [], change.replayed, moved)

        return self._changed(plan, who, why, dry_run, progress)

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

        def plan(connection: Connection, change: "_Changing") -> Change:
            old = _contest(connection, contest)
            number = people.number_of(connection, player)
            is_out = old.columns.player == number
            if not is_out.any():
                raise PodiumError(f"{player!r} did not take part in contest {contest!r}.")
            if is_out.all():
                raise PodiumError(
                    f"{player!r} is the only one in contest {contest!r}; remove the contest."
                )
            rank = int(old.columns.rank[is_out][0])
            moved = change.make(Edit(dropped=old, put=old.without_rows(is_out)))
            change.note("disqualify", contest=contest, player=player, details={"rank": rank})
            what = f"disqualified {player!r} in contest {contest!r}"
            return Change(what, True, [], [], change.replayed, moved)

        return self._changed(plan, who, why, dry_run, progress)

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

        def plan(connection: Connection, change: "_Changing") -> Change:
            old = _contest(connection, contest)
            moved = change.make(Edit(dropped=old))
            details = {
                "time": str(from_microseconds(int(old.columns.time[0]))),
                "players": len(old.columns.player),
            }
            change.note("remove", contest=contest, details=details)
            return Change(f"removed contest {contest!r}", True, [], [], change.replayed, moved)

        return self._changed(plan, who, why, dry_run, progress)

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
        _check_name(new_name)

        def plan(connection: Connection, change: "_Changing") -> Change:
            number = people.number_of(connection, player)
            old_name = people.names_of(connection, np.array([number]))[number]
            if new_name == old_name:
                return Change(f"{old_name!r} has that name already", False)
            if people.find(connection, new_name) not in (None, number):
                raise PodiumError(
                    f"there is a player {new_name!r} already; if they are one, "
                    f"podium merge makes them one."
                )
            moved = change.make(_reordered(connection, number, new_name))
            if change.writes:
                _drop_alias(connection, new_name)
                connection.execute(
                    update(schema.players)
                    .where(schema.players.c.id == number)
                    .values(name=new_name)
                )
                if keep_old:
                    connection.execute(
                        insert(schema.aliases).values(name=old_name, player_id=number)
                    )
            change.note("rename", player=new_name, details={"from": old_name})
            what = f"renamed {old_name!r} to {new_name!r}"
            return Change(what, True, [], [], change.replayed, moved)

        return self._changed(plan, who, why, dry_run, progress)

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

        def plan(connection: Connection, change: "_Changing") -> Change:
            number, other = people.numbers_of(connection, (player, into)).tolist()
            if number == other:
                raise PodiumError(f"{player!r} and {into!r} are one player already.")
            old = _contests_of(connection, number)
            both = (
                np.logical_or.reduceat(old.columns.player == other, old.columns.offsets[:-1])
                if len(old)
                else np.zeros(0, np.bool_)
            )
            if both.any():
                first = old.contest[int(np.flatnonzero(both)[0])]
                raise PodiumError(
                    f"{player!r} and {into!r} both took part in contest {first!r}; one has to be "
                    f"disqualified there first."
                )
            there = np.union1d(old.columns.player, [number, other]).astype(np.int64)
            names = people.names_of(connection, there)
            ids = np.where(old.columns.player == number, np.int32(other), old.columns.player)
            new = _by_name(
                dataclasses.replace(old, columns=old.columns._replace(player=ids)), names
            )
            moved = change.make(Edit(dropped=old, put=new))
            if change.writes:
                connection.execute(
                    update(schema.aliases)
                    .where(schema.aliases.c.player_id == number)
                    .values(player_id=other)
                )
                connection.execute(delete(schema.players).where(schema.players.c.id == number))
                connection.execute(
                    insert(schema.aliases).values(name=names[number], player_id=other)
                )
                for table in (schema.ratings, schema.beliefs):
                    connection.execute(delete(table).where(table.c.player_id == number))
            details = {"player": player, "contests": len(old)}
            change.note("merge", player=into, details=details)
            what = f"merged {player!r} into {into!r}"
            return Change(what, True, [], [], change.replayed, moved)

        return self._changed(plan, who, why, dry_run, progress)

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

        def plan(connection: Connection, change: "_Changing") -> Change:
            old = change.revision
            chosen = system
            given = parameters
            if system is None:
                chosen = old.system.name
                given = {**old.system.parameters, **parameters}
            wanted = systems.as_system(chosen or old.system.name, given)
            text = revisions.stored(wanted)
            change.rules.check(wanted)
            known = revisions.load(connection)
            for each in known:
                if each.system == wanted:
                    raise PodiumError(
                        f"revision {each.name!r} is that system with those parameters"
                        + (" already." if each.id == old.id else "; podium rollback goes to it.")
                    )
            called = name or _free_name(wanted.name, [each.name for each in known])
            _check_name(called)
            if called in [each.name for each in known]:
                raise PodiumError(f"there is a revision {called!r} already; give another name.")
            revision = Revision(known[-1].id + 1, called, wanted, _now(), None, "")
            every = kept.load(connection)
            if len(every):
                names = people.all_names(connection)
                ready_to_fold(every.as_contests(names), wanted, None, {})
            task = applying.prepare(connection, revision, Edit(), BEGINNING)
            outcome = applying.conclude(connection, task, change.fold(task))
            if change.writes:
                connection.execute(
                    insert(schema.revisions).values(
                        id=revision.id,
                        name=called,
                        system=wanted.name,
                        parameters=text,
                        created=revision.created,
                    )
                )
                change.keep(outcome, revision)
                connection.execute(update(schema.league).values(revision_id=revision.id))
            was = _shown(connection, old.id)
            moved = _moves_between(
                connection, was, reading.shown_after(outcome, revision, change.rules)
            )
            details = {"from": old.name, "to": called, "system": wanted.name}
            change.note("revise", details={**details, "parameters": json.loads(text)})
            what = f"rated the league by {wanted.name} as revision {called!r}"
            return Change(what, True, [], [], change.replayed, moved)

        return self._changed(plan, who, why, dry_run, progress)

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

        def plan(connection: Connection, change: "_Changing") -> Change:
            old = change.revision
            wanted = revisions.named(connection, revision or _before(connection))
            if wanted.id == old.id:
                return Change(f"revision {wanted.name!r} is in force already", False)
            was = _shown(connection, old.id)
            now = _shown(connection, wanted.id)
            if wanted.stale_time is not None:
                start = wanted.stale_time, wanted.stale_contest
                task = applying.prepare(connection, wanted, Edit(), start, catching_up=True)
                outcome = applying.conclude(connection, task, change.fold(task))
                now = reading.shown_with(now, outcome, wanted, change.rules)
                if change.writes:
                    change.keep(outcome, wanted)
            if change.writes:
                r = schema.revisions
                connection.execute(update(schema.league).values(revision_id=wanted.id))
                connection.execute(
                    update(r).where(r.c.id == wanted.id).values(stale_time=None, stale_contest="")
                )
            change.note("rollback", details={"from": old.name, "to": wanted.name})
            moved = _moves_between(connection, was, now)
            what = f"put revision {wanted.name!r} in force, of {wanted.system.name}"
            return Change(what, True, [], [], change.replayed, moved)

        return self._changed(plan, who, why, dry_run, progress)

    def set_rules(
        self,
        rules: Rules,
        *,
        who: str | None = None,
        why: str | None = None,
        dry_run: bool = False,
    ) -> Change:
        """Show ratings by other rules; nothing is rated again."""

        def plan(connection: Connection, change: "_Changing") -> Change:
            if rules == change.rules:
                return Change("the rules are so already", False)
            was = _shown(connection, change.revision.id)
            now = was
            for each in revisions.load(connection):
                if each.id == change.revision.id:
                    rules.check(each.system)
                table = reading.ratings(connection, each.id)
                shown = rules.shown(
                    each.system,
                    table["mu"].fill_null(np.nan).to_numpy(),
                    table["sigma"].fill_null(np.nan).to_numpy(),
                    table["contests"].to_numpy(),
                )
                table = table.with_columns(shown=pl.Series(shown))
                if each.id == change.revision.id:
                    now = table.select("player_id", "shown")
                if change.writes:
                    reading.write_shown(connection, each.id, table)
            if change.writes:
                connection.execute(update(schema.league).values(rules=rules.text()))
            change.note("rules", details=dataclasses.asdict(rules))
            return Change("changed the rules", True, moves=_moves_between(connection, was, now))

        return self._changed(plan, who, why, dry_run, None)

    def _changed(
        self,
        plan: "Callable[[Connection, _Changing], Change]",
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
                changing = _Changing(connection, writes, who, why, progress)
                done = plan(connection, changing)
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
        for what, value in (("n", n), ("skip", skip), ("min_contests", min_contests)):
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int) or value < 0
            ):
                raise PodiumError(f"{what} must be a whole number of at least 0, not {value!r}.")
        since = None if active_since is None else to_microseconds(active_since)
        moment = None if at is None else to_microseconds(at)
        with self._database.reading() as connection:
            revision, rules = revisions.in_force(connection), _rules(connection)
            fewest = max(rules.hidden_until, min_contests or 0)
            if moment is None:
                board = reading.best(connection, revision.id, n, skip, since, fewest)
            else:
                beliefs = reading.beliefs_at(connection, revision, moment)
                board = reading.board(beliefs, rules, moment, since, fewest)
                board = board.slice(skip, n)
            return reading.with_titles(board, rules)

    def count(self, *, active_since: Time | None = None, min_contests: int | None = None) -> int:
        """How many players the leaderboard has."""
        since = None if active_since is None else to_microseconds(active_since)
        with self._database.reading() as connection:
            revision = revisions.in_force(connection)
            fewest = max(_rules(connection).hidden_until, min_contests or 0)
            return reading.how_many(connection, revision.id, since, fewest)

    def player(self, name: str) -> pl.DataFrame:
        """The rated contests of a player, in order, with what they did to the rating.

        Columns: contest, time, name, rank, participants, performance, mu_before, sigma_before, mu,
        sigma, rating_before, rating and change.
        """
        with self._database.reading() as connection:
            number = people.number_of(connection, name)
            revision, rules = revisions.in_force(connection), _rules(connection)
            return reading.story(connection, revision, rules, number)

    def now(self, name: str) -> dict[str, Any]:
        """What a player has now: player, place, title, rating, mu, sigma, contests, last_time.

        The place is among all who are on the leaderboard; None for those who are not.
        """
        with self._database.reading() as connection:
            number = people.number_of(connection, name)
            revision, rules = revisions.in_force(connection), _rules(connection)
            return reading.present(connection, revision, rules, number)

    def contest(self, contest: str) -> pl.DataFrame:
        """The standings of a contest, with what it did to everybody's rating.

        Columns: rank, player, team, eligible, performance, rating_before, rating and change;
        those who were not rated in it have nulls.
        """
        with self._database.reading() as connection:
            found = _contest(connection, contest)
            revision, rules = revisions.in_force(connection), _rules(connection)
            return reading.result(connection, revision, rules, found)

    def contests(self) -> pl.DataFrame:
        """All contests in order: contest, time, name, players, weight, rated, floor and ceiling."""
        with self._database.reading() as connection:
            return reading.contests(connection)

    def results(self, contest: str | None = None) -> Contests:
        """All results that are kept, or those of one contest, as `podium.rate` takes them."""
        with self._database.reading() as connection:
            found = kept.load(connection) if contest is None else _contest(connection, contest)
            names = people.names_of(connection, np.unique(found.columns.player).astype(np.int64))
            return found.as_contests(names)

    def log(
        self, n: int | None = None, *, contest: str | None = None, player: str | None = None
    ) -> pl.DataFrame:
        """Who changed what, when and why, the latest first."""
        with self._database.reading() as connection:
            return reading.log(connection, n, contest, player)

    def aliases(self) -> pl.DataFrame:
        """Other names that results may call players: alias and player."""
        with self._database.reading() as connection:
            return reading.aliases(connection)

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
            shown = [_shown(connection, each.id) for each in (first, second)]
            return _moves_between(connection, *shown)

    def beliefs(self) -> Beliefs:
        """What is believed of everybody now, for `podium.Ladder.from_beliefs`."""
        with self._database.reading() as connection:
            revision = revisions.in_force(connection)
            known = stretches.load_now(connection, revision.id, revision.system)
            return reading.named_beliefs(connection, revision, known)

    def beliefs_of(self, names: Sequence[str]) -> Beliefs:
        """What is believed now of these players, as far as the league knows them."""
        with self._database.reading() as connection:
            return reading.beliefs_of(connection, revisions.in_force(connection), names)

    def before(self, contest: str) -> tuple[Beliefs, Contests]:
        """What was believed of its players just before a contest, and what is rated of it."""
        with self._database.reading() as connection:
            found = _contest(connection, contest)
            revision = revisions.in_force(connection)
            return reading.just_before(connection, revision, found)

    def predict(self, standings: Contests) -> "Prediction":
        """What would become of everybody in a running or imagined contest; nothing is changed."""
        from podium.predictions import predict

        with self._database.reading() as connection:
            under_names = people.entrants(connection, standings).contests
            names = under_names.players.to_list()
            beliefs = reading.beliefs_of(connection, revisions.in_force(connection), names)
        return predict(beliefs, under_names)

    def curve(self, standings: Contests, player: str, goals: Sequence[float] = ()) -> "Curve":
        """The new rating of a player for every rank that a contest may end with."""
        from podium.predictions import curve

        with self._database.reading() as connection:
            under_names = people.entrants(connection, standings).contests
            names = under_names.players.to_list()
            beliefs = reading.beliefs_of(connection, revisions.in_force(connection), names)
        return curve(beliefs, under_names, player, goals=goals)

    def explain(self, contest: str, player: str) -> "Explanation":
        """Why a contest did to a player's rating what it did."""
        from podium.explanations import explain

        with self._database.reading() as connection:
            found = _contest(connection, contest)
            number = people.number_of(connection, player)
            rows = found.columns.player == number
            if not rows.any():
                raise PodiumError(f"{player!r} did not take part in contest {contest!r}.")
            if not found.rated[0]:
                raise PodiumError(f"contest {contest!r} is not rated, so there is no change.")
            if not found.eligible[rows].all():
                raise PodiumError(
                    f"{player!r} was not eligible to be rated in contest {contest!r}."
                )
            name = people.names_of(connection, np.array([number]))[number]
            beliefs, contests = reading.just_before(
                connection, revisions.in_force(connection), found
            )
        return explain(beliefs, contests, name)

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


class _Changing:
    """A change under way: what is in force, and who makes it."""

    def __init__(
        self,
        connection: Connection,
        writes: bool,
        who: str | None,
        why: str | None,
        progress: Progress | None,
    ) -> None:
        self.connection = connection
        self.writes = writes
        self.revision = revisions.in_force(connection)
        self.rules = _rules(connection)
        self.replayed = 0
        self.meter = Meter(progress)
        self._who = who
        self._why = why

    def make(self, edit: Edit) -> pl.DataFrame:
        """Make an edit; whose rating changes."""
        connection, start = self.connection, edit.start
        if start is None:
            if self.writes:
                applying.write_edit(connection, edit)
            return NO_MOVES
        task = applying.prepare(connection, self.revision, edit, start)
        self.meter.expect(len(edit.put.columns.player) * self.writes)
        with ThreadPoolExecutor(1) as beside:  # the kernels that fold need no interpreter
            folding = beside.submit(self.fold, task)
            if self.writes:
                applying.write_edit(connection, edit, self.meter)
            folded = folding.result()
        outcome = applying.conclude(connection, task, folded)
        moved = applying.moves(connection, self.revision, self.rules, outcome, edit)
        if self.writes:
            self.keep(outcome, self.revision)
            revisions.mark_stale(connection, self.revision.id, *start)
        return moved

    def fold(self, task: applying.Task) -> Folded:
        """Fold what a task holds."""
        rows = len(task.contests.columns.player)
        self.meter.expect(rows * (1 + self.writes))
        folded = task.folded(self.meter)
        self.replayed += len(folded.rated.contest)
        return folded

    def keep(self, outcome: applying.Outcome, revision: Revision) -> None:
        """Write what came of a change."""
        applying.write_outcome(self.connection, revision, self.rules, outcome, self.meter)

    def eligible(self, contest: Kept, players: NDArray[Any]) -> NDArray[Any]:
        """Whether players may be rated in a contest, by their rating just before it."""
        floor, ceiling = float(contest.floor[0]), float(contest.ceiling[0])
        everybody = np.unique(players)
        known = reading.known_before(self.connection, self.revision, contest.order(0), everybody)
        table = known.packed.table
        shown = self.rules.shown(
            self.revision.system,
            table["mu"].copy(),
            table["sigma"].copy(),
            table["contests"].copy(),
        )[np.searchsorted(known.player, players)]
        above = np.isnan(floor) | (shown >= floor)
        flags: NDArray[Any] = above & (np.isnan(ceiling) | (shown < ceiling))
        return flags

    def settled(self, old: Kept, new: Kept) -> NDArray[Any]:
        """Who is eligible in an amended contest: as before, and newly judged who was not in it."""
        player = new.columns.player.astype(np.int64)
        before = dict(zip(old.columns.player.tolist(), old.eligible.tolist(), strict=True))
        flags = np.array([before.get(each, True) for each in player.tolist()], np.bool_)
        joined = ~np.isin(player, old.columns.player)
        limited = not (np.isnan(old.floor[0]) and np.isnan(old.ceiling[0]))
        if limited and joined.any():
            flags[joined] = self.eligible(old, player[joined])
        return flags

    def note(
        self,
        action: str,
        *,
        contest: str | None = None,
        player: str | None = None,
        details: dict[str, Any],
    ) -> None:
        """Add to the log."""
        if self.writes:
            _write_log(self.connection, action, self._who, self._why, contest, player, details)


def _write_log(
    connection: Connection,
    action: str,
    who: str | None,
    why: str | None,
    contest: str | None = None,
    player: str | None = None,
    details: dict[str, Any] | None = None,
) -> None:
    connection.execute(
        insert(schema.log).values(
            id=1 + _last(connection, schema.log.c.id),
            time=_now(),
            who=who or user_name(),
            action=action,
            contest=contest,
            player=player,
            why=why,
            details=json.dumps(details or {}, ensure_ascii=False),
        )
    )


def _now() -> int:
    return clock.time_ns() // 1000


def _last(connection: Connection, column: Any) -> int:
    return int(connection.execute(select(func.max(column))).scalar() or 0)


def _rules(connection: Connection) -> Rules:
    return Rules.from_text(connection.execute(select(schema.league.c.rules)).scalar_one())


def _one_ladder(results: Contests) -> Contests:
    """Raise if they are no contests, or of several ladders; a league is one."""
    refuse_what_is_not_contests(results)
    names = results.ladders or []
    if len(names) > 1:
        raise PodiumError(
            f"these contests are of {len(names)} ladders, {listed(names)}, but a league is one; "
            f"Contests.by_ladder() or --ladder takes one, and Contests.without_ladders() or "
            f"--ignore-ladders makes one of all."
        )
    return results.without_ladders().with_own_players()


def _only(results: Contests, contest: str) -> Contests:
    """The contest of that identifier among results."""
    for number, each in enumerate(results.ids.to_list()):
        if each == contest:
            return results[number : number + 1].with_own_players()
    raise PodiumError(
        f"there is no contest {contest!r}{suggestion(contest, results.ids)} among the results "
        f"that should replace it; there is {listed(results.ids.to_list())}."
    )


def _contest(connection: Connection, contest: str) -> Kept:
    """The contest of that identifier; an unknown one is an error."""
    found = kept.load_named(connection, [contest]) if isinstance(contest, str) else Kept.none()
    if not len(found):
        known = fetch(connection, select(schema.contests.c.contest))[0]
        raise PodiumError(
            f"there is no contest {contest!r}{suggestion(contest, known)} in the league."
        )
    return found


def _contests_of(connection: Connection, player: int) -> Kept:
    """All contests of a player."""
    s = schema.standings
    theirs = select(s.c.contest_id).where(s.c.player_id == player)
    return kept.load(connection, schema.contests.c.id.in_(theirs))


def _unknown(connection: Connection, added: Kept, rated: bool) -> tuple[Kept, list[str]]:
    """The contests that are new, and the identifiers of those that are there already."""
    there = kept.load_named(connection, added.contest)
    if not len(there):
        return added, []
    place = {contest: number for number, contest in enumerate(added.contest)}
    again = added.take([place[contest] for contest in there.contest])
    same = again.same_as(there)
    if not same.all():
        other = there.contest[int(np.flatnonzero(~same)[0])]
        raise PodiumError(
            f"contest {other!r} is in the league with other results; nothing was recorded. "
            f"podium amend puts it right: podium amend LEAGUE {other} FILE."
        )
    if rated and not there.rated.all():
        other = there.contest[int(np.flatnonzero(~there.rated)[0])]
        raise PodiumError(
            f"contest {other!r} is in the league, unrated; nothing was recorded. "
            f"podium amend LEAGUE {other} --rated rates it."
        )
    known = set(there.contest)
    new = [number for number, contest in enumerate(added.contest) if contest not in known]
    return added.take(new), list(there.contest)


def _reordered(connection: Connection, player: int, new_name: str) -> Edit:
    """The contests in which a player with another name stands elsewhere among those who tie."""
    s = schema.standings
    own, tied = s.alias("own"), s.alias("tied")
    rows = connection.execute(
        select(own.c.contest_id, own.c.position, tied.c.position, schema.players.c.name)
        .join(
            tied,
            (tied.c.contest_id == own.c.contest_id)
            & (tied.c.rank == own.c.rank)
            & (tied.c.player_id != own.c.player_id),
        )
        .join(schema.players, schema.players.c.id == tied.c.player_id)
        .where(own.c.player_id == player)
    )
    moved = {
        contest for contest, mine, theirs, name in rows if (mine < theirs) != (new_name < name)
    }
    if not moved:
        return Edit()
    old = kept.load(connection, schema.contests.c.id.in_(sorted(moved)))
    names = people.names_of(connection, np.unique(old.columns.player).astype(np.int64))
    return Edit(dropped=old, put=_by_name(old, {**names, player: new_name}))


def _by_name(contests: Kept, names: dict[int, str]) -> Kept:
    """The same with those who tie by name."""
    c = contests.columns
    contest = np.repeat(np.arange(len(contests)), contests.sizes).tolist()
    called = [names[each] for each in c.player.tolist()]
    keys = list(zip(contest, c.rank.tolist(), called, strict=True))
    rows = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
    return contests.arranged(rows)


def _difference(old: Kept, new: Kept) -> dict[str, Any]:
    """What an amendment changes, for the log."""
    details: dict[str, Any] = {}
    for field in ("time", "weight", "perf_ceiling"):
        before, after = (float(getattr(each.columns, field)[0]) for each in (old, new))
        if before != after:
            details[field] = [before, after]
    for field in ("rated", "name"):
        before, after = (getattr(each, field)[0] for each in (old, new))
        if before != after:
            details[field] = [
                bool(each) if isinstance(each, np.bool_) else each for each in (before, after)
            ]
    was = dict(zip(old.columns.player.tolist(), old.columns.rank.tolist(), strict=True))
    now = dict(zip(new.columns.player.tolist(), new.columns.rank.tolist(), strict=True))
    details["players"] = [len(was), len(now)]
    details["ranks_changed"] = sum(was.get(player) != rank for player, rank in now.items())
    return details


def _shown(connection: Connection, revision: int) -> pl.DataFrame:
    """The shown ratings of all players: player_id, shown."""
    return reading.ratings(connection, revision).select("player_id", "shown")


def _moves_between(connection: Connection, was: pl.DataFrame, now: pl.DataFrame) -> pl.DataFrame:
    """Whose rating differs, by name."""
    both = was.join(now, on="player_id", how="full", coalesce=True, suffix="_after").filter(
        pl.col("shown").ne_missing(pl.col("shown_after"))
    )
    names = people.all_names(connection)
    called = [names[each] for each in both["player_id"].to_list()]
    return moves_table(called, both["shown"], both["shown_after"])


def _one_after_the_other(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The moves of several changes in a row as those of one."""
    together = (
        pl.concat(parts)
        .group_by("player", maintain_order=True)
        .agg(pl.col("before").first(), pl.col("after").last())
    )
    return moves_table(together["player"].to_list(), together["before"], together["after"])


def _before(connection: Connection) -> str:
    """The name of the revision that was in force before this one."""
    log = schema.log
    text = connection.execute(
        select(log.c.details)
        .where(log.c.action.in_(("revise", "rollback")))
        .order_by(log.c.id.desc())
        .limit(1)
    ).scalar()
    if text is None:
        raise PodiumError("the league has had one system only, so there is nothing to go back to.")
    name: str = json.loads(text)["from"]
    return name


def _drop_alias(connection: Connection, name: str) -> None:
    connection.execute(delete(schema.aliases).where(schema.aliases.c.name == name))


def _free_name(wanted: str, known: Sequence[str]) -> str:
    """That name, or with the first number that makes it new."""
    number, name = 1, wanted
    while name in known:
        number += 1
        name = f"{wanted} {number}"
    return name


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name or name != name.strip():
        raise PodiumError(f"{name!r} cannot be a name; a text without spaces around it can.")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise PodiumError("the name holds half a character, a surrogate.") from None


def _check_limit(what: str, value: object) -> None:
    if value is not None and (
        isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value)
    ):
        raise PodiumError(f"the rating {what} must be a finite number, not {value!r}.")


def _check_weight(weight: object) -> None:
    from podium.tables import WEIGHTS

    is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
    if not is_number or not WEIGHTS[0] <= weight <= WEIGHTS[1]:  # type: ignore[operator]
        raise PodiumError(
            f"weight must be a number from {WEIGHTS[0]:g} to {WEIGHTS[1]:g}, not {weight!r}."
        )
