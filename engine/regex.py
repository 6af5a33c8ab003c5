"""Regular expressions that are compiled when they are first used: a plain log needs few of them."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_METHODS = ("match", "search", "fullmatch", "findall", "finditer", "sub", "split")


class _Later:
    """Stands for a compiled pattern, and becomes as fast as one at its first use."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self._pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = re.compile(self._pattern, self._flags)
        self.__dict__.update((method, getattr(compiled, method)) for method in _METHODS)
        return getattr(compiled, name)


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern as `re.compile` gives it, compiled later."""
    return cast("re.Pattern[AnyStr]", _Later(pattern, flags))
