"""What every rating system is: validated parameters, and a fold over contests.

A system is a frozen dataclass. Its parameters are declared with `parameter`, which carries their
meaning and range, so that validation, the command line and the documentation read
one declaration. A system keeps no state: what it believes is in a `Beliefs`, and the same
beliefs and contest give the same result to the bit, whatever the number of threads.
"""

import dataclasses
import itertools
import math
import numbers
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError, PodiumError
from podium.numerics import fields
from podium.numerics import temperature as kernel
from podium.numerics.columns import MICROSECONDS_PER_DAY
from podium.numerics.teams import competitors
from podium.systems.explained import Limits, Mean, Phrases, Result
from podium.systems.past import Past
from podium.systems.search import Search
from podium.wording import decimals, suggestion

if TYPE_CHECKING:
    from podium.luck.beliefs import Belief
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns
    from podium.systems.lessons import Lessons

Floats = NDArray[np.float64]
Numbers = TypeVar("Numbers", float, NDArray[np.float64])
Competitor = int | Sequence[int]
"""A player's id, or the ids of a team."""

IfPlaced = Callable[[NDArray[np.int64]], Floats]
"""From how many other rows of a contest are ahead, who keep their order, to events: a column each.
"""


class IfPerformed(NamedTuple):
    """What a contest would do to its rows by themselves, had each of them another performance."""

    events: Callable[[NDArray[np.int64], Floats], Floats]
    """From rows, and a performance for each, to events: a column each."""
    most_ahead: Callable[[NDArray[np.int64], Floats], NDArray[np.int64]]
    """From the same to how many of the others can be ahead of each, who keep their order, so that
    the performance is at least that; -1 if none may, and not even then it is."""
    low: float
    """Below any performance in the contest."""
    high: float
    """Above any."""


EVENTS = ("performance", "mu_before", "sigma_before", "mu", "sigma")
"""The rows of the array that `System.update_many` fills, one column per participation."""

FORECAST = ("forecast", "spread")
"""What a system that forecasts says of every player besides the rating, and in a league of every
participation."""

NOBODY_ASKS = np.empty((len(EVENTS), 0))
"""What kernels get for events if nobody wants to know."""

BASE_FIELDS = [("mu", "f8"), ("sigma", "f8"), ("last_time", "i8"), ("contests", "i4")]
"""What every system believes about a player; `last_time` in microseconds since 1970.

A system without a notion of uncertainty keeps NaN as sigma.
"""

ANY = (-1e16, 1e16)
NOT_NEGATIVE = (0.0, 1e16)
POSITIVE = (1e-100, 1e100)
"""Ranges of columns: ratings and uncertainties, and what may be very small or large."""

TIMES = (-62_135_596_800_000_000, 253_402_300_800_000_000)
"""The years 1 to 9999."""
_BASE_RANGES = {
    "mu": ANY,
    "sigma": NOT_NEGATIVE,
    "last_time": TIMES,
    "contests": (0, 10**9),
}
_FINITE = (-sys.float_info.max, sys.float_info.max)


class Field(NamedTuple):
    """Who is to meet whom: one entry for each competitor, who may be a team."""

    mu: Floats
    """The sum of the members' ratings."""
    variance: Floats
    """The sum of the squares of their uncertainties."""
    size: NDArray[np.int64]
    """How many they are."""

    def among(self, rows: NDArray[np.int64] | slice) -> "Field":
        """Some of them."""
        return Field(self.mu[rows], self.variance[rows], self.size[rows])

    def tempered(self, temperature: float | Floats) -> "Field":
        """The same with differences multiplied by a temperature, or each by its own."""
        return self._replace(mu=temperature * self.mu)


class Standings(NamedTuple):
    """How one contest ended: a row for each player, best first."""

    rank: NDArray[np.int32]
    """1 is best, ties share the smallest rank of their group."""
    competitor: NDArray[np.int32]
    """The number of the competitor, from 0: rows of a team, which share a rank, have the same."""
    time: int
    """Microseconds since 1970, UTC."""
    weight: float
    """How much it counts."""
    perf_ceiling: float
    """The highest performance that it can show, or infinity."""
    share: Floats
    """The part of the contest that each player took part in, above 0 and at most 1."""
    side: NDArray[np.int8]
    """1 has the advantage of the side (home, white, first), -1 the opposite, 0 neither."""
    margin: float
    """By how much it was won, in whatever the game counts; NaN if nobody said."""
    score: float
    """Of a match: the score of the first row, from ½ to 1; NaN where the ranks say it all."""
    shared: Floats
    """What all players of the system share, as `new_shared` began it, to be changed in place."""

    @classmethod
    def of(cls, columns: "Columns", contest: int, shared: Floats) -> "Standings":
        """Those of one of many contests."""
        rows = slice(*columns.offsets[contest : contest + 2].tolist())
        n = rows.stop - rows.start
        alone, team = np.arange(n, dtype=np.int32), columns.team
        return cls(
            rank=columns.rank[rows],
            competitor=alone if team is None else competitors(np.array((0, n)), team[rows]),
            time=int(columns.time[contest]),
            weight=float(columns.weight[contest]),
            perf_ceiling=float(columns.perf_ceiling[contest]),
            share=np.ones(n) if columns.share is None else columns.share[rows],
            side=np.zeros(n, np.int8) if columns.side is None else columns.side[rows],
            margin=math.nan if columns.margin is None else float(columns.margin[contest]),
            score=math.nan if columns.score is None else float(columns.score[contest]),
            shared=shared,
        )

    @property
    def scores(self) -> Floats:
        """What each scored against the others on average: a win is 1 and a tie ½."""
        if not math.isnan(self.score):
            return np.array((self.score, 1.0 - self.score))
        rank = self.rank[np.unique(self.competitor, return_index=True)[1]]
        ahead, behind = np.searchsorted(rank, rank), np.searchsorted(-rank[::-1], -rank)
        scores: Floats = 0.5 + 0.5 * (behind - ahead) / (len(rank) - 1)
        return scores[self.competitor]


