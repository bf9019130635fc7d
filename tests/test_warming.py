"""After `podium warm`, nobody waits for the compiler."""

import json
import os
import subprocess
import sys

import pytest

import podium
from podium.warming import needing

USED = """
import sys, tempfile
import podium
from podium.cli.app import run
from podium.numerics.compiled import counting

system = sys.argv[1]
with counting() as compiled, tempfile.TemporaryDirectory() as folder:
    kind = podium.systems.by_name(system)
    if kind.most_players is None:
        season = podium.simulate(players=9, rounds=8, ties=0.2, seed=3)
        large = podium.simulate(players=4500, rounds=2, seed=3)
        run(["simulate", f"{folder}/large.parquet", "--players", "4500", "--rounds", "2"])
        run(["rate", f"{folder}/large.parquet", "--system", system, "--out", f"{folder}/large"])
    else:
        season = large = podium.simulate_matches(players=9, matches=60, draws=0.2, seed=3)
    season.write(f"{folder}/season.csv")
    names = season[-1].players
    run(["rate", f"{folder}/season.csv", "--system", system, "--out", f"{folder}/ratings"])
    run(["explain", f"{folder}/season.csv", names[0], "--system", system])
    run(["predict", f"{folder}/ratings", *names[:2]])
    run(["evaluate", f"{folder}/season.csv", "--system", system])
    run(["init", f"{folder}/league.db", "--system", system])
    run(["record", f"{folder}/league.db", f"{folder}/season.csv"])
    from fastapi.testclient import TestClient
    from podium.web.app import create_app
    from podium.web.catalogue import Catalogue
    with Catalogue.of([f"{folder}/league.db"]) as catalogue:
        browser = TestClient(create_app(catalogue))
        with podium.League.reading(f"{folder}/league.db") as league:
            contest = league.contests()["contest"][-1]
        for path in ("", "/players", "/contests", "/compare"):
            browser.get(f"/league{path}", follow_redirects=True)
            browser.get(f"/{path}", follow_redirects=True)
        for page in (f"/players/{names[0]}", f"/contests/{contest}",
                     f"/contests/{contest}/players/{names[0]}",
                     f"/contests/{contest}/explain/{names[0]}"):
            browser.get(page, follow_redirects=True)
print("compiled:", sorted(set(compiled)))
"""


def test_a_second_time_everything_is_there_already():
    podium.warm("elo")
    assert [each.kernels for each in podium.warm("elo", progress=lambda *_: None)] == [0]
    assert needing(podium.system("elo")) == []
    assert [each.k for each in needing(podium.system("elo", k=7.5))] == [7.5]


@pytest.mark.slow
@pytest.mark.parametrize("system", podium.systems.built_in())
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
