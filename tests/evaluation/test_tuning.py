import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import polars as pl
import pytest

import podium
from podium import PodiumError
from podium.evaluation import trials, tuning
from podium.evaluation.scoring import score, skipped
from podium.evaluation.trials import first_of
from podium.evaluation.tuning import TuningInterrupted, tune
from podium.extras import is_installed
from podium.systems import Between, OneOf

SEASON = podium.simulate(players=30, rounds=40, participation=0.7, seed=5)
CUP = podium.simulate(players=12, rounds=25, ties=0.2, seed=6)
LADDERS = podium.Contests.from_frame(
    pl.concat(
        [
            SEASON.frame().with_columns(ladder=pl.lit("league")),
            CUP.frame().with_columns(
                ladder=pl.lit("cup"), time=pl.col("time") + pl.duration(days=9)
            ),
        ]
    )
)


@pytest.fixture
def bowl(monkeypatch):
    """Scores that are lowest, 0, at k=20 and k_new=100."""

    def toy(_contests, system, _measure, **_):
        k_new = 32.0 if system.k_new is None else system.k_new
        return math.log(system.k / 20.0) ** 2 + math.log(k_new / 100.0) ** 2

    monkeypatch.setattr(trials, "score", toy)


def on(season=SEASON, **options):
    return tune(season, "elo", **{"split": 1.0, "jobs": 1, **options})


def refusal(*args, **options) -> str:
    with pytest.raises(PodiumError) as refused:
        tune(*args, **{"split": 1.0, "jobs": 1, **options})
    return str(refused.value)


@pytest.mark.usefixtures("bowl")
def test_the_toy_optimum_is_found():
    found = on(budget=200)
    assert found.best.score < 0.05
    assert found.best.score < 0.1 * found.default.score
    assert 16.0 < found.system.k < 25.0
    assert 80.0 < found.system.k_new < 125.0


@pytest.mark.usefixtures("bowl")
def test_the_lowest_is_not_best_where_the_highest_is():
    assert on(budget=30, measure="pair-inversion").best.score > 10.0


@pytest.mark.parametrize(("measure", "highest"), [("brier", False), ("kendall", True)])
def test_a_batch_knows_what_is_being_tried_and_all_results_before(monkeypatch, measure, highest):
    asked = []

    def propose(space, scored, running, **options):
        asked.append((list(scored), list(running), options))
        return real(space, scored, running, **options)

    real = tuning.propose
    monkeypatch.setattr(tuning, "propose", propose)
    found = on(budget=11, batch=4, seed=7, measure=measure)
    known = [(trial.parameters, trial.score) for trial in found.trials]
    tried = [trial.parameters for trial in found.trials]
    assert [scored for scored, _, _ in asked] == [known[:1], known[:1], known[:5]]
    assert [running for _, running, _ in asked] == [[], tried[1:5], tried[5:9]]
    assert [options for _, _, options in asked] == [
        {"count": count, "seed": (7, first), "highest": highest}
        for first, count in ((1, 4), (5, 4), (9, 3))
    ]


@pytest.mark.parametrize("measure", ["rank-deviation", "pair-inversion"])
def test_of_equals_the_first_is_the_best_and_the_default_before_all(monkeypatch, measure):
    monkeypatch.setattr(trials, "score", lambda *_, **__: 0.5)
    found = on(budget=5, measure=measure)
    assert [trial.number for trial in found.ranking] == list(range(6))
    assert found.best == found.default


@pytest.mark.usefixtures("bowl")
def test_the_grid_is_what_the_system_declares():
    found = on(grid=True)
    points = [(trial.parameters["k"], trial.parameters["k_new"]) for trial in found.trials[1:]]
    space = found.plan.space
    assert points == [(k, new) for k in space["k"].grid for new in space["k_new"].grid]
    assert found.best.parameters == {"k": 20.0, "k_new": 80.0}


@pytest.mark.parametrize("least", [0, 5, 9])
def test_a_trial_has_the_score_of_its_system(least):
    found = on(budget=3, fixed={"scale": 300.0}, min_contests=least)
    options = {"measure": "rank-deviation", "min_contests": least}
    assert found.default.score == score(SEASON, podium.system("elo", scale=300.0), **options)
    for trial in found.trials[1:]:
        system = podium.system("elo", scale=300.0, **trial.parameters)
        assert trial.score == score(SEASON, system, **options)
    assert found.system == podium.system("elo", scale=300.0, **found.best.parameters)


