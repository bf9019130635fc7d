import json
import zipfile
from pathlib import Path

import podium

SAID = {"contest": "spring", "time": "2026-03-01"}


def board(**changes):
    row = {"pos": 1, "account_id": 4, "name": "owls", "score": 10, **changes}
    return json.dumps({"success": True, "data": [row]})


def export(**tables) -> Path:
    """An archive as CTFd makes it, with these tables."""
    whole = {
        "config": [{"key": "ctf_name", "value": "Spring"}, {"key": "user_mode", "value": "users"}],
        "users": [{"id": n, "name": name} for n, name in enumerate(["ann", "bob", "cat"], 1)],
        "challenges": [{"id": 1, "value": 100}, {"id": 2, "value": 100}],
        "submissions": [],
        **tables,
    }
    with zipfile.ZipFile("ctf.zip", "w") as archive:
        for name, rows in whole.items():
            table = {"count": len(rows), "results": rows, "meta": {}}
            archive.writestr(f"db/{name}.json", json.dumps(table))
    return Path("ctf.zip")


def solve(number, user, challenge, hour, kind="correct"):
    when = f"2026-03-01T{hour:02}:00:00"
    return {"id": number, "user_id": user, "challenge_id": challenge, "date": when, "type": kind}


def test_points_decide_and_then_who_got_there_first():
    path = export(
        submissions=[solve(1, 1, 1, 12), solve(2, 2, 2, 11), solve(3, 3, 1, 10), solve(4, 3, 2, 13)]
    )
    assert podium.read(path)[0].standings == [(1, "cat"), (2, "bob"), (3, "ann")]


def test_of_solves_at_one_time_the_first_number_is_ahead():
    path = export(submissions=[solve(2, 1, 1, 12), solve(1, 2, 2, 12)])
    assert podium.read(path)[0].standings == [(1, "bob"), (2, "ann")]


def test_awards_count_and_what_is_worth_nothing_moves_no_time():
    path = export(
        challenges=[{"id": 1, "value": 100}, {"id": 2, "value": 0}],
        submissions=[solve(1, 1, 1, 12), solve(2, 2, 1, 13), solve(3, 1, 2, 14)],
        awards=[{"id": 1, "user_id": 2, "value": -50, "date": "2026-03-01T10:00:00"}],
    )
    assert podium.read(path)[0].standings == [(1, "ann"), (2, "bob")]


def test_the_hidden_the_banned_and_the_wrong_do_not_count():
    path = export(
        users=[
            {"id": 1, "name": "ann", "hidden": True},
            {"id": 2, "name": "bob", "banned": True},
            {"id": 3, "name": "cat"},
            {"id": 4, "name": "dan"},
        ],
        submissions=[
            solve(1, 1, 1, 10),
            solve(2, 2, 1, 10),
            solve(3, 3, 1, 11),
            solve(4, 4, 1, 9, "incorrect"),
        ],
    )
    assert podium.read(path)[0].standings == [(1, "cat")]


def test_an_export_that_is_unpacked_is_the_same():
    path = export(submissions=[solve(1, 1, 1, 12), solve(2, 2, 2, 11)])
    with zipfile.ZipFile(path) as archive:
        archive.extractall("folder")
    assert podium.read("folder") == podium.read(path)


def test_a_scoreboard_says_where_it_is_wrong(refusal):
    assert refusal("a.json", board(pos="first"), **SAID) == (
        "a.json, row 1: pos should be a whole number, but is 'first'."
    )
    assert refusal("a.json", board(name=None), **SAID) == (
        "a.json, row 1: name should be a text, but is missing."
    )
    assert refusal("a.json", board(score=[]), **SAID) == (
        "a.json, row 1: score should be a number, but is a list."
    )


def test_an_empty_scoreboard_has_no_results(refusal):
    text = '{"success": true, "data": []}'
    assert refusal("a.json", text, **SAID) == "a.json: the scoreboard has no rows."


def test_a_scoreboard_among_other_files_must_say_its_contest(refusal):
    Path("many").mkdir()
    for name in ("a", "b"):
        Path("many", f"{name}.json").write_text(board())
    assert refusal("many") == (
        "many/a.json, row 1: does not say which contest it is, as a file among others must; read "
        "it alone, with contest= and time= or --contest and --time, or, if the names of all files "
        "have dates, say from_name=True or --from-name."
    )


def test_what_was_uploaded_to_the_event_is_not_read():
    path = export(submissions=[solve(1, 1, 1, 12)])
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("uploads/1f/package.json", "{ not JSON")
    assert podium.read(path)[0].players == ["ann"]
    with zipfile.ZipFile(path) as archive:
        archive.extractall("unpacked")
    assert podium.read("unpacked")[0].players == ["ann"]


def test_the_time_is_not_that_of_somebody_hidden():
    users = [{"id": 1, "name": "ann", "hidden": True}, {"id": 2, "name": "bob"}]
    path = export(users=users, submissions=[solve(1, 1, 1, 8), solve(2, 2, 1, 12)])
    assert str(podium.read(path)[0].time) == "2026-03-01 12:00:00"


def test_scoreboards_of_a_folder_are_named_and_dated_by_their_files(refusal):
    Path("cs").mkdir()
    for name in ("autumn-ctf-2024-10-04", "spring-ctf-2024-05-04"):
        Path(f"cs/{name}.json").write_text(board())
    contests = podium.read("cs", from_name=True)
    assert [(each.id, str(each.time)[:10]) for each in contests] == [
        ("spring-ctf", "2024-05-04"),
        ("autumn-ctf", "2024-10-04"),
    ]
    assert "from_name=True or --from-name" in refusal("cs")
    Path("cs/winter.json").write_text(board())
    assert refusal("cs", from_name=True) == (
        "cs/winter.json: has no date in its name, for from_name= or --from-name to take."
    )


def test_years_of_one_event_keep_their_dates_in_their_names():
    Path("cs").mkdir()
    for year in (2024, 2025):
        Path(f"cs/ctf-{year}-05-04.json").write_text(board())
    assert podium.read("cs", from_name=True).ids.to_list() == ["ctf-2024-05-04", "ctf-2025-05-04"]
