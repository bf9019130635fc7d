import json
import os
import shlex
import signal
import subprocess
import sys
from dataclasses import replace

import polars as pl
import pytest

import podium
from podium.evaluation import tuning
from podium.evaluation.tuning import tune


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A season that is long enough to tune on."""
    path = tmp_path_factory.mktemp("tuning") / "a season.csv"
    podium.simulate(players=30, rounds=40, participation=0.7, seed=5).frame().write_csv(path)
    return path


OPTIONS = ["--system", "elo", "--split", "1", "--jobs", "1"]


def test_the_best_trials_the_default_and_the_command_to_use_are_shown(command, results):
    shown = command("tune", results, *OPTIONS, "--budget", 12, "--top", 3)
    assert shown.code == 0, shown.stderr
    found = tune(podium.read(results), "elo", split=1.0, budget=12, jobs=1)
    lines = shown.stdout.splitlines()
    assert lines[0].split() == ["trial", "rank-deviation", "k", "k_new"]
    assert [line.split()[0] for line in lines[1:5]] == [
        *(str(trial.number) for trial in found.ranking[:3]),
        "default",
    ]
    assert f"{found.best.score:.6f}" in lines[1]
    assert f"{found.default.score:.6f}" in lines[4]
    assert "elo on the first 40 of 40 contests: 12 trials in " in lines[6]
    best = found.best.parameters
    assert lines[8] == (
        f"podium rate '{results}' --system elo --set k={best['k']:g} --set k_new={best['k_new']:g}"
    )


def test_the_command_that_is_shown_rates_as_the_best_trial_did(command, results):
    options = ["--columns", "player=player", "--keep-order", "--set", "scale=300", "--budget", 5]
    document = json.loads(command("tune", results, *OPTIONS, *options, "--json").stdout)
    words = shlex.split(document["command"])
    assert words[:5] == ["podium", "rate", str(results), "--system", "elo"]
    assert words[-3:] == ["--columns", "player=player", "--keep-order"]
    rated = json.loads(command(*words[1:-3], "--json").stdout)
    best = document["best"]["parameters"]
    assert rated["parameters"] == {**rated["parameters"], **best, "scale": 300.0}


def test_the_document_has_every_trial(command, results):
    document = json.loads(
        command("tune", results, *OPTIONS, "--grid", "--search", "k=10,20", "--json").stdout
    )
    assert document["finished"] is True
    assert document["best_is"] == "lowest"
    assert [trial["number"] for trial in document["trials"]] == list(range(9))
    assert document["default"] == document["trials"][0]
    assert document["best"]["score"] == min(trial["score"] for trial in document["trials"])


def test_results_of_ladders_are_tuned_and_rated_ladder_by_ladder(command, results, tmp_path):
    season = pl.read_csv(results)
    ladders = tmp_path / "ladders.csv"
    pl.concat(
        season.head(rows).with_columns(ladder=pl.lit(name))
        for name, rows in (("cup", season.height // 2), ("league", season.height))
    ).write_csv(ladders)
    options = ["--system", "elo", "--split", "0.5", "--jobs", "1", "--budget", 2]
    shown = command("tune", ladders, *options)
    assert shown.code == 0, shown.stderr
    found = tune(podium.read(ladders), "elo", split=0.5, budget=2, jobs=1)
    contests = len(podium.read(ladders))
    assert (
        f"elo on the first {len(found.plan.contests)} of {contests} contests of 2 ladders: 2 trials"
    ) in shown.stdout
    words = shlex.split(shown.stdout.splitlines()[-1])
    rated = json.loads(command(*words[1:], "--json").stdout)
    assert list(rated["ladders"]) == ["cup", "league"]
    assert rated["parameters"] == {**rated["parameters"], **found.best.parameters}
    alone = command("tune", ladders, *options, "--ladder", "league").stdout
    assert " of 40 contests: 2 trials" in alone
    assert alone.endswith(" --ladder league\n")


def test_every_option_is_passed_on(command, results):
    options = ["--system", "elo", "--split", "0.5", "--jobs", "1", "--measure", "kendall"]
    options += ["--min-contests", 3, "--seed", 2, "--batch", 4, "--budget", 9]
    options += ["--search", "k=10..50", "--set", "scale=300"]
    shown = json.loads(command("tune", results, *options, "--json").stdout)
    found = tune(
        podium.read(results),
        "elo",
        "kendall",
        split=0.5,
        jobs=1,
        min_contests=3,
        seed=2,
        batch=4,
        budget=9,
        search={"k": podium.systems.Between(10.0, 50.0, log=True)},
        fixed={"scale": 300.0},
    )
    assert shown["trials"] == [trial._asdict() for trial in found.trials]
    assert shown["best"] == found.best._asdict()
    assert (shown["best_is"], shown["contests"], shown["fixed"]) == ("highest", 20, {"scale": 300})


def test_the_default_stands_once_and_is_said_to_be_the_best_if_it_is(command, results):
    options = ["--grid", "--search", "k=0.1,0.2", "--set", "k_new=none", "--top", 20]
    lines = command("tune", results, *OPTIONS, *options).stdout.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["default", "1", "2"]
    assert lines[5].endswith("; the default is the best.")


def test_an_interrupt_shows_the_best_so_far_and_how_to_go_on(
    command, results, tmp_path, monkeypatch
):
    def interrupted(*args, **options):
        found = tune(*args, **options)
        raise tuning.TuningInterrupted(replace(found, trials=found.trials[:3]))

    monkeypatch.setattr(tuning, "tune", interrupted)
    study = tmp_path / "study.jsonl"
    for given, advice in (
        ([], "with --study FILE they would have been kept"),
        (["--study", study], f"they are in {study}, and the same command goes on from there"),
    ):
        shown = command("tune", results, *OPTIONS, "--budget", 5, *given)
        assert shown.code == 130
        assert shown.stderr == f"podium: interrupted after 2 of 5 trials; {advice}.\n"
        assert "40 contests: 2 of 5 trials in " in shown.stdout
        assert shown.stdout.splitlines()[-1].startswith("podium rate ")


def test_trials_that_failed_are_counted(command, results):
    options = ["--system", "elo-r", "--split", "1", "--jobs", "1", "--grid"]
    options += ["--search", "sig_limit=50,500", "--search", "sig_performance=100,300"]
    options += ["--set", "drift_per_day=0"]
    shown = command("tune", results, *options).stdout
    assert "4 trials in " in shown
    assert " s, 2 failed; " in shown


def test_a_study_is_continued(command, results, tmp_path):
    arguments = ["tune", results, *OPTIONS, "--study", tmp_path / "study.jsonl", "--json"]
    first = json.loads(command(*arguments, "--budget", 3).stdout)
    longer = json.loads(command(*arguments, "--budget", 6).stdout)
    assert longer["trials"][:4] == first["trials"]
    assert len((tmp_path / "study.jsonl").read_text().splitlines()) == 8


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--system", "elos"], "there is no system 'elos'"),
        (["--measure", "luck"], "there is no measure 'luck' to tune by; there are "),
        (["--search", "k"], "--search k: write it as --search KEY=VALUES."),
        (["--search", "k=1..2", "--search", "k=3,4"], "--search k=3,4: 'k' is given twice."),
        (["--search", "k=1..2", "--set", "k=1"], "k cannot be both fixed and searched for."),
        (["--search", "kk=1..2"], "elo has no parameter 'kk'"),
        (["--search", "k=5"], "k: at least two values are needed to search; one can be fixed."),
        (["--set", "k=x"], "elo: k must be a number, not 'x'."),
        (["--set", "k=1", "--set", "k_new=2"], "nothing is left to tune"),
        (["--budget", "0"], "budget must be a whole number of at least 1, not 0."),
        (["--budget", "9", "--grid"], "a budget is for a search; the grid tries all of its 20"),
        (["--split", "0.05"], "nothing to score by rank-deviation in the first 2 contests"),
        (["--split", "2"], "split must be a number from 0 to 1, not 2.0."),
        (["--backend", "spark"], "there is no backend 'spark'"),
        (
            ["--scheduler", "tcp://x:1"],
            "a scheduler, here 'tcp://x:1', is for the backends dask and",
        ),
        (
            ["--backend", "dask", "--jobs", "2", "--scheduler", "tcp://x:1"],
            "jobs are for workers that podium starts; the cluster at 'tcp://x:1' has the workers",
        ),
        (["--jobs", "0"], "see 'podium tune --help'"),
        (["--seed", "-1"], "seed must be a whole number of at least 0, not -1."),
        (["--study", "."], ".: cannot be used as a study (is a directory)."),
    ],
    ids=str,
)
def test_wrong_input_is_one_line(command, results, options, said):
    usual = [] if "--backend" in options else ["--jobs", "1"]
    complaint = command(
        "tune", results, "--system", "elo", "--split", "1", *usual, *options
    ).complaint
    assert said in complaint


def test_a_study_of_something_else_is_one_line(command, results, tmp_path):
    study = ["--study", tmp_path / "study"]
    command("tune", results, *OPTIONS, "--budget", 1, *study)
    complaint = command("tune", results, *OPTIONS, "--budget", 1, *study, "--seed", 3).complaint
    assert complaint == f"{study[1]}: is a study of something else, with seed 0 and not 3."


def test_results_that_are_not_there_are_one_line(process, tmp_path):
    assert "nothing.csv" in process("tune", tmp_path / "nothing.csv", "--jobs", 2).complaint


def test_systems_show_where_they_are_tuned(command):
    assert "0.02..1" in command("systems", "elo-mmr").stdout
    document = json.loads(command("systems", "weng-lin", "--json").stdout)
    searched = {each["name"]: each["search"] for each in document["parameters"]}
    assert searched["gamma"] == "sigma/c,1/k,1"
    assert searched["mu_new"] is None


TELLING = """
import itertools, os
from podium.cli import main
from podium.evaluation.studies import Study

