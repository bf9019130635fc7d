"""Figure 2 and section 5.1: losing on purpose, in order to rise.

The world's best competitive programmer plays 45 contests as he did, comes last in the next 45
whenever Topcoder rates him above 2975, and plays 15 more as he did. The altered results are then
given to Elo-MMR. The other system that section 5.1 accuses, Glicko-2, is attacked in the setting
where that was seen: matches of two against opponents of about one's own rating.
"""

from collections.abc import Iterator

import polars as pl

from podium import systems
from podium.evaluation.attacks import Farming, farming, matchmaking
from podium.evaluation.attacks.figures import farming_figure, matchmaking_figure
from podium.papers.targets import NO_DATA, Data, Reproduction
from podium.progress import Report, unseen

PLAYER, THRESHOLD = "tourist", 2975.0
TOPCODER = {"variant": "papers", "mu_new": 1500.0, "sigma_new": 350.0}
"""Topcoder as in the authors' program."""
OPPONENTS = ("glicko2", "glicko", "elo", "elo-mmr")


def figure_2(data: Data = NO_DATA, progress: Report = unseen) -> Reproduction:
    """Ratings of honest and of strategic play by Topcoder, and of the same results by Elo-MMR."""
    contests = data["codeforces"]
    attack = farming(contests, systems.build("topcoder", **TOPCODER), PLAYER, threshold=THRESHOLD)
    progress(1, 3)
    immune = systems.build("elo-mmr")
    transferred = attack.transferred(immune)
    progress(2, 3)
    published = farming(contests, "topcoder", PLAYER, threshold=THRESHOLD)
    progress(3, 3)
    by_elo_mmr = float(transferred["attacked"][-1] - transferred["control"][-1])
    findings = pl.DataFrame(
        [
            ("Topcoder: ahead of honest play at the end", "523", attack.gain),
            ("Topcoder: gained in the last 15 contests", "almost 1000", attack.climb),
            ("contests lost on purpose", None, float(attack.table["thrown"].sum())),
            ("Elo-MMR(1), the same results: ahead of honest play", "behind", by_elo_mmr),
            ("Topcoder as published: ahead of honest play", None, published.gain),
            ("Topcoder as published: gained in the last 15", None, published.climb),
        ],
        schema=["what", "in_paper", "points"],
        orient="row",
    )
    return Reproduction(
        findings,
        farming_figure(attack, [(attack.system, attack.table), (immune, transferred)]),
        {"topcoder": attack.table, "elo-mmr": transferred},
        tuple(_remarks(attack)),
    )


def _remarks(attack: Farming) -> Iterator[str]:
    last = attack.table["time"][-1]
    yield (
        f"The {len(attack.table)} contests of {PLAYER} in the experiment end on {last:%Y-%m-%d}; "
        f"he loses on purpose whenever Topcoder rates him above {THRESHOLD:g}."
    )
    yield (
        "The paper's number is that of Topcoder as in the authors' program, with newcomers of 1500 "
        "± 350. As Topcoder publishes it, with newcomers of 1200 ± 515, the cap on a change also "
        "limits what a lost contest adds to the volatility, and farming gains less."
    )


def section_5_1(_: Data = NO_DATA, progress: Report = unseen, *, runs: int = 400) -> Reproduction:
    """Farmers and honest twins, by Glicko-2 and by systems without a volatility."""
    found = []
    for number, name in enumerate(OPPONENTS):
        found.append(matchmaking(name, runs=runs))
        progress(number + 1, len(OPPONENTS))
    findings = pl.concat(
        each.summary.select(pl.lit(each.system.name).alias("system"), pl.all()) for each in found
    )
    first = found[0]
    honest, farmer = first.highest
    remarks = (
        f"The paper reports inflation by several hundred points in a game with Glicko-2 and prints "
        f"no numbers. Here, in {runs} runs each, a player of skill {first.skill:g} meets opponents "
        f"of about the same rating, loses all matches of a rating period on purpose when rated "
        f"above {first.threshold:g}, and then plays honestly.",
        f"Peak: the highest rating in the last {first.honest_last} periods. Stop: the rating of "
        f"those who play no more once they are rated {first.stop_at:g}, or else at the end. With "
        "Glicko-2 both are far above honest play; who goes on playing comes back to the true "
        "skill, as the end shows.",
        f"The highest farmer was {farmer:,.0f} points above the true skill under Glicko-2, the "
        f"highest honest player {honest:,.0f}.",
    )
    return Reproduction(
        findings,
        matchmaking_figure(found[:1] + found[-1:]),
        {each.system.name: each.table for each in found},
        remarks,
    )
