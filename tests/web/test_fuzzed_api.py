"""The API under fire: whatever is asked, the answer is one that its description has.

Schemathesis makes requests of all kinds out of the description, right ones and wrong ones; half of
them ask for names that there are, which are hostile.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

import podium
from podium.league.access import ROLES
from podium.web import create_app
from tests.web.conftest import HOSTILE, TITLES
from tests.web.small import ASKED

EXAMPLES = 40
"""Requests for each question."""
TRIES = 5
"""So often they are made at most, until one of them was right."""
SENT = 10
"""Requests of each role for each question that needs one."""
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
CONTESTS = [f"round-{number}" for number in range(1, 4)]
"""Those that are recorded; round-4 runs."""
NAMES = ["ann", "bob", *HOSTILE]
THERE = {"name": NAMES, "player": NAMES, "id": [*CONTESTS, "round-4"], "contest": CONTESTS}
"""What can be asked for, by parameter."""


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The description of a site whose league has hostile names."""
    path = tmp_path_factory.mktemp("fuzzed") / "club.db"
    hostile_league(path)
    app = create_app(path)
    yield schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)
    app.state.catalogue.close()


def hostile_league(path: Path) -> None:
    with podium.League.create(path, "elo-mmr", rules=podium.Rules(titles=TITLES)) as league:
        for number, contest in enumerate(CONTESTS):
            names = NAMES[number:] + NAMES[:number]
            league.record(names, id=contest, time=f"2026-05-0{number + 1}", why=HOSTILE[0])
        league.amend("round-2", name=HOSTILE[1])
        league.post_live("round-4", NAMES, name=HOSTILE[1])
        league.store_look_back()


@pytest.mark.parametrize("question", [*ASKED, "export"])
def test_no_request_has_an_answer_that_is_not_described(described, question):
    operation = described.find_operation_by_id(question)
    modes = schemathesis.GenerationMode
    requests = [
        operation.as_strategy(mode, path_parameters=path)
        for mode in (modes.POSITIVE, modes.NEGATIVE)
        for path in ({"key": "club"}, None)
        if operation.path_parameters or path is None
    ]
    statuses = set()

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def fire(data: st.DataObject) -> None:
        case = data.draw(st.one_of(requests))
        if data.draw(st.booleans()):
            _ask_for_what_is_there(case, data)
        answer = case.call()
        case.validate_response(answer, checks=CHECKS)
        statuses.add(answer.status_code)

    for number in range(TRIES):  # what is made of a seed depends on more than that
        seed(number)(fire)()
        if 200 in statuses:
            break
    assert 200 in statuses


@pytest.fixture(scope="module")
def writable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The description of a site that may write, whose league has hostile names."""
    path = tmp_path_factory.mktemp("written") / "club.db"
    hostile_league(path)
    app = create_app(path, writable=True, secret=b"0123456789abcdef" * 3)
    yield schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)
    app.state.catalogue.close()


@pytest.mark.slow
@pytest.mark.parametrize("role", ["nobody", *ROLES])
def test_no_request_of_any_role_goes_further_than_it_may(writable, role):
    token = Held(writable.app.state.catalogue["club"].writer, role)
    needed = _roles(writable.raw_schema)
    may = {each for each in needed if role in ROLES[ROLES.index(needed[each]) :]}
    assert may or role in ("nobody", "read")
    for question in needed:
        operation = writable.find_operation_by_id(question)
        statuses = _statuses(operation, token, question in may)
        assert bool(statuses & {401, 403}) == (question not in may), (question, statuses)


def _statuses(operation: Any, token: "Held", may: bool) -> set[int]:
    """What many requests come to; those that may not be made change nothing."""
    statuses = set()
    modes = schemathesis.GenerationMode
    requests = [
        operation.as_strategy(mode, path_parameters={"key": "club"})
        for mode in (modes.POSITIVE, modes.NEGATIVE)
    ]

    @settings(
        max_examples=SENT,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def fire(data: st.DataObject) -> None:
        case = data.draw(st.one_of(requests))
        if data.draw(st.booleans()):
            _ask_for_what_is_there(case, data)
        if may:  # hidden players are for who organises, whatever is asked
            (case.query or {}).pop("hidden", None)
        case.headers = {**(case.headers or {}), **token.header()}
        before = token.league.state
        answer = case.call()
        case.validate_response(answer, checks=CHECKS)
        statuses.add(answer.status_code)
        if not may:  # of what is no request at all, that is said
            assert answer.status_code in (401, 403, 422)
            assert token.league.state == before

    fire()
    return statuses


class Held:
    """A token of a role, or none; a new one if it was revoked by a request that may do that."""

    def __init__(self, league: podium.League, role: str) -> None:
        self.league, self._role = league, role
        self._text = ""

    def header(self) -> dict[str, str]:
        if self._role == "nobody":
            return {}
        try:
            self.league.identified(self._text)
        except podium.AccessError:
            self._text = self.league.create_token(self._role, self._role)
        return {"Authorization": f"Bearer {self._text}"}


def _roles(described: dict[str, Any]) -> dict[str, str]:
    """What needs a role, by what it is called, and which."""
    return {
        operation["operationId"]: operation["x-role"]
        for path in described["paths"].values()
        for operation in path.values()
        if "x-role" in operation
    }


def _ask_for_what_is_there(case: Any, data: st.DataObject) -> None:
    """Give a request the league and names that it has, in place of those that it was made with."""
    if isinstance(case.path_parameters, dict) and "key" in case.path_parameters:
        case.path_parameters = {**case.path_parameters, "key": "club"}
    query = case.query if isinstance(case.query, dict) else {}
    for parameter in {each.name for each in case.operation.query} & THERE.keys():
        known = st.sampled_from(THERE[parameter])
        several = isinstance(query.get(parameter), list)
        query[parameter] = data.draw(st.lists(known, min_size=2, max_size=4) if several else known)
    case.query = query
