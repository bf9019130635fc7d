"""The general model: strengths of any kind, players who vary, knowledge that is uncertain.

A strength is anything: a number, a tuple, a deck of cards. A `Performance` says with which
probability a player shows which strength in a match. `Knowledge` says which performances a player
may have, with which probabilities. A luck function is any function of two strengths that
gives the chance of the first to win; a draw counts half. Numbers may be floats or fractions, and
from fractions come exact results.

Example:
    >>> from fractions import Fraction
    >>> from podium.luck import Knowledge
    >>> def odds(x, y):
    ...     return Fraction(x, x + y)
    >>> ann = Knowledge.of_strengths({2: Fraction(1, 2), 6: Fraction(1, 2)})
    >>> bob = Knowledge.of_strengths({3: Fraction(1)})
    >>> ann.after_match(bob, odds).strengths()
    {2: Fraction(3, 8), 6: Fraction(5, 8)}

Everything here sums over all pairs in plain Python. For strengths that are numbers,
`podium.luck.Belief` is the same model with fast algorithms.

Reference: Alex Cowan, *Paired comparisons for games of chance*, 2023, section 2.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, Self, TypeVar

from podium.errors import InputError, PodiumError

Number = Any
"""A float, a fraction, or another type that can be added, multiplied and compared."""
Luck = Callable[[Any, Any], Number]

Outcome = TypeVar("Outcome")

_SUM_TO = 1e-9
_SYMMETRIC_TO = 1e-12


class Distribution(Generic[Outcome]):
    """Finitely many outcomes and their probabilities, which sum to 1.

    Given as a dict from outcomes to probabilities, or as pairs of them. Outcomes that are equal
    count as one if they can be hashed. `normalise` scales weights so that they sum to 1.
    """

    pairs: tuple[tuple[Outcome, Number], ...]
    """The outcomes in the order given, each with its probability."""
    _outcomes: type = object
    """What they must be."""

    def __init__(
        self,
        probabilities: Mapping[Outcome, Number] | Iterable[tuple[Outcome, Number]],
        *,
        normalise: bool = False,
    ) -> None:
        kind = type(self).__name__
        pairs = _merged(kind, probabilities)
        total = sum(probability for _, probability in pairs)
        if normalise and total > 0:
            pairs = [(outcome, probability / total) for outcome, probability in pairs]
        elif not abs(total - 1) <= _SUM_TO:
            raise InputError(
                f"{kind}: probabilities must sum to 1, not {total}; normalise=True scales them."
            )
        self.pairs = tuple(pairs)
        for outcome, _ in self.pairs:
            _refuse_other_than(self._outcomes, outcome)

    @classmethod
    def certain(cls, outcome: Outcome) -> Self:
        """One outcome and no other: the paper's Dirac measure."""
        return cls([(outcome, 1)])

    def probability(self, outcome: Outcome) -> Number:
        """The probability of this outcome; 0 if it is not among them."""
        return sum(probability for other, probability in self.pairs if other == outcome)

    def __repr__(self) -> str:
        inside = ", ".join(f"{outcome!r}: {probability}" for outcome, probability in self.pairs)
        return f"{type(self).__name__}({{{inside}}})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Distribution) or type(self) is not type(other):
            return NotImplemented
        same_length = len(self.pairs) == len(other.pairs)
        return same_length and all(pair in other.pairs for pair in self.pairs)

    def __hash__(self) -> int:
        return hash((type(self), frozenset(self.pairs)))


