import json

import pytest

import podium


@pytest.fixture
def last(contests):
    """The last contest of the season, and somebody in it."""
    contest = contests[len(contests) - 1]
    return contest.id, contest.players[7]


def test_a_result_is_explained_in_words(command, season, contests, last):
    shown = command("explain", season, *last)
    assert shown.code == 0
    found = podium.explain_result(contests, *last)
    assert shown.stdout.split() == found.text().split()
    assert max(map(len, shown.stdout.splitlines())) <= 88


def test_json_has_everything(command, season, contests, last):
    document = json.loads(command("explain", season, *last, "--json").stdout)
    found = podium.explain_result(contests, *last)
    assert document == json.loads(json.dumps(found.document()))
    assert document["change"]["rating"] == found.change.rating


def test_any_system_with_its_parameters(command, season, last):
    document = json.loads(
        command("explain", season, *last, "-s", "elo", "--set", "k=20", "--json").stdout
    )
    assert (document["system"], document["parameters"]["k"]) == ("elo", 20.0)
    infinite = command("explain", season, *last, "--set", "rho=inf", "--json")
    assert json.loads(infinite.stdout)["parameters"]["rho"] == "inf"


def test_a_picture_on_demand(command, season, last, tmp_path):
    path = tmp_path / "why.png"
    shown = command("explain", season, *last, "--png", path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert f"The picture is in {path}." in shown.stderr


def test_what_is_not_there(command, season, ratings, last, tmp_path):
    contest, player = last
    assert (
        "there is no contest 'round-99'" in command("explain", season, "round-99", player).complaint
    )
    assert "(did you mean 'player-" in command("explain", season, contest, "player-004x").complaint
    assert "holds the latest ratings only" in command("explain", ratings, *last).complaint
    assert "no such file" in command("explain", tmp_path / "none.csv", *last).complaint


def test_a_league_explains_its_own_results(command, contests, last, tmp_path):
    path = tmp_path / "league.db"
    with podium.League.create(path) as league:
        league.record(contests)
    found = podium.explain_result(contests, *last)
    shown = command("explain", path, *last)
    assert shown.stdout.split() == found.text().split()
    assert "a league has its own system" in command("explain", path, *last, "-s", "elo").complaint
