"""Every pattern finds what it says it finds, and passes the near misses."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from traindx import kb
from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.code import check_pattern

FOLDER = Path(next(iter(kb.__path__))) / "code"
PATTERNS = [
    entry
    for file in sorted(FOLDER.glob("*.yaml"))
    for entry in yaml.load(file.read_bytes(), yaml.CSafeLoader)
]


@pytest.mark.parametrize("entry", PATTERNS, ids=lambda entry: str(entry["id"]))
def test_pattern_agrees_with_its_examples(entry: dict[str, list[str]], knowledge: Knowledge) -> None:
    pattern = knowledge.code_patterns[str(entry["id"])]
    assert check_pattern(pattern, entry["finds"], entry["passes"], knowledge.idioms) == []


def test_wrong_examples_are_named(knowledge: Knowledge) -> None:
    pattern = knowledge.code_patterns["softmax-before-cross-entropy"]
    right, wrong = "F.cross_entropy(F.softmax(x, 1), y)", "F.cross_entropy(x, y)"
    mistakes = check_pattern(pattern, [right, wrong], [wrong, right], knowledge.idioms)
    assert [one.splitlines()[0] for one in mistakes] == [
        "softmax-before-cross-entropy: `finds` is not found:",
        "softmax-before-cross-entropy: `passes` is found:",
    ]


def test_rule_that_is_none_is_named(knowledge: Knowledge) -> None:
    pattern = knowledge.code_patterns["seed-set"]._replace(rule={"kind": "no_such_kind"})
    assert check_pattern(pattern, ["x = 1"], [], knowledge.idioms)[0].startswith("seed-set: not a rule:")
