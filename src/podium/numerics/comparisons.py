"""Static rankings: likelihoods of comparisons and of rankings, with all their derivatives.

Parameters are the scores of all players, then one for each covariate, then, under Davidson's
model, the logarithm of how much ties are favoured. A kernel adds up a gradient, minus the matrix of
second derivatives, and the sum of squares of single gradients, which a sandwich is made of.
"""

import math

import numpy as np

from podium.numerics.cholesky import dot
from podium.numerics.compiled import kernel

_PLACES = 4096
"""Of a table of hashes at first, a power of two."""


@kernel
def add_up_pairs(theta, players, first, second, x, score, weight, squares, ties, g, H, M):
    """Of comparisons of two; the logarithm of their likelihood.

    A row stands for all comparisons that ended alike: how much they weigh together, and the sum of
    the squares of their weights. Without `ties` this is Bradley's and Terry's model, and a score
    between 0 and 1 counts as a part of a win; with them it is Davidson's.
    """
    covariates = x.shape[1]
    last = players + covariates
    places, signs = np.empty(covariates + 2, np.int64), np.empty(covariates + 2)
    places[0], places[1] = -1, -1
    signs[0], signs[1] = 1.0, -1.0
    likelihood = 0.0
    for k in range(covariates):
        places[k + 2] = players + k
    d, p, q, lost = 0.0, 0.5, 0.5, math.log(2.0)
    v, c, f = 0.0, 0.0, 0.0
    for row in range(first.shape[0]):
        if weight[row] == 0.0:
            continue
        # rows of the same two follow each other, and have the same chances
        if covariates > 0 or first[row] != places[0] or second[row] != places[1]:
            places[0], places[1] = first[row], second[row]
            d = theta[first[row]] - theta[second[row]]
            for k in range(covariates):
                signs[k + 2] = x[row, k]
                d += theta[players + k] * x[row, k]
            p, q, lost = _chances(d)
        if ties:
            value, u, v, h, c, f = _davidson(d, theta[last], score[row])
        else:
            value, u, h = score[row] * d - lost, score[row] * q - (1.0 - score[row]) * p, p * q
        w, w2 = weight[row], squares[row]
        likelihood += w * value
        for i in range(covariates + 2):
            at, sign = places[i], signs[i]
            g[at] += w * u * sign
            for j in range(covariates + 2):
                H[at, places[j]] += w * h * sign * signs[j]
                M[at, places[j]] += w2 * u * u * sign * signs[j]
        if ties:
            g[last] += w * v
            H[last, last] += w * f
            M[last, last] += w2 * v * v
            for i in range(covariates + 2):
                at, sign = places[i], signs[i]
                H[at, last] += w * c * sign
                H[last, at] += w * c * sign
                M[at, last] += w2 * u * v * sign
                M[last, at] += w2 * u * v * sign
    return likelihood


@kernel
def _chances(d):
    """To win and to lose, by the difference of two scores, and minus the logarithm of the last."""
    e = math.exp(-abs(d))
    better, worse = 1.0 / (1.0 + e), e / (1.0 + e)
    p, q = (better, worse) if d >= 0.0 else (worse, better)
    return p, q, math.log1p(e) + max(d, 0.0)


@kernel
def _davidson(d, eta, score):
    """The log likelihood of a score, its slopes in d and eta, and minus its second derivatives."""
    top = max(abs(0.5 * d), eta)
    win, loss, tie = math.exp(0.5 * d - top), math.exp(-0.5 * d - top), math.exp(eta - top)
    whole = win + loss + tie
    won, lost, tied = win / whole, loss / whole, tie / whole
    mu = 0.5 * (won - lost)
    is_tie = 1.0 if score == 0.5 else 0.0
    value = (score - 0.5) * d + is_tie * eta - top - math.log(whole)
    slopes = (score - 0.5) - mu, is_tie - tied
    return (
        value, slopes[0], slopes[1], 0.25 * (won + lost) - mu * mu, -mu * tied, tied * (1.0 - tied)
    )  # fmt: skip


