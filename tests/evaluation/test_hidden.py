"""Hidden results: what is believed of them does not depend on them, and looking back knows more."""

import numpy as np
import polars as pl
import pytest

import podium
from podium.errors import InputError
from podium.evaluation.backtest import backtest
from podium.evaluation.hidden import _online, _pairs, evaluate_hidden, hide
from podium.hindsight.smoothing import Chains
from podium.progress import unseen


@pytest.fixture(scope="module")
def season():
    return podium.simulate(players=60, rounds=80, participation=0.5, seed=3)


def value(found, belief, measure="pair-inversion", players="all"):
    row = found.table.filter(
        (pl.col("belief") == belief)
        & (pl.col("measure") == measure)
        & (pl.col("players") == players)
    )
    return row.row(0, named=True)


def test_a_share_is_hidden_and_of_matches_both():
    contests = podium.simulate(players=100, rounds=100, seed=1)
    assert abs(hide(contests, 0.1, 0).mean() - 0.1) < 0.01
    matches = podium.simulate_matches(players=30, matches=4000, seed=1)
    hidden = hide(matches, 0.1, 0)
    assert (hidden[::2] == hidden[1::2]).all()
    assert abs(hidden.mean() - 0.1) < 0.02
    assert not (hide(contests, 0.1, 0) == hide(contests, 0.1, 1)).all()


def test_results_do_not_choose_what_is_hidden(season):
    frame = season.frame()
    names = frame["player"].unique().sort()
    turned = podium.Contests.from_frame(
        frame.with_columns(
            rank=pl.len().over("contest") + 1 - pl.col("rank"),
        )
    )

    def rows(contests):
        hidden = hide(contests, 0.2, 5)
        own = contests.frame().with_columns(hidden=pl.Series(hidden))
        return set(own.filter("hidden").select("contest", "player").iter_rows())

    assert len(names) == 60
    assert rows(season) == rows(turned)


def test_looking_back_knows_more_than_what_was_believed_before(season):
    found = evaluate_hidden(season, ["elo-mmr", "podium"], share=0.1, resamples=200)
    back, before = value(found, "look back"), value(found, "elo-mmr, before")
    assert back["value"] > before["value"]
    assert back["low"] < back["value"] < back["high"]
    assert (
        value(found, "look back", "log-loss")["value"]
        < value(found, "podium, before", "log-loss")["value"]
    )
    assert found.hidden == int(hide(season, 0.1, 0).sum())
    assert set(found.table["players"]) == {"experienced", "all"}


def test_what_is_believed_before_is_what_a_backtest_says_of_those_who_are_shown(season):
    """Up to the first contest with a hidden row, nothing differs."""
    hidden = np.zeros(season.rows, bool)
    c = season.columns
    hidden[c.offsets[40] + 3] = True
    chains = Chains.of(c, len(season.players))
    pairs = _pairs(season, hidden, chains)
    system = podium.system("elo-mmr")
    found = _online(season, hidden, chains, system, "x", pairs, unseen)["x, before"]
    rows = slice(c.offsets[40], c.offsets[41])
    expected = backtest(season, system).rating
    np.testing.assert_array_equal(found.rating[rows], expected[rows])


def test_a_hidden_result_changes_no_belief(season):
    frame = season.frame()
    hidden = hide(season, 0.1, 0)
    contest = season.ids[50]
    names = season[50].players
    rows = slice(season.columns.offsets[50], season.columns.offsets[51])
    unseen_names = [n for n, h in zip(names, hidden[rows], strict=True) if h]
    assert unseen_names
    order = [n for n in names if n != unseen_names[0]]
    moved = [unseen_names[0], *order]
    ranks = {name: rank for rank, name in enumerate(moved, 1)}
    changed = frame.with_columns(
        rank=pl.when(pl.col("contest") == contest)
        .then(pl.col("player").replace_strict(ranks, default=0, return_dtype=pl.Int32))
        .otherwise(pl.col("rank").cast(pl.Int32))
    )

    def believed(contests):
        h = hide(contests, 0.1, 0)
        chains = Chains.of(contests.columns, len(contests.players))
        pairs = _pairs(contests, h, chains)
        found = _online(contests, h, chains, podium.system("podium"), "x", pairs, unseen)
        own = contests.frame().with_columns(m=pl.Series(found["x, before"].rating))
        return own.filter(pl.col("contest") == contest).sort("player")["m"].to_numpy()

    np.testing.assert_allclose(
        believed(season), believed(podium.Contests.from_frame(changed)), rtol=1e-12
    )


def test_matches_with_draws_and_sides_are_scored():
    matches = podium.simulate_matches(players=30, matches=1500, side_advantage=0.5, seed=2)
    found = evaluate_hidden(matches, ["elo", "luck"], share=0.1, resamples=50)
    beliefs = found.table["belief"].unique(maintain_order=True).to_list()
    assert beliefs == ["elo, before", "elo, between", "luck, before", "look back"]
    losses = found.table.filter(pl.col("measure") == "log-loss")["value"]
    assert (losses < np.log(2.0)).all()


def test_what_is_wrong_is_said(season):
    with pytest.raises(InputError, match="share must be"):
        evaluate_hidden(season, share=0.9)
    with pytest.raises(InputError, match="hides none"):
        evaluate_hidden(season[:1], share=0.0)
