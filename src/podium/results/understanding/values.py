"""What stands in the cells: ranks, statuses, results, numbers, durations and dates."""

import polars as pl

from podium.errors import InputError
from podium.results import tables
from podium.results.options import Options
from podium.results.understanding import durations, outcomes, statuses
from podium.results.understanding.dates import understood_times
from podium.results.understanding.numbers import numbers
from podium.results.understanding.ranks import ranks
from podium.results.understanding.report import Table, Understanding
from podium.results.understanding.statuses import Unfinished, settled
from podium.wording import counted

_NUMBERS = ("score_a", "score_b", "weight", "perf_ceiling", "margin", "share")
_TO_PAR = r"^(?:[+-]?\d+|e|even|par)$"


def understood_values(table: Table, options: Options, report: Understanding) -> Table:
    """The table with plain values, and without the columns of `headers.AUXILIARY`.

    A column's `how` is said with `report.explain`, what was taken for granted goes into
    `report.assumptions`. Columns whose type says it all are not looked at.
    """
    with tables.explaining():
        return _understood(table, options, report)


def _understood(table: Table, options: Options, report: Understanding) -> Table:
    if table.frame.height == 0:
        return table._replace(
            frame=table.frame.drop("winner", "loser", "clock", "result", strict=False)
        )
    table = _with_result(understood_times(table, options, report), report)
    table = outcomes.with_outcomes(table, options, report)
    table = _with_numbers(table, options, report)
    if "player" in table.frame.columns:
        return _long(table, options, report)
    if {"player_a", "player_b"} <= set(table.frame.columns):
        return _matches(table, options, report)
    return table


def _with_result(table: Table, report: Understanding) -> Table:
    """The column `result` as what its values are: an outcome, a score or a rank."""
    frame = table.frame
    if "result" not in frame.columns:
        return table
    if "player" not in frame.columns:
        return _called(table, "outcome", report)
    given = frame["result"]
    texts = given.cast(pl.String) if given.dtype.is_numeric() else given
    if outcomes.are_outcomes(texts):
        return _called(table, "outcome", report)
    if given.dtype != pl.String or durations.are_durations(given):
        is_score = not given.dtype.is_integer()
    else:
        said = given.filter(statuses.kinds(given).is_null()).drop_nulls()
        if said.str.contains(r"\D").any() and ranks(said).null_count() == 0:
            return _called(table, "rank", report)
        is_score = (
            said.str.contains(r"\d[.,]\d").any() and not said.str.contains(r"[^\d.,\s]").any()
        )
    if is_score:
        return _called(table, "score", report)
    theirs = next((each.theirs for each in report.columns if each.ours == "result"), "result")
    raise InputError(
        f"column {theirs!r} can be ranks or scores; say columns={{'rank': {theirs!r}}} or "
        f"columns={{'score': {theirs!r}}}, or --columns rank={theirs} or --columns score={theirs}."
    )


def _called(table: Table, ours: str, report: Understanding) -> Table:
    """The table with `result` under podium's name for it."""
    for number, column in enumerate(report.columns):
        if column.ours == "result":
            report.columns[number] = column._replace(ours=ours)
    return table._replace(frame=table.frame.rename({"result": ours}))


def _with_numbers(table: Table, options: Options, report: Understanding) -> Table:
    """Numbers as people write them, in every column that holds nothing else."""
    frame = table.frame
    for name in _NUMBERS:
        if name not in frame.columns or not _needs_a_look(frame[name], options):
            continue
        given = _without_blanks(frame[name])
        kinds = statuses.kinds(given) if name.startswith("score") else given.clear()
        if kinds.null_count() < len(kinds):
            given = given.set(kinds.is_not_null(), None)
        found = numbers(given, options.decimal, table.locate)
        if found is not None:
            report.explain(name, found[1])
            frame = frame.with_columns(found[0])
    return table._replace(frame=frame)


def _needs_a_look(given: pl.Series, options: Options) -> bool:
    """Whether texts are not numbers as computers write them."""
    if given.dtype != pl.String:
        return False
    plain = given.str.strip_chars().cast(pl.Float64, strict=False)
    if plain.null_count() > given.null_count():
        return True
    return options.decimal == "comma" and given.str.contains(".", literal=True).any()


def _without_blanks(given: pl.Series) -> pl.Series:
    return given.set((given.str.strip_chars() == "").fill_null(value=False), None)


