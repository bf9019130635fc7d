import dataclasses
import math
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium import PodiumError, systems
from podium.systems.base import System, parameter
from podium.wording import suggestion
from tests.systems.plain_average import Average


def refusal(make, *args, **options) -> str:
    with pytest.raises(PodiumError) as refused:
        make(*args, **options)
    return str(refused.value)


@pytest.mark.parametrize("name", systems.names())
def test_every_system_is_found_by_its_name(name):
    kind = systems.by_name(name)
    assert issubclass(kind, System)
    assert kind.name == name
    assert systems.build(name) == kind() == podium.system(name)


def test_names_lists_the_systems_that_there_are():
    assert {"elo-mmr", "elo-mmx"} <= set(systems.names())
    assert systems.by_name("elo-mmr") is systems.EloMMR
    assert systems.by_name("elo-mmx") is systems.EloMMX


def test_lists_of_systems_follow_what_they_take(monkeypatch):
    assert "elo" not in systems.with_scores()
    assert "elo" in systems.of_any_size()
    monkeypatch.setattr(systems.Elo, "takes_scores", True)
    monkeypatch.setattr(systems.Elo, "most_players", 2)
    assert "elo" in systems.with_scores()
    assert "elo" not in systems.of_any_size()
    assert "elo-mmr" in systems.of_any_size()


def test_there_is_no_other_attribute():
    with pytest.raises(AttributeError, match="no attribute 'EloMMZ'"):
        _ = systems.EloMMZ


@pytest.mark.parametrize(
    ("name", "meant"), [("elommr", "elo-mmr"), ("Elo-MMX", "elo-mmx"), ("EloMMR", "elo-mmr")]
)
def test_an_unknown_name_suggests_the_nearest(name, meant):
    assert refusal(systems.build, name) == (
        f"there is no system {name!r} (did you mean {meant!r}?); "
        f"there are {', '.join(systems.names())}."
    )


@pytest.mark.parametrize("name", ["zzz", 5, None, systems.EloMMR], ids=repr)
def test_what_is_nowhere_near_a_name_suggests_nothing(name):
    assert refusal(systems.build, name) == (
        f"there is no system {name!r}; there are {', '.join(systems.names())}."
    )


def test_an_unknown_parameter_suggests_the_nearest_and_lists_all():
    listed = ", ".join(field.name for field in dataclasses.fields(systems.EloMMX))
    assert refusal(systems.build, "elo-mmx", sig_limits=80) == (
        f"elo-mmx has no parameter 'sig_limits' (did you mean 'sig_limit'?); "
        f"its parameters are {listed}."
    )
    assert refusal(systems.build, "elo-mmx", xyzzy=1) == (
        f"elo-mmx has no parameter 'xyzzy'; its parameters are {listed}."
    )
    assert refusal(systems.EloMMX.parse, {"sig_limits": "80"}).startswith(
        "elo-mmx has no parameter 'sig_limits'"
    )


@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [
        ({"rho": -0.1}, "rho must be a number of at least 0, not -0.1"),
        ({"rho": "1"}, "rho must be a number, not '1'"),
        ({"rho": None}, "rho must be a number, not None"),
        ({"rho": True}, "rho must be a number, not True"),
        ({"rho": np.True_}, "rho must be a number, not np.True_"),
        ({"rho": math.nan}, "rho must be a number that is finite, not nan"),
        ({"rho": 1j}, "rho must be a number, not 1j"),
        ({"rho": [1.0]}, "rho must be a number, not [1.0]"),
        ({"sig_limit": 0}, "sig_limit must be a number of at least 0.001, not 0"),
        ({"sig_limit": -80.0}, "sig_limit must be a number of at least 0.001, not -80.0"),
        ({"sig_limit": math.inf}, "sig_limit must be a number that is finite, not inf"),
        ({"sig_limit": 10**400}, f"sig_limit must be a number that is finite, not {10**400}"),
        ({"weight_limit": 0.0}, "weight_limit must be a number of at least 0.0001, not 0.0"),
        ({"mu_new": 2e6}, "mu_new must be a number of at most 1e+06, not 2000000.0"),
        ({"history": 0}, "history must be a whole number of at least 1, not 0"),
        ({"history": 2.0}, "history must be a whole number, not 2.0"),
        ({"history": True}, "history must be a whole number, not True"),
        ({"history": 2**64}, f"history must be a whole number that is finite, not {2**64}"),
        ({"opponents": 1}, "opponents must be a whole number of at least 2, not 1"),
        ({"split_ties": 1}, "split_ties must be true or false, not 1"),
        ({"split_ties": "yes"}, "split_ties must be true or false, not 'yes'"),
        ({"noob_delay": "0.5"}, "noob_delay must be a list of numbers, not '0.5'"),
        ({"noob_delay": 0.5}, "noob_delay must be a list of numbers, not 0.5"),
        ({"noob_delay": [0.5, 0.0]}, "noob_delay must be a number of at least 0.0001, not 0.0"),
        ({"noob_delay": [0.5, "x"]}, "noob_delay must be a number, not 'x'"),
        ({"noob_delay": [math.inf]}, "noob_delay must be a number that is finite, not inf"),
        (
            {"performance": "logistics"},
            "performance must be logistic or gaussian or a PerformanceModel, "
            "not 'logistics' (did you mean 'logistic'?)",
        ),
        (
            {"performance": 3},
            "performance must be logistic or gaussian or a PerformanceModel, not 3",
        ),
    ],
    ids=str,
)
def test_a_value_that_cannot_be_is_refused_with_what_could(parameters, wanted):
    assert refusal(systems.build, "elo-mmr", **parameters) == f"elo-mmr: {wanted}."
    assert refusal(systems.EloMMR, **parameters) == f"elo-mmr: {wanted}."


