"""A table with podium's names for its columns, where headers are not enough by their cells."""

import polars as pl

from podium.errors import InputError
from podium.results import tables
from podium.results.options import Options
from podium.results.understanding import durations, headers, statuses, words
from podium.results.understanding.headers import Headers, both
from podium.results.understanding.numbers import numbers
from podium.results.understanding.report import Table, Understanding, Understood
from podium.wording import listed

_INDEX = frozenset(("", "#", "index", "unnamed0", "rowid", "rownumber", "level0"))
"""Headers, as keys, of what only numbers the rows, or of nothing."""
_CLOCK = r"^\s*\d{1,3}:\d{2}(:\d{2})?([.,]\d+)?(\s*[AaPp]\.?[Mm]\.?)?\s*$"
_ZONED = (
    r"^\s*\d{1,2}:\d{2}(:\d{2})?\s*"
    r"([A-Z]{3,5}|Z|[A-Z][a-z]+/\w+|(UTC|GMT)?[+-]\d{1,2}(:?\d{2})?)\s*$"
)
_WITH_UNIT = (
    r"(?i)^\s*(\d{1,3}(?::\d{2})+(?:[.,]\d+)?)\s*"
    r"(?:uhr|h|hrs?|std|mins?|m|secs?|sek|s)\.?\s*$"
)
_SMALL = r"(?i)^[+-]?\d+(?:[.,]\d+)?\s*(?:h|hrs?|std|mins?|m|secs?|sek|s)?\.?$"
_WORD = r"^[\s\p{L}./-]*$"
_FIRST_ROWS = 200
_NOT_SECONDS = 20_000
"""Nobody means a moment of the first hours of 1970 by a number below."""
_YEARS = (1900, 2100)
_DRAWS = frozenset(("d", "x", "draw", "drawn", "tie", "remis", "½", "1/2", "0.5", "½-½", "1/2-1/2"))
_SIDES = {
    "home": frozenset(("h", "a", "home", "away", "home win", "away win")),
    "white": frozenset(("w", "b", "white", "black", "weiss", "schwarz", "blancs", "noirs")),
}
"""Results that name a side."""
_CONVENTIONS = {
    "home": frozenset(("1", "2")),
    "white": frozenset(("1-0", "0-1", "1:0", "0:1", "+:-", "-:+", "*", "1", "0", "1.0", "0.0")),
}
"""Results that tell of this side first, wherever its column stands: 1, X and 2, or as in chess."""
_YES = ("true", "1", "yes", "y", "t", "ja", "j", "oui", "si", "sí", "sim", "x", "neutral")


def with_our_names(
    table: Table, options: Options, report: Understanding, *, standings: bool
) -> Table:
    """The table with podium's names for its columns, those of `headers.AUXILIARY` among them.

    Of a wide table, the other columns stay behind them.
    """
    frame = tables.as_polars(table.frame)
    found = headers.found_in(frame.columns, options.columns, wide=options.wide)
    naming = _Naming(frame, found, report)
    if not (found.is_plain or options.wide):
        naming.refuse_nobody(standings=standings)
        naming.decide()
        naming.refuse_no_result(standings=standings)
    naming.side()
    naming.duration(table, options)
    unused = [name for name in (*frame.columns, *table.unread) if name not in naming.used]
    report.columns += [
        Understood(ours, table.called.get(theirs, theirs)) for ours, theirs in naming.theirs.items()
    ]
    report.unused += [name for name in unused if words.key(name) not in _INDEX]
    if not found.is_plain:
        _point_at_ladders(report)
    made = naming.made
    if options.wide:
        made.update((name, frame[name]) for name in unused if name in frame.columns)
    named = table._replace(frame=pl.DataFrame(made))
    return named if found.is_plain else _without_total(named, report)


