"""Code in the documentation runs."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium import papers
from podium.papers.report import markdown_table

ROOT = Path(__file__).parents[1]


def run_snippets(page: str) -> dict[str, Any]:
    """What the snippets of a page define, run one after the other, from nothing."""
    text = (ROOT / page).read_text(encoding="utf-8")
    snippets = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert snippets
    names: dict[str, Any] = {}
    for snippet in snippets:
        exec(compile(snippet, page, "exec"), names)
    return names


def test_the_snippets_on_evaluation_run():
    found = run_snippets("docs/evaluation.md")["found"]
    assert found.table["system"].unique().sort().to_list() == ["elo k=40", "elo-mmr"]


def test_the_snippets_on_deploying_run():
    names = run_snippets("docs/deploying.md")
    assert names["best"].name == "ann"
    assert names["chance"] > 0.5


@pytest.mark.slow
def test_the_snippets_on_tuning_run():
    names = run_snippets("docs/tuning.md")
    assert names["tuned"].best.score <= names["tuned"].default.score


def test_the_snippets_on_attacks_run():
    names = run_snippets("docs/attacks.md")
    assert names["attack"].table.height == 105
    assert names["found"].gain > 0.0


def test_the_snippets_on_luck_run():
    names = run_snippets("docs/luck.md")
    ann, bob, game = (names[name] for name in ("ann", "bob", "game"))
    assert ann.win_probability(bob, game) != ann.stronger_than(bob)
    assert np.isfinite(names["ladder"].belief("ann").quantile([0.05, 0.95])).all()


def test_the_explanation_shown_is_what_the_code_gives():
    names = run_snippets("docs/explanations.md")
    text = (ROOT / "docs" / "explanations.md").read_text(encoding="utf-8")
    assert f"```text\n{names['found'].text(88)}\n```" in text
    assert names["same"].change == names["found"].change


def test_the_snippets_on_predictions_run():
    names = run_snippets("docs/predictions.md")
    curve, table = names["curve"], names["prediction"].table
    assert table.height == curve.table.height == 200
    assert curve.rating == table.filter(table["player"] == "player-0042")["rating"].item()


def test_the_snippets_on_hindsight_run(capsys):
    names = run_snippets("docs/hindsight.md")
    assert names["look"].settled
    assert names["look"].best(3).height == 3
    assert 0.0 < names["met"].win < 1.0
    assert names["apart"].caveat is not None
    assert names["ranking"].table["player"].to_list() == ["owl", "fox", "elk"]
    assert "settled after" in capsys.readouterr().out


def test_links_lead_somewhere():
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        text = page.read_text(encoding="utf-8")
        for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", text):
            linked = page.parent / target if target else page
            assert linked.is_file(), f"{page.name} links to {target}"
            if anchor:
                headings = re.findall(
                    r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE
                )
                found = {
                    re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings
                }
                assert anchor in found, f"{page.name} links to {target}#{anchor}"


def test_every_system_is_documented():
    text = (ROOT / "docs" / "systems.md").read_text(encoding="utf-8")
    table = re.search(r"\| system \| incentive.*?\n\n", text, flags=re.DOTALL)
    assert table is not None
    for name in podium.systems.names():
        assert f"\n| `{name}` |" in table[0]


def test_the_table_of_populations_is_what_the_code_gives():
    text = (ROOT / "docs" / "populations.md").read_text(encoding="utf-8")
    names = run_snippets("docs/populations.md")
    first = names["accuracy"].row(0, named=True)
    shown = f"{first['spearman']:.3f} | {first['rmse']:.0f} | {first['coverage']:.2f}"
    assert f"| the paper's | `elo-mmx` | {shown} |" in text
    assert names["found"]["spearman"][-1] > 0.7


def test_every_target_is_shown_with_its_command_and_picture():
    text = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    shown = re.findall(r"^    podium reproduce (\S+)(?: --data \S+=PATH)*\n", text, re.MULTILINE)
    assert shown == papers.names()
    linked = set(re.findall(r"!\[[^\]]+\]\(papers/([^)]+)\)", text))
    assert linked == {path.name for path in (ROOT / "docs" / "papers").iterdir()}


@pytest.mark.parametrize("name", ["elo-mmr-figure-1", "elo-r-step", "luck-figure-3.1"])
def test_what_is_shown_of_a_target_is_what_it_gives(name):
    text = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    result = papers.by_name(name).function({}, lambda *_: None)
    assert f"\n{markdown_table(result.findings)}\n" in text
    assert all(f"\n- {remark}\n" in text for remark in result.remarks)


def test_the_data_sets_shown_are_those_that_are_counted(codeforces):
    text = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    result = papers.by_name("elo-mmr-table-1").function({"codeforces": codeforces}, lambda *_: None)
    assert f"\n{markdown_table(result.findings)}\n" in text
    assert all(f"\n- {remark}\n" in text for remark in result.remarks)
