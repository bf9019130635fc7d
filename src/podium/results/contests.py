"""Results as columns: the one type that flows through podium.

A `Contests` holds any number of contests in the order in which they are rated. Rows, one for each
participation, are sorted by rank and then by name within their contest, so that
the same results give the same ratings to the bit, in whatever order they were written down.
"""

import datetime
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Self, Unpack, overload

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium import forks
from podium.errors import InputError
from podium.markup import table
from podium.numerics.columns import competition_ranks
from podium.results import formats, tables
from podium.results.formats.text import first_line
from podium.results.options import Options, Said
from podium.results.tables import Locator, Parts
from podium.results.times import Time, as_column, from_microseconds, to_microseconds
from podium.results.understanding import Table, understood
from podium.wording import counted


class Contest:
    """A view of one contest; nothing is copied."""

    __slots__ = ("_all", "_number")

    def __init__(self, contests: "Contests", number: int) -> None:
        self._all = contests
        self._number = number

    @property
    def _rows(self) -> slice:
        offsets = self._all.columns.offsets
        return slice(offsets[self._number], offsets[self._number + 1])

    @property
    def id(self) -> str:
        """The contest's identifier."""
        return str(self._all.ids[self._number])

    @property
    def name(self) -> str | None:
        """What it is called, if that is known."""
        about = self._all.about
        return None if about is None or "name" not in about else about["name"][self._number]

    @property
    def ladder(self) -> str | None:
        """The ladder that it belongs to, if there are any."""
        ladder = self._all.ladder
        return None if ladder is None else str(ladder[self._number])

    @property
    def time(self) -> datetime.datetime:
        """When it took place, in UTC."""
        return from_microseconds(int(self._all.columns.time[self._number]))

    @property
    def weight(self) -> float:
        """How much it counts."""
        return float(self._all.columns.weight[self._number])

    @property
    def perf_ceiling(self) -> float | None:
        """The highest performance that it can show, if it has a limit."""
        ceiling = float(self._all.columns.perf_ceiling[self._number])
        return None if ceiling == np.inf else ceiling

    @property
    def player(self) -> NDArray[np.int32]:
        """The players' ids, best first."""
        return self._all.columns.player[self._rows]

    @property
    def rank(self) -> NDArray[np.int32]:
        """Their ranks."""
        return self._all.columns.rank[self._rows]

    @property
    def players(self) -> list[str]:
        """The players' names, best first."""
        names: list[str] = self._all.players.gather(self.player).to_list()
        return names

    @property
    def standings(self) -> list[tuple[int, str]]:
        """Rank and name of every player, best first."""
        return list(zip(self.rank.tolist(), self.players, strict=True))

    def __len__(self) -> int:
        rows = self._rows
        return int(rows.stop - rows.start)

    def __repr__(self) -> str:
        return f"<Contest {self.id!r}, {self.time:%Y-%m-%d %H:%M}, {counted(len(self), 'player')}>"


