"""Work in two halves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from traindx.cli.halves import both_halves


def test_the_first_half_comes_before_the_second() -> None:
    assert both_halves(lambda half: range(half, 6, 2)) == [0, 2, 4, 1, 3, 5]


def test_a_mistake_in_either_half_is_not_passed_over() -> None:
    def second_fails(half: int) -> Iterator[int]:
        yield 1
        if half:
            raise SystemExit("broken")

    with pytest.raises((RuntimeError, SystemExit)):
        both_halves(second_fails)
