"""A league under random changes, beside plain data that are rated from scratch after each."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from podium import League, PodiumError
from podium.league import Change, Rules
from podium.results.tables import natural
from podium.systems.base import System
from tests.league.games import IDENTIFIERS, KINDS, NAMES_OF_CONTESTS, TIMES, WEIGHTS
from tests.league.plain import (
    Game,
    PlainLeague,
    as_contests,
    assert_same_league,
    assert_same_results,
    moves,
)

NEW_NAMES = ["ann", "zoe", "a", "Zed", "ann 3", "dan 10"]
RULES = [Rules(), Rules("mean"), Rules(hidden_until=0, titles=((1500.0, "expert"),))]


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
        self.changed(change, lambda: [self.plain.put(game) for game in meant], data)

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

        def model() -> None:
            for game in sorted(games, key=lambda game: game.turn):
                self.plain.put(self.plain.judged(game))

        self.changed(change, model, data)

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

        def model() -> None:
            judged = self.plain.judged(
                dataclasses.replace(new, time=old.time, floor=old.floor, ceiling=old.ceiling)
            )
            was = {row.player: row.eligible for row in old.rows}
            rows = tuple(
                dataclasses.replace(row, eligible=was.get(row.player, by_rating.eligible))
                for row, by_rating in zip(new.rows, judged.rows, strict=True)
            )
            self.plain.put(
                dataclasses.replace(
                    new,
                    rows=rows,
                    rated=old.rated,
                    floor=old.floor,
                    ceiling=old.ceiling,
                )
            )

        self.changed(
            lambda **how: self.league.amend(old.id, as_contests([given]), removing=True, **how),
            model,
            data,
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
        self.changed(change, lambda: self.plain.put(new), data)

    @precondition(lambda self: self.plain.games)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        game = self.some_game(data)
        self.changed(
            lambda **how: self.league.remove(game.id, **how),
            lambda: self.plain.games.pop(game.id),
            data,
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
        )

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
            plain.aliases.pop(new_name, None)
            if keep_old:
                plain.aliases[player] = new_name

        self.changed(change, model, data, called={new_name: player})

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
            plain.aliases[player] = into

        self.changed(change, model, data)

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

        self.changed(lambda **how: self.league.revise(system, name=name, **how), model, data)

    @precondition(lambda self: len(self.revisions) > 1)
    @rule(data=st.data(), named=st.booleans())
    def rollback(self, data: st.DataObject, named: bool) -> None:
        name = data.draw(st.sampled_from(sorted(self.revisions))) if named else self.previous
        if name == self.active:
            assert not self.league.rollback(name).applied
            return
        given = name if named else None
        self.changed(
            lambda **how: self.league.rollback(given, **how), lambda: self.in_force(name), data
        )

    @rule(data=st.data(), rules=st.sampled_from(RULES))
    def set_rules(self, data: st.DataObject, rules: Rules) -> None:
        if rules == self.plain.rules:
            assert not self.league.set_rules(rules).applied
            return

        def model() -> None:
            self.plain.rules = rules

        self.changed(lambda **how: self.league.set_rules(rules, **how), model, data)

    # What is checked

    def changed(
        self,
        change: Callable[..., Change],
        model: Callable[[], Any],
        data: st.DataObject,
        called: dict[str, str] | None = None,
    ) -> None:
        """Do it, perhaps after trying it only, and compare everything."""
        plain = self.plain
        before = plain.shown(plain.replayed())
        tried = None
        if data.draw(st.sampled_from([False, False, True])):
            log = self.league.log()
            tried = change(dry_run=True)
            assert not tried.applied
            assert self.league.log().equals(log)
            assert_same_league(self.league, plain)
        logged = self.league.log().height
        done = change(who="ann", why="because")
        model()
        assert done.applied
        assert self.league.log().height == logged + 1
        names = called or {}
        after = plain.shown(plain.replayed())
        after = {names.get(name, name): rating for name, rating in after.items()}
        found = {name: (one, other) for name, one, other, _ in done.moves.iter_rows()}
        assert found == moves(before, after)
        if tried is not None:
            assert {**tried.document(), "applied": True} == done.document()
            assert tried.moves.equals(done.moves)
        assert_same_league(self.league, plain)
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


def _same(one: Game, other: Game) -> bool:
    """Whether two contests with one identifier are recorded as the same."""
    return as_contests([one]) == as_contests([other])
