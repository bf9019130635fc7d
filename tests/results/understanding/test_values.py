"""Cells as people write them, against plain references."""

import datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import Contests, PodiumError
from podium.results.options import Options
from podium.results.tables import plain_row
from podium.results.times import to_microseconds
from podium.results.understanding import Table, Understanding
from podium.results.understanding.durations import are_durations, durations
from podium.results.understanding.numbers import numbers
from podium.results.understanding.outcomes import are_outcomes
from podium.results.understanding.ranks import ranks
from podium.results.understanding.report import Understood
from podium.results.understanding.statuses import KNOWN, UNSAID, kinds
from podium.results.understanding.values import understood_values

NAMES = {
    "January": 1, "Februar": 2, "mars": 3, "abril": 4, "maggio": 5, "junho": 6, "Jul": 7,
    "août": 8, "Sept.": 9, "octubre": 10, "November": 11, "dez": 12,
}  # fmt: skip
FORMS = (
    "{0:%Y-%m-%d}", "{0:%Y/%m/%d}", "{0:%d.%m.%Y}", "{0.day}.{0.month}.{0.year}",
    "{0:%Y%m%d}T000000", "{0:%a}, {0:%d} {1} {0.year}",
    "{0.day} {1} {0.year}", "{1} {0.day}, {0.year}", "{0.day}. {1} {0.year}",
    "{0.day} de {1} de {0.year}", "{0.year}-{1}-{0.day}", "{0:%G}-W{0:%V}-{0:%u}",
)  # fmt: skip
days = st.dates(datetime.date(1970, 1, 1), datetime.date(2068, 12, 31))
MONTHS = {number: name for name, number in NAMES.items()}


def understood(columns, **options):
    table = Table(pl.DataFrame(columns), plain_row)
    report = Understanding()
    return understood_values(table, Options.of(options), report), report


def times(values, **options):
    return understood({"time": values}, **options)[0].frame["time"].to_list()


@given(st.lists(days, min_size=1, max_size=8), st.sampled_from(FORMS))
def test_a_day_is_the_same_in_every_form_that_can_be_read_in_one_way(days, form):
    texts = [form.format(day, MONTHS[day.month]) for day in days]
    read = times(texts)
    assert [each.date() if isinstance(each, datetime.datetime) else each for each in read] == days
    assert [to_microseconds(text) for text in texts] == [to_microseconds(day) for day in days]


@given(st.lists(days, min_size=1, max_size=8), st.sampled_from(["dmy", "mdy"]))
def test_numbers_with_slashes_are_read_in_the_only_order_or_refused(days, order):
    form = {"dmy": "{0.day}/{0.month}/{0.year}", "mdy": "{0.month}/{0.day}/{0.year}"}[order]
    texts = [form.format(day) for day in days]
    assert times(texts, dates=order) == days
    doubtful = all(day.day <= 12 for day in days) and any(day.day != day.month for day in days)
    if doubtful:
        with pytest.raises(PodiumError, match=r"can be .* say dates='dmy' or dates='mdy'"):
            times(texts)
    else:
        assert times(texts) == days


@given(
    st.lists(st.datetimes(datetime.datetime(1980, 1, 1), datetime.datetime(2060, 1, 1)), min_size=1)
)
def test_a_clock_of_twelve_hours_or_of_another_column_is_the_same_moment(moments):
    moments = [each.replace(second=0, microsecond=0) for each in moments]
    together = [f"{each:%d.%m.%Y %I:%M %p}" for each in moments]
    apart = {
        "time": [f"{each:%Y-%m-%d}" for each in moments],
        "clock": [f"{each:%H:%M}" for each in moments],
    }
    assert times(together) == moments
    assert understood(apart)[0].frame["time"].to_list() == moments


@given(
    st.lists(st.datetimes(datetime.datetime(1980, 1, 1), datetime.datetime(2060, 1, 1)), min_size=1)
)
def test_days_of_excel_are_days_since_1899_and_fractions_the_time_of_day(moments):
    moments = [each.replace(microsecond=0) for each in moments]
    epoch = datetime.datetime(1899, 12, 30)
    counts = [(each - epoch) / datetime.timedelta(days=1) for each in moments]
    read = understood({"time": counts}, dates="excel")[0].frame["time"].cast(pl.Datetime("us"))
    assert read.to_list() == moments
    with pytest.raises(PodiumError, match="can be a day of Excel"):
        times(counts)


