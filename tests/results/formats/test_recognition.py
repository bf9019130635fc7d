"""The format follows from the name, or from what the caller says."""

from pathlib import Path

import pytest

from podium import Contests, PodiumError
from podium.results.formats import FORMATS, write
from podium.results.reading import read

CONTESTS = Contests.from_records([{"contest": 1, "time": 0, "player": "ann", "rank": 1}])
KNOWN = (
    "csv, tsv, jsonl, parquet, sheets, pgn, json, contest-files, codeforces, ctftime, "
    "ctftime-feed, ctfd, icpc, challonge, startgg, atcoder, table"
)


@pytest.mark.parametrize("path", ["a.pdf", "a", "a.gz", "a.csv.bz2"])
def test_an_unknown_extension_lists_those_that_are_known(refusal, path):
    assert refusal(path, "x") == (
        f"{path}: its name does not tell the format; podium knows .csv, .tsv, .jsonl and .ndjson "
        f"(also with .gz or .zst behind), .parquet, .xlsx, .xlsm, .xlsb, .xls, .ods, .zip, .json, "
        f".pgn and folders, "
        f"or say format= or --format and one of {KNOWN}."
    )


def test_an_unknown_format_suggests_the_nearest(refusal):
    assert refusal("a.txt", "x", format="cvs") == (
        f"a.txt: there is no format 'cvs' among {KNOWN}; did you mean 'csv'?"
    )
    assert refusal("a.txt", "x", format="pdf") == f"a.txt: there is no format 'pdf' among {KNOWN}."
    assert "did you mean 'contest-files'?" in refusal("a.txt", "x", format="contest files")
    Path("folder").mkdir()
    assert "did you mean 'codeforces'?" in refusal("folder", format="Codeforce")


def test_a_named_format_goes_before_the_extension():
    for format in ("csv", "tsv", "jsonl", "parquet"):
        write(CONTESTS, "results.txt", format=format)
        assert read("results.txt", format=format) == CONTESTS
    write(CONTESTS, "results.txt.gz", format="csv")
    assert Path("results.txt.gz").read_bytes().startswith(b"\x1f\x8b")
    assert read("results.txt.gz", format="csv") == CONTESTS


def test_extensions_may_be_in_capitals():
    for path in ("A.CSV", "A.Csv.GZ", "A.PARQUET", "A.ZIP"):
        write(CONTESTS, path)
        assert read(path) == CONTESTS


def test_only_texts_are_compressed(refusal):
    for path in ("a.parquet.gz",):
        assert refusal(path, "x") == (
            f"{path}: {Path(path).suffix} may stand only behind .csv, .tsv, .jsonl or .ndjson."
        )
        with pytest.raises(PodiumError, match="may stand only behind"):
            write(CONTESTS, path)


def test_a_folder_is_not_a_table(refusal):
    Path("season.csv").mkdir()
    assert refusal("season.csv", format="csv") == "season.csv: is a folder, not a csv file."
    assert refusal("season.csv") == (
        "season.csv: holds no contests: no table such as a .csv, no .pgn and no .json file."
    )


def test_all_formats_are_listed():
    assert ", ".join(FORMATS) == KNOWN
