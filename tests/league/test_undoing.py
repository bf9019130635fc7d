"""Nothing is final: what was changed is taken back, and made again, to the bit."""

import json

import polars as pl
import pytest

from podium import Contests, League, PodiumError, Rules, errors
from podium.league import changes, documents, logs
from podium.league.public import public_log
from tests.league.older import made_older
from tests.league.tables import all_tables, execute
from tests.league.test_logs import ROWS, scored

CREWS = Contests.from_records(
    [
        {
            "contest": "crews",
            "time": 5 * 86_400,
            "player": name,
            "rank": rank,
            "team": team,
            "share": share,
        }
        for name, rank, team, share in (
            ("ann", 1, "red", 0.5),
            ("bob", 1, "red", 1.0),
            ("cat", 3, None, 1.0),
            ("dan", 4, "blue", 1.0),
        )
    ]
)
MATCH = Contests.from_records(
    [
        {
            "contest": "match",
            "time": 6 * 86_400 + 0.25,
            "player": name,
            "outcome": outcome,
            "side": side,
            "margin": 3.0,
        }
        for name, outcome, side in (("bob", 1.0, 1), ("eve", 0.0, -1))
    ]
)


@pytest.fixture
def league(where):
    with League.create(where, "elo-mmx") as made:
        for day in range(3):
            made.record(scored(f"c{day}", day))
        made.record(scored("c3", 3), floor=1000.0, ceiling=1300.0)
        made.record(CREWS)
        made.record(MATCH, rated=False)
        made.rename("eve", "Eve")
        yield made


def kept(league: League) -> dict:
    """All tables but the log, what was told, and where rating again can begin.

    Contests are under their own names.
    """
    url = league._database.url.render_as_string(hide_password=False)
    path = league._database.path
    tables = all_tables(
        url.replace("postgresql+psycopg", "postgresql") if path is None else str(path)
    )
    for name in ("log", "notices", "checkpoints", "checkpoint_parts"):
        del tables[name]
    called = {row[0]: row[1] for row in tables["contests"]}
    tables["contests"] = sorted((row[1:] for row in tables["contests"]), key=repr)
    tables["standings"] = sorted(
        ((called[row[0]], *row[1:]) for row in tables["standings"]), key=repr
    )
    tables["events"] = sorted(
        ((row[0], called[row[1]], *row[2:]) for row in tables["events"]), key=repr
    )
    return tables


def newcomers(id: str, day: int) -> Contests:
    return Contests.from_records(
        [
            {"contest": id, "time": day * 86_400, "player": name, "rank": rank}
            for rank, name in enumerate(["zoe", "ann", "yan"], 1)
        ]
    )


def late(*rows: tuple) -> list[dict]:
    return [{"player": player, "rank": rank} for player, rank in rows]


