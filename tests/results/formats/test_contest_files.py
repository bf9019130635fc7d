"""Contest files in the layout of Elo-MMR."""

import io
import json
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest

from podium import Contests
from podium.results.formats import write
from podium.results.reading import read

ROUND: dict[str, Any] = {
    "name": "Round 1",
    "time_seconds": 1266588000,
    "standings": [["ann", 0, 0], ["bob", 1, 2], ["cat", 1, 2], ["dan", 3, 3]],
}


def save(path: str, **changes: Any) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps({**ROUND, **changes}))


def test_a_file_is_a_contest_and_its_name_the_identifier():
    save("cf_0001.json", weight=0.5, perf_ceiling=1800, url="https://example.org/1")
    contests = read("cf_0001.json")
    assert contests[0].id == "cf_0001"
    assert contests[0].standings == [(1, "ann"), (2, "bob"), (2, "cat"), (4, "dan")]
    assert contests[0].weight == 0.5
    assert contests[0].perf_ceiling == 1800.0
    assert str(contests[0].time) == "2010-02-19 14:00:00"
    assert contests.frame()["name"].unique().to_list() == ["Round 1"]


def test_defaults_may_be_left_out_or_null_or_infinite():
    save("a.json")
    expected = read("a.json")
    assert (expected[0].weight, expected[0].perf_ceiling) == (1.0, None)
    save("a.json", weight=None, perf_ceiling=None)
    assert read("a.json") == expected
    save("a.json", weight=1, perf_ceiling=float("inf"))
    assert read("a.json") == expected


def test_a_folder_is_read_with_those_in_it_in_natural_order_and_other_files_are_ignored():
    for number in (10, 9, 1):
        save(f"season/cf_{number}.json")
    save("season/inner/cf_2.json")
    save("season/.cache/old.json")
    Path("season/readme.txt").write_text("not a contest")
    assert [contest.id for contest in read("season")] == ["cf_1", "cf_2", "cf_9", "cf_10"]
    unsorted = read("season", sort=False)
    assert [contest.id for contest in unsorted] == ["cf_1", "cf_9", "cf_10", "cf_2"]


def test_a_zip_holds_the_same_as_a_folder():
    for number in (1, 2):
        save(f"season/cf_{number}.json")
    with zipfile.ZipFile("season.zip", "w") as archive:
        for path in Path("season").iterdir():
            archive.write(path)
        archive.writestr("__MACOSX/season/._cf_1.json", b"\0")
        archive.writestr("season/readme.txt", "not a contest")
    assert read("season.zip") == read("season")


def test_what_is_written_has_the_layout():
    save("in/cf_1.json")
    save("in/cf_2.json", weight=2.0, perf_ceiling=1500.0, name="Größe")
    write(read("in"), "out")
    written = {path.name: json.loads(path.read_text()) for path in Path("out").iterdir()}
    assert written["cf_1.json"] == ROUND
    assert written["cf_2.json"] == ROUND | {"weight": 2.0, "perf_ceiling": 1500.0, "name": "Größe"}


def test_contests_without_a_name_are_written_with_an_empty_one():
    contests = Contests.from_records([{"contest": "a", "time": 0, "player": "ann", "rank": 1}])
    write(contests, "out")
    assert json.loads(Path("out/a.json").read_text())["name"] == ""
    assert read("out") == contests


def test_reranking_takes_only_the_order(refusal):
    save("a.json", standings=[["ann", 2, 4], ["bob", 2, 4], ["cat", 9, 9]])
    assert "say rerank=True" in refusal("a.json")
    assert read("a.json", rerank=True)[0].standings == [(1, "ann"), (1, "bob"), (3, "cat")]


NEITHER = (
    "is neither a contest of Elo-MMR, an answer of Codeforces, CTFtime, CTFd, the ICPC Contest "
    "API, Challonge, start.gg or AtCoder nor a table (a list of objects, or one under 'results'); "
    "it holds"
)


@pytest.mark.parametrize(
    ("contents", "held"),
    [
        ('{"players": 3, "scores": []}', "the keys 'players', 'scores'"),
        ("{}", "no keys"),
        ("[1, 2]", "a list"),
        ("7", "a single value"),
    ],
)
def test_json_of_another_kind(refusal, contents, held):
    assert refusal("a.json", contents) == f"a.json: {NEITHER} {held}."


