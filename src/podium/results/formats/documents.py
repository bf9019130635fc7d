"""JSON files that hold contests: one file, a folder or a .zip of them.

Every file is recognised by its keys, so a folder may mix the layouts. Some layouts have several
files, which belong together if they are in one folder.
"""

import bisect
import datetime
import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import Any, NamedTuple, Never

import polars as pl

from podium.errors import InputError, PodiumError
from podium.results.formats import (
    archives,
    atcoder,
    challonge,
    codeforces_api,
    contents,
    contest_files,
    ctfd,
    ctftime,
    ctftime_feed,
    fields,
    icpc,
    json_tables,
    limits,
    startgg,
)
from podium.results.formats.text import first_line
from podium.results.options import Options
from podium.results.tables import natural
from podium.results.understanding import stems
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
_SINGLE = [name for name in _LAYOUTS if name not in ("icpc", "challonge", "startgg", "table")]
_BESIDE = ("teams", "organizations", "groups", "contest", "participants", "tournament")
"""Files that say more of one that is read alone, if they are beside it."""
_EXPORT = ("db/users.json", "db/challenges.json", "db/submissions.json")
"""What every export of CTFd has, beside files that were uploaded to it."""


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


def read(path: Path, layouts: Sequence[str], options: Options) -> Table:
    """The contests of a file, folder or archive as one table."""
    found: list[Table] = []
    homes: dict[str, str] = {}
    loose: list[_Document] = []
    for file in _files(path, options.unlimited):
        content = _decoded(file, options.unlimited)
        name = next((each for each in _SINGLE if _LAYOUTS[each][1].recognises(content)), None)
        if name is None or name not in layouts:
            loose.append(_Document(file.label, file.stem, file.folder, content))
            continue
        found.append(_LAYOUTS[name][1].parse(file.label, file.stem, content, options.rerank))
        found[-1] = found[-1]._replace(stem=found[-1].stem or file.stem)
        _refuse_again(found[-1], file.label, homes)
    for label, table in _of_several(path, loose, layouts, options.unlimited):
        found.append(table)
        _refuse_again(table, label, homes)
    if not found:
        raise InputError(
            f"{path}: holds no contests: no table such as a .csv, no .pgn and no .json file."
        )
    if len(found) > 1 and options.from_name:
        found = _named_by_files(found, options)
    if len(found) > 1:
        _refuse_nameless(found)
    return _joined(found)


def recognised(path: Path, layouts: Sequence[str], options: Options) -> str:
    """What the first file of a source is, for whoever could not read it."""
    for file in _files(path, options.unlimited):
        content = _decoded(file, options.unlimited)
        for name in layouts:
            if name == "icpc" and icpc.kind_of(file.stem, content) is not None:
                return _LAYOUTS[name][0]
            if name != "icpc" and _LAYOUTS[name][1].recognises(content):
                return _LAYOUTS[name][0]
    return "JSON"


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


def _named_by_files(found: list[Table], options: Options) -> list[Table]:
    """Standings that name no contest or no time, called and dated by their files."""
    own = [table for table in found if "player_a" not in table.frame.columns]
    own = [table for table in own if _lacks(table, "contest") or _lacks(table, "time")]
    dated = stems.dated([table.stem for table in own], options.dates)
    undated = [
        table
        for table, each in zip(own, dated, strict=True)
        if each.date is None and _lacks(table, "time")
    ]
    if undated:
        raise InputError(
            f"{undated[0].locate(0).rpartition(', ')[0]}: has no date in its name, for from_name= "
            f"or --from-name to take."
        )
    names = [each.name for each in dated]
    if len(set(names)) < len(names):
        names = [table.stem for table in own]
    made = {
        id(table): _called(table, name, each.date)
        for table, name, each in zip(own, names, dated, strict=True)
    }
    return [made.get(id(table), table) for table in found]


def _called(table: Table, name: str, date: datetime.date | None) -> Table:
    said: dict[str, pl.Expr] = {}
    if _lacks(table, "contest"):
        said["contest"] = pl.lit(name)
    if _lacks(table, "time"):
        said["time"] = pl.lit(date).cast(pl.Datetime("us"))
    note = f"{' and '.join(said)} of every file {'is' if len(said) == 1 else 'are'} from its name."
    return table._replace(
        frame=table.frame.with_columns(**said),
        assumptions=(*table.assumptions, note),
        called={**table.called, **dict.fromkeys(said, "the file's name")},
    )


