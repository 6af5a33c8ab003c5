"""What the code probe tells of scripts as people have them."""

from __future__ import annotations

import gzip

import pytest

from traindx.engine.facts import Origin
from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.code import CodeProbe
from traindx.probes.inputs import Input, Kind

from .reading import facts_of, notebook, read

LOOP = """\
import torch
from torch.utils.data import DataLoader
net = Net().cuda()
solver = torch.optim.Adam(net.parameters())
feed = DataLoader(data, batch_size=4, shuffle=True)
for x, y in feed:
    err = F.cross_entropy(net(x.cuda()), y.cuda())
    err.backward()
    solver.step()
"""
BARE_LOOP = "for x, y in feed:\n    err = mse(net(x), y)\n    err.backward()\n    solver.step()\n"


def test_pattern_that_is_there_is_true_with_its_places(knowledge: Knowledge) -> None:
    fact = facts_of(knowledge, LOOP)["code.zero_grad_missing"]
    assert fact.value is True
    assert fact.origin is Origin.CODE
    assert [(place.input, place.line, place.text) for place in fact.places] == [
        ("train.py", 6, "for x, y in feed:")
    ]


def test_pattern_that_is_not_there_is_false_where_it_could_have_been(knowledge: Knowledge) -> None:
    facts = facts_of(knowledge, LOOP.replace("    err.backward", "    solver.zero_grad()\n    err.backward"))
    assert facts["code.zero_grad_missing"].value is False


def test_pattern_stays_unknown_where_its_scope_is_not_seen(knowledge: Knowledge) -> None:
    assert "code.zero_grad_missing" not in facts_of(knowledge, "print('hello')")


def test_script_says_how_it_names_things_and_what_it_imports(knowledge: Knowledge) -> None:
    facts = facts_of(knowledge, LOOP)
    assert facts["code.imports"].value == ("torch",)
    names = ("loss", "optimizer", "model", "loader")
    assert [facts[f"code.{name}_name"].value for name in names] == ["err", "solver", "net", "feed"]


def test_at_most_five_places_are_shown(knowledge: Knowledge) -> None:
    fact = facts_of(knowledge, BARE_LOOP * 9)["code.zero_grad_missing"]
    assert [place.line for place in fact.places] == [1, 5, 9, 13, 17]


def test_syntax_error_is_named_and_the_rest_is_read(knowledge: Knowledge) -> None:
    facts = facts_of(knowledge, BARE_LOOP + "def broken(:\n    pass\n")
    assert [place.line for place in facts["code.syntax_error"].places] == [5]
    assert facts["code.zero_grad_missing"].value is True


def test_python_2_is_no_syntax_error(knowledge: Knowledge) -> None:
    findings = read(knowledge, {"old.py": BARE_LOOP + "print 'loss', err\nexec 'pass'\n"})
    values = {fact.name: fact.value for fact in findings.facts}
    assert values["code.syntax_error"] is False
    assert values["code.zero_grad_missing"] is True
    assert findings.notes == ["old.py: Python 2"]


@pytest.mark.parametrize(
    "text",
    [
        BARE_LOOP.replace("    solver", "    ...\n    solver"),
        "    " + BARE_LOOP.replace("\n", "\n    "),
        "\t" + BARE_LOOP.replace("    ", "\t").replace("\n", "\n\t"),
        "".join(f">>> {line}\n" if line[:1] != " " else f"... {line}\n" for line in BARE_LOOP.splitlines()),
        BARE_LOOP.replace("\n", "\r\n"),
        "\ufeff" + BARE_LOOP,
        "# -*- coding: utf-8 -*-\n# 学習\n" + BARE_LOOP,
        "def fit(net, feed, solver):\n    " + BARE_LOOP.replace("\n", "\n    "),
    ],
    ids=["dots", "indented", "tabs", "session", "crlf", "bom", "letters", "function"],
)
def test_snippets_are_read_as_people_paste_them(text: str, knowledge: Knowledge) -> None:
    assert facts_of(knowledge, text)["code.zero_grad_missing"].value is True


def test_compressed_script_is_read(knowledge: Knowledge) -> None:
    assert "code.has_training_loop" in facts_of(knowledge, gzip.compress(LOOP.encode()), "train.py.gz")


def test_notebook_places_are_in_their_cells(knowledge: Knowledge) -> None:
    text = notebook("%pip install torch\nimport torch", "!nvidia-smi\n" + BARE_LOOP)
    fact = facts_of(knowledge, text, "train.ipynb")["code.zero_grad_missing"]
    assert [(place.input, place.line) for place in fact.places] == [("train.ipynb (cell 2)", 2)]


def test_notebook_cells_see_each_others_names(knowledge: Knowledge) -> None:
    text = notebook("criterion = nn.CrossEntropyLoss()", "out = F.softmax(net(x), 1)", "criterion(out, y)")
    assert facts_of(knowledge, text, "a.ipynb")["code.softmax_before_cross_entropy"].value is True


def test_cells_of_other_languages_are_left_out(knowledge: Knowledge) -> None:
    facts = facts_of(knowledge, notebook("%%bash\nfor i in 1 2; do echo $i; done", "x = 1"), "a.ipynb")
    assert facts["code.syntax_error"].value is False


@pytest.mark.parametrize(
    ("name", "text", "note"),
    [
        ("a.ipynb", "{not json", "not a notebook"),
        ("a.ipynb", '{"cells": [{"cell_type": "markdown"}]}', "without code cells"),
        ("a.ipynb", '{"cells": 3, "worksheets": "x"}', "without code cells"),
        ("big.py", "x = 1\n" * 100_000, "more than a training script holds"),
    ],
)
def test_what_cannot_be_read_is_said(name: str, text: str, note: str, knowledge: Knowledge) -> None:
    findings = read(knowledge, {name: text})
    assert note in findings.inputs[0].note
    assert findings.inputs[0].bad
    assert findings.unknowable == {"code.*": "no script could be read"}


def test_one_bad_file_does_not_stop_the_others(knowledge: Knowledge) -> None:
    findings = read(knowledge, {"a.ipynb": "{", "b.py": LOOP})
    assert {fact.name: fact.value for fact in findings.facts}["code.has_training_loop"] is True


def test_without_scripts_it_gives_nothing(knowledge: Knowledge) -> None:
    probe = CodeProbe([Input("run.log", Kind.LOG, data=b"for x in y: pass")], knowledge)
    assert (probe.gives, probe.asked_for, probe.run().facts) == (frozenset(), False, [])


def test_it_gives_all_of_the_code_and_what_patterns_establish(knowledge: Knowledge) -> None:
    probe = CodeProbe([Input("a.py", Kind.CODE, data=b"x = 1")], knowledge)
    assert {"code.*", "config.precision"} <= probe.gives
    assert (probe.id, probe.asked_for) == ("code", True)


def test_pattern_establishes_other_facts(knowledge: Knowledge) -> None:
    facts = facts_of(knowledge, "Trainer(model, data, amp=True)")
    assert (facts["code.fp16_switched_on"].value, facts["config.precision"].value) == (True, "fp16")


def test_every_fact_is_declared(knowledge: Knowledge) -> None:
    findings = read(knowledge, {"train.py": LOOP})
    assert {fact.name for fact in findings.facts} <= knowledge.facts.keys()
