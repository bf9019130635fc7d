"""One shared pool of threads per size, for kernels that release the interpreter lock."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

T = TypeVar("T")

LARGE = 4096
"""Contests of more rows are taken step by step, so that threads can share the rows of a step."""
CHUNK = 1024
"""Rows that one thread takes at a time."""


@cache
def pool(threads: int) -> ThreadPoolExecutor:
    """So many threads, which all who ask share."""
    return ThreadPoolExecutor(threads, thread_name_prefix="podium")


if hasattr(os, "register_at_fork"):  # a child has none of its parent's threads
    os.register_at_fork(after_in_child=pool.cache_clear)


def for_each(function: Callable[[T], object], tasks: Iterable[T], threads: int) -> None:
    """Call `function` on every task, on up to `threads` threads; all have ended on return."""
    if threads <= 1:
        for task in tasks:
            function(task)
        return
    for _ in pool(threads).map(function, tasks):
        pass


def in_chunks(
    function: Callable[[int, int], object], rows: int, threads: int, size: int = CHUNK
) -> None:
    """Call `function` on the first and last row of every chunk of so many rows."""
    for_each(lambda first: function(first, min(first + size, rows)), range(0, rows, size), threads)
