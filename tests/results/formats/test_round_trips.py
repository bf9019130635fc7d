"""What is written reads back equal."""

import gzip
import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from numpy.testing import assert_array_equal

from podium import Contests, PodiumError
from podium.results.formats import write
from podium.results.reading import read
from tests.results.formats import strategies
from tests.strategies import match_lists

TABLES = [
    "results.csv",
    "results.csv.gz",
    "results.csv.zst",
    "results.tsv",
    "results.tsv.gz",
    "results.tsv.zst",
    "results.jsonl",
    "results.jsonl.gz",
    "results.jsonl.zst",
    "results.ndjson",
    "results.ndjson.gz",
    "results.parquet",
]
CONTEST_FILES = ["season", "season/", "season.zip"]
FRESH_FILES = settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])

SPRING = [
    {"contest": "spring", "time": "2026-03-01", "player": "ann", "rank": 1},
    {"contest": "spring", "time": "2026-03-01", "player": "bob", "rank": 2},
]


def written_and_read(contests: Contests, name: str, **options: bool) -> Contests:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/{name}"
        write(contests, path)
        return read(path, future=True, **options)


@pytest.mark.parametrize("name", TABLES)
@FRESH_FILES
@given(contests=strategies.contests())
def test_tables_keep_everything(name, contests):
    assert written_and_read(contests, name) == contests


@pytest.mark.parametrize("name", CONTEST_FILES)
@FRESH_FILES
@given(contests=strategies.contests(strategies.file_stems, only_contest_files=True))
def test_contest_files_keep_everything_but_teams_and_sides(name, contests):
    assert written_and_read(contests, name) == contests


@pytest.mark.parametrize("name", TABLES)
@FRESH_FILES
@given(matches=match_lists(scores=True))
def test_tables_keep_scores_to_the_bit(name, matches):
    contests = Contests.from_matches(matches)
    back = written_and_read(contests, name)
    assert back == contests
    assert_array_equal(back.columns.score, contests.columns.score)


@pytest.mark.parametrize("name", TABLES)
def test_contests_of_one_time_stay_in_their_order_without_sorting(name):
    late = [{**row, "contest": "b", "time": "2026-03-01"} for row in SPRING]
    contests = Contests.from_records(
        [*late, *SPRING, *({**r, "contest": "a"} for r in SPRING)], sort=False
    )
    assert [contest.id for contest in contests] == ["b", "spring", "a"]
    assert written_and_read(contests, name, sort=False) == contests


@pytest.mark.parametrize(
    ("time", "text"),
    [
        ("2026-05-01", "2026-05-01"),
        ("2026-05-01T18:30:00", "2026-05-01T18:30:00"),
        ("2026-05-01T18:30:00.000001", "2026-05-01T18:30:00.000001"),
        ("1872-11-30", "1872-11-30"),
    ],
)
def test_times_are_written_in_iso_form_and_no_longer_than_needed(time, text):
    write(Contests.from_records([{**SPRING[0], "time": time}]), "results.csv")
    assert Path("results.csv").read_text() == f"contest,time,player,rank\nspring,{text},ann,1\n"


def test_one_moment_within_a_day_makes_all_times_of_the_file_moments():
    rows = [SPRING[0], {**SPRING[0], "contest": "summer", "time": "2026-06-01T12:00:00"}]
    write(Contests.from_records(rows), "results.csv")
    assert pl.read_csv("results.csv")["time"].to_list() == [
        "2026-03-01T00:00:00",
        "2026-06-01T12:00:00",
    ]


def test_compression_is_real():
    contests = Contests.from_records(SPRING)
    write(contests, "results.csv")
    plain = Path("results.csv").read_bytes()
    write(contests, "results.csv.gz")
    assert gzip.decompress(Path("results.csv.gz").read_bytes()) == plain
    write(contests, "results.csv.zst")
    assert Path("results.csv.zst").read_bytes().startswith(b"\x28\xb5\x2f\xfd")


def test_the_same_contests_are_written_to_the_same_bytes():
    contests = Contests.from_records(SPRING)
    for name in [*TABLES, "season.zip"]:
        write(contests, name)
        before = Path(name).read_bytes()
        write(contests, name)
        assert Path(name).read_bytes() == before


def test_a_method_of_contests_writes_too():
    contests = Contests.from_records(SPRING)
    contests.write("results.csv")
    contests.write("season", format="contest-files")
    assert read("results.csv") == read("season") == contests


