"""The one exception that podium raises for bad input, files or parameters."""


class PodiumError(ValueError):
    """Something the user can put right. Its text is one sentence that says what and where."""


class NoResultsError(PodiumError):
    """A file is in order, but holds nobody's results."""
