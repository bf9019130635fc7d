"""After `podium warm`, nobody waits for the compiler."""

import json
import os
import subprocess
import sys

import pytest

import podium
from podium.warming import needing

pytest.importorskip("fastapi", reason="needs podium[web]")

USED = """
import sys, tempfile
from urllib.parse import quote, urlencode
import podium
from fastapi.testclient import TestClient
from podium.cli.app import run
from podium.numerics.compiled import counting
from podium.web.app import create_app
from podium.web.catalogue import Catalogue

def command(*arguments):
    assert run(arguments) == 0, arguments

system = sys.argv[1]
with counting() as compiled, tempfile.TemporaryDirectory() as folder:
    season, ratings, league = (f"{folder}/{name}" for name in ("season.csv", "ratings", "club.db"))
    if podium.systems.by_name(system).most_players is None:
        contests = podium.simulate(players=9, rounds=8, ties=0.2, start="2024-01-01", seed=3)
        large = f"{folder}/large.parquet"
        podium.simulate(players=4500, rounds=2, start="2024-01-01", seed=3).write(large)
        command("rate", large, "--system", system, "--out", f"{folder}/large")
    else:
        contests = podium.simulate_matches(players=9, matches=60, start="2024-01-01", seed=3)
    contests.write(season)
    contests[:-1].write(f"{folder}/before.csv")
    contests[-1:].write(f"{folder}/last.csv")
    names, contest = contests[-1].players, contests[-1].id
    command("rate", f"{folder}/before.csv", "--system", system, "--out", ratings)
    command("explain", season, contest, names[0], "--system", system)
    command("predict", ratings, *names[:2])
    command("predict", ratings, "--standings", f"{folder}/last.csv")
    command("evaluate", season, "--system", system)
    command("init", league, "--system", system)
    command("record", league, season)
    pages = [
        "/", "/club/", "/club/?at=2024-02-01", "/club/contests", "/club/about", "/club/changes",
        f"/club/player/{quote(names[0])}", f"/club/player/{quote(names[0])}?at=2024-02-20",
        f"/club/curve/{quote(names[0])}.svg", f"/club/contest/{quote(contest)}",
        f"/club/why/{quote(contest)}/{quote(names[0])}",
        "/club/compare?" + urlencode({"player": names[:2]}, doseq=True),
        "/club/predict?" + urlencode({"player": names}, doseq=True),
        "/api/v1/leagues/club/leaderboard",
    ]
    with Catalogue.of([league]) as catalogue:
        browser = TestClient(create_app(catalogue))
        for page in pages:
            assert browser.get(page).status_code == 200, page
print("compiled:", sorted(set(compiled)))
"""


def test_a_second_time_everything_is_there_already():
    podium.warm("elo")
    assert [each.kernels for each in podium.warm("elo", progress=lambda *_: None)] == [0]
    assert needing(podium.system("elo")) == []
    assert [each.k for each in needing(podium.system("elo", k=7.5))] == [7.5]


@pytest.mark.slow
@pytest.mark.parametrize("system", ["elo-mmr"])
def test_after_warming_nothing_is_compiled(tmp_path, system):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}

    def python(*arguments):
        done = subprocess.run(
            [sys.executable, *arguments], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    [first] = json.loads(python("-m", "podium", "warm", system, "--json"))
    assert first["system"] == system
    assert first["kernels"] > 0
    kept = sorted((tmp_path / "kernels").rglob("*.nbc"))
    assert python("-c", USED, system).splitlines()[-1] == "compiled: []"
    assert sorted((tmp_path / "kernels").rglob("*.nbc")) == kept
    assert "everything was there already" in python("-m", "podium", "warm", system)
