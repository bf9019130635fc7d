"""Looking back and static rankings, beside the peers: CPU seconds, and log loss of hidden matches.

`arena-rank` wants one version of NumPy alone, so that it is no extra of podium: it is compared
where it is installed beside podium, best in an environment of its own:
``pip install -e '.[all,dev]' arena-rank``.
"""

import math
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import evalica
import numpy as np
import polars as pl
import trueskillthroughtime as ttt

import podium
from benchmarks.report import Figure, cpu_seconds, data_file, in_fresh_process
from podium.evaluation.hidden import hide
from podium.hindsight import comparing, fitting, smoothing
from podium.hindsight.looking import log_losses
from podium.hindsight.smoothing import Chains, Parameters
from podium.numerics.factors import SCALE as SCALE_OF_LOGISTIC
from podium.results.options import Options

VOTES, MODELS = 2_000_000, 200
SWEEPS = 6
"""Iterations of TrueSkill Through Time, each through all matches forth and back."""
FOOTBALL = Parameters(q=1.0, drift=1.2, early_drift=10.0)
"""Near what `tune` finds; the loss hardly depends on it."""
TENNIS = Parameters(q=8.0, drift=0.3, early_drift=0.001)
"""By which the matches are made up."""
SPLITS = 3
"""Sets of hidden matches: on one of them, who is ahead is a matter of luck."""

_CODEFORCES = """
import json, resource, sys, time
import podium
contests = podium.read(sys.argv[1])
if sys.argv[2] == "rate":
    podium.rate(contests[:20], history=False, threads=1)
    start = time.process_time()
    podium.rate(contests, history=False, threads=1)
else:
    podium.look_back(contests[:20])
    start = time.process_time()
    podium.look_back(contests)
seconds = time.process_time() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
print(json.dumps({"seconds": seconds, "gigabytes": peak}))
"""


def run() -> list[Figure]:
    return [*_codeforces(), *_football(), *_tennis(), *_votes()]


def _codeforces() -> list[Figure]:
    path = data_file("codeforces.parquet")
    theirs = min(in_fresh_process(_CODEFORCES, path, "rate")["seconds"] for _ in range(2))
    ours = min((in_fresh_process(_CODEFORCES, path, "look back") for _ in range(2)),
               key=lambda each: each["seconds"])  # fmt: skip
    return [
        Figure("all of Codeforces", ours["seconds"], "CPU s", "elo-mmr's rating", theirs, "≥ 0.25"),
        Figure("the same, memory in all", ours["gigabytes"], "GB", goal="≤ 1.2 GB"),
    ]


def _football() -> list[Figure]:
    contests = podium.read(data_file("football.parquet"))
    return _matches("football", contests, FOOTBALL)


def _tennis() -> list[Figure]:
    """Players who come and go, and matches of similar ones, as in a tour."""
    draws = np.random.default_rng(1)
    players, matches, years = 800, 30_000, 20.0
    debut = draws.uniform(0.0, years - 2.0, players) * 365.0
    end = debut + draws.gamma(2.0, 4.0, players) * 365.0
    skill, last = draws.normal(1500.0, 250.0, players), debut.copy()
    rows = []
    for day in np.sort(draws.uniform(200.0, years * 365.0, matches)):
        active = np.flatnonzero((debut <= day) & (day < end))
        a = int(draws.choice(active))
        near = active[
            np.argsort(np.abs(skill[active] - skill[a]) + draws.normal(0, 600, len(active)))
        ]
        b = int(near[near != a][0])
        for each in (a, b):
            skill[each] += draws.normal(0.0, math.sqrt(64.0 + 0.3 * min(day - last[each], 400.0)))
            last[each] = day
        won = skill[a] - skill[b] + draws.logistic(0.0, 190.0 * math.sqrt(2.0) * SCALE_OF_LOGISTIC)
        rows.append((day, f"p{a}", f"p{b}", float(won > 0.0)))
    frame = pl.DataFrame(rows, ["day", "player_a", "player_b", "outcome"], orient="row")
    frame = frame.with_columns(time=946_684_800 + (pl.col("day") * 86_400).cast(pl.Int64)).drop(
        "day"
    )
    return _matches("matches as in tennis", podium.Contests.from_matches(frame), TENNIS)


