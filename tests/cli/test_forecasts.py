"""Commands show what is expected of players beside their ratings, if the system forecasts."""

import csv
import io
import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.weeks import of_any_source

import podium

SEASON = podium.simulate(players=30, rounds=12, participation=0.7, seed=5)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("forecasts") / "club.db"
    with podium.League.create(path, "podium") as league:
        league.record(SEASON)
    return str(path)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("forecasts") / "season.csv"
    SEASON.frame().write_csv(path)
    return str(path)


@pytest.fixture(scope="module")
def rated() -> podium.Rated:
    return podium.rate(SEASON, "podium")


def test_a_leaderboard_has_both_numbers_of_a_file_and_of_a_league(
    command: Run, file: str, results: str, rated: podium.Rated
) -> None:
    printed = [
        command("leaderboard", file, "--top", "3"),
        command("leaderboard", results, "--system", "podium", "--top", "3"),
    ]
    lines = printed[0].stdout.splitlines()
    assert of_any_source(printed[0].stdout) == of_any_source(printed[1].stdout)
    heads = [each for each in lines[0].split("  ") if each]
    assert [each.strip() for each in heads][2:7] == [
        *("rating", "mu", "± sigma"),
        *("forecast", "± spread"),
    ]
    best = rated.leaderboard(1).row(0, named=True)
    assert f"{best['forecast']:.0f}  " in lines[1]
    assert f"± {best['spread']:.0f}" in lines[1]


def test_documents_and_csv_are_not_rounded(command: Run, file: str, rated: podium.Rated) -> None:
    wanted = rated.leaderboard(None).select("player", "forecast", "spread").rows()
    for said in (
        json.loads(command("leaderboard", file, "--top", "0", "--json").stdout)["leaderboard"],
        list(csv.DictReader(io.StringIO(command("leaderboard", file, "-n", "0", "--csv").stdout))),
    ):
        found = [(row["player"], float(row["forecast"]), float(row["spread"])) for row in said]
        assert found == wanted


def test_rate_shows_both(command: Run, results: str, tmp_path: Path, rated: podium.Rated) -> None:
    shown = command("rate", results, "--system", "podium", "--out", tmp_path / "out").stdout
    assert "forecast  ± spread" in shown
    again = podium.Rated.load(tmp_path / "out")
    assert again.ratings.equals(rated.ratings)
    assert again.leaderboard(None).equals(rated.leaderboard(None))


@pytest.mark.parametrize("at", [None, "2027-01-01"])
def test_the_headline_of_a_player_says_what_is_expected(
    command: Run, file: str, rated: podium.Rated, at: str | None
) -> None:
    player = rated.player("player-0003", at=at)
    assert player.forecast is not None
    asked = () if at is None else ("--at", at)
    headline = " ".join(command("player", file, player.name, *asked).stdout.split())
    said = f"expected in the next contest: {player.forecast:.0f} ± {player.spread:.0f}; best"
    assert said in headline
    document = json.loads(command("player", file, player.name, "--json", *asked).stdout)
    assert (document["forecast"], document["spread"]) == (player.forecast, player.spread)


def test_other_systems_say_nothing_of_it(command: Run, results: str) -> None:
    board = command("leaderboard", results, "--system", "elo-mmr").stdout
    player = command("player", results, "player-0003", "--system", "elo-mmr").stdout
    assert "forecast" not in board
    assert "expected" not in player


def test_a_contest_has_the_ranks_that_were_expected(command: Run, file: str) -> None:
    assert "expected" in command("contest", file, "round-07").stdout.split("\n")[2]


@pytest.mark.parametrize(
    "asked",
    [
        "leaderboard {}",
        "leaderboard {} --top 5 --page 2 --json",
        "leaderboard {} --at 2027-01-01 --csv",
        "player {} player-0003",
        "player {} player-0003 --json",
        "contest {} round-07 --json",
        "explain {} round-07 PLAYER",
        "explain {} round-07 PLAYER --json",
    ],
)
def test_a_site_tells_the_same(command: Run, file: str, address: str, asked: str) -> None:
    with podium.League(file) as league:
        asked = asked.replace("PLAYER", league.contest("round-07")["player"][0])
    own, public = (command(*asked.replace("{}", where).split()) for where in (file, address))
    assert own.code == 0, own.stderr
    assert public.stdout == own.stdout


@pytest.fixture(scope="module")
def address(file: str):
    pytest.importorskip("fastapi", reason="needs podium[web]")
    from tests.web.conftest import served

    from podium.web import create_app

    with served(create_app(file)) as site:
        yield f"{site}/club"