def _lacks(table: Table, name: str) -> bool:
    column = table.frame.get_column(name, default=None)
    return column is None or column.null_count() > 0


def _refuse_nameless(found: Sequence[Table]) -> None:
    """Raise if one of several files does not say which contest it is."""
    for table in found:
        names = table.frame.get_column("contest", default=None)
        if (names is None and "player_a" not in table.frame.columns) or (
            names is not None and names.null_count()
        ):
            raise InputError(
                f"{table.locate(0)}: does not say which contest it is, as a file among others "
                f"must; read it alone, with contest= and time= or --contest and --time, or, if the "
                f"names of all files have dates, say from_name=True or --from-name."
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
            used = {part.label for part in parts}
            documents = [
                each
                for each in documents
                if each.label not in used and not icpc.is_endpoint(each.stem)
            ]
    for layout, site in (("challonge", challonge), ("startgg", startgg)):
        answers = [each for each in documents if site.recognises(each.content)]
        if layout in layouts and answers:
            own = [fields.Part(each.label, each.stem, each.content) for each in answers]
            for parts_of_one in site.grouped(own):
                table = site.parse(parts_of_one)._replace(stem=parts_of_one[0].stem)
                yield parts_of_one[0].label, table
            documents = [each for each in documents if each not in answers]
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
        near = path.with_name(f"{stem}{path.suffix}")
        if near != path and near.is_file():
            file = _File(str(near), stem, one.folder, near.read_bytes())
            content = _decoded(file, unlimited)
            kind = icpc.kind_of(stem, content)
            if (kind is not None and kind != "scoreboard") or challonge.recognises(content):
                yield _Document(file.label, stem, one.folder, content)


def is_companion(path: Path) -> bool:
    """Whether a file is called as one that is read with another one beside it."""
    return path.stem in _BESIDE or (icpc.is_endpoint(path.stem) and path.stem != "scoreboard")


def takes_what_is_beside(path: Path) -> bool:
    """Whether a file holds a scoreboard or matches, with which those beside it are read."""
    try:
        (file,) = _files(path, unlimited=False)
        content = _decoded(file, unlimited=False)
    except (PodiumError, OSError, ValueError):  # which is refused where it is read
        return False
    return icpc.kind_of(file.stem, content) == "scoreboard" or challonge.recognises(content)


def json_files(folder: Path) -> list[Path]:
    """The .json files in a folder and in those inside it, without hidden ones and ratings.

    Those of the ICPC Contest API count without an extension, too, which their addresses lack.
    """
    paths = [path for path in folder.rglob("*") if path.is_file() and not _is_of_ratings(path)]
    inside = {path.relative_to(folder): path for path in paths}
    return [inside[each] for each in _that_count(inside)]


def _that_count(paths: Iterable[PurePath]) -> list[Any]:
    """Those of the files of a folder or archive that may hold contests."""
    found = [path for path in paths if is_json(path)]
    known = {path.as_posix() for path in found}
    homes = [path.parents[1] for path in found if path.match(_EXPORT[0])]
    uploads = [
        home / "uploads"
        for home in homes
        if all((home / each).as_posix() in known for each in _EXPORT)
    ]
    return [path for path in found if not any(each in path.parents for each in uploads)]


def _is_of_ratings(path: Path) -> bool:
    """Whether it lies in a folder that `podium rate` wrote, perhaps among the results."""
    return path.name == "about.json" and (path.parent / "beliefs.npz").is_file()


def is_json(path: PurePath) -> bool:
    """Whether a file may hold contests in JSON, by its name."""
    is_json = path.suffix.lower() == ".json" or icpc.is_endpoint(path.name)
    return is_json and not archives.is_hidden(path)


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
    with archives.opened(path, unlimited=unlimited) as members:
        wanted = set(_that_count(member.inside for member in members))
        for member in members:
            if member.inside in wanted:
                inside = member.inside
                yield _File(member.label, inside.stem, str(inside.parent), member.read())


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
