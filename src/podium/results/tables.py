"""From tables of any origin to valid columns, or to one sentence that says what is wrong."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium import forks
from podium.errors import InputError
from podium.numerics.columns import (
    competition_ranks,
    first_repeated_player,
    first_rows,
)
from podium.numerics.teams import ranks_of_teams
from podium.numerics.threads import for_each
from podium.results import match_ids
from podium.results.columns import PER_ROW, Columns, scores_if_any, taken
from podium.results.match_ids import MatchIds
from podium.results.times import (
    from_microseconds,
    future_sentence,
    latest_moment,
    series_to_microseconds,
)
from podium.results.turns import by_bytes, by_turn, in_time
from podium.results.turns import natural as natural
from podium.texts import LONGEST, also_written, too_long
from podium.wording import counted, listed

Locator = Callable[[int], str]
"""Says where a row of the input came from, for messages: 'row 17', 'results.csv, line 18'."""

LONG = ("contest", "time", "player")
MATCH = ("time", "player_a", "player_b")
MATCH_RESULT = (("outcome",), ("score_a", "score_b"))
"""A match list has one or the other."""
LONG_RESULT = ("rank", "score", "outcome")
"""Long results have at least one; the first of them decides who is ahead."""
OPTIONAL = (
    *("weight", "perf_ceiling", "team", "share", "margin", "side", "ladder", "name", "status"),
    "given_team",
)
GIVEN = {"score": "score", "status": "status", "team": "given_team"}
"""What a table says of a row beyond its rank, and in which column of `Contests.frame` it stands."""
WEIGHTS = (1e-4, 1e4)
"""The least and the greatest weight of a contest."""
SHARES = (1e-4, 1.0)
"""The least and the greatest part that a player can take in a contest."""

NAMES = tuple(dict.fromkeys((*LONG, *MATCH, *sum(MATCH_RESULT, ()), *LONG_RESULT, *OPTIONAL)))
"""All columns that podium knows."""

_SIDES = {
    **dict.fromkeys(("home", "white", "first", "a", "1"), 1),
    **dict.fromkeys(("neutral", "", "0"), 0),
    **dict.fromkeys(("away", "black", "second", "b", "-1"), -1),
}
_FINITE = (-np.finfo(float).max, np.finfo(float).max)
_LIMITS = {
    "weight": (WEIGHTS, "a number from 0.0001 to 10,000"),
    "perf_ceiling": (_FINITE, "a finite number"),
    "margin": ((0.0, _FINITE[1]), "a number of at least 0"),
}
_GIVEN_OF_MATCHES = ("status", "score", "score_a", "score_b")
_NOT_APART = ("outcome", "status")
"""What does not tell matches of a kind apart, or does so before all others."""
_ROWS_AT_ONCE = 1 << 17
_UNSAID = {"side": np.int8(0), "share": 1.0, "margin": np.nan, "score": np.nan}


class Parts(NamedTuple):
    """What a `podium.Contests` is made of."""

    columns: Columns
    players: pl.Series
    """The name of every player id."""
    ids: pl.Series | MatchIds
    """The identifier of every contest, or what they are made of."""
    teams: pl.Series | None
    """The name of every team id."""
    about: pl.DataFrame | None
    """Whatever else is known of every contest, e.g. its name."""
    ladder: pl.Series | None = None
    """The ladder of every contest."""
    given: pl.DataFrame | None = None
    """Per row: what was said beyond the rank, as it was given; columns out of `GIVEN`.

    The team stands there only if players are rated alone nevertheless.
    """

    @property
    def called(self) -> pl.Series:
        """The identifier of every contest, made now if it has not been."""
        ids = self.ids
        return ids.made() if isinstance(ids, MatchIds) else ids

    def take(
        self,
        contests: slice | NDArray[np.int64],
        rows: slice | NDArray[np.int64],
        offsets: NDArray[np.int64],
    ) -> "Parts":
        """As `Columns.take`, with all names."""
        columns = self.columns.take(contests, rows, offsets)
        if columns.score is not None:
            columns = columns._replace(score=scores_if_any(columns.score))
        return self._replace(
            columns=columns,
            ids=self.ids.take(contests) if isinstance(self.ids, MatchIds) else self.ids[contests],
            about=None if self.about is None else taken(self.about, contests),
            ladder=None if self.ladder is None else self.ladder[contests],
            given=None if self.given is None else taken(self.given, rows),
        )


class _Rows(NamedTuple):
    """The rows of a long table, and which contest each belongs to."""

    table: pl.DataFrame
    where: Locator
    contest: NDArray[np.int64]
    """Per row: the number of its contest, in order of appearance."""
    first: NDArray[np.int64]
    """Per contest: its first row."""

    def contest_of(self, row: int) -> str:
        """What messages call the contest of a row: contest 'spring' of ladder 'europe'."""
        contest = f"contest {self.table['contest'][row]!r}"
        if "ladder" not in self.table.columns:
            return contest
        return f"{contest} of ladder {self.table['ladder'][row]!r}"

    def refuse_two(
        self, differ: pl.Series | NDArray[np.bool_], said: Callable[[int, int], str]
    ) -> None:
        """Raise for the first row that differs from the first of its contest: `said` of both."""

        def message(row: int) -> str:
            both = said(int(self.first[self.contest[row]]), row)
            return f"{self.where(row)}: {self.contest_of(row)} has two {both}."

        _refuse(differ, message)


def plain_row(row: int) -> str:
    """Where a row is, if nothing more is known."""
    return f"row {row}"


def as_polars(frame: Any, columns: Mapping[str, str] | None = None) -> pl.DataFrame:
    """Any table as a polars frame, with podium's names for its columns.

    A column of the source may serve twice, e.g. a number of the round as `contest` and as `time`.
    Whoever says what to take as the score does not want the source's own `rank`.
    """
    forks.refuse_lost_threads()
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, pl.DataFrame):
        if not hasattr(frame, "__arrow_c_stream__"):
            raise InputError(
                f"a table is needed: a polars or pandas frame or anything with the Arrow "
                f"interface, not {type(frame).__name__}."
            )
        try:
            frame = pl.DataFrame(frame)
        except ImportError:
            raise InputError(
                "a pandas frame needs the package pyarrow; pip install pyarrow."
            ) from None
        except (pl.exceptions.PolarsError, TypeError, ValueError) as error:
            raise InputError(f"the table cannot be read: {_first_line(error)}.") from None
    table: pl.DataFrame = frame
    if columns is not None and not isinstance(columns, Mapping):
        raise InputError(
            f"columns must be a mapping such as {{'player': 'handle'}}, not {columns!r}."
        )
    for ours, theirs in (columns or {}).items():
        if ours not in NAMES:
            raise InputError(f"there is no column {ours!r} to map; podium's are {listed(NAMES)}.")
        if theirs not in table.columns:
            raise InputError(
                f"there is no column {theirs!r} to take as {ours!r}; "
                f"the columns are {listed(table.columns)}."
            )
    mapped = {ours: table[theirs] for ours, theirs in (columns or {}).items()}
    if "score" in mapped and "rank" not in mapped:
        table = table.drop("rank", strict=False)
    return table.with_columns(column.alias(ours) for ours, column in mapped.items())


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0].rstrip(".")


@contextmanager
def explaining() -> Iterator[None]:
    """Say in one sentence what polars makes of values that no check has foreseen."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OverflowError) as error:
        raise InputError(f"the table cannot be used ({_first_line(error)}).") from None


