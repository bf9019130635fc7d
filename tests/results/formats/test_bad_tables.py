"""Every bad table is refused in one sentence that says where, what, and what would be right."""

import gzip
from pathlib import Path

import polars as pl
import pytest

from podium import Contests, InputError
from podium.results.formats import write
from podium.results.reading import read, read_standings
from podium.results.times import to_microseconds

HEADER = "contest,time,player,rank\n"
ANN = "cup,2026-05-01,ann,1\n"
BOB = "cup,2026-05-01,bob,2\n"
OBJECT = '{"contest": "cup", "time": "2026-05-01", "player": "ann", "rank": 1}\n'


def test_a_missing_file(refusal):
    assert refusal("results.csv") == "results.csv: there is no such file or folder."
    assert refusal("results") == "results: there is no such file or folder."


@pytest.mark.parametrize("extension", ["csv", "tsv", "jsonl", "parquet", "csv.gz", "csv.zst"])
def test_an_empty_file(refusal, extension):
    path = f"results.{extension}"
    assert refusal(path, "") == f"{path}: is empty."


@pytest.mark.parametrize("extension", ["csv", "tsv", "jsonl"])
def test_a_file_of_blank_lines(refusal, extension):
    path = f"results.{extension}"
    assert refusal(path, "\n\n") == f"{path}: is empty."
    assert refusal(f"{path}.gz", gzip.compress(b"\n\n")) == f"{path}.gz: is empty."


def test_a_file_with_only_a_header(refusal):
    expected = "results.csv: there are no results: the table has no rows."
    assert refusal("results.csv", HEADER) == expected
    assert refusal("results.csv", HEADER + "\n,,,\n") == expected


@pytest.mark.parametrize("extension", ["csv", "jsonl", "parquet"])
def test_a_missing_column_lists_those_that_are_there(refusal, extension):
    path = f"results.{extension}"
    frame = pl.DataFrame({"contest": ["cup"], "time": [0], "whom": ["ann"], "rank": [1]})
    {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}[
        extension
    ](path)
    assert refusal(path).startswith(
        f"{path}: there is no column 'player' among 'contest', 'time', 'whom', 'rank'; "
    )
    assert refusal(path, columns={"player": "nick"}) == (
        f"{path}: there is no column 'nick' to take as 'player'; "
        f"the columns are 'contest', 'time', 'whom', 'rank'."
    )


def test_a_column_that_podium_does_not_know_cannot_be_mapped(refusal):
    assert refusal("results.csv", HEADER + ANN, columns={"nick": "player"}).startswith(
        "results.csv: there is no column 'nick' to map; podium's are 'contest', 'time', 'player'"
    )


def test_a_column_that_stands_twice(refusal):
    contents = "contest,time,player,player,rank\ncup,2026-05-01,ann,bob,1\n"
    assert refusal("results.csv", contents) == (
        "results.csv: the header has 'player' twice; every column needs its own name."
    )


@pytest.mark.parametrize("score", ["-inf", "inf", "many"])
def test_a_score_that_is_not_a_finite_number(refusal, score):
    contents = f"contest,time,player,score\ncup,2026-05-01,ann,7.5\ncup,2026-05-01,bob,{score}\n"
    assert refusal("results.csv", contents) == (
        f"results.csv, line 3: score '{score}' is not a finite number."
    )


@pytest.mark.parametrize("rank", ["0", "-1", "1.5", "first"])
def test_a_rank_that_is_not_a_whole_number_from_one_on(refusal, rank):
    contents = HEADER + ANN + f"cup,2026-05-01,bob,{rank}\n"
    assert refusal("results.csv", contents) == (
        f"results.csv, line 3: rank '{rank}' is not a whole number from 1 on."
    )


@pytest.mark.parametrize(
    ("row", "column"),
    [
        (",2026-05-01,bob,2", "contest"),
        ("cup,,bob,2", "time"),
        ("cup,2026-05-01,,2", "player"),
    ],
)
def test_a_missing_value(refusal, row, column):
    assert refusal("results.csv", HEADER + ANN + row) == (
        f"results.csv, line 3: {column} is missing."
    )