CHANGES = {
    "record": lambda league: league.record(newcomers("new", 9)),
    "record early": lambda league: league.record(newcomers("new", 0)),
    "record several": lambda league: league.record(
        Contests.concat([newcomers("n1", 2), newcomers("n2", 8)])
    ),
    "record within limits": lambda league: league.record(newcomers("new", 4), floor=1000.0),
    "record unrated": lambda league: league.record(newcomers("new", 4), rated=False),
    "amend results": lambda league: league.amend(
        "c1", scored("c1", 7, [*ROWS[1:], ("zoe", 1, "late")]), removing=True
    ),
    "amend scores": lambda league: league.amend(
        "c1", scored("c1", 1, [(name, 2 * score, "x") for name, score, _ in ROWS])
    ),
    "amend within limits": lambda league: league.amend(
        "c3", scored("c3", 3, ROWS[::-1][:4]), removing=True
    ),
    "amend time": lambda league: league.amend("c0", time="1970-02-01"),
    "amend weight": lambda league: league.amend("c0", weight=3.0),
    "amend name": lambda league: league.amend("c0", name="Final"),
    "amend rated": lambda league: league.amend("match", rated=True),
    "amend unrated": lambda league: league.amend("c2", rated=False),
    "disqualify": lambda league: league.disqualify("c1", "bob"),
    "disqualify of limits": lambda league: league.disqualify("c3", "ann"),
    "disqualify of a team": lambda league: league.disqualify("crews", "ann"),
    "disqualify of a match": lambda league: league.disqualify("match", "bob"),
    "remove": lambda league: league.remove("c1"),
    "remove crews": lambda league: league.remove("crews"),
    "remove match": lambda league: league.remove("match"),
    "rename": lambda league: league.rename("bob", "zac"),
    "rename and forget": lambda league: league.rename("bob", "zac", keep_old=False),
    "rename to an alias": lambda league: league.rename("Eve", "eve"),
    "merge": lambda league: league.merge("ann", "al"),
    "revise": lambda league: league.revise(sigma_new=300.0),
    "rules": lambda league: league.set_rules(Rules(display="mean", titles=((1200.0, "pupil"),))),
    "add": lambda league: league.add("c1", late(("zoe", 2), ("yan", 7)), tied=False),
    "add with a tie": lambda league: league.add("c3", late(("zoe", 2)), tied=True),
    "reinstate": lambda league: league.reinstate("c2", "cat"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_is_taken_back_and_made_again_to_the_bit(league, name):
    if name == "merge":
        league.record(["al", "zac"], id="alone", time="1970-01-09")
        league.rename("al", "albert")
        league.rename("albert", "al", keep_old=False)
    if name == "reinstate":
        league.disqualify("c2", "cat")
    before = kept(league)
    done = CHANGES[name](league)
    number = league.log(1)["number"].item()
    after = kept(league)
    assert after != before

    tried = league.undo(dry_run=True)
    assert kept(league) == after
    back = league.undo(who="ann", why="a mistake")
    assert kept(league) == before
    assert {**tried.document(), "applied": True} == back.document()
    assert back.what.startswith(f"took back entry {number}, the ")
    moved = {name: (one, other) for name, one, other, _ in done.moves.iter_rows()}
    if "rename" not in name:
        turned = {name: (other, one) for name, (one, other) in moved.items()}
        assert {name: (one, other) for name, one, other, _ in back.moves.iter_rows()} == turned
    entry = documents(league.log(1))[0]
    assert (entry["who"], entry["why"], entry["action"]) == ("ann", "a mistake", "undo")
    assert entry["details"]["of"] == number
    assert entry["details"]["action"] == name.split()[0]
    assert entry["details"]["moved"] == back.moves.height

    tried = league.redo(dry_run=True)
    assert kept(league) == before
    again = league.redo()
    assert kept(league) == after
    assert {**tried.document(), "applied": True} == again.document()
    assert again.what.startswith(f"made entry {number} again, the ")
    assert documents(league.log(1))[0]["details"]["of"] == number
    assert league.verify().sound

    league.undo(number)  # by its own number, and by that of the entry which did it last
    assert kept(league) == before
    league.undo(league.log(1)["number"].item())
    assert kept(league) == after
    league.undo(league.log(1)["number"].item())
    assert kept(league) == before
    league.redo(number)
    assert kept(league) == after
    assert league.verify().sound


def test_a_rollback_is_taken_back(league):
    league.revise(sigma_new=300.0)
    league.record(newcomers("new", 9))
    before = kept(league)
    league.rollback()
    league.undo()
    assert league.system.sigma_new == 300.0
    ratings = [row for row in kept(league)["ratings"] if row[0] == 2]
    assert ratings == [row for row in before["ratings"] if row[0] == 2]
    league.redo()
    assert league.system.sigma_new == 350.0
    assert league.verify().sound


def test_a_revision_that_was_taken_back_is_not_gone_back_to(league):
    league.revise(sigma_new=300.0)
    league.undo()
    assert league.revisions()["name"].to_list() == ["first"]
    with pytest.raises(PodiumError, match="has had one system only"):
        league.rollback()
    league.redo()
    league.rollback()
    assert league.system.sigma_new == 350.0


HISTORY = [
    lambda league: league.record(Contests.concat([scored(f"c{day}", day) for day in range(4)])),
    lambda league: league.rename("eve", "Eve"),
    lambda league: league.record(CREWS),
    lambda league: league.record(MATCH, rated=False),
    CHANGES["record several"],
    CHANGES["disqualify"],
    lambda league: league.merge("yan", "bob"),
    lambda league: league.reinstate("c1", "yan"),
    CHANGES["revise"],
    CHANGES["amend weight"],
    CHANGES["rules"],
    lambda league: league.rollback(),
    lambda league: league.add("c2", late(("xia", 6))),
    CHANGES["rename"],
    lambda league: league.remove("c2"),
    CHANGES["amend rated"],
]


def test_a_whole_history_is_taken_back_and_made_again(where):
    with League.create(where, "elo-mmx") as league:
        states = [in_force(league)]
        for change in HISTORY:
            change(league)
            states.append(in_force(league))
        for before in reversed(states[:-1]):
            league.undo()
            assert in_force(league) == before
        with pytest.raises(PodiumError, match="nothing to take back: no change of the league"):
            league.undo()
        for after in states[1:]:
            league.redo()
            assert in_force(league) == after
        with pytest.raises(PodiumError, match="nothing to make again: no change is taken back"):
            league.redo()
        assert league.verify().sound


def in_force(league: League) -> dict:
    """What `kept` says, of revisions that of the one in force: others follow when they are."""
    tables = kept(league)
    number = tables["league"][0][1]
    for name in ("events", "ratings", "beliefs"):
        tables[name] = [row for row in tables[name] if row[0] == number]
    tables["revisions"] = [row[:4] for row in tables["revisions"]]
    return tables


def test_scores_of_matches_come_back(where):
    match = Contests.from_matches(
        pl.DataFrame(
            {"time": [0], "player_a": ["ann"], "player_b": ["bob"], "outcome": [0.7], "side": [1]}
        )
    )
    with League.create(where, "luck") as league:
        league.record(match)
        before, id = kept(league), match.ids[0]
        league.disqualify(id, "bob")
        league.reinstate(id, "bob")
        assert kept(league) == before
        for change in (
            lambda: league.disqualify(id, "ann"),
            lambda: league.remove(id),
            lambda: league.amend(id, weight=2.0),
        ):
            change()
            league.undo()
            assert kept(league) == before


def test_an_earlier_change_is_taken_back_whatever_others_did_meanwhile(league):
    without = kept(league)
    league.disqualify("c1", "bob")
    number = league.log(1)["number"].item()
    league.rename("bob", "zac")
    league.record(newcomers("new", 9))
    league.amend("c2", weight=2.0)
    league.undo(number)
    assert league.contest("c1").select("rank", "player").rows()[1:3] == [(2, "cat"), (2, "zac")]
    assert league.verify().sound
    for _ in range(3):
        league.undo()
    assert kept(league) == without


def test_who_came_with_a_contest_goes_with_it(league):
    league.record(newcomers("new", 9))
    league.record(["zoe", "bob"], id="more", time="1970-01-20")
    first = league.log(2)["number"][-1]
    change = league.undo(first)
    assert change.removed == ["ann", "yan", "zoe"]
    assert league.player("zoe").contests == 1
    with pytest.raises(errors.NotFoundError, match="no player 'yan'"):
        league.player("yan")
    league.undo()
    with pytest.raises(errors.NotFoundError, match="no player 'zoe'"):
        league.player("zoe")
    assert league.redo().newcomers == ["zoe"]
    assert league.redo().newcomers == ["yan"]
    assert league.verify().sound


IN_THE_WAY = {
    "contest": (
        lambda league: league.disqualify("c1", "bob"),
        lambda league: league.amend("c1", weight=2.0),
        "the disqualification of 'bob' in contest 'c1', cannot be taken back: entry 10, the "
        "amendment of contest 'c1', is in the way, because it touches contest 'c1', too; podium "
        "undo LEAGUE 10 takes that back first",
    ),
    "one of several": (
        lambda league: league.record(Contests.concat([newcomers("n1", 2), newcomers("n2", 8)])),
        lambda league: league.remove("n2"),
        "the recording of 2 contests, .*the removal of contest 'n2', is in the way, because it "
        "touches contest 'n2'",
    ),
    "merged": (
        lambda league: league.record(["al", "zac"], id="alone"),
        lambda league: league.merge("al", "ann"),
        "the merging of 'al' into 'ann', is in the way, because it touches contest 'alone'",
    ),
    "new name": (
        lambda league: league.record(newcomers("new", 9)),
        lambda league: league.rename("zoe", "zora"),
        "the renaming of 'zoe' to 'zora', is in the way, because it touches 'zoe'",
    ),
    "renamed": (
        lambda league: league.rename("bob", "zac"),
        lambda league: league.rename("zac", "zeb"),
        "the renaming of 'bob' to 'zac', .*the renaming of 'zac' to 'zeb', is in the way, because "
        "it touches 'zac'",
    ),
    "results of who was renamed": (
        lambda league: league.rename("bob", "zac"),
        lambda league: league.record(["bob", "ann"], id="new"),
        "the recording of contest 'new', is in the way, because it touches 'zac'",
    ),
    "name that was set free": (
        lambda league: league.rename("bob", "zac", keep_old=False),
        lambda league: league.record(["bob", "ann"], id="new"),
        "the recording of contest 'new', is in the way, because it touches 'bob'",
    ),
    "removal of who was renamed": (
        lambda league: league.rename("bob", "zac"),
        lambda league: league.remove("c1"),
        "the removal of contest 'c1', is in the way, because it touches 'zac'",
    ),
    "results of who was merged": (
        lambda league: (
            league.record(["al"], id="x", time="1970-03-01") and league.merge("al", "eve")
        ),
        lambda league: league.disqualify("c1", "al"),
        "the disqualification of 'Eve' in contest 'c1', is in the way, because it touches 'Eve'",
    ),
    "a revision": (
        lambda league: league.amend("c1", weight=2.0),
        lambda league: league.revise(sigma_new=300.0, name="new"),
        "the revision to 'new', is in the way, because it made a revision after it",
    ),
    "another revision": (
        lambda league: league.revise(sigma_new=300.0),
        lambda league: league.rollback(),
        "the rollback to 'first', is in the way, because it chose a revision after it",
    ),
    "rules": (
        lambda league: league.set_rules(Rules(display="mean")),
        lambda league: league.set_rules(Rules(hidden_until=2)),
        "the change of the rules, is in the way, because it changed the rules after it",
    ),
}


@pytest.mark.parametrize("name", IN_THE_WAY)
def test_a_later_change_that_depends_on_it_is_in_the_way(league, name):
    first, second, words = IN_THE_WAY[name]
    before = kept(league)
    first(league)
    number = league.log(1)["number"].item()
    between = kept(league)
    second(league)
    after = kept(league)
    for dry_run in (True, False):
        with pytest.raises(errors.ConflictError, match=words):
            league.undo(number, dry_run=dry_run)
    assert kept(league) == after
    league.undo()
    if name != "another revision":
        assert kept(league) == between
    league.undo(number)
    if name != "results of who was merged":
        assert kept(league) == before
    if name in ("contest", "one of several", "merged", "renamed", "another revision", "rules"):
        took_back = league.log(1)["number"].item()
        with pytest.raises(
            errors.ConflictError, match=f"cannot be made again: entry {took_back}, which took back"
        ):
            league.redo(number + 1)
    league.redo(number)
    if name != "another revision":
        assert kept(league) == between
    league.redo(number + 1)
    assert kept(league) == after
    assert league.verify().sound


def test_players_who_became_one_cannot_come_back_into_one_contest(league):
    league.disqualify("c1", "bob")
    number = league.log(1)["number"].item()
    for contest in ("c0", "c2", "c3", "crews", "match"):
        league.disqualify(contest, "bob")
    league.merge("bob", "cat")
    with pytest.raises(
        errors.ConflictError,
        match="two players of contest 'c1' have become one since, by entry 15",
    ):
        league.undo(number)
    with pytest.raises(errors.ConflictError, match="'cat' takes part in contest 'c1' already"):
        league.reinstate("c1", "bob")


def test_what_is_final_or_not_there_is_a_sentence(league):
    with pytest.raises(PodiumError, match=r"^entry 1 made the league, which is not taken back\.$"):
        league.undo(1)
    with pytest.raises(errors.NotFoundError, match="no change 99 in the log; the last is 8"):
        league.undo(99)
    for number in ("1", True, 1.0):
        with pytest.raises(PodiumError, match="the number of a change in the log is needed"):
            league.undo(number)
        with pytest.raises(PodiumError, match="the number of a change in the log is needed"):
            league.redo(number)
    with pytest.raises(errors.ConflictError, match="entry 8 is not taken back"):
        league.redo(8)
    league.undo()
    with pytest.raises(errors.ConflictError, match="entry 8 is taken back already, by entry 9"):
        league.undo(8)
    league.redo()
    with pytest.raises(errors.ConflictError, match="entry 9 stands no more since entry 10"):
        league.undo(9)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda league: league.record(newcomers("new", 9)), "which contests and players were new"),
        (lambda league: league.amend("c1", weight=2.0), "what was before it"),
        (lambda league: league.disqualify("c1", "bob"), "what was before it"),
        (lambda league: league.remove("c1"), "what was before it"),
        (lambda league: league.rename("bob", "zac"), "which names there were before it"),
        (
            lambda league: (
                league.record(["al"], id="x", time="1970-03-01") and league.merge("al", "Eve")
            ),
            "whose results were whose",
        ),
        (lambda league: league.set_rules(Rules(display="mean")), "which rules there were"),
    ],
)
def test_what_an_earlier_version_did_not_keep_is_said(league, where, change, words):
    change(league)
    number = league.log(1)["number"].item()
    forget(where, number, "before = NULL, after = NULL")
    before = kept(league)
    with pytest.raises(
        errors.InputError, match=f"made by an earlier version of podium.*{words}.*podium migrate"
    ):
        league.undo()
    assert kept(league) == before


