"""A league's address works wherever a league is changed: the same is printed and done."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import podium
from podium.errors import DifferenceError
from podium.texts import normalised

pytest.importorskip("fastapi", reason="needs podium[web]")

from tests.league.tables import all_tables
from tests.web.conftest import served

from podium.cli.remote import RemoteLeague
from podium.league import schema
from podium.web import create_app

SECRET = b"a secret that only tests know, of enough letters"
WEEK = """contest,time,player,rank,team,score,status
week-1,2026-01-05,ann,1,red,10,
week-1,2026-01-05,bob,1,red,9.50,
week-1,2026-01-05,cat,3,,x,late
week-1,2026-01-05,dan,3,,7,
"""
DONE = (
    "record {} week-1.csv --json",
    "record {} week-1.csv --ignore-teams --json",
    "record {} week-1.csv --ignore-teams",
    "record {} week-2.csv --unrated --why friendly",
    "record {} week-3.csv --dry-run",
    "record {} week-3.csv --guest eve --lowest-score-wins",
    "record {} matches.csv --ceiling 5000 --json",
    "add {} week-2 late.csv --ahead",
    "amend {} week-2 --rated",
    "amend {} week-1 fixed.csv --ignore-teams",
    "amend {} week-0 fixed.csv",
    "amend {} week-1 fixed.csv --ignore-teams --yes --why wrong --json",
    "amend {} week-1 --name First --weight 0.5",
    "disqualify {} week-3 ann --json",
    "disqualify {} week-3 ann",
    "reinstate {} week-3 ann",
    "attributes {} country birth_year:number",
    "attributes {} secret --private --json",
    "describe {} ann country=NO birth_year=2001",
    "describe {} people.csv --define --new",
    "merge {} dan ann",
    "merge {} dan ann --keep second --json",
    "rename {} cat Käthe",
    "guest {} bob",
    "guest {} bob --no-longer",
    "hide {} eve",
    "undo {}",
    "redo {}",
    "show {} eve --json",
    "season {} one --from 2026-01-06 --pull 0.5",
    "season {} one --no-reset",
    "season {} one --remove",
    "season {} nothing --remove",
    "start {} start.csv --time 2025-12-01",
    "start {} --remove fay",
    "rules {} --titles 1500:expert",
    "rules {} --display mean --json",
    "revise {} --set rho=inf --name second",
    "revise {} --system glicko --dry-run --json",
    "rollback {} first",
    "undo {} 3",
    "undo {} 99",
    "remove {} matches-none",
    "remove {} week-2",
    "check week-3.csv --league {}",
    "check week-1.csv --league {} --json",
    "attributes {} --remove country",
    "log {} --json",
    "players {} --with-hidden --json",
    "starts {} --json",
    "leaderboard {} --with-hidden --json",
)
"""What is done one after the other; {} stands for the league, and files are in the folder."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    files = {
        "week-1.csv": WEEK,
        "week-2.csv": "contest,time,player,rank\n"
        "week-2,2026-01-12,ann,1\nweek-2,2026-01-12,cat,2\n",
        "week-3.csv": "contest,time,player,score\n"
        "week-3,2026-01-19,ann,3\nweek-3,2026-01-19,eve,3\nweek-3,2026-01-19,bob,1\n",
        "matches.csv": "time,player_a,player_b,outcome\n2026-01-20,ann,bob,1\n"
        "2026-01-21,cat,ann,0.5\n",
        "late.csv": "player,rank\nzoe,2\n",
        "fixed.csv": WEEK.replace("week-1,2026-01-05,dan,3,,7,\n", "").replace("10", "11"),
        "people.csv": "player,display,country,club\nann,Ann Lee,NO,A\nnew,,SE,\ndan,,DK,\n",
        "start.csv": "player,rating,sigma\nfay,1800,\nann,1600,80\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def sites(folder: Path) -> Iterator[tuple[str, str, str]]:
    """The file of a league; the file of its twin, and the address of that."""
    with twins(folder, "elo-mmr") as found:
        yield found


@pytest.fixture
def teams(folder: Path) -> Iterator[tuple[str, str, str]]:
    """The same of a league in which teams compete."""
    with twins(folder, "trueskill") as found:
        yield found


