"""Podium's own model: ratings, and forecasts that know what experience, absence and practice do.

Choose it for the best predictions, of anything: contests of any size, teams, matches of two with
draws and sides. A player has two numbers. The rating is earned by results alone and does not move
while one rests. The forecast is where the player is expected to perform now: newcomers, those who
come back after a year and those who play every day are expected where such players have performed,
and so is who has the side. How much all that is worth is learned from everybody's results.

Example:
    >>> import podium
    >>> ladder = podium.Ladder("podium")
    >>> ladder.record(["ann", ("bob", "cat"), "dan"], time="2026-05-01")
    >>> round(ladder["ann"].mu), round(ladder["bob"].mu)
    (1758, 1500)

Reference: docs/podium-system.md has the model, what was measured and what is given up.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.numerics import crew, fields, roots
from podium.numerics import podium as kernel
from podium.numerics.columns import MICROSECONDS_PER_DAY
from podium.numerics.teams import competitors
from podium.systems import declared, explained, places
from podium.systems.base import (
    BASE_FIELDS,
    EVENTS,
    FORECAST,
    NOBODY_ASKS,
    NOT_NEGATIVE,
    POSITIVE,
    TIMES,
    Field,
    Floats,
    IfPlaced,
    Performances,
    parameter,
)
from podium.systems.compiled import Compiled
from podium.systems.explained import Limits, Phrases, Result
from podium.systems.lessons import Lessons
from podium.systems.search import by_factors
from podium.wording import counted

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns

_NO_SIDES = np.empty(0, np.int8)
_NO_SHARES = np.empty(0)
_NO_TEAMS = np.empty(0, np.int32)
_UNASKED = np.empty((2, 0))
_WORTH_SHARING = 256
"""Rows of a contest from which on threads share its steps."""
_PI_OVER_ROOT_THREE = math.pi / math.sqrt(3.0)
A_WEEK = 7.0
"""Days between contests that are no absence."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Podium(Compiled):
    """Anything from matches to massive contests: forecasts learn what experience and absence do.

    The rating x is a filter of performances, whose uncertainty grows with contests and absence.
    The forecast m is x and an offset that is learned from everybody, online: by experience, by
    absence and practice, by rating and by side. Performances are found as in Elo-MMR, of players
    expected at m; two are compared by the probability that was predicted. How far performances
    scatter, how fast skills move and how sure predictions are is learned too.

    A team performs as the mean of its members, or their sum. Members who took part in only a part
    of a contest (`share`) weigh less. The usual level of those who take part is drawn to `mu_new`.
    A predicted win counts a draw as half.
    """

    name: ClassVar[str] = "podium"
    reference: ClassVar[str] = "docs/podium-system.md"
    table_fields: ClassVar[list[tuple[str, str]]] = [*BASE_FIELDS, *kernel.FIELDS]
    kernel: ClassVar[Any] = kernel
    takes_teams: ClassVar[bool] = True
    forecasts: ClassVar[bool] = True
    counts_draws_half: ClassVar[bool] = True
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {
        "sigma": POSITIVE,
        "first_time": TIMES,
        "activity": NOT_NEGATIVE,
        "surprise": (-10.0, 10.0),
    }
    lasting: ClassVar[tuple[str, ...]] = ("first_time", "activity")
    on_reset: ClassVar[str] = (
        "The rating moves and is less certain; experience, absence and practice go on, and so does "
        "all that is learned from everybody. The last surprise is forgotten: by how much the next "
        "one is like it would say nothing of how fast skills move."
    )
    on_start: ClassVar[str] = (
        "The player has that rating and uncertainty; the forecast still knows how experienced and "
        "practised the player is, and expects newcomers where newcomers perform."
    )

    beta: float = declared.positive(
        200.0, "how far performances scatter around skill: the scale of all ratings"
    )
    noise: float = parameter(
        20.0,
        "the standard deviation of what skill gains or loses from contest to contest, at first",
        low=0.0,
        high=1e6,
        search=by_factors(2.0, 100.0, 10.0, 20.0, 40.0),
    )
    drift_per_day: float = parameter(
        1.24,
        "variance that skill gains per day between contests, at first",
        low=0.0,
        high=1e6,
        search=by_factors(0.05, 30.0, 0.3, 1.24, 5.0),
    )
    drift_new: float = parameter(
        43.0,
        "the same besides, of newcomers; half of it after twenty contests",
        low=0.0,
        high=1e6,
        search=by_factors(1.0, 500.0, 10.0, 43.0, 150.0),
    )
    robustness: float = parameter(
        4.0,
        "performances count as at most so many deviations away",
        low=0.1,
        infinite=True,
        search=by_factors(1.0, 20.0, 2.0, 4.0, 8.0),
    )
    forgetting: float = parameter(
        0.01,
        "what a large contest takes from the weight of all that was learned before",
        low=0.0,
        high=0.5,
    )
    split_ties: bool = parameter(False, "count a tie as half a win and half a loss")
    team: str = parameter(
        "mean", "the skill of a team is its members' mean or sum", choices=("mean", "sum")
    )
    mu_new: float = declared.mu_new()
    sigma_new: float = declared.sigma_new(search=by_factors(100.0, 1000.0, 200.0, 350.0, 600.0))

    @cached_property
    def _settings(self) -> tuple[NDArray[Any]]:
        return (self._record(mean=self.team == "mean"),)

    def new_shared(self) -> Floats:
        """Nothing is learned yet."""
        return kernel.new_shared(self.mu_new)

    def newcomer_at(self, mu: float, sigma: float) -> dict[str, float] | None:
        """One of the most experienced: newcomers are expected where all newcomers are."""
        known = super().newcomer_at(mu, sigma)
        assert known is not None
        experience = float(kernel.LOWEST[-1])
        return {**known, "contests": experience, "last_time": 0.0, "first_time": 0.0}

    def move(
        self, beliefs: "Beliefs", players: NDArray[np.int64], mu: Floats, sigma: Floats
    ) -> None:
        """Without the last surprise, which was beside another rating."""
        super().move(beliefs, players, mu, sigma)
        beliefs.table["surprise"][players] = 0.0

    @property
    def falls_with_rank(self) -> bool:
        """Of what is learned, a contest uses what was known before it."""
        return True

    def begin_time(self, beliefs: "Beliefs", time: int) -> None:
        """The first contest of everybody is dated too."""
        super().begin_time(beliefs, time)
        table = beliefs.table[: len(beliefs)]
        table["first_time"][table["contests"] > 0] = time

    def flaw(self, beliefs: "Beliefs") -> str | None:
        """What is learned must be within its ranges too."""
        return super().flaw(beliefs) or kernel.flaw(beliefs.shared)

    def update_many(
        self,
        beliefs: "Beliefs",
        columns: "Columns",
        events: NDArray[np.float64] | None = None,
        *,
        first: int = 0,
        last: int | None = None,
        threads: int = 1,
    ) -> None:
        """With threads that share the steps of each contest."""
        end = len(columns.offsets) - 1 if last is None else last
        happened = NOBODY_ASKS if events is None else events
        self._replay(beliefs, columns, first, end, happened, _UNASKED, threads)

    def fold(
        self, beliefs: "Beliefs", columns: "Columns", first: int, last: int, events: Floats
    ) -> int:
        """Contests of any size, in one kernel."""
        self._replay(beliefs, columns, first, last, events, _UNASKED, 1)
        return last

    def beliefs_before(
        self,
        beliefs: "Beliefs",
        columns: "Columns",
        events: Floats,
        *,
        first: int = 0,
        last: int | None = None,
        threads: int = 1,
    ) -> tuple[Floats, Floats]:
        """What was expected of every row, its side included."""
        end = len(columns.offsets) - 1 if last is None else last
        expected = np.empty((2, len(columns.player)))
        self._replay(beliefs, columns, first, end, events, expected, threads)
        rows = slice(columns.offsets[first], columns.offsets[end])
        return expected[0, rows], expected[1, rows]

    def _replay(
        self,
        beliefs: "Beliefs",
        columns: "Columns",
        first: int,
        last: int,
        events: Floats,
        expected: Floats,
        threads: int,
    ) -> None:
        if first == last:
            return
        c, largest = columns, int(np.diff(columns.offsets[first : last + 1]).max())
        crew.run(
            kernel.fold_contests,
            (
                beliefs.table,
                beliefs.shared,
                *self._settings,
                c.offsets,
                c.player,
                _NO_SIDES if c.side is None else c.side,
                _NO_SHARES if c.share is None else c.share,
                c.time,
                c.weight,
                c.perf_ceiling,
                *_places(columns),
                first,
                last,
                events,
                expected,
                roots.room_for(largest),
                kernel.room_for(largest),
            ),
            threads if largest >= _WORTH_SHARING else 1,
        )

    def aged(
        self, beliefs: "Beliefs", players: "NDArray[Any] | slice", time: int | None = None
    ) -> tuple[Floats, Floats]:
        """The rating stays; how uncertain it is grows with absence."""
        table = beliefs.table
        mu, sigma, n = (table[name][players] for name in ("mu", "sigma", "contests"))
        if time is None:
            return mu, sigma
        days = np.where(n > 0, (time - table["last_time"][players]) / MICROSECONDS_PER_DAY, 0.0)
        per_day = self.drift_per_day + self.drift_new / (1.0 + n / 20.0)
        pace = float(beliefs.shared[kernel.PACE])
        grown = pace * per_day * np.clip(days, 0.0, kernel.LONGEST)
        return mu, np.sqrt(sigma * sigma + grown)

    def forecast(
        self,
        beliefs: "Beliefs",
        players: "NDArray[Any] | slice",
        time: int | None = None,
        side: NDArray[np.int8] | None = None,
    ) -> tuple[Floats, Floats]:
        """As in a contest of these players at that time; by default, of the last contest."""
        return self._expected(beliefs, players, time, side, as_usual=False)

    def besides(
        self, beliefs: "Beliefs", players: "NDArray[Any] | slice", time: int | None = None
    ) -> dict[str, Floats]:
        """What to expect of everybody in a contest among the usual players, and its spread."""
        expected = self._expected(beliefs, players, time, None, as_usual=True)
        return dict(zip(FORECAST, expected, strict=True))

    def _expected(
        self,
        beliefs: "Beliefs",
        players: "NDArray[Any] | slice",
        time: int | None,
        side: NDArray[np.int8] | None,
        *,
        as_usual: bool,
    ) -> tuple[Floats, Floats]:
        ids = np.arange(len(beliefs))[players] if isinstance(players, slice) else players
        moment = _moment(beliefs, time)
        sides = np.zeros(len(ids), np.int8) if side is None else side
        out = np.empty((2, len(ids)))
        kernel.forecast(
            beliefs.table,
            beliefs.shared,
            *self._settings,
            ids.astype(np.int32, copy=False),
            sides,
            np.int64(moment),
            as_usual,
            kernel.room_for(len(ids)),
            out,
        )
        return out[0], out[1]

    def pair_scores(
        self,
        beliefs: "Beliefs",
        first: NDArray[np.int64],
        second: NDArray[np.int64],
        time: int | None = None,
    ) -> Floats:
        """By the forecasts of two who meet each other only, of neither side."""
        out = np.empty((4, len(first)))
        kernel.forecast_pairs(
            beliefs.table,
            beliefs.shared,
            *self._settings,
            first,
            second,
            np.int64(_moment(beliefs, time)),
            kernel.room_for(2),
            out,
        )
        ones = np.ones(len(first), np.int64)
        one, two = (
            Field(mean, spread * spread, ones).tempered(beliefs.temperature)
            for mean, spread in (out[:2], out[2:])
        )
        return self.expected_scores(one, two, np.zeros(len(first)))

    def performances(self, field: Field) -> Performances:
        """Of forecasts and their spreads, in a contest of weight 1."""
        mean, variance = self._of_teams(field)
        return Performances(fields.LOGISTIC, mean, np.sqrt(variance) / _PI_OVER_ROOT_THREE)

    def expected_scores(self, first: Field, second: Field, side: Floats) -> Floats:
        """Logistic in the lead over the spread of both; the forecasts know of the side."""
        (one, spread), (other, other_spread) = map(self._of_teams, (first, second))
        z = _PI_OVER_ROOT_THREE * (one - other) / np.sqrt(spread + other_spread)
        expected: Floats = 1.0 / (1.0 + np.exp(-np.clip(z, -700.0, 700.0)))
        return expected

    def chances(self, field: Field, side: int = 0) -> tuple[float, float]:
        """The expected score of the first of two, a draw counting half, and 0."""
        first, second = field.among(slice(0, 1)), field.among(slice(1, 2))
        return float(self.expected_scores(first, second, np.zeros(1))[0]), 0.0

    def _of_teams(self, field: Field) -> tuple[Floats, Floats]:
        """Mean and variance of what competitors perform at."""
        size = field.size if self.team == "mean" else 1.0
        return field.mu / size, field.variance / size

    @property
    def phrases(self) -> Phrases:
        """What is particular to it."""
        return Phrases(
            performance="what the results come to, beside what was expected",
            correction="what draws the level of all to that of newcomers",
        )

    def _competing(self, beliefs: "Beliefs", columns: "Columns") -> "_Competing":
        """What was to be expected of the competitors of a contest."""
        c, time = columns, int(columns.time[0])
        number = np.arange(len(c.player), dtype=np.int32)
        if c.team is not None:
            number = competitors(c.offsets, c.team)
        m, spread = self.forecast(beliefs, c.player, time, c.side)
        x, sigma = self.aged(beliefs, c.player, time)
        pace = float(beliefs.shared[kernel.PACE])
        noise = np.where(beliefs.table["contests"][c.player] > 0, pace * self.noise**2, 0.0)
        V, S = sigma * sigma + noise, (spread * float(beliefs.shared[kernel.TAU])) ** 2
        h = float(beliefs.shared[kernel.THETA + kernel.SIDE])
        sided = np.zeros(len(number)) if c.side is None else 0.5 * h * c.side
        share = np.ones(len(number)) if c.share is None else c.share
        part = share / np.bincount(number, share)[number] if self.team == "mean" else share
        sums = (m, S, part * V, x, sided, np.full(len(number), self.beta**2))
        of_all = (np.bincount(number, part * each).astype(np.float64) for each in sums)
        return _Competing(number, part, V, *of_all)

    def if_placed(self, beliefs: "Beliefs", columns: "Columns", row: int) -> IfPlaced | None:
        """Others matter by what is expected of them; a team moves as one."""
        field = self._competing(beliefs, columns)
        me = int(field.number[row])
        if len(field.m) == 2:
            return None
        scale = np.sqrt(field.S) / _PI_OVER_ROOT_THREE
        mode = roots.SPLIT if self.split_ties else roots.TIED
        performances = places.by_logistic(field.m, scale, me, mode)
        t = np.tanh(0.5 * (field.m[me] - field.m) / scale)
        most = 0.25 / scale**2
        slopes = (1.0 - t * t) * most
        others = field.number != me
        is_head = np.zeros(len(others), np.int64)
        is_head[np.unique(field.number, return_index=True)[1]] = 1
        passed = np.append(0, np.cumsum(is_head[others]))
        record = beliefs.table[columns.player[row]]

        def placed(ahead: NDArray[np.int64]) -> Floats:
            seen = np.empty((len(EVENTS), len(ahead)))
            found, ceiling = performances(passed[ahead]), float(columns.perf_ceiling[0])
            seen[0] = np.minimum(found, ceiling)
            seen[1], seen[2] = record["mu"], record["sigma"]
            kernel.weigh_places(
                *self._settings,
                found,
                ceiling,
                tuple(float(each[me]) for each in field[3:8]),
                *(float(np.delete(each, me).sum()) for each in (slopes, most)),
                float(field.beta2[me]),
                float(columns.weight[0]),
                float(field.part[row]),
                float(record["mu"]),
                float(field.own_variance[row]),
                seen[3:],
            )
            seen[4] = np.sqrt(seen[4])
            return seen

        return placed

    def pulls(self, result: Result, performance: float) -> Floats | None:
        """As in Elo-MMR, of players expected at their forecasts; two are compared otherwise."""
        if len(result.heads) == 2:
            return None
        field = self._competing(result.before, result.columns)
        scale = np.sqrt(field.S) / _PI_OVER_ROOT_THREE
        return explained.balanced(
            result, performance, field.m, scale, explained.logistic_terms, split=self.split_ties
        )

    def limits(self, result: Result) -> Limits | None:
        """By the farthest that a performance can count, among more than two."""
        if len(result.heads) == 2 or len(result.heads) < len(result.competitor):
            return None
        field, w = self._competing(result.before, result.columns), result.weight
        variance, s = float(field.V[result.own]), math.sqrt(float(field.S[result.own]))
        farthest = self.robustness * s / (w * variance + self.beta**2)
        most, mu = w * variance * max(_PI_OVER_ROOT_THREE / s, farthest), result.mu[0]
        return Limits(mu - most, mu + most)

    def foretold(self, result: Result) -> str:
        """What experience, absence and the side were expected to do."""
        c, before, digits = result.columns, result.before, self.decimals
        record = before.table[result.player]
        mean, spread = self.forecast(before, c.player, result.time, c.side)
        m, x, n = float(mean[result.row]), float(record["mu"]), int(record["contests"])
        side = 0 if c.side is None else int(c.side[result.row])
        sided = 0.5 * side * float(before.shared[kernel.THETA + kernel.SIDE])
        days = (result.time - int(record["last_time"])) / MICROSECONDS_PER_DAY if n else 0.0
        absence = self._absence(result) if days > 2.0 * A_WEEK else None
        offset = m - x - sided - (absence or 0.0)
        where = "their ratings" if n else "where they start"
        reasons = [f"{in_words(n)} perform {_away(offset, digits)} {where}"]
        if absence is not None:
            how = f"{abs(absence):,.{digits}f} {'higher' if absence > 0.0 else 'lower'}"
            reasons.append(f"after {counted(round(days), 'day')} away they perform {how} at first")
        if side:
            reasons.append(f"the side is worth {sided:+,.{digits}f}")
        return (
            f"Forecast: {m:,.{digits}f} was expected, give or take "
            f"{float(spread[result.row]):,.{digits}f}, {_away(m - x, digits)} the rating of "
            f"{x:,.{digits}f}. In this field, "
            f"{'; '.join(reasons)}."
        )

    def lessons(
        self, beliefs: "Beliefs", columns: "Columns", report: Callable[[int, int], None]
    ) -> Lessons:
        """What experience, absence and practice do, newcomers year by year, and some numbers."""
        from podium.systems.podium_lessons import taught

        return taught(self, beliefs, columns, report)

    def expected_of(self, table: NDArray[Any], shared: Floats) -> tuple[Floats, Floats]:
        """Forecasts at the time 0, in a usual field, of players of these records.

        Beside them, a row for each, the parts of the coefficients theta in them.
        """
        count = len(table)
        out = np.empty((2 + kernel.FEATURES + 1, count))
        kernel.forecast(
            table,
            shared,
            *self._settings,
            np.arange(count, dtype=np.int32),
            np.zeros(count, np.int8),
            np.int64(0),
            True,
            kernel.room_for(count),
            out,
        )
        phi = np.zeros((count, kernel.SIZE))
        start = kernel.COEFFICIENTS * (out[-1].astype(np.int64) // kernel.ABSENCES)
        columns = start[:, None] + np.arange(kernel.COEFFICIENTS)
        np.put_along_axis(phi, columns, out[2 : 2 + kernel.COEFFICIENTS].T, axis=1)
        return out[0], phi

    def _absence(self, result: Result) -> float:
        """What the absence of the player adds to the forecast, beside that of a week."""
        before, player = result.before, np.array([result.player])
        soon = int(before.table["last_time"][player[0]]) + round(A_WEEK * MICROSECONDS_PER_DAY)
        now, then = (
            float(self._expected(before, player, each, None, as_usual=True)[0][0])
            for each in (result.time, soon)
        )
        return now - then


class _Competing(NamedTuple):
    """Who competes in a contest, and what was expected of them."""

    number: NDArray[np.int32]
    """The competitor of every row."""
    part: Floats
    """The row's part in what its competitor performs."""
    own_variance: Floats
    """The variance of the row's rating in the contest."""
    m: Floats
    """Of every competitor: the forecast, and the variance of performances."""
    S: Floats
    V: Floats
    """Of every competitor: the variance of the rating, this, and what the side has in m."""
    x: Floats
    sided: Floats
    beta2: Floats
    """By how much performances scatter around skill."""


def _moment(beliefs: "Beliefs", time: int | None) -> int:
    """The time of a forecast; by default, of the last contest."""
    moment = beliefs.time if time is None else time
    if moment is None:  # nothing is dated, and all times are the same
        moment = int(beliefs.table["last_time"][: len(beliefs)].max(initial=0))
    return moment


def _places(columns: "Columns") -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Where the ranks of each contest's competitors begin, these, and whose every row is."""
    c = columns
    if c.team is None and c.share is None:
        return c.offsets, c.rank, _NO_TEAMS
    alone = np.full(len(c.player), -1, np.int32)
    number = competitors(c.offsets, alone if c.team is None else c.team)
    contest = np.repeat(np.arange(len(c.offsets) - 1), np.diff(c.offsets))
    sizes = np.zeros(len(c.offsets) - 1, np.int64)
    np.maximum.at(sizes, contest, number.astype(np.int64) + 1)
    places = np.append(0, np.cumsum(sizes))
    rank = np.empty(places[-1], np.int32)
    rank[places[contest] + number] = c.rank
    return places, rank, number


def in_words(n: int) -> str:
    """Players of the experience of who has so many contests, in words."""
    if n == 0:
        return "newcomers"
    r = int(kernel.regimes(np.array(n)))
    low = int(kernel.LOWEST[r])
    if r + 1 == len(kernel.LOWEST):
        return f"players with at least {low} contests"
    high = int(kernel.LOWEST[r + 1]) - 1
    many = counted(low, "contest") if low == high else f"{low} to {high} contests"
    return f"players with {many}"


def _away(value: float, digits: int) -> str:
    return f"{abs(value):,.{digits}f} {'above' if value >= 0.0 else 'below'}"
