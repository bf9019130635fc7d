"""No result moves a rating beyond its limits, and extreme ones come close to them."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from tests.ratings.explanations.seasons import EVERY, explained, standings, with_skills

LIMITED = [
    ("elo-mmr", {"rho": 1.0}),
    ("elo-mmr", {"rho": 0.0}),
    ("elo-mmr", {"rho": 0.3, "history": 3}),
    ("elo-mmr", {"rho": math.inf}),
    ("elo-mmr", {"noob_delay": (0.5, 0.8), "drift_per_day": 20.0}),
    ("elo-r", {"noise": "freeze-in"}),
    ("elo-r", {"noise": "simple"}),
    ("elo-r-draft", {}),
    ("elo-r-draft", {"memory": 4}),
]
"""Systems in which no performance moves a rating beyond a limit."""


@pytest.mark.parametrize(("name", "options"), EVERY)
@settings(max_examples=12)
@given(st.data())
def test_no_result_goes_beyond_the_limits(name, options, data):
    found = explained(data, name, options)
    limits = found.limits
    if limits is not None:
        assert limits.lowest - 1e-9 <= found.change.mu <= limits.highest + 1e-9
    for place in (found.better, found.worse):
        if limits is not None and place is not None:
            assert limits.lowest - 1e-9 <= place.mu <= limits.highest + 1e-9


def experienced(name: str, options: dict) -> podium.Beliefs:
    """Beliefs that know ann from a few contests, and a field of others."""
    ladder = podium.Ladder(name, **options)
    others = [f"p{number}" for number in range(20)]
    for day, place in enumerate((4, 12, 1, 9, 16)):
        ladder.record([*others[:place], "ann", *others[place:]], time=day * 86_400)
    return ladder.beliefs


def moved(beliefs: podium.Beliefs, level: float) -> podium.Beliefs:
    """The same, with all others at this level."""
    beliefs = beliefs.copy()
    for name, number in beliefs.index.items():
        if name != "ann":
            beliefs.table["mu"][number] = level
    return beliefs


@pytest.mark.parametrize("weight", [1.0, 3.0, 0.3])
@pytest.mark.parametrize(("name", "options"), LIMITED)
def test_limits_are_approached_against_fields_that_are_ever_stronger_or_weaker(
    name, options, weight
):
    beliefs = experienced(name, options)
    others = [f"p{number}" for number in range(20)]
    for won in (True, False):
        order = ["ann", *others] if won else [*others, "ann"]
        contest = standings(*order)
        contest.columns.weight[:] = weight
        gaps = []
        for far in (1e3, 4e3, 1.6e4):
            found = podium.explain(moved(beliefs, 1500.0 + (far if won else -far)), contest, "ann")
            end = found.limits.highest if won else found.limits.lowest
            gaps.append(abs(end - found.change.mu))
        assert gaps[0] + 1e-9 >= gaps[1] >= gaps[2] - 1e-9
        assert gaps[2] < 1e-5


@pytest.mark.parametrize(("name", "options"), [each for each in LIMITED if each[0] == "elo-mmr"])
def test_limits_lie_between_the_bounds_of_theorem_5_7(name, options):
    beliefs = experienced(name, options)
    contest = standings(*(f"p{number}" for number in range(20)), "ann")
    found = podium.explain(beliefs, contest, "ann")
    ladder = podium.Ladder.from_beliefs(beliefs)
    ladder.record([*(f"p{number}" for number in range(20)), "ann"], time=contest[0].time)
    after = ladder.beliefs
    record = after.table[after.index["ann"]]
    before, w0 = found.change.mu_before, float(record["w0"])
    force = found.limits.theorem * w0
    rest = 1.0 / found.change.sigma**2 - w0 - 3.0 / math.pi**2 * force**2
    least = force / (w0 + math.pi**2 / 6.0 * rest)
    slack = 1.001 if "history" in options else 1.0 + 1e-9  # the oldest joins the summary
    for change in (found.limits.highest - before, before - found.limits.lowest):
        assert least / slack <= change <= found.limits.theorem * slack


def test_a_ceiling_lowers_the_upper_limit():
    beliefs = experienced("elo-mmr", {})
    contest = standings("ann", *(f"p{number}" for number in range(20)))
    free = podium.explain(beliefs, contest, "ann")
    contest.columns.perf_ceiling[:] = 1600.0
    capped = podium.explain(beliefs, contest, "ann")
    assert capped.limits.highest == pytest.approx(capped.change.mu, abs=1e-9)
    assert capped.limits.highest < free.limits.highest
    assert capped.limits.lowest == free.limits.lowest


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("elo-mmx", {}),
        ("elo-mmr", {"performance": "gaussian"}),
        ("codeforces", {}),
        ("elo-r-draft", {"rule": "proportional"}),
    ],
)
def test_systems_without_limits_say_so_and_have_none(name, options):
    changes = []
    for far in (1e3, 4e3, 1.6e4):
        skills = {"ann": 1500.0, **{f"p{number}": 1500.0 + far for number in range(20)}}
        beliefs = podium.Beliefs(podium.system(name, **options))
        if name.startswith("elo-mm"):
            beliefs = with_skills(name, skills, **options)
        else:
            beliefs.table["mu"][beliefs.enrol(list(skills))] = list(skills.values())
        found = podium.explain(beliefs, standings(*skills), "ann")
        assert found.limits is None
        assert f"Limits: {name} has none, because" in found.text(10_000)
        changes.append(found.change.mu - found.change.mu_before)
    assert changes[2] > 3.0 * changes[1] > 6.0 * changes[0] > 0.0


def test_the_draft_has_a_limit_only_where_a_performance_is_weaker_than_the_belief():
    beliefs = podium.Beliefs(
        podium.system("elo-r-draft", skill_scale=100.0, performance_scale=50.0)
    )
    found = podium.explain(beliefs, standings("ann", "bob", "cat"), "bob")
    assert (found.limits.lowest, found.limits.highest) == (-math.inf, math.inf)
    assert "without limit" in found.text(10_000)
    s, t = 55.0, 125.0
    usual = podium.explain(
        podium.Beliefs(podium.system("elo-r-draft")), standings("ann", "bob"), "bob"
    )
    assert usual.limits.highest - 1500.0 == pytest.approx(s * math.log((t + s) / (t - s)))


def test_elo_and_topcoder_are_limited_by_their_own_rules():
    field = standings("ann", *(f"p{number}" for number in range(9)))
    elo = podium.explain(podium.Beliefs(podium.system("elo", k=20.0)), field, "ann")
    assert elo.limits.highest - 1500.0 == 20.0
    every_game = podium.Beliefs(podium.system("elo", k=20.0, contest="sum"))
    assert podium.explain(every_game, field, "ann").limits.highest - 1500.0 == 180.0
    topcoder = podium.explain(podium.Beliefs(podium.system("topcoder")), field, "ann")
    assert topcoder.limits.highest - 1200.0 == 900.0
