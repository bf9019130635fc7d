"""Code in the documentation runs."""

import re
from pathlib import Path

import numpy as np
import pytest

import podium

ROOT = Path(__file__).parents[1]
PAGES = ["docs/luck.md"]
"""Pages whose snippets run one after the other, from nothing."""


@pytest.mark.parametrize("page", PAGES)
def test_snippets_run(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    snippets = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(snippets) > 2
    names: dict[str, object] = {}
    for snippet in snippets:
        exec(compile(snippet, page, "exec"), names)
    ann, bob, game = (names[name] for name in ("ann", "bob", "game"))
    assert ann.win_probability(bob, game) != ann.stronger_than(bob)
    assert np.isfinite(names["ladder"].belief("ann").quantile([0.05, 0.95])).all()


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
    names: dict[str, object] = {}
    for snippet in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        exec(compile(snippet, "docs/populations.md", "exec"), names)
    first = names["accuracy"].row(0, named=True)
    shown = f"{first['spearman']:.3f} | {first['rmse']:.0f} | {first['coverage']:.2f}"
    assert f"| the paper's | `elo-mmx` | {shown} |" in text
    assert names["found"]["spearman"][-1] > 0.7
