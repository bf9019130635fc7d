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
        "colours": {},
        "keep_titles": False,
        "provisional_until": 0,
        "provisional_sigma": 0.0,
        "hide_provisional": False,
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
        (("--title", "1200"), "--title: '1200' is no title; write a title as 1200=Pupil or"),
        (("--title", "1200=:red"), "'1200=:red' is no title"),
        (("--title", "nan=A"), "--title: 'nan' is not a rating"),
        (("--title", "1200=A:gren"), "'gren' is no colour (did you mean 'green'?); it can be grey"),
        (("--title", "1200=A:#12"), "'#12' is no colour"),
        (("--title", "1200=A", "--title", "1200=B"), "two titles begin at 1200"),
        (("--title", "1200=A", "--titles", "1300=B"), "--titles and --title say the same"),
        (("--provisional-sigma", "nan"), "--provisional-sigma"),
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


def test_titles_have_colours_and_are_kept(command, league):
    said = ("--title", "1200=Pupil:Green", "--title", "1500=Expert:#03A89E", "--title", "1900=Star")
    command("rules", league, *said, "--keep-titles")
    lines = command("rules", league).stdout.splitlines()
    assert lines[2:] == [
        "titles              1200=Pupil:green,1500=Expert:#03a89e,1900=Star",
        "kept titles         those that were reached",
    ]
    command("rules", league, "--titles", "1100=Pupil,1600=A:B,1700=Odd: x,1800=Y:red")
    found = json.loads(command("rules", league, "--json").stdout)
    assert found["titles"] == [[1100, "Pupil"], [1600, "A:B"], [1700, "Odd: x"], [1800, "Y"]]
    assert found["colours"] == {"Pupil": "green", "Y": "red"}
    assert found["keep_titles"] is True
    command("rules", league, "--title", "1100=Pupil:", "--no-keep-titles")
    found = json.loads(command("rules", league, "--json").stdout)
    assert (found["titles"], found["colours"]) == ([[1100, "Pupil"]], {})
    assert found["keep_titles"] is False


def test_provisional_ratings_have_a_question_mark(command, league):
    command(
        "rules", league, "--provisional-until", 2, "--provisional-sigma", 500, "--titles", "0=P"
    )
    last = command("rules", league).stdout.splitlines()[-1]
    assert last == "provisional         until 2 contests and sigma is below 500"
    shown = command("leaderboard", league)
    cells = {row.split()[1]: row.split()[2:4] for row in shown.stdout.splitlines()[1:]}
    assert cells["fay"][0] == "–"
    assert cells["fay"][1].endswith("?")
    assert cells["ann"][0] == "P"
    assert not cells["ann"][1].endswith("?")
    assert "A question mark says that a rating is provisional." in shown.stderr
    rows = json.loads(command("leaderboard", league, "--json").stdout)["leaderboard"]
    assert {row["player"]: row["provisional"] for row in rows} == {
        name: name == "fay" for name in ("ann", "bob", "cat", "dan", "eve", "fay")
    }
    story = command("player", league, "fay").stdout
    assert "?" in story.splitlines()[0]
    assert "after 1 contest, provisional;" in story
    command("rules", league, "--hide-provisional")
    assert "1 more is hidden while provisional." in command("leaderboard", league).stderr
    assert "not on the leaderboard, rating" in command("player", league, "fay").stdout
    command("rules", league, "--provisional-until", 0, "--provisional-sigma", 0)
    assert "fay" in command("leaderboard", league).stdout


def test_a_dry_run_changes_no_rules(command, league):
    shown = command("rules", league, "--titles", "1200=Pupil", "--dry-run")
    assert shown.stdout.splitlines()[-1] == "titles              1200=Pupil"
    assert "Dry run: changed the rules." in shown.stderr
    assert "Nothing was changed." in shown.stderr
    assert command("rules", league).stdout.splitlines()[-1] == "titles              none"


def test_a_new_league_has_all_rules(command, tmp_path):
    path = tmp_path / "new.db"
    options = ("--title", "1200=Pupil:red", "--keep-titles", "--provisional-until", 3)
    assert command("init", path, *options, "--hide-provisional").code == 0
    with podium.League(path) as opened:
        assert opened.rules == podium.Rules(
            titles=[(1200, "Pupil", "red")],
            keep_titles=True,
            provisional_until=3,
            hide_provisional=True,
        )
