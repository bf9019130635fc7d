import datetime
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from podium import Contests, PodiumError, rate
from podium.results import tables
from tests.comparing import assert_same_beliefs
from tests.strategies import NAMES, competition_ranks, contests, long_tables, match_lists

SEASON = {
    "contest": ["spring", "spring", "spring", "summer", "summer"],
    "time": ["2026-03-01", "2026-03-01", "2026-03-01", "2026-06-01", "2026-06-01"],
    "player": ["ann", "bob", "cat", "bob", "ann"],
    "rank": [1, 2, 2, 1, 2],
}


def season(**changes) -> pl.DataFrame:
    """The season with some columns changed, or left out where None."""
    data = {**SEASON, **changes}
    return pl.DataFrame(
        {name: values for name, values in data.items() if values is not None}, strict=False
    )


def shuffled(frame: pl.DataFrame, seed: int) -> pl.DataFrame:
    return frame[np.random.default_rng(seed).permutation(frame.height)]


def refusal(make, *args, **options) -> str:
    """The sentence with which something is refused."""
    with pytest.raises(PodiumError) as refused:
        make(*args, **options)
    return str(refused.value)


def test_columns_hold_the_contests_one_after_the_other():
    columns = Contests.from_frame(season()).columns
    assert_array_equal(columns.offsets, [0, 3, 5])
    assert_array_equal(columns.player, [0, 1, 2, 1, 0])
    assert_array_equal(columns.rank, [1, 2, 2, 1, 2])
    assert_array_equal(columns.time, np.array([1_772_323_200, 1_780_272_000]) * 1_000_000)
    assert_array_equal(columns.weight, [1.0, 1.0])
    assert_array_equal(columns.perf_ceiling, [np.inf, np.inf])
    assert columns.team is None
    assert columns.side is None


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda frame: frame.lazy(), id="lazy"),
        pytest.param(lambda frame: pd.DataFrame(frame.to_dict(as_series=False)), id="pandas"),
        pytest.param(lambda frame: frame.to_arrow(), id="arrow"),
        pytest.param(
            lambda frame: frame.cast({"contest": pl.Categorical, "player": pl.Categorical}),
            id="categorical",
        ),
        pytest.param(
            lambda frame: frame.cast({"player": pl.Enum(["cat", "bob", "nobody", "ann"])}),
            id="enum",
        ),
        pytest.param(lambda frame: frame.cast({"rank": pl.UInt8}), id="small ranks"),
        pytest.param(lambda frame: frame.cast({"rank": pl.Float32}), id="ranks as floats"),
        pytest.param(lambda frame: frame.cast({"rank": pl.String}), id="ranks as text"),
        pytest.param(
            lambda frame: frame.cast({"rank": pl.String}).cast({"rank": pl.Categorical}),
            id="ranks as categories",
        ),
        pytest.param(lambda frame: frame.with_columns(pl.col("time").str.to_date()), id="dates"),
        pytest.param(
            lambda frame: frame.with_columns(pl.col("time").str.to_datetime(time_zone="UTC")),
            id="datetimes",
        ),
        pytest.param(
            lambda frame: frame.with_columns(pl.col("time").str.to_datetime().dt.epoch("s")),
            id="unix seconds",
        ),
        pytest.param(lambda frame: frame.with_columns(note=pl.lit("?")), id="another column"),
        pytest.param(lambda frame: frame.select(reversed(frame.columns)), id="columns reversed"),
    ],
)
def test_every_kind_of_table_gives_the_same_contests(make):
    assert Contests.from_frame(make(season())) == Contests.from_frame(season())


def test_records_give_the_same_contests():
    assert Contests.from_records(season().to_dicts()) == Contests.from_frame(season())
    assert Contests.from_records(iter(season().to_dicts())) == Contests.from_frame(season())


def test_a_pandas_frame_of_categories_and_timestamps_is_taken_as_it_is():
    frame = pd.DataFrame(SEASON)
    frame["time"] = pd.to_datetime(frame["time"])
    frame["player"] = frame["player"].astype("category")
    assert Contests.from_frame(frame) == Contests.from_frame(season())


def test_other_names_of_columns_are_mapped():
    renamed = season().rename({"player": "handle", "contest": "event"})
    mapped = Contests.from_frame(renamed, columns={"player": "handle", "contest": "event"})
    assert mapped == Contests.from_frame(season())


def test_a_column_may_serve_twice():
    frame = season(contest=None, time=None, round=[1, 1, 1, 2, 2])
    rounds = Contests.from_frame(frame, columns={"contest": "round", "time": "round"})
    assert [contest.id for contest in rounds] == ["1", "2"]
    assert_array_equal(rounds.columns.time, [1_000_000, 2_000_000])


@pytest.mark.parametrize("name", ["*", "^.*$"])
def test_a_mapped_name_is_a_name_and_not_a_pattern(name):
    renamed = season().rename({"player": name})
    assert Contests.from_frame(renamed, columns={"player": name}) == Contests.from_frame(season())


def test_the_highest_score_is_best():
    scored = Contests.from_frame(season(rank=None, score=[9.5, 3, 3, 1, -1]))
    assert scored == Contests.from_frame(season())


def test_the_lowest_score_is_best_if_one_says_so():
    frame = season(rank=None, score=[61.25, 65, 65, 60, 70])
    assert Contests.from_frame(frame, lowest_score_wins=True) == Contests.from_frame(season())


@pytest.mark.parametrize(
    "score",
    [
        pytest.param(["30", "4", "4", "1e2", "7"], id="texts"),
        pytest.param([2**62 + 1, 2**62, 2**62, 1, 0], id="large integers"),
        pytest.param([0.1 + 0.2, 0.3, 0.3, 0.0, -1.0], id="close floats"),
        pytest.param(
            [datetime.timedelta(seconds=s) for s in (1, 3, 3, 1, 2)], id="lengths of time"
        ),
    ],
)
def test_scores_are_compared_as_numbers_and_exactly(score):
    assert Contests.from_frame(season(rank=None, score=score)) == Contests.from_frame(season())


def test_zero_and_minus_zero_are_the_same_score():
    tied = Contests.from_frame(season(rank=None, score=[0.0, -0.0, 0.0, 1.0, 1.0]))
    assert_array_equal(tied.columns.rank, [1, 1, 1, 1, 1])


def test_a_rank_goes_before_a_score_unless_the_score_is_asked_for():
    frame = season(score=[0, 1, 1, 0, 1]).with_columns(points=-pl.col("rank"))
    assert Contests.from_frame(frame) == Contests.from_frame(season())
    scored = Contests.from_frame(frame, columns={"score": "score"})
    assert scored[0].standings == [(1, "bob"), (1, "cat"), (3, "ann")]


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=12),
    st.booleans(),
)
def test_ranks_from_scores_are_competition_ranks(scores, lowest):
    frame = pl.DataFrame({"player": [f"p{i}" for i in range(len(scores))], "score": scores})
    frame = frame.with_columns(contest=pl.lit("c"), time=pl.lit(0))
    contest = Contests.from_frame(frame, lowest_score_wins=lowest)[0]
    sign = 1 if lowest else -1
    for rank, name in contest.standings:
        own = scores[int(name[1:])]
        assert rank == 1 + sum(sign * score < sign * own for score in scores)


def test_rows_are_sorted_by_rank_and_then_by_name():
    frame = season(player=["zoe", "Zoe", "ann", "b", "a"], rank=[1, 2, 2, 1, 1])
    first, second = Contests.from_frame(frame)
    assert first.standings == [(1, "zoe"), (2, "Zoe"), (2, "ann")]
    assert second.standings == [(1, "a"), (1, "b")]


