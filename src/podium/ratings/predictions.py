"""A contest that still runs, or is only imagined: what it would do to ratings if it ended so."""

import datetime
import math
import numbers
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium import pictures
from podium.documents import as_document
from podium.errors import InputError, NotFoundError
from podium.files import as_path
from podium.markup import MOST, table
from podium.numerics import fields
from podium.numerics.teams import competitors
from podium.ratings.beliefs import Beliefs
from podium.ratings.fold import ready_to_predict, refuse_what_is_not_contests, thread_count
from podium.results.columns import Columns
from podium.results.contests import Contests
from podium.results.times import from_microseconds
from podium.systems.base import EVENTS, Field, Floats, System
from podium.texts import spelled
from podium.wording import change_of, counted, suggestion

Shown = Callable[[Any, Any, Any], Any]
"""The ratings to show for mu, sigma and the number of contests, as `System.rating` says them."""

_EQUAL = 1e-9
"""Ratings that differ by less are the same: one is not lost by rounding."""

_FEW = 8
"""So few places are folded one by one, to the bit."""
_AT_ONCE = 7
"""Places that are looked at together, where looking for one, if that is not to fold them."""

_CLOSE = 1e-11
"""Of the range of performances: that near is a performance found, for all at once."""
_MOST_STEPS = 120

_SHOWN = ("rank", "player", "rating_before", "rating")


@dataclass(frozen=True)
class Prediction:
    """What a contest would do to the ratings of its participants."""

    system: System
    contest: str
    """Its identifier."""
    time: datetime.datetime
    table: pl.DataFrame
    """A row for each participant, in the order of the standings.

    Columns: rank, player, team (if there are any), rating_before, rating, change, performance,
    mu_before, sigma_before, mu, sigma, expected_rank and newcomer. Newcomers have the rating before
    that the system gives to all of them. `expected_rank` is from before the contest; of teams,
    the place among teams.
    """
    temperature: float | None = None
    """By what differences between ratings were multiplied for the expected ranks; None if they are
    the system's own."""

    def __repr__(self) -> str:
        players = counted(self.table.height, "player")
        return f"<Prediction of {self.contest!r} by {self.system.name}: {players}>"

    def _repr_html_(self) -> str:
        digits = self.system.decimals
        best = pl.DataFrame([self.table[each][:MOST] for each in _SHOWN])
        steps = zip(best["rating_before"], best["rating"], strict=True)
        change = [change_of(before, after, digits) for before, after in steps]
        best = best.with_columns(change=pl.Series(change, dtype=pl.Float64))
        return table(self, best, digits=digits, rows=self.table.height)

    @property
    def newcomers(self) -> int:
        """How many participants have no contest before."""
        return int(self.table["newcomer"].sum())

    def document(self, n: int | None = None, curve: "Curve | None" = None) -> dict[str, Any]:
        """As JSON says it, with the first n participants and what one of them may reach."""
        table = self.table if n is None else self.table.head(n)
        said = {
            "system": self.system.name,
            "temperature": self.temperature,
            "contest": self.contest,
            "time": self.time,
            "participants": self.table.height,
            "newcomers": self.newcomers,
            "players": table.to_dicts(),
        }
        return as_document(said if curve is None else {**said, "curve": curve.document()})


