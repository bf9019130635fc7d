import json
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium import Beliefs, Contests, PodiumError, Rated, rate, simulate, systems
from podium.numerics.threads import LARGE
from tests.comparing import assert_same_beliefs
from tests.scored import Scored
from tests.strategies import contests, match_lists

RATINGS = {
    "player": pl.String,
    "rating": pl.Float64,
    "mu": pl.Float64,
    "sigma": pl.Float64,
    "contests": pl.Int32,
    "last_time": pl.Datetime("us"),
}
HISTORY = {
    "contest": pl.String,
    "time": pl.Datetime("us"),
    "player": pl.String,
    "rank": pl.Int32,
    "performance": pl.Float64,
    "mu_before": pl.Float64,
    "sigma_before": pl.Float64,
    "mu": pl.Float64,
    "sigma": pl.Float64,
    "rating": pl.Float64,
}


@pytest.fixture(scope="module")
def season() -> Contests:
    """Three contests with a tie, one of them of a single player; names that look like numbers."""
    rows = [
        ("1", 0, "007", 1), ("1", 0, "ann", 2), ("1", 0, "bob", 2),
        ("2", 86_400, "ann", 1), ("2", 86_400, "007", 2),
        ("3", 90_000, "cat", 1),
    ]  # fmt: skip
    return Contests.from_frame(
        pl.DataFrame(rows, schema=["contest", "time", "player", "rank"], orient="row")
    )


@pytest.fixture(scope="module")
def massive() -> Contests:
    """Contests larger than those that one thread takes alone, with ties, and a small one."""
    rng = np.random.default_rng(11)
    parts = []
    for number, size in enumerate((LARGE + 1000, 300, LARGE + 1)):
        players = rng.permutation(6000)[:size]
        parts.append(
            pl.DataFrame(
                {
                    "player": [f"p{player}" for player in players],
                    "score": (players + rng.normal(0.0, 1500.0, size)) // 10,
                }
            ).with_columns(contest=pl.lit(f"c{number}"), time=pl.lit(number * 86_400))
        )
    return Contests.from_frame(pl.concat(parts))


def refusal(*args, **options) -> str:
    with pytest.raises(PodiumError) as refused:
        rate(*args, **options)
    return str(refused.value)


def test_ratings_have_the_columns_of_the_contract(season):
    ratings = rate(season).ratings
    assert dict(ratings.schema) == RATINGS
    assert ratings.null_count().sum_horizontal().item() == 0
    assert ratings.columns == list(RATINGS)


def test_history_has_the_columns_of_the_contract(season):
    history = rate(season).history
    assert dict(history.schema) == HISTORY
    assert history.columns == list(HISTORY)
    assert history.select("contest", "time", "player", "rank").equals(season.frame())


def test_a_contest_of_one_shows_no_performance(season):
    history = rate(season).history
    assert history["performance"].is_null().to_list() == [False] * 5 + [True]
    alone = history.row(5, named=True)
    assert (alone["mu"], alone["sigma"]) == (alone["mu_before"], alone["sigma_before"])


@settings(max_examples=30)
@given(contests(), st.sampled_from(["elo-mmr", "elo-mmx"]))
def test_ratings_and_history_tell_one_story(whole, system):
    rated = rate(whole, system)
    last = rated.history.group_by("player", maintain_order=True).last()
    merged = rated.ratings.join(last, on="player", suffix="_last", validate="1:1")
    assert merged.height == rated.ratings.height == whole.frame()["player"].n_unique()
    assert merged["mu"].equals(merged["mu_last"], check_names=False)
    assert merged["sigma"].equals(merged["sigma_last"], check_names=False)
    assert merged["rating"].equals(merged["rating_last"], check_names=False)
    assert merged["last_time"].equals(merged["time"], check_names=False)
    counts = dict(rated.history["player"].value_counts().iter_rows())
    assert dict(rated.ratings.select("player", "contests").iter_rows()) == counts
    after = rated.history.group_by("player", maintain_order=True).agg("mu", "mu_before")
    for mu, mu_before in after.select("mu", "mu_before").iter_rows():
        assert mu_before[1:] == mu[:-1]


@settings(max_examples=20)
@given(contests())
def test_the_best_come_first_and_equals_by_name(whole):
    ratings = rate(whole).ratings
    keys = [(-rating, name) for rating, name in ratings.select("rating", "player").iter_rows()]
    assert keys == sorted(keys)


