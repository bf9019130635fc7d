"""Days of a population whose skills are known: it queues, is matched by rules, plays, is rated.

Several rules see the same arrivals, and the same luck: when a session begins, who comes, how many
matches they want and how well they do in each of them are drawn beforehand, player by player,
and so do not depend on the rules. What is repeated with other seeds gives intervals.
"""

import heapq
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium import systems
from podium.arguments import check_number, check_whole
from podium.documents import as_document
from podium.errors import InputError
from podium.extras import require
from podium.matchmaking.matchmaker import Matchmaker, refuse_system
from podium.matchmaking.outcomes import Match, Round
from podium.matchmaking.rules import Rules
from podium.matchmaking.tickets import Ticket, seconds
from podium.progress import Progress, part_of, reporting
from podium.ratings.fold import rate
from podium.ratings.ladder import Ladder
from podium.results.contests import Contests
from podium.results.times import Time

Floats = NDArray[np.float64]

DAY = 86_400.0
GROUPS = ("all", "newcomers", "best", "worst", "parties", "quiet hours")
MEASURES = {
    "tickets": "tickets",
    "wait": "mean wait, s",
    "wait_95": "95 % wait at most, s",
    "longest": "longest wait, s",
    "gave_up": "gave up, %",
    "quality": "quality, %",
    "favourite": "favourite wins by true skill, %",
    "error": "error of ratings",
    "order": "correlation of ranks",
}
"""What is measured, and how tables call it."""
HIGHER_IS_BETTER = ("quality", "order")
_GAMES = 256
"""Draws of form of a player, after which they begin again."""
_EXTREME = 0.1
"""The share of the best, and of the worst."""
_QUIET = 0.25
"""The share of hours with the fewest arrivals."""
_HOURS = 24
_MOST_HOURS = 10_000.0


class Policy(Protocol):
    """Whoever makes matches: a `Matchmaker`, or one of `baselines`."""

    def match(self, tickets: Iterable[Ticket], now: Time) -> Round:
        """The matches of these tickets at a moment."""
        ...


Maker = Callable[[Ladder], Policy]
"""Makes a policy that asks a ladder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Who plays, and when; the same arguments give the same days."""

    players: int = 500
    hours: float = 24.0
    sessions: float = 2.0
    """How many a player begins in a day, on average."""
    matches: float = 4.0
    """How many a session wants, on average."""
    peak: float = 4.0
    """How many times more sessions begin at 20:00 than at 8:00."""
    newcomers: float = 0.2
    """The share of players of whom nothing is known when the days begin."""
    history: int = 30
    """Matches that the others have played before, against players of like skill."""
    parties: float = 0.25
    """Where rules have teams, the share of sessions of more than one player."""
    skill_sd: float = 350.0
    form_sd: float = 200.0
    """How far performances scatter around skills."""
    match_seconds: float = 600.0
    """How long a match lasts on average."""
    give_up: float = 600.0
    """After so many seconds of waiting a session ends."""
    tick: float = 10.0
    """Seconds between two rounds of making matches."""
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole(4, players=self.players)
        check_whole(0, history=self.history, seed=self.seed)
        check_number(0.0, 1.0, newcomers=self.newcomers, parties=self.parties)
        check_number(0.01, _MOST_HOURS, hours=self.hours)
        check_number(0.01, 10_000.0, sessions=self.sessions)
        check_number(1.0, 10_000.0, matches=self.matches, peak=self.peak)
        check_number(0.001, 1e6, skill_sd=self.skill_sd, form_sd=self.form_sd)
        check_number(0.1, 1e6, match_seconds=self.match_seconds, tick=self.tick)
        check_number(1.0, 1e9, give_up=self.give_up)


class Session(NamedTuple):
    """Players who come together, and want some matches."""

    time: float
    players: tuple[int, ...]
    matches: int
    ticket: Ticket
    """What their tickets say, but for since and id."""


@dataclass(frozen=True)
class Days:
    """What is the same whatever the rules: who there is, how good, and who comes when."""

    names: tuple[str, ...]
    skill: Floats
    new: NDArray[np.bool_]
    form: Floats
    """How much better than their skill players do, match after match."""
    form_sd: float
    length: Floats
    """How long the matches last that a player is the first of."""
    sessions: tuple[Session, ...]
    before: Ladder
    """What is believed when they begin."""
    quiet: NDArray[np.bool_]
    """Hours of the day in which the fewest come, of those in which somebody does."""


