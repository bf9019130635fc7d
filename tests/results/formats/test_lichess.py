import json
from pathlib import Path

import pytest

import podium
from podium.results.formats import read_table, recognition
from podium.results.options import Options


def game(number, **changes):
    white, black = ({"user": {"name": name}} for name in ("ann", "bob"))
    values = {
        "id": f"game{number}",
        "createdAt": 1_772_359_200_000 + number,
        "status": "mate",
        "winner": "white",
        "speed": "blitz",
        "players": {"white": white, "black": black},
        **changes,
    }
    return {key: value for key, value in values.items() if value is not None}


def written(*games):
    path = Path("games.ndjson")
    path.write_text("".join(json.dumps(each) + "\n" for each in games))
    return path


def test_a_game_without_a_winner_is_a_draw_if_it_ended():
    contests = podium.read(written(game(1), game(2, winner=None, status="stalemate")))
    assert [each.rank.tolist() for each in contests] == [[1, 2], [1, 1]]


def test_only_draws_have_no_key_of_a_winner():
    assert podium.read(written(game(1, winner=None, status="draw")))[0].rank.tolist() == [1, 1]


@pytest.mark.parametrize("status", ["aborted", "started", "created", "noStart", "unknownFinish"])
def test_games_that_did_not_end_are_left_out_and_that_is_said(status):
    path = written(game(1), game(2, status=status, winner=None))
    table = read_table(path, recognition.of_source(path, None), Options())
    assert table.frame["contest"].to_list() == ["game1"]
    assert table.assumptions[-1] == "1 game without a result is left out."


def test_a_list_of_games_is_read_as_lines_are():
    games = [game(1), game(2, winner="black")]
    Path("a.json").write_text(json.dumps(games))
    assert podium.read("a.json") == podium.read(written(*games))


def test_speeds_are_ladders_if_that_is_said():
    path = written(game(1), game(2, speed="rapid"))
    assert podium.read(path).ladders is None
    assert podium.read(path, columns={"ladder": "speed"}).ladders == ["blitz", "rapid"]


def test_what_is_wrong_is_said_with_its_line(refusal):
    path = str(written(game(1), game(2, winner="red")))
    assert refusal(path) == "games.ndjson, line 2: winner 'red' is not white or black."
    path = str(written(game(1), game(2, createdAt=-5)))
    assert refusal(path) == "games.ndjson, line 2: createdAt -5 is not a time in milliseconds."
    path = str(written(game(1, status="aborted")))
    assert refusal(path) == "games.ndjson: 1 game without a result is left out."


def test_one_game_is_a_document():
    Path("a.json").write_text(json.dumps(game(1), indent=2))
    assert podium.read("a.json")[0].standings == [(1, "ann"), (2, "bob")]


def test_speeds_and_variants_that_are_rated_together_are_said():
    path = written(game(1, variant="standard"), game(2, speed="bullet", variant="chess960"))
    report = podium.check(path).files[0].understanding
    assert report.assumptions == [
        "All speeds are rated together; --columns ladder=speed rates each by itself.",
        "All variants are rated together; --columns ladder=variant rates each by itself.",
    ]
    assert report.unused == ["speed", "variant"]
    assert podium.check(path, columns={"ladder": "speed"}).files[0].understanding.assumptions == []
