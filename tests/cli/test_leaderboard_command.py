import json

import polars as pl
import pytest

import podium


def test_a_folder_and_the_results_give_the_same_board(command, season, ratings):
    from_folder = command("leaderboard", ratings, "--top", 20)
    assert from_folder.code == 0
    assert len(from_folder.stdout.splitlines()) == 21
    assert command("leaderboard", season, "--top", 20).stdout == from_folder.stdout


def test_all_players_can_be_shown(command, ratings):
    assert len(command("leaderboard", ratings, "--top", 0).stdout.splitlines()) == 61


def test_the_json_document_has_the_whole_truth(command, ratings, contests):
    document = json.loads(command("leaderboard", ratings, "--json", "--top", 0).stdout)
    expected = podium.rate(contests).leaderboard(None)
    assert [row["mu"] for row in document["leaderboard"]] == expected["mu"].to_list()
    assert [row["place"] for row in document["leaderboard"]] == expected["place"].to_list()
    assert document["system"] == "elo-mmr"
    assert document["contests"] == len(contests)


def test_places_are_among_those_who_pass_the_conditions(command, ratings, contests):
    options = ("--min-contests", 7, "--active-since", "2026-03-19")
    document = json.loads(command("leaderboard", ratings, *options, "--top", 0, "--json").stdout)
    expected = podium.rate(contests).ratings.filter(
        pl.col("contests") >= 7, pl.col("last_time") >= pl.datetime(2026, 3, 19)
    )
    assert 0 < expected.height < 60
    assert document["eligible"] == expected.height
    assert [row["player"] for row in document["leaderboard"]] == expected["player"].to_list()
    assert document["leaderboard"][0]["place"] == 1


def test_another_system_can_rate_results_on_the_spot(command, season):
    shown = command("leaderboard", season, "--system", "elo-mmx", "--set", "sig_limit=60", "--json")
    document = json.loads(shown.stdout)
    assert document["system"] == "elo-mmx"
    assert document["parameters"]["sig_limit"] == 60


@pytest.mark.parametrize(
    "options",
    [("--system", "elo-mmx"), ("--set", "rho=2"), ("--columns", "player=x"), ("--rerank",)],
)
def test_options_for_results_do_not_apply_to_ratings(command, ratings, options):
    complaint = command("leaderboard", ratings, *options).complaint
    assert "holds ratings already" in complaint


def test_a_time_that_is_none_is_refused(command, ratings):
    complaint = command("leaderboard", ratings, "--active-since", "yesterday").complaint
    assert "'yesterday' is not a time" in complaint


def test_a_folder_of_something_else_is_refused(command, tmp_path):
    assert "holds neither ratings" in command("leaderboard", tmp_path).complaint


def test_a_damaged_folder_is_refused(command, tmp_path):
    (tmp_path / "beliefs.npz").write_bytes(b"PK, not really")
    complaint = command("leaderboard", tmp_path).complaint
    assert "not a file of beliefs, or a damaged one" in complaint


def test_numbers_are_right_aligned_and_rounded(command, ratings):
    header, *rows = command("leaderboard", ratings).stdout.splitlines()
    end = header.index("rating") + len("rating")
    assert all(row[end - 1].isdigit() and row[end] == " " for row in rows)
    assert not any("." in row for row in rows)


def test_the_absent_fall_behind_as_of_a_date(command, season):
    drifting = (season, "--set", "drift_per_day=20", "--top", 0, "--json")
    now = json.loads(command("leaderboard", *drifting).stdout)["leaderboard"]
    later = json.loads(command("leaderboard", *drifting, "--as-of", "2027-01-01").stdout)
    before = {row["player"]: row for row in now}
    for row in later["leaderboard"]:
        assert row["sigma"] > before[row["player"]]["sigma"]
        assert row["rating"] < before[row["player"]]["rating"]
    too_early = command("leaderboard", *drifting, "--as-of", "2020-01-01").complaint
    assert too_early.startswith("ratings as of 2020-01-01 00:00:00 are not known")


def test_systems_without_uncertainty_and_small_scales_are_shown_well(command, season):
    shown = command("leaderboard", season, "--system", "elo", "--top", 1).stdout.splitlines()
    assert shown[1].split()[4] == "–"
    shown = command("leaderboard", season, "--system", "trueskill", "--top", 1).stdout
    assert "." in shown.splitlines()[1].split()[2]


def test_where_absence_changes_nothing_it_is_said(command, season):
    shown = command("leaderboard", season, "--as-of", "2027-01-01")
    assert "Absence changes nothing under elo-mmr with these parameters." in shown.stderr