def forget(where: str, number: int, what: str) -> None:
    """Let an entry of the log be as an earlier version wrote it."""
    if "://" in where:
        off, on = "ALTER TABLE log DISABLE TRIGGER USER", "ALTER TABLE log ENABLE TRIGGER USER"
        execute(where, off, f"UPDATE log SET {what} WHERE id = {number}", on)
    else:
        execute(
            where,
            "DROP TRIGGER log_only_grows_update",
            f"UPDATE log SET {what} WHERE id = {number}",
        )


def test_a_league_that_was_exported_and_made_again_takes_back_what_it_knows(
    league, tmp_path, places
):
    league.disqualify("c1", "bob")
    league.rename("bob", "zac")
    league.remove("crews")
    league.undo()
    league.export(tmp_path / "archive")
    with League.restore(tmp_path / "archive", places()) as copy:
        for each in (league, copy):
            each.redo()
            each.undo(8 + 1)
            assert each.verify().sound
        assert copy.results() == league.results()
        assert copy.leaderboard(None).equals(league.leaderboard(None))


def test_what_anybody_sees_of_it_tells_no_old_names(league):
    league.rename("bob", "secret")
    league.undo()
    league.record(["twin", "ann"], id="new", time="1970-02-01")
    league.merge("twin", "bob")
    league.undo()
    league.redo()
    with league.snapshot() as view:
        entries = public_log(view)
    assert "secret" not in json.dumps(entries)
    assert "twin" not in json.dumps(entries)


