import pytest

from podium.cli.board import step


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
