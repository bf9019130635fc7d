import itertools
import json
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import podium
from podium.ratings.careers import Career


@pytest.fixture(scope="module")
def rated(contests):
    return podium.rate(contests)


@pytest.fixture(scope="module")
def best(rated):
    return rated.ratings["player"][0]


def test_the_headline_says_where_the_player_stands(command, ratings, rated, best):
    headline = command("player", ratings, best).stdout.splitlines()[0]
    now = rated.ratings.row(0, named=True)
    assert headline.startswith(f"{best}: place 1 of 60, rating {now['rating']:.0f} ")
    assert f"({now['mu']:.0f} ± {now['sigma']:.0f}) after {now['contests']} contests" in headline


def test_every_contest_has_a_row(command, ratings, rated, best):
    history = rated.history_of(best)
    shown = command("player", ratings, best, "--last", 0).stdout.splitlines()
    rows = shown[-history.height :]
    for row, contest, rank in zip(rows, history["contest"], history["rank"], strict=True):
        assert f"{contest} " in row
        assert f" {rank} of " in row
    assert shown[-history.height - 1].split()[:3] == ["date", "contest", "rank"]


def test_the_last_contests_are_shown_with_a_note_on_the_others(command, ratings, rated, best):
    shown = command("player", ratings, best, "--last", 2)
    assert f"The last 2 of {rated.history_of(best).height} contests" in shown.stderr
    assert rated.history_of(best)["contest"][-3] not in shown.stdout


def test_results_can_be_rated_on_the_spot(command, season, ratings, best):
    assert command("player", season, best).stdout == command("player", ratings, best).stdout


def test_the_json_document_tells_every_contest_unrounded(command, ratings, rated, best):
    document = json.loads(command("player", ratings, best, "--json").stdout)
    history = rated.history_of(best)
    assert document["place"] == 1
    assert document["best_rating"] == history["rating"].max()
    told = document["history"]
    assert [row["performance"] for row in told] == history["performance"].to_list()
    assert all(row["change"] == row["rating"] - row["rating_before"] for row in told)


def test_the_number_of_participants_is_that_of_the_contest(rated, contests, best):
    sizes = {contest.id: len(contest) for contest in contests}
    for contest, participants in (
        Career.of(rated, best).history.select("contest", "participants").rows()
    ):
        assert participants == sizes[contest]


def test_the_picture_is_a_png_of_1200_by_700(command, ratings, best, tmp_path):
    path = tmp_path / "pictures" / "best.png"
    assert command("player", ratings, best, "--png", path).code == 0
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG")
    assert struct.unpack(">II", content[16:24]) == (1200, 700)


def test_a_name_can_look_like_a_formula(command, tmp_path):
    frame = podium.simulate(players=3, rounds=4).frame().cast({"player": str})
    frame.with_columns(player=frame["player"].replace("player-0001", "$x_{$")).write_csv(
        tmp_path / "results.csv"
    )
    picture = tmp_path / "x.png"
    assert command("player", tmp_path / "results.csv", "$x_{$", "--png", picture).code == 0
    assert picture.is_file()


def test_only_a_png_can_be_drawn(command, ratings, best, tmp_path):
    complaint = command("player", ratings, best, "--png", tmp_path / "best.gif").complaint
    assert "must end in .png" in complaint


def test_an_unknown_player_gets_a_suggestion(command, ratings):
    complaint = command("player", ratings, "Player-07").complaint
    assert "there is no player 'Player-07'" in complaint
    assert "did you mean 'player-00" in complaint


