"""Which system predicts matches best: tuned on the first tenth, scored on the rest.

The matches of the paper are not public, so this is its section 5 on results of one's own, as those
of international football, with draws and an advantage of the side. Elo and luck
know about sides; the other systems do not.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from podium import pictures
from podium.errors import InputError
from podium.evaluation.matches import judged, measures, of_two, predictions, scores
from podium.evaluation.tuning import tune
from podium.papers.targets import NO_DATA, Data, Reproduction
from podium.progress import Report, unseen
from podium.ratings.fold import ready_to_fold
from podium.results.contests import Contests

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SYSTEMS = ("luck", "elo", "glicko", "glicko2", "trueskill")
LEAST = 10
"""Matches, without which there is nothing to tune on."""


def comparison(
    data: Data = NO_DATA,
    progress: Report = unseen,
    *,
    names: Sequence[str] = SYSTEMS,
    budget: int = 100,
    jobs: int | None = None,
) -> Reproduction:
    """A table of systems with what they were tuned to and how they did, and constant forecasts.

    For each system, so many sets of parameters are tried on the first tenth of the contests.
    """
    contests = data.get("football")
    if contests is None:
        raise InputError("matches of two are needed to tune and to score on.")
    skip = int(np.count_nonzero(of_two(contests[: len(contests) // 10].columns)))
    if skip < LEAST:
        raise InputError(
            f"at least {LEAST} matches of two are needed to tune on, but the first tenth of these "
            f"contests has {skip}."
        )
    for name in names:
        ready_to_fold(contests, name, None, {})  # which refuses results that a system cannot take
    rows = _constant_forecasts(contests, skip)
    for number, name in enumerate(names):
        progress(number, len(names))
        tuned = tune(contests, name, "log-loss", budget=budget, min_contests=0, jobs=jobs)
        result = measures(predictions(contests, tuned.system), skip=skip)
        settings = ", ".join(f"{key}={value}" for key, value in tuned.parameters.items())
        rows.append({"system": name, **result._asdict(), "parameters": settings})
    findings = pl.DataFrame(rows).sort("log_loss", "system")
    return Reproduction(findings, _drawn(findings), {"": findings}, _REMARKS)


_REMARKS = (
    "The paper compares Glicko-2 with luck on matches of Duelyst II, which are not public, and "
    "tunes nothing; this is the same question on other matches, with more systems.",
    "A draw counts half. Luck and Elo know who has the side; Glicko, Glicko-2 and TrueSkill know "
    "no such advantage.",
)


def _constant_forecasts(contests: Contests, skip: int) -> list[dict[str, Any]]:
    """One half for everybody, and what those with the side scored in the matches to skip."""
    columns = contests.columns
    match = of_two(columns)
    score, row = scores(columns)[match], columns.offsets[:-1][match]
    side = np.zeros(len(row)) if columns.side is None else columns.side[row].astype(np.float64)
    sided = np.flatnonzero(side[:skip])
    home = float(np.mean(0.5 + side[sided] * (score[sided] - 0.5))) if len(sided) else 0.5
    forecasts = {
        "constant": (0.0 * side, ""),
        "constant by side": ((home - 0.5) * side, f"score with the side: {home:.4g}"),
    }
    return [
        {
            "system": name,
            **measures(pl.DataFrame(judged(score, 0.5 + above)), skip=skip)._asdict(),
            "parameters": settings,
        }
        for name, (above, settings) in forecasts.items()
    ]


def _drawn(findings: pl.DataFrame) -> "Figure":
    figure = pictures.new_figure(5.2)
    axes = figure.add_subplot()
    pictures.dress(
        axes,
        f"Predicting {findings['matches'][0]:,} matches",
        "mean log loss (nats): the further to the left, the better",
        "",
    )
    constant = findings["system"].str.starts_with("constant").to_list()
    for place, loss in enumerate(findings["log_loss"].to_list()):
        colour = "0.6" if constant[place] else pictures.COLOURS[0]
        axes.plot(loss, place, "o", color=colour, ms=10)
        axes.annotate(
            f"{loss:.4f}",
            (loss, place),
            xytext=(0, 9),
            textcoords="offset points",
            ha="center",
            fontsize=11,
        )
    axes.set_yticks(range(findings.height), findings["system"].to_list())
    axes.invert_yaxis()
    axes.margins(x=0.08, y=0.14)
    return figure
