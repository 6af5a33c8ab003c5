"""The knowledge base as it is, and processes that start as on a terminal."""

from __future__ import annotations

import signal

import pytest

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack


@pytest.fixture(scope="session")
def knowledge() -> Knowledge:
    """Our own knowledge, all of it."""
    return load([own_pack()])


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c_counts() -> None:
    """A shell starts what it runs in the background deaf to Ctrl-C, and that would be inherited."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
