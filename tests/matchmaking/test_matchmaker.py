"""Every match obeys every rule, whoever waits; and the same tickets give the same matches."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import podium
from podium.matchmaking import Matchmaker, Rules, Ticket
from podium.matchmaking.outcomes import REASONS, Reason
from tests.matchmaking.queues import NAMES, faults, ladder, rules, schedules, tickets

quietly = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.fixture(scope="module")
def known() -> podium.Ladder:
    return ladder()


@quietly
@given(rules=rules(), queue=tickets())
def test_every_match_obeys_every_rule_and_everybody_is_told_of_once(known, rules, queue):
    round = Matchmaker(rules, known).match(queue, 0)
    for match in round.matches:
        assert faults(match, rules, queue, known, 0) == []
    taken = [each for match in round.matches for each in match.tickets]
    assert sorted([*taken, *round.waiting]) == sorted(each.id for each in queue)
    for reason in round.waiting.values():
        assert reason.code in REASONS
        assert reason.code != "matched"
        assert reason.text.startswith(f"waits {reason.waited:.0f} s: ")


BY_ITSELF = {
    "one_sided": {"one_sided": [[0, 0.52], [90, 0.9]]},
    "quality": {"quality": [[0, 0.6], [90, 0.1]]},
    "spread": {"spread": [[0, 0.55], [90, 0.95]]},
    "latency": {"latency": [[0, 40], [90, 150]]},
    "party_gap": {"party_gap": 0},
    "rematch": {"rematch": 4},
    "protect": {"newcomers": "protect", "newcomer_contests": 16, "newcomers_after": 60.0},
    "spread newcomers": {"newcomers": "spread", "newcomer_contests": 16, "newcomers_after": 200.0},
    "same": {"same": ["mode"]},
    "all": {"one_sided": [[0, 0.52], [90, 0.9]], "consent": "all"},
    "roles": {"roles": {"tank": 1}},
}


@pytest.mark.slow
@pytest.mark.parametrize("rule", BY_ITSELF)
@pytest.mark.parametrize("size", [1, 2])
@settings(quietly, max_examples=12)
@given(queue=tickets(largest=2), exact=st.sampled_from([0, 500]))
def test_every_rule_by_itself_is_obeyed(known, rule, size, queue, exact):
    rules = Rules(team_size=size, exact_up_to=exact, **BY_ITSELF[rule])
    for match in Matchmaker(rules, known).match(queue, 0).matches:
        assert faults(match, rules, queue, known, 0) == []


@quietly
@given(rules=rules(), queue=tickets(), data=st.data())
def test_the_order_of_tickets_changes_nothing(known, rules, queue, data):
    matchmaker = Matchmaker(rules, known)
    other = data.draw(st.permutations(queue))
    assert matchmaker.match(queue, 0) == matchmaker.match(other, 0)


def longer(queue: list[Ticket], chosen: int, more: int) -> list[Ticket]:
    """The same queue, in which one has waited longer."""
    found = list(queue)
    found[chosen] = replace(queue[chosen], since=queue[chosen].since - more)
    return found


def refuse_that_waiting_costs(matchmaker: Matchmaker, queue: list[Ticket], data: st.DataObject):
    """Waiting longer keeps or gives a match, or changes nobody's."""
    chosen = data.draw(st.integers(0, len(queue) - 1))
    before = matchmaker.match(queue, 0)
    after = matchmaker.match(longer(queue, chosen, data.draw(st.integers(1, 200))), 0)
    ticket = queue[chosen].id
    if ticket not in before.waiting:
        assert ticket not in after.waiting
    elif ticket in after.waiting:
        assert sorted(m.teams for m in before.matches) == sorted(m.teams for m in after.matches)


@quietly
@given(
    rules=rules(pairs=True),
    queue=tickets(largest=1, most=24).filter(len),
    exact=st.sampled_from([0, 500]),
    data=st.data(),
)
def test_waiting_longer_never_costs_a_ticket_its_match(known, rules, queue, exact, data):
    rules = replace(rules, exact_up_to=exact, neighbours=4)
    refuse_that_waiting_costs(Matchmaker(rules, known), queue, data)


@quietly
@given(rules=rules(), queue=tickets(most=10).filter(len), data=st.data())
def test_nor_in_teams_with_parties_roles_regions_and_newcomers(known, rules, queue, data):
    refuse_that_waiting_costs(Matchmaker(rules, known), queue, data)