@pytest.mark.parametrize(
    ("ids", "ordered"),
    [
        (["round-10", "round-9", "round-2"], ["round-2", "round-9", "round-10"]),
        ([10, 9, 2], ["2", "9", "10"]),
        (["b", "B", "a"], ["B", "a", "b"]),
        (["2x", "2", "x2"], ["2", "2x", "x2"]),
        (["1.10", "1.9", "1"], ["1", "1.9", "1.10"]),
        (["01", "1", "001"], ["001", "01", "1"]),
    ],
    ids=str,
)
def test_contests_of_one_time_are_ordered_by_identifier_with_numbers_by_value(ids, ordered):
    frame = pl.DataFrame({"contest": ids, "time": 0, "player": "ann", "rank": 1})
    assert [contest.id for contest in Contests.from_frame(frame)] == ordered


def test_time_goes_before_the_identifier():
    frame = pl.DataFrame(
        {"contest": ["a", "d", "c", "b"], "time": [3, 1, 2, 2], "player": "ann", "rank": 1}
    )
    assert [contest.id for contest in Contests.from_frame(frame)] == ["d", "b", "c", "a"]


def test_without_sorting_contests_stay_in_the_order_of_appearance():
    frame = pl.DataFrame(
        {
            "contest": ["b", "a", "b", "c", "a"],
            "time": [1, 1, 1, 2, 1],
            "player": ["x", "x", "y", "x", "y"],
            "rank": [2, 1, 1, 1, 2],
        }
    )
    unsorted = Contests.from_frame(frame, sort=False)
    assert [contest.id for contest in unsorted] == ["b", "a", "c"]
    assert unsorted[0].standings == [(1, "y"), (2, "x")]


def test_without_sorting_time_must_not_go_back():
    frame = season(time=["2026-06-01"] * 3 + ["2026-03-01"] * 2)
    assert refusal(Contests.from_frame, frame, sort=False) == (
        "row 3: time goes back from 2026-06-01 00:00:00 to 2026-03-01 00:00:00; "
        "without sort=False or --keep-order, they are sorted."
    )
    assert [contest.id for contest in Contests.from_frame(frame)] == ["summer", "spring"]


@given(long_tables(), st.integers(0, 2**32 - 1))
def test_the_order_of_the_rows_changes_nothing(frame, seed):
    assert Contests.from_frame(shuffled(frame, seed)) == Contests.from_frame(frame)


@settings(max_examples=30)
@given(long_tables(), st.integers(0, 2**32 - 1))
def test_the_order_of_the_rows_changes_no_bit_of_a_rating(frame, seed):
    one = rate(Contests.from_frame(frame))
    other = rate(Contests.from_frame(shuffled(frame, seed)))
    assert_same_beliefs(one.beliefs, other.beliefs)
    assert one.history.equals(other.history)


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_rows_sorted_in_parts_are_those_sorted_at_once(rows, monkeypatch):
    monkeypatch.setattr(tables, "_ROWS_AT_ONCE", rows)

    @given(long_tables(), st.integers(0, 2**32 - 1))
    def check(frame, seed):
        with monkeypatch.context() as at_once:
            at_once.setattr(tables, "_ROWS_AT_ONCE", 10**9)
            whole = Contests.from_frame(frame)
        assert Contests.from_frame(frame) == whole
        assert Contests.from_frame(whole.frame()) == whole
        assert Contests.from_frame(shuffled(frame, seed)) == whole

    check()


@given(match_lists(), st.integers(0, 2**32 - 1))
def test_the_order_of_the_matches_changes_nothing(frame, seed):
    assert Contests.from_matches(shuffled(frame, seed)) == Contests.from_matches(frame)


def test_the_order_of_the_rows_changes_nothing_on_codeforces_of_2010(codeforces_frame):
    first = codeforces_frame.filter(pl.col("time") < codeforces_frame["time"].min() + 180 * 86_400)
    contests = Contests.from_frame(first)
    other = Contests.from_frame(shuffled(first, 1))
    assert other == contests
    assert_same_beliefs(rate(contests).beliefs, rate(other).beliefs)


@pytest.mark.slow
def test_the_order_of_the_rows_changes_no_bit_of_a_rating_on_all_of_codeforces(
    codeforces_frame, codeforces
):
    _, contests_at = np.unique(codeforces.columns.time, return_counts=True)
    assert np.count_nonzero(contests_at > 1) == 262
    other = Contests.from_frame(shuffled(codeforces_frame, 7))
    assert other == codeforces
    one = rate(codeforces, history=False)
    assert_same_beliefs(one.beliefs, rate(other, history=False).beliefs)


@given(long_tables())
def test_the_long_table_comes_back(frame):
    contests = Contests.from_frame(frame)
    assert Contests.from_frame(contests.frame()) == contests
    back = contests.frame().sort("contest", "player")
    given_rows = frame.sort("contest", "player")
    for name in ("contest", "player", "rank"):
        assert back[name].to_list() == given_rows[name].to_list()
    if "weight" in back.columns:
        assert back["weight"].to_list() == given_rows["weight"].to_list()
    if "perf_ceiling" in back.columns:
        assert back["perf_ceiling"].to_list() == given_rows["perf_ceiling"].to_list()


def test_contests_of_one_player_are_legal():
    alone = Contests.from_frame(season()[:1])
    assert alone[0].standings == [(1, "ann")]
    assert repr(alone) == "<Contests: 1 contest, 1 row, 1 player, 2026-03-01 to 2026-03-01>"
    assert repr(alone[0]) == "<Contest 'spring', 2026-03-01 00:00, 1 player>"


def test_contests_in_which_all_are_tied_are_legal():
    tied = Contests.from_frame(season(rank=[1] * 5))
    assert_array_equal(tied.columns.rank, [1] * 5)


def test_standings_with_gaps_are_legal_if_one_says_so():
    gaps = season(rank=[2, 5, 5, 10, 11])
    assert Contests.from_frame(gaps, rerank=True) == Contests.from_frame(season())
    huge = season(rank=[1, 2**60, 2**60, 7, 8])
    assert Contests.from_frame(huge, rerank=True) == Contests.from_frame(season())


def test_ceilings_and_weights_may_be_missing_where_there_are_none():
    contests = Contests.from_frame(
        season(weight=[2, 2, 2, None, None], perf_ceiling=[None, None, None, 1700, 1700])
    )
    assert [contest.weight for contest in contests] == [2.0, 1.0]
    assert [contest.perf_ceiling for contest in contests] == [None, 1700.0]
    assert Contests.from_frame(contests.frame()) == contests


def test_teams_and_names_are_kept():
    contests = Contests.from_frame(
        season(team=["red", None, "blue", None, "red"], name=["Spring Cup"] * 3 + [None] * 2)
    )
    assert contests.teams.to_list() == ["blue", "red"]
    assert_array_equal(contests.columns.team, [1, -1, 0, -1, 1])
    assert contests.frame()["team"].to_list() == ["red", None, "blue", None, "red"]
    assert contests.summary()["name"].to_list() == ["Spring Cup", None]
    assert Contests.from_frame(contests.frame()) == contests


TEAMS = {
    "contest": ["cup"] * 5,
    "time": [0] * 5,
    "player": ["ann", "bob", "cat", "dan", "eve"],
    "team": ["red", "blue", "red", "blue", None],
}


def test_ranks_may_count_players_or_teams():
    by_players = Contests.from_frame(pl.DataFrame({**TEAMS, "rank": [3, 1, 3, 1, 5]}))
    by_teams = Contests.from_frame(pl.DataFrame({**TEAMS, "rank": [2, 1, 2, 1, 3]}))
    assert by_players.columns.rank.tolist() == [1, 1, 3, 3, 5]
    assert by_teams.columns.rank.tolist() == [1, 1, 2, 2, 3]
    assert by_teams[0].players == by_players[0].players == ["bob", "dan", "ann", "cat", "eve"]
    assert Contests.from_frame(by_teams.frame()) == by_teams
    with pytest.raises(PodiumError, match="rank 2 of player 'ann' in contest 'cup' cannot be"):
        Contests.from_frame(pl.DataFrame({**TEAMS, "rank": [2, 1, 3, 1, 4]}))


