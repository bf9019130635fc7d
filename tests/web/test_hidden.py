"""Hidden players are in nothing that the public can see: pages, answers, feeds and files."""

import io
import re
from pathlib import Path
from urllib.parse import quote, urlencode

import httpx
import polars as pl
import pytest
from starlette.testclient import TestClient

import podium
from podium import League, errors
from podium.league import Filters
from podium.league.public import public_log
from podium.web import create_app
from podium.web.publishing import publish
from tests.web.conftest import TITLES

NAME = "Zorblax"
NAMES = (NAME, "Quuxley", "Wibblewob", "zorblax@example.org")
"""The name of the hidden player, an old one, what they were shown as, and what is known of them."""
OTHERS = [f"p{number:02}" for number in range(40)]


def hidden_league(path: Path) -> Path:
    """A league in which everything has happened to a player who is hidden now."""
    rules = podium.Rules(titles=TITLES, hidden_until=2, keep_titles=True)
    with podium.League.create(path, "elo-mmx", rules=rules) as league:
        for day in range(1, 6):
            field = [*OTHERS[day : day + 4], "Quuxley", *OTHERS[20 - day : 30]]
            league.record(field, id=f"round-{day}", time=f"2026-01-{day:02}")
        league.record(
            [["Quuxley", "p01"], ["p02", "p03"]], id="teams", time="2026-01-07", rated=False
        )
        league.record(["p05", "Quuxley"], id="duel", time="2026-01-08")
        league.rename("Quuxley", NAME, why="Quuxley is called Zorblax now")
        league.disqualify("round-2", NAME, why="Zorblax had help")
        league.undo()
        league.define_attributes("country", "mail", "birth_year:number", "home:link")
        league.describe(
            NAME, {"display": "Wibblewob", "mail": "zorblax@example.org", "country": "NO"}
        )
        league.describe("p05", {"display": "Five", "country": "NO", "birth_year": 2005})
        league.describe("p06", {"country": "SE", "home": "https://example.org/six?a=1&b=2"})
        league.season("early", "2026-01-01")
        league.season("late", "2026-01-04", pull=0.3)
        league.start({NAME: 1700.0, "p07": 1600.0})
        league.hide(NAME, why="Zorblax asked for it")
        league.amend("round-3", name="The third", why="zorblax was right")
        league.record([*OTHERS[:10], NAME], id="round-9", time="2026-01-09")
        league.post_live("now", [NAME, *OTHERS[:6]], name="The one that runs", time="2026-01-10")
        league.show(NAME)
        league.store_look_back()
        league.undo()
    return path


@pytest.fixture(scope="module")
def hidden_file(tmp_path_factory) -> Path:
    return hidden_league(tmp_path_factory.mktemp("hidden") / "club.db")


@pytest.fixture(scope="module")
def site(hidden_file):
    with TestClient(create_app(hidden_file), follow_redirects=True) as client:
        yield client


def leaks(content: bytes | str) -> list[str]:
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    return [name for name in NAMES if name.casefold() in text.casefold()]


