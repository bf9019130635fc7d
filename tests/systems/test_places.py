"""One player at every place by the short way, against folding the contest for every place."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium.ratings.predictions import _Places, _ready
from podium.systems import PerformanceModel


def sech():
    half = math.pi / 2
    return PerformanceModel(
        "sech",
        lambda z: -half / (2 * math.cosh(half * z) * math.atan(math.exp(-half * z))),
        lambda z: -half * math.tanh(half * z),
        lambda z: half / (2 * math.cosh(half * z) * math.atan(math.exp(half * z))),
    )


MODELS = podium.systems.WengLin.kernel.MODELS
SETTINGS = [
    ("elo-mmr", {}),
    ("elo-mmr", {"performance": "gaussian"}),
    ("elo-mmr", {"performance": "gaussian", "split_ties": True}),
    ("elo-mmr", {"performance": sech()}),
    ("elo-mmx", {}),
    ("podium", {}),
    ("podium", {"split_ties": True, "team": "sum", "robustness": 1.5}),
    ("elo-r", {}),
    ("elo-r-draft", {}),
    ("elo", {}),
    ("elo", {"curve": "fide", "k_new": 40.0, "contests_new": 3}),
    ("elo", {"curve": "normal", "cap": 300.0}),
    ("glicko", {}),
    ("glicko", {"contest": "sum", "period_days": 9.0}),
    ("glicko2", {}),
    ("glicko", {"contest": "one-match"}),
    ("codeforces", {}),
    ("codeforces", {"whole_numbers": True}),
    ("codeforces", {"variant": "papers"}),
    ("codeforces", {"variant": "papers", "corrections": True}),
    ("topcoder", {}),
    ("atcoder", {}),
    ("trueskill", {}),
    ("trueskill", {"draw_rate": 0.0}),
    ("trueskill", {"draw_rate": 0.5, "drift_per_day": 0.1}),
    *(("weng-lin", {"model": model}) for model in MODELS),
    *(("weng-lin", {"model": model, "contest": "sum", "gamma": "1/k"}) for model in MODELS),
]
OF_TEAMS = [each for each in SETTINGS if each[0] in ("elo-mmx", "podium", "trueskill", "weng-lin")]


def name_of(setting):
    return setting if isinstance(setting, str) else " ".join(map(str, setting.values()))


def agrees(beliefs, contest, rows, options, *, performances=True, tolerance=1e-7):
    """Both ways, for players in some rows at some places."""
    state, _, columns = _ready(beliefs, contest)
    for row in {each % len(columns.player) for each in rows}:
        places = _Places(state, columns, row, state.system.rating)
        chosen = np.unique([each % len(places.options) for each in options])
        ahead = places.options[chosen]
        shorter = state.system.if_placed(state, columns, places.row)(ahead)
        folded = np.stack([places._folded(each) for each in ahead.tolist()], axis=1)
        of = slice(None) if performances else slice(1, None)
        assert shorter[of] == pytest.approx(folded[of], rel=tolerance, abs=tolerance, nan_ok=True)


ROWS = st.lists(st.integers(0, 1000), min_size=1, max_size=3)
OPTIONS = st.lists(st.integers(0, 1000), min_size=1, max_size=8)


@pytest.mark.parametrize(("name", "parameters"), SETTINGS, ids=name_of)
@settings(max_examples=5, deadline=None)
@given(st.integers(3, 60), st.integers(0, 99), ROWS, OPTIONS, st.integers(1, 9))
def test_every_place_is_what_folding_gives(name, parameters, players, seed, rows, options, ties):
    season = podium.simulate(players=players, rounds=4, seed=seed)
    beliefs = podium.rate(season[:3], name, **parameters).beliefs
    rank = (pl.col("rank") - 1) // ties + 1
    agrees(
        beliefs,
        podium.Contests.from_frame(season[3:].frame().with_columns(rank), rerank=True),
        rows,
        options,
    )


@pytest.mark.parametrize(("name", "parameters"), OF_TEAMS, ids=name_of)
@settings(max_examples=5, deadline=None)
@given(st.integers(9, 60), st.integers(0, 99), ROWS, OPTIONS, st.booleans())
def test_teams_move_as_one(name, parameters, players, seed, rows, options, are_shared):
    season = podium.simulate(players=players, rounds=4, seed=seed)
    beliefs = podium.rate(season[:3], name, **parameters).beliefs
    team = pl.int_range(pl.len()) % (players // 3)
    frame = season[3:].frame().with_columns(team=team.cast(pl.String), rank=team // 2 + 1)
    if are_shared:
        share = np.random.default_rng(seed).uniform(0.2, 1.0, len(frame))
        frame = frame.with_columns(share=pl.Series(share))
    agrees(beliefs, podium.Contests.from_frame(frame, rerank=True), rows, options)


@pytest.mark.parametrize(("name", "parameters"), SETTINGS, ids=name_of)
def test_the_best_and_the_worst_of_many_can_be_anywhere(name, parameters):
    season = podium.simulate(players=700, rounds=5, seed=3)
    beliefs = podium.rate(season[:4], name, **parameters).beliefs
    state, _, columns = _ready(beliefs, season[4:])
    mu = state.table["mu"][columns.player]
    rows = int(mu.argmax()), int(mu.argmin())
    agrees(beliefs, season[4:], rows, (0, 1, 2, 350, -3, -2, -1))


@pytest.mark.parametrize(("name", "parameters"), SETTINGS, ids=name_of)
def test_who_stands_far_above_all_others_can_be_anywhere(name, parameters):
    season = podium.simulate(players=40, rounds=3, seed=3)
    beliefs = podium.rate(season[:2], name, **parameters).beliefs
    far = 40 * beliefs.system.newcomer()["mu"] / 3
    for field in {"mu", "average", "p0", "mu_start"} & {*beliefs.table.dtype.names}:
        beliefs.table[field][5] += far
    row = beliefs.names[5]
    names = season.players.to_list()
    rows = np.flatnonzero(season[2:].columns.player == names.index(row)).tolist()
    # where the nearest opponent is out of reach, rounding decides how far away a performance is
    agrees(beliefs, season[2:], rows, (0, 1, 20, -2, -1), performances=False, tolerance=1e-6)