def test_without_teams_every_player_is_alone():
    teams = Contests.from_frame(pl.DataFrame({**TEAMS, "rank": [2, 1, 2, 1, 3]}))
    alone = teams.without_teams()
    assert alone.columns.team is alone.teams is None
    assert alone.columns.rank.tolist() == [1, 1, 3, 3, 5]
    assert Contests.from_frame(alone.frame()) == alone


def test_shares_and_margins_are_kept():
    contests = Contests.from_frame(season(share=[0.5, None, 1, 1, 1], margin=[3, 3, 3, None, None]))
    assert sorted(contests.columns.share.tolist()) == [0.5, 1.0, 1.0, 1.0, 1.0]
    assert_array_equal(contests.columns.margin, [3.0, np.nan])
    assert contests.frame()["margin"].to_list() == [3.0, 3.0, 3.0, None, None]
    assert Contests.from_frame(contests.frame()) == contests
    assert_array_equal(contests[1:].columns.margin, [np.nan])
    plain = Contests.from_frame(season(contest=["x", "x", "x", "y", "y"]))
    both = Contests.concat([plain, contests])
    assert_array_equal(np.sort(both.columns.margin), [3.0, np.nan, np.nan, np.nan])
    assert both.columns.share.sum() == pytest.approx(9.5)


@pytest.mark.parametrize(
    ("extra", "sentence"),
    [
        (
            {"share": [0, 1, 1, 1, 1]},
            "row 0: share 0 of player {player!r} is not a number from 0.0001 to 1; "
            "leave out who did not play.",
        ),
        (
            {"share": [1.0, 1.5, 1.0, 1.0, 1.0]},
            "row 1: share 1.5 of player {player!r} is not a number from 0.0001 to 1; "
            "leave out who did not play.",
        ),
        (
            {"margin": [-1, -1, -1, 0, 0]},
            "row 0: margin -1 is not a number of at least 0.",
        ),
        (
            {"margin": [1, 1, 2, 0, 0]},
            "row 2: contest {contest!r} has two values of margin, 1 and 2.",
        ),
    ],
)
def test_shares_and_margins_that_cannot_be(extra, sentence):
    frame = season(**extra)
    row = int(sentence[4])
    told = sentence.format(player=frame["player"][row], contest=frame["contest"][row])
    with pytest.raises(PodiumError) as refused:
        Contests.from_frame(frame)
    assert str(refused.value) == told


def test_shares_and_margins_follow_their_contests():
    def one(name, time, **extra):
        frame = {"contest": name, "time": time, "player": ["ann", "bob"], "rank": [2, 1], **extra}
        return Contests.from_frame(pl.DataFrame(frame))

    both = Contests.concat([one("b", 86_400, share=[0.5, 1.0], margin=3.0), one("a", 0)]).frame()
    assert both["player"].to_list() == ["bob", "ann", "bob", "ann"]
    assert both["share"].to_list() == [1.0, 1.0, 1.0, 0.5]
    assert both["margin"].to_list() == [None, None, 3.0, 3.0]


def test_scores_of_matches_give_outcome_and_margin():
    scores = {
        "time": [0, 1, 2],
        "player_a": ["ann", "bob", "cat"],
        "player_b": ["bob", "cat", "ann"],
        "score_a": [3, 1, 0],
        "score_b": [1, 1, 2],
    }
    contests = Contests.from_matches(pl.DataFrame(scores))
    assert [contest.standings for contest in contests] == [
        [(1, "ann"), (2, "bob")],
        [(1, "bob"), (1, "cat")],
        [(1, "ann"), (2, "cat")],
    ]
    assert contests.columns.margin.tolist() == [2.0, 0.0, 2.0]
    shootout = Contests.from_matches(pl.DataFrame({**scores, "outcome": [1, 0, 0]}))
    assert shootout[1].standings == [(1, "cat"), (2, "bob")]
    with pytest.raises(PodiumError, match="row 1: score_b nan is not a finite number"):
        Contests.from_matches(pl.DataFrame({**scores, "score_b": [1.0, np.nan, 0.0]}))


def test_a_team_column_may_be_empty():
    contests = Contests.from_frame(season(team=[None] * 5))
    assert_array_equal(contests.columns.team, [-1] * 5)
    assert Contests.from_frame(contests.frame()) == contests


def test_numbers_may_be_names():
    contests = Contests.from_frame(season(player=[10, 9, 8, 9, 10], contest=[7, 7, 7, 8, 8]))
    assert contests[0].id == "7"
    assert contests[0].players == ["10", "8", "9"]


def test_summary_has_a_row_for_each_contest():
    summary = Contests.from_frame(season(weight=[1, 1, 1, 0.5, 0.5])).summary()
    assert summary.columns == ["contest", "time", "players", "weight"]
    assert summary["contest"].to_list() == ["spring", "summer"]
    assert summary["players"].to_list() == [3, 2]
    assert summary["weight"].to_list() == [1.0, 0.5]
    assert summary["time"].to_list() == [
        datetime.datetime(2026, 3, 1),
        datetime.datetime(2026, 6, 1),
    ]


def test_formula_one_keeps_its_constructors_and_its_ties_for_last(formula_one):
    assert len(formula_one.players) == 792
    assert formula_one.rows == 26_225
    assert formula_one.columns.team is not None
    for contest in formula_one[:50]:
        ties = [contest.rank[i] == contest.rank[i - 1] for i in range(1, len(contest))]
        assert contest.rank.tolist() == competition_ranks([False, *ties])


def test_an_empty_table_is_refused():
    assert refusal(Contests.from_frame, season()[:0]) == (
        "there are no results: the table has no rows."
    )
    assert refusal(Contests.from_records, []) == "there are no results: the list is empty."


@pytest.mark.parametrize(
    ("names", "helps"),
    [
        (["time"], "say time=DATE or --time DATE; "),
        (["contest", "time"], "say contest=NAME, time=DATE or --contest NAME --time DATE; "),
        (["player"], ""),
    ],
)
def test_a_missing_column_is_named_with_those_that_there_are(names, helps):
    frame = season().drop(names)
    listed = ", ".join(repr(column) for column in frame.columns)
    missing, name = " or ".join(map(repr, names)), names[-1]
    assert refusal(Contests.from_frame, frame) == (
        f"there is no column {missing} among {listed}; {helps}if it has another name, "
        f"say columns={{{name!r}: NAME}} or --columns {name}=NAME."
    )


def test_a_long_list_of_columns_is_cut_short():
    wide = pl.DataFrame({f"c{i}": [0] for i in range(30)})
    assert "'c10', 'c11', …; if it" in refusal(Contests.from_frame, wide)


def test_results_without_rank_and_score_are_refused():
    assert refusal(Contests.from_frame, season(rank=None)) == (
        "there is no column 'rank', 'score' or 'outcome' among 'contest', 'time', 'player'; if it "
        "has another name, say columns={'rank': NAME} or columns={'score': NAME}, or "
        "--columns rank=NAME or --columns score=NAME."
    )


def test_unknown_names_to_map_are_refused():
    assert refusal(Contests.from_frame, season(), columns={"handle": "player"}).startswith(
        "there is no column 'handle' to map; podium's are 'contest', 'time', 'player', "
    )
    assert refusal(Contests.from_frame, season(), columns={"player": "handle"}) == (
        "there is no column 'handle' to take as 'player'; "
        "the columns are 'contest', 'time', 'player', 'rank'."
    )


