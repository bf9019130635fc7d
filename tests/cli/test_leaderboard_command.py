import json

import polars as pl
import pytest
from tests.weeks import of_any_source

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
    later = json.loads(command("leaderboard", *drifting, "--at", "2027-01-01").stdout)
    earlier_word = command("leaderboard", *drifting, "--as-of", "2027-01-01").stdout
    assert json.loads(earlier_word) == later
    assert "--as-of" not in command("leaderboard", "--help").stdout
    before = {row["player"]: row for row in now}
    for row in later["leaderboard"]:
        assert row["sigma"] > before[row["player"]]["sigma"]
        assert row["rating"] < before[row["player"]]["rating"]
    too_early = command("leaderboard", *drifting, "--at", "2020-01-01").complaint
    assert too_early.startswith("ratings as of 2020-01-01 00:00:00 are not known")


def test_systems_without_uncertainty_and_small_scales_are_shown_well(command, season):
    shown = command("leaderboard", season, "--system", "elo", "--top", 1).stdout.splitlines()
    assert shown[1].split()[4] == "–"
    shown = command("leaderboard", season, "--system", "trueskill", "--top", 1).stdout
    assert "." in shown.splitlines()[1].split()[2]


def test_where_absence_changes_nothing_it_is_said(command, season):
    shown = command("leaderboard", season, "--at", "2027-01-01")
    assert "Absence changes nothing under elo-mmr with these parameters." in shown.stderr


def test_titles_are_a_condition_and_names_a_search(command, league, ratings):
    command("rules", league, "--titles", "1200=Pupil,1500=Expert")
    board = json.loads(command("leaderboard", league, "--top", 0, "--json").stdout)["leaderboard"]
    experts = [row["player"] for row in board if row["title"] == "Expert"]
    assert 0 < len(experts) < len(board)
    found = json.loads(command("leaderboard", league, "--title", "Expert", "--json").stdout)
    assert [row["player"] for row in found["leaderboard"]] == experts
    assert found["eligible"] == found["matching"] == len(experts)
    last = board[-1]
    found = command("leaderboard", league, "--matching", last["player"].upper(), "--json")
    assert json.loads(found.stdout)["leaderboard"] == [last]
    assert json.loads(found.stdout)["matching"] == 1
    shown = command("leaderboard", ratings, "--matching", "R-001", "--top", 4, "--page", 3)
    assert "Page 3 of 3: 2 of 10 players called so, among 60" in shown.stderr
    page = command("leaderboard", ratings, "--matching", "r-001", "--top", 4, "--page", 4)
    assert page.complaint == "there is no page 4 of 10 players, 4 on a page; the last is 3."
    html = command("leaderboard", league, "--title", "Expert", "--matching", "a", "--html").stdout
    assert "with the title &#x27;Expert&#x27;; with &#x27;a&#x27; in their names." in html
    assert "in a league" in command("leaderboard", ratings, "--title", "Expert").complaint
    refused = command("leaderboard", league, "--title", "Exprt").complaint
    assert refused.startswith("there is no title 'Exprt' (did you mean 'Expert'?) in the league")


def test_pages_follow_each_other(command, ratings, league):
    for source in (ratings, league):
        rows = command("leaderboard", source, "--top", 0).stdout.splitlines()[1:]
        second = command("leaderboard", source, "--top", 4, "--page", 2)
        assert [line.split() for line in second.stdout.splitlines()[1:]] == [
            line.split() for line in rows[4:8]
        ]
        assert f"Page 2 of {-(-len(rows) // 4)}: " in second.stderr
    complaint = command("leaderboard", league, "--top", 4, "--page", 3).complaint
    assert complaint == "there is no page 3 of 6 players, 4 on a page; the last is 2."
    assert "one page only" in command("leaderboard", league, "--top", 0, "--page", 2).complaint


def test_a_league_and_its_results_have_the_same_board(command, league, weeks, tmp_path):
    results = tmp_path / "results.csv"
    podium.Contests.concat([podium.read(file) for file in weeks.values()]).write(results)
    for options in ((), ("--active-since", "2026-01-20"), ("--min-contests", 3)):
        from_league = command("leaderboard", league, *options)
        from_results = command("leaderboard", results, *options)
        assert of_any_source(from_league.stdout) == of_any_source(from_results.stdout)
        assert from_league.stderr == from_results.stderr
    told = [json.loads(command("leaderboard", each, "--json").stdout) for each in (league, results)]
    assert told[0].pop("colours") == {}
    wanted = told[1]["leaderboard"][0].keys()
    told[0]["leaderboard"] = [
        {name: row[name] for name in wanted} for row in told[0]["leaderboard"]
    ]
    assert told[0] == told[1]


def test_the_board_of_a_league_as_of_a_date(command, league, weeks, tmp_path):
    then = command("leaderboard", league, "--at", "2026-01-12").stdout
    results = tmp_path / "results.csv"
    files = [weeks["week-1"], weeks["week-2"]]
    podium.Contests.concat([podium.read(file) for file in files]).write(results)
    assert of_any_source(then) == of_any_source(command("leaderboard", results).stdout)
    later = command("leaderboard", league, "--at", "2027-01-01")
    assert later.stdout == command("leaderboard", league).stdout
    assert "Absence changes nothing under elo-mmr" in later.stderr


def test_titles_have_a_column_if_there_are_any(command, league):
    assert "title" not in command("leaderboard", league).stdout
    command("rules", league, "--titles", "1500=Master")
    header, first, *_, last = command("leaderboard", league).stdout.splitlines()
    assert header.split()[:4] == ["place", "player", "title", "rating"]
    assert first.split()[2] == "Master"
    assert last.split()[2] == "–"


def test_rules_hide_players_until_they_have_played(command, league):
    command("rules", league, "--hidden-until", 2)
    shown = command("leaderboard", league)
    assert "fay" not in shown.stdout
    assert "5 of 5 players" in shown.stderr


def test_options_for_results_do_not_apply_to_a_league(command, league):
    for options in (("--system", "elo"), ("--set", "rho=2"), ("--rerank",), ("--ladder", "x")):
        assert "holds ratings already" in command("leaderboard", league, *options).complaint


def test_how_many_are_hidden_is_said(command, league):
    command("rules", league, "--hidden-until", 2)
    told = command("leaderboard", league).stderr
    assert told.endswith("5 of 5 players, rated by elo-mmr; 1 more is hidden until 2 contests.\n")
    command("rules", league, "--hidden-until", 5)
    told = command("leaderboard", league).stderr
    assert told.endswith("0 of 0 players, rated by elo-mmr; 6 more are hidden until 5 contests.\n")


def test_nothing_is_said_of_absence_before_the_last_contest(command, league):
    assert "Absence" not in command("leaderboard", league, "--at", "2020-01-01").stderr
    assert "Absence" not in command("leaderboard", league, "--at", "2026-01-26").stderr
    assert "Absence" in command("leaderboard", league, "--at", "2026-01-27").stderr
