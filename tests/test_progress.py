import io
import sys
import types
from contextlib import redirect_stderr

import pytest

import podium
from podium import InputError, progress
from podium.progress import progress_bar, reporting


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown_on(stderr, show):
    """What is written to it while a bar is shown."""
    with redirect_stderr(stderr):
        show()
    return stderr.getvalue()


def two_thirds():
    with progress_bar("Rating") as report:
        report(0, 0)
        report(2, 3)


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(progress, "_PAUSE", 0.0)


@pytest.fixture
def notebook(monkeypatch):
    """What a cell of a notebook displays, one page after the other in the same place."""
    pages = []

    class Place:
        def update(self, page):
            pages.append(page)

    def display(page, *, display_id):
        assert display_id
        pages.append(page)
        return Place()

    shell = types.SimpleNamespace(kernel=object())
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: shell
    shown = types.ModuleType("IPython.display")
    shown.HTML, shown.display = str, display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", shown)
    return pages


@pytest.mark.parametrize("watched", [True, False])
def test_a_function_is_told_and_nothing_is_shown(watched):
    told = []

    def work():
        with reporting((lambda *step: told.append(step)) if watched else None, "Rating") as report:
            report(1, 2)
            report(2, 2)

    assert shown_on(Terminal(), work) == ""
    assert told == ([(1, 2), (2, 2)] if watched else [])


def test_nobody_has_to_watch():
    def work():
        podium.rate(SEASON, progress=False)

    assert shown_on(Terminal(), work) == ""


def test_what_cannot_be_told_is_refused():
    with pytest.raises(InputError, match=r"^progress must be True for a bar, or .*'yes'"):
        podium.rate(podium.simulate(players=3, rounds=2), progress="yes")


def test_a_notebook_shows_a_bar_that_goes_away(notebook):
    with progress_bar("Rating <all>") as report:
        report(1, 4)
        report(4, 4)
    first, last, after = notebook
    assert "Rating &lt;all&gt;" in first
    assert '<progress value="1" max="4"></progress> 25%' in first
    assert '<progress value="4" max="4"></progress> 100%' in last
    assert after == ""


def test_a_bar_goes_away_if_the_work_fails(notebook):
    def fail():
        with progress_bar("Rating") as report:
            report(1, 4)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert notebook[-1] == ""


def test_short_work_shows_nothing(notebook, monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE", 3600.0)
    with progress_bar("Rating") as report:
        report(1, 4)
    assert notebook == []


def test_a_shell_of_ipython_in_a_terminal_is_no_notebook(notebook):
    sys.modules["IPython"].get_ipython = lambda: types.SimpleNamespace()
    assert shown_on(io.StringIO(), two_thirds) == ""
    assert notebook == []


def test_without_rich_a_terminal_shows_words(monkeypatch):
    monkeypatch.setattr(progress, "is_installed", lambda _: False)
    shown = shown_on(Terminal(), two_thirds)
    assert shown == "\rRating 0%\rRating 67%\r          \r"


def test_with_rich_a_terminal_shows_a_bar(monkeypatch):
    class Now:
        def __init__(self, _, start):
            self.start = start

        def cancel(self):
            pass

        join = cancel

    monkeypatch.setattr(progress.threading, "Timer", Now)
    monkeypatch.setenv("TERM", "xterm")
    shown = shown_on(Terminal(), two_thirds)
    assert "Rating" in shown
    assert "67%" in shown


def test_where_nobody_looks_nothing_is_shown():
    assert shown_on(io.StringIO(), two_thirds) == ""


SEASON = podium.simulate(players=6, rounds=4, seed=1)
MATCHES = podium.simulate_matches(players=4, matches=20, seed=1)
QUICK = {"honest_first": 1, "farming": 1, "honest_last": 1}


def a_league(folder):
    return podium.League.create(folder / "league.db")


def changed(folder):
    with a_league(folder) as league:
        league.record(SEASON, progress=True)


def verified(folder):
    with a_league(folder) as league:
        league.record(SEASON)
        league.verify(progress=True)


def restored(folder):
    with a_league(folder) as league:
        league.record(SEASON)
        league.export(folder / "exported")
    podium.League.restore(folder / "exported", folder / "other.db", progress=True).close()


def tuned(_):
    podium.tune(SEASON, "elo", budget=1, jobs=1, split=0.9, min_contests=0, progress=True)


def farmed(_):
    from podium.evaluation.attacks import farming

    attack = farming(SEASON, "elo", "player-0001", **QUICK, progress=True)
    attack.transferred("topcoder", progress=True)


def matched(_):
    from podium.evaluation.attacks import matchmaking

    matchmaking("elo", **QUICK, matches=2, matches_last=2, runs=2, progress=True)


def searched(_):
    from podium.evaluation.attacks import search

    search("topcoder", histories=3, progress=True)


@pytest.mark.parametrize(
    ("work", "what"),
    [
        (lambda _: podium.rate(SEASON, progress=True), "Rating"),
        (
            lambda _: podium.explain_result(SEASON, "round-04", "player-0001", progress=True),
            "Rating",
        ),
        (
            lambda _: podium.belief_history(MATCHES, "player-0001", points=241, progress=True),
            "Rating",
        ),
        (lambda _: podium.evaluate(SEASON, "elo", resamples=2, progress=True), "Evaluating"),
        (tuned, "Tuning elo"),
        (changed, "Rating"),
        (verified, "Verifying"),
        (restored, "Restoring"),
        (farmed, "Attacking elo"),
        (matched, "Attacking elo"),
        (searched, "Attacking topcoder"),
    ],
)
def test_true_is_a_bar_wherever_progress_is_told(notebook, tmp_path, work, what):
    work(tmp_path)
    assert notebook[0].startswith(f"<div>{what} <progress ")
    assert " 100%" in notebook[-2]
    assert notebook[-1] == ""


def test_true_is_a_bar_for_ladders(notebook):
    frame = SEASON.frame()
    frame = frame.with_columns(ladder=frame["contest"])
    podium.rate_ladders(podium.Contests.from_frame(frame), progress=True)
    assert len(notebook) == 5
    assert " 100%" in notebook[-2]