def test_the_log_of_a_contest_has_what_was_taken_back_of_it(league):
    league.record(Contests.concat([newcomers("n1", 2), newcomers("n2", 8)]))
    league.undo()
    league.redo()
    found = league.log(contest="n2")["action"].to_list()
    assert found == ["redo", "undo", "record"]


# Reinstating


def test_who_is_reinstated_stands_where_they_stood(league):
    for contest, player in (("c1", "bob"), ("crews", "ann"), ("match", "eve"), ("c3", "ann")):
        before = kept(league)
        league.disqualify(contest, player)
        tried = league.reinstate(contest, player, dry_run=True)
        done = league.reinstate(contest, player, who="bob")
        assert kept(league) == before
        assert {**tried.document(), "applied": True} == done.document()
    assert done.what == "reinstated 'ann' in contest 'c3' at rank 1; 4 → 5 players"
    entry = documents(league.log(1))[0]
    assert (entry["action"], entry["contest"], entry["player"]) == ("reinstate", "c3", "ann")
    assert entry["details"]["of"] == entry["number"] - 1


def test_what_else_has_changed_stays_and_is_said(league):
    league.disqualify("c1", "bob")
    league.disqualify("c1", "ann")
    league.amend("c1", weight=2.0, name="Final", time="1970-02-02", rated=False)
    league.rename("bob", "zac")
    done = league.reinstate("c1", "bob")
    assert done.what == (
        "reinstated 'zac' in contest 'c1' at rank 1; 3 → 4 players; the contest has changed since, "
        "by entry 11"
    )
    assert league.contest("c1").select("rank", "player", "score", "status").rows() == [
        (1, "cat", "90", None),
        (1, "zac", "90", "late"),
        (3, "dan", "10", "ok"),
        (4, "Eve", "9", ""),
    ]
    about = league.contests().filter(pl.col("contest") == "c1").row(0, named=True)
    assert (about["name"], about["rated"], about["weight"]) == ("Final", False, 2.0)
    league.reinstate("c1", "ann")
    assert league.contest("c1")["player"].to_list() == ["ann", "cat", "zac", "dan", "Eve"]