@kernel
def add_up_rankings(theta, players, offsets, player, rank, x, weight, g, H, M):
    """Of rankings, by Plackett's and Luce's model; the logarithm of their likelihood.

    Who comes first is chosen among all, who comes second among the others, and so on. A tie stands
    for the orders that it may be, by Efron's rule: those who are tied leave one by one, and of all
    of them together. Those who are tied at the end lack the last choice, which is among one: hence
    two who are tied alone count as half a win and half a loss.
    """
    covariates = x.shape[1]
    largest = 1
    for c in range(weight.shape[0]):
        largest = max(largest, offsets[c + 1] - offsets[c])
    # per row: the strength, the slope, sums over all choices of 1/D and 1/D² by how much the row
    # counts in them, and of 1/D² for pairs with one who stays when the row's group has left
    a, slope, once = np.empty(largest), np.empty(largest), np.empty(largest)
    twice, across = np.empty(largest), np.empty(largest)
    group = np.empty(largest, np.int64)
    likelihood = 0.0
    for c in range(weight.shape[0]):
        first, last = offsets[c], offsets[c + 1]
        if weight[c] == 0.0 or last - first < 2:
            continue
        value = _choices(
            theta, players, player[first:last], rank[first:last], x[first:last],
            a, slope, once, twice, across, group,
        )  # fmt: skip
        likelihood += weight[c] * value
        w, w2 = weight[c], weight[c] * weight[c]
        for i in range(last - first):
            at = player[first + i]
            _add_row(g, w * slope[i], at, x[first + i], players)
            for j in range(last - first):
                if i == j:
                    h = a[i] * once[i] - a[i] * a[i] * twice[i]
                elif group[i] == group[j]:
                    h = -a[i] * a[j] * twice[i]
                else:
                    h = -a[i] * a[j] * across[min(i, j)]
                m = slope[i] * slope[j]
                to = player[first + j]
                H[at, to] += w * h
                M[at, to] += w2 * m
                for k in range(covariates):
                    H[at, players + k] += w * h * x[first + j, k]
                    M[at, players + k] += w2 * m * x[first + j, k]
                    H[players + k, to] += w * h * x[first + i, k]
                    M[players + k, to] += w2 * m * x[first + i, k]
                    for n in range(covariates):
                        both = x[first + i, k] * x[first + j, n]
                        H[players + k, players + n] += w * h * both
                        M[players + k, players + n] += w2 * m * both
    return likelihood


@kernel
def _add_row(g, value, at, x, players):
    g[at] += value
    for k in range(x.shape[0]):
        g[players + k] += value * x[k]


@kernel
def _choices(theta, players, player, rank, x, a, slope, once, twice, across, group):
    """The log likelihood of one ranking, and of every row what its derivatives are made of."""
    count = player.shape[0]
    highest = -np.inf
    for i in range(count):
        a[i] = theta[player[i]]
        for k in range(x.shape[1]):
            a[i] += theta[players + k] * x[i, k]
        highest = max(highest, a[i])
    value, behind, top = 0.0, 0.0, count
    # from the last group to the first, for sums that lose nothing to those who are far ahead
    while top > 0:
        end = top
        while top > 0 and rank[top - 1] == rank[end - 1]:
            top -= 1
        members, own = end - top, 0.0
        at_end = end == count
        share = (members - 1.0) / members if at_end else 1.0
        for i in range(top, end):
            value += share * (a[i] - highest)
            a[i] = math.exp(a[i] - highest)
            own += a[i]
            group[i] = top
        later1, later2, own1, own2, mixed = 0.0, 0.0, 0.0, 0.0, 0.0
        for place in range(members - 1 if at_end else members):
            left = 1.0 if at_end else 1.0 - place / members
            D = behind + left * own
            value -= math.log(D)
            later1 += 1.0 / D
            later2 += 1.0 / (D * D)
            own1 += left / D
            own2 += left * left / (D * D)
            mixed += left / (D * D)
        for i in range(top, end):
            slope[i], once[i], twice[i], across[i] = share, own1, own2, mixed
        for i in range(end, count):
            once[i] += later1
            twice[i] += later2
            across[i] += later2
        behind += own
    for i in range(count):
        slope[i] -= a[i] * once[i]
    return value


