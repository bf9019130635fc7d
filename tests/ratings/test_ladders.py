"""Contests of several ladders: each ladder is as if the others did not exist."""

import datetime
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import podium
from podium import Contests, PodiumError, save_ladders
from podium.ratings import ladders as by_ladder
from podium.ratings.ladders import check_folder, ladder_folders
from tests.comparing import assert_same_beliefs
from tests.strategies import ladder_tables, match_lists

ROWS = [
    {"ladder": "europe", "contest": "round-1", "time": 0, "player": "bob", "rank": 1},
    {"ladder": "europe", "contest": "round-1", "time": 0, "player": "cat", "rank": 2},
    {"ladder": "asia", "contest": "round-1", "time": 9, "player": "ann", "rank": 1},
    {"ladder": "asia", "contest": "round-2", "time": 8, "player": "ann", "rank": 1},
    {"ladder": "asia", "contest": "round-2", "time": 8, "player": "cat", "rank": 1},
]


def refusal(make, *args, **options) -> str:
    with pytest.raises(PodiumError) as refused:
        make(*args, **options)
    return str(refused.value)


def two_ladders(*, rounds: int = 6) -> Contests:
    """A league and a cup, in which some of its players take part."""
    league = podium.simulate(players=30, rounds=rounds, participation=0.7, seed=1).frame()
    cup = podium.simulate(players=20, rounds=rounds, ties=0.3, seed=2).frame()
    named = [league.with_columns(ladder=pl.lit("league")), cup.with_columns(ladder=pl.lit("cup"))]
    return Contests.from_frame(pl.concat(named))


def files_of(table: pl.DataFrame) -> dict[str, Contests]:
    """What the results of every ladder are if they stand in a file of their own."""
    return {
        name: Contests.from_frame(table.filter(ladder=name).drop("ladder"))
        for name in table["ladder"].unique()
    }


def assert_same_ratings(found: podium.Rated, expected: podium.Rated) -> None:
    assert_same_beliefs(found.beliefs, expected.beliefs)
    assert found.beliefs.latest == expected.beliefs.latest
    assert_frame_equal(found.ratings, expected.ratings, check_exact=True)
    assert_frame_equal(found.history, expected.history, check_exact=True)


def assert_rated_alike(table: pl.DataFrame, **options) -> None:
    """Rating by ladder is rating every ladder's file."""
    rated = podium.rate_ladders(Contests.from_frame(table), "elo-mmr", rho=0.5, **options)
    files = files_of(table)
    assert rated.keys() == files.keys()
    for name, contests in files.items():
        assert_same_ratings(rated[name], podium.rate(contests, "elo-mmr", rho=0.5))


def test_a_contest_belongs_to_a_ladder_and_differs_from_others_of_it_only():
    contests = Contests.from_records(ROWS)
    named = [(contest.ladder, contest.id) for contest in contests]
    assert named == [("europe", "round-1"), ("asia", "round-2"), ("asia", "round-1")]
    assert contests.ladders == ["asia", "europe"]
    assert contests.summary()["ladder"].to_list() == ["europe", "asia", "asia"]
    assert contests.frame()["ladder"].to_list() == ["europe"] * 2 + ["asia"] * 3


def test_without_the_column_there_are_no_ladders():
    contests = Contests.from_records([{**row, "ladder": "a"} for row in ROWS[:2]])
    plain = contests.without_ladders()
    assert plain.ladders is None
    assert plain[0].ladder is None
    assert "ladder" not in plain.frame()
    assert "ladder" not in plain.summary()
    assert refusal(plain.by_ladder) == (
        "these contests have no ladders; a column `ladder` names them."
    )
    assert refusal(podium.rate_ladders, plain) == refusal(plain.by_ladder)


def test_a_ladder_has_only_its_own_players():
    parts = Contests.from_records(ROWS).by_ladder()
    assert list(parts) == ["asia", "europe"]
    assert parts["asia"].players.to_list() == ["ann", "cat"]
    assert parts["europe"].players.to_list() == ["bob", "cat"]
    assert parts["europe"].ladders == ["europe"]


