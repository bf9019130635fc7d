import json

import podium

HEADER = ["rank", "player", "rating", "change", "performance", "title", "next", "title"]


def test_standings_are_posted_shown_and_ended(command, league, tmp_path):
    path = tmp_path / "now.csv"
    path.write_text("player,score\nann,7\nbob,9\nnew,1\n")
    shown = command("live", league, "week-9", path, "--name", "The ninth", "--who", "eve")
    assert shown.stdout == "Contest 'week-9' is live: 3 players, version 1.\n"
    again = command("live", league, "week-9", path)
    assert again.stdout == "Contest 'week-9' is live: 3 players, version 1, as before.\n"
    lines = command("live", league, "week-9").stdout.splitlines()
    assert lines[0].split() == HEADER
    assert [line.split()[1] for line in lines[1:4]] == ["bob", "ann", "new"]
    assert lines[3].split()[-1] == "new"
    listed = command("live", league).stdout
    assert "The ninth" in listed
    ended = command("live", league, "week-9", "--end")
    assert ended.stdout == "Contest 'week-9' is not live.\n"
    assert "No contest is live" in command("live", league).stderr
    assert command("live", league, "week-9").complaint == "contest 'week-9' is not live."
    assert command("verify", league).code == 0


def test_programs_read_the_same(command, league, tmp_path):
    path = tmp_path / "now.txt"
    path.write_text("bob\nann\n")
    posted = json.loads(command("live", league, "week-9", path, "--json").stdout)
    assert posted == {
        "contest": "week-9",
        "name": None,
        "version": 1,
        "changed": True,
        "participants": 2,
    }
    document = json.loads(command("live", league, "week-9", "--json").stdout)
    assert [row["player"] for row in document["standings"]] == ["bob", "ann"]
    assert document["prediction"] is True
    (listed,) = json.loads(command("live", league, "--json").stdout)["live"]
    assert listed["participants"] == 2
    ended = json.loads(command("live", league, "week-9", "--end", "--json").stdout)
    assert ended == {"contest": "week-9", "ended": True}


def test_what_is_predicted_is_what_recording_gives(command, league, tmp_path):
    path = tmp_path / "now.csv"
    path.write_text("contest,time,player,rank\nweek-9,2026-03-02,cat,1\nweek-9,2026-03-02,ann,2\n")
    command("live", league, "week-9", path)
    predicted = json.loads(command("live", league, "week-9", "--json").stdout)["standings"]
    command("record", league, path)
    recorded = json.loads(command("contest", league, "week-9", "--json").stdout)["standings"]
    assert [row["rating"] for row in predicted] == [row["rating"] for row in recorded]
    assert "over and recorded" in command("live", league, "week-9").complaint
    assert "recorded already" in command("live", league, "week-9", path).complaint


def test_files_are_read_as_is_said(command, league, tmp_path):
    path = tmp_path / "now.csv"
    path.write_text("who;time taken\nann;7\nbob;9\n")
    options = ["--columns", "player=who", "--columns", "score=time taken", "--lowest-score-wins"]
    command("live", league, "week-9", path, *options)
    with podium.League(league) as opened:
        assert opened.live("week-9").table["player"].to_list() == ["ann", "bob"]


def test_standings_are_fetched_by_a_site(command, league):
    address = "https://example.org/week-9.csv"
    said = command("live", league, "week-9", "--poll", address, "--every", "60")
    assert "are fetched every 60 seconds" in said.stdout
    shown = command("live", league, "week-9")
    assert f"Fetched every 60 seconds from {address}." in shown.stderr
    assert "no longer" in command("live", league, "week-9", "--no-poll").stdout
    assert "Fetched" not in command("live", league, "week-9").stderr
    complaint = command("live", league, "week-9", "--poll", "file:///etc/passwd").complaint
    assert complaint.startswith("standings are fetched from an address as https://…")


def test_one_thing_is_done_at_a_time(command, league, tmp_path):
    path = tmp_path / "now.txt"
    path.write_text("ann\nbob\n")
    assert "four things to do" in command("live", league, "x", path, "--end").complaint