def test_equal_ratings_share_a_place():
    frame = pl.DataFrame(
        {"contest": "c", "time": 0, "player": ["d", "c", "b", "a", "e"], "rank": [1, 2, 2, 2, 5]}
    )
    board = rate(Contests.from_frame(frame)).leaderboard()
    assert board.columns == ["place", *RATINGS]
    assert board["player"].to_list() == ["d", "a", "b", "c", "e"]
    assert board["place"].to_list() == [1, 2, 2, 2, 5]


def test_a_leaderboard_has_as_many_places_as_one_asks_for(massive):
    rated = rate(massive, "elo-mmx")
    assert rated.leaderboard().height == 10
    assert rated.leaderboard(3).height == 3
    assert rated.leaderboard(None).height == rated.ratings.height
    assert rated.leaderboard(3).equals(rated.leaderboard(None)[:3])


def test_the_history_of_a_player(season):
    rated = rate(season)
    assert rated.history_of("ann").equals(rated.history.filter(pl.col("player") == "ann"))
    assert rated.history_of("ann")["contest"].to_list() == ["1", "2"]


def test_an_unknown_player_suggests_the_nearest(season):
    rated = rate(season)
    with pytest.raises(PodiumError) as refused:
        rated.history_of("Annn")
    assert str(refused.value) == "there is no player 'Annn' (did you mean 'ann'?)."
    with pytest.raises(PodiumError) as refused:
        rated.history_of("zzzzzz")
    assert str(refused.value) == "there is no player 'zzzzzz'."


def test_without_history_there_are_only_ratings(season):
    rated = rate(season, history=False)
    assert rated.ratings.equals(rate(season).ratings)
    for ask in (lambda: rated.history, lambda: rated.history_of("ann")):
        with pytest.raises(PodiumError) as refused:
            ask()
        assert str(refused.value) == (
            "there is no history, because the contests were rated without it."
        )


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_what_is_written_is_read_again(tmp_path, season, format):
    rated = rate(season, "elo-mmr", rho=0.5)
    rated.save(tmp_path / "out", format=format)
    back = Rated.load(tmp_path / "out")
    assert_same_beliefs(back.beliefs, rated.beliefs)
    assert back.system == rated.system
    assert back.ratings.equals(rated.ratings)
    assert back.history.equals(rated.history)
    assert dict(back.ratings.schema) == RATINGS
    assert dict(back.history.schema) == HISTORY
    assert back.history_of("007").equals(rated.history_of("007"))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "about.json",
        "beliefs.npz",
        f"history.{format}",
        f"ratings.{format}",
    ]
    about = json.loads((tmp_path / "out" / "about.json").read_text())
    assert about["system"] == "elo-mmr"
    assert about["parameters"]["rho"] == 0.5
    assert (about["contests"], about["players"]) == (3, 4)


@settings(max_examples=15)
@given(contests(), st.sampled_from(["parquet", "csv"]))
def test_any_ratings_survive_a_folder(tmp_path_factory, whole, format):
    folder = tmp_path_factory.mktemp("rated") / "out"
    rated = rate(whole)
    rated.save(folder, format=format)
    back = Rated.load(folder)
    assert back.ratings.equals(rated.ratings)
    assert back.history.equals(rated.history)


def test_what_is_read_can_be_written_again(tmp_path, season):
    rated = rate(season)
    rated.save(tmp_path / "one")
    Rated.load(tmp_path / "one").save(tmp_path / "two", format="csv")
    assert Rated.load(tmp_path / "two").history.equals(rated.history)


@pytest.mark.parametrize("history", [True, False])
def test_writing_over_older_ratings_leaves_nothing_of_them(tmp_path, season, history):
    folder = tmp_path / "out"
    rate(season).save(folder, format="parquet")
    (folder / "notes.txt").write_text("mine")
    newer = rate(season, "elo-mmx", history=history)
    newer.save(folder, format="csv")
    back = Rated.load(folder)
    assert back.system == newer.system
    assert back.ratings.equals(newer.ratings)
    names = {path.name for path in folder.iterdir()}
    tables = {"ratings.csv", "history.csv"} if history else {"ratings.csv"}
    assert names == {"about.json", "beliefs.npz", "notes.txt", *tables}


