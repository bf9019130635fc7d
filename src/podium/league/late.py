"""Late results: rows that join a contest which is in the league already."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import Connection

from podium.errors import ConflictError, InputError, NotFoundError
from podium.league import players
from podium.league.changes import Change, contest_named, one_ladder, states_of
from podium.league.edits import Changing, Edit
from podium.league.standings import StoredContests
from podium.ratings.fold import ready_to_fold
from podium.results import tables
from podium.results.contests import Contests
from podium.results.options import Options
from podium.results.tables import GIVEN
from podium.results.times import from_microseconds, series_to_microseconds
from podium.results.understanding import Table, understood_rows
from podium.wording import counted, listed

_SAID = ("status", "given_score", "given_team")
_OF_ROWS = ("player", "rank", "score", "team", "share", "side", *_SAID)
"""The columns of late results that say something of a row."""


def as_rows(results: Any) -> pl.DataFrame:
    """Late results, a frame or records, in podium's words."""
    if isinstance(results, Contests):
        raise InputError(
            "late results are rows with their ranks among all, as a frame or dictionaries; "
            "contests have only the ranks among themselves."
        )
    if isinstance(results, Sequence) and all(isinstance(each, Mapping) for each in results):
        try:
            results = pl.DataFrame(list(results), infer_schema_length=None)
        except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError) as error:
            raise InputError(f"the rows do not make a table: {error}.") from None
    given = Table(tables.as_polars(results), tables.plain_row)
    return understood_rows(given, Options())[0].frame


def add(
    change: Changing,
    contest: str,
    rows: pl.DataFrame,
    *,
    tied: bool | None,
    lowest_score_wins: bool,
) -> Change:
    """Put late results into a contest."""
    connection = change.connection
    old = contest_named(connection, contest)
    contest = old.contest[0]
    rows = _of_contest(rows, contest, int(old.columns.time[0]))
    moment = pl.lit(from_microseconds(int(old.columns.time[0]))).cast(pl.Datetime("us"))
    whole = Table(rows.with_columns(contest=pl.lit(contest), time=moment), tables.plain_row)
    reading = Options(rerank=True, lowest_score_wins=lowest_score_wins, future=True)
    joining = one_ladder(Contests.from_understood(whole, reading))
    entrants = players.entrants(connection, joining)
    late = StoredContests.of(
        entrants.contests, entrants.number, old.number, rated=bool(old.rated[0])
    )
    called = {
        **entrants.newcomers,
        **players.names_of(
            connection, np.union1d(old.columns.player, late.columns.player).astype(np.int64)
        ),
    }
    _refuse_who_is_there(old, late, called, contest)
    both = _Rows(old, late)
    by = "rank" if "rank" in rows.columns else "score"
    given = _given(connection, rows, by, entrants.newcomers)
    values = np.array([given[each] for each in late.columns.player.tolist()])
    if by == "rank":
        new = _by_rank(both, values.astype(np.int64), called, tied)
    else:
        new = _by_score(both, values, called, lowest_score_wins=lowest_score_wins)
    new = dataclasses.replace(new, eligible=change.settled(old, new))
    ready_to_fold(new.as_contests(called), change.revision.system, None, {})
    moved = change.make(Edit(dropped=old, put=new, newcomers=entrants.newcomers))
    sizes = [len(old.columns.player), len(new.columns.player)]
    names = sorted(called[each] for each in late.columns.player.tolist())
    change.note(
        "add",
        contest=contest,
        player=names[0] if len(names) == 1 else None,
        details={"added": len(names), "players": sizes},
        moves=moved,
        **states_of(change, old, new, entrants.newcomers),
    )
    which = repr(names[0]) if len(names) == 1 else counted(len(names), "result")
    what = f"added {which} to contest {contest!r}; {sizes[0]:,} → {sizes[1]:,} players"
    return Change(
        what,
        True,
        replayed=change.replayed,
        moves=moved,
        newcomers=sorted(entrants.newcomers.values()),
    )


