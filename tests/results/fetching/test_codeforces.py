"""Contests of Codeforces, from a site that answers like it."""

import datetime
import json
from pathlib import Path

import pytest

import podium
from podium import PodiumError
from podium.results.fetching import codeforces
from podium.results.fetching.keeping import NOTE
from tests.local_site import LIMIT, PAGE, TROUBLES, Reply, in_json

UNAVAILABLE = "contestId: Rating changes are unavailable for this contest"


@pytest.fixture
def fetch(site, connect, tmp_path):
    """Fetch from the site into a folder, with a new client each time."""

    def run(folder=tmp_path / "rounds", **options):
        return codeforces.fetch(folder, client=connect(site), **options)

    return run


@pytest.fixture
def rounds(tmp_path) -> Path:
    return tmp_path / "rounds"


@pytest.fixture
def season(site):
    """Four contests, the third of which is not rated."""
    site.add(7, {"ann": 1, "bob": 2, "cat": 2})
    site.add(8, {"bob": 1, "ann": 2})
    site.add(9, {})
    site.add(10, {"cat": 1, "ann": 2, "bob": 3})
    site.failures["9"] = UNAVAILABLE
    return site


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.usefixtures("season")
def test_rated_contests_are_downloaded_and_rate(fetch, rounds):
    fetched = fetch()
    assert fetched.downloaded == ["7", "8", "10"]
    assert (fetched.already_there, fetched.unrated, fetched.failed) == ([], ["9"], {})
    assert files(rounds) == [NOTE, "10.json", "7.json", "8.json"]
    contests = podium.read(rounds)
    assert [contest.id for contest in contests] == ["7", "8", "10"]
    assert contests[0].standings == [(1, "ann"), (2, "bob"), (2, "cat")]
    assert contests[0].time == datetime.datetime(2023, 11, 23, 2, 40)  # of the update
    assert len(podium.rate(contests).leaderboard()) == 3


@pytest.mark.usefixtures("season")
def test_answers_are_kept_as_they_came(fetch, rounds):
    fetch()
    document = json.loads((rounds / "7.json").read_bytes())
    assert document["status"] == "OK"
    assert document["result"][0]["newRating"] == 1510


def test_standings_hold_contests_that_were_not_rated(season, fetch, rounds):
    season.failures.clear()
    season.ranks["9"] = {"dan": 1}
    season.add(11, {})
    fetched = fetch(standings=True)
    assert (fetched.downloaded, fetched.unrated) == (["7", "8", "9", "10"], ["11"])
    assert {request.path for request in season.requests} == {
        "/api/contest.list?gym=false",
        *(f"/api/contest.standings?contestId={number}" for number in (7, 8, 9, 10, 11)),
    }
    contests = podium.read(rounds)
    assert contests[0].time == datetime.datetime(2023, 11, 23, 0, 40)  # of the start
    assert contests[2].standings == [(1, "dan")]
    season.requests.clear()
    assert fetch(standings=True).unrated == ["11"]
    assert season.asked_for == ["contest.list"]


def test_what_is_there_is_not_asked_for_again(season, fetch):
    fetch()
    season.requests.clear()
    season.add(12, {"ann": 1, "bob": 2})
    again = fetch()
    assert season.asked_for == ["contest.list", "12"]
    assert (again.downloaded, again.already_there, again.unrated) == (
        ["12"],
        ["7", "8", "10"],
        ["9"],
    )


def test_only_finished_contests_with_a_start_are_asked_for_the_earliest_first(season, fetch):
    season.add(1, {"ann": 1}, start=1_800_000_000)
    season.add(20, {"ann": 1}, phase="CODING")
    season.add(21, {"ann": 1}, phase="PENDING_SYSTEM_TEST")
    season.add(22, {"ann": 1})
    del season.contests[0]["startTimeSeconds"]
    fetch()
    assert season.asked_for == ["contest.list", "7", "8", "9", "10", "1"]


def test_contests_of_one_start_are_asked_for_by_number(site, fetch):
    for number in (9, 10, 8):
        site.add(number, {"ann": 1}, start=1_700_000_000)
    assert fetch().downloaded == ["8", "9", "10"]


