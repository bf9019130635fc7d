"""A league that threads share."""

import threading
from contextlib import ExitStack

import pytest

from podium import BusyError, League, PodiumError
from tests.ratings.test_threads import in_threads


@pytest.mark.slow
def test_threads_record_and_ask_and_nothing_is_lost(where):
    with League.create(where, "elo") as league:
        league.record(["ann", "bob"], time="2026-05-01")

        def work(number: int) -> int:
            for again in range(4):
                change = league.record(["ann", f"p{number}"], id=f"{number}-{again}")
                assert change.recorded == [f"{number}-{again}"]
                with league.snapshot() as view:
                    contests, board = len(view), view.leaderboard(None)
                    assert board["contests"].sum() == 2 * contests
                assert league.player(f"p{number}").contests == again + 1
            return 4

        assert sum(in_threads(6, work)) == 24
        assert len(league) == 25
        assert league.verify().sound


def test_who_gets_no_connection_is_told_to_try_again(where):
    with League.create(where, "elo"), League(where, wait=0.05) as league:
        with ExitStack() as views:

            def open_all() -> None:
                for _ in range(12):
                    views.enter_context(league.snapshot())

            with pytest.raises(BusyError, match="other threads have all connections"):
                open_all()
        assert len(league) == 0


def test_one_of_two_threads_that_record_the_same_contest_records_it(where):
    with League.create(where, "elo") as league:
        start = threading.Barrier(2)

        def work(number: int) -> str:
            start.wait()
            try:
                standings = ["ann", "bob"] if number else ["bob", "ann"]
                return league.record(standings, id="final", time="2026-05-01").what
            except PodiumError as error:
                return type(error).__name__

        assert sorted(in_threads(2, work)) == ["ConflictError", "recorded 1 contest"]
        assert len(league) == 1