def test_a_slice_enrols_only_those_who_play_in_it():
    contests = Contests.from_records(ROWS)
    assert podium.rate(contests[1:]).beliefs.names == ["ann", "cat"]


def test_a_ladder_has_only_its_own_teams():
    team = {"bob": "red", "cat": None, "ann": "blue"}
    records = [{**row, "team": team[row["player"]]} for row in ROWS]
    whole = Contests.from_records(records)
    for name, part in whole.by_ladder().items():
        alone = Contests.from_records([row for row in records if row["ladder"] == name])
        assert part == alone
        assert part.teams.to_list() == alone.teams.to_list()


def test_ladders_are_in_natural_order():
    rows = [{**ROWS[0], "ladder": name} for name in ("season 10", "season 2", "autumn")]
    assert Contests.from_records(rows).ladders == ["autumn", "season 2", "season 10"]
    assert list(Contests.from_records(rows).by_ladder()) == ["autumn", "season 2", "season 10"]


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([2024, 2025], ["2024", "2025"]),
        ([True, False], ["false", "true"]),
        ([datetime.date(2024, 1, 1), datetime.date(2025, 1, 1)], ["2024-01-01", "2025-01-01"]),
    ],
)
def test_a_ladder_may_be_a_number_or_a_date(values, names):
    frame = pl.DataFrame({**{k: [v] * 2 for k, v in ROWS[0].items()}, "ladder": values})
    assert Contests.from_frame(frame).ladders == names
    categories = frame.with_columns(pl.col("ladder").cast(pl.String).cast(pl.Categorical))
    assert Contests.from_frame(categories).ladders == names


@pytest.mark.parametrize("missing", [None, "", float("nan")])
def test_a_ladder_must_not_be_missing(missing):
    values = [2024.0 if missing != missing else "asia", missing]
    frame = pl.DataFrame({**{k: [v] * 2 for k, v in ROWS[0].items()}, "ladder": values})
    sentence = "row 1: ladder is missing; every contest needs one, or the column is left out."
    assert refusal(Contests.from_frame, frame) == sentence
    matches = pl.DataFrame(
        {"time": [0, 1], "player_a": "a", "player_b": "b", "outcome": 1, "ladder": values}
    )
    assert refusal(Contests.from_matches, matches) == sentence


def test_another_column_can_be_the_ladder():
    frame = pl.DataFrame(ROWS).rename({"ladder": "region"})
    assert Contests.from_frame(frame, columns={"ladder": "region"}).ladders == ["asia", "europe"]


@given(ladder_tables(), st.integers(0, 2**32))
def test_the_order_of_the_rows_changes_nothing(table, seed):
    shuffled = table[np.random.default_rng(seed).permutation(table.height)]
    assert Contests.from_frame(shuffled) == Contests.from_frame(table)


@given(ladder_tables())
def test_ladders_are_what_their_files_are(table):
    parts = Contests.from_frame(table).by_ladder()
    for name, alone in files_of(table).items():
        assert parts[name].without_ladders() == alone
        assert parts[name].players.to_list() == alone.players.to_list()


@given(ladder_tables())
def test_ladders_make_the_whole_again(table):
    whole = Contests.from_frame(table)
    again = Contests.concat(list(whole.by_ladder().values()))
    assert again.ladders == whole.ladders
    parts = again.by_ladder()
    assert all(part == parts[name] for name, part in whole.by_ladder().items())


@given(match_lists(), st.data())
def test_matches_have_ladders_too(matches, data):
    names = st.lists(st.sampled_from("xyz"), min_size=matches.height, max_size=matches.height)
    table = matches.with_columns(ladder=pl.Series(data.draw(names)))
    parts = Contests.from_matches(table).by_ladder()
    for name in table["ladder"].unique():
        alone = Contests.from_matches(table.filter(ladder=name).drop("ladder"))
        assert parts[name].without_ladders() == alone


def test_matches_of_two_ladders_may_have_one_identifier():
    match = {"contest": "final", "time": 0, "player_a": "ann", "player_b": "bob", "outcome": 1}
    both = [{**match, "ladder": "asia"}, {**match, "ladder": "europe"}]
    assert len(Contests.from_records(both)) == 2
    assert "there are two matches 'final'" in refusal(Contests.from_records, [*both, both[0]])


