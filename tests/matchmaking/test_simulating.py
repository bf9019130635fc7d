"""Simulated days: the same arrivals for all rules, measures that are right, a page of it all."""

import math

import numpy as np
import pytest

import podium
from podium.matchmaking import Rules, Schedule, Ticket
from podium.matchmaking.baselines import Neighbours, Window
from podium.matchmaking.reporting import report
from podium.matchmaking.simulating import (
    GROUPS,
    Journal,
    Population,
    days,
    measured,
    simulate,
)

SMALL = Population(players=60, hours=2, sessions=20, history=10, seed=2)


@pytest.fixture(scope="module")
def found():
    rules = {
        "even": Rules(one_sided=[[0, 0.55], [300, 0.7]]),
        "any": Rules(),
        "neighbours": lambda ladder: Neighbours(ladder, after=30.0),
        "window": lambda ladder: Window(ladder, Schedule.of([[0, 50], [120, 500]])),
    }
    return simulate(rules, SMALL, repeats=2)


def test_the_same_arguments_give_the_same_days(found):
    again = simulate({"any": Rules()}, SMALL, repeats=2)
    for group in GROUPS:
        for measure in ("tickets", "wait", "favourite"):
            here, there = (each.value("any", group, measure) for each in (found, again))
            assert here == there or (math.isnan(here) and math.isnan(there))


def test_strict_rules_buy_even_matches_by_waiting(found):
    assert found.value("even", "all", "favourite") < found.value("any", "all", "favourite")
    assert found.value("even", "all", "wait") > found.value("any", "all", "wait")
    assert found.value("even", "all", "quality") > found.value("any", "all", "quality")


def test_differences_are_from_the_first_rules(found):
    row = found.differences.filter(rules="any", group="all", measure="wait").row(0, named=True)
    difference = found.value("any", "all", "wait") - found.value("even", "all", "wait")
    assert row["value"] == pytest.approx(difference)
    assert row["low"] <= row["value"] <= row["high"]
    assert "even" not in found.differences["rules"].to_list()


@pytest.mark.slow
def test_a_page_has_the_rules_the_groups_and_pictures_for_who_cannot_see_them(found):
    page = report(found, title="Rules <b>", command="podium match simulate a.toml")
    assert "<h1>Rules &lt;b&gt;</h1>" in page
    for label in found.labels:
        assert f">{label}</th>" in page
    assert page.count('role="img"') == 3
    assert "What newcomers get" in page
    assert "podium match simulate a.toml" in page
    assert page == report(found, title="Rules <b>", command="podium match simulate a.toml")


def test_measures_are_what_happened():
    there = days(Population(players=10, history=0, newcomers=0.0, seed=1), [Rules()], "elo-mmr")
    journal = Journal()
    journal.note(0.0, 10.0, (0,), (0.9, 0.6))
    journal.note(0.0, 30.0, (1,), (0.7, 0.8))
    journal.note(0.0, 620.0, (2,), None)
    journal.mu = 2.0 * there.skill + 100.0
    values = measured(there, journal)
    assert values["all", "tickets"] == 3
    assert values["all", "wait"] == pytest.approx(220.0)
    assert values["all", "longest"] == 620.0
    assert values["all", "gave_up"] == pytest.approx(100.0 / 3.0)
    assert values["all", "quality"] == pytest.approx(80.0)
    assert values["all", "favourite"] == pytest.approx(70.0)
    assert values["all", "error"] == pytest.approx(0.0, abs=1e-9)
    assert values["all", "order"] == pytest.approx(1.0)
    assert ("newcomers", "error") not in values


def test_arrivals_come_from_tickets_and_say_how_many_matches_they_want():
    arrivals = [
        Ticket(f"p{number:02}", since=60.0 * number, extra={"matches": "1"}) for number in range(20)
    ]
    population = Population(hours=1, history=0, match_seconds=1.0)
    found = simulate({"any": Rules()}, population, arrivals=arrivals, repeats=1)
    assert found.value("any", "all", "tickets") == 20
    there = days(population, [Rules()], "elo-mmr", arrivals=arrivals)
    assert [each.time for each in there.sessions] == [60.0 * number for number in range(20)]
    with pytest.raises(podium.InputError, match="matches must be a whole number"):
        simulate({"any": Rules()}, population, arrivals=[Ticket("ann", extra={"matches": "many"})])
    assert "20 players of known skill through 1 hour, 1 time" in report(found, title="Given")
    told = found.document()["population"]
    assert (told["players"], told["hours"]) == (20, 1.0)


@pytest.mark.parametrize("matches", ["many", 0, -1, math.inf])
def test_arrivals_want_a_match_at_least(matches):
    arrivals = [Ticket("ann", extra={"matches": matches}), Ticket("bob")]
    with pytest.raises(podium.InputError, match="a whole number of at least 1, not"):
        simulate({"any": Rules()}, SMALL, arrivals=arrivals, repeats=1)


def test_arrivals_of_which_one_has_no_time_are_refused():
    arrivals = [Ticket("ann"), Ticket("bob", since="2026-05-01 20:00")]
    with pytest.raises(podium.InputError, match=r"'bob' comes .* hours .*is a since missing"):
        simulate({"any": Rules()}, SMALL, arrivals=arrivals, repeats=1)


@pytest.mark.slow
def test_teams_parties_roles_and_regions_are_simulated():
    rules = Rules(
        team_size=3,
        roles={"tank": 1},
        latency=[[0, 60], [60, 300]],
        party_gap=[[0, 1], [60, 3]],
        newcomers="spread",
    )
    found = simulate({"teams": rules}, SMALL, repeats=1)
    assert found.system == "trueskill"
    assert found.value("teams", "parties", "tickets") > 20
    assert found.value("teams", "all", "gave_up") < 20.0
    assert 50.0 < found.value("teams", "all", "favourite") < 100.0


def test_more_come_at_the_peak():
    there = days(Population(players=2000, peak=6.0, history=0, seed=1), [Rules()], "elo-mmr")
    hours = np.array([each.time // 3600 for each in there.sessions])
    assert (hours == 20).sum() > 3 * (hours == 8).sum()
    assert there.quiet[8]
    assert not there.quiet[20]


def test_quiet_hours_are_some_in_which_somebody_comes():
    """Else an evening had none but those after its end."""
    there = days(Population(players=200, hours=8, sessions=24), [Rules()], "elo-mmr")
    came = {int(each.time // 3600) for each in there.sessions}
    quiet = set(np.flatnonzero(there.quiet).tolist())
    assert quiet < came == set(range(8))
    assert len(quiet) == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"players": 1}, "players must be a whole number of at least 4"),
        ({"newcomers": 2}, "newcomers must be a number from 0 to 1"),
        ({"tick": 0}, "tick must be"),
    ],
)
def test_populations_that_cannot_be_are_refused(given, said):
    with pytest.raises(podium.InputError, match=said):
        Population(**given)


def test_rules_that_cannot_be_simulated_are_refused():
    with pytest.raises(podium.InputError, match="there are no rules"):
        simulate({})
    with pytest.raises(podium.InputError, match="elo rates players, not teams"):
        simulate({"teams": Rules(team_size=2)}, SMALL, system="elo")
    with pytest.raises(podium.InputError, match="nobody comes"):
        simulate({"any": Rules()}, SMALL, arrivals=[])