@pytest.mark.slow
@settings(quietly, max_examples=150)
@given(
    shape=st.sampled_from([(2, 6), (2, 7), (3, 2), (3, 3), (3, 4)]),
    party_gap=schedules(0, 2, rises=True),
    one_sided=schedules(0.35, 0.7, rises=True),
    newcomers_after=st.sampled_from([0.0, 30.0, 1000.0]),
    queue=tickets(most=10).filter(len),
    data=st.data(),
)
def test_nor_where_line_ups_are_not_the_most_even(
    known, shape, party_gap, one_sided, newcomers_after, queue, data
):
    teams, size = shape
    rules = Rules(
        teams=teams,
        team_size=size,
        party_gap=party_gap,
        one_sided=one_sided,
        newcomers="spread",
        newcomers_after=newcomers_after,
        newcomer_contests=16,
    )
    refuse_that_waiting_costs(Matchmaker(rules, known), queue, data)


def test_but_in_teams_it_may_by_a_rule_of_ones_own_that_looks_at_waits(known):
    """Who is tried with whom depends on that rule: p018 comes into a group that is refused."""
    said = {"p048": 27, "p001": 17, "p049": 53, "p035": 31, "p018": 55, "p005": 55}
    queue = [Ticket(name, since=-waited, extra={"mode": "b"}) for name, waited in said.items()]
    queue.append(Ticket("p028", since=-16, extra={"mode": "a"}))

    def alike_or_patient(one: Ticket, two: Ticket) -> bool:
        return one.extra == two.extra or min(one.since, two.since) <= -60

    matchmaker = Matchmaker(Rules(team_size=2, one_sided=0.52), known, allow=alike_or_patient)
    place = list(said).index("p018")
    assert "p018" not in matchmaker.match(queue, 0).waiting
    assert "p018" in matchmaker.match(longer(queue, place, 60), 0).waiting


@quietly
@given(rules=rules(pairs=True), queue=tickets(largest=1, most=8))
def test_pairs_are_the_best_of_all_that_could_be_made(known, rules, queue):
    rules = replace(rules, exact_up_to=500)
    matchmaker = Matchmaker(rules, known)
    found = matchmaker.match(queue, 0)
    assert found.exact
    worth = {}
    for one, two in itertools.combinations(queue, 2):
        alone = matchmaker.match([one, two], 0)
        if alone.matches:
            worth[one.id, two.id] = alone.matches[0].worth

    def best(left: list[str]) -> float:
        if len(left) < 2:
            return 0.0
        first, rest = left[0], left[1:]
        tried = [best(rest)]
        for other in rest:
            pair = worth.get((first, other), worth.get((other, first)))
            if pair is not None:
                tried.append(pair + best([each for each in rest if each != other]))
        return max(tried)

    assert found.objective == pytest.approx(best([each.id for each in queue]), abs=1e-7)


def test_near_to_the_best_is_near_to_the_best(known):
    draws = np.random.default_rng(1)
    queue = [Ticket(name, since=-float(draws.exponential(40))) for name in NAMES]
    rules = Rules(one_sided=[[0, 0.6], [60, 0.8]])
    exact = Matchmaker(rules, known).match(queue, 0)
    near = Matchmaker(replace(rules, exact_up_to=0), known).match(queue, 0)
    assert exact.exact
    assert not near.exact
    assert 0.97 * exact.objective <= near.objective <= exact.objective + 1e-6


@pytest.mark.parametrize("system", podium.systems.names())
def test_every_system_is_asked_and_every_match_is_what_it_predicts(system):
    known = ladder(system, known=14)
    queue = [Ticket(name, since=-10) for name in NAMES[:16]]
    rules = Rules(one_sided=0.7, quality=0.3)
    round = Matchmaker(rules, known).match(queue, 0)
    assert round.system == system
    assert round.matches
    for match in round.matches:
        assert faults(match, rules, queue, known, 0) == []


def test_a_system_of_players_refuses_teams_and_names_those_that_take_them():
    with pytest.raises(podium.InputError, match=r"elo rates players, not teams.*trueskill"):
        Matchmaker(Rules(team_size=2), podium.Ladder("elo")).match([Ticket("ann")], 0)
    with pytest.raises(podium.InputError, match="at most 2 players, not of 3"):
        Matchmaker(Rules(teams=3), podium.Ladder("luck")).match([Ticket("ann")], 0)


