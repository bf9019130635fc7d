"""The page on leagues is what happens: its commands are run and their output is compared."""

import doctest
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from podium.cli.app import app
from tests.cli.conftest import COMPILING

PAGE = Path(__file__).parents[1] / "docs" / "league.md"
LIVE = PAGE.with_name("live-contests.md")
BLOCK = re.compile(r"(?:`([\w.-]+\.csv)`:\n\n)?```(csv|console|pycon)\n(.*?)```", re.DOTALL)
MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?")
"""When something was changed, which is never twice the same."""


def shown(command: str) -> str:
    """What a command prints, to stdout and stderr, as on a terminal."""
    program, *arguments = shlex.split(command)
    assert program == "podium", command
    result = CliRunner().invoke(app, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output.replace(COMPILING, "")


def commands(block: str) -> list[tuple[str, str]]:
    """The commands of a block, each with what the page says that it prints."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
    assert parts[0] == ""
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts[1:]]


def as_on_the_page(output: str) -> str:
    """Without the time of day, and without blanks at the end."""
    lines = [line.rstrip() for line in MOMENT.sub("some time", output).strip().splitlines()]
    return "\n".join(lines)


@pytest.fixture
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.mark.usefixtures("_in_a_folder")
@pytest.mark.parametrize(("page", "least"), [(PAGE, 11), (LIVE, 8)], ids=["league", "live"])
def test_the_tutorial_is_what_happens(page, least):
    names: dict[str, object] = {}
    run = 0
    for file, kind, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind == "csv":
            assert file, text
            Path(file).write_text(text)
        elif kind == "pycon":
            _compare(text, names)
        else:
            for command, expected in commands(text):
                run += 1
                assert as_on_the_page(shown(command)) == as_on_the_page(expected), command
    assert run >= least


def _compare(text: str, names: dict[str, object]) -> None:
    """Run an interactive session, as a doctest; names go on to the next one."""
    test = doctest.DocTestParser().get_doctest(text, names, "league.md", str(PAGE), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    said: list[str] = []
    runner.run(test, out=said.append, clear_globs=False)
    assert runner.failures == 0, "".join(said)
    names.update(test.globs)


def test_every_command_of_a_league_is_explained():
    from podium.cli.app import OF_A_LEAGUE

    text = PAGE.read_text(encoding="utf-8")
    for name in OF_A_LEAGUE:
        assert f"| `podium {name} " in text


def test_every_table_is_explained():
    from podium.league import schema

    text = PAGE.read_text(encoding="utf-8")
    for table in schema.metadata.tables:
        assert f"| `{table}` |" in text
