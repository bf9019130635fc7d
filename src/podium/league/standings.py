"""Contests as a league keeps them, and how they get into its database and out of it."""

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, func, or_, select
from sqlalchemy.sql.elements import ColumnElement

from podium.errors import StorageError
from podium.league import hiding, schema
from podium.league.database import (
    UNWATCHED,
    Meter,
    fetch,
    insert,
    listed,
    numbers,
    replace,
    within,
)
from podium.numerics.columns import competition_ranks, first_repeated_player
from podium.numerics.teams import competitors
from podium.results.columns import Columns, scores_if_any
from podium.results.contests import Contests
from podium.results.tables import GIVEN, SHARES, WEIGHTS, Parts, natural
from podium.results.times import TIMES
from podium.results.turns import by_turn
from podium.systems.memories import spans

Order = tuple[int, tuple[tuple[int, int, str, str], ...]]
"""When a contest takes its turn: its time, and at one time its identifier."""

_MANY_ROWS = 100_000
_FEW_PLAYERS = 8
"""Per row: for more, a table of all players is not worth it."""
_BATCH = 1 << 17
"""Rows in a batch: so few that a contest of 10,000 finds itself all over its part of the index
already, and so many that a league of millions has a few dozen to look into."""
_SIDES = (-1, 0, 1)
_GIVEN = [schema.standings.c[f"given_{name}"] for name in GIVEN]


def order_of(time: int, contest: str) -> Order:
    """The turn of a contest: as in tables, numbers in an identifier count by value."""
    return time, natural(contest)


def in_turn(times: NDArray[np.int64], contests: Sequence[str]) -> NDArray[np.int64]:
    """The numbers of contests as they take their turns."""
    return by_turn(times, pl.Series(contests, dtype=pl.String))


class Batch(NamedTuple):
    """Rows of standings that came one after the other."""

    number: int
    rows: int


class Rateable(NamedTuple):
    """What of some contests is rated."""

    columns: Columns
    contest: NDArray[np.int64]
    """The number, among those contests, of each that is rated."""
    row: NDArray[np.int64]
    """The number, among their rows, of each that is rated."""


