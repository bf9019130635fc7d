"""A player in hindsight, out of the look back that a league keeps: on pages, in the API."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

import podium
from podium.league import documents, snapshot
from podium.web import create_app, security
from podium.web.publishing import publish
from tests.web.browsing import PHONE
from tests.web.conftest import HOSTILE

API = "/api/v1/leagues/club/look-back"
ANN = "player-0009"


@pytest.fixture(scope="module")
def stored_file(league_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The club, which keeps a look back that does not know of two contests and a correction."""
    path = Path(shutil.copy(league_file, tmp_path_factory.mktemp("stored") / "club.db"))
    with podium.League(path) as league:
        league.store_look_back()
        for day in (1, 2):
            league.record([ANN, "zoe"], id=f"late-{day}", time=f"2026-10-0{day}")
        league.amend("late-1", name="The first of the late ones")
    return path


@pytest.fixture(scope="module")
def stored(stored_file: Path) -> Iterator[TestClient]:
    with TestClient(create_app(stored_file)) as client:
        yield client


@pytest.fixture
def nobody_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("it was computed")

    monkeypatch.setattr("podium.hindsight.looking.look_back", refuse)


@pytest.mark.usefixtures("nobody_computes")
def test_a_page_out_of_the_store_says_as_of_when_and_what_it_does_not_know(stored, stored_file):
    page = stored.get(f"/club/look-back/{ANN}")
    assert page.status_code == 200
    assert "not the ratings that count" in page.text
    with podium.League(stored_file) as league:
        rows, kept = league.looked_back_at(ANN), league.stored_look_back()
    assert page.text.count("<tr><td") == rows.height
    assert f"{rows['estimate'][-1]:,.0f} " in page.text
    assert f'title="{kept.made:%Y-%m-%d %H:%M} UTC"' in page.text
    assert "2 contests and 1 correction since, of which it does not know" in page.text
    assert "earlier and later ones together: 12 contests." in page.text


@pytest.mark.usefixtures("nobody_computes")
def test_who_came_later_is_told_so(stored):
    page = stored.get("/club/look-back/zoe")
    assert page.status_code == 200
    assert "whose first contest came later" in page.text
    assert "<svg" not in page.text.split("<main")[1].split("</main>")[0]
    assert stored.get(f"{API}?name=zoe").json()["history"] == []


def test_a_date_is_computed_even_if_something_is_stored(stored):
    page = stored.get(f"/club/look-back/{ANN}?at=2026-10-01")
    assert "late-1" in page.text
    assert "when it was stored" not in page.text


def test_the_api_says_what_the_view_does(stored, stored_file):
    with podium.League(stored_file) as league:
        rows, kept = league.looked_back_at(ANN), league.stored_look_back()
    answer = stored.get(f"{API}?name={ANN}")
    assert answer.json() == {"player": ANN, **kept.document(), "history": documents(rows)}
    assert answer.json()["contests_since"] == 2
    assert stored.get(f"{API}?name=nobody").status_code == 404


def test_nobody_keeps_what_may_be_stored_anew(club_file):
    with TestClient(create_app(club_file)) as client, podium.League(club_file) as league:
        address = f"/club/look-back/{ANN}"
        assert "when it was stored" not in client.get(address).text
        nothing = client.get(f"{API}?name={ANN}")
        assert nothing.status_code == 404
        assert "podium look-back LEAGUE --store makes one" in nothing.json()["detail"]
        league.store_look_back()
        first, answer = client.get(address), client.get(f"{API}?name={ANN}")
        assert "when it was stored: no contest since" in first.text
        for each in (first, answer):
            assert each.headers["cache-control"] == "no-cache"
            assert "etag" not in each.headers
        league.store_look_back(q=500.0)
        assert client.get(address).text != first.text
        found = client.get(f"{API}?name={ANN}").json()
        assert found["parameters"]["q"] == 500.0
        assert found["history"] != answer.json()["history"]
        league.drop_look_back()
        assert "when it was stored" not in client.get(address).text