def predict(
    beliefs: Beliefs,
    standings: Contests,
    *,
    calibrated: bool = False,
    threads: int | None = None,
    shown: Shown | None = None,
) -> Prediction:
    """What the standings would do to ratings, were they final. Nothing is changed.

    Args:
        beliefs: Those of all players, e.g. `Rated.beliefs`, or at least of the participants.
        standings: One contest, not earlier than the last one that the beliefs have seen.
            Who is not known is a newcomer.
        calibrated: Expect ranks at the temperature that results have taught, if the beliefs are of
            contests that were rated with ``calibrated=True``.
        threads: How many threads share the work on large contests; by default, one for each core.
            The result does not depend on it.
        shown: Which ratings to show; by default, those that the system shows.

    Example:
        >>> import podium
        >>> season = podium.simulate(players=20, rounds=11, seed=1)
        >>> rated = podium.rate(season[:10])
        >>> prediction = podium.predict(rated.beliefs, season[10:])
        >>> final = podium.rate(season[10:], beliefs=rated.beliefs).history
        >>> prediction.table["rating"].equals(final["rating"])
        True
    """
    state, contests, columns = _ready(beliefs, standings)
    asked = state.calibrated() if calibrated else state
    expected = _expected_ranks(asked, columns)
    newcomer = state.table["contests"][columns.player] == 0
    happened = _happened(state, columns, threads, shown)
    found = {
        "rank": columns.rank,
        "player": contests.players.gather(contests.columns.player),
        **_team_names(contests),
        **happened,
        "expected_rank": expected,
        "newcomer": newcomer,
    }
    # column by column: polars would start threads for them
    table = pl.DataFrame(
        [pl.Series(name, values, nan_to_null=True) for name, values in found.items()]
    )
    time = from_microseconds(int(columns.time[0]))
    temperature = asked.temperature if calibrated else None
    return Prediction(state.system, contests.ids[0], time, table, temperature)


def outcomes(
    beliefs: Beliefs, standings: Contests, *, shown: Shown | None = None
) -> dict[str, Floats]:
    """The numbers of a prediction that follow from the standings, row by row, as arrays.

    These are all of `predict` but the ranks to expect, which take as long.
    """
    state, _, columns = _ready(beliefs, standings)
    return _happened(state, columns, None, shown)


def ranks_to_expect(beliefs: Beliefs, standings: Contests) -> Floats:
    """The ranks that were to be expected before a contest, row by row, as `predict` has them."""
    state, _, columns = _ready(beliefs, standings)
    return _expected_ranks(state, columns)


def _happened(
    state: Beliefs, columns: Columns, threads: int | None, shown: Shown | None
) -> dict[str, Floats]:
    """What a contest does to beliefs, which it changes, and to ratings."""
    earlier = state.table["contests"][columns.player]
    events = np.empty((len(EVENTS), len(columns.player)))
    state.system.update_many(state, columns, events, threads=thread_count(threads))
    happened = dict(zip(EVENTS, events, strict=True))
    performance = happened.pop("performance")
    rating = shown or state.system.rating
    before = rating(happened["mu_before"], happened["sigma_before"], earlier)
    after = rating(happened["mu"], happened["sigma"], earlier + 1)
    return {
        "rating_before": before,
        "rating": after,
        "change": after - before,
        "performance": performance,
        **happened,
    }


def _ready(beliefs: Beliefs, standings: Contests) -> tuple[Beliefs, Contests, Columns]:
    """Beliefs about the participants that may be changed, and the contest in terms of them."""
    contests = _one_contest(beliefs, standings)
    state, columns = ready_to_predict(contests, beliefs)
    return state, contests, columns


def _one_contest(beliefs: Beliefs, standings: Contests) -> Contests:
    if not isinstance(beliefs, Beliefs):
        raise InputError(
            f"beliefs are needed to predict from, such as Rated.beliefs, "
            f"not {type(beliefs).__name__}."
        )
    refuse_what_is_not_contests(standings)
    if len(standings) != 1:
        raise InputError(
            f"the standings of one contest are needed, not {counted(len(standings), 'contest')}."
        )
    return standings.with_own_players()


def _team_names(contests: Contests) -> dict[str, pl.Series]:
    if contests.columns.team is None or contests.teams is None:
        return {}
    team = pl.Series(contests.columns.team)
    return {"team": contests.teams.gather(team.set(team < 0, None))}


def _competitors(columns: Columns, system: System) -> NDArray[np.int32]:
    """For every row, the number of its competitor."""
    if columns.team is None or not system.takes_teams:
        return np.arange(len(columns.player), dtype=np.int32)
    numbers: NDArray[np.int32] = competitors(columns.offsets, columns.team)
    return numbers


