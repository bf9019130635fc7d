"""Linear passes over rows say what plain loops say."""

from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from podium.numerics.columns import (
    appearance_numbers,
    by_appearance,
    competition_ranks,
    count_appearances,
    first_repeated_player,
    first_rows,
)

PLAYERS = 6
ROWS = st.lists(st.integers(0, PLAYERS - 1), max_size=30)
CONTESTS = st.lists(st.lists(st.integers(0, PLAYERS - 1), max_size=8), max_size=8)


def plain_numbers(rows, seen):
    numbers = []
    for player in rows:
        seen[player] += 1
        numbers.append(seen[player])
    return numbers


@given(ROWS)
def test_first_rows_and_the_order_of_appearance(rows):
    player = np.array(rows, np.int32)
    wanted = [rows.index(code) if code in rows else -1 for code in range(PLAYERS)]
    assert first_rows(player, PLAYERS).tolist() == wanted
    order, numbers = by_appearance(player, PLAYERS)
    assert order.tolist() == list(dict.fromkeys(rows))
    assert order[numbers].tolist() == rows


@given(ROWS, ROWS)
def test_appearances_are_counted_from_those_before(earlier, rows):
    seen = np.zeros(PLAYERS, np.int32)
    plain = [0] * PLAYERS
    for part in (earlier, rows):
        player = np.array(part, np.int32)
        assert count_appearances(player, seen).tolist() == plain_numbers(part, plain)
    assert seen.tolist() == plain
    again = appearance_numbers(np.array(rows, np.int32), seen)
    assert again.tolist() == plain_numbers(rows, [earlier.count(each) for each in range(PLAYERS)])


@given(CONTESTS)
def test_ranks_are_one_more_than_those_ahead(contests):
    contests = [sorted(each) for each in contests]
    offsets = np.cumsum([0, *map(len, contests)])
    wanted = [1 + sum(p < place for p in each) for each in contests for place in each]
    for kind in (np.int32, np.int64):
        places = np.array(list(chain(*contests)), kind)
        places.flags.writeable = False
        assert competition_ranks(offsets, places).tolist() == wanted


@given(CONTESTS)
def test_the_first_player_who_stands_twice_in_a_contest(contests):
    rows = [(contest, player) for contest, each in enumerate(contests) for player in each]
    wanted = next((row for row, each in enumerate(rows) if each in rows[:row]), -1)
    offsets = np.cumsum([0, *map(len, contests)])
    player = np.array([player for _, player in rows], np.int32)
    assert first_repeated_player(offsets, player, PLAYERS) == wanted
