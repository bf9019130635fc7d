import os

import pytest

import podium


def test_a_new_league_is_empty_and_says_how_to_go_on(command, tmp_path):
    path = tmp_path / "league.db"
    made = command("init", path)
    assert made.code == 0
    assert made.stdout == f"{path}: a league of 0 contests, rated by elo-mmr.\n"
    assert f"podium record {path} FILE" in made.stderr
    with podium.League(path) as league:
        assert len(league) == 0


def test_system_and_rules_are_those_asked_for(command, tmp_path):
    path = tmp_path / "league.db"
    asked = ("--system", "elo-mmx", "--set", "sig_limit=60", "--titles", "1200=Pupil,1400=Expert")
    shown = ("--hidden-until", 3, "--display", "conservative", "--caution", 2)
    assert command("init", path, *asked, *shown).code == 0
    with podium.League(path) as league:
        assert league.system == podium.system("elo-mmx", sig_limit=60.0)
        assert league.rules.titles == ((1200.0, "Pupil"), (1400.0, "Expert"))
        assert league.rules.hidden_until == 3
        assert (league.rules.display, league.rules.caution) == ("conservative", 2.0)


def test_nothing_is_overwritten(command, league, season):
    before = league.read_bytes()
    assert "is there already" in command("init", league).complaint
    assert league.read_bytes() == before
    assert "is there already" in command("init", season).complaint
    assert "podium: " in command("init", f"sqlite:///{league}").stderr
    assert league.read_bytes() == before


def test_an_export_becomes_the_same_league(command, league, tmp_path):
    assert command("export", league, tmp_path / "export").code == 0
    copy = tmp_path / "copy.db"
    made = command("init", copy, "--from", tmp_path / "export")
    assert made.stdout == f"{copy}: a league of 4 contests, rated by elo-mmr.\n"
    board, log = (command(each, league).stdout for each in ("leaderboard", "log"))
    assert command("leaderboard", copy).stdout == board
    assert log in command("log", copy).stdout


def test_an_export_brings_its_own_system(command, tmp_path):
    complaint = command("init", tmp_path / "x.db", "--from", tmp_path, "-s", "elo").complaint
    assert "an export has its system and its rules" in complaint


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--system", "elo-mmmr"), "there is no system 'elo-mmmr' (did you mean"),
        (("--set", "rho"), "write it as --set KEY=VALUE"),
        (("--titles", "Pupil"), "'Pupil' is no title; write titles as"),
        (("--titles", "low=Pupil"), "'low' is not a rating; write titles as"),
        (("--titles", "1200=Pupil,1200=Expert"), "two titles begin at 1200"),
        (("--display", "median"), "median"),
        (("--caution", "-1"), "caution"),
        (("--hidden-until", "-1"), "--hidden-until"),
        (("--from", "nowhere"), "nowhere"),
    ],
)
def test_what_cannot_be_made_leaves_nothing_behind(command, tmp_path, options, said):
    assert said in command("init", tmp_path / "league.db", *options).complaint
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("options", "mode"), [((), 0o640), (("--private",), 0o600)])
def test_who_may_read_a_league_the_umask_says_unless_it_is_private(
    command, league, tmp_path, options, mode
):
    command("export", league, tmp_path / "export")
    before = os.umask(0o027)
    try:
        for number, more in enumerate([(), ("--from", tmp_path / "export")]):
            path = tmp_path / f"new-{number}.db"
            assert command("init", path, *options, *more).code == 0
            assert path.stat().st_mode & 0o777 == mode
    finally:
        os.umask(before)


def test_a_journal_is_as_private_as_its_league(path_of_private):
    path, seen = path_of_private, []
    with podium.League(path) as league:
        league.record(
            podium.simulate(players=99, rounds=20, seed=1),
            progress=lambda *_: seen.extend(
                each.stat().st_mode & 0o777 for each in path.parent.glob("*-*")
            ),
        )
    assert set(seen) == {0o600}


@pytest.fixture
def path_of_private(tmp_path):
    podium.League.create(tmp_path / "league.db", private=True).close()
    return tmp_path / "league.db"


def test_a_server_has_no_private_leagues(command):
    complaint = command("init", "postgresql://localhost/league", "--private").complaint
    assert "private is for a league in a file" in complaint
