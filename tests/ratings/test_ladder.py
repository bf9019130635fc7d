import datetime
from itertools import groupby

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium import Contest, Contests, Ladder, PodiumError, rate, systems
from tests.comparing import assert_same_beliefs
from tests.scored import Scored
from tests.strategies import NAMES, contests, match_lists


def standings(contest: Contest, rng: np.random.Generator | None = None) -> list:
    """A contest as a ladder takes it: names, tuples for ties in any order."""
    entries = []
    for _, group in groupby(contest.standings, key=lambda row: row[0]):
        names = [name for _, name in group]
        if rng is not None:
            rng.shuffle(names)
        entries.append(names[0] if len(names) == 1 else tuple(names))
    return entries


def refusal(make, *args, **options) -> str:
    with pytest.raises(PodiumError) as refused:
        make(*args, **options)
    return str(refused.value)


@pytest.fixture
def ladder() -> Ladder:
    ladder = Ladder("elo-mmr")
    ladder.record(["ann", ("bob", "cat"), "dan"], time="2026-05-01")
    return ladder


@settings(max_examples=40)
@given(
    contests(),
    st.sampled_from([systems.EloMMR(), systems.EloMMX(), systems.EloMMR(drift_per_day=2.0)]),
    st.integers(0, 2**32 - 1),
)
def test_a_ladder_is_the_same_fold_as_rate_to_the_bit(whole, system, seed):
    rng = np.random.default_rng(seed)
    ladder = Ladder(system)
    for contest in whole:
        ladder.record(
            standings(contest, rng),
            time=contest.time,
            weight=contest.weight,
            perf_ceiling=contest.perf_ceiling,
        )
    rated = rate(whole, system)
    assert_same_beliefs(ladder.beliefs, rated.beliefs)
    assert ladder.ratings.equals(rated.ratings)
    for name, rating, mu, sigma, count, last_time in rated.ratings.iter_rows():
        player = ladder[name]
        assert (player.name, player.rating, player.mu, player.sigma) == (name, rating, mu, sigma)
        assert (player.contests, player.last_time) == (count, last_time)


def test_a_ladder_is_the_same_fold_as_rate_on_codeforces_of_2010(codeforces):
    some = codeforces[:12]
    ladder = Ladder()
    for contest in some:
        ladder.record(standings(contest), time=contest.time)
    assert_same_beliefs(ladder.beliefs, rate(some).beliefs)


def test_a_tuple_is_a_tie(ladder):
    assert ladder["bob"].mu == ladder["cat"].mu
    assert ladder["ann"].mu > ladder["bob"].mu > ladder["dan"].mu


def test_the_order_within_a_tuple_does_not_matter(ladder):
    other = Ladder("elo-mmr")
    other.record(["ann", ("cat", "bob"), "dan"], time="2026-05-01")
    assert_same_beliefs(other.beliefs, ladder.beliefs)


def test_a_tuple_of_one_is_no_tie(ladder):
    other = Ladder("elo-mmr")
    other.record([("ann",), ("bob", "cat"), (), "dan"], time="2026-05-01")
    assert_same_beliefs(other.beliefs, ladder.beliefs)


def test_any_ordered_collection_of_names_will_do():
    names = ["bob", "ann", "cat"]
    expected = Ladder("elo-mmx")
    expected.record(names)
    for collection in (tuple(names), iter(names), np.array(names)):
        ladder = Ladder("elo-mmx")
        ladder.record(collection)
        assert ladder.ratings.equals(expected.ratings)


def test_teams_are_refused_by_systems_of_players(ladder):
    assert refusal(ladder.record, ["ann", ["bob", "cat"]]) == (
        "elo-mmr rates players, not teams, so ['bob', 'cat'] cannot take a place; "
        "write a tie as a tuple, or choose one of " + ", ".join(systems.with_teams()) + "."
    )
    assert refusal(ladder.win_probability, "ann", ["bob", "cat"]).startswith(
        "elo-mmr rates players, not teams, so ['bob', 'cat'] cannot take a place;"
    )


