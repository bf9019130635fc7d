import json
from pathlib import Path

import podium

TYPES = [{"id": "AC", "solved": True}, {"id": "WA", "solved": False, "penalty": True}]
CONTEST = {"id": "r", "name": "Regional", "start_time": "2026-03-01T10:00:00Z"}


def feed(*submissions, teams=("owls", "foxes"), **about):
    """A feed in which each submission is a team, a problem, a time and a verdict."""
    events = [("contest", None, {**CONTEST, "duration": "5:00:00", "penalty_time": 20, **about})]
    events += [("judgement-types", None, TYPES)]
    events += [("teams", name, {"id": name, "name": name}) for name in teams]
    for number, (team, problem, time, verdict) in enumerate(submissions):
        said = {"team_id": team, "problem_id": problem, "contest_time": time}
        events.append(("submissions", str(number), said))
        judged = {"submission_id": str(number), "judgement_type_id": verdict}
        events.append(("judgements", str(number), judged))
    lines = [json.dumps({"type": kind, "id": key, "data": data}) for kind, key, data in events]
    Path("feed.ndjson").write_text("\n".join(lines))
    return podium.read("feed.ndjson")[0].standings


def test_rejected_attempts_cost_only_if_the_problem_was_solved_later():
    assert feed(
        ("owls", "A", "0:10:00", "WA"),
        ("owls", "A", "0:11:00", "AC"),
        ("foxes", "A", "0:30:59", "AC"),
        ("foxes", "B", "0:31:00", "WA"),
    ) == [(1, "foxes"), (2, "owls")]


def test_equal_penalties_are_parted_by_the_last_solution_or_tie():
    first = [("owls", "A", "0:10:00", "AC"), ("owls", "B", "0:30:00", "AC")]
    assert feed(*first, ("foxes", "A", "0:20:00", "AC"), ("foxes", "B", "0:20:00", "AC")) == [
        (1, "foxes"),
        (2, "owls"),
    ]
    assert feed(*first, ("foxes", "A", "0:30:59", "AC"), ("foxes", "B", "0:10:00", "AC")) == [
        (1, "foxes"),
        (1, "owls"),
    ]


def test_nothing_counts_after_the_end_or_after_a_solution():
    assert feed(
        ("owls", "A", "5:00:00", "AC"),
        ("foxes", "A", "4:59:59.999", "AC"),
        ("foxes", "A", "4:59:59.999", "WA"),
    ) == [(1, "foxes"), (2, "owls")]


def test_the_penalty_may_be_a_time():
    attempts = ("owls", "A", "0:10:00", "WA"), ("owls", "A", "0:11:00", "AC")
    assert feed(*attempts, ("foxes", "A", "0:13:00", "AC"), penalty_time="0:01:00") == [
        (1, "owls"),
        (2, "foxes"),
    ]


def test_what_is_wrong_is_said(refusal):
    line = json.dumps({"type": "teams", "id": "1", "data": {"id": "1", "name": 7}})
    assert refusal("a.ndjson", f"{line}\n{line}\n") == (
        "a.ndjson, team 1: name should be a text, but is 7."
    )
    assert refusal("a.ndjson", f"{line}\n{{\n") == (
        "a.ndjson, line 2: is not one JSON object in curly brackets."
    )


def test_teams_of_one_name_are_told_apart():
    events = [("contest", None, CONTEST), ("organizations", "o", {"id": "o", "name": "Delft"})]
    for key, home in (("1", "o"), ("2", "o"), ("3", "p")):
        events.append(("teams", key, {"id": key, "name": "Foxes", "organization_id": home}))
    lines = [json.dumps({"type": kind, "id": key, "data": data}) for kind, key, data in events]
    Path("feed.ndjson").write_text("\n".join(lines))
    found = podium.read("feed.ndjson")[0].players
    assert sorted(found) == ["Foxes (3)", "Foxes (Delft) #1", "Foxes (Delft) #2"]
