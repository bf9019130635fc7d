"""The league: how it is made and opened, and what is done to it; `views` has the questions."""

import contextlib
import dataclasses
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, Self, TypedDict, Unpack

from sqlalchemy import Connection, insert, update

from podium import systems
from podium.errors import BusyError, ConflictError, InputError, NotFoundError, StorageError
from podium.league import (
    access,
    changes,
    describing,
    hindsight,
    late,
    live,
    notices,
    revisions,
    schema,
    seasons,
    spelling,
    undoing,
    webhooks,
)
from podium.league.access import Token
from podium.league.attributes import Attribute
from podium.league.changes import Change
from podium.league.database import Database, now, state, user_name
from podium.league.edits import Changing
from podium.league.live import Posted
from podium.league.logs import Moved, check_reason, who_moved, write_log
from podium.league.rules import Rules, check_rules
from podium.league.verifying import diagnosing
from podium.league.views import View, view_of
from podium.progress import Progress, part_of, reporting
from podium.ratings.adjustments import Season, Starts
from podium.ratings.ladder import Standings
from podium.results.contests import Contests
from podium.results.options import Options
from podium.results.scanning import Scan
from podium.results.times import Time, refuse_future, to_microseconds
from podium.systems.base import System
from podium.wording import counted

if TYPE_CHECKING:
    from podium.hindsight.looking import LookBack
    from podium.league.backups import Backup
    from podium.league.feeding.feed import Feed, Late

FIRST_REVISION = "first"
_WAIT = 30.0
_TRIES = 5
"""How often standings are predicted for the state that the league is in by then."""
_UNSAID = {"weight": 1.0}


class How(TypedDict, total=False):
    """What every change of a league can be told."""

    who: str | None
    """Who makes it, for the log; the login name if nothing is said."""
    why: str | None
    """The reason, for the log."""
    dry_run: bool
    """Change nothing; say what would change."""
    progress: Progress | None
    """True for a bar, or a function that is told the rows rated and the rows to rate."""
    expecting: str | None
    """The state that the league is thought to be in; in another, it is a `ConflictError`."""


@contextlib.contextmanager
def snapshot(
    where: str | os.PathLike[str], *, wait: float = _WAIT, with_hidden: bool = False
) -> Iterator[View]:
    """One state of the league at a place, which is opened for it and let go after it."""
    database = Database(where, wait=wait)
    with contextlib.closing(database), view_of(database, with_hidden=with_hidden) as view:
        yield view


@dataclasses.dataclass(frozen=True, repr=False)
class Migration(Change):
    """What bringing a league up to date did."""

    respelt: list[tuple[str, str, str]] = dataclasses.field(default_factory=list)
    """What has another spelling, `player`, `alias`, `contest` or `title`: before and after."""
    reordered: list[str] = dataclasses.field(default_factory=list)
    """Contests that were rated again, because those who tie stand in another order."""
    alike: list[list[str]] = dataclasses.field(default_factory=list)
    """Names of different players or contests that would be one, and were left alone."""

    def document(self, top: int | None = None) -> dict[str, Any]:
        """As JSON says it; see docs/documents.md."""
        kinds = ("what", "before", "after")
        return {
            **super().document(top),
            "respelt": [dict(zip(kinds, each, strict=True)) for each in self.respelt],
            "reordered": self.reordered,
            "alike": self.alike,
        }


class Guard(Protocol):
    """What somebody else has to say of changes, in the transactions in which they are made."""

    def before(self, connection: Connection, dry_run: bool) -> None:
        """Raise if a change is not to be made; of a dry run, nothing can be written."""

    def after(self, connection: Connection, change: Change) -> None:
        """Write what belongs to a change that is made."""


class _OnlyTriedError(BaseException):
    """Ends a transaction of which nothing is to remain."""


