import json
import pickle
import unicodedata

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.errors import InputError
from podium.results.tables import as_names
from podium.texts import SPACES, normalised, sentence, visible, visible_json, without_passwords


@given(st.text())
def test_a_normalised_name_stays_as_it_is(name):
    once = normalised(name)

    assert normalised(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert once == once.strip(SPACES)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=6)))
def test_tables_normalise_names_in_the_same_way(names):
    assert as_names(pl.Series(names, dtype=pl.String)).to_list() == [*map(normalised, names)]


def test_two_spellings_of_one_name_are_one():
    assert normalised("Zoe\u0308\u3000") == normalised("\u00a0Zo\u00eb") == "Zo\u00eb"


@given(st.text())
def test_what_is_shown_cannot_control_a_terminal(text):
    shown = visible(text)

    assert all(unicodedata.category(each) not in ("Cc", "Zl", "Zp") for each in shown)
    assert len(shown.splitlines()) <= 1


@pytest.mark.parametrize("each", "\u202e\u2066\u200f\x1b\x9b\n\x7f")
def test_directions_and_escapes_are_written_out(each):
    assert each not in visible(f"a{each}b")


@pytest.mark.parametrize("name", ["Ann Lee", "李雷", "علي", "👩‍👩‍👧", "Zoë"])
def test_honest_names_are_shown_as_they_are(name):
    assert visible(name) == name


@given(st.text())
def test_json_that_is_shown_reads_back_the_same(text):
    shown = visible_json(json.dumps({"name": text}, ensure_ascii=False))

    assert json.loads(shown) == {"name": text}
    assert visible(shown) == shown
    shown.encode()


@given(
    user=st.text("abcXYZ_", max_size=5),
    password=st.text("abc!$%:/@?=&+-_.", min_size=1, max_size=12),
)
def test_passwords_are_never_shown(user, password):
    secret = f"{password}#secret"
    shown = without_passwords(f"postgresql://{user}:{secret}@host/league: it is locked.")
    assert shown == f"postgresql://{user}:***@host/league: it is locked."


def test_passwords_in_the_query_are_not_shown():
    shown = without_passwords("'postgresql://host/x?user=ann&password=secret&sslmode=require'")
    assert shown == "'postgresql://host/x?user=ann&password=***&sslmode=require'"


def test_what_has_no_password_stays_as_it_is():
    for text in ("postgresql://ann@host:5432/league", "C:\\x: ann@b", "see https://x.org/a:b"):
        assert without_passwords(text) == text


@pytest.mark.parametrize(
    "spelling",
    [
        "POSTGRESQL+psycopg://ann:{}@host/db",
        "postgresql://a@b:{}@host:5432/x",
        "postgresql://:{}@host",
        "postgresql://ann:my {}@host/x",
        "postgresql://ann:p@ss {}@host/x",
        "postgresql://ann: {}@host/x",
        "postgresql://ann:/{}@host/x",
        "postgresql://ann:12/34{}@host/x",
        "postgresql://ann:1234 {}@host/x",
        "postgresql://ann:12/3 4{}@host/x",
        "postgresql://host:5432/x, postgresql://ann:{}@host/x",
        "postgresql://ann:%40{}@[::1]:5432/x",
        "postgresql:/ann:{}@host/x",
        "postgresql:ann:{}@host",
        "ann:{}@host/db",
        "postgresql://ann:{}",
        "postgresql:/ann:{}",
        "postgresql:///db?p%61ssword={}",
        "postgresql:///db?user=ann&PASSWORD={}&sslmode=require",
        "postgresql://host/db?sslpassword={}",
        "host=x user=ann password={}",
        "host=x password = '{} and more' user=ann",
        "password='it\\'s {}'",
        "PGPASSWORD={} podium verify league",
    ],
)
def test_passwords_are_hidden_in_every_spelling(spelling):
    address = spelling.format("hunter2")
    for text in (f"{address}: no answer.", f"there is no {address!r}; try (x@y)", address):
        assert "hunter2" not in without_passwords(text)
        assert "***" in without_passwords(text)
        assert without_passwords(without_passwords(text)) == without_passwords(text)


def test_a_sentence_is_a_few_lines_of_visible_text_at_most():
    said = sentence("a\x1b[2J\nb" + "n" * 10_000 + " the end.")

    assert said.startswith("a\\x1b[2J b")
    assert said.endswith("nnn the end.")
    assert " … " in said
    assert 550 < len(said) <= 610
    assert sentence(said) == said or len(sentence(said)) <= 610


def test_errors_are_a_few_harmless_lines_whatever_was_given():
    error = InputError(f"{'n' * 5000}\u202e\x1b[2J: postgresql://ann:secret@host is wrong.")

    assert len(str(error)) <= 610
    assert visible(str(error)) == str(error)
    assert "secret" not in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
