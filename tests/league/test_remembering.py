"""Answers that were long to find are found once, by one, and kept for a while."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from podium.league.remembering import Remembered

MANY = 8


def test_the_last_few_answers_are_kept():
    found: list[int] = []
    squares = Remembered[int](2)

    def ask(number: int) -> int:
        return squares.found(number, lambda: found.append(number) or number * number)

    assert [ask(each) for each in (1, 2, 1, 3, 1, 2)] == [1, 4, 1, 9, 1, 4]
    assert found == [1, 2, 3, 2]


def test_those_who_ask_the_same_at_once_have_it_found_by_one():
    begin, finding = threading.Barrier(MANY), 0
    answers = Remembered[object](4)

    def find() -> object:
        nonlocal finding
        finding += 1
        return object()

    def ask(_: int) -> object:
        begin.wait()
        return answers.found("it", find)

    with ThreadPoolExecutor(MANY) as threads:
        for round_number in range(1, 20):
            asked = list(threads.map(ask, range(MANY)))
            assert len({id(each) for each in asked}) == 1
            assert finding == round_number
            answers._answers.clear()


def test_nobody_waits_for_who_looks_for_something_else():
    answers, there = Remembered[str](4), threading.Event()

    def find_slowly() -> str:
        assert there.wait(30)
        return "slow"

    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(answers.found, "one", find_slowly)
        assert answers.found("other", lambda: "quick") == "quick"
        there.set()
        assert slow.result() == "slow"


def test_who_fails_is_alone_with_it_and_the_next_tries_again():
    answers = Remembered[str](4)
    going_on, finding, tried = threading.Event(), threading.Event(), list[int]()

    def find() -> str:
        tried.append(len(tried))
        finding.set()
        assert going_on.wait(30)
        if len(tried) == 1:
            raise ValueError("not yet")
        return "well"

    with ThreadPoolExecutor(MANY) as threads:
        first = threads.submit(answers.found, "it", find)
        assert finding.wait(30)
        others = [threads.submit(answers.found, "it", find) for _ in range(MANY - 1)]
        going_on.set()
        with pytest.raises(ValueError, match="not yet"):
            first.result()
        assert [each.result() for each in others] == ["well"] * (MANY - 1)
    assert len(tried) == 2
    assert not answers._finding


def test_nothing_is_left_of_the_asking():
    answers = Remembered[int](3)

    def fail() -> int:
        raise ValueError

    for each in range(100):
        answers.found(each, int)
        answers.found(each, lambda: -1)
        with pytest.raises(ValueError):  # noqa: PT011 - it has no words
            answers.found("never", fail)
    assert len(answers._answers) == 3
    assert not answers._finding
