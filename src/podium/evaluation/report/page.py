"""A report as one page, and the file that holds it."""

import os
from importlib import resources

from podium.evaluation.comparison import Evaluation
from podium.evaluation.report import sections
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
    links = (element("li", element("a", part.heading, href=f"#{part.name}")) for part in parts)
    header = element(
        "header",
        element("h1", title),
        element("p", sections.lead(evaluation), class_="lead"),
        element("nav", element("ul", *links), aria_label="Contents"),
    )
    main = element("main", *(_written(part) for part in parts))
    return page(title, style(), header, main)


def style() -> str:
    """How reports look."""
    return resources.files("podium.evaluation.report").joinpath("style.css").read_text("utf-8")


def _written(part: sections.Section) -> Markup:
    return element(
        "section",
        element("h2", part.heading),
        *part.content,
        id=part.name,
        class_="new-page" if part.on_new_page else "follows",
    )