@dataclasses.dataclass(frozen=True)
class StoredContests:
    """Contests in their order; players are called by the league's numbers."""

    columns: Any
    """`Columns`, with all of its optional parts."""
    number: NDArray[np.int64]
    contest: list[str]
    name: list[str | None]
    rated: NDArray[np.bool_]
    eligible: NDArray[np.bool_]
    """Per row: whether the player is rated in the contest."""
    floor: NDArray[np.float64]
    ceiling: NDArray[np.float64]
    teams: list[str]
    """What the numbers of teams stand for."""
    given: NDArray[np.object_] | None = None
    """Per row: the texts of `GIVEN`, or None; None if no row has any, or nobody asked for them."""

    def __len__(self) -> int:
        return len(self.number)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of players of every contest."""
        sizes: NDArray[np.int64] = np.diff(self.columns.offsets)
        return sizes

    def order(self, contest: int) -> Order:
        """When it takes its turn."""
        return order_of(int(self.columns.time[contest]), self.contest[contest])

    @classmethod
    def none(cls) -> Self:
        """No contests."""
        no_numbers, nothing, no_flags = np.empty(0, np.int64), np.empty(0), np.empty(0, np.bool_)
        columns = Columns(
            offsets=np.zeros(1, np.int64),
            player=no_numbers.astype(np.int32),
            rank=no_numbers.astype(np.int32),
            time=no_numbers,
            weight=nothing,
            perf_ceiling=nothing,
            team=no_numbers.astype(np.int32),
            side=no_numbers.astype(np.int8),
            share=nothing,
            margin=nothing,
            score=nothing,
        )
        return cls(columns, no_numbers, [], [], no_flags, no_flags, nothing, nothing, [])

    @classmethod
    def of(
        cls,
        contests: Contests,
        players: NDArray[np.int32],
        number: NDArray[np.int64],
        *,
        rated: bool,
        floor: float | None = None,
        ceiling: float | None = None,
    ) -> Self:
        """Contests whose players have these numbers, all eligible; in the league's order."""
        c, count, rows = contests.columns, len(contests), contests.rows
        about = contests.about
        named = about is not None and "name" in about.columns
        columns = c._replace(
            player=players[c.player],
            team=np.full(rows, -1, np.int32) if c.team is None else c.team,
            side=np.zeros(rows, np.int8) if c.side is None else c.side,
            share=np.ones(rows) if c.share is None else c.share,
            margin=np.full(count, np.nan) if c.margin is None else c.margin,
            score=np.full(count, np.nan) if c.score is None else c.score,
        )
        return cls(
            columns=columns,
            number=number,
            contest=contests.ids.to_list(),
            name=about["name"].to_list() if about is not None and named else [None] * count,
            rated=np.full(count, rated),
            eligible=np.ones(rows, np.bool_),
            floor=np.full(count, np.nan if floor is None else floor),
            ceiling=np.full(count, np.nan if ceiling is None else ceiling),
            teams=[] if contests.teams is None else contests.teams.to_list(),
            given=_given_texts(contests),
        ).in_order()

    def take(self, contests: NDArray[np.int64] | Sequence[int]) -> Self:
        """Some of them, in this order."""
        which = np.asarray(contests, np.int64)
        c, sizes = self.columns, self.sizes[which]
        rows = spans(c.offsets[:-1][which], sizes)
        return self._with_rows(which, rows, np.concatenate(([0], np.cumsum(sizes))))

    def _with_rows(
        self, which: NDArray[np.int64], rows: NDArray[np.int64], offsets: NDArray[np.int64]
    ) -> Self:
        picked = which.tolist()
        return dataclasses.replace(
            self,
            columns=self.columns.take(which, rows, offsets),
            number=self.number[which],
            contest=[self.contest[each] for each in picked],
            name=[self.name[each] for each in picked],
            rated=self.rated[which],
            eligible=self.eligible[rows],
            floor=self.floor[which],
            ceiling=self.ceiling[which],
            given=None if self.given is None else self.given[rows],
        )

    def arranged(self, rows: NDArray[np.int64]) -> Self:
        """The same contests with their rows in another order, each within its contest."""
        return self._with_rows(np.arange(len(self)), rows, self.columns.offsets)

    def by_name(self, names: Mapping[int, str]) -> Self:
        """The same with those who tie by name."""
        c = self.columns
        contest = np.repeat(np.arange(len(self)), self.sizes).tolist()
        called = [names[each] for each in c.player.tolist()]
        keys = list(zip(contest, c.rank.tolist(), called, strict=True))
        return self.arranged(np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64))

    def without_rows(self, left_out: NDArray[np.bool_]) -> Self:
        """The same without some rows, those below moving up, and without contests left empty."""
        rows = np.flatnonzero(~left_out)
        which, offsets = _remaining(self.columns.offsets, rows)
        left = self._with_rows(which, rows, offsets)
        columns = _moved_up(left.columns, _counts_teams(self.columns)[which])
        return dataclasses.replace(left, columns=columns)

    @classmethod
    def concat(cls, parts: Sequence["StoredContests"]) -> "StoredContests":
        """All of them, in the league's order."""
        if len(parts) == 1:
            return parts[0]
        teams = [0, *itertools.accumulate(len(part.teams) for part in parts)]
        columns = [
            part.columns._replace(
                team=np.where(part.columns.team < 0, np.int32(-1), part.columns.team + first)
            )
            for part, first in zip(parts, teams, strict=False)
        ]
        joined = {
            field: np.concatenate([getattr(each, field) for each in columns])
            for field in Columns._fields
            if field != "offsets"
        }
        sizes = np.concatenate([part.sizes for part in parts])
        together = cls(
            columns=Columns(offsets=np.concatenate(([0], np.cumsum(sizes))), **joined),
            number=np.concatenate([part.number for part in parts]),
            contest=[each for part in parts for each in part.contest],
            name=[each for part in parts for each in part.name],
            rated=np.concatenate([part.rated for part in parts]),
            eligible=np.concatenate([part.eligible for part in parts]),
            floor=np.concatenate([part.floor for part in parts]),
            ceiling=np.concatenate([part.ceiling for part in parts]),
            teams=[each for part in parts for each in part.teams],
            given=None,
        )
        if any(part.given is not None for part in parts):
            given = np.concatenate([part.all_given for part in parts])
            together = dataclasses.replace(together, given=given)
        return together.in_order()

    def in_order(self) -> Self:
        """The same by time, and at one time by identifier."""
        order = in_turn(self.columns.time, self.contest)
        return self if (np.diff(order) == 1).all() else self.take(order)

    def rateable(self) -> Rateable:
        """What of them is rated; those who are not eligible leave no gaps in the ranks."""
        if self.rated.all() and self.eligible.all():
            every = np.arange(len(self)), np.arange(len(self.columns.player))
            return Rateable(_trimmed(self.columns), *every)
        counts = self.eligible & np.repeat(self.rated, self.sizes)
        rows = np.flatnonzero(counts)
        which, offsets = _remaining(self.columns.offsets, rows)
        columns = self.columns.take(which, rows, offsets)
        columns = _moved_up(columns, _counts_teams(self.columns)[which])
        return Rateable(_trimmed(columns), which, rows)

    def as_contests(self, names: Mapping[int, str]) -> Contests:
        """The same with names, as everybody else takes them."""
        used, player = np.unique(self.columns.player, return_inverse=True)
        columns = _trimmed(self.columns)._replace(player=player.astype(np.int32))
        about = None
        if any(name is not None for name in self.name):
            about = pl.DataFrame({"name": pl.Series(self.name, dtype=pl.String)})
        return Contests(
            Parts(
                columns=columns,
                players=pl.Series([names[each] for each in used.tolist()], dtype=pl.String),
                ids=pl.Series(self.contest, dtype=pl.String),
                teams=pl.Series(self.teams, dtype=pl.String) if columns.team is not None else None,
                about=about,
                given=self.given_table(),
            )
        )

    def same_as(self, other: "StoredContests") -> NDArray[np.bool_]:
        """Of contests with the same identifiers in the same order: which have the same content."""
        mine, theirs = self.columns, other.columns
        same = np.array(
            [one == another for one, another in zip(self.name, other.name, strict=True)], np.bool_
        )
        for field in ("time", "weight", "perf_ceiling", "margin", "score"):
            same &= _equal(getattr(mine, field), getattr(theirs, field))
        same &= self.sizes == other.sizes
        which = np.flatnonzero(same)
        if len(which):
            one, another = self.take(which), other.take(which)
            rows = one.team_names == another.team_names
            for field in ("player", "rank", "side", "share"):
                rows &= getattr(one.columns, field) == getattr(another.columns, field)
            same[which] = np.logical_and.reduceat(rows, one.columns.offsets[:-1])
        return same

    def given_table(self) -> pl.DataFrame | None:
        """What was given beyond ranks, as `Contests` have it."""
        if self.given is None:
            return None
        columns = zip(GIVEN, self.given.T.tolist(), strict=True)
        table = pl.DataFrame({name: pl.Series(each, dtype=pl.String) for name, each in columns})
        return pl.DataFrame([each for each in table if each.null_count() < table.height])

    @property
    def all_given(self) -> NDArray[np.object_]:
        """`given`, with rows of None where there is nothing."""
        if self.given is None:
            return np.full((len(self.columns.player), len(GIVEN)), None, object)
        return self.given

    @property
    def counts_teams(self) -> NDArray[np.bool_]:
        """Whether the ranks of each contest say how many teams, rather than players, are ahead."""
        return _counts_teams(self.columns)

    @property
    def team_names(self) -> NDArray[np.object_]:
        """The team of every row, by name; None for those without."""
        names: NDArray[np.object_] = np.array([*self.teams, None], object)[self.columns.team]
        return names

    @property
    def _is_detailed(self) -> NDArray[np.bool_]:
        """Whether the rows of each contest say more than who took which rank."""
        c = self.columns
        more = ~self.eligible | (c.team >= 0) | (c.side != 0) | (c.share != 1.0)
        if not more.any():
            return np.zeros(len(self), np.bool_)
        return np.logical_or.reduceat(more, c.offsets[:-1])

    def save(
        self, connection: Connection, meter: Meter = UNWATCHED, *, last_batch: "Batch | None" = None
    ) -> "Batch | None":
        """Write them to the tables, where they must not be; the last batch that there is then.

        Whoever knows the last one that there is says so, and it is not looked for.
        """
        if not len(self):
            return last_batch
        c, sizes, detailed = self.columns, self.sizes, self._is_detailed
        insert(
            connection,
            schema.contests,
            {
                "id": self.number,
                "contest": self.contest,
                "time": c.time,
                "name": self.name,
                "players": sizes,
                "weight": c.weight,
                "perf_ceiling": np.where(np.isinf(c.perf_ceiling), np.nan, c.perf_ceiling),
                "margin": c.margin,
                "score": c.score,
                "rated": self.rated,
                "rating_floor": self.floor,
                "rating_ceiling": self.ceiling,
                "detailed": detailed,
            },
        )
        number = np.repeat(self.number, sizes)
        position = 1 + np.arange(len(number)) - np.repeat(c.offsets[:-1], sizes)
        rows = {"contest_id": number, "position": position, "player_id": c.player, "rank": c.rank}
        if detailed.any():
            rows |= {
                "eligible": self.eligible,
                "team": self.team_names,
                "side": np.where(c.side == 0, None, c.side),
                "share": np.where(c.share == 1.0, np.nan, c.share),
            }
        if self.given is not None:
            rows |= {name.key: self.given[:, place] for place, name in enumerate(_GIVEN)}
        rows["batch"], last_batch = _new_batches(connection, len(number), last_batch)
        with _indexed_afterwards(connection, len(number)):
            insert(connection, schema.standings, rows, meter)
        return last_batch


