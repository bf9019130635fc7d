"""What docs/api.md shows runs, as it stands, against a real server."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import podium
from podium.web import create_app
from tests.web.conftest import served

PAGE = Path(__file__).parents[2] / "docs" / "api.md"
BLOCK = re.compile(r"(?:<!-- (\S+) -->\n)?```(python|sh|csv)\n(.*?)```", re.DOTALL)
SECRET = b"a secret that only tests know, of enough letters"


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_all_examples_of_the_page_run_one_after_the_other(tmp_path, monkeypatch):
    path = tmp_path / "club.db"
    with podium.League.create(path, "elo-mmr") as league:
        league.record(["ann", "bob"], id="week-0", time="2026-01-01")
        token = league.create_token("scoreboard", "organise")
    names: dict[str, object] = {}
    run = 0
    monkeypatch.chdir(tmp_path)
    with served(create_app(path, writable=True, secret=SECRET)) as site:
        monkeypatch.setenv("CLUB", f"{site}/api/v1/leagues/club")
        monkeypatch.setenv("TOKEN", token)
        for file, kind, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
            run += 1
            if kind == "csv":
                Path(file).write_text(text, encoding="utf-8")
            elif kind == "python":
                exec(compile(text, str(PAGE), "exec"), names)
            else:
                done = subprocess.run(
                    ["bash", "-euc", text], capture_output=True, text=True, env=os.environ
                )
                assert done.returncode == 0, (text, done.stdout, done.stderr)
    assert run >= 10
    with podium.League(path) as league:
        assert league.contests()["contest"].to_list() == [
            *("week-0", "week-1", "week-2"),
            *("match-91", "match-92", "match-93"),
        ]
        assert league.contest("week-2")["player"].to_list() == ["bob", "ann", "dan"]
        assert "Cat Lee" in league
        assert league.player("dan").guest
        assert league.log(1)["who"].to_list() == ["scoreboard"]


def test_every_change_and_every_kind_of_problem_is_named():
    from podium.web.operations import OPERATIONS
    from podium.web.problems import KINDS

    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in OPERATIONS if f"`{name}`" not in text] == []
    told = {kind.name for kind in KINDS if f"`{kind.name}`" in text}
    left_out = {"body", "long-address", "long-headers", "unexpected"}
    assert {kind.name for kind in KINDS} - told == left_out
