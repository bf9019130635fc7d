import json
import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import podium
from podium.evaluation import comparison, measures

INTERVAL = re.compile(r"(\*?)(-?\d+\.\d+) \((-?\d+\.\d+)–(-?\d+\.\d+)\)")


@pytest.fixture(scope="module")
def league(tmp_path_factory):
    """Matches of two with draws and sides."""
    path = tmp_path_factory.mktemp("matches") / "league.parquet"
    podium.simulate_matches(12, 300, draws=0.2, side_advantage=0.4, seed=6).write(path)
    return path


def test_one_table_has_all_measures_of_all_systems_with_intervals_and_times(command, season):
    shown = command("evaluate", season, "-s", "elo-mmr", "-s", "elo k=40", "--resamples", 50)
    assert shown.code == 0
    table = shown.stdout.partition("\n\nDifferences")[0]
    experienced, everybody, _, header, *rows, times, learned, other = table.splitlines()
    assert experienced.startswith("experienced players, with at least 5 contests before: ")
    assert everybody.startswith("all players: 11 contests, ")
    assert header.split("  ")[-1].strip() == "elo k=40"
    assert times.split()[:3] == ["CPU", "time,", "s"]
    assert learned.split()[:2] == ["all", "temperature"]
    assert other.split()[:2] == ["experienced", "temperature"]
    assert len(rows) == 2 * 14
    for row in rows:
        cells = INTERVAL.findall(row)
        assert len(cells) == 2, row
        assert sum(mark == "*" for mark, *_ in cells) in (1, 2)
        for _, value, low, high in cells:
            assert float(low) - 0.01 <= float(value) <= float(high) + 0.01


def test_the_best_is_marked_by_what_is_good_in_a_measure(command, season):
    shown = command("evaluate", season, "-s", "elo-mmr", "-s", "elo k=0", "--resamples", 5)
    lines = shown.stdout.partition("\n\nDifferences")[0].splitlines()
    rows = {tuple(line.split()[:2]): INTERVAL.findall(line) for line in lines}
    assert [mark for mark, *_ in rows["experienced", "pair-inversion,"]] == ["*", ""]
    assert [mark for mark, *_ in rows["experienced", "rank-deviation,"]] == ["*", ""]


def test_shares_are_printed_in_percent_and_the_rest_as_it_is(command, season, contests):
    shown = command("evaluate", season, "-s", "elo", "--resamples", 5).stdout
    table = podium.evaluate(contests, "elo", resamples=5).table
    rows = [line.split() for line in shown.splitlines()]
    for name, label, factor, digits in (
        ("pair-inversion", ["pair-inversion,", "%"], 100.0, 2),
        ("log-loss", ["log-loss"], 1.0, 4),
    ):
        for players in ("experienced", "all"):
            _, _, _, *numbers = table.filter(players=players, measure=name).row(0)
            value, low, high = (f"{factor * number:.{digits}f}" for number in numbers)
            assert [players, *label, value, f"({low}–{high})"] in rows


@pytest.mark.parametrize(
    ("width", "blocks"),
    [(108, [["elo", "glicko", "weng-lin"]]), (84, [["elo", "glicko"], ["weng-lin"]])]
    + [(width, [["elo"], ["glicko"], ["weng-lin"]]) for width in (83, 20)],
)
def test_systems_that_do_not_fit_beside_the_others_stand_below(
    command, season, monkeypatch, width, blocks
):
    monkeypatch.setenv("COLUMNS", str(width))
    systems = ("-s", "elo", "-s", "glicko", "-s", "weng-lin")
    shown = command("evaluate", season, *systems, "--resamples", 2).stdout
    lines = shown.partition("\n\nDifferences")[0].splitlines()
    heads = [line.split()[2:] for line in lines if line.startswith("players")]
    assert heads == blocks


def test_the_number_of_threads_is_passed_on(command, season, monkeypatch):
    real, told = comparison.Replay, []

    def replay(system, *, threads):
        told.append(threads)
        return real(system, threads=threads)

    monkeypatch.setattr(comparison, "Replay", replay)
    command("evaluate", season, "-s", "elo", "--resamples", 2, "--threads", 2)
    assert told == [2]


def test_one_system_is_not_the_best_of_anything(command, season):
    shown = command("evaluate", season, "-s", "elo", "--resamples", 5)
    assert INTERVAL.search(shown.stdout)
    assert "*" not in shown.stdout