def _without_total(table: Table, report: Understanding) -> Table:
    """The table without a last row that sums up the others."""
    frame = table.frame
    if frame.height < 2 or not {"player"} <= set(frame.columns):
        return table
    texts = {name: frame[name].cast(pl.String, strict=False)[-1] or "" for name in frame.columns}
    called = {words.key(texts[name]) for name in ("player", "rank") if name in texts}
    if called.isdisjoint(words.TOTAL):
        return table
    if "rank" in texts:
        sums_up = not texts["rank"].strip() or not texts["player"].strip()
    else:
        scores = frame["score"].cast(pl.Float64, strict=False) if "score" in texts else None
        sums_up = scores is not None and scores[-1] == scores[:-1].sum()
    if not sums_up:
        return table
    report.assumptions.append(f"{table.locate(frame.height - 1)} sums up, and is left out.")
    return table._replace(frame=frame.head(-1))


def _point_at_ladders(report: Understanding) -> None:
    for name in report.unused:
        if words.key(name) in words.MAYBE_LADDER:
            report.assumptions.append(
                f"all are rated together; columns={{'ladder': {name!r}}} or --columns "
                f"ladder={headers.quoted(name)} rates each {name!r} by itself."
            )


class _Naming:
    """Podium's columns of a table, as they are found one after the other."""

    def __init__(self, frame: pl.DataFrame, found: Headers, report: Understanding) -> None:
        self.frame, self.found, self.report = frame, found, report
        self.theirs = {ours: name for ours, name in found.ours.items() if name in frame.columns}
        self.made = {ours: frame[name] for ours, name in self.theirs.items()}
        self.used = {*self.theirs.values(), *found.names}
        if found.names:
            self.join("player", list(found.names), " ")

    def set(self, ours: str, theirs: str) -> None:
        """A column of the table is one of podium's."""
        self.made[ours], self.theirs[ours] = self.frame[theirs], theirs
        self.used.add(theirs)

    def drop(self, ours: str) -> None:
        """A column of the table is not what its header said."""
        del self.made[ours]
        self.used.discard(self.theirs.pop(ours))

    def join(self, ours: str, names: list[str], between: str) -> None:
        """Several columns of the table are one of podium's."""
        texts = [pl.col(name).cast(pl.String).str.strip_chars() for name in names]
        joined = pl.concat_str(texts, separator=between, ignore_nulls=True).alias(ours)
        self.made[ours] = self.frame.select(joined).to_series().replace("", None)
        self.theirs[ours] = " + ".join(names)
        self.used.update(names)
        self.report.assumptions.append(f"{ours} is {' and '.join(map(repr, names))} together.")

    @property
    def is_match_list(self) -> bool:
        """Whether a row is a match of two."""
        return not self.made.keys().isdisjoint(("player_a", "loser"))

    def decide(self) -> None:
        """What headers left open."""
        if self.found.is_turned:
            self.decide_order()
        self.decide_time()
        if self.found.moment is not None:
            self.decide_moment(self.found.moment)
        if self.found.rounds and not self.is_match_list:
            self.decide_contest(self.found.rounds)
        if "name" in self.made and not self._is_fixed(self.made["name"]):
            self.drop("name")
        self.decide_rivals()
        if self.theirs.get("rank") == "#" and "rank" not in self.found.said:
            self.decide_number_sign()

    def decide_order(self) -> None:
        """Where away or black stands first, results tell of it first, unless they name sides."""
        name = next((each for each in ("outcome", "result") if each in self.made), None)
        if name is None:
            return
        side = self.found.side
        texts = _texts(self.made[name]).drop_nulls().unique().str.to_lowercase()
        distinct = set(texts.str.replace_all(r"\s*[-\u2013]\s*", "-"))
        said = distinct - _DRAWS - {""}
        first = self.theirs["player_a"]
        if said == {"w"}:
            raise InputError(
                f"in column {self.theirs[name]!r}, W may be white or a win of "
                f"{self.theirs['player_b']!r}, which stands first; write white and black, or win "
                f"and loss."
            )
        if said <= _SIDES[side]:
            return
        if not said <= _CONVENTIONS[side] or (side == "home" and distinct <= {"1"}):
            first = self.theirs["player_b"]
            self.turn()
        self.report.assumptions.append(f"{self.theirs[name]!r} tells of {first!r} first.")

    def turn(self) -> None:
        """The players change places."""
        for one, other in (("player_a", "player_b"), ("score_a", "score_b")):
            if one in self.made:
                self.made[one], self.made[other] = self.made[other], self.made[one]
                self.theirs[one], self.theirs[other] = self.theirs[other], self.theirs[one]
        self.found.side = words.OTHER_SIDE[self.found.side]

    def decide_time(self) -> None:
        """Small numbers are no time, whatever their column is called, unless it is said."""
        if "time" not in self.made or "time" in self.found.said:
            return
        name, given = self.theirs["time"], self.made["time"]
        if not _is_small(given) or _are_years(given):
            return
        if words.key(name) in words.DATE:
            raise _no_time(name)
        self.drop("time")
        self.report.assumptions.append(f"{name!r} holds small numbers, no times, and is left out.")

    def decide_rivals(self) -> None:
        """Columns of podium's own names count, but beside another rank it must be said."""
        for ours, names in self.found.rivals.items():
            if ours not in self.made:
                continue
            own = _texts(self.made[ours])
            others = [name for name in names if _is_other(_texts(self.frame[name]), own)]
            if others and ours == "rank":
                raise both(ours, [self.theirs[ours], others[0]])
            if others:
                self.report.assumptions.append(
                    f"{ours} is {self.theirs[ours]!r}, not {listed(others)}."
                )

    def decide_number_sign(self) -> None:
        """A column # is the rank, unless it only numbers the rows."""
        if self._is_index("rank"):
            self.drop("rank")
            return
        points = self.theirs.get("score", "")
        if words.key(points) in words.DURATION or points == self.found.moment:
            return
        if "score" in self.made and self._is_contradicted():
            raise InputError(
                f"'#' may be the rank or a mere number, for by {points!r} the order is another; "
                f"say columns={{'rank': '#'}} or --columns rank='#', or "
                f"columns={{'score': {points!r}}} or --columns score={headers.quoted(points)}."
            )

    def _is_contradicted(self) -> bool:
        """Whether a later rank of a contest has a higher score."""
        rows = pl.DataFrame(
            {
                "rank": self.made["rank"].cast(pl.Float64, strict=False),
                "score": self.made["score"].cast(pl.Float64, strict=False),
            }
        )
        key = next((self.made[each] for each in ("contest", "time") if each in self.made), None)
        rows = rows.with_columns(key=pl.lit(0) if key is None else key).drop_nulls()
        more = pl.col("score").diff().over("key") > 0
        return bool(rows.sort("key", "rank").select(more.any()).item())

    def decide_moment(self, name: str) -> None:
        """A column called time is when it was, a time of day, or how long somebody took."""
        given = self.frame[name]
        has_date = "time" in self.made
        if has_date and _is_zoned(given):
            self.join("time", [self.theirs["time"], name], " ")
        elif _is_clock(given):
            if has_date and (self.is_match_list or self._is_fixed(given)):
                self.set_clock(name)
            elif not self.is_match_list:
                self.decide_duration(name)
        elif _is_small(given):
            if not has_date and (self.is_match_list or name == "time"):
                raise _no_time(name)
            if not self.is_match_list:
                self.decide_duration(name)
        elif not has_date:
            self.set("time", name)
        elif "time" not in self.found.said:
            raise both("time", [self.theirs["time"], name])

    def decide_duration(self, name: str) -> None:
        """How long somebody took is the score, unless something else is."""
        if "score" not in self.made:
            if "rank" not in self.made and not _is_clock(self.frame[name]):
                raise _maybe_duration(name)
            self.set("score", name)
        elif "score" in self.found.said:
            if "time" in self.made and self._tells_contests(name):
                self.set_clock(name)
        elif "rank" not in self.made:
            raise both("score", [self.theirs["score"], name])

    def set_clock(self, name: str) -> None:
        """A column is the time of day beside a date."""
        self.set("clock", name)
        self.made["clock"] = _without_unit(self.frame[name])

    def _tells_contests(self, name: str) -> bool:
        """Whether a clock beside a date is that of a few contests, not of every player."""
        if "contest" in self.made:
            return self._is_fixed(self.frame[name])
        keys = pl.DataFrame({"time": self.made["time"], "clock": self.frame[name]})
        return _is_clock(self.frame[name]) and 2 * keys.n_unique() <= keys.height

    def duration(self, table: Table, options: Options) -> None:
        """Plain numbers under the name of a duration as such, so that the lowest wins."""
        name = self.theirs.get("score", "")
        if "player" not in self.made or "score" not in self.made or options.lowest_score_wins:
            return
        if "rank" in self.made and self.made["rank"].null_count() < self.frame.height:
            return
        said = "score" in self.found.said
        if words.key(name) in words.MARK and not said and not _is_clock(self.made["score"]):
            raise _least_or_most(name)
        if words.keys(name)[1] not in words.DURATION and name != self.found.moment:
            return
        clocks = _as_clocks(self.made["score"].alias("score"), table, options)
        if clocks is not None and clocks.str.starts_with("-").any():
            if not said:
                raise _maybe_duration(name)
        elif clocks is not None:
            self.made["given_score"], self.made["score"] = self.made["score"], clocks

    def decide_contest(self, rounds: list[str]) -> None:
        """A column for the round tells contests apart where players stand in several."""
        if "contest" not in self.made:
            self.join("contest", rounds, ", ")
            return
        if "player" not in self.made or all(self._is_fixed(self.frame[name]) for name in rounds):
            return
        event = self.theirs["contest"]
        keys = pl.DataFrame({"contest": self.made["contest"], "player": self.made["player"]})
        if keys.n_unique() == keys.height:
            raise InputError(
                f"the contest may be {event!r} alone or together with "
                f"{' and '.join(map(repr, rounds))}; say columns={{'contest': {event!r}}} or "
                f"--columns contest={headers.quoted(event)}, or make one column of them."
            )
        self.join("contest", [event, *rounds], ", ")

    def _is_fixed(self, given: pl.Series) -> bool:
        """Whether a column is the same in all rows of a contest, as far as contests are known."""
        key = next((self.made[each] for each in ("contest", "time") if each in self.made), None)
        if key is None:
            return given.n_unique() == 1
        return pl.DataFrame({"key": key, "given": given}).n_unique() == key.n_unique()

    def _is_index(self, name: str) -> bool:
        """Whether a column numbers the rows of several contests through."""
        key = next((self.made[each] for each in ("contest", "time") if each in self.made), None)
        if key is None or key.n_unique() == 1:
            return False
        numbers = self.made[name].cast(pl.Int64, strict=False)
        count = len(numbers)
        return any(
            (numbers == pl.int_range(start, start + count, eager=True)).all() for start in (0, 1)
        )

    def side(self) -> None:
        """The side that the headers of both players say."""
        side, neutral = self.found.side, self.found.neutral
        if not side or "side" in self.made:
            return
        sides = pl.Series("side", [side], pl.String).new_from_index(0, self.frame.height)
        self.theirs["side"] = self.theirs["player_a"]
        if neutral is not None:
            said = self.frame[neutral].cast(pl.String).str.strip_chars().str.to_lowercase()
            sides = sides.set(said.is_in(_YES).fill_null(False), "neutral")
            self.theirs["side"] += f" + {neutral}"
            self.used.add(neutral)
        self.made["side"] = sides

    def refuse_nobody(self, *, standings: bool) -> None:
        """Raise unless it is known who took part."""
        given = self.frame.columns
        if not self.made.keys().isdisjoint(("player", "player_a", "loser")):
            return
        if not standings:
            _refuse_no_header(given)
            _refuse_places(given)
        missing = "player_b" if "player_a" in given else "player"
        missing = "player_a" if "player_b" in given else missing
        raise _missing(missing, given, standings=standings)

    def refuse_no_result(self, *, standings: bool) -> None:
        """Raise unless it is known what came of it."""
        known, given = self.made.keys(), self.frame.columns
        if self.is_match_list:
            results = ("outcome", "result", "score_a", "winner")
            if known.isdisjoint(results):
                raise _missing("outcome", given)
        elif known.isdisjoint(("rank", "score", "outcome", "result")) and not standings:
            self.refuse_wide()
            raise InputError(
                f"there is no column 'rank', 'score' or 'outcome' among {listed(given)}; if it has "
                f"another name, say columns={{'rank': NAME}} or columns={{'score': NAME}}, or "
                f"--columns rank=NAME or --columns score=NAME."
            )
        elif (
            words.key(self.theirs.get("score", "")) in words.TOTAL
            and "rank" not in known
            and "score" not in self.found.said
        ):
            self.refuse_wide()

    def refuse_wide(self) -> None:
        """Raise if there is a column for each contest."""
        others = [name for name in self.frame.columns if name not in self.used]
        names = set(self.made["player"].cast(pl.String).str.strip_chars().drop_nulls())
        refuse_cross_table(others, names)
        rounds = [name for name in others if words.is_of_series(name)]
        if len(rounds) > 1:
            total = self.theirs.get("score")
            instead = (
                ""
                if total is None
                else (
                    f"; or say columns={{'score': {total!r}}} or --columns "
                    f"score={headers.quoted(total)}"
                )
            )
            raise InputError(
                f"{listed(rounds, 3)} look like a column for each contest; say wide=True or --wide"
                f"{instead}."
            )


