"""A ladder that lives in a database: contests arrive one by one, and can be put right afterwards.

`podium.League` is the whole of it; the modules are its parts. `kept` are contests in the database,
`stretches` the checkpoints, `folding` the fold from a checkpoint on, `edits` what a change is made
of and `applying` how it is written.
"""

from podium.league.changes import Change as Change
from podium.league.league import League as League
from podium.league.rules import Rules as Rules
from podium.league.verifying import Verification as Verification
