"""Looking back: how good everybody was at any time, given all that came before and after."""

import datetime
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.arguments import check_choice, check_number, check_whole
from podium.documents import as_document
from podium.errors import InputError, NotFoundError
from podium.files import as_path
from podium.hindsight.smoothing import (
    MICROSECONDS_PER_DAY,
    Chains,
    Floats,
    Parameters,
    Smoothed,
    sides_and_scores,
    smoothed,
)
from podium.markup import table as shown_table
from podium.numerics import histories as kernels
from podium.numerics.factors import SCALE
from podium.progress import Progress, Report, part_of, reporting, unseen
from podium.results.contests import Contests
from podium.results.times import Time, as_column, from_microseconds, to_microseconds
from podium.texts import spelled
from podium.wording import counted, listed, suggestion

_LEAST_CHANCE = 1e-12
_LARGEST = 1e6
"""Of all parameters: beyond, points say nothing."""
_FAR_APART = 3.0
"""Years between two dates from which on a comparison has to be taken with care."""
_SEARCHED = ("q", "drift", "early_drift", "beta")
_FACTORS = (3.0, 1.5)
"""By what parameters are changed while they are looked for, first and then."""
_LEVELS = 100
"""Parts of time, each with a level of its own."""
_TUNED_HALVES, _FEW_ROWS = (8, 40), 300_000
"""Half sweeps for each trial, at most: where pools rarely meet, fewer would prefer parameters that
settle sooner. Of more rows than those, the first number, as large contests settle soon."""


@dataclass(frozen=True)
class Meeting:
    """What would have come of a meeting of two, each as good as at some time."""

    player: str
    at: datetime.datetime
    estimate: float
    sigma: float
    other: str
    other_at: datetime.datetime
    other_estimate: float
    other_sigma: float
    win: float
    """The chance that `player` wins, a tie counted half."""
    stronger: float
    """The chance that `player` was the stronger one."""
    caveat: str | None
    """What has to be said beside it, if they are years apart."""

    def document(self) -> dict[str, Any]:
        """As JSON says it."""
        return as_document({name: getattr(self, name) for name in self.__dataclass_fields__})


