"""Leagues of podium's own system, in which a contest changes what is expected of everybody."""

import numpy as np
import pytest

import podium
from podium import League, systems
from tests.league.test_same_answers import under_changes

SEASON = podium.simulate(players=40, rounds=40, participation=0.6, seed=5)


@pytest.mark.parametrize("kind", ["contests", "matches"])
def test_a_league_is_its_replay_under_changes(places, kind):
    others = (systems.Podium(noise=35.0), systems.Glicko(), systems.EloMMR())
    under_changes(places, systems.Podium(), kind, others, examples=4, steps=12)


def test_a_correction_of_the_first_contest_changes_what_is_expected_of_everybody(path):
    with League.create(path, systems.Podium()) as league:
        league.record(SEASON)
        first = league.contest(SEASON.ids[0])["player"]
        before = league.beliefs()
        league.disqualify(SEASON.ids[0], first[0])
        after, anew = league.beliefs(), podium.rate(league.results(), systems.Podium()).beliefs
        assert after.shared.tobytes() == anew.shared.tobytes()
        assert (after.shared != before.shared).any()
        assert league.verify().differences == []
        forecasts = [
            each.system.forecast(each, np.array([each.index[name] for name in anew.names]))[0]
            for each in (before, after)
        ]
        assert (forecasts[0] != forecasts[1]).all()


def test_a_prediction_is_what_happens(path):
    with League.create(path, systems.Podium()) as league:
        league.record(SEASON[:39])
        predicted = league.predict(SEASON[39:]).table
        league.record(SEASON[39:])
        assert predicted["rating"].to_list() == league.contest(SEASON.ids[39])["rating"].to_list()
