"""The log keeps what was before, in full: everything comes back from the league alone."""

import json

import polars as pl
import pytest

from podium import Contests, League, PodiumError, Rules, errors
from podium.league import documents
from tests.league.tables import all_tables

ROWS = [
    ("ann", 120, "ok"),
    ("bob", 90, "late"),
    ("cat", 90, None),
    ("dan", 10, "ok"),
    ("eve", 9, ""),
]

OTHER_SCORES = [(player, 2 * score, "protested") for player, score, _ in ROWS]


def scored(id: str, day: int, rows=ROWS) -> Contests:
    """A contest that was given by scores, with a status beside some."""
    return Contests.from_records(
        [
            {
                "contest": id,
                "time": day * 86_400,
                "player": player,
                "score": score,
                "status": status,
                "name": f"Contest {id}",
                "weight": 0.5,
            }
            for player, score, status in rows
        ]
    )


@pytest.fixture
def league(where):
    with League.create(where) as made:
        for day in range(4):
            made.record(scored(f"c{day}", day))
        yield made


def kept(league: League) -> dict:
    """All tables but the log and what was told."""
    tables = all_tables_of(league)
    return {name: rows for name, rows in tables.items() if name not in ("log", "notices")}


def all_tables_of(league: League) -> dict:
    url = league._database.url.render_as_string(hide_password=False)
    path = league._database.path
    return all_tables(
        url.replace("postgresql+psycopg", "postgresql") if path is None else str(path)
    )


def test_what_a_file_said_beyond_the_rank_is_kept(league):
    found = league.results("c1").frame(given=True)
    assert found.select("player", "rank", "score", "status").rows() == [
        ("ann", 1, "120", "ok"),
        ("bob", 2, "90", "late"),
        ("cat", 2, "90", None),
        ("dan", 4, "10", "ok"),
        ("eve", 5, "9", ""),
    ]


def test_scores_of_matches_and_teams_that_are_ignored_are_kept(where):
    match = {"time": [0], "player_a": ["ann"], "player_b": ["bob"], "score_a": [3], "score_b": [1]}
    matches = Contests.from_matches(pl.DataFrame(match))
    crews = Contests.from_records(
        [
            {"contest": "crews", "time": 9, "player": name, "rank": rank, "team": team}
            for name, rank, team in (("ann", 1, "red"), ("bob", 1, "red"), ("cat", 2, None))
        ]
    ).without_teams()
    with League.create(where) as league:
        league.record(Contests.concat([matches, crews]))
        rows = league.results().frame(given=True).select("player", "score", "given_team").rows()
    assert rows == [
        ("ann", "3", None),
        ("bob", "1", None),
        ("ann", None, "red"),
        ("bob", None, "red"),
        ("cat", None, None),
    ]


@pytest.mark.parametrize(
    ("change", "back"),
    [
        (lambda league: league.remove("c1"), "record"),
        (lambda league: league.disqualify("c1", "bob"), "amend"),
        (lambda league: league.amend("c1", scored("c1", 9, ROWS[:1]), removing=True), "amend"),
        (lambda league: league.amend("c1", scored("c1", 1, OTHER_SCORES)), "amend"),
    ],
    ids=["remove", "disqualify", "amend", "scores"],
)
def test_results_come_back_from_the_log_alone(league, change, back):
    before = kept(league)
    change(league)
    results = league.as_it_was(league.log(1)["number"].item())
    if back == "record":
        league.record(results)
        assert league.results("c1") == results
        assert league.verify().sound
        return
    assert kept(league) != before
    league.amend("c1", results)
    assert kept(league) == before


def test_the_log_says_all_of_a_contest_before_and_after(league):
    league.amend("c2", scored("c2", 2, [*ROWS[1:], ("zoe", 1, "late")]), removing=True)
    entry = documents(league.log(1))[0]
    assert (entry["details"]["players"], entry["details"]["removed"]) == ([5, 5], 1)
    was, now = entry["before"]["contests"][0], entry["after"]["contests"][0]
    assert (was["time"], was["weight"], was["rated"]) == ("1970-01-03T00:00:00Z", 0.5, True)
    assert was["name"] == "Contest c2"
    assert was["standings"][1] == {
        "player": "bob",
        "rank": 2,
        "given_score": "90",
        "given_status": "late",
    }
    assert now["standings"][-1]["player"] == "zoe"


