"""Rules: what a file says, and sentences that name the line of what is wrong."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium.matchmaking import Rules, Schedule
from tests.matchmaking.queues import rules

GOOD = """\
teams = 2
team_size = 5
one_sided = [[0, 0.55], [60, 0.7]]
same = ["mode"]
[roles]
tank = 1
healer = 2
"""


def test_a_file_is_read(tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text(GOOD)
    found = Rules.read(path)
    assert found == Rules(
        team_size=5,
        one_sided=[[0, 0.55], [60, 0.7]],
        same=["mode"],
        roles={"tank": 1, "healer": 2},
    )


@given(rules=rules())
def test_what_rules_say_is_what_they_are_made_of(rules):
    assert Rules(**rules.said()) == rules


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("teams = 2\nteam_size = 0\n", 2, "team_size must be a whole number from 1"),
        ("teams = true\n", 1, "teams must be a whole number"),
        ("\n\nquality = [[0, 0.5], [60, 0.9]]\n", 3, "quality must fall with waiting"),
        ("one_sided = [[0, 0.8], [60, 0.7]]\n", 1, "one_sided must rise with waiting"),
        ("one_sided = [[60, 0.6], [0, 0.7]]\n", 1, "one_sided must have seconds from 0 on"),
        ("one_sided = 'even'\n", 1, "one_sided must be a number, or a list"),
        ("one_sided = []\n", 1, "one_sided must be a number, or a list"),
        ("one_sided = 1.5\n", 1, "one_sided must be from 0 to 1, not 1.5"),
        ("# hello\nnewcomer = 'any'\n", 2, "there is no rule 'newcomer' (did you mean"),
        ("newcomers = 'eat'\n", 1, "newcomers must be one of any, protect, spread"),
        ("team_size = 2\n[roles]\ntank = 3\n", 2, "roles need 3 players, more than the 2"),
        ("roles = {tank = 0}\n", 1, "roles must say how many of each"),
        ("roles = 3\n", 1, "roles must be a table"),
        ("teams = 100\nteam_size = 100\n", 2, "team_size is too large: 100 teams of 100"),
        ("patience = 0\n", 1, "patience must be a number of seconds"),
        ("same = 'mode'\n", 1, "same must be a list of names"),
        ("rematch = -1\n", 1, "rematch must be a whole number from 0"),
        ("teams = \n", 1, "is no TOML"),
        ("teams = 2\nteams = 3\n", 2, "is no TOML"),
        ("teams = 2\nsame = ['mode'\n", 2, "is no TOML: Unclosed array."),
        ("quality = 0.5\nquality.low = 1", 2, "is no TOML"),
        ("[[roles]]\ntank = 1\n", 1, "roles must be a table"),
        ("# \u2028 and \u0085\nteams = 1\n", 2, "teams must be a whole number"),
        (f"teams = 2\nrematch = {'9' * 5000}\n", 2, "a number has too many digits"),
        (f"teams = 2\nrematch = 0x{'f' * 5000}\n", 2, "rematch has too many digits"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, line, said):
    with pytest.raises(podium.InputError) as caught:
        Rules.from_text(text, "rules.toml")
    assert str(caught.value).startswith(f"rules.toml, line {line}: {said}")
    assert str(caught.value).endswith(".")


def test_a_file_may_begin_with_the_mark_that_some_editors_write(tmp_path):
    (tmp_path / "rules.toml").write_text("\ufeff" + GOOD, encoding="utf-8")
    assert Rules.read(tmp_path / "rules.toml") == Rules.from_text(GOOD)


def test_a_file_that_is_none_is_said(tmp_path):
    with pytest.raises(podium.NotFoundError, match="there is no such file of rules"):
        Rules.read(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(podium.InputError, match="text in UTF-8"):
        Rules.read(tmp_path / "binary.toml")


@given(st.text(max_size=200))
def test_whatever_a_file_says_is_rules_or_a_sentence(text):
    with contextlib.suppress(podium.InputError):
        assert isinstance(Rules.from_text(text), Rules)


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=4).map(sorted),
    st.floats(0, 200),
    st.floats(0, 200),
)
def test_a_schedule_that_rises_never_falls(values, one, two):
    found = Schedule.of([[10 * number, value] for number, value in enumerate(values)])
    early, late = sorted((one, two))
    assert found.at(early) <= found.at(late) + 1e-12
    assert found.start == values[0]
    reached = found.reaches(found.at(late))
    assert reached is not None
    assert reached <= late + 1e-9
    assert found.at(reached) == pytest.approx(found.at(late))
