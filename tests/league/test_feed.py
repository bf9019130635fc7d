"""Matches that a feed takes: rated as a league rates them, answered once they are committed."""

import asyncio
import contextlib
import itertools
import json
import os
import random
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import make_url

import podium
from podium import (
    BusyError,
    ConflictError,
    InputError,
    League,
    NotFoundError,
    Rules,
    Starts,
    StorageError,
)
from podium.league.feeding import board as boards
from podium.league.feeding.line import Line, Place
from tests.league.tables import all_tables, execute

CASES = int(os.environ.get("PODIUM_CASES", "15"))
DAY = 86_400
FIRST = 1_700_000_000
COMPARED = ("players", "contests", "standings", "events", "ratings", "beliefs", "revisions")
"""What two leagues have in common that have the same contests, however these came."""


def same(one: str, other: str) -> bool:
    """Whether two leagues have the same players, contests and ratings, to the bit."""
    both = [all_tables(each) for each in (one, other)]
    return all(both[0][name] == both[1][name] for name in COMPARED)


def some_matches(count: int, seed: int = 1, players: int = 30) -> list[dict[str, Any]]:
    """Matches of two, some drawn, in order of time."""
    rng = random.Random(seed)
    found = []
    for number in range(count):
        pair: Any = [f"player-{each}" for each in rng.sample(range(players), 2)]
        if rng.random() < 0.2:
            pair = [tuple(pair)]
        time = FIRST + number * DAY // 50
        found.append({"standings": pair, "id": f"match-{number}", "time": time})
    return found


def one_by_one(where: str, system: str, matches: list[dict[str, Any]], **rest: Any) -> None:
    """The league that comes of recording matches in the usual way."""
    with League.create(where, system, **rest) as league:
        for match in matches:
            league.record(
                match["standings"], **{k: v for k, v in match.items() if k != "standings"}
            )


@pytest.mark.parametrize("system", ["glicko2", "elo-mmr", "podium", "trueskill", "luck"])
@pytest.mark.parametrize("together", [1, 7, 60])
def test_what_comes_of_matches_is_what_a_league_makes_of_them(places, system, together):
    matches, (fed, usual) = some_matches(60), (places(), places())
    one_by_one(usual, system, matches)
    with League.create(fed, system) as league, league.feed() as feed:
        for start in range(0, len(matches), together):
            answers = feed.record_many(matches[start : start + together])
            for answer, match in zip(answers, matches[start:], strict=False):
                assert isinstance(answer, podium.Recorded)
                assert answer.id == match["id"]
        assert league.verify().sound
    assert same(fed, usual)


def test_the_answer_has_the_new_ratings(where):
    with League.create(where, "glicko2") as league, league.feed() as feed:
        first = feed.record(["ann", "bob"], id="1", time="2026-05-01")
        assert list(first) == ["ann", "bob"]
        assert first["ann"] == feed.ratings(["ann"])["ann"]
        expected = league["ann"]
        assert (first["ann"].rating, first["ann"].sigma) == (expected.rating, expected.sigma)
        assert first["ann"].last_time == expected.last_time
        second = feed.record(["bob", "ann"], id="2", time="2026-05-02")
        assert second["ann"].rating - first["ann"].rating == second.change("ann")
        assert second["ann"].contests == 2
        assert not second.known
        assert not second.late
        assert str(second.time) == "2026-05-02 00:00:00"
        with pytest.raises(KeyError):
            second["cat"]


def test_whatever_a_ladder_takes(where):
    with League.create(where, "trueskill") as league, league.feed() as feed:
        feed.record([["ann", "bob"], ["cat", "dan"]], id="teams")
        feed.record(["ann", ("bob", "cat"), "dan"], id="all against all")
        feed.record([["ann", "bob"], ["cat"]], id="shares", shares={"bob": 0.5}, weight=2.0)
        assert league.contest("teams")["team"].to_list() == ["ann, bob"] * 2 + ["cat, dan"] * 2
        assert league.verify().sound
    teams = [["ann", "bob"], ["cat", "dan"]]
    ladder = podium.Ladder("trueskill")
    ladder.record(teams, time=0)
    with League.reading(where) as league:
        results = league.contest("teams")
        assert dict(results.select("player", "rating").iter_rows()) == {
            name: ladder[name].rating for name in ladder
        }


def test_scores_sides_and_margins(places):
    for system, about in (("luck", {"score": 0.75}), ("podium", {"home": "ann", "margin": 2.0})):
        with League.create(places(), system) as league, league.feed() as feed:
            answer = feed.record(["ann", "bob"], id="1", time=0, **about)
            ladder = podium.Ladder(system)
            ladder.record(["ann", "bob"], time=0, **about)
            assert answer["ann"].rating == ladder["ann"].rating
            assert feed.record(["ann", "bob"], id="1", **about).known
            assert league.verify().sound


def test_a_match_without_a_time_has_the_clocks_and_times_increase(where):
    with League.create(where, "elo") as league, league.feed() as feed:
        times = [feed.record(["ann", "bob"]).time for _ in range(20)]
        times += [each.time for each in feed.record_many([{"standings": ["ann", "bob"]}] * 20)]
        assert times == sorted(set(times))
        later = feed.record(["ann", "bob"], id="later", time="2027-06-01")
        assert feed.record(["ann", "bob"]).time > later.time
        assert len(league) == 42
        assert league.verify().sound


def test_after_the_last_moment_a_match_needs_a_time(where):
    with League.create(where, "elo") as league, league.feed() as feed:
        feed.record(["ann", "bob"], time="9999-12-31T23:59:59.999999", future=True)
        wrong, right = feed.record_many(
            [{"standings": ["ann", "bob"], "time": t} for t in (None, 0)]
        )
        assert isinstance(wrong, InputError)
        assert "last moment" in str(wrong)
        assert list(right) == ["ann", "bob"]
        assert league.verify().sound


