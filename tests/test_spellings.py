"""Names have one spelling (NFC, without spaces at their ends) at every entrance."""

import polars as pl
import pytest

import podium
from podium.errors import InputError, NotFoundError
from podium.texts import LONGEST, also_written, normalised, spelled

ZOE = "Zo\u00eb"
OTHER = "\u3000Zoe\u0308 "
"""The same name: decomposed, with spaces around it."""


def standings(*names: str, contest: str = "one") -> pl.DataFrame:
    ranks = range(1, len(names) + 1)
    return pl.DataFrame({"contest": contest, "time": 0, "player": names, "rank": list(ranks)})


def two_contests(name: str, contest: str) -> podium.Contests:
    later = standings("ann", name, contest=contest).with_columns(time=86_400)
    return podium.Contests.from_frame(pl.concat([standings(ZOE, "ann"), later]))


def test_a_table_knows_one_player_in_two_spellings():
    contests = two_contests(OTHER, " two\n")

    assert contests.players.to_list() == sorted([ZOE, "ann"])
    assert contests.ids.to_list() == ["one", "two"]


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum([ZOE, OTHER, "ann"])])
def test_categories_are_names_too(kind):
    frame = standings(OTHER, "ann").with_columns(pl.col("player").cast(kind))
    assert podium.Contests.from_frame(frame).players.to_list() == sorted([ZOE, "ann"])


def test_rows_of_a_contest_in_two_spellings_are_of_one_contest():
    frame = pl.concat([standings("ann", contest=ZOE), standings("bob", contest=OTHER)])
    contests = podium.Contests.from_frame(frame.with_columns(rank=pl.Series([1, 2])))
    assert contests.ids.to_list() == [ZOE]
    assert contests[0].players == ["ann", "bob"]


def test_two_rows_that_are_one_player_are_refused_with_both_spellings():
    with pytest.raises(InputError) as caught:
        podium.Contests.from_frame(standings(ZOE, "ann", OTHER))
    assert str(caught.value) == (
        "row 2: player 'Zoë' stands twice in contest 'one', also written '\\u3000Zoe\\u0308 '; "
        "each player has one result."
    )


def test_who_ties_stands_by_the_normalised_name():
    frame = standings(" zed", "ann").with_columns(rank=1)
    assert podium.Contests.from_frame(frame)[0].players == ["ann", "zed"]
    frame = standings(" ann", "Zed").with_columns(rank=1)
    assert podium.Contests.from_frame(frame)[0].players == ["Zed", "ann"]
    ladder = podium.Ladder("elo-mmr")
    ladder.record([(" ann", "Zed")])
    assert list(ladder) == ["Zed", "ann"]


def test_ladders_and_teams_in_two_spellings_are_one():
    frame = pl.DataFrame(
        {
            "contest": ["a", "a", "b", "b"],
            "ladder": [ZOE, OTHER, ZOE, ZOE],
            "time": 0,
            "player": ["ann", "bob", "ann", "bob"],
            "team": ["x", "x ", "y", "z"],
            "rank": [1, 1, 1, 2],
        }
    )
    contests = podium.Contests.from_frame(frame)
    assert contests.ladders == [ZOE]
    assert contests.teams.to_list() == ["x", "y", "z"]


def test_matches_in_two_spellings_are_told_apart_by_a_number():
    table = pl.DataFrame(
        {"time": 0, "player_a": [ZOE, OTHER], "player_b": "ann", "outcome": [1.0, 0.0]}
    )
    contests = podium.Contests.from_matches(table)
    assert contests.ids.to_list() == ["1970-01-01 Zoë - ann", "1970-01-01 Zoë - ann #2"]
    with pytest.raises(InputError, match="two matches"):
        podium.Contests.from_matches(table.with_columns(contest=pl.Series([ZOE, OTHER])))


def test_contests_are_described_in_any_spelling():
    described = two_contests(ZOE, ZOE).describe(pl.DataFrame({"contest": [OTHER], "link": ["x"]}))
    assert described.summary()["link"].to_list() == [None, "x"]


@pytest.mark.parametrize("column", ["contest", "player", "team", "ladder", "name"])
def test_a_long_name_in_a_table_is_refused_unless_it_is_asked_for(column):
    frame = standings("ann").with_columns(pl.lit("é" * (LONGEST + 1)).alias(column))
    with pytest.raises(InputError) as caught:
        podium.Contests.from_frame(frame)
    said = str(caught.value)
    assert said.startswith(f"row 0: {column} has 1,001 characters; it may have 1,000: 'éé")
    assert said.endswith("unlimited=True or --unlimited takes more.")
    assert len(said) < 200
    podium.Contests.from_frame(frame, unlimited=True)
    podium.Contests.from_frame(frame.with_columns(pl.lit("é" * LONGEST).alias(column)))


def test_matches_of_long_names_need_no_long_identifier():
    table = pl.DataFrame({"time": 0, "player_a": "a" * 999, "player_b": "b" * 999, "outcome": 1})
    assert len(podium.Contests.from_matches(table)) == 1
    with pytest.raises(InputError, match="player_b has 1,001 characters"):
        podium.Contests.from_matches(table.with_columns(player_b=pl.lit("b" * 1001)))


def test_a_ladder_knows_one_player_in_two_spellings():
    ladder = podium.Ladder("elo")
    ladder.record([ZOE, "ann"])
    ladder.record(["ann ", OTHER])

    assert list(ladder) == [ZOE, "ann"]
    assert OTHER in ladder
    assert ladder[OTHER].contests == ladder.player(OTHER).contests == 2
    assert ladder.place(OTHER) == ladder.place(ZOE)
    assert ladder.win_probability(OTHER, "\tann") == ladder.win_probability(ZOE, "ann")
    assert len(ladder) == 2
    with pytest.raises(InputError, match="cannot take part twice"):
        ladder.win_probability("new", " new")
    with pytest.raises(InputError) as caught:
        ladder.record([ZOE, OTHER])
    assert str(caught.value) == (
        "player 'Zoë' stands twice in the standings, also written '\\u3000Zoe\\u0308 '."
    )


