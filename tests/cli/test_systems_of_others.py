"""A package of somebody else's is found by name in every command, and a broken one harms nobody."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.systems import plain_average

import podium
from podium import systems
from podium.testing import check_system

GUIDE = Path(__file__).parents[2] / "docs" / "own-system.md"
SOURCE = Path(plain_average.__file__).read_text(encoding="utf-8")


def install(folder, package, offers, source=SOURCE):
    """Lay a package out as an installer does: a module, and what says which systems it offers."""
    about = folder / f"{package}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "".join(["[podium.systems]\n", *(f"{name} = {value}\n" for name, value in offers.items())])
    )
    (folder / f"{package.replace('-', '_')}.py").write_text(source)
    return folder


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Where packages are installed, that of the system `average` among them."""
    folder = tmp_path / "site"
    monkeypatch.syspath_prepend(folder)
    yield install(folder, "their-ratings", {"average": "their_ratings:Average"})
    for module in ("their_ratings", "broken", "second"):
        sys.modules.pop(module, None)


@pytest.fixture
def results(tmp_path):
    path = tmp_path / "results.csv"
    podium.simulate(players=12, rounds=20, seed=3).frame().write_csv(path)
    return path


@pytest.mark.usefixtures("site")
def test_it_is_found_by_name_in_every_command(command, results, tmp_path):
    assert "average" in command("systems").stdout
    shown = json.loads(command("systems", "average", "--json").stdout)
    assert [each["name"] for each in shown["parameters"]] == ["k", "mu_new"]
    assert "what a surprise of one point counts" in command("systems", "average").stdout
    rated = tmp_path / "ratings"
    done = command("rate", results, "-s", "average", "--set", "k=20", "--out", rated)
    assert done.code == 0, done.stderr
    assert json.loads((rated / "about.json").read_text())["parameters"]["k"] == 20.0
    options = ("--grid", "--split", "0.9", "--jobs", "1", "--json")
    tuned = json.loads(command("tune", results, "-s", "average", *options).stdout)
    assert 8.0 <= tuned["best"]["parameters"]["k"] <= 128.0
    compared = command("evaluate", results, "-s", "average k=20", "-s", "elo")
    assert "average k=20" in compared.stdout
    assert command("predict", rated, "player-0001", "player-0002").code == 0


@pytest.mark.usefixtures("site")
def test_resuming_gives_the_very_ratings_of_one_run(command, tmp_path):
    played = podium.simulate(players=12, rounds=20, seed=3)
    for name, part in (("first", played[:8]), ("second", played[8:]), ("whole", played)):
        part.frame().write_csv(tmp_path / f"{name}.csv")
    command("rate", tmp_path / "first.csv", "-s", "average", "--out", tmp_path / "first")
    options = ("--resume", tmp_path / "first", "--out", tmp_path / "both")
    assert command("rate", tmp_path / "second.csv", *options).code == 0
    command("rate", tmp_path / "whole.csv", "-s", "average", "--out", tmp_path / "whole")
    both, whole = (podium.Rated.load(tmp_path / name) for name in ("both", "whole"))
    assert both.beliefs.system.name == "average"
    assert both.ratings.equals(whole.ratings)


@pytest.mark.usefixtures("site")
def test_a_league_is_created_reopened_and_revised_with_it(command, results, tmp_path):
    league = tmp_path / "league.db"
    assert command("init", league, "-s", "average", "--set", "k=40").code == 0
    assert command("record", league, results).code == 0
    with podium.League(league) as opened:
        assert opened.system.parameters == {"k": 40.0, "mu_new": 1500.0}
        at_once = podium.rate(podium.read(results), opened.system).ratings
        assert opened.leaderboard(None)["rating"].to_list() == at_once["rating"].to_list()
    assert command("revise", league, "--set", "k=10").code == 0
    assert command("verify", league).code == 0
    assert command("revise", league, "-s", "elo").code == 0
    assert command("export", league, tmp_path / "exported").code == 0


def test_without_its_package_a_sentence_names_the_system(command, results, site, tmp_path):
    rated, league = tmp_path / "ratings", tmp_path / "league.db"
    command("rate", results, "-s", "average", "--out", rated)
    command("init", league, "-s", "average")
    sys.path.remove(str(site))
    systems._registered.clear()
    missing = "of the system 'average', which is not known here; install the package that has it"
    for asked in (("leaderboard", rated), ("rate", results, "--resume", rated)):
        outcome = command(*asked)
        assert outcome.complaint.startswith(f"{rated / 'beliefs.npz'}: beliefs {missing}")
        assert outcome.code == 3
    assert command("leaderboard", league).complaint.startswith(f"this league is {missing}")