class Performances(NamedTuple):
    """Independent performances of all competitors, of one family of distributions."""

    family: int
    """One of `podium.numerics.fields`: NORMAL, LOGISTIC, GUMBEL or TABULATED."""
    location: Floats
    scale: Floats
    table: Floats = fields.NO_TABLE
    """The standard distribution where it has no formula; see `podium.numerics.fields`."""

    @classmethod
    def normal(cls, location: Floats, deviation: float | Floats) -> "Performances":
        """Normal ones, of these standard deviations or of one that all share."""
        return cls(fields.NORMAL, location, np.broadcast_to(deviation, location.shape).copy())

    @classmethod
    def logistic(cls, location: Floats, scale: float | Floats) -> "Performances":
        """Logistic ones: ``1 / (1 + exp(-x / scale))`` is the chance to be at most x above."""
        return cls(fields.LOGISTIC, location, np.broadcast_to(scale, location.shape).copy())

    @classmethod
    def gumbel(cls, location: Floats, scale: float | Floats) -> "Performances":
        """Those of Elo and Luce: a lead of d wins with the chance ``1 / (1 + exp(-d / scale))``."""
        return cls(fields.GUMBEL, location, np.broadcast_to(scale, location.shape).copy())


class RankProbabilities(NamedTuple):
    """How a contest may end, for every competitor; ties are split evenly."""

    first: Floats
    """The probability of the first place."""
    top: Floats
    """The probability of a place among the best few."""
    expected_rank: Floats


class Reset(NamedTuple):
    """How a season begins: every rating is pulled part of the way, and is less certain."""

    pull: float
    """The part of the way, from 0 to 1."""
    toward: float | None = None
    """Where to, as mu; None for where newcomers begin."""
    sigma: float | None = None
    """The least uncertainty afterwards; None for `pull` of the way to a newcomer's variance."""

    def moments(
        self, start: Mapping[str, float], mu: Floats, sigma: Floats
    ) -> tuple[Floats, Floats]:
        """What it makes of mu and sigma, in every system; `start` is the newcomer of this one.

        Nobody passes where they are pulled to, nor anybody else, to the last bit. Nobody becomes
        more certain, and a sigma that a system does not have stays NaN.

        Example:
            >>> newcomer = {"mu": 1500.0, "sigma": 350.0}
            >>> Reset(0.5).moments(newcomer, np.array([1900.0]), np.array([50.0]))
            (array([1700.]), array([250.]))
            >>> Reset(0.25, 1000.0, 80.0).moments(newcomer, np.array([1200.0]), np.array([50.0]))
            (array([1150.]), array([80.]))
        """
        toward = start.get("mu", 0.0) if self.toward is None else self.toward
        pulled: Floats = (1.0 - self.pull) * mu + self.pull * toward
        pulled = np.clip(pulled, np.minimum(mu, toward), np.maximum(mu, toward))
        least: float | Floats
        if self.sigma is None:
            usual = start.get("sigma", 0.0)
            least = np.sqrt(sigma * sigma + self.pull * (usual * usual - sigma * sigma))
        else:
            least = self.sigma
        return pulled, np.maximum(sigma, least)


_NEAR = 1e-9
"""A rating this near to the performance does not say which part of the way it has gone."""

_LARGEST: dict[type, float] = {int: 2**62, float: sys.float_info.max}
"""Numbers beyond count as infinite."""


def parameter(
    default: Any,
    meaning: str,
    *,
    kind: type | None = None,
    low: float = -math.inf,
    high: float = math.inf,
    above: float = -math.inf,
    infinite: bool = False,
    choices: tuple[str, ...] = (),
    search: Search | None = None,
) -> Any:
    """Declare a parameter: what it means, and the values that it may have.

    `low` and `high` are themselves allowed, `above` is not. `kind` is the type of the default
    unless the default is None, which is then allowed too. `infinite` allows infinity.
    A text is one of the `choices`. Tuning looks for the best value where `search` says.
    """
    metadata = {
        "meaning": meaning,
        "kind": kind or type(default),
        "low": low,
        "high": high,
        "above": above,
        "infinite": infinite,
        "choices": choices,
        "search": search,
    }
    return dataclasses.field(default=default, metadata=metadata)