def test_what_was_removed_is_asked_for_again(season, fetch, rounds):
    fetch()
    (rounds / "8.json").unlink()
    assert fetch().downloaded == ["8"]
    assert season.asked_for[-2:] == ["contest.list", "8"]


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        (None, None, ["1", "2", "3", "4"]),
        ("2024-03-02", None, ["2", "3", "4"]),
        (None, "2024-03-01", ["1"]),
        ("2024-03-02", "2024-03-03", ["2", "3"]),
        ("2024-03-03T23:59:59", "2024-03-04T00:00:00", ["3", "4"]),
        (datetime.date(2024, 3, 2), datetime.date(2024, 3, 2), ["2"]),
        (1709510400, 1709510400, ["4"]),
        ("2030-01-01", None, []),
    ],
)
def test_only_contests_that_start_in_the_range(site, fetch, since, until, expected):
    for number, start in enumerate(("01T12:00", "02T00:00", "03T23:59:59", "04T00:00"), 1):
        moment = datetime.datetime.fromisoformat(f"2024-03-{start}+00:00")
        site.add(number, {"ann": 1}, start=int(moment.timestamp()))
    assert fetch(since=since, until=until).downloaded == expected


def test_a_range_that_is_none(season, fetch, rounds):
    with pytest.raises(PodiumError) as caught:
        fetch(since="2024-03-02", until="2024-03-01")
    assert str(caught.value) == "since 2024-03-02 is later than until 2024-03-01."
    with pytest.raises(PodiumError, match="'yesterday' is not a time; give a date"):
        fetch(since="yesterday")
    assert season.requests == []
    assert not rounds.exists()


def test_no_rating_changes_yet_are_asked_for_again(site, fetch):
    site.add(1, {}, ago=3 * 86_400)
    site.add(2, {}, ago=8 * 86_400)
    assert fetch().unrated == ["1", "2"]
    site.ranks["1"] = {"ann": 1}
    site.ranks["2"] = {"ann": 1}
    again = fetch()
    assert (again.downloaded, again.unrated) == (["1"], ["2"])


def test_a_failure_does_not_stop_the_others(season, fetch, rounds):
    season.failures["8"] = "contestId: Contest with id 8\nnot found"
    fetched = fetch()
    assert fetched.downloaded == ["7", "10"]
    assert fetched.failed == {
        "8": "Codeforces answered FAILED (contestId: Contest with id 8 not found)"
    }
    assert len(podium.read(rounds)) == 2
    del season.failures["8"]
    assert fetch().downloaded == ["8"]


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ({"handle": "ann"}, "the answer: its result is neither that of contest.standings"),
        ([{"handle": "ann"}], "the answer, rating change 1: contestId should be a whole number"),
        (
            [
                {"contestId": 99, "handle": "ann", "rank": 1, "ratingUpdateTimeSeconds": 0},
            ],
            "the answer is of contest 99",
        ),
        (
            [{"contestId": 8, "handle": " ", "rank": 1, "ratingUpdateTimeSeconds": 10**13}],
            "the answer, rating change 1: ratingUpdateTimeSeconds 10000000000000 is not in",
        ),
    ],
)
def test_an_answer_that_podium_cannot_read_is_not_kept(season, fetch, rounds, result, reason):
    season.troubles["8"] = [in_json({"status": "OK", "result": result})]
    fetched = fetch()
    assert fetched.downloaded == ["7", "10"]
    assert fetched.failed["8"].startswith(reason)
    assert not fetched.failed["8"].endswith(".")
    assert files(rounds) == [NOTE, "10.json", "7.json"]


def test_a_handle_that_stands_twice_is_no_obstacle(season, fetch, rounds):
    season.contests[-1]["id"] = 447
    season.ranks["447"] = {"ann": 1, "bob": 2}
    twice = [
        {"contestId": 447, "handle": handle, "rank": rank, "ratingUpdateTimeSeconds": 1402000000}
        for handle, rank in [("ann", 1), ("bob", 2), ("ann", 3)]
    ]
    season.troubles["447"] = [in_json({"status": "OK", "result": twice})]
    fetch()
    assert podium.read(rounds / "447.json")[0].standings == [(1, "ann"), (2, "bob")]


