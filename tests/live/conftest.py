"""The knowledge base as it is."""

from __future__ import annotations

import pytest

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import own_pack


@pytest.fixture(scope="session")
def knowledge() -> Knowledge:
    """Our own knowledge, all of it."""
    return load([own_pack()])
