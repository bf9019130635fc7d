"""Seasons, resets and starting ratings on the command line."""

import json

import polars as pl
import pytest

import podium

GIVEN = "player,rating,sigma\nann,1900,60\nzoe,1450,\n"


def asked(command, *arguments):
    return json.loads(command(*arguments, "--json").stdout)


def rating(command, league, name):
    return asked(command, "player", league, name)["rating"]


def test_a_season_begins_with_a_reset_and_is_put_right_and_taken_out(command, league):
    before = command("leaderboard", league).stdout
    begun = command("season", league, "two", "--from", "2026-01-15", "--pull", 0.5, "--who", "ann")
    assert begun.stdout.startswith(
        "Began season 'two' on 2026-01-15, with ratings pulled 0.5 of the way to where newcomers "
        "begin.\n"
    )
    assert command("leaderboard", league).stdout != before
    right = command("season", league, "two", "--sigma", 300)
    assert "and uncertain by at least 300" in right.stdout
    assert asked(command, "seasons", league) == [
        {
            "name": "two",
            "start": "2026-01-15T00:00:00Z",
            "end": None,
            "pull": 0.5,
            "toward": None,
            "sigma": 300.0,
        }
    ]
    assert "without a reset" in command("season", league, "two", "--no-reset").stdout
    assert command("leaderboard", league).stdout == before
    assert (
        "on 2026-01-16, without" in command("season", league, "two", "--from", "2026-01-16").stdout
    )
    assert command("season", league, "two", "--remove").stdout.startswith("Removed season 'two'.")
    assert asked(command, "seasons", league) == []
    assert command("verify", league).code == 0


def test_a_dry_run_of_a_season_changes_nothing(command, league):
    before = command("leaderboard", league).stdout
    tried = command("season", league, "two", "--from", "2026-01-15", "--pull", 1, "--dry-run")
    assert tried.stdout.startswith("Dry run: began season 'two'")
    assert "Nothing was changed." in tried.stderr
    assert command("leaderboard", league).stdout == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("two",), "season 'two' is not in the league yet, so --from is needed: when it begins."),
        (("two", "--remove"), "there is no season 'two' in the league; it has none."),
        (("two", "--remove", "--pull", 1), "--remove takes the season out"),
        (("two", "--no-reset", "--pull", 1), "--no-reset is without a reset"),
        (("two", "--from", "soon"), "'soon' is not a time"),
        (("two", "--from", "2026-01-15", "--pull", 2), "pull must be a number from 0 to 1"),
        (("two", "--from", "2026-01-15", "--sigma", 9), "so pull is needed"),
        (("two", "--from", "2099-01-15"), "season 'two'"),
        (("", "--from", "2026-01-15"), "cannot be the name of a season"),
    ],
)
def test_a_wrong_season_is_a_sentence(command, league, arguments, said):
    assert said in command("season", league, *arguments).complaint


def test_a_season_far_ahead_is_begun_if_it_is_meant_and_put_right_after_that(command, league):
    begun = ("season", league, "far", "--from", "2099-01-15", "--future")
    assert command(*begun).code == 0
    assert command("season", league, "far", "--pull", 0.5).code == 0


def test_seasons_are_a_table(command, league):
    assert "There are no seasons" in command("seasons", league).stderr
    command("season", league, "one", "--from", "2026-01-01")
    command("season", league, "two", "--from", "2026-01-15", "--pull", 0.25, "--toward", 1200)
    shown = [line.split() for line in command("seasons", league).stdout.splitlines()]
    assert shown[0] == ["season", "from", "until", "pull", "toward", "least", "sigma"]
    assert shown[1] == ["one", "2026-01-01", "2026-01-15", "–", "–", "–"]
    assert shown[2] == ["two", "2026-01-15", "–", "0.25", "1200", "–"]
    assert "2 seasons" in command("seasons", league, "--markdown").stdout


def test_ratings_are_given_by_a_file_and_taken_back(command, league, tmp_path):
    before = command("leaderboard", league).stdout
    file = tmp_path / "given.csv"
    file.write_text(GIVEN)
    done = command("start", league, file, "--why", "from the federation")
    assert done.stdout.startswith("Gave 2 players a starting rating.\n1 newcomer.\n")
    assert rating(command, league, "ann") > 1700
    assert asked(command, "starts", league) == [
        {"player": "ann", "time": None, "rating": 1900.0, "sigma": 60.0},
        {"player": "zoe", "time": None, "rating": 1450.0, "sigma": None},
    ]
    shown = command("starts", league).stdout.splitlines()
    assert shown[1].split() == ["ann", "–", "1900", "±", "60"]
    assert (
        "Took the starting rating of 'ann' away"
        in command("start", league, "--remove", "ann").stdout
    )
    assert command("start", league, "--remove", "zoe").code == 0
    assert "Nobody was given a rating" in command("starts", league).stderr
    assert command("leaderboard", league).stdout == before
    assert command("verify", league).code == 0


@pytest.mark.parametrize("kind", ["csv", "xlsx", "parquet", "jsonl", "json"])
def test_a_table_of_ratings_comes_in_any_format(command, league, tmp_path, kind):
    table = pl.DataFrame(
        {"player": ["ann", "bob"], "rating": [1900.5, 1400.0], "sigma": [60, None]}
    )
    file = tmp_path / f"given.{kind}"
    if kind == "csv":
        table.write_csv(file)
    elif kind == "parquet":
        table.write_parquet(file)
    elif kind == "xlsx":
        table.write_excel(file)
    elif kind == "jsonl":
        table.write_ndjson(file)
    else:
        file.write_text(json.dumps(table.to_dicts()))
    assert command("start", league, file).code == 0
    with podium.League.reading(str(league)) as opened:
        assert opened.starts().select("player", "rating", "sigma").rows() == [
            ("ann", 1900.5, 60.0),
            ("bob", 1400.0, None),
        ]


