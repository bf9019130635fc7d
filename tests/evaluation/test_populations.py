import hashlib
import math
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
import podium.luck as podium_luck
from podium.evaluation.populations import SimulatedContests
from podium.evaluation.rounds import Streams
from podium.results.contests import Contests


def digest(contests):
    """A fingerprint of who took which place where and when."""
    columns = contests.columns
    found = hashlib.sha256("\n".join([*contests.ids, *contests.players]).encode())
    for numbers in (columns.offsets, columns.player, columns.rank, columns.time):
        found.update(numbers.astype("<i8").tobytes())
    return found.hexdigest()[:16]


def by_player(contests, players):
    """The true skills of rounds in which everybody took part: a row for each, in order of names."""
    order = np.argsort(contests.columns.player.reshape(-1, players), axis=1)
    return np.take_along_axis(contests.skills.reshape(-1, players), order, axis=1)


def places(contests):
    """The place of every row from 0, the best, to 1."""
    sizes = np.repeat(contests.sizes, contests.sizes)
    return (contests.columns.rank - 1) / (sizes - 1)


def true_places(contests):
    """The same if only skill decided."""
    frame = contests.skill_table().select(
        (pl.col("skill").rank(descending=True).over("contest") - 1) / (pl.len().over("contest") - 1)
    )
    return frame.to_series().to_numpy()


@pytest.mark.parametrize(
    ("function", "options", "fingerprint", "first", "last"),
    [
        (
            podium.simulate,
            {"players": 60, "rounds": 12, "seed": 3},
            "85e71fb37a57a134",
            2657.0739483639263,
            800.3080954269418,
        ),
        (
            podium.simulate,
            {"players": 60, "rounds": 12, "participation": 0.4, "ties": 0.3, "seed": 5},
            "a139cc40db9cf140",
            2327.028497143632,
            906.5139513566887,
        ),
        (
            podium.simulate,
            {
                "players": 25,
                "rounds": 8,
                "participation": 0.0,
                "ties": 1.0,
                "skill_mean": 0,
                "skill_sd": 2,
                "performance_sd": 3,
                "drift_sd": 0.5,
                "start": "2020-02-28T12:00",
                "days_between": 1.5,
                "seed": 11,
            },
            "9d6803a45402a704",
            1.3070878923510982,
            2.447548936881352,
        ),
        (
            podium.simulate_matches,
            {"players": 30, "matches": 200, "seed": 5},
            "654c50cf22c0b650",
            1.002270258151556,
            -0.7750008074113593,
        ),
        (
            podium.simulate_matches,
            {
                "players": 30,
                "matches": 200,
                "draws": 0.2,
                "drift_sd": 0.1,
                "side_advantage": 0.3,
                "neighbours": 0.4,
                "beta": 0.9,
                "seed": 6,
            },
            "7df7917fad07db7e",
            1.0340949054112387,
            -0.7330265835411562,
        ),
    ],
)
def test_populations_are_what_they_were(function, options, fingerprint, first, last):
    contests = function(**options)
    assert digest(contests) == fingerprint
    assert contests.skills[0] == pytest.approx(first, rel=1e-12)
    assert contests.skills[-1] == pytest.approx(last, rel=1e-12)


def test_the_same_arguments_give_the_same_contests():
    options = {"participation": 0.4, "ties": 0.3, "seed": 5}
    assert podium.simulate(40, 6, **options) == podium.simulate(40, 6, **options)
    assert podium.simulate(40, 6, seed=5) != podium.simulate(40, 6, seed=6)


def test_names_sort_by_their_numbers():
    contests = podium.simulate(players=12, rounds=3)
    assert contests.ids.to_list() == ["round-01", "round-02", "round-03"]
    assert contests.players.to_list()[:2] == ["player-0001", "player-0002"]
    many = podium.simulate(players=10_001, rounds=101, participation=0.0)
    assert many.players[0] == "player-00001"
    assert many.ids[-1] == "round-101"
    assert many.players.is_sorted()
    assert many.ids.is_sorted()


def test_rounds_follow_each_other_at_equal_distances():
    contests = podium.simulate(players=2, rounds=3, start="2020-02-28T12:00", days_between=1.5)
    times = [contest.time.isoformat() for contest in contests]
    assert times == ["2020-02-28T12:00:00", "2020-03-01T00:00:00", "2020-03-02T12:00:00"]


