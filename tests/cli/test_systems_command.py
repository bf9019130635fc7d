import json
import math

import pytest

from podium import systems
from podium.cli.systems import allowed
from podium.systems.base import parameter


def test_every_system_has_a_line(command):
    lines = command("systems").stdout.splitlines()
    assert [line.split()[0] for line in lines] == systems.names()
    assert all(len(line.split()) > 3 for line in lines)


def test_the_list_is_json_if_wanted(command):
    listed = json.loads(command("systems", "--json").stdout)
    assert [each["name"] for each in listed] == systems.names()


@pytest.mark.parametrize("name", systems.names())
def test_every_parameter_is_shown_with_its_meaning(command, name):
    document = json.loads(command("systems", name, "--json").stdout)
    shown = command("systems", name).stdout
    parameters = systems.build(name).parameters
    assert [each["name"] for each in document["parameters"]] == list(parameters)
    for each in document["parameters"]:
        assert each["name"] in shown
        assert each["meaning"] in shown


def test_a_misspelt_system_gets_a_suggestion(command):
    assert "did you mean 'elo-mmr'?" in command("systems", "elo-mrm").complaint


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        (parameter(1.0, "", above=0.0), "above 0"),
        (parameter(1.0, "", low=0.0, infinite=True), "at least 0, or inf"),
        (parameter(0.0, "", low=-1e6, high=1e6), "from -1,000,000 to 1,000,000"),
        (parameter(0.0, ""), "any number"),
        (parameter((), "", above=0.0), "numbers above 0"),
        (parameter(False, ""), "true or false"),
        (parameter(3, "", low=2), "whole, at least 2"),
    ],
)
def test_ranges_are_said_in_words(declared, words):
    assert allowed(declared.metadata) == words


def test_a_parameter_may_be_left_open():
    rule = {"kind": int, "low": 2, "high": math.inf, "above": -math.inf, "infinite": False}
    assert allowed(rule, optional=True) == "whole, at least 2, or none"
