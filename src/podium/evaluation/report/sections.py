"""What a report says, section by section."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

import podium
from podium.evaluation.comparison import ALL, BEST, EXPERIENCED, Evaluation
from podium.evaluation.measures import MEASURES, Measure
from podium.evaluation.report import pictures, tables
from podium.markup import Markup, element, joined
from podium.results.contests import Contests
from podium.wording import counted

EXPLAINED = {
    "pair-inversion": "Of all pairs in a contest, the share that ratings called right: the higher "
    "rated came out ahead, or the two tied. The name is the Elo-MMR paper's.",
    "rank-deviation": "How many places players ended from where their ratings put them, as a share "
    "of all places.",
    "spearman": "How well the order by ratings agrees with the standings: 1 if they are the same, "
    "0 if they have nothing to do with each other, −1 if one is the other reversed.",
    "kendall": "The same, from counting pairs in the right and in the wrong order (tau-b).",
    "accuracy": "The share of pairs in which the favourite won; draws are half right.",
    "log-loss": "The surprise at the results of pairs, in nats: next to nothing if what happened "
    "was thought likely, a lot if a system was sure and wrong. Who always expects one half has "
    "0.6931.",
    "brier": "The square by which expected scores of pairs were off, on average. Who always "
    "expects one half has 0.25 where there are no draws.",
    "calibration-error": "How far what favourites scored is from what they were expected to score, "
    "on average over groups of pairs with like expectations. Chance alone makes it more than 0, "
    "and more so when contests are drawn anew.",
    "calibrated-log-loss": "As log-loss, after the differences between ratings are multiplied by "
    "one number, the temperature, which is learned from the same players in earlier contests. So "
    "systems "
    "whose scale does not fit these contests are compared by what they know.",
    "calibrated-brier": "As brier, with the same expectations.",
    "calibrated-calibration-error": "As calibration-error, with the same expectations.",
    "top-hits": "Of the best {top} of a contest, the share that had been among the {top} highest "
    "rated. Only contests of more than {top} count.",
    "top-pair-inversion": "As pair-inversion, among the {top} highest rated.",
    "top-rank-deviation": "As rank-deviation, among the {top} highest rated.",
}
"""What each measure is, in a line."""

_KINDS = {
    "order": "The order of standings",
    "pairs": "Results of pairs",
    "calibrated": "Results of pairs, calibrated",
    "top": "The top {top}",
}
_HEADLINES = (
    ("pair-inversion", "called {} % of pairs right", "called most pairs right ({} %)"),
    ("log-loss", "has a log-loss of {}", "has the lowest log-loss ({})"),
)
"""Measures of the first sentence: what it says of one system, and of the best of several."""
_FEW = 30
"""Of fewer contests, a reader is warned."""


class Section(NamedTuple):
    """A part of the page with a heading of its own."""

    name: str
    heading: str
    content: Sequence[Markup]
    on_new_page: bool = False


def all_of(evaluation: Evaluation, contests: Contests | None, command: str | None) -> list[Section]:
    """The sections of a report, in order."""
    return [
        _what_was_measured(evaluation, contests),
        _measures(evaluation),
        *([_differences(evaluation)] if evaluation.systems.height > 1 else []),
        _reliability(evaluation),
        _over_time(evaluation),
        _over_experience(evaluation),
        _ratings(evaluation),
        _systems(evaluation),
        how(evaluation.settings, command),
    ]


def lead(values: tables.Estimates, labels: Sequence[str]) -> Markup:
    """The outcome in a sentence."""
    groups, _ = tables.measured(values)
    told: list[str] = []
    before: list[str] = []
    for name, of_one, of_best in _HEADLINES if groups else ():
        measure = MEASURES[name]
        leading = tables.best(values, groups[0], measure, labels)
        if leading:
            shown = tables.figure(values[groups[0], name, leading[0]].value, measure)
            names = _separated([element("b", label) for label in leading], " and ")
            told += [", and "] if told else [f"Among {tables.GROUPS[groups[0]]}, "]
            told += [*names, " "] if leading != before else []
            told.append((of_best if len(labels) > 1 else of_one).format(shown))
            before = leading
    return joined(*told, ".") if told else joined("Nothing could be measured.")


def _what_was_measured(evaluation: Evaluation, contests: Contests | None) -> Section:
    several = evaluation.systems.height > 1
    systems = f"{evaluation.systems.height} rating systems" if several else "A rating system"
    rated = "contests" if contests is None else extent(contests)
    story = (
        f"{systems} rated {rated}, one contest after the other. Before each of them, "
        f"{'every system' if several else 'it'} predicted from the earlier ones how it would end. "
        f"Here is how right that was."
    )
    skip = evaluation.settings["skip"]
    if skip > 0.0:
        story += (
            f" The first {percent(skip)} of the contests are rated but not measured, because "
            f"little is known by then."
        )
    if evaluation.interrupted:
        story += " The run was interrupted: systems that were not done by then are missing."
    return Section(
        "what",
        "What was measured",
        [element("p", story), element("p", _who(evaluation)), element("p", _weights(evaluation))],
    )


def extent(contests: Contests) -> str:
    """How many contests there are, and when they were."""
    players = len(np.unique(contests.columns.player))
    many = (
        f"{counted(len(contests), 'contest')} with {counted(contests.rows, 'participation')} of "
        f"{counted(players, 'player')}"
    )
    if not len(contests):
        return many
    first, last = (contests[number].time.date().isoformat() for number in (0, -1))
    return f"{many}, {f'of {first}' if first == last else f'from {first} to {last}'}"


def _who(evaluation: Evaluation) -> str:
    """Whose results are measured."""
    least = evaluation.settings["min_contests"]
    counts = {row[0]: row[1:] for row in evaluation.counted.iter_rows()}
    of_all, of_experienced = (
        f"{counted(contests, 'contest')} with {counted(participations, 'participation')}"
        for contests, participations in (counts[ALL], counts[EXPERIENCED])
    )
    story = (
        f"That is done twice: for experienced players among themselves, who have had at least "
        f"{counted(least, 'contest')} before, and for all players, new ones too. "
    )
    if counts[EXPERIENCED][0]:
        story += f"This leaves {of_experienced} for the experienced, and {of_all} for all."
    else:
        story += f"No contest has two experienced players; for all players, there are {of_all}."
    if 1 in (counts[ALL][0], counts[EXPERIENCED][0]):
        story += " One contest has no interval."
    if 1 < counts[ALL][0] < _FEW:
        story += " So few contests say little, and the intervals may be too narrow."
    return story


def _weights(evaluation: Evaluation) -> str:
    """What counts how much, and what intervals are."""
    settings = evaluation.settings
    weight = (
        "Every participation counts the same, so that large contests count more."
        if settings["weighting"] == "participation"
        else "Every contest counts the same, whatever its size."
    )
    return (
        f"{weight} Beside each figure stands, smaller, the interval in which it would lie "
        f"in {percent(settings['confidence'])} of cases with as many other contests of this "
        f"kind. It comes from drawing contests anew, with replacement, "
        f"{counted(settings['resamples'], 'time')}."
    )


def _measures(evaluation: Evaluation) -> Section:
    labels, values = _labels(evaluation), tables.estimates(evaluation.table)
    groups, measures = tables.measured(values)
    content = []
    marked = ". ★ marks the best." if evaluation.systems.height > 1 else ""
    for heading, of_kind in _by_kind(evaluation, measures):
        content += [
            element("h3", heading),
            element("dl", *(_explanation(evaluation, measure) for measure in of_kind)),
            tables.value_table(values, labels, f"{heading}{marked}", groups, of_kind),
        ]
    missing = [name for name in MEASURES if MEASURES[name] not in measures]
    if missing:
        content.append(
            element(
                "p", f"Left out, because no contest is of the kind they need: {', '.join(missing)}."
            )
        )
    return Section("measures", "All measures", content)


def _explanation(evaluation: Evaluation, measure: Measure) -> Markup:
    meaning = EXPLAINED[measure.name].format(top=evaluation.settings["top"])
    return joined(element("dt", measure.name), element("dd", meaning))


def _by_kind(
    evaluation: Evaluation, measures: Sequence[Measure]
) -> Iterator[tuple[str, list[Measure]]]:
    for kind, heading in _KINDS.items():
        if of_kind := [measure for measure in measures if measure.kind == kind]:
            yield heading.format(top=evaluation.settings["top"]), of_kind


def _differences(evaluation: Evaluation) -> Section:
    groups, measures = tables.measured(tables.estimates(evaluation.table))
    against = baseline(evaluation)
    content = [
        element(
            "p",
            f"How far the other systems are from {against}. All saw the same contests, so that "
            f"differences are surer than the values themselves. {significance(evaluation)}",
        )
    ]
    if groups:
        content += [
            element("p", f"Among {tables.GROUPS[groups[0]]}:"),
            element(
                "ul",
                *(
                    _outcome(evaluation, groups[0], measures, label)
                    for label in tables.compared(evaluation)
                ),
            ),
        ]
    for heading, of_kind in _by_kind(evaluation, measures):
        caption = f"{heading}: differences from {against}"
        content.append(tables.difference_table(evaluation, caption, groups, of_kind))
    return Section("differences", f"Differences from {against}", content, on_new_page=True)


def baseline(evaluation: Evaluation) -> str:
    """What the systems are compared with, in words."""
    named: str = evaluation.settings["baseline"]
    return "the best by each measure" if named == BEST else named


def significance(evaluation: Evaluation) -> str:
    """What better and worse mean, in a sentence."""
    level = percent(round(1.0 - evaluation.settings["confidence"], 9))
    pairs = ", of all pairs" if evaluation.settings["baseline"] == BEST else ""
    return (
        f"Better and worse are significant at {level} in paired t-tests over contests, corrected "
        f"for {counted(evaluation.comparisons, 'comparison')}{pairs} (Holm); otherwise (≈) "
        f"there is no telling. Intervals are not corrected."
    )


def _outcome(
    evaluation: Evaluation, players: str, measures: Sequence[Measure], label: str
) -> Markup:
    """By which measures a system is better than the baseline, and by which it is worse."""
    found = tables.estimates(evaluation.differences)
    said: dict[tables.Verdict, list[str]] = {"better": [], "worse": [], "no telling": []}
    for measure in measures:
        difference = found.get((players, measure.name, label))
        if difference is not None and difference.known:
            said[tables.verdict(difference, measure)].append(measure.name)
    words = {"better": "better by ", "worse": "worse by ", "no telling": "not told apart by "}
    told = "; ".join(words[each] + ", ".join(names) for each, names in said.items() if names)
    return element("li", element("b", label), f": {told or 'nothing was measured'}.")


def _reliability(evaluation: Evaluation) -> Section:
    story = (
        "How far expected scores can be trusted: of the pairs in which the favourite was expected "
        "to score 70 %, for instance, did favourites score 70 %? Then the curve is on the dashed "
        "diagonal. Below it a system is too sure of favourites, above it not sure enough. The "
        "dotted line is the same after calibration."
    )
    lines = "all players"
    if EXPERIENCED in evaluation.reliability["players"]:
        lines = "experienced players among themselves; thin grey lines: all players"
    caption = (
        f"Lines with dots: {lines}. Bars show how pairs are spread over expectations; groups of "
        f"fewer than {percent(pictures.FEWEST)} of them are not shown."
    )
    about = "Reliability curves: a panel for each system, with the diagonal."
    content = [element("p", story)]
    if evaluation.reliability.height:
        content.append(in_figure(pictures.reliability(evaluation, about), caption))
    else:
        content.append(element("p", "No pair was measured."))
    return Section("reliability", "Reliability of expected scores", content, on_new_page=True)


def _over_time(evaluation: Evaluation) -> Section:
    if not evaluation.over_time.height:
        nobody = "No contest has two experienced players, so there is nothing to show."
        return Section("time", "Accuracy over time", [element("p", nobody)])
    periods = evaluation.over_time.filter(system=_labels(evaluation)[0]).height
    caption = (
        f"Pairs called right (pair-inversion) among experienced players, in "
        f"{counted(periods, 'part')} of the history with as many contests each."
    )
    return Section("time", "Accuracy over time", _curves(evaluation, pictures.over_time, caption))


def _over_experience(evaluation: Evaluation) -> Section:
    caption = (
        "Pairs called right (pair-inversion) by how many contests a player had before, against all "
        "opponents. Below each group stands how many participations it has."
    )
    content = (
        _curves(evaluation, pictures.over_experience, caption)
        if evaluation.over_experience.height
        else [element("p", "Nothing was measured.")]
    )
    return Section("experience", "Accuracy over experience", content)


def _curves(
    evaluation: Evaluation, draw: Callable[[Evaluation, str], Markup], caption: str
) -> list[Markup]:
    """A picture with a line for each system, and what the lines mean."""
    labels = _labels(evaluation)
    if len(labels) > 1:
        caption += f" The lower part shows how much more than {labels[0]}, in percentage points."
    return [in_figure(draw(evaluation, caption), caption, pictures.legend(labels))]


def _ratings(evaluation: Evaluation) -> Section:
    least = evaluation.settings["min_contests"] + 1
    who = f"players with at least {counted(least, 'contest')}"
    if not evaluation.ratings.height:
        nobody = element("p", f"There are no {who}.")
        return Section("ratings", "Ratings at the end", [nobody])
    players = evaluation.ratings.filter(system=_labels(evaluation)[0]).height
    caption = (
        f"Ratings of {players:,} {who}, after all contests; the dashed line is the median. Scales "
        f"differ from system to system."
    )
    picture = pictures.ratings(evaluation, f"Histograms, a panel for each system. {caption}")
    return Section("ratings", "Ratings at the end", [in_figure(picture, caption)])


def _systems(evaluation: Evaluation) -> Section:
    caption = (
        "CPU time of rating, all threads together. The temperature is what was learned by the end: "
        "above 1 a system should be surer, below 1 less sure. Parameters in bold are not the usual "
        "ones."
    )
    return Section("systems", "The systems", [tables.system_table(evaluation, caption)])


def how(settings: Mapping[str, Any], command: str | None) -> Section:
    """What made a report."""
    said = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in settings.items())
    made = f"podium {podium.__version__}, with these settings: {said}."
    content = [element("p", made)]
    if command is not None:
        content.append(element("pre", element("code", command)))
    return Section("how", "How this was made", content)


def in_figure(picture: Markup, caption: str, *above: Markup) -> Markup:
    """A picture with what is said of it."""
    sheet = element("div", picture, class_="sheet")
    return element("figure", *above, sheet, element("figcaption", caption))


def _labels(evaluation: Evaluation) -> list[str]:
    return evaluation.systems["system"].to_list()


def _separated(parts: Sequence[Markup], by: str) -> list[str]:
    """The parts with a text between them."""
    return [each for part in parts for each in (by, part)][1:]


def percent(share: float) -> str:
    """A share as people read it."""
    return f"{100.0 * share:.6g} %"
