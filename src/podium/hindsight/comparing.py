"""What was compared with what: pairs and rankings as static rankings take them.

Comparisons that ended alike are added up first: two million votes on two hundred models are some
ten thousand different ones. Orders of rows, and who of two stands first, change nothing.
"""

import secrets
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.errors import InputError
from podium.numerics import comparisons as kernels
from podium.ratings.fold import refuse_ladders
from podium.results import formats, sources, tables
from podium.results.contests import Contests
from podium.results.formats import parquet, recognition
from podium.results.joining import Part, joined, locator
from podium.results.options import Options
from podium.results.understanding import Table, Understanding, understood
from podium.wording import listed, suggestion

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SIDE = "side"
"""The covariate that results have by themselves."""
_ARENA = ("model_a", "model_b", "winner")
_WINNERS = {
    "model_a": 1.0,
    "model_b": 0.0,
    "a": 1.0,
    "b": 0.0,
    "tie": 0.5,
    "draw": 0.5,
    "tie (bothbad)": 0.5,
    "tie (both bad)": 0.5,
    "bothbad": 0.5,
    "both_bad": 0.5,
}
"""What arenas write into the column `winner`."""
_SCORES = np.array([0.0, 0.5, 1.0])
_LARGEST = 1e6
"""Of a covariate: squares of larger ones leave nothing of the rest."""
_ROWS_LEFT_OUT = (
    "some rows are no results and were left out, so that covariates cannot stand beside the "
    "others; leave them out of the table."
)


@dataclass(frozen=True, eq=False)
class Sums:
    """The log likelihood at some parameters, and its derivatives."""

    likelihood: float
    gradient: Floats
    curvature: Floats
    squares: Floats
    """The sum of the outer products of single gradients."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Comparisons of two, those that ended alike together."""

    names: list[str]
    """Of the players, in order."""
    first: Integers
    second: Integers
    x: Floats
    """A row for each, with what each covariate says for the first of the two."""
    score: Floats
    """Of the first: 1 for a win, ½ for a tie."""
    single: Floats
    """What one of these comparisons weighs."""
    count: Integers
    """How many there are."""
    covariates: tuple[str, ...] = ()
    ties: bool = False
    """Whether ties are an outcome of their own, by Davidson's model."""

    @property
    def results(self) -> int:
        """How many comparisons there are."""
        return int(self.count.sum())

    @property
    def parameters(self) -> int:
        """How many numbers the model has."""
        return len(self.names) + len(self.covariates) + self.ties

    @property
    def units(self) -> Integers:
        """How often each row happened: what a bootstrap draws from."""
        return self.count

    def sums(self, theta: Floats, times: Integers | None = None) -> Sums:
        """The likelihood, with each row as often as it happened, or so many times."""
        count = self.count if times is None else times
        g, H, M = _nothing(self.parameters)
        likelihood = kernels.add_up_pairs(
            theta, len(self.names), self.first, self.second, self.x, self.score,
            self.single * count, self.single**2 * count, self.ties, g, H, M,
        )  # fmt: skip
        return Sums(likelihood, g, H, M)

    def links(self) -> tuple[Integers, Integers]:
        """Who was at least once not behind whom: winners, and those they were ahead of."""
        ahead, behind = self.score > 0.0, self.score < 1.0
        return (
            np.concatenate([self.first[ahead], self.second[behind]]),
            np.concatenate([self.second[ahead], self.first[behind]]),
        )

    def appearances(self) -> Integers:
        """How many comparisons everybody has."""
        count = len(self.names)
        both = np.bincount(self.first, self.count, count) + np.bincount(
            self.second, self.count, count
        )
        return both.astype(np.int64)