NO_NAME = "in the standings is not a name, a list of names (a team) or a tuple of them (a tie)."
LIST = "the standings must be a list of names, best first, not"


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (["ann", "bob", "ann"], "player 'ann' stands twice in the standings."),
        (["ann", ("bob", "bob")], "player 'bob' stands twice in the standings."),
        ([], "the standings are empty; a contest needs at least one player."),
        ([()], "the standings are empty; a contest needs at least one player."),
        (["ann", ""], "a name in the standings is empty."),
        (["ann", 7], f"7 {NO_NAME}"),
        (["ann", None], f"None {NO_NAME}"),
        (["ann", ("bob", 7)], f"7 {NO_NAME}"),
        (["ann", ("bob", ("cat",))], f"('cat',) {NO_NAME}"),
        (["ann", "\ud800"], "a name in the standings holds half a character, a surrogate."),
        ("ann", f"{LIST} 'ann'."),
        ({"ann"}, f"{LIST} {{'ann'}}."),
        ({"ann": 1}, f"{LIST} {{'ann': 1}}."),
        (None, f"{LIST} None."),
        (7, f"{LIST} 7."),
    ],
    ids=repr,
)
def test_bad_standings_are_refused_and_change_nothing(ladder, bad, sentence):
    before = ladder.beliefs.copy()
    assert refusal(ladder.record, bad) == sentence
    assert_same_beliefs(ladder.beliefs, before)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"weight": 0}, "weight must be a number from 0.0001 to 10,000, not 0."),
        ({"weight": -1.0}, "weight must be a number from 0.0001 to 10,000, not -1.0."),
        ({"weight": np.nan}, "weight must be a number from 0.0001 to 10,000, not nan."),
        ({"weight": np.inf}, "weight must be a number from 0.0001 to 10,000, not inf."),
        ({"weight": "2"}, "weight must be a number from 0.0001 to 10,000, not '2'."),
        ({"weight": None}, "weight must be a number from 0.0001 to 10,000, not None."),
        ({"perf_ceiling": np.nan}, "perf_ceiling must be a finite number, not nan."),
        ({"perf_ceiling": -np.inf}, "perf_ceiling must be a finite number, not -inf."),
        ({"perf_ceiling": "high"}, "perf_ceiling must be a finite number, not 'high'."),
        ({"shares": {"dan": 0.5}}, "there is a share of 'dan', who is not in the standings."),
        ({"shares": {"ann": 0}}, "the share of 'ann' must be a number from 0.0001 to 1, not 0."),
        (
            {"shares": {"ann": 2.0}},
            "the share of 'ann' must be a number from 0.0001 to 1, not 2.0.",
        ),
        (
            {"shares": {"ann": "a"}},
            "the share of 'ann' must be a number from 0.0001 to 1, not 'a'.",
        ),
        ({"shares": 0.5}, "shares must be a mapping such as {'ann': 0.5}, not 0.5."),
        ({"margin": -1}, "margin must be a number of at least 0, not -1."),
        ({"margin": np.nan}, "margin must be a number of at least 0, not nan."),
        ({"home": "dan"}, "home must be one of two players in the standings, not 'dan'."),
        (
            {"time": "2026-04-30"},
            "a contest at 2026-04-30 00:00:00 cannot follow one at 2026-05-01 00:00:00; "
            "record contests in the order of their times.",
        ),
        (
            {"time": "soon"},
            "'soon' is not a time; give a date (2026-05-01), a datetime (2026-05-01T18:30:00) "
            "or unix seconds.",
        ),
    ],
    ids=str,
)
def test_bad_circumstances_are_refused_and_change_nothing(ladder, options, sentence):
    before = ladder.beliefs.copy()
    assert refusal(ladder.record, ["ann", "newcomer"], **options) == sentence
    assert_same_beliefs(ladder.beliefs, before)
    assert "newcomer" not in ladder


def test_a_contest_without_a_time_is_at_that_of_the_last_one(ladder):
    ladder.record(["dan", "eve"])
    assert ladder["eve"].last_time == datetime.datetime(2026, 5, 1)


