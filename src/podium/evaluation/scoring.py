"""Measures over whole histories: contest by contest, their means, and how sure those are.

Example:
    >>> import podium
    >>> contests = podium.simulate(players=80, rounds=30, seed=1)
    >>> 0.6 < score(contests, podium.system("elo-mmr"), "pair-inversion", skip=0.1) < 0.9
    True
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.evaluation import measures
from podium.evaluation.arguments import check_number, check_whole
from podium.evaluation.backtest import Backtest, backtest
from podium.evaluation.measures import BINS, MEASURES, Reliability
from podium.numerics import measures as kernel
from podium.ratings.fold import refuse_what_is_not_contests
from podium.results.contests import Contests
from podium.systems.base import System
from podium.wording import suggestion

Floats = NDArray[np.float64]
Weighting = Literal["participation", "contest"]

_LEAST_CHANCE = 1e-15
"""What a system takes for impossible counts as this likely, so that one surprise is not all."""

_ROWS = {
    "pair-inversion": measures.pair_inversion,
    "rank-deviation": measures.rank_deviation,
}
_CONTESTS = {"spearman": measures.spearman, "kendall": measures.kendall}
_PAIRS = ("accuracy", "log-loss", "brier")


@dataclass(frozen=True)
class ContestValues:
    """What every contest says of a system; NaN where it says nothing."""

    participants: NDArray[np.int64]
    """How many were measured, 0 in a contest of fewer than two."""
    values: dict[str, Floats]
    """The mean of every measure, but for the calibration error."""
    bins: Reliability | None = None
    """A row of bins for every contest, each of which has one pair's weight in all."""

    def means(self, weighting: Weighting, counts: Floats | None = None) -> dict[str, Floats]:
        """The means of all measures; for each row of counts, how often each contest is counted."""
        columns = self.columns(weighting)
        sums = columns.sum(axis=0)[None, :] if counts is None else counts @ columns
        return self.means_from(sums)

    def columns(self, weighting: Weighting) -> Floats:
        """What has to be added up over contests for the means: a row for each contest."""
        weights = self._weights(weighting)
        known = [np.where(np.isnan(values), 0.0, weights) for values in self.values.values()]
        weighted = [
            weight * np.nan_to_num(values)
            for weight, values in zip(known, self.values.values(), strict=True)
        ]
        columns = np.stack([*known, *weighted, weights], axis=1)
        if self.bins is None:
            return columns
        return np.hstack([columns, weights[:, None] * (self.bins.expected - self.bins.scored)])

    @property
    def width(self) -> int:
        """How many columns these are."""
        return 2 * len(self.values) + 1 + (0 if self.bins is None else BINS)

    def means_from(self, sums: Floats) -> dict[str, Floats]:
        """The means, for each row of sums of the columns."""
        count = len(self.values)
        with np.errstate(invalid="ignore"):
            means = sums[:, count : 2 * count] / sums[:, :count]
            found = dict(zip(self.values, means.T, strict=True))
            if self.bins is not None:
                off = np.abs(sums[:, 2 * count + 1 :]).sum(axis=1)
                found["calibration-error"] = off / sums[:, 2 * count]
        return {name: found[name] for name in MEASURES if name in found}

    def influences(self, name: str, weighting: Weighting) -> Floats:
        """What each contest adds to the mean of a measure, to first order; 0 if it says nothing."""
        weights = self._weights(weighting)
        with np.errstate(invalid="ignore"):
            if name in self.values:
                values = self.values[name]
                weights = np.where(np.isnan(values), 0.0, weights)
                weighted = weights * np.nan_to_num(values)
            else:
                assert self.bins is not None
                off = weights[:, None] * (self.bins.expected - self.bins.scored)
                weighted = off @ np.sign(off.sum(axis=0))
            total = weights.sum()
            found: Floats = (weighted - weighted.sum() / total * weights) / total
        return found

    def known(self, name: str) -> int:
        """How many contests say something of a measure."""
        return int(np.count_nonzero(self.says(name)))

    def says(self, name: str) -> NDArray[np.bool_]:
        """Which contests say something of a measure."""
        if name in self.values:
            return ~np.isnan(self.values[name])
        return self.participants > 0

    def total_bins(self, weighting: Weighting) -> Reliability:
        """The bins of all contests together."""
        assert self.bins is not None
        return Reliability(*(self._weights(weighting) @ sums for sums in self.bins))

    def _weights(self, weighting: Weighting) -> Floats:
        """What each contest counts."""
        weights = self.participants.astype(np.float64)
        return weights if weighting == "participation" else np.sign(weights)


def together(parts: Sequence[ContestValues]) -> ContestValues:
    """The contests of several ladders or pieces, one after the other."""
    if len(parts) == 1:
        return parts[0]
    bins = [part.bins for part in parts]
    return ContestValues(
        np.concatenate([part.participants for part in parts]),
        {name: np.concatenate([part.values[name] for part in parts]) for name in parts[0].values},
        None
        if any(each is None for each in bins)
        else Reliability(*(np.concatenate(sums) for sums in zip(*bins, strict=True))),
    )