def test_who_cannot_be_reinstated_is_told_why(league):
    with pytest.raises(errors.ConflictError, match="'bob' takes part in contest 'c1' already"):
        league.reinstate("c1", "bob")
    league.record(newcomers("new", 9))
    with pytest.raises(
        errors.NotFoundError, match=r"'zoe' was not disqualified in contest 'c1'; podium add puts"
    ):
        league.reinstate("c1", "zoe")
    league.disqualify("c1", "bob")
    league.amend("c1", scored("c1", 1, [("dan", 999, "ok"), ROWS[0], ROWS[2], ROWS[4]]))
    with pytest.raises(
        errors.ConflictError,
        match=r"'c1' are others than when 'bob' was disqualified, by entry 11, .*podium add",
    ):
        league.reinstate("c1", "bob")
    league.undo()
    league.add("c1", late(("zoe", 5)))
    with pytest.raises(errors.ConflictError, match="are others than when 'bob' was disqualified"):
        league.reinstate("c1", "bob")
    league.undo()
    league.undo(10)
    with pytest.raises(errors.ConflictError, match="takes part"):
        league.reinstate("c1", "bob")
    league.redo(10)
    assert league.reinstate("c1", "bob").applied


# Late results


def ranks(league: League, contest: str = "c1") -> list[tuple[int, str]]:
    return league.contest(contest).select("rank", "player").rows()


