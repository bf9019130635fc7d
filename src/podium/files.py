"""Files that appear complete or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from podium.errors import PodiumError


@contextmanager
def replacing(path: str | os.PathLike[str], *, folder: bool = False) -> Iterator[Path]:
    """A temporary path beside `path`, which takes its place when the block ends well.

    If the block fails or is interrupted, the temporary is removed and `path` is as it was.
    An existing folder is not replaced as a whole: its files are, one by one, and files that
    the block did not write stay.
    """
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if folder and target.exists() and not target.is_dir():
            raise PodiumError(f"{target}: cannot be a folder, because a file has that name.")
        holder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise PodiumError(f"{target}: cannot be written ({reason(error)}).") from None
    temporary = holder / target.name
    try:
        if folder:
            temporary.mkdir()
        yield temporary
        if folder and target.exists():
            for part in sorted(temporary.iterdir()):
                os.replace(part, target / part.name)
        else:
            os.replace(temporary, target)
    except OSError as error:
        raise PodiumError(f"{target}: cannot be written ({reason(error)}).") from None
    finally:
        shutil.rmtree(holder, ignore_errors=True)


def reason(error: OSError) -> str:
    """Why the system refused, in its own words."""
    return (error.strerror or str(error) or type(error).__name__).lower()