def _expected_ranks(beliefs: Beliefs, columns: Columns) -> Floats:
    """One plus the probabilities to be beaten by each other competitor, from before the contest.

    Two are compared by the system's own formula. Otherwise all performances are looked at
    together, at a cost that grows with the rows only. The error is below 1e-10 for each opponent.
    """
    system, time = beliefs.system, int(columns.time[0])
    number = _competitors(columns, system)
    size = np.bincount(number)
    if len(size) == 1:
        return np.ones(len(number))
    if len(size) == 2:
        members = [columns.player[number == each].tolist() for each in (0, 1)]
        side = 0 if columns.side is None else int(columns.side[0])
        ends = system.rank_probabilities(beliefs, members, top=1, time=time, side=side)
        return ends.expected_rank[number]
    mu, sigma = system.forecast(beliefs, columns.player, time, columns.side)
    return _expected_among(system, beliefs.temperature * mu, sigma, number, size)


def expected_ranks(system: System, columns: Columns, mu: Floats, sigma: Floats) -> Floats:
    """The rank to expect of everybody in a contest, from mu and sigma of its rows alone.

    They are those of `System.forecast`, or, without forecasts, of beliefs as they are, which do not
    age. NaN where a system compares two by more of what it believes than that.
    """
    number = _competitors(columns, system)
    size = np.bincount(number)
    if len(size) == 1:
        return np.ones(len(number))
    if len(size) > 2:
        return _expected_among(system, mu, sigma, number, size)
    if not system.is_by_moments:
        return np.full(len(number), np.nan)
    side = 0 if columns.side is None else int(columns.side[0])
    win, draw = system.chances(_field(mu, sigma, number, size), side)
    first = win + 0.5 * draw
    return 2.0 - np.array([first, 1.0 - first])[number]


def _expected_among(
    system: System,
    mu: Floats,
    sigma: Floats,
    number: NDArray[np.int32],
    size: NDArray[np.int64],
) -> Floats:
    """What is expected among more than two."""
    expected = fields.expected_ranks(*system.performances(_field(mu, sigma, number, size)))
    return expected[number]


def _field(mu: Floats, sigma: Floats, number: NDArray[np.int32], size: NDArray[np.int64]) -> Field:
    """What is believed of competitors, from that of their members."""
    sums = np.zeros((2, len(size)))
    np.add.at(sums[0], number, mu)
    np.add.at(sums[1], number, sigma * sigma)
    return Field(sums[0], sums[1], size)


class Goal(NamedTuple):
    """A rating, and the worst rank that reaches it."""

    rating: float
    rank: int | None
    """None if not even the first place does."""


