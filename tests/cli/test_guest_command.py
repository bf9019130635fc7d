import json

from tests.weeks import standings

import podium
from podium.cli.board import title_style


def test_a_guest_is_not_rated_and_can_be_a_member_again(command, league, tmp_path):
    shown = command("guest", league, "ann", "--why", "visits", "--who", "bob")
    assert shown.stdout == "'ann' is a guest.\n"
    path = tmp_path / "week-5.csv"
    path.write_text(standings("week-5", "2026-02-02", ["ann", "bob", "cat"]))
    command("record", league, path)
    lines = command("contest", league, "week-5").stdout.splitlines()
    assert lines[3].split() == ["1", "ann", "–", "–", "–", "guest"]
    assert "visits" in command("log", league, "--player", "ann").stdout
    assert command("guest", league, "ann", "--no-longer").stdout == (
        "'ann' is no guest any more.\n"
    )
    assert "is no guest already" in command("guest", league, "ann", "--no-longer").stdout
    assert command("verify", league).code == 0


def test_a_dry_run_makes_nobody_a_guest(command, league):
    document = json.loads(command("guest", league, "ann", "--dry-run", "--json").stdout)
    assert document["what"] == "'ann' is a guest"
    assert document["applied"] is False
    with podium.League(league) as opened:
        assert not opened["ann"].guest


def test_guests_of_one_recording(command, league, tmp_path):
    path = tmp_path / "week-5.csv"
    path.write_text(standings("week-5", "2026-02-02", ["ann", "bob", "new"]))
    command("record", league, path, "--guest", "ann", "--guest", "new")
    standings_ = json.loads(command("contest", league, "week-5", "--json").stdout)["standings"]
    assert [row["eligible"] for row in standings_] == [False, True, False]
    path.write_text(standings("week-6", "2026-02-09", ["ann", "bob"]))
    refused = command("record", league, path, "--guest", "anne")
    assert refused.complaint == (
        "'anne' is to be a guest, but has no result among those to record."
    )
    assert "there is no player 'anne'" in command("guest", league, "anne").complaint
    assert "has no rated contest" in command("player", league, "new").complaint


def test_within_limits_nobody_is_called_a_guest(command, league, tmp_path):
    path = tmp_path / "week-5.csv"
    path.write_text(standings("week-5", "2026-02-02", ["ann", "bob", "eve"]))
    command("record", league, path, "--ceiling", 1100)
    lines = command("contest", league, "week-5").stdout.splitlines()
    assert lines[3].split()[-1] == "unrated"


def test_titles_have_styles_that_terminals_know():
    from rich.style import Style

    from podium.league.rules import COLOURS

    style = title_style({**{name: name for name in COLOURS}, "a\x1b[2J": "#1e90ff"})
    for name in COLOURS:
        assert Style.parse(style(name)).color is not None
    assert style("a\\x1b[2J") == "#1e90ff"
    assert style("another") == ""