SHARE = st.sampled_from([0.0, 1.0]) | st.floats(0, 1)


@settings(max_examples=40, deadline=None)
@given(
    players=st.integers(2, 30),
    rounds=st.integers(1, 6),
    participation=SHARE,
    ties=SHARE,
    performances=st.sampled_from(["normal", "logistic", "gumbel"]),
    luck=SHARE,
    drift_per_day=st.sampled_from([0.0, 100.0]),
    newcomers=SHARE,
    leavers=SHARE,
    divisions=st.integers(1, 12),
    sandbaggers=SHARE,
    losses_on_purpose=SHARE,
    days_between=st.sampled_from([0.0, 7.0]),
    calendar=st.sampled_from(["even", "random"]),
    seed=st.integers(0, 2**32),
)
def test_every_population_is_valid_results(**options):
    contests = podium.simulate(**options)
    assert contests.sizes.min() >= 2
    assert len(contests.skills) == contests.rows
    assert len(contests.sandbaggers) == round(options["sandbaggers"] * options["players"])
    assert Contests.from_frame(contests.frame()) == contests
    again = podium.simulate(**options)
    assert again == contests
    assert np.array_equal(again.skills, contests.skills)


@pytest.mark.parametrize("players", [2, 3, 10, 400])
@pytest.mark.parametrize("ties", [0.0, 0.25, 0.85, 1.0])
def test_the_share_of_ties_is_as_asked_for_contests_of_any_size(players, ties):
    contests = podium.simulate(players, 40_000 // players, ties=ties, seed=2)
    group = pl.len().over("contest", "rank")
    tied = contests.frame().select(group > 1).to_series().mean()
    assert tied == pytest.approx(ties, abs=0.02)


def test_the_share_of_absences_is_as_asked():
    contests = podium.simulate(2000, 50, participation=0.3)
    assert contests.rows / 100_000 == pytest.approx(0.3, abs=0.01)


def test_absences_and_ties_leave_skills_and_performances_alone():
    everybody = podium.simulate(50, 8, seed=4)
    some = podium.simulate(50, 8, participation=0.5, ties=0.5, seed=4)
    for full, partial in zip(everybody, some, strict=True):
        order = {player: place for place, player in enumerate(full.players)}
        groups_by_rank: dict[int, list[int]] = {}
        for rank, player in partial.standings:
            groups_by_rank.setdefault(rank, []).append(order[player])
        groups = list(groups_by_rank.values())
        assert all(max(better) < min(worse) for better, worse in pairwise(groups))


def test_skills_are_drawn_and_drift_as_asked():
    crowd = podium.simulate(4000, 10, skill_mean=100, skill_sd=30, drift_sd=10)
    skills = crowd.skills.reshape(10, 4000)
    assert skills[0].mean() == pytest.approx(100, abs=2)
    assert skills[0].std() == pytest.approx(30, rel=0.05)
    assert skills[9].std() == pytest.approx(math.hypot(30, 10 * 3), rel=0.05)


def test_skills_stand_beside_the_rows_of_their_players():
    crowd = podium.simulate(30, 4, drift_sd=0, participation=0.7)
    frame = crowd.frame().with_columns(skill=crowd.skills)
    assert frame.group_by("player").agg(pl.col("skill").n_unique())["skill"].max() == 1


def test_without_noise_the_ranks_are_the_order_of_the_skills():
    crowd = podium.simulate(30, 4, performance_sd=0)
    for number, contest in enumerate(crowd):
        skills = crowd.skills[30 * number : 30 * number + len(contest)]
        assert (np.diff(skills) < 0).all()


@pytest.mark.parametrize(
    "options",
    [
        {"performances": "logistic"},
        {"performances": "gumbel"},
        {"luck": 0.5},
        {"ties": 0.5},
        {"sandbaggers": 0.5},
        {"calendar": "random"},
        {"divisions": 3},
    ],
)
def test_an_option_leaves_the_skills_alone(options):
    plain = podium.simulate(60, 8, seed=4)
    other = podium.simulate(60, 8, seed=4, **options)
    assert other != plain
    assert np.array_equal(np.sort(other.skills), np.sort(plain.skills))


@pytest.mark.parametrize(
    "options",
    [{"divisions": 3}, {"calendar": "random"}, {"sandbaggers": 0.5, "losses_on_purpose": 0.0}],
)
def test_an_option_leaves_the_performances_alone(options):
    plain = podium.simulate(60, 8, seed=4)
    other = podium.simulate(60, 8, seed=4, **options)
    for number, one in enumerate(plain):
        order = {player: place for place, player in enumerate(one.players)}
        for contest in other:
            if contest.id.startswith(f"round-{number + 1:02}"):
                found = [order[player] for player in contest.players]
                assert found == sorted(found)


def test_performances_scatter_around_the_skills_as_asked():
    crowd = podium.simulate(50, 6, performances="logistic", performance_sd=100, seed=9)
    draws = Streams.from_seed(9).performance
    for contest, skill in zip(crowd, by_player(crowd, 50), strict=True):
        performance = draws.logistic(skill, 100 * math.sqrt(3) / math.pi)
        assert contest.player.tolist() == np.argsort(-performance).tolist()


def test_gumbel_performances_make_plackett_luce_results():
    crowd = podium.simulate(
        3, 6000, performances="gumbel", performance_sd=250, drift_sd=0, days_between=0.1, seed=8
    )
    skill = by_player(crowd, 3)[0]
    strength = np.exp(skill * math.pi / (250 * math.sqrt(6)))
    won = np.bincount(crowd.columns.player[::3], minlength=3) / 6000
    assert won == pytest.approx(strength / strength.sum(), abs=0.02)
    lost = np.bincount(crowd.columns.player[2::3], minlength=3) / 6000
    total = strength.sum()
    last = [
        sum(strength[i] / total * strength[j] / (total - strength[i]) for i, j in ((a, b), (b, a)))
        for a, b in ((1, 2), (0, 2), (0, 1))
    ]
    assert lost == pytest.approx(np.array(last), abs=0.02)


@pytest.mark.parametrize("divisions", [1, 3])
@pytest.mark.parametrize("luck", [0.0, 0.3, 1.0])
def test_luck_is_the_share_of_places_that_skill_does_not_decide(luck, divisions):
    crowd = podium.simulate(
        600, 40, luck=luck, divisions=divisions, performance_sd=0, drift_sd=0, seed=2
    )
    # A place is the true one with chance 1 - luck, and any other with the same chance by luck.
    slope, _ = np.polyfit(true_places(crowd), places(crowd), 1)
    assert slope == pytest.approx(1.0 - luck, abs=0.03)


def test_skills_drift_with_time():
    crowd = podium.simulate(3000, 12, drift_sd=3, drift_per_day=2, days_between=20)
    steps = np.diff(by_player(crowd, 3000), axis=0)
    assert steps.std(axis=1) == pytest.approx(math.sqrt(9 + 40), rel=0.06)
    assert np.array_equal(by_player(crowd, 3000)[0], by_player(podium.simulate(3000, 1), 3000)[0])


def test_skills_drift_more_the_more_days_pass():
    crowd = podium.simulate(4000, 30, drift_sd=0, drift_per_day=5, calendar="random", seed=6)
    days = np.diff(crowd.columns.time) / 86_400_000_000
    variance = np.diff(by_player(crowd, 4000), axis=0).var(axis=1)
    assert days.max() > 10 * days.min()
    assert variance == pytest.approx(5 * days, rel=0.12)


def test_a_random_calendar_has_exponential_gaps():
    crowd = podium.simulate(2, 4000, calendar="random", days_between=0.5, start="2020-01-01")
    gaps = np.diff(crowd.columns.time) / 86_400_000_000
    assert crowd[0].time.isoformat() == "2020-01-01T00:00:00"
    assert gaps.min() >= 0
    assert gaps.mean() == pytest.approx(0.5, rel=0.06)
    assert gaps.std() == pytest.approx(0.5, rel=0.08)
    assert (gaps > 1.0).mean() == pytest.approx(math.exp(-2), abs=0.02)


def rounds_of_players(contests):
    """The first and the last round of every player, counted from 0."""
    number = np.repeat(np.arange(len(contests)), contests.sizes)
    frame = pl.DataFrame({"player": contests.columns.player, "round": number})
    return frame.group_by("player").agg(
        first=pl.col("round").min(), last=pl.col("round").max(), count=pl.len()
    )


def test_newcomers_join_at_any_later_round():
    crowd = podium.simulate(5000, 11, newcomers=0.4)
    first = rounds_of_players(crowd)["first"].to_numpy()
    joined = np.bincount(first, minlength=11)
    assert joined[0] == 3000
    assert joined[1:] == pytest.approx(200, abs=60)
    assert (rounds_of_players(crowd)["last"] == 10).all()
    assert crowd.sizes.tolist() == np.cumsum(joined).tolist()


def test_newcomers_have_the_skills_of_a_start_and_drift_from_then_on():
    crowd = podium.simulate(2000, 20, newcomers=0.7, drift_sd=200, seed=3)
    start = by_player(podium.simulate(2000, 1, seed=3), 2000)[0]
    frame = crowd.skill_table().with_columns(player=pl.Series(crowd.columns.player))
    of_first = frame.group_by("player", maintain_order=True).first().sort("player")["skill"]
    assert np.array_equal(of_first.to_numpy(), start)
    steps = frame.select(pl.col("skill").diff().over("player"))["skill"].drop_nulls()
    assert steps.std() == pytest.approx(200, rel=0.03)


def test_leavers_leave_after_any_round():
    crowd = podium.simulate(5000, 11, leavers=0.4)
    last = rounds_of_players(crowd)["last"].to_numpy()
    left = np.bincount(last, minlength=11)
    assert left[10] == 3000
    assert left[:10] == pytest.approx(200, abs=60)
    assert (rounds_of_players(crowd)["first"] == 0).all()


def test_who_comes_and_goes_is_there_in_between():
    crowd = podium.simulate(3000, 9, newcomers=0.8, leavers=0.8, seed=2)
    seen = rounds_of_players(crowd)
    assert len(seen) == 3000
    assert (seen["count"] == seen["last"] - seen["first"] + 1).all()
    both = seen.filter((pl.col("first") > 0) & (pl.col("last") < 8))
    assert both.height > 1500


def test_a_round_has_two_even_if_all_are_newcomers():
    crowd = podium.simulate(6, 4, newcomers=1.0, seed=1)
    assert crowd.sizes[0] == 2
    assert crowd.sizes[-1] == 6


def test_divisions_are_contests_of_one_time_and_the_same_size():
    crowd = podium.simulate(101, 3, divisions=4, days_between=7)
    assert crowd.ids.to_list() == [
        f"round-{number:02}-div-{division}" for number in (1, 2, 3) for division in (1, 2, 3, 4)
    ]
    assert crowd.sizes.tolist() == [26, 25, 25, 25] * 3
    assert (crowd.columns.time.reshape(3, 4) == crowd.columns.time[::4, None]).all()
    assert all(len(set(row)) == 101 for row in crowd.columns.player.reshape(3, 101).tolist())


def test_a_small_round_has_fewer_divisions():
    crowd = podium.simulate(5, 2, divisions=10)
    assert crowd.ids.to_list() == [f"round-0{n}-div-0{d}" for n in (1, 2) for d in (1, 2)]
    assert crowd.sizes.tolist() == [3, 2] * 2


def test_divisions_are_by_form_which_follows_skill_but_not_quite():
    crowd = podium.simulate(1000, 30, divisions=2, seed=5)
    division = np.repeat(np.arange(60) % 2, crowd.sizes).reshape(30, 1000)
    order = np.argsort(crowd.columns.player.reshape(30, 1000), axis=1)
    division = np.take_along_axis(division, order, axis=1)
    skill = by_player(crowd, 1000)
    better_half = np.argsort(np.argsort(-skill, axis=1), axis=1) >= 500
    right = (division == better_half).mean(axis=1)
    assert 0.75 < right[0] < 0.9  # an entry test
    assert 0.88 < right[10:].mean() < 0.97  # several performances, the newest counting most
    moved = (np.diff(division, axis=0) != 0).mean()
    assert 0.01 < moved < 0.1


@pytest.mark.parametrize("chance", [0.25, 1.0])
def test_sandbaggers_come_last_as_often_as_asked(chance):
    crowd = podium.simulate(
        500,
        30,
        sandbaggers=0.04,
        losses_on_purpose=chance,
        performance_sd=0,
        drift_sd=0,
        seed=7,
    )
    assert len(crowd.sandbaggers) == 20
    table = crowd.skill_table().with_columns(
        rank=crowd.columns.rank, lost=pl.col("player").is_in(crowd.sandbaggers)
    )
    if chance == 1.0:
        assert (table["lost"] == (table["rank"] > 480)).all()
    best = table.filter("lost").filter(pl.col("skill") > 1600)
    assert best.height > 100
    assert (best["rank"] > 480).mean() == pytest.approx(chance, abs=0.08)
    honest = table.filter(~pl.col("lost")).sort("contest", "skill", descending=[False, True])
    assert honest.select(pl.col("rank").diff().over("contest"))["rank"].drop_nulls().min() >= 1


def test_sandbaggers_fall_into_lower_divisions():
    def mean_division(losses):
        crowd = podium.simulate(
            600, 40, divisions=3, sandbaggers=0.1, losses_on_purpose=losses, seed=3
        )
        table = crowd.frame().filter(pl.col("player").is_in(crowd.sandbaggers))
        return table["contest"].str.slice(-1).cast(pl.Int32).mean()

    assert mean_division(0.0) == pytest.approx(2.0, abs=0.3)
    assert mean_division(0.7) > mean_division(0.0) + 0.4


def test_without_sandbaggers_nobody_is_one():
    assert podium.simulate(10, 2).sandbaggers == []
    assert podium.simulate_matches(10, 2).sandbaggers == []


def test_true_skills_as_a_table():
    crowd = podium.simulate(4, 2, seed=1)
    table = crowd.skill_table()
    assert table.columns == ["contest", "player", "skill"]
    assert table.drop("skill").equals(crowd.frame().select("contest", "player"))
    assert np.array_equal(table["skill"].to_numpy(), crowd.skills)
    assert np.isnan(SimulatedContests.from_frame(crowd.frame()).skills).all()


@pytest.mark.parametrize("name", ["truth.csv", "truth.CSV", "deep/truth.parquet"])
def test_true_skills_are_written_beside_the_results(tmp_path, name):
    crowd = podium.simulate(9, 3, divisions=2, seed=1)
    crowd.write(tmp_path / "season.csv", skills=tmp_path / name)
    assert podium.read(tmp_path / "season.csv") == crowd
    read = pl.read_parquet if name.endswith("parquet") else pl.read_csv
    assert read(tmp_path / name).equals(crowd.skill_table())


@pytest.mark.parametrize(
    ("results", "skills", "sentence"),
    [
        ("season.csv", "truth.json", "truth.json: skills are written as .csv or .parquet."),
        ("season.csv", "season.csv", "season.csv: skills and results need a file each."),
        ("season.docx", "truth.csv", "season.docx: its name does not tell the format"),
        ("season.csv", "folder.csv", "folder.csv: skills need a file, but this is a folder."),
        ("file.txt/season.csv", "truth.csv", "season.csv: cannot be written (file exists)."),
        ("season.csv", "file.txt/truth.csv", "truth.csv: cannot be written (file exists)."),
    ],
)
def test_results_and_skills_are_written_both_or_neither(tmp_path, results, skills, sentence):
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "file.txt").touch()
    with pytest.raises(podium.PodiumError) as refused:
        podium.simulate(4, 2).write(tmp_path / results, skills=tmp_path / skills)
    assert sentence in str(refused.value)
    assert {path.name for path in tmp_path.iterdir()} == {"folder.csv", "file.txt"}


