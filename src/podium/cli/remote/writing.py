"""A league on a site, to be changed: every change is sent, and made there in the token's name."""

from collections.abc import Mapping, Sequence
from typing import Any, Self, Unpack

import polars as pl

from podium.cli.remote.client import not_understood
from podium.cli.remote.owning import RemoteOwner
from podium.documents import as_document
from podium.errors import InputError
from podium.league import Change, How, Rules
from podium.ratings.adjustments import Starts
from podium.results.contests import Contests
from podium.results.near import NEAR
from podium.results.times import Time
from podium.systems.base import System

_MOST_ROWS = 20_000
"""Rows that are sent as JSON, which the site reads at once; more are sent as a file."""
_MOVES = {
    "player": pl.String,
    **dict.fromkeys(("before", "after", "change"), pl.Float64),
}


class RemoteLeague(RemoteOwner):
    """A league on a site, with the changes that commands make; they take what a league's do."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def record(
        self,
        results: Any,
        *,
        guests: Sequence[str] = (),
        **said: Any,
    ) -> Change:
        """Add contests."""
        return self._results("record", results, {**said, "guests": list(guests)})

    def amend(
        self,
        contest: str,
        results: Contests | None = None,
        *,
        name: str | None = None,
        future: bool = False,
        **said: Any,
    ) -> Change:
        """Put a contest right."""
        said |= {"contest": contest, "called": name, "future": future}
        return self._results("amend", results, said)

    def add(self, contest: str, results: pl.DataFrame, **said: Any) -> Change:
        """Put late results into a contest."""
        return self._table("add", results, {"contest": contest, **said})

    def disqualify(self, contest: str, player: str, **how: Unpack[How]) -> Change:
        """Take a player out of a contest."""
        return self._made("disqualify", {"contest": contest, "player": player}, how)

    def reinstate(self, contest: str, player: str, **how: Unpack[How]) -> Change:
        """Put a player who was disqualified back."""
        return self._made("reinstate", {"contest": contest, "player": player}, how)

    def remove(self, contest: str, **how: Unpack[How]) -> Change:
        """Take a contest out of the league."""
        return self._made("remove", {"contest": contest}, how)

    def rename(
        self, player: str, new_name: str, *, keep_old: bool = True, **how: Unpack[How]
    ) -> Change:
        """Give a player another name."""
        said = {"player": player, "to": new_name, "keep_old": keep_old}
        return self._made("rename", said, how)

    def merge(self, player: str, into: str, *, keep: Any = None, **how: Unpack[How]) -> Change:
        """Make one player of two."""
        return self._made("merge", {"player": player, "into": into, "keep": keep}, how)

    def set_guest(self, player: str, guest: bool = True, **how: Unpack[How]) -> Change:
        """Make a player a guest, or a member again."""
        return self._made("guest", {"player": player, "guest": guest}, how)

    def define_attributes(
        self, *attributes: str, public: bool = True, **how: Unpack[How]
    ) -> Change:
        """Let players have attributes."""
        return self._made("attributes", {"attributes": [*attributes], "public": public}, how)

    def remove_attributes(self, *names: str, **how: Unpack[How]) -> Change:
        """Let players no longer have attributes."""
        return self._made("remove-attributes", {"attributes": [*names]}, how)

    def describe(
        self, player: str, values: Mapping[str, Any], *, new: bool = False, **how: Unpack[How]
    ) -> Change:
        """Let something be known of a player."""
        return self._made("describe", {"player": player, "values": {**values}, "new": new}, how)

    def describe_all(self, table: pl.DataFrame, **said: Any) -> Change:
        """Let what a table says be known of its players."""
        return self._table("describe-players", table, said)

    def hide(self, player: str, **how: Unpack[How]) -> Change:
        """Let a player be in no output."""
        return self._made("hide", {"player": player}, how)

    def show(self, player: str, **how: Unpack[How]) -> Change:
        """Let a player who is hidden be seen again."""
        return self._made("show", {"player": player}, how)

    def season(self, name: str, start: Time, **said: Any) -> Change:
        """Let a season begin."""
        about = ("pull", "toward", "sigma", "future")
        fields = {key: said.pop(key) for key in about if key in said}
        fields |= {"season": name, "start": start if isinstance(start, str) else f"{start}"}
        return self._made("season", fields, said)

    def remove_season(self, name: str, **how: Unpack[How]) -> Change:
        """Take a season out of the league."""
        return self._made("remove-season", {"season": name}, how)

    def start(self, starts: Starts, *, near: bool = False, **how: Unpack[How]) -> Change:  # noqa: ARG002
        """Give players starting ratings; the site looks for near names if it can."""
        table = starts.frame()
        table = table.select(each for each in table if each.null_count() < table.height)
        return self._table("start", table, {"future": True, **how})

    def remove_start(self, player: str, time: Time | None = None, **how: Unpack[How]) -> Change:
        """Take starting ratings of a player back."""
        return self._made("remove-start", {"player": player, "time": time}, how)

    def undo(self, entry: int | None = None, **how: Unpack[How]) -> Change:
        """Take back a change."""
        return self._made("undo", {"entry": entry}, how)

    def redo(self, entry: int | None = None, **how: Unpack[How]) -> Change:
        """Make again what was taken back."""
        return self._made("redo", {"entry": entry}, how)

    def set_rules(self, rules: Rules, **how: Unpack[How]) -> Change:
        """Show ratings by other rules."""
        said = {name: getattr(rules, name) for name in Rules.__dataclass_fields__}
        colours = dict(said.pop("colours"))
        said["titles"] = [
            [lowest, title, *([colours[title]] if title in colours else [])]
            for lowest, title in rules.titles
        ]
        return self._made("rules", said, how)

    def revise(self, system: System, *, name: str | None = None, **how: Unpack[How]) -> Change:
        """Rate the league by another system or other parameters."""
        said = {
            "system": system.name,
            "parameters": as_document(system.stored_parameters()),
            "revision": name,
        }
        return self._made("revise", said, how)

    def rollback(self, revision: str | None = None, **how: Unpack[How]) -> Change:
        """Put another revision in force."""
        return self._made("rollback", {"revision": revision}, how)

    def _results(self, operation: str, results: Any, said: dict[str, Any]) -> Change:
        """Send results that were read here, or none."""
        if results is None:
            return self._made(operation, *_apart(said))
        if not isinstance(results, Contests):
            raise InputError(
                f"{self.where}: is a site, which takes results that fit into memory; give fewer "
                f"files at once, or record them where the league is kept."
            )
        table = results.frame(given=True)
        return self._table(operation, table, {**said, "future": True}, "results")

    def _table(
        self, operation: str, table: pl.DataFrame, said: dict[str, Any], field: str = "rows"
    ) -> Change:
        """Send a table: rows in JSON if there are few, else as a file."""
        fields, how = _apart(said)
        if table.height <= _MOST_ROWS and _is_plain(table):
            rows = [as_document(each) for each in table.to_dicts()]
            return self._made(operation, {**fields, field: rows}, how)
        told = {
            name: _in_address(value)
            for name, value in {**fields, **self._how(how)}.items()
            if value is not None
        }
        return self._change(self._site.upload(f"/{operation}", table, **told, top=_ALL))

    def _made(self, operation: str, said: Mapping[str, Any], how: Mapping[str, Any]) -> Change:
        """Send a change; what it did."""
        body = {**said, **self._how(how), "top": None}
        return self._change(self._site.send(f"/{operation}", body))

    def _how(self, how: Mapping[str, Any]) -> dict[str, Any]:
        """What a site is told of every change."""
        self._refuse_who(how.get("who"))
        return {name: how.get(name) for name in ("why", "expecting")} | {
            "dry_run": bool(how.get("dry_run"))
        }

    def _change(self, found: Any) -> Change:
        """What the site says that a change did."""
        try:
            change = Change(
                found["what"],
                found["applied"],
                found["recorded"],
                found["known"],
                found["replayed"],
                found["removed"],
                pl.DataFrame(found["moves"], schema=_MOVES),
                found["newcomers"],
                pl.DataFrame(found["near"], schema=NEAR),
            )
        except (LookupError, TypeError, ValueError, pl.exceptions.PolarsError):
            raise not_understood() from None
        self._forget()
        return change


_ALL = 10**9
"""Moves that an answer to a file tells of, where nobody can say null."""


def _apart(said: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is said of a change itself, and what of any change."""
    how = {name: value for name, value in said.items() if name in How.__annotations__}
    return {name: value for name, value in said.items() if name not in how}, how


def _is_plain(table: pl.DataFrame) -> bool:
    """Whether all that a table holds can be said in JSON, and read again as it was."""
    plain = (pl.String, pl.Boolean, pl.Null, pl.Datetime("us"))
    return all(kind.is_numeric() or kind in plain for kind in table.dtypes)


def _in_address(value: Any) -> Any:
    """A value as a parameter of an address."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return [*value] if isinstance(value, list | tuple) else value
