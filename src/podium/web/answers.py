"""The documents that the API answers with to what is sent, field by field; see `schemas`."""

from typing import Any

from pydantic import BaseModel, Field, JsonValue

from podium.web.schemas import Move, Time, Whole


def _of(meaning: str, **more: Any) -> Any:
    return Field(description=meaning, **more)


class Near(BaseModel):
    """A newcomer who may be somebody known."""

    name: str = _of("what the results call them")
    like: str = _of("whom the league knows")


class Made(BaseModel):
    """What a change did, or would do."""

    what: str = _of("all that in a sentence")
    applied: bool = _of("whether it was done; false for a dry run, and if there was nothing to do")
    recorded: list[str] = _of("contests that are new")
    known: list[str] = _of("contests that were there already, with the same results")
    replayed: Whole = _of("how many contests were rated, new ones and those rated again")
    removed: list[str] = _of("players whose results a contest no longer has")
    newcomers: list[str] = _of("players whom the league did not know")
    near: list[Near] = _of("those of them who may be somebody known")
    moved: Whole = _of("how many ratings change")
    moves: list[Move] = _of("the largest of those changes, as many as `top` says")
    entry: int | None = _of("its number in the log; null if nothing was changed")
    state: str = _of("the state that the league is in by now, which `expecting` can be")


class Entry(BaseModel):
    """An entry of the log."""

    number: int = _of("the first change is 1")
    time: Time = _of("when it was made")
    who: str = _of("who made it")
    action: str = _of("what was done: the name of the command")
    contest: str | None = _of("the contest that it was done to; null for none or several")
    player: str | None = _of("the player that it was done to; null for none")
    why: str | None = _of("the reason; null if none was given")
    details: JsonValue = _of("what else there is to say of it")
    before: JsonValue = _of("what it replaced, in full; null for nothing")
    after: JsonValue = _of("what by, where later changes could replace that; or null")


class Person(BaseModel):
    """A player, with all that is known of them."""

    id: int = _of("the number that the player keeps, whatever the name")
    player: str = _of("the name")
    display: str | None = _of("what the player is shown as; null if that is the name")
    hidden: bool = _of("whether the player is hidden")
    attributes: dict[str, str | float | None] = _of("what else is known, by attribute")


class Attribute(BaseModel):
    """What players may be known by."""

    name: str = _of("the name")
    kind: str = _of("text, number, date or link")
    public: bool = _of("whether everybody may see it")


class Start(BaseModel):
    """A rating that a player was given."""

    player: str = _of("the name")
    time: Time | None = _of("as of when; null for before all contests")
    rating: float = _of("the rating")
    sigma: float | None = _of("its uncertainty; null for that of a newcomer")


class CheckedColumn(BaseModel):
    """A column that is read."""

    ours: str = _of("podium's name for it")
    theirs: str = _of("what the file calls it; empty if it follows from something else")
    how: str = _of("how it is read, where the name does not say it all")


class Odd(BaseModel):
    """A contest whose date stands out."""

    contest: str = _of("the identifier")
    time: Time = _of("the date")
    why: str = _of("what is odd about it")


class Small(BaseModel):
    """A contest of few players."""

    contest: str = _of("the identifier")
    time: Time = _of("when it took place")
    players: Whole = _of("how many took part")


class Same(BaseModel):
    """A contest with the same results as an earlier one."""

    contest: str = _of("the identifier")
    time: Time = _of("when it took place")
    like: str = _of("the earlier contest")


class InTwoFiles(BaseModel):
    """A contest that stands in two files."""

    contest: str = _of("the identifier")
    file: str = _of("the first file")
    also_in: str = _of("the other")


class CheckedFile(BaseModel):
    """How a file was understood."""

    path: str = _of("what the file is called; of a table in an archive, with its name there")
    error: str | None = _of("why it is refused; null if it can be read")
    format: str = _of("what the file is")
    columns: list[CheckedColumn] = _of("the columns that are read")
    unused: list[str] = _of("the columns that say nothing to podium")
    assumptions: list[str] = _of("what was taken for granted, one sentence each")
    contests: Whole | None = _of("how many contests; null if the file is refused")
    results: Whole | None = _of("how many results; null if the file is refused")
    players: Whole | None = _of("how many players; null if the file is refused")
    from_: Time | None = _of("when the first contest took place; null if refused", alias="from")
    to: Time | None = _of("when the last one did; null if the file is refused")
    first: list[dict[str, JsonValue]] = _of("the first rows, as they were understood")
    from_name: dict[str, JsonValue] = _of("what from_name would take from the name of the file")
    repeated_rows: Whole = _of("how many rows stand there again, word for word")
    odd_dates: list[Odd] = _of("contests whose dates stand out")
    small_contests: list[Small] = _of("contests of few players")
    same_results: list[Same] = _of("contests with the same results as an earlier one")


class CheckedLeague(BaseModel):
    """What the league knows of the results."""

    newcomers: list[str] = _of("players whom it does not know")
    near: list[Near] = _of("those of them who may be somebody known")
    same: list[str] = _of("contests that it has already, with the same results")
    other: list[str] = _of("contests that it has already, with other results")
    error: str | None = _of("why the results could not be recorded; null if they could")


class Check(BaseModel):
    """What would be read."""

    readable: bool = _of("whether the file can be read")
    files: list[CheckedFile] = _of("the file; of an archive, each table in it")
    near: list[Near] = _of("names in it that are almost the same")
    in_two_files: list[InTwoFiles] = _of("contests that stand in two tables")
    together: str | None = _of("why tables cannot be read together; null if they can")
    league: CheckedLeague = _of("what the league knows of the results")
    state: str = _of("the state that the league is in")


class Webhook(BaseModel):
    """A program that is told of changes."""

    id: int = _of("its number")
    address: str = _of("where notices are sent to")
    kinds: list[str] = _of("what it is told")
    active: bool = _of("whether it is told anything")
    created: Time = _of("when it was arranged")
    creator: str = _of("who arranged it")
    waiting: Whole = _of("how many notices are on their way")
    failed: Whole = _of("how many were given up, of those that are kept")
    delivered: Time | None = _of("when the last one arrived; null if none has")


class MadeWebhook(Webhook):
    """The same, with what signs its messages."""

    secret: str = _of("what signs them, shown only now")


class Delivered(BaseModel):
    """A notice on its way, or that has arrived."""

    webhook: int = _of("the number of the webhook")
    notice: int = _of("the number of the notice")
    kind: str = _of("what it is about")
    entry: int = _of("the number of the change in the log")
    time: Time = _of("when the change was made")
    attempts: Whole = _of("how often it was tried")
    due: Time | None = _of("when it is tried next; null for never")
    delivered: Time | None = _of("when it arrived; null if it has not")
    status: int | None = _of("the status of the last answer; null without one")
    problem: str | None = _of("why the last attempt has failed; null if it has not")


class Tried(BaseModel):
    """What became of a message that was sent to try it."""

    status: int | None = _of("the status of the answer; null without one")
    problem: str | None = _of("why it has not arrived; null if it has")


class Again(BaseModel):
    """What is sent again."""

    again: Whole = _of("how many notices")