def test_ratings_come_close_to_the_true_skills():
    crowd = podium.simulate(players=400, rounds=40)
    mu = podium.rate(crowd).history["mu"].to_numpy().reshape(40, 400)
    error = np.sqrt(np.mean((mu - crowd.skills.reshape(40, 400)) ** 2, axis=1))
    assert error[-1] < 110 < 130 < error[0]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"players": 1}, "players must be a whole number of at least 2, not 1."),
        ({"players": 2.0}, "players must be a whole number of at least 2, not 2.0."),
        ({"rounds": 0}, "rounds must be a whole number of at least 1, not 0."),
        ({"rounds": True}, "rounds must be a whole number of at least 1, not True."),
        ({"seed": -1}, "seed must be a whole number of at least 0, not -1."),
        ({"participation": 1.01}, "participation must be a number from 0 to 1, not 1.01."),
        ({"ties": -0.1}, "ties must be a number from 0 to 1, not -0.1."),
        ({"ties": math.nan}, "ties must be a number from 0 to 1, not nan."),
        ({"drift_sd": -1}, "drift_sd must be a finite number of at least 0, not -1."),
        ({"skill_sd": "wide"}, "skill_sd must be a finite number of at least 0, not 'wide'."),
        ({"skill_mean": math.inf}, "skill_mean must be a finite number, not inf."),
        ({"days_between": 1e9}, "50 rounds with 1e+09 days between them go beyond the year 9999."),
        ({"start": "soon"}, "'soon' is not a time"),
        ({"rounds": 1, "days_between": 1e300}, "1 rounds with 1e+300 days between"),
        (
            {"days_between": 1e6, "calendar": "random"},
            "50 rounds with 1e+06 days between them go beyond the year 9999.",
        ),
        (
            {"performances": "logistc"},
            "performances must be one of normal, logistic, gumbel, not 'logistc' "
            "(did you mean 'logistic'?).",
        ),
        ({"performances": None}, "performances must be one of normal, logistic, gumbel, not None."),
        ({"calendar": ["even"]}, "calendar must be one of even, random, not ['even']"),
        ({"luck": 1.5}, "luck must be a number from 0 to 1, not 1.5."),
        ({"luck": podium_luck.Logistic()}, "luck must be a number from 0 to 1, not Logistic"),
        ({"newcomers": -0.1}, "newcomers must be a number from 0 to 1, not -0.1."),
        ({"leavers": math.inf}, "leavers must be a number from 0 to 1, not inf."),
        ({"sandbaggers": 3}, "sandbaggers must be a number from 0 to 1, not 3."),
        ({"losses_on_purpose": 2}, "losses_on_purpose must be a number from 0 to 1, not 2."),
        ({"divisions": 0}, "divisions must be a whole number of at least 1, not 0."),
        ({"divisions": 1.5}, "divisions must be a whole number of at least 1, not 1.5."),
        ({"drift_per_day": -1}, "drift_per_day must be a finite number of at least 0, not -1."),
        (
            {"drift_per_day": 1e308},
            "skills grow beyond all numbers; lower deviations are needed.",
        ),
    ],
)
def test_a_wrong_argument_is_one_sentence(options, sentence):
    with pytest.raises(podium.PodiumError) as refused:
        podium.simulate(**options)
    assert str(refused.value).startswith(sentence)


