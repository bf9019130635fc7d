"""What other programs are told of changes: written with the change, and read by whoever sends it.

A notice is written in the transaction of its change, whoever makes it, by whatever means, with one
row for each webhook that wants it: what was changed is told, and nothing else is. Hidden players
are left out where a notice is read, because somebody may be hidden by then who was not before;
others have the names that they have by then.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, func, select

from podium.documents import iso, plain
from podium.errors import StorageError
from podium.league import hiding, players, queries, schema
from podium.league.database import as_object, fetch, mapping, now, table_of, within
from podium.league.entries import OF_A_CONTEST, OF_NAMES, TOGGLES
from podium.league.logs import Moved
from podium.league.revisions import Revision
from podium.league.rules import Rules
from podium.league.standings import StoredContests
from podium.results.times import from_microseconds
from podium.systems.base import Floats

RATED, CHANGED, REACHED, CORRECTED = KINDS = (
    "contest.rated",
    "rating.changed",
    "title.reached",
    "correction.made",
)
"""What can be told: contests were rated, ratings changed, somebody has a higher title, and
something was put right."""
TOGETHER = 1000
"""Players, or contests, that one notice names."""
MOST_CONTESTS = 10_000
"""Contests that are named of one change."""
MOST_TITLES = 1000
"""Titles that are told of one change: of more, those of the highest ratings."""
KEPT = 1000
"""Notices that are kept, the latest ones, for so long as this:"""
KEPT_FOR = 30 * 86_400 * 10**6
_OFTEN = 512
"""Every so many notices, those are removed that are not kept."""
_CORRECTIONS = (*OF_A_CONTEST, *OF_NAMES)
_TURNED = (*_CORRECTIONS, "record", "season", "start", "revise", "rollback", "rules")
"""What is a correction, too, if it is taken back or made again."""
_NAMELESS = ("start",)
"""Actions whose player is told to nobody."""
_OTHER_MEASURE = ("revise", "rollback", "rules", "migrate")
"""Changes by which nobody reaches a title: what a title means is another thing after them."""
_QUICKLY = 1
"""How much work goes into making a notice small."""

_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_SMALL = 200
"""Bytes of JSON that are not worth it."""
_LITTLE = {"i": "<i8", "f": "<f8"}
"""How numbers are kept, whatever the machine."""

Content = dict[str, Any]
_Notice = tuple[str, bytes]


@dataclass
class Telling:
    """What there will be to tell of a change that is being made."""

    contests: list[tuple[str, int, str | None, int]] = field(default_factory=list)
    """Contests that count from now on: identifier, time, name and how many took part."""
    rated: int = 0
    """How many they are, even if they are too many to be named."""
    numbers: dict[str, int] = field(default_factory=dict)
    """The numbers of those whose ratings change, as far as they are known."""
    provisional: set[int] = field(default_factory=set)
    """Who had a rating before that was provisional."""
    since: int | None = None
    """From when on ratings change."""

    def add(self, dropped: StoredContests, put: StoredContests, since: int) -> None:
        """Note contests that go and come, and from when on that matters."""
        self.since = since if self.since is None else min(self.since, since)
        counted = np.flatnonzero(put.rated)
        if len(dropped):
            before = dropped.number[dropped.rated]
            counted = counted[~np.isin(put.number[counted], before)]
        self.rated += len(counted)
        sizes = np.diff(put.columns.offsets)
        for each in counted[: MOST_CONTESTS - len(self.contests)].tolist():
            time = int(put.columns.time[each])
            self.contests.append((put.contest[each], time, put.name[each], int(sizes[each])))


@dataclass(frozen=True)
class Noted:
    """The entry of the log that notices are about."""

    number: int
    time: int
    action: str
    contest: str | None = None
    player: str | None = None
    why: str | None = None
    of: str | None = None
    """What was taken back or made again by it, if that is what it did."""

    @property
    def kind(self) -> str:
        """What it is about: the action, or the one that was taken back or made again."""
        return self.of or self.action

    @property
    def is_correction(self) -> bool:
        """Whether something was put right by it."""
        if self.action in TOGGLES:
            return self.of in _TURNED
        return self.action in _CORRECTIONS


def announce(
    connection: Connection,
    entry: Noted,
    moved: Moved,
    telling: Telling,
    revision: Revision,
    rules: Rules,
) -> None:
    """Keep what is to be told of a change that is made, and for whom."""
    found = list(_all_of(connection, entry, moved, telling, revision, rules))
    if not found:
        return
    cursor = connection.connection.cursor()  # SQLAlchemy would take longer than all the rest
    try:
        last, wanting = _standing(cursor, connection)
        rows = [
            (number, entry.time, kind, entry.number, content)
            for number, (kind, content) in enumerate(found, last + 1)
        ]
        on_their_way = [
            (webhook, number, entry.time)
            for number, _, kind, *_ in rows
            for webhook, kinds in wanting
            if kind in kinds
        ]
        _insert(cursor, connection, "notices (id, time, kind, entry, content)", rows)
        _insert(cursor, connection, "deliveries (webhook_id, notice_id, due)", on_their_way)
    finally:
        cursor.close()
    if last // _OFTEN != (last + len(found)) // _OFTEN:
        forget(connection)


def _standing(cursor: Any, connection: Connection) -> tuple[int, list[tuple[int, list[str]]]]:
    """The number of the last notice, and which webhooks want which kinds."""
    active = "active" if _is_server(connection) else "active = 1"
    cursor.execute(
        f"SELECT max(id), '' FROM notices UNION ALL SELECT id, kinds FROM webhooks WHERE {active}"
    )
    rows = list(cursor.fetchall())
    last = next(number or 0 for number, kinds in rows if not kinds)
    return last, [(number, json.loads(kinds)) for number, kinds in rows if kinds]


def _insert(cursor: Any, connection: Connection, into: str, rows: list[tuple[Any, ...]]) -> None:
    if rows:
        marks = ", ".join(["%s" if _is_server(connection) else "?"] * len(rows[0]))
        cursor.executemany(f"INSERT INTO {into} VALUES ({marks})", rows)


def _is_server(connection: Connection) -> bool:
    return connection.dialect.name != "sqlite"


def _packed(content: Content) -> bytes:
    said = _JSON.encode(content).encode()
    return said if len(said) < _SMALL else zlib.compress(said, _QUICKLY)


def _unpacked(content: bytes) -> Content:
    """What `_packed` made; JSON begins with another byte than what is compressed."""
    try:
        said = content if content[:1] == b"{" else zlib.decompress(content)
        return as_object(said.decode())
    except (zlib.error, UnicodeDecodeError, TypeError):
        raise StorageError("the database is damaged: a notice cannot be read.") from None


def _packed_moves(names: list[str], number: list[int], *ratings: Floats) -> bytes:
    """Moves: names as JSON behind their length, and then numbers as they are."""
    named = _packed({"player": names})
    columns = (np.array([len(named)]), np.array(number), *ratings)
    length, *rest = (each.astype(_LITTLE[each.dtype.kind]).tobytes() for each in columns)
    return b"".join((length, named, *rest))


def _unpacked_moves(content: bytes) -> tuple[list[str], list[int], Floats, Floats]:
    try:
        end = 8 + int(np.frombuffer(content, "<i8", 1)[0])
        names = _unpacked(content[8:end])["player"]
        size = len(names)
        number = np.frombuffer(content, "<i8", size, end)
        before, after = np.frombuffer(content, "<f8", offset=end + 8 * size).reshape(2, size)
        return names, number.tolist(), before, after
    except (KeyError, TypeError, ValueError):
        raise StorageError("the database is damaged: a notice cannot be read.") from None


def _all_of(
    connection: Connection,
    entry: Noted,
    moved: Moved,
    telling: Telling,
    revision: Revision,
    rules: Rules,
) -> Iterator[_Notice]:
    """The notices of a change, in the order in which they are told."""
    for at in range(0, len(telling.contests), TOGETHER):
        named = telling.contests[at : at + TOGETHER]
        yield RATED, _packed({"contests": named, "rated": telling.rated})
    if entry.is_correction:
        player = None if entry.kind in _NAMELESS else entry.player
        said = {
            "action": entry.action,
            "of": entry.of,
            "contest": entry.contest,
            "player": player,
            "id": None if player is None else players.find(connection, player),
            "why": entry.why,
            "moved": len(moved.players),
        }
        yield CORRECTED, _packed(said)
    names, before, after = moved
    if not names:
        return
    number = _numbers(connection, names, telling.numbers)
    for at in range(0, len(names), TOGETHER):
        part = slice(at, at + TOGETHER)
        yield CHANGED, _packed_moves(names[part], number[part], before[part], after[part])
    if rules.titles and entry.kind not in _OTHER_MEASURE:
        reached = _Titles(connection, revision, rules, telling, np.array(number), before, after)
        for place, title, earlier in reached.found():
            who = {"player": names[place], "id": number[place]}
            yield REACHED, _packed({**who, "title": title, "before": earlier})


def _numbers(connection: Connection, names: Sequence[str], known: dict[str, int]) -> list[int]:
    """The numbers of players; -1 of who has none any more."""
    unknown = [name for name in names if name not in known]
    if unknown:
        p = schema.players
        named = select(p.c.name, p.c.id).where(within(connection, p.c.name, unknown))
        known = {**known, **mapping(connection, named)}
    return [known.get(name, -1) for name in names]


@dataclass
class _Titles:
    """Whose title is a higher one after a change."""

    connection: Connection
    revision: Revision
    rules: Rules
    telling: Telling
    number: NDArray[np.int64]
    before: NDArray[np.float64]
    after: NDArray[np.float64]

    def found(self) -> Iterator[tuple[int, str, str | None]]:
        """Their places among all, the titles and those that they had, the best rating first."""
        was, now = self._levels(self.before), self._levels(self.after)
        if self.telling.provisional:
            was[np.isin(self.number, list(self.telling.provisional))] = 0
        higher = np.flatnonzero(now > was)
        if len(higher) and self.rules.gives_provisional:
            settled = ~np.isin(self.number[higher], list(self._provisional(higher)))
            higher = higher[settled]
        if len(higher) and self.rules.keep_titles:
            was[higher] = np.maximum(was[higher], self._kept(higher))
            higher = higher[now[higher] > was[higher]]
        order = np.argsort(-self.after[higher], kind="stable")[:MOST_TITLES]
        titles = [None, *(title for _, title in self.rules.titles)]
        for place in higher[order].tolist():
            title, earlier = titles[now[place]], titles[was[place]]
            if title is not None and title != earlier:
                yield place, title, earlier

    def _levels(self, ratings: NDArray[np.float64]) -> NDArray[np.int64]:
        """How many titles ratings are high enough for."""
        lowest = np.array([each for each, _ in self.rules.titles])
        return np.searchsorted(lowest, np.nan_to_num(ratings, nan=-np.inf), side="right")

    def _provisional(self, places: NDArray[np.int64]) -> set[int]:
        who = self.number[places]
        return provisional_among(self.connection, self.revision, self.rules, who)

    def _kept(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many titles they have reached before the first contest that has changed."""
        s, c, since = schema.standings, schema.contests, self.telling.since
        who = self.number[places]
        conditions = [schema.in_batches(), within(self.connection, s.c.player_id, who.tolist())]
        if since is not None:
            conditions.append(s.c.contest_id.in_(select(c.c.id).where(c.c.time < since)))
        asked = queries.kept_ratings(self.revision.id, self.rules, *conditions)
        best = dict(table_of(self.connection, asked, 2).tolist())
        return self._levels(np.array([best.get(float(each), np.nan) for each in who.tolist()]))