@contextmanager
def twins(folder: Path, system: str) -> Iterator[tuple[str, str, str]]:
    for name in ("here", "there"):
        (folder / name).mkdir()
        with podium.League.create(folder / name / "club.db", system) as league:
            token = league.create_token("ann", "organise")
    there = str(folder / "there" / "club.db")
    (folder / "token").write_text(f"{token}\n", encoding="utf-8")
    with served(create_app(there, writable=True, secret=SECRET, allow_private=True)) as site:
        yield str(folder / "here" / "club.db"), there, f"{site}/club"


def alike(where: str) -> dict[str, Any]:
    """All that a league holds, but what is other in every league, and what a site keeps."""
    ours = {table.name for table in schema.OF_THE_WEB}
    return {name: rows for name, rows in all_tables(where).items() if name not in ours}


def test_every_change_prints_the_same_and_leaves_the_same_league(command, sites):
    here, there, address = sites
    for each in DONE:
        own = command(*each.format(here).split())
        far = command(*each.format(address).split(), "--token", "@token")
        assert far.code == own.code, (each, far.stderr, own.stderr)
        shown = [_steady(one) for one in (own.stdout, far.stdout)]
        assert shown[1] == shown[0], each
        said = [one.stderr.replace(here, "club") for one in (own, far)]
        assert said[1] == said[0], each
        assert alike(there) == alike(here), each
    with podium.League(there) as league:
        assert set(league.log()["who"]) <= {"ann", league.log()["who"][-1]}
        assert league.verify().sound


def _steady(printed: str) -> Any:
    """What was printed, without when and by whom things were done."""
    try:
        found = json.loads(printed)
    except ValueError:
        return printed.replace("club.db", "club")
    rows = found if isinstance(found, list) else []
    for row in rows:
        for key in ("time", "who"):
            if "action" in row:
                row.pop(key)
        if row.get("action") == "init" or row.get("action") == "token":
            row["details"] = None
    return found


def test_the_token_may_stand_in_the_environment(command, sites, monkeypatch, folder):
    *_, address = sites
    refused = command("record", address, "week-2.csv")
    assert refused.code == 7
    assert "a token is needed" in refused.stderr
    monkeypatch.setenv("PODIUM_TOKEN", (folder / "token").read_text("utf-8").strip())
    assert command("record", address, "week-2.csv").code == 0
    assert command("undo", address, "--token", "podium_1_wrong").code == 7
    assert command("undo", address, "--token", "@nothing").code == 2
    assert command("undo", address, "--token", "späße").code == 7
    who = command("undo", address, "--who", "bob")
    assert who.code == 2
    assert "in the name of the token" in who.stderr


def test_a_private_league_is_read_with_a_token(command, sites):
    _, there, address = sites
    with podium.League(there) as league:
        league.record(["ann", "bob"], id="1", time="2026-01-01")
        reader = league.create_token("bob", "read")
        league.set_access("private")
    assert command("leaderboard", address).code == 7
    found = command("leaderboard", address, "--token", reader, "--json")
    assert [row["player"] for row in json.loads(found.stdout)["leaderboard"]] == ["ann", "bob"]
    assert command("leaderboard", address, "--with-hidden", "--token", reader).code == 7
    assert command("players", address, "--token", reader).code == 7
    log = command("log", address, "--json", "--token", reader)
    assert {row["who"] for row in json.loads(log.stdout)} == {None}


def test_merging_asks_about_what_differs(sites):
    _, there, address = sites
    with podium.League(there) as league:
        league.record(["ann", "bob"], id="1", time="2026-01-01")
        league.define_attributes("country")
        league.describe("ann", {"country": "NO"})
        league.describe("bob", {"country": "SE"})
        league.record(["ann"], id="2", time="2026-01-02")
    remote = RemoteLeague(address, token=Path("token").read_text("utf-8"))
    with pytest.raises(DifferenceError) as differing:
        remote.merge("bob", "ann", dry_run=True)
    assert {name: list(each) for name, each in differing.value.fields.items()} == {
        "country": ["SE", "NO"]
    }