@pytest.mark.parametrize("thing", [SEASON, [1, 2], None, "results.csv", 7], ids=repr)
def test_what_is_no_table_is_refused(thing):
    assert refusal(Contests.from_frame, thing) == (
        f"a table is needed: a polars or pandas frame or anything with the Arrow interface, "
        f"not {type(thing).__name__}."
    )


def test_a_pandas_frame_of_mixed_types_is_refused():
    frame = pd.DataFrame({**SEASON, "player": ["ann", 1, "cat", "bob", "ann"]})
    assert refusal(Contests.from_frame, frame).startswith("the table cannot be read: ")


@pytest.mark.parametrize(
    "records",
    [
        [{"contest": "a", "time": 0, "player": "\ud800", "rank": 1}],
        [{"contest": "a", "time": 0, "player": ["ann"], "rank": 1}, {"player": "bob"}],
    ],
    ids=["half a character", "a list among names"],
)
def test_records_that_make_no_table_are_refused(records):
    assert refusal(Contests.from_records, records).startswith("the records do not make a table: ")


NOT_A_TIME = "is not a date (2026-05-01), a datetime (2026-05-01T18:30:00) or unix seconds."
SAY_SO = (
    "say unfinished='last' to put those who started behind all others, tied, or unfinished='drop' "
    "to leave them out (--unfinished last, --unfinished drop)."
)
LEAVE_OUT = "say unfinished='drop' or --unfinished drop to leave out matches without one."
NOT_A_RANK = "is not a whole number from 1 on."
RERANK = "(say rerank=True or --rerank to use only the order of the ranks)."


def changed(name: str, row: int, value) -> dict:
    """The season's column with one value changed."""
    values = list(SEASON.get(name, []))
    values[row] = value
    return {name: values}


