"""Numbers and switches in the style of those they replace."""

from __future__ import annotations

import math
import re

from traindx.engine.regex import regex

_POWER = regex(r"(?P<base>2\.?)(?P<sign>\s*\*\*\s*)(?P<power>\d+)(?P<float>\.?)")
_EXPONENT = regex(r"(?P<mantissa>[\d.]+)(?P<mark>[eE])(?P<sign>[-+]?)(?P<power>\d+)")
_PAIRS = (
    ("true", "false"), ("True", "False"), ("TRUE", "FALSE"), ("yes", "no"), ("Yes", "No"), ("YES", "NO"),
    ("on", "off"), ("On", "Off"), ("ON", "OFF"), ("y", "n"), ("1", "0"),
)  # fmt: skip
SMALL = 1e-3
"""Below this a number without a model is written with an exponent."""


def number(value: float, old: str = "") -> str:
    """A number written like `old`: `1e-5` after `5e-5`, `0.00001` after `0.00005`, `2**10` after `2**16`.

    The shortest text that gives exactly the value back. NaN and infinities are `nan` and `inf`.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if (power := _POWER.fullmatch(old.strip())) and (spelled := _power(value, power)):
        return spelled
    exponent = _EXPONENT.fullmatch(old.strip())
    if exponent and value:
        return _exponent(value, exponent)
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15 and "." not in old):
        whole = str(int(value))
        return f"{whole}.0" if "." in old and not isinstance(value, float) else _grouped(whole, old)
    if re.fullmatch(r"-?\d*\.?\d+", old.strip()) and abs(value) >= 1e-9 and value < 1e15:
        return _plain(value)
    return _shortest(value)


def truth(value: bool, old: str, yes: str, no: str) -> str:
    """A switch written in the words of the old one, else as `yes` or `no`."""
    for pair in _PAIRS:
        if old in pair:
            return pair[0] if value else pair[1]
    return yes if value else no


def _power(value: float, old: re.Match[str]) -> str:
    mantissa, power = math.frexp(value)
    return f"{old['base']}{old['sign']}{power - 1}{old['float']}" if mantissa == 0.5 and power > 0 else ""


def _exponent(value: float, old: re.Match[str]) -> str:
    digits, power = _scientific(value)
    if power in (0, 1):
        return _plain(value)
    if "." in old["mantissa"] and "." not in digits:
        digits += ".0"
    sign = "-" if power < 0 else ("+" if old["sign"] == "+" else "")
    width = len(old["power"]) if old["power"].startswith("0") else 1
    return f"{digits}{old['mark']}{sign}{abs(power):0{width}d}"


def _scientific(value: float) -> tuple[str, int]:
    from decimal import Decimal

    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    text = "".join(map(str, digits))
    mantissa = f"{text[0]}.{text[1:]}" if len(text) > 1 else text
    return ("-" if sign else "") + mantissa, int(exponent) + len(text) - 1


def _plain(value: float) -> str:
    from decimal import Decimal

    text = format(Decimal(repr(value)), "f")
    return text if "." in text else f"{text}.0"


def _shortest(value: float) -> str:
    if 0 < abs(value) < SMALL or abs(value) >= 1e15:
        digits, power = _scientific(value)
        return f"{digits}e{power}"
    return _plain(value)


def _grouped(whole: str, old: str) -> str:
    return f"{int(whole):_}" if "_" in old and len(whole) > 4 else whole
