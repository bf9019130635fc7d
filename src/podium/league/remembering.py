"""Answers that were long to find, kept for who asks again."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

V = TypeVar("V")


class Remembered(Generic[V]):
    """The last few answers, by what was asked; for any number of threads.

    Who asks what another is just finding out waits for that answer.

    Example:
        >>> squares = Remembered[int](2)
        >>> [squares.found(each, lambda: each * each) for each in (2, 3, 2)]
        [4, 9, 4]
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._finding: dict[Hashable, threading.Lock] = {}
        self._answers: OrderedDict[Hashable, V] = OrderedDict()

    def found(self, asked: Hashable, find: Callable[[], V]) -> V:
        """The answer that is kept, or else the one that is found."""
        while True:
            with self._lock:
                if asked in self._answers:
                    self._answers.move_to_end(asked)
                    return self._answers[asked]
                turn = self._finding.setdefault(asked, threading.Lock())
            with turn:
                if self._finding.get(asked) is turn:
                    return self._find(asked, find)
            # Another has found it meanwhile, or failed to: look again.

    def _find(self, asked: Hashable, find: Callable[[], V]) -> V:
        """Find an answer and keep it, before the next may look for it."""
        try:
            answer = find()
            with self._lock:
                self._answers[asked] = answer
                while len(self._answers) > self._most:
                    self._answers.popitem(last=False)
            return answer
        finally:
            with self._lock:
                del self._finding[asked]
