"""What all compilers of entries share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ..scope import Scope
from ..validate import Located

Stored: TypeAlias = dict[str, Any]
"""The compiled form of an entry, of a kind or of a section: plain JSON."""
Compilers: TypeAlias = Mapping[str, Callable[[Scope, Located], Stored]]
"""Kind of entry -> its compiler, which notes mistakes in the scope."""


def section(scope: Scope, compilers: Compilers) -> Stored:
    """All entries of some kinds, compiled."""
    return {
        kind: {name: compile_one(scope, one) for name, one in scope.entries.of(kind).items()}
        for kind, compile_one in compilers.items()
    }
