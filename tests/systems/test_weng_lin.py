"""Weng-Lin against plain code, OpenSkill, the reference numbers and its own claims."""

import itertools
import math

import numpy as np
import openskill.models
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium.numerics import pair_grid
from podium.results.columns import Columns
from podium.systems import WengLin
from tests.comparing import assert_same_beliefs
from tests.systems import plain_weng_lin as plain

DAY = 86_400_000_000
MODELS = (
    "bradley-terry-full",
    "bradley-terry-part",
    "thurstone-mosteller-full",
    "thurstone-mosteller-part",
    "plackett-luce",
)
FULL = MODELS[0], MODELS[2]
PART = MODELS[1], MODELS[3]
NORMAL = MODELS[2], MODELS[3]
OPENSKILL = dict(
    zip(
        MODELS,
        (
            openskill.models.BradleyTerryFull,
            openskill.models.BradleyTerryPart,
            openskill.models.ThurstoneMostellerFull,
            openskill.models.ThurstoneMostellerPart,
            openskill.models.PlackettLuce,
        ),
        strict=True,
    )
)

each_model = pytest.mark.parametrize("model", MODELS)


def fold(beliefs, standings, *, time=0, weight=1.0, shares=None):
    """Fold standings as in `plain_weng_lin`, of teams, into the beliefs."""
    teams = [team for tie in standings for team in tie]
    names = [name for team in teams for name in team]
    rows = [
        (rank, number, (shares or {}).get(name, 1.0))
        for number, (rank, team) in enumerate(zip(plain.ranks(standings), teams, strict=True))
        for name in team
    ]
    rank, team, share = (np.array(column) for column in zip(*rows, strict=True))
    contest = Columns(
        offsets=np.array([0, len(names)]),
        player=beliefs.enrol(names),
        rank=rank.astype(np.int32),
        time=np.array([time]),
        weight=np.array([float(weight)]),
        perf_ceiling=np.array([np.inf]),
        team=None if len(teams) == len(names) else team.astype(np.int32),
        share=None if shares is None else share.astype(float),
    )
    beliefs.system.update(beliefs, contest)


def believed(beliefs):
    """(mu, sigma) by name."""
    pairs = zip(beliefs.column("mu").tolist(), beliefs.column("sigma").tolist(), strict=True)
    return dict(zip(beliefs.names, pairs, strict=True))


def started(system, prior):
    """Beliefs in which these players have (mu, sigma) already."""
    beliefs = podium.Beliefs(system)
    beliefs.enrol(list(prior))
    for name, (mu, sigma) in prior.items():
        record = beliefs.table[beliefs.index[name]]
        record["mu"], record["sigma"] = mu, sigma
    return beliefs


def after(system, prior, standings, **options):
    """(mu, sigma) by name after one contest of players with these (mu, sigma) before."""
    beliefs = started(system, prior)
    fold(beliefs, standings, **options)
    return believed(beliefs)


@st.composite
def standings_of(draw, names, largest_team=3):
    """Everybody in some team, and ties."""
    rest, teams = list(draw(st.permutations(names))), []
    while rest:
        size = draw(st.integers(1, largest_team))
        teams.append(rest[:size])
        rest = rest[size:]
    standings = [[teams[0]]]
    for team in teams[1:]:
        if draw(st.booleans()):
            standings.append([team])
        else:
            standings[-1].append(team)
    return standings


@st.composite
def seasons(draw, contests=4, players=6):
    """(standings, day, weight, shares) of a few contests."""
    season, day = [], 0
    for _ in range(draw(st.integers(1, contests))):
        names = [f"p{n}" for n in range(draw(st.integers(1, players)))]
        standings = draw(standings_of(names, draw(st.sampled_from([1, 1, 3]))))
        day += draw(st.integers(0, 60))
        weight = draw(st.sampled_from([1.0, 1.0, 0.5, 2.0]))
        share = st.sampled_from([1.0, 0.25, 0.7])
        shares = draw(st.none() | st.fixed_dictionaries(dict.fromkeys(names, share)))
        season.append((standings, day, weight, shares))
    return season


def play(season, system):
    beliefs = podium.Beliefs(system)
    for standings, day, weight, shares in season:
        fold(beliefs, standings, time=day * DAY, weight=weight, shares=shares)
    return beliefs


OPTIONS = st.fixed_dictionaries(
    {
        "contest": st.sampled_from(["mean", "sum"]),
        "gamma": st.sampled_from(["sigma/c", "1/k", "1"]),
        "tau": st.sampled_from([0.0, 25.0 / 300.0]),
        "drift_per_day": st.sampled_from([0.0, 0.05]),
        "draw_margin": st.sampled_from([0.1, 3.0]),
    }
)


@each_model
@given(season=seasons(), options=OPTIONS)
@settings(max_examples=60)
def test_all_models_agree_with_the_paper_written_out_plainly(model, season, options):
    found = believed(play(season, WengLin(model=model, **options)))
    model = plain.WengLin(model=model, **options)
    for standings, day, weight, shares in season:
        model.record(standings, day, weight, shares)
    for name, player in model.players.items():
        assert found[name] == pytest.approx((player.mu, player.sigma), rel=1e-9)