def test_ratings_without_history_are_read_without_it(tmp_path, season):
    rate(season, history=False).save(tmp_path / "out")
    back = Rated.load(tmp_path / "out")
    assert back.ratings.equals(rate(season).ratings)
    with pytest.raises(PodiumError, match="there is no history"):
        _ = back.history


def test_ratings_are_read_from_the_beliefs_where_the_table_is_gone(tmp_path, season):
    rated = rate(season)
    rated.save(tmp_path / "out")
    (tmp_path / "out" / "ratings.parquet").unlink()
    assert Rated.load(tmp_path / "out").ratings.equals(rated.ratings)


def test_a_folder_without_ratings_is_named(tmp_path):
    with pytest.raises(PodiumError) as refused:
        Rated.load(tmp_path)
    assert str(refused.value) == (
        f"{tmp_path}: not a folder of ratings, because there is no beliefs.npz; "
        f"`podium rate FILE --out FOLDER` writes one."
    )


def test_a_damaged_table_is_named(tmp_path, season):
    rate(season).save(tmp_path)
    path = tmp_path / "history.parquet"
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(PodiumError) as refused:
        Rated.load(tmp_path)
    assert str(refused.value).startswith(f"{path}: cannot be read (")


def test_tables_are_written_as_parquet_or_csv_only(tmp_path, season):
    with pytest.raises(PodiumError) as refused:
        rate(season).save(tmp_path / "out", format="xlsx")
    assert str(refused.value) == "tables are written as parquet or csv, not 'xlsx'."
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "failure", [pl.exceptions.ComputeError("No space left on device"), OSError("disk on fire")]
)
def test_a_disk_that_fails_leaves_the_older_ratings(tmp_path, season, monkeypatch, failure):
    rated = rate(season)
    folder = tmp_path / "out"
    rated.save(folder)

    def fail(*_args, **_options):
        raise failure

    monkeypatch.setattr(pl.DataFrame, "write_parquet", fail)
    with pytest.raises(PodiumError) as refused:
        rate(season, "elo-mmx").save(folder)
    monkeypatch.undo()
    assert str(refused.value) == f"{folder}: cannot be written ({str(failure).lower()})."
    assert Rated.load(folder).history.equals(rated.history)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    "system",
    [
        systems.EloMMR(),
        systems.EloMMX(),
        systems.EloMMR(split_ties=True, rho=0.0),
    ],
    ids=["elo-mmr", "elo-mmx", "split ties"],
)
def test_the_number_of_threads_changes_no_bit(massive, system):
    alone = rate(massive, system, threads=1)
    for threads in (2, 4, None):
        shared = rate(massive, system, threads=threads)
        assert_same_beliefs(shared.beliefs, alone.beliefs)
        assert shared.history.equals(alone.history)


def test_keeping_a_history_changes_no_bit(massive):
    kept, not_kept = rate(massive), rate(massive, history=False)
    assert_same_beliefs(kept.beliefs, not_kept.beliefs)


def test_a_massive_run_resumed_after_every_contest_is_one_run(massive):
    at_once = rate(massive, threads=2)
    beliefs = None
    for number in range(len(massive)):
        beliefs = rate(massive[number : number + 1], beliefs=beliefs, threads=1).beliefs
    assert_same_beliefs(beliefs, at_once.beliefs)


@settings(max_examples=20)
@given(contests(max_contests=8), st.lists(st.integers(0, 8), max_size=4))
def test_one_run_or_many_is_the_same(whole, cuts):
    bounds = [0, *sorted(cuts), len(whole)]
    rated = None
    for first, last in pairwise(bounds):
        rated = rate(whole[first:last], beliefs=None if rated is None else rated.beliefs)
    assert_same_beliefs(rated.beliefs, rate(whole).beliefs)
    assert rated.ratings.equals(rate(whole).ratings)


def test_progress_rises_to_the_total(massive, monkeypatch):
    monkeypatch.setattr("podium.ratings.fold._ROWS_PER_STEP", 1000)
    calls = []
    rated = rate(massive, "elo-mmx", progress=lambda *numbers: calls.append(numbers))
    done = [rows for rows, _ in calls]
    assert done == sorted(set(done))
    assert len(done) == len(massive)
    assert done[-1] == massive.rows
    assert {total for _, total in calls} == {massive.rows}
    monkeypatch.undo()
    assert_same_beliefs(rated.beliefs, rate(massive, "elo-mmx").beliefs)