def is_match_list(table: pl.DataFrame) -> bool:
    """Whether it has the columns of a match list and not those of long results."""
    return {"player_a", "player_b"} <= set(table.columns) and "player" not in table.columns


def from_long(
    table: pl.DataFrame,
    where: Locator,
    *,
    sort: bool,
    lowest_score_wins: bool = False,
    rerank: bool = False,
    unlimited: bool = False,
    future: bool = False,
    names_as_given: bool = False,
) -> Parts:
    """Validate and sort long results. See `podium.Contests.from_frame`.

    With `names_as_given` they are as podium keeps them already.
    """
    named = _unchanged if names_as_given else as_names
    require(table, LONG)
    decisive = next((name for name in LONG_RESULT if name in table.columns), None)
    if decisive is None:
        raise InputError(
            f"there is no column 'rank', 'score' or 'outcome' among {listed(table.columns)}; if it "
            f"has another name, say columns={{'rank': NAME}} or columns={{'score': NAME}}, or "
            f"--columns rank=NAME or --columns score=NAME."
        )
    if lowest_score_wins and decisive != "score":
        raise InputError(
            f"lowest_score_wins or --lowest-score-wins is for scores, but there is a column "
            f"{decisive!r}, which decides."
        )
    _refuse_unusable(table, where)
    contest, first_rows = _contest_codes(table["contest"], where, named)
    ladders = _ladders(table, where, named)
    if ladders is not None:
        contest, first_rows = _codes_by_ladder(contest, ladders, where)
    given = _Rows(table, where, contest, first_rows)
    player, players = _player_codes([table["player"]], where, named)
    times = _contest_times(given)
    if not future:
        _refuse_future(given, times)
    places = _places(table[decisive], lowest_score_wins, where)
    ids = named(table["contest"][first_rows].cast(pl.String)).alias("contest")
    ladder = None if ladders is None else ladders[first_rows]
    order = by_turn(times, ids, ladder) if sort else _given_order(given, ladder, times)
    rows = _sorted_rows(contest, order, places, player, len(players))
    sizes = np.bincount(contest, minlength=len(order))[order]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    player = player[rows]
    places = places[rows]
    ranks = competition_ranks(offsets, places)
    repeated = first_repeated_player(offsets, player, len(players))
    if repeated >= 0:
        row, name = int(rows[repeated]), players[int(player[repeated])]
        spellings = table["player"].cast(pl.String).filter(contest == contest[row])
        raise InputError(
            f"{where(row)}: player {name!r} stands twice in {given.contest_of(row)}"
            f"{also_written(name, spellings)}; each player has one result."
        )
    team, teams = _team_codes(table, rows, named)
    if "rank" in table.columns and not rerank:
        if team is not None:
            ranks = ranks_of_teams(offsets, places, team, ranks)
        _check_ranks(given, places, rows, ranks)
    about = _about(given)
    if not (unlimited or names_as_given):
        told = None if about is None else about["name"]
        distinct = {"contest": ids, "player": players, "team": teams, "ladder": ladder}
        _refuse_long(table, where, **distinct, name=told)
    sides = _sides(table, where)
    shares = _shares(table, where)
    margin = None
    if "margin" in table.columns:
        margin = _contest_numbers(given, "margin", np.nan)[order]
    columns = Columns(
        offsets=offsets,
        player=player,
        rank=ranks,
        time=times[order],
        weight=_contest_numbers(given, "weight", 1.0)[order],
        perf_ceiling=_contest_numbers(given, "perf_ceiling", np.inf)[order],
        team=team,
        side=None if sides is None else _both_sides(sides.to_numpy()[rows], offsets),
        share=None if shares is None else shares[rows],
        margin=margin,
        score=_match_scores(given, offsets, rows, ranks),
    )
    return Parts(
        columns=columns,
        players=players,
        ids=ids[order],
        teams=teams,
        about=None if about is None else about[order],
        ladder=None if ladder is None else ladder[order],
        given=_given(table, rows),
    )


def _given(table: pl.DataFrame, rows: NDArray[np.int64]) -> pl.DataFrame | None:
    """What a table says of its rows beyond their ranks; of matches, `given_score` is the score."""
    found = {name: table[column] for name, column in GIVEN.items() if column in table.columns}
    if "given_score" in table.columns:
        found["score"] = table["given_score"]
    found = {name: each for name, each in found.items() if each.null_count() < len(each)}
    return pl.DataFrame(found)[rows] if found else None