@pytest.mark.parametrize("unit", [10**3, 10**6, 10**9])
def test_the_unit_of_numbers_since_1970_is_told_by_their_size(unit):
    moment = datetime.datetime(2026, 1, 5, 18)
    count = to_microseconds(moment) // 10**6 * unit
    assert times([count, count]) == times([str(count)] * 2) == [moment] * 2


@given(
    st.lists(st.decimals(-(10**9), 10**9, places=2), min_size=1, max_size=8),
    st.sampled_from([(",", "."), (".", ","), ("'", "."), (" ", ","), ("\u202f", ","), ("", ".")]),
)
def test_numbers_of_any_country_are_what_they_were_or_are_refused(values, signs):
    group, point = signs
    texts = [
        f"{each:,.2f}".replace(",", "_").replace(".", point).replace("_", group) for each in values
    ]
    read = numbers(pl.Series("score", texts), None, plain_row)
    assert read is not None
    assert read[0].to_list() == pytest.approx([float(each) for each in values])


@given(st.lists(st.integers(1000, 999_999), min_size=1, max_size=8))
def test_whole_numbers_with_commas_are_refused_unless_the_sign_was_said(values):
    texts = pl.Series("score", [f"{each:,}" for each in values])
    with pytest.raises(PodiumError, match="say decimal='point' or decimal='comma'"):
        numbers(texts, None, plain_row)
    for decimal, unit in (("point", 1), ("comma", 1000)):
        read = numbers(texts, decimal, plain_row)
        assert read is not None
        assert read[0].to_list() == pytest.approx([each / unit for each in values])


@given(st.integers(1, 99_999))
def test_a_rank_is_the_same_however_it_is_written(rank):
    forms = "{} {}.0 {}. T{} t-{} ={} {}= #{} {}st {}e {}ème {}º {}.º {}/200000 {}-100000 {}–100000"
    texts = pl.Series([form.format(rank) for form in forms.split()])
    assert ranks(texts).to_list() == [rank] * len(texts)


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "4-3", "second", "", "1 2 3", "x1"])
def test_what_is_no_rank_is_none(text):
    assert ranks(pl.Series([text])).to_list() == [None]


@given(st.integers(0, 10**6), st.integers(0, 59), st.integers(0, 59), st.integers(0, 999))
def test_a_duration_is_the_same_with_colons_and_with_units(hours, minutes, seconds, thousandths):
    texts = pl.Series([
        f"{hours}:{minutes:02}:{seconds:02}.{thousandths:03}",
        f"{hours}:{minutes:02}:{seconds:02},{thousandths:03}",
        f"{hours}h{minutes:02}m{seconds:02}.{thousandths:03}s",
    ])  # fmt: skip
    total = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + thousandths * 1000
    expected = [total] * 3 if hours < 10**6 else [None] * 3
    assert durations(texts).microseconds.to_list() == expected


@pytest.mark.parametrize(
    ("values", "answer"),
    [
        (["1:02:33.4", "DNF", None], True),
        (["59.87", "1:02.33"], True),
        (["59.87", "62.33"], False),
        (["1:02", "soon"], False),
        (["3:1", "1:3"], False),
        (["12,34 s", "13,01 s"], True),
        (["7 m", "8 m"], False),
        (["1 Std. 35 Min.", "1:35:10 h"], True),
        ([], False),
    ],
)
def test_a_column_of_durations_is_known_by_colons_or_units(values, answer):
    assert are_durations(pl.Series(values, dtype=pl.String)) is answer


def test_only_words_of_winning_and_losing_are_outcomes():
    assert are_outcomes(pl.Series(["W", "L", "D"]))
    assert not are_outcomes(pl.Series(["1", "0"]))


CELLS = {"DNF": "started", "n.c.": "started", "-": "started", "": "started", None: "started",
         "DNS": "absent", "dnc": "absent", "DSQ": "out", "Disqualified": "out"}  # fmt: skip


