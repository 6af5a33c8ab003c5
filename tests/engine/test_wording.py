"""Numbers and counts as a person reads them."""

from __future__ import annotations

import pytest

from traindx.engine.facts import Place, Value
from traindx.engine.wording import fill, percent, show

from ..small_pack import facts_of


@pytest.mark.parametrize(
    ("text", "value", "filled"),
    [
        ("takes {data.samples} samples at a time", 1, "takes 1 sample at a time"),
        ("in {data.samples} epochs, {data.samples} classes", 1, "in 1 epoch, 1 class"),
        ("takes {data.samples} samples", 21, "takes 21 samples"),
        ("{data.samples:.1f} samples", 2.1, "2.1 samples"),
        ("{data.samples:.2g} times slower", 162.4, "162 times slower"),
        ("{data.samples:.2g} times slower", 1.62, "1.6 times slower"),
        ("{data.samples:.3g}", 3e30, "3e+30"),
    ],
)
def test_counts_and_numbers_are_written_plainly(text: str, value: Value, filled: str) -> None:
    assert fill(text, facts_of({"data.samples": value})) == filled


def test_values_and_steps_are_shown_without_an_exponent() -> None:
    assert show(12345.6) == "12346"
    assert str(Place("a.log", 3, step=2621440.0)) == "a.log:3 (step 2621440)"


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("weights were made up: {checkpoint.missing_key_names}", "weights were made up"),
        ("missing: {checkpoint.file}; unexpected: {checkpoint.keys}", "missing; unexpected"),
        ("a peer did not answer (status {dist.ib_error})", "a peer did not answer"),
        ("it is cut out of its graph at {grad.cut_where}", "it is cut out of its graph"),
        ("an operation got {log.dtype.given}, which it does not take", "an operation got something, which it does not take"),
        ("a rank waited {dist.timeout_s:.0f} s", "a rank waited some s"),
    ],
)  # fmt: skip
def test_what_is_unknown_is_left_out_or_vague(text: str, filled: str) -> None:
    assert fill(text, facts_of({"loss.first": 1.0})) == filled


@pytest.mark.parametrize(("confidence", "read"), [(0.0, "0%"), (0.504, "50%"), (0.9961, "99%"), (1.0, "99%")])
def test_no_evidence_makes_certain(confidence: float, read: str) -> None:
    assert percent(confidence) == read