def test_columns_and_dates_may_be_called_and_written_otherwise(command, league, tmp_path):
    file = tmp_path / "given.csv"
    file.write_text("Name;FIDE;Datum\nann;1900,5;13.01.2026\nbob;1400;\n")
    reading = ("--columns", "rating=FIDE", "--time", "2026-01-02")
    assert command("start", league, file, *reading).code == 0
    with podium.League.reading(str(league)) as opened:
        rows = opened.starts().with_columns(pl.col("time").cast(str).str.head(10)).rows()
    assert rows == [("ann", "2026-01-13", 1900.5, None), ("bob", "2026-01-02", 1400.0, None)]
    assert command("start", league, "--remove", "ann", "--time", "2026-01-13").code == 0
    assert [each["player"] for each in asked(command, "starts", league)] == ["bob"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("player,points\nann,3\n", "there is no 'rating' among 'player', 'points'"),
        ("rating,sigma\n1500,3\n", "there is no 'player'"),
        ("player,rating\nann,good\n", "line 2: the rating must be a number, not 'good'"),
        ("player,rating\nann,\n", "the rating of 'ann' must be a number"),
        ("player,rating\nann,1500\nann,1600\n", "'ann' has two starting ratings; one is needed."),
        ("player,rating,sigma\nann,1500,-1\n", "an uncertainty one above 0"),
        ("player,rating,date\nann,1500,03/04/2026\n", "dates"),
        ("player,rating\n,1500\n", "name"),
        ("player,rating,time\nann,1500,2099-01-01\n", "the starting rating of 'ann'"),
        ("name,player,rating,elo\nann,ann,1,2\nbob,bob,x,3\n", "must be a number"),
    ],
)
def test_a_wrong_table_of_ratings_is_a_sentence_and_changes_nothing(
    command, league, tmp_path, text, said
):
    file = tmp_path / "given.csv"
    file.write_text(text)
    assert said in command("start", league, file).complaint
    assert asked(command, "starts", league) == []


def test_starts_need_a_file_or_somebody_to_take_them_from(command, league, tmp_path):
    assert "a file of ratings is needed" in command("start", league).complaint
    file = tmp_path / "given.csv"
    file.write_text(GIVEN)
    assert "say one of them" in command("start", league, file, "--remove", "ann").complaint
    assert "'ann' has no starting rating." in command("start", league, "--remove", "ann").complaint
    assert "no such league" in command("start", tmp_path / "no.db", file).complaint


def test_leaderboards_and_players_by_season(command, league, tmp_path):
    command("season", league, "one", "--from", "2026-01-01")
    command("season", league, "two", "--from", "2026-01-15", "--pull", 0.5)
    past = asked(command, "leaderboard", league, "--season", "one", "--top", 0)
    assert past["contests"] == 2
    assert {each["contests"] for each in past["leaderboard"]} <= {1, 2}
    shown = command("leaderboard", league, "--season", "one", "--markdown").stdout
    assert "season 'one'." in shown
    now = asked(command, "leaderboard", league, "--season", "two", "--top", 0)["leaderboard"]
    assert "fay" in [each["player"] for each in now]
    told = asked(command, "player", league, "ann", "--season", "one")
    assert [each["contest"] for each in told["history"]] == ["week-1", "week-2"]
    assert [each["name"] for each in told["seasons"]] == ["one", "two"]
    printed = command("player", league, "ann", "--season", "two").stdout
    assert "week-3" in printed
    assert "week-1" not in printed
    assert "season  from" in printed
    none = command("player", league, "fay", "--season", "one")
    assert "No contest of theirs was rated in season 'one'." in none.stderr
    assert command("player", league, "ann", "--png", tmp_path / "ann.png").code == 0
    assert (tmp_path / "ann.png").exists()


def test_who_has_not_played_is_told_in_a_sentence(command, league, tmp_path):
    file = tmp_path / "given.csv"
    file.write_text(GIVEN)
    command("start", league, file)
    shown = command("player", league, "zoe").stdout
    assert "from a starting rating; no rated contest yet." in shown
    assert "no rated contest yet" in command("player", league, "zoe", "--html").stdout
    assert "so none is drawn" in command("player", league, "zoe", "--png", "x.png").complaint


def test_seasons_are_of_leagues(command, league, season):
    for arguments in (("leaderboard", season), ("player", season, "ann")):
        complaint = command(*arguments, "--season", "one").complaint
        assert complaint == "seasons are those of a league; here there are none."
    assert "it has none." in command("leaderboard", league, "--season", "one").complaint
    both = command("leaderboard", league, "--season", "one", "--at", "2026-01-01").complaint
    assert "so at is not said with it" in both


def test_the_log_tells_of_seasons_and_starts(command, league, tmp_path):
    file = tmp_path / "given.csv"
    file.write_text(GIVEN)
    command("season", league, "two", "--from", "2026-01-15", "--pull", 0.5)
    command("start", league, file)
    log = command("log", league, "--last", 2).stdout
    assert "season two, removed no, start 2026-01-15 00:00:00, pull 0.5" in log
    assert "players 2" in log
