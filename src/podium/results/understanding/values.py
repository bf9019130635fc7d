"""What stands in the cells: ranks, statuses, results, numbers, durations and dates."""

import polars as pl

from podium.errors import InputError
from podium.results import tables
from podium.results.options import Options
from podium.results.understanding import durations, outcomes, statuses, words
from podium.results.understanding.dates import understood_times
from podium.results.understanding.headers import quoted
from podium.results.understanding.numbers import may_be_thousands, numbers
from podium.results.understanding.ranks import ranks
from podium.results.understanding.report import Table, Understanding
from podium.results.understanding.statuses import Unfinished, settled
from podium.wording import counted

_NUMBERS = ("score_a", "score_b", "weight", "perf_ceiling", "margin", "share")
_TO_PAR = r"^(?:[+-]?\d+|e|even|par)$"
_WORD = r"^[\p{L}\s.()-]*\p{L}{2}[\p{L}\s.()-]*$"
_PLACE = r"(?i)^(?:first|second|third|\p{L}+th|last)$"
"""A rank in words, which no status is."""
_NOBODY = [
    spelled
    for word in ("bye", "spielfrei", "freilos", "exempt", "riposo", "descanso", "folga")
    for spelled in (word, word.upper(), word.capitalize())
]
"""Whom those meet who play nobody."""
_WRITTEN = ("time", "outcome", "result", "score_a", "winner")
"""Of matches that computers keep, none of these is a text."""


def understood_values(table: Table, options: Options, report: Understanding) -> Table:
    """The table with plain values, and without the columns of `headers.AUXILIARY`.

    A column's `how` is said with `report.explain`, what was taken for granted goes into
    `report.assumptions`. Columns whose type says it all are not looked at.
    """
    with tables.explaining():
        return _understood(table, options, report)


def _understood(table: Table, options: Options, report: Understanding) -> Table:
    table = _without_byes(table, report)
    if table.frame.height == 0:
        return table._replace(
            frame=table.frame.drop("winner", "loser", "clock", "result", strict=False)
        )
    table = _with_result(understood_times(table, options, report), options, report)
    table = outcomes.with_outcomes(table, options, report)
    table = _with_numbers(table, options, report)
    if "player" in table.frame.columns:
        return _long(table, options, report)
    if {"player_a", "player_b"} <= set(table.frame.columns):
        return _matches(table, options, report)
    return table


def _theirs(ours: str, report: Understanding) -> str:
    """What the table calls a column."""
    return next((each.theirs for each in report.columns if each.ours == ours), ours)


def _is_told_by_one(report: Understanding) -> bool:
    """Whether matches are told by a player of an opponent."""
    return words.key(_theirs("player_b", report)) in words.OPPONENT


def _without_byes(table: Table, report: Understanding) -> Table:
    """The table without matches against nobody, as far as it is one of texts."""
    frame = table.frame
    if not {"player_a", "player_b"} <= set(frame.columns):
        return table
    if not any(frame.schema.get(name) == pl.String for name in _WRITTEN):
        return table
    nobody = pl.repeat(False, frame.height, eager=True)
    for name in ("player_a", "player_b"):
        if frame.schema[name] == pl.String:
            nobody |= frame[name].is_in(_NOBODY).fill_null(value=False)
    if _is_told_by_one(report):
        nobody |= frame["player_b"].is_null() & frame["player_a"].is_not_null()
    if not nobody.any():
        return table
    number = counted(int(nobody.sum()), "match").replace("matchs", "matches")
    report.assumptions.append(f"{number} against nobody (bye): left out.")
    return table.filtered(frame, ~nobody)


def _with_result(table: Table, options: Options, report: Understanding) -> Table:
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
    said = texts
    if given.dtype == pl.String:
        said = given.filter(statuses.kinds(given).is_null()).drop_nulls()
        if durations.are_durations(given):
            return _called(table, "score", report)
        if said.str.contains(r"\D").any() and ranks(said).null_count() == 0:
            return _called(table, "rank", report)
        if outcomes.are_pairs(said):
            return _called(table, "score", report)
    elif not given.dtype.is_numeric() or options.lowest_score_wins:
        return _called(table, "score", report)
    if options.lowest_score_wins and not said.str.contains(r"[^\d.,\s+-]").any():
        return _called(table, "score", report)
    raise _doubted_result(said, given.dtype.is_float(), _theirs("result", report))