def provisional_among(
    connection: Connection, revision: Revision, rules: Rules, numbers: NDArray[np.int64]
) -> set[int]:
    """Who of these players has a rating now that is provisional."""
    r = schema.ratings
    theirs = (r.c.revision_id == revision.id, within(connection, r.c.player_id, numbers.tolist()))
    return set(
        fetch(connection, select(r.c.player_id).where(~queries.settled(rules, r), *theirs))[0]
    )


def forget(connection: Connection) -> None:
    """Remove notices that are old, or before the latest ones, unless they are on their way.

    The last one stays: numbers go on from it.
    """
    n, d, w = schema.notices, schema.deliveries, schema.webhooks
    last = connection.execute(select(func.max(n.c.id))).scalar() or 0
    active = select(w.c.id).where(w.c.active)
    awaited = select(d.c.notice_id).where(d.c.due.is_not(None), d.c.webhook_id.in_(active))
    old = (n.c.id <= last - KEPT) | ((n.c.time < now() - KEPT_FOR) & (n.c.id < last))
    connection.execute(delete(n).where(old, n.c.id.not_in(awaited)))
    connection.execute(delete(d).where(d.c.notice_id.not_in(select(n.c.id))))


def range_of(connection: Connection) -> tuple[int, int]:
    """The number of the last notice, and before it the first from which on all are kept.

    That is 1 and 0 if there is none.
    """
    n, before = schema.notices, schema.notices.alias()
    alone = n.outerjoin(before, before.c.id == n.c.id - 1)
    first = select(func.max(n.c.id)).select_from(alone).where(before.c.id.is_(None))
    last = connection.execute(select(func.max(n.c.id))).scalar()
    return connection.execute(first).scalar() or 1, last or 0


