"""Fixtures for readers and writers: a folder of their own, so that messages show short paths."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from podium import PodiumError
from podium.results.reading import read


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def refusal() -> Callable[..., str]:
    """What `read` says of a file with the given contents."""

    def says(path: str, contents: str | bytes | None = None, **options: Any) -> str:
        if contents is not None:
            data = contents.encode() if isinstance(contents, str) else contents
            Path(path).write_bytes(data)
        with pytest.raises(PodiumError) as caught:
            read(path, **options)
        return str(caught.value)

    return says