def test_a_named_layout_is_the_only_one_tried(refusal):
    assert refusal("a.json", '{"status": "OK", "result": []}', format="contest-files") == (
        "a.json: is not an Elo-MMR contest (with 'standings' and 'time_seconds'); "
        "it holds the keys 'status', 'result'."
    )


def test_the_file_in_the_folder_is_named(refusal):
    save("season/cf_1.json")
    Path("season/cf_2.json").write_text('{"name": "x",\n"standings": [')
    assert refusal("season") == "season/cf_2.json, line 2: is not JSON (expecting value)."


@pytest.mark.parametrize("contents", ["", " \n"])
def test_an_empty_file(refusal, contents):
    assert refusal("a.json", contents) == "a.json: is empty."


def test_a_wrong_encoding(refusal):
    assert refusal("a.json", b'{"name": "\xe9"}') == (
        "a.json: is not UTF-8 text; save it as UTF-8."
    )
    assert refusal("a.json", '{"name": "\\ud800", "standings": [], "time_seconds": 0}') == (
        "a.json: holds half of a surrogate pair (\\ud…)."
    )


def test_brackets_without_end(refusal):
    assert refusal("a.json", "[" * 100_000).startswith("a.json: is JSON of more than 64 brackets")
    assert refusal("a.json", "[" * 100_000, unlimited=True).startswith("a.json: is not JSON (")


@pytest.mark.parametrize("name", ["season", "season.zip"])
def test_a_folder_or_zip_without_contests(refusal, name):
    if name == "season":
        Path(name).mkdir()
        Path("season/readme.txt").write_text("not a contest")
    else:
        with zipfile.ZipFile(name, "w") as archive:
            archive.writestr("readme.txt", "not a contest")
    assert refusal(name) == (
        f"{name}: holds no contests: no table such as a .csv, no .pgn and no .json file."
    )


def test_a_broken_zip(refusal):
    save("season/cf_1.json")
    write(read("season"), "season.zip")
    whole = Path("season.zip").read_bytes()
    flipped = bytearray(whole)
    flipped[80] ^= 255
    for damaged in (whole[:-10], bytes(flipped), b"rubbish"):
        assert refusal("season.zip", damaged).startswith(
            "season.zip: is damaged, incomplete or not a .zip file ("
        )


@pytest.mark.parametrize(
    ("standing", "shown"),
    [
        (["bob", 1], "['bob', 1]"),
        (["bob", 1, 1, 1], "['bob', 1, 1, 1]"),
        (["bob", 1.5, 2], "['bob', 1.5, 2]"),
        (["bob", "1", "1"], "['bob', '1', '1']"),
        ([7, 1, 1], "[7, 1, 1]"),
        ("bob", "'bob'"),
        (None, "None"),
        (["bob", 1, 2**80], "['bob', 1, 1208925819614629174706176]"),
    ],
)
def test_a_standing_of_another_kind(refusal, standing, shown):
    save("a.json", standings=[["ann", 0, 0], standing])
    assert refusal("a.json") == (
        f"a.json, standing 2: {shown} is not [player, low, high], a text and two whole numbers."
    )


@pytest.mark.parametrize("standings", [[], None, {"ann": 1}, "ann"])
def test_no_standings(refusal, standings):
    save("a.json", standings=standings)
    assert refusal("a.json") == "a.json: standings is not a list of [player, low, high]."


@pytest.mark.parametrize(("low", "high"), [(2, 1), (-1, 1), (None, 1)])
def test_a_range_that_is_none(refusal, low, high):
    save("a.json", standings=[["ann", 0, 0], ["bob", low, high]])
    assert refusal("a.json", rerank=True) == (
        f"a.json, standing 2: the range {low} to {high} of 'bob' is not one of places from 0 on, "
        f"the lower first."
    )


def test_a_range_that_is_not_as_long_as_its_tie(refusal):
    save("a.json", standings=[["ann", 0, 0], ["bob", 1, 3], ["cat", 1, 3]])
    assert refusal("a.json") == (
        "a.json, standing 2: the range 1 to 3 of 'bob' is one of 3, but 2 start at 1 "
        "(say rerank=True or --rerank to use only the order)."
    )


def test_a_gap_and_a_player_twice_are_found_in_their_file(refusal):
    save("season/a.json")
    save("season/b.json", standings=[["ann", 0, 0], ["bob", 2, 2]])
    assert refusal("season").startswith("season/b.json, standing 2: rank 3 of player 'bob'")
    save("season/b.json", standings=[["ann", 0, 0], ["ann", 1, 1]])
    assert refusal("season").startswith("season/b.json, standing 2: player 'ann' stands twice")