def test_without_sorting_ladders_may_stand_one_below_the_other():
    rows = [{**row, "time": 5} for row in ROWS[:2]] + ROWS[3:]
    rows.append({**ROWS[0], "ladder": "asia", "contest": "a", "time": 8})
    contests = Contests.from_records(rows, sort=False)
    named = [(contest.ladder, contest.id) for contest in contests]
    assert named == [("europe", "round-1"), ("asia", "round-2"), ("asia", "a")]
    back = {**ROWS[2], "contest": "b", "time": 7}
    assert refusal(Contests.from_records, [*rows, back], sort=False).startswith(
        "row 5: time goes back from 1970-01-01 00:00:08 to 1970-01-01 00:00:07; "
    )


def test_contests_of_one_ladder_need_different_identifiers():
    contests = Contests.from_records(ROWS)
    assert refusal(Contests.concat, [contests, contests[:1]]) == (
        "contest 'round-1' stands in two of the parts."
    )
    assert refusal(contests.without_ladders) == (
        "contest 'round-1' is in more than one ladder; to make one of all ladders, every contest "
        "needs an identifier of its own."
    )
    assert len(contests[:2].without_ladders()) == 2


def test_contests_with_and_without_ladders_do_not_mix():
    contests = Contests.from_records(ROWS)
    assert refusal(Contests.concat, [contests[1:], contests[:1].without_ladders()]) == (
        "some of the parts have ladders and some have none; Contests.without_ladders() makes them "
        "alike."
    )


def test_contests_are_described_by_identifier_or_by_ladder_too():
    contests = Contests.from_records(ROWS)
    by_id = pl.DataFrame({"contest": ["round-1"], "place": ["Rome"]})
    assert contests.describe(by_id).summary()["place"].to_list() == ["Rome", None, "Rome"]
    by_both = pl.DataFrame(
        {"contest": ["round-1"] * 2, "ladder": ["asia", "europe"], "place": ["Ulan Bator", "Rome"]}
    )
    described = contests.describe(by_both)
    assert described.summary()["place"].to_list() == ["Rome", None, "Ulan Bator"]
    assert described == contests
    assert contests[:1].without_ladders().describe(by_both[1:]).ladders is None
    assert "is described twice" in refusal(contests.describe, by_both.drop("ladder"))


def test_rating_several_ladders_as_one_is_refused():
    contests = Contests.from_records(ROWS)
    assert refusal(podium.rate, contests) == (
        "these contests are of 2 ladders, 'asia', 'europe', but this is for one; "
        "podium.rate_ladders or podium rate rates each by itself, Contests.by_ladder() or --ladder "
        "takes one, and Contests.without_ladders() or --ignore-ladders makes one of all."
    )
    assert podium.rate(contests[:1]).beliefs.rounds == 1


@settings(max_examples=30)
@given(ladder_tables())
def test_rating_by_ladder_is_rating_every_file_in_this_process(table):
    assert_rated_alike(table, jobs=1)


@pytest.mark.slow
@settings(max_examples=5)
@given(table=ladder_tables())
def test_rating_by_ladder_is_rating_every_file_in_processes(table):
    assert_rated_alike(table, jobs=2)


@pytest.mark.slow
@settings(max_examples=5)
@given(table=ladder_tables())
def test_rating_by_ladder_is_rating_every_file_on_a_dask_cluster(dask_scheduler, table):
    assert_rated_alike(table, backend="dask", scheduler=dask_scheduler)


