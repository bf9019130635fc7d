import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import podium
from podium.evaluation import attacks

SMALL = ["--honest-first", 4, "--farming", 3, "--honest-last", 2]
QUICK = ["--honest-first", 2, "--farming", 3, "--honest-last", 2, "--matches", 3, "--runs", 4]
INTERRUPTED = """
import os, signal, sys
from podium.cli import main
from podium.systems import Topcoder

calls = 0
fold = Topcoder.update_many

def update_many(*arguments, **options):
    global calls
    calls += 1
    if calls == 500:
        os.kill(os.getpid(), signal.SIGINT)
    return fold(*arguments, **options)

Topcoder.update_many = update_many
sys.argv = ["podium", *sys.argv[1:]]
main()
"""


@pytest.fixture(scope="module")
def busiest(contests) -> str:
    """A player with at least nine contests."""
    counts = contests.frame()["player"].value_counts(sort=True)
    assert counts["count"][0] >= 9
    return counts["player"].sort()[0] if counts["count"].min() >= 9 else counts["player"][0]


def is_picture(path) -> bool:
    return path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_the_attacks_are_listed(command):
    shown = command("attack")
    assert shown.code == 0
    assert all(name in shown.stdout for name in ("farming", "matchmaking", "search"))
    assert command("attack", "--help").stdout.split() == shown.stdout.split()


@pytest.mark.parametrize("name", ["farming", "matchmaking", "search"])
def test_every_attack_teaches_with_examples(command, name):
    shown = command("attack", name, "--help")
    assert shown.code == 0
    assert "Examples" in shown.stdout
    assert f"$ podium attack {name}" in shown.stdout


def test_farming_compares_the_ends_by_every_system(command, season, busiest, tmp_path):
    out, png = tmp_path / "new" / "history.csv", tmp_path / "new" / "attack.png"
    files = ["--out", out, "--png", png]
    transfer = ["--transfer", "elo", "--transfer", "trueskill"]
    shown = command("attack", "farming", season, "--player", busiest, *SMALL, *transfer, *files)
    assert shown.code == 0
    lines = shown.stdout.splitlines()
    assert lines[0].split() == ["system", "honest", "attacked", "gain", "in", "the", "last", "2"]
    assert [line.split()[0] for line in lines[1:]] == ["topcoder", "elo", "trueskill"]
    assert f"{busiest} came last on purpose in " in shown.stderr
    assert f"{png} is written." in shown.stderr
    assert is_picture(png)
    table = pl.read_csv(out)
    assert table.columns == [
        "system", "number", "contest", "time", "control", "attacked", "thrown",
    ]  # fmt: skip
    assert table.height == 27


def test_farming_in_json_has_every_rating(command, season, busiest):
    arguments = ["--player", busiest, "--threshold", 1100, "--transfer", "elo", *SMALL]
    shown = json.loads(command("attack", "farming", season, *arguments, "--json").stdout)
    assert shown["player"] == busiest
    assert shown["threshold"] == 1100.0
    topcoder, elo = shown["systems"]
    assert (topcoder["system"], elo["system"]) == ("topcoder", "elo")
    assert len(topcoder["history"]) == len(elo["history"]) == 9
    assert shown["thrown"] == sum(row["thrown"] for row in elo["history"]) > 0
    for row in (topcoder, elo):
        last = row["history"][-1]
        assert row["gain"] == last["attacked"] - last["control"]
    attack = podium.evaluation.attacks.farming(
        podium.read(season),
        "topcoder",
        busiest,
        threshold=1100.0,
        honest_first=4,
        farming=3,
        honest_last=2,
    )
    assert topcoder["gain"] == attack.gain


def test_farming_takes_one_ladder_of_several(command, season, busiest, tmp_path):
    alone = pl.read_csv(season)
    both = [alone.with_columns(ladder=pl.lit(name)) for name in ("asia", "europe")]
    path = tmp_path / "ladders.csv"
    pl.concat(both).write_csv(path)
    attack = ["attack", "farming", path, "--player", busiest, *SMALL]
    assert "--ladder takes one" in command(*attack).complaint
    expected = command("attack", "farming", season, "--player", busiest, *SMALL)
    assert command(*attack, "--ladder", "asia").stdout == expected.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("attack", "option", "name"),
    [
        (["farming", "{season}", "--player", "{busiest}", *SMALL], "--out", "full.csv"),
        (["farming", "{season}", "--player", "{busiest}", *SMALL], "--png", "full.png"),
        (["matchmaking", *QUICK], "--png", "full.png"),
    ],
    ids=str,
)
def test_a_file_that_cannot_be_written_does_not_lose_what_was_found(
    command, season, busiest, tmp_path, attack, option, name
):
    full = tmp_path / name
    full.symlink_to("/dev/full")
    known = {"{season}": season, "{busiest}": busiest}
    shown = command("attack", *(known.get(part, part) for part in attack), option, full)
    assert shown.code == 6
    assert shown.stdout.startswith("system ")
    assert shown.stderr.endswith(f"podium: {full}: cannot be written (no space left on device).\n")


