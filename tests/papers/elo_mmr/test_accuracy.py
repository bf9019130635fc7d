"""Table 2: what was tuned, on what, and which numbers stand where."""

import pytest

import podium
from podium.evaluation import trials
from podium.evaluation.scoring import score
from podium.papers.elo_mmr import accuracy
from podium.papers.elo_mmr.accuracy import PRINTED, SYSTEMS, table_2
from podium.papers.elo_mmr.summary import PLAYERS_BY_TABLE
from tests.papers.authors_files import write_like_the_authors

PLAYERS = 30
"""Of the synthetic set, so that every trial takes no time."""
SYNTHETIC = podium.simulate(PLAYERS, 50)
HOW = ("default", "tuned")
QUICK = {"players": PLAYERS, "jobs": 1}


def rows_of(shown, system=None):
    return {
        row["data_set"]: row
        for row in shown.numbers[""].iter_rows(named=True)
        if system in (None, row["system"])
    }


def percent(contests, system, measure):
    return 100.0 * score(contests, system, measure, skip=0.1, min_contests=5)


@pytest.fixture(scope="module")
def of_topcoder():
    return table_2(names=["topcoder"], **QUICK)


def test_the_papers_lines_stand_where_there_are_no_results(of_topcoder):
    columns = ["data_set", "pairs_in_paper", "ranks_in_paper"]
    assert of_topcoder.findings.select(columns).rows() == [
        ("codeforces", 78.5, 15.1),
        ("topcoder", 72.3, 18.7),
        ("reddit", 61.4, 27.4),
        ("synthetic", 81.7, 12.8),
    ]
    for name, row in rows_of(of_topcoder).items():
        computed = [row[f"{short}_{how}"] for short in accuracy.MEASURES for how in HOW]
        assert [value is None for value in computed] == [name != "synthetic"] * 4
    assert of_topcoder.remarks[-1] == (
        "Not given, so only the paper's numbers are shown: codeforces, topcoder, reddit."
    )
    assert "parameters_for_pairs" not in of_topcoder.findings.columns


def test_the_paper_says_so_of_every_system():
    """Its Table 2, line by line."""
    assert SYSTEMS == ("codeforces", "topcoder", "trueskill", "elo-mmx", "elo-mmr")
    assert PRINTED["codeforces"]["pairs"] == (78.3, 78.5, 61.7, 78.5, 78.6)
    assert PRINTED["codeforces"]["ranks"] == (14.9, 15.1, 25.4, 14.8, 14.7)
    assert PRINTED["topcoder"]["pairs"] == (72.6, 72.3, 68.7, 73.0, 73.1)
    assert PRINTED["topcoder"]["ranks"] == (18.5, 18.7, 20.9, 18.3, 18.2)
    assert PRINTED["reddit"]["pairs"] == (61.5, 61.4, 61.5, 61.6, 61.6)
    assert PRINTED["reddit"]["ranks"] == (27.3, 27.4, 27.2, 27.3, 27.3)
    assert PRINTED["synthetic"]["pairs"] == (81.7, 81.7, 81.3, 81.7, 81.7)
    assert PRINTED["synthetic"]["ranks"] == (12.9, 12.8, 13.1, 12.8, 12.8)
    assert PLAYERS_BY_TABLE == 2500


@pytest.mark.parametrize(("short", "measure"), accuracy.MEASURES.items())
def test_the_best_of_the_grid_on_the_first_tenth_is_scored_on_the_rest(of_topcoder, short, measure):
    row = rows_of(of_topcoder)["synthetic"]
    found = podium.tune(SYNTHETIC, "topcoder", measure, grid=True, min_contests=2, jobs=1)
    settings = dict(each.split("=") for each in row[f"parameters_for_{short}"].split())
    assert type(found.system).parse(settings) == found.system
    assert row[f"{short}_tuned"] == pytest.approx(percent(SYNTHETIC, found.system, measure))
    default = podium.system("topcoder")
    assert row[f"{short}_default"] == pytest.approx(percent(SYNTHETIC, default, measure))
    assert row[f"{short}_tuned"] != row[f"{short}_default"]


