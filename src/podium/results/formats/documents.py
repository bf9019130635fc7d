"""JSON files that hold contests: one file, a folder or a .zip of them.

Every file is recognised by its keys, so a folder may mix the layouts. Some layouts have several
files, which belong together if they are in one folder.
"""

import bisect
import io
import itertools
import json
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, NamedTuple, Never

import polars as pl

from podium.errors import InputError, PodiumError, StorageError
from podium.results.formats import (
    atcoder,
    challonge,
    codeforces_api,
    contents,
    contest_files,
    ctfd,
    ctftime,
    ctftime_feed,
    icpc,
    json_tables,
    limits,
    startgg,
)
from podium.results.formats.text import first_line
from podium.results.tables import natural
from podium.results.understanding.report import Table

_LAYOUTS: dict[str, tuple[str, Any]] = {
    "contest-files": ("an Elo-MMR contest (with 'standings' and 'time_seconds')", contest_files),
    "codeforces": ("an answer of the Codeforces API (with 'status' and 'result')", codeforces_api),
    "ctftime": ("results of CTFtime (with 'title' and 'scores' by the events' numbers)", ctftime),
    "ctftime-feed": ("a scoreboard feed of CTFtime (with 'standings' of 'team')", ctftime_feed),
    "ctfd": ("a scoreboard of CTFd (with 'success' and 'data')", ctfd),
    "icpc": ("a scoreboard of the ICPC Contest API (with 'rows' of 'team_id')", icpc),
    "challonge": ("an answer of Challonge (with 'match' or 'tournament')", challonge),
    "startgg": ("an answer of start.gg (with 'sets' or 'standings' in 'data')", startgg),
    "atcoder": ("standings of AtCoder (with 'StandingsData')", atcoder),
    "table": ("a table (a list of objects, or one under 'results')", json_tables),
}
_ANY = (
    "neither a contest of Elo-MMR, an answer of Codeforces, CTFtime, CTFd, the ICPC Contest API, "
    "Challonge, start.gg or AtCoder nor a table (a list of objects, or one under 'results')"
)
_SINGLE = [name for name in _LAYOUTS if name not in ("icpc", "challonge", "table")]
_BESIDE = ("teams", "organizations", "contest", "participants", "tournament")
"""Files that say more of one that is read alone, if they are beside it."""
_PIECE = 2**20


class _File(NamedTuple):
    label: str
    """What messages call it."""
    stem: str
    folder: str
    data: bytes


class _Document(NamedTuple):
    label: str
    stem: str
    folder: str
    content: Any


def read(path: Path, layouts: Sequence[str], *, rerank: bool, unlimited: bool) -> Table:
    """The contests of a file, folder or archive as one table."""
    found: list[Table] = []
    homes: dict[str, str] = {}
    loose: list[_Document] = []
    for file in _files(path, unlimited):
        content = _decoded(file, unlimited)
        name = next((each for each in _SINGLE if _LAYOUTS[each][1].recognises(content)), None)
        if name is None or name not in layouts:
            loose.append(_Document(file.label, file.stem, file.folder, content))
            continue
        found.append(_LAYOUTS[name][1].parse(file.label, file.stem, content, rerank))
        found[-1] = found[-1]._replace(stem=found[-1].stem or file.stem)
        _refuse_again(found[-1], file.label, homes)
    for label, table in _of_several(path, loose, layouts, unlimited):
        found.append(table)
        _refuse_again(table, label, homes)
    if not found:
        raise InputError(f"{path}: holds no contests; each is a file that ends in .json.")
    if len(found) > 1:
        _refuse_nameless(found)
    return _joined(found)


def _refuse_again(table: Table, label: str, homes: dict[str, str]) -> None:
    """Raise if a contest stands in two files."""
    if "contest" not in table.frame.columns:
        return
    for contest in table.frame["contest"].drop_nulls().unique(maintain_order=True):
        if contest in homes:
            raise InputError(
                f"{label}: contest {contest!r} is already in {homes[contest]}; "
                f"each contest stands in one file."
            )
        homes[contest] = label


def _refuse_nameless(found: Sequence[Table]) -> None:
    """Raise if one of several files does not say which contest it is."""
    for table in found:
        names = table.frame.get_column("contest", default=None)
        if (names is None and "player_a" not in table.frame.columns) or (
            names is not None and names.null_count()
        ):
            raise InputError(
                f"{table.locate(0)}: does not say which contest it is, as a file among others "
                f"must; read it alone, with contest= and time= or --contest and --time."
            )


def _of_several(
    path: Path, loose: list[_Document], layouts: Sequence[str], unlimited: bool
) -> Iterator[tuple[str, Table]]:
    """Tables of files that belong together, those of each folder; raise for what remains."""
    if len(loose) == 1 and path.is_file():
        loose = [*loose, *_beside(path, loose[0], unlimited)]
    by_folder: dict[str, list[_Document]] = {}
    for document in loose:
        by_folder.setdefault(document.folder, []).append(document)
    for documents in by_folder.values():
        yield from _of_folder(path, documents, layouts)


