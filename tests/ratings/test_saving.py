"""A folder that is written while contests are rated holds what `Rated.save` writes."""

import errno
import os
from pathlib import Path

import polars as pl
import pytest

import podium
from podium.errors import InputError, StorageError
from podium.ratings import fold
from podium.ratings.fold import Rated, Saving
from podium.ratings.stored import WrittenAlong


@pytest.fixture
def steps(monkeypatch):
    """Few rows at a time, so that there are many parts."""
    monkeypatch.setattr(fold, "_ROWS_PER_STEP", 20)


def season(seed=1):
    return podium.simulate(players=30, rounds=12, newcomers=0.4, ties=0.2, seed=seed)


def saved(folder, contests, *, format="parquet", **how):
    with Saving(folder, format=format) as saving:
        rated = saving.rate(contests, **how)
        return rated, saving.finish()


@pytest.mark.usefixtures("steps")
@pytest.mark.parametrize("format", ["parquet", "csv"])
@pytest.mark.parametrize("system", ["elo-mmr", "topcoder", "elo"])
def test_it_is_what_is_saved_afterwards(tmp_path, format, system):
    rated, names = saved(tmp_path / "along", season(), format=format, system=system)
    plain = podium.rate(season(), system)
    assert names == plain.save(tmp_path / "after", format=format)
    assert names == sorted(each.name for each in (tmp_path / "along").iterdir())
    for name in names:
        along, after = ((tmp_path / folder / name) for folder in ("along", "after"))
        if format == "csv" or not name.endswith(".parquet"):
            assert along.read_bytes() == after.read_bytes()
        else:
            assert pl.read_parquet_schema(along) == pl.read_parquet_schema(after)
            assert pl.read_parquet(along).equals(pl.read_parquet(after))
    assert rated.history.equals(plain.history)
    assert rated.ratings.equals(plain.ratings)
    rated.save(tmp_path / "again")
    assert Rated.load(tmp_path / "again").history.equals(plain.history)


@pytest.mark.usefixtures("steps")
def test_matches_get_the_identifiers_that_they_have_as_a_whole(tmp_path):
    matches = podium.Contests.from_matches(
        pl.DataFrame(
            {
                "time": [0, 0, 0, 1, 1] * 9,
                "player_a": ["ann", "ann", "bob"] * 15,
                "player_b": ["cat", "dan", "eve"] * 15,
                "outcome": [1.0, 0.0, 0.5] * 15,
            }
        )
    )
    rated, _ = saved(tmp_path / "ratings", matches, system="elo")
    assert rated.history.equals(podium.rate(matches, "elo").history)


@pytest.mark.usefixtures("steps")
def test_it_goes_on_from_earlier_beliefs(tmp_path):
    whole = season()
    earlier = podium.rate(whole[:5], "topcoder")
    rated, _ = saved(tmp_path / "ratings", whole[5:], beliefs=earlier.beliefs)
    assert rated.history.equals(podium.rate(whole[5:], beliefs=earlier.beliefs).history)


def test_what_cannot_be_rated_leaves_nothing(tmp_path):
    teams = podium.Contests.from_records(
        {"contest": 1, "time": 0, "player": name, "team": name[0], "rank": rank}
        for name, rank in (("a1", 1), ("a2", 1), ("b1", 3), ("b2", 3))
    )
    with pytest.raises(InputError), Saving(tmp_path / "deep" / "ratings") as saving:
        saving.rate(teams, "elo-mmr")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("steps")
def test_a_failure_in_the_middle_leaves_the_folder_as_it_was(tmp_path):
    podium.rate(season(2)).save(tmp_path / "ratings")
    before = {file: file.read_bytes() for file in (tmp_path / "ratings").iterdir()}

    def stop(done, _total):
        if done > 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Saving(tmp_path / "ratings") as saving:
        saving.rate(season(), progress=stop)
    with pytest.raises(KeyboardInterrupt), Saving(tmp_path / "new" / "ratings") as saving:
        saving.rate(season(), progress=stop)
    assert [each.name for each in tmp_path.iterdir()] == ["ratings"]
    assert {file: file.read_bytes() for file in (tmp_path / "ratings").iterdir()} == before


@pytest.mark.usefixtures("steps")
def test_a_full_disk_is_said_and_leaves_nothing(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("podium.ratings.stored._sink", full)
    with pytest.raises(StorageError, match="no space left on device"):
        saved(tmp_path / "ratings", season())
    assert list(tmp_path.iterdir()) == []


def frame(first):
    return pl.DataFrame({"number": range(first, first + 10)}, {"number": pl.Int64})


@pytest.mark.parametrize("name", ["table.parquet", "table.csv"])
def test_parts_stand_in_the_order_in_which_they_were_added(tmp_path, name):
    path = tmp_path / name
    with WrittenAlong(path, {"number": pl.Int64}, frame) as file:
        for first in range(0, 500, 10):
            file.add(first)
    read = pl.read_csv(path) if path.suffix == ".csv" else pl.read_parquet(path)
    assert read["number"].to_list() == list(range(500))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
def test_whoever_adds_hears_of_a_full_disk():
    with pytest.raises(OSError, match=r"[Nn]o space left"):
        _add_many(Path("/dev/full"), frame)


def test_an_error_while_a_part_is_made_is_that_error(tmp_path):
    def made(first):
        if first > 50:
            raise MemoryError("too much")
        return frame(first)

    with pytest.raises(MemoryError, match="too much"):
        _add_many(tmp_path / "table.parquet", made)


def _add_many(path, made):
    with WrittenAlong(path, {"number": pl.Int64}, made) as file:
        for first in range(0, 100_000, 10):
            file.add(first)
