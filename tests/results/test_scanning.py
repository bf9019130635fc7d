"""What is read piece by piece is what is read at once, to the bit."""

import datetime
import gzip
import itertools
import tempfile

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium.results import scanning
from podium.results.understanding import Understanding, Understood

ROW = scanning._PER_ROW
"""Bytes of `memory` that stand for a row."""


def long_results(rng, contests, moments, players=12):
    """Contests of two to six players at few moments."""
    rows = []
    for number in range(contests):
        time = datetime.datetime(2026, 1, 1) + datetime.timedelta(hours=int(rng.integers(moments)))
        field = rng.permutation(players)[: rng.integers(2, 7)]
        rows += [
            {"contest": f"c {number}", "time": time, "player": f"p{who}", "rank": rank + 1}
            for rank, who in enumerate(field)
        ]
    return pl.DataFrame(rows)


def matches(rng, count, moments, players=12):
    first = rng.integers(players, size=count)
    second = (first + rng.integers(1, players, size=count)) % players
    times = np.sort(rng.integers(moments, size=count)) * 3_600_000_000
    return pl.DataFrame(
        {
            "time": pl.Series(times).cast(pl.Datetime("us")),
            "player_a": [f"p{who}" for who in first],
            "player_b": [f"p{who}" for who in second],
            "outcome": rng.choice([0.0, 0.5, 1.0], size=count),
        }
    )


def assert_same(scan, whole, folder=None, system="elo-mmr"):
    """The pieces are in order, and everything that is rated and written is that of one run."""
    pieces = list(scan)
    for piece, following in itertools.pairwise(pieces):
        assert piece.columns.time[-1] < following.columns.time[0]
    assert pl.concat([piece.frame() for piece in pieces]).equals(whole.frame())
    assert scan.rows == whole.rows
    rated, expected = podium.rate(scan, system), podium.rate(whole, system)
    assert rated.history.equals(expected.history)
    assert rated.ratings.equals(expected.ratings)
    if folder is not None:
        for kind in ("parquet", "csv"):
            podium.rate(scan, system).save(folder / "streamed", format=kind)
            expected.save(folder / "whole", format=kind)
            for name in ("beliefs.npz", "about.json", "ratings.csv", "history.csv"):
                if (folder / "whole" / name).exists():
                    ours, theirs = (folder / each / name for each in ("streamed", "whole"))
                    assert ours.read_bytes() == theirs.read_bytes(), name
        podium.rate(scan, system).save(folder / "streamed")
        kept = pl.read_parquet(folder / "streamed" / "history.parquet")
        assert kept.equals(expected.history)


@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(1, 40),
    st.integers(1, 30),
    st.integers(1, 200),
    st.integers(1, 4),
    st.booleans(),
    st.sampled_from(["parquet", "csv", "jsonl", "csv.gz"]),
)
def test_pieces_of_any_size_are_what_is_read_at_once(
    seed, count, moments, size, files, shuffled, kind
):
    rng = np.random.default_rng(seed)
    frame = long_results(rng, count, moments)
    if not shuffled:
        frame = frame.sort("time", maintain_order=True)
    names = frame["contest"].unique(maintain_order=True)
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, part in enumerate(np.array_split(np.arange(len(names)), files)):
            if len(part):
                paths.append(f"{folder}/{number}.{kind}")
                own = frame.filter(pl.col("contest").is_in(names[part].to_list()))
                if shuffled:
                    own = own.sample(fraction=1, shuffle=True, seed=seed % 1000)
                write(own, paths[-1])
        assert_same(podium.scan(paths, memory=size * ROW), podium.read(paths))


def write(frame, path):
    if path.endswith("parquet"):
        frame.write_parquet(path, row_group_size=7)
    elif path.endswith("jsonl"):
        frame.with_columns(pl.col("time").dt.to_string("iso:strict")).write_ndjson(path)
    else:
        text = frame.with_columns(pl.col("time").dt.to_string("iso:strict")).write_csv()
        with gzip.open(path, "wt") if path.endswith("gz") else open(path, "w") as file:
            file.write(text)


@pytest.mark.parametrize("size", [12, 10_000])
@pytest.mark.parametrize("order", ["in time", "backwards", "at random"])
def test_matches_without_identifiers_are_called_as_in_one_run(tmp_path, size, order):
    rng = np.random.default_rng(3)
    frame = matches(rng, 300, 60)
    days = frame.with_columns(pl.col("time").dt.truncate("1d"))
    frame = pl.concat([days.head(100).sort("time"), frame.tail(200)])
    rows = {"in time": np.arange(300), "backwards": np.arange(299, -1, -1)}
    frame = frame[rows.get(order, rng.permutation(300))]
    path = tmp_path / "matches.parquet"
    frame.write_parquet(path, row_group_size=20)
    assert_same(podium.scan(path, memory=size * ROW), podium.read(path), tmp_path, "elo")


def test_tables_of_different_kinds_stream_together(tmp_path):
    rng = np.random.default_rng(4)
    long_results(rng, 40, 50).write_csv(tmp_path / "a.csv")
    matches(rng, 80, 50).write_parquet(tmp_path / "b.parquet")
    paths = [tmp_path / "a.csv", tmp_path / "b.parquet"]
    for size in (20,):
        assert_same(podium.scan(paths, memory=size * ROW), podium.read(paths), tmp_path)


