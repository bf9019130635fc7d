"""Near names are those that comparing all pairs finds, and no input makes them quadratic."""

import re
import unicodedata

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from podium.results.near import LONGEST, MOST, near

NAMES = st.lists(
    st.text("abAé 1-.ix", min_size=1, max_size=8).filter(str.strip), max_size=12, unique=True
)


def letters(name):
    plain = "".join(
        each
        for each in unicodedata.normalize("NFKD", name).lower()
        if not unicodedata.combining(each)
    )
    return plain, "".join(each for each in plain if each.isalnum())


def counters(plain, pattern):
    return re.findall(pattern, plain)


def are_near(one, other):
    """The definition, for two different names."""
    (plain, ours), (their_plain, theirs) = letters(one), letters(other)
    if not ours or not theirs:
        return False
    if ours == theirs:
        return counters(plain, r"\d+") == counters(their_plain, r"\d+")
    word = r"\d+|\b(?:[ivx]+|[^\W\d_])\b"
    return (
        min(len(ours), len(theirs)) >= 4
        and max(len(ours), len(theirs)) <= LONGEST
        and OSA.distance(ours, theirs) == 1
        and counters(plain, word) == counters(their_plain, word)
    )


def found(names, known=None):
    series = pl.Series(names, dtype=pl.String)
    other = None if known is None else pl.Series(known, dtype=pl.String)
    return near(series, other).rows()


@given(NAMES)
def test_within_a_file_they_are_those_of_all_pairs(names):
    pairs = [(a, b) for a in names for b in names if a < b and are_near(a, b)]
    assert found(names) == sorted(pairs)


@given(NAMES, NAMES)
def test_against_known_names_they_are_those_of_all_pairs(names, known):
    pairs = [(a, b) for a in names for b in known if a not in known and are_near(a, b)]
    assert found(names, known) == sorted(pairs)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann Lee", "ann lee"),
        ("ann-lee", "Ann  Lee"),
        ("Zoë", "zoe"),
        ("Müller", "Mueller"),
        ("alice", "alcie"),
        ("alice", "alic"),
        ("alice", "alicee"),
        ("alice", "alise"),
        ("team 1", "Team1"),
        ("player10", "plyaer10"),
    ],
)
def test_a_slip_is_found(one, other):
    assert found([one, other])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bob", "rob"),
        ("ann", "anna"),
        ("team 1", "team 2"),
        ("player10", "player11"),
        ("player1", "player10"),
        ("player12", "player21"),
        ("round 1.0", "round 10"),
        ("team A", "team B"),
        ("A. Smith", "B. Smith"),
        ("Henry VII", "Henry VIII"),
        ("--", "++"),
        ("alice", "alceis"),
    ],
)
def test_what_is_short_or_counts_is_no_slip(one, other):
    assert not found([one, other])


def test_a_name_that_is_known_is_like_nobody():
    assert not found(["alice"], ["alice", "alicee"])


def test_many_names_that_differ_in_one_place_are_not_compared():
    alphabet = [chr(0x4E00 + each) for each in range(20_000)]
    assert not found([f"{'a' * 60}{each}" for each in alphabet])
    assert not found([f"{'a' * 60}{each}" for each in range(20_000)])
    few = [f"{'a' * 60}{each}" for each in alphabet[:MOST]]
    assert len(found(few)) == MOST * (MOST - 1) // 2


def test_very_long_names_are_compared_as_wholes():
    name = "ab" * LONGEST
    assert found([name, name.upper()]) == [(name.upper(), name)]
    assert not found([name, name + "c"])
