"""Elo: the best known rating, with what chess and football have added to it.

Choose Elo for a number that everybody can follow with a pocket calculator, or to compare with: it
has no uncertainty, so newcomers are slow to arrive unless K is higher for them. With sides,
margins of victory, FIDE's rules for K and its table of expected scores.

Example:
    >>> import podium
    >>> ladder = podium.Ladder("elo", k=32)
    >>> ladder.record(["ann", "bob"])
    >>> ladder.record([("ann", "cat")])
    >>> round(ladder["ann"].mu, 2), round(ladder["cat"].mu, 2)
    (1515.26, 1500.74)

    FIDE's rules, game by game:
    >>> fide = podium.system("elo", k=20, k_new=40, k_top=10, curve="fide", cap=400)

    World Football Elo's rules, with the importance of a match as its weight:
    >>> football = podium.system("elo", k=20, side_advantage=100, margin="football")

References: Arpad E. Elo, *The Rating of Chessplayers, Past and Present*, Arco 1978; FIDE Handbook
B.02, https://handbook.fide.com/chapter/B022024; World Football Elo Ratings,
https://www.eloratings.net/about; FiveThirtyEight, *How our NFL predictions work*.
"""

import dataclasses
import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.numerics import elo as kernel
from podium.numerics import fields, pair_sums
from podium.numerics.threads import in_chunks
from podium.systems import declared, places
from podium.systems.base import BASE_FIELDS, Field, Floats, IfPlaced, Performances, parameter
from podium.systems.compiled import Compiled, Rows
from podium.systems.explained import Limits, Phrases, Result
from podium.systems.past import Past
from podium.systems.search import Between, OneOf, Search, by_factors

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns

_NO_SIDES = np.empty(0, np.int8)
_NO_MARGINS = np.empty(0)
_CURVES = {"logistic": kernel.LOGISTIC, "normal": kernel.NORMAL, "fide": kernel.FIDE}
_MARGINS = {"none": kernel.NO_MARGIN, "football": kernel.FOOTBALL, "log": kernel.LOGARITHM}