@dataclass(frozen=True, eq=False)
class LookBack:
    """Everybody's skill at every time, by all results, earlier and later.

    `podium.look_back` makes it. These are no ratings that count: what comes later changes them.
    Threads may share it.
    """

    contests: Contests = field(repr=False)
    parameters: Parameters
    tuned: bool
    smoothed: Smoothed = field(repr=False)
    chains: Chains = field(repr=False)

    @property
    def halves(self) -> int:
        """How many half sweeps it took."""
        return self.smoothed.halves

    @property
    def moved(self) -> float:
        """By how many points estimates moved in the last of them, the root of the mean square."""
        return self.smoothed.moved

    @property
    def settled(self) -> bool:
        """Whether that is less than 1 % of the mean uncertainty."""
        return self.smoothed.settled

    @property
    def advantage(self) -> float:
        """What the side is worth in matches, in points."""
        return self.smoothed.advantage

    @cached_property
    def log_loss(self) -> float:
        """Of every result by all others, over pairs; NaN if nobody met anybody."""
        return cavity_loss(self.contests, self.smoothed, self.parameters.beta)

    @property
    def summary(self) -> str:
        """What was done, and how far it moved last."""
        how = "settled" if self.settled else "not settled, so take it with care,"
        said = (
            f"{counted(len(self.contests), 'contest')}, "
            f"{counted(self.contests.rows, 'participation')}: {how} after "
            f"{counted(self.halves, 'half sweep')}, the last of which moved estimates by "
            f"{self.moved:.2g} points"
        )
        if np.isfinite(self.contests.columns.perf_ceiling).any():
            said += "; ceilings of performances are not looked at"
        if np.isnan(self.log_loss):
            return f"{said}; nobody met anybody"
        return f"{said}; log loss of each result by all others {self.log_loss:.4f}"

    @property
    def table(self) -> pl.DataFrame:
        """A row for each participation, in order of time.

        `estimate` and `sigma` are by all results, `without` and `without_sigma` by all but this
        one, `believed` and `believed_sigma` by those until then, on the level of today.
        """
        return self._rows(slice(None))

    def _rows(self, rows: "slice | NDArray[np.int64]") -> pl.DataFrame:
        c = self.contests.columns
        contest = self.chains.contest[rows]
        part = replace(self.smoothed, state=self.smoothed.state[rows])
        estimate, sigma = part.estimates
        without, without_sigma = part.cavities
        believed = self.smoothed.filtered
        assert believed is not None
        return pl.DataFrame(
            {
                "contest": self.contests.ids.gather(contest),
                "time": as_column(c.time[contest]),
                "player": self.contests.players.gather(c.player[rows]),
                "rank": c.rank[rows],
                "estimate": estimate,
                "sigma": sigma,
                "without": without,
                "without_sigma": without_sigma,
                "believed": believed[0][rows],
                "believed_sigma": believed[1][rows],
            }
        )

    def _id(self, player: str) -> int:
        names = self.contests.players.to_list()
        name = spelled(player, names)
        if name not in names:
            raise NotFoundError(f"there is no player {player!r}{suggestion(player, names)}.")
        return names.index(name)

    def _rows_of(self, player: str) -> NDArray[np.int64]:
        return np.flatnonzero(self.contests.columns.player == self._id(player))

    def player(self, player: str) -> pl.DataFrame:
        """The participations of one player, as in `table`."""
        return self._rows(self._rows_of(player)).drop("player")

    def curve(self, player: str, times: Sequence[Time] | None = None) -> pl.DataFrame:
        """Estimate and sigma of one player on dates, also between contests.

        Args:
            player: Who.
            times: The dates; if nothing is said, about 200 from the first contest to the last.

        Before the debut nothing is known, and the values are null.
        """
        rows = self._rows_of(player)
        own = self.contests.columns.time[self.chains.contest[rows]]
        if times is None:
            moments = np.unique(np.append(np.linspace(own[0], own[-1], 200).astype(np.int64), own))
        else:
            moments = np.array([to_microseconds(each) for each in times], np.int64)
        mean, sigma = self._at(rows, own, moments)
        return pl.DataFrame(
            {"time": as_column(moments), "estimate": mean, "sigma": sigma}
        ).with_columns(pl.col("estimate", "sigma").fill_nan(None))

    def _at(
        self, rows: NDArray[np.int64], own: NDArray[np.int64], moments: NDArray[np.int64]
    ) -> tuple[Floats, Floats]:
        """What past and future say together of moments between the participations of a player.

        What a skill gains from one contest to the next, it gains evenly.
        """
        state, p = self.smoothed.state, self.parameters
        place = np.searchsorted(own, moments, "right") - 1
        last, following = rows[np.maximum(place, 0)], np.minimum(place + 1, len(rows) - 1)
        later = rows[following]
        gone = (moments - own[np.maximum(place, 0)]) / MICROSECONDS_PER_DAY
        is_last = place == len(rows) - 1
        span = np.where(is_last, 1.0, (own[following] - own[np.maximum(place, 0)]))
        share = np.where(is_last, 0.0, gone * MICROSECONDS_PER_DAY / np.where(span > 0, span, 1.0))
        pace = p.drift + p.early_drift / (1.0 + (self.chains.number[last] + 1) / 20.0)
        until = np.where(
            is_last, pace * np.minimum(gone, p.longest), share * self.smoothed.noise[later]
        )
        rest = np.where(is_last, 0.0, (1.0 - share) * self.smoothed.noise[later])
        past_pi = state[last, kernels.F_PI] + state[last, kernels.W]
        past_tau = state[last, kernels.F_TAU] + state[last, kernels.T]
        future_pi = np.where(is_last, 0.0, state[later, kernels.B_PI] + state[later, kernels.W])
        future_tau = np.where(is_last, 0.0, state[later, kernels.B_TAU] + state[later, kernels.T])
        past_factor, future_factor = 1.0 / (1.0 + past_pi * until), 1.0 / (1.0 + future_pi * rest)
        pi = past_pi * past_factor + future_pi * future_factor
        mean = (past_tau * past_factor + future_tau * future_factor) / pi
        unknown = place < 0
        return np.where(unknown, np.nan, mean), np.where(unknown, np.nan, 1.0 / np.sqrt(pi))

    def met(
        self, player: str, other: str, at: Time, other_at: Time | None = None, *, side: float = 0.0
    ) -> Meeting:
        """What would have come of a meeting, at one time or each at a time of their own.

        Args:
            player: The one.
            other: The other.
            at: When, as `player` was then.
            other_at: As `other` was at another time; the same if nothing is said.
            side: 1 if `player` has the side, -1 if `other` has.
        """
        check_number(-1.0, 1.0, side=side)
        moments = [to_microseconds(each) for each in (at, at if other_at is None else other_at)]
        found = []
        for name, moment in zip((player, other), moments, strict=True):
            rows = self._rows_of(name)
            own = self.contests.columns.time[self.chains.contest[rows]]
            mean, sigma = self._at(rows, own, np.array([moment]))
            if np.isnan(mean[0]):
                first = from_microseconds(int(own[0]))
                raise InputError(
                    f"{name!r} was first seen on {first:%Y-%m-%d}, so nothing is known of "
                    f"{from_microseconds(moment):%Y-%m-%d}."
                )
            found.append((float(mean[0]), float(sigma[0])))
        (m, s), (n, t) = found
        spread = SCALE * np.sqrt(s * s + t * t + 2.0 * self.parameters.beta**2)
        ahead = m - n + side * self.advantage
        years = abs(moments[0] - moments[1]) / MICROSECONDS_PER_DAY / 365.25
        return Meeting(
            self.contests.players[self._id(player)],
            from_microseconds(moments[0]),
            m,
            s,
            self.contests.players[self._id(other)],
            from_microseconds(moments[1]),
            n,
            t,
            float(1.0 / (1.0 + np.exp(-ahead / spread))),
            NormalDist().cdf((m - n) / float(np.hypot(s, t))),
            _caveat(years) if years >= _FAR_APART else None,
        )

    def best(self, n: int | None = 10, *, min_contests: int = 5) -> pl.DataFrame:
        """The best ever: everybody at their highest estimate, with an interval of 95 %.

        Columns: place, player, estimate, sigma, low, high, time, contest, contests. Intervals are
        of one estimate each; who is best of many was also lucky in how far estimates are off.
        """
        check_whole(1, min_contests=min_contests)
        if n is not None:
            check_whole(1, n=n)
        c = self.contests.columns
        estimate, sigma = self.smoothed.estimates
        order = np.lexsort((np.arange(len(estimate)), -estimate, c.player))
        is_first = np.ones(len(order), np.bool_)
        is_first[1:] = np.diff(c.player[order]) != 0
        top = order[is_first]
        count = np.bincount(c.player, minlength=len(self.contests.players))
        top = top[count[c.player[top]] >= min_contests]
        names = self.contests.players.gather(c.player[top])
        reach = NormalDist().inv_cdf(0.975) * sigma[top]
        contest = self.chains.contest[top]
        frame = pl.DataFrame(
            {
                "player": names,
                "estimate": estimate[top],
                "sigma": sigma[top],
                "low": estimate[top] - reach,
                "high": estimate[top] + reach,
                "time": as_column(c.time[contest]),
                "contest": self.contests.ids.gather(contest),
                "contests": count[c.player[top]],
            }
        ).sort("estimate", "player", descending=[True, False])
        place = frame["estimate"].rank("min", descending=True).cast(pl.Int64).alias("place")
        frame = frame.select(place, pl.all())
        return frame if n is None else frame.head(n)

    def document(
        self,
        players: Sequence[str] = (),
        *,
        n: int | None = 10,
        min_contests: int = 5,
        met: Meeting | None = None,
    ) -> dict[str, Any]:
        """As JSON says it: the best ever, and the participations of some players."""
        p = self.parameters
        names = (each for each in p.__dataclass_fields__ if each not in ("robust", "longest"))
        found = {
            "contests": len(self.contests),
            "participations": self.contests.rows,
            "parameters": {name: getattr(p, name) for name in names},
            "weights": "logistic" if p.robust else "gaussian",
            "tuned": self.tuned,
            "half_sweeps": self.halves,
            "moved": self.moved,
            "settled": self.settled,
            "log_loss": self.log_loss,
            "advantage": self.advantage,
            "best": self.best(n, min_contests=min_contests).to_dicts(),
            "players": [
                {"player": name, "participations": self.player(name).to_dicts()} for name in players
            ],
        }
        return as_document(found if met is None else {**found, "met": met.document()})

    def picture(self, player: str, path: "str | os.PathLike[str]") -> None:
        """Draw one player's curve as believed then and as seen from today, as a PNG."""
        from podium import pictures
        from podium.hindsight.drawing import curve_figure

        pictures.save(curve_figure(self, player), as_path(path))

    def __repr__(self) -> str:
        return (
            f"<LookBack at {counted(len(self.contests), 'contest')}, "
            f"{counted(self.halves, 'half sweep')}, moved {self.moved:.2g} last>"
        )

    def _repr_html_(self) -> str:
        columns = ["place", "player", "estimate", "low", "high", "time", "contests"]
        return shown_table(self, self.best().select(columns), digits=0)


