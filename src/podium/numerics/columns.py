"""Linear passes over columns of rows."""

import numpy as np

from podium.numerics.compiled import kernel

MICROSECONDS_PER_DAY = 86_400e6
"""Times in columns are microseconds."""


@kernel
def first_repeated_player(offsets, player, players):
    """The first row whose player has an earlier row in the same contest, or -1."""
    last_contest = np.full(players, -1, np.int64)
    for contest in range(offsets.shape[0] - 1):
        for row in range(offsets[contest], offsets[contest + 1]):
            if last_contest[player[row]] == contest:
                return row
            last_contest[player[row]] = contest
    return -1


@kernel
def first_apart(values, first, contest):
    """The first row whose value is not that of the first row of its contest, or -1."""
    for row in range(values.shape[0]):
        if values[row] != values[first[contest[row]]]:
            return row
    return -1


@kernel
def first_other_rank(ranks, places, rows):
    """The first index whose rank is not ``places[rows]``, or -1."""
    for index in range(rows.shape[0]):
        if places[rows[index]] != ranks[index]:
            return index
    return -1


@kernel
def row_keys(contest, position, places, player, place_bits, player_bits):
    """Numbers in the order of rows by the position of their contest, then place, then player."""
    keys = np.empty(contest.shape[0], np.int64)
    for row in range(contest.shape[0]):
        ahead = (position[contest[row]] << place_bits) | places[row]
        keys[row] = (ahead << player_bits) | player[row]
    return keys


@kernel
def first_rows(codes, count):
    """The first row of every code below `count`, or -1."""
    rows = np.full(count, -1, np.int64)
    for row in range(codes.shape[0]):
        if rows[codes[row]] < 0:
            rows[codes[row]] = row
    return rows


@kernel
def first_appearances(player, players):
    """The distinct values of `player`, in the order in which they first appear."""
    seen = np.zeros(players, np.bool_)
    order = np.empty(players, np.int32)
    count = 0
    for row in range(player.shape[0]):
        if not seen[player[row]]:
            seen[player[row]] = True
            order[count] = player[row]
            count += 1
            if count == players:
                break
    return order[:count]


@kernel
def renumbered(player, ids):
    """``ids[player]``, without NumPy's copy of indices that are not of its own width."""
    numbers = np.empty(player.shape[0], np.int32)
    for row in range(player.shape[0]):
        numbers[row] = ids[np.uint32(player[row])]
    return numbers


@kernel
def appearance_numbers(player, totals):
    """How often the player of each row has appeared by then, of ``totals[player]`` times in all."""
    left = totals.copy()
    numbers = np.empty(player.shape[0], np.int32)
    for row in range(player.shape[0] - 1, -1, -1):
        numbers[row] = left[player[row]]
        left[player[row]] -= 1
    return numbers


@kernel
def competition_ranks(offsets, places, rows):
    """1 + the number of better places in the same contest, for ``places[rows]``, sorted in each."""
    ranks = np.empty(rows.shape[0], np.int32)
    for contest in range(offsets.shape[0] - 1):
        first, rank, before = offsets[contest], 1, 0
        for index in range(first, offsets[contest + 1]):
            place = places[rows[index]]
            if index > first and place != before:
                rank = index - first + 1
            ranks[index] = rank
            before = place
    return ranks