def refuse_cross_table(columns: list[str], players: set[str]) -> None:
    """Raise if columns are players, too."""
    if len(players.intersection(name.strip() for name in columns)) > 1:
        raise InputError(
            "is a cross table, of players against players, which podium does not read; make a row "
            "of each match: time, player_a, player_b, outcome."
        )


def _missing(ours: str, given: list[str], *, standings: bool = False) -> InputError:
    if standings:
        return InputError(
            f"there is no column {ours!r}; the columns are {listed(given)}, and names "
            f"without a header belong into a .txt file."
        )
    return InputError(
        f"there is no column {ours!r} among {listed(given)}; "
        f"if it has another name, say columns={{{ours!r}: NAME}} or --columns {ours}=NAME."
    )


def _refuse_no_header(given: list[str]) -> None:
    """Raise if what should be a header has numbers or dates in it."""
    values = [name for name in given if words.is_value(name)]
    if values and headers.roles(given) < 2:
        raise InputError(
            f"there is no header: the first line, {listed(given, 4)}, has {values[0]!r} in it; put "
            f"a line above that says what the columns are, e.g. contest, time, player, rank."
        )


def _refuse_places(given: list[str]) -> None:
    """Raise if players stand in columns of their places."""
    places = words.places(given)
    if places:
        raise InputError(
            f"{listed(places, 4)} are a column for each place; make a row for each player: "
            f"contest, time, player, rank."
        )