@settings(
    max_examples=20,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_whatever_is_recorded_is_recorded_there_as_here(teams, data):
    _record_both(*teams, data.draw(drawn_contests()))


def test_what_is_sent_as_a_file_is_recorded_there_as_here(teams, monkeypatch):
    monkeypatch.setattr("podium.cli.remote.writing._MOST_ROWS", 0)
    contests = podium.read("week-1.csv").describe(
        pl.DataFrame({"contest": ["week-1"], "name": ["The first"]})
    )
    for rated in (False, True):
        _record_both(*teams, contests, rated=rated, guests=["dan"])


def _record_both(
    here: str,
    there: str,
    address: str,
    contests: podium.Contests,
    *,
    rated: bool = True,
    guests: Sequence[str] = (),
) -> None:
    token = Path("token").read_text("utf-8")
    with podium.League(here) as own, RemoteLeague(address, token=token) as remote:
        for league in (own, remote):
            _restart(league)
            league.record(contests, guests=guests, rated=rated)
        assert alike(there) == alike(here)


def _restart(league: Any) -> None:
    for contest in league.contests()["contest"].to_list():
        league.remove(contest)


@st.composite
def drawn_contests(draw: st.DrawFn) -> podium.Contests:
    """Contests with ties, teams, scores, weights, names and what a table says besides."""
    names = st.text(min_size=1, max_size=5).filter(lambda text: text.strip() and text.isprintable())
    players = draw(st.lists(names, min_size=2, max_size=6, unique_by=normalised))
    by_score, weighed, in_teams, told = (draw(st.booleans()) for _ in range(4))
    rows: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 3))):
        there = draw(st.lists(st.sampled_from(players), min_size=1, unique=True))
        ends: dict[str, float] = {}
        for player in there:
            row = {"contest": f"c {number}", "time": f"2026-01-0{number + 1}", "player": player}
            team = draw(st.sampled_from(["red", "blue", None])) if in_teams else None
            end = draw(st.integers(1, 3) | st.floats(-10, 10, width=16))
            row["score"] = ends.setdefault(team or f"of {player}", end)
            if not by_score:
                row["rank"] = 1 + round(abs(row.pop("score")))
            if weighed:
                row["weight"] = 0.5 + number / 3
            if in_teams:
                row["team"] = team
            if told:
                row["status"] = draw(st.sampled_from(["late", None]))
            rows.append(row)
    return podium.Contests.from_frame(pl.DataFrame(rows, infer_schema_length=None), rerank=True)


LIVE = (
    "live {} week-9 week-3.csv --name Ninth",
    "live {} week-9 week-3.csv --lowest-score-wins --json",
    "live {} week-9 week-3.csv --lowest-score-wins",
    "live {} names names.txt --time 2026-03-01",
    "live {} week-9 --json",
    "live {} week-9 -n 2",
    "live {} --json",
    "live {}",
    "live {} nothing",
    "live {} week-9 --poll http://127.0.0.1:9/week-9.csv --every 60 --columns player=who",
    "live {} week-9 --no-poll --json",
    "live {} week-9 --end",
    "live {} week-9 --end",
    "live {} names --end --json",
)
"""What is done to contests while they run."""


def test_a_contest_that_runs_is_followed_there_as_here(command, sites, folder):
    here, there, address = sites
    (folder / "names.txt").write_text("eve\nbob\nzoe\n", encoding="utf-8")
    for league in (here, there):
        with podium.League(league) as opened:
            opened.record(["ann", "bob", "cat", "eve"], id="1", time="2026-01-01")
            opened.set_rules(podium.Rules(titles=[(1400, "good"), (1700, "better")]))
    _both(command, LIVE, here, address)
    assert command("live", address).code == 0
    asked = ("live", address, "week-9", "--token", "@token")
    assert command(*asked, "--poll", "file:///etc/passwd").code == 2
    assert command(*asked, "--poll", "http://127.0.0.1:9/a", "--every", "60").code == 0
    assert "Fetched every 60 seconds from http://127.0.0.1:9/a" in command(*asked).stderr
    refused = command("live", address, "week-9", "week-3.csv")
    assert (refused.code, "a token is needed" in refused.stderr) == (7, True)


