"""The report of an evaluation: one HTML file that needs nothing else, for screens and for paper.

Example:
    >>> import podium
    >>> contests = podium.simulate(players=40, rounds=20, seed=1)
    >>> found = podium.evaluate(contests, ["elo", "elo-mmr"], resamples=100)
    >>> page = report(found, title="Elo <and> Elo-MMR", contests=contests)
    >>> "<h1>Elo &lt;and&gt; Elo-MMR</h1>" in page
    True
"""

from podium.evaluation.report.hindsight import hidden_report as hidden_report
from podium.evaluation.report.page import report as report
from podium.evaluation.report.page import style as style
from podium.evaluation.report.page import write_report as write_report
from podium.evaluation.report.pictures import legend as legend
from podium.evaluation.report.pictures import look as look
from podium.evaluation.report.pictures import written as written

__all__ = ["hidden_report", "legend", "look", "report", "style", "write_report", "written"]
