"""What changes ratings without a contest: seasons that begin with a reset, and starting ratings.

Both stand in the order of time, before contests of the same moment. A player who has played since
is not touched by them: so nothing has to be done to anybody until they play again or are shown, and
what is believed of a player since the last contest says, with the time of that contest, which
adjustments are still due (`Adjustments.bring`). Hence beliefs can be kept player by player, and the
same beliefs, contests and adjustments give the same result to the bit, whoever is looked at when.
"""

import dataclasses
import itertools
import math
import numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Self, TypeGuard

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.errors import ConflictError, InputError, NotFoundError
from podium.ratings.asking import as_names
from podium.ratings.beliefs import Beliefs
from podium.results.tables import natural
from podium.results.times import Time, from_microseconds, refuse_future, to_microseconds
from podium.systems.base import Floats, Reset, System
from podium.texts import LONGEST, normalised, too_long
from podium.wording import listed, suggestion

ALWAYS = -(2**62)
"""The time of starting ratings that have none: before all contests."""
EVER = 2**62
"""Later than all contests."""
_FARTHEST = 1e6
"""Ratings and uncertainties beyond are mistakes."""
_LEAST_SIGMA = 1e-6


@dataclasses.dataclass(frozen=True)
class Season:
    """A stretch of time, from its start to the next season; it may begin with a reset.

    Args:
        name: What it is called.
        start: When it begins: before contests of that moment.
        pull: The part of the way, from 0 to 1, that every rating is pulled. Without it, a season
            only divides time.
        toward: Where ratings are pulled to, as mu; by default, where newcomers begin.
        sigma: The least uncertainty that everybody has then; by default, the variance goes `pull`
            of the way to a newcomer's.
        future: Believe a start that is more than two years ahead of the clock.

    Example:
        >>> import podium
        >>> season = podium.Season("2026", "2026-01-01", pull=0.5, toward=1500, sigma=200)
        >>> season.reset
        Reset(pull=0.5, toward=1500.0, sigma=200.0)
    """

    name: str
    start: Time
    _: dataclasses.KW_ONLY
    pull: float | None = None
    toward: float | None = None
    sigma: float | None = None
    future: dataclasses.InitVar[bool] = False

    def __post_init__(self, future: bool) -> None:
        object.__setattr__(self, "name", _name_of_a_season(self.name))
        moment = to_microseconds(self.start)
        if not future:
            refuse_future(moment, f"season {self.name!r}")
        object.__setattr__(self, "start", from_microseconds(moment))
        for name in ("pull", "toward", "sigma"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _number(self.name, name, value))
        if self.pull is None and (self.toward, self.sigma) != (None, None):
            raise InputError(
                f"season {self.name!r}: toward and sigma say how ratings are pulled, so pull is "
                f"needed, a number from 0 to 1."
            )

    @property
    def moment(self) -> int:
        """When it begins, in microseconds since 1970."""
        return to_microseconds(self.start)

    @property
    def reset(self) -> Reset | None:
        """With which it begins, if with any."""
        return None if self.pull is None else Reset(self.pull, self.toward, self.sigma)

    def document(self) -> dict[str, Any]:
        """As JSON says it; see docs/documents.md."""
        about = dataclasses.asdict(self)
        return {**about, "start": self.start}


def no_season(name: str, names: Sequence[str]) -> NotFoundError:
    """That there is none of that name."""
    return NotFoundError(
        f"there is no season {name!r}{suggestion(str(name), names)} in the league; "
        + (f"there is {listed(names)}." if names else "it has none.")
    )


def _name_of_a_season(given: object) -> str:
    name = normalised(given) if isinstance(given, str) else ""
    if not name or "\0" in name:
        raise InputError(f"{given!r} cannot be the name of a season; a text is needed.")
    if len(name) > LONGEST:
        raise InputError(too_long("the name of a season", name))
    return name


_RANGES = {
    "pull": (0.0, 1.0, "from 0 to 1"),
    "toward": (-_FARTHEST, _FARTHEST, "from -1,000,000 to 1,000,000"),
    "sigma": (_LEAST_SIGMA, _FARTHEST, "above 0 and up to 1,000,000"),
}


def _number(season: str, name: str, value: object) -> float:
    low, high, said = _RANGES[name]
    if not _is_number(value) or not low <= value <= high:
        raise InputError(f"season {season!r}: {name} must be a number {said}, not {value!r}.")
    return float(value)