def last_batch_of(connection: Connection) -> Batch:
    """The last batch of rows."""
    b = schema.batches
    last = connection.execute(select(b.c.id, b.c.rows).order_by(b.c.id.desc()).limit(1)).first()
    return Batch(0, 0) if last is None else Batch(*last)


def _new_batches(
    connection: Connection, rows: int, last: Batch | None
) -> tuple[NDArray[np.int64], Batch]:
    """The batches of so many more rows, which the league is told of: the last has some room."""
    b = schema.batches
    number, there = last_batch_of(connection) if last is None else last
    if there >= _BATCH:
        number, there = number + 1, 0
    further = (there + np.arange(rows)) // _BATCH
    which = np.arange(further[-1] + 1)
    counts = np.minimum(there + rows - which * _BATCH, _BATCH)
    replace(connection, b, ("id",), {"id": number + which, "rows": counts})
    batch: NDArray[np.int64] = number + further
    return batch, Batch(int(batch[-1]), int(counts[-1]))


@contextmanager
def _indexed_afterwards(connection: Connection, rows: int) -> Iterator[None]:
    """Make the index of standings after the first rows are in, if they are many."""
    s = schema.standings
    first = rows >= _MANY_ROWS and connection.execute(select(s.c.rank).limit(1)).first() is None
    if first:
        schema.standings_by_player.drop(connection)
    yield
    if first:
        schema.standings_by_player.create(connection)


