"""Files of organisers: how they come in, wait, and are read in a process of their own."""

import json
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import polars as pl
from starlette.datastructures import FormData, UploadFile

from podium.checking import Check, checked
from podium.errors import InputError, PodiumError
from podium.league.drafts import LARGEST, Draft
from podium.results.contests import Contests
from podium.results.options import Options
from podium.results.reading import plain_understood, rows_apart, rows_understood
from podium.results.starting import ratings_understood
from podium.results.understanding import Understanding
from podium.web.uploads import LIMITS, turn

MOST_FILES = 50
_KEPT = 4
"""Readings that are remembered, because people look at one several times."""
_LONGEST_NAME = 120
"""Bytes of a file's name."""
_PASTED = "pasted"
_BEGINNINGS = {"[Event": ".pgn", "{": ".json", "[": ".json"}


@dataclass(frozen=True)
class Upload:
    """A file that somebody gave."""

    name: str
    data: bytes


def uploads_in(form: FormData) -> list[Upload]:
    """The files of a form, and what was pasted into it as a table."""
    found = []
    for each in form.getlist("files"):
        if isinstance(each, UploadFile) and (each.filename or each.size):
            found.append(Upload(plain_name(each.filename or ""), each.file.read()))
    pasted = form.get("pasted", "")
    if isinstance(pasted, str) and pasted.strip():
        text = pasted.lstrip().removeprefix("\ufeff")
        end = next((end for start, end in _BEGINNINGS.items() if text.startswith(start)), ".csv")
        found.append(Upload(_PASTED + end, pasted.replace("\r\n", "\n").encode("utf-8", "replace")))
    if len(found) > MOST_FILES:
        raise InputError(f"{len(found)} files were given; at most {MOST_FILES} are taken at once.")
    empty = next((each.name for each in found if not each.data), None)
    if empty is not None:
        raise InputError(f"{empty}: is empty.")
    if sum(len(each.data) for each in found) > LARGEST:
        raise InputError(f"the files have more than {LARGEST:,} bytes together.")
    return found


def plain_name(name: str) -> str:
    r"""What a file is called here, whatever somebody called it: no folder, nothing odd, not long.

    Example:
        >>> plain_name("C:\\Users\\ann\\week 3.csv"), plain_name("../../etc/passwd")
        ('week 3.csv', 'passwd')
        >>> plain_name(".."), plain_name("a\x00b\n.csv")
        ('file', 'a_b_.csv')
    """
    last = PurePosixPath(name.replace("\\", "/")).name
    shown = "".join(each if each.isprintable() else "_" for each in last).strip(" .")
    stem, dot, end = shown.rpartition(".")
    if not dot or len(end) > 10:
        stem, end = shown, ""
    while len(stem.encode("utf-8", "replace")) > _LONGEST_NAME:
        stem = stem[:-1]
    return (f"{stem}.{end}" if end else stem) or "file"


def packed(files: Sequence[Upload]) -> tuple[list[dict[str, Any]], bytes]:
    """Files as a draft keeps them: what they are called and how long they are, and all of them."""
    names: list[str] = []
    for each in files:
        name, number = each.name, 1
        while name in names:
            number += 1
            name = f"{number}-{each.name}"
        names.append(name)
    about = [
        {"name": name, "size": len(each.data)} for name, each in zip(names, files, strict=True)
    ]
    return about, b"".join(each.data for each in files)


@contextmanager
def laid_out(draft: Draft) -> Iterator[tuple[Path, list[Path]]]:
    """The files of a draft in a folder, while they are read."""
    with tempfile.TemporaryDirectory(prefix="podium-") as name:
        folder, paths, start = Path(name), [], 0
        for each in draft.about["files"]:
            path = folder / each["name"]
            path.write_bytes(draft.content[start : start + each["size"]])
            start += each["size"]
            paths.append(path)
        yield folder, paths


@dataclass(frozen=True)
class Reading:
    """What was made of files."""

    report: Check | None = None
    """Of results: what `podium check` says."""
    understanding: Understanding | None = None
    """Of other tables: how they were understood."""
    contests: Contests | None = None
    rows: pl.DataFrame | None = None
    error: str | None = None
    """Why they are refused."""
    folder: str = ""
    """Where they were meanwhile, which nobody needs to know."""

    def plain(self, said: Any) -> Any:
        """A document without that place in it."""
        if isinstance(said, dict):
            return {key: self.plain(value) for key, value in said.items()}
        if isinstance(said, list):
            return [self.plain(each) for each in said]
        return said.replace(self.folder, "") if isinstance(said, str) and self.folder else said


def read(draft: Draft, options: Options, chosen: dict[str, Any]) -> Reading:
    """Read the files of a draft, in processes of their own."""
    takes = _ROWS.get(draft.about["operation"])
    with turn(), laid_out(draft) as (folder, paths):
        place = f"{folder}/"
        try:
            if takes is None:
                return _results(paths, options, chosen, place)
            if len(paths) > 1:
                raise InputError(f"{len(paths)} files were given, but one table is needed.")
            rows, report = takes(paths[0], options)
            if not rows.height:
                raise InputError(f"{paths[0].name}: has no rows.")
        except PodiumError as error:
            return Reading(error=str(error).replace(place, ""), folder=place)
        return Reading(understanding=report, rows=rows, folder=place)


def _results(
    paths: Sequence[Path], options: Options, chosen: dict[str, Any], place: str
) -> Reading:
    report = checked(
        list(paths), options, isolated=LIMITS, chosen=lambda each, _: _chosen(each, chosen)
    )
    error = None if report.error is None else str(report.error).replace(place, "")
    return Reading(report, contests=report.contests, error=error, folder=place)


def _chosen(contests: Contests, said: dict[str, Any]) -> Contests:
    """Those of the contests that are meant, as they are meant."""
    if said.get("ignore_teams"):
        contests = contests.without_teams()
    if said.get("ignore_ladders"):
        contests = contests.without_ladders()
    name = said.get("ladder")
    if not name:
        return contests
    ladders = contests.ladders or []
    if name not in ladders:
        raise InputError(f"there is no ladder {name!r} in the results.")
    return contests.by_ladder()[name]


def _late(path: Path, options: Options) -> tuple[pl.DataFrame, Understanding]:
    return rows_understood(path, options, isolated=LIMITS)


def _starts(path: Path, options: Options) -> tuple[pl.DataFrame, Understanding]:
    return ratings_understood(path, options, isolated=LIMITS)


def _people(path: Path, options: Options) -> tuple[pl.DataFrame, Understanding]:
    return rows_apart(f"reading.{plain_understood.__name__}", path, LIMITS, options)


_ROWS: dict[str, Callable[[Path, Options], tuple[pl.DataFrame, Understanding]]] = {
    "add": _late,
    "start": _starts,
    "describe-players": _people,
}
"""What reads tables that hold no whole contests, for the changes that take them."""


class Readings:
    """What was read lately, so that a file is not read again for every page about it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Reading] = OrderedDict()

    def of(self, draft: Draft, options: Options, chosen: dict[str, Any]) -> Reading:
        """What is in the files of a draft."""
        said = [draft.id, draft.about["operation"], options.document(), chosen]
        key = json.dumps(said, sort_keys=True)
        with self._lock:
            found = self._known.get(key)
            if found is not None:
                self._known.move_to_end(key)
                return found
        found = read(draft, options, chosen)
        with self._lock:
            self._known[key] = found
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return found