def test_throttling_only_slows_down(season, fetch, clock):
    season.calls_allowed = 2
    assert fetch().downloaded == ["7", "8", "10"]
    assert len(season.requests) == 6
    assert clock.sleeps == [2.0] * 5


@pytest.mark.parametrize("status", [200, 400, 503])
def test_the_call_limit_is_trouble_whatever_the_status(season, fetch, status):
    season.troubles["7"] = [in_json(LIMIT, status)] * 5
    assert "7" in fetch().downloaded


def test_giving_up_says_how_to_go_on(season, fetch, rounds):
    season.troubles["8"] = [in_json(LIMIT, 400)] * 6
    with pytest.raises(PodiumError) as caught:
        fetch()
    assert str(caught.value) == (
        f"contest 8: {season.host} gave no usable answer in 6 tries, the last time FAILED (Call "
        f"limit exceeded); {rounds} has 1 of 4 contests, and the same command goes on from there."
    )
    assert files(rounds) == [NOTE, "7.json"]
    season.troubles["8"] = [in_json(LIMIT, 400)] * 6
    with pytest.raises(PodiumError, match="has 1 of 4 contests"):
        fetch()
    season.requests.clear()
    assert fetch().already_there == ["7"]
    assert season.asked_for == ["contest.list", "8", "9", "10"]


@pytest.mark.parametrize("name", TROUBLES)
def test_trouble_leaves_nothing_half_written(season, fetch, rounds, name):
    reply, _ = TROUBLES[name]
    season.troubles["8"] = [reply] * 6
    with pytest.raises(PodiumError, match=r"^contest 8: .* goes on from there\.$"):
        fetch()
    assert files(rounds) == [NOTE, "7.json"]
    assert fetch().downloaded == ["8", "10"]
    assert len(podium.read(rounds)) == 3


def test_json_of_somebody_else_is_trouble(season, fetch):
    season.troubles["7"] = [in_json({"error": "blocked"}, 403), in_json([1, 2])]
    assert "7" in fetch().downloaded


def test_the_list_may_fail_too(season, fetch, rounds):
    season.troubles["contest.list"] = [Reply(PAGE)] * 6
    with pytest.raises(PodiumError) as caught:
        fetch()
    assert str(caught.value) == (
        f"the list of contests: {season.host} gave no usable answer in 6 tries, the last time HTTP "
        f"200 with a page 'Just a moment...' instead of JSON; try again later."
    )
    season.troubles["contest.list"] = [in_json({"status": "FAILED", "comment": "no"}, 400)]
    with pytest.raises(
        PodiumError, match=r"^the list of contests: Codeforces answered FAILED \(no"
    ):
        fetch()
    for result in ([], {}, None, [1, {"id": "x", "phase": "FINISHED"}]):
        season.troubles["contest.list"] = [in_json({"status": "OK", "result": result})]
        with pytest.raises(PodiumError, match=r"names none that is finished\.$"):
            fetch()
    assert files(rounds) == [NOTE]


def test_two_kinds_of_answers_are_not_mixed(season, fetch, rounds):
    fetch()
    season.requests.clear()
    with pytest.raises(PodiumError) as caught:
        fetch(standings=True)
    assert str(caught.value) == (
        f"{rounds}: is for contest.ratingChanges of Codeforces, not for contest.standings of "
        f"Codeforces; choose another folder."
    )
    assert season.requests == []


@pytest.mark.parametrize("note", ["", "{", "[]", '{"holds": "x"}', '{"unrated": 1, "final": []}'])
def test_a_damaged_note_is_named(season, fetch, rounds, note):
    fetch()
    (rounds / NOTE).write_text(note)
    with pytest.raises(PodiumError, match=rf"^{rounds}/{NOTE}: is damaged; without it, everything"):
        fetch()
    (rounds / NOTE).unlink()
    season.requests.clear()
    assert fetch().already_there == ["7", "8", "10"]
    assert season.asked_for == ["contest.list", "9"]


@pytest.mark.usefixtures("season")
def test_progress_counts_contests(fetch):
    seen = []
    fetch(progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
