"""Results that are typed: a contest or a match, as the table of a file."""

import csv
import io

from podium.errors import InputError
from podium.web.organising.fields import Values, one
from podium.web.organising.forms import Row, rows_in
from podium.web.organising.uploads import Upload, plain_name

COLUMNS = ("rank", "player")
_OUTCOMES = ("1", "0.5", "0")


def typed_results(values: Values) -> list[Upload]:
    """A contest or a match that was typed, if one was."""
    way = one(values, "way")
    if way == "contest":
        return [_contest(values)]
    return [_match(values)] if way == "match" else []


def _contest(values: Values) -> Upload:
    contest, time = one(values, "contest").strip(), one(values, "time").strip()
    if not contest or not time:
        raise InputError("a contest needs an identifier and a date.")
    rows = [row for row in rows_in(values, COLUMNS) if row["player"]]
    if len(rows) < 2:
        raise InputError("a contest has at least two players, the best first.")
    name = one(values, "name").strip()
    about = {"contest": contest, "time": time, **({"name": name} if name else {})}
    return Upload(
        plain_name(f"{contest.replace('/', '-')}.csv"),
        _as_csv([{**about, **row} for row in ranked(rows)]),
    )


def _match(values: Values) -> Upload:
    one_player, other = (one(values, name).strip() for name in ("player_a", "player_b"))
    outcome, time = one(values, "outcome"), one(values, "match_time").strip()
    if not one_player or not other or not time or outcome not in _OUTCOMES:
        raise InputError("a match needs two players, who won, and a date.")
    row = {"time": time, "player_a": one_player, "player_b": other, "outcome": outcome}
    return Upload("match.csv", _as_csv([row]))


def ranked(rows: list[Row]) -> list[Row]:
    """Rows with ranks: who has none comes at the place where the row stands.

    Example:
        >>> [row["rank"] for row in ranked([{"rank": "1"}, {"rank": ""}, {"rank": "2"}])]
        ['1', '2', '2']
    """
    return [{**row, "rank": row["rank"] or str(place)} for place, row in enumerate(rows, 1)]


def _as_csv(rows: list[Row]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()
