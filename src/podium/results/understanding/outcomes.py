"""How matches ended: 1-0, ½-½, 3:1, 6-4 6-3, W/L/D, 1/X/2, words, the name of the winner."""

import polars as pl

from podium.errors import InputError
from podium.results.options import Options
from podium.results.tables import Locator, as_names
from podium.results.understanding import statuses
from podium.results.understanding.headers import quoted
from podium.results.understanding.report import Table, Understanding
from podium.wording import counted

_WON, _DRAWN, _LOST = (
    "win won wins winner victory beat true yes sieg gewonnen "
    "gewinn victoire gagne gagnee victoria gano "
    "gana ganado vitoria venceu ganhou vittoria vinto vinta vince",
    "draw drawn tie tied drew remis unentschieden nul nulle egalite empate "
    "empatado tablas pareggio patta pari stalemate ½ 1/2 0.5 0,5 ½-½ 1/2-1/2",
    "loss lost lose loses loser defeat false no niederlage verloren "
    "verlust defaite perdu perdue derrota "
    "perdio perdido pierde perdeu sconfitta perso persa perde",
)
_WORDS = {
    **dict.fromkeys(_WON.split(), 1.0),
    **dict.fromkeys(_DRAWN.split(), 0.5),
    **dict.fromkeys(_LOST.split(), 0.0),
    "match nul": 0.5,
    "partie nulle": 0.5,
}
_HALVES = {"1": 1.0, "0": 0.0, "½": 0.5, "1/2": 0.5, "0.5": 0.5, "0,5": 0.5, "1.0": 1.0, "0.0": 0.0}
_DRAWN_WORDS = {word: value for word, value in _WORDS.items() if value == 0.5}
_DRAWS = {"draw": 0.5, "drawn": 0.5, "tie": 0.5, "remis": 0.5, "d": 0.5, "x": 0.5, "none": 0.5}
_OWN = {
    "wins, losses and draws": {"w": 1.0, "l": 0.0, "d": 0.5, "t": 0.5, **_WORDS},
    "Sieg, Niederlage, Unentschieden": {"s": 1.0, "n": 0.0, "u": 0.5, "r": 0.5, **_WORDS},
    "victoire, défaite, nul": {"v": 1.0, "d": 0.0, "n": 0.5, **_WORDS},
    "gagné, perdu, nul": {"g": 1.0, "p": 0.0, "n": 0.5, **_WORDS},
    "victoria, derrota, empate": {"v": 1.0, "d": 0.0, "e": 0.5, **_WORDS},
    "ganado, perdido, empatado": {"g": 1.0, "p": 0.0, "e": 0.5, **_WORDS},
    "vittoria, sconfitta, pareggio": {"v": 1.0, "s": 0.0, "n": 0.5, **_WORDS},
    "vittoria, pareggio, sconfitta": {"v": 1.0, "p": 0.5, "s": 0.0, **_WORDS},
    "vinta, nulla, persa": {"v": 1.0, "n": 0.5, "p": 0.0, **_WORDS},
    "+, - and =": {"+": 1.0, "-": 0.0, "=": 0.5, "½": 0.5},
    "halves": _HALVES,
    "1, 0 and -1": {"1": 1.0, "0": 0.5, "-1": 0.0},
}
"""What the player of the row, or the first of a match, did."""
_SIDES = {
    "1, X and 2": {"1": 1.0, "x": 0.5, "2": 0.0},
    "home, draw and away": {"h": 1.0, "d": 0.5, "a": 0.0},
    "A, B or a draw": {"a": 1.0, "b": 0.0, **_DRAWS},
    "home or away": {"home": 1.0, "away": 0.0, "home win": 1.0, "away win": 0.0, **_DRAWS},
    "white or black": {
        **dict.fromkeys(
            ("white", "white wins", "white won", "w", "weiss", "blancs", "blancas"), 1.0
        ),
        **dict.fromkeys(
            ("black", "black wins", "black won", "b", "schwarz", "noirs", "negras"), 0.0
        ),
        **_DRAWS,
    },
    "first or second": {
        **dict.fromkeys(
            ("first", "player_a", "player a", "player 1", "player1", "p1", "team 1"), 1.0
        ),
        **dict.fromkeys(
            ("second", "player_b", "player b", "player 2", "player2", "p2", "team 2"), 0.0
        ),
        **_DRAWS,
    },
}
"""Which side won."""
_MOST_WORDS = 100
"""In how many ways a column says who won, at most; more are something else."""
_DASH = r" ?[-:\u2013\u2014\u2212] ?"
_NUMBER = r"\d*½|1/2|\d+(?:[.,]\d+)?"
_PAIR = rf"(?P<a>{_NUMBER}){_DASH}(?P<b>{_NUMBER})"
_PENS = r"(?:p|pens?|penalties|pks?|pso|i\.e\.?|n\.e\.?|t\.?a\.?b\.?|rig\.?)"
_FORFEIT = r"f|ff|forfeit|w/?o|walkover"
_EXTRA = (
    rf"(?: ?\(?(?:aet|a\.e\.t\.?|ap|nv|n\.v\.?|ot|so|after extra time|{_PENS}\.?|"
    rf"(?P<forfeit>{_FORFEIT}))\)?)?"
)
_BRACKETS = rf"(?: ?\((?P<c>\d+){_DASH}(?P<d>\d+)(?: ?(?P<pens>{_PENS})\.?)?\))?"
_ONE_PAIR = rf"^(?:(?P<letter>[wldt]),? ?)?{_PAIR}{_EXTRA}{_BRACKETS}\*?$"
_SET = rf"\[?(\d+){_DASH}(\d+)(?: ?\(\d+(?:{_DASH}\d+)?\))?\]?"
_SETS = rf"^{_SET}(?:[ ,;/]+{_SET})+$"
_SHORTER = {
    rf"^([^(\[]+?) ?[(\[]{_SET}(?:[ ,;/]+{_SET})+[)\]]$": "$1",
    rf"[ ,]+{_PENS}\.?:? ?(\d+{_DASH}\d+)$": " ($1 p)",
    rf"[ ,]+(\d+{_DASH}\d+) ?{_PENS}\.?$": " ($1 p)",
    rf" ?[(\[]{_PENS}\.?:? ?(\d+{_DASH}\d+)[)\]]$": " ($1 p)",
}
"""Sets behind the number of those won, and shoot-outs, as the other patterns know them."""
_LETTERS = {"w": 1.0, "l": -1.0, "d": 0.0, "t": 0.0}
"""Who is ahead by the letter in front of a score."""
_FORFEITS = {"+:-": 1.0, "+--": 1.0, "+/-": 1.0, "-:+": 0.0, "--+": 0.0, "-/+": 0.0}
_UNPLAYED = (
    "-:-",
    "---",
    "-/-",
    "pp",
    "postponed",
    "postp",
    "cancelled",
    "canceled",
    "void",
    "tbd",
    "tba",
    "vs",
    "v",
)


