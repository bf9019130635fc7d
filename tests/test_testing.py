# ruff: noqa: ARG001, ARG005
"""Every check of `podium.testing` lets a sound system pass and catches one that is broken."""

import dataclasses
import itertools

import numpy as np
import pytest

import podium
from podium.systems import Performances, parameter
from podium.testing import CHECKS, check_system
from tests.systems.plain_average import Average


@dataclasses.dataclass(frozen=True, kw_only=True)
class Sound(Average):
    """A system of teams with an uncertainty, scores and a drift, all in plain NumPy."""

    name = "sound"
    takes_teams = True
    takes_scores = True

    sigma_new: float = parameter(300.0, "the uncertainty of a newcomer", low=0.0)
    drift_per_day: float = parameter(0.0, "variance that skill gains per day", low=0.0)

    def rate_contest(self, players, standings):
        members = np.bincount(standings.competitor)
        mu = np.bincount(standings.competitor, players["mu"]) / members
        others = (mu.sum() - mu) / (len(mu) - 1)
        expected = 1.0 / (1.0 + 10.0 ** np.clip((others - mu) / 400.0, -300.0, 300.0))
        surprise = standings.scores - expected[standings.competitor]
        gain = self.k * players["sigma"] / 300.0
        players["mu"] += standings.weight * standings.share * gain * surprise
        players["sigma"] *= 0.98
        return players["mu"] + 400.0 * surprise

    def performances(self, field):
        scale = np.sqrt(170.0**2 + field.variance / field.size)
        return Performances.normal(field.mu / field.size, scale)


def test_sound_systems_pass_as_classes_and_as_objects():
    check_system(Sound)
    check_system(Average(k=20.0), leave_out=["large_contests"])


def mutant(base=Sound, **methods):
    """A class that differs from a sound one in these members."""
    return type("Broken", (base,), {"__doc__": base.__doc__, "name": "broken", **methods})


def changed(change):
    """A `rate_contest` after which something else happens to the players."""

    def rate_contest(self, players, standings):
        before = players.copy()
        performance = Sound.rate_contest(self, players, standings)
        change(players, standings, before)
        return performance

    return {"rate_contest": rate_contest}


calls = itertools.count()


def depends_on_calls(players, standings, before):
    players["mu"] += 1e-6 * next(calls)


def fails_in_crowds(players, standings, before):
    if len(players) > 10_000:
        players["mu"] = np.nan


def depends_on_rows(players, standings, before):
    players["mu"] += 1e-3 * np.arange(len(players))


def fails_at_gaps(players, standings, before):
    if np.ptp(before["mu"]) > 5_000.0:
        players["sigma"] = -1.0


def forgets_weight(players, standings, before):
    players["mu"] = before["mu"] + (players["mu"] - before["mu"]) / standings.weight


def goes_by_ranks(players, standings, before):
    players["mu"] = np.where(standings.rank == 1, before["mu"] + 9.0, before["mu"] - 9.0)


def rewards_the_last(players, standings, before):
    players["mu"][-1] += 100.0 if len(players) == 12 else 0.0


def takes_back(players, standings, before):
    if len(players) == 60:
        players["mu"] = before["mu"] + np.where(before["contests"] % 2, -1.0, 1.0) * (
            players["mu"] - before["mu"]
        )


def forgets_shares(players, standings, before):
    players["mu"] = before["mu"] + (players["mu"] - before["mu"]) / standings.share


def prefers_the_named_first(players, standings, before):
    if np.bincount(standings.competitor).max() > 1:
        players["mu"][0] += 0.01


def update_many(change):
    """An `update_many` after which something else happens."""

    def update(self, beliefs, columns, events=None, **options):
        Sound.update_many(self, beliefs, columns, events, **options)
        change(self, beliefs, columns, events, options)

    return {"update_many": update}


def miscounts_events(self, beliefs, columns, events, options):
    if events is not None:
        events[3] += 1.0


def moves_for_nothing(self, beliefs, columns, events, options):
    if len(columns.player) == 0:
        beliefs.table["mu"] += 1.0


def depends_on_threads(self, beliefs, columns, events, options):
    beliefs.table["mu"][: len(beliefs)] *= 1.0 + 1e-15 * (options.get("threads", 1) - 1)


def remembers(self, beliefs, columns, events, options):
    beliefs.pool[: len(beliefs)] += 1.0


def shrinks(self, beliefs, players, time=None):
    mu, sigma = Sound.aged(self, beliefs, players, time)
    return mu, sigma if time is None else 0.5 * sigma


def afterwards(self, beliefs, columns, events, **options):
    mu, sigma = Sound.beliefs_before(self, beliefs, columns, events, **options)
    return mu + 1.0, sigma


def by_the_field(self, beliefs, players, time=None):
    mu, sigma = self.aged(beliefs, players, time)
    return {"forecast": mu - mu.mean(), "spread": sigma}


