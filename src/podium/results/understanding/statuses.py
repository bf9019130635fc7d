"""Those who have no result: who did not finish, who did not start, who was disqualified."""

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from podium.errors import InputError
from podium.results.options import Options
from podium.results.understanding.report import Table, Understanding
from podium.wording import counted

STARTED, ABSENT, DISQUALIFIED, UNSAID = "started", "absent", "disqualified", "unsaid"
_WORDS = {
    STARTED: "dnf|did not finish|not finished|unfinished|nf|nc|not classified|non classe"
    "|nicht klassiert|wd|w/d|withdrew|withdrawn|withdrawal|ret|retd|retired|rit|ritirato"
    "|retirado|retiro|ab|abd|abn|aband|abandon|abandoned|abandono|abbandono|aufg|aufgegeben"
    "|aufgabe|ausgeschieden|otl|hd|hors delai|over time limit|mc|cut|missed cut|mdf|nm|no mark"
    "|nh|no height|nt|no time|ocs|bfd|ufd|raf|tle|eliminated",
    ABSENT: "dns|did not start|not started|dnc|did not compete|dnq|did not qualify|dnp|dnpq"
    "|did not prequalify|absent|abs|ns|n/s|no show|no-show|noshow|non partant|nicht gestartet"
    "|nicht angetreten|no presentado|ausente|assente|non partito|nao compareceu"
    "|did not play|failed to qualify",
    DISQUALIFIED: "dsq|dq|disq|dsqf|disqualified|disqualifiziert|disqualifie|disqualifiee"
    "|descalificado|descalificada|desclassificado|desclassificada|squalificato|squalificata"
    "|excluded|exc|exclu|ausgeschlossen|mp|mispunch|mispunched|missing punch|missingpunch"
    "|fehlstempel",
    UNSAID: "-|--|---|\u2013|\u2014|*|?|.|\\n|null|nan|none|nil|na|n/a",
}
KNOWN = {word: kind for kind, words in _WORDS.items() for word in words.split("|")}
_LETTERS = {
    "r": STARTED,
    "n": STARTED,
    "w": STARTED,
    "d": DISQUALIFIED,
    "e": DISQUALIFIED,
    "f": ABSENT,
}
"""What stands for a place in results of motor races."""
_SAYING = sorted((word for word, kind in KNOWN.items() if kind != UNSAID), key=len, reverse=True)
_FORMS = (
    rf"^({'|'.join(_SAYING)})[\s:;,(\[\u2013\u2014-].*$",
    r"^(d[a-z]{1,3}) ?\d(?:[\s:;,(\[\u2013\u2014-].*)?$",
    rf"^\d+ ({'|'.join(word for word in _SAYING if len(word) > 2)})$",
)
"""A word with its reason, as in 'DNF (injury)'; the run it was in, as in DNF1; and the points that
it is worth in a regatta, as in '4 DNC'."""
_BY_WEIGHT = pl.Enum([UNSAID, STARTED, ABSENT, DISQUALIFIED])
"""Of several the last counts."""


def kinds(texts: pl.Series, *, letters: bool = False) -> pl.Series:
    """What each text says of somebody without a result; null for anything else."""
    distinct = texts.unique().drop_nulls()
    plain = distinct.str.normalize("NFKD").str.replace_all(r"\p{M}", "").str.to_lowercase()
    plain = plain.str.replace_all(r"\s+", " ").str.strip_chars(" \u00a0()[]")
    bare = plain.str.replace_all(r"\.", "")
    plain = bare.set(bare == "", "-")
    known = {**KNOWN, **_LETTERS} if letters else KNOWN
    exact = plain.replace_strict(known, default=None, return_dtype=pl.String)
    found = [exact]
    if exact.null_count():
        for form in _FORMS:
            word = plain.str.extract(form, 1)
            found.append(word.replace_strict(KNOWN, default=None, return_dtype=pl.String))
    kind = pl.select(pl.coalesce(found)).to_series()
    return texts.replace_strict(distinct, kind, default=None, return_dtype=pl.String)


def worst(told: Sequence[pl.Series]) -> pl.Series:
    """Of several kinds per row the one that counts: who was disqualified has not finished."""
    weights = [each.cast(_BY_WEIGHT).to_physical().alias(str(n)) for n, each in enumerate(told)]
    return _BY_WEIGHT.categories.gather(pl.DataFrame(weights).max_horizontal())


