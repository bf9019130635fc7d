"""The log of a league: who changed what, when and why, and what was there before."""

import json
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import Connection

from podium.documents import as_document, iso
from podium.errors import InputError, StorageError
from podium.league import schema
from podium.league.database import check_text, insert, last, now, user_name
from podium.league.standings import StoredContests
from podium.results.columns import Columns
from podium.results.contests import Contests
from podium.results.tables import GIVEN
from podium.results.times import from_microseconds, to_microseconds
from podium.systems.base import Floats
from podium.texts import LONGEST

State = dict[str, Any]
"""A part of a league as JSON says it: `contests`, or a player, aliases or rules."""

_MOVES = 10
"""So many of those who moved are named."""
_OF_CONTESTS = ("weight", "perf_ceiling", "margin", "name")
_OF_ROWS = ("player", "rank", "team", "side", "share", "outcome")


def check_reason(who: object, why: object) -> None:
    """Raise if the log cannot keep who makes a change and why."""
    for what, text in (("who", who), ("why", why)):
        if text is not None:
            check_text(what, text)
            if len(str(text)) > LONGEST:
                raise InputError(
                    f"{what} has {len(str(text)):,} characters; at most {LONGEST:,} are kept."
                )


def write_log(
    connection: Connection,
    action: str,
    who: str | None,
    why: str | None,
    contest: str | None = None,
    player: str | None = None,
    details: dict[str, Any] | None = None,
    before: State | None = None,
    after: State | None = None,
    *,
    latest: int | None = None,
) -> tuple[int, int]:
    """Add to the log of a league; the number of the entry, and when it was made.

    Whoever knows the number of the latest entry that there is says so, and it is not looked for.
    """
    if latest is None:
        latest = last(connection, schema.log.c.id)
    number, time = 1 + latest, now()
    columns = {
        "id": number,
        "time": time,
        "who": who or user_name(),
        "action": action,
        "contest": contest,
        "player": player,
        "why": why,
        "details": json.dumps(details or {}, ensure_ascii=False),
        "before": packed(before),
        "after": packed(after),
    }
    insert(connection, schema.log, columns)
    return number, time


class Moved(NamedTuple):
    """Whose shown ratings a change has moved, the largest move first; what is not there is NaN."""

    players: list[str]
    before: Floats
    after: Floats

    @classmethod
    def of(cls, moves: pl.DataFrame) -> "Moved":
        """Those of a table with the columns player, before and after."""
        before, after = (moves[each].cast(pl.Float64).to_numpy() for each in ("before", "after"))
        return cls(moves["player"].to_list(), before, after)


def who_moved(moved: Moved) -> dict[str, Any]:
    """How many ratings a change moved, and the largest moves, for the details of its entry.

    Example:
        >>> who_moved(Moved(["bob", "ann"], np.array([1500.0, np.nan]), np.array([1450.0, 1510.0])))
        ... # doctest: +NORMALIZE_WHITESPACE
        {'moved': 2, 'moves': [{'player': 'bob', 'before': 1500.0, 'after': 1450.0},
                               {'player': 'ann', 'before': None, 'after': 1510.0}]}
    """
    columns = [
        moved.players[:_MOVES],
        *(
            [each if each == each else None for each in column[:_MOVES].tolist()]
            for column in moved[1:]
        ),
    ]
    rows = zip(*columns, strict=True)
    return {
        "moved": len(moved.players),
        "moves": [dict(zip(("player", "before", "after"), row, strict=True)) for row in rows],
    }


def packed(state: State | None) -> bytes | None:
    """A state as the log keeps it."""
    return None if state is None else repacked(json.dumps(state, ensure_ascii=False))


def repacked(state: str) -> bytes:
    """The same of what `unpacked` returned."""
    return zlib.compress(state.encode())


def unpacked(state: bytes | None) -> str | None:
    """What `packed` wrote, as JSON."""
    try:
        return None if state is None else zlib.decompress(state).decode()
    except (zlib.error, UnicodeDecodeError, TypeError):
        raise StorageError("the log is damaged: what was before a change cannot be read.") from None


def contest_state(contests: StoredContests, names: Mapping[int, str]) -> State:
    """Contests as the log keeps them: all that the tables have of them."""
    return {"contests": [_contest(contests, number, names) for number in range(len(contests))]}


