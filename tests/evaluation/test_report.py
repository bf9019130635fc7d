import math
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium import PodiumError, pictures
from podium.evaluation.comparison import Evaluation
from podium.evaluation.measures import MEASURES
from podium.evaluation.report import pictures as drawings
from podium.evaluation.report import report, write_report
from podium.evaluation.report.pictures import experience, look
from podium.evaluation.report.sections import EXPLAINED, lead
from podium.evaluation.report.tables import (
    Estimate,
    difference_table,
    estimates,
    figure,
    system_table,
    value_table,
    verdict,
)
from podium.markup import element

VOID = {"meta"}
FRAMES = ("table", "differences", "systems", "reliability", "over_time", "over_experience")


class Page(HTMLParser):
    """A page taken apart; every element must be closed in the right order."""

    def __init__(self, text):
        super().__init__()
        self.elements = []
        self.texts = []
        self.open = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names)
        self.elements.append((tag, dict(attrs), tuple(self.open)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert "svg" in self.open or tag in VOID
        self.elements.append((tag, dict(attrs), tuple(self.open)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append((data, tuple(self.open)))

    def text(self, *within):
        """All text inside of elements with these tags, without the style."""
        return " ".join(
            data
            for data, inside in self.texts
            if "style" not in inside and all(tag in inside for tag in within)
        )

    def attributes(self, tag):
        return [attributes for each, attributes, _ in self.elements if each == tag]


@pytest.fixture(scope="module")
def contests():
    return podium.simulate(players=14, rounds=12, seed=1)


@pytest.fixture(scope="module")
def two(contests) -> Evaluation:
    return podium.evaluate(contests, ["elo", "glicko"], resamples=20)


@pytest.fixture(scope="module")
def one(contests):
    return podium.evaluate(contests, "elo", resamples=20)


@pytest.fixture(scope="module")
def novices(contests):
    return podium.evaluate(contests, ["elo", "glicko"], min_contests=1000, resamples=20)


@pytest.fixture(scope="module")
def single(contests):
    return podium.evaluate(contests[:5], ["elo", "glicko"], skip=0.8, min_contests=1, resamples=20)


@pytest.fixture(scope="module")
def twelve(contests):
    names = [f"elo k={k}" for k in range(8, 30, 2)]
    return podium.evaluate(contests, ["elo", *names], resamples=20)


@pytest.fixture(scope="module")
def duels():
    matches = [
        {
            "time": f"2026-01-{day:02d}",
            "player_a": "abc"[day % 3],
            "player_b": "abc"[(day + 1) % 3],
            "outcome": (1.0, 0.5, 0.0, 1.0)[day % 4],
        }
        for day in range(1, 29)
    ]
    contests = podium.Contests.from_matches(pl.DataFrame(matches))
    return podium.evaluate(contests, ["elo", "glicko"], resamples=20)


@pytest.fixture(scope="module")
def empty(two):
    """Nothing but names."""
    frames = {
        name: getattr(two, name).clear()
        for name in ("reliability", "over_time", "over_experience", "ratings")
    }
    nothing = pl.lit(None, pl.Float64)
    return replace(
        two,
        table=two.table.with_columns(value=nothing, low=nothing, high=nothing),
        differences=two.differences.with_columns(difference=nothing, low=nothing, high=nothing),
        **frames,
    )


@pytest.fixture(scope="module")
def pages(request):
    """The page of the evaluation with this name."""

    @cache
    def of(name):
        return report(request.getfixturevalue(name), title="A trial", command="podium …")

    return of


@pytest.fixture(params=["two", "one", "novices", "single", "twelve", "duels", "empty"])
def page(request, pages):
    return pages(request.param)


def renamed(evaluation, names):
    """The same with other labels."""
    return replace(
        evaluation,
        **{
            frame: getattr(evaluation, frame).with_columns(pl.col("system").replace(names))
            for frame in (*FRAMES, "ratings")
        },
        settings={**evaluation.settings, "baseline": names[evaluation.settings["baseline"]]},
    )


def test_the_page_is_well_formed(page):
    found = Page(page)
    assert page.startswith("<!DOCTYPE html>")
    assert found.attributes("html") == [{"lang": "en"}]
    assert found.text("h1") == found.text("title") == "A trial"


def test_the_page_refers_to_nothing_outside(page):
    found = Page(page)
    tags = {tag for tag, _, _ in found.elements}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "base", "image"}
    assert "://" not in page
    assert "@import" not in page
    assert all(address.startswith("#") for address in re.findall(r"url\((.*?)\)", page))
    for _, attributes, _ in found.elements:
        assert "src" not in attributes
        assert attributes.get("href", "#").startswith("#")
        assert not any(name.startswith("on") for name in attributes)


def test_names_within_the_page_are_unique_and_lead_somewhere(page):
    elements = Page(page).elements
    names = [attributes["id"] for _, attributes, _ in elements if "id" in attributes]
    assert len(set(names)) == len(names)
    used = re.findall(r"url\(#(.*?)\)", page)
    used += [attributes["href"][1:] for _, attributes, _ in elements if "href" in attributes]
    assert used
    assert set(used) <= set(names)


def test_the_page_is_for_those_who_do_not_see_it_too(page):
    found = Page(page)
    assert found.attributes("table")
    assert len(found.attributes("caption")) == len(found.attributes("table"))
    assert all("scope" in attributes for attributes in found.attributes("th"))
    for attributes in found.attributes("svg"):
        described = attributes.get("role") == "img" and attributes.get("aria-label")
        assert described or attributes.get("aria-hidden") == "true"


def test_pictures_take_their_colours_and_fonts_from_the_page(page):
    style = page[page.index("<style>") : page.index("</style>")]
    defined = set(re.findall(r"(--[\w-]+):", style))
    drawn = page[page.index("</style>") :]
    assert set(re.findall(r"var\((--[\w-]+)", drawn)) <= defined
    assert {f"--series-{number}" for number, _ in enumerate(pictures.COLOURS, 1)} <= defined
    assert not re.findall(r"#[0-9a-f]{6}\b", re.sub(r"var\([^)]*\)|&#\w+;", "", drawn))
    assert "font-family" not in drawn
    assert drawn.count("<style") == 0


def test_the_same_evaluation_gives_the_same_page_whatever_was_drawn_before(two, pages):
    before = pages("two")
    pages("one")
    assert report(two, title="A trial", command="podium …") == before


HOSTILE = "<script>alert(1)</script> & \"quoted\" 'too' </title></style>"


def test_titles_labels_and_commands_are_text_whatever_they_contain(two):
    odd = renamed(two, {"elo": HOSTILE, "glicko": '<b id="x">$x^2_$</b> --> {top}'})
    page = report(odd, title=HOSTILE, command=HOSTILE)
    found = Page(page)
    assert not found.attributes("script")
    assert found.text("h1") == found.text("title") == found.text("code") == HOSTILE
    assert HOSTILE in found.text("caption")
    assert HOSTILE in found.text("tbody", "th")
    assert '<b id="x">$x^2_$</b>' in found.text("svg", "text")
    assert "x" not in [attributes.get("id") for _, attributes, _ in found.elements]


def test_what_no_page_can_hold_is_marked(two):
    page = report(renamed(two, {"elo": "elo\x1fk=3 \x00"}), title="a\x00b\ud800 日本")
    assert Page(page).text("h1") == "a\ufffdb\ufffd 日本"
    assert "\x1f" not in page
    page.encode()


@given(st.text(), st.text())
def test_text_comes_back_from_an_element_as_it_was(content, attribute):
    found = Page(element("code", content, title=attribute))
    unharmed = re.sub("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", "\ufffd", content)
    assert found.text("code").replace(" ", "") == unharmed.replace(" ", "")
    assert [tag for tag, _, _ in found.elements] == ["code"]


def test_every_measure_is_explained_and_shown(pages):
    assert list(EXPLAINED) == list(MEASURES)
    found = Page(pages("two"))
    assert found.text("dt").split() == list(MEASURES)
    assert set(found.text("thead", "th").split()) >= set(MEASURES)
    assert "Of the best 10 of a contest" in found.text("dd")


def test_measures_of_no_contest_are_left_out_with_a_note(pages):
    found = Page(pages("duels"))
    missing = [name for name, measure in MEASURES.items() if measure.kind == "top"]
    assert not set(missing) & set(found.text("th").split())
    assert f"Left out, because no contest is of the kind they need: {', '.join(missing)}." in (
        found.text("p")
    )


def test_it_says_what_was_measured(two, contests):
    text = Page(report(two, title="A trial", contests=contests)).text("p")
    first, last = (contests[number].time.date().isoformat() for number in (0, -1))
    assert f"12 contests with 168 participations of 14 players, from {first} to {last}" in text
    assert "The first 10 % of the contests are rated but not measured" in text
    assert "at least 5 contests before" in text
    assert "in 95 % of cases" in text
    assert "7 contests with 98 participations for the experienced" in text
    assert "11 contests with 154 participations for all" in text
    assert "So few contests say little" in text


def told_of(evaluation):
    """What sentences and tables of values are made of."""
    return estimates(evaluation.table), evaluation.systems["system"].to_list()


def cells(evaluation, label):
    """The rows of a system in the table of measures of order, among experienced and all."""
    order = [measure for measure in MEASURES.values() if measure.kind == "order"]
    table = value_table(*told_of(evaluation), "Order", ["experienced", "all"], order)
    rows = [row for row in table.split("<tr") if f'<th scope="row">{label}</th>' in row]
    assert len(rows) == 2
    return rows


def with_values(evaluation, name, **values):
    """The same evaluation with these values of a measure."""
    value = pl.col("system").replace_strict(values, return_dtype=pl.Float64)
    chosen = pl.when(pl.col("measure") == name).then(value).otherwise(pl.col("value"))
    return replace(evaluation, table=evaluation.table.with_columns(value=chosen))


@pytest.mark.parametrize(
    ("name", "elo", "glicko"),
    [
        ("pair-inversion", 0.4, 0.5),
        ("rank-deviation", 0.5, 0.4),
        ("kendall", None, 0.5),
        ("kendall", math.nan, -0.5),
    ],
)
def test_the_best_value_is_marked_by_more_than_colour(two, name, elo, glicko):
    changed = with_values(two, name, elo=elo, glicko=glicko)
    shown = figure(glicko, MEASURES[name])
    for row in cells(changed, "glicko"):
        assert re.search(rf'★ </span><span class="unseen">best: </span>{shown}<', row)
    if elo is not None and not math.isnan(elo):
        for row in cells(changed, "elo"):
            assert f'"value">{figure(elo, MEASURES[name])}<' in row


def test_equal_values_are_both_the_best(two):
    equal = with_values(two, "pair-inversion", elo=0.7, glicko=0.7)
    for label in ("elo", "glicko"):
        assert all("</span>70.00<" in row for row in cells(equal, label))
    assert "<b>elo</b> and <b>glicko</b> called most pairs right (70.00 %)" in lead(*told_of(equal))


def test_one_system_is_not_the_best_of_anything(pages):
    page = pages("one")
    assert "★" not in page
    assert "Differences" not in page
    assert "called most" not in page


@pytest.mark.parametrize(
    ("name", "value", "significant", "says"),
    [
        ("accuracy", 0.015, True, "better"),
        ("accuracy", -0.015, True, "worse"),
        ("log-loss", 0.015, True, "worse"),
        ("log-loss", -0.015, True, "better"),
        ("accuracy", 0.015, False, "no telling"),
        ("accuracy", 0.015, None, "no telling"),
        ("accuracy", math.nan, None, "no telling"),
    ],
)
def test_a_system_is_better_only_if_that_is_significant(name, value, significant, says):
    estimate = Estimate.of(value, 0.01, 0.02, significant=significant)
    assert verdict(estimate, MEASURES[name]) == says


def test_the_page_says_what_significant_means(two):
    told = Page(report(two, title="")).text("p")
    assert f"corrected for {two.comparisons} comparisons (Holm)" in told
    assert "significant at 5 %" in told


def test_against_the_best_every_system_has_a_row_and_the_best_says_so(contests):
    systems = ["elo", "glicko", "weng-lin"]
    found = podium.evaluate(contests, systems, baseline="best", resamples=5)
    page = report(found, title="")
    assert "Differences from the best by each measure" in page
    assert ", of all pairs (Holm)" in page
    measure = MEASURES["log-loss"]
    table = difference_table(found, "Differences", ["all"], [measure])
    rows = [row.split("</tr>")[0] for row in table.split('<th scope="row">')[1:]]
    values = found.table.filter(players="all", measure="log-loss")["value"]
    assert [("best" in row and "interval" not in row) for row in rows] == (
        values == values.min()
    ).to_list()


def test_one_contest_tells_nothing_of_differences(pages):
    found = Page(pages("single"))
    told = found.text("section", "td")
    assert "no telling" in told
    assert "better" not in told
    assert "worse" not in told


def test_without_experienced_players_it_says_so(pages):
    found = Page(pages("novices"))
    text = found.text("p")
    assert "No contest has two experienced players; for all players, there are" in text
    assert "No contest has two experienced players, so there is nothing to show." in text
    assert "There are no players with at least 1,001 contests." in text
    assert "Among all players, " in text
    assert "experienced players" not in found.text("tbody", "th")


def test_without_any_value_it_says_so(pages):
    text = Page(pages("empty")).text("p")
    assert "Nothing could be measured." in text
    assert "No pair was measured." in text


def test_a_measure_says_which_values_are_good(pages):
    heads = Page(pages("two")).text("thead", "th")
    for name, unit in (
        ("pair-inversion", "%, higher is better"),
        ("rank-deviation", "%, lower is better"),
        ("kendall", "higher is better"),
        ("brier", "lower is better"),
    ):
        assert f"{name} {unit}" in heads


def with_difference(evaluation, name, *numbers):
    """The same evaluation with this difference in a measure, its interval, and what it says."""
    columns = {
        column: pl.when(pl.col("measure") == name).then(number).otherwise(pl.col(column))
        for column, number in zip(
            ("difference", "low", "high", "significant"), numbers, strict=True
        )
    }
    return replace(evaluation, differences=evaluation.differences.with_columns(**columns))


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        ((0.015, 0.01, 0.02, True), "▲ better +1.50 +1.00 to +2.00"),
        ((-0.015, -0.02, -0.01, True), "▼ worse −1.50 −2.00 to −1.00"),
        ((0.005, -0.01, 0.02, False), "≈ no telling +0.50 −1.00 to +2.00"),
    ],
)
def test_a_difference_stands_between_the_ends_of_its_interval(two, numbers, says):
    changed = with_difference(two, "accuracy", *numbers)
    table = difference_table(changed, "Differences", ["all"], [MEASURES["accuracy"]])
    assert " ".join(Page(table).text("td").split()) == says


def test_a_value_stands_between_the_ends_of_its_interval(one):
    row = one.table.filter(players="all", measure="accuracy").row(0, named=True)
    table = value_table(*told_of(one), "Values", ["all"], [MEASURES["accuracy"]])
    value, low, high = (f"{100.0 * row[key]:.2f}" for key in ("value", "low", "high"))
    assert " ".join(Page(table).text("td").split()) == f"{value} {low} to {high}"


def test_settings_are_told_in_words(two):
    def told(**settings):
        return Page(report(replace(two, settings={**two.settings, **settings}), title="")).text("p")

    assert "Every participation counts the same, so that large contests count more." in told()
    assert "Every contest counts the same, whatever its size." in told(weighting="contest")
    assert "are rated but not measured" not in told(skip=0.0)
    assert "in 80 % of cases" in told(confidence=0.8)
    assert "drawing contests anew, with replacement, 20 times." in told()


def test_an_interrupted_run_is_told_of(two):
    interrupted = "The run was interrupted: systems that were not done by then are missing."
    assert interrupted not in Page(report(two, title="")).text("p")
    assert interrupted in Page(report(replace(two, interrupted=True), title="")).text("p")


def test_the_outcome_is_told_first(two, one):
    changed = with_values(two, "log-loss", elo=0.5, glicko=0.6)
    changed = with_values(changed, "pair-inversion", elo=0.6, glicko=0.7)
    told = " ".join(Page(lead(*told_of(changed))).text().split())
    assert told == (
        "Among experienced players, glicko called most pairs right (70.00 %), and elo has the "
        "lowest log-loss (0.5000)."
    )
    alone = with_values(with_values(one, "log-loss", elo=0.5), "pair-inversion", elo=0.6)
    told = " ".join(Page(lead(*told_of(alone))).text().split())
    assert told == (
        "Among experienced players, elo called 60.00 % of pairs right, and has a log-loss of "
        "0.5000."
    )


def test_ratings_at_the_end_are_of_players_with_a_contest_more(pages, two):
    players = two.ratings.filter(system="elo").height
    text = Page(pages("two")).text("figcaption")
    assert f"Ratings of {players} players with at least 6 contests, after all contests;" in text


@pytest.fixture
def drawn(monkeypatch):
    """Let pictures be figures."""
    monkeypatch.setattr(drawings, "written", lambda figure, *_: figure)


def line_values(axes):
    return [line.get_ydata().tolist() for line in axes.get_lines()]


@pytest.mark.usefixtures("drawn")
@pytest.mark.parametrize("name", ["over_time", "over_experience"])
def test_curves_are_the_pairs_called_right_and_their_distance_from_the_first(two, name):
    upper, lower = getattr(drawings, name)(two, "").axes
    found = getattr(two, name)
    wanted = [
        100.0 * found.filter(system=label)["pair-inversion"].to_numpy()
        for label in ("elo", "glicko")
    ]
    assert line_values(upper) == [each.tolist() for each in wanted]
    assert line_values(lower) == [(each - wanted[0]).tolist() for each in wanted]


@pytest.mark.usefixtures("drawn")
def test_the_dashed_line_is_the_median_of_the_ratings(two):
    for axes, label in zip(drawings.ratings(two, "").axes, ("elo", "glicko"), strict=True):
        rating = two.ratings.filter(system=label)["rating"]
        [line] = axes.get_lines()
        assert list(line.get_xdata()) == [rating.median()] * 2


@pytest.mark.usefixtures("drawn")
def test_reliability_is_of_the_experienced_with_all_behind_and_without_the_rare(two):
    bins = two.reliability.with_row_index().with_columns(
        share=pl.when(pl.col("index") % 5 == 0).then(0.0009).otherwise(pl.col("share"))
    )
    figure = drawings.reliability(replace(two, reliability=bins.drop("index")), "")
    for axes, label in zip(figure.axes, ("elo", "glicko"), strict=True):
        shown = bins.filter(pl.col("system") == label, pl.col("share") >= 0.001)
        everybody, experienced, calibrated = (
            shown.filter(players=players, calibrated=sure)["scored"].to_list()
            for players, sure in (("all", False), ("experienced", False), ("experienced", True))
        )
        assert line_values(axes) == [[0.5, 1.0], everybody, experienced, calibrated]


def test_unknown_values_are_dashes(two):
    for unknown in (None, math.nan, math.inf):
        changed = with_values(two, "spearman", elo=unknown, glicko=0.5)
        assert all('<span title="not measured">–</span>' in row for row in cells(changed, "elo"))


def test_parameters_and_time_of_every_system_are_there(twelve):
    found = Page(system_table(twelve, "The systems"))
    assert "k=32" in found.text("td", "span")
    assert found.text("td", "b").split() == [f"k={k}" for k in range(8, 30, 2)]
    assert f"{twelve.systems['cpu_seconds'][3]:.3g} s" in found.text("td")


def test_the_time_of_a_system_is_in_terms_of_the_first(two):
    timed = two.systems.with_columns(cpu_seconds=pl.Series([2.0, 5.0]))
    found = Page(system_table(replace(two, systems=timed), "The systems")).text("td")
    assert "2 s" in found
    assert "1.00 ×" in found
    assert "5 s" in found
    assert "2.50 ×" in found
    untimed = two.systems.with_columns(cpu_seconds=pl.Series([0.0, 5.0]))
    assert "×" not in system_table(replace(two, systems=untimed), "The systems")


def test_lines_of_twenty_systems_look_different():
    assert len({look(number) for number in range(20)}) == 20


def test_figures_have_no_negative_zero():
    assert figure(-1e-9, MEASURES["accuracy"], signed=True) == "+0.00"


def test_experience_is_in_groups():
    assert [experience(first) for first in (2, 5, 50)] == ["2", "5–9", "50–99"]


def test_the_file_holds_the_page(tmp_path, two, contests):
    path = tmp_path / "new" / "report.html"
    write_report(two, path, title="Ein <Versuch>", contests=contests, command="podium evaluate")
    page = report(two, title="Ein <Versuch>", contests=contests, command="podium evaluate")
    assert path.read_bytes() == page.encode()
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_cannot_be_written_gets_a_sentence(tmp_path, two):
    with pytest.raises(PodiumError, match="cannot be written"):
        write_report(two, tmp_path, title="A trial")
    assert list(tmp_path.iterdir()) == []
