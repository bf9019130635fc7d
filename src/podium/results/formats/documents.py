"""JSON files that hold contests: one file, a folder or a .zip of them.

Every file is recognised by its keys, so a folder may mix the layouts.
"""

import bisect
import itertools
import json
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, NamedTuple

import polars as pl

from podium.errors import InputError, StorageError
from podium.results.formats import codeforces_api, contest_files, ctftime
from podium.results.formats.selection import Table
from podium.results.formats.text import first_line
from podium.results.tables import natural

_LAYOUTS = {
    "contest-files": ("an Elo-MMR contest (with 'standings' and 'time_seconds')", contest_files),
    "codeforces": ("an answer of the Codeforces API (with 'status' and 'result')", codeforces_api),
    "ctftime": ("results of CTFtime (with 'title' and 'scores' by the events' numbers)", ctftime),
}


class _File(NamedTuple):
    label: str
    """What messages call it."""
    stem: str
    data: bytes


def read(path: Path, layouts: Sequence[str], *, rerank: bool) -> Table:
    """The contests of a file, folder or .zip as one table."""
    tables: list[Table] = []
    homes: dict[str, str] = {}
    for file in _files(path):
        table = _parsed(file, layouts, rerank)
        for contest in table.frame["contest"].unique(maintain_order=True):
            if contest in homes:
                raise InputError(
                    f"{file.label}: contest {contest!r} is already in {homes[contest]}; "
                    f"each contest stands in one file."
                )
            homes[contest] = file.label
        tables.append(table)
    if not tables:
        raise InputError(f"{path}: holds no contests; each is a file that ends in .json.")
    return _joined(tables)


def json_files(folder: Path) -> list[Path]:
    """The .json files in a folder and in those inside it, without hidden ones and ratings."""
    paths = [path for path in folder.rglob("*") if path.is_file() and not _is_of_ratings(path)]
    return [path for path in paths if _is_visible_json(path.relative_to(folder))]


def _is_of_ratings(path: Path) -> bool:
    """Whether it lies in a folder that `podium rate` wrote, perhaps among the results."""
    return path.name == "about.json" and (path.parent / "beliefs.npz").is_file()


def _is_visible_json(path: PurePath) -> bool:
    hidden = any(part.startswith(".") or part == "__MACOSX" for part in path.parts)
    return path.suffix.lower() == ".json" and not hidden


def _files(path: Path) -> Iterator[_File]:
    if path.is_dir():
        for part in sorted(json_files(path), key=lambda part: natural(str(part))):
            yield _File(str(part), part.stem, part.read_bytes())
    elif path.suffix.lower() == ".zip":
        yield from _zipped_files(path)
    else:
        yield _File(str(path), path.stem, path.read_bytes())


def _zipped_files(path: Path) -> Iterator[_File]:
    try:
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist(), key=natural):
                inside = PurePosixPath(name)
                if _is_visible_json(inside):
                    yield _File(str(path / inside), inside.stem, archive.read(name))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise StorageError(
            f"{path}: is damaged, incomplete or not a .zip file ({first_line(error)})."
        ) from None


def _parsed(file: _File, layouts: Sequence[str], rerank: bool) -> Table:
    document = _decoded(file)
    for name in layouts:
        layout = _LAYOUTS[name][1]
        if isinstance(document, dict) and layout.recognises(document):
            table: Table = layout.parse(file.label, file.stem, document, rerank)
            return table
    tried = " nor ".join(_LAYOUTS[name][0] for name in layouts)
    raise InputError(
        f"{file.label}: is {'neither' if len(layouts) > 1 else 'not'} {tried}; "
        f"it holds {_described(document)}."
    )


def _decoded(file: _File) -> Any:
    if not file.data.strip():
        raise InputError(f"{file.label}: is empty.")
    try:
        document = json.loads(file.data)
        if b"\\ud" in file.data.lower():
            json.dumps(document, ensure_ascii=False).encode()
    except UnicodeDecodeError:
        raise InputError(f"{file.label}: is not UTF-8 text; save it as UTF-8.") from None
    except UnicodeEncodeError:
        raise InputError(f"{file.label}: holds half of a surrogate pair (\\ud…).") from None
    except json.JSONDecodeError as error:
        raise InputError(
            f"{file.label}, line {error.lineno}: is not JSON ({error.msg.lower()})."
        ) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file.label}: is not JSON ({first_line(error)}).") from None
    return document


def _described(document: Any) -> str:
    if not isinstance(document, dict):
        return "a list" if isinstance(document, list) else "a single value"
    if not document:
        return "no keys"
    return "the keys " + ", ".join(repr(key) for key in itertools.islice(document, 12))


def _joined(tables: Sequence[Table]) -> Table:
    """One below the other, with the columns that hold something."""
    frame = pl.concat([table.frame for table in tables], how="diagonal")
    starts = list(itertools.accumulate((table.frame.height for table in tables), initial=0))

    def locate(row: int) -> str:
        number = bisect.bisect_right(starts, row) - 1
        return tables[number].locate(row - starts[number])

    return Table(
        frame.select(column for column in frame if column.null_count() < frame.height), locate
    )
