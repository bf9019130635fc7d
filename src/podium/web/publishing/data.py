"""Data that the script of a published site loads: columns of small whole numbers, in files.

A file calls a function with what it holds, so that it can be loaded from the file system too, where
a page may run scripts but not fetch.

Ratings are kept as they are shown. Where a rounded number would say something else than the rating
itself, such as a title that is not yet earned, the truth is kept beside it: that is seldom.
"""

import json
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.league import Rules
from podium.ratings.rankings import first_best
from podium.systems.base import FORECAST, System
from podium.web.charts import Titles
from podium.web.content import Titles as TitlesOf
from podium.web.publishing.everything import Everything
from podium.web.publishing.filenames import file_name

Files = Iterator[tuple[str, str]]
"""Names of files and what is in them."""
Floats = NDArray[np.float64]
CONTESTS = 1000
"""Contests in a file."""
_HISTORY = 8000
"""Rows of the histories in a file, about."""
_NAMES = 8000
"""Names in a file that is not parted."""
_BEST = 50
"""Names in a file that is."""
_DEEPEST = 40


def file(key: str, value: Any) -> tuple[str, str]:
    """A file of data."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return f"data/{key}.js", f"podiumData({json.dumps(key)},{text});\n"


def shards(everything: Everything) -> int:
    """Into how many files the histories go: a power of two, so that it seldom changes."""
    files: int = everything.rows["rating"].count() // _HISTORY
    return 1 << files.bit_length() if files else 1


def settings(
    everything: Everything,
    *,
    pages: bool,
    explained: Sequence[tuple[str, str]] = (),
    seasons: Sequence[tuple[int, str]] = (),
) -> tuple[str, str]:
    """What the script has to know of the league."""
    rules = everything.rules
    numbers = {name: number for number, name in enumerate(everything.contests["contest"].to_list())}
    return file(
        "site",
        {
            "digits": everything.system.decimals,
            "titles": [list(each) for each in TitlesOf.of(rules).toned],
            "kept": rules.keep_titles,
            "shards": shards(everything),
            "contests": CONTESTS,
            "players": everything.board["place"].count(),
            "seasons": seasons,
            "pages": pages,
            "explained": [
                [numbers[contest], player, f"{file_name(contest)}/{file_name(player)}"]
                for contest, player in explained
            ],
        },
    )


def contests(everything: Everything) -> Files:
    """What every contest is called, when it was and where it is."""
    frame = everything.contests
    for first in range(0, frame.height, CONTESTS):
        part = frame.slice(first, CONTESTS)
        yield file(
            f"contests/{first // CONTESTS}",
            {
                "name": part["name"].fill_null(part["contest"]).to_list(),
                "file": [file_name(each) for each in part["contest"].to_list()],
                "time": part["time"].dt.epoch("s").to_list(),
                "players": part["players"].to_list(),
            },
        )


def whole(values: pl.Series, digits: int) -> Floats:
    """Numbers as they are shown, in units of the last digit, and NaN for what is none.

    Example:
        >>> whole(pl.Series([1599.6, None, 0.5]), 0).tolist(), whole(pl.Series([1.005]), 2).tolist()
        ([1600.0, nan, 0.0], [100.0])
    """
    numbers = values.cast(pl.Float64).fill_null(np.nan).to_numpy()
    scaled = np.where(np.isfinite(numbers), numbers * 10.0**digits, np.nan)
    found = np.rint(scaled)
    if digits:  # the product is rounded, too, so that what is near a tie may seem to be one
        near = np.abs(np.abs(scaled - np.trunc(scaled)) - 0.5) < 1e-6
        for each in np.flatnonzero(near).tolist():
            found[each] = np.rint(round(float(numbers[each]), digits) * 10.0**digits)
    return found


def earned(ratings: Floats, titles: Titles) -> NDArray[np.int64]:
    """How many titles ratings have reached: 0 for none, also of what is no rating.

    Example:
        >>> earned(np.array([1599.6, 1600.0, np.nan]), [(1200, "pupil"), (1600, "expert")]).tolist()
        [1, 2, 0]
    """
    lowest = [lowest for lowest, *_ in titles]
    return np.where(np.isnan(ratings), 0, np.searchsorted(lowest, ratings, side="right"))


def misleading(
    values: pl.Series, titles: Titles, digits: int, provisional: pl.Series | None = None
) -> Floats:
    """How many titles were reached, where the number that is shown says otherwise; else NaN.

    Ratings that are provisional have earned none.
    """
    exact = values.cast(pl.Float64).fill_null(np.nan).to_numpy()
    right = earned(exact, titles)
    if provisional is not None:
        right = np.where(provisional.fill_null(False).to_numpy(), 0, right)
    return np.where(right == earned(whole(values, digits) / 10.0**digits, titles), np.nan, right)


def sparse(values: Floats) -> dict[str, int]:
    """The few that there are, by their places."""
    return {str(each): int(values[each]) for each in np.flatnonzero(~np.isnan(values)).tolist()}


def listed(values: Floats) -> list[int | None] | None:
    """The same as JSON has them; None if there is no number."""
    missing = np.isnan(values)
    if missing.all():
        return None
    found: list[int | None] = np.where(missing, 0.0, values).astype(np.int64).tolist()
    for each in np.flatnonzero(missing).tolist():
        found[each] = None
    return found


def steps(values: Floats, starts: NDArray[np.bool_]) -> Floats:
    """The difference to the row before, or the value itself where somebody's rows begin."""
    return values - np.where(starts, 0.0, np.append(0.0, values)[:-1])