def test_the_same_match_again_is_answered_as_the_first_time(where):
    with League.create(where, "glicko2") as league, league.feed() as feed:
        first = feed.record(["ann", "bob"], id="91")
        feed.record(["bob", "ann"], id="92")
        state = league.state
        again = feed.record(["ann", "bob"], id="91")
        assert again.known
        assert dict(again) == dict(first)
        assert again.time == first.time
        assert league.state == state
        with pytest.raises(ConflictError, match="'91' is in the league with another result"):
            feed.record(["bob", "ann"], id="91")
        with pytest.raises(ConflictError):
            feed.record([("ann", "bob")], id="91")
        with pytest.raises(ConflictError):
            feed.record(["ann", "bob"], id="91", time="2020-01-01")
        with pytest.raises(ConflictError):
            feed.record(["ann", "somebody else"], id="91")
        assert league.state == state
    with League(where) as league, league.feed() as feed:
        assert dict(feed.record(["ann", "bob"], id="91")) == dict(first)


def test_the_same_match_twice_at_once_is_one(where):
    match = {"standings": ["ann", "bob"], "id": "91"}
    other = {"standings": ["bob", "ann"], "id": "91"}
    with League.create(where, "glicko2") as league, league.feed() as feed:
        one, two, three = feed.record_many([match, match, other])
        assert dict(one) == dict(two)
        assert two.known
        assert isinstance(three, ConflictError)
        assert len(league) == 1


def test_the_same_match_twice_at_once_is_held_to_what_is_kept(where):
    good, bad = ({"standings": pair, "id": "91"} for pair in (["ann", "bob"], ["bob", "ann"]))
    with League.create(where, "glicko2") as league, league.feed(late="defer") as feed:
        first = feed.record(**good)
        answers = feed.record_many([bad, good, bad, good])
        assert [isinstance(each, ConflictError) for each in answers] == [True, False] * 2
        assert dict(answers[1]) == dict(first)
        late = {"standings": ["ann", "bob"], "id": "late", "time": "2001-01-01"}
        answers = feed.record_many([late] * 3)
        assert [each.late for each in answers] == [True] * 3
        league.rename("bob", "Robert")
        twice, once = (
            {"standings": pair, "id": "92"} for pair in (["bob", "Robert"], ["bob", "ann"])
        )
        wrong, right = feed.record_many([twice, once])
        assert isinstance(wrong, InputError)
        assert not right.known
        assert league.verify().sound


def test_late_matches_are_answered_by_the_names_that_were_given(where):
    with League.create(where, "glicko2") as league:
        league.record(["ann", "bob"], time="2026-01-01")
        league.rename("bob", "Robert")
        with league.feed() as feed:
            answer = feed.record(["bob", "cat"], id="late", time="2025-01-01")
            assert list(answer) == ["bob", "cat"]
            assert answer["bob"].name == "Robert"


def test_late_matches_wait_on_if_the_league_is_busy(path):
    matches = some_matches(8)
    with League.create(path, "glicko2", wait=0.1) as league:
        with league.feed(late="defer", quiet=3600.0) as feed:
            feed.record_many(matches[3:])
            feed.record_many(matches[:3])
            record = podium.league.feeding.recording.record
            with pytest.MonkeyPatch.context() as patched:
                busy = BusyError("somebody is changing it.")
                patched.setattr(
                    "podium.league.feeding.recording.record", lambda *_, **__: _raise(busy)
                )
                with pytest.raises(BusyError):
                    feed.settle()
            assert feed.inbox()["problem"].to_list() == [None] * 3

            def refused(change: Any, results: Any, **how: Any) -> Any:
                if "match-1" in results.ids.to_list():
                    raise InputError("it cannot be.")
                return record(change, results, **how)

            with pytest.MonkeyPatch.context() as patched:
                patched.setattr("podium.league.feeding.recording.record", refused)
                assert feed.settle() == 3
            assert feed.inbox().select("id", "problem").rows() == [("match-1", "it cannot be.")]
            assert len(league) == 7
        assert league.verify().sound


def _raise(error: Exception) -> None:
    raise error


def test_a_match_is_the_same_whatever_its_players_are_called(where):
    teams = [["ann", "bob"], ["cat", "dan"]]
    late = {"time": "2001-01-01", "late": "defer"}
    with League.create(where, "trueskill") as league, league.feed(quiet=60) as feed:
        feed.record(teams, id="teams", shares={"bob": 0.5})
        feed.record(["bob", "cat"], id="late", **late)
        feed.record([tuple(teams)], id="late teams", **late)
        league.rename("ann", "zoe")
        league.rename("bob", "Robert")
        feed.record(["bob", "cat"], id="later", **late)
        for called in ("bob", "Robert"):
            again = [["zoe", called], ["dan", "cat"]]
            assert feed.record(again, id="teams", shares={called: 0.5}).known
            assert feed.record([called, "cat"], id="late", **late).known
            assert feed.record([called, "cat"], id="later", **late).known
            assert feed.record([tuple(again[::-1])], id="late teams", **late).known
        for wrong in ([["zoe", "cat"], ["dan", "bob"]], [*teams[0], *teams[1]], teams[::-1]):
            for about in ({"id": "teams", "shares": {"bob": 0.5}}, {"id": "late teams", **late}):
                with pytest.raises(ConflictError):
                    feed.record(wrong, **about)
        feed.settle()
        assert len(league) == 4
        assert league.verify().sound


def test_what_could_not_be_rated_can_be_put_right(where):
    late = {"id": "late", "time": "2001-01-01", "late": "defer"}
    with League.create(where, "glicko2") as league, league.feed(quiet=60) as feed:
        feed.record_many([{"standings": ["ann", "dan"]}, {"standings": ["bob", "dan"]}])
        assert feed.record(["ann", "bob"], **late).late
        league.merge("ann", "bob")
        feed.settle()
        assert "one player" in feed.inbox()["problem"].item()
        assert feed.record(["ann", "cat"], **late).late
        assert feed.settle() == 1
        assert feed.inbox().is_empty()
        assert feed.record(["bob", "cat"], **late).known
        assert league.verify().sound