@pytest.mark.parametrize("contest", ["mean", "sum"])
def test_examples_published_for_two_teams(contest):
    """OpenSkill's first example (its version 1, without tau), and one of fl4re/wenglin."""
    luce = WengLin(model="plackett-luce", tau=0.0, contest=contest)
    newcomer = (25.0, 25.0 / 3.0)
    prior = {"a1": newcomer, "a2": (32.444, 5.123), "b1": (43.381, 2.421), "b2": (25.188, 6.211)}
    found = after(luce, prior, [[["a1", "a2"]], [["b1", "b2"]]])
    assert found["a1"] == pytest.approx((28.669648436582808, 8.071520788025197), abs=1e-13)
    assert found["a2"] == pytest.approx((33.83086971107981, 5.062772998705765), abs=1e-13)
    assert found["b1"] == pytest.approx((43.071274808241974, 2.4166900452721256), abs=1e-13)
    assert found["b2"] == pytest.approx((23.149503312339064, 6.1378606973362135), abs=1e-13)
    terry = WengLin(model="bradley-terry-full", tau=0.0, contest=contest)
    found = after(terry, dict.fromkeys("abcd", newcomer), [[["a", "b"]], [["c", "d"]]])
    assert found["a"] == pytest.approx((26.964185503295965, 8.17755635771097), abs=1e-13)
    assert found["c"] == pytest.approx((23.035814496704035, 8.17755635771097), abs=1e-13)


# Against OpenSkill ------------------------------------------------------------------------------


@st.composite
def games(draw, players=7, largest_team=3, ties=True, reach=10.0):
    """A prior and standings; ratings around zero, where a team is no better than a player."""
    names = [f"p{n}" for n in range(draw(st.integers(2, players)))]
    mu, sigma = st.floats(-reach, reach), st.floats(0.5, 25.0 / 3.0)
    prior = {name: (draw(mu), draw(sigma)) for name in names}
    standings = draw(standings_of(names, largest_team))
    if not ties:
        standings = [[team] for tie in standings for team in tie]
    return prior, standings


def openskill_after(model, prior, standings, **options):
    """What OpenSkill makes of it. Teams of one rank are handed over in the order given."""
    engine = OPENSKILL[model](**options)
    teams = [team for tie in standings for team in tie]
    rated = engine.rate(
        [[engine.rating(*prior[name]) for name in team] for team in teams],
        ranks=[float(rank) for rank in plain.ranks(standings)],
    )
    return {
        name: (rating.mu, rating.sigma)
        for team, ratings in zip(teams, rated, strict=True)
        for name, rating in zip(team, ratings, strict=True)
    }


def one_over_k(c, k, *others):  # noqa: ARG001
    return 1.0 / k


def assert_close(found, expected, tolerance=1e-9):
    for name, values in expected.items():
        assert found[name] == pytest.approx(values, rel=tolerance, abs=tolerance), name


@pytest.mark.parametrize("model", [*FULL, "plackett-luce"])
@given(game=games(reach=4.0), gamma=st.sampled_from(["sigma/c", "1/k"]))
@settings(max_examples=400)
def test_summed_contests_agree_with_openskill(model, game, gamma):
    """Gaps are kept within the reach of OpenSkill's tails, see below."""
    prior, standings = game
    if sum(len(tie) for tie in standings) < 2:
        return
    options = {"epsilon": 1.0} if model in NORMAL else {}
    if gamma == "1/k":
        options["gamma"] = one_over_k
    system = WengLin(model=model, contest="sum", gamma=gamma, draw_margin=1.0)
    assert_close(
        after(system, prior, standings), openskill_after(model, prior, standings, **options)
    )


@given(game=games(ties=False))
@settings(max_examples=400)
def test_bradley_terry_part_without_ties_agrees_with_openskill(game):
    """OpenSkill takes the mean over a window, of 4 to either side unless set to the paper's 1."""
    prior, standings = game
    if len(standings) < 2:
        return
    expected = openskill_after("bradley-terry-part", prior, standings, window_size=1)
    assert_close(after(WengLin(model="bradley-terry-part"), prior, standings), expected)
    if len(standings) == 2:
        expected = openskill_after("bradley-terry-part", prior, standings)
        assert_close(after(WengLin(model="bradley-terry-part"), prior, standings), expected)


@given(game=games(ties=False, reach=4.0))
@settings(max_examples=400)
def test_thurstone_mosteller_part_is_openskills_but_for_its_doubled_c(game):
    """OpenSkill has c = 2 sqrt(...) there, but not in its full-pair model.

    With sigma, beta and tau doubled, c is the same, a step 4 times and a curvature 8 times theirs.
    """
    prior, standings = game
    if len(standings) < 2:
        return
    expected = openskill_after(
        "thurstone-mosteller-part", prior, standings, window_size=1, epsilon=1.0, kappa=1e-12
    )
    system = WengLin(
        model="thurstone-mosteller-part",
        beta=25.0 / 3.0,
        tau=25.0 / 150.0,
        draw_margin=1.0,
        kappa=1e-12,
    )
    found = after(system, {n: (mu, 2.0 * sigma) for n, (mu, sigma) in prior.items()}, standings)
    for name, (mu, sigma) in prior.items():
        assert expected[name][0] - mu == pytest.approx((found[name][0] - mu) / 4.0, abs=1e-9)
        variance = sigma**2 + (25.0 / 300.0) ** 2
        theirs = 1.0 - expected[name][1] ** 2 / variance
        ours = 1.0 - found[name][1] ** 2 / (4.0 * variance)
        if ours < 0.999:
            assert theirs == pytest.approx(ours / 8.0, abs=1e-9)