def with_outcomes(table: Table, options: Options, report: Understanding) -> Table:  # noqa: ARG001
    """Match lists with `outcome` or `score_a` and `score_b`, long results with `outcome`."""
    table = _winners(table, report)
    frame = table.frame
    matches = {"player_a", "player_b"} <= set(frame.columns)
    if matches and "score" in frame.columns and not {"outcome", "score_a"} & set(frame.columns):
        frame = frame.rename({"score": "outcome"})
    if "outcome" not in frame.columns:
        return table._replace(frame=frame)
    given = frame["outcome"]
    if given.dtype.is_numeric():
        return table._replace(frame=frame.with_columns(_from_numbers(given, report)))
    if given.dtype != pl.String:
        return table._replace(frame=frame)
    return _Results(table._replace(frame=frame), report, matches=matches).understood()


def are_outcomes(values: pl.Series) -> bool:
    """Whether a column of long results says who won, lost or drew in words or letters."""
    if values.dtype != pl.String:
        return False
    distinct = _plain(values.unique().drop_nulls())
    if len(distinct) > _MOST_WORDS:
        return False
    words = distinct.filter(~_is_unplayed(distinct)).to_list()
    spoken = [each for name, each in _OWN.items() if name not in ("halves", "1, 0 and -1")]
    return bool(words) and any(set(words) <= set(each) for each in spoken)