@dataclasses.dataclass(frozen=True)
class System(ABC):
    """A rating system: parameters, and how beliefs change with a contest; threads may share it."""

    name: ClassVar[str]
    table_fields: ClassVar[list[tuple[str, str]]] = BASE_FIELDS
    """The columns of its beliefs; `BASE_FIELDS` first."""
    reference: ClassVar[str] = ""
    """Where it was published."""
    kernel: ClassVar[Any] = None
    """The module of its compiled kernels, with `fold_contests`."""
    takes_teams: ClassVar[bool] = False
    """Whether a team can take a place in its contests."""
    takes_scores: ClassVar[bool] = False
    """Whether a match can have any score from 0 to 1, and not only a winner or a draw."""
    most_players: ClassVar[int | None] = None
    """How many can take part in a contest, if there is a limit."""
    forecasts: ClassVar[bool] = False
    """Whether it expects players elsewhere than where it rates them; see `forecast`."""
    counts_draws_half: ClassVar[bool] = False
    """Whether its probability of a win is an expected score, in which a draw is half a win."""

    places_in_pool: ClassVar[tuple[str, ...]] = ()
    """The fields of a record that say where in the pool a player's part is."""

    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {}
    """The least and the largest value of columns, where a damaged file could say others."""

    lasting: ClassVar[tuple[str, ...]] = ()
    """The columns of its own that a start leaves as they are: times, and what is counted."""

    on_reset: ClassVar[str] = "Mu and sigma are all that is believed of a player, and both move."
    """What a reset does to what it believes, in a sentence or two; see `reset`."""
    on_start: ClassVar[str] = "The player is a newcomer of that mu and sigma."
    """What a start means to it; see `start`."""

    def __post_init__(self) -> None:
        if any(isinstance(value, dataclasses.Field) for value in vars(type(self)).values()):
            refuse_unfinished(type(self))
        for field in dataclasses.fields(self):
            value = self._validated(field, getattr(self, field.name))
            object.__setattr__(self, field.name, value)

    def __getstate__(self) -> dict[str, Any]:
        """The parameters: what was computed from them, another process computes anew."""
        return self.parameters

    @classmethod
    def build(cls, parameters: Mapping[str, Any]) -> Self:
        """The system with these parameters."""
        for key in parameters:
            cls.declaration(key)
        return cls(**parameters)

    @classmethod
    def declaration(cls, key: str) -> "dataclasses.Field[Any]":
        """How a parameter is declared; one that it does not have is an error."""
        known = {field.name: field for field in dataclasses.fields(cls)}
        if key not in known:
            raise InputError(
                f"{cls.name} has no parameter {key!r}{suggestion(key, known)}; "
                f"its parameters are {', '.join(known)}."
            )
        return known[key]

    @classmethod
    def parse(cls, texts: Mapping[str, str]) -> Self:
        """The system with parameters given as text, as on a command line."""
        kinds = {field.name: field.metadata["kind"] for field in dataclasses.fields(cls)}
        return cls.build(
            {key: _from_text(kinds.get(key, str), text) for key, text in texts.items()}
        )

    @classmethod
    def checked(cls, key: str, value: Any) -> Any:
        """The value of one parameter, as a system keeps it; what others it suits is not checked."""
        return cls()._validated(cls.declaration(key), value)

    @classmethod
    def parse_value(cls, key: str, text: str) -> Any:
        """The same, given as text."""
        return cls.checked(key, _from_text(cls.declaration(key).metadata["kind"], text))

    @property
    def parameters(self) -> dict[str, Any]:
        """The values of all parameters, by name."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    @classmethod
    def document(cls, *, about: bool = False) -> dict[str, Any]:
        """What it is and what its parameters are, as JSON says it; `about` adds all its words."""
        from podium.systems import describing

        said = describing.document(cls)
        return {**said, "about": describing.about(cls)} if about else said

    def stored_parameters(self) -> dict[str, Any]:
        """The parameters as they are written to files."""
        return self.parameters

    @property
    def pool_per_player(self) -> int:
        """Numbers that every player has in the pool, if all have as many."""
        return 0

    @property
    def pool_type(self) -> type[np.floating[Any]]:
        """The precision of the pool."""
        return np.float64

    def new_arena(self) -> NDArray[np.int64]:
        """The bookkeeping of an empty pool; [0] is always the end of its used part."""
        return np.zeros(1, np.int64)

    def new_shared(self) -> Floats:
        """What all players share, as `Beliefs.shared`, before the first contest.

        A few numbers that contests change, as a learned drift; always as many. By default, none.
        """
        return np.zeros(0)

    def lessons(
        self, beliefs: "Beliefs", columns: "Columns", report: Callable[[int, int], None]
    ) -> "Lessons | None":
        """Fold contests into beliefs of newcomers, and say what they have taught about all players.

        None if the system learns nothing that players share. An `InputError` where the contests
        are too few to have taught anything.
        """
        return None

    def begin_time(self, beliefs: "Beliefs", time: int) -> None:
        """Date all contests so far, none of which had a time, at the first that is given.

        A system that keeps times in columns of its own dates these too.
        """
        table = beliefs.table[: len(beliefs)]
        table["last_time"][table["contests"] > 0] = time

    def carry_over(self, player: int, source: "Beliefs", target: "Beliefs") -> None:
        """Let `target` believe of a player what `source` does; both are of this system."""
        part = slice(player * self.pool_per_player, (player + 1) * self.pool_per_player)
        target.table[player] = source.table[player]
        target.pool[part] = source.pool[part]

    def memories(
        self, beliefs: "Beliefs", players: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """What these players have in the pool: how many numbers each, and all of them in a row."""
        size = self.pool_per_player
        rows = beliefs.pool[: len(beliefs) * size].reshape(len(beliefs), size)
        return np.full(len(players), size), rows[players].ravel()

    def remember(self, beliefs: "Beliefs", sizes: NDArray[np.int64], memory: NDArray[Any]) -> None:
        """Put memories of all players into a pool that has none yet."""
        beliefs.pool[: len(memory)] = memory

    def copy_memories(
        self, source: "Beliefs", players: NDArray[np.int64], target: "Beliefs"
    ) -> None:
        """Give the players of `target`, who are these, what they have in the pool of `source`.

        Their records are there already.
        """
        self.remember(target, *self.memories(source, players))

    def memory_sizes(self, table: NDArray[Any]) -> NDArray[np.int64]:
        """How many numbers in the pool belong to each player, by their records."""
        return np.full(len(table), self.pool_per_player)

    def flaw(self, beliefs: "Beliefs") -> str | None:
        """What makes beliefs from a file or a database unusable, as a clause; None if nothing does.

        Their types, shapes and names are in order. By default, columns must be within `ranges`,
        and all other numbers finite, unless those of newcomers are not. A system that relies on
        more looks at that too: what it does with the state must never depend on who wrote it.
        """
        table, start = beliefs.table[: len(beliefs)], self.newcomer()
        for name in (table.dtype.names or ()) if len(table) else ():
            column = np.ascontiguousarray(table[name])
            low, high = self.ranges.get(name) or _BASE_RANGES.get(name, _FINITE)
            finite = math.isfinite(start.get(name, 0.0))
            if column.dtype.kind in "fiu" and not within(column, low, high, finite):
                return f"the column {name} holds what it cannot"
        shared = self.new_shared()
        if not np.isfinite(beliefs.shared[np.isfinite(shared)]).all():
            return "what all players share is not finite"
        if self.places_in_pool:
            return None
        if int(beliefs.arena[0]) != len(table) * self.pool_per_player:
            return "the pool has another size than the players need"
        pool = beliefs.pool[: int(beliefs.arena[0])]
        return None if within(pool, *_FINITE) else "the pool holds what is not finite"

    def newcomer(self) -> dict[str, float]:
        """The columns in which a newcomer's belief differs from zero.

        By default mu is the parameter `mu_new`, or 1500, and sigma `sigma_new`, or NaN.
        """
        return {
            "mu": getattr(self, "mu_new", 1500.0),
            "sigma": getattr(self, "sigma_new", math.nan),
        }

    def rate_contest(self, players: NDArray[Any], standings: Standings) -> Floats | None:
        """Change what is believed of the players of one contest: all that a system needs to do.

        `players` has a record for each of them, in the order of the standings, with the columns
        `table_fields`: ``players["mu"] += 1.0`` is enough. Sigma has grown by what `aged` says; the
        number of contests and the time of the last one are counted by themselves. There are at
        least two competitors. What is returned is everybody's performance, if it is known.

        A system with compiled kernels has `fold` instead.
        """
        raise NotImplementedError

    def newcomer_at(self, mu: float, sigma: float) -> dict[str, float] | None:
        """The same for newcomers of whom something is known, by `mu_new` and `sigma_new`.

        Times, if it has any, are from now on. None if the system has no such parameter: then all
        its newcomers are alike.
        """
        known = {"mu_new": mu, "sigma_new": sigma}
        changes = {key: value for key, value in known.items() if key in self.parameters}
        return dataclasses.replace(self, **changes).newcomer() if "mu_new" in changes else None

    def newcomers_at(self, mu: Floats, sigma: Floats) -> dict[str, Any]:
        """The columns of newcomers of whom that much is known, where a NaN is a newcomer's sigma.

        As `newcomer`, with a number for all of them or one for each. What is theirs in the pool is
        zero.
        """
        known = self.newcomer()
        usual = known.get("sigma", 0.0)
        own = np.where(np.isnan(sigma) | math.isnan(usual), usual, sigma)
        return {**known, "mu": mu, "sigma": own}

    def reset_moments(self, mu: Floats, sigma: Floats, reset: Reset) -> tuple[Floats, Floats]:
        """What a reset makes of mu and sigma, to the bit; of those in a history too."""
        return reset.moments(self.newcomer(), mu, sigma)

    def reset(self, beliefs: "Beliefs", players: NDArray[np.int64], reset: Reset) -> None:
        """Let a season begin for these players, who are distinct: see `Reset`.

        Their mu and sigma become what `reset_moments` says. Contests and times stay, and so does
        what all players share. Of whom neither changes, nothing else does.
        """
        self.refuse_reset(reset)
        table, players = beliefs.table, np.asarray(players, np.int64)
        old_mu, old_sigma = (np.ascontiguousarray(table[name][players]) for name in ("mu", "sigma"))
        mu, sigma = self.reset_moments(old_mu, old_sigma, reset)
        changed = (mu != old_mu) | (sigma > old_sigma)
        self.move(beliefs, players[changed], mu[changed], sigma[changed])

    def move(
        self, beliefs: "Beliefs", players: NDArray[np.int64], mu: Floats, sigma: Floats
    ) -> None:
        """Let mu and sigma of these players become others, sigma not a smaller one.

        A system that believes more of a player changes that with them, so that the next contest
        goes on from there: who remembers the past forgets as the model forgets.
        """
        beliefs.table["mu"][players], beliefs.table["sigma"][players] = mu, sigma

    def start(
        self, beliefs: "Beliefs", players: NDArray[np.int64], mu: Floats, sigma: Floats
    ) -> None:
        """Let these players, who are distinct, begin anew with such a mu and sigma.

        A sigma of NaN is that of a newcomer; a system without uncertainty takes none. Whatever was
        believed of them is forgotten; contests and times stay.
        """
        self.refuse_start(mu, sigma)
        table, begun = beliefs.table, self.newcomers_at(mu, sigma)
        for name in table.dtype.names or ():
            if name not in ("contests", "last_time", *self.places_in_pool, *self.lasting):
                table[name][players] = begun.get(name, 0.0)
        if self.pool_per_player > 0:
            pool = beliefs.pool[: len(beliefs) * self.pool_per_player]
            pool.reshape(len(beliefs), -1)[players] = 0.0

    def refuse_reset(self, reset: Reset) -> None:
        """Raise unless there can be such a reset: newcomers could be where it leads to."""
        if not 0.0 <= reset.pull <= 1.0:
            raise InputError(f"a reset pulls by a part from 0 to 1, not by {reset.pull!r}.")
        self._refuse_newcomer(reset.toward, reset.sigma)

    def refuse_start(self, mu: Floats, sigma: Floats) -> None:
        """Raise unless players can start with these: newcomers could."""
        known = sigma[~np.isnan(sigma)]
        for most in (np.min, np.max):
            if len(mu):
                self._refuse_newcomer(float(most(mu)), float(most(known)) if len(known) else None)

    def _refuse_newcomer(self, mu: float | None, sigma: float | None) -> None:
        """Raise unless newcomers could have this mu, if it is given, and this sigma."""
        if math.isnan(self.newcomer().get("sigma", 0.0)):
            sigma = None
        given = {"mu": mu, "sigma": sigma}
        known = {key: value for key, value in given.items() if value is not None}
        try:
            for name, value in known.items():
                low, high = self.ranges.get(name) or _BASE_RANGES[name]
                if not low <= value <= high:
                    raise InputError(
                        f"{self.name}: {name} must be from {low:g} to {high:g}, not {value!r}."
                    )
            new = {f"{name}_new": value for name, value in known.items()}
            own = {key: value for key, value in new.items() if key in self.parameters}
            dataclasses.replace(self, **own)
        except InputError as error:
            raise InputError(f"no player can begin there: {error}") from None

    def with_periods(self, days: float) -> Self:
        """With rating periods of so many days, if the system can have them and has none."""
        if self.parameters.get("period_days") != 0.0:
            return self
        return self.build({**self.parameters, "period_days": days})

    @property
    def entry(self) -> Any:
        """The kernel that folds contests of a usual size; None if nothing is compiled."""
        return None if self.kernel is None else self.kernel.fold_contests

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
        """Fold the contests `first` to `last` into the beliefs, in order.

        Players are ids of the beliefs, all enrolled. Rows of a contest are sorted by rank.
        `events`, of shape ``(len(EVENTS), rows)``, receives what happened in each row.
        """
        offsets = columns.offsets
        end = len(offsets) - 1 if last is None else last
        done = first
        while done < end:
            done = self.fold(beliefs, columns, done, end, NOBODY_ASKS if events is None else events)
            if done == end:
                return
            n = int(offsets[done + 1] - offsets[done])
            seen = np.empty((len(EVENTS), n + 1))[:, :n]
            if events is not None:
                seen = events[:, offsets[done] : offsets[done + 1]]
            self.fold_large(beliefs, columns, done, seen, threads)
            done += 1

    def fold(
        self, beliefs: "Beliefs", columns: "Columns", first: int, last: int, events: Floats
    ) -> int:
        """Fold contests in one kernel; the number of the first that is too large for it, or `last`.

        `events` has a column for every row of the columns, or none if nobody wants to know.
        By default, `rate_contest` is asked for one after the other.
        """
        for contest in range(first, last):
            rows = slice(*columns.offsets[contest : contest + 2].tolist())
            shared = beliefs.shared.copy()  # which stays as it is if the contest fails
            standings, ids = Standings.of(columns, contest, shared), columns.player[rows]
            before = beliefs.table[ids]
            players, performance = before.copy(), None
            players["mu"], players["sigma"] = self.aged(beliefs, ids, standings.time)
            if standings.competitor.max() > 0:
                performance = self.rate_contest(players, standings)
                if not np.isfinite(players["mu"]).all():
                    raise InputError(
                        f"{self.name} gives a player a mu that is not finite, in the contest at "
                        f"{np.datetime64(standings.time, 'us')}; its rate_contest is to blame."
                    )
            players["contests"], players["last_time"] = before["contests"] + 1, standings.time
            beliefs.table[ids], beliefs.shared = players, shared
            if events.shape[1] > 0:
                events[0, rows] = np.nan if performance is None else performance
                for row, (when, column) in enumerate(
                    itertools.product((before, players), ("mu", "sigma")), start=1
                ):
                    events[row, rows] = when[column]
        return last

    def fold_large(
        self, beliefs: "Beliefs", columns: "Columns", contest: int, seen: Floats, threads: int
    ) -> None:
        """Fold a contest that is too large for `fold`, with threads sharing its rows.

        `seen` is its part of the events. What happens does not depend on the number of threads.
        A system whose `fold` takes contests of any size needs none.
        """
        raise NotImplementedError

    def update_one(
        self, beliefs: "Beliefs", contest: "Columns", row: int, *, threads: int = 1
    ) -> Floats:
        """Fold one contest for one of its rows; what happened in it, as in `EVENTS`.

        What is then believed of the others is of no use.
        """
        events = np.empty((len(EVENTS), len(contest.player)))
        self.update_many(beliefs, contest, events, threads=threads)
        return events[:, row]

    def update(self, beliefs: "Beliefs", contest: "Columns") -> None:
        """Fold one contest into the beliefs."""
        self.update_many(beliefs, contest)

    @property
    def falls_with_rank(self) -> bool:
        """Whether it is known that a worse rank in a contest never gives a higher rating in it."""
        return False

    def if_placed(self, beliefs: "Beliefs", columns: "Columns", row: int) -> IfPlaced | None:
        """What one contest of three or more would do to a row, were it alone at other places.

        It agrees with `update_many` to 1e-6, and changes nothing. None if a system knows no shorter
        way than to fold the contest for every place.
        """
        return None

    def if_performed(self, beliefs: "Beliefs", columns: "Columns") -> IfPerformed | None:
        """The way from performances to places and ratings, for all rows of a contest at once.

        It agrees with `if_placed` to 1e-6, and changes nothing. None if a system has no such way,
        on which places of 10,000 players are found in a few steps over all of them.
        """
        return None

    @property
    def looks_at(self) -> tuple[str, ...] | None:
        """The columns of an opponent's record by which a contest changes a player; None if by all.

        Those of `BASE_FIELDS` that count. So a result can be explained from a history, without what
        else is believed of the opponents.
        """
        return None

    def retrace(self, beliefs: "Beliefs", player: int, past: Past) -> bool:
        """Believe of a newcomer what all contests have made of them; False if that is not known.

        It is then the same to the bit in all that later contests look at. Asked of systems only
        that say what they look at. By default, the last contest tells all.
        """
        if len(past):
            record = beliefs.table[player : player + 1]
            record["mu"], record["sigma"] = past.events[3:, -1]
            record["contests"], record["last_time"] = len(past), past.time[-1]
        return True

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
        """Fold contests as `update_many` does; the `forecast` of their rows just before each.

        Events have the uncertainty of a player's last contest, not what it has grown to since.
        """
        end = len(columns.offsets) - 1 if last is None else last
        rows = slice(columns.offsets[first], columns.offsets[end])
        if not any(getattr(self, name, 0.0) > 0.0 for name in ("drift_per_day", "period_days")):
            self.update_many(beliefs, columns, events, first=first, last=end, threads=threads)
            return events[1, rows], events[2, rows]
        mu, sigma = np.empty((2, rows.stop - rows.start))
        for contest in range(first, end):
            start, stop = columns.offsets[contest : contest + 2]
            here = slice(start - rows.start, stop - rows.start)
            players, time = columns.player[start:stop], int(columns.time[contest])
            mu[here], sigma[here] = self.aged(beliefs, players, time)
            self.update_many(
                beliefs, columns, events, first=contest, last=contest + 1, threads=threads
            )
        return mu, sigma

    def backtest(
        self, beliefs: "Beliefs", columns: "Columns", events: Floats, *, threads: int = 1
    ) -> Floats:
        """Fold all contests; the score expected of the first row of every contest of two before it.

        A draw counts half. NaN for other contests. `events` as for `update_many`.
        """
        mu, sigma = self.beliefs_before(beliefs, columns, events, threads=threads)
        pairs = np.flatnonzero(np.diff(columns.offsets) == 2)
        row = columns.offsets[pairs]
        one = np.ones(len(pairs), np.int64)
        first, second = (Field(mu[rows], sigma[rows] * sigma[rows], one) for rows in (row, row + 1))
        side = np.zeros(len(pairs))
        if columns.side is not None:
            side = 0.5 * (columns.side[row].astype(np.float64) - columns.side[row + 1])
        expected = np.full(len(columns.time), np.nan)
        expected[pairs] = self.expected_scores(first, second, side)
        return expected

    @property
    def decimals(self) -> int:
        """How many digits behind the point its ratings need: none for 1500, two for 25."""
        return decimals(self.newcomer()["mu"])

    def rating(self, mu: Numbers, sigma: Numbers, contests: Any) -> Numbers:
        """The number to show after so many contests: mu, or less while little is known."""
        return mu

    def aged(
        self, beliefs: "Beliefs", players: "NDArray[Any] | slice", time: int | None = None
    ) -> tuple[Floats, Floats]:
        """What mu and sigma of these players are at a time, in microseconds; by default, now.

        Where a model grows uncertainty with absence, sigma is what it has become by then: by its
        `drift_per_day`, if it has that parameter. A time before a player's last contest
        changes nothing. Newcomers have not been absent.
        """
        table = beliefs.table
        mu, sigma = table["mu"][players], table["sigma"][players]
        drift: float = getattr(self, "drift_per_day", 0.0)
        if time is None or drift == 0.0:
            return mu, sigma
        days = (time - table["last_time"][players]) / MICROSECONDS_PER_DAY
        absent = np.where(table["contests"][players] > 0, np.maximum(days, 0.0), 0.0)
        return mu, np.sqrt(sigma * sigma + drift * absent)

    def forecast(
        self,
        beliefs: "Beliefs",
        players: "NDArray[Any] | slice",
        time: int | None = None,
        side: NDArray[np.int8] | None = None,
    ) -> tuple[Floats, Floats]:
        """What is expected of these players if they meet at a time, and the spread of that.

        All predictions come from it: a `Field` is made of it. By default, mu and sigma at that
        time. A system that `forecasts` may expect of them what depends on who else is there, and
        on the `side` of each, as in `Columns`.
        """
        return self.aged(beliefs, players, time)

    def besides(
        self, beliefs: "Beliefs", players: "NDArray[Any] | slice", time: int | None = None
    ) -> dict[str, Floats]:
        """Columns that it adds to tables of ratings: `forecast` and `spread` if it forecasts.

        That is what to expect of each in a contest among the usual players, whoever else is asked
        about.
        """
        return {}

    @abstractmethod
    def performances(self, field: Field) -> Performances:
        """How the performances of these competitors scatter in a contest, for predictions."""

    def chances(self, field: Field, side: int = 0) -> tuple[float, float]:
        """The probabilities that the first of two competitors wins, and that they draw.

        `side` is 1 if the first has the advantage of the side (home, white), -1 if the second has.
        """
        return fields.exceeding(*self.performances(field)), 0.0

    def expected_scores(self, first: Field, second: Field, side: Floats) -> Floats:
        """The scores expected of competitors, each against another, a draw counting half.

        What `chances` says, for many pairs at once. Where more than two meet, `side` is ½ for one
        who has the side against one of neither.
        """
        family, location, scale, table = self.performances(first)
        _, other_location, other_scale, _ = self.performances(second)
        lead = location - other_location
        expected: Floats = fields.exceeding_pairs(family, lead, scale, other_scale, table)
        return expected

    @property
    def is_by_moments(self) -> bool:
        """Whether mu and sigma tell what is expected of two, and not more that it believes."""
        return type(self).pair_chances is System.pair_chances

    def tempered_scores(
        self, first: Field, second: Field, side: Floats, temperature: float | Floats
    ) -> Floats:
        """What `expected_scores` says at a temperature, by which differences are multiplied.

        Pairs may have one each. Where more than mu and sigma is believed, log-odds of scores are
        multiplied.
        """
        if self.is_by_moments:
            return self.expected_scores(
                first.tempered(temperature), second.tempered(temperature), side
            )
        own = self.expected_scores(first, second, side)
        found: Floats = kernel.tempered(own, temperature * np.ones(len(own)))
        return found

    def pair_chances(
        self,
        beliefs: "Beliefs",
        pair: Sequence[Competitor],
        time: int | None = None,
        side: int = 0,
    ) -> tuple[float, float]:
        """The probabilities that the first of two wins, and that they draw.

        By `chances`, unless a system believes more of a player than mu and sigma.
        """
        return self.chances(self.field(beliefs, pair, time, side), side)

    def _chances_of(
        self, beliefs: "Beliefs", pair: Sequence[Competitor], time: int | None, side: int
    ) -> tuple[float, float]:
        """What `pair_chances` says, at the temperature of the beliefs.

        Where more than mu and sigma is believed, the log-odds of the expected score are multiplied,
        and a draw keeps its part of what the underdog is expected to score.
        """
        win, draw = self.pair_chances(beliefs, pair, time, side)
        if self.is_by_moments or beliefs.temperature == 1.0:
            return win, draw
        own = win + 0.5 * draw
        score = float(kernel.tempered(np.array((own,)), np.array((beliefs.temperature,)))[0])
        if draw > 0.0:
            draw *= min(score, 1.0 - score) / min(own, 1.0 - own)
        return score - 0.5 * draw, draw

    def pair_scores(
        self,
        beliefs: "Beliefs",
        first: NDArray[np.int64],
        second: NDArray[np.int64],
        time: int | None = None,
    ) -> Floats:
        """What players are expected to score, each against another, a draw counting half.

        At the temperature of the beliefs. It is asked where moments of each do not tell it, and a
        system that has more to go by than one pair after the other says so here.
        """
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        chances = np.array([self._chances_of(beliefs, pair, time, 0) for pair in pairs])
        found: Floats = chances.reshape(-1, 2) @ np.array((1.0, 0.5))
        return found

    def win_probability(
        self,
        beliefs: "Beliefs",
        a: Competitor,
        b: Competitor,
        *,
        time: int | None = None,
        side: int = 0,
    ) -> float:
        """The probability that a does better than b."""
        return self._chances_of(beliefs, (a, b), time, side)[0]

    def draw_probability(
        self,
        beliefs: "Beliefs",
        a: Competitor,
        b: Competitor,
        *,
        time: int | None = None,
        side: int = 0,
    ) -> float:
        """The probability that a and b draw; 0 if the model knows no draws."""
        return self._chances_of(beliefs, (a, b), time, side)[1]

    def stronger_probability(
        self, beliefs: "Beliefs", a: Competitor, b: Competitor, *, time: int | None = None
    ) -> float:
        """The probability that a is better than b, whoever wins when they meet."""
        field = self.field(beliefs, (a, b), time)
        if np.isnan(field.variance).any():
            raise InputError(
                f"{self.name} knows no uncertainty, and so not how sure it is who is stronger."
            )
        deviation = np.maximum(np.sqrt(field.variance), sys.float_info.min)
        return float(fields.exceeding(fields.NORMAL, field.mu, deviation, fields.NO_TABLE))

    def belief(self, beliefs: "Beliefs", player: int, time: int | None = None) -> "Belief":
        """All that is believed of a player's strength, in systems of more than mean and sigma."""
        raise InputError(f"{self.name} keeps no whole beliefs about players; luck does.")

    def rank_probabilities(
        self,
        beliefs: "Beliefs",
        competitors: Sequence[Competitor],
        *,
        top: int = 3,
        time: int | None = None,
        side: int = 0,
    ) -> RankProbabilities:
        """How a contest of these competitors may end.

        Two are compared as by `win_probability`, `side` being that of the first; among more,
        performances are independent.
        """
        if self.most_players is not None and len(competitors) > self.most_players:
            raise InputError(
                f"{self.name} predicts contests of at most {self.most_players} players, "
                f"not of {len(competitors):,}."
            )
        if len(competitors) == 1:
            return RankProbabilities(np.ones(1), np.ones(1), np.ones(1))
        if len(competitors) != 2:
            field = self.field(beliefs, competitors, time)
            scattered = self.performances(field)
            if not np.isfinite((scattered.location, scattered.scale)).all():
                raise InputError(f"{self.name} gives one of these players no finite rating.")
            return RankProbabilities(*fields.rank_probabilities(*scattered, top))
        win, draw = self._chances_of(beliefs, competitors, time, side)
        first = np.array([win + 0.5 * draw, 1.0 - win - 0.5 * draw])
        return RankProbabilities(first, first if top == 1 else np.ones(2), 2.0 - first)

    def quality(
        self,
        beliefs: "Beliefs",
        competitors: Sequence[Competitor],
        *,
        time: int | None = None,
        side: int = 0,
    ) -> float:
        """How open a contest is: 1 if all have the same chance to win, 0 if the winner is certain.

        The entropy of who comes first, in terms of its maximum.
        """
        first = self.rank_probabilities(beliefs, competitors, top=1, time=time, side=side).first
        entropy = -float(np.sum(first * np.log(np.where(first > 0.0, first, 1.0))))
        return min(1.0, max(0.0, entropy / math.log(len(first)))) if len(first) > 1 else 1.0

    def pair_qualities(self, first: Field, second: Field, expected: Floats) -> Floats:
        """What `quality` says of many pairs at once, of whom the first is `expected` to score so.

        For systems that predict by moments.
        """
        score = np.clip(expected, 1e-300, 1.0)
        other = np.clip(1.0 - expected, 1e-300, 1.0)
        entropy: Floats = -(score * np.log2(score) + other * np.log2(other))
        return np.clip(entropy, 0.0, 1.0)

    @property
    def phrases(self) -> Phrases:
        """How explanations speak of it."""
        return Phrases()

    def pulls(self, result: Result, performance: float) -> Floats | None:
        """How every competitor, oneself included, pulls at the performance; None if nobody does.

        In rating points; they balance. There are at least two competitors.
        """
        return None

    def mean(self, result: Result) -> Mean | None:
        """What the new mu is a mean of; None if no performances are in it.

        By default, of the old mu and the performance, if it has moved towards that.
        """
        (old, new), performance = result.mu, result.performance
        if not abs(performance - old) > _NEAR:
            return None
        part = (new - old) / (performance - old)
        return Mean.step((old, new), part, performance) if part >= 0.0 else None

    def foretold(self, result: Result) -> str | None:
        """What was expected of the player other than the rating says, as sentences; None if not."""
        return None

    def limits(self, result: Result) -> Limits | None:
        """The most that the contest could have changed, whatever its result; None if not known."""
        return None

    def field(
        self,
        beliefs: "Beliefs",
        competitors: Sequence[Competitor],
        time: int | None = None,
        side: int = 0,
    ) -> Field:
        """What is expected of these competitors at a time; of two, the first has the `side`.

        At the beliefs' temperature.
        """
        members = [[each] if isinstance(each, int) else list(each) for each in competitors]
        sizes = np.array([len(each) for each in members])
        starts = np.cumsum(sizes) - sizes
        flat = np.array([player for each in members for player in each])
        sides = np.repeat(np.array([side, *[-side] * (len(sizes) - 1)], np.int8), sizes)
        mu, sigma = self.forecast(beliefs, flat, time, sides)
        field = Field(np.add.reduceat(mu, starts), np.add.reduceat(sigma * sigma, starts), sizes)
        return field.tempered(beliefs.temperature)

    def _validated(self, field: "dataclasses.Field[Any]", value: Any) -> Any:
        rule = field.metadata
        if value is None and field.default is None:
            return None
        if rule["kind"] is tuple:
            if isinstance(value, str) or not isinstance(value, Iterable):
                raise self._refusal(field, "a list of numbers", value)
            return tuple(self._number(field, item, float) for item in value)
        if rule["kind"] is bool:
            if not isinstance(value, bool | np.bool_):
                raise self._refusal(field, "true or false", value)
            return bool(value)
        if rule["choices"]:
            if not isinstance(value, str) or value not in rule["choices"]:
                hint = suggestion(value, rule["choices"])
                raise self._refusal(field, " or ".join(rule["choices"]), value, hint)
            return value
        return self._number(field, value, rule["kind"])

    def _number(self, field: "dataclasses.Field[Any]", value: Any, kind: type) -> Any:
        rule = field.metadata
        wanted = numbers.Integral if kind is int else numbers.Real
        what = "a whole number" if kind is int else "a number"
        if isinstance(value, bool) or not isinstance(value, wanted):
            raise self._refusal(field, what, value)
        try:
            number = kind(value)
        except OverflowError:
            number = math.inf
        if number != number or (abs(number) > _LARGEST[kind] and not rule["infinite"]):
            raise self._refusal(field, f"{what} that is finite", value)
        if number < rule["low"]:
            raise self._refusal(field, f"{what} of at least {rule['low']:g}", value)
        if number > rule["high"]:
            raise self._refusal(field, f"{what} of at most {rule['high']:g}", value)
        if number <= rule["above"]:
            raise self._refusal(field, f"{what} above {rule['above']:g}", value)
        return number

    def _refusal(
        self, field: "dataclasses.Field[Any]", wanted: str, value: Any, hint: str = ""
    ) -> PodiumError:
        return InputError(f"{self.name}: {field.name} must be {wanted}, not {value!r}{hint}.")


