"""What is said, in plain words."""

import re

import pytest

import podium
from podium.ratings.explanations.words import Numbers
from podium.wording import step
from tests.ratings.explanations.seasons import last_of_season, standings, with_skills


def paragraph(found, title: str) -> str:
    return next(each for each in found.text(10_000).split("\n\n") if each.startswith(title))


def test_lines_are_as_wide_as_they_may_be():
    beliefs, contest = last_of_season(podium.simulate(players=30, rounds=9, seed=1), "elo-mmr", {})
    found = podium.explain(beliefs, contest, "player-0003")
    for width in (40, 60, 100):
        assert max(map(len, found.text(width).splitlines())) <= width
    assert found.text().split() == found.text(10_000).split()
    assert str(found) == found.text()


@pytest.mark.parametrize("name", podium.systems.names())
def test_no_symbols_are_needed(name):
    season = (
        podium.simulate_matches(players=6, matches=60, seed=1)
        if name == "luck"
        else podium.simulate(players=30, rounds=9, seed=1)
    )
    beliefs, contest = last_of_season(season, name, {})
    text = podium.explain(beliefs, contest, contest[0].players[-1]).text(10_000)
    assert not re.search(r"\b(mu|sigma|beta|rho|kappa|nan|None|inf)\b|[±→]", text)


def test_last_place_and_yet_the_rating_rose():
    ladder = podium.Ladder("elo-mmr")
    ladder.record(["bob", "ann"], time=0)
    found = podium.explain(ladder.beliefs, standings("bob", "ann"), "ann")
    change = found.change
    assert change.by_skill < 0.0 < change.rating - change.rating_before
    assert paragraph(found, "Rating and certainty").endswith(
        "So the rating of ann rose although the result was a setback, because podium is surer now."
    )


def test_a_good_result_after_a_long_absence():
    ladder = podium.Ladder("elo-mmr", drift_per_day=3.0)
    for day in range(40):
        ladder.record(["bob", "ann", "cat"], time=day * 86_400)
    found = podium.explain(ladder.beliefs, standings("ann", "bob", "cat"), "ann")
    change = found.change
    assert change.sigma_grown > change.sigma_before
    assert "with absence" in paragraph(found, "Rating and certainty")


def test_certainty_that_is_not_shown_is_said_to_be_no_part():
    found = podium.explain(podium.Beliefs(podium.system("glicko")), standings("ann", "bob"), "ann")
    assert "certainty is not part of it" in paragraph(found, "Rating and certainty")
    cautious = podium.Beliefs(podium.system("glicko", caution=2.0))
    found = podium.explain(cautious, standings("ann", "bob"), "ann")
    assert "shown lower while it is uncertain" in paragraph(found, "Rating and certainty")


def test_who_is_shown_lower_at_first_is_told_so():
    system = podium.system("codeforces", display_offsets=(1400.0, 900.0, 550.0))
    ladder = podium.Ladder(system)
    ladder.record(["ann", "bob", "cat"], time=0)
    found = podium.explain(ladder.beliefs, standings("ann", "bob", "cat"), "cat")
    assert found.change.by_experience == 350.0
    text = paragraph(found, "Rating and certainty")
    assert "less with each: this makes +350 points" in text
    assert text.endswith("because it was not the first contest any more.")


def test_the_ceiling_is_explained():
    skills = {"ann": 1500.0, "bob": 1900.0, "cat": 1800.0}
    contest = standings(*skills)
    contest.columns.perf_ceiling[:] = 1600.0
    found = podium.explain(with_skills("elo-mmr", skills), contest, "ann")
    assert "This contest shows at most 1,600" in paragraph(found, "Performance")
    site = podium.explain(podium.Beliefs(podium.system("codeforces")), contest, "ann")
    assert site.without_ceiling is None or "Without the limit" in paragraph(site, "Performance")


def test_a_match_is_told_without_lists():
    found = podium.explain(podium.Beliefs(podium.system("elo")), standings("ann", "bob"), "bob")
    assert paragraph(found, "Performance").endswith(
        "a score of 0.50 was to be expected, a win being 1; it became 0."
    )
    assert paragraph(found, "One place").endswith("There is none worse.")


def test_numbers_have_the_digits_of_their_system():
    mmr = podium.explain(podium.Beliefs(podium.system("elo-mmr")), standings("a", "b"), "a")
    numbers = Numbers(mmr)
    assert (numbers.level(1234.5678), numbers.signed(-3.21), numbers.signed(45.6)) == (
        "1,235",
        "-3.2",
        "+46",
    )
    assert numbers.level(-0.2) == "0"
    assert numbers.is_nothing(0.04)
    small = podium.explain(podium.Beliefs(podium.system("trueskill")), standings("a", "b"), "a")
    assert Numbers(small).signed(0.1234) == "+0.123"


def test_rounding_pulls_nobody():
    found = podium.explain(
        podium.rate(podium.simulate(players=3, rounds=2), "elo-mmr").beliefs,
        standings("ann", "bob", "cat"),
        "bob",
    )
    assert abs(found.own_pull) < 1e-9
    assert "What was believed of bob before" not in found.text(10_000)


@pytest.mark.parametrize("name", ["elo-mmr", "elo", "trueskill"])
def test_changes_are_the_differences_of_what_is_shown(name):
    season = podium.simulate(players=30, rounds=9, seed=1)
    beliefs, contest = last_of_season(season, name, {})
    exact = 0
    for player in contest[0].players:
        found = podium.explain(beliefs, contest, player)
        headline, *_ = found.text(10_000).split("\n\n")
        *levels, word, points = re.search(
            r" ([-\d,.]+) before, and is ([-\d,.]+) after: it (\w+) (?:by ([\d,.]+)|not .*)\.$",
            headline,
        ).groups()
        before, after = (float(each.replace(",", "")) for each in levels)
        sign = {"rose": 1.0, "fell": -1.0, "has": 0.0}[word]
        assert sign * float((points or "0").replace(",", "")) == pytest.approx(after - before)
        _, _, shown = step(found.change.rating_before, found.change.rating, beliefs.system.decimals)
        assert float(shown) == pytest.approx(after - before)
        exact += round(found.change.rating - found.change.rating_before) == after - before
    assert name == "trueskill" or exact < 30  # to round the exact change would be another rule
