"""An explanation in plain words: five short paragraphs and a headline."""

import math
import textwrap
from collections.abc import Iterable

from podium.ratings.explanations.averages import Average
from podium.ratings.explanations.explanation import Explanation, Side
from podium.ratings.explanations.places import Place
from podium.texts import visible
from podium.wording import change_of, counted

_UNUSUAL = 0.7
"""A performance that counts for less than this part of what its age gives it is pointed out."""
_WORTH_NAMING = 0.02
"""Of the average, for a past performance to be pointed out as unusual: by age alone."""

_NO_PULL = 1e-6
"""A pull below this comes from rounding."""


def wrapped(paragraphs: Iterable[str], width: int) -> str:
    """Paragraphs in lines of at most `width`, with an empty line between them."""
    return "\n\n".join(
        textwrap.fill(each, max(width, 20), break_long_words=False, break_on_hyphens=False)
        for each in paragraphs
    )


def paragraphs(found: Explanation) -> dict[str, str]:
    """All paragraphs by what they are about."""
    words = _Words(found)
    said = {
        "headline": words.headline(),
        **({"forecast": found.forecast} if found.forecast else {}),
        "performance": words.performance(),
        "average": words.average(),
        "change": words.change(),
        "limits": words.limits(),
        "places": words.places(),
    }
    return {about: visible(text) for about, text in said.items()}


class Numbers:
    """How a system's ratings and their differences are written."""

    def __init__(self, found: Explanation) -> None:
        self.digits = found.system.decimals

    def level(self, value: float) -> str:
        """A rating, a skill or a performance."""
        return f"{round(value, self.digits) + 0.0:,.{self.digits}f}"

    def moved(self, before: float, after: float) -> tuple[float, str]:
        """How the rating that is shown changes, as a number, and in words without its sign."""
        change = change_of(before, after, self.digits)
        return change, f"{abs(change):,.{self.digits}f}"

    def points(self, value: float) -> str:
        """A part of a change, without its sign; a small one with one more digit."""
        size = abs(value)
        return f"{size:,.{self.digits + (size < 10.0)}f}"

    def signed(self, value: float) -> str:
        """The same with its sign."""
        return f"{'-' if value < 0.0 else '+'}{self.points(value)}"

    def is_nothing(self, value: float) -> bool:
        """Whether it would be written as zero."""
        return float(self.points(value).replace(",", "")) == 0.0


