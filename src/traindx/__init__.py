"""Find out why a training run fails, and what to change."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .watching import watch as watch

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """`watch` is imported when it is asked for: the command line does without it."""
    if name == "watch":
        from .watching import watch

        return watch
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
