"""A league under random changes, beside plain data that are rated from scratch after each."""

import dataclasses
import functools
import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from podium import League, PodiumError
from podium.league import Change, Rules
from podium.results.tables import natural
from podium.systems.base import System
from tests.league.games import IDENTIFIERS, KINDS, NAMES_OF_CONTESTS, PLAYERS, TIMES, WEIGHTS
from tests.league.plain import (
    Game,
    PlainLeague,
    Row,
    as_contests,
    assert_same_league,
    assert_same_results,
    moves,
)

NEW_NAMES = ["ann", "zoe", "a", "Zed", "ann 3", "dan 10"]
RULES = [Rules(), Rules("mean"), Rules(hidden_until=0, titles=((1500.0, "expert"),))]


@dataclasses.dataclass
class Op:
    """A change that was made, as plain data are changed by it; its entries in the log."""

    model: Callable[[], Any]
    numbers: list[int]
    kind: str
    contests: set[str]
    names: set[str]
    """Those that it gave or took away."""
    called: dict[str, str]

    @property
    def stands(self) -> bool:
        return len(self.numbers) % 2 == 1

    def since(self, number: int) -> int | None:
        """The entry of it that stands, of those after that number."""
        later = [each for each in self.numbers if each > number]
        return later[-1] if len(later) % 2 else None

    def needs(self, later: "Op") -> bool:
        """Whether a later change surely depends on this one."""
        revisions = {"revise", "rollback"}
        return (
            not self.contests.isdisjoint(later.contests)
            or not self.names.isdisjoint(later.names)
            or (later.kind == "revise" and later.stands)
            or {self.kind, later.kind} <= revisions
            or self.kind == later.kind == "rules"
        )


