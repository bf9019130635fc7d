"""Systems of somebody else's are explained, by what they say of themselves."""

import dataclasses
import struct
from typing import ClassVar

import numpy as np
import pytest

import podium
from podium.systems.base import Performances, System, parameter
from podium.systems.explained import Limits, Mean, Phrases
from tests.ratings.explanations.seasons import standings


@dataclasses.dataclass(frozen=True, kw_only=True)
class Silent(System):
    """Nothing but what every system must have."""

    name: ClassVar[str] = "silent"

    def rate_contest(self, players, standings):
        players["mu"] += 100.0 * (standings.scores - 0.5)

    def performances(self, field):
        return Performances.normal(field.mu, 200.0)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Stepping(Silent):
    """One that tells performances, and no more."""

    name: ClassVar[str] = "stepping"

    part: float = parameter(0.25, "of the way")

    def rate_contest(self, players, standings):
        performance = 1500.0 + 800.0 * (standings.scores - 0.5)
        players["mu"] += self.part * (performance - players["mu"])
        return performance


@dataclasses.dataclass(frozen=True, kw_only=True)
class Talkative(Stepping):
    """One that answers every question."""

    name: ClassVar[str] = "talkative"
    phrases: ClassVar[Phrases] = Phrases(
        sigma="mood", correction="the weather", no_limits="{system} forgets its {skill}."
    )

    def newcomer(self):
        return {"mu": 1500.0, "sigma": 100.0}

    def rate_contest(self, players, standings):
        players["sigma"] *= 0.9
        return super().rate_contest(players, standings)

    def pulls(self, result, performance):
        assert performance == result.performance
        pulls = np.where(result.standings == 1.0, 7.5, -2.5)
        pulls[result.own] = 0.0
        pulls[result.own] = -pulls.sum()
        return pulls

    def mean(self, result):
        old, new = result.mu
        performances, shares = np.array((old, result.performance)), np.array((0.5, 0.25))
        correction = new - 0.75 * old - 0.25 * result.performance
        return Mean(old, 0.25, performances, shares, np.array((0.3, 0.45)), correction, True)

    def limits(self, result):
        return Limits(result.mu[0] - 123.0, result.mu[0] + 321.0)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Forgetful(Talkative):
    """The same without limits, and with a step."""

    name: ClassVar[str] = "forgetful"

    def mean(self, result):
        return Mean.step(result.mu, 0.2, result.performance)

    limits = System.limits


def explained(system: System, place: int = 2):
    season = podium.simulate(players=12, rounds=5, ties=0.2, seed=3)
    beliefs = podium.rate(season[:-1], system, history=False).beliefs
    contest = season[len(season) - 1 :]
    return podium.explain(beliefs, contest, contest[0].players[place])


def is_drawn(found, path) -> bool:
    found.picture(path)
    return struct.unpack(">II", path.read_bytes()[16:24]) == (1600, 700)


def test_a_system_of_nothing_but_the_necessary_is_explained(tmp_path):
    found = explained(Silent())
    text, document = found.text(10_000), found.document()
    assert (found.performance, found.own_pull, found.average, found.limits) == (None,) * 4
    assert "Performance: silent computes none." in text
    assert "silent keeps none. All that it knows of the past is in the rating of just" in text
    assert "Limits: silent says nothing about how far one contest can move a rating." in text
    assert "One place: one place better" in text
    assert document["change"]["mu"] == document["change"]["mu_before"] + found.change.by_skill
    assert document["performance"]["measure"] == "surprise"
    assert document["performance"]["up"]["few"]
    assert document["limits"].keys() == document["average"].keys() == {"text"}
    assert is_drawn(found, tmp_path / "silent.png")


def test_a_system_that_tells_performances_is_explained_by_its_step(tmp_path):
    found = explained(Stepping(part=0.4))
    assert found.average.performances["share"].to_list() == pytest.approx([0.4])
    assert found.average.base_share == pytest.approx(0.6)
    assert "stepping keeps none. The rating went 40.0% of the way from" in found.text(10_000)
    assert "what the results against opponents of about the same" in found.text(10_000)
    assert found.document()["average"]["performances"][0]["performance"] == found.performance
    assert is_drawn(found, tmp_path / "stepping.png")


def test_a_rating_may_pass_the_performance_but_not_leave_it():
    assert "went 150.0% of the way" in explained(Stepping(part=1.5)).text(10_000)
    assert explained(Stepping(part=-0.5)).average is None


def test_a_system_is_explained_in_its_own_words_and_numbers(tmp_path):
    found = explained(Talkative())
    text, document = found.text(10_000), found.document()
    assert found.measure == "pull"
    assert set(found.opponents["pull"]) == {7.5, -2.5}
    assert found.own_pull == pytest.approx(-found.opponents["pull"].sum())
    assert "by 7.5" in text
    assert "this performance counts for 25.0%, 1 earlier performance for 50.0%" in text
    assert "in this contest for 25.0% instead of 45.0%" in text
    assert "The mood fell from" in text
    assert document["limits"]["highest"] - document["change"]["mu_before"] == pytest.approx(321.0)
    assert "(-123)" in text
    assert [row["share"] for row in document["average"]["performances"]] == [0.5, 0.25]
    assert is_drawn(found, tmp_path / "talkative.png")


def test_what_a_system_has_no_number_for_it_can_explain_in_words():
    text = explained(Forgetful()).text(10_000)
    assert "and the weather moved it by" in text
    assert "Limits: forgetful forgets its rating." in text


def test_a_contest_of_one_asks_a_system_for_nothing():
    class Unasked(Talkative):
        def _refuse(self, *_):
            raise AssertionError

        pulls = mean = limits = _refuse

    season = podium.simulate(players=6, rounds=3, seed=3)
    beliefs = podium.rate(season, Unasked(), history=False).beliefs
    assert podium.explain(beliefs, standings("player-0001"), "player-0001").competitors == 1
