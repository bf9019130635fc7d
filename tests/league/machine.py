"""A league under random changes, beside plain data that are rated from scratch after each."""

import dataclasses
import functools
import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from podium import Attribute, League, PodiumError, Season
from podium.league import Change, Rules
from podium.results.tables import natural
from podium.systems import EloMMR
from podium.systems.base import System
from tests.league.games import IDENTIFIERS, KINDS, NAMES_OF_CONTESTS, PLAYERS, TIMES, WEIGHTS
from tests.league.plain import (
    DAY,
    Game,
    PlainLeague,
    Row,
    Start,
    as_contests,
    assert_same_league,
    assert_same_past,
    assert_same_results,
    moves,
)

NEW_NAMES = ["ann", "zoe", "a", "Zed", "ann 3", "dan 10"]
TITLES = ((1450.0, "pupil"), (1500.0, "expert"), (1600.0, "master"))
RULES = [
    Rules(),
    Rules("mean"),
    Rules(titles=TITLES, keep_titles=True),
    Rules("mean", titles=TITLES, keep_titles=True, provisional_until=2),
    Rules(hidden_until=2, titles=TITLES, provisional_until=3, hide_provisional=True),
]
SEASONS = ["spring", "summer 2", "summer 10"]
ATTRIBUTES = ["country", "club", "born:number"]
VALUES = {
    "country": ["NO", "7"],
    "club": ["1990", "2001.0"],
    "born": ["1990", "2001"],
    "display": ["Ann Lee", "bob"],
}
MOMENTS = st.integers(0, 14).map(lambda half: half * DAY // 2)


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
    people: set[str] = dataclasses.field(default_factory=set)
    """Of whom it says something besides results."""
    season: str | None = None
    attributes: set[str] = dataclasses.field(default_factory=set)
    """Those that it defines or removes, or by which it says something of players."""

    @property
    def stands(self) -> bool:
        return len(self.numbers) % 2 == 1

    def since(self, number: int) -> int | None:
        """The entry of it that stands, of those after that number."""
        later = [each for each in self.numbers if each > number]
        return later[-1] if len(later) % 2 else None

    def needs(self, later: "Op") -> bool:
        """Whether a later change surely depends on this one."""
        revisions, known = {"revise", "rollback"}, {"people", "attributes"}
        return (
            not self.contests.isdisjoint(later.contests)
            or not self.names.isdisjoint(later.names)
            or (later.kind == "revise" and later.stands and self.kind not in known)
            or {self.kind, later.kind} <= revisions
            or self.kind == later.kind == "rules"
            or (self.season is not None and self.season == later.season)
            or (
                "attributes" in (self.kind, later.kind)
                and not self.attributes.isdisjoint(later.attributes)
            )
        )

    def is_about_whom(self, later: "Op") -> bool:
        """Whether both say the same of somebody, who has one name all the time."""
        return self.kind == later.kind and not self.people.isdisjoint(later.people)


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

    @rule(
        data=st.data(),
        count=st.sampled_from([1, 1, 1, 2, 4]),
        rated=st.sampled_from([1, 1, 0]),
        with_guests=st.sampled_from([False, False, True]),
    )
    def record(self, data: st.DataObject, count: int, rated: int, with_guests: bool) -> None:
        free = IDENTIFIERS.filter(lambda each: each not in self.plain.games)
        games = [
            dataclasses.replace(data.draw(self.kind(id)), rated=bool(rated))
            for id in data.draw(st.lists(free, min_size=count, max_size=count, unique=True))
        ]
        meant = [self.plain.meant(game) for game in games]
        crowded = any(len(game.players) < len(game.rows) for game in meant)
        guests = self.guests_among(games, data) if with_guests else []
        of_today = frozenset(self.plain.aliases.get(name, name) for name in guests)
        meant = [self.plain.invited(game, of_today) for game in meant]

        def change(**how: Any) -> Change:
            return self.league.record(as_contests(games), rated=bool(rated), guests=guests, **how)

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
                settled.append(self.plain.invited(self.plain.judged(game)))
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
            if player in self.plain.guests:
                self.plain.guests ^= {player, new_name}
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

        numbers = self.number_of(player), self.number_of(into)
        first, second = (plain.people.get(each, {}) for each in numbers)
        differ = [name for name in first.keys() & second.keys() if first[name] != second[name]]
        keep = {name: data.draw(st.sampled_from(["first", "second"])) for name in sorted(differ)}

        def change(**how: Any) -> Change:
            return self.league.merge(player, into, keep=keep, **how)

        if differ:
            self.refused(lambda **how: self.league.merge(player, into, **how), "say whose stays")
        if any({player, into} <= game.players for game in plain.games.values()):
            self.refused(change, "both took part")
            return

        def model() -> None:
            gone, stays = (self.plain.people.pop(each, {}) for each in numbers)
            chosen = {name: gone[name] for name, whose in keep.items() if whose == "first"}
            self.plain.people[numbers[1]] = gone | stays | chosen
            self.change_name(player, into)
            self.plain.guests.discard(player)
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

    @precondition(lambda self: self.plain.players)
    @rule(data=st.data(), guest=st.sampled_from([True, True, False]))
    def set_guest(self, data: st.DataObject, guest: bool) -> None:
        player = data.draw(st.sampled_from(sorted(self.plain.players)))

        def change(**how: Any) -> Change:
            return self.league.set_guest(player, guest, **how)

        def model() -> None:
            (self.plain.guests.add if guest else self.plain.guests.remove)(player)

        if guest == (player in self.plain.guests):
            assert not change().applied
            return
        self.changed(change, model, data, kind="guest", people=[player])

    @rule(data=st.data(), given=st.sampled_from(ATTRIBUTES), public=st.booleans())
    def define_attribute(self, data: st.DataObject, given: str, public: bool) -> None:
        attribute = Attribute.parse(given, public=public)
        name = attribute.name

        def change(**how: Any) -> Change:
            return self.league.define_attributes(given, public=public, **how)

        def model() -> None:
            self.plain.attributes[name] = attribute

        if self.plain.attributes.get(name) == attribute:
            assert not change().applied
        else:
            self.changed(change, model, data, kind="attributes", attributes=[name])

    @precondition(lambda self: self.plain.attributes)
    @rule(data=st.data(), kind=st.sampled_from(["text", "number"]))
    def change_kind(self, data: st.DataObject, kind: str) -> None:
        old = data.draw(st.sampled_from(sorted(self.plain.attributes.values(), key=str)))
        new = dataclasses.replace(old, kind=kind)
        there = [each[old.name] for each in self.plain.people.values() if old.name in each]

        def change(**how: Any) -> Change:
            return self.league.define_attributes(new, **how)

        def model() -> None:
            self.plain.attributes[new.name] = new
            for each in self.plain.people.values():
                if new.name in each:
                    each[new.name] = new.checked(each[new.name])

        if new == old:
            assert not change().applied
        elif "NO" in there:
            self.refused(change, "must be a number")
        else:
            self.changed(change, model, data, kind="attributes", attributes=[new.name])

    @precondition(lambda self: self.plain.attributes)
    @rule(data=st.data())
    def remove_attribute(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.plain.attributes)))

        def model() -> None:
            del self.plain.attributes[name]
            for each in self.plain.people.values():
                each.pop(name, None)

        self.changed(
            lambda **how: self.league.remove_attributes(name, **how),
            model,
            data,
            kind="attributes",
            attributes=[name],
        )

    @rule(data=st.data(), name=st.sampled_from([*PLAYERS, "zoe"]))
    def describe(self, data: st.DataObject, name: str) -> None:
        field = data.draw(st.sampled_from(["display", *sorted(self.plain.attributes)]))
        values = VALUES[field]
        if field in self.plain.attributes and self.plain.attributes[field].kind == "number":
            values = [each for each in values if each != "NO"]
        value = data.draw(st.sampled_from([None, *values]))
        meant = self.plain.aliases.get(name, name)
        kept = None if field == "display" and value == meant else value
        if kept is not None and field != "display":
            kept = self.plain.attributes[field].checked(kept)
        known = self.number_of(meant)
        now = self.plain.people.get(known, {}).get(field) if known is not None else None

        def change(**how: Any) -> Change:
            return self.league.describe(name, {field: value}, new=True, **how)

        number: list[int] = []

        def model() -> None:
            self.plain.players.add(meant)
            number[:] = number or [self.number_of(meant) or 0]
            self.tell(number[0], meant, field, kept)

        if known is not None and now == kept:
            assert not change().applied
            return
        touched = [] if now == kept else [field]
        self.changed(
            change,
            model,
            data,
            kind="people",
            people=[f"{meant}: {each}" for each in touched],
            attributes=touched,
        )

    @precondition(lambda self: self.plain.players)
    @rule(data=st.data(), hidden=st.sampled_from([True, True, False]))
    def hide_or_show(self, data: st.DataObject, hidden: bool) -> None:
        player = data.draw(st.sampled_from(sorted(self.plain.players)))
        number = self.number_of(player)
        assert number is not None

        def change(**how: Any) -> Change:
            return (self.league.hide if hidden else self.league.show)(player, **how)

        def model() -> None:
            self.tell(number, player, "hidden", hidden or None)

        if hidden == ("hidden" in self.plain.people.get(number, {})):
            assert not change().applied
            return
        self.changed(change, model, data, kind="people", people=[f"{player}: hidden"])

    def number_of(self, player: str) -> int | None:
        """The number that the league has for a player of this very name, if there is one."""
        people = self.league.people(with_hidden=True)
        found = people.filter(people["player"] == player)["id"]
        return None if found.is_empty() else found.item()

    def tell(self, number: int, player: str, field: str, value: Any) -> None:
        """Let something be known of a player, or with None no more."""
        if number not in self.league.people(with_hidden=True)["id"]:
            number = self.number_of(player) or number  # who was forgotten has come anew
        fields = self.plain.people.setdefault(number, {})
        if value is None:
            fields.pop(field, None)
        else:
            fields[field] = value

    @rule(
        data=st.data(),
        name=st.sampled_from(SEASONS),
        begins=MOMENTS,
        pull=st.sampled_from([None, 0.0, 0.3, 0.5, 1.0]),
        toward=st.sampled_from([None, None, -0.5, 0.25]),
        sigma=st.sampled_from([None, None, 0.5, 1.0]),
    )
    def begin_season(
        self,
        data: st.DataObject,
        name: str,
        begins: int,
        pull: float | None,
        toward: float | None,
        sigma: float | None,
    ) -> None:
        reset = {"pull": pull}
        if pull is not None:
            mu, uncertain = self.rating(toward or 0.0, sigma)
            reset |= {"toward": None if toward is None else mu, "sigma": uncertain}
        season = Season(name, begins, **reset)

        def change(**how: Any) -> Change:
            return self.league.season(name, begins, **reset, **how)

        def model() -> None:
            self.plain.seasons[name] = season

        if self.plain.seasons.get(name) == season:
            assert not change().applied
        elif any(
            each.start == season.start for each in self.plain.seasons.values() if each.name != name
        ):
            self.refused(change, "two cannot at one moment")
        else:
            self.changed(change, model, data, kind="season", season=name)

    @rule(data=st.data(), name=st.sampled_from(SEASONS))
    def remove_season(self, data: st.DataObject, name: str) -> None:
        def change(**how: Any) -> Change:
            return self.league.remove_season(name, **how)

        if name not in self.plain.seasons:
            self.refused(change, "there is no season")
            return
        self.changed(change, lambda: self.plain.seasons.pop(name), data, kind="season", season=name)

    @rule(
        data=st.data(),
        names=st.lists(st.sampled_from([*PLAYERS, "zoe"]), min_size=1, max_size=3, unique=True),
        time=st.none() | MOMENTS,
    )
    def start(self, data: st.DataObject, names: list[str], time: int | None) -> None:
        parts = st.sampled_from([-1.0, -0.2, 0.4, 1.3])
        uncertainties = st.sampled_from([None, 0.3, 0.8])
        given = {name: self.rating(data.draw(parts), data.draw(uncertainties)) for name in names}
        meant = {self.plain.aliases.get(name, name): start for name, start in given.items()}

        def change(**how: Any) -> Change:
            return self.league.start(given, time, **how)

        def model() -> None:
            for player, start in meant.items():
                self.plain.starts[player, time] = start
            self.plain.players |= meant.keys()

        if len(meant) < len(given):
            self.refused(change, "two names")
        elif all(self.plain.starts.get((each, time)) == start for each, start in meant.items()):
            assert not change().applied
        else:
            self.changed(change, model, data, kind="start", people=meant)

    @precondition(lambda self: self.plain.players)
    @rule(data=st.data(), time=st.none() | MOMENTS, there=st.sampled_from([True, True, False]))
    def remove_start(self, data: st.DataObject, time: int | None, there: bool) -> None:
        starts = self.plain.starts
        if there and starts:
            player, time = data.draw(st.sampled_from(sorted(starts, key=str)))
        else:
            player = data.draw(st.sampled_from(sorted(self.plain.players)))

        def change(**how: Any) -> Change:
            return self.league.remove_start(player, time, **how)

        def model() -> None:
            starts = self.plain.starts
            gone = [key for key in starts if key[0] == player and time in (None, key[1])]
            for key in gone:
                del starts[key]

        if not any(name == player and time in (None, at) for name, at in starts):
            self.refused(change, "has no starting rating")
            return
        self.changed(change, model, data, kind="start", people=[player])

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
        if not any(each.names for each in self.ops):
            surely += [at for at, other in later.items() if op.is_about_whom(other)]
        complaint = self.complaint(lambda: change(number, dry_run=True))
        if complaint is not None:
            found = re.search("podium undo LEAGUE ([0-9]+) takes that back first", complaint)
            if found is not None:
                assert int(found[1]) in later
                assert int(found[1]) >= max(surely, default=0)
            else:
                assert re.search(
                    "is another name of|is somebody else's|begins at .* by now", complaint
                )
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
        there |= {name for name, _ in self.plain.starts}
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
        people: Iterable[str] = (),
        season: str | None = None,
        attributes: Iterable[str] = (),
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
            touched = {*contests}, {*names}, called or {}, {*people}, season, {*attributes}
            self.ops.append(Op(model, numbers, kind, *touched))
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
        assert self.league.verify(export=True).differences == []
        assert_same_league(self.league, self.plain)
        assert_same_results(self.league, self.plain)
        if isinstance(self.plain.system, EloMMR):
            assert_same_past(self.league, self.plain, [0, 2 * DAY, 5 * DAY // 2, 7 * DAY])
        self.league.close()

    # The model

    def some_game(self, data: st.DataObject) -> Game:
        ids = sorted(self.plain.games, key=natural)
        return self.plain.games[data.draw(st.sampled_from(ids))]

    def guests_among(self, games: list[Game], data: st.DataObject) -> list[str]:
        """Some who take part in games, by the names that these have."""
        there = sorted({name for game in games for name in game.players})
        return data.draw(st.lists(st.sampled_from(there), max_size=2, unique=True))

    def rating(self, part: float, uncertainty: float | None) -> Start:
        """A rating some part of a newcomer's uncertainty away from a newcomer's, and another."""
        new = self.plain.system.newcomer()
        scale = new["sigma"] if new["sigma"] == new["sigma"] else 100.0
        return new["mu"] + part * scale, None if uncertainty is None else uncertainty * scale

    def settled(self, old: Game, new: Game) -> tuple[Row, ...]:
        """Who is eligible in other results of a contest: as before, and newly judged who joins."""
        judged = self.plain.judged(
            dataclasses.replace(new, time=old.time, floor=old.floor, ceiling=old.ceiling)
        )
        judged = self.plain.invited(judged)
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
        theirs = {key: start for key, start in plain.starts.items() if key[0] == player}
        for key, start in theirs.items():
            del plain.starts[key]
            plain.starts.setdefault((new_name, key[1]), start)

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