@kernel
def largest_differences(draws, precision):
    """Of every draw of all scores, the largest difference of two in its standard errors.

    `precision` has one over the standard error of every difference, and 0 where there is none.
    """
    count = draws.shape[1]
    out = np.zeros(draws.shape[0])
    for k in range(draws.shape[0]):
        most = 0.0
        for i in range(count):
            for j in range(i):
                most = max(most, abs(draws[k, i] - draws[k, j]) * precision[i, j])
        out[k] = most
    return out


@kernel
def transformed(L, normal):
    """Draws with the covariances ``L L'``, out of rows of independent ones."""
    out = np.empty(normal.shape)
    for k in range(normal.shape[0]):
        for i in range(L.shape[0]):
            out[k, i] = dot(L[i], normal[k], i + 1)
    return out


@kernel
def connected(count, one, other):
    """The number of everybody's group: those who are linked by some chain of pairs."""
    root = np.arange(count)
    for k in range(one.shape[0]):
        a, b = one[k], other[k]
        while root[a] != a:
            root[a] = root[root[a]]
            a = root[a]
        while root[b] != b:
            root[b] = root[root[b]]
            b = root[b]
        root[max(a, b)] = min(a, b)
    number, groups = np.empty(count, np.int64), 0
    for i in range(count):
        a = i
        while root[a] != a:
            a = root[a]
        if a == i:
            number[i] = groups
            groups += 1
        else:
            number[i] = number[a]
    return number


@kernel
def reached(count, starts, to, source):
    """Who can be reached from `source` by links, of which those of i are ``to[starts[i] ..]``."""
    seen = np.zeros(count, np.bool_)
    queue = np.empty(count, np.int64)
    queue[0], seen[source] = source, True
    done, known = 0, 1
    while done < known:
        i = queue[done]
        done += 1
        for k in range(starts[i], starts[i + 1]):
            if not seen[to[k]]:
                seen[to[k]] = True
                queue[known] = to[k]
                known += 1
    return seen


@kernel
def count_votes(a, b, ended, player_a, player_b, place, counts):
    """How often each two ended how, the one with the lower number first.

    The first row in which somebody meets themselves, or -1.
    """
    for row in range(a.shape[0]):
        one, other, how = player_a[a[row]], player_b[b[row]], place[ended[row]]
        if one == other:
            return row
        # without a branch, which nobody could guess
        how += (one > other) * 2 * (1 - how)
        counts[min(one, other), max(one, other), how] += 1
    return -1


@kernel
def numbered(hashes):
    """A number for every different hash in the order in which they come, and the rows they do."""
    rows = hashes.shape[0]
    number, first = np.empty(rows, np.int32), np.empty(rows, np.int32)
    size, known, done = _PLACES, 0, 0
    while True:
        keys, numbers = np.empty(size, np.uint64), np.full(size, -1, np.int32)
        for k in range(known):
            slot = _slot(hashes[first[k]], keys, numbers)
            keys[slot], numbers[slot] = hashes[first[k]], k
        done, known = _number(hashes, done, keys, numbers, number, first, known)
        if done == rows:
            return number, first[:known].copy()
        size *= 4


@kernel
def _number(hashes, row, keys, numbers, number, first, known):
    """Go on from a row until a half of the table is full; to where, and how many are known."""
    while row < hashes.shape[0] and 2 * known < keys.shape[0]:
        slot = _slot(hashes[row], keys, numbers)
        if numbers[slot] < 0:
            keys[slot], numbers[slot], first[known] = hashes[row], known, row
            known += 1
        number[row] = numbers[slot]
        row += 1
    return row, known


@kernel
def _slot(key, keys, numbers):
    """Where a key stands, or would: the first free place from that of its lowest bits on."""
    last = keys.shape[0] - 1
    slot = np.int64(key & np.uint64(last))
    while numbers[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & last
    return slot