def test_going_on_from_beliefs_is_one_run(tmp_path):
    frame = long_results(np.random.default_rng(5), 60, 300)
    frame = frame.sort("time")
    path = tmp_path / "results.parquet"
    frame.write_parquet(path)
    whole = podium.read(path)
    first = podium.rate(whole[:30], "elo-mmr")
    whole[30:].write(tmp_path / "later.csv")
    later = podium.scan(tmp_path / "later.csv", memory=20 * ROW)
    rated = podium.rate(later, beliefs=first.beliefs)
    assert rated.ratings.equals(podium.rate(whole, "elo-mmr").ratings)
    assert rated.beliefs.rounds == 60


def test_an_identifier_at_two_times_is_refused_however_far_apart(tmp_path):
    frame = long_results(np.random.default_rng(6), 50, 400).sort("time", maintain_order=True)
    last = frame["contest"][-1]
    again = frame.with_columns(pl.col("contest").replace(last, frame["contest"][0]))
    path = tmp_path / "results.parquet"
    again.write_parquet(path)
    with pytest.raises(podium.InputError, match=r"'c .*' has two times"):
        podium.read(path)
    with pytest.raises(podium.InputError, match=r"'c .*' has two times"):
        list(podium.scan(path, memory=10 * ROW))


def test_what_is_wrong_is_said_of_its_file_and_line(tmp_path):
    frame = long_results(np.random.default_rng(7), 60, 100).sort("time", maintain_order=True)
    frame = frame.with_columns(pl.col("rank").replace(1, 9))
    for kind in ("csv", "csv.gz", "jsonl", "parquet"):
        path = tmp_path / f"results.{kind}"
        wrong = (
            frame.with_row_index()
            .with_columns(
                rank=pl.when(pl.col("index") == 150)
                .then(99)
                .otherwise(pl.col("rank").replace(9, 1))
            )
            .drop("index")
        )
        write(wrong, str(path))
        with pytest.raises(podium.InputError) as whole:
            podium.read(path)
        with pytest.raises(podium.InputError) as piece:
            list(podium.scan(path, memory=20 * ROW))
        assert str(piece.value) == str(whole.value)


def test_no_temporary_files_stay(tmp_path, monkeypatch):
    held = tmp_path / "held"
    held.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(held))
    path = tmp_path / "results.csv"
    frame = long_results(np.random.default_rng(8), 60, 100)
    write(frame, str(path))
    pieces = iter(podium.scan(path, memory=20 * ROW))
    next(pieces)
    assert list(held.iterdir())
    pieces.close()
    assert not list(held.iterdir())
    rated = podium.rate(podium.scan(path, memory=20 * ROW))
    rated.history  # noqa: B018
    del rated
    assert not list(held.iterdir())


def test_the_order_of_the_file_is_kept_if_asked_for(tmp_path):
    frame = long_results(np.random.default_rng(9), 60, 10).sort("time", maintain_order=True)
    path = tmp_path / "results.parquet"
    frame.write_parquet(path)
    assert_same(podium.scan(path, memory=9 * ROW, sort=False), podium.read(path, sort=False))
    frame.reverse().write_parquet(path)
    with pytest.raises(podium.InputError, match="time goes back"):
        list(podium.scan(path, memory=9 * ROW, sort=False))


def test_dates_that_a_later_piece_reads_otherwise_are_refused(tmp_path):
    path = tmp_path / "results.csv"
    days = [f"{day:02}/01/2026" for day in range(13, 29)] * 20
    rows = "".join(f"c{n},{day},ann,1\n" for n, day in enumerate(days))
    path.write_text("contest,time,player,rank\n" + rows)
    assert_same(podium.scan(path, memory=10 * ROW), podium.read(path))
    american = "".join(f"d{n},01/{day},ann,1\n" for n, day in enumerate(["28/2026"] * 400))
    path.write_text("contest,time,player,rank\n" + rows + american)
    with pytest.raises(podium.InputError) as refused:
        list(podium.scan(path, memory=10 * ROW))
    assert str(path) in str(refused.value)
    assert "time" in str(refused.value)


def test_pieces_that_were_understood_in_two_ways_are_refused_with_the_option():
    first, other = (
        Understanding(columns=[Understood("time", "Datum", how)])
        for how in ("dates, day first", "dates, month first")
    )
    with pytest.raises(podium.InputError) as refused:
        scanning._refuse_other_ways(first, other)
    assert str(refused.value) == (
        "column 'Datum' is read in two ways (dates, day first, then dates, month first); say "
        "dates= or --dates, or decimal= or --decimal."
    )


def test_memory_is_a_number_of_bytes(tmp_path):
    with pytest.raises(podium.InputError, match="memory is a number of bytes"):
        podium.scan(tmp_path, memory=0)


@pytest.mark.parametrize("above", ["Club season\n", "sep=;\n", "Results, 2026\n\n# all of them\n"])
def test_what_stands_above_the_header_is_no_part_of_any_piece(tmp_path, above):
    path = tmp_path / "results.csv"
    rows = [f"c{n // 4};2026-01-{1 + n // 40:02};p{n % 4};{1 + n % 4}\n" for n in range(800)]
    path.write_text(above + "contest;time;player;rank\n" + "".join(rows))
    assert_same(podium.scan(path, memory=10 * ROW), podium.read(path))
    path.write_text(path.read_text() + "c200;2026-02-30;ann;1\n")
    with pytest.raises(podium.InputError) as refused:
        list(podium.scan(path, memory=10 * ROW))
    assert f"line {len(path.read_text().splitlines())}" in str(refused.value)