def resets_everybody(self, beliefs, players, reset):
    Sound.reset(self, beliefs, np.arange(len(beliefs)), reset)


def starts_as_certain_as_ever(self, beliefs, players, mu, sigma):
    beliefs.table["mu"][players] = mu


MUTANTS = {
    "batches": (mutant(**changed(depends_on_calls)), "in two batches, "),
    "events": (mutant(**update_many(miscounts_events)), "mu ends as "),
    "empty_contests": (mutant(**update_many(moves_for_nothing)), "after no contest, "),
    "threads": (mutant(**update_many(depends_on_threads)), "with three threads, 'p000000' has mu"),
    "large_contests": (mutant(**changed(fails_in_crowds)), "a mu that is not finite, in the"),
    "names": (mutant(**changed(depends_on_rows)), "names do not matter, but '"),
    "large_gaps": (mutant(**changed(fails_at_gaps)), "mu or sigma is not finite, or sigma is neg"),
    "predictions": (
        mutant(performances=lambda self, field: Performances.normal(-field.mu, 200.0)),
        "with the higher mu",
    ),
    "pairs": (
        mutant(expected_scores=lambda self, first, second, side: 0.5 + 0.0 * first.mu),
        "expected_scores has 0.5 where chances has ",
    ),
    "certainty": (
        mutant(
            performances=lambda self, field: Performances.normal(
                field.mu / field.size + np.sqrt(field.variance), 200.0
            )
        ),
        "four with one mu have the expected ranks ",
    ),
    "results": (mutant(**changed(forgets_weight)), "weights of 0.01, 1 and 50 give a "),
    "scores": (mutant(**changed(goes_by_ranks)), "scores of 0, ¼, ½, ¾ and 1 give "),
    "better_ranks": (
        mutant(**changed(rewards_the_last), falls_with_rank=True),
        "with 12 ranks, mu is ",
    ),
    "absence": (mutant(aged=shrinks), "after a year, a sigma of "),
    "beliefs_before": (mutant(beliefs_before=afterwards), "beliefs_before says otherwise"),
    "forecasts": (mutant(forecasts=True, besides=by_the_field), " alone is expected elsewhere"),
    "saving": (
        mutant(pool_per_player=1, remember=lambda *_: None, **update_many(remembers)),
        "what is remembered of players differs",
    ),
    "damage": (mutant(flaw=lambda *_: None), "a mu that is not a number is accepted"),
    "parameters": (mutant(__doc__="Short."), "its docstring begins 'Short.'"),
    "explanations": (
        mutant(rating=lambda self, mu, sigma, contests: mu + 0.0 * len(np.shape(mu)) / np.ndim(mu)),
        "it raised ZeroDivisionError",
    ),
    "truth": (mutant(**changed(takes_back)), "mu and true skill have a rank correlation of "),
    "teams": (mutant(**changed(forgets_shares)), "shares of 1, 0.1 and a loss give "),
    "order_of_teams": (mutant(**changed(prefers_the_named_first)), "two who won have mu "),
    "resets": (mutant(reset=resets_everybody), "what is believed of others changes"),
    "starts": (mutant(start=starts_as_certain_as_ever), "sigma of "),
}


def test_every_check_has_a_mutant():
    assert list(MUTANTS) == list(CHECKS)


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_catches_what_it_is_for_and_says_so(name):
    broken, sentence = MUTANTS[name]
    others = [each for each in CHECKS if each != name]
    with pytest.raises(podium.InputError) as refused:
        check_system(broken, leave_out=others)
    heading, line = str(refused.value).splitlines()
    assert heading == "broken fails 1 of 1 check:"
    demand = CHECKS[name].__doc__.partition("\n")[0].removesuffix(".")
    assert line.startswith(f"- {name}: {demand[0].lower()}{demand[1:]}, but ")
    assert sentence in line
    assert line.endswith(".")


def test_all_that_fails_is_listed_in_sentences():
    broken = mutant(__doc__="Short.", **changed(forgets_weight))
    with pytest.raises(podium.InputError) as refused:
        check_system(broken, leave_out=["large_contests", "threads", "large_gaps"])
    heading, *lines = str(refused.value).splitlines()
    assert heading == f"broken fails {len(lines)} of {len(CHECKS) - 3} checks:"
    assert {"results", "parameters"} <= {line.split()[1].rstrip(":") for line in lines}


def test_what_is_no_system_is_refused_before_it_is_checked():
    with pytest.raises(podium.InputError, match=r"a class derived from podium.systems.System"):
        check_system(podium.Ladder("elo"))
    with pytest.raises(podium.InputError, match=r"no check 'batchs' .did you mean 'batches'"):
        check_system(Sound, leave_out=["batchs"])


def test_a_system_that_raises_is_said_to():
    def rate_contest(self, players, standings):
        raise ValueError("no idea")

    with pytest.raises(podium.InputError, match=r"but it raised ValueError \(no idea\)\."):
        check_system(mutant(rate_contest=rate_contest))