def own_scores(frame: pl.DataFrame, given: pl.Series) -> pl.Series | None:
    """The own scores of texts such as 3:1 beside 1:3; None unless both of every contest agree."""
    groups = _plain(given).str.extract_groups(rf"^{_PAIR}$").struct.unnest()
    if groups["a"].null_count():
        return None
    own, other = _number(groups["a"]), _number(groups["b"])
    keys = statuses.contest_keys(frame)
    both = frame.select(keys).with_columns(own=own, other=other)
    agree = (pl.len() == 2) & (pl.col("own") == pl.col("other").reverse()).all()
    if not keys or not both.select(agree.over(keys).all()).item():
        return None
    whole = (own == own.floor()).all()
    return own.cast(pl.Int64) if whole else own


def are_pairs(given: pl.Series) -> bool:
    """Whether a column has the scores of two in every cell, as in 3:1."""
    plain = _plain(given.drop_nulls())
    return len(plain) > 0 and bool(plain.str.contains(rf"^{_PAIR}$").all())


def _plain(distinct: pl.Series) -> pl.Series:
    plain = distinct.str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()
    plain = (
        plain.str.replace_all(r"[éèê]", "e").str.replace_all("ß", "ss").str.replace_all("ó", "o")
    )
    return plain.str.replace_all("[áâã]", "a")


def _is_unplayed(plain: pl.Series) -> pl.Series:
    return (plain == "") | plain.is_in(_UNPLAYED) | statuses.kinds(plain).is_not_null()


def _from_numbers(given: pl.Series, report: Understanding) -> pl.Series:
    """Numbers, of which -1 and 2 can mean one thing only."""
    if not _few(given) or given.n_unique() > 4:
        return given
    values = set(given.cast(pl.Float64).unique().drop_nulls().to_list())
    if -1.0 in values and values <= {-1.0, 0.0, 1.0}:
        report.assumptions.append("outcome: 1, 0 and -1 are a win, a draw and a loss.")
        return (given.cast(pl.Float64) + 1.0) / 2.0
    if 2.0 in values and values <= {1.0, 2.0}:
        report.assumptions.append("outcome: 1 and 2 are the number of the player who won.")
        return 2.0 - given.cast(pl.Float64)
    return given


def _few(given: pl.Series) -> bool:
    """Whether there is a value that is no score from 0 to 1."""
    low, high = given.min(), given.max()
    return low is not None and (float(low) < 0.0 or float(high) > 1.0)  # type: ignore[arg-type]


def _winners(table: Table, report: Understanding) -> Table:
    """Without the columns `winner` and `loser`, which become players and outcomes."""
    frame, columns = table.frame, set(table.frame.columns)
    if not columns & {"winner", "loser"}:
        return table
    if {"player_a", "player_b"} <= columns:
        if "winner" in columns:
            if "outcome" in columns and "score" not in columns:  # it says by how much
                frame = frame.rename({"outcome": "score"})
                _call(report, outcome="score")
            _call(report, winner="outcome")
            frame = frame.with_columns(_of_winner(table, report))
        return table._replace(frame=frame.drop("winner", "loser", strict=False))
    if not {"winner", "loser"} <= columns or "player" in columns:
        return table._replace(frame=frame.drop("winner", "loser", strict=False))
    report.explain("outcome", "the winner is player_a, the loser player_b")
    frame = frame.rename({"winner": "player_a", "loser": "player_b"})
    table = table._replace(frame=frame)
    if "outcome" in columns or "score" in columns:
        said = frame["outcome" if "outcome" in columns else "score"]
        won = _won_or_drawn(table, said, report)
        return table._replace(frame=frame.with_columns(outcome=won, score=said))
    if {"score_a", "score_b"} <= columns:
        _refuse_equal_scores(table, report)
    return table._replace(frame=frame.with_columns(outcome=pl.lit(1.0)))


