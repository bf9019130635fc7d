"""Standings of a contest that still runs: less than whole results."""

import polars as pl
import pytest

import podium
from podium import PodiumError, read_standings


def written(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("now.txt", "ann\n\n bob \nsmith, jo\n", [(1, "ann"), (2, "bob"), (3, "smith, jo")]),
        ("now.txt", "\N{BYTE ORDER MARK}player\r\n007\r\n", [(1, "player"), (2, "007")]),
        ("now.csv", "player\nbob\n007\n", [(1, "bob"), (2, "007")]),
        ("now.csv", "rank,player\n1,bob\n1,ann\n3,cat\n", [(1, "ann"), (1, "bob"), (3, "cat")]),
        ("now.tsv", "player\tscore\tproblem a\nbob\t3\t1\nann\t5\t0\n", [(1, "ann"), (2, "bob")]),
        ("now.csv", "player;score\nbob;3\nann;5\n", [(1, "ann"), (2, "bob")]),
        ("now.jsonl", '{"player": "bob"}\n{"player": "ann"}\n', [(1, "bob"), (2, "ann")]),
    ],
)
def test_what_is_missing_is_filled_in(tmp_path, name, text, expected):
    contest = read_standings(written(tmp_path, name, text), time="2026-05-01")
    assert contest[0].standings == expected
    assert f"{contest[0].time:%Y-%m-%d}" == "2026-05-01"
    assert contest[0].id == "standings"


def test_what_the_file_says_holds(tmp_path):
    text = "contest,time,player,rank,weight\nx,2026-06-01,ann,1,2\nx,2026-06-01,bob,2,2\n"
    path = written(tmp_path, "now.csv", text)
    assert read_standings(path, time="2026-05-01") == podium.read(path)
    assert read_standings(path) == podium.read(path)


def test_other_formats_are_read_as_ever(tmp_path):
    season = podium.simulate(players=5, rounds=2, seed=1)
    for name in ("one.parquet", "one.jsonl", "one.zip", "folder"):
        season[:1].write(tmp_path / name)
        assert read_standings(tmp_path / name, time=0) == season[:1]
    pl.DataFrame({"handle": ["bob", "ann"], "points": [3, 9]}).write_parquet(tmp_path / "p.parquet")
    mapping = {"player": "handle", "score": "points"}
    for lowest, first in ((False, "ann"), (True, "bob")):
        found = read_standings(
            tmp_path / "p.parquet", time=0, columns=mapping, lowest_score_wins=lowest
        )
        assert found[0].players[0] == first


def test_a_match_is_a_contest_of_two(tmp_path):
    path = written(tmp_path, "match.csv", "player_a,player_b,score_a,score_b\nann,bob,1,3\n")
    assert read_standings(path, time=0)[0].standings == [(1, "bob"), (2, "ann")]


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("none.csv", None, ": there is no such file or folder."),
        ("now.csv", "", ": is empty."),
        ("now.txt", "\n \n", ": holds no names."),
        ("now.txt", "ann\nbob\n\nann\n", ", line 4: player 'ann' stands twice in"),
        ("now.csv", "whom,rank\nann,1\n", ": there is no column 'player'; the columns are 'who"),
        ("now.csv", "ann\nbob\n", ": there is no column 'player'; the columns are 'ann', and na"),
        ("now.csv", "player,rank\nann,1\nbob,3\n", ", line 3: rank 3"),
        ("now.csv", "player,score\nann,x\n", ", line 2: score 'x'"),
        ("now.doc", "ann\n", ": its name does not tell the format"),
        (
            "now.csv",
            "contest,player,rank\nx,ann,1\ny,ann,1\n",
            ": holds 2 contests, but standings are of one.",
        ),
    ],
)
def test_what_is_wrong_is_said(tmp_path, name, text, complaint):
    path = tmp_path / name if text is None else written(tmp_path, name, text)
    with pytest.raises(PodiumError) as refused:
        read_standings(path, time=0)
    assert str(refused.value).startswith(f"{path}{complaint}")


def test_a_time_is_needed(tmp_path):
    path = written(tmp_path, "now.txt", "ann\nbob\n")
    with pytest.raises(PodiumError, match="say when the contest takes place"):
        read_standings(path)


def test_names_must_be_text(tmp_path):
    path = tmp_path / "now.txt"
    path.write_bytes(b"ann\n\x81\xfe\n")
    with pytest.raises(PodiumError, match=r"line 2: is not UTF-8"):
        read_standings(path, time=0)