@dataclass(frozen=True)
class Curve:
    """The rating that each final rank would give to one player, the others keeping their order."""

    player: str
    system: System
    contest: str
    participants: int
    """How many compete, the player or their team included."""
    rating_before: float
    rank: int | None
    """The rank in the standings; None if the player is not in them and was imagined to join."""
    rating: float | None
    """The rating after the standings as they are, ties included."""
    table: pl.DataFrame
    """Columns: rank, rating, change, mu and sigma; best rank first."""
    keep: int | None
    """The worst rank at which the rating does not fall; None if it does at any."""
    goals: tuple[Goal, ...]
    exact: bool
    """Whether `keep` and the ranks of `goals` are certainly the worst.

    So it is if the table has all ranks, or if the system lets no one gain by a worse rank.
    Otherwise they are the worst of the ranks in the table, improved by bisection.
    """

    def __repr__(self) -> str:
        rank = "not taking part" if self.rank is None else f"rank {self.rank:,}"
        before = f"{self.rating_before:.{self.system.decimals}f}"
        what = f"{self.player!r} in {self.contest!r} by {self.system.name}"
        return f"<Curve of {what}: {before} before, {rank} of {self.participants:,}>"

    def _repr_html_(self) -> str:
        return table(self, self.table, digits=self.system.decimals)

    @property
    def best(self) -> float:
        """The rating that the first place gives."""
        return float(self.table["rating"][0])

    def document(self) -> dict[str, Any]:
        """As JSON says it."""
        return as_document(
            {
                "player": self.player,
                "rank": self.rank,
                "participants": self.participants,
                "rating_before": self.rating_before,
                "rating": self.rating,
                "best": self.best,
                "keep": self.keep,
                "goals": [goal._asdict() for goal in self.goals],
                "exact": self.exact,
                "ranks": self.table.to_dicts(),
            }
        )

    def picture(self, path: str | os.PathLike[str]) -> None:
        """Draw the rating against the rank, as a PNG."""
        figure = pictures.new_figure()
        axes = figure.add_subplot()
        digits = self.system.decimals
        blue, orange, green, red, violet = pictures.COLOURS
        ranks, ratings = self.table["rank"].to_numpy(), self.table["rating"].to_numpy()
        axes.plot(ranks, ratings, color=blue, lw=2.2, marker="o" if len(ranks) <= 60 else "", ms=4)
        axes.axhline(self.rating_before, color="0.45", lw=1.2, ls="--", label="the rating before")
        marks = [(self.rank, orange, "now"), (self.keep, green, "keeps the rating")]
        marks += [(goal.rank, violet, f"reaches {goal.rating:g}") for goal in self.goals]
        for rank, colour, meaning in marks:
            if rank is not None:
                tied = self.rating if meaning == "now" else None
                rating = self._at(rank) if tied is None else tied
                label = f"rank {rank:,} {meaning}: {rating:.{digits}f}"
                axes.plot(rank, rating, "o", color=colour, ms=9, label=label, zorder=3)
        missed = [f"{goal.rating:g}" for goal in self.goals if goal.rank is None]
        if missed:
            label = f"rank 1 does not reach {', '.join(missed)}: {self.best:.{digits}f}"
            axes.plot(1, self.best, "o", color=red, ms=9, label=label, zorder=3)
        if 10 * (self.keep or self.rank or 1) < self.participants:
            axes.set_xscale("log")  # otherwise all that matters is at the left end
            axes.xaxis.set_major_formatter("{x:,.0f}")
        else:
            axes.locator_params(axis="x", integer=True)
            axes.set_xlim(1 - 0.02 * self.participants, 1.02 * self.participants)
        title = f"{self.player}, {self.rating_before:.{digits}f} before"
        pictures.dress(axes, title, f"rank of {self.participants:,}", "rating after the contest")
        axes.legend(frameon=False, fontsize=12, loc="best")
        pictures.save(figure, as_path(path))

    def _at(self, rank: int) -> float:
        return float(np.interp(rank, self.table["rank"], self.table["rating"]))


