import inspect
from dataclasses import dataclass
from typing import Annotated, ClassVar

import pytest
import typer

from podium.cli.groups import Group, Without, argument, grouped, option


@dataclass(frozen=True, slots=True)
class Page(Group):
    panel: ClassVar[str] = "Which page"

    top: Annotated[int, option("N", "How many.", "--top", "-n", min=0)] = 10
    skip: Annotated[int, option("N", "After how many.")] = 0
    names: Annotated[list[str] | None, option("NAME", "Who.", "--name", panel="Who")] = None


@dataclass(frozen=True, slots=True)
class SortedPage(Page):
    top: Annotated[int, option("N", "How many of the best.")] = 5
    reverse: Annotated[bool, typer.Option("--reverse")] = False


def application(command):
    """What Typer makes of it, and a function that runs it with arguments."""
    app = typer.Typer(add_completion=False)
    app.command()(grouped(command))
    made = typer.main.get_command(app)
    return made, lambda *arguments: made.main(list(arguments), standalone_mode=False)


def test_a_command_gets_the_group_as_one_value():
    seen = []

    def command(source: str, *, page: Page, json: Annotated[bool, typer.Option("--json")] = False):
        seen.append((source, page, json))

    _, run = application(command)
    run("ratings")
    run("ratings", "-n", "3", "--name", "ann", "--name", "bob", "--json")
    assert seen == [
        ("ratings", Page(), False),
        ("ratings", Page(3, 0, ["ann", "bob"]), True),
    ]


def test_options_stand_where_the_group_stands_with_its_words_and_under_its_heading():
    def command(
        source: Annotated[str, argument("SOURCE", "Where from.")],
        *,
        first: Annotated[int, option("N", "The first.")] = 1,
        page: Page,
        last: Annotated[int, option("N", "The last.")] = 2,
    ):
        pass

    made, _ = application(command)
    options = {each.name: each for each in made.params}
    assert list(options) == ["source", "first", "top", "skip", "names", "last"]
    assert options["top"].opts == ["--top", "-n"]
    assert (options["top"].metavar, options["top"].help) == ("N", "How many.")
    panels = {name: getattr(each, "rich_help_panel", None) for name, each in options.items()}
    assert panels["top"] == panels["skip"] == "Which page"
    assert panels["names"] == "Who"  # which says so itself
    assert panels["first"] is panels["last"] is None


def test_an_option_keeps_its_limits_within_a_group():
    def command(*, page: Page):
        pass

    _, run = application(command)
    with pytest.raises(Exception, match="greater than or equal to 0"):
        run("--top", "-1")


def test_a_group_can_build_on_another_and_say_it_otherwise():
    def command(*, page: SortedPage):
        seen.append(page)

    seen = []
    made, run = application(command)
    run("--reverse")
    assert (seen[0].top, seen[0].reverse) == (5, True)
    assert [each.name for each in made.params] == ["top", "skip", "names", "reverse"]
    assert made.params[0].help == "How many of the best."


def test_an_option_that_is_left_out_is_not_known_and_has_its_default():
    def command(*, page: Annotated[Page, Without("skip", "names")]):
        seen.append(page)

    seen = []
    made, run = application(command)
    assert [each.name for each in made.params] == ["top"]
    run("--top", "4")
    assert seen == [Page(top=4)]
    with pytest.raises(Exception, match="--skip"):
        run("--skip", "1")


def test_two_groups_with_the_same_option_are_refused():
    def command(*, page: Page, other: SortedPage):
        pass

    with pytest.raises(ValueError, match="duplicate parameter name"):
        grouped(command)


def test_a_command_stays_what_it_is_called_and_what_it_says():
    def command(*, page: Page):
        """Show a page."""

    made = grouped(command)
    assert (made.__name__, made.__doc__) == ("command", "Show a page.")
    assert list(inspect.signature(made).parameters) == ["top", "skip", "names"]


def test_groups_do_not_share_what_typer_writes_into_an_option():
    class Elsewhere(Page):
        panel: ClassVar[str] = "Elsewhere"

    def one(*, page: Page):
        pass

    def other(*, page: Elsewhere):
        pass

    panels = [application(each)[0].params[0].rich_help_panel for each in (one, other, one)]
    assert panels == ["Which page", "Elsewhere", "Which page"]
