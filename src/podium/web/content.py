"""What pages say: documents of views, put together for the templates, served or published."""

import datetime
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from podium.documents import as_document
from podium.errors import InputError, NotFoundError
from podium.hindsight.looking import LookBack
from podium.league import Filters, Rules, StoredLookBack, View, documents
from podium.league.live import ONE
from podium.league.public import public_log
from podium.ratings.careers import Career
from podium.ratings.chances import Chances
from podium.results.times import Time
from podium.systems.base import System
from podium.texts import folded, normalised
from podium.web import charts, feeds
from podium.web.charts import lettering
from podium.web.rendering import setting

Content = dict[str, Any]
When = datetime.datetime | None

ROWS = 50
"""Players on a page of the leaderboard."""
STANDINGS = 100
"""Rows on a page of a contest, and contests on that of a player."""
_SURPRISES = 5
_CHANGES = 50
FIELD = 200
"""The most players of whom a contest is predicted."""
_SIDE_BY_SIDE = 5
_CHOICES = 60
"""Values of an attribute that a reader chooses from."""


@dataclass(frozen=True)
class Pages:
    """Which part of a long table is shown."""

    number: int
    size: int
    rows: int

    @classmethod
    def of(cls, number: int, size: int, rows: int) -> "Pages":
        """The page of that number; raise if there is none."""
        found = cls(number, size, rows)
        if not 1 <= number <= found.count:
            raise NotFoundError(f"there is no page {number:,}; the last is {found.count:,}.")
        return found

    @property
    def count(self) -> int:
        """How many pages there are."""
        return max(1, -(-self.rows // self.size))

    @property
    def skip(self) -> int:
        """How many rows come before."""
        return (self.number - 1) * self.size

    @property
    def shown(self) -> tuple[int, int]:
        """The first and the last row that is shown, from 1 on."""
        return self.skip + 1, min(self.rows, self.skip + self.size)


@dataclass(frozen=True)
class Titles:
    """The titles of a league, each with its colour."""

    titles: tuple[tuple[float, str], ...]
    colours: tuple[tuple[str, str], ...] = ()
    kept: bool = False

    @classmethod
    def of(cls, rules: Rules) -> "Titles":
        """Those that the rules give."""
        return cls(rules.titles, rules.colours, rules.keep_titles)

    @property
    def names(self) -> list[str]:
        """The highest first."""
        return [title for _, title in reversed(self.titles)]

    @property
    def toned(self) -> list[tuple[float, str, str]]:
        """Each with its lowest rating and the class of its colour, as charts take them."""
        return [(lowest, title, self.tone(title)) for lowest, title in self.titles]

    @cached_property
    def sheet(self) -> str:
        """The style sheet of colours that only this league has; empty if there are none."""
        return charts.style_sheet(self._tones.values())

    @cached_property
    def _tones(self) -> dict[str, str]:
        """The class of each title's colour; of the highest, if several bear the same name."""
        found = {
            title: charts.tone(index, len(self.titles))
            for index, (_, title) in enumerate(self.titles)
        }
        return found | {title: charts.tone_for(colour) for title, colour in self.colours}

    def tone(self, title: str | None) -> str:
        """The class of a title's colour."""
        return "" if title is None else self._tones.get(title, "")

    def title(self, rating: float | None) -> str | None:
        """What a rating earns."""
        return None if rating is None else Rules(titles=self.titles).title(rating)

    def tone_of(self, rating: float | None, provisional: bool | None = False) -> str:
        """The colour of what it earns, unless it is provisional."""
        return "" if provisional else self.tone(self.title(rating))


def common(view: View) -> Content:
    """What every page of a league needs."""
    system = view.system
    return {
        "system": system.name,
        "digits": system.decimals,
        "forecasts": system.forecasts,
        "titles": Titles.of(view.rules),
        "any_live": view.has_live(),
    }


def leaderboard(view: View, filters: Filters, *, page: int = 1, ties: bool = False) -> Content:
    """The best players, with where they come from."""
    found = common(view)
    titles = found["titles"].names
    if filters.title is not None and filters.title not in titles:
        raise NotFoundError(f"the league gives no title {filters.title!r}.")
    season, filters = filters.season, view.dated(filters)
    skip = (page - 1) * ROWS
    board = view.board(replace(filters, n=ROWS, skip=skip))
    pages = Pages.of(page, ROWS, board.eligible if filters.matching is None else board.matching)
    rows = board.document()["leaderboard"]
    names = [row["player"] for row in rows]
    for row, trend in zip(rows, documents(view.trends(names, at=filters.at)), strict=True):
        row |= _moved(trend)
    if ties:
        ranges = view.place_ranges(names, at=filters.at, among=replace(filters, matching=None))
        for row, found_range in zip(rows, documents(ranges), strict=True):
            row |= _including(row["place"], found_range)
    return {
        **found,
        "rows": rows,
        "pages": pages,
        "board": board,
        "ties": ties,
        "tied": tied_places(rows) if ties and filters.matching is None else [],
        "has_sigma": any(row["sigma"] is not None for row in rows),
        "last": _last_contest(view, filters.at),
        "attributes": _attributes(view),
        **_form(view),
        "seasons": documents(view.seasons())[::-1],
        "season": season,
        "until": None if filters.at is None else as_document({"time": filters.at})["time"],
    }


def _attributes(view: View) -> list[Content]:
    """What everybody may know of players, each with what it is called on pages."""
    return [
        {"name": each.name, "kind": each.kind, "label": _label(each.name)}
        for each in view.attributes
        if each.public
    ]


def _label(name: str) -> str:
    """What an attribute is called on pages.

    Example:
        >>> _label("birth_year")
        'Birth year'
    """
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def _form(view: View) -> Content:
    """What a reader may choose from: values of attributes that have few of them, as conditions."""
    public = [each for each in view.attributes if each.public]
    found = {
        each.name: view.values_of(each.name, _CHOICES) for each in public if each.kind == "text"
    }
    choices = {name: values for name, values in found.items() if values}
    first = next((each.name for each in public if each.kind == "number"), None)
    return {
        "choices": choices,
        "offered": [f"{name}={value}" for name, values in choices.items() for value in values],
        "example": f"{first}>=2005" if first else "country=NO",
    }


def displays(view: View, found: Content) -> dict[str, str]:
    """What players on a page are shown as, by name, if that is not the name."""
    return view.displays(sorted(_named_in(found)))


def _named_in(found: Any) -> set[str]:
    """The names of all players in documents."""
    if isinstance(found, dict):
        own = {found["player"]} if isinstance(found.get("player"), str) else set()
        return own.union(*map(_named_in, found.values()))
    return set().union(*map(_named_in, found)) if isinstance(found, list) else set()


def _moved(trend: Content) -> Content:
    """The ratings before the last contest and a month ago, beside the one after it."""
    after = trend["curve"][-1] if trend["curve"] else None
    before = {
        f"{name}_before": None if trend[name] is None else after - trend[name]
        for name in ("change", "month")
    }
    return {"contest": trend["contest"], "curve": trend["curve"], "after": after, **before}


def _including(place: int, found: Content) -> Content:
    """A range of places with the one that a player has: ratings may go by more than strength."""
    if found["best"] is None:
        return {"best": None, "worst": None}
    return {"best": min(found["best"], place), "worst": max(found["worst"], place)}


def tied_places(rows: Sequence[Content]) -> list[tuple[int, int]]:
    """Places in a row that cannot be told apart from the first of them.

    Example:
        >>> tied_places([{"place": 1, "worst": 1}, {"place": 2, "worst": 3},
        ...              {"place": 3, "worst": 9}])
        [(2, 3)]
    """
    found, rest = [], [row for row in rows if row.get("worst") is not None]
    while rest:
        first, place = rest[0], rest[0]["place"]
        last = max((row["place"] for row in rest if row["place"] <= first["worst"]), default=place)
        if last > place:
            found.append((place, last))
        rest = [row for row in rest if row["place"] > last]
    return found


def _last_contest(view: View, at: Time | None) -> Content | None:
    frame, _ = view.contest_page(1, at=at)
    return next(iter(documents(frame)), None)


def player(view: View, name: str, *, at: When = None, page: int = 1) -> Content:
    """All about one player."""
    found = common(view)
    career = view.career(name, at=at)
    about = career.document()
    history = about["history"][::-1]
    pages = Pages.of(page, STANDINGS, len(history))
    place, players = about["place"], about["players"]
    return {
        **found,
        "player": about,
        "decay": career.decay(lambda value: lettering.number(value, found["digits"])),
        "pages": pages,
        "history": history[pages.skip : pages.skip + pages.size],
        "first": history[-1] if history else None,
        "last": history[0] if history else None,
        "seasons": about["seasons"][::-1],
        "better_than": None if place is None or players < 2 else (players - place) / (players - 1),
        "next_title": _upcoming(view.rules, career),
        "rivals": documents(view.rivals(about["player"], at=at)),
        "wins": sum(row["rank"] == 1 for row in history),
        "attributes": _attributes(view),
    }


def look_back(view: View, name: str, found: LookBack, *, at: When = None, page: int = 1) -> Content:
    """One player in hindsight, beside what was believed at the time."""
    about = view.player(name, at=at).document()
    contests = found.contests.summary()
    known = contests.select(
        "contest",
        pl.col("players").alias("participants"),
        contests["name"] if "name" in contests.columns else pl.lit(None, pl.String).alias("name"),
    )
    rows = found.player(about["player"]).join(known, "contest", how="left", maintain_order="left")
    return {
        **_looked_back_at(view, about, documents(rows), page, STANDINGS),
        "contests": contests.height,
        "until": contests["time"][-1],
        "stored": None,
    }


def stored_look_back(
    view: View, name: str, stored: StoredLookBack, *, page: int = 1, size: int | None = STANDINGS
) -> Content:
    """The same out of the look back that the league keeps; without a `size`, all on one page."""
    rows = documents(view.looked_back_at(name))
    about = view.player(name).document()
    return {
        **_looked_back_at(view, about, rows, page, len(rows) if size is None else size),
        "contests": stored.about["contests"],
        "until": stored.until,
        "stored": stored,
    }


def _looked_back_at(
    view: View, about: Content, rows: list[Content], page: int, size: int
) -> Content:
    shown = rows[::-1]
    pages = Pages.of(page, max(size, 1), len(shown))
    return {
        **common(view),
        "player": about,
        "curves": [
            _as_career("at the time", rows, "believed", "believed_sigma"),
            _as_career("in hindsight", rows, "estimate", "sigma"),
        ],
        "rows": shown[pages.skip : pages.skip + pages.size],
        "pages": pages,
    }


def _as_career(called: str, rows: Sequence[Content], mean: str, sigma: str) -> Content:
    """A curve as the chart of several players takes it."""
    history, before = [], None
    for row in rows:
        history.append(
            {
                **{name: row[name] for name in ("contest", "name", "time", "rank", "participants")},
                "performance": None,
                "rating_before": row[mean] if before is None else before,
                "rating": row[mean],
                "sigma": row[sigma],
            }
        )
        before = row[mean]
    return {"player": called, "history": history}


def _upcoming(rules: Rules, career: Career) -> tuple[float, str] | None:
    """The next title; of titles that are kept, after the best rating that has earned one."""
    if career.player.provisional:
        return None
    rating = career.player.rating
    if rules.keep_titles:
        earning = career.history.filter(~career.history["provisional"])["rating"].to_list()
        rating = max((rating, *earning))
    return rules.next_title(rating)


def contest(
    view: View, identifier: str, *, at: When = None, page: int = 1, matching: str | None = None
) -> Content:
    """All about one contest."""
    result = view.result(identifier)
    refuse_later({"contest": result.contest, "time": result.time}, at)
    about = result.document(0)
    standings = result.standings
    rated = standings.filter(standings["change"].is_not_null())
    shown = standings if matching is None else standings.filter(_holding(standings, matching))
    pages = Pages.of(page, STANDINGS, shown.height)
    has = {
        key: bool(standings[key].is_not_null().any())
        for key in ("performance", "expected_rank", "team", "given_team", "score", "status")
    }
    return {
        **common(view),
        "contest": about,
        "limited": not (about["rating_floor"] is None and about["rating_ceiling"] is None),
        "rows": documents(shown.slice(pages.skip, pages.size)),
        "pages": pages,
        "has": has,
        "rated": rated.height,
        "surprises": surprises(rated),
        "before": rated["rating_before"].to_list(),
        "after": rated["rating"].to_list(),
    }


def refuse_later(contest: Content, at: When) -> None:
    """Raise if a contest took place after the date as of which the reader looks."""
    if at is not None and contest["time"] > at:
        raise NotFoundError(
            f"contest {contest['contest']!r} took place on {contest['time']:%Y-%m-%d}, later than "
            f"the date as of which you look."
        )


def _holding(frame: pl.DataFrame, text: str) -> pl.Series:
    sought = folded(normalised(text))
    return pl.Series([sought in folded(name) for name in frame["player"]], dtype=pl.Boolean)


def surprises(rated: pl.DataFrame, n: int = _SURPRISES) -> dict[str, list[Content]]:
    """Who ended far better, and far worse, than was expected.

    Ranks are compared by their odds, so that the first place of an outsider among a thousand counts
    for more than the 400th in place of the 500th.
    """
    expected = rated["expected_rank"].to_numpy()
    if not rated.height or np.isnan(expected).all():
        return {"better": [], "worse": []}
    size = rated.height + 1.0

    def odds(rank: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        share = np.clip(rank, 0.5, size - 0.5) / size
        return np.asarray(np.log(share / (1.0 - share)))

    score = np.nan_to_num(odds(expected) - odds(rated["rank"].to_numpy().astype(float)))
    order = np.argsort(-score, kind="stable")
    better = [each for each in order[:n].tolist() if score[each] > math.log(1.5)]
    worse = [each for each in order[::-1][:n].tolist() if score[each] < -math.log(1.5)]
    return {"better": documents(rated[better]), "worse": documents(rated[worse])}


def why(view: View, identifier: str, name: str, *, at: When = None) -> Content:
    """Why a contest did to a player's rating what it did."""
    explanation = view.explain(identifier, name)
    refuse_later({"contest": explanation.contest, "time": explanation.time}, at)
    curve = view.what_if(identifier, name).document()
    opponents = explanation.opponents
    return {
        **common(view),
        "why": explanation.document(),
        "opponents": as_document({"rows": opponents.to_dicts()})["rows"],
        "curve": curve,
    }


def compare(view: View, names: Sequence[str], *, at: When = None) -> Content:
    """Players side by side."""
    found = common(view)
    asked = list(dict.fromkeys(each.strip() for each in names if each.strip()))
    if len(asked) > _SIDE_BY_SIDE:
        raise InputError(
            f"at most {_SIDE_BY_SIDE} players are compared at once; these are {len(asked)}."
        )
    careers = [view.career(each, at=at).document() for each in asked]
    known = [each["player"] for each in careers]
    if len(set(known)) < len(known):
        raise InputError("two of these names are of one player; name two to five different ones.")
    if len(known) < 2:
        return {**found, "careers": careers, "known": known, "meetings": [], "pairs": {}}
    pairs = {}
    for one, other in itertools.permutations(known, 2):
        chances = view.win_probability(one, other, at=at), view.draw_probability(one, other, at=at)
        pairs[one, other] = chances
    return {
        **found,
        "careers": careers,
        "known": known,
        "meetings": documents(view.meetings(known, at=at)),
        "pairs": pairs,
    }


def predict(
    view: View,
    names: Sequence[str],
    *,
    top: int = 3,
    at: When = None,
    calibrated: bool = False,
) -> Content:
    """How a contest of these players may end."""
    asked = list(dict.fromkeys(each.strip() for each in names if each.strip()))
    if len(asked) > FIELD:
        raise InputError(
            f"a contest of at most {FIELD} players is predicted; these are {len(asked):,}."
        )
    chances = None
    known: dict[str, bool] = {}
    near: list[Content] = []
    if len(asked) >= 2:
        top = min(top, len(asked))
        chances = Chances.of(view, asked, top=top, at=at, calibrated=calibrated).document()
        known = {each: each in view for each in asked}
        near = documents(view.near_names([each for each in asked if not known[each]]))
    return {**common(view), "field": asked, "chances": chances, "known": known, "near": near}


def live_contests(view: View) -> Content:
    """Contests that are not over."""
    return {**common(view), "contests": [each.about() for each in view.live_contests()]}


def live(
    view: View,
    identifier: str,
    *,
    page: int = 1,
    matching: str | None = None,
    player: str | None = None,
    curve: bool = False,
) -> Content:
    """A contest that is not over, and what would become of everybody if it ended now.

    Args:
        view: The league.
        identifier: The contest.
        page: Which rows.
        matching: Only players or teams of whose names this is a part.
        player: Who is followed.
        curve: Whether all that is known of what ranks would give to them is wanted.
    """
    found = view.live(identifier)
    shown = found.searched(matching)
    pages = Pages.of(
        min(page, max(1, math.ceil(shown.height / STANDINGS))), STANDINGS, shown.height
    )
    columns = ("performance", "expected_rank", "team", "score", "status")
    followed = None if player is None else found.row(player)
    steps = None
    if followed is not None and followed["rated"] and (curve or found.needs == ONE):
        steps = view.live_curve(identifier, followed["player"]).document()
    return {
        **common(view),
        "contest": found.about(),
        "mark": f"{found.mark}.{found.state}",
        "has": {each: bool(found.table[each].is_not_null().any()) for each in columns},
        "needs": found.needs,
        "rows": documents(shown.slice(pages.skip, pages.size)),
        "pages": pages,
        "summary": found.summary(),
        "following": player,
        "followed": followed,
        "steps": steps,
        "with_curve": curve and steps is not None,
    }


def contests(view: View, *, page: int = 1, at: When = None, matching: str | None = None) -> Content:
    """All contests, the latest first."""
    frame, count = view.contest_page(
        STANDINGS, skip=(page - 1) * STANDINGS, at=at, matching=matching
    )
    pages = Pages.of(page, STANDINGS, count)
    return {**common(view), "rows": documents(frame), "pages": pages}


def about(view: View, *, at: When = None) -> Content:
    """Which system rates by which rules, and what was changed about them."""
    system = view.system
    return {
        **common(view),
        "about": view.about(at=at),
        "rules": view.rules,
        "revisions": _revisions(view, at),
        "seasons": documents(view.seasons())[::-1],
        "parameters": _parameters(system),
        "described": type(system).document(about=True),
        "has_sigma": not math.isnan(system.newcomer()["sigma"]),
    }


def _revisions(view: View, at: When) -> list[Content]:
    """All revisions, each with what differs from the one before."""
    frame = view.revisions()
    if at is not None:
        frame = frame.filter(pl.col("created") <= at)
    found = documents(frame)
    moved = {
        entry["details"].get("to"): entry["details"].get("moved")
        for entry in reversed(public_log(view, at=at))
        if entry["action"] == "revise"
    }
    for number, each in enumerate(found):
        old = found[max(number - 1, 0)]["parameters"]
        each["moved"] = moved.get(each["name"])
        each["differs"] = [
            f"{name} = {setting(value)}"
            for name, value in each["parameters"].items()
            if old.get(name) != value
        ]
    return found


def _parameters(system: System) -> list[Content]:
    """Each parameter with its value here, its default and what it does."""
    values = system.stored_parameters()
    return [
        {**each, "value": values.get(each["name"])}
        for each in type(system).document()["parameters"]
    ]


def changes(view: View, *, page: int = 1, at: When = None) -> Content:
    """The log as the public may see it."""
    entries = feeds.public_log(view, at=at)
    pages = Pages.of(page, _CHANGES, len(entries))
    return {
        **common(view),
        "rows": entries[pages.skip : pages.skip + pages.size],
        "pages": pages,
    }