def test_measures_have_their_names_in_a_narrow_terminal_too(command, season, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    long = "elo-mmr rho=0.5 sig_limit=70 weight_limit=0.3 drift_per_day=2"
    shown = command("evaluate", season, "-s", long, "--resamples", 2)
    assert "experienced  top-rank-deviation, %" in shown.stdout
    assert "…" not in shown.stdout


def test_values_are_those_of_the_library(command, season, contests):
    given = {
        "skip": 0.25,
        "min_contests": 2,
        "top": 5,
        "weighting": "contest",
        "confidence": 0.7,
        "resamples": 20,
        "seed": 3,
    }
    options = [
        part for name, value in given.items() for part in (f"--{name.replace('_', '-')}", value)
    ]
    shown = json.loads(command("evaluate", season, "-s", "elo", *options, "--json").stdout)
    found = podium.evaluate(contests, "elo", **given)
    assert shown["measures"] == found.table.to_dicts()
    assert shown["settings"] == dict(found.settings)
    assert shown["counted"] == found.counted.to_dicts()
    assert {row["system"] for row in shown["systems"]} == {"elo"}
    assert not shown["interrupted"]


def test_measures_that_no_contest_has_are_left_out(command, league):
    shown = command("evaluate", league, "-s", "elo", "--resamples", 5)
    assert "log-loss" in shown.stdout
    assert "top-hits" not in shown.stdout
    assert "nan" not in shown.stdout


def test_one_contest_is_said_to_have_no_interval(command, tmp_path):
    results, report = tmp_path / "one.csv", tmp_path / "report.html"
    results.write_text("contest,time,player,rank\na,2026-01-01,ann,1\na,2026-01-01,bob,2\n")
    asked = ("evaluate", results, "-s", "elo", "-s", "glicko")
    shown = command(*asked, "--html", report).stdout
    assert "all players: 1 contest, 2 participations; one contest has no interval\n" in shown
    assert "0.6931" in shown
    assert "(" not in shown.replace("(Holm)", "").replace("(≈)", "")
    assert "nan" not in shown
    page = report.read_text()
    assert "One contest has no interval." in page
    assert " to " not in "".join(re.findall(r'class="interval">([^<]*)<', page))
    measures = json.loads(command(*asked, "--json").stdout)["measures"]
    assert {(row["low"], row["high"]) for row in measures} == {(None, None)}


def test_all_stands_for_every_system_that_takes_these_results(command, league, season):
    def systems(path):
        document = json.loads(
            command("evaluate", path, "-s", "all", "--resamples", 2, "--json").stdout
        )
        return [row["name"] for row in document["systems"]]

    both = command("evaluate", league, "-s", "elo", "-s", "all", "--resamples", 2, "--json")
    named = [row["name"] for row in json.loads(both.stdout)["systems"]]
    assert sorted(named) == sorted(podium.systems.names())
    assert named[0] == "elo"
    assert systems(season) == [name for name in podium.systems.names() if name != "luck"]
    assert systems(league) == podium.systems.names()


def test_ladders_are_rated_by_themselves(command, tmp_path):
    parts = [podium.simulate(players=30, rounds=20, seed=seed) for seed in (1, 2)]
    frames = [
        part.frame().with_columns(ladder=pl.lit(name))
        for part, name in zip(parts, ("east", "west"), strict=True)
    ]
    path = tmp_path / "both.csv"
    frames[0].vstack(frames[1]).write_csv(path)
    both = json.loads(command("evaluate", path, "-s", "elo", "--resamples", 2, "--json").stdout)
    found = [podium.evaluate(part, "elo", resamples=2) for part in parts]
    values = [
        each.table.filter(players="all", measure="pair-inversion")["value"].item() for each in found
    ]
    shown = next(
        row
        for row in both["measures"]
        if (row["players"], row["measure"]) == ("all", "pair-inversion")
    )
    assert shown["value"] == pytest.approx(sum(values) / 2, rel=1e-12)
    west = command("evaluate", path, "-s", "elo", "--ladder", "west", "--resamples", 2, "--json")
    assert json.loads(west.stdout)["measures"] == found[1].table.to_dicts()


def test_a_report_is_written(command, season, tmp_path):
    path = tmp_path / "new" / "report.html"
    shown = command("evaluate", season, "-s", "elo", "--resamples", 5, "--html", path)
    assert shown.code == 0
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "season.csv" in path.read_text(encoding="utf-8")
    assert str(path) in shown.stderr


def test_an_interrupted_run_shows_the_systems_that_were_done(command, season, monkeypatch):
    real = comparison.Replay

    def interrupted(system, **options):
        if system.name == "glicko":
            raise KeyboardInterrupt
        return real(system, **options)

    monkeypatch.setattr(comparison, "Replay", interrupted)
    shown = command("evaluate", season, "-s", "elo", "-s", "glicko", "--resamples", 5)
    assert shown.code == 130
    assert "pair-inversion" in shown.stdout
    assert "glicko" not in shown.stdout
    assert shown.stderr.splitlines()[-1].startswith("podium: interrupted; ")
    assert command("evaluate", season, "-s", "glicko", "--resamples", 5).code == 130


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("-s", "elo-mr"), "there is no system 'elo-mr' (did you mean 'elo-mmr'?)"),
        (("-s", "elo k"), "'elo k': write a system as its name, with parameters as key=value"),
        (("-s", "elo k=1 k=2"), "'elo k=1 k=2': 'k' is given twice."),
        (("-s", "elo kk=1"), "elo has no parameter 'kk' (did you mean 'k'?)"),
        (("-s", "elo", "-s", "elo"), "the system 'elo' is given twice."),
        (("-s", "luck"), "luck rates contests of at most 2;"),
        (("--skip", "1.5"), "skip must be a number from 0 to 1, not 1.5."),
        (("--skip", "nan"), "skip must be a number from 0 to 1, not nan."),
        (("--min-contests", "-1"), "min_contests must be a whole number of at least 0, not -1."),
        (("--top", "0"), "top must be a whole number of at least 1, not 0."),
        (("--weighting", "contests"), "there is no weighting 'contests' (did you mean 'contest'?)"),
        (("--confidence", "95"), "confidence must be a number from 0 to 1, not 95.0."),
        (("--resamples", "0"), "resamples must be a whole number of at least 1, not 0."),
        (("--skip", "1"), "there is nothing to measure: of 12 contests, the first 100%"),
        (("--ladder", "east"), "has no column ladder"),
    ],
)
def test_wrong_options_are_one_sentence(command, season, arguments, sentence):
    assert sentence in command("evaluate", season, *arguments).complaint


