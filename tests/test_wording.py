import pytest

from podium.wording import nearest, step, suggestion


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (1500.4, 1499.6, ("1500", "1500", "0")),
        (1500.0, 1400.0, ("1500", "1400", "-100")),
        (None, 1400.0, ("–", "1400", "")),
        (1400.0, None, ("1400", "–", "")),
    ],
)
def test_a_step_is_the_difference_of_what_is_shown(before, after, shown):
    assert step(before, after, 0) == shown


@pytest.mark.parametrize(
    ("word", "meant"),
    [("tpo", "top"), ("TOP", "top"), ("sett", "set"), ("qqqq", None), ("", None)],
)
def test_the_nearest_word_is_named_if_one_is_near(word, meant):
    assert nearest(word, ["out", "set", "top"]) == meant
    hint = "" if meant is None else f" (did you mean {meant!r}?)"
    assert suggestion(word, ["out", "set", "top"]) == hint