def _matches(table: Table, options: Options, report: Understanding) -> Table:
    """Matches that have a result; who won comes first, then how high."""
    frame = table.frame
    for names in (("outcome",), ("score_a", "score_b")):
        if not set(names) <= set(frame.columns):
            continue
        missing = pl.repeat(False, frame.height, eager=True)
        for name in names:
            missing |= frame[name].is_null()
        kind = pl.repeat(None, frame.height, dtype=pl.String, eager=True)
        kind = kind.set(missing, statuses.UNSAID)
        column = next((name for name in names if frame[name].null_count()), names[0])
        table = settled(table, Unfinished(column, kind), options, report)
        frame = table.frame
    return table


def _long(table: Table, options: Options, report: Understanding) -> Table:
    """Results of players, of whom some may not have finished."""
    frame = table.frame
    if {"rank", "score"} <= set(frame.columns) and frame["rank"].null_count() == frame.height:
        report.assumptions.append("rank: is empty, so that scores decide.")
        frame = frame.drop("rank")
        table = table._replace(frame=frame)
    if "rank" in frame.columns:
        return _by_rank(table, options, report)
    if "score" in frame.columns:
        words = "outcome" not in frame.columns and _needs_a_look(frame["score"], options)
        if words and outcomes.are_outcomes(frame["score"]):
            table = table._replace(frame=frame.rename({"score": "outcome"}))
            return _long(outcomes.with_outcomes(table, options, report), options, report)
        return _by_score(table, options, report)
    if "outcome" in frame.columns:
        return _settled(table, "outcome", None, frame["outcome"].is_null(), options, report)
    return table


def _settled(
    table: Table,
    column: str,
    said: pl.Series | None,
    missing: pl.Series,
    options: Options,
    report: Understanding,
) -> Table:
    """What is to become of rows without a result, of which the cell or `status` says more."""
    if not missing.any():
        return table
    frame = table.frame
    kind = pl.repeat(None, frame.height, dtype=pl.String, eager=True)
    kind = kind.set(missing, statuses.UNSAID)
    status = frame["status"].cast(pl.String) if "status" in frame.columns else None
    if status is not None:
        told = statuses.kinds(status)
        kind = told.zip_with(missing & told.is_not_null() & (told != statuses.UNSAID), kind)
    if said is not None:
        own = statuses.kinds(said, letters=column == "rank")
        clear = own.is_not_null() & (own != statuses.UNSAID) & missing
        kind = own.zip_with(clear, kind)
        if clear.any():
            words = said.set(~clear, None)
            both = words if status is None else status.zip_with(status.is_not_null(), words)
            table = table._replace(frame=frame.with_columns(both.alias("status")))
    return settled(table, Unfinished(column, kind), options, report)


def _told(status: pl.Series) -> pl.Series:
    """What a column of statuses says of those who did not finish; null for all others."""
    kinds = statuses.kinds(status.cast(pl.String))
    return kinds.set((kinds == statuses.UNSAID).fill_null(value=False), None)


def _by_rank(table: Table, options: Options, report: Understanding) -> Table:
    """Results by rank, which counts even for those who did not finish, as some tables rank them."""
    frame, given = table.frame, table.frame["rank"]
    if isinstance(given.dtype, pl.Categorical | pl.Enum):
        given = given.cast(pl.String)
    if given.dtype != pl.String:
        _say_who_is_ranked(frame, given, report)
        return _settled(table, "rank", None, given.is_null(), options, report)
    plain = given.cast(pl.Int64, strict=False)
    if plain.null_count() == 0:
        _say_who_is_ranked(frame, plain, report)
        least = plain.min()
        return table if int(least) < 1 else table._replace(frame=frame.with_columns(plain))  # type: ignore[arg-type]
    given = _without_blanks(given)
    found = ranks(given)
    missing = found.is_null() & (
        given.is_null() | statuses.kinds(given, letters=True).is_not_null()
    )
    wrong = found.is_null() & ~missing
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        raise InputError(
            f"{table.locate(row)}: rank {given[row]!r} is not a whole number from 1 on."
        )
    if given.str.contains(r"[^\d.\s]").fill_null(value=False).any():
        report.explain("rank", "as people write ranks")
    _say_who_is_ranked(frame, found, report)
    table = table._replace(frame=frame.with_columns(found.alias("rank")))
    return _settled(table, "rank", given, missing, options, report)


