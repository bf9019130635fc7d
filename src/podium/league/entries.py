"""The entries of a log: which of them stand, what each touches, and which is in another's way.

An entry that is taken back, made again, taken back once more and so on is a chain: the change
itself and the entries that say so of it. Seen from some point of the log, what a chain did since is
undone by itself if it has an even number of entries after that point; if the number is odd, the
last of them stands.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from sqlalchemy import Connection, select

from podium.errors import NotFoundError, StorageError
from podium.league import logs, schema
from podium.league.database import as_object, fetch, last, within
from podium.league.logs import State
from podium.wording import counted

TOGGLES = ("undo", "redo")
"""Actions that take back or make again what another entry did."""
FINAL = {
    "init": "made the league, which is not taken back",
    "migrate": "brought the league up to date with podium, which is not taken back",
    "access": "said who may see the league, which podium access says anew",
    "token": "was about a token, which is not taken back",
    "webhook": "was about a webhook, which is not taken back",
    "live": "was about a contest while it ran, which is not taken back",
}
"""Actions that are never taken back, and why."""
_NOUNS = {
    "record": "recording",
    "amend": "amendment",
    "disqualify": "disqualification",
    "remove": "removal",
    "reinstate": "reinstatement",
    "add": "addition",
    "rename": "renaming",
    "merge": "merging",
    "revise": "revision",
    "rules": "change of the rules",
    "season": "season",
    "start": "starting rating",
    "guest": "change of who is a guest",
    "attributes": "change of the attributes",
    "describe": "description",
    "hide": "hiding",
    "show": "showing",
}
OF_A_CONTEST = ("amend", "disqualify", "remove", "reinstate", "add")
OF_CONTESTS = ("record", *OF_A_CONTEST)
OF_NAMES = ("rename", "merge")
OF_GUESTS = ("guest",)
"""Actions that say something of a player, rather than of results."""
OF_REVISIONS = ("revise", "rollback")
OF_PEOPLE = ("attributes", "describe", "hide", "show")
"""Actions that change what is known of players."""


_KINDS: dict[str, type] = {
    **dict.fromkeys(("contests", "recorded", "newcomers", "aliases", "took_part_in"), list),
    **dict.fromkeys(("starts", "players"), list),
    **dict.fromkeys(("rules", "revision", "season"), dict),
    **dict.fromkeys(("attributes", "people", "numbers"), dict),
    "player": str,
    "number": int,
    "guest": bool,
}
_TEXTS = ("recorded", "newcomers", "aliases", "took_part_in", "players")


def listed_in(state: State | None, name: str) -> list[str]:
    """What a state has under a name, nothing if it has none."""
    return [] if state is None else list(state.get(name, ()))


def _checked(state: State) -> State:
    """A state whose parts are of the kinds that the log writes."""
    sound = all(isinstance(state.get(name, kind()), kind) for name, kind in _KINDS.items())
    sound = sound and all(isinstance(each, str) for name in _TEXTS for each in state.get(name, ()))
    sound = sound and all(isinstance(each, dict) for each in state.get("people", {}).values())
    sound = sound and all(type(each) is int for each in state.get("numbers", {}).values())
    contests = state.get("contests", ()) if sound else ()
    if not sound or not all(map(_is_contest, contests)):
        raise StorageError("the log is damaged: what was before a change cannot be read.")
    return state


def _is_contest(each: Any) -> bool:
    rows = each.get("standings") if isinstance(each, dict) else None
    return (
        isinstance(rows, list)
        and isinstance(each.get("contest"), str)
        and all(isinstance(row, dict) and isinstance(row.get("player"), str) for row in rows)
    )


class Entry:
    """An entry of the log; what was before and after it is read if somebody asks."""

    def __init__(
        self,
        connection: Connection,
        number: int,
        action: str,
        contest: str | None,
        player: str | None,
        details: str,
    ) -> None:
        self.number = number
        self.action = action
        self.contest = contest
        self.player = player
        self.details = as_object(details)
        self._connection = connection

    @cached_property
    def before(self) -> State | None:
        """What it replaced; None if it kept nothing."""
        return self._state(schema.log.c.before)

    @cached_property
    def after(self) -> State | None:
        """What by, or what was new; None if it kept nothing."""
        return self._state(schema.log.c.after)

    def _state(self, column: Any) -> State | None:
        found = self._connection.execute(select(column).where(schema.log.c.id == self.number))
        text = logs.unpacked(found.scalar())
        return None if text is None else _checked(as_object(text))

    @property
    def contests(self) -> list[str]:
        """The contests that it touches."""
        if self.action in OF_A_CONTEST:
            return [] if self.contest is None else [self.contest]
        if self.action == "record":
            named = self.details.get("identifiers")
            return named if isinstance(named, list) else listed_in(self.after, "recorded")
        return listed_in(self.before, "took_part_in") if self.action == "merge" else []

    @property
    def names(self) -> list[str]:
        """The names that it gave or took away."""
        if self.action not in OF_NAMES:
            return []
        other = self.details.get("from" if self.action == "rename" else "player")
        return [str(other), str(self.player)]

    @property
    def newcomers(self) -> list[str]:
        """Who was new by it."""
        return listed_in(self.after, "newcomers")

    @property
    def started(self) -> list[str]:
        """To whom it gave a starting rating, or from whom it took one."""
        return listed_in(self.before, "players") if self.action == "start" else []

    @property
    def season(self) -> str | None:
        """The name of the season that it changed."""
        return str(self.details.get("season")) if self.action == "season" else None

    @property
    def people(self) -> list[str]:
        """Of whom it changed what is known."""
        if self.action in OF_PEOPLE:
            return list((self.before or {}).get("people", ()))
        return self.names if self.action == "merge" else []

    @property
    def fields(self) -> set[str]:
        """What of them it changed, and which attributes of the league."""
        before = self.before or {}
        touched = {field for each in before.get("people", {}).values() for field in each}
        return touched | set(before.get("attributes", ()))

    def involves(self, names: set[str]) -> bool:
        """Whether it is about somebody, or took results from somebody, who was called so then."""
        if self.player in names or not names.isdisjoint((*self.names, *self.started, *self.people)):
            return True
        if self.action not in ("amend", "remove"):
            return False
        kept = (self.before or {}).get("contests", [])
        return any(row["player"] in names for each in kept for row in each["standings"])

    @property
    def said(self) -> str:
        """What it is, in a few words: ``disqualify of 'eve' in contest 'week-3'``."""
        noun = _NOUNS.get(self.action, self.action)
        if self.action == "rename":
            return f"{noun} of {self.details.get('from')!r} to {self.player!r}"
        if self.action == "merge":
            return f"{noun} of {self.details.get('player')!r} into {self.player!r}"
        if self.action == "season":
            return f"change of season {self.season!r}"
        if self.action == "start":
            whose = counted(len(self.started), "player")
            return f"{noun} of {whose if self.player is None else repr(self.player)}"
        if self.action in OF_REVISIONS:
            return f"{noun} to {self.details.get('to')!r}"
        if self.action == "guest":
            return f"{noun}, {self.player!r}"
        if self.action == "add":
            whose = "results" if self.player is None else repr(self.player)
            return f"{noun} of {whose} to contest {self.contest!r}"
        if self.action in OF_PEOPLE and self.action != "attributes":
            many = self.details.get("described")
            return f"{noun} of " + (
                repr(self.player) if self.player is not None else counted(many or 0, "player")
            )
        if self.contest is not None:
            whose = "" if self.player is None else f"{self.player!r} in "
            return f"{noun} of {whose}contest {self.contest!r}"
        many = self.details.get("contests")
        return noun if not isinstance(many, int) else f"{noun} of {counted(many, 'contest')}"


class Entries:
    """The log of a league."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._chains: defaultdict[int, list[int]] = defaultdict(list)
        self._root: dict[int, int] = {}
        t = schema.log
        toggles = select(t.c.id, t.c.details).where(t.c.action.in_(TOGGLES)).order_by(t.c.id)
        for number, details in zip(*fetch(connection, toggles), strict=True):
            root = as_object(details).get("of")
            if not isinstance(root, int) or root >= number:
                raise StorageError(
                    f"the log is damaged: entry {number} says of no entry what it did."
                )
            self._root[number] = root
            self._chains[root].append(number)

    def find(self, number: int) -> Entry:
        """The entry of that number; an unknown one is an error."""
        found = self._load(schema.log.c.id == number)
        if not found:
            latest = last(self._connection, schema.log.c.id)
            raise NotFoundError(f"there is no change {number} in the log; the last is {latest}.")
        return found[0]

    def root(self, number: int) -> int:
        """The number of the change that an entry is, takes back or makes again."""
        return self._root.get(number, number)

    def latest(self, root: int) -> int:
        """The last entry that says something of a change."""
        chain = self._chains.get(root)
        return chain[-1] if chain else root

    def stands(self, root: int) -> bool:
        """Whether a change is in effect, rather than taken back."""
        return len(self._chains.get(root, ())) % 2 == 0

    def last_standing(self, actions: Sequence[str] | None = None) -> Entry | None:
        """The change, of these actions or that can be taken back, that was made last and stands."""
        t = schema.log
        wanted = t.c.action.not_in((*TOGGLES, *FINAL))
        if actions is not None:
            wanted = t.c.action.in_(actions)
        numbers = fetch(self._connection, select(t.c.id).where(wanted))[0]
        standing = [each for each in numbers if self.stands(each)]
        return self.find(max(standing, key=self.latest)) if standing else None

    def last_taken_back(self) -> Entry | None:
        """The change that was taken back last and does not stand."""
        back = [each for each in self._chains if not self.stands(each)]
        return self.find(max(back, key=self.latest)) if back else None

    def since(self, number: int) -> Iterator[tuple[Entry, int]]:
        """What changed after an entry and was not undone: the change, and the entry that stands.

        The earliest comes first. If the change itself was made before, it stands no more, or again.
        """
        t = schema.log
        later = fetch(self._connection, select(t.c.id).where(t.c.id > number).order_by(t.c.id))[0]
        chains: defaultdict[int, list[int]] = defaultdict(list)
        for each in later:
            chains[self.root(each)].append(each)
        standing = {root: each[-1] for root, each in chains.items() if len(each) % 2}
        roots = {each.number: each for each in self.these(list(standing))}
        for root, at in sorted(standing.items(), key=lambda pair: pair[1]):
            if root not in roots:
                raise StorageError(f"the log is damaged: entry {root} is not there.")
            yield roots[root], at

    def toggles(self) -> list[Entry]:
        """All entries that took back or made again what others did, the earliest first."""
        return sorted(self.these(list(self._root)), key=lambda each: each.number)

    def keeping(self, turned: int) -> set[int]:
        """The numbers of all entries whose newcomers are there because of them.

        A change that is being `turned` counts as what it becomes.
        """
        t = schema.log
        own = select(t.c.id).where(t.c.action.not_in(TOGGLES))
        keeping = set[int]()
        for root in fetch(self._connection, own)[0]:
            chain = [root, *self._chains.get(root, ())]
            if self.stands(root) != (root == turned):
                keeping.update(chain[::2])
            elif root != turned:
                keeping.add(chain[-1])
        return keeping

    def _load(self, condition: Any) -> list[Entry]:
        t = schema.log
        columns = (t.c.id, t.c.action, t.c.contest, t.c.player, t.c.details)
        rows = zip(*fetch(self._connection, select(*columns).where(condition)), strict=True)
        return [Entry(self._connection, *row) for row in rows]

    def these(self, numbers: Sequence[int]) -> list[Entry]:
        """The entries of these numbers."""
        return self._load(within(self._connection, schema.log.c.id, numbers))
