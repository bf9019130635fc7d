"""Nothing outside `podium.systems` and `podium.papers` asks which system it has."""

import ast
from pathlib import Path

import pytest

import podium
from podium import systems

ROOT = Path(podium.__file__).parent
OUTSIDE = [
    path
    for path in sorted(ROOT.rglob("*.py"))
    if path.relative_to(ROOT).parts[0] not in ("systems", "papers")
]
NAMES = set(systems.names())
KINDS = {systems.by_name(name) for name in NAMES}
CLASSES = {kind.__name__ for kind in KINDS}
MODULES = {kind.__module__ for kind in KINDS}


def imports(tree: ast.AST) -> list[str]:
    """Modules and, dotted, what is taken from them."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
    return found


def questions(tree: ast.AST) -> list[str]:
    """Where a system's name is compared or looked up, or it is probed for what it has."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            parts = [each for side in sides for each in ast.walk(side)]
            asks = any(isinstance(each, ast.Attribute) and each.attr == "name" for each in sides)
            named = any(isinstance(each, ast.Constant) and each.value in NAMES for each in parts)
            if asks and named:
                found.append(ast.unparse(node))
        elif isinstance(node, ast.Subscript) and is_name_of_system(node.slice):
            found.append(ast.unparse(node))
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            first = node.args[0] if node.args else None
            probes = called in ("hasattr", "getattr") and is_system(first)
            if probes or (called.endswith(".get") and is_name_of_system(first)):
                found.append(ast.unparse(node))
        elif isinstance(node, ast.Attribute) and node.attr in CLASSES:
            found.append(ast.unparse(node))
    return found


def is_system(node: ast.AST | None) -> bool:
    return node is not None and ast.unparse(node).split(".")[-1].strip("_") == "system"


def is_name_of_system(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "name" and is_system(node.value)


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_other_module_knows_a_system(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    known = MODULES | {f"podium.systems.{name}" for name in CLASSES}
    assert not known & set(imports(tree))
    assert questions(tree) == []


@pytest.mark.parametrize(
    "source",
    [
        "if self.system.name == 'topcoder': pass",
        "if system.name in ('elo', 'luck'): pass",
        "reason = REASONS[found.system.name]",
        "reason = REASONS.get(system.name)",
        "drift = getattr(self._system, 'drift_per_day', 0.0)",
        "hasattr(system, 'mu_new')",
        "isinstance(system, systems.EloMMR)",
    ],
)
def test_questions_are_recognised(source):
    assert questions(ast.parse(source))


def test_imports_are_recognised():
    tree = ast.parse("from podium.systems.elo import Elo\nfrom podium.systems import Luck")
    assert {"podium.systems.elo", "podium.systems.Luck"} <= set(imports(tree))
