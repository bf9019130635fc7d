"""Static rankings: their likelihoods, intervals, and what has to be said beside them."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium.errors import InputError, NotFoundError
from podium.hindsight import comparing, fitting
from podium.hindsight.comparing import Pairs, Rankings
from podium.numerics import comparisons as kernels
from podium.results.options import Options
from tests.hindsight import plain_rankings as plain


def random_pairs(seed, players=5, rows=40, covariates=1, ties=False):
    draws = np.random.default_rng(seed)
    first = draws.integers(0, players, rows)
    second = (first + draws.integers(1, players, rows)) % players
    return Pairs(
        [str(k) for k in range(players)],
        first,
        second,
        draws.normal(size=(rows, covariates)),
        draws.choice([0.0, 0.5, 1.0], rows),
        draws.choice([0.5, 1.0, 2.0], rows),
        draws.integers(1, 4, rows),
        tuple(f"x{k}" for k in range(covariates)),
        ties,
    )


def random_rankings(seed, players=6, contests=8, covariates=1):
    draws = np.random.default_rng(seed)
    player, rank, sizes = [], [], []
    for _ in range(contests):
        size = int(draws.integers(2, players + 1))
        places = np.sort(draws.integers(0, size, size))
        player += draws.permutation(players)[:size].tolist()
        rank += (1 + np.searchsorted(places, places)).tolist()
        sizes.append(size)
    return Rankings(
        [str(k) for k in range(players)],
        np.concatenate([[0], np.cumsum(sizes)]),
        np.array(player),
        np.array(rank),
        draws.normal(size=(len(player), covariates)),
        draws.choice([0.5, 1.0, 2.0], contests),
        tuple(f"x{k}" for k in range(covariates)),
    )


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.booleans())
def test_sums_over_pairs_are_the_derivatives_of_the_plain_likelihood(seed, ties):
    pairs = random_pairs(seed, ties=ties)
    theta = np.random.default_rng(seed + 1).normal(size=pairs.parameters)
    weight = pairs.single * pairs.count
    data = pairs.first, pairs.second, pairs.x, pairs.score

    def likelihood(at):
        return plain.of_pairs(at, len(pairs.names), *data, weight, ties)

    sums = pairs.sums(theta)
    gradient, curvature = plain.derivatives(likelihood, theta)
    assert sums.likelihood == pytest.approx(likelihood(theta), rel=1e-12)
    np.testing.assert_allclose(sums.gradient, gradient, atol=1e-5)
    np.testing.assert_allclose(sums.curvature, curvature, atol=1e-4)
    squares = np.zeros_like(curvature)
    for k in range(len(weight)):
        own = [each[k : k + 1] for each in data]
        g, _ = plain.derivatives(
            lambda at, own=own: plain.of_pairs(at, len(pairs.names), *own, [1.0], ties), theta
        )
        squares += pairs.count[k] * pairs.single[k] ** 2 * np.outer(g, g)
    np.testing.assert_allclose(sums.squares, squares, atol=1e-4)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31))
def test_sums_over_rankings_are_the_derivatives_of_the_plain_likelihood(seed):
    rankings = random_rankings(seed)
    theta = np.random.default_rng(seed + 1).normal(size=rankings.parameters)
    players = len(rankings.names)

    def of_one(at, c):
        rows = slice(rankings.offsets[c], rankings.offsets[c + 1])
        strengths = np.exp(at[rankings.player[rows]] + rankings.x[rows] @ at[players:])
        return plain.of_ranking(strengths, rankings.rank[rows])

    def likelihood(at):
        return sum(w * of_one(at, c) for c, w in enumerate(rankings.weight))

    sums = rankings.sums(theta)
    gradient, curvature = plain.derivatives(likelihood, theta)
    assert sums.likelihood == pytest.approx(likelihood(theta), rel=1e-10)
    np.testing.assert_allclose(sums.gradient, gradient, atol=1e-5)
    np.testing.assert_allclose(sums.curvature, curvature, atol=1e-4)
    squares = sum(
        np.outer(g, g) * w * w
        for c, w in enumerate(rankings.weight)
        for g in [plain.derivatives(lambda at, c=c: of_one(at, c), theta)[0]]
    )
    np.testing.assert_allclose(sums.squares, squares, atol=1e-4)


def test_ties_of_rankings_pull_nearly_as_the_mean_over_all_orders_does():
    scores = np.array([0.4, -0.2, 0.1, 0.0, 0.3])
    for ranks in ([1, 1, 3, 4, 5], [1, 2, 3, 4, 4], [1, 1, 1, 4, 4], [1, 2, 2, 2, 2], [1, 1]):
        some = scores[: len(ranks)]
        ours, mean = (
            plain.derivatives(lambda at, of=of, r=ranks: of(np.exp(at), r), some)[0]
            for of in (plain.of_ranking, plain.of_orders)
        )
        exact = ranks == [1, 1]
        np.testing.assert_allclose(ours, mean, atol=1e-9 if exact else 0.05)


def votes(seed=1, models=12, rows=4000, ties=0.2):
    draws = np.random.default_rng(seed)
    strength = draws.normal(0.0, 0.8, models)
    a = draws.integers(0, models, rows)
    b = (a + draws.integers(1, models, rows)) % models
    won = draws.random(rows) < 1.0 / (1.0 + np.exp(strength[b] - strength[a]))
    winner = np.where(draws.random(rows) < ties, 2, np.where(won, 0, 1))
    names = pl.Series([f"model {k:02d}" for k in range(models)])
    return pl.DataFrame(
        {
            "model_a": names.gather(a),
            "model_b": names.gather(b),
            "winner": pl.Series(["model_a", "model_b", "tie"]).gather(winner),
        }
    )


def scores(found):
    return dict(found.table.select("player", "score").iter_rows())


def test_matches_of_two_have_one_ranking_under_both_models():
    frame = votes(rows=600)
    pairs, rankings = podium.rank(frame), podium.rank(frame, model="plackett-luce")
    assert scores(rankings) == pytest.approx(scores(pairs), abs=1e-9)
    assert rankings.table["error"].to_list() == pytest.approx(pairs.table["error"].to_list())


def test_evalica_finds_the_same_strengths():
    evalica = pytest.importorskip("evalica")
    frame = votes()
    ends = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    theirs = evalica.bradley_terry(
        frame["model_a"].to_list(),
        frame["model_b"].to_list(),
        [ends[each] for each in frame["winner"]],
        tolerance=1e-14,
        limit=100_000,
    )
    strengths = np.log(theirs.scores / theirs.scores.sum())
    theirs = {name: value - strengths.mean() for name, value in strengths.items()}
    assert scores(podium.rank(frame)) == pytest.approx(theirs, abs=1e-6)


def test_arena_rank_finds_the_same_ratings_and_intervals():
    """Its ratings are around 1000 where ours are around 1500; all else is the same."""
    pytest.importorskip("arena_rank")
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    frame = votes()
    data = PairDataset.from_pandas(frame.to_pandas())
    theirs = BradleyTerry(n_competitors=len(data.competitors)).compute_ratings_and_cis(data)
    found = podium.rank(frame).table.sort("player")
    place = np.argsort(list(theirs["competitors"]))
    for ours, name, tolerance in (
        ("rating", "ratings", 1e-3),
        ("low", "rating_lower", 0.02),
        ("high", "rating_upper", 0.02),
    ):
        expected = np.asarray(theirs[name])[place] + 500.0
        np.testing.assert_allclose(found[ours].to_numpy(), expected, atol=tolerance)


def test_choix_finds_the_same_strengths_of_pairs_and_rankings():
    """It has no ties."""
    choix = pytest.importorskip("choix")
    frame = votes(ties=0.0, rows=1500)
    found = podium.rank(frame)
    names = sorted(scores(found))
    wins = [
        (names.index(a), names.index(b))
        if winner == "model_a"
        else (names.index(b), names.index(a))
        for a, b, winner in frame.iter_rows()
    ]
    theirs = choix.opt_pairwise(len(names), wins, alpha=0.0, tol=1e-12)
    assert [scores(found)[name] for name in names] == pytest.approx(
        list(theirs - theirs.mean()), abs=1e-5
    )
    draws = np.random.default_rng(2)
    orders = [draws.permutation(8)[: draws.integers(2, 9)].tolist() for _ in range(60)]
    rows = [
        {"contest": c, "player": f"p{k}", "rank": place, "time": c}
        for c, order in enumerate(orders)
        for place, k in enumerate(order, 1)
    ]
    ours = scores(podium.rank(podium.Contests.from_records(rows), model="plackett-luce"))
    theirs = choix.opt_rankings(8, orders, alpha=0.0, tol=1e-12)
    expected = dict(zip([f"p{k}" for k in range(8)], theirs - theirs.mean(), strict=True))
    assert ours == pytest.approx(expected, abs=1e-5)


def test_neither_the_order_of_rows_nor_who_stands_first_changes_a_bit():
    frame = votes(rows=500).with_columns(
        weight=pl.Series(np.random.default_rng(3).uniform(0.5, 2.0, 500)),
        length=pl.Series(np.random.default_rng(4).normal(size=500)),
    )
    swapped = frame.select(
        model_a="model_b",
        model_b="model_a",
        winner=pl.col("winner").replace({"model_a": "model_b", "model_b": "model_a"}),
        weight="weight",
        length=-pl.col("length"),
    )
    one = podium.rank(frame, covariates=["length"])
    for other in (frame.sample(fraction=1.0, shuffle=True, seed=5), swapped):
        two = podium.rank(other, covariates=["length"])
        assert one.table.equals(two.table)
        assert one.coefficients.equals(two.coefficients)
        assert one.critical == two.critical


def test_a_table_of_arenas_is_read_as_matches_are():
    frame = votes(rows=400)
    matches = frame.select(
        player_a="model_a",
        player_b="model_b",
        outcome=pl.col("winner").replace_strict({"model_a": 1.0, "model_b": 0.0, "tie": 0.5}),
    )
    assert podium.rank(frame).table.equals(podium.rank(matches).table)
    bad = frame.with_columns(winner=pl.col("winner").replace({"tie": "tie (bothbad)"}))
    assert podium.rank(frame).table.equals(podium.rank(bad).table)


def test_covariates_and_sides_are_found_again():
    draws = np.random.default_rng(7)
    rows, strength = 8000, draws.normal(0.0, 0.5, 10)
    a = draws.integers(0, 10, rows)
    b = (a + draws.integers(1, 10, rows)) % 10
    side, length = draws.choice(["home", "neutral"], rows), draws.normal(size=rows)
    d = strength[a] - strength[b] + 0.6 * (side == "home") - 0.3 * length
    frame = pl.DataFrame(
        {
            "player_a": [f"p{k}" for k in a],
            "player_b": [f"p{k}" for k in b],
            "outcome": (draws.random(rows) < 1.0 / (1.0 + np.exp(-d))).astype(float),
            "side": side,
            "length": length,
        }
    )
    found = podium.rank(frame, covariates=["length"]).coefficients
    assert found["name"].to_list() == ["side", "length"]
    for value, low, high in zip((0.6, -0.3), found["low"], found["high"], strict=True):
        assert low < value < high
        assert high - low < 0.2


def test_covariates_of_rankings_are_found_again():
    draws = np.random.default_rng(8)
    strength, rows = draws.normal(0.0, 0.7, 12), []
    for c in range(500):
        who = draws.permutation(12)[:6]
        grid = draws.permutation(6) / 5.0
        order = np.argsort(-(strength[who] + 0.8 * grid + draws.gumbel(size=6)))
        rows += [
            {"contest": f"c{c}", "player": f"p{who[k]}", "rank": place, "grid": grid[k]}
            for place, k in enumerate(order, 1)
        ]
    found = podium.rank(pl.DataFrame(rows), covariates=["grid"])
    assert found.model == "plackett-luce"
    low, high = found.coefficients.select("low", "high").row(0)
    assert low < 0.8 < high


def races(seed, count=200, players=8):
    """Rankings whose players have a place on the grid, which counts for them."""
    draws = np.random.default_rng(seed)
    strength, rows = draws.normal(0.0, 0.7, players), []
    for c in range(count):
        grid = draws.permutation(players) / players
        order = np.argsort(-(strength + 0.8 * grid + draws.gumbel(size=players)))
        rows += [
            {"contest": f"c{c}", "time": c, "player": f"p{k}", "rank": place, "grid": grid[k]}
            for place, k in enumerate(order.tolist(), 1)
        ]
    return pl.DataFrame(rows)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_covariates_stand_in_files_beside_podiums_own_columns(tmp_path, ending):
    frame, path = races(1, 30), tmp_path / f"races.{ending}"
    {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}[ending](
        path
    )
    expected, found = (podium.rank(each, covariates=["grid"]) for each in (frame, path))
    assert expected.coefficients["name"].to_list() == ["grid"]
    assert found.coefficients.equals(expected.coefficients)
    assert found.table.equals(expected.table)


@pytest.mark.parametrize("scale", [1e-5, 1e6])
def test_a_covariate_may_have_any_unit(scale):
    draws = np.random.default_rng(1)
    x = draws.uniform(-1.0, 1.0, 2000)
    won = draws.random(2000) < 1.0 / (1.0 + np.exp(-3.0 * x))
    frame = pl.DataFrame(
        {
            "model_a": ["elk", "owl"] * 1000,
            "model_b": ["owl", "elk"] * 1000,
            "winner": np.where(won, "model_a", "model_b"),
            "length": x,
        }
    )
    one = podium.rank(frame, covariates="length")
    other = podium.rank(frame.with_columns(pl.col("length") * scale), covariates="length")
    expected = one.coefficients["value"][0]
    assert 2.5 < expected < 3.5
    assert other.coefficients["value"][0] * scale == pytest.approx(expected, rel=1e-9)
    assert scores(other) == pytest.approx(scores(one), abs=1e-9)


@pytest.mark.parametrize("model", ["bradley-terry", "plackett-luce"])
def test_a_covariate_that_tells_nothing_more_is_left_out_and_that_is_said(model):
    frame = votes(rows=600).with_columns(length=np.random.default_rng(1).normal(size=600))
    alone = podium.rank(frame, model=model, covariates="length")
    size = {f"model {k:02d}": value for k, value in enumerate(np.linspace(20.0, 40.0, 12) ** 2)}
    frame = frame.with_columns(
        twice=2.0 * pl.col("length"),
        nothing=0.0,
        size=pl.col("model_a").replace_strict(size) - pl.col("model_b").replace_strict(size),
    )
    found = podium.rank(frame, model=model, covariates=["length", "twice", "nothing", "size"])
    assert found.coefficients["name"].to_list() == ["length"]
    assert found.idle == ("twice", "nothing", "size")
    assert "'twice', 'nothing', 'size' told nothing that players" in found.notes[0]
    assert found.table.equals(alone.table)
    assert alone.notes == []


@pytest.mark.parametrize("ridge", [None, 0.1])
@pytest.mark.parametrize("scale", [1.0, 1000.0])
@pytest.mark.parametrize("model", ["bradley-terry", "plackett-luce"])
def test_a_covariate_that_tells_winners_without_fail_is_refused(model, scale, ridge):
    frame = votes(rows=200, models=3, ties=0.0).with_columns(
        lead=pl.when(pl.col("winner") == "model_a").then(scale).otherwise(-scale)
    )
    with pytest.raises(InputError, match=r"without fail; leave it out\.$"):
        podium.rank(frame, model=model, covariates="lead", ridge=ridge)


def test_covariates_are_those_of_who_is_left_of_teams(tmp_path):
    frame, path = races(2, 30), tmp_path / "races.csv"
    frame.with_columns(team=pl.lit("red")).write_csv(path)
    found = comparing.of_files(
        path, Options(), ["grid"], chosen=lambda contests: contests.without_teams()
    )[0]
    alone = comparing.of_frame(frame, Options(), ["grid"])
    np.testing.assert_array_equal(found.x, alone.x)
    with pytest.raises(InputError, match=r"races\.csv: there are teams"):
        podium.rank(path, covariates="grid")


def test_votes_of_several_files_are_those_of_one(tmp_path):
    frame = votes(rows=600).with_columns(length=np.random.default_rng(2).normal(size=600))
    frame[:200].write_csv(tmp_path / "one.csv")
    frame[200:].write_parquet(tmp_path / "two.parquet")
    found = podium.rank(tmp_path, covariates="length")
    assert found.table.equals(podium.rank(frame, covariates="length").table)
    frame[:3].with_columns(winner=pl.lit("nobody")).write_csv(tmp_path / "zoo.csv")
    with pytest.raises(InputError, match=r"zoo\.csv, line 2: winner 'nobody'"):
        podium.rank(tmp_path)


def test_who_is_alone_is_compared_with_nobody():
    alone = podium.Contests.from_records([{"contest": 1, "time": 0, "player": "a", "rank": 1}])
    with pytest.raises(InputError, match="no result has two players"):
        podium.rank(alone)


def test_several_ladders_are_several_rankings():
    rows = [
        {"contest": ladder, "time": 0, "ladder": ladder, "player": name, "rank": rank}
        for ladder in ("x", "y")
        for rank, name in enumerate("ab", 1)
    ]
    contests = podium.Contests.from_records(rows)
    with pytest.raises(InputError, match="these contests are of 2 ladders"):
        podium.rank(contests)
    assert podium.rank(contests.without_ladders()).results == 2


def test_who_has_only_won_needs_a_ridge_and_it_is_said():
    rows = [("ann", "bob", 1.0), ("ann", "cat", 1.0), ("bob", "cat", 1.0), ("cat", "bob", 1.0)]
    frame = pl.DataFrame(rows, ["player_a", "player_b", "outcome"], orient="row")
    found = podium.rank(frame)
    assert found.ridge > 0.0
    assert "ridge" in found.notes[0]
    assert np.isfinite(found.table["rating"].to_numpy()).all()
    assert found.table["rank_high"].to_list() == [3, 3, 3]
    enough = pl.concat([frame, pl.DataFrame([("bob", "ann", 1.0)], frame.schema, orient="row")])
    assert podium.rank(enough).ridge == 0.0
    assert podium.rank(enough).notes == []


def test_groups_that_never_met_are_ranked_apart():
    frame = pl.concat(
        [votes(rows=300, models=4), votes(rows=200, models=3, seed=2).with_columns(
            pl.col("model_a", "model_b").str.replace("model", "other")
        )]
    )  # fmt: skip
    found = podium.rank(frame)
    assert found.groups == 2
    assert "never compared" in found.notes[0]
    assert found.table["group"].to_list() == [1] * 4 + [2] * 3
    assert found.table["place"].to_list() == [1, 2, 3, 4, 1, 2, 3]
    assert (found.table["rank_high"] <= pl.Series([4] * 4 + [3] * 3)).all()
    alone = podium.rank(frame.filter(pl.col("model_a").str.starts_with("other")))
    assert alone.table["score"].to_list() == pytest.approx(found.table["score"][4:].to_list())
    with pytest.raises(InputError, match="never compared"):
        found.win_probability("model 00", "other 00")
    assert found.chances()["other 00"][:4].null_count() == 4


def test_the_bootstrap_agrees_with_the_sandwich():
    frame = votes(rows=3000)
    one = podium.rank(frame)
    two = podium.rank(frame, interval="bootstrap", resamples=400)
    ratio = two.table["error"].to_numpy() / one.table["error"].to_numpy()
    assert abs(ratio.mean() - 1.0) < 0.05
    assert two.critical == pytest.approx(one.critical, rel=0.08)


@pytest.mark.slow
def test_intervals_hold_and_those_of_ranks_hold_all_at_once():
    draws = np.random.default_rng(11)
    inside, ranks_inside, runs, models = 0, 0, 200, 12
    for _ in range(runs):
        strength = draws.normal(0.0, 0.5, models)
        strength -= strength.mean()
        a = draws.integers(0, models, 1500)
        b = (a + draws.integers(1, models, 1500)) % models
        won = draws.random(1500) < 1.0 / (1.0 + np.exp(strength[b] - strength[a]))
        x = np.zeros((1500, 0))
        names = [f"m{k:02d}" for k in range(models)]
        pairs = comparing.added_up(names, a, b, x, won.astype(float), None, ())
        found = podium.hindsight.ranking.ranked(pairs).table.sort("player")
        score, error = found["score"].to_numpy(), found["error"].to_numpy()
        inside += (np.abs(score - strength) < 1.96 * error).sum()
        true = 1 + (strength > strength[:, None]).sum(axis=1)
        low, high = found["rank_low"].to_numpy(), found["rank_high"].to_numpy()
        ranks_inside += bool(((low <= true) & (true <= high)).all())
    assert 0.94 < inside / (runs * models) < 0.96
    assert ranks_inside / runs >= 0.95


def test_a_tier_ends_where_the_next_is_clearly_below_its_best():
    found = podium.rank(votes(rows=4000)).table
    tiers = found["tier"].to_list()
    assert tiers[0] == 1
    assert tiers == sorted(tiers)
    assert set(np.diff(tiers)) <= {0, 1}
    assert tiers[-1] > 1
    best = found.group_by("tier", maintain_order=True).first()
    assert (best["rank_low"][1:] > 1).all()


def test_davidson_finds_how_much_ties_are_favoured():
    found = podium.rank(votes(), model="davidson")
    assert found.coefficients["name"].to_list() == ["ties"]
    win, loss = found.win_probability("model 00", "model 01"), found.win_probability(
        "model 01", "model 00"
    )  # fmt: skip
    assert 0.1 < 1.0 - win - loss < 0.35


@pytest.mark.parametrize(
    ("change", "options", "sentence"),
    [
        ({"winner": "model_c"}, {}, "row 0: winner 'model_c' is none of model_a, model_b and tie"),
        ({"model_a": "elk", "model_b": "elk"}, {}, "row 0: 'elk' is compared with itself"),
        ({"model_a": None}, {}, "row 0: model_a is empty"),
        ({}, {"model": "elo"}, "model must be one of"),
        ({}, {"covariates": ["lenght"]}, "no column 'lenght' for a covariate"),
        ({}, {"covariates": ["model_a"]}, "the covariate 'model_a' is 'elk', not a number"),
        ({}, {"ridge": -1.0}, "ridge must be"),
        ({}, {"confidence": 2.0}, "confidence must be"),
        ({"winner": "model_a"}, {"model": "davidson"}, "there are no ties"),
        ({"model_b": " "}, {}, "row 0: model_b is empty"),
        ({"weight": "0"}, {}, "row 0: weight '0' is not a number from 0.0001 to 10,000"),
        ({"weight": "nan"}, {}, "row 0: weight 'nan' is not a number"),
        ({"words": "1"}, {"covariates": ["words", "words"]}, "a covariate is named twice"),
        ({"words": "3e9"}, {"covariates": "words"}, "not a number between minus and plus"),
        ({}, {"seed": -1}, "seed must be a whole number"),
    ],
)
def test_what_is_wrong_is_said(change, options, sentence):
    row = {"model_a": "elk", "model_b": "owl", "winner": "model_a", **change}
    rest = {"model_a": "owl", "model_b": "elk", "winner": "model_a"}
    frame = pl.DataFrame([row, rest], dict.fromkeys(row, pl.String))
    with pytest.raises(InputError, match=sentence):
        podium.rank(frame, **options)


def test_without_a_ridge_where_one_is_needed_the_reason_is_said():
    frame = pl.DataFrame({"model_a": ["elk"], "model_b": ["owl"], "winner": ["model_a"]})
    with pytest.raises(InputError, match="some have only won or only lost"):
        podium.rank(frame, ridge=0.0)


def test_contests_of_many_are_not_for_models_of_two():
    season = podium.simulate(players=8, rounds=4, seed=1)
    assert podium.rank(season).model == "plackett-luce"
    with pytest.raises(InputError, match="plackett-luce takes them"):
        podium.rank(season, model="davidson")
    with pytest.raises(NotFoundError, match="no player 'nobody'"):
        podium.rank(season).win_probability("nobody", "player-0001")


def test_who_has_few_results_can_be_left_out():
    frame = pl.concat([votes(rows=300), votes(rows=1, models=2, seed=9).with_columns(
        model_a=pl.lit("rare"))])  # fmt: skip
    assert podium.rank(frame, min_results=2).table.equals(podium.rank(votes(rows=300)).table)
    season = podium.simulate(players=9, rounds=6, participation=0.7, seed=2)
    counts = dict(podium.rank(season).table.select("player", "results").iter_rows())
    kept = podium.rank(season, min_results=5).table["player"].to_list()
    assert sorted(kept) == sorted(name for name, count in counts.items() if count >= 5)
    assert 0 < len(kept) < len(counts)


def test_groups_and_reach_are_those_of_plain_search():
    draws = np.random.default_rng(1)
    for _ in range(20):
        pairs = random_pairs(int(draws.integers(1e6)), players=9, rows=7, covariates=0)
        one, other = pairs.links()
        reach = np.eye(9, dtype=bool)
        reach[one, other] = True
        for k in range(9):
            reach |= reach[:, [k]] & reach[[k]]
        group = fitting.groups_of(pairs)
        linked = reach | reach.T
        for k in range(9):
            linked |= linked[:, [k]] & linked[[k]]
        assert ((group[:, None] == group) == linked).all()
        strong = (reach & reach.T) | ~linked
        expected = [
            not strong[np.ix_(group == g, group == g)].all() for g in range(group.max() + 1)
        ]
        assert fitting.unbounded(pairs, group).tolist() == expected


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from([1, 3, 100, 5_000, 40_000]))
def test_texts_are_numbered_in_the_order_in_which_they_come(seed, different):
    draws = np.random.default_rng(seed)
    # the lowest bits of many are the same, so that they want one place
    hashes = draws.integers(0, 2**63, different, np.uint64) << np.uint64(8 * (seed % 2))
    hashes = hashes[draws.integers(0, different, 20_000)]
    number, first = kernels.numbered(hashes)
    known: dict[int, int] = {}
    expected = [known.setdefault(each, len(known)) for each in hashes.tolist()]
    assert number.tolist() == expected
    assert hashes[first].tolist() == list(known)
