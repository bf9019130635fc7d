"""Eight numbers at a time are as good as one after the other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from podium.numerics.compiled import kernel
from podium.numerics.lanes import (
    WIDTH,
    between,
    exp,
    fused,
    lane,
    load,
    load_until,
    splat,
    store,
    store_until,
    tanh,
    total,
    where_less,
)

eights = arrays(np.float64, WIDTH, elements=st.floats(-1e6, 1e6))


@kernel
def arithmetic(a, b, out):
    x, y = load(a, 0), load(b, 0)
    store(out[0], 0, x + y)
    store(out[1], 0, x - 2.5)
    store(out[2], 0, 3.0 * y)
    store(out[3], 0, x / (1.0 + y * y))
    store(out[4], 0, where_less(x, y, x, 7.0))
    store(out[5], 0, between(x, -10.0, 10.0))
    store(out[6], 0, splat(lane(x, 3)))
    return total(x)


@given(eights, eights)
@settings(max_examples=50, deadline=None)
def test_arithmetic_is_that_of_single_numbers(a, b):
    out = np.empty((7, WIDTH))
    whole = arithmetic(a, b, out)
    expected = [
        a + b,
        a - 2.5,
        3.0 * b,
        a / (1.0 + b * b),
        np.where(a < b, a, 7.0),
        np.clip(a, -10.0, 10.0),
        np.full(WIDTH, a[3]),
    ]
    assert out.tolist() == [each.tolist() for each in expected]
    half = a[:4] + a[4:]
    half = half[:2] + half[2:]
    assert whole == half[0] + half[1]


@kernel
def exponentials(x, out):
    for k in range(0, x.shape[0], WIDTH):
        store(out, k, exp(load(x, k)))


def test_exponentials_are_right_to_the_last_digits():
    x = np.concatenate((np.linspace(-700.0, 700.0, 80_000), np.linspace(-1e-3, 1e-3, 8_000)))
    out = np.empty(len(x))
    exponentials(x, out)
    assert out == pytest.approx(np.exp(x), rel=5e-16, abs=0.0)


@kernel
def tangents(z, out):
    for k in range(0, z.shape[0], WIDTH):
        store(out, k, tanh(load(z, k)))


def test_tanh_is_right_to_the_last_digits_from_the_smallest_numbers_on():
    small = 10.0 ** np.linspace(-300.0, 1.5, 4000)
    z = np.concatenate([-small, small, np.linspace(-25.0, 25.0, 40_000)])
    out = np.empty_like(z)
    tangents(z, out)
    assert np.allclose(out, np.tanh(z), rtol=1e-15, atol=0.0)


@kernel
def sum_until(array, end):
    whole = splat(0.0)
    for k in range(0, end, WIDTH):
        whole = fused(load_until(array, k, end, 0.0), 1.0, whole)
    return total(whole)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 31])
def test_what_stands_beyond_the_end_is_not_looked_at(count):
    numbers = np.arange(1.0, 41.0)
    numbers[count:] = np.nan
    assert sum_until(numbers, count) == count * (count + 1) / 2


@kernel
def ones_until(array, end):
    for k in range(0, end, WIDTH):
        store_until(array, k, end, splat(1.0))


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 31])
def test_what_stands_beyond_the_end_is_not_written_to(count):
    numbers = np.zeros(40)
    ones_until(numbers, count)
    assert numbers.tolist() == [1.0] * count + [0.0] * (40 - count)