def test_late_results_take_the_ranks_that_they_have_among_all(league):
    league.add("c1", late(("zoe", 2), ("yan", 5), ("xia", 8)), tied=False)
    assert ranks(league) == [
        (1, "ann"),
        (2, "zoe"),
        (3, "bob"),
        (3, "cat"),
        (5, "yan"),
        (6, "dan"),
        (7, "Eve"),
        (8, "xia"),
    ]
    league.add("c2", late(("zoe", 2), ("yan", 2)), tied=True)
    assert ranks(league, "c2")[1:5] == [(2, "bob"), (2, "cat"), (2, "yan"), (2, "zoe")]
    assert ranks(league, "c2")[5:] == [(6, "dan"), (7, "Eve")]
    assert league.verify().sound


def test_late_results_are_those_of_a_contest_that_had_them_from_the_start(league):
    frame = league.results("c1").frame(given=True).drop("rank")
    row = pl.DataFrame({"player": ["zoe"], "score": ["50"], "status": ["late"]})
    whole = pl.concat([frame, row], how="diagonal").with_columns(
        pl.col("contest", "time", "weight", "name").forward_fill(), pl.col("score").cast(float)
    )
    done = league.add("c1", row)
    assert done.what == "added 'zoe' to contest 'c1'; 5 → 6 players"
    assert done.newcomers == ["zoe"]
    found = league.results("c1")
    assert found == Contests.from_frame(whole)
    assert found.frame(given=True)["status"].to_list() == ["ok", "late", None, "late", "ok", ""]


