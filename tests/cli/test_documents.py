"""The page on documents says what comes out, field by field."""

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.league.tables import execute
from tests.test_documentation import run_snippets

import podium
from podium import Filters, League, Rules
from podium.results.fetching.keeping import Fetched

PAGE = Path(__file__).parents[2] / "docs" / "documents.md"
TYPES: dict[str, Callable[[Any], bool]] = {
    "text": lambda x: isinstance(x, str),
    "time": lambda x: (
        isinstance(x, str)
        and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", x) is not None
    ),
    "number": lambda x: isinstance(x, float),
    "whole number": lambda x: isinstance(x, int) and not isinstance(x, bool),
    "yes-or-no": lambda x: isinstance(x, bool),
    "list": lambda x: isinstance(x, list),
    "object": lambda x: isinstance(x, dict),
    "value": lambda _: True,
    "null": lambda x: x is None,
}


def sections() -> dict[str, dict[str, tuple[list[str], str]]]:
    """Of every section that has a table, the fields with their types and meanings."""
    found = {}
    for part in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        rows = re.findall(r"^\| `(.+?)` \| (.+?) \| (.+) \|$", part, flags=re.MULTILINE)
        kinds = {
            path: (kind.replace("yes or no", "yes-or-no").split(" or "), meaning)
            for path, kind, meaning in rows
        }
        found[part.split("\n", 1)[0]] = kinds
    return found