@pytest.mark.parametrize(
    "row", ["cup,2026-05-01,bob,", "cup,2026-05-01,bob", "cup,2026-05-01,bob,-"]
)
def test_a_missing_rank_names_the_player_and_the_option(refusal, row):
    assert refusal("results.csv", HEADER + ANN + row) == (
        "results.csv, line 3: rank is missing for player 'bob'; say unfinished='last' to put those "
        "who started behind all others, tied, or unfinished='drop' to leave them out "
        "(--unfinished last, --unfinished drop)."
    )


def test_a_player_twice_in_a_contest(refusal):
    assert refusal("results.csv", HEADER + ANN + BOB + ANN.replace("1\n", "3\n")) == (
        "results.csv, line 4: player 'ann' stands twice in contest 'cup'; "
        "each player has one result."
    )


def test_a_gap_in_the_ranks(refusal):
    contents = HEADER + ANN + BOB.replace(",2\n", ",3\n")
    assert refusal("results.csv", contents) == (
        "results.csv, line 3: rank 3 of player 'bob' in contest 'cup' cannot be, because 1 is "
        "ahead: it should be 2 (say rerank=True or --rerank to use only the order of the ranks)."
    )
    assert read("results.csv", rerank=True)[0].standings == [(1, "ann"), (2, "bob")]


def test_two_times_in_a_contest(refusal):
    assert refusal("results.csv", HEADER + ANN + BOB.replace("05-01", "05-02")) == (
        "results.csv, line 3: contest 'cup' has two times, 2026-05-01 and 2026-05-02; each contest "
        "needs a name of its own (columns={'contest': NAME} or --columns contest=NAME)."
    )


def test_a_time_that_is_none(refusal):
    assert refusal("results.csv", HEADER + ANN.replace("2026-05-01", "yesterday")) == (
        "results.csv, line 2: time 'yesterday' is not a date (2026-05-01), "
        "a datetime (2026-05-01T18:30:00) or unix seconds."
    )


def test_times_that_go_back_when_they_are_not_to_be_sorted(refusal):
    contents = HEADER + ANN + "old,2025-05-01,ann,1\n"
    assert refusal("results.csv", contents, sort=False) == (
        "results.csv, line 3: time goes back from 2026-05-01 00:00:00 to 2025-05-01 00:00:00; "
        "without sort=False or --keep-order, they are sorted."
    )
    assert [contest.id for contest in read("results.csv")] == ["old", "cup"]


@pytest.mark.parametrize("outcome", ["1.5", "-0.1", "NaN", "lost"])
def test_an_outcome_that_is_none(refusal, outcome):
    contents = f"time,player_a,player_b,outcome\n2026-05-01,ann,bob,1\n2026-05-02,b,c,{outcome}\n"
    assert refusal("matches.csv", contents) == (
        f"matches.csv, line 3: outcome '{outcome}' is not a number from 0 (b won) to 1 (a won), "
        f"0.5 being a draw."
    )


def test_outcomes_of_two_players_that_do_not_sum_to_one(refusal):
    contents = "contest,time,player,outcome\ncup,2026-05-01,ann,0.7\ncup,2026-05-01,bob,0.2\n"
    assert refusal("results.csv", contents) == (
        "results.csv, line 2: the outcomes of contest 'cup' are '0.7' for 'ann' and '0.2' for "
        "'bob', but they must sum to 1 and agree with the ranks."
    )


def test_rows_of_parquet_and_lines_of_json_are_named(refusal):
    frame = pl.DataFrame(
        {"contest": ["cup"] * 2, "time": [0] * 2, "player": ["ann", "bob"], "rank": [1, 0]}
    )
    frame.write_parquet("results.parquet")
    assert refusal("results.parquet") == (
        "results.parquet, row 2: rank 0 is not a whole number from 1 on."
    )
    contents = OBJECT + "\n" + OBJECT.replace('"rank": 1', '"rank": 0')
    assert refusal("results.jsonl", contents) == (
        "results.jsonl, line 3: rank 0 is not a whole number from 1 on."
    )


