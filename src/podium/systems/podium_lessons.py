"""What podium's own system has learned from everybody's results, as curves and numbers.

Curves are of players at the usual level who differ in one thing. Their standard errors come from
the information that the regression remembers, as if results were independent of each other.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.numerics import podium as kernel
from podium.numerics.columns import MICROSECONDS_PER_DAY, count_appearances
from podium.systems.base import Floats
from podium.systems.lessons import Curve, Lessons, Line, Number
from podium.systems.podium import A_WEEK, in_words
from podium.wording import counted

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns
    from podium.systems.podium import Podium

_CONTESTS = np.array((*range(7), 8, 9, 12, 16, 17, 24, 35, 36, 50, 80, 81, 120, 200))
_DAYS = np.array((1.0, 3.0, 7.0, 14.0, 30.0, 60.0, 90.0, 120.0, 180.0, 240.0, 365.0, 730.0))
_ACTIVITY = np.array((1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0))
_REGIMES = np.array((1, 4, 6, 8))
"""Where curves have points, and whose lines are shown."""
_ENOUGH = 30
"""Results of players of some experience from which on what was learned of them is shown."""
_ENOUGH_OF_A_YEAR = 36.0
"""The information, in results that scatter by beta, from which on a year is shown by itself."""
_COEFFICIENTS = (kernel.CONSTANT, kernel.SIDE)
"""Those that are looked at year by year: the constant of newcomers, and the side."""
_LITTLE = 0.1
"""So much of what was learned may be forgotten within contests that are looked at together."""


class _Year(NamedTuple):
    """What the contests of a year have taught, or of a few years."""

    year: float
    sums: Mapping[int, Floats]
    """What they added to the regression's sums about each of two coefficients."""
    levels: Floats
    """What they added to the sum of ratings of those who had played before, and to their number."""
    shared: Floats
    """All that was learned by its end."""

    @property
    def theta(self) -> Floats:
        """The coefficients by its end."""
        return self.shared[kernel.THETA : kernel.RATIOS]

    def alone(self, k: int) -> float:
        """What a coefficient would be by these contests, the others being as they were learned."""
        products, response = self.sums[k][:-1], self.sums[k][-1]
        return float(self.theta[k] + (response - products @ self.theta) / products[k])

    def root(self, k: int) -> float:
        """Of the information on a coefficient."""
        return math.sqrt(self.sums[k][k])

    def after(self, earlier: "_Year | None") -> "_Year":
        """Both together."""
        if earlier is None:
            return self
        sums = {k: earlier.sums[k] + self.sums[k] for k in self.sums}
        return self._replace(sums=sums, levels=earlier.levels + self.levels)


def _together(years: Sequence[_Year], k: int) -> list[_Year]:
    """Years in a row that together have enough information on a coefficient."""
    found: list[_Year] = []
    some, moment = None, 0.0
    for each in years:
        some, moment = each.after(some), moment + each.sums[k][k] * each.year
        weight = some.sums[k][k]
        if weight >= _ENOUGH_OF_A_YEAR or (each is years[-1] and weight >= 1.0):
            found.append(some._replace(year=round(moment / weight)))
            some, moment = None, 0.0
    return found


def taught(
    system: "Podium", beliefs: "Beliefs", columns: "Columns", report: Callable[[int, int], None]
) -> Lessons:
    """Fold contests into beliefs of newcomers; what they have taught."""
    years = _folded_by_year(system, beliefs, columns, report)
    if (beliefs.shared[kernel.RATIOS : kernel.SQUARES] == 1.0).all():
        contests = counted(len(columns.time), "contest")
        raise InputError(
            f"{system.name} has learned nothing about all players yet: {contests} of "
            f"{counted(len(beliefs), 'player')} are too few."
        )
    earlier = count_appearances(columns.player, np.zeros(len(beliefs), np.int32)) - 1
    gaps = _gaps(columns)
    found = _Taught(
        system,
        beliefs,
        np.bincount(kernel.regimes(earlier), minlength=kernel.REGIMES),
        float(np.median(gaps)) if len(gaps) else 0.0,
        float(gaps.max(initial=0.0)),
    )
    curves = [found.experience(), found.absence(), found.practice(), found.rating()]
    curves += [found.newcomers(years), found.spread()]
    numbers = found.numbers()
    if columns.side is not None and columns.side.any():
        numbers.append(found.side())
        curves.append(found.sides(years))
    return Lessons(numbers, [each for each in map(_drawable, curves) if each.lines])


