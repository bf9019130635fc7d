"""What all text files share: compression, encoding, lines and times.

Lines are taken apart in Python only to say where something is
wrong, so a good file never pays for it.
"""

import codecs
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from podium.errors import InputError, StorageError
from podium.files import reason
from podium.results.formats import limits
from podium.results.options import Options
from podium.results.times import as_column
from podium.results.understanding.report import Table

if TYPE_CHECKING:
    from podium.results.contests import Contests

Compression = Literal["uncompressed", "gzip", "zstd"]

_FIRST_BYTES = {"uncompressed": b"", "gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
_DAY, _SECOND = 86_400_000_000, 1_000_000
_MARKS = {
    codecs.BOM_UTF8: "UTF-8",
    codecs.BOM_UTF32_LE: "UTF-32LE",
    codecs.BOM_UTF32_BE: "UTF-32BE",
    codecs.BOM_UTF16_LE: "UTF-16LE",
    codecs.BOM_UTF16_BE: "UTF-16BE",
}
_ADVICE = "save it as UTF-8, or say encoding=NAME or --encoding NAME"
_FIRST, _PIECE = 2**12, 2**24
_WINDOWS = bytes(
    set(range(32, 256)).difference((0x7F, 0x81, 0x8D, 0x8F, 0x90, 0x9D)) | set(b"\t\r\n\f\v")
)
"""What a text in Windows-1252 is made of."""
_UNDECODABLE = "\N{REPLACEMENT CHARACTER}"


def contents(path: Path, compression: Compression, *, unlimited: bool) -> bytes:
    """The text of a file that is not empty and is compressed as its name says.

    What zstd has compressed stays so, for polars to unpack.
    """
    data = path.read_bytes()
    if not data:
        raise InputError(f"{path}: is empty.")
    if not data.startswith(_FIRST_BYTES[compression]):
        raise InputError(f"{path}: is not compressed with {compression}, as its name says.")
    return limits.unpacked(path, data, unlimited=unlimited)


def stem(path: Path) -> str:
    """The name of a file without what says its format."""
    bare = path.with_suffix("") if path.suffix.lower() in (".gz", ".zst") else path
    return bare.stem


def decoded(path: Path, data: bytes, encoding: str | None) -> tuple[bytes, str]:
    """A text in UTF-8, without a byte order mark, and what it was in if that was something else.

    What zstd has compressed is UTF-8.
    """
    if encoding is not None:
        return _decoded_as(path, data.removeprefix(codecs.BOM_UTF8), encoding), encoding
    if limits.is_packed(data):
        return data, ""
    for mark, name in _MARKS.items():
        if data.startswith(mark):
            try:
                text = _decoded_as(path, data.removeprefix(mark), name)
            except InputError as error:
                raise InputError(
                    f"{str(error).removesuffix('.')}, although it begins with the mark of it; "
                    f"{_ADVICE}."
                ) from None
            return text, "" if name == "UTF-8" else name
    unmarked = _unmarked(data)
    if unmarked is None:
        raise InputError(f"{path}{_line_of(data)}: is not UTF-8 text; {_ADVICE}.")
    if unmarked == "UTF-8":
        return data, ""
    return _decoded_as(path, data, unmarked), unmarked


def _decoded_as(path: Path, data: bytes, encoding: str) -> bytes:
    try:
        if encoding == "UTF-8":
            _check_utf8(data)
            return data
        return data.decode(encoding).encode()
    except LookupError:
        raise InputError(
            f"there is no encoding {encoding!r}; there are e.g. utf-8, utf-16, cp1252, latin-1."
        ) from None
    except UnicodeError:
        raise InputError(f"{path}{_line_of(data)}: is not {encoding} text.") from None


def _unmarked(data: bytes) -> str | None:
    """The encoding of a text without a mark, or None if it is none that is known."""
    first = data[:_FIRST]
    if b"\0" in first:
        even, odd = first[::2].count(0), first[1::2].count(0)
        few, most = sorted((even, odd))
        if 8 * few <= most and 4 * most >= len(first) // 2:
            return "UTF-16LE" if odd > even else "UTF-16BE"
    if data.isascii():
        return "UTF-8"
    try:
        _check_utf8(data)
    except UnicodeError:
        return _of_one_byte(data)
    return "UTF-8"


def _check_utf8(data: bytes) -> None:
    """Raise if it is not, piece by piece, because a text of it would need as much memory again."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _PIECE):
        decoder.decode(data[start : start + _PIECE])
    decoder.decode(b"", final=True)


def _of_one_byte(data: bytes) -> str | None:
    """Windows-1252, unless the text has what that has not, or is UTF-8 with a fault in it."""
    first = data[:_PIECE]
    if first.translate(None, _WINDOWS) or any(
        ord(sign) > 127 and sign != _UNDECODABLE for sign in first.decode(errors="replace")
    ):
        return None
    try:
        data.decode("cp1252")
    except UnicodeError:
        return None
    return "Windows-1252"


def _line_of(data: bytes) -> str:
    """Where a text stops to be UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return f", line {data.count(10, 0, error.start) + 1}"
    place = data.find(0)
    return f", line {data.count(10, 0, place) + 1}" if place >= 0 else ""


def first_lines(path: Path, data: bytes, most: int) -> list[str]:
    """The first lines of a text, as `lines` would have them."""
    if limits.is_packed(data):
        return lines(path, data, most)
    end = 0
    for _ in range(most):
        end = data.find(b"\n", end) + 1
        if not 0 < end < _FIRST * most:
            return lines(path, data[: _FIRST * most], most)
    return lines(path, data[:end], most)


def lines(path: Path, data: bytes, most: int | None = None) -> list[str]:
    """The lines of a text, decompressed, without a byte order mark.

    What is not UTF-8 shows as replacement characters.
    """
    try:
        frame = pl.read_csv(
            data,
            has_header=False,
            schema={"line": pl.String},
            separator="\x01",
            extra_columns="ignore",
            quote_char=None,
            encoding="utf8-lossy",
            n_rows=most,
        )
    except pl.exceptions.NoDataError:
        return []
    except (pl.exceptions.PolarsError, OSError) as error:
        raise StorageError(f"{path}: is damaged ({first_line(error)}).") from None
    return frame["line"].fill_null("").to_list()


def names_by_line(path: Path, options: Options) -> Table:
    """A table of players from a file with one name a line; blank lines do not count."""
    data = contents(path, "uncompressed", unlimited=options.unlimited)
    data, encoding = decoded(path, data, options.encoding)
    all_lines = lines(path, data)
    refuse_wrong_encoding(path, all_lines)
    named = [(number, line.strip()) for number, line in enumerate(all_lines, 1) if line.strip()]
    if not named:
        raise InputError(f"{path}: holds no names.")
    names = pl.Series("player", [name for _, name in named], pl.String)
    return Table(
        names.to_frame(),
        lambda row: f"{path}, line {named[row][0]}",
        "names, one a line",
        taken_for(encoding),
        path.stem,
    )


def taken_for(encoding: str) -> tuple[str, ...]:
    """What is to be said of a text that is not in UTF-8."""
    return (f"the text is in {encoding}.",) if encoding else ()


def refuse_wrong_encoding(path: Path, all_lines: list[str]) -> None:
    """Raise if a line is not UTF-8."""
    for number, line in enumerate(all_lines, start=1):
        if _UNDECODABLE in line or "\0" in line:
            raise InputError(f"{path}, line {number}: is not UTF-8 text; {_ADVICE}.")


def is_about_encoding(error: Exception) -> bool:
    """Whether polars complains of bytes that are not UTF-8."""
    return "utf" in str(error).lower()


def first_line(error: BaseException) -> str:
    """What went wrong, without the advice on polars' parameters that follows."""
    if isinstance(error, OSError):
        return reason(error)
    return str(error).strip().split("\n")[0].rstrip(".")


def long_table(contests: "Contests") -> pl.DataFrame:
    """The long table with times in ISO form, as short as they can be without loss."""
    times = contests.columns.time
    if not (times % _DAY).any():
        form = "%Y-%m-%d"
    elif not (times % _SECOND).any():
        form = "%Y-%m-%dT%H:%M:%S"
    else:
        form = "%Y-%m-%dT%H:%M:%S%.6f"
    texts = as_column(times).dt.strftime(form)
    rows = np.repeat(np.arange(len(contests)), contests.sizes)
    return contests.frame(given=True).with_columns(texts.gather(rows).alias("time"))