def contest_values(
    before: Backtest, names: Iterable[str] = tuple(MEASURES), *, top: int = 10
) -> ContestValues:
    """The values of these measures, contest by contest, over all competitors of a backtest."""
    wanted = {name: measures.by_name(name).kind for name in names}
    columns = before.columns
    order = columns.offsets, columns.rank, before.rating
    values = {
        name: contest_means(function(*order), columns.offsets)
        for name, function in _ROWS.items()
        if name in wanted
    }
    for name, of_contests in _CONTESTS.items():
        if name in wanted:
            values[name] = of_contests(*order)
    bins = None
    if "pairs" in wanted.values():
        of_pairs, bins = _of_pairs(before)
        values.update((name, found) for name, found in of_pairs.items() if name in wanted)
    if "top" in wanted.values():
        values.update(
            (name, found) for name, found in _of_the_top(before, top).items() if name in wanted
        )
    sizes = np.diff(columns.offsets)
    return ContestValues(
        np.where(sizes > 1, sizes, 0), values, bins if "calibration-error" in wanted else None
    )


def contest_means(values: Floats, offsets: NDArray[np.int64]) -> Floats:
    """The mean of the rows of every contest, NaN without any.

    Example:
        >>> contest_means(np.array([1.0, 2.0, 6.0]), np.array([0, 2, 2, 3])).tolist()
        [1.5, nan, 6.0]
    """
    sizes = np.diff(offsets)
    means = np.full(len(sizes), np.nan)
    some = sizes > 0
    if some.any():
        means[some] = np.add.reduceat(values, offsets[:-1][some]) / sizes[some]
    return means


def _of_the_top(before: Backtest, k: int) -> dict[str, Floats]:
    columns = before.columns
    k = min(k, len(columns.player))
    best = before.highest_rated(k)
    offsets = best.columns.offsets
    hits = measures.top_hits(columns.offsets, columns.rank, before.rating, k)
    return {
        "top-hits": hits,
        **{
            f"top-{name}": contest_means(function(offsets, best.columns.rank, best.rating), offsets)
            for name, function in _ROWS.items()
        },
    }


def _of_pairs(before: Backtest) -> tuple[dict[str, Floats], Reliability]:
    sums = np.zeros((len(before.columns.offsets) - 1, 1 + len(_PAIRS) + 3 * BINS))
    for contest, scored, expected in before.pairs():
        kernel.add_up_pairs(contest, scored, expected, _LEAST_CHANCE, BINS, sums)
    pairs = sums[:, :1]
    with np.errstate(invalid="ignore"):
        means = dict(zip(_PAIRS, (sums[:, 1 : 1 + len(_PAIRS)] / pairs).T, strict=True))
        bins = np.nan_to_num(sums[:, 1 + len(_PAIRS) :] / pairs)
    return means, Reliability(*np.split(bins, 3, axis=1))


def score(
    contests: Contests,
    system: System,
    measure: str,
    *,
    skip: float = 0.0,
    min_contests: int = 5,
    weighting: Weighting = "participation",
    top: int = 10,
    threads: int = 1,
) -> float:
    """One measure of one system: the mean over contests; NaN if there is nothing to measure.

    Args:
        contests: What is rated, all of it; every ladder by itself.
        system: Which system rates.
        measure: One of `podium.evaluation.measures.MEASURES`.
        skip: The share of contests, from the first of a ladder on, that are rated but not measured.
        min_contests: Leave out players with fewer contests before.
        weighting: Whether every participation counts the same, or every contest.
        top: How many are the top, for measures of the top.
        threads: How many threads rate large contests.
    """
    check_scoring(skip, min_contests, weighting, top)
    measures.by_name(measure)
    values = []
    for part in ladders(contests):
        before = backtest(part, system, threads=threads)
        counted = before.experienced(min_contests, skipped(skip, len(part)))
        values.append(contest_values(counted, [measure], top=top))
    return float(together(values).means(weighting)[measure][0])


def ladders(contests: Contests) -> list[Contests]:
    """The contests of every ladder, which are rated by themselves; all, if there is one."""
    refuse_what_is_not_contests(contests)
    return list(contests.by_ladder().values()) if contests.ladders else [contests]


def skipped(share: float, contests: int) -> int:
    """How many contests are left out.

    Example:
        >>> skipped(0.29, 100), int(0.29 * 100)  # 0.29 is a little less than that
        (29, 28)
    """
    return int(share * contests + 1e-9)


def check_scoring(skip: float, min_contests: int, weighting: str, top: int) -> None:
    """Raise unless these arguments make sense."""
    check_number(0.0, 1.0, skip=skip)
    check_whole(0, min_contests=min_contests)
    check_whole(1, top=top)
    if weighting not in get_args(Weighting):
        raise InputError(
            f"there is no weighting {weighting!r}{suggestion(weighting, get_args(Weighting))}; "
            f"it is {' or '.join(get_args(Weighting))}."
        )
