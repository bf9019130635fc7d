"""What parents and children of forks do, each in a process of its own: see `tests.test_forks`.

python -m tests.forking SCRIPT [ARGUMENT…]
"""

import faulthandler
import multiprocessing
import os
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import podium

_LONGEST = float(os.environ.get("PODIUM_LONGEST", 100))
"""Seconds after which a child hangs, and says where."""


def forked(work: Callable[[], object]) -> bool:
    """Whether a child does some work well; what it raises is printed."""
    faulthandler.cancel_dump_traceback_later()  # it is a thread, which a child would wait for
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later(_LONGEST, exit=True)
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def has_threads() -> bool:
    """Whether Polars has its threads."""
    names = [(each / "comm").read_text() for each in Path("/proc/self/task").iterdir()]
    return any(name.startswith("polars-") and "ooc" not in name for name in names)


def used() -> tuple[podium.Contests, podium.Rated]:
    """Contests and ratings, after everything was used."""
    season = podium.simulate(players=30, rounds=12, seed=1)
    season = podium.Contests.from_frame(season.frame())
    assert has_threads()
    return season, podium.rate(season[:11])


def ladders(folder: str) -> None:
    """A ladder of the parent."""
    season, rated = used()
    ladder = podium.Ladder.from_beliefs(rated.beliefs)

    def work():
        ladder.record(["player-0003", "somebody new", ("player-0004", "player-0005")])
        assert ladder.top(3)[0].place == 1
        assert ladder.leaderboard(None).height == 31
        assert ladder.leaderboard(3)["place"].to_list()[0] == 1
        assert ladder.ratings.height == len(ladder) == 31
        assert 0.0 < ladder.win_probability("player-0001", "player-0002") < 1.0
        assert ladder.rank_probabilities(["player-0001", "player-0002", "x"]).height == 3
        assert "player-0003" in ladder._repr_html_() + repr(list(ladder))
        assert ladder.player("player-0003").contests == 12
        assert podium.predict(ladder.beliefs, season[11:]).table.height == 30
        assert podium.curve(ladder.beliefs, season[11:], "player-0001").keep is not None
        assert podium.explain(rated.beliefs, season[11:], "player-0007").up.few
        assert podium.explain_result(season, "round-12", "player-0007").rank > 0
        assert podium.Leaderboard.of(rated, podium.Filters(3)).document()["players"] == 30
        assert season.with_own_players()[3:] == season[3:]
        assert season[5].players
        assert podium.rate(season, "glicko").leaderboard(3).height == 3
        assert podium.rate(season).history_of("player-0001").height == 12
        ladder.save(f"{folder}/ladder.npz")
        assert len(podium.Ladder.load(f"{folder}/ladder.npz")) == 31
        podium.Ladder("trueskill").record([["ann", "bob"], ["cat"]])
        large = podium.Ladder("elo-mmr")
        large.record([f"p{number}" for number in range(5000)])

    assert forked(work)
    assert len(ladder) == 30


NEEDS_POLARS = {
    "read": "podium.read(f'{folder}/season.csv')",
    "read_standings": "podium.read_standings(f'{folder}/season.csv')",
    "from_frame": "podium.Contests.from_frame(frame)",
    "from_records": "podium.Contests.from_records(frame.to_dicts())",
    "from_matches": "podium.Contests.from_matches(frame)",
    "concat": "podium.Contests.concat([season[:6], season[6:]])",
    "describe": "season.describe(frame)",
    "write": "season.write(f'{folder}/again.csv')",
    "write parquet": "season.write(f'{folder}/again.parquet')",
    "simulate": "podium.simulate(players=5, rounds=5)",
    "simulate_matches": "podium.simulate_matches(players=5, matches=5)",
    "evaluate": "podium.evaluate(season)",
    "tune": "podium.tune(season, 'elo', budget=2)",
    "by_ladder": "laddered.by_ladder()",
    "rate_ladders": "podium.rate_ladders(laddered)",
    "save_ladders": "podium.save_ladders({'a': rated}, f'{folder}/ladders')",
    "load_ladders": "podium.load_ladders(f'{folder}/earlier ladders')",
    "check_system": "podium.testing.check_system(podium.systems.Elo)",
    "save": "rated.save(f'{folder}/rated')",
    "load": "type(rated).load(f'{folder}/earlier')",
    "export": "league.export(f'{folder}/export')",
    "restore": "podium.League.restore(f'{folder}/exported', f'{folder}/restored.db')",
    "revise": "league.revise('glicko')",
    "rollback": "league.rollback()",
    "compare": "league.compare('first', 'elo')",
    "set_rules": "league.set_rules(podium.Rules(display='mean'))",
    "post_live": "league.post_live('now', ['ann', 'bob'])",
    "live": "league.live('running')",
}