@dataclass(frozen=True, eq=False)
class Rankings:
    """Rankings of any size, with ties."""

    names: list[str]
    offsets: Integers
    player: Integers
    rank: Integers
    x: Floats
    """A row for each participation, with its covariates."""
    weight: Floats
    """Of every ranking."""
    covariates: tuple[str, ...] = ()
    ties: bool = False

    @property
    def results(self) -> int:
        """How many rankings there are."""
        return len(self.weight)

    @property
    def parameters(self) -> int:
        """How many numbers the model has."""
        return len(self.names) + len(self.covariates)

    @property
    def units(self) -> Integers:
        """Every ranking happened once."""
        return np.ones(len(self.weight), np.int64)

    def sums(self, theta: Floats, times: Integers | None = None) -> Sums:
        """The likelihood of all rankings, or of each so many times."""
        weight = self.weight if times is None else self.weight * times
        g, H, M = _nothing(self.parameters)
        likelihood = kernels.add_up_rankings(
            theta, len(self.names), self.offsets, self.player, self.rank, self.x, weight, g, H, M
        )
        return Sums(likelihood, g, H, M)

    def links(self) -> tuple[Integers, Integers]:
        """Who was at least once not behind whom, as far as others do not follow from it."""
        same = np.diff(np.repeat(np.arange(len(self.weight)), np.diff(self.offsets))) == 0
        above, below = self.player[:-1][same], self.player[1:][same]
        tied = (self.rank[:-1] == self.rank[1:])[same]
        return np.concatenate([above, below[tied]]), np.concatenate([below, above[tied]])

    def appearances(self) -> Integers:
        """How many rankings everybody is in."""
        return np.bincount(self.player, minlength=len(self.names))


Compared = Pairs | Rankings


def with_enough(compared: Compared, least: int) -> Compared:
    """What is left without those who have fewer results than so many."""
    enough = compared.appearances() >= least
    if enough.all():
        return compared
    number = np.cumsum(enough) - 1
    names = [name for name, kept in zip(compared.names, enough, strict=True) if kept]
    if isinstance(compared, Pairs):
        use = enough[compared.first] & enough[compared.second]
        return replace(
            compared,
            names=names,
            first=number[compared.first[use]],
            second=number[compared.second[use]],
            **{name: getattr(compared, name)[use] for name in ("x", "score", "single", "count")},
        )
    use = enough[compared.player]
    offsets = np.concatenate([[0], np.cumsum(use)])[compared.offsets]
    return replace(
        compared,
        names=names,
        offsets=offsets,
        player=number[compared.player[use]],
        rank=compared.rank[use],
        x=compared.x[use],
    )


def with_covariates(compared: Compared, which: NDArray[np.bool_]) -> Compared:
    """The same with some of the covariates only."""
    names = tuple(compress(compared.covariates, which))
    return replace(compared, x=np.ascontiguousarray(compared.x[:, which]), covariates=names)


def _nothing(count: int) -> tuple[Floats, Floats, Floats]:
    return np.zeros(count), np.zeros((count, count)), np.zeros((count, count))


def of_contests(contests: Contests, covariates: Floats | None = None) -> Compared:
    """Pairs if all contests are of two, otherwise rankings; one of one says nothing.

    Args:
        contests: What happened.
        covariates: A row for each participation; the side, if there is one and nothing is given.
    """
    team = contests.columns.team
    if team is not None and bool(np.any(team >= 0)):
        raise InputError(
            "there are teams, which a static ranking does not know; Contests.without_teams() or "
            "--ignore-teams takes every player alone."
        )
    refuse_ladders(contests)
    contests = contests.with_own_players()
    c = contests.columns
    x, names = np.zeros((len(c.player), 0)), tuple[str, ...]()
    if c.side is not None and c.side.any():
        x, names = c.side.astype(np.float64)[:, None], (SIDE,)
    if covariates is not None:
        x = np.hstack([x, covariates])
    order, place = _by_name(contests.players.to_list())
    player = place[c.player]
    sizes = np.diff(c.offsets)
    if (sizes <= 2).all():
        top = c.offsets[:-1][sizes == 2]
        score = np.where(c.rank[top] == c.rank[top + 1], 0.5, 1.0)
        if c.score is not None:
            given = c.score[sizes == 2]
            score = np.where(np.isnan(given), score, given)
        weight = c.weight[sizes == 2]
        # half: of a side, one has 1 and the other -1
        return added_up(
            order, player[top], player[top + 1], 0.5 * (x[top] - x[top + 1]), score, weight, names
        )
    if c.score is not None:
        raise InputError(
            "scores between a win and a loss are for matches of two, and some contests here are "
            "larger."
        )
    return Rankings(
        order, c.offsets, player, c.rank.astype(np.int64), x, c.weight.astype(np.float64), names
    )


def _by_name(names: Sequence[str]) -> tuple[list[str], Integers]:
    """The names in order, and the place of each."""
    order = np.argsort(np.array(names, dtype=object), kind="stable")
    place = np.empty(len(names), np.int64)
    place[order] = np.arange(len(names))
    return [names[k] for k in order], place


