"""Every system's results can be explained, and nothing is changed by it."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium import PodiumError
from tests.comparing import assert_same_beliefs
from tests.ratings.explanations.seasons import EVERY, last_of_season, results, standings


@pytest.mark.parametrize(("name", "options"), EVERY)
@settings(max_examples=10)
@given(st.data())
def test_every_result_is_explained_as_it_happened(name, options, data):
    season = data.draw(results(name))
    beliefs, contest = last_of_season(season, name, options)
    kept = beliefs.copy()
    happened = podium.rate(contest, beliefs=beliefs)
    for row in happened.history.iter_rows(named=True):
        found = podium.explain(beliefs, contest, row["player"])
        change = found.change
        assert (found.performance, change.mu, change.sigma) == (
            row["performance"],
            row["mu"],
            row["sigma"],
        )
        assert (change.mu_before, change.sigma_before) == (row["mu_before"], row["sigma_before"])
        assert (found.rank, change.rating) == (row["rank"], row["rating"])
        parts = change.by_skill + change.by_certainty + change.by_experience
        assert parts == pytest.approx(change.rating - change.rating_before, abs=1e-9)
        json.dumps(found.document(), allow_nan=False)
        assert len(found.text().split("\n\n")) == 6
    assert_same_beliefs(beliefs, kept)


def test_the_players_who_do_not_take_part_are_not_needed():
    season = podium.simulate(players=40, rounds=12, participation=0.4, seed=2)
    beliefs, contest = last_of_season(season, "elo-mmr", {})
    player = contest[0].players[5]
    few = beliefs.part(np.unique([beliefs.index[name] for name in contest[0].players]))
    assert len(few) < len(beliefs)
    found, same = (podium.explain(each, contest, player) for each in (beliefs, few))
    assert same.change == found.change
    assert same.opponents.equals(found.opponents)
    assert same.average.performances.equals(found.average.performances)
    rated = podium.explain_result(season, contest[0].id, player)
    assert rated.change == found.change
    assert rated.opponents.equals(found.opponents)


def test_newcomers_may_be_unknown():
    beliefs = podium.rate(podium.simulate(players=5, rounds=5, seed=1)).beliefs
    found = podium.explain(beliefs, standings("new", *beliefs.names, "also new"), "new")
    assert found.is_newcomer
    assert found.change.rating_before == 1500.0 - 2.0 * (350.0 - 80.0)
    assert "the player's first contest" in found.text(10_000)
    veteran = podium.explain(beliefs, standings("new", *beliefs.names), beliefs.names[0])
    assert veteran.contests_before == 5


@pytest.mark.parametrize("name", podium.systems.names())
def test_who_is_alone_gets_sentences_and_no_exception(name, tmp_path):
    drift = {"drift_per_day": 1e-4 if name == "luck" else 1.0}
    options = drift if "drift_per_day" in podium.system(name).parameters else {}
    ladder = podium.Ladder(name, **options)
    ladder.record(["ann", "bob"], time=0)
    found = podium.explain(ladder.beliefs, standings("ann"), "ann")
    assert found.performance is None
    assert found.average is None
    assert found.limits is None
    assert found.better is None
    assert found.worse is None
    assert found.opponents.height == 0
    assert "there were no opponents" in found.text(10_000)
    found.picture(tmp_path / "alone.png")


def test_who_did_not_take_part():
    season = podium.simulate(players=20, rounds=3, participation=0.5, seed=1)
    absent = next(name for name in season[0].players if name not in season[2].players)
    with pytest.raises(PodiumError, match=f"^'{absent}' did not take part in contest 'round-03'"):
        podium.explain_result(season, "round-03", absent)
    present = season[2].players[0]
    with pytest.raises(PodiumError, match=r"\(did you mean 'player-"):
        podium.explain_result(season, "round-03", present[:-1])
    with pytest.raises(PodiumError, match=r"^there is no player 'x'\.$"):
        podium.explain_result(season, "round-03", "x")
    with pytest.raises(
        PodiumError, match=r"^there is no contest 'rond-03' \(did you mean 'round-03"
    ):
        podium.explain_result(season, "rond-03", present)
    with pytest.raises(PodiumError, match="there is no player 7"):
        podium.explain_result(season, "round-03", 7)


def test_what_cannot_be_explained():
    season = podium.simulate(players=5, rounds=3, seed=1)
    beliefs = podium.rate(season).beliefs
    with pytest.raises(PodiumError, match="one contest is needed"):
        podium.explain(beliefs, season, "player-0001")
    with pytest.raises(PodiumError, match="one contest is needed"):
        podium.explain(beliefs, season[0], "player-0001")
    with pytest.raises(PodiumError, match="beliefs of just before the contest are needed, not str"):
        podium.explain("beliefs.npz", season[:1], "player-0001")
    with pytest.raises(PodiumError, match="is earlier than"):
        podium.explain(beliefs, season[:1], "player-0001")
    with pytest.raises(PodiumError, match="has been rated already"):
        podium.explain(beliefs, season[2:], "player-0001")
    with pytest.raises(PodiumError, match="contests are needed, not list"):
        podium.explain_result([], "a", "ann")


def test_ladders_are_not_mixed():
    ladders = podium.Contests.from_records(
        [
            {"ladder": ladder, "contest": contest, "time": time, "player": player, "rank": rank}
            for time, (ladder, contest) in enumerate((("a", 1), ("b", 1), ("b", 2)))
            for rank, player in enumerate(("ann", "bob"), start=1)
        ]
    )
    with pytest.raises(PodiumError, match="these contests are of 2 ladders"):
        podium.explain_result(ladders, 1, "ann")
    found = podium.explain_result(ladders.by_ladder()["b"], 2, "ann")
    assert found.contests_before == 1


def test_a_contest_that_counts_next_to_nothing():
    system = podium.system(
        "elo-mmr", weight_limit=1e-4, noob_delay=(1.0,) * 30 + (1e-4,), sigma_new=80.0
    )
    ladder = podium.Ladder(system)
    for day in range(30):
        ladder.record(["ann", "bob"], time=day * 86_400)
    contest = standings("bob", "ann")
    contest.columns.weight[:] = 1e-4
    found = podium.explain(ladder.beliefs, contest, "ann")
    json.dumps(found.document(), allow_nan=False)
    assert found.change.mu == pytest.approx(found.change.mu_before, abs=1e-3)


def test_a_large_contest_is_explained_like_a_small_one():
    field = podium.simulate(players=5000, rounds=2, ties=0.3, seed=3)
    beliefs, contest = last_of_season(field, "elo-mmr", {})
    found = podium.explain(beliefs, contest, contest[0].players[1000])
    assert found.opponents["pull"].sum() + found.own_pull == pytest.approx(0.0, abs=1e-6)
    assert found.worse.rating <= found.change.rating <= found.better.rating
    assert "others together by" in found.text(10_000)