def from_matches(
    table: pl.DataFrame,
    where: Locator,
    *,
    sort: bool,
    unlimited: bool = False,
    future: bool = False,
) -> Parts:
    """Validate a match list and make two rows of every match."""
    require(table, MATCH)
    _refuse_unusable(table, where)
    if not unlimited:
        texts = [name for name in ("contest", "ladder", "name") if name in table]
        _refuse_long(table, where, **{name: table[name] for name in texts})
    table = _with_scores(table, where)
    require(table, ["outcome"])
    _refuse_missing(table["outcome"], where)
    what = "a number from 0 (b won) to 1 (a won), 0.5 being a draw"
    outcome = _numbers(table["outcome"], where, (0.0, 1.0), what)
    sides = _sides(table, where)
    ladders = _ladders(table, where, as_names)
    if ladders is not None:
        table = table.with_columns(ladders)
    _refuse_missing(table["time"], where)
    times = _microseconds(table["time"], where).to_numpy()
    pair = [table[name] for name in ("player_a", "player_b")]
    player, players = _player_codes(pair, lambda row: where(row % table.height), as_names)
    if not unlimited and _is_long(players):
        _refuse_long(table, where, player_a=pair[0], player_b=pair[1])
    a, b = player[: table.height], player[table.height :]
    numbers = [name for name in _LIMITS if name in table.columns]
    table = table.with_columns(_numbers(table[name], where, *_LIMITS[name]) for name in numbers)
    matches = _Matches(table, where, times, a, b, players, ladders)
    order, ids, repeat = matches.in_turn(outcome, sort=sort)
    if not future:
        _refuse(
            times > latest_moment(),
            lambda row: future_sentence(int(times[row]), f"{where(row)}: {matches.called(row)}"),
        )
    matches.refuse_twice_in_one(order)
    if order is not None:
        matches, outcome = matches.take(order), outcome.gather(order)
        ids = None if ids is None else ids.gather(order)
        repeat = None if repeat is None else repeat[order]
        sides = None if sides is None else sides.gather(order)
    called = matches.ids(repeat) if ids is None else ids
    return matches.parts(outcome.to_numpy(), None if sides is None else sides.to_numpy(), called)


def _alternating(first: Any, second: NDArray[Any]) -> NDArray[Any]:
    """One of the first, one of the second, and so on."""
    both = np.empty(2 * len(second), second.dtype)
    both[0::2], both[1::2] = first, second
    return both


def _of_both(side: NDArray[np.int8], is_a: NDArray[np.bool_]) -> NDArray[np.int8]:
    """The side of both rows of every match, of which player a has the given one."""
    first = np.where(is_a, side, -side)
    return _alternating(first, -first)


class _Matches(NamedTuple):
    """Matches as they stand in a table, and the numbers that they are made of."""

    table: pl.DataFrame
    where: Locator
    times: NDArray[np.int64]
    a: NDArray[np.int32]
    b: NDArray[np.int32]
    players: pl.Series
    ladders: pl.Series | None

    @property
    def whole_days(self) -> bool:
        """Whether the times are dates."""
        return not (self.times % 86_400_000_000).any()

    def in_turn(
        self, outcome: pl.Series, *, sort: bool
    ) -> tuple[NDArray[np.int64] | None, pl.Series | None, NDArray[np.int64] | None]:
        """The order of the matches, None if they are in order, and their identifiers.

        These are None if there is no need yet to make them, beside `MatchIds.repeat`.
        """
        ids = order = repeat = None
        ladder = None if self.ladders is None else _codes(self.ladders)
        if "contest" in self.table.columns:
            ids = self._given_ids()
        else:

            def numbered(rows: NDArray[np.int64], kind: NDArray[np.int64]) -> NDArray[np.int64]:
                return self._numbered(rows, kind, outcome)

            found = match_ids.in_turn(self.times, self.a, self.b, self.players, ladder, numbered)
            if found is not None:
                order, repeat = found
            else:
                ids = self._made_ids(numbered)
        if not sort:
            first = np.arange(len(self.times))
            rows = _Rows(self.table, self.where, first, first)
            order = _given_order(rows, self.ladders, self.times)
        elif order is None:
            assert ids is not None
            order = by_turn(self.times, ids, self.ladders)
        return None if (order[1:] > order[:-1]).all() else order, ids, repeat

    def ids(self, repeat: NDArray[np.int64] | None) -> MatchIds:
        """What the identifiers of these matches, in this order, are made of."""
        return MatchIds(self.times, self.a, self.b, self.players, repeat, self.whole_days)

    def _given_ids(self) -> pl.Series:
        """Those of the table, which must differ within a ladder."""
        given = as_names(self.table["contest"])
        ids = given.cast(pl.String).alias("contest")
        self._refuse_repeated(ids, given)
        _refuse_missing(ids, self.where)
        _refuse(ids == "", lambda row: f"{self.where(row)}: contest is empty.")
        return ids

    def _refuse_repeated(self, ids: pl.Series, shown: pl.Series) -> None:
        _refuse(
            _is_repeated(ids, self.ladders) & ids.is_not_null(),
            lambda row: (
                f"{self.where(row)}: there are two matches {shown[row]!r}; "
                f"`contest` must differ from match to match, or be left out."
            ),
        )

    def _made_ids(
        self,
        numbered: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64]],
    ) -> pl.Series:
        """What matches are called, where only these texts tell which are of the same kind."""
        names = self.players.gather(self.a), self.players.gather(self.b)
        ids = match_ids.texts(self.times, *names, None, whole_days=self.whole_days)
        rows = np.flatnonzero(_is_repeated(ids, self.ladders).to_numpy())
        if not len(rows):
            return ids
        kind = _codes(ids.gather(rows))
        if self.ladders is not None:
            own = _codes(self.ladders)
            kind = kind * (own.max() + 1) + own[rows]
        repeat = np.ones(len(ids), np.int64)
        repeat[rows] = numbered(rows, kind)
        ids = match_ids.texts(self.times, *names, repeat, whole_days=self.whole_days)
        self._refuse_repeated(ids, ids)
        return ids

    def _numbered(
        self, rows: NDArray[np.int64], kind: NDArray[np.int64], outcome: pl.Series
    ) -> NDArray[np.int64]:
        """Which of its kind every match is: by result, and then by whatever else tells them apart.

        So the order of the rows does not matter.
        """
        known = [name for name in NAMES if name in self.table.columns and name not in _NOT_APART]
        names = {
            "player_a": self.players.gather(self.a[rows]),
            "player_b": self.players.gather(self.b[rows]),
        }
        tied = self.table.select(known)[rows].with_columns(
            kind=kind, outcome=outcome.gather(rows), **names
        )
        apart = pl.struct("outcome", *known).rank("ordinal").over("kind")
        return tied.select(apart.cast(pl.Int64)).to_series().to_numpy()

    def called(self, row: int) -> str:
        """What messages call a match."""
        if "contest" in self.table.columns:
            called = str(as_names(self.table["contest"].cast(pl.String))[row])
        else:
            one = slice(row, row + 1)
            names = self.players.gather(self.a[one]), self.players.gather(self.b[one])
            called = match_ids.texts(self.times[one], *names, None, whole_days=self.whole_days)[0]
        return f"contest {called!r}" + (
            "" if self.ladders is None else f" of ladder {self.ladders[row]!r}"
        )

    def refuse_twice_in_one(self, order: NDArray[np.int64] | None) -> None:
        """Raise if somebody plays against themselves."""
        wrong = self.a == self.b
        if not wrong.any():
            return
        row = int(np.argmax(wrong)) if order is None else int(order[np.argmax(wrong[order])])
        name = self.players[int(self.a[row])]
        spellings = [str(self.table[each][row]) for each in ("player_a", "player_b")]
        raise InputError(
            f"{self.where(row)}: player {name!r} stands twice in {self.called(row)}"
            f"{also_written(name, spellings)}; each player has one result."
        )

    def take(self, order: NDArray[np.int64]) -> "_Matches":
        """The same in another order, with what of the table is still to be used."""
        said = [name for name in (*_LIMITS, *_GIVEN_OF_MATCHES, "name") if name in self.table]
        return self._replace(
            table=taken(self.table.select(said), order),
            times=self.times[order],
            a=self.a[order],
            b=self.b[order],
            ladders=None if self.ladders is None else self.ladders.gather(order),
        )

    def parts(
        self,
        outcome: NDArray[np.float64],
        sides: NDArray[np.int8] | None,
        ids: pl.Series | MatchIds,
    ) -> Parts:
        """Two rows of every match, in this order."""
        a, b, table = self.a, self.b, self.table
        of_b = 1.0 - outcome
        of_a = 1.0 - of_b  # so that their sum is 1 without rounding
        is_a = (of_a > of_b) | ((of_a == of_b) & (a < b))
        best = np.maximum(of_a, of_b)
        score = np.where((best > 0.5) & (best < 1.0), best, np.nan)
        columns = Columns(
            offsets=np.arange(0, 2 * len(a) + 1, 2),
            player=_alternating(np.where(is_a, a, b), np.where(is_a, b, a)),
            rank=_alternating(np.int32(1), np.where(best > 0.5, np.int32(2), np.int32(1))),
            time=self.times,
            weight=self.numbers("weight", 1.0),
            perf_ceiling=self.numbers("perf_ceiling", np.inf),
            side=None if sides is None else _of_both(sides, is_a),
            margin=self.numbers("margin", np.nan) if "margin" in table.columns else None,
            score=scores_if_any(score),
        )
        about = table.select(pl.col("name").cast(pl.String)) if "name" in table.columns else None
        return Parts(columns, self.players, ids, None, about, self.ladders, self.given(is_a))

    def numbers(self, name: str, default: float) -> NDArray[np.float64]:
        """A weight, a ceiling or a margin; the default where there is none."""
        if name not in self.table.columns:
            return np.full(len(self.times), default)
        return self.table[name].fill_null(default).to_numpy()

    def given(self, is_a: NDArray[np.bool_]) -> pl.DataFrame | None:
        """What is said of both rows of every match beyond the ranks."""
        found, match = {}, np.arange(len(self.times))
        if "status" in self.table.columns:
            found["status"] = self.table["status"].gather(np.repeat(match, 2))
        scores = [
            self.table[name].cast(pl.String)
            if name in self.table.columns
            else pl.Series([None], dtype=pl.String).new_from_index(0, len(match))
            for name in ("score_a", "score_b")
        ]
        if {"score_a", "score_b"} & set(self.table.columns):
            first = np.where(is_a, match, match + len(match))
            rows = _alternating(first, np.where(is_a, match + len(match), match))
            found["score"] = pl.concat([each.alias("score") for each in scores]).gather(rows)
        elif "score" in self.table.columns:
            found["score"] = self.table["score"].cast(pl.String).gather(np.repeat(match, 2))
        found = {name: each for name, each in found.items() if each.null_count() < len(each)}
        return pl.DataFrame(found) if found else None