@pytest.mark.parametrize("system", podium.systems.with_teams())
def test_every_system_of_teams_makes_even_ones(system):
    known = ladder(system, known=14)
    queue = [Ticket(name, since=-10) for name in NAMES[:30]]
    rules = Rules(team_size=5, one_sided=0.7)
    round = Matchmaker(rules, known).match(queue, 0)
    assert len(round.matches) == 3
    for match in round.matches:
        assert faults(match, rules, queue, known, 0) == []


def test_queues_that_cannot_be_matched_say_why(known):
    matchmaker = Matchmaker(Rules(), known)
    assert matchmaker.match([], 0).matches == ()
    assert matchmaker.match([Ticket("p001")], 0).waiting["p001"].code == "alone"
    large = matchmaker.match([Ticket(["p001", "p002"]), Ticket("p003")], 0)
    assert large.waiting["p001, p002"].code == "impossible"
    assert large.waiting["p003"].code == "few"
    never = Matchmaker(Rules(one_sided=0.0), known).match([Ticket("p001"), Ticket("p002")], 9)
    assert never.waiting["p001"].code == "one_sided"
    assert never.waiting["p001"].after is None
    roles = Matchmaker(Rules(team_size=2, roles={"tank": 1}), known)
    healers = [Ticket(name, roles={name: ["healer"]}) for name in NAMES[:4]]
    assert {each.code for each in roles.match(healers, 0).waiting.values()} == {"roles"}


@pytest.mark.parametrize(("said", "code"), [("avoid", "avoid"), ("recent", "rematch")])
def test_who_would_fill_a_team_hears_why_others_are_apart(known, said, code):
    queue = [Ticket("p001"), Ticket("p002", **{said: ["p003"]}), Ticket("p003"), Ticket("p004")]
    waiting = Matchmaker(Rules(team_size=2, rematch=1), known).match(queue, 0).waiting
    assert {reason.code for reason in waiting.values()} == {code}


def test_the_best_opponent_was_needed_elsewhere(known):
    round = Matchmaker(Rules(), known).match([Ticket(name) for name in NAMES[:3]], 0)
    assert len(round.matches) == 1
    assert [reason.code for reason in round.waiting.values()] == ["taken"]


@pytest.mark.parametrize(
    ("queue", "said"),
    [
        ([Ticket("ann"), Ticket("ann", id="other")], "'ann' is in two tickets"),
        ([Ticket("ann"), Ticket("bob", id="ann")], "two tickets 'ann'"),
        ([Ticket("ann", since=float("nan"))], "a time must be finite"),
        (["ann"], "must be podium.matchmaking.Ticket"),
    ],
)
def test_absurd_queues_are_refused(known, queue, said):
    with pytest.raises(podium.InputError, match=said):
        Matchmaker(Rules(), known).match(queue, 0)


def test_who_comes_from_the_future_has_not_waited(known):
    round = Matchmaker(Rules(), known).match([Ticket("p001", since=1e12)], 0)
    assert round.waiting["p001"].waited == 0.0


def test_who_waits_longest_is_served_though_others_would_match_better(known):
    """Three wait: the best pair would leave out who has waited for minutes."""
    best, *others = (player.name for player in known.top(50))
    queue = [Ticket(best, since=-300), Ticket(others[30]), Ticket(others[31])]
    fresh = [replace(each, since=0) for each in queue]
    rules = Rules()
    assert best in Matchmaker(rules, known).match(fresh, 0).waiting
    assert best not in Matchmaker(rules, known).match(queue, 0).waiting


def test_two_long_waits_count_for_more_in_two_matches_than_in_one(known):
    """By the sum of waits, both ways would be worth the same."""
    old, young = NAMES[10:12], NAMES[12:14]
    queue = [Ticket(name, since=-600) for name in old] + [Ticket(name) for name in young]
    met = Matchmaker(Rules(), known).match(queue, 0).matches
    assert len(met) == 2
    assert all(match.reason.waited == 600 for match in met)


