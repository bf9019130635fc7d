"""Modes of beliefs against bisection in long double, on every scale of ratings."""

import numpy as np
import pytest

from podium import Ladder
from podium.numerics import factors
from podium.systems import EloMMR, EloR, EloRDraft, PerformanceModel
from tests.numerics.test_performances import sech_draw, sech_loss, sech_victory

SCALES = [1e-3, 0.03, 1.0, 80.0, 1e4]
"""Of `sig_limit`, in rating points."""
TOLERANCE = 1e-8
"""In standard deviations, beside what doubles of this size can hold; 1.6e-9 is reached."""

scales = pytest.mark.parametrize("scale", SCALES)


def histories(system, unit, seed, rounds=15):
    """A ladder after each of some contests, among them such as nobody expects."""
    rng = np.random.default_rng(seed)
    ladder, names = Ladder(system), list("abcdefgh")
    for day in range(rounds):
        standings = rng.permutation(names)[: rng.integers(2, 8)].tolist()
        ceiling = 1500.0 + unit * rng.normal() if rng.random() < 0.3 else None
        ladder.record(
            standings,
            time=day * 86_400,
            weight=float(rng.choice([0.1, 1.0, 1.0, 5.0])),
            perf_ceiling=ceiling,
        )
        yield ladder, standings


def zero(rising, low, high):
    """Where a rising function of a long double is zero, between two bounds of any quality."""
    low, high = np.longdouble(low), np.longdouble(high)
    for _ in range(90):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2


def off(found, rising, around, sigma):
    """How far a mode is from the zero of the slope of the loss, in standard deviations."""
    reach = max(np.ptp(around), sigma)
    exact = zero(rising, min(around) - reach, max(around) + reach)
    rounding = 4.0 * np.spacing(abs(float(exact)))
    return max(float(abs(np.longdouble(found) - exact)) - rounding, 0.0) / sigma


def worst_of(system, unit, slope, seeds=range(1)):
    """The largest error of all modes of some histories."""
    errors = []
    for seed in seeds:
        for ladder, standings in histories(system, unit, seed):
            for name in standings:
                record = ladder.beliefs.table[ladder.beliefs.index[name]]
                rising, around = slope(system, record, ladder.beliefs.pool)
                around = [*np.atleast_1d(around), float(record["mu"])]
                errors.append(off(record["mu"], rising, around, float(record["sigma"])))
    return max(errors)


def of_logistic_factors(_, record, pool):
    """Equation 10 of Elo-MMR."""
    p0, w0 = (np.longdouble(record[name]) for name in ("p0", "w0"))
    p, b, w = (each.astype(np.longdouble) for each in factors.listed(record, pool))
    third = np.longdouble(np.pi) ** 2 / 3

    def rising(x):
        return w0 * (x - p0) + (w * third * b * np.tanh((x - p) / (2 * b))).sum()

    return rising, [float(p0), *p.astype(float)]


def of_sech_factors(_, record, pool):
    """The same for hyperbolic secants."""
    p0, w0 = (np.longdouble(record[name]) for name in ("p0", "w0"))
    p, b, w = (each.astype(np.longdouble) for each in factors.listed(record, pool))
    beta, half = b / factors.SCALE, np.longdouble(np.pi) / 2

    def rising(x):
        return w0 * (x - p0) + (w * beta * half * np.tanh(half * (x - p) / beta)).sum()

    return rising, [float(p0), *p.astype(float)]


def rows_of(record, pool):
    """The three rows of a block."""
    start, room, count = (int(record[name]) for name in ("block", "room", "count"))
    start += int(record["first"])
    return [pool[start + row * room :][:count].astype(np.longdouble) for row in range(3)]


def of_elo_r(_, record, pool):
    """Equation 9 of Elo-R, with 1/tau in the first row."""
    p0, w0 = (np.longdouble(record[name]) for name in ("p0", "w0"))
    inverse, p, _ = rows_of(record, pool)
    inverse = inverse * np.longdouble(record["scale"])

    def rising(x):
        return w0 * (x - p0) + (inverse * np.tanh(inverse * (x - p))).sum()

    return rising, [float(p0), *p.astype(float)]


def of_draft(system, record, pool):
    """Equation 18 of the draft: the last performances, and the belief before the oldest."""
    p, before, scale = rows_of(record, pool)
    first = np.longdouble(system.skill_scale)
    kept = scale**2 / (first**2 + scale**2)
    weight = np.append(np.cumprod(kept[-2::-1])[::-1], 1)
    p, scale = np.append(p, before[0]), np.append(scale, first)
    weight = np.append(weight, weight[0])

    def rising(x):
        return (weight / scale * np.tanh((x - p) / (2 * scale))).sum()

    return rising, p.astype(float)


@scales
@pytest.mark.parametrize("rho", [0.0, 0.5, 1.0])
def test_modes_of_elo_mmr_are_exact_on_every_scale(scale, rho):
    system = EloMMR(sig_limit=scale, sigma_new=4.0 * scale, rho=rho, drift_per_day=0.01 * scale**2)
    assert worst_of(system, 3.0 * scale, of_logistic_factors) < TOLERANCE


@scales
@pytest.mark.parametrize("noise", ["simple", "freeze-in"])
def test_modes_of_elo_r_are_exact_on_every_scale(scale, noise):
    system = EloR(sig_limit=scale, sig_performance=2.5 * scale, sigma_new=3.5 * scale, noise=noise)
    assert worst_of(system, 3.0 * scale, of_elo_r) < TOLERANCE


@scales
def test_modes_of_the_draft_are_exact_on_every_scale(scale):
    system = EloRDraft(skill_scale=scale, performance_scale=2.0 * scale, memory=4)
    assert worst_of(system, 3.0 * scale, of_draft) < TOLERANCE


@pytest.mark.slow
def test_modes_of_a_model_of_ones_own_are_exact_on_every_scale():
    sech = PerformanceModel("sech", sech_loss, sech_draw, sech_victory, strip=1.0)
    for scale in SCALES:
        system = EloMMR(sig_limit=scale, sigma_new=4.0 * scale, performance=sech)
        assert worst_of(system, 3.0 * scale, of_sech_factors) < TOLERANCE
