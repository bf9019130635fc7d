"""The event feed of the ICPC Contest API: lines of JSON that say what happened.

    {"type": "judgements", "id": "7", "data": {"submission_id": "12", "judgement_type_id": "AC"}}

The last state of every object counts. Standings follow the rules of the ICPC: problems solved, then
the penalty (minutes until each solution, and more for every rejected attempt before it), then the
time of the last solution. Submissions after the end and hidden teams do not count.

https://ccs-specs.icpc.io/2023-06/contest_api
"""

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from podium.errors import InputError, NoResultsError
from podium.results.formats import contents, fields, icpc, limits
from podium.results.formats.fields import Result
from podium.results.options import Options
from podium.results.understanding.report import Table

_TIME = re.compile(r"(-?)(\d{1,6}):(\d{2}):(\d{2})(?:\.\d+)?")
_PENALTY = 20


class _Attempt(NamedTuple):
    second: int
    team: str
    problem: str
    verdict: dict[str, Any]


class _Score(NamedTuple):
    """Lower is better."""

    unsolved: int
    penalty: int
    last: int


def recognises(head: bytes) -> bool:
    """Whether the first line is an event."""
    try:
        event = json.loads(head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(event, dict) and "data" in event and event.get("type") in icpc.ENDPOINTS


def read(path: Path, options: Options) -> Table:
    """The standings at the end of a feed."""
    state = _state(path, options)
    where = str(path)
    contest: dict[str, Any] = next(iter({**state["contest"], **state["contests"]}.values()), {})
    teams = state["teams"]
    hidden = {key for key, team in teams.items() if icpc.is_hidden(team, state["groups"])}
    scores = _scores(where, state, contest)
    ranked = {
        key: scores.get(key, _Score(0, 0, 0)) for key in (teams or scores) if key not in hidden
    }
    if not ranked:
        raise NoResultsError(f"{path}: there are no teams.")
    order = {score: place for place, score in enumerate(sorted(set(ranked.values())), 1)}
    name = fields.text_or_none(where, contest, "formal_name") or fields.text_or_none(
        where, contest, "name"
    )
    known = None if contest.get("id") is None else fields.identifier(where, contest, "id")
    results = [
        Result(
            known,
            fields.time_or_none(where, contest, "start_time"),
            _name(where, key, teams.get(key, {})),
            order[score],
            name,
            number,
            score=float(-score.unsolved),
        )
        for number, (key, score) in enumerate(ranked.items(), start=1)
    ]
    table = fields.table_of(
        icpc.told_apart(results, list(ranked), teams, state["organizations"]),
        lambda _, number: f"{path}, team {number}",
        "an event feed of the ICPC Contest API",
        fields.left_out(len(hidden), "hidden team"),
    )
    frame = table.frame
    return table._replace(
        frame=frame.select(each for each in frame if each.null_count() < frame.height),
        stem=path.stem,
    )


def _state(path: Path, options: Options) -> dict[str, dict[str, Any]]:
    """The last state of all objects, by kind and identifier."""
    state: dict[str, dict[str, Any]] = defaultdict(dict)
    text = b"".join(contents.pieces(path, unlimited=options.unlimited))
    for number, line in enumerate(text.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            decoded = line.decode()
            if not options.unlimited:
                limits.refuse_deep(where, decoded)
            event = json.loads(decoded)
        except (UnicodeDecodeError, ValueError, RecursionError):
            raise InputError(f"{where}: is not one JSON object in curly brackets.") from None
        kind = fields.field(where, event, "type", str)
        data = event.get("data")
        if isinstance(data, list):
            state[kind] = {fields.identifier(where, each, "id"): each for each in data}
            continue
        key = event.get("id")
        if key is None and isinstance(data, dict):
            key = data.get("id")
        if data is None or event.get("op") == "delete":
            state[kind].pop(str(key), None)
        else:
            state[kind][str(key)] = fields.field(where, event, "data", dict)
    return state


def _scores(
    where: str, state: dict[str, dict[str, Any]], contest: dict[str, Any]
) -> dict[str, _Score]:
    """How every team with a submission stands."""
    price = contest.get("penalty_time", _PENALTY)
    minutes = price if type(price) is int and abs(price) < 10_000 else _seconds(where, price) // 60
    given = contest.get("duration")
    end = 2**31 if given is None else _seconds(where, given)
    solved: dict[str, dict[str, int]] = defaultdict(dict)
    wrong: dict[tuple[str, str], int] = defaultdict(int)
    penalty: dict[str, int] = defaultdict(int)
    for second, team, problem, verdict in sorted(
        _attempts(where, state), key=lambda attempt: attempt.second
    ):
        if second >= end or second < 0 or problem in solved[team]:
            continue
        if verdict.get("solved") is True:
            solved[team][problem] = second
            penalty[team] += second // 60 + minutes * wrong[team, problem]
        elif verdict.get("penalty") is not False:
            wrong[team, problem] += 1
    return {
        team: _Score(-len(times), penalty[team], max(times.values(), default=0) // 60)
        for team, times in solved.items()
    }


def _attempts(where: str, state: dict[str, dict[str, Any]]) -> list[_Attempt]:
    """Submissions that were judged."""
    attempts = []
    for key, judgement in state["judgements"].items():
        kind = judgement.get("judgement_type_id")
        if kind is None or judgement.get("current") is False:
            continue
        place = f"{where}, judgement {key[:100]}"
        number = fields.identifier(place, judgement, "submission_id")
        submission = state["submissions"].get(number)
        if submission is None:
            continue
        verdict = state["judgement-types"].get(str(kind), {"solved": kind == "AC"})
        attempts.append(
            _Attempt(
                _seconds(place, submission.get("contest_time")),
                fields.identifier(place, submission, "team_id"),
                fields.identifier(place, submission, "problem_id"),
                verdict,
            )
        )
    return attempts


def _seconds(where: str, given: Any) -> int:
    """Seconds of a time since the start, as 1:02:03.456."""
    match = _TIME.fullmatch(given) if isinstance(given, str) else None
    if match is None:
        raise InputError(f"{where}: {str(given)[:100]!r} is not a time such as 1:02:03.456.")
    hours, minutes, seconds = (int(part) for part in match.groups()[1:])
    return (hours * 3600 + minutes * 60 + seconds) * (-1 if match[1] else 1)


def _name(where: str, key: str, team: dict[str, Any]) -> str:
    for field in ("display_name", "name"):
        name = fields.text_or_none(f"{where}, team {key[:100]}", team, field)
        if name:
            return name
    return key