def days(
    population: Population,
    rules: Sequence[Rules],
    system: str | systems.base.System,
    *,
    repeat: int = 0,
    arrivals: Sequence[Ticket] | None = None,
) -> Days:
    """The days of a population: drawn, or with arrivals that are given."""
    draws = np.random.default_rng((population.seed, repeat, 1))
    if arrivals is None:
        count = population.players
        names = tuple(f"player-{number:05}" for number in range(1, count + 1))
    else:
        names = tuple(dict.fromkeys(name for each in arrivals for name in each.players))
        count = len(names)
    skill = draws.normal(1500.0, population.skill_sd, count)
    new = draws.permutation(count) < round(population.newcomers * count)
    form = draws.normal(0.0, population.form_sd, (count, _GAMES))
    length = population.match_seconds * draws.uniform(0.5, 1.5, (count, _GAMES))
    more = np.random.default_rng((population.seed, repeat, 2))
    if arrivals is None:
        sessions = _drawn(population, rules, names, more)
    else:
        sessions = _given(arrivals, names, population, more)
    ladder = _before(
        population, system, names, skill, new, np.random.default_rng((population.seed, repeat, 3))
    )
    hour = np.array([int(each.time // 3600.0) % _HOURS for each in sessions], np.int64)
    counts = np.bincount(hour, minlength=_HOURS)
    quiet = np.zeros(_HOURS, np.bool_)
    some = np.flatnonzero(counts)
    quiet[some[np.argsort(counts[some], kind="stable")][: round(_QUIET * len(some))]] = True
    return Days(names, skill, new, form, population.form_sd, length, tuple(sessions), ladder, quiet)


def _drawn(
    population: Population,
    rules: Sequence[Rules],
    names: tuple[str, ...],
    draws: np.random.Generator,
) -> list[Session]:
    """Sessions by a Poisson process whose rate has its peak at 20:00."""
    mean = population.players * population.sessions * population.hours / _HOURS
    largest = min(each.team_size for each in rules) if rules else 1
    roles = sorted({role for each in rules for role in each.roles})
    latencies = any(each.latency is not None for each in rules)
    count = int(draws.poisson(mean))
    # By rejection: the rate at a time, in terms of the highest.
    swing = (population.peak - 1.0) / (population.peak + 1.0)
    times: list[float] = []
    while len(times) < count:
        time = float(draws.uniform(0.0, population.hours * 3600.0))
        rate = (1.0 + swing * math.cos(2.0 * math.pi * (time / DAY - 20.0 / 24.0))) / (1.0 + swing)
        if draws.random() < rate:
            times.append(time)
    plays = {
        name: list(draws.permutation(roles)[: int(draws.integers(1, len(roles) + 1))])
        if roles
        else []
        for name in names
    }
    regions = ("east", "west", "south")
    home = draws.integers(0, len(regions), len(names))
    sessions = []
    for time in sorted(times):
        alone = largest == 1 or draws.random() >= population.parties
        size = 1 if alone else int(draws.integers(2, largest + 1))
        players = tuple(int(each) for each in draws.choice(len(names), size, replace=False))
        named = [names[each] for each in players]
        at = home[players[0]]
        far = draws.uniform((90.0, 90.0, 90.0), (200.0, 200.0, 200.0))
        far[at] = draws.uniform(15.0, 50.0)
        ticket = Ticket(
            named,
            roles={name: [str(role) for role in plays[name]] for name in named} if roles else {},
            latency=dict(zip(regions, far.tolist(), strict=True)) if latencies else {},
        )
        wanted = int(draws.geometric(1.0 / population.matches))
        sessions.append(Session(time, players, wanted, ticket))
    return sessions


def _given(
    arrivals: Sequence[Ticket],
    names: tuple[str, ...],
    population: Population,
    draws: np.random.Generator,
) -> list[Session]:
    """Sessions as a file has them, from the first on; `matches` of a ticket says how many."""
    number = {name: each for each, name in enumerate(names)}
    sessions = []
    start = min((seconds(each.since) for each in arrivals), default=0.0)
    start -= start % DAY
    for each in sorted(arrivals, key=lambda each: (seconds(each.since), each.id)):
        said = each.extra.get("matches")
        try:
            wanted = int(draws.geometric(1.0 / population.matches)) if said is None else int(said)
        except (TypeError, ValueError, OverflowError):
            wanted = 0
        if wanted < 1:
            raise InputError(
                f"ticket {each.id!r}: matches must be a whole number of at least 1, not {said!r}."
            )
        players = tuple(number[name] for name in each.players)
        time = seconds(each.since) - start
        if time > _MOST_HOURS * 3600.0:
            raise InputError(
                f"ticket {each.id!r} comes {time / 3600.0:,.0f} hours after the first day began; "
                f"{_MOST_HOURS:,.0f} at most can be simulated (is a since missing?)."
            )
        sessions.append(Session(time, players, wanted, each))
    return sessions


def _before(
    population: Population,
    system: str | systems.base.System,
    names: tuple[str, ...],
    skill: Floats,
    new: NDArray[np.bool_],
    draws: np.random.Generator,
) -> Ladder:
    """Ratings of all but newcomers, after matches against others of like skill."""
    known = np.flatnonzero(~new)
    found = Ladder(system)
    rows: list[pl.DataFrame] = []
    if len(known) > 1 and population.history:
        for number in range(population.history):
            near = known[np.argsort(skill[known] + draws.normal(0.0, 150.0, len(known)))]
            pairs = near[: 2 * (len(near) // 2)].reshape(-1, 2)
            shown = skill[pairs] + draws.normal(0.0, population.form_sd, pairs.shape)
            first = shown[:, 0] > shown[:, 1]
            rank = np.where(np.stack((first, ~first), axis=1), 1, 2)
            contest = np.repeat(np.arange(len(pairs)), 2)
            rows.append(
                pl.DataFrame(
                    {
                        "contest": [f"{number}-{each}" for each in contest.tolist()],
                        "time": np.full(pairs.size, float(number)),
                        "player": [names[each] for each in pairs.ravel().tolist()],
                        "rank": rank.ravel(),
                    }
                )
            )
        contests = Contests.from_frame(pl.concat(rows))
        rated = rate(contests, found.system, history=False)
        found = Ladder.from_beliefs(rated.beliefs, copy=False)
    # Newcomers are there, with what is believed of them before they have played.
    found.beliefs.enrol(list(names))
    return found


@dataclass
class Journal:
    """What happened in one run, by ticket and by match."""

    wait: list[float] = field(default_factory=list)
    came: list[float] = field(default_factory=list)
    """When every ticket came."""
    party: list[tuple[int, ...]] = field(default_factory=list)
    gave_up: list[bool] = field(default_factory=list)
    quality: list[float] = field(default_factory=list)
    """Of the match of the ticket; NaN if there was none."""
    favourite: list[float] = field(default_factory=list)
    """The chance that the favourite has by true skills, likewise."""
    mu: Floats = field(default_factory=lambda: np.zeros(0))
    """What is believed of every player at the end."""

    def note(
        self, came: float, now: float, party: tuple[int, ...], match: tuple[float, float] | None
    ) -> None:
        """A ticket has left the queue: for a match of this quality and favourite, or without."""
        self.wait.append(now - came)
        self.came.append(came)
        self.party.append(party)
        self.gave_up.append(match is None)
        quality, favourite = (math.nan, math.nan) if match is None else match
        self.quality.append(quality)
        self.favourite.append(favourite)


def run(
    there: Days, population: Population, maker: Maker, progress: Callable[[int, int], None]
) -> Journal:
    """One policy through the days."""
    ladder = Ladder.from_beliefs(there.before.beliefs)
    policy = maker(ladder)
    number = {name: each for each, name in enumerate(there.names)}
    journal = Journal()
    played = np.zeros(len(there.names), np.int64)
    busy: set[int] = set()
    waiting: dict[str, tuple[Session, float, int, Ticket]] = {}
    ends: list[tuple[float, int, list[list[str]], list[tuple[Session, int]]]] = []
    arrivals = iter(there.sessions)
    coming = next(arrivals, None)
    recent: dict[int, list[list[str]]] = {}
    counter = itertools.count()
    horizon = max(population.hours * 3600.0, there.sessions[-1].time if there.sessions else 0.0)
    ticks = math.ceil(horizon / population.tick) + 1

    def queue(session: Session, since: float, left: int) -> None:
        ticket = session.ticket
        met = recent.get(session.players[0], [])
        name = ", ".join(ticket.players)
        waiting[name] = (
            session,
            since,
            left,
            Ticket(
                ticket.players,
                since,
                ticket.roles,
                ticket.latency,
                ticket.avoid,
                met,
                ticket.extra,
                name,
            ),
        )

    for tick in range(1, ticks + 1):
        now = tick * population.tick
        while ends and ends[0][0] <= now:
            time, _, standings, sessions = heapq.heappop(ends)
            ladder.record(
                [each if len(each) > 1 else each[0] for each in standings],
                time=time + population.history + 1.0,
                future=True,
            )
            for session, left in sessions:
                if left > 0:
                    queue(session, time, left)
                else:
                    busy.difference_update(session.players)
        while coming is not None and coming.time <= now:
            if not busy.intersection(coming.players):
                busy.update(coming.players)
                queue(coming, coming.time, coming.matches)
            coming = next(arrivals, None)
        for name, (session, since, _, _) in list(waiting.items()):
            if now - since > population.give_up:
                journal.note(since, now, session.players, None)
                busy.difference_update(session.players)
                del waiting[name]
        if len(waiting) > 1:
            round = policy.match([each[3] for each in waiting.values()], now)
            for match in round.matches:
                told = _play(there, match, number, played, recent)
                for name in match.tickets:
                    session, since, left, _ = waiting[name]
                    journal.note(since, now, session.players, (match.quality, told.favourite))
                leaving = [(waiting[name][0], waiting[name][2] - 1) for name in match.tickets]
                end = now + told.length
                heapq.heappush(ends, (end, next(counter), told.standings, leaving))
                for name in match.tickets:
                    del waiting[name]
        if tick % 100 == 0:
            progress(tick, ticks)
    progress(ticks, ticks)
    ids = [ladder.beliefs.index[name] for name in there.names]
    journal.mu = ladder.beliefs.table["mu"][ids].astype(np.float64)
    return journal


class _Played(NamedTuple):
    standings: list[list[str]]
    favourite: float
    length: float


def _play(
    there: Days,
    match: Match,
    number: Mapping[str, int],
    played: NDArray[np.int64],
    recent: dict[int, list[list[str]]],
) -> _Played:
    """How a match ends, by the skills and the form of its players."""
    teams = [[number[name] for name in team] for team in match.teams]
    shown, strength = [], []
    for team in teams:
        ids = np.array(team)
        strength.append(float(there.skill[ids].sum()))
        shown.append(strength[-1] + float(there.form[ids, played[ids] % _GAMES].sum()))
    first = min(each for team in teams for each in team)
    length = float(there.length[first, played[first] % _GAMES])
    best, second = sorted(strength, reverse=True)[:2]
    apart = (best - second) / (there.form_sd * math.sqrt(2.0 * len(teams[0])))
    favourite = 0.5 * (1.0 + math.erf(apart / math.sqrt(2.0)))
    everybody = [name for team in match.teams for name in team]
    for team in teams:
        for each in team:
            played[each] += 1
            met = [name for name in everybody if number[name] not in team]
            recent[each] = [met, *recent.get(each, [])[:9]]
    order = sorted(range(len(teams)), key=lambda each: -shown[each])
    return _Played([list(match.teams[each]) for each in order], favourite, length)


def measured(there: Days, journal: Journal) -> dict[tuple[str, str], float]:
    """What a run gave: by group and measure; NaN where nothing can be said."""
    count = len(journal.wait)
    wait, quality = np.array(journal.wait), np.array(journal.quality)
    favourite, gave_up = np.array(journal.favourite), np.array(journal.gave_up, np.bool_)
    place = np.argsort(np.argsort(there.skill)) / len(there.skill)
    firsts = np.array([each[0] for each in journal.party], np.int64)
    hours = (np.array(journal.came) // 3600.0).astype(np.int64) % _HOURS
    is_new = np.array([there.new[list(each)].any() for each in journal.party], np.bool_)
    sizes = np.array([len(each) for each in journal.party], np.int64)
    tickets = {
        "all": np.ones(count, np.bool_),
        "newcomers": is_new,
        "best": place[firsts] >= 1.0 - _EXTREME if count else is_new,
        "worst": place[firsts] < _EXTREME if count else is_new,
        "parties": sizes > 1,
        "quiet hours": there.quiet[hours] if count else is_new,
    }
    players = {
        "all": np.ones(len(there.skill), np.bool_),
        "newcomers": there.new,
        "best": place >= 1.0 - _EXTREME,
        "worst": place < _EXTREME,
    }
    error = np.abs(_fitted(journal.mu, there.skill) - there.skill)
    found: dict[tuple[str, str], float] = {}
    for group, rows in tickets.items():
        some = bool(rows.any())
        matched = rows & ~gave_up
        found[group, "tickets"] = float(rows.sum())
        found[group, "wait"] = float(wait[rows].mean()) if some else math.nan
        found[group, "wait_95"] = float(np.quantile(wait[rows], 0.95)) if some else math.nan
        found[group, "longest"] = float(wait[rows].max()) if some else math.nan
        found[group, "gave_up"] = 100.0 * float(gave_up[rows].mean()) if some else math.nan
        for name, values in (("quality", quality), ("favourite", favourite)):
            said = 100.0 * float(values[matched].mean()) if matched.any() else math.nan
            found[group, name] = said
    for group, rows in players.items():
        if rows.sum() > 1:
            found[group, "error"] = float(np.sqrt(np.mean(error[rows] ** 2)))
            found[group, "order"] = _rank_correlation(journal.mu[rows], there.skill[rows])
    return found


def _fitted(mu: Floats, skill: Floats) -> Floats:
    """Ratings in the unit of the skills, by the straight line that fits best."""
    centre = mu - mu.mean()
    spread = float(np.mean(centre * centre))
    slope = float(np.mean(centre * (skill - skill.mean()))) / spread if spread > 0.0 else 0.0
    fitted: Floats = skill.mean() + slope * centre
    return fitted


def _rank_correlation(x: Floats, y: Floats) -> float:
    if np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
        return math.nan
    first, second = (pl.Series(each).rank("average").to_numpy() for each in (x, y))
    return float(np.corrcoef(first, second)[0, 1])


@dataclass(frozen=True)
class Simulation:
    """What several rules came to on the same days."""

    population: Population
    players: int
    """How many there are: those who come, if arrivals were given."""
    length: float
    """Hours, until the last of them comes at least."""
    system: str
    labels: tuple[str, ...]
    repeats: int
    table: pl.DataFrame
    """rules, group, measure, value, low, high: means over repeats and their intervals of 95 %."""
    differences: pl.DataFrame
    """The same columns: from the first rules, on the same days, if there are several repeats."""
    hours: pl.DataFrame
    """rules, hour, tickets, wait, favourite: over the hours of the day."""
    waits: pl.DataFrame
    """rules, seconds, share: the share of tickets that waited longer than so many seconds."""

    def value(self, label: str, group: str, measure: str) -> float:
        """One number of the table."""
        found = self.table.filter(rules=label, group=group, measure=measure)["value"]
        return float(found.item()) if found.len() and found.item() is not None else math.nan

    def document(self) -> dict[str, Any]:
        """As JSON says it."""
        return as_document(
            {
                "system": self.system,
                "rules": list(self.labels),
                "repeats": self.repeats,
                "population": {
                    **{name: getattr(self.population, name) for name in Population.__slots__},
                    "players": self.players,
                    "hours": self.length,
                },
                "measures": self.table.to_dicts(),
                "differences": self.differences.to_dicts(),
                "hours": self.hours.to_dicts(),
                "waits": self.waits.to_dicts(),
            }
        )


def simulate(
    rules: Mapping[str, Rules | Maker],
    population: Population | None = None,
    *,
    system: str | systems.base.System | None = None,
    arrivals: Sequence[Ticket] | None = None,
    repeats: int = 3,
    progress: Progress | None = None,
) -> Simulation:
    """Let a population queue, play and be rated under each of these rules, on the same arrivals.

    Args:
        rules: By what they are to be called: rules, or functions that make a policy of a ladder,
            such as those of `podium.matchmaking.baselines`.
        population: Who plays and when; `Population()` if nothing is said.
        system: What rates them: "elo-mmr" if nothing is said, or "trueskill" for teams.
        arrivals: Sessions that are given in place of drawn ones: tickets whose `since` says when
            they come and whose ``extra["matches"]`` may say how many matches they want.
        repeats: How often, with other skills and arrivals each time.
        progress: Told how far it is, or True for a bar.

    Example:
        >>> small = Population(players=40, hours=2, sessions=12, seed=1)
        >>> found = simulate({"any": Rules(), "even": Rules(one_sided=0.6)}, small, repeats=2)
        >>> found.value("even", "all", "favourite") < found.value("any", "all", "favourite")
        True
    """
    population = population or Population()
    if not rules:
        raise InputError("there are no rules to simulate.")
    check_whole(1, repeats=repeats)
    require("scipy")
    said = [each for each in rules.values() if isinstance(each, Rules)]
    teams = any(each.team_size > 1 for each in said)
    chosen = system or ("trueskill" if teams else "elo-mmr")
    built = chosen if isinstance(chosen, systems.base.System) else systems.build(chosen)
    for each in said:
        refuse_system(built, each)
    makers = {label: _maker(each) for label, each in rules.items()}
    values: list[dict[str, dict[tuple[str, str], float]]] = []
    journals: dict[str, list[Journal]] = {label: [] for label in makers}
    with reporting(progress, "Simulating") as report:
        total = repeats * len(makers)
        for repeat in range(repeats):
            there = days(population, said, built, repeat=repeat, arrivals=arrivals)
            if not there.sessions:
                raise InputError("nobody comes in that time; give more players, sessions or hours.")
            values.append({})
            for number, (label, maker) in enumerate(makers.items()):
                part = part_of(report, repeat * len(makers) + number, total)
                journal = run(there, population, maker, part)
                journals[label].append(journal)
                values[-1][label] = measured(there, journal)
    labels = tuple(makers)
    first = labels[0]
    table = [
        (label, group, measure, *_interval([each[label][group, measure] for each in values]))
        for label in labels
        for group, measure in values[0][label]
    ]
    differences = [
        (
            label,
            group,
            measure,
            *_interval(
                [each[label][group, measure] - each[first][group, measure] for each in values]
            ),
        )
        for label in labels[1:]
        for group, measure in values[0][label]
    ]
    schema = ["rules", "group", "measure", "value", "low", "high"]
    kinds = {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64}
    frames = [
        pl.DataFrame(rows, schema=schema, orient="row", schema_overrides=kinds).with_columns(
            pl.selectors.float().fill_nan(None)
        )
        for rows in (table, differences)
    ]
    return Simulation(
        population,
        len(there.names),
        max(population.hours, there.sessions[-1].time / 3600.0),
        built.name,
        labels,
        repeats,
        frames[0],
        frames[1] if differences else frames[0].clear(),
        _by_hour(journals),
        _waits(journals, population),
    )


def _maker(rules: Rules | Maker) -> Maker:
    if isinstance(rules, Rules):
        return lambda ladder: Matchmaker(rules, ladder)
    if not callable(rules):
        raise InputError(f"rules, or a function of a ladder, are needed, not {rules!r}.")
    return rules


def _interval(values: list[float]) -> tuple[float, float, float]:
    """The mean, and the interval of 95 % by Student's distribution; NaN if one alone is known."""
    known = np.array([each for each in values if not math.isnan(each)])
    if not len(known):
        return math.nan, math.nan, math.nan
    mean = float(known.mean())
    if len(known) < 2:
        return mean, math.nan, math.nan
    from scipy.special import stdtrit

    half = float(stdtrit(len(known) - 1, 0.975)) * float(known.std(ddof=1)) / math.sqrt(len(known))
    return mean, mean - half, mean + half


def _by_hour(journals: Mapping[str, list[Journal]]) -> pl.DataFrame:
    rows = []
    for label, of_label in journals.items():
        came = np.concatenate([np.array(each.came) for each in of_label])
        wait = np.concatenate([np.array(each.wait) for each in of_label])
        favourite = np.concatenate([np.array(each.favourite) for each in of_label])
        hours = (came // 3600.0).astype(np.int64) % _HOURS
        for hour in range(_HOURS):
            there = hours == hour
            played = there & ~np.isnan(favourite)
            rows.append(
                (
                    label,
                    hour,
                    int(there.sum()),
                    float(wait[there].mean()) if there.any() else None,
                    100.0 * float(favourite[played].mean()) if played.any() else None,
                )
            )
    schema = {
        "rules": pl.String,
        "hour": pl.Int64,
        "tickets": pl.Int64,
        "wait": pl.Float64,
        "favourite": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def _waits(journals: Mapping[str, list[Journal]], population: Population) -> pl.DataFrame:
    steps = np.linspace(0.0, population.give_up, 61)
    parts = []
    for label, of_label in journals.items():
        wait = np.sort(np.concatenate([np.array(each.wait) for each in of_label]))
        longer = 1.0 - np.searchsorted(wait, steps, "right") / max(1, len(wait))
        parts.append(pl.DataFrame({"rules": label, "seconds": steps, "share": longer}))
    return pl.concat(parts)
