"""What ``--json`` prints is the document of the thing that it describes."""

import json
from pathlib import Path

import pytest

import podium
from podium import papers, systems
from podium.evaluation import attacks
from podium.ratings.chances import Chances
from podium.ratings.ladders import Run
from podium.results.fetching.keeping import Fetched

CLOCKS = ("seconds", "cpu_seconds")


def _without_clocks(value):
    if isinstance(value, dict):
        return {key: _without_clocks(each) for key, each in value.items() if key not in CLOCKS}
    return [_without_clocks(each) for each in value] if isinstance(value, list) else value


def _of(document):
    """As a program reads it, in the same order; anything that JSON cannot say is an error."""
    text = json.dumps(document, allow_nan=False)
    assert json.loads(text) == document, "a document is plain: no tuples, dates or frames"
    return json.dumps(_without_clocks(document))


@pytest.fixture
def printed(command):
    """What a command prints with ``--json``, but for how long it took."""

    def printed(*arguments):
        return json.dumps(_without_clocks(json.loads(command(*arguments, "--json").stdout)))

    return printed


@pytest.fixture(scope="module")
def rated(contests):
    return podium.rate(contests)


def test_of_a_run(printed, season):
    contests = podium.read(season)
    run = Run(contests, {"": podium.rate(contests, "elo")}, 0.5)
    assert printed("rate", season, "-s", "elo", "--top", 3) == _of(run.document(3))
    assert run.document()["seconds"] == 0.5


def test_of_a_run_over_ladders(printed, season, tmp_path):
    results = podium.read(season).frame()
    path = tmp_path / "ladders.csv"
    results.with_columns(ladder=results["contest"].str.tail(1)).write_csv(path)
    contests = podium.read(path)
    run = Run(contests, podium.rate_ladders(contests), 1.0, tmp_path / "ratings")
    assert printed("rate", path, "-o", tmp_path / "ratings", "-n", 0) == _of(run.document(None))
    assert run.players == contests.frame()["player"].n_unique()


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("system", ["elo-mmr", "elo"])
def test_of_chances(printed, season, players, system):
    names = [f"player-000{number}" for number in range(1, players + 1)]
    rated = podium.rate(podium.read(season), system)
    chances = Chances.of(rated, names, top=2, at="2027-01-01")
    options = ["--system", system, "--at", "2027-01-01", "--top", 2]
    assert printed("predict", season, *names, *options) == _of(chances.document())
    assert ("win_probability" in chances.document()) == (players == 2)
    assert (chances.stronger is None) == (players != 2 or system == "elo")


def test_of_a_prediction_and_its_curve(printed, ratings, rated, tmp_path):
    names = [f"player-000{number}" for number in (1, 2, 3, 4)]
    (tmp_path / "now.txt").write_text("\n".join([*names, "somebody new"]))
    standings = podium.read_standings(tmp_path / "now.txt", time=rated.history["time"].max())
    prediction = podium.predict(rated.beliefs, standings)
    curve = podium.curve(rated.beliefs, standings, names[2], goals=[1800.0, 9000.0])
    asked = ("predict", ratings, tmp_path / "now.txt")
    assert printed(*asked) == _of(prediction.document())
    assert printed(*asked, "--top", 2) == _of(prediction.document(2))
    told = printed(*asked, "--player", names[2], "--goal", 1800, "--goal", 9000)
    assert told == _of(prediction.document(curve=curve))
    assert prediction.newcomers == prediction.document()["newcomers"] == 1


def test_of_an_explanation(printed, season):
    contests = podium.read(season)
    contest, player = contests.ids[-1], contests[len(contests) - 1 :].frame()["player"][0]
    explanation = podium.explain_result(contests, contest, player)
    assert printed("explain", season, contest, player) == _of(explanation.document())


