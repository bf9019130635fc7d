"""Random rules and tickets, and a plain judge who knows nothing of how matches are made."""

import itertools
from typing import Any

import numpy as np
from hypothesis import strategies as st

import podium
from podium.matchmaking import Match, Rules, Ticket

NAMES = [f"p{number:03}" for number in range(60)]
QUEUEING = NAMES[::2]
"""Who comes in random queues: few enough that they avoid and have met each other."""
REGIONS = ("eu", "us")
ROLES = ("damage", "healer", "tank")
NEAR = 1e-9


def ladder(system: str = "trueskill", seed: int = 0, known: int = 50) -> podium.Ladder:
    """Ratings of most of the names: the first are the best, the last are unknown."""
    found = podium.Ladder(system)
    draws = np.random.default_rng(seed)
    for _ in range(8):
        for start in range(known - 1):
            pair = [NAMES[start], NAMES[int(draws.integers(start + 1, known))]]
            found.record(pair if draws.random() < 0.8 else pair[::-1])
    return found


def schedules(low: float, high: float, rises: bool) -> st.SearchStrategy[Any]:
    number = st.floats(low, high).map(lambda each: round(each, 3))
    points = st.lists(number, min_size=2, max_size=3).map(
        lambda each: sorted(each, reverse=not rises)
    )
    return st.one_of(number, points.map(lambda each: [[30 * n, v] for n, v in enumerate(each)]))


@st.composite
def rules(draw: st.DrawFn, pairs: bool = False) -> Rules:
    teams, size = (
        (2, 1) if pairs else draw(st.sampled_from([(2, 1), (2, 2), (2, 3), (3, 1), (3, 2)]))
    )
    said: dict[str, Any] = {"teams": teams, "team_size": size}
    if size > 1 and draw(st.booleans()):
        said["roles"] = dict.fromkeys(draw(st.sets(st.sampled_from(ROLES), max_size=size)), 1)
    options = {
        "quality": schedules(0.0, 0.95, rises=False),
        "one_sided": schedules(0.5, 1.0, rises=True),
        "spread": schedules(0.5, 1.0, rises=True),
        "latency": schedules(20, 150, rises=True),
        "party_gap": schedules(0, 2, rises=True),
        "rematch": st.integers(0, 2),
        "newcomers": st.sampled_from(["any", "protect", "spread"]),
        "newcomers_after": st.sampled_from([0.0, 30.0, 1000.0]),
        "same": st.just(["mode"]),
        "consent": st.sampled_from(["longest", "all"]),
    }
    for name, each in options.items():
        if draw(st.integers(0, 2)) == 0:
            said[name] = draw(each)
    return Rules(**said, exact_up_to=draw(st.sampled_from([0, 500])))


@st.composite
def tickets(draw: st.DrawFn, largest: int = 3, most: int = 15) -> list[Ticket]:
    names = draw(st.permutations(QUEUEING))
    found = []
    for _ in range(draw(st.integers(0, most))):
        size = draw(st.sampled_from([1, 1, 1, *range(1, largest + 1)]))
        players, names = names[:size], names[size:]
        if not players:
            break
        plays = st.lists(st.sampled_from(ROLES), min_size=1, max_size=3, unique=True)
        found.append(
            Ticket(
                players,
                since=draw(st.integers(-120, 5)),
                roles={each: draw(plays) for each in players if draw(st.booleans())},
                latency={each: draw(st.integers(5, 200)) for each in REGIONS}
                if draw(st.booleans())
                else {},
                avoid=draw(st.lists(st.sampled_from(QUEUEING), max_size=2)),
                recent=draw(st.lists(st.sampled_from(QUEUEING), max_size=4)),
                extra={"mode": draw(st.sampled_from(["ranked", "fun"]))},
            )
        )
    return found


def wait(ticket: Ticket, now: float) -> float:
    return max(0.0, now - float(ticket.since))  # type: ignore[arg-type]