def _no_time(name: str) -> InputError:
    return InputError(
        f"column {name!r} holds small numbers, which are no dates; if they are meant as times, in "
        f"their order, say columns={{'time': {name!r}}} or --columns time={headers.quoted(name)}."
    )


def _maybe_duration(name: str) -> InputError:
    shell = headers.quoted(name)
    return InputError(
        f"column {name!r} may be how long players took; if the least wins, say "
        f"columns={{'score': {name!r}}}, lowest_score_wins=True or --columns "
        f"score={shell} --lowest-score-wins, and if the most wins, only --columns score={shell}."
    )


def _least_or_most(name: str) -> InputError:
    shell = headers.quoted(name)
    return InputError(
        f"in column {name!r} the least may win, as of times and strokes, or the most; say "
        f"columns={{'score': {name!r}}}, for the least with lowest_score_wins=True, or --columns "
        f"score={shell}, for the least with --lowest-score-wins."
    )


def _texts(given: pl.Series) -> pl.Series:
    """Values as texts, to be compared."""
    return given.cast(pl.String).str.strip_chars().alias("")


def _is_other(texts: pl.Series, own: pl.Series) -> bool:
    """Whether there are numbers, and not the same."""
    return bool(texts.str.contains(r"\d").any()) and not texts.equals(own)