def curve(
    beliefs: Beliefs,
    standings: Contests,
    player: str,
    *,
    goals: Sequence[float] = (),
    most: int = 200,
    shown: Shown | None = None,
) -> Curve:
    """The rating of one player after a contest, for every rank that they may end at.

    The player (or their team) is taken out of the standings and put alone at each rank, while the
    others keep their order and ties. Nobody can end at a rank in the middle of a tie of others, so
    there is none of those. A rated player who is not in the standings is imagined to join.

    Args:
        beliefs: As for `predict`.
        standings: One contest.
        player: The player's name.
        goals: Ratings to reach, e.g. that of the next title.
        most: If there are more ranks, evenly spread ones are computed, the first, the last and the
            present one among them; `keep` and the ranks for `goals` are looked for between them.
        shown: As for `predict`.

    Example:
        >>> import podium
        >>> season = podium.simulate(players=20, rounds=11, seed=1)
        >>> rated = podium.rate(season[:10])
        >>> found = podium.curve(rated.beliefs, season[10:], "player-0007", goals=[9000])
        >>> found.table["rank"].to_list() == list(range(1, 21))
        True
        >>> found.goals
        (Goal(rating=9000.0, rank=None),)
    """
    if isinstance(most, bool) or not isinstance(most, numbers.Integral) or most < 2:
        raise InputError(f"most must be a whole number of at least 2, not {most!r}.")
    wanted = _checked_goals(goals)
    contests = _one_contest(beliefs, standings)
    player = spelled(player, beliefs.index)
    is_in = isinstance(player, str) and bool((contests.players == player).any())
    if not is_in:
        contests = _joined(contests, player, beliefs)
    state, contests, columns = _ready(beliefs, contests)
    number = (contests.players == player).arg_max()
    row = int(np.flatnonzero(contests.columns.player == number)[0])
    places = _Places(state, columns, row, shown or state.system.rating)
    present = None
    if is_in:
        present = int(np.searchsorted(places.options, places.ahead_now))
        rating = places.rating(places.now(present))
    chosen = np.arange(len(places.options))
    if len(chosen) > most:
        spread = np.linspace(0, len(chosen) - 1, int(most))
        chosen = np.unique(np.append(np.rint(spread).astype(np.int64), present or 0))
    exact = len(chosen) == len(places.options) or state.system.falls_with_rank
    before = places.rating_before
    found = [places.worst(chosen, target) for target in (before, *wanted)]
    worst = [None if option is None else int(places.ranks[option]) for option in found]
    drawn = np.union1d(chosen, [option for option in found if option is not None]).astype(np.int64)
    events = places.at(drawn)
    ratings = places.rating(events)
    table = pl.DataFrame(
        {
            "rank": places.ranks[drawn],
            "rating": ratings,
            "change": ratings - before,
            "mu": events[3],
            "sigma": events[4],
        },
        nan_to_null=True,
    )
    return Curve(
        player=player,
        system=state.system,
        contest=contests.ids[0],
        participants=places.competitors,
        rating_before=before,
        rank=None if present is None else int(places.ranks[present]),
        rating=None if present is None else float(rating),
        table=table,
        keep=worst[0],
        goals=tuple(map(Goal, wanted, worst[1:])),
        exact=exact,
    )


def needed_ranks(
    beliefs: Beliefs, standings: Contests, goals: Floats, *, shown: Shown | None = None
) -> NDArray[np.int64] | None:
    """The worst rank with which each participant would reach a rating, the others as they stand.

    It is that of `curve`, for everybody at once, where the system knows a way from performances to
    places and to ratings, and players are on their own; otherwise None.

    Args:
        beliefs: As for `predict`.
        standings: One contest.
        goals: A rating for each row of the standings; NaN for those who have none.
        shown: As for `predict`.

    Returns:
        For each row, a rank; 0 if not even the first place does, or if there is no goal.

    Example:
        >>> import numpy as np, podium
        >>> season = podium.simulate(players=20, rounds=11, seed=1)
        >>> beliefs = podium.rate(season[:10]).beliefs
        >>> needed = needed_ranks(beliefs, season[10:], np.full(20, 1600.0))
        >>> player = season[10].players[4]
        >>> curve = podium.curve(beliefs, season[10:], player, goals=[1600])
        >>> bool(needed[4] == curve.goals[0].rank)
        True
    """
    state, _, columns = _ready(beliefs, standings)
    system, n = state.system, len(columns.player)
    alone = n > 2 and (columns.team is None or not system.takes_teams)
    way = system.if_performed(state, columns) if alone and system.falls_with_rank else None
    if way is None:
        return None
    rating, earlier = shown or system.rating, state.table["contests"][columns.player]

    def short_of(rows: NDArray[np.int64], performance: Floats) -> Floats:
        events = way.events(rows, performance)
        found: Floats = rating(events[3], events[4], earlier[rows] + 1) - goals[rows]
        return found

    rows, needed = np.flatnonzero(~np.isnan(goals)), np.zeros(n, np.int64)
    if len(rows):
        rows = rows[short_of(rows, np.full(len(rows), way.high)) >= -_EQUAL]
    if len(rows):
        performance = _first_reaching(short_of, rows, way.low, way.high)
        ahead = way.most_ahead(rows, performance)
        needed[rows] = np.where(ahead < 0, 0, 1 + _at_options(columns.rank, rows, ahead))
    return needed