class Performance(Distribution[Any]):
    """With which probability a player shows which strength in a match.

    Example:
        >>> from podium.luck import Performance
        >>> steady, moody = Performance.certain(4), Performance({1: 0.4, 5: 0.6})
        >>> moody.average_score(steady, lambda x, y: 0.5 if x == y else float(x > y))
        0.6
    """

    def average_score(self, opponent: Self, luck: Luck, theirs: Luck | None = None) -> Number:
        """Model 2.1: the average score against an opponent.

        `luck` is checked to be symmetric, ``luck(x, y) = 1 - luck(y, x)``, for the strengths that
        occur. A game with two sides has a luck function for each: `luck` is that of this player's
        side, and `theirs` that of the opponent's, ``luck(x, y) = 1 - theirs(y, x)``.
        """
        return self._scores(opponent, luck, theirs)[0]

    def _scores(self, opponent: Self, luck: Luck, theirs: Luck | None) -> tuple[Number, Number]:
        """The average scores of both."""
        _refuse_other_than(Performance, opponent)
        own: Number = 0
        other: Number = 0
        for x, p in self.pairs:
            for y, q in opponent.pairs:
                win, loss = _chances(x, y, luck, theirs)
                own += p * q * win
                other += p * q * loss
        return own, other


class Knowledge(Distribution[Performance]):
    """Which performances a player may have, with which probabilities.

    Example:
        >>> from podium.luck import Knowledge, Performance
        >>> rarely, often = Performance({1: 0.75, 5: 0.25}), Performance({1: 0.25, 5: 0.75})
        >>> moody, steady = Knowledge({rarely: 0.5, often: 0.5}), Knowledge.of_strengths({4: 1})
        >>> moody.after_match(steady, lambda x, y: float(x > y)).probability(often)
        0.75
    """

    _outcomes = Performance

    @classmethod
    def of_strengths(
        cls,
        probabilities: Mapping[Any, Number] | Iterable[tuple[Any, Number]],
        *,
        normalise: bool = False,
    ) -> Self:
        """Of a player who always shows the same strength, one of these: "Dirac-only"."""
        strengths = Performance(probabilities, normalise=normalise)
        return cls([(Performance.certain(x), probability) for x, probability in strengths.pairs])

    def strengths(self) -> dict[Any, Number]:
        """The probability of each strength, for players who always show the same one."""
        if any(len(performance.pairs) != 1 for performance, _ in self.pairs):
            raise InputError(
                "only knowledge of players who always show the same strength has strengths."
            )
        return {performance.pairs[0][0]: probability for performance, probability in self.pairs}

    def expected_score(self, opponent: Self, luck: Luck, theirs: Luck | None = None) -> Number:
        """The average score to expect against an opponent; arguments as in `average_score`."""
        _refuse_other_than(Knowledge, opponent)
        return sum(
            own_share * their_share * own.average_score(their, luck, theirs)
            for own, own_share in self.pairs
            for their, their_share in opponent.pairs
        )

    def after_match(
        self, opponent: Self, luck: Luck, score: Number = 1, theirs: Luck | None = None
    ) -> Self:
        """Model 2.11: the knowledge of this player after a match.

        `score` is 1 for a win, 0 for a loss, ½ for a draw, or anything between, by eq. (1).
        Neither knowledge is changed, so that both players can be updated from those before:
        ``ann.after_match(bob, luck), bob.after_match(ann, luck, score=0)``.
        """
        return self.after_matches([(opponent, score)], luck, theirs)

    def after_matches(
        self, results: Iterable[Sequence[Any]], luck: Luck, theirs: Luck | None = None
    ) -> Self:
        """Model 2.11 for several matches against opponents as they were known to be.

        A result is an opponent and the score against them, and if that match had others, also a
        luck function, or two for both sides.
        """
        pairs = list(self.pairs)
        for result in results:
            opponent, score, *sides = _checked_result(result)
            sides = sides or [luck, theirs]
            pairs = _scaled(
                [(own, share * _likelihood(own, opponent, score, *sides)) for own, share in pairs]
            )
        return type(self)(pairs)

    def after_drift(self, kernel: Callable[[Performance], "Knowledge"]) -> Self:
        """Model 2.16: the knowledge after players may have changed.

        `kernel` gives for a performance what it may have become. `Knowledge.certain` is the one
        by which nothing changes.
        """
        moved = []
        for performance, share in self.pairs:
            became = kernel(performance)
            _refuse_other_than(Knowledge, became)
            moved += [(other, share * probability) for other, probability in became.pairs]
        return type(self)(moved)


