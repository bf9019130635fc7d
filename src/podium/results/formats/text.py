"""What all text files share: compression, encoding, lines and times.

Lines are taken apart in Python only to say where something is
wrong, so a good file never pays for it.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from podium.errors import InputError, StorageError
from podium.files import reason
from podium.results.formats import limits
from podium.results.formats.selection import Table
from podium.results.times import as_column

if TYPE_CHECKING:
    from podium.results.contests import Contests

Compression = Literal["uncompressed", "gzip", "zstd"]

_FIRST_BYTES = {"uncompressed": b"", "gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
_DAY, _SECOND = 86_400_000_000, 1_000_000
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


def lines(path: Path, data: bytes) -> list[str]:
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
        )
    except pl.exceptions.NoDataError:
        return []
    except (pl.exceptions.PolarsError, OSError) as error:
        raise StorageError(f"{path}: is damaged ({first_line(error)}).") from None
    return frame["line"].fill_null("").to_list()


def names_by_line(path: Path, *, unlimited: bool) -> Table:
    """A table of players from a file with one name a line; blank lines do not count."""
    all_lines = lines(path, contents(path, "uncompressed", unlimited=unlimited))
    refuse_wrong_encoding(path, all_lines)
    named = [(number, line.strip()) for number, line in enumerate(all_lines, 1) if line.strip()]
    if not named:
        raise InputError(f"{path}: holds no names.")
    names = pl.Series("player", [name for _, name in named], pl.String)
    return Table(names.to_frame(), lambda row: f"{path}, line {named[row][0]}")


def refuse_wrong_encoding(path: Path, all_lines: list[str]) -> None:
    """Raise if a line is not UTF-8."""
    for number, line in enumerate(all_lines, start=1):
        if _UNDECODABLE in line or "\0" in line:
            raise InputError(f"{path}, line {number}: is not UTF-8 text; save it as UTF-8.")


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
    return contests.frame().with_columns(texts.gather(rows).alias("time"))