def test_a_search_is_finished_with_its_last_trial_and_not_before():
    found = on(budget=3)
    assert found.finished
    assert not replace(found, trials=found.trials[:-1]).finished


def test_only_the_first_contests_count():
    part = first_of(SEASON, 0.25)
    assert len(part) == 10
    assert score(part, podium.system("elo"), "rank-deviation") == score(
        SEASON[:10], podium.system("elo"), "rank-deviation"
    )
    assert on(split=0.25, budget=1).default == on(SEASON[:10], budget=1).default


def test_only_players_who_took_part_are_kept():
    part = first_of(SEASON, 1 / 40)
    assert len(part.players) == part.rows < len(SEASON.players)
    assert part.frame().equals(SEASON[:1].frame())
    assert all(column is None or column.flags.writeable for column in part.columns)


@pytest.mark.parametrize(("split", "contests"), [(0.29, 29), (0.1, 10), (1.0, 100), (0.019, 1)])
def test_a_share_of_contests_is_rounded_down(split, contests):
    season = podium.simulate(players=3, rounds=100)
    assert len(first_of(season, split)) == contests


def test_the_first_contests_of_every_ladder_count():
    part = first_of(LADDERS, 0.3)
    assert [len(each) for each in part.by_ladder().values()] == [7, 12]
    assert part.by_ladder()["league"].without_ladders() == first_of(SEASON, 0.3)
    for name, each in LADDERS.by_ladder().items():
        assert part.by_ladder()[name] == each[: skipped(0.3, len(each))]
    assert len(first_of(LADDERS, 0.03)) == 1
    assert refusal(LADDERS, "elo", split=0.02) == (
        "of ladders of 40 contests at most, a share of 0.02 is none; tuning needs more contests or "
        "a larger share."
    )


def test_every_ladder_is_rated_by_itself():
    found = on(LADDERS, budget=3, split=0.5)
    first = first_of(LADDERS, 0.5)
    assert found.best.score == score(first, found.system, "rank-deviation")
    alone = tune(first.by_ladder()["cup"], "elo", split=1.0, budget=1, jobs=1)
    assert alone.default.score != found.default.score
    assert on(LADDERS, budget=3, split=0.5, jobs=2).trials == found.trials


def test_a_study_of_other_ladders_is_refused(tmp_path):
    options = {"budget": 1, "min_contests": 1, "study": tmp_path / "study"}
    frame = SEASON.frame().with_columns(ladder=pl.col("contest").str.tail(1))
    on(podium.Contests.from_frame(frame), **options)
    assert "is a study of other results" in refusal(SEASON, "elo", **options)


def test_the_number_of_jobs_changes_nothing():
    one, two = (on(budget=25, batch=4, jobs=jobs) for jobs in (1, 2))
    assert one.trials == two.trials
    assert one.best == two.best
    grids = [on(grid=True, jobs=jobs).trials for jobs in (1, 2)]
    assert grids[0] == grids[1]


@pytest.mark.slow
def test_a_dask_cluster_finds_the_same(dask_scheduler):
    cluster = {"jobs": None, "backend": "dask", "scheduler": dask_scheduler}
    assert on(budget=9, batch=4, **cluster).trials == on(budget=9, batch=4).trials
    assert on(grid=True, **cluster).trials == on(grid=True).trials
    import distributed

    with distributed.Client(dask_scheduler, set_as_default=False) as client:
        used = client.run(lambda: "podium.evaluation.trials" in sys.modules)
    assert list(used.values()) == [True, True]


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "package"), [("dask", "distributed"), ("ray", "ray")])
def test_workers_that_dask_and_ray_start_find_the_same(backend, package):
    if not is_installed(package):
        pytest.skip(f"needs podium[{backend}]")
    assert on(budget=9, batch=4, backend=backend, jobs=2).trials == on(budget=9, batch=4).trials


def test_an_executor_finds_the_same():
    with ThreadPoolExecutor(2) as executor:
        found = on(budget=9, batch=4, jobs=None, executor=executor)
    assert found.trials == on(budget=9, batch=4).trials


@pytest.mark.parametrize("kept", [1, 2, 5, 6, 9, 20, 25])
def test_going_on_is_as_if_it_had_never_stopped(tmp_path, kept):
    file = tmp_path / "study"
    whole = on(budget=25, batch=4, study=file)
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[: 1 + kept]) + lines[-1][:7])
    assert on(budget=25, batch=4, study=file).trials == whole.trials
    assert file.read_bytes() == b"".join(lines)


