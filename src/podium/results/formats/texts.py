"""Texts in pieces of bounded size, each a text of its own with the header of the first."""

import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from podium.errors import InputError, PodiumError
from podium.results.formats import contents
from podium.results.understanding.report import Table

Reader = Callable[[Path], Table]
"""Reads a text without compression."""
Head = Callable[[bytes], bytes]
"""The beginning of a text that every piece of it needs: the header, and what is above."""
_BLOCK = 2**24
_LINE = re.compile(r", line (\d+)")


def pieces(
    path: Path, read: Reader, head_of: Head, size: int, *, unlimited: bool
) -> Iterator[Table]:
    """The tables of a delimited text, each of about `size` bytes; of one if it cannot be cut.

    A line is never cut, nor a value in quotes. Everything that is said of a piece is said of the
    file and its lines.
    """
    with tempfile.TemporaryDirectory(prefix="podium-") as folder:
        part, head, before = Path(folder, path.name), b"", 0
        kinds, columns = set[str](), None
        for piece in _cut(path, size, unlimited=unlimited):
            part.write_bytes(head + piece)
            kinds |= _kind(path, piece, kinds)
            with _named(part, path, before):
                table = read(part)
            if columns is not None and table.frame.columns != columns:
                raise InputError(
                    f"{path}: its columns are not separated alike everywhere; say delimiter= or "
                    f"--delimiter."
                )
            yield table._replace(locate=_located(table, part, path, before), stem=path.stem)
            before += piece.count(b"\n")
            if columns is None:
                head = head_of(piece)
                before -= head.count(b"\n")
            columns = table.frame.columns


def _kind(path: Path, piece: bytes, before: set[str]) -> set[str]:
    """Whether a piece is ASCII, UTF-8 or neither; raises if it is not what came before it."""
    if piece.isascii():
        return {"ASCII"}
    try:
        piece.decode()
        kind = "UTF-8"
    except UnicodeDecodeError:
        kind = "another encoding"
    if before - {"ASCII", kind}:
        raise InputError(
            f"{path}: is UTF-8 in one part and not in another; say encoding= or --encoding."
        )
    return {kind}


class _named:  # noqa: N801  (a context manager, used as a function)
    """Say what is wrong with a piece of the file and the line that it is in."""

    def __init__(self, part: Path, path: Path, before: int) -> None:
        self._part, self._path, self._before = part, path, before

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, PodiumError):
            said = _renamed(str(error), self._part, self._path, self._before)
            raise type(error)(said) from None


def _renamed(said: str, part: Path, path: Path, before: int) -> str:
    said = said.replace(str(part), str(path))
    return _LINE.sub(lambda line: f", line {int(line[1]) + before:d}", said, count=1)


def _located(table: Table, part: Path, path: Path, before: int) -> Callable[[int], str]:
    return lambda row: _renamed(table.locate(row), part, path, before)


def _cut(path: Path, size: int, *, unlimited: bool) -> Iterator[bytes]:
    """The text of a file in pieces that end with a line."""
    held, start = bytearray(), True
    for block in contents.pieces(path, unlimited=unlimited):
        if start and (block[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in block[:64]):
            size = 2**62  # of two bytes for every sign, which are not cut
        start = False
        held += block
        while len(held) >= size:
            end = _end(held, size)
            if end == 0:
                break
            yield bytes(held[:end])
            del held[:end]
    if held or start:
        yield bytes(held)


def _end(held: bytearray, size: int) -> int:
    """Behind the last line within `size` bytes that is outside of quotes; 0 if there is none."""
    end = held.rfind(b"\n", 0, size) + 1
    count = held.count(b'"', 0, end)
    while end > 0 and count % 2:
        before = held.rfind(b"\n", 0, end - 1) + 1
        count -= held.count(b'"', before, end)
        end = before
    return end
