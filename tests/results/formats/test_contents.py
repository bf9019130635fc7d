import gzip

import pytest

import podium
from podium.results.formats import contents, pieces, recognition
from podium.results.options import Options


@pytest.mark.parametrize(
    ("head", "named", "format"),
    [
        (b'\xef\xbb\xbf\r\n[Event "x"]', "csv", "pgn"),
        (b'% escaped\n[Event "x"]', None, "pgn"),
        (b'{"a": 1}\n{"a": 2}\n', "json", "jsonl"),
        (b'{"a": 1}\n', "json", "json"),
        (b'{"a": 1}\n', "jsonl", "jsonl"),
        (b'{\n "a": 1}\n', None, "json"),
        (b'[{"a": 1}]', "csv", "json"),
        (b"[1, 2]", "csv", "csv"),
        (b"player,rank\nann,1\n", None, "csv"),
        (b"PK\x03\x04...db/users.json", None, "json"),
        (b"PK\x03\x04...[Content_Types].xml", None, "sheets"),
        (b"", "csv", "csv"),
    ],
)
def test_the_first_bytes_tell_before_the_name(head, named, format):
    assert contents.recognised(head, named) == format


def test_a_damaged_head_leaves_it_to_the_name(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(b"\x1f\x8bnonsense")
    assert contents.head_of(path) == b""


@pytest.mark.parametrize("name", ["a", "a.txt", "a.csv", "a.json", "a.dat.gz"])
def test_lines_of_json_are_read_whatever_they_are_called(tmp_path, name):
    text = b'{"contest": "x", "time": "2026-03-01", "player": "ann", "rank": 1}\n' * 1
    text += b'{"contest": "x", "time": "2026-03-01", "player": "bob", "rank": 2}\n'
    path = tmp_path / name
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    assert podium.read(path)[0].players == ["ann", "bob"]


def test_pieces_of_lines_are_the_same_rows_in_order(tmp_path, monkeypatch):
    monkeypatch.setattr(contents, "_PIECE", 500)
    path = tmp_path / "a.jsonl"
    rows = [f'{{"player": "p{n}", "rank": {n}}}\n' for n in range(100)]
    path.write_text("\n".join(rows))
    parts = list(pieces(path, recognition.of_source(path, None), Options(), 500))
    assert len(parts) > 3
    assert [name for part in parts for name in part.frame["player"]] == [
        f"p{n}" for n in range(100)
    ]
    assert parts[-1].locate(parts[-1].frame.height - 1) == f"{path}, line 199"