def told(self, trial, add=Study.add, trials=itertools.count(1)):
    add(self, trial)
    if next(trials) == 30:
        os.write(int(os.environ["TELLING"]), b"30")

Study.add = told
main()
"""
"""A command that says when thirty trials are done."""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs signals to groups of processes")
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_shows_the_best_so_far_and_leaves_no_process(results, tmp_path, jobs):
    study = tmp_path / "study.jsonl"
    arguments = ["tune", results, "--system", "elo", "--split", "1", "--jobs", jobs]
    arguments += ["--budget", 100_000, "--study", study]
    listening, telling = os.pipe()
    running = subprocess.Popen(
        [sys.executable, "-c", TELLING, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        pass_fds=[telling],
        env={**os.environ, "TELLING": str(telling)},
    )
    os.close(telling)
    with open(listening) as told:
        assert told.read(2) == "30"
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does
    stdout, stderr = running.communicate()  # until the last process that could write has ended
    assert running.returncode == 130, stderr
    done = len(study.read_text().splitlines()) - 2
    assert stderr.splitlines()[-1] == (
        f"podium: interrupted after {done:,} of 100,000 trials; they are in {study}, "
        f"and the same command goes on from there."
    )
    assert f"{done:,} of 100,000 trials" in stdout
    assert stdout.splitlines()[-1].startswith("podium rate ")
