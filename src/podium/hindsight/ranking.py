"""Static rankings: who is ahead of whom, and which places cannot be told apart."""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
import polars as pl

from podium.arguments import check_choice, check_number, check_whole
from podium.documents import as_document
from podium.errors import InputError, NotFoundError
from podium.files import as_path
from podium.hindsight import comparing, fitting
from podium.hindsight.comparing import Compared, Floats, Integers, Pairs, Rankings
from podium.markup import table as shown_table
from podium.progress import Progress, reporting
from podium.results.contests import Contests
from podium.results.options import Options, Said
from podium.texts import spelled
from podium.wording import counted, listed, suggestion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Model = Literal["bradley-terry", "davidson", "plackett-luce"]
MODELS = ("bradley-terry", "davidson", "plackett-luce")
CENTRE, POINTS = 1500.0, 400.0
"""The mean rating of a group, and the points that make a win ten times as likely as a loss."""
RIDGE = 0.1
"""What is taken where the likelihood has no maximum: scores have a spread of about three."""
MOST_PLAYERS = 3_000
_DRAWS = 2_000
"""Of all scores at once, for intervals of ranks."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """Everybody's strength, by comparisons of all kinds at once, and how sure places are.

    `podium.rank` makes it. Threads may share it.
    """

    model: str
    results: int
    """How many comparisons or rankings there are."""
    table: pl.DataFrame
    """A row for each player, the best first: `place`, `player`, `rating` with `low` and `high`,
    `score` and `error`, the logarithm of the strength and its standard error, `rank_low` and
    `rank_high`, between which all true ranks are at once, `tier`, `group`, `results`."""
    coefficients: pl.DataFrame
    """A row for each covariate, and for ties under Davidson's model: `name`, `value`, `error`,
    `low` and `high`, in the unit of scores."""
    covariance: Floats = field(repr=False)
    """Of the scores, in the order of the table."""
    ridge: float
    """0 unless it was asked for or needed."""
    groups: int
    """How many groups there are that were never compared with each other."""
    log_likelihood: float
    confidence: float
    interval: str
    """How intervals were found: "sandwich" or "bootstrap"."""
    critical: float
    """By how many standard errors two must differ to be told apart, all pairs at once."""
    unbounded: int = 0
    """Of how many groups the likelihood has no maximum without a ridge."""
    idle: tuple[str, ...] = ()
    """The covariates that were left out, as they say nothing."""

    @property
    def notes(self) -> list[str]:
        """What has to be said beside the numbers."""
        found = []
        if self.groups > 1:
            found.append(
                f"There are {self.groups} groups that were never compared with each other: places "
                f"and ratings count within a group only."
            )
        if self.unbounded:
            where = "" if self.groups == 1 else f" in {counted(self.unbounded, 'group')}"
            found.append(
                f"Some have only won or only lost{where}, against all others together or one by "
                f"one, so that no strengths are the likeliest; a ridge of {self.ridge:g} keeps "
                f"them finite, and how far apart they are is its doing."
            )
        elif self.ridge > 0.0:
            found.append(f"A ridge of {self.ridge:g} draws all scores together.")
        if self.idle:
            found.append(
                f"{listed(self.idle)} told nothing that players and other covariates do not tell "
                f"already, and {'was' if len(self.idle) == 1 else 'were'} left out."
            )
        return found

    def _place(self, player: str) -> int:
        names = self.table["player"].to_list()
        name = spelled(player, names)
        if name not in names:
            raise NotFoundError(f"there is no player {player!r}{suggestion(player, names)}.")
        return names.index(name)

    def win_probability(self, player: str, other: str) -> float:
        """The chance that `player` wins; ties count half unless they are an outcome of their own.

        Without covariates: nobody has the side.
        """
        one, two = self._place(player), self._place(other)
        if self.table["group"][one] != self.table["group"][two]:
            raise InputError(
                f"{player!r} and {other!r} were never compared, not even through others."
            )
        return float(self._wins()[one, two])

    def _wins(self) -> Floats:
        score, group = self.table["score"].to_numpy(), self.table["group"].to_numpy()
        d = score[:, None] - score
        win = 1.0 / (1.0 + np.exp(-d))
        if self.model == "davidson":
            tie = math.exp(self._tie)
            win = 1.0 / (1.0 + np.exp(-d) + tie * np.exp(-0.5 * d))
        win[group[:, None] != group] = np.nan
        np.fill_diagonal(win, np.nan)
        found: Floats = win
        return found

    @property
    def _tie(self) -> float:
        return float(self.coefficients.filter(pl.col("name") == "ties")["value"].item())

    def chances(self) -> pl.DataFrame:
        """A row for each player: the chance to win against each other, and null where unknown."""
        names = self.table["player"].to_list()
        wins = self._wins()
        columns = {name: wins[:, k] for k, name in enumerate(names)}
        return pl.DataFrame({"player": names}).hstack(
            pl.DataFrame([pl.Series(name, values) for name, values in columns.items()]).fill_nan(
                None
            )
        )

    def document(self, n: int | None = None, *, chances: bool = False) -> dict[str, Any]:
        """As JSON says it: the first `n` players, and with `chances` those of all pairs of them."""
        rows = self.table if n is None else self.table.head(n)
        found: dict[str, Any] = {
            "model": self.model,
            "results": self.results,
            "players": self.table.height,
            "groups": self.groups,
            "ridge": self.ridge,
            "log_likelihood": self.log_likelihood,
            "interval": self.interval,
            "confidence": self.confidence,
            "critical": self.critical,
            "notes": self.notes,
            "coefficients": self.coefficients.to_dicts(),
            "ranking": rows.to_dicts(),
        }
        if chances:
            names, wins = rows["player"].to_list(), self._wins()
            found["chances"] = [
                {"player": names[i], "other": names[j], "win": float(wins[i, j])}
                for i in range(len(names))
                for j in range(len(names))
                if i != j
            ]
        return as_document(found)

    def picture(self, path: "str | os.PathLike[str]", n: int | None = None) -> None:
        """Draw the ratings of the first `n` with their intervals, as a PNG."""
        from podium import pictures
        from podium.hindsight.drawing import ranking_figure

        figure: Figure = ranking_figure(self, n)
        pictures.save(figure, as_path(path))

    def __repr__(self) -> str:
        return (
            f"<Ranking of {counted(self.table.height, 'player')} by {self.model}, "
            f"{counted(self.results, 'result')}>"
        )

    def _repr_html_(self) -> str:
        columns = ["place", "player", "rating", "low", "high", "rank_low", "rank_high", "tier"]
        return shown_table(self, self.table.select(columns), digits=0)


def rank(
    results: Any,
    *,
    model: Model | None = None,
    covariates: str | Sequence[str] = (),
    ridge: float | None = None,
    interval: Literal["sandwich", "bootstrap"] = "sandwich",
    resamples: int = 500,
    confidence: float = 0.95,
    seed: int = 0,
    min_results: int = 1,
    progress: Progress | None = None,
    **options: Unpack[Said],
) -> Ranking:
    """Rank everybody by all results at once, whenever they were.

    Args:
        results: `Contests`, or a frame or a path of matches, votes or rankings, which need not say
            when they were. Votes are read as arenas write them, too: `model_a`, `model_b`, and
            `winner` as model_a, model_b or tie. A column `weight` counts, and so does `side`.
        model: "bradley-terry" for matches, where a tie is half a win and half a loss; "davidson",
            where it is an outcome of its own; "plackett-luce" for rankings of any size. The first
            if all are of two and otherwise the last, if nothing is said.
        covariates: Further columns of a frame or file, which are numbers: of a match, what speaks
            for the first of the two (of a vote on two texts, by how much the first is longer); of
            rankings, what each participant has.
        ridge: How much all scores are drawn together. If nothing is said, not at all, unless the
            likelihood has no maximum because some have won or lost all; `Ranking.notes` says so.
        interval: How intervals are found: by a "sandwich" of derivatives, which holds even if the
            model is wrong, or by a "bootstrap".
        resamples: How often the bootstrap draws.
        confidence: Of intervals of ratings one by one, and of those of ranks all at once.
        seed: What draws of the bootstrap and for ranks follow from.
        min_results: Leave out whoever has fewer results; of one or two, nobody knows how sure they
            make a place.
        progress: True for a bar, or a function that is told the resamples done and all of them.
        **options: How a frame or file is read, as for `podium.read`.

    Example:
        >>> import podium, polars as pl
        >>> votes = pl.DataFrame({
        ...     "model_a": ["owl", "owl", "elk", "fox", "owl", "elk"],
        ...     "model_b": ["elk", "fox", "fox", "owl", "elk", "owl"],
        ...     "winner": ["model_a", "model_a", "tie", "model_a", "tie", "model_b"],
        ... })
        >>> found = podium.rank(votes)
        >>> found.table["player"].to_list()
        ['owl', 'fox', 'elk']
        >>> found.table.select("rank_low", "rank_high").row(0)  # too few to tell
        (1, 3)
        >>> round(found.win_probability("owl", "elk"), 2)
        0.77
    """
    named = (covariates,) if isinstance(covariates, str) else tuple(covariates)
    compared = _compared(results, options, named)
    return ranked(
        compared,
        model=model,
        ridge=ridge,
        interval=interval,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
        min_results=min_results,
        progress=progress,
    )


def ranked(
    compared: Compared,
    *,
    model: str | None = None,
    ridge: float | None = None,
    interval: str = "sandwich",
    resamples: int = 500,
    confidence: float = 0.95,
    seed: int = 0,
    min_results: int = 1,
    progress: Progress | None = None,
) -> Ranking:
    """Rank what was compared; arguments as for `rank`."""
    check_choice("interval", interval, ("sandwich", "bootstrap"))
    check_number(0.5, 0.9999, confidence=confidence)
    check_whole(10, resamples=resamples)
    check_whole(1, min_results=min_results)
    check_whole(0, seed=seed)
    if ridge is not None:
        check_number(0.0, ridge=ridge)
    compared = _modelled(comparing.with_enough(compared, min_results), model)
    _refuse_too_many(compared)
    group = fitting.groups_of(compared)
    without = fitting.unbounded(compared, group)
    needed = ridge is None and bool(without.any())
    if ridge == 0.0 and without.any():
        raise InputError(
            f"some have only won or only lost, so that without a ridge no strengths are the "
            f"likeliest; leave ridge out, which takes {RIDGE:g}, or say how much."
        )
    drawn_together = RIDGE if needed else ridge or 0.0
    idle = fitting.idle(compared, drawn_together)
    left_out = tuple(compress(compared.covariates, idle))
    if left_out:
        compared = comparing.with_covariates(compared, ~idle)
    found = fitting.fit(compared, group, drawn_together)
    draws: Floats | None = None
    covariance = found.sandwich
    if interval == "bootstrap":
        with reporting(progress, "Resampling") as report:
            draws = fitting.resampled(compared, found, group, resamples, seed, report)
        covariance = np.asarray(np.cov(draws.T), np.float64).reshape(covariance.shape)
    limits = _limits(found.theta, covariance, draws, confidence)
    players = len(compared.names)
    if draws is None:
        around = fitting.drawn(covariance, group, _DRAWS, seed)
    else:
        around = draws[:, :players] - found.theta[:players]
    errors = _errors_of_differences(covariance[:players, :players])
    critical = fitting.critical(np.ascontiguousarray(around), errors, group, confidence)
    order = _order(found.theta[:players], group, compared.names)
    return Ranking(
        model=_name_of(compared),
        results=compared.results,
        table=_table(compared, found.theta, covariance, limits, errors * critical, group, order),
        coefficients=_coefficients(compared, found.theta, covariance, limits),
        covariance=covariance[:players, :players][np.ix_(order, order)],
        ridge=found.ridge,
        groups=int(group.max()) + 1,
        log_likelihood=found.likelihood,
        confidence=confidence,
        interval=interval,
        critical=critical,
        unbounded=int(without.sum()) if found.ridge > 0.0 else 0,
        idle=left_out,
    )


def _compared(results: Any, options: Said, covariates: Sequence[str]) -> Compared:
    if isinstance(results, Contests):
        if covariates or options:
            raise InputError(
                "covariates and options of reading are for a frame or a file; of Contests, the "
                "side is the only covariate."
            )
        return comparing.of_contests(results)
    said = Options.of(options)
    is_path = isinstance(results, str | os.PathLike) or (
        isinstance(results, list | tuple)
        and all(isinstance(each, str | os.PathLike) for each in results)
    )
    if is_path:
        return comparing.of_files(results, said, covariates)[0]
    return comparing.of_frame(results, said, covariates)


def _modelled(compared: Compared, model: str | None) -> Compared:
    """What was compared, as the model takes it."""
    if model is not None:
        check_choice("model", model, MODELS)
    if compared.results == 0 or len(compared.names) < 2:
        raise InputError("there is nothing to compare: no result has two players.")
    if isinstance(compared, Rankings):
        if model in (None, "plackett-luce"):
            return compared
        raise InputError(
            f"{model} is for results of two, and some here are of more; plackett-luce takes them."
        )
    if model == "plackett-luce":
        return _as_rankings(compared)
    if model != "davidson":
        return compared
    if not np.isin(compared.score, (0.0, 0.5, 1.0)).all():
        raise InputError("davidson knows wins, ties and losses, and some scores are between them.")
    tied = compared.score == 0.5
    if not tied.any() or tied.all():
        what = "no ties" if not tied.any() else "nothing but ties"
        raise InputError(f"there are {what}, so davidson has nothing to learn of them.")
    return replace(compared, ties=True)


def _as_rankings(pairs: Pairs) -> Rankings:
    """Comparisons of two as rankings of two, the same many times by weight."""
    if not np.isin(pairs.score, (0.0, 0.5, 1.0)).all():
        raise InputError("plackett-luce knows ranks, and some scores are between a win and a loss.")
    lost = pairs.score == 0.0
    above = np.where(lost, pairs.second, pairs.first)
    below = np.where(lost, pairs.first, pairs.second)
    sign = np.where(lost, -0.5, 0.5)[:, None]
    rows = np.repeat(np.arange(len(lost)), pairs.count)
    count = len(rows)
    player = np.stack([above, below], axis=1)[rows].ravel()
    rank = np.stack([np.ones(len(lost)), np.where(pairs.score == 0.5, 1, 2)], axis=1)[rows].ravel()
    x = np.stack([sign * pairs.x, -sign * pairs.x], axis=1)[rows].reshape(2 * count, -1)
    offsets = 2 * np.arange(count + 1)
    return Rankings(
        pairs.names, offsets, player, rank.astype(np.int64), x, pairs.single[rows], pairs.covariates
    )


def _name_of(compared: Compared) -> str:
    if isinstance(compared, Rankings):
        return "plackett-luce"
    return "davidson" if compared.ties else "bradley-terry"


def _refuse_too_many(compared: Compared) -> None:
    if len(compared.names) > MOST_PLAYERS:
        raise InputError(
            f"there are {len(compared.names):,} players, and a static ranking compares each with "
            f"each, up to {MOST_PLAYERS:,}; podium rate and podium look-back take any number."
        )


def _errors_of_differences(covariance: Floats) -> Floats:
    """The standard errors of all differences of two scores."""
    own = np.diag(covariance)
    found: Floats = np.sqrt(np.maximum(own[:, None] + own - 2.0 * covariance, 0.0))
    return found


def _limits(
    theta: Floats, covariance: Floats, draws: Floats | None, confidence: float
) -> tuple[Floats, Floats]:
    """Between what every parameter is, one by one."""
    if draws is not None:
        tail = 0.5 * (1.0 - confidence)
        low, high = np.quantile(draws, (tail, 1.0 - tail), axis=0)
        return low, high
    reach = NormalDist().inv_cdf(0.5 + 0.5 * confidence) * np.sqrt(np.diag(covariance))
    return theta - reach, theta + reach


def _order(score: Floats, group: Integers, names: list[str]) -> Integers:
    """The largest group first, in it the best, and names where scores are the same."""
    sizes = np.bincount(group)
    return np.lexsort((np.arange(len(names)), -score, group, -sizes[group]))


def _table(
    compared: Compared,
    theta: Floats,
    covariance: Floats,
    limits: tuple[Floats, Floats],
    apart: Floats,
    group: Integers,
    order: Integers,
) -> pl.DataFrame:
    score = theta[: len(order)]
    same = group[:, None] == group
    # j is significantly better than i; where nothing is known of a difference, nothing is
    better = same & (score - score[:, None] > apart) & (apart > 0.0)
    sizes = np.bincount(group)[group]
    place = 1 + (same & (score > score[:, None])).sum(axis=1)
    number = _numbered(group[order])
    unit = POINTS / math.log(10.0)
    low, high = (CENTRE + unit * each[: len(order)] for each in limits)
    rating = CENTRE + unit * score
    columns = {
        "place": place[order],
        "player": [compared.names[k] for k in order],
        "rating": rating[order],
        "low": low[order],
        "high": high[order],
        "score": score[order],
        "error": np.sqrt(np.diag(covariance))[: len(order)][order],
        "rank_low": (1 + better.sum(axis=1))[order],
        "rank_high": (sizes - better.sum(axis=0))[order],
        "tier": _tiers(better[np.ix_(order, order)], number),
        "group": number,
        "results": compared.appearances()[order],
    }
    return pl.DataFrame(columns)


def _numbered(group: Integers) -> Integers:
    """Groups by the order in which they come, from 1 on."""
    found: Integers = np.cumsum(np.concatenate([[1], (np.diff(group) != 0).astype(np.int64)]))
    return found


def _tiers(better: Any, group: Integers) -> list[int]:
    """A tier ends where the next is significantly below its best."""
    found, best = [], 0
    for k in range(len(group)):
        if k > 0 and group[k] != group[k - 1]:
            found.append(1)
            best = k
            continue
        new = k > 0 and bool(better[k, best])
        found.append((found[-1] if found else 1) + new)
        best = k if new else best
    return found


def _coefficients(
    compared: Compared, theta: Floats, covariance: Floats, limits: tuple[Floats, Floats]
) -> pl.DataFrame:
    names = [*compared.covariates, *["ties"] * compared.ties]
    rest = slice(len(compared.names), None)
    return pl.DataFrame(
        {
            "name": pl.Series(names, dtype=pl.String),
            "value": theta[rest],
            "error": np.sqrt(np.diag(covariance))[rest],
            "low": limits[0][rest],
            "high": limits[1][rest],
        }
    )


def summary(ranking: Ranking) -> str:
    """What was ranked, in a line."""
    what = counted(ranking.results, "ranking" if ranking.model == "plackett-luce" else "result")
    parts = [f"{what} of {counted(ranking.table.height, 'player')}, {ranking.model}"]
    for row in ranking.coefficients.iter_rows(named=True):
        parts.append(f"{row['name']} {row['value']:+.3f} ± {row['error']:.3f}")
    return ", ".join(parts)