def _matches(what: str, contests: podium.Contests, parameters: Parameters) -> list[Figure]:
    """Time, and log loss on the same hidden matches."""
    c = contests.columns
    chains = Chains.of(c, len(contests.players))
    few = contests[:50]
    smoothing.smoothed(few.columns, Chains.of(few.columns, len(few.players)), parameters)
    side = np.zeros(len(c.player)) if c.side is None else c.side.astype(np.float64)
    ours, theirs, losses, their_losses = [], [], [], []
    for seed in range(SPLITS):
        hidden = hide(contests, 0.03, seed)
        found: list[Any] = []
        ours.append(
            cpu_seconds(
                lambda hidden=hidden, found=found: found.append(
                    smoothing.smoothed(c, chains, parameters, hidden=hidden)
                )
            )
        )
        top = c.offsets[:-1][hidden[c.offsets[:-1]]]
        score = np.where(c.rank[top] == c.rank[top + 1], 0.5, 1.0)
        mean, sigma = found[0].cavities
        spread = np.sqrt(sigma[top] ** 2 + sigma[top + 1] ** 2 + 2.0 * parameters.beta**2)
        ahead = mean[top] - mean[top + 1] + found[0].advantage * side[top]
        expected = 1.0 / (1.0 + np.exp(-ahead / (SCALE_OF_LOGISTIC * spread)))
        losses.append(log_losses(score, expected))
        seconds, loss = _through_time(contests, chains, hidden, top, score, side, parameters)
        theirs.append(seconds)
        their_losses.append(loss)
    peer = f"TrueSkill Through Time, {SWEEPS} iterations"
    one, other = np.concatenate(losses), np.concatenate(their_losses)
    error = (one - other).std() / math.sqrt(len(one))
    return [
        Figure(f"{what}: {len(contests):,} matches", float(np.mean(ours)), "CPU s", peer,
               float(np.mean(theirs)), "≥ 20 times"),
        Figure(f"{what}: log loss of {len(one):,} hidden in {SPLITS} splits, ×1000",
               1000.0 * one.mean(), "", peer, 1000.0 * other.mean(), "no worse"),
        Figure(f"{what}: standard error of their difference, ×1000", 1000.0 * error, ""),
    ]  # fmt: skip


def _through_time(
    contests: podium.Contests, chains: Chains, hidden: np.ndarray, top: np.ndarray,
    score: np.ndarray, side: np.ndarray, parameters: Parameters,
) -> tuple[float, np.ndarray]:  # fmt: skip
    """The peer's time, and its losses: its skills between the matches around a hidden one.

    Its parameters are ours in its units, and its skills gain as much in all days together; who is
    at home has one more in the team.
    """
    c = contests.columns
    unit = parameters.beta
    shown = np.flatnonzero(~hidden[c.offsets[:-1]])
    names = contests.players.to_list()
    days = c.time / 86_400e6
    composition, results, times = [], [], []
    for k in shown:
        first = c.offsets[k]
        a, b = names[c.player[first]], names[c.player[first + 1]]
        home = side[first]
        composition.append([[a, "·home"] if home > 0 else [a], [b, "·home"] if home < 0 else [b]])
        results.append([0, 0] if c.rank[first] == c.rank[first + 1] else [1, 0])
        times.append(float(days[k]))
    ties = float(np.mean([each == [0, 0] for each in results]))
    later = np.flatnonzero(chains.before >= 0)
    gaps = days[chains.contest[later]] - days[chains.contest[chains.before[later]]]
    gained = chains.noise(c, parameters)[later].sum()
    gamma = math.sqrt(gained / np.minimum(gaps, parameters.longest).sum()) / unit
    prior = {"·home": ttt.Player(ttt.Gaussian(0.0, 1.0), 0.0, 0.0)}
    curves: dict[str, Any] = {}

    def peer() -> None:
        history = ttt.History(
            composition, results, times, prior, sigma=parameters.sig_new / unit, beta=1.0,
            gamma=gamma, p_draw=ties,
        )  # fmt: skip
        history.convergence(epsilon=0.01, iterations=SWEEPS, verbose=False)
        curves.update(history.learning_curves())

    seconds = cpu_seconds(peer)
    known = {
        name: np.array([(t, skill.mu, skill.sigma) for t, skill in curve]).T
        for name, curve in curves.items()
    }
    margin = ttt.compute_margin(ties, math.sqrt(2.0)) if ties else 0.0
    home = known["·home"][1][-1] if "·home" in known else 0.0
    contest = np.searchsorted(c.offsets, top)
    expected = []
    for row, k in zip(top, contest, strict=True):
        (m, s), (n, t) = (
            _between(known.get(names[c.player[each]]), float(days[k]), parameters.sig_new / unit)
            for each in (row, row + 1)
        )
        d, width = m - n + home * side[row], math.sqrt(2.0 + s * s + t * t)
        win, loss = (
            ttt.cdf((d - margin) / width, 0.0, 1.0),
            ttt.cdf((-d - margin) / width, 0.0, 1.0),
        )
        expected.append(win + 0.5 * (1.0 - win - loss))
    return seconds, log_losses(score, np.array(expected))