@pytest.mark.parametrize("model", PART)
def test_ties_of_part_models_do_not_depend_on_the_order_in_which_they_are_named(model):
    """OpenSkill's do: of three who tie, the middle one has drawn twice, the others once."""
    prior = {"a": (30.0, 3.0), "b": (20.0, 4.0), "c": (25.0, 5.0), "d": (26.0, 2.0)}
    found = [
        after(WengLin(model=model), prior, [[["d"]], [[name] for name in order]])
        for order in itertools.permutations("abc")
    ]
    theirs = [
        openskill_after(model, prior, [[["d"]], [[name] for name in order]], window_size=1)
        for order in itertools.permutations("abc")
    ]
    for name in prior:
        assert len({round(result[name][0], 9) for result in found}) == 1
    assert len({round(result["c"][0], 3) for result in theirs}) > 1


@given(
    tied=st.integers(2, 4),
    skills=st.lists(st.floats(15.0, 35.0), min_size=6, max_size=6),
    spread=st.lists(st.floats(1.0, 8.0), min_size=6, max_size=6),
)
@settings(max_examples=40)
def test_ties_of_bradley_terry_part_are_the_mean_of_openskills_orders(tied, skills, spread):
    """Everybody who has two neighbours in every order; the ends may have one or two."""
    names = list("abcdef")[: tied + 2]
    prior = dict(zip(names, zip(skills, spread, strict=True), strict=False))
    first, *middle, last = names
    found = after(
        WengLin(model="bradley-terry-part"), prior, [[[first]], [[n] for n in middle], [[last]]]
    )
    orders = [
        openskill_after(
            "bradley-terry-part",
            prior,
            [[[first]], [[name] for name in order], [[last]]],
            window_size=1,
        )
        for order in itertools.permutations(middle)
    ]
    for name in names:
        mu = np.mean([order[name][0] for order in orders])
        variance = np.mean([order[name][1] ** 2 for order in orders])
        assert found[name] == pytest.approx((mu, math.sqrt(variance)), abs=1e-9)


def test_openskills_tails_end_where_ours_go_on():
    """Beyond 8.1 sigma, and for draws less likely than 1e-5, OpenSkill takes the limit.

    The mean of a normal variable above z is then z, instead of z + 1/z.
    """
    prior = {"a": (10.0, 1.0), "b": (70.0, 1.0)}
    options = {"model": "thurstone-mosteller-full", "tau": 0.0, "draw_margin": 0.1}
    found = after(WengLin(**options), prior, [[["a"]], [["b"]]])
    theirs = openskill_after(options["model"], prior, [[["a"]], [["b"]]], tau=1e-300)
    c = math.sqrt(2.0 + 2.0 * (25.0 / 6.0) ** 2)
    z = 60.1 / c
    assert theirs["a"][0] == pytest.approx(10.0 + z / c, abs=1e-12)
    assert (found["a"][0] - 10.0) * c == pytest.approx(
        z + 1.0 / (z + 2.0 / (z + 3.0 / z)), abs=1e-4
    )


def test_openskill_overflows_where_ours_is_certain():
    prior = {"a": (0.0, 8.0), "b": (1e5, 8.0)}
    with pytest.raises(OverflowError):
        openskill_after("bradley-terry-full", prior, [[["a"]], [["b"]]])
    for model in MODELS:
        found = after(WengLin(model=model), prior, [[["a"]], [["b"]]])
        assert np.isfinite(list(found.values())).all()
        assert found["a"][0] > 0.0
        assert found["b"][0] < 1e5


def test_a_share_is_not_openskills_weight():
    """There, weights of a winning team multiply its members' gains and leave its strength alone."""
    prior = dict.fromkeys("abcd", (25.0, 25.0 / 3.0))
    engine = openskill.models.BradleyTerryFull(weight_bounds=(0.5, 1.0))
    teams = [[engine.rating(), engine.rating()], [engine.rating(), engine.rating()]]
    (a, _), _ = engine.rate(teams, weights=[[0.5, 1.0], [1.0, 1.0]])
    standings, shares = [[["a", "b"]], [["c", "d"]]], {"a": 0.5}
    whole = after(WengLin(), prior, standings)
    part = after(WengLin(), prior, standings, shares=shares)
    assert a.mu - 25.0 == pytest.approx(0.5 * (whole["a"][0] - 25.0), abs=1e-12)
    assert part["b"][0] - 25.0 > whole["b"][0] - 25.0  # one and a half have beaten two
    assert part["a"][0] - 25.0 == pytest.approx(0.5 * (part["b"][0] - 25.0), abs=1e-12)


# Against the reference --------------------------------------------------------------------------


BETA = 400.0 * (math.pi / math.sqrt(3.0)) / math.log(10.0)


def bar(frame, *, as_in_the_reference):
    """The all-pairs form of the Elo-MMR papers, plainly; what the reference does, or ours."""
    mu, sigma, rows = {}, {}, []
    for (contest,), group in frame.group_by(["contest"], maintain_order=True):
        names, rank = group["player"].to_list(), group["rank"].to_numpy()
        n = len(names)
        m = np.array([mu.get(name, 1500.0) for name in names])
        s2 = np.array([sigma.get(name, 350.0) for name in names]) ** 2 + 35.0**2
        c = np.sqrt(s2[:, None] + s2[None, :] + 2.0 * BETA**2)
        steepness = math.pi / math.sqrt(3.0) if as_in_the_reference else 1.0
        p = plain.expit(steepness * (m[:, None] - m[None, :]) / c)
        score = 0.5 * (1.0 + np.sign(rank[None, :] - rank[:, None]))
        if as_in_the_reference:
            pull, info = ((score - p) / c).sum(1) / n, 0.25 / (s2 + 2.0 * BETA**2)
        else:
            curvature = p * (1.0 - p) / c**2 * (1.0 - np.eye(n))
            pull, info = ((score - p) / c).sum(1) / (n - 1), curvature.sum(1) / (n - 1)
        mu.update(zip(names, m + s2 * pull, strict=True))
        sigma.update(zip(names, np.sqrt(s2 * np.maximum(1.0 - s2 * info, 1e-4)), strict=True))
        rows += [(contest, name, mu[name], sigma[name]) for name in names]
    return pl.DataFrame(rows, schema=["contest", "player", "mu", "sigma"], orient="row")


