import json

import pytest


def test_the_last_change_is_taken_back_and_made_again(command, league):
    board = command("leaderboard", league).stdout
    command("disqualify", league, "week-3", "ann")
    without = command("leaderboard", league).stdout
    done = command("undo", league, "--who", "bob", "--why", "a mistake")
    assert done.code == 0
    first, *table = done.stdout.splitlines()
    assert first == "Took back entry 6, the disqualification of 'ann' in contest 'week-3'."
    assert any(line.startswith("ann ") for line in table)
    assert command("leaderboard", league).stdout == board
    again = command("redo", league)
    assert again.stdout.startswith("Made entry 6 again, the disqualification of 'ann'")
    assert command("leaderboard", league).stdout == without
    entries = json.loads(command("log", league, "--json").stdout)
    assert [each["action"] for each in entries[:3]] == ["redo", "undo", "disqualify"]
    assert (entries[1]["who"], entries[1]["why"]) == ("bob", "a mistake")
    assert [each["details"]["of"] for each in entries[:2]] == [6, 6]


def test_a_dry_run_says_the_same_and_changes_nothing(command, league):
    log = command("log", league).stdout
    tried = command("undo", league, "--dry-run", "--json")
    assert json.loads(tried.stdout)["applied"] is False
    assert command("log", league).stdout == log
    done = json.loads(command("undo", league, "--json").stdout)
    assert {**done, "applied": False} == json.loads(tried.stdout)
    assert done["removed"] == ["ann", "bob", "cat", "dan", "fay"]


def test_an_earlier_change_is_taken_back_by_its_number(command, league):
    command("disqualify", league, "week-1", "ann")
    command("amend", league, "week-2", "--weight", "2")
    assert command("undo", league, "6").code == 0
    assert "ann" in command("contest", league, "week-1").stdout
    refused = command("undo", league, "3")
    assert refused.code == 4
    assert "entry 7, the amendment of contest 'week-2', is in the way" in refused.complaint


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("undo", "1"), 2, "entry 1 made the league, which is not taken back"),
        (("undo", "99"), 3, "there is no change 99 in the log"),
        (("redo",), 2, "there is nothing to make again"),
        (("redo", "5"), 4, "entry 5 is not taken back"),
        (("undo", "x"), 2, "'[ENTRY]'"),
    ],
)
def test_what_cannot_be_is_a_sentence(command, league, words, code, says):
    found = command(words[0], league, *words[1:])
    assert found.code == code
    assert says in found.complaint


def test_who_was_disqualified_is_reinstated(command, league):
    before = command("contest", league, "week-3").stdout
    command("disqualify", league, "week-3", "bob")
    tried = command("reinstate", league, "week-3", "bob", "--dry-run")
    assert "Nothing was changed" in tried.stderr
    done = command("reinstate", league, "week-3", "bob", "--who", "ann")
    assert done.stdout.startswith("Reinstated 'bob' in contest 'week-3' at rank 3; 4 → 5 players.")
    assert command("contest", league, "week-3").stdout == before
    assert command("reinstate", league, "week-3", "bob").code == 4
    assert command("reinstate", league, "week-3", "fay").code == 3


@pytest.fixture
def late(tmp_path):
    def written(text: str):
        path = tmp_path / "late.csv"
        path.write_text(text)
        return path

    return written


def ranks(command, league, contest="week-2"):
    found = json.loads(command("contest", league, contest, "--json").stdout)
    return [(each["rank"], each["player"]) for each in found["standings"]]


def test_late_results_are_added(command, league, late):
    file = late("Name;Place\neve;5\n")
    done = command("add", league, "week-2", file, "--json")
    assert json.loads(done.stdout)["what"] == "added 'eve' to contest 'week-2'; 4 → 5 players"
    assert ranks(command, league)[-1] == (5, "eve")
    file = late("contest,time,player,rank\nweek-1,2026-01-05,gil,1\nweek-2,2026-01-12,gil,2\n")
    assert command("add", league, "week-2", file).code == 2
    assert command("add", league, "week-2", file, "--ahead").code == 0
    assert ranks(command, league)[:3] == [(1, "bob"), (2, "gil"), (3, "ann")]
    refused = command("add", league, "week-2", file, "--tied")
    assert refused.code == 4
    assert "'gil' takes part in contest 'week-2' already, at rank 2" in refused.complaint


def test_late_results_of_another_contest_or_time_are_refused(command, league, late):
    other = late("contest,player,rank\nweek-9,gil,1\n")
    assert command("add", league, "week-2", other).code == 3
    then = late("time,player,rank\n2026-01-13,gil,5\n")
    assert "took place on 2026-01-12" in command("add", league, "week-2", then).complaint
    assert "rank" in command("add", league, "week-2", late("player\ngil\n")).complaint


def test_scores_say_where_late_results_stand(command, league, late):
    file = late(
        "contest,time,player,time of race\nrace,2026-03-01,ann,1:02\nrace,2026-03-01,bob,1:04\n"
    )
    options = ("--columns", "score=time of race", "--lowest-score-wins")
    assert command("record", league, file, *options).code == 0
    file = late("player,time of race\ngil,1:03\n")
    assert command("add", league, "race", file, *options).code == 0
    assert ranks(command, league, "race") == [(1, "ann"), (2, "gil"), (3, "bob")]


def test_teams_are_ignored_where_they_were(command, league, late):
    file = late("contest,time,player,rank,team\nt,2026-03-01,ann,1,red\nt,2026-03-01,bob,2,red\n")
    assert command("record", league, file, "--ignore-teams").code == 0
    file = late("player,rank,team\ngil,3,red\nhal,3,red\n")
    assert "teams" in command("add", league, "t", file).complaint
    assert command("add", league, "t", file, "--ignore-teams").code == 0
    found = json.loads(command("contest", league, "t", "--json").stdout)["standings"]
    assert [each["given_team"] for each in found] == ["red"] * 4
