"""Pictures of explanations."""

import struct

import pytest

import podium
from tests.ratings.explanations.seasons import last_of_season


@pytest.mark.parametrize("name", ["elo-mmr", "elo-mmx", "glicko", "luck"])
def test_a_picture_is_a_png_of_1600_by_700(name, tmp_path):
    season = (
        podium.simulate_matches(players=6, matches=60, seed=1)
        if name == "luck"
        else podium.simulate(players=30, rounds=9, ties=0.3, seed=1)
    )
    beliefs, contest = last_of_season(season, name, {})
    for number, player in enumerate((contest[0].players[0], contest[0].players[-1])):
        path = tmp_path / f"{number}.png"
        podium.explain(beliefs, contest, player).picture(path)
        data = path.read_bytes()
        assert data.startswith(b"\x89PNG")
        assert struct.unpack(">II", data[16:24]) == (1600, 700)


def test_names_of_any_length_and_kind_can_be_drawn(tmp_path):
    ladder = podium.Ladder("elo-mmr")
    names = ["$x_1$", "a" * 200, "李雷"]
    ladder.record(names, time=0)
    contest = podium.Contests.from_records(
        [
            {"contest": "$c$", "time": 1, "player": name, "rank": rank}
            for rank, name in enumerate(names, start=1)
        ]
    )
    for name in names:
        podium.explain(ladder.beliefs, contest, name).picture(tmp_path / "names.png")


def test_only_a_png_can_be_written(tmp_path):
    found = podium.explain_result(podium.simulate(players=5, rounds=2), "round-02", "player-0001")
    with pytest.raises(podium.PodiumError, match=r"must end in \.png"):
        found.picture(tmp_path / "picture.svg")
    with pytest.raises(podium.PodiumError, match="the path of a file or folder is needed"):
        found.picture(7)
