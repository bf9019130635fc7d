"""``podium rank``, ``podium look-back`` and ``podium evaluate --hindsight``."""

import json
import re

import polars as pl
import pytest

import podium


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.csv"
    rows = ["model_a,model_b,winner"]
    rows += ["owl,elk,model_a"] * 6 + ["owl,elk,model_b"] * 2 + ["elk,fox,model_a"] * 5
    rows += ["elk,fox,tie"] * 3 + ["fox,owl,model_b"] * 4 + ["fox,owl,model_a"] * 2
    path.write_text("\n".join(rows))
    return path


@pytest.fixture
def season(tmp_path):
    path = tmp_path / "season.csv"
    podium.simulate(players=20, rounds=20, seed=4).write(path)
    return path


def test_rank_prints_what_python_finds(command, votes):
    told = command("rank", votes)
    found = podium.rank(votes)
    lines = told.stdout.splitlines()
    assert [line.split()[1] for line in lines[1:]] == found.table["player"].to_list()
    assert "22 results of 3 players, bradley-terry" in told.stderr
    document = json.loads(command("rank", votes, "--json", "--chances").stdout)
    assert document == json.loads(json.dumps(found.document(chances=True)))


def test_rank_prints_every_form(command, votes, tmp_path):
    table = pl.read_csv(command("rank", votes, "--csv").stdout.encode())
    assert table.columns == podium.rank(votes).table.columns
    page = command("rank", votes, "--html").stdout
    assert "<svg" in page
    assert page.count("<circle") == 3
    assert "\\begin{tabular}" in command("rank", votes, "--latex").stdout
    picture = tmp_path / "ranking.png"
    assert command("rank", votes, "--png", picture).code == 0
    assert picture.read_bytes()[:4] == b"\x89PNG"
    matrix = command("rank", votes, "--chances").stdout
    assert "wins, %" in matrix


def test_names_in_the_picture_of_a_ranking_are_read_on_a_phone(command, votes):
    page = command("rank", votes, "--html").stdout
    width = float(re.search(r'viewBox="0 0 (\d+) ', page)[1])
    sizes = [float(size) for size in re.findall(r'<text[^>]* font-size="(\d+)"', page)]
    assert min(sizes) * 358 / width > 7.5  # pixels: 390, less what is beside the page
    assert re.search(r"figure \{\s*margin: 0;", page)


def test_rank_says_that_a_ridge_was_needed(command, tmp_path):
    path = tmp_path / "won.csv"
    path.write_text("model_a,model_b,winner\nowl,elk,model_a\nowl,elk,model_a\n")
    assert "a ridge of 0.1" in command("rank", path).stderr


def test_rank_says_what_was_taken_for_granted_and_which_file_is_wrong(command, tmp_path):
    path = tmp_path / "races.csv"
    rows = ["contest,time,player,rank,status,ladder"]
    rows += ["1,0,ann,1,,x", "1,0,bob,2,DNF,x", "2,0,bob,1,,y", "2,0,ann,2,,y"]
    path.write_text("\n".join(rows))
    told = command("rank", path, "--ladder", "x")
    assert "Taken for granted: rank: counts in 1 row" in told.stderr
    assert "1 result of 2 players" in told.stderr
    assert f"{path}: these contests are of 2 ladders" in command("rank", path).complaint
    path.write_text("model_a,model_b\nowl,elk\n")
    assert f"{path}: there is no column" in command("rank", path).complaint


def test_look_back_shows_the_best_ever_and_one_player(command, season, tmp_path):
    best = command("look-back", season, "--top", 3)
    found = podium.look_back(podium.read(season))
    assert [line.split()[1] for line in best.stdout.splitlines()[1:]] == found.best(3)[
        "player"
    ].to_list()
    assert "settled after" in best.stderr
    picture = tmp_path / "curve.png"
    story = command("look-back", season, "--player", "player-0003", "--png", picture)
    assert "seen from today" in story.stdout
    assert picture.read_bytes()[:4] == b"\x89PNG"
    told = json.loads(command("look-back", season, "--player", "player-0003", "--json").stdout)
    assert told == json.loads(json.dumps(found.document(["player-0003"])))


def test_look_back_at_a_league_is_that_of_its_results(command, season, tmp_path):
    league = tmp_path / "league.db"
    assert command("init", league).code == 0
    assert command("record", league, season).code == 0
    assert (
        command("look-back", league, "--csv").stdout == command("look-back", season, "--csv").stdout
    )


