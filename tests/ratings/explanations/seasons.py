"""Results to explain, and the systems that explain them in different ways."""

import math

import numpy as np
import polars as pl
from hypothesis import strategies as st

import podium
from podium import Contests, systems
from podium.ratings.explanations import Explanation
from podium.systems import PerformanceModel
from tests.numerics.test_performances import sech_draw, sech_loss, sech_victory
from tests.strategies import contests, match_lists

SECH = PerformanceModel("sech", sech_loss, sech_draw, sech_victory, strip=1.0)
"""A model of one's own, compiled once for all tests."""
BY_PULLS = [
    ("elo-mmr", {}),
    ("elo-mmr", {"rho": 0.0}),
    ("elo-mmr", {"rho": math.inf}),
    ("elo-mmr", {"history": 2, "split_ties": True}),
    ("elo-mmr", {"noob_delay": (0.4, 0.7), "drift_per_day": 50.0}),
    ("elo-mmr", {"performance": "gaussian"}),
    ("elo-mmx", {}),
    ("elo-mmx", {"split_ties": True, "drift_per_day": 50.0, "noob_delay": (0.4,)}),
    ("elo-r", {}),
    ("elo-r", {"noise": "simple", "drift_per_day": 50.0, "history": 2}),
    ("elo-r-draft", {}),
    ("elo-r-draft", {"memory": 3}),
    ("elo-r-draft", {"memory": 3, "decay": 0.9}),
    ("elo-r-draft", {"rule": "proportional"}),
]
"""Systems whose performance is the zero of a sum over opponents."""
EVERY = [
    *BY_PULLS,
    ("elo-mmr", {"opponents": 2}),
    ("codeforces", {}),
    ("codeforces", {"whole_numbers": True, "display_offsets": (300.0, 100.0)}),
    ("codeforces", {"variant": "papers"}),
    ("topcoder", {}),
    ("trueskill", {}),
    ("weng-lin", {}),
    ("glicko", {}),
    ("glicko", {"caution": 1.0, "period_days": 2.0}),
    ("glicko2", {}),
    ("elo", {}),
    ("elo", {"contest": "sum", "k_new": 40.0, "contests_new": 2}),
    ("luck", {}),
]


LATER = 20_700
"""A day after all others."""


def results(name: str) -> st.SearchStrategy[Contests]:
    """Contests, of two where a system knows no others."""
    if name in systems.of_any_size():
        return contests(max_contests=6)
    return match_lists(scores=True).map(Contests.from_matches)


def last_of_season(season: Contests, name: str, options: dict) -> tuple[podium.Beliefs, Contests]:
    """The beliefs of just before the last contest, and that contest."""
    beliefs = podium.rate(season[:-1], podium.system(name, **options), history=False).beliefs
    return beliefs, season[len(season) - 1 :]


def explained(data: st.DataObject, name: str, options: dict) -> Explanation:
    """A random result, explained."""
    season = data.draw(results(name))
    beliefs, contest = last_of_season(season, name, options)
    player = data.draw(st.sampled_from(contest[0].players))
    return podium.explain(beliefs, contest, player)


def standings(*groups: str | tuple[str, ...], contest: str = "next", day: int = LATER) -> Contests:
    """One contest; a tuple is a tie."""
    rows, rank = [], 1
    for group in groups:
        names = (group,) if isinstance(group, str) else group
        rows += [(contest, day * 86_400, name, rank) for name in names]
        rank += len(names)
    schema = ["contest", "time", "player", "rank"]
    return Contests.from_frame(pl.DataFrame(rows, schema=schema, orient="row"))


def with_skills(system: str, skills: dict[str, float], **options: object) -> podium.Beliefs:
    """Beliefs of players who have not played, but for their skill."""
    beliefs = podium.Beliefs(podium.system(system, **options))
    ids = beliefs.enrol(list(skills))
    for column in ("mu", "p0"):
        beliefs.table[column][ids] = np.array(list(skills.values()))
    return beliefs