def after(connection: Connection, number: int, most: int) -> list[tuple[int, Content | None]]:
    """The notices after that of a number, as this connection may tell them, with their numbers.

    None stands for one in which nothing is left that may be told.
    """
    n = schema.notices
    return _read(connection, n.c.id > number, most)


def of_number(connection: Connection, number: int) -> Content | None:
    """A notice, as this connection may tell it; None if it is not there, or nothing is left."""
    found = _read(connection, schema.notices.c.id == number, 1)
    return found[0][1] if found else None


def _read(connection: Connection, condition: Any, most: int) -> list[tuple[int, Content | None]]:
    n = schema.notices
    columns = (n.c.id, n.c.time, n.c.kind, n.c.entry, n.c.content)
    asked = select(*columns).where(condition).order_by(n.c.id).limit(most)
    rows = list(zip(*fetch(connection, asked), strict=True))
    made = connection.execute(select(schema.league.c.created)).scalar_one()
    return [(row[0], _told(connection, made, *row)) for row in rows]


def _told(
    connection: Connection,
    made: int,
    number: int,
    time: int,
    kind: str,
    entry: int,
    packed: bytes,
) -> Content | None:
    """A notice as programs read it; see docs/documents.md."""
    try:
        data = _TOLD[kind](connection, packed)
    except (KeyError, TypeError, ValueError):
        raise StorageError("the database is damaged: a notice cannot be read.") from None
    if data is None:
        return None
    return {
        "type": kind,
        "timestamp": iso(from_microseconds(time)),
        "id": f"podium-{made:x}-{number}",
        "number": number,
        "entry": entry,
        "data": data,
    }


