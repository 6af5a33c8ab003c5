"""What stands before the line itself: the process that wrote it, and the time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from traindx.engine.regex import regex

_RANK = regex(
    rb"""\s*(?:
      (\d{1,5}):\x1f                                       # srun --label, as marked below
    | \[rank(\d+)\]:\ ?                                   # torchrun, torch.distributed
    | \[default(\d+)\]:\ ?                                # torchrun --redirects
    | \[\d+,(\d+)\]<std(?:out|err|diag)>:\ ?              # mpirun --tag-output
    | \([\w.: ]*\(?(?:rank|RANK)[=\ ](\d+)\)?[^)]*\)\ ?   # (WorkerDict rank=3 pid=...)
    | \[(?:\d+/)?[Rr]ank[\ =:]?(\d+)\]\ ?:?\ ?            # [Rank 3]
    | [Rr]ank[\ =:]?(\d+)[:\]|]\ ?                        # Rank 3:
    | \[(?!(?i:ep|epochs?|e|steps?|iters?|iteration|it|i|batch|round|episode|update)\b)(?=[\d.-]*[A-Za-z_])[\w.-]+:(\d+)\]:?\ (?=\S)  # [node-1:3]
    )""",
    re.VERBOSE,
)
_SURE_RANK = regex(rb"\s*\[(?:rank|default)(\d+)\]:\ ?")
"""A rank that nothing else looks like, so that it may stand behind a time."""
_LABEL = regex(rb"\s*(\d{1,5}): ")
_LABELS = regex(rb"(?m)^( *\d{1,5}:) ")
LAUNCHER = (b"srun: ", b"slurmstepd: ", b"sbatch: ", b"+ ")
"""How the lines begin that the scheduler and a tracing shell write between those of the tasks."""
_JOB_STEP = b"*** STEP "
"""`*** STEP 88123.0 ON node017 CANCELLED`: a step of a job, whatever stands before it."""
_WORKER = regex(rb"\s*\((?:[\w.]+ )*pid=(\d+)(?:, ip=([\d.]+))?\)\s?")
_STAMP = regex(
    rb"""\s*[\[(]?(?:
      \d{4}[-/]\d\d[-/]\d\d[T\ _](\d\d:\d\d:\d\d(?:[.,:]\d+)?)(?:Z|[+-]\d\d:?\d\d)?
    | \d\d[-/]\d\d(?:[-/]\d\d(?:\d\d)?)?[T\ ](\d\d:\d\d:\d\d(?:[.,]\d+)?)
    | [A-Z][a-z]{2}\ +\d+\ (\d\d:\d\d:\d\d(?:[.,]\d+)?)
    | (\d\d:\d\d:\d\d(?:[.,]\d+)?)
    | \d{5,}\.\d{3,}
    )(?:\ [A-Za-z][\w.]*(?=\]:))?[\])]?[\s:,|-]*                  # [05/03 10:00:00 d2.engine.defaults]:
    """,
    re.VERBOSE,
)
_GLOG = regex(rb"\s*\[?[IWEF]\s?(\d{3,4} \d\d:\d\d:\d\d\.\d+)\s+(?:\d+\s+)?[\w./-]+:\d+\]\s*")
_LEVEL = regex(
    rb"\s*(?:[\w.<>-]+\s*[-:|]\s*)?\[?(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)\]?(?:\s*[:|-]\s*[\w.<>-]+(?:\.[\w<>]+)*)?\s*[:|-]+\s+"
)


_MOST_NAMES = 3
"""Names of processes that stand before one line: that of srun, that of torchrun, that of a worker."""


class Prefix(NamedTuple):
    """What stands before a line."""

    rank: int | None = None
    digits: tuple[int, int] | None = None
    """Where the rank's digits stand."""
    end: int = 0
    """Where the line itself begins; its indentation is kept."""


def prefix_of(line: bytes) -> Prefix:
    """The process a line names before it begins; of several names, as a launcher of launchers writes them, the last."""
    prefix = Prefix()
    for found, ranked in _names(line):
        group = found.lastindex or 0
        if ranked:
            prefix = Prefix(int(found[group][:9]), found.span(group), found.end())
        else:
            prefix = prefix._replace(end=found.end())
    return prefix


def _names(line: bytes) -> Iterator[tuple[re.Match[bytes], bool]]:
    """The names of processes that a line begins with, each with whether it is a rank. A time may stand before one."""
    end = 0
    for _ in range(_MOST_NAMES):
        ranked = _RANK.match(line, end)
        found = ranked or _WORKER.match(line, end)
        if found is None and (stamp := _STAMP.match(line, end)):
            ranked = _SURE_RANK.match(line, stamp.end())
            found = ranked or _WORKER.match(line, stamp.end())
        if found is None:
            return
        yield found, ranked is not None
        end = found.end()


def worker_of(line: bytes) -> bytes:
    """The process as its prefix spells it: two lines of one process give the same bytes."""
    return b" ".join(found[0].strip() for found, _ in _names(line))


def is_of_launcher(line: bytes) -> bool:
    """Whether the scheduler or a tracing shell wrote a line: its numbers are none of the training."""
    return line.startswith(LAUNCHER) or _JOB_STEP in line


def is_dated(line: bytes, start: int) -> bool:
    """Whether what begins here is the level and date of a line, as C++ and the launcher of torch print them."""
    return _GLOG.match(line, start) is not None


def body_of(line: bytes, start: int = 0) -> int:
    """Where the message begins, after times, log levels and logger names."""
    for pattern in (_GLOG, _STAMP, _GLOG, _LEVEL):
        found = pattern.match(line, start)
        if found is not None and found.end() > start:
            start = found.end()
    return start


def stamp_of(line: bytes, start: int = 0) -> str:
    """The time a line begins with, as text that sorts; empty where it has none."""
    found = _GLOG.match(line, start) or _STAMP.match(line, start)
    return found[0].strip(b" []()|:,-\t").decode("latin-1") if found else ""


def seconds_of(line: bytes, start: int = 0) -> float | None:
    """The time of day a line begins with, in seconds."""
    found = _GLOG.match(line, start) or _STAMP.match(line, start)
    clock = re.search(rb"(\d\d):(\d\d):(\d\d(?:[.,]\d+)?)", found[0]) if found else None
    if clock is None:
        return None
    return int(clock[1]) * 3600 + int(clock[2]) * 60 + float(clock[3].replace(b",", b"."))


def relabelled(data: bytes) -> bytes:
    """The lines of a log whose lines are labelled, with a mark behind each label that nothing else has and nobody sees."""
    return _LABELS.sub(b"\\1\x1f", data)


def is_labelled(lines: list[bytes]) -> bool:
    """Whether the lines begin with the number of a task, as `srun --label` writes them.

    A step counter also looks so; it does not come back to the same few numbers.
    """
    told = [line for line in lines if line.strip() and not line.startswith(LAUNCHER)]
    labels = [found[1] for line in told if (found := _LABEL.match(line))]
    return len(labels) >= 4 and len(labels) >= 0.9 * len(told) and len(set(labels)) * 3 <= len(labels)