def _say_who_is_ranked(frame: pl.DataFrame, rank: pl.Series, report: Understanding) -> None:
    """Report ranks of rows whose status says that they have none."""
    if "status" not in frame.columns:
        return
    ranked = _told(frame["status"]).is_not_null() & rank.is_not_null()
    number = int(ranked.sum())
    if number:
        example = frame["status"].cast(pl.String)[int(ranked.arg_max() or 0)]
        rows = counted(number, "row")
        report.assumptions.append(f"rank: counts in {rows} whose status is {example!r} or so.")


def _by_score(table: Table, options: Options, report: Understanding) -> Table:
    frame, given = table.frame, table.frame["score"]
    if isinstance(given.dtype, pl.Categorical | pl.Enum):
        given = given.cast(pl.String)
    said, missing = None, given.is_null()
    if given.dtype in (pl.Duration, pl.Time):
        given = _as_clock(given)
    if _needs_a_look(given, options):
        given = _without_blanks(given)
        kinds = statuses.kinds(given)
        said, missing = given, given.is_null() | kinds.is_not_null()
        found = _scores(frame, given.set(kinds.is_not_null(), None), table, options, report)
        if found is None:
            found = given.set(missing, None)
        kept = given if "given_score" not in frame.columns else frame["given_score"]
        table = table._replace(frame=frame.with_columns(found.alias("score"), given_score=kept))
    if "status" in frame.columns:  # who dropped out after a minute has not won
        told = _told(frame["status"])
        if told.null_count() < len(told):
            missing |= told.is_not_null()
            score = table.frame["score"]
            if "given_score" not in table.frame.columns:
                table = table._replace(frame=table.frame.with_columns(given_score=score))
            if score.dtype == pl.String:
                score = score.str.strip_chars().cast(pl.Float64, strict=False)
            table = table._replace(frame=table.frame.with_columns(score.set(missing, None)))
    return _settled(table, "score", said, missing, options, report)


def _as_clock(given: pl.Series) -> pl.Series:
    """Durations of workbooks as texts such as 1:02:33.4."""
    micro = given.to_physical().cast(pl.Int64)
    unit = getattr(given.dtype, "time_unit", "ns")
    micro = micro // 1000 if unit == "ns" else micro * (1000 if unit == "ms" else 1)
    second = micro // 1_000_000
    texts = [(second // 3600), (second // 60 % 60), (second % 60)]
    clock = texts[0].cast(pl.String)
    for part in texts[1:]:
        clock = clock + ":" + part.cast(pl.String).str.zfill(2)
    fraction = "." + (micro % 1_000_000).cast(pl.String).str.zfill(6)
    return (clock + fraction).str.replace(r"\.?0+$|\.0+$", "").alias(given.name)


def _scores(
    frame: pl.DataFrame, given: pl.Series, table: Table, options: Options, report: Understanding
) -> pl.Series | None:
    """Scores as numbers of which the best is the highest, unless it was said otherwise."""
    found = numbers(given, options.decimal, table.locate)
    if found is not None:
        report.explain("score", found[1])
        return found[0]
    lowest = 1 if options.lowest_score_wins else -1
    if durations.are_durations(given):
        report.explain("score", "durations, the lowest wins")
        report.assumptions.append("score: these are durations, of which the lowest wins.")
        return durations.totals(frame, durations.durations(given)) * lowest
    plain = given.str.strip_chars().str.to_lowercase().str.replace("\u2212", "-", literal=True)
    if plain.str.contains(_TO_PAR).fill_null(value=True).all():
        report.explain("score", "strokes to par, the lowest wins")
        report.assumptions.append("score: E is par, as in golf, so that the lowest wins.")
        strokes = plain.replace(dict.fromkeys(("e", "even", "par"), "0")).str.strip_prefix("+")
        return strokes.cast(pl.Int64) * lowest
    _refuse_mixture(given, table)
    return None


def _refuse_mixture(given: pl.Series, table: Table) -> None:
    """Raise for the first that is no number, if others need more than a cast."""
    plain = given.str.strip_chars()
    number = plain.str.contains(r"^[+-]?[\d.,'\u2019\s\u00a0\u202f]*\d[.,]?$").fill_null(value=True)
    cast = plain.cast(pl.Float64, strict=False).is_not_null() | plain.is_null()
    if number.all() or (number == cast).all():
        return
    row = int((~number & ~cast).arg_max() or 0)
    raise InputError(f"{table.locate(row)}: score {given[row]!r} is not a finite number.")