def _first_reaching(
    short_of: Callable[[NDArray[np.int64], Floats], Floats],
    rows: NDArray[np.int64],
    lowest: float,
    highest: float,
) -> Floats:
    """For each row, the least performance that is enough, all of them looked for together.

    By false position (Illinois) and, every third step, in the middle.
    """
    low, high = np.full(len(rows), lowest), np.full(len(rows), highest)
    under, over = short_of(rows, low), short_of(rows, high)
    close = _CLOSE * (highest - lowest)
    for step in range(_MOST_STEPS):
        (open_,) = np.nonzero(high - low > close)
        if not len(open_):
            break
        a, b, fa, fb = (each[open_] for each in (low, high, under, over))
        part = np.full(len(open_), 0.5) if step % 3 == 2 else fa / np.minimum(fa - fb, -1e-300)
        tried = a + np.clip(part, 0.02, 0.98) * (b - a)
        found = short_of(rows[open_], tried)
        enough = found >= -_EQUAL
        high[open_], over[open_] = np.where(enough, tried, b), np.where(enough, found, 0.5 * fb)
        low[open_], under[open_] = np.where(enough, a, tried), np.where(enough, 0.5 * fa, found)
    return high


def _at_options(
    rank: NDArray[np.int32], rows: NDArray[np.int64], ahead: NDArray[np.int64]
) -> NDArray[np.int64]:
    """As many others ahead, or fewer, so that nobody is put into the middle of a tie of others."""
    starts = np.searchsorted(rank, np.append(rank, rank[-1] + 1))
    own = starts[rows]
    start = starts[ahead + (ahead > own)]
    return np.asarray(start - (start > own), np.int64)


def _checked_goals(goals: Sequence[float]) -> list[float]:
    if isinstance(goals, str) or not isinstance(goals, Sequence | np.ndarray):
        raise InputError(f"goals must be a list of ratings, not {goals!r}.")
    for goal in goals:
        if isinstance(goal, bool) or not isinstance(goal, numbers.Real) or not math.isfinite(goal):
            raise InputError(f"a goal must be a rating, a finite number, not {goal!r}.")
    return [float(goal) for goal in goals]


def _joined(contests: Contests, player: str, beliefs: Beliefs) -> Contests:
    """The contest with one more participant, who comes last."""
    names = contests.players.to_list()
    if not isinstance(player, str) or player not in beliefs.index:
        near = [name for name in (*names, *beliefs.names) if abs(len(name) - len(str(player))) < 3]
        raise NotFoundError(
            f"player {player!r} is neither in the standings nor rated{suggestion(player, near)}."
        )
    c = contests.columns
    rows = len(c.player)
    columns = c._replace(
        offsets=np.array((0, rows + 1)),
        player=np.append(c.player, np.int32(rows)),
        rank=np.append(c.rank, np.int32(rows + 1)),
        team=None if c.team is None else np.append(c.team, np.int32(-1)),
        side=None if c.side is None else np.append(c.side, np.int8(0)),
        share=None if c.share is None else np.append(c.share, 1.0),
        margin=None,
        score=None,
    )
    players = pl.Series([*contests.players, player], dtype=pl.String)
    return Contests(contests.parts._replace(columns=columns, players=players))