def test_teams_get_late_members_and_others(league):
    league.add("crews", [{"player": "zoe", "rank": 1, "team": "red", "share": 0.25}])
    assert ranks(league, "crews") == [(1, "ann"), (1, "bob"), (1, "zoe"), (4, "cat"), (5, "dan")]
    league.add("crews", [{"player": "yan", "rank": 6, "team": "green"}])
    assert league.results("crews").frame()["team"].to_list() == [
        *["red", "red", "red"],
        *[None, "blue", "green"],
    ]
    with pytest.raises(errors.InputError, match="'xia' cannot be at rank 2 of contest 'crews'"):
        league.add("crews", [{"player": "xia", "rank": 2, "team": "red"}])


def test_late_results_count_teams_where_the_contest_does(where):
    rows = [("a", 1, "x"), ("b", 1, "x"), ("c", 2, "y"), ("d", 2, "y"), ("e", 3, None)]
    crews = Contests.from_records(
        [
            {"contest": "one", "time": 0, "player": player, "rank": rank, "team": team}
            for player, rank, team in rows
        ]
    )
    with League.create(where, "trueskill") as league:
        league.record(crews)
        new = [{"player": player, "rank": 2, "team": "z"} for player in "fg"]
        league.add("one", new, tied=False)
        assert ranks(league, "one") == [
            *[(1, "a"), (1, "b"), (2, "f"), (2, "g")],
            *[(3, "c"), (3, "d"), (4, "e")],
        ]
        league.add("one", [{"player": "h", "rank": 3, "team": "y"}])
        assert ranks(league, "one")[4:] == [(3, "c"), (3, "d"), (3, "h"), (4, "e")]
        assert league.verify().sound
        for _ in range(2):
            league.undo()
        assert league.results() == crews


def test_who_is_eligible_is_settled_for_late_results_too(league):
    league.record(newcomers("new", 2))
    league.add("c3", late(("zoe", 6)))
    eligible = dict(league.contest("c3").select("player", "eligible").iter_rows())
    before = league.player("zoe", at="1970-01-03T12:00").rating
    assert eligible["zoe"] == (1000.0 <= before < 1300.0)


@pytest.mark.parametrize(
    ("rows", "how", "kind", "words"),
    [
        (
            late(("bob", 2)),
            {},
            "ConflictError",
            "'bob' takes part in contest 'c1' already, at rank 2",
        ),
        (late(("eve", 2)), {}, "ConflictError", "'Eve' takes part in contest 'c1' already"),
        (late(("zoe", 2)), {}, "InputError", "can tie with 'bob' or come before; say tied=True"),
        (late(("zoe", 3)), {"tied": True}, "InputError", "1 are ahead and those who follow tie"),
        (late(("zoe", 9)), {"tied": True}, "InputError", "rank 9 .*because there are 5 others"),
        (
            late(("zoe", 2), ("yan", 3)),
            {"tied": True},
            "InputError",
            "'yan' cannot be at rank 3 of contest 'c1', because 1 are ahead",
        ),
        (late(("zoe", 0)), {}, "InputError", "rank 0 is not a whole number from 1 on"),
        (late(("zoe", 6), ("zoe", 7)), {}, "InputError", "'zoe' stands twice"),
        ([{"player": "zoe"}], {}, "InputError", "'rank'"),
        ([{"rank": 3}], {}, "InputError", "no column 'player'"),
        ([], {}, "InputError", "."),
        ([{"player": "zoe", "rank": 6, "contest": "c9"}], {}, "NotFoundError", "there is 'c9'"),
        (
            [{"player": "zoe", "rank": 6, "time": "2026-01-01"}],
            {},
            "InputError",
            "took place on 1970-01-02 .*and not on 2026-01-01",
        ),
        ([{"player": "zoe", "score": 7}], {"lowest_score_wins": True}, "InputError", "not those"),
        (ROWS, {}, "InputError", "a table is needed"),
        (scored("c1", 1), {}, "InputError", "ranks among themselves"),
    ],
)
def test_late_results_that_cannot_be_are_refused(league, rows, how, kind, words):
    before = kept(league)
    for dry_run in (True, False):
        with pytest.raises(getattr(errors, kind), match=words):
            league.add("c1", rows, dry_run=dry_run, **how)
    assert kept(league) == before