def test_had_they_met_is_a_sentence(command, season):
    asked = ("look-back", season, "--met", "player-0001", "player-0002")
    told = command(*asked, "--at", "2026-03-01")
    assert "wins" in told.stdout
    apart = command(*asked, "--at", "2026-03-01", "--other-at", "2036-03-01")
    assert "years apart" in apart.stderr


def test_hidden_results_are_a_table(command, season):
    told = command(
        "evaluate", season, "--hindsight", "--share", 0.1, "-s", "elo-mmr", "--resamples", 20
    )
    assert "look back" in told.stdout
    assert "hidden results in" in told.stdout


def test_hidden_results_are_a_report(command, season, tmp_path):
    asked = ("evaluate", season, "--hindsight", "--share", 0.1, "-s", "elo", "-s", "elo-mmr")
    path = tmp_path / "report.html"
    told = command(*asked, "--resamples", 20, "--html", path)
    assert "hidden results in" in told.stdout
    assert f"The report is in {path}." in told.stderr
    page = path.read_text("utf-8")
    beliefs = ["elo, before", "elo, between", "elo-mmr, before", "elo-mmr, between", "look back"]
    for belief in beliefs:
        assert page.count(f'<th scope="row">{belief}</th>') == 2  # experienced, and all
    assert page.count("<svg") == 2
    names = re.findall(r' id="([^"]+)"', page)
    assert len(names) == len(set(names))
    printed = command(*asked, "--resamples", 20, "--html", "-").stdout
    assert printed.count("<svg") == 2
    assert "--html - and --json" in command(*asked, "--html", "-", "--json").complaint


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("look-back", "{season}", "--met", "a", "b"), "--met needs a time"),
        (("look-back", "{season}", "--at", "2026-01-01"), "--at and --other-at are for --met"),
        (("look-back", "{season}", "--png", "x.png"), "say who with --player"),
        (("look-back", "{season}", "--set", "k=3"), "it is one of beta"),
        (("look-back", "{season}", "--set", "q=x"), "'x' is not a number"),
        (("look-back", "{season}", "--player", "nobody"), "there is no player 'nobody'"),
        (("look-back", "{season}", "--store"), "is not a league"),
        (("look-back", "https://example.org/club", "--store"), "--store is done where the league"),
        (("look-back", "https://example.org/club", "--drop"), "--drop is done where the league"),
        (("look-back", "{season}", "--store", "--drop"), "do one of them"),
        (("look-back", "{season}", "--store", "--player", "a"), "do one of them"),
        (("rank", "{votes}", "--model", "elo"), "model must be one of"),
        (("rank", "{votes}", "--png", "x.gif"), "must end in .png"),
        (("rank", "{votes}", "--covariate", "length"), "no column 'length'"),
        (("evaluate", "{season}", "--hindsight", "--memory", "1GB"), "--memory does not apply"),
        (("evaluate", "{season}", "--share", "0.1"), "--share and --tune are for --hindsight"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(command, votes, season, arguments, sentence):
    places = {"{season}": season, "{votes}": votes}
    assert sentence in command(*(places.get(each, each) for each in arguments)).complaint


def test_a_look_back_is_stored_in_a_league_and_dropped(command, season, tmp_path):
    league = tmp_path / "league.db"
    assert command("init", league).code == 0
    assert command("record", league, season).code == 0
    told = command("look-back", league, "--store", "--csv")
    assert told.stdout == command("look-back", season, "--csv").stdout
    assert f"Stored in {league}, as of " in told.stderr
    assert "after entry 2 of the log; no contest since." in told.stderr
    with podium.League(league) as kept:
        assert kept.stored_look_back().about["contests"] == 20
        made = kept.stored_look_back().document()["made"]
    again = json.loads(command("look-back", league, "--store", "--json").stdout)["stored"]
    assert again["made"] > made
    assert again["until"] == "2026-05-14T00:00:00Z"
    assert "keeps no look back any more" in command("look-back", league, "--drop").stdout
    assert json.loads(command("look-back", league, "--drop", "--json").stdout) == {"dropped": False}
    with podium.League(league) as kept:
        assert kept.stored_look_back() is None
    refused = command("look-back", league, "--store", "--ignore-teams").complaint
    assert "options for reading results do not apply" in refused