def added_up(
    names: list[str],
    first: Integers,
    second: Integers,
    x: Floats,
    score: Floats,
    weight: Floats | None,
    covariates: tuple[str, ...],
) -> Pairs:
    """Comparisons that ended alike, together; of two, the one whose name comes first is first."""
    flipped = first > second
    low, high = np.where(flipped, second, first), np.where(flipped, first, second)
    score = np.where(flipped, 1.0 - score, score)
    if x.shape[1] == 0 and (weight is None or (weight == 1.0).all()):
        place = np.searchsorted(_SCORES, score)
        count = len(names)
        if np.array_equal(_SCORES[np.minimum(place, 2)], score) and 3 * count**2 <= 4 * len(low):
            cell = (low * count + high) * 3 + place
            return _of_counts(names, np.bincount(cell, minlength=3 * count**2))
    x = np.where(flipped[:, None], -x, x) + 0.0  # without a zero that is negative
    keys = {
        "first": low,
        "second": high,
        "score": score,
        "weight": np.ones(len(low)) if weight is None else weight,
        **{f"x{k}": x[:, k] for k in range(x.shape[1])},
    }
    cells = pl.DataFrame(keys).group_by(*keys).len().sort(*keys)
    return Pairs(
        names,
        cells["first"].to_numpy(),
        cells["second"].to_numpy(),
        cells.select(f"x{k}" for k in range(x.shape[1]))
        .to_numpy()
        .reshape(cells.height, x.shape[1]),
        cells["score"].to_numpy(),
        cells["weight"].to_numpy(),
        cells["len"].to_numpy().astype(np.int64),
        covariates,
    )


def _of_counts(names: list[str], counts: Integers) -> Pairs:
    """Pairs by how often each two ended how."""
    cell = np.flatnonzero(counts)
    pair, ended = np.divmod(cell, 3)
    one, other = np.divmod(pair, len(names))
    x, single = np.zeros((len(cell), 0)), np.ones(len(cell))
    return Pairs(names, one, other, x, _SCORES[ended], single, counts[cell])


def of_frame(frame: Any, options: Options, covariates: Sequence[str] = ()) -> Compared:
    """What a table compares; it need not say when."""
    table = Table(tables.as_polars(frame), tables.plain_row)
    return _of_tables([(None, table)], options, covariates, _as_they_are)[0]


def _as_they_are(contests: Contests) -> Contests:
    return contests


def of_files(
    paths: sources.Paths,
    options: Options,
    covariates: Sequence[str] = (),
    *,
    chosen: Callable[[Contests], Contests] = _as_they_are,
) -> tuple[Compared, Understanding]:
    """What files compare, and how they were understood; they need not say when.

    Args:
        paths: The files.
        options: How they are read.
        covariates: Columns that count, too.
        chosen: Makes of the contests of files those that are meant.
    """
    found = sources.found(paths, options.format)
    with sources.kept(found, options.format, unlimited=options.unlimited) as kept:
        read = []
        for source in kept:
            if source.refused is not None:
                raise source.refused
            with formats.naming(source.path, "used"):
                table = sources.partitioned(_given(source.path, options, covariates), source)
            read.append((source.path, table))
        with _naming(read[0][0] if len(read) == 1 else None):
            return _of_tables(read, options, covariates, chosen)


def _naming(path: Path | None) -> AbstractContextManager[None]:
    """Say which file it was, if it is one."""
    return nullcontext() if path is None else formats.naming(path, "used")


def _given(path: Path, options: Options, covariates: Sequence[str]) -> Table:
    """What a file holds; of votes as arenas have them, without the texts of conversations."""
    recognised = recognition.of_source(path, options.format)
    if recognised.format == "parquet" and path.stat().st_size:
        known = parquet.schema(path)[0].names()
        if set(_ARENA) <= set(known):
            wanted = [name for name in known if name in (*_ARENA, "weight", *covariates)]
            frame = pl.read_parquet(path, columns=wanted, glob=False, hive_partitioning=False)
            return Table(frame, lambda row: f"{path}, row {row + 1}", "Parquet", stem=path.stem)
    table = formats.read_table(path, recognised, options)
    more = [name for name in covariates if name in table.unread]
    if not more:
        return table
    # where podium's own columns are enough, others were left in the file
    whole = formats.read_table(path, recognised, replace(options, wide=True)).frame
    if whole.height != table.frame.height:
        raise InputError(_ROWS_LEFT_OUT)
    return table._replace(frame=table.frame.with_columns(whole.select(more)))