def delete_contests(connection: Connection, number: NDArray[np.int64]) -> None:
    """Remove contests with their standings and what they did to ratings."""
    e, every = schema.events, select(schema.revisions.c.id)
    these = number.tolist()
    gone = within(connection, e.c.contest_id, these)
    connection.execute(delete(e).where(e.c.revision_id.in_(every), gone))
    for column in (schema.standings.c.contest_id, schema.contests.c.id):
        connection.execute(delete(column.table).where(within(connection, column, these)))


def load(
    connection: Connection, *conditions: ColumnElement[bool], given: bool = False
) -> StoredContests:
    """The contests for which conditions on the table `contests` hold, in order.

    What was `given` beyond ranks is wanted by those who show, copy or keep them, not by the fold.
    """
    t, s = schema.contests, schema.standings
    found = fetch(
        connection,
        select(
            t.c.id,
            t.c.contest,
            t.c.time,
            t.c.name,
            t.c.players,
            t.c.weight,
            t.c.perf_ceiling,
            t.c.margin,
            t.c.score,
            t.c.rated,
            t.c.rating_floor,
            t.c.rating_ceiling,
            t.c.detailed,
        )
        .where(*conditions)
        .order_by(t.c.time),
    )
    if not found[0]:
        return StoredContests.none()
    number, sizes = numbers(found[0]), numbers(found[4])
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    among = [s.c.contest_id.in_(select(t.c.id).where(*conditions))] if conditions else []
    contest, *rows = listed(
        connection, s.c.contest_id, (s.c.position, s.c.player_id, s.c.rank), *among
    )
    slot, count = _slots(number, offsets, contest, rows[0]), len(contest)
    _refuse_misfits(connection, sizes, slot, rows[1], rows[2])
    player, rank = np.empty((2, count), np.int32)
    player[slot], rank[slot] = rows[1:]
    _refuse_disorder(offsets, player, rank)
    eligible, team = np.ones(count, np.bool_), np.full(count, -1, np.int32)
    side, share, teams = np.zeros(count, np.int8), np.ones(count), dict[str, int]()
    if any(found[12]):
        more = fetch(
            connection,
            select(s.c.contest_id, s.c.position, s.c.eligible, s.c.team, s.c.side, s.c.share)
            .join(t, t.c.id == s.c.contest_id)
            .where(t.c.detailed, *conditions),
        )
        slot = _slots(number, offsets, numbers(more[0]), numbers(more[1]))
        eligible[slot] = more[2]
        team[slot] = [
            -1 if each is None else teams.setdefault(each, len(teams)) for each in more[3]
        ]
        side[slot] = [each if each in _SIDES else 0 for each in more[4]]
        share[slot] = [1.0 if each is None else each for each in more[5]]
    said = None
    if given:
        beyond = select(s.c.contest_id, s.c.position, *_GIVEN).join(t, t.c.id == s.c.contest_id)
        texts = fetch(
            connection, beyond.where(or_(*(each.is_not(None) for each in _GIVEN)), *conditions)
        )
        if texts[0]:
            said = np.full((count, len(GIVEN)), None, object)
            slot = _slots(number, offsets, numbers(texts[0]), numbers(texts[1]))
            said[slot] = np.array(texts[2:], object).T
    ceiling = numbers(found[6], np.float64)
    weight, margin, score = (numbers(found[each], np.float64) for each in (5, 7, 8))
    _refuse_unless(
        _within(numbers(found[2]), TIMES),
        _within(weight, WEIGHTS),
        _within(share, SHARES),
        np.isnan(margin) | _within(margin, (0.0, np.inf)),
        np.isnan(score) | _within(score, (0.5, 1.0)) & (sizes == 2),
    )
    loaded = StoredContests(
        columns=Columns(
            offsets=offsets,
            player=player,
            rank=rank,
            time=numbers(found[2]),
            weight=weight,
            perf_ceiling=np.where(np.isnan(ceiling), np.inf, ceiling),
            team=team,
            side=side,
            share=share,
            margin=margin,
            score=score,
        ),
        number=number,
        contest=found[1],
        name=found[3],
        rated=numbers(found[9], np.bool_),
        eligible=eligible,
        floor=numbers(found[10], np.float64),
        ceiling=numbers(found[11], np.float64),
        teams=list(teams),
        given=said,
    ).in_order()
    return _without_hidden_names(connection, loaded)


