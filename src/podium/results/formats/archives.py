"""Archives (.zip): what is in them, unpacked within limits, and tables out of them as files."""

import io
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath, PurePosixPath
from typing import IO, NamedTuple

from podium.errors import InputError, PodiumError, StorageError
from podium.results.formats import contents, limits, recognition
from podium.results.formats.text import first_line
from podium.results.tables import natural

_PIECE = 2**20


class Member(NamedTuple):
    """A file in an archive."""

    inside: PurePosixPath
    archive: zipfile.ZipFile
    entry: zipfile.ZipInfo
    label: str
    """What messages call it."""
    allowance: limits.Allowance

    def pieces(self) -> Iterator[bytes]:
        """What it holds."""
        if self.entry.flag_bits & 1:
            raise InputError(f"{self.label}: is encrypted; unpack the archive first.")
        with self.archive.open(self.entry) as stream:
            while piece := stream.read(_PIECE):
                self.allowance.spend(len(piece))
                yield piece

    def read(self) -> bytes:
        """The same, as a whole."""
        whole = io.BytesIO()
        self.write(whole)
        return whole.getvalue()

    def write(self, target: IO[bytes]) -> None:
        """The same, into a file."""
        for piece in self.pieces():
            target.write(piece)


@contextmanager
def opened(path: Path, *, unlimited: bool) -> Iterator[list[Member]]:
    """The visible files in an archive, in natural order."""
    allowance = limits.Allowance(path, path.stat().st_size, unlimited=unlimited)
    with _explained(path), zipfile.ZipFile(path) as archive:
        entries = sorted(archive.infolist(), key=lambda entry: natural(entry.filename))
        inside = [(PurePosixPath(entry.filename), entry) for entry in entries if not entry.is_dir()]
        yield [
            Member(name, archive, entry, f"{path}/{name}", allowance)
            for name, entry in inside
            if not is_hidden(name)
        ]


def is_hidden(path: PurePath) -> bool:
    """Whether it, or a folder that it is in, is meant for programs only."""
    return any(part.startswith(".") or part == "__MACOSX" for part in path.parts)


def is_archive(path: Path) -> bool:
    """Whether a file is a .zip, and no workbook."""
    if not path.is_file() or not contents.start_of(path).startswith(b"PK\x03\x04"):
        return False
    return recognition.of_source(path, None).format == "json"


def with_tables(
    members: Sequence[Member], folder: Path, format: str | None
) -> list[tuple[Path, PurePosixPath]]:
    """The tables and games of an archive, as files in a folder, and what they are called there.

    Each is in a folder of its own, because names of folders in archives are not to be trusted.
    """
    found = []
    for number, member in enumerate(members):
        named = recognition.table_format(Path(member.inside.name))
        if named is not None and format in (None, named):
            file = folder / str(number) / member.inside.name
            file.parent.mkdir(parents=True)
            with file.open("wb") as target:
                member.write(target)
            found.append((file, member.inside))
    return found


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
