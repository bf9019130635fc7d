"""Games of chess in Portable Game Notation.

    [Event "Club"]
    [Date "2026.01.05"]
    [White "ann"]
    [Black "bob"]
    [Result "1-0"]

A game is a match: White is `player_a` with the side of white, Result the outcome, and the time
that of UTCDate and UTCTime, or else Date, of which a month or a year stands for its first day.
Games with a time of day get their identifiers from it; the others from their event, date, round (or
number on that day) and players, so that those of a day stay in order. Moves, comments and
variations are passed over. Of lichess, whose games have an address in Site, those that were aborted
or that a computer or nobody by name played are left out, and that is said.

http://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm and https://database.lichess.org/
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.errors import InputError
from podium.results.formats import contents, fields
from podium.results.formats.selection import with_extras
from podium.results.options import Options
from podium.results.understanding import layout, stems
from podium.results.understanding.report import Table
from podium.wording import counted

_GAME = re.compile(rb"\n[ \t]*\r?\n[ \t]*\[Event[ \t]")
_INDENTED = re.compile(rb'^[ \t]+(?=\[[A-Za-z][A-Za-z0-9_]*[ \t]+")', re.MULTILINE)
_PAIR = r'^\[\s*([A-Za-z0-9_]+)\s+"(.*)"\s*\]'
_TWO_IN_A_LINE = r'([^\\]"\s*\])[ \t]*\[(\s*[A-Za-z0-9_]+\s+")'
_EXACT = r'^\[[A-Za-z0-9_]+ "'
_TAGS = ("Event", "Site", "Date", "UTCDate", "UTCTime", "Round", "White", "Black", "Result")
_CALLED = {
    "contest": "Event, Date, Round",
    "time": "UTCDate, UTCTime or Date",
    "player_a": "White",
    "player_b": "Black",
    "outcome": "Result",
}
_OUTCOMES = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5, "1/2": 0.5, "½-½": 0.5}
_OPEN = ("*", "?", "", "0-0")
_NOBODY = ("", "?", "??", "-")
_MACHINE = r"^(?i:anonymous|lichess ai level \d+)$"
_PACKED = (".gz", ".bz2", ".zst")
_TAIL, _LEAST = 2**20, 2**21
_DATES = [pl.col(name).str.replace_all(r"[-/]", ".") for name in ("UTCDate", "Date")]
_MOMENT = pl.coalesce(
    (pl.col("UTCDate") + " " + pl.col("UTCTime")).str.to_datetime(
        "%Y.%m.%d %H:%M:%S", strict=False
    ),
    *(date.str.to_datetime("%Y.%m.%d", strict=False) for date in _DATES),
).cast(pl.Datetime("us"))
_BEGINNING = pl.coalesce(
    date.str.replace(r"^(\d{4})(\.\?+(\.[\d?]+)?)?$", "$1.01.01")
    .str.replace(r"^(\d{4}\.\d{1,2})(\.\?+)?$", "$1.01")
    .str.to_datetime("%Y.%m.%d", strict=False)
    for date in _DATES
).cast(pl.Datetime("us"))
"""The first moment of a date that is whole, or of a month or a year."""
_ROUND = r"\d"
_BLANKS = np.frombuffer(b" \t", np.uint8)
_NO_DAY = -(2**31)
_NEWLINE, _BRACKET, _OPENING, _CLOSING, _SEMICOLON = (ord(sign) for sign in "\n[{};")


class _Part(NamedTuple):
    """Some games of a file."""

    frame: pl.DataFrame
    numbers: pl.Series
    """Of every row, the number of its game in the file …"""
    turns: pl.Series
    """… and among those of its day."""


class _Way(NamedTuple):
    """How all games of a file are known, as those of the first piece tell."""

    dated: bool
    named: bool
    """By a round or number, because days do not tell them apart."""
    rounds: bool
    day: str
    """That of all games, if they have none."""

    @classmethod
    def of(cls, path: Path, tags: pl.DataFrame, options: Options) -> "_Way":
        rounds = bool(tags["Round"].str.contains(_ROUND).any())
        clocked = tags["UTCDate"].is_not_null() & tags["UTCTime"].is_not_null()
        moments = tags.select(whole=_MOMENT, first=_BEGINNING)
        kind = "first" if options.time is None else "whole"
        dated = moments[kind].null_count() < tags.height
        day = "" if dated else _said_day(path, options)
        return cls(dated, rounds or not clocked.all(), rounds, day)


class _Turns:
    """Numbers games of every day, of a file that is read in pieces."""

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}

    def of(self, tags: pl.DataFrame) -> pl.Series:
        """The numbers of the next games, by their days."""
        days = _beginnings(tags).dt.date().to_physical().fill_null(_NO_DAY)
        before = days.replace_strict(self._seen, default=0, return_dtype=pl.Int64)
        turns = days.to_frame("day").select(pl.int_range(1, pl.len() + 1).over("day")).to_series()
        found: pl.Series = (turns + before).alias("turn")
        last = pl.DataFrame({"day": days, "turn": found}).group_by("day").agg(pl.col("turn").max())
        self._seen.update(last.iter_rows())
        return found


def read(path: Path, options: Options) -> Table:
    """All games of a file."""
    left: Counter[str] = Counter()
    parts = list(_parts(path, options, left))
    if not parts:
        raise InputError(f"{path}: all {sum(left.values()):,} games are left out.")
    frame = pl.concat([part.frame for part in parts], how="diagonal")
    if "contest" in frame.columns:
        frame = frame.with_columns(_told_apart(frame["contest"]))
    numbers, turns = (pl.concat(each) for each in list(zip(*parts, strict=True))[1:])
    return _table(path, _Part(frame, numbers, turns), left)


def pieces(path: Path, options: Options) -> Iterator[Table]:
    """The games of a file in tables that fit into memory, in the order of the file."""
    left: Counter[str] = Counter()
    for part in _parts(path, options, left):
        yield _table(path, part, left)
        left.clear()


def _table(path: Path, part: _Part, left: Counter[str]) -> Table:
    said = [text for what, count in left.items() for text in _sentence(what, count)]
    return Table(
        part.frame,
        lambda row: f"{path}, game {part.numbers[row]}",
        "games of chess (PGN)",
        tuple(said),
        _stem(path),
        called=_CALLED,
    )


def _stem(path: Path) -> str:
    name = path.with_suffix("") if path.suffix.lower() in _PACKED else path
    return name.stem


def _sentence(what: str, count: int) -> list[str]:
    if what == "latin":
        return ["The text is not UTF-8 and taken for Latin-1."] if count else []
    if what == "ends":
        has = "has" if count == 1 else "have"
        said = f"{counted(count, 'game')} {has} no Result, so that what ends the moves is taken."
        return [said] if count else []
    if what == "beginning":
        dated = "is dated" if count == 1 else "are dated"
        first = f"{counted(count, 'game')} {dated} with the first day of the month or year"
        return [f"{first}, because Date says no more."] if count else []
    return fields.left_out(count, "game", what) if count else []


def _parts(path: Path, options: Options, left: Counter[str]) -> Iterator[_Part]:
    games, way, turns = 0, None, _Turns()
    more = (options.columns or {}).values()
    for text in _whole_games(path, options):
        tags = _tags(path, text, games, more, left)
        if not tags.height:
            continue
        numbers = pl.Series("number", np.arange(games + 1, games + 1 + tags.height))
        games += tags.height
        way = way or _Way.of(path, tags, options)
        by_day = turns.of(tags) if way.named and not way.rounds else numbers
        part = _matches(path, _Part(tags, numbers, by_day), options, way, left)
        if part.frame.height:
            yield part
    if not games:
        raise InputError(f'{path}: holds no games of chess, with tags such as [White "ann"].')


def _whole_games(path: Path, options: Options) -> Iterator[bytes]:
    """Pieces that end where a game begins."""
    held: list[bytes] = []
    encoding = options.encoding
    for piece in contents.pieces(path, unlimited=options.unlimited):
        if not held:
            if piece.startswith((b"\xff\xfe", b"\xfe\xff")):
                encoding = "utf-16"
            piece = piece.removeprefix(b"\xef\xbb\xbf")
        held.append(piece)
        if encoding is None and len(piece) >= _LEAST:
            starts = [match.start() for match in _GAME.finditer(piece, len(piece) - _TAIL)]
            if starts:
                held[-1] = piece[: starts[-1] + 1]
                yield b"".join(held)
                held = [piece[starts[-1] + 1 :]]
    whole = b"".join(held)
    try:
        yield whole if encoding is None else whole.decode(encoding).encode()
    except (UnicodeError, LookupError):
        raise InputError(f"{path}: is not text in {encoding}.") from None


def _tags(
    path: Path, data: bytes, before: int, more: Collection[str], left: Counter[str]
) -> pl.DataFrame:
    """The tags of every game that are wanted, a row for each, as texts."""
    if b"\n" not in data and b"\r" in data:
        data = data.replace(b"\r", b"\n")
    if not data.endswith(b"\n"):
        data += b"\n"
    buffer, starts, ends = _all_lines(data)
    if np.isin(buffer[starts], _BLANKS).any():
        data = _INDENTED.sub(b"", data)
        buffer, starts, ends = _all_lines(data)
    at = np.flatnonzero(buffer[starts] == _BRACKET)
    if not len(at):
        return pl.DataFrame()
    texts = _lines(buffer, starts[at], ends[at], left).str.strip_chars_end()
    frame = pl.DataFrame({"text": texts, "line": at})
    inside = _in_comments(frame["text"], buffer, starts, ends, at)
    if inside.any():
        _refuse_endless_comment(path, frame.filter(pl.Series(inside)))
        frame, at = frame.filter(~pl.Series(inside)), at[~inside]
    frame = _one_a_line(frame.with_columns(game=pl.Series(_games(buffer, starts, at))))
    begins = frame["text"].str.starts_with('[Event "')
    game = (frame["game"] + begins.cum_sum()).rank("dense").cast(pl.UInt32) - 1
    frame = frame.with_columns(game.alias("game"))
    wide = _wide(path, frame, before, more)
    if wide["Result"].null_count():
        wide = wide.with_columns(_ends(data, wide["Result"], frame, starts, ends, left))
    return wide


def _all_lines(
    data: bytes,
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """The signs of a text, and where its lines start and end."""
    buffer = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(buffer == _NEWLINE)
    return buffer, np.concatenate(([0], ends[:-1] + 1)), ends


def _lines(
    buffer: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    left: Counter[str],
) -> pl.Series:
    """Those lines as texts, in UTF-8 or else Latin-1."""
    lengths = ends - starts + 1
    begins = np.cumsum(lengths)
    shifts = (starts - begins + lengths).astype(np.int32)
    places = np.repeat(shifts, lengths)
    places += np.arange(len(places), dtype=np.int32)
    joined = buffer[places].tobytes()
    try:
        text = joined.decode()
    except UnicodeDecodeError:
        left["latin"] = 1
        text = joined.decode("latin-1")
    return pl.Series([text.removesuffix("\n")], dtype=pl.String).str.split("\n").explode()


def _in_comments(
    texts: pl.Series,
    buffer: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    lines: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Which of the lines, which begin like tags, stand in a comment.

    Comments do not nest, so the last brace before a line tells, if it opens none in a tag or in a
    line that is a comment as a whole. Lines that follow each other stand in the same.
    """
    braces = np.flatnonzero((buffer == _OPENING) | (buffer == _CLOSING))
    if not len(braces):
        return np.zeros(len(lines), np.bool_)
    braces = _outside_of_lines(braces, buffer, starts)
    escaped = np.flatnonzero(np.isin(buffer[starts], np.frombuffer(b";%", np.uint8)))
    plain = np.concatenate((lines[texts.str.contains("{", literal=True).to_numpy()], escaped))
    if len(plain):
        bounds = np.zeros(len(braces) + 1, np.int64)
        np.add.at(bounds, np.searchsorted(braces, starts[plain]), 1)
        np.add.at(bounds, np.searchsorted(braces, ends[plain]), -1)
        braces = braces[(np.cumsum(bounds[:-1]) == 0) | (buffer[braces] == _CLOSING)]
    first = np.concatenate(([True], np.diff(lines) > 1))
    before = np.searchsorted(braces, starts[lines[first]]) - 1
    inside = (before >= 0) & (buffer[np.append(braces, 0)[before]] == _OPENING)
    repeated: NDArray[np.bool_] = inside[np.cumsum(first) - 1]
    return repeated


