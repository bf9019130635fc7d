"""What kernels are made of means what it means to NumPy and Python, however it is compiled."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from podium.numerics.compiled import kernel
from podium.numerics.compiler.indexing import block
from podium.numerics.compiler.known import bits_of

WHOLE = st.integers(-12, 12)
NUMBERS = st.floats(width=64) | st.sampled_from([0.0, -0.0])


@kernel
def element(array, index):
    return array[index]


@kernel
def element_of_rows(array, row, column):
    return array[row, column]


@kernel
def row_of(array, row):
    return array[row]


@kernel
def put(array, row, column, value):
    array[row, column] = value


@kernel
def between(array, start, stop):
    return array[start:stop]


@kernel
def after(array, start):
    return array[start:]


@kernel
def until(array, stop):
    return array[:stop]


@kernel
def stepped(array, start, stop, step):
    return array[start:stop:step]


@kernel
def rows_between(array, start, stop):
    return array[start:stop]


@given(index=st.integers(-5, 4))
def test_elements_are_counted_from_either_end(index):
    array = np.arange(5.0)
    assert element(array, index) == array[index]
    assert element(array[::2][:3], index % 3) == array[::2][index % 3]
    assert element(array.astype(np.int32), index) == array[index]


@given(row=st.integers(-4, 3), column=st.integers(-3, 2), value=NUMBERS)
def test_elements_of_rows_are_found_in_any_layout(row, column, value):
    table = np.arange(12.0).reshape(4, 3)
    for array in (table, np.asfortranarray(table), np.arange(48.0).reshape(8, 6)[::2, ::2]):
        assert element_of_rows(array, row, column) == array[row, column]
        np.testing.assert_array_equal(row_of(array, row), array[row])
        changed, expected = array.copy(order="K"), array.copy()
        put(changed, row, column, value)
        expected[row, column] = value
        np.testing.assert_array_equal(changed, expected)


@given(length=st.integers(0, 6), start=WHOLE, stop=WHOLE, step=WHOLE.filter(bool))
def test_ranges_of_arrays_end_where_arrays_do(length, start, stop, step):
    plain = np.arange(float(length))
    for array in (plain, np.arange(2.0 * length)[::2]):
        np.testing.assert_array_equal(between(array, start, stop), array[start:stop])
        np.testing.assert_array_equal(after(array, start), array[start:])
        np.testing.assert_array_equal(until(array, stop), array[:stop])
        np.testing.assert_array_equal(stepped(array, start, stop, step), array[start:stop:step])
    table = np.arange(2.0 * length).reshape(length, 2)
    np.testing.assert_array_equal(rows_between(table, start, stop), table[start:stop])


@kernel
def reshaped(array, rows, columns):
    return array.reshape(rows, columns)


@kernel
def flat(array):
    return array.reshape(-1)


@kernel
def as_whole(array):
    return array.view(np.int64)


@kernel
def blocked(array, start, rows, columns):
    return block(array, start, rows, columns)


def test_arrays_are_laid_out_in_other_ways():
    array = np.arange(12.0)
    np.testing.assert_array_equal(reshaped(array, 3, 4), array.reshape(3, 4))
    np.testing.assert_array_equal(flat(array.reshape(3, 4)), array)
    np.testing.assert_array_equal(as_whole(array), array.view(np.int64))
    np.testing.assert_array_equal(blocked(array, 2, 3, 3), array[2:11].reshape(3, 3))
    for rows, columns in ((5, 2), (-3, -4)):
        with pytest.raises(ValueError, match="lengths"):
            reshaped(array, rows, columns)


@kernel
def rounds(start, stop, step):
    found = np.zeros(40, np.int64)
    count = 0
    for k in range(start, stop, step):
        found[count] = k
        count += 1
    return found[:count]


@kernel
def rounds_down(start, stop):
    total = 0
    for k in range(start, stop, -1):
        total = 2 * total + k
    return total


@kernel
def last_round(stop):
    k = -1
    for k in range(stop):
        if k == 7:
            break
    return k


@given(start=WHOLE, stop=WHOLE, step=WHOLE.filter(bool))
def test_loops_go_where_ranges_go(start, stop, step):
    assert rounds(start, stop, step).tolist() == list(range(start, stop, step))
    total = 0
    for k in range(start, stop, -1):
        total = 2 * total + k
    assert rounds_down(start, stop) == total
    assert last_round(stop) == min(max(stop, 0) - 1, 7)


@kernel
def least(a, b):
    return min(a, b)


@kernel
def most(a, b):
    return max(a, b)


@kernel
def whole(a):
    return int(a)


@kernel
def computed(a, b):
    c = a + b
    c -= a * b
    c *= 2.0
    c /= 3.0
    return -c


@kernel
def compared(a, b):
    return 32 * (a < b) + 16 * (a <= b) + 8 * (a > b) + 4 * (a >= b) + 2 * (a == b) + (a != b)


def same(a, b):
    """Equal to the bit, but for the kind of what is no number."""
    return (math.isnan(a) and math.isnan(b)) or np.float64(a).tobytes() == np.float64(b).tobytes()


@given(a=NUMBERS, b=NUMBERS)
def test_arithmetic_of_numbers_is_pythons(a, b):
    assert same(least(a, b), min(a, b))
    assert same(most(a, b), max(a, b))
    with np.errstate(all="ignore"):
        x, y = np.float64(a), np.float64(b)
        assert same(computed(a, b), -((x + y - x * y) * 2.0 / 3.0))
    expected = (a < b, a <= b, a > b, a >= b, a == b, a != b)
    assert compared(a, b) == int("".join(str(int(each)) for each in expected), 2)


@given(a=st.integers(-(2**31), 2**31 - 1), b=NUMBERS)
def test_whole_numbers_are_compared_and_computed_with_too(a, b):
    assert same(least(a, b), min(a, b))
    assert same(most(np.int32(a), b), max(a, b))
    assert least(a, np.int32(7)) == min(a, 7)
    assert compared(a, 7) == compared(float(a), 7.0)
    with np.errstate(all="ignore"):
        x, y = np.float64(a), np.float64(b)
        assert same(computed(a, b), -((x + y - x * y) * 2.0 / 3.0))
    assert computed(np.int32(1000), np.int32(1000)) == pytest.approx(-(2000 - 1e6) * 2 / 3)


@given(st.floats(-1e15, 1e15))
def test_numbers_become_whole_towards_zero(a):
    assert whole(a) == int(a)


@kernel
def there_and_back(a):
    return bits_of(bits_of(a))


@given(NUMBERS)
def test_bits_are_those_of_the_number(a):
    assert same(there_and_back(a), a)


@kernel
def deeper(depth):
    """A part that has small arrays of its own."""
    own = np.zeros(4)
    own[depth % 4] = depth
    return own.sum()


@kernel
def small_arrays(count):
    """One beside the loop, others within it, which must not grow what a function has at hand."""
    kept, total = np.zeros((2, 3)), 0.0
    for k in range(count):
        fresh = np.zeros(8)
        fresh[k % 8] += 1.0
        kept[k % 2, k % 3] += fresh.sum() + deeper(k)
        total += fresh[k % 8]
    return total + kept.sum()


@kernel
def handed_out(rows):
    """An array that outlives the function that has made it."""
    made = np.empty(5)
    for k in range(5):
        made[k] = rows[k] + 1.0
    return made


@kernel
def chosen(rows, number):
    """One of two arrays, of which only one is new."""
    return handed_out(rows) if number else rows[:5]


def test_small_arrays_are_new_each_time_and_last_as_long_as_they_are_used():
    count = 1_000_000
    assert small_arrays(count) == 2.0 * count + sum(range(count))
    results = [handed_out(np.full(6, float(k))) for k in range(100)]
    np.testing.assert_array_equal(np.array(results), np.arange(1.0, 101.0)[:, None] * np.ones(5))
    rows = np.arange(6.0)
    np.testing.assert_array_equal(chosen(rows, 1), rows[:5] + 1.0)
    np.testing.assert_array_equal(chosen(rows, 0), rows[:5])
    del rows


@kernel
def made(count, columns):
    return np.zeros((count, columns))


@kernel
def failing(count):
    """Fails in a part."""
    return made(count, count).size


def test_arrays_that_cannot_be_are_refused():
    assert failing(3) == 9
    with pytest.raises((ValueError, MemoryError)):
        failing(2**40)


def test_rules_for_kernels_do_not_hold_for_functions_of_others():
    table = np.arange(3.0)

    @njit(boundscheck=True)
    def taken(array, index):
        return array[index]

    @njit(boundscheck=True)
    def changed(array, index):
        array[index] = 1.0

    @njit
    def counted(step):
        return list(range(0, 3, step))

    assert taken(table, 2) == 2.0
    for function in (taken, changed):
        with pytest.raises(IndexError):
            function(table, 3)
    with pytest.raises(ValueError, match="zero"):
        counted(0)