def test_names_and_rules_before_a_change_are_in_the_log(league):
    league.rename("ann", "anna")
    assert documents(league.log(1))[0]["before"] == {"player": "ann", "aliases": []}
    league.record(Contests.from_records([{"contest": "x", "time": 0, "player": "al", "rank": 1}]))
    league.merge("al", "anna")
    before = documents(league.log(1))[0]["before"]
    assert before == {
        "player": "al",
        "aliases": [],
        "took_part_in": ["x"],
        "number": 6,
        "players": ["al", "anna"],
        "starts": [],
    }
    league.set_rules(Rules(display="mean"))
    assert documents(league.log(1))[0]["before"] == {"rules": Rules().document()}


def test_a_change_that_kept_no_results_says_so(league):
    with pytest.raises(PodiumError, match="change 1 of the log replaced no results"):
        league.as_it_was(1)
    with pytest.raises(PodiumError, match="there is no change 99 in the log; the last is 5"):
        league.as_it_was(99)
    with pytest.raises(PodiumError, match="the number of a change"):
        league.as_it_was("1")


@pytest.mark.parametrize(
    "change",
    [
        lambda league: league.record(["ann", "zoe", *(f"p{each}" for each in range(12))]),
        lambda league: league.record(scored("c9", 9), floor=0.0),
        lambda league: league.amend("c1", weight=2.0),
        lambda league: league.amend("c1", name="Final"),
        lambda league: league.disqualify("c1", "bob"),
        lambda league: league.remove("c2"),
        lambda league: league.rename("bob", "dora"),
        lambda league: (
            league.record(["al"], id="x", time="1970-03-01") and league.merge("al", "eve")
        ),
        lambda league: league.revise("elo"),
        lambda league: league.revise("elo") and league.rollback(),
        lambda league: league.set_rules(Rules(display="conservative")),
    ],
)
def test_the_log_keeps_who_moved(league, change):
    done = change(league)
    details = documents(league.log(1))[0]["details"]
    assert details["moved"] == done.moves.height
    assert details["moves"] == done.moves.head(10).drop("change").to_dicts()


def test_an_amendment_that_removes_much_wants_to_be_told_so(league):
    before = all_tables_of(league)
    late = scored("c3", 3, [("zoe", 1, None)])
    tried = league.amend("c3", late, dry_run=True)
    assert tried.removed == ["ann", "bob", "cat", "dan", "eve"]
    assert tried.what == "amended contest 'c3'; 5 → 1 players, 5 removed"
    with pytest.raises(
        errors.RemovalError, match=r"'c3' would lose 5 of its 5 results, 'ann'.*--yes"
    ):
        league.amend("c3", late)
    assert all_tables_of(league) == before
    done = league.amend("c3", late, removing=True)
    assert (done.what, done.removed) == (tried.what, tried.removed)
    assert done.document()["removed"] == tried.removed


def test_a_tenth_may_go_without_a_question(where):
    names = [(f"p{number}", -number, None) for number in range(20)]
    with League.create(where) as league:
        league.record(scored("c", 1, names))
        assert league.amend("c", scored("c", 1, names[2:])).removed == ["p0", "p1"]
        with pytest.raises(errors.RemovalError):
            league.amend("c", scored("c", 1, names[4:]))


def test_every_removal_is_said(league):
    assert league.disqualify("c1", "bob").what == (
        "disqualified 'bob' in contest 'c1'; 5 → 4 players, 1 removed"
    )
    removed = league.remove("c2")
    assert removed.what == "removed contest 'c2' with 5 results"
    assert len(removed.removed) == 5
    assert [json.loads(each)["removed"] for each in league.log(2)["details"]] == [5, 1]


def test_an_export_keeps_the_log_and_what_was_given(league, tmp_path, places):
    league.remove("c1")
    for format in ("csv", "parquet"):
        league.export(tmp_path / format, format=format)
        with League.restore(tmp_path / format, places()) as copy:
            assert copy.log().equals(league.log())
            assert copy.results().frame(given=True).equals(league.results().frame(given=True))
            assert copy.as_it_was(6) == scored("c1", 1)


@pytest.mark.parametrize("reason", ["who", "why"])
def test_a_reason_has_at_most_a_thousand_characters(league, reason):
    with pytest.raises(
        PodiumError, match=rf"{reason} has 1,001 characters; at most 1,000 are kept"
    ):
        league.remove("c1", **{reason: "x" * 1001})
    assert league.remove("c1", **{reason: "x" * 1000}).applied