def _call(report: Understanding, **names: str) -> None:
    """Columns go by other names of podium from here on."""
    report.columns = [
        each._replace(ours=names.get(each.ours, each.ours)) for each in report.columns
    ]


def _won_or_drawn(table: Table, said: pl.Series, report: Understanding) -> pl.Series:
    """What the winner of a row did, who drew if the score says so."""
    won = pl.repeat(1.0, len(said), eager=True)
    if said.dtype != pl.String:
        return won
    distinct = said.unique(maintain_order=True).drop_nulls()
    cells = _cells(_plain(distinct))
    drawn = said.is_in(distinct.filter(cells["half"] & (cells["a"] == 0.5)).implode())
    drawn = drawn.fill_null(value=False)
    even = distinct.filter(~cells["half"] & (cells["lead"] == 0.0))
    wrong = said.is_in(even.implode()).fill_null(value=False)
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        raise InputError(
            f"{table.locate(row)}: {said[row]!r} is a draw, but {table.frame['player_a'][row]!r} "
            f"is the winner; write draw instead, or add the shoot-out, as in 1-1 (4-3 p)."
        )
    if drawn.any():
        report.assumptions.append(f"outcome: {_matches(drawn)} with a drawn score: a draw.")
    forfeit = said.is_in(distinct.filter(cells["forfeit"]).implode()).fill_null(value=False)
    _say_forfeits(forfeit, report)
    return won.set(drawn, 0.5)


def _refuse_equal_scores(table: Table, report: Understanding) -> None:
    """Raise for a winner with no more than the loser."""
    a, b = (table.frame[name].cast(pl.Float64, strict=False) for name in ("score_a", "score_b"))
    even = (a == b).fill_null(value=False)
    if even.any():
        row = int(even.arg_max() or 0)
        theirs = {each.ours: each.theirs for each in report.columns}
        one, other = theirs["winner"], theirs["loser"]
        raise InputError(
            f"{table.locate(row)}: the winner {table.frame['player_a'][row]!r} has the same score "
            f"as the loser; if scores decide, say columns={{'player_a': {one!r}, 'player_b': "
            f"{other!r}}} or --columns player_a={quoted(one)} --columns player_b={quoted(other)}, "
            f"otherwise leave them out."
        )


def _matches(rows: pl.Series) -> str:
    return counted(int(rows.sum()), "match").replace("matchs", "matches")


def _say_forfeits(rows: pl.Series, report: Understanding) -> None:
    if rows.any():
        wins = "a win" if rows.sum() == 1 else "wins"
        report.assumptions.append(f"outcome: {_matches(rows)} not played (forfeit): {wins}.")


def _of_winner(table: Table, report: Understanding) -> pl.Series:
    """The outcome out of a column that names the winner, or says which side won."""
    frame = table.frame
    given = frame["winner"].cast(pl.String)
    a, b, winner = (
        as_names(frame[name].cast(pl.String)) for name in ("player_a", "player_b", "winner")
    )
    plain = _plain(winner)
    drawn = plain.replace_strict({**_DRAWS, **_WORDS}, default=None, return_dtype=pl.Float64) == 0.5
    drawn = drawn.fill_null(value=False)
    named = ((winner == a) | (winner == b)).fill_null(value=False)
    nothing = winner.is_null() | _is_unplayed(plain.fill_null("")).fill_null(value=True)
    drawn &= ~named
    if (named | drawn | nothing).all():
        report.explain("outcome", "the winner's name")
        outcome = (winner == a).cast(pl.Float64)
    else:
        sides = _side(plain.filter(~nothing), table.locate, (~nothing).arg_true(), report)
        if sides is None:
            row = int((~(named | drawn | nothing)).arg_max() or 0)
            raise InputError(
                f"{table.locate(row)}: winner {given[row]!r} is neither player_a {a[row]!r} nor "
                f"player_b {b[row]!r}."
            )
        report.explain("outcome", "the side that won")
        outcome = pl.repeat(None, len(plain), dtype=pl.Float64, eager=True).scatter(
            (~nothing).arg_true(), sides
        )
    outcome = outcome.set(drawn, 0.5).set(nothing & ~drawn & ~named, None)
    return outcome.alias("outcome")


