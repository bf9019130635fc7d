"""Random contests as arrays: ratings, uncertainties and ranks, for the kernels' tests."""

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray


def ranks_from(scores: NDArray[np.float64]) -> NDArray[np.int32]:
    """Competition ranks of scores that are sorted, best first."""
    return (np.searchsorted(-scores, -scores, side="left") + 1).astype(np.int32)


@st.composite
def fields(draw: st.DrawFn, largest: int = 40, spread: float = 400.0):
    """mu, delta and ranks of a contest, rows sorted by rank; ratings of at most this spread."""
    rows = draw(st.integers(1, largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    mu = 1500.0 + draw(st.sampled_from([0.0, 1.0, 0.5 * spread, spread])) * rng.standard_normal(
        rows
    )
    low = draw(st.sampled_from([150.0, 210.0, 400.0]))
    delta = low * rng.uniform(1.0, draw(st.sampled_from([1.0, 2.0, 4.0])), rows)
    distinct = draw(st.sampled_from([1, 2, 3, rows, 10 * rows]))
    scores = np.sort(rng.integers(0, distinct, rows).astype(np.float64))[::-1]
    return mu, delta, ranks_from(scores)
