"""What podium raises: kinds for programs to tell apart, one sentence for people to read.

    PodiumError
    ├── InputError          what was given is wrong
    │   └── NoResultsError  a file is in order, but holds nobody's results
    ├── NotFoundError       there is no such player, contest, league, system, file …
    ├── ConflictError       it is there already, and otherwise
    │   ├── RemovalError    a correction removes much, and was not told that it may
    │   └── DifferenceError what is known of two who become one differs, and nobody chose
    ├── AccessError         a token is missing, or does not let anybody do that
    ├── BusyError           somebody else is at it; the same may work later
    └── StorageError        a disk, a database, a damaged file, a lost cluster, or a fork

Every error carries the `exit_code` with which the command line ends.
"""

from collections.abc import Mapping
from typing import ClassVar

from podium.texts import sentence


class PodiumError(ValueError):
    """Something the user can put right. Its text is one sentence that says what and where.

    It has a few lines at most, whatever was given, no password, and nothing that controls a
    terminal.
    """

    exit_code: ClassVar[int] = 2

    def __init__(self, text: object = "") -> None:
        super().__init__(sentence(str(text)))


class InputError(PodiumError):
    """What was given is wrong: an argument, an option, a parameter, or what a file says."""


class NoResultsError(InputError):
    """A file is in order, but holds nobody's results."""


class NotFoundError(PodiumError):
    """There is no such player, contest, league, revision, system or file."""

    exit_code = 3


class ConflictError(PodiumError):
    """It is there already, and otherwise: other results under a known id, a name that is taken."""

    exit_code = 4


class RemovalError(ConflictError):
    """A correction removes more than a tenth of a contest's results, unasked."""


class DifferenceError(ConflictError):
    """Two players who are to be one have other values of something, and nobody said whose stay."""

    def __init__(
        self, text: object = "", fields: Mapping[str, tuple[object, object]] | None = None
    ) -> None:
        super().__init__(text)
        self.fields = dict(fields or {})
        """What differs, each with the value of the first and of the second."""


class AccessError(PodiumError):
    """Whoever asks has no token for it, or one whose role does not go so far."""

    exit_code = 7


class BusyError(PodiumError):
    """Somebody else is changing the league, or a site asks to wait; the same may work later."""

    exit_code = 5


class StorageError(PodiumError):
    """A disk, a database, a damaged file, a lost cluster or what a fork has lost is in the way."""

    exit_code = 6
