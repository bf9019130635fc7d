"""Texts of strangers in pictures: no formulas, and the fonts that the machine has."""

import logging
import warnings

import matplotlib as mpl
import numpy as np
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib import font_manager, image

import podium
from podium import pictures
from podium.evaluation import attacks
from podium.evaluation.attacks.figures import farming_figure

FORMULA = "$\\frac{$"
NAMES = [FORMULA, "_ann", "علي محمد", "\x1b[2J\u202eevil\nx", "=1+1", "n" * 900]


@pytest.fixture(scope="module")
def season():
    rows = [
        {
            "contest": f"{number} {FORMULA}",
            "name": f"{FORMULA} number {number}",
            "time": 86_400 * number,
            "player": name,
            "rank": (place + number) % len(NAMES) + 1,
        }
        for number in range(1, 10)
        for place, name in enumerate(NAMES)
    ]
    return podium.Contests.from_records(rows)


@pytest.fixture(autouse=True)
def _no_fonts_are_remembered():
    pictures._other_fonts.cache_clear()
    yield
    pictures._other_fonts.cache_clear()


def is_picture(path) -> bool:
    return path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize("name", NAMES)
def test_names_are_no_formulas_in_any_picture(season, tmp_path, name):
    path = tmp_path / f"{FORMULA}.png"
    podium.explain_result(season, f"9 {FORMULA}", name).picture(path)
    assert is_picture(path)
    rated = podium.rate(season[:8])
    podium.curve(rated.beliefs, season[8:], name).picture(path)
    attack = attacks.farming(season, "elo", name, honest_first=2, farming=2, honest_last=2)
    pictures.save(farming_figure(attack, [(attack.system, attack.table)]), path)
    from podium.cli.figure import draw

    draw(f"{name}, rated by elo", podium.rate(season, "elo").history_of(name), path)
    assert is_picture(path)


def test_an_explanation_says_the_name_as_it_is(season, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(
        pictures, "save", lambda figure, _: drawn.extend(map(str_of, pictures._texts(figure)))
    )
    podium.explain_result(season, f"9 {FORMULA}", "_ann").picture(tmp_path / "a.png")
    assert any(text.startswith(f"_ann in {FORMULA} number 9, rank") for text in drawn)
    assert " _ann before" in drawn, "Matplotlib leaves labels out that begin with an underscore"


def str_of(text) -> str:
    return text.get_text()


def test_no_text_is_given_to_tex(season, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(mpl.figure.Figure, "savefig", lambda figure, *_, **__: seen.append(figure))
    monkeypatch.setattr(pictures, "replacing", lambda _: warnings.catch_warnings())
    with mpl.rc_context({"text.usetex": True}):
        podium.explain_result(season, f"9 {FORMULA}", FORMULA).picture(tmp_path / "a.png")
    texts = list(pictures._texts(seen[0]))
    assert texts
    assert not any(text.get_usetex() or text.get_parse_math() for text in texts)


def test_a_report_has_labels_as_they_are():
    from podium.evaluation.report import pictures as of_report

    figure = pictures.new_figure(2.0, 2.0)
    axes = figure.add_subplot()
    axes.set_title(f"elo {FORMULA}")
    assert FORMULA in of_report.written(figure, "x", f"about {FORMULA}")


def a_font(path, letters, family):
    """A font in which every one of some letters is a black square."""
    names = [".notdef", *(f"u{ord(each):04x}" for each in letters)]
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    for point in ((0, 1000), (1000, 1000), (1000, 0)):
        pen.lineTo(point)
    pen.closePath()
    square = pen.glyph()
    font = FontBuilder(1000, isTTF=True)
    font.setupGlyphOrder(names)
    font.setupCharacterMap({ord(each): name for each, name in zip(letters, names[1:], strict=True)})
    font.setupGlyf(dict.fromkeys(names, square))
    font.setupHorizontalMetrics(dict.fromkeys(names, (1000, 0)))
    font.setupHorizontalHeader(ascent=1000, descent=0)
    font.setupNameTable({"familyName": family, "styleName": "Regular"})
    font.setupOS2()
    font.setupPost()
    font.save(path)


def picture_of(text, path):
    figure = pictures.new_figure(2.0, 4.0)
    figure.text(0.2, 0.4, text, fontsize=40)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        pictures.save(figure, path)
    return image.imread(path), said


@pytest.mark.parametrize("letters", ["李雷", "いろ", "한글", "🦉🎯"])
def test_letters_are_drawn_with_a_font_of_the_machine(tmp_path, monkeypatch, letters):
    without, said = picture_of(letters, tmp_path / "without.png")
    if said:  # the machine may have a font for them
        assert [each.category for each in said] == [pictures.FontWarning]
        assert str(said[0].message) == (
            f"no font of this machine has {' '.join(sorted(letters))}, so the picture has boxes in "
            f"their place; Noto's fonts have them."
        )
    a_font(tmp_path / "squares.ttf", letters, "Noto Squares")
    fonts = font_manager.fontManager
    monkeypatch.setattr(fonts, "ttflist", list(fonts.ttflist))
    fonts.addfont(str(tmp_path / "squares.ttf"))
    monkeypatch.setattr(pictures, "_LIKELY", ("Noto Squares",))
    pictures._other_fonts.cache_clear()
    drawn, said = picture_of(f"{letters}a", tmp_path / "with.png")
    assert not said
    assert np.array_equal(drawn.shape, without.shape)
    assert (drawn[..., 0] < 0.5).sum() > 2 * 40 * 40  # two black squares


def test_a_picture_says_once_what_no_font_has_and_nothing_else(tmp_path, caplog, capfd):
    with caplog.at_level(logging.WARNING):
        _, said = picture_of(
            "\U000e0fff\ufdd0\U0010fffd\U0010fffc x \u200d\ufe0f", tmp_path / "a.png"
        )
    assert len(said) == 1
    assert not caplog.records
    assert capfd.readouterr().err == ""
    assert logging.getLogger("matplotlib.font_manager").level == logging.NOTSET


def test_letters_that_the_usual_font_has_need_no_other(monkeypatch, tmp_path):
    monkeypatch.setattr(pictures, "_installed", lambda: pytest.fail("looked for"))
    _, said = picture_of("Zoë Łukasz Ωμέγα Иван علي", tmp_path / "a.png")
    assert not said


def test_a_long_text_of_a_stranger_is_cut():
    assert pictures.short("a\nb" + "n" * 1000, 10) == "a\\x0abnnn…"
    assert pictures.short("ann", 3) == "ann"
