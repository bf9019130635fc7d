"""A file of strangers is refused before it fills the memory, and read if that is asked for."""

import gzip
import io
import json
import os
import re
import socket
import zipfile
import zlib
from pathlib import Path

import polars as pl
import pytest

from podium import InputError
from podium.results.formats import limits
from podium.results.reading import read, read_standings

ROWS = "".join(f"cup,2026-05-01,player {number},1\n" for number in range(5_000))
TEXT = ("contest,time,player,rank\n" + ROWS).encode()
LINE = '{"contest": "cup", "time": "2026-05-01", "player": "ann", "rank": 1, "more": %s}\n'


@pytest.fixture
def _small(monkeypatch):
    monkeypatch.setattr(limits, "ALWAYS", 100_000)
    monkeypatch.setattr(limits, "TIMES", 1)


def packed_with_zstd(data: bytes) -> bytes:
    target = io.BytesIO()
    frame = pl.DataFrame({"line": data.decode().splitlines()})
    frame.write_csv(target, include_header=False, quote_style="never", compression="zstd")
    return target.getvalue()


PACKED = {
    "a.csv.gz": gzip.compress(TEXT),
    "b.csv.gz": gzip.compress(TEXT[:60_000]) + gzip.compress(TEXT[60_000:]),
    "a.csv": gzip.compress(TEXT),
    "b.csv": zlib.compress(TEXT),
    "a.csv.zst": packed_with_zstd(TEXT),
    "a.tsv.gz": gzip.compress(TEXT.replace(b",", b"\t")),
}


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("name", PACKED)
def test_what_unpacks_to_more_than_its_size_allows_is_refused(refusal, name):
    assert refusal(name, PACKED[name]) == (
        f"{name}: unpacks to more than 0.0 GiB; if that is meant, say unlimited=True or "
        f"--unlimited."
    )
    assert read(name, unlimited=True).rows == 5_000


@pytest.mark.parametrize("name", PACKED)
def test_a_file_may_unpack_to_a_hundred_times_its_size(name, monkeypatch):
    monkeypatch.setattr(limits, "ALWAYS", 1)
    Path(name).write_bytes(PACKED[name])
    assert read(name).rows == 5_000


@pytest.mark.usefixtures("_small")
def test_a_bomb_is_refused_before_it_has_gone_off(refusal, monkeypatch):
    unpacked = 0
    spend = limits.Allowance.spend

    def counted(self, size: int) -> None:
        nonlocal unpacked
        unpacked += size
        spend(self, size)

    monkeypatch.setattr(limits.Allowance, "spend", counted)
    monkeypatch.setattr(limits, "_PIECE", 2**10)
    bomb = gzip.compress(bytes(100 * 2**20))
    assert "unpacks to more than" in refusal("a.csv.gz", bomb)
    assert unpacked < 2 * 2**20


def test_the_blocks_of_zstd_are_counted_from_above():
    for data in (b"", b"a,b\n" * 7, TEXT, os.urandom(300_000), TEXT * 20):
        text = data.hex().encode() or b"x"
        packed = packed_with_zstd(text)
        assert len(text) <= limits._most_of_zstd(packed) <= len(text) + 2 * 2**17
        skipped = b"\x50\x2a\x4d\x18" + (9).to_bytes(4, "little") + b"anything!"
        assert limits._most_of_zstd(skipped + packed * 3) == 3 * limits._most_of_zstd(packed)


def test_frames_of_zstd_end_with_a_checksum_if_they_say_so():
    header = b"\x28\xb5\x2f\xfd" + bytes([0x24, 5])  # one segment of five bytes, and a checksum
    frame = header + (1 | 5 << 3).to_bytes(3, "little") + b"hello" + b"sums"
    assert limits._most_of_zstd(frame * 3) == 15
    repeated = header + (1 | 1 << 1 | 5 << 3).to_bytes(3, "little") + b"h" + b"sums"
    assert limits._most_of_zstd(repeated * 3) == 15


def test_what_is_compressed_twice_is_refused(refusal):
    assert refusal("a.csv.gz", gzip.compress(gzip.compress(TEXT))) == (
        "a.csv.gz: is compressed twice; unpack it once."
    )


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize(
    "method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_STORED]
)
def test_all_entries_of_an_archive_together_are_counted(refusal, method):
    with zipfile.ZipFile("a.zip", "w", method) as archive:
        for number in range(40):
            standings = [["ann", 0, 0]]
            contest = {"time_seconds": number, "standings": standings, "more": "x" * 9_000}
            archive.writestr(f"{number}.json", json.dumps(contest))
    if method == zipfile.ZIP_STORED:
        assert len(read("a.zip")) == 40
    else:
        assert "a.zip: unpacks to more than" in refusal("a.zip")
        assert len(read("a.zip", unlimited=True)) == 40


