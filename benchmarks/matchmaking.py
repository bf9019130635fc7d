"""One round of matchmaking: how good and how fast, beside what others do and beside the optimum.

Ratings by elo-mmr after three rounds of a synthetic population; everybody waits, for 30 s on
average (exponential). Rules: the favourite wins at most 60 %, 75 % after a minute. The objective of
all is `Round.objective`: quality, and the square of the longest wait in minutes. (a) sorts by
rating and pairs neighbours, (b) gives who has waited longest the nearest within 100 rating points,
300 after a minute, both whatever the rules say; (c) is the exact optimum by rustworkx: of all pairs
that the rules allow, or at 20,000 over 32 neighbours. CPU time, least of three; (c) once.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import podium
from benchmarks.report import Figure, cpu_seconds
from podium.matchmaking import Matchmaker, Round, Rules, Schedule, Ticket
from podium.matchmaking import pairs as pairing
from podium.matchmaking.baselines import Neighbours, Window
from podium.matchmaking.forecasts import Forecasts

RULES: dict[str, Any] = {"one_sided": [[0, 0.60], [60, 0.75]]}
SIZES = (200, 2_000, 20_000)
RUNS = 3
OPTIMUM_OVER = 32
"""Neighbours of a ticket, in the optimum of the largest queue."""
ROLES = {"tank": 1, "healer": 2, "damage": 2}


def run() -> list[Figure]:
    figures = []
    for size in SIZES:
        figures += _quality(size)
    return [*figures, *_speed(), *_teams()]


def queue(size: int, system: str = "elo-mmr") -> tuple[podium.Rated, list[Ticket]]:
    """Ratings, and tickets of everybody."""
    rated = podium.rate(podium.simulate(players=size, rounds=3, seed=size), system, history=False)
    waits = np.random.default_rng(size).exponential(30.0, size)
    names = rated.beliefs.names
    return rated, [Ticket(name, since=-wait) for name, wait in zip(names, waits, strict=True)]


def _quality(size: int) -> list[Figure]:
    rated, tickets = queue(size)
    rules = Rules(**RULES, exact_up_to=0)
    ours = Matchmaker(rules, rated).match(tickets, 0.0)
    optimum = _optimum(rated, tickets, whole=size <= 2_000)
    window = Window(rated, Schedule.of([[0, 100], [60, 300]]))
    others = {
        "(a) neighbours": Neighbours(rated).match(tickets, 0.0),
        "(b) window": window.match(tickets, 0.0),
    }
    found = [
        Figure(
            f"{size:,} tickets: objective, in terms of (c)",
            100.0 * ours.objective / optimum,
            "%",
            goal="≥ 97 %",
        ),
        _matches(f"{size:,} tickets: matches; broken rules", ours, rules),
    ]
    for name, other in others.items():
        share = 100.0 * other.objective / optimum
        found.append(Figure(f"{size:,} tickets, {name}: objective in terms of (c)", share, "%"))
        found.append(_matches(f"{size:,} tickets, {name}: matches", other, rules))
    return found


def _matches(what: str, round: Round, rules: Rules) -> Figure:
    """How many matches, and how many of them the rules forbid."""
    wrong = sum(
        max(match.chances) > rules.one_sided.at(match.reason.waited) + 1e-9
        for match in round.matches
    )
    return Figure(what, len(round.matches), "", peer="break the rules", peer_value=float(wrong))


def _optimum(rated: podium.Rated, tickets: list[Ticket], whole: bool) -> float:
    """The highest objective of all matchings, over all pairs or over neighbours."""
    matchmaker = Matchmaker(Rules(**RULES, exact_up_to=0), rated)
    columns = matchmaker._queue(tickets, 0.0, None)
    row = np.argsort(columns.level, kind="stable")
    reach = len(row) - 1 if whole else OPTIMUM_OVER // 2
    place = np.concatenate([np.arange(back, len(row)) for back in range(1, reach + 1)])
    back = np.repeat(np.arange(1, reach + 1), len(row) - np.arange(1, reach + 1))
    seen = pairing.looked_at(columns, row[place], row[place - back], None)
    allowed = seen.among(seen.obstacle == 0)
    return float(allowed.worth[pairing.heaviest(allowed, len(columns))].sum())


def _least(task: Callable[[], object]) -> float:
    task()
    return min(cpu_seconds(task) for _ in range(RUNS))


def _speed() -> list[Figure]:
    found = []
    for size in SIZES[1:]:
        rated, tickets = queue(size)
        matchmaker = Matchmaker(Rules(**RULES, exact_up_to=0), rated)
        ours = _least(partial(matchmaker.match, tickets, 0.0))
        peer = _least(partial(_sorted_and_predicted, rated, tickets))
        what = f"{size:,} tickets matched; sorted, and each predicted against 32"
        found.append(Figure(what, 1000.0 * ours, "ms", "predicted", 1000.0 * peer))
        found.append(
            Figure(f"{size:,} tickets: the same as a ratio", ours / peer, "times", goal="≤ 10")
        )
        exact = Rules(**RULES, exact_up_to=5_000)
        if size == SIZES[1]:
            some = tickets[:500]
            took = _least(partial(Matchmaker(exact, rated).match, some, 0.0))
            found.append(Figure("500 tickets, exact", 1000.0 * took, "ms"))
    return found


def _sorted_and_predicted(rated: podium.Rated, tickets: list[Ticket]) -> None:
    """Sort by what is expected, and predict each ticket against 32 next to it."""
    names = [ticket.players[0] for ticket in tickets]
    known = Forecasts.of(rated, names, None, False)
    order = np.argsort(known.field.mu, kind="stable")
    places = np.arange(len(order))
    steps = [step for step in range(-16, 17) if step]
    other = np.clip(places[:, None] + np.array(steps), 0, len(order) - 1)
    known.scores(np.repeat(order, len(steps)), order[other.ravel()])


def _teams() -> list[Figure]:
    found = []
    for size in (500, 2_000, 8_000):
        rated, tickets = queue(size, "weng-lin")
        draws = np.random.default_rng(1)
        tickets = [
            Ticket(
                ticket.players,
                ticket.since,
                {
                    ticket.players[0]: draws.permutation(list(ROLES))[
                        : draws.integers(1, 3)
                    ].tolist()
                },
            )
            for ticket in tickets
        ]
        rules = Rules(team_size=5, roles=ROLES, one_sided=[[0, 0.55], [60, 0.7]])
        matchmaker = Matchmaker(rules, rated)
        took = _least(partial(matchmaker.match, tickets, 0.0))
        round = matchmaker.match(tickets, 0.0)
        goal = "≤ 1,000 ms" if size == 2_000 else ""
        found.append(
            Figure(f"5 against 5 with roles, {size:,} tickets", 1000.0 * took, "ms", goal=goal)
        )
        even = 100.0 * float(np.mean([max(match.chances) for match in round.matches]))
        found.append(
            Figure(f"{len(round.matches):,} matches of these: the favourite wins", even, "%")
        )
    return found