def scores(matches):
    """The score of the first row of every match, as drawn at random which one that is."""
    drawn = matches.columns.rank[1::2] == 1
    return np.where(drawn, 0.5, 1.0)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 30),
    st.integers(1, 60),
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from([0.0, -0.5, 2.0]),
    st.integers(0, 2**32),
)
def test_matches_are_valid_results(players, matches, draws, neighbours, side_advantage, seed):
    contests = podium.simulate_matches(
        players,
        matches,
        draws=draws,
        neighbours=neighbours,
        side_advantage=side_advantage,
        seed=seed,
    )
    assert (contests.sizes == 2).all()
    assert (contests.columns.player[::2] != contests.columns.player[1::2]).all()
    assert len(contests.skills) == contests.rows
    assert Contests.from_frame(contests.frame()) == contests


def test_the_same_arguments_give_the_same_matches():
    options = {"players": 30, "matches": 200, "draws": 0.2, "drift_sd": 0.1}
    one, other = (podium.simulate_matches(**options, seed=5) for _ in range(2))
    assert one == other
    assert np.array_equal(one.skills, other.skills)
    assert one != podium.simulate_matches(**options, seed=6)
    assert one.ids[0] == "match-00001"


@pytest.mark.parametrize(
    ("beta", "luck"), [(0.8, None), (1.0, None), (0.0, None), (0.9, podium_luck.Normal(0.5))]
)
def test_results_follow_the_luck_function(beta, luck):
    matches = podium.simulate_matches(
        500, 200_000, beta=beta, luck=luck, skill_sd=1.5, draws=0.3, seed=2
    )
    first, second = matches.skills.reshape(-1, 2).T
    difference = np.abs(first - second)
    stronger = np.where(first > second, scores(matches), 1.0 - scores(matches))
    for low, high in pairwise((0.0, 0.3, 0.8, 1.5, 3.0, 9.0)):
        among = (difference >= low) & (difference < high)
        game = luck or podium_luck.Logistic()
        chance = 0.5 * (1 - beta) + beta * game(difference[among], 0.0)
        assert stronger[among].mean() == pytest.approx(chance.mean(), abs=0.01)


