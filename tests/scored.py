"""A system of matches with scores, as small as can be."""

import math
from typing import ClassVar

from podium.systems import Elo


class Scored(Elo):
    """Elo, in which the first row of a match gains its score as well."""

    name: ClassVar[str] = "scored"
    takes_scores: ClassVar[bool] = True
    most_players: ClassVar[int | None] = 2

    def fold(self, beliefs, columns, first, last, events):
        for contest in range(first, last):
            super().fold(beliefs, columns, contest, contest + 1, events)
            if columns.score is not None and not math.isnan(columns.score[contest]):
                best = columns.player[columns.offsets[contest]]
                beliefs.table["mu"][best] += columns.score[contest]
        return last
