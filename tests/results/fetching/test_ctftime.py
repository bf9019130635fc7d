"""Years of CTFtime, from a site that answers like it."""

import datetime
import json

import pytest

import podium
from podium import PodiumError
from podium.results.fetching import ctftime
from podium.results.fetching.keeping import NOTE
from tests.local_site import Reply, in_json


@pytest.fixture(autouse=True)
def today(monkeypatch):
    """Say what day it is."""

    def is_(day: str) -> None:
        monkeypatch.setattr(ctftime, "_today", lambda: datetime.date.fromisoformat(day))

    is_("2024-06-01")
    return is_


@pytest.fixture
def fetch(ctftime_site, connect, tmp_path):
    def run(**options):
        return ctftime.fetch(tmp_path / "events", client=connect(ctftime_site), **options)

    return run


@pytest.fixture
def years(ctftime_site):
    ctftime_site.add(2022, 1500, {4: 1, 77: 2, 9: 3})
    ctftime_site.add(2022, 1501, {9: 1, 4: 2})
    ctftime_site.add(2023, 1800, {77: 1, 4: 2})
    ctftime_site.add(2024, 2200, {4: 1, 9: 2})
    return ctftime_site


def test_years_are_downloaded_and_rate(years, fetch, tmp_path):
    assert fetch(since=2022, until=2023).downloaded == ["2022", "2023"]
    assert [request.path for request in years.requests] == [
        "/api/results/2022/",
        "/api/results/2023/",
    ]
    contests = podium.read(tmp_path / "events")
    assert [contest.id for contest in contests] == ["1500", "1501", "1800"]
    assert contests[0].standings == [(1, "4"), (2, "77"), (3, "9")]
    assert len(podium.rate(contests).leaderboard()) == 3


def test_a_year_is_asked_for_until_january_is_over_behind_it(years, fetch, today):
    fetch(since=2022)
    assert years.asked_for == ["2022", "2023", "2024"]
    for day, again in [
        ("2024-12-31", ["2024"]),
        ("2025-01-31", ["2024"]),
        ("2025-02-01", ["2024"]),
        ("2025-02-02", []),
    ]:
        today(day)
        years.requests.clear()
        fetched = fetch(since=2022, until=2024)
        assert years.asked_for == again
        assert fetched.downloaded == again
        assert fetched.already_there == [y for y in ("2022", "2023", "2024") if y not in again]


@pytest.mark.usefixtures("years")
def test_a_year_that_was_removed_is_asked_for_again(fetch, tmp_path):
    fetch(since=2022, until=2022)
    assert fetch(since=2022, until=2022).already_there == ["2022"]
    (tmp_path / "events" / "2022.json").unlink()
    assert fetch(since=2022, until=2022).downloaded == ["2022"]
    assert json.loads((tmp_path / "events" / NOTE).read_bytes())["final"] == ["2022"]


def test_a_year_that_grows_is_replaced(years, fetch, tmp_path):
    fetch(since=2024)
    years.add(2024, 2201, {9: 1, 4: 2})
    fetch(since=2024)
    assert [contest.id for contest in podium.read(tmp_path / "events")] == ["2200", "2201"]


@pytest.mark.parametrize("events", [{}, {"1": {"title": "a", "time": 1.0, "scores": []}}])
def test_a_year_without_results_yet(years, fetch, tmp_path, events):
    years.years["2024"] = events
    fetched = fetch(since=2023)
    assert (fetched.downloaded, fetched.unrated) == (["2023"], ["2024"])
    assert len(podium.read(tmp_path / "events")) == 1


def test_a_year_that_fails_does_not_stop_the_others(years, fetch):
    del years.years["2023"]
    years.troubles["2022"] = [in_json({"detail": "not allowed"}, 405)]
    fetched = fetch(since=2022)
    assert fetched.downloaded == ["2024"]
    assert fetched.failed == {
        "2022": "CTFtime answered HTTP 405",
        "2023": f"{years.host} answered HTTP 404",
    }


def test_an_answer_that_podium_cannot_read_is_not_kept(years, fetch, tmp_path):
    years.years["2023"]["1800"]["scores"][1]["place"] = "second"
    assert fetch(since=2023).failed == {
        "2023": "the answer, event 1800, score 2: place should be a whole number, but is 'second'"
    }
    assert not (tmp_path / "events" / "2023.json").exists()


def test_giving_up_says_how_to_go_on(years, fetch, tmp_path):
    years.troubles["2023"] = [Reply(b"[1, 2]"), *[Reply(b"", 503)] * 5]
    with pytest.raises(PodiumError) as caught:
        fetch(since=2022)
    assert str(caught.value) == (
        f"year 2023: {years.host} gave no usable answer in 6 tries, the last time HTTP 503; "
        f"{tmp_path}/events has 1 of 3 years, and the same command goes on from there."
    )
    assert fetch(since=2022).already_there == ["2022"]


@pytest.mark.parametrize(
    ("since", "until", "sentence"),
    [
        (2010, None, "2010 is not a year with results of CTFtime, from 2011 to 2024."),
        (2022, 2025, "2025 is not a year with results of CTFtime, from 2011 to 2024."),
        (2023, 2022, "since 2023 is later than until 2022."),
    ],
)
def test_years_that_are_none(years, fetch, since, until, sentence):
    with pytest.raises(PodiumError) as caught:
        fetch(since=since, until=until)
    assert str(caught.value) == sentence
    assert years.requests == []