def test_what_is_said_of_players_of_a_contest_finds_them_in_any_spelling():
    one, other = podium.Ladder("trueskill"), podium.Ladder("trueskill")
    one.record([ZOE, "ann"], shares={ZOE: 0.5})
    other.record([OTHER, "ann"], shares={OTHER: 0.5})
    assert one.ratings.equals(other.ratings)
    one, other = (podium.Ladder("elo", side_advantage=50.0) for _ in range(2))
    one.record([ZOE, "ann"], home=ZOE)
    other.record([ZOE, "ann"], home=OTHER)
    assert one.ratings.equals(other.ratings)
    assert one.quality([ZOE, "ann"], home=OTHER) == one.quality([ZOE, "ann"], home=ZOE)


def test_names_of_spaces_are_no_names():
    ladder = podium.Ladder("elo")
    for empty in ("", "  ", "\u2028", "\x85\u3000"):
        with pytest.raises(InputError, match="a name in the standings is empty"):
            ladder.record(["ann", empty])
        with pytest.raises(InputError, match="a name is empty"):
            ladder.win_probability("ann", empty)
        with pytest.raises(InputError, match="row 0: player is empty"):
            podium.Contests.from_frame(standings(empty))


def test_a_ladder_refuses_new_names_that_are_too_long_and_keeps_those_it_knows():
    long = "é" * (LONGEST + 1)
    ladder = podium.Ladder("elo")
    with pytest.raises(InputError, match="a name in the standings has 1,001 characters"):
        ladder.record(["ann", long])
    assert len(ladder) == 0
    ladder.record([f" {'é' * LONGEST}", "ann"])
    contests = podium.Contests.from_frame(standings(long, "ann"), unlimited=True)
    known = podium.Ladder.from_beliefs(podium.rate(contests, "elo").beliefs)
    known.record(["ann", long])
    assert known[long].contests == 2


def test_questions_about_ratings_take_any_spelling():
    contests = two_contests(ZOE, ZOE)
    rated = podium.rate(contests, "elo")
    assert rated.history_of(OTHER).equals(rated.history_of(ZOE))
    found = podium.explain_result(contests, OTHER, OTHER, "elo")
    assert (found.contest, found.player) == (ZOE, ZOE)
    curve = podium.curve(rated.beliefs, two_contests(OTHER, "next")[1:], OTHER)
    assert curve.player == ZOE
    story = podium.belief_history(contests, OTHER, "luck")
    assert story.player == ZOE


@pytest.fixture
def league(tmp_path):
    with podium.League.create(tmp_path / "league.db", "elo") as league:
        league.record(two_contests(OTHER, OTHER))
        yield league


def test_a_league_knows_players_and_contests_in_any_spelling(league):
    assert league.player(OTHER).name == ZOE
    assert OTHER in league
    assert league.contest(OTHER).equals(league.contest(ZOE))
    assert league.result(OTHER).contest == ZOE
    assert league.history_of(OTHER).equals(league.history_of(ZOE))
    assert league.explain(OTHER, OTHER).player == ZOE
    assert league.win_probability(OTHER, "ann ") == league.win_probability(ZOE, "ann")
    assert league.log(contest=OTHER).height == 1
    assert league.curve(two_contests(ZOE, "x")[1:], OTHER).player == ZOE


def test_a_league_changes_players_and_contests_in_any_spelling(league):
    league.record([OTHER, "bob"], id=" three ")
    assert league.contest("three")["player"].to_list() == [ZOE, "bob"]
    assert league.amend(f" {OTHER}", weight=2.0).applied
    said = league.disqualify("three ", OTHER).what
    assert said.startswith("disqualified 'Zoë' in contest 'three'")
    assert not league.rename(ZOE, OTHER).applied
    assert league.rename(OTHER, " Eve\u0301 ").what == "renamed 'Zoë' to 'Ev\u00e9'"
    assert league.player(OTHER).name == "Ev\u00e9"
    assert league.merge("Eve\u0301", " bob").what == "merged 'Ev\u00e9' into 'bob'"
    assert league.remove(OTHER).what.startswith("removed contest 'Zoë'")
    assert league.verify().sound


def test_a_league_refuses_new_names_that_are_too_long(league):
    long = "n" * (LONGEST + 1)
    contests = podium.Contests.from_frame(standings(long, "ann", contest="x"), unlimited=True)
    for tried in (
        lambda: league.record(contests),
        lambda: league.record([long, "ann"]),
        lambda: league.record(["bob", "ann"], id=long),
        lambda: league.rename("ann", long),
        lambda: league.amend("one", name=long),
    ):
        with pytest.raises(InputError, match="has 1,001 characters; it may have 1,000"):
            tried()


def test_a_player_of_an_older_league_is_found_by_the_name_that_is_kept():
    known = {OTHER: 1, ZOE: 2}
    assert spelled(OTHER, known) == OTHER
    assert spelled("Zoe\u0308", known) == ZOE
    assert also_written(normalised(OTHER), [OTHER, "bob"]) == ", also written '\\u3000Zoe\\u0308 '"


def test_who_is_not_there_is_not_found_in_any_spelling(league):
    with pytest.raises(NotFoundError, match="there is no player"):
        league.player("Zoe")
    with pytest.raises(NotFoundError, match="there is no contest"):
        league.contest("Zoe")
