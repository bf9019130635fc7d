"""How many transactions something takes."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, event


@contextmanager
def transactions() -> Iterator[list[int]]:
    """How many begin in a block; the list has one element."""
    count = [0]

    def begun(_: object) -> None:
        count[0] += 1

    event.listen(Engine, "begin", begun)
    try:
        yield count
    finally:
        event.remove(Engine, "begin", begun)
