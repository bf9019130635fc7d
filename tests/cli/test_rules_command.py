import json

import pytest

import podium
from podium.cli.display import titles_from, titles_text


def test_rules_are_shown(command, league):
    shown = command("rules", league)
    assert shown.stdout.splitlines() == [
        "rating              as the system says",
        "on the leaderboard  from the first contest on",
        "titles              none",
    ]
    assert json.loads(command("rules", league, "--json").stdout) == {
        "display": "system",
        "caution": 3.0,
        "hidden_until": 0,
        "titles": [],
    }


def test_only_what_is_given_is_changed(command, league):
    command("rules", league, "--titles", "1200=Pupil,1600=Expert", "--hidden-until", 2)
    command("rules", league, "--display", "conservative", "--caution", 2)
    assert command("rules", league).stdout.splitlines() == [
        "rating              the mean less 2 sigma",
        "on the leaderboard  from 2 contests on",
        "titles              1200=Pupil,1600=Expert",
    ]
    assert command("rules", league, "--titles", "").stdout.splitlines()[-1].endswith("none")
    with podium.League(league) as opened:
        assert opened.rules.hidden_until == 2


def test_rules_change_what_is_shown_and_nothing_else(command, league):
    before = json.loads(command("leaderboard", league, "--json").stdout)["leaderboard"]
    command("rules", league, "--display", "mean", "--titles", "0=Player")
    after = json.loads(command("leaderboard", league, "--json").stdout)["leaderboard"]
    assert [row["rating"] for row in after] == sorted((row["mu"] for row in before), reverse=True)
    assert {row["title"] for row in after} == {"Player"}
    assert command("verify", league).code == 0


def test_a_change_of_rules_is_in_the_log_and_none_is_not(command, league):
    before = command("log", league).stdout
    command("rules", league, "--hidden-until", 0)
    assert command("log", league).stdout == before
    command("rules", league, "--hidden-until", 1, "--who", "cat", "--why", "a vote")
    assert "a vote" in command("log", league).stdout.splitlines()[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--titles", "1200"), "'1200' is no title; write titles as 1200=Pupil,1400=Specialist."),
        (("--titles", "1200="), "'1200=' is no title"),
        (("--titles", "1200=A,,1300=B"), "'' is no title"),
        (("--titles", "nan=A"), "'nan' is not a rating"),
        (("--display", "median"), "median"),
        (("--caution", "nan"), "caution"),
    ],
)
def test_rules_that_cannot_be(command, league, options, said):
    assert said in command("rules", league, *options).complaint


def test_titles_are_read_as_they_are_shown():
    titles = ((-5.0, "Beginner"), (1200.5, "Grand Master"), (1234567.0, "="))
    assert titles_from(titles_text(titles)) == titles


def test_caution_needs_a_display_that_uses_it(command, league, tmp_path):
    said = "--caution is for --display conservative, but the rating shown is 'system'; say both."
    assert command("rules", league, "--caution", 2).complaint == said
    assert command("init", tmp_path / "new.db", "--caution", 2).complaint == said
    assert not (tmp_path / "new.db").exists()
    assert "'mean'" in command("rules", league, "--display", "mean", "--caution", 2).complaint
    assert command("rules", league, "--display", "conservative").code == 0
    assert command("rules", league, "--caution", 2).code == 0
