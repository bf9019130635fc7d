import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.texts import SPACES, normalised, visible


@given(st.text())
def test_a_normalised_name_stays_as_it_is(name):
    once = normalised(name)

    assert normalised(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert once == once.strip(SPACES)


def test_two_spellings_of_one_name_are_one():
    assert normalised("Zoe\u0308\u3000") == normalised("\u00a0Zo\u00eb") == "Zo\u00eb"


@given(st.text())
def test_what_is_shown_cannot_control_a_terminal(text):
    shown = visible(text)

    assert all(unicodedata.category(each) not in ("Cc", "Zl", "Zp") for each in shown)
    assert len(shown.splitlines()) <= 1


@pytest.mark.parametrize("each", "\u202e\u2066\u200f\x1b\x9b\n\x7f")
def test_directions_and_escapes_are_written_out(each):
    assert each not in visible(f"a{each}b")


@pytest.mark.parametrize("name", ["Ann Lee", "李雷", "علي", "👩‍👩‍👧", "Zoë"])
def test_honest_names_are_shown_as_they_are(name):
    assert visible(name) == name