def fields(document: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """All fields of a document, those of elements of lists by the path of all of them."""
    if isinstance(document, dict):
        for key, value in document.items():
            inner = f"{path}.{key}" if path else key
            yield inner, value
            yield from fields(value, inner)
    elif isinstance(document, list):
        for each in document:
            yield from fields(each, f"{path}[]")


def _is_in(path: str, outer: str) -> bool:
    return path == outer or path.startswith((f"{outer}.", f"{outer}["))


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    """A league in which everything happened that documents speak of, one of elo, and ratings."""
    rows = [
        {"contest": "one", "time": "2026-01-05", "player": name, "rank": rank}
        for rank, name in enumerate(["ann", "bob", "cat"], 1)
    ]
    first = podium.Contests.from_records(rows)
    second = podium.Contests.from_records(
        [
            {
                "contest": "two",
                "name": "Second",
                "time": "2026-01-12",
                "player": name,
                "rank": rank,
                "team": team,
                "score": 10 * rank if rank < 3 else None,
                "status": "DNF" if rank == 3 else None,
                "given_team": "green" if rank == 1 else None,
            }
            for rank, name, team in ((1, "cat", "red"), (2, "ann", None), (3, "dan", "blue"))
        ]
    )
    third = podium.Contests.from_records(
        [
            {"contest": "three", "time": "2026-01-19", "player": name, "rank": rank}
            for rank, name in ((1, "zoe"), (2, "cat"))
        ]
    )
    rules = Rules(hidden_until=2, titles=((1100.0, "expert", "#1e90ff"),), provisional_until=1)
    league = tmp_path / "league.db"
    with League.create(league, rules=rules, who="ann") as made:
        made.record(first, who="ann", why="it is over")
        made.record(second, floor=1000.0, ceiling=1500.0, who="ann")
        made.revise("elo", name="second", who="bob")
        made.disqualify("one", "bob", who="bob")
        made.rollback(who="bob")
        made.record(third, who="bob")
        made.merge("zoe", "dan")
        made.undo()
        made.revise("elo", name="third", k=20.0)
        made.undo()
    with League.create(tmp_path / "old.db") as made:
        made.record(first)
    execute(
        str(tmp_path / "old.db"),
        "UPDATE players SET name = ' ann' WHERE name = 'ann'",
        "UPDATE players SET name = 'cat ' WHERE name = 'bob'",
    )
    alone = podium.Contests.from_records([{**rows[0], "contest": "alone"}])
    with League.create(tmp_path / "elo.db", "elo") as made:
        made.record(alone)
    with League.create(tmp_path / "podium.db", "podium", rules=rules) as made:
        made.record(first)
        made.record(second)
    with League.create(tmp_path / "seasons.db", "elo") as made:
        made.record(first)
        made.season("one", "2026-01-01")
        made.season("two", "2026-01-08", pull=0.5, toward=1400, sigma=200)
        made.record(second.without_teams())
        made.start({"yan": 1400.0, "ann": (1500.0, 80.0)})
        made.start({"yan": 1450.0}, "2026-02-01")
    League.create(tmp_path / "empty.db").close()
    levels = Rules(titles=[(100 * each, f"level {each}") for each in range(20)])
    with League.create(tmp_path / "hooks.db", rules=levels) as made:
        made.add_webhook("https://example.org/hook", who="ann")
        made.add_webhook("https://example.org/hook", ["title.reached"], who="ann")
        made.record(first)
        made.record(second.without_teams())
        made.disqualify("one", "bob", why="was away")
        made.amend("one", weight=0.5)
        made.rename("cat", "Catherine")
        made.undo()
        made.record(third)
        made.undo()
    d = "UPDATE deliveries SET "
    execute(
        str(tmp_path / "hooks.db"),
        f"{d} attempts = 1, due = NULL, delivered = due, status = 204 WHERE notice_id = 1",
        f"{d} attempts = 1, status = 500, problem = 'HTTP 500' WHERE notice_id = 2",
    )
    with League.create(tmp_path / "people.db") as made:
        made.record(first)
        made.define_attributes("country")
        made.define_attributes("fee:number", public=False)
        made.describe("ann", {"display": "Ann Lee", "country": "NO", "fee": 5})
        made.create_token("ann", "own")
        made.create_token("bob", "read", expires="2999-12-31")
        made.revoke_token(2)
    podium.rate(first).save(tmp_path / "ratings")
    fourth = "contest,time,player,rank\nfour,2026-01-26,ann,1\nfour,2026-01-26,Zoe,2\n"
    (tmp_path / "new.csv").write_text(fourth)
    (tmp_path / "late.csv").write_text("player,rank\nyan,3\n")
    season = podium.simulate(players=12, rounds=12, ties=0.3, seed=2).frame()
    season.write_csv(tmp_path / "season.csv")
    long = podium.simulate(players=30, rounds=70, participation=0.5, calendar="random", seed=3)
    long.frame().write_csv(tmp_path / "long.csv")
    pools = season.with_columns(ladder=season["contest"].str.tail(1))
    pools.write_csv(tmp_path / "pools.csv")
    (tmp_path / "now.txt").write_text("player-0004\nplayer-0002\nzoe\nplayer-0003\n")
    (tmp_path / "later.txt").write_text("player-0004\nplayer-0002\n")
    teams = "player,rank,team\nplayer-0004,1,red\nplayer-0002,1,red\nplayer-0003,2,\n"
    (tmp_path / "teams.csv").write_text(teams)
    limited = ["contest,time,player,rank,perf_ceiling"]
    for rank, name in enumerate(("ann", "bob", "cat"), 1):
        limited.append(f"race,2026-01-01,{name},{rank},1200")
    (tmp_path / "limited.csv").write_text("\n".join(limited))
    crews = ["contest,time,player,rank,team"]
    for day in (1, 2):
        crews += [
            f"race-{day},2026-01-0{day},{row}" for row in ("ann,1,red", "bob,1,red", "cat,2,")
        ]
    (tmp_path / "crews.csv").write_text("\n".join(crews))
    odd = "contest,time,player,rank,colour\nx,2026-01-06,ann,1,\ny,2026-01-06,ann,1,\n"
    (tmp_path / "odd.csv").write_text(f"{odd}early,1969-01-06,Zoe,1,\n")
    (tmp_path / "odder.csv").write_text(f"{odd}late,2026-01-06,zoe,1,\n")
    votes = ["model_a,model_b,winner"]
    votes += [f"owl,elk,{each}" for each in ("model_a", "model_b", "tie")]
    votes += [f"elk,fox,{each}" for each in ("model_a", "model_b", "tie")]
    (tmp_path / "votes.csv").write_text("\n".join([*votes, "ant,bee,model_a"]))
    waiting = [
        {"players": [name], "since": 5 * place, "latency": {"eu": 20}}
        for place, name in enumerate(("ann", "bob", "cat", "zoe", "yan"))
    ]
    (tmp_path / "tickets.json").write_text(json.dumps(waiting))
    waiting = [{"players": [each["players"][0]]} for each in waiting]
    (tmp_path / "teams.json").write_text(json.dumps(waiting))
    (tmp_path / "match.toml").write_text("one_sided = [[0, 0.51], [600, 0.99]]\nlatency = 50\n")
    (tmp_path / "teams.toml").write_text("team_size = 2\n[roles]\ntank = 1\n")
    return {each.name: each for each in tmp_path.iterdir()}


BY_TRUESKILL = ("--ladder", "season.csv", "--system", "trueskill")
FEW = ("--players", "30", "--hours", "2", "--sessions", "20")
PLAN = ("--honest-first", "4", "--farming", "3", "--honest-last", "2")
ABSENCE = ("--set", "drift_per_day=20", "--at", "2040-01-01")
NOBODY = ("--min-contests", "50", "--resamples", "10")
MET, LATER = ("player-0002", "player-0003"), ("--other-at", "2036-03-01")
REFUSED = ("--search", "sig_performance=100,300", "--search", "sig_limit=50,500")


def _about(name: str) -> Callable[[dict[str, Path]], dict[str, Any]]:
    def about(places: dict[str, Path]) -> dict[str, Any]:
        with League(places[name]) as league:
            return league.about()

    return about


def _notices(places: dict[str, Path]) -> Any:
    with League(places["hooks.db"]) as league:
        return league.notices(n=1000)


def _of_very_many(places: dict[str, Path]) -> dict[str, Any]:
    """The leaderboard of a league that has more players than are looked up."""
    with pytest.MonkeyPatch.context() as patched, League(places["league.db"]) as league:
        patched.setattr("podium.league.peaks._MANY", 0)
        return league.board(Filters(min_contests=0, with_hidden=True)).document()


def _running(places: dict[str, Path], contest: str) -> podium.League:
    """A league with a contest that runs, of players who are rated, new, and guests."""
    path = places["league.db"].with_name(f"{contest}.db")
    titles = [] if contest == "untitled" else [(1000, "pupil"), (1400, "expert")]
    league = podium.League.create(path, rules=podium.Rules(titles=titles))
    season = podium.simulate(players=30, rounds=4, seed=3)
    league.record(season)
    names = ["new", *season[0].players[::-1]]
    league.set_guest(names[6])
    rows = [
        {"contest": "x", "time": "2026-10-01", "player": name, "rank": rank}
        | ({} if contest == "untitled" else {"score": 90 - rank})
        | {"team": "red" if rank < 3 else None, "status": "late" if rank == 3 else None}
        for rank, name in enumerate(names, start=1)
    ]
    contests = podium.Contests.from_records(rows).without_teams()
    league.post_live(contest, contests, name=None if contest == "untitled" else "Now")
    league.post_live("then", names)
    return league


def _live(contest: str, places: dict[str, Path]) -> Any:
    """Without the rows that stand in it twice."""
    with _running(places, contest) as league:
        found = league.live(contest).document()
    assert found["gains"]
    assert all(set(row) == set(found["standings"][0]) for row in found["gains"])
    return {**found, "gains": [], "losses": [], "medals": []}


def _lives(places: dict[str, Path]) -> Any:
    with _running(places, "listed") as league:
        return {"live": [each.about() for each in league.live_contests()]}


def _posted(name: str | None, places: dict[str, Path]) -> Any:
    with _running(places, f"posted {name}") as league:
        return league.post_live("later", ["ann", "bob"], name=name).document()


SAMPLES: dict[str, list[Any]] = {
    "A leaderboard": [
        ("leaderboard", "league.db", "--min-contests", "0"),
        ("leaderboard", "elo.db"),
        ("leaderboard", "seasons.db"),
        ("leaderboard", "podium.db", "--min-contests", "0"),
        ("leaderboard", "ratings"),
        _of_very_many,
        ("leaderboard", "people.db"),
    ],
    "A league": [_about("league.db"), _about("empty.db")],
    "A player": [
        ("player", "league.db", "ann"),
        ("player", "league.db", "cat"),
        ("player", "elo.db", "ann"),
        ("player", "seasons.db", "ann"),
        ("player", "seasons.db", "yan"),
        ("player", "podium.db", "ann"),
        ("player", "ratings", "ann"),
        ("player", "people.db", "ann"),
    ],
    "Players": [("players", "people.db")],
    "Attributes": [("attributes", "people.db")],
    "A contest": [
        *(("contest", "league.db", each) for each in ("one", "two")),
        ("contest", "podium.db", "two"),
    ],
    "Contests": [("contests", "league.db")],
    "The log": [("log", "league.db")],
    "Revisions": [("revisions", "league.db")],
    "Seasons": [("seasons", "seasons.db")],
    "Starting ratings": [("starts", "seasons.db")],
    "Tokens": [("token", "people.db", "list")],
    "Webhooks": [("webhook", "hooks.db", "list")],
    "Deliveries": [("webhook", "hooks.db", "deliveries")],
    "Notices": [_notices],
    "A comparison of revisions": [
        ("revisions", "league.db", "--compare", "first", "second"),
        ("revisions", "league.db", "--compare", "second", "first"),
    ],
    "A change": [
        ("record", "league.db", "new.csv", "--dry-run"),
        ("disqualify", "league.db", "three", "zoe", "--dry-run"),
        ("undo", "league.db", "--dry-run"),
        ("reinstate", "league.db", "one", "bob", "--dry-run"),
        ("add", "league.db", "one", "late.csv", "--dry-run"),
        ("record", "league.db", "new.csv"),
        ("migrate", "old.db"),
    ],
    "A check": [
        ("check", "odd.csv", "odder.csv"),
        ("check", "odd.csv", "now.txt", "--league", "league.db"),
        ("check", "pools.csv", "--league", "league.db"),
    ],
    "Rules": [("rules", "league.db")],
    "A verification": [("verify", "league.db")],
    "Ratings of results": [
        ("rate", "season.csv", "--out", "out"),
        ("rate", "season.csv", "--system", "elo"),
        ("rate", "season.csv", "--system", "podium"),
        ("rate", "pools.csv"),
    ],
    "Chances": [
        ("predict", "season.csv", "player-0002", "player-0003"),
        ("predict", "season.csv", "player-0002", "player-0003", "--system", "elo"),
        ("predict", "season.csv", "player-0002", "player-0003", "player-0004"),
        ("predict", "season.csv", "player-0002", "player-0003", "--calibrated"),
    ],
    "A prediction": [
        ("predict", "season.csv", "now.txt"),
        ("predict", "season.csv", "now.txt", "--calibrated"),
        ("predict", "season.csv", "now.txt", "--player", "player-0003", "--goal", "1355"),
        ("predict", "season.csv", "later.txt", "--player", "player-0003", "--goal", "9000"),
        ("predict", "season.csv", "now.txt", "-s", "elo", "--player", "player-0002"),
        ("predict", "season.csv", "now.txt", "--player", "player-0004", *ABSENCE),
        ("predict", "season.csv", "teams.csv", "--system", "trueskill"),
    ],
    "A round of matches": [
        ("match", "tickets.json", "--rules", "match.toml", "--ladder", "ratings"),
        ("match", "teams.json", "--rules", "teams.toml", *BY_TRUESKILL),
    ],
    "A simulation of rules": [
        ("match", "simulate", "match.toml", "--beside", "window", *FEW, "--repeats", "2"),
        ("match", "simulate", "teams.toml", *FEW, "--repeats", "1"),
    ],
    "A live contest": [partial(_live, "now"), partial(_live, "untitled")],
    "Live contests": [_lives],
    "Posted standings": [partial(_posted, None), partial(_posted, "Later")],
    "An explanation": [
        ("explain", "season.csv", "round-07", "player-0003"),
        ("explain", "season.csv", "round-07", "player-0003", "--system", "elo"),
        ("explain", "league.db", "two", "cat"),
        ("explain", "podium.db", "two", "cat"),
        ("explain", "limited.csv", "race", "ann"),
        ("explain", "crews.csv", "race-2", "ann", "--system", "elo-mmx"),
        ("explain", "crews.csv", "race-2", "bob", "--system", "elo-mmx"),
    ],
    "An evaluation": [
        ("evaluate", "season.csv", "-s", "elo", "-s", "elo-mmr", "--resamples", "10"),
        ("evaluate", "season.csv", "-s", "elo", "-s", "elo-mmr", "--html", "r.html", *NOBODY),
    ],
    "Hidden results": [
        ("evaluate", "season.csv", "--hindsight", "--share", "0.2", "--resamples", "10"),
        ("evaluate", "season.csv", "--hindsight", "--share", "0.2", *NOBODY),
    ],
    "A ranking": [
        ("rank", "votes.csv", "--model", "davidson"),
        ("rank", "votes.csv", "--chances"),
        ("rank", "season.csv", "--top", "3", "--bootstrap", "10"),
    ],
    "A look back": [
        ("look-back", "season.csv", "--player", "player-0002"),
        ("look-back", "season.csv", "--met", *MET, "--at", "2026-03-01"),
        ("look-back", "season.csv", "--met", *MET, "--at", "2026-03-01", *LATER),
        ("look-back", "people.db", "--set", "q=10", "--weights", "gaussian", "--store"),
    ],
    "What was learned": [("learned", "season.csv"), ("learned", "long.csv")],
    "What tuning found": [
        ("tune", "season.csv", "-s", "elo-r", "--split", "1", "--jobs", "1", "--grid", *REFUSED),
    ],
    "A system": [("systems", "elo-mmr"), ("systems", "luck")],
    "A download": [Fetched(["1"], failed={"2": "refused"}).document("rounds")],
    "An attack by farming": [
        ("attack", "farming", "season.csv", "--player", "player-0003", *PLAN),
    ],
    "An attack on matchmaking": [("attack", "matchmaking", *PLAN, "--runs", "4")],
    "A search for an attack": [("attack", "search", "--histories", "20")],
    "A reproduction": [
        ("reproduce", "elo-r-step", "--out", "out"),
        ("reproduce", "elo-r-step", "--out", "out", "--resume"),
    ],
}


@pytest.mark.parametrize("section", sections())
def test_a_document_has_the_fields_of_the_page(
    section: str, places, command: Run, tmp_path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    described, seen = sections()[section], {}
    samples = [
        words(places)
        if callable(words)
        else words
        if isinstance(words, dict)
        else json.loads(command(*(places.get(word, word) for word in words), "--json").stdout)
        for words in SAMPLES[section]
    ]
    free = [
        path
        for path, (kinds, _) in described.items()
        if "object" in kinds and not any(each.startswith(f"{path}.") for each in described)
    ]
    for sample in samples:
        for path, value in fields(sample):
            if not any(path.startswith(f"{each}.") for each in free):
                kinds, _ = described[path]
                assert any(TYPES[kind](value) for kind in kinds), (path, value)
                seen.setdefault(path, []).append(value)
    assert set(seen) == {path for path in described if not path.endswith("[]")}
    for path in seen:
        kinds, meaning = described[path]
        assert ("null" in kinds) == ("null" in meaning), path
        assert ("null" in kinds) == (None in seen[path]), path
        assert any(each is not None for each in seen[path]), path
        everywhere = all(path in dict(fields(sample)) for sample in samples)
        of_some = any(" only:" in described[each][1] for each in described if _is_in(path, each))
        assert everywhere != of_some or "[]" in path, path


def test_the_snippet_of_the_page_runs(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = run_snippets("docs/documents.md")
    assert names["change"]["moved"] == 20
    assert len(names["change"]["moves"]) == 3
    assert names["player"]["place"] == 1
    assert names["contest"]["players"] == names["contests"][0]["players"] == 20
    assert names["log"][0]["who"] == "ann"
    for name in ("change", "board", "player", "contest", "contests", "log"):
        json.dumps(names[name], allow_nan=False)