def _is_number(value: object) -> TypeGuard[float]:
    """Whether it is a finite number."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    try:
        return real and math.isfinite(value)  # type: ignore[arg-type]
    except OverflowError:
        return False


class Starts:
    """Ratings that players are given, with their uncertainty: from another ladder, a federation.

    Whatever was believed of them before is forgotten. Others of the league keep theirs.

    Args:
        ratings: By player: a rating, or a rating and its uncertainty, ``(1850, 60)``. Without an
            uncertainty, that of a newcomer.
        time: As of when: before contests of that moment. By default, before all contests.

    Example:
        >>> import podium
        >>> starts = podium.Starts({"ann": 1850, "bob": (1420, 60)})
        >>> contests = podium.Contests.from_records(
        ...     [{"contest": "1", "time": 0, "player": name, "rank": 1} for name in ("ann", "bob")]
        ... )
        >>> rated = podium.rate(contests, "elo", adjustments=[starts])
        >>> rated["ann"].rating < 1850 and rated["bob"].rating > 1420
        True
    """

    def __init__(
        self,
        ratings: Mapping[str, float | tuple[float, float] | Sequence[float]],
        time: Time | None = None,
        *,
        future: bool = False,
    ) -> None:
        if not isinstance(ratings, Mapping) or not ratings:
            raise InputError(
                f"starting ratings are needed by player, as {{'ann': 1850}}, not {ratings!r}."
            )
        moment = ALWAYS if time is None else to_microseconds(time)
        pairs = [_pair(name, given) for name, given in ratings.items()]
        mu, sigma = np.array(pairs, np.float64).T
        players = as_names(list(ratings), " among the starting ratings", None)
        self._take(players, np.full(len(pairs), moment), mu, sigma, future=future)

    @classmethod
    def from_frame(cls, frame: Any, time: Time | None = None, *, future: bool = False) -> Self:
        """Those of a table with the columns player, rating (or mu) and, if known, sigma and time.

        Where a row says no time, it is that of `time`, if given, or before all contests.

        Example:
            >>> import polars as pl
            >>> table = pl.DataFrame({"player": ["ann"], "rating": [1850], "time": ["2026-01-01"]})
            >>> Starts.from_frame(table).frame()["rating"].to_list()
            [1850.0]
        """
        table = frame if isinstance(frame, pl.DataFrame) else pl.DataFrame(frame)
        if "rating" not in table.columns and "mu" in table.columns:
            table = table.rename({"mu": "rating"})
        for name in ("player", "rating"):
            if name not in table.columns:
                raise InputError(
                    f"starting ratings need the columns player and rating, and may have sigma and "
                    f"time; there is no {name!r} among {', '.join(table.columns) or 'none'}."
                )
        if not table.height:
            raise InputError("there is no starting rating in the table.")
        moment = ALWAYS if time is None else to_microseconds(time)
        moments = np.full(table.height, moment)
        if "time" in table.columns:
            moments = _moments(table["time"], moment)
        starts = cls.__new__(cls)
        players = as_names(
            table["player"].cast(pl.String).fill_null("").to_list(),
            " among the starting ratings",
            None,
        )
        numbers = [_column(table, name) for name in ("rating", "sigma")]
        starts._take(players, moments, *numbers, future=future)
        return starts

    @classmethod
    def _of(cls, players: list[str], time: NDArray[np.int64], mu: Floats, sigma: Floats) -> Self:
        """Those that were checked before."""
        starts = cls.__new__(cls)
        starts.players, starts.time, starts.mu, starts.sigma = players, time, mu, sigma
        return starts

    def _take(
        self,
        players: list[str],
        time: NDArray[np.int64],
        mu: Floats,
        sigma: Floats,
        *,
        future: bool,
    ) -> None:
        order = sorted(range(len(players)), key=lambda row: (time[row], players[row]))
        self.players = [players[row] for row in order]
        self.time, self.mu, self.sigma = time[order], mu[order], sigma[order]
        keys = list(zip(self.time.tolist(), self.players, strict=True))
        for one, other in itertools.pairwise(keys):
            if one == other:
                raise InputError(
                    f"{one[1]!r} has two starting ratings{_as_of(one[0])}; one is needed."
                )
        wrong = ~(np.abs(self.mu) <= _FARTHEST)
        wrong |= ~(np.isnan(self.sigma) | (self.sigma >= _LEAST_SIGMA))
        wrong |= self.sigma > _FARTHEST
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise InputError(
                f"{self.players[row]!r} cannot start with the rating {self.mu[row]:g} and the "
                f"uncertainty {self.sigma[row]:g}; a rating is a number up to 1,000,000, an "
                f"uncertainty one above 0."
            )
        if not future and self.time[-1] != ALWAYS:
            refuse_future(int(self.time[-1]), f"the starting rating of {self.players[-1]!r}")

    def __len__(self) -> int:
        return len(self.players)

    def __repr__(self) -> str:
        return f"<Starts of {len(self):,} players>"

    def frame(self) -> pl.DataFrame:
        """As a table: player, time (null for before all contests), rating and sigma."""
        always = pl.Series(self.time == ALWAYS)
        return pl.DataFrame(
            {
                "player": pl.Series(self.players, dtype=pl.String),
                "time": pl.Series(self.time).set(always, None).cast(pl.Datetime("us")),
                "rating": self.mu,
                "sigma": pl.Series(self.sigma, nan_to_null=True),
            }
        )


def _as_of(moment: int) -> str:
    return "" if moment == ALWAYS else f" as of {from_microseconds(moment)}"


def _pair(name: str, given: object) -> tuple[float, float]:
    pair = tuple(given) if isinstance(given, tuple | list) else (given, None)
    if len(pair) != 2 or not _is_number(pair[0]) or not (_is_number(pair[1]) or pair[1] is None):
        raise InputError(
            f"the starting rating of {name!r} must be a number, or one with its uncertainty as in "
            f"(1850, 60), not {given!r}."
        )
    return float(pair[0]), math.nan if pair[1] is None else float(pair[1])


def _moments(given: pl.Series, otherwise: int) -> NDArray[np.int64]:
    """Times in microseconds since 1970, and another where there is none."""
    if isinstance(given.dtype, pl.Datetime) and given.dtype.time_zone is None:
        times = given.cast(pl.Datetime("us")).to_physical()
    else:
        distinct = given.unique().to_list()
        known = {each: to_microseconds(each) for each in distinct if each not in (None, "")}
        times = pl.Series([known.get(each) for each in given], dtype=pl.Int64)
    return times.fill_null(otherwise).to_numpy()


def _column(table: pl.DataFrame, name: str) -> Floats:
    """A column of numbers; NaN where there is none."""
    if name not in table.columns:
        return np.full(table.height, np.nan)
    column = table[name]
    if column.dtype == pl.String:
        column = column.set(column.str.strip_chars() == "", None)
    numbers = column.cast(pl.Float64, strict=False)
    odd = numbers.is_null() & (column.is_not_null() | pl.Series([name == "rating"]))
    if odd.any():
        row = int(odd.arg_true()[0])
        raise InputError(
            f"the {name} of {table['player'][row]!r} must be a number, not {column[row]!r}."
        )
    return numbers.fill_null(np.nan).to_numpy()


Adjustment = Season | Starts


@dataclasses.dataclass(frozen=True)
class Adjustments:
    """Resets and starts of players by number, in order."""

    resets: tuple[tuple[int, Reset], ...]
    """By time, at one time by the names of their seasons."""
    player: NDArray[np.int64]
    """Of starts, which are by player and then by time."""
    time: NDArray[np.int64]
    mu: Floats
    sigma: Floats

    @classmethod
    def of(
        cls,
        seasons: Iterable[Season],
        player: NDArray[np.int64],
        time: NDArray[np.int64],
        mu: Floats,
        sigma: Floats,
    ) -> Self:
        """These, in order; seasons without a reset change nothing."""
        ordered = sorted(seasons, key=lambda each: (each.moment, natural(each.name)))
        resets = tuple((each.moment, each.reset) for each in ordered if each.reset is not None)
        order = np.lexsort((time, player))
        return cls(resets, player[order], time[order], mu[order], sigma[order])

    @classmethod
    def none(cls) -> Self:
        """No adjustments."""
        nothing, nobody = np.empty(0), np.empty(0, np.int64)
        return cls((), nobody, nobody, nothing, nothing)

    def __bool__(self) -> bool:
        return bool(self.resets) or len(self.player) > 0

    @property
    def last(self) -> int:
        """The time of the last one."""
        times = [time for time, _ in self.resets[-1:]]
        return max([*times, *([int(self.time.max())] if len(self.time) else [])], default=ALWAYS)

    def cuts(self, times: NDArray[np.int64]) -> list[int]:
        """The numbers of contests, of these times in order, before which something is due."""
        if not self or not len(times):
            return []
        moments = np.append(self.time, np.array([time for time, _ in self.resets], np.int64))
        found = np.searchsorted(times, np.unique(moments))
        cuts: list[int] = np.unique(found[(found > 0) & (found < len(times))]).tolist()
        return cuts

    def started(self, players: NDArray[np.int64], until: int = EVER) -> NDArray[np.bool_]:
        """Which of these players are given a rating by a time."""
        return np.isin(players, self.player[self.time <= until])

    def bring(
        self,
        beliefs: Beliefs,
        rows: NDArray[np.int64],
        players: NDArray[np.int64],
        until: int = EVER,
        known: NDArray[np.bool_] | None = None,
        *,
        since: int | None = None,
    ) -> None:
        """Let beliefs of players, in these rows, be as of a time: whatever is due by then is done.

        Before a contest, `until` is its time. Due is what is later than a player's last contest,
        or, if it is said, than the time `since`. Resets do nothing to those who have neither played
        nor started, unless they are `known` nevertheless, because they were given a rating in
        earlier beliefs.
        """
        if not self or not len(rows):
            return
        table, system = beliefs.table, beliefs.system
        played = table["contests"][rows] > 0
        past = np.where(played, table["last_time"][rows], ALWAYS - 1)
        if since is not None:
            past = np.full(len(rows), since)
        has_rating = played if known is None else played | known
        place = np.full(len(self.player), -1)
        if len(self.player):
            order = np.argsort(players)
            at = np.minimum(np.searchsorted(players[order], self.player), len(players) - 1)
            there = players[order[at]] == self.player
            place = np.where(there, order[at], -1)
            due = there & (self.time <= until) & (self.time > past[place])
            place = np.where(due, place, -1)
        for time, reset in self._due(int(past.min()), until, place):
            if reset is not None:
                pulled = has_rating & (past < time)
                if pulled.any():
                    system.reset(beliefs, rows[pulled], reset)
                continue
            given = np.flatnonzero((place >= 0) & (self.time == time))
            started = place[given]
            system.start(beliefs, rows[started], self.mu[given], self.sigma[given])
            has_rating = has_rating.copy()
            has_rating[started] = True

    def _due(
        self, since: int, until: int, place: NDArray[np.int64]
    ) -> Iterator[tuple[int, Reset | None]]:
        """What comes after a time, in order: resets, and the times of starts of somebody here."""
        starts = np.unique(self.time[place >= 0]).tolist()
        turns: list[tuple[int, int, Reset | None]]
        turns = [(time, 0, reset) for time, reset in self.resets if since < time <= until]
        turns += [(time, 1, None) for time in starts]
        for time, _, reset in sorted(turns, key=lambda turn: turn[:2]):
            yield time, reset


def check(system: System, adjustments: Adjustments) -> None:
    """Raise if a system cannot go on from what adjustments give."""
    for _, reset in adjustments.resets:
        system.refuse_reset(reset)
    system.refuse_start(adjustments.mu, adjustments.sigma)


def in_memory(
    given: Iterable[Adjustment] | None, beliefs: Beliefs
) -> tuple[Adjustments, list[str]]:
    """Adjustments by the ids of beliefs, and who is new by them; all follow what was rated."""
    if given is None:
        return Adjustments.none(), []
    if isinstance(given, Season | Starts) or not isinstance(given, Iterable):
        raise InputError(
            f"adjustments are a list of podium.Season and podium.Starts, not {given!r}."
        )
    seasons, starts = list[Season](), list[Starts]()
    for each in given:
        if not isinstance(each, Season | Starts):
            raise InputError(f"adjustments are podium.Season and podium.Starts, not {each!r}.")
        (seasons if isinstance(each, Season) else starts).append(each)  # type: ignore[arg-type]
    names = [name for each in starts for name in each.players]
    known = beliefs.index
    for season in seasons:
        _refuse_earlier(season.moment, f"season {season.name!r}", beliefs.time)
    if len({season.name for season in seasons}) < len(seasons):
        raise InputError("two of the seasons have the same name.")
    new = [name for name in dict.fromkeys(names) if name not in known]
    number = {**known, **{name: len(beliefs) + place for place, name in enumerate(new)}}
    found = Adjustments.of(
        seasons,
        np.array([number[name] for name in names], np.int64),
        np.concatenate([np.empty(0, np.int64), *(each.time for each in starts)]),
        np.concatenate([np.empty(0), *(each.mu for each in starts)]),
        np.concatenate([np.empty(0), *(each.sigma for each in starts)]),
    )
    _refuse_known(found, beliefs)
    same = (np.diff(found.player) == 0) & (np.diff(found.time) == 0)
    if same.any():
        twice = int(found.player[:-1][same][0])
        name = next(name for name in names if number[name] == twice)
        raise InputError(f"{name!r} has two starting ratings at one time; one is needed.")
    check(beliefs.system, found)
    return found, new


def _refuse_known(found: Adjustments, beliefs: Beliefs) -> None:
    """Raise if somebody starts before what they were rated by."""
    there = found.player < len(beliefs)
    known = beliefs.table["contests"][np.where(there, found.player, 0)] > 0
    undated = np.flatnonzero(there & known & (found.time == ALWAYS))
    for row in undated[:1].tolist():
        raise ConflictError(
            f"{beliefs.names[int(found.player[row])]!r} has played already, so a starting rating "
            f"needs a time from which on it counts."
        )
    dated = found.time[found.time != ALWAYS]
    if len(dated):
        _refuse_earlier(int(dated.min()), "a starting rating", beliefs.time)


def _refuse_earlier(moment: int, what: str, last: int | None) -> None:
    if last is not None and moment <= last:
        raise InputError(
            f"{what} at {from_microseconds(moment)} is not later than {from_microseconds(last)}, "
            f"until when ratings are made, and takes its turn before contests of its moment; "
            f"adjustments of one moment are given together."
        )