TIMED = [
    systems.EloMMR(drift_per_day=10.0),
    systems.EloMMX(drift_per_day=10.0),
    systems.EloR(drift_per_day=10.0),
    systems.Glicko(period_days=30.0),
    systems.Glicko(drift_per_day=10.0),
    systems.Glicko2(period_days=30.0),
    systems.TrueSkill(drift_per_day=0.1),
    systems.WengLin(drift_per_day=0.1),
    systems.Luck(drift_per_day=0.001),
    systems.Luck(period_days=30.0),
]


@pytest.mark.parametrize("system", [*map(systems.build, systems.names()), *TIMED], ids=str)
def test_until_a_first_time_is_given_no_time_passes(tmp_path, system):
    first, later = "2026-05-01T12:00", "2026-09-01"
    undated, dated, resumed = Ladder(system), Ladder(system), Ladder(system)
    for time, ladder in ((None, undated), (first, dated), (None, resumed)):
        ladder.record(["ann", "bob"], time=time)
        ladder.record(["cat", "ann"], time=time)
    resumed.save(tmp_path / "untimed.npz")
    resumed = Ladder.load(tmp_path / "untimed.npz")
    for ladder in (undated, dated, resumed):
        ladder.record(["bob", "dan"], time=first)
        ladder.record(["ann", "bob"])
        ladder.record(["dan", "cat"], time=later)
    assert_same_beliefs(undated.beliefs, dated.beliefs)
    assert_same_beliefs(resumed.beliefs, dated.beliefs)
    for each in (undated, resumed):
        assert each.leaderboard(at="2027-01-01").equals(dated.leaderboard(at="2027-01-01"))


def test_a_batch_that_follows_contests_without_times_begins_time(tmp_path):
    system = systems.EloMMR(drift_per_day=10.0)
    ladder, dated = Ladder(system), Ladder(system)
    ladder.record(["ann", "bob"])
    dated.record(["ann", "bob"], time="2026-05-01")
    ladder.save(tmp_path / "untimed.npz")
    season = Contests.from_frame(
        pl.DataFrame(
            {"contest": "x", "time": "2026-05-01", "player": ["bob", "ann"], "rank": [1, 2]}
        )
    )
    resumed = rate(season, beliefs=tmp_path / "untimed.npz")
    assert resumed.ratings.equals(rate(season, beliefs=dated.beliefs).ratings)


def test_who_has_played_without_times_has_no_last_time_and_does_not_age():
    ladder = Ladder("elo-mmr", drift_per_day=10.0)
    ladder.record(["ann", "bob"])
    assert ladder.beliefs.time is None
    assert ladder["ann"].last_time is None
    assert ladder["ann"].document()["last_time"] is None
    assert ladder.ratings["last_time"].to_list() == [None, None]
    assert ladder.player("ann", at="2026-05-01").sigma == ladder["ann"].sigma
    assert ladder.win_probability("ann", "bob", at="2026-05-01") == (
        ladder.win_probability("ann", "bob")
    )
    ladder.record(["ann", "cat"], time="2026-05-01")
    assert ladder["bob"].last_time == datetime.datetime(2026, 5, 1)
    assert ladder["ann"].sigma < 350.0


def test_a_time_years_ahead_of_the_clock_is_refused_unless_it_is_meant():
    ladder = Ladder()
    ladder.record(["ann", "bob"], time="2026-05-01")
    assert refusal(ladder.record, ["ann", "bob"], time="2226-05-01") == (
        "the contest is at 2226-05-01 00:00:00, more than two years from now; "
        "if that is meant, say future=True or --future."
    )
    ladder.record(["ann", "bob"], time="2026-05-02")
    assert ladder.beliefs.rounds == 2
    ladder.record(["ann", "bob"], time="2226-05-01", future=True)
    ladder.record(["ann", "bob"], time="2226-05-01")
    ladder.record(["ann", "bob"])
    assert ladder["ann"].last_time == datetime.datetime(2226, 5, 1)


