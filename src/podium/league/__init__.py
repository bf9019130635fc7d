"""A ladder that lives in a database: contests arrive one by one, and can be put right afterwards.

`podium.League` is the whole of it; the modules are its parts. `schema` and `migrations` are its
tables; `standings`, `players`, `checkpoints`, `revisions` and `rules` say what is in them and
`queries` asks them for `views`; `folding` is the fold from a checkpoint on, `edits` what an edit of
contests does to ratings, and `changes` all changes that can be made.
"""

from podium.extras import require

require("sqlalchemy", "alembic")

from podium.league.attributes import Attribute as Attribute
from podium.league.changes import Change as Change
from podium.league.edits import moves_document as moves_document
from podium.league.hindsight import StoredLookBack as StoredLookBack
from podium.league.league import How as How
from podium.league.league import League as League
from podium.league.league import snapshot as snapshot
from podium.league.live import Live as Live
from podium.league.live import Posted as Posted
from podium.league.live import Sign as Sign
from podium.league.live import Signs as Signs
from podium.league.live import Source as Source
from podium.league.queries import Result as Result
from podium.league.queries import documents as documents
from podium.league.rules import Rules as Rules
from podium.league.verifying import Verification as Verification
from podium.league.views import View as View
from podium.ratings.leaderboards import Filters as Filters
from podium.ratings.leaderboards import Leaderboard as Leaderboard