CONTESTS = [*(f"round-{day}" for day in (1, 2, 3, 4, 5, 9)), "teams", "duel"]
API = "/api/v1/leagues/club"
PAGES = [
    *("?season=early", "?season=late", "leaderboard.csv?season=early"),
    *("", "?at=2026-01-04", "?q=p0", "?ties=1", "?where=country%3DNO", "?active_since=2026-01-02"),
    *("?min_contests=1", "?title=pupil", "contests", "contests?q=third", "about", "changes"),
    *("changes?at=2026-01-04", "feed.atom", "compare?player=p05&player=p06"),
    *("predict?player=p05&player=p06&calibrated=1",),
    *(f"leaderboard.{form}" for form in ("csv", "json")),
    *(f"contest/{each}" for each in CONTESTS),
    *(f"player/{each}" for each in OTHERS[:25]),
    *(f"player/{each}?at=2026-01-04" for each in OTHERS[2:6]),
    *(f"look-back/{each}" for each in OTHERS[2:6]),
    *(f"look-back/{each}?at=2026-01-08" for each in OTHERS[2:6]),
    *(f"curve/{each}.svg" for each in OTHERS[2:6]),
    *(f"badge/{each}.svg" for each in OTHERS[2:6]),
    *(f"why/{contest}/{player}" for contest in CONTESTS[:3] for player in ("p04", "p03")),
    *("why/duel/p05", "why/round-9/p01", "contest/round-1?q=p0"),
    *("live", "live/now", "live/now?player=p05", "live/now?q=o", "live-rows?id=now"),
]
QUESTIONS = [
    *("", "/rules", "/system", "/revisions", "/seasons", "/changes?n=1000"),
    *("/leaderboard?n=1000", "/leaderboard?n=1000&season=early"),
    *("/leaderboard?at=2026-01-04&n=1000", "/leaderboard?where=country%3DNO", "/players?n=100"),
    *("/players?q=o&n=100", "/contests?n=1000", "/leaderboard?min_contests=0&n=1000"),
    *(f"/contest?id={each}" for each in CONTESTS),
    *(f"/standings?contest={each}&n=1000" for each in CONTESTS),
    *(f"/player?name={each}" for each in OTHERS[2:8]),
    *(f"/history?name={each}" for each in OTHERS[2:8]),
    *(f"/look-back?name={each}" for each in OTHERS[2:8]),
    *(f"/explanation?contest=round-1&player={each}" for each in OTHERS[1:5]),
    *(f"/what-if?contest=round-1&player={each}" for each in OTHERS[1:5]),
    *("/explanation?contest=duel&player=p05", "/what-if?contest=duel&player=p05"),
    *("/live", "/live?id=now&n=1000", "/live?id=now&q=o", "/live?id=now&player=p05"),
    *("/prediction?player=p05&player=p06", "/chances?player=p05&player=p06"),
    *(
        f"/export/{table}.{form}"
        for table in ("leaderboard", "history", "standings", "contests")
        for form in ("csv", "ndjson")
    ),
]


@pytest.mark.parametrize("address", [*(f"/club/{each}" for each in PAGES), "/", "/club"])
def test_no_page_names_a_hidden_player(site, address):
    answer = site.get(address)
    assert answer.status_code in (200, 404), address
    assert answer.status_code == 200 or "player/" in address
    assert leaks(answer.content) == []


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_answer_names_a_hidden_player(site, question):
    answer = site.get(f"{API}{question}")
    assert answer.status_code == 200, answer.text
    assert leaks(answer.content) == []


@pytest.mark.parametrize("table", ["leaderboard", "history", "standings"])
def test_no_file_of_parquet_names_a_hidden_player(site, table):
    found = pl.read_parquet(io.BytesIO(site.get(f"{API}/export/{table}.parquet").content))
    assert leaks(str(found.to_dicts())) == []
    names = set(found["player"].to_list())
    assert ("hidden player" in names) == (table == "standings")
    board = pl.read_parquet(io.BytesIO(site.get("/club/leaderboard.parquet").content))
    assert leaks(str(board.to_dicts())) == []


def test_all_pages_that_link_to_one_another_name_no_hidden_player(site):
    """Every address that any page has, to be found from the first."""
    known, left = {"/club/"}, ["/club/"]
    while left and len(known) < 1500:
        answer = site.get(left.pop())
        assert answer.status_code == 200, answer.url
        assert leaks(answer.content) == []
        if "html" not in answer.headers["content-type"]:
            continue
        for address in re.findall(r'(?:href|src|action)="(/[^"#]*)', answer.text):
            address = address.replace("&amp;", "&")
            if address not in known and "/static/" not in address:
                known.add(address)
                left.append(address)
    assert len(known) > 300
    assert not left


@pytest.mark.parametrize("name", NAMES[:2])
def test_a_hidden_player_is_as_unknown_as_anybody(site, name):
    for kind in ("player/{}", "look-back/{}", "badge/{}.svg", "curve/{}.svg", "why/round-1/{}"):
        hidden, nobody = (
            site.get(f"/club/{kind.format(quote(each))}") for each in (name, "nobody1")
        )
        assert hidden.status_code == nobody.status_code == 404
        assert hidden.text.replace(name, "nobody1") == nobody.text
    for question in (
        *("/player?name={}", "/history?name={}", "/look-back?name={}"),
        "/explanation?contest=duel&player={}",
    ):
        hidden, nobody = (
            site.get(API + question.format(quote(each))) for each in (name, "nobody1")
        )
        assert hidden.status_code == nobody.status_code == 404
        assert hidden.text.replace(name, "nobody1") == nobody.text
    predicted = [
        site.get(f"{API}/prediction?{urlencode({'player': [each, 'p05']}, doseq=True)}").json()
        for each in (name, "nobody1")
    ]
    assert predicted[0]["players"][0]["first"] == predicted[1]["players"][0]["first"]
    assert site.get(f"{API}/players?q={name[:5]}").json() == []
    near = site.get(f"/club/predict?{urlencode({'player': ['p05', name + 'x']}, doseq=True)}").text
    assert f">{name}<" not in near
    assert site.get(f"/club/player/{name}x").text.count(name) == site.get(
        f"/club/player/{name}x"
    ).text.count(f"{name}x")