BAD_ROWS = {
    "no contest": (changed("contest", 1, None), "row 1: contest is missing."),
    "contest NaN": ({"contest": [1.0, 1.0, 1.0, np.nan, 2.0]}, "row 3: contest is missing."),
    "empty contest": (changed("contest", 4, ""), "row 4: contest is empty."),
    "no player": (changed("player", 3, None), "row 3: player is missing."),
    "player NaN": ({"player": [1.0, 2.0, 3.0, np.nan, 2.0]}, "row 3: player is missing."),
    "empty player": (changed("player", 3, ""), "row 3: player is empty."),
    "no time": (changed("time", 2, None), "row 2: time is missing."),
    "no time among numbers": ({"time": [1, 1, None, 2, 2]}, "row 2: time is missing."),
    "no time at all": ({"time": [None] * 5}, "row 0: time is missing."),
    "no rank": (changed("rank", 1, None), f"row 1: rank is missing for player 'bob'; {SAY_SO}"),
    "rank 0": (changed("rank", 0, 0), f"row 0: rank 0 {NOT_A_RANK}"),
    "rank -1": (changed("rank", 4, -1), f"row 4: rank -1 {NOT_A_RANK}"),
    "rank 1.5": ({"rank": [1, 1.5, 2, 1, 2]}, f"row 1: rank 1.5 {NOT_A_RANK}"),
    "rank NaN": ({"rank": [1, 2, 2, 1, np.nan]}, f"row 4: rank nan {NOT_A_RANK}"),
    "rank inf": ({"rank": [1, 2, 2, 1, np.inf]}, f"row 4: rank inf {NOT_A_RANK}"),
    "rank x": ({"rank": ["1", "2", "x", "1", "2"]}, f"row 2: rank 'x' {NOT_A_RANK}"),
    "rank too large": (
        {"rank": pl.Series([1, 2**64 - 1, 2, 1, 2], dtype=pl.UInt64)},
        f"row 1: rank 18446744073709551615 {NOT_A_RANK}",
    ),
    "ranks in lists": (
        {"rank": [[1], [2], [2], [1], [2]]},
        "column 'rank' holds List(Int64); numbers, texts or times are needed.",
    ),
    "names in bytes": (
        {"player": [b"a", b"b", b"c", b"b", b"\xff"]},
        "column 'player' holds Binary; numbers, texts or times are needed.",
    ),
    "dense ranks": (
        {"rank": [1, 1, 2, 1, 2]},
        f"row 2: rank 2 of player 'cat' in contest 'spring' cannot be, because 2 are ahead: "
        f"it should be 3 {RERANK}",
    ),
    "gap": (
        changed("rank", 4, 3),
        f"row 4: rank 3 of player 'ann' in contest 'summer' cannot be, because 1 is ahead: "
        f"it should be 2 {RERANK}",
    ),
    "nobody first": (
        {"rank": [1, 2, 2, 2, 3]},
        f"row 3: rank 2 of player 'bob' in contest 'summer' cannot be, because none are ahead: "
        f"it should be 1 {RERANK}",
    ),
    "no score": (
        {"rank": None, "score": [3, None, 1, 2, 1]},
        f"row 1: score is missing for player 'bob'; {SAY_SO}",
    ),
    "score NaN": (
        {"rank": None, "score": [3.0, 2.0, np.nan, 2.0, 1.0]},
        "row 2: score nan is not a finite number.",
    ),
    "score -inf": (
        {"rank": None, "score": [3.0, 2.0, -np.inf, 2.0, 1.0]},
        "row 2: score -inf is not a finite number.",
    ),
    "score text": (
        {"rank": None, "score": ["3", "2", "1", "DNF", "1"]},
        f"row 3: score is missing for player 'bob' (DNF); {SAY_SO}",
    ),
    "player twice": (
        changed("player", 2, "ann"),
        "row 2: player 'ann' stands twice in contest 'spring'; each player has one result.",
    ),
    "two times": (
        changed("time", 1, "2026-03-02"),
        "row 1: contest 'spring' has two times, 2026-03-01 and 2026-03-02; each contest needs a "
        "name of its own (columns={'contest': NAME} or --columns contest=NAME).",
    ),
    "two times in seconds": (
        {"time": [5, 5, 6, 7, 7]},
        "row 2: contest 'spring' has two times, 5 and 6; each contest needs a name of its own "
        "(columns={'contest': NAME} or --columns contest=NAME).",
    ),
    "two weights": (
        {"weight": [1, 1, 1, 2, 3]},
        "row 4: contest 'summer' has two values of weight, 2 and 3.",
    ),
    "a weight and none": (
        {"weight": [1, 1, 1, 2, None]},
        "row 4: contest 'summer' has two values of weight, 2 and 1.",
    ),
    "two ceilings": (
        {"perf_ceiling": [1500, 1600, 1500, 1, 1]},
        "row 1: contest 'spring' has two values of perf_ceiling, 1500 and 1600.",
    ),
    "two names": (
        {"name": ["Ann", "Bob", "Cat", "Bob", "Ann"]},
        "row 1: contest 'spring' has two names, 'Ann' and 'Bob'; `name` is the contest's.",
    ),
    "weight 0": (
        {"weight": [1, 1, 1, 0, 0]},
        "row 3: weight 0 is not a number from 0.0001 to 10,000.",
    ),
    "weight negative": (
        {"weight": [-0.5] * 5},
        "row 0: weight -0.5 is not a number from 0.0001 to 10,000.",
    ),
    "weight NaN": (
        {"weight": [1, 1, 1, np.nan, 1]},
        "row 3: weight nan is not a number from 0.0001 to 10,000.",
    ),
    "weight inf": (
        {"weight": [1, np.inf, 1, 1, 1]},
        "row 1: weight inf is not a number from 0.0001 to 10,000.",
    ),
    "weight text": (
        {"weight": ["1", "1", "1", "half", "1"]},
        "row 3: weight 'half' is not a number from 0.0001 to 10,000.",
    ),
    "ceiling NaN": (
        {"perf_ceiling": [1500, 1500, np.nan, 1, 1]},
        "row 2: perf_ceiling nan is not a finite number.",
    ),
    "ceiling text": (
        {"perf_ceiling": ["high"] * 5},
        "row 0: perf_ceiling 'high' is not a finite number.",
    ),
    "time text": (changed("time", 4, "last week"), f"row 4: time 'last week' {NOT_A_TIME}"),
    "time in milliseconds": (
        {"time": [1, 1, 1, 1_777_593_600_000, 1_777_593_600_000]},
        f"row 3: time 1777593600000 {NOT_A_TIME}",
    ),
    "time in milliseconds as floats": (
        {"time": [1.0, 1.0, 1.0, 1.777e12, 1.777e12]},
        f"row 3: time 1777000000000.0 {NOT_A_TIME}",
    ),
    "side": (
        {"side": ["home", "Away", "", "left", "neutral"]},
        "row 3: side 'left' is not home, white, first, away, black, second or neutral.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "sentence"), BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_bad_rows_are_refused_with_where_and_what(changes, sentence):
    assert refusal(Contests.from_frame, season(**changes)) == sentence


def test_the_place_of_a_bad_row_is_said_in_the_words_of_its_source():
    def line(row):
        return f"results.csv, line {row + 2}"

    frame = season(rank=[1, 2, 2, 0, 1])
    assert refusal(Contests.from_frame, frame, locate=line) == (
        f"results.csv, line 5: rank 0 {NOT_A_RANK}"
    )


@given(long_tables(), st.data())
def test_a_gap_in_the_ranks_is_always_found_and_rerank_always_accepts_it(frame, data):
    row = data.draw(st.integers(0, frame.height - 1))
    later = (frame["contest"] == frame["contest"][row]) & (frame["rank"] >= frame["rank"][row])
    gap = frame.with_columns(pl.when(later).then(pl.col("rank") + 1).otherwise("rank"))
    assert "cannot be, because" in refusal(Contests.from_frame, gap)
    assert Contests.from_frame(gap, rerank=True) == Contests.from_frame(frame)


def matches(**changes) -> pl.DataFrame:
    data = {
        "time": ["2026-05-01", "2026-05-02", "2026-05-03"],
        "player_a": ["ann", "bob", "cat"],
        "player_b": ["bob", "cat", "ann"],
        "outcome": [1, 0.5, 0],
        **changes,
    }
    return pl.DataFrame(
        {name: values for name, values in data.items() if values is not None}, strict=False
    )


def test_matches_are_contests_of_two():
    contests = Contests.from_matches(matches())
    assert [contest.standings for contest in contests] == [
        [(1, "ann"), (2, "bob")],
        [(1, "bob"), (1, "cat")],
        [(1, "ann"), (2, "cat")],
    ]
    assert contests.columns.side is None


def test_a_match_list_is_recognised_by_its_columns():
    assert Contests.from_frame(matches()) == Contests.from_matches(matches())
    assert Contests.from_records(matches().to_dicts()) == Contests.from_matches(matches())
    renamed = matches().rename({"player_a": "home", "player_b": "away"})
    mapped = Contests.from_frame(renamed, columns={"player_a": "home", "player_b": "away"})
    assert mapped == Contests.from_matches(matches())


def test_matches_get_an_identifier_from_their_time_and_players():
    assert [contest.id for contest in Contests.from_matches(matches())] == [
        "2026-05-01 ann - bob",
        "2026-05-02 bob - cat",
        "2026-05-03 cat - ann",
    ]
    hours = matches(time=["2026-05-01T18:30", "2026-05-02T18:30", "2026-05-02"])
    assert Contests.from_matches(hours)[0].id.startswith("2026-05-01 18:30:00")


def test_matches_may_have_identifiers_and_weights_of_their_own():
    contests = Contests.from_matches(matches(contest=["x", "y", "z"], weight=[1, 2, 0.5]))
    assert [contest.id for contest in contests] == ["x", "y", "z"]
    assert [contest.weight for contest in contests] == [1.0, 2.0, 0.5]


def test_the_first_player_has_the_side_and_the_second_the_opposite():
    contests = Contests.from_matches(matches(side=["home", "neutral", "Away"]))
    assert contests.frame().select("player", "side").rows() == [
        ("ann", 1), ("bob", -1),
        ("bob", 0), ("cat", 0),
        ("ann", 1), ("cat", -1),
    ]  # fmt: skip
    assert Contests.from_frame(contests.frame()) == contests


@pytest.mark.parametrize(
    ("word", "side"),
    [("home", 1), ("white", 1), ("First", 1), ("away", -1), ("black", -1), ("second", -1),
     ("neutral", 0), ("", 0), (None, 0)],
)  # fmt: skip
def test_sides_go_by_many_names(word, side):
    contests = Contests.from_matches(matches(side=pl.Series([word] * 3, dtype=pl.String)))
    rows = contests.frame().filter(pl.col("player") == "bob")
    assert rows["side"].to_list() == [-side, side]


def test_a_pair_may_meet_twice_on_a_day():
    twice = matches(time=["2026-05-01"] * 3, player_a=["ann"] * 3, player_b=["bob"] * 3)
    contests = Contests.from_matches(twice)
    assert [contest.id for contest in contests] == [
        "2026-05-01 ann - bob",
        "2026-05-01 ann - bob #2",
        "2026-05-01 ann - bob #3",
    ]
    results = [{name: rank for rank, name in contest.standings} for contest in contests]
    assert sorted((r["ann"], r["bob"]) for r in results) == [(1, 1), (1, 2), (2, 1)]


def test_two_equal_matches_both_count():
    equal = matches(
        time=["2026-05-01"] * 3, player_a=["ann"] * 3, player_b=["bob"] * 3, outcome=[1] * 3
    )
    contests = Contests.from_matches(equal)
    assert len(contests) == 3
    assert rate(contests).ratings["contests"].to_list() == [3, 3]


def test_matches_of_a_day_that_differ_in_their_weight_alone_are_kept_apart_by_it():
    equal = matches(
        time=["2026-05-01"] * 3,
        player_a=["ann"] * 3,
        player_b=["bob"] * 3,
        outcome=[1] * 3,
        weight=[3.0, 1.0, 2.0],
    )
    assert [contest.weight for contest in Contests.from_matches(equal)] == [1.0, 2.0, 3.0]


def test_names_that_look_like_a_match_do_not_mix_matches_up():
    frame = matches(
        time=["2026-05-01"] * 3,
        player_a=["ann - bob", "ann", "ann"],
        player_b=["cat", "bob - cat", "dan"],
        outcome=[1, 1, 1],
    )
    contests = Contests.from_matches(frame)
    assert sorted(contest.players for contest in contests) == [
        ["ann", "bob - cat"],
        ["ann", "dan"],
        ["ann - bob", "cat"],
    ]
    assert Contests.from_matches(frame.reverse()) == contests


NOT_AN_OUTCOME = "is not a number from 0 (b won) to 1 (a won), 0.5 being a draw."
BAD_MATCHES = {
    "outcome above 1": ({"outcome": [1, 1.5, 0]}, f"row 1: outcome 1.5 {NOT_AN_OUTCOME}"),
    "outcome below 0": ({"outcome": [1, -0.1, 0]}, f"row 1: outcome -0.1 {NOT_AN_OUTCOME}"),
    "outcome missing": ({"outcome": [1, 0.5, None]}, f"row 2: outcome is missing; {LEAVE_OUT}"),
    "outcome text": (
        {"outcome": ["1", "0.5", "lost"]},
        f"row 2: outcome 'lost' {NOT_AN_OUTCOME}",
    ),
    "outcome NaN": ({"outcome": [1, np.nan, 0]}, f"row 1: outcome nan {NOT_AN_OUTCOME}"),
    "against oneself": (
        {"player_b": ["bob", "bob", "ann"]},
        "row 1: player 'bob' stands twice in contest '2026-05-02 bob - bob'; "
        "each player has one result.",
    ),
    "no player": ({"player_b": ["bob", "cat", None]}, "row 2: player is missing."),
    "empty player": ({"player_a": ["ann", "", "cat"]}, "row 1: player is empty."),
    "no time": ({"time": [1, None, 3]}, "row 1: time is missing."),
    "bad time": ({"time": ["1", "2", "soon"]}, f"row 2: time 'soon' {NOT_A_TIME}"),
    "side": (
        {"side": ["home", "left", "away"]},
        "row 1: side 'left' is not home, white, first, away, black, second or neutral.",
    ),
    "weight": ({"weight": [1, 1, 0]}, "row 2: weight 0 is not a number from 0.0001 to 10,000."),
    "no rows": ({name: [] for name in matches().columns}, "there are no results: the table has "
                "no rows."),
    "one identifier for two matches": (
        {"contest": ["final", "cup", "cup"]},
        "row 1: there are two matches 'cup'; `contest` must differ from match to match, "
        "or be left out.",
    ),
    "no identifier": ({"contest": ["a", "b", None]}, "row 2: contest is missing."),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "sentence"), BAD_MATCHES.values(), ids=BAD_MATCHES.keys())
def test_bad_matches_are_refused_with_where_and_what(changes, sentence):
    assert refusal(Contests.from_matches, matches(**changes)) == sentence


@pytest.mark.parametrize("name", ["time", "player_a", "player_b", "outcome"])
def test_a_missing_column_of_a_match_list_is_named(name):
    assert refusal(Contests.from_matches, matches().drop(name)).startswith(
        f"there is no column {name!r} among "
    )


def test_without_sorting_matches_must_be_in_order():
    assert len(Contests.from_matches(matches(), sort=False)) == 3
    assert refusal(Contests.from_matches, matches().reverse(), sort=False).startswith(
        "row 1: time goes back from 2026-05-03 00:00:00 to 2026-05-02 00:00:00; "
    )


def test_football_has_all_its_matches_with_draws_and_sides(football):
    assert len(football) == 49_520
    assert len(football.players) == 337
    draws = (football.columns.rank[::2] == football.columns.rank[1::2]).mean()
    assert draws == pytest.approx(0.227, abs=5e-4)
    assert football[0].time == datetime.datetime(1872, 11, 30)
    assert_array_equal(football.columns.side[::2], -football.columns.side[1::2])


def test_scores_of_matches_order_the_players_and_are_kept():
    contests = Contests.from_matches(matches(outcome=[0.75, 0.5, 0.25]))
    assert [contest.standings for contest in contests] == [
        [(1, "ann"), (2, "bob")],
        [(1, "bob"), (1, "cat")],
        [(1, "ann"), (2, "cat")],
    ]
    assert_array_equal(contests.columns.score, [0.75, np.nan, 0.75])
    assert contests.frame()["outcome"].to_list() == [0.75, 0.25, None, None, 0.75, 0.25]


@given(match_lists(scores=True))
def test_the_first_row_of_a_match_has_the_higher_score(frame):
    contests = Contests.from_matches(frame.with_columns(contest=pl.int_range(pl.len())))
    score = contests.columns.score
    for number, contest in enumerate(contests):
        _, a, b, outcome, *_ = frame.row(int(contest.id))
        best = max(outcome, 1.0 - outcome)
        if best == 0.5:
            assert contest.standings == [(1, name) for name in sorted((a, b))]
        else:
            assert contest.standings == [(1, a if outcome > 0.5 else b), (2, contest.players[1])]
        known = np.nan if score is None else score[number]
        assert_array_equal(known, best if 0.5 < best < 1.0 else np.nan)


@given(match_lists(scores=True), st.integers(0, 2**32 - 1), st.integers(0, 10))
def test_scores_stay_with_their_matches(frame, seed, cut):
    contests = Contests.from_matches(frame)
    assert Contests.from_matches(shuffled(frame, seed)) == contests
    back = Contests.from_frame(shuffled(contests.frame(), seed))
    assert back == contests
    assert_array_equal(back.columns.score, contests.columns.score)
    parts = [contests[:cut], contests[cut:]]
    assert Contests.concat(parts) == contests
    for part in parts:
        if len(part):
            assert Contests.from_frame(part.frame()) == part


@given(match_lists())
def test_wins_and_draws_have_no_scores(frame):
    contests = Contests.from_matches(frame)
    assert contests.columns.score is None
    assert "outcome" not in contests.frame().columns


def test_a_slice_without_scores_has_no_column_of_them():
    contests = Contests.from_matches(matches(outcome=[0.75, 0.5, 0]))
    assert contests[1:].columns.score is None
    assert contests[1:] == Contests.from_matches(matches(outcome=[1, 0.5, 0]))[1:]
    assert_array_equal(contests[:2].columns.score, [0.75, np.nan])


def test_scores_follow_their_matches_when_parts_are_put_together():
    scored = Contests.from_matches(matches(outcome=[0.75, 0.5, 0.4]))
    plain = Contests.from_frame(season(time=["2026-05-01T12:00"] * 3 + ["2026-05-03"] * 2))
    both = Contests.concat([plain, scored])
    assert_array_equal(both.columns.score, [0.75, np.nan, np.nan, np.nan, 0.6])
    assert both.frame()["outcome"].drop_nulls().to_list() == [0.75, 0.25, 0.6, 0.4]
    assert Contests.concat([scored, plain])[0].players == ["ann", "bob"]


@pytest.mark.parametrize(
    ("outcome", "ranks"),
    [(np.nextafter(0.5, 0.0), [1, 1]), (np.nextafter(0.5, 1.0), [1, 2]), (5e-324, [1, 2])],
)
def test_a_score_too_near_to_a_win_or_a_draw_is_one(outcome, ranks):
    contests = Contests.from_matches(matches(outcome=[outcome, 0.5, 0.5]))
    assert contests[0].rank.tolist() == ranks
    known = contests.columns.score
    assert known is None or 0.5 < known[0] < 1.0
    assert (known is None) == (outcome < 0.5)


PAIR = {"contest": ["cup", "cup"], "time": [0, 0], "player": ["ann", "bob"]}


def pair(**columns) -> Contests:
    return Contests.from_frame(pl.DataFrame({**PAIR, **columns}))


def test_outcomes_of_a_long_table_stand_for_ranks():
    for columns in (
        {"outcome": [0.25, 0.75]},
        {"outcome": ["0.25", " 0.75 "]},
        {"outcome": [0.25, 0.75], "rank": [2, 1]},
        {"outcome": [0.25, 0.75], "score": [3, 5]},
    ):
        contests = pair(**columns)
        assert contests[0].standings == [(1, "bob"), (2, "ann")]
        assert_array_equal(contests.columns.score, [0.75])
    for outcome, ranks in (([0, 1], [2, 1]), ([0.5, 0.5], [1, 1])):
        assert pair(outcome=outcome) == pair(rank=ranks) == pair(outcome=outcome, rank=ranks)
        assert pair(outcome=outcome).columns.score is None


def test_outcomes_need_not_sum_to_one_to_the_last_digit():
    contests = pair(outcome=[0.3333333333, 0.6666666666])
    assert_array_equal(contests.columns.score, [0.6666666666])
    assert "must sum to 1" in refusal(pair, outcome=[0.33333333, 0.66666666])


def test_contests_without_an_outcome_may_stand_beside_matches():
    contests = Contests.from_frame(season(outcome=[None, None, None, 0.9, 0.1]))
    assert_array_equal(contests.columns.score, [np.nan, 0.9])
    assert contests.frame()["outcome"].to_list() == [None, None, None, 0.9, 1.0 - 0.9]
    assert contests != Contests.from_frame(season())
    assert contests != Contests.from_frame(season(outcome=[None, None, None, 0.8, 0.2]))


NOT_AN_OWN_OUTCOME = "is not a number from 0 (lost) to 1 (won), 0.5 being a draw."


def not_a_pair(first, second) -> str:
    return (
        f"row 0: the outcomes of contest 'cup' are {first} for 'ann' and {second} for 'bob', "
        f"but they must sum to 1 and agree with the ranks."
    )


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"outcome": [1.5, -0.5]}, f"row 0: outcome 1.5 {NOT_AN_OWN_OUTCOME}"),
        ({"outcome": [1.0, -0.1]}, f"row 1: outcome -0.1 {NOT_AN_OWN_OUTCOME}"),
        ({"outcome": [np.nan, 0.5]}, f"row 0: outcome nan {NOT_AN_OWN_OUTCOME}"),
        ({"outcome": ["0.5", "half"]}, f"row 1: outcome 'half' {NOT_AN_OWN_OUTCOME}"),
        ({"outcome": [0.5, None]}, f"row 1: outcome is missing; {LEAVE_OUT}"),
        ({"outcome": [0.5, None], "rank": [1, 1]}, not_a_pair(0.5, None)),
        ({"outcome": [0.7, 0.2]}, not_a_pair(0.7, 0.2)),
        ({"outcome": [0.7, 0.3], "rank": [1, 1]}, not_a_pair(0.7, 0.3)),
        ({"outcome": [0.5, 0.5], "rank": [1, 2]}, not_a_pair(0.5, 0.5)),
        ({"outcome": [0.3, 0.7], "rank": [1, 2]}, not_a_pair(0.3, 0.7)),
        ({"outcome": [0.3, 0.7], "score": [4, 3]}, not_a_pair(0.3, 0.7)),
        ({"outcome": [0.5, 0.4999999999]}, not_a_pair(0.5, 0.4999999999)),
        ({"outcome": [0.5000000001, 0.5]}, not_a_pair(0.5000000001, 0.5)),
    ],
    ids=str,
)
def test_outcomes_of_a_long_table_that_cannot_be(columns, sentence):
    assert refusal(pair, **columns) == sentence


