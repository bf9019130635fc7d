import json

import pytest

import podium
from podium.matchmaking import Matchmaker, Rules, read_tickets

RULES = "one_sided = [[0, 0.60], [60, 0.80]]\n"
QUICK = ("--players", 40, "--hours", 2, "--sessions", 20, "--seed", 3)


@pytest.fixture
def files(tmp_path):
    contests = podium.simulate(players=12, rounds=6, seed=1)
    podium.rate(contests).save(tmp_path / "ratings")
    with podium.League.create(tmp_path / "league.db") as league:
        league.record(contests)
    names = [f"player-{number:04}" for number in range(1, 13)]
    rows = "".join(f"{name},{5 * place}\n" for place, name in enumerate(names))
    (tmp_path / "tickets.csv").write_text(f"players,since\n{rows}a stranger,50\n")
    (tmp_path / "rules.toml").write_text(RULES)
    (tmp_path / "any.toml").write_text("")
    return tmp_path


def one_round(command, files, *more, ladder="ratings"):
    given = ("--rules", files / "rules.toml", "--ladder", files / ladder)
    return command("match", files / "tickets.csv", *given, *more)


def test_a_round_is_what_the_library_makes(command, files):
    shown = one_round(command, files, "--now", 60, "--json")
    assert shown.code == 0
    ladder = podium.Ladder.from_beliefs(podium.Rated.load(files / "ratings").beliefs)
    tickets = read_tickets(files / "tickets.csv")
    expected = Matchmaker(Rules.from_text(RULES), ladder).match(tickets, 60)
    assert json.loads(shown.stdout) == expected.document()
    assert expected.matches


def test_a_league_gives_the_same_round(command, files):
    own = one_round(command, files, "--json")
    assert one_round(command, files, "--json", ladder="league.db").stdout == own.stdout


def test_a_league_on_a_site_gives_the_same_round(command, files):
    pytest.importorskip("fastapi", reason="needs podium[web]")
    from tests.web.conftest import served

    from podium.web import create_app

    with podium.League(files / "league.db") as league:
        token = league.create_token("a game", "read")
    given = ("match", files / "tickets.csv", "--rules", files / "rules.toml", "--now", 60)
    own = command(*given, "--ladder", files / "league.db", "--json")
    app = create_app(files / "league.db", writable=True, secret=b"0123456789abcdef" * 3)
    with served(app) as site:
        there = (*given, "--ladder", f"{site}/league", "--token", token)
        assert json.loads(command(*there, "--json").stdout) == json.loads(own.stdout)
        shown = command(*there)
        assert "tolerance 60 % → " in shown.stdout
        assert "asked elo-mmr." in shown.stderr
        refused = command(*given, "--ladder", f"{site}/league")
        assert (refused.code, "token" in refused.stderr) == (7, True)
        system = command(*there, "--system", "elo")
        assert "is a league, which has its own rating system" in system.stderr
    with served(create_app(files / "league.db")) as site:
        refused = command(*given, "--ladder", f"{site}/league", "--token", token)
        assert "only shows the league, and takes nothing that is sent" in refused.stderr


def test_everybody_is_shown_with_the_reason(command, files):
    shown = one_round(command, files, "--now", 60)
    assert "tolerance 60 % → " in shown.stdout
    assert " waits " in shown.stdout
    assert "asked elo-mmr." in shown.stderr


def test_rules_are_simulated_side_by_side_with_a_page(command, files):
    page = files / "report.html"
    rules = (files / "rules.toml", files / "any.toml")
    more = ("--repeats", 2, "--beside", "window", *QUICK)
    shown = command("match", "simulate", *rules, *more, "--html", page)
    assert shown.code == 0
    assert shown.stdout.split("\n")[0].split() == ["group", "measure", "rules", "any", "window"]
    text = page.read_text(encoding="utf-8")
    assert "--beside window" in text
    assert "<svg" in text
    assert "--seed=3" in text
    again = command("match", "simulate", *rules, *more, "--json")
    found = json.loads(again.stdout)
    assert found["rules"] == ["rules", "any", "window"]
    assert found["repeats"] == 2


def test_arrivals_of_a_file_are_played(command, files):
    given = ("--arrivals", files / "tickets.csv", "--repeats", 1, "--hours", 0.1, "--json")
    shown = command("match", "simulate", files / "any.toml", *given)
    tickets = [
        each["value"]
        for each in json.loads(shown.stdout)["measures"]
        if (each["group"], each["measure"]) == ("all", "tickets")
    ]
    assert tickets[0] >= 12


def test_the_page_says_how_it_was_made_to_the_last_digit(command, files):
    page = files / "report.html"
    said = ("--system=glicko2", "--set=period_days=7", "--hours=0.1234567", "--seed=123456789")
    given = ("--arrivals", files / "tickets.csv", "--repeats", 1, "--html", page)
    assert command("match", "simulate", files / "any.toml", *given, *said).code == 0
    told = page.read_text(encoding="utf-8").split("Made by")[1]
    for words in ("--system glicko2", "--set period_days=7", *said[2:]):
        assert words in told
    assert f"--arrivals {files / 'tickets.csv'}" in told
    assert "13 players of known skill" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("tickets.csv",), "one round needs rules and ratings"),
        (("tickets.csv", "--html", "a.html"), "--html is for podium match simulate."),
        (("tickets.csv", "--give-up", "5"), "--give-up is for podium match simulate."),
        (("simulate",), "simulate needs files of rules"),
        (("simulate", "none.toml"), "none.toml: there is no such file of rules."),
        (("simulate", "any.toml", "--now", "5"), "--now is for one round"),
        (("simulate", "any.toml", "--beside", "luck"), "--beside takes neighbours or window"),
        (("simulate", "any.toml", "any.toml"), "two files of rules are called any"),
        (("simulate", "window.toml", "--beside", "window"), "other rules are called window, too"),
        (("simulate", "bad.toml"), "bad.toml, line 1: teams must be a whole number from 2"),
        (("simulate", "any.toml", "--players", "2"), "players must be a whole number"),
        (("none.csv", "--rules", "any.toml", "--ladder", "ratings"), "no such file of tickets"),
    ],
)
def test_what_is_wrong_is_one_sentence(command, files, monkeypatch, words, sentence):
    monkeypatch.chdir(files)
    (files / "bad.toml").write_text("teams = 1\n")
    (files / "window.toml").write_text("")
    assert sentence in command("match", *words).complaint