def hashed(name: str) -> int:
    """The FNV-1a hash of a name in 32 bits, by which its history is found."""
    found = 0x811C9DC5
    for byte in name.encode("utf-8", "surrogatepass"):
        found = ((found ^ byte) * 0x01000193) & 0xFFFFFFFF
    return found


def histories(everything: Everything) -> Files:
    """The rated contests of everybody, in files by the hash of the name."""
    count, board = shards(everything), everything.board
    names = board["player"].to_list()
    shard = np.array([hashed(each) % count for each in names], np.int64)
    turn = np.argsort(shard, kind="stable")
    names, places = [names[each] for each in turn.tolist()], board["place"].gather(turn).to_list()
    expected = _expected(board[turn], everything.system)
    rows = _by_player(everything, pl.Series(names, dtype=pl.String))
    player = rows["turn"].to_numpy()
    titles, digits = everything.rules.titles, everything.system.decimals
    columns = _history(rows, digits)
    astray = misleading(rows["rating"], titles, digits, rows["provisional"])
    marked = _marks(everything.rules, rows["provisional"])
    now = everything.rules.provisional(
        *(board[each].gather(turn).to_numpy() for each in ("contests", "sigma"))
    )
    best = _misplaced_best(rows, digits, len(names))
    counts = np.bincount(player, minlength=len(names))
    since = _since(board[turn], rows, counts, now, titles, digits)
    players = np.searchsorted(shard[turn], np.arange(count + 1))
    ends = np.searchsorted(player, players)
    for number in range(count):
        there, part = slice(*players[number : number + 2]), slice(*ends[number : number + 2])
        yield file(
            f"players/{number}",
            {
                "player": names[there],
                "place": places[there],
                **{name: listed(values[there]) for name, values in expected.items()},
                "count": counts[there].tolist(),
                **{name: listed(values[part]) for name, values in columns.items()},
                "earned": sparse(astray[part]),
                "best": sparse(best[there]),
                "provisional": None if marked is None else marked[part],
                "provisional_now": np.flatnonzero(now[there]).tolist(),
                "now": {
                    str(at - there.start): since[at]
                    for at in range(there.start, there.stop)
                    if at in since
                },
            },
        )


def _since(
    board: pl.DataFrame,
    rows: pl.DataFrame,
    counts: NDArray[np.int64],
    provisional: NDArray[np.bool_],
    titles: Titles,
    digits: int,
) -> dict[int, list[int | None]]:
    """Rating, sigma and titles of those who have others now than after their last contest.

    By the place of a player: of who was given a rating and has not played, or was reset since.
    """
    rating, sigma = (whole(board[each], digits) for each in ("rating", "sigma"))
    last = np.where(counts > 0, np.cumsum(counts) - 1, -1)
    then = [np.append(whole(rows[each], digits), np.nan)[last] for each in ("rating", "sigma")]
    same = (rating == then[0]) & ((sigma == then[1]) | (np.isnan(sigma) & np.isnan(then[1])))
    held = np.where(provisional, 0, earned(board["rating"].to_numpy(), titles))
    others = np.flatnonzero(~same | (counts == 0)).tolist()
    return {
        each: [
            int(rating[each]),
            None if np.isnan(sigma[each]) else int(sigma[each]),
            int(held[each]),
        ]
        for each in others
    }


def _marks(rules: Rules, provisional: pl.Series) -> list[int] | None:
    """Which ratings are provisional; None if none can be."""
    if not rules.gives_provisional:
        return None
    return provisional.fill_null(False).cast(pl.Int8).to_list()


def _expected(board: pl.DataFrame, system: System) -> dict[str, Floats]:
    """What is expected of everybody in the next contest, if the system says so."""
    columns = FORECAST if system.forecasts else ()
    return {name: whole(board[name], system.decimals) for name in columns}


def _by_player(everything: Everything, names: pl.Series) -> pl.DataFrame:
    """All rows of who was rated, player by player in the turn of the names."""
    contest = np.repeat(np.arange(everything.contests.height), np.diff(everything.offsets))
    turns = pl.DataFrame({"player": names, "turn": np.arange(len(names))})
    return (
        everything.rows.select(
            *("player", "rank", "performance", "sigma", "rating_before", "rating", "provisional")
        )
        .with_columns(contest=pl.Series(contest))
        .filter(pl.col("rating").is_not_null())
        .join(turns, on="player", how="inner")
        .sort("turn", "contest")
    )