def test_outcomes_are_for_matches_of_two():
    assert refusal(Contests.from_frame, season(outcome=[None, 0, None, 1, 0])) == (
        "row 1: outcome is for matches of two, but contest 'spring' has 3 players; "
        "leave it empty there, and give ranks."
    )
    alone = pl.DataFrame({"contest": "cup", "time": 0, "player": ["ann"], "outcome": [1]})
    assert "contest 'cup' has 1 player; leave" in refusal(Contests.from_frame, alone)


def test_iteration_gives_views_and_copies_nothing():
    contests = Contests.from_frame(season())
    for contest in contests:
        assert np.shares_memory(contest.player, contests.columns.player)
        assert np.shares_memory(contest.rank, contests.columns.rank)
    assert sum(len(contest) for contest in contests) == contests.rows


def test_a_contest_knows_its_own():
    contest = Contests.from_frame(season(weight=[1, 1, 1, 0.5, 0.5]))[1]
    assert contest.id == "summer"
    assert contest.time == datetime.datetime(2026, 6, 1)
    assert contest.weight == 0.5
    assert contest.perf_ceiling is None
    assert contest.players == ["bob", "ann"]
    assert len(contest) == 2
    assert repr(contest) == "<Contest 'summer', 2026-06-01 00:00, 2 players>"