def test_a_late_score_needs_the_scores_of_the_others(league):
    league.record(newcomers("new", 9))
    with pytest.raises(errors.InputError, match="'new' knows no score of 'zoe' to compare with"):
        league.add("new", [{"player": "bob", "score": 7}])
    races = Contests.from_records(
        [
            {"contest": "race", "time": 9, "player": name, "score": score}
            for name, score in (("ann", 61.5), ("bob", 59.0), ("cat", 61.5))
        ],
        lowest_score_wins=True,
    )
    league.record(races)
    with pytest.raises(errors.InputError, match="if the lowest wins, say --lowest-score-wins"):
        league.add("race", [{"player": "zoe", "score": 60}])
    league.add("race", [{"player": "zoe", "score": 60}], lowest_score_wins=True)
    assert ranks(league, "race") == [(1, "bob"), (2, "zoe"), (3, "ann"), (3, "cat")]


@pytest.mark.usefixtures("first_arithmetic")
def test_a_league_of_an_earlier_version_remembers_from_its_migration_on(where):
    with League.create(where) as league:
        league.record(scored("c1", 1))
        league.disqualify("c1", "bob")
    made_older(where, "0003")
    League.migrate(where)
    with League(where) as league:
        for number in (2, 3):
            with pytest.raises(errors.InputError, match=f"entry {number}, .*an earlier version"):
                league.undo(number)
        with pytest.raises(errors.InputError, match=r"entry 3, .*does not say at which place"):
            league.reinstate("c1", "bob")
        with pytest.raises(errors.InputError, match="entry 4 brought the league up to date"):
            league.undo(4)
        before = kept(league)
        league.disqualify("c1", "cat")
        league.undo()
        assert kept(league) == before
        with pytest.raises(errors.InputError, match=r"entry 3, .*an earlier version"):
            league.undo()


def test_what_the_log_kept_before_it_kept_newcomers_is_taken_back(league, where):
    """As by the version that kept what was before a change, and not yet who was new by it."""
    before = kept(league)
    league.amend("c1", scored("c1", 1, ROWS[1:]), removing=True)
    number = league.log(1)["number"].item()
    after = json.loads(league.log(1)["after"].item())
    del after["newcomers"]
    packed = logs.packed(after).hex()
    written = f"decode('{packed}', 'hex')" if "://" in where else f"x'{packed}'"
    forget(where, number, f"after = {written}")
    league.undo()
    assert kept(league) == before


def test_contests_too_many_to_be_named_are_taken_back_too(league, monkeypatch):
    monkeypatch.setattr(changes, "_NAMED_IN_LOG", 1)
    before = kept(league)
    league.record(Contests.concat([newcomers("n1", 2), newcomers("n2", 8)]))
    number = league.log(1)["number"].item()
    assert "identifiers" not in documents(league.log(1))[0]["details"]
    after = kept(league)
    league.undo()
    assert kept(league) == before
    league.redo()
    assert kept(league) == after
    league.amend("n2", weight=2.0)
    with pytest.raises(errors.ConflictError, match="it touches contest 'n2', too"):
        league.undo(number)