def _side(
    plain: pl.Series, where: Locator, rows: pl.Series, report: Understanding
) -> pl.Series | None:
    """The outcome out of which side won; None if it is not said so."""
    distinct = plain.unique()
    if len(distinct) > _MOST_WORDS:
        return None
    words = set(distinct.to_list())
    for known in _SIDES.values():
        if words <= set(known):
            return plain.replace_strict(known, return_dtype=pl.Float64)
    numbered = {"1": 1.0, "2": 0.0, "0": 0.5, **_DRAWS}
    if not words <= set(numbered):
        return None
    if "0" in words:
        if "2" not in words:
            row = int(rows[int((plain == "0").arg_max() or 0)])
            raise InputError(
                f"{where(row)}: winner '0' can be a draw or the second of the two; write 1 and 2 "
                f"for who won, or their names, and draw."
            )
        report.assumptions.append("winner: 0 is a draw.")
    return plain.replace_strict(numbered, return_dtype=pl.Float64)


class _Results:
    """A column of results as texts on its way."""

    def __init__(self, table: Table, report: Understanding, *, matches: bool) -> None:
        self.table, self.report, self.matches = table, report, matches
        self.given = table.frame["outcome"]
        self.distinct = self.given.unique(maintain_order=True).drop_nulls()
        self.plain = _plain(self.distinct)

    def understood(self) -> Table:
        numbers = self.distinct.cast(pl.Float64, strict=False)
        if numbers.null_count() == 0 and not _few(numbers):
            return self.table
        unplayed = _is_unplayed(self.plain)
        open_words = self.plain.filter(~unplayed)
        values = self._words(self.plain) if len(open_words) else None
        if values is None and len(open_words):
            values = self._words(open_words)
            if values is not None:
                values = self._placed(values, ~unplayed)
        if values is not None or not len(open_words):
            return self._with(outcome=values)
        return self._pairs(unplayed)

    def _words(self, words: pl.Series) -> pl.Series | None:
        """What the only vocabulary that has all of these words says."""
        if len(words) > _MOST_WORDS:
            return None
        distinct = set(words.to_list())
        known = {**_OWN, **_SIDES} if self.matches else _OWN
        fitting = {name: each for name, each in known.items() if distinct <= set(each)}
        readings = {name: {word: each[word] for word in distinct} for name, each in fitting.items()}
        if not readings:
            return None
        (name, first), *others = readings.items()
        for other, reading in others:
            differs = next(
                (word for word in sorted(distinct) if reading[word] != first[word]), None
            )
            if differs is not None:
                if name == "halves" or other == "halves":
                    continue
                row = int(
                    (self.given == self.distinct.filter(self.plain == differs)[0]).arg_max() or 0
                )
                raise InputError(
                    f"{self.table.locate(row)}: outcome {self.given[row]!r} can be of {name} or of "
                    f"{other}; write win, draw and loss."
                )
        if "halves" in readings:
            name, first = "halves", readings["halves"]
        self.report.explain("outcome", name)
        return words.replace_strict(first, return_dtype=pl.Float64)

    def _placed(self, values: pl.Series, rows: pl.Series) -> pl.Series:
        whole = pl.repeat(None, len(rows), dtype=values.dtype, eager=True)
        return whole.scatter(rows.arg_true(), values)

    def _spread(self, values: pl.Series | None) -> pl.Series:
        if values is None:
            return pl.repeat(None, len(self.given), dtype=pl.Float64, eager=True)
        return self.given.replace_strict(
            self.distinct, values, default=None, return_dtype=values.dtype
        )

    def _with(self, **values: pl.Series | None) -> Table:
        columns = {name: self._spread(each) for name, each in values.items()}
        return self.table._replace(frame=self.table.frame.with_columns(**columns))

    def _pairs(self, unplayed: pl.Series) -> Table:
        """Two numbers: halves of a point that make one outcome, or scores; or several sets."""
        plain, slashed = self.plain, self.plain.str.contains(r"^\d+/\d+$")
        if (slashed | unplayed).all() and not (plain == "1/2").any():  # which may be a half
            plain = plain.str.replace("/", ":", literal=True)
        cells = _cells(plain)
        wrong = ~unplayed & ~cells["known"]
        rest = self.distinct.filter(~(wrong | unplayed)).str.strip_chars()
        if wrong.any() and rest.cast(pl.Float64, strict=False).null_count() == 0:
            return self.table
        if wrong.any():
            row = int(self.given.is_in(self.distinct.filter(wrong).implode()).arg_max() or 0)
            raise InputError(
                f"{self.table.locate(row)}: outcome {self.given[row]!r} is not a result such as "
                f"1-0, 3:1, 0.5, win, draw or loss."
            )
        if cells["sets"].any():
            self.report.assumptions.append("outcome: in a match of sets, the sets won are counted.")
        _say_forfeits(self._spread(cells["forfeit"]).fill_null(value=False), self.report)
        if cells["turned"].any():
            shown = self.distinct.filter(cells["turned"])[0]
            self.report.assumptions.append(
                f"outcome: in {shown!r} the letter decides, and the winner has the higher score."
            )
        if not cells["sets"].any() and self._is_one_point(cells):
            self.report.explain("outcome", "1-0, 0-1 and ½-½")
            alone = cells["a"] + cells["b"] == 1.0
            return self._with(outcome=cells["a"].set(~alone.fill_null(value=False), None))
        return self._scores(cells)

    def _is_one_point(self, cells: pl.DataFrame) -> bool:
        """Whether a match is about one point, so that 0-0 is no result."""
        a, b = cells["a"].drop_nulls(), cells["b"].drop_nulls()
        if (a > 1.0).any() or (b > 1.0).any():
            return False
        sides = self.table.frame.get_column("side", default=None)
        of_chess = sides is not None and sides.dtype == pl.String and sides[0] in ("white", "black")
        return of_chess or bool(cells["half"].any()) or bool((a + b == 1.0).all())

    def _scores(self, cells: pl.DataFrame) -> Table:
        """Goals, games or sets of both; after a shoot-out, that decides."""
        outcome = cells["lead"].sign() * 0.5 + 0.5
        if cells["unmarked"].any():
            self.report.assumptions.append(
                "outcome: what stands in brackets behind a draw is the shoot-out."
            )
        if cells["halftime"].any():
            self.report.assumptions.append(
                "outcome: what stands in brackets is the score at half-time."
            )
        columns = self.table.frame.columns
        if not self.matches or "score_a" in columns or cells["forfeit"].any():
            self.report.explain("outcome", "who scored more")
            margin = (
                {}
                if "margin" in columns
                else {"margin": (cells["a"] - cells["b"]).abs().set(cells["forfeit"], None)}
            )
            return self._with(outcome=outcome, **margin)
        self.report.explain("outcome", "the score of both")
        whole = bool(
            (cells["a"].floor() == cells["a"]).all() and (cells["b"].floor() == cells["b"]).all()
        )
        a, b = (cells[name].cast(pl.Int64) if whole else cells[name] for name in "ab")
        if (cells["lead"].sign() != (cells["a"] - cells["b"]).sign()).any():
            return self._with(outcome=outcome, score_a=a, score_b=b)
        table = self._with(score_a=a, score_b=b)
        return table._replace(frame=table.frame.drop("outcome"))