def _are_years(given: pl.Series) -> bool:
    numbers = given.cast(pl.Float64, strict=False).drop_nulls()
    return bool(numbers.is_between(*_YEARS).all() and (numbers.floor() == numbers).all())


def _as_clocks(given: pl.Series, table: Table, options: Options) -> pl.Series | None:
    """Durations that are written as plain numbers, as clocks; None if they are no such numbers."""
    if given.dtype.is_numeric():
        return _clocks(given)
    if given.dtype != pl.String:
        return None
    if durations.are_durations(given):
        return None
    is_word = statuses.kinds(given).is_not_null() | (given.str.strip_chars() == "")
    found = numbers(given.set(is_word.fill_null(value=True), None), options.decimal, table.locate)
    if found is None:
        return None
    return _clocks(found[0]).zip_with(found[0].is_not_null(), given)


def _clocks(seconds: pl.Series) -> pl.Series:
    """Numbers as texts such as 0:01:02.5."""
    whole = (seconds.cast(pl.Float64) * 1e6).round().cast(pl.Int64, strict=False)
    hour, minute = whole // 3_600_000_000, whole // 60_000_000 % 60
    clock = hour.cast(pl.String) + ":" + minute.cast(pl.String).str.zfill(2)
    rest = whole % 60_000_000
    second = (rest // 1_000_000).cast(pl.String).str.zfill(2)
    clock += ":" + second + "." + (rest % 1_000_000).cast(pl.String).str.zfill(6)
    return clock.str.strip_chars_end("0").str.strip_chars_end(".")


def _without_unit(given: pl.Series) -> pl.Series:
    """Clocks such as 35:10 min and 18:00 Uhr without the word."""
    return given.str.replace(_WITH_UNIT, "${1}") if given.dtype == pl.String else given


def _is_zoned(given: pl.Series) -> bool:
    """Whether values are clocks with the name of a zone."""
    first = given.drop_nulls().head(_FIRST_ROWS) if given.dtype == pl.String else given.clear()
    return len(first) > 0 and bool(first.str.contains(_ZONED).all())


def _is_clock(given: pl.Series) -> bool:
    """Whether values are such as 18:30 or 1:02:33.4, of a clock or a stopwatch."""
    if given.dtype in (pl.Time, pl.Duration):
        return True
    if given.dtype != pl.String:
        return False
    first = _without_unit(given.drop_nulls().head(_FIRST_ROWS))
    is_clock = first.str.contains(_CLOCK)
    if is_clock.any() and (is_clock | first.str.contains(_WORD)).all():
        return True
    return durations.are_durations(first)


def _is_small(given: pl.Series) -> bool:
    """Whether values are numbers that are no moments, but for words such as DNF."""
    if given.dtype.is_numeric():
        numbers = given.drop_nulls()
        return len(numbers) > 0 and bool((numbers.abs() < _NOT_SECONDS).all())
    if given.dtype != pl.String:
        return False
    texts = given.drop_nulls()
    return _are_small(texts.head(_FIRST_ROWS)) and _are_small(texts)


def _are_small(texts: pl.Series) -> bool:
    plain = texts.str.strip_chars()
    plain = plain.filter(plain.str.contains(r"\d"))
    if plain.is_empty() or not plain.str.contains(_SMALL).all():
        return False
    values = plain.str.extract(r"^[+-]?(\d+(?:[.,]\d+)?)", 1).str.replace(",", ".", literal=True)
    return bool((values.cast(pl.Float64) < _NOT_SECONDS).all())
