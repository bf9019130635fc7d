import json

from tests.weeks import of_any_source

import podium


def test_a_revision_rates_all_contests_anew(command, league, weeks, tmp_path):
    revised = command("revise", league, "--system", "elo-mmx", "--name", "second")
    assert revised.code == 0
    assert "4 contests rated." in revised.stderr
    together = podium.Contests.concat([podium.read(file) for file in weeks.values()])
    together.write(tmp_path / "all.csv")
    board = command("leaderboard", tmp_path / "all.csv", "--system", "elo-mmx").stdout
    assert of_any_source(command("leaderboard", league).stdout) == of_any_source(board)


def test_parameters_that_are_not_given_stay(command, tmp_path, weeks):
    path = tmp_path / "league.db"
    command("init", path, "--set", "sig_limit=60")
    command("record", path, *weeks.values())
    command("revise", path, "--set", "rho=2")
    with podium.League(path) as league:
        assert league.system == podium.system("elo-mmr", sig_limit=60.0, rho=2.0)


def test_a_rollback_gives_the_ratings_before(command, league):
    before = command("leaderboard", league).stdout
    command("revise", league, "--set", "sig_limit=40", "--name", "second")
    assert command("leaderboard", league).stdout != before
    assert command("rollback", league).code == 0
    assert command("leaderboard", league).stdout == before
    assert command("rollback", league, "second").code == 0
    assert command("leaderboard", league).stdout != before


def test_revisions_are_listed_with_what_is_special_in_them(command, league):
    command("revise", league, "--set", "rho=2", "--name", "second")
    command("revise", league, "--system", "elo-mmx", "--name", "third")
    header, *rows = command("revisions", league).stdout.splitlines()
    assert header.split() == ["revision", "system", "parameters", "made", "state"]
    assert [row.split()[1] for row in rows] == ["elo-mmr", "elo-mmr", "elo-mmx"]
    assert rows[1].split()[:3] == ["second", "elo-mmr", "rho=2"]
    assert [row.endswith("in force") for row in rows] == [False, False, True]
    documents = json.loads(command("revisions", league, "--json").stdout)
    assert [row["name"] for row in documents][1:] == ["second", "third"]


def test_two_revisions_are_compared(command, league):
    tried = command("revise", league, "--set", "sig_limit=40", "--name", "second")
    first = json.loads(command("revisions", league, "--json").stdout)[0]["name"]
    compared = command("revisions", league, "--compare", first, "second")
    assert compared.code == 0
    assert compared.stdout in tried.stdout
    document = json.loads(
        command("revisions", league, "--compare", first, "second", "--json", "--top", 2).stdout
    )
    assert document["moved"] == 6
    assert len(document["moves"]) == 2


def test_what_cannot_be_revised(command, league):
    assert "there is nothing to revise" in command("revise", league).complaint
    assert "there is no system 'elo-mmmr'" in command("revise", league, "-s", "elo-mmmr").complaint
    assert "rho" in command("revise", league, "--set", "rho=-1").complaint
    assert "'third'" in command("rollback", league, "third").complaint
    assert "podium: " in command("rollback", league).stderr
    assert "'third'" in command("revisions", league, "--compare", "third", "fourth").complaint
