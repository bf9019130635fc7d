"""Which format a file has: as its name says, or as the caller does."""

import difflib
import os
from pathlib import Path
from typing import NamedTuple

from podium.errors import InputError
from podium.results.formats import contents
from podium.results.formats.text import Compression

TEXTS = ("csv", "tsv", "jsonl")
TABLES = (*TEXTS, "parquet", "sheets")
LAYOUTS = (
    "contest-files",
    "codeforces",
    "ctftime",
    "ctftime-feed",
    "ctfd",
    "icpc",
    "challonge",
    "startgg",
    "atcoder",
    "table",
)
"""What a JSON file can hold; which of them it is shows in its keys."""
FORMATS = (*TABLES, "pgn", "json", *LAYOUTS)
"""All names that `format=` takes; 'json' stands for any of the layouts."""

_BY_EXTENSION = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".txt": "csv",
    ".tab": "tsv",
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "sheets"),
    ".zip": "json",
    ".json": "json",
    ".pgn": "pgn",
}
_ONLY_READ = {
    "sheets": "workbooks",
    "pgn": "games of chess",
    "codeforces": "answers of the Codeforces API",
    "ctftime": "results of CTFtime",
    "ctftime-feed": "scoreboard feeds of CTFtime",
    "ctfd": "scoreboards of CTFd",
    "icpc": "scoreboards of the ICPC Contest API",
    "challonge": "answers of Challonge",
    "startgg": "answers of start.gg",
    "atcoder": "standings of AtCoder",
    "table": "tables in JSON",
}
_COMPRESSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd"}
_PACKED = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd"}
_KNOWN = (
    ".csv, .tsv, .jsonl and .ndjson (also with .gz or .zst behind), .parquet, .xlsx, .xlsm, .xlsb, "
    ".xls, .ods, .zip, .json, .pgn "
    "and folders"
)


class Recognised(NamedTuple):
    """A format and, for texts, how they are compressed."""

    format: str
    compression: Compression


def of_source(path: str | os.PathLike[str], format: str | None) -> Recognised:
    """The format of something to read; a folder holds JSON files."""
    source = Path(path)
    if source.is_dir():
        if format in TABLES:
            raise InputError(f"{source}: is a folder, not a {format} file.")
        return Recognised(_checked(format) or "json", "uncompressed")
    if format is None and source.is_file():
        format = contents.recognised(contents.head_of(source), _by_extension(source))
    if format in ("pgn", "json", *LAYOUTS):  # which are unpacked whatever their names are
        return Recognised(format, "uncompressed")
    return _by_name(source, format)


def of_target(path: str | os.PathLike[str], format: str | None) -> Recognised:
    """The format to write in; a path without an extension or with a slash behind is a folder."""
    target = Path(path)
    if format is None and is_folder_name(path):
        return Recognised("json", "uncompressed")
    recognised = _by_name(target, format)
    if recognised.format in _ONLY_READ:
        near = "csv" if recognised.format == "sheets" else "contest-files"
        raise InputError(
            f"{target}: {_ONLY_READ[recognised.format]} can be read but not written; "
            f"{near!r} is near to them."
        )
    return recognised


def packing(path: Path) -> str:
    """The extension that a file needs by its first bytes: .gz, .zst or none."""
    with path.open("rb") as file:
        start = file.read(4)
    return next((each for each, first in _PACKED.items() if start.startswith(first)), "")


def table_format(path: Path) -> str | None:
    """The format of a table, if that is what the name tells; a .txt may be anything."""
    format = _by_extension(path)
    return None if format == "json" or ".txt" in path.suffixes[-2:] else format


def is_folder_name(path: str | os.PathLike[str]) -> bool:
    """Whether something written under this path is a folder."""
    text = os.fspath(path)
    separators = tuple(filter(None, (os.sep, os.altsep)))
    return text.endswith(separators) or not Path(text).suffix or Path(text).is_dir()


def _by_name(path: Path, format: str | None) -> Recognised:
    named = _checked(format)
    compression = _COMPRESSIONS.get(path.suffix.lower(), "uncompressed")
    found = named or _by_extension(path)
    if found is None:
        raise InputError(
            f"{path}: its name does not tell the format; podium knows {_KNOWN}, "
            f"or say format= or --format and one of {', '.join(FORMATS)}."
        )
    if compression != "uncompressed" and found not in TEXTS:
        raise InputError(
            f"{path}: {path.suffix} may stand only behind .csv, .tsv, .jsonl or .ndjson."
        )
    return Recognised(found, compression)


def _by_extension(path: Path) -> str | None:
    if path.name.lower().endswith(".pgn.bz2"):
        return "pgn"
    bare = path.with_suffix("") if path.suffix.lower() in _COMPRESSIONS else path
    return _BY_EXTENSION.get(bare.suffix.lower())


def _checked(format: str | None) -> str | None:
    if format is None or format in FORMATS:
        return format
    near = difflib.get_close_matches(str(format).lower(), FORMATS, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    raise InputError(f"there is no format {format!r} among {', '.join(FORMATS)}{hint}")
