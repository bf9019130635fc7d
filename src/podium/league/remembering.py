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
        with self._lock:
            turn = self._finding.setdefault(asked, threading.Lock())
        with turn:
            with self._lock:
                if asked in self._answers:
                    self._answers.move_to_end(asked)
                    return self._answers[asked]
            try:
                answer = find()
            finally:
                with self._lock:
                    self._finding.pop(asked, None)
            with self._lock:
                self._answers[asked] = answer
                while len(self._answers) > self._most:
                    self._answers.popitem(last=False)
            return answer
