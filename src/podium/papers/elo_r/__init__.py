"""Aram Ebtekar, *Elo-R Competition Rating System*, 2015, https://github.com/EbTech/EloR."""

from podium.papers.elo_r.steps import step_response
from podium.papers.targets import Target

PAPER = (
    "Ebtekar, Elo-R Competition Rating System, 2015, revised 2020, https://github.com/EbTech/EloR"
)

TARGETS = (
    Target(
        "elo-r-step",
        "How soon a sudden improvement is believed, with and without memory",
        PAPER,
        step_response,
        systems=("elo-r", "elo-mmx", "elo-mmr"),
    ),
)
