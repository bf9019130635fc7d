import errno
import json
import os
import signal
import subprocess
import sys

import pytest
from tests.local_site import CodeforcesSite, CtftimeSite, Reply

import podium
from podium.results.fetching import client, keeping

INTERRUPTED_WHILE_SAVING = """
import os, signal, sys
from podium.results import reading
from podium.cli import main

read = reading.read

def interrupted_at_the_second(path, **options):
    if path.name == "2.json":
        assert path.stat().st_size > 0
        os.kill(os.getpid(), signal.SIGINT)
    return read(path, **options)

reading.read = interrupted_at_the_second
sys.argv = ["podium", *sys.argv[1:]]
main()
"""


@pytest.fixture(autouse=True)
def _quickly(monkeypatch):
    monkeypatch.setattr(client, "_FIRST_PAUSE", 0.0)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def site():
    with CodeforcesSite() as site:
        for number in (1, 2, 3):
            site.add(number, {"ann": 1, "bob": 2})
        site.add(4, {})
        yield site


@pytest.fixture
def fetch(command, site, tmp_path):
    def run(*arguments, out=tmp_path / "rounds"):
        options = ("--out", out, "--base-url", site.url, "--interval", "0", *arguments)
        return command("fetch", "codeforces", *options)

    return run


def test_contests_are_fetched_and_then_rated(fetch, command, tmp_path):
    rounds = tmp_path / "rounds"
    done = fetch()
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout == (
        f"3 contests downloaded, 0 already there, 1 without ratings or results, 0 failed: "
        f"in {rounds}.\n"
    )
    assert fetch().stdout.startswith("0 contests downloaded, 3 already there, 1 without")
    assert command("rate", rounds, "--json").code == 0


def test_a_program_reads_what_became_of_them(fetch, site, tmp_path):
    site.failures["2"] = "contestId: Contest with id 2 not found"
    (tmp_path / "rounds").mkdir()
    (tmp_path / "rounds" / "1.json").write_text("{}")
    done = fetch("--json")
    assert done.code == 3
    reason = "Codeforces answered FAILED (contestId: Contest with id 2 not found)"
    assert json.loads(done.stdout) == {
        "out": str(tmp_path / "rounds"),
        "downloaded": ["3"],
        "already_there": ["1"],
        "unrated": ["4"],
        "failed": {"2": reason},
    }
    assert done.stderr == f"podium: contest 2: {reason}.\n"


def test_standings_and_dates(fetch, site):
    assert fetch("--standings", "--since", "2023-11-15", "--until", "2023-11-16").code == 0
    assert site.asked_for == ["contest.list", "1"]
    assert site.requests[1].path == "/api/contest.standings?contestId=1"


def test_giving_up_is_one_line_after_the_tries(fetch, site, tmp_path):
    site.troubles["2"] = [Reply(b"", 503)] * 6
    done = fetch()
    assert (done.code, done.stdout) == (5, "")
    *pauses, last = done.stderr.splitlines()
    assert pauses == [f"{site.host}: HTTP 503; trying again in 0 s."] * 5
    assert last == (
        f"podium: contest 2: {site.host} gave no usable answer in 6 tries, the last time HTTP 503; "
        f"{tmp_path}/rounds has 1 of 4 contests, and the same command goes on from there."
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--since", "soon"], "'soon' is not a time; give a date (2026-05-01), a datetime"),
        (["--until", "2024-13-01"], "'2024-13-01' is not a time; give a date"),
        (
            ["--since", "2024-02-01", "--until", "2024-01-31"],
            "since 2024-02-01 is later than until",
        ),
        (["--interval", "-1"], "the interval between requests is a number of seconds, not -1.0."),
        (["--interval", "often"], "invalid value for '--interval'"),
        (["--base-url", "codeforces"], "'codeforces' is not the address of a site"),
    ],
)
def test_bad_options_are_one_line(fetch, site, tmp_path, arguments, sentence):
    assert fetch(*arguments).complaint.startswith(sentence)
    assert site.requests == []
    assert list(tmp_path.iterdir()) == []