def test_whoever_waits_when_a_feed_is_closed_is_answered(where):
    with League.create(where, "glicko2") as league, League(where) as other:
        feeds = [league.feed(), *([other.feed()] if "://" in where else [])]
        answered: list[str] = []

        def play(thread: int) -> None:
            for number in range(10**6):
                try:
                    feed = feeds[thread % len(feeds)]
                    answered.append(feed.record(["ann", "bob"], id=f"{thread}-{number}").id)
                except StorageError:
                    return

        with ThreadPoolExecutor(8) as pool:
            running = [pool.submit(play, thread) for thread in range(8)]
            while len(answered) < 40:
                pass
            for each in reversed(feeds):
                each.close()
            for each in running:
                each.result(60)
        assert set(answered) <= set(league.contests()["contest"])
        assert league.verify().sound


def test_of_several_matches_those_that_are_wrong_say_so_and_the_others_are_kept(where):
    with League.create(where, "glicko2") as league, league.feed() as feed:
        answers = feed.record_many(
            [
                {"standings": ["ann", "bob"], "id": "1"},
                {"standings": ["ann", "ann"], "id": "2"},
                {"standings": ["ann", "bob"], "id": "3", "wait": 1},
                {"players": ["ann", "bob"]},
                "ann",
                {"standings": ["cat", "bob"], "id": "4", "time": "nonsense"},
                {"standings": ["cat", "bob"], "id": "5"},
            ]
        )
        assert [isinstance(each, podium.Recorded) for each in answers] == [
            True,
            *[False] * 5,
            True,
        ]
        assert "stands twice" in str(answers[1])
        assert league.contests()["contest"].to_list() == ["1", "5"]
        with pytest.raises(InputError, match="a list of matches is needed"):
            feed.record_many("ann")


def test_late_matches_are_rated_where_they_belong(places):
    matches, (fed, usual) = some_matches(40), (places(), places())
    one_by_one(usual, "glicko2", matches)
    order = matches[:20] + matches[25:] + matches[20:25]
    with League.create(fed, "glicko2") as league, league.feed() as feed:
        for match in order:
            answer = feed.record(**match)
            assert not answer.late
        assert league.verify().sound
        assert answer["player-1"] is not None if "player-1" in answer else True
    mine, theirs = (all_tables(each) for each in (fed, usual))
    assert mine["contests"] != theirs["contests"]  # they have other numbers
    with League.reading(fed) as one, League.reading(usual) as other:
        assert one.leaderboard(None).drop("id").equals(other.leaderboard(None).drop("id"))


def test_late_matches_can_wait_for_a_quiet_moment(where):
    matches = some_matches(30)
    with League.create(where, "glicko2") as league:
        with league.feed(late="defer", quiet=3600.0) as feed:
            feed.record_many(matches[5:])
            state = league.state
            late = feed.record(**matches[0])
            assert late.late
            assert len(late) == 0
            assert late.id == "match-0"
            assert league.state == state
            assert feed.inbox()["id"].to_list() == ["match-0"]
            assert feed.record(**matches[0]).late
            with pytest.raises(ConflictError, match="another result"):
                feed.record(["ann", "bob"], id="match-0", time=matches[0]["time"])
            assert not feed.record(**matches[1], late="now").late
            assert feed.settle() == 1
            assert feed.inbox().height == 0
            assert feed.record(**matches[0]).known
            assert feed.record(**matches[2]).late
            assert len(league) == 27
        assert len(league) == 28, "closing is a quiet moment"
        assert league.verify().sound


def test_late_matches_wait_for_whoever_feeds_the_league_next(where):
    matches = some_matches(10)
    with League.create(where, "glicko2") as league:
        with league.feed(late="defer", quiet=3600.0) as feed:
            feed.record_many(matches[5:])
            feed.record(**matches[0])
            execute(where, "UPDATE inbox SET problem = 'no'")  # so that closing leaves it
        assert len(league) == 5
        execute(where, "UPDATE inbox SET problem = NULL")
        with league.feed(quiet=0.01) as feed:
            feed.settle()
            assert "match-0" in league.contests()["contest"].to_list()
        assert league.verify().sound


def test_changes_by_others_are_noticed_and_never_overwritten(where):
    matches = some_matches(40, players=8)
    with League.create(where, "elo-mmr") as league, League(where) as other:
        with league.feed() as feed:
            feed.record_many(matches[:20])
            other.amend("match-3", rated=False)
            other.rename("player-1", "somebody")
            other.disqualify("match-19", str(other.contest("match-19")["player"][0]))
            feed.settle()
            before = feed.ratings(["somebody"])["somebody"]
            assert before.rating == other["somebody"].rating
            feed.record_many([m for m in matches[20:30] if "player-1" not in str(m)])
            other.record(["zoe", "player-2"], time="2025-01-01")
            feed.settle()
            assert feed.ratings(["zoe"])["zoe"].rating == other["zoe"].rating
            feed.record(["zoe", "player-3"], id="last")
            other.remove("match-0")
            feed.settle()  # a server is asked at most four times a second
            assert feed.ratings(["zoe"])["zoe"].rating == other["zoe"].rating
            other.merge("zoe", "somebody")
            feed.record(["zoe", "player-2"], id="by another name")
            assert other.contest("by another name")["player"].to_list()[0] == "somebody"
        assert league.verify().sound


def test_a_league_is_revised_while_it_is_fed(where):
    with League.create(where, "glicko2") as league, League(where) as other:
        with league.feed() as feed:
            feed.record(["ann", "bob"])
            other.revise("trueskill")
            feed.record(["ann", "bob"])
            feed.settle()
            assert feed.ratings(["ann"])["ann"].mu == other["ann"].mu
            other.revise("elo")
            with pytest.raises(InputError, match="elo rates players, not teams"):
                feed.record([["ann", "bob"], ["cat", "dan"]])
            feed.record(["ann", "bob"])
            other.revise("weng-lin")
            feed.record([["ann", "bob"], ["cat", "dan"]])
            feed.record(["ann", "bob"])
        assert len(league) == 5
        assert league.verify().sound


