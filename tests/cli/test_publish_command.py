import json

import pytest

pytest.importorskip("fastapi", reason="needs podium[web]")


def test_a_league_is_published_and_only_what_changed_is_written_again(command, league, tmp_path):
    site = tmp_path / "site"
    first = command("publish", league, site, "--title", "The <club>")
    assert first.code == 0
    assert f"{league} is published in {site}: " in first.stdout.replace("\n", " ")
    assert "The &lt;club&gt;" in (site / "index.html").read_text()
    said = json.loads(command("publish", league, site, "--title", "The <club>", "--json").stdout)
    assert said["folder"] == str(site)
    assert (said["written"], said["removed"]) == (0, 0)
    assert said["pages"] == len(list(site.rglob("*.html")))
    files = [each for each in site.rglob("*") if each.is_file()]
    assert said["unchanged"] == len(files) - 1


def test_a_league_is_called_as_its_file_unless_told(command, league, tmp_path):
    assert command("publish", league, tmp_path / "site", "--explanations", 0).code == 0
    assert "<title>Leaderboard · League</title>" in (tmp_path / "site/index.html").read_text()
    assert not (tmp_path / "site/why").exists()


def test_a_folder_of_something_else_is_left_alone(command, league, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home/letter.txt").write_text("dear ann")
    refused = command("publish", league, tmp_path / "home")
    assert refused.code == 4
    assert refused.complaint == (
        f"{tmp_path / 'home'}: has other files in it and no podium-site.txt, so it is no site that "
        f"podium published; a new or empty folder is right."
    )


def test_what_cannot_be_published_is_said(command, league, tmp_path):
    missing = command("publish", tmp_path / "none.db", tmp_path / "site")
    assert missing.code == 3
    assert "there is no such league" in missing.complaint
    is_a_file = command("publish", league, league)
    assert is_a_file.code == 2
    assert is_a_file.complaint == f"{league}: is a file; a site needs a folder of its own."
    wrong = command("publish", league, tmp_path / "site", "--base-url", "example.org")
    assert wrong.complaint == (
        "'example.org' is no address of a site; one such as https://example.org/club/ is right."
    )
    assert not (tmp_path / "site").exists()
