"""Line-ups: the most even of all up to ten players, and near to it above."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.matchmaking.lineups import Needs, Wanted, divisions, line_up, roles_of

ROLES = ("damage", "healer", "tank")


def wanted(teams: int, size: int, party=None, needs=None, plays=None, gap=99.0) -> Wanted:
    count = teams * size
    needs = needs or Needs.of({})
    return Wanted(
        teams,
        size,
        np.arange(count) if party is None else np.array(party),
        needs.able(plays or [None] * count),
        needs.wanted,
        np.zeros(count, bool),
        gap,
        False,
    )


def gap_of(team: np.ndarray, strength: np.ndarray, teams: int) -> float:
    sums = [strength[team == each].sum() for each in range(teams)]
    return max(sums) - min(sums)


def can_fill(plays: list[list[str]], roles: dict[str, int]) -> bool:
    """By trying all, as the code must not."""
    slots = [role for role, count in roles.items() for _ in range(count)]
    return any(
        all(role in each for role, each in zip(slots, order, strict=False))
        for order in itertools.permutations(plays, len(slots))
    )


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from([(2, 1), (2, 2), (2, 3), (3, 2), (2, 4)]),
    st.data(),
)
def test_up_to_ten_players_no_line_up_that_can_fill_its_roles_is_more_even(shape, data):
    teams, size = shape
    count = teams * size
    numbers = st.lists(st.floats(-10, 10), min_size=count, max_size=count)
    strength = np.array(data.draw(numbers))
    roles = dict.fromkeys(data.draw(st.sets(st.sampled_from(ROLES), max_size=min(size, 2))), 1)
    plays = [
        data.draw(st.lists(st.sampled_from(ROLES), min_size=1, max_size=3, unique=True))
        for _ in range(count)
    ]
    needs = Needs.of(roles)
    found = line_up(strength, wanted(teams, size, needs=needs, plays=plays))
    gaps = [
        gap_of(team, strength, teams)
        for team in divisions(teams, size)
        if all(can_fill([plays[p] for p in np.flatnonzero(team == t)], roles) for t in range(teams))
    ]
    if found is None:
        assert not gaps
    else:
        assert abs(gap_of(found, strength, teams) - min(gaps)) < 1e-9
        for each in range(teams):
            names = [str(player) for player in np.flatnonzero(found == each)]
            given_roles = roles_of(names, [plays[int(name)] for name in names], roles)
            assert sorted(given_roles.values()) == sorted(roles)
            assert all(role in plays[int(name)] for name, role in given_roles.items())


def test_parties_stay_together_and_meet_parties_of_like_size():
    strength = np.array([9.0, 9.0, 1.0, 1.0, 5.0, 5.0, 5.0, 5.0])
    party = [0, 0, 1, 1, 2, 3, 4, 5]
    team = line_up(strength, wanted(2, 4, party=party, gap=0.0))
    assert team[0] == team[1] != team[2] == team[3]
    alone = line_up(strength, wanted(2, 4, party=[0, 0, 0, 1, 2, 3, 4, 5], gap=1.0))
    assert alone is None


def test_many_players_are_near_to_even_with_parties_and_roles():
    draws = np.random.default_rng(3)
    strength = draws.normal(1500.0, 300.0, 40)
    needs = Needs.of({"healer": 4, "tank": 3})
    plays = [list(draws.permutation(ROLES)[: draws.integers(1, 4)]) for _ in range(40)]
    party = np.repeat(np.arange(20), 2)
    team = line_up(strength, wanted(2, 20, party=party, needs=needs, plays=plays))
    assert sorted(np.bincount(team)) == [20, 20]
    assert (team[::2] == team[1::2]).all()
    assert gap_of(team, strength, 2) < 100.0
    for each in (0, 1):
        able = needs.able([plays[p] for p in np.flatnonzero(team == each)])
        assert (able.sum(axis=0) >= needs.wanted).all()


def test_preferences_decide_who_plays_what():
    roles = {"healer": 1, "tank": 1}
    plays = [["tank", "healer"], ["healer", "tank"], None]
    assert roles_of(["ann", "bob", "cat"], plays, roles) == {"ann": "tank", "bob": "healer"}
