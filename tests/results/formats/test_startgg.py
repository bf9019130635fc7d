import json
from pathlib import Path

import podium


def slot(number, name, placement=None, score=None):
    standing = {"placement": placement, "stats": {"score": {"value": score}}}
    return {"entrant": {"id": number, "name": name}, "standing": standing}


def node(number, one, other, **changes):
    return {"id": number, "completedAt": 1_772_359_200 + number, "slots": [one, other], **changes}


def answer(*nodes):
    return json.dumps({"data": {"event": {"name": "Singles", "sets": {"nodes": nodes}}}})


def test_the_winner_is_told_by_placement_or_score_if_need_be():
    Path("a.json").write_text(
        answer(
            node(1, slot(1, "ann"), slot(2, "bob"), winnerId=2),
            node(2, slot(1, "ann", 1), slot(2, "bob", 2)),
            node(3, slot(1, "ann", None, 0), slot(2, "bob", None, 3)),
            node(4, slot(1, "ann"), slot(2, "bob")),
        )
    )
    winners = [each.players[0] for each in podium.read("a.json")]
    assert winners == ["bob", "ann", "bob"]


def test_pages_are_files_of_a_folder():
    Path("pages").mkdir()
    for page in (1, 2):
        Path(f"pages/{page}.json").write_text(
            answer(node(page, slot(1, "ann"), slot(2, "bob"), winnerId=1))
        )
    assert podium.read("pages").ids.to_list() == ["1", "2"]


def test_sets_of_a_phase_in_a_tournament_are_found():
    sets = {"sets": {"nodes": [node(1, slot(1, "ann"), slot(2, "bob"), winnerId=1)]}}
    document = {"data": {"tournament": {"events": [{"name": "x", "phases": [sets]}]}}}
    Path("a.json").write_text(json.dumps(document))
    assert podium.read("a.json")[0].name == "x"


def test_what_is_wrong_is_said_with_its_set(refusal):
    text = answer(node(1, slot(1, "ann"), slot(2, "bob"), winnerId=9))
    assert refusal("a.json", text) == "a.json, set 1: winnerId 9 is neither of the entrants."
    text = answer({"id": 1, "slots": [slot(1, "ann")]})
    assert refusal("a.json", text) == "a.json, set 1: has 1 slots, but a match has two."
    assert refusal("a.json", answer({"id": 1})) == (
        "a.json, set 1: slots should be a list, but is missing."
    )
    assert refusal("a.json", answer()) == "a.json: no set is decided."


def test_pages_may_be_a_list():
    pages = [
        json.loads(answer(node(page, slot(1, "ann"), slot(2, "bob"), winnerId=1)))
        for page in (1, 2)
    ]
    Path("a.json").write_text(json.dumps(pages))
    assert podium.read("a.json").ids.to_list() == ["1", "2"]


def test_sets_of_phase_groups_are_found():
    sets = {"sets": {"nodes": [node(1, slot(1, "ann"), slot(2, "bob"), winnerId=1)]}}
    for groups in ([sets], {"nodes": [sets]}):
        for holder in ({"phaseGroups": groups}, {"phases": [{"phaseGroups": groups}]}):
            document = {"data": {"event": {"name": "x", **holder}}}
            Path("a.json").write_text(json.dumps(document))
            assert podium.read("a.json")[0].players == ["ann", "bob"]


def standings(*names, first=1, **event):
    nodes = [
        {"placement": place, "entrant": {"id": place, "name": name}}
        for place, name in enumerate(names, first)
    ]
    return {"slug": "cup", "name": "Cup", "standings": {"nodes": nodes}, **event}


def test_pages_of_standings_are_one_contest():
    Path("pages").mkdir()
    for page, names in enumerate((["ann", "bob"], ["cat"])):
        event = standings(*names, first=1 + 2 * page, startAt=1_772_359_200)
        Path(f"pages/{page}.json").write_text(json.dumps({"data": {"event": event}}))
    (contest,) = podium.read("pages")
    assert contest.standings == [(1, "ann"), (2, "bob"), (3, "cat")]


def test_what_is_wrong_is_said_with_its_page(refusal):
    Path("pages").mkdir()
    for page, names in enumerate((["ann"], ["bob", ""])):
        event = standings(*names, startAt=1_772_359_200)
        Path(f"pages/{page}.json").write_text(json.dumps({"data": {"event": event}}))
    broken = standings("cat", startAt=1)
    broken["standings"]["nodes"].append({"placement": 0})
    Path("pages/2.json").write_text(json.dumps({"data": {"event": broken}}))
    assert refusal("pages").startswith("pages/2.json, standing 2: placement 0 is not")


def test_events_begin_with_their_tournament_if_they_do_not_say():
    start = {"startAt": 1_772_359_200}
    for data in (
        {"tournament": {"name": "t", **start, "events": [standings("ann")]}},
        {"event": standings("ann", startAt=None, tournament={"name": "t", **start})},
    ):
        Path("a.json").write_text(json.dumps({"data": data}))
        assert str(podium.read("a.json")[0].time) == "2026-03-01 10:00:00"


def test_a_league_has_standings_too():
    nodes = [{"placement": n, "player": {"gamerTag": name}} for n, name in ((1, "ann"), (2, "bob"))]
    league = {"slug": "l", "name": "L", "startAt": 1_772_359_200, "standings": {"nodes": nodes}}
    Path("a.json").write_text(json.dumps({"data": {"league": league}}))
    assert podium.read("a.json")[0].players == ["ann", "bob"]