def test_a_player_with_one_contest_has_no_chart(command, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("contest,time,player,rank\nx,2026-01-01,ann,1\nx,2026-01-01,bob,2\n")
    shown = command("player", path, "ann")
    assert shown.code == 0
    assert "after 1 contest;" in shown.stdout
    assert "┤" not in shown.stdout


def test_a_player_without_opponents_has_no_performance(command, tmp_path):
    path = tmp_path / "alone.csv"
    path.write_text("contest,time,player,rank\nx,2026-01-01,ann,1\n")
    assert "1 of 1            –" in command("player", path, "ann").stdout


def test_ratings_without_history_say_so(command, season, tmp_path):
    command("rate", season, "--no-history", "--out", tmp_path / "r")
    complaint = command("player", tmp_path / "r", "player-0001").complaint
    assert "there is no history" in complaint


def test_names_that_are_numbers_survive_csv_tables(command, tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("contest,time,player,rank\n7,2026-01-01,42,1\n7,2026-01-01,43,2\n")
    command("rate", path, "--csv", "--out", tmp_path / "r")
    assert "42: place 1 of 2" in command("player", tmp_path / "r", "42").stdout


def test_a_history_that_begins_late_is_said_and_never_a_traceback(command, tmp_path):
    early = podium.Contests.from_records(
        {"contest": "a", "time": 0, "player": name, "rank": rank}
        for rank, name in enumerate(("ann", "bob", "cat"), start=1)
    )
    late = podium.Contests.from_records(
        {"contest": "b", "time": 9, "player": name, "rank": rank}
        for rank, name in enumerate(("ann", "bob"), start=1)
    )
    podium.rate(late, beliefs=podium.rate(early).beliefs).save(tmp_path / "r")
    shown = command("player", tmp_path / "r", "ann")
    assert shown.code == 0
    assert "The history begins after the first of 2 contests." in shown.stderr
    missing = command("player", tmp_path / "r", "cat").complaint
    assert "the history that was kept does not reach back to a contest of 'cat'" in missing


def test_what_is_shown_before_a_contest_was_shown_after_the_one_before(command, season):
    offsets = "display_offsets=500,350,250,150,100,50"
    told = command("player", season, "player-0001", "-s", "codeforces", "--set", offsets, "--json")
    history = json.loads(told.stdout)["history"]
    for one, other in itertools.pairwise(history):
        assert other["rating_before"] == one["rating"]


def test_small_scales_are_shown_with_two_digits(command, season):
    shown = command("player", season, "player-0001", "-s", "trueskill").stdout
    assert re.search(r"rating -?\d+\.\d\d \(", shown)


@pytest.fixture(scope="module")
def matches(tmp_path_factory):
    """Results of a system whose kernels are compiled by now."""
    path = tmp_path_factory.mktemp("matches") / "matches.csv"
    contests = podium.simulate_matches(players=6, matches=60, seed=1)
    contests.write(path)
    podium.rate(contests, "luck")
    return path


def test_a_belief_is_drawn_over_time(command, matches, tmp_path):
    picture = tmp_path / "belief.png"
    shown = command("player", matches, "player-0002", "--system", "luck", "--belief", picture)
    assert shown.code == 0
    assert f"The picture of beliefs is in {picture}." in shown.stderr
    width, height = struct.unpack(">II", picture.read_bytes()[16:24])
    assert (width, height) == (1200, 700)


def test_a_player_of_one_match_has_a_belief_to_draw(command, tmp_path):
    path, picture = tmp_path / "match.csv", tmp_path / "belief.png"
    path.write_text("time,player_a,player_b,outcome\n2026-05-01,ann,bob,0.7\n")
    assert command("player", path, "ann", "-s", "luck", "--belief", picture).code == 0
    assert picture.is_file()


def test_beliefs_that_cannot_be_drawn(command, matches, ratings, tmp_path):
    picture = tmp_path / "belief.png"
    assert "keeps no whole beliefs" in (
        command("player", matches, "player-0002", "-s", "elo-mmr", "--belief", picture).complaint
    )
    assert "holds the latest beliefs only" in (
        command("player", ratings, "player-0002", "--belief", picture).complaint
    )
    assert "must end in .png" in (
        command(
            "player", matches, "player-0002", "-s", "luck", "--belief", tmp_path / "belief.gif"
        ).complaint
    )
    assert list(tmp_path.iterdir()) == []


def test_a_player_of_a_league_has_the_same_story(command, league, weeks, tmp_path):
    results = tmp_path / "results.csv"
    podium.Contests.concat([podium.read(file) for file in weeks.values()]).write(results)
    for name in ("ann", "eve", "fay"):
        assert command("player", league, name).stdout == command("player", results, name).stdout
    told, expected = (
        json.loads(command("player", source, "ann", "--json").stdout)
        for source in (league, results)
    )
    for key, value in expected.items():
        if key != "history":
            assert told[key] == value
    for row, other in zip(told["history"], expected["history"], strict=True):
        assert {key: row[key] for key in other} == other


def test_a_player_of_a_league_has_title_and_picture(command, league, tmp_path):
    command("rules", league, "--titles", "1000=Master", "--hidden-until", 2)
    picture = tmp_path / "ann.png"
    shown = command("player", league, "ann", "--png", picture).stdout
    assert shown.startswith("ann: Master, place 1 of 5, rating ")
    assert picture.read_bytes().startswith(b"\x89PNG")
    hidden = command("player", league, "fay").stdout
    assert "not on the leaderboard, rating" in hidden


def test_players_of_a_league_that_cannot_be_shown(command, league, tmp_path):
    assert "(did you mean 'ann'?)" in command("player", league, "anne").complaint
    assert "holds ratings already" in command("player", league, "ann", "-s", "elo").complaint
    complaint = command("player", league, "ann", "--belief", tmp_path / "b.png").complaint
    assert "holds the latest beliefs only" in complaint
    command("amend", league, "week-4", "--unrated")
    assert "'fay' has no rated contest" in command("player", league, "fay").complaint


def test_the_source_stands_first_or_second(command, ratings, season, league, best):
    for source, name in ((ratings, best), (season, best), (league, "ann")):
        shown = command("player", source, name)
        assert shown.code == 0
        assert command("player", name, source).stdout == shown.stdout


def test_what_is_there_is_the_source(command, ratings, best, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = command("player", ratings, best).stdout
    Path(best).write_text("not ratings")
    assert command("player", ratings, best).stdout == shown  # both are there: the first
    assert best in command("player", best, ratings).complaint
    assert command("player", "rantings", best).complaint.startswith(f"{best}: ")
    Path(best).unlink()
    assert command("player", "rantings", best).complaint == (
        f"neither 'rantings' nor {best!r} is a file, a folder or a league; the source stands "
        f"first, as in podium player ratings ann."
    )


def test_a_player_of_a_league_as_of_a_date_is_who_the_leaderboard_of_that_date_shows(
    command, league
):
    board = json.loads(command("leaderboard", league, "--at", "2026-01-12", "--json").stdout)
    for row in board["leaderboard"]:
        asked = ("player", league, row["player"], "--at", "2026-01-12", "--json")
        found = json.loads(command(*asked).stdout)
        now = {f"{key}_now": found["now"][key] for key in ("rating", "sigma")}
        assert {key: {**found, **now}[key] for key in row} == row
        assert found["players"] == board["eligible"] == len(board["leaderboard"])
        assert len(found["history"]) == found["contests"]
        assert found["history"][-1]["time"] == found["last_time"] <= "2026-01-12T00:00:00Z"
        assert found["history"][-1]["rating"] == found["rating"]
    too_early = command("player", league, "ann", "--at", "2020-01-01").complaint
    assert too_early == "'ann' has no rated contest in the league by 2020-01-01."


def test_ratings_show_a_player_after_a_long_absence_but_not_in_the_past(command, season, best):
    asked = ("player", season, best, "--set", "drift_per_day=20", "--json")
    now, later = (
        json.loads(command(*asked, *more).stdout) for more in ((), ("--at", "2040-01-01"))
    )
    assert later["sigma"] > now["sigma"]
    assert "2020" in command(*asked, "--at", "2020-01-01").complaint


@pytest.mark.usefixtures("_compiled")
def test_results_may_come_through_standard_input(season):
    done = subprocess.run(
        [sys.executable, "-m", "podium", "player", "-", "player-0001"],
        input=season.read_bytes(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.startswith(b"player-0001: place")