class _Places:
    """One competitor of a contest at all places that the order of the others leaves."""

    def __init__(self, state: Beliefs, columns: Columns, row: int, shown: Shown) -> None:
        self.state, self.columns, self.row, self._shown = state, columns, row, shown
        number = _competitors(columns, state.system)
        is_own = number == number[self.row]
        self.own, self.others = np.flatnonzero(is_own), np.flatnonzero(~is_own)
        ranks = columns.rank[self.others]
        self.competitors = int(number.max()) + 1
        self.options = np.append(np.flatnonzero(np.diff(ranks, prepend=0)), len(ranks))
        """How many of the others' rows can be ahead: as many as come before a tie of them."""
        self.ahead_now = int((ranks < columns.rank[self.row]).sum())
        is_first = np.zeros(len(number), np.int64)
        is_first[np.unique(number, return_index=True)[1]] = 1
        ahead = np.concatenate(([0], np.cumsum(is_first[self.others])))
        self.ranks = 1 + ahead[self.options]
        """The rank of every option, teams counting as one."""
        self._short = None
        if len(self.options) > _FEW:
            self._short = state.system.if_placed(state, columns, self.row)
        self._at_once = 1 if self._short is None else _AT_ONCE
        self._events: dict[int, Floats] = {}
        record = state.table[columns.player[row]]
        self.contests = int(record["contests"])
        self.rating_before = float(
            shown(float(record["mu"]), float(record["sigma"]), self.contests)
        )

    def rating(self, events: Floats) -> Floats:
        """The rating shown after these events."""
        ratings: Floats = self._shown(events[3], events[4], self.contests + 1)
        return ratings

    def now(self, number: int) -> Floats:
        """The player's events after the standings as they are, which are those of an option.

        At least if nobody is tied with them, and what two have scored is no part of it.
        """
        c = self.columns
        happened = self.state.system.update_one(self.state.copy(), c, self.row)
        if self.competitors > 2 and np.count_nonzero(c.rank == c.rank[self.row]) == len(self.own):
            self._events[number] = happened
        return happened

    def at(self, numbers: NDArray[np.int64]) -> Floats:
        """The player's events for some of the options, a column for each."""
        missing = [number for number in numbers.tolist() if number not in self._events]
        if missing:
            ahead = self.options[missing]
            if self._short is not None:
                found = self._short(ahead)
            else:
                found = np.stack([self._folded(place) for place in ahead.tolist()], axis=1)
            self._events.update(zip(missing, found.T, strict=True))
        return np.stack([self._events[number] for number in numbers.tolist()], axis=1)

    def _folded(self, ahead: int) -> Floats:
        """The player's events if so many rows of the others are ahead."""
        c, others, size = self.columns, self.others, len(self.own)
        rows = np.concatenate((others[:ahead], self.own, others[ahead:]))
        ranks = c.rank[others]
        among_others = 1 + np.searchsorted(ranks, ranks).astype(np.int32)
        new_ranks = np.concatenate(
            (
                among_others[:ahead],
                np.full(size, ahead + 1, np.int32),
                among_others[ahead:] + np.int32(size),
            )
        )
        moved = c.take(slice(None), rows, c.offsets)
        moved = moved._replace(rank=new_ranks, margin=None, score=None)
        state, row = self.state.copy(), int(np.flatnonzero(rows == self.row)[0])
        return state.system.update_one(state, moved, row)

    def worst(self, chosen: NDArray[np.int64], target: float) -> int | None:
        """The last option that reaches a rating, if ratings fall between those that are chosen.

        None if none of them does.
        """
        reached = np.flatnonzero(self.rating(self.at(chosen)) >= target - _EQUAL)
        if len(reached) == 0:
            return None
        last = int(reached[-1])
        low = int(chosen[last])
        high = int(chosen[last + 1]) if last + 1 < len(chosen) else low + 1
        while high - low > 1:
            tried = low + (high - low) * np.arange(1, self._at_once + 1) // (self._at_once + 1)
            tried = np.unique(tried[tried > low])
            reached = np.flatnonzero(self.rating(self.at(tried)) >= target - _EQUAL)
            last = int(reached[-1]) if len(reached) else -1
            if last + 1 < len(tried):
                high = int(tried[last + 1])
            if last >= 0:
                low = int(tried[last])
        return low
