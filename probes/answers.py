"""What a person answers: `test.fp32_clears_nan=yes` to a fact of the declared type."""

from __future__ import annotations

import math
from collections.abc import Iterable

from traindx.engine.facts import Fact, Origin, Place, Value
from traindx.engine.kb.knowledge import Knowledge
from traindx.engine.kb.rules import FactRule
from traindx.engine.regex import regex

_YES = ("yes", "y", "true", "1", "on")
_NO = ("no", "n", "false", "0", "off")
_GROUPED = regex(r"[-+]?[1-9]\d{0,2}(?:[,_]\d{3})+(?:\.\d*)?")
"""A number whose thousands are set apart: 50,257."""


class BadAnswer(ValueError):
    """An answer that does not fit its fact. The message says what is expected."""


def read_answers(texts: Iterable[str], knowledge: Knowledge) -> list[Fact]:
    """Read several answers.

    Raises BadAnswer for one that does not fit, and where two answers to one question differ.
    """
    facts: dict[str, Fact] = {}
    for one in (answer(text, knowledge) for text in texts):
        known = facts.setdefault(one.name, one)
        if known.value != one.value:
            raise BadAnswer(f"`{one.name}` is answered twice, and not alike")
    return list(facts.values())


def answer(text: str, knowledge: Knowledge) -> Fact:
    """Read `fact=value`.

    Raises BadAnswer for an unknown fact, naming the nearest, and for a value of the wrong type.
    """
    name, sign, value = text.partition("=")
    name = name.strip()
    if not sign:
        raise BadAnswer(f"`{text}`: write it as FACT=VALUE, e.g. test.fp32_clears_nan=yes")
    return Fact(name, to_value(value.strip(), declared(name, knowledge)), Origin.ANSWER, (Place("answer"),))


def declared(name: str, knowledge: Knowledge) -> FactRule:
    """The declaration of a fact.

    Raises BadAnswer with the nearest names where there is none.
    """
    if name in knowledge.facts:
        return knowledge.facts[name]
    if name.startswith("env.package."):
        return FactRule(name, "version", "The version of an installed package.")
    import difflib

    close = difflib.get_close_matches(name, knowledge.facts, n=3, cutoff=0.5)
    hint = f"; nearest: {', '.join(close)}" if close else "; `diagnose kb list facts` shows all"
    raise BadAnswer(f"there is no fact `{name}`{hint}")


def to_value(text: str, fact: FactRule) -> Value:
    """The value that a text means for a fact.

    Raises BadAnswer where it cannot be one.
    """
    if fact.type == "bool":
        if text.lower() in _YES or text.lower() in _NO:
            return text.lower() in _YES
        raise BadAnswer(f"`{fact.name}` is yes or no, not `{text}`")
    if fact.type in ("int", "float"):
        return _number(text, fact)
    if fact.type == "list":
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if fact.values and text not in fact.values:
        raise BadAnswer(f"`{fact.name}` is one of {', '.join(fact.values)}, not `{text}`")
    return text


def _number(text: str, fact: FactRule) -> int | float:
    try:
        value = float(text.replace(",", "").replace("_", "") if _GROUPED.fullmatch(text) else text)
    except ValueError:
        hint = f"; with a point: {text.replace(',', '.')}" if text.count(",") == 1 else ""
        raise BadAnswer(f"`{fact.name}` is a number, not `{text}`{hint}") from None
    if fact.type == "float":
        return value
    if not math.isfinite(value) or value != int(value):
        raise BadAnswer(f"`{fact.name}` is a whole number, not `{text}`")
    return int(value)
