"""An edit of a league: which contests go and come, what that does to ratings, how it is kept."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, select
from sqlalchemy.exc import MultipleResultsFound, NoResultFound

from podium.errors import StorageError
from podium.league import (
    adjusting,
    checkpoints,
    logs,
    notices,
    players,
    queries,
    revisions,
    schema,
    segments,
    standings,
)
from podium.league.adjusting import Records
from podium.league.checkpoints import Checkpoint, Known, distinct
from podium.league.database import (
    UNWATCHED,
    Meter,
    fetch,
    insert,
    replace,
    within,
)
from podium.league.entries import TOGGLES
from podium.league.folding import Folded, checkpoint_at, contests_from, fold, known_at
from podium.league.logs import Moved, State
from podium.league.revisions import Revision
from podium.league.rules import Rules
from podium.league.standings import Order, StoredContests, order_of
from podium.numerics.columns import appearance_numbers
from podium.progress import Report
from podium.ratings.adjustments import Adjustments, check
from podium.ratings.rankings import in_order
from podium.systems.base import EVENTS, FORECAST, Floats

NO_MOVES = pl.DataFrame(
    schema={
        "player": pl.String,
        "before": pl.Float64,
        "after": pl.Float64,
        "change": pl.Float64,
    }
)


def moves_document(moves: pl.DataFrame, top: int | None = None) -> dict[str, Any]:
    """How many ratings change and the largest `top` changes or all; see docs/documents.md."""
    shown = moves if top is None else moves.head(top)
    return {"moved": moves.height, "moves": queries.documents(shown)}


def moves_in_order(players: list[str], before: Floats, after: Floats) -> Moved:
    """Whose shown rating changes, the largest change first; what is not there is NaN."""
    change = after - before
    moved = np.flatnonzero((before != after) & ~(np.isnan(before) & np.isnan(after)))
    keys = (-np.abs(change[moved]), -after[moved])
    order = moved[in_order([players[each] for each in moved.tolist()], *keys)]
    return Moved([players[each] for each in order.tolist()], before[order], after[order])


def moves_table(players: list[str], before: Floats, after: Floats) -> pl.DataFrame:
    """The same as a table."""
    names, was, now = moves_in_order(players, before, after)
    numbers = {"before": was, "after": now, "change": now - was}
    named = pl.Series(names, dtype=pl.String)
    return pl.DataFrame({"player": named, **numbers}, nan_to_null=True)


BEGINNING = (-(2**62), "")
"""Before all contests."""


@dataclass(frozen=True)
class Readjustment:
    """Seasons or starting ratings that go or come."""

    time: int
    """From when on something changes by it."""
    adjustments: Adjustments
    """All that there are afterwards."""
    players: NDArray[np.int64] | None
    """Whose rating may change even if they play no more; None for everybody's."""


@dataclass(frozen=True)
class Edit:
    """Contests that go, and contests that come; a contest that is put right does both.

    Or other adjustments than there were.
    """

    dropped: StoredContests = field(default_factory=StoredContests.none)
    put: StoredContests = field(default_factory=StoredContests.none)
    newcomers: dict[int, str] = field(default_factory=dict)
    readjusted: Readjustment | None = None

    @property
    def start(self) -> tuple[int, str] | None:
        """The first contest that is or was rated, by time and identifier.

        The turn of an adjustment is before those of its time.
        """
        turns = [
            (each.order(contest), (int(each.columns.time[contest]), each.contest[contest]))
            for each in (self.dropped, self.put)
            for contest in np.flatnonzero(each.rated)[:1].tolist()
        ]
        if self.readjusted is not None:
            turns.append((order_of(self.readjusted.time, ""), (self.readjusted.time, "")))
        return min(turns)[1] if turns else None


@dataclass(frozen=True)
class Outcome:
    """What an edit makes of the ratings of one revision."""

    folded: Folded
    first: int
    """The first of the folded contests whose events change."""
    before: list[Checkpoint]
    """The checkpoints that there were."""
    after: list[Checkpoint]
    played: NDArray[np.int64]
    """Players who take part, or took part, in what changes."""
    touched: NDArray[np.int64]
    """Players whose rating may change: these, and whom adjustments concern."""
    now: Records
    """Of those of them who have a rating, after all adjustments."""
    was: pl.DataFrame
    """Their shown ratings until now: player_id, shown, and which row of beliefs was in force."""
    is_new: bool
    """Whether the revision had no ratings."""
    anew: bool
    """Whether everything is rated again."""