def _without_hidden_names(connection: Connection, contests: StoredContests) -> StoredContests:
    """The same with teams, and what else was given, that do not name hidden players."""
    hidden = hiding.unseen(connection)
    there = hidden.intersection(contests.columns.player.tolist()) if hidden else hidden
    if not there or (not contests.teams and contests.given is None):
        return contests
    redaction, given = hiding.redaction(connection, there), contests.given
    teams = [redaction.of(each) for each in contests.teams]
    for number, team in enumerate(teams):
        if teams.index(team) < number:
            teams[number] = f"{team} {number + 1}"
    if given is not None:
        given = given.copy()
        rows = np.flatnonzero(np.isin(contests.columns.player, sorted(there)))
        given[rows, list(GIVEN).index("team")] = None
        flat = given.reshape(-1)
        flat[:] = [each if each is None else redaction.of(each) for each in flat.tolist()]
    return dataclasses.replace(contests, teams=teams, given=given)


def _given_texts(contests: Contests) -> NDArray[np.object_] | None:
    """What was given beyond ranks, row by row."""
    if contests.given is None:
        return None
    texts = np.full((contests.rows, len(GIVEN)), None, object)
    for place, name in enumerate(GIVEN):
        if name in contests.given.columns:
            texts[:, place] = contests.given[name].cast(pl.String).to_list()
    return texts


def is_past(connection: Connection, order: Order) -> bool:
    """Whether all rated contests come before a turn."""
    c, time = schema.contests, order[0]
    later = select(c.c.id).where(c.c.rated, c.c.time > time).limit(1)
    if connection.execute(later).scalar() is not None:
        return False
    same = fetch(connection, select(c.c.contest).where(c.c.rated, c.c.time == time))[0]
    return all(order_of(time, each) < order for each in same)


def load_named(connection: Connection, identifiers: Sequence[str]) -> StoredContests:
    """The contests with these identifiers, as far as there are such."""
    return load(connection, within(connection, schema.contests.c.contest, identifiers), given=True)


