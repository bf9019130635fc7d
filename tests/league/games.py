"""Random contests for leagues, of every kind that there is."""

import functools

from hypothesis import strategies as st

from tests.league.plain import DAY, Game, Row
from tests.strategies import NAMES, competition_ranks

PLAYERS = [*NAMES[:8], "ann 2"]
IDENTIFIERS = st.integers(1, 60).map("round-{}".format)
TIMES = st.integers(0, 6).map(lambda day: day * DAY)
WEIGHTS = st.sampled_from([1.0, 1.0, 0.5, 2.0])
NAMES_OF_CONTESTS = st.sampled_from([None, None, "Spring Open", "Finále №1"])


@st.composite
def contests(draw: st.DrawFn, id: str) -> Game:
    """A contest of any number of players, with ties."""
    names = draw(st.lists(st.sampled_from(PLAYERS), min_size=1, max_size=6, unique=True))
    ties = draw(st.lists(st.booleans(), min_size=len(names), max_size=len(names)))
    rows = tuple(map(Row, names, competition_ranks(ties)))
    ceiling = draw(st.sampled_from([None, None, None, 1450.0]))
    return Game(id, draw(TIMES), rows, draw(WEIGHTS), ceiling, name=draw(NAMES_OF_CONTESTS))


@st.composite
def matches(draw: st.DrawFn, id: str, *, scores: bool = False) -> Game:
    """A match of two with a side, a draw now and then, or any score."""
    names = draw(st.lists(st.sampled_from(PLAYERS[:5]), min_size=2, max_size=2, unique=True))
    outcomes = st.sampled_from([1.0, 1.0, 0.5])
    if scores:
        outcomes |= st.floats(0.5, 1.0)
    outcome = draw(outcomes)
    side = draw(st.sampled_from([0, 1, -1]))
    ranks = (1, 1) if outcome == 0.5 else (1, 2)
    given = (outcome, 1.0 - outcome) if scores else (None, None)
    rows = tuple(
        Row(name, rank, side=own, outcome=points)
        for name, rank, own, points in zip(names, ranks, (side, -side), given, strict=True)
    )
    margin = draw(st.sampled_from([None, 3.0])) if outcome != 0.5 else None
    return Game(id, draw(TIMES), rows, draw(WEIGHTS), margin=margin)


@st.composite
def of_teams(draw: st.DrawFn, id: str) -> Game:
    """A contest of teams and of players on their own, with shares."""
    names = draw(st.lists(st.sampled_from(PLAYERS), min_size=2, max_size=8, unique=True))
    sizes = draw(st.lists(st.integers(1, 3), min_size=len(names), max_size=len(names)))
    teams, rest = [], names
    for size in sizes:
        if rest:
            teams.append(rest[:size])
            rest = rest[size:]
    ties = draw(st.lists(st.booleans(), min_size=len(teams), max_size=len(teams)))
    ranks = competition_ranks(ties)
    rows = tuple(
        Row(
            name,
            rank,
            team=f"team {number}" if len(team) > 1 else None,
            share=draw(st.sampled_from([1.0, 1.0, 0.5])),
        )
        for number, (rank, team) in enumerate(zip(ranks, teams, strict=True))
        for name in team
    )
    return Game(id, draw(TIMES), rows, draw(WEIGHTS))


KINDS = {
    "contests": contests,
    "matches": matches,
    "scores": functools.partial(matches, scores=True),
    "teams": of_teams,
}