def _outside_of_lines(
    braces: NDArray[np.int64], buffer: NDArray[np.uint8], starts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Without those that open no comment, because they stand in one to the end of the line.

    Such a comment begins with a semicolon that is in no other comment.
    """
    signs = np.flatnonzero(buffer == _SEMICOLON)
    if not len(signs):
        return braces
    before = np.searchsorted(braces, signs) - 1
    signs = signs[(before < 0) | (buffer[braces[before]] == _CLOSING)]
    line_of = np.searchsorted(starts, braces, side="right") - 1
    first = np.append(signs, len(buffer))[np.searchsorted(signs, starts[line_of])]
    found: NDArray[np.int64] = braces[(first > braces) | (buffer[braces] == _CLOSING)]
    return found


def _refuse_endless_comment(path: Path, swallowed: pl.DataFrame) -> None:
    for tag in ("White", "Black", "Result"):
        if not swallowed["text"].str.contains(rf"^\[\s*{tag}\s").any():
            return
    raise InputError(
        f"{path}: {swallowed['text'][0][:100]} stands in a comment that does not end before it; "
        f"a comment is closed with a brace (}})."
    )


def _games(
    buffer: NDArray[np.uint8], starts: NDArray[np.int64], lines: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The number of the game of every line with a tag; moves stand between games."""
    is_text = np.logical_or.reduceat(buffer > ord(" "), starts)
    is_text[lines] = False
    before = np.cumsum(is_text)[lines]
    return np.concatenate(([0], np.cumsum(np.diff(before) > 0)))


def _one_a_line(frame: pl.DataFrame) -> pl.DataFrame:
    """Every tag as [Name "value"] in a line of its own; most are already."""
    text = pl.col("text")
    end = text.str.find('"]', literal=True)
    odd = frame.select(
        (end + 2 != text.str.len_bytes()).fill_null(True) | ~text.str.contains(_EXACT)
    ).to_series()
    if not odd.any():
        return frame
    split = frame.filter(odd).with_columns(
        text.str.replace_all(_TWO_IN_A_LINE, "$1\n[$2").str.split("\n")
    )
    pairs = split.explode("text").filter(text.str.contains(_PAIR))
    name, value = text.str.extract(_PAIR, 1), text.str.extract(_PAIR, 2)
    pairs = pairs.with_columns(text=pl.lit("[") + name + ' "' + value + '"]')
    return pl.concat([frame.filter(~odd), pairs]).sort("line", maintain_order=True)


def _wide(path: Path, tags: pl.DataFrame, before: int, more: Collection[str]) -> pl.DataFrame:
    """A row for each game and a column for each tag that is wanted."""
    count = 0 if tags.is_empty() else int(tags["game"][-1]) + 1
    wide = pl.DataFrame({"game": np.arange(count, dtype=np.uint32)})
    for name in dict.fromkeys((*_TAGS, *more)):
        own = tags.filter(pl.col("text").str.starts_with(f'[{name} "'))
        if own["game"].is_duplicated().any():
            twice = int(own.filter(own["game"].is_duplicated())["game"][0])
            raise InputError(f"{path}, game {before + twice + 1}: has the tag {name} twice.")
        value = own["text"].str.strip_prefix(f'[{name} "').str.strip_suffix('"]')
        if value.str.contains("\\", literal=True).any():
            value = value.str.replace_all(r"\\(.)", "$1")
        own = own.select("game").with_columns(value.str.strip_chars().alias(name))
        if own.height == count:
            wide = wide.with_columns(own[name])
        else:
            wide = wide.join(own, on="game", how="left", maintain_order="left")
    return wide.drop("game")


def _ends(
    data: bytes,
    results: pl.Series,
    tags: pl.DataFrame,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    left: Counter[str],
) -> pl.Series:
    """Results, of games without the tag those that their moves end with."""
    spans = tags.group_by("game").agg(first=pl.col("line").min(), last=pl.col("line").max())
    spans = spans.sort("game")
    begin = ends[spans["last"].to_numpy()]
    end = np.append(starts[spans["first"].to_numpy()[1:]], len(data))
    missing = results.is_null().arg_true().to_numpy()
    words = [data[begin[game] : end[game]].split()[-1:] for game in missing]
    found = [word[0].decode("latin-1") if word else None for word in words]
    said = [word if word in _OUTCOMES else None for word in found]
    left["ends"] += sum(word is not None for word in said)
    return results.scatter(missing, pl.Series(said, dtype=pl.String))


def _matches(path: Path, part: _Part, options: Options, way: _Way, left: Counter[str]) -> _Part:
    """Games as matches, without those that do not count."""
    part = _counting(path, part, options, left)
    tags = part.frame
    for side in ("White", "Black"):
        nobody = tags[side].is_null() | tags[side].is_in(_NOBODY)
        _refuse(nobody, lambda row: f"{path}, game {part.numbers[row]}: has no {side}.")  # noqa: B023
    columns = [
        tags["White"].alias("player_a"),
        tags["Black"].alias("player_b"),
        tags["Result"].replace_strict(_OUTCOMES, return_dtype=pl.Float64).alias("outcome"),
    ]
    times = _times(path, part, left) if way.dated else None
    if times is not None:
        columns.append(times)
    if way.named:
        columns.append(_identifiers(part, times, way))
    frame = pl.DataFrame(columns).with_columns(side=pl.lit("white"))
    return part._replace(frame=with_extras(frame, tags, options.columns))


def _identifiers(part: _Part, times: pl.Series | None, way: _Way) -> pl.Series:
    """Event, date, round or number on that day, and players; an event of a year needs no date."""
    tags = part.frame
    both = tags["White"] + " - " + tags["Black"]
    event = tags["Event"].fill_null("").replace(["?", "-"], "")
    days = pl.repeat(way.day, tags.height, eager=True)
    if times is not None:
        days = times.dt.strftime("%Y-%m-%d")
        if way.rounds:
            has_round = tags["Round"].str.contains(_ROUND).fill_null(False)
            both_said = pl.DataFrame({"event": event, "year": days.str.slice(0, 4)})
            told = pl.col("event").str.contains(pl.col("year"), literal=True)
            days = days.set(both_said.select(told).to_series() & has_round, "")
    number = tags["Round"].fill_null("").replace(["?", "-"], "")
    number = number if way.rounds else part.turns.cast(pl.String)
    frame = pl.DataFrame([event.alias("event"), days.alias("day"), number.alias("number")])
    said = pl.concat_str(pl.all().replace("", None), separator=" ", ignore_nulls=True)
    return (frame.select(said).to_series() + " " + both).str.strip_chars().alias("contest")


def _said_day(path: Path, options: Options) -> str:
    """The day that options give to games without one."""
    if options.time is not None:
        return str(layout.moment_of(options.time, options))[:10]
    date = stems.dated([_stem(path)], options.dates)[0].date if options.from_name else None
    return "" if date is None else date.isoformat()


def _counting(path: Path, part: _Part, options: Options, left: Counter[str]) -> _Part:
    """Without games that have no result, if they may be left out, and machines of lichess."""
    tags = part.frame
    result = tags["Result"].fill_null("*")
    is_open = result.is_in(_OPEN)
    wrong = ~is_open & ~result.is_in(list(_OUTCOMES))
    _refuse(
        wrong,
        lambda row: (
            f"{path}, game {part.numbers[row]}: Result {result[row][:100]!r} is not 1-0, 0-1, "
            f"1/2-1/2 or * (unfinished)."
        ),
    )
    lichess = tags["Site"].str.contains("lichess.org/", literal=True).fill_null(False)
    if options.unfinished != "drop":
        _refuse(
            is_open & ~lichess,
            lambda row: (
                f"{path}, game {part.numbers[row]}: Result {result[row]!r} is that of an "
                f"unfinished game; say unfinished='drop' or --unfinished drop to leave those out."
            ),
        )
    left[" without a result"] += int(is_open.sum())
    machine = pl.Series(np.zeros(len(tags), np.bool_))
    for side in ("White", "Black"):
        machine |= tags[side].str.contains(_MACHINE).fill_null(False)
    machine &= lichess & ~is_open
    left[" that computers or players without a name played"] += int(machine.sum())
    keep = ~(is_open | machine)
    if keep.all():
        return part
    return _Part(tags.filter(keep), part.numbers.filter(keep), part.turns.filter(keep))


def _times(path: Path, part: _Part, left: Counter[str]) -> pl.Series:
    """The moment of UTCDate and UTCTime, or the day of Date, or the first that it leaves open."""
    tags = part.frame
    times = tags.select(time=_MOMENT).to_series()
    if not times.null_count():
        return times
    first = _beginnings(tags)
    said = tags["Date"].fill_null("????.??.??")
    _refuse(
        first.is_null(),
        lambda row: (
            f"{path}, game {part.numbers[row]}: Date {said[row][:100]!r} is no date and has no "
            f"year, as those of other games have; write it there, or take the game out. time=DATE "
            f"or --time DATE is for files without any dates."
        ),
    )
    left["beginning"] += times.null_count() - first.null_count()
    return first


def _beginnings(tags: pl.DataFrame) -> pl.Series:
    """The moments of games, of those with a month or a year its first one; most have a day."""
    times = tags.select(time=_MOMENT).to_series()
    if times.null_count():
        times = tags.select(time=pl.coalesce(times, _BEGINNING)).to_series()
    return times


def _told_apart(ids: pl.Series) -> pl.Series:
    """With a number behind the second game of the same event, round and players."""
    if not ids.is_duplicated().any():
        return ids
    turn = pl.col("contest").cum_count().over("contest")
    suffix = pl.when(turn > 1).then(pl.lit(" #") + turn.cast(pl.String)).otherwise(pl.lit(""))
    return ids.to_frame().select(pl.col("contest") + suffix).to_series()


def _refuse(bad: pl.Series, message: Callable[[int], str]) -> None:
    if bad.any():
        raise InputError(message(int(bad.arg_max() or 0)))
