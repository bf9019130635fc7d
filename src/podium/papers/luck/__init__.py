"""Alex Cowan, *Paired comparisons for games of chance*, 2023, https://arxiv.org/abs/2303.14857.

Its matches of Duelyst II are not public. In their place come simulated matches whose luck is
known, or results of one's own.
"""

from podium.papers.luck.changes import figure_3_2
from podium.papers.luck.football import SYSTEMS, comparison
from podium.papers.luck.gains import figure_3_1
from podium.papers.luck.losses import figure_5_1
from podium.papers.luck.recovery import recovered_beta
from podium.papers.targets import Target

PAPER = "Cowan, Paired comparisons for games of chance, 2023, https://arxiv.org/abs/2303.14857"

TARGETS = (
    Target(
        "luck-figure-3.1",
        "What a win over a known opponent is worth, with and without luck",
        PAPER,
        figure_3_1,
    ),
    Target(
        "luck-figure-3.2",
        "How the ratings of the two busiest players changed, match by match",
        PAPER,
        figure_3_2,
        takes=("matches",),
        systems=("luck",),
    ),
    Target(
        "luck-figure-5.1",
        "Where three systems lose: log loss by the difference of ratings",
        PAPER,
        figure_5_1,
        takes=("matches",),
        systems=("glicko2", "luck"),
    ),
    Target(
        "luck-beta",
        "The part of luck, found in matches where it is known",
        PAPER,
        recovered_beta,
        systems=("luck",),
    ),
    Target(
        "luck-football",
        "Who predicts matches best, tuned on the first tenth",
        PAPER,
        comparison,
        needs=("football",),
        systems=SYSTEMS,
    ),
)
