"""What a file is by its first bytes, and its text in pieces of bounded size."""

import bz2
import io
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import polars as pl

from podium.errors import StorageError
from podium.results.formats import limits
from podium.results.formats.text import first_line

HEAD = 2**16
_PIECE = 2**23
_GZIP, _BZIP, _ZSTD = b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd"
PACKED = (_GZIP, _BZIP, _ZSTD)
_TAG = re.compile(rb'\s*(?:[%;][^\n]*\n\s*|\{[^{}]*\}\s*)*\[\s*[A-Za-z][A-Za-z0-9_]*\s+"')
_LINES = re.compile(rb"[^\n]*[,;|\t][^\n]*\n")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_ARCHIVE = b"PK\x03\x04"
_OLD_WORKBOOK, _PARQUET = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"PAR1"


def recognised(head: bytes, otherwise: str | None) -> str | None:
    """The format that the first bytes of a text tell, or what its name tells if they do not.

    Example:
        >>> recognised(b'[Event "Club"]', "csv"), recognised(b"player,rank", "csv")
        ('pgn', 'csv')
    """
    if head.startswith(_ARCHIVE):
        is_sheet = b"[Content_Types].xml" in head or b"mimetypeapplication/vnd.oasis" in head
        return "sheets" if is_sheet or b"xl/" in head or otherwise == "sheets" else "json"
    if head.startswith(_OLD_WORKBOOK):
        return "sheets"
    if head.startswith(_PARQUET):
        return "parquet"
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if _TAG.match(head):
        return "pgn"
    if otherwise == "pgn" and not re.match(rb'\{\s*["}]|\[\s*[\[{\]]', head):
        return "pgn"
    if not head.startswith((b"{", b"[")):
        unsaid = otherwise in (None, "sheets")  # some programs call their texts .xls
        return "csv" if unsaid and _LINES.match(head) and not _CONTROL.search(head) else otherwise
    if not head.startswith(b"{"):
        return "json" if re.match(rb"\[\s*[\[{\]]", head) else otherwise
    first, _, rest = head.partition(b"\n")
    if rest.lstrip().startswith(b"{") and _is_object(first):
        return "jsonl"
    return otherwise if otherwise == "jsonl" else "json"


def head_of(path: Path) -> bytes:
    """The first bytes of a file, unpacked; none of a pipe, or if they cannot be."""
    if not path.is_file():
        return b""
    try:
        with open(path, "rb") as file:
            start = file.read(HEAD)
        if start.startswith(_ZSTD):
            return next(_lines_of_zstd(path, HEAD // 64), b"")[:HEAD]
        if start.startswith((_GZIP, _BZIP)):
            return _Unpacking(start[:2]).decompress(start, HEAD)
    except (OSError, EOFError, zlib.error, StorageError):
        return b""
    return start


def start_of(path: Path) -> bytes:
    """The first bytes of a file as they are; none of a pipe."""
    if not path.is_file():
        return b""
    with open(path, "rb") as file:
        return file.read(4)


def pieces(path: Path, *, unlimited: bool) -> Iterator[bytes]:
    """The text of a file, unpacked (gzip, bzip2 or zstd), in pieces of about 8 MiB."""
    allowance = limits.Allowance(path, path.stat().st_size, unlimited=unlimited)
    with open(path, "rb") as file:
        start = file.peek(4)[:4]  # a pipe can be read but once
        if start.startswith(_ZSTD):
            source = _lines_of_zstd(path, 100_000)
        elif start.startswith((_GZIP, _BZIP)):
            source = _unpacked(file, start[:2])
        else:
            source = iter(lambda: file.read(_PIECE), b"")
        try:
            for piece in source:
                if start.startswith(PACKED):
                    allowance.spend(len(piece))
                yield piece
        except (EOFError, zlib.error, OSError) as error:
            raise StorageError(f"{path}: is damaged ({first_line(error)}).") from None


class _Unpacking:
    """gzip or bzip2, whichever the first bytes say, in as many parts as follow each other."""

    def __init__(self, start: bytes) -> None:
        self._zipped = start == _GZIP
        self._stream = self._new()

    def _new(self) -> "zlib._Decompress | bz2.BZ2Decompressor":
        return zlib.decompressobj(wbits=31) if self._zipped else bz2.BZ2Decompressor()

    def decompress(self, data: bytes, most: int) -> bytes:
        """The first bytes of what is packed."""
        return self._stream.decompress(data, most)

    def all_of(self, file: IO[bytes]) -> Iterator[bytes]:
        """Everything, in pieces that stay small whatever they unpack to."""
        while data := file.read(2**16):
            while data:
                if self._stream.eof:
                    self._stream = self._new()
                yield self._stream.decompress(data)
                data = self._stream.unused_data if self._stream.eof else b""
        if not self._stream.eof:
            raise EOFError("it breaks off")


def _unpacked(file: IO[bytes], start: bytes) -> Iterator[bytes]:
    held = io.BytesIO()
    for piece in _Unpacking(start).all_of(file):
        held.write(piece)
        if held.tell() >= _PIECE:
            yield held.getvalue()
            held = io.BytesIO()
    yield held.getvalue()


def _lines_of_zstd(path: Path, count: int) -> Iterator[bytes]:
    """So many lines at a time, which polars unpacks as it goes."""
    lines = pl.scan_csv(
        path,
        has_header=False,
        schema={"line": pl.String},
        separator="\x01",
        quote_char=None,
        encoding="utf8-lossy",
        truncate_ragged_lines=True,
        glob=False,
    )
    try:
        for batch in lines.collect_batches(chunk_size=count, maintain_order=True):
            text: str = batch["line"].fill_null("").str.join("\n").item()
            yield text.encode() + b"\n"
    except pl.exceptions.NoDataError:
        return
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise StorageError(f"{path}: is damaged ({first_line(error)}).") from None


def _is_object(line: bytes) -> bool:
    try:
        text = line.decode()
        return not limits.is_deep(text) and isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