def _cells(plain: pl.Series) -> pl.DataFrame:
    """Per text: two numbers, who is ahead, and what they are."""
    for pattern, shorter in _SHORTER.items():
        plain = plain.str.replace(pattern, shorter)
    groups = plain.str.extract_groups(_ONE_PAIR).struct.unnest()
    won = _sets_won(plain)
    sets = bool(won["a"].is_not_null().any())
    forfeit = plain.replace_strict(_FORFEITS, default=None, return_dtype=pl.Float64)
    single = plain.replace_strict(
        {**_HALVES, "=": 0.5, **_DRAWN_WORDS}, default=None, return_dtype=pl.Float64
    )
    letter = groups["letter"].replace_strict(_LETTERS, default=None, return_dtype=pl.Float64)
    a, b = _number(groups["a"]), _number(groups["b"])
    turned = (letter * (a - b) < 0.0).fill_null(value=False)
    a, b = a.zip_with(~turned, b), b.zip_with(~turned, a)
    half = single.is_not_null() | forfeit.is_not_null() | plain.str.contains(r"½|1/2|\b0[.,]5\b")
    value = single.zip_with(single.is_not_null(), forfeit)
    cells = pl.DataFrame(
        {
            "a": a.zip_with(value.is_null(), value),
            "b": b.zip_with(value.is_null(), 1.0 - value),
            "c": groups["c"].cast(pl.Float64),
            "d": groups["d"].cast(pl.Float64),
            "marked": groups["pens"].is_not_null(),
            "forfeit": forfeit.is_not_null()
            | groups["forfeit"].is_not_null()
            | plain.str.contains(rf"^(?:{_FORFEIT})$"),
            "half": half,
            "letter": letter,
            "turned": turned,
        }
    )
    if sets:
        lead = pl.col("a") - pl.col("b")
        cells = cells.with_columns(a=lead > 0, b=lead < 0).cast({"a": pl.Float64, "b": pl.Float64})
        cells = cells.with_columns(
            a=won["a"].zip_with(won["a"].is_not_null(), cells["a"]),
            b=won["b"].zip_with(won["b"].is_not_null(), cells["b"]),
        )
    return _with_lead(cells.with_columns(sets=pl.lit(sets)))


