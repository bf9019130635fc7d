"""The names of a league from before names had one spelling."""

import dataclasses
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from sqlalchemy import Connection, delete, insert, select, update

from podium.league import edits, players, revisions, schema, standings
from podium.league.database import mapping, within
from podium.league.edits import NO_MOVES, Changing, Edit
from podium.progress import Report
from podium.ratings import arithmetic
from podium.texts import normalised


@dataclass(frozen=True)
class Spelling:
    """Names that are spelt otherwise now, and names that are not."""

    respelt: list[tuple[str, str, str]] = field(default_factory=list)
    """What is called so, `player`, `alias`, `contest` or `title`, and its name before and after."""
    reordered: list[str] = field(default_factory=list)
    """Contests that are rated again, because those who tie stand in another order."""
    alike: list[list[str]] = field(default_factory=list)
    """Names of different players, or contests, that would be one; they were left alone."""
    replayed: int = 0
    moves: pl.DataFrame = field(default_factory=lambda: NO_MOVES)


def put_right(connection: Connection, report: Report) -> Spelling:
    """Give all names their one spelling, and rate again what depends on it."""
    plan = _Plan(connection)
    if not plan.respelt:
        return Spelling(alike=plan.alike)
    edit, reordered = _edit(connection, plan)
    _write_names(connection, plan)
    active, start = revisions.in_force(connection), edit.start
    if active.arithmetic == arithmetic.ARITHMETIC:
        change = Changing(connection, True, None, None, report)
        moves, replayed = change.make(edit), change.replayed
    else:  # all is rated anew afterwards
        moves, replayed = NO_MOVES, 0
        edits.write_edit(connection, edit)
        if start is not None:
            revisions.mark_stale(connection, active.id, *start)
    return Spelling(plan.respelt, reordered, plan.alike, replayed, moves)


class _Plan:
    """Which names change, and which cannot."""

    def __init__(self, connection: Connection) -> None:
        p, a, c = schema.players, schema.aliases, schema.contests
        self.alike: list[list[str]] = []
        self.players: dict[int, str] = {}
        self.contests: dict[int, str] = {}
        self.old_aliases: list[str] = []
        self.new_aliases: dict[str, int] = {}
        self.titles: dict[int, str | None] = {}
        self.respelt: list[tuple[str, str, str]] = []
        names = mapping(connection, select(p.c.name, p.c.id))
        aliases = mapping(connection, select(a.c.name, a.c.player_id))
        for name, spellings in self._groups((*names, *aliases), {**aliases, **names}):
            self._respell_player(name, spellings, names, aliases)
        identifiers = mapping(connection, select(c.c.contest, c.c.id))
        for name, (old,) in self._groups(identifiers, identifiers):
            self.contests[identifiers[old]] = name
            self.respelt.append(("contest", old, name))
        titles = mapping(connection, select(c.c.id, c.c.name).where(c.c.name.is_not(None)))
        for number, title in titles.items():
            if title != (spelt := normalised(title)):
                self.titles[number] = spelt or None
                self.respelt.append(("title", title, spelt))

    def _groups(
        self, names: Iterable[str], owners: dict[str, int]
    ) -> Iterable[tuple[str, list[str]]]:
        """Spellings of one name that belong to one owner and of which some are to change."""
        together: defaultdict[str, list[str]] = defaultdict(list)
        for name in names:
            together[normalised(name)].append(name)
        for name, spellings in together.items():
            if spellings == [name]:
                continue
            if not name or len({owners[each] for each in spellings}) > 1:
                self.alike.append(sorted(spellings))
            else:
                yield name, spellings

    def _respell_player(
        self, name: str, spellings: list[str], names: dict[str, int], aliases: dict[str, int]
    ) -> None:
        own = next((each for each in spellings if each in names), None)
        others = [each for each in spellings if each != own]
        self.old_aliases += others
        if own is not None and own != name:
            self.players[names[own]] = name
            self.respelt.append(("player", own, name))
        if own is None:
            self.new_aliases[name] = aliases[others[0]]
        self.respelt += [("alias", each, name) for each in others if each != name]


def _edit(connection: Connection, plan: _Plan) -> tuple[Edit, list[str]]:
    """Contests whose identifier or order changes, and the identifiers of the latter."""
    c, s = schema.contests, schema.standings
    theirs = within(connection, s.c.player_id, list(plan.players))
    took_part = select(s.c.contest_id).where(schema.in_batches(), theirs)
    concerned = c.c.id.in_(took_part) | within(connection, c.c.id, list(plan.contests))
    old = standings.load(connection, concerned, given=True)
    if not len(old):
        return Edit(), []
    names = players.names_of(connection, np.unique(old.columns.player).astype(np.int64))
    new = old.by_name({**names, **plan.players})
    other_row = new.columns.player != old.columns.player
    is_other = np.logical_or.reduceat(other_row, old.columns.offsets[:-1])
    called = [
        plan.contests.get(number, id)
        for number, id in zip(old.number.tolist(), old.contest, strict=True)
    ]
    reordered = [called[each] for each in np.flatnonzero(is_other & old.rated).tolist()]
    is_other |= np.isin(old.number, list(plan.contests))
    which = np.flatnonzero(is_other)
    titles = [
        plan.titles.get(number, title)
        for number, title in zip(old.number.tolist(), old.name, strict=True)
    ]
    put = dataclasses.replace(new, contest=called, name=titles).take(which).in_order()
    return Edit(dropped=old.take(which), put=put), reordered


def _write_names(connection: Connection, plan: _Plan) -> None:
    p, a, c = schema.players, schema.aliases, schema.contests
    for table, names in ((p, plan.players), (c, plan.titles)):
        for number, name in names.items():
            connection.execute(update(table).where(table.c.id == number).values(name=name))
    connection.execute(delete(a).where(within(connection, a.c.name, plan.old_aliases)))
    for name, player in plan.new_aliases.items():
        connection.execute(insert(a).values(name=name, player_id=player))