def test_what_is_known_only_of_hidden_players_is_no_choice(site):
    page = site.get("/club/").text
    assert "zorblax@example.org" not in page
    assert 'value="country=SE"' in page


def test_standings_keep_their_ranks_with_an_anonymous_row(site, hidden_file):
    rows = site.get(f"{API}/contest?id=round-1").json()["standings"]
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    assert [row["player"] for row in rows].count("hidden player") == 1
    teams = site.get(f"{API}/contest?id=teams").json()["standings"]
    assert teams[0]["team"] == teams[1]["team"]
    with League.reading(hidden_file) as league, league.snapshot(with_hidden=True) as view:
        shown = view.contest("round-1")
        assert shown["player"].to_list()[4] == NAME
        assert shown.drop("player", "team").equals(league.contest("round-1").drop("player", "team"))


def test_a_published_site_names_no_hidden_player(hidden_file, tmp_path):
    for number, most in enumerate((1000, 0)):
        folder = tmp_path / f"site-{number}"
        with League.reading(hidden_file) as league, league.snapshot() as view:
            publish(
                view, folder, title="The club", player_pages=most, base_url="https://example.org/"
            )
        files = [each for each in folder.rglob("*") if each.is_file()]
        assert len(files) > 30
        for each in files:
            name = each.relative_to(folder).as_posix()
            if each.suffix == ".parquet":
                assert leaks(str(pl.read_parquet(each).to_dicts())) == []
            else:
                assert leaks(each.read_bytes()) == [], name
            assert leaks(name) == []


def test_a_view_shows_no_hidden_player_unless_it_is_the_organisers(hidden_file):
    with League.reading(hidden_file) as league:
        for at in (None, "2026-01-06"):
            everybody = Filters(None, at=at, with_hidden=True)
            assert leaks(str(league.board(everybody).document())) == []
            assert leaks(str(league.leaderboard(None, with_hidden=True, at=at).to_dicts())) == []
            with league.snapshot(with_hidden=True) as view:
                board = view.board(everybody)
                assert NAME in board.table["player"].to_list()
                assert (
                    view.board(Filters(None, at=at)).document()
                    == league.board(Filters(None, at=at)).document()
                )
        assert NAME not in league
        assert "Quuxley" not in league
        with pytest.raises(errors.NotFoundError, match="no player 'Zorblax' in the league"):
            league.player(NAME)
        for asked in (
            league.history_of,
            league.rivals,
            league.career,
            lambda name: league.trends([name]),
            lambda name: league.meetings([name, "p05"]),
            lambda name: league.place_ranges([name]),
            lambda name: league.explain("duel", name),
            lambda name: league.what_if("duel", name),
        ):
            with pytest.raises(errors.NotFoundError):
                asked(NAME)
        seen = [
            *(league.results().players.to_list(), league.beliefs().names, league.aliases()),
            *(league.beliefs_of([NAME]).names, league.near_names(["Zorblaxx"]).to_dicts()),
            *(league.before("duel")[0].names, league.rivals("p05", n=None).to_dicts()),
            *(league.people().to_dicts(), str(league.explain("duel", "p05").document())),
            *(repr(league), repr(league.board()), league.about(), league.before("duel")[1].teams),
        ]
        assert leaks(str(seen)) == []
        newcomer = league.win_probability("somebody new", "p05")
        assert league.win_probability(NAME, "p05") == newcomer
        with league.snapshot(with_hidden=True) as view:
            assert view.win_probability(NAME, "p05") != newcomer
            assert view.player(NAME).place is None
            assert view.career("Quuxley").document()["player"] == NAME
            assert NAME in view.rivals("p05", n=None)["player"].to_list()
            assert NAME in view.people(with_hidden=True)["player"].to_list()