@given(st.lists(st.integers(1, 30), max_size=30), st.integers(1, 50))
def test_steps_cover_all_contests_once(sizes, rows):
    from podium.ratings import fold as rating

    offsets = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rating, "_ROWS_PER_STEP", rows)
        steps = list(rating.steps(offsets))
    assert [first for first, _ in steps] == [0, *(last for _, last in steps)][: len(steps)]
    assert sum(last - first for first, last in steps) == len(sizes)
    for first, last in steps:
        assert last == first + 1 or offsets[last] - offsets[first] <= rows


def test_given_beliefs_are_not_changed(season):
    beliefs, same = rate(season[:1]).beliefs, rate(season[:1]).beliefs
    rate(season[1:], beliefs=beliefs)
    assert_same_beliefs(beliefs, same)
    assert beliefs.pool.tobytes() == same.pool.tobytes()
    assert beliefs.arena.tobytes() == same.arena.tobytes()


def test_a_system_is_given_by_name_as_object_or_not_at_all(season):
    expected = rate(season, "elo-mmr", rho=1.0)
    for rated in (
        rate(season),
        rate(season, rho=1.0),
        rate(season, systems.EloMMR(rho=1.0)),
        rate(season, beliefs=Beliefs(systems.EloMMR())),
        rate(season, "elo-mmr", beliefs=Beliefs(systems.EloMMR())),
        rate(season, rho=1.0, beliefs=Beliefs(systems.EloMMR())),
    ):
        assert_same_beliefs(rated.beliefs, expected.beliefs)
    assert rate(season, "elo-mmx").system == systems.EloMMX()


@pytest.mark.parametrize("thing", [None, "results.csv", pl.DataFrame({"a": [1]})], ids=type)
def test_what_is_no_contests_is_refused(thing):
    assert refusal(thing) == (
        f"contests are needed, not {type(thing).__name__}; podium.read(path) or "
        f"podium.Contests.from_frame(frame) make them."
    )


def test_parameters_beside_a_system_object_are_refused(season):
    assert refusal(season, systems.EloMMR(), rho=2.0, history=False, sig_limit=1) == (
        "the system is given as an object, so its parameters are set already; "
        "rho, sig_limit cannot be given too."
    )


def test_a_system_other_than_that_of_the_beliefs_is_refused(tmp_path, season):
    beliefs = rate(season[:2], "elo-mmr", rho=0.5, noob_delay=[0.5]).beliefs
    path = tmp_path / "beliefs.npz"
    beliefs.save(path)
    leave = "leave the system out to go on with the same one."
    other_rho = systems.EloMMR(rho=2.0, noob_delay=[0.5])
    for earlier in (beliefs, path, str(path)):
        assert refusal(season[2:], "elo-mmx", beliefs=earlier) == (
            f"the earlier beliefs are of elo-mmr, not of elo-mmx; {leave}"
        )
        assert refusal(season[2:], systems.EloMMX(), beliefs=earlier) == (
            f"the earlier beliefs are of elo-mmr, not of elo-mmx; {leave}"
        )
        assert refusal(season[2:], other_rho, beliefs=earlier) == (
            f"the earlier beliefs are of elo-mmr with rho=0.5, not rho=2.0; {leave}"
        )
        assert refusal(season[2:], "elo-mmr", beliefs=earlier) == (
            f"the earlier beliefs are of elo-mmr with noob_delay=(0.5,), rho=0.5, "
            f"not noob_delay=(), rho=1.0; {leave}"
        )
        same = systems.EloMMR(rho=0.5, noob_delay=[0.5])
        assert rate(season[2:], same, beliefs=earlier).system == same


def test_contests_before_those_that_the_beliefs_have_seen_are_refused(season):
    beliefs = rate(season[1:2]).beliefs
    assert refusal(season[:1], beliefs=beliefs) == (
        "contest '1' at 1970-01-01 00:00:00 is earlier than 1970-01-02 00:00:00, the last one "
        "that the beliefs have seen; going on needs later contests."
    )


def test_a_contest_at_the_time_of_the_last_one_may_follow(season):
    beliefs = rate(season[:2]).beliefs
    again = Contests.from_frame(season[1:2].frame().with_columns(contest=pl.lit("2b")))
    assert rate(again, beliefs=beliefs).beliefs.rounds == 3


