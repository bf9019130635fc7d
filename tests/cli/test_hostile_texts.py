"""No name, reason or file name reaches a terminal or a log as it is, in any command."""

import json
import os
import pty
import re
import subprocess
import sys

import polars as pl
import pytest
import typer
from tests.local_site import CodeforcesSite, CtftimeSite

import podium
from podium.cli.app import app
from podium.results.fetching import client
from podium.texts import visible

EVIL = "\x1b[2J\x9b31m\u202e=1\u2066\r\n\x0b\u2028\x07\x7f\u200f$\\frac{$"
SAFE = EVIL.replace("\\", "")
"""The same without a slash, which no folder of a ladder has."""
ANN, BOB, CAT = (f"{name}{EVIL}" for name in ("ann", "bob", "cat"))
FIRST, LAST = f"1{EVIL}", f"9{EVIL}"
FORMS = ("--csv", "--markdown", "--html", "--latex")
QUICK = ["--honest-first", 2, "--farming", 2, "--honest-last", 2]


def commands(group=None, path=()):
    """All commands, those of groups by their whole name."""
    group = group or typer.main.get_command(app)
    for name, each in group.commands.items():
        if hasattr(each, "commands"):
            yield from commands(each, (*path, name))
        else:
            yield " ".join((*path, name))


