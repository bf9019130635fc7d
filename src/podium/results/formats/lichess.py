"""Lines of JSON as lichess gives them: games, and results of tournaments.

A game is a match with its identifier, at the time when it was created; White is `player_a`. Games
that were aborted or have not ended, and those that a computer or nobody by name played, are left
out, and that is said. All speeds are one ladder; ``--columns ladder=speed`` parts them.
Results of arena and Swiss tournaments are standings; they name neither the tournament nor its
time.

https://lichess.org/api
"""

import polars as pl

from podium.errors import InputError
from podium.results.formats import fields, selection
from podium.results.formats.selection import with_extras
from podium.results.options import Options
from podium.results.understanding.report import Table

_USED = ("id", "status", "players", "winner", "createdAt")
_UNPLAYED = ("created", "started", "aborted", "noStart", "unknownFinish")


def recognises(frame: pl.DataFrame) -> bool:
    """Whether its columns are those of games or of a tournament's results."""
    return _holds_games(frame) or _holds_results(frame)


def adapted(table: Table, options: Options) -> Table:
    """The games or standings in podium's columns."""
    games = _holds_games(table.frame)
    return _games(table, options) if games else _results(table, options)


def _holds_games(frame: pl.DataFrame) -> bool:
    known = {"id", "status", "players", "createdAt"} <= set(frame.columns)
    return known and isinstance(frame["players"].dtype, pl.Struct)


def _holds_results(frame: pl.DataFrame) -> bool:
    known = set(frame.columns)
    return {"rank", "username", "performance"} <= known and not known.isdisjoint(
        ("score", "points")
    )


def _games(table: Table, options: Options) -> Table:
    frame = table.frame
    names = [_nested(frame["players"], side, "user", "name") for side in ("white", "black")]
    status = _text(table, frame["status"])
    winner = (
        _text(table, frame["winner"])
        if "winner" in frame.columns
        else pl.Series("winner", [None] * frame.height, pl.String)
    )
    _refuse(
        table, ~winner.is_in(["white", "black"]) & winner.is_not_null(), winner, "white or black"
    )
    unplayed = status.is_in(_UNPLAYED).fill_null(True)
    nobody = (names[0].is_null() | names[1].is_null()) & ~unplayed
    keep = ~(unplayed | nobody)
    created = frame["createdAt"].cast(pl.Int64, strict=False)
    _refuse(
        table,
        keep & ~created.is_between(0, 2**52).fill_null(False),
        frame["createdAt"],
        "a time in milliseconds",
    )
    rows = keep.arg_true()
    outcome = winner.replace_strict(
        {"white": 1.0, "black": 0.0}, default=0.5, return_dtype=pl.Float64
    )
    ours = pl.DataFrame(
        {
            "contest": _text(table, frame["id"]),
            "time": (created * 1000).cast(pl.Datetime("us")),
            "player_a": names[0],
            "player_b": names[1],
            "outcome": outcome,
            "side": pl.repeat("white", frame.height, eager=True),
        }
    )
    said = [
        *fields.left_out(int(unplayed.sum()), "game", " without a result"),
        *fields.left_out(
            int(nobody.sum()), "game", " that computers or players without a name played"
        ),
    ]
    return table._replace(
        frame=with_extras(ours, frame, options.columns).filter(keep),
        locate=lambda row: table.locate(int(rows[row])),
        format="games of lichess",
        called={
            "contest": "id",
            "time": "createdAt",
            "player_a": "players.white",
            "player_b": "players.black",
            "outcome": "winner",
        },
        assumptions=(*table.assumptions, *said, *_together(frame.filter(keep), options)),
        unread=selection.others(table, _USED, options),
    )


def _together(games: pl.DataFrame, options: Options) -> list[str]:
    """What is said of games of several speeds or variants."""
    if "ladder" in (options.columns or {}):
        return []
    several = [
        name
        for name in ("speed", "variant")
        if name in games.columns and games[name].n_unique() > 1
    ]
    return [
        f"All {name}s are rated together; --columns ladder={name} rates each by itself."
        for name in several
    ]


def _results(table: Table, options: Options) -> Table:
    frame = table.frame
    score = "score" if "score" in frame.columns else "points"
    chosen = {"player": "username", "rank": "rank", "score": score}
    ours = frame.select(pl.col(theirs).alias(name) for name, theirs in chosen.items())
    return table._replace(
        frame=with_extras(ours, frame, options.columns),
        format="results of a tournament of lichess",
        called=chosen,
    )


def _nested(column: pl.Series, *path: str) -> pl.Series:
    """A text inside objects; null where there is none."""
    for name in path:
        dtype = column.dtype
        if not isinstance(dtype, pl.Struct) or name not in {each.name for each in dtype.fields}:
            return pl.Series(column.name, [None] * len(column), pl.String)
        column = column.struct.field(name)
    return column if column.dtype == pl.String else column.cast(pl.String, strict=False)


def _text(table: Table, column: pl.Series) -> pl.Series:
    if column.dtype in (pl.String, pl.Null) or column.dtype.is_integer():
        return column.cast(pl.String)
    raise InputError(f"{table.locate(0)}: {column.name} should be a text.")


def _refuse(table: Table, bad: pl.Series, given: pl.Series, what: str) -> None:
    if bad.any():
        row = int(bad.arg_max() or 0)
        shown = repr(given[row])[:100]
        raise InputError(f"{table.locate(row)}: {given.name} {shown} is not {what}.")
