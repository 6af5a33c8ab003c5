"""A line that prints many settings at once, whose numbers measure nothing."""

from __future__ import annotations

from traindx.engine.regex import regex

_MANY, _FEW = 8, 3
"""Settings that make a row, and how many of them must be no numbers."""
_WORDED = regex(rb"=(?!(?i:nan|inf|tensor|array|np|numpy|torch)\b)['\"]?[A-Za-z/]")
"""A word or a path that is given to a name, and no number."""
_MEASURED = regex(
    rb"(?i)(?<![^\s,({\[])(?:(?:global_?)?step|iter(?:ation)?|[\w/.]{0,40}loss)=['\"]?(?:[-+]?[\d.]|nan|-?inf)"
)
"""What no settings say, though words such as `level=info` stand beside it: at which step it is, or a loss."""
_KEY_OF_WORD = regex(rb"['\"] ?: ?(?:None|True|False|null|true|false|['\"][A-Za-z/])")
_KEY_MEASURED = regex(
    rb"(?i)['\"](?:(?:global_?)?step|iter(?:ation)?|epoch|[\w/. ]{0,40}loss)['\"] ?: ?['\"]?(?:[-+]?[\d.]|nan|-?inf)"
)
"""The same two in a dictionary: `'arch': 'bert'` and `'loss': 0.3`."""
_NAMED_SETTINGS = regex(
    rb"(?i)\b(?:cfg|config(?:uration)?|args|arguments|opts?|options|settings|h(?:yper[-_ ]?)?param(?:eter)?s|param(?:eter)?s)['\"]? ?[:=]? ?\{"
)
"""A dictionary that is called the settings, be they those of a trial of a search."""


def is_settings(line: bytes) -> bool:
    """Whether a line is a row of settings, `epochs=60, time=None, batch=16, save=True, ...`, and measures nothing."""
    if line.count(b"=") >= _MANY and len(_WORDED.findall(line)) >= _FEW:
        return not _MEASURED.search(line)
    if _NAMED_SETTINGS.search(line):
        return not _KEY_MEASURED.search(line)
    keys = line.count(b"': ") + line.count(b'": ')
    return keys >= _MANY and len(_KEY_OF_WORD.findall(line)) >= _FEW and not _KEY_MEASURED.search(line)


def measures(line: bytes) -> bool:
    """Whether a row of `key=value` says at which step it is, or a loss."""
    return _MEASURED.search(line) is not None