def refused(folder: str) -> None:
    """What needs Polars."""
    here = _made(folder)
    for name, call in NEEDS_POLARS.items():

        def work(call: str = call) -> None:
            try:
                eval(call, {"podium": podium, "folder": folder, **here})
            except podium.StorageError as error:
                assert "spawn or forkserver" in str(error), error  # noqa: PT017
            else:
                raise AssertionError("it was done")

        assert forked(work), name
    with here["league"] as league:
        assert league.verify().sound


def _made(folder: str) -> dict[str, Any]:
    season, rated = used()
    season.write(f"{folder}/season.csv")
    rated.save(f"{folder}/earlier")
    league = podium.League.create(f"{folder}/league.db")
    league.record(season)
    league.revise("elo")
    league.export(f"{folder}/exported")
    league.post_live("running", ["ann", "bob"])
    frame = season.frame()
    laddered = podium.Contests.from_frame(frame.with_columns(frame["contest"].alias("ladder")))
    podium.save_ladders(podium.rate_ladders(laddered), f"{folder}/earlier ladders")
    return {
        "season": season,
        "laddered": laddered,
        "rated": rated,
        "league": league,
        "frame": frame,
    }


def imported(folder: str) -> None:
    """The same where the parent has not used it."""
    assert podium.Ladder
    assert podium.League
    assert "polars" in sys.modules
    assert not has_threads()

    def work() -> None:
        here = _made(folder)
        for call in NEEDS_POLARS.values():
            with suppress(podium.InputError):  # where the table is no such thing
                eval(call, {"podium": podium, "folder": folder, **here})

    assert forked(work)


def others() -> None:
    """A parent that uses Polars itself, and podium only in a child."""
    import polars as pl

    pl.DataFrame({"a": range(10)}).select(pl.col("a").sum(), b=pl.col("a").max())
    assert has_threads()

    def work() -> None:
        assert "spawn or forkserver" in told(_season())

    assert forked(work)


def _season() -> podium.Contests:
    """Contests that are made without a table."""
    parts = ["a", "b"], ["x"]
    import numpy as np
    import polars as pl

    from podium.results.columns import Columns
    from podium.results.tables import Parts

    one = np.ones(1)
    columns = Columns(
        np.array([0, 2]), np.array([0, 1], np.int32), np.array([1, 2], np.int32),
        np.zeros(1, np.int64), one, np.full(1, np.inf),
    )  # fmt: skip
    return podium.Contests(Parts(columns, *map(pl.Series, parts), None, None))


def leagues(where: str, other: str) -> None:
    """A league that the parent has open."""
    season, _ = used()
    league = podium.League.create(where, "elo-mmr")
    league.record(season)
    league.set_rules(podium.Rules(titles=[(1000, "A")], keep_titles=True, provisional_until=1))
    before = league.player("player-0001"), league.contests().rows()

    def work():
        assert league.player("player-0001") == before[0]
        assert league.contests().rows() == before[1]
        assert league.log(contest="round-12").height == 1
        change = league.record(["player-0001", ("player-0002", "newcomer")], id="z1")
        assert change.moves.height == 3
        assert league.record(["player-0003", "x"], floor=0.0, id="z2").applied
        with league.snapshot() as view:
            assert view.leaderboard(3)["place"].to_list() == [1, 2, 3]
            assert view.board().players == 32
            assert view.leaderboard(None, at="2030-01-01").height == 32
            assert view.player("player-0001", at="2030-01-01").place is not None
            assert view.history_of("player-0001")["contest"].to_list()[-1] == "z1"
            assert view.contest("z1")["change"].null_count() == 0
            assert view.result("z1").document()["players"] == 3
            assert 0.0 < view.win_probability("player-0001", "nobody") < 1.0
            assert view.rank_probabilities(["player-0001", "x", "y"]).height == 3
            assert view.results("z1")[0].players[0] == "player-0001"
            assert view.predict(view.results("z1")).table.height == 3
            assert view.curve(view.results("z1"), "newcomer").rank == 2
            assert view.explain("z1", "newcomer").rank == 2
            assert view.career("newcomer").history.height == 1
            assert view.aliases().height == 0
            assert view.revisions().height == 1
        league.rename("newcomer", "settled")
        league.record(["newcomer", "player-0002"], id="z3")
        league.disqualify("z1", "player-0002")
        league.amend("z1", weight=2.0)
        league.remove("z2")
        league.season("first", "2026-01-01")
        league.season("second", "2026-01-15", pull=0.5)
        league.start({"fay": (1650, 60)})
        league.define_attributes("country")
        league.describe("settled", {"country": "NO", "display": "Settled"})
        league.hide("player-0004")
        with league.snapshot() as view:
            assert view.leaderboard(1, season="first")["title"].to_list() == ["A"]
            assert view.leaderboard(None, where=["country=NO"])["player"].to_list() == ["settled"]
            assert view.board().attributes
            assert view.leaderboard(1, title="A", at="2026-01-20")["title"].to_list() == ["A"]
            assert view.career("player-0001").seasons.height == 2
            assert view.seasons().height == 2
            assert view.starts().height == 1
            assert view.people().height == 32
        for _ in range(4):
            league.undo()
        assert league.redo().applied
        with podium.League(where) as again:
            assert again.verify().sound
        with podium.League.create(other) as new:
            new.record(["ann", "bob"])
            assert len(new) == 1

    assert forked(work)
    assert len(league) == len(season) + 2  # by the connection that it had before
    assert league.record(["player-0001", "player-0002"], id="z4").applied
    assert league.verify().sound
    league.close()