def test_a_search_whose_folder_cannot_be_written_shows_what_it_found(command, tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("")
    shown = command("attack", "search", "-s", "elo", "--histories", 1, "--out", taken)
    assert shown.code == 2
    assert shown.stdout.startswith("elo, others as in honest play: in none of 1 history ")
    assert "taken: cannot be a folder, because a file has that name." in shown.stderr


def test_matchmaking_prints_three_measures_of_every_system(command, tmp_path):
    png = tmp_path / "attack.png"
    shown = command("attack", "matchmaking", *QUICK, "--beside", "elo", "--png", png)
    assert shown.code == 0
    lines = shown.stdout.splitlines()
    assert lines[0].split() == ["system", "rating", "honest", "farmer", "gain", "95", "%"]
    assert [line.split()[0] for line in lines[1:]] == ["glicko2"] * 3 + ["elo"] * 3
    assert "stopping at 1700" in lines[2]
    assert "Means of 4 runs." in shown.stderr
    assert is_picture(png)


def test_matchmaking_in_json(command):
    arguments = [*QUICK, "--set", "tau=1.2", "--skill", 1600, "--seed", 2, "--json"]
    [shown] = json.loads(command("attack", "matchmaking", *arguments).stdout)
    assert shown["parameters"]["tau"] == 1.2
    assert shown["parameters"]["period_days"] == 1.0
    assert (shown["skill"], shown["threshold"], shown["stop_at"]) == (1600.0, 1100.0, 1800.0)
    assert [row["measure"] for row in shown["measures"]] == ["end", "stop", "peak"]
    assert len(shown["history"]) == 7


def flags(options):
    """Options of the library as those of the command."""
    return [
        part
        for name, value in options.items()
        for part in (f"--{name.replace('_', '-')}", str(value))
    ]


def test_every_option_of_matchmaking_is_passed_on(command):
    options = {
        "skill": 1600.0,
        "threshold": 1450.0,
        "stop_at": 1620.0,
        "honest_first": 2,
        "farming": 3,
        "honest_last": 4,
        "matches": 3,
        "matches_last": 5,
        "runs": 4,
        "seed": 2,
    }
    given = [*flags(options), "--set", "tau=1.2", "--json"]
    [shown] = json.loads(command("attack", "matchmaking", *given).stdout)
    found = attacks.matchmaking("glicko2", tau=1.2, **options)
    assert shown["measures"] == found.summary.to_dicts()
    assert shown["history"] == found.table.to_dicts()
    assert shown["highest_above_skill"] == dict(
        zip(("honest", "farmer"), found.highest, strict=True)
    )
    assert (shown["threshold"], shown["stop_at"], shown["runs"]) == (1450.0, 1620.0, 4)


def test_every_option_of_the_search_is_passed_on(command):
    options = {"others": "react", "histories": 40, "players": 5, "contests": 4, "seed": 3}
    given = [*flags(options), "--system", "topcoder", "--json"]
    shown = json.loads(command("attack", "search", *given).stdout)
    found = attacks.search("topcoder", **options)
    assert (shown["gain"], shown["contest"]) == (found.gain, found.contest)
    for name in ("honest", "attacked"):
        standings = [
            [(row["rank"], row["player"]) for row in contest["standings"]]
            for contest in shown[name]
        ]
        assert standings == [contest.standings for contest in getattr(found, name)]


def test_the_printed_ends_and_gains_are_those_of_the_attack(command, season, busiest):
    shown = command("attack", "farming", season, "--player", busiest, *SMALL, "--transfer", "elo")
    numbers = {"honest_first": 4, "farming": 3, "honest_last": 2}
    attack = attacks.farming(podium.read(season), "topcoder", busiest, **numbers)
    rows = [line.split()[1:] for line in shown.stdout.splitlines()[1:]]
    for row, table in zip(rows, (attack.table, attack.transferred("elo")), strict=True):
        honest, attacked = table["control"], table["attacked"]
        ends = [honest[-1], attacked[-1], attacked[-1] - honest[-1], attacked[-1] - attacked[-3]]
        assert row == [f"{ends[0]:.0f}", f"{ends[1]:.0f}", f"{ends[2]:+.0f}", f"{ends[3]:+.0f}"]
    thrown = attack.table["thrown"].sum()
    assert f" came last on purpose in {thrown} of 3 contests, whenever rated above " in shown.stderr


def test_a_full_disk_leaves_the_table_as_it_was(command, season, busiest, tmp_path, monkeypatch):
    def full(_frame, path):
        path.write_text("system,num")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    out = tmp_path / "history.csv"
    out.write_text("mine")
    monkeypatch.setattr(pl.DataFrame, "write_csv", full)
    shown = command("attack", "farming", season, "--player", busiest, *SMALL, "--out", out)
    assert shown.code == 6
    complaint = f"podium: {out}: cannot be written (no space left on device)."
    assert shown.stderr.splitlines()[-1] == complaint
    assert shown.stdout.startswith("system")  # what was found is not lost
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"history.csv": "mine"}


