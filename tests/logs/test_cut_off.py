"""A log whose writer was killed ends anywhere, often in the middle of a number."""

from __future__ import annotations

import pytest

from traindx.probes.logs.cut_off import without_cut_number

from .conftest import Reads

WHOLE = "".join(f"step {n} | loss {2 / n:.4f} | lr 3.00e-04\n" for n in range(1, 40))


@pytest.mark.parametrize("end", ["step 40 | loss 0.0512 | lr 3", "step 40 | loss 0.0512 | lr 3.00e-0"])
def test_half_a_learning_rate_is_no_jump(read: Reads, end: str) -> None:
    assert read(WHOLE + end)["log.lr.max"] == pytest.approx(3e-4)


def test_half_a_loss_is_no_zero(read: Reads) -> None:
    run = read(WHOLE + "step 40 | loss 0")
    assert run["loss.last"] == pytest.approx(2 / 39, abs=1e-4)
    assert run["log.steps"] == 40


def test_a_whole_last_line_needs_no_line_end(read: Reads) -> None:
    assert read(WHOLE + "step 40 | loss 0.0500 | lr 9.00e-04")["log.lr.max"] == pytest.approx(9e-4)


@pytest.mark.parametrize(
    ("line", "before"),
    [
        pytest.param(b"loss 0.3", b"", id="nothing to compare it with"),
        pytest.param(b"final accuracy 0.91", b"step 1 loss 0.5\nstep 2 loss 0.4\n", id="a line of its own"),
        pytest.param(b"step 2 loss nan", b"step 1 loss 0.5\n", id="no digits at its end"),
        pytest.param(b"step 10 loss 0.51", b"step 9 loss 0.5\n", id="longer than the one before"),
    ],
)
def test_what_shows_no_cut_stays_as_it_is(line: bytes, before: bytes) -> None:
    assert without_cut_number(line, before) == line
