import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.results import turns
from podium.results.turns import by_bytes, by_keys, by_turn, natural, natural_ranks

SIGNS = st.sampled_from("0019ab -+#.\0\x01\x02\n٠٣৯²½Äé\U0001d7ce\U00011f50\uffff\U0010ffff")
TEXTS = st.text(SIGNS, max_size=8) | st.text(max_size=6)


@pytest.fixture(params=["few", "many"])
def few(request, monkeypatch):
    """Whether plain Python orders the texts, or columns."""
    monkeypatch.setattr(turns, "_FEW", 10**9 if request.param == "few" else 0)


@pytest.mark.usefixtures("few")
def test_natural_ranks_are_those_of_sorting_by_the_plain_key():
    @given(st.lists(TEXTS, min_size=1, max_size=30))
    def check(texts):
        places = {text: place for place, text in enumerate(sorted(set(texts), key=natural))}
        ranks = natural_ranks(pl.Series(texts, dtype=pl.String))
        assert ranks.tolist() == [places[text] for text in texts]

    check()


@pytest.mark.usefixtures("few")
def test_texts_by_their_bytes_are_as_python_sorts_them():
    @given(st.text(SIGNS, max_size=12), st.lists(TEXTS, min_size=1, max_size=30))
    def check(prefix, rest):
        texts = [prefix + text for text in rest] + [prefix + text * 3 for text in rest]
        order = sorted(range(len(texts)), key=lambda row: texts[row].encode())
        assert by_bytes(pl.Series(texts, dtype=pl.String)).tolist() == order

    check()


def test_numbers_of_many_digits_are_ordered_by_value(monkeypatch):
    monkeypatch.setattr(turns, "_FEW", 0)
    texts = [digit * length for length in (1, 9, 10, 11, 99, 100, 101, 1000) for digit in "19"]
    assert natural_ranks(pl.Series(texts[::-1])).tolist() == list(range(len(texts)))[::-1]


@pytest.mark.usefixtures("few")
def test_contests_of_one_time_are_ordered_as_the_plain_key_says():
    contest = st.tuples(st.integers(0, 4), TEXTS, st.sampled_from(["", "a", "a2", "a10"]))

    @given(st.lists(contest, max_size=30, unique_by=lambda each: each[1:]))
    def check(contests):
        times = np.array([time for time, _, _ in contests], np.int64)
        ids, ladder = (
            pl.Series([each[field] for each in contests], dtype=pl.String) for field in (1, 2)
        )
        expected = sorted(
            range(len(contests)),
            key=lambda number: (
                contests[number][0],
                natural(contests[number][1]),
                contests[number][2],
            ),
        )
        assert by_turn(times, ids, ladder).tolist() == expected

    check()


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2**30), st.integers(0, 2)), max_size=20)
)
def test_keys_order_rows_whether_they_fit_into_one_number_or_not(rows):
    keys = [np.array([row[field] for row in rows], np.int64) for field in range(3)]
    expected = sorted(range(len(rows)), key=rows.__getitem__)
    assert by_keys(*keys).tolist() == expected
    assert by_keys(*(key << 30 for key in keys)).tolist() == expected