def test_players_of_teams_are_taken_one_by_one_on_request(command, season, busiest, tmp_path):
    teams = tmp_path / "teams.csv"
    pl.read_csv(season).with_columns(team=pl.col("player").str.tail(1)).write_csv(teams)
    arguments = ("attack", "farming", teams, "--player", busiest, *SMALL)
    assert "--ignore-teams takes players one by one." in command(*arguments).complaint
    assert command(*arguments, "--ignore-teams").code == 0


def test_search_prints_the_history_that_gains_most(command, tmp_path):
    out = tmp_path / "found"
    arguments = ["--system", "topcoder", "--histories", 300, "--out", out]
    shown = command("attack", "search", *arguments)
    assert shown.code == 0
    assert shown.stdout.startswith("topcoder, others as in honest play: doing worse in contest-")
    assert shown.stdout.count("the same") == len(shown.stdout.splitlines()) - 4
    assert "The largest gain in 300 histories." in shown.stderr
    found = json.loads(command("attack", "search", *arguments, "--json").stdout)
    assert found["reversal"] is True
    assert found["gain"] == found["attacked_rating"] - found["honest_rating"] > 0.0
    honest, attacked = (podium.read(out / f"{name}.csv") for name in ("honest", "attacked"))
    again = podium.evaluation.attacks.compare(honest, attacked, "attacker", "topcoder")
    assert again == (found["honest_rating"], found["attacked_rating"])
    assert [len(each["standings"]) for each in found["honest"]] == [len(each) for each in honest]


def test_a_narrow_terminal_has_the_whole_proof(command, monkeypatch):
    wide = command("attack", "search", "-s", "topcoder", "--histories", 300)
    monkeypatch.setenv("COLUMNS", "60")
    narrow = command("attack", "search", "-s", "topcoder", "--histories", 300)
    assert "…" not in narrow.stdout
    assert narrow.stdout.splitlines()[-2:] == wide.stdout.splitlines()[-2:]


def test_search_says_that_it_has_found_nothing(command):
    shown = command("attack", "search", "--histories", 50)
    assert shown.code == 0
    assert "in none of 50 histories did a worse rank end higher" in shown.stdout
    cost = -attacks.search("elo-mmr", histories=50).gain
    assert cost > 0.0
    assert f"the least that it cost was {cost:.4g} points." in " ".join(shown.stdout.split())


def test_search_among_others_who_react(command):
    shown = command("attack", "search", "-s", "elo", "--histories", 1, "--others", "react")
    assert shown.stdout.startswith("elo, others react: in none of 1 history ")


@pytest.mark.skipif(os.name == "nt", reason="sends a signal to itself")
def test_an_interrupted_search_shows_what_it_has_found():
    arguments = ["attack", "search", "--system", "topcoder", "--json"]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 128 + signal.SIGINT
    assert done.stderr.splitlines()[-1] == "podium: interrupted."
    found = json.loads(done.stdout)
    assert found["interrupted"] is True
    assert 0 < found["histories"] < 500


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["bogus"], "no such command 'bogus'; see 'podium attack --help'."),
        (["farming", "{season}"], "missing option '--player'; see 'podium attack farming --help'."),
        (["farming", "nothing.csv", "--player", "x"], "nothing.csv: there is no such file"),
        (["farming", "{season}", "--player", "player-9999", *SMALL], "there is no player"),
        (["farming", "{season}", "--player", "player-0001"], "but the experiment needs 105;"),
        (
            ["farming", "{season}", "--player", "player-0001", "--png", "a.pdf"],
            "a.pdf: the picture is a PNG, so its name must end in .png.",
        ),
        (
            ["farming", "{season}", "--player", "player-0001", "--out", "a.parquet"],
            "a.parquet: the table is a CSV, so its name must end in .csv.",
        ),
        (
            ["farming", "{season}", "--player", "player-0001", "--transfer", "elo2"],
            "there is no system 'elo2'",
        ),
        (["matchmaking", "--system", "luck"], "luck has no parameter mu_new"),
        (["matchmaking", "--runs", "1"], "runs must be a whole number of at least 2, not 1."),
        (["search", "--others", "x"], "others must be fixed or react, not 'x'."),
        (["search", "--histories", "none"], "invalid value for '--histories'"),
    ],
    ids=str,
)
def test_mistakes_are_one_line(command, season, arguments, complaint):
    given = [season if part == "{season}" else part for part in arguments]
    assert complaint in command("attack", *given).complaint