def test_other_names_and_guests(where):
    with League.create(where, "glicko2") as league:
        league.record(["ann", "bob"], time="2020-01-01")
        league.rename("bob", "Robert")
        league.set_guest("ann")
        with league.feed() as feed:
            answer = feed.record(["bob", "cat"], id="1")
            assert list(answer) == ["bob", "cat"]
            assert answer["bob"].name == "Robert"
            assert list(feed.record(["ann", "cat"], id="2")) == ["cat"]
            assert list(feed.record(["ann"], id="3")) == []
            tie = feed.record([("bob", "Sam")], id="4")
            assert set(tie) == {"bob", "Sam"}
            with pytest.raises(InputError, match="one player in this league"):
                feed.record(["bob", "Robert"], id="5")
            assert feed.record(["bob", "cat"], id="1").known
        assert league.verify().sound


def test_seasons_and_starting_ratings(places):
    matches, (fed, usual) = some_matches(60), (places(), places())
    starts = Starts({"player-2": 1900, "nobody yet": 1200})
    for where in (fed, usual):
        with League.create(where, "glicko2") as league:
            league.start(starts)
            league.season("second", matches[30]["time"] - 1, pull=0.5)
            if where == usual:
                for match in matches:
                    about = {key: each for key, each in match.items() if key != "standings"}
                    league.record(match["standings"], **about)
            else:
                with league.feed() as feed:
                    for start in range(0, 60, 9):
                        feed.record_many(matches[start : start + 9])
                    given = feed.ratings(["nobody yet", "player-2"])
                    assert given["nobody yet"].rating == league["nobody yet"].rating
                    assert given["player-2"].rating == league["player-2"].rating
            assert league.verify().sound
    assert same(fed, usual)


def test_questions_are_those_of_a_ladder(where):
    with League.create(where, "glicko2") as league, league.feed() as feed:
        feed.record_many(some_matches(40))
        for ask in (
            lambda known: known.win_probability("player-1", "player-2"),
            lambda known: known.win_probability("player-1", "a newcomer"),
            lambda known: known.quality(["player-1", "player-2", "player-3"]),
            lambda known: known.rank_probabilities(["player-1", "player-2"]).rows(),
            lambda known: known.win_probability("player-1", "player-2", at="2026-01-01"),
        ):
            assert ask(feed) == ask(league)
        with pytest.raises(InputError, match="what is believed now"):
            feed.win_probability("player-1", "player-2", at="1999-01-01")
        with pytest.raises(InputError, match="learns no temperature"):
            feed.win_probability("player-1", "player-2", calibrated=True)


@pytest.mark.parametrize("rules", [Rules(), Rules(hidden_until=4), Rules(display="conservative")])
def test_leaderboards_are_those_of_the_league(where, rules):
    with League.create(where, "glicko2", rules=rules) as league, league.feed() as feed:
        assert feed.leaderboard().height == 0
        for start in range(0, 90, 30):
            feed.record_many(some_matches(90)[start : start + 30])
            wanted = league.leaderboard(None).select("place", "player", "rating", "contests")
            whole = feed.leaderboard(100).select(wanted.columns)
            assert whole.rows() == wanted.rows()
            assert feed.leaderboard(5, skip=3).select(wanted.columns).rows() == wanted.rows()[3:8]
            for place, name, *_ in wanted.rows():
                assert feed.place(name) == place
            for at in range(0, wanted.height, 3):
                near = feed.leaderboard(2, around=wanted["player"][at]).select(wanted.columns)
                assert near.rows() == wanted.rows()[max(0, at - 2) : at + 3]
        with pytest.raises(NotFoundError, match="no player 'nobody'"):
            feed.place("nobody")
        league.hide(str(wanted["player"][0]))
        feed.settle()
        assert feed.place(str(wanted["player"][0])) is None
        assert feed.place(str(wanted["player"][1])) == 1


def test_equal_ratings_share_a_place_and_stand_by_name(where):
    with League.create(where, "elo") as league, league.feed() as feed:
        feed.record_many([{"standings": [(f"b{n}", f"a{n}")]} for n in range(20)])
        wanted = league.leaderboard(None).select("place", "player").rows()
        assert feed.leaderboard(40).select("place", "player").rows() == wanted
        assert feed.leaderboard(3).select("place", "player").rows() == wanted[:3]
        around = feed.leaderboard(1, around="a3").select("place", "player").rows()
        at = wanted.index((1, "a3"))
        assert around == wanted[at - 1 : at + 2]


@pytest.mark.parametrize("many", [2, 1_000])
def test_where_many_tie_leaderboards_are_those_of_the_league(where, many, monkeypatch):
    monkeypatch.setattr(boards, "_MANY", many)
    with League.create(where, "elo") as league, league.feed() as feed:
        for start in (0, 1, 3, 30):  # those who come later stand between those who were there
            pairs = [[f"{'xay'[n % 3]}{7 * n % 41}", f"{'bzc'[n % 3]}{n}"] for n in range(41)]
            feed.record_many([{"standings": pair} for pair in pairs[start : 3 * start + 1]])
            wanted = league.leaderboard(None).select("place", "player").rows()
            for n, skip in [
                (1, 0),
                (3, 0),
                (2, 5),
                (4, 2),
                (100, 0),
                (3, len(wanted) - 1),
                (9, 99),
            ]:
                shown = feed.leaderboard(n, skip=skip).select("place", "player").rows()
                assert shown == wanted[skip : skip + n]
            for at, (_, name) in enumerate(wanted):
                for n in (0, 1, 4, 50):
                    shown = feed.leaderboard(n, around=name).select("place", "player").rows()
                    assert shown == wanted[max(0, at - n) : at + n + 1]


