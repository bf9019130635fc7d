"""A table with podium's names for its columns, where headers are not enough by their cells."""

import polars as pl

from podium.errors import InputError
from podium.results import tables
from podium.results.options import Options
from podium.results.understanding import durations, headers, words
from podium.results.understanding.headers import Headers, both
from podium.results.understanding.report import Table, Understanding, Understood
from podium.wording import listed

_INDEX = frozenset(("", "#", "index", "unnamed0", "rowid", "rownumber", "level0"))
"""Headers, as keys, of what only numbers the rows, or of nothing."""
_CLOCK = r"^\s*\d{1,3}:\d{2}(:\d{2})?([.,]\d+)?(\s*[AaPp]\.?[Mm]\.?)?\s*$"
_WORD = r"^[\s\p{L}./-]*$"
_FIRST_ROWS = 200
_NOT_SECONDS = 20_000
"""Nobody means a moment of the first hours of 1970 by a number below."""
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
        naming.decide()
        naming.refuse_missing(standings=standings)
    naming.side()
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
        if self.found.is_told_by_one:
            self.refuse_both_tales()
        if self.found.moment is not None:
            self.decide_moment(self.found.moment)
        if self.found.rounds and not self.is_match_list:
            self.decide_contest(self.found.rounds)
        if "name" in self.made and not self._is_fixed(self.made["name"]):
            self.drop("name")
        if self.theirs.get("rank") == "#" and self._is_index("rank"):
            self.drop("rank")

    def refuse_both_tales(self) -> None:
        """Raise if every match stands there twice, told by each of the two."""
        keys = {
            name: self.made[name] for name in ("time", "player_a", "player_b") if name in self.made
        }
        told = pl.DataFrame(keys).with_columns(pl.col("player_a", "player_b").cast(pl.String))
        other = told.rename({"player_a": "player_b", "player_b": "player_a"}).select(told.columns)
        if told.sort(told.columns).equals(other.sort(told.columns)) and told.height:
            raise InputError(
                "every match stands there twice, once for each of its players; leave one row of "
                "each."
            )

    def decide_moment(self, name: str) -> None:
        """A column called time is when it was, a time of day, or how long somebody took."""
        given = self.frame[name]
        has_date = "time" in self.made
        if _is_clock(given):
            if has_date and (self.is_match_list or self._is_fixed(given)):
                self.set("clock", name)
            elif not self.is_match_list:
                self.decide_duration(name)
        elif not has_date and (name == "time" or not _is_small(given)):
            self.set("time", name)
        elif _is_small(given):
            self.decide_duration(name)
        else:
            raise both("time", [self.theirs["time"], name])

    def decide_duration(self, name: str) -> None:
        """How long somebody took is the score, unless something else is."""
        if "score" not in self.made:
            if "rank" not in self.made and not _is_clock(self.frame[name]):
                raise InputError(
                    f"column {name!r} may be how long players took; if the least wins, say "
                    f"columns={{'score': {name!r}}}, lowest_score_wins=True or --columns "
                    f"score={headers.quoted(name)} --lowest-score-wins."
                )
            self.set("score", name)
        elif "rank" not in self.made:
            raise both("score", [self.theirs["score"], name])

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

    def refuse_missing(self, *, standings: bool) -> None:
        """Raise unless it is known who took part and what came of it."""
        known, given = self.made.keys(), self.frame.columns
        if known.isdisjoint(("player", "player_a", "loser")):
            if not standings:
                _refuse_no_header(given)
            missing = "player_b" if "player_a" in given else "player"
            missing = "player_a" if "player_b" in given else missing
            raise _missing(missing, given, standings=standings)
        if self.is_match_list:
            results = ("outcome", "result", "score_a", "winner")
            if known.isdisjoint(results):
                raise _missing("outcome", given)
        elif known.isdisjoint(("rank", "score", "outcome", "result")) and not standings:
            self.refuse_wide()
            raise InputError(
                f"there is no column 'rank', 'score' or 'outcome'; the columns are {listed(given)}."
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


def _is_clock(given: pl.Series) -> bool:
    """Whether values are such as 18:30 or 1:02:33.4, of a clock or a stopwatch."""
    if given.dtype in (pl.Time, pl.Duration):
        return True
    if given.dtype != pl.String:
        return False
    first = given.drop_nulls().head(_FIRST_ROWS)
    is_clock = first.str.contains(_CLOCK)
    if is_clock.any() and (is_clock | first.str.contains(_WORD)).all():
        return True
    return durations.are_durations(first)


def _is_small(given: pl.Series) -> bool:
    """Whether values are numbers that are no moments."""
    numbers = given.cast(pl.Float64, strict=False) if given.dtype != pl.Date else given.clear()
    return bool(
        numbers.null_count() == given.null_count()
        and numbers.len() == given.len()
        and (numbers.drop_nulls() < _NOT_SECONDS).all()
    )
