"""How beliefs change: after a match (Model 2.11), and with time (Model 2.16).

Each step has the paper's three algorithms, which agree. *naive* looks at all pairs of strengths
and takes everything. *fft*, for beliefs on the same evenly spaced points, and *laplace*, for
mixtures of Laplace distributions on any points, are almost linear. *auto* takes the fastest that
applies, and goes back to *naive* where rounding in a Fourier transform would show.

Example:
    >>> from podium.luck import Belief, CoinToss, Logistic, NormalDrift, after_drift, after_match
    >>> ann, bob = Belief.normal(0.0, 0.7), Belief.normal(1.0, 0.3)
    >>> ann, bob = after_match(ann, bob, CoinToss(Logistic(), beta=0.8))
    >>> after_drift(ann, NormalDrift(0.03))
    <Belief: 0.219 ± 0.693 on 1,001 points>

All players of a round are updated from the beliefs before it: with `results` from each name to
the opponents and scores, ``{name: after_matches(before[name], [(before[opponent], score) for
opponent, score in results[name]], luck) for name in before}``.

Reference: Alex Cowan, *Paired comparisons for games of chance*, 2023, sections 2 and 4.
"""

import math
import numbers
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.errors import InputError
from podium.luck import likelihoods
from podium.luck.beliefs import Belief, as_floats, refuse_other_than_beliefs
from podium.luck.drifts import ByDistance, Drift, LaplaceDrift, NoDrift, checked_densities
from podium.luck.functions import LuckFunction, refuse_other_than_luck_functions
from podium.luck.likelihoods import CLOSE_ENOUGH, FFT_FROM, Sums
from podium.numerics import belief_sums

Floats = NDArray[np.float64]
Match = tuple[Belief, float, LuckFunction]
"""An opponent, the score against them, and the luck function of the match."""


def heaviside_sums(probabilities: ArrayLike) -> Floats:
    """Algorithm 4.3: the probability below each point, in their order, its own counting half.

    Example:
        >>> from podium.luck import heaviside_sums
        >>> heaviside_sums([0.25, 0.5, 0.25]).tolist()
        [0.125, 0.5, 0.875]
    """
    density = as_floats("probabilities", probabilities)
    sums = np.empty(len(density))
    belief_sums.heaviside_sums(density, sums)
    return sums


def laplace_density_sums(
    points: ArrayLike, probabilities: ArrayLike, scale: float, at: ArrayLike
) -> Floats:
    """Algorithm 4.5: the probabilities times Laplace densities around the points, summed at `at`.

    Points and `at` may come in any order.

    Example:
        >>> from podium.luck import laplace_density_sums
        >>> laplace_density_sums([3.0, 1.0], [0.5, 0.5], 1.0, at=[2.0]).tolist()
        [0.18393972058572117]
    """
    return _swept(belief_sums.laplace_density_sums, points, probabilities, scale, at)


def laplace_cdf_sums(
    points: ArrayLike, probabilities: ArrayLike, scale: float, at: ArrayLike
) -> Floats:
    """Algorithm 4.6: the probabilities times Laplace cdfs around the points, summed at `at`.

    Points and `at` may come in any order.

    Example:
        >>> from podium.luck import laplace_cdf_sums
        >>> laplace_cdf_sums([3.0, 1.0], [0.5, 0.5], 1.0, at=[2.0, 1e9]).tolist()
        [0.5, 1.0]
    """
    return _swept(belief_sums.laplace_cdf_sums, points, probabilities, scale, at)


def after_match(
    a: Belief, b: Belief, luck: LuckFunction, score: float = 1.0, *, algorithm: str = "auto"
) -> tuple[Belief, Belief]:
    """Model 2.11: the beliefs about two players after a match, both from those before it.

    `score` is that of the first: 1 for a win, 0 for a loss, 0.5 for a draw, or anything between,
    by eq. (1). `algorithm` is one of auto, naive, fft and laplace, of sections 4.1 to 4.3.

    Example:
        >>> from podium.luck import Belief, Logistic, after_match
        >>> ann, bob = Belief.normal(0.0, 0.7), Belief.normal(0.0, 0.7)
        >>> after_match(ann, bob, Logistic())
        (<Belief: 0.203 ± 0.670 on 1,001 points>, <Belief: -0.203 ± 0.670 on 1,001 points>)
    """
    refuse_other_than_beliefs(a)
    theirs, ours = _checked_match(b, score, luck), _checked_match(a, 1.0 - score, luck)
    return _updated(a, [theirs], algorithm), _updated(b, [ours], algorithm)


