"""The look back that a league keeps: what all results said of everybody when somebody looked.

It stands beside the league. No rating, export or replay knows of it, and it is no change: the log
says nothing of it, but does say what has happened since.
"""

import datetime
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, select

from podium.documents import as_document
from podium.errors import NotFoundError, StorageError
from podium.league import hiding, players, schema, standings
from podium.league.database import Meter, as_object, fetch, insert, last, now
from podium.league.entries import OF_A_CONTEST, TOGGLES
from podium.progress import Report, unseen
from podium.results.contests import Contests
from podium.results.times import as_column, from_microseconds
from podium.wording import counted

if TYPE_CHECKING:
    from podium.hindsight.looking import LookBack

_OF_THE_PAST = (*OF_A_CONTEST, "merge")
"""Changes of what a look back has seen. New names are followed, as players are kept by number."""
_NUMBERS = ("estimate", "sigma", "without", "without_sigma", "believed", "believed_sigma")
_NONE = (
    "the league keeps no look back; podium look-back LEAGUE --store makes one, where the league "
    "is kept."
)


@dataclass(frozen=True)
class Public:
    """All results of a league as everybody may see them, every player alone."""

    contests: Contests
    player: NDArray[np.int64]
    """The league's number of each player, -1 of those who are hidden."""
    contest: NDArray[np.int64]
    """The league's number of each contest."""
    entry: int
    """The last entry of the log that they know of."""


@dataclass(frozen=True)
class StoredLookBack:
    """Which look back a league keeps, and what has happened since."""

    made: datetime.datetime
    """When somebody looked."""
    entry: int
    """The last entry of the log then."""
    until: datetime.datetime
    """When the last contest took place that it knows of."""
    about: dict[str, Any]
    """How it came about, as `LookBack.document` says it: contests, parameters and so on."""
    contests_since: int
    """How many contests were recorded since."""
    corrections_since: int
    """How many other changes of results, or of whose they are, were made since."""

    @property
    def is_current(self) -> bool:
        """Whether it knows all results as they are now."""
        return not (self.contests_since or self.corrections_since)

    @property
    def summary(self) -> str:
        """As of when it is, and what it does not know."""
        asof = f"as of {self.made:%Y-%m-%d %H:%M} UTC, after entry {self.entry:,} of the log"
        counts = {"contest": self.contests_since, "correction": self.corrections_since}
        told = " and ".join(counted(each, what) for what, each in counts.items() if each)
        return f"{asof}; {told or 'no contest'} since"

    def document(self) -> dict[str, Any]:
        """As JSON says it; see docs/documents.md."""
        found = asdict(self)
        about = found.pop("about")
        return as_document({**found, **about})


def public_results(connection: Connection) -> Public:
    """What is looked back at."""
    found = standings.load(connection)
    number = np.unique(found.columns.player).astype(np.int64)
    contests = found.as_contests(players.names_of(connection, number)).without_teams()
    hidden = np.isin(number, list(hiding.unseen(connection)))
    return Public(
        contests, np.where(hidden, -1, number), found.number, int(last(connection, schema.log.c.id))
    )


def store(connection: Connection, of: Public, found: "LookBack", report: Report = unseen) -> None:
    """Keep a look back in place of the one before, of those who are still there."""
    forget(connection)
    c = of.contests.columns
    contest = np.repeat(np.arange(len(of.contests)), of.contests.sizes)
    player = of.player[c.player]
    there = fetch(connection, select(schema.players.c.id))[0]
    kept = np.flatnonzero(np.isin(player, there))
    rows = kept[np.lexsort((of.contest[contest[kept]], player[kept]))]
    table = found.table
    meter = Meter(report)
    meter.expect(len(rows))
    insert(
        connection,
        schema.look_back_rows,
        {
            "player_id": player[rows],
            "contest_id": of.contest[contest[rows]],
            "time": c.time[contest[rows]],
            "rank": c.rank[rows],
            **{name: table[name].to_numpy()[rows] for name in _NUMBERS},
        },
        meter,
    )
    about = found.document(n=1)
    about = {name: about[name] for name in about if name not in ("best", "players")}
    connection.execute(
        schema.look_back.insert().values(
            id=1, entry=of.entry, made=now(), until=int(c.time[-1]), about=json.dumps(about)
        )
    )


def forget(connection: Connection) -> bool:
    """Keep none; whether there was one."""
    connection.execute(delete(schema.look_back_rows))
    return bool(connection.execute(delete(schema.look_back)).rowcount)


def stored(connection: Connection) -> StoredLookBack | None:
    """Which one is kept, if one is."""
    h = schema.look_back
    entry, made, until, about = fetch(connection, select(h.c.entry, h.c.made, h.c.until, h.c.about))
    if not entry:
        return None
    contests, others = _since(connection, entry[0])
    times = (from_microseconds(each[0]) for each in (made, until))
    return StoredLookBack(next(times), entry[0], next(times), as_object(about[0]), contests, others)


def _since(connection: Connection, entry: int) -> tuple[int, int]:
    """How many contests were recorded after an entry of the log, and what else was changed."""
    log, contests, others = schema.log, 0, 0
    meant = ("record", *_OF_THE_PAST, *TOGGLES)
    later = select(log.c.action, log.c.details).where(log.c.id > entry, log.c.action.in_(meant))
    for action, details in zip(*fetch(connection, later), strict=True):
        said = as_object(details)
        if action == "record":
            count = said.get("contests")
            if not isinstance(count, int):
                raise StorageError("the log is damaged: a recording does not say of how many.")
            contests += count
        elif action not in TOGGLES or said.get("action") in ("record", *_OF_THE_PAST):
            others += 1
    return contests, others


def story(connection: Connection, player: str) -> pl.DataFrame:
    """What the stored look back says of one player, as `LookBack.player` does.

    It has also the names of contests, and how many took part. Contests that have gone since, or
    have another time, are left out.
    """
    number = players.number_of(connection, player)
    if not fetch(connection, select(schema.look_back.c.id))[0]:
        raise NotFoundError(_NONE)
    r, c = schema.look_back_rows, schema.contests
    columns = (c.c.contest, r.c.time, c.c.name, c.c.players, r.c.rank, *(r.c[n] for n in _NUMBERS))
    rows = fetch(
        connection,
        select(*columns)
        .join_from(r, c, (c.c.id == r.c.contest_id) & (c.c.time == r.c.time))
        .where(r.c.player_id == number),
    )
    found = pl.DataFrame(
        {
            "contest": pl.Series(rows[0], dtype=pl.String),
            "time": as_column(np.array(rows[1], np.int64)),
            "name": pl.Series(rows[2], dtype=pl.String),
            "participants": pl.Series(rows[3], dtype=pl.Int64),
            "rank": pl.Series(rows[4], dtype=pl.Int64),
            **{
                name: pl.Series(each, dtype=pl.Float64)
                for name, each in zip(_NUMBERS, rows[5:], strict=True)
            },
        }
    )
    turn = standings.in_turn(np.array(rows[1], np.int64), rows[0])
    return found[turn]