class Contests:
    """Contests in order, as columns, which never change: threads may share them.

    Build one with `podium.read`, `from_frame`, `from_records` or `from_matches`.

    Example:
        >>> import podium
        >>> contests = podium.Contests.from_records([
        ...     {"contest": "spring", "time": "2026-03-01", "player": "ann", "rank": 1},
        ...     {"contest": "spring", "time": "2026-03-01", "player": "bob", "rank": 2},
        ...     {"contest": "summer", "time": "2026-06-01", "player": "bob", "rank": 1},
        ...     {"contest": "summer", "time": "2026-06-01", "player": "ann", "rank": 1},
        ... ])
        >>> contests
        <Contests: 2 contests, 4 rows, 2 players, 2026-03-01 to 2026-06-01>
        >>> contests[1].standings
        [(1, 'ann'), (1, 'bob')]
    """

    def __init__(self, parts: Parts) -> None:
        """For parts that are known to be valid; see `from_frame` for results of any origin."""
        self.columns, self.players, self._ids, self.teams, self.about, self.ladder, self.given = (
            parts
        )

    @classmethod
    def from_frame(
        cls, frame: Any, *, locate: Locator | None = None, **options: Unpack[Said]
    ) -> Self:
        """Contests from a table: one row for each participation, or for each match of two.

        Args:
            frame: A polars or pandas frame, or anything with the Arrow interface. Columns:
                `contest`, `time`, `player` and `rank` or `score`; optional `weight`,
                `perf_ceiling`, `margin` and `name`, the same in all rows of a contest, `team`,
                `share`, `side` and `status`, which is only kept; in matches of two `outcome`, each
                player's own score from 0 (lost) to 1 (won), which agrees with the ranks or stands
                for them. With `ladder`, contests belong to ladders, and differ in `contest` within
                theirs only. Of matches, see `from_matches`.
            locate: Says where a row comes from, for messages.
            **options: As for `podium.read`.

        Names are compared after normalisation (NFC) and without spaces at their ends.
        """
        said = Options.of(options)
        given = Table(tables.as_polars(frame), locate or tables.plain_row)
        return cls.from_understood(understood(given, said)[0], said)

    @classmethod
    def from_understood(cls, table: Table, options: Options) -> Self:
        """Contests from a table in podium's words."""
        frame, where = table.frame, table.locate
        names = {"unlimited": options.unlimited, "future": options.future}
        with tables.explaining():
            if tables.is_match_list(frame):
                return cls(tables.from_matches(frame, where, sort=options.sort, **names))
            return cls(
                tables.from_long(
                    frame,
                    where,
                    sort=options.sort,
                    lowest_score_wins=options.lowest_score_wins,
                    rerank=options.rerank,
                    **names,
                )
            )

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]], **options: Any) -> Self:
        """Contests from rows given as dictionaries; options as for `from_frame`."""
        rows = list(records)
        if not rows:
            raise InputError("there are no results: the list is empty.")
        try:
            frame = pl.DataFrame(rows, infer_schema_length=None)
        except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError) as error:
            raise InputError(f"the records do not make a table: {first_line(error)}.") from None
        return cls.from_frame(frame, **options)

    @classmethod
    def from_matches(
        cls, frame: Any, *, locate: Locator | None = None, **options: Unpack[Said]
    ) -> Self:
        """Contests of two from a table with one row for each match.

        Columns: `time`, `player_a`, `player_b` and `outcome` (1 if a won, 0.5 for a draw, 0 if b
        won, or anything between for systems that take scores) or `score_a` and `score_b`; optional
        `contest`, `side` (home, white or first: a has that side; away, black, second or neutral),
        `weight`, `ladder` and `margin`, which otherwise follows from the scores. Matches without
        an identifier get one from their time and players. Other options as for `from_frame`.
        """
        said = Options.of(options)
        given = Table(tables.as_polars(frame), locate or tables.plain_row)
        table = understood(given, said)[0]
        tables.require(table.frame, tables.MATCH)
        return cls.from_understood(table, said)

    @classmethod
    def concat(cls, parts: Sequence["Contests"], *, sort: bool = True) -> "Contests":
        """One after the other, then by time; contests of one time stay in the order given."""
        if isinstance(parts, Contests) or not all(isinstance(part, Contests) for part in parts):
            raise InputError("a list of Contests is needed to concatenate them.")
        if not parts:
            raise InputError("there is nothing to concatenate.")
        return cls(tables.concatenated([part.parts for part in parts], sort=sort))

    @property
    def parts(self) -> Parts:
        """Everything it is made of."""
        columns, names = self.columns, (self.players, self._ids, self.teams)
        return Parts(columns, *names, self.about, self.ladder, self.given)

    @property
    def ids(self) -> pl.Series:
        """The identifier of every contest; matches that were given none get theirs here."""
        if not isinstance(self._ids, pl.Series):
            self._ids = self.parts.called
        return self._ids

    def __len__(self) -> int:
        return len(self.columns.offsets) - 1

    @property
    def rows(self) -> int:
        """The number of participations."""
        return len(self.columns.player)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of players of every contest."""
        return np.diff(self.columns.offsets)

    def __iter__(self) -> Iterator[Contest]:
        return (Contest(self, number) for number in range(len(self)))

    @overload
    def __getitem__(self, key: int) -> Contest: ...

    @overload
    def __getitem__(self, key: slice) -> "Contests": ...

    def __getitem__(self, key: int | slice) -> "Contest | Contests":
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            if step != 1:
                raise InputError("contests can be sliced only in steps of 1.")
            return self._slice(start, max(start, stop))
        number = operator.index(key)
        number += len(self) * (number < 0)
        if not 0 <= number < len(self):
            raise IndexError(f"there are {len(self)} contests, no number {key}")
        return Contest(self, number)

    def between(self, start: Time | None = None, end: Time | None = None) -> "Contests":
        """The contests from `start` on and before `end`."""
        times = self.columns.time
        first = 0 if start is None else int(np.searchsorted(times, to_microseconds(start)))
        last = len(self) if end is None else int(np.searchsorted(times, to_microseconds(end)))
        return self._slice(first, max(first, last))

    def _slice(self, first: int, last: int) -> "Contests":
        offsets = self.columns.offsets[first : last + 1]
        rows = slice(offsets[0], offsets[-1])
        return Contests(self.parts.take(slice(first, last), rows, offsets - offsets[0]))

    @property
    def ladders(self) -> list[str] | None:
        """The names of all ladders, numbers in them by value; None if there is no such column."""
        return None if self.ladder is None else sorted(self.ladder.unique(), key=tables.natural)

    def by_ladder(self) -> "dict[str, Contests]":
        """The contests of every ladder, each with its own players only.

        Example:
            >>> import podium
            >>> contests = podium.Contests.from_records([
            ...     {"ladder": "europe", "contest": 1, "time": 0, "player": "ann", "rank": 1},
            ...     {"ladder": "asia", "contest": 1, "time": 9, "player": "bob", "rank": 1},
            ... ])
            >>> {name: part[0].players for name, part in contests.by_ladder().items()}
            {'asia': ['bob'], 'europe': ['ann']}
        """
        forks.refuse_lost_threads()
        names = self.ladders
        if names is None or self.ladder is None:
            raise InputError("these contests have no ladders; a column `ladder` names them.")
        numbers = pl.Series(np.arange(len(names)), dtype=pl.Int64)
        code = self.ladder.replace_strict(names, numbers, return_dtype=pl.Int64).to_numpy()
        order = np.argsort(code, kind="stable")
        offsets = np.concatenate(([0], np.cumsum(self.sizes[order])))
        rows = tables.rows_of(self.columns.offsets[:-1][order], offsets)
        arranged = Contests(self.parts.take(order, rows, offsets))
        bounds = np.searchsorted(code[order], np.arange(len(names) + 1)).tolist()
        return {
            name: arranged._slice(first, last).with_own_players()
            for name, first, last in zip(names, bounds[:-1], bounds[1:], strict=True)
        }

    def with_own_players(self) -> "Contests":
        """The same contests, with only the names of those who take part."""
        c = self.columns
        if _all_used(c.player, self.players) and _all_used(c.team, self.teams):
            return self
        used, player = np.unique(c.player, return_inverse=True)
        columns, teams = c._replace(player=player.astype(np.int32)), self.teams
        if teams is not None and c.team is not None:
            held, team = np.unique(np.append(c.team, np.int32(-1)), return_inverse=True)
            teams = teams.gather(held[1:])
            columns = columns._replace(team=(team[:-1] - 1).astype(np.int32))
        return Contests(
            self.parts._replace(columns=columns, players=self.players.gather(used), teams=teams)
        )

    def without_ladders(self) -> "Contests":
        """The same contests on one ladder, where they need different identifiers."""
        twice = None if self.ladder is None else tables.repeated_id(self.ids)
        if twice is not None:
            raise InputError(
                f"contest {twice!r} is in more than one ladder; to make one of all ladders, "
                f"every contest needs an identifier of its own."
            )
        return Contests(self.parts._replace(ladder=None))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Contests):
            return NotImplemented
        same = all(
            np.array_equal(getattr(self.columns, name), getattr(other.columns, name))
            for name in ("offsets", "rank", "time", "weight", "perf_ceiling")
        )
        return same and self.frame().equals(other.frame())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        count = counted(len(self), "contest")
        if len(self) == 0:
            return f"<Contests: {count}>"
        first, last = (from_microseconds(int(self.columns.time[i])) for i in (0, -1))
        players = len(np.unique(self.columns.player))
        return (
            f"<Contests: {count}, {counted(self.rows, 'row')}, {counted(players, 'player')}, "
            f"{first:%Y-%m-%d} to {last:%Y-%m-%d}>"
        )

    def _repr_html_(self) -> str:
        about = {"contest": self.ids, "time": as_column(self.columns.time), "players": self.sizes}
        return table(self, pl.DataFrame(about))

    def without_teams(self) -> "Contests":
        """The same contests with every player on their own; members of a team are tied."""
        c = self.columns
        ranks = competition_ranks(c.offsets, c.rank)
        columns, given = c._replace(team=None, rank=ranks), self.given
        if c.team is not None and self.teams is not None:
            team = self.teams.gather(pl.Series(c.team).set(pl.Series(c.team) < 0, None))
            given = pl.DataFrame({"team": team}) if given is None else given.with_columns(team=team)
        return Contests(self.parts._replace(columns=columns, teams=None, given=given))

    def frame(self, *, given: bool = False) -> pl.DataFrame:
        """The long table: one row for each participation.

        With `given`, it has also what was said beyond the ranks: `score`, `status` and, if teams
        are ignored, `given_team`.
        """
        c = self.columns
        number = np.repeat(np.arange(len(self)), self.sizes)
        data: dict[str, Any] = {
            "contest": self.ids.gather(number),
            "time": as_column(c.time[number]),
            "player": self.players.gather(c.player),
            "rank": c.rank,
        }
        if not (c.weight == 1.0).all():
            data["weight"] = c.weight[number]
        if np.isfinite(c.perf_ceiling).any():
            ceiling = pl.Series(c.perf_ceiling[number])
            data["perf_ceiling"] = ceiling.set(ceiling.is_infinite(), None)
        if c.team is not None and self.teams is not None:
            team = pl.Series(c.team)
            data["team"] = self.teams.gather(team.set(team < 0, None))
        if c.share is not None:
            data["share"] = c.share
        if c.margin is not None:
            data["margin"] = pl.Series(c.margin[number], nan_to_null=True)
        if c.score is not None:
            is_first = np.arange(self.rows) == c.offsets[number]
            outcome = np.where(is_first, c.score[number], 1.0 - c.score[number])
            data["outcome"] = pl.Series(outcome, nan_to_null=True)
        if c.side is not None:
            data["side"] = c.side
        if self.ladder is not None:
            data["ladder"] = self.ladder.gather(number)
        if self.about is not None and "name" in self.about.columns:
            data["name"] = self.about["name"].gather(number)
        if given and self.given is not None:
            data |= {tables.GIVEN[each.name]: each for each in self.given}
        return pl.DataFrame(data)

    def describe(self, about: Any) -> "Contests":
        """The same contests with more known of each, e.g. a link, for `summary`.

        Args:
            about: A frame with the column `contest` and any others; where contests have ladders,
                it may have `ladder` too. Contests that it does not have get nulls; what was known
                under the same column is replaced.
        """
        table = tables.as_polars(about)
        known = pl.DataFrame({"contest": self.ids})
        if self.ladder is not None:
            known = known.with_columns(ladder=self.ladder)
        if self.about is not None:
            known = known.hstack(self.about.drop(table.columns, strict=False))
        described = tables.joined(known, table).drop("contest", "ladder", strict=False)
        return Contests(self.parts._replace(about=described))

    def summary(self) -> pl.DataFrame:
        """One row for each contest: identifier, time, players, weight and what else is known."""
        c = self.columns
        frame = pl.DataFrame(
            {
                "contest": self.ids,
                "time": as_column(c.time),
                "players": self.sizes,
                "weight": c.weight,
            }
        )
        if self.ladder is not None:
            frame = frame.with_columns(ladder=self.ladder)
        return frame if self.about is None else frame.hstack(self.about)

    def write(self, path: Any, *, format: str | None = None) -> None:
        """Write to a file or folder that `podium.read` reads; the format follows from the name."""
        formats.write(self, path, format=format)


def _all_used(numbers: NDArray[np.int32] | None, names: pl.Series | None) -> bool:
    """Whether every name has a row; not looked for where there are more names than rows."""
    if numbers is None or names is None:
        return True
    if len(names) > len(numbers):
        return False
    used = np.zeros(len(names) + 1, np.bool_)
    used[numbers] = True  # those of no team say so at the end
    return bool(used[:-1].all())