@pytest.mark.parametrize(
    ("source", "offer", "sentence"),
    [
        (
            "import nothing_of_the_kind",
            "broken:Average",
            "cannot be loaded from broken:Average: ModuleNotFoundError: "
            "No module named 'nothing_of_the_kind'.",
        ),
        ("raise SystemExit(1)", "broken:Average", "cannot be loaded from broken:Average: SystemE"),
        (SOURCE, "broken:Missing", "cannot be loaded from broken:Missing: AttributeError"),
        (SOURCE, "broken:math", "a class derived from podium.systems.System is needed, not <mod"),
        (SOURCE, "broken:Average", "the name of Average is 'average', not 'odd'."),
        (
            SOURCE.replace('"average"', '"odd"').replace("def rate_contest", "def rate"),
            "broken:Average",
            "it lacks the method rate_contest.",
        ),
    ],
)
def test_a_broken_package_is_one_sentence_and_harms_no_others(
    command, results, site, source, offer, sentence
):
    install(site, "broken", {"odd": offer}, source)
    outcome = command("rate", results, "-s", "odd")
    assert sentence in outcome.complaint
    assert "broken" in outcome.complaint
    listed = command("systems")
    assert listed.code == 0
    assert listed.stderr == f"podium: {outcome.complaint}\n"
    shown = {line.partition(" ")[0] for line in listed.stdout.splitlines()}
    assert shown >= {"elo", "average"}
    assert "odd" not in shown
    assert "odd" not in systems.of_any_size()
    assert "average" in systems.of_any_size()
    assert "odd" in command("rate", results, "-s", "oddd").complaint
    assert command("rate", results, "-s", "average").code == 0


def test_two_packages_with_the_same_system_are_told_apart_by_nobody(command, results, site):
    install(site, "second", {"average": "second:Average"})
    assert command("rate", results, "-s", "average").complaint == (
        "there are several systems 'average', of the packages second and their-ratings."
    )
    assert command("rate", results, "-s", "elo").code == 0


def test_the_name_of_a_system_of_podium_stays_its_own(site):
    install(site, "second", {"elo": "second:Average"})
    assert systems.by_name("elo") is systems.Elo
    assert systems.names().count("elo") == 1


def test_nobody_is_imported_before_being_asked_for(site):
    install(site, "second", {"loud": "second:Average"}, "raise SystemExit('imported')")
    script = (
        "import sys, podium, podium.cli.app\n"
        "from typer.testing import CliRunner\n"
        "assert CliRunner().invoke(podium.cli.app.app, ['--help']).exit_code == 0\n"
        "podium.system('elo')\n"
        "assert 'loud' in podium.systems.names()\n"
        "assert not {'second', 'their_ratings'} & set(sys.modules)\n"
        "podium.system('average')\n"
        "assert 'their_ratings' in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=with_path(site),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def with_path(site):
    path = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path}


def test_workers_find_it_by_themselves(process, site, results):
    tuned = process(
        *("tune", results, "-s", "average", "--grid", "--split", "0.9", "--jobs", "2", "--json"),
        PYTHONPATH=with_path(site)["PYTHONPATH"],
    )
    assert tuned.code == 0, tuned.stderr
    assert 8.0 <= json.loads(tuned.stdout)["best"]["parameters"]["k"] <= 128.0


def blocks(kind):
    """The pieces of the guide that are in this language."""
    return re.findall(rf"```{kind}\n(.*?)```", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL)


def test_the_guide_runs_and_its_system_is_short_and_plain(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for snippet in blocks("python"):
        exec(compile(snippet, "own-system.md", "exec"), names)
    assert names["league"].leaderboard(3).height == 3
    names["league"].close()
    check_system(names["FastElo"], leave_out=["large_contests"])
    written = blocks("python")[0]
    assert len(written.splitlines()) <= 40
    assert not re.search(r"numba|pool|arena|\._|def _", written)
    assert not any(re.search(r"\._[a-z]", snippet) for snippet in blocks("python"))


def test_the_guide_shows_what_a_failing_check_says():
    names = {}
    exec(blocks("python")[0].replace("standings.weight * ", ""), names)
    with pytest.raises(podium.InputError) as refused:
        check_system(names["AverageElo"])
    assert blocks("text") == [f"{refused.value}\n"]


def test_the_commands_of_the_guide_run(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    offers = tomllib.loads(blocks("toml")[0])["project"]["entry-points"]["podium.systems"]
    folder = install(tmp_path / "site", "average-elo", offers, blocks("python")[0])
    monkeypatch.syspath_prepend(folder)
    played = podium.simulate(players=12, rounds=20, seed=3)
    played[:15].frame().write_csv("results.csv")
    played[15:].frame().write_csv("later.csv")
    commands = re.findall(r"^    podium (.*)$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(commands) == 6
    try:
        for line in commands:
            alone = ("--jobs", "1") if line.startswith("tune") else ()  # this path is not theirs
            outcome = command(*line.split(), *alone)
            assert outcome.code == 0, outcome.stderr
    finally:
        sys.modules.pop("average_elo", None)
