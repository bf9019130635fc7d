"""Measures over whole histories: contest by contest, their means, and how sure those are.

Example:
    >>> import podium
    >>> contests = podium.simulate(players=80, rounds=30, seed=1)
    >>> 0.6 < score(contests, podium.system("elo-mmr"), "pair-inversion", skip=0.1) < 0.9
    True
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from podium.arguments import check_number, check_whole
from podium.errors import InputError
from podium.evaluation import measures
from podium.evaluation.backtest import Backtest, backtest
from podium.evaluation.measures import BINS, MEASURES, Reliability
from podium.numerics import measures as kernel
from podium.numerics.temperature import LEAST
from podium.ratings.fold import refuse_what_is_not_contests
from podium.results.contests import Contests
from podium.systems.base import System
from podium.wording import suggestion

Floats = NDArray[np.float64]
Weighting = Literal["participation", "contest"]

_ROWS = {
    "pair-inversion": measures.pair_inversion,
    "rank-deviation": measures.rank_deviation,
}
_CONTESTS = {"spearman": measures.spearman, "kendall": measures.kendall}
_PAIRS = ("accuracy", "log-loss", "brier")
BINNED = ("calibration-error", "calibrated-calibration-error")
"""Measures of the bins of all contests together."""
_VALUES = tuple(name for name in MEASURES if name not in BINNED)
"""Measures that have a value in every contest."""


@dataclass(frozen=True)
class ContestValues:
    """What every contest says of a system; NaN where it says nothing."""

    participants: NDArray[np.int64]
    """How many were measured, 0 in a contest of fewer than two."""
    values: dict[str, Floats]
    """The mean of every measure, but for calibration errors."""
    bins: Mapping[str, Reliability] = field(default_factory=dict)
    """By calibration error, a row of bins for every contest, each of which has one pair's weight in
    all."""

    def means(self, weighting: Weighting, counts: Floats | None = None) -> dict[str, Floats]:
        """The means of all measures; for each row of counts, how often each contest is counted."""
        columns = self.columns(weighting)
        sums = columns.sum(axis=0)[None, :] if counts is None else counts @ columns
        return self.means_from(sums)

    def columns(self, weighting: Weighting) -> Floats:
        """What has to be added up over contests for the means: a row for each contest."""
        weights = self._weights(weighting)
        said = [~np.isnan(values) for values in self.values.values()]
        known = [np.where(each, weights, 0.0) for each in said]
        weighted = [
            np.where(each, weights * values, 0.0)
            for each, values in zip(said, self.values.values(), strict=True)
        ]
        columns = np.stack([*known, *weighted, weights], axis=1)
        off = [weights[:, None] * (own.expected - own.scored) for own in self.bins.values()]
        return np.hstack([columns, *off])

    def means_from(self, sums: Floats) -> dict[str, Floats]:
        """The means, for each row of sums of the columns."""
        return _means(tuple(self.values), tuple(self.bins), sums)

    def weighted_bins(self, weighting: Weighting) -> Floats:
        """What has to be added up for the bins of all contests: a row for each contest."""
        own = [each for bins in self.bins.values() for each in bins]
        return self._weights(weighting)[:, None] * np.hstack(own)

    def _weights(self, weighting: Weighting) -> Floats:
        """What each contest counts."""
        weights = self.participants.astype(np.float64)
        return weights if weighting == "participation" else np.sign(weights)


def _means(names: Sequence[str], binned: Sequence[str], sums: Floats) -> dict[str, Floats]:
    count = len(names)
    with np.errstate(invalid="ignore"):
        means = sums[:, count : 2 * count] / sums[:, :count]
        found = dict(zip(names, means.T, strict=True))
        for name, off in zip(binned, _parts(sums[:, 2 * count + 1 :], len(binned)), strict=True):
            found[name] = np.abs(off).sum(axis=1) / sums[:, 2 * count]
    return {name: found[name] for name in MEASURES if name in found}


def _parts(bins: Floats, count: int) -> list[Floats]:
    """The columns of each of so many calibration errors."""
    return np.split(bins, count, axis=1) if count else []


BLOCKS = 100_000
"""The most blocks in which contests are added up."""


class Tally:
    """All measures of the contests of a ladder, added up in blocks of some that follow each other.

    A block is a contest as long as there are no more than `BLOCKS` in all, so that what is kept
    does not grow without limit. Resamples draw whole blocks.
    """

    def __init__(self, weighting: Weighting, contests: int, size: int = 1) -> None:
        """Nothing yet, of so many contests, in blocks of this size."""
        blocks = -(-contests // size)
        self._weighting: Weighting = weighting
        self._size, self._added = size, 0
        self.sums = np.zeros((blocks, 2 * len(_VALUES) + 1 + len(BINNED) * BINS))
        """A row for each block: the sums of `ContestValues.columns`."""
        self.ordered = np.zeros(blocks, np.int64)
        """How many contests of every block say something of the pairs called right."""
        self.times = np.zeros(blocks, np.int64)
        """When the first contest of every block took place."""
        self.contests = self.participations = 0
        self._bins = np.zeros((1, 3 * len(BINNED) * BINS))

    def add(self, values: ContestValues, times: NDArray[np.int64]) -> None:
        """Let contests follow, at these times, with the values of all measures."""
        assert (tuple(values.values), tuple(values.bins)) == (_VALUES, BINNED)
        number = self._added + np.arange(len(times))
        block, is_first = number // self._size, number % self._size == 0
        kernel.add_up_rows(block, values.columns(self._weighting), self.sums)
        kernel.add_up_rows(np.zeros_like(block), values.weighted_bins(self._weighting), self._bins)
        self.times[block[is_first]] = times[is_first]
        said = ~np.isnan(values.values["pair-inversion"])
        self.ordered += np.bincount(block[said], minlength=len(self.ordered))
        self.contests += int(np.count_nonzero(values.participants))
        self.participations += int(values.participants.sum())
        self._added += len(times)

    @classmethod
    def together(cls, parts: "Sequence[Tally]") -> "Tally":
        """Those of several ladders, one after the other."""
        whole = cls(parts[0]._weighting, 0)
        for name in ("sums", "ordered", "times"):
            setattr(whole, name, np.concatenate([getattr(part, name) for part in parts]))
        whole._bins = np.sum([part._bins for part in parts], axis=0)
        whole.contests = sum(part.contests for part in parts)
        whole.participations = sum(part.participations for part in parts)
        return whole

    def means(self, counts: Floats | None = None) -> dict[str, Floats]:
        """The means of all measures; for each row of counts, how often each block is counted."""
        sums = self.sums.sum(axis=0)[None, :] if counts is None else counts @ self.sums
        return self.means_from(sums)

    def means_from(self, sums: Floats) -> dict[str, Floats]:
        """The means, for each row of sums of blocks."""
        return _means(_VALUES, BINNED, sums)

    def influences(self, name: str) -> Floats:
        """What each block adds to the mean of a measure, to first order; 0 if it says nothing."""
        count = len(_VALUES)
        with np.errstate(invalid="ignore"):
            if name in _VALUES:
                place = _VALUES.index(name)
                weights, weighted = self.sums[:, place], self.sums[:, count + place]
            else:
                weights = self.sums[:, 2 * count]
                parts = _parts(self.sums[:, 2 * count + 1 :], len(BINNED))
                off = parts[BINNED.index(name)]
                weighted = off @ np.sign(off.sum(axis=0))
            total = weights.sum()
            found: Floats = (weighted - weighted.sum() / total * weights) / total
        return found

    def says(self, name: str) -> NDArray[np.bool_]:
        """Which blocks say something of a measure."""
        place = _VALUES.index(name) if name in _VALUES else 2 * len(_VALUES)
        return self.sums[:, place] > 0.0

    def known(self, name: str) -> int:
        """How many blocks say something of a measure."""
        return int(np.count_nonzero(self.says(name)))

    @property
    def reliability(self) -> dict[str, Reliability]:
        """The bins of all contests together, by calibration error."""
        parts = np.split(self._bins[0], len(BINNED))
        return {
            name: Reliability(*np.split(part, 3)) for name, part in zip(BINNED, parts, strict=True)
        }


def contest_values(
    before: Backtest, names: Iterable[str] | None = None, *, top: int = 10
) -> ContestValues:
    """The values of these measures, contest by contest, over all competitors of a backtest.

    All of them, if nothing is said; what is calibrated needs a temperature that was `learned`.
    """
    if names is None:
        names = (
            name
            for name, each in MEASURES.items()
            if before.temperature is not None or each.kind != "calibrated"
        )
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
    bins: dict[str, Reliability] = {}
    if not {"pairs", "calibrated"}.isdisjoint(wanted.values()):
        of_pairs, bins = _of_pairs(before, set(wanted.values()))
        values.update((name, found) for name, found in of_pairs.items() if name in wanted)
    if "top" in wanted.values():
        values.update(
            (name, found) for name, found in _of_the_top(before, top).items() if name in wanted
        )
    sizes = np.diff(columns.offsets)
    return ContestValues(
        np.where(sizes > 1, sizes, 0),
        {name: values[name] for name in MEASURES if name in values},
        {name: own for name, own in bins.items() if name in wanted},
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


def _of_pairs(
    before: Backtest, kinds: Set[str]
) -> tuple[dict[str, Floats], dict[str, Reliability]]:
    """What pairs say of chances, as they are, calibrated, or both."""
    prefixes = {"pairs": "", "calibrated": "calibrated-"}
    shape = len(before.columns.offsets) - 1, 1 + len(_PAIRS) + 3 * BINS
    sums = {kind: np.zeros(shape) for kind in prefixes if kind in kinds}
    for kind, own in sums.items():
        for contest, scored, expected in before.pairs(calibrated=kind == "calibrated"):
            kernel.add_up_pairs(contest, scored, expected, LEAST, BINS, own)
    means: dict[str, Floats] = {}
    bins: dict[str, Reliability] = {}
    for kind, own in sums.items():
        with np.errstate(invalid="ignore"):
            found = (own[:, 1 : 1 + len(_PAIRS)] / own[:, :1]).T
        parts = own[:, 1 + len(_PAIRS) :] / np.maximum(own[:, :1], 1.0)
        means |= {prefixes[kind] + name: each for name, each in zip(_PAIRS, found, strict=True)}
        bins[f"{prefixes[kind]}calibration-error"] = Reliability(*np.split(parts, 3, axis=1))
    return means, bins


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
    calibrated = measures.by_name(measure).kind == "calibrated"
    values = []
    for part in ladders(contests):
        before = backtest(part, system, threads=threads)
        if calibrated:
            before, _ = before.learned()
        counted = before.experienced(min_contests)
        if calibrated and min_contests > 0:
            counted, _ = counted.learned()
        counted = counted.experienced(0, skipped(skip, len(part)))
        values.append(contest_values(counted, [measure], top=top))
    columns = np.concatenate([each.columns(weighting) for each in values])
    return float(values[0].means_from(columns.sum(axis=0)[None, :])[measure][0])


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