def test_codeforces_itself_is_not_hurried(command, tmp_path):
    done = command("fetch", "codeforces", "--out", tmp_path / "rounds", "--interval", "1")
    assert done.complaint == "requests to codeforces.com are at least 2 seconds apart, not 1."
    assert command("fetch", "codeforces").complaint.startswith("missing option '--out'")


def test_a_folder_that_is_a_file(fetch, site, tmp_path):
    (tmp_path / "rounds").write_text("mine")
    expected = f"{tmp_path}/rounds: cannot be a folder, because a file has that name."
    assert fetch().complaint == expected
    inside = fetch(out=tmp_path / "rounds" / "inside").complaint
    assert inside.startswith(f"{tmp_path}/rounds/inside/{keeping.NOTE}: cannot be written (")
    assert (tmp_path / "rounds").read_text() == "mine"
    assert site.requests == []


def test_a_folder_that_cannot_be_written(fetch, site, tmp_path, monkeypatch):
    def refuse(*_args, **_options):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("podium.files.tempfile.mkdtemp", refuse)
    assert fetch().complaint == (
        f"{tmp_path}/rounds/{keeping.NOTE}: cannot be written (permission denied)."
    )
    assert site.requests == []


def test_an_unknown_site_gets_a_suggestion(command):
    assert command("fetch", "codeforce").complaint == (
        "no such command 'codeforce' (did you mean 'codeforces'?); see 'podium fetch --help'."
    )


def test_without_a_site_the_help_is_shown(command):
    shown = command("fetch")
    assert shown.code == 0
    assert "codeforces" in shown.stdout
    assert "ctftime" in shown.stdout


def test_years_of_ctftime_are_fetched(command, tmp_path):
    events = tmp_path / "events"
    with CtftimeSite() as site:
        site.add(2022, 1500, {4: 1, 77: 2})
        options = ("--out", events, "--since", "2022", "--until", "2022", "--interval", "0")
        done = command("fetch", "ctftime", *options, "--base-url", site.url)
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith("1 year downloaded, 0 already there")
    assert podium.read(events)[0].standings == [(1, "4"), (2, "77")]


def test_years_that_are_none_are_one_line(command, tmp_path):
    for arguments in (["--since", "1999"], ["--until", "1999"], ["--since", "9999"]):
        done = command("fetch", "ctftime", "--out", tmp_path / "events", *arguments)
        assert "is not a year with results of CTFtime, from 2011 to" in done.complaint
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_while_saving_leaves_complete_files_only(fetch, site, tmp_path):
    rounds = tmp_path / "rounds"
    arguments = ["fetch", "codeforces", "--out", rounds, "--base-url", site.url, "--interval", "0"]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_WHILE_SAVING, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "podium: interrupted.\n"
    assert sorted(path.name for path in rounds.iterdir()) == [keeping.NOTE, "1.json"]
    site.requests.clear()
    assert fetch().stdout.startswith("2 contests downloaded, 1 already there")
    assert site.asked_for == ["contest.list", "2", "3", "4"]


def test_an_interrupt_while_waiting_leaves_complete_files_only(fetch, site, tmp_path):
    rounds = tmp_path / "rounds"
    site.troubles["2"] = [Reply(hold=True)]
    arguments = ["fetch", "codeforces", "--out", rounds, "--base-url", site.url, "--interval", "0"]
    running = subprocess.Popen(
        [sys.executable, "-m", "podium", *map(str, arguments)], stderr=subprocess.PIPE, text=True
    )
    while "2" not in site.asked_for:
        site.asked.wait()
        site.asked.clear()
    running.send_signal(signal.SIGINT)
    _, stderr = running.communicate()
    assert (running.returncode, stderr) == (130, "podium: interrupted.\n")
    assert sorted(path.name for path in rounds.iterdir()) == [keeping.NOTE, "1.json"]
    assert fetch().stdout.startswith("2 contests downloaded, 1 already there")
