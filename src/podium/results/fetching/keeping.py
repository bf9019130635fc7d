"""Answers of a site as files in a folder, and what was learnt besides."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from podium.errors import (
    BusyError,
    ConflictError,
    InputError,
    NoResultsError,
    PodiumError,
    StorageError,
)
from podium.files import as_path, reason, replacing
from podium.progress import Progress, reporting
from podium.results import reading
from podium.results.contests import Contests
from podium.results.fetching.client import RefusedError, UnansweredError
from podium.wording import counted

NOTE = ".podium-fetch.json"
"""A hidden file, which `podium.read` passes over."""


@dataclass(slots=True)
class Fetched:
    """What became of everything that was asked for."""

    downloaded: list[str] = field(default_factory=list)
    already_there: list[str] = field(default_factory=list)
    unrated: list[str] = field(default_factory=list)
    """Those without results that could be rated."""
    failed: dict[str, str] = field(default_factory=dict)
    """What the site refused or answered unusably, with the reason."""

    def document(self, out: str | os.PathLike[str]) -> dict[str, Any]:
        """As JSON says it, with the folder.

        Example:
            >>> Fetched(["1500"], failed={"1501": "refused"}).document("rounds")["failed"]
            {'1501': 'refused'}
        """
        return {"out": str(out), **asdict(self)}


class Keeper:
    """A folder of answers, one file each, that `podium.read` takes.

    A hidden file notes what the folder holds, so that answers of two kinds are not mixed, which
    contests have no results, and which answers will not change any more.

    Args:
        folder: Where; it is made if it does not exist.
        holds: The kind of the answers, e.g. "contest.standings of Codeforces".
        format: Their format, one of `podium.results.formats.FORMATS`.
    """

    def __init__(self, folder: str | os.PathLike[str], holds: str, format: str) -> None:
        self.folder = as_path(folder)
        self._format = format
        self._note = {"holds": holds, "unrated": [], "final": [], **self._noted(holds)}
        self._write_note()

    def has(self, name: str) -> bool:
        """Whether there is a file of that name."""
        return self._path(name).is_file()

    def is_noted(self, kind: str, name: str) -> bool:
        """Whether it was noted as of the kind, 'unrated' or 'final'."""
        return name in self._note[kind]

    def note(self, kind: str, name: str) -> None:
        """Remember for the next time that it is 'unrated' or 'final'."""
        if name not in self._note[kind]:
            self._note[kind].append(name)
            self._write_note()

    def save(self, name: str, body: bytes, *, contest: str | None = None) -> None:
        """Keep an answer as it came, if podium can read it.

        Raises:
            NoResultsError: It holds nobody's results.
            RefusedError: It cannot be read, or is not of the contest that was asked for.
        """
        with replacing(self._path(name)) as temporary:
            temporary.write_bytes(body)
            for found in self._read(temporary):
                if contest not in (None, found.id):
                    raise RefusedError(f"the answer is of contest {found.id}")

    def _read(self, path: Path) -> Contests:
        try:
            return reading.read(path, format=self._format)
        except NoResultsError:
            raise
        except PodiumError as error:
            told = str(error).replace(str(path), "the answer").rstrip(".")
            raise RefusedError(told) from None

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def _noted(self, holds: str) -> dict[str, Any]:
        path = self.folder / NOTE
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError(f"{self.folder}: cannot be a folder, because a file has that name.")
        try:
            note = json.loads(path.read_bytes())
            lists = [note[kind] for kind in ("unrated", "final")]
            if not all(isinstance(each, list) for each in lists):
                raise TypeError
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            raise StorageError(f"{path}: cannot be read ({reason(error)}).") from None
        except (ValueError, KeyError, TypeError):
            raise StorageError(
                f"{path}: is damaged; without it, everything goes on, and contests that are "
                f"unrated are asked for once more."
            ) from None
        if note.get("holds") != holds:
            raise ConflictError(
                f"{self.folder}: is for {note.get('holds')}, not for {holds}; "
                f"choose another folder."
            )
        return dict(note)

    def _write_note(self) -> None:
        with replacing(self.folder / NOTE) as temporary:
            temporary.write_text(json.dumps(self._note, indent=1), encoding="utf-8")


def fetch_each(
    names: Sequence[str],
    keeper: Keeper,
    fetch_one: Callable[[str], bool | None],
    *,
    what: str,
    progress: Progress | None = None,
) -> Fetched:
    """Fetch one after the other; what became of them.

    Args:
        names: What to fetch, in this order.
        keeper: Where it goes.
        fetch_one: Whether it was downloaded; False for what has no results, None for what is there.
        what: What one of them is called, e.g. "contest".
        progress: True for a bar, or a function that is told those done, and all.

    Raises:
        PodiumError: The site gave no answer any more; what is there by then stays.
    """
    fetched = Fetched()
    outcomes = {
        True: fetched.downloaded,
        False: fetched.unrated,
        None: fetched.already_there,
    }
    with reporting(progress, f"Fetching {what}s") as report:
        for number, name in enumerate(names):
            report(number, len(names))
            try:
                outcomes[fetch_one(name)].append(name)
            except RefusedError as error:
                fetched.failed[name] = str(error)
            except UnansweredError as error:
                there = sum(map(keeper.has, names))
                raise BusyError(
                    f"{what} {name}: {error}; {keeper.folder} has {there:,} of "
                    f"{counted(len(names), what)}, and the same command goes on from there."
                ) from None
        report(len(names), len(names))
    return fetched