@pytest.mark.usefixtures("_small")
def test_the_rows_that_a_parquet_file_claims_are_counted(refusal):
    rows = {"contest": "cup", "time": 0, "player": range(50_000), "rank": 1}
    pl.DataFrame(rows).write_parquet("a.parquet")
    assert "a.parquet: unpacks to more than" in refusal("a.parquet")
    assert read("a.parquet", unlimited=True).rows == 50_000


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst"])
def test_json_lines_are_at_most_64_deep(refusal, name):
    pack = {"a.jsonl.gz": gzip.compress, "a.jsonl.zst": packed_with_zstd}.get(name, lambda x: x)
    deep = LINE % ("[" * 63 + "]" * 63)
    deeper = LINE.replace("ann", "bob") % ("[" * 64 + "]" * 64)
    quoted = LINE.replace("ann", "cat") % ('"\\"' + "[{" * 64 + '"')
    wide = LINE.replace("ann", "dan") % ("[" + "[[]]," * 64 + "[]]")
    Path(name).write_bytes(pack((deep + quoted.replace("more", "text") + deep[:0]).encode()))
    assert read(name).rows == 2
    Path(name).write_bytes(pack((deep + wide).encode()))
    assert read(name).rows == 2
    assert refusal(name, pack((deep + deeper).encode())) == (
        f"{name}, line 2: is JSON of more than 64 brackets in each other; if that is meant, say "
        f"unlimited=True or --unlimited."
    )
    assert read(name, unlimited=True).rows == 2


def test_json_documents_are_at_most_64_deep(refusal):
    contest = '{"time_seconds": 1, "standings": [["an\\"[[[n", 0, 0]], "more": %s}'
    Path("a.json").write_text(contest % ("[" * 63 + "]" * 63))
    assert read("a.json").rows == 1
    deep = contest % ("[\n" * 64 + "]" * 64)
    assert refusal("a.json", deep).startswith("a.json: is JSON of more than 64 brackets")
    assert refusal("a.json", deep.encode("utf-16")).startswith("a.json: is JSON of more than 64")
    assert read("a.json", unlimited=True).rows == 1


def test_counting_brackets_takes_linear_time_of_quotes_that_do_not_match():
    text = "[" * 65 + '"' + '\\"' * 1_000_000
    with pytest.raises(InputError):
        limits.refuse_deep("here", text)
    limits.refuse_deep("here", '"' + '\\"[' * 1_000_000)


def test_pipes_devices_and_sockets_are_refused(refusal):
    os.mkfifo("a.csv")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("b.csv")
        for path, kind in (("a.csv", "a pipe"), ("b.csv", "a socket"), ("/dev/zero", "a device")):
            for isolated in (False, True):
                assert refusal(path, format="csv", isolated=isolated) == (
                    f"{path}: is {kind}, not a file; keep what it says in a file, or send it to "
                    f"standard input and read - instead."
                )
    with pytest.raises(InputError, match=r"a\.csv: is a pipe"):
        read_standings("a.csv")


def test_standard_input_is_read():
    reader, writer = os.pipe()
    os.write(writer, TEXT[: TEXT.index(b"\n", 30)])
    os.close(writer)
    before = os.dup(0)
    os.dup2(reader, 0)
    try:
        assert read("/dev/stdin", format="csv").rows == 1
    finally:
        os.dup2(before, 0)
        os.close(before)
        os.close(reader)


def test_a_name_that_is_too_long_is_refused(refusal):
    assert re.fullmatch(
        r"x+\.csv: cannot be read \(file name too long\)\.", refusal("x" * 300 + ".csv")
    )


def test_what_strangers_wrote_does_not_make_a_sentence_of_megabytes(refusal):
    header = ",".join(f"column-{number}" for number in range(20_000))
    assert len(refusal("a.csv", f"{header}\n")) < 500
    for column in ("time", "rank"):
        row = {"contest": "cup", "time": "2026-05-01", "player": "ann", "rank": "1"}
        row[column] = "x" * 1_000_000
        said = refusal("a.csv", ",".join(row) + "\n" + ",".join(row.values()) + "\n")
        assert len(said) < 2_100
        assert "\n" not in said