def contest_keys(frame: pl.DataFrame) -> list[str]:
    """The columns that tell the contests of long results apart, as far as there are any."""
    which = "contest" if "contest" in frame.columns else "time"
    return [name for name in (which, "ladder") if name in frame.columns]


class Unfinished(NamedTuple):
    """Rows without a result."""

    column: str
    """What decides, and is missing there."""
    kind: pl.Series
    """Per row: what is the matter; null for those with a result."""


def settled(table: Table, found: Unfinished, options: Options, report: Understanding) -> Table:
    """The table without those who are left out; raise unless it was said what to do with them."""
    missing = found.kind.is_not_null()
    if not missing.any():
        return table
    frame, column = table.frame, found.column
    matches = "player" not in frame.columns
    if options.unfinished == "error":
        raise InputError(_sentence(table, found, int(missing.arg_max() or 0), matches))
    stays = ~missing
    if options.unfinished == "last" and not matches and column != "outcome":
        behind = found.kind.is_in([STARTED, UNSAID]).fill_null(value=False)
        stays |= behind
        if behind.any():
            number = counted(int(behind.sum()), "row")
            report.assumptions.append(f"{column}: {number} without a result: last, tied.")
            if column == "score" and "given_score" not in frame.columns:
                frame = frame.with_columns(given_score=frame["score"])
            frame = frame.with_columns(_last(frame, column, behind, options))
    dropped = int((~stays).sum())
    if dropped:
        number = counted(dropped, "match" if matches else "row").replace("matchs", "matches")
        report.assumptions.append(f"{column}: {number} without a result: left out.")
    if dropped == 0:
        return table._replace(frame=frame)
    kept, where = stays.arg_true(), table.locate
    return table._replace(frame=frame.filter(stays), locate=lambda row: where(int(kept[row])))


def _sentence(table: Table, found: Unfinished, row: int, matches: bool) -> str:
    where, column, frame = table.locate(row), found.column, table.frame
    said = _text(frame["status"], row) if "status" in frame.columns else ""
    told = f" ({said})" if said else ""
    if matches or column == "outcome":
        return (
            f"{where}: {column} is missing{told}; say unfinished='drop' or --unfinished drop to "
            f"leave out matches without one."
        )
    who = f"for player {_text(frame['player'], row)!r}"
    return (
        f"{where}: {column} is missing {who}{told}; say unfinished='last' to put those who started "
        f"behind all others, tied, or unfinished='drop' to leave them out (--unfinished last, "
        f"--unfinished drop)."
    )


def _text(values: pl.Series, row: int) -> str:
    """A value for a sentence; dates can lie beyond all calendars."""
    value = values[row] if values.dtype == pl.String else values.slice(row, 1).to_physical()[0]
    return "" if value is None else str(value)


def _last(frame: pl.DataFrame, column: str, behind: pl.Series, options: Options) -> pl.Series:
    """The column with a value behind all others where it has none."""
    values = frame[column]
    if column == "score":
        plain = values.str.strip_chars() if values.dtype == pl.String else values.to_physical()
        if plain.dtype.is_nested() or plain.cast(pl.Float64, strict=False).null_count() > (
            plain.null_count()
        ):
            return values
        values = plain.cast(pl.Float64)
        finite = values.drop_nulls().fill_nan(0.0)
        if len(finite) == 0:
            return values.set(behind, 0.0)
        low, high = float(finite.min()), float(finite.max())  # type: ignore[arg-type]
        step = max(1.0, abs(low), abs(high))
        worst = high + step if options.lowest_score_wins else low - step
        return values.set(behind, worst)
    keys = contest_keys(frame)
    counted_ranks = pl.col("rank").max()
    finishers = pl.col("rank").count()
    if "team" in frame.columns:  # ranks may count teams
        teams = pl.col("team").filter(pl.col("rank").is_not_null()).n_unique()
        finishers = pl.when(counted_ranks <= teams).then(teams).otherwise(finishers)
    rank = pl.max_horizontal(counted_ranks, finishers).fill_null(0) + 1
    last = frame.select(rank.over(keys) if keys else rank.repeat_by(pl.len()).explode()).to_series()
    return values.zip_with(~behind, last.cast(values.dtype)).alias(column)
