"""A report as one page, and the file that holds it."""

import os
from collections.abc import Sequence
from importlib import resources

from podium.evaluation.comparison import Evaluation
from podium.evaluation.report import sections, tables
from podium.files import replacing
from podium.markup import Markup, element, page
from podium.results.contests import Contests


def write_report(
    evaluation: Evaluation,
    path: str | os.PathLike[str],
    *,
    title: str,
    contests: Contests | None = None,
    command: str | None = None,
) -> None:
    """Write the report of an evaluation to a file; arguments as for `report`."""
    text = report(evaluation, title=title, contests=contests, command=command)
    with replacing(path) as temporary:
        temporary.write_bytes(text.encode())


def report(
    evaluation: Evaluation,
    *,
    title: str,
    contests: Contests | None = None,
    command: str | None = None,
) -> str:
    """An evaluation as a page of HTML that needs nothing else; the same arguments, the same page.

    Args:
        evaluation: What was found.
        title: What stands above it.
        contests: What was evaluated, to say how much that is and when it was.
        command: What made it, for a reader who wants to do that again.
    """
    parts = sections.all_of(evaluation, contests, command)
    values = tables.estimates(evaluation.table)
    return written(title, sections.lead(values, evaluation.systems["system"].to_list()), parts)


def written(title: str, lead: Markup, parts: Sequence[sections.Section]) -> str:
    """A page of sections, with what is found in a sentence above them."""
    links = (element("li", element("a", part.heading, href=f"#{part.name}")) for part in parts)
    header = element(
        "header",
        element("h1", title),
        element("p", lead, class_="lead"),
        element("nav", element("ul", *links), aria_label="Contents"),
    )
    main = element("main", *map(_section, parts))
    return page(title, style(), header, main)


def style() -> str:
    """How reports look."""
    return resources.files("podium.evaluation.report").joinpath("style.css").read_text("utf-8")


def _section(part: sections.Section) -> Markup:
    return element(
        "section",
        element("h2", part.heading),
        *part.content,
        id=part.name,
        class_="new-page" if part.on_new_page else "follows",
    )
