"""Tables of football-data.co.uk: a row for each match, home and away.

Its files of a league (Div, Date, HomeTeam, AwayTeam, FTHG, FTAG, FTR) and those with all seasons
of a league (Country, League, Season, Date, Home, Away, HG, AG, Res). Dates are day first, with two
or four digits for the year. The home team is `player_a`, goals are the scores, and FTR decides.
All divisions are one ladder, because teams rise and fall; ``--columns ladder=Div`` parts them.

https://www.football-data.co.uk/notes.txt
"""

import polars as pl

from podium.errors import InputError
from podium.results.formats import fields, selection
from podium.results.formats.selection import with_extras
from podium.results.options import Options
from podium.results.understanding.report import Table

_LAYOUTS = (
    ("Date", "HomeTeam", "AwayTeam", "FTHG", "FTAG", "FTR"),
    ("Date", "Home", "Away", "HG", "AG", "Res"),
)
_OURS = ("time", "player_a", "player_b", "score_a", "score_b", "outcome")
_OUTCOMES = {"H": 1.0, "D": 0.5, "A": 0.0}
_FORMS = ("%d/%m/%y", "%d/%m/%Y")
_SHORT = r"/\d\d$"


def recognises(frame: pl.DataFrame) -> bool:
    """Whether its header is one of the two."""
    known = set(frame.columns)
    return any(known.issuperset(layout) for layout in _LAYOUTS)


def adapted(table: Table, options: Options) -> Table:
    """The matches in podium's columns."""
    layout = next(each for each in _LAYOUTS if set(each) <= set(table.frame.columns))
    frame = table.frame.with_columns(pl.col(layout).cast(pl.String).str.strip_chars())
    rows = pl.Series(range(frame.height), dtype=pl.Int64)
    blank = frame.select(pl.all_horizontal(pl.col(layout).fill_null("") == "")).to_series()
    frame, rows = frame.filter(~blank), rows.filter(~blank)
    result, goals = frame[layout[5]].fill_null(""), [frame[name] for name in layout[3:5]]
    is_open = result == ""
    if is_open.any() and options.unfinished != "drop":
        row = int(is_open.arg_max() or 0)
        raise InputError(
            f"{table.locate(rows[row])}: {layout[5]} is missing, as that of a match without a "
            f"result; say unfinished='drop' or --unfinished drop to leave those out."
        )
    said = fields.left_out(int(is_open.sum()), "match", " without a result")
    kept = frame.filter(~is_open)
    rows = rows.filter(~is_open)
    ours = _ours(kept, layout)
    _refuse(table, rows, ours["outcome"].is_null(), kept[layout[5]], "H, D or A")
    _refuse(table, rows, ours["time"].is_null(), kept[layout[0]], "a date (day/month/year)")
    for name, given in (("score_a", goals[0]), ("score_b", goals[1])):
        given = given.filter(~is_open)
        _refuse(table, rows, ours[name].is_null() & (given.fill_null("") != ""), given, "a number")
    lead = (ours["score_a"] - ours["score_b"]).sign()
    _refuse(
        table,
        rows,
        (lead != (ours["outcome"] * 2 - 1)).fill_null(False),
        kept[layout[5]],
        "what the goals say",
    )
    ours = ours.with_columns(fields.whole_if_all(ours[name]) for name in ("score_a", "score_b"))
    lacking = int((ours["score_a"].is_null() | ours["score_b"].is_null()).sum())
    if lacking:
        ours = ours.drop("score_a", "score_b")
        said += fields.without_scores(lacking, ours.height)
    said.append("Dates have the day first.")
    if kept[layout[0]].str.contains(_SHORT).any():
        said.append("Years of two digits are 1969 to 2068.")
    if "Div" in frame and frame["Div"].n_unique() > 1 and "ladder" not in (options.columns or {}):
        said.append("All divisions are rated together; --columns ladder=Div rates each by itself.")
    return table._replace(
        frame=with_extras(ours, kept, options.columns),
        locate=lambda row: table.locate(rows[row]),
        format="matches of football-data.co.uk",
        called=dict(zip(_OURS, layout, strict=True)),
        assumptions=(*table.assumptions, *said),
        unread=selection.others(table, layout, options),
    )


def _ours(frame: pl.DataFrame, layout: tuple[str, ...]) -> pl.DataFrame:
    date, home, away, home_goals, away_goals, result = (pl.col(name) for name in layout)
    return frame.select(
        time=pl.coalesce(date.str.to_date(form, strict=False) for form in _FORMS),
        player_a=home,
        player_b=away,
        outcome=result.replace_strict(_OUTCOMES, default=None, return_dtype=pl.Float64),
        score_a=home_goals.cast(pl.Float64, strict=False),
        score_b=away_goals.cast(pl.Float64, strict=False),
        side=pl.lit("home"),
    )


def _refuse(table: Table, rows: pl.Series, bad: pl.Series, given: pl.Series, what: str) -> None:
    if bad.any():
        row = int(bad.arg_max() or 0)
        raise InputError(
            f"{table.locate(rows[row])}: {given.name} {str(given[row])[:100]!r} is not {what}."
        )