def _of_tables(
    read: Sequence[tuple[Path | None, Table]],
    options: Options,
    covariates: Sequence[str],
    chosen: Callable[[Contests], Contests],
) -> tuple[Compared, Understanding]:
    if all(_is_arena(table, options) for _, table in read):
        votes = [table for _, table in read]
        assumed = [Understanding(assumptions=list(table.assumptions)) for table in votes]
        return _votes(_together(votes, covariates), covariates), Understanding.of_many(assumed)
    if covariates:
        if len(read) > 1:
            raise InputError("covariates are for one table or for votes, and these are several.")
        return _with_covariates(read[0][1], options, covariates, chosen)
    parts, reports = [], []
    for path, table in read:
        with _naming(path):
            ours, report = _understood(table, options)
        parts.append(Part(path or Path("results"), ours))
        reports.append(report)
    if len(parts) == 1:
        contests = Contests.from_understood(parts[0].table, options)
    else:
        contests = joined(parts, options)
    return of_contests(chosen(contests)), Understanding.of_many(reports)


def _together(votes: Sequence[Table], covariates: Sequence[str]) -> Table:
    """The votes of all files as those of one."""
    if len(votes) == 1:
        return votes[0]
    names = (*_ARENA, "weight", *covariates)
    frames = [
        table.frame.select(pl.col(name).cast(pl.String) for name in names if name in table.frame)
        for table in votes
    ]
    return votes[0]._replace(frame=pl.concat(frames, how="diagonal"), locate=locator(votes))


def _is_arena(table: Table, options: Options) -> bool:
    return set(_ARENA) <= set(table.frame.columns) and not options.columns


def _understood(table: Table, options: Options) -> tuple[Table, Understanding]:
    """A table in podium's words; if it does not say when, all is of one time."""
    try:
        return understood(table, options)
    except InputError:
        if options.time is not None:
            raise
        try:
            return understood(table, replace(options, time=0))
        except InputError:
            pass
        raise


def _with_covariates(
    table: Table,
    options: Options,
    covariates: Sequence[str],
    chosen: Callable[[Contests], Contests],
) -> tuple[Compared, Understanding]:
    """Matches or long results with further columns, which stand beside podium's own."""
    more = _numbers(table, covariates)
    ours, report = _understood(table, options)
    if ours.frame.height != table.frame.height:
        raise InputError(_ROWS_LEFT_OUT)
    frame = ours.frame
    if tables.is_match_list(frame):
        # contests of two, named by rows, so that they can be found again
        name = pl.Series("contest", np.arange(frame.height)).cast(pl.String)
        named = ours._replace(frame=frame.with_columns(name, time=pl.lit(0)))
        contests = chosen(Contests.from_understood(named, options))
        row = contests.ids.cast(pl.Int64).to_numpy()
        rows = np.repeat(row, 2)
        a = tables.as_names(frame["player_a"].cast(pl.String)).gather(rows)
        own = contests.players.gather(contests.columns.player)
        sign = np.where((a == own).to_numpy(), 1.0, -1.0)
        compared = of_contests(contests, more[rows] * sign[:, None])
    else:
        contests = chosen(Contests.from_understood(ours, options))
        columns = {f"x{k}": more[:, k] for k in range(more.shape[1])}
        mine = frame.select(
            contest=pl.col("contest").cast(pl.String).str.strip_chars(),
            player=tables.as_names(frame["player"].cast(pl.String)),
        ).with_columns(**{name: pl.Series(values) for name, values in columns.items()})
        rows_of = pl.DataFrame(
            {
                "contest": contests.ids.gather(
                    np.repeat(np.arange(len(contests)), contests.sizes)
                ).cast(pl.String),
                "player": contests.players.gather(contests.columns.player),
            }
        )
        found = rows_of.join(mine, on=["contest", "player"], how="left", maintain_order="left")
        x = found.select(list(columns)).to_numpy()
        if found.height != rows_of.height or np.isnan(x.astype(np.float64)).any():
            raise InputError("covariates cannot be told apart by contest and player.")
        compared = of_contests(contests, x.astype(np.float64))
    return replace(compared, covariates=(*compared.covariates, *covariates)), report


