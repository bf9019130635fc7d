"""What tables mean, whatever their format."""

import gzip
from pathlib import Path

import polars as pl
import pytest

import podium
from podium import Contests
from podium.results.formats.selection import wanted
from podium.results.options import Options
from podium.results.reading import read

LONG = "contest,time,player,rank\n007,2026-05-01,0042,1\n007,2026-05-01,1e3,2\n"


def test_identifiers_of_digits_stay_texts():
    Path("a.csv").write_text(LONG)
    contests = read("a.csv")
    assert contests[0].id == "007"
    assert contests[0].players == ["0042", "1e3"]


def test_mapped_identifiers_stay_texts_too():
    Path("a.csv").write_text(LONG.replace("contest", "event").replace("player", "handle"))
    contests = read("a.csv", columns={"contest": "event", "player": "handle"})
    assert contests[0].id == "007"
    assert contests[0].players == ["0042", "1e3"]


def test_players_and_teams_of_match_lists_stay_texts():
    Path("a.tsv").write_text("time\ta\tplayer_b\toutcome\n2026-05-01\t007\t08\t0.5\n")
    assert read("a.tsv", columns={"player_a": "a"})[0].standings == [(1, "007"), (1, "08")]
    Path("b.csv").write_text("contest,time,player,team,rank\ncup,2026-05-01,ann,007,1\n")
    assert read("b.csv").frame()["team"].to_list() == ["007"]


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.jsonl", "a.jsonl.gz"])
def test_a_byte_order_mark_makes_no_difference(name):
    plain = LONG if "csv" in name else '{"contest":"007","time":0,"player":"ann","rank":1}\n'
    pack = gzip.compress if name.endswith("gz") else bytes
    Path(name).write_bytes(pack(plain.encode()))
    expected = read(name)
    Path(name).write_bytes(pack(plain.encode("utf-8-sig")))
    assert read(name) == expected


def test_line_ends_and_blank_lines_make_no_difference():
    Path("a.csv").write_text(LONG)
    expected = read("a.csv")
    Path("a.csv").write_bytes(b"\r\n" + LONG.replace("\n", "\r\n").encode() + b"\r\n,,,\r\n\r\n")
    assert read("a.csv") == expected


def test_a_missing_team_and_an_empty_name_differ_in_text():
    Path("a.csv").write_text('contest,time,player,team,rank\ncup,0,ann,,1\ncup,0,bob,"",2\n')
    assert read("a.csv").frame()["team"].to_list() == [None, ""]


def test_times_may_be_unix_seconds_or_dates_or_moments():
    for time in ("1777593600", "2026-05-01", "2026-05-01T00:00:00", "2026-05-01 02:00:00+02:00"):
        Path("a.csv").write_text(LONG.replace("2026-05-01", time))
        assert f"{read('a.csv')[0].time}" == "2026-05-01 00:00:00"


def test_scores_rank_the_highest_first_unless_the_lowest_wins():
    Path("a.csv").write_text("contest,time,player,score\ncup,0,ann,9\ncup,0,bob,10.5\n")
    assert read("a.csv")[0].players == ["bob", "ann"]
    assert read("a.csv", lowest_score_wins=True)[0].players == ["ann", "bob"]


def test_json_lines_take_numbers_and_texts_for_one_column():
    lines = [
        '{"contest":1,"time":0,"player":7,"rank":1}',
        '{"contest":"1","time":0,"player":"x","rank":2}',
    ]
    Path("a.jsonl").write_text("\n".join(lines))
    assert read("a.jsonl")[0].standings == [(1, "7"), (2, "x")]


def test_json_lines_take_identifiers_of_any_length():
    Path("a.jsonl").write_text(f'{{"contest":{10**30},"time":0,"player":"ann","rank":1}}')
    assert read("a.jsonl")[0].id == str(10**30)


def test_every_format_gives_the_same_contests():
    Path("a.csv").write_text(LONG)
    expected = read("a.csv")
    frame = pl.read_csv("a.csv", infer_schema=False)
    frame.write_csv("a.tsv", separator="\t")
    frame.write_ndjson("a.ndjson")
    frame.write_parquet("a.parquet")
    assert read("a.tsv") == read("a.ndjson") == read("a.parquet") == expected


