"""The report of hidden results: what was believed of them before, between and by looking back."""

from podium.evaluation.hidden import HiddenEvaluation
from podium.evaluation.report import page, pictures, sections, tables
from podium.evaluation.report.sections import EXPLAINED, Section
from podium.markup import element, joined
from podium.results.contests import Contests
from podium.wording import counted


def hidden_report(
    found: HiddenEvaluation,
    *,
    title: str,
    contests: Contests | None = None,
    command: str | None = None,
) -> str:
    """How well hidden results were predicted, as a page of HTML that needs nothing else.

    Args:
        found: What `podium.evaluation.hidden.evaluate_hidden` found.
        title: What stands above it.
        contests: What was evaluated, to say how much that is and when it was.
        command: What made it, for a reader who wants to do that again.

    Example:
        >>> import podium
        >>> from podium.evaluation.hidden import evaluate_hidden
        >>> season = podium.simulate(players=40, rounds=20, seed=1)
        >>> found = evaluate_hidden(season, "elo-mmr", share=0.1, resamples=100)
        >>> "elo-mmr, between" in hidden_report(found, title="A season", contests=season)
        True
    """
    values = tables.estimates(found.table.rename({"belief": "system"}))
    labels = found.table["belief"].unique(maintain_order=True).to_list()
    parameters = found.document()["parameters"]
    settings = {
        **found.settings,
        **{f"{name} of looking back": parameters[name] for name in parameters},
    }
    parts = [
        _what(found, contests),
        _measures(values, labels),
        sections.how(settings, command),
    ]
    return page.written(title, sections.lead(values, labels), parts)


def _what(found: HiddenEvaluation, contests: Contests | None) -> Section:
    of = "" if contests is None else f", of {sections.extent(contests)}"
    story = (
        f"{counted(found.hidden, 'result')} in {counted(found.contests, 'contest')} were hidden"
        f"{of}: it was known who took part, not how it ended. Each is scored against the others "
        f"of its contest, by what was believed before it, as ratings have it; between, on the "
        f"straight line from the rating after the contest before to that after the next one; and "
        f"by looking back, from all results that were not hidden, earlier and later."
    )
    who = (
        f"Experienced is who had {counted(found.settings['min_contests'], 'contest')} or more "
        f"before. Intervals hold the value in {sections.percent(found.settings['confidence'])} of "
        f"cases with as many other contests of this kind."
    )
    return Section("what", "What was measured", [element("p", story), element("p", who)])


def _measures(values: tables.Estimates, labels: list[str]) -> Section:
    groups, measures = tables.measured(values)
    explained = (
        joined(element("dt", each.name), element("dd", EXPLAINED[each.name])) for each in measures
    )
    content = [element("dl", *explained)]
    for players in groups:
        caption = f"Hidden results of {tables.GROUPS[players]}, with intervals."
        drawn = pictures.intervals(values, players, measures, labels, caption)
        content.append(sections.in_figure(drawn, caption))
    caption = "Hidden results by belief. ★ marks the best."
    content.append(tables.value_table(values, labels, caption, groups, measures, "belief"))
    return Section("measures", "All measures", content)
