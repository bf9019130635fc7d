"""Who should meet whom: matches of those who wait, by rules, from whole beliefs.

`tickets` are who waits, `rules` what a match must be like, with `schedules` that widen with
waiting. `queue` has tickets as columns and `forecasts` what is expected of them; `pairs` matches
two and two, `teams` and `lineups` any other number, `outcomes` says what came of it and why, and
`Matchmaker` is the front. `baselines` are what others do, and `simulating` plays days of a
population by rules, of which `reporting` makes a page.
"""

from podium.matchmaking.matchmaker import Matchmaker as Matchmaker
from podium.matchmaking.outcomes import Match as Match
from podium.matchmaking.outcomes import Reason as Reason
from podium.matchmaking.outcomes import Round as Round
from podium.matchmaking.rules import Rules as Rules
from podium.matchmaking.schedules import Schedule as Schedule
from podium.matchmaking.tickets import Ticket as Ticket
from podium.matchmaking.tickets import read_tickets as read_tickets

__all__ = ["Match", "Matchmaker", "Reason", "Round", "Rules", "Schedule", "Ticket", "read_tickets"]