def _k(default: float | None, meaning: str, search: Search | None = None) -> Any:
    return parameter(default, meaning, kind=float, low=0.0, high=1e4, search=search)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Elo(Compiled):
    """The classic, for any number of players: sides, margins of victory, FIDE's rules.

    After a match, ``mu += K (score - expected score)``; a draw scores one half. In a
    contest of more than two everybody plays everybody, and the mean of the scores counts, or
    with ``contest="sum"`` all of them. The weight of a contest multiplies K.

    K is `k`; `k_new` for a player's first `contests_new` contests; `k_top` for ever once the
    rating has reached `top` and these contests are over. The expected score follows
    from the difference d of the ratings, or `cap` if that is less: "logistic",
    ``1 / (1 + 10^(-d/scale))``; "normal", of the standard deviation ``scale / √2``; "fide", FIDE's
    table. All but the logistic without a cap take quadratic time in large contests.

    `side_advantage` is added to the difference for the one who has the side. With a
    `margin` of victory m between two, K is multiplied: "football", by 1, 3/2, 7/4, 15/8, 2, … for
    m = 1, 2, 3, 4, 5, …; "log", by ``ln(1 + max(m, 1)) * 2.2 / (2.2 + d / 1000)``, d
    being the rating of the winner above that of the loser.

    There is no uncertainty. Elo's expected score counts a draw as half, and so does what is
    predicted as the probability of a win.
    """

    name: ClassVar[str] = "elo"
    reference: ClassVar[str] = (
        "Elo, The Rating of Chessplayers, Past and Present, 1978; FIDE Handbook B.02"
    )
    table_fields: ClassVar[list[tuple[str, str]]] = [*BASE_FIELDS, *kernel.FIELDS]
    kernel: ClassVar[Any] = kernel
    phrases: ClassVar[Phrases] = Phrases(
        no_limits="they depend on the margin of the result, which multiplies every change."
    )
    counts_draws_half: ClassVar[bool] = True
    on_reset: ClassVar[str] = (
        "Mu moves; there is no sigma. Who has reached `top` has, and keeps `k_top`; contests count "
        "on, so that nobody has `k_new` again."
    )
    on_start: ClassVar[str] = (
        "The player has that mu, and has not reached `top` before the next contest says so. "
        "There is no sigma to start with."
    )

    k: float = _k(
        32.0,
        "K: what a surprise of one whole point counts",
        by_factors(2.0, 500.0, 10.0, 20.0, 32.0, 64.0, 128.0),
    )
    k_new: float | None = _k(
        None,
        "K of players in their first contests",
        by_factors(2.0, 1000.0, 20.0, 40.0, 80.0, 160.0),
    )
    contests_new: int = parameter(30, "for so many first contests k_new holds", low=0, high=10**9)
    k_top: float | None = _k(None, "K of players who have once reached `top`")
    top: float = parameter(2400.0, "the rating from which on k_top holds", low=-1e6, high=1e6)
    curve: str = parameter(
        "logistic", "how expected scores follow from ratings", choices=tuple(_CURVES)
    )
    scale: float = declared.positive(
        400.0, "the difference at which the odds are 10 to 1, by the logistic curve"
    )
    cap: float | None = parameter(
        None, "larger differences of ratings count as this; FIDE: 400", kind=float, above=0.0
    )
    side_advantage: float = declared.side_advantage(
        "is worth in rating points", 1e4, Between(0.0, 200.0, grid=(0.0, 50.0, 100.0), needs="side")
    )
    margin: str = parameter(
        "none",
        "how K grows with the margin of victory",
        choices=tuple(_MARGINS),
        search=OneOf(tuple(_MARGINS), needs="margin"),
    )
    contest: str = declared.contest()
    mu_new: float = declared.mu_new()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.curve == "fide" and self.scale != 400.0:
            raise InputError(
                f"{self.name}: FIDE's table has a scale of 400, so it cannot be {self.scale:g}."
            )

    @property
    def looks_at(self) -> tuple[str, ...]:
        """The rating."""
        return declared.moments(self)

    def retrace(self, beliefs: "Beliefs", player: int, past: Past) -> bool:
        """With whether `top` was ever reached."""
        beliefs.table["reached_top"][player] = (past.events[3] >= self.top).any()
        return super().retrace(beliefs, player, past)

    @property
    def falls_with_rank(self) -> bool:
        """Expected scores do not depend on the result."""
        return True

    def limits(self, result: Result) -> Limits | None:
        """K, times what the contest counts; None if K grows with a margin of victory."""
        opponents = len(result.heads) - 1
        if self.margin != "none" and result.columns.margin is not None and opponents == 1:
            return None
        s, record, mu = self._settings[0][0], result.before.table[result.player], result.mu[0]
        k = kernel.gain(record, s["contests_new"], s["k_new"], s["k"], s["k_top"])
        most = k * result.weight * (opponents if self.contest == "sum" else 1.0)
        return Limits(mu - most, mu + most)

    def chances(self, field: Field, side: int = 0) -> tuple[float, float]:
        """The expected score of the first of two, a draw counting half, and 0."""
        difference = field.mu[0] - field.mu[1] + side * self.side_advantage
        return float(kernel.expected(*self._settings, difference)), 0.0

    def expected_scores(self, first: Field, second: Field, side: Floats) -> Floats:
        """By the curve, with the advantage of the side."""
        difference = first.mu - second.mu + side * self.side_advantage
        expected: Floats = kernel.expected_of_pairs(*self._settings, difference)
        return expected

    def performances(self, field: Field) -> Performances:
        """Performances that compare by the curve, without a cap."""
        if self.curve == "logistic":
            return Performances(fields.GUMBEL, field.mu, np.full(len(field.mu), self._scale))
        deviation = kernel.FIDE_DEVIATION if self.curve == "fide" else self._scale
        return Performances(
            fields.NORMAL, field.mu, np.full(len(field.mu), deviation / math.sqrt(2.0))
        )

    @property
    def _scale(self) -> float:
        return self.scale / (math.log(10.0) if self.curve == "logistic" else math.sqrt(2.0))

    def _besides(self, columns: "Columns", first: int, last: int) -> tuple[Any, ...]:
        side = _NO_SIDES if columns.side is None else columns.side
        return side, _NO_MARGINS if columns.margin is None else columns.margin

    def if_placed(self, beliefs: "Beliefs", columns: "Columns", row: int) -> IfPlaced:
        """The score that was expected is the same at all places."""
        players, _, time, weight, _ = Rows.of(columns, 0)
        n, (settings,) = len(players), self._settings
        mu, total, seen = np.empty(n), np.empty(n), places.events(n)
        sides = _NO_SIDES if columns.side is None else columns.side
        kernel.shifted(beliefs.table, settings, players, sides, mu)
        kernel.expected_pair_by_pair(settings, mu, row, row + 1, total)
        total[:] = total[row]
        table, ids = places.copies(beliefs, int(players[row]), n)
        kernel.conclude(table, settings, ids, places.every(n), time, weight, total, seen)
        return lambda ahead: seen[:, ahead]

    def fold_large(
        self, beliefs: "Beliefs", columns: "Columns", contest: int, seen: Floats, threads: int
    ) -> None:
        """One contest with threads sharing the sums over opponents."""
        players, ranks, time, weight, _ = Rows.of(columns, contest)
        rows = slice(columns.offsets[contest], columns.offsets[contest + 1])
        sides = _NO_SIDES if columns.side is None else columns.side[rows]
        n, table, (settings,) = len(players), beliefs.table, self._settings
        mu, total = np.empty(n), np.empty(n)
        kernel.shifted(table, settings, players, sides, mu)
        if kernel.in_linear_time(settings):
            scale, slope = np.full(n, self._scale), np.empty(n)
            pair_sums.at_own_ratings_in_threads(mu, scale, total, slope, threads)
            total *= self._scale
        else:

            def add_up(first: int, last: int) -> None:
                kernel.expected_pair_by_pair(settings, mu, first, last, total)

            in_chunks(add_up, n, threads, kernel.CHUNK)
        kernel.conclude(table, settings, players, ranks, time, weight, total, seen)

    @cached_property
    def _settings(self) -> tuple[NDArray[Any]]:
        settings = self._record(
            k_new=self.k if self.k_new is None else self.k_new,
            contests_new=0 if self.k_new is None else self.contests_new,
            k_top=self.k if self.k_top is None else self.k_top,
            curve=_CURVES[self.curve],
            scale=self._scale,
            steepness=1.0 / self._scale,
            cap=math.inf if self.cap is None else self.cap,
            margin=_MARGINS[self.margin],
            all_games=self.contest == "sum",
        )
        return (settings,)
