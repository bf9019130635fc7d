"""What is worth a second look is found, and what is usual is not."""

import podium
from podium.results.findings import odd_dates, same_results, small_contests


def contests(*rows, **columns):
    """Contests from their identifier, time and players, best first."""
    return podium.Contests.from_records(
        [
            {"contest": contest, "time": time, "player": player, "rank": rank, **columns}
            for contest, time, players in rows
            for rank, player in enumerate(players, start=1)
        ],
        future=True,
    )


FIELD = ["ann", "bob", "cat", "dan", "eve"]


def test_dates_stand_out_by_being_far_off_early_or_in_the_future():
    weeks = [(f"week-{day}", f"2026-01-{day:02}", FIELD) for day in range(1, 10)]
    odd = [
        ("year", "2016-01-05", FIELD),
        ("seconds", "1970-01-01T00:00:05", FIELD),
        ("early", "1926-01-05", FIELD),
        ("late", "2126-01-05", FIELD),
    ]
    found = odd_dates(contests(*weeks, *odd))
    assert dict(found.select("contest", "why").iter_rows()) == {
        "year": "far from the others",
        "seconds": "the first day of 1970",
        "early": "before 1970",
        "late": "in the future",
    }


def test_a_history_of_years_has_no_odd_dates():
    years = [(f"cup-{year}", f"{year}-05-01", FIELD) for year in range(1990, 2026)]
    assert not odd_dates(contests(*years)).height


def test_contests_of_one_or_of_far_fewer_than_usual_are_small():
    many = [f"p{number}" for number in range(20)]
    weeks = [(f"week-{day}", f"2026-01-{day:02}", many) for day in range(1, 6)]
    some = [("few", "2026-01-07", many[:4]), ("half", "2026-01-08", many[:10])]
    alone = [("alone", "2026-01-09", ["ann"])]
    found = small_contests(contests(*weeks, *some, *alone))
    assert found.select("contest", "players").rows() == [("few", 4), ("alone", 1)]
    pairs = [(f"match-{day}", f"2026-01-{day:02}", ["ann", "bob"]) for day in range(1, 6)]
    assert not small_contests(contests(*pairs)).height


def test_the_same_results_under_two_identifiers_are_found():
    rows = [
        ("a", "2026-01-01", FIELD),
        ("b", "2026-01-08", FIELD[::-1]),
        ("c", "2026-01-15", FIELD),
        ("d", "2026-01-22", FIELD[:4]),
    ]
    assert same_results(contests(*rows)).select("contest", "like").rows() == [("c", "a")]


def test_the_same_match_twice_counts_at_one_time_only():
    rows = [
        ("a", "2026-01-01", ["ann", "bob"]),
        ("b", "2026-01-01", ["ann", "bob"]),
        ("c", "2026-01-01", ["bob", "ann"]),
        ("d", "2026-01-02", ["ann", "bob"]),
    ]
    assert same_results(contests(*rows)).select("contest", "like").rows() == [("b", "a")]


def test_other_scores_are_other_results():
    matches = [
        {"time": "2026-01-01", "player_a": "ann", "player_b": "bob", "score_a": goals, "score_b": 0}
        for goals in (1, 2, 2)
    ]
    found = same_results(podium.Contests.from_records(matches))
    assert found.height == 1
