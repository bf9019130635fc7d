import json

import polars as pl
import pytest
from tests.weeks import of_any_source, standings

import podium


@pytest.fixture
def empty(tmp_path):
    path = tmp_path / "empty.db"
    podium.League.create(path, "elo-mmr").close()
    return path


def test_ratings_are_those_of_one_run_over_all_files(command, empty, weeks, tmp_path):
    for file in weeks.values():
        assert command("record", empty, file).code == 0
    together = podium.Contests.concat([podium.read(file) for file in weeks.values()])
    together.write(tmp_path / "all.csv")
    board = command("leaderboard", tmp_path / "all.csv").stdout
    assert of_any_source(command("leaderboard", empty).stdout) == of_any_source(board)


def test_several_files_are_recorded_at_once(command, empty, weeks):
    files = list(weeks.values())
    document = json.loads(command("record", empty, *files, "--json").stdout)
    assert document["recorded"] == list(weeks)
    assert document["known"] == []
    assert document["applied"] is True
    assert document["moved"] == 6 == len(document["moves"])
    assert all(move["before"] is None for move in document["moves"])


def test_what_is_known_is_said_and_left(command, league, weeks):
    shown = command("record", league, weeks["week-2"])
    assert shown.code == 0
    assert shown.stdout == "Contest 'week-2' is known already.\n"
    document = json.loads(command("record", league, weeks["week-2"], "--json").stdout)
    assert (document["recorded"], document["known"]) == ([], ["week-2"])
    assert document["moves"] == []


def test_what_is_known_is_named_beside_what_is_new(command, empty, weeks):
    command("record", empty, weeks["week-2"], weeks["week-1"])
    shown = command("record", empty, *weeks.values()).stdout.splitlines()
    assert shown[0].startswith("Recorded 2 contests")
    assert shown[1:3] == ["New: 'week-3', 'week-4'.", "Known already: 'week-1', 'week-2'."]


def test_who_moved_most_comes_first(command, league, tmp_path):
    path = tmp_path / "week-5.csv"
    path.write_text(standings("week-5", "2026-02-02", ["eve", "dan", "ann"]))
    document = json.loads(command("record", league, path, "--dry-run", "--json").stdout)
    changes = [abs(move["change"]) for move in document["moves"]]
    assert changes == sorted(changes, reverse=True)
    shown = command("record", league, path, "--top", 1)
    _, _, _, header, row = shown.stdout.splitlines()
    first = document["moves"][0]
    assert header.split() == ["player", "before", "after", "change"]
    assert row.split()[:3] == [first["player"], f"{first['before']:.0f}", f"{first['after']:.0f}"]
    assert "The largest 1 of 3 moves; --top 0 shows all." in shown.stderr
    assert "3 players moved, 1 contest rated." in shown.stderr


def test_one_wrong_file_and_nothing_is_recorded(command, empty, weeks, tmp_path):
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("contest,time,player,rank\nweek-9,2026-05-01,ann,first\n")
    assert str(wrong) in command("record", empty, weeks["week-1"], wrong).complaint
    assert len(podium.League(empty)) == 0
    twice = command("record", empty, weeks["week-1"], weeks["week-1"]).complaint
    assert twice.endswith("week-1.csv: is given twice.")
    assert len(podium.League(empty)) == 0


def test_unrated_contests_move_nobody(command, league, tmp_path):
    path = tmp_path / "friendly.csv"
    path.write_text(standings("friendly", "2026-02-02", ["eve", "dan", "ann"]))
    before = command("leaderboard", league).stdout
    document = json.loads(command("record", league, path, "--unrated", "--json").stdout)
    assert (document["recorded"], document["moves"]) == (["friendly"], [])
    assert command("leaderboard", league).stdout == before
    assert "friendly" in command("contests", league).stdout


def test_a_ceiling_leaves_those_above_alone(command, league, tmp_path):
    path = tmp_path / "division-2.csv"
    path.write_text(standings("division-2", "2026-02-02", ["eve", "dan", "ann"]))
    moves = json.loads(command("record", league, path, "--ceiling", 1450, "--json").stdout)["moves"]
    assert {move["player"] for move in moves} == {"eve", "dan"}


def test_the_log_knows_who_and_why(command, league, tmp_path, monkeypatch):
    monkeypatch.setenv("LOGNAME", "cat")
    path = tmp_path / "more.csv"
    path.write_text(standings("week-5", "2026-02-02", ["eve", "dan"]))
    command("record", league, path, "--why", "late results")
    path.write_text(standings("week-6", "2026-02-09", ["eve", "dan"]))
    command("record", league, path, "--who", "dan")
    entries = json.loads(command("log", league, "--last", 2, "--json").stdout)
    assert [(entry["who"], entry["why"]) for entry in entries] == [
        ("dan", None),
        ("cat", "late results"),
    ]


