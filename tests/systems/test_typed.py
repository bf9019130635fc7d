"""Editors and type checkers know the parameters of every system that is built by name."""

import os
import subprocess
import sys
import types
import typing
from pathlib import Path

import pytest

from podium import systems
from podium.systems.typed import Build


def test_every_name_gives_its_class():
    found = {}
    call = types.SimpleNamespace(__module__=Build.__module__, __qualname__="Build.__call__")
    for each in typing.get_overloads(call):
        hints = typing.get_type_hints(each)
        names = typing.get_args(hints["name"]) or ("any other",)
        found[names[0]] = hints["return"]
    assert found.pop("any other") is systems.System
    assert found == {name: systems.by_name(name) for name in systems.names()}


SNIPPET = """
import podium
from podium.systems import EloMMR
reveal_type(podium.system("elo-mmr", rho=0.5).rho)
reveal_type(podium.system("glicko2"))
reveal_type(podium.system("somebody-elses", k=3))
reveal_type(EloMMR.__init__)
EloMMR(rho="x")
EloMMR(rhoo=0.5)
"""


@pytest.mark.slow
def test_a_type_checker_sees_parameters_through_names_and_classes(tmp_path):
    pytest.importorskip("mypy")
    path = tmp_path / "snippet.py"
    path.write_text(SNIPPET)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", path],
        env={**os.environ, "MYPYPATH": str(Path(systems.__path__[0]).parents[1])},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    seen = done.stdout
    assert 'snippet.py:4: note: Revealed type is "float"' in seen.replace("builtins.", ""), seen
    assert 'snippet.py:5: note: Revealed type is "podium.systems.glicko2.Glicko2"' in seen
    assert 'snippet.py:6: note: Revealed type is "podium.systems.base.System"' in seen
    assert "rho: float =" in seen.replace("builtins.", "").replace("rho: float=", "rho: float =")
    assert 'snippet.py:8: error: Argument "rho" to "EloMMR" has incompatible type' in seen
    assert 'snippet.py:9: error: Unexpected keyword argument "rhoo" for "EloMMR"' in seen
