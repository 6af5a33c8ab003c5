"""What the lines of a traceback look like."""

from __future__ import annotations

from traindx.engine.regex import regex

HEADER = regex(r"^(?P<indent>.*?)(?P<kept>Original )?Traceback \(most recent call (?:last|first)\)")
EXCEPTION = regex(
    r"^(?P<type>(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Fault|Failure|OutOfMemory|Timeout|Mismatch"
    r"|NotFound|Undefined|Invalid\w*|Unset\w*)|(?:[a-z_]\w*\.)+[A-Z]\w+|KeyboardInterrupt|StopIteration)(?P<colon>(?: \(see above for traceback\))?:(?:\s|$))?(?P<message>.*)$"
)
"""TensorFlow 1 says in brackets that the traceback stands above."""
BARE = regex(
    r"^(?P<type>(?:[A-Za-z_]\w*\.)*[A-Z]\w+(?:Error|Exception)|KeyboardInterrupt)(?P<colon>(?: \(see above for traceback\))?:(?:\s|$)|$)(?P<message>.*)$"
)
"""An exception that stands alone: only names that can be nothing else."""
NOTEBOOK_HEADER = regex(r"\s*(?P<type>[A-Za-z_][\w.]*)\s+")
ANY_TYPE = regex(r"^(?P<type>[A-Za-z_][\w.]*)(?P<colon>:(?:\s|$))?(?P<message>.*)$")
FRAME = regex(
    r'^\s*File "(?P<file>[^"\n]{1,400})"(?:, line (?P<line>\d{1,9}))?(?:, in (?P<function>.{1,200}))?$'
)
CELL = regex(
    r"^(?:Cell|Input) In ?\[\d*\](?:, line (?P<line>\d+))?(?:,? in (?P<function><?[\w. :]+>?)(?:\(.*\))?)?:?$"
)
NOTEBOOK_FRAME = regex(
    r"^(?:File )?(?P<file>(?:[A-Za-z]:)?[~\w./\\<>@+ -]{2,300}?)(?::(?P<line>\d+))?,? in (?P<function><?[\w.]+(?: line: \d+)?>?)(?:\(.*\))?$"
)
ARROW = regex(r"^-{1,}> ?(?P<line>\d+) ?(?P<code>.*)$")
CHAIN = regex(r"^(?:During handling of the above exception|The above exception was the direct cause)")
IGNORED = regex(r"^Exception ignored in[: ]")
ENDS = regex(r"^(?:={6,}|-{10,}|\$ |>>> |In \[\d|note:|srun: |slurmstepd|Exception ignored in)|\d%\|")