def _doubted_result(said: pl.Series, is_float: bool, theirs: str) -> InputError:
    """What to say of numbers that do not tell what they are."""
    broken = said.str.contains(r"\d[.,]\d").any() and not said.str.contains(r"[^\d.,\s]").any()
    if is_float or broken:
        return InputError(
            f"column {theirs!r} can be points, of which the highest wins, or times, of which the "
            f"lowest does; say columns={{'score': {theirs!r}}}, for times with "
            f"lowest_score_wins=True, or --columns score={quoted(theirs)}, for times with "
            f"--lowest-score-wins."
        )
    return InputError(
        f"column {theirs!r} can be ranks or scores; say columns={{'rank': {theirs!r}}} or "
        f"columns={{'score': {theirs!r}}}, or --columns rank={quoted(theirs)} or --columns "
        f"score={quoted(theirs)}."
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
    if plain.null_count() > given.null_count() or plain.is_nan().any():
        return True
    if options.decimal is None:
        return given.name.startswith("score") and may_be_thousands(given)
    return options.decimal == "comma" and given.str.contains(".", literal=True).any()


def _without_blanks(given: pl.Series) -> pl.Series:
    return given.set((given.str.strip_chars() == "").fill_null(value=False), None)


def _matches(table: Table, options: Options, report: Understanding) -> Table:
    """Matches that have a result; who won comes first, then how high."""
    if _is_told_by_one(report):
        table = _told_once(table, report)
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


def _told_once(table: Table, report: Understanding) -> Table:
    """Without the second of two rows in which both tell the same of one match."""
    frame = table.frame
    a, b = (tables.as_names(frame[name].cast(pl.String)) for name in ("player_a", "player_b"))
    turned = (a > b).fill_null(value=False)
    told = frame.select(name for name in ("time", "contest", "ladder") if name in frame.columns)
    told = told.with_columns(first=a.zip_with(~turned, b), second=b.zip_with(~turned, a))
    pair = told.columns
    told = told.with_columns(turned=turned)
    if not told.select((pl.col("turned").n_unique().over(pair) == 2).any()).item():
        return table
    told = told.with_columns(of_first=_of_first(frame, turned))
    told = told.with_columns(nth=pl.int_range(pl.len()).over(*pair, "of_first", "turned"))
    match = [*pair, "of_first", "nth"]
    told = told.with_columns(alone=pl.len().over(match) == 1)
    by_both = pl.col("turned").filter("alone").n_unique().over(pair) == 2
    otherwise = told.select(pl.col("alone") & by_both).to_series()
    if otherwise.any():
        row = int(otherwise.arg_max() or 0)
        same = told.select(pair).hash_rows() == told.select(pair).slice(row, 1).hash_rows()[0]
        other = int((otherwise & same & (turned != turned[row])).arg_max() or 0)
        raise InputError(
            f"{table.locate(other)}: {a[other]!r} against {b[other]!r} can be one match that "
            f"{table.locate(row)} tells otherwise, or another one; give each match once, or its "
            f"own time."
        )
    once = told.select(pl.struct(match).is_first_distinct()).to_series()
    if not once.all():
        number = counted(int((~once).sum()), "match").replace("matchs", "matches")
        report.assumptions.append(f"{number} told by both players: taken once.")
    return table.filtered(frame, once)


def _of_first(frame: pl.DataFrame, turned: pl.Series) -> pl.Series:
    """What the result of a match says of the player who is first by name."""
    if "outcome" in frame.columns:
        outcome = frame["outcome"].cast(pl.Float64, strict=False)
        return outcome.zip_with(~turned, 1.0 - outcome)
    a, b = (frame[name].cast(pl.Float64, strict=False) for name in ("score_a", "score_b"))
    return pl.struct(first=a.zip_with(~turned, b), second=b.zip_with(~turned, a), eager=True)


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
    """What is to become of rows without a result, of which cells say more; the worst counts."""
    if not missing.any():
        return table
    frame = table.frame
    kind = pl.repeat(None, frame.height, dtype=pl.String, eager=True)
    told = {} if said is None else {column: said}
    if column == "rank" and frame.schema.get("score") == pl.String:
        told["score"] = frame["score"]
    kinds, words = [kind.set(missing, statuses.UNSAID)], []
    for name, texts in told.items():
        own = _told(texts.set(~missing, None), letters=name == "rank")
        if own.null_count() < len(own):
            kinds.append(own)
            words.append(texts.set(own.is_null(), None))
    if "status" in frame.columns:
        status = frame["status"].cast(pl.String)
        kinds.append(_told(status.set(~missing, None)))
        words = [status, *words] if words else []
    if words:
        table = table._replace(frame=frame.with_columns(pl.coalesce(words).alias("status")))
    return settled(table, Unfinished(column, statuses.worst(kinds)), options, report)


def _told(status: pl.Series, *, letters: bool = False) -> pl.Series:
    """What a column of statuses says of those who did not finish; null for all others."""
    kinds = statuses.kinds(status.cast(pl.String), letters=letters)
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
        raise _no_rank(given, int(wrong.arg_max() or 0), table)
    if given.str.contains(r"[^\d.\s]").fill_null(value=False).any():
        report.explain("rank", "as people write ranks")
    _say_who_is_ranked(frame, found, report)
    table = table._replace(frame=frame.with_columns(found.alias("rank")))
    return _settled(table, "rank", given, missing, options, report)


def _no_rank(given: pl.Series, row: int, table: Table) -> InputError:
    """What to say of a rank that is no number, and may be why somebody has none."""
    wrong = f"{table.locate(row)}: rank {given[row]!r} is not a whole number from 1 on"
    said = given.slice(row, 1)
    if said.str.contains(_PLACE)[0] or not said.str.contains(_WORD)[0]:
        return InputError(f"{wrong}.")
    return InputError(
        f"{wrong}; for who has none write DNF, DNS or DSQ, and say unfinished='last' or "
        f"unfinished='drop' (--unfinished last, --unfinished drop)."
    )


def _say_who_is_ranked(frame: pl.DataFrame, rank: pl.Series, report: Understanding) -> None:
    """Report ranks of rows whose status or score says that they have none."""
    for name in ("status", "score"):
        texts = frame.get_column(name, default=None)
        if texts is None or (name == "score" and not _may_hold_words(texts)):
            continue
        ranked = _told(texts).is_not_null() & rank.is_not_null()
        if ranked.any():
            example = texts.cast(pl.String)[int(ranked.arg_max() or 0)]
            rows = counted(int(ranked.sum()), "row")
            report.assumptions.append(f"rank: counts in {rows} whose {name} is {example!r} or so.")


def _may_hold_words(given: pl.Series) -> bool:
    """Whether the last text begins with a letter, which comes behind all digits."""
    last = given.max() if given.dtype == pl.String else None
    return isinstance(last, str) and last[:1].isalpha()


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
    elif given.dtype == pl.String:
        _refuse_plus(given, table, options)
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
    if not durations.have_units(given):
        found = numbers(given, options.decimal, table.locate)
        if found is not None:
            _refuse_plus(given, table, options)
            report.explain("score", found[1])
            return found[0]
    own = outcomes.own_scores(frame, given)
    if own is not None:
        report.explain("score", "the own score and the opponent's")
        report.assumptions.append("score: the first number is the player's own.")
        return own
    lowest = 1 if options.lowest_score_wins else -1
    if durations.are_durations(given):
        report.explain("score", "durations, the lowest wins")
        report.assumptions.append("score: these are durations, of which the lowest wins.")
        return _totals(frame, given, table) * lowest
    plain = given.str.strip_chars().str.to_lowercase().str.replace("\u2212", "-", literal=True)
    if plain.str.contains(_TO_PAR).fill_null(value=True).all():
        report.explain("score", "strokes to par, the lowest wins")
        report.assumptions.append("score: E is par, as in golf, so that the lowest wins.")
        strokes = plain.replace(dict.fromkeys(("e", "even", "par"), "0")).str.strip_prefix("+")
        return strokes.cast(pl.Int64) * lowest
    _refuse_mixture(given, table)
    return None


def _totals(frame: pl.DataFrame, given: pl.Series, table: Table) -> pl.Series:
    """Durations in microseconds; raise if they may be gaps, of which the first row has none."""
    found = durations.durations(given)
    gaps = durations.maybe_gaps(frame, given, found)
    if gaps.any():
        row = int(gaps.arg_max() or 0)
        raise InputError(
            f"{table.locate(row)}: score {given[row]!r} can be how long {frame['player'][row]!r} "
            f"took or how far behind the first; write +{given[row]} for what is behind, or put the "
            f"shortest time first."
        )
    return durations.totals(frame, found)


def _refuse_plus(given: pl.Series, table: Table, options: Options) -> None:
    """Raise for numbers with a plus, as of golf or of gaps, unless it was said who wins."""
    if options.lowest_score_wins:
        return
    signed = given.str.starts_with("+").fill_null(value=False)
    if signed.any():
        row = int(signed.arg_max() or 0)
        raise InputError(
            f"{table.locate(row)}: score {given[row]!r} can be above par or behind somebody, so "
            f"that the lowest wins, or points; say lowest_score_wins=True or --lowest-score-wins, "
            f"or write points without a plus."
        )


def _refuse_mixture(given: pl.Series, table: Table) -> None:
    """Raise for the first that is no number, if others need more than a cast."""
    if outcomes.are_pairs(given):
        row = int(given.is_not_null().arg_max() or 0)
        raise InputError(
            f"{table.locate(row)}: score {given[row]!r} is of two players; give each their own, "
            f"or make a row of each match: time, player_a, player_b, outcome."
        )
    plain = given.str.strip_chars()
    number = plain.str.contains(r"^[+-]?[\d.,'\u2019\s\u00a0\u202f]*\d[.,]?$").fill_null(value=True)
    cast = plain.cast(pl.Float64, strict=False).is_not_null() | plain.is_null()
    if number.all() or (number == cast).all():
        return
    row = int((~number & ~cast).arg_max() or 0)
    raise InputError(f"{table.locate(row)}: score {given[row]!r} is not a finite number.")