def test_beliefs_of_another_type_are_refused(season):
    assert refusal(season, beliefs=rate(season)) == (
        "beliefs are needed to go on from, as Rated.beliefs or a file of them, not Rated."
    )


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2"])
def test_threads_are_counted_from_one(season, threads):
    assert refusal(season, threads=threads) == (
        f"threads must be a whole number of at least 1, not {threads!r}."
    )


def test_nothing_to_rate_leaves_beliefs_as_they_are(season):
    beliefs = rate(season).beliefs
    assert_same_beliefs(rate(season[:0], beliefs=beliefs).beliefs, beliefs)
    assert rate(season[:0]).ratings.height == 0


def test_players_of_earlier_contests_alone_stay_in_the_ratings(season):
    rated = rate(season[2:], beliefs=rate(season[:2]).beliefs)
    assert set(rated.ratings["player"]) == {"007", "ann", "bob", "cat"}
    assert rated.history["player"].to_list() == ["cat"]
    assert rated.history_of("ann").height == 0


def test_a_systems_parameter_called_history_is_not_mistaken_for_the_option():
    with pytest.raises(PodiumError, match=r"history must be True or False, not 8; .*system"):
        rate(simulate(players=3, rounds=2), history=8)


def test_a_leaderboard_of_fewer_than_no_players_is_refused():
    rated = rate(simulate(players=3, rounds=2))
    with pytest.raises(PodiumError, match="a leaderboard of -1 players cannot be"):
        rated.leaderboard(-1)
    assert rated.leaderboard(0).height == 0


def test_a_contest_that_was_rated_already_is_refused(season, tmp_path):
    rated = rate(season)
    rated.beliefs.save(tmp_path / "beliefs.npz")
    again = f"contest {season[-1].id!r} has been rated already, in the earlier run."
    assert refusal(season[-1:], beliefs=rated.beliefs) == again
    assert refusal(season[-1:], beliefs=tmp_path / "beliefs.npz") == again


def test_other_contests_of_the_time_at_which_a_run_ended_can_follow():
    def contest(name):
        return Contests.from_records(
            {"contest": name, "time": 0, "player": player, "rank": rank}
            for rank, player in enumerate(("ann", "bob"), start=1)
        )

    beliefs = rate(contest("b"), beliefs=rate(contest("a")).beliefs).beliefs
    assert beliefs.latest == ["a", "b"]
    for name in ("a", "b"):
        assert "has been rated already" in refusal(contest(name), beliefs=beliefs)
    assert rate(contest("c"), beliefs=beliefs).beliefs.rounds == 3


def test_members_of_a_team_with_different_ranks_are_refused_by_systems_of_teams(formula_one):
    with pytest.raises(PodiumError) as refused:
        rate(formula_one, "elo-mmx")
    assert str(refused.value) == (
        "contest '1950-01-race': 'luigi-fagioli' of team 'alfa-romeo' has rank 2, unlike others "
        "of the team, but for elo-mmx a team takes one place; Contests.without_teams() or "
        "--ignore-teams rates players one by one."
    )
    alone = rate(formula_one.without_teams(), "elo-mmx")
    assert alone.ratings.height == len(formula_one.players)
    assert rate(formula_one, "elo-mmr").ratings.height == alone.ratings.height


def scored_matches(*outcomes) -> Contests:
    """Matches of ann and bob, a day apart."""
    return Contests.from_records(
        {"contest": f"m{day}", "time": day, "player_a": "ann", "player_b": "bob", "outcome": score}
        for day, score in enumerate(outcomes)
    )


@given(match_lists(scores=True), st.integers(0, 10))
def test_matches_with_scores_are_rated_in_one_run_or_many(frame, cut):
    whole = Contests.from_matches(frame)
    at_once = rate(whole, Scored())
    first = rate(whole[:cut], Scored())
    assert_same_beliefs(rate(whole[cut:], beliefs=first.beliefs).beliefs, at_once.beliefs)


def test_a_score_counts_where_it_is_taken():
    won, nearly = (rate(scored_matches(outcome), Scored()) for outcome in (1, 0.75))
    assert nearly.ratings["mu"][0] == won.ratings["mu"][0] + 0.75


