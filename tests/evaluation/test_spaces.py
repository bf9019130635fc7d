import math

import pytest

import podium
from podium import PodiumError, systems
from podium.evaluation.spaces import combinations, declared, from_texts, space_of
from podium.systems import Between, OneOf

SEASON = podium.simulate(players=5, rounds=3).columns
MATCHES = podium.Contests.from_records(
    [
        {
            "time": 1,
            "player_a": "ann",
            "player_b": "bob",
            "score_a": 2,
            "score_b": 1,
            "side": "home",
        },
    ]
).columns


def refusal(make, *args, **options) -> str:
    with pytest.raises(PodiumError) as refused:
        make(*args, **options)
    return str(refused.value)


def test_what_the_results_cannot_tell_is_not_searched():
    assert list(space_of(systems.Elo, SEASON, {}, {})) == ["k", "k_new"]
    assert list(space_of(systems.Elo, MATCHES, {}, {})) == [
        "k",
        "k_new",
        "side_advantage",
        "margin",
    ]


def test_who_wants_it_searches_for_it_all_the_same():
    wanted = {"side_advantage": Between(0.0, 10.0)}
    assert list(space_of(systems.Elo, SEASON, {}, wanted)) == ["k", "k_new", "side_advantage"]


def test_what_is_fixed_is_not_searched():
    assert list(space_of(systems.EloMMR, SEASON, {"rho": 1.0}, {})) == [
        "weight_limit",
        "sig_limit",
        "drift_per_day",
    ]


def test_other_parameters_can_be_searched_for():
    wanted = {"drift_per_day": Between(0.0, 50.0), "split_ties": OneOf((False, True))}
    found = space_of(systems.EloMMR, SEASON, {}, wanted)
    assert found == {**declared(systems.EloMMR), **wanted}


def test_searches_are_read_from_texts():
    found = from_texts(
        systems.EloMMR,
        {
            "weight_limit": "0.1..0.5",
            "drift_per_day": "0 .. 50",
            "sigma_new": "100..1000",
            "mu_new": "1400..1600",
            "history": "1..64",
            "rho": "0.1, 1, 1.0, inf",
            "split_ties": "yes,no",
            "opponents": "none,5",
        },
    )
    assert found == {
        "weight_limit": Between(0.1, 0.5, log=True),
        "drift_per_day": Between(0.0, 50.0),
        "sigma_new": Between(100.0, 1000.0, log=True),
        "mu_new": Between(1400.0, 1600.0),
        "history": Between(1, 64, log=True, whole=True),
        "rho": OneOf((0.1, 1.0, math.inf)),
        "split_ties": OneOf((True, False)),
        "opponents": OneOf((None, 5)),
    }


def test_the_grid_has_all_combinations():
    space = {"a": OneOf((1, 2)), "b": Between(0.0, 1.0, grid=(0.0, 0.5, 1.0))}
    assert list(combinations(space)) == [{"a": a, "b": b} for a in (1, 2) for b in (0.0, 0.5, 1.0)]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"weight_limits": "1..2"}, "elo-mmr has no parameter 'weight_limits' (did you mean"),
        ({"weight_limit": "x..2"}, "weight_limit must be a number, not 'x'"),
        ({"weight_limit": "0.1.."}, "weight_limit must be a number, not ''"),
        (
            {"weight_limit": "0.5..0.1"},
            "from one finite number to a higher one, not from 0.5 to 0.1",
        ),
        ({"weight_limit": "0..1"}, "weight_limit must be a number of at least 0.0001"),
        ({"rho": "1..inf"}, "not from 1.0 to inf"),
        ({"history": "none..5"}, "history cannot go from or to none"),
        ({"history": "1.5..5"}, "history must be a whole number, not '1.5'"),
        ({"split_ties": "no..yes"}, "split_ties has no range; give its values"),
        ({"noob_delay": "0.6,0.8"}, "noob_delay is a list, which can be fixed but not searched"),
        ({"performance": "logistic,student"}, "performance must be logistic or gaussian"),
        ({"rho": ""}, "rho must be a number, not ''"),
    ],
    ids=str,
)
def test_texts_that_mean_nothing_are_refused(texts, said):
    assert said in refusal(from_texts, systems.EloMMR, texts)


@pytest.mark.parametrize(
    ("fixed", "wanted", "said"),
    [
        ({"rho": 1.0}, {"rho": OneOf((1.0, 2.0))}, "rho cannot be both fixed and searched for."),
        ({}, {"rho": OneOf((1.0,))}, "rho: at least two values are needed to search"),
        ({}, {"rho": OneOf((1.0, -1.0))}, "rho must be a number of at least 0, not -1.0"),
        ({}, {"rho": Between(-1.0, 1.0)}, "rho must be a number of at least 0, not -1.0"),
        (
            {},
            {"rho": Between(-1.0, 1.0, grid=(0.5, 1.0))},
            "rho must be a number of at least 0, not -1.0",
        ),
        ({}, {"history": Between(1.0, 8.0)}, "history is a whole number; say whole=True."),
        ({}, {"rho": Between(1, 8, whole=True)}, "rho is no whole number; say whole=False."),
        ({}, {"rho": (0.1, 10.0)}, "Between or OneOf says where to search, not (0.1, 10.0)."),
        ({}, {"xyzzy": OneOf((1, 2))}, "elo-mmr has no parameter 'xyzzy'"),
        (
            {"rho": 1.0, "weight_limit": 0.2, "sig_limit": 80.0, "drift_per_day": 0.0},
            {},
            "nothing is left to tune: elo-mmr declares weight_limit, sig_limit, drift_per_day, "
            "rho, and all of it is fixed.",
        ),
    ],
    ids=str,
)
def test_a_search_that_cannot_be_is_refused(fixed, wanted, said):
    assert said in refusal(space_of, systems.EloMMR, SEASON, fixed, wanted)


def test_a_grid_beyond_measure_is_refused():
    space = {name: OneOf(tuple(range(50))) for name in ("a", "b", "c")}
    assert "the grid has 125,000 combinations, more than 100,000" in refusal(
        lambda: list(combinations(space))
    )