@pytest.mark.slow
@pytest.mark.parametrize("system", ["elo-mmr", "trueskill", "glicko2", "luck"])
def test_every_kind_of_system_can_be_sent_to_workers(system, dask_scheduler):
    if system == "luck":
        matches = podium.simulate_matches(players=8, matches=60, seed=1).frame()
        half = pl.int_range(pl.len()) < 60
        contests = Contests.from_frame(
            matches.with_columns(ladder=pl.when(half).then(pl.lit("a")).otherwise(pl.lit("b")))
        )
    else:
        contests = two_ladders()
    here = podium.rate_ladders(contests, system, jobs=1)
    places = [{"jobs": 2}, {"backend": "dask", "scheduler": dask_scheduler}]
    places.append({"executor": ThreadPoolExecutor(2)})
    for where in places:
        there = podium.rate_ladders(contests, system, **where)
        assert list(there) == list(here)
        for name in here:
            assert_same_ratings(there[name], here[name])
            assert there[name].beliefs.pool.tobytes() == here[name].beliefs.pool.tobytes()


def test_going_on_from_earlier_beliefs_is_one_run_over_everything():
    contests = two_ladders()
    new = Contests.from_records([{**ROWS[0], "ladder": "new", "time": "2027-01-01"}])
    first = podium.rate_ladders(contests[:5], "elo-mmx")
    later = Contests.concat([contests[5:], new])
    beliefs = {name: rated.beliefs for name, rated in first.items()}
    gone_on = podium.rate_ladders(later, beliefs=beliefs)
    expected = podium.rate_ladders(Contests.concat([contests, new]), "elo-mmx")
    assert list(gone_on) == ["cup", "league", "new"]
    for name, rated in expected.items():
        assert_same_beliefs(gone_on[name].beliefs, rated.beliefs)


def test_going_on_with_the_same_parameters_said_anew():
    contests = two_ladders()
    first = podium.rate_ladders(contests[:5], rho=0.5)
    beliefs = {name: rated.beliefs for name, rated in first.items()}
    gone_on = podium.rate_ladders(contests[5:], beliefs=beliefs, rho=0.5)
    for name, rated in podium.rate_ladders(contests, rho=0.5).items():
        assert_same_beliefs(gone_on[name].beliefs, rated.beliefs)


def test_little_work_is_done_in_this_process(monkeypatch):
    rated = []

    def rate(contests, *args, **options):
        rated.append(contests.ladders)
        return podium.rate(contests, *args, **options)

    monkeypatch.setattr(by_ladder, "rate", rate)
    podium.rate_ladders(two_ladders(), "elo")
    assert sorted(rated) == [["cup"], ["league"]]


def test_progress_counts_rows_of_ladders():
    contests = two_ladders()
    seen = []
    podium.rate_ladders(contests, progress=lambda done, whole: seen.append((done, whole)))
    sizes = sorted((part.rows for part in contests.by_ladder().values()), reverse=True)
    assert seen == [(sizes[0], contests.rows), (contests.rows, contests.rows)]


def test_without_history_there_is_none():
    rated = podium.rate_ladders(two_ladders(), history=False)
    assert "rated without it" in refusal(lambda: rated["cup"].history)


def test_what_is_wrong_names_the_ladder():
    contests = two_ladders()
    beliefs = {name: rated.beliefs for name, rated in podium.rate_ladders(contests).items()}
    assert refusal(podium.rate_ladders, contests, beliefs={"cup": beliefs["cup"]}).startswith(
        "ladder 'cup': contest 'round-01' at 2026-01-01 00:00:00 is earlier than "
    )
    assert refusal(podium.rate_ladders, contests, beliefs=beliefs["cup"]).startswith(
        "beliefs are needed by the name of their ladder, as in {'europe': rated.beliefs}, not "
    )


@pytest.mark.slow
def test_what_is_wrong_in_a_worker_names_the_ladder():
    contests = two_ladders()
    beliefs = {"cup": podium.rate(contests.by_ladder()["cup"]).beliefs}
    assert refusal(podium.rate_ladders, contests, beliefs=beliefs, jobs=2).startswith(
        "ladder 'cup': contest 'round-01' at 2026-01-01 00:00:00 is earlier than "
    )


def test_wrong_arguments_are_refused_before_anything_is_rated():
    contests = two_ladders()
    assert "did you mean 'elo-mmr'?" in refusal(podium.rate_ladders, contests, "elo-mrm")
    assert "no parameter 'rh'" in refusal(podium.rate_ladders, contests, rh=1)
    assert "there is no backend 'cloud'" in refusal(podium.rate_ladders, contests, backend="cloud")
    assert refusal(podium.rate_ladders, contests.frame()).startswith("contests are needed, not ")