def test_times_before_1970_are_times_like_any_other():
    ladder = Ladder("elo-mmr", drift_per_day=10.0)
    ladder.record(["scotland", "england"], time="1872-11-30")
    before = ladder["england"].sigma
    ladder.record(["england"], time="1873-03-08")
    assert ladder["england"].sigma == pytest.approx(np.sqrt(before**2 + 98 * 10.0))
    assert ladder["england"].last_time == datetime.datetime(1873, 3, 8)


def test_weight_and_ceiling_do_what_they_say():
    light, heavy, capped = Ladder(), Ladder(), Ladder()
    light.record(["ann", "bob"], weight=0.1)
    heavy.record(["ann", "bob"], weight=10)
    capped.record(["ann", "bob"], perf_ceiling=1550)
    assert heavy["ann"].mu > light["ann"].mu > capped["ann"].mu > 1500
    assert capped["ann"].mu < 1550


@settings(max_examples=30)
@given(contests(), st.sampled_from(["elo-mmr", "elo-mmx"]))
def test_win_probabilities_are_symmetric_and_follow_the_ratings(whole, system):
    ladder = Ladder(system)
    ladder.beliefs = rate(whole, system).beliefs
    for a in ladder:
        for b in ladder:
            if a == b:
                continue
            p = ladder.win_probability(a, b)
            assert 0.0 < p < 1.0
            assert p + ladder.win_probability(b, a) == pytest.approx(1.0, abs=1e-15)
            if ladder[a].mu > ladder[b].mu + 1e-9:
                assert p > 0.5


def test_unknown_players_suggest_the_nearest(ladder):
    assert refusal(lambda: ladder["Anne"]) == "there is no player 'Anne' (did you mean 'ann'?)."
    assert refusal(lambda: ladder[7]) == "there is no player 7."


def test_a_saved_ladder_goes_on_as_if_nothing_had_happened(tmp_path, ladder):
    ladder.save(tmp_path / "ladder.npz")
    loaded = Ladder.load(tmp_path / "ladder.npz")
    for one in (ladder, loaded):
        one.record(["dan", "eve", ("ann", "bob")], time="2026-05-08")
    assert_same_beliefs(loaded.beliefs, ladder.beliefs)
    assert refusal(loaded.record, ["ann"], time="2026-05-01").startswith("a contest at 2026-05-01")


def test_a_ladder_goes_on_from_a_run_of_rate_and_back(tmp_path, ladder):
    ladder.save(tmp_path / "ladder.npz")
    other = Ladder("elo-mmr")
    other.record(["ann", ("bob", "cat"), "dan"], time="2026-05-01")
    assert_same_beliefs(Ladder.load(tmp_path / "ladder.npz").beliefs, other.beliefs)
    with pytest.raises(PodiumError, match="there is no such file of beliefs"):
        Ladder.load(tmp_path / "none.npz")


def test_a_ladder_is_a_collection_of_names(ladder):
    assert len(ladder) == 4
    assert list(ladder) == ["ann", "bob", "cat", "dan"]
    assert "ann" in ladder
    assert "eve" not in ladder
    assert 7 not in ladder
    assert repr(ladder) == "<Ladder of elo-mmr: 4 players after 1 contest>"
    assert len(Ladder()) == 0


def test_a_system_is_given_by_name_or_as_object():
    assert Ladder().system == Ladder("elo-mmr").system == systems.EloMMR()
    assert Ladder("elo-mmr", rho=2).system == Ladder(systems.EloMMR(rho=2)).system
    assert refusal(Ladder, systems.EloMMR(), rho=2) == (
        "the system is given as an object, so its parameters are set already."
    )
    assert refusal(Ladder, "elo-mmq").startswith("there is no system 'elo-mmq' (did you mean")
    assert refusal(Ladder, None).startswith("there is no system None; there are elo-mmr, ")
    assert refusal(Ladder, systems.EloMMR).startswith("there is no system <class ")