def test_draws_are_most_frequent_among_equals():
    matches = podium.simulate_matches(400, 100_000, beta=1.0, skill_sd=2.0, draws=0.4)
    difference = np.abs(np.diff(matches.skills.reshape(-1, 2)))[:, 0]
    drawn = scores(matches) == 0.5
    assert drawn[difference < 0.05].mean() == pytest.approx(0.4, abs=0.03)
    chance = 1.0 / (1.0 + np.exp(difference))
    assert drawn.mean() == pytest.approx(0.8 * chance.mean(), abs=0.01)


def test_the_side_is_worth_what_was_asked():
    matches = podium.simulate_matches(
        200, 100_000, beta=1.0, skill_sd=0.0, side_advantage=0.7, draws=0.2
    )
    side = matches.columns.side
    assert (side[::2] == -side[1::2]).all()
    sided = np.where(side[::2] == 1, scores(matches), 1.0 - scores(matches))
    assert sided.mean() == pytest.approx(1.0 / (1.0 + math.exp(-0.7)), abs=0.006)
    assert podium.simulate_matches(4, 5).columns.side is None


def test_skills_move_after_each_match_of_their_player():
    matches = podium.simulate_matches(40, 20_000, drift_sd=0.1, seed=3)
    frame = matches.frame().with_columns(skill=matches.skills)
    steps = frame.select(pl.col("skill").diff().over("player"))["skill"].drop_nulls()
    assert len(steps) == 40_000 - 40
    assert steps.mean() == pytest.approx(0.0, abs=0.003)
    assert steps.std() == pytest.approx(0.1, rel=0.02)
    still = podium.simulate_matches(40, 20_000, seed=3)
    known = still.frame().with_columns(skill=still.skills)
    assert known.group_by("player").agg(pl.col("skill").n_unique())["skill"].max() == 1


