"""Random contests with all that formats must keep: odd names, teams, sides, ties, moments."""

import datetime
from typing import Any

from hypothesis import strategies as st

from podium import Contests
from podium.texts import normalised

_ODD = [
    *(
        "007",
        "7",
        " 7 ",
        "a,b",
        'say "hi"',
        "two\nlines",
        "cr\r\nlf",
        "a\rb",
        "tab\tbed",
        "null",
        "NaN",
    ),
    *("é", "李雷", "🦉", "'", '"', '""', ",", "#1", "\ufeffmark", "a\u2028b", "true", "1e5", "%41"),
]
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
names = (st.sampled_from(_ODD) | _TEXTS).map(normalised).filter(bool)
file_stems = names.filter(lambda name: not name.startswith(".") and not set(name) & set("/\\\0"))

_instants = st.datetimes(datetime.datetime(1872, 1, 1), datetime.datetime(2100, 1, 1))
_moments = {
    "days": _instants.map(lambda t: t.replace(hour=0, minute=0, second=0, microsecond=0)),
    "seconds": _instants.map(lambda t: t.replace(microsecond=0)),
    "microseconds": _instants,
}
_weights = st.one_of(st.just(1.0), st.floats(1e-4, 1e4))
_ceilings = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False))

_ONLY_IN_TABLES = ["team", "side", "share", "margin", "outcome", "ladder"]


def _outcomes(ranks: list[int]) -> st.SearchStrategy[list[float | None]]:
    """Scores that agree with the ranks of two players, or none."""
    nothing = st.just([None] * len(ranks))
    if len(ranks) != 2:
        return nothing
    best = st.just(0.5) if ranks[0] == ranks[1] else st.floats(0.5, 1.0, exclude_min=True)
    order = 1 if ranks[0] < ranks[1] else -1
    return nothing | best.map(lambda score: [score, 1.0 - score][::order])


@st.composite
def contests(
    draw: st.DrawFn, ids: st.SearchStrategy[str] = names, *, only_contest_files: bool = False
) -> Contests:
    """Random contests; all can be written to tables, and some to contest files."""
    precision = ["days", "seconds"] if only_contest_files else list(_moments)
    moments = _moments[draw(st.sampled_from(precision))]
    extras = [] if only_contest_files else _ONLY_IN_TABLES
    held = {name: draw(st.booleans()) for name in ("weight", "perf_ceiling", "name", *extras)}
    rows: list[dict[str, Any]] = []
    pairs = st.tuples(ids, names) if held.get("ladder") else st.tuples(ids, st.just(None))
    for contest, ladder in draw(st.lists(pairs, min_size=1, max_size=4, unique=True)):
        shared = {
            "contest": contest,
            "ladder": ladder,
            "time": draw(moments),
            "weight": draw(_weights),
            "perf_ceiling": draw(_ceilings),
            "margin": draw(st.none() | st.floats(0.0, 1e300)),
            "name": draw(names if only_contest_files else st.none() | names | st.just("")),
        }
        players = draw(st.lists(names, min_size=1, max_size=5, unique=True))
        ranks = [draw(st.integers(1, 3)) for _ in players]
        outcomes = draw(_outcomes(ranks))
        for player, rank, outcome in zip(players, ranks, outcomes, strict=True):
            own = {"player": player, "rank": rank, "outcome": outcome}
            own["team"] = draw(st.none() | names | st.just(""))
            own["side"] = draw(st.sampled_from(["home", "away", "neutral"]))
            own["share"] = draw(st.none() | st.floats(1e-4, 1.0))
            rows.append({**shared, **own})
    left_out = {name for name, kept in held.items() if not kept}
    left_out.update(set(_ONLY_IN_TABLES).difference(extras))
    kept = [{key: row[key] for key in row if key not in left_out} for row in rows]
    return Contests.from_records(kept, rerank=True, future=True)