def test_lines_are_counted_as_an_editor_counts_them(refusal):
    rows = [
        '"two\nlines",2026-05-01,"a ""quoted""\r\nname",1\n',
        "\n",
        ",,,\n",
        "cup,2026-05-01,bob,x",
    ]
    expected = "line 8: rank 'x' is not a whole number from 1 on."
    contents = "\n" + HEADER + "".join(rows)
    assert refusal("results.csv", contents) == f"results.csv, {expected}"
    compressed = gzip.compress(contents.encode())
    assert refusal("results.csv.gz", compressed) == f"results.csv.gz, {expected}"


@pytest.mark.parametrize("kept", [0.3, 0.9, 0.999])
def test_a_truncated_parquet_file(refusal, kept):
    write(
        Contests.from_records([{"contest": 1, "time": 0, "player": "ann", "rank": 1}]), "a.parquet"
    )
    whole = Path("a.parquet").read_bytes()
    assert refusal("a.parquet", whole[: int(len(whole) * kept)]).startswith(
        "a.parquet: is damaged, incomplete or not a Parquet file ("
    )


RUBBISH = bytes(range(256)) * 8
NOT_UTF8 = "is not UTF-8 text; save it as UTF-8, or say encoding=NAME or --encoding NAME."


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("a.csv", f"a.csv, line 1: {NOT_UTF8}"),
        ("a.jsonl", f"a.jsonl, line 1: {NOT_UTF8}"),
        ("a.csv.gz", "a.csv.gz: is not compressed with gzip, as its name says."),
        ("a.csv.zst", "a.csv.zst: is not compressed with zstd, as its name says."),
    ],
)
def test_binary_rubbish(refusal, path, sentence):
    assert refusal(path, RUBBISH[200:]) == sentence


def test_binary_rubbish_as_parquet(refusal):
    assert refusal("a.parquet", RUBBISH).startswith(
        "a.parquet: is damaged, incomplete or not a Parquet file ("
    )


