"""How a block of printed settings begins, and by that how it ends."""

from __future__ import annotations

import re

from traindx.engine.regex import regex

from .settings_row import is_settings, measures

_NAMES = r"cfg|config(?:uration)?s?|args|arguments|hparams|hyper[- _]?parameters|parameters|settings|options|params"
_CALL = regex(
    r"(?:^|[\s:=])(?:Namespace|\w*(?:Arguments|Args|Config|Configuration|HParams|Settings)\w*)\s?\((?=\w|$|\s*$)"
)
_BRACES = regex(rf"(?i)^(?!.{{0,40}}\btrial \d).{{0,60}}\b(?:{_NAMES}|json)\b[^{{}}()]{{0,30}}[:=]?\s*\{{")
_LONE_BRACE = regex(r"^\s*\{\s*$")
_HEADING = regex(rf"(?i)^[\W_]*(?:(?:\w+ ){{0,3}}(?:{_NAMES})|running training(?: /.*)?)[\W_]*$")
_BANNER = regex(r"^==\(\(====\)\)==")
FLAG = regex(r"^\s*--[A-Za-z][\w.-]*(?:\s*[:=]\s*|\s+)\S")
DOTTED = regex(r"^\s*(?:\[[\w.]+:\d+:\w+\]\s*)?[\w./-]+ ?\.{4,} ?\S")
_COMMAND = regex(
    r"^\s*(?:(?:\$|\+|>|#|\S+@\S+[$#]) +)?(?:\w+=\S+ +){0,6}(?:\S*/)?(?:torchrun|accelerate|deepspeed|python[\d.]*|srun|bash|sh|lightning|llamafactory-cli|axolotl|tune)\s.*"
)
_PROMPT = regex(r"^\s*(?:\$|\+|\S+@\S+[$#]) +\S.* --?\w")
_ROW = regex(
    r"^\s*[\w./]{0,60}(?:trainer|train|(?P<named>hyp(?:er)?[-_ ]?param(?:eter)?s)):\s[A-Za-z_]\w*=[^,=]{0,200}(?:,\s?[A-Za-z_]\w*=[^=]{0,300}?){4,200}$"
)
"""One line of `key=value, key=value` behind the name of what prints it."""
OPTIMIZER = regex(
    r"(?:^|[\s:=])(?:\w{0,12}Adam\w{0,12}|SGD|RMSprop|Ada(?:grad|delta|factor)|Lion\w{0,8}|L(?:amb|AMB|ARS)|Muon|Sophia\w?) \($"
)
"""How PyTorch prints an optimizer, with its groups of parameters below."""


def ending_of(text: str) -> str:
    """How the block that begins with this line ends; empty where none begins."""
    if _CALL.search(text) or OPTIMIZER.search(text) or _BRACES.match(text) or _LONE_BRACE.match(text):
        return "balanced"
    if _BANNER.match(text):
        return "banner"
    if (row := _ROW.match(text)) and (
        not measures(text.encode()) if row["named"] else is_settings(text.encode())
    ):
        return "row"
    if _HEADING.match(text):
        return "pairs"
    if FLAG.match(text):
        return "flags"
    if DOTTED.match(text):
        return "dotted"
    if _PROMPT.match(text) or (_COMMAND.match(text) and re.search(r"\s--?\w|\.py\b|\.ya?ml\b", text)):
        return "command"
    return ""