def test_a_contest_of_one_counts_and_changes_no_rating():
    ladder = Ladder()
    ladder.record(["ann"])
    assert (ladder["ann"].mu, ladder["ann"].sigma, ladder["ann"].contests) == (1500.0, 350.0, 1)


def test_many_newcomers_in_many_contests_all_find_room():
    rng = np.random.default_rng(5)
    ladder = Ladder()
    for number in range(60):
        ladder.record([f"p{i}" for i in rng.integers(0, 10**6, 20)], time=number)
        ladder.record(rng.permutation(NAMES).tolist(), time=number)
    assert len(ladder) > 1000
    assert all(ladder[name].contests == 60 for name in NAMES)
    assert np.isfinite(ladder.beliefs.column("mu")).all()


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda ladder: ladder.quality([]), "nobody is named to predict a contest of."),
        (
            lambda ladder: ladder.quality([["ann", ["bob"]], "cat"]),
            "['ann', ['bob']] is not a name or a list of names, which is a team.",
        ),
        (
            lambda ladder: ladder.win_probability("ann", "ann"),
            "player 'ann' cannot take part twice.",
        ),
        (
            lambda ladder: ladder.win_probability("ann", "bob", side=["home"]),
            "side must be home, white, first, away, black or second, or None, not ['home'].",
        ),
        (
            lambda ladder: ladder.win_probability("ann", "bob", at="2026-04-30"),
            "ratings as of 2026-04-30 00:00:00 are not known, because later contests are rated, "
            "until 2026-05-01 00:00:00; rate the contests before that date.",
        ),
        (lambda ladder: ladder[["ann"]], "there is no player ['ann']."),
        (lambda ladder: ladder.quality("ann"), "a list of names is needed, not 'ann'."),
        (
            lambda ladder: ladder.quality(["ann", []]),
            "[] is not a name or a list of names, which is a team.",
        ),
        (
            lambda ladder: ladder.quality(["ann", 7]),
            "7 is not a name or a list of names, which is a team.",
        ),
        (
            lambda ladder: ladder.rank_probabilities(["ann", "bob"], top=0),
            "top must be a whole number of at least 1, not 0.",
        ),
        (
            lambda ladder: ladder.win_probability("ann", "bob", side="left"),
            "side must be home, white, first, away, black or second, or None, not 'left'.",
        ),
        (
            lambda ladder: ladder.draw_probability("ann", "bob", at="soon"),
            "'soon' is not a time; give a date (2026-05-01), a datetime (2026-05-01T18:30:00) "
            "or unix seconds.",
        ),
        (
            lambda ladder: ladder.leaderboard(None, at="2026-04-30"),
            "ratings as of 2026-04-30 00:00:00 are not known, because later contests are rated, "
            "until 2026-05-01 00:00:00; rate the contests before that date.",
        ),
    ],
)
def test_questions_that_cannot_be_answered(ladder, ask, sentence):
    assert refusal(ask, ladder) == sentence


def test_a_ladder_from_beliefs_goes_its_own_way(ladder):
    beliefs = ladder.beliefs.copy()
    other = Ladder.from_beliefs(ladder.beliefs)
    other.record(["dan", "ann"])
    assert_same_beliefs(ladder.beliefs, beliefs)
    assert other["dan"].contests == 2


def test_a_field_is_listed_by_who_may_win(ladder):
    field = ladder.rank_probabilities(["dan", "ann", "bob"], top=np.int64(2))
    assert field.columns == ["player", "first", "top", "expected_rank"]
    assert field["player"].to_list() == ["ann", "bob", "dan"]
    assert field["top"].sum() == pytest.approx(2.0)


def test_teams_of_a_field_are_named_by_their_members():
    ladder = Ladder("elo-mmx")
    ladder.record([["ann", "bob"], ["cat"], ["dan"]])
    field = ladder.rank_probabilities([["bob", "ann"], "cat", "dan"])
    assert field["player"].to_list() == ["bob, ann", "cat", "dan"]


