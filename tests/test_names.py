"""What `import podium` offers."""

import ast
import inspect
import subprocess
import sys

import podium


def test_dir_shows_exactly_the_public_names():
    assert dir(podium) == sorted(podium.__all__)
    assert len(set(podium.__all__)) == len(podium.__all__)
    script = "import podium, podium.cli.app; print(dir(podium) == sorted(podium.__all__))"
    assert subprocess.check_output([sys.executable, "-c", script], text=True) == "True\n"


def test_every_public_name_is_there_and_documented():
    for name in podium.__all__:
        found = getattr(podium, name)
        assert name == "__version__" or inspect.getdoc(found), name


def test_editors_see_the_same_names():
    tree = ast.parse(inspect.getsource(podium))
    seen = {
        alias.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    assert seen | {"__version__"} == set(podium.__all__)


def test_other_names_are_none():
    assert not hasattr(podium, "rates")
    assert "rate" in dir(podium)
    assert podium.system is podium.systems.build


def test_everything_can_be_imported_at_once():
    names = {}
    exec("from podium import *", names)
    assert set(podium.__all__) <= set(names)
