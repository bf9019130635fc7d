"""One shared pool of threads per size, for kernels that release the interpreter lock."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
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
    """Call `function` on every task, on up to `threads` threads; all have ended on return.

    This thread is one of them. Each takes the next task when it has done one: a thread is woken
    once, not for every task.
    """
    if threads <= 1:
        for task in tasks:
            function(task)
        return
    waiting = list(tasks)
    left = iter(waiting)  # of a list, from which threads take one after the other

    def work() -> None:
        try:
            for task in left:
                function(task)
        except BaseException:
            for _ in left:  # nobody goes on with the rest
                pass
            raise

    others = [pool(threads).submit(work) for _ in range(min(threads, len(waiting)) - 1)]
    try:
        work()
    finally:
        wait([each for each in others if not each.cancel()])
    for each in others:
        if not each.cancelled():
            each.result()


def in_chunks(
    function: Callable[[int, int], object], rows: int, threads: int, size: int = CHUNK
) -> None:
    """Call `function` on the first and last row of every chunk of so many rows."""
    for_each(lambda first: function(first, min(first + size, rows)), range(0, rows, size), threads)