def test_ladders_have_folders_of_their_own(tmp_path):
    rated = podium.rate_ladders(two_ladders())
    save_ladders(rated, tmp_path / "ratings")
    assert ladder_folders(tmp_path / "ratings") == {
        name: tmp_path / "ratings" / name for name in ("cup", "league")
    }
    loaded = podium.load_ladders(tmp_path / "ratings")
    assert list(loaded) == ["cup", "league"]
    for name, ratings in loaded.items():
        assert_same_ratings(ratings, rated[name])
    assert refusal(podium.load_ladders, tmp_path / "ratings" / "cup") == (
        f"{tmp_path / 'ratings' / 'cup'}: holds no ratings of ladders, a folder for each."
    )


def test_folders_of_ladders_are_in_natural_order_and_hidden_ones_are_none(tmp_path):
    rated = podium.rate(podium.simulate(players=3, rounds=2))
    for name in ("10", "9", ".9"):
        rated.save(tmp_path / name)
    assert list(ladder_folders(tmp_path)) == ["9", "10"]


def test_new_ratings_take_the_place_of_old_ones(tmp_path):
    folder = tmp_path / "ratings"
    save_ladders(podium.rate_ladders(two_ladders()), folder, format="csv")
    (folder / "cup" / "mine.txt").write_text("mine")
    rated = podium.rate_ladders(two_ladders(rounds=9), history=False)
    save_ladders(rated, folder)
    files = {path.name for path in (folder / "cup").iterdir()}
    assert files == {"about.json", "beliefs.npz", "mine.txt", "ratings.parquet"}
    assert_same_beliefs(podium.Rated.load(folder / "cup").beliefs, rated["cup"].beliefs)


def test_a_failure_leaves_all_ladders_as_they_were(tmp_path, monkeypatch):
    folder = tmp_path / "ratings"
    save_ladders(podium.rate_ladders(two_ladders()), folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    rated = podium.rate_ladders(two_ladders(rounds=9))
    save = podium.Beliefs.save

    def full(self, path):
        if "league" in Path(path).parts:
            raise OSError(28, "No space left on device")
        save(self, path)

    monkeypatch.setattr(podium.Beliefs, "save", full)
    assert "no space left on device" in refusal(save_ladders, rated, folder)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["ratings"]


@pytest.mark.parametrize("name", ["eu/west", "eu\\west", "..", ".hidden", "a\0b"])
def test_a_ladder_that_cannot_be_a_folder_is_refused(name, tmp_path):
    assert refusal(check_folder, tmp_path / "ratings", ["asia", name]) == (
        f"ladder {name!r} cannot be the name of a folder, because of a slash in it or a dot in "
        f"front; give it another name."
    )


def test_a_folder_of_something_else_is_refused(tmp_path):
    rated = podium.rate_ladders(two_ladders())
    rated["cup"].save(tmp_path / "plain")
    assert refusal(save_ladders, rated, tmp_path / "plain") == (
        f"{tmp_path / 'plain'}: holds ratings that are not of ladders; choose another folder for "
        f"those of 'cup', 'league'."
    )
    save_ladders(rated, tmp_path / "both")
    assert refusal(save_ladders, {"cup": rated["cup"]}, tmp_path / "both") == (
        f"{tmp_path / 'both' / 'league'}: is there already, but not one of the ladders to write; "
        f"remove it or choose another folder."
    )
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "league").write_text("mine")
    assert refusal(save_ladders, rated, tmp_path / "files") == (
        f"{tmp_path / 'files' / 'league'}: cannot be a folder, because a file has that name."
    )


def test_ratings_among_contest_files_are_no_ladders(tmp_path):
    contests = podium.simulate(players=5, rounds=3)
    contests.write(tmp_path / "season")
    podium.rate(contests).save(tmp_path / "season" / "ratings")
    assert ladder_folders(tmp_path / "season") == {}
    assert ladder_folders(tmp_path / "season" / "ratings") == {}
    assert ladder_folders(tmp_path / "missing") == {}
