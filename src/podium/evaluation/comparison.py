"""Which system predicts best: all measures of several systems on the same contests.

Example:
    >>> import podium
    >>> contests = podium.simulate(players=80, rounds=30, seed=1)
    >>> found = podium.evaluate(contests, ["elo", "elo-mmr"], resamples=100)
    >>> found.table.filter(measure="pair-inversion", players="all").sort("value")["system"].last()
    'elo-mmr'
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium import forks
from podium import systems as registry
from podium.documents import as_document
from podium.errors import InputError
from podium.evaluation import measures
from podium.evaluation.arguments import check_number, check_whole
from podium.evaluation.backtest import Backtest, backtest
from podium.evaluation.measures import MEASURES
from podium.evaluation.scoring import (
    ContestValues,
    Weighting,
    check_scoring,
    contest_values,
    ladders,
    skipped,
    together,
)
from podium.markup import table
from podium.progress import Progress, part_of, reporting
from podium.ratings.fold import ready_to_fold
from podium.results.contests import Contests
from podium.results.times import as_column
from podium.systems.base import System
from podium.wording import counted, listed

Floats = NDArray[np.float64]

EXPERIENCED, ALL = "experienced", "all"
"""Whose results are measured: players with enough contests before, or all."""
EXPERIENCE = (0, 1, 2, 3, 5, 10, 20, 50, 100)
"""Contests before, from which on a player belongs to the next group."""
PERIODS = 24
"""Parts of a history with as many contests each."""

_COUNTS_AT_ONCE = 4_000_000
_ROWS = ("pair-inversion", "rank-deviation")


@dataclass(frozen=True)
class Evaluation:
    """How well systems predicted the same contests."""

    table: pl.DataFrame
    """Columns: players ("experienced" or "all"), measure, system, value, low and high: where the
    value would lie with as many other contests of this kind; null of one contest."""
    differences: pl.DataFrame
    """From the first system: players, measure, system, difference, low, high. Both see the same
    contests, so that differences are surer than values."""
    systems: pl.DataFrame
    """Columns: system, name, parameters, and cpu_seconds, which rating took."""
    counted: pl.DataFrame
    """What was measured: players, contests, participations."""
    reliability: pl.DataFrame
    """What favourites were expected to score and did: players, system, expected, scored, share."""
    over_time: pl.DataFrame
    """Of experienced players: system, time, contests, pair-inversion, rank-deviation."""
    over_experience: pl.DataFrame
    """By contests before, of all: system, contests_before, participations and the same two."""
    ratings: pl.DataFrame
    """At the end, of players with enough contests: system, rating."""
    settings: Mapping[str, Any]
    """How it was measured."""
    interrupted: bool = False
    """Whether systems are missing because the run was interrupted."""

    def __repr__(self) -> str:
        names = listed(self.systems["system"])
        contests = counted(self.counted["contests"].max(), "contest")  # type: ignore[arg-type]
        return f"<Evaluation of {names} by {contests}>"

    def _repr_html_(self) -> str:
        values = self.table.drop_nulls("value")
        board = values.pivot("measure", index=["players", "system"], values="value")
        return table(self, board, digits=4)

    def document(
        self,
        *,
        data: str | os.PathLike[str] | None = None,
        html: str | os.PathLike[str] | None = None,
    ) -> dict[str, Any]:
        """As JSON says it, with where the results are and where a report was written."""
        tables = {
            "counted": self.counted,
            "systems": self.systems,
            "measures": self.table,
            "differences": self.differences,
            "reliability": self.reliability,
            "over_time": self.over_time,
            "over_experience": self.over_experience,
        }
        return as_document(
            {
                "data": data,
                "settings": dict(self.settings),
                **{name: table.to_dicts() for name, table in tables.items()},
                "html": html,
                "interrupted": self.interrupted,
            }
        )


@dataclass(frozen=True)
class _Seen:
    """What one system has shown."""

    system: System
    cpu_seconds: float
    values: dict[str, ContestValues]
    by_experience: Floats
    """Rows: participations, and sums of pair inversion and rank deviation, by `EXPERIENCE`."""
    ratings: Floats


def evaluate(
    contests: Contests,
    systems: str | System | Sequence[str | System] = "elo-mmr",
    *,
    skip: float = 0.1,
    min_contests: int = 5,
    weighting: Weighting = "participation",
    top: int = 10,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
    threads: int | None = None,
    keep_interrupted: bool = False,
) -> Evaluation:
    """Measure how well systems predict contests, each from what it believed before.

    Args:
        contests: What is rated, all of it; every ladder by itself.
        systems: Names, names with parameters such as "elo-mmr rho=0.5", or systems.
        skip: The share of contests, from the first of a ladder on, that are rated but not measured.
        min_contests: Who has fewer contests before is not "experienced". Everything is measured
            for experienced players among themselves, and for all players.
        weighting: Whether every participation counts the same, as in the Elo-MMR paper, or every
            contest.
        top: How many are the top, for measures of the top.
        confidence: The share of resamples between `low` and `high`.
        resamples: How often contests are drawn anew, with replacement, to find these.
        seed: Which draws.
        progress: True for a bar, or a function that is told the part done and the whole.
        threads: How many threads rate large contests; by default, one for each core.
        keep_interrupted: If interrupted once a system is done, return what there is.
    """
    forks.refuse_lost_threads()
    check_scoring(skip, min_contests, weighting, top)
    check_number(0.0, 1.0, confidence=confidence)
    check_whole(1, resamples=resamples)
    check_whole(0, seed=seed)
    chosen = labelled(systems)
    parts = ladders(contests)
    for system in chosen.values():
        for part in parts:
            ready_to_fold(part, system, None, {})  # which refuses results that it cannot take
    seen: dict[str, _Seen] = {}
    try:
        with reporting(progress, "Evaluating") as report:
            for number, (label, system) in enumerate(chosen.items()):
                shown = []
                for place, part in enumerate(parts, number * len(parts)):
                    own = part_of(report, place, len(parts) * len(chosen))
                    before = backtest(part, system, progress=own, threads=threads)
                    shown.append(_seen(before, skipped(skip, len(part)), min_contests, top))
                seen[label] = _together(shown)
    except KeyboardInterrupt:
        if not seen or not keep_interrupted:
            raise
    counted = _counted(next(iter(seen.values())).values)
    if counted["contests"].max() == 0:
        raise InputError(
            f"there is nothing to measure: of {len(contests):,} contests, the first {skip:.0%} are "
            f"left out, and none of the others has two competitors."
        )
    table, differences = _tables(seen, weighting, confidence, resamples, seed)
    times = np.concatenate([part.columns.time for part in parts])
    return Evaluation(
        table=table,
        differences=differences,
        systems=pl.DataFrame(
            {
                "system": list(seen),
                "name": [each.system.name for each in seen.values()],
                "parameters": [" ".join(_unusual(each.system)) for each in seen.values()],
                "cpu_seconds": [each.cpu_seconds for each in seen.values()],
            }
        ),
        counted=counted,
        reliability=pl.concat(
            _reliability(label, players, values, weighting)
            for label, each in seen.items()
            for players, values in each.values.items()
        ),
        over_time=pl.concat(
            _over_time(label, each.values[EXPERIENCED], times, weighting)
            for label, each in seen.items()
        ),
        over_experience=pl.concat(
            _over_experience(label, each.by_experience) for label, each in seen.items()
        ),
        ratings=pl.concat(
            pl.DataFrame(
                {"system": label, "rating": each.ratings},
                {"system": pl.String, "rating": pl.Float64},
            )
            for label, each in seen.items()
        ),
        settings={
            "skip": skip,
            "min_contests": min_contests,
            "weighting": weighting,
            "top": top,
            "confidence": confidence,
            "resamples": resamples,
            "seed": seed,
        },
        interrupted=len(seen) < len(chosen),
    )


def labelled(systems: str | System | Sequence[str | System]) -> dict[str, System]:
    """Systems by what they are called in tables: their name, with parameters that are not usual.

    Example:
        >>> list(labelled(["elo", "elo k=16", registry.build("elo", k=20.0)]))
        ['elo', 'elo k=16', 'elo k=20']
    """
    given: list[Any] = [systems]
    if isinstance(systems, Iterable) and not isinstance(systems, str):
        given = list(systems)
    if not given:
        raise InputError("there is no system to evaluate; podium systems lists them.")
    found: dict[str, System] = {}
    for each in given:
        system = parsed(each) if isinstance(each, str) else each
        if not isinstance(system, System):
            raise InputError(f"a system or its name is needed, not {each!r}.")
        label = each if isinstance(each, str) else " ".join((system.name, *_unusual(system)))
        if label in found:
            raise InputError(f"the system {label!r} is given twice.")
        found[label] = system
    return found


def parsed(text: str) -> System:
    """The system that a text such as "elo-mmr rho=0.5" means."""
    name, *settings = text.split() or [""]
    parameters = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key or not value:
            raise InputError(
                f"{text!r}: write a system as its name, with parameters as key=value after it."
            )
        if key in parameters:
            raise InputError(f"{text!r}: {key!r} is given twice.")
        parameters[key] = value
    return registry.by_name(name).parse(parameters)


def _unusual(system: System) -> list[str]:
    """The parameters that are not those of the system's default."""
    usual = type(system)().stored_parameters()
    return [
        f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}"
        for key, value in system.stored_parameters().items()
        if value != usual[key]
    ]