def test_every_search_is_a_grid_over_the_first_tenth(monkeypatch):
    asked = []
    real = accuracy.tune

    def tune(contests, name, measure, **options):
        told = {key: options[key] for key in ("grid", "split", "min_contests", "study", "jobs")}
        asked.append((len(contests), name, measure, told))
        return real(contests, name, measure, **options)

    monkeypatch.setattr(accuracy, "tune", tune)
    reddit = podium.simulate(players=6, rounds=100)
    table_2({"reddit": reddit}, names=["codeforces"], **QUICK)
    assert asked == [
        (
            rounds,
            "codeforces",
            measure,
            {"grid": True, "split": 0.1, "min_contests": least, "study": None, "jobs": 1},
        )
        for rounds, least in ((100, 5), (50, 2))
        for measure in ("pair-inversion", "rank-deviation")
    ]


def test_pairs_and_ranks_are_tuned_apart(of_topcoder):
    row = rows_of(of_topcoder)["synthetic"]
    assert row["parameters_for_pairs"] != row["parameters_for_ranks"]


def test_results_of_topcoder_and_reddit_in_the_authors_layout_are_scored(tmp_path):
    data = {}
    for name, seed in (("topcoder", 1), ("reddit", 2)):
        played = podium.simulate(players=9, rounds=70, seed=seed)
        contests = [
            (contest.id, round(contest.time.timestamp()), [
                [player, rank - 1, rank - 1] for rank, player in contest.standings
            ])
            for contest in played
        ]  # fmt: skip
        data[name] = write_like_the_authors(tmp_path / name, contests)
    shown = table_2(data, names=["codeforces"], **QUICK)
    rows = rows_of(shown)
    assert list(rows) == ["codeforces", "topcoder", "reddit", "synthetic"]
    for name, contests in data.items():
        wanted = percent(contests, podium.system("codeforces"), "pair-inversion")
        assert rows[name]["pairs_default"] == pytest.approx(wanted)
        tuned = podium.tune(
            contests, "codeforces", "rank-deviation", grid=True, min_contests=5, jobs=1
        )
        assert rows[name]["ranks_tuned"] == pytest.approx(
            percent(contests, tuned.system, "rank-deviation")
        )
    assert shown.remarks[-1].endswith("are shown: codeforces.")


def test_codeforces_is_remarked_upon():
    played = podium.simulate(players=6, rounds=60, start="2020-01-01", days_between=1)
    shown = table_2({"codeforces": played}, names=["codeforces"], **QUICK)
    assert any("this one until 2020-02-29." in remark for remark in shown.remarks)
    assert shown.remarks[-1].endswith("are shown: topcoder, reddit.")


@pytest.mark.parametrize(
    ("rounds", "least"), [(9, 1), (10, 1), (20, 1), (50, 2), (60, 5), (69, 5), (100, 5)]
)
def test_experience_in_the_first_tenth_is_less_only_where_nobody_has_so_much(rounds, least):
    contests = podium.simulate(players=4, rounds=rounds)
    assert accuracy._experience(contests) == least


def test_the_remark_on_the_synthetic_set_says_who_counts(of_topcoder):
    assert any(remark.endswith("players with 2 count.") for remark in of_topcoder.remarks)


@pytest.fixture
def of_elo_mmr(monkeypatch):
    """The table of Elo-MMR for contests of five and of nine, by a grid of two points."""
    real = accuracy.tune

    def tune(contests, name, measure, **options):
        fixed = {"weight_limit": 0.2, "drift_per_day": 0.0, "rho": 1.0}
        search = {"sig_limit": podium.systems.OneOf((40.0, 160.0))}
        return real(contests, name, measure, fixed=fixed, search=search, **options)

    monkeypatch.setattr(accuracy, "tune", tune)
    data = {
        "topcoder": podium.simulate(players=5, rounds=70, seed=3),
        "reddit": podium.simulate(players=9, rounds=70, seed=4),
    }
    return data, lambda opponents: table_2(data, names=["elo-mmr"], opponents=opponents, **QUICK)


