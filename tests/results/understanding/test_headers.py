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
        (["Skipper", "Rg.", "Cup", "Zeitstempel"], ["player", "rank", "contest", "time"]),
        (["Name, Vorname", "Endplatzierung", "Rd", "Data gara"],
         ["player", "rank", "contest", "time"]),
        (["Verein", "Ptos", "Campionato", "Horodatage"], ["player", "score", "contest", "time"]),
        (["Equipa", "Plc"], ["player", "rank"]),
        (["Helm", "Fin", "Crew"], ["player", "rank"]),
        (["Jockey", "Posto", "Horse"], ["player", "rank"]),
        (["Name", "Ringe", "Verein"], ["player", "score"]),
        (["Name", "Points", "Note"], ["player", "score"]),
        (["Name", "Temps net"], ["player", "score"]),
        (["Name", "Tempo ufficiale"], ["player", "score"]),
        (["Heim", "Auswärts", "Sätze Heim", "Sätze Auswärts"],
         ["player_a", "player_b", "score_a", "score_b"]),
        (["Équipe à domicile", "Équipe visiteuse", "Résultat"], ["player_a", "player_b", "result"]),
        (["Squadra di casa", "Squadra ospite", "Risultato"], ["player_a", "player_b", "result"]),
        (["Local", "Visita", "Marcador"], ["player_a", "player_b", "result"]),
        (["Player 1", "Player 2", "P1 Wins", "P2 Wins"],
         ["player_a", "player_b", "score_a", "score_b"]),
        (["Player", "Opponent", "Goals For", "Goals Against"],
         ["player_a", "player_b", "score_a", "score_b"]),
        (["Player", "Opponent", "Points", "Opponent Points"],
         ["player_a", "player_b", "score_a", "score_b"]),
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


@pytest.mark.parametrize(
    "given",
    [
        ["Player 1", "Player 2", "Player 3", "Player 4"],
        ["Team A", "Team B", "Team C"],
        ["Player 1", "Partner 1", "Player 2", "Partner 2"],
        ["Spieler 1a", "Spieler 1b", "Spieler 2a", "Spieler 2b"],
        ["Team 1 Player 1", "Team 1 Player 2", "Team 2 Player 1", "Team 2 Player 2"],
        ["Winner 1", "Winner 2", "Loser 1", "Loser 2"],
    ],
)
def test_more_than_two_players_in_a_row_are_all_named(given):
    with pytest.raises(PodiumError, match="make a row for each player") as refused:
        headers.found_in(["Date", *given, "Score"], None)
    assert all(repr(name) in str(refused.value) for name in given)


def test_parts_of_a_match_are_not_the_scores_of_both():
    found = ours("Player 1", "Player 2", "Set 1", "Set 2", "Result")
    assert found == {"player_a": "Player 1", "player_b": "Player 2", "result": "Result"}


def test_who_says_the_score_wants_no_rank():
    assert "rank" not in ours("Platz", "Name", "Punkte", columns={"score": "Punkte"})


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


@pytest.mark.parametrize("name", ["Chip Time", "Laufzeit", "Temps net", "Tiempo (s)"])
@given(
    times=st.lists(st.floats(0.01, 1e5).map(lambda each: round(each, 2)), min_size=2, max_size=8)
)
def test_of_durations_in_plain_numbers_the_lowest_wins_and_it_is_said(name, times):
    times = [min(times), *times]  # a first that took far longer may be a leader's, before gaps
    names = [f"p{number}" for number in range(len(times))]
    for values in (times, [str(each) for each in times]):
        table = pl.DataFrame({"Name": names, name: values})
        options = Options(contest="x", time="2026-03-01")
        _, report = understood(Table(table, str), options)
        (contest,) = Contests.from_frame(table, contest="x", time="2026-03-01")
        found = [times[names.index(player)] for player in contest.players]
        assert found == sorted(times)
        assert "score: these are durations, of which the lowest wins." in report.assumptions


def reported(columns, **options):
    return understood(Table(pl.DataFrame(columns), str), Options(**options))[1]


SAID = {"contest": "x", "time": "2026-03-01"}


def test_small_numbers_under_a_word_for_time_are_left_out_and_it_is_said():
    table = {"Pos": [1, 2], "Team": PLAYERS, "Played": [38, 38]}
    report = reported(table, **SAID)
    assert report.unused == ["Played"]
    assert "'Played' holds small numbers, no times, and is left out." in report.assumptions


def test_where_the_other_side_stands_first_the_order_that_was_taken_is_said():
    players = {"Date": ["2026-03-01"], "Black": ["ann"], "White": ["bob"]}
    chess = reported({**players, "Result": ["1 - 0"]})
    assert "'Result' tells of 'White' first." in chess.assumptions
    letters = reported({**players, "Result": ["L"]})
    assert "'Result' tells of 'Black' first." in letters.assumptions
    named = reported({**players, "Result": ["white"]})
    assert named.assumptions == []
    with pytest.raises(PodiumError, match="W may be white or a win of 'Black'"):
        reported({**players, "Result": ["W"]})


def test_of_two_scores_it_is_said_which_was_taken():
    report = reported({"Player": PLAYERS, "Points": [9, 4], "Score": [1, 2]}, **SAID)
    assert "score is 'Score', not 'Points'." in report.assumptions


def test_a_position_on_the_field_is_no_rank_beside_one():
    table = pl.DataFrame({"Rank": [2, 1], "Player": PLAYERS, "Position": ["GK", "MF"]})
    assert Contests.from_frame(table, **SAID)[0].players == ["bob", "ann"]


def test_a_name_on_several_dates_is_told_apart_by_them_and_it_is_said():
    dates = ["2026-03-01"] * 2 + ["2026-03-08"] * 2
    report = reported(
        {"Date": dates, "Game": ["Catan"] * 4, "Player": PLAYERS * 2, "Rank": [1, 2] * 2}
    )
    assert report.assumptions == [
        "'Game' and the time together are the contest: 'Catan 2026-03-01'."
    ]


def test_in_wide_tables_what_is_about_players_is_no_contest_and_it_is_said():
    table = {"Name": PLAYERS, "Age": [20, 30], "Coach": ["eva", "ida"], "Lauf 1": [8, 9]}
    report = reported(table, wide=True, time="2026-03-01")
    assert "no contests but about the players: 'Age', 'Coach'." in report.assumptions