def _merged(kind: str, probabilities: Any) -> list[tuple[Any, Number]]:
    """The pairs, if they are pairs with probabilities; those of equal outcomes added up."""
    items = probabilities.items() if isinstance(probabilities, Mapping) else probabilities
    totals: dict[Any, tuple[Any, Number]] = {}
    try:
        pairs = [(outcome, probability) for outcome, probability in items]
        for number, (outcome, probability) in enumerate(pairs):
            if not probability >= 0:
                raise InputError(
                    f"{kind}: probabilities must be at least 0, not {probability} for {outcome!r}."
                )
            key = _key(outcome, number)
            totals[key] = outcome, totals.get(key, (outcome, 0))[1] + probability
    except PodiumError:
        raise
    except (TypeError, ValueError):
        raise InputError(
            f"{kind}: a dict from outcomes to probabilities is needed, or pairs of them, "
            f"not {probabilities!r}."
        ) from None
    return list(totals.values())


def _key(outcome: Any, number: int) -> Any:
    """What outcomes have in common that count as one."""
    try:
        hash(outcome)
    except TypeError:
        return None, number
    return (outcome,)


def _chances(x: Any, y: Any, luck: Luck, theirs: Luck | None) -> tuple[Number, Number]:
    """The chances of x and of y to win, if they are chances and sum to 1."""
    win, loss = luck(x, y), (luck if theirs is None else theirs)(y, x)
    for first, second, chance in ((x, y, win), (y, x, loss)):
        if not 0 <= chance <= 1:
            raise InputError(
                f"the luck function gives {chance} for the strengths {first!r} and {second!r}, "
                f"which is not a chance from 0 to 1."
            )
    if not abs(win + loss - 1) <= _SYMMETRIC_TO:
        hint = "" if theirs else "; give `theirs` too if the two sides of the game differ"
        raise InputError(
            f"the luck function is not symmetric: {x!r} beats {y!r} with {win}, and {y!r} beats "
            f"{x!r} with {loss}, which must sum to 1{hint}."
        )
    return win, loss


def _checked_result(result: Sequence[Any]) -> Sequence[Any]:
    if not (isinstance(result, Sequence) and len(result) in (2, 3, 4)):
        raise InputError(
            f"a result is (opponent, score), (opponent, score, luck) or "
            f"(opponent, score, luck, theirs), not {result!r}."
        )
    _refuse_other_than(Knowledge, result[0])
    try:
        valid = 0 <= result[1] <= 1
    except TypeError:
        valid = False
    if not valid:
        raise InputError(f"a score must be a number from 0 to 1, not {result[1]!r}.")
    return result


def _likelihood(
    own: Performance, opponent: Knowledge, score: Number, luck: Luck, theirs: Luck | None = None
) -> Number:
    """The sum over the opponent's performances in eq. (1)."""
    likelihood: Number = 0
    for performance, share in opponent.pairs:
        win, loss = own._scores(performance, luck, theirs)
        if score in (0, 1):
            likelihood += share * (win if score else loss)
        else:
            likelihood += share * win**score * loss ** (1 - score)
    return likelihood


def _scaled(pairs: list[tuple[Performance, Number]]) -> list[tuple[Performance, Number]]:
    """The same with a sum of 1."""
    total = sum(weight for _, weight in pairs)
    if total == 0:
        raise InputError(
            "the result is impossible: the luck function gives it the chance 0 for all "
            "performances that the players may have."
        )
    return [(performance, weight / total) for performance, weight in pairs]


def _refuse_other_than(kind: type, given: object) -> None:
    if not isinstance(given, kind):
        raise InputError(f"a {kind.__name__} is needed, not {given!r}.")