def test_who_is_at_home_has_the_advantage():
    ladder = Ladder("elo", side_advantage=100.0)
    ladder.record(["ann", "bob"], home="bob")
    expected = 1.0 / (1.0 + 10.0**0.25)
    assert ladder["ann"].mu == pytest.approx(1500.0 + 32.0 * (1.0 - expected))
    assert ladder.win_probability("ann", "bob", side="away") < 0.5


def test_a_margin_of_nothing_is_a_margin():
    one, other = (Ladder("elo", margin="football") for _ in range(2))
    one.record([("ann", "bob")], margin=0.0)
    other.record([("ann", "bob")])
    assert one["ann"].mu == other["ann"].mu


def test_quality_is_the_entropy_of_who_comes_first():
    ladder = Ladder("elo")
    ladder.record([("ann", "bob", "cat")])
    ladder.record(["ann", "bob"])
    p = ladder.rank_probabilities(["ann", "bob", "cat"])["first"].to_numpy()
    quality = ladder.quality(["ann", "bob", "cat"])
    assert quality == pytest.approx(-(p * np.log(p)).sum() / np.log(3.0))


def test_ratings_at_the_last_moment_are_the_ratings():
    ladder = Ladder("glicko")
    ladder.record(["ann", "bob"], time="2026-05-01")
    assert ladder.leaderboard(None, at="2026-05-01").drop("place").equals(ladder.ratings)


def test_the_best_one_of_two_is_the_first():
    ladder = Ladder("elo")
    ladder.record(["ann", "bob"])
    pair = ladder.rank_probabilities(["ann", "bob"], top=1)
    assert pair["top"].to_list() == pair["first"].to_list()
    assert ladder.rank_probabilities(["ann", "bob"])["top"].to_list() == [1.0, 1.0]


def recorded(standings: list, **options) -> Ladder:
    """A ladder of a system that takes scores, after one contest."""
    ladder = Ladder(Scored())
    ladder.record(standings, **options)
    return ladder


@given(match_lists(scores=True))
def test_a_ladder_takes_scores_as_rate_does_to_the_bit(frame):
    frame = frame.sort("time").with_columns(contest=pl.int_range(pl.len()))
    ladder = Ladder(Scored())
    for time, a, b, outcome, _, weight, _ in frame.iter_rows():
        ladder.record([a, b], time=time, weight=weight, score=outcome)
    assert_same_beliefs(ladder.beliefs, rate(Contests.from_frame(frame), Scored()).beliefs)


@pytest.mark.parametrize(
    ("score", "standings"),
    [
        (1.0, ["bob", "ann"]),
        (1, ["bob", "ann"]),
        (0.5, [("bob", "ann")]),
        (0, ["ann", "bob"]),
        (5e-324, ["ann", "bob"]),
    ],
)
def test_a_score_of_a_win_or_a_draw_is_one(score, standings):
    assert_same_beliefs(recorded(["bob", "ann"], score=score).beliefs, recorded(standings).beliefs)


@pytest.mark.parametrize("players", [["ann", "bob"], ["bob", "ann"]])
def test_a_score_too_near_to_a_draw_is_one(players):
    almost = recorded(players, score=np.nextafter(0.5, 0.0))
    assert_same_beliefs(almost.beliefs, recorded([("ann", "bob")]).beliefs)


def test_a_score_below_a_half_turns_the_standings_around():
    ladder = recorded(["ann", "bob"], score=0.25, home="ann")
    assert_same_beliefs(ladder.beliefs, recorded(["bob", "ann"], score=0.75, home="ann").beliefs)
    assert ladder["bob"].mu == recorded(["bob", "ann"])["bob"].mu + 0.75


NOT_A_SCORE = "score must be a number from 0 to 1, 0.5 being a draw, not"
TWO = (
    "a score needs standings of two players without a tie: it is the score that says who won, "
    "or that nobody did."
)