class _Words(Numbers):
    """The paragraphs of one explanation."""

    def __init__(self, found: Explanation) -> None:
        super().__init__(found)
        self.found = found
        self.phrases = found.system.phrases
        change = found.change
        shown = change.rating_before == change.mu_before and change.rating == change.mu
        self.skill = "rating" if shown else "skill"

    def _phrase(self, phrase: str) -> str:
        return phrase.replace("{system}", self.found.system.name).replace("{skill}", self.skill)

    def headline(self) -> str:
        found, change = self.found, self.found.change
        who = f"{found.player}, in team {found.team}," if found.team else found.player
        what = "competitor" if found.opponents["rating"].null_count() else "player"
        place = f"was alone in {self._contest}"
        if found.competitors > 1:
            tie = f", shared with {counted(found.tied_with, 'other')}" if found.tied_with else ""
            field = counted(found.competitors, what)
            if found.overall is not None:
                rank, players = found.overall
                field += f" who are rated by it (rank {rank:,} of all {players:,})"
            place = f"finished {self._contest} at rank {found.rank:,} of {field}{tie}"
        moved, points = self.moved(change.rating_before, change.rating)
        how = (
            f"it {'rose' if moved > 0.0 else 'fell'} by {points}" if moved else "it has not changed"
        )
        was = "was"
        if found.is_newcomer:
            place += ", the player's first contest"
            was = "would have been shown as"
        return (
            f"{who} {place}. The rating by {found.system.name} {was} "
            f"{self.level(change.rating_before)} before, and is {self.level(change.rating)} after: "
            f"{how}.{f' {found.adjusted}' if found.adjusted else ''}"
        )

    @property
    def _contest(self) -> str:
        found = self.found
        called = f"{found.name} ({found.contest})" if found.name else found.contest
        return f"{called} on {found.time:%Y-%m-%d}"

    def performance(self) -> str:
        found = self.found
        if found.competitors == 1:
            return (
                "Performance: there were no opponents, so the contest says nothing about how good "
                f"{found.player} is."
            )
        if found.own_pull is not None:
            parts = [self._balance(), self._expectation()]
        else:
            parts = [self._meaning(), self._expectation()]
            if found.competitors > 2:
                parts += [self._surprises("better", found.up), self._surprises("worse", found.down)]
        return " ".join(part for part in parts if part)

    def _balance(self) -> str:
        found = self.found
        assert found.performance is not None
        assert found.own_pull is not None
        free = found.performance if found.without_ceiling is None else found.without_ceiling
        whose = "the team" if found.team else found.player
        sentences = [
            f"Performance: {whose} performed like somebody with a {self.skill} of "
            f"{self.level(free)}. That is where the results balance: everybody behind pulls it up, "
            f"the more the stronger they are, and everybody ahead pulls it down, the more the "
            f"weaker they are."
        ]
        if found.without_ceiling is not None:
            sentences.append(
                f"This contest shows at most {self.level(found.performance)}, and that is what "
                f"counts."
            )
        sentences += [self._pulls("Up", found.up), self._pulls("Down", found.down)]
        if abs(found.own_pull) >= _NO_PULL:
            direction = "up" if found.own_pull > 0.0 else "down"
            sentences.append(
                f"What was believed of {whose} before pulls it {direction} by "
                f"{_small(found.own_pull)}."
            )
        return " ".join(sentence for sentence in sentences if sentence)

    def _pulls(self, direction: str, side: Side) -> str:
        """Names and points of one direction."""
        if not side.few:
            return ""
        named = [f"{self._opponent(each)} by {_small(each['pull'])}" for each in side.few]
        if side.others:
            together = " together" if side.others > 1 else ""
            named.append(f"{counted(side.others, 'other')}{together} by {_small(side.others_sum)}")
        return f"{direction}, in points: {_joined(named)}."

    def _opponent(self, opponent: dict[str, float]) -> str:
        tie = ", tied" if opponent["rank"] == self.found.rank else ""
        level = self.level(opponent["skill"])
        return f"{opponent['player']} ({self.skill} {level}, rank {int(opponent['rank']):,}{tie})"

    def _expectation(self) -> str:
        found = self.found
        if found.competitors == 2:
            return (
                f"From what was known before, a score of {found.expected_score:.2f} was to be "
                f"expected, a win being 1; it became {found.score:g}."
            )
        return (
            f"From what was known before, {found.expected_score:,.1f} of "
            f"{counted(found.opponents.height, 'opponent')} were to be beaten, which is about rank "
            f"{found.expected_rank:,.0f}; it became {found.score:,.{int(found.score % 1 > 0)}f}"
            f"{', a tie being half' if found.tied_with else ''}."
        )

    def _meaning(self) -> str:
        found = self.found
        if found.performance is None:
            return (
                f"Performance: {found.system.name} computes none. It compares every result with "
                f"what was to be expected."
            )
        limit = ""
        if found.without_ceiling is not None:
            limit = (
                f" Without the limit of this contest it would have been "
                f"{self.level(found.without_ceiling)}."
            )
        meaning = f"It is {self.phrases.performance}."
        return f"Performance: {self.level(found.performance)}. {meaning}{limit}"

    def _surprises(self, which: str, side: Side) -> str:
        if not side.few:
            return ""
        named = [
            f"against {self._opponent(each)} with {each['score']:g} instead of "
            f"{each['expected']:.2f}"
            for each in side.few
        ]
        if side.others:
            named.append(f"against {counted(side.others, 'other')}")
        return f"It went {which} than expected {_joined(named)}."

    def average(self) -> str:
        found, average = self.found, self.found.average
        if found.competitors == 1:
            return "Past performances: nothing is added to them by a contest without opponents."
        if average is None:
            return f"Past performances: {self._phrase(self.phrases.no_mean)}"
        rows = average.performances.to_dicts()
        if not rows:
            return (
                "Past performances: this contest counts so little that it has become part of a "
                "summary of all results at once."
            )
        share = f"{rows[-1]['share']:.1%}"
        if not average.keeps_past:
            return f"Past performances: {self._one_step(average, share)}"
        word = "new skill" if self.skill == "skill" else "new rating"
        parts = [f"this performance counts for {share}"]
        if len(rows) > 1:
            past = sum(row["share"] for row in rows[:-1])
            parts.append(f"{counted(len(rows) - 1, 'earlier performance')} for {past:.1%}")
        summary = "older results and the first belief" if len(rows) > 1 else "the belief before"
        parts.append(f"{summary}, at {self.level(average.base)}, for {average.base_share:.1%}")
        return (
            f"Past performances: the {word} of {self.level(found.change.mu)} is an average in "
            f"which {_joined(parts)}. {self._outliers(rows)}"
        )

    def _outliers(self, rows: list[dict[str, float]]) -> str:
        """Those that count for much less than their age would give them."""
        odd = [
            row
            for row in rows
            if row["share"] < _UNUSUAL * row["plain_share"] and row["plain_share"] > _WORTH_NAMING
        ]
        rule = "What is far from it counts less than its age would give it"
        if not odd:
            return f"{rule}, but nothing here is so far away."
        odd.sort(key=lambda row: row["share"] - row["plain_share"])
        named = [
            f"{self.level(row['performance'])} {self._when(row)} for {row['share']:.1%} instead of "
            f"{row['plain_share']:.1%}"
            for row in odd[:2]
        ]
        return f"{rule}: {_joined(named)}."

    def _when(self, row: dict[str, float]) -> str:
        if row["ago"] == 0:
            return "in this contest"
        if row["contest"] is not None:
            return f"in {row['contest']}"
        return "one contest ago" if row["ago"] == 1 else f"{int(row['ago'])} contests ago"

    def _one_step(self, average: Average, share: str) -> str:
        found = self.found
        text = (
            f"{found.system.name} keeps none. The {self.skill} went {share} of the way from "
            f"{self.level(average.base)} to {self.level(average.performances['performance'][0])}"
        )
        whose = ", which is what the team's performance says of this player" if found.team else ""
        if self.is_nothing(average.correction):
            return f"{text}{whose}."
        moved = self.signed(average.correction)
        return f"{text}{whose}, and {self.phrases.correction} moved it by {moved}."

    def change(self) -> str:
        found, change = self.found, self.found.change
        if self.skill == "rating":
            return (
                "Rating and certainty: the rating shown is the estimate itself, so certainty is "
                f"not part of it. {self._certainty()}".rstrip()
            )
        now, before = self.level(change.mu), self.level(change.mu_before)
        sentences = [f"Rating and certainty: the skill is still estimated at {now}."]
        if not self.is_nothing(change.by_skill):
            sentences = [
                f"Rating and certainty: the skill is estimated at {now} instead of {before}, which "
                f"makes {self.signed(change.by_skill)} points."
            ]
        certainty = self._certainty()
        if certainty and self.is_nothing(change.by_certainty):
            sentences.append(f"{certainty} That makes no difference.")
        elif certainty:
            sentences.append(
                f"{certainty} A rating is shown lower while it is uncertain, so this makes "
                f"{self.signed(change.by_certainty)} points."
            )
        if not self.is_nothing(change.by_experience):
            sentences.append(
                f"Ratings are shown lower in the first contests, less with each: this makes "
                f"{self.signed(change.by_experience)} points."
            )
        moved, _ = self.moved(change.rating_before, change.rating)
        if not moved or self.is_nothing(change.by_skill):
            return " ".join(sentences)
        certain = abs(change.by_certainty) >= abs(change.by_experience)
        if change.by_skill < 0.0 < moved:
            why = "podium is surer now" if certain else "it was not the first contest any more"
            sentences.append(
                f"So the rating of {found.player} rose although the result was a setback, because "
                f"{why}."
            )
        elif moved < 0.0 < change.by_skill:
            sentences.append(
                f"So the rating of {found.player} fell although the result was good, because "
                f"podium is less sure now."
            )
        return " ".join(sentences)

    def _certainty(self) -> str:
        change = self.found.change
        if change.sigma is None or change.sigma_before is None or change.sigma_grown is None:
            return f"{self.found.system.name} knows no uncertainty."
        if change.sigma == change.sigma_before == change.sigma_grown:
            return ""
        what = self.phrases.sigma
        grown = ""
        if change.sigma_grown > change.sigma_before * 1.005:
            grown = f" to {self.points(change.sigma_grown)} with absence and then"
        start, end = self.points(change.sigma_before), self.points(change.sigma)
        verb = "fell" if change.sigma < change.sigma_before else "grew"
        if start == end and not grown:
            return f"The {what} is still {start}."
        if grown:
            return f"The {what} grew from {start}{grown} became {end}."
        return f"The {what} {verb} from {start} to {end}."

    def limits(self) -> str:
        found, limits, word = self.found, self.found.limits, self.skill
        if found.competitors == 1:
            return "Limits: without opponents, no result could have changed anything."
        if limits is None:
            return f"Limits: {self._phrase(self.phrases.no_limits)}"
        high, low = limits.highest - found.change.mu_before, limits.lowest - found.change.mu_before
        up = (
            f"no result, however good, could have put the {word} above "
            f"{self.level(limits.highest)} ({self.signed(high)})"
            if math.isfinite(high)
            else f"a good result can raise the {word} without limit"
        )
        down = (
            f"none, however bad, below {self.level(limits.lowest)} ({self.signed(low)})"
            if math.isfinite(low)
            else f"a bad one can lower the {word} without limit"
        )
        return f"Limits: {up}, and {down}."

    def places(self) -> str:
        found = self.found
        if found.competitors == 1:
            return "One place: without opponents there is no other place."
        better, worse = self._place("better", found.better), self._place("worse", found.worse)
        return f"One place: {better} {worse[:1].upper()}{worse[1:]}"

    def _place(self, which: str, place: Place | None) -> str:
        if place is None:
            return f"there is none {which}."
        tie = f", shared with {counted(place.tied_with, 'other')}" if place.tied_with else ""
        shown = (
            ""
            if place.performance is None
            else f"a performance of {self.level(place.performance)} and "
        )
        gain, points = self.moved(self.found.change.rating, place.rating)
        compared = "the same as now"
        if gain:
            compared = f"{points} {'more' if gain > 0.0 else 'less'} than now"
        return (
            f"one place {which}, rank {place.rank:,}{tie}, would have given {shown}a rating of "
            f"{self.level(place.rating)}, {compared}."
        )


def _small(pull: float) -> str:
    """A pull, which may be of one among thousands, to two digits.

    Example:
        >>> _small(-1234.5), _small(7.04), _small(0.0312), _small(0.0)
        ('1,234', '7.0', '0.031', '0')
    """
    size = abs(pull)
    return f"{size:,.{1 if size < 10.0 else 0}f}" if size >= 1.0 else f"{size:.2g}"


def _joined(parts: list[str]) -> str:
    """With commas, and 'and' before the last."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
