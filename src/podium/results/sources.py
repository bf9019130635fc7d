"""Many files: what was given (files, folders, patterns) as a list of sources in natural order."""

import glob
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import polars as pl

from podium.errors import InputError, NotFoundError, PodiumError, StorageError
from podium.files import as_path, reason, refuse_special
from podium.results.formats import archives, documents, recognition
from podium.results.tables import natural
from podium.results.understanding import Table

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""What can be read: a file, a folder, a pattern such as ``2025-*.csv``, or many of these."""

STANDARD_INPUT = "-"
_KEPT = "standard-input.txt"
_SHOWN = "standard input"
_NOWHERE = "__HIVE_DEFAULT_PARTITION__"
"""How Hive writes a partition of those without a value."""


class Source(NamedTuple):
    """A file, or a folder of which only the JSON files are meant."""

    path: Path
    partitions: dict[str, str | None]
    """What folders say of all its rows: ``season=2025/part-0.parquet`` is of the season 2025."""
    called: Path | None = None
    """What people call it, if that is not where it is."""
    refused: PodiumError | None = None
    """Why it cannot be read, if that is known already."""

    @property
    def shown(self) -> Path:
        """What people call it."""
        return self.path if self.called is None else self.called

    def renamed(self, error: PodiumError) -> PodiumError:
        """The same sentence about it, as people call it."""
        if self.called is None:
            return error
        return type(error)(str(error).replace(str(self.path), str(self.called)))


def found(given: Paths, format: str | None = None) -> list[Source]:
    """All sources that are meant, each once; those of a folder or a pattern in natural order.

    A folder stands for the tables in it and below, without hidden files and ratings, and for its
    JSON files together; a name that is there is never a pattern.

    Raises:
        NotFoundError: If something is not there, or nothing matches a pattern.
        InputError: If a file is meant twice.
    """
    listed = [given] if isinstance(given, str | os.PathLike) else _listed(given)
    sources = _without_companions([source for each in listed for source in _of(each, format)])
    seen: dict[str, Path] = {}
    for path in (source.path for source in sources):
        place = os.path.realpath(path)
        if place in seen:
            raise InputError(f"{path}: is given twice{_also(seen[place], path)}.")
        seen[place] = path
    return sources


def _without_companions(sources: list[Source]) -> list[Source]:
    """Without files of a site that are read with another one, beside which they lie."""
    lesser = [source for source in sources if documents.is_companion(source.path)]
    homes = {source.path.parent for source in lesser} if len(sources) > 1 else set()
    having = {
        source.path.parent
        for source in sources
        if source.path.parent in homes
        and source not in lesser
        and source.path.is_file()
        and documents.takes_what_is_beside(source.path)
    }
    return [each for each in sources if each not in lesser or each.path.parent not in having]


@contextmanager
def kept(
    sources: list[Source], format: str | None = None, *, unlimited: bool = False
) -> Iterator[list[Source]]:
    """The same sources as files, while they are read.

    What comes in through standard input has no name that could name a contest. Tables in archives
    are sources of their own. Errors call both what they are.
    """
    with tempfile.TemporaryDirectory(prefix="podium-") as folder:
        files: list[Source] = []
        try:
            for number, source in enumerate(sources):
                place = Path(folder, str(number))
                if str(source.path) == STANDARD_INPUT:
                    source = _standard_input(place)
                if archives.is_archive(source.path):
                    files += _unpacked(source, place, format, unlimited=unlimited)
                else:
                    files.append(source)
            yield files
        except PodiumError as error:
            for source in files:
                error = source.renamed(error)
            raise error from None


def _standard_input(folder: Path) -> Source:
    folder.mkdir()
    file = folder / _KEPT
    with file.open("wb") as target:
        shutil.copyfileobj(sys.stdin.buffer, target)
    return Source(file.rename(file.with_name(_KEPT + recognition.packing(file))), {}, Path(_SHOWN))


def _unpacked(source: Source, folder: Path, format: str | None, *, unlimited: bool) -> list[Source]:
    """The tables in an archive, and the archive itself if it holds JSON, or no table."""
    path = source.path
    try:
        with archives.opened(path, unlimited=unlimited) as members:
            has_json = any(documents.is_json(member.inside) for member in members)
            tables = archives.with_tables(members, folder, format)
    except PodiumError as error:
        return [source._replace(refused=error)]
    except OSError as error:
        return [source._replace(refused=StorageError(f"{path}: cannot be read ({reason(error)})."))]
    return [source] * (has_json or not tables) + [
        Source(file, _partitions(path / inside), source.shown / inside) for file, inside in tables
    ]


def is_kept(path: Path) -> bool:
    """Whether a file is what came in through standard input."""
    return path.name.startswith(_KEPT)


def partitioned(table: Table, source: Source) -> Table:
    """A table of that source with what its folders say, where it does not say so itself."""
    known = table.frame.columns
    said = {name: value for name, value in source.partitions.items() if name not in known}
    if not said or table.frame.height == 0:
        return table
    return table._replace(
        frame=table.frame.with_columns(
            pl.lit(value, pl.String).alias(name) for name, value in said.items()
        )
    )


def _listed(given: object) -> list[object]:
    if not isinstance(given, Iterable):
        return [given]
    paths = list(given)
    if not paths:
        raise InputError("there is nothing to read: the list of paths is empty.")
    return paths


def _also(first: Path, again: Path) -> str:
    return "" if first == again else f", also as {first}"


def _of(given: object, format: str | None) -> Iterator[Source]:
    path = as_path(given)
    if str(path) == STANDARD_INPUT:
        yield Source(path, {})
    elif _is_there(path):
        yield from _expanded(path, format)
    elif glob.has_magic(str(path)):
        matches = glob.glob(str(path), recursive=True)  # noqa: PTH207 (also absolute ones)
        matches.sort(key=natural)
        files = {Path(each): None for each in matches if not _is_of_ratings(Path(each))}
        if not files:
            raise NotFoundError(f"{path}: there is no file of such a name.")
        for file in files:
            if not any(parent in files for parent in file.parents):  # which stands for it
                yield from _expanded(file, format)
    else:
        raise NotFoundError(f"{path}: there is no such file or folder.")


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:  # a name that is too long, a folder that may not be entered
        raise StorageError(f"{path}: cannot be read ({reason(error)}).") from None


def _expanded(path: Path, format: str | None) -> Iterator[Source]:
    """A file; or the tables of a folder and, as one source, its JSON files, if it has any."""
    if not path.is_dir():
        refuse_special(path)
        yield Source(path, _partitions(path))
        return
    tables = table_files(path, format)
    has_json = format not in recognition.TABLES and bool(documents.json_files(path))
    if has_json or not tables:  # which is refused where it is read
        yield Source(path, _partitions(path))
    for file in tables:
        yield Source(file, _partitions(file))


def table_files(folder: Path, format: str | None = None) -> list[Path]:
    """The tables in a folder and in those inside it, without hidden ones and ratings."""
    return sorted(_tables(folder, format), key=lambda path: natural(str(path)))


def _tables(folder: Path, format: str | None) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if archives.is_hidden(path.relative_to(folder)) or _is_of_ratings(path):
            continue
        named = recognition.table_format(path)
        if named is not None and format in (None, named) and path.is_file():
            yield path


def _is_of_ratings(path: Path) -> bool:
    """Whether `podium rate` wrote it, perhaps among the results."""
    is_written = path.stem in ("ratings", "history", "about", "beliefs")
    home = path.parent if is_written else path
    return (home / "beliefs.npz").is_file()


def _partitions(path: Path) -> dict[str, str | None]:
    """What the folders say of a file, by Hive's way to name them."""
    found: dict[str, str | None] = {}
    for part in path.parts[:-1]:
        name, equals, value = part.partition("=")
        if name and equals:
            found[unquote(name)] = None if value == _NOWHERE else unquote(value)
    return found