def test_a_rule_of_ones_own_is_obeyed(known):
    queue = [
        Ticket(name, extra={"language": "en" if n % 2 else "fr"}) for n, name in enumerate(NAMES)
    ]
    by_id = {each.id: each for each in queue}

    def alike(one: Ticket, two: Ticket) -> bool:
        return one.extra["language"] == two.extra["language"]

    for each in (Rules(), Rules(team_size=2), Rules(exact_up_to=0)):
        round = Matchmaker(each, known, allow=alike).match(queue, 0)
        assert len(round.matches) >= 10
        for match in round.matches:
            assert len({by_id[each].extra["language"] for each in match.tickets}) == 1


@pytest.mark.slow
@settings(quietly, max_examples=300)
@given(rules=rules(), queue=tickets(most=10).filter(len), data=st.data())
def test_over_many_queues_waiting_longer_never_costs_a_match(known, rules, queue, data):
    refuse_that_waiting_costs(Matchmaker(replace(rules, neighbours=4), known), queue, data)


def test_a_league_answers_as_a_ladder_does(tmp_path):
    contests = podium.simulate(players=20, rounds=2, seed=3)
    rated = podium.rate(contests, "elo-mmr")
    queue = [Ticket(name, since=-5) for name in rated.ratings["player"].to_list()] + [Ticket("new")]
    rules = Rules(one_sided=0.8)
    with podium.League.create(tmp_path / "league.db", "elo-mmr") as league:
        league.record(contests)
        from_league = Matchmaker(rules, league).match(queue, 0)
        with league.snapshot() as view:
            assert Matchmaker(rules, view).match(queue, 0) == from_league
    assert Matchmaker(rules, rated).match(queue, 0) == from_league
    assert Matchmaker(rules, rated.beliefs).match(queue, 0) == from_league
    assert (
        Matchmaker(rules, podium.Ladder.from_beliefs(rated.beliefs)).match(queue, 0) == from_league
    )
    with pytest.raises(podium.InputError, match="a Ladder, Rated, League or Beliefs is needed"):
        Matchmaker(rules, {"ann": 1500})  # type: ignore[arg-type]


def test_nothing_is_learned_from_making_matches(known):
    before = known.beliefs.packed(np.arange(len(known)))
    Matchmaker(Rules(), known).match([Ticket("a stranger"), Ticket("p001")], 0)
    after = known.beliefs.packed(np.arange(len(known)))
    assert before.table.tobytes() == after.table.tobytes()
    assert "a stranger" not in known


def test_a_round_is_a_document(known):
    queue = [Ticket(name, latency={"eu": 20, "us": 90}) for name in NAMES[:5]]
    found = Matchmaker(Rules(latency=50), known).match(queue, 7).document()
    assert found["now"] == 7.0
    assert {match["region"] for match in found["matches"]} == {"eu"}
    assert found["matches"][0]["reason"]["text"] == "waited 7 s"
    assert len(found["waiting"]) == 1


def test_the_tolerance_is_told_as_it_was_and_is(known):
    rules = Rules(one_sided=[[0, 0.62], [60, 0.72]])
    best, *_, worst = (player.name for player in known.top(50))
    far = [Ticket(best, since=-42), Ticket(worst, since=-42)]
    text = Matchmaker(rules, known).match(far, 0).waiting[best].text
    assert text.startswith("waits 42 s: the likeliest winner would win ")
    assert text.endswith("tolerance 62 % → 69 %")


def test_a_value_and_the_tolerance_that_refuses_it_are_told_apart():
    reason = Reason("one_sided", 12.0, "one_sided", 0.6004, 0.6, 0.6, "bob", 14.0)
    assert reason.text == (
        "waits 12 s: the likeliest winner would win 60.04 % of the time against bob, tolerance "
        "60.00 %; 60.04 % is allowed after 14 s"
    )


def test_a_feed_can_be_asked(tmp_path):
    tickets = [Ticket(name, since=0.0) for name in ("ann", "bob", "cat", "newcomer")]
    with podium.League.create(tmp_path / "league.db", "glicko2") as league:
        with league.feed() as feed:
            for number in range(6):
                feed.record(["ann", "cat"], id=f"a{number}")
                feed.record(["bob", "newcomer 2"], id=f"b{number}")
            fed = Matchmaker(Rules(), feed).match(tickets, 60.0)
        assert fed == Matchmaker(Rules(), league).match(tickets, 60.0)
    assert fed.matches
