"""Luck: whole beliefs about players of two-player games in which chance has a say.

Choose it for matches of two in which the weaker side sometimes wins by luck: card games,
backgammon, poker, football. What is believed of a player is a whole distribution over strengths,
and a match is decided by a coin now and then, so that no upset is taken for a revelation.
Draws, scores between a win and a loss, sides, rating periods and drift with time.

Example:
    >>> import podium
    >>> ladder = podium.Ladder("luck")
    >>> ladder.record(["ann", "bob"])
    >>> ladder.record(["ann", "bob"], score=0.75)
    >>> round(ladder["ann"].mu), round(ladder["bob"].mu)
    (1539, 1461)
    >>> round(ladder.win_probability("ann", "bob"), 2)
    0.57

Reference: Alex Cowan, *Paired comparisons for games of chance*, 2023,
https://arxiv.org/abs/2303.14857.
"""

import dataclasses
import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.luck import fourier, grids
from podium.luck.drifts import Drift, LaplaceDrift, NoDrift, NormalDrift
from podium.luck.functions import (
    POINTS_PER_STRENGTH,
    RATING_OF_ZERO,
    CappedLogistic,
    CoinToss,
    DrawMargin,
    Heaviside,
    Laplace,
    Logistic,
    LuckFunction,
    Normal,
    Shifted,
    written_out,
)
from podium.numerics import fields
from podium.numerics import luck as kernel
from podium.numerics.columns import MICROSECONDS_PER_DAY
from podium.numerics.temperature import tempered
from podium.systems import declared
from podium.systems.base import (
    BASE_FIELDS,
    TIMES,
    Competitor,
    Field,
    Floats,
    Numbers,
    Performances,
    System,
    parameter,
)
from podium.systems.explained import LESS_CERTAIN, Phrases
from podium.systems.memories import reduced
from podium.systems.search import Between, by_factors
from podium.wording import suggestion

if TYPE_CHECKING:
    from podium.luck.beliefs import Belief
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns

_LUCKS: dict[str, Callable[[float], LuckFunction]] = {
    "logistic": Logistic,
    "normal": Normal,
    "laplace": Laplace,
    "heaviside": lambda _: Heaviside(),
    "draw-margin": DrawMargin,
    "capped-logistic": lambda scale: CappedLogistic(scale, scale * math.log(10.0)),
}
_DRIFTS: dict[str, Callable[[float], Drift]] = {
    "normal": NormalDrift,
    "laplace": lambda sd: LaplaceDrift(sd / math.sqrt(2.0)),
    "none": lambda _: NoDrift(),
}
_OBJECTS: dict[str, tuple[type, tuple[str, ...]]] = {
    "luck": (LuckFunction, tuple(_LUCKS)),
    "side_luck": (LuckFunction, ()),
    "drift": (Drift, tuple(_DRIFTS)),
}
"""Parameters that may be objects, or one of these names."""
_WRITABLE = (
    Logistic,
    Normal,
    Laplace,
    Heaviside,
    DrawMargin,
    CappedLogistic,
    NormalDrift,
    LaplaceDrift,
    NoDrift,
)
"""Objects that can be given as they are written in Python, on a command line too."""
_FFT_FROM = 500
"""With fewer points than this, a direct sum is faster than a Fourier transform."""
_NO_SIDES = np.empty(0, np.int8)
_NOTHING = np.empty(0)
_NOW = -(2**62)
_ROUNDING = 1e-3
"""In single precision, thousands of probabilities sum to one only roughly."""
"""A time at which nothing has changed yet."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Luck(declared.Cautious, System):
    """Games of chance between two players: whole beliefs, upsets by luck, draws and any score.

    The chance that strength x beats y is ``(1 - beta) / 2 + beta * F(x - y)``: with probability
    1 - beta a coin decides. F is the `luck` function, with its `scale`; in Python any
    `podium.luck.LuckFunction`. A result that scores θ for the first player multiplies beliefs by
    the chances of ``win^θ loss^(1-θ)``, a draw being one half; a weight is a power of that. Then
    both beliefs drift. Strengths are natural logarithms of odds, 1 being 173.7 rating points;
    `prior_sd`, `drift_sd`, `scale`, `side_advantage` and `reach` are in these units. The rating
    is the mean.

    With `period_days`, all matches of a rating period are judged by the beliefs of its start,
    and beliefs drift between periods that one has played in.

    A predicted win counts a draw as half. A result that the luck function calls
    impossible teaches nothing.
    """

    name: ClassVar[str] = "luck"
    reference: ClassVar[str] = (
        "Cowan, Paired comparisons for games of chance, 2023, arxiv.org/abs/2303.14857"
    )
    table_fields: ClassVar[list[tuple[str, str]]] = [*BASE_FIELDS, *kernel.FIELDS]
    kernel: ClassVar[Any] = kernel
    phrases: ClassVar[Phrases] = Phrases(no_limits=LESS_CERTAIN)
    counts_draws_half: ClassVar[bool] = True
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {"aged": TIMES}
    lasting: ClassVar[tuple[str, ...]] = ("period", "aged")
    on_reset: ClassVar[str] = (
        "The whole belief moves along the grid as far as mu does, and spreads by a normal "
        "distribution, as with absence, until it has the new sigma; what would leave the grid is "
        "dropped. An open rating period ends with it."
    )
    on_start: ClassVar[str] = (
        "The strength of the player is normal with that mean and deviation, as a newcomer's is."
    )
    takes_scores: ClassVar[bool] = True
    most_players: ClassVar[int | None] = 2

    beta: float = parameter(
        0.8,
        "how often the game decides; a coin does otherwise",
        low=0.0,
        high=1.0,
        search=Between(0.3, 1.0, grid=(0.6, 0.8, 0.9, 1.0)),
    )
    luck: str | LuckFunction = parameter(
        "logistic",
        "how the chance of a win follows from strengths; in Python also a LuckFunction",
        choices=tuple(_LUCKS),
    )
    scale: float = parameter(
        1.0,
        "the scale of that curve: of the logistic or Laplace distribution, the standard "
        "deviation of the normal one, the margin of draws",
        low=1e-3,
        high=1e3,
    )
    side_advantage: float = declared.side_advantage(
        "adds to strength", 100.0, Between(0.0, 1.5, grid=(0.0, 0.3, 0.6), needs="side")
    )
    side_luck: LuckFunction | None = parameter(
        None, "in Python: a luck function for the player who has the side", kind=LuckFunction
    )
    prior_mean: float = parameter(0.0, "the mean strength of newcomers", low=-1e3, high=1e3)
    prior_sd: float = parameter(
        0.7,
        "the standard deviation of their strengths",
        low=1e-3,
        high=1e3,
        search=by_factors(0.1, 3.0, 0.3, 0.7, 1.5),
    )
    drift: str | Drift = parameter(
        "normal", "how strengths move after a match; in Python also a Drift", choices=tuple(_DRIFTS)
    )
    drift_sd: float = parameter(
        0.03,
        "the standard deviation of that move",
        low=1e-6,
        high=1e3,
        search=by_factors(0.01, 0.5, 0.015, 0.03, 0.06, 0.12),
    )
    drift_per_day: float = declared.drift_per_day(
        meaning="variance that strength gains per day between matches"
    )
    period_days: float = declared.period_days("match")
    reach: float = parameter(
        7.0, "strengths are looked for from -reach to reach", low=1e-2, high=1e4
    )
    points: int = parameter(1001, "at so many points", low=3, high=100_001)
    algorithm: str = parameter(
        "auto",
        "how to add up: chebyshev for smooth luck functions, laplace, fft, or naive, which is "
        "slow; auto chooses, and the results are the same",
        choices=("auto", "chebyshev", "laplace", "fft", "naive"),
    )
    storage: str = parameter(
        "double",
        "the precision in which beliefs are kept: single halves the memory",
        choices=("double", "single"),
    )
    caution: float = declared.caution(0.0, high=1e3)

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.luck, CoinToss):
            raise InputError(
                f"{self.name}: the coin is a parameter of its own; say luck={self.luck.game!r}, "
                f"beta={self.luck.beta:g}."
            )
        if self.side_luck is not None and self.side_advantage != 0.0:
            raise InputError(
                f"{self.name}: side_luck says what the side is worth, so side_advantage must be 0."
            )
        declared.refuse_short_periods(self, self.period_days)
        if abs(self.prior_mean) > self.reach:
            raise InputError(
                f"{self.name}: prior_mean must lie within the reach of {self.reach:g}, "
                f"not at {self.prior_mean:g}."
            )
        for name, sd in self._spreads.items():
            if sd < 0.5 * self._game.grid.step:
                fine = 1 + math.ceil(self.reach / sd)
                raise InputError(
                    f"{self.name}: {self.points} points from {-self.reach:g} to {self.reach:g} are "
                    f"too coarse for a {name} {sd:g}; at least {fine:,} are needed."
                )
        self._check_algorithm()
        if isinstance(self.drift, Drift):
            _ = self._model  # which looks at the drift, and refuses what is none

    @property
    def _spreads(self) -> dict[str, float]:
        """Deviations that would be lost between points that are far apart."""
        drift = self._drift
        if isinstance(drift, NormalDrift):
            return {"prior_sd of": self.prior_sd, "drift of sd": min(drift.sds)}
        if isinstance(drift, LaplaceDrift):
            return {"prior_sd of": self.prior_sd, "drift of sd": math.sqrt(2.0) * min(drift.scales)}
        return {"prior_sd of": self.prior_sd}

    @property
    def _drift(self) -> Drift:
        return self.drift if isinstance(self.drift, Drift) else _DRIFTS[self.drift](self.drift_sd)

    def _check_algorithm(self) -> None:
        game, wanted = self._game, self.algorithm
        if wanted == "chebyshev" and game.panels is None:
            raise InputError(
                f"{self.name}: algorithm=chebyshev needs a luck function that is smooth on "
                f"{self.points} points, which {self.luck!r} is not; auto finds another."
            )
        if wanted == "laplace" and game.mixture is None:
            raise InputError(
                f"{self.name}: algorithm=laplace needs a luck function that is a mixture of "
                f"Laplace distributions, or heaviside, not {self.luck!r}; auto finds another."
            )
        if wanted == "fft" and not game.by_difference:
            raise InputError(
                f"{self.name}: algorithm=fft needs a luck function of the difference of "
                f"strengths, not {self.luck!r}; auto finds another."
            )

    @cached_property
    def _game(self) -> grids.Game:
        fair = self.luck if isinstance(self.luck, LuckFunction) else _LUCKS[self.luck](self.scale)
        luck = CoinToss(fair, self.beta)
        side: LuckFunction | None = None
        if self.side_luck is not None:
            side = CoinToss(self.side_luck, self.beta)
        elif self.side_advantage != 0.0:
            side = Shifted(luck, self.side_advantage)
        return grids.Game(luck, side, grids.Grid(self.reach, self.points))

    @cached_property
    def _way(self) -> str:
        """The algorithm that is used."""
        if self.algorithm != "auto":
            return self.algorithm
        if self._game.mixture is not None:
            return "laplace"
        if self._game.panels is not None:
            return "chebyshev"
        return "fft" if self._game.by_difference and self.points >= _FFT_FROM else "naive"

    @cached_property
    def _model(self) -> kernel.Model:
        """The parameters as the kernels take them."""
        return grids.model(
            self._game,
            self._drift,
            self._prior,
            self._way,
            exact=self.algorithm == "naive",
            drift_per_day=self.drift_per_day,
            period=self._period,
            centre=RATING_OF_ZERO,
            scale=POINTS_PER_STRENGTH,
        )

    @property
    def pool_per_player(self) -> int:
        """A belief; with rating periods also that of the start of the period."""
        return self.points if self.period_days == 0.0 else 2 * self.points

    @property
    def pool_type(self) -> type[np.floating[Any]]:
        """The precision in which beliefs are kept."""
        return np.float64 if self.storage == "double" else np.float32

    def stored_parameters(self) -> dict[str, Any]:
        """Objects are stored as they are written; functions of one's own with what they say."""
        return {key: self._stored(value) for key, value in self.parameters.items()}

    def _stored(self, value: Any) -> Any:
        if not isinstance(value, LuckFunction | Drift):
            return value
        if isinstance(value, _WRITABLE):
            return repr(value)
        points = self._game.grid.points[:: max(1, self.points // 50)]
        said = np.round(value(points[:, None], points[None, :]), 9)  # the same on any machine
        return f"{value!r}, {hashlib.sha256(said.tobytes()).hexdigest()[:12]}"

    def newcomer(self) -> dict[str, float]:
        """The moments of the prior on the grid."""
        return {"mu": self._newcomer[0], "sigma": self._newcomer[1]}

    @cached_property
    def _newcomer(self) -> tuple[float, float]:
        points, prior = self._game.grid.points, self._prior
        mean = float((prior * points).sum())
        variance = float((prior * (points - mean) ** 2).sum())
        return RATING_OF_ZERO + POINTS_PER_STRENGTH * mean, POINTS_PER_STRENGTH * math.sqrt(
            variance
        )

    @cached_property
    def _prior(self) -> Floats:
        """A normal distribution at the points of the grid: Equation 5."""
        z = (self._game.grid.points - self.prior_mean) / self.prior_sd
        density = np.exp(-0.5 * (z * z - (z * z).min()))
        prior: Floats = density / density.sum()
        return prior

    def move(
        self, beliefs: "Beliefs", players: NDArray[np.int64], mu: Floats, sigma: Floats
    ) -> None:
        """Along the grid; mu and sigma are as wanted, whatever the grid makes of them."""
        kernel.move(self._model, beliefs.table, beliefs.pool, players, mu, sigma)

    def start(
        self, beliefs: "Beliefs", players: NDArray[np.int64], mu: Floats, sigma: Floats
    ) -> None:
        """As newcomers of another prior, if it is another."""
        super().start(beliefs, players, mu, sigma)
        usual_mu, usual_sigma = self._newcomer
        as_usual = np.isnan(sigma) | (sigma == usual_sigma)
        mean = np.where(mu == usual_mu, self.prior_mean, _strength(mu))
        deviation = np.where(as_usual, self.prior_sd, sigma / POINTS_PER_STRENGTH)
        other = ~(as_usual & (mu == usual_mu))
        kernel.begin_at(
            self._model, beliefs.table, beliefs.pool, players[other], mean[other], deviation[other]
        )

    def _refuse_newcomer(self, mu: float | None, sigma: float | None) -> None:
        super()._refuse_newcomer(mu, sigma)
        mean = self.prior_mean if mu is None else _strength(mu)
        deviation = self.prior_sd if sigma is None else sigma / POINTS_PER_STRENGTH
        try:
            dataclasses.replace(self, prior_mean=mean, prior_sd=deviation)
        except InputError as error:
            raise InputError(f"no player can begin there: {error}") from None

    def begin_time(self, beliefs: "Beliefs", time: int) -> None:
        """In one rating period with the first contest that has a time."""
        super().begin_time(beliefs, time)
        table = beliefs.table[: len(beliefs)]
        played = table["contests"] > 0
        table["aged"][played] = time
        if self._period > 0:
            table["period"][played] = time // self._period

    def flaw(self, beliefs: "Beliefs") -> str | None:
        """Probabilities within their ranges too."""
        if said := super().flaw(beliefs):
            return said
        table, stride = beliefs.table[: len(beliefs)], self.pool_per_player
        pool, played = beliefs.pool[: len(table) * stride], np.flatnonzero(table["hi"])
        if len(pool) and pool.min() < 0.0:
            return "a probability is negative"
        ranges = (("lo", "hi"), ("start_lo", "start_hi"))[: stride // self.points]
        for part, (low, high) in enumerate(ranges):
            lo, hi = (table[name].astype(np.int64) for name in (low, high))
            if (lo < 0).any() or (lo > hi).any() or (hi > self.points).any():
                return "a range of strengths lies outside the grid"
            if not _sum_to_one(pool, played * stride + part * self.points, lo[played], hi[played]):
                return "probabilities do not sum to one"
        return None

    @property
    def _period(self) -> int:
        """In microseconds."""
        return round(self.period_days * MICROSECONDS_PER_DAY)

    def aged(
        self, beliefs: "Beliefs", players: "NDArray[Any] | slice", time: int | None = None
    ) -> tuple[Floats, Floats]:
        """Beliefs spread with absence by `drift_per_day`."""
        if time is None or self.drift_per_day == 0.0:
            return super().aged(beliefs, players)
        ids = np.arange(len(beliefs))[players]
        moments: Floats = kernel.moments_at(self._model, beliefs.table, beliefs.pool, ids, time)
        return moments[0], moments[1]

    def belief(self, beliefs: "Beliefs", player: int, time: int | None = None) -> "Belief":
        """All that is believed of a player's strength, as of a time."""
        from podium.luck.beliefs import Belief

        when = _NOW if time is None else time
        probabilities = kernel.belief(self._model, beliefs.table, beliefs.pool, player, when)
        return Belief(self._game.grid.points, probabilities)

    def stronger_probability(
        self, beliefs: "Beliefs", a: Competitor, b: Competitor, *, time: int | None = None
    ) -> float:
        """The probability that a is stronger than b, who may win all the same."""
        first, second = (self.belief(beliefs, _alone(each), time) for each in (a, b))
        return first.stronger_than(second)

    def pair_chances(
        self, beliefs: "Beliefs", pair: Sequence[Competitor], time: int | None = None, side: int = 0
    ) -> tuple[float, float]:
        """The expected score of the first of two by Model 2.1, a draw counting half, and 0."""
        first, second = (_alone(each) for each in pair)
        when = _NOW if time is None else time
        which = 0 if self._game.side is None else side + 1
        room = kernel.new_room(self._model)
        win: float = kernel.expected_score(
            self._model, beliefs.table, beliefs.pool, first, second, when, which, room
        )
        return win, 0.0

    def pair_scores(
        self,
        beliefs: "Beliefs",
        first: NDArray[np.int64],
        second: NDArray[np.int64],
        time: int | None = None,
    ) -> Floats:
        """The same of many pairs, of neither side, at the temperature of the beliefs."""
        when = _NOW if time is None else time
        which = 0 if self._game.side is None else 1
        room = kernel.new_room(self._model)
        own: Floats = kernel.expected_scores(
            self._model, beliefs.table, beliefs.pool, first, second, when, which, room
        )
        if beliefs.temperature == 1.0:
            return own
        found: Floats = tempered(own, np.full(len(own), beliefs.temperature))
        return found

    def performances(self, field: Field) -> Performances:
        """Strengths as such, whose order is not that of the results."""
        return Performances(fields.NORMAL, field.mu, np.sqrt(field.variance))

    def fold(
        self, beliefs: "Beliefs", columns: "Columns", first: int, last: int, events: Floats
    ) -> int:
        """Match after match."""
        self._replay(beliefs, columns, first, last, events, _NOTHING)
        return last

    def backtest(
        self, beliefs: "Beliefs", columns: "Columns", events: Floats, *, threads: int = 1
    ) -> Floats:
        """Fold all contests; the expected score of the first row of every match."""
        matches = len(columns.offsets) - 1
        expected = np.empty(matches)
        self._replay(beliefs, columns, 0, matches, events, expected)
        return expected

    def _replay(
        self,
        beliefs: "Beliefs",
        columns: "Columns",
        first: int,
        last: int,
        events: Floats,
        expected: Floats,
    ) -> None:
        fold = fourier.fold_contests if self._way == "fft" else kernel.fold_contests
        matches = kernel.Matches(
            offsets=columns.offsets,
            player=columns.player,
            rank=columns.rank,
            side=_NO_SIDES if columns.side is None else columns.side,
            score=_NOTHING if columns.score is None else columns.score,
            time=columns.time,
            weight=columns.weight,
            events=events,
            expected=expected,
        )
        fold(self._model, beliefs.table, beliefs.pool, matches, first, last)

    def _validated(self, field: "dataclasses.Field[Any]", value: Any) -> Any:
        if field.name not in _OBJECTS:
            return super()._validated(field, value)
        kind, names = _OBJECTS[field.name]
        if isinstance(value, str) and value not in names:
            writable = [each for each in _WRITABLE if issubclass(each, kind)]
            value = written_out(value, writable) or value
        named = isinstance(value, str) and value in names
        if named or isinstance(value, kind) or (value is None and not names):
            return value
        wanted = " or ".join((*names, f"a {kind.__name__}"))
        raise InputError(
            f"{self.name}: {field.name} must be {wanted}, not {value!r}{suggestion(value, names)}."
        )


def _sum_to_one(
    pool: NDArray[Any], start: NDArray[np.int64], lo: NDArray[np.int64], hi: NDArray[np.int64]
) -> bool:
    """Whether the probabilities in these ranges do, as far as single precision goes."""
    if not (lo < hi).all():
        return False
    sums = reduced(np.add, pool, start + lo, hi - lo)
    return bool((abs(sums - 1.0) < _ROUNDING).all())


def _strength(rating: Numbers) -> Numbers:
    """Of a rating."""
    return (rating - RATING_OF_ZERO) / POINTS_PER_STRENGTH


def _alone(competitor: Competitor) -> int:
    """The one player of a competitor."""
    return competitor if isinstance(competitor, int) else competitor[0]
