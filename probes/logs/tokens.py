"""What the words, numbers, pairs and units of a line look like."""

from __future__ import annotations

import re

from traindx.engine.regex import regex

TOKEN = regex(
    rb"""(?P<junk>\d\d/\d\d[ T]\d\d:\d\d(?::\d\d)?|\d+(?:[-/]\d+){2,}|\d+(?:\.\d+){2,}|\d+(?::\d\d)+(?:[.,]\d+)?|0x[0-9a-fA-F]+
        |\d+(?:\.\d+)?%(?=\||\s*[\x80-\xff])
        |(?<=:)\d+/\d+(?=\]\ \d{4}-\d\d-)) # [node1:0/4] 2024-06-03: process 0 of 4
    |(?P<pair>(?<![\w.])\d{1,15}\s*/\s*\d{1,15}(?![\w.]))
    |(?P<number>(?<!\w)[-+]?(?:[1-9]\d{0,2}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?
        |(?<!\w)[-+]?(?:nan|NaN|NAN|inf|Inf|INF|infinity|Infinity)(?:\.0)?(?![\w/]))
    |(?P<word>[A-Za-z_][\w@*]*(?:[./@*+-]\w+)*)
    |(?P<mark>[^\s\w])""",
    re.VERBOSE,
)
_ATTACHED = regex(rb"[A-Za-z%]+(?:/[A-Za-z]+| / (?:it|iter|iters|iteration|step|batch)\b)?")
_SPACED = regex(
    rb"(?i:(?! ?(?:train(?:ing)?|val(?:id(?:ation)?)?|eval|test|dev|loss(?:es)?|metrics?)/))"
    rb" ?([A-Za-z]+/[A-Za-z]+|GiB|MiB|GB|MB|ms|s|%)(?![\w/]|\s*[=:]\s*[-+]?(?:[\d.]|(?i:nan|inf)))"
)
"""A unit after a space; in `lr=7e-05 sec/step=0.61` it is the name of the next number, and `train/loss` is one anyhow."""
_PER = regex(rb"/[A-Za-z]+(?![\w=])")
FILE = regex(
    rb"\.(?:py|pyx|ipynb|c|cc|cpp|cu|cuh|h|hpp|rs|go|sh|log|txt|json|jsonl|ya?ml|toml|csv|pth?|ckpt|bin|so)$"
)
IN_PARENS = regex(rb"\(\s*(?:([A-Za-z%][A-Za-z%/ ]{0,11})|(\d+(?:\.\d+)?(?:[eE][-+]?\d{1,3})?))\s*\)")
NUMBERED_PART = regex(rb"\(\s*([A-Za-z]{2,12}) \d{1,3}\s*\)(?=\s*[=:])")
"""`LR (group 0)=3e-4`: what is measured of which part, inside of a name."""
NO_STEP = regex(r"e|\.\d*[1-9]\d*$")
"""Steps are whole: `average ratio of batch (13.20)` is none."""
_PURE_WORD = regex(rb"(?<![^\s(])[A-Za-z\x80-\xff]+(?=[\s).,:;?!]|\Z)")
_SENTENCE = 12
"""Words from which on a line may be a sentence, in whatever language."""
GOES_ON = regex(rb"[-.]\w|,\d")
"""What shows that a number is a part of something: of a version, a date, or a number with a decimal comma."""
DECIMALS = regex(rb",(?:\d\d|\d{4,})(?![\w.]|,\s?\d)")
"""What follows a whole number with a decimal comma, `2,0650`. Three digits may as well be thousands."""
GLUED = regex(rb"(?i)(?:[a-z0-9]{1,20}_)?([a-z]{1,9})[-_#]?((\d{1,9})(?:/(\d{1,9}))?)")
"""A word with its number: `Epoch12`, `it50/332`, `fold0_ep3`."""
PAIR = regex(rb"\d+/\d+")
GIVEN = regex(rb"['\"]?\s*[:=]\s*['\"]?[-+]?(?:\d|\.\d|nan|inf|NaN|Inf)(?!\d{0,2}%)")
"""A number is given to what stands before: `step1=0.3` is the name of something."""
NUMBER_NEXT = regex(rb"[\s'\"]*[-+]?(?:\d|nan|inf|NaN|Inf|\.\d)")
SPACED_NUMBER = regex(rb" +[-+]?(?:[\d.]|(?i:nan|inf)(?!\w))")
VALUE_NEXT = regex(rb"(?:\s*[:=]|\s+(?:is|was)\b)\s*(?=[-+]?(?:\d|\.\d|nan|inf|NaN|Inf))")
COMPARED = regex(rb"\s[<>]=?\s")
"""A comparison; an arrow, as in `loss -> 0.5`, is none."""
ANY_NUMBER = regex(rb"\d[\d.,eE+-]*")


def unit_at(line: bytes, position: int) -> tuple[bytes, int]:
    """The unit of a number that ends at a position, and where it ends itself."""
    if attached := _ATTACHED.match(line, position):
        return attached[0], attached.end()
    if spaced := _SPACED.match(line, position):
        return spaced[1], spaced.end()
    if per := _PER.match(line, position):
        return b"", per.end()
    return b"", position


def is_like_a_sentence(line: bytes) -> bool:
    """Whether a line is mostly words, in whatever language."""
    words = len(_PURE_WORD.findall(line))
    return words >= max(_SENTENCE, 4 * len(ANY_NUMBER.findall(line)))
