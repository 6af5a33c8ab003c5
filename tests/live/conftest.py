"""The knowledge base as it is, and processes that start as on a terminal."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator

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


@pytest.fixture(scope="session", autouse=True)
def _a_small_heap() -> None:
    """The observer looks through all live objects for models. Those of a test session are none, and many."""
    import torch  # noqa: F401 - so that its objects are among them

    gc.collect()
    gc.freeze()


@pytest.fixture
def whole_heap(_a_small_heap: None) -> Iterator[None]:
    """For networks that are made with their module, before any test."""
    gc.unfreeze()
    yield
    gc.freeze()
