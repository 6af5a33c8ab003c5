"""Values are followed from where they are made to where they arrive."""

from __future__ import annotations

from typing import Any

import pytest

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import CodePatternRule, FlowRule
from traindx.probes.code.patterns import judge

from .reading import program

FLOW = FlowRule(
    source={"calls": ["source", "Source"]},
    element=None,
    source_argument=(),
    into={"calls": ["sink", "Sink"]},
    argument=("value", 0),
    through={"calls": ["view", "cat"]},
    everything=False,
    unless={"calls": ["clean"]},
    objects=False,
    only=False,
)


def arrives(knowledge: Knowledge, *texts: str, **changes: Any) -> bool | None:
    """Whether what `source` makes arrives in `sink`; None where the code does not show it."""
    pattern = CodePatternRule(
        id="flow", fact="code.flow", means="", rule=None, flow=FLOW._replace(**changes), constraints={}, scope=None,
        unless=None, absent=False, captures={}, facts={},
    )  # fmt: skip
    return judge(program(knowledge, *texts), pattern).holds


@pytest.mark.parametrize(
    "text",
    [
        "sink(source(x))",
        "sink(value=source(x))",
        "y = source(x)\nz = y\nsink(z)",
        "a, (b, c) = 1, (2, source(x))\nsink(c)",
        "a = b = source(x)\nsink(a)",
        "sink((y := source(x)))",
        "pair = {'good': 1, 'bad': source(x)}\nsink(pair['bad'])",
        "pair = {}\npair['bad'] = source(x)\nsink(pair['bad'])",
        "box.bad = source(x)\nsink(box.bad)",
        "for y in [source(x)]:\n    sink(y)",
        "for i, y in enumerate(zip(a, [source(x)])):\n    sink(y[1])",
        "sink([source(x) for x in xs][0])",
        "with source(x) as y:\n    sink(y)",
        "sink(source(x).view(-1))",
        "sink(torch.cat([source(x), other], 1))",
        "if ready:\n    y = source(x)\nelse:\n    y = source(z)\nsink(y)",
        "y = source(x)\nif ready:\n    print(y)\nsink(y)",
    ],
)
def test_value_is_followed_through_names_and_containers(text: str, knowledge: Knowledge) -> None:
    assert arrives(knowledge, text) is True


@pytest.mark.parametrize(
    "text",
    [
        "sink(other(x))",
        "y = source(x)\ny = other(x)\nsink(y)",
        "sink(clean(source(x)))",
        "sink(clean(source(x)).view(-1))",
        "pair = (source(x), other(x))\nsink(pair[1])",
        "pair = {'good': other(x), 'bad': source(x)}\nsink(pair['good'])",
        "sink(other(x), source(x))",
        "sink(other(source(x)))",
        "y = other(x)\nsink(y)\ny = source(x)",
    ],
)
def test_other_values_are_cleared(text: str, knowledge: Knowledge) -> None:
    assert arrives(knowledge, text) is False


@pytest.mark.parametrize(
    "text",
    [
        "def f(y):\n    sink(y)",
        "from elsewhere import y\nsink(y)",
        "if ready:\n    y = source(x)\nelse:\n    y = other(x)\nsink(y)",
        "y = source(x)\nif ready:\n    y = other(x)\nsink(y)",
        "y = other(x)\nif ready:\n    y = source(x)\nsink(y)",
        "y = source(x) if ready else other(x)\nsink(y)",
        "y = ready and source(x)\nsink(y)",
    ],
)
def test_nothing_is_said_where_a_branch_or_another_file_decides(text: str, knowledge: Knowledge) -> None:
    assert arrives(knowledge, text) is None


@pytest.mark.parametrize(
    "text",
    [
        "def make(x):\n    return source(x)\nsink(make(3))",
        "def same(x):\n    return x\nsink(same(source(x)))",
        "def take(y):\n    sink(y)\ntake(source(x))",
        "def both(x):\n    return 1, source(x)\n_, y = both(x)\nsink(y)",
        "class Net(Module):\n    def forward(self, x):\n        return source(x)\nnet = Net()\nsink(net(x))",
        (
            "class Net(Module):\n    def __init__(self):\n        self.last = Source()\n    def forward(self, x):\n"
            "        return self.last(x)\nnet = Net().to(device)\nsink(net(x))"
        ),
        (
            "class Net(Module):\n    def __init__(self):\n        self.body = Sequential(Linear(2, 3), Source())\n"
            "    def forward(self, x):\n        return self.body(x)\nsink(Net()(x))"
        ),
        (
            "class Base(Module):\n    def last(self, x):\n        return source(x)\nclass Net(Base):\n"
            "    def forward(self, x):\n        return self.last(x)\nsink(Net()(x))"
        ),
        "criterion = Sink()\ncriterion(source(x))",
        (
            "class T:\n    def __init__(self):\n        self.loss = Sink()\n    def step(self, x):\n"
            "        return self.loss(source(x))"
        ),
    ],
)
def test_functions_methods_and_modules_are_entered(text: str, knowledge: Knowledge) -> None:
    assert arrives(knowledge, text) is True


