"""Pages over HTTP: addresses, dates, filters, wrong input and hostile names."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

import podium
from podium.web import create_app
from podium.web.rendering import STATIC, environment
from tests.web.conftest import HOSTILE


@pytest.fixture(scope="module")
def best(league_file: Path) -> str:
    with podium.League(league_file) as league:
        return str(league.leaderboard(1)["player"].item())


def page(client: TestClient, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return answer.text


def test_the_only_league_is_where_the_site_leads(client: TestClient) -> None:
    answer = client.get("/")
    assert (answer.status_code, answer.headers["location"]) == (307, "/club/")
    answer = client.get("/club?at=2026-01-20")
    assert answer.headers["location"] == "/club/?at=2026-01-20"


def test_the_leaderboard_has_the_ratings_of_the_league(
    client: TestClient, league_file: Path
) -> None:
    found = page(client, "/club/")
    with podium.League(league_file) as league:
        for row in league.leaderboard(50).to_dicts():
            assert row["player"] in found
            assert f"{row['rating']:,.0f}" in found


def test_every_link_of_the_pages_leads_somewhere(client: TestClient) -> None:
    """Starting from the leaderboard, whatever is linked is there; to a certain depth."""
    seen, todo = set(), ["/club/"]
    for _ in range(120):
        if not todo:
            break
        address = todo.pop(0)
        answer = client.get(address, follow_redirects=True)
        assert answer.status_code == 200, f"{address}: {answer.text[:300]}"
        if "html" not in answer.headers["content-type"]:
            continue
        for link in re.findall(r'(?:href|src)="(/[^"]*)"', answer.text):
            link = link.replace("&amp;", "&").split("#")[0]
            kind = re.sub(r"player-\d+|round-\d+|\d+", "·", link)
            if kind not in seen:
                seen.add(kind)
                todo.append(link)
    assert len(seen) > 25


def test_a_player_of_an_earlier_date_has_the_contests_until_then(
    client: TestClient, league_file: Path, best: str
) -> None:
    with podium.League(league_file) as league:
        times = league.history_of(best)["time"]
    day = f"{times[2]:%Y-%m-%d}"
    found = page(client, f"/club/player/{best}?at={day}")
    assert found.count('<th scope="row"><a href="/club/contest/') == 3
    assert f"at={day}" in found


def test_looking_back_at_a_player_is_apart_from_the_ratings_that_count(
    client: TestClient, league_file: Path, best: str
) -> None:
    assert f'href="/club/look-back/{best}"' in page(client, f"/club/player/{best}")
    found = page(client, f"/club/look-back/{best}")
    assert "not the ratings that count" in found
    assert "in hindsight" in found
    with podium.League(league_file) as league, league.snapshot() as view:
        look = podium.look_back(view.results().without_teams())
    last = look.player(best).row(-1, named=True)
    assert f"{last['estimate']:,.0f}".replace(",", "") in re.sub(r"[,\u202f\u2009 ]", "", found)
    day = f"{look.player(best)['time'][2]:%Y-%m-%d}"
    assert page(client, f"/club/look-back/{best}?at={day}").count("<tr><td") == 3


def test_a_large_league_is_looked_back_at_by_the_command(
    client: TestClient, best: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("podium.web.pages._MOST_ROWS", 10)
    assert "podium look-back LEAGUE" in page(client, f"/club/look-back/{best}?at=2026-06-01", 422)


def test_what_was_not_yet_is_not_found_as_of_a_date(client: TestClient, best: str) -> None:
    assert "later than the date" in page(client, "/club/contest/round-12?at=2026-01-08", 404)
    assert "no rated contest" in page(client, f"/club/player/{best}?at=1990-01-01", 404)


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("/club/?page=0", "page must be a whole number"),
        ("/club/?page=99", "there is no page 99"),
        ("/club/?min_contests=x", "min_contests must be a whole number"),
        ("/club/?at=yesterday", "yesterday"),
        ("/club/?active_since=31.12.", "31.12."),
        ("/club/?title=king", "no title"),
        ("/club/player", "lacks"),
        ("/club/player/nobody", "nobody"),
        ("/club/look-back", "lacks"),
        ("/club/look-back/nobody", "nobody"),
        ("/club/contest/none", "none"),
        ("/club/why/round-05/nobody", "nobody"),
        ("/club/why/none/player-0001", "none"),
        ("/club/player?name=a%00b", "character 0"),
        ("/club/?q=a%00b", "character 0"),
        ("/club/compare?player=player-0001&player=nobody", "nobody"),
        ("/club/compare?" + "&".join(f"player=player-000{k}" for k in range(6)), "at most 5"),
        ("/club/predict?top=0&player=a&player=b", "top must be"),
        ("/club/leaderboard.xls", "csv"),
        ("/elsewhere/", "no league"),
        ("/club/nothing", "no such address"),
    ],
)
def test_wrong_addresses_get_one_clear_sentence(
    client: TestClient, address: str, sentence: str
) -> None:
    answer = client.get(address)
    assert answer.status_code in (404, 422)
    assert "text/html" in answer.headers["content-type"]
    assert sentence.lower() in re.sub(r"<[^>]+>", " ", answer.text).lower()
    assert "Traceback" not in answer.text


def test_forms_may_be_sent_empty(client: TestClient) -> None:
    found = page(client, "/club/?q=&title=&active_since=&min_contests=")
    assert "player-" in found


def test_filters_and_search_keep_places(client: TestClient, league_file: Path) -> None:
    with podium.League(league_file) as league:
        row = league.leaderboard(10).row(6, named=True)
    found = page(client, f"/club/?q={row['player'].upper()}")
    assert f'<td class="n place">{row["place"]}</td>' in found
    assert found.count('<td class="n place">') == 1


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_shown_as_text(name: str, hostile_file: Path) -> None:
    app = create_app(hostile_file)
    with TestClient(app) as client:
        address = f"/club/player?name={quote(name, safe='')}"
        found = page(client, address)
        for part in ("<script>alert", "<img src=x", "]]>&amp;<!--", "49$"):
            assert part not in found
        contest = quote(HOSTILE[0], safe="")
        page(client, f"/club/why?contest={contest}&player={quote(name, safe='')}")
        svg = client.get(f"/club/badge.svg?name={quote(name, safe='')}")
        assert svg.status_code == 200
        assert "<script" not in svg.text


def test_no_page_has_inline_script_or_style(client: TestClient, best: str) -> None:
    for address in ("/club/", f"/club/player/{best}", "/club/contest/round-05", "/club/changes"):
        answer = client.get(address)
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        scripts = re.findall(r"<script(?![^>]*src=)([^>]*)>", answer.text)
        assert all('type="application/json"' in each for each in scripts)
        assert not re.search(r"<[^>]+\s(style|on\w+)=", answer.text)
        assert "<style" not in answer.text


def test_pages_work_under_a_prefix(league_file: Path) -> None:
    app = create_app(league_file, prefix="/ratings")
    with TestClient(app, follow_redirects=False) as client:
        for before in ("/ratings", ""):  # a proxy may leave the prefix or take it away
            assert client.get(f"{before}/").headers["location"] == "/ratings/club/"
            assert client.get(f"{before}/static/style.css").status_code == 200
            found = client.get(f"{before}/club/")
            assert found.status_code == 200
            links = re.findall(r'(?:href|src|action)="(/[^"]*)"', found.text)
            assert links
            assert all(link.startswith("/ratings/") for link in links)


def test_several_leagues_have_a_page_of_their_own(league_file: Path, hostile_file: Path) -> None:
    with TestClient(create_app({"one": league_file, "two": hostile_file})) as client:
        found = client.get("/")
        assert "/one/" in found.text
        assert "/two/" in found.text


def test_a_league_without_contests_has_its_pages(tmp_path: Path) -> None:
    with podium.League.create(tmp_path / "new.db", "glicko2"):
        pass
    with TestClient(create_app(tmp_path / "new.db")) as client:
        for path in ("", "contests", "about", "changes", "compare", "predict", "feed.atom"):
            assert client.get(f"/new/{path}").status_code == 200, path


@pytest.mark.parametrize("system", ["elo", "trueskill", "glicko", "codeforces", "luck", "weng-lin"])
def test_pages_of_other_systems(system: str, tmp_path: Path) -> None:
    season = podium.simulate(players=2 if system == "luck" else 12, rounds=6, seed=5)
    with podium.League.create(tmp_path / "club.db", system) as league:
        league.record(season)
        name = league.leaderboard(1)["player"].item()
        two = league.leaderboard(2)["player"].to_list()
        contest = league.history_of(name)["contest"][-1]
    with TestClient(create_app(tmp_path / "club.db")) as client:
        for path in (
            "?ties=1",
            f"player/{name}",
            f"contest/{contest}",
            f"why/{contest}/{name}",
            f"compare?player={two[0]}&player={two[1]}",
            f"predict?player={two[0]}&player={two[1]}",
            f"predict?player={two[0]}&player={two[1]}&calibrated=1",
            "about",
        ):
            page(client, f"/club/{path}")


def test_templates_and_scripts_are_part_of_the_package() -> None:
    for name in ("style.css", "charts.css", "site.js", "chart.js", "icon.svg"):
        assert (STATIC / name).is_file()
    for name in environment().list_templates():
        environment().get_template(name)