def _with_lead(cells: pl.DataFrame) -> pl.DataFrame:
    """Who is ahead by the letter, the shoot-out or the score; brackets may be of half-time."""
    ahead = pl.col("a") - pl.col("b")
    possible = (pl.col("c") <= pl.col("a")) & (pl.col("d") <= pl.col("b"))
    unmarked = ~pl.col("marked") & ~possible & (ahead == 0) & (pl.col("c") != pl.col("d"))
    cells = cells.with_columns(unmarked=unmarked.fill_null(value=False))
    decides = pl.col("marked") | pl.col("unmarked")
    shot = pl.when(decides).then(pl.col("c") - pl.col("d"))
    halftime = pl.col("c").is_not_null() & ~decides
    return cells.with_columns(
        lead=pl.coalesce("letter", shot, ahead),
        halftime=halftime,
        known=pl.col("a").is_not_null()
        & (~halftime | possible)
        & ((pl.col("letter") != 0.0).fill_null(value=True) | (ahead == 0)),
    )


def _sets_won(plain: pl.Series) -> pl.DataFrame:
    """How many sets each of the two won, null for texts that are not several sets."""
    several = plain.str.contains(_SETS)
    rows = pl.DataFrame({"row": pl.int_range(len(plain), eager=True)})
    if not several.any():
        return rows.select(a=pl.lit(None, pl.Float64), b=pl.lit(None, pl.Float64))
    each = rows.with_columns(set=plain.str.extract_all(_SET)).filter(several).explode("set")
    points = each["set"].str.extract_groups(rf"^{_SET}").struct.unnest().cast(pl.Int64)
    points.columns = ["first", "second"]
    won = (
        pl.concat([each, points], how="horizontal")
        .group_by("row")
        .agg(
            a=(pl.col("first") > pl.col("second")).sum().cast(pl.Float64),
            b=(pl.col("first") < pl.col("second")).sum().cast(pl.Float64),
        )
    )
    return rows.join(won, on="row", how="left", maintain_order="left").select("a", "b")


def _number(texts: pl.Series) -> pl.Series:
    """Numbers with halves."""
    whole = texts.str.replace("1/2", "½", literal=True).str.replace(",", ".", literal=True)
    number = whole.str.replace("½", "", literal=True)
    halves = whole.str.contains("½", literal=True).cast(pl.Float64) * 0.5
    return number.set(number == "", "0").cast(pl.Float64, strict=False) + halves
