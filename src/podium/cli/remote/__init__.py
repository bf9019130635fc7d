"""A league on a site that `podium serve` shows, as if it was here.

`client` speaks with the API, `understanding` makes values of its documents, `reading` answers
questions as a view does, `owning` says who may do what, who is told and which contests are live,
and `writing` changes the league, as `podium.League` does.
"""

from podium.cli.remote.reading import RemoteView
from podium.cli.remote.writing import RemoteLeague

__all__ = ["RemoteLeague", "RemoteView"]
