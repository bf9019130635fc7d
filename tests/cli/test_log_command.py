import json


def entries(command, league, *arguments):
    return json.loads(command("log", league, *arguments, "--json").stdout)


def test_every_change_is_in_the_log(command, league):
    before = len(entries(command, league))
    command("disqualify", league, "week-3", "ann", "--who", "bob", "--why", "two accounts")
    command("disqualify", league, "week-2", "ann", "--dry-run")
    log = entries(command, league)
    assert len(log) == before + 1
    last = log[0]
    assert (last["who"], last["why"]) == ("bob", "two accounts")
    assert (last["contest"], last["player"]) == ("week-3", "ann")
    row = command("log", league).stdout.splitlines()[1]
    assert "two accounts" in row
    assert "bob" in row


def test_the_log_of_a_contest_or_a_player(command, league):
    command("disqualify", league, "week-3", "ann")
    command("amend", league, "week-4", "--unrated")
    of_contest = entries(command, league, "--contest", "week-3")
    assert of_contest
    assert {entry["contest"] for entry in of_contest} == {"week-3"}
    of_player = entries(command, league, "--player", "ann")
    assert [entry["player"] for entry in of_player] == ["ann"]


def test_the_last_changes_alone(command, league):
    assert entries(command, league, "--last", 2) == entries(command, league)[:2]


def test_details_are_part_of_the_document(command, league):
    command("disqualify", league, "week-3", "ann")
    assert entries(command, league)[0]["details"]["rank"] == 2
