"""What holds for every rating system, whatever its model, as checks for a system of your own.

`check_system` makes all of them and says in sentences what fails. Podium's own systems pass.

Example:
    >>> import podium
    >>> podium.testing.check_system(podium.systems.Elo(k=20.0), leave_out=["large_contests"])
"""

import dataclasses
import itertools
import math
import pickle
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium import forks
from podium.errors import InputError, PodiumError
from podium.evaluation.populations import simulate, simulate_matches
from podium.ratings.beliefs import Beliefs, Packed
from podium.ratings.explanations import explain
from podium.ratings.fold import Rated, rate
from podium.ratings.ladder import Ladder
from podium.results.columns import Columns
from podium.results.contests import Contests
from podium.systems.base import (
    EVENTS,
    FORECAST,
    Field,
    Floats,
    Reset,
    System,
    refuse_unfinished,
)
from podium.wording import counted, suggestion

__all__ = ["CHECKS", "check_system"]

Check = Callable[[System], None]
CHECKS: dict[str, Check] = {}
"""The checks by name; the first line of each says what it demands."""

_NAMES = ["ann", "Bob", "bob", "cat", "Dan 2", "Dan 10", "ève", "李雷", 'f, "g"', "🦉"]
_DAY = 86_400


class _ChecksError(InputError):
    """All that fails, a line for each check."""

    def __init__(self, lines: str) -> None:
        ValueError.__init__(self, lines)


def check_system(system: System | type[System], *, leave_out: Collection[str] = ()) -> None:
    """Check a system, or a class of systems with its defaults; an error says all that fails.

    Args:
        system: It need not be registered.
        leave_out: The names of `CHECKS` that are known not to hold, or take too long.
    """
    forks.refuse_lost_threads()
    kind = system if isinstance(system, type) else type(system)
    refuse_unfinished(kind)
    for name in leave_out:
        if name not in CHECKS:
            raise InputError(f"there is no check {name!r}{suggestion(name, CHECKS)}.")
    built = kind() if isinstance(system, type) else system
    made = {name: check for name, check in CHECKS.items() if name not in leave_out}
    failures = [f"- {name}: {why}" for name in made if (why := failure(name, built)) is not None]
    if failures:
        of = counted(len(made), "check")
        raise _ChecksError("\n".join([f"{kind.name} fails {len(failures)} of {of}:", *failures]))


def failure(name: str, system: System) -> str | None:
    """What a check demands, and what is so instead; None if it holds."""
    try:
        CHECKS[name](system)
    except AssertionError as found:
        why = str(found)
    except Exception as error:
        why = f"it raised {type(error).__name__} ({error})"
    else:
        return None
    demand = (CHECKS[name].__doc__ or "").partition("\n")[0].rstrip(".")
    return f"{demand[0].lower()}{demand[1:]}, but {why}."


def _check(function: Check) -> Check:
    CHECKS[function.__name__] = function
    return function


def _demand(holds: object, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)


def _unit(system: System) -> float:
    """How far ratings are apart, roughly."""
    sigma = system.newcomer().get("sigma", math.nan)
    return 350.0 if math.isnan(sigma) else sigma


def _start(system: System) -> float:
    return float(system.newcomer()["mu"])


def _of_any_size(system: System) -> bool:
    return system.most_players is None