@dataclass(frozen=True)
class Task:
    """Contests to fold, and from what: all that working out an edit needs of the database."""

    revision: Revision
    contests: StoredContests
    before: Known
    history: list[Checkpoint]
    first: int
    """The number of the checkpoint that the contests begin with."""
    order: Order
    """The turn from which on something changes."""
    missed: NDArray[np.int64]
    """Players who took part in what is no longer there."""
    adjustments: Adjustments
    concerned: NDArray[np.int64]
    """Players whose rating adjustments may have changed, whether they play or not."""

    def folded(self, meter: Meter = UNWATCHED) -> Folded:
        """Fold the contests."""
        system, earlier = self.revision.system, self.history[: self.first]
        return fold(system, self.contests, self.before, earlier, self.adjustments, meter=meter)


def prepare(
    connection: Connection,
    revision: Revision,
    edit: Edit,
    start: tuple[int, str],
    *,
    catching_up: bool = False,
) -> Task:
    """What is to be folded for an edit, from the checkpoint in which it begins.

    A revision that is `catching_up` has missed edits from there on, and whoever took part then.
    """
    history = checkpoints.load(connection, revision.id)
    order, readjusted = order_of(*start), edit.readjusted
    adjustments = adjusting.load(connection) if readjusted is None else readjusted.adjustments
    check(revision.system, adjustments)
    adds = bool(len(edit.put)) or readjusted is not None
    if adds and not len(edit.dropped) and standings.is_past(connection, order):
        first = len(history)
        contests = edit.put
    else:
        first = checkpoint_at(history, order)
        contests = contests_from(connection, history[first] if first else None)
        gone = np.isin(contests.number, edit.dropped.number)
        contests = StoredContests.concat([contests.take(np.flatnonzero(~gone)), edit.put])
    missed = edit.dropped.columns.player.astype(np.int64)
    if catching_up:
        then = [each.known(connection, revision.system).player for each in history[first:]]
        missed = np.concatenate((missed, *then))
    concerned = np.empty(0, np.int64)
    if readjusted is not None and readjusted.players is not None:
        concerned = readjusted.players
    elif readjusted is not None or (catching_up and adjusting.there_were(connection)):
        concerned = distinct(_rated_by(connection, revision.id), adjustments.player)
    elif start == BEGINNING:
        concerned = adjustments.player
    everybody = distinct(contests.columns.player, missed, concerned)
    if first == 0:
        before = checkpoints.newcomers(revision.system, everybody)
    else:
        tail = history[first:]
        before = known_at(connection, revision.id, revision.system, tail, everybody)
    return Task(revision, contests, before, history, first, order, missed, adjustments, concerned)


def _rated_by(connection: Connection, revision: int) -> NDArray[np.int64]:
    """The numbers of all who have a rating."""
    r = schema.ratings
    found = fetch(connection, select(r.c.player_id).where(r.c.revision_id == revision))
    return np.array(found[0], np.int64)


def conclude(connection: Connection, task: Task, folded: Folded) -> Outcome:
    """What the contests of a task make of the ratings."""
    revision, history, contests = task.revision, task.history, task.contests
    checkpoints.continued(history[task.first :], folded.checkpoints)
    together = [*history[: task.first], *folded.checkpoints]
    after = checkpoints.merged(connection, revision.system, together)
    unchanged = itertools.takewhile(
        lambda contest: contests.order(contest) < task.order, folded.rated.contest.tolist()
    )
    changed = sum(1 for _ in unchanged)
    rows = folded.rated.columns.player[folded.rated.columns.offsets[changed] :]
    played = distinct(rows, task.missed)
    touched = distinct(played, task.concerned)
    among = np.isin(folded.after.player, touched, assume_unique=True)
    now = adjusting.records(folded.after, revision.system, task.adjustments, among)
    r = schema.ratings
    one = select(r.c.player_id).where(r.c.revision_id == revision.id).limit(1)
    is_new = not history and connection.execute(one).first() is None
    was = _NOTHING_SHOWN if is_new else _shown_now(connection, revision.id, touched)
    anew = task.first == 0 and changed == 0
    return Outcome(folded, changed, history, after, played, touched, now, was, is_new, anew)


