"""Beliefs over time: what a ladder believes after each of a player's matches."""

import numpy as np
import polars as pl
import pytest

import podium
from podium import Ladder, PodiumError

NAME = "player-0003"


@pytest.fixture(scope="module")
def matches():
    return podium.simulate_matches(players=8, matches=40, draws=0.2, seed=2)


def test_every_belief_is_that_of_a_ladder_at_that_point(matches):
    story = podium.belief_history(matches, NAME, points=241)
    ladder, seen = Ladder("luck", points=241), []
    for contest in matches:
        standings = contest.players if contest.rank[1] == 2 else [tuple(contest.players)]
        ladder.record(standings, time=contest.time)
        if NAME in contest.players:
            seen.append((contest.id, contest.time, ladder.belief(NAME)))
    assert len(seen) > 5
    assert story.contests.to_list() == [contest for contest, _, _ in seen]
    assert story.times.to_list() == [time for _, time, _ in seen]
    for row, (_, _, belief) in zip(story.probabilities, seen, strict=True):
        assert np.array_equal(row, belief.probabilities)
    assert np.array_equal(story.points, seen[0][2].points)


def test_the_frame_has_a_row_for_every_point_of_every_belief(matches):
    story = podium.belief_history(matches, NAME, points=241)
    frame = story.frame()
    assert frame.columns == ["contest", "time", "strength", "rating", "probability"]
    assert frame.height == 241 * len(story.contests)
    sums = frame.group_by("contest").agg(pl.col("probability").sum())["probability"].to_numpy()
    assert sums == pytest.approx(np.ones(len(story.contests)))
    first = frame.row(0, named=True)
    assert (first["strength"], round(first["rating"])) == (-7.0, 284)


def test_progress_is_told(matches):
    told = []
    podium.belief_history(matches, NAME, points=241, progress=lambda *done: told.append(done))
    assert [total for _, total in told] == [matches.rows] * len(told)
    assert told == sorted(told)


@pytest.mark.parametrize(
    ("player", "system", "message"),
    [
        ("player-003", "luck", r"no player 'player-003' \(did you mean 'player-000"),
        (NAME, "elo", "elo keeps no whole beliefs about players; luck does"),
        (NAME, "fluke", "there is no system 'fluke'"),
    ],
)
def test_what_cannot_be_told(matches, player, system, message):
    with pytest.raises(PodiumError, match=message):
        podium.belief_history(matches, player, system)