def after_matches(belief: Belief, results: Iterable[Sequence[Any]], luck: LuckFunction) -> Belief:
    """Model 2.11 for the matches of one player against opponents as they were believed to be.

    A result is an opponent's belief and the score against them, and a luck function if that match
    had another. The order makes no difference.

    Example:
        >>> from podium.luck import Belief, Logistic, after_matches
        >>> ann, bob, cat = Belief.normal(0, 0.7), Belief.normal(1, 0.3), Belief.normal(-1, 0.3)
        >>> after_matches(ann, [(bob, 1), (cat, 0.5)], Logistic())
        <Belief: 0.204 ± 0.644 on 1,001 points>
    """
    refuse_other_than_beliefs(belief)
    matches = []
    for result in results:
        if not (isinstance(result, Sequence) and len(result) in (2, 3)):
            raise InputError(
                f"a result is (opponent, score) or (opponent, score, luck), not {result!r}."
            )
        opponent, score, *own_luck = result
        matches.append(_checked_match(opponent, score, own_luck[0] if own_luck else luck))
    return _updated(belief, matches, "auto")


def after_drift(belief: Belief, drift: Drift, *, algorithm: str = "auto") -> Belief:
    """Model 2.16: a belief after its strength may have moved, on the same points.

    ``rho'(y)`` is the sum of ``rho(x) drift(x, y)`` over x, scaled to sum to 1: moves off the
    points do not happen. It is eq. (8), which has the arguments of K the other way round than
    eq. (6). `algorithm` is one of auto, naive, fft and laplace.

    Example:
        >>> from podium.luck import Belief, LaplaceDrift, after_drift
        >>> after_drift(Belief.certain(0.0), LaplaceDrift(0.1)) == Belief.certain(0.0)
        True
        >>> round(after_drift(Belief.normal(0.0, 0.7), LaplaceDrift(0.1)).sd, 4)
        0.7141
    """
    refuse_other_than_beliefs(belief)
    if not isinstance(drift, Drift):
        raise InputError(f"a drift is needed, such as NormalDrift(0.03), not {drift!r}.")
    moved = _named(_DRIFTS, algorithm)(belief, drift)
    total = float(moved.values.sum())
    if moved.error > CLOSE_ENOUGH * total:
        _refuse_if_asked_for(algorithm)
        return after_drift(belief, drift, algorithm="naive")
    if total == 0.0:
        raise InputError(f"by the drift {drift!r} no strength of the belief leads to any of them.")
    return Belief(belief.points, moved.values / total, normalise=True)


def _updated(belief: Belief, matches: list[Match], algorithm: str) -> Belief:
    """Bayes' rule: the belief times the likelihoods of all matches, scaled to sum to 1."""
    likelihood = _named(likelihoods.ALGORITHMS, algorithm)
    found = [
        likelihood(belief.points, opponent.points, opponent.probabilities, luck, score)
        for opponent, score, luck in matches
    ]
    weights, most = _posterior(belief.probabilities, found)
    total = weights.sum()
    if (most - weights).max() > CLOSE_ENOUGH * total:
        _refuse_if_asked_for(algorithm)
        return _updated(belief, matches, "naive")
    if total == 0.0:
        raise InputError(
            "the result is impossible: the luck function gives it the chance 0 for all strengths "
            "that the players may have."
        )
    return Belief(belief.points, weights, normalise=True)


def _posterior(prior: Floats, found: list[Sums]) -> tuple[Floats, Floats]:
    """The product of all, and the most that it may be in view of rounding; on a common scale."""
    mantissas, exponents = _product([prior, *(part.values for part in found)])
    highest = exponents[mantissas > 0.0].max(initial=-(1 << 30))
    weights = np.ldexp(mantissas, exponents - highest)
    mantissas, exponents = _product([prior, *(part.values + part.error for part in found)])
    with np.errstate(over="ignore"):
        return weights, np.ldexp(mantissas, exponents - highest)


def _product(factors: list[Floats]) -> tuple[Floats, NDArray[np.int32]]:
    """The product as mantissas and exponents, which neither overflows nor underflows."""
    mantissas, exponents = np.frexp(factors[0])
    for factor in factors[1:]:
        mantissas, shifts = np.frexp(mantissas * factor)
        exponents = exponents + shifts
    return mantissas, exponents