def often(where: str, _: str) -> None:
    """Parent and children record at the same time."""
    used()
    league = podium.League.create(where, "elo")
    league.record(["ann", "bob"], time="2026-05-01")
    children = []
    for number in range(4):
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            try:
                for again in range(5):
                    league.record(["ann", f"p{number}"], id=f"{number}-{again}")
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        children.append(child)
        league.record(["bob", "ann"], id=f"parent {number}")
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert len(league) == 1 + 4 * 6
    assert league.verify().sound
    league.close()


def views(where: str, _: str) -> None:
    """A view of the parent."""
    league = podium.League.create(where, "elo")
    league.record(["ann", "bob"], time="2026-05-01")
    with league.snapshot() as view:

        def work():
            for ask in (lambda: len(view), lambda: view.player("ann")):
                try:
                    ask()
                except podium.StorageError as error:
                    assert "forked" in str(error)  # noqa: PT017
                else:
                    raise AssertionError("it was answered")
            if where.startswith("postgresql"):
                assert len(league) == 1
                return
            try:
                len(league)
            except podium.StorageError as error:
                assert "was in use when this process was forked" in str(error)  # noqa: PT017
            else:
                raise AssertionError("it was answered")

        assert forked(work)
        assert view.player("ann").contests == 1
    league.record(["ann", "bob"])
    assert league.verify().sound
    league.close()


def locked() -> None:
    """Threads record when the parent is forked."""
    ladder = podium.Ladder("elo-mmr")
    for number in range(200):
        ladder.record([f"p{number}", f"p{number + 1}", f"p{number + 2}"])
    ended = threading.Event()

    def record():
        while not ended.is_set():
            ladder.record(["p1", "p2", "p3"])

    def whole():
        contests = ladder.beliefs.column("contests").sum()
        assert contests == 3 * ladder.beliefs.rounds
        ladder.record(["p1", "p2"])
        assert ladder.copy_of().beliefs.column("contests").sum() == contests + 2

    podium.Ladder.copy_of = lambda self: type(self).from_beliefs(self.beliefs)
    threads = [threading.Thread(target=record) for _ in range(3)]
    for each in threads:
        each.start()
    for _ in range(40):
        assert forked(whole)
    ended.set()
    for each in threads:
        each.join()


def pools() -> None:
    """The threads of kernels."""
    from podium.numerics.threads import for_each

    def shared(count):
        done = []
        for_each(done.append, range(100), count)
        return sorted(done) == list(range(100))

    assert shared(2)

    def work():
        assert shared(2)
        assert shared(3)

    assert forked(work)
    assert forked(lambda: forked(work) or 1 / 0)
    assert shared(2)


def processes() -> None:
    """A pool of processes that are forked."""
    global ladder
    season, rated = used()
    ladder = podium.Ladder.from_beliefs(rated.beliefs)
    names = [f"player-{number:04}" for number in range(3, 20)]
    with multiprocessing.get_context("fork").Pool(3) as pool:
        assert pool.map(predicted, names) == [predicted(name) for name in names]
        assert all("spawn or forkserver" in said for said in pool.map(told, [season] * 5))


def predicted(name: str) -> float:
    """By the ladder of the parent."""
    return ladder.win_probability(name, "player-0002")


def told(season: podium.Contests) -> str:
    """Why a table cannot be made."""
    try:
        return repr(podium.Contests.from_frame(season.frame()))
    except podium.StorageError as error:
        return str(error)


ladder: podium.Ladder

if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