@given(contests(), st.slices(6).filter(lambda s: s.step in (None, 1)))
def test_a_slice_holds_the_contests_of_the_range(whole, key):
    part = whole[key]
    assert [c.id for c in part] == [c.id for c in whole][key]
    assert [c.standings for c in part] == [c.standings for c in whole][key]
    assert len(part) == len(part.sizes) == len(part.summary())
    assert part.rows == part.frame().height == part.sizes.sum()
    if part.rows:
        assert np.shares_memory(part.columns.player, whole.columns.player)
        assert np.shares_memory(part.columns.rank, whole.columns.rank)


def test_slices_have_no_steps_and_positions_have_bounds():
    contests = Contests.from_frame(season())
    assert refusal(lambda: contests[::2]) == "contests can be sliced only in steps of 1."
    assert contests[-1].id == contests[np.int64(1)].id == "summer"
    for number in (2, -3):
        with pytest.raises(IndexError, match=f"there are 2 contests, no number {number}"):
            contests[number]


def test_an_empty_slice_is_a_contests_too():
    nothing = Contests.from_frame(season())[1:1]
    assert len(nothing) == nothing.rows == 0
    assert list(nothing) == []
    assert repr(nothing) == "<Contests: 0 contests>"
    assert nothing.frame().height == nothing.summary().height == 0
    assert rate(nothing).ratings.height == rate(nothing).history.height == 0


def test_between_takes_the_start_and_leaves_the_end():
    contests = Contests.from_frame(
        pl.DataFrame({"contest": list("abcd"), "time": [1, 2, 2, 3], "player": "x", "rank": 1})
    )

    def ids(*limits):
        return "".join(contest.id for contest in contests.between(*limits))

    assert ids() == "abcd"
    assert ids(2) == "bcd"
    assert ids(None, 2) == "a"
    assert ids(2, 3) == "bc"
    assert ids("1970-01-01T00:00:03Z", datetime.date(1970, 1, 2)) == "d"
    assert ids(3, 1) == ids(9) == ""


@given(contests(), st.integers(-1, 5), st.integers(-1, 5))
def test_between_is_a_filter_by_time(whole, start, end):
    start, end = start * 43_200, end * 43_200
    part = whole.between(start, end)
    seconds = whole.columns.time // 1_000_000
    expected = [c.id for c, time in zip(whole, seconds, strict=True) if start <= time < end]
    assert [c.id for c in part] == expected


def test_equality_sees_every_column():
    contests = Contests.from_frame(season())
    assert contests == Contests.from_frame(season())
    for changes in (
        {"contest": ["spring"] * 3 + ["autumn"] * 2},
        {"time": ["2026-03-01"] * 3 + ["2026-06-02"] * 2},
        {"player": ["ann", "bob", "dan", "bob", "ann"]},
        {"rank": [1, 2, 3, 1, 2]},
        {"weight": [2] * 5},
        {"perf_ceiling": [2000] * 5},
        {"team": ["red", "red", "blue", "blue", "blue"]},
        {"side": ["home", "away", "", "", ""]},
        {"name": ["Cup"] * 5},
    ):
        assert contests != Contests.from_frame(season(**changes)), changes
    assert contests != "contests"
    with pytest.raises(TypeError, match="unhashable"):
        hash(contests)


def test_a_slice_equals_the_same_contests_made_alone():
    whole = Contests.from_frame(season())
    alone = Contests.from_frame(season()[3:])
    assert len(whole[1:].players) != len(alone.players)
    assert whole[1:] == alone


def test_repr_says_how_much_and_when():
    assert repr(Contests.from_frame(season())) == (
        "<Contests: 2 contests, 5 rows, 3 players, 2026-03-01 to 2026-06-01>"
    )


def single(id, time=0, players=("ann", "bob"), **columns) -> Contests:
    frame = pl.DataFrame(
        {"contest": id, "time": time, "player": players, "rank": range(1, len(players) + 1)}
    )
    return Contests.from_frame(frame.with_columns(**columns))


@given(contests(), st.integers(0, 5))
def test_parts_put_together_are_the_whole(whole, cut):
    assert Contests.concat([whole[:cut], whole[cut:]]) == whole
    assert Contests.concat(list(reversed([whole[i : i + 1] for i in range(len(whole))]))).rows == (
        whole.rows
    )


def test_contests_of_one_time_stay_in_the_order_given():
    parts = [single("b", 1), single("a", 1), single("c", 0)]
    assert [contest.id for contest in Contests.concat(parts)] == ["c", "b", "a"]


