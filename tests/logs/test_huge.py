"""Logs too large to read every number of."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.engine.kb.knowledge import Knowledge
from traindx.probes.inputs import Input, Kind
from traindx.probes.logs import LogProbe
from traindx.probes.logs.finder import WARM, FastFinder, ShapeFinder, telling
from traindx.probes.logs.signatures import for_machines

STEP = "{{'loss': {:.3f}, 'grad_norm': 1.1, 'learning_rate': 1e-05, 'epoch': {:.2f}}}\n"


def huge(folder: Path, tail: str = "") -> Input:
    lines = [STEP.format(2 + step % 10 / 10, step / 1000) for step in range(40_000)]
    lines.insert(20_000, "CUDA out of memory. Tried to allocate 2.00 GiB\n")
    path = folder / "huge.log"
    path.write_text("".join([*lines, tail]))
    return Input("huge.log", Kind.LOG, path)


@pytest.mark.parametrize("fast", [True, False])
def test_triage_finds_every_event_and_samples_the_numbers(
    knowledge: Knowledge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fast: bool
) -> None:
    if fast:
        pytest.importorskip("hyperscan")
    else:
        monkeypatch.setattr("traindx.probes.logs.triage.make_finder", ShapeFinder)
    source = huge(tmp_path, tail="ValueError: the end\n")
    probe = LogProbe([source], knowledge, scan="triage")
    found = {fact.name: fact for fact in probe.run().facts}
    assert found["gpu.oom.tried_gib"].value == 2
    place = found["log.device_memory_gone"].place
    assert place is not None
    assert place.line == 20_001
    assert found["log.exception.type"].value == "ValueError"
    assert found["loss.first"].value == 2
    assert 0 < int(found["loss.count"].value) < 20_000  # type: ignore[arg-type]


def test_the_report_says_what_was_sampled(knowledge: Knowledge, tmp_path: Path) -> None:
    findings = LogProbe([huge(tmp_path)], knowledge, scan="triage").run()
    assert findings.inputs[0].note.startswith("sampled: errors and events were looked for everywhere")


def test_logs_of_usual_size_are_read_in_full(knowledge: Knowledge, tmp_path: Path) -> None:
    findings = LogProbe([huge(tmp_path)], knowledge).run()
    assert findings.inputs[0].note == ""
    assert {fact.name: fact.value for fact in findings.facts}["loss.count"] == 40_000


@pytest.mark.parametrize(
    "line", ["cuda OUT of memory. Tried to allocate 1 GiB", "KeyboardInterrupt", "x.y.FooError: z"]
)
def test_both_finders_give_the_lines_that_hold_a_literal(knowledge: Knowledge, line: str) -> None:
    hyperscan = pytest.importorskip("hyperscan")
    from traindx.probes.logs.finder import FastFinder

    data = f"step 1 loss 2\n{line}\nstep 2 loss 2\rstep 3 loss 2\n{line}".encode()
    wanted = [f"{line}\n".encode(), line.encode()]
    machines = for_machines(knowledge)
    assert list(ShapeFinder(machines).lines(data)) == wanted
    assert list(FastFinder(machines, hyperscan).lines(data)) == wanted


def test_a_log_that_is_read_in_full_all_the_same_has_no_note(knowledge: Knowledge, tmp_path: Path) -> None:
    path = tmp_path / "short.log"
    path.write_text("step 1 loss 2.0\n" + "x" * (1 << 19) + "\n")
    findings = LogProbe([Input("short.log", Kind.LOG, path)], knowledge, scan="triage").run()
    assert findings.inputs[0].note == "line 2 is longer than 64 KiB; its end was not read"


def test_of_a_log_that_is_larger_a_smaller_share_is_sampled(
    knowledge: Knowledge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("traindx.probes.logs.triage.SAMPLED", 1 << 16)
    findings = LogProbe([huge(tmp_path)], knowledge, scan="triage").run()
    assert "(1 in 45, the first and last" in findings.inputs[0].note


def test_literals_that_ordinary_lines_hold_are_no_longer_searched_for(knowledge: Knowledge) -> None:
    """Their signatures still are, by their whole patterns."""
    hyperscan = pytest.importorskip("hyperscan")
    finder = FastFinder(for_machines(knowledge), hyperscan)
    ordinary, told = b"my run is brokenhearted\n" * 40, b"my run is broken\n"
    seen = [len(list(finder.lines(ordinary))) for _ in range(WARM)]
    assert seen == [40] * WARM
    assert list(finder.lines(ordinary + told)) == [told]


@given(st.lists(st.text("ab\n", min_size=1, max_size=5), max_size=30))
def test_of_literals_only_those_are_searched_for_that_hold_no_other(texts: list[str]) -> None:
    kept = telling(texts)
    assert all(any(one in text for one in kept) for text in texts)
    whole = [one for one in kept if "\n" not in one]
    assert not any(one != other and one in other for one in whole for other in whole)
