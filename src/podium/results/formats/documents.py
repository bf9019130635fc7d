"""JSON files that hold contests: one file, a folder or a .zip of them.

Every file is recognised by its keys, so a folder may mix the layouts.
"""

import bisect
import io
import itertools
import json
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, NamedTuple

import polars as pl

from podium.errors import InputError, PodiumError, StorageError
from podium.results.formats import codeforces_api, contest_files, ctftime, limits
from podium.results.formats.selection import Table
from podium.results.formats.text import first_line
from podium.results.tables import natural

_LAYOUTS = {
    "contest-files": ("an Elo-MMR contest (with 'standings' and 'time_seconds')", contest_files),
    "codeforces": ("an answer of the Codeforces API (with 'status' and 'result')", codeforces_api),
    "ctftime": ("results of CTFtime (with 'title' and 'scores' by the events' numbers)", ctftime),
}
_PIECE = 2**20


class _File(NamedTuple):
    label: str
    """What messages call it."""
    stem: str
    data: bytes


def read(path: Path, layouts: Sequence[str], *, rerank: bool, unlimited: bool) -> Table:
    """The contests of a file, folder or .zip as one table."""
    tables: list[Table] = []
    homes: dict[str, str] = {}
    for file in _files(path, unlimited):
        table = _parsed(file, _decoded(file, unlimited), layouts, rerank)
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


def _files(path: Path, unlimited: bool) -> Iterator[_File]:
    if path.is_dir():
        for part in sorted(json_files(path), key=lambda part: natural(str(part))):
            yield _File(str(part), part.stem, part.read_bytes())
    elif path.suffix.lower() == ".zip":
        yield from _zipped_files(path, unlimited)
    else:
        yield _File(str(path), path.stem, path.read_bytes())


def _zipped_files(path: Path, unlimited: bool) -> Iterator[_File]:
    allowance = limits.Allowance(path, path.stat().st_size, unlimited=unlimited)
    with _explained(path), zipfile.ZipFile(path) as archive:
        for entry in sorted(archive.infolist(), key=lambda entry: natural(entry.filename)):
            inside = PurePosixPath(entry.filename)
            if _is_visible_json(inside):
                label = f"{path}/{inside}"
                if entry.flag_bits & 1:
                    raise InputError(f"{label}: is encrypted; unpack the archive first.")
                yield _File(label, inside.stem, _inflated(archive, entry, allowance))


def _inflated(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, allowance: limits.Allowance
) -> bytes:
    whole = io.BytesIO()
    with archive.open(entry) as stream:
        while piece := stream.read(_PIECE):
            allowance.spend(len(piece))
            whole.write(piece)
    return whole.getvalue()


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Say of what a damaged archive raises, which is nearly anything, that it is one."""
    try:
        yield
    except (PodiumError, OSError, MemoryError):
        raise
    except Exception as error:
        raise StorageError(
            f"{path}: is damaged, incomplete or not a .zip file ({first_line(error)})."
        ) from None


def _parsed(file: _File, document: Any, layouts: Sequence[str], rerank: bool) -> Table:
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


def _decoded(file: _File, unlimited: bool) -> Any:
    if not file.data.strip():
        raise InputError(f"{file.label}: is empty.")
    try:
        text = file.data.decode(json.detect_encoding(file.data))
        if not unlimited:
            limits.refuse_deep(file.label, text)
        document = json.loads(text)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(document, ensure_ascii=False).encode()
    except UnicodeDecodeError:
        raise InputError(f"{file.label}: is not UTF-8 text; save it as UTF-8.") from None
    except UnicodeEncodeError:
        raise InputError(f"{file.label}: holds half of a surrogate pair (\\ud…).") from None
    except json.JSONDecodeError as error:
        raise InputError(
            f"{file.label}, line {error.lineno}: is not JSON ({error.msg.lower()})."
        ) from None
    except PodiumError:
        raise
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
