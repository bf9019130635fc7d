"""Which columns of a table are podium's, as far as their headers tell.

Names that are podium's count as they are, and what `columns` says counts more; a table that has all
it needs by them is not looked at further. Otherwise the words of `words` count, in any spelling.
Two columns for one thing are refused, unless that thing is not needed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from podium.errors import InputError
from podium.results.options import Options
from podium.results.tables import LONG, LONG_RESULT, MATCH, MATCH_RESULT, NAMES
from podium.results.understanding import words
from podium.wording import listed

AUXILIARY = ("winner", "loser", "clock", "result")
"""What `values` makes podium's columns of: who won and lost, a time of day beside a date, and what
came of it if the header does not tell whether that is a rank, a score or an outcome."""
CELLS = "*"
"""What `columns` calls the cells of a wide table."""
_FIRST_ROWS = 10
_PLAIN = ("outcome", "weight", "perf_ceiling", "share", "margin", "side", "ladder")
"""Columns that go by podium's names only, in any spelling."""


@dataclass(slots=True)
class Headers:
    """Which columns are podium's, and which may be."""

    ours: dict[str, str]
    """What podium calls a column, and what the table does; those of `AUXILIARY` among them."""
    names: tuple[str, ...] = ()
    """The columns of a first and a last name."""
    is_told_by_one: bool = False
    """Whether matches are told by one of the two: a player and an opponent."""
    side: str = ""
    """The side that the first of two players has by its header: home or white."""
    is_turned: bool = False
    """Whether the column of the other side, away or black, stands first."""
    neutral: str | None = None
    """The column that says whether it has none."""
    moment: str | None = None
    """The column that is when it was, a time of day, or how long somebody took; cells tell."""
    rounds: list[str] = field(default_factory=list)
    """Columns that may tell contests of one event apart."""
    rivals: dict[str, list[str]] = field(default_factory=dict)
    """Columns that other words say are the same as one of podium's own name."""
    said: frozenset[str] = frozenset()
    """Those of podium's columns that `columns` says."""
    is_plain: bool = False
    """Whether podium's own names were enough."""

    @property
    def theirs(self) -> set[str]:
        """All columns of the table that may be used."""
        maybe = (name for name in (self.neutral, self.moment) if name is not None)
        return {*self.ours.values(), *self.names, *self.rounds, *maybe}


def is_enough(known: Iterable[str]) -> bool:
    """Whether these columns of podium make results."""
    have = set(known)
    is_long = have.issuperset(LONG) and not have.isdisjoint(LONG_RESULT)
    return is_long or (have.issuperset(MATCH) and any(map(have.issuperset, MATCH_RESULT)))


def found_in(
    given: Sequence[str], columns: Mapping[str, str] | None, *, wide: bool = False
) -> Headers:
    """Which of a table's headers are podium's columns."""
    said = _said(given, columns)
    if wide:
        return _Search(given, said, said).wide()
    ours = {name: name for name in given if name in NAMES} | said
    if "score" in said and "rank" not in said:
        ours.pop("rank", None)  # whoever says what to take as the score does not want it
    if is_enough(ours):
        return Headers(ours, is_plain=True)
    return _Search(given, ours, said).long_or_matches()


def header_row(
    rows: Sequence[tuple[int, Sequence[str]]], options: Options
) -> tuple[tuple[int, ...], int]:
    """Which of the first rows of a table, with their numbers, is the header; what speaks for it.

    Titles and comments may stand above.
    """
    said = set((options.columns or {}).values()) - {CELLS}
    weak = None
    for number, values in rows:
        if said and said <= set(values):
            return (3, len(values)), number
        if not names_players(values):
            continue
        known = roles(values)
        if known > 1 or (options.wide and len(values) > 1):
            return (2, known, len(values)), number
        if weak is None and len(values) > 1:
            weak = (1, known, len(values)), number
    if weak is not None:
        return weak
    plain = [(number, values) for number, values in rows if not values[0].startswith("#")]
    if not plain:
        return (0,), 0
    width = len(plain[0][1])
    alike = all(len(values) == width for _, values in plain[:_FIRST_ROWS])
    return (0, int(width > 1 and alike), int(width > 1)), plain[0][0]


