"""What it means that two runs ended the same: to the bit."""

from podium import Beliefs

_COLUMNS = ("mu", "sigma", "last_time", "contests")


def assert_same_beliefs(one: Beliefs, other: Beliefs) -> None:
    """The same players in the same order, with the same numbers to the last bit."""
    assert one.system == other.system
    assert one.names == other.names
    assert (one.rounds, one.time) == (other.rounds, other.time)
    for column in _COLUMNS:
        assert one.column(column).tobytes() == other.column(column).tobytes(), column
    assert one.shared.tobytes() == other.shared.tobytes()
