import json

import pytest

import podium


def test_a_pair_gets_chances_that_sum_to_one(command, ratings, contests):
    best, second = podium.rate(contests).ratings["player"][:2]
    shown = command("predict", ratings, best, second)
    assert shown.code == 0
    assert shown.stdout.startswith(f"{best} wins ")
    assert "predicted by elo-mmr" in shown.stderr
    document = json.loads(command("predict", ratings, best, second, "--json").stdout)
    ladder = podium.Ladder.from_beliefs(podium.rate(contests).beliefs)
    assert document["win_probability"] == ladder.win_probability(best, second)
    assert document["draw_probability"] == 0.0
    assert sum(player["first"] for player in document["players"]) == pytest.approx(1.0)


def test_draws_are_shown_where_the_model_has_them(command, season):
    shown = command("predict", season, "player-0001", "player-0002", "--system", "trueskill").stdout
    assert ", a draw " in shown


def test_a_field_is_a_table(command, ratings):
    names = [f"player-{number:04}" for number in range(1, 6)]
    lines = command("predict", ratings, *names, "--top", 2).stdout.splitlines()
    assert lines[0].split() == ["player", "first", "best", "2", "expected", "rank"]
    assert sorted(line.split()[0] for line in lines[1:]) == names
    document = json.loads(command("predict", ratings, *names, "--top", 2, "--json").stdout)
    assert sum(player["top"] for player in document["players"]) == pytest.approx(2.0)
    assert 0.0 < document["quality"] < 1.0


def test_results_are_rated_on_the_spot_with_any_system(command, season):
    document = json.loads(
        command("predict", season, "player-0001", "player-0002", "-s", "glicko2", "--json").stdout
    )
    assert document["system"] == "glicko2"


def test_who_cannot_be_predicted(command, ratings):
    assert command("predict", ratings, "player-0001").complaint == (
        "a contest to predict needs at least two players."
    )
    assert command("predict", ratings, "player-0001", "player-0001").complaint == (
        "player 'player-0001' is named twice."
    )
    assert "did you mean 'player-" in (
        command("predict", ratings, "player-0002", "player-001").complaint
    )


def test_an_expected_score_is_called_one(command, season):
    shown = command("predict", season, "player-0001", "player-0002", "-s", "elo")
    assert shown.stdout.startswith("player-0001 expects ")
    assert "a draw counts half" in shown.stderr


def test_the_past_cannot_be_predicted(command, ratings):
    early = command("predict", ratings, "player-0001", "player-0002", "--at", "2020-01-01")
    assert early.complaint.startswith("ratings as of 2020-01-01 00:00:00 are not known")