def _contests_told(_: Connection, packed: bytes) -> Content:
    content = _unpacked(packed)
    return {
        "contests": [
            {
                "contest": contest,
                "time": iso(from_microseconds(time)),
                "name": name,
                "players": count,
            }
            for contest, time, name, count in content["contests"]
        ],
        "rated": content["rated"],
    }


def _moves_told(connection: Connection, packed: bytes) -> Content | None:
    names, number, before, after = _unpacked_moves(packed)
    called = _called(connection, zip(names, number, strict=True))
    ratings = (before.tolist(), after.tolist(), (after - before).tolist())
    moves = [
        {
            "player": called[each, name],
            "id": each if each >= 0 else None,
            **dict(zip(("before", "after", "change"), map(plain, row), strict=True)),
        }
        for name, each, *row in zip(names, number, *ratings, strict=True)
        if (each, name) in called
    ]
    return {"moves": moves} if moves else None


def _title_told(connection: Connection, packed: bytes) -> Content | None:
    content = _unpacked(packed)
    who = (content["player"], content["id"])
    called = _called(connection, [who])
    name = called.get(who[::-1])
    return None if name is None else {**content, "player": name}


def _correction_told(connection: Connection, packed: bytes) -> Content:
    content = _unpacked(packed)
    name, number = content["player"], content["id"]
    if name is not None:
        who = (name, -1 if number is None else number)
        name = _called(connection, [who]).get(who[::-1], hiding.ANONYMOUS)
    number = None if hiding.is_anonymous(name) else number
    why = content["why"]
    why = None if why is None else hiding.redaction(connection).of(why)
    return {**content, "player": name, "id": number, "why": why}


_TOLD: dict[str, Callable[[Connection, bytes], Content | None]] = {
    RATED: _contests_told,
    CHANGED: _moves_told,
    REACHED: _title_told,
    CORRECTED: _correction_told,
}


def _called(connection: Connection, who: Iterable[tuple[str, int]]) -> dict[tuple[int, str], str]:
    """What players are called now, by the numbers and names that they had.

    Who is hidden by now is not among them, nor who has become one with somebody else.
    """
    wanted = list(who)
    p, a = schema.players, schema.aliases
    numbers = [number for _, number in wanted if number >= 0]
    named = select(p.c.id, p.c.name).where(within(connection, p.c.id, numbers))
    today, unseen = mapping(connection, named), hiding.unseen(connection)
    gone = [name for name, number in wanted if number not in today]
    merged = set[str]()
    if gone:
        others = select(a.c.name).where(within(connection, a.c.name, gone))
        merged = {*fetch(connection, others)[0], *hiding.names_of_unseen(connection)}
    return {
        (number, name): today.get(number, name)
        for name, number in wanted
        if number not in unseen and (number in today or name not in merged)
    }
