"""Which leagues a site shows, and what they are called."""

import sqlite3
from pathlib import Path

import pytest

import podium
from podium.web.catalogue import RESERVED, Catalogue, slug


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Leagues, a database of something else and files that are none."""
    for name in ("club.db", "Chess Club.sqlite", "api.db"):
        podium.League.create(tmp_path / name, "elo").close()
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE songs (title TEXT)")
    other.close()
    (tmp_path / "notes.db").write_text("not a database")
    (tmp_path / "results.csv").write_text("contest,time,player,rank\n")
    return tmp_path


def keys(leagues: object) -> list[str]:
    with Catalogue.of(leagues) as catalogue:  # type: ignore[arg-type]
        return list(catalogue)


def test_a_file_a_path_and_an_open_league_are_each_a_league(folder):
    assert keys(str(folder / "club.db")) == ["club"]
    assert keys(folder / "club.db") == ["club"]
    with podium.League.reading(folder / "club.db") as league:
        assert keys(league) == ["club"]
        assert len(league) == 0  # it was not closed


def test_a_league_that_is_open_to_be_changed_is_not_shown(folder):
    with podium.League(folder / "club.db") as league:
        for given in (league, [league], {"club": league}):
            with pytest.raises(podium.InputError, match="give its path, or what podium"):
                Catalogue.of(given)
        assert len(league) == 0


def test_who_asks_for_the_state_of_a_file_finds_a_connection_that_is_there(folder):
    with Catalogue.of(folder) as catalogue:
        assert all(each.league._database._pulse.is_open for each in catalogue.values())


def test_several_are_shown_in_the_order_given(folder):
    assert keys([folder / "club.db", folder / "Chess Club.sqlite"]) == ["club", "chess-club"]


def test_of_a_folder_all_leagues_are_shown_and_nothing_else(folder):
    with Catalogue.of(folder) as catalogue:
        assert [(each.key, each.title) for each in catalogue.values()] == [
            ("chess-club", "Chess Club"),
            ("api-league", "Api"),
            ("club", "Club"),
        ]


def test_a_folder_without_leagues_is_not_found(tmp_path):
    with pytest.raises(podium.NotFoundError, match="there is no league in this folder"):
        Catalogue.of(tmp_path)


def test_nothing_is_no_site():
    with pytest.raises(podium.InputError, match="there is no league to show"):
        Catalogue.of([])


def test_a_league_that_is_shown_cannot_be_changed(folder):
    with (
        Catalogue.of(folder / "club.db") as catalogue,
        pytest.raises(podium.InputError, match="for reading only"),
    ):
        catalogue["club"].league.record(["ann", "bob"], time="2026-01-01")


def test_two_of_one_name_get_a_number(folder, tmp_path):
    (tmp_path / "more").mkdir()
    podium.League.create(tmp_path / "more" / "club.db").close()
    assert keys([folder / "club.db", tmp_path / "more" / "club.db"]) == ["club", "club-2"]


def test_a_mapping_says_what_leagues_are_called(folder):
    assert keys({"ours": folder / "club.db", "theirs": folder / "api.db"}) == ["ours", "theirs"]


@pytest.mark.parametrize("key", sorted(RESERVED))
def test_no_league_is_called_as_a_part_of_the_site(folder, key):
    with pytest.raises(podium.InputError, match=f"{key}-league would do"):
        Catalogue.of({key: folder / "club.db"})


@pytest.mark.parametrize("key", ["The Club", "club/2025", "", "..", "a--b", "x" * 65])
def test_what_cannot_stand_in_addresses_is_refused_with_what_can(folder, key):
    with pytest.raises(podium.InputError, match=f"'{slug(key)}' would be right"):
        Catalogue.of({key: folder / "club.db"})


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Ünïcode Лига", "unicode"),
        ("Größe & Glück", "grosse-gluck"),
        ("日本", "league"),
        ("club.2025", "club-2025"),
        ("--__--", "league"),
    ],
)
def test_a_name_becomes_small_letters_digits_and_dashes(name, key):
    assert slug(name) == key
    assert slug(key) == key


class TestATomlFile:
    TEXT = """
    title = "Our leagues"
    [leagues.club]
    where = "club.db"
    title = "The club"
    about = "Every Tuesday."
    [leagues.chess]
    where = "Chess Club.sqlite"
    """

    def test_says_what_the_site_and_its_leagues_are_called(self, folder):
        (folder / "site.toml").write_text(self.TEXT)
        with Catalogue.of(folder / "site.toml") as catalogue:
            assert catalogue.title == "Our leagues"
            assert list(catalogue) == ["club", "chess"]
            assert catalogue["club"].title == "The club"
            assert catalogue["club"].about == "Every Tuesday."
            assert catalogue["chess"].title == "Chess"
            assert catalogue["chess"].about is None

    def test_is_overruled_by_a_title_that_is_given(self, folder):
        (folder / "site.toml").write_text(self.TEXT)
        with Catalogue.of(folder / "site.toml", title="Mine") as catalogue:
            assert catalogue.title == "Mine"

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            ('titel = "Ours"', "no field 'titel' (did you mean 'title'?)"),
            ('[leagues.club]\nwere = "club.db"', "no field 'were' (did you mean 'where'?)"),
            ('[leagues.club]\ntitle = "Club"', 'leagues.club needs where = "club.db"'),
            ("[leagues.club]\nwhere = 7", "leagues.club.where must be a text, not 7"),
            ('leagues = "club.db"', "lists no league"),
            ("[leagues]\nclub = 7", "leagues.club must be a table"),
            ('title = "Ours"', "lists no league"),
            ('[leagues.api]\nwhere = "club.db"', "no league can be called 'api'"),
            ('[leagues."Our Club"]\nwhere = "club.db"', "'our-club' would be right"),
            ('[leagues.club]\nwhere = "missing.db"', "there is no such league"),
            ("title = ", "is no TOML"),
        ],
    )
    def test_that_is_wrong_is_answered_in_a_sentence(self, folder, text, sentence):
        (folder / "site.toml").write_text(text)
        with pytest.raises(podium.PodiumError) as raised:
            Catalogue.of(folder / "site.toml")
        assert sentence in str(raised.value)
        assert str(raised.value).count("\n") == 0

    def test_that_is_missing_is_not_found(self, folder):
        with pytest.raises(podium.NotFoundError, match="there is no such file"):
            Catalogue.of(folder / "missing.toml")


@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        ("missing.db", "there is no such league"),
        ("results.csv", "is not a league"),
        ("other.db", "is a database of something else"),
    ],
)
def test_what_is_no_league_is_refused_in_its_sentence(folder, where, sentence):
    with pytest.raises(podium.PodiumError, match=sentence):
        Catalogue.of([folder / "club.db", folder / where])


def test_a_site_is_made_of_places_and_leagues():
    with pytest.raises(podium.InputError, match="a league, its path or its URL is needed, not int"):
        Catalogue.of([7])  # type: ignore[list-item]


def test_a_league_of_an_earlier_podium_is_refused_even_in_a_folder(folder):
    with sqlite3.connect(folder / "club.db") as database:
        database.execute("UPDATE alembic_version SET version_num = '0001'")
    database.close()
    with pytest.raises(podium.StorageError, match="podium migrate brings it up to date"):
        Catalogue.of(folder)


def test_a_damaged_league_is_refused_even_in_a_folder(folder):
    with sqlite3.connect(folder / "club.db") as database:
        database.execute("DELETE FROM revisions")
    database.close()
    with pytest.raises(podium.StorageError, match="damaged"):
        Catalogue.of(folder)
