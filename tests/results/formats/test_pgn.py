import bz2
import datetime
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium import InputError
from podium.results.formats import contents, pgn, pieces, recognition
from podium.results.options import Options

TAGS = {"Event": "Club", "Date": "2026.01.05", "White": "ann", "Black": "bob", "Result": "1-0"}
RESULTS = {"1-0": (1, 2), "0-1": (2, 1), "1/2-1/2": (1, 1)}


def game(moves: str = "1. e4 e5", **tags: str) -> str:
    given = {**TAGS, **tags}
    lines = "".join(f'[{name} "{value}"]\n' for name, value in given.items())
    return f"{lines}\n{moves} {given['Result']}\n\n"


@pytest.fixture
def read(tmp_path):
    def made(text: str | bytes, name: str = "a.pgn", **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return podium.read(path, **options)

    return made


def standings(contests):
    return [contest.standings for contest in contests]


@pytest.mark.parametrize(
    "moves",
    [
        '1. e4 {see [White "cat"]} e5',
        '1. e4 {\n[White "cat"]\n[Black "dan"]\n} e5',
        "1. e4 (1. d4 {a (b} d5 [odd) 1... e5",
        '1. e4 ; to the end [White "cat"]\n1... e5',
        '% [White "cat"] {\n1. e4 e5',
        "1. e4 {[%clk 0:01:00]}\n{[%eval 0.1]} e5",
        "1. e4 {} } e5",
    ],
)
def test_nothing_between_moves_is_taken_for_a_tag(read, moves):
    assert standings(read(game(moves) + game(White="eve"))) == [
        [(1, "ann"), (2, "bob")],
        [(1, "eve"), (2, "bob")],
    ]


def test_a_brace_in_a_tag_opens_no_comment(read):
    assert len(read(game(Event="{club") + game() + game(Event="club}"))) == 3


def test_a_game_in_a_comment_that_never_ends_is_refused(read):
    with pytest.raises(InputError, match=r"stands in a comment that does not end before it"):
        read(game("1. e4 {endless") + game())


def test_quotes_and_backslashes_in_tags_are_unescaped(read):
    contests = read(game(White=r"ann \"the owl\" o\\o"))
    assert contests[0].players == ['ann "the owl" o\\o', "bob"]


def test_tags_may_share_a_line_and_have_more_spaces(read):
    text = '[Event "Club"] [Date "2026.01.05"]\n[ White   "ann" ]\n[Black "bob"] \n[Result "0-1"]\n'
    assert standings(read(text + "\n0-1\n")) == [[(1, "bob"), (2, "ann")]]


def test_games_without_moves_begin_with_their_event(read):
    bare = "".join(f'[{name} "{value}"]\n' for name, value in TAGS.items())
    assert len(read(bare + "\n" + bare + "\n")) == 2


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_any_way(read, end):
    assert len(read((game() + game()).replace("\n", end))) == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_any_usual_encoding_is_read(read, encoding):
    assert read(game(White="Zoë").encode(encoding))[0].players == ["Zoë", "bob"]


def test_games_of_a_day_stay_in_the_order_of_the_file(read):
    results = ["1-0", "0-1", "1/2-1/2", "0-1"]
    contests = read("".join(game(Result=result) for result in results))
    assert [each.rank.tolist() for each in contests] == [[1, 2], [1, 2], [1, 1], [1, 2]]
    assert [each.players[0] for each in contests][:2] == ["ann", "bob"]


def test_rounds_of_a_day_go_before_the_order_of_the_file(read):
    contests = read(game(Round="10", White="cat") + game(Round="2", White="dan"))
    assert [each.players[0] for each in contests] == ["dan", "cat"]


def test_two_games_of_a_round_and_pair_are_told_apart(read):
    assert read(game(Round="1") * 2).ids.to_list() == [
        "Club 2026-01-05 1 ann - bob",
        "Club 2026-01-05 1 ann - bob #2",
    ]


def test_the_moment_in_utc_goes_before_the_date(read):
    contests = read(game(UTCDate="2026.01.04", UTCTime="23:59:58"))
    assert contests[0].time == datetime.datetime(2026, 1, 4, 23, 59, 58)


@pytest.mark.parametrize("date", ["2026.1.5", "2026-01-05", "2026/01/05"])
def test_dates_may_be_written_otherwise(read, date):
    assert read(game(Date=date))[0].time == datetime.datetime(2026, 1, 5)


def test_unfinished_games_are_refused_or_left_out(read):
    text = game() + game(Result="*")
    with pytest.raises(InputError, match=r"game 2: Result '\*' is that of an unfinished game; say"):
        read(text)
    assert len(read(text, unfinished="drop")) == 1


def test_aborted_games_and_computers_of_lichess_are_left_out_and_that_is_said(tmp_path):
    path = tmp_path / "a.pgn"
    site = "https://lichess.org/abcd"
    path.write_text(
        game(Site=site)
        + game(Site=site, Result="*")
        + game(Site=site, Black="lichess AI level 8")
        + game(Site=site, White="Anonymous")
    )
    table = pgn.read(path, Options())
    assert table.frame.height == 1
    assert table.assumptions == (
        "1 game without a result is left out.",
        "2 games that computers or players without a name played are left out.",
    )


@pytest.mark.parametrize(
    ("tags", "sentence"),
    [
        ({"White": "?"}, "game 1: has no White."),
        ({"Result": "2-0"}, "game 1: Result '2-0' is not 1-0, 0-1, 1/2-1/2 or * (unfinished)."),
    ],
)
def test_games_that_say_too_little_are_refused(read, tags, sentence):
    with pytest.raises(InputError, match=re.escape(sentence)):
        read(game(**tags))


def test_a_tag_that_stands_twice_is_refused(read):
    with pytest.raises(InputError, match="game 2: has the tag White twice"):
        read(game() + game().replace("[Black", '[White "cat"]\n[Black'))


def test_any_tag_serves_as_a_ladder_if_it_is_named(read):
    contests = read(
        game(Variant="Atomic") + game(Variant="Standard"), columns={"ladder": "Variant"}
    )
    assert contests.ladders == ["Atomic", "Standard"]


def test_a_tag_that_is_not_there_cannot_be_a_ladder(read):
    with pytest.raises(InputError, match="ladder is missing"):
        read(game(), columns={"ladder": "Variant"})


def test_pieces_are_the_same_games_in_order(tmp_path, monkeypatch):
    monkeypatch.setattr(contents, "_PIECE", 1_000)
    monkeypatch.setattr(pgn, "_LEAST", 1)
    path = tmp_path / "a.txt"
    path.write_text("".join(game(White=f"player {n}", Round=str(n)) for n in range(99)))
    options = Options()
    parts = list(pieces(path, recognition.of_source(path, None), options, 1_000))
    assert len(parts) > 5
    found = [name for part in parts for name in part.frame["player_a"]]
    assert found == [f"player {n}" for n in range(99)]
    assert parts[-1].locate(parts[-1].frame.height - 1) == f"{path}, game 99"


def test_archives_of_bzip2_in_parts_are_read(read):
    data = bz2.compress(game().encode()) + bz2.compress(game(White="cat").encode())
    assert len(read(data, "a.pgn.bz2")) == 2


names = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp", "Cs"]), min_size=1
)
played = st.tuples(
    names.map(str.strip).filter(lambda name: name not in ("", "?", "??", "-")),
    st.sampled_from(sorted(RESULTS)),
    st.text(alphabet='{}[]"()\\ \nae1', max_size=12),
)