def _drawable(curve: Curve) -> Curve:
    """Without lines of less than two points."""
    return curve._replace(lines=[each for each in curve.lines if len(each.x) > 1])


def _folded_by_year(
    system: "Podium", beliefs: "Beliefs", columns: "Columns", report: Callable[[int, int], None]
) -> list[_Year]:
    """Fold contests; what those of each year have taught.

    What a year has added to sums is what is there at its end less what is remembered of what was
    there before. That is taken of few contests at a time, so that those of one year count alike.
    """
    shared, nothing = beliefs.shared, np.zeros((3, kernel.SIZE + 1))
    year = columns.time.astype("datetime64[us]").astype("datetime64[Y]").astype(np.int64)
    lost = kernel.forgotten(system.forgetting, np.diff(columns.offsets))
    cut = np.diff(year).astype(bool) | np.diff(np.cumsum(lost) // _LITTLE).astype(bool)
    years: list[_Year] = []
    first, added = 0, nothing
    for last in [*(np.flatnonzero(cut) + 1).tolist(), len(year)]:
        kept = float(np.prod(1.0 - lost[first:last])) * _sums(shared)
        system.update_many(beliefs, columns, first=first, last=last)
        added = added + _sums(shared) - kept
        report(int(columns.offsets[last]), len(columns.player))
        if last == len(year) or year[last] != year[first]:
            sums = dict(zip(_COEFFICIENTS, added, strict=False))
            years.append(_Year(1970.0 + year[first], sums, added[-1, :2], shared.copy()))
            added = nothing
        first = last
    return years


def _sums(shared: Floats) -> Floats:
    """What is looked at year by year, a row for each coefficient, and of levels the last."""
    rows = [kernel.sums_of(shared, k) for k in _COEFFICIENTS]
    return np.stack([*rows, np.resize(_levels(shared), kernel.SIZE + 1)])


def _levels(shared: Floats) -> Floats:
    """The sum of ratings of those who had played before, and their number."""
    return np.asarray(shared[kernel.SCALE] * shared[[kernel.LEVEL, kernel.LEVELS]])


def _gaps(columns: "Columns") -> Floats:
    """Days between each two contests of a player that follow each other."""
    time = np.repeat(columns.time, np.diff(columns.offsets))
    order = np.lexsort((time, columns.player))
    same = np.diff(columns.player[order]) == 0
    gaps: Floats = np.diff(time[order])[same] / MICROSECONDS_PER_DAY
    return gaps


@dataclass(frozen=True)
class _Taught:
    """What contests have taught, and how sure that is."""

    system: "Podium"
    beliefs: "Beliefs"
    counts: NDArray[np.int64]
    """Results of players of each regime of experience."""
    gap: float
    """Days between two contests of a player, as a rule."""
    longest: float
    """The longest absence in days."""

    @cached_property
    def covariance(self) -> Floats:
        """Of the coefficients."""
        return kernel.covariance(self.beliefs.shared, self.system.beta)

    def experience(self) -> Curve:
        """Of players who play as often as is usual."""
        n = _CONTESTS[self._is_known(kernel.regimes(_CONTESTS))]
        most = int(self.beliefs.table["contests"][: len(self.beliefs)].max())
        n = n[n < most]
        value, phi = self._expected(n, np.full(len(n), self.gap), self.gap * n, self._active(n))
        often = f"plays every {self.gap:.2g} days" if self.gap > 0.0 else "plays"
        return Curve(
            "experience",
            f"Experience, of who {often}",
            "contests before",
            "forecast less rating",
            [Line("", n.astype(np.float64), value, self._errors(phi))],
            self.system.decimals,
        )

    def absence(self) -> Curve:
        """What days away change in the forecast after a week away."""
        days = _DAYS[: np.searchsorted(_DAYS, self.longest, side="right")]
        return Curve(
            "absence",
            "Absence, beside a week away",
            "days since the last contest",
            "change of the forecast",
            [self._away(n, days) for n in self._shown()],
            self.system.decimals,
        )

    def _away(self, n: int, days: Floats) -> Line:
        asked = np.append(days, A_WEEK)
        many = np.full(len(asked), n)
        value, phi = self._expected(many, asked, asked + (n - 1) * self.gap, self._active(many))
        return Line(_how_many(n), days, value[:-1] - value[-1], self._errors(phi[:-1] - phi[-1]))

    def practice(self) -> Curve:
        """What more contests of late change in the forecast after one."""
        return Curve(
            "practice",
            "Practice, beside one contest of late",
            f"contests of late, after {kernel.PRACTICE_DAYS:g} days 37 % of one",
            "change of the forecast",
            [self._practised(n) for n in self._shown() if n > 1],
            self.system.decimals,
        )

    def _practised(self, n: int) -> Line:
        more = kernel.LOWEST[n < kernel.LOWEST]
        activity = _ACTIVITY[: np.searchsorted(_ACTIVITY, more[0])] if len(more) else _ACTIVITY
        many, gap = np.full(len(activity), n), np.full(len(activity), self.gap)
        earlier = activity * math.exp(self.gap / kernel.PRACTICE_DAYS)
        value, phi = self._expected(many, gap, gap * n, earlier)
        return Line(_how_many(n), activity, value - value[0], self._errors(phi - phi[0]))

    def rating(self) -> Curve:
        """What a hundred points above the field add, by experience."""
        r = np.arange(1, kernel.REGIMES)
        r = r[self._is_known(r)]
        at, unit = kernel.COEFFICIENTS * r + kernel.RATING, self.system.beta / kernel.BETA
        value = self.beliefs.shared[kernel.THETA + at] / unit
        error = np.sqrt(np.diag(self.covariance)[at]) / unit
        return Curve(
            "rating",
            "A rating of 100 above the field",
            "contests before, from",
            "part of the forecast",
            [Line("", kernel.LOWEST[r].astype(np.float64), value, error)],
            self.system.decimals,
        )

    def newcomers(self, years: Sequence[_Year]) -> Curve:
        """How far newcomers are expected from those who have played before, year by year.

        Not from where they start: if newcomers become worse, the ratings of the others rise, too.
        """
        return Curve(
            "newcomers",
            "Newcomers, by year",
            "year",
            "forecast less the level of the others",
            self._by_year(years, kernel.CONSTANT),
            self.system.decimals,
            logarithmic=False,
        )

    def sides(self, years: Sequence[_Year]) -> Curve:
        """What the side is worth, year by year."""
        return Curve(
            "side",
            "The side, by year",
            "year",
            "advantage in the forecast",
            self._by_year(years, kernel.SIDE),
            self.system.decimals,
            logarithmic=False,
        )

    def _by_year(self, years: Sequence[_Year], k: int) -> list[Line]:
        """What was learned of a coefficient by the end of each year.

        Beside it what results of a year alone say, or of a few if one has too few, everything else
        being as it was learned by then.
        """
        beta, few = self.system.beta, _together(years, k)
        learned = [
            (each.year, self._shifted(k, each.theta[k], each, _levels(each.shared)), math.nan)
            for each in years
        ]
        told = [
            (each.year, self._shifted(k, each.alone(k), each, each.levels), beta / each.root(k))
            for each in few
        ]
        return [
            Line("learned so far", *np.array(learned).reshape(-1, 3).T),
            Line("results of then alone", *np.array(told).reshape(-1, 3).T)._replace(points=True),
        ]

    def _shifted(self, k: int, coefficient: float, year: _Year, levels: Floats) -> float:
        """What newcomers are expected at, less the mean rating of the others; or the side."""
        if k == kernel.SIDE:
            return coefficient
        usual = _levels(year.shared)
        common = kernel.ANCHOR * (usual[0] / usual[1] - self.system.mu_new)
        return float(self.system.mu_new + coefficient - common - levels[0] / levels[1])

    def spread(self) -> Curve:
        """How far performances scatter, as ratios of standard deviations."""
        shared, short, long = self.beliefs.shared, kernel.SHORT, kernel.LONG
        names = f"up to {short:g} days away", f"up to {long:g}", "more"
        lines = []
        for absence, name in enumerate(names):
            r = np.arange(min(absence, 1), kernel.REGIMES)
            cell = r * kernel.ABSENCES + absence
            count = shared[kernel.SCALE] * shared[kernel.COUNTS + cell]
            seen = (count >= _ENOUGH) & self._is_known(r)
            ratio = np.sqrt(shared[kernel.RATIOS + cell[seen]])
            error = ratio * np.sqrt(0.5 / count[seen])
            lines.append(Line(name, kernel.LOWEST[r[seen]].astype(np.float64), ratio, error))
        return Curve(
            "spread",
            "Spread, beside that of the most experienced",
            "contests before, from",
            "ratio, sigma being equal",
            lines,
            2,
        )

    def numbers(self) -> list[Number]:
        """Those that are no curves."""
        shared = self.beliefs.shared
        level = float(shared[kernel.LEVEL] / shared[kernel.LEVELS])
        curvature = float(shared[kernel.SCALE] * shared[kernel.CURVATURE])
        return [
            Number(
                "temperature",
                "how sure predictions are: by what differences of forecasts are multiplied",
                float(shared[kernel.TAU]),
                1.0 / math.sqrt(curvature),
                3,
            ),
            Number(
                "pace",
                "how fast skills move: by what noise and drift are multiplied",
                float(shared[kernel.PACE]),
                math.nan,
                3,
            ),
            Number(
                "level",
                "the mean rating of those who took part of late",
                level,
                math.nan,
                self.system.decimals,
            ),
        ]

    def side(self) -> Number:
        """What the side is worth."""
        return Number(
            "side",
            "by what who has the side (home, white, first) is ahead of who has not",
            float(self.beliefs.shared[kernel.THETA + kernel.SIDE]),
            math.sqrt(float(self.covariance[kernel.SIDE, kernel.SIDE])),
            self.system.decimals,
        )

    def _is_known(self, regimes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether enough players of this experience were seen."""
        return self.counts[regimes] >= _ENOUGH

    def _shown(self) -> list[int]:
        """The least contests of those whose lines are shown."""
        known: list[int] = kernel.LOWEST[_REGIMES[self._is_known(_REGIMES)]].tolist()
        return known

    def _active(self, n: NDArray[np.int64]) -> Floats:
        """The activity after the last of so many contests, a usual gap apart."""
        kept = math.exp(-max(self.gap, 1e-3) / kernel.PRACTICE_DAYS)
        return np.asarray((1.0 - kept**n) / (1.0 - kept))

    def _expected(
        self, n: NDArray[np.int64], days: Floats, age: Floats, activity: Floats
    ) -> tuple[Floats, Floats]:
        """Forecasts less ratings of players at the usual level, and the coefficients' parts in it.

        After n contests, the first `age` days ago and the last `days` ago, just after which their
        activity was this.
        """
        shared, table = self.beliefs.shared, np.zeros(len(n), self.beliefs.table.dtype)
        level = float(shared[kernel.LEVEL] / shared[kernel.LEVELS])
        table["mu"] = np.where(n > 0, level, self.system.mu_new)
        table["sigma"], table["contests"] = self.system.sigma_new, n
        table["last_time"] = -days * MICROSECONDS_PER_DAY
        table["first_time"] = -age * MICROSECONDS_PER_DAY
        table["activity"] = activity
        expected, phi = self.system.expected_of(table, shared)
        return expected - table["mu"], phi

    def _errors(self, phi: Floats) -> Floats:
        """Standard errors of sums of coefficients with these parts."""
        variance = np.einsum("ij,jk,ik->i", phi, self.covariance, phi)
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def _how_many(n: int) -> str:
    return in_words(n).removeprefix("players with ")