def roles(given: Sequence[str]) -> int:
    """How many columns of podium a line would make if it were the header; 2 are a table."""
    try:
        found = found_in(given, None)
    except InputError:
        return 2
    return len(found.theirs)


def names_players(given: Sequence[str]) -> bool:
    """Whether a line would say who took part if it were the header."""
    try:
        found = found_in(given, None)
    except InputError:
        return True
    return bool(found.names) or not found.ours.keys().isdisjoint(("player", "player_a", "loser"))


def _said(given: Sequence[str], columns: Mapping[str, str] | None) -> dict[str, str]:
    """What `columns` says, by the names in the table, which may be spelled otherwise."""
    if columns is not None and not isinstance(columns, Mapping):
        raise InputError(
            f"columns must be a mapping such as {{'player': 'handle'}}, not {columns!r}."
        )
    said = {}
    for ours, theirs in (columns or {}).items():
        if ours not in NAMES:
            raise InputError(f"there is no column {ours!r} to map; podium's are {listed(NAMES)}.")
        alike = [name for name in given if words.key(name) == words.key(str(theirs))]
        if theirs in given or theirs == CELLS:
            said[ours] = theirs
        elif len(alike) == 1:
            said[ours] = alike[0]
        else:
            raise InputError(
                f"there is no column {theirs!r} to take as {ours!r}; "
                f"the columns are {listed(given)}."
            )
    return said


