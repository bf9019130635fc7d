"""A search that can be continued: a file with a line for what is searched and one for each trial.

Lines are JSON. A trial is written as soon as it is scored, so that nothing is lost with
the process; a last line that was cut short is dropped.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple, Self

from podium.documents import plain
from podium.errors import ConflictError, InputError, StorageError
from podium.files import as_path, reason, replacing, uninterrupted

_TITLE = "podium tune"


class Trial(NamedTuple):
    """Values of the parameters that are tuned, and how good they were."""

    number: int
    """0 is the default; others count from 1."""
    parameters: dict[str, Any]
    score: float | None
    """None if it failed."""
    failure: str | None = None
    """Why it did, as a sentence."""


class Study:
    """The trials in a file, which grows with `add`; without a path, they are kept nowhere."""

    def __init__(self, path: str | os.PathLike[str] | None, about: dict[str, Any]) -> None:
        """Open a study of what `about` says, or begin one; that of something else is refused."""
        self.trials: dict[int, Trial] = {}
        self._path = None if path is None else as_path(path)
        self._about = plain(about)
        self._file: FileIO | None = None
        if self._path is not None:
            with _explained(self._path):
                if self._path.exists() and self._path.stat().st_size:
                    os.truncate(self._path, self._read(self._path))

    def add(self, trial: Trial) -> None:
        """Keep a trial; the file appears with the first."""
        if self._path is None:
            self.trials[trial.number] = trial
            return
        said = {
            "trial": trial.number,
            "parameters": plain(trial.parameters),
            "score": plain(trial.score),
            **({} if trial.failure is None else {"failure": trial.failure}),
        }
        with _explained(self._path), uninterrupted():
            if self._file is None:
                self._file = self._opened(self._path)
            line = _line(said)
            while line:
                line = line[self._file.write(line) :]
            self.trials[trial.number] = trial

    def _opened(self, path: Path) -> FileIO:
        if not path.exists() or not path.stat().st_size:
            with replacing(path) as temporary:
                temporary.write_bytes(_line({_TITLE: self._about}))
        return FileIO(path, "a")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def _read(self, path: Path) -> int:
        """Take over the trials; the length of the file without a line that was cut short."""
        *lines, cut = path.read_bytes().split(b"\n")
        found = _parsed(lines[0]) if lines else None
        if not isinstance(found, dict) or not isinstance(found.get(_TITLE), dict):
            raise StorageError(f"{path}: is not a study that podium tune wrote.")
        _refuse_other(path, found[_TITLE], self._about)
        for number, line in enumerate(lines[1:], start=2):
            try:
                trial = _trial(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError):
                raise StorageError(f"{path}, line {number}: is not a trial.") from None
            self.trials.setdefault(trial.number, trial)
        return path.stat().st_size - len(cut)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Say of what the system refuses which file is not to be used, and why."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: cannot be used as a study ({reason(error)}).") from None


def _refuse_other(path: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Raise if a study is not of what is wanted, saying in what they differ."""
    for key in [*wanted, *found]:
        if found.get(key) != wanted.get(key):
            if key == "results":
                raise ConflictError(
                    f"{path}: is a study of other results, or of another share of them."
                )
            raise ConflictError(
                f"{path}: is a study of something else, with {key} {json.dumps(found.get(key))} "
                f"and not {json.dumps(wanted.get(key))}."
            )


def _trial(line: dict[str, Any]) -> Trial:
    score = line["score"]
    parameters = {str(name): _back(value) for name, value in line["parameters"].items()}
    if not isinstance(line["trial"], int):
        raise TypeError
    return Trial(
        line["trial"], parameters, None if score is None else float(score), line.get("failure")
    )


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _line(document: dict[str, Any]) -> bytes:
    return json.dumps(document, allow_nan=False, ensure_ascii=False).encode() + b"\n"


def _back(value: Any) -> Any:
    return float(value) if value in ("inf", "-inf") else value