def _seen(before: Backtest, skip: int, min_contests: int, top: int) -> _Seen:
    counted = {
        EXPERIENCED: before.experienced(min_contests, skip),
        ALL: before.experienced(0, skip),
    }
    everybody = counted[ALL]
    columns = everybody.columns
    order = columns.offsets, columns.rank, everybody.rating
    of_rows = np.stack([measures.pair_inversion(*order), measures.rank_deviation(*order)])
    known = ~np.isnan(of_rows[0])
    group = np.searchsorted(EXPERIENCE, everybody.earlier[known], side="right") - 1
    sums = [
        np.bincount(group, weights, len(EXPERIENCE))
        for weights in (np.ones(len(group)), *of_rows[:, known])
    ]
    table = before.beliefs.table[: len(before.beliefs)]
    enough = table[table["contests"] > min_contests]
    return _Seen(
        before.system,
        before.cpu_seconds,
        {players: contest_values(each, top=top) for players, each in counted.items()},
        np.stack(sums),
        before.system.rating(enough["mu"], enough["sigma"], enough["contests"]),
    )


def _together(parts: Sequence[_Seen]) -> _Seen:
    """What a system has shown on several ladders."""
    return _Seen(
        parts[0].system,
        sum(part.cpu_seconds for part in parts),
        {
            players: together([part.values[players] for part in parts])
            for players in (EXPERIENCED, ALL)
        },
        np.sum([part.by_experience for part in parts], axis=0),
        np.concatenate([part.ratings for part in parts]),
    )


