import json

import podium


def test_a_copy_is_said_and_sound(command, league, tmp_path):
    copy = tmp_path / "copy.db"
    done = command("backup", league, copy)
    assert done.code == 0
    size = f"{copy.stat().st_size:,} bytes"
    with podium.League(league) as original:
        contests = len(original)
    assert done.stdout == f"{league} is copied to {copy}: {contests} contests, {size}.\n"
    assert command("verify", copy).code == 0
    shown = command("leaderboard", copy, "--json")
    assert json.loads(shown.stdout) == json.loads(command("leaderboard", league, "--json").stdout)
    assert not list(tmp_path.glob("*-wal"))


def test_a_copy_as_json(command, league, tmp_path):
    copy = tmp_path / "copy.db"
    said = json.loads(command("backup", league, copy, "--json").stdout)
    with podium.League(copy) as made:
        assert said == {
            "league": str(league),
            "file": str(copy),
            "bytes": copy.stat().st_size,
            "contests": len(made),
            "state": made.state,
        }


def test_what_is_there_is_replaced_by_force_alone_and_only_a_league(command, league, tmp_path):
    copy, notes = tmp_path / "copy.db", tmp_path / "notes.txt"
    assert command("backup", league, copy).code == 0
    refused = command("backup", league, copy)
    assert refused.code == 4
    assert refused.complaint == (
        f"{copy}: is there already; give another name, or say replace=True or --force."
    )
    assert command("backup", league, copy, "--force").code == 0
    notes.write_text("mine")
    assert "no league" in command("backup", league, notes, "--force").complaint
    assert notes.read_text() == "mine"


def test_what_cannot_be_copied_is_one_line(command, league, tmp_path):
    assert "there is no such league" in command("backup", tmp_path / "x", "copy.db").complaint
    assert "is the league itself" in command("backup", league, league, "--force").complaint
    assert "no folder" in command("backup", league, tmp_path / "no" / "copy.db").complaint
    assert "is a folder" in command("backup", league, tmp_path).complaint