def _caveat(years: float) -> str:
    return (
        f"They are {years:.0f} years apart, and only chains of players who met in between join "
        f"these times: if all have become better together, nothing here can tell, and the sigmas "
        f"do not include that."
    )


def look_back(
    contests: Contests,
    *,
    weights: Literal["logistic", "gaussian"] = "logistic",
    tune: bool = False,
    progress: Progress | None = None,
    beta: float = Parameters.beta,
    q: float = Parameters.q,
    drift: float = Parameters.drift,
    early_drift: float = Parameters.early_drift,
    mu_new: float = Parameters.mu_new,
    sig_new: float = Parameters.sig_new,
) -> LookBack:
    """Estimate how good everybody was at every time, by all results, earlier and later.

    Args:
        contests: Contests of any size: matches with draws, scores and sides, ties, weights.
        weights: What a surprising result counts in contests of 200 and more: "logistic" less than
            others, "gaussian" as much.
        tune: Look for `beta`, `q`, `drift` and `early_drift` from those given on, by the log loss
            of each result as all others predict it.
        progress: True for a bar, or a function that is told the part done and the whole.
        beta: The standard deviation of a performance around the skill, in points.
        q: The standard deviation that a skill gains from one contest to the next.
        drift: The variance that it gains in a day of up to 400 between two contests.
        early_drift: What newcomers gain in addition; half of it is left after 20 contests.
        mu_new: What is believed of everybody before any result.
        sig_new: And how surely: the standard deviation.

    Teams are refused, and `perf_ceiling` is not looked at, which the summary says. Rows in any
    order give the same bits.

    Example:
        >>> import podium
        >>> season = podium.simulate(players=60, rounds=40, participation=0.4, seed=1)
        >>> found = podium.look_back(season)
        >>> found.settled
        True
        >>> found.best(1)["player"].item()
        'player-0009'
        >>> curve = found.curve("player-0009", ["2026-03-01", "2026-04-01"])
        >>> curve.columns
        ['time', 'estimate', 'sigma']
    """
    check_choice("weights", weights, ("logistic", "gaussian"))
    check_number(1e-6, _LARGEST, beta=beta, q=q, sig_new=sig_new)
    check_number(0.0, _LARGEST, drift=drift, early_drift=early_drift)
    check_number(-_LARGEST, _LARGEST, mu_new=mu_new)
    _refuse(contests)
    robust = weights == "logistic"
    parameters = Parameters(beta, q, drift, early_drift, mu_new, sig_new, robust)
    chains = Chains.of(contests.columns, len(contests.players))
    with reporting(progress, "Looking back") as report:
        if tune:
            parameters = tuned_for(contests, chains, parameters, report=report)
        found = smoothed(contests.columns, chains, parameters, filtered=True, report=report)
    if not np.isfinite(found.moved):
        raise InputError(
            "no numbers are left of the estimates: parameters or weights are too far from each "
            "other; bring them nearer."
        )
    _put_on_one_level(found, chains, len(contests))
    return LookBack(contests, parameters, tune, found, chains)