def _of_contest(rows: pl.DataFrame, contest: str, time: int) -> pl.DataFrame:
    """The rows that are meant, with what they say of players; raise if they are of another time."""
    if "player" not in rows.columns:
        raise InputError(f"there is no column 'player' among {listed(rows.columns)}.")
    if not {"rank", "score"} & set(rows.columns):
        raise InputError(
            f"late results need a column 'rank', among all players of the contest, or 'score'; "
            f"there is {listed(rows.columns)}."
        )
    if "contest" in rows.columns:
        named = tables.as_names(rows["contest"].cast(pl.String))
        rows = rows.filter(named == contest)
        if not rows.height:
            raise NotFoundError(
                f"there is no contest {contest!r} among the late results; there is "
                f"{listed(named.unique(maintain_order=True).drop_nulls().to_list())}."
            )
    if "time" in rows.columns:
        times = series_to_microseconds(rows["time"]).drop_nulls()
        if other := next((each for each in times if each != time), None):
            raise InputError(
                f"contest {contest!r} took place on {from_microseconds(time)}, and not on "
                f"{from_microseconds(other)}, as the late results say."
            )
    if not rows.height:
        raise InputError("there is no late result among these.")
    return rows.select(name for name in _OF_ROWS if name in rows.columns)


def _refuse_who_is_there(
    old: StoredContests, late: StoredContests, called: Mapping[int, str], contest: str
) -> None:
    """Raise if somebody has a result already."""
    there = np.flatnonzero(np.isin(old.columns.player, late.columns.player))
    if len(there):
        first = int(there[0])
        more = f", and so do {len(there) - 1} more" if len(there) > 1 else ""
        raise ConflictError(
            f"{called[int(old.columns.player[first])]!r} takes part in contest {contest!r} "
            f"already, at rank {old.columns.rank[first]}{more}; podium amend replaces results."
        )


def _given(
    connection: Connection, rows: pl.DataFrame, by: str, newcomers: Mapping[int, str]
) -> dict[int, float]:
    """The ranks or scores of late results by the numbers of their players."""
    names = tables.as_names(rows["player"].cast(pl.String)).to_list()
    number = {
        **players.known(connection, names),
        **{name: each for each, name in newcomers.items()},
    }
    values = rows[by].cast(pl.Float64).to_list()
    return {number[name]: value for name, value in zip(names, values, strict=True)}


class _Rows:
    """The rows of a contest with those that are late, which come last."""

    def __init__(self, old: StoredContests, late: StoredContests) -> None:
        self.old, self.late = old, late
        self.count = len(old.columns.player)
        self.teams = [*dict.fromkeys((*old.teams, *late.teams))]
        place = {name: number for number, name in enumerate(self.teams)}
        number = np.array([place[name] for name in late.teams] + [-1], np.int32)
        self.team = np.concatenate((old.columns.team, number[late.columns.team]))
        alone = len(self.teams) + np.arange(len(self.team))
        self.unit = alone
        if old.counts_teams[0]:
            self.unit = np.where(self.team >= 0, self.team, alone)
        """Whom ranks count: rows, or teams with those who are in none."""

    def ranks(self, label: NDArray[np.int64]) -> NDArray[np.int32]:
        """The ranks of rows whose labels say who is ahead: 1 and the number of units that are."""
        distinct = np.unique(np.stack((label, self.unit)), axis=1)[0]
        sizes = np.bincount(distinct)
        ranks: NDArray[np.int32] = (1 + (np.cumsum(sizes) - sizes)[label]).astype(np.int32)
        return ranks

    def units(self, rows: list[int]) -> int:
        """How many units some rows are."""
        return len(set(self.unit[rows].tolist()))

    def together(self, label: NDArray[np.int64], called: Mapping[int, str]) -> StoredContests:
        """The contest with all rows."""
        old, late, rank = self.old, self.late, self.ranks(label)
        for team in np.unique(self.team[self.count :]).tolist():
            if team >= 0 and len(set(rank[self.team == team].tolist())) > 1:
                raise InputError(
                    f"the players of team {self.teams[team]!r} cannot have different ranks."
                )
        both = {
            field: np.concatenate((getattr(old.columns, field), getattr(late.columns, field)))
            for field in ("player", "side", "share")
        }
        columns = old.columns._replace(
            **both,
            offsets=np.array([0, len(rank)]),
            rank=rank,
            team=self.team,
            score=np.full(1, np.nan),
        )
        given = np.concatenate((old.all_given, late.all_given))
        return dataclasses.replace(
            old,
            columns=columns,
            teams=self.teams,
            eligible=np.ones(len(rank), np.bool_),
            given=None if all(each is None for each in given.flat) else given,
        ).by_name(called)