def test_names_with_signs_that_have_a_meaning_elsewhere():
    Path("50% [1]*").mkdir()
    contests = Contests.from_records([{"contest": 1, "time": 0, "player": "ann", "rank": 1}])
    for extension in ("csv", "jsonl", "parquet"):
        path = f"50% [1]*/{{a}}?%41 é.{extension}"
        contests.write(path)
        assert read(path) == contests


def test_only_columns_that_podium_knows_are_read():
    present = ["contest", "note", "time", "handle", "rank", "weight", "country"]
    assert wanted(present, Options(columns={"player": "handle"})) == [
        "contest",
        "time",
        "handle",
        "rank",
        "weight",
    ]


def test_outcomes_alone_are_results_enough():
    present = ["contest", "note", "time", "player", "outcome"]
    assert wanted(present, Options()) == ["contest", "time", "player", "outcome"]
    Path("a.csv").write_text("contest,time,player,outcome\ncup,0,ann,0.25\ncup,0,bob,0.75\n")
    assert read("a.csv")[0].standings == [(1, "bob"), (2, "ann")]


def test_all_columns_are_read_if_one_is_missing_so_that_they_can_be_listed():
    present = ["contest", "note", "time", "handle", "rank"]
    assert wanted(present, Options()) == present
    assert wanted(present, Options(columns={"player": "nick"})) == present


def test_a_csv_with_semicolons_is_read_as_spreadsheets_write_it(tmp_path):
    path = tmp_path / "results.csv"
    path.write_text("contest;time;player;rank\nspring;2026-03-01;Lee, Ann;1\n")
    assert podium.read(path)[0].standings == [(1, "Lee, Ann")]
    path.write_text("contest;time;player;rank\nspring;2026-03-01;ann;0\n")
    with pytest.raises(podium.PodiumError, match="line 2: rank '0' is not a whole number"):
        podium.read(path)


def test_a_frame_or_nothing_instead_of_a_path_is_explained():
    with pytest.raises(podium.PodiumError, match="from_frame takes a frame"):
        podium.read(pl.DataFrame())
    with pytest.raises(
        podium.PodiumError, match="the path of a file or folder is needed, not None"
    ):
        podium.read(None)
    with pytest.raises(podium.PodiumError, match="the path of a file or folder is needed, not int"):
        podium.simulate(players=2, rounds=1).write(5)
    with pytest.raises(podium.PodiumError, match="the path of a file or folder is needed"):
        podium.Rated.load(None)
    with pytest.raises(podium.PodiumError, match="the path of a file or folder is needed"):
        podium.Beliefs.load(None)


def test_ratings_among_the_results_are_not_taken_for_contests(tmp_path):
    contests = podium.simulate(players=4, rounds=3)
    contests.write(tmp_path / "season")
    podium.rate(contests).save(tmp_path / "season" / "ratings")
    assert len(podium.read(tmp_path / "season")) == 3


@pytest.mark.parametrize(("said", "meant"), [("home", 1), ("away", -1)])
def test_whoever_meets_a_player_with_a_side_has_the_other(said, meant):
    Path("a.csv").write_text(
        "contest,time,player,rank,side\n"
        f"1,2026-05-01,ann,1,\n1,2026-05-01,bob,2,{said}\n"
        f"2,2026-05-02,ann,1,{said}\n2,2026-05-02,bob,2,\n"
        f"3,2026-05-03,ann,1,{said}\n3,2026-05-03,bob,2,\n3,2026-05-03,cat,3,\n"
        "4,2026-05-04,ann,1,\n4,2026-05-04,bob,2,neutral\n"
    )
    side = read("a.csv").columns.side
    assert side.tolist() == [-meant, meant, meant, -meant, meant, 0, 0, 0, 0]


def test_a_match_without_an_outcome_says_so():
    Path("a.csv").write_text("time,player_a,player_b,outcome\n2026-05-01,ann,bob,\n")
    with pytest.raises(podium.PodiumError, match="line 2: outcome is missing"):
        read("a.csv")