def _put_on_one_level(found: Smoothed, chains: Chains, contests: int) -> None:
    """Move what was believed then by what all who competed around then have moved by together.

    Newcomers enter where all newcomers do; that they were weaker is known only later, and then
    moves everybody. As only differences say who wins, beliefs of then are shown on the level of
    today.
    """
    assert found.filtered is not None
    level = np.arange(contests) * min(contests, _LEVELS) // contests
    part = level.astype(np.int32)[chains.contest]
    count = np.bincount(part)
    off = np.bincount(part, found.estimates[0] - found.filtered[0]) / np.maximum(count, 1)
    found.filtered[0] += off[part]


def _refuse(contests: Any) -> None:
    if not isinstance(contests, Contests):
        raise InputError("look_back takes Contests; podium.read makes them of a file.")
    if len(contests) == 0:
        raise InputError("there are no contests to look back at.")
    team = contests.columns.team
    if team is not None and bool(np.any(team >= 0)):
        raise InputError(
            "there are teams, which looking back does not know; Contests.without_teams() or "
            "--ignore-teams takes every player alone."
        )
    if contests.ladders is not None and len(contests.ladders) > 1:
        raise InputError(
            f"these contests are of the ladders {listed(contests.ladders)}; by_ladder() parts "
            f"them, or --ladder NAME, and without_ladders() or --ignore-ladders makes one of all."
        )