def test_files_are_read_together(knowledge: Knowledge) -> None:
    model = "class Net(Module):\n    def forward(self, x):\n        return source(x)"
    script = "from model import Net\nnet = Net()\nfor x in loader:\n    sink(net(x))"
    assert arrives(knowledge, script) is not True
    assert arrives(knowledge, script, model) is True


def test_value_of_the_turn_before_is_seen_in_a_loop(knowledge: Knowledge) -> None:
    assert arrives(knowledge, "y = other(x)\nfor x in xs:\n    sink(y)\n    y = source(x)") is True


def test_element_of_a_result_is_told_from_the_others(knowledge: Knowledge) -> None:
    text = "a, b = source(x)\nsink({})"
    assert arrives(knowledge, text.format("b"), element=1) is True
    assert arrives(knowledge, text.format("a"), element=1) is False


def test_what_a_call_is_given_can_be_followed_instead_of_its_result(knowledge: Knowledge) -> None:
    text = "y = make(x)\nsource({})\nsink(y)"
    assert arrives(knowledge, text.format("y"), source_argument=(0,)) is True
    assert arrives(knowledge, text.format("z"), source_argument=(0,)) is False


def test_any_computation_passes_a_value_on_where_asked(knowledge: Knowledge) -> None:
    text = "y = (source(x) * 2).mean()\nsink(y + 1)"
    assert arrives(knowledge, text) is False
    assert arrives(knowledge, text, through=None, everything=True) is True


def test_place_and_source_are_both_shown(knowledge: Knowledge) -> None:
    pattern = knowledge.code_patterns["softmax-before-cross-entropy"]
    text = "probs = F.softmax(net(x), dim=1)\nprint(x)\nloss = F.cross_entropy(probs, y)"
    assert [place.line for place in judge(program(knowledge, text), pattern).places] == [3, 1]


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    return f(x)\nsink(f(1))",
        "def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\nsink(f(1))",
        "x = x\nsink(x)",
        "class A(A):\n    def forward(self, x):\n        return self(x)\nsink(A()(x))",
        "y = (y, y)\nfor i in r:\n    y = (y, y)\n    sink(y[0])",
    ],
)
def test_circles_end(text: str, knowledge: Knowledge) -> None:
    assert arrives(knowledge, text) is not True


CHOICE = """
def made(name):
    if name == "own":
        return source()
    elif name in ("no", "none"):
        return other()
    return third()
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{CHOICE}sink(made('own'))", True),
        (f"{CHOICE}sink(made(name='own'))", True),
        (f"{CHOICE}kind = 'own'\nsink(made(kind))", True),
        (f"{CHOICE}sink(made('none'))", False),
        (f"{CHOICE}sink(made('else'))", False),
        (f"{CHOICE}sink(made(kind))", None),
        (f"{CHOICE}kind = 'own'\nif x:\n    kind = 'no'\nsink(made(kind))", None),
        ("def made(name):\n    return {'own': source(), 'no': other()}[name]\nsink(made('own'))", True),
        ("def made(name):\n    return {'own': source(), 'no': other()}[name]\nsink(made('no'))", False),
        ("def made(name='own'):\n    if name != 'own':\n        return other()\n    return source()\nsink(made())", True),
        ("def made(cfg):\n    return dict(own=source(), no=other())[cfg['k']]\nsink(made({'k': 'own'}))", True),
        ("def made(n):\n    if n == 'own':\n        return made('no')\n    return made('own')\nsink(made('own'))", False),
    ],
    ids=[
        "branch", "keyword", "variable", "other-branch", "no-branch", "unknown", "in-doubt", "entry", "other-entry",
        "default", "setting", "circle",
    ],
)  # fmt: skip
def test_what_a_call_hands_over_decides_on_branches(
    knowledge: Knowledge, text: str, expected: bool | None
) -> None:
    assert arrives(knowledge, text) is expected