def _counted(values: Mapping[str, ContestValues]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "players": list(values),
            "contests": [int(np.count_nonzero(each.participants)) for each in values.values()],
            "participations": [int(each.participants.sum()) for each in values.values()],
        }
    )


def _tables(
    seen: Mapping[str, _Seen], weighting: Weighting, confidence: float, resamples: int, seed: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Values and differences from the first system, with their intervals."""
    tail = 0.5 * (1.0 - confidence)
    values = [each.values[players] for players in (EXPERIENCED, ALL) for each in seen.values()]
    known = iter([{name: each.known(name) for name in MEASURES} for each in values])
    means = iter([each.means(weighting) for each in values])
    drawn = iter(_resampled(values, weighting, resamples, seed))
    rows, differences = [], []
    for players in (EXPERIENCED, ALL):
        first: tuple[dict[str, Floats], dict[str, Floats]] | None = None
        for label in seen:
            own, contests = (next(means), next(drawn)), next(known)
            first = first or own
            for name in MEASURES:
                value, draws = float(own[0][name][0]), _centred(name, own)
                off, offs = value - float(first[0][name][0]), draws - _centred(name, first)
                if contests[name] < 2:  # of which all resamples are the same
                    draws, offs = draws[:0], offs[:0]
                rows.append((players, name, label, value, *_between(draws, tail)))
                differences.append((players, name, label, off, *_between(offs, tail)))
    of_rows = dict.fromkeys(("players", "measure", "system"), pl.String)
    table, between = (
        pl.DataFrame(
            found,
            {**of_rows, **dict.fromkeys((value, "low", "high"), pl.Float64)},
            orient="row",
        ).fill_nan(None)
        for value, found in (("value", rows), ("difference", differences))
    )
    return table, between.filter(pl.col("system") != next(iter(seen)))


def _centred(name: str, means_and_draws: tuple[dict[str, Floats], dict[str, Floats]]) -> Floats:
    """Values of resamples. Those of an absolute error are on average too high, by what is removed.

    What chance adds to the calibration error of a set of contests, drawing from it adds again.
    """
    means, drawn = means_and_draws
    if name != "calibration-error" or np.isnan(means[name][0]):
        return drawn[name]
    too_high = float(np.nanmean(drawn[name]) - means[name][0])
    centred: Floats = np.maximum(drawn[name] - too_high, 0.0)
    return centred


def _between(values: Floats, tail: float) -> tuple[float, float]:
    """The quantiles that leave so much on either side; NaN if there are no values."""
    known = values[~np.isnan(values)]
    if not len(known):
        return np.nan, np.nan
    low, high = np.quantile(known, (tail, 1.0 - tail))
    return float(low), float(high)


def _resampled(
    values: Sequence[ContestValues], weighting: Weighting, times: int, seed: int
) -> list[dict[str, Floats]]:
    """Means over contests drawn with replacement; the same draws for all systems."""
    columns = [each.columns(weighting) for each in values]
    together = np.hstack(columns)
    draws = _draws(len(together), times, seed)
    sums = np.concatenate([counts @ together for counts in draws])
    ends = np.cumsum([each.shape[1] for each in columns])[:-1]
    return [
        each.means_from(part)
        for each, part in zip(values, np.split(sums, ends, axis=1), strict=True)
    ]


def _draws(contests: int, times: int, seed: int) -> Iterator[Floats]:
    """How often each contest is drawn, a row for each resample, some rows at a time."""
    draws = np.random.default_rng(seed)
    batch = max(1, _COUNTS_AT_ONCE // max(contests, 1))
    for start in range(0, times, batch):
        yield np.stack(
            [
                np.bincount(draws.integers(contests, size=contests), minlength=contests)
                for _ in range(min(batch, times - start))
            ]
        ).astype(np.float64)


def _reliability(
    label: str, players: str, values: ContestValues, weighting: Weighting
) -> pl.DataFrame:
    bins = values.total_bins(weighting)
    used = bins.pairs > 0.0
    pairs, expected, scored = (sums[used] for sums in bins)
    return pl.DataFrame(
        {
            "players": pl.Series([players] * len(pairs), dtype=pl.String),
            "system": pl.Series([label] * len(pairs), dtype=pl.String),
            "expected": expected / pairs,
            "scored": scored / pairs,
            "share": pairs / pairs.sum(),
        }
    )


def _over_time(
    label: str, values: ContestValues, times: NDArray[np.int64], weighting: Weighting
) -> pl.DataFrame:
    """Means over as many contests each, at the time of the middle one."""
    known = ~np.isnan(values.values["pair-inversion"])
    by_time = np.argsort(times, kind="stable")
    measured = by_time[known[by_time]]
    parts = np.array_split(measured, min(PERIODS, len(measured))) if len(measured) else []
    counts = np.zeros((len(parts), len(times)))
    for row, part in zip(counts, parts, strict=True):
        row[part] = 1.0
    means = values.means(weighting, counts)
    middle = np.array([part[len(part) // 2] for part in parts], np.int64)
    return pl.DataFrame(
        {
            "system": pl.Series([label] * len(parts), dtype=pl.String),
            "time": as_column(times[middle]),
            "contests": pl.Series([len(part) for part in parts], dtype=pl.Int64),
            **{name: means[name] for name in _ROWS},
        }
    )


def _over_experience(label: str, sums: Floats) -> pl.DataFrame:
    used = sums[0] > 0.0
    count = sums[0][used]
    return pl.DataFrame(
        {
            "system": pl.Series([label] * len(count), dtype=pl.String),
            "contests_before": np.array(EXPERIENCE)[used],
            "participations": count.astype(np.int64),
            **{name: of_rows[used] / count for name, of_rows in zip(_ROWS, sums[1:], strict=True)},
        }
    )