def test_of_many_who_tie_few_are_asked_for_their_names():
    called = {number: f"p{7919 * number % 6007}" for number in range(6000)}
    ratings = np.repeat([3.0, 2.0, 1.0], 2000)
    order = sorted(called, key=lambda number: (-ratings[number], called[number]))
    asked: list[int] = []

    def names(numbers):
        asked.append(len(numbers))
        return {number: called[number] for number in numbers.tolist() if number in called}

    board = boards.Board(ratings)
    for at in (0, 1999, 2000, 3000, 5999):  # the first time, all who tie are put in order
        board.around(order[at], 3, names)
        asked.clear()
        found = board.around(order[at], 3, names)
        assert [player for _, player in found] == order[max(0, at - 3) : at + 4]
        assert [place for place, _ in found] == [
            1 + each // 2000 * 2000 for each in range(max(0, at - 3), min(6000, at + 4))
        ]
        found = board.best(4, at, names)
        assert [player for _, player in found] == order[at : at + 4]
        assert sum(asked) < 50
    del called[order[0]]  # who has left since
    assert board.around(order[0], 3, names) == []


def test_many_threads_record_at_once(where):
    with League.create(where, "glicko2") as league, league.feed() as feed:

        def play(thread: int) -> list[Any]:
            rng = random.Random(thread)
            return [
                feed.record([f"p{rng.randrange(20)}", f"q{rng.randrange(20)}"], id=f"{thread}-{n}")
                for n in range(15)
            ]

        with ThreadPoolExecutor(16) as pool:
            answers = [each for part in pool.map(play, range(16)) for each in part]
        assert len({each.id for each in answers}) == len(answers) == len(league) == 240
        entries = league.log(None).filter(pl.col("action") == "record")
        assert entries.height == feed.statistics["commits"] <= 240
        history = {
            (name, row["contest"]): row["rating"]
            for name in (f"p{number}" for number in range(20))
            for row in league.history_of(name).iter_rows(named=True)
        }
        for answer in answers:
            for name in answer:
                if name.startswith("p"):
                    assert history[name, answer.id] == answer[name].rating
        assert league.verify().sound


def test_many_tasks_record_at_once(where):
    async def play(feed: Any) -> list[Any]:
        one = (feed.arecord([f"p{n % 7}", f"q{n % 5}"], id=f"{n}") for n in range(200))
        several = feed.arecord_many([{"standings": ["ann", "bob"]}, {"standings": []}])
        return await asyncio.gather(*one, several)

    with League.create(where, "glicko2") as league, league.feed() as feed:
        *answers, (good, bad) = asyncio.run(play(feed))
        assert [each.id for each in answers] == [str(number) for number in range(200)]
        assert good["ann"].rating > 1500
        assert isinstance(bad, InputError)
        assert len(league) == 201
        assert feed.statistics["commits"] < 100
        assert league.verify().sound