@pytest.mark.parametrize(
    ("takers", "hint"), [([], ""), (["luck", "scored"], "; scores are for luck, scored")]
)
def test_scores_are_refused_by_systems_of_wins_and_draws(monkeypatch, takers, hint):
    monkeypatch.setattr(systems, "with_scores", lambda: takers)
    for name in ("elo", "elo-mmr"):
        assert refusal(scored_matches(1, 0.5, 0.3, 0.8), name) == (
            f"match 'm2' has the score 0.7, but {name} takes wins, draws and losses{hint}."
        )
        assert rate(scored_matches(1, 0.5, 0.0), name).beliefs.rounds == 3
        assert rate(scored_matches(1, 0.5, 0.3)[:2], name).beliefs.rounds == 2


def test_contests_of_more_players_than_a_system_rates_are_refused(season):
    beliefs = rate(season[2:], Scored()).beliefs
    later = Contests.from_frame(
        pl.DataFrame({"contest": "late", "time": 10**6, "player": ["a", "b", "c"], "rank": 1})
    )
    others = ", ".join(systems.of_any_size())
    assert refusal(season, Scored()) == (
        f"contest '1' is of 3 players, but scored rates contests of at most 2; "
        f"{others} rate any number."
    )
    assert "elo-mmr" in others
    assert refusal(later, beliefs=beliefs).startswith("contest 'late' is of 3 players, but scored")
    assert beliefs.names == ["cat"]
    assert rate(season[1:], Scored()).ratings["contests"].to_list() == [1, 1, 1]


def test_one_wrong_rank_does_not_make_a_league_of_teams_one_of_players():
    rows = [
        {"contest": day, "time": day, "player": player, "team": team, "rank": rank}
        for day in range(5)
        for player, team, rank in [("a", "x", 1), ("b", "x", 1), ("c", "y", 2), ("d", "y", 2)]
    ]
    rows[1]["rank"] = 2
    contests = Contests.from_records(rows, rerank=True)
    with pytest.raises(PodiumError, match="these are contests of teams"):
        rate(contests, "elo-mmr")
    with pytest.raises(PodiumError, match="'b' of team 'x' has rank 2, unlike others"):
        rate(contests, "trueskill")


FORMULAS = ["=1+1", "+1", "-1", "@x", "\uff1d1", "'=1", "''@x", "'ann", "7", "-", "a\t=1", "ann"]


def test_csv_for_spreadsheets_has_no_formulas_and_comes_back_exactly(tmp_path):
    frame = pl.DataFrame(
        {
            "contest": "=contest",
            "time": 0,
            "player": FORMULAS,
            "rank": range(1, len(FORMULAS) + 1),
        }
    )
    rated = rate(Contests.from_frame(frame), "glicko", mu_new=-5.0)
    rated.save(tmp_path / "ratings", format="csv")
    for name in ("ratings", "history"):
        texts = pl.read_csv(tmp_path / "ratings" / f"{name}.csv", infer_schema=False)
        for column, kind in getattr(rated, name).schema.items():
            if kind == pl.String:
                assert not texts[column].str.contains("^[=+@\uff1d-]").any()
            elif kind.is_float():
                assert not texts[column].str.contains("'").any()
        assert texts["mu"].str.contains("^-[0-9]").any()
    assert texts["contest"].unique().to_list() == ["'=contest"]
    back = Rated.load(tmp_path / "ratings")
    assert back.history.equals(rated.history)
    assert back.ratings["player"].to_list() == rated.ratings["player"].to_list()
    assert back.history_of("=1+1").height == 1


def test_parquet_has_names_exactly(tmp_path):
    frame = pl.DataFrame({"contest": "a", "time": 0, "player": FORMULAS[:2], "rank": [1, 2]})
    rate(Contests.from_frame(frame), "elo").save(tmp_path / "ratings")
    found = pl.read_parquet(tmp_path / "ratings" / "ratings.parquet")
    assert sorted(found["player"]) == sorted(FORMULAS[:2])


def test_histories_from_before_names_had_one_spelling_are_found(tmp_path):
    frame = pl.DataFrame({"contest": "a", "time": 0, "player": ["ann", "bob"], "rank": [1, 2]})
    rate(Contests.from_frame(frame), "elo").save(tmp_path / "ratings")
    path = tmp_path / "ratings" / "history.parquet"
    pl.read_parquet(path).with_columns(pl.col("player") + " ").write_parquet(path)
    assert Rated.load(tmp_path / "ratings").history_of("ann").height == 1