def _misplaced_best(rows: pl.DataFrame, digits: int, players: int) -> Floats:
    """Which of a player's contests led to the best rating, where rounded ones name another."""
    player = rows["turn"].to_numpy()
    starts = np.flatnonzero(np.diff(player, prepend=-1))
    found = np.full(players, np.nan)
    if len(starts):
        right = first_best(rows["rating"].to_numpy(), starts)
        same = right == first_best(whole(rows["rating"], digits), starts)
        found[player[starts]] = np.where(same, np.nan, right - starts)
    return found


def _history(rows: pl.DataFrame, digits: int) -> dict[str, Floats]:
    """What is kept of them: differences, which are short."""
    begins = np.diff(rows["turn"].to_numpy(), prepend=-1) != 0
    rating, before = (whole(rows[each], digits) for each in ("rating", "rating_before"))
    previous = np.where(begins, 0.0, np.append(0.0, rating)[:-1])
    return {
        "contest": steps(rows["contest"].to_numpy().astype(float), begins),
        "rank": rows["rank"].to_numpy().astype(float),
        "rating": rating - previous,
        "before": before - previous,
        "performance": whole(rows["performance"], digits) - before,
        "sigma": whole(rows["sigma"], digits),
    }


def standings(
    contest: str,
    table: pl.DataFrame,
    digits: int,
    rules: Rules | None = None,
    *,
    limited: bool = False,
) -> tuple[str, str]:
    """All rows of a contest; unless it is limited to some ratings, who is not rated is a guest."""
    rules = rules or Rules()
    titles = rules.titles
    before, after = (whole(table[each], digits) for each in ("rating_before", "rating"))
    texts = {
        "team": table["team"].fill_null(table["given_team"]),
        "score": table["score"],
        "status": table["status"],
    }
    rank = table["rank"].to_numpy().astype(float)
    return file(
        f"standings/{file_name(contest)}",
        {
            "player": table["player"].to_list(),
            "rank": listed(steps(rank, np.arange(len(rank)) == 0)),
            "expected": listed(whole(table["expected_rank"], 0)),
            "performance": listed(whole(table["performance"], digits)),
            "before": listed(before),
            "rating": listed(after - before),
            "earned_before": sparse(
                misleading(table["rating_before"], titles, digits, table["provisional_before"])
            ),
            "earned": sparse(misleading(table["rating"], titles, digits, table["provisional"])),
            "provisional": _marks(rules, table["provisional"]),
            "guests": [] if limited else (~table["eligible"]).arg_true().to_list(),
            **{
                name: values.to_list() if values.is_not_null().any() else None
                for name, values in texts.items()
            },
        },
    )


def folded(name: str) -> str:
    """A name as it is looked for: small letters without accents.

    Example:
        >>> folded("Ünï Lee")
        'uni lee'
    """
    if name.isascii():
        return name.lower()
    parts = unicodedata.normalize("NFKD", name)
    return "".join(each for each in parts if unicodedata.category(each)[0] != "M").lower()


def word_starts(text: str) -> list[int]:
    """Where words begin: at 0, and after what is neither letter nor digit."""
    if text.isalnum():
        return [0]
    return [
        place
        for place, sign in enumerate(text)
        if place == 0 or (sign.isalnum() and not text[place - 1].isalnum())
    ]


def names(players: Sequence[str], file_of: Callable[[str], str | None] | None = None) -> Files:
    """All names, so that a search loads only those that begin like it.

    A file holds all names with a word that begins with certain letters, the best players first; if
    they are too many, only the best, and those with one letter more have files of their own.
    ``names/index`` says which letters have which file.
    """
    folds = [folded(each) for each in players]
    entries = sorted(
        (text[place:], number) for number, text in enumerate(folds) for place in word_starts(text)
    )
    texts = [text for text, _ in entries]
    numbers = [number for _, number in entries]
    index: dict[str, int] = {}

    def part(prefix: str, first: int, last: int) -> Files:
        number = len(index)
        index[prefix] = number
        found = sorted(set(numbers[first:last]))
        is_whole = len(found) <= _NAMES or len(prefix) >= _DEEPEST
        if not is_whole:
            same = {each for each in found if folds[each] == prefix}
            found = [*sorted(same), *(each for each in found if each not in same)][:_BEST]
        shown = [players[each] for each in found]
        value: dict[str, Any] = {"whole": is_whole, "name": shown}
        if file_of is not None:
            value["file"] = [file_of(each) for each in shown]
        yield file(f"names/{number}", value)
        if is_whole:
            return
        while first < last and len(texts[first]) == len(prefix):
            first += 1
        while first < last:
            letters = texts[first][: len(prefix) + 1]
            end = first
            while end < last and texts[end].startswith(letters):
                end += 1
            yield from part(letters, first, end)
            first = end

    yield from part("", 0, len(entries))
    keys = list(index)
    yield file("names/index", {"prefix": keys, "file": [index[each] for each in keys]})