def test_trials_that_were_finished_out_of_order_are_kept(tmp_path):
    file = tmp_path / "study"
    whole = on(budget=12, batch=4, study=file)
    header, *lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([header, lines[0], lines[3], lines[1], lines[6]]))
    assert on(budget=12, batch=4, study=file).trials == whole.trials


def test_a_larger_budget_goes_on_and_a_smaller_shows_the_first(tmp_path):
    file = tmp_path / "study"
    on(budget=6, batch=4, study=file)
    longer = on(budget=15, batch=4, study=file)
    assert longer.trials == on(budget=15, batch=4).trials
    shorter = on(budget=3, batch=4, study=file)
    assert shorter.trials == longer.trials[:4]
    assert shorter.finished


def test_another_seed_is_another_search():
    assert on(budget=3).trials[1:] != on(budget=3, seed=1).trials[1:]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"measure": "pair-inversion"}, 'measure "rank-deviation" and not "pair-inversion"'),
        ({"min_contests": 3}, "min_contests 5 and not 3"),
        ({"seed": 1}, "seed 0 and not 1"),
        ({"batch": 7}, "batch 20 and not 7"),
        ({"grid": True, "budget": None}, "grid false and not true"),
        ({"fixed": {"scale": 300.0}}, 'fixed {} and not {"scale": 300.0}'),
        ({"search": {"k": Between(1.0, 2.0)}}, "with search"),
        ({"split": 0.5}, "is a study of other results"),
    ],
    ids=str,
)
def test_a_study_of_something_else_is_refused(tmp_path, change, said):
    on(budget=1, study=tmp_path / "study")
    options = {"budget": 1, "study": tmp_path / "study", **change}
    measure = options.pop("measure", "rank-deviation")
    assert said in refusal(SEASON, "elo", measure, **options)
    assert 'system "elo" and not "glicko"' in refusal(
        SEASON, "glicko", budget=1, study=tmp_path / "study"
    )


def test_a_study_of_as_many_other_results_is_refused(tmp_path):
    one, other = (podium.simulate(players=6, rounds=12, seed=seed) for seed in (1, 2))
    on(one, budget=1, study=tmp_path / "study")
    said = refusal(other, "elo", budget=1, study=tmp_path / "study")
    assert said.endswith("is a study of other results, or of another share of them.")


def test_a_study_of_another_podium_is_refused(tmp_path, monkeypatch):
    on(budget=1, study=tmp_path / "study")
    monkeypatch.setattr(podium, "__version__", "99.0")
    assert 'and not "99.0"' in refusal(SEASON, "elo", budget=1, study=tmp_path / "study")


def test_parameters_that_a_system_refuses_are_failures():
    found = tune(
        SEASON,
        "elo-r",
        split=1.0,
        jobs=1,
        budget=30,
        search={"sig_limit": Between(50.0, 1000.0), "sig_performance": Between(50.0, 1000.0)},
    )
    failed = [trial for trial in found.trials if trial.failure is not None]
    assert 0 < len(failed) < 30
    assert all("sig_performance must be from 1.01" in trial.failure for trial in failed)
    assert all(trial.score is None for trial in failed)
    assert found.table["failure"].null_count() == 31 - len(failed)
    assert found.best.failure is None


def test_scores_that_are_no_number_are_failures(monkeypatch):
    monkeypatch.setattr(
        trials, "score", lambda _, system, *__, **___: math.nan if system.k > 50 else system.k
    )
    found = on(budget=20)
    assert {trial.failure for trial in found.trials} == {None, "the score is not a number."}
    assert all(trial.parameters["k"] <= 50 for trial in found.ranking)


def test_numbers_that_overflow_are_failures(monkeypatch):
    def overflowing(_, system, *__, **___):
        if system.k > 50:
            raise OverflowError("math range error")
        return system.k

    monkeypatch.setattr(trials, "score", overflowing)
    found = on(budget=20)
    assert {trial.failure for trial in found.trials} == {None, "math range error"}


def test_what_is_fixed_may_contradict_defaults_that_are_searched():
    found = tune(
        SEASON,
        "elo-r",
        split=1.0,
        jobs=1,
        budget=3,
        fixed={"sig_performance": 90.0},
        search={"sig_limit": Between(20.0, 80.0)},
    )
    assert "sig_performance" in found.default.failure
    assert found.best.number > 0


