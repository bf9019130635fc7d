"""What is asked of whoever knows ratings: by columns, and by one method of anybody."""

import itertools

import numpy as np
import pytest

import podium
from podium.matchmaking import Matchmaker, Rules, Ticket
from tests.matchmaking.queues import NAMES, ladder


@pytest.mark.slow
@pytest.mark.parametrize("system", ["luck", "podium"])
@pytest.mark.parametrize("temperature", [1.0, 1.3])
def test_many_pairs_are_told_what_each_is_told_to_the_bit(system, temperature):
    beliefs = ladder(system, known=12).beliefs
    beliefs.temperature = temperature
    first, second = np.array(list(itertools.permutations(range(12), 2))).T
    time = beliefs.time + 10**12 if beliefs.time is not None else None
    one_by_one = [
        beliefs.system.rank_probabilities(beliefs, [int(a), int(b)], top=1, time=time).first[0]
        for a, b in zip(first, second, strict=True)
    ]
    found = beliefs.system.pair_scores(beliefs, first, second, time)
    assert found.tolist() == one_by_one


def test_a_system_that_knows_pairs_only_is_asked_about_each():
    beliefs = ladder("elo", known=6).beliefs
    first, second = np.array([0, 3, 5]), np.array([1, 2, 4])
    found = podium.systems.base.System.pair_scores(beliefs.system, beliefs, first, second)
    for a, b, score in zip(first.tolist(), second.tolist(), found, strict=True):
        assert score == beliefs.system.rank_probabilities(beliefs, [a, b], top=1).first[0]
    none = np.zeros(0, np.int64)
    assert len(podium.systems.base.System.pair_scores(beliefs.system, beliefs, none, none)) == 0


class Feed:
    """Knows ratings, and is nothing that podium knows."""

    def __init__(self, known: podium.Ladder) -> None:
        self.known = known

    def consult(self, names, at, calibrated):
        assert (at, calibrated) == (None, False)
        beliefs = self.known.beliefs.copy()
        return beliefs, beliefs.enrol(names), None


def test_whoever_has_one_method_is_asked_as_a_ladder_is():
    known = ladder()
    queue = [Ticket(name, since=-5) for name in NAMES[10:40]] + [Ticket("a stranger")]
    rules = Rules(one_sided=0.8)
    assert Matchmaker(rules, Feed(known)).match(queue, 0) == Matchmaker(rules, known).match(
        queue, 0
    )
    assert "a stranger" not in known