def test_shuffled_rows_make_no_difference():
    rows = ["spring,2026-03-01,ann,1", "spring,2026-03-01,bob,1", "spring,2026-03-01,cat,3"]
    rows += ["autumn,2026-09-01,cat,1", "r 10,2026-06-01,ann,1", "r 2,2026-06-01,ann,1"]
    header = "contest,time,player,rank\n"
    Path("results.csv").write_text(header + "\n".join(rows))
    expected = read("results.csv")
    assert [contest.id for contest in expected] == ["spring", "r 2", "r 10", "autumn"]
    for order in ([5, 4, 3, 2, 1, 0], [3, 0, 5, 1, 4, 2], [2, 4, 0, 3, 5, 1]):
        Path("shuffled.csv").write_text(header + "\n".join(rows[index] for index in order))
        assert read("shuffled.csv") == expected


def refused(contests: Contests, path: str, **options: str) -> str:
    with pytest.raises(PodiumError) as caught:
        write(contests, path, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("column", "value", "what"),
    [
        ("team", "red", "teams"),
        ("side", "home", "sides"),
        ("share", 0.5, "shares"),
        ("margin", 2, "margins"),
        ("ladder", "europe", "ladders"),
        ("time", "2026-03-01T00:00:00.5", "parts of a second"),
    ],
)
@pytest.mark.parametrize("path", ["season", "season.zip"])
def test_contest_files_refuse_what_they_cannot_hold(column, value, what, path):
    contests = Contests.from_records([{**SPRING[0], column: value}])
    assert refused(contests, path) == (
        f"{path}: contest files have no place for {what}; write a table, e.g. .csv or .parquet."
    )
    assert not Path(path).exists()


@pytest.mark.parametrize("path", ["season", "season.zip"])
def test_contest_files_refuse_scores_that_ranks_do_not_say(path):
    ann, bob = SPRING
    drawn = [{**row, "rank": 1, "outcome": 0.5} for row in SPRING]
    write(Contests.from_records(drawn), "drawn.zip")
    scored = Contests.from_records([{**ann, "outcome": 0.7}, {**bob, "outcome": 0.3}])
    assert refused(scored, path) == (
        f"{path}: contest files have no place for scores; write a table, e.g. .csv or .parquet."
    )


@pytest.mark.parametrize("contest", ["a/b", "a\\b", "a\0b", ".hidden", ".."])
def test_a_contest_that_cannot_be_a_file_name_is_refused(contest):
    contests = Contests.from_records([{**SPRING[0], "contest": contest}])
    for path in ("season", "season.zip"):
        assert refused(contests, path).startswith(
            f"{path}: contest {contest!r} cannot be the name of a contest file"
        )
        assert not Path(path).exists()


def test_a_contest_whose_file_name_is_too_long_is_refused():
    contests = Contests.from_records([{**SPRING[0], "contest": "x" * 300}])
    assert refused(contests, "season") == "season: cannot be written (file name too long)."
    assert not Path("season").exists()


def test_a_folder_with_other_contests_is_not_written_to():
    write(Contests.from_records(SPRING), "season")
    summer = Contests.from_records([{**row, "contest": "summer"} for row in SPRING])
    assert refused(summer, "season") == (
        "season/spring.json: is there already, but not one of the contests to write; "
        "remove it or choose another folder."
    )
    both = Contests.concat([Contests.from_records(SPRING), summer])
    write(both, "season")
    assert read("season") == both


def test_an_existing_folder_may_have_any_name():
    Path("season.2026").mkdir()
    contests = Contests.from_records(SPRING)
    write(contests, "season.2026")
    assert read("season.2026") == contests


def test_no_contests_are_refused():
    nothing = Contests.from_records(SPRING)[:0]
    assert refused(nothing, "results.csv") == "results.csv: there are no contests to write."


def test_an_output_folder_that_is_a_file_is_refused():
    Path("file").write_text("")
    contests = Contests.from_records(SPRING)
    assert refused(contests, "file/results.csv").startswith("file/results.csv: cannot be written (")
    assert refused(contests, "file") == ("file: cannot be a folder, because a file has that name.")


def test_a_failed_write_leaves_the_old_file():
    write(Contests.from_records(SPRING), "season.zip")
    refused(Contests.from_records([{**SPRING[0], "contest": "a/b"}]), "season.zip")
    assert read("season.zip") == Contests.from_records(SPRING)
    assert [path.name for path in Path().iterdir()] == ["season.zip"]


def test_one_json_file_and_api_answers_are_not_written():
    contests = Contests.from_records(SPRING)
    assert refused(contests, "spring.json") == (
        "spring.json: contest files are written to a folder (a path without an extension or with a "
        "slash behind) or to a .zip, because each holds one contest."
    )
    assert refused(contests, "season", format="codeforces") == (
        "season: answers of the Codeforces API can be read but not written; "
        "'contest-files' is near to them."
    )