def test_a_league_in_a_file_is_fed_by_one_process(path):
    script = (
        "import podium, sys\n"
        "try:\n"
        "    podium.League(sys.argv[1]).feed()\n"
        "except podium.BusyError as error:\n"
        "    print(error)\n"
    )
    with League.create(path, "glicko2") as league, League(path) as other:
        with league.feed() as feed:
            with pytest.raises(BusyError, match=r"process \d+ \(this one\) feeds this league"):
                other.feed()
            done = subprocess.run(
                [sys.executable, "-c", script, str(path)], capture_output=True, text=True
            )
            assert "feeds this league, and of a league in a file only one does" in done.stdout
            feed.record(["ann", "bob"])
        with other.feed() as again:
            again.record(["ann", "bob"])
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_feed_that_is_closed_says_so(where):
    with League.create(where) as league:
        feed = league.feed()
        feed.close()
        feed.close()
        with pytest.raises(StorageError, match="the feed is closed"):
            feed.record(["ann", "bob"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_child_of_a_fork_leaves_the_feed_of_its_parent_alone(path):
    with League.create(path, "glicko2") as league, league.feed() as feed:
        feed.record(["ann", "bob"])
        child = os.fork()
        if not child:
            try:
                with pytest.raises(StorageError, match="a child of a fork opens its own"):
                    feed.close()
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        assert path.with_name(f"{path.name}-feed").exists()  # by which others know who feeds
        feed.record(["ann", "bob"])
        assert league.verify().sound


def test_what_a_feed_cannot_be_told(where):
    with League.create(where, "glicko2") as league:
        for wrong in ({"late": "never"}, {"memory": 0}, {"waiting": -1}, {"quiet": 0.0}):
            with pytest.raises(InputError, match=next(iter(wrong))):
                league.feed(**wrong)
        with league.feed() as feed:
            for wrong in (
                {"id": ""},
                {"id": 7},
                {"id": "a\0b"},
                {"time": "never"},
                {"time": "2200-01-01"},
                {"late": "never"},
                {"weight": float("nan")},
                {"home": "cat"},
            ):
                with pytest.raises(InputError):
                    feed.record(["ann", "bob"], **wrong)
            nobody = ["ann", "a\0b"]
            for standings in (
                *([], "ann", ["ann", "ann"], [["ann", "bob"], ["cat"]], [7], None),
                nobody,
            ):
                with pytest.raises(InputError):
                    feed.record(standings)
            with pytest.raises(InputError):
                feed.ratings("ann")
            assert feed.ratings(nobody)["a\0b"].contests == 0
            with pytest.raises(NotFoundError):
                feed.place("a\0b")
        assert len(league) == 0
    with League.reading(where) as league, pytest.raises(InputError, match="reading only"):
        league.feed()


def test_beyond_its_memory_a_feed_asks_the_database(places):
    matches, (fed, usual) = some_matches(120, players=60), (places(), places())
    one_by_one(usual, "elo-mmr", matches)
    with League.create(fed, "elo-mmr") as league, league.feed(memory=12_000) as feed:
        for start in range(0, 120, 8):
            feed.record_many(matches[start : start + 8])
            assert feed.statistics["bytes"] < 24_000
        assert feed.statistics["players"] < 30
        assert feed.ratings(["player-3"])["player-3"].rating == league["player-3"].rating
    assert same(fed, usual)


def test_a_commit_that_fails_is_told_to_all_who_wait_and_nothing_is_kept(path):
    with League.create(path, "glicko2", wait=0.1) as league, league.feed() as feed:
        feed.record(["ann", "bob"], id="1")
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(BusyError, match="waited for in vain"):
                feed.record(["bob", "ann"], id="2")
            other.execute("ROLLBACK")
        assert feed.ratings(["ann"])["ann"].contests == 1
        feed.record(["bob", "ann"], id="2")
        assert len(league) == 2
        assert league.verify().sound


def test_more_than_can_wait_are_refused_at_once():
    let_go, busy = threading.Event(), threading.Event()

    def work(places: list[Place[int]]) -> None:
        busy.set()
        assert let_go.wait(60)
        line.finish(places)

    line: Line[int] = Line(work, lambda *_: None, together=2, most=2)
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(line.submit, [Place(1)])
        assert busy.wait(60)
        rest = [pool.submit(line.submit, [Place(number)]) for number in (2, 3)]
        while len(line) < 2:
            pass
        with pytest.raises(BusyError, match="2 matches are waiting"):
            line.submit([Place(4)])
        let_go.set()
        for each in (first, *rest):
            each.result(60)


def test_an_accident_in_the_middle_is_told_to_all_and_the_line_goes_on():
    told: list[tuple[int, BaseException]] = []

    def work(places: list[Place[int]]) -> None:
        if any(place.thing == 13 for place in places):
            raise ZeroDivisionError
        line.finish(places)

    line: Line[int] = Line(work, lambda *both: told.append(both), together=8, most=100)
    line.submit([Place(number) for number in (1, 13, 2)])
    assert [number for number, _ in told] == [1, 13, 2]
    line.submit([Place(3)])
    assert len(told) == 3
    assert line.run(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        line.run(lambda: 1 // 0)


class Interrupted(Place[int]):
    """A place whose thread is interrupted: while it waits, or as soon as it is woken."""

    __slots__ = ("woken",)

    def wait(self) -> None:
        if self.woken:
            super().wait()
        raise KeyboardInterrupt


@pytest.mark.parametrize("leads", [True, False])
@pytest.mark.parametrize("woken", [True, False])
def test_whoever_is_interrupted_holds_up_nobody(woken, leads):
    busy, let_go = threading.Event(), threading.Event()

    def work(places: list[Place[int]]) -> None:
        busy.set()
        assert let_go.wait(60)
        line.finish(places)

    line: Line[int] = Line(work, lambda *_: None, together=8, most=8)
    gone = Interrupted(0)
    gone.woken = woken
    others = [Place(number) for number in range(1, 5)]
    waiting = [gone, *others] if leads else [*others[:2], gone, *others[2:]]
    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(line.submit, [Place(9)])
        assert busy.wait(60)
        ends = {}
        for place in waiting:
            ends[place] = pool.submit(line.submit, [place])
            while not ends[place].done() and len(line) < len(ends) - (gone in ends and not woken):
                pass
        let_go.set()
        for end in (first, *(ends[place] for place in others)):
            end.result(60)
        with pytest.raises(KeyboardInterrupt):
            ends[gone].result(60)
    assert all(place.settled for place in others)
    assert line.run(lambda: 7) == 7


def traced(trace: Any, task: Any, *arguments: Any, **options: Any) -> None:
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        task(*arguments, **options)
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("at", range(8))
def test_the_main_thread_may_be_interrupted_anywhere(at):
    """Another one does the work in its name, and goes on."""
    passed, done = itertools.count(), list[int]()

    def interrupt(frame: Any, event: str, _: Any) -> Any:
        if frame.f_code.co_filename.endswith("feeding/line.py"):
            if event == "line" and frame.f_code.co_name != "__init__" and next(passed) == at:
                raise KeyboardInterrupt
            return interrupt
        return None

    def work(places: list[Place[int]]) -> None:
        done.extend(place.thing for place in places if place.thing is not None)
        line.finish(places)

    line: Line[int] = Line(work, lambda *_: None, together=8, most=8)
    own = Place(0)
    with ThreadPoolExecutor(2) as pool, contextlib.suppress(KeyboardInterrupt):
        others = [pool.submit(line.submit, [Place(number)]) for number in (1, 2)]
        traced(interrupt, line.submit, [own])
        assert own.settled
    for each in others:
        each.result(60)
    assert line.run(lambda: 7) == 7
    assert sorted(done) in ([1, 2], [0, 1, 2])
    line.close()
    with pytest.raises(StorageError, match="closed"):
        line.submit([Place(3)])


INTERRUPTED = """
import os, podium, signal, sys, threading
league = podium.League(sys.argv[1])
feed, hears, others = league.feed(), False, []
record = feed._recorder.record

def interrupted(*arguments, **options):
    feed._recorder.record = record
    for number in range(3):
        others.append(threading.Thread(target=feed.record, args=(["ann", f"p{number}"],)))
        others[-1].start()
    os.kill(os.getpid(), signal.SIGINT)
    return record(*arguments, **options)

feed._recorder.record = interrupted
try:
    try:
        feed.record(["ann", "bob"], id="interrupted")
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
except KeyboardInterrupt:
    hears = True
assert hears
for each in others:
    each.join()
assert feed.record(["ann", "bob"], id="interrupted").known
feed.close()
assert len(league) == 4 and league.verify().sound
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as POSIX has them")
def test_a_program_that_is_interrupted_while_its_match_is_rated_keeps_it_and_holds_up_nobody(path):
    League.create(path, "glicko2").close()
    command = [sys.executable, "-c", INTERRUPTED, str(path)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert said.returncode == 0, said.stderr


@pytest.mark.parametrize("where_it_is", ["_publish", "_note"])
def test_whoever_is_interrupted_once_a_match_is_kept_leaves_nothing_wrong(
    path, monkeypatch, where_it_is
):
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with League.create(path, "glicko2") as league, league.feed() as feed:
        for number in range(4):
            match = {"standings": ["ann", "bob", f"new {number}"], "id": str(number)}
            if number % 2:
                with monkeypatch.context() as patch:
                    patch.setattr(feed._recorder, where_it_is, interrupted)
                    with pytest.raises(KeyboardInterrupt):
                        feed.record(**match)
            there = {name: league[name].rating for name in league.leaderboard()["player"]}
            found = {name: each.rating for name, each in feed.ratings(list(there)).items()}
            assert found == there
            assert list(feed.record(**match)) == match["standings"]
        assert league.verify().sound


def test_names_that_are_no_texts_are_refused_in_a_sentence(path):
    with League.create(path, "elo") as league, league.feed() as feed:
        feed.record(["ann", "bob"])
        for ask in (feed.place, lambda name: feed.ratings(["ann", name]), feed.leaderboard):
            with pytest.raises(InputError, match=r"must be a .*not None\.$"):
                ask(None)
        with pytest.raises(InputError, match=r"a name must be a text, not 5\.$"):
            feed.leaderboard(around=5)


def test_the_log_has_an_entry_for_a_commit_that_can_be_taken_back(where):
    with League.create(where, "glicko2") as league:
        with league.feed(who="game server", why="ranked") as feed:
            feed.record_many(some_matches(20))
            feed.record_many(some_matches(30)[20:])
        entries = league.log(None)
        last = entries.row(0, named=True)
        assert (last["who"], last["why"], last["action"]) == ("game server", "ranked", "record")
        assert json.loads(last["details"])["contests"] == 10
        league.undo(why="by mistake")
        assert len(league) == 20
        league.redo()
        assert len(league) == 30
        assert league.verify().sound


def test_who_tells_of_a_match_stands_in_the_log(where):
    with League.create(where, "elo") as league:
        with league.feed(who="game server", quiet=3600.0) as feed:
            feed.record(["ann", "bob"], who="referee", time="2026-01-02")
            feed.record(["ann", "bob"], time="2026-01-03")
            late = {"time": "2026-01-01", "late": "defer"}
            feed.record(["ann", "bob"], who="somebody else", **late)
        found = league.log(None).filter(pl.col("action") == "record")["who"].to_list()
    assert found == ["somebody else", "game server", "referee"]


def test_others_are_told_of_what_is_fed(where):
    rules = Rules(titles=[(1550, "expert")], provisional_until=2)
    with League.create(where, "glicko2", rules=rules) as league:
        with league.feed() as feed:
            for number in range(4):
                feed.record(["ann", "bob"], id=str(number))
        kinds = [each["type"] for each in league.notices(n=100)]
    assert kinds.count("contest.rated") == kinds.count("rating.changed") == 4
    assert kinds.count("title.reached") == 1


@settings(max_examples=CASES, deadline=None)
@given(data=st.data())
def test_whatever_comes_in_whatever_order(tmp_path_factory: Any, data: st.DataObject) -> None:
    """Random matches in random groups, with changes by others between them."""
    folder = tmp_path_factory.mktemp("fed")
    system = data.draw(st.sampled_from(["glicko2", "elo-mmr", "elo"]))
    names = [f"p{number}" for number in range(6)]
    known: set[str] = set()
    with League.create(folder / "league.db", system) as league, League(league.where) as other:
        with league.feed(late=data.draw(st.sampled_from(["now", "defer"]))) as feed:
            for _ in range(data.draw(st.integers(1, 8))):
                group = data.draw(
                    st.lists(
                        st.fixed_dictionaries(
                            {
                                "standings": st.permutations(names).map(lambda each: each[:3]),
                                "id": st.integers(0, 40).map(str),
                            },
                            optional={"time": st.integers(0, 20).map(lambda day: day * DAY)},
                        ),
                        min_size=1,
                        max_size=6,
                    )
                )
                for match, answer in zip(group, feed.record_many(group), strict=True):
                    if isinstance(answer, podium.Recorded):
                        known.add(match["id"])
                    else:
                        assert isinstance(answer, ConflictError)
                change = data.draw(st.sampled_from(["", "", "remove", "amend", "settle"]))
                there = other.contests()["contest"].to_list()
                if change == "remove" and there:
                    gone = data.draw(st.sampled_from(there))
                    other.remove(gone)
                    known.discard(gone)
                elif change == "amend" and there:
                    other.amend(data.draw(st.sampled_from(there)), weight=2.0)
                elif change == "settle":
                    feed.settle()
        assert set(league.contests()["contest"]) == known
        assert league.verify().sound


def test_what_others_do_to_a_file_is_noticed_at_once(path):
    with League.create(path, "elo") as league, League(path) as other, league.feed() as feed:
        feed.record(["ann", "bob"], id="1")
        other.remove("1")
        assert feed.ratings(["ann"])["ann"].contests == 0
        assert feed.leaderboard().height == 0


@pytest.mark.parametrize(("usual", "fed"), [("off", "on"), ("local", "local")])
def test_commits_wait_for_the_disk_whatever_the_server_usually_does(postgresql, usual, fed):
    where = postgresql.new_database()
    with League.create(where, "elo") as league:
        execute(
            where, f"ALTER DATABASE {make_url(where).database} SET synchronous_commit = {usual}"
        )
    with League(where) as league, league.feed() as feed:
        feed.record(["ann", "bob"])
        with feed._recorder.transaction() as connection:
            assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == fed


def test_who_does_not_rate_can_be_asked_all_the_same(postgresql):
    where = postgresql.new_database()
    with (
        League.create(where, "glicko2") as league,
        League(where) as other,
        league.feed() as feed,
        other.feed() as beside,
    ):
        assert not beside.rates
        for start in range(0, 60, 20):
            matches = some_matches(60)[start : start + 20]
            feed.record_many(matches[:10])
            answers = beside.record_many(matches[10:])
            assert all(isinstance(each, podium.Recorded) for each in answers)
            name = str(league.leaderboard(1)["player"].item())
            assert beside.place(name) == 1
            wanted = league.leaderboard(None).select("place", "player", "rating")
            assert beside.leaderboard(100).select(wanted.columns).rows() == wanted.rows()
            assert beside.ratings([name])[name].rating == league[name].rating
            one, two = wanted["player"][:2]
            assert beside.win_probability(one, two) == league.win_probability(one, two)
        assert beside.record(**some_matches(1)[0]).id == "match-0"
        with pytest.raises(ConflictError, match="another result"):
            beside.record(["ann", "bob"], id="match-0")
        league.rename("player-1", "somebody")
        answer = beside.record(["player-1", "player-2"], id="by another name")
        assert set(answer) == {"player-1", "player-2"}
        assert answer["player-1"].name == "somebody"
        late = {"id": "late", "time": "2001-01-01"}
        assert beside.record(["ann", "bob"], **late, late="defer").late
        assert list(beside.record(["ann", "cat"], id="late 2", time="2001-01-02")) == ["ann", "cat"]
        assert other.verify().sound


def test_who_does_not_rate_is_told_what_came_of_that_very_match(postgresql):
    where = postgresql.new_database()
    with (
        League.create(where, "glicko2") as league,
        League(where) as other,
        league.feed() as feed,
        other.feed() as beside,
    ):
        feed.record(["ann", "bob"], id="1")
        league.rename("ann", "Anna")
        for _ in range(2):
            with pytest.raises(ConflictError):
                beside.record(["bob", "ann"], id="1")
            assert beside.record(["ann", "bob"], id="1").known
            with pytest.raises(InputError, match="one player"):
                beside.record(["ann", "Anna"], id="2")
        assert not beside.record(["ann", "bob"], id="2").known
        same, wrong = {"standings": ["ann", "bob"]}, {"standings": ["bob", "Anna"]}
        called = {"standings": ["Anna", "bob"]}
        for each in range(10):
            found = beside.record_many([{**one, "id": f"at once {each}"} for one in (same, wrong)])
            assert isinstance(found[0], podium.Recorded)
            assert isinstance(found[1], ConflictError)
            ids = ({**one, "id": f"twice {each}"} for one in (same, called))
            assert [list(one) for one in beside.record_many(list(ids))] == [["ann", "bob"]] * 2
        assert other.verify().sound


def test_two_processes_may_tell_of_the_same_matches_in_any_order(postgresql):
    where = postgresql.new_database()
    with (
        League.create(where, "glicko2") as league,
        League(where) as one,
        League(where) as another,
        league.feed(),
        one.feed() as first,
        another.feed() as second,
        ThreadPoolExecutor(2) as pool,
    ):
        for number in range(10):
            ids = [f"{number} {each}" for each in range(100, 0, -1)]
            matches = [{"standings": ["ann", "bob"], "id": id} for id in ids]
            both = [
                pool.submit(first.record_many, matches),
                pool.submit(second.record_many, matches[::-1]),
            ]
            for each in both:
                assert [answer.id for answer in each.result(60)]
        alone = [f"alone {each}" for each in range(20, 0, -1)]
        second.record_many([{"standings": ["ann", "bob"], "id": id} for id in alone])
        contests = league.contests().sort("time")
        assert contests["contest"].to_list()[-20:] == alone
        assert len(league) == 1020


def test_of_two_processes_that_tell_of_one_match_otherwise_one_is_refused(postgresql):
    where = postgresql.new_database()
    with (
        League.create(where, "glicko2") as league,
        League(where) as one,
        League(where) as another,
        league.feed(),
        one.feed() as first,
        another.feed() as second,
        ThreadPoolExecutor(2) as pool,
    ):
        for number in range(40):
            both = [
                pool.submit(feed.record_many, [{"standings": result, "id": str(number)}])
                for feed, result in ((first, ["ann", "bob"]), (second, ["bob", "ann"]))
            ]
            found = [type(each.result(60)[0]) for each in both]
            assert set(found) == {podium.Recorded, ConflictError}
            best = str(league.contest(str(number))["player"][0])
            assert best == ("ann", "bob")[found.index(podium.Recorded)]


def test_who_rated_goes_on_as_one_who_does_not_once_another_was_elected(postgresql):
    where = postgresql.new_database()
    with (
        League.create(where, "glicko2") as league,
        League(where) as other,
        league.feed(quiet=60) as feed,
        other.feed(quiet=60) as beside,
    ):
        feed.record(["ann", "bob"])
        held, let_go = threading.Event(), threading.Event()
        questions: list[Any] = [
            lambda: feed.settle() == 0,
            lambda: feed.place("ann") == 1,
            lambda: feed.ratings(["ann"])["ann"].contests == 1,
            lambda: feed.leaderboard().height == 2,
            lambda: feed.record(["bob", "ann"])["ann"].contests == 2,
        ]
        with ThreadPoolExecutor(8) as pool:
            holding = pool.submit(feed._line.run, lambda: (held.set(), let_go.wait(60)))
            assert held.wait(60)
            with feed._recorder._connection.engine.connect() as connection:
                own = feed._recorder._connection.connection.driver_connection.info.backend_pid
                connection.exec_driver_sql(f"SELECT pg_terminate_backend({own})")
            while not beside.rates:
                pass
            with contextlib.suppress(StorageError):
                feed._recorder.rest()
            answers = [pool.submit(each) for each in questions]
            let_go.set()
            holding.result(60)
            assert all(each.result(60) for each in answers)
        assert not feed.rates
        assert other.verify().sound


@pytest.mark.slow
def test_a_server_that_was_away_is_found_again(own_postgresql):
    where = own_postgresql.new_database()
    with (
        League.create(where, "glicko2") as league,
        League(where) as other,
        league.feed() as feed,
        other.feed() as beside,
    ):
        assert feed.rates
        assert not beside.rates
        for number, each in enumerate((feed, beside)):
            each.record(["ann", "bob"], id=f"before {number}")
        own_postgresql.stop()
        for each in (feed, beside):
            with pytest.raises(StorageError):
                each.record(["ann", "bob"], id="while it is away")
        own_postgresql.start()
        for number, each in enumerate((feed, beside)):
            for _ in range(100):
                with contextlib.suppress(StorageError):
                    each.record(["ann", "bob"], id=f"after {number}")
                    break
            else:
                pytest.fail("the feed does not find its server")
        assert feed.rates != beside.rates
    with League(where) as league:
        there = set(league.contests()["contest"])
        assert there >= {"before 0", "before 1", "after 0", "after 1"}
        assert league.verify().sound