def test_a_report_that_cannot_be_written_is_refused_before_anything_is_rated(
    command, season, tmp_path, monkeypatch
):
    monkeypatch.setattr(comparison, "Replay", None)
    complaint = command("evaluate", season, "--html", tmp_path).complaint
    assert complaint == f"{tmp_path}: is a folder; give the name of a file for the report."
    (tmp_path / "file").write_text("")
    assert command("evaluate", season, "--html", tmp_path / "file" / "report.html").complaint


@pytest.mark.skipif(os.name == "nt", reason="needs /dev/full")
def test_a_disk_that_is_too_full_for_the_report_does_not_lose_what_was_measured(command, season):
    measured = ["evaluate", season, "-s", "elo", "--resamples", 2]
    shown = command(*measured, "--html", "/dev/full")
    assert shown.code == 6
    assert shown.stderr == "podium: /dev/full: cannot be written (no space left on device).\n"
    assert "experienced  pair-inversion, %" in shown.stdout
    document = command(*measured, "--html", "/dev/full", "--json")
    assert document.code == 6
    assert json.loads(document.stdout)["measures"]


@pytest.mark.skipif(os.name == "nt", reason="needs /dev/full")
def test_a_full_disk_is_one_sentence(season):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "podium", "evaluate", season, "-s", "elo", "--resamples", "2"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 6
    assert done.stderr.splitlines()[-1] == "podium: the output: no space left on device."


def test_differences_say_whether_they_are_significant_and_how_they_were_corrected(
    command, season, contests
):
    systems = ["elo-mmr", "elo k=0"]
    shown = command("evaluate", season, "-s", systems[0], "-s", systems[1], "--resamples", 20)
    _, _, told = shown.stdout.partition("\n\nDifferences from elo-mmr:\n")
    found = podium.evaluate(contests, systems, resamples=20)
    rows = {tuple(line.split()[:2]): line for line in told.splitlines()}
    words = {"highest": ("better", "worse"), "lowest": ("worse", "better")}
    for row in found.differences.iter_rows(named=True):
        about = measures.MEASURES[row["measure"]]
        line = rows[row["players"], f"{row['measure']}{',' * about.percent}"]
        says = words[about.best][row["difference"] < 0] if row["significant"] else "≈"
        assert line.split()[-1] == says
        assert f"{'+' if row['difference'] >= 0 else '−'}" in line
    assert {True, False} <= set(found.differences["significant"])
    assert f"corrected for {found.comparisons} comparisons (Holm)" in told.splitlines()[-1]