def test_the_reference_of_bar_and_what_is_different_here(shared, codeforces):
    """Three things in the authors' program that are not so here.

    It adds up the information p (1 - p) / c^2 and throws it away: 1 / (4 (sigma^2 + 2 beta^2)) is
    taken instead, as if all opponents were equal and known exactly. Its p is a logistic
    function of standard deviation c, but the step is that of one of scale c. And it divides
    by all participants, oneself included, so that a match of two counts half.
    """
    reference = pl.read_parquet(shared / "reference" / "first_30_codeforces_contests.parquet")
    reference = reference.filter(pl.col("system") == "bar").with_columns(
        pl.col("contest").cast(pl.String)
    )
    contests = codeforces[:30]
    frame = contests.frame().with_columns(pl.col("contest", "player").cast(pl.String))
    keys = ["contest", "player"]
    emulated = reference.join(bar(frame, as_in_the_reference=True), on=keys, suffix="_plain")
    assert emulated.height == reference.height == 10_791
    system = WengLin(gamma="1", beta=BETA, tau=35.0, mu_new=1500.0, sigma_new=350.0)
    history = podium.rate(contests, system).history
    own = history.join(bar(frame, as_in_the_reference=False), on=keys, suffix="_plain")
    for column in ("mu", "sigma"):
        assert (emulated[column] - emulated[f"{column}_plain"]).abs().max() < 1e-6
        assert (own[column] - own[f"{column}_plain"]).abs().max() < 1e-6
    both = history.join(reference, on=keys, suffix="_reference")
    assert (both["sigma"] > both["sigma_reference"]).all()
    assert 10.0 < (both["mu"] - both["mu_reference"]).abs().max() < 300.0
    assert history["performance"].null_count() == history.height


# Claims ----------------------------------------------------------------------------------------


@each_model
@given(
    season=seasons(),
    options=OPTIONS,
    shift=st.sampled_from([-777.0, 50.0]),
)
@settings(max_examples=25)
def test_shifting_all_ratings_shifts_all_ratings_among_players(model, season, options, shift):
    """A team is a sum, so that among teams of different sizes zero means something."""
    season = [
        ([[[name] for team in tie for name in team] for tie in standings], day, weight, None)
        for standings, day, weight, _ in season
    ]
    here = believed(play(season, WengLin(model=model, **options)))
    there = believed(play(season, WengLin(model=model, mu_new=25.0 + shift, **options)))
    for name, (mu, sigma) in here.items():
        assert there[name] == pytest.approx((mu + shift, sigma), abs=1e-7)


def test_an_absent_member_is_one_with_no_share():
    prior = {"a": (25.0, 5.0), "b": (30.0, 6.0), "c": (28.0, 4.0)}
    for model in MODELS:
        system = WengLin(model=model)
        alone = after(system, prior, [[["a"]], [["c"]]])
        almost = after(system, prior, [[["a", "b"]], [["c"]]], shares={"b": 1e-9})
        assert almost["a"] == pytest.approx(alone["a"], abs=1e-6)
        assert almost["b"] == pytest.approx((30.0, math.hypot(6.0, system.tau)), abs=1e-6)


