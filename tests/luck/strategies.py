"""Random beliefs, luck functions, drifts and scores."""

import numpy as np
from hypothesis import strategies as st

from podium.luck import (
    Belief,
    CappedLogistic,
    CoinToss,
    DrawMargin,
    Heaviside,
    Laplace,
    LaplaceDrift,
    Logistic,
    NoDrift,
    Normal,
    NormalDrift,
)

scales = st.floats(-1.0, 1.0).map(lambda exponent: 10.0**exponent)
strengths = st.one_of(st.integers(-5, 5).map(float), st.floats(-6.0, 6.0))
scores = st.one_of(st.sampled_from([0.0, 0.3, 0.5, 1.0]), st.floats(0.01, 0.99))
wins_and_losses = st.sampled_from([0.0, 1.0])
grids = st.builds(Belief.grid, st.floats(0.5, 10.0), st.integers(2, 130))


@st.composite
def mixtures(draw, kind):
    several = draw(st.lists(st.tuples(scales, st.floats(0.1, 1.0)), min_size=1, max_size=3))
    total = sum(weight for _, weight in several)
    return kind([scale for scale, _ in several], [weight / total for _, weight in several])


def _with_coins(games):
    return st.one_of(games, st.builds(CoinToss, games, st.floats(0.0, 1.0)))


laplace_like = _with_coins(st.one_of(mixtures(Laplace), st.just(Heaviside())))
luck_functions = _with_coins(
    st.one_of(
        mixtures(Laplace),
        st.just(Heaviside()),
        st.builds(Logistic, scales),
        st.builds(Normal, scales),
        st.builds(DrawMargin, scales),
        st.builds(CappedLogistic, scales, scales),
    )
)
"""All of them increase with the difference of strengths."""
drifts = st.one_of(mixtures(NormalDrift), mixtures(LaplaceDrift), st.just(NoDrift()))


@st.composite
def beliefs_on(draw, points):
    """A normal belief, one of a few spikes, or any."""
    kind = draw(st.sampled_from(["normal", "spikes", "any"]))
    if kind == "normal":
        reach = float(np.abs(points).max()) + 1.0
        return Belief.normal(draw(st.floats(-reach, reach)), draw(scales), points)
    weights = np.zeros(len(points))
    if kind == "spikes":
        spikes = st.integers(0, len(points) - 1)
        weights[draw(st.lists(spikes, min_size=1, max_size=3))] = 1.0
    else:
        weights[:] = np.random.default_rng(draw(st.integers(0, 999))).exponential(size=len(points))
    return Belief(points, weights, normalise=True)


def beliefs(most=25):
    """On any points, a few of which beliefs may have in common."""
    points = st.lists(strengths, min_size=1, max_size=most, unique=True)
    return points.flatmap(lambda x: beliefs_on(np.array(sorted(x))))


pairs_on_a_grid = grids.flatmap(lambda x: st.tuples(beliefs_on(x), beliefs_on(x)))
"""Two beliefs on the same evenly spaced points."""