@given(
    st.lists(st.lists(st.sampled_from([*CELLS, "rank"]), min_size=1, max_size=8), min_size=1),
    st.sampled_from(["last", "drop"]),
)
def test_those_without_a_rank_are_last_or_left_out_as_a_plain_reference_says(contests, unfinished):
    rows, expected = [], []
    for number, cells in enumerate(contests):
        finishers = cells.count("rank")
        for place, cell in enumerate(cells):
            name = f"p{place}"
            rank = cells[:place].count("rank") + 1
            if cell == "rank":
                expected.append((str(number), name, rank))
            elif unfinished == "last" and CELLS[cell] == "started":
                expected.append((str(number), name, finishers + 1))
            rows.append((str(number), "2026-01-05", name, str(rank) if cell == "rank" else cell))
    schema = {"contest": pl.String, "time": pl.String, "player": pl.String, "rank": pl.String}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    if not expected:
        with pytest.raises(PodiumError, match="there are no results"):
            Contests.from_frame(frame, unfinished=unfinished)
        return
    read = Contests.from_frame(frame, unfinished=unfinished).frame()
    assert sorted(read.select("contest", "player", "rank").rows()) == sorted(expected)


def test_a_row_behind_those_left_out_is_still_named_by_its_own_place():
    rows = {"contest": "x", "time": "2026-01-05", "player": ["ann", "bob", "cat"]}
    with pytest.raises(PodiumError, match="row 2: rank 3 of player 'cat'"):
        Contests.from_frame(pl.DataFrame({**rows, "rank": ["1", "DSQ", "3"]}), unfinished="drop")


@given(
    st.lists(st.one_of(st.none(), st.integers(-500, 500)), min_size=1, max_size=8).filter(any),
    st.booleans(),
    st.sampled_from([pl.Int64, pl.Float64, pl.String]),
)
def test_those_without_a_score_are_behind_all_others_in_columns_of_every_type(scores, lowest, type):
    frame = pl.DataFrame({
        "contest": "x",
        "time": 0,
        "player": [f"p{number}" for number in range(len(scores))],
        "score": pl.Series(scores, dtype=pl.Int64).cast(type),
    })  # fmt: skip
    read = Contests.from_frame(frame, unfinished="last", lowest_score_wins=lowest).frame()
    ranks = dict(read.select("player", "rank").rows())
    there = [each for each in scores if each is not None]
    for number, score in enumerate(scores):
        better = [each < score if lowest else each > score for each in there if score is not None]
        expected = len(there) if score is None else sum(better)
        assert ranks[f"p{number}"] == expected + 1


def test_a_rank_counts_whatever_the_status_and_it_is_said():
    rows = {"contest": "c", "time": "2026-01-05", "player": ["ann", "bob"]}
    table = pl.DataFrame({**rows, "rank": ["1", "2"], "status": ["", "DSQ"]})
    contests = Contests.from_frame(table)
    assert contests.columns.rank.tolist() == [1, 2]
    assert understood(table)[1].assumptions == [
        "rank: counts in 1 row whose status is 'DSQ' or so."
    ]
    unranked = understood(table.with_columns(rank=pl.Series(["1", "DSQ"])), unfinished="drop")[1]
    assert not any("counts" in sentence for sentence in unranked.assumptions)


@given(st.sampled_from(sorted(KNOWN)), st.sampled_from(["{}: {}", "{} ({})", "{} - {}"]))
def test_the_first_word_of_a_status_decides_whatever_the_reason(word, form):
    text = form.format(word, "fell in lap 3")
    expected = None if KNOWN[word] == UNSAID else KNOWN[word]
    assert kinds(pl.Series([text])).to_list() == [expected]


@given(st.permutations(["DNF", "DNS", "DSQ"]), st.integers(1, 3))
def test_the_worst_of_rank_status_and_score_decides_in_any_order(cells, number):
    names = ("rank", "status", "score")[:number]
    told = dict(zip(names, cells, strict=False))
    first = {"contest": "c", "time": "2026-01-05", "player": "ann", "rank": "1"}
    rows = [first, {**first, "player": "bob", **told}]
    frame = pl.DataFrame(rows, schema=dict.fromkeys((*first, *names), pl.String))
    read = Contests.from_frame(frame, unfinished="last").frame()["player"].to_list()
    assert read == (["ann", "bob"] if set(told.values()) == {"DNF"} else ["ann"])


