import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import PodiumError
from podium.results.times import (
    as_column,
    from_microseconds,
    latest_moment,
    refuse_future,
    series_to_microseconds,
    to_microseconds,
)

PARIS = datetime.timezone(datetime.timedelta(hours=2))
FIRST_OF_MAY = 1_777_593_600
"""2026-05-01 in unix seconds."""


@pytest.mark.parametrize(
    ("time", "seconds"),
    [
        (datetime.date(2026, 5, 1), FIRST_OF_MAY),
        (datetime.datetime(2026, 5, 1), FIRST_OF_MAY),
        (datetime.datetime(2026, 5, 1, 2, tzinfo=PARIS), FIRST_OF_MAY),
        (datetime.datetime(2026, 5, 1, tzinfo=datetime.UTC), FIRST_OF_MAY),
        (pd.Timestamp("2026-05-01"), FIRST_OF_MAY),
        ("2026-05-01", FIRST_OF_MAY),
        ("2026-05-01T00:00:00Z", FIRST_OF_MAY),
        ("2026-05-01 02:00+02:00", FIRST_OF_MAY),
        ("20260501T000000", FIRST_OF_MAY),
        ("1777593600", FIRST_OF_MAY),
        (FIRST_OF_MAY, FIRST_OF_MAY),
        (float(FIRST_OF_MAY), FIRST_OF_MAY),
        (np.int32(FIRST_OF_MAY), FIRST_OF_MAY),
        (np.int64(FIRST_OF_MAY), FIRST_OF_MAY),
        (np.float64(FIRST_OF_MAY), FIRST_OF_MAY),
        (0, 0),
        ("1872-11-30", -3_063_744_000),
        (-3_063_744_000, -3_063_744_000),
        ("0001-01-01", -62_135_596_800),
    ],
    ids=repr,
)
def test_all_forms_of_a_moment_mean_the_same_microsecond(time, seconds):
    microseconds = to_microseconds(time)
    assert microseconds == seconds * 1_000_000
    assert type(microseconds) is int


def test_fractions_of_a_second_count():
    assert to_microseconds(0.25) == 250_000
    assert to_microseconds("1.5") == 1_500_000
    assert to_microseconds("1969-12-31T23:59:59.999999") == -1


@pytest.mark.parametrize("time", [20_260_501, 20_260_501.0, "20260501", 18_721_130])
def test_a_date_in_eight_digits_is_refused_because_it_would_be_a_second_of_1970(time):
    with pytest.raises(PodiumError, match="is not a time"):
        to_microseconds(time)
    assert series_to_microseconds(pl.Series([time])).to_list() == [None]


@pytest.mark.parametrize("time", [20_261_301, 20_260_132, 20_260_500, 18_000_100, 21_991_232])
def test_eight_digits_that_are_no_date_are_seconds(time):
    assert to_microseconds(time) == to_microseconds(str(time)) == time * 1_000_000
    assert series_to_microseconds(pl.Series([time])).to_list() == [time * 1_000_000]


@pytest.mark.parametrize(
    "time",
    ["yesterday", "", "2026-13-01", "01/05/2026", None, True, [2026, 5, 1], b"2026-05-01", pd.NaT],
    ids=repr,
)
def test_what_is_no_time_is_refused_with_what_would_be_one(time):
    with pytest.raises(PodiumError) as refused:
        to_microseconds(time)
    assert str(refused.value) == (
        f"{time!r} is not a time; give a date (2026-05-01), a datetime (2026-05-01T18:30:00) "
        f"or unix seconds."
    )


@pytest.mark.parametrize(
    "time", [1_777_593_600_000, -1_777_593_600_000, -70_000_000_000, np.inf, np.nan, "nan"]
)
def test_numbers_that_cannot_be_seconds_are_refused(time):
    with pytest.raises(PodiumError, match="is not a time in unix seconds; give a date"):
        to_microseconds(time)


def test_a_zone_that_leads_out_of_the_calendar_is_refused():
    with pytest.raises(PodiumError, match="is not a time between the years 1 and 9999"):
        to_microseconds("0001-01-01T00:00:00+10:00")


moments = st.datetimes(
    min_value=datetime.datetime(1, 1, 2), max_value=datetime.datetime(9999, 12, 30)
)


