"""Names and dates in names."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import PodiumError
from podium.results.understanding.stems import Dated, dated

MARCH = datetime.date(2026, 3, 1)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("spring-cup-2026-03-01", "spring-cup"),
        ("2026_03_01 Spring Cup", "Spring Cup"),
        ("Spring Cup 1.3.2026", "Spring Cup"),
        ("Spring Cup 01.03.26", "Spring Cup"),
        ("20260301 cup", "cup"),
        ("Week 3 (2026-03-01)", "Week 3"),
        ("cup, 1 March 2026", "cup"),
        ("cup - 1. März 2026", "cup"),
        ("cup Mar 1, 2026", "cup"),
        ("1 de marzo de 2026 copa", "copa"),
        ("coupe 1er mars 2026", "coupe"),
        ("copa 1º de março de 2026", "copa"),
        ("cup 01-Mar-26", "cup"),
        ("2026-03-01", "2026-03-01"),
    ],
)
def test_a_date_is_found_wherever_it_stands(text, name):
    assert dated([text], None) == [Dated(name, MARCH)]


@pytest.mark.parametrize(
    "text",
    [
        *("cup", "cup 3", "round 12-13", "cup 2026-13-01", "99999999"),
        *("results 12 Marathon 2026", "Decathlon 10 2026", "5 Maifest 2026", "3 Augsburg 2026"),
    ],
)
def test_what_is_no_date_stays_in_the_name(text):
    assert dated([text], None) == [Dated(text, None)]


def test_days_and_months_are_told_apart_by_all_texts_together():
    assert [each.date for each in dated(["3/1/2026", "3/15/2026"], None)] == [
        MARCH,
        datetime.date(2026, 3, 15),
    ]
    with pytest.raises(PodiumError, match="say dates='dmy' or --dates dmy, or mdy"):
        dated(["3/1/2026"], None)
    assert dated(["3/1/2026"], "mdy")[0].date == MARCH


@given(st.dates(datetime.date(1900, 1, 1), datetime.date(2199, 12, 31)), st.sampled_from("-_. "))
def test_every_day_is_read_back(date, mark):
    text = f"cup {date:%Y}{mark}{date:%m}{mark}{date:%d}"
    assert dated([text], None) == [Dated("cup", date)]


@given(st.text(max_size=30))
def test_any_name_is_taken_apart_or_refused(text):
    try:
        dated([text], None)
    except PodiumError:
        return
