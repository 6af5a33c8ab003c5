"""Every script of the clinic, once: its fault is found, and no healthy run is accused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .cases import Case, cases
from .running import Watching

pytest.importorskip("torch")

_AS_STARTED = {"digits_cnn", "protein_loader", "compiled_workers"}
"""Run through the real command from beginning to end, as scripts of several ranks are; the others in a copy
of one Python that has imported torch, which is what their time would go into."""


@pytest.fixture(scope="module")
def copies() -> Iterator[Watching]:
    with Watching(quick=True) as watching:
        yield watching


def _parameters(healthy: bool) -> list[object]:
    return [pytest.param(case, id=case.name) for case in cases() if case.healthy == healthy]


def _watching(case: Case, copies: Watching) -> Watching:
    return Watching(quick=False) if case.name in _AS_STARTED else copies


@pytest.mark.parametrize("case", _parameters(healthy=False))
def test_the_fault_is_among_the_first_three_causes(case: Case, copies: Watching) -> None:
    outcome = _watching(case, copies).run(case, seed=0)
    assert outcome.names(case, among=3), f"{outcome.causes[:3]}\n{outcome.text[-2000:]}"


@pytest.mark.parametrize("case", _parameters(healthy=True))
def test_a_healthy_run_is_not_accused(case: Case, copies: Watching) -> None:
    outcome = _watching(case, copies).run(case, seed=0)
    assert outcome.status == 0, outcome.text[-2000:]
    assert not outcome.accused
