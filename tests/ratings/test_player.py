import dataclasses
import datetime
import json
import math

import pytest

import podium
from podium import Ladder, Player


def test_a_player_is_a_frozen_record():
    ladder = Ladder()
    ladder.record(["ann", "bob"], time="2026-05-01")
    player = ladder["ann"]
    assert player == podium.Player(
        "ann",
        player.mu - 2.0 * (player.sigma - 80.0),
        player.mu,
        player.sigma,
        1,
        datetime.datetime(2026, 5, 1),
    )
    with pytest.raises(dataclasses.FrozenInstanceError):
        player.rating = 3000


def test_a_ladder_and_a_run_of_rate_give_the_same_player():
    season = podium.simulate(players=5, rounds=4, seed=1)
    rated = podium.rate(season)
    ladder = Ladder.from_beliefs(rated.beliefs)
    assert [rated[name] for name in rated] == [ladder[name] for name in ladder]
    for row in rated.ratings.iter_rows(named=True):
        row["name"] = row.pop("player")
        assert rated[row["name"]] == Player(**row)


def test_the_document_of_a_player_is_json():
    player = Player("ann", 25.5, 25.5, math.nan, 0, None, place=3)
    assert json.loads(json.dumps(player.document(), allow_nan=False)) == {
        "player": "ann",
        "rating": 25.5,
        "mu": 25.5,
        "sigma": None,
        "contests": 0,
        "last_time": None,
        "place": 3,
        "title": None,
        "provisional": False,
        "guest": False,
    }
    dated = dataclasses.replace(player, last_time=datetime.datetime(2026, 5, 1, 18, 30))
    assert dated.document()["last_time"] == "2026-05-01T18:30:00Z"


@pytest.mark.parametrize("at", [None, "2030-01-01"])
def test_a_player_has_the_forecast_of_the_table(at):
    season = podium.simulate(players=20, rounds=12, participation=0.6, seed=4)
    rated = podium.rate(season, "podium")
    for asked in (rated, Ladder.from_beliefs(rated.beliefs)):
        table = asked.leaderboard(None, at=at).select("player", "forecast", "spread").rows()
        for found in (asked.top(20, at=at), [asked.player(name, at=at) for name, *_ in table]):
            assert [(each.name, each.forecast, each.spread) for each in found] == table
        if at is None:
            assert [asked[name].forecast for name, *_ in table] == [row[1] for row in table]


def test_where_nothing_is_forecast_nothing_is_said():
    ladder = Ladder("elo-mmr")
    ladder.record(["ann", "bob"])
    assert ladder["ann"].besides == {}
    assert not {"forecast", "spread"} & ladder["ann"].document().keys()
    assert "expected" not in repr(ladder["ann"])
