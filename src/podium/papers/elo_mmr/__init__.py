"""Aram Ebtekar and Paul Liu, *Elo-MMR*, 2021, https://doi.org/10.1145/3442381.3450091.

Of its four data sets, that of Codeforces can be had from the site, the synthetic one is generated,
and those of Topcoder and Reddit are not public.
"""

from podium.papers.elo_mmr.accuracy import SYSTEMS, table_2
from podium.papers.elo_mmr.farming import OPPONENTS, figure_2, section_5_1
from podium.papers.elo_mmr.penalties import figure_1
from podium.papers.elo_mmr.summary import table_1
from podium.papers.elo_mmr.times import table_3
from podium.papers.targets import Target

PAPER = (
    "Ebtekar and Liu, Elo-MMR: A Rating System for Massive Multiplayer Competitions, "
    "The Web Conference 2021, https://doi.org/10.1145/3442381.3450091"
)

TARGETS = (
    Target(
        "elo-mmr-table-1",
        "The data sets: how many contests, and of how many players",
        PAPER,
        table_1,
        takes=("codeforces", "topcoder", "reddit"),
    ),
    Target(
        "elo-mmr-figure-1",
        "Why logistic performances make ratings robust: penalties and densities",
        PAPER,
        figure_1,
    ),
    Target(
        "elo-mmr-figure-2",
        "Volatility farming: an attack on Topcoder, and what Elo-MMR makes of it",
        PAPER,
        figure_2,
        needs=("codeforces",),
        systems=("topcoder", "elo-mmr"),
    ),
    Target(
        "elo-mmr-section-5.1",
        "Volatility farming in matches of two: Glicko-2 beside other systems",
        PAPER,
        section_5_1,
        systems=OPPONENTS,
    ),
    Target(
        "elo-mmr-table-2",
        "How well each system predicts, tuned on the first tenth of the contests",
        PAPER,
        table_2,
        takes=("codeforces", "topcoder", "reddit"),
        systems=SYSTEMS,
        keeps=True,
    ),
    Target(
        "elo-mmr-table-3",
        "How long each system takes",
        PAPER,
        table_3,
        takes=("codeforces", "topcoder", "reddit"),
        systems=SYSTEMS,
    ),
)