def _season(system: System, players: int, rounds: int, seed: int) -> Any:
    if _of_any_size(system):
        return simulate(players=players, rounds=rounds, seed=seed)
    return simulate_matches(players=players, matches=players * rounds // 2, seed=seed)


def _histories(system: System) -> Iterator[Contests]:
    """Short random histories: ties, weights, ceilings, shared times, players who come again."""
    rng = np.random.default_rng(7)
    for number in range(12):
        if number % 3 and _of_any_size(system):
            yield _contests(system, rng)
        else:
            yield _matches(system, rng)


def _contests(system: System, rng: np.random.Generator) -> Contests:
    rows = []
    for contest in range(rng.integers(1, 6)):
        players = rng.permutation(_NAMES)[: rng.integers(1, 9)]
        ranks = np.sort(rng.integers(1, 12, len(players)))
        about = (
            float(rng.choice([0.5, 1.0, 2.0])),
            float(rng.choice([math.inf, _start(system) + rng.normal() * _unit(system)])),
        )
        time = int(rng.integers(0, 4)) * _DAY
        for player, rank in zip(players, np.searchsorted(ranks, ranks) + 1, strict=True):
            rows.append((str(contest), time, str(player), int(rank), *about))
    schema = ["contest", "time", "player", "rank", "weight", "perf_ceiling"]
    frame = pl.DataFrame(rows, schema, orient="row")
    ceiling = pl.when(pl.col("perf_ceiling").is_finite()).then("perf_ceiling")
    return Contests.from_frame(frame.with_columns(perf_ceiling=ceiling))


def _matches(system: System, rng: np.random.Generator) -> Contests:
    rows = []
    for _ in range(rng.integers(1, 11)):
        pair = rng.permutation(_NAMES[:4])[:2].tolist()
        outcome = float(rng.choice([0.0, 0.5, 1.0]))
        if system.takes_scores and rng.random() < 0.5:
            outcome = rng.random()
        side = str(rng.choice(["home", "away", "neutral"]))
        rows.append((int(rng.integers(0, 3)) * _DAY, *pair, outcome, side, rng.integers(1, 3)))
    schema = ["time", "player_a", "player_b", "outcome", "side", "weight"]
    return Contests.from_matches(pl.DataFrame(rows, schema, orient="row"))


def _big(ranks: NDArray[np.int64], contest: str) -> Contests:
    players = [f"p{number:06}" for number in range(len(ranks))]
    frame = {"contest": contest, "time": _DAY, "player": players, "rank": ranks}
    return Contests.from_frame(pl.DataFrame(frame))


def _recorded(system: System, contests: Contests) -> Iterator[tuple[Ladder, int]]:
    """A ladder and the number of the contest that is recorded next."""
    ladder, columns = Ladder(system), contests.columns
    for number, contest in enumerate(contests):
        yield ladder, number
        groups = itertools.groupby(contest.standings, key=lambda row: row[0])
        first = columns.offsets[number]
        home = None
        if columns.side is not None and columns.side[first] != 0:
            home = contest.players[0 if columns.side[first] > 0 else 1]
        score = math.nan if columns.score is None else float(columns.score[number])
        ladder.record(
            [tuple(player for _, player in group) for _, group in groups],
            time=contest.time,
            weight=contest.weight,
            perf_ceiling=contest.perf_ceiling,
            home=home,
            score=None if math.isnan(score) else score,
        )
    yield ladder, len(contests)


def _enrolled(system: System, contests: Contests) -> tuple[Beliefs, Columns, Floats]:
    """Fresh beliefs that know all players, columns in terms of their ids, and room for events."""
    beliefs = Beliefs(system)
    ids = beliefs.enrol(contests.players.to_list())
    columns = contests.columns._replace(player=ids[contests.columns.player])
    return beliefs, columns, np.full((len(EVENTS), contests.rows), np.nan)


def _demand_finite(beliefs: Beliefs) -> None:
    mu, sigma = beliefs.column("mu"), np.nan_to_num(beliefs.column("sigma"))
    finite = np.isfinite(mu).all() and np.isfinite(sigma).all() and (sigma >= 0.0).all()
    _demand(finite, "mu or sigma is not finite, or sigma is negative")


def _near(one: Any, other: Any, within: float = 1e-9) -> bool:
    return bool(np.allclose(one, other, rtol=within, atol=within, equal_nan=True))


def same(one: Beliefs, other: Beliefs, how: str) -> None:
    """Raise unless two runs ended the same, to the bit; `how` says how the first was made."""
    _demand(one.names == other.names, f"{how}, players come in another order")
    ended = (one.rounds, one.time) == (other.rounds, other.time)
    _demand(ended, f"{how}, the number of contests or the time of the last differ")
    everybody = np.arange(len(one))
    ours, theirs = one.packed(everybody), other.packed(everybody)
    for column in ours.table.dtype.names or ():
        a, b = (np.ascontiguousarray(each.table[column]) for each in (ours, theirs))
        for row in np.flatnonzero(a.view(f"u{a.itemsize}") != b.view(f"u{a.itemsize}"))[:1]:
            _demand(False, f"{how}, {one.names[row]!r} has {column} {a[row]!s}, not {b[row]!s}")
    for part, what in (("memory", "is remembered of players"), ("shared", "all players share")):
        alike = getattr(ours, part).tobytes() == getattr(theirs, part).tobytes()
        _demand(alike, f"{how}, what {what} differs")


@_check
def batches(system: System) -> None:
    """Several batches and a ladder give what one run gives, to the bit."""
    for number, contests in enumerate(_histories(system)):
        in_batches(system, contests, number % 5)


def in_batches(system: System, contests: Contests, cut: int) -> None:
    """The same for one history, cut there."""
    at_once = rate(contests, system)
    first = rate(contests[:cut], system, history=False)
    both = rate(contests[cut:], beliefs=first.beliefs, history=False)
    same(both.beliefs, at_once.beliefs, "in two batches")
    ladder, _ = list(_recorded(system, contests))[-1]
    same(ladder.beliefs, at_once.beliefs, "recorded one by one")
    _demand_finite(at_once.beliefs)
    _demand(at_once.history.height == contests.rows, "the history has other rows")
    _demand(len(at_once.ratings) == len(contests.players), "not everybody has a rating")


@_check
def events(system: System) -> None:
    """The history ends with the ratings, and shows before a contest what it showed after the last.

    Sigma before is that of the last contest.
    """
    for contests in _histories(system):
        rated = rate(contests, system)
        last = {row["player"]: row for row in rated.history.iter_rows(named=True)}
        for row in rated.ratings.iter_rows(named=True):
            for column in ("mu", "sigma", "rating"):
                happened, now = last[row["player"]][column], row[column]
                _demand(happened == now, f"{column} ends as {happened!r}, but is {now!r}")
        before = pl.col("mu").shift().over("player")  # null before the first contest
        right = rated.history.select((pl.col("mu_before") == before).all()).item()
        _demand(right, "mu_before is not the mu from before")


@_check
def empty_contests(system: System) -> None:
    """No contests change nothing."""
    season = _season(system, 5, 2, 1)
    beliefs = rate(season, system).beliefs
    before = beliefs.copy()
    system.update_many(beliefs, _enrolled(system, season[:0])[1])
    same(beliefs, before, "after no contest")
    _demand(len(rate(season[:0], system).ratings) == 0, "somebody has a rating without a contest")


@_check
def threads(system: System) -> None:
    """The number of threads changes nothing, to the bit."""
    if not _of_any_size(system):
        return
    rng = np.random.default_rng(7)
    for size in (3000, 5000):
        places = np.sort(rng.integers(1, 2 * size, size))
        ranks = np.searchsorted(places, places) + 1
        both = Contests.concat([_big(ranks, "big"), _big(rng.permutation(ranks), "again")])
        one, three = (rate(both, system, threads=count) for count in (1, 3))
        same(three.beliefs, one.beliefs, "with three threads")
        _demand(one.history.equals(three.history), "with three threads, the history is another")


@_check
def large_contests(system: System) -> None:
    """Twenty thousand players are rated, those who tie in their first contest alike."""
    if not _of_any_size(system):
        return
    size = 20_000
    start, rng = _start(system), np.random.default_rng(1)
    tolerance = 1e-6 * max(abs(start), _unit(system))
    for tied in (False, True):
        ranks = np.ones(size, np.int64) if tied else np.arange(1, size + 1)
        season = Contests.concat([_big(ranks, "first"), _big(rng.permutation(ranks), "second")])
        beliefs = rate(season, system).beliefs
        _demand_finite(beliefs)
        if tied:
            _demand(np.ptp(beliefs.column("mu")) <= tolerance, "all who tied are not rated alike")
            continue
        first = rate(season[:1], system).beliefs.column("mu")
        _demand(np.diff(first).max() <= 1e-3 * tolerance, "a worse rank is rated higher")
        _demand(first[0] > start > first[-1], "the first does not gain, or the last not lose")


@_check
def names(system: System) -> None:
    """Names do not matter."""
    rng = np.random.default_rng(3)
    for contests in _histories(system):
        others = rng.permutation(len(contests.players)).tolist()
        renamed(system, contests, [f"x{number}" for number in others])


def renamed(system: System, contests: Contests, others: Sequence[str]) -> None:
    """The same for one history and other names of its players."""
    names = dict(zip(contests.players.to_list(), others, strict=True))
    frame = contests.frame().with_columns(pl.col("player").replace_strict(names))
    two = [rate(each, system) for each in (contests, Contests.from_frame(frame))]
    before, after = (
        {row["player"]: (row["mu"], row["sigma"] or 0.0) for row in each.ratings.to_dicts()}
        for each in two
    )
    for player, other in names.items():
        what = f"{player!r} has {before[player]}, and as {other!r} {after[other]}"
        _demand(_near(before[player], after[other]), f"{what} (mu, sigma)")


@_check
def large_gaps(system: System) -> None:
    """Gaps of thousands of points are survived, the expected and the unexpected result."""
    if not _of_any_size(system):
        return
    spread = 10_000.0 * max(1.0, abs(_start(system))) / 1500.0
    for upset in (False, True):
        ladder = Ladder(system)
        players = [f"p{number}" for number in range(8)]
        ladder.record(players)
        beliefs = ladder.beliefs
        for number in range(8):
            shift = spread * (number % 4) - beliefs.table["mu"][number]
            for column, _ in system.table_fields:
                if column.startswith(("mu", "p0")):
                    beliefs.table[column][number] += shift
        order = sorted(players, key=lambda player: ladder[player].mu, reverse=not upset)
        for standings in (order, [order[-1], order[0]], [("newcomer", order[0])]):
            ladder.record(standings)
        _demand_finite(beliefs)
        _sound(ladder, [*order, "newcomer"], 3)


def _sound(ladder: Ladder, field: list[str], top: int) -> None:
    chances, n = ladder.rank_probabilities(field, top=top), len(field)
    first, among, rank = (chances[column].to_numpy() for column in chances.columns[1:])
    _demand(np.isfinite((first, among, rank)).all(), "a probability of a place is not finite")
    _demand(_near(first.sum(), 1.0), f"chances of the first place add up to {first.sum()}")
    together = f"chances of the best {top} of {n} add up to {among.sum()}"
    _demand(_near(among.sum(), min(top, n), 1e-6), together)
    ranks = f"expected ranks of {n} add up to {rank.sum()}"
    _demand(_near(rank.sum(), n * (n + 1) / 2, 1e-3), ranks)
    quality = ladder.quality(field)
    _demand(0.0 <= quality <= 1.0, f"the quality of a contest is {quality}")


@_check
def predictions(system: System) -> None:
    """Predictions are symmetric, sum to one and favour the better."""
    for number, contests in enumerate(_histories(system)):
        predicted(system, contests, 1 + number % 4)


def predicted(system: System, contests: Contests, top: int) -> None:
    """The same after one history, and for a place among so many."""
    ladder = Ladder.from_beliefs(rate(contests, system).beliefs)
    by_mu = type(system).pair_chances is System.pair_chances  # not by what else is believed
    by_mu = by_mu and not system.forecasts
    for a, b in itertools.combinations(ladder, 2):
        win, loss = ladder.win_probability(a, b), ladder.win_probability(b, a)
        draw, back = ladder.draw_probability(a, b), ladder.draw_probability(b, a)
        chances = f"{a!r} wins with {win}, draws with {draw} and loses with {loss}"
        _demand(min(win, draw, loss) >= 0.0 and _near(win + draw + loss, 1.0, 1e-12), chances)
        _demand(_near(draw, back, 1e-13), f"a draw has the chance {draw}, or {back} from behind")
        if by_mu and ladder[a].mu > ladder[b].mu + 1e-6:
            _demand(win >= loss, f"{chances}, with the higher mu")
    _sound(ladder, list(ladder)[: system.most_players], top)


@_check
def pairs(system: System) -> None:
    """Many pairs are predicted as each of them, and a field of two as the pair."""
    rng = np.random.default_rng(5)
    competitors = [
        (rng.normal(), rng.uniform(1e-3, 1.0), int(rng.integers(1, 5))) for _ in range(60)
    ]
    one_by_one(system, competitors, rng.integers(-1, 2, 30).tolist())
    ladder = Ladder(system)
    for standings in (["ann", "bob"], ["bob", "cat"], ["ann", "cat"]) * 5:
        ladder.record(standings)
    pair = ladder.rank_probabilities(["ann", "cat"])
    half = 0.5 * ladder.draw_probability("ann", "cat")
    expected = ladder.win_probability("ann", "cat") + half
    _demand(_near(pair["first"][0], expected), "a field of two is predicted otherwise")
    _demand(_near(pair["expected_rank"], 2.0 - pair["first"]), "expected ranks are not of a pair")
    closer = ladder.quality(["ann", "bob"]) > ladder.quality(["ann", "cat"])
    _demand(closer, "a contest of unequals has the higher quality")


def one_by_one(
    system: System, competitors: Iterable[tuple[float, float, int]], sides: list[int]
) -> None:
    """What `expected_scores` says of all pairs is what `chances` says of each."""
    unit = _unit(system)
    mu, sigma, size = (np.array(column) for column in zip(*competitors, strict=True))
    size = size if system.takes_teams else np.ones_like(size)
    field = Field(_start(system) * size + unit * mu, (unit * sigma) ** 2 * size, size)
    first, second = (field.among(np.arange(start, len(mu), 2)) for start in (0, 1))
    found = system.expected_scores(first, second, np.array(sides, float))
    for number, side in enumerate(sides):
        pair = np.array([2 * number, 2 * number + 1])
        win, draw = system.chances(field.among(pair), side)
        what = f"expected_scores has {found[number]} where chances has {win} and {draw}"
        _demand(_near(found[number], win + 0.5 * draw, 1e-11), what)
    _demand(((found >= 0.0) & (found <= 1.0)).all(), "an expected score is not from 0 to 1")
    back = system.expected_scores(second, first, -np.array(sides, float))
    _demand(_near(found + back, 1.0, 1e-11), "expected scores of a pair do not add up to 1")


@_check
def certainty(system: System) -> None:
    """Uncertainty alone makes nobody better, and certainties of every size are survived."""
    if not _of_any_size(system):
        return
    ladder, players = Ladder(system), ["ann", "bob", "cat", "dan"]
    ladder.record([tuple(players)])
    table = ladder.beliefs.table
    table["mu"][:4] = table["mu"][0]
    table["sigma"][1] *= 3.0
    ranks = ladder.rank_probabilities(players)["expected_rank"].to_list()
    _demand(_near(ranks, 2.5, 1e-6), f"four with one mu have the expected ranks {ranks}")
    back, forth = ladder.win_probability("bob", "cat"), ladder.win_probability("cat", "bob")
    _demand(_near(back, forth), f"of two with one mu, one wins with {back} and one with {forth}")
    table["sigma"][:4] *= [1e-9, 1.0, 1e-4, 100.0]
    _sound(ladder, players, 3)


@_check
def results(system: System) -> None:
    """Winning raises, losing lowers, a heavier contest counts more and being alone nothing."""
    start, gains = _start(system), []
    for earlier, weight in itertools.product(([], [["bob", "ann"]]), (0.01, 1.0, 50.0)):
        ladder = Ladder(system)
        for standings in earlier:
            ladder.record(standings)
        ladder.record(["ann", "bob"], weight=weight)
        gains.append(ladder["ann"].mu)
    first, later = gains[:3], gains[3:]  # a first contest may be all that is known
    weights = "weights of 0.01, 1 and 50 give"
    _demand(first == sorted(first), f"{weights} a new winner {np.round(first, 6)}")
    _demand(later == sorted(set(later)), f"{weights} a winner {np.round(later, 6)}")
    ladder = Ladder(system)
    ladder.record(["ann", "bob"], time=0)
    ann, bob = ladder["ann"], ladder["bob"]
    _demand(ann.mu > start > bob.mu, f"from {start}, a win gives {ann.mu} and a loss {bob.mu}")
    _demand(ann.rating > bob.rating, "the winner is not shown above the loser")
    ladder.record(["ann"], time=0)
    _demand(ladder["ann"].mu == ann.mu, "a contest without opponents changes mu")
    _demand(ladder["ann"].contests == 2, "a contest without opponents does not count as one")
    alone = Contests.from_records([{"contest": 1, "time": 0, "player": "ann", "rank": 1}])
    happened = rate(alone, system).history
    _demand(happened["performance"].null_count() == 1, "who is alone shows a performance")
    _demand(happened["mu"].item() == start, "a newcomer who is alone does not start at the start")


@_check
def scores(system: System) -> None:
    """A score between a draw and a win counts as much."""
    if not system.takes_scores:
        return
    gains = []
    for score in (0.0, 0.25, 0.5, 0.75, 1.0):
        ladder = Ladder(system)
        ladder.record(["ann", "bob"], score=score)
        gains.append(ladder["ann"].mu)
    _demand(gains == sorted(set(gains)), f"scores of 0, ¼, ½, ¾ and 1 give {gains}")


@_check
def better_ranks(system: System) -> None:
    """If ratings are said never to rise with a worse rank, they do not, however it is computed."""
    if not _of_any_size(system):
        return
    season = simulate(players=12, rounds=6, seed=4)
    beliefs = rate(season[:5], system).beliefs
    columns = _enrolled(system, season)[1]
    rows = slice(columns.offsets[5], columns.offsets[6])
    ids = beliefs.enrol(season.players.to_list())[season.columns.player[rows]]
    n, row = len(ids), 4
    shorter = system.if_placed(beliefs, _in_order(season.columns, ids), row)
    found = None if shorter is None else shorter(np.arange(n))[3]
    mu = []
    for ahead in range(n):
        order = np.insert(np.delete(np.arange(n), row), ahead, row)
        state = beliefs.copy()
        system.update_many(state, _in_order(season.columns, ids[order]))
        mu.append(float(state.table["mu"][ids[row]]))
        if found is not None:
            what = f"if_placed foresees {found[ahead]} after {ahead} others, where it is {mu[-1]}"
            _demand(_near(found[ahead], mu[-1], 1e-6), what)
    if system.falls_with_rank:
        tolerance = 1e-9 * _unit(system)
        _demand(np.diff(mu).max() <= tolerance, f"with {n} ranks, mu is {mu}")


def _in_order(columns: Columns, ids: NDArray[np.int32]) -> Columns:
    """The last contest, with these players in this order."""
    ranks = np.arange(1, len(ids) + 1, dtype=np.int32)
    about = columns.time[-1:], columns.weight[-1:], columns.perf_ceiling[-1:]
    return Columns(np.array((0, len(ids))), ids, ranks, *about)


def _in_time(system: System) -> Iterator[System]:
    """The system, and with what lets uncertainty grow with absence, if it can."""
    yield system
    by_mu = type(system).pair_chances is System.pair_chances  # drift is in units of sigma
    if by_mu and system.parameters.get("drift_per_day") == 0.0:
        with suppress(PodiumError):  # it may not go with the other parameters
            drift = {"drift_per_day": 1e-5 * _unit(system) ** 2}
            yield type(system)(**{**system.parameters, **drift})


@_check
def absence(system: System) -> None:
    """Uncertainty never shrinks with absence, and later meetings are predicted with that of then.

    A time before a player's last contest changes nothing, nor do times before the first.
    """
    for drifting in _in_time(system):
        ladder = Ladder(drifting)
        for _ in range(10):
            ladder.record(["ann", "bob"], time="2026-01-01")
        grows = drifting.parameters.get("drift_per_day", 0.0) > 0.0
        now, late = ladder.ratings, ladder.leaderboard(None, at="2027-01-01")
        one, other = (table.sort("player").to_dicts() for table in (now, late))
        for row, then in zip(one, other, strict=True):
            _demand(_near(row["mu"], then["mu"]), "mu changes with absence")
            sigma, later = row["sigma"] or 0.0, then["sigma"] or 0.0
            grown = later > sigma if grows else later >= sigma
            _demand(grown, f"after a year, a sigma of {sigma} is {later}")
        _ask_later(ladder, grows)
        beliefs, start = ladder.beliefs, drifting.newcomer()
        beliefs.enrol(["cat"])
        moment = beliefs.time or 0
        earlier, later = (
            drifting.aged(beliefs, slice(0, 3), moment + 10**15 * sign)[1] for sign in (-1, 1)
        )
        _demand(_near(earlier[0], ladder["ann"].sigma), "a time before the last contest matters")
        _demand(_near(later[2], start.get("sigma", 0.0)), "a newcomer has been absent")


def _ask_later(ladder: Ladder, grows: bool) -> None:
    """Raise if the future is not foreseen with less certainty, where there is less."""
    pair = ["ann", "bob"]
    asked: dict[str, Callable[[Any], float]] = {
        "win_probability": lambda at: ladder.win_probability("ann", "bob", at=at),
        "rank_probabilities": lambda at: ladder.rank_probabilities(pair, at=at)["first"][0],
        "quality": lambda at: -ladder.quality(pair, at=at),
    }
    if type(ladder.system).quality is not System.quality:
        del asked["quality"]  # which may fall with uncertainty
    for name, ask in asked.items():
        now, same, late = (ask(at) for at in (None, "2026-01-01", "2036-01-01"))
        _demand(same == now, f"{name} of the same day is {same}, not {now}")
        _demand(late < now if grows else late <= now, f"{name} of ten years later is {abs(late)}")


@_check
def beliefs_before(system: System) -> None:
    """What is believed just before each contest is what a ladder believes on that day."""
    for drifting in _in_time(system):
        for number, contests in enumerate(_histories(drifting)):
            before_each(drifting, contests, number % 5)


@_check
def forecasts(system: System) -> None:
    """What is expected of a player beside the rating is the same whoever else is asked about."""
    wanted = FORECAST if system.forecasts else ()
    for contests in _histories(system):
        beliefs = rate(contests, system).beliefs
        everybody = system.besides(beliefs, slice(0, len(beliefs)))
        _demand(tuple(everybody) == wanted, f"tables of ratings have {list(everybody)} besides")
        for player in range(len(beliefs)):
            alone = system.besides(beliefs, np.array([player]))
            same = all(alone[name][0] == everybody[name][player] for name in wanted)
            _demand(same, f"{beliefs.names[player]} alone is expected elsewhere")


def before_each(system: System, contests: Contests, cut: int) -> None:
    """The same for one history, asked for in two parts."""
    expected: list[Floats] = []
    for ladder, number in _recorded(system, contests):
        if number == len(contests):
            continue
        state, c = ladder.beliefs.copy(), contests.columns.between(number, number + 1)
        ids = state.enrol(contests[number].players)
        if state.time is None:  # nothing is dated yet, and so no time has passed
            state.begin(int(c.time[0]))
        expected.append(np.array(system.forecast(state, ids, int(c.time[0]), c.side)))
    beliefs, columns, events = _enrolled(system, contests)
    last = min(cut, len(contests))
    found = np.hstack(
        [
            system.beliefs_before(beliefs, columns, events, first=0, last=last),
            system.beliefs_before(beliefs, columns, events, first=last),
        ]
    )
    _demand(_near(found, np.hstack(expected), 1e-13), "beliefs_before says otherwise")
    plain, columns, happened = _enrolled(system, contests)
    system.update_many(plain, columns, happened)
    _demand(np.array_equal(events, happened, equal_nan=True), "asking changes the ratings")
    backtest, columns, _ = _enrolled(system, contests)
    scores = system.backtest(backtest, columns, happened)
    _demand(np.array_equal(np.isnan(scores), contests.sizes != 2), "others than pairs are expected")


@_check
def saving(system: System) -> None:
    """Beliefs and ratings are saved, loaded, packed, copied and pickled exactly."""
    played = _season(system, 20, 6, 3)
    rated, whole = rate(played[:3], system), rate(played, system).beliefs
    with tempfile.TemporaryDirectory() as folder:
        rated.save(Path(folder) / "ratings")
        again = Rated.load(Path(folder) / "ratings", system)
    _demand(again.ratings.equals(rated.ratings), "loaded ratings are others")
    _demand(again.history.equals(rated.history), "the loaded history is another")
    before, everybody = rated.beliefs.copy(), np.arange(len(rated.beliefs))
    for state, how in (
        (again.beliefs, "loaded and gone on"),
        (rated.beliefs.part(everybody), "taken apart and gone on"),
        (_pickled(rated.beliefs), "pickled and gone on"),
    ):
        same(state, before, how.partition(" and")[0])
        same(rate(played[3:], beliefs=state).beliefs, whole, how)
    same(rated.beliefs, before, "although only copies went on")
    turned = rated.beliefs.part(everybody[::-1]).part(everybody[::-1])
    same(turned, before, "turned round and back")


def _pickled(beliefs: Beliefs) -> Beliefs:
    """As another process gets them; they themselves if their class has no place to be found at."""
    try:
        pickle.dumps(type(beliefs.system))
    except (pickle.PicklingError, AttributeError):
        return beliefs
    sent: Beliefs = pickle.loads(pickle.dumps(beliefs))
    return sent


@_check
def damage(system: System) -> None:
    """Beliefs are accepted when they are loaded, unless they hold what no contest makes."""
    beliefs = rate(_season(system, 20, 6, 3), system, history=False).beliefs
    said = beliefs.flaw()
    _demand(said is None, f"sound ones are refused: {said}")
    beliefs.table["mu"][0] = math.nan
    _demand(beliefs.flaw() is not None, "a mu that is not a number is accepted")


@_check
def parameters(system: System) -> None:
    """Parameters are stored, frozen and have meanings, and a docstring says what it is for."""
    kind = type(system)
    first = (kind.__doc__ or "").partition("\n")[0]
    _demand(20 < len(first) < 100 and first.endswith("."), f"its docstring begins {first!r}")
    for field in dataclasses.fields(kind):
        meaning = field.metadata["meaning"]
        _demand(len(meaning) > 10, f"the meaning of {field.name} is {meaning!r}")
    _demand(kind(**system.parameters) == system, "the same parameters make another system")
    _demand(hash(kind(**system.parameters)) == hash(system), "the same system has another hash")
    frozen = kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    _demand(frozen, "the dataclass is not frozen")


@_check
def explanations(system: System) -> None:
    """A change of rating is explained, and the parts of it add up."""
    played = _season(system, 8, 8, 2)
    last = len(played) - 1
    player = played[last].players[0]
    rated = rate(played, system)
    found = explain(rate(played[:last], system).beliefs, played[last:], player)
    change = found.change
    parts = change.by_skill + change.by_certainty + change.by_experience
    gained = change.rating - change.rating_before
    _demand(_near(parts, gained), f"the parts are {parts} together, the change is {gained}")
    after = rated.ratings.filter(pl.col("player") == player)["mu"].item()
    _demand(change.mu == after, f"mu is explained as {change.mu}, but is {after}")
    _demand(player in found.text(), "the text does not name the player")


@_check
def truth(system: System) -> None:
    """A long season finds out who is good."""
    played = _season(system, 60, 60, 11)
    rated = rate(played, system)
    skills = rated.history.select("player").with_columns(skill=pl.Series(played.skills))
    both = rated.ratings.join(skills.unique("player", keep="last"), on="player")
    found = both.select(pl.corr("mu", "skill", method="spearman")).item()
    _demand(found > 0.8, f"mu and true skill have a rank correlation of {found:.2f}")


@_check
def teams(system: System) -> None:
    """Teams are rated alike from tables and on ladders, and who plays less counts less."""
    if not system.takes_teams:
        return
    one, other = Ladder(system), Ladder(system)
    one.record([["ann"], (["bob"], "cat"), ["dan"]], shares={"ann": 1.0})
    other.record(["ann", ("bob", "cat"), "dan"])
    for _ in range(20):
        one.record([["ann"], ["bob"]], shares={"ann": 1.0, "bob": 1.0})
        other.record(["ann", "bob"])
    same(one.beliefs, other.beliefs, "as teams of one")
    ladder, start = Ladder(system), _start(system)
    ladder.record([["ann", "bob"], ["cat", "dan"]], shares={"bob": 0.1})
    gains = [ladder[player].mu - start for player in ("ann", "bob", "cat")]
    right = gains[0] > 1.01 * gains[1] > 0.0 > gains[2]
    _demand(right, f"shares of 1, 0.1 and a loss give {gains}")
    table, ladder = _team_results(system)
    contests = Contests.from_frame(table)
    whole = rate(contests, system)
    for cut in (0, 5, 12):
        first = rate(contests[:cut], system)
        both = rate(contests[cut:], beliefs=first.beliefs)
        same(both.beliefs, ladder.beliefs, f"with teams, after {cut} contests and the others")
    beliefs, columns, happened = _enrolled(system, contests)
    for contest in range(len(contests)):
        system.update_many(beliefs, columns, happened, first=contest, last=contest + 1)
    shown = whole.history.select(EVENTS).to_numpy().T.astype(float)
    _demand(np.array_equal(happened, shown, equal_nan=True), "steps of a run matter for teams")


def _team_results(system: System) -> tuple[pl.DataFrame, Ladder]:
    """Twelve contests of teams with ties and shares, as a table and on a ladder."""
    rng, rows, ladder = np.random.default_rng(5), [], Ladder(system)
    for day in range(12):
        players = rng.permutation([f"p{number}" for number in range(9)]).tolist()
        teams: list[Any] = [players[:2], players[2:5], players[5:6], players[6:9]]
        share = {player: float(rng.choice([0.25, 1.0])) for player in players}
        places = [1, 2, 2, 4] if day % 2 else [1, 2, 3, 4]
        for place, team in zip(places, teams, strict=True):
            for player in team:
                rows.append((f"day {day}", day, player, f"t{place}{team[0]}", place, share[player]))
        entries = [teams[0], (teams[1], teams[2]), teams[3]] if day % 2 else teams
        ladder.record(entries, time=day, shares=share)
    schema = ["contest", "time", "player", "team", "rank", "share"]
    return pl.DataFrame(rows, schema, orient="row"), ladder


@_check
def order_of_teams(system: System) -> None:
    """The order in which teams and their members are named does not matter."""
    if not system.takes_teams:
        return
    one, other = Ladder(system), Ladder(system)
    one.record([["ann", "bob"], (["cat", "dan"], ["eve", "fay"]), ["gus", "hal"]])
    other.record([["bob", "ann"], (["fay", "eve"], ["dan", "cat"]), ["gus", "hal"]])
    for player in one:
        mu, turned = one[player].mu, other[player].mu
        _demand(_near(mu, turned, 1e-12), f"{player!r} has mu {mu}, or {turned} the other way")
    ann, bob, cat, eve, gus = (one[name].mu for name in ("ann", "bob", "cat", "eve", "gus"))
    right = ann == bob > cat > gus and _near(cat, eve)
    _demand(right, f"two who won have mu {ann}, {bob}, two who tied {cat}, {eve}, who lost {gus}")


@_check
def resets(system: System) -> None:
    """A reset moves mu and sigma of those it is for, as its formula says, and contests go on."""
    start, usual = _start(system), system.newcomer().get("sigma", 0.0)
    least = None if math.isnan(usual) else 0.9 * usual
    other = Reset(0.25, start + 0.5 * _unit(system), least)
    for contests in _histories(system):
        for reset in (Reset(0.0), Reset(0.3), Reset(1.0), other):
            was_reset(system, contests, reset)


def was_reset(system: System, contests: Contests, reset: Reset) -> None:
    """The same for one history."""
    before = _with_newcomers(system, contests)
    everybody = np.arange(len(before))
    chosen = everybody[::2]
    old = [before.column(name)[chosen] for name in ("mu", "sigma")]
    wanted = system.reset_moments(old[0], old[1], reset)
    formula = reset.moments(system.newcomer(), old[0], old[1])[0]
    _demand(np.array_equal(wanted[0], formula), "reset_moments has another mu than the formula")
    _demand(not (wanted[1] < old[1]).any(), "reset_moments makes somebody more certain")
    after = _changed(
        contests, before, chosen, lambda state, ids, _: system.reset(state, ids, reset)
    )
    _demand_moments(after, chosen, wanted)
    nothing = before.copy()
    system.reset(nothing, everybody, Reset(0.0))
    same(nothing, before, "after a reset by nothing")


@_check
def starts(system: System) -> None:
    """Who starts anew has that mu and sigma and no past; who starts as a newcomer is one."""
    for contests in _histories(system):
        was_started(system, contests)
    mu, sigma = np.full(3, _start(system) + 0.3 * _unit(system)), np.full(3, math.nan)
    packed = []
    for turn in (1, -1):
        ladder = Ladder(system)
        for day, standings in enumerate((["ann", "bob"], ["bob", "cat"], ["ann", "cat"]) * 3):
            ladder.record(standings[::turn], time=day * _DAY)
        ids = ladder.beliefs.enrol(["ann", "bob", "cat"]).astype(np.int64)
        system.start(ladder.beliefs, ids, mu, sigma)
        packed.append(ladder.beliefs.packed(ids))
    _demand(_alike(*packed), "results from before the start still count")


def was_started(system: System, contests: Contests) -> None:
    """The same for one history."""
    before = _with_newcomers(system, contests)
    chosen, usual = np.arange(len(before))[::2], system.newcomer().get("sigma", 0.0)
    mu = _start(system) + _unit(system) * np.linspace(-0.5, 0.7, len(chosen))
    sigma = np.where(chosen % 4 == 0, math.nan, 0.9 * usual)
    after = _changed(
        contests,
        before,
        chosen,
        lambda state, ids, rows: system.start(state, ids, mu[rows], sigma[rows]),
    )
    begun = system.newcomers_at(mu, sigma)["sigma"]
    _demand_moments(after, chosen, (mu, np.broadcast_to(begun, len(mu))))
    newcomers = np.flatnonzero(before.column("contests") == 0)
    for given in (math.nan, usual):
        state = before.copy()
        own, sigmas = (np.full(len(newcomers), each) for each in (_start(system), given))
        system.start(state, newcomers, own, sigmas)
        same(state, before, "after newcomers have started as such")


def _with_newcomers(system: System, contests: Contests) -> Beliefs:
    """What is believed after contests, and of two who were not there."""
    beliefs = rate(contests, system, history=False).beliefs
    beliefs.enrol(["newcomer 1", "newcomer 2"])
    return beliefs


def _changed(
    contests: Contests,
    before: Beliefs,
    chosen: NDArray[np.int64],
    change: Callable[[Beliefs, NDArray[np.int64], slice], None],
) -> Beliefs:
    """Beliefs after a change of some players, given their ids in them and which of all they are.

    Raise unless it leaves all else as it was, and is the same wherever memory lies, for all at once
    or one by one, in all that follows.
    """
    after, everybody = before.copy(), np.arange(len(before))
    change(after, chosen, slice(None))
    others = np.setdiff1d(everybody, chosen)
    still = _alike(before.packed(others), after.packed(others))
    _demand(still, "what is believed of others changes")
    for name in ("contests", "last_time"):
        _demand((before.column(name) == after.column(name)).all(), f"{name} changes")
    _demand(before.shared.tobytes() == after.shared.tobytes(), "what all players share changes")
    said = after.flaw()
    _demand(said is None, f"what is believed then is refused: {said}")
    turned = Beliefs.unpacked(before.system, before.names[::-1], before.packed(everybody[::-1]))
    turned.rounds, turned.time = before.rounds, before.time
    for row, player in enumerate(chosen.tolist()):
        change(turned, np.array([len(everybody) - 1 - player]), slice(row, row + 1))
    back = turned.part(everybody[::-1])
    same(back, after, "one by one and kept elsewhere")
    ended = []
    for state in (after.copy(), back):
        ids = state.enrol(contests.players.to_list())
        columns = contests.columns._replace(player=ids[contests.columns.player])
        later = columns.time + (1 + (before.time or 0))
        before.system.update_many(state, columns._replace(time=later))
        _demand_finite(state)
        ended.append(state)
    same(ended[1], ended[0], "one by one, kept elsewhere and gone on")
    return after


def _alike(one: Packed, other: Packed) -> bool:
    """Whether the same is believed of players, to the bit, whatever all share."""
    parts = ((each.table.tobytes(), each.memory.tobytes()) for each in (one, other))
    return len(set(parts)) == 1


def _demand_moments(
    beliefs: Beliefs, players: NDArray[np.int64], wanted: tuple[Floats, Floats]
) -> None:
    for name, column in zip(("mu", "sigma"), wanted, strict=True):
        found = beliefs.column(name)[players]
        right = np.array_equal(found, column, equal_nan=True)
        _demand(right, f"{name} of {len(found)} players is {found}, not {column}")
