"""A league as a folder of tables, and a league from such a folder.

``results`` is a table that `podium.read` reads, with what else the league keeps of contests and
rows; together with ``league.json``, ``players``, ``aliases`` and ``log`` it is enough to build the
league again; exports of earlier versions have no ``players``, and no numbers of theirs.
``ratings`` and ``history`` are what comes of it, for whoever wants to look at them.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sqlalchemy import Connection, select, update

from podium import forks, systems
from podium.errors import ConflictError, InputError, NotFoundError, PodiumError, StorageError
from podium.files import as_path, files_in, replacing
from podium.league import (
    adjusting,
    edits,
    logs,
    peaks,
    people,
    players,
    queries,
    readjusting,
    revisions,
    schema,
    standings,
)
from podium.league.access import PUBLIC, checked_access
from podium.league.attributes import Attribute
from podium.league.database import Database, Meter, insert
from podium.league.edits import Edit
from podium.league.revisions import Revision
from podium.league.rules import Rules
from podium.league.standings import StoredContests
from podium.league.verifying import Closeness
from podium.progress import Report, part_of, unseen
from podium.ratings import arithmetic
from podium.ratings.adjustments import Season, Starts
from podium.ratings.arithmetic import Machine
from podium.ratings.fold import write_table
from podium.ratings.leaderboards import Filters
from podium.results.contests import Contests
from podium.results.tables import as_names, natural
from podium.results.times import as_column
from podium.wording import listed

FORMAT = "podium league 1"
_TABLES = ("results", "players", "aliases", "starts", "log", "ratings", "history")
FILES = tuple(f"{table}.{kind}" for table in _TABLES for kind in ("parquet", "csv"))
"""Tables of an export, of which one of another format is to be left nowhere."""
_NAMED = 6
_CHANGED = "one of them was changed since the export, and without a history nothing is compared"
_EXTRA = ("rated", "rating_floor", "rating_ceiling", "eligible")


def export(connection: Connection, folder: str | os.PathLike[str], format: str) -> list[str]:
    """Write a league to a folder, in place of one that it holds; the names of the files."""
    forks.refuse_lost_threads()
    if format not in ("parquet", "csv"):
        raise InputError(f"tables are written as parquet or csv, not {format!r}.")
    everything = standings.load(connection, given=True)
    names = players.all_names(connection)
    row = connection.execute(select(schema.league)).one()
    active = revisions.in_force(connection)
    rules = Rules.from_text(row.rules)
    about = {
        "format": FORMAT,
        "created": row.created,
        "rules": json.loads(row.rules),
        "attributes": [each.document() for each in people.defined(connection).values()],
        "last_player": row.last_player,
        "access": row.access,
        "in_force": active.name,
        "seasons": [readjusting.kept(each) for each in adjusting.seasons(connection)],
        "players_without_contests": sorted(
            names[each] for each in names.keys() - set(everything.columns.player.tolist())
        ),
        "guests": sorted(players.all_guests(connection).values()),
        "revisions": [
            {
                "name": each.name,
                "system": each.system.name,
                "parameters": json.loads(revisions.stored(each.system)),
                "created": each.created,
                "arithmetic": each.arithmetic,
                "machine": each.machine.document(),
            }
            for each in revisions.load(connection)
        ],
    }
    tables = {
        "results": _results(everything, names),
        "players": _players(connection, names),
        "aliases": queries.aliases(connection),
        "starts": queries.starts(connection),
        "log": queries.log(connection, None, None).reverse(),
        "ratings": queries.with_details(
            connection,
            peaks.with_titles(
                connection,
                active,
                rules,
                queries.best(connection, active, rules, Filters(None, with_hidden=True)),
            ),
            people.public(connection),
        ),
        "history": _history(connection, active, everything, names),
    }
    with replacing(folder, folder=True, stale=FILES) as temporary:
        for name, table in tables.items():
            write_table(table, temporary / f"{name}.{format}")
        text = json.dumps(about, indent=2, ensure_ascii=False) + "\n"
        (temporary / "league.json").write_text(text, encoding="utf-8")
        return files_in(temporary)


def _players(connection: Connection, names: dict[int, str]) -> pl.DataFrame:
    """Who the players are, by the numbers that they keep, and what is known of them, as texts."""
    numbers, known = sorted(names), people.of(connection, list(names))
    fields = {
        field: pl.Series([known[each].get(field) for each in numbers], dtype=pl.String)
        for field in ("display", *people.defined(connection))
    }
    return pl.DataFrame(
        {
            "id": pl.Series(numbers, dtype=pl.Int64),
            "player": pl.Series([names[each] for each in numbers], dtype=pl.String),
            "hidden": pl.Series(["hidden" in known[each] for each in numbers], dtype=pl.Boolean),
            **fields,
        }
    )


def _results(everything: StoredContests, names: dict[int, str]) -> pl.DataFrame:
    """All results in one table, as `podium.read` takes them, and what the league adds."""
    contest = np.repeat(np.arange(len(everything)), everything.sizes)
    return (
        everything.as_contests(names)
        .frame(given=True)
        .with_columns(
            rated=pl.Series(everything.rated[contest]),
            rating_floor=pl.Series(everything.floor[contest], nan_to_null=True),
            rating_ceiling=pl.Series(everything.ceiling[contest], nan_to_null=True),
            eligible=pl.Series(everything.eligible),
        )
    )


def _history(
    connection: Connection, revision: Revision, everything: StoredContests, names: dict[int, str]
) -> pl.DataFrame:
    """What happened in every rated participation, as in `podium.Rated.history`."""
    columns: dict[str, Any] = {
        "contest_id": pl.Int64,
        "position": pl.Int64,
        **dict.fromkeys(
            ("performance", "mu_before", "sigma_before", "mu", "sigma", "rating"), pl.Float64
        ),
    }
    events = queries.frame_of(
        connection,
        select(*(schema.events.c[name] for name in columns)).where(
            schema.events.c.revision_id == revision.id
        ),
        columns,
    )
    c, contest = everything.columns, np.repeat(np.arange(len(everything)), everything.sizes)
    rows = pl.DataFrame(
        {
            "contest_id": everything.number[contest],
            "position": 1 + np.arange(len(contest)) - c.offsets[contest],
            "contest": pl.Series(everything.contest, dtype=pl.String).gather(contest),
            "time": as_column(c.time[contest]),
            "player": pl.Series([names[each] for each in c.player.tolist()], dtype=pl.String),
            "rank": c.rank,
        }
    )
    keys = ["contest_id", "position"]
    return rows.join(events, on=keys, how="inner", maintain_order="left").drop(keys)


def restore(
    database: Database,
    folder: str | os.PathLike[str],
    report: Report = unseen,
    *,
    private: bool = False,
) -> None:
    """Build a league from a folder, where there is none yet."""
    forks.refuse_lost_threads()
    path = as_path(folder)
    about = _about(path)
    with _naming(file := _file(path, "results")):
        contests, extra = _read_results(file)
    with _naming(file := _file(path, "aliases")):
        aliases = _read(file).select("alias", "player")
    with _naming(file := _file(path, "log")):
        log = _log(_read(file))
    starts = _starts(path)
    known = None
    if any(each.is_file() for each in _places(path, "players")):
        with _naming(file := _file(path, "players")):
            known = _People.of(_read(file), about["attributes"])
    if private:
        database.keep_private()
    with database.making() as (connection, version):
        if version is not None:
            raise ConflictError(f"{database.shown}: there is a league already.")
        database.upgrade(connection)
        rules = Rules(**about["rules"])
        insert(
            connection,
            schema.league,
            {
                "id": 1,
                "revision_id": 1,
                "created": about["created"],
                "rules": rules.text(),
                "last_player": about["last_player"],
                "access": about["access"],
            },
        )
        numbers = {} if known is None else known.add(connection)
        edit = _edit(connection, contests, extra)
        edits.write_edit(connection, edit)
        numbers |= {name: number for number, name in edit.newcomers.items()}
        _add_aliases(connection, aliases, numbers, about["players_without_contests"])
        for season in about["seasons"]:
            adjusting.save_season(connection, season)
        _add_starts(connection, starts)
        _invite(connection, path, about["guests"])
        for number, described in enumerate(about["revisions"], 1):
            _add_revision(
                connection,
                number,
                described,
                rules,
                part_of(report, number - 1, len(about["revisions"])),
            )
            if described["name"] == about["in_force"]:
                connection.execute(update(schema.league).values(revision_id=number))
                _refuse_other_history(connection, path, number, described)
        insert(connection, schema.log, log)


def _refuse_other_history(
    connection: Connection, path: Path, number: int, described: dict[str, Any]
) -> None:
    """Raise if the history of an export is not what its results make, rated by its arithmetic.

    To the bit, if a machine of this kind rated it; see `Closeness`. An export may have none.
    """
    file = next((each for each in _places(path, "history") if each.is_file()), None)
    if file is None or described.get("arithmetic") != arithmetic.ARITHMETIC:
        return
    revision = next(each for each in revisions.load(connection) if each.id == number)
    machine = Machine.of(described.get("machine") or {})
    closeness = Closeness(revision._replace(machine=machine))
    everything, names = standings.load(connection), players.all_names(connection)
    made = _history(connection, revision, everything, names)
    with _naming(file):
        _refuse_differences(closeness, made, _read(file))


def _refuse_differences(closeness: Closeness, made: pl.DataFrame, said: pl.DataFrame) -> None:
    """Raise for the first number in which two histories differ."""
    keys, numbers = ["contest", "player"], made.columns[4:]
    said = said.select(*keys, *(pl.col(name).cast(pl.Float64) for name in numbers))
    said = said.with_columns(as_names(said[key].cast(pl.String)) for key in keys)
    both = made.join(said, on=keys, how="full", suffix="_said", maintain_order="left_right")
    alone = both.filter(pl.any_horizontal(pl.col("contest", "contest_said").is_null()))
    for row in alone.head(1).iter_rows(named=True):
        raise InputError(
            f"contest {(row['contest'] or row['contest_said'])!r}, player "
            f"{(row['player'] or row['player_said'])!r}: is rated in the history or by the "
            f"results, not in both; {_CHANGED}."
        )
    for name in numbers:
        found, wanted = (
            both[column].fill_null(np.nan).to_numpy() for column in (f"{name}_said", name)
        )
        for row in np.flatnonzero(closeness.differ(found, wanted))[:1].tolist():
            raise InputError(
                f"contest {both['contest'][row]!r}, player {both['player'][row]!r}: {name} is "
                f"{float(found[row])!r}, but {float(wanted[row])!r} by the results; {_CHANGED}."
            )


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    """Say which file it was if it is not what an export has."""
    try:
        yield
    except PodiumError as error:
        if str(error).startswith(str(file)):
            raise
        raise type(error)(f"{file}: {error}") from None
    except pl.exceptions.PolarsError as error:
        said = str(error).splitlines()[0]
        raise InputError(f"{file}: is not what podium export wrote ({said}).") from None


def _places(path: Path, name: str) -> tuple[Path, Path]:
    """Where a table of the folder may be, in whichever format it is."""
    return path / f"{name}.parquet", path / f"{name}.csv"


def _file(path: Path, name: str) -> Path:
    for file in _places(path, name):
        if file.is_file():
            return file
    raise InputError(f"{path}: there is no {name}.parquet or {name}.csv, which an export has.")


def _about(path: Path) -> dict[str, Any]:
    file = path / "league.json"
    if path.is_file():
        raise InputError(f"{path}: is a file; the folder that podium export wrote is needed.")
    try:
        about: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if about["format"] != FORMAT:
            raise StorageError(
                f"{file}: in the format {about['format']!r}, which is not read here."
            )
        idle = [str(each) for each in about.get("players_without_contests", [])]
        about["players_without_contests"] = idle
        about["seasons"] = [Season(**each, future=True) for each in about.get("seasons", [])]
        about["guests"] = [str(each) for each in about.get("guests", [])]
        Rules(**about["rules"])
        int(about["created"])
        about["attributes"] = [Attribute(**each) for each in about.get("attributes", [])]
        about["last_player"] = int(about.get("last_player", 0))
        about["access"] = checked_access(about.get("access", PUBLIC))
        for each in about["revisions"]:
            systems.restored(each["system"], each["parameters"], f"{path}: a league")
            int(each["created"])
        if about["in_force"] not in [each["name"] for each in about["revisions"]]:
            raise KeyError(about["in_force"])
    except FileNotFoundError:
        raise NotFoundError(
            f"{path}: holds no exported league, because there is no league.json; "
            f"podium export LEAGUE FOLDER writes one."
        ) from None
    except PodiumError:
        raise
    except (OSError, ValueError, KeyError, TypeError):
        raise StorageError(f"{file}: is damaged, or nothing that podium export wrote.") from None
    return about


def read_table(path: Path, name: str) -> pl.DataFrame | None:
    """A table of an export, if it has one of that name."""
    file = next((each for each in _places(path, name) if each.is_file()), None)
    return None if file is None else _read(file)


def _read(file: Path) -> pl.DataFrame:
    """A table of the folder."""
    try:
        if file.suffix == ".parquet":
            return pl.read_parquet(file, glob=False)
        return pl.read_csv(file, glob=False, infer_schema=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise StorageError(f"{file}: cannot be read ({error}).") from None


def _read_results(file: Path) -> tuple[Contests | None, pl.DataFrame]:
    """The results, and what the league adds to them, row by row."""
    frame = _read(file)
    missing = [name for name in _EXTRA if name not in frame.columns]
    if missing:
        raise InputError(f"the table of results has no column {listed(missing)}.")
    text = {"true": True, "false": False}
    frame = frame.with_columns(
        *(
            pl.col(name).replace_strict(text, return_dtype=pl.Boolean)
            for name in ("rated", "eligible")
            if frame.schema[name] == pl.String
        ),
        *(pl.col(name).cast(pl.Float64) for name in ("rating_floor", "rating_ceiling")),
    )
    for name in ("rated", "eligible"):
        if frame[name].null_count():
            raise InputError(f"the table of results lacks some of the column {name!r}.")
    if not frame.height:
        return None, frame
    frame = frame.with_columns(_one_spelling(frame[name]) for name in ("contest", "player"))
    results = frame.drop(_EXTRA)

    def locate(row: int) -> str:
        return f"{file}, row {row + 1}"

    return Contests.from_frame(results, unlimited=True, future=True, locate=locate), frame


def _one_spelling(names: pl.Series) -> pl.Series:
    """Names as they are compared; two that would become one are an error."""
    given = names.cast(pl.String).unique().drop_nulls()
    twice = given.filter(as_names(given).is_duplicated()).sort().to_list()
    if twice:
        raise InputError(
            f"the names {', '.join(map(ascii, twice[:_NAMED]))} would be one; podium merge or "
            f"podium rename settles that in the league that was exported."
        )
    return as_names(names)


def _edit(connection: Connection, contests: Contests | None, extra: pl.DataFrame) -> Edit:
    if contests is None:
        return Edit()
    entrants = players.entrants(connection, contests)
    number = np.arange(len(contests)) + 1
    put = StoredContests.of(entrants.contests, entrants.number, number, rated=True)
    rows = contests.frame().select("contest", "player")
    wanted = extra.select("contest", "player", *_EXTRA).with_columns(
        pl.col("contest", "player").cast(pl.String)
    )
    joined = rows.join(wanted, on=["contest", "player"], how="left", maintain_order="left")
    first = joined[contests.columns.offsets[:-1].tolist()]
    put = StoredContests(
        columns=put.columns,
        number=put.number,
        contest=put.contest,
        name=put.name,
        rated=first["rated"].to_numpy(),
        eligible=joined["eligible"].to_numpy(),
        floor=first["rating_floor"].fill_null(np.nan).to_numpy(),
        ceiling=first["rating_ceiling"].fill_null(np.nan).to_numpy(),
        teams=put.teams,
        given=put.given,
    )
    return Edit(put=put.in_order(), newcomers=entrants.newcomers)


def _add_aliases(
    connection: Connection, aliases: pl.DataFrame, numbers: dict[str, int], idle: list[str]
) -> None:
    """Keep aliases; players who have no contest are known by name all the same."""
    missing = sorted({*aliases["player"].to_list(), *idle} - set(numbers), key=natural)
    if missing:
        new = dict(enumerate(missing, players.next_number(connection)))
        players.add(connection, new)
        numbers = {**numbers, **{name: number for number, name in new.items()}}
    if aliases.height:
        owners = [numbers[name] for name in aliases["player"].to_list()]
        columns = {"name": aliases["alias"].to_list(), "player_id": owners}
        insert(connection, schema.aliases, columns)


def _starts(path: Path) -> Starts | None:
    """The starting ratings; exports of earlier versions have no such table."""
    file = next((each for each in _places(path, "starts") if each.is_file()), None)
    if file is None:
        return None
    with _naming(file):
        table = _read(file)
        return Starts.from_frame(table, future=True) if table.height else None


def _add_starts(connection: Connection, starts: Starts | None) -> None:
    """Keep starting ratings of players who are known."""
    if starts is None:
        return
    known = players.known(connection, starts.players)
    for name in starts.players:
        if name not in known:
            raise InputError(f"there is a starting rating of {name!r}, who is no player.")
    adjusting.save_starts(
        connection,
        pl.DataFrame(
            {
                "player_id": [known[name] for name in starts.players],
                "time": starts.time,
                "mu": starts.mu,
                "sigma": pl.Series(starts.sigma, nan_to_null=True),
            }
        ),
    )


def _invite(connection: Connection, path: Path, guests: list[str]) -> None:
    """Note who is a guest."""
    known = players.known(connection, guests)
    if strangers := sorted(set(guests) - known.keys()):
        raise InputError(f"{path / 'league.json'}: names {strangers[0]!r}, who is no player.")
    players.set_guests(connection, sorted(known.values()), True)


@dataclass(frozen=True)
class _People:
    """The players of an export."""

    attributes: dict[str, Attribute]
    names: dict[int, str]
    known: dict[int, people.Fields]

    @classmethod
    def of(cls, table: pl.DataFrame, attributes: list[Attribute]) -> "_People":
        """What a table says; raise if it is not one of players."""
        defined = {each.name: each for each in attributes}
        numbers = table["id"].cast(pl.Int64).to_list()
        names = as_names(table["player"].cast(pl.String)).to_list()
        lacking = None in numbers or None in names
        if lacking or len({*numbers}) < len(numbers) or len({*names}) < len(names):
            raise InputError("a player, or a number, stands there twice or is missing.")
        if numbers and not 1 <= min(numbers) <= max(numbers) < 2**31:
            raise InputError("the numbers of players are from 1 on.")
        known: dict[int, people.Fields] = {each: {} for each in numbers}
        for field in ("display", "hidden", *defined):
            if field not in table.columns:
                raise InputError(f"there is no column {field!r}.")
            values = table[field].cast(pl.String).to_list()
            for number, value in zip(numbers, values, strict=True):
                if value is not None:
                    known[number][field] = people.checked(defined, field, value)
        return cls(defined, dict(zip(numbers, names, strict=True)), known)

    def add(self, connection: Connection) -> dict[str, int]:
        """Keep them; their numbers by name."""
        players.add(connection, self.names)
        people.define(connection, self.attributes)
        people.put(connection, self.known)
        return {name: number for number, name in self.names.items()}


def _add_revision(
    connection: Connection,
    number: int,
    described: dict[str, Any],
    rules: Rules,
    progress: Report,
) -> None:
    system = systems.build(described["system"], **described["parameters"])
    created = int(described["created"])
    revision = Revision(number, described["name"], system, created)
    revisions.add(connection, revision)
    edits.rate_anew(connection, revision, rules, Meter(progress))


def _log(log: pl.DataFrame) -> dict[str, Any]:
    """The log as its table has it."""
    moment = pl.col("time")
    if log.schema["time"] == pl.String:
        moment = moment.str.to_datetime(time_unit="us")
    log = log.select(
        pl.col("number").cast(pl.Int64).alias("id"),
        moment.dt.epoch("us"),
        *("who", "action", "contest", "player", "why"),
        pl.col("details").fill_null("{}"),
        *(pl.col(name) for name in ("before", "after") if name in log.columns),
    )
    columns = {name: log[name].to_list() for name in log.columns}
    for name in {"before", "after"} & columns.keys():
        columns[name] = [None if each is None else logs.repacked(each) for each in columns[name]]
    return columns