@pytest.mark.parametrize(
    ("players", "score", "sentence"),
    [
        (["ann", "bob"], 1.5, f"{NOT_A_SCORE} 1.5."),
        (["ann", "bob"], -0.1, f"{NOT_A_SCORE} -0.1."),
        (["ann", "bob"], np.nan, f"{NOT_A_SCORE} nan."),
        (["ann", "bob"], np.inf, f"{NOT_A_SCORE} inf."),
        (["ann", "bob"], "0.7", f"{NOT_A_SCORE} '0.7'."),
        ([("ann", "bob")], 0.5, TWO),
        (["ann"], 0.7, TWO),
        (["ann", "bob", "cat"], 0.7, None),
        (["ann", ("bob", "cat")], None, None),
    ],
    ids=repr,
)
def test_scores_and_sizes_that_cannot_be_change_nothing(players, score, sentence):
    crowd = (
        f"the contest is of 3 players, but scored rates contests of at most 2; "
        f"{', '.join(systems.of_any_size())} rate any number."
    )
    ladder = recorded(["dan", "eve"])
    before = ladder.beliefs.copy()
    assert refusal(ladder.record, players, score=score) == (sentence or crowd)
    assert_same_beliefs(ladder.beliefs, before)


def test_a_score_of_more_than_two_is_refused_at_any_size(monkeypatch):
    monkeypatch.setattr(Scored, "most_players", None)
    assert refusal(recorded, ["ann", "bob", "cat"], score=0.7) == TWO


@pytest.mark.parametrize(("takers", "hint"), [([], ""), (["luck"], "; scores are for luck")])
def test_scores_are_refused_by_systems_of_wins_and_draws(ladder, monkeypatch, takers, hint):
    monkeypatch.setattr(systems, "with_scores", lambda: takers)
    assert refusal(ladder.record, ["ann", "newcomer"], score=0.7) == (
        f"a score of 0.7 is given, but elo-mmr takes wins, draws and losses{hint}."
    )
    assert "newcomer" not in ladder


def test_a_system_of_matches_predicts_matches():
    ladder = Ladder(Scored())
    ladder.record(["ann", "bob"])
    ladder.record(["cat"])
    assert ladder.quality(["ann"]) == 1.0
    assert ladder.rank_probabilities(["ann", "bob"])["first"].sum() == pytest.approx(1.0)
    for ask in (ladder.rank_probabilities, ladder.quality):
        assert refusal(ask, ["ann", "bob", "cat"]) == (
            "scored predicts contests of at most 2 players, not of 3."
        )


@pytest.mark.parametrize(
    ("score", "standings"), [(1.0, ["ann", "bob"]), (0.5, [("ann", "bob")]), (0, ["bob", "ann"])]
)
def test_a_score_of_a_win_or_a_draw_is_for_every_system(score, standings):
    one, other = Ladder("elo"), Ladder("elo")
    one.record(["ann", "bob"], score=score)
    other.record(standings)
    assert_same_beliefs(one.beliefs, other.beliefs)


def test_the_side_counts_in_all_predictions_of_two():
    ladder = Ladder("luck", side_advantage=0.5)
    ladder.record(["ann", "bob"])
    for home, side in (("ann", "home"), ("bob", "away")):
        win = ladder.win_probability("ann", "bob", side=side)
        places = ladder.rank_probabilities(["ann", "bob"], home=home)
        assert places.filter(player="ann")["first"].item() == pytest.approx(win)
    assert ladder.quality(["ann", "bob"], home="bob") > ladder.quality(["ann", "bob"], home="ann")
    for field, home in ((["ann", "bob"], "cat"), (["ann"], "ann")):
        assert refusal(ladder.quality, field, home=home) == (
            f"home must be one of two players who meet, not {home!r}."
        )


def test_a_ladder_can_share_the_beliefs_that_it_goes_on_from():
    beliefs = podium.rate(podium.simulate(players=5, rounds=3)).beliefs
    shared, own = (Ladder.from_beliefs(beliefs, copy=copy) for copy in (False, True))
    own.record(["player-0001", "player-0002"])
    assert beliefs.rounds == 3
    shared.record(["player-0001", "player-0002"])
    assert beliefs.rounds == 4
    assert_same_beliefs(shared.beliefs, own.beliefs)
