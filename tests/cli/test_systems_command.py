import json

import pytest

from podium import systems
from podium.systems.base import parameter
from podium.systems.describing import allowed


def test_every_system_has_a_line(command):
    lines = command("systems").stdout.splitlines()
    named = [line for line in lines if not line.startswith((" ", "podium systems NAME"))]
    assert [line.split()[0] for line in named] == systems.names()
    assert all(len(line.split()) > 3 for line in named)


def test_the_list_has_parameters_with_defaults_and_references(command):
    shown = command("systems").stdout
    assert "weight_limit=0.2 sig_limit=80" in shown
    for name in systems.names():
        assert systems.by_name(name).reference in shown


def test_the_list_is_json_if_wanted(command):
    listed = json.loads(command("systems", "--json").stdout)
    assert [each["name"] for each in listed] == systems.names()
    assert [each["name"] for each in listed if each["teams"]] == systems.with_teams()


@pytest.mark.parametrize("name", systems.names())
def test_every_parameter_is_shown_with_its_meaning(command, name):
    document = json.loads(command("systems", name, "--json").stdout)
    shown = command("systems", name).stdout
    parameters = systems.build(name).parameters
    assert [each["name"] for each in document["parameters"]] == list(parameters)
    for each in document["parameters"]:
        assert each["name"] in shown
        assert each["meaning"] in shown
    lines = shown.splitlines()
    assert f"Reset: {document['reset']}" in lines
    assert f"Start: {document['start']}" in lines


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
        (parameter("a", "", choices=("a", "b")), "a or b"),
    ],
)
def test_ranges_are_said_in_words(declared, words):
    assert allowed(declared.metadata) == words


def test_a_parameter_may_be_left_open():
    rule = parameter(None, "", kind=int, low=2).metadata
    assert allowed(rule, optional=True) == "whole, at least 2, or none"
