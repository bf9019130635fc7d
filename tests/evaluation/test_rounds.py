import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.evaluation.rounds import (
    PERFORMANCES,
    Streams,
    Turnover,
    divided,
    lowest,
    participants,
    standings,
    update_form,
)

FAIR = np.zeros(5, np.bool_)


def test_the_first_streams_are_those_of_a_population_without_options():
    streams = Streams.from_seed(3)
    first = np.random.default_rng(3).spawn(4)
    assert [stream.random() for stream in streams[:4]] == [stream.random() for stream in first]
    assert len({stream.random() for stream in streams}) == len(streams)


@pytest.mark.parametrize(
    ("name", "tail"),
    [
        ("normal", 1.0 - math.erf(3.0 / math.sqrt(2.0))),
        ("logistic", 2.0 / (1.0 + math.exp(math.pi * math.sqrt(3.0)))),
        ("gumbel", 1.0 - math.exp(-math.exp(-3.0 * math.pi / math.sqrt(6.0) - np.euler_gamma))),
    ],
)
def test_performances_have_the_mean_the_deviation_and_the_tails_asked_for(name, tail):
    draw = PERFORMANCES[name](np.random.default_rng(1), np.full(1_000_000, 50.0), 20.0)
    assert draw.mean() == pytest.approx(50.0, abs=0.1)
    assert draw.std() == pytest.approx(20.0, rel=0.005)
    assert (np.abs(draw - 50.0) > 60.0).mean() == pytest.approx(tail, rel=0.06)


@given(st.integers(2, 50), st.integers(1, 9), st.floats(0, 1), st.floats(0, 1), st.integers(0, 99))
def test_everybody_is_there_for_at_least_a_round(players, rounds, newcomers, leavers, seed):
    joined, left = Turnover.drawn(np.random.default_rng(seed), players, rounds, newcomers, leavers)
    assert (joined >= 0).all()
    assert (joined < left).all()
    assert (left <= rounds).all()
    if rounds > 1:
        assert (joined > 0).sum() == round(newcomers * players)
    turnover = Turnover(joined, left)
    there = np.array([~turnover.away(number) for number in range(rounds)])
    assert (there.sum(axis=0) == left - joined).all()


def test_a_larger_share_holds_the_smaller():
    draw = np.random.default_rng(0).random(100)
    chosen = [lowest(draw, share) for share in (0.0, 0.1, 0.5, 1.0)]
    assert [each.sum() for each in chosen] == [0, 10, 50, 100]
    assert (chosen[2] >= chosen[1]).all()


def test_who_is_away_takes_part_only_if_two_are_needed():
    draw = np.array([0.1, 0.2, 0.3, 0.4, 0.0])
    away = np.array([True, False, True, False, False])
    assert participants(draw, away, 1.0).tolist() == [1, 3, 4]
    assert participants(draw, away, 0.1).tolist() == [1, 4]
    assert participants(draw, ~FAIR, 1.0).tolist() == [0, 4]
    assert participants(draw, FAIR, 0.25).tolist() == [0, 1, 4]


def test_divisions_by_hand():
    form = np.array([5.0, 9.0, 1.0, 7.0, 3.0])
    everybody = np.arange(5, dtype=np.int32)
    parts = [part.tolist() for part in divided(everybody, form, 2)]
    assert parts == [[0, 1, 3], [2, 4]]
    assert [part.tolist() for part in divided(everybody, form, 1)] == [[0, 1, 2, 3, 4]]
    assert len(divided(everybody, form, 9)) == 2


def test_who_gives_up_is_behind_and_shows_the_lowest_performance():
    present = np.array([0, 1, 3, 4], np.int32)
    performance = np.array([5.0, 9.0, 0.0, 7.0, 3.0])
    gives_up = np.array([False, True, True, True, False])
    ids, ranks = standings(present, performance, gives_up, 0.0, np.random.default_rng(0))
    assert ids.tolist() == [0, 4, 1, 3]
    assert ranks.tolist() == [1, 2, 3, 4]
    form = np.full(5, 7.0)
    update_form(form, present, performance, gives_up)
    assert form.tolist() == [6.5, 6.0, 7.0, 6.0, 6.0]
