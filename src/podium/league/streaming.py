"""Whole tables of a league, piece by piece, for what does not fit into memory."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
from sqlalchemy import select

from podium.league import hiding, players, queries, schema, standings
from podium.league.database import fetch, within
from podium.league.standings import StoredContests, in_turn
from podium.league.views import View
from podium.results.tables import GIVEN
from podium.results.times import as_column

ROWS = 50_000
"""In a piece, unless one contest has more."""
_HISTORY = (
    "contest",
    "time",
    "name",
    "player",
    "rank",
    "participants",
    "performance",
    "mu_before",
    "sigma_before",
    "mu",
    "sigma",
    "rating_before",
    "rating",
    "change",
    "provisional",
)
_STANDINGS = (
    "contest",
    "time",
    "name",
    "rank",
    "player",
    "team",
    *GIVEN.values(),
    "eligible",
    "expected_rank",
    "performance",
    "rating_before",
    "rating",
    "change",
    "provisional_before",
    "provisional",
)


def history(view: View, rows: int = ROWS) -> Iterator[pl.DataFrame]:
    """What every rated contest did to everybody in it, in order: `View.history_of` of all players.

    There is at least one piece, which may have no rows.

    Example:
        >>> import podium, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> with podium.League.create(f"{folder.name}/club.db", "elo") as league:
        ...     change = league.record(podium.simulate(players=20, rounds=5, seed=1))
        ...     with league.snapshot() as view:
        ...         pieces = list(history(view, rows=30))
        >>> [piece.height for piece in pieces]
        [20, 20, 20, 20, 20]
        >>> folder.cleanup()
    """
    hidden = sorted(hiding.unseen(view._connection))
    for contests, piece in _pieces(view, rows):
        shown = pl.Series(~np.isin(contests.columns.player, hidden), dtype=pl.Boolean)
        rated = piece.filter(piece["rating"].is_not_null() & shown)
        yield pl.DataFrame([rated[each] for each in _HISTORY])


def all_standings(view: View, rows: int = ROWS) -> Iterator[pl.DataFrame]:
    """The standings of all contests, in order: `View.contest` of all contests."""
    for contests, piece in _pieces(view, rows):
        told = piece.with_columns(expected_rank=_expected(view, contests, piece))
        yield pl.DataFrame([told[each] for each in _STANDINGS])


def _expected(view: View, contests: StoredContests, piece: pl.DataFrame) -> pl.Series:
    """The rank to expect of everybody, of one contest after the other."""
    from podium.ratings.predictions import expected_ranks

    expected, rated = np.full(piece.height, np.nan), contests.rateable()
    system, ends = view.system, rated.columns.offsets.tolist()
    mu, sigma = (piece[each].to_numpy()[rated.row] for each in queries.expectation(system))
    for number, (begin, end) in enumerate(itertools.pairwise(ends)):
        rows = slice(begin, end)
        if np.isfinite(mu[rows]).all():
            alone = rated.columns.take(slice(number, number + 1), rows, np.array([0, end - begin]))
            expected[rated.row[rows]] = expected_ranks(system, alone, mu[rows], sigma[rows])
    return pl.Series(expected, nan_to_null=True)


def pieces(view: View, rows: int) -> Iterator[pl.DataFrame]:
    """All standings with all that is kept of them, some contests at a time."""
    return (piece for _, piece in _pieces(view, rows))


def _pieces(view: View, rows: int) -> Iterator[tuple[StoredContests, pl.DataFrame]]:
    some = False
    for numbers in _batches(view, rows):
        some = True
        yield _joined(view, numbers)
    if not some:
        yield _joined(view, [])


def _batches(view: View, rows: int) -> Iterator[list[int]]:
    """The numbers of contests in their order, so many that they have about so many rows."""
    c = schema.contests
    found = fetch(view._connection, select(c.c.id, c.c.time, c.c.contest, c.c.players))
    number, time, contest, sizes = found
    batch, height = list[int](), 0
    for each in in_turn(np.array(time, np.int64), contest).tolist():
        if batch and height + sizes[each] > rows:
            yield batch
            batch, height = [], 0
        batch.append(number[each])
        height += sizes[each]
    if batch:
        yield batch


def _joined(view: View, numbers: Sequence[int]) -> tuple[StoredContests, pl.DataFrame]:
    connection, revision = view._connection, view._revision
    found = (
        standings.load(connection, within(connection, schema.contests.c.id, numbers), given=True)
        if numbers
        else StoredContests.none()
    )
    e = schema.events
    columns = {
        "contest_id": pl.Int64,
        "position": pl.Int64,
        **queries.happened_columns(revision.system),
    }
    events = queries.frame_of(
        connection,
        select(*(e.c[name] for name in columns)).where(
            e.c.revision_id == revision.id, within(connection, e.c.contest_id, list(numbers))
        ),
        columns,
    )
    c = found.columns
    contest = np.repeat(np.arange(len(found)), found.sizes)
    names = players.names_of(connection, np.unique(c.player).astype(np.int64), alike=True)
    table = pl.DataFrame(
        {
            "contest_id": found.number[contest],
            "position": 1 + np.arange(len(contest)) - c.offsets[contest],
            "contest": _gathered(found.contest, contest),
            "time": as_column(c.time[contest]),
            "name": _gathered(found.name, contest),
            "player": pl.Series([names[each] for each in c.player.tolist()], dtype=pl.String),
            "rank": c.rank,
            "participants": found.sizes[contest].astype(np.int32),
            "team": pl.Series(found.team_names.tolist(), dtype=pl.String),
            "eligible": found.eligible,
            **{
                column: pl.Series(found.all_given[:, place].tolist(), dtype=pl.String)
                for place, column in enumerate(GIVEN.values())
            },
        }
    )
    joined = table.join(
        events, on=["contest_id", "position"], how="left", maintain_order="left"
    ).drop("contest_id", "position")
    return found, queries._with_change(joined, revision, view._rules)


def _gathered(texts: Sequence[str | None], rows: Any) -> pl.Series:
    return pl.Series(texts, dtype=pl.String).gather(rows)