def _refuse_unless(*right: NDArray[np.bool_]) -> None:
    """Raise if anything is not as podium writes it: kernels would not notice."""
    if not all(each.all() for each in right):
        raise StorageError("the league is damaged: contests or standings are not what they were.")


def _within(values: NDArray[Any], limits: tuple[float, float]) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = (values >= limits[0]) & (values <= limits[1])
    return inside


def _refuse_misfits(
    connection: Connection,
    sizes: NDArray[np.int64],
    slot: NDArray[np.int64],
    player: NDArray[np.int64],
    rank: NDArray[np.int64],
) -> None:
    """Raise if rows are not those that the contests have, or of nobody whom the league knows."""
    last = connection.execute(select(func.max(schema.players.c.id))).scalar()
    last = last if isinstance(last, int) and last < 2**31 else 0
    _refuse_unless(
        sizes >= 1,
        np.array([len(slot) == sizes.sum()]),
        _within(slot, (0, len(slot) - 1)),
        _within(player, (1, last)),
        _within(rank, (1, len(slot))),
    )
    _refuse_unless(np.bincount(slot, minlength=len(slot)) == 1)


def _refuse_disorder(
    offsets: NDArray[np.int64], player: NDArray[np.int32], rank: NDArray[np.int32]
) -> None:
    """Raise if rows are not by rank, or somebody has two in a contest."""
    starts = np.zeros(len(rank), np.bool_)
    starts[offsets[:-1]] = True
    rises = np.diff(rank, prepend=0) >= 0
    largest = np.repeat(np.diff(offsets), np.diff(offsets))
    _refuse_unless(np.where(starts, rank == 1, rises), rank <= largest)
    most = int(player.max()) + 1
    if most <= _FEW_PLAYERS * len(player):
        twice = first_repeated_player(offsets, player, most) >= 0
    else:
        contest = np.cumsum(starts)
        twice = len(np.unique(contest * most + player)) < len(player)
    _refuse_unless(np.array([not twice]))


def _slots(
    number: NDArray[np.int64],
    offsets: NDArray[np.int64],
    contest: NDArray[np.int64],
    position: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Where rows of contests belong, whatever the order in which they came."""
    order = np.argsort(number)
    place = np.minimum(np.searchsorted(number[order], contest), len(number) - 1)
    _refuse_unless(number[order][place] == contest)
    return offsets[order[place]] + position - 1


def _remaining(
    offsets: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which contests still have rows, and where these are."""
    contest = np.searchsorted(offsets, rows, side="right") - 1
    which, sizes = np.unique(contest, return_counts=True)
    return which, np.concatenate(([0], np.cumsum(sizes)))


def _counts_teams(c: Any) -> NDArray[np.bool_]:
    """Whether the ranks of each contest say how many teams, rather than players, are ahead."""
    if len(c.offsets) < 2 or c.team.max() < 0:
        return np.zeros(len(c.offsets) - 1, np.bool_)
    other = c.rank != competition_ranks(c.offsets, c.rank)
    counts: NDArray[np.bool_] = np.logical_or.reduceat(other, c.offsets[:-1])
    return counts


def _moved_up(c: Any, counts_teams: NDArray[np.bool_]) -> Columns:
    """Ranks without gaps, and scores only where there are still two."""
    two = np.diff(c.offsets) == 2
    rank = competition_ranks(c.offsets, c.rank)
    if counts_teams.any():
        contest = np.repeat(np.arange(len(two)), np.diff(c.offsets))
        ahead = competitors(c.offsets, c.team)[c.offsets[contest] + rank - 1]
        rank = np.where(counts_teams[contest], 1 + ahead, rank).astype(np.int32)
    moved: Columns = c._replace(
        rank=rank,
        score=np.where(two, c.score, np.nan),
        margin=np.where(np.diff(c.offsets) > 1, c.margin, np.nan),
    )
    return moved


def _trimmed(c: Any) -> Columns:
    """Without the optional parts that say nothing, as if they had never been given."""
    trimmed: Columns = c._replace(
        team=None if (c.team < 0).all() else c.team,
        side=None if (c.side == 0).all() else c.side,
        share=None if (c.share == 1.0).all() else c.share,
        margin=None if np.isnan(c.margin).all() else c.margin,
        score=scores_if_any(c.score),
    )
    return trimmed


def _equal(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    """Where both are the same, or both are not there."""
    same: NDArray[np.bool_] = (one == other) | ((one != one) & (other != other))
    return same