def rate_anew(
    connection: Connection, revision: Revision, rules: Rules, meter: Meter = UNWATCHED
) -> int:
    """Rate all contests by a revision, in place of what it has; how many they are."""
    e, r = schema.events, schema.ratings
    connection.execute(delete(e).where(e.c.revision_id == revision.id))
    segments.forget_ratings(connection, r.c.revision_id == revision.id)
    kept = checkpoints.load(connection, revision.id)
    checkpoints.save(connection, revision.id, kept, [])
    task = prepare(connection, revision, Edit(), BEGINNING)
    meter.expect(2 * len(task.contests.columns.player))
    outcome = conclude(connection, task, task.folded(meter))
    write_outcome(connection, revision, rules, outcome, meter)
    return len(outcome.folded.rated.contest)


_NOTHING_SHOWN = pl.DataFrame(
    schema={"player_id": pl.Int64, "shown": pl.Float64, "belief_id": pl.Int64}
)


def _shown_now(connection: Connection, revision: int, players: NDArray[np.int64]) -> pl.DataFrame:
    r = schema.ratings
    found = fetch(
        connection,
        select(r.c.player_id, r.c.shown, r.c.belief_id).where(
            r.c.revision_id == revision, within(connection, r.c.player_id, players.tolist())
        ),
    )
    columns = dict(zip(_NOTHING_SHOWN.columns, found, strict=True))
    return pl.DataFrame(columns, _NOTHING_SHOWN.schema)


def moves(
    connection: Connection, revision: Revision, rules: Rules, outcome: Outcome, edit: Edit
) -> tuple[pl.DataFrame, dict[int, str]]:
    """Whose shown rating changes, and what they are called, by number."""
    touched, now = outcome.touched, outcome.now
    before, after = np.full((2, len(touched)), np.nan)
    was, shown = outcome.was["player_id"].to_numpy(), outcome.was["shown"].to_numpy()
    before[np.searchsorted(touched, was)] = shown
    shown = rules.shown_of(revision.system, now.table)
    after[np.searchsorted(touched, now.player)] = shown
    moved = np.flatnonzero((before != after) & ~(np.isnan(before) & np.isnan(after)))
    if not len(moved):
        return NO_MOVES, {}
    who = touched[moved].tolist()
    old = np.array([each for each in who if each not in edit.newcomers], np.int64)
    names = {**edit.newcomers, **players.names_of(connection, old)}
    return moves_table([names[each] for each in who], before[moved], after[moved]), names


def shown_after(outcome: Outcome, revision: Revision, rules: Rules) -> pl.DataFrame:
    """The shown ratings of those whom an outcome touches: player_id, shown."""
    now = outcome.now
    shown = rules.shown_of(revision.system, now.table)
    return pl.DataFrame({"player_id": now.player, "shown": shown})


def shown_with(
    now: pl.DataFrame, outcome: Outcome, revision: Revision, rules: Rules
) -> pl.DataFrame:
    """The shown ratings of all, once an outcome has come about."""
    others = now.filter(~pl.col("player_id").is_in(outcome.touched.tolist()))
    return pl.concat((others, shown_after(outcome, revision, rules)))


def write_edit(connection: Connection, edit: Edit, meter: Meter = UNWATCHED) -> None:
    """Keep the players and contests of an edit."""
    players.add(connection, edit.newcomers)
    if len(edit.dropped):
        standings.delete_contests(connection, edit.dropped.number)
    edit.put.save(connection, meter)


def write_outcome(
    connection: Connection,
    revision: Revision,
    rules: Rules,
    outcome: Outcome,
    meter: Meter = UNWATCHED,
) -> None:
    """Keep what came of an edit for one revision."""
    _write_events(connection, revision, outcome, meter)
    known = outcome.folded.after.of(outcome.played)
    known = known.take(known.packed.table["contests"] > 0)
    beliefs = checkpoints.save_now(connection, revision.id, known)
    old, now = _beliefs_of(outcome, known.player, beliefs)
    columns = {**rating_columns(revision, rules, outcome.now), "belief_id": now}
    if outcome.is_new:
        insert(connection, schema.ratings, columns)
    else:
        r, unrated = schema.ratings, np.setdiff1d(outcome.touched, outcome.now.player)
        theirs = within(connection, r.c.player_id, unrated.tolist())
        connection.execute(delete(r).where(r.c.revision_id == revision.id, theirs))
        replace(connection, r, ("revision_id", "player_id"), columns)
    segments.exchange(connection, beliefs, old)
    checkpoints.save(connection, revision.id, outcome.before, outcome.after)
    revisions.note_machine(connection, revision, anew=outcome.anew)