def test_a_large_league_is_shown_out_of_its_store(stored, monkeypatch):
    monkeypatch.setattr("podium.web.pages._MOST_ROWS", 10)
    assert stored.get(f"/club/look-back/{ANN}").status_code == 200
    dated = stored.get(f"/club/look-back/{ANN}?at=2026-02-01")
    assert dated.status_code == 422
    assert "podium look-back LEAGUE --store" in dated.text


def test_looks_back_wait_for_their_turn():
    for path in ("/club/look-back/ann", "/club/look-back", API):
        assert security._LONG.search(path)


def test_who_was_hidden_since_is_shown_to_organisers_alone(club_file):
    with podium.League(club_file) as league:
        league.store_look_back()
        league.hide(ANN)
        token = league.create_token("olga", "organise")
    with TestClient(create_app(club_file, writable=True, secret=b"s" * 32)) as client:
        for address in (f"/club/look-back/{ANN}", f"{API}?name={ANN}"):
            assert client.get(address).status_code == 404
        bearer = {"Authorization": f"Bearer {token}"}
        seen = client.get(f"{API}?name={ANN}&hidden=true", headers=bearer)
        assert len(seen.json()["history"]) > 0
        assert seen.headers["cache-control"] == "no-store"


def test_a_published_site_has_what_is_stored(stored_file, league_file, tmp_path):
    for name, league, there in (("with", stored_file, True), ("without", league_file, False)):
        with snapshot(league) as view:
            publish(view, tmp_path / name, title="The club", explanations=0)
        page = tmp_path / name / "look-back" / f"{ANN}.html"
        assert page.exists() == there
        player = (tmp_path / name / "player" / f"{ANN}.html").read_text("utf-8")
        assert (f'href="../look-back/{ANN}.html"' in player) == there
    with snapshot(stored_file) as view:
        contests = view.looked_back_at(ANN)["contest"].to_list()
    text = (tmp_path / "with" / "look-back" / f"{ANN}.html").read_text("utf-8")
    assert "2 contests and 1 correction since" in text
    assert f'href="../player/{ANN}.html"' in text
    assert all(f'href="../contest/{each}.html"' in text for each in contests)
    assert all((tmp_path / "with" / "contest" / f"{each}.html").is_file() for each in contests)
    with snapshot(stored_file) as view:
        again = publish(view, tmp_path / "with", title="The club", explanations=0)
        shared = publish(view, tmp_path / "shared", title="The club", player_pages=0)
    assert (again.written, again.removed) == (0, 0)
    assert shared.pages
    assert not (tmp_path / "shared" / "look-back").exists()


@pytest.mark.slow
def test_hostile_names_do_no_harm_out_of_the_store(tab, serving, hostile_file, tmp_path):
    path = Path(shutil.copy(hostile_file, tmp_path / "club.db"))
    with podium.League(path) as league:
        league.store_look_back()
    with snapshot(path) as view:
        publish(view, tmp_path / "site", title="The club", explanations=0)
    with serving(create_app(path)) as site:
        opened = tab(viewport=PHONE)
        opened.page.on("dialog", lambda _: opened.wrong.append("a script ran"))
        for name in HOSTILE:
            page = opened.open(f"{site}/club/look-back?name={quote(name, safe='')}")
            assert page.locator("main svg").count() >= 1
            assert not opened.overflows()
        for file in sorted((tmp_path / "site" / "look-back").iterdir()):
            page = opened.open(file.as_uri())
            assert page.locator("main svg").count() >= 1
            assert not opened.overflows()


@pytest.mark.slow
def test_it_is_reached_and_read_by_keyboard_and_found_sound_by_axe(tab, serving, stored_file):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with serving(create_app(stored_file)) as site:
        for options in ({}, {"color_scheme": "dark", "viewport": PHONE}):
            for name in (ANN, "zoe"):
                opened = tab(**options)
                page = opened.open(f"{site}/club/look-back/{name}")
                found = axe.run(page)
                assert found.violations_count == 0, f"{options}: {found.generate_report()}"
                assert not opened.overflows()
        page = tab().open(f"{site}/club/player/{ANN}")
        page.get_by_role("link", name="In hindsight").focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/look-back/**")
        assert "since, of which it does not know" in page.locator("main").inner_text()
        page.locator("figure[data-chart=compare] svg a").first.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        page.wait_for_url("**/contest/**")
