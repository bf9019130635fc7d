"""``podium serve``: what it says, and what it refuses; tests/web/test_server.py lets it run."""

import socket
from typing import Any

import pytest

import podium
from podium import warming

pytest.importorskip("uvicorn", reason="needs podium[web]")

from podium.web import server
from podium.web.server import Listening, Settings


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Settings, Listening]]:
    """What would be served, if the server did not end at once."""
    found: list[tuple[Settings, Listening]] = []

    def serve(settings: Settings, listening: Listening, _: Any) -> None:
        settings.catalogue().close()
        found.append((settings, listening))

    monkeypatch.setattr(server, "serve", serve)
    monkeypatch.setattr(warming, "needing", lambda *_: [])
    return found


def test_it_says_where_it_listens(command, league, served):
    outcome = command("serve", league, "--port", 0)
    assert outcome.code == 0
    assert outcome.stdout.startswith("Serving 1 league at http://127.0.0.1:")
    assert outcome.stdout.endswith("/ … Ctrl-C ends it.\n")
    assert outcome.stderr == "Stopped.\n"
    ((settings, listening),) = served
    assert settings == Settings((str(league),))
    assert listening == Listening(port=0)


def test_it_compiles_what_its_leagues_need_before_it_answers(command, league, served, monkeypatch):
    def warm(*systems: Any, progress: Any) -> None:
        assert progress
        warmed.extend(each.name for each in systems)
        assert not served

    warmed: list[str] = []
    monkeypatch.setattr(warming, "needing", lambda *systems: list(systems))
    monkeypatch.setattr(warming, "warm", warm)
    outcome = command("serve", league, "--port", 0)
    assert outcome.stderr.startswith("Making sure that all kernels of elo-mmr are compiled, so")
    assert warmed == ["elo-mmr"]
    assert served


def test_it_passes_on_what_it_is_told(command, league, served, tmp_path):
    other = tmp_path / "chess.db"
    podium.League.create(other).close()
    said = ["--title", "Ours", "--prefix", "ratings/", "--address", "https://example.org/"]
    how = ["--port", 0, "--workers", 3, "--trusted", "127.0.0.1, 10.0.0.0/8", "--log"]
    outcome = command("serve", league, other, *said, *how)
    assert "Serving 2 leagues at " in outcome.stdout
    assert "/ratings/ …" in outcome.stdout
    ((settings, listening),) = served
    assert settings == Settings(
        (str(league), str(other)), "Ours", "/ratings", "https://example.org"
    )
    assert listening == Listening("127.0.0.1", 0, None, 3, ("127.0.0.1", "10.0.0.0/8"), True)


def test_without_a_league_a_season_is_made_up_and_gone_afterwards(command, served):
    outcome = command("serve", "--port", 0)
    assert outcome.code == 0
    assert "a season that is made up; podium serve LEAGUE shows yours.\n" in outcome.stderr
    ((settings, _),) = served
    with pytest.raises(podium.NotFoundError):
        settings.catalogue()


def test_a_port_that_is_taken_is_one_sentence(command, league, served):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        outcome = command("serve", league, "--port", port)
    assert outcome.code == podium.InputError.exit_code
    assert outcome.complaint == (
        f"127.0.0.1:{port}: another server listens there; --port 0 takes a port that is free."
    )
    assert not served


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["missing.db"], "there is no such league"),
        (["--prefix", "/a b"], "is no path to show a site under"),
        (["--address", "example.org"], "is not where a site can be found"),
        (["--trusted", "proxy"], "is no address of a proxy"),
        (["--workers", 0], "--workers"),
        (["--port", 70000], "--port"),
    ],
)
def test_what_is_wrong_is_one_sentence(command, league, served, arguments, sentence):
    where = [] if arguments[0] == "missing.db" else [league]
    free = [] if "--port" in arguments else ["--port", 0]
    assert sentence in command("serve", *where, *arguments, *free).complaint
    assert not served


def test_the_help_teaches(command):
    text = " ".join(command("serve", "--help").stdout.split())
    for word in ("podium serve club.db --open", "[leagues.club]", "Behind a proxy", "0.0.0.0"):
        assert word in text


def test_a_site_that_may_write_says_so_and_makes_its_secret(command, league, served, tmp_path):
    secret = tmp_path / "secret"
    outcome = command("serve", league, "--port", 0, "--writable", "--secret-file", secret)
    assert outcome.code == 0
    ((settings, _),) = served
    assert settings.writable
    assert settings.key() == secret.read_bytes().strip()
    assert secret.stat().st_mode & 0o777 == 0o600


def test_a_secret_that_others_can_read_is_refused_before_anything_is_served(
    command, league, served, tmp_path
):
    secret = tmp_path / "secret"
    secret.write_text("x" * 40)
    secret.chmod(0o644)
    refused = command("serve", league, "--port", 0, "--writable", "--secret-file", secret)
    assert "others can read the secret of the site" in refused.complaint
    assert not served


def test_without_being_told_so_a_site_needs_no_secret(command, league, served, monkeypatch):
    monkeypatch.setenv("PODIUM_SECRET", "short")
    assert command("serve", league, "--port", 0).code == 0
    ((settings, _),) = served
    assert not settings.writable
    assert settings.key() is None
    assert "at least 32 characters" in command("serve", league, "--port", 0, "--writable").complaint
