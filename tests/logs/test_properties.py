"""What holds for any log: nothing raises, and how it is read changes nothing."""

from __future__ import annotations

import io
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.inputs import Input, Kind
from traindx.probes.logs import LogProbe
from traindx.probes.logs.blocks import Blocks
from traindx.probes.logs.familiar import Familiar
from traindx.probes.logs.lines import Lines
from traindx.probes.logs.template import converted, learn, shapes_of

from .conftest import Read

LINES = [
    "{'loss': 2.31, 'grad_norm': 1.5, 'learning_rate': 1e-05, 'epoch': 0.1}",
    "{'loss': nan, 'grad_norm': nan, 'learning_rate': 1e-05, 'epoch': 0.2}",
    "iter 12: loss 3.2, time 91.20ms, mfu 31.20%",
    " 12%|█▏        | 124/1000 [02:04<12:31,  2.52it/s, loss=2.3]\r",
    "[rank1]: RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB",
    "Traceback (most recent call last):",
    '  File "train.py", line 12, in main',
    "    loss.backward()",
    "ValueError: bad",
    "",
    "Epoch 3/10",
    "note: my run is broken",
    "Namespace(lr=0.1,",
    "--lr 0.1",
    "epoch  train_loss  valid_loss",
    "0      0.8         0.7",
    "x" * 200,
]
LOGS = st.lists(st.sampled_from(LINES), max_size=40).map(lambda lines: "\n".join(lines).encode())
SLOW = settings(max_examples=25, deadline=None)


@SLOW
@given(st.binary(max_size=600), st.sampled_from([Kind.LOG, Kind.RECORDS, Kind.EVENTS]))
def test_any_bytes_are_read_without_raising(knowledge: Knowledge, data: bytes, kind: Kind) -> None:
    read = Read([Input("x", kind, data=data)], knowledge, "full")
    assert len(read.findings.inputs) == 1


@SLOW
@given(LOGS, st.binary(max_size=30), st.integers(0, 2000))
def test_a_damaged_log_is_read_without_raising(
    knowledge: Knowledge, log: bytes, noise: bytes, at: int
) -> None:
    assert Read([Input("x", Kind.LOG, data=log[:at] + noise + log[at:])], knowledge, "auto").findings.inputs


@SLOW
@given(LOGS, st.integers(1, 400))
def test_where_blocks_end_changes_nothing(knowledge: Knowledge, log: bytes, size: int) -> None:
    whole = Read([Input("x", Kind.LOG, data=log)], knowledge, "full")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Blocks.__init__, "__defaults__", (size,))
        parts = Read([Input("x", Kind.LOG, data=log)], knowledge, "full")
    assert parts.values == whole.values
    assert [(event.what, event.place.line) for event in parts.findings.events] == [
        (event.what, event.place.line) for event in whole.findings.events
    ]


@SLOW
@given(LOGS)
def test_a_stream_reads_like_a_file(knowledge: Knowledge, log: bytes) -> None:
    stream = cast("io.BufferedReader", io.BufferedReader(io.BytesIO(log)))
    streamed = LogProbe([Input("x", Kind.LOG, stream=stream)], knowledge).run()
    assert {fact.name: fact.value for fact in streamed.facts if fact.value is not False} == (
        Read([Input("x", Kind.LOG, data=log)], knowledge, "full").values
    )


NUMBERS = st.floats(0, 1e6).map(lambda value: f"{value:.4f}") | st.integers(0, 10**6).map(
    lambda value: f"{value}.5"
)


@SLOW
@given(
    form=st.sampled_from([
        "{{'loss': {}, 'grad_norm': {}, 'epoch': {}}}",
        "iter 7: loss {}, time {}ms, mfu {}%",
        "[rank3]: step=5 loss={} lr={} acc={}",
        "Epoch 5 | train loss {} | val loss {} | ppl {}",
        "  3/100   2.5G   loss {} 12 640 loss2 {} x {}",
        "loss1: {}  loss2: {}  total_loss: {}",
    ]),
    first=st.tuples(NUMBERS, NUMBERS, NUMBERS),
    then=st.tuples(NUMBERS, NUMBERS, NUMBERS),
)  # fmt: skip
def test_a_template_reads_what_the_careful_reader_reads(
    knowledge: Knowledge, form: str, first: tuple[str, ...], then: tuple[str, ...]
) -> None:
    line, other = f"{form.format(*first)}\n".encode(), f"{form.format(*then)}\n".encode()
    lines = Lines(knowledge)
    template = learn(line, lines.read(line).values)
    assert template is not None
    assert shapes_of(line) == shapes_of(other)
    columns = template.columns([other, other])
    assert columns is not None
    fast = [converted(column, value)[0] for column, value in zip(columns, template.values, strict=True)]
    slow = sorted(lines.read(other).values, key=lambda value: value.start)
    assert fast == [converted([other[value.start : value.end]], value)[0] for value in slow]


@pytest.mark.parametrize(
    "line",
    ["loss " + "1" * 60_000 + " 2" * 9000, "a:" * 30_000, "(" * 60_000, "x." * 30_000, "word " * 12_000],
)
def test_a_hostile_line_is_bounded_work(knowledge: Knowledge, line: str) -> None:
    """Would take minutes where a pattern goes back over what it has read."""
    assert Read([Input("x", Kind.LOG, data=f"{line}\n".encode() * 3)], knowledge, "full").findings.inputs


ZEROS = str.maketrans("123456789", "0" * 9)
WORDS = [
    "piano",
    "casino",
    "no",
    "module",
    "named",
    "out",
    "of",
    "memory",
    "memories",
    "k-nn",
    "big",
    "t5",
    "largest",
]
TEXTS = ["no module named", "out of memory", "k-nn", "t5 large", "samples"]


@given(st.lists(st.lists(st.sampled_from([*WORDS, "abcd", "wxyz", "kx", "x1y2"]), max_size=5), max_size=60))
def test_lines_of_one_form_hold_the_same_texts(lines: list[list[str]]) -> None:
    familiar, held = Familiar(TEXTS, ["per second"]), dict[bytes | None, list[bool]]()
    for words in lines:
        line = " ".join(words)
        holds = [text.translate(ZEROS) in line.translate(ZEROS) for text in TEXTS]
        assert held.setdefault(familiar.form(line.encode()), holds) == holds


def test_words_that_mean_nothing_share_a_form() -> None:
    familiar = Familiar(TEXTS, ["per second"])
    assert familiar.form(b"opened shard qwry with 17") == familiar.form(b"opened shard ubvg with 25")
    assert familiar.form(b"opened memory") != familiar.form(b"opened qwry")


def test_the_end_of_a_word_matters_only_beside_the_rest_of_a_text() -> None:
    familiar = Familiar(TEXTS, ["per second"])
    assert familiar.form(b"opened piano with") == familiar.form(b"opened qwry with")
    assert familiar.form(b"opened piano module") != familiar.form(b"opened qwry module")
