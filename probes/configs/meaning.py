"""From the value under a key to the value of a setting: types, units, spellings, and what is wrong with them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from traindx.engine.facts import Scalar
from traindx.engine.kb.rules import SettingRule

from .dialect import Dialect
from .occurrence import Occurrence
from .values import NOTHING, last_number, port, same, to_bool, to_count, to_minutes, to_number, to_size
from .way import Way

_TEXT_ONLY = ("shell", "ini", "printed")
"""Formats in which every value is text."""
_SHOWN = 40
"""Characters of a wrong value that are shown."""


def meaning(
    blank: Occurrence, rule: SettingRule, plain: Dialect | None, factor: float = 1.0
) -> Occurrence | None:
    """The occurrence with what its entry's value means; None where that leaves the setting to the trainer.

    `plain` brings the words that every dialect understands, `factor` the number of another key
    that is multiplied in.
    """
    entry, way = blank.entry, blank.way
    raw = entry.value
    if _is_switch(blank, rule) and (entry.style == "computed" or _is_no_choice(way, raw)):
        # `--amp $DATA`, `--amp data/`: what follows is not the switch's own.
        raw = True
    elif entry.style in ("computed", "call"):
        return blank
    if raw is None or any(_is_unset(one, raw, rule) for one in way.unset):
        return None
    for canonical, spelling in way.values.items():
        if same(spelling, raw):
            return blank._replace(value=typed(canonical, rule))
    if isinstance(raw, list | dict) or (isinstance(raw, str) and raw.strip().lower() in NOTHING):
        return None
    if rule.type == "bool":
        return _switch(blank, raw)
    return (
        _number(blank, rule, raw, factor) if rule.type in ("int", "float") else _word(blank, rule, raw, plain)
    )


def _is_switch(blank: Occurrence, rule: SettingRule) -> bool:
    """Whether an option takes no value with this trainer."""
    takes_none = rule.type == "bool" or any(spelling is True for spelling in blank.way.values.values())
    return blank.dialect.bare_flags and blank.entry.kind in ("option", "launch") and takes_none


def _is_no_choice(way: Way, raw: Any) -> bool:
    words = isinstance(raw, str) and to_bool(raw) is None and to_number(raw) is None
    return words and not any(same(spelling, raw) for spelling in (*way.values.values(), *way.unset))


def _is_unset(unset: Any, raw: Any, rule: SettingRule) -> bool:
    """Whether a value means `not given`. Where a switch does, neither the seed 1 nor a norm of 0 is one."""
    is_number = rule.type in ("int", "float") and not isinstance(raw, bool) and to_number(raw) is not None
    return not (isinstance(unset, bool) and is_number) and same(unset, raw)


def typed(canonical: str, rule: SettingRule) -> Scalar:
    """A canonical value that stands as a key of the knowledge base."""
    if rule.type == "bool":
        return canonical == "true"
    return canonical if rule.type == "str" else to_number(canonical) or 0


def _switch(blank: Occurrence, raw: Any) -> Occurrence | None:
    value = to_bool(raw)
    if value is None and blank.entry.kind in ("option", "launch"):
        # `--fp16 data/`: a switch without a value, and a word that is not its own.
        value = True
    if value is not None:
        return blank._replace(value=value is not blank.way.inverted)
    if blank.entry.style == "name":
        return blank
    known = blank.dialect.loose or blank.way.values
    return None if known else blank._replace(wrong=f"`{str(raw)[:_SHOWN]}` is no switch")


def _word(blank: Occurrence, rule: SettingRule, raw: Any, plain: Dialect | None) -> Occurrence | None:
    loose = blank.dialect.loose
    if isinstance(raw, bool) or (loose and blank.way.values and isinstance(raw, int | float)):
        return None
    text = str(raw)
    choices = ", ".join(_choices(blank.way)) or ", ".join(rule.values)
    wrong = f"`{text[:_SHOWN]}` is not one of {choices}"
    if text.lower() in rule.values:
        return blank._replace(value=text.lower(), wrong="" if loose or not blank.way.values else wrong)
    for way in plain.settings.get(rule.id, ()) if plain else ():
        for canonical, spelling in way.values.items():
            if not isinstance(spelling, dict) and same(spelling, text):
                return blank._replace(value=canonical)
    if not rule.values:
        return blank._replace(value=text)
    if blank.entry.style == "name":
        return blank
    return None if loose else blank._replace(wrong=wrong)


def _choices(way: Way) -> Iterator[str]:
    for spelling in way.values.values():
        one = spelling[0] if isinstance(spelling, list) else spelling
        yield str(one).lower() if isinstance(one, bool) else str(one)


def _number(blank: Occurrence, rule: SettingRule, raw: Any, factor: float) -> Occurrence | None:
    way = blank.way
    number = _measured(way, raw)
    if number is None and way.reads == "port":
        return None
    if number is None:
        return blank if blank.entry.style == "name" else _no_number(blank, rule, raw)
    as_text = isinstance(raw, str) and not way.reads and blank.document.format not in _TEXT_ONLY
    if way.ratio_below is not None and (0 < number < way.ratio_below) == bool(way.ratio_as):
        # Below it is a share of all steps, and not what this way is about.
        return (
            blank._replace(setting=way.ratio_as, value=float(number), as_text=as_text)
            if way.ratio_as
            else None
        )
    if way.exponent and 0 <= number < 200:
        number = float(2**number)
    scaled = factor * (number if way.reads == "size" else number * way.scale)
    return _checked(blank._replace(as_text=as_text), rule, scaled)


def _no_number(blank: Occurrence, rule: SettingRule, raw: Any) -> Occurrence | None:
    """A number was wanted. A list of numbers (`0,1`) is none and no mistake; nor, where the trainer is not known, is any
    text that does not look like a number."""
    if rule.type == "int" and isinstance(raw, str) and re.fullmatch(r"\d{1,2}(?:, ?\d{1,2})+", raw.strip()):
        return None
    like_one = isinstance(raw, str) and raw[:1].isdigit() and len(raw) < 20 and not raw[-1:].isalpha()
    if blank.dialect.loose and not like_one:
        return None
    return blank._replace(wrong=f"`{str(raw)[:_SHOWN]}` is no number")


def _measured(way: Way, raw: Any) -> int | float | None:
    match way.reads:
        case "size":
            return to_size(raw, way.scale)
        case "duration":
            return to_minutes(raw)
        case "count":
            return to_count(raw)
        case "last-number":
            return last_number(raw)
        case "port":
            return port(raw)
    return to_number(raw)


def _checked(blank: Occurrence, rule: SettingRule, number: float) -> Occurrence:
    """The value in the setting's type, and what is wrong with it."""
    if not math.isfinite(number):
        return blank._replace(wrong=f"{number} is no finite number")
    whole = rule.type == "int" and number == int(number)
    wrong = f"{number:g} is no whole number" if rule.type == "int" and not whole else ""
    if rule.low is not None and number < rule.low:
        wrong = f"{number:g} is below {rule.low:g}"
    if rule.high is not None and number > rule.high:
        wrong = f"{number:g} is above {rule.high:g}"
    return blank._replace(value=int(number) if whole else float(number), wrong=wrong)
