"""Whose strengths explain comparisons best, and how sure that is.

Newton's method on sums over comparisons that ended alike. Scores of a group add up to nothing,
since only differences count.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.hindsight.comparing import Compared, Floats, Integers, Sums
from podium.numerics import cholesky
from podium.numerics import comparisons as kernels
from podium.progress import Report, unseen

_LAST_STEP = 1e-5
"""Newton's method squares the error, so that what is left is far below 1e-8. Of a covariate, times
its largest value: it may be in millionths or in millions."""
_MOST_STEPS = 100
_FARTHEST = 60.0
"""Scores beyond that are on their way to infinity: nobody wins e^60 times as often."""
_NOTHING = 1e-10
"""Of what is seen of a covariate at first: less than that is rounding."""
_RESAMPLED_STEPS = 2
"""A resample's maximum is near, and two steps from here are closer to it than chance is wide."""


@dataclass(frozen=True, eq=False)
class Fit:
    """The parameters that explain comparisons best."""

    theta: Floats
    likelihood: float
    steps: int
    ridge: float
    inverse: Floats
    """Of minus the second derivatives, the ridge and what holds every group together included."""
    squares: Floats

    @property
    def sandwich(self) -> Floats:
        """The covariances of the parameters, whether or not the model is right.

        A ridge counts as what it is: as much as was assumed.
        """
        middle = self.squares + self.ridge * np.eye(len(self.theta))
        half = cholesky.product(self.inverse, middle)
        found = cholesky.product(half, self.inverse)
        symmetric: Floats = 0.5 * (found + found.T)
        return symmetric


def groups_of(compared: Compared) -> Integers:
    """The number of everybody's group, in which all are compared by some chain of others."""
    one, other = compared.links()
    found: Integers = kernels.connected(len(compared.names), one, other)
    return found


def unbounded(compared: Compared, group: Integers) -> NDArray[np.bool_]:
    """Of which groups the likelihood has no maximum: some there have never lost to the others.

    It has one if everybody can be reached from everybody by wins and ties (Ford, 1957).
    """
    one, other = compared.links()
    count = len(compared.names)
    found = np.zeros(int(group.max()) + 1, np.bool_)
    sizes = np.bincount(group)
    ways = [_linked(count, one, other), _linked(count, other, one)]
    for number in np.flatnonzero(sizes > 1).tolist():
        source = int(np.argmax(group == number))
        for starts, to in ways:
            found[number] |= kernels.reached(count, starts, to, source).sum() < sizes[number]
    return found


def _linked(count: int, one: Integers, other: Integers) -> tuple[Integers, Integers]:
    """Where the links of everybody start, and where they lead."""
    order = np.argsort(one, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(one, minlength=count))])
    return starts.astype(np.int64), other[order]


def idle(compared: Compared, ridge: float) -> NDArray[np.bool_]:
    """Which covariates say nothing that players and covariates before them do not say."""
    players, count = len(compared.names), len(compared.covariates)
    if not count:
        return np.zeros(0, np.bool_)
    theta = np.zeros(compared.parameters)
    held = _held(compared.sums(theta), _penalty(compared, ridge), groups_of(compared))
    left, whole = _left(cholesky.factor(held), players), np.diag(held)[players:]
    found: NDArray[np.bool_] = (left <= _NOTHING * whole)[:count]
    return found


def fit(compared: Compared, group: Integers, ridge: float) -> Fit:
    """The maximum of the likelihood, less half of `ridge` times the squares of all scores."""
    theta = np.zeros(compared.parameters)
    players = len(compared.names)
    penalty = _penalty(compared, ridge)
    scale = np.ones(len(theta))
    if compared.covariates:
        largest = np.abs(compared.x).max(axis=0)
        scale[players : players + len(largest)] = largest
    sums, value = _at(compared, theta, penalty)
    first = np.diag(sums.curvature)[players:]
    for steps in range(1, _MOST_STEPS + 1):
        factor = cholesky.factor(_held(sums, penalty, group))
        if (_left(factor, players) <= _NOTHING * first).any():
            steps = _MOST_STEPS
            break
        step = cholesky.solve(factor, sums.gradient - penalty * theta)
        size = float(np.abs(step * scale).max(initial=0.0))
        while True:
            after, better = _at(compared, theta + step, penalty)
            if better >= value - 1e-9 * abs(value) or size < _LAST_STEP:
                break
            step, size = 0.5 * step, 0.5 * size
        theta, sums, value = theta + step, after, better
        if size < _LAST_STEP:
            break
        if np.abs(theta[:players]).max() > _FARTHEST:
            steps = _MOST_STEPS
            break
    if steps == _MOST_STEPS:
        raise InputError(
            "the likelihood has no maximum: a covariate tells winners from losers without fail; "
            "leave it out."
        )
    inverse = cholesky.inverse(cholesky.factor(_held(sums, penalty, group)))
    return Fit(theta, sums.likelihood, steps, ridge, inverse, sums.squares)


def _penalty(compared: Compared, ridge: float) -> Floats:
    """The ridge holds players, and nothing else."""
    return np.where(np.arange(compared.parameters) < len(compared.names), ridge, 0.0)


def _left(factor: Floats, players: int) -> Floats:
    """What is seen of every further parameter beyond what the ones before it explain."""
    found: Floats = np.diag(factor)[players:] ** 2
    return found


def _at(compared: Compared, theta: Floats, penalty: Floats) -> tuple[Sums, float]:
    sums = compared.sums(theta)
    return sums, sums.likelihood - 0.5 * float((penalty * theta * theta).sum())


def _held(sums: Sums, penalty: Floats, group: Integers) -> Floats:
    """Minus the second derivatives, and as much along what moves a whole group."""
    held: Floats = sums.curvature + np.diag(penalty)
    players = len(group)
    size = np.trace(held[:players, :players]) / players**2 if players else 0.0
    held[:players, :players] += (size or 1.0) * (group[:, None] == group)
    return held


def resampled(
    compared: Compared, found: Fit, group: Integers, times: int, seed: int, report: Report = unseen
) -> Floats:
    """The parameters of resamples, a row for each: comparisons drawn with replacement."""
    draws = np.random.default_rng(seed)
    units = compared.units
    total = int(units.sum())
    penalty = _penalty(compared, found.ridge)
    out = np.empty((times, len(found.theta)))
    for k in range(times):
        theta, counts = found.theta, draws.multinomial(total, units / total)
        for _ in range(_RESAMPLED_STEPS):
            sums = compared.sums(theta, counts)
            held = _held(sums, penalty, group)
            theta = theta + cholesky.solve(cholesky.factor(held), sums.gradient - penalty * theta)
        out[k] = theta
        report(k + 1, times)
    return out


def drawn(covariance: Floats, group: Integers, times: int, seed: int) -> Floats:
    """Scores of all players with these covariances around nothing, a row for each draw."""
    players = len(group)
    held = covariance[:players, :players].copy()
    # a group moves as a whole, which changes no difference, so that there is a factor
    held += max(np.trace(held) / max(players, 1), 1e-300) * (group[:, None] == group)
    normal = np.random.default_rng(seed).standard_normal((times, players))
    found: Floats = kernels.transformed(cholesky.factor(held), normal)
    return found


def critical(draws: Floats, errors: Floats, group: Integers, confidence: float) -> float:
    """How many standard errors no difference within a group exceeds, at this confidence."""
    comparable = (group[:, None] == group) & (errors > 0.0)
    precision = np.where(comparable, 1.0 / np.where(errors > 0.0, errors, 1.0), 0.0)
    return float(np.quantile(kernels.largest_differences(draws, precision), confidence))
