"""A league as a static site: what is in it, what a second run writes, and how it works."""

import itertools
import json
import os
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import podium
from podium.errors import ConflictError, InputError
from podium.league import snapshot
from podium.progress import unseen
from podium.web import create_app
from podium.web.publishing import Published, StaticAddresses, data, publish
from podium.web.publishing.everything import Everything
from podium.web.publishing.filenames import file_name
from podium.web.publishing.folder import MANIFEST
from tests.web.browsing import PHONE
from tests.web.conftest import HOSTILE

CLOSE = [(1498, "pupil"), (1500, "expert"), (1500.3, "master"), (1501, "expert")]
"""Titles near each other, one of them twice."""


def published(league: Path, folder: Path, **options: Any) -> Published:
    options = {"title": "The club", "explanations": 4, **options}
    with snapshot(league) as view:
        return publish(view, folder, **options)


@pytest.fixture(scope="module")
def club_site(league_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The club as a site in which every player has a page."""
    folder = tmp_path_factory.mktemp("published") / "site"
    published(league_file, folder)
    return folder


@pytest.fixture(scope="module")
def crowd_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league of 350 players, so that contests do not fit on their pages."""
    path = tmp_path_factory.mktemp("crowd") / "crowd.db"
    season = podium.simulate(players=350, rounds=3, seed=5)
    with podium.League.create(path, "elo-mmr", rules=podium.Rules(titles=[(1500, "expert")])) as it:
        it.record(season)
    return path


@pytest.fixture(scope="module")
def crowd_site(crowd_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The crowd as a site in which all players share one page."""
    folder = tmp_path_factory.mktemp("published") / "crowd"
    published(crowd_file, folder, player_pages=100)
    return folder


@pytest.fixture(scope="module")
def close_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league in which rounded ratings mislead: all are near 1500, and so are the titles."""
    path = tmp_path_factory.mktemp("close") / "club.db"
    season = podium.simulate(players=320, rounds=6, participation=0.97, seed=5)
    system = podium.system("elo", k=0.8)
    with podium.League.create(path, system, rules=podium.Rules(titles=CLOSE)) as league:
        league.record(season)
    return path


@pytest.fixture(scope="module")
def close_site(close_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published") / "close"
    published(close_file, folder, player_pages=0, explanations=0, badges=0)
    return folder


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        each.relative_to(folder).as_posix(): each.read_bytes()
        for each in folder.rglob("*")
        if each.is_file()
    }


def data_of(text: str) -> Any:
    found = re.fullmatch(r"podiumData\(\"([^\"]+)\",(.*)\);\n", text, re.DOTALL)
    assert found is not None
    return json.loads(found[2])


class Links(HTMLParser):
    """What a page links to and loads."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.tags: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.found += [
            value or "" for name, value in attributes if name in ("href", "src", "action")
        ]
        assert not any(name == "style" or name.startswith("on") for name, _ in attributes)


def test_the_site_has_a_page_for_everything(club_site, league_file):
    with podium.League(league_file) as league:
        contests = league.contests()["contest"].to_list()
        players = league.leaderboard(None)["player"].to_list()
    expected = {"index.html", "contests.html", "about.html", "changes.html", "feed.atom"}
    expected |= {f"leaderboard.{form}" for form in ("csv", "json", "parquet")}
    expected |= {"leaderboard-2.html", "player.html", MANIFEST}
    expected |= {f"contest/{each}.html" for each in contests}
    expected |= {f"player/{each}.html" for each in players}
    expected |= {f"{kind}/{each}.svg" for kind in ("badge", "curve") for each in players}
    assert expected <= files_of(club_site).keys()
    assert len(list(club_site.glob("why/*/*.html"))) == 4


@pytest.mark.parametrize("site", ["club_site", "crowd_site"])
def test_every_link_of_every_page_leads_to_a_file_of_the_site(site, request):
    folder = request.getfixturevalue(site)
    pages = list(folder.rglob("*.html"))
    assert pages
    for page in pages:
        for link in Links(page.read_text(encoding="utf-8")).found:
            parts = urlsplit(link)
            assert not parts.scheme, f"{page}: {link}"
            assert not parts.netloc, f"{page}: {link}"
            assert link, f"{page}: an empty link"
            target = page.parent / unquote(parts.path) if parts.path else page
            assert target.is_file(), f"{page}: {link}"
            assert target.resolve().is_relative_to(folder.resolve())


def test_a_second_run_writes_nothing(club_site, league_file):
    before = files_of(club_site)
    done = published(league_file, club_site)
    assert (done.written, done.removed) == (0, 0)
    assert done.unchanged == len(before) - 1  # the list of files is not counted
    assert done.bytes == sum(map(len, before.values())) - len(before[MANIFEST])
    assert files_of(club_site) == before


def test_a_change_is_written_and_what_is_gone_is_removed(club_file, tmp_path):
    site = tmp_path / "site"
    published(club_file, site, explanations=0)
    (site / "CNAME").write_text("club.example.org")
    before = files_of(site)
    with podium.League(club_file) as league:
        last = league.contests()["contest"][-1]
        league.remove(last)
    done = published(club_file, site, explanations=0)
    after = files_of(site)
    assert f"contest/{last}.html" in before
    assert f"contest/{last}.html" not in after
    assert after["CNAME"] == b"club.example.org"
    assert done.removed == 1
    assert 0 < done.written < len(after)
    changed = [name for name in after if after[name] != before.get(name) and name != MANIFEST]
    assert done.written == len(changed)
    fresh = tmp_path / "fresh"
    published(club_file, fresh, explanations=0)
    assert {**files_of(fresh), "CNAME": b"club.example.org"} == after


def test_the_folder_of_something_else_is_refused(league_file, tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work")
    with pytest.raises(ConflictError, match=r"other files .* no podium-site\.txt"):
        published(league_file, folder)
    assert list(files_of(folder)) == ["thesis.txt"]
    with pytest.raises(InputError, match="is a file; a site needs a folder"):
        published(league_file, folder / "thesis.txt")


def test_nothing_is_removed_that_a_list_could_not_have_named(league_file, tmp_path):
    site, outside = tmp_path / "site", tmp_path / "precious.txt"
    published(league_file, site, explanations=0)
    outside.write_text("precious")
    (site / "linked").symlink_to(tmp_path)
    lines = ["../precious.txt", str(outside), "linked/precious.txt", "a//../../precious.txt", ""]
    with open(site / MANIFEST, "a") as file:
        file.write("\n".join(lines))
    assert published(league_file, site, explanations=0).removed == 0
    assert outside.read_text() == "precious"


def test_a_run_that_fails_is_made_good_by_the_next(league_file, tmp_path, monkeypatch):
    site, whole = tmp_path / "site", tmp_path / "whole"
    published(league_file, whole)

    def fails(*_: object) -> None:
        raise RuntimeError("the power is gone")

    with monkeypatch.context() as patch:
        patch.setattr("podium.web.publishing.site._Site._badges", fails)
        with pytest.raises(RuntimeError):
            published(league_file, site)
    begun = files_of(site)
    assert (site / "index.html").is_file()
    assert set(begun) <= {*files_of(whole), MANIFEST}
    listed = (site / MANIFEST).read_text().splitlines()[1:]
    assert {*begun} - {MANIFEST} == {*listed}
    published(league_file, site)
    assert files_of(site) == files_of(whole)


def test_names_of_strangers_stay_in_the_folder_and_apart(hostile_file, tmp_path):
    site = tmp_path / "site"
    published(hostile_file, site, title=HOSTILE[0], about=HOSTILE[1], base_url="https://x.org")
    files = files_of(site)
    assert {each.name for each in tmp_path.iterdir()} == {"site"}
    assert len({name.lower() for name in files}) == len(files)
    assert sum(name.startswith("player/") for name in files) == len(HOSTILE)
    for name, body in files.items():
        assert all(ord(sign) < 128 and sign not in '\\:*?"<>|' for sign in name)
        if name.endswith(".html"):
            page = body.decode()
            assert "<img src=x" not in page
            assert "<script>" not in page
            Links(page)
        if name.endswith(".js") and name.startswith("data/"):
            data_of(body.decode())


@pytest.mark.parametrize(
    ("names", "apart"),
    [
        (["ann", "Ann", "ANN", "ann ", "änn"], 5),
        (["con", "CON", "nul", "com1", "con.html"], 5),
        (["", ".", "..", "/", "../x", "~"], 6),
        (["a" * 60, "a" * 61, "a" * 1000, "A" * 60], 4),
    ],
)
def test_file_names_are_safe_everywhere(names, apart):
    found = [file_name(each) for each in names]
    assert len({each.lower() for each in found}) == apart
    for each in found:
        assert re.fullmatch("[a-z0-9_~-]+", each)
        assert each not in ("con", "nul", "com1")
        assert len(each) < 100


def test_what_a_server_is_needed_for_has_no_address():
    links = StaticAddresses()
    assert links.is_static
    nothing = (links.home(), links.compare("a"), links.predict(), links.api(), links.suggest())
    assert (*nothing, links.reference()) == ("",) * 6
    assert links.why("c", "p") == links.badge("p") == links.curve("p") == ""


def test_who_has_no_page_has_a_badge_at_most():
    links = StaticAddresses(players={"ann"}, pictured={"ann", "bob"})
    assert links.curve("ann") == "curve/ann.svg"
    assert links.badge("bob") == "badge/bob.svg"
    assert links.curve("bob") == ""


def test_a_shared_page_has_everybodys_history(crowd_site, crowd_file):
    settings = data_of((crowd_site / "data/site.js").read_text())
    assert not settings["pages"]
    contests = data_of((crowd_site / "data/contests/0.js").read_text())
    with podium.League(crowd_file) as league:
        for name in league.leaderboard(None)["player"].to_list()[::50]:
            shard = data.hashed(name) % settings["shards"]
            file = data_of((crowd_site / f"data/players/{shard}.js").read_text(encoding="utf-8"))
            index = file["player"].index(name)
            first = sum(file["count"][:index])
            rows = slice(first, first + file["count"][index])
            history, rating, number = league.history_of(name), 0, 0
            assert file["place"][index] == league.player(name).place
            assert file["rank"][rows] == history["rank"].to_list()
            for row, each in enumerate(history.iter_rows(named=True), first):
                number += file["contest"][row]
                before = rating + file["before"][row]
                rating += file["rating"][row]
                assert contests["name"][number] == each["contest"]
                assert contests["players"][number] == each["participants"]
                assert before == round(each["rating_before"])
                assert rating == round(each["rating"])
                assert before + file["performance"][row] == round(each["performance"])
                assert file["sigma"][row] == round(each["sigma"])


def histories_of(site: Path) -> Iterator[tuple[str, list[int], list[int], int]]:
    """Of each player: ratings as they are shown, titles reached after each, and the best."""
    lowest = [each[0] for each in data_of((site / "data/site.js").read_text())["titles"]]
    for path in (site / "data/players").glob("*.js"):
        file = data_of(path.read_text(encoding="utf-8"))
        row = 0
        for index, (name, count) in enumerate(zip(file["player"], file["count"], strict=True)):
            ratings = list(itertools.accumulate(file["rating"][row : row + count]))
            counts = [sum(rating >= each for each in lowest) for rating in ratings]
            right = [file["earned"].get(str(row + each), counts[each]) for each in range(count)]
            yield name, ratings, right, file["best"].get(str(index), ratings.index(max(ratings)))
            row += count


def test_titles_and_the_best_are_those_of_ratings_that_are_not_rounded(close_site, close_file):
    misled = 0
    with snapshot(close_file) as view:
        rules = view.rules
        for name, ratings, counts, best in histories_of(close_site):
            career = view.career(name)
            exact = career.history["rating"].to_list()
            assert ratings == [round(each) for each in exact]
            titles = [None, *(title for _, title in rules.titles)]
            assert [titles[each] for each in counts] == [rules.title(each) for each in exact]
            assert titles[counts[-1]] == career.player.title
            assert exact[best] == career.best[0]
            misled += rules.title(ratings[-1]) != career.player.title
            misled += ratings.index(max(ratings)) != best
    assert misled > 50  # otherwise the league would show nothing


def test_numbers_near_a_tie_are_rounded_as_they_are_shown():
    values = [1.005, 2.675, 0.125, 0.375, -1.005, 25.005, None, 1.0049999]
    shown = [None if each is None else round(100 * round(each, 2)) for each in values]
    assert data.listed(data.whole(pl.Series(values), 2)) == shown


def test_the_last_page_says_what_has_none(close_site, close_file, tmp_path, monkeypatch):
    assert "Pages end here" not in (close_site / "leaderboard-7.html").read_text()
    monkeypatch.setattr("podium.web.publishing.site._BOARD_PAGES", 3)
    published(close_file, tmp_path / "site", player_pages=0, explanations=0, badges=0)
    assert "Pages end here" not in (tmp_path / "site/leaderboard-2.html").read_text()
    page = (tmp_path / "site/leaderboard-3.html").read_text()
    assert "The other 170 players are found by name" in page
    assert 'rel="next"' not in page
    assert 'href="#q"' in page


def test_the_last_page_of_changes_says_how_many_are_left_out(tmp_path, monkeypatch):
    with podium.League.create(tmp_path / "club.db", "elo") as league:
        for number in range(60):
            league.record(["ann", "bob"], id=f"game-{number}", time=f"2026-01-01T00:{number:02}")
    monkeypatch.setattr("podium.web.publishing.site._CHANGE_PAGES", 1)
    published(tmp_path / "club.db", tmp_path / "site", explanations=0)
    page = (tmp_path / "site/changes.html").read_text()
    assert page.count("<li id=") == 50
    assert "Pages end here. 11 earlier changes are not published." in page
    assert not (tmp_path / "site/changes-2.html").exists()


def test_pages_of_contests_say_what_the_league_does(league_file, tmp_path):
    other = tmp_path / "other.db"
    shutil.copy(league_file, other)
    with podium.League(other) as league:
        first, second = league.contests()["contest"].to_list()[:2]
        league.amend(first, rated=False)
        league.disqualify(second, league.contest(second)["player"][3])
    with snapshot(other) as view:
        everything = Everything.of(view, unseen)
        for number, contest in enumerate(view.contests()["contest"].to_list()):
            wanted, found = view.result(contest), everything.result(number)
            table = found.standings.select(wanted.standings.columns)
            assert_frame_equal(table, wanted.standings.fill_nan(None), check_exact=True)
            assert found.document(0) == wanted.document(0)


def test_matches_of_two_are_expected_to_end_as_the_league_says(tmp_path):
    with podium.League.create(tmp_path / "chess.db", "elo") as league:
        for number in range(6):
            players = ["ann", "bob"] if number % 2 else ["bob", "cat"]
            league.record(players, id=f"game-{number}", time=f"2026-01-0{number + 1}")
    with snapshot(tmp_path / "chess.db") as view:
        everything = Everything.of(view, unseen)
        for number in range(6):
            wanted = view.result(f"game-{number}").standings
            assert (
                everything.result(number).standings["expected_rank"].equals(wanted["expected_rank"])
            )


def test_teams_are_expected_to_end_as_the_league_says(tmp_path):
    rows = [
        (contest, f"2026-01-0{contest}", f"{team}{member}", team, 1 + (rank + contest) % 3)
        for contest in (1, 2, 3)
        for rank, team in enumerate("abc")
        for member in (1, 2)
    ]
    results = pl.DataFrame(rows, ["contest", "time", "player", "team", "rank"], orient="row")
    with podium.League.create(tmp_path / "teams.db", "trueskill") as league:
        league.record(podium.Contests.from_frame(results))
    with snapshot(tmp_path / "teams.db") as view:
        everything = Everything.of(view, unseen)
        for number in range(3):
            wanted = view.result(str(number + 1)).standings
            found = everything.result(number).standings
            assert found["expected_rank"].equals(wanted["expected_rank"])
            assert found["team"].equals(wanted["team"])


def test_who_is_hidden_has_a_page_but_no_place(tmp_path):
    rules = podium.Rules(hidden_until=2)
    with podium.League.create(tmp_path / "club.db", "elo-mmr", rules=rules) as league:
        league.record(["ann", "bob", "cat"], id="one", time="2026-01-01")
        league.record(["bob", "ann"], id="two", time="2026-01-02")
    published(tmp_path / "club.db", tmp_path / "site")
    assert "cat" not in (tmp_path / "site/leaderboard.csv").read_text()
    page = (tmp_path / "site/player/cat.html").read_text()
    assert "not on the leaderboard yet" in page
    published(tmp_path / "club.db", tmp_path / "shared", player_pages=0)
    file = data_of((tmp_path / "shared/data/players/0.js").read_text())
    places = dict(zip(file["player"], file["place"], strict=True))
    assert places == {"ann": 1, "bob": 2, "cat": None}


def test_a_search_loads_a_short_list_that_has_the_name(monkeypatch):
    monkeypatch.setattr(data, "_NAMES", 20)
    monkeypatch.setattr(data, "_BEST", 5)
    players = [f"{first}{second}_Ölaf {n}" for n in range(3) for first in "abc" for second in "xyz"]
    players += ["a", "__proto__", "Ann Lee", "x" * 1000, *(f"same{n}" for n in range(50))]
    files = dict(data.names(players))
    index = data_of(files.pop("data/names/index.js"))
    assert len(files) == len(index["prefix"]) == len(set(index["prefix"]))
    prefixes = dict(zip(index["prefix"], index["file"], strict=True))
    for text in files.values():
        value = data_of(text)
        assert len(value["name"]) <= (20 if value["whole"] else 5)

    def search(text: str) -> list[str]:
        for length in range(len(text), -1, -1):
            if text[:length] in prefixes:
                found = data_of(files[f"data/names/{prefixes[text[:length]]}.js"])
                return found["name"] if found["whole"] or length == len(text) else []
        return []

    for player in players:
        assert player in search(data.folded(player))
    assert "Ann Lee" in search("lee")
    assert "ax_Ölaf 2" in search("olaf 2")


def test_an_empty_league_is_a_site_too(tmp_path):
    podium.League.create(tmp_path / "new.db", "elo").close()
    done = published(tmp_path / "new.db", tmp_path / "site")
    assert done.pages == len(list((tmp_path / "site").rglob("*.html")))
    assert "Nobody is on the leaderboard" in (tmp_path / "site/index.html").read_text()


def test_what_other_sites_show_needs_to_know_where_the_site_is(league_file, tmp_path):
    base = "https://example.org/club"
    published(league_file, tmp_path / "site", base_url=base, explanations=0)
    feed = (tmp_path / "site/feed.atom").read_text()
    assert f'href="{base}/contest/round-12.html"' in feed
    page = (tmp_path / "site/player/player-0001.html").read_text()
    assert f"{base}/badge/player-0001.svg" in page
    for wrong in ("example.org", "ftp://example.org/", "https://", "https://x.org/?page=1"):
        with pytest.raises(InputError, match="is no address of a site"):
            published(league_file, tmp_path / "other", base_url=wrong)
    assert not (tmp_path / "other").exists()


def test_negative_numbers_are_refused(league_file, tmp_path):
    for name in ("explanations", "badges", "player_pages"):
        with pytest.raises(InputError, match=name):
            published(league_file, tmp_path / "site", **{name: -1})


@pytest.mark.slow
def test_every_kind_of_page_opens_from_the_file_system(tab, club_site):
    why = next(club_site.glob("why/*/*.html"))
    names = ["index.html", "leaderboard-2.html", "contests.html", "about.html", "changes.html"]
    names += ["contest/round-05.html", "player/player-0001.html", "player.html"]
    for options in ({}, {"color_scheme": "dark", "viewport": PHONE}):
        each = tab(**options)
        for path in [*(club_site / name for name in names), why]:
            page = each.open(path.as_uri())
            assert page.locator("h1").count() == 1
            assert not each.overflows(), path


@pytest.fixture(scope="module")
def kinds_of_pages(club_site: Path, crowd_site: Path) -> dict[str, str]:
    """The addresses of a page of every kind."""
    why = next(club_site.glob("why/*/*.html"))
    pages = ["index.html", "player/player-0001.html", "contest/round-05.html", "about.html"]
    pages += ["contests.html", "changes.html", why.relative_to(club_site).as_posix()]
    found = {each.split("/")[0]: (club_site / each).as_uri() for each in pages}
    found["shared player"] = f"{(crowd_site / 'player.html').as_uri()}?name=player-0001"
    found["long contest"] = (crowd_site / "contest/round-02.html").as_uri()
    found["nobody"] = f"{(crowd_site / 'player.html').as_uri()}?name=nobody"
    return found


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark", "viewport": PHONE}], ids=str)
def test_axe_finds_nothing_on_any_kind_of_page(options, tab, kinds_of_pages):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe").Axe()
    each = tab(**options)
    for kind, address in kinds_of_pages.items():
        page = each.open(address)
        if kind == "shared player":
            page.locator("figure.chart-career svg").first.wait_for()
        found = axe.run(page, options={"preload": False})  # the policy forbids to fetch
        assert found.violations_count == 0, f"{kind}: {found.generate_report()}"
        assert not each.overflows(), kind


@pytest.mark.slow
def test_search_as_you_type_leads_to_a_page(tab, club_site):
    page = tab().open((club_site / "index.html").as_uri())
    page.get_by_label("Find a player").press_sequentially("PLAYER-001")
    options = page.get_by_role("option")
    options.first.wait_for()
    assert all(name.startswith("player-001") for name in options.all_text_contents())
    page.get_by_role("option", name="player-0017").click()
    page.wait_for_url("**/player/player-0017.html")
    assert page.locator("h1").text_content() == "player-0017"
    assert page.locator("figure.chart-career.chart-live").count() == 1


@pytest.mark.slow
def test_without_a_script_a_small_league_can_be_read(tab, club_site):
    page = tab(java_script_enabled=False).open((club_site / "index.html").as_uri())
    link = page.locator("table.board a.player").first
    name = link.text_content()
    link.click()
    page.wait_for_url(f"**/player/{name}.html")
    assert page.locator("figure.chart-career svg .points a").count() > 3


@pytest.mark.slow
def test_a_player_of_many_is_drawn_from_shared_data(tab, crowd_site, crowd_file):
    with podium.League(crowd_file) as league:
        best = league.leaderboard(1).row(0, named=True)
        history = league.history_of(best["player"])
    page = tab().open((crowd_site / "index.html").as_uri())
    page.get_by_label("Find a player").fill(best["player"].upper())
    page.keyboard.press("Enter")
    page.wait_for_url("**/player.html?name=*")
    page.locator("figure.chart-career svg").first.wait_for()
    assert page.locator("h1").text_content() == best["player"]
    assert page.title().startswith(best["player"])
    facts = page.locator("dl.numbers").inner_text()
    assert f"{best['rating']:,.0f} ± {best['sigma']:.0f}" in facts
    assert "1 of 350" in facts
    rows = page.locator("table tbody tr")
    assert rows.count() == history.height
    last = history.row(-1, named=True)
    shown = rows.first.locator("td, th").all_inner_texts()
    before, after = (round(last[each]) for each in ("rating_before", "rating"))
    assert shown[2] == f"{last['rank']} of {last['participants']}"
    assert shown[4:6] == [f"{before:,}", f"{after:,}"]
    rows.first.get_by_role("link", name=last["contest"], exact=True).click()
    page.wait_for_url(f"**/contest/{last['contest']}.html")


@pytest.mark.slow
def test_a_shared_page_leads_to_explanations(tab, crowd_site):
    why = sorted(crowd_site.glob("why/*/*.html"))[0]
    page = tab().open(f"{(crowd_site / 'player.html').as_uri()}?name={why.stem}")
    page.get_by_role("link", name=re.compile("^why .* in round-03$")).first.click()
    page.wait_for_url(f"**/why/round-03/{why.name}")


# What stands on a page: the classes and the text of what was chosen.
SAID = """all => all.map(each => [
  [...each.classList].sort().join(" "), each.textContent.replace(/\\s+/g, " ").trim(),
])"""
CELLS = "h1, .title, dl.numbers dt, dl.numbers dd, table tbody td, table tbody th, th a"


@pytest.mark.slow
def test_a_shared_page_says_what_the_page_of_a_server_does(tab, serving, close_site, close_file):
    misled = [
        name
        for name, ratings, counts, best in histories_of(close_site)
        if ratings.index(max(ratings)) != best
        or counts[-1] != sum(ratings[-1] >= lowest for lowest, _ in CLOSE)
    ]
    with serving(create_app(close_file)) as server:
        ours, theirs = tab(), tab()
        for name in (misled[0], misled[len(misled) // 2], misled[-1]):
            page = ours.open(f"{(close_site / 'player.html').as_uri()}?name={name}")
            page.locator("figure.chart-career svg").first.wait_for()
            wanted = theirs.open(f"{server}/club/player/{name}")
            found = [each.locator(CELLS).evaluate_all(SAID) for each in (page, wanted)]
            assert found[0] == found[1]
            best = [each.locator(".best text").text_content() for each in (page, wanted)]
            assert best[0] == best[1]


@pytest.mark.slow
def test_long_standings_are_coloured_as_those_of_a_server(tab, serving, close_site, close_file):
    with serving(create_app(close_file)) as server:
        page = tab().open((close_site / "contest/round-03.html").as_uri())
        other = tab()
        for number in (1, 2, 3, 4):
            wanted = other.open(f"{server}/club/contest/round-03?page={number}")
            cells = "#standings tbody td, #standings tbody th, #standings th a"
            found = [each.locator(cells).evaluate_all(SAID) for each in (page, wanted)]
            assert found[0] == found[1]
            if number < 4:
                page.get_by_role("button", name="Next").click()
                page.get_by_text(f"{number}01–").wait_for()


@pytest.mark.slow
def test_a_search_that_finds_nobody_says_so(tab, crowd_site):
    page = tab().open((crowd_site / "index.html").as_uri())
    field = page.get_by_label("Find a player")
    field.fill("<b>nobody")
    field.press("Enter")
    status = page.get_by_role("status")
    page.get_by_text("No player has a name with a word that begins with <b>nobody.").wait_for()
    assert status.inner_text().endswith("<b>nobody.")
    field.press_sequentially("x")
    assert status.inner_text() == ""


@pytest.mark.slow
def test_whoever_is_not_known_is_said_to_be_missing(tab, crowd_site, club_site):
    for site in (crowd_site, club_site):
        page = tab().open(f"{(site / 'player.html').as_uri()}?name=%3Cb%3Enobody")
        page.get_by_text("There is no such player").wait_for()
        assert page.locator("h1").text_content() == "<b>nobody"


@pytest.mark.slow
def test_long_standings_are_paged_and_searched(tab, crowd_site, crowd_file):
    with podium.League(crowd_file) as league:
        standings = league.contest("round-02")
    each = tab(viewport=PHONE)
    page = each.open((crowd_site / "contest/round-02.html").as_uri())
    rows = page.locator("#standings tbody tr")
    assert rows.count() == 100
    page.get_by_role("button", name="Next").click()
    page.get_by_text("101–200 of 350").wait_for()
    row = standings.row(100, named=True)
    link = rows.first.get_by_role("link")
    assert link.text_content() == row["player"]
    assert rows.first.locator("td").first.text_content() == str(row["rank"])
    page.get_by_role("button", name="Previous").click()
    page.get_by_text("1–100 of 350").wait_for()
    last = standings["player"][-1]
    page.get_by_label("Find a player in it").fill(last.upper())
    page.get_by_text("1–1 of 1").wait_for()
    assert rows.count() == 1
    assert not each.overflows()
    page.get_by_label("Find a player in it").fill("nobody of that name")
    page.get_by_text("Nobody of that name took part.").wait_for()


def test_the_same_state_makes_the_same_bytes(league_file, club_site, tmp_path):
    published(league_file, tmp_path / "again")
    assert files_of(tmp_path / "again") == files_of(club_site)
    assert os.fspath(tmp_path) not in "".join(map(str, files_of(tmp_path / "again").values()))
