"""Who competes, against the same in plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from podium.numerics.teams import (
    competitors,
    first_divided,
    ranks_of_teams,
    with_teams_or_shares,
)

CONTESTS = st.lists(
    st.lists(st.tuples(st.integers(1, 4), st.integers(-1, 3)), min_size=1, max_size=6).map(sorted),
    min_size=1,
    max_size=4,
)
"""Rank and team of every row."""


def columns(contests):
    offsets = np.cumsum([0, *map(len, contests)])
    rows = np.array([row for contest in contests for row in contest], np.int32)
    return offsets, rows[:, 0].copy(), rows[:, 1].copy()


@given(CONTESTS)
def test_rows_of_a_team_are_one_competitor(contests):
    offsets, _, team = columns(contests)
    expected = []
    for contest in contests:
        known = []
        for row, (_, own) in enumerate(contest):
            key = ("team", own) if own >= 0 else ("row", row)
            if key not in known:
                known.append(key)
            expected.append(known.index(key))
    assert_array_equal(competitors(offsets, team), expected)


@given(CONTESTS)
def test_a_divided_team_is_found(contests):
    offsets, rank, team = columns(contests)
    row, apart, together = first_divided(offsets, rank, team)
    divided, shared = [], 0
    for start, contest in zip(offsets, contests, strict=False):
        for place, (own_rank, own) in enumerate(contest):
            earlier = [other for other, number in contest[:place] if number == own >= 0]
            if earlier and earlier[-1] != own_rank:
                divided.append(start + place)
            elif earlier:
                shared += 1
    assert row == (divided[0] if divided else -1)
    assert (apart, together) == (len(divided), shared)


@given(CONTESTS, st.booleans())
def test_contests_with_teams_or_shares_are_told_from_others(contests, with_shares):
    offsets, _, team = columns(contests)
    share = np.where(np.arange(len(team)) % 5 == 4, 0.5, 1.0) if with_shares else None
    found = with_teams_or_shares(offsets, competitors(offsets, team), share)
    for number, contest in enumerate(contests):
        own = [number for _, number in contest if number >= 0]
        parts = [] if share is None else share[offsets[number] : offsets[number + 1]]
        assert found[number] == (len(set(own)) < len(own) or any(part != 1.0 for part in parts))


def test_ranks_may_count_teams():
    offsets = np.array([0, 5, 9, 11])
    team = np.array([0, 0, 1, 1, -1, 0, 1, 0, 1, 2, 2], np.int32)
    places = np.array([1, 1, 2, 2, 3, 1, 1, 1, 1, 1, 2])
    by_rows = np.array([1, 1, 3, 3, 5, 1, 1, 1, 1, 1, 2], np.int32)
    assert_array_equal(ranks_of_teams(offsets, places, team, by_rows), places)
    wrong = np.array([1, 1, 2, 2, 4, 1, 1, 1, 1, 1, 3])
    assert_array_equal(ranks_of_teams(offsets, wrong, team, by_rows), by_rows)


@pytest.mark.parametrize(
    ("places", "team", "by_rows"),
    [
        ([1, 2, 2, 3], [0, 0, 1, 2], [1, 2, 2, 4]),
        ([2, 2, 2, 2, 3], [0, 0, 1, 1, -1], [1, 1, 1, 1, 5]),
    ],
)
def test_ranks_that_do_not_count_teams_are_left_alone(places, team, by_rows):
    found = ranks_of_teams(
        np.array([0, len(places)]),
        np.array(places),
        np.array(team, np.int32),
        np.array(by_rows, np.int32),
    )
    assert found.tolist() == by_rows
