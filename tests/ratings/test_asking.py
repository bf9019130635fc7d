import pytest

import podium
from podium import InputError, Ladder, systems
from podium.ratings.asking import with_newcomers
from tests.comparing import assert_same_beliefs

EVERY = pytest.mark.parametrize("name", systems.names())


def both_ways(name, **parameters):
    """A ladder and a run of rate over the same matches."""
    matches = podium.simulate_matches(players=6, matches=40, seed=3)
    rated = podium.rate(matches, name, **parameters)
    return Ladder.from_beliefs(rated.beliefs), rated


@EVERY
def test_a_newcomer_is_what_the_system_believes_of_newcomers_and_asking_enrols_nobody(name):
    ladder, rated = both_ways(name)
    before = ladder.beliefs.copy()
    known = next(iter(ladder))
    answers = []
    for asked in (ladder, rated):
        answers.append(
            [
                asked.win_probability(known, "stranger"),
                asked.draw_probability("stranger", known),
                asked.quality([known, "stranger"]),
                asked.rank_probabilities(["stranger", known]).rows(),
                asked.win_probability("stranger", "another"),
            ]
        )
        assert "stranger" not in asked
        assert_same_beliefs(asked.beliefs, before)
    assert answers[0] == answers[1]
    enrolled = ladder.beliefs.copy()
    enrolled.enrol(["stranger"])
    now_known = Ladder.from_beliefs(enrolled, copy=False)
    assert now_known.win_probability(known, "stranger") == answers[0][0]
    assert now_known.draw_probability("stranger", known) == answers[0][1]
    assert now_known.quality([known, "stranger"]) == answers[0][2]
    assert answers[0][4] + 0.5 * ladder.draw_probability("stranger", "another") == pytest.approx(
        0.5
    )


@EVERY
def test_an_empty_ladder_predicts_a_contest_of_newcomers(name):
    ladder = Ladder(name)
    chances = ladder.rank_probabilities(["ann", "bob"])
    assert chances["first"].to_list() == pytest.approx([0.5, 0.5])
    assert len(ladder) == 0


def test_a_newcomer_is_as_uncertain_whenever_they_come():
    ladder = Ladder("trueskill", drift_per_day=1.0)
    ladder.record(["ann", "bob"], time="2026-01-01")
    assert ladder.win_probability("new", "newer", at="2036-01-01") == ladder.win_probability(
        "new", "newer"
    )
    assert ladder.win_probability("ann", "new", at="2036-01-01") < ladder.win_probability(
        "ann", "new"
    )


def test_a_team_may_have_newcomers():
    ladder = Ladder("trueskill")
    ladder.record([["ann", "bob"], ["cat", "dan"]])
    chance = ladder.win_probability(["ann", "new"], ["cat", "newer"])
    assert 0.5 < chance < ladder.win_probability(["ann", "bob"], ["cat", "dan"])
    assert len(ladder) == 4
    assert ladder.rank_probabilities([["ann", "new"], "newer"])["player"].to_list() == [
        "ann, new",
        "newer",
    ]


def test_the_whole_belief_of_a_newcomer_is_the_prior():
    ladder = Ladder("luck", prior_sd=0.5)
    ladder.record(["ann", "bob"])
    assert ladder.belief("new").sd == pytest.approx(0.5)
    assert ladder.belief("new", at="2036-01-01").mean == pytest.approx(0.0, abs=1e-12)
    assert ladder.stronger_probability("ann", "new") > 0.5


def test_beliefs_that_know_everybody_are_not_copied():
    ladder, _ = both_ways("elo-mmr")
    names = list(ladder)[2:4]
    beliefs, ids = with_newcomers(ladder.beliefs, names)
    assert beliefs is ladder.beliefs
    assert ids == [2, 3]


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda asked: asked.win_probability("new", "new"), "player 'new' cannot take part twice."),
        (lambda asked: asked.quality(["ann", ""]), "a name is empty."),
        (
            lambda asked: asked.rank_probabilities(["ann", "\ud800"]),
            "a name holds half a character, a surrogate.",
        ),
        (lambda asked: asked.belief(["ann"]), "a name is needed, not ['ann']."),
        (
            lambda asked: asked.belief("new"),
            "elo-mmr keeps no whole beliefs about players; luck does.",
        ),
        (
            lambda asked: asked.quality([["ann", "new"], "bob"]),
            "elo-mmr rates players, not teams, so ['ann', 'new'] cannot take a place; write a tie "
            "as a tuple, or choose one of " + ", ".join(systems.with_teams()) + ".",
        ),
    ],
)
def test_questions_that_cannot_be_answered(ask, sentence):
    for asked in both_ways("elo-mmr"):
        with pytest.raises(InputError) as refused:
            ask(asked)
        assert str(refused.value) == sentence


def test_one_player_under_two_names_cannot_take_part_twice():
    class Renamed(Ladder):
        def _consult(self, names, at, calibrated=False):
            names = ["ann" if name == "anne" else name for name in names]
            return super()._consult(names, at, calibrated)

    ladder = Renamed()
    ladder.record(["ann", "bob"])
    with pytest.raises(InputError, match=r"^player 'ann' cannot take part twice\.$"):
        ladder.quality(["ann", "bob", "anne"])
    assert ladder.win_probability("anne", "bob") == ladder.win_probability("ann", "bob")


def test_the_first_of_three_is_first_in_the_same_way_for_a_newcomer():
    ladder = Ladder("elo")
    ladder.record(["ann", "bob"])
    table = ladder.rank_probabilities(["bob", "new", "ann"])
    assert table["player"].to_list() == ["ann", "new", "bob"]
    assert table["first"].sum() == pytest.approx(1.0, abs=1e-9)
