import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium.papers.elo_mmr.summary import PRINTED, table_1, tied_rows
from tests.papers.authors_files import write_like_the_authors

SMALL = (20, 50)
"""Players of the synthetic sets, so that they are generated at once."""

TOPCODER = [
    ("2001 Invitational 1", 984_700_800, [["ann", 0, 0], ["bob", 1, 2], ["cat", 1, 2]]),
    ("SRM 1", 990_000_000, [["cat", 0, 0], ["ann", 1, 1]]),
]
REDDIT = [
    ("What do you call a fish", 1_560_000_000, [["aww_SS", 0, 1], ["food_SS", 0, 1]]),
    ("TIL about threads", 1_600_000_000, [["food_SS", 0, 0], ["aww_SS", 1, 1], ["DIY_SS", 2, 2]]),
    ("The best thing", 1_602_000_000, [["DIY_SS", 0, 0]]),
]


def rows_of(shown):
    return {row["data_set"]: row for row in shown.findings.iter_rows(named=True)}


def test_without_results_only_the_paper_and_synthetic_sets_are_shown():
    rows = rows_of(table_1(players=SMALL))
    assert list(rows) == [*PRINTED, "synthetic by the text"]
    for name, printed in PRINTED.items():
        row = rows[name]
        assert (row["contests_in_paper"], row["mean_size_in_paper"]) == printed
        assert (row["contests"] is None) == (name != "synthetic")


def test_the_synthetic_sets_are_those_of_the_table_and_of_the_text():
    told = []
    rows = rows_of(table_1(progress=lambda *step: told.append(step)))
    by_table, by_text = rows["synthetic"], rows["synthetic by the text"]
    assert (by_table["contests"], by_table["mean_size"]) == PRINTED["synthetic"]
    assert (by_text["players"], by_text["mean_size"], by_text["contests"]) == (10_000, 10_000, 50)
    assert by_table["years"] is None
    assert told[-1][0] == told[-1][1]


def test_files_of_topcoder_and_reddit_in_the_authors_layout_are_counted(tmp_path):
    data = {
        "topcoder": write_like_the_authors(tmp_path / "topcoder", TOPCODER),
        "reddit": write_like_the_authors(tmp_path / "reddit", REDDIT),
    }
    shown = table_1(data, players=SMALL)
    rows = rows_of(shown)
    assert list(rows["topcoder"].values())[1:] == [
        2023, 2, 403, 2.5, 3, 3, 5, 40.0, "2001",
    ]  # fmt: skip
    assert list(rows["reddit"].values())[1:] == [
        1000, 3, 20, 2.0, 3, 3, 6, pytest.approx(100.0 / 3.0), "2019–2020",
    ]  # fmt: skip
    assert rows["codeforces"]["contests"] is None
    assert any("only the paper's line is shown: codeforces." in each for each in shown.remarks)


def test_a_shorter_codeforces_is_remarked_upon():
    short = podium.simulate(players=30, rounds=4, start="2020-05-01")
    remarks = " ".join(table_1({"codeforces": short}, players=SMALL).remarks)
    assert "until 2020-10-09, this one until 2020-05-22: 1,083 contests fewer." in remarks
    assert "the last 4 here have 30." in remarks
    longer = podium.simulate(players=6, rounds=1085, participation=0.5)
    assert longer.sizes[-2:].mean() != round(longer.sizes.mean())
    remarks = " ".join(table_1({"codeforces": longer}, players=SMALL).remarks)
    assert f"the last 2 here have {longer.sizes[-2:].mean():,.0f}." in remarks
    as_long = podium.simulate(players=2, rounds=1087)
    remarks = " ".join(table_1({"codeforces": as_long}, players=SMALL).remarks)
    assert "fewer" not in remarks
    assert "topcoder, reddit" in remarks


def test_no_contests_are_refused():
    none = podium.simulate(players=3, rounds=1)[:0]
    with pytest.raises(podium.PodiumError, match="the data set reddit has no contests"):
        table_1({"reddit": none}, players=SMALL)


@given(st.floats(0.0, 1.0), st.integers(2, 12), st.integers(1, 5), st.integers(0, 3))
def test_tied_rows_are_those_whose_rank_occurs_twice(ties, players, rounds, seed):
    contests = podium.simulate(players, rounds, participation=0.7, ties=ties, seed=seed)
    expected = 0
    for contest in contests:
        _, counts = np.unique(contest.rank, return_counts=True)
        expected += counts[counts > 1].sum()
    assert tied_rows(contests) == expected


def test_codeforces_lacks_the_last_sixteen_contests(codeforces):
    shown = table_1({"codeforces": codeforces}, players=SMALL)
    row = rows_of(shown)["codeforces"]
    assert (row["contests"], row["players"], row["participations"]) == (1071, 280_701, 3_104_991)
    assert row["tied_%"] == pytest.approx(85.0, abs=0.1)
    assert row["years"] == "2010–2020"
    assert any(": 16 contests fewer." in each for each in shown.remarks)