def evil_contests(count):
    rows = [
        {
            "contest": f"{number}{EVIL}",
            "name": f"round{EVIL}",
            "time": 86_400 * number,
            "player": player,
            "rank": rank,
        }
        for number in range(1, count + 1)
        for rank, player in enumerate((ANN, BOB, CAT) if number % 2 else (CAT, ANN, BOB), 1)
    ]
    return podium.Contests.from_records(rows)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Results whose players, teams, contests, ladders and file have evil names."""
    path = tmp_path_factory.mktemp("evil") / f"results{EVIL}.parquet"
    evil_contests(9).write(path)
    evil_contests(60).write(path.with_name(f"long{EVIL}.parquet"))
    frame = podium.read(path).frame()
    frame.with_columns(ladder=pl.lit(f"ladder{SAFE}")).write_parquet(
        path.with_name("ladder.parquet")
    )
    teams = frame.with_columns(team=pl.col("player").str.slice(0, 1) + EVIL)
    teams.write_parquet(path.with_name("teams.parquet"))
    matches = frame.filter(pl.col("player") != CAT).with_columns(rank=pl.Series([1, 2] * 9))
    matches.write_parquet(path.with_name("matches.parquet"))
    return path


@pytest.fixture
def league(command, results):
    path = results.with_name(f"league{EVIL}.db")
    path.unlink(missing_ok=True)
    assert command("init", path, "--titles", f"0=Pupil{EVIL}").code == 0
    done = command("record", path, results, "--who", f"who{EVIL}", "--why", f"why{EVIL}")
    assert done.code == 0
    return path


def harmless(outcome, code=0):
    """Raise if anything in what was printed controls a terminal; the output."""
    assert outcome.code == code, outcome.stderr
    for line in f"{outcome.stdout}\n{outcome.whole_stderr}".split("\n"):
        assert visible(line) == line
    assert not re.search(r"^(\x1b|evil|=1|\\frac)", outcome.stdout, flags=re.MULTILINE)
    return outcome.stdout


def with_json(*arguments):
    return [arguments, (*arguments, "--json")]


def in_every_form(*arguments):
    return [*with_json(*arguments), *((*arguments, each) for each in FORMS)]


CASES = {
    "rate": lambda r, _, out: [
        *with_json("rate", r, "--out", out),
        ("rate", r.with_name("ladder.parquet")),
        ("rate", r.with_name("ladder.parquet"), "--out", f"{out} ladders", "--csv"),
        ("rate", r.with_name("teams.parquet"), "--system", "trueskill"),
    ],
    "check": lambda r, league, _: [
        *with_json("check", r, "--league", league),
        ("check", r.with_name("ladder.parquet"), "--league", league),
    ],
    "leaderboard": lambda r, league, _: [
        *in_every_form("leaderboard", league),
        ("leaderboard", r),
    ],
    "player": lambda r, league, out: [
        *in_every_form("player", league, ANN),
        ("player", r, ANN, "--png", f"{out}.png"),
        (
            "player",
            r.with_name("matches.parquet"),
            ANN,
            "--system",
            "luck",
            "--belief",
            f"{out}.png",
        ),
    ],
    "predict": lambda r, league, out: [
        *with_json("predict", league, ANN, BOB),
        ("predict", league, ANN, BOB, CAT),
        ("predict", r.with_name("matches.parquet"), ANN, BOB, "--system", "luck"),
        ("predict", league, "--standings", next_contest(r), "--player", ANN, "--png", f"{out}.png"),
        ("predict", league, "--standings", next_contest(r), "--json"),
    ],
    "explain": lambda r, league, out: [
        *with_json("explain", league, LAST, ANN),
        ("explain", r, LAST, ANN, "--png", f"{out}.png"),
    ],
    "evaluate": lambda r, _, out: [
        *with_json("evaluate", r, "--html", f"{out}.html"),
        *(("evaluate", r, "-s", "elo", "-s", "glicko", each) for each in FORMS if each != "--html"),
        ("evaluate", r, "--html", "-"),
        ("evaluate", r, "--hindsight", "--share", 0.3, "--markdown"),
    ],
    "learned": lambda r, _, out: [
        ("learned", r.with_name(f"long{EVIL}.parquet"), "--png", f"{out}.png"),
        *in_every_form("learned", r.with_name(f"long{EVIL}.parquet")),
    ],
    "rank": lambda r, _, out: [
        ("rank", r, "--png", f"{out}.png"),
        *in_every_form("rank", r, "--chances"),
    ],
    "look-back": lambda r, league, out: [
        ("look-back", r, "--player", ANN, "--png", f"{out}.png"),
        ("look-back", r, "--met", ANN, BOB, "--at", "2026-12-01"),
        *in_every_form("look-back", league, "--min-contests", 1),
        *in_every_form("look-back", r, "--player", ANN),
    ],
    "tune": lambda r, _, out: [
        *with_json(
            "tune",
            r,
            "--budget",
            2,
            "--jobs",
            1,
            "--split",
            0.5,
            "--min-contests",
            1,
            "--study",
            f"{out}.jsonl",
        )
    ],
    "simulate": lambda _r, _, out: [("simulate", f"{out}.csv", "--players", 3, "--rounds", 2)],
    "systems": lambda _r, _l, _o: [("systems",), ("systems", "elo")],
    "warm": lambda _r, _l, _o: [("warm", "elo"), ("warm", "elo", "--json")],
    "reproduce": lambda _r, _l, out: [
        ("reproduce",),
        ("reproduce", "luck-figure-3.1", "--out", out),
    ],
    "init": lambda _r, _l, out: [("init", f"{out}.db")],
    "record": lambda r, league, _: [*with_json("record", league, next_contest(r))],
    "contests": lambda _, league, _o: in_every_form("contests", league),
    "contest": lambda _, league, _o: in_every_form("contest", league, FIRST),
    "log": lambda _, league, _o: [
        *in_every_form("log", league),
        ("log", league, "--contest", FIRST),
        ("log", league, "--player", ANN),
    ],
    "amend": lambda r, league, _: [
        ("amend", league, FIRST, "--weight", 2, "--name", f"new{EVIL}", "--why", EVIL),
        ("amend", league, FIRST, r, "--json"),
    ],
    "disqualify": lambda _, league, _o: [
        ("disqualify", league, FIRST, ANN),
        ("disqualify", league, FIRST, BOB, "--json"),
    ],
    "reinstate": lambda _, league, _o: [
        ("disqualify", league, FIRST, ANN),
        ("reinstate", league, FIRST, ANN, "--dry-run"),
        ("reinstate", league, FIRST, ANN, "--json"),
    ],
    "add": lambda r, league, _o: [
        ("add", league, FIRST, late_result(r), "--dry-run", "--ahead"),
        ("add", league, FIRST, late_result(r), "--json", "--tied"),
    ],
    "undo": lambda _, league, _o: [
        ("disqualify", league, FIRST, ANN, "--why", EVIL),
        ("undo", league, "--dry-run"),
        ("undo", league, "--json"),
    ],
    "redo": lambda _, league, _o: [
        ("rename", league, ANN, f"eve{EVIL}"),
        ("undo", league),
        ("redo", league),
        ("undo", league),
        ("redo", league, "--json"),
    ],
    "remove": lambda _, league, _o: [
        ("remove", league, FIRST),
        ("remove", league, LAST, "--json"),
    ],
    "rename": lambda _, league, _o: with_json("rename", league, ANN, f"eve{EVIL}"),
    "guest": lambda _, league, _o: with_json("guest", league, ANN, "--why", EVIL),
    "merge": lambda r, league, _o: [
        ("record", league, next_contest(r, "dan")),
        ("merge", league, f"dan{EVIL}", ANN),
    ],
    "season": lambda _, league, _o: [
        ("season", league, EVIL, "--from", "2026-01-01", "--pull", 0.5, "--why", EVIL),
        ("season", league, f"x{EVIL}", "--from", "2026-01-02", "--json"),
    ],
    "seasons": lambda _, league, _o: [
        ("season", league, EVIL, "--from", "2026-01-01"),
        *in_every_form("seasons", league),
        ("leaderboard", league, "--season", EVIL),
        ("player", league, ANN, "--season", EVIL),
        ("player", league, ANN),
    ],
    "start": lambda r, league, _o: [
        ("start", league, given_ratings(r)),
        ("start", league, given_ratings(r), "--time", "2026-01-01", "--json"),
        ("start", league, "--remove", ANN),
    ],
    "starts": lambda r, league, _o: [
        ("start", league, given_ratings(r)),
        *in_every_form("starts", league),
    ],
    "players": lambda r, league, _o: [
        ("describe", league, people(r), "--define"),
        *in_every_form("players", league),
        *in_every_form("leaderboard", league),
        *in_every_form("player", league, ANN),
    ],
    "attributes": lambda _, league, _o: [
        *with_json("attributes", league, "country", "--why", EVIL),
        ("attributes", league, "--remove", "country", "--dry-run"),
    ],
    "describe": lambda r, league, _o: [
        ("describe", league, people(r), "--define", "--who", EVIL),
        *with_json("describe", league, ANN, f"display=Ann{EVIL}x", f"club=x{EVIL}y"),
        ("describe", league, f"dan{EVIL}", "club=x", "--new"),
    ],
    "hide": lambda _, league, _o: [("hide", league, ANN), ("hide", league, BOB, "--json")],
    "show": lambda _, league, _o: [
        ("hide", league, ANN),
        ("contest", league, FIRST),
        ("show", league, ANN, "--json"),
    ],
    "rules": lambda _, league, _o: [
        *with_json("rules", league),
        ("rules", league, "--titles", f"1=Pupil{EVIL}", "--why", EVIL),
        ("rules", league, "--title", f"1=Pupil{EVIL}:red", "--keep-titles"),
    ],
    "revise": lambda _, league, _o: [
        ("revise", league, "--name", EVIL, "--set", "rho=2"),
        ("revise", league, "--name", f"x{EVIL}", "--set", "rho=3", "--json"),
    ],
    "revisions": lambda _, league, _o: [
        ("revise", league, "--name", EVIL, "--set", "rho=2"),
        *with_json("revisions", league),
        ("revisions", league, "--compare", "first", EVIL),
    ],
    "rollback": lambda _, league, _o: [
        ("revise", league, "--name", EVIL, "--set", "rho=2"),
        ("rollback", league),
        ("rollback", league, EVIL),
    ],
    "export": lambda _, league, out: [
        ("export", league, out),
        ("init", f"{out}.db", "--from", out),
    ],
    "backup": lambda _, league, out: [
        ("backup", league, f"{out}.db"),
        ("backup", league, f"{out}.db", "--force", "--json"),
    ],
    "publish": lambda _, league, out: [
        *with_json("publish", league, out, "--title", EVIL, "--about", EVIL)
    ],
    "token": lambda _, league, _o: [
        *with_json("token", league, "create", f"ann{EVIL}", "read"),
        ("token", league, "revoke", 1),
        *with_json("token", league, "list"),
    ],
    "access": lambda _, league, _o: with_json("access", league, "private", "--who", EVIL),
    "webhook": lambda _, league, _o: [
        ("webhook", league, "create", "https://example.org/told", "--who", f"ann{EVIL}"),
        *with_json("webhook", league, "list"),
        *with_json("webhook", league, "deliveries"),
    ],
    "live": lambda r, league, _o: [
        ("live", league, f"now{EVIL}", next_contest(r), "--name", f"Now{EVIL}"),
        *with_json("live", league),
        ("live", league, f"now{EVIL}", "--end"),
    ],
    "match": lambda r, league, out: [
        *with_json("match", waiting(r), "--rules", match_rules(r), "--ladder", league),
        ("match", "simulate", match_rules(r), *FEW, "--html", f"{out}.html"),
    ],
    "serve": lambda _r, _l, _o: [("serve", "--help")],  # it would not end; complaints are below
    "verify": lambda _, league, _o: with_json("verify", league),
    "migrate": lambda _, league, _o: with_json("migrate", league),
    "fetch codeforces": lambda _r, _l, out: [("fetch", "codeforces", "--out", out)],
    "fetch ctftime": lambda _r, _l, out: [("fetch", "ctftime", "--out", out, "--since", 2026)],
    "attack farming": lambda r, _, out: [
        *with_json("attack", "farming", r, "--player", ANN, *QUICK, "--png", f"{out}.png")
    ],
    "attack matchmaking": lambda _r, _l, out: [
        ("attack", "matchmaking", *QUICK, "--matches", 2, "--runs", 2, "--png", f"{out}.png")
    ],
    "attack search": lambda _r, _l, out: [("attack", "search", "--histories", 5, "--out", out)],
}
"""What to run, with all that a stranger can name, by command."""


FEW = ("--players", 10, "--hours", 1, "--sessions", 40, "--repeats", 1)


def waiting(results):
    path = results.with_name(f"waiting{EVIL}.json")
    tickets = [{"players": [name], "latency": {f"eu{EVIL}": 20}} for name in (ANN, BOB, CAT)]
    path.write_text(json.dumps([*tickets, {"players": [f"zoe{EVIL}"], "id": EVIL}]))
    return path


def match_rules(results):
    path = results.with_name(f"match{EVIL}.toml")
    path.write_text("one_sided = 0.6")
    return path


def people(results):
    path = results.with_name(f"people{EVIL}.parquet")
    frame = pl.DataFrame({"player": [ANN, BOB], "display": [f"Ann{EVIL}x", None]})
    frame.with_columns(club=pl.Series([f"Blue{EVIL}x", "Red"])).write_parquet(path)
    return path


def late_result(results):
    path = results.with_name(f"late{EVIL}.parquet")
    pl.DataFrame({"player": [f"late{EVIL}"], "rank": [1]}).write_parquet(path)
    return path


def given_ratings(results):
    path = results.with_name(f"given{EVIL}.parquet")
    pl.DataFrame({"player": [ANN, f"zoe{EVIL}"], "rating": [1900, 1400]}).write_parquet(path)
    return path


def next_contest(results, first="ann"):
    rows = [f"{first}{EVIL}", f"eve{EVIL}"] if first != "ann" else [ANN, BOB, CAT]
    path = results.with_name(f"next{EVIL}.parquet")
    frame = {
        "contest": f"99{EVIL}",
        "time": 8_640_000,
        "player": rows,
        "rank": [*range(1, len(rows) + 1)],
    }
    pl.DataFrame(frame).write_parquet(path)
    return path


def test_every_command_is_tried_here():
    assert set(CASES) == set(commands())


@pytest.mark.parametrize("name", CASES)
def test_no_command_prints_what_controls_a_terminal(
    command, results, league, tmp_path, monkeypatch, name
):
    cases = CASES[name](results, league, tmp_path / f"out{EVIL}")
    if name.startswith("fetch"):
        monkeypatch.setattr(client, "_FIRST_PAUSE", 0.0)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        with (CodeforcesSite if "codeforces" in name else CtftimeSite)() as site:
            if "codeforces" in name:
                site.add(1, {ANN: 1, BOB: 2})
            cases = [(*each, "--base-url", site.url, "--interval", 0) for each in cases]
            outputs = [command(*each) for each in cases]
        for each in outputs:
            harmless(each, each.code)
        return
    for arguments in cases:
        printed = harmless(command(*arguments))
        if arguments[-1] == "--json":
            json.loads(printed)


def test_json_has_names_exactly(command, league):
    found = json.loads(harmless(command("leaderboard", league, "--json")))
    assert {row["player"] for row in found["leaderboard"]} == {ANN, BOB, CAT}
    found = json.loads(harmless(command("log", league, "--json")))
    assert found[-1]["why"] == f"why{EVIL}" or found[0]["why"] == f"why{EVIL}"


@pytest.mark.parametrize("name", sorted(commands()))
@pytest.mark.parametrize("arguments", [(EVIL,), (EVIL,) * 2, (EVIL,) * 3, (f"--{EVIL}",), ()])
def test_complaints_echo_nothing_as_it_is(command, monkeypatch, tmp_path, name, arguments):
    monkeypatch.chdir(tmp_path)
    if not arguments and name not in (
        "serve",
        "systems",
        "warm",
        "reproduce",
        "attack matchmaking",
        "attack search",
    ):
        harmless(command(*name.split()), 2)
    elif arguments and (name not in ("init", "simulate") or arguments != (EVIL,)):
        said = command(*name.split(), *arguments)
        harmless(said, said.code)
        assert said.code in (2, 3, 6)
        assert said.stderr.startswith("podium: ")
        assert said.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        (EVIL,),
        (f"-{EVIL}",),
        ("rate", "x.csv", "--threads", EVIL),
        ("rate", "x.csv", "--system", EVIL),
        ("rate", "x.csv", "--set", EVIL),
        ("rate", "x.csv", "--set", f"{EVIL}=1"),
        ("init", "x.db", "--titles", EVIL),
        ("leaderboard", "x.csv", "--at", EVIL),
    ],
)
def test_usage_errors_echo_nothing_as_it_is(command, arguments):
    assert EVIL[:2] not in harmless(command(*arguments), command(*arguments).code)


@pytest.mark.parametrize("long", ["n" * 100_000, "n " * 50_000])
@pytest.mark.parametrize(
    "arguments",
    [
        ("{}",),
        ("--{}",),
        ("rate", "{}"),
        ("rate", "x.csv", "--threads", "{}"),
        ("rate", "x.csv", "--set", "{}"),
        ("rate", "x.csv", "--system", "{}"),
        ("player", "{results}", "{}"),
        ("predict", "{results}", "{}", "ann"),
        ("explain", "{league}", "{}", "ann"),
        ("contest", "{league}", "{}"),
        ("rename", "{league}", "ann", "{}"),
        ("init", "x.db", "--titles", "{}"),
    ],
)
def test_complaints_are_a_few_lines_long(command, results, league, arguments, long):
    given = [each.format(long, results=results, league=league) for each in arguments]
    complaint = command(*given).complaint
    assert len(complaint) <= 620


def on_a_terminal(*arguments):
    """What a command prints on a terminal, byte by byte."""
    main, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    with subprocess.Popen(
        [sys.executable, "-m", "podium", *map(str, arguments)],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=environment,
    ) as process:
        os.close(terminal)
        found = b""
        while True:
            try:
                part = os.read(main, 65_536)
            except OSError:  # which is the end of a terminal
                break
            if not part:
                break
            found += part
    os.close(main)
    assert process.returncode == 0, found
    return found.decode()


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [("leaderboard",), ("player", ANN), ("contest", FIRST), ("predict", ANN, BOB)]
)
def test_a_terminal_sees_podiums_own_colours_only(league, arguments):
    printed = on_a_terminal(arguments[0], league, *arguments[1:])
    colours = re.compile(r"\x1b\[[0-9;]*m")
    assert arguments[0] == "predict" or colours.search(printed)
    for line in colours.sub("", printed).split("\r\n"):
        assert visible(line) == line
    assert "ann\\x1b[2J\\x9b31m\\u202e" in colours.sub("", printed)
