import json
import re

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


def test_a_field_is_refused_by_a_system_of_matches(command, tmp_path, monkeypatch):
    monkeypatch.setattr(podium.systems.Elo, "most_players", 2)
    matches = tmp_path / "matches.csv"
    matches.write_text("time,player_a,player_b,outcome\n1,ann,bob,1\n2,bob,cat,0.5\n")
    assert command("predict", matches, "ann", "cat", "-s", "elo").code == 0
    assert command("predict", matches, "ann", "bob", "cat", "-s", "elo").complaint == (
        "elo predicts contests of at most 2 players, not of 3."
    )


def test_the_past_cannot_be_predicted(command, ratings):
    early = command("predict", ratings, "player-0001", "player-0002", "--at", "2020-01-01")
    assert early.complaint.startswith("ratings as of 2020-01-01 00:00:00 are not known")


def test_a_later_meeting_is_less_certain(command, season):
    ask = ("predict", season, "player-0001", "player-0002", "-s", "trueskill")
    ask += ("--set", "drift_per_day=1", "--json")
    now, late = (json.loads(command(*ask, *at).stdout) for at in ((), ("--at", "2036-01-01")))
    for key in ("quality", "win_probability", "draw_probability"):
        assert now[key] != late[key]
    assert now["players"][0]["first"] != late["players"][0]["first"]


def test_the_chances_shown_are_all_there_are(command, season):
    shown = command("predict", season, "player-0001", "player-0002", "-s", "trueskill").stdout
    chances = shown.splitlines()[0]
    assert sum(map(float, re.findall(r"([\d.]+)%", chances))) == pytest.approx(100.0, abs=0.15)


@pytest.mark.parametrize(
    "words",
    [
        ("rate", None),
        ("leaderboard", None),
        ("player", "ann", None),
        ("predict", None, "ann", "cat"),
    ],
)
def test_teams_can_be_ignored(command, tmp_path, words):
    cup = tmp_path / "cup.csv"
    cup.write_text(
        "contest,time,player,team,rank\nx,2026-05-01,ann,red,1\n"
        "x,2026-05-01,bob,red,1\nx,2026-05-01,cat,,2\n"
    )
    words = [cup if word is None else word for word in words]
    assert "rate teams" in command(*words).complaint
    assert command(*words, "--ignore-teams").code == 0


def test_who_is_stronger_is_another_question_than_who_wins(command, tmp_path):
    path = tmp_path / "matches.csv"
    podium.simulate_matches(players=4, matches=80, seed=1).write(path)
    pair = ("player-0001", "player-0002")
    shown = command("predict", path, *pair, "-s", "luck")
    document = json.loads(command("predict", path, *pair, "-s", "luck", "--json").stdout)
    ladder = podium.Ladder.from_beliefs(podium.rate(podium.read(path), "luck").beliefs)
    stronger = ladder.stronger_probability(*pair)
    assert document["stronger_probability"] == stronger
    assert abs(stronger - document["win_probability"]) > 0.05
    assert f"player-0001 is the stronger one: {stronger:.1%}" in shown.stdout
    unsure = command("predict", path, *pair, "-s", "elo")
    assert "stronger" not in unsure.stdout
    assert (
        json.loads(command("predict", path, *pair, "-s", "elo", "--json").stdout)[
            "stronger_probability"
        ]
        is None
    )


def test_the_side_is_taken_into_account(command, tmp_path):
    path = tmp_path / "matches.csv"
    podium.simulate_matches(players=4, matches=80, side_advantage=0.5, seed=1).write(path)
    options = ("-s", "luck", "--set", "side_advantage=0.5", "--json")
    pair = ("player-0001", "player-0002")
    chances = [
        json.loads(command("predict", path, *pair, *options, *home).stdout)
        for home in (("--home", pair[0]), (), ("--home", pair[1]))
    ]
    wins = [each["win_probability"] for each in chances]
    assert wins == sorted(wins, reverse=True)
    assert len(set(wins)) == 3
    assert "home must be one of two players who meet" in (
        command("predict", path, *pair, "-s", "luck", "--home", "player-0003").complaint
    )
