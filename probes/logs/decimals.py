"""What a number hides that is printed with a fixed count of decimals: `0.000` is anything below a half of a thousandth."""

from __future__ import annotations

from traindx.engine.regex import regex

from .lines import Lines
from .marks import Mark
from .names import Name

_ZEROS = regex(rb"[-+]?0\.(0{2,})")
"""`0.0` is how an exact zero is written too."""

_ONE_DIGIT = regex(rb"[-+]?0?\.0{2,}[1-9]")
"""`0.0001` is also how 0.00006 is written with four decimals. `0.1` and `1e-04` are not cut so short."""


def says_one_digit(lines: Lines | None, mark: Mark, name: Name) -> bool:
    """Whether a number was printed here with a single digit that counts, behind zeros."""
    placed = lines.placed(mark.line).values if lines is not None else ()
    printed = next((one for one in placed if one.name.printed == name.printed), None)
    return printed is not None and _ONE_DIGIT.fullmatch(mark.line, printed.start, printed.end) is not None


def hidden_below(lines: Lines | None, mark: Mark, name: Name) -> float:
    """Below which number a zero that was printed here may be anything; 0 where it is written as an exact one."""
    if lines is None:
        return 0.0
    for value in lines.placed(mark.line).values:
        if value.name.printed == name.printed:
            zeros = _ZEROS.fullmatch(mark.line, value.start, value.end)
            return 0.5 * 10.0 ** -len(zeros[1]) * value.scale if zeros else 0.0
    return 0.0
