"""Which system predicts best: all measures of several systems on the same contests.

Example:
    >>> import podium
    >>> contests = podium.simulate(players=80, rounds=30, seed=1)
    >>> found = podium.evaluate(contests, ["elo", "elo-mmr"], resamples=100)
    >>> found.table.filter(measure="pair-inversion", players="all").sort("value")["system"].last()
    'elo-mmr'
"""

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import geometric_mean
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium import forks
from podium import systems as registry
from podium.arguments import check_number, check_whole
from podium.documents import as_document
from podium.errors import InputError
from podium.evaluation import measures
from podium.evaluation.backtest import Backtest, Replay
from podium.evaluation.measures import MEASURES
from podium.evaluation.pieces import Pieces, Survey
from podium.evaluation.scoring import (
    BINNED,
    BLOCKS,
    Tally,
    Weighting,
    check_scoring,
    contest_values,
    skipped,
)
from podium.evaluation.significance import holm, paired_p
from podium.markup import table
from podium.progress import Progress, Report, after, part_of, reporting, unseen
from podium.ratings.beliefs import Beliefs
from podium.ratings.calibration import Calibration
from podium.results.contests import Contests
from podium.results.times import as_column
from podium.systems.base import System
from podium.wording import counted, listed, suggestion

Floats = NDArray[np.float64]

EXPERIENCED, ALL = "experienced", "all"
"""Whose results are measured: players with enough contests before, or all."""
TEMPERATURES = {"temperature": ALL, "temperature_experienced": EXPERIENCED}
"""The columns of systems that have what was learned of these players."""
BEST = "best"
"""The baseline that is the best system by each measure."""
EXPERIENCE = (0, 1, 2, 3, 5, 10, 20, 50, 100)
"""Contests before, from which on a player belongs to the next group."""
PERIODS = 24
"""Parts of a history with as many contests each."""

_CONTESTS_AT_ONCE = 1 << 16
_COUNTS_AT_ONCE = 4_000_000
_ROWS = ("pair-inversion", "rank-deviation")


@dataclass(frozen=True)
class Evaluation:
    """How well systems predicted the same contests."""

    table: pl.DataFrame
    """Columns: players ("experienced" or "all"), measure, system, value, low and high: where the
    value would lie with as many other contests of this kind; null of one contest."""
    differences: pl.DataFrame
    """From the baseline: players, measure, system, against, difference, low, high, p, p_holm and
    significant. Both see the same contests, so that differences are surer than values. `p` is of a
    paired t-test over contests; `p_holm` is corrected for `comparisons`, and what is significant
    is so by it. Null of one contest, and of contests that all say the same."""
    systems: pl.DataFrame
    """Columns: system, name, parameters, cpu_seconds, which rating took, and temperature: by what
    differences between ratings are to be multiplied after all contests for chances as sure as they
    should be, for all players; temperature_experienced, for the experienced among themselves; of
    several ladders, the geometric mean."""
    counted: pl.DataFrame
    """What was measured: players, contests, participations."""
    reliability: pl.DataFrame
    """What favourites were expected to score and did, before and after calibration: players,
    system, calibrated, expected, scored and share."""
    over_time: pl.DataFrame
    """Of experienced players: system, time, contests, pair-inversion, rank-deviation."""
    over_experience: pl.DataFrame
    """By contests before, of all: system, contests_before, participations and the same two."""
    ratings: pl.DataFrame
    """At the end, of players with enough contests: system, rating."""
    settings: Mapping[str, Any]
    """How it was measured."""
    comparisons: int = 0
    """How many differences are tested together: all of them, or of the best those of all pairs,
    because results choose it."""
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
                "comparisons": self.comparisons,
                "html": html,
                "interrupted": self.interrupted,
            }
        )


@dataclass(frozen=True)
class _Seen:
    """What one system has shown."""

    system: System
    cpu_seconds: float
    values: dict[str, Tally]
    by_experience: Floats
    """Rows: participations, and sums of pair inversion and rank deviation, by `EXPERIENCE`."""
    ratings: Floats
    temperatures: dict[str, list[float]]
    """At the end, of every ladder."""


