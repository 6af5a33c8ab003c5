"""Code fixes: every snippet is Python, with the user's names and nothing but names."""

from __future__ import annotations

import ast

import pytest

from traindx.engine.facts import Fact, Facts, Origin
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load, snippet_names
from traindx.engine.kb.packs import own_pack
from traindx.engine.report.snippets import snippet, values_of
from traindx.engine.report.templating import render

NAMES = {
    "code.loss_name": "cost", "code.model_name": "self.net", "code.optimizer_name": "solver",
    "code.loader_name": "batches", "code.scaler_name": "amp",
}  # fmt: skip


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load([own_pack()])


def facts_with(values: dict[str, str]) -> Facts:
    facts = Facts()
    facts.extend(Fact(name, value, Origin.CODE) for name, value in values.items())
    return facts


def parses(code: str) -> bool:
    # A snippet may stand inside a loop or a function, where `continue` and `return` belong.
    ast.parse("def f():\n  while 1:\n" + "".join(f"    {line}\n" for line in code.splitlines()))
    return True


@pytest.mark.parametrize("name", sorted(snippet_names()))
@pytest.mark.parametrize("values", [{}, NAMES], ids=["usual names", "the user's names"])
def test_every_snippet_is_python(knowledge: Knowledge, name: str, values: dict[str, str]) -> None:
    assert parses(snippet(name, facts_with(values), knowledge))


@pytest.mark.parametrize("name", sorted(snippet_names()))
def test_a_snippet_is_what_the_template_engine_makes_of_it(knowledge: Knowledge, name: str) -> None:
    facts = facts_with(NAMES)
    made = render(f"snippets/{name}.py.j2", **values_of(facts, knowledge))
    assert snippet(name, facts, knowledge) == made


def test_the_users_names_are_used(knowledge: Knowledge) -> None:
    code = snippet("skip-nonfinite-gradients", facts_with(NAMES), knowledge)
    assert "amp.unscale_(solver)" in code
    assert "clip_grad_norm_(self.net.parameters()" in code


def test_a_scaler_only_stands_there_if_the_script_has_one(knowledge: Knowledge) -> None:
    assert "unscale_" not in snippet("clip-then-skip", Facts(), knowledge)


def test_thresholds_are_those_of_the_knowledge_base(knowledge: Knowledge) -> None:
    assert f"after > {knowledge.limits['grad_norm_skip']}:" in snippet("clip-then-skip", Facts(), knowledge)


@pytest.mark.parametrize("name", ["os.system('x')", "a; import os", "class", "", "a b", "__import__('os')"])
def test_only_names_get_into_code(knowledge: Knowledge, name: str) -> None:
    usual = snippet("skip-nonfinite-loss", Facts(), knowledge)
    assert snippet("skip-nonfinite-loss", facts_with({"code.loss_name": name}), knowledge) == usual