def _between(curve: np.ndarray | None, day: float, sigma: float) -> tuple[float, float]:
    if curve is None:
        return 0.0, sigma
    return float(np.interp(day, curve[0], curve[1])), float(np.interp(day, curve[0], curve[2]))


def _votes() -> list[Figure]:
    """Reading, fitting and intervals; and the same answer. All are handed a file of Parquet."""
    draws = np.random.default_rng(1)
    strength = draws.normal(0.0, 1.0, MODELS)
    a = draws.integers(0, MODELS, VOTES)
    b = (a + draws.integers(1, MODELS, VOTES)) % MODELS
    won = draws.random(VOTES) < 1.0 / (1.0 + np.exp(strength[b] - strength[a]))
    ended = np.where(draws.random(VOTES) < 0.23, 2, np.where(won, 0, 1))
    names = pl.Series([f"model-{k:03d}" for k in range(MODELS)])
    frame = pl.DataFrame(
        {
            "model_a": names.gather(a),
            "model_b": names.gather(b),
            "winner": pl.Series(["model_a", "model_b", "tie"]).gather(ended),
        }
    )
    what = f"{VOTES:,} votes on {MODELS} models"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes.parquet"
        frame.write_parquet(path)
        _ranked(path)
        ours = min(cpu_seconds(lambda: _ranked(path)) for _ in range(3))
        found = podium.rank(path).table.sort("player")
        scores: dict[str, np.ndarray] = {}
        figures = []
        for peer, call in (
            ("evalica", _evalica),
            ("evalica, numbers for names", _evalica_numbered),
        ):
            theirs = min(
                cpu_seconds(lambda call=call: scores.update(evalica=call(path))) for _ in range(2)
            )
            figures.append(
                Figure(f"{what}, ms", 1000 * ours, "", peer, 1000 * theirs, "≥ 20 times")
            )
        if find_spec("arena_rank") is not None:
            _arena_rank(path)
            theirs = cpu_seconds(lambda: scores.update(arena=_arena_rank(path)))
            figures.append(
                Figure(f"{what}, ms", 1000 * ours, "", "arena-rank", 1000 * theirs, "≥ 50 times")
            )
    own = found["score"].to_numpy()
    figures += [
        Figure(f"largest difference of scores from {name}, ×1e-6",
               1e6 * float(np.abs(each - each.mean() - own).max()), "", goal="≤ 1")
        for name, each in scores.items()
    ]  # fmt: skip
    return figures


def _ranked(path: Path) -> np.ndarray:
    """Read, fitted, and the sandwich; `podium.rank` adds intervals of ranks to it."""
    compared = comparing.of_files(path, Options())[0]
    group = fitting.groups_of(compared)
    assert not fitting.unbounded(compared, group).any()
    return fitting.fit(compared, group, 0.0).sandwich


def _evalica(path: Path) -> np.ndarray:
    """As its documentation has it: lists of names, and a loop for who won."""
    frame = pl.read_parquet(path)
    found = _evalica_of(frame, frame["model_a"].to_list(), frame["model_b"].to_list())
    return np.log(found.sort_index().to_numpy())


def _evalica_numbered(path: Path) -> np.ndarray:
    """With names that Polars has numbered before, in which way it is quickest."""
    frame = pl.read_parquet(path)
    names = pl.Enum(sorted({*frame["model_a"].unique(), *frame["model_b"].unique()}))
    numbers = (frame[name].cast(names).to_physical().to_list() for name in ("model_a", "model_b"))
    return np.log(_evalica_of(frame, *numbers).sort_index().to_numpy())


def _evalica_of(frame: pl.DataFrame, a: list[Any], b: list[Any]) -> Any:
    winners = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    ended = [winners[each] for each in frame["winner"].to_list()]
    return evalica.bradley_terry(a, b, ended, tolerance=1e-7, limit=10_000).scores


def _arena_rank(path: Path) -> np.ndarray:
    import pandas as pd
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    data = PairDataset.from_pandas(pd.read_parquet(path))
    found = BradleyTerry(len(data.competitors)).compute_ratings_and_cis(data)
    order = np.argsort(list(found["competitors"]))
    return np.asarray(found["ratings"])[order] * math.log(10.0) / 400.0
