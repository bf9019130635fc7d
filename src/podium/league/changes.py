"""What a change to a league did, or would do."""

from dataclasses import dataclass, field

import polars as pl

NO_MOVES = pl.DataFrame(
    schema={
        "player": pl.String,
        "before": pl.Float64,
        "after": pl.Float64,
        "change": pl.Float64,
    }
)


@dataclass(frozen=True)
class Change:
    """What a change did, or would do if it was only tried."""

    what: str
    """In a sentence."""
    applied: bool
    recorded: list[str] = field(default_factory=list)
    """Contests that are new."""
    known: list[str] = field(default_factory=list)
    """Contests that were there already, with the same results."""
    replayed: int = 0
    """How many contests were rated, those that changed and those that were rated again."""
    moves: pl.DataFrame = field(default_factory=lambda: NO_MOVES)
    """Whose rating changes: player, before, after and change, the largest first.

    `before` is null for newcomers, and `after` for those who have no rated contest left.
    """


def moves_table(players: list[str], before: pl.Series, after: pl.Series) -> pl.DataFrame:
    """Whose shown rating changes, the largest change first."""
    return (
        pl.DataFrame(
            {"player": pl.Series(players, dtype=pl.String), "before": before, "after": after}
        )
        .filter(pl.col("before").ne_missing(pl.col("after")))
        .with_columns(change=pl.col("after") - pl.col("before"))
        .sort(
            pl.col("change").abs(),
            pl.col("after"),
            pl.col("player"),
            descending=[True, True, False],
            nulls_last=True,
        )
    )
