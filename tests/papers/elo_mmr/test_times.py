"""Table 3: which system was timed on which results."""

import pytest

import podium
from podium.papers.elo_mmr import times
from podium.papers.elo_mmr.accuracy import SYSTEMS
from podium.papers.elo_mmr.times import PRINTED, table_3

SETS = ["codeforces", "topcoder", "reddit", "synthetic"]
PLAYERS = 12


def test_every_system_is_timed_on_every_data_set_that_is_given():
    reddit = podium.simulate(players=5, rounds=8)
    shown = table_3({"reddit": reddit}, players=PLAYERS)
    rows = shown.findings.rows()
    assert [row[:2] for row in rows] == [(name, system) for name in SETS for system in SYSTEMS]
    for name, system, printed, seconds in rows:
        assert printed == PRINTED[name][SYSTEMS.index(system)]
        if name in ("reddit", "synthetic"):
            assert 0.0 <= seconds < 60.0
        else:
            assert seconds is None
    assert shown.numbers[""].equals(shown.findings)
    assert shown.remarks[-1].endswith("are shown: codeforces, topcoder.")


def test_the_seconds_are_those_of_one_thread_that_rates_all_of_it(monkeypatch):
    timed = []

    class Timed:
        cpu_seconds = 1.5

    def backtest(contests, system, *, threads):
        timed.append((len(contests), len(contests.players), system, threads))
        return Timed

    monkeypatch.setattr(times, "backtest", backtest)
    data = {"topcoder": podium.simulate(players=5, rounds=8)}
    told = []
    shown = table_3(data, lambda *step: told.append(step), players=PLAYERS)
    assert timed == [
        *((8, 5, system, 1) for system in SYSTEMS),
        *((50, PLAYERS, system, 1) for system in SYSTEMS),
    ]
    assert shown.findings["seconds_here"].drop_nulls().to_list() == [1.5] * 10
    assert told == [(number, 20) for number in range(1, 21)]


def test_nothing_is_missing_where_all_is_given():
    contests = podium.simulate(players=4, rounds=3)
    shown = table_3(dict.fromkeys(SETS[:3], contests), players=PLAYERS)
    assert not any("Not given" in remark for remark in shown.remarks)
    assert shown.findings["seconds_here"].null_count() == 0


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("codeforces", (212.9, 72.5, 67.2, 31.4, 35.4)),
        ("topcoder", (9.60, 4.25, 16.8, 7.00, 7.52)),
        ("reddit", (1.19, 1.14, 0.44, 1.14, 1.42)),
        ("synthetic", (3.26, 1.00, 2.93, 0.81, 0.85)),
    ],
)
def test_the_paper_says_so(name, seconds):
    assert PRINTED[name] == seconds