def within(numbers: NDArray[Any], low: float, high: float, finite: bool = True) -> bool:
    """Whether all numbers are in a range; those that need not be finite may be NaN, or beyond."""
    if not len(numbers):
        return True
    if finite:
        least, most = np.minimum.reduce(numbers, axis=None), np.maximum.reduce(numbers, axis=None)
        return bool(low <= least.item() and most.item() <= high)
    known = numbers[np.isfinite(numbers)]
    return within(known, low, high)


def refuse_unfinished(kind: object) -> None:
    """Raise unless this is the class of a system that can be built and rate contests."""
    if not (isinstance(kind, type) and issubclass(kind, System)):
        raise InputError(f"a class derived from podium.systems.System is needed, not {kind!r}.")
    name = getattr(kind, "name", None)
    if not isinstance(name, str) or not re.fullmatch(r"[^\s=,]+", name):
        lacks = "a name without blanks, as in name = 'my-elo'"
    elif missing := sorted(kind.__abstractmethods__):
        lacks = f"the method {missing[0]}"
    elif kind.rate_contest is System.rate_contest and kind.fold is System.fold:
        lacks = "the method rate_contest"
    elif any(isinstance(value, dataclasses.Field) for value in vars(kind).values()):
        lacks = "the decorator @dataclasses.dataclass(frozen=True, kw_only=True)"
    elif plain := [
        each.name for each in dataclasses.fields(kind) if "meaning" not in each.metadata
    ]:
        lacks = f"a declaration of {plain[0]} by podium.systems.parameter"
    else:
        return
    raise InputError(f"{kind.__name__} cannot be used as a system yet: it lacks {lacks}.")


def _from_text(kind: type, text: str) -> Any:
    """The value meant by `text`, or the text itself, which validation then refuses."""
    if text.lower() == "none" and kind is not str:
        return None
    if kind is bool:
        return {"true": True, "yes": True, "false": False, "no": False}.get(text.lower(), text)
    if kind is tuple:
        return tuple(_from_text(float, part) for part in text.split(",") if part.strip())
    if kind is int or kind is float:
        try:
            return kind(text)
        except ValueError:
            return text
    return text