def test_players_are_merged_by_name():
    both = Contests.concat([single("a", 0, ["zoe", "bob"]), single("b", 1, ["ann", "bob"])])
    assert both.players.to_list() == ["ann", "bob", "zoe"]
    assert [contest.players for contest in both] == [["zoe", "bob"], ["ann", "bob"]]


def test_teams_sides_weights_ceilings_and_names_are_merged():
    both = Contests.concat(
        [
            single("a", 0, team=pl.Series(["red", None]), name=pl.lit("First")),
            single("b", 1, weight=pl.lit(2.0), side=pl.Series(["home", "away"])),
            single("c", 2, team=pl.Series(["blue", "red"]), perf_ceiling=pl.lit(1700)),
        ]
    )
    assert both.frame().drop("time", "contest", "player", "rank").to_dict(as_series=False) == {
        "weight": [1.0, 1.0, 2.0, 2.0, 1.0, 1.0],
        "perf_ceiling": [None, None, None, None, 1700.0, 1700.0],
        "team": ["red", None, None, None, "blue", "red"],
        "side": [0, 0, 1, -1, 0, 0],
        "name": ["First", "First", None, None, None, None],
    }
    assert both.teams.to_list() == ["blue", "red"]


def test_a_contest_in_two_parts_is_refused():
    assert refusal(Contests.concat, [single("a"), single("b"), single("a", 5)]) == (
        "contest 'a' stands in two of the parts."
    )


def test_parts_that_go_back_in_time_are_sorted_or_refused():
    parts = [single("b", 86_400), single("a", 0)]
    assert [contest.id for contest in Contests.concat(parts)] == ["a", "b"]
    assert refusal(Contests.concat, parts, sort=False).startswith(
        "contest 'a': time goes back from 1970-01-02 00:00:00 to 1970-01-01 00:00:00; "
    )
    in_order = Contests.concat(list(reversed(parts)), sort=False)
    assert [contest.id for contest in in_order] == ["a", "b"]


def test_nothing_is_not_put_together():
    assert refusal(Contests.concat, []) == "there is nothing to concatenate."


def test_names_of_any_kind_are_players():
    everyone = single("a", 0, NAMES)
    assert everyone[0].players == NAMES
    assert everyone.players.to_list() == sorted(NAMES)


def test_ratings_do_not_depend_on_how_contests_were_put_together():
    frame = season()
    whole = Contests.from_frame(frame)
    parts = [Contests.from_frame(frame[3:]), Contests.from_frame(frame[:3])]
    assert_same_beliefs(rate(whole).beliefs, rate(Contests.concat(parts)).beliefs)
    assert all(a.time <= b.time for a, b in pairwise(Contests.concat(parts)))


def test_more_can_be_told_of_contests_and_shows_in_their_summary():
    described = Contests.from_frame(season()).describe(
        pl.DataFrame(
            {"contest": ["summer", "winter"], "name": ["The summer", "-"], "url": ["s", "w"]}
        )
    )
    by_id = {row["contest"]: row for row in described.summary().iter_rows(named=True)}
    assert by_id["summer"]["name"] == "The summer"
    assert by_id["summer"]["url"] == "s"
    assert by_id["spring"]["url"] is None
    assert [contest.name for contest in described[-1:]] == [by_id[described[-1].id]["name"]]
    assert "url" not in described.frame().columns


def test_telling_something_again_replaces_it_and_nothing_else():
    contests = Contests.from_frame(season())
    first = pl.DataFrame({"contest": contests.ids, "url": contests.ids, "host": contests.ids})
    again = contests.describe(first).describe(first.select("contest", pl.lit("x").alias("url")))
    assert again.summary()["url"].to_list() == ["x"] * len(contests)
    assert again.summary()["host"].to_list() == contests.ids.to_list()
    assert again == contests


def test_a_contest_described_twice_is_refused():
    twice = pl.DataFrame({"contest": ["summer", "summer"], "url": ["a", "b"]})
    assert refusal(Contests.from_frame(season()).describe, twice) == (
        "contest 'summer' is described twice."
    )


def test_the_lowest_score_cannot_win_where_ranks_decide():
    assert refusal(Contests.from_frame, season(), lowest_score_wins=True) == (
        "lowest_score_wins or --lowest-score-wins is for scores, but there is a column 'rank', "
        "which decides."
    )
    outcomes = pl.DataFrame({**PAIR, "outcome": [0, 1]})
    assert "there is a column 'outcome', which decides" in refusal(
        Contests.from_frame, outcomes, lowest_score_wins=True
    )


def test_numbers_in_identifiers_may_have_any_number_of_digits():
    ids = ["9" * 5000, "1" + "0" * 5000, "007", "8"]
    frame = pl.DataFrame({"contest": ids, "time": 0, "player": "ann", "rank": 1})
    found = Contests.from_frame(frame, unlimited=True).ids.to_list()
    assert found == ["007", "8", "9" * 5000, "1" + "0" * 5000]


def test_spaces_around_numbers_do_not_matter():
    spaced = season(rank=[f" {rank} " for rank in season()["rank"]])
    assert Contests.from_frame(spaced) == Contests.from_frame(season())


def test_what_is_no_list_of_contests_cannot_be_concatenated():
    contests = Contests.from_frame(season())
    for wrong in (contests, [contests, season()]):
        assert (
            refusal(Contests.concat, wrong) == "a list of Contests is needed to concatenate them."
        )


def test_a_mapping_of_columns_must_be_one():
    assert refusal(Contests.from_frame, season(), columns="player") == (
        "columns must be a mapping such as {'player': 'handle'}, not 'player'."
    )


def test_a_pandas_frame_without_pyarrow_is_explained():
    class Frame:
        def __arrow_c_stream__(self, requested_schema=None):
            raise ImportError("no pyarrow")

    assert refusal(Contests.from_frame, Frame()) == (
        "a pandas frame needs the package pyarrow; pip install pyarrow."
    )


def test_what_is_said_beyond_the_rank_goes_with_its_row():
    said = (("cat", 3, 1.5, "DNF"), ("ann", 1, 9.0, None), ("bob", 2, 7.0, ""))
    rows = [
        {"contest": id, "time": 0, "player": name, "rank": rank, "score": score, "status": status}
        for id in ("b", "a")
        for name, rank, score, status in said
    ]
    contests = Contests.from_records(rows)
    wanted = [("ann", 9.0, None), ("bob", 7.0, ""), ("cat", 1.5, "DNF")]
    given = ("player", "score", "status")
    assert contests.frame(given=True).select(given).rows() == 2 * wanted
    assert contests[1:].frame(given=True).select(given).rows() == wanted
    assert "score" not in contests.frame().columns
    assert contests == Contests.from_frame(contests.frame())
    third = Contests.from_records([{**rows[0], "contest": "c", "rank": 1}])
    both = Contests.concat([contests, third])
    assert both.frame(given=True)["status"].to_list() == [*2 * [None, "", "DNF"], "DNF"]
    assert Contests.from_frame(contests.frame()).given is None


def test_contests_keep_the_names_of_those_who_take_part():
    rows = {
        "contest": [1, 1, 1, 2, 2],
        "time": [0, 0, 0, 1, 1],
        "player": ["ann", "bob", "cat", "bob", "dan"],
        "team": ["red", "red", None, "blue", "green"],
        "rank": [1, 1, 3, 1, 2],
    }
    season = Contests.from_frame(pl.DataFrame(rows))
    assert season.with_own_players() is season
    last = season[1:].with_own_players()
    assert last.players.to_list() == ["bob", "dan"]
    assert last.teams.to_list() == ["blue", "green"]
    assert last.frame().equals(season[1:].frame())
    few = Contests.from_frame(pl.DataFrame(rows).with_columns(team=pl.lit("red")), rerank=True)
    alone = few[1:].with_own_players()
    assert alone.players.to_list() == ["bob", "dan"]
    assert alone.teams.to_list() == ["red"]