def test_results_are_read_as_the_options_say(command, empty, tmp_path):
    path = tmp_path / "races.csv"
    path.write_text("contest,time,who drove,score\nr,2026-01-01,ann,61\nr,2026-01-01,bob,59\n")
    assert "player" in command("record", empty, path).complaint
    how = ("--columns", "player=who drove", "--lowest-score-wins")
    assert command("record", empty, path, *how).code == 0
    assert command("leaderboard", empty).stdout.splitlines()[1].split()[1] == "bob"


def test_only_results_can_be_recorded(command, league, tmp_path):
    assert "is a league; results are needed" in command("record", league, league).complaint
    assert "nothing.csv" in command("record", league, tmp_path / "nothing.csv").complaint
    assert command("record", league).complaint.startswith("missing argument 'FILE…'")


def test_a_contest_in_two_files_is_named_with_both(command, empty, weeks, tmp_path):
    again = tmp_path / "again.csv"
    again.write_text(weeks["week-1"].read_text())
    complaint = command("record", empty, weeks["week-1"], weeks["week-2"], again).complaint
    assert complaint.startswith(f"{weeks['week-1']} and {again}: contest 'week-1' stands in both;")
    assert command("contests", empty, "--json").stdout.strip() == "[]"


def test_a_season_can_be_recorded_again_after_a_correction(command, league, weeks, tmp_path):
    command("disqualify", league, "week-1", "eve")
    new = tmp_path / "week-5.csv"
    new.write_text(standings("week-5", "2026-02-02", ["eve", "dan", "ann"]))
    files = (*weeks.values(), new)
    assert "--leave-known records the others" in command("record", league, *files).complaint
    document = json.loads(command("record", league, *files, "--leave-known", "--json").stdout)
    assert document["recorded"] == ["week-5"]
    assert len(document["known"]) == 4
    assert command("verify", league).code == 0


def test_newcomers_are_counted_and_asked_about(command, league, tmp_path):
    file = tmp_path / "week-5.csv"
    file.write_text(standings("week-5", "2026-02-02", ("ann", "Bob", "zoe")))
    shown = command("record", league, file, "--dry-run").stdout.splitlines()
    assert "2 newcomers." in shown
    assert "  'Bob' (did you mean 'bob'?)" in shown
    document = json.loads(command("record", league, file, "--dry-run", "--json").stdout)
    assert document["newcomers"] == ["Bob", "zoe"]
    assert document["near"] == [{"name": "Bob", "like": "bob"}]


def test_strictness_makes_a_near_name_an_error(command, league, tmp_path):
    file = tmp_path / "week-5.csv"
    file.write_text(standings("week-5", "2026-02-02", ("ann", "Bob", "zoe")))
    before = command("contests", league).stdout
    refused = command("record", league, file, "--strict")
    assert refused.code == 4
    assert "'Bob' (did you mean 'bob'?)" in refused.complaint
    assert command("contests", league).stdout == before
    assert command("record", league, file).code == 0


def test_piece_by_piece_everything_is_said_as_at_once(command, tmp_path):
    podium.simulate(players=20, rounds=30, seed=1).write(tmp_path / "all.csv")
    said = []
    for name, memory in (("whole", []), ("pieces", ["--memory", "20kB"])):
        league = tmp_path / f"{name}.db"
        podium.League.create(league).close()
        asked = ["record", league, tmp_path / "all.csv", *memory]
        tried = command(*asked, "--dry-run")
        assert tried.stdout.startswith("Dry run: recorded 30 contests.\n")
        assert ("piece by piece" in tried.stderr) is bool(memory)
        done = json.loads(command(*asked, "--json").stdout)
        assert done["applied"]
        assert len(done["recorded"]) == 30
        said.append((done, tried.stdout, command("leaderboard", league).stdout))
        assert command("verify", league).code == 0
    assert said[0] == said[1]


def test_piece_by_piece_a_ladder_that_is_not_there_is_refused(command, empty, tmp_path):
    results = podium.simulate(players=20, rounds=30, seed=1).frame()
    results.with_columns(ladder=pl.lit("asia")).write_csv(tmp_path / "all.csv")
    asked = ["record", empty, tmp_path / "all.csv", "--memory", "20kB"]
    refused = command(*asked, "--ladder", "europe")
    assert refused.code != 0
    assert "there is no ladder 'europe'" in refused.stderr
    assert command(*asked, "--ladder", "asia").code == 0


def test_results_that_are_read_by_themselves_are_read_whole(command, empty, weeks):
    asked = ["record", empty, weeks["week-1"], "--isolated", "--memory", "2GB"]
    assert "--memory does not apply" in command(*asked).complaint