def _by_rank(
    rows: _Rows, given: NDArray[np.int64], called: Mapping[int, str], tied: bool | None
) -> StoredContests:
    """The contest with late rows at the ranks that they have among all."""
    late, contest = rows.late.columns.player, rows.old.contest[0]
    starts, group = np.unique(rows.old.columns.rank, return_index=True, return_inverse=True)[1:]
    members = [each.tolist() for each in np.split(np.arange(rows.count), starts[1:])]
    of_team = {team: place for place, team in zip(group, rows.team, strict=False) if team >= 0}
    newly: dict[int, list[int]] = {}
    for row, rank in enumerate(given.tolist(), rows.count):
        if (place := of_team.get(rows.team[row])) is not None:
            members[place].append(row)
        else:
            newly.setdefault(rank, []).append(row)
    in_order, ahead, last = list[list[int]](), 0, 0
    for rank, these in sorted(newly.items()):
        while last < len(members) and ahead + rows.units(members[last]) < rank:
            ahead += rows.units(members[last])
            in_order.append(members[last])
            last += 1
        name = called[int(late[these[0] - rows.count])]
        if ahead + 1 != rank:
            why = f"{ahead:,} are ahead and those who follow tie"
            if last == len(members):
                why = f"there are {ahead:,} others"
            raise InputError(
                f"{name!r} cannot be at rank {rank} of contest {contest!r}, because {why}."
            )
        if last < len(members) and tied is None:
            other = called[int(rows.old.columns.player[members[last][0]])]
            raise InputError(
                f"{name!r} at rank {rank} of contest {contest!r} can tie with {other!r} or come "
                f"before; say tied=True or --tied, or tied=False or --ahead."
            )
        if last < len(members) and tied:
            members[last] += these
        else:
            in_order.append(these)
            ahead += rows.units(these)
    in_order += members[last:]
    label = np.empty(len(rows.team), np.int64)
    for place, each in enumerate(in_order):
        label[each] = place
    rank = rows.ranks(label)[rows.count :]
    if (rank != given).any():
        wrong = int(np.flatnonzero(rank != given)[0])
        raise InputError(
            f"{called[int(late[wrong])]!r} cannot be at rank {given[wrong]} of contest "
            f"{contest!r}: it would be {rank[wrong]}."
        )
    return rows.together(label, called)


def _by_score(
    rows: _Rows, given: NDArray[np.float64], called: Mapping[int, str], *, lowest_score_wins: bool
) -> StoredContests:
    """The contest with late rows where their scores put them."""
    contest, there = rows.old.contest[0], rows.old.columns.player.tolist()
    texts = rows.old.all_given[:, list(GIVEN).index("score")].tolist()
    if None in texts:
        who = called[there[texts.index(None)]]
        raise InputError(
            f"contest {contest!r} knows no score of {who!r} to compare with; give the ranks of the "
            f"late results."
        )
    said = pl.DataFrame({"player": [called[each] for each in there], "score": texts})
    reading = Options(lowest_score_wins=lowest_score_wins)
    known = understood_rows(Table(said, tables.plain_row), reading)[0].frame["score"]
    scores = np.concatenate((known.cast(pl.Float64).to_numpy(), given))
    label = np.unique(scores if lowest_score_wins else -scores, return_inverse=True)[1]
    before = label.copy()
    before[rows.count :] = label.max() + 1
    if (rows.ranks(before)[: rows.count] != rows.old.columns.rank).any():
        other = "" if lowest_score_wins else "; if the lowest wins, say --lowest-score-wins"
        raise InputError(
            f"the ranks of contest {contest!r} are not those of its scores{other}; give the ranks "
            f"of the late results."
        )
    return rows.together(label, called)
