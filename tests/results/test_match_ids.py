from collections import Counter
from datetime import datetime, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import Contests, InputError
from podium.results import turns
from podium.results.turns import natural

PLAIN = ["ann", "ann2", "ann10", "ann 02", "2", "02", "10", "bob", "bob!", "bob\t!", "bo", "é", "٣"]
LIKE_IDS = ["ann - ", "ann -", "a - b", "b", "b - c", "c", "bob #2", "bob #", "#2", "-", "a", "a -"]
PAIRS = st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(lambda pair: pair[0] != pair[1])
EPOCH = datetime(2026, 5, 1)


def plain_ids(rows: list[tuple[str, str, str, float]], moments: list[str]) -> list[str]:
    """What matches are called, one by one."""
    ids = [
        f"{moment} {a.strip()} - {b.strip()}"
        for (_, a, b, _), moment in zip(rows, moments, strict=True)
    ]
    kinds = [(text, ladder) for text, (ladder, *_) in zip(ids, rows, strict=True)]
    seen: Counter[tuple[str, str]] = Counter()
    named = list(ids)
    for number in sorted(range(len(rows)), key=lambda each: (rows[each][3], rows[each][1:3])):
        seen[kinds[number]] += 1
        if seen[kinds[number]] > 1:
            named[number] = f"{ids[number]} #{seen[kinds[number]]}"
    return named


@pytest.mark.parametrize("step", [86_400_000_000, 1_000_000, 250_000])
@pytest.mark.parametrize("names", [PLAIN, PLAIN[:7] + LIKE_IDS[:6], LIKE_IDS + PLAIN[:1]])
@pytest.mark.parametrize("few", [0, 1000])
def test_matches_are_called_and_ordered_as_if_all_identifiers_were_made(
    monkeypatch, step, names, few
):
    monkeypatch.setattr(turns, "_FEW", few)
    match = st.tuples(
        st.integers(0, 2), PAIRS, st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from(["l2", "l10"])
    )

    @given(st.lists(match, min_size=1, max_size=25), st.booleans())
    def check(matches, with_ladders):
        times = [EPOCH + timedelta(microseconds=time * step) for time, *_ in matches]
        moments = [written(time, whole_days=step > 10**9) for time in times]
        rows = [
            (ladder if with_ladders else "", names[a].strip(), names[b].strip(), outcome)
            for _, (a, b), outcome, ladder in matches
        ]
        ids = plain_ids(rows, moments_of(times, moments))
        frame = pl.DataFrame(
            {
                "time": times,
                "player_a": [row[1] for row in rows],
                "player_b": [row[2] for row in rows],
                "outcome": [row[3] for row in rows],
            }
        )
        if with_ladders:
            frame = frame.with_columns(ladder=pl.Series([row[0] for row in rows]))
        called = list(zip(ids, (row[0] for row in rows), strict=True))
        if any(row[1] == row[2] for row in rows) or len(set(called)) < len(called):
            with pytest.raises(InputError, match=r"stands twice|two matches"):
                Contests.from_matches(frame)
            return
        contests = Contests.from_matches(frame)
        order = sorted(
            range(len(rows)), key=lambda each: (times[each], natural(ids[each]), rows[each][0])
        )
        assert contests.ids.to_list() == [ids[each] for each in order]
        assert [sorted(contest.players) for contest in contests] == [
            sorted(rows[each][1:3]) for each in order
        ]
        assert contests[1:].ids.to_list() == contests.ids.to_list()[1:]
        shuffled = Contests.from_matches(frame.reverse())
        assert shuffled == contests
        assert shuffled.ids.to_list() == contests.ids.to_list()

    check()


def moments_of(times: list[datetime], moments: list[str]) -> list[str]:
    """Dates alone if all times are dates."""
    if all(time == datetime(time.year, time.month, time.day) for time in times):
        return [moment[:10] for moment in moments]
    return moments


def written(time: datetime, *, whole_days: bool) -> str:
    text = f"{time:%Y-%m-%d}" if whole_days else f"{time:%Y-%m-%d %H:%M:%S}"
    micro = time.microsecond
    return text + (f".{micro // 1000:03d}" if micro else "")


def test_identifiers_are_made_only_when_somebody_asks(monkeypatch):
    frame = pl.DataFrame(
        {
            "time": [EPOCH, EPOCH, EPOCH + timedelta(days=1)],
            "player_a": ["ann", "ann", "bob"],
            "player_b": ["bob", "bob", "cat"],
            "outcome": [1.0, 0.0, 0.5],
        }
    )
    asked = []
    monkeypatch.setattr(
        "podium.results.match_ids.texts",
        lambda *given, **_: asked.append(given) or pl.Series(["x"] * len(given[0])),
    )
    contests = Contests.from_matches(frame)
    assert contests.columns.rank.tolist() == [1, 2, 1, 2, 1, 1]
    assert not asked
    assert contests.ids.to_list() == ["x"] * 3
    assert len(asked) == 1
    assert contests.ids.to_list() == ["x"] * 3
    assert len(asked) == 1


def test_identifiers_stay_when_rows_move_and_players_are_renamed():
    frame = pl.DataFrame({"time": [1], "player_a": ["bob"], "player_b": ["ann"], "outcome": [1.0]})
    contests = Contests.from_matches(frame)
    moved = contests.columns._replace(player=contests.columns.player[::-1].copy())
    renamed = pl.Series("player", ["zoe", "bob"])
    altered = Contests(contests.parts._replace(columns=moved, players=renamed))
    assert altered.ids.to_list() == contests.ids.to_list() == ["1970-01-01 00:00:01 bob - ann"]