def told_by(player, opponent, result):
    """How matches are understood that a player tells of an opponent."""
    count = len(result)
    columns = {"time": ["2026-01-05"] * count, "player_a": player, "player_b": opponent}
    report = Understanding(columns=[Understood("player_b", "Opponent")])
    table = Table(pl.DataFrame({**columns, "outcome": result}), plain_row)
    return understood_values(table, Options(), report), report


@given(
    st.lists(
        st.tuples(st.sampled_from(["win", "loss", "draw"]), st.sampled_from(["a", "b", "both"])),
        min_size=1,
    )
)
def test_a_match_that_both_tell_alike_is_one(matches):
    other = {"win": "loss", "loss": "win", "draw": "draw"}
    rows = []
    for number, (result, teller) in enumerate(matches):
        a, b = f"a{number}", f"b{number}"
        rows += [(a, b, result)] * (teller != "b") + [(b, a, other[result])] * (teller != "a")
    table, report = told_by(*map(list, zip(*rows, strict=True)))
    assert table.frame.height == len(matches)
    twice = sum(teller == "both" for _, teller in matches)
    assert any("told by both" in each for each in report.assumptions) == (twice > 0)


@given(st.lists(st.sampled_from(["win", "loss", "draw"]), min_size=2, max_size=2))
def test_a_match_that_both_tell_is_refused_unless_they_agree(results):
    agree = sorted(results) in (["loss", "win"], ["draw", "draw"])
    if agree:
        assert told_by(["ann", "bob"], ["bob", "ann"], results)[0].frame.height == 1
    else:
        with pytest.raises(PodiumError, match="row 1: 'bob' against 'ann' can be one match"):
            told_by(["ann", "bob"], ["bob", "ann"], results)


MATCH = {"time": "2026-01-05", "player_a": ["ann", "cat"], "player_b": ["bob", "dan"]}
RACE = {"contest": "c", "time": "2026-01-05", "player": ["ann", "bob"]}


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (
            {**RACE, "rank": ["1", "2"], "score": ["31:05", "DNF"]},
            "rank: counts in 1 row whose score is 'DNF' or so.",
        ),
        (
            {**MATCH, "outcome": ["L 3-2", "W 2-1"]},
            "outcome: in 'L 3-2' the letter decides, and the winner has the higher score.",
        ),
        (
            {**RACE, "score": ["12,34 s", "13,01 s"]},
            "score: these are durations, of which the lowest wins.",
        ),
        ({**RACE, "score": ["3:1", "1:3"]}, "score: the first number is the player's own."),
        (
            {**MATCH, "player_b": ["bob", "BYE"], "outcome": ["1-0", "+:-"]},
            "1 match against nobody (bye): left out.",
        ),
        ({**MATCH, "outcome": ["1-0", "+:-"]}, "outcome: 1 match not played (forfeit): a win."),
        (
            {**MATCH, "outcome": ["1-1 (4-3)", "2-1"]},
            "outcome: what stands in brackets behind a draw is the shoot-out.",
        ),
        ({"time": "2026-01-05", "winner": ["ann", "cat"], "loser": ["bob", "dan"],
          "score": ["1-0", "0.5-0.5"]}, "outcome: 1 match with a drawn score: a draw."),
        (
            {"time": "2026-01-05", "player_a": ["ann"] * 3, "player_b": ["bob"] * 3,
             "winner": ["1", "2", "0"]},
            "winner: 0 is a draw.",
        ),
    ],
)  # fmt: skip
def test_what_is_taken_for_granted_is_said(columns, said):
    assert said in understood(columns)[1].assumptions


def test_a_winner_beside_a_score_leaves_the_score_as_it_was_given():
    columns = {**MATCH, "winner": ["ann", "dan"], "outcome": ["2-0", "2-1"]}
    report = Understanding(columns=[Understood("winner", "Winner"), Understood("outcome", "Score")])
    table = understood_values(Table(pl.DataFrame(columns), plain_row), Options(), report)
    assert table.frame["outcome"].to_list() == [1.0, 0.0]
    assert table.frame["score"].to_list() == ["2-0", "2-1"]
    assert {each.ours: each.theirs for each in report.columns} == {
        "outcome": "Winner",
        "score": "Score",
    }
