"""Likelihoods of comparisons and rankings, written plainly."""

import itertools
import math

import numpy as np


def of_pairs(theta, players, first, second, x, score, weight, ties):
    """The log likelihood, one row after the other."""
    found = 0.0
    for a, b, covariates, y, w in zip(first, second, x, score, weight, strict=True):
        d = theta[a] - theta[b] + float(covariates @ theta[players : players + len(covariates)])
        if ties:
            strengths = {1.0: math.exp(d / 2), 0.0: math.exp(-d / 2), 0.5: math.exp(theta[-1])}
            found += w * math.log(strengths[y] / sum(strengths.values()))
        else:
            found -= w * (y * math.log1p(math.exp(-d)) + (1.0 - y) * math.log1p(math.exp(d)))
    return found


def of_ranking(strengths, ranks):
    """The log likelihood of one ranking; of tied players by Efron's rule."""
    found, left = 0.0, list(range(len(ranks)))
    for rank in sorted(set(ranks)):
        tied = [i for i in left if ranks[i] == rank]
        left = [i for i in left if ranks[i] != rank]
        behind = sum(strengths[i] for i in left)
        own = sum(strengths[i] for i in tied)
        m = len(tied)
        if left:
            found += sum(math.log(strengths[i]) for i in tied)
            found -= sum(math.log(behind + (1 - k / m) * own) for k in range(m))
        else:
            found += (m - 1) / m * sum(math.log(strengths[i]) for i in tied)
            found -= (m - 1) * math.log(own)
    return found


def of_orders(strengths, ranks):
    """The mean log likelihood over all orders that a ranking with ties may stand for."""
    groups = [[i for i, r in enumerate(ranks) if r == rank] for rank in sorted(set(ranks))]
    values = []
    for orders in itertools.product(*(itertools.permutations(group) for group in groups)):
        order = [i for group in orders for i in group]
        values.append(
            sum(
                math.log(strengths[i] / sum(strengths[j] for j in order[k:]))
                for k, i in enumerate(order)
            )
        )
    return float(np.mean(values))


def derivatives(function, theta, step=1e-4):
    """The gradient and minus the second derivatives, by differences."""
    count = len(theta)
    gradient, curvature = np.zeros(count), np.zeros((count, count))
    unit = step * np.eye(count)
    for i in range(count):
        gradient[i] = (function(theta + unit[i]) - function(theta - unit[i])) / (2 * step)
        for j in range(count):
            curvature[i, j] = -(
                function(theta + unit[i] + unit[j])
                - function(theta + unit[i] - unit[j])
                - function(theta - unit[i] + unit[j])
                + function(theta - unit[i] - unit[j])
            ) / (4 * step * step)
    return gradient, curvature