class _Search:
    """Headers that are not taken yet are compared with words, the surest first."""

    def __init__(self, given: Sequence[str], ours: dict[str, str], said: Mapping[str, str]) -> None:
        self.found = Headers(ours, said=frozenset(said))
        self.given = given
        self.left = {name: words.keys(name) for name in given if name not in ours.values()}

    def hits(self, known: Iterable[str]) -> list[str]:
        """The headers that are one of these words; brackets count if anything needs them."""
        wanted = set(known)
        return [name for name, keys in self.left.items() if not wanted.isdisjoint(keys)]

    def take(self, ours: str, *tiers: Iterable[str], needed: bool = True) -> None:
        """Find a column by the first of these sets of words that has any."""
        if ours in self.found.ours:
            return
        for tier in tiers:
            hits = self.hits(tier)
            if len(hits) > 1 and needed:
                raise both(ours, hits)
            if hits:
                if len(hits) == 1:
                    self.set(ours, hits[0])
                return

    def set(self, ours: str, theirs: str) -> None:
        """A header is one of podium's columns, and nothing else."""
        self.found.ours[ours] = theirs
        self.left.pop(theirs, None)

    def first(self, *tiers: Iterable[str]) -> str | None:
        """The only header of the first set of words that has any."""
        for tier in tiers:
            hits = self.hits(tier)
            if hits:
                return hits[0] if len(hits) == 1 else None
        return None

    def wide(self) -> Headers:
        """The player, and whom they play for; the rest is contests."""
        self.player()
        return self.found

    def long_or_matches(self) -> Headers:
        """All columns, of long results or of matches."""
        ours = self.found.ours
        if "player" not in ours or self.hits(words.OPPONENT):
            self.players()
        is_match_list = {"player_a", "player_b"} <= ours.keys() or {
            "winner",
            "loser",
        } <= ours.keys()
        if is_match_list:
            self.matches()
        else:
            self.long()
        for name in _PLAIN:
            self.take(name, {words.key(name)}, needed=False)
        self.take("status", words.STATUS, needed=False)
        return self.found

    def players(self) -> None:
        """The two columns of a match list, if it is one."""
        ours = self.found.ours
        if {"player_a", "player_b"} <= ours.keys():
            return
        _refuse_many(self.given)
        pairs = [(side, self.hits(ones), self.hits(others)) for side, ones, others in words.PLAYERS]
        pairs = [(side, ones, others) for side, ones, others in pairs if ones and others]
        if pairs:
            side, ones, others = pairs[0]
            for name, hits in (
                ("player_a", [each for pair in pairs for each in pair[1]]),
                ("player_b", [each for pair in pairs for each in pair[2]]),
            ):
                if len(set(hits)) > 1 and name not in ours:
                    raise both(name, list(dict.fromkeys(hits)))
            self.found.side = side
            self.found.neutral = self.first(("neutral", "neutralground", "neutralvenue"))
            is_said = not ours.keys().isdisjoint(("player_a", "player_b"))
            ours.setdefault("player_a", ones[0])
            ours.setdefault("player_b", others[0])
            order = [self.given.index(ours[name]) for name in ("player_a", "player_b")]
            self.found.is_turned = bool(side) and not is_said and order[0] > order[1]
            for name in (ours["player_a"], ours["player_b"]):
                self.left.pop(name, None)
        self.take("winner", words.WINNER, needed=False)
        self.take("loser", words.LOSER, needed=False)
        if "player_a" not in ours and not {"winner", "loser"} <= ours.keys():
            self.opponents()

    def opponents(self) -> None:
        """Matches told by one of the two: a player and an opponent."""
        ours = self.found.ours
        opponent = self.first(words.OPPONENT)
        if opponent is None:
            return
        self.player()
        ours.pop("team", None)
        if "player" in ours:
            ours["player_a"] = ours.pop("player")
            self.set("player_b", opponent)
            self.found.is_told_by_one = True

    def matches(self) -> None:
        """The other columns of a match list."""
        ours = self.found.ours
        ours.pop("player", None)
        self.scores()
        if "outcome" not in ours and not {"score_a", "score_b"} <= ours.keys():
            score = ours.pop("score", None)
            self.take("outcome", words.OUTCOME)
            if "outcome" not in ours:
                self.take("result", words.RESULT, words.SCORE, words.SETS)
            if score is not None:
                ours["result" if ours.keys().isdisjoint(("outcome", "result")) else "score"] = score
            elif words.key(ours.get("result", "")) in words.RESULT:
                self.take("score", words.SCORE, needed=False)
            if ours.keys().isdisjoint(("outcome", "result")):
                self.take("winner", words.WINNER, needed=False)
        self.take("contest", {"contest"}, words.GAME_NUMBER, needed=False)
        self.time()
        self.take("name", words.CONTEST_NAME, needed=False)

    def scores(self) -> None:
        """The scores of both, which go by side or by the order of the players' columns."""
        ours = self.found.ours
        for side, ones, others in words.SCORES:
            pair = self.hits(ones), self.hits(others)
            if "score_a" not in ours and all(len(hits) == 1 for hits in pair):
                third = [] if side else self.hits(words.THIRD_SCORE)
                if third:
                    raise _more_scores([pair[0][0], pair[1][0], *third])
                first, second = reversed(pair) if self.found.is_turned and not side else pair
                self.set("score_a", first[0])
                self.set("score_b", second[0])
        against = self.first(words.SCORE_AGAINST)
        if self.found.is_told_by_one and "score_a" not in ours and against is not None:
            own = ours.pop("score", None) or self.first(words.SCORE_FOR, words.SCORE | words.COUNT)
            if own is not None:
                self.set("score_a", own)
                self.set("score_b", against)

    def long(self) -> None:
        """The columns of long results."""
        ours = self.found.ours
        for name in ("winner", "loser", "player_a", "player_b"):
            ours.pop(name, None)
        self.player()
        if "score" not in self.found.said:  # who says what the score is wants no rank
            self.take("rank", {"rank"}, words.RANK, words.NUMBER_SIGN)
            self.rivals("rank", words.RANK)
        self.time()
        has_rank = "rank" in ours
        self.take("score", {"score"}, words.SCORE, needed=not has_rank)
        if not has_rank:
            self.rivals("score", words.SCORE)
        if self.found.moment is None or ours.keys().isdisjoint(("rank", "score")):
            self.take("score", words.DURATION, needed=not has_rank)
        if ours.keys().isdisjoint(LONG_RESULT) and self.found.moment is None:
            self.take("result", words.RESULT)
        if "result" not in ours:
            self.take("score", words.TOTAL, needed=not has_rank)
            if not has_rank and self.found.moment is None:
                self.take("score", words.COUNT, words.MARK)
        self.contest()

    def rivals(self, ours: str, known: frozenset[str]) -> None:
        """Note what else could be a column that was taken by podium's own name for it."""
        taken = self.found.ours.get(ours)
        if taken is not None and ours not in self.found.said and words.key(taken) == ours:
            self.found.rivals[ours] = self.hits(known)

    def player(self) -> None:
        """Who it was: one column, a first and a last name, or a team if there is nobody else."""
        ours = self.found.ours
        self.take("player", {"player"})
        self.take("team", {"team"}, words.TEAM, needed=False)
        named = self.hits(words.NAME)
        if "player" not in ours:
            by_key = {key: name for name, both in self.left.items() for key in both[:1]}
            pair = words.first_and_last(by_key)
            sure = self.hits(words.PLAYER)
            if ours.get("name") is not None:
                named.append(ours["name"])
            if pair is None and sure and named:
                raise both("player", [*named, *sure])
            if pair is not None and not sure:
                self.found.names = pair
                for name in pair:
                    self.left.pop(name, None)
                return
            if not sure and named and "name" in ours:
                ours["player"] = ours.pop("name")
        self.take("player", words.PLAYER, words.NAME)
        if "player" not in ours and "team" in ours:
            ours["player"] = ours.pop("team")
        self.take("player", words.PLAYER_NUMBER, words.CLUB)

    def time(self) -> None:
        """When it was; a column that is called time may be that or something else."""
        ours = self.found.ours
        is_own = ours.get("time") == "time" and "time" not in self.found.said
        moment = ours.pop("time") if is_own else None
        self.found.moment = moment or self.first(words.TIME_OR_DURATION)
        if moment is None and self.found.moment is not None:
            self.left.pop(self.found.moment)
        self.take("time", words.DATE, words.TIME)
        if self.found.moment is None:
            self.take("clock", words.CLOCK, needed=False)

    def contest(self) -> None:
        """Which contest; rounds may tell those of one event apart."""
        ours = self.found.ours
        self.take("contest", {"contest"}, words.CONTEST_NUMBER, words.CONTEST)
        if "contest" in ours:
            self.take("name", words.CONTEST_NAME, needed=False)
            if words.key(ours["contest"]) in words.CONTEST_NUMBER:
                self.take("name", words.CONTEST, needed=False)
        else:
            self.take("contest", words.CONTEST_NAME)
        if ours.get("contest") == "contest" or "contest" in self.found.said:
            return
        rounds = [words.ROUND, words.GAME_NUMBER, words.GAME]
        if "contest" not in ours:
            self.take("contest", *rounds[1:], needed=False)
        hits = self.hits(frozenset().union(*rounds))
        if "contest" not in ours and len(hits) == 1:
            self.set("contest", hits[0])
        elif hits:
            self.found.rounds = hits


def _refuse_many(given: Sequence[str]) -> None:
    """Raise if a row has more players than the two of a match."""
    players, in_teams = words.many_players(given)
    if players:
        kind = "players of teams" if in_teams else "more than two players"
        columns = "contest, time, team, player, rank" if in_teams else "contest, time, player, rank"
        raise InputError(
            f"{listed(players, 4)} are {kind} in one row; make a row for each player: {columns}."
        )


def _more_scores(names: Sequence[str]) -> InputError:
    """What to say of three scores in a match of two."""
    return InputError(
        f"{listed(names, 4)} are more scores than the two of a match has; say "
        f"columns={{'score_a': NAME, 'score_b': NAME}} or --columns score_a=NAME --columns "
        f"score_b=NAME."
    )


def both(ours: str, hits: Sequence[str]) -> InputError:
    """What to say of two columns for one thing."""
    return InputError(
        f"{' and '.join(map(repr, hits))} could both be the column {ours!r}; say "
        f"columns={{{ours!r}: {hits[0]!r}}} or --columns {ours}={quoted(hits[0])}, "
        f"or the other."
    )


def quoted(name: str) -> str:
    """As a shell takes it."""
    return name if name.isalnum() else repr(name)