def _numbers(table: Table, covariates: Sequence[str]) -> Floats:
    """Columns of numbers, a row for each of the table."""
    frame = table.frame
    found = []
    if len(set(covariates)) < len(covariates):
        raise InputError(f"a covariate is named twice: {listed(covariates)}.")
    for name in covariates:
        if name not in frame.columns:
            raise InputError(
                f"there is no column {name!r} for a covariate{suggestion(name, frame.columns)}; "
                f"there are {listed(frame.columns)}."
            )
        numbers = _as_numbers(frame[name])
        wrong = np.flatnonzero(~(np.abs(numbers) <= _LARGEST))
        if len(wrong):
            row = int(wrong[0])
            raise InputError(
                f"{table.locate(row)}: the covariate {name!r} is {frame[name][row]!r}, not a "
                f"number between minus and plus {_LARGEST:,.0f}."
            )
        found.append(numbers)
    return np.stack(found, axis=1) if found else np.zeros((frame.height, 0))


def _as_numbers(column: pl.Series) -> Floats:
    """Numbers, also where they are texts; NaN where there is none."""
    if column.dtype != pl.Boolean:
        column = column.cast(pl.String).str.strip_chars()
    return column.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()


def _votes(table: Table, covariates: Sequence[str]) -> Pairs:
    """Two columns of models and who won, as arenas have them."""
    frame = table.frame
    if frame.height == 0:
        raise InputError("there are no votes: the table is empty.")
    for name in _ARENA:
        if frame[name].null_count():
            row = int(frame[name].is_null().arg_max() or 0)
            raise InputError(f"{table.locate(row)}: {name} is empty.")
    coded = [_coded(frame[name].cast(pl.String)) for name in _ARENA]
    (a, _), (b, _), (ended, words) = coded
    shown = [tables.as_names(texts) for _, texts in coded[:2]]
    names = sorted({*shown[0], *shown[1]})
    if names[0] == "":
        which = 0 if (shown[0] == "").any() else 1
        row = int(np.argmax(coded[which][0] == (shown[which] == "").arg_max()))
        raise InputError(f"{table.locate(row)}: {_ARENA[which]} is empty.")
    one, other = (
        each.replace_strict(names, range(len(names)), return_dtype=pl.Int64).to_numpy()
        for each in shown
    )
    score = np.array([_score_of(each, table) for each in words])
    if "weight" not in frame.columns and not covariates and len(names) ** 2 <= 2 * frame.height:
        place = np.searchsorted(_SCORES, score)
        counts = np.zeros((len(names), len(names), 3), np.int32)
        wrong = kernels.count_votes(a, b, ended, one, other, place, counts)
        if wrong >= 0:
            _refuse_itself(wrong, names[one[a[wrong]]], table)
        return _of_counts(names, counts.ravel().astype(np.int64))
    first, second = one[a], other[b]
    same = np.flatnonzero(first == second)
    if len(same):
        _refuse_itself(int(same[0]), names[first[same[0]]], table)
    weight = None
    if "weight" in frame.columns:
        weight = _as_numbers(frame["weight"])
        low, high = tables.WEIGHTS
        wrong = np.flatnonzero(~((low <= weight) & (weight <= high)))
        if len(wrong):
            row = int(wrong[0])
            raise InputError(
                f"{table.locate(row)}: weight {frame['weight'][row]!r} is not a number from "
                f"{low:g} to {high:,.0f}."
            )
    more = _numbers(table, covariates)
    return added_up(names, first, second, more, score[ended], weight, tuple(covariates))


def _score_of(winner: str, table: Table) -> float:
    """What the first model has, by what a vote says."""
    plain = winner.strip().lower()
    if plain not in _WINNERS:
        row = int((table.frame["winner"].cast(pl.String) == winner).arg_max() or 0)
        raise InputError(
            f"{table.locate(row)}: winner {winner!r} is none of model_a, model_b and tie."
        )
    return _WINNERS[plain]


def _refuse_itself(row: int, name: str, table: Table) -> NoReturn:
    raise InputError(f"{table.locate(row)}: {name!r} is compared with itself.")


def _coded(texts: pl.Series) -> tuple[NDArray[np.int32], pl.Series]:
    """A number for every text, and the text of each number, in the order in which they come.

    Texts are told apart by 64 bits of a hash, whose seed nobody knows in advance: that two of some
    thousand texts share them has a chance of 1e-12.
    """
    number, first = kernels.numbered(texts.hash(secrets.randbits(63)).to_numpy())
    return number, texts.gather(first)
