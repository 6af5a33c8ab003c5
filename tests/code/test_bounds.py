"""Work is bounded: counted, not timed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.code import origins, source
from traindx.probes.code.origins import Tracer
from traindx.probes.code.search import Search
from traindx.probes.code.ways import Origin, Way

from .reading import facts_of, program, read
from .test_examples import PATTERNS

SCRIPT = """\
class Net{0}(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2), nn.Softmax(dim=1))
    def forward(self, x):
        return self.body(x)

def fit{0}(feed):
    net = Net{0}().cuda()
    solver = torch.optim.Adam(net.parameters())
    total = 0
    for x, y in feed:
        loss = F.cross_entropy(net(x.cuda()), y.cuda())
        solver.zero_grad()
        loss.backward()
        solver.step()
        total += loss.item()
    return total
"""
EXAMPLES = [text for entry in PATTERNS for text in [*entry["finds"], *entry["passes"]]]


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[Way]:
    """Every step that is taken on the way back from a value."""
    taken: list[Way] = []
    plain = Tracer._step

    def counted(self: Tracer, way: Way) -> Iterator[Way | Origin]:
        taken.append(way)
        return plain(self, way)

    monkeypatch.setattr(Tracer, "_step", counted)
    return taken


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every search of a file."""
    made: list[object] = []
    plain = Search._run

    def counted(self: Search, config: object, nodes: object) -> object:
        made.append(config)
        return plain(self, config, nodes)  # type: ignore[arg-type]

    monkeypatch.setattr(Search, "_run", counted)
    return made


def copies(number: int) -> str:
    return "\n".join(SCRIPT.format(index) for index in range(number))


def test_number_of_searches_does_not_grow_with_the_script(
    knowledge: Knowledge, searches: list[object]
) -> None:
    facts_of(knowledge, copies(8))  # in fewer, most is found without a search
    few = len(searches)
    searches.clear()
    facts_of(knowledge, copies(32))
    assert len(searches) <= 1.5 * few


def test_steps_grow_no_faster_than_the_script(knowledge: Knowledge, steps: list[Way]) -> None:
    facts_of(knowledge, copies(4))
    few = len(steps)
    steps.clear()
    facts_of(knowledge, copies(16))
    assert len(steps) <= 5 * few


def test_way_with_endless_branches_is_given_up(knowledge: Knowledge, steps: list[Way]) -> None:
    lines = ["x0 = make()"] + [
        f"x{i} = (x{i - 1}, y{i}, f(x{i - 1}) if a else x{i - 1})" for i in range(1, 3_000)
    ]
    facts_of(knowledge, "\n".join([*lines, "loss = F.cross_entropy(x2999, y)", "loss.backward()"]))
    assert len(steps) <= 60 * origins.MAX_STEPS


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 3_000 + "1" + ")" * 3_000,
        "x = " + "-" * 5_000 + "1",
        "x = 1" + " + 1" * 4_000,
        "x = a" + ".b" * 4_000,
        "if a:\n  pass\n" + "elif b:\n  pass\n" * 3_000,
        "\n".join(" " * depth + "if a:" for depth in range(200)) + "\n" + " " * 200 + "pass",
        "f(" * 2_000,
        "x = '" + "a" * 50_000 + "'",
        "[" * 4_000,
    ],
    ids=["parentheses", "signs", "sum", "attributes", "elif", "nesting", "calls", "line", "brackets"],
)
def test_deep_and_long_code_is_survived(text: str, knowledge: Knowledge) -> None:
    assert facts_of(knowledge, text)["code.read"].value is True


def test_longer_lines_are_left_out(knowledge: Knowledge) -> None:
    module = program(knowledge, source._plain("x = [" + "1, " * source.MAX_LINE + "]\ny = 2")).modules[0]
    assert module.source.text == "pass\ny = 2"


@given(st.text(max_size=300))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_read_without_an_exception(knowledge: Knowledge, text: str) -> None:
    assert len(read(knowledge, {"train.py": text, "a.ipynb": text}).inputs) == 2


@given(st.lists(st.sampled_from(EXAMPLES), min_size=1, max_size=3), st.data())
@settings(max_examples=40, deadline=None)
def test_any_piece_of_code_is_read_without_an_exception(
    knowledge: Knowledge, examples: list[str], data: st.DataObject
) -> None:
    text = "\n".join(examples)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    findings = read(
        knowledge, {"train.py": text[start:end] + data.draw(st.sampled_from(["", "(", "'''", "\\", ":"]))}
    )
    assert not [note for note in findings.notes if "cannot be used" in note]


@given(st.binary(max_size=200))
@settings(max_examples=20, deadline=None)
def test_any_bytes_are_read_without_an_exception(knowledge: Knowledge, content: bytes) -> None:
    assert [one.kind for one in read(knowledge, {"train.py": content}).inputs] == ["code"]