def test_values_become_plain_numbers_of_their_kind():
    system = systems.EloMMR(
        rho=np.float32(0.5),
        sig_limit=100,
        drift_per_day=Fraction(1, 4),
        history=np.int16(7),
        split_ties=np.True_,
        noob_delay=np.array([0.5, 1.0]),
    )
    assert system.parameters == {
        **systems.EloMMR().parameters,
        "rho": 0.5,
        "sig_limit": 100.0,
        "drift_per_day": 0.25,
        "history": 7,
        "split_ties": True,
        "noob_delay": (0.5, 1.0),
    }
    kinds = {name: type(value) for name, value in system.parameters.items()}
    assert kinds["rho"] is kinds["sig_limit"] is kinds["drift_per_day"] is float
    assert kinds["history"] is int
    assert kinds["split_ties"] is bool
    assert all(type(factor) is float for factor in system.noob_delay)


def test_infinity_is_allowed_where_it_means_something():
    assert systems.EloMMR(rho=math.inf).rho == math.inf


def test_none_is_allowed_where_it_is_the_default():
    assert systems.EloMMR(history=None, opponents=None) == systems.EloMMR()


def test_systems_are_frozen():
    system = systems.EloMMR()
    with pytest.raises(dataclasses.FrozenInstanceError):
        system.rho = 2.0


def test_systems_are_equal_by_kind_and_parameters():
    assert systems.EloMMR(rho=1) == systems.EloMMR() == systems.build("elo-mmr", rho=1.0)
    assert systems.EloMMR(rho=2) != systems.EloMMR()
    assert systems.EloMMX() != systems.EloMMR()
    assert hash(systems.EloMMR(rho=1)) == hash(systems.EloMMR())
    assert len({systems.EloMMR(), systems.EloMMR(rho=1.0), systems.EloMMX()}) == 2


@given(st.sampled_from(["elo-mmr", "elo-mmx"]), st.floats(0.01, 10.0), st.floats(1.0, 500.0))
def test_stored_parameters_build_the_same_system(name, weight_limit, sig_limit):
    system = systems.build(name, weight_limit=weight_limit, sig_limit=sig_limit)
    assert systems.build(name, **system.stored_parameters()) == system


@pytest.mark.parametrize(
    ("texts", "parameters"),
    [
        ({}, {}),
        ({"rho": "0.5"}, {"rho": 0.5}),
        ({"rho": "inf"}, {"rho": math.inf}),
        ({"rho": " 1e-1 "}, {"rho": 0.1}),
        ({"sig_limit": "100"}, {"sig_limit": 100.0}),
        ({"history": "64"}, {"history": 64}),
        ({"history": "none"}, {"history": None}),
        ({"history": "None"}, {"history": None}),
        ({"split_ties": "true"}, {"split_ties": True}),
        ({"split_ties": "Yes"}, {"split_ties": True}),
        ({"split_ties": "no"}, {"split_ties": False}),
        ({"noob_delay": "0.6,0.8"}, {"noob_delay": (0.6, 0.8)}),
        ({"noob_delay": "0.6, 0.8,"}, {"noob_delay": (0.6, 0.8)}),
        ({"noob_delay": ""}, {"noob_delay": ()}),
        ({"performance": "gaussian"}, {"performance": "gaussian"}),
    ],
    ids=str,
)
def test_parameters_are_read_from_texts(texts, parameters):
    assert systems.EloMMR.parse(texts) == systems.EloMMR(**parameters)


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        ({"rho": "much"}, "rho must be a number, not 'much'"),
        ({"rho": "none"}, "rho must be a number, not None"),
        ({"rho": "nan"}, "rho must be a number that is finite, not nan"),
        ({"history": "2.5"}, "history must be a whole number, not '2.5'"),
        ({"split_ties": "perhaps"}, "split_ties must be true or false, not 'perhaps'"),
        ({"noob_delay": "0.6;0.8"}, "noob_delay must be a number, not '0.6;0.8'"),
    ],
    ids=str,
)
def test_texts_that_mean_nothing_are_refused(texts, wanted):
    assert refusal(systems.EloMMR.parse, texts) == f"elo-mmr: {wanted}."


