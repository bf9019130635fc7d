"""What a file may ask of the machine: how far it unpacks, and how deep its JSON goes.

A few megabytes can unpack to a terabyte, and a parser goes down with every bracket. Both are
counted before memory is spent on them.
"""

import io
import re
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from podium.errors import InputError, StorageError

TIMES = 100
"""How many times its size a compressed file may unpack to …"""
ALWAYS = 2**30
"""… and how many bytes any may."""
DEEPEST = 64

_PIECE = 2**16
"""Deflate makes at most a thousand bytes of one, so a piece of this size at most 64 MiB."""
_GZIP, _ZLIB, _ZSTD = b"\x1f\x8b", (b"x\x01", b"x\x9c", b"x\xda"), b"\x28\xb5\x2f\xfd"
_PACKED = (_GZIP, *_ZLIB, _ZSTD)
"""How a file starts that polars would unpack of its own accord."""
_LONGEST_BLOCK = 2**17
_RAW, _REPEATED, _COMPRESSED = range(3)
_NOT_BRACKETS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[^][{}"]+', re.DOTALL)
_STEPS = np.zeros(128, np.int64)
_STEPS[list(b"[{")], _STEPS[list(b"]}")] = 1, -1


class Allowance:
    """The bytes that a file, or all of an archive, may still unpack to."""

    def __init__(self, where: Path, packed: int, *, unlimited: bool) -> None:
        self._where = where
        self._left = None if unlimited else max(TIMES * packed, ALWAYS)
        self._all = self._left

    def spend(self, size: int) -> None:
        """Raise if it is used up."""
        if self._left is None or self._all is None:
            return
        self._left -= size
        if self._left < 0:
            raise InputError(
                f"{self._where}: unpacks to more than {self._all / 2**30:,.1f} GiB; if that is "
                f"meant, say unlimited=True or --unlimited."
            )


def unpacked(path: Path, data: bytes, *, unlimited: bool) -> bytes:
    """The text in a file, compressed or not; what zstd has compressed stays so, but is counted."""
    allowance = Allowance(path, len(data), unlimited=unlimited)
    if data.startswith(_ZSTD):
        allowance.spend(_most_of_zstd(data))
        return data
    if not is_packed(data):
        return data
    text = _inflated(path, data, allowance)
    if is_packed(text):
        raise InputError(f"{path}: is compressed twice; unpack it once.")
    return text


def is_packed(data: bytes) -> bool:
    """Whether polars would unpack it."""
    return data.startswith(_PACKED)


def _inflated(path: Path, data: bytes, allowance: Allowance) -> bytes:
    """What gzip or zlib has compressed, in one or more parts."""
    whole, stream = io.BytesIO(), zlib.decompressobj(wbits=47)
    try:
        for start in range(0, len(data), _PIECE):
            rest = data[start : start + _PIECE]
            while rest:
                if stream.eof:
                    stream = zlib.decompressobj(wbits=47)
                piece = stream.decompress(rest)
                allowance.spend(len(piece))
                whole.write(piece)
                rest = stream.unused_data
    except zlib.error as error:
        raise StorageError(f"{path}: is damaged ({error}).") from None
    if not stream.eof:
        raise StorageError(f"{path}: is damaged (it breaks off).")
    return whole.getvalue()


def _most_of_zstd(data: bytes) -> int:
    """The most bytes that it can unpack to, from the headers of its blocks (RFC 8878)."""
    place = most = 0

    def number(size: int) -> int:
        nonlocal place
        place += size
        return int.from_bytes(data[place - size : place], "little")

    while place < len(data):
        magic = number(4)
        if magic & ~0xF == 0x184D2A50:  # to be skipped
            size = number(4)
            place += size
            continue
        if magic != 0xFD2FB528:
            break
        longest, has_checksum = _frame(number)
        is_last = False
        while not is_last and place + 3 <= len(data):
            header = number(3)
            is_last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
            most += longest if kind == _COMPRESSED else size
            place += 1 if kind == _REPEATED else size
        place += 4 * has_checksum
    return most


def _frame(number: Callable[[int], int]) -> tuple[int, bool]:
    """The most that a block of a zstd frame unpacks to, and whether a checksum follows."""
    descriptor = number(1)
    is_one_segment, size = bool(descriptor & 0x20), descriptor >> 6
    window = 0 if is_one_segment else number(1)
    number((0, 1, 2, 4)[descriptor & 3])
    content = number((int(is_one_segment), 2, 4, 8)[size]) + 256 * (size == 1)
    if not is_one_segment:
        content = (8 + (window & 7)) << (7 + (window >> 3))
    return min(content, _LONGEST_BLOCK), bool(descriptor & 4)


def is_deep(text: str) -> bool:
    """Whether JSON goes deeper than a parser should have to follow."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    brackets = np.frombuffer(_NOT_BRACKETS.sub("", text).encode(), np.uint8)
    return bool(np.cumsum(_STEPS[brackets]).max(initial=0) > DEEPEST)


def refuse_deep(where: str, text: str) -> None:
    """Raise if it does."""
    if is_deep(text):
        raise InputError(
            f"{where}: is JSON of more than {DEEPEST} brackets in each other; if that is meant, "
            f"say unlimited=True or --unlimited."
        )