def _naive_drift(belief: Belief, drift: Drift) -> Sums:
    """Section 4.1."""
    x, rho = belief.points, belief.probabilities
    values = np.empty(len(x))
    for rows in likelihoods.blocks(len(x), len(x)):
        values[rows] = (checked_densities(drift, x, x[rows]) * rho[:, None]).sum(axis=0)
    return Sums(values)


def _fft_drift(belief: Belief, drift: Drift) -> Sums:
    """Section 4.2."""
    x = belief.points
    step = likelihoods.common_step(x, x)
    if not isinstance(drift, ByDistance):
        raise InputError(
            f"the algorithm 'fft' needs a drift by the distance alone, not {drift!r}; "
            f"'naive' takes any."
        )
    if step is None:
        raise InputError(
            "the algorithm 'fft' needs a belief on evenly spaced points; 'naive' takes any."
        )
    differences = likelihoods.all_differences(len(x), step)
    densities = checked_densities(drift, differences, np.zeros(1))[:, 0]
    moved = likelihoods.Convolution(densities)(belief.probabilities)
    return Sums(np.maximum(moved.values, 0.0), moved.error)


def _laplace_drift(belief: Belief, drift: Drift) -> Sums:
    """Section 4.3."""
    if isinstance(drift, NoDrift):
        return Sums(belief.probabilities)
    if not isinstance(drift, LaplaceDrift):
        raise InputError(
            f"the algorithm 'laplace' needs LaplaceDrift or NoDrift as the drift, not {drift!r}."
        )
    values = np.zeros(len(belief.points))
    for weight, scale in zip(drift.weights, drift.scales, strict=True):
        values += weight * laplace_density_sums(
            belief.points, belief.probabilities, scale, belief.points
        )
    return Sums(values)


def _auto_drift(belief: Belief, drift: Drift) -> Sums:
    """The fastest of the three that applies."""
    x = belief.points
    if isinstance(drift, NoDrift | LaplaceDrift):
        return _laplace_drift(belief, drift)
    even = len(x) >= FFT_FROM and likelihoods.common_step(x, x) is not None
    if even and isinstance(drift, ByDistance):
        return _fft_drift(belief, drift)
    return _naive_drift(belief, drift)


_DRIFTS: dict[str, Callable[[Belief, Drift], Sums]] = {
    "auto": _auto_drift,
    "naive": _naive_drift,
    "fft": _fft_drift,
    "laplace": _laplace_drift,
}


def _named(algorithms: dict[str, Any], name: str) -> Any:
    if name not in algorithms:
        raise InputError(f"there is no algorithm {name!r}; there are {', '.join(algorithms)}.")
    return algorithms[name]


def _refuse_if_asked_for(algorithm: str) -> None:
    """Whoever asks for the Fourier transform by name must know that it would not do."""
    if algorithm == "fft":
        raise InputError(
            "the algorithm 'fft' cannot see what is this unlikely, rounding hides it; "
            "'naive' and 'auto' can."
        )


def _checked_match(opponent: Belief, score: float, luck: LuckFunction) -> Match:
    refuse_other_than_beliefs(opponent)
    refuse_other_than_luck_functions(luck)
    if not (isinstance(score, numbers.Real) and 0.0 <= score <= 1.0):
        raise InputError(f"a score must be a number from 0 to 1, not {score!r}.")
    return opponent, float(score), luck


def _swept(
    sweep: Any, points: ArrayLike, probabilities: ArrayLike, scale: float, at: ArrayLike
) -> Floats:
    """A sum of the Laplace algorithms, for strengths in any order."""
    x, density = as_floats("points", points), as_floats("probabilities", probabilities)
    if len(x) != len(density):
        raise InputError(
            f"as many points as probabilities are needed, not {len(x)} and {len(density)}."
        )
    if not (isinstance(scale, numbers.Real) and 0.0 < scale < math.inf):
        raise InputError(f"scale must be a number above 0, not {scale!r}.")
    y = as_floats("at", at)
    ascending, wanted = np.argsort(x, kind="stable"), np.argsort(y, kind="stable")
    found = np.empty(len(y))
    sweep(x[ascending], density[ascending], float(scale), y[wanted], found)
    sums = np.empty(len(y))
    sums[wanted] = found
    return sums