@given(moments)
def test_a_moment_survives_the_way_in_and_out(moment):
    assert from_microseconds(to_microseconds(moment)) == moment
    assert from_microseconds(to_microseconds(moment.isoformat())) == moment


@given(moments, st.integers(-14 * 60, 14 * 60))
def test_a_zone_changes_the_spelling_and_not_the_moment(moment, minutes):
    zone = datetime.timezone(datetime.timedelta(minutes=minutes))
    local = moment.replace(tzinfo=datetime.UTC).astimezone(zone)
    assert from_microseconds(to_microseconds(local)) == moment
    assert from_microseconds(to_microseconds(local.isoformat())) == moment


@given(st.lists(moments))
def test_a_column_means_what_its_values_mean_one_by_one(values):
    expected = [to_microseconds(value) for value in values]
    naive = pl.Series(values, dtype=pl.Datetime("us"))
    for column in (
        naive,
        naive.dt.replace_time_zone("UTC"),
        naive.dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo"),
        pl.Series([value.isoformat() for value in values], dtype=pl.String),
        pl.Series([f" {value.isoformat()}Z " for value in values], dtype=pl.String),
    ):
        assert series_to_microseconds(column).to_list() == expected
    assert as_column(np.array(expected, np.int64)).to_list() == values


@given(
    st.lists(st.integers(-9_000_000_000, 9_000_000_000).filter(lambda n: n // 10**7 not in (1, 2)))
)
def test_whole_seconds_are_the_same_in_columns_of_every_type(seconds):
    expected = [to_microseconds(value) for value in seconds]
    for column in (
        pl.Series(seconds, dtype=pl.Int64),
        pl.Series(seconds, dtype=pl.Float64),
        pl.Series([str(value) for value in seconds], dtype=pl.String),
    ):
        assert series_to_microseconds(column).to_list() == expected


@given(st.lists(st.floats(-9e9, 9e9).filter(lambda n: n // 10**7 not in (1, 2))))
def test_fractional_seconds_in_a_column_are_rounded_like_single_ones(seconds):
    expected = [to_microseconds(value) for value in seconds]
    assert series_to_microseconds(pl.Series(seconds, dtype=pl.Float64)).to_list() == expected


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([1_777_593_600_000, None]),
        pl.Series([-70_000_000_000, None]),
        pl.Series([2**64 - 1], dtype=pl.UInt64),
        pl.Series([np.nan, np.inf, -np.inf, 1e12, None]),
        pl.Series(["yesterday", "2026-05-32", "", "nan", "1e12", None]),
        pl.Series([None, None]),
        pl.Series([True]),
    ],
    ids=str,
)
def test_what_is_no_time_is_null_in_a_column(column):
    assert series_to_microseconds(column).null_count() == len(column)


def test_dates_and_other_units_of_datetimes_in_a_column():
    day = pl.Series([datetime.date(2026, 5, 1), None])
    assert series_to_microseconds(day).to_list() == [FIRST_OF_MAY * 1_000_000, None]
    for unit in ("ms", "us", "ns"):
        column = day.cast(pl.Datetime(unit))
        assert series_to_microseconds(column).to_list() == [FIRST_OF_MAY * 1_000_000, None]


def test_a_text_column_may_mix_numbers_and_dates():
    mixed = pl.Series(["2026-05-01", "1777593600", "2026-05-01T02:00+02:00"])
    assert series_to_microseconds(mixed).to_list() == [FIRST_OF_MAY * 1_000_000] * 3


def test_a_time_that_only_a_wrong_clock_says_is_refused_by_name():
    latest = latest_moment()

    refuse_future(latest - 60_000_000, "contest '7'")
    with pytest.raises(PodiumError, match=r"contest .7. is at .* more than two years from now"):
        refuse_future(latest + 60_000_000, "contest '7'")


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2026-01-05 18:00 America/New_York", 23),
        ("2026-01-05 6 pm America/New_York", 23),
        ("2026-01-05 6:00 p.m. America/New_York", 23),
        ("2026-01-05T18:00:00[Europe/Berlin]", 17),
        ("2026-01-05T18:00:00+02:00[Europe/Helsinki]", 16),
        ("2026-01-05T18:00:00Z[UTC]", 18),
    ],
)
def test_a_place_is_the_zone_unless_an_offset_says_more(text, hour):
    assert from_microseconds(to_microseconds(text)) == datetime.datetime(2026, 1, 5, hour)