def test_what_is_the_organisers_own_shows_everything(hidden_file, tmp_path):
    with League.reading(hidden_file) as league:
        assert NAME in league.log(player=NAME)["player"].to_list()
        league.export(tmp_path / "out", format="csv")
        assert NAME in (tmp_path / "out" / "results.csv").read_text()
        assert league.verify().sound
        found = league.beforehand(
            podium.Contests.from_records([{"contest": "x", "time": 0, "player": NAME, "rank": 1}])
        )
        assert found.newcomers == []
    with League.restore(tmp_path / "out", tmp_path / "again.db") as again:
        assert NAME not in again
        tried = again.record([NAME, "p05"], id="new", dry_run=True)
        assert NAME in tried.moves["player"].to_list()
        again.show(NAME)
        assert again.player(NAME).display == "Wibblewob"


def test_hiding_is_taken_back_and_places_follow(tmp_path):
    path = hidden_league(tmp_path / "club.db")
    with League(path) as league:
        before = league.leaderboard(None)
        league.show("Quuxley")
        shown = league.leaderboard(None)
        assert shown.height == before.height + 1
        assert shown.filter(pl.col("player") != NAME).drop("place").equals(before.drop("place"))
        league.undo()
        assert league.leaderboard(None).equals(before)
        assert not league.hide(NAME).applied


def test_nobody_is_told_that_somebody_was_hidden(tmp_path):
    path = hidden_league(tmp_path / "club.db")
    with League(path) as league:
        league.hide("p09", why="asked for it")
        for _ in range(3):
            league.undo()
            league.redo()
        actions = set(league.log()["action"])
        with league.snapshot() as view:
            told = public_log(view)
            last = public_log(view, 3)
    assert {"hide", "show", "undo", "redo"} <= actions
    assert all(each["action"] not in ("hide", "show") for each in told)
    assert all(each["details"].get("action") not in ("hide", "show") for each in told)
    assert last == told[:3]
    with TestClient(create_app(path), follow_redirects=True) as client:
        assert "The league was changed" not in client.get("/changes").text


def test_a_league_with_many_hidden_players(tmp_path):
    with League.create(tmp_path / "club.db", "elo") as league:
        league.record(podium.simulate(players=60, rounds=4, seed=1))
        names = league.leaderboard(None)["player"].to_list()
        table = pl.DataFrame({"player": names[::2], "hidden": ["yes"] * 30})
        league.describe_all(table)
        board = league.leaderboard(None)
        assert board["player"].to_list() == names[1::2]
        assert league.leaderboard(7, skip=11).equals(board.slice(11, 7))
        assert league.count() == 30
        contest = league.contests()["contest"][0]
        shown = league.contest(contest)["player"].to_list()
        assert shown.count("hidden player") == sum(
            name in names[::2] for name in _all_of(league, contest)
        )
        who = next(name for name in shown if name != "hidden player")
        opponents = league.explain(contest, who).opponents["player"].to_list()
        assert len(set(opponents)) == len(opponents)
        assert set(opponents).isdisjoint(names[::2])


def _all_of(league: League, contest: str) -> list[str]:
    with league.snapshot(with_hidden=True) as view:
        return view.contest(contest)["player"].to_list()


def test_who_listens_to_a_contest_is_told_of_no_hidden_player(hidden_file, serving):
    with serving(create_app(hidden_file)) as address, httpx.Client(base_url=address) as client:
        for stream in (f"{API}/live/stream?id=now", "/club/live-stream?id=now"):
            with client.stream("GET", stream) as answer:
                lines = iter(answer.iter_lines())
                heard = [next(lines)]
                while not heard[-1].startswith("data:"):
                    heard.append(next(lines))
            assert '"version":1' in heard[-1].replace(" ", "")
            assert leaks("".join(heard)) == []


def test_every_question_of_the_api_is_walked(site):
    paths = site.get("/api/v1/openapi.json").json()["paths"]
    asked = {question.split("?")[0] for question in QUESTIONS}
    # What needs a role is the organisers' own; see tests/web/test_roles.py.
    open_to_all = {
        path
        for path, methods in paths.items()
        if any(method == "get" and "x-role" not in each for method, each in methods.items())
    }
    walked = {path.rpartition("{key}")[2] for path in open_to_all if "{key}" in path}
    walked -= {"/export/{table}.{form}"}
    # These never end; see tests/web/test_events.py, and below.
    walked -= {"/events", "/live/stream"}
    assert walked <= asked