@each_model
@given(season=seasons(), order=st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_the_order_of_names_teams_and_ties_does_not_matter(model, season, order):
    def shuffled(standings):
        again = [[list(team) for team in tie] for tie in standings]
        for tie in again:
            order.shuffle(tie)
            for team in tie:
                order.shuffle(team)
        return again

    again = [(shuffled(standings), *rest) for standings, *rest in season]
    before = believed(play(season, WengLin(model=model)))
    found = believed(play(again, WengLin(model=model)))
    assert_close(found, before, 1e-10)


def test_rows_of_teams_that_tie_may_be_mixed():
    """A contest's rows are sorted by rank only: members of a team need not be neighbours."""
    system = WengLin()
    beliefs = started(system, {name: (20.0 + n, 3.0 + n) for n, name in enumerate("abcdef")})
    contest = Columns(
        offsets=np.array([0, 6]),
        player=np.array([0, 1, 2, 3, 4, 5], np.int32),
        rank=np.array([1, 1, 1, 1, 2, 2], np.int32),
        time=np.array([0]),
        weight=np.array([1.0]),
        perf_ceiling=np.array([np.inf]),
        team=np.array([7, 3, 7, 3, -1, -1], np.int32),
    )
    system.update(beliefs, contest)
    prior = {name: (20.0 + n, 3.0 + n) for n, name in enumerate("abcdef")}
    expected = after(system, prior, [[["a", "c"], ["b", "d"]], [["e"], ["f"]]])
    assert_close(believed(beliefs), expected, 1e-12)


@pytest.mark.parametrize("model", [*FULL, "plackett-luce"])
@given(game=games(players=6, largest_team=1, ties=False), data=st.data())
@settings(max_examples=60)
def test_a_better_place_never_lowers_mu(model, game, data):
    prior, standings = game
    place = data.draw(st.integers(1, len(standings) - 1))
    better = data.draw(st.integers(0, place - 1))
    name = standings[place][0][0]
    moved = [tie for tie in standings if tie != [[name]]]
    moved.insert(better, [[name]])
    for contest in ("mean", "sum"):
        system = WengLin(model=model, contest=contest)
        assert after(system, prior, moved)[name][0] >= after(system, prior, standings)[name][0]


@pytest.mark.parametrize("model", FULL)
@given(game=games(players=6, largest_team=1, ties=False), data=st.data())
@settings(max_examples=60)
def test_nor_does_joining_the_tie_above(model, game, data):
    prior, standings = game
    place = data.draw(st.integers(1, len(standings) - 1))
    name = standings[place][0][0]
    tied = [*standings[: place - 1], standings[place - 1] + [[name]], *standings[place + 1 :]]
    system = WengLin(model=model)
    assert after(system, prior, tied)[name][0] >= after(system, prior, standings)[name][0]


def test_joining_the_tie_above_can_lower_mu_under_plackett_luce():
    """A choice that two share counts half for each, which can be less than the next one alone."""
    prior = dict.fromkeys("abcdefgh", (25.0, 8.0))
    behind = [[[name]] for name in "cdefgh"]
    system = WengLin(model="plackett-luce")
    second = after(system, prior, [[["a"]], [["b"]], *behind])["b"][0]
    tied = after(system, prior, [[["a"], ["b"]], *behind])["b"][0]
    assert tied < second


@pytest.mark.parametrize("model", PART)
def test_a_better_place_can_lower_mu_if_only_neighbours_meet(model):
    """Past one champion, whom nobody expects to beat, to just behind a beginner."""
    prior = {"beginner": (5.0, 2.0), "ann": (25.0, 2.0), "best": (60.0, 2.0), "next": (45.0, 2.0)}
    second = after(
        WengLin(model=model, contest="sum"),
        prior,
        [[["beginner"]], [["ann"]], [["best"]], [["next"]]],
    )
    third = after(
        WengLin(model=model, contest="sum"),
        prior,
        [[["beginner"]], [["best"]], [["ann"]], [["next"]]],
    )
    assert second["ann"][0] < third["ann"][0] - 1e-3


@each_model
@given(game=games(), contest=st.sampled_from(["mean", "sum"]))
@settings(max_examples=40)
def test_without_tau_sigma_never_grows(model, game, contest):
    prior, standings = game
    found = after(WengLin(model=model, contest=contest, tau=0.0), prior, standings)
    assert all(found[name][1] <= sigma for name, (_, sigma) in prior.items())


@each_model
def test_uncertainty_grows_with_absence(model):
    system = WengLin(model=model, drift_per_day=0.5)
    ladder = podium.Ladder(system)
    ladder.record(["ann", "bob"], time=0)
    before = ladder["ann"]
    ids = np.array([ladder.beliefs.index["ann"]])
    _, (sigma,) = system.aged(ladder.beliefs, ids, 30 * DAY)
    assert sigma == pytest.approx(math.sqrt(before.sigma**2 + 15.0), rel=1e-12)
    ladder.record(["ann"], time=30 * DAY // 1_000_000)
    assert ladder["ann"].sigma == pytest.approx(sigma, rel=1e-12)
    assert system.aged(ladder.beliefs, ids, 0)[1] == ladder["ann"].sigma


@each_model
@pytest.mark.parametrize("team", [["ann"], ["ann", "bob"]])
def test_a_contest_without_opponents_says_nothing(model, team):
    beliefs = podium.Beliefs(WengLin(model=model))
    fold(beliefs, [[["ann"]], [["bob"]]])
    before = believed(beliefs)
    fold(beliefs, [[team]], time=DAY)
    assert believed(beliefs) == before
    assert beliefs.table["contests"][0] == 2
    assert beliefs.table["last_time"][0] == DAY


@each_model
def test_a_weight_multiplies_step_and_information(model):
    prior = {"a": (25.0, 6.0), "b": (27.0, 5.0), "c": (22.0, 4.0)}
    system = WengLin(model=model, tau=0.0)
    one, three = (
        after(system, prior, [[["a"]], [["b"], ["c"]]], weight=weight) for weight in (0.2, 0.6)
    )
    for name, (mu, sigma) in prior.items():
        assert three[name][0] - mu == pytest.approx(3.0 * (one[name][0] - mu), abs=1e-12)
        assert 1.0 - (three[name][1] / sigma) ** 2 == pytest.approx(
            3.0 * (1.0 - (one[name][1] / sigma) ** 2), abs=1e-12
        )


@each_model
def test_one_contest_leaves_at_least_kappa_of_a_variance(model):
    ladder = podium.Ladder(WengLin(model=model, tau=0.0, kappa=0.01, contest="sum"))
    ladder.record([f"p{n}" for n in range(50)], weight=1e4)
    assert min(ladder[name].sigma for name in ladder) == pytest.approx(2.5 / 3.0, rel=1e-12)


@each_model
def test_the_rating_shown_is_cautious(model):
    ladder = podium.Ladder("weng-lin", model=model, caution=2.0)
    ladder.record(["ann", "bob"])
    assert ladder["ann"].rating == ladder["ann"].mu - 2.0 * ladder["ann"].sigma


@pytest.mark.parametrize("contest", ["mean", "sum"])
def test_two_sides_are_the_same_under_mean_and_sum_full_and_part(contest):
    prior = {"a": (25.0, 6.0), "b": (27.0, 5.0), "c": (22.0, 4.0)}
    for standings in ([[["a"]], [["b", "c"]]], [[["a"], ["b", "c"]]]):
        found = {
            model: after(WengLin(model=model, contest=contest), prior, standings)
            for model in MODELS
        }
        assert found[MODELS[0]] == found[MODELS[1]] == found["plackett-luce"]
        assert found[MODELS[2]] == found[MODELS[3]] != found[MODELS[0]]


# Size ------------------------------------------------------------------------------------------


def everybody(n, gap=0.0):
    """Priors of n players who may be `gap` apart, a few of them very certain."""
    rng = np.random.default_rng(n)
    mu = 25.0 + rng.normal(0.0, 8.0, n) + gap * rng.integers(0, 3, n)
    sigma = np.where(rng.random(n) < 0.3, 25.0 / 3.0, rng.uniform(0.5, 8.0, n))
    return mu, sigma


def contest_of(mu, sigma, rank, system, threads=1):
    """Beliefs after one contest, from arrays."""
    beliefs = podium.Beliefs(system)
    beliefs.enrol([f"p{number}" for number in range(len(mu))])
    beliefs.table["mu"][: len(mu)], beliefs.table["sigma"][: len(mu)] = mu, sigma
    contest = Columns(
        offsets=np.array([0, len(mu)]),
        player=np.arange(len(mu), dtype=np.int32),
        rank=rank.astype(np.int32),
        time=np.array([0]),
        weight=np.array([1.0]),
        perf_ceiling=np.array([np.inf]),
    )
    system.update_many(beliefs, contest, threads=threads)
    return beliefs


def matches(t, ahead, margin, model):
    """Slopes and curvatures of matches in units of c, as in `plain_weng_lin`, in vectors."""
    if model not in NORMAL:
        p = plain.expit(t)
        return 0.5 * (1.0 + ahead) - p, p * (1.0 - p)
    normal, x = plain.norm, np.where(ahead < 0, -t, t) - margin
    v = np.exp(normal.logpdf(x) - normal.logcdf(x))
    size = np.abs(t)
    chance = normal.sf(size - margin) - normal.sf(size + margin)
    low, high = normal.pdf(size - margin), normal.pdf(size + margin)
    mean = (low - high) / chance
    less = mean**2 - ((size - margin) * low - (size + margin) * high) / chance
    slope = np.where(ahead == 0, -np.sign(t) * mean, np.where(ahead < 0, -v, v))
    return slope, np.where(ahead == 0, less, v * (v + x))


def plainly(mu, sigma, rank, system, rows):
    """What some rows should be after one contest, pair by pair."""
    s2 = sigma**2 + system.tau**2
    c = np.sqrt(s2[rows, None] + s2[None, :] + 2.0 * system.beta**2)
    group = np.unique(rank, return_inverse=True)[1]
    tied = np.bincount(group)[group]
    ahead = np.sign(group[None, :] - group[rows, None])
    t = (mu[rows, None] - mu[None, :]) / c
    slope, curvature = matches(t, ahead, system.draw_margin / c, system.model)
    meetings = np.ones_like(c)
    if system.model in PART:
        next_to = np.abs(group[None, :] - group[rows, None]) == 1
        meetings = np.where(next_to, 1.0 / (tied[None, :] * tied[rows, None]), 0.0)
        meetings = np.where(ahead == 0, 2.0 / tied[rows, None], meetings)
    meetings[np.arange(len(mu)) == rows[:, None]] = 0.0
    count = meetings.sum(1) if system.contest == "mean" else 1.0
    pull, info = ((meetings * x).sum(1) / count for x in (slope / c, curvature / c**3))
    shrink = np.maximum(1.0 - s2[rows] ** 1.5 * info, system.kappa)
    return mu[rows] + s2[rows] * pull, np.sqrt(s2[rows] * shrink)


@pytest.mark.parametrize("model", [*FULL, *PART])
@pytest.mark.parametrize("contest", ["mean", "sum"])
@pytest.mark.parametrize("ties", [1, 10, 60])
@pytest.mark.parametrize("n", [30, 300, 1500, 5000])
def test_large_contests_are_the_sums_over_all_pairs(model, contest, ties, n):
    """On the grid, in vectors or one by one, whichever is less work."""
    mu, sigma = everybody(n)
    mu = 25.0 + 0.5 * (mu - 25.0)  # where SciPy's differences of cdfs are still exact
    rank = np.sort(np.random.default_rng(1).integers(0, 1 + n // ties, n)) + 1
    rows = np.unique(np.linspace(0, n - 1, 100).astype(int))
    system = WengLin(model=model, contest=contest, draw_margin=0.1 if n < 1000 else 2.0)
    found = contest_of(mu, sigma, rank, system)
    expected_mu, expected_sigma = plainly(mu, sigma, rank, system, rows)
    scale = 1.0 if contest == "mean" else n
    assert found.column("mu")[rows] == pytest.approx(expected_mu, abs=1e-9 * scale)
    assert found.column("sigma")[rows] == pytest.approx(expected_sigma, abs=1e-8)


@pytest.mark.parametrize("n", [1500, 5000])
@pytest.mark.parametrize("gap", [300.0, 10_000.0])
def test_gaps_between_ratings_change_nothing_about_that(n, gap):
    mu, sigma = everybody(n, gap)
    rank, rows = np.arange(1, n + 1), np.arange(0, n, 50)
    found = contest_of(mu, sigma, rank, WengLin())
    expected_mu, expected_sigma = plainly(mu, sigma, rank, WengLin(), rows)
    assert found.column("mu")[rows] == pytest.approx(expected_mu, abs=1e-8)
    assert found.column("sigma")[rows] == pytest.approx(expected_sigma, abs=1e-8)


def test_the_sizes_above_take_both_ways():
    def on_grid(n, gap):
        mu, sigma = everybody(n, gap)
        return bool(pair_grid.pays(pair_grid.lay(mu, sigma**2, 2.0 * (25.0 / 6.0) ** 2), n))

    assert [on_grid(300, 0.0), on_grid(1500, 0.0), on_grid(1500, 300.0)] == [False, True, False]


def assert_sane(model, contest, n, gap, ties):
    mu, sigma = everybody(n, gap)
    rank = {"none": np.arange(n), "some": np.arange(n) // 50, "all": np.zeros(n)}[ties]
    found = contest_of(mu, sigma, rank + 1, WengLin(model=model, contest=contest))
    assert np.isfinite(found.column("mu")).all()
    assert (found.column("sigma") > 0.0).all()
    assert (found.column("sigma") <= np.hypot(sigma, 25.0 / 300.0) * (1.0 + 1e-12)).all()
    if contest == "mean":
        moved = np.abs(found.column("mu") - mu)
        assert moved.max() < (3.0 * (gap + 100.0) if model in NORMAL else 200.0)


@each_model
@pytest.mark.parametrize(("contest", "gap"), [("mean", 10_000.0), ("sum", 0.0)])
@pytest.mark.parametrize("ties", ["none", "some", "all"])
def test_contests_of_thousands_stay_sane(model, contest, gap, ties):
    n = 2000 if model in NORMAL and ties == "all" else 20_000
    assert_sane(model, contest, n, gap, ties)


@pytest.mark.slow
@pytest.mark.parametrize("model", NORMAL)
def test_thousands_of_draws_stay_sane(model):
    assert_sane(model, "mean", 20_000, 0.0, "all")


def test_a_season_of_summed_thurstone_mosteller_overshoots_but_never_overflows():
    """As published. Among many opponents, an upset moves a newcomer by a multiple of the gap."""
    contests = podium.simulate(players=20_000, rounds=150, participation=0.02, seed=2)
    farthest = {
        contest: podium.rate(
            contests, "weng-lin", model="thurstone-mosteller-full", contest=contest
        )
        .ratings["mu"]
        .abs()
        .max()
        for contest in ("mean", "sum")
    }
    assert farthest["mean"] < 100.0
    assert farthest["sum"] == 1e15


def test_summed_plackett_luce_learns_nothing_from_a_large_contest_and_the_mean_does():
    """As published, c grows with the field, and with it the uncertainty remains."""
    names = [f"p{number}" for number in range(1000)]
    left = {}
    for contest in ("mean", "sum"):
        ladder = podium.Ladder("weng-lin", model="plackett-luce", contest=contest)
        for _ in range(10):
            ladder.record(names)
        left[contest] = np.mean([ladder[name].sigma for name in names])
        assert ladder["p0"].mu > ladder["p500"].mu > ladder["p999"].mu
    assert left["sum"] > 8.3
    assert left["mean"] < 7.0


@each_model
@pytest.mark.parametrize(("players", "rounds"), [(2, 20), (70, 4), (800, 2), (4300, 2)])
def test_threads_and_batches_change_nothing_to_the_bit(model, players, rounds):
    """A contest on its own, in vectors, on the grid, and one whose rows threads share."""
    contests = podium.simulate(players, rounds, seed=players, ties=0.05)
    system = WengLin(model=model)
    one = podium.rate(contests, system, threads=1)
    many = podium.rate(contests, system, threads=3, history=False)
    assert_same_beliefs(one.beliefs, many.beliefs)
    beliefs = podium.rate(contests[:1], system).beliefs
    for cut in range(1, len(contests)):
        beliefs = podium.rate(contests[cut : cut + 1], beliefs=beliefs).beliefs
    assert_same_beliefs(one.beliefs, beliefs)


def test_batches_of_teams_change_nothing_to_the_bit():
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 9, 60)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    player = np.concatenate([rng.permutation(20)[:size] for size in sizes]).astype(np.int32)
    team = np.concatenate([np.arange(size) // 2 for size in sizes]).astype(np.int32)
    columns = Columns(
        offsets=offsets,
        player=player,
        rank=(team // 2 + 1).astype(np.int32),
        time=np.arange(60) * DAY,
        weight=np.ones(60),
        perf_ceiling=np.full(60, np.inf),
        team=team,
        share=rng.uniform(0.1, 1.0, len(player)),
    )
    system = WengLin(drift_per_day=0.01)
    results = []
    for cuts in ([0, 60], [0, 1, 17, 18, 60]):
        beliefs = podium.Beliefs(system)
        beliefs.enrol([f"p{number}" for number in range(20)])
        events = np.empty((5, len(player)))
        for first, last in itertools.pairwise(cuts):
            system.update_many(beliefs, columns, events, first=first, last=last)
        results.append((beliefs, events))
    assert_same_beliefs(results[0][0], results[1][0])
    assert results[0][1].tobytes() == results[1][1].tobytes()


@each_model
def test_teams_before_in_and_after_a_large_contest_are_told_apart(model):
    """One call over all contests is as many calls over one."""
    rng = np.random.default_rng(6)
    sizes = [4, 4300, 5, 4300, 6]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    player = np.concatenate([rng.permutation(4300)[:size] for size in sizes]).astype(np.int32)
    team = np.concatenate([np.arange(size) // 2 for size in sizes]).astype(np.int32)
    team[offsets[3] : offsets[4]] = 0  # all in one team: without opponents
    columns = Columns(
        offsets=offsets,
        player=player,
        rank=(team // 3 + 1).astype(np.int32),
        time=np.arange(5) * DAY,
        weight=np.array([1.0, 0.5, 1.0, 1.0, 2.0]),
        perf_ceiling=np.full(5, np.inf),
        team=team,
        share=rng.uniform(0.1, 1.0, len(player)),
    )
    system = WengLin(model=model)
    together, apart = podium.Beliefs(system), podium.Beliefs(system)
    for beliefs in (together, apart):
        beliefs.enrol([f"p{number}" for number in range(4300)])
    system.update_many(together, columns, threads=2)
    for number, (start, end) in enumerate(itertools.pairwise(offsets)):
        rows, one = slice(start, end), slice(number, number + 1)
        contest = Columns(
            np.array([0, end - start]),
            player[rows],
            columns.rank[rows],
            columns.time[one],
            columns.weight[one],
            columns.perf_ceiling[one],
            team=team[rows],
            share=columns.share[rows],
        )
        before = believed(apart)
        system.update(apart, contest)
        assert (believed(apart) == before) == (number == 3)
    assert_same_beliefs(together, apart)
    assert np.isfinite(together.column("mu")).all()


# Predictions -----------------------------------------------------------------------------------


@each_model
@given(game=games(players=5, ties=False), margin=st.sampled_from([0.0, 0.1, 4.0]))
@settings(max_examples=30)
def test_chances_are_those_of_the_model_and_add_up_to_one(model, game, margin):
    prior, standings = game
    if len(standings) < 2:
        return
    system = WengLin(model=model, draw_margin=margin)
    beliefs = started(system, prior)
    a, b = ([beliefs.index[name] for name in tie[0]] for tie in standings[:2])
    win, loss = (system.win_probability(beliefs, *pair) for pair in ((a, b), (b, a)))
    draw = system.draw_probability(beliefs, a, b)
    assert win + draw + loss == pytest.approx(1.0, abs=1e-12)
    mu = [sum(prior[name][0] for name in tie[0]) for tie in standings[:2]]
    variance = sum(prior[name][1] ** 2 for tie in standings[:2] for name in tie[0])
    c = math.sqrt(variance + 2.0 * (25.0 / 6.0) ** 2)
    if model in NORMAL:
        expected = plain.norm.cdf((mu[0] - mu[1] - margin) / c)
    else:
        expected = plain.expit((mu[0] - mu[1]) / c)
        assert draw == 0.0
    assert win == pytest.approx(expected, abs=1e-12)


@each_model
def test_the_chances_of_a_field_add_up_and_follow_the_ratings(model):
    prior = {"a": (31.0, 2.0), "b": (28.0, 2.0), "c": (25.0, 2.0), "d": (25.0, 2.0)}
    system = WengLin(model=model)
    beliefs = started(system, prior)
    found = system.rank_probabilities(beliefs, [0, 1, 2, 3], top=2)
    assert found.first.sum() == pytest.approx(1.0, abs=1e-9)
    assert found.top.sum() == pytest.approx(2.0, abs=1e-9)
    assert found.first[0] > found.first[1] > found.first[2]
    assert found.first[2] == pytest.approx(found.first[3], abs=1e-9)


@pytest.mark.parametrize("contest", ["mean", "sum"])
def test_the_first_place_under_plackett_luce_follows_luces_rule(contest):
    prior = {"a": (31.0, 2.0), "b": (28.0, 5.0), "c": (20.0, 1.0)}
    system = WengLin(model="plackett-luce", contest=contest)
    beliefs = started(system, prior)
    variance = [sigma**2 + (25.0 / 6.0) ** 2 for _, sigma in prior.values()]
    c = math.sqrt(sum(variance) if contest == "sum" else 2.0 * np.mean(variance))
    strength = np.exp(np.array([31.0, 28.0, 20.0]) / c)
    found = system.rank_probabilities(beliefs, [0, 1, 2]).first
    assert found == pytest.approx(strength / strength.sum(), abs=1e-9)


# Parameters ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [
        ({"model": "bradley-terry"}, "model must be bradley-terry-full or "),
        ({"contest": "median"}, "contest must be mean or sum, not 'median'"),
        ({"gamma": "2"}, "gamma must be sigma/c or 1/k or 1, not '2'"),
        ({"beta": 0.0}, "beta must be a number of at least 0.001, not 0.0"),
        ({"kappa": 2.0}, "kappa must be a number of at most 1, not 2.0"),
        ({"draw_margin": -0.1}, "draw_margin must be a number of at least 0, not -0.1"),
    ],
)
def test_wrong_parameters_are_refused_in_one_sentence(parameters, wanted):
    with pytest.raises(podium.PodiumError, match=wanted):
        WengLin(**parameters)


@each_model
@pytest.mark.parametrize("beta", [1e-3, 1e6])
@pytest.mark.parametrize("sigma_new", [1e-3, 1e6])
@pytest.mark.parametrize("draw_margin", [0.0, 1e6])
@pytest.mark.parametrize("tau", [0.0, 1e6])
def test_the_limits_of_all_parameters_can_be_rated_with(model, beta, sigma_new, draw_margin, tau):
    for gamma, contest in (("sigma/c", "mean"), ("1", "sum")):
        ladder = podium.Ladder(
            WengLin(
                model=model,
                contest=contest,
                gamma=gamma,
                beta=beta,
                sigma_new=sigma_new,
                draw_margin=draw_margin,
                tau=tau,
                drift_per_day=1e6,
                kappa=1e-12,
            )
        )
        for day, weight in enumerate((1.0, 1e-4, 1e4, 1.0)):
            ladder.record(["ann", ("bob", "cat"), "dan"], weight=weight, time=day * 400 * 86_400)
            ladder.record(["dan", "cat"], weight=weight)
        assert np.isfinite([[ladder[name].mu, ladder[name].sigma] for name in ladder]).all()
        assert 0.0 <= ladder.win_probability("ann", "dan") <= 1.0