OWNED = (
    "token {} create bob record --expires 2030-01-01",
    "token {} create zoe read --json",
    "token {} list",
    "token {} revoke 3",
    "token {} revoke 99",
    "access {}",
    "access {} private --json",
    "access {} public",
    "webhook {} create http://127.0.0.1:9/hook --kind title.reached",
    "webhook {} create http://127.0.0.1:9/other --json",
    "webhook {} list",
    "webhook {} rest 1",
    "webhook {} resume 1 --json",
    "webhook {} deliveries --json",
    "webhook {} deliveries --failed",
    "webhook {} send-again 1",
    "webhook {} remove 1",
    "webhook {} remove 9",
    "webhook {} list --json",
)
"""What owners do."""


def test_what_owners_do_is_done_there_as_here(command, sites, folder):
    here, there, address = sites
    for league in (here, there):
        with podium.League(league) as opened:
            token = opened.create_token("olga", "own", who="ann")
    (folder / "token").write_text(token, encoding="utf-8")
    _both(command, OWNED, here, address)
    for wrong in ("token {} create zoe queen", "access {} secret", "webhook {} create nowhere"):
        said = command(*wrong.format(address).split(), "--token", "@token")
        assert said.code == command(*wrong.format(here).split()).code == 2
        assert said.complaint.endswith(".")
    with podium.League(there) as league:
        assert {"token", "access", "webhook"} <= set(
            league.log().filter(pl.col("who") == "olga")["action"]
        )
    assert command("token", address, "list").code == 7
    assert command("webhook", address, "test", "2", "--token", "@token").code == 5
    assert "in the name of the token" in command("access", address, "public", "--who", "x").stderr


def test_copies_are_had_from_there_as_from_here(command, sites, folder):
    here, there, address = sites
    for league in (here, there):
        with podium.League(league) as opened:
            opened.record(podium.read("week-2.csv"))
            opened.hide("cat")
            token = opened.create_token("olga", "own", who="ann")
    (folder / "token").write_text(token, encoding="utf-8")
    asked = ("--token", "@token")
    for format in ("parquet", "csv"):
        assert command("export", here, "own", "--format", format).code == 0
        assert command("export", address, "far", "--format", format, *asked).code == 0
        names = {path.name for path in (folder / "own").iterdir()}
        assert {path.name for path in (folder / "far").iterdir()} == names
        assert f"results.{format}" in names
    assert (folder / "far" / "results.csv").read_bytes() == (
        folder / "own" / "results.csv"
    ).read_bytes()
    assert command("backup", address, "copy.db", *asked).code == 0
    assert all_tables(str(folder / "copy.db")) == all_tables(there)
    assert command("verify", folder / "copy.db").code == 0
    assert "is there already" in command("backup", address, "copy.db", *asked).stderr
    assert command("backup", address, "copy.db", "--force", *asked).code == 0
    with podium.League(there) as league:
        organiser, recorder = (league.create_token(each, each) for each in ("organise", "record"))
    assert command("export", address, "mine", "--token", organiser).code == 0
    for refused in (("export", address, "no", "--token", recorder), ("export", address, "no")):
        assert command(*refused).code == 7
    assert command("backup", address, "no.db", "--token", organiser).code == 7
    assert not (folder / "no").exists()
    assert not (folder / "no.db").exists()


def _both(command: Any, done: Sequence[str], here: str, address: str) -> None:
    """Do the same here and there, and compare what is printed but for times, secrets and names."""
    for each in done:
        own = command(*each.format(here).split())
        far = command(*each.format(address).split(), "--token", "@token")
        assert far.code == own.code, (each, far.stderr, own.stderr)
        for told, heard in ((own.stdout, far.stdout), (own.stderr, far.stderr)):
            assert _masked(heard, address) == _masked(told, here), each


_OTHER = (
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:[\d.]+)?Z?", "TIME"),
    (r"(podium_\d+_|whsec_)[\w+/=-]+", "SECRET"),
    (r'"(creator|state)": "[^"]*"', "NAME"),
    (r"(?m)(TIME +)\w+( +|$)", r"\1NAME"),
)


def _masked(printed: str, league: str) -> str:
    found = printed.replace(league, "LEAGUE")
    for pattern, instead in _OTHER:
        found = re.sub(pattern, instead, found)
    return found