def test_nothing_but_failures_is_an_error():
    assert refusal(
        SEASON,
        "elo-r",
        budget=2,
        fixed={"sig_performance": 90.0},
        search={"sig_limit": Between(500.0, 800.0)},
    ).startswith("none of the trials could be scored; of the first: elo-r: sig_performance must")


def test_contests_without_anything_to_score_are_refused_before_anything_runs(tmp_path):
    said = refusal(SEASON, "elo", split=0.1, study=tmp_path / "study")
    assert said == (
        "there is nothing to score by rank-deviation in the first 4 contests among players with "
        "at least 5 earlier contests; take a larger share of the contests (split or "
        "--split), or demand fewer earlier ones (min_contests or --min-contests)."
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"measure": "rank-deviations"}, "no measure 'rank-deviations' (did you mean 'rank-dev"),
        ({"budget": 0}, "budget must be a whole number of at least 1, not 0"),
        ({"budget": 1.5}, "budget must be a whole number of at least 1, not 1.5"),
        ({"budget": 5, "grid": True}, "a budget is for a search; the grid tries all of its 20"),
        ({"split": 0.0}, "of 40 contests, a share of 0 is none"),
        ({"split": 1.5}, "split must be a number from 0 to 1, not 1.5"),
        ({"split": math.nan}, "split must be a number from 0 to 1, not nan"),
        ({"min_contests": -1}, "min_contests must be a whole number of at least 0"),
        ({"seed": -1}, "seed must be a whole number of at least 0, not -1"),
        ({"batch": 0}, "batch must be a whole number of at least 1, not 0"),
        ({"jobs": 0}, "jobs must be a whole number of at least 1, not 0"),
        ({"backend": "ry"}, "there is no backend 'ry' (did you mean 'ray'?)"),
        ({"backend": "dask", "scheduler": "x:1"}, "jobs are for workers that podium starts"),
        ({"fixed": {"kk": 1}}, "elo has no parameter 'kk'"),
        ({"fixed": {"k": -1.0}}, "k must be a number of at least 0, not -1.0"),
        ({"search": {"k": OneOf((1.0, "x"))}}, "k must be a number, not 'x'"),
    ],
    ids=str,
)
def test_wrong_arguments_are_one_sentence(options, said):
    assert said in refusal(SEASON, "elo", **options)


def test_wrong_systems_and_contests_are_one_sentence():
    assert "there is no system 'elo-mm'" in refusal(SEASON, "elo-mm")
    assert "contests are needed, not list" in refusal([], "elo")


def test_the_table_has_a_row_for_every_trial():
    found = on(budget=2, search={"k_new": OneOf((None, 50.0))})
    assert found.table.columns == ["trial", "score", "k", "k_new", "failure"]
    assert found.table["trial"].to_list() == [0, 1, 2]
    assert found.table["score"].to_list() == [trial.score for trial in found.trials]


def test_progress_is_told_and_counts_what_was_done_before(tmp_path):
    told = []
    on(budget=4, study=tmp_path / "study", progress=lambda *seen: told.append(seen))
    assert told == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
    told.clear()
    on(budget=6, study=tmp_path / "study", progress=lambda *seen: told.append(seen))
    assert told == [(4, 6), (5, 6), (6, 6)]


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_interrupt_keeps_what_is_done_and_ends_the_workers(tmp_path, jobs):
    def stop(done, _):
        if done == 7:
            raise KeyboardInterrupt

    whole = on(budget=20, batch=4)
    with pytest.raises(TuningInterrupted) as interrupted:
        on(budget=20, batch=4, jobs=jobs, study=tmp_path / "study", progress=stop)
    found = interrupted.value.tuned
    assert not found.finished
    assert len(found.trials) == 8
    assert set(map(str, found.trials)) <= set(map(str, whole.trials))
    assert on(budget=20, batch=4, jobs=jobs, study=tmp_path / "study").trials == whole.trials


def test_an_interrupt_before_anything_is_just_that(monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(trials, "score", stop)
    with pytest.raises(KeyboardInterrupt) as interrupted:
        on(budget=2)
    assert not isinstance(interrupted.value, TuningInterrupted)


def test_a_grid_needs_no_optuna():
    script = """
import sys
import podium
season = podium.simulate(players=10, rounds=12, seed=1)
podium.tune(season, "elo", split=1.0, grid=True, jobs=1)
print("optuna" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