def faults(
    match: Match, rules: Rules, given: list[Ticket], known: podium.Ladder, now: float
) -> list[str]:
    """What is wrong with a match, by the words of the rules."""
    by_id = {each.id: each for each in given}
    inside = [by_id[each] for each in match.tickets]
    waits = [wait(each, now) for each in inside]
    deciding = max(waits) if rules.consent == "longest" else min(waits)
    teams = [list(team) for team in match.teams]
    players = [name for team in teams for name in team]
    wrong = []

    def demand(good: bool, what: str) -> None:
        if not good:
            wrong.append(what)

    demand(len(teams) == rules.teams, "teams")
    demand(all(len(team) == rules.team_size for team in teams), "team_size")
    demand(sorted(players) == sorted(n for each in inside for n in each.players), "players")
    demand(all(any(set(t.players) <= set(team) for team in teams) for t in inside), "party parted")
    chances = known.rank_probabilities([t if len(t) > 1 else t[0] for t in teams], top=1)
    best = float(chances["first"].max())
    demand(abs(best - max(match.chances)) < NEAR, "chances")
    demand(best <= rules.one_sided.at(deciding) + NEAR, "one_sided")
    quality = known.quality([t if len(t) > 1 else t[0] for t in teams])
    demand(abs(quality - match.quality) < NEAR, "quality told")
    demand(quality >= rules.quality.at(deciding) - NEAR, "quality")
    widest = max(
        known.win_probability(a, b) + 0.5 * known.draw_probability(a, b)
        for a, b in itertools.permutations(players, 2)
        if abs(known_mu(known, a) - known_mu(known, b)) == mu_range(known, players)
    )
    demand(widest <= rules.spread.at(deciding) + NEAR, "spread")
    for ticket, waited in zip(inside, waits, strict=True):
        if ticket.latency and rules.latency is not None:
            demand(ticket.latency[match.region] <= rules.latency.at(waited) + NEAR, "latency")
        demand(not set(ticket.avoid) & (set(players) - set(ticket.players)), "avoid")
        met = set(ticket.recent[: rules.rematch])
        demand(not met & (set(players) - set(ticket.players)), "rematch")
    if rules.party_gap is not None:
        largest = [max(len(t.players) for t in inside if t.players[0] in team) for team in teams]
        demand(max(largest) - min(largest) <= rules.party_gap.at(deciding), "party_gap")
    if rules.same:
        demand(len({each.extra["mode"] for each in inside}) == 1, "same")
    new = {name for name in players if contests(known, name) < rules.newcomer_contests}
    is_new = [bool(set(each.players) & new) for each in inside]
    young = [each < rules.newcomers_after for each in waits]
    if rules.newcomers == "protect":
        guarded = any(n and y for n, y in zip(is_new, young, strict=True))
        demand(not guarded or all(is_new), "protect")
    if rules.newcomers == "spread" and all(young):
        counts = [len(set(team) & new) for team in teams]
        few = sum(counts) <= 1 if rules.is_of_pairs else max(counts) - min(counts) <= 1
        demand(few, "spread newcomers")
    for team in teams:
        given_roles = [match.roles[name] for name in team if name in match.roles]
        needed = [role for role, count in rules.roles.items() for _ in range(count)]
        demand(sorted(given_roles) == sorted(needed), "roles")
    for name, role in match.roles.items():
        plays = next(each.roles.get(name) for each in inside if name in each.players)
        demand(plays is None or role in plays, "a role that nobody can play")
    return wrong


def known_mu(known: podium.Ladder, name: str) -> float:
    return known[name].mu if name in known else float(known.system.newcomer()["mu"])


def mu_range(known: podium.Ladder, players: list[str]) -> float:
    levels = [known_mu(known, name) for name in players]
    return max(levels) - min(levels)


def contests(known: podium.Ladder, name: str) -> int:
    return known[name].contests if name in known else 0