def _contest(contests: StoredContests, number: int, names: Mapping[int, str]) -> dict[str, Any]:
    found = contests.take([number])
    c = found.columns
    said = {
        "contest": found.contest[0],
        "time": iso(from_microseconds(int(c.time[0]))),
        "name": found.name[0],
        "rated": bool(found.rated[0]),
        "weight": float(c.weight[0]),
        "perf_ceiling": None if np.isinf(c.perf_ceiling[0]) else float(c.perf_ceiling[0]),
        "margin": float(c.margin[0]),
        "rating_floor": float(found.floor[0]),
        "rating_ceiling": float(found.ceiling[0]),
    }
    score, count = float(c.score[0]), len(c.player)
    columns = {
        "player": [names[each] for each in c.player.tolist()],
        "rank": c.rank.tolist(),
        "eligible": [None if each else False for each in found.eligible.tolist()],
        "team": found.team_names.tolist(),
        "side": [each or None for each in c.side.tolist()],
        "share": [None if each == 1.0 else each for each in c.share.tolist()],
        "outcome": [None] * count if np.isnan(score) else [abs(at - score) for at in range(count)],
        **{
            f"given_{name}": each
            for name, each in zip(GIVEN, found.all_given.T.tolist(), strict=True)
        },
    }
    given = {name: each for name, each in columns.items() if each.count(None) < len(each)}
    rows = [dict(zip(given, row, strict=True)) for row in zip(*given.values(), strict=True)]
    if any(None in each for each in given.values()):
        rows = [{name: value for name, value in row.items() if value is not None} for row in rows]
    return {**as_document(said), "standings": rows}  # JSON can say all that is in rows


def results_of(state: State) -> Contests:
    """The results in what `contest_state` made."""
    rows = []
    for contest in state["contests"]:
        base = {name: contest[name] for name in ("contest", "time", *_OF_CONTESTS)}
        base = {name: value for name, value in base.items() if value is not None}
        for row in contest["standings"]:
            said = {name: row[name] for name in _OF_ROWS if name in row}
            given = {column: row.get(f"given_{name}") for name, column in GIVEN.items()}
            rows.append({**base, **said, **given})
    return Contests.from_records(rows, unlimited=True, future=True)


def contests_of(
    state: State, players: Mapping[str, int], number: NDArray[np.int64]
) -> StoredContests:
    """The contests in what `contest_state` made, all that it said of them.

    Args:
        state: As the log keeps it.
        players: The numbers of its players, by the names that they have there.
        number: Those of the contests.
    """
    try:
        return _contests_of(state["contests"], players, number)
    except (KeyError, TypeError, ValueError, IndexError, OverflowError):
        raise StorageError("the log is damaged: what was before a change cannot be read.") from None


def _contests_of(
    contests: list[dict[str, Any]], players: Mapping[str, int], number: NDArray[np.int64]
) -> StoredContests:
    rows = [row for each in contests for row in each["standings"]]
    sizes = [len(each["standings"]) for each in contests]
    teams: dict[str, int] = {}
    given = np.array([[row.get(f"given_{name}") for name in GIVEN] for row in rows], object)

    def numbers(name: str, missing: float = np.nan) -> NDArray[np.float64]:
        said = (each[name] for each in contests)
        return np.array([missing if each is None else each for each in said], np.float64)

    columns = Columns(
        offsets=np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))),
        player=np.array([players[row["player"]] for row in rows], np.int32),
        rank=np.array([row["rank"] for row in rows], np.int32),
        time=np.array([to_microseconds(each["time"]) for each in contests], np.int64),
        weight=numbers("weight"),
        perf_ceiling=numbers("perf_ceiling", np.inf),
        team=np.array(
            [
                -1 if "team" not in row else teams.setdefault(row["team"], len(teams))
                for row in rows
            ],
            np.int32,
        ),
        side=np.array([row.get("side", 0) for row in rows], np.int8),
        share=np.array([row.get("share", 1.0) for row in rows], np.float64),
        margin=numbers("margin"),
        score=np.array([each["standings"][0].get("outcome", np.nan) for each in contests]),
    )
    return StoredContests(
        columns=columns,
        number=number,
        contest=[each["contest"] for each in contests],
        name=[each["name"] for each in contests],
        rated=np.array([each["rated"] for each in contests], np.bool_),
        eligible=np.array([row.get("eligible", True) for row in rows], np.bool_),
        floor=numbers("rating_floor"),
        ceiling=numbers("rating_ceiling"),
        teams=list(teams),
        given=None if (given == None).all() else given.reshape(len(rows), len(GIVEN)),  # noqa: E711
    ).in_order()