def test_a_contest_in_two_files(refusal):
    save("season/a.json")
    save("season/inner/a.json")
    assert refusal("season") == (
        "season/inner/a.json: contest 'a' is already in season/a.json; "
        "each contest stands in one file."
    )


@pytest.mark.parametrize("time", ["2026-05-01", None, True, 1e300, [5]])
def test_a_time_that_is_none(refusal, time):
    save("a.json", time_seconds=time)
    assert refusal("a.json") == f"a.json: time_seconds {time!r} is not in unix seconds."


def test_other_values_of_another_kind(refusal):
    save("a.json", weight="heavy")
    assert refusal("a.json") == "a.json: weight 'heavy' is not a number."
    save("a.json", weight=-1)
    assert refusal("a.json") == (
        "a.json, standing 1: weight -1.0 is not a number from 0.0001 to 10,000."
    )
    save("a.json", name=7)
    assert refusal("a.json") == "a.json: name 7 is not a text."


def test_columns_cannot_be_mapped(refusal):
    save("a.json")
    assert refusal("a.json", columns={"player": "handle"}) == (
        "a.json: columns= or --columns is for tables; the keys of JSON files are fixed."
    )


def zip_with(name: str, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        archive.writestr(name, '{"time_seconds": 0, "standings": [["ann", 0, 0]]}')
    return target.getvalue()


def flagged(data: bytes, place: int, value: int) -> bytes:
    """With a byte of the directory set, counted from the start of its entry."""
    at = data.rfind(b"PK\x01\x02") + place
    return data[:at] + bytes([value]) + data[at + 1 :]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (zip_with("é.json").replace(b"\xc3\xa9", b"\xc3\xff"), "'utf-8' codec can't decode"),
        (flagged(zip_with("a.json"), 10, 97), "That compression method is not supported"),
        (flagged(zip_with("a.json"), 16, 0), "Bad CRC-32 for file 'a.json'"),
        (
            zip_with("a.json", zipfile.ZIP_LZMA).replace(b"\x05\x00\x5d", b"\x05\x00\xff"),
            "Invalid or unsupported options",
        ),
    ],
)
def test_a_zip_whose_entries_cannot_be_read(refusal, data, why):
    said = refusal("a.zip", data)
    assert said.startswith(f"a.zip: is damaged, incomplete or not a .zip file ({why}"), said


def test_an_entry_that_is_encrypted(refusal):
    assert refusal("a.zip", flagged(zip_with("a.json"), 8, 1)) == (
        "a.zip/a.json: is encrypted; unpack the archive first."
    )


def test_entries_of_a_zip_with_odd_names(refusal):
    Path("a.zip").write_bytes(zip_with("/etc/x.json"))
    assert read("a.zip")[0].id == "x"
    bad = zip_with("two\nlines.json").replace(b"\nlines.json", b"\nlines.JSON")
    Path("b.zip").write_bytes(bad)
    assert read("b.zip")[0].id == "two\nlines"
    with zipfile.ZipFile("c.zip", "w") as archive:
        archive.writestr("a\x1b\n.json", "{}")
    assert refusal("c.zip").startswith("c.zip/a\\x1b .json: is neither")


def test_an_entry_that_stands_twice_in_a_zip(refusal):
    with zipfile.ZipFile("a.zip", "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for time in (0, 86_400):
            contest = {"time_seconds": time, "standings": [["ann", 0, 0]]}
            archive.writestr("a.json", json.dumps(contest))
    assert refusal("a.zip") == (
        "a.zip/a.json: contest 'a' is already in a.zip/a.json; each contest stands in one file."
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32-le"])
@pytest.mark.parametrize("half", ["\\ud800", "\\uDFFF"])
def test_half_of_a_surrogate_pair_in_any_encoding(refusal, encoding, half):
    contest = f'{{"time_seconds": 0, "standings": [["{half}", 0, 0]]}}'
    assert refusal("a.json", contest.encode(encoding)) == (
        "a.json: holds half of a surrogate pair (\\ud…)."
    )
    raw = contest.replace(half, "\ud800").encode(encoding, "surrogatepass")
    assert refusal("a.json", raw) == "a.json: is not UTF-8 text; save it as UTF-8."
