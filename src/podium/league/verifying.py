"""Whether all that a league keeps is what its contests make of it."""

import bisect
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Column, Connection, and_, case, func, not_, or_, select

from podium.errors import BusyError, PodiumError, StorageError
from podium.league import (
    adjusting,
    checkpoints,
    edits,
    logs,
    people,
    players,
    revisions,
    schema,
    standings,
)
from podium.league.checkpoints import Known, distinct
from podium.league.database import Database, Meter, as_object, fetch, numbers, table_of
from podium.league.folding import Folded, fold
from podium.league.revisions import Revision
from podium.league.rules import Rules
from podium.league.standings import StoredContests
from podium.progress import Report, part_of, unseen
from podium.ratings import arithmetic
from podium.wording import counted

_MOST = 5
_DETAILS = ("team", "side", "share")
_TOLERANCE = 1e-9
_KINDS = {
    bool: ("integer",),
    bytes: ("blob",),
    float: ("real", "integer"),
    int: ("integer",),
    str: ("text",),
}
"""What SQLite calls the types of columns."""


@dataclass(frozen=True)
class Verification:
    """What a replay of everything found."""

    contests: int
    events: int
    """How many changes of ratings were compared, those of other revisions included."""
    differences: list[str]
    """What differs, in sentences; a few of each kind."""
    notes: list[str] = field(default_factory=list)
    """What else is to be known: what agrees only nearly, or cannot be compared."""

    @property
    def sound(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    @property
    def verdict(self) -> str:
        """In a few words."""
        if self.differences:
            return counted(len(self.differences), "difference")
        return "; ".join(self.notes) or "all as stored"

    def with_more(self, differences: list[str], notes: list[str]) -> "Verification":
        """The same with what else was found."""
        found, known = [*self.differences, *differences], [*self.notes, *notes]
        return Verification(self.contests, self.events, found, known)

    def document(self) -> dict[str, Any]:
        """As JSON says it; see docs/documents.md."""
        return {
            "sound": self.sound,
            "contests": self.contests,
            "events": self.events,
            "differences": self.differences,
            "notes": self.notes,
        }


class Closeness:
    """How close numbers of a revision have to be to those of a replay.

    To the bit; but what another kind of machine computed, to 1e-9 of the number or of what a
    newcomer has, mu or sigma, if that is larger: numbers near 0 are no more exact than others.
    """

    def __init__(self, revision: Revision) -> None:
        start = revision.system.newcomer()
        self._scale = np.nanmax(np.abs([start.get(name, 0.0) for name in ("mu", "sigma")])) or 1.0
        self._exact = revision.machine == arithmetic.this_machine()
        in_pool = 8.0 * float(np.finfo(revision.system.pool_type).eps)
        self._tolerance = max(_TOLERANCE, in_pool)
        self.note: str | None = None
        """What is to be said if all are close enough, but not the same."""

    def differ(self, found: NDArray[Any], wanted: NDArray[Any]) -> NDArray[Any]:
        """Where numbers differ; two that are not there are the same."""
        wrong: NDArray[Any] = ~((found == wanted) | ((found != found) & (wanted != wanted)))
        if self._exact or wanted.dtype.kind != "f" or not wrong.any():
            return wrong
        with np.errstate(invalid="ignore"):
            away = np.abs(found - wanted) / np.maximum(np.abs(wanted), self._scale)
        far: NDArray[Any] = wrong & ~(away <= self._tolerance)
        if (wrong & ~far).any():
            to = f"{self._tolerance:.0e}".replace("e-0", "e-")
            self.note = f"as stored to {to}, rated on another kind of machine"
        return far

    def agree(self, load: Callable[[], Known], other: Known) -> bool:
        """Whether what is kept agrees; what cannot even be read does not."""
        try:
            one = load()
        except (ValueError, IndexError, StorageError):
            return False
        pairs = [(one.player, other.player), *zip(one.packed, other.packed, strict=True)]
        if all(mine.tobytes() == theirs.tobytes() for mine, theirs in pairs):
            return True
        if self._exact or any(mine.shape != theirs.shape for mine, theirs in pairs):
            return False
        table, others = one.packed.table, other.packed.table
        pairs += [(table[name], others[name]) for name in table.dtype.names or ()]
        return not any(
            self.differ(mine, theirs).any() for mine, theirs in pairs if mine.dtype.names is None
        )


def verify(connection: Connection, report: Report = unseen) -> Verification:
    """Rate all contests from the beginning, by every revision that is up to date, and compare."""
    damages = [*_damages(connection), *_misfits(connection)]
    if damages:
        return Verification(0, 0, damages)
    contests = standings.load(connection)
    rules = edits.rules_of(connection)
    differences = [
        *_disorder(connection, contests),
        *_unreadable(connection),
        *_misdescribed(connection),
    ]
    current = [each for each in revisions.load(connection) if each.stale_time is None]
    events, notes = 0, list[str]()
    for number, revision in enumerate(current):
        if revision.arithmetic != arithmetic.ARITHMETIC:
            notes.append(f"revision {revision.name!r} {arithmetic.hindrance(revision.arithmetic)}")
            continue
        watched, closeness = part_of(report, number, len(current)), Closeness(revision)
        folded, found = _replayed(connection, revision, contests, closeness, watched)
        differences += found
        differences += _in_events(connection, revision, closeness, folded)
        differences += _in_ratings(connection, revision, rules, closeness, folded.after)
        events += folded.events.shape[1]
        notes += [closeness.note] if closeness.note else []
    return Verification(len(contests), events, differences, list(dict.fromkeys(notes)))


@contextmanager
def diagnosing(database: Database) -> Iterator[None]:
    """Say in a sentence if damage to a league is behind an error, even one that nobody foresaw.

    Whatever a damaged league makes of a question is an error of any kind; that the league is
    damaged is known from a replay of everything.
    """
    try:
        yield
    except StorageError as error:
        if "damaged" not in str(error) or str(error).startswith(database.shown):
            raise
        raise StorageError(f"{database.shown}: {error}") from error
    except PodiumError:
        raise
    except Exception as error:
        damage = _damage(database)
        if damage is None:
            raise
        raise StorageError(f"{database.shown}: is damaged: {damage}; a backup may help.") from error


def _damage(database: Database) -> str | None:
    """What is wrong with a league, if anything is."""
    try:
        with database.reading() as connection, database.explained():
            return next(iter(verify(connection).differences), None)
    except BusyError:
        return None
    except PodiumError as error:
        return str(error).rstrip(".")
    except Exception as error:
        return f"a replay fails ({type(error).__name__})"


def _damages(connection: Connection) -> Iterator[str]:
    """What SQLite finds wrong with the file."""
    if connection.dialect.name == "sqlite":
        for (said,) in connection.exec_driver_sql(f"PRAGMA integrity_check({_MOST})"):
            if said != "ok":
                yield f"the file is damaged: {said.splitlines()[-1]}"
        for table in schema.metadata.sorted_tables:
            odd = or_(*map(_is_odd, table.c))
            count = connection.execute(select(func.count()).select_from(table).where(odd)).scalar()
            if count:
                yield f"the file is damaged: {counted(count, 'row')} of {table.name} cannot be"


def _is_odd(column: "Column[Any]") -> Any:
    """Whether a value has a type that the column cannot have; SQLite keeps it nevertheless."""
    kinds = [*_KINDS[column.type.python_type], *(["null"] if column.nullable else [])]
    return func.typeof(column).not_in(kinds)


def _misfits(connection: Connection) -> Iterator[str]:
    """Where contests and their standings do not fit together."""
    c, s = schema.contests, schema.standings
    rows = (
        select(
            s.c.contest_id,
            func.count().label("count"),
            func.min(s.c.position).label("first"),
            func.max(s.c.position).label("last"),
            func.max(
                case(
                    (not_(s.c.eligible) | or_(*(s.c[each].is_not(None) for each in _DETAILS)), 1),
                    else_=0,
                )
            ).label("details"),
        )
        .group_by(s.c.contest_id)
        .subquery()
    )
    fits = and_(
        rows.c["count"] == c.c.players,
        rows.c.first == 1,
        rows.c.last == c.c.players,
        c.c.detailed | (rows.c.details == 0),
    )
    both = select(c.c.contest).outerjoin(rows, rows.c.contest_id == c.c.id)
    wrong = both.where(or_(rows.c.contest_id.is_(None), not_(fits))).order_by(c.c.id).limit(_MOST)
    for contest in connection.execute(wrong).scalars():
        yield f"contest {contest!r}: the standings are not those that it has"
    lost = select(func.count()).select_from(rows).where(rows.c.contest_id.not_in(select(c.c.id)))
    count = connection.execute(lost).scalar_one()
    if count:
        yield f"there are standings of {counted(count, 'contest')} that the league does not have"
    astray = select(func.count()).select_from(s).where(not_(schema.in_batches()))
    count = connection.execute(astray).scalar_one()
    if count:
        yield f"{counted(count, 'row')} of the standings are in no batch, where none are found"


def _disorder(connection: Connection, contests: StoredContests) -> Iterator[str]:
    """What is wrong with the standings themselves."""
    names = players.all_names(connection)
    c = contests.columns
    strangers = np.setdiff1d(c.player, np.array(list(names), np.int64))
    if len(strangers):
        yield f"{counted(len(strangers), 'player')} of the standings have no name"
        return
    called = [names[each] for each in c.player.tolist()]
    ranks = c.rank.tolist()
    bounds = c.offsets.tolist()
    for contest, start, end in zip(contests.contest, bounds[:-1], bounds[1:], strict=True):
        rows = list(zip(ranks[start:end], called[start:end], strict=True))
        if sorted(rows) != rows:
            yield f"contest {contest!r}: the standings are not by rank and name"
        elif len(set(called[start:end])) < end - start:
            yield f"contest {contest!r}: a player takes part twice"


def _unreadable(connection: Connection) -> Iterator[str]:
    """Changes of which the log no longer says what they did."""
    t, found = schema.log, 0
    rows = connection.execute(select(t.c.id, t.c.details, t.c.before, t.c.after).order_by(t.c.id))
    for number, details, before, after in rows:
        try:
            as_object(details)
            for state in (before, after):
                as_object(logs.unpacked(state) or "{}")
        except StorageError:
            found += 1
            if found <= _MOST:
                yield f"change {number} of the log cannot be read"


def _misdescribed(connection: Connection) -> Iterator[str]:
    """Where what is known of players is nobody's, of no attribute, or not of its kind."""
    a, p, league = schema.attributes, schema.players, schema.league
    largest = connection.execute(select(func.max(p.c.id))).scalar() or 0
    if largest > (connection.execute(select(func.max(league.c.last_player))).scalar() or 0):
        yield "a player has a number that the league does not know of"
    nobody = select(func.count()).select_from(a).where(a.c.player_id.not_in(select(p.c.id)))
    if lost := connection.execute(nobody).scalar_one():
        yield f"{counted(lost, 'value')} of attributes belong to nobody"
    defined = people.defined(connection)
    statement = select(a.c.attribute, a.c.value).distinct().order_by(a.c.attribute, a.c.value)
    found = 0
    for name, value in zip(*fetch(connection, statement), strict=True):
        try:
            sound = name in defined and defined[name].checked(value) == value
        except PodiumError:
            sound = False
        found += not sound
        if not sound and found <= _MOST:
            yield f"{value!r} is no value of an attribute {name!r} of the league"


def _replayed(
    connection: Connection,
    revision: Revision,
    contests: StoredContests,
    closeness: Closeness,
    progress: Report,
) -> tuple[Folded, list[str]]:
    """The fold over everything, and where the checkpoints are not what it passes through."""
    history = checkpoints.load(connection, revision.id)
    rated = contests.rateable()
    turns = [contests.order(each) for each in rated.contest.tolist()]
    starts = [bisect.bisect_left(turns, checkpoint.order) for checkpoint in history]
    wanted = [0] if turns else []
    sound = starts[:1] == wanted and sorted(set(starts)) == starts and len(turns) not in starts
    differences = [] if sound else ["the checkpoints do not cover all rated contests"]
    everybody = distinct(rated.columns.player)
    before = checkpoints.newcomers(revision.system, everybody)
    meter = Meter(progress)
    meter.expect(len(rated.columns.player))
    folded = fold(
        revision.system,
        contests,
        before,
        [],
        adjusting.load(connection),
        starts=starts if sound else None,
        meter=meter,
    )
    if sound:
        for kept_one, made in zip(history, folded.checkpoints, strict=True):
            assert made.before is not None
            known = functools.partial(kept_one.known, connection, revision.system)
            same = kept_one.size == made.size and closeness.agree(known, made.before)
            kept_one.before = made.before = None
            if not same:
                differences.append(
                    f"revision {revision.name!r}: the checkpoint at contest {kept_one.contest!r} "
                    f"holds other beliefs than a replay"
                )
    return folded, differences


def _in_events(
    connection: Connection, revision: Revision, closeness: Closeness, folded: Folded
) -> list[str]:
    """Where the history that is kept differs from the replay."""
    e = schema.events
    wanted = edits.event_columns(revision, folded)
    del wanted["revision_id"]
    selected = select(*(e.c[name] for name in wanted)).where(e.c.revision_id == revision.id)
    rows = table_of(connection, selected, len(wanted))
    rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
    found = dict(zip(wanted, rows.T, strict=True))
    order = np.lexsort((wanted["position"], wanted["contest_id"]))
    wanted = {name: values[order] for name, values in wanted.items()}
    count = len(order)
    keys = ("contest_id", "position")
    if not all(np.array_equal(found[key], wanted[key]) for key in keys):
        return [
            f"revision {revision.name!r}: there are {counted(len(found['position']), 'event')}, "
            f"not those of the {count:,} rated participations"
        ]
    called = dict(zip(folded.contests.number.tolist(), folded.contests.contest, strict=True))
    return [
        f"revision {revision.name!r}: contest {called[int(wanted['contest_id'][row])]!r}, row "
        f"{int(wanted['position'][row])} has {name} {found[name][row]!r}, not {values[row]!r}"
        for row, name, values in _first_few(closeness, found, wanted)
    ]


def _in_ratings(
    connection: Connection, revision: Revision, rules: Rules, closeness: Closeness, after: Known
) -> list[str]:
    """Where what players have now differs from the replay."""
    r, adjustments = schema.ratings, adjusting.load(connection)
    started = checkpoints.newcomers(revision.system, np.unique(adjustments.player))
    rated = adjusting.records(after.and_others(started), revision.system, adjustments)
    wanted = edits.rating_columns(revision, rules, rated)
    del wanted["revision_id"]
    wanted["last_time"] = rated.table["last_time"].copy()
    never = func.coalesce(r.c.last_time, 0).label("last_time")
    found = _columns(
        fetch(
            connection,
            select(*(never if name == "last_time" else r.c[name] for name in wanted))
            .where(r.c.revision_id == revision.id)
            .order_by(r.c.player_id),
        ),
        wanted,
    )
    if not np.array_equal(found["player_id"], wanted["player_id"]):
        return [
            f"revision {revision.name!r}: other players have ratings than have played or started"
        ]
    differences = [
        f"revision {revision.name!r}: player {int(wanted['player_id'][row])} has {name} "
        f"{found[name][row]!r}, not {values[row]!r}"
        for row, name, values in _first_few(closeness, found, wanted)
    ]
    now = functools.partial(checkpoints.load_now, connection, revision.id, revision.system)
    if not closeness.agree(now, after):
        differences.append(f"revision {revision.name!r}: the beliefs kept differ from a replay")
    return differences


def _columns(found: list[list[Any]], wanted: dict[str, Any]) -> dict[str, Any]:
    return {
        name: numbers(values, np.float64 if wanted[name].dtype.kind == "f" else np.int64)
        for (name, values) in zip(wanted, found, strict=True)
    }


def _first_few(
    closeness: Closeness, found: dict[str, Any], wanted: dict[str, Any]
) -> Iterator[tuple[int, str, Any]]:
    """The first rows in which each column differs."""
    for name, values in wanted.items():
        for row in np.flatnonzero(closeness.differ(found[name], values))[:_MOST].tolist():
            yield row, name, values