class League(View):
    """A ladder in a database, which can be corrected afterwards.

    Every change is one transaction, and whatever is changed, all ratings are those of a league in
    which it had been so from the start, to the bit. Changes take `who`, the login name if nothing
    is said, and `why`, for the log; with ``dry_run=True`` they only say what they would do. Every
    question is answered from one state, and several from the same one in a `snapshot`. Threads and
    forked processes may share a league: whoever asks or changes has a connection of their own.

    Nobody who asks waits for somebody who changes it, nor the other way round.

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

    _guard: Guard | None = None

    def __init__(self, where: str | os.PathLike[str], *, wait: float = _WAIT) -> None:
        self._database = Database(where, wait=wait)
        with self._database.reading():
            pass

    @classmethod
    def reading(cls, where: str | os.PathLike[str], *, wait: float = _WAIT) -> Self:
        """Open a league so that it could not be changed, for many threads that ask at once.

        All questions are answered; whatever would change the league, even a dry run, is an
        `InputError`. A file that another takes the place of is noticed with the next question. A
        file whose folder cannot be written to either is read, too.

        Example:
            >>> import podium, tempfile
            >>> folder = tempfile.TemporaryDirectory()
            >>> with podium.League.create(f"{folder.name}/league.db") as league:
            ...     change = league.record(["ann", "bob"], time="2026-05-01")
            >>> with podium.League.reading(f"{folder.name}/league.db") as league:
            ...     league.leaderboard(1)["player"].item()
            'ann'
            >>> folder.cleanup()
        """
        database = Database(where, wait=wait, readonly=True)
        with database.reading():
            pass
        return cls._opened(database)

    @property
    def is_readonly(self) -> bool:
        """Whether it was opened by `reading`."""
        return self._database.readonly

    def pulse(self) -> str:
        """The same as `state`, for whoever asks again and again whether something has changed.

        Of a league in a file it costs some microseconds as long as nothing has, and never waits for
        somebody who writes; threads may ask at once. Of a league on a server it is asked for at
        most four times a second, and what was said last is said until then.

        Example:
            >>> import podium, tempfile
            >>> folder = tempfile.TemporaryDirectory()
            >>> league = podium.League.create(f"{folder.name}/league.db")
            >>> before = league.pulse()
            >>> league.pulse() == before
            True
            >>> change = league.record(["ann", "bob"], time="2026-05-01")
            >>> league.pulse() == before
            False
            >>> league.close(); folder.cleanup()
        """
        with diagnosing(self._database):
            return self._database.pulse()

    def backup(
        self,
        path: str | os.PathLike[str],
        *,
        replace: bool = False,
        progress: Progress | None = None,
    ) -> "Backup":
        """Copy one state of the league to a file, whatever others do meanwhile.

        The file is a league, of a league on a server too. It appears when it is complete, and
        needs nothing beside it.

        Args:
            path: Where to.
            replace: Whether a league that is there may be replaced; what is none never is.
            progress: True for a bar, or a function that is told the part done and the whole.

        Example:
            >>> import podium, tempfile
            >>> folder = tempfile.TemporaryDirectory()
            >>> league = podium.League.create(f"{folder.name}/league.db")
            >>> change = league.record(["ann", "bob"], time="2026-05-01")
            >>> copy = league.backup(f"{folder.name}/copy.db")
            >>> copy.contests, copy.state == league.state
            (1, True)
            >>> league.close(); folder.cleanup()
        """
        from podium.league.backups import backup

        database = self._database
        with diagnosing(database), self.snapshot() as view, database.explained():
            return backup(view, path, replace=replace, progress=progress)

    @classmethod
    def create(
        cls,
        where: str | os.PathLike[str],
        system: str | System = "elo-mmr",
        *,
        rules: Rules | None = None,
        who: str | None = None,
        wait: float = _WAIT,
        private: bool = False,
        **parameters: Any,
    ) -> Self:
        """Make a new league, where there is none yet.

        Who may read and change its file, the umask says; if it is `private`, its owner alone.
        """
        chosen = systems.as_system(system, parameters)
        kept_parameters = revisions.stored(chosen)
        rules = Rules() if rules is None else rules
        check_rules(rules)
        rules.check(chosen)
        check_reason(who, None)
        database = Database(where, wait=wait, new=True)
        if private:
            database.keep_private()
        with database.making() as (connection, version):
            if version is not None:
                raise ConflictError(
                    f"{database.shown}: there is a league already; podium record adds contests."
                )
            database.upgrade(connection)
            moment = now()
            revisions.add(connection, revisions.Revision(1, FIRST_REVISION, chosen, moment))
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
    def migrate(
        cls,
        where: str | os.PathLike[str],
        *,
        wait: float = _WAIT,
        progress: Progress | None = None,
    ) -> "Migration":
        """Bring a league that an earlier version of podium made up to date.

        If that version's arithmetic was another one, everything is rated anew, and the moves are
        those of more than 1e-6. Names get their one spelling, by which contests with ties may be
        rated again.
        """
        database = Database(where, wait=wait)
        with (
            contextlib.closing(database),
            diagnosing(database),
            reporting(progress, "Migrating") as report,
            database.making() as (connection, version),
        ):
            if version is None:
                raise NotFoundError(f"{database.shown}: holds no league; podium init makes one.")
            if version > schema.VERSION:
                raise StorageError(f"{database.shown}: was made by a later version of podium.")
            done: list[str] = []
            details: dict[str, Any] = {"from": version, "to": schema.VERSION}
            if version < schema.VERSION:
                database.upgrade(connection)
                done.append(f"brought the league from version {version} to {schema.VERSION}")
            names = spelling.put_right(connection, report)
            if names.respelt:
                done.append(f"gave {counted(len(names.respelt), 'name')} one spelling")
                details["respelt"] = len(names.respelt)
            anew = changes.renew(connection, report)
            if anew.applied:
                done.append(anew.what)
            moves = anew.moves if anew.applied else names.moves
            if moves.height or anew.applied:
                details |= who_moved(Moved.of(moves))
            details |= {
                name: found
                for name in ("reordered", "alike")
                if (found := getattr(names, name)) and done
            }
            if done:
                before = {"names": names.respelt} if names.respelt else None
                noted = write_log(connection, "migrate", None, None, details=details, before=before)
                known = notices.Telling(), revisions.in_force(connection), Rules()
                notices.announce(
                    connection, notices.Noted(*noted, "migrate"), Moved.of(moves), *known
                )
        return Migration(
            " and ".join(done) or "the league is up to date already",
            bool(done),
            replayed=anew.replayed + names.replayed,
            moves=moves,
            respelt=names.respelt,
            reordered=names.reordered,
            alike=names.alike,
        )

    def guarded(self, guard: Guard) -> Self:
        """The same league, whose changes somebody else has a say in."""
        league = self._opened(self._database)
        league._guard = guard
        return league

    def snapshot(self, *, with_hidden: bool = False) -> "AbstractContextManager[View]":
        """One state of the league, of which any number of questions can be asked.

        With hidden players it is the organiser's own, and not to be shown to others.

        Example:
            >>> import podium, tempfile
            >>> folder = tempfile.TemporaryDirectory()
            >>> league = podium.League.create(f"{folder.name}/league.db")
            >>> change = league.record(podium.simulate(players=20, rounds=5, seed=1))
            >>> with league.snapshot() as view:
            ...     best = view.leaderboard(1)["player"].item()
            ...     history = view.history_of(best)
            >>> history["rating"][-1] == league.player(best).rating
            True
            >>> league.close(); folder.cleanup()
        """
        return view_of(self._database, with_hidden=with_hidden)

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def record(
        self,
        results: Contests | Scan | Standings,
        *,
        rated: bool = True,
        floor: float | None = None,
        ceiling: float | None = None,
        guests: Sequence[str] = (),
        leave_known: bool = False,
        near: bool = False,
        strict: bool = False,
        future: bool = False,
        id: str | None = None,
        time: Time | None = None,
        weight: float = 1.0,
        perf_ceiling: float | None = None,
        shares: Mapping[str, float] | None = None,
        margin: float | None = None,
        home: str | None = None,
        score: float | None = None,
        **how: Unpack[How],
    ) -> Change:
        """Add contests, of any time. Those that are there with the same results change nothing.

        Args:
            results: What `podium.read` or a constructor of `podium.Contests` returned; what
                `podium.scan` did, which is recorded piece by piece, all of it or nothing; or one
                contest, as `podium.Ladder.record` takes it: ``["ann", ("bob", "cat"), "dan"]``.
            rated: Whether the contests count; those that do not can be rated later, by `amend`.
            floor: Only players whose rating, just before, is not below are rated.
            ceiling: Only players whose rating, just before, is below are rated. Who is
                eligible is settled now, and stays so whatever changes later.
            guests: Players, by name, who take part in these contests without being rated, and
                without counting for the others; in addition to those whom `set_guest` made guests.
            leave_known: Leave contests that are there as they are, even if these results are
                other ones; otherwise that is an error.
            near: Look for newcomers who are almost called as somebody known: `Change.near`. It
                takes a second for 300,000 players.
            strict: If there are such newcomers, record nothing: a `ConflictError` names them.
            future: Of one contest, believe a time that is more than two years ahead of the clock.
            id: Of one contest, the identifier; by default its date and a number that is new and
                comes after all contests of the same time.
            time: Of one contest, when it took place; by default, at the time of the last one.
            weight: And what else `podium.Ladder.record` takes, of one contest.
            perf_ceiling: The same.
            shares: The same.
            margin: The same.
            home: The same.
            score: The same.
            **how: As for every change: see `podium.league.How`.

        Example:
            >>> import podium, tempfile
            >>> folder = tempfile.TemporaryDirectory()
            >>> with podium.League.create(f"{folder.name}/league.db") as league:
            ...     change = league.record(["ann", ("bob", "cat")], time="2026-05-01")
            >>> change.recorded
            ['2026-05-01-1']
            >>> folder.cleanup()
        """
        about: dict[str, Any] = {
            "id": id,
            "time": time,
            "weight": weight,
            "perf_ceiling": perf_ceiling,
            "shares": shares,
            "margin": margin,
            "home": home,
            "score": score,
        }
        said = next((key for key, value in about.items() if value != _UNSAID.get(key)), None)
        if isinstance(results, Contests | Scan) and said is not None:
            raise InputError(f"{said} is for standings of one contest; contests have their own.")

        def plan(change: Changing) -> Change:
            given = results
            if isinstance(given, Sequence):
                given = changes.one_contest(change, given, future=future, **about)
            return changes.record(
                change,
                given,
                rated=rated,
                floor=floor,
                ceiling=ceiling,
                guests=guests,
                leave_known=leave_known,
                near=near,
                strict=strict,
            )

        in_parts = floor is not None or ceiling is not None or isinstance(results, Scan)
        return self._changed(plan, rehearse=in_parts, **how)

    def feed(
        self,
        *,
        late: "Late" = "now",
        who: str | None = None,
        why: str | None = None,
        memory: int = 256 * 2**20,
        waiting: int = 10_000,
        quiet: float = 1.0,
    ) -> "Feed":
        """Take matches as they end, from many threads or tasks, thousands in a second.

        Of a league in a file one process does that at a time; of one on PostgreSQL, any number.
        See docs/live.md.

        Args:
            late: What to do with matches that took place before others that are rated: ``"now"``
                rates them where they belong, ``"defer"`` lets them wait until the feed is quiet.
            who: Who records them, for the log; the login name if nothing is said.
            why: The reason, for the log.
            memory: Bytes of players who are known without asking the database; those who were not
                used for the longest time are forgotten beyond.
            waiting: So many matches may wait; another one is a `BusyError`.
            quiet: Seconds without a match after which the feed is quiet.

        Example:
            >>> import podium, tempfile
            >>> folder = tempfile.TemporaryDirectory()
            >>> league = podium.League.create(f"{folder.name}/league.db", "glicko2")
            >>> with league.feed() as feed:
            ...     ratings = feed.record(["ann", "bob"], id="match-91")
            ...     ratings.change("ann") > 0
            True
            >>> league.close(); folder.cleanup()
        """
        from podium.league.feeding.feed import Feed

        return Feed(
            self._database,
            late=late,
            who=who,
            why=why,
            memory=memory,
            waiting=waiting,
            quiet=quiet,
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
        removing: bool = False,
        future: bool = False,
        **how: Unpack[How],
    ) -> Change:
        """Put a contest right: its results, whether it is rated, its time, weight or name.

        Args:
            contest: Its identifier.
            results: The results that it should have had, all of them; there may be others too.
            rated: Whether it counts; by default, as before.
            time: When it took place.
            weight: How much it counts.
            name: What it is called; an empty text for no name.
            removing: Whether the results may lack more than a tenth of those whom the contest has;
                otherwise that is a `RemovalError`, except in a dry run.
            future: Believe a time that is more than two years ahead of the clock.
            **how: As for every change: see `podium.league.How`.
        """
        moment = None if time is None else to_microseconds(time)
        if moment is not None and not future:
            refuse_future(moment, f"contest {contest!r}")
        return self._changed(
            lambda change: changes.amend(
                change,
                contest,
                results,
                rated=rated,
                moment=moment,
                weight=weight,
                name=name,
                removing=removing,
            ),
            **how,
        )

    def disqualify(self, contest: str, player: str, **how: Unpack[How]) -> Change:
        """Take a player out of a contest; those below move up."""
        return self._changed(lambda change: changes.disqualify(change, contest, player), **how)

    def remove(self, contest: str, **how: Unpack[How]) -> Change:
        """Take a contest out of the league."""
        return self._changed(lambda change: changes.remove(change, contest), **how)

    def rename(
        self, player: str, new_name: str, *, keep_old: bool = True, **how: Unpack[How]
    ) -> Change:
        """Give a player another name.

        Results may go on to use the old one, unless ``keep_old=False`` sets it free for somebody
        else. Those who tie stand by name, so that ratings can change in their last digits.
        """
        return self._changed(
            lambda change: changes.rename(change, player, new_name, keep_old=keep_old), **how
        )

    def merge(
        self, player: str, into: str, *, keep: changes.Keep = None, **how: Unpack[How]
    ) -> Change:
        """Make one player of two who are the same person; results may go on to use both names.

        Args:
            player: Who it was thought to be.
            into: Who it really is, and whose number stays.
            keep: Whose details stay where they differ: ``"first"``, ``"second"`` or a name, for all
                of them or by attribute, as in ``{"country": "second"}``. If that is not said, it is
                a `DifferenceError`. What only one of them has stays anyway.
            **how: As for every change: see `podium.league.How`.
        """
        return self._changed(lambda change: changes.merge(change, player, into, keep), **how)

    def define_attributes(
        self, *attributes: Attribute | str, public: bool = True, **how: Unpack[How]
    ) -> Change:
        """Let players have attributes: what is known of them besides names.

        Args:
            *attributes: As ``"country"``, ``"birth_year:number"`` or a `podium.Attribute`; kinds
                are text, number, date and link. One that the league has gets another kind, if all
                values are of it.
            public: Whether everybody may see those that are given as texts, or only the organiser.
            **how: As for every change: see `podium.league.How`.

        Example:
            >>> import podium, tempfile
            >>> folder = tempfile.TemporaryDirectory()
            >>> league = podium.League.create(f"{folder.name}/league.db")
            >>> change = league.record(["ann", "bob"], time="2026-05-01")
            >>> league.define_attributes("country", "birth_year:number").what
            "defined the attributes 'country', 'birth_year'"
            >>> league.describe("ann", {"country": "NO", "birth_year": 2005}).what
            "described 'ann': 'country', 'birth_year'"
            >>> league.leaderboard(where=["birth_year>=2005"])["player"].to_list()
            ['ann']
            >>> league.close(); folder.cleanup()
        """
        wanted = [Attribute.parse(each, public=public) for each in attributes]
        return self._changed(lambda change: describing.define(change, wanted), **how)

    def remove_attributes(self, *names: str, **how: Unpack[How]) -> Change:
        """Let players no longer have attributes; all their values are removed, too."""
        return self._changed(lambda change: describing.define(change, [], names), **how)

    def describe(
        self, player: str, values: Mapping[str, Any], *, new: bool = False, **how: Unpack[How]
    ) -> Change:
        """Let something be known of a player.

        Args:
            player: The player, by name or alias.
            values: By attribute, and `display`, what the player is shown as; None removes a value.
            new: Whether a player whom the league does not know is added, without results.
            **how: As for every change: see `podium.league.How`.
        """
        described = {player: describing.fields_of(values)}
        return self._changed(lambda change: describing.describe(change, described, new=new), **how)

    def describe_all(
        self, table: Any, *, define: bool = False, new: bool = False, **how: Unpack[How]
    ) -> Change:
        """Let what a table says be known of its players, all of it or nothing.

        Args:
            table: A frame with a row for each player: `player`, by name or alias, `display`,
                `hidden` (yes or no) and attributes. An empty cell changes nothing, and ``-``
                removes a value.
            define: Whether columns that the league has no attribute for become some, of the kind
                that all their values are; otherwise they are an `InputError`.
            new: Whether players whom the league does not know are added, without results.
            **how: As for every change: see `podium.league.How`.
        """
        described, fields = describing.of_table(table)
        return self._changed(
            lambda change: describing.describe_all(
                change, described, fields, define=define, new=new
            ),
            **how,
        )

    def hide(self, player: str, **how: Unpack[How]) -> Change:
        """Let a player be in no output but the organiser's own.

        Results stay, and count for others; in standings, an anonymous row stands in their place.
        """
        return self._changed(lambda change: describing.hide(change, player, hidden=True), **how)

    def show(self, player: str, **how: Unpack[How]) -> Change:
        """Let a player who is hidden be seen again."""
        return self._changed(lambda change: describing.hide(change, player, hidden=False), **how)

    def revise(
        self,
        system: str | System | None = None,
        *,
        name: str | None = None,
        who: str | None = None,
        why: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
        expecting: str | None = None,
        **parameters: Any,
    ) -> Change:
        """Rate the league by another system or other parameters, as a new revision.

        The revision in force until then is kept: `compare` shows what differs, and `rollback`
        goes back to it. Without a system, the present one gets other parameters.
        """
        return self._changed(
            lambda change: changes.revise(change, system, name, parameters),
            who=who,
            why=why,
            dry_run=dry_run,
            progress=progress,
            expecting=expecting,
        )

    def rollback(self, revision: str | None = None, **how: Unpack[How]) -> Change:
        """Put another revision in force: that of this name, or the one in force before.

        What has changed in the league since is rated by it too.
        """
        return self._changed(lambda change: changes.rollback(change, revision), **how)

    def set_rules(self, rules: Rules, **how: Unpack[How]) -> Change:
        """Show ratings by other rules; nothing is rated again."""
        return self._changed(lambda change: changes.set_rules(change, rules), **how)

    def set_guest(self, player: str, guest: bool = True, **how: Unpack[How]) -> Change:
        """Make a player a guest, or with ``guest=False`` a member again.

        A guest takes part in what is recorded from now on, added or amended, without being rated
        and without counting for the others. Results that are there stay as they are.

        Example:
            >>> import podium, tempfile
            >>> folder = tempfile.TemporaryDirectory()
            >>> league = podium.League.create(f"{folder.name}/league.db")
            >>> change = league.record(["ann", "bob"], id="spring", time="2026-05-01")
            >>> league.set_guest("bob").what
            "'bob' is a guest"
            >>> change = league.record(["bob", "ann", "cat"], id="summer", time="2026-08-01")
            >>> league.contest("summer").select("player", "eligible").rows()
            [('bob', False), ('ann', True), ('cat', True)]
            >>> league["bob"].contests
            1
            >>> league.close(); folder.cleanup()
        """
        return self._changed(lambda change: changes.set_guest(change, player, guest=guest), **how)

    def season(
        self,
        name: str,
        start: Time,
        *,
        pull: float | None = None,
        toward: float | None = None,
        sigma: float | None = None,
        future: bool = False,
        **how: Unpack[How],
    ) -> Change:
        """Let a season begin, with a reset if there is a `pull`, or put right one of that name.

        Contests from then on are rated again, and everybody's rating is that after all resets, also
        of those who have not played since. Arguments are those of `podium.Season`.

        Example:
            >>> import podium, tempfile
            >>> folder = tempfile.TemporaryDirectory()
            >>> league = podium.League.create(f"{folder.name}/league.db", "elo")
            >>> change = league.record(["ann", "bob"], id="1", time="2025-06-01")
            >>> league.season("2026", "2026-01-01", pull=1.0, toward=1500).moves.height
            2
            >>> league.player("ann").rating
            1500.0
            >>> league.close(); folder.cleanup()
        """
        begun = Season(name, start, pull=pull, toward=toward, sigma=sigma, future=future)
        return self._changed(lambda change: seasons.set_season(change, begun), **how)

    def remove_season(self, name: str, **how: Unpack[How]) -> Change:
        """Take a season out of the league, and its reset with it."""
        return self._changed(lambda change: seasons.remove_season(change, name), **how)

    def start(
        self,
        starts: Starts | Mapping[str, Any],
        time: Time | None = None,
        *,
        near: bool = False,
        **how: Unpack[How],
    ) -> Change:
        """Give players starting ratings, in place of those that they have as of the same times.

        Who is not known yet becomes a player.

        Args:
            starts: `podium.Starts`, or ratings by player, as it takes them.
            time: As of when, of ratings by player; by default, before all contests.
            near: Look for newcomers who are almost called as somebody known: `Change.near`.
            **how: As for every change: see `podium.league.How`.

        Example:
            >>> import podium, tempfile
            >>> folder = tempfile.TemporaryDirectory()
            >>> league = podium.League.create(f"{folder.name}/league.db", "elo")
            >>> change = league.start({"ann": 1900, "bob": 1400})
            >>> league.leaderboard()["rating"].to_list()
            [1900.0, 1400.0]
            >>> league.close(); folder.cleanup()
        """
        if isinstance(starts, Starts) and time is not None:
            raise InputError("time is for ratings by player; podium.Starts have their own.")
        given = starts if isinstance(starts, Starts) else Starts(starts, time)
        return self._changed(lambda change: seasons.start(change, given, near=near), **how)

    def remove_start(self, player: str, time: Time | None = None, **how: Unpack[How]) -> Change:
        """Take all starting ratings of a player back, or that of a time."""
        return self._changed(lambda change: seasons.remove_start(change, player, time), **how)

    def undo(self, entry: int | None = None, **how: Unpack[How]) -> Change:
        """Take back the last change that stands, or that of a number in the log.

        Everything is then as before it, to the bit. An earlier change can be taken back unless a
        later one depends on it: touches the same contest, or a player whom it renamed or merged, or
        made a revision; a `ConflictError` says which. To take back what took something back is to
        make that again.

        Args:
            entry: The number of the change in the log.
            **how: As for every change: see `podium.league.How`.

        Example:
            >>> import podium, tempfile
            >>> folder = tempfile.TemporaryDirectory()
            >>> league = podium.League.create(f"{folder.name}/league.db")
            >>> change = league.record(["ann", "bob", "cat"], id="spring", time="2026-05-01")
            >>> change = league.disqualify("spring", "bob")
            >>> league.undo().what
            "took back entry 3, the disqualification of 'bob' in contest 'spring'"
            >>> league.contest("spring")["player"].to_list()
            ['ann', 'bob', 'cat']
            >>> league.close(); folder.cleanup()
        """
        return self._changed(lambda change: undoing.undo(change, entry), **how)

    def redo(self, entry: int | None = None, **how: Unpack[How]) -> Change:
        """Make again the change that was taken back last, or that of a number in the log.

        As for `undo`, no later change may depend on its being taken back.
        """
        return self._changed(lambda change: undoing.redo(change, entry), **how)

    def reinstate(self, contest: str, player: str, **how: Unpack[How]) -> Change:
        """Put a player who was disqualified back into a contest, at the place that they had.

        The weight, time and name of the contest, whether it is rated, and who else is disqualified
        stay as they are now. If its results have become others since, that is a `ConflictError`.
        """
        return self._changed(lambda change: undoing.reinstate(change, contest, player), **how)

    def add(
        self,
        contest: str,
        results: Any,
        *,
        tied: bool | None = None,
        lowest_score_wins: bool = False,
        **how: Unpack[How],
    ) -> Change:
        """Put late results into a contest; who is in it already is a `ConflictError`.

        Args:
            contest: Its identifier.
            results: A row for each player, as a frame or as dictionaries: `player`, and `rank`
                among all, with the late ones, or `score`, where the contest was recorded by scores;
                `team`, `share`, `side` and `status` as for `podium.Contests.from_frame`. A
                column `contest` says which rows are meant, and `time` must be that of the contest.
            tied: Whether somebody whose rank another one has by now ties with them (True) or comes
                before them (False). If nothing is said and it matters, that is an `InputError`.
            lowest_score_wins: The best score is the lowest.
            **how: As for every change: see `podium.league.How`.

        Example:
            >>> import podium, tempfile
            >>> folder = tempfile.TemporaryDirectory()
            >>> league = podium.League.create(f"{folder.name}/league.db")
            >>> change = league.record(["ann", "bob"], id="spring", time="2026-05-01")
            >>> change = league.add("spring", [{"player": "cat", "rank": 2}], tied=False)
            >>> league.contest("spring")["player"].to_list()
            ['ann', 'cat', 'bob']
            >>> league.close(); folder.cleanup()
        """
        rows = late.as_rows(results)
        return self._changed(
            lambda change: late.add(
                change, contest, rows, tied=tied, lowest_score_wins=lowest_score_wins
            ),
            **how,
        )

    def _changed(
        self,
        plan: Callable[[Changing], Change],
        *,
        rehearse: bool = False,
        who: str | None = None,
        why: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
        expecting: str | None = None,
    ) -> Change:
        """Carry out a plan in one transaction; only try it in a dry run.

        To `rehearse` is to write, as if it was meant, what later parts of a plan read.
        """
        self._database.refuse_to_write()
        writes = rehearse or not dry_run
        done: Change | None = None
        try:
            database = self._database
            beginning = database.writing() if writes else database.reading()
            with (
                diagnosing(database),
                beginning as connection,
                database.explained(),
                reporting(progress, "Rating") as report,
            ):
                if self._guard is not None:  # first, since it may know what came of it before
                    self._guard.before(connection, dry_run)
                _refuse_another_state(connection, expecting)
                changing = Changing(connection, writes, who, why, report)
                done = plan(changing)
                if dry_run and writes:
                    raise _OnlyTriedError
                if self._guard is not None and not dry_run:
                    self._guard.after(connection, done)
        except _OnlyTriedError:
            pass
        assert done is not None
        return dataclasses.replace(done, applied=False) if dry_run else done

    def create_token(
        self, name: str, role: str, *, expires: Time | None = None, who: str | None = None
    ) -> str:
        """Let somebody do something by way of a site; the text that lets them, shown only now.

        Args:
            name: Whose it is; changes are logged in this name.
            role: ``"read"``, ``"record"``, ``"organise"`` or ``"own"``, each all that those before
                it are.
            expires: From when on it is good for nothing; by default, it is good until
                `revoke_token`.
            who: Who makes it, for the log.

        Example:
            >>> import podium, tempfile
            >>> folder = tempfile.TemporaryDirectory()
            >>> league = podium.League.create(f"{folder.name}/league.db")
            >>> league.create_token("ann", "organise").startswith("podium_1_")
            True
            >>> league.tokens().select("id", "name", "role").rows()
            [(1, 'ann', 'organise')]
            >>> league.close(); folder.cleanup()
        """
        check_reason(who, None)
        with self._administered() as connection:
            token, text = access.add_token(connection, name, role, expires, who or user_name())
            said = {"id": token.id, "name": name, "role": role}
            write_log(connection, "token", who, None, details={"made": said})
        return text

    def revoke_token(self, id: int, *, who: str | None = None) -> Token:
        """Let the token of that number be good for nothing from now on; what it was."""
        check_reason(who, None)
        with self._administered() as connection:
            token = access.revoke(connection, id)
            said = {"id": token.id, "name": token.name, "role": token.role}
            write_log(connection, "token", who, None, details={"revoked": said})
        return token

    def set_access(self, to: str, *, who: str | None = None) -> None:
        """Let everybody see the league on the web, ``"public"``, or who has a token, ``"private"``.

        Who can read its file or its database sees all of it anyway.
        """
        check_reason(who, None)
        with self._administered() as connection:
            access.checked_access(to)
            if access.access_of(connection) != to:
                connection.execute(update(schema.league).values(access=to))
                write_log(connection, "access", who, None, details={"to": to})

    def post_live(
        self,
        contest: str,
        standings: Any,
        *,
        name: str | None = None,
        time: Time | None = None,
        who: str | None = None,
    ) -> Posted:
        """Post the standings of a contest that is not over, in place of those before.

        What they would do to ratings is predicted once, here, and kept for all who look. The same
        standings again change nothing. Nothing is recorded.

        Args:
            contest: Its identifier, by which it is recorded later; then it is live no more.
            standings: One contest, as `podium.read_standings` gives it, or names, the best first,
                as for `podium.Ladder.record`.
            name: What it is called; by default what the standings say, or what was said before.
            time: When it takes place, if the standings are names; by default, now.
            who: Who posts them.

        Example:
            >>> import podium, tempfile
            >>> folder = tempfile.TemporaryDirectory()
            >>> league = podium.League.create(f"{folder.name}/league.db")
            >>> change = league.record(["ann", "bob", "cat"], id="spring", time="2026-05-01")
            >>> league.post_live("summer", ["bob", "cat", "ann"]).version
            1
            >>> league.live("summer").table["player"].to_list()
            ['bob', 'cat', 'ann']
            >>> change = league.record(["bob", "cat", "ann"], id="summer", time="2026-08-01")
            >>> league.live_contests()
            []
            >>> league.close(); folder.cleanup()
        """
        check_reason(who, None)
        self._database.refuse_to_write()
        identifier = live.checked_id(contest)
        for _ in range(_TRIES):
            given = self._prepare_live(identifier, standings, name, time)
            with self._posting(identifier) as connection:
                posted = live.keep(connection, given, who)
            if posted is not None:
                return posted
        raise BusyError(f"contest {contest!r} or the league changes all the time; post again.")

    def poll_live(
        self,
        contest: str,
        address: str | None,
        /,
        *,
        every: int = 30,
        who: str | None = None,
        **options: Any,
    ) -> None:
        """Let a site that may write fetch the standings of a contest, or with None no longer.

        Args:
            contest: Its identifier.
            address: Where they are, as ``https://…``.
            every: Seconds from one time to the next, 5 to 3,600.
            who: Who says so; standings are then posted in this name.
            **options: How they are read, as for `podium.read`.
        """
        check_reason(who, None)
        identifier = live.checked_id(contest)
        live.check_source(address, every)
        with self._posting(identifier) as connection:
            live.set_source(connection, identifier, address, every, Options.of(options), who)

    def live_fetched(self, source: "live.Source", problem: str | None = None) -> None:
        """Note that standings were fetched, or what went wrong, and when it is done again."""
        with self.noting() as connection:
            live.fetched(connection, source.contest, source.every, problem)

    def end_live(self, contest: str, *, who: str | None = None) -> None:
        """Let a contest be live no more, without recording it."""
        check_reason(who, None)
        with self._administered() as connection:
            live.end(connection, live.checked_id(contest), who)

    @contextlib.contextmanager
    def _posting(self, contest: str) -> Iterator[Connection]:
        """A transaction for what is posted: one of the league's own where a contest begins."""
        with self.snapshot() as view:
            begins = live.is_new(view._connection, contest)
        with self._administered() if begins else self.noting() as connection:
            yield connection

    def add_webhook(
        self, address: str, kinds: Iterable[str] | None = None, *, who: str | None = None
    ) -> tuple[int, str]:
        """Let a program be told of changes, by a site that serves the league; its number, secret.

        What is sent, how it is signed by the secret, and how often it is tried, docs/webhooks.md
        says. The secret is shown only now.

        Args:
            address: Where to, as ``https://example.org/hook``.
            kinds: What it is told: any of `podium.league.notices.KINDS`; by default, everything.
            who: Who arranges it, for the log.

        Example:
            >>> import podium, tempfile
            >>> folder = tempfile.TemporaryDirectory()
            >>> league = podium.League.create(f"{folder.name}/league.db")
            >>> number, secret = league.add_webhook("https://example.org/hook", ["title.reached"])
            >>> number, secret[:6]
            (1, 'whsec_')
            >>> league.webhooks().select("id", "address", "kinds").rows()
            [(1, 'https://example.org/hook', ['title.reached'])]
            >>> league.close(); folder.cleanup()
        """
        check_reason(who, None)
        wanted = webhooks.checked_kinds(kinds, notices.KINDS)
        with self._administered() as connection:
            made, secret = webhooks.add(connection, address, wanted, who or user_name())
            said = {"id": made.id, "host": made.shown, "kinds": wanted}
            write_log(connection, "webhook", who, None, details={"made": said})
        return made.id, secret

    def remove_webhook(self, id: int, *, who: str | None = None) -> None:
        """Let the webhook of that number be told nothing any more."""
        check_reason(who, None)
        with self._administered() as connection:
            gone = webhooks.remove(connection, id)
            said = {"id": gone.id, "host": gone.shown}
            write_log(connection, "webhook", who, None, details={"removed": said})

    def set_webhook(self, id: int, active: bool, *, who: str | None = None) -> None:
        """Let the webhook of that number be told of changes, or of none until it is set again."""
        check_reason(who, None)
        with self._administered() as connection:
            found = webhooks.set_active(connection, id, active)
            said = {"id": found.id, "host": found.shown, "active": active}
            write_log(connection, "webhook", who, None, details={"set": said})

    def send_again(self, webhook: int, notice: int | None = None) -> int:
        """Let a webhook be sent a notice again, or all that were given up; how many they are."""
        with self.noting() as connection:
            return webhooks.send_again(connection, webhook, notice)

    def store_look_back(self, *, progress: Progress | None = None, **how: Any) -> "LookBack":
        """Look back at all results, and keep what is seen beside the ratings that count.

        It takes the place of the one before. It is no change of the league: no rating, export or
        entry of the log is another one by it. It stays as of now, whatever is recorded or corrected
        later; `stored_look_back` says how much that was. Hidden players count, and nothing is kept
        of them. Teams are taken apart.

        Args:
            progress: True for a bar, or a function that is told the part done and the whole.
            **how: `weights`, `tune` and parameters, as for `podium.look_back`.

        Example:
            >>> import podium, tempfile
            >>> folder = tempfile.TemporaryDirectory()
            >>> league = podium.League.create(f"{folder.name}/league.db")
            >>> change = league.record(podium.simulate(players=20, rounds=9, seed=1))
            >>> look = league.store_look_back()
            >>> change = league.record(["player-0001", "player-0002"], time="2027-05-01")
            >>> kept = league.stored_look_back()
            >>> kept.about["contests"], kept.contests_since
            (9, 1)
            >>> league.looked_back_at("player-0001")["estimate"].equals(
            ...     look.player("player-0001")["estimate"]
            ... )
            True
            >>> league.close(); folder.cleanup()
        """
        from podium.hindsight.looking import look_back

        self._database.refuse_to_write()
        with reporting(progress, "Looking back") as report:
            with diagnosing(self._database), self.snapshot() as view:
                seen = hindsight.public_results(view._connection)
            found = look_back(seen.contests, progress=part_of(report, 0, 2), **how)
            with self._administered() as connection:
                hindsight.store(connection, seen, found, part_of(report, 1, 2))
        return found

    def drop_look_back(self) -> bool:
        """Keep no look back any more; whether there was one."""
        with self._administered() as connection:
            return hindsight.forget(connection)

    @contextlib.contextmanager
    def _administered(self) -> Iterator[Connection]:
        """A transaction for what is no change of ratings, results or players."""
        self._database.refuse_to_write()
        with diagnosing(self._database), self._database.writing() as connection:
            if self._guard is not None:
                self._guard.before(connection, False)
            yield connection

    @contextlib.contextmanager
    def noting(self) -> Iterator[Connection]:
        """A transaction for what a site keeps beside the league, which changes no state of it."""
        with diagnosing(self._database), self._database.noting() as connection:
            yield connection

    @classmethod
    def restore(
        cls,
        folder: str | os.PathLike[str],
        where: str | os.PathLike[str],
        *,
        wait: float = _WAIT,
        progress: Progress | None = None,
        private: bool = False,
    ) -> Self:
        """Build a league from what `export` wrote, which must be rated as it was there.

        Who may read and change its file, the umask says; if it is `private`, its owner alone.
        """
        from podium.league.exporting import restore

        database = Database(where, wait=wait, new=True)
        with reporting(progress, "Restoring") as report:
            restore(database, folder, report, private=private)
        return cls._opened(database)


def _refuse_another_state(connection: Connection, expected: str | None) -> None:
    """Raise if the league has changed since somebody looked at it."""
    if expected is not None and state(connection) != expected:
        raise ConflictError(
            "the league has changed since you looked at it; look again, and decide anew."
        )
