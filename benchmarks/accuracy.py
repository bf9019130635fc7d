"""How often the higher rated came out ahead on Codeforces: pairs called right, experienced players.

The measure of section 6.2 of the Elo-MMR paper, over players with at least five earlier contests
in the last nine tenths of the contests.
"""

import podium
from benchmarks.report import Figure, data_file
from podium.evaluation.comparison import labelled
from podium.evaluation.scoring import score

SYSTEMS = (
    "podium",
    "elo-mmr",
    "elo-mmx",
    "elo-r",
    "elo-r-draft",
    "codeforces",
    "topcoder",
    "trueskill mu_new=1500 sigma_new=350 beta=200 tau=35 draw_rate=0",
    "weng-lin contest=mean mu_new=1500 sigma_new=350 beta=315 tau=35",
    "glicko",
    "glicko2",
    "elo",
)
"""Defaults, but for systems whose defaults are meant for a few players; nothing is tuned."""


def run() -> list[Figure]:
    contests = podium.read(data_file("codeforces.parquet"))
    return [
        Figure(label, 100.0 * score(contests, system, "pair-inversion", skip=0.1), "%")
        for label, system in labelled(SYSTEMS).items()
    ]