def test_in_larger_contests_elo_mmr_is_also_run_with_a_sample_of_opponents(of_elo_mmr):
    data, shown = of_elo_mmr
    with_sample = shown(5)
    assert with_sample.findings.select("data_set", "system").rows() == [
        ("codeforces", "elo-mmr"),
        ("topcoder", "elo-mmr"),
        ("reddit", "elo-mmr"),
        ("reddit", "elo-mmr, 5 opponents"),
        ("synthetic", "elo-mmr"),
        ("synthetic", "elo-mmr, 5 opponents"),
    ]
    exact = rows_of(with_sample, "elo-mmr")["reddit"]
    sampled = rows_of(with_sample, "elo-mmr, 5 opponents")["reddit"]
    settings = dict(each.split("=") for each in exact["parameters_for_pairs"].split())
    system = podium.systems.EloMMR.parse({**settings, "opponents": "5"})
    for short, measure in accuracy.MEASURES.items():
        wanted = percent(data["reddit"], system, measure)
        assert sampled[f"{short}_tuned"] == pytest.approx(wanted)
        assert sampled[f"{short}_default"] is None
    assert sampled["pairs_tuned"] != exact["pairs_tuned"]
    assert any("sample of nearest opponents" in remark for remark in with_sample.remarks)


def test_without_larger_contests_or_without_a_wish_there_is_no_sample(of_elo_mmr):
    _, shown = of_elo_mmr
    for opponents in (100, None):
        without = shown(opponents)
        assert without.findings.height == 4
        assert not any("sample of nearest opponents" in remark for remark in without.remarks)


def test_progress_ends_with_the_last_trial_and_never_goes_back():
    told = []
    table_2(names=["codeforces"], progress=lambda *step: told.append(step), **QUICK)
    shares = [done / whole for done, whole in told]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.75, 1.0)


def test_an_interrupted_search_goes_on_from_what_is_kept(tmp_path, monkeypatch, of_topcoder):
    def stop(done, whole):
        if done >= 0.9 * whole:
            raise KeyboardInterrupt

    kept = tmp_path / "trials"
    with pytest.raises(KeyboardInterrupt):
        table_2(names=["topcoder"], kept=kept, progress=stop, **QUICK)
    names = ["synthetic-topcoder-pairs.jsonl", "synthetic-topcoder-ranks.jsonl"]
    assert sorted(path.name for path in kept.iterdir()) == names
    before = [(kept / name).read_bytes() for name in names]
    assert before[0].count(b"\n") == 2 + 24
    assert 2 < before[1].count(b"\n") < 2 + 24

    scored = []
    real = trials.score

    def counted(contests, system, *arguments, **options):
        scored.append(system)
        return real(contests, system, *arguments, **options)

    monkeypatch.setattr(trials, "score", counted)
    shown = table_2(names=["topcoder"], kept=kept, **QUICK)
    assert len(scored) == 2 + 24 - before[1].count(b"\n")
    assert shown.numbers[""].equals(of_topcoder.numbers[""])
    after = [(kept / name).read_bytes() for name in names]
    assert after[0] == before[0]
    assert after[1].startswith(before[1])


def test_trials_of_other_results_are_not_taken_for_these(tmp_path):
    table_2(names=["codeforces"], kept=tmp_path, **QUICK)
    with pytest.raises(podium.PodiumError, match="is a study of other results"):
        table_2(names=["codeforces"], kept=tmp_path, players=PLAYERS + 1, jobs=1)


def test_too_few_contests_are_refused_in_one_sentence():
    few = podium.simulate(players=4, rounds=9)
    with pytest.raises(podium.PodiumError, match=r"^of 9 contests, a share of 0\.1 is none;"):
        table_2({"reddit": few}, names=["codeforces"], **QUICK)
