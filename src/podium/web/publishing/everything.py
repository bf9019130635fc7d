"""All of a league in columns, read at once: what pages of many contests and players are made of."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.league import Result, Rules, View, streaming
from podium.league.queries import expectation
from podium.progress import Report
from podium.ratings.predictions import expected_ranks
from podium.results.columns import Columns
from podium.systems.base import System

Floats = NDArray[np.float64]

_ROWS = 50_000
_KEPT = (
    "rank",
    "player",
    "team",
    "score",
    "status",
    "given_team",
    "eligible",
    "performance",
    "sigma",
    "rating_before",
    "rating",
    "change",
    "provisional_before",
    "provisional",
)


@dataclass(frozen=True)
class Everything:
    """Contests in order, and all their rows one contest after the other."""

    system: System
    rules: Rules
    contests: pl.DataFrame
    """As `View.contests` gives them."""
    board: pl.DataFrame
    """All players with rated contests, the best first; those on the leaderboard have a place."""
    rows: pl.DataFrame
    """Of all contests: who came in where, and what it did to whoever was rated."""
    offsets: NDArray[np.int64]
    """Contest c has the rows from ``offsets[c]`` to ``offsets[c + 1]``."""

    @classmethod
    def of(cls, view: View, report: Report) -> "Everything":
        """Read a league."""
        contests = view.contests()
        sizes = contests["players"].to_numpy().astype(np.int64)
        offsets = np.append(0, np.cumsum(sizes))
        pieces: list[pl.DataFrame] = []
        done, kept = 0, (*_KEPT, *expectation(view.system))
        for piece in streaming.pieces(view, _ROWS):
            pieces.append(piece.select(kept))
            done += piece.height
            report(done, int(offsets[-1]))
        rows = pl.concat(pieces).with_columns(side=pl.Series(_sides(view, sizes), dtype=pl.Int8))
        everybody = view.leaderboard(None, with_hidden=True).drop("place")
        places = view.leaderboard(None).select("player", "place")
        board = everybody.join(places, on="player", how="left", maintain_order="left")
        return cls(view.system, view.rules, contests, board, rows, offsets)

    def result(self, number: int) -> Result:
        """All about one contest, as `View.result` has it."""
        about = self.contests.row(number, named=True)
        return Result(**about, system=self.system, standings=self._standings(number))

    def _standings(self, number: int) -> pl.DataFrame:
        first, last = self.offsets[number : number + 2].tolist()
        rows = self.rows.slice(first, last - first)
        expected = pl.Series("expected_rank", self._expected(rows), nan_to_null=True)
        unused = ("side", "sigma", *expectation(self.system))
        return rows.drop(unused).with_columns(expected)

    def _expected(self, rows: pl.DataFrame) -> Floats:
        """The rank to expect of everybody who was rated, among them; NaN of the others."""
        found = np.full(rows.height, np.nan)
        rated = np.flatnonzero(rows["rating"].is_not_null().to_numpy())
        part = rows[rated]
        mu, sigma = (
            np.ascontiguousarray(part[each].fill_null(np.nan).to_numpy())
            for each in expectation(self.system)
        )
        if len(rated) and np.isfinite(mu).all():
            found[rated] = expected_ranks(self.system, _columns(part), mu, sigma)
        return found


def _sides(view: View, sizes: NDArray[np.int64]) -> NDArray[np.int8]:
    """Who had the advantage of a side, which predictions of matches of two ask for."""
    side = None
    if (sizes == 2).any():
        side = view.results().columns.side
    return np.zeros(int(sizes.sum()), np.int8) if side is None else side


def _columns(rows: pl.DataFrame) -> Columns:
    """One contest as systems take it, as far as predictions ask."""
    team = None
    if rows["team"].is_not_null().any():
        team = (rows["team"].rank("dense").cast(pl.Int32) - 1).fill_null(-1).to_numpy()
    return Columns(
        offsets=np.array((0, rows.height)),
        player=np.arange(rows.height, dtype=np.int32),
        rank=rows["rank"].to_numpy(),
        time=np.zeros(1, np.int64),
        weight=np.ones(1),
        perf_ceiling=np.full(1, np.inf),
        team=team,
        side=rows["side"].to_numpy(),
    )
