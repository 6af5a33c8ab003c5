from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.probes.configs.formats.spelling import number, truth
from traindx.probes.configs.values import last_number, same, to_bool, to_minutes, to_number, to_size


@pytest.mark.parametrize(
    ("value", "old", "expected"),
    [
        (1e-5, "5e-5", "1e-5"), (1e-5, "5e-05", "1e-05"), (2.5e-4, "1E-4", "2.5E-4"), (1e-5, "5.0e-5", "1.0e-5"),
        (3e-5, "0.0001", "0.00003"), (0.5, "1.0", "0.5"), (1.0, "0.5", "1.0"), (4, "16", "4"), (4.0, "16", "4"),
        (1024, "2**16", "2**10"), (1024.0, "2.**16", "2.**10"), (1000.0, "2**16", "1000"), (700_000, "100_000", "700_000"),
        (1e-5, "", "1e-5"), (0.1, "", "0.1"), (4.0, "", "4"), (0.0, "1e-4", "0"),
    ],
)  # fmt: skip
def test_a_number_is_written_like_the_one_it_replaces(value: float, old: str, expected: str) -> None:
    assert number(value, old) == expected


@given(
    st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**15), 10**15),
    st.sampled_from(["", "5e-5", "5E-05", "1.0e+3", "0.0001", "1.0", "16", "2**16", "100_000"]),
)
def test_however_it_is_written_it_is_the_same_number(value: float, old: str) -> None:
    written = number(value, old).replace("_", "")
    base, power, exponent = written.partition("**")
    read = float(base) ** float(exponent) if power else float(written)
    assert math.isclose(read, value, rel_tol=1e-15, abs_tol=0.0)


@pytest.mark.parametrize(
    ("old", "on", "off"),
    [("True", "True", "False"), ("yes", "yes", "no"), ("1", "1", "0"), ("", "true", "false")],
)
def test_a_switch_keeps_its_words(old: str, on: str, off: str) -> None:
    assert (truth(True, old, "true", "false"), truth(False, old, "true", "false")) == (on, off)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1e-4", 1e-4),
        ("1_000", 1000),
        ("2**16", 65536.0),
        (" 3 ", 3),
        ("1e-4x", None),
        ("", None),
        (True, None),
    ],
)
def test_numbers_in_texts(text: object, expected: float | None) -> None:
    assert to_number(text) == expected


def test_sizes_durations_and_switches() -> None:
    assert to_size("16G", 1.0) == 16.0
    assert to_size("2048MB", 1.0) == 2.0
    assert to_size("4096", 1 / 1024) == 4.0
    assert to_minutes("2-12:30:00") == 3630
    assert to_minutes("90") == 90
    assert to_minutes("30:00") == 30
    assert last_number("gpu:a100:2") == 2
    assert to_bool("Off") is False
    assert to_bool("maybe") is None


def test_one_word_in_several_spellings() -> None:
    assert same("float16", "torch.float16")
    assert same("no", False)
    assert same(["fp16", "half"], "HALF")
    assert same(True, "yes")
    assert not same("1", True)
    assert not same(True, "2")
