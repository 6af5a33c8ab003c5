"""The machine's part of the knowledge base: its mistakes are found when it is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import compile_packs
from traindx.engine.kb.packs import Pack
from traindx.engine.kb.problems import KnowledgeError

FACTS = """- {name: gpu.capability, type: version, means: x}
- {name: env.alloc_conf, type: str, means: x}
"""
DEVICE = """- id: v100
  title: V100
  facts: {gpu.capability: "7.0"}
  memory: {V100: [16, 32]}
  sources: [own]
"""


@pytest.mark.parametrize(
    ("folder", "text", "said"),
    [
        ("devices", DEVICE.replace("gpu.capability", "gpu.capabilty"), "did you mean `gpu.capability`"),
        ("devices", DEVICE.replace('"7.0"', "7"), "`gpu.capability` is version, and this is int"),
        ("devices", DEVICE + "  laptop: {V1000: 8}\n", "names models that `memory` does not: V1000"),
        ("devices", DEVICE.replace("[16, 32]", "-1"), "greater than 0"),
        ("variables", "- {name: lower, means: x}\n", "`lower` is not a valid name here"),
        ("variables", "- {name: X, means: x, fact: env.nothing}\n", "there is no fact `env.nothing`"),
        ("variables", "- {name: 'X_*', means: x, fact: env.alloc_conf}\n", "cannot share one `fact`"),
        ("packages", "- {id: Torch, means: x}\n", "`Torch` is not a valid name here"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, folder: str, text: str, said: str) -> None:
    for name, content in (("facts", FACTS), (folder, text)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "own.yaml").write_text(content, encoding="utf-8")
    with pytest.raises(KnowledgeError) as caught:
        compile_packs([Pack("kb", tmp_path)])
    assert said in str(caught.value)
    assert f"{folder}/own.yaml:" in str(caught.value)


def test_a_package_of_several_words_is_a_fact_with_underscores(knowledge: Knowledge) -> None:
    assert knowledge.packages["flash-attn"].fact == "env.package.flash_attn"


def test_every_package_that_a_rule_asks_for_is_looked_for(knowledge: Knowledge) -> None:
    rules = [
        *(line.rule for cause in knowledge.causes.values() for line in cause.evidence),
        *(line.rule for symptom in knowledge.symptoms.values() for line in symptom.detect),
        *(fix.when for fix in knowledge.fixes.values() if fix.when),
    ]
    wanted = {fact for rule in rules for fact in rule.needs if fact.startswith("env.package.")}
    assert wanted <= {package.fact for package in knowledge.packages.values()}