@pytest.mark.parametrize("name", ["a.csv.gz", "a.jsonl.gz", "a.csv.zst", "a.jsonl.zst"])
def test_truncated_compression(refusal, name):
    rows = [{"contest": n, "time": n, "player": "ann", "rank": 1} for n in range(100)]
    write(Contests.from_records(rows), name)
    whole = Path(name).read_bytes()
    assert refusal(name, whole[: len(whole) // 2]).startswith(f"{name}: is damaged (")


@pytest.mark.parametrize("compress", [lambda data: data, gzip.compress])
def test_a_wrong_encoding(refusal, compress):
    name = "a.csv" if compress(b"x") == b"x" else "a.csv.gz"
    body = (HEADER + ANN + "cup,2026-05-01,jos\x81,2\n").encode("latin-1")
    assert refusal(name, compress(body)) == f"{name}, line 3: {NOT_UTF8}"
    head = "contest,time,player,rank,a\x81\ncup,2026-05-01,ann,1,2026\n".encode("latin-1")
    assert refusal(name, compress(head)) == f"{name}, line 1: {NOT_UTF8}"
    both = (HEADER + ANN + "cup,2026-05-01,josé,2\n").encode() + b"cup,2026-05-01,jos\xe9,3\n"
    assert refusal(name, compress(both)) == f"{name}, line 4: {NOT_UTF8}"
    broken = (HEADER + ANN).encode("utf-16") + b"\xd8"
    assert "is not UTF-16LE text" in refusal(name, compress(broken))


@pytest.mark.parametrize(("separator", "name"), [(",", "comma"), ("\t", "tab")])
def test_a_row_with_too_many_values(refusal, separator, name):
    path = {",": "a.csv", "\t": "a.tsv"}[separator]
    contents = HEADER + ANN + "cup,2026-05-01,Smith, John,2\n"
    assert refusal(path, contents.replace(",", separator)) == (
        f"{path}, line 3: there are 5 values for 4 columns; "
        f"a value with a {name} in it must be in quotes."
    )


def test_too_many_values_are_refused_even_if_columns_are_left_out(refusal):
    contents = "contest,time,player,rank,note\n" + "cup,2026-05-01,ann,1,so,so\n"
    assert refusal("a.csv", contents).startswith("a.csv, line 2: there are 6 values for 5 columns")


def test_a_quote_that_does_not_end(refusal):
    assert refusal("a.csv", HEADER + ANN + 'cup,2026-05-01,"bob,2\n' + ANN) == (
        "a.csv, line 3: the quotes do not match."
    )


@pytest.mark.parametrize(
    "line", ['{"contest": "cup", ', "[1, 2]", "7", '{"contest": NaN}', OBJECT.strip() * 2, "oops"]
)
def test_a_line_that_is_not_one_json_object(refusal, line):
    assert refusal("a.jsonl", OBJECT + "\n" + line + "\n" + OBJECT) == (
        "a.jsonl, line 3: is not one JSON object in curly brackets; every line holds one result."
    )


def test_values_that_make_no_column(refusal):
    assert refusal("a.jsonl", OBJECT.replace('"ann"', '["ann"]')) == (
        "a.jsonl: column 'player' holds List(String); numbers, texts or times are needed."
    )
    assert refusal("a.jsonl", OBJECT + OBJECT.replace('"rank": 1', '"rank": true')).startswith(
        "a.jsonl: cannot be read as a table ("
    )


def test_a_file_that_may_not_be_read(refusal, monkeypatch):
    def denied(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", denied)
    assert refusal("a.csv", HEADER + ANN) == "a.csv: cannot be read (permission denied)."


@pytest.mark.parametrize("extension", ["csv", "tsv", "jsonl", "parquet"])
@pytest.mark.parametrize("ladder", [None, ""])
def test_a_missing_ladder(refusal, extension, ladder):
    path = f"results.{extension}"
    rows = {"contest": ["cup", "cup"], "time": [0, 0], "player": ["ann", "bob"], "rank": [1, 2]}
    frame = pl.DataFrame({**rows, "ladder": ["europe", ladder]})
    if extension in ("csv", "tsv"):
        frame.write_csv(path, separator="," if extension == "csv" else "\t")
    else:
        {"jsonl": frame.write_ndjson, "parquet": frame.write_parquet}[extension](path)
    place = {"jsonl": "line 2", "parquet": "row 2"}.get(extension, "line 3")
    assert refusal(path) == (
        f"{path}, {place}: ladder is missing; every contest needs one, or the column is left out."
    )


def test_a_wrong_ladder_in_one_row_leaves_a_gap_that_is_named(refusal):
    contents = "ladder,contest,time,player,rank\neu,cup,2026-05-01,ann,1\nue,cup,2026-05-01,bob,2\n"
    assert refusal("results.csv", contents).startswith(
        "results.csv, line 3: rank 2 of player 'bob' in contest 'cup' of ladder 'ue' cannot be, "
        "because none are ahead: it should be 1"
    )


FAR = "2999-01-01"


def test_a_time_that_only_a_wrong_clock_says_is_refused_unless_it_is_asked_for(refusal):
    contents = HEADER + ANN + f"late,{FAR},ann,1\n"
    assert refusal("results.csv", contents) == (
        "results.csv, line 3: contest 'late' is at 2999-01-01 00:00:00, more than two years from "
        "now; if that is meant, say future=True or --future."
    )
    assert read("results.csv", future=True)[1].time.year == 2999
    matches = f"time,player_a,player_b,outcome\n{FAR},ann,bob,1\n"
    assert refusal("matches.csv", matches).startswith(
        "matches.csv, line 2: contest '2999-01-01 ann - bob' is at 2999"
    )
    assert read("matches.csv", future=True)[0].time.year == 2999
    for make in (Contests.from_frame, Contests.from_matches):
        frame = pl.DataFrame({"time": [FAR], "player_a": "a", "player_b": "b", "outcome": 1})
        with pytest.raises(InputError, match=r"row 0: contest .* more than two years from now"):
            make(frame)
        assert make(frame, future=True)[0].time.year == 2999


def test_standings_to_predict_may_be_of_any_future_time():
    Path("now.csv").write_text("time,player\n2999-01-01,ann\n")
    assert read_standings("now.csv")[0].time.year == 2999


def test_a_value_of_megabytes_is_not_mistaken_for_quotes_that_do_not_match(refusal):
    long = f"cup,2026-05-01,{'x' * 200_000},2,3\n"
    assert refusal("a.csv", HEADER + ANN + long).startswith("a.csv: cannot be read as a table (")
    wrong = HEADER + f"note,2026-05-01,{'x' * 200_000},1\n" + "cup,2026-05-01,ann,0\n"
    assert refusal("a.csv", wrong, unlimited=True) == (
        "a.csv, row 2: rank '0' is not a whole number from 1 on."
    )


@pytest.mark.parametrize("kind", [MemoryError, pl.exceptions.PanicException])
def test_a_reader_that_gives_up_is_a_sentence(refusal, monkeypatch, kind):
    def gives_up(*_, **__):
        raise kind("no more")

    monkeypatch.setattr(pl, "read_csv", gives_up)
    assert (
        refusal("a.csv", HEADER + ANN)
        == {
            MemoryError: "a.csv: needs more memory than there is.",
            pl.exceptions.PanicException: "a.csv: cannot be used (no more).",
        }[kind]
    )


BEYOND = {
    "date": pl.Series([2**31 - 1], dtype=pl.Int32).cast(pl.Date),
    "the first day of year 10000": pl.Series([2_932_897], dtype=pl.Int32).cast(pl.Date),
    "the last day of year 0": pl.Series([-719_163], dtype=pl.Int32).cast(pl.Date),
    **{
        f"{unit} {zone}": pl.Series([2**62]).cast(pl.Datetime(unit, zone))
        for unit in ("ms", "us")
        for zone in (None, "UTC", "Asia/Tokyo")
    },
}


@pytest.mark.parametrize("which", BEYOND)
@pytest.mark.parametrize("column", ["time", "contest", "player", "name", "ladder", "team", "rank"])
def test_a_date_beyond_all_calendars_in_any_column(refusal, capfd, which, column):
    row = {"contest": "cup", "time": 0, "player": "ann", "rank": 1}
    frame = pl.DataFrame(row).with_columns(BEYOND[which].alias(column))
    frame.write_parquet("a.parquet")
    number = BEYOND[which].to_physical()[0]
    assert refusal("a.parquet").startswith(f"a.parquet, row 1: {column} {number} is ")
    with pytest.raises(InputError, match=f"^row 0: {column} {number} is "):
        Contests.from_frame(frame)
    assert "panic" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "dtype",
    [pl.Date, *(pl.Datetime(unit, zone) for unit in ("ms", "us", "ns") for zone in (None, "UTC"))],
)
def test_dates_at_both_ends_of_the_calendar_are_read(dtype):
    first, last = (
        ("1677-09-22", "2262-04-11") if "ns" in str(dtype) else ("0001-01-01", "9999-12-31")
    )
    times = pl.Series([first, last]).str.to_datetime(time_unit="us").cast(pl.Datetime("us"))
    column = times.dt.replace_time_zone("UTC") if "UTC" in str(dtype) else times
    frame = pl.DataFrame({"contest": ["a", "b"], "player": "ann", "rank": 1})
    contests = Contests.from_frame(frame.with_columns(time=column.cast(dtype)), future=True)
    assert [f"{contest.time:%Y-%m-%d}".zfill(10) for contest in contests] == [first, last]


def test_numbers_with_a_decimal_point_of_their_own_are_numbers():
    row = {"contest": "cup", "time": 0, "player": "ann", "rank": "1.000", "weight": "0.500"}
    frame = pl.DataFrame(row).with_columns(pl.col("rank", "weight").cast(pl.Decimal(10, 3)))
    assert Contests.from_frame(frame)[0].weight == 0.5


def test_a_name_that_is_no_text_becomes_one():
    row = {"contest": 1, "time": 0, "player": "ann", "rank": 1}
    for name, text in ((7, "7"), (0.5, "0.5"), (True, "true")):
        Path("a.jsonl").write_text(pl.DataFrame(row | {"name": name}).write_ndjson())
        assert read("a.jsonl")[0].name == text


def test_a_number_of_thousands_of_digits_is_no_time(refusal):
    with pytest.raises(InputError, match="inf is not a time"):
        to_microseconds(10**5000)
    contest = '{"time_seconds": %s, "standings": [["ann", 0, 0]]}'
    for digits in (400, 5000):
        assert len(refusal("a.json", contest % ("9" * digits))) < 2_000
        weighty = (contest % 0).replace("{", '{"weight": %s,' % ("9" * digits))
        assert refusal("a.json", weighty).startswith("a.json: ")
