"""The folder of a published site: only what changed is written, only what was ours is removed."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from podium.errors import ConflictError, InputError, StorageError
from podium.files import as_path, reason

MANIFEST = "podium-site.txt"
"""The list of all files of the site, by which a later run knows what is its own."""
_HEAD = "podium site 1"
_PART = ".podium-part"
"""A file that is being written; it is moved to its place when it is complete."""
_PATH = re.compile(r"(?:[a-z0-9~_-]+/){0,2}[a-z0-9~_-]+(?:\.[a-z0-9]+)+")
"""What files of a site can be called; nothing else is believed of a list."""


class SiteFolder:
    """Where a site is written, as a block of `with`.

    Every file appears complete or not at all. When the block ends well, files of an earlier run
    that were not written again are removed; other people's files stay as they are. If it fails,
    nothing is removed, and the next run goes on from what is there.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = as_path(folder)
        self.written = self.unchanged = self.removed = self.bytes = 0
        self._earlier = _listed(self.path)
        self._now: set[str] = set()
        self._list: IO[str] | None = None

    def write(self, name: str, body: str | bytes) -> None:
        """Put a file there, unless it is there already."""
        if not _PATH.fullmatch(name) or name in self._now:
            raise AssertionError(f"{name!r} is no name of a file, or is written twice")
        content = body.encode() if isinstance(body, str) else body
        self._now.add(name)
        self.bytes += len(content)
        target = self.path / name
        if _holds(target, content):
            self.unchanged += 1
            return
        self._announce(name)
        self._put(target, content)
        self.written += 1

    def _put(self, target: Path, content: bytes) -> None:
        temporary = self.path / _PART
        with _explained(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(content)
            os.replace(temporary, target)

    def _announce(self, name: str) -> None:
        """List a new file before it is there, lest an interrupted run leaves what nobody owns."""
        if name not in self._earlier and self._list is not None:
            self._list.write(f"{name}\n")
            self._list.flush()

    def __enter__(self) -> "SiteFolder":
        with _explained(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            fresh = not (self.path / MANIFEST).exists()
            self._list = open(self.path / MANIFEST, "a", encoding="utf-8")
            if fresh:
                self._list.write(f"{_HEAD}\n")
                self._list.flush()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._list is not None:
            self._list.close()
        if kind is not None:
            with suppress(OSError):
                (self.path / _PART).unlink(missing_ok=True)
            return
        with _explained(self.path):
            for name in sorted(self._earlier - self._now, reverse=True):
                self._remove(name)
        self._put(self.path / MANIFEST, "\n".join([_HEAD, *sorted(self._now), ""]).encode())

    def _remove(self, name: str) -> None:
        target = self.path / name
        folders = [each for each in target.parents if each.is_relative_to(self.path)][:-1]
        if any(each.is_symlink() for each in folders) or target.is_dir():
            return  # somebody has put something else there
        if target.exists() or target.is_symlink():
            target.unlink()
            self.removed += 1
        for each in folders:
            with suppress(OSError):  # it holds other files
                each.rmdir()


def _listed(path: Path) -> set[str]:
    """The files of an earlier run; raise if the folder is not for us to write to."""
    with _explained(path):
        if path.exists() and not path.is_dir():
            raise InputError(f"{path}: is a file; a site needs a folder of its own.")
        if not path.is_dir() or not any(path.iterdir()):
            return set()
        try:
            lines = (path / MANIFEST).read_text(encoding="utf-8").splitlines()
        except (FileNotFoundError, UnicodeDecodeError):
            lines = []
    if lines[:1] != [_HEAD]:
        raise ConflictError(
            f"{path}: has other files in it and no {MANIFEST}, so it is no site that podium "
            f"published; a new or empty folder is right."
        )
    return {each for each in lines[1:] if _PATH.fullmatch(each)}


def _holds(path: Path, content: bytes) -> bool:
    """Whether a file has this content already."""
    try:
        return path.stat().st_size == len(content) and path.read_bytes() == content
    except OSError:
        return False


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path}: cannot be written ({reason(error)}).") from None