def log_losses(score: Floats, expected: Floats) -> Floats:
    """What each score costs, by what was expected of it."""
    p = np.clip(expected, _LEAST_CHANCE, 1.0 - _LEAST_CHANCE)
    found: Floats = -(score * np.log(p) + (1.0 - score) * np.log1p(-p))
    return found


def cavity_loss(
    contests: Contests, found: Smoothed, beta: float, hidden: NDArray[np.bool_] | None = None
) -> float:
    """The mean log loss of pairs, each by all other results; a contest counts by its size.

    NaN if nobody met anybody.
    """
    c = contests.columns
    if hidden is None:
        hidden = np.zeros(len(c.player), np.bool_)
    loss = np.empty(len(c.time))
    kernels.losses(
        c.offsets, c.player, c.rank, *sides_and_scores(c), hidden, *found.cavities, beta,
        found.advantage, loss,
    )  # fmt: skip
    met = ~np.isnan(loss)
    sizes = np.diff(c.offsets)[met]
    return float((loss[met] * sizes).sum() / sizes.sum()) if len(sizes) else float("nan")


def tuned_for(
    contests: Contests,
    chains: Chains,
    start: Parameters,
    *,
    hidden: NDArray[np.bool_] | None = None,
    report: Report = unseen,
) -> Parameters:
    """The parameters that predict each result best from all others, near those given.

    One parameter after the other, by large and then by small factors. Weights are Gaussian
    meanwhile: with logistic ones, what a result says leaks into how much others count.
    """

    def loss(parameters: Parameters) -> float:
        gaussian = replace(parameters, robust=False)
        most = _TUNED_HALVES[contests.rows <= _FEW_ROWS]
        found = smoothed(contests.columns, chains, gaussian, hidden=hidden, most=most)
        return cavity_loss(contests, found, parameters.beta, hidden)

    return searched(loss, start, report)


def searched(
    loss: Callable[[Parameters], float], start: Parameters, report: Report = unseen
) -> Parameters:
    """The parameters of the least loss, looked for one by one."""
    best, least = start, loss(start)
    steps = len(_FACTORS) * len(_SEARCHED) * 2
    for turn in range(steps):
        factor = _FACTORS[turn // (2 * len(_SEARCHED))]
        name = _SEARCHED[turn % len(_SEARCHED)]
        progress = part_of(report, turn, steps)
        progress(0, 1)
        for by in (factor, 1.0 / factor):
            better = False
            while True:
                tried = replace(best, **{name: getattr(best, name) * by})
                found = loss(tried)
                if not found < least - 1e-6:
                    break
                best, least, better = tried, found, True
            if better:
                break
    return best