def test_a_drift_by_hand():
    matches = podium.simulate_matches(2, 3, drift_sd=0.5, draws=1.0, beta=0.0)
    assert matches.columns.player.tolist() == [0, 1] * 3
    skills = matches.skills.reshape(3, 2)
    assert len(np.unique(skills)) == 6
    assert np.array_equal(skills[0], podium.simulate_matches(2, 3, draws=1.0, beta=0.0).skills[:2])


@pytest.mark.parametrize("neighbours", [0.0, 0.1, 0.5, 1.0])
def test_opponents_are_found_among_the_nearest(neighbours):
    matches = podium.simulate_matches(100, 30_000, neighbours=neighbours, seed=4)
    member = matches.columns.player
    skill = dict(zip(member.tolist(), matches.skills.tolist(), strict=True))
    place = {player: i for i, player in enumerate(sorted(skill, key=skill.__getitem__))}
    apart = np.abs(
        [
            place[a] - place[b]
            for a, b in zip(member[::2].tolist(), member[1::2].tolist(), strict=True)
        ]
    )
    width = max(2, round(100 * neighbours))
    assert apart.min() == 1
    assert apart.max() == width - 1
    if neighbours == 1.0:
        assert apart.mean() == pytest.approx(101 / 3, rel=0.03)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"players": 1}, "players must be a whole number of at least 2, not 1."),
        ({"matches": 0}, "matches must be a whole number of at least 1, not 0."),
        ({"seed": 0.5}, "seed must be a whole number of at least 0, not 0.5."),
        ({"beta": 1.1}, "beta must be a number from 0 to 1, not 1.1."),
        ({"draws": -1}, "draws must be a number from 0 to 1, not -1."),
        ({"neighbours": 2}, "neighbours must be a number from 0 to 1, not 2."),
        ({"drift_sd": -1}, "drift_sd must be a finite number of at least 0, not -1."),
        ({"side_advantage": math.nan}, "side_advantage must be a finite number, not nan."),
        (
            {"luck": "logistic"},
            "a luck function is needed, such as Logistic() or Custom(function), not 'logistic'.",
        ),
        (
            {"days_between": 1e6},
            "10000 matches with 1e+06 days between them go beyond the year 9999.",
        ),
    ],
)
def test_a_wrong_argument_of_matches_is_one_sentence(options, sentence):
    with pytest.raises(podium.PodiumError) as refused:
        podium.simulate_matches(**options)
    assert str(refused.value) == sentence