class Changes(RuleBasedStateMachine):
    """All changes, at any time, in any order."""

    def __init__(
        self,
        new_place: Callable[[], str],
        system: System,
        kind: str = "contests",
        others: tuple[System, ...] = (),
        verify_every: int = 3,
    ) -> None:
        super().__init__()
        self.league = League.create(new_place(), system)
        self.plain = PlainLeague(system)
        self.kind = KINDS[kind]
        self.others = others
        self.revisions = {"first": system}
        self.active, self.previous = "first", "first"
        self.steps = 0
        self.verify_every = verify_every
        self.ops: list[Op] = []
        self.disqualified: list[tuple[Game, str, int]] = []

    # What is done

    @rule(data=st.data(), count=st.sampled_from([1, 1, 1, 2, 4]), rated=st.sampled_from([1, 1, 0]))
    def record(self, data: st.DataObject, count: int, rated: int) -> None:
        free = IDENTIFIERS.filter(lambda each: each not in self.plain.games)
        games = [
            dataclasses.replace(data.draw(self.kind(id)), rated=bool(rated))
            for id in data.draw(st.lists(free, min_size=count, max_size=count, unique=True))
        ]
        meant = [self.plain.meant(game) for game in games]
        crowded = any(len(game.players) < len(game.rows) for game in meant)

        def change(**how: Any) -> Change:
            return self.league.record(as_contests(games), rated=bool(rated), **how)

        if crowded:
            self.refused(change, "one player|two names")
            return
        self.changed(
            change,
            lambda: [self.plain.put(game) for game in meant],
            data,
            contests=[game.id for game in meant],
        )

    @rule(
        data=st.data(),
        floor=st.sampled_from([None, 1000.0, 1200.0, 1400.0]),
        ceiling=st.sampled_from([None, 1300.0, 1500.0]),
        rated=st.sampled_from([True, True, False]),
    )
    def record_within_limits(
        self, data: st.DataObject, floor: float | None, ceiling: float | None, rated: bool
    ) -> None:
        if floor is not None and ceiling is not None and floor >= ceiling:
            return
        free = IDENTIFIERS.filter(lambda each: each not in self.plain.games)
        games = [
            dataclasses.replace(data.draw(self.kind(id)), rated=rated, floor=floor, ceiling=ceiling)
            for id in data.draw(st.lists(free, min_size=1, max_size=3, unique=True))
        ]
        games = [self.plain.meant(game) for game in games]
        if any(len(game.players) < len(game.rows) for game in games):
            return

        def change(**how: Any) -> Change:
            limits = {"floor": floor, "ceiling": ceiling}
            return self.league.record(as_contests(games), rated=rated, **limits, **how)

        settled: list[Game] = []

        def model() -> None:
            if settled:
                for game in settled:
                    self.plain.put(game)
                return
            for game in sorted(games, key=lambda game: game.turn):
                settled.append(self.plain.judged(game))
                self.plain.put(settled[-1])

        self.changed(change, model, data, contests=[game.id for game in games])

    @precondition(lambda self: self.plain.games)
    @rule(data=st.data())
    def record_again(self, data: st.DataObject) -> None:
        game = self.some_game(data)
        log = self.league.log()
        change = self.league.record(as_contests([game]), rated=game.rated)
        assert not change.applied
        assert (change.recorded, change.known) == ([], [game.id])
        assert change.replayed == 0
        assert self.league.log().equals(log)

    @precondition(lambda self: self.plain.games)
    @rule(data=st.data())
    def record_differently(self, data: st.DataObject) -> None:
        game = self.some_game(data)
        other = data.draw(self.kind(game.id))
        meant = self.plain.meant(other)
        if len(meant.players) < len(meant.rows) or _same(meant, game):
            return
        self.refused(lambda **how: self.league.record(as_contests([other]), **how), "podium amend")

    @precondition(lambda self: self.plain.games)
    @rule(data=st.data())
    def amend_results(self, data: st.DataObject) -> None:
        old = self.some_game(data)
        given = data.draw(self.kind(old.id))
        new = self.plain.meant(given)
        new = dataclasses.replace(new, name=new.name or old.name)
        if len(new.players) < len(new.rows) or _same(new, old):
            return

        new = dataclasses.replace(
            new, rows=self.settled(old, new), rated=old.rated, floor=old.floor, ceiling=old.ceiling
        )
        self.changed(
            lambda **how: self.league.amend(old.id, as_contests([given]), removing=True, **how),
            lambda: self.plain.put(new),
            data,
            contests=[old.id],
        )

    @precondition(lambda self: self.plain.games)
    @rule(data=st.data(), what=st.sampled_from(["time", "weight", "rated", "name"]))
    def amend(self, data: st.DataObject, what: str) -> None:
        old = self.some_game(data)
        values = {
            "time": TIMES,
            "weight": WEIGHTS,
            "rated": st.just(not old.rated),
            "name": NAMES_OF_CONTESTS.filter(lambda name: name is not None),
        }
        value = data.draw(values[what])
        new = dataclasses.replace(old, **{what: value})
        log = self.league.log()

        def change(**how: Any) -> Change:
            return self.league.amend(old.id, **{what: value}, **how)

        if new == old:
            assert not change().applied
            assert self.league.log().equals(log)
            return
        self.changed(change, lambda: self.plain.put(new), data, contests=[old.id])

    @precondition(lambda self: self.plain.games)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        game = self.some_game(data)
        self.changed(
            lambda **how: self.league.remove(game.id, **how),
            lambda: self.plain.games.pop(game.id),
            data,
            contests=[game.id],
        )

    @precondition(lambda self: self.plain.games)
    @rule(data=st.data())
    def disqualify(self, data: st.DataObject) -> None:
        game = self.some_game(data)
        player = data.draw(st.sampled_from(sorted(game.players)))
        if len(game.rows) == 1:
            self.refused(
                lambda **how: self.league.disqualify(game.id, player, **how), "remove the contest"
            )
            return
        self.changed(
            lambda **how: self.league.disqualify(game.id, player, **how),
            lambda: self.plain.put(game.without(player)),
            data,
            contests=[game.id],
        )
        self.disqualified.append((game, player, len(self.ops)))

    @precondition(lambda self: self.disqualified)
    @rule(data=st.data())
    def reinstate(self, data: st.DataObject) -> None:
        was, player, after = data.draw(st.sampled_from(self.disqualified))
        now = self.plain.games.get(was.id)
        since = self.ops[after:]
        turned = any(len(op.numbers) > 1 for op in self.ops)
        if now is None or turned or any(op.kind in ("rename", "merge") for op in since):
            return

        def change(**how: Any) -> Change:
            return self.league.reinstate(was.id, player, **how)

        if player in now.players:
            self.refused(change, "takes part")
            return
        others = was.only(tuple(row for row in was.rows if row.player in now.players))
        if not _same_places(others, now):
            return
        back = was.only(tuple(row for row in was.rows if row.player in {*now.players, player}))
        eligible = {row.player: row.eligible for row in now.rows}
        new = dataclasses.replace(
            now,
            rows=tuple(
                dataclasses.replace(row, eligible=eligible.get(row.player, row.eligible))
                for row in back.rows
            ),
            margin=back.margin,
        )
        self.changed(change, lambda: self.plain.put(new), data, contests=[was.id])

    @precondition(lambda self: self.plain.games and self.kind is KINDS["contests"])
    @rule(data=st.data(), tied=st.sampled_from([True, False]))
    def add(self, data: st.DataObject, tied: bool) -> None:
        old = self.some_game(data)
        name = data.draw(st.sampled_from([*PLAYERS, "zoe"]))
        meant = self.plain.aliases.get(name, name)
        ranks = sorted({row.rank for row in old.rows} | {len(old.rows) + 1})
        rank = data.draw(st.sampled_from(ranks))

        def change(**how: Any) -> Change:
            late = [{"player": name, "rank": rank}]
            return self.league.add(old.id, late, tied=tied, **how)

        if meant in old.players:
            self.refused(change, "takes part")
            return
        behind = rank if not tied else rank + 1
        rows = (
            *(dataclasses.replace(row, rank=row.rank + (row.rank >= behind)) for row in old.rows),
            Row(meant, rank),
        )
        new = dataclasses.replace(old, rows=rows)
        new = dataclasses.replace(new, rows=self.settled(old, new))
        self.changed(change, lambda: self.plain.put(new), data, contests=[old.id])

    @precondition(lambda self: self.plain.players)
    @rule(data=st.data(), new_name=st.sampled_from(NEW_NAMES), keep_old=st.booleans())
    def rename(self, data: st.DataObject, new_name: str, keep_old: bool) -> None:
        plain = self.plain
        player = data.draw(st.sampled_from(sorted(plain.players)))
        taken = plain.aliases.get(new_name, new_name if new_name in plain.players else player)

        def change(**how: Any) -> Change:
            return self.league.rename(player, new_name, keep_old=keep_old, **how)

        if new_name == player:
            assert not change().applied
            return
        if taken != player:
            self.refused(change, "podium merge")
            return

        def model() -> None:
            self.change_name(player, new_name)
            self.plain.aliases.pop(new_name, None)
            if keep_old:
                self.plain.aliases[player] = new_name

        called = {new_name: player}
        names = [player, new_name]
        self.changed(change, model, data, called=called, kind="rename", names=names)

    @precondition(lambda self: len(self.plain.players) > 1)
    @rule(data=st.data())
    def merge(self, data: st.DataObject) -> None:
        plain = self.plain
        players = st.lists(
            st.sampled_from(sorted(plain.players)), min_size=2, max_size=2, unique=True
        )
        player, into = data.draw(players)

        def change(**how: Any) -> Change:
            return self.league.merge(player, into, **how)

        if any({player, into} <= game.players for game in plain.games.values()):
            self.refused(change, "both took part")
            return

        def model() -> None:
            self.change_name(player, into)
            self.plain.aliases[player] = into

        theirs = [id for id, game in plain.games.items() if player in game.players]
        names = [player, into]
        self.changed(change, model, data, kind="merge", names=names, contests=theirs)

    @precondition(lambda self: self.others)
    @rule(data=st.data())
    def revise(self, data: st.DataObject) -> None:
        system = data.draw(st.sampled_from(self.others))
        if system in self.revisions.values():
            self.refused(lambda **how: self.league.revise(system, **how), "is that system")
            return
        name = f"revision {len(self.revisions)}"

        def model() -> None:
            self.revisions[name] = system
            self.in_force(name)

        self.changed(
            lambda **how: self.league.revise(system, name=name, **how), model, data, kind="revise"
        )

    @precondition(lambda self: len(self.revisions) > 1)
    @rule(data=st.data(), named=st.booleans())
    def rollback(self, data: st.DataObject, named: bool) -> None:
        name = data.draw(st.sampled_from(sorted(self.revisions))) if named else self.previous
        if name == self.active:
            assert not self.league.rollback(name).applied
            return
        given = name if named else None
        self.changed(
            lambda **how: self.league.rollback(given, **how),
            lambda: self.in_force(name),
            data,
            kind="rollback",
        )

    @rule(data=st.data(), rules=st.sampled_from(RULES))
    def set_rules(self, data: st.DataObject, rules: Rules) -> None:
        if rules == self.plain.rules:
            assert not self.league.set_rules(rules).applied
            return

        def model() -> None:
            self.plain.rules = rules

        self.changed(lambda **how: self.league.set_rules(rules, **how), model, data, kind="rules")

    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        standing = [op for op in self.ops if op.stands]
        if not standing:
            self.refused(self.league.undo, "nothing to take back")
            return
        self.turned(self.league.undo, max(standing, key=lambda op: op.numbers[-1]), None, data)

    @precondition(lambda self: any(op.stands for op in self.ops))
    @rule(data=st.data())
    def undo_an_earlier_change(self, data: st.DataObject) -> None:
        op = data.draw(st.sampled_from([op for op in self.ops if op.stands]))
        number = data.draw(st.sampled_from([op.numbers[0], op.numbers[-1]]))
        self.turned(self.league.undo, op, number, data)

    @rule(data=st.data())
    def redo(self, data: st.DataObject) -> None:
        back = [op for op in self.ops if not op.stands]
        if not back:
            self.refused(self.league.redo, "nothing to make again")
            return
        self.turned(self.league.redo, max(back, key=lambda op: op.numbers[-1]), None, data)

    @precondition(lambda self: not all(op.stands for op in self.ops))
    @rule(data=st.data(), by_undoing=st.booleans())
    def redo_an_earlier_change(self, data: st.DataObject, by_undoing: bool) -> None:
        op = data.draw(st.sampled_from([op for op in self.ops if not op.stands]))
        if by_undoing:
            self.turned(self.league.undo, op, op.numbers[-1], data)
        else:
            self.turned(self.league.redo, op, op.numbers[0], data)

    def turned(
        self, change: Callable[..., Change], op: Op, number: int | None, data: st.DataObject
    ) -> None:
        """Take a change back or make it again, or be told which one is in the way."""
        latest = op.numbers[-1]
        later = {at: other for other in self.ops if (at := other.since(latest)) is not None}
        surely = [at for at, other in later.items() if op.needs(other)]
        complaint = self.complaint(lambda: change(number, dry_run=True))
        if complaint is not None:
            found = re.search("podium undo LEAGUE ([0-9]+) takes that back first", complaint)
            if found is not None:
                assert int(found[1]) in later
                assert int(found[1]) >= max(surely, default=0)
            else:
                assert re.search("is another name of|is somebody else's", complaint)
            self.refused(lambda **how: change(number, **how), re.escape(complaint))
            return
        assert not surely
        called = op.called if not op.stands else {old: new for new, old in op.called.items()}

        def model() -> None:
            op.numbers.append(self.league.log(1)["number"].item())
            self.replay()

        self.changed(lambda **how: change(number, **how), model, data, called=called, kind="turn")

    def replay(self) -> None:
        """Plain data as if what is taken back had never been."""
        self.plain = PlainLeague(self.revisions["first"])
        self.revisions = {"first": self.plain.system}
        self.active, self.previous = "first", "first"
        for op in self.ops:
            if op.stands:
                op.model()
        there = {name for game in self.plain.games.values() for name in game.players}
        for each in self.plain.players - there:  # a league need not know who has no result
            if self.complaint(functools.partial(self.league.history_of, each)) is not None:
                self.plain.players.discard(each)

    def complaint(self, ask: Callable[[], Any]) -> str | None:
        """What a league says that does not answer or change, if it does not."""
        try:
            ask()
        except PodiumError as error:
            return str(error)
        return None

    # What is checked

    def changed(
        self,
        change: Callable[..., Change],
        model: Callable[[], Any],
        data: st.DataObject,
        called: dict[str, str] | None = None,
        kind: str = "contests",
        contests: Iterable[str] = (),
        names: Iterable[str] = (),
    ) -> None:
        """Do it, perhaps after trying it only, and compare everything."""
        before = self.plain.shown(self.plain.replayed())
        tried = None
        if data.draw(st.sampled_from([False, False, True])):
            log = self.league.log()
            tried = change(dry_run=True)
            assert not tried.applied
            assert self.league.log().equals(log)
            assert_same_league(self.league, self.plain)
        logged = self.league.log().height
        done = change(who="ann", why="because")
        model()
        if kind != "turn":
            numbers = [self.league.log(1)["number"].item()]
            self.ops.append(Op(model, numbers, kind, {*contests}, {*names}, called or {}))
        assert done.applied
        assert self.league.log().height == logged + 1
        renamed = called or {}
        after = self.plain.shown(self.plain.replayed())
        after = {renamed.get(name, name): rating for name, rating in after.items()}
        found = {name: (one, other) for name, one, other, _ in done.moves.iter_rows()}
        assert found == moves(before, after)
        if tried is not None:
            assert {**tried.document(), "applied": True} == done.document()
            assert tried.moves.equals(done.moves)
        assert_same_league(self.league, self.plain)
        self.steps += 1
        if self.steps % self.verify_every == 0:
            assert self.league.verify().differences == []

    def refused(self, change: Callable[..., Change], says: str) -> None:
        log = self.league.log()
        for dry_run in (True, False):
            with pytest.raises(PodiumError, match=says):
                change(dry_run=dry_run)
        assert self.league.log().equals(log)

    def teardown(self) -> None:
        assert self.league.verify().differences == []
        assert_same_league(self.league, self.plain)
        assert_same_results(self.league, self.plain)
        self.league.close()

    # The model

    def some_game(self, data: st.DataObject) -> Game:
        ids = sorted(self.plain.games, key=natural)
        return self.plain.games[data.draw(st.sampled_from(ids))]

    def settled(self, old: Game, new: Game) -> tuple[Row, ...]:
        """Who is eligible in other results of a contest: as before, and newly judged who joins."""
        judged = self.plain.judged(
            dataclasses.replace(new, time=old.time, floor=old.floor, ceiling=old.ceiling)
        )
        was = {row.player: row.eligible for row in old.rows}
        return tuple(
            dataclasses.replace(row, eligible=was.get(row.player, by_rating.eligible))
            for row, by_rating in zip(new.rows, judged.rows, strict=True)
        )

    def change_name(self, player: str, new_name: str) -> None:
        plain = self.plain
        plain.games = {id: game.renamed({player: new_name}) for id, game in plain.games.items()}
        plain.players = plain.players - {player} | {new_name}
        for alias, name in plain.aliases.items():
            if name == player:
                plain.aliases[alias] = new_name

    def in_force(self, name: str) -> None:
        self.active, self.previous = name, self.active
        self.plain.system = self.revisions[name]


def _same_places(one: Game, other: Game) -> bool:
    """Whether two contests have the same rows, whoever is eligible."""
    rows = [
        {row.player: dataclasses.replace(row, eligible=True) for row in game.rows}
        for game in (one, other)
    ]
    return rows[0] == rows[1]


def _same(one: Game, other: Game) -> bool:
    """Whether two contests with one identifier are recorded as the same."""
    return as_contests([one]) == as_contests([other])