def test_every_parameter_says_what_it_means():
    for name in systems.names():
        for field in dataclasses.fields(systems.by_name(name)):
            assert len(field.metadata["meaning"]) > 10, (name, field.name)


def test_a_parameter_without_a_default_value_needs_its_kind():
    field = parameter(None, "some limit", kind=float, low=0.0)
    assert field.metadata["kind"] is float
    assert field.default is None


def test_a_suggestion_does_not_care_about_capitals():
    assert suggestion("TURIST", ["tourist", "petr"]) == " (did you mean 'tourist'?)"
    assert suggestion("tourist", ["TOURIST"]) == " (did you mean 'TOURIST'?)"
    assert suggestion("tourist", []) == suggestion("tourist", ["xyz"]) == ""


def test_none_is_a_word_where_it_is_a_choice():
    assert systems.by_name("elo").parse({"margin": "none"}) == systems.Elo(margin="none")
    assert systems.by_name("elo").parse({"cap": "none"}) == systems.Elo(cap=None)


def test_the_names_that_are_shown_are_those_that_there_are():
    assert dir(systems) == sorted(systems.__all__)
    assert len(set(systems.__all__)) == len(systems.__all__)
    for name in systems.__all__:
        assert getattr(systems, name).__doc__, name
    assert {systems.by_name(name).__name__ for name in systems.names()} <= set(systems.__all__)


def test_a_registered_system_is_found_by_its_name():
    assert systems.register(Average) is Average
    assert systems.by_name("average") is Average
    assert systems.names()[-1] == "average"
    assert "average" in systems.of_any_size()
    assert podium.Ladder("average", k=8.0).system == Average(k=8.0)
    assert "did you mean 'average'?" in refusal(systems.build, "averag")


def test_registering_again_is_fine_even_if_the_class_was_made_anew():
    systems.register(Average)
    systems.register(Average)
    anew = type("Average", (Average,), {"__module__": Average.__module__})
    assert systems.register(anew) is systems.by_name("average")


def test_a_name_that_is_taken_stays_with_who_has_it():
    systems.register(Average)
    for name in ("average", "elo"):
        other = type("Other", (Average,), {"name": name})
        with pytest.raises(podium.ConflictError, match=f"there is a system '{name}' already"):
            systems.register(other)
    assert systems.by_name("average") is Average


def unfinished(**parts):
    """A class of systems that has these parts, and what every one needs."""
    needed = {"name": "odd", "performances": Average.performances, "rate_contest": print}
    members = {key: value for key, value in {**needed, **parts}.items() if value is not None}
    return type("Odd", (System,), members)


@pytest.mark.parametrize(
    ("kind", "lacks"),
    [
        (unfinished(name=None), "a name without blanks, as in name = 'my-elo'"),
        (unfinished(name="my elo"), "a name without blanks, as in name = 'my-elo'"),
        (unfinished(name="k=1"), "a name without blanks, as in name = 'my-elo'"),
        (unfinished(performances=None), "the method performances"),
        (unfinished(rate_contest=None), "the method rate_contest"),
        (
            unfinished(k=parameter(1.0, "a parameter"), __annotations__={"k": float}),
            "the decorator @dataclasses.dataclass(frozen=True, kw_only=True)",
        ),
        (
            dataclasses.dataclass(frozen=True)(unfinished(k=1.0, __annotations__={"k": float})),
            "a declaration of k by podium.systems.parameter",
        ),
    ],
)
def test_what_is_no_system_yet_is_refused_with_what_it_lacks(kind, lacks):
    assert refusal(systems.register, kind) == (
        f"Odd cannot be used as a system yet: it lacks {lacks}."
    )
    assert "odd" not in systems.names()


@pytest.mark.parametrize("thing", [5, "elo", Average(), dict], ids=str)
def test_only_classes_of_systems_are_registered(thing):
    assert refusal(systems.register, thing) == (
        f"a class derived from podium.systems.System is needed, not {thing!r}."
    )


SCRIPT = """
import podium
from podium import systems
from tests.systems.plain_average import Average

@systems.register
class Mine(Average):
    '''A system that only this script has.'''
    name = "mine"

if __name__ == "__main__":
    results = podium.simulate(players=6, rounds=8).frame()
    results = results.with_columns(ladder=results["contest"].str.tail(1))
    contests = podium.Contests.from_frame(results)
    rated = {jobs: podium.rate_ladders(contests, "mine", jobs=jobs) for jobs in (1, 2)}
    for name, one in rated[1].items():
        assert one.history.equals(rated[2][name].history)
        assert type(rated[2][name].system) is Mine
    one = contests.without_ladders()
    tuned = podium.tune(one, "mine", grid=True, split=0.9, min_contests=0, jobs=2)
    assert type(tuned.system) is Mine
    print("the same")
"""


def test_what_a_script_registers_works_in_other_processes(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, env=environment, check=False
    )
    assert done.stdout == "the same\n", done.stderr
