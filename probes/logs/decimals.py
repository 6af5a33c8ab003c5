"""What a number hides that is printed with a fixed count of decimals: `0.000` is anything below a half of a thousandth."""

from __future__ import annotations

from traindx.engine.regex import regex

from .lines import Lines
from .marks import Mark
from .names import Name

_ZEROS = regex(rb"[-+]?0\.(0{2,})")
"""`0.0` is how an exact zero is written too."""


def hidden_below(lines: Lines | None, mark: Mark, name: Name) -> float:
    """Below which number a zero that was printed here may be anything; 0 where it is written as an exact one."""
    if lines is None:
        return 0.0
    for value in lines.placed(mark.line).values:
        if value.name.printed == name.printed:
            zeros = _ZEROS.fullmatch(mark.line, value.start, value.end)
            return 0.5 * 10.0 ** -len(zeros[1]) * value.scale if zeros else 0.0
    return 0.0
