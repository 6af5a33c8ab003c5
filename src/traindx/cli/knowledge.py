"""The knowledge base of this call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.load import load
from traindx.engine.kb.packs import Pack, PackError, all_packs

from .errors import BadCall
from .progress import preparing


def knowledge(folders: Sequence[Path]) -> Knowledge:
    """Our knowledge and that of the user's packs.

    Raises BadCall with every mistake in a pack.
    """
    packs = packs_of(folders)
    if len(packs) == 1:
        return load(packs, preparing)
    from traindx.engine.kb.problems import KnowledgeError

    try:
        return load(packs, preparing)
    except KnowledgeError as error:
        raise BadCall(
            f"the knowledge of {', '.join(one.name for one in packs[1:])} does not load\n\n{error}"
        ) from None


def packs_of(folders: Sequence[Path]) -> list[Pack]:
    """Our pack and the user's. Raises BadCall where one of them is none."""
    try:
        return all_packs(folders)
    except PackError as error:
        raise BadCall(str(error)) from None
