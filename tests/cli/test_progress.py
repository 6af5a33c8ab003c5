"""What takes longer than a second says so, to a person and to nobody else."""

from __future__ import annotations

import io
import sys

import pytest

from traindx.cli.progress import preparing


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_is_told_that_the_knowledge_base_is_prepared_and_is_left_clean(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    with preparing():
        assert stderr.getvalue() == "preparing the knowledge base; this is done once"
    assert stderr.getvalue().endswith("\r\x1b[2K")


def test_a_file_is_told_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)
    with preparing():
        pass
    assert stderr.getvalue() == ""
