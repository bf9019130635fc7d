"""Which columns a table has, whatever it calls them."""

import string

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import Contests, PodiumError
from podium.results.options import Options
from podium.results.tables import NAMES
from podium.results.understanding import Table, headers, understood, words

PLAYERS = ["ann", "bob"]


def ours(*given, **options):
    return headers.found_in(given, options.get("columns")).ours


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (["Place", "Name", "Event", "Date"], ["rank", "player", "contest", "time"]),
        (["Platz", "Spieler", "Turnier", "Datum"], ["rank", "player", "contest", "time"]),
        (["Rang", "Joueuse", "Tournoi", "Jour"], ["rank", "player", "contest", "time"]),
        (["Puesto", "Jugadora", "Carrera", "Fecha"], ["rank", "player", "contest", "time"]),
        (["Lugar", "Nome", "Torneio", "Data"], ["rank", "player", "contest", "time"]),
        (["Piazzamento", "Atleta", "Gara", "Giorno"], ["rank", "player", "contest", "time"]),
        (["#", "Driver", "Grand Prix", "When"], ["rank", "player", "contest", "time"]),
        (["Weiß", "Schwarz", "Ergebnis", "Datum"], ["player_a", "player_b", "result", "time"]),
        (["Blancs", "Noirs", "Résultat", "Date"], ["player_a", "player_b", "result", "time"]),
        (["Local", "Visitante", "Goles Local", "Goles Visitante"],
         ["player_a", "player_b", "score_a", "score_b"]),
        (["Player 1", "Player 2", "Score 1", "Score 2"],
         ["player_a", "player_b", "score_a", "score_b"]),
        (["homeTeam", "awayTeam", "homeScore", "awayScore"],
         ["player_a", "player_b", "score_a", "score_b"]),
        (["Ganador", "Perdedor", "Fecha"], ["winner", "loser", "time"]),
        (["Winner", "Loser", "Winner score", "Loser score"],
         ["winner", "loser", "score_a", "score_b"]),
        (["Team", "Points"], ["player", "score"]),
        (["Player", "Team", "Total"], ["player", "team", "score"]),
        (["Player", "Score", "Player ID"], ["player", "score"]),
        (["Player", "Chip time"], ["player", "score"]),
        (["Player", "Rank", "Event ID", "Event name"], ["player", "rank", "contest", "name"]),
    ],
)  # fmt: skip
def test_columns_are_known_by_their_usual_names(given, wanted):
    found = ours(*given)
    assert {name: found.get(name) for name in wanted} == dict(zip(wanted, given, strict=False))


@pytest.mark.parametrize(
    ("given", "side"),
    [(["White", "Black"], "white"), (["Home", "Away"], "home"), (["Player A", "Player B"], "")],
)
def test_headers_of_both_players_tell_the_side(given, side):
    assert headers.found_in([*given, "Result", "Date"], None).side == side


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (["Name", "Handle", "Rank"], "'Name' and 'Handle' could both be the column 'player'"),
        (["Player", "Place", "Position"], "'Place' and 'Position' could both be the column 'rank'"),
        (["Player", "Rank", "Event", "Race"], "'Event' and 'Race' could both be the column"),
        (["Player", "Rank", "Start date", "End date"], "could both be the column 'time'"),
    ],
)
def test_two_columns_for_one_thing_are_named_with_the_option(given, named):
    with pytest.raises(PodiumError) as refused:
        headers.found_in(given, None)
    assert named in str(refused.value)
    assert "columns={" in str(refused.value)
    assert "--columns " in str(refused.value)


def test_podiums_own_names_are_enough_and_nothing_else_is_looked_at():
    given = ["contest", "time", "player", "rank", "Team", "Position", "Handle"]
    found = headers.found_in(given, None)
    assert found.is_plain
    assert found.theirs == {"contest", "time", "player", "rank"}


def test_what_is_said_wins_over_everything():
    assert ours("player", "Handle", "rank", columns={"player": "Handle"})["player"] == "Handle"
    assert ours("Player", "Nick", "rank", columns={"player": "nick"})["player"] == "Nick"


SPELLINGS = st.sampled_from([str.upper, str.lower, str.title, str.capitalize])
SPACES = st.text(" \N{NO-BREAK SPACE}\t\ufeff_-.:", max_size=3)


@given(
    st.sampled_from(
        ["player name", "final rank", "match id", "posición", "épreuve", "colocação", "weiß"]
    ),
    SPELLINGS,
    SPACES,
    SPACES,
    SPACES,
    st.sampled_from(["", " (UTC)", " [pts]", "\n"]),
)
def test_spelling_changes_no_header(name, spelled, before, between, after, unit):
    header = before + spelled(name).replace(" ", between) + after + unit
    assert words.key(name) in words.keys(header)


@given(st.lists(st.text(string.printable, max_size=12), max_size=8, unique=True))
def test_any_header_is_understood_or_refused(given):
    try:
        found = headers.found_in(given, None)
    except PodiumError:
        return
    assert found.theirs <= set(given)
    assert found.ours.keys() <= {*NAMES, *headers.AUXILIARY}


def test_a_clean_frame_passes_without_a_copy_of_a_column():
    frame = pl.DataFrame(
        {"contest": [1, 1], "time": [0, 0], "player": PLAYERS, "rank": [1, 2], "note": ["", ""]}
    )
    table, report = understood(Table(frame, str), Options())
    assert table.frame.equals(frame.select("contest", "time", "player", "rank"))
    assert (report.unused, report.assumptions) == (["note"], [])


def frame(**columns):
    return pl.DataFrame({"Event": ["cup", "cup"], "Name": PLAYERS, **columns})


def test_a_column_called_time_is_what_its_cells_are():
    day = {"Date": ["2026-03-01"] * 2, "Rank": [1, 2]}
    (contest,) = Contests.from_frame(frame(**day, Time=["18:30", "18:30"]))
    assert f"{contest.time}" == "2026-03-01 18:30:00"
    (contest,) = Contests.from_frame(frame(**day, Time=["0:59:30", "1:02:00"]))
    assert f"{contest.time}" == "2026-03-01 00:00:00"
    (contest,) = Contests.from_frame(frame(Rank=[1, 2], Time=["2026-03-01 18:30"] * 2))
    assert f"{contest.time}" == "2026-03-01 18:30:00"
    race = frame(Time=["1:02:00", "0:59:30"])
    assert Contests.from_frame(race, time="2026-03-01")[0].players == ["bob", "ann"]
    with pytest.raises(PodiumError, match="may be how long players took"):
        Contests.from_frame(frame(Time=[58.2, 57.9]), time="2026-03-01")


def test_a_name_that_differs_within_a_contest_is_not_that_of_the_contest():
    day = {"Date": ["2026-03-01"] * 2, "Rank": [1, 2], "handle": ["a", "b"]}
    contests = Contests.from_frame(
        frame(**day).rename({"Name": "name"}), columns={"player": "handle"}
    )
    assert contests[0].players == ["a", "b"]
    assert contests[0].name is None


def test_a_number_sign_that_counts_rows_of_several_contests_is_no_rank():
    rows = {"#": [1, 2, 3, 4], "Event": ["a", "a", "b", "b"], "Date": ["2026-03-01"] * 4}
    table = pl.DataFrame({**rows, "Player": PLAYERS * 2, "Points": [1, 2, 2, 1]})
    assert [each.players for each in Contests.from_frame(table)] == [["bob", "ann"], PLAYERS]