def _beliefs_of(
    outcome: Outcome, player: NDArray[np.int64], new: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Which rows of beliefs go out of force, and which are in force of those who have a rating.

    Of these players, `new` are; of others who have played in what changed, none.
    """
    touched, was = outcome.touched, outcome.was
    row = np.zeros(len(touched), np.int64)
    before = np.nan_to_num(was["belief_id"].to_numpy())  # which Polars would do with its threads
    row[np.searchsorted(touched, was["player_id"].to_numpy())] = before
    played = np.searchsorted(touched, outcome.played)
    old = row[played]
    row[played] = 0
    row[np.searchsorted(touched, player)] = new
    now = row[np.searchsorted(touched, outcome.now.player)]
    return old[old > 0], _unless(now == 0, now)


def _write_events(
    connection: Connection, revision: Revision, outcome: Outcome, meter: Meter
) -> None:
    """Keep what happened in the contests that changed, or that come after one that did."""
    folded, e = outcome.folded, schema.events
    rated, number = folded.rated, folded.contests.number
    if not outcome.is_new:
        again = within(connection, e.c.contest_id, number[rated.contest[outcome.first :]].tolist())
        connection.execute(delete(e).where(e.c.revision_id == revision.id, again))
    insert(connection, e, event_columns(revision, folded, outcome.first), meter)


def rating_columns(revision: Revision, rules: Rules, records: Records) -> dict[str, Any]:
    """What the table of ratings keeps of players."""
    table = records.table
    mu, sigma, contests = (table[field].copy() for field in ("mu", "sigma", "contests"))
    last_time = table["last_time"].copy()
    return {
        "revision_id": revision.id,
        "player_id": records.player,
        "rating": revision.system.rating(mu, sigma, contests),
        "mu": mu,
        "sigma": sigma,
        "contests": contests,
        "last_time": _unless(contests == 0, last_time),
        "shown": rules.shown_of(revision.system, table),
    }


def _unless(lacking: NDArray[np.bool_], numbers: NDArray[np.int64]) -> NDArray[Any]:
    """Numbers as a table keeps them, which are not there where somebody lacks them."""
    if not lacking.any():
        return numbers
    kept = numbers.astype(object)
    kept[lacking] = None
    return kept


def event_columns(revision: Revision, folded: Folded, first: int = 0) -> dict[str, Any]:
    """What the table of events keeps of contests, from number `first` of those that are rated."""
    rated, columns = folded.rated, folded.rated.columns
    player = folded.after.places(columns.player)
    so_far = appearance_numbers(player, folded.after.packed.table["contests"].copy())
    happened = dict(zip(EVENTS, folded.events, strict=True))
    expected = dict(zip(FORECAST, folded.expected, strict=False))
    rating = revision.system.rating(happened["mu"], happened["sigma"], so_far)
    rows = slice(columns.offsets[first], None)
    contest = np.repeat(rated.contest, np.diff(columns.offsets))[rows]
    return {
        "revision_id": revision.id,
        "contest_id": folded.contests.number[contest],
        "position": 1 + rated.row[rows] - folded.contests.columns.offsets[contest],
        "number": so_far[rows],
        **{name: values[rows] for name, values in happened.items()},
        "rating": rating[rows],
        **{name: values[rows] for name, values in expected.items()},
    }


class Changing:
    """A change under way: what is in force, and who makes it."""

    def __init__(
        self,
        connection: Connection,
        writes: bool,
        who: str | None,
        why: str | None,
        progress: Report | None,
    ) -> None:
        logs.check_reason(who, why)
        self.connection = connection
        self.writes = writes
        self.revision = revisions.in_force(connection)
        revisions.refuse_other_arithmetic(self.revision)
        self.rules = rules_of(connection)
        self.replayed = 0
        self.meter = Meter(progress)
        self._who = who
        self._why = why
        self._telling = notices.Telling()

    def make(self, edit: Edit) -> pl.DataFrame:
        """Make an edit; whose rating changes."""
        connection, start = self.connection, edit.start
        if start is None:
            if self.writes:
                write_edit(connection, edit)
            return NO_MOVES
        task = prepare(connection, self.revision, edit, start)
        self.meter.expect(len(edit.put.columns.player) * self.writes)
        with ThreadPoolExecutor(1) as beside:  # kernels, and SQLite, need no interpreter
            folding = beside.submit(self.fold, task)
            if self.writes:
                write_edit(connection, edit, self.meter)
            folded = folding.result()
        outcome = conclude(connection, task, folded)
        moved, names = moves(connection, self.revision, self.rules, outcome, edit)
        if self.writes:
            self._tell_of(edit, start[0], outcome, names)
            self.keep(outcome, self.revision)
            revisions.mark_stale(connection, self.revision.id, *start)
        return moved

    def _tell_of(self, edit: Edit, since: int, outcome: Outcome, names: dict[int, str]) -> None:
        """Note what there is to tell of an edit, just before what came of it is kept."""
        telling = self._telling
        telling.add(edit.dropped, edit.put, since)
        telling.numbers.update((name, number) for number, name in names.items())
        if self.rules.titles and self.rules.gives_provisional:
            known = self.connection, self.revision, self.rules
            telling.provisional |= notices.provisional_among(*known, outcome.touched)

    def fold(self, task: Task) -> Folded:
        """Fold what a task holds."""
        rows = len(task.contests.columns.player)
        self.meter.expect(rows * (1 + self.writes))
        folded = task.folded(self.meter)
        self.replayed += len(folded.rated.contest)
        return folded

    def keep(self, outcome: Outcome, revision: Revision) -> None:
        """Write what came of a change."""
        write_outcome(self.connection, revision, self.rules, outcome, self.meter)

    def eligible(self, contest: StoredContests, players: NDArray[Any]) -> NDArray[Any]:
        """Whether players may be rated in a contest, by their rating just before it."""
        floor, ceiling = float(contest.floor[0]), float(contest.ceiling[0])
        everybody = np.unique(players)
        order = contest.order(0)
        known = queries.known_before(self.connection, self.revision, order, everybody, order[0])
        shown = self.rules.shown_of(self.revision.system, known.packed.table)
        shown = shown[np.searchsorted(known.player, players)]
        above = np.isnan(floor) | (shown >= floor)
        flags: NDArray[Any] = above & (np.isnan(ceiling) | (shown < ceiling))
        return flags

    def settled(self, old: StoredContests, new: StoredContests) -> NDArray[Any]:
        """Who is eligible in an amended contest: as before, and newly judged who was not in it."""
        player = new.columns.player.astype(np.int64)
        before = dict(zip(old.columns.player.tolist(), old.eligible.tolist(), strict=True))
        flags = np.array([before.get(each, True) for each in player.tolist()], np.bool_)
        joined = ~np.isin(player, old.columns.player)
        limited = not (np.isnan(old.floor[0]) and np.isnan(old.ceiling[0]))
        if limited and joined.any():
            flags[joined] = self.eligible(old, player[joined])
        return flags & ~(joined & self.are_guests(player))

    def are_guests(self, number: NDArray[Any]) -> NDArray[np.bool_]:
        """Which of these players are guests, who are not rated in what is recorded now."""
        return np.isin(number, list(players.all_guests(self.connection)))

    def note(
        self,
        action: str,
        *,
        contest: str | None = None,
        player: str | None = None,
        details: dict[str, Any],
        moves: pl.DataFrame,
        before: State | None = None,
        after: State | None = None,
    ) -> None:
        """Add to the log, and let others be told."""
        if self.writes:
            who, why, moved = self._who, self._why, Moved.of(moves)
            details = {**details, **logs.who_moved(moved)}
            number, time = logs.write_log(
                self.connection, action, who, why, contest, player, details, before, after
            )
            of = details.get("action") if action in TOGGLES else None
            noted = notices.Noted(number, time, action, contest, player, why, of)
            known = self._telling, self.revision, self.rules
            notices.announce(self.connection, noted, moved, *known)


def rules_of(connection: Connection) -> Rules:
    """The rules in force."""
    try:
        return Rules.from_text(connection.execute(select(schema.league.c.rules)).scalar_one())
    except (TypeError, ValueError, RecursionError, NoResultFound, MultipleResultsFound):
        raise StorageError("the league is damaged: its rules cannot be read.") from None