def _of_folder(
    path: Path, documents: list[_Document], layouts: Sequence[str]
) -> Iterator[tuple[str, Table]]:
    label = documents[0].label
    exported = {each.stem: each.content for each in documents if ctfd.is_table(each.content)}
    if "ctfd" in layouts and ctfd.is_export(exported):
        where = str(path) if len(documents) > 1 else label
        yield label, ctfd.parse_export(where, path.stem, exported)
        documents = [each for each in documents if each.stem not in exported]
    if "icpc" in layouts:
        parts = [
            icpc.Part(each.label, each.stem, kind, each.content)
            for each in documents
            if (kind := icpc.kind_of(each.stem, each.content)) is not None
        ]
        boards = [part for part in parts if part.kind == "scoreboard"]
        for board in boards:
            yield board.label, icpc.parse(board, parts)._replace(stem=board.stem)
        if boards:
            documents = [
                each for each in documents if icpc.kind_of(each.stem, each.content) is None
            ]
    if "challonge" in layouts:
        answers = [each for each in documents if challonge.recognises(each.content)]
        if answers:
            own = [challonge.Part(each.label, each.content) for each in answers]
            yield own[0].label, challonge.parse(own)._replace(stem=answers[0].stem)
            documents = [each for each in documents if not challonge.recognises(each.content)]
    for each in documents:
        if "table" not in layouts or not json_tables.recognises(each.content):
            _refuse_unknown(each, layouts)
        yield each.label, json_tables.parse(each.label, each.stem, each.content, False)


def _beside(path: Path, one: _Document, unlimited: bool) -> Iterator[_Document]:
    """Names of teams or participants out of files beside the only one, if it lacks them."""
    if icpc.kind_of(one.stem, one.content) != "scoreboard" and not challonge.recognises(
        one.content
    ):
        return
    for stem in _BESIDE:
        near = path.with_name(f"{stem}.json")
        if near != path and near.is_file():
            file = _File(str(near), stem, one.folder, near.read_bytes())
            content = _decoded(file, unlimited)
            kind = icpc.kind_of(stem, content)
            if (kind is not None and kind != "scoreboard") or challonge.recognises(content):
                yield _Document(file.label, stem, one.folder, content)


def json_files(folder: Path) -> list[Path]:
    """The .json files in a folder and in those inside it, without hidden ones and ratings."""
    paths = [path for path in folder.rglob("*") if path.is_file() and not _is_of_ratings(path)]
    return [path for path in paths if _is_visible_json(path.relative_to(folder))]


def _is_of_ratings(path: Path) -> bool:
    """Whether it lies in a folder that `podium rate` wrote, perhaps among the results."""
    return path.name == "about.json" and (path.parent / "beliefs.npz").is_file()


def _is_visible_json(path: PurePath) -> bool:
    return path.suffix.lower() == ".json" and not is_hidden(path)


def is_hidden(path: PurePath) -> bool:
    """Whether it, or a folder that it is in, is meant for programs only."""
    return any(part.startswith(".") or part == "__MACOSX" for part in path.parts)


def _files(path: Path, unlimited: bool) -> Iterator[_File]:
    if path.is_dir():
        for part in sorted(json_files(path), key=lambda part: natural(str(part))):
            yield _File(str(part), part.stem, str(part.parent), part.read_bytes())
        return
    start = contents.start_of(path)
    if path.suffix.lower() == ".zip" or start.startswith(b"PK\x03\x04"):
        yield from _zipped_files(path, unlimited)
        return
    data = b"".join(contents.pieces(path, unlimited=unlimited))
    stem = path.with_suffix("").stem if start.startswith(contents.PACKED) else path.stem
    yield _File(str(path), stem, "", data)


def _zipped_files(path: Path, unlimited: bool) -> Iterator[_File]:
    allowance = limits.Allowance(path, path.stat().st_size, unlimited=unlimited)
    with _explained(path), zipfile.ZipFile(path) as archive:
        for entry in sorted(archive.infolist(), key=lambda entry: natural(entry.filename)):
            inside = PurePosixPath(entry.filename)
            if _is_visible_json(inside):
                label = f"{path}/{inside}"
                if entry.flag_bits & 1:
                    raise InputError(f"{label}: is encrypted; unpack the archive first.")
                folder = str(inside.parent)
                yield _File(label, inside.stem, folder, _inflated(archive, entry, allowance))


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


def _refuse_unknown(document: _Document, layouts: Sequence[str]) -> Never:
    what = f"not {_LAYOUTS[layouts[0]][0]}" if len(layouts) == 1 else _ANY
    raise InputError(f"{document.label}: is {what}; it holds {_described(document.content)}.")


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
    frame = pl.concat([table.frame for table in tables], how="diagonal_relaxed")
    starts = list(itertools.accumulate((table.frame.height for table in tables), initial=0))

    def locate(row: int) -> str:
        number = bisect.bisect_right(starts, row) - 1
        return tables[number].locate(row - starts[number])

    formats = dict.fromkeys(table.format for table in tables)
    said = dict.fromkeys(sentence for table in tables for sentence in table.assumptions)
    return Table(
        frame.select(column for column in frame if column.null_count() < frame.height),
        locate,
        " and ".join(formats),
        tuple(said),
        tables[0].stem if len(tables) == 1 else "",
        called=tables[0].called if len(formats) == 1 else {},
    )