def _codes(texts: pl.Series) -> NDArray[np.int64]:
    """A number for every text, the same for the same ones."""
    return texts.rank("dense").cast(pl.Int64).to_numpy() - 1


def _scores(given: pl.Series, where: Locator) -> pl.Series:
    """Numbers, all of them finite."""
    _refuse_missing(given, where)
    return given if given.dtype.is_integer() else _numbers(given, where)


def _with_scores(table: pl.DataFrame, where: Locator) -> pl.DataFrame:
    """A match list with the outcome and the margin that its scores say, where it has none."""
    if not {"score_a", "score_b"} <= set(table.columns):
        return table
    ours, theirs = (_scores(table[name], where) for name in ("score_a", "score_b"))
    lead = ours.cast(pl.Float64) - theirs.cast(pl.Float64)
    said = {"outcome": 0.5 + 0.5 * lead.sign(), "margin": lead.abs()}
    return table.with_columns(
        values.alias(name) for name, values in said.items() if name not in table.columns
    )


def concatenated(parts: Sequence[Parts], *, sort: bool) -> Parts:
    """All contests, by time; those of one time in the order given."""
    forks.refuse_lost_threads()
    ids = pl.concat([part.called for part in parts])
    ladder = _concatenated_ladders(parts)
    repeated = _is_repeated(ids, ladder)
    if repeated.any():
        raise InputError(f"contest {ids.filter(repeated)[0]!r} stands in two of the parts.")
    players, player = _merged([(part.players, part.columns.player) for part in parts])
    teams, team = _merged_teams(parts)
    sizes = np.concatenate([np.diff(part.columns.offsets) for part in parts])
    starts = np.concatenate(([0], np.cumsum(sizes)))
    others = set(Columns._fields).difference(("offsets", "player", "team"))
    columns = Columns(
        offsets=starts,
        player=player,
        team=team,
        **{name: _concatenated_column(parts, name) for name in others},
    )
    order = in_time(columns.time)
    if not sort:
        _refuse_going_back(columns.time, lambda number: f"contest {ids[number]!r}")
        order = np.arange(len(order))
    offsets = np.concatenate(([0], np.cumsum(sizes[order])))
    about = None
    if any(part.about is not None for part in parts):
        abouts = [
            pl.DataFrame({"name": [None] * len(part.columns.time)}, {"name": pl.String})
            if part.about is None
            else part.about
            for part in parts
        ]
        about = pl.concat(abouts, how="diagonal_relaxed")
    whole = Parts(columns, players, ids, teams, about, ladder, _concatenated_given(parts))
    return whole.take(order, rows_of(starts[:-1][order], offsets), offsets)