def test_of_an_evaluation(printed, season, tmp_path):
    asked = {"resamples": 20, "min_contests": 2}
    found = podium.evaluate(podium.read(season), ["elo", "elo-mmr rho=2"], **asked)
    options = ["-s", "elo", "-s", "elo-mmr rho=2", "--resamples", 20, "--min-contests", 2]
    assert printed("evaluate", season, *options) == _of(found.document(data=season))
    report = tmp_path / "report.html"
    told = printed("evaluate", season, *options, "--html", report)
    assert told == _of(found.document(data=season, html=report))


def test_of_what_was_learned(printed, tmp_path):
    matches = podium.simulate_matches(players=20, matches=400, side_advantage=0.5, seed=2)
    matches.write(tmp_path / "matches.csv")
    found = podium.learned(podium.read(tmp_path / "matches.csv"), noise=30.0)
    assert printed("learned", tmp_path / "matches.csv", "--set", "noise=30") == _of(
        found.document()
    )


def test_of_what_tuning_found(printed, season):
    from podium.evaluation.tuning import tune

    asked = {"budget": 2, "split": 0.8, "min_contests": 1, "jobs": 1}
    tuned = tune(podium.read(season), "elo", **asked)
    options = ["--budget", 2, "--split", 0.8, "--min-contests", 1, "--jobs", 1]
    told = json.loads(printed("tune", season, "-s", "elo", *options))
    assert json.dumps(told) == _of(tuned.document(seconds=1.0, command=told["command"]))
    assert told["command"].startswith(f"podium rate {season} --system elo --set ")


@pytest.mark.parametrize("name", systems.names())
def test_of_a_system(printed, name):
    system = systems.by_name(name)
    assert printed("systems", name) == _of(system.document(about=True))
    listed = {each["name"]: each for each in json.loads(printed("systems"))}
    assert json.dumps(listed[name]) == _of(system.document())


def test_of_attacks(printed, season, contests):
    player = contests.frame()["player"].value_counts(sort=True)["player"][0]
    plan = {"honest_first": 4, "farming": 3, "honest_last": 2}
    options = [
        part for key, value in plan.items() for part in (f"--{key.replace('_', '-')}", value)
    ]
    farming = attacks.farming(podium.read(season), "topcoder", player, **plan)
    others = [(systems.build("elo-mmr"), farming.transferred("elo-mmr"))]
    told = printed("attack", "farming", season, "--player", player, *options)
    assert told == _of(farming.document())
    options += ["--transfer", "elo-mmr"]
    told = printed("attack", "farming", season, "--player", player, *options)
    assert told == _of(farming.document(others))
    assert (farming.gain, farming.climb) == tuple(
        farming.document()["systems"][0][key] for key in ("gain", "climb")
    )
    options = ["--honest-first", 2, "--farming", 3, "--honest-last", 2, "--runs", 4]
    play = {"honest_first": 2, "farming": 3, "honest_last": 2, "runs": 4}
    matchmaking = attacks.matchmaking("glicko2", **play).document()
    assert printed("attack", "matchmaking", *options) == _of([matchmaking])
    search = attacks.search("topcoder", histories=50).document()
    assert printed("attack", "search", "-s", "topcoder", "--histories", 50) == _of(search)


def test_of_what_was_fetched():
    fetched = Fetched(["1"], ["2", "3"], failed={"4": "refused"})
    assert fetched.document(Path("rounds")) == {
        "out": "rounds",
        "downloaded": ["1"],
        "already_there": ["2", "3"],
        "unrated": [],
        "failed": {"4": "refused"},
    }


def test_of_a_reproduction(printed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert printed("reproduce") == _of([target.document() for target in papers.TARGETS])
    target = papers.by_name("elo-r-step")
    told = json.loads(printed("reproduce", target.name))
    files = [Path(each) for each in told["files"]]
    assert all(file.is_file() for file in files)
    result = target.function({}, lambda *_: None)
    assert json.dumps(told) == _of({**target.document(), **result.document(files)})
