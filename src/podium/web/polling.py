"""Standings that a site fetches by itself, while contests run."""

import logging
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from podium.errors import PodiumError
from podium.league import Source
from podium.texts import sentence
from podium.web import uploads
from podium.web.catalogue import Hosted
from podium.web.chores import Job
from podium.web.doors import writing
from podium.web.outside import Outside

MOST_BYTES = 16 * 2**20
"""Of a file that is fetched."""
_LOG = logging.getLogger("podium.web")


def fetch_due(hosted: Hosted, state: Any) -> float:
    """Fetch and post all standings of a league whose turn it is; the seconds until the next one's.

    What goes wrong is noted with the contest, for its organisers, and tried again the next time.

    Args:
        hosted: The league.
        state: That of the application, which has `outside` and `streams`.
    """
    sources, _ = hosted.league.live_sources()
    for source in sources:
        problem = None
        try:
            _fetch(hosted, source, state.outside)
        except PodiumError as error:
            problem = sentence(str(error))
            _LOG.warning("%s: contest %s: %s", hosted.key, source.contest, problem)
        writing(hosted).live_fetched(source, problem)
        state.streams.stir(hosted)
    return seconds_until_due(hosted, state)


def _fetch(hosted: Hosted, source: Source, outside: Outside) -> None:
    league = writing(hosted)
    data = outside.get(source.address, MOST_BYTES)
    said = source.options.document()
    said = {**said, "time": said["time"] or str(league.live_time(source.contest)), "future": True}
    name = PurePosixPath(urlsplit(source.address).path).name or "standings"
    standings = uploads.standings(name, data, type(source.options).of(said))
    league.post_live(source.contest, standings, who=source.who)


def seconds_until_due(hosted: Hosted, _state: Any) -> float:
    """The seconds until there is something to fetch."""
    sources, seconds = hosted.league.live_sources()
    return 0.0 if sources else seconds


POLLER = Job("live", fetch_due, seconds_until_due)
"""What fetches standings, in one process at a time."""