def rows_of(starts: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The old numbers of all rows, for contests that began at `starts` and stand at `offsets`."""
    return np.repeat(starts - offsets[:-1], np.diff(offsets)) + np.arange(offsets[-1])


def joined(known: pl.DataFrame, about: pl.DataFrame) -> pl.DataFrame:
    """What is known of contests with the columns of another table, contest by contest.

    Where both say the ladder, that too must agree.
    """
    forks.refuse_lost_threads()
    require(about, ["contest"])
    keys = [name for name in ("contest", "ladder") if name in known and name in about]
    taken = {"time", "players", "weight", "perf_ceiling", "ladder"}.difference(keys)
    about = about.drop(taken, strict=False).with_columns(pl.col(keys).cast(pl.String))
    about = about.with_columns(as_names(about[key]) for key in keys)
    repeated = about.select(keys).is_duplicated()
    if repeated.any():
        twice = about["contest"].filter(repeated)[0]
        raise InputError(f"contest {twice!r} is described twice.")
    return known.join(about, on=keys, how="left", maintain_order="left")


def repeated_id(ids: pl.Series) -> str | None:
    """The first identifier that several contests have, or None."""
    repeated = ids.filter(ids.is_duplicated())
    return str(repeated[0]) if len(repeated) else None


def require(table: pl.DataFrame, wanted: Sequence[str]) -> None:
    """Raise if a column is missing."""
    for name in wanted:
        if name not in table.columns:
            raise InputError(
                f"there is no column {name!r} among {listed(table.columns)}; "
                f"if it has another name, say columns={{{name!r}: NAME}} or --columns {name}=NAME."
            )


def _refuse_unusable(table: pl.DataFrame, where: Locator) -> None:
    """Raise if there are no rows, or if a column holds what is neither number, text nor time."""
    if table.height == 0:
        raise InputError("there are no results: the table has no rows.")
    for name in NAMES:
        dtype = table.schema.get(name)
        if dtype is not None and (dtype.is_nested() or dtype in (pl.Binary, pl.Object)):
            raise InputError(f"column {name!r} holds {dtype}; numbers, texts or times are needed.")
        if isinstance(dtype, pl.Date | pl.Datetime) and name != "time":
            _refuse_beyond_calendars(table[name], where)


def _refuse_beyond_calendars(values: pl.Series, where: Locator) -> None:
    """Raise for a date that polars cannot make a text of."""
    _refuse(
        series_to_microseconds(values).is_null() & values.is_not_null(),
        lambda row: (
            f"{where(row)}: {values.name} {_said(values, row)} is a date beyond the years 1 to "
            f"9999."
        ),
    )


def _refuse(bad: pl.Series | NDArray[np.bool_], message: Callable[[int], str]) -> None:
    """Raise the message for the first bad row, if there is one."""
    mask = bad if isinstance(bad, np.ndarray) else bad.to_numpy()
    if mask.any():
        raise InputError(message(int(np.argmax(mask))))


def _said(values: pl.Series, row: int) -> str:
    """A value as messages show it; a date beyond all calendars as the number that it is."""
    if values.dtype.is_temporal():
        value = values.slice(row, 1)
        is_moment = isinstance(values.dtype, pl.Date | pl.Datetime)
        if not is_moment or series_to_microseconds(value).null_count():
            values, row = value.to_physical(), 0
    shown = repr(values[row])
    return shown if len(shown) <= 100 else f"{shown[:99]}…"


def _refuse_missing(values: pl.Series, where: Locator) -> None:
    if values.null_count():
        _refuse(values.is_null(), lambda row: f"{where(row)}: {values.name} is missing.")


def as_names(given: pl.Series) -> pl.Series:
    """Texts as `podium.texts.normalised` makes them; whatever is no text stays."""
    if isinstance(given.dtype, pl.Categorical | pl.Enum):
        given = given.cast(pl.String)
    if given.dtype != pl.String:
        return given
    if (given.str.len_bytes() == given.str.len_chars()).all():
        return given.str.strip_chars()
    distinct = given.unique()
    clean = distinct.str.normalize("NFC").str.strip_chars()
    other = distinct != clean
    return given.replace(distinct.filter(other), clean.filter(other)) if other.any() else given


def _unchanged(given: pl.Series) -> pl.Series:
    """Names that are as podium keeps them already."""
    return given


def _is_long(names: pl.Series) -> bool:
    """Whether one has too many characters."""
    lengths = names.str.len_bytes().max() or 0
    return bool(lengths > LONGEST and names.str.len_chars().max() > LONGEST)  # type: ignore[operator]


def _refuse_long(table: pl.DataFrame, where: Locator, **distinct: pl.Series | None) -> None:
    """Raise if a column, of which these are the values, holds a name with too many characters."""
    for column, values in distinct.items():
        if values is None or values.dtype != pl.String or not _is_long(values):
            continue
        given = table[column] if column == "name" else as_names(table[column])
        row = int((given.str.len_chars() > LONGEST).arg_max() or 0)
        said = too_long(f"{where(row)}: {column}", given[row])
        raise InputError(f"{said[:-1]}; unlimited=True or --unlimited takes more.")


def _contest_codes(
    contests: pl.Series, where: Locator, named: Callable[[pl.Series], pl.Series] = _unchanged
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A number for the contest of each row, in order of appearance, and the first row of each."""
    _refuse_missing(contests.fill_nan(None) if contests.dtype.is_float() else contests, where)
    if contests.dtype.is_integer():
        values = contests.to_numpy()
        changes = np.flatnonzero(values[1:] != values[:-1]) + 1
    else:
        changes = (contests != contests.shift(1)).arg_true().to_numpy()
    starts = np.concatenate(([0], changes))
    lengths = np.diff(np.append(starts, len(contests)))
    heads = named(contests[starts])
    if heads.is_duplicated().any():
        distinct = heads.unique(maintain_order=True)
        numbers = pl.Series(np.arange(len(distinct)))
        codes = heads.replace_strict(distinct, numbers, return_dtype=pl.Int64).to_numpy()
        first = starts[np.unique(codes, return_index=True)[1]]
    else:
        codes, first = np.arange(len(starts)), starts
    _refuse(
        named(contests[first].cast(pl.String)) == "",
        lambda code: f"{where(int(first[code]))}: contest is empty.",
    )
    return np.repeat(codes, lengths), first


def _ladders(
    table: pl.DataFrame, where: Locator, named: Callable[[pl.Series], pl.Series]
) -> pl.Series | None:
    """The name of every row's ladder."""
    if "ladder" not in table.columns:
        return None
    given = table["ladder"]
    names = named((given.fill_nan(None) if given.dtype.is_float() else given).cast(pl.String))
    _refuse(
        names.fill_null("") == "",
        lambda row: (
            f"{where(row)}: ladder is missing; every contest needs one, or the column is left out."
        ),
    )
    return names


def _codes_by_ladder(
    contest: NDArray[np.int64], ladders: pl.Series, where: Locator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The same as `_contest_codes`, where identifiers differ within their ladder only."""
    ladder = ladders.cast(pl.Categorical).to_physical().cast(pl.Int64).to_numpy()
    return _contest_codes(pl.Series("contest", contest * (ladder.max() + 1) + ladder), where)


def _is_repeated(ids: pl.Series, ladders: pl.Series | None) -> pl.Series:
    """Whether another contest of the same ladder has the same identifier."""
    return ids.is_duplicated() if ladders is None else pl.DataFrame([ids, ladders]).is_duplicated()


def _player_codes(
    columns: Sequence[pl.Series], where: Locator, named: Callable[[pl.Series], pl.Series]
) -> tuple[NDArray[np.int32], pl.Series]:
    """The place of each row's player among all names in alphabetical order, and these names.

    Several columns stand one below the other.
    """
    given = [each.fill_nan(None) if each.dtype.is_float() else each for each in columns]
    if len(given) > 1 or not isinstance(given[0].dtype, pl.Categorical | pl.Enum):
        given = [each.cast(pl.String).cast(pl.Categorical) for each in given]
    players = pl.concat([each.alias("player") for each in given])
    _refuse_missing(players, where)
    codes = players.to_physical().to_numpy()
    first_row: NDArray[np.int64] = first_rows(codes, int(codes.max()) + 1)
    used = np.flatnonzero(first_row >= 0)
    names = named(players.gather(first_row[used]).cast(pl.String)).alias("player")
    alphabetical = by_bytes(names)
    names = names[alphabetical]
    if names[0] == "":
        blank = int(first_row[used[alphabetical[0]]])
        raise InputError(f"{where(blank)}: player is empty.")
    is_new = np.append(True, (names[1:] != names[:-1]).to_numpy())  # several are one by now
    place = np.empty(len(first_row), np.int32)
    place[used[alphabetical]] = np.cumsum(is_new, dtype=np.int32) - np.int32(1)
    return place[codes], names if is_new.all() else names.filter(is_new)


def _contest_times(rows: _Rows) -> NDArray[np.int64]:
    given, first = rows.table["time"], rows.first
    _refuse_missing(given, rows.where)
    if not given.dtype.is_integer():
        values = _microseconds(given, rows.where).to_numpy()
        of_contest = values[first]
    else:
        values = given.to_numpy()
        heads = _microseconds(given[first], lambda head: rows.where(int(first[head])))
        of_contest = heads.to_numpy()
    rows.refuse_two(
        values != values[first][rows.contest],
        lambda head, row: (
            f"times, {given[head]} and {given[row]}; each contest needs a name of its own "
            f"(columns={{'contest': NAME}} or --columns contest=NAME)"
        ),
    )
    return of_contest


def _refuse_future(rows: _Rows, times: NDArray[np.int64]) -> None:
    """Raise for a contest at a time that only a wrong clock says."""

    def message(code: int) -> str:
        row = int(rows.first[code])
        return future_sentence(int(times[code]), f"{rows.where(row)}: {rows.contest_of(row)}")

    _refuse(times > latest_moment(), message)


def _microseconds(given: pl.Series, where: Locator) -> pl.Series:
    times = series_to_microseconds(given)
    if times.null_count():
        _refuse(
            times.is_null(),
            lambda row: (
                f"{where(row)}: time {_said(given, row)} is not a date (2026-05-01), "
                f"a datetime (2026-05-01T18:30:00) or unix seconds."
            ),
        )
    return times


def _contest_numbers(rows: _Rows, name: str, default: float) -> NDArray[np.float64]:
    """A weight, a ceiling or a margin per contest, which all of its rows must agree on.

    Where there is none, it is the default.
    """
    if name not in rows.table.columns:
        return np.full(len(rows.first), default)
    values = _numbers(rows.table[name], rows.where, *_LIMITS[name]).fill_null(default).to_numpy()
    heads = values[rows.first]
    of_contest = heads[rows.contest]
    rows.refuse_two(
        (values != of_contest) & ~(np.isnan(values) & np.isnan(of_contest)),
        lambda head, row: f"values of {name}, {values[head]:g} and {values[row]:g}",
    )
    return heads


def _about(rows: _Rows) -> pl.DataFrame | None:
    """The name of every contest, which all of its rows must agree on."""
    if "name" not in rows.table.columns:
        return None
    given = rows.table["name"].cast(pl.String)
    heads = given[rows.first]
    rows.refuse_two(
        given.ne_missing(heads.gather(rows.contest)),
        lambda head, row: f"names, {given[head]!r} and {given[row]!r}; `name` is the contest's",
    )
    return heads.to_frame()


def _numbers(
    given: pl.Series,
    where: Locator,
    limits: tuple[float, float] = _FINITE,
    what: str = "a finite number",
) -> pl.Series:
    """A column as numbers within limits; null where a value is missing."""
    values = _as_numbers(given)
    _refuse(
        given.is_not_null() & ~values.is_between(*limits).fill_null(False),
        lambda row: f"{where(row)}: {given.name} {_said(given, row)} is not {what}.",
    )
    return values


def _as_numbers(given: pl.Series) -> pl.Series:
    """A column of any type as numbers; null where a value is missing or not a number."""
    if isinstance(given.dtype, pl.Categorical | pl.Enum):
        given = given.cast(pl.String)
    if given.dtype == pl.String:
        given = given.str.strip_chars()
    if not given.dtype.is_decimal():
        given = given.to_physical()
    return given.cast(pl.Float64, strict=False)


def _places(given: pl.Series, lowest_score_wins: bool, where: Locator) -> NDArray[np.int64]:
    """Numbers from 0 on, or ranks themselves, that order the players of every contest."""
    if given.name == "rank":
        return _ranks(given, where)
    if given.name == "outcome":
        _refuse_missing(given, where)
        return np.where(_outcomes(given, where) < 0.5, 2, 1)
    scores = _scores(given, where)
    return scores.rank("dense", descending=not lowest_score_wins).cast(pl.Int64).to_numpy()


def _ranks(given: pl.Series, where: Locator) -> NDArray[np.int64]:
    """Whole numbers from 1 on."""
    _refuse_missing(given, where)
    if given.dtype.is_integer():
        whole = given.cast(pl.Int64, strict=False)
        ranks = (whole.fill_null(0) if whole.null_count() else whole).to_numpy()
        wrong = ranks < 1
    else:
        numbers = _as_numbers(given).fill_null(np.nan).to_numpy()
        wrong = ~((numbers >= 1.0) & (numbers < 1e15) & (numbers == np.floor(numbers)))
        ranks = np.where(wrong, 1, numbers).astype(np.int64)
    _refuse(
        wrong,
        lambda row: f"{where(row)}: rank {_said(given, row)} is not a whole number from 1 on.",
    )
    return ranks


def _outcomes(given: pl.Series, where: Locator) -> NDArray[np.float64]:
    """The score of every row's player, NaN where there is none."""
    what = "a number from 0 (lost) to 1 (won), 0.5 being a draw"
    return _numbers(given, where, (0.0, 1.0), what).fill_null(np.nan).to_numpy()


def _match_scores(
    given: _Rows,
    offsets: NDArray[np.int64],
    rows: NDArray[np.int64],
    ranks: NDArray[np.int32],
) -> NDArray[np.float64] | None:
    """The score of the first of two in every contest; NaN where the ranks say it all."""
    if "outcome" not in given.table.columns:
        return None
    said, player = given.table["outcome"], given.table["player"]
    outcome = _outcomes(said, given.where)[rows]
    sizes = np.diff(offsets)
    _refuse_outcomes_of_others(given, outcome, sizes, rows)
    first = offsets[:-1][sizes == 2]
    best, other = outcome[first], outcome[first + 1]
    apart = ranks[first] != ranks[first + 1]
    right = (np.sign(best - 0.5) == apart) & (np.abs(best + other - 1.0) <= 1e-9)

    def message(match: int) -> str:
        row, opponent = (int(rows[index]) for index in (first[match], first[match] + 1))
        return (
            f"{given.where(row)}: the outcomes of {given.contest_of(row)} are {_said(said, row)} "
            f"for {player[row]!r} and {_said(said, opponent)} for "
            f"{player[opponent]!r}, but they must sum to 1 and agree with the ranks."
        )

    _refuse(~right & ~(np.isnan(best) & np.isnan(other)), message)
    score = np.full(len(sizes), np.nan)
    score[sizes == 2] = np.where((best > 0.5) & (best < 1.0), best, np.nan)
    return scores_if_any(score)


def _refuse_outcomes_of_others(
    given: _Rows,
    outcome: NDArray[np.float64],
    sizes: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> None:
    """Raise if a contest of other than two players has an outcome."""
    size = np.repeat(sizes, sizes)

    def message(index: int) -> str:
        row = int(rows[index])
        return (
            f"{given.where(row)}: outcome is for matches of two, but {given.contest_of(row)} "
            f"has {counted(int(size[index]), 'player')}; leave it empty there, and give ranks."
        )

    _refuse(~np.isnan(outcome) & (size != 2), message)


def _given_order(
    rows: _Rows, ladder: pl.Series | None, times: NDArray[np.int64]
) -> NDArray[np.int64]:
    """As given, in every ladder, of which one may stand below the other."""
    given = np.argsort(rows.first, kind="stable")
    code = np.zeros(len(given), np.int64)
    if ladder is not None:
        code = ladder[given].rank("dense").cast(pl.Int64).to_numpy()
    together = given[np.argsort(code, kind="stable")]
    for own in np.split(together, np.cumsum(np.unique(code, return_counts=True)[1])[:-1]):
        first = rows.first[own].tolist()
        _refuse_going_back(times[own], lambda number: rows.where(first[number]))  # noqa: B023
    return given[np.argsort(times[given], kind="stable")]


def _refuse_going_back(times: NDArray[np.int64], name: Callable[[int], str]) -> None:
    back = np.flatnonzero(np.diff(times) < 0)
    if len(back):
        number = int(back[0]) + 1
        raise InputError(
            f"{name(number)}: time goes back from {from_microseconds(int(times[number - 1]))} to "
            f"{from_microseconds(int(times[number]))}; without sort=False or --keep-order, "
            f"they are sorted."
        )


def _sorted_rows(
    contest: NDArray[np.int64],
    order: NDArray[np.int64],
    places: NDArray[np.int64],
    player: NDArray[np.int32],
    players: int,
) -> NDArray[np.int64]:
    """The order of rows by their contest's place in the order, then place, then name."""
    position = np.empty(len(order), np.int64)
    position[order] = np.arange(len(order))
    bits = [int(limit).bit_length() for limit in (len(order), places.max(), players)]
    if sum(bits) > 63:
        return np.lexsort((player, places, position[contest]))
    rows = np.empty(len(contest), np.int64)

    def row_keys(some: slice | NDArray[np.int64]) -> NDArray[np.int64]:
        ahead = (position[contest[some]] << bits[1]) | places[some]
        keys: NDArray[np.int64] = (ahead << bits[2]) | player[some]
        return keys

    def sort(first: int, last: int) -> None:
        part = slice(first, last)
        keys = row_keys(part)
        rows[part] = np.argsort(keys, kind="stable")
        rows[part] += first

    edges = _edges(contest)
    threads = min(pl.thread_pool_size(), len(edges) - 1)
    for_each(lambda span: sort(*span), pairwise(edges), threads)
    ends = np.array([(rows[edge - 1], rows[edge]) for edge in edges[1:-1]], np.int64).ravel()
    keys = row_keys(ends)
    if (keys[::2] > keys[1::2]).any():  # contests do not stand in order
        sort(0, len(rows))
    return rows


def _edges(contest: NDArray[np.int64]) -> list[int]:
    """Where to part rows, so that parts fit into a cache; between contests, if rows are by them."""
    edges = {0, len(contest)}
    for start in range(_ROWS_AT_ONCE, len(contest), _ROWS_AT_ONCE):
        others = contest[start : start + _ROWS_AT_ONCE] != contest[start]
        if others.any():
            edges.add(start + int(np.argmax(others)))
    return sorted(edges)


def _check_ranks(
    given: _Rows, places: NDArray[np.int64], rows: NDArray[np.int64], ranks: NDArray[np.int32]
) -> None:
    """Raise for the first rank, of those in order, that is not 1 + the number of those ahead."""
    wrong = places != ranks
    if not wrong.any():
        return
    index = int(np.argmax(wrong))
    row, ahead = int(rows[index]), int(ranks[index]) - 1
    raise InputError(
        f"{given.where(row)}: rank {places[index]} of player {given.table['player'][row]!r} in "
        f"{given.contest_of(row)} cannot be, because {ahead or 'none'} "
        f"{'is' if ahead == 1 else 'are'} ahead: it should be "
        f"{ahead + 1} (say rerank=True or --rerank to use only the order of the ranks)."
    )


def _team_codes(
    table: pl.DataFrame, rows: NDArray[np.int64], named: Callable[[pl.Series], pl.Series]
) -> tuple[NDArray[np.int32] | None, pl.Series | None]:
    if "team" not in table.columns:
        return None, None
    given = table["team"].cast(pl.String)
    distinct = given.drop_nulls().unique()
    names = named(distinct)
    teams = names.unique().sort()
    numbers = names.replace_strict(
        teams, pl.Series(np.arange(len(teams), dtype=np.int32)), return_dtype=pl.Int32
    )
    codes = given.replace_strict(distinct, numbers, default=None, return_dtype=pl.Int32)
    return codes.fill_null(-1).to_numpy()[rows], teams.alias("team")


def _shares(table: pl.DataFrame, where: Locator) -> NDArray[np.float64] | None:
    """The part of the contest that every row took part in; all of it where nothing is said."""
    if "share" not in table.columns:
        return None
    given = table["share"]
    values = _as_numbers(given)
    right = values.is_between(SHARES[0], SHARES[1]).fill_null(False)
    _refuse(
        given.is_not_null() & ~right,
        lambda row: (
            f"{where(row)}: share {_said(given, row)} of player {table['player'][row]!r} is not a "
            f"number from 0.0001 to 1; leave out who did not play."
        ),
    )
    return values.fill_null(1.0).to_numpy()


def _sides(table: pl.DataFrame, where: Locator) -> pl.Series | None:
    if "side" not in table.columns:
        return None
    given = table["side"].cast(pl.String).fill_null("").str.to_lowercase()
    known = given.is_in(list(_SIDES))
    _refuse(
        ~known,
        lambda row: (
            f"{where(row)}: side {_said(table['side'], row)} is not home, white, first, "
            f"away, black, second or neutral."
        ),
    )
    return given.replace_strict(_SIDES, return_dtype=pl.Int8)


def _both_sides(side: NDArray[np.int8], offsets: NDArray[np.int64]) -> NDArray[np.int8]:
    """In matches of two, who meets somebody with a side has the other, also if nothing says so."""
    side = side.copy()
    first = offsets[:-1][np.diff(offsets) == 2]
    for one, other in ((first, first + 1), (first + 1, first)):
        unsaid = (side[one] == 0) & (side[other] != 0)
        side[one[unsaid]] = -side[other[unsaid]]
    return side


def _merged(
    parts: Sequence[tuple[pl.Series, NDArray[np.int32]]],
) -> tuple[pl.Series, NDArray[np.int32]]:
    """One list of names, and the codes of all parts in terms of it; -1 stays -1."""
    names = pl.concat([names for names, _ in parts]).unique().sort()
    numbers = pl.Series(np.arange(len(names), dtype=np.int32))
    codes = []
    for own, code in parts:
        new = own.replace_strict(names, numbers, return_dtype=pl.Int32).to_numpy()
        codes.append(np.append(new, np.int32(-1))[code])
    return names, np.concatenate(codes)


def _merged_teams(parts: Sequence[Parts]) -> tuple[pl.Series | None, NDArray[np.int32] | None]:
    if all(part.teams is None for part in parts):
        return None, None
    held = []
    for part in parts:
        names, codes = part.teams, part.columns.team
        if names is None or codes is None:
            names = pl.Series("team", [], pl.String)
            codes = np.full(len(part.columns.player), -1, np.int32)
        held.append((names, codes))
    return _merged(held)


def _concatenated_ladders(parts: Sequence[Parts]) -> pl.Series | None:
    """The ladder of every contest; either all parts have some, or none."""
    held = [part.ladder for part in parts if part.ladder is not None]
    if held and len(held) < len(parts):
        raise InputError(
            "some of the parts have ladders and some have none; Contests.without_ladders() makes "
            "them alike."
        )
    return pl.concat(held) if held else None


def _concatenated_given(parts: Sequence[Parts]) -> pl.DataFrame | None:
    """What was given with every row; nothing for parts that say nothing."""
    if all(part.given is None for part in parts):
        return None
    held = [
        pl.DataFrame({"score": [None] * len(part.columns.player)})
        if part.given is None
        else part.given
        for part in parts
    ]
    return pl.concat([each.cast(pl.String) for each in held], how="diagonal")


def _concatenated_column(parts: Sequence[Parts], name: str) -> Any:
    """A column, which only some parts may have; it says nothing for the others, if any has it."""
    found = [getattr(part.columns, name) for part in parts]
    if all(column is None for column in found):
        return None
    like = "player" if name in PER_ROW else "time"
    return np.concatenate(
        [
            np.full(len(getattr(part.columns, like)), _UNSAID[name]) if column is None else column
            for part, column in zip(parts, found, strict=True)
        ]
    )
