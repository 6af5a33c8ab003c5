"""What we wrote ourselves: it tells of a run in our words, and is evidence of nothing."""

from __future__ import annotations

from pathlib import Path

from traindx.engine.regex import regex

from .kinds import start_of

_TEXTS = regex(r"(?:\.(?:md|markdown|txt|json|log|out|rst)|^[^.]+)$")
_BEGINS = regex(
    r"traindx \d[\w.+!-]*  \S|# Incident report\s+## Summary\s"
    r'|\{\s*"schema": "(?:\d+",\s*"version": "[^"]*",\s*"outcome": "(?:cause-found|symptom-only|nothing-found)"|traindx-checklist/)'
    r"|(?:[a-z\d-]+ is (?:the first|not in question)[^\n]*\n)?[a-z\d-]+: \S[^\n]*\n\s+[-+]\d+\.\d dB  before any evidence: |[a-z\d-]+ stands at place \d+, [\d.]+ dB below "
    r"|\S[^\n]* \([a-z]+(?:\.[a-z\d_]+)+\)\n  \S[^\n]*\n(?:  \S[^\n]*: (?:for|against|changes nothing)[^\n]*\n)*  expected: [\d.]+ bits for "
    r"|# \S[^\n]*\n\s*`[\w.-]+` · (?:cause|symptom|fix|procedure|checklist|signature|playbook item)\b"
    r"|\S[^\n]*  [a-z\d-]+, (?:checklist|procedure)\n\s*(?:ok |NO |Nothing at hand tells )"
)
"""The first lines of each form of a report: as text, as Markdown, as data, and a ticked list as data; then what
`--explain`, `explain` and `checklist` print."""
_SIGNED = regex(r"(?m)^traindx \S+, report schema \S+?\. ")
"""The line in which Markdown names what wrote it: an incident report that people wrote may begin like ours."""
_MOST = 1 << 20
NOT_READ = "a report that traindx wrote, which is no evidence: it was not read"


def is_own_report(path: Path) -> bool:
    """Whether a file is a report that we wrote, in any of its forms."""
    return bool(_TEXTS.search(path.name.lower())) and is_written_by_us(path)


def is_written_by_us(path: Path) -> bool:
    """The same, whatever the file is called."""
    start = start_of(path)
    if not _BEGINS.match(start):
        return False
    return not start.startswith("# Incident report") or bool(_SIGNED.search(start_of(path, _MOST)))
