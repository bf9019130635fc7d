"""Random valid results: contests with ties, shared times, weights, ceilings, recurring players."""

import polars as pl
from hypothesis import strategies as st

from podium import Contests

NAMES = ["ann", "Bob", "bob", "cat", "Dan 2", "Dan 10", "ève", "李雷", 'f, "g"', "🦉", "*h", "7"]

_SCHEMA = {
    "contest": pl.String,
    "time": pl.Int64,
    "player": pl.String,
    "rank": pl.Int64,
    "weight": pl.Float64,
    "perf_ceiling": pl.Float64,
}


def competition_ranks(ties: list[bool]) -> list[int]:
    """Ranks of players in order, each of whom may be tied with the one before."""
    ranks: list[int] = []
    for place, tied in enumerate(ties, start=1):
        ranks.append(ranks[-1] if tied and ranks else place)
    return ranks


@st.composite
def long_tables(draw: st.DrawFn, *, max_contests: int = 5, max_players: int = 8) -> pl.DataFrame:
    """A long table, contests in no particular order."""
    numbers = draw(st.lists(st.integers(1, 20), min_size=1, max_size=max_contests, unique=True))
    rows = []
    for number in numbers:
        time = draw(st.integers(0, 3)) * 86_400
        weight = draw(st.sampled_from([1.0, 1.0, 0.5, 2.0]))
        ceiling = draw(st.sampled_from([None, None, 1450.0, 1800.0]))
        names = draw(
            st.lists(st.sampled_from(NAMES), min_size=1, max_size=max_players, unique=True)
        )
        ties = draw(st.lists(st.booleans(), min_size=len(names), max_size=len(names)))
        for name, rank in zip(names, competition_ranks(ties), strict=True):
            rows.append((f"round-{number}", time, name, rank, weight, ceiling))
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


@st.composite
def ladder_tables(draw: st.DrawFn) -> pl.DataFrame:
    """A long table of up to three ladders, whose contests may have the same identifiers."""
    names = st.sampled_from(["season 2", "season 10", "Europe", "eu/west", "7"])
    ladders = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    parts = [draw(long_tables()).with_columns(ladder=pl.lit(name)) for name in ladders]
    return pl.concat(parts)


def contests(**limits: int) -> st.SearchStrategy[Contests]:
    """Random `Contests`."""
    return long_tables(**limits).map(Contests.from_frame)


@st.composite
def match_lists(draw: st.DrawFn, *, max_matches: int = 10, scores: bool = False) -> pl.DataFrame:
    """A match list with draws, sides, weights, and several matches of a pair on a day.

    With `scores`, outcomes are any numbers from 0 to 1.
    """
    outcomes = st.sampled_from([0.0, 0.5, 1.0])
    pairs = st.lists(st.sampled_from(NAMES[:4]), min_size=2, max_size=2, unique=True)
    match = st.tuples(
        st.integers(0, 2).map(lambda day: day * 86_400),
        pairs,
        outcomes | st.floats(0.0, 1.0) if scores else outcomes,
        st.sampled_from(["home", "away", "neutral"]),
        st.sampled_from([1.0, 2.0]),
    )
    rows = [
        (time, *pair, outcome, side, weight)
        for time, pair, outcome, side, weight in draw(
            st.lists(match, min_size=1, max_size=max_matches)
        )
    ]
    schema = ["time", "player_a", "player_b", "outcome", "side", "weight"]
    return pl.DataFrame(rows, schema=schema, orient="row")