def test_the_baseline_can_be_chosen(command, season):
    asked = ("evaluate", season, "-s", "elo", "-s", "glicko", "-s", "weng-lin", "--resamples", 3)
    for baseline, named in (("glicko", "glicko"), ("best", "the best by each measure")):
        shown = command(*asked, "--baseline", baseline)
        assert f"Differences from {named}:" in shown.stdout
        document = json.loads(command(*asked, "--baseline", baseline, "--json").stdout)
        assert document["settings"]["baseline"] == baseline
    assert document["comparisons"] == 3 * 2 * len(measures.MEASURES)
    assert "did you mean 'glicko'?" in command(*asked, "--baseline", "glick").complaint


def test_as_csv_every_value_stands_beside_its_difference(command, season, contests):
    asked = ("evaluate", season, "-s", "elo", "-s", "glicko", "--resamples", 3)
    table = pl.read_csv(command(*asked, "--csv").stdout.encode())
    found = podium.evaluate(contests, ["elo", "glicko"], resamples=3)
    assert table.select(found.table.columns).equals(found.table)
    compared = table.filter(pl.col("system") == "glicko")
    assert compared["p_holm"].to_list() == found.differences["p_holm"].to_list()
    assert compared["difference_low"].to_list() == found.differences["low"].to_list()
    assert table.filter(pl.col("system") == "elo")["difference"].null_count() == 28


def test_the_report_can_be_printed(command, season):
    asked = ("evaluate", season, "-s", "elo", "--resamples", 3, "--html", "-")
    page = command(*asked)
    assert page.stdout.startswith("<!DOCTYPE html>")
    assert page.stdout.endswith("</html>\n")
    assert "--html - and --csv are two forms" in command(*asked, "--csv").complaint


@pytest.mark.parametrize(
    "asked", [["-s", "elo-mmr", "-s", "glicko"], ["-s", "all"], ["--ladder", "b", "-s", "elo"]]
)
def test_little_memory_changes_nothing_but_how_results_are_read(command, tmp_path, asked):
    matches = podium.simulate_matches(12, 400, draws=0.2, seed=6).frame()
    if "--ladder" in asked:
        ladder = pl.when(pl.col("contest").cast(pl.String).hash() % 2 == 0).then(pl.lit("a"))
        matches = matches.with_columns(ladder=ladder.otherwise(pl.lit("b")))
    even = pl.col("contest").cast(pl.String).hash() % 3 == 0
    matches.filter(even).write_csv(tmp_path / "even.csv")
    matches.filter(~even).write_parquet(tmp_path / "odd.parquet")
    paths = tmp_path / "even.csv", tmp_path / "odd.parquet"
    asked = [*asked, "--resamples", 5, "--json"]
    documents = []
    for memory in ([], ["--memory", "30kB"]):
        shown = command("evaluate", *paths, *asked, *memory)
        assert ("are rated piece by piece" in shown.stderr) == bool(memory)
        documents.append(json.loads(shown.stdout))
        for system in documents[-1]["systems"]:
            del system["cpu_seconds"]
    assert documents[0] == documents[1]
    if "--ladder" in asked:
        shown = command("evaluate", *paths, "--ladder", "c", "--memory", "30kB")
        assert "there is no ladder 'c'" in shown.stderr


def test_a_report_of_pieces_is_written(command, tmp_path, league):
    page = tmp_path / "report.html"
    asked = ["--resamples", 5, "--html", page, "--memory", "10kB"]
    assert command("evaluate", league, "-s", "elo", *asked).code == 0
    assert "<html" in page.read_text()


def test_isolated_results_are_not_read_piece_by_piece(command, league):
    shown = command("evaluate", league, "--isolated", "--memory", "10kB")
    assert "--memory does not apply" in shown.complaint


def test_a_report_takes_the_place_of_pages_only(command, season, tmp_path):
    other = tmp_path / "other.csv"
    other.write_bytes(season.read_bytes())
    asked = ("evaluate", "-s", "elo", "--resamples", 3)
    assert command(*asked, "--html", other, season).complaint == (
        f"{other}: is there already and no page of HTML, so the report does not take its place; "
        f"--html FILE names a file for it, and --html - prints it."
    )
    assert other.read_bytes() == season.read_bytes()
    page = tmp_path / "report.html"
    for _ in range(2):
        assert command(*asked, "--html", page, season).code == 0
