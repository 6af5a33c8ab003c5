"""Regular expressions that are compiled when they are first used: a plain log needs few of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, AnyStr, cast

if TYPE_CHECKING:
    from pathlib import Path

    from .regex_store import Store

_METHODS = ("match", "search", "fullmatch", "findall", "finditer", "sub", "split")
_store: Store | None = None


def compiled(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern as `re.compile` gives it, from the store where there is one. Raises re.error where it is none."""
    return re.compile(pattern, flags) if _store is None else _store.compile(pattern, flags)


def use_store(folder: Path) -> None:
    """Take compiled patterns from a folder from now on. Only a command that ends keeps what it compiled there."""
    global _store
    if _store is not None and _store.folder == folder:
        return
    try:
        from .regex_store import Store

        _store = Store(folder)
    except (ImportError, AttributeError):
        _store = None  # a Python whose compiler is another


def keep_store() -> None:
    """Store the patterns that were compiled since."""
    if _store is not None:
        _store.keep()


class _Later:
    """Stands for a compiled pattern, and becomes as fast as one at its first use."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self._pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        pattern: re.Pattern[Any] = compiled(self._pattern, self._flags)
        self.__dict__.update((method, getattr(pattern, method)) for method in _METHODS)
        return getattr(pattern, name)


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern as `re.compile` gives it, compiled later."""
    return cast("re.Pattern[AnyStr]", _Later(pattern, flags))
