"""The files of the knowledge base, for the commands that look into them. Each raises BadCall with every mistake."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from .errors import BadCall
from .knowledge import packs_of

if TYPE_CHECKING:
    from traindx.engine.kb.knowledge import Knowledge
    from traindx.engine.kb.packs import Pack
    from traindx.engine.kb.scope import Scope
    from traindx.engine.kb.validate import Validated

Loaded = TypeVar("Loaded")


def written(folders: Sequence[Path]) -> Validated:
    """What stands in the files."""
    from traindx.engine.kb.load import read_packs

    return _loaded(folders, read_packs)


def checked(folders: Sequence[Path]) -> Scope:
    """Everything read and checked."""
    from traindx.engine.kb.load import check_packs

    return _loaded(folders, check_packs)


def compiled(folders: Sequence[Path]) -> Knowledge:
    """As the engine uses it."""
    from traindx.engine.kb.load import load

    return _loaded(folders, load)


def _loaded(folders: Sequence[Path], load: Callable[[list[Pack]], Loaded]) -> Loaded:
    from traindx.engine.kb.problems import KnowledgeError

    try:
        return load(packs_of(folders))
    except KnowledgeError as error:
        raise BadCall(f"the knowledge base does not load\n\n{error}") from None
