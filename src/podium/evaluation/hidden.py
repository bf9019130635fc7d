"""Hidden results: what ratings before a contest say of them, curves between, and looking back.

Some results are hidden: it is known who took part, not how it ended. All else is rated. Every
belief about those who are hidden is scored against all others of their contest, on the same hidden
results: that before the contest, as an online system has it; that between the ratings after the
contests before and after it; and that of looking back.

Example:
    >>> import podium
    >>> contests = podium.simulate(players=60, rounds=40, participation=0.5, seed=1)
    >>> found = evaluate_hidden(contests, "elo-mmr", share=0.1)
    >>> found.table["belief"].unique(maintain_order=True).to_list()
    ['elo-mmr, before', 'elo-mmr, between', 'look back']
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.arguments import check_number, check_whole
from podium.documents import as_document
from podium.errors import InputError
from podium.evaluation import measures
from podium.evaluation.comparison import labelled
from podium.hindsight.looking import log_losses, tuned_for
from podium.hindsight.smoothing import Chains, Parameters, smoothed
from podium.numerics.columns import competition_ranks
from podium.numerics.factors import SCALE
from podium.progress import Progress, Report, part_of, reporting
from podium.ratings.before import folded
from podium.ratings.beliefs import Beliefs
from podium.ratings.calibration import Before
from podium.ratings.fold import ready_to_fold
from podium.results.columns import Columns
from podium.results.contests import Contests
from podium.systems.base import EVENTS, Field, System

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]

LOOK_BACK = "look back"
MEASURES = ("pair-inversion", "rank-deviation", "log-loss")
_OTHERS = 64
"""Opponents of a hidden result that log loss looks at, chosen by who they are."""


@dataclass(frozen=True, eq=False)
class HiddenEvaluation:
    """How well hidden results were predicted, by every kind of belief."""

    table: pl.DataFrame
    """A row for each measure of each belief: `players` (experienced or all), `measure`, `belief`,
    `value`, `low`, `high`."""
    hidden: int
    """How many results were hidden: participations, or matches."""
    contests: int
    """In how many contests."""
    settings: dict[str, Any]
    parameters: Parameters
    """Of looking back."""

    def document(self) -> dict[str, Any]:
        """As JSON says it."""
        p = self.parameters
        names = (each for each in p.__dataclass_fields__ if each not in ("robust", "longest"))
        return as_document(
            {
                "hidden": self.hidden,
                "contests": self.contests,
                "settings": self.settings,
                "parameters": {name: getattr(p, name) for name in names},
                "measures": self.table.to_dicts(),
            }
        )


class _Believed(NamedTuple):
    """What is believed of every row that matters, and of pairs of them."""

    rating: Floats
    expected: Floats
    """Of every pair, the score of the hidden one."""


class _Pairs(NamedTuple):
    """Hidden rows, each with some others of its contest."""

    contest: Integers
    hidden: Integers
    other: Integers
    score: Floats


def evaluate_hidden(
    contests: Contests,
    systems: str | System | Sequence[str | System] = "elo-mmr",
    *,
    share: float = 0.03,
    tune: bool = False,
    min_contests: int = 5,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
) -> HiddenEvaluation:
    """Hide some results, and say how well all beliefs predict them.

    Args:
        contests: What happened.
        systems: Those whose beliefs are scored beside looking back.
        share: How many of the participations are hidden; of matches of two, whole matches.
        tune: Whether looking back looks for its parameters, without the hidden results.
        min_contests: Who has so many contests before is experienced.
        confidence: Of intervals, from contests resampled with replacement.
        resamples: How often.
        seed: What hiding and resampling follow from.
        progress: True for a bar, or a function that is told the part done and the whole.
    """
    check_number(0.0, 0.5, share=share)
    check_number(0.5, 0.9999, confidence=confidence)
    check_whole(0, min_contests=min_contests, seed=seed)
    check_whole(2, resamples=resamples)
    chosen = labelled(systems)
    team = contests.columns.team
    if team is not None and bool(np.any(team >= 0)):
        raise InputError("there are teams; --ignore-teams takes every player alone.")
    hidden = hide(contests, share, seed)
    if not hidden.any():
        raise InputError(
            f"a share of {share:g} hides none of {contests.rows:,} participations; say more."
        )
    chains = Chains.of(contests.columns, len(contests.players))
    pairs = _pairs(contests, hidden, chains)
    believed: dict[str, _Believed] = {}
    with reporting(progress, "Evaluating") as report:
        for place, (label, system) in enumerate(chosen.items()):
            part = part_of(report, place, len(chosen) + 1)
            believed |= _online(contests, hidden, chains, system, label, pairs, part)
        part = part_of(report, len(chosen), len(chosen) + 1)
        parameters = Parameters()
        if tune:
            parameters = tuned_for(contests, chains, parameters, hidden=hidden)
        believed[LOOK_BACK] = _look_back(contests, hidden, chains, parameters, pairs, part)
    earlier = _visible_before(contests.columns, hidden)
    draws = _draws(len(contests), hidden, chains, resamples, seed)
    rows = []
    for players, least in (("experienced", min_contests), ("all", 0)):
        counted = hidden & (earlier >= least)
        for label, each in believed.items():
            for measure, found in _scored(contests, counted, chains, each, pairs, draws):
                value, drawn = found
                tail = 0.5 * (1.0 - confidence)
                known = drawn[~np.isnan(drawn)]
                low, high = np.quantile(known, (tail, 1.0 - tail)) if len(known) else (np.nan,) * 2
                rows.append((players, measure, label, value, float(low), float(high)))
    texts = dict.fromkeys(("players", "measure", "belief"), pl.String())
    schema = {**texts, **dict.fromkeys(("value", "low", "high"), pl.Float64())}
    of_matches = np.diff(contests.columns.offsets)[chains.contest] == 2
    return HiddenEvaluation(
        pl.DataFrame(rows, schema, orient="row").fill_nan(None),
        int(hidden[~of_matches].sum() + hidden[of_matches].sum() // 2),
        len(np.unique(chains.contest[hidden])),
        {"share": share, "tune": tune, "min_contests": min_contests, "confidence": confidence,
         "resamples": resamples, "seed": seed},
        parameters,
    )  # fmt: skip


def hide(contests: Contests, share: float, seed: int) -> Booleans:
    """Which rows are hidden: each with the same chance, and both of a match together.

    Rows are numbered by name, so that results choose nothing.
    """
    c = contests.columns
    draws = np.random.default_rng(seed).random(len(c.player))
    contest = np.repeat(np.arange(len(contests)), np.diff(c.offsets))
    by_name = np.empty(len(draws))
    by_name[np.lexsort((c.player, contest))] = draws
    sizes = np.diff(c.offsets)
    of_match = sizes[contest] == 2
    first = c.offsets[:-1][contest]
    least = np.minimum(by_name[first], by_name[np.minimum(first + 1, len(draws) - 1)])
    # the lesser of two is below x with chance 1 - (1 - x)²
    limit = np.where(of_match, 1.0 - np.sqrt(1.0 - share), share)
    found: Booleans = np.where(of_match, least, by_name) < limit
    return found & (sizes[contest] > 1)


def _visible_before(columns: Columns, hidden: Booleans) -> Integers:
    """How many results of the player before a row are known."""
    order = np.lexsort((np.arange(len(hidden)), columns.player))
    seen = (~hidden)[order].astype(np.int64)
    total = np.cumsum(seen) - seen
    player = columns.player[order]
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = np.diff(player) != 0
    start = np.maximum.accumulate(np.where(is_first, np.arange(len(order)), 0))
    out = np.empty(len(order), np.int64)
    out[order] = total - total[start]
    return out


def _pairs(contests: Contests, hidden: Booleans, chains: Chains) -> _Pairs:
    """Every hidden row with up to so many others, who stand in a ring by name."""
    c = contests.columns
    ring = np.lexsort((c.player, chains.contest))
    place = np.empty(len(ring), np.int64)
    place[ring] = np.arange(len(ring))
    rows = np.flatnonzero(hidden)
    contest = chains.contest[rows].astype(np.int64)
    start, size = c.offsets[contest], np.diff(c.offsets)[contest]
    # of a match, once is enough
    keep = (size > 2) | (rows == start)
    rows, contest, start, size = rows[keep], contest[keep], start[keep], size[keep]
    count = np.minimum(size - 1, _OTHERS)
    stride = np.maximum((size - 1) // _OTHERS, 1)
    which = np.repeat(np.arange(len(rows)), count)
    step = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count) + 1
    at = (place[rows[which]] - start[which] + step * stride[which]) % size[which] + start[which]
    a, b = rows[which], ring[at]
    score = 0.5 + 0.5 * np.sign(c.rank[b].astype(np.int64) - c.rank[a])
    if c.score is not None:
        given = c.score[contest[which]]
        score = np.where(np.isnan(given), score, np.where(a < b, given, 1.0 - given))
    return _Pairs(contest[which], a, b, score)


def _look_back(
    contests: Contests, hidden: Booleans, chains: Chains, parameters: Parameters, pairs: _Pairs,
    report: Report,
) -> _Believed:  # fmt: skip
    found = smoothed(contests.columns, chains, parameters, hidden=hidden, report=report)
    mean, sigma = found.cavities
    a, b = pairs.hidden, pairs.other
    c = contests.columns
    ahead = mean[a] - mean[b]
    if c.side is not None:
        is_match = (np.diff(c.offsets) == 2)[pairs.contest]
        side = 0.5 * (c.side[a].astype(np.float64) - c.side[b])
        ahead = ahead + np.where(is_match, found.advantage * side, 0.0)
    spread = SCALE * np.sqrt(sigma[a] ** 2 + sigma[b] ** 2 + 2.0 * parameters.beta**2)
    return _Believed(mean, 1.0 / (1.0 + np.exp(-ahead / spread)))


def _online(
    contests: Contests, hidden: Booleans, chains: Chains, system: System, label: str,
    pairs: _Pairs, report: Report,
) -> dict[str, _Believed]:  # fmt: skip
    """What a system believes before contests, and between the ratings after those around."""
    state, columns = ready_to_fold(contests, system, None, {})
    rows = contests.rows
    mu, sigma, after = np.full(rows, np.nan), np.full(rows, np.nan), np.full(rows, np.nan)
    expected = np.full(len(contests), np.nan)
    for first, last in _stretches(hidden, chains, len(contests)):
        here = slice(columns.offsets[first], columns.offsets[last])
        own = columns.between(first, last)
        if hidden[here].any():
            mu[here], sigma[here], known = _asked(state, own)
            own, kept = _without(own, hidden[here])
            if known is not None:
                expected[first:last] = known
        else:
            kept = np.arange(here.stop - here.start)
            mu[here], sigma[here] = np.nan, np.nan
        if len(own.player):
            events = np.empty((len(EVENTS), len(own.player)))
            system.update_many(state, own, events, threads=1)
            after[here.start + kept] = events[3]
        report(int(columns.offsets[last]), rows)
    rating = mu.copy()
    asked = ~np.isnan(mu)
    field = Field(mu[asked], sigma[asked] ** 2, np.ones(int(asked.sum()), np.int64))
    rating[asked] = system.performances(field).location
    own_way = type(system).backtest is not System.backtest
    named = contests.columns
    everybody = Field(mu, sigma**2, np.ones(rows, np.int64))
    before = Before(system, named, everybody, expected if own_way else None)
    chance = before.expected_scores(pairs.contest, pairs.hidden, pairs.other, None)[0]
    found = {f"{label}, before": _Believed(rating, _of_first(chance, pairs, own_way))}
    if not own_way:
        between = _between(contests, hidden, after, mu)
        there = Before(system, named, everybody._replace(mu=between), None)
        chance = there.expected_scores(pairs.contest, pairs.hidden, pairs.other, None)[0]
        found[f"{label}, between"] = _Believed(between, chance)
    return found


def _of_first(chance: Floats, pairs: _Pairs, of_match: bool) -> Floats:
    """The chance of the hidden one, where that of a match is of its first row."""
    return np.where(pairs.hidden < pairs.other, chance, 1.0 - chance) if of_match else chance


def _stretches(hidden: Booleans, chains: Chains, contests: int) -> Iterator[tuple[int, int]]:
    """Contests with a hidden row one by one, and those between them together."""
    some = np.unique(chains.contest[hidden])
    bounds = np.unique(np.concatenate([[0], some, some + 1, [contests]]))
    yield from zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)


def _asked(state: Beliefs, contest: Columns) -> tuple[Floats, Floats, Floats | None]:
    """What is believed of a contest; that it takes place changes a copy only."""
    part = state.part(contest.player)
    own = contest._replace(player=np.arange(len(contest.player), dtype=np.int32))
    events = np.empty((len(EVENTS), len(contest.player)))
    mu, sigma, known = folded(part, own, events, threads=1)
    return mu.copy(), sigma.copy(), known


def _without(contest: Columns, hidden: Booleans) -> tuple[Columns, Integers]:
    """A contest without some of its rows, and which are left; nothing if fewer than two are."""
    kept = np.flatnonzero(~hidden)
    if len(kept) < 2:
        kept = kept[:0]
    offsets = np.array([0, len(kept)])
    if not len(kept):
        offsets = np.array([0])
        return contest.take(slice(0, 0), kept, offsets), kept
    left = contest.take(slice(0, 1), kept, offsets)
    return left._replace(rank=competition_ranks(offsets, left.rank)), kept


def _between(contests: Contests, hidden: Booleans, after: Floats, before: Floats) -> Floats:
    """Of every row, what ratings after the player's contests before and after it say between them.

    Where there is one of them only, that; and where there is none, what is believed of a newcomer.
    """
    c = contests.columns
    contest = np.repeat(np.arange(len(contests)), np.diff(c.offsets))
    order = np.lexsort((np.arange(len(hidden)), c.player))
    time, value = c.time[contest][order].astype(np.float64), after[order]
    player, place = c.player[order], np.arange(len(order))
    seen = ~np.isnan(value)
    previous = np.maximum.accumulate(np.where(seen, place, -1))
    previous = np.concatenate([[-1], previous[:-1]])
    following = np.minimum.accumulate(np.where(seen, place, len(order))[::-1])[::-1]
    following = np.concatenate([following[1:], [len(order)]])
    has_past = (previous >= 0) & (player[np.maximum(previous, 0)] == player)
    last = len(order) - 1
    has_future = (following <= last) & (player[np.minimum(following, last)] == player)
    p, f = np.maximum(previous, 0), np.minimum(following, last)
    span = np.where(time[f] > time[p], time[f] - time[p], 1.0)
    part = np.clip((time - time[p]) / span, 0.0, 1.0)
    found = np.where(has_past, value[p], np.where(has_future, value[f], before[order]))
    found = np.where(has_past & has_future, (1.0 - part) * value[p] + part * value[f], found)
    out = np.empty(len(order))
    out[order] = found
    return out


def _draws(
    contests: int, hidden: Booleans, chains: Chains, times: int, seed: int
) -> NDArray[np.int64]:
    """How often each contest with something hidden is drawn, a row for each resample."""
    some = np.unique(chains.contest[hidden])
    draws = np.random.default_rng(seed)
    counts = np.zeros((times, contests), np.int64)
    for row in counts:
        row[some] = np.bincount(draws.integers(len(some), size=len(some)), minlength=len(some))
    return counts


def _scored(
    contests: Contests, counted: Booleans, chains: Chains, believed: _Believed, pairs: _Pairs,
    draws: NDArray[np.int64],
) -> Iterator[tuple[str, tuple[float, Floats]]]:  # fmt: skip
    """The mean of every measure over hidden rows, and those of resamples."""
    c = contests.columns
    some = np.unique(chains.contest[counted])
    rows = np.flatnonzero(np.isin(chains.contest, some))
    offsets = np.concatenate([[0], np.cumsum(np.diff(c.offsets)[some])])
    rank, rating = c.rank[rows], believed.rating[rows]
    of_rows = {
        "pair-inversion": measures.pair_inversion(offsets, rank, rating),
        "rank-deviation": measures.rank_deviation(offsets, rank, rating),
    }
    for name, values in of_rows.items():
        use = counted[rows] & ~np.isnan(values)
        yield name, _mean(chains.contest[rows[use]], values[use], len(contests), draws)
    use = counted[pairs.hidden]
    losses = log_losses(pairs.score[use], believed.expected[use])
    row = pairs.hidden[use]
    count = np.bincount(row, minlength=contests.rows)
    sums = np.bincount(row, losses, contests.rows)
    met = np.flatnonzero(count)
    yield "log-loss", _mean(chains.contest[met], sums[met] / count[met], len(contests), draws)


def _mean(
    contest: NDArray[np.int32], values: Floats, contests: int, draws: NDArray[np.int64]
) -> tuple[float, Floats]:
    """The mean of values, and of resampled contests."""
    sums, counts = np.bincount(contest, values, contests), np.bincount(contest, minlength=contests)
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn = (draws * sums).sum(axis=1) / (draws * counts).sum(axis=1)
        return float(sums.sum() / counts.sum()) if counts.sum() else np.nan, drawn
