"""The real results that lie beside the project, where they do."""

from pathlib import Path

import pytest

from podium import Contests, PodiumError
from podium.results.formats import write
from podium.results.reading import read

ALL = ["a.csv", "a.tsv.gz", "a.csv.zst", "a.jsonl", "a.jsonl.zst", "a.parquet"]


@pytest.fixture
def data(shared: Path) -> Path:
    return shared / "data"


def test_football_is_a_match_list_with_sides(data):
    contests = read(data / "football.parquet")
    assert len(contests) == 49_520
    assert contests[0].standings == [(1, "England"), (1, "Scotland")]
    assert contests.columns.side is not None
    assert contests.columns.side[:2].tolist() == [-1, 1]
    write(contests[:500], "football.csv")
    assert read("football.csv") == contests[:500]


def test_formula_one_needs_its_ranks_derived_anew(data):
    with pytest.raises(PodiumError, match=r"f1\.parquet, row .*rerank=True"):
        read(data / "f1.parquet")
    contests = read(data / "f1.parquet", rerank=True)
    assert contests.rows == 26_225
    write(contests[-50:], "f1.jsonl.gz")
    assert read("f1.jsonl.gz") == contests[-50:]


@pytest.mark.parametrize("name", [*ALL, "season", "season.zip"])
def test_codeforces_goes_through_every_format(data, name):
    contests = some_of_codeforces(data)
    write(contests, name)
    assert read(name) == contests


def some_of_codeforces(data: Path) -> Contests:
    contests = read(data / "codeforces.parquet").between("2010-06-01", "2010-08-01")
    assert len(contests) > 5
    return contests
