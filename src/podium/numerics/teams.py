"""Who competes: players on their own, or teams whose members share a rank."""

import numpy as np

from podium.numerics.compiled import kernel


@kernel
def competitors(offsets, team):
    """For every row, the number of its competitor within the contest, in order of first rows.

    A row of team -1 is a competitor of its own. The order of teams' ids does not matter.
    """
    seen = np.full(team.max() + 1, -1, np.int64)
    numbers = np.empty(team.shape[0], np.int32)
    for contest in range(offsets.shape[0] - 1):
        start, count = offsets[contest], 0
        for row in range(start, offsets[contest + 1]):
            own = team[row]
            if own >= 0 and seen[own] >= start:
                numbers[row] = numbers[seen[own]]
                continue
            if own >= 0:
                seen[own] = row
            numbers[row] = count
            count += 1
    return numbers


@kernel
def with_teams_or_shares(offsets, numbers, share):
    """For every contest, whether a competitor has two rows or a row's share is not 1."""
    found = np.zeros(offsets.shape[0] - 1, np.bool_)
    for contest in range(offsets.shape[0] - 1):
        start, end = offsets[contest], offsets[contest + 1]
        most = 0
        for row in range(start, end):
            most = max(most, numbers[row] + 1)
            if share is not None and share[row] != 1.0:
                found[contest] = True
        found[contest] = found[contest] or most < end - start
    return found


@kernel
def first_divided(offsets, rank, team):
    """The first row whose team has an earlier row of another rank in the contest, or -1.

    And how many rows follow one of the same team with another rank, and with the same rank.
    """
    seen = np.full(team.max() + 1, -1, np.int64)
    first, divided, together = np.int64(-1), 0, 0
    for contest in range(offsets.shape[0] - 1):
        start = offsets[contest]
        for row in range(start, offsets[contest + 1]):
            own = team[row]
            if own < 0:
                continue
            if seen[own] >= start:
                if rank[seen[own]] == rank[row]:
                    together += 1
                else:
                    divided += 1
                    first = np.int64(row) if first < 0 else first
            seen[own] = row
    return first, divided, together


@kernel
def ranks_of_teams(offsets, places, team, ranks):
    """`ranks`, but counted by competitors in contests whose `places` are.

    Those are contests in which members of a team share a place and every place is one more than
    the number of competitors ahead.
    """
    numbers = competitors(offsets, team)
    result = ranks.copy()
    for contest in range(offsets.shape[0] - 1):
        start, end = offsets[contest], offsets[contest + 1]
        counted = True
        rank, ahead = 0, 0
        for row in range(start, end):
            if row == start or places[row] != places[row - 1]:
                rank = ahead + 1
            if numbers[row] == ahead:
                ahead += 1
            elif numbers[row] < rank - 1:
                counted = False  # a member of an earlier place's team
            counted = counted and places[row] == rank
        if counted:
            for row in range(start, end):
                result[row] = places[row]
    return result
