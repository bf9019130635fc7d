"""What is worth a second look in results that can be read: odd dates, small contests, twins."""

import datetime

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.results.contests import Contests
from podium.results.times import as_column, to_microseconds

_DAY = 86_400_000_000
_FEW = 4
"""Contests of fewer players than that may well end alike."""
_ENOUGH = 4
"""Contests that it takes to say what is far from the others."""
_FAR = (6.0, 180 * _DAY)
"""How far from the median: so many times as far as half of all contests are, and so long."""
_SMALL = (8, 4)
"""Where a contest has at least so many players as a rule, one with so many times fewer is small."""


def odd_dates(contests: Contests) -> pl.DataFrame:
    """Contests whose times stand out: contest, time and why."""
    times = contests.columns.time
    now = to_microseconds(datetime.datetime.now(datetime.UTC))
    why = np.full(len(times), "", object)
    if len(times) >= _ENOUGH:
        away = np.abs(times - np.median(times))
        why[away > max(_FAR[0] * float(np.median(away)), _FAR[1])] = "far from the others"
    why[times < 0] = "before 1970"
    why[(times >= 0) & (times < _DAY)] = "the first day of 1970"
    why[times > now] = "in the future"
    return _of(contests, np.flatnonzero(why != ""), why=pl.Series(why[why != ""], dtype=pl.String))


def small_contests(contests: Contests) -> pl.DataFrame:
    """Contests of one player, or of far fewer than the others: contest, time and players."""
    sizes = contests.sizes
    usual = int(np.median(sizes)) if len(sizes) else 0
    few = (sizes < 2) | ((usual >= _SMALL[0]) & (sizes * _SMALL[1] < usual))
    which = np.flatnonzero(few)
    return _of(contests, which, players=pl.Series(sizes[which]))


def same_results(contests: Contests) -> pl.DataFrame:
    """Contests with the same results as an earlier one: contest, time and the earlier as `like`.

    Of few players, who may well end alike, only those of the same time.
    """
    c, sizes = contests.columns, contests.sizes
    rows = pl.DataFrame({"player": c.player, "rank": c.rank})
    if contests.given is not None:
        rows = rows.hstack(contests.given.rename(lambda name: f"given_{name}"))
    hashes = rows.hash_rows().to_numpy()
    content = np.add.reduceat(hashes, c.offsets[:-1]) if len(sizes) else hashes
    time = np.where(sizes > _FEW, 0, c.time)
    keys = pl.DataFrame({"content": content, "size": sizes, "time": time}).with_row_index("number")
    first = keys.select(pl.col("number").first().over("content", "size", "time")).to_series()
    twins = np.flatnonzero(first.to_numpy() != keys["number"].to_numpy())
    if not len(twins):
        return _of(contests, twins, like=pl.Series([], dtype=pl.String))
    return _of(contests, twins, like=contests.ids.gather(first.gather(twins)))


def _of(contests: Contests, which: NDArray[np.int64], **more: pl.Series) -> pl.DataFrame:
    ids = contests.ids.gather(which) if len(which) else pl.Series([], dtype=pl.String)
    time = as_column(contests.columns.time[which])
    return pl.DataFrame({"contest": ids, "time": time, **more})