def reference(text: str) -> list[tuple[str, str]]:
    """White and Result of every game, found letter by letter."""
    found, tags, place = [], {}, 0
    while place < len(text):
        at_line = place == 0 or text[place - 1] == "\n"
        if text[place] == "{":
            place = text.index("}", place) + 1
        elif at_line and (
            match := re.compile(r'\[(\w+) "((?:\\.|[^"\\])*)"\]\n').match(text, place)
        ):
            if match[1] == "Event" and tags:
                found.append((tags["White"], tags["Result"]))
                tags = {}
            tags[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
            place = match.end()
        else:
            place += 1
    return [*found, (tags["White"], tags["Result"])]


@given(st.lists(played, min_size=1, max_size=5))
def test_random_games_are_found_as_letter_by_letter(tmp_path_factory, games):
    text = "".join(
        game(
            "{" + comment.replace("}", "") + "}",
            White=name.replace("\\", "\\\\").replace('"', '\\"'),
            Result=result,
        )
        for name, result, comment in games
    )
    path = tmp_path_factory.mktemp("pgn") / "a.pgn"
    path.write_text(text, "utf-8", newline="\n")
    frame = pgn.read(path, Options()).frame
    outcome = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
    assert list(zip(frame["player_a"], frame["outcome"], strict=True)) == [
        (name.strip(), outcome[result]) for name, result in reference(text)
    ]


def test_games_of_two_days_are_two_games_whatever_their_files(tmp_path):
    for day in ("05", "12"):
        text = game(Event="Casual game", Date=f"2026.01.{day}")
        (tmp_path / f"{day}.pgn").write_text(text)
    assert podium.read([tmp_path / "05.pgn", tmp_path / "12.pgn"]).ids.to_list() == [
        "Casual game 2026-01-05 1 ann - bob",
        "Casual game 2026-01-12 1 ann - bob",
    ]


def test_games_without_dates_are_known_by_the_day_that_is_said(read):
    text = game(Date="????.??.??")
    assert read(text, time="2026-01-05").ids.to_list() == ["Club 2026-01-05 1 ann - bob"]
    assert read(text, "club 2026-01-12.pgn", from_name=True).ids.to_list() == [
        "Club 2026-01-12 1 ann - bob"
    ]


def test_numbers_count_the_games_of_a_day(read):
    days = ["05", "05", "12", "12"]
    text = "".join(game(Date=f"2026.01.{day}") for day in days)
    assert [each.split()[2] for each in read(text).ids] == ["1", "2", "1", "2"]


def test_numbers_of_a_day_go_on_from_piece_to_piece(tmp_path, monkeypatch):
    path = tmp_path / "a.pgn"
    days = [f"2026.01.{5 + number // 7:02}" for number in range(40)]
    path.write_text("".join(game(Date=day, White=f"p{n}") for n, day in enumerate(days)))
    whole = pgn.read(path, Options()).frame
    monkeypatch.setattr(contents, "_PIECE", 600)
    monkeypatch.setattr(pgn, "_LEAST", 300)
    parts = [table.frame for table in pgn.pieces(path, Options())]
    assert len(parts) > 3
    assert pl.concat(parts).equals(whole)


def test_an_event_of_a_year_needs_no_date(read):
    text = game(Event="Open 2026", Round="3") + game(Event="Open 2026", Round="?", Date="2026.1.6")
    assert read(text).ids.to_list() == ["Open 2026 3 ann - bob", "Open 2026 2026-01-06 ann - bob"]


@pytest.mark.parametrize(
    ("date", "first"),
    [
        ("2026.??.??", "2026-01-01"),
        ("2026.03.??", "2026-03-01"),
        ("2026.??.07", "2026-01-01"),
        ("2026.03", "2026-03-01"),
        ("2026", "2026-01-01"),
    ],
)
def test_a_month_or_year_stands_for_its_first_day_and_that_is_said(tmp_path, date, first):
    path = tmp_path / "a.pgn"
    for others in ("", game(Date="2025.07.08")):
        path.write_text(others + game(Date=date))
        found = podium.check(path).files[0]
        assert str(found.contests[-1].time)[:10] == first
        assert found.understanding.assumptions == [
            "1 game is dated with the first day of the month or year, because Date says no more."
        ]


def test_a_year_is_less_than_a_time_that_is_said(read):
    assert str(read(game(Date="2026.??.??"), time="2026-05-06")[0].time)[:10] == "2026-05-06"


def test_a_game_without_a_year_among_others_is_refused(read):
    with pytest.raises(InputError, match=r"game 2: Date '\?{4}.*' is no date and has no year, as"):
        read(game() + game(Date="????.??.??"))


def test_a_file_may_begin_with_a_comment(read):
    for name in ("a.pgn", "a.txt"):
        assert len(read("{ a comment\nof two lines }\n" + game(), name)) == 1
    assert len(read("{ a comment that ends late" + " " * 2**17 + "}\n" + game())) == 1


def test_tags_may_be_indented(read):
    assert len(read(game().replace("[", "  ["))) == 1
    assert len(read((game() + game(White="cat")).replace("[", "\t["))) == 2


def test_a_brace_in_a_comment_to_the_end_of_a_line_opens_none(read):
    moves = '1. e4 ; a { here\ne5 { a; b } 2. d4 { c\n[White "nobody"]\n}'
    assert len(read(game(moves) + game(White="cat"))) == 2


def test_a_game_without_a_result_has_that_which_ends_its_moves(tmp_path):
    without = game("1. e4 e5 0-1", White="cat").replace('[Result "1-0"]\n', "")
    bare = without.replace("0-1 1-0", "0-1")
    path = tmp_path / "a.pgn"
    path.write_text(game() + bare + game(White="dan") + bare.strip())
    found = podium.check(path).files[0]
    assert [each.players[0] for each in found.contests] == ["ann", "bob", "dan", "bob"]
    assert found.understanding.assumptions == [
        "2 games have no Result, so that what ends the moves is taken."
    ]
    path.write_text(bare.replace("0-1", ""))
    assert "is that of an unfinished game" in str(podium.check(path).error)


def test_brackets_in_a_name_end_no_tag(read):
    assert read(game(White="]["))[0].players[0] == "]["
