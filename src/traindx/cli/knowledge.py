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

    Raises BadCall with every mistake in them.
    """
    packs = packs_of(folders)
    try:
        return load(packs, preparing)
    except Exception as error:
        from traindx.engine.kb.problems import KnowledgeError

        if not isinstance(error, KnowledgeError):
            raise
        # Whoever corrects our own files reads of mistakes there in the same way.
        names = ", ".join(one.name for one in packs[1:] or packs)
        raise BadCall(f"the knowledge of {names} does not load\n\n{error}") from None


def packs_of(folders: Sequence[Path]) -> list[Pack]:
    """Our pack and the user's. Raises BadCall where one of them is none."""
    try:
        return all_packs(folders)
    except PackError as error:
        raise BadCall(str(error)) from None