def evaluate(
    contests: Contests | Iterable[Contests],
    systems: str | System | Sequence[str | System] = "elo-mmr",
    *,
    skip: float = 0.1,
    min_contests: int = 5,
    weighting: Weighting = "participation",
    top: int = 10,
    baseline: str | None = None,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
    threads: int | None = None,
    keep_interrupted: bool = False,
) -> Evaluation:
    """Measure how well systems predict contests, each from what it believed before.

    Args:
        contests: What is rated, all of it; every ladder by itself. Or several of them in order of
            time, one after the other, as `podium.scan` yields them: they are gone through once
            more than there are systems. From 100,000 contests on, those that follow each other
            are added up in blocks, which are drawn together to find `low` and `high`.
        systems: Names, names with parameters such as "elo-mmr rho=0.5", or systems.
        skip: The share of contests, from the first of a ladder on, that are rated but not measured.
        min_contests: Who has fewer contests before is not "experienced". Everything is measured
            for experienced players among themselves, and for all players.
        weighting: Whether every participation counts the same, as in the Elo-MMR paper, or every
            contest.
        top: How many are the top, for measures of the top.
        baseline: With which of the systems the others are compared, as it is called above, or
            "best" for the best by each measure; the first by default.
        confidence: The share of resamples between `low` and `high`; what differs by chance is
            called significant with at most the rest as probability, over all comparisons.
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
    _check_baseline(baseline, chosen)
    pieces = Pieces(contests)
    survey = Survey(pieces, chosen)
    for label in chosen:
        survey.refuse(label)
    total = sum(survey.contests.values())
    size = max(1, -(-total // BLOCKS))
    seen: dict[str, _Seen] = {}
    try:
        with reporting(progress, "Evaluating") as report:
            for number, (label, system) in enumerate(chosen.items()):
                shown = {
                    name: _Shown(
                        Replay(system, threads=threads),
                        {players: Tally(weighting, count, size) for players in (EXPERIENCED, ALL)},
                        skipped(skip, count),
                        min_contests,
                        top,
                    )
                    for name, count in survey.contests.items()
                }
                own, done = part_of(report, number, len(chosen)), 0
                for name, part in pieces.by_ladder():
                    shown[name].add(part, after(own, done, survey.rows))
                    done += part.rows
                seen[label] = _together([each.seen() for each in shown.values()])
    except KeyboardInterrupt:
        if not seen or not keep_interrupted:
            raise
    counted = _counted(next(iter(seen.values())).values)
    if counted["contests"].max() == 0:
        raise InputError(
            f"there is nothing to measure: of {total:,} contests, the first {skip:.0%} are "
            f"left out, and none of the others has two competitors."
        )
    if baseline is None or baseline not in (BEST, *seen):
        baseline = next(iter(seen))
    drawing = _Drawing(confidence, resamples, seed)
    table, differences, comparisons = _tables(seen, baseline, drawing)
    return Evaluation(
        table=table,
        differences=differences,
        systems=pl.DataFrame(
            {
                "system": list(seen),
                "name": [each.system.name for each in seen.values()],
                "parameters": [" ".join(_unusual(each.system)) for each in seen.values()],
                "cpu_seconds": [each.cpu_seconds for each in seen.values()],
                **{
                    name: [geometric_mean(each.temperatures[players]) for each in seen.values()]
                    for name, players in TEMPERATURES.items()
                },
            }
        ),
        counted=counted,
        reliability=pl.concat(
            _reliability(label, players, values)
            for label, each in seen.items()
            for players, values in each.values.items()
        ),
        over_time=pl.concat(
            _over_time(label, each.values[EXPERIENCED]) for label, each in seen.items()
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
            "baseline": baseline,
            "confidence": confidence,
            "resamples": resamples,
            "seed": seed,
        },
        comparisons=comparisons,
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


def _check_baseline(baseline: str | None, chosen: Mapping[str, System]) -> None:
    if baseline is not None and baseline not in (BEST, *chosen):
        hint = suggestion(baseline, (BEST, *chosen))
        raise InputError(
            f"there is no system {baseline!r} to compare the others with{hint}; it is one of "
            f"{listed(chosen)}, or {BEST!r}."
        )


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


class _Shown:
    """What a system shows on one ladder, piece by piece."""

    def __init__(
        self, replay: Replay, values: dict[str, Tally], skip: int, min_contests: int, top: int
    ) -> None:
        self._replay, self._skip, self._min_contests, self._top = replay, skip, min_contests, top
        self._values = values
        self._of_all = self._of_few = Calibration()
        self._by_experience = np.zeros((1 + len(_ROWS), len(EXPERIENCE)))
        self._cpu_seconds = 0.0
        self._beliefs: Beliefs | None = None

    def add(self, contests: Contests, report: Report = unseen) -> None:
        """Let contests follow, and add up what was predicted of each."""
        before = self._replay.add(contests, report)
        skip = min(self._skip, len(contests))
        everybody, self._of_all = before.learned(self._of_all)
        few = everybody.experienced(self._min_contests)
        if self._min_contests > 0:
            few, self._of_few = few.learned(self._of_few)
        counted = {EXPERIENCED: few.experienced(0, skip), ALL: everybody.experienced(0, skip)}
        for players, each in counted.items():
            for part in each.in_parts(_CONTESTS_AT_ONCE):
                self._values[players].add(contest_values(part, top=self._top), part.columns.time)
        self._add_experience(counted[ALL])
        self._skip -= skip
        self._cpu_seconds += before.cpu_seconds
        self._beliefs = before.beliefs

    def _add_experience(self, everybody: Backtest) -> None:
        columns = everybody.columns
        order = columns.offsets, columns.rank, everybody.rating
        of_rows = np.stack([measures.pair_inversion(*order), measures.rank_deviation(*order)])
        known = ~np.isnan(of_rows[0])
        group = np.searchsorted(EXPERIENCE, everybody.earlier[known], side="right") - 1
        group = np.concatenate([np.arange(len(EXPERIENCE)), group])
        weights = np.vstack([np.ones(len(known)), of_rows])[:, known]
        for sums, further in zip(self._by_experience, weights, strict=True):
            # sums so far come first, so that all are added in the order of one run
            sums[:] = np.bincount(group, np.concatenate([sums, further]))

    def seen(self) -> _Seen:
        """What all of them have shown."""
        beliefs = self._beliefs
        assert beliefs is not None
        table = beliefs.table[: len(beliefs)]
        enough = table[table["contests"] > self._min_contests]
        return _Seen(
            beliefs.system,
            self._cpu_seconds,
            self._values,
            self._by_experience,
            beliefs.system.rating(enough["mu"], enough["sigma"], enough["contests"]),
            {
                EXPERIENCED: [self._of_all.temperature * self._of_few.temperature],
                ALL: [self._of_all.temperature],
            },
        )


def _together(parts: Sequence[_Seen]) -> _Seen:
    """What a system has shown on several ladders."""
    return _Seen(
        parts[0].system,
        sum(part.cpu_seconds for part in parts),
        {
            players: Tally.together([part.values[players] for part in parts])
            for players in (EXPERIENCED, ALL)
        },
        np.sum([part.by_experience for part in parts], axis=0),
        np.concatenate([part.ratings for part in parts]),
        {
            players: [each for part in parts for each in part.temperatures[players]]
            for players in (EXPERIENCED, ALL)
        },
    )


def _counted(values: Mapping[str, Tally]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "players": list(values),
            "contests": [each.contests for each in values.values()],
            "participations": [each.participations for each in values.values()],
        }
    )


@dataclass(frozen=True)
class _Drawing:
    """How sure means over contests are found to be."""

    confidence: float
    resamples: int
    seed: int


class _Measured(NamedTuple):
    """The values of a system in contests, their means, and those of resamples."""

    values: Tally
    means: dict[str, Floats]
    draws: dict[str, Floats]

    def mean(self, name: str) -> float:
        return float(self.means[name][0])

    def drawn(self, name: str) -> Floats:
        """The means of resamples; none of one contest, of which all resamples are the same."""
        found = _centred(name, (self.means, self.draws))
        return found[:0] if self.values.known(name) < 2 else found


def _tables(
    seen: Mapping[str, _Seen], baseline: str, drawing: _Drawing
) -> tuple[pl.DataFrame, pl.DataFrame, int]:
    """Values and differences with their intervals, and how many differences were tested."""
    tail = 0.5 * (1.0 - drawing.confidence)
    values = [each.values[players] for players in (EXPERIENCED, ALL) for each in seen.values()]
    drawn = iter(_resampled(values, drawing.resamples, drawing.seed))
    rows, differences, unseen = [], [], list[float]()
    for players in (EXPERIENCED, ALL):
        own = {
            label: _Measured(each.values[players], each.values[players].means(), next(drawn))
            for label, each in seen.items()
        }
        against = {name: _best(name, own) if baseline == BEST else baseline for name in MEASURES}
        for label, measured in own.items():
            for name, other in against.items():
                found = measured.mean(name), *_between(measured.drawn(name), tail)
                rows.append((players, name, label, *found))
                if label != other:
                    compared = _compared(name, measured, own[other], tail)
                    differences.append((players, name, label, other, *compared))
        if baseline == BEST:
            unseen += (
                _compared(name, own[one], own[two], tail)[-1]
                for name in MEASURES
                for one, two in itertools.combinations(own, 2)
                if against[name] not in (one, two)
            )
    texts = dict.fromkeys(("players", "measure", "system"), pl.String)
    numbers = dict.fromkeys(("low", "high"), pl.Float64)
    table = pl.DataFrame(rows, {**texts, "value": pl.Float64, **numbers}, orient="row")
    texts["against"] = pl.String
    between = pl.DataFrame(
        differences, {**texts, "difference": pl.Float64, **numbers, "p": pl.Float64}, orient="row"
    )
    p = np.array([*between["p"], *unseen])
    corrected = pl.Series(holm(p)[: between.height], dtype=pl.Float64)
    significant = (pl.col("p_holm") <= 1.0 - drawing.confidence).fill_null(value=False)
    return (
        table.fill_nan(None),
        between.with_columns(p_holm=corrected).fill_nan(None).with_columns(significant=significant),
        int(np.count_nonzero(~np.isnan(p))),
    )


def _best(name: str, own: Mapping[str, _Measured]) -> str:
    """The system with the best mean, the first of those with the same, or without any."""
    sign = -1.0 if MEASURES[name].best == "highest" else 1.0
    return min(
        own, key=lambda label: float(np.nan_to_num(sign * own[label].mean(name), nan=np.inf))
    )


def _compared(
    name: str, one: _Measured, other: _Measured, tail: float
) -> tuple[float, float, float, float]:
    """How far a system is from another: the difference, its interval, and its p-value."""
    difference = one.mean(name) - other.mean(name)
    draws = one.drawn(name), other.drawn(name)
    off = draws[0] - draws[1] if len(draws[0]) == len(draws[1]) else draws[0][:0]
    measured = one.values.says(name) | other.values.says(name)
    influences = one.values.influences(name) - other.values.influences(name)
    return difference, *_between(off, tail), paired_p(difference, influences[measured])


def _centred(name: str, means_and_draws: tuple[dict[str, Floats], dict[str, Floats]]) -> Floats:
    """Values of resamples. Those of an absolute error are on average too high, by what is removed.

    What chance adds to the calibration error of a set of contests, drawing from it adds again.
    """
    means, drawn = means_and_draws
    if name not in BINNED or np.isnan(means[name][0]):
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


def _resampled(values: Sequence[Tally], times: int, seed: int) -> list[dict[str, Floats]]:
    """Means over blocks of contests drawn with replacement; the same draws for all systems."""
    together = np.hstack([each.sums for each in values])
    sums = np.concatenate([counts @ together for counts in _draws(len(together), times, seed)])
    parts = np.split(sums, len(values), axis=1)
    return [each.means_from(part) for each, part in zip(values, parts, strict=True)]


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


def _reliability(label: str, players: str, values: Tally) -> pl.DataFrame:
    parts = []
    for name, bins in values.reliability.items():
        used = bins.pairs > 0.0
        pairs, expected, scored = (sums[used] for sums in bins)
        parts.append(
            pl.DataFrame(
                {
                    "players": pl.Series([players] * len(pairs), dtype=pl.String),
                    "system": pl.Series([label] * len(pairs), dtype=pl.String),
                    "calibrated": pl.Series([name != BINNED[0]] * len(pairs), dtype=pl.Boolean),
                    "expected": expected / pairs,
                    "scored": scored / pairs,
                    "share": pairs / pairs.sum(),
                }
            )
        )
    return pl.concat(parts)


def _over_time(label: str, values: Tally) -> pl.DataFrame:
    """Means over as many contests each, or blocks of them, at the time of the middle one."""
    by_time = np.argsort(values.times, kind="stable")
    measured = by_time[values.says("pair-inversion")[by_time]]
    parts = np.array_split(measured, min(PERIODS, len(measured))) if len(measured) else []
    counts = np.zeros((len(parts), len(values.times)))
    for row, part in zip(counts, parts, strict=True):
        row[part] = 1.0
    means = values.means(counts)
    middle = np.array([part[len(part) // 2] for part in parts], np.int64)
    return pl.DataFrame(
        {
            "system": pl.Series([label] * len(parts), dtype=pl.String),
            "time": as_column(values.times[middle]),
            "contests": pl.Series([values.ordered[part].sum() for part in parts], dtype=pl.Int64),
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
